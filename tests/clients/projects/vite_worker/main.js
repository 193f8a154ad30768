import { report } from './simulate.js';

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onerror = ({ message }) => {
  report({ error: `the worker: ${message}` });
};
