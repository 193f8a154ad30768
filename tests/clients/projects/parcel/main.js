import { load } from 'cairn-physics';
import { report, simulate } from './simulate.js';

const isInWorker = new URL(location.href).searchParams.has('worker');
if (isInWorker) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onerror = ({ message }) => {
    report({ error: `the worker: ${message}` });
  };
} else {
  simulate(load).then(report);
}
