// Where the result goes.

import { once } from 'node:events';
import { accessSync, constants, createWriteStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from './cli_error.js';

/**
 * Says before a long run that its result could not be written.
 * @param {string | undefined} file
 * @param {string} option that names it
 */
export function checkOutput(file, option = '--out') {
  if (file === undefined) return;
  try {
    if (existsSync(file)) {
      if (statSync(file).isDirectory()) throw new Error('it is a folder');
      accessSync(file, constants.W_OK);
    } else {
      accessSync(dirname(file), constants.W_OK);
    }
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const reason =
      code === 'ENOENT'
        ? 'there is no such folder'
        : code === 'EACCES'
          ? 'it may not be written to'
          : message;
    throw new CliError(2, `${option} ${file}: cannot be written, ${reason}`);
  }
}

/**
 * @param {string | undefined} file nothing happens where undefined
 * @param {string} option that names it
 * @param {() => Uint8Array} getBytes
 */
export function writeBytes(file, option, getBytes) {
  if (file === undefined) return;
  try {
    writeFileSync(file, getBytes());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(2, `${option} ${file}: cannot be written, ${reason}`);
  }
}

/**
 * Writes pieces one after the other, no faster than they are taken.
 * @param {string | undefined} file standard output where undefined
 * @param {Iterable<Uint8Array | string>} pieces
 */
export async function writeOutput(file, pieces) {
  const stream = file === undefined ? process.stdout : createWriteStream(file);
  try {
    for (const piece of pieces) {
      if (!stream.write(piece)) await once(stream, 'drain');
    }
    if (stream !== process.stdout) {
      stream.end();
      await once(stream, 'finish');
    }
  } catch (error) {
    if (file === undefined) throw error;
    throw new CliError(
      2,
      `--out ${file}: cannot be written, ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
