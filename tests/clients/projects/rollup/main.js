import { load } from 'cairn-physics';
import { report, simulate } from './simulate.js';

simulate(load).then(report);
