// cairn-physics in Node.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { loadWith } from './load.js';

export * from './exports.js';
export { readLibraryFolder } from './library_folder.js';

/** @typedef {import('./load.js').Glue} Glue */

const compileReaders = () =>
  new WebAssembly.Module(readFileSync(new URL('./dist/cairn.readers.wasm', import.meta.url)));

/**
 * Loads the engine.
 * @param {import('./load.js').LoadOptions} [options]
 * @returns {Promise<import('./objects/cairn.js').Cairn>}
 */
export function load(options = {}) {
  return loadWith(
    {
      // the glue is made by the build, without types
      importSingle: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.st.node.mjs'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      importThreaded: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.mt.node.mjs'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      compile: async (url) => WebAssembly.compile(await readFile(new URL(url))),
      readers: { compile: async () => compileReaders(), compileNow: compileReaders },
      cores: availableParallelism(),
      canShare: true,
    },
    options,
  );
}
