// cairn-physics in web pages, workers and bundlers.

import { loadWith } from './load.js';

export * from './exports.js';

/** @typedef {import('./load.js').Glue} Glue */

/** @param {string | URL} url */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  // streaming wants a MIME type that some servers do not send
  const isNamed = /^application\/wasm\b/.test(response.headers.get('content-type') ?? '');
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

const compileReaders = () => compile(new URL('./dist/cairn.readers.wasm', import.meta.url));

/**
 * Loads the engine.
 * @param {import('./load.js').LoadOptions} [options]
 * @returns {Promise<import('./objects/cairn.js').Cairn>}
 */
export function load(options = {}) {
  return loadWith(
    {
      // bundlers follow literal paths only; the glue is made by the build, without types
      importSingle: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.st.web.mjs'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      importThreaded: () => {
        // @ts-ignore
        const glue = /** @type {unknown} */ (import('./dist/cairn.mt.web.mjs'));
        return /** @type {Promise<Glue>} */ (glue);
      },
      compile,
      readers: { compile: compileReaders },
      cores: globalThis.navigator?.hardwareConcurrency ?? 1,
      canShare: globalThis.crossOriginIsolated === true && typeof Worker === 'function',
    },
    options,
  );
}
