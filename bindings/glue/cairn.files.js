// Where the package's files are in a page. Bundlers follow `new URL('literal', import.meta.url)` and
// `new Worker(new URL('literal', import.meta.url), { literal })` alone, so each is written out. They are
// functions, since a script that is no module has no `import.meta.url`: there the address must be given.

export const addresses = {
  'cairn.st.wasm': () => new URL('./cairn.st.wasm', import.meta.url).href,
  'cairn.mt.wasm': () => new URL('./cairn.mt.wasm', import.meta.url).href,
  'cairn.readers.wasm': () => new URL('./cairn.readers.wasm', import.meta.url).href,
};

export const createWorker = () =>
  new Worker(new URL('./cairn.mt.worker.js', import.meta.url), { type: 'module', name: 'cairn' });
