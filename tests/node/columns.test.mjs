// Column views: right numbers, the same object until something grew, no garbage; matrices for drawing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyFlags, load } from '../../web/index.node.js';
import { flavours, garbageOf, getCairn, near, refuses } from './helpers.mjs';

function makeBodies(world, count) {
  return Array.from({ length: count }, (_, i) =>
    world.createBody({
      position: [i % 100, Math.floor(i / 100), 1],
      geometries: [{ shape: { type: 'sphere', radius: 0.4 } }],
    }),
  );
}

for (const [flavour, getModule] of flavours) {
  test(`columns give what getters give, after every growth (${flavour})`, async () => {
    const world = (await getModule()).createWorld({ gravity: [0, 0, 0] });
    const { bodies } = world.columns;
    assert.equal(bodies.rows, 0);
    assert.equal(bodies.position.length, 0);
    for (let i = 0; i < 3000; ++i) {
      const body = world.createBody({ position: [i, 2 * i, 3 * i] });
      if (i % 97 !== 0) continue;
      assert.equal(bodies.rows, i + 1);
      near(bodies.position.slice(3 * body.index, 3 * body.index + 3), body.getPosition());
      assert.equal(bodies.handle[body.index], body.handle);
      assert.ok(bodies.flags[body.index] & BodyFlags.dynamic);
    }
    const view = bodies.position;
    assert.equal(bodies.position, view);
    assert.ok(view.length >= 9000);
    world.dispose();
  });

  test(`views follow when memory grows (${flavour})`, async () => {
    const cairn = await getModule();
    const world = cairn.createWorld();
    const body = world.createBody({ position: [1, 2, 3] });
    const { bodies } = world.columns;
    near(bodies.position.slice(0, 3), [1, 2, 3]);
    const { buffer } = cairn.memory;
    const big = cairn.raw._malloc(buffer.byteLength);
    assert.ok(big !== 0);
    assert.notEqual(cairn.memory.buffer, buffer);
    near(bodies.position.slice(0, 3), [1, 2, 3]);
    near(body.getPosition(), [1, 2, 3]);
    cairn.raw._free(big);
    world.dispose();
  });

  test(`reading 5,000 poses a frame costs no garbage (${flavour})`, async () => {
    const world = (await getModule()).createWorld({ gravity: [0, 0, 0] });
    makeBodies(world, 5000);
    world.step();
    const target = new Float32Array(8 * 5000);
    let calls = 0;
    const { raw } = world.cairn;
    const real = raw._cnw_World_GetColumn;
    raw._cnw_World_GetColumn = (...list) => {
      calls += 1;
      return real(...list);
    };
    const { columns } = world;
    const frame = () => {
      const { bodies } = columns;
      const poses = bodies.renderPose;
      const { position, rotation, rows } = bodies;
      for (let i = 0; i < 8 * rows; ++i) target[i] = poses[i];
      for (let i = 0; i < 3 * rows; ++i) target[i] += position[i];
      for (let i = 0; i < 4 * rows; ++i) target[i] += rotation[i];
    };
    const bytes = await garbageOf(frame);
    raw._cnw_World_GetColumn = real;
    assert.equal(calls, 3, 'one call for each column, before the first frame');
    // a number for each that is read would be some seventy million; a frame that the JavaScript engine enters
    // by its loops alone leaves 400
    assert.ok(bytes < 100000, `100 frames left ${bytes} bytes`);
    world.dispose();
  });
}

test('stepping, getters with outputs, readers and cursors leave no garbage', async () => {
  const world = (await getCairn()).createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const bodies = makeBodies(world, 50);
  for (let i = 0; i < 120; ++i) world.step();
  const vector = new Float64Array(3);
  const quaternion = new Float64Array(4);
  const reader = world.createContactReader(bodies[0]);
  const profile = world.getProfile();
  const counters = world.getCounters();
  const matrices = world.createMatrices([...bodies.keys()]);
  const hit = world.castRay([0, 0, 5], [0, 0, -9]);
  const push = new Float64Array([0, 0, 1]);
  const options = { beforeStep: () => bodies[0].applyForce(push), speed: 1 };
  const frame = () => {
    world.advance(1 / 60, options);
    for (const body of bodies) {
      body.getPosition(vector);
      body.getRotation(quaternion);
      body.setVelocity(vector);
      body.setVelocity([0, 0, 0]);
    }
    reader.getForce(vector);
    const contacts = world.contacts();
    while (contacts.next()) {
      contacts.getNormal(vector);
      for (let i = 0; i < contacts.pointCount; ++i) contacts.getPointPosition(i, vector);
    }
    world.getProfile(profile);
    world.getCounters(counters);
    matrices.write();
    vector[0] = matrices.array[12];
  };
  const bytes = await garbageOf(frame);
  assert.ok(bytes < 100 * 8000, `100 frames left ${bytes} bytes`);
  assert.ok(hit);
  world.dispose();
});

test('matrices hold pose and scale, and survive growth', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({ gravity: [0, 0, 0] });
  const body = world.createBody({
    position: [1, 2, 3],
    rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2],
    geometries: [{ shape: { type: 'sphere', radius: 1 }, position: [1, 0, 0] }],
  });
  world.step();
  const matrices = world.createMatrices([0, 77], [2, 3, 4, 1, 1, 1]);
  assert.equal(matrices.count, 2);
  matrices.write();
  // a quarter turn about z: x goes to y
  near(matrices.array.slice(0, 16), [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 3, 3, 1], 1e-5);
  near(matrices.array.slice(16, 32), new Array(16).fill(0));
  const { array } = matrices;
  assert.equal(matrices.array, array);
  const big = cairn.raw._malloc(cairn.memory.buffer.byteLength);
  near(matrices.array.slice(12, 15), [1, 3, 3], 1e-6);
  cairn.raw._free(big);
  body.destroy();
  matrices.write(0.5);
  near(matrices.array.slice(0, 16), new Array(16).fill(0));
  refuses(() => matrices.write(NaN), { code: 'NOT_FINITE' });
  refuses(() => matrices.write(2), { code: 'OUT_OF_RANGE' });
  matrices.dispose();
  matrices.dispose();
  refuses(() => matrices.write(), { code: 'STALE_HANDLE' });
  for (const [proxies, scales] of [
    ['0', undefined],
    [[0.5], undefined],
    [[0], [1]],
    [[0], ['1', 1, 1]],
    [new Float64Array(1), undefined],
  ]) {
    refuses(() => world.createMatrices(proxies, scales), {});
  }
  assert.equal(world.createMatrices([]).array.length, 0);
  world.dispose();
});

test('columns describe themselves', async () => {
  const world = (await getCairn()).createWorld();
  const { columns } = world;
  assert.deepEqual(Object.keys(columns), [
    'bodies',
    'geometries',
    'shapes',
    'proxies',
    'materials',
    'contactMaterials',
    'constraints',
    'contacts',
    'contactPoints',
    'contactEvents',
    'mergedBodies',
    'mergeEdges',
  ]);
  assert.deepEqual(columns.bodies.describe('position'), { type: 'f64', lanes: 3 });
  assert.deepEqual(columns.bodies.describe('renderPose'), { type: 'f32', lanes: 8 });
  refuses(() => columns.bodies.describe('colour'), { code: 'UNKNOWN_NAME' });
  world.dispose();
});

// Whatever a call is given, the memory may grow while it is written there: that empties every view of it
// that somebody has.
test('arguments that are views of the memory outlive its growth', async () => {
  /** @param {(world: import('../../web/objects/world.js').World, zeros: Float64Array) => void} use */
  const withView = async (use) => {
    const cairn = await load({ flavour: 'st', threads: 1 });
    const { buffer } = cairn.memory;
    const count = 6 * Math.floor((0.55 * buffer.byteLength) / 48);
    const address = cairn.raw._malloc(8 * count);
    assert.equal(cairn.memory.buffer, buffer);
    const world = cairn.createWorld();
    use(world, new Float64Array(buffer, address, count).fill(0));
    assert.notEqual(cairn.memory.buffer, buffer);
    world.dispose();
  };
  await withView((world, rays) => {
    const geometries = new Int32Array(rays.length / 6).fill(7);
    world.castRays(rays, { geometries });
    assert.ok(geometries.every((row) => row === -1));
  });
  await withView((world, points) => {
    refuses(() => world.createShape({ type: 'convex', points }), { code: 'DEGENERATE_SHAPE' });
  });
  await withView((world, points) => {
    const triangles = [[0, 1, 2]];
    refuses(() => world.createShape({ type: 'trimesh', points, triangles }), { call: 'world.createShape' });
  });
  await withView((world, heights) => {
    const resolution = [2, 2];
    const field = { type: 'heightField', resolution, size: [1, 1], heights };
    refuses(() => world.createShape(field), { call: 'world.createShape' });
  });
  await withView((world, { buffer, byteOffset, length }) => {
    const matrices = world.createMatrices(new Int32Array(buffer, byteOffset, length));
    assert.equal(matrices.count, length);
    matrices.dispose();
  });
});

test('a text that makes the memory grow arrives', async () => {
  const cairn = await load({ flavour: 'st', threads: 1 });
  const world = cairn.createWorld();
  const { buffer } = cairn.memory;
  refuses(() => world.createMaterial({ library: 'x'.repeat(buffer.byteLength) }), { code: 'UNKNOWN_NAME' });
  assert.notEqual(cairn.memory.buffer, buffer);
  world.dispose();
});
