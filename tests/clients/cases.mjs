// The cases: how a client uses the package. Each is run with a page that is cross-origin isolated, where
// threads are expected, and with one that is not.

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} project folder of projects/ that is copied
 * @property {string[]} packages from versions.json, beside the package itself
 * @property {string[]} [build] commands, run one after the other
 * @property {(port: number) => string} [serve] command of a server of the client's own
 * @property {string} [folder] of the project, to serve by itself
 * @property {string} [page] path and query
 * @property {Record<string, string>} [headers] of every answer
 * @property {Record<string, string>} [mimeTypes] that the server sends, by file name extension
 * @property {boolean} [isForeign] whether the package is on another origin
 * @property {boolean} [isOffline] whether the server is gone when it counts
 * @property {boolean} [isShort] whether it is part of `npm test`
 * @property {import('./browsers.mjs').BrowserName} [browser] Chromium
 */

const contentPolicy = (text) => ({ 'content-security-policy': text });
const strict = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:";
const trusted = `${strict}; require-trusted-types-for 'script'; trusted-types cairn-physics`;

/** @type {Case[]} */
const plain = [
  { name: 'import map', project: 'plain', packages: [], isShort: true },
  { name: 'worker', project: 'plain', packages: [], page: 'worker.html', isShort: true },
  {
    name: 'wasm without its MIME type',
    project: 'plain',
    packages: [],
    mimeTypes: { '.wasm': 'application/octet-stream' },
  },
  {
    name: 'strict Content-Security-Policy',
    project: 'plain',
    packages: [],
    page: 'by_address.html',
    headers: contentPolicy(strict),
    isShort: true,
  },
  {
    name: 'trusted types',
    project: 'plain',
    packages: [],
    page: 'by_address.html',
    headers: contentPolicy(trusted),
    isShort: true,
  },
  {
    name: 'another origin',
    project: 'plain',
    packages: [],
    page: 'foreign.html',
    isForeign: true,
    isShort: true,
  },
  { name: 'engine in a worker', project: 'plain', packages: [], page: 'host.html', isShort: true },
  {
    name: 'engine in a worker, trusted types',
    project: 'plain',
    packages: [],
    page: 'host.html',
    headers: contentPolicy(trusted),
  },
  {
    name: 'engine in a worker, another origin',
    project: 'plain',
    packages: [],
    page: 'host_foreign.html',
    isForeign: true,
  },
  { name: 'offline', project: 'plain', packages: [], page: 'offline.html', isOffline: true },
];

/** What needs no bundler, in another browser. @type {Case[]} */
const inFirefox = plain.map((item) => ({
  ...item,
  name: `firefox, ${item.name}`,
  browser: /** @type {const} */ ('firefox'),
  isShort: false,
}));

/** @type {Case[]} */
const bundled = [
  {
    name: 'esbuild',
    project: 'esbuild',
    packages: ['esbuild'],
    // fields as older browsers take them
    build: [
      'npx esbuild main.js --bundle --format=esm --minify --supported:class-field=false --outdir=out',
      'npx cairn copy-files out',
      'cp index.html out/',
    ],
    folder: 'out',
    isShort: true,
  },
  {
    name: 'esbuild, split',
    project: 'esbuild',
    packages: ['esbuild'],
    build: [
      'npx esbuild main.js --bundle --format=esm --splitting --outdir=split --log-level=warning',
      'npx cairn copy-files split',
      'cp index.html split/',
    ],
    folder: 'split',
  },
  {
    name: 'esbuild, a script',
    project: 'esbuild',
    packages: ['esbuild'],
    build: [
      'npx esbuild script_main.js --bundle --format=iife --outfile=script/script.js --log-level=error',
      'npx cairn copy-files script',
      'cp script.html script/index.html',
    ],
    folder: 'script',
    isShort: true,
  },
  {
    name: 'rollup',
    project: 'rollup',
    packages: ['rollup', '@rollup/plugin-node-resolve'],
    build: ['npx rollup -c --silent', 'npx cairn copy-files out', 'cp index.html out/'],
    folder: 'out',
    isShort: true,
  },
  {
    name: 'webpack',
    project: 'webpack',
    packages: ['webpack', 'webpack-cli'],
    build: ['npx webpack', 'cp index.html out/'],
    folder: 'out',
  },
  {
    name: 'webpack, worker',
    project: 'webpack',
    packages: ['webpack', 'webpack-cli'],
    build: ['npx webpack', 'cp index.html out/'],
    folder: 'out',
    page: '?worker',
  },
  {
    name: 'webpack, engine in a worker',
    project: 'webpack_host',
    packages: ['webpack', 'webpack-cli'],
    build: ['npx webpack', 'cp index.html out/'],
    folder: 'out',
  },
  {
    name: 'parcel',
    project: 'parcel',
    packages: ['parcel'],
    build: ['npx parcel build index.html --dist-dir out --no-cache --log-level warn'],
    folder: 'out',
  },
  {
    // what a worker imports on demand, and has itself, Parcel 2.16 divides into scripts that do not find one
    // another: the package imports nothing so but its modules' glue
    name: 'parcel, worker',
    project: 'parcel',
    isShort: true,
    packages: ['parcel'],
    build: ['npx parcel build index.html --dist-dir out --no-cache --log-level warn'],
    folder: 'out',
    page: '?worker',
  },
];

/** @param {string} vite of versions.json @param {string} name @param {boolean} isShort @returns {Case[]} */
function viteCases(vite, name, isShort) {
  const program = `node node_modules/${vite}/bin/vite.js`;
  const packages = [vite];
  // docs/bundlers.md
  const config = vite === 'vite5' ? ' --config vite5.config.js' : '';
  const build = [`${program} build --logLevel warn`];
  const buildWorker = [`${program} build --logLevel warn${config}`];
  const dev = (port) => `${program} --port ${port} --strictPort --host 127.0.0.1`;
  const preview = (port) => `${program} preview --port ${port} --strictPort --host 127.0.0.1`;
  const inPage = { project: 'vite', packages };
  const inWorker = { project: 'vite_worker', packages };
  const host = { project: 'vite_host', packages };
  return [
    { ...inPage, name: `${name}, build`, build, folder: 'dist', isShort },
    { ...inPage, name: `${name}, preview`, build, serve: preview },
    { ...inPage, name: `${name}, dev`, serve: dev },
    { ...inWorker, name: `${name}, build, worker`, build: buildWorker, folder: 'dist' },
    { ...inWorker, name: `${name}, dev, worker`, serve: dev },
    { ...host, name: `${name}, build, engine in a worker`, build: buildWorker, folder: 'dist' },
    { ...host, name: `${name}, dev, engine in a worker`, serve: dev },
  ];
}

/** @param {string} bundler @returns {Case[]} */
function nextCases(bundler) {
  const project = 'next';
  const packages = ['next', 'react', 'react-dom'];
  return [
    {
      name: `next, ${bundler}, build`,
      project,
      packages,
      build: [`npx next build --${bundler}`],
      serve: (port) => `npx next start --port ${port}`,
    },
    {
      name: `next, ${bundler}, dev`,
      project,
      packages,
      serve: (port) => `npx next dev --${bundler} --port ${port}`,
    },
  ];
}

export const cases = [
  ...plain,
  ...inFirefox,
  ...bundled,
  ...viteCases('vite', 'vite 8', true),
  ...viteCases('vite5', 'vite 5', false),
  ...nextCases('turbopack'),
  ...nextCases('webpack'),
];
