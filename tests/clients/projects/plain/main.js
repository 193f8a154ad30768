import { load } from 'cairn-physics';
import { report, simulate } from './simulate.js';

report(await simulate(load));
