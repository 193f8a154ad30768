// Overlaps that are found in piles are taken out, however little the bodies weigh that are pressed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { measure, ROW } from '../../bench/yardstick/metrics.mjs';
import { load as loadAdapter } from '../../bench/yardstick/adapters/cairn.mjs';
import { scenes } from '../../bench/yardstick/scenes.mjs';
import { load } from '../../web/index.node.js';

const ROOT = new URL('../../', import.meta.url);

/** Overlaps after so many steps of a scene of the yardstick, with all that moves shifted, m. */
async function overlapsAfter(steps, name, shift = 0) {
  const scene = scenes[name]();
  for (const body of scene.bodies) if (!body.fixed) body.position[0] += shift;
  const engine = await loadAdapter('cairn', { cairn: ROOT });
  const world = engine.world({ gravity: scene.gravity, dt: scene.dt });
  for (const body of scene.bodies) world.addBody(body);
  for (let step = 0; step < steps; ++step) world.step();
  const poses = new Float32Array(scene.bodies.length * ROW);
  world.read(poses);
  world.free();
  return measure(scene, poses);
}

/** A world with a way to add a cube of 1,000 kg/m³ to it: motion, centre and half of an edge, m. */
async function worldOfCubes() {
  const cairn = await load();
  const world = cairn.createWorld({ gravity: [0, 0, -9.81], timeStep: 1 / 60 });
  const material = world.createMaterial({ density: 1000 });
  const addCube = (motion, position, half) =>
    world.createBody({
      motion,
      position,
      geometries: [{ shape: { type: 'box', halfExtents: [half, half, half] }, material }],
    });
  addCube('static', [0, 0, -5], 5);
  return { world, addCube };
}

test('a box of 125 kg comes out of the ground under 8 boxes of a tonne', async () => {
  const { world, addCube } = await worldOfCubes();
  const light = addCube('dynamic', [0, 0, 0.15], 0.25); // 0.1 m deep, as is what lies on it
  for (let i = 0; i < 8; ++i) addCube('dynamic', [0, 0, 0.8 + i], 0.5);
  for (let step = 0; step < 60; ++step) world.step();
  const depth = 0.25 - light.getPosition()[2];
  world.dispose();
  assert.ok(Math.abs(depth) < 0.005, `${depth} m deep after a second`); // once 0.064
});

test('capsules that cross at 3°, 0.2 m deep, come apart without rocking', async () => {
  const cairn = await load();
  const world = cairn.createWorld({ gravity: [0, 0, 0], timeStep: 1 / 60 });
  const material = world.createMaterial({ density: 1000 });
  const addCapsule = (position, rotation, radius, height) =>
    world.createBody({
      position,
      rotation,
      geometries: [{ shape: { type: 'capsule', radius, height }, material }],
    });
  const below = addCapsule([0, 0, -0.25], [0, 0, 0, 1], 0.25, 0.8);
  const above = addCapsule([0.01, 0.02, 0], [0, 0, Math.sin(0.03), Math.cos(0.03)], 0.2, 0.7);
  for (let step = 0; step < 20; ++step) world.step();
  const depth = 0.45 - (above.getPosition()[2] - below.getPosition()[2]);
  world.dispose();
  assert.ok(depth < 0.07, `${depth} m deep after 20 steps`); // once 0.117
});

// once it was pressed flat within half a second and shot out aside
test('a box of 15 kg between boxes of 6 tonnes is not pressed flat', async () => {
  const { world, addCube } = await worldOfCubes();
  addCube('dynamic', [0, 0, 0.9], 0.9);
  const light = addCube('dynamic', [0.05, 0.02, 1.925], 0.125);
  const above = [2.96, 4.77].map((height) => addCube('dynamic', [0, 0, height], 0.9)); // falls by 1 cm
  for (let step = 0; step < 120; ++step) world.step();
  const heights = [light, ...above].map((body) => body.getPosition()[2]);
  world.dispose();
  [1.925, 2.95, 4.75].forEach((height, i) =>
    assert.ok(Math.abs(heights[i] - height) < 2e-3, `body ${i} is at ${heights[i]} m, not ${height} m`),
  );
});

// once 0.089 and 0.0117
test('1,000 mixed bodies that fell into a pit', async () => {
  const { maxPen, p99Pen } = await overlapsAfter(300, 'pile1000');
  assert.ok(maxPen < 0.06, `${maxPen} m deep`);
  assert.ok(p99Pen < 0.011, `a hundredth is ${p99Pen} m deep`);
});

// Once 0.742 and 0.0467. Small boxes that large ones had pressed flat stayed so: of twenty runs, which differ
// by 0.1 micrometre, eight had a pair deeper than 0.12 m after 480 steps, now three of 24. The law is that of
// the middle one of three.
test('large boxes that begin one within the other, among small ones', async () => {
  const worst = [];
  for (const shift of [0, 1e-7, 2e-7]) {
    const { maxPen, p99Pen } = await overlapsAfter(480, 'bigAndSmall', shift);
    assert.ok(p99Pen < 0.04, `a hundredth is ${p99Pen} m deep`);
    worst.push(maxPen);
  }
  worst.sort((a, b) => a - b);
  assert.ok(worst[1] < 0.12 && worst[2] < 0.4, `${worst.join(', ')} m deep`);
});
