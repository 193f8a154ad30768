// A server before a client's pages: files of a folder, or another server (a bundler's own). It adds the
// headers of a case and counts what is asked for.

import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createServer, request as ask } from 'node:http';
import { connect } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MIME_TYPES } from '../../demo/server.mjs';

/** Gzipped bodies by their hashes: compressing takes longer than sending. @type {Map<string, Buffer>} */
const packedBodies = new Map();

/** @param {Buffer} body */
function pack(body) {
  const hash = createHash('sha256').update(body).digest('base64');
  const packed = packedBodies.get(hash) ?? gzipSync(body, { level: 9 });
  packedBodies.set(hash, packed);
  return packed;
}

/**
 * @param {object} options
 * @param {string} [options.folder] to serve files of
 * @param {number} [options.upstream] port of a server to pass everything on to
 * @param {Record<string, string>} [options.headers] added to every answer
 * @param {Record<string, string>} [options.mimeTypes] by file name extension, instead of the usual ones
 * @param {boolean} [options.compress] whether files are sent gzipped
 */
export async function openFront({ folder, upstream, headers = {}, mimeTypes = {}, compress = false }) {
  /** @type {{ path: string, bytes: number }[]} gzipped bytes of each file that was sent */
  const sent = [];

  /** @param {string} path @param {number} status @param {Record<string, any>} own @param {Buffer} body */
  const answer = (response, path, status, own, body) => {
    const packed = pack(body);
    if (status === 200) sent.push({ path, bytes: packed.length });
    const encoding = compress ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(status, { ...own, ...headers, ...encoding });
    response.end(compress ? packed : body);
  };

  const serveFile = async (path, response) => {
    const file = join(folder ?? '.', normalize(decodeURIComponent(path)));
    const found = await stat(file).catch(() => null);
    const target = found?.isDirectory() ? join(file, 'index.html') : file;
    const body = await readFile(target).catch(() => null);
    if (!body) return answer(response, path, 404, { 'content-type': 'text/plain' }, Buffer.from('not found'));
    const extension = extname(target);
    const type = mimeTypes[extension] ?? MIME_TYPES.get(extension) ?? 'application/octet-stream';
    answer(response, path, 200, { 'content-type': type, 'cache-control': 'no-cache' }, body);
  };

  const passOn = (request, response, path) => {
    const options = {
      host: '127.0.0.1',
      port: upstream,
      method: request.method,
      path: request.url,
      headers: { ...request.headers, host: `localhost:${upstream}`, 'accept-encoding': 'identity' },
    };
    const onward = ask(options, (found) => {
      const parts = [];
      found.on('data', (part) => parts.push(part));
      found.on('end', () => {
        const own = { ...found.headers };
        for (const name of ['transfer-encoding', 'content-length', 'connection']) delete own[name];
        answer(response, path, found.statusCode, own, Buffer.concat(parts));
      });
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };

  const server = createServer((request, response) => {
    const path = request.url.split('?')[0];
    if (upstream !== undefined) passOn(request, response, path);
    else serveFile(path, response).catch(() => response.destroy());
  });
  // a development server talks to its page by a socket
  server.on('upgrade', (request, socket, head) => {
    if (upstream === undefined) return socket.destroy();
    const onward = connect(upstream, '127.0.0.1', () => {
      const { origin: _origin, ...kept } = request.headers;
      const lines = Object.entries({ ...kept, host: `localhost:${upstream}` });
      const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${text}\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    // a page on localhost is trusted as one by https is: it may be isolated and have service workers
    url: `http://localhost:${port}`,
    sent,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
