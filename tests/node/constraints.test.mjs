// Constraints: every type made, moved and read; what is refused; columns; scenes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Constraint, ConstraintFlags } from '../../web/index.node.js';
import { JointOverlay } from '../../web/three.js';
import { constraintKeys, constraintTypes } from '../../web/generated/descriptions.js';
import { enums } from '../../web/generated/api.js';
import { flavours, garbageOf, getCairn, near, readScene, refuses, root } from './helpers.mjs';

const g = 9.80665;

/** A body with round numbers: 2 kg, 0.1 kg m² about each axis. */
function makeArm(world, position, options = {}) {
  return world.createBody({ position, mass: 2, inertia: [0.1, 0.1, 0.1], ...options });
}

/** What every type needs in a world with two bodies, a hinge and a slider of the second. */
function makePlaces(cairn, options = {}) {
  const world = cairn.createWorld({ gravity: [0, 0, 0], ...options });
  const first = makeArm(world, [1, 0, 0]);
  const second = makeArm(world, [3, 0, 0]);
  const wheel = makeArm(world, [0, 5, 0]);
  const slider = makeArm(world, [0, 8, 0]);
  const hinge = world.createConstraint({ type: 'hinge', bodies: [wheel, null] });
  const rail = world.createConstraint({ type: 'prismatic', bodies: [slider, null], axis: [1, 0, 0] });
  const crank = world.createConstraint({ type: 'hinge', bodies: [first, null], axis: [1, 0, 0] });
  crank.enabled = false;
  const bodies = [first, second];
  const framed = { bodies, anchor: [2, 0, 0] };
  const anchors = [
    [1, 0, 0],
    [3, 0, 0],
  ];
  const optionsOf = {
    ball: { ...framed, cone: { limit: 1 }, twist: { limits: [-1, 1] } },
    hinge: { ...framed, axis: [0, 1, 0], motor: { speed: 1 } },
    prismatic: { ...framed, axis: [1, 0, 0], range: { limits: [-0.1, 0.1] } },
    lock: framed,
    universal: { ...framed, axis: [0, 1, 0], reference: [0, 0, 1], motor: [{ speed: 1 }, null] },
    cylindrical: { ...framed, axis: [1, 0, 0], screw: { lead: 0.1 }, lockAt: [null, { position: 0.5 }] },
    distance: { bodies, anchors, range: { limits: [1.5, 2.5] } },
    planar: { ...framed, axis: [0, 0, 1] },
    angularLock: framed,
    spring: { bodies, anchors, stiffness: 100, damping: 1, length: 1.5 },
    gear: { constraints: [hinge, crank], ratio: -2 },
    screw: {
      ...framed,
      axis: [1, 0, 0],
      lead: 0.2,
      friction: [{ force: 1 }, { coefficient: 0.1, radius: 0.05 }],
    },
    rackPinion: { constraints: [hinge, rail], radius: 0.5 },
    pointOnLine: { ...framed, axis: [1, 0, 0] },
    pointOnPlane: { ...framed, axis: [0, 0, 1] },
    parallelAxes: { ...framed, axis: [0, 0, 1] },
  };
  return { world, first, second, hinge, rail, optionsOf };
}

for (const [flavour, getModule] of flavours) {
  test(`each type is made, moved and read (${flavour})`, async () => {
    const cairn = await getModule();
    const { world } = makePlaces(cairn);
    world.dispose();
    for (const type of enums.cnConstraintType) {
      const places = makePlaces(cairn);
      const constraint = places.world.createConstraint({ type, ...places.optionsOf[type] });
      assert.ok(constraint instanceof Constraint);
      assert.equal(constraint.type, type);
      assert.ok(
        constraint.enabled && constraint.isValid && !constraint.broken && !constraint.collideConnected,
      );
      assert.equal(constraint.world, places.world);
      const isGear = type === 'gear' || type === 'rackPinion';
      assert.equal(constraint.body1, isGear ? null : places.first);
      assert.equal(constraint.body2, isGear ? null : places.second);
      assert.equal(constraint.constraint1, isGear ? places.hinge : null);
      assert.equal(constraint.constraint2 !== null, isGear);
      const { free } = constraintTypes[type];
      const start = ['distance', 'spring'].includes(type) ? 2 : 0;
      free.forEach((_, i) => near(constraint.getCoordinate(i), start, 0));
      refuses(() => constraint.getCoordinate(free.length), { code: 'OUT_OF_RANGE', argument: 'index' });

      // kicked, it holds what it has to hold
      places.first.setVelocity([0.3, -0.2, 0.1]);
      places.second.setAngularVelocity([0.2, 0.3, -0.1]);
      places.hinge.body1.setAngularVelocity([0, 0, 1]);
      places.world.steps(30);
      assert.ok(constraint.violation < 1e-4, `${type}: ${constraint.violation}`);
      assert.ok([...constraint.getForce(), ...constraint.getTorque()].every(Number.isFinite));
      free.forEach((word, i) => {
        assert.ok(Number.isFinite(constraint.getCoordinate(i)) && Number.isFinite(constraint.getSpeed(i)));
        assert.equal(constraint[word], constraint.getCoordinate(free.indexOf(word)));
      });
      if (free.length > 0) assert.equal(constraint.speed, constraint.getSpeed(0));
      for (const word of ['angle', 'position']) {
        if (!free.includes(word))
          refuses(() => constraint[word], { code: 'OUT_OF_RANGE', reason: /allowed are/ });
      }
      places.world.dispose();
    }
  });

  test(`a resting hinge carries the weight, on both sides (${flavour})`, async () => {
    const world = (await getModule()).createWorld();
    const arm = makeArm(world, [1, 0, 0]);
    const lock = world.createConstraint({ type: 'lock', bodies: [arm, null], anchor: [0, 0, 0] });
    world.steps(120);
    near(lock.getForce(), [0, 0, 2 * g], 1e-6);
    near(lock.getForceOn(arm), [0, 0, 2 * g], 1e-6);
    near(lock.getForceOn(null), [0, 0, -2 * g], 1e-6);
    // the arm would turn about +y: the lock holds it about −y, at the anchor; the weight and the lock balance
    // about the centre
    near(lock.getTorque(), [0, -2 * g, 0], 1e-5);
    near(lock.getTorqueOn(null), [0, 2 * g, 0], 1e-5);
    near(lock.getTorque([], 'centreOfMass'), [0, 0, 0], 1e-5);
    near(lock.getDofForce(2), 2 * g, 1e-6);
    near(lock.getDofForce(4), -2 * g, 1e-5);
    assert.equal(lock.getForce(new Float64Array(3)).constructor, Float64Array);
    refuses(() => lock.getForceOn(makeArm(world, [0, 0, 0])), { code: 'OUT_OF_RANGE', argument: 'body' });
    refuses(() => lock.getTorque([], 'anchor'), { code: 'WRONG_TYPE', argument: 'about' });
    refuses(() => lock.getDofForce(6), { code: 'OUT_OF_RANGE', argument: 'dof' });
    world.dispose();
  });
}

test('a motor drives towards growing angles with the force it has', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  const wheel = makeArm(world, [0, 0, 0]);
  const hinge = world.createConstraint({
    type: 'hinge',
    bodies: [wheel, null],
    axis: [0, 0, 2],
    motor: { speed: 3, force: 0.2 },
  });
  // 0.2 N m on 0.1 kg m²: 2 rad/s²
  world.steps(60);
  near(hinge.speed, 2, 1e-6);
  near(hinge.getSecondaryForces().motor, 0.2, 1e-9);
  near(wheel.getAngularVelocity(), [0, 0, 2], 1e-6);
  world.steps(120);
  near(hinge.speed, 3, 1e-6);
  near(hinge.getSecondaryForces().motor, 0, 1e-6);

  // what is given is overridden, the rest stays
  hinge.setMotor({ speed: -1 });
  assert.deepEqual(hinge.getMotor(), {
    enabled: true,
    speed: -1,
    force: [-0.2, 0.2],
    lockAtZeroSpeed: false,
  });
  hinge.setMotor({ force: [null, Infinity] });
  assert.deepEqual(hinge.getMotor().force, [-Infinity, Infinity]);
  world.step();
  near(hinge.speed, -1, 1e-6);
  hinge.setMotor({ enabled: false });
  assert.equal(hinge.getMotor().enabled, false);
  assert.equal(hinge.getMotor().speed, -1);
  hinge.setMotor(hinge.getMotor());
  assert.equal(hinge.getMotor().enabled, false);
  hinge.setMotor(null);
  assert.equal(hinge.getMotor().speed, 0);

  // angles go over many turns
  hinge.setMotor({ speed: 20 });
  const before = hinge.angle;
  world.steps(120);
  near(hinge.angle - before, 40, 0.4);
  world.dispose();
});

test('locks, ranges, friction and springs do what they say', async () => {
  const world = (await getCairn()).createWorld();
  const slide = (options) =>
    world.createConstraint({ type: 'prismatic', bodies: [makeArm(world, [0, 0, 0]), null], ...options });
  const held = slide({ lockAt: { position: -0.25 } });
  const ranged = slide({ range: { limits: [-0.5, null] } });
  const rubbed = slide({ friction: { force: 3 } });
  const driven = slide({ motor: { speed: 0.5, force: 100 } });
  const spring = world.createConstraint({
    type: 'spring',
    bodies: [makeArm(world, [5, 0, 0]), null],
    anchors: [
      [5, 0, 0],
      [5, 0, 1],
    ],
    stiffness: 500,
    damping: 60,
  });
  const rope = world.createConstraint({
    type: 'distance',
    bodies: [makeArm(world, [7, 0, 0]), null],
    anchors: [
      [7, 0, 0],
      [7, 0, 1],
    ],
    motor: { speed: 0.1 },
  });
  world.steps(300);
  near(held.position, -0.25, 1e-5);
  near(held.getSecondaryForces().lock, 2 * g, 1e-4);
  near(ranged.position, -0.5, 1e-5);
  near(ranged.getSecondaryForces().range, 2 * g, 1e-4);
  // friction against the fall: a = g − F/m
  near(rubbed.speed, -(g - 1.5) * 5, 1e-6);
  near(rubbed.getSecondaryForces().friction, 3, 1e-9);
  near(driven.position, 0.5 * 5, 1e-2);
  near(driven.getSecondaryForces().motor, 2 * g, 1e-6);
  // stretched by m g / k
  near(spring.position, 1 + (2 * g) / 500, 1e-4);
  near(rope.position, 1.5, 1e-2);
  near(rope.speed, 0.1, 1e-6);

  assert.deepEqual(held.getLockAt(), {
    enabled: true,
    position: -0.25,
    force: [-Infinity, Infinity],
    compliance: 1e-8,
    damping: undefined,
  });
  held.setLockAt({ position: 0, force: [0, 5] });
  world.step();
  near(held.getSecondaryForces().lock, 5, 1e-9);
  assert.deepEqual(ranged.getRange().limits, [-0.5, Infinity]);
  assert.deepEqual(rubbed.getFriction(), { enabled: true, coefficient: 0, radius: 1, force: 3 });
  world.dispose();
});

test('gears, racks and screws keep their ratios', async () => {
  const { world, hinge, rail, first, second } = makePlaces(await getCairn());
  const other = world.createConstraint({ type: 'hinge', bodies: [makeArm(world, [0, 6, 0]), null] });
  const gear = world.createConstraint({ type: 'gear', constraints: [hinge, other], ratio: -0.5 });
  const rack = world.createConstraint({ type: 'rackPinion', constraints: [other, rail], radius: 0.25 });
  const screw = world.createConstraint({
    type: 'cylindrical',
    bodies: [first, second],
    axis: [1, 0, 0],
    screw: { lead: 0.05 },
    motor: [null, { speed: 2 }],
  });
  hinge.setMotor({ speed: 1 });
  world.steps(240);
  near(hinge.angle, 4, 0.05);
  near(other.angle, -2 * hinge.angle, 1e-5);
  near(rail.position, 0.25 * other.angle, 1e-5);
  near(screw.position, 0.05 * screw.angle, 1e-5);
  near(screw.getSpeed(1), 2, 1e-6);
  assert.equal(screw.getScrew().lead, 0.05);
  screw.setScrew(null);
  assert.equal(screw.getScrew().enabled, false);

  // gears go with their partners
  other.destroy();
  assert.ok(!gear.isValid && !rack.isValid && !other.isValid && hinge.isValid);
  refuses(() => gear.violation, { code: 'STALE_HANDLE' });
  refuses(() => other.angle, { code: 'STALE_HANDLE' });
  world.dispose();
});

test('cones and twists of balls limit what they should', async () => {
  const world = (await getCairn()).createWorld();
  const arm = makeArm(world, [0.01, 0, 1]);
  const ball = world.createConstraint({
    type: 'ball',
    bodies: [arm, null],
    anchor: [0, 0, 0],
    cone: { limit: 0.5 },
  });
  world.steps(600);
  const { rotation } = ball.getFrame();
  const [x, y] = rotation;
  near(2 * Math.asin(Math.hypot(x, y)), 0.5, 1e-3);
  assert.ok(Math.abs(ball.getSecondaryForces(0).range) > 1);
  assert.equal(ball.getCone().limit, 0.5);
  ball.setCone({ limit: 1 });
  assert.equal(ball.getCone().limit, 1);
  ball.setTwist({ limits: [-0.1, 0.2] });
  assert.deepEqual(ball.getTwist().limits, [-0.1, 0.2]);
  ball.setCone(null);
  assert.equal(ball.getCone().enabled, false);
  refuses(() => ball.setCone({ limits: [0, 1] }), { code: 'UNKNOWN_NAME' });
  refuses(() => ball.setCone({ limit: 4 }), { code: 'OUT_OF_RANGE' });
  refuses(() => ball.setMotor({ speed: 1 }), { code: 'OUT_OF_RANGE', argument: 'index' });
  world.dispose();
});

test('values by degree of freedom', async () => {
  const { world, optionsOf } = makePlaces(await getCairn());
  const hinge = world.createConstraint({
    type: 'hinge',
    ...optionsOf.hinge,
    compliance: [1e-6, null, 2e-6, 3e-6, null, null],
    damping: 0.25,
    forceRange: [[-1, 1], null, null, [0, null], null, null],
  });
  near(
    [0, 1, 2, 3, 4].map((dof) => hinge.getCompliance(dof)),
    [1e-6, 1e-8, 2e-6, 3e-6, 1e-8],
    1e-20,
  );
  assert.equal(hinge.getDamping(0), 0.25);
  hinge.setDamping([null, 0, null, null, null, null]);
  assert.deepEqual([hinge.getDamping(0), hinge.getDamping(1)], [0.25, 0]);
  hinge.setCompliance(1e-9);
  assert.equal(hinge.getCompliance(5), 1e-9);
  assert.deepEqual(hinge.getForceRange(0), [-1, 1]);
  assert.deepEqual(hinge.getForceRange(1), [-Infinity, Infinity]);
  hinge.setForceRange([-10, 10]);
  assert.deepEqual(hinge.getForceRange(4), [-10, 10]);
  refuses(() => hinge.getForceRange(6), { argument: 'dof' });
  assert.equal(hinge.solve, 'direct');
  assert.equal(world.createConstraint({ type: 'ball', ...optionsOf.lock }).getDamping(0), null);
  for (const bad of [-1, NaN, '1', [1], [1, 1, 1, 1, 1, -1], {}]) {
    refuses(() => hinge.setCompliance(bad), { call: 'constraint.setCompliance' });
    refuses(() => hinge.setDamping(bad), { call: 'constraint.setDamping' });
  }
  assert.equal(hinge.getCompliance(0), 1e-9);
  for (const bad of [1, [1, 0], [NaN, 1], ['0', 1], [Infinity, null], new Array(6).fill([1, 0])])
    refuses(() => hinge.setForceRange(bad), { call: 'constraint.setForceRange' });
  world.dispose();
});

test('what is wrong is named, and nothing is left behind', async () => {
  const cairn = await getCairn();
  const { world, first, second, hinge, optionsOf } = makePlaces(cairn);
  const other = cairn.createWorld();
  const foreign = makeArm(other, [0, 0, 0]);
  const destroyed = makeArm(world, [0, 0, 0]);
  destroyed.destroy();
  const framed = optionsOf.lock;
  const count = () => [...world.constraints()].length;
  const before = [count(), world.hash()];
  /** @type {[object, string, string][]} */
  const cases = [
    [{}, 'WRONG_TYPE', 'options.type'],
    [{ type: 'rope', ...framed }, 'OUT_OF_RANGE', 'options.type'],
    [{ type: 'hinge' }, 'WRONG_TYPE', 'options.bodies'],
    [{ type: 'hinge', bodies: first }, 'WRONG_TYPE', 'options.bodies'],
    [{ type: 'hinge', bodies: [first] }, 'WRONG_TYPE', 'options.bodies'],
    [{ type: 'hinge', bodies: [null, first] }, 'WRONG_TYPE', 'options.bodies[0]'],
    [{ type: 'hinge', bodies: [first, undefined] }, 'WRONG_TYPE', 'options.bodies[1]'],
    [{ type: 'hinge', bodies: [first, hinge] }, 'WRONG_TYPE', 'options.bodies[1]'],
    [{ type: 'hinge', bodies: [first, foreign] }, 'STALE_HANDLE', 'options.bodies[1]'],
    [{ type: 'hinge', bodies: [destroyed, null] }, 'STALE_HANDLE', 'options.bodies[0]'],
    [{ type: 'hinge', bodies: [first, first] }, 'OUT_OF_RANGE', 'options.bodies[1]'],
    [{ type: 'hinge', ...framed, cone: { limit: 1 } }, 'UNKNOWN_NAME', 'options.cone'],
    [{ type: 'hinge', ...framed, anchors: [] }, 'UNKNOWN_NAME', 'options.anchors'],
    [{ type: 'hinge', ...framed, axis: [0, 0, 0] }, 'OUT_OF_RANGE', 'options.axis'],
    [{ type: 'hinge', ...framed, axis: [0, 0] }, 'WRONG_TYPE', 'options.axis'],
    [{ type: 'hinge', ...framed, anchor: [0, NaN, 0] }, 'NOT_FINITE', 'options.anchor[1]'],
    [{ type: 'hinge', ...framed, reference: [0, 0, 2] }, 'OUT_OF_RANGE', 'options.reference'],
    [{ type: 'hinge', ...framed, compliance: -1 }, 'OUT_OF_RANGE', 'options.compliance'],
    [{ type: 'hinge', ...framed, compliance: [0, 0] }, 'WRONG_TYPE', 'options.compliance'],
    [{ type: 'hinge', ...framed, damping: [0, 0, 0, 0, 0, '0'] }, 'WRONG_TYPE', 'options.damping[5]'],
    [{ type: 'hinge', ...framed, forceRange: [2, 1] }, 'OUT_OF_RANGE', 'options.forceRange'],
    [{ type: 'hinge', ...framed, solve: 'magic' }, 'OUT_OF_RANGE', 'options.solve'],
    [{ type: 'hinge', ...framed, breakForce: 0 }, 'OUT_OF_RANGE', 'options.breakForce'],
    [{ type: 'hinge', ...framed, enabled: 1 }, 'WRONG_TYPE', 'options.enabled'],
    [{ type: 'hinge', ...framed, motor: 3 }, 'WRONG_TYPE', 'options.motor'],
    [{ type: 'hinge', ...framed, motor: { speed: '1' } }, 'WRONG_TYPE', 'options.motor.speed'],
    [{ type: 'hinge', ...framed, motor: { torque: 1 } }, 'UNKNOWN_NAME', 'options.motor.torque'],
    [{ type: 'hinge', ...framed, motor: { force: -1 } }, 'OUT_OF_RANGE', 'options.motor.force'],
    [{ type: 'hinge', ...framed, motor: { force: [1, -1] } }, 'OUT_OF_RANGE', 'options.motor.force'],
    [{ type: 'hinge', ...framed, range: { limits: [1] } }, 'WRONG_TYPE', 'options.range.limits'],
    [{ type: 'hinge', ...framed, range: { limits: [1, NaN] } }, 'NOT_FINITE', 'options.range.limits[1]'],
    [{ type: 'hinge', ...framed, range: { limits: [1, 0] } }, 'OUT_OF_RANGE', 'options.range.limits'],
    [
      { type: 'hinge', ...framed, friction: { coefficient: -1 } },
      'OUT_OF_RANGE',
      'options.friction.coefficient',
    ],
    [{ type: 'ball', ...framed, cone: { limit: 4 } }, 'OUT_OF_RANGE', 'options.cone.limit'],
    [{ type: 'ball', ...framed, twist: { limit: 4 } }, 'UNKNOWN_NAME', 'options.twist.limit'],
    [{ type: 'cylindrical', ...framed, motor: { speed: 1 } }, 'WRONG_TYPE', 'options.motor'],
    [
      { type: 'cylindrical', ...framed, motor: [{ speed: NaN }, null] },
      'NOT_FINITE',
      'options.motor[0].speed',
    ],
    [
      { type: 'cylindrical', ...framed, lockAt: [null, { force: [2, 1] }] },
      'OUT_OF_RANGE',
      'options.lockAt[1].force',
    ],
    [
      { type: 'universal', ...framed, axis: [1, 0, 0], reference: [1, 1, 0] },
      'OUT_OF_RANGE',
      'options.reference',
    ],
    [{ type: 'screw', ...framed }, 'WRONG_TYPE', 'options.lead'],
    [{ type: 'screw', ...framed, lead: 0 }, 'OUT_OF_RANGE', 'options.lead'],
    [{ type: 'distance', bodies: [first, second] }, 'WRONG_TYPE', 'options.anchors'],
    [{ ...optionsOf.distance, type: 'distance', length: -1 }, 'OUT_OF_RANGE', 'options.length'],
    [{ ...optionsOf.distance, type: 'distance', stiffness: 1 }, 'UNKNOWN_NAME', 'options.stiffness'],
    [{ ...optionsOf.spring, type: 'spring', damping: [1, 1, 1, 1, 1, 1] }, 'WRONG_TYPE', 'options.damping'],
    [{ type: 'gear', constraints: [hinge, hinge], ratio: 1 }, 'OUT_OF_RANGE', 'options.constraints[1]'],
    [{ type: 'gear', constraints: [hinge, first], ratio: 1 }, 'WRONG_TYPE', 'options.constraints[1]'],
    [{ ...optionsOf.gear, type: 'gear', ratio: 0 }, 'OUT_OF_RANGE', 'options.ratio'],
    [
      { type: 'gear', constraints: optionsOf.rackPinion.constraints, ratio: 1 },
      'OUT_OF_RANGE',
      'options.constraints[1]',
    ],
  ];
  for (const [options, code, argument] of cases) {
    const name = JSON.stringify(options, (key, value) =>
      ['bodies', 'constraints'].includes(key) ? key : value,
    );
    assert.doesNotThrow(
      () => refuses(() => world.createConstraint(options), { code, argument }),
      `${name} should be ${code} of ${argument}`,
    );
    assert.deepEqual([count(), world.hash()], before, name);
  }
  for (const bad of [null, undefined, 3, 'hinge', [], first])
    refuses(() => world.createConstraint(bad), { code: 'WRONG_TYPE', argument: 'options' });
  refuses(() => new Constraint(Symbol('x'), world, 1), { code: 'WRONG_TYPE', argument: 'new' });
  refuses(() => (hinge.enabled = 1), { code: 'WRONG_TYPE' });
  refuses(() => (hinge.breakForce = -1), { code: 'OUT_OF_RANGE', argument: 'breakForce' });
  refuses(() => (hinge.breakTorque = '1'), { code: 'WRONG_TYPE', argument: 'breakTorque' });
  refuses(() => hinge.setMotor({ speed: 1 }, 1), { code: 'OUT_OF_RANGE', argument: 'index' });
  refuses(() => hinge.setMotor(undefined), { code: 'WRONG_TYPE', argument: 'motor' });
  refuses(() => hinge.setScrew({ lead: 1 }), { code: 'OUT_OF_RANGE', argument: 'constraint' });
  refuses(() => other.createConstraint({ type: 'lock', bodies: [first, null] }), { code: 'STALE_HANDLE' });
  assert.deepEqual([count(), world.hash()], before);
  other.dispose();
  world.dispose();
});

test('a type takes in JavaScript what it takes in scenes', async () => {
  const cairn = await getCairn();
  assert.deepEqual(Object.keys(constraintTypes), enums.cnConstraintType);
  for (const [type, { takes }] of Object.entries(constraintTypes)) {
    const scene = { format: 'cairn-scene', version: 1, constraints: [{ type, nobodyHasThis: 1 }] };
    let reason = '';
    try {
      cairn.loadScene(scene);
    } catch (error) {
      ({ reason } = error);
    }
    const keys = (/allowed are (.*)$/.exec(reason)?.[1] ?? '').split(', ');
    const wanted = [...constraintKeys, ...takes, 'name', 'computeForces', 'mergeSplit'];
    // a long reason ends early
    const last = (keys.pop() ?? '').replace('…', '');
    assert.ok(
      keys.every((key) => wanted.includes(key)) && wanted.some((key) => key.startsWith(last)),
      reason,
    );
    if (wanted.includes(last)) assert.equal(keys.length + 1, wanted.length, reason);
    else assert.ok(reason.length > 200 && keys.length > 15, reason);
  }
});

test('the world and its bodies know their constraints', async () => {
  const { world, first, second, hinge, rail } = makePlaces(await getCairn());
  const ball = world.createConstraint({ type: 'ball', bodies: [first, second] });
  assert.deepEqual(second.constraints(), [ball]);
  assert.equal(first.constraints().length, 2);
  assert.deepEqual([...world.constraints()].slice(0, 2), [hinge, rail]);
  assert.equal(world.constraintAt(ball.index), ball);
  assert.equal(world.constraintAt(-1), null);
  ball.userData = 7;
  assert.equal(second.constraints()[0].userData, 7);
  second.destroy();
  assert.ok(!ball.isValid);
  refuses(() => ball.type, { code: 'STALE_HANDLE' });
  assert.equal(first.constraints().length, 1);
  assert.equal(world.constraintAt(ball.index), null);
  hinge.destroy();
  refuses(() => hinge.destroy(), { code: 'STALE_HANDLE' });
  world.dispose();
  refuses(() => rail.type, { code: 'STALE_HANDLE' });
  assert.ok(!rail.isValid);
});

test('enabling, breaking limits and contacts between what is joined', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const geometries = [{ shape: { type: 'sphere', radius: 0.6 } }];
  const arm = makeArm(world, [0, 0, 0], { geometries });
  const other = makeArm(world, [0, 0, 1], { geometries });
  const lock = world.createConstraint({
    type: 'lock',
    bodies: [arm, other],
    breakForce: 50,
    breakTorque: 20,
  });
  assert.deepEqual([lock.breakForce, lock.breakTorque, lock.broken], [50, 20, false]);
  lock.breakForce = 0;
  lock.breakTorque = 30;
  assert.deepEqual([lock.breakForce, lock.breakTorque], [0, 30]);
  world.step();
  assert.equal(world.getCounters().contacts, 0, 'joined bodies do not touch');
  lock.enabled = false;
  world.step();
  assert.equal(world.getCounters().contacts, 1);
  near(lock.getForce(), [0, 0, 0]);
  const { flags } = world.columns.constraints;
  assert.equal(flags[lock.index] & ConstraintFlags.enabled, 0);
  const loose = world.createConstraint({ type: 'ball', bodies: [arm, other], collideConnected: true });
  assert.ok(loose.collideConnected);
  world.step();
  assert.equal(world.getCounters().contacts, 1);
  world.dispose();
});

test('what breaks is disabled, seen in the flags, and can be mended', async () => {
  const world = (await getCairn()).createWorld();
  const [weak, strong, twisted] = [0, 5, 10].map((x) => makeArm(world, [x, 0, 0]));
  const hang = (body, options) =>
    world.createConstraint({
      type: 'lock',
      bodies: [body, null],
      anchor: [body.getPosition()[0] - 1, 0, 0],
      ...options,
    });
  const joints = [
    hang(weak, { breakForce: 1.9 * g }),
    hang(strong, { breakForce: 3 * g, breakTorque: 3 * g }),
    hang(twisted, { breakTorque: 1.9 * g }),
  ];
  const heard = [];
  const deaf = world.addBreakListener(() => assert.fail('removed'));
  deaf.remove();
  const listener = world.addBreakListener((constraint) => {
    heard.push([world.stepCount, joints.indexOf(constraint), constraint.broken]);
    refuses(() => world.step(), { code: 'WRONG_PHASE', argument: 'world' });
  });
  refuses(() => world.addBreakListener({}), { code: 'WRONG_TYPE', argument: 'onBreak' });
  world.steps(60);
  // of a step that has both the first row first; no more of them later
  assert.equal(heard.length, 2);
  assert.deepEqual(heard.map(([, joint]) => joint).sort(), [0, 2]);
  assert.ok(heard.every(([step, , broken]) => broken && step < 60));
  listener.remove();
  assert.ok(!listener.isActive);
  assert.deepEqual(
    joints.map(({ broken, enabled }) => [broken, enabled]),
    [
      [true, false],
      [false, true],
      [true, false],
    ],
  );
  const { flags } = world.columns.constraints;
  assert.deepEqual(
    joints.map(({ index }) => (flags[index] & ConstraintFlags.broken) !== 0),
    [true, false, true],
  );
  assert.ok(weak.getPosition()[2] < -1);
  near(strong.getPosition(), [5, 0, 0], 1e-5);

  // mended, without a limit: it takes the body back to where it holds it
  const [joint] = joints;
  joint.breakForce = 0;
  joint.enabled = true;
  assert.ok(!joint.broken);
  world.steps(120);
  near(weak.getPosition(), [0, 0, 0], 1e-5);
  world.dispose();
});

for (const [flavour, getModule] of flavours) {
  test(`what a joint that closes a wedge raises is taken out, and the listener hears how much (${flavour})`, async () => {
    // a ball joint pulls three capsules into one another
    const file = join(root, 'tests/hunt/explosions/wedge-three-capsules.json');
    const scene = (await getModule()).loadScene(readFileSync(file, 'utf8'));
    const { world } = scene;
    world.setSolver('split');
    const heard = [];
    const deaf = world.addGuardListener(() => assert.fail('removed'));
    deaf.remove();
    const listener = world.addGuardListener((event) => {
      heard.push(event);
      refuses(() => world.step(), { code: 'WRONG_PHASE', argument: 'world' });
    });
    refuses(() => world.addGuardListener({}), { code: 'WRONG_TYPE', argument: 'onGuard' });
    let steps = 0;
    let energy = 0;
    for (let i = 0; i < 120; ++i) {
      const before = heard.length;
      scene.step();
      const { islands, guardedIslands } = world.getCounters();
      const statistics = Array.from({ length: islands }, (_, k) => world.getIslandStatistics(k));
      assert.deepEqual(
        heard.slice(before).map((event) => [event.energy, event.repeats]),
        statistics.filter(({ raised }) => raised > 0).map(({ raised, repeats }) => [raised, repeats]),
      );
      assert.equal(heard.length - before, guardedIslands);
      steps += guardedIslands > 0;
      for (const event of heard.slice(before)) energy += event.energy;
    }
    assert.ok(steps >= 10 && energy > 0.05, `${steps} steps, ${energy} J`);
    // all three bodies are in one island, and the first has the lowest row
    assert.ok(heard.every(({ body }) => body === scene.findBody('b60')));

    // many steps in one call are heard, too, until it is removed
    const { length } = heard;
    scene.steps(60);
    assert.ok(heard.length > length);
    listener.remove();
    assert.ok(!listener.isActive);
    const last = heard.length;
    scene.steps(10);
    assert.equal(heard.length, last);
    scene.dispose();
  });
}

test('the guard leaves alone what makes no energy: a heavy chain, a stack with a ball joint', async () => {
  const cairn = await getCairn();
  const chain = cairn.loadScene(readScene('heavy-chain'));
  const stack = cairn.createWorld();
  stack.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const boxes = [0.5, 1.5, 2.5].map((z) =>
    stack.createBody({
      position: [0, 0, z],
      geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }],
    }),
  );
  stack.createConstraint({ type: 'ball', bodies: [boxes[2], boxes[1]], anchor: [0, 0, 2] });
  for (const world of [chain.world, stack]) {
    const unheard = await garbageOf(() => world.step());
    world.addGuardListener(({ energy }) => assert.fail(`${energy} J at ${world.time} s`));
    for (let i = 0; i < 600; ++i) {
      world.step();
      assert.equal(world.getCounters().guardedIslands, 0);
    }
    const bytes = await garbageOf(() => world.step());
    assert.ok(bytes < unheard + 5000, `100 steps left ${bytes} bytes, without a listener ${unheard}`);
  }
  chain.dispose();
  stack.dispose();
});

test('a guard listener may destroy the bodies that others would hear of', async () => {
  const cairn = await getCairn();
  const file = join(root, 'tests/hunt/explosions/wedge-three-capsules.json');
  const scene = cairn.loadScene(readFileSync(file, 'utf8'));
  const { world } = scene;
  world.setSolver('iterative');
  const gone = scene.findBody('b60');
  let first = 0;
  world.addGuardListener(({ body }) => {
    first += 1;
    body.destroy();
  });
  world.addGuardListener(({ body }) => assert.fail(`hears of ${body}`));
  while (first === 0 && world.stepCount < 120) world.step();
  assert.equal(first, 1);
  assert.ok(!gone.isValid);
  world.step();
  scene.dispose();
});

test('columns give what getters give, without garbage', async () => {
  const cairn = await getCairn();
  const scene = cairn.loadScene(readScene('heavy-chain'));
  const { world } = scene;
  scene.steps(60);
  const { constraints } = world.columns;
  assert.equal(constraints.rows, 31);
  for (const constraint of world.constraints()) {
    const row = constraint.index;
    assert.equal(constraints.handle[row], constraint.handle);
    assert.equal(enums.cnConstraintType[constraints.type[row]], constraint.type);
    assert.equal(constraints.body1[row], constraint.body1.index);
    assert.deepEqual([...constraints.force.slice(3 * row, 3 * row + 3)], constraint.getForce());
    assert.deepEqual([...constraints.torque.slice(3 * row, 3 * row + 3)], constraint.getTorque());
    assert.equal(Math.max(constraints.gap[row], constraints.misalignment[row]), constraint.violation);
    for (let dof = 0; dof < 6; ++dof)
      assert.equal(constraints.dofForce[6 * row + dof], constraint.getDofForce(dof));
  }
  const joint = scene.findConstraint('joint3');
  const hinge = world.createConstraint({
    type: 'hinge',
    bodies: [scene.findBody('link0'), null],
    enabled: false,
  });
  const vector = new Float64Array(3);
  const forces = hinge.getSecondaryForces();
  const frame = hinge.getFrame();
  let sum = 0;
  const task = () => {
    const { force, gap, rows } = world.columns.constraints;
    for (let row = 0; row < rows; ++row) sum += force[3 * row] + gap[row];
    joint.getForce(vector);
    joint.getTorque(vector, 'centreOfMass');
    hinge.getSecondaryForces(0, forces);
    hinge.getFrame(frame);
    if (hinge.angle + hinge.speed + joint.violation > 1e9 || joint.broken) sum = 0;
  };
  const bytes = await garbageOf(task);
  assert.ok(bytes < 100 * 1000, `100 frames left ${bytes} bytes`);
  assert.ok(Number.isFinite(sum));
  refuses(() => scene.findConstraint('nobody'), { code: 'UNKNOWN_NAME' });
  scene.dispose();
});

for (const [flavour, getModule] of flavours) {
  test(`thirty links and ten tonnes do not stretch (${flavour})`, async () => {
    const scene = (await getModule()).loadScene(readScene('heavy-chain'));
    let worst = 0;
    for (let i = 0; i < 1200; ++i) {
      scene.step();
      const { gap } = scene.world.columns.constraints;
      for (let row = 0; row < 31; ++row) worst = Math.max(worst, gap[row]);
    }
    assert.ok(worst < 1e-3, `${worst} m`);
    scene.dispose();
  });
}

test('the same constraints by calls and by a scene give the same states', async () => {
  const cairn = await getCairn();
  const scene = cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    bodies: [
      { name: 'a', mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0] },
      { name: 'b', mass: 2, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0] },
    ],
    constraints: [
      {
        name: 'h',
        type: 'hinge',
        bodies: ['a', null],
        anchor: [0, 0, 0],
        axis: [0, 1, 0],
        compliance: [1e-7, null, null, 1e-7, null, null],
        friction: { coefficient: 0.1, radius: 0.05 },
      },
      {
        type: 'cylindrical',
        bodies: ['b', 'a'],
        anchor: [1.5, 0, 0],
        axis: [0, 1, 0],
        motor: [null, { speed: 1, force: 2 }],
        range: [{ limits: [-0.1, 0.1] }, null],
      },
      {
        type: 'spring',
        bodies: ['b', null],
        anchors: [
          [2, 0, 0],
          [2, 0, 1],
        ],
        stiffness: 100,
        damping: 2,
      },
    ],
  });
  const world = cairn.createWorld({ sleep: false });
  const a = makeArm(world, [1, 0, 0]);
  const b = makeArm(world, [2, 0, 0]);
  world.createConstraint({
    type: 'hinge',
    bodies: [a, null],
    anchor: [0, 0, 0],
    axis: [0, 1, 0],
    compliance: [1e-7, null, null, 1e-7, null, null],
    friction: { coefficient: 0.1, radius: 0.05 },
  });
  world.createConstraint({
    type: 'cylindrical',
    bodies: [b, a],
    anchor: [1.5, 0, 0],
    axis: [0, 1, 0],
    motor: [null, { speed: 1, force: 2 }],
    range: [{ limits: [-0.1, 0.1] }, null],
  });
  world.createConstraint({
    type: 'spring',
    bodies: [b, null],
    anchors: [
      [2, 0, 0],
      [2, 0, 1],
    ],
    stiffness: 100,
    damping: 2,
  });
  scene.steps(120);
  world.steps(120);
  assert.equal(world.hash(), scene.world.hash());
  assert.equal(scene.findConstraint('h').type, 'hinge');
  scene.dispose();
  world.dispose();
});

test('an action on one of a hinge loads without complaint', async () => {
  const scene = (await getCairn()).loadScene({
    format: 'cairn-scene',
    version: 1,
    bodies: [{ name: 'a', mass: 1, inertia: [1, 1, 1] }],
    constraints: [{ name: 'h', type: 'hinge', bodies: ['a', null], motor: { speed: 1 } }],
    actions: [{ at: 0.5, constraint: 'h', motor: { speed: 3 } }],
  });
  scene.steps(60);
  near(scene.findConstraint('h').speed, 3, 1e-6);
  scene.dispose();
});

test('the overlay draws joints where the bodies are drawn', async () => {
  const world = (await getCairn()).createWorld();
  const turn = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const arm = makeArm(world, [1, 0, 0], { rotation: turn });
  const other = makeArm(world, [3, 0, 1]);
  const hinge = world.createConstraint({
    type: 'hinge',
    bodies: [arm, null],
    anchor: [0, 0, 0],
    axis: [0, 1, 0],
  });
  const anchors = [
    [3, 0, 1],
    [1, 0, 0],
  ];
  const rope = world.createConstraint({ type: 'distance', bodies: [other, arm], anchors });
  const overlay = new JointOverlay(world, { size: 0.5 });
  const [arrows, dots] = overlay.children;
  const drawn = () => {
    overlay.update();
    const { count } = dots.geometry.drawRange;
    return [...dots.geometry.attributes.position.array.slice(0, 3 * count)];
  };
  for (let i = 0; i < 20; ++i) {
    world.step();
    const frames = [hinge.getFrame(), rope.getFrameOn(arm), rope.getFrame()];
    near(
      drawn(),
      frames.flatMap(({ position }) => position),
      1e-6,
    );
  }
  assert.equal(arrows.geometry.instanceCount, 2);
  const values = arrows.geometry.attributes.start.data.array;
  near([...values.slice(3, 6)], [0, 0.5, 0], 1e-6);
  const span = rope.getFrameOn(arm).position.map((value, i) => value - rope.getFrame().position[i]);
  near([...values.slice(9, 12)], span, 1e-6);
  hinge.enabled = false;
  assert.equal(drawn().length, 6);
  rope.destroy();
  assert.equal(drawn().length, 0);
  overlay.dispose();
  world.dispose();
});
