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

/** A pile that falls, with a hash that is the same whether or not anybody reads contacts. */
async function makePile() {
  const world = (await getCairn()).createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const bodies = Array.from({ length: 40 }, (_, i) =>
    world.createBody({
      position: [0.3 * Math.sin(i), 0.3 * Math.cos(2 * i), 0.5 + 0.6 * i],
      geometries: [{ shape: { type: 'box', halfExtents: [0.2, 0.15, 0.1 + 0.01 * (i % 7)] } }],
    }),
  );
  return { world, bodies };
}

test('contacts are listed when they are read, which changes nothing', async () => {
  const [read, unread] = [await makePile(), await makePile()];
  for (let step = 0; step < 200; ++step) {
    read.world.step();
    unread.world.step();
    if (step % 3 === 0) assert.ok(read.world.columns.contacts.rows >= 0);
    if (step % 7 === 0) assert.ok(read.world.columns.contactPoints.depth.length >= 0);
    if (step % 5 === 0) assert.ok(read.world.getCounters().contactPoints >= 0);
    assert.equal(read.world.maxPenetration, unread.world.maxPenetration, `step ${step}`);
  }
  assert.equal(read.world.hash(), unread.world.hash());
  const columns = read.world.columns.contacts;
  for (const name of ['normalForce', 'tangentialForce', 'depth', 'body1', 'state']) {
    const rows = columns.rows * columns.describe(name).lanes;
    assert.deepEqual(columns[name].slice(0, rows), unread.world.columns.contacts[name].slice(0, rows), name);
  }
  assert.ok(columns.rows > 5);
  read.world.dispose();
  unread.world.dispose();
});

test('contacts of the last step stay when something is removed before anybody has read them', async () => {
  const [kept, early] = [await makePile(), await makePile()];
  for (const { world } of [kept, early]) for (let step = 0; step < 150; ++step) world.step();
  const rows = kept.world.columns.contacts.rows;
  const forces = kept.world.columns.contacts.normalForce.slice(0, 3 * rows);
  early.bodies[3].destroy();
  assert.equal(early.world.columns.contacts.rows, rows);
  assert.deepEqual(early.world.columns.contacts.normalForce.slice(0, 3 * rows), forces);
  early.world.timeStep = 1 / 30;
  kept.world.dispose();
  early.world.dispose();
});

test('events name the rows of their contacts, also of a step in which something is removed', async () => {
  const { world, bodies } = await makePile();
  let named = 0;
  for (let step = 0; step < 150; ++step) {
    world.collide();
    if (step % 10 === 9) bodies[(step - 9) / 10].destroy();
    world.solve();
    const { contacts, contactEvents: events } = world.columns;
    for (let event = 0; event < events.rows; ++event) {
      const row = events.contact[event];
      if (row < 0) continue; // removed
      assert.equal(contacts.state[row], events.state[event]);
      assert.equal(contacts.geometry1[row], events.geometry1[event]);
      assert.equal(contacts.geometry2[row], events.geometry2[event]);
      const impulse = world.timeStep * Math.hypot(...contacts.normalForce.slice(3 * row, 3 * row + 3));
      near(events.impulse[event], impulse, 1e-6 * (1 + impulse));
      named += 1;
    }
  }
  assert.ok(named > 100, `${named} events`);
  world.dispose();
});
