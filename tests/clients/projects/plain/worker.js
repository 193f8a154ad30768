import { load } from './node_modules/cairn-physics/web/index.js';
import { report, simulate } from './simulate.js';

report(await simulate(load));
