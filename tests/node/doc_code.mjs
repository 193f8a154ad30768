// Code of the documentation: found in Markdown, run as it stands, what it prints held against its comments.
//
// A block ```js runs in Node. One that calls `load()` is a program of its own; any other gets a module and a
// world first, and what an HTML comment `<!-- js … -->` before it says. ```js page needs a page: its syntax
// is checked. A line `console.log(…); // → text` must print that text; numbers in it hold to the last digit.
// Each of these lines has to run at least once, and no arrow stands where nothing compares it.

import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './helpers.mjs';

/** @typedef {{ line: number, code: string, isPage: boolean, before: string }} Block */

const TIMEOUT = 120000; // ms

/** @param {string} text Markdown @returns {Block[]} */
export function findBlocks(text) {
  const pattern = /(?:<!-- js\n([\s\S]*?)-->\n+)?^```js( page)?\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    before: match[1] ?? '',
    isPage: match[2] !== undefined,
    code: match[3],
  }));
}

/**
 * What is wrong with a line that was printed, or null.
 * @param {string} expected as the comment has it @param {string} actual
 */
export function compareLine(expected, actual) {
  const number = /[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;
  const shape = (/** @type {string} */ text) => text.replace(/…/g, '').replace(number, '#');
  const wrong = `printed "${actual}", expected "${expected}"`;
  if (shape(expected) !== shape(actual)) return wrong;
  const wanted = expected.match(number) ?? [];
  const found = actual.match(number) ?? [];
  const isNear = wanted.every((text, i) => {
    const [mantissa, exponent = '0'] = text.replace('−', '-').split('e');
    const digits = mantissa.split('.')[1]?.length ?? 0;
    // an integer is what it is; in the last of decimals there may be one more or less
    const isInteger = digits === 0 && exponent === '0';
    const unit = isInteger ? 0 : 10 ** (Number(exponent) - digits);
    const value = Number(found[i].replace('−', '-'));
    return Math.abs(value - Number(`${mantissa}e${exponent}`)) <= unit * (1 + 1e-9);
  });
  return isNear ? null : wrong;
}

/** Fails where something says what is printed and is not compared. @param {string} code */
function refuseArrows(code) {
  const line = code.split('\n').find((text) => text.includes('// → '));
  if (line)
    throw new Error(
      `only a whole line "console.log(…); // → text" of a block that runs is compared: ${line}`,
    );
}

/** @param {Block} block */
function toProgram({ code, before }) {
  /** @type {string[]} */
  const lines = [];
  const checked = code.replace(/^( *)console\.log\((.*)\); \/\/ → (.+)$/gm, (_, indent, args, expected) => {
    lines.push(expected.trim());
    return `${indent}__print(${lines.length - 1}, ${args});`;
  });
  refuseArrows(checked);
  const isProgram = /\bload\(/.test(code);
  const given = isProgram
    ? ''
    : `import { load } from 'cairn-physics';
       const cairn = await load({ threads: 1 });
       ${/\bconst world\b/.test(code) ? '' : 'const world = cairn.createWorld();'}`;
  const helpers = pathToFileURL(join(root, 'tests/node/doc_print.mjs'));
  const head = [
    `import { expectLines } from '${helpers}';`,
    `const __print = expectLines(${JSON.stringify(lines)});`,
  ].join('\n');
  return `${head}\n${given}\n${before}\n${checked}`;
}

/**
 * Runs a block in a process of its own.
 * @param {string} name of its file @param {Block} block
 * @returns {Promise<{ status: number | null, stdout: string, stderr: string }>}
 */
export function runBlock(name, block) {
  if (block.isPage) refuseArrows(block.code);
  // within the checkout the package is found by its own name
  const folder = join(root, 'build', 'docs_code');
  mkdirSync(folder, { recursive: true });
  const script = join(folder, `${name}_${process.pid}.mjs`);
  writeFileSync(script, block.isPage ? block.code : toProgram(block));
  const args = block.isPage ? ['--check', script] : [script];
  const child = spawn(process.execPath, args, { cwd: root, timeout: TIMEOUT });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  return new Promise((resolve) =>
    child.on('close', (status) => {
      rmSync(script);
      resolve({ status, stdout, stderr });
    }),
  );
}
