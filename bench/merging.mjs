// Times a step of a truck with 1,000 rocks that ride on it, merged and not, in one run.
//
//   npm run bench:merging -- [rounds]
//
// Both worlds begin from one state; rounds of 60 steps alternate, so that a machine that is busy for a while
// is busy for both. Printed are medians of a round's mean step, and bodies that the solver has.
import { load } from '../web/index.node.js';
import { makeTruck } from '../tests/shared/truck.mjs';
import { median } from './median.mjs';

const STEPS = 60;
const rounds = Number(process.argv[2] ?? 9);

const cairn = await load({ flavour: 'st' });
const { world } = makeTruck(cairn);
while (world.getCounters().solverBodies > 0) world.step();
const settled = world.time;
for (let step = 0; step < 60; ++step) world.step();
const free = cairn.restoreWorld(world.save());
free.setMergeSplit(false);

const times = { merged: [], free: [] };
for (let round = 0; round < rounds; ++round) {
  for (const [name, each] of Object.entries({ merged: world, free })) {
    const begin = performance.now();
    for (let step = 0; step < STEPS; ++step) each.step();
    times[name].push((performance.now() - begin) / STEPS);
  }
}
const [merged, alone] = [median(times.merged), median(times.free)];
console.log(`settled after ${settled.toFixed(1)} s`);
console.log(
  `merged: ${merged.toFixed(3)} ms a step, ${world.getCounters().solverBodies} bodies to solve for`,
);
console.log(`not merged: ${alone.toFixed(3)} ms a step, ${free.getCounters().solverBodies} bodies`);
console.log(`${(alone / merged).toFixed(1)} times as fast`);
cairn.dispose();
