// Sleep as the JavaScript layer has it: on unless told otherwise, and woken by whatever changes a body, what
// it is made of, what it touches or what it is joined to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Body, Constraint, Geometry } from '../../web/index.node.js';
import { getCairn, readScene, refuses } from './helpers.mjs';

const box = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };

/** A box at rest on the ground, a hinged arm, and another box far away; all asleep, unless told otherwise. */
function makeSleepers(cairn, options = {}) {
  const world = cairn.createWorld(options);
  const material = world.createMaterial({ density: 500 });
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const body = world.createBody({ position: [0, 0, 0.5], geometries: [{ shape: box, material }] });
  const arm = world.createBody({ position: [5, 0, 3], geometries: [{ shape: box }] });
  const hinge = world.createConstraint({
    type: 'hinge',
    bodies: [arm, null],
    anchor: [5, 0, 3],
    axis: [0, 0, 1],
    range: { limits: [-1, 1] },
  });
  const far = world.createBody({ position: [50, 0, 0.5], geometries: [{ shape: box }] });
  for (let step = 0; step < 210; ++step) world.step(); // what rests sleeps once it has settled
  for (const each of [body, arm, far]) assert.equal(each.asleep, options.sleep !== false);
  return { world, material, ground, body, geometry: [...body.geometries()][0], arm, hinge, far };
}

/** What changes a sleeper or what holds it, by the method or the property that does; each wakes the box. */
const wakesBody = {
  'body.setPosition': ({ body }) => body.setPosition([0, 0, 1]),
  'body.setRotation': ({ body }) => body.setRotation([0, 0, 0.6, 0.8]),
  'body.setVelocity': ({ body }) => body.setVelocity([1, 0, 0]),
  'body.setAngularVelocity': ({ body }) => body.setAngularVelocity([0, 0, 1]),
  'body.set:motion': ({ body }) => (body.motion = 'kinematic'),
  'body.set:enabled': ({ body }) => (body.enabled = false),
  'body.set:sleepless': ({ body }) => (body.sleepless = true),
  'body.set:mass': ({ body }) => (body.mass = 3),
  'body.setInertia': ({ body }) => body.setInertia([1, 1, 1]),
  'body.setLocalCentreOfMass': ({ body }) => body.setLocalCentreOfMass([0, 0, 0.1]),
  'body.setLinearDamping': ({ body }) => body.setLinearDamping([1, 1, 1]),
  'body.setAngularDamping': ({ body }) => body.setAngularDamping([1, 1, 1]),
  'body.setMassCoefficients': ({ body }) => body.setMassCoefficients([1, 1, 1]),
  'body.setInertiaCoefficients': ({ body }) => body.setInertiaCoefficients([1, 1, 1]),
  'body.wake': ({ body }) => body.wake(),
  'body.applyForce': ({ body }) => body.applyForce([1, 0, 0]),
  'body.applyForceAtPoint': ({ body }) => body.applyForceAtPoint([1, 0, 0], [0, 0, 1]),
  'body.applyForceAtLocalPoint': ({ body }) => body.applyForceAtLocalPoint([1, 0, 0], [0, 0, 1]),
  'body.applyTorque': ({ body }) => body.applyTorque([0, 0, 1]),
  'body.applyImpulse': ({ body }) => body.applyImpulse([1, 0, 0]),
  'body.applyAngularImpulse': ({ body }) => body.applyAngularImpulse([0, 0, 1]),
  'body.set:gravityScale': ({ body }) => (body.gravityScale = 0.5),
  'body.lockTranslations': ({ body }) => body.lockTranslations([true, false, false]),
  'body.lockRotations': ({ body }) => body.lockRotations([true, true, true]),
  'body.resetLocalCentreOfMass': ({ body }) => body.resetLocalCentreOfMass(),
  'body.updateMassProperties': ({ body }) => body.updateMassProperties(),
  'body.createGeometry': ({ body }) => body.createGeometry({ shape: box, position: [0, 0, 1] }),
  'body.destroy': ({ body }) => body.destroy(),
  'geometry.set:enabled': ({ geometry }) => (geometry.enabled = false),
  'geometry.set:collisions': ({ geometry }) => (geometry.collisions = false),
  'geometry.set:massProperties': ({ geometry }) => (geometry.massProperties = false),
  'geometry.setShape': ({ geometry }) => geometry.setShape({ type: 'sphere', radius: 0.4 }),
  'geometry.set:mergeable': ({ geometry }) => (geometry.mergeable = false),
  'geometry.set:material': ({ geometry, world }) =>
    (geometry.material = world.createMaterial({ density: 9 })),
  'geometry.set:sensor': ({ geometry }) => (geometry.sensor = true),
  'geometry.setSurfaceVelocity': ({ ground }) => ground.setSurfaceVelocity([1, 0, 0]),
  'geometry.setPose': ({ ground }) => ground.setPose([0, 0, -1], [0, 0, 0, 1]),
  'geometry.addGroup': ({ geometry }) => geometry.addGroup('a'),
  'geometry.removeGroup': ({ geometry }) => geometry.removeGroup('a'),
  'geometry.destroy': ({ ground }) => ground.destroy(),
  'world.setGravity': ({ world }) => world.setGravity([0, 0, -1]),
  'world.setSolver': ({ world }) => world.setSolver('direct'),
  'world.setSleep': ({ world }) => world.setSleep(false),
  'world.createContactMaterial': ({ world, material }) =>
    world.createContactMaterial({ materials: [material, material], friction: 0.1 }),
  'world.setGroupPairEnabled': ({ world, geometry }) => {
    geometry.addGroup('b');
    world.setGroupPairEnabled('b', 'c', false);
  },
  'world.setGeometryPairEnabled': ({ world, geometry, ground }) =>
    world.setGeometryPairEnabled(geometry, ground, false),
  'material.set': ({ material }) => material.set({ density: 900 }),
};

/** The same of the arm and its hinge. */
const wakesArm = {
  'constraint.set:enabled': ({ hinge }) => (hinge.enabled = false),
  'constraint.set:breakForce': ({ hinge }) => (hinge.breakForce = 1),
  'constraint.set:breakTorque': ({ hinge }) => (hinge.breakTorque = 1),
  'constraint.setCompliance': ({ hinge }) => hinge.setCompliance(1e-5),
  'constraint.setDamping': ({ hinge }) => hinge.setDamping(0.1),
  'constraint.setForceRange': ({ hinge }) => hinge.setForceRange([-1, 1]),
  'constraint.setMotor': ({ hinge }) => hinge.setMotor({ speed: 1 }),
  'constraint.setLockAt': ({ hinge }) => hinge.setLockAt({ position: 1 }),
  'constraint.setRange': ({ hinge }) => hinge.setRange({ limits: [0.5, 1] }),
  'constraint.setFriction': ({ hinge }) => hinge.setFriction({ coefficient: 0.1 }),
  'constraint.setSpring': ({ hinge }) => hinge.setSpring({ stiffness: 1, length: 1 }),
  'constraint.setTarget': ({ hinge }) => hinge.setTarget([5, 0, 3.1]),
  'constraint.destroy': ({ hinge }) => hinge.destroy(),
  'world.createConstraint': ({ world, arm }) =>
    world.createConstraint({ type: 'ball', bodies: [arm, null], anchor: [5, 0, 4] }),
};

/** What changes nothing that a sleeper feels, or does not apply to one; each with its reason. */
const harmless = new Map([
  ['body.set:fast', 'sweeping begins when it moves'],
  ...['body', 'geometry', 'constraint'].map((kind) => [`${kind}.set:name`, 'a name moves nothing']),
  ...['toLocal', 'toWorld', 'toLocalDirection', 'toWorldDirection'].map((name) => [
    `body.${name}`,
    'of points, not of the body',
  ]),
  ['body.split', 'of merged bodies: merged_body_test'],
  ['body.set:mergeable', 'merging is not sleep'],
  ['body.set:splittable', 'merging is not sleep'],
  ['geometry.set:splittable', 'merging is not sleep'],
  ['constraint.set:mergeable', 'merging is not sleep'],
  ['constraint.set:splittable', 'merging is not sleep'],
  ['body.moveTo', 'of kinematic bodies, which do not sleep'],
  ['constraint.setScrew', 'hinges have none'],
  ['constraint.setCone', 'hinges have none'],
  ['constraint.setTwist', 'hinges have none'],
]);

for (const [table, who] of [
  [wakesBody, 'body'],
  [wakesArm, 'arm'],
]) {
  for (const [name, change] of Object.entries(table)) {
    test(`${name} wakes`, async () => {
      const sleepers = makeSleepers(await getCairn());
      const { world, far } = sleepers;
      change(sleepers);
      const sleeper = sleepers[who];
      world.step(); // what takes a contact away wakes at the next look at pairs
      assert.equal(sleeper.isValid && sleeper.asleep, false);
      const isOfAll =
        /^(world\.set(Gravity|Solver|Sleep)|world\.createContactMaterial|material|geometry\.destroy)/;
      if (!isOfAll.test(name) && !name.includes('setPose') && !name.includes('SurfaceVelocity')) {
        assert.equal(far.asleep, true, 'what lies far away sleeps on');
      }
      world.validate();
      world.dispose();
    });
  }
}

/** What does not split what adaptive merging merged: forces that its contacts hold, and waking. */
const splitsNothing = /^body\.(apply(Force|Torque)|wake)/;

for (const [table, who] of [
  [wakesBody, 'body'],
  [wakesArm, 'arm'],
]) {
  for (const [name, change] of Object.entries(table)) {
    test(`${name} ${splitsNothing.test(name) ? 'does not split' : 'splits'}`, async () => {
      const merged = makeSleepers(await getCairn(), { sleep: false, mergeSplit: true });
      const { world, far } = merged;
      const part = merged[who];
      assert.ok(part.merged && far.merged);
      change(merged);
      let stays = true; // joined again within a step, it never moved
      for (let step = 0; step < 2; ++step) {
        world.step();
        stays &&= part.isValid && part.merged;
      }
      assert.equal(stays, splitsNothing.test(name));
      const isOfAll =
        /^(world\.set(Gravity|Solver|Sleep)|world\.createContactMaterial|material|geometry\.destroy)/;
      if (!isOfAll.test(name) && !name.includes('setPose') && !name.includes('SurfaceVelocity')) {
        assert.equal(far.merged, true, 'what lies far away stays merged');
      }
      world.validate();
      world.dispose();
    });
  }
}

test('every method and property that changes something is known to wake, or not to', () => {
  const reads = /^(get|is|find|geometries|constraints)/;
  const known = new Set([...Object.keys(wakesBody), ...Object.keys(wakesArm), ...harmless.keys()]);
  const missing = [];
  for (const [kind, type] of [
    ['body', Body],
    ['geometry', Geometry],
    ['constraint', Constraint],
  ]) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype))) {
      const isMethod = typeof property.value === 'function' && name !== 'constructor' && !reads.test(name);
      const isProperty = property.set !== undefined && property.set.name !== 'refuse'; // of no property
      const key = isProperty ? `${kind}.set:${name}` : `${kind}.${name}`;
      if ((isProperty || isMethod) && !known.has(key)) missing.push(key);
    }
  }
  assert.deepEqual(missing, []);
});

test('worlds sleep unless told otherwise, scenes only where they ask for it', async () => {
  const cairn = await getCairn();
  const settings = (options) => {
    const world = cairn.createWorld(options);
    const sleep = world.getSleep();
    world.dispose();
    return sleep;
  };
  const defaults = { enabled: true, linear: 0.05, angular: 0.2, time: 0.5 };
  assert.deepEqual(settings(), defaults);
  assert.deepEqual(settings({ sleep: false }), { ...defaults, enabled: false });
  assert.deepEqual(settings({ sleep: { time: 2 } }), { ...defaults, time: 2 });
  const scene = cairn.loadScene(readScene('pyramid'));
  assert.equal(scene.world.getSleep().enabled, false);
  scene.dispose();
  refuses(() => cairn.createWorld({ sleep: { linear: -1 } }), { argument: /sleep\.linear/ });
});

test('a saved sleeper goes on sleeping, and is woken as the one that was not saved', async () => {
  for (const flavour of ['st', 'mt']) {
    const cairn = await getCairn(flavour, flavour === 'st' ? 1 : 2);
    const scene = cairn.loadScene(readScene('sleepers'));
    scene.steps(100);
    const before = scene.world.getCounters();
    assert.ok(before.awakeBodies < 10, `${before.awakeBodies} awake`);
    const copy = cairn.restoreWorld(scene.world.save());
    assert.equal(copy.hash(), scene.world.hash());
    assert.equal(copy.getCounters().awakeBodies, before.awakeBodies);
    for (let step = 0; step < 200; ++step) copy.step();
    scene.steps(200);
    assert.equal(copy.hash(), scene.world.hash());
    copy.dispose();
    scene.dispose();
  }
});
