// A web host that is set up wrongly in one point: what the checkout's own server answers, changed.

import { createServer } from 'node:http';
import { serve } from '../../demo/server.mjs';
import { root } from './chromium.mjs';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Map<string, string>} headers in lower case
 * @property {Buffer} body
 *
 * Changes an answer in place; returns false where none is to be given, ever.
 * @typedef {(request: { path: string, purpose: string }, answer: Answer) => boolean | void} Fault
 */

/**
 * @param {{ isolate?: boolean }} [options] of the server behind
 * @returns {Promise<{ url: string, setFault: (fault: Fault) => void, close: () => Promise<void> }>}
 */
export async function serveFaulty({ isolate = true } = {}) {
  const inner = await serve({ root, isolate });
  /** @type {Fault} */
  let fault = () => {};
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const found = await fetch(new URL(path, inner.url));
    const answer = {
      status: found.status,
      headers: new Map(found.headers),
      body: Buffer.from(await found.arrayBuffer()),
    };
    for (const name of ['content-length', 'etag', 'connection', 'keep-alive']) answer.headers.delete(name);
    answer.headers.set('cache-control', 'no-store');
    // 'worker' for a worker's script, 'script' for an import
    const purpose = String(request.headers['sec-fetch-dest']);
    if (fault({ path, purpose }, answer) === false) return;
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(answer.body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    setFault: (value) => {
      fault = value;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await inner.close();
    },
  };
}
