// cairn-physics/worker in Node.

import { Worker } from 'node:worker_threads';
import { loadThrough, workerFailed } from './worker/load_in_worker.js';

export { Mirror } from './worker/mirror.js';
export { RemoteError } from './worker/client.js';

/**
 * As in pages. The worker keeps no script from ending.
 * @param {import('./worker/load_in_worker.js').WorkerOptions<Worker>} [options]
 * @returns {Promise<import('./worker/load_in_worker.js').RemoteCairn>}
 */
export async function loadInWorker({ worker, ...options } = {}) {
  const own = worker ?? new Worker(new URL('./worker/host.node.js', import.meta.url));
  return loadThrough(
    {
      post: (message, transfer) => own.postMessage(message, transfer ?? []),
      listen: (receive, fail) => {
        own.on('message', receive);
        own.on('error', (error) => fail(workerFailed(error.message)));
        own.on('exit', (status) => fail(workerFailed(`it ended with status ${status}`)));
      },
      end: () => own.terminate(),
      hold: (isWaited) => (isWaited ? own.ref() : own.unref()),
    },
    options,
    (address) => address,
  );
}
