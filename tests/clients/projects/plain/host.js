import { loadInWorker } from './node_modules/cairn-physics/web/worker.js';
import { report, simulateInWorker } from './simulate.js';

report(await simulateInWorker(loadInWorker));
