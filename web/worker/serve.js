// The script of a worker that runs the engine for its page: cairn-physics/worker/serve in pages.

import * as engine from '../index.js';
import { serveThrough } from './serve_through.js';

/**
 * Makes this worker one that loadInWorker({ worker }) of its page can use. Functions given can be run from
 * the page by `cairn.run(name, …values)`; they are called with the worker's own `cairn` and the values, and
 * may return anything that the interface has: worlds and bodies become remote ones in the page.
 * @param {import('./server.js').Functions} [functions]
 * @returns {import('./serve_through.js').Served}
 */
export function serve(functions = {}) {
  const scope = /** @type {any} */ (globalThis);
  return serveThrough(engine, functions, {
    post: (message, transfer) => scope.postMessage(message, transfer ?? []),
    listen: (receive) => {
      scope.onmessage = (/** @type {MessageEvent} */ event) => receive(event.data);
    },
  });
}
