// Worlds: stepping, settings, numbers, rays, life.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, makeSimpleWorld, near, refuses } from './helpers.mjs';

for (const [flavour, getModule] of flavours) {
  test(`a ball falls in a parabola, and rests (${flavour})`, async () => {
    const { world, ball } = makeSimpleWorld(await getModule());
    const h = world.timeStep;
    world.steps(10);
    near(ball.getPosition(), [0, 0, 2 - (9.80665 * h * h * 10 * 10) / 2], 1e-12);
    near(ball.getVelocity(), [0, 0, -9.80665 * h * 10], 1e-12);
    world.steps(590);
    near(ball.getPosition(), [0, 0, 0.5], 2e-3);
    assert.equal(world.stepCount, 600);
    near(world.time, 10, 1e-9);
    world.dispose();
  });
}

test('collide and solve are the halves of a step', async () => {
  const cairn = await getCairn();
  const whole = makeSimpleWorld(cairn);
  const halves = makeSimpleWorld(cairn);
  for (let i = 0; i < 90; ++i) {
    whole.world.step();
    halves.world.collide();
    halves.world.solve();
  }
  assert.equal(whole.world.hash(), halves.world.hash());
  assert.match(whole.world.hash(), /^[0-9a-f]{16}$/);
  refuses(() => halves.world.solve(), { code: 'WRONG_PHASE', call: 'world.solve' });
  halves.world.collide();
  refuses(() => halves.world.collide(), { code: 'WRONG_PHASE', call: 'world.collide' });
  halves.world.solve();
  whole.world.dispose();
  halves.world.dispose();
});

test('advance does the steps that are due and interpolates', async () => {
  const { world, ball } = makeSimpleWorld(await getCairn(), { timeStep: 0.01 });
  assert.equal(world.advance(0.005), 0);
  near(world.alpha, 0.5);
  assert.equal(world.advance(0.03), 3);
  near(world.alpha, 0.5, 1e-6);
  const { bodies } = world.columns;
  const row = ball.index;
  const drawn = (bodies.previousPosition[3 * row + 2] + bodies.position[3 * row + 2]) / 2;
  near(bodies.renderPose[8 * row + 2], drawn, 1e-6);

  // time beyond the most steps is dropped
  assert.equal(world.advance(10), 4);
  near(world.alpha, 0);
  assert.equal(world.advance(10, { maxSteps: 100 }), 100);
  // sixty times a sixtieth is a second
  world.timeStep = 1 / 60;
  let steps = 0;
  for (let i = 0; i < 60; ++i) steps += world.advance(1 / 60);
  assert.equal(steps, 60);
  world.step();
  assert.equal(world.alpha, 1);
  for (const seconds of [-1, NaN, Infinity, '1', undefined])
    refuses(() => world.advance(seconds), { argument: 'seconds' });
  for (const maxSteps of [0, -1, 1.5, '3', NaN]) {
    refuses(() => world.advance(0.01, { maxSteps }), { argument: 'options.maxSteps' });
  }
  refuses(() => world.advance(0.01, { most: 1 }), { code: 'UNKNOWN_NAME' });
  world.dispose();
});

/** A ball pushed against gravity and the wind of its own motion, for a second in frames of given lengths. */
function flyInFrames(cairn, frames, when) {
  const { world, ball } = makeSimpleWorld(cairn);
  const push = () => {
    const [x, y, z] = ball.getVelocity();
    ball.applyForce([3 * ball.mass - x, 0.5 * ball.mass - y, 8 * ball.mass - z]);
  };
  const options = { beforeStep: push, maxSteps: 100 };
  let steps = 0;
  for (const seconds of frames) {
    if (when === 'before advance') push();
    steps += world.advance(seconds, when === 'before advance' ? undefined : options);
  }
  const result = { steps, hash: world.hash(), x: ball.getPosition()[0] };
  world.dispose();
  return result;
}

test('forces of beforeStep act in every step: frames of any rate end in the same bits', async () => {
  const cairn = await getCairn();
  const irregular = [];
  for (let i = 0, sum = 0; sum < 1; ++i) {
    const length = Math.min(1 - sum, 0.001 + ((i * 7919) % 97) / 2000);
    irregular.push(length);
    sum += length;
  }
  const rates = [60, 144, 30, 240, 25, 1].map((rate) => new Array(rate).fill(1 / rate));
  const all = [...rates, irregular].map((frames) => flyInFrames(cairn, frames));
  for (const { steps, hash } of all) {
    assert.equal(steps, 60);
    assert.equal(hash, all[0].hash);
  }
  // v = (1 - exp(-t/m)) 3 m within the step: it moved as the force says
  assert.ok(all[0].x > 1 && all[0].x < 1.6, `${all[0].x}`);
  // a force before each frame acts once a frame, and twice where frames are half as long
  const [once, half] = [rates[0], rates[2]].map((frames) => flyInFrames(cairn, frames, 'before advance'));
  assert.equal(once.hash, all[0].hash);
  assert.ok(half.x < 0.7 * once.x);
});

test('advance counts steps with its functions, by its speed, and keeps what a throw leaves', async () => {
  const { world } = makeSimpleWorld(await getCairn(), { timeStep: 0.01 });
  const seen = [];
  const beforeStep = (given) => seen.push([given === world, world.stepCount]);
  const afterStep = () => seen.push(['after', world.stepCount]);
  assert.equal(world.advance(0.02, { beforeStep, afterStep }), 2);
  assert.deepEqual(seen, [[true, 0], ['after', 1], [true, 1], ['after', 2]]); // prettier-ignore
  assert.equal(world.advance(0.02, { speed: 0.5 }), 1);
  assert.equal(world.advance(1, { speed: 0 }), 0);
  assert.equal(world.advance(0.02, { speed: 10 }), 20);
  assert.equal(world.advance(0.02, { speed: 10, maxSteps: 3 }), 3);

  // two of four are done, and the others stay due
  const stop = () => {
    if (world.stepCount === 28) throw new Error('enough');
  };
  assert.throws(() => world.advance(0.04, { beforeStep: stop }), /enough/);
  assert.equal(world.stepCount, 28);
  assert.equal(world.alpha, 1);
  assert.equal(world.advance(0), 2);
  for (const spoil of [
    () => world.step(),
    () => world.steps(1),
    () => world.advance(1),
    () => world.dispose(),
  ])
    refuses(() => world.advance(0.01, { afterStep: spoil }), { code: 'WRONG_PHASE' });
  for (const speed of [-1, NaN, Infinity, '1', 1001])
    refuses(() => world.advance(0.01, { speed }), { argument: 'options.speed' });
  for (const name of ['beforeStep', 'afterStep'])
    refuses(() => world.advance(0.01, { [name]: 1 }), { code: 'WRONG_TYPE', argument: `options.${name}` });
  world.dispose();
});

test('options are read, and what is wrong with them is said', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({
    timeStep: 0.02,
    gravity: [0, -1, 0],
    solver: { type: 'iterative', substeps: 2, iterations: 3, warmStart: false },
    gyroscopic: false,
    continuous: false,
    bodyCapacity: 10,
  });
  assert.equal(world.timeStep, 0.02);
  near(world.getGravity().acceleration, [0, -1, 0]);
  assert.deepEqual(world.getSolver(), { type: 'iterative', substeps: 2, iterations: 3, warmStart: false });
  world.dispose();

  const cases = [
    [{ timeStep: 0.02, stepTime: 1 }, 'UNKNOWN_NAME', 'options.stepTime'],
    [{ timeStep: NaN }, 'NOT_FINITE', 'options.timeStep'],
    [{ timeStep: 5 }, 'OUT_OF_RANGE', /timeStep/],
    [{ timeStep: -1 }, 'OUT_OF_RANGE', /timeStep/],
    [{ gravity: [0, 0] }, 'WRONG_TYPE', /gravity/],
    [{ gravity: [0, 0, NaN] }, 'NOT_FINITE', /gravity/],
    [{ gravity: { acceleration: [0, 0, 1] } }, 'WRONG_TYPE', 'options.gravity.type'],
    [{ gravity: { type: 'up' } }, 'OUT_OF_RANGE', 'options.gravity.type'],
    [{ gravity: 9.81 }, 'WRONG_TYPE', 'options.gravity'],
    [{ solver: 'magic' }, 'OUT_OF_RANGE', 'options.solver.type'],
    [{ solver: 'magic' }, 'OUT_OF_RANGE', 'options.solver.type'],
    [{ solver: { substeps: 1.5 } }, 'OUT_OF_RANGE', 'options.solver.substeps'],
    [{ gyroscopic: 1 }, 'WRONG_TYPE', 'options.gyroscopic'],
    [{ continuous: 'no' }, 'WRONG_TYPE', 'options.continuous'],
    [{ threads: 2 }, 'OUT_OF_RANGE', 'options.threads'],
    [[], 'WRONG_TYPE', 'options'],
    [null, 'WRONG_TYPE', 'options'],
  ];
  for (const [options, code, argument] of cases)
    refuses(() => cairn.createWorld(options), { code, argument });
});

test('gravity can be a vector, a point and Kepler’s', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  near(world.getGravity().acceleration, [0, 0, -9.80665]);
  const body = world.createBody({ position: [2, 0, 0], mass: 1 });
  world.setGravity({ type: 'kepler', centre: [0, 0, 0], mu: 4 });
  world.step();
  near(body.getLastForce(), [-1, 0, 0], 1e-12);
  near(world.potentialEnergy, -4 / body.getPosition()[0], 1e-9);
  world.setGravity({
    type: 'point',
    centre: [10, body.getPosition()[1], body.getPosition()[2]],
    magnitude: 3,
  });
  world.step();
  near(body.getLastForce(), [3, 0, 0], 1e-9);
  world.setGravity([0, 1, 0]);
  assert.equal(world.getGravity().type, 'uniform');
  world.setGravity(world.getGravity());
  refuses(() => world.setGravity([1, 2]), { call: 'world.setGravity' });
  for (const type of ['direct', 'split']) {
    world.setSolver(type);
    assert.equal(world.getSolver().type, type);
  }
  world.setSolver('directAndIterative');
  assert.equal(world.getSolver().type, 'iterative', 'another name, read back as the one');
  refuses(() => world.setSolver('magic'), { code: 'OUT_OF_RANGE', call: 'world.setSolver' });
  world.setSolver('iterative');
  world.setSolver({ type: 'auto', substeps: 8 });
  assert.equal(world.getSolver().substeps, 8);
  world.dispose();
});

test('energies, momenta, counters and the profile', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({ gravity: [0, 0, 0] });
  world.createBody({ mass: 2, inertia: [1, 1, 1], position: [0, 1, 0], velocity: [3, 0, 0] });
  near(world.kineticEnergy, 9, 1e-12);
  near(world.getMomentum(), [6, 0, 0], 1e-12);
  near(world.getAngularMomentum(new Float64Array(3)), [0, 0, -6], 1e-12);
  assert.equal(world.potentialEnergy, 0);
  assert.equal(world.maxPenetration, 0);
  world.step();
  const counters = world.getCounters();
  assert.equal(counters.bodies, 1);
  assert.ok(counters.bytes > 0);
  assert.equal(world.getCounters(counters), counters);
  const profile = world.getProfile();
  assert.ok(profile.step > 0 && profile.step >= profile.collide);
  refuses(() => world.getProfile([]), { code: 'WRONG_TYPE', argument: 'out' });
  world.dispose();
});

test('a ray finds the nearest geometry', async () => {
  const { world, ball, ground } = makeSimpleWorld(await getCairn());
  const hit = world.castRay([0, 0, 5], [0, 0, -10]);
  assert.equal(hit?.body, ball);
  assert.equal(hit?.geometry, ball.geometries()[0]);
  near(hit.point, [0, 0, 2.5], 1e-9);
  near(hit.normal, [0, 0, 1], 1e-9);
  near(hit.fraction, 0.25, 1e-9);
  const again = world.castRay([3, 0, 5], [0, 0, -10], hit);
  assert.equal(again, hit);
  assert.equal(hit.geometry, ground);
  assert.equal(hit.body, null);
  assert.equal(world.castRay([0, 0, 5], [0, 0, 1]), null);
  refuses(() => world.castRay([0, 0, NaN], [0, 0, 1]), { argument: 'origin[2]', call: 'world.castRay' });
  world.dispose();
});

test('a disposed world refuses everything, and its objects too', async () => {
  const { world, ball, ground } = makeSimpleWorld(await getCairn());
  const { columns } = world;
  const reader = world.createContactReader(ball);
  const contacts = world.contacts();
  const matrices = world.createMatrices([0]);
  world.dispose();
  world.dispose();
  assert.equal(world.isDisposed, true);
  const tasks = [
    () => world.step(),
    () => world.collide(),
    () => world.steps(3),
    () => world.advance(1),
    () => world.alpha,
    () => world.time,
    () => world.hash(),
    () => world.columns,
    () => world.contacts(),
    () => world.createBody(),
    () => world.createGeometry({ shape: { type: 'sphere', radius: 1 } }),
    () => world.createShape({ type: 'sphere', radius: 1 }),
    () => world.createMaterial(),
    () => world.castRay([0, 0, 0], [1, 0, 0]),
    () => world.createContactReader(ball),
    () => world.bodyAt(0),
    () => world.getShapeSurface(0),
    () => world.createMatrices([]),
    () => columns.bodies.position,
    () => columns.bodies.rows,
    () => ball.getPosition(),
    () => ball.setVelocity([1, 0, 0]),
    () => ball.motion,
    () => ball.geometries(),
    () => ground.body,
    () => ground.destroy(),
    () => reader.getForce(),
    () => reader.contacts(),
    () => contacts.next(),
    () => matrices.write(),
    () => matrices.array,
    () => world.setGravity([0, 0, 0]),
  ];
  for (const task of tasks) refuses(task, { code: 'STALE_HANDLE' });
  assert.equal(ball.isValid, false);
});

test('a world is disposed by `using`', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  if (Symbol.dispose) world[Symbol.dispose]();
  else world.dispose();
  assert.equal(world.isDisposed, true);
});

test('group and geometry pairs are switched', async () => {
  const cairn = await getCairn();
  const fall = (change) => {
    const { world, ball, ground } = makeSimpleWorld(cairn);
    change(world, ground, ball.geometries()[0]);
    world.steps(120);
    const height = ball.getPosition()[2];
    world.dispose();
    return height;
  };
  assert.ok(fall(() => {}) > 0.4);
  assert.ok(fall((world, a, b) => world.setGeometryPairEnabled(a, b, false)) < -1);
  const withGroups = (world, a, b) => {
    a.addGroup(7);
    b.addGroup(4294967295);
    world.setGroupPairEnabled(7, 4294967295, false);
  };
  assert.ok(fall(withGroups) < -1);
  const removed = (world, a, b) => {
    withGroups(world, a, b);
    b.removeGroup(4294967295);
  };
  assert.ok(fall(removed) > 0.4);
});

test('the engine’s mathematics is at hand', async () => {
  const { math } = await getCairn();
  near(math.sin(1), Math.sin(1), 1e-15);
  near(math.atan2(1, -1), Math.atan2(1, -1), 1e-15);
  near(math.pow(2, 0.5), Math.SQRT2, 1e-15);
  refuses(() => math.cos('x'), { code: 'WRONG_TYPE', call: 'cairn.math.cos' });
});

test('geometry without a world', async () => {
  const cairn = await getCairn();
  const { volume, mass, inertia } = cairn.computeMassProperties({ type: 'box', halfExtents: [1, 2, 3] }, 10);
  near([volume, mass], [48, 480], 1e-9);
  near([inertia[0], inertia[4], inertia[8]], [160 * 13, 160 * 10, 160 * 5], 1e-9);
  const bounds = cairn.computeBounds({ type: 'sphere', radius: 2 }, { position: [1, 0, 0] });
  near(bounds.lower, [-1, -2, -2]);
  near(bounds.upper, [3, 2, 2]);
  const hit = cairn.castRayAtShape({ type: 'sphere', radius: 1 }, {}, [0, 0, 5], [0, 0, -8]);
  assert.equal(hit.hit, true);
  near(hit.fraction, 0.5);
  const tetrahedron = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  near(cairn.computeMassProperties({ type: 'convex', points: tetrahedron }, 6).mass, 1, 1e-12);
  near(
    cairn.computeMassProperties({ type: 'convex', points: new Float64Array(tetrahedron.flat()) }, 6).mass,
    1,
    1e-12,
  );
  refuses(() => cairn.computeMassProperties({ type: 'convex', points: [[0, 0, 0]] }, 1), {
    call: 'cairn.computeMassProperties',
  });
  refuses(() => cairn.computeMassProperties({ type: 'box', radius: 1 }, 1), { code: 'UNKNOWN_NAME' });
  refuses(() => cairn.computeMassProperties({ type: 'sphere', radius: -1 }, 1), { code: 'OUT_OF_RANGE' });
});

test('the balance of energies: a ball bounces, and the works add up', async () => {
  const cairn = await getCairn('st');
  const world = cairn.createWorld();
  const rubber = world.createMaterial();
  world.createContactMaterial({ materials: [rubber, rubber], restitution: 0.5 });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1], offset: 0 }, material: rubber });
  const shape = { type: 'sphere', radius: 0.2 };
  world.createBody({ position: [0, 0, 1.2], mass: 1, geometries: [{ shape, material: rubber }] });
  assert.equal(world.energyBalance, false);
  assert.ok(Number.isNaN(world.getEnergies().byImpacts));
  world.energyBalance = true;
  const energies = world.getEnergies();
  let before = energies.kinetic + energies.gravity + energies.springs;
  let lost = 0;
  for (let step = 0; step < 40; ++step) {
    world.step();
    assert.equal(world.getEnergies(energies), energies);
    const now = energies.kinetic + energies.gravity + energies.springs;
    const works = Object.entries(energies).filter(([name]) => name.startsWith('by'));
    near(
      works.reduce((sum, [, work]) => sum + work, 0),
      now - before,
      1e-12,
    );
    before = now;
    lost += energies.byImpacts;
  }
  near(lost, -0.75 * 9.80665, 0.6); // struck up to 8 cm deep
  world.dispose();
});
