// What is soft, or heavy, sinks in as far as its stiffness says, and bears: m g / n points of E/2 each, in a
// stack what lies above as well. At 4e8 Pa a box of 10 m, which weighs 1,000 t, sinks 12 mm.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';

const GRAVITY = 9.80665;
const DENSITY = 1000;

/** Boxes of a size, one on the other, s later; from a height between them. */
async function settle({ solver, size, count, stiffness, seconds, hz = 60, drop = 0 }) {
  const cairn = await getCairn('st', 1);
  const gravity = [0, 0, -GRAVITY];
  const world = cairn.createWorld({ gravity, sleep: false, solver, timeStep: 1 / hz });
  const material = world.createMaterial({ youngsModulus: stiffness, density: DENSITY, restitution: 0 });
  const half = [size / 2, size / 2, size / 2];
  const plane = { type: 'plane', normal: [0, 0, 1] };
  world.createGeometry({ shape: plane, material });
  const bodies = Array.from({ length: count }, (_, i) =>
    world.createBody({
      position: [0, 0, size * (i + 0.5) + drop * (i + 1)],
      geometries: [{ shape: { type: 'box', halfExtents: half }, material }],
    }),
  );
  for (let step = 0; step < hz * seconds; ++step) world.step();
  const [x, y, z] = bodies[count - 1].getPosition();
  const speed = Math.max(...bodies.map((body) => Math.hypot(...body.getVelocity())));
  world.dispose();
  return { sunk: size * (count - 0.5) - z, aside: Math.hypot(x, y), speed };
}

/** How far the topmost of them sinks, m: two materials in a row have half of one's stiffness. */
function expectedSink({ size, count, stiffness }) {
  const weight = DENSITY * size ** 3 * GRAVITY;
  return ((count * (count + 1)) / 2) * (weight / 4 / (stiffness / 2));
}

const cases = [
  { size: 1, count: 4, stiffness: 4e8 },
  { size: 10, count: 1, stiffness: 4e8 },
  { size: 10, count: 4, stiffness: 4e8 },
  { size: 20, count: 2, stiffness: 4e8 },
  { size: 1, count: 1, stiffness: 1e5 },
  { size: 1, count: 4, stiffness: 4e5 },
  { size: 0.2, count: 4, stiffness: 2e4 },
];

for (const solver of ['auto', 'iterative', 'direct', 'split']) {
  const isDirect = solver === 'direct' || solver === 'split';
  for (const one of cases) {
    const { size, count, stiffness } = one;
    test(`${count} × ${size} m at ${stiffness.toExponential()} Pa bear and rest, ${solver}`, async () => {
      const { sunk, aside, speed } = await settle({ solver, seconds: 10, ...one });
      const expected = expectedSink(one);
      // sweeps come to the last hundredths slowly, and sink by a millionth of the size of their own
      const error = Math.abs(sunk - expected) - (isDirect ? 0 : 3e-5 * size);
      assert.ok(error < (isDirect ? 5e-3 : 0.04) * expected, `sunk by ${sunk} m of ${expected}`);
      assert.ok(aside < (isDirect ? 1e-6 : 0.01) * size, `${aside} m aside`);
      assert.ok(speed < (isDirect ? 1e-4 : 0.02), `at ${speed} m/s`);
    });
  }
}

test('four large boxes sink by the area of their faces where that counts', async () => {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld({ gravity: [0, 0, -GRAVITY], sleep: false });
  const material = world.createMaterial({ density: DENSITY });
  world.createContactMaterial({ materials: [material, material], contactArea: { enabled: true } });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, material });
  const bodies = [0, 1, 2, 3].map((i) =>
    world.createBody({
      position: [0, 0, 10 * (i + 0.5)],
      geometries: [{ shape: { type: 'box', halfExtents: [5, 5, 5] }, material }],
    }),
  );
  for (let step = 0; step < 600; ++step) world.step();
  // points alone would let them sink by a hundred times that
  const sunk = bodies.map((body, i) => 10 * (i + 0.5) - body.getPosition()[2]);
  assert.ok(Math.max(...sunk) < 2e-3, `sunk by ${sunk} m`);
  world.dispose();
});

// What has struck is deeper than its load explains, and is taken out of that by moving it, and not by its
// springs, which would throw it up.
for (const solver of ['direct', 'split']) {
  for (const hz of [30, 60, 240]) {
    for (const one of [
      { size: 4, count: 1, stiffness: 4e7 },
      { size: 4, count: 2, stiffness: 1e8 },
      { size: 1, count: 1, stiffness: 2e5 },
    ]) {
      const { size, count, stiffness } = one;
      const kind = `${count} × ${size} m at ${stiffness.toExponential()} Pa`;
      test(`${kind} fall and rest, ${solver}, ${hz} Hz`, async () => {
        const found = await settle({ solver, seconds: 12, hz, drop: 0.3 * size, ...one });
        const expected = expectedSink(one);
        assert.ok(
          Math.abs(found.sunk - expected) < 5e-3 * expected,
          `sunk by ${found.sunk} m of ${expected}`,
        );
        assert.ok(found.speed < 1e-4, `at ${found.speed} m/s`);
      });
    }
  }
}
