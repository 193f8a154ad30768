// Springs in N/m and N s/m, and bodies that a pointer pulls.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, near, refuses } from './helpers.mjs';

/** Times at which a series goes through 0 upwards. */
function crossings(values, timeStep) {
  const times = [];
  for (let i = 1; i < values.length; ++i) {
    if (values[i - 1] < 0 && values[i] >= 0)
      times.push((i - values[i] / (values[i] - values[i - 1])) * timeStep);
  }
  return times;
}

const timeStep = 1 / 240;

/** Period and ratio of successive maxima of what oscillates about 0. */
function oscillation(world, read, steps) {
  const values = [];
  for (let i = 0; i < steps; ++i) {
    world.step();
    values.push(read());
  }
  const times = crossings(values, timeStep);
  const period = (times.at(-1) - times[0]) / (times.length - 1);
  const peaks = values.filter(
    (x, i) => i > 0 && i < values.length - 1 && x > values[i - 1] && x >= values[i + 1],
  );
  return { period, ratio: peaks[2] / peaks[1] };
}

/** Of a damped oscillator of mass or inertia m. */
function expected(m, k, c) {
  const decay = c / (2 * m);
  const period = (2 * Math.PI) / Math.sqrt(k / m - decay * decay);
  return { period, ratio: Math.exp(-decay * period) };
}

function closeTo(found, wanted) {
  near(found.period / wanted.period, 1, 2e-3);
  near(found.ratio / wanted.ratio, 1, 2e-2);
}

for (const [name, load] of flavours) {
  for (const type of ['spring', 'distance']) {
    test(`${name}: a ${type} of a stiffness and damping swings by them`, async () => {
      const world = (await load()).createWorld({ gravity: [0, 0, 0], timeStep, sleep: false });
      const body = world.createBody({ position: [2.2, 0, 0], mass: 3, inertia: [1, 1, 1] });
      const joint = world.createConstraint({
        type,
        bodies: [body, null],
        anchors: [
          [2.2, 0, 0],
          [0, 0, 0],
        ],
      });
      joint.setSpring({ stiffness: 49, damping: 2.5, length: 2 });
      assert.deepEqual(joint.getSpring(), { stiffness: 49, damping: 2.5, length: 2 });
      closeTo(
        oscillation(world, () => body.getPosition()[0] - 2, 2000),
        expected(3, 49, 2.5),
      );
      joint.setSpring({ length: 1.5 });
      assert.deepEqual(joint.getSpring(), { stiffness: 49, damping: 2.5, length: 1.5 });
      world.steps(6000);
      near(joint.position, 1.5, 1e-3);
      world.dispose();
    });
  }

  test(`${name}: a hinge and a prismatic are springs by their lock`, async () => {
    const world = (await load()).createWorld({ gravity: [0, 0, 0], timeStep, sleep: false });
    const door = world.createBody({ mass: 2, inertia: [1, 1, 0.7] });
    const hinge = world.createConstraint({ type: 'hinge', bodies: [door, null], axis: [0, 0, 1] });
    assert.equal(hinge.getSpring(), null);
    hinge.setSpring({ stiffness: 31, damping: 0.4, length: 0.2 });
    assert.deepEqual(hinge.getSpring(), { stiffness: 31, damping: 0.4, length: 0.2 });
    closeTo(
      oscillation(world, () => hinge.angle - 0.2, 2000),
      expected(0.7, 31, 0.4),
    );
    const slide = world.createBody({ position: [5, 0, 0], mass: 2, inertia: [1, 1, 1] });
    const prismatic = world.createConstraint({ type: 'prismatic', bodies: [slide, null], axis: [1, 0, 0] });
    prismatic.setSpring({ stiffness: 77, damping: 1.1, length: -0.3 });
    closeTo(
      oscillation(world, () => prismatic.position + 0.3, 2000),
      expected(2, 77, 1.1),
    );
    hinge.setSpring(null);
    assert.equal(hinge.getSpring(), null);
    door.setAngularVelocity([0, 0, 1]);
    world.steps(240);
    near(door.getAngularVelocity()[2], 1, 1e-6);
    world.dispose();
  });

  test(`${name}: a cylindrical has two`, async () => {
    const world = (await load()).createWorld({ gravity: [0, 0, 0], timeStep, sleep: false });
    const body = world.createBody({ mass: 2, inertia: [1, 1, 0.5] });
    const joint = world.createConstraint({ type: 'cylindrical', bodies: [body, null] });
    joint.setSpring({ stiffness: 20, damping: 30, length: 0.1 }, 0);
    joint.setSpring({ stiffness: 10, damping: 10, length: 0.5 }, 1);
    world.steps(2400);
    near(joint.getCoordinate(0), 0.1, 1e-4);
    near(joint.getCoordinate(1), 0.5, 1e-4);
    world.dispose();
  });

  test(`${name}: a pointer pulls a body to where it is`, async () => {
    const cairn = await load();
    const world = cairn.createWorld();
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const box = world.createBody({
      position: [0, 0, 0.5],
      geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }],
      angularDamping: 3, // it swings from its corner
    });
    for (let i = 0; i < 200 && !box.asleep; ++i) world.step();
    const corner = [0.5, 0.5, 1];
    const grip = world.createMouseConstraint(box, corner, { name: 'pointer' });
    assert.equal(world.findConstraint('pointer'), grip);
    near(grip.getFrameOn(null).position, corner, 1e-12);
    grip.setTarget([1, 2, 4]);
    assert.ok(!box.asleep);
    world.steps(600);
    // it hangs by its corner, a weight over the stiffness below the target
    const held = grip.getFrameOn(box).position;
    const stiffness = 1 / grip.getCompliance(0);
    near(held, [1, 2, 4 - (box.mass * 9.80665) / stiffness], 3e-3);

    // saved and restored with the world, and moved there
    const copy = cairn.restoreWorld(world.save());
    for (const item of [world, copy]) {
      [...item.constraints()][0].setTarget([0, 0, 6]);
      item.steps(60);
    }
    assert.equal(copy.hash(), world.hash());
    grip.destroy();
    world.steps(400);
    assert.ok(box.getPosition()[2] < 1);
    copy.dispose();
    world.dispose();
  });

  test(`${name}: a pointer is as weak as it is said to be`, async () => {
    const world = (await load()).createWorld();
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const box = world.createBody({
      position: [0, 0, 0.5],
      mass: 10,
      geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }],
    });
    const grip = world.createMouseConstraint(box, [0, 0, 0.5], { stiffness: 1e4, maxForce: 80 });
    grip.setTarget([0, 0, 5]);
    world.steps(120);
    near(box.getPosition()[2], 0.5, 1e-3);
    near(grip.getForce()[2], 80, 1e-6);
    grip.destroy();
    world.createMouseConstraint(box, [0, 0, 0.5], { stiffness: 1e4, maxForce: 150 }).setTarget([0, 0, 5]);
    world.steps(120);
    assert.ok(box.getPosition()[2] > 2);
    world.dispose();
  });
}

test('springs say what is wrong', async () => {
  const world = (await getCairn()).createWorld();
  const [a, b] = [0, 1].map((x) => world.createBody({ position: [x, 0, 0], mass: 1 }));
  const anchors = [
    [0, 0, 0],
    [1, 0, 0],
  ];
  const spring = world.createConstraint({
    type: 'spring',
    bodies: [a, b],
    anchors,
    stiffness: 10,
    damping: 1,
  });
  const distance = world.createConstraint({ type: 'distance', bodies: [a, b], anchors });
  const lock = world.createConstraint({ type: 'lock', bodies: [a, b] });
  const hinge = world.createConstraint({ type: 'hinge', bodies: [a, b] });
  assert.deepEqual(spring.getSpring(), { stiffness: 10, damping: 1, length: 1 });
  assert.deepEqual(distance.getSpring(), { stiffness: 1e8, damping: null, length: 1 });
  const other = world.createConstraint({ type: 'distance', bodies: [a, b], anchors });
  other.setSpring({ stiffness: 100 });
  assert.deepEqual(other.getSpring(), { stiffness: 100, damping: 0, length: 1 }); // none was given
  other.destroy();
  const hash = world.hash();
  const call = 'constraint.setSpring';
  refuses(() => spring.setSpring({ stiffness: -1 }), { call, argument: 'spring.stiffness' });
  refuses(() => spring.setSpring({ length: -1 }), { call, argument: 'spring.length' });
  refuses(() => spring.setSpring({ damping: NaN }), { call, argument: 'spring.damping' });
  refuses(() => spring.setSpring({ compliance: 1 }), { code: 'UNKNOWN_NAME' });
  refuses(() => spring.setSpring(null), { call, argument: 'spring' });
  refuses(() => spring.setSpring({ stiffness: 1 }, 1), { call, argument: 'index' });
  refuses(() => distance.setSpring({ stiffness: 0 }), { call, argument: 'spring.stiffness' });
  refuses(() => lock.setSpring({ stiffness: 1 }), { call, reason: /lock.*hinge/ });
  refuses(() => lock.getSpring(), { call: 'constraint.getSpring' });
  refuses(() => hinge.setSpring({ damping: 1 }), { call, argument: 'spring.stiffness' });
  refuses(() => hinge.setSpring({ stiffness: 0 }), { call, argument: 'spring.stiffness' });
  refuses(() => hinge.setSpring({ stiffness: 1, length: 'x' }), { call, argument: 'spring.length' });
  refuses(() => hinge.setTarget([0, 0, 1]), { call: 'constraint.setTarget', reason: /world/ });
  assert.equal(world.hash(), hash);
  spring.setSpring({ stiffness: 0, damping: 3 });
  assert.deepEqual(spring.getSpring(), { stiffness: 0, damping: 3, length: 1 });
  world.dispose();
});

test('pointers say what is wrong', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ mass: 1 });
  const fixed = world.createBody({ motion: 'static' });
  const call = 'world.createMouseConstraint';
  const hash = world.hash();
  refuses(() => world.createMouseConstraint(fixed, [0, 0, 0]), { call, argument: 'body' });
  refuses(() => world.createMouseConstraint(null, [0, 0, 0]), { call, argument: 'body' });
  refuses(() => world.createMouseConstraint(body, [0, 0]), { call, argument: 'point' });
  for (const options of [{ stiffness: 0 }, { maxForce: -1 }, { damping: -1 }, { force: 1 }, 3])
    refuses(() => world.createMouseConstraint(body, [0, 0, 0], options), { call, argument: /^options/ });
  assert.equal(world.hash(), hash);
  world.dispose();
});
