// cairn-physics in web pages, workers and bundlers.

import { createThread, findMoved, isForeign, locate, resolveAddress } from './addresses.js';
import { compileAddress } from './core/compile.js';
import { makeWorker, readScript } from './core/page_workers.js';
import { rejectSurplus } from './core/strict.js';
import { loadWith } from './load.js';

export * from './exports.js';

/** @typedef {import('./load.js').Glue} Glue */

/** @param {string} [url] that was given */
const findThreadScript = (url) => url ?? findMoved('dist/cairn.mt.worker.js');

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
      resolve: resolveAddress,
      compile: compileAddress,
      createWorker: (url) => makeWorker(createThread, findThreadScript(url), isForeign()),
      findScript: (url) => findThreadScript(url) ?? readScript(createThread)?.url,
      cores: globalThis.navigator?.hardwareConcurrency ?? 1,
      canShare: globalThis.crossOriginIsolated === true && typeof Worker === 'function',
    },
    options,
  );
}
