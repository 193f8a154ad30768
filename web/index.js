// cairn-physics in web pages, workers and bundlers.

import { loadWith } from './load.js';

export * from './exports.js';

/** @typedef {import('./load.js').GlueFactory} GlueFactory */

async function compileReaders() {
  const response = await fetch(new URL('./dist/cairn.readers.wasm', import.meta.url));
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  // not streaming, which wants a MIME type that some servers do not send
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Loads the engine.
 * @param {import('./load.js').LoadOptions} [options]
 * @returns {Promise<import('./cairn.js').Cairn>}
 */
export function load(options = {}) {
  return loadWith(
    {
      // bundlers follow literal paths only; the glue is made by the build, without types
      importSingle: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.st.web.mjs'));
        return /** @type {Promise<{ default: GlueFactory }>} */ (glue);
      },
      importThreaded: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.mt.web.mjs'));
        return /** @type {Promise<{ default: GlueFactory }>} */ (glue);
      },
      readers: { compile: compileReaders },
      cores: globalThis.navigator?.hardwareConcurrency ?? 1,
      canShare: globalThis.crossOriginIsolated === true && typeof Worker === 'function',
    },
    options,
  );
}
