import { loadInWorker } from 'cairn-physics/worker';
import { report, simulateInWorker } from './simulate.js';

simulateInWorker(loadInWorker).then(report);
