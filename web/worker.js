// cairn-physics/worker in pages: the engine in a worker of its own, so that a long step costs the page no
// frame.

import { findMoved, isForeign, resolveAddress } from './addresses.js';
import { makeWorker } from './core/page_workers.js';
import { loadThrough, workerFailed } from './worker/load_in_worker.js';

export { Mirror } from './worker/mirror.js';
export { RemoteError } from './worker/client.js';

/** @typedef {import('./worker/load_in_worker.js').RemoteCairn} RemoteCairn */
/** @typedef {import('./worker/load_in_worker.js').RemoteWorld} RemoteWorld */
/** @template T @typedef {import('./worker/load_in_worker.js').Remote<T>} Remote */

/**
 * Loads the engine in a worker. The interface is that of load(), with promises where an answer is needed.
 * @param {import('./worker/load_in_worker.js').WorkerOptions<Worker>} [options]
 * @returns {Promise<RemoteCairn>}
 */
export async function loadInWorker({ worker, ...options } = {}) {
  // as bundlers follow it
  const create = () =>
    new Worker(new URL('./worker/host.js', import.meta.url), { type: 'module', name: 'cairn-host' });
  const own = worker ?? makeWorker(create, findMoved('worker/host.js'), isForeign());
  return loadThrough(
    {
      post: (message, transfer) => own.postMessage(message, transfer ?? []),
      listen: (receive, fail) => {
        own.addEventListener('message', (event) => receive(event.data));
        own.addEventListener('error', (event) => {
          event.preventDefault();
          fail(workerFailed(event.message ?? 'its script is missing or is not served as JavaScript'));
        });
        own.addEventListener('messageerror', () => fail(workerFailed('a message could not be read')));
      },
      end: () => own.terminate(),
    },
    options,
    resolveAddress,
  );
}
