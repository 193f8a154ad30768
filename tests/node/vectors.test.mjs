// Vectors and rotations are taken in every usual form, and come out as numbers in a row.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as three from 'three';
import { createBuoyancy, createWind } from '../../web/index.node.js';
import { garbageOf, getCairn, near, refuses } from './helpers.mjs';

const typedArrays = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
];

/** The vector 1, 2, 3 in each form. */
const vectors = [
  [1, 2, 3],
  ...typedArrays.map((ArrayType) => ArrayType.of(1, 2, 3)),
  { x: 1, y: 2, z: 3 },
  new three.Vector3(1, 2, 3),
  Object.create({ x: 1, y: 2, z: 3 }),
];

/** A turn by half about z in each form. */
const rotations = [
  [0, 0, 1, 0],
  ...typedArrays.map((ArrayType) => ArrayType.of(0, 0, 1, 0)),
  { x: 0, y: 0, z: 1, w: 0 },
  new three.Quaternion(0, 0, 1, 0), // has getters only
  new three.Vector4(0, 0, 1, 0),
];

// first: where a function has met many kinds of objects, JavaScript makes numbers of what it reads of them
test('vectors and quaternions of three.js leave at most one number a call on the heap', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const body = world.createBody({ mass: 1 });
  const vector = new three.Vector3(0.5, 1.5, 2.5);
  const quaternion = new three.Quaternion(0, 0, 0.6, 0.8);
  const applyMany = () => {
    for (let i = 0; i < 500; ++i) body.applyForce(vector);
  };
  const turnMany = () => {
    for (let i = 0; i < 500; ++i) body.setRotation(quaternion);
  };
  // V8 keeps one number of a call, whatever its value, or none, as it happens to compile: of quaternions,
  // which have getters, in one run of three, of vectors in one of nine where the machine is busy. An array or
  // an object would be three times as much.
  for (const task of [applyMany, turnMany]) {
    const bytes = await garbageOf(task);
    assert.ok(bytes < 500 * 100 * 17, `${bytes} bytes in 100 runs`);
  }
  world.dispose();
});

test('vectors and rotations are taken in every form', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({ gravity: new three.Vector3(0, 0, -9) });
  assert.deepEqual(world.getGravity().acceleration, [0, 0, -9]);
  const body = world.createBody({ mass: 1 });
  for (const vector of vectors) {
    body.setPosition(vector);
    assert.deepEqual(body.getPosition(), [1, 2, 3]);
    body.setVelocity(vector);
    assert.deepEqual(body.getVelocity(), [1, 2, 3]);
    world.setGravity(vector);
    assert.deepEqual(world.getGravity().acceleration, [1, 2, 3]);
    const made = world.createBody({ position: vector, velocity: vector, mass: 1, inertia: vector });
    assert.deepEqual(made.getPosition(), [1, 2, 3]);
    near(made.getInertia(), [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    made.destroy();
    const shape = { type: 'box', halfExtents: vector };
    assert.equal(cairn.computeMassProperties(shape, 1).volume, 48);
    assert.equal(cairn.isPointInShape(shape, { position: vector }, vector), true);
    assert.equal(world.castRay(vector, vector), null);
    assert.deepEqual(world.castRayAll(vector, vector), []);
    assert.deepEqual(world.findGeometriesAtPoint(vector), []);
    near(world.createObserver({ position: vector }).getPosition(), [1, 2, 3]);
    createWind({ velocity: vector, area: 1 });
    createBuoyancy({ up: vector });
  }
  for (const rotation of rotations) {
    body.setRotation(rotation);
    assert.deepEqual(body.getRotation(), [0, 0, 1, 0]);
    const made = world.createBody({ rotation, mass: 1 });
    assert.deepEqual(made.getRotation(), [0, 0, 1, 0]);
    made.destroy();
    near(world.createObserver({ rotation }).getRotation(), [0, 0, 1, 0]);
    cairn.computeBounds({ type: 'sphere', radius: 1 }, { rotation });
  }
  body.motion = 'kinematic';
  body.moveTo(new three.Vector3(1, 2, 3), new three.Quaternion(), 1);
  world.dispose();
});

test('two vectors of one call do not get into each other', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({ gravity: [0, 0, 0] });
  const body = world.createBody({ mass: 1, inertia: [1, 1, 1] });
  body.applyForceAtPoint({ x: 0, y: 3, z: 0 }, { x: 2, y: 0, z: 0 });
  world.step();
  near(body.getLastForce(), [0, 3, 0]);
  near(body.getLastTorque(), [0, 0, 6]);
  world.dispose();
});

test('lists of points and columns of many bodies take vectors', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const points = corners.map((corner) => new three.Vector3(...corner));
  const shape = world.createShape({ type: 'convex', points });
  const flat = world.createShape({ type: 'convex', points: Int8Array.from(corners.flat()) });
  const { volume } = world.columns.shapes;
  assert.equal(volume[shape.index], volume[flat.index]);

  const positions = [new three.Vector3(1, 2, 3), [4, 5, 6]];
  const rotation = new three.Quaternion(0, 0, 1, 0);
  const bodies = world.createBodies({
    count: 2,
    body: { mass: 1 },
    positions,
    rotations: [rotation, rotation],
  });
  assert.deepEqual(bodies.at(0).getPosition(), [1, 2, 3]);
  assert.deepEqual(bodies.at(1).getPosition(), [4, 5, 6]);
  assert.deepEqual(bodies.at(1).getRotation(), [0, 0, 1, 0]);
  const [one] = world.createBodies({ count: 1, body: { mass: 1 }, velocities: [{ x: 1, y: 0, z: 0 }] });
  assert.deepEqual(one.getVelocity(), [1, 0, 0]);
  const call = 'world.createBodies';
  refuses(() => world.createBodies({ count: 2, body: { mass: 1 }, positions: [[1, 2, 3], { x: 1, y: 2 }] }), {
    call,
    argument: 'options.positions[1].z',
    reason: /is undefined, allowed are finite numbers/,
  });
  refuses(() => world.createBodies({ count: 2, positions: [{ x: 1, y: 2, z: 3 }] }), {
    call,
    reason: /an array of length 1, allowed are arrays and typed arrays of 6 numbers, .* lists of 2 vectors$/,
  });
  world.dispose();
});

test('what is no vector says why', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const body = world.createBody({ mass: 1 });
  const set = (value) => () => body.setPosition(value);
  refuses(set({ x: 1, y: 2 }), {
    argument: 'position.z',
    reason: /^position\.z is undefined, allowed are finite/,
  });
  refuses(set({ x: 1, y: NaN, z: 3 }), { code: 'NOT_FINITE', argument: 'position.y' });
  refuses(set({ x: 1, y: '2', z: 3 }), { argument: 'position.y', reason: /: Number\("2"\) is one$/ });
  refuses(set(new three.Euler(1, 2, 3)), { reason: /an Euler, allowed are .*setFromEuler/ });
  refuses(set(new three.Quaternion()), {
    reason: /a Quaternion, allowed are \[x, y, z\], .* with a w, 1, is no/,
  });
  refuses(set(new three.Mesh()), { reason: /position\.position is that of an object of three\.js$/ });
  refuses(set(new three.Vector2(1, 2)), { argument: 'position.z' });
  refuses(set(5), { reason: /^position is 5, allowed are .* a vector is one argument$/ });
  refuses(set(new BigInt64Array(3)), { code: 'WRONG_TYPE' });
  refuses(set({}), {
    reason: /a plain object, allowed are \[x, y, z\], typed arrays of 3 numbers and { x, y, z }/,
  });
  refuses(() => body.setRotation(new three.Euler(1, 2, 3)), { reason: /setFromEuler/ });
  refuses(() => body.setRotation([1, 2, 3]), { reason: /rotations are quaternions, three angles are none$/ });
  refuses(() => body.setRotation(new three.Vector3(1, 0, 0)), { argument: 'rotation.w' });
  refuses(() => world.createBody({ position: new three.Euler() }), { argument: 'options.position' });
  refuses(() => body.setInertia(new three.Matrix3()), { reason: /inertia\.elements/ });
  const points = new three.BufferAttribute(new Float32Array(9), 3);
  refuses(() => world.createShape({ type: 'convex', points }), { reason: /points\.array has the numbers$/ });
  refuses(() => world.createGeometry({ shape: Promise.resolve() }), { reason: /has to be awaited$/ });

  // one that throws itself does so
  const broken = { x: 1, y: 2, get z() { throw new RangeError('mine'); } }; // prettier-ignore
  assert.throws(set(broken), RangeError);
  assert.deepEqual(body.getPosition(), [0, 0, 0]);
  world.dispose();
});

test('vectors do not take outputs, and say what does', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const body = world.createBody({ mass: 1 });
  const out = new three.Vector3();
  refuses(() => body.getPosition(out), {
    argument: 'out',
    reason: /out\.fromArray\(body\.getPosition\(\)\)/,
  });
  refuses(() => body.getPosition({ x: 0, y: 0, z: 0 }), {
    reason: /const \[x, y, z\] = body\.getPosition\(\)/,
  });
  refuses(() => body.getPosition(new Int32Array(3)), { argument: 'out' });
  assert.deepEqual(out.fromArray(body.getPosition()).toArray(), [0, 0, 0]);
  world.dispose();
});
