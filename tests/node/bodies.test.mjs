// Many bodies in one call: the list that is given, what columns may be, what is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bodies, Body } from '../../web/index.node.js';
import { flavours, garbageOf, getCairn, near, refuses } from './helpers.mjs';

const ball = { type: 'sphere', radius: 0.3 };
const box = { type: 'box', halfExtents: [0.2, 0.3, 0.4] };

async function withWorld(task, options = {}) {
  const world = (await getCairn()).createWorld(options);
  try {
    await task(world);
  } finally {
    world.dispose();
  }
}

/** Columns of bodies in layers, a little apart. */
function makeColumns(count) {
  const number = (i, k) => Math.sin(12.9898 * i + 78.233 * k);
  const fill = (lanes, value) =>
    Float64Array.from({ length: lanes * count }, (_, n) => value(Math.floor(n / lanes), n % lanes));
  const half = (i) => 0.5 * number(i, 9);
  return {
    positions: fill(
      3,
      (i, k) => [1.1 * (i % 10), 1.1 * (Math.floor(i / 10) % 5), 0.5 + 1.1 * Math.floor(i / 50)][k],
    ),
    rotations: fill(4, (i, k) => [0, 0, Math.sin(half(i)), Math.cos(half(i))][k]),
    velocities: fill(3, number),
    angularVelocities: fill(3, (i, k) => number(i, 3 + k)),
    masses: fill(1, (i) => (i % 4 === 0 ? 0 : 1 + (i % 7))),
  };
}

/** The same bodies by one call each. */
function createOneByOne(world, count, columns, geometryOf) {
  const { positions, rotations, velocities, angularVelocities, masses } = columns;
  return Array.from({ length: count }, (_, i) =>
    world.createBody({
      position: positions.slice(3 * i, 3 * i + 3),
      rotation: rotations.slice(4 * i, 4 * i + 4),
      velocity: velocities.slice(3 * i, 3 * i + 3),
      angularVelocity: angularVelocities.slice(3 * i, 3 * i + 3),
      mass: masses[i],
      linearDamping: [0.1, 0.1, 0.1],
      geometries: [geometryOf(i)],
    }),
  );
}

for (const [flavour, getModule] of flavours) {
  test(`a batch is the same as one by one, to the bit (${flavour})`, async () => {
    const cairn = await getModule();
    const count = 300;
    const columns = makeColumns(count);
    const hashes = [false, true].map((inOneCall) => {
      const world = cairn.createWorld();
      world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
      const shapes = [world.createShape(ball), world.createShape(box)];
      const materials = [null, world.createMaterial({ density: 200 })];
      const shapeOf = (i) => shapes[i % 3 === 0 ? 1 : 0];
      const materialOf = (i) => materials[i % 2];
      const groups = ['crowd', 5];
      const list = Array.from({ length: count }, (_, i) => i);
      const bodies = inOneCall
        ? world.createBodies({
            count,
            ...columns,
            body: { linearDamping: [0.1, 0.1, 0.1] },
            geometry: { groups, surfaceVelocity: [0.1, 0, 0] },
            shapes: list.map(shapeOf),
            materials: list.map(materialOf),
          })
        : createOneByOne(world, count, columns, (i) => ({
            shape: shapeOf(i),
            material: materialOf(i),
            groups,
            surfaceVelocity: [0.1, 0, 0],
          }));
      assert.equal(bodies.length, count);
      const first = world.hash();
      world.steps(90);
      const { contacts } = world.getCounters();
      assert.ok(contacts > 50, `${contacts} contacts`);
      const last = world.hash();
      world.validate();
      world.dispose();
      return { first, last, contacts };
    });
    assert.deepEqual(hashes[1], hashes[0]);
  });
}

test('the list gives bodies, rows and what is left', () =>
  withWorld((world) => {
    const lone = world.createBody();
    const bodies = world.createBodies({
      count: 5,
      positions: [0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5],
      body: { motion: 'kinematic', velocity: [1, 0, 0] },
      geometry: { shape: box },
    });
    assert.ok(bodies instanceof Bodies);
    assert.equal(bodies.world, world);
    assert.equal(bodies.length, 5);
    assert.equal(bodies.rows, bodies.rows);
    assert.deepEqual([...bodies.rows], [1, 2, 3, 4, 5]);
    const third = bodies.at(2);
    assert.ok(third instanceof Body);
    assert.equal(bodies.at(2), third);
    assert.equal(world.bodyAt(bodies.rows[2]), third);
    near(third.getPosition(), [0, 0, 3]);
    near(third.getVelocity(), [1, 0, 0]);
    assert.equal(third.motion, 'kinematic');
    assert.equal(third.geometries().length, 1);
    const { position } = world.columns.bodies;
    assert.deepEqual(
      [...bodies.rows].map((row) => position[3 * row + 2]),
      [1, 2, 3, 4, 5],
    );

    third.destroy();
    assert.equal(bodies.at(2), null);
    assert.equal([...bodies].length, 4);
    for (const i of [-1, 5, 0.5, NaN, '1', null, undefined]) refuses(() => bodies.at(i), { argument: 'i' });

    // a row that is in use again is another body's
    const others = Array.from({ length: 10 }, () => world.createBody());
    assert.ok(others.some((other) => other.index === bodies.rows[2]));
    assert.equal(bodies.at(2), null);
    assert.ok(others.every((other) => other.isValid));

    bodies.destroy();
    bodies.destroy();
    assert.deepEqual([...bodies], []);
    assert.equal(world.getCounters().bodies, 11);
    assert.equal(world.getCounters().geometries, 0);
    assert.equal(world.getCounters().shapes, 0);
    assert.equal(lone.isValid, true);
    refuses(() => new Bodies(Symbol('cairn'), world, new Uint32Array(1)), { code: 'WRONG_TYPE' });
  }));

test('columns are plain arrays, doubles or floats, and may lie in the memory of the module', () =>
  withWorld((world) => {
    const numbers = [1, 0.5, 2, -3, 0.25, 4];
    for (const positions of [numbers, Float64Array.from(numbers), Float32Array.from(numbers)]) {
      const bodies = world.createBodies({ count: 2, positions });
      near(bodies.at(0).getPosition(), [1, 0.5, 2], 0);
      near(bodies.at(1).getPosition(), [-3, 0.25, 4], 0);
    }

    // a view of a table that grows in the call
    const count = 20000;
    const many = world.createBodies({
      count,
      positions: Float64Array.from({ length: 3 * count }, (_, i) => i),
    });
    const first = 3 * many.rows[0];
    const view = world.columns.bodies.position.subarray(first, first + 3 * count);
    const again = world.createBodies({ count, positions: view });
    near(again.at(0).getPosition(), [0, 1, 2], 0);
    near(again.at(count - 1).getPosition(), [3 * count - 3, 3 * count - 2, 3 * count - 1], 0);
    world.validate();
  }));

test('shapes of descriptions are made once, and belong to the geometries alone', () =>
  withWorld((world) => {
    const shapes = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? ball : box));
    const bodies = world.createBodies({ count: 100, shapes });
    assert.equal(world.getCounters().shapes, 2);
    const common = world.createBodies({ count: 10, geometry: { shapes: [{ shape: ball }, { shape: box }] } });
    assert.equal(world.getCounters().shapes, 4);
    assert.equal(world.getCounters().proxies, 120);
    bodies.destroy();
    assert.equal(world.getCounters().shapes, 2);
    common.destroy();
    assert.equal(world.getCounters().shapes, 0);
  }));

test('what is not given has its default', () =>
  withWorld((world) => {
    const bodies = world.createBodies({ count: 2 });
    near(bodies.at(1).getPosition(), [0, 0, 0]);
    assert.equal(bodies.at(1).mass, 1);
    const none = world.createBodies({ count: 0, positions: [], shapes: [], geometry: { friction: 0.4 } });
    assert.equal(none.length, 0);
    assert.deepEqual([...none], []);
    assert.equal(world.getCounters().bodies, 2);
    assert.equal(world.getCounters().materials, 0);
  }));

test('an error names the row, and nothing was made', () =>
  withWorld(async (world) => {
    const positions = new Float64Array(300);
    positions[31] = NaN;
    const before = world.hash();
    const counters = JSON.stringify({ ...world.getCounters(), bytes: 0 });
    const wrong = (options, expected) => {
      refuses(() => world.createBodies({ count: 100, ...options }), {
        call: 'world.createBodies',
        ...expected,
      });
      assert.equal(world.hash(), before);
      assert.equal(JSON.stringify({ ...world.getCounters(), bytes: 0 }), counters);
    };
    const reason = /^options\.positions\[10\] is .*nan.*, allowed are finite numbers$/i;
    wrong(
      { positions, geometry: { shape: ball } },
      { code: 'NOT_FINITE', argument: 'options.positions[10]', reason },
    );
    wrong({ positions: [...positions] }, { code: 'NOT_FINITE', argument: 'options.positions[10]' });
    wrong(
      { positions: new Float32Array(299) },
      { code: 'WRONG_TYPE', reason: /allowed are .* of 300 numbers, 3 a/ },
    );
    wrong(
      { rotations: new Float64Array(400).fill(1) },
      { code: 'OUT_OF_RANGE', argument: 'options.rotations[0]' },
    );
    wrong(
      { masses: new Float64Array(100).fill(-2) },
      { argument: 'options.masses[0]', reason: /-2 kg, allowed/ },
    );
    const strings = new Array(300).fill(0).with(299, '1');
    wrong({ velocities: strings }, { code: 'WRONG_TYPE', argument: 'options.velocities[99]' });
    const shapes = new Array(100).fill(ball);
    wrong(
      { shapes: shapes.with(7, { type: 'sphere', radius: -1 }) },
      { argument: 'options.shapes[7].radius' },
    );
    wrong({ shapes: shapes.with(7, null) }, { argument: 'options.shapes[7]' });
    wrong({ shapes, materials: new Array(100).fill(null).with(3, {}) }, { argument: 'options.materials[3]' });
    wrong({ shapes, geometry: { shape: ball } }, { argument: 'options.shapes' });
    wrong({ geometry: {} }, { argument: 'options.geometry.shape', reason: /is missing/ });
    wrong({ body: { mass: NaN } }, { argument: 'options.body.mass' });
    wrong({ body: { geometries: [] } }, { code: 'UNKNOWN_NAME', argument: 'options.body.geometries' });
    wrong({ geometry: { shape: ball, restitution: 2 } }, { argument: 'options.geometry.restitution' });
    wrong(
      { count: 2 ** 20, geometry: { shape: ball, friction: -1 } },
      { argument: 'options.geometry.friction' },
    );
    wrong({ count: 2 ** 20 + 1 }, { code: 'OUT_OF_RANGE', argument: 'options.count' });
    wrong({ count: undefined }, { code: 'WRONG_TYPE', argument: 'options.count' });
    const body = world.createBody();
    refuses(() => world.createBodies({ count: 2 ** 20 }), { code: 'TOO_MANY', argument: 'options.count' });
    assert.equal(body.isValid, true);
  }));

test('the list outlives a state that is gone back to', () =>
  withWorld((world) => {
    const state = world.save();
    const bodies = world.createBodies({ count: 3, geometry: { shape: ball } });
    const later = world.save();
    const second = bodies.at(1);
    world.restore(state);
    assert.equal(bodies.at(1), null);
    world.restore(later);
    assert.equal(bodies.at(1), second);
    assert.equal(second.isValid, true);
  }));

test('reading poses of a batch leaves no garbage', () =>
  withWorld(async (world) => {
    const count = 1000;
    const bodies = world.createBodies({ count, ...makeColumns(count), geometry: { shape: ball } });
    const { rows } = bodies;
    const sum = new Float64Array(1);
    const bytes = await garbageOf(() => {
      world.interpolatePoses(0.5);
      const { renderPose } = world.columns.bodies;
      for (let i = 0; i < count; ++i) sum[0] += renderPose[8 * rows[i] + 2];
    });
    assert.ok(Number.isFinite(sum[0]));
    assert.ok(bytes < 2000, `${bytes} bytes in a hundred frames`);
  }));

test('many bodies are set at once, all or none', () =>
  withWorld(async (world) => {
    const bodies = world.createBodies({ count: 3, body: { mass: 2 } });
    const positions = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);
    bodies.setPositions(positions);
    bodies.setVelocities([[1, 0, 0], { x: 0, y: 1, z: 0 }, new Float64Array(3)]);
    bodies.setAngularVelocities(Int8Array.of(0, 0, 1, 0, 0, 2, 0, 0, 3));
    bodies.setRotations([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
    assert.deepEqual(bodies.at(1).getPosition(), [4, 5, 6]);
    assert.deepEqual(bodies.at(1).getVelocity(), [0, 1, 0]);
    assert.deepEqual(bodies.at(2).getAngularVelocity(), [0, 0, 3]);
    assert.deepEqual(bodies.at(2).getRotation(), [1, 0, 0, 0]);

    // nothing of it is done where one number is wrong
    const hash = world.hash();
    const wrong = positions.slice();
    wrong[8] = Infinity;
    const expected = { call: 'bodies.setPositions', argument: 'positions[2]', code: 'NOT_FINITE' };
    refuses(() => bodies.setPositions(wrong), expected);
    refuses(() => bodies.setRotations([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2]), { argument: 'rotations[2]' });
    refuses(() => bodies.setVelocities([0, 0, 0]), { code: 'WRONG_TYPE', reason: /9 numbers, 3 a body/ });
    assert.equal(world.hash(), hash);

    // those that are gone are left out; forces act in the next step, and state of the columns stays as set
    bodies.at(1).destroy();
    bodies.setPositions(positions);
    world.setGravity([0, 0, 0]);
    bodies.setVelocities(new Float64Array(9));
    bodies.applyForces([0, 0, 2, 0, 0, 2, 0, 0, 4]);
    bodies.applyTorques(new Float64Array(9));
    world.step();
    assert.ok(Math.abs(bodies.at(0).getVelocity()[2] - world.timeStep) < 1e-12);
    assert.ok(Math.abs(bodies.at(2).getVelocity()[2] - 2 * world.timeStep) < 1e-12);
    assert.equal(bodies.at(1), null);
  }));

test('a column that the step makes anew is not what changes a body', () =>
  withWorld(async (world) => {
    const body = world.createBody({ mass: 1 });
    const { position, velocity } = world.columns.bodies;
    velocity[3 * body.index] = 5;
    position[3 * body.index] = 7;
    world.step();
    assert.deepEqual([body.getVelocity()[0], body.getPosition()[0]], [0, 0]);
    body.setVelocity([5, 0, 0]);
    world.step();
    assert.equal(body.getVelocity()[0], 5);
    world.columns.bodies.force[3 * body.index] = 6;
    world.step();
    assert.ok(body.getVelocity()[0] > 5);
  }));
