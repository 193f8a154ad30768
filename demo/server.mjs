// The demo's own small web server: static files of a folder, with the headers that shared memory needs.
//
//   node demo/server.mjs [--port n]
//
// Only this machine can reach it. Nothing outside the root is served, nor any file or folder whose name
// begins with a dot.

import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;

/** By file name extension. */
export const MIME_TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.map', 'application/json; charset=utf-8'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.png', 'image/png'],
  ['.webp', 'image/webp'],
  ['.jpg', 'image/jpeg'],
  ['.svg', 'image/svg+xml'],
  ['.ico', 'image/x-icon'],
]);

/** A page with the first two is "cross-origin isolated": it gets SharedArrayBuffer and fine timers. */
export const ISOLATION_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The file a request path names, or null where it names none that may be served.
 *
 * @param {string} root absolute path of the folder served
 * @param {string} requestPath the path part of a URL, still percent-encoded
 * @returns {string | null}
 */
export function resolvePath(root, requestPath) {
  let decoded;
  try {
    decoded = decodeURIComponent(requestPath);
  } catch {
    return null;
  }
  if (decoded.includes('\0') || decoded.includes('\\')) return null;
  const segments = decoded.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment.startsWith('.'))) return null;
  return path.join(root, ...segments);
}

/**
 * Serves a folder on a free or given port of this machine.
 *
 * @param {{ root: string, port?: number, isolate?: boolean, mounts?: Record<string, string> }} options `port`
 *   0: any free one; `isolate` false leaves out the headers that give a page shared memory, as on most web
 *   hosts; `mounts` has folders elsewhere by the paths that they appear at, as in `/box3d/`
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `url` ends with a slash. Rejects when
 *   the port is taken.
 */
export function serve({ root, port = 0, isolate = true, mounts = {} }) {
  const folders = Object.entries({ ...mounts, '/': root });
  const commonHeaders = {
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    ...(isolate ? ISOLATION_HEADERS : {}),
  };
  const server = createServer((request, response) => {
    answer(folders, commonHeaders, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500, commonHeaders);
      response.end();
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      const address = /** @type {import('node:net').AddressInfo} */ (server.address());
      const close = () =>
        new Promise((/** @type {(value: void) => void} */ closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ url: `http://${HOST}:${address.port}/`, close });
    });
  });
}

/**
 * @param {[prefix: string, folder: string][]} folders the first whose prefix fits has the file
 * @param {Record<string, string>} headers
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(folders, headers, request, response) {
  const finish = (/** @type {number} */ status, /** @type {string} */ text, more = {}) => {
    response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8', ...more });
    response.end(request.method === 'HEAD' ? undefined : text);
  };

  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return finish(405, 'only GET and HEAD are answered\n', { allow: 'GET, HEAD' });
  }
  const [requestPath = '/', query] = (request.url ?? '/').split('?', 2);

  const [prefix, folder] = folders.find(([start]) => requestPath.startsWith(start)) ?? ['', ''];
  const named = folder === '' ? null : resolvePath(path.resolve(folder), requestPath.slice(prefix.length));
  if (named === null) return finish(404, 'not found\n');
  let file = named;
  let info = await stat(file).catch(() => null);

  // a folder is its index page, and its address ends with a slash so that relative links work
  if (info?.isDirectory()) {
    if (!requestPath.endsWith('/')) {
      return finish(301, '', { location: `/${requestPath.replace(/^\/+/, '')}/${query ? `?${query}` : ''}` });
    }
    file = path.join(file, 'index.html');
    info = await stat(file).catch(() => null);
  }
  if (!info?.isFile()) {
    if (requestPath === '/') return finish(302, '', { location: '/demo/' });
    return finish(404, 'not found\n');
  }

  // unchanged files are not sent again
  const etag = `"${info.size.toString(16)}-${Math.trunc(info.mtimeMs).toString(16)}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { ...headers, etag });
    response.end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    etag,
    'content-type': MIME_TYPES.get(path.extname(file).toLowerCase()) ?? 'application/octet-stream',
    'content-length': info.size,
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

/** @param {string[]} argv */
async function main(argv) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  // the documentation, where `npm run docs` has built it
  const docs = path.join(root, 'build', 'docs');
  /** @type {Record<string, string>} */
  const mounts = existsSync(docs) ? { '/docs/': docs } : {};
  const [option, value, ...rest] = argv;
  const asked = Number(value);
  const validPort =
    option === '--port' && Number.isInteger(asked) && asked >= 0 && asked < 65536 && rest.length === 0;
  if (option !== undefined && !validPort) {
    console.error('usage: node demo/server.mjs [--port n]');
    process.exitCode = 2;
    return;
  }

  // the usual port may be taken, then any will do; one that was asked for must be had
  const started = await (option === undefined
    ? serve({ root, mounts, port: DEFAULT_PORT }).catch(() => serve({ root, mounts }))
    : serve({ root, mounts, port: asked }));
  console.log(`${started.url}demo/`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((/** @type {Error} */ error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
