import { load } from 'cairn-physics';
import { report, simulate } from './simulate.js';

const options = {
  wasmUrl: 'cairn.mt.wasm',
  workerUrl: 'cairn.mt.worker.js',
  readersUrl: 'cairn.readers.wasm',
};
if (!globalThis.crossOriginIsolated) options.wasmUrl = 'cairn.st.wasm';
simulate(load, options).then(report);
