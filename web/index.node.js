// cairn-physics in Node.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compileAddress, compileBytes } from './core/compile.js';
import { rejectSurplus } from './core/strict.js';
import { loadWith } from './load.js';

export * from './exports.js';
export { readLibraryFolder } from './library_folder.js';

/** @typedef {import('./load.js').Glue} Glue */

const addresses = {
  'cairn.st.wasm': () => new URL('./dist/cairn.st.wasm', import.meta.url).href,
  'cairn.mt.wasm': () => new URL('./dist/cairn.mt.wasm', import.meta.url).href,
  'cairn.readers.wasm': () => new URL('./dist/cairn.readers.wasm', import.meta.url).href,
};

const workerUrl = () => new URL('./dist/cairn.mt.worker.node.js', import.meta.url).href;

/** An address, or a path of a file. @param {string} address */
function toUrl(address) {
  if (!isAbsolute(address) && /^[a-z][a-z0-9+.-]+:/i.test(address)) return address;
  return pathToFileURL(resolve(address)).href;
}

/** @param {string} url */
async function compile(url) {
  if (!url.startsWith('file:')) return compileAddress(url);
  const bytes = await readFile(new URL(url)).catch((error) => {
    throw new Error(`${url} cannot be read: ${error.code ?? error.message}`, { cause: error });
  });
  return compileBytes(url, bytes);
}

/**
 * Loads the engine.
 * @param {import('./load.js').LoadOptions} [options]
 * @returns {Promise<import('./objects/cairn.js').Cairn>}
 */
export async function load(options = {}) {
  rejectSurplus('load', arguments, 1);
  return loadWith(
    {
      // the glue is made by the build, without types
      importSingle: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.st.node.js'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      importThreaded: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.mt.node.js'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      locate: (name) => addresses[name](),
      resolve: toUrl,
      compile,
      // Node's readers need not be waited for
      compileNow: (url) =>
        url.startsWith('file:') ? new WebAssembly.Module(readFileSync(new URL(url))) : undefined,
      createWorker: (url) => new Worker(new URL(url ?? workerUrl()), { name: 'cairn' }),
      findScript: (url) => url ?? workerUrl(),
      cores: availableParallelism(),
      canShare: true,
    },
    options,
  );
}
