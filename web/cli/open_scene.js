// Reads a scene file and loads it; what is wrong with it ends the command with status 2.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gatherFiles } from '../objects/assets.js';
import { CairnError } from '../core/errors.js';
import { load, readLibraryFolder } from '../index.node.js';
import { CliError } from './cli_error.js';

/**
 * @param {string} file
 * @param {number | undefined} threads the caller included; undefined: the default
 * @param {string | undefined} library folder of items to add
 * @returns {Promise<import('../objects/scene.js').Scene>}
 */
export async function openScene(file, threads, library) {
  const text = readBytes(file);
  const files = await gatherFiles(text, (name) => readIfThere(join(dirname(file), name)));
  const cairn = await load({ threads });
  await addLibrary(cairn, library);
  return orBad(file, () => cairn.loadScene(text, { files }));
}

/**
 * @param {import('../objects/cairn.js').Cairn} cairn
 * @param {string | undefined} folder nothing happens where undefined
 */
export async function addLibrary(cairn, folder) {
  if (folder === undefined) return;
  const items = await readLibraryFolder(folder).catch((error) => {
    throw new CliError(2, `--library ${folder}: cannot be read, ${String(error)}`);
  });
  orBad(`--library ${folder}`, () => cairn.addToLibrary(items));
}

/**
 * What a scene names and is not there, the engine reports with the place in the scene.
 * @param {string} file
 */
function readIfThere(file) {
  return existsSync(file) ? readBytes(file) : undefined;
}

/** @param {string} file @returns {Uint8Array} */
export function readBytes(file) {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(error);
    throw new CliError(2, `${file}: cannot be read, ${reason}`);
  }
}

/**
 * Turns what the engine refuses into an end with status 2.
 * @template T
 * @param {string} what was wrong: file or option
 * @param {() => T} task
 * @returns {T}
 */
export function orBad(what, task) {
  try {
    return task();
  } catch (error) {
    if (error instanceof CairnError) throw new CliError(2, `${what}: ${error.reason}`);
    throw error;
  }
}
