// cairn-physics in web pages, workers and bundlers.

// @ts-ignore made by the build, without types
import { addresses, createWorker } from './dist/cairn.files.js';
import { compileAddress } from './core/compile.js';
import { makeWorker, readScript } from './core/page_workers.js';
import { rejectSurplus } from './core/strict.js';
import { loadWith } from './load.js';

export * from './exports.js';

/** @typedef {import('./load.js').Glue} Glue */

/**
 * Vite's development server copies the modules of packages, but none of their other files, to a folder of its
 * own, from where the files are found in the package beside it.
 */
const viteCopies = /\/\.vite\/(?:vitest\/[^/]+\/)?deps\/(?=[^/]*$)/;
const inPackage = '/cairn-physics/web/dist/';

/** @param {import('./core/files.js').WasmName} name */
const locate = (name) => /** @type {string} */ (addresses[name]()).replace(viteCopies, inPackage);

/** @param {string} [url] that was given */
function findWorkerUrl(url) {
  if (url !== undefined) return url;
  try {
    const wasmUrl = addresses['cairn.mt.wasm']();
    if (viteCopies.test(wasmUrl)) return new URL('cairn.mt.worker.js', locate('cairn.mt.wasm')).href;
  } catch {
    // the script is no module: where it is cannot be known
  }
  return undefined;
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
      // bundlers follow literal paths only; the glue is made by the build, without types
      importSingle: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.st.web.js'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      importThreaded: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.mt.web.js'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      locate,
      resolve: (address) => new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href).href,
      compile: compileAddress,
      createWorker: (url) => makeWorker(createWorker, findWorkerUrl(url)),
      findScript: (url) => findWorkerUrl(url) ?? readScript(createWorker)?.url,
      cores: globalThis.navigator?.hardwareConcurrency ?? 1,
      canShare: globalThis.crossOriginIsolated === true && typeof Worker === 'function',
    },
    options,
  );
}
