// The script of a worker that runs the engine for its owner: cairn-physics/worker/serve in Node.

import { parentPort } from 'node:worker_threads';
import * as engine from '../index.node.js';
import { serveThrough } from './serve_through.js';

/**
 * As in pages.
 * @param {import('./server.js').Functions} [functions]
 * @returns {import('./serve_through.js').Served}
 */
export function serve(functions = {}) {
  if (parentPort === null) throw new Error('serve() is for workers');
  const port = parentPort;
  return serveThrough(engine, functions, {
    post: (message, transfer) => port.postMessage(message, transfer ?? []),
    listen: (receive) => port.on('message', receive),
  });
}
