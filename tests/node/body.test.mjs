// Bodies: state, motion, forces, mass, life.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Body } from '../../web/index.node.js';
import { getCairn, near, refuses } from './helpers.mjs';

async function withWorld(task, options = { gravity: [0, 0, 0] }) {
  const world = (await getCairn()).createWorld(options);
  try {
    task(world);
  } finally {
    world.dispose();
  }
}

test('a body is made as its options say', () =>
  withWorld((world) => {
    const body = world.createBody({
      motion: 'dynamic',
      position: [1, 2, 3],
      rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2],
      velocity: new Float64Array([4, 5, 6]),
      angularVelocity: new Float32Array([0, 0, 2]),
      mass: 3,
      inertia: [1, 2, 2.5],
      centreOfMass: [0.5, 0, 0],
    });
    near(body.getPosition(), [1, 2, 3]);
    near(body.getRotation(), [0, 0, Math.SQRT1_2, Math.SQRT1_2]);
    near(body.getVelocity(), [4, 5, 6]);
    near(body.getAngularVelocity(), [0, 0, 2], 1e-12);
    near(body.getAngularMomentum(), [0, 0, 5], 1e-12);
    near(body.getCentreOfMass(), [1, 2.5, 3], 1e-12);
    near(body.getLocalCentreOfMass(), [0.5, 0, 0]);
    assert.equal(body.mass, 3);
    near(body.getInertia(), [1, 0, 0, 0, 2, 0, 0, 0, 2.5]);
    assert.equal(body.motion, 'dynamic');
    assert.equal(body.enabled, true);
    assert.equal(body.isValid, true);
    assert.equal(body.world, world);
    assert.ok(body instanceof Body);
    const off = world.createBody({ enabled: false, motion: 'static' });
    assert.deepEqual([off.enabled, off.motion], [false, 'static']);
  }));

test('inertia is taken in three forms', () =>
  withWorld((world) => {
    const wanted = [2, 0.1, 0, 0.1, 2, 0, 0, 0, 3];
    const rows = [
      [2, 0.1, 0],
      [0.1, 2, 0],
      [0, 0, 3],
    ];
    for (const inertia of [wanted, new Float64Array(wanted), rows]) {
      near(world.createBody({ mass: 1, inertia }).getInertia(), wanted);
    }
    near(world.createBody({ mass: 1, inertia: [1, 1, 1] }).getInertia(), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    for (const inertia of [
      [1, 2],
      [1, 2, NaN],
      'x',
      5,
      [
        [1, 0, 0],
        [0, 1],
      ],
      [1, 1, 9],
      [-1, 1, 1],
    ]) {
      refuses(() => world.createBody({ mass: 1, inertia }), { argument: /inertia/ });
    }
  }));

test('outputs are filled and given back', () =>
  withWorld((world) => {
    const body = world.createBody({ position: [1, 2, 3] });
    for (const out of [[], [0, 0, 0], new Float64Array(3), new Float32Array(5)]) {
      assert.equal(body.getPosition(out), out);
      near([...out].slice(0, 3), [1, 2, 3]);
    }
    for (const out of [
      null,
      4,
      {},
      new Float64Array(2),
      new Int32Array(3),
      Object.freeze([0, 0, 0]),
      'abc',
    ]) {
      refuses(() => body.getPosition(out), {
        code: 'WRONG_TYPE',
        argument: 'out',
        call: 'body.getPosition',
      });
    }
    assert.equal(body.getRotation(new Float64Array(4))[3], 1);
    refuses(() => body.getRotation(new Float64Array(3)), { argument: 'out' });
  }));

test('setters change what getters give', () =>
  withWorld((world) => {
    const body = world.createBody({ mass: 2, inertia: [1, 1, 1] });
    body.setPosition([1, 0, 0]);
    body.setRotation([1, 0, 0, 0]);
    body.setVelocity([0, 1, 0]);
    body.setAngularVelocity([0, 0, 1]);
    near(body.getPosition(), [1, 0, 0]);
    near(body.getRotation(), [1, 0, 0, 0]);
    near(body.getVelocity(), [0, 1, 0]);
    near(body.getAngularVelocity(), [0, 0, 1], 1e-12);
    body.mass = 5;
    assert.equal(body.mass, 5);
    body.setInertia([2, 2, 2]);
    near(body.getInertia(), [2, 0, 0, 0, 2, 0, 0, 0, 2]);
    body.setLocalCentreOfMass([0, 0, 1]);
    near(body.getLocalCentreOfMass(), [0, 0, 1]);
    body.resetLocalCentreOfMass();
    near(body.getLocalCentreOfMass(), [0, 0, 0]);
    body.setLinearDamping([1, 1, 1]);
    body.setAngularDamping([1, 1, 1]);
    body.setMassCoefficients([0.5, 0.5, 0.5]);
    body.setInertiaCoefficients([0.5, 0.5, 0.5]);
    near(world.columns.bodies.massCoefficients.slice(3 * body.index, 3 * body.index + 3), [0.5, 0.5, 0.5]);
    body.enabled = false;
    assert.equal(body.enabled, false);
    body.enabled = true;
    body.motion = 'kinematic';
    assert.equal(body.motion, 'kinematic');
    refuses(() => (body.motion = 'moving'), {
      code: 'OUT_OF_RANGE',
      argument: 'motion',
      call: 'body.motion',
    });
    refuses(() => (body.mass = -1), { code: 'OUT_OF_RANGE', call: 'body.mass' });
    refuses(() => body.setRotation([1, 1, 1, 1]), { code: 'OUT_OF_RANGE', call: 'body.setRotation' });
    refuses(() => body.setLinearDamping([-1, 0, 0]), { code: 'OUT_OF_RANGE' });
  }));

test('a force at a point gives force and torque in the next step only', () =>
  withWorld((world) => {
    const body = world.createBody({ mass: 2, inertia: [1, 1, 1], position: [1, 0, 0] });
    const h = world.timeStep;
    body.applyForce([2, 0, 0]);
    body.applyForceAtPoint([0, 1, 0], [2, 0, 0]);
    body.applyForceAtLocalPoint([0, 1, 0], [1, 0, 0]);
    body.applyTorque([0, 0, 1]);
    world.step();
    near(body.getLastForce(), [2, 2, 0], 1e-12);
    near(body.getLastTorque(), [0, 0, 3], 1e-12);
    near(body.getVelocity(), [h, h, 0], 1e-12);
    near(body.getAngularVelocity(), [0, 0, 3 * h], 1e-12);
    world.step();
    near(body.getLastForce(), [0, 0, 0]);
  }));

test('a kinematic body arrives in time and goes on at the speed it had then', () =>
  withWorld((world) => {
    const body = world.createBody({ motion: 'kinematic', velocity: [0, 0.5, 0] });
    body.moveTo([1, 0, 0], [0, 0, 1, 0], 0.5, 'keepVelocity');
    world.steps(30);
    near(body.getPosition(), [1, 0, 0], 1e-9);
    near(body.getVelocity(), [2, 0, 0], 1e-9);
    world.steps(30);
    near(body.getPosition(), [2, 0, 0], 1e-9);
    refuses(() => body.moveTo([1, 0, 0], [0, 0, 1, 0], -1), { code: 'OUT_OF_RANGE', argument: 'duration' });
    refuses(() => body.moveTo([1, 0, 0], [0, 0, 1], 1), { code: 'WRONG_TYPE', argument: 'rotation' });
  }));

test('geometries come with a body or not at all', () =>
  withWorld((world) => {
    const shape = { type: 'box', halfExtents: [1, 1, 1] };
    const body = world.createBody({ geometries: [{ shape }, { shape, position: [0, 0, 5] }] });
    assert.equal(body.geometries().length, 2);
    assert.equal(body.mass, 16000);
    near(body.getLocalCentreOfMass(), [0, 0, 2.5], 1e-12);
    const third = body.createGeometry({ shape: { type: 'sphere', radius: 1 }, massProperties: false });
    assert.equal(third.body, body);
    assert.deepEqual(body.geometries()[2], third);

    const { bodies, geometries, shapes } = world.getCounters();
    refuses(
      () => world.createBody({ geometries: [{ shape }, { shape: { type: 'sphere', radius: NaN } }] }),
      {},
    );
    refuses(() => world.createBody({ geometries: { shape } }), { argument: 'options.geometries' });
    const after = world.getCounters();
    assert.deepEqual([after.bodies, after.geometries, after.shapes], [bodies, geometries, shapes]);
  }));

test('a destroyed body is refused, also after its row is used again', () =>
  withWorld((world) => {
    const body = world.createBody({ geometries: [{ shape: { type: 'sphere', radius: 1 } }] });
    const [geometry] = body.geometries();
    const { index } = body;
    body.destroy();
    assert.equal(body.isValid, false);
    assert.equal(geometry.isValid, false);
    refuses(() => body.getPosition(), { code: 'STALE_HANDLE', call: 'body.getPosition', argument: 'body' });
    refuses(() => body.destroy(), { code: 'STALE_HANDLE' });
    refuses(() => geometry.enabled, { code: 'STALE_HANDLE' });
    const others = Array.from({ length: 2000 }, () => world.createBody());
    assert.ok(others.some((other) => other.index === index));
    refuses(() => body.getPosition(), { code: 'STALE_HANDLE' });
    assert.equal(
      world.bodyAt(index),
      others.find((other) => other.index === index),
    );
  }));

test('the same row gives the same object', () =>
  withWorld((world) => {
    const bodies = Array.from({ length: 5 }, () => world.createBody());
    bodies.forEach((body, i) => (body.userData = i));
    assert.deepEqual(
      [...world.bodies()].map((body) => body.userData),
      [0, 1, 2, 3, 4],
    );
    assert.equal(world.bodyAt(bodies[3].index), bodies[3]);
    assert.equal(world.bodyAt(-1), null);
    assert.equal(world.bodyAt(99999), null);
    for (const row of [-2, 0.5, NaN, '0', null, undefined])
      refuses(() => world.bodyAt(row), { argument: 'row' });
  }));

test('a body cannot be made past its world', () =>
  withWorld((world) => {
    const body = world.createBody();
    refuses(() => new Body(Symbol('cairn'), world, body.handle), { code: 'WRONG_TYPE' });
    refuses(() => Object.create(Body.prototype).getPosition(), { code: 'WRONG_TYPE' });
    refuses(() => Body.prototype.getPosition.call(world), {});
  }));
