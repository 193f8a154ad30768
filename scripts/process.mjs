// Running other programs: what every script here needs, in one place.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's folder. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** A failure whose message says all a user needs: scripts print it without a stack. */
export class ScriptError extends Error {}

/**
 * Prints one line of a script's own, told apart from what the programs it runs print.
 * @param {string} text
 */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * The first of `names` found on the PATH (or given as a path), as an absolute path, or undefined.
 * @param {(string | undefined)[]} names
 */
export function which(...names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  for (const name of names) {
    if (!name) continue;
    const candidates = name.includes('/') ? [name] : folders.map((folder) => path.join(folder, name));
    for (const candidate of candidates) {
      try {
        fs.accessSync(candidate, fs.constants.X_OK);
        if (fs.statSync(candidate).isFile()) return candidate;
      } catch {
        // not here: look on
      }
    }
  }
  return undefined;
}

/**
 * Runs a program to its end without showing it; returns { status, stdout, stderr, output },
 * output being both.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options] of spawnSync
 */
export function capture(command, args, options = {}) {
  const given = { cwd: ROOT, maxBuffer: 1 << 28, ...options };
  const result = spawnSync(command, args, { ...given, encoding: 'utf8' });
  const stdout = result.stdout ?? '';
  const stderr = `${result.stderr ?? ''}${result.error ? result.error.message : ''}`;
  return { status: result.status ?? 1, stdout, stderr, output: stdout + stderr };
}

/**
 * Runs a program, showing its output as it comes, and resolves to { status, output }.
 * With `prefix` every line is headed by it, so that the output of parallel programs can be told apart;
 * with `show: false` nothing is shown.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options]
 * @param {Record<string, string | undefined>} [options.env]
 * @param {string} [options.cwd]
 * @param {string} [options.prefix]
 * @param {boolean} [options.show]
 * @returns {Promise<{ status: number, output: string }>}
 */
export function run(command, args, { env, cwd = ROOT, prefix = '', show = true } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {string[]} */
    const chunks = [];
    /** @param {import('node:stream').Readable} source @param {NodeJS.WriteStream} target */
    const forward = (source, target) => {
      let rest = '';
      source.setEncoding('utf8');
      source.on('data', (/** @type {string} */ text) => {
        chunks.push(text);
        if (!show) return;
        if (!prefix) {
          target.write(text);
          return;
        }
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) target.write(`${prefix}${line}\n`);
      });
      source.on('end', () => {
        if (rest) target.write(`${prefix}${rest}\n`);
      });
    };
    forward(child.stdout, process.stdout);
    forward(child.stderr, process.stderr);
    child.on('error', (error) => {
      process.stderr.write(`${prefix}${error.message}\n`);
      resolve({ status: 127, output: error.message });
    });
    child.on('close', (code) => resolve({ status: code ?? 1, output: chunks.join('') }));
  });
}

/**
 * True when this module file is the program that Node was asked to run.
 * @param {string} moduleUrl
 */
export function isMain(moduleUrl) {
  return Boolean(process.argv[1]) && fs.realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);
}

/**
 * Runs a script's main function; a ScriptError is printed as one clear line, anything else with its stack.
 * @param {() => number | void | Promise<number | void>} task
 */
export async function main(task) {
  try {
    process.exitCode = (await task()) ?? 0;
  } catch (error) {
    const { message, stack } = /** @type {Error} */ (error);
    process.stderr.write(`${error instanceof ScriptError ? `error: ${message}` : stack}\n`);
    process.exitCode = 1;
  }
}
