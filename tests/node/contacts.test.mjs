// Contact readers and cursors: forces that carry weights.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, near, refuses } from './helpers.mjs';

const g = 9.80665;

/** A 1000 kg box on the ground with a 1000 kg box on top, at rest. */
async function makeStack() {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const shape = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };
  const lower = world.createBody({ position: [0, 0, 0.5], geometries: [{ shape }] });
  const upper = world.createBody({ position: [0, 0, 1.5], geometries: [{ shape }] });
  world.steps(300);
  return { world, ground, lower, upper };
}

test('forces between bodies, geometries and everything carry the weight', async () => {
  const { world, ground, lower, upper } = await makeStack();
  const [lowerGeometry] = lower.geometries();
  const [upperGeometry] = upper.geometries();
  const weight = 1000 * g;
  const cases = [
    [upper, lower, weight],
    [lower, upper, -weight],
    [lower, ground, 2 * weight],
    [ground, lower, -2 * weight],
    [lower, null, weight],
    [upper, undefined, weight],
    [upperGeometry, lowerGeometry, weight],
    [ground, lowerGeometry, -2 * weight],
    [ground, null, -2 * weight],
    [upper, lowerGeometry, weight],
    [upper, ground, 0],
  ];
  for (const [first, second, force] of cases) {
    const reader = world.createContactReader(first, second);
    near(reader.getForce(), [0, 0, force], weight * 2e-3);
    near(reader.getNormalForce(new Float64Array(3))[2], force, weight * 2e-3);
    const out = [0, 0, 0];
    assert.equal(reader.getTangentialForce(out), out);
    near(out, [0, 0, 0], weight * 1e-3);
    assert.equal(reader.state, force === 0 ? 'none' : 'contact');
    assert.equal(reader.pointCount > 0, force !== 0);
    assert.equal(reader.depth > 0, force !== 0);
  }
  const reader = world.createContactReader(upper, lower);
  const all = reader.read();
  assert.equal(reader.read(all), all);
  near(all.total, reader.getForce(), 1e-9);
  assert.equal(all.points, reader.pointCount);
  assert.equal(reader.first, upper);
  assert.equal(reader.second, lower);
  world.dispose();
});

test('a cursor goes over contacts and points, seen from the first', async () => {
  const { world, ground, lower, upper } = await makeStack();
  let count = 0;
  let points = 0;
  const cursor = world.contacts();
  while (cursor.next()) {
    count += 1;
    for (let i = 0; i < cursor.pointCount; ++i) {
      points += 1;
      assert.ok(cursor.getPointDepth(i) >= 0);
      assert.ok(cursor.getPointNormalForce(i) >= 0);
      near(Math.abs(cursor.getPointPosition(i)[0]), 0.5, 0.02);
      near(Math.abs(cursor.getPointNormal(i)[2]), 1, 1e-6);
      near(cursor.getPointTangentialForce(i), [0, 0, 0], 10);
    }
    refuses(() => cursor.getPointDepth(cursor.pointCount), { code: 'OUT_OF_RANGE' });
    assert.ok(cursor.geometry1 && cursor.geometry2);
    assert.equal(cursor.state, 'contact');
    assert.equal(cursor.shapeIndex1, 0);
  }
  const { contacts, contactPoints } = world.getCounters();
  assert.deepEqual([count, points], [2, 8]);
  assert.deepEqual([contacts, contactPoints], [2, 8]);
  assert.equal(cursor.next(), false);
  assert.equal(world.contacts(), cursor);

  // from either side: normals turn round, places do not
  for (const [first, second, up] of [
    [upper, lower, 1],
    [lower, upper, -1],
  ]) {
    const between = world.createContactReader(first, second).contacts();
    assert.equal(between.next(), true);
    assert.equal(between.body1, first);
    assert.equal(between.body2, second);
    near(between.getNormal(), [0, 0, up], 1e-6);
    near(between.getNormalForce()[2], up * 1000 * g, 20);
    near(between.getPointPosition(0)[2], 1, 0.01);
    near(between.getPointNormal(0), [0, 0, up], 1e-6);
    assert.equal(between.next(), false);
  }
  const onGround = world.createContactReader(ground).contacts();
  assert.equal(onGround.next(), true);
  assert.equal(onGround.geometry1, ground);
  assert.equal(onGround.body1, null);
  assert.equal(onGround.body2, lower);
  assert.equal(onGround.next(), false);
  world.dispose();
});

test('states go through impact, contact and separation', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const ball = world.createBody({
    position: [0, 0, 0.6],
    geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
  });
  const reader = world.createContactReader(ball, ground);
  const states = [];
  const note = () => {
    world.step();
    if (states.at(-1) !== reader.state) states.push(reader.state);
  };
  for (let i = 0; i < 300; ++i) note();
  assert.deepEqual(states.slice(0, 2), ['none', 'impact']);
  assert.equal(reader.state, 'contact');
  // thrown up: it touches when the step begins, and is gone when the next one does
  ball.setVelocity([0, 0, 3]);
  note();
  assert.equal(reader.state, 'contact');
  note();
  assert.equal(reader.state, 'separation');
  note();
  assert.equal(reader.state, 'none');
  world.dispose();
});

test('wrong partners and uses out of turn are refused', async () => {
  const { world, lower, upper } = await makeStack();
  const other = (await getCairn()).createWorld();
  const stranger = other.createBody();
  for (const first of [null, undefined, {}, world, 7, stranger, world.createMaterial()]) {
    refuses(() => world.createContactReader(first, lower), { argument: 'first' });
  }
  for (const second of [{}, 'all', stranger])
    refuses(() => world.createContactReader(lower, second), { argument: 'second' });
  const reader = world.createContactReader(upper, lower);
  refuses(() => reader.getForce(new Float64Array(2)), { argument: 'out' });
  refuses(() => reader.read([]), { argument: 'out' });
  const cursor = world.contacts();
  refuses(() => cursor.depth, { code: 'WRONG_PHASE' });
  refuses(() => cursor.getNormal(), { code: 'WRONG_PHASE' });
  upper.destroy();
  refuses(() => reader.getForce(), { code: 'STALE_HANDLE' });
  refuses(() => reader.contacts(), { code: 'STALE_HANDLE' });
  other.dispose();
  world.dispose();
});
