// Adaptive merging in large: a thousand rocks on a flatbed that drives and brakes, and a tower of a thousand
// boxes that a ball strikes, each beside the same world without merging.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from '../../web/index.node.js';
import { compareTowers, strikeTowers } from '../shared/struck_tower.mjs';
import { makeTruck, settle } from '../shared/truck.mjs';

/** @type {Awaited<ReturnType<typeof load>>} */
let cairn;
before(async () => {
  cairn = await load({ flavour: 'st' });
});
after(() => cairn.dispose());

const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Brakes by 5 m/s² from 8 m/s and waits; where the rocks are on the flatbed then. */
function brake({ world, bed, rocks }) {
  let speed = 8;
  let most = 0;
  for (let step = 0; step < 360; ++step) {
    speed = Math.max(0, speed - 5 / 60);
    bed.setVelocity([speed, 0, 0]);
    world.step();
    most = Math.max(most, world.getCounters().solverBodies);
  }
  const [x, y, z] = bed.getPosition();
  return { most, places: rocks.map((rock) => rock.getPosition().map((value, i) => value - [x, y, z][i])) };
}

/** Drives and brakes a heap: shares of its rocks that end within 5 cm of where they do without merging. */
function brakeHeap(scatter, t) {
  const truck = makeTruck(cairn, scatter);
  const { world } = truck;
  const settled = settle(world);
  world.validate();
  const state = world.save();
  const start = brake(truck);
  assert.ok(start.most > 900, `only ${start.most} bodies split`);
  const left = world.getCounters().solverBodies;
  assert.ok(left < 200, `${left}`);
  world.validate();
  const brakeWithoutMerging = (shift) => {
    world.restore(state);
    world.setMergeSplit(false);
    const [x, y, z] = truck.rocks[500].getPosition();
    if (shift > 0) truck.rocks[500].setPosition([x, y, z + shift]);
    return brake(truck).places;
  };
  const expected = brakeWithoutMerging(0);
  const shareOf = (places) => {
    const gaps = expected.map((place, i) => distance(place, places[i]));
    return gaps.filter((gap) => gap < 0.05).length / gaps.length;
  };
  const near = shareOf(start.places);
  const nearAnyhow = shareOf(brakeWithoutMerging(1e-6));
  t.diagnostic(
    `the solver has fewer than 20 bodies from ${settled.toFixed(1)} s on, ${left} at the end; ` +
      `${(100 * near).toFixed(1)} % of the rocks end within 5 cm of where they do without merging, ` +
      `${(100 * nearAnyhow).toFixed(1)} % without merging where one rock is lifted by 1 µm`,
  );
  world.dispose();
  return { near, nearAnyhow };
}

// Where a heap slides it is chaotic: of 26 heaps that begin micrometres apart 23 had 95 % of their rocks
// within 5 cm, the others 94, 94 and 89 %. So the mean of four is asked.
test('a truck: 1,000 rocks ride as one, and slide when it brakes as they do without merging', (t) => {
  const shares = [0, 1e-6, 2e-6, 5e-6].map((scatter) => brakeHeap(scatter, t));
  const near = mean(shares.map((share) => share.near));
  t.diagnostic(`${(100 * near).toFixed(1)} % in the mean`);
  assert.ok(near >= 0.95);
  assert.ok(near > mean(shares.map((share) => share.nearAnyhow)));
});

test('a tower of 1,000 boxes that a ball strikes falls as it does without merging', (t) => {
  const [plain, merged] = [false, true].map((mergeSplit) =>
    strikeTowers(cairn, mergeSplit, [-0.02, -0.01, 0, 0.01, 0.02], (line) => t.diagnostic(line)),
  );
  compareTowers(merged, plain);
});
