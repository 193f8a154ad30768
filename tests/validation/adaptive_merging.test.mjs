// Adaptive merging in large: a thousand rocks on a flatbed that drives and brakes, and a tower of a thousand
// boxes that a ball strikes, each beside the same world without merging.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from '../../web/index.node.js';
import { makeTruck } from '../shared/truck.mjs';

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

test('a truck: 1,000 rocks ride as one, and slide when it brakes as they do without merging', (t) => {
  const truck = makeTruck(cairn);
  const { world } = truck;
  let quiet = 0; // steps in a row
  for (; quiet < 60; quiet = world.getCounters().solverBodies < 20 ? quiet + 1 : 0) {
    world.step();
    assert.ok(world.time < 12, `${world.getCounters().solverBodies} bodies to solve for after 12 s`);
  }
  t.diagnostic(`the solver has fewer than 20 bodies from ${(world.time - 1).toFixed(1)} s on`);
  world.validate();
  const state = world.save();
  const start = brake(truck);
  assert.ok(start.most > 900, `only ${start.most} bodies split`);
  const left = world.getCounters().solverBodies;
  world.validate();
  const brakeWithoutMerging = (shift) => {
    world.restore(state);
    world.setMergeSplit(false);
    const [x, y, z] = truck.rocks[500].getPosition();
    if (shift > 0) truck.rocks[500].setPosition([x, y, z + shift]);
    return brake(truck).places;
  };
  const expected = brakeWithoutMerging(0);
  const gapsTo = (places) => expected.map((place, i) => distance(place, places[i]));
  const shareOf = (gaps) => gaps.filter((gap) => gap < 0.05).length / gaps.length;
  const gaps = gapsTo(start.places);
  const near = shareOf(gaps);
  const nearAnyhow = shareOf(gapsTo(brakeWithoutMerging(1e-6)));
  t.diagnostic(
    `${(100 * near).toFixed(1)} % of the rocks end within 5 cm of where they do without merging, ` +
      `the mean gap is ${(1000 * mean(gaps)).toFixed(1)} mm; ${left} bodies to solve for at the end`,
  );
  t.diagnostic(`without merging, one rock lifted by 1 µm: ${(100 * nearAnyhow).toFixed(1)} %`);
  assert.ok(near >= 0.95);
  assert.ok(left < 200, `${left}`);
  world.dispose();
});

/**
 * 10 × 10 × 10 boxes, a ball that comes for their middle.
 * @param {boolean} mergeSplit
 * @param {number} y m, where the ball flies
 */
function strikeTower(mergeSplit, y) {
  const world = cairn.createWorld({ sleep: false, mergeSplit });
  const wood = world.createMaterial({ density: 500 });
  world.createContactMaterial({ materials: [wood, wood], friction: 0.5, restitution: 0.1 });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, material: wood });
  const shape = world.createShape({ type: 'box', halfExtents: [0.25, 0.25, 0.25] });
  const boxes = Array.from({ length: 1000 }, (_, k) => {
    const [i, j, layer] = [k % 10, Math.floor(k / 10) % 10, Math.floor(k / 100)];
    const position = [0.51 * (i - 4.5), 0.51 * (j - 4.5), 0.25 + 0.5 * layer];
    return world.createBody({ position, geometries: [{ shape, material: wood }] });
  });
  for (let step = 0; step < 120; ++step) world.step();
  const standing = world.getCounters().solverBodies;
  const places = boxes.map((box) => box.getPosition());
  world.createBody({
    position: [-6, y, 3.2],
    velocity: [25, 0, 2],
    mass: 400,
    fast: true,
    geometries: [{ shape: { type: 'sphere', radius: 0.4 }, material: wood }],
  });
  for (let step = 0; step < 300; ++step) world.step();
  const moved = boxes.map((box, i) => distance(box.getPosition(), places[i]));
  const heights = boxes.map((box) => box.getPosition()[2]);
  const result = {
    standing,
    after: world.getCounters().solverBodies,
    moved: moved.filter((way) => way > 0.1).length,
    lowest: boxes.slice(0, 500).filter((_, i) => moved[i] > 0.1).length,
    height: mean(heights),
    far: moved.filter((way) => way > 1).length,
    under: Math.min(...heights),
  };
  world.validate();
  world.dispose();
  return result;
}

const TOWER_READINGS = ['moved', 'far', 'lowest', 'height'];

const showTower = ({ moved, far, lowest, height }) =>
  `${moved.toFixed(0)} boxes moved, ${far.toFixed(1)} farther than 1 m, ` +
  `${lowest.toFixed(1)} of the lower half; mean height ${height.toFixed(3)} m`;

// Who falls where is chance: a ball that comes a centimetre beside moves a tenth more boxes or less, and
// throws 5 or 18 farther than a metre, with and without merging. So it is the means of some blows that agree.
test('a tower of 1,000 boxes that a ball strikes falls as it does without merging', (t) => {
  const [plain, merged] = [false, true].map((mergeSplit) => {
    const name = mergeSplit ? 'merged' : 'plain';
    const runs = [-0.01, 0, 0.01].map((y) => strikeTower(mergeSplit, y));
    for (const run of runs) {
      assert.equal(run.standing, mergeSplit ? 0 : 1000);
      assert.ok(run.under > 0.2, 'no box is in the ground');
      t.diagnostic(`${name}: ${showTower(run)}; ${run.after} bodies to solve for at the end`);
    }
    const means = Object.fromEntries(TOWER_READINGS.map((key) => [key, mean(runs.map((run) => run[key]))]));
    t.diagnostic(`${name}, means: ${showTower(means)}`);
    return means;
  });
  assert.ok(Math.abs(merged.moved - plain.moved) < 0.15 * plain.moved, 'as many boxes moved');
  assert.ok(Math.abs(merged.height - plain.height) < 0.02 * plain.height, 'the heap is as high');
  assert.ok(merged.lowest < 0.05 * 500, 'the lower half stands');
});
