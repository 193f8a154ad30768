// The exact cone of the direct solver: friction is μ N against the sliding, step by step,
// whatever the direction.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  add,
  box,
  ground,
  highest,
  length,
  makeScene,
  scale,
  simulate,
  standardGravity,
  sub,
  touching,
  violations,
} from './simulate.mjs';

const g = standardGravity;
const h = 1 / 60;
const friction = 0.3;

/** A flat block of 10 kg, so that friction hardly tips it. */
const block = (name, position, velocity) => ({
  name,
  mass: 10,
  inertia: [1, 1, 1],
  position,
  velocity,
  geometries: [box([0.5, 0.5, 0.01])],
});

const plane = (sections) =>
  makeScene({
    ...touching({ friction, surfaceViscosity: 0, frictionModel: { type: 'cone', exactCone: true } }),
    geometries: [ground],
    ...sections,
  });

/**
 * Velocities in the middle of each step, which the positions at its ends are made with; its
 * direction is friction's.
 */
const midway = (positions) => positions.slice(1).map((x, k) => scale(1 / h, sub(x, positions[k])));

/** Friction's force over μ N, and the sine of its angle against the sliding. */
function check(force, velocity, normal, what) {
  const flat = [force[0], force[1], 0];
  const slip = [velocity[0], velocity[1], 0];
  const size = length(flat) / (friction * normal);
  assert.ok(Math.abs(size - 1) < 1e-6, `${what}: friction is ${size} of μ N`);
  const off = length(add(scale(1 / length(flat), flat), scale(1 / length(slip), slip)));
  assert.ok(off < 1e-6, `${what}: ${off} rad beside the sliding`);
}

test('a block slides on an incline, thrown in sixteen directions', async () => {
  const gravity = [g * Math.sin(0.4), 0, -g * Math.cos(0.4)];
  for (let i = 0; i < 16; ++i) {
    const angle = (2 * Math.PI * i) / 16;
    const scene = plane({
      world: { gravity, solver: { default: 'direct' } },
      bodies: [block('b', [0, 0, 0.01], [3 * Math.cos(angle), 3 * Math.sin(angle), 0])],
    });
    const run = await simulate(scene, { time: 2, record: ['body/b/position'] });
    const v = midway(run.of('body/b/position'));
    for (let k = 60; k < 118; ++k) {
      const force = scale(10, sub(scale(1 / h, sub(v[k + 1], v[k])), gravity));
      check(force, v[k + 1], 10 * g * Math.cos(0.4), `direction ${i}, step ${k}`);
    }
  }
});

test('a block that a spring pulls round and round', async () => {
  const scene = plane({
    world: { solver: { default: 'direct' } },
    bodies: [
      block('b', [0, 0, 0.01], [0, 0.4, 0]),
      { name: 'hand', motion: 'kinematic', position: [3, 0, 0.01], angularVelocity: [0, 0, 1.5] },
    ],
    constraints: [
      {
        name: 'pull',
        type: 'spring',
        bodies: ['b', 'hand'],
        anchors: [
          [0, 0, 0.01],
          [3, 1, 0.01],
        ],
        length: 0.5,
        stiffness: 30,
        damping: 1,
      },
    ],
  });
  const run = await simulate(scene, { time: 10, record: ['body/b/position', 'constraint/pull/force'] });
  const v = midway(run.of('body/b/position'));
  const pull = run.of('constraint/pull/force');
  let turned = 0;
  for (let k = 120; k < 598; ++k) {
    if (length(v[k + 1]) < 0.02) continue;
    const force = sub(scale(10 / h, sub(v[k + 1], v[k])), pull[k + 2]);
    check(force, v[k + 1], 10 * g, `step ${k}`);
    turned += Math.asin((v[k][0] * v[k + 1][1] - v[k][1] * v[k + 1][0]) / length(v[k]) / length(v[k + 1]));
  }
  assert.ok(Math.abs(turned) > 2, `it turned by ${turned} rad only`);
});

test('blocks on a rod slide each against its own way', async () => {
  const scene = plane({
    world: { solver: { default: 'auto' } },
    bodies: [block('a', [0, 0, 0.01], [2, 0.7, 0]), block('b', [1.5, 0, 0.01], [2, -2.9, 0])],
    constraints: [
      {
        name: 'rod',
        type: 'distance',
        bodies: ['a', 'b'],
        anchors: [
          [0, 0, 0.01],
          [1.5, 0, 0.01],
        ],
        compliance: 1e-10,
      },
    ],
  });
  const record = ['body/a/position', 'body/b/position', 'constraint/rod/force'];
  const run = await simulate(scene, { time: 0.9, record });
  const [a, b] = [midway(run.of(record[0])), midway(run.of(record[1]))];
  const rod = run.of(record[2]);
  for (let k = 30; k < 53; ++k) {
    check(sub(scale(10 / h, sub(a[k + 1], a[k])), rod[k + 2]), a[k + 1], 10 * g, `a, step ${k}`);
    check(add(scale(10 / h, sub(b[k + 1], b[k])), rod[k + 2]), b[k + 1], 10 * g, `b, step ${k}`);
  }
});

test('a block at rest on the exact cone stays, up to its friction', async () => {
  for (const [share, moves] of [
    [0.999, false],
    [1.001, true],
  ]) {
    const angle = Math.atan(friction) * share;
    const scene = plane({
      world: {
        gravity: [g * Math.sin(angle) * 0.6, g * Math.sin(angle) * 0.8, -g * Math.cos(angle)],
        solver: { default: 'direct' },
      },
      bodies: [block('b', [0, 0, 0.01], [0, 0, 0])],
    });
    const run = await simulate(scene, { time: 5, record: ['body/b/velocity'] });
    const speed = length(run.of('body/b/velocity').at(-1));
    if (moves) {
      const wanted = 4 * g * (Math.sin(angle) - friction * Math.cos(angle));
      assert.ok(speed > wanted, `at ${speed} m/s after 5 s`);
    } else {
      assert.ok(speed < 1e-9, `creeps at ${speed} m/s`);
    }
  }
});

test('ragdolls on stairs with exact cones stay together and come to rest', async () => {
  const scene = JSON.parse(readFileSync(new URL('../../demo/scenes/ragdoll.json', import.meta.url), 'utf8'));
  scene.contactMaterials[0].frictionModel = { type: 'cone', exactCone: true };
  const names = violations(scene);
  const run = await simulate(scene, { time: 8, record: [...names, 'world/kineticEnergy'] });
  const most = highest(run, names);
  assert.ok(most < 5e-3, `${most * 1e3} mm`);
  assert.ok(run.of('world/kineticEnergy').at(-1) < 0.1, `${run.of('world/kineticEnergy').at(-1)} J`);
});
