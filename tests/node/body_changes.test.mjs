// What users change of a body and its geometries: shape, damping, locked axes, targets; and bodies that
// nothing gives a mass.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, near, readScene, refuses } from './helpers.mjs';

const box = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };
const ball = { type: 'sphere', radius: 0.5 };
const floor = { shape: { type: 'plane', normal: [0, 0, 1] } };
const upright = [0, 0, 0, 1];

for (const [name, load] of flavours) {
  // ---- shapes --------------------------------------------------------------------------------------------

  test(`${name}: a geometry takes another shape`, async () => {
    const world = (await load()).createWorld();
    world.createGeometry(floor);
    const body = world.createBody({ position: [0, 0, 0.5], geometries: [{ shape: box }] });
    const reference = world.createBody({ position: [9, 0, 3], geometries: [{ shape: ball }] });
    for (let i = 0; i < 300 && !body.asleep; ++i) world.step();
    assert.ok(body.asleep);
    const [geometry] = body.geometries();
    geometry.setShape(ball);
    assert.ok(!body.asleep);
    assert.equal(geometry.isValid, true);
    near(body.mass, reference.mass, 1e-9);
    near(body.getInertia(), reference.getInertia(), 1e-9);
    world.validate();
    world.step();
    body.setVelocity([1, 0, 0]);
    world.steps(120);
    assert.ok(body.getAngularVelocity()[1] > 1, 'a ball rolls'); // 1/0.5 rad/s less what sliding takes
    near(body.getPosition()[2], 0.5, 5e-3);

    // a shape that several share, of another size, in place of a compound
    const small = world.createShape({ type: 'sphere', radius: 0.25 });
    geometry.setShape(small);
    assert.ok(small.isValid);
    world.steps(120);
    near(body.getPosition()[2], 0.25, 5e-3);
    const shapes = [-1, 1].map((x) => ({ shape: box, position: [x, 0, 0] }));
    const compound = world.createBody({ position: [0, 9, 1], geometries: [{ shapes }] });
    compound.geometries()[0].setShape(small);
    world.validate();
    near(compound.mass, body.mass, 1e-9);
    near(compound.getLocalCentreOfMass(), [0, 0, 0], 1e-12);
    world.step();
    world.dispose();
  });

  test(`${name}: a mass that is given stays, contacts begin and end`, async () => {
    const world = (await load()).createWorld({ gravity: [0, 0, 0] });
    const wall = world.createGeometry({ shape: box });
    const body = world.createBody({ position: [1.2, 0, 0], mass: 7, geometries: [{ shape: box }] });
    world.step();
    assert.equal(world.getCounters().contacts, 0);
    wall.setShape({ type: 'box', halfExtents: [0.75, 0.5, 0.5] });
    assert.equal(body.mass, 7);
    world.step();
    assert.equal(world.getCounters().contacts, 1);
    wall.setShape({ type: 'sphere', radius: 0.1 });
    world.step();
    assert.equal(world.getCounters().contacts, 0);
    world.dispose();
  });

  // ---- targets ------------------------------------------------------------------------------------------

  test(`${name}: a kinematic body stops at its target, or goes on`, async () => {
    const world = (await load()).createWorld();
    const [lift, sled] = [0, 5].map((x) => world.createBody({ motion: 'kinematic', position: [x, 0, 0] }));
    const half = [0, 0, 1, 0];
    lift.moveTo([0, 0, 1], half, 0.5);
    sled.moveTo([5, 0, 1], upright, 0.5, 'keepVelocity');
    world.steps(30);
    near(lift.getPosition(), [0, 0, 1], 0);
    near(lift.getRotation(), half, 0);
    near(lift.getVelocity(), [0, 0, 2], 1e-12); // of the step that is done
    world.steps(30);
    near(lift.getPosition(), [0, 0, 1], 0);
    near(lift.getRotation(), half, 0);
    near(lift.getVelocity(), [0, 0, 0], 0);
    near(lift.getAngularVelocity(), [0, 0, 0], 0);
    near(sled.getPosition(), [5, 0, 2], 1e-12);
    near(sled.getVelocity(), [0, 0, 2], 1e-12);
    // a velocity that is set between arrival and stop stays
    lift.moveTo([0, 0, 2], half, 0.5);
    world.steps(30);
    lift.setVelocity([1, 0, 0]);
    world.steps(60);
    near(lift.getPosition(), [1, 0, 2], 1e-12);
    refuses(() => lift.moveTo([0, 0, 1], half, 1, 'bounce'), { call: 'body.moveTo', argument: 'arrival' });
    world.validate();
    world.dispose();
  });

  test(`${name}: what rides is stopped with the platform`, async () => {
    const world = (await load()).createWorld();
    const platform = world.createBody({
      motion: 'kinematic',
      geometries: [{ shape: { type: 'box', halfExtents: [3, 3, 0.5] } }],
    });
    const rider = world.createBody({ position: [0, 0, 1], geometries: [{ shape: box }] });
    world.steps(60);
    platform.moveTo([2, 0, 0], upright, 4);
    for (let i = 0; i < 400; ++i) world.step();
    near(rider.getPosition()[0], 2, 0.05);
    near(rider.getVelocity(), [0, 0, 0], 1e-3);
    world.dispose();
  });

  test(`${name}: an arrival goes on after a saved state`, async () => {
    const cairn = await load();
    const world = cairn.createWorld();
    const lift = world.createBody({ motion: 'kinematic' });
    lift.moveTo([0, 0, 1], upright, 0.25);
    world.steps(15);
    const copy = cairn.restoreWorld(world.save());
    copy.steps(30);
    near(copy.bodyAt(0).getPosition(), [0, 0, 1], 0);
    near(copy.bodyAt(0).getVelocity(), [0, 0, 0], 0);
    copy.dispose();
    world.dispose();
  });

  // ---- locked axes --------------------------------------------------------------------------------------

  for (const solver of ['auto', 'iterative', 'direct', 'split']) {
    test(`${name}: locked axes hold in a pile, ${solver}`, async () => {
      const world = (await load()).createWorld({ solver });
      world.createGeometry(floor);
      // a game in the plane y = 0
      const bodies = Array.from({ length: 12 }, (_, i) => {
        const body = world.createBody({
          position: [0.3 * (i % 3), 0, 0.6 + 1.05 * i],
          geometries: [{ shape: i % 2 === 0 ? box : ball }],
        });
        body.lockTranslations([false, true, false]);
        body.lockRotations([true, false, true]);
        return body;
      });
      for (let i = 0; i < 180; ++i) {
        world.step();
        for (const body of bodies) {
          near(body.getPosition()[1], 0, 1e-4);
          const [x, , z] = body.getRotation();
          near([x, z], [0, 0], 1e-4);
        }
      }
      const fallen = bodies.filter((body) => Math.abs(body.getRotation()[1]) > 0.1);
      assert.ok(fallen.length > 0, 'about y they rotate');
      world.dispose();
    });
  }

  test(`${name}: what is locked stays, and what is not moves freely`, async () => {
    const world = (await load()).createWorld({ sleep: false });
    const body = world.createBody({ position: [1, 2, 3], mass: 2, inertia: [1, 2, 3] });
    body.lockTranslations([true, false, true]);
    body.setVelocity([0, 3, 0]);
    body.setAngularVelocity([0.5, 1, 2]);
    const momentum = body.getAngularMomentum();
    world.steps(120);
    near(body.getPosition(), [1, 2 + 3 * 2, 3], 1e-5);
    near(body.getAngularMomentum(), momentum, 1e-3);
    body.lockTranslations([false, false, false]);
    assert.equal(body.constraints().length, 0);
    body.lockRotations([true, true, true]);
    body.lockTranslations([true, true, true]);
    assert.equal(body.constraints().length, 2);
    const pose = [...body.getPosition(), ...body.getRotation()];
    body.applyForceAtPoint([1000, 500, 100], [9, 9, 9]);
    world.steps(60);
    near([...body.getPosition(), ...body.getRotation()], pose, 1e-4);

    // placing it moves the locks
    body.setPosition([-5, 0, 0]);
    body.setRotation([0, 0, Math.SQRT1_2, Math.SQRT1_2]);
    world.steps(60);
    near(body.getPosition(), [-5, 0, 0], 1e-5);
    near(body.getRotation(), [0, 0, Math.SQRT1_2, Math.SQRT1_2], 1e-5);
    world.dispose();
  });

  test(`${name}: locks are saved, and found again`, async () => {
    const cairn = await load();
    const world = cairn.createWorld();
    const body = world.createBody({
      geometries: [{ shape: box }],
      lockTranslations: [false, false, true],
      lockRotations: [true, true, true],
    });
    world.steps(30);
    near(body.getPosition()[2], 0, 1e-6);
    const copy = cairn.restoreWorld(world.save());
    for (const item of [world, copy]) item.steps(30);
    assert.equal(copy.hash(), world.hash());
    const twin = copy.bodyAt(0);
    twin.lockTranslations([false, false, false]);
    twin.lockRotations([false, false, false]);
    assert.equal(twin.constraints().length, 0);
    copy.steps(60);
    assert.ok(twin.getPosition()[2] < -4);
    copy.dispose();
    world.dispose();
  });
}

test('placing a locked body moves its locks, also in another state and in a batch', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const bodies = world.createBodies({ count: 3, body: { mass: 1 } });
  bodies.at(1).lockTranslations([true, true, true]);
  world.keep(10);
  const bytes = world.save();
  const place = (body) => {
    body.setPosition([5, 0, 0]);
    body.world.steps(30);
    near(body.getPosition(), [5, 0, 0], 1e-6);
  };
  place(bodies.at(1));
  const restored = cairn.restoreWorld(bytes);
  place(restored.bodyAt(1));
  restored.dispose();
  world.restore(bytes);
  near(bodies.at(1).getPosition(), [0, 0, 0], 1e-9);
  place(bodies.at(1));
  bodies.setPositions(new Float64Array(9).fill(7));
  world.steps(30);
  near(bodies.at(1).getPosition(), [7, 7, 7], 1e-6);
  assert.ok(bodies.at(0).getPosition()[2] < 6.5);
  world.dispose();
});

test('locks say what is wrong', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ mass: 1 });
  const hash = world.hash();
  refuses(() => body.lockTranslations([1, 0, 0]), { call: 'body.lockTranslations', argument: 'axes' });
  refuses(() => body.lockRotations('x'), { call: 'body.lockRotations', argument: 'axes' });
  refuses(() => body.lockRotations([true, false, false]), { code: 'NOT_SUPPORTED_YET' });
  refuses(() => world.createBody({ mass: 1, lockRotations: [false, true, false] }), {
    code: 'NOT_SUPPORTED_YET',
    argument: 'options.lockRotations',
  });
  assert.equal(world.hash(), hash);
  world.dispose();
});

// ---- damping --------------------------------------------------------------------------------------------

test('damping is one number or one for each axis', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  const body = world.createBody({ mass: 1, linearDamping: 2, angularDamping: [1, 2, 3] });
  assert.deepEqual(body.getLinearDamping(), [2, 2, 2]);
  assert.deepEqual(body.getAngularDamping(), [1, 2, 3]);
  body.setVelocity([1, 1, 1]);
  world.step();
  near(body.getVelocity(), new Array(3).fill(1 / (1 + 2 / 60)), 0.02);
  body.setLinearDamping(0);
  body.setAngularDamping(0.5);
  const out = new Float32Array(3);
  assert.equal(body.getAngularDamping(out), out);
  assert.deepEqual([...out], [0.5, 0.5, 0.5]);
  assert.deepEqual(body.getLinearDamping(), [0, 0, 0]);
  refuses(() => body.setLinearDamping(-1), { call: 'body.setLinearDamping' });
  refuses(() => body.setLinearDamping(NaN), { code: 'NOT_FINITE', argument: 'damping' });
  refuses(() => body.setAngularDamping('1'), { code: 'WRONG_TYPE', argument: 'damping' });
  refuses(() => world.createBody({ mass: 1, linearDamping: -1 }), { call: 'world.createBody' });
  refuses(() => world.createBody({ mass: 1, linearDamping: Infinity }), { argument: /linearDamping/ });
  world.dispose();
});

// ---- masses ---------------------------------------------------------------------------------------------

test('a world does not step with a dynamic body that nothing gives a mass', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ name: 'crate' });
  const expected = { argument: 'body.mass', reason: /"crate".*mass.*geometry/ };
  refuses(() => world.step(), { ...expected, call: 'world.step' });
  refuses(() => world.steps(3), { ...expected, call: 'world.steps' });
  refuses(() => world.collide(), { ...expected, call: 'world.collide' });
  refuses(() => world.advance(1 / 60), expected);
  assert.equal(world.stepCount, 0);

  // each way out of it
  const plate = body.createGeometry({ shape: box, massProperties: false });
  refuses(() => world.step(), expected);
  plate.destroy();
  refuses(() => world.step(), expected);
  body.mass = 2;
  world.step();
  body.mass = 0;
  refuses(() => world.step(), expected);
  body.motion = 'kinematic';
  world.step();
  body.motion = 'dynamic';
  refuses(() => world.step(), expected);
  body.enabled = false;
  world.step();
  body.enabled = true;
  refuses(() => world.step(), expected);
  const crate = body.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  refuses(() => world.step(), expected);
  crate.setShape(box);
  world.step();
  const other = world.createBody();
  refuses(() => world.step(), { argument: 'body.mass' });
  other.destroy();
  world.step();
  assert.equal(world.stepCount, 5);
  world.dispose();
});

/** Mass properties of a body as one list. */
const massOf = (body) => [body.mass, ...body.getInertia(), ...body.getLocalCentreOfMass()];

test('a body keeps its mass when the last geometry that gave it goes, and takes that of the next', async () => {
  for (const [what, lose] of /** @type {const} */ ([
    ['destroyed', (geometry) => geometry.destroy()],
    ['gives no mass', (geometry) => (geometry.massProperties = false)],
    ['without a volume', (geometry) => geometry.setShape({ type: 'plane', normal: [0, 0, 1] })],
  ])) {
    const cairn = await getCairn();
    const world = cairn.createWorld();
    const body = world.createBody({ position: [0, 0, 50] });
    const first = body.createGeometry({ shape: ball, position: [0, 0, 1] });
    const second = body.createGeometry({ shape: box, position: [2, 0, 0] });
    first.destroy();
    const mass = massOf(body);
    near(mass[0], 1000, 1e-9); // of the box alone: nothing is kept while something gives a mass
    near(mass.slice(-3), [2, 0, 0], 1e-12);
    const momentum = () => body.getVelocity().map((value) => value * body.mass);
    body.setVelocity([1, 2, 3]);
    const before = momentum();
    lose(second);
    assert.deepEqual(massOf(body), mass, what);
    near(momentum(), before, 1e-9);
    world.steps(60); // and the world steps
    near(body.getVelocity()[2], 3 - 9.80665, 1e-9);

    // the inertia follows a mass that is given, as that of geometries does
    body.mass = 2 * mass[0];
    near(
      body.getInertia(),
      mass.slice(1, 10).map((value) => 2 * value),
      1e-9,
    );
    body.mass = mass[0];

    // saved and as a scene
    const copy = cairn.restoreWorld(world.save());
    copy.step();
    assert.deepEqual(massOf(copy.bodyAt(0)), mass);
    const scene = cairn.loadScene(world.toScene());
    near(massOf(scene.world.bodyAt(0)), mass, 1e-9);
    for (const item of [copy, scene]) item.dispose();

    // none of its own any more
    body.mass = 0;
    refuses(() => world.step(), { argument: 'body.mass' });
    const next = body.createGeometry({ shape: ball });
    world.step();
    near(body.mass, next.body.mass, 0);
    near(body.getLocalCentreOfMass(), [0, 0, 0], 1e-12);
    world.dispose();
  }
});

test('masses are looked at in the state that the world has', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  world.createBody({ mass: 1 });
  world.keep(10);
  world.step();
  const fine = world.save();
  world.createBody({ name: 'later' }); // has no mass yet
  const unfinished = world.save();
  refuses(() => world.step(), { argument: 'body.mass' });
  world.restore(fine);
  world.step();
  world.createBody();
  world.rewind(0);
  world.step();

  // what was saved without a mass has none here either
  world.restore(unfinished);
  refuses(() => world.step(), { argument: 'body.mass' });
  world.bodyAt(1).mass = 1;
  world.step();
  const other = cairn.restoreWorld(unfinished);
  refuses(() => other.steps(2), { argument: 'body.mass' });
  other.bodyAt(1).mass = 1;
  other.steps(2);
  other.dispose();
  world.dispose();
});

test('a scene does not step with one either', async () => {
  const scene = (await getCairn()).loadScene(readScene('heavy-top-stack'));
  const body = scene.world.createBody({ name: 'empty' });
  refuses(() => scene.step(), { argument: 'body.mass', message: /the body "empty"/ });
  refuses(() => scene.steps(2), { argument: 'body.mass', message: /the body "empty"/ });
  body.mass = 1;
  scene.steps(2);
  scene.dispose();
});

test('many bodies without a mass are found, too', async () => {
  const world = (await getCairn()).createWorld();
  world.createBodies({ count: 3, masses: [1, 2, 3] });
  world.createBodies({ count: 3, geometry: { shape: box } });
  world.createBodies({ count: 3, body: { motion: 'static' } });
  world.step();
  const bodies = world.createBodies({ count: 3, masses: [1, 0, 3] });
  refuses(() => world.step(), { argument: 'body.mass' });
  bodies.destroy();
  world.step();
  for (const options of [{ count: 2 }, { count: 2, geometry: { shape: floor.shape } }]) {
    const more = world.createBodies(options);
    refuses(() => world.step(), { argument: 'body.mass' });
    more.destroy();
  }
  world.step();
  world.dispose();
});
