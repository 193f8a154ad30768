// A tower of a thousand boxes that a ball strikes, with and without merging, and what came of it.

import assert from 'node:assert/strict';

const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * 10 × 10 × 10 boxes, a ball that comes for their middle.
 * @param {any} cairn
 * @param {boolean} mergeSplit
 * @param {number} y m, where the ball flies
 */
function strikeTower(cairn, mergeSplit, y) {
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

/**
 * Who falls where is chance: a ball that comes a centimetre beside moves a tenth more boxes or less, and
 * throws 5 or 31 farther than a metre, with and without merging. So it is the means of some blows that agree.
 * @param {any} cairn
 * @param {boolean} mergeSplit
 * @param {number[]} places m, where balls fly
 * @param {(line: string) => void} say
 */
export function strikeTowers(cairn, mergeSplit, places, say) {
  const name = mergeSplit ? 'merged' : 'plain';
  const runs = places.map((y) => strikeTower(cairn, mergeSplit, y));
  for (const run of runs) {
    assert.equal(run.standing, mergeSplit ? 0 : 1000);
    assert.ok(run.under > 0.2, 'no box is in the ground');
    say(`${name}: ${showTower(run)}; ${run.after} bodies to solve for at the end`);
  }
  const means = Object.fromEntries(TOWER_READINGS.map((key) => [key, mean(runs.map((run) => run[key]))]));
  say(`${name}, means: ${showTower(means)}`);
  const squares = runs.map((run) => (run.moved - means.moved) ** 2);
  const error = Math.sqrt(mean(squares) / (runs.length - 1));
  return { ...means, error };
}

/**
 * As many boxes moved, to a tenth and twice the standard error of the difference of two means; the heap is as
 * high, and the lower half stands.
 */
export function compareTowers(merged, plain) {
  const chance = 2 * Math.hypot(merged.error, plain.error);
  const difference = Math.abs(merged.moved - plain.moved);
  assert.ok(difference < 0.1 * plain.moved + chance, `${difference} boxes more or less, chance ${chance}`);
  assert.ok(Math.abs(merged.height - plain.height) < 0.02 * plain.height, 'the heap is as high');
  assert.ok(merged.lowest < 0.05 * 500, 'the lower half stands');
}
