// Force fields: when they act, and the physics of those of the package.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as api from '../../web/index.node.js';
import { makeFieldWorld } from '../shared/field_worlds.mjs';
import { flavours, garbageOf, getCairn, near, refuses } from './helpers.mjs';

const { createBuoyancy, createDrag, createGravityField, createWind } = api;
const g = 9.80665;
const ball = (radius, mass, position) => ({
  position,
  mass,
  geometries: [{ shape: { type: 'sphere', radius } }],
});

/** @param {number} actual @param {number} expected @param {number} part of it */
function within(actual, expected, part, what) {
  assert.ok(Math.abs(actual - expected) <= part * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}

test('a field acts once in every step, whichever way it is taken', async () => {
  const cairn = await getCairn();
  const ways = {
    step: (world) => world.step(),
    steps: (world) => world.steps(1),
    advance: (world) => world.advance(0.01),
    halves: (world) => (world.collide(), world.solve()),
    replaced: (world, body) => {
      world.collide();
      body.applyForce([2, 0, 0]);
      world.solve();
    },
  };
  const hashes = Object.entries(ways).map(([name, way]) => {
    const world = cairn.createWorld({ timeStep: 0.01, gravity: [0, 0, 0] });
    const body = world.createBody({ mass: 2 });
    let calls = 0;
    const field = (given) => {
      assert.equal(given, world);
      const { force } = world.columns.bodies;
      force[3 * body.index] += 2;
      calls += 1;
    };
    const listener = name === 'replaced' ? null : world.addForceField(field);
    for (let i = 0; i < 100; ++i) way(world, body);
    near(body.getVelocity(), [1, 0, 0], 1e-12);
    near(body.getLastForce(), [2, 0, 0], 1e-12);
    if (listener) {
      assert.equal(calls, 100);
      listener.remove();
      way(world);
      assert.equal(calls, 100);
      near(body.getVelocity(), [1, 0, 0], 1e-12);
      refuses(() => world.addForceField({ apply: 1 }), { code: 'WRONG_TYPE' });
    } else {
      way(world, body);
      body.setVelocity([1, 0, 0]);
    }
    const hash = world.hash();
    world.dispose();
    return name === 'replaced' ? null : hash;
  });
  assert.equal(new Set(hashes.slice(0, 4)).size, 1);
});

test('a field that throws leaves the step complete, and may not step', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  world.createBody({ mass: 1 });
  const fails = world.addForceField(() => {
    throw new Error('no field');
  });
  assert.throws(() => world.step(), /no field/);
  assert.equal(world.stepCount, 1);
  fails.remove();
  for (const spoil of [() => world.step(), () => world.dispose(), () => world.collide()]) {
    const listener = world.addForceField(spoil);
    refuses(() => world.step(), { code: 'WRONG_PHASE' });
    listener.remove();
  }
  // out of phase nothing acts
  let calls = 0;
  world.addForceField({ apply: () => (calls += 1) });
  refuses(() => world.solve(), { code: 'WRONG_PHASE' });
  assert.equal(calls, 0);
  world.dispose();
});

test('a falling ball follows v = v_t tanh(g t / v_t) by quadratic drag, and m g / b by linear', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const [radius, mass] = [0.1, 0.5];
  const area = Math.PI * radius * radius;
  const falling = world.createBody(ball(radius, mass, [0, 0, 0]));
  const slow = world.createBody(ball(radius, mass, [5, 0, 0]));
  world.addForceField(createDrag({ bodies: [falling], area, coefficient: 0.47, density: 1.2 }));
  world.addForceField(createDrag({ bodies: [slow], linear: 4 }));
  const terminal = Math.sqrt((2 * mass * g) / (1.2 * 0.47 * area));
  for (const seconds of [1, 3, 20]) {
    while (world.time < seconds - 1e-9) world.step();
    const expected = -terminal * Math.tanh((g * seconds) / terminal);
    within(falling.getVelocity()[2], expected, 0.01, `speed after ${seconds} s`);
  }
  within(falling.getVelocity()[2], -terminal, 1e-3, 'terminal speed');
  within(slow.getVelocity()[2], (-mass * g) / 4, 1e-6, 'terminal speed by linear drag');
  world.dispose();
});

test('no drag is so great that it turns motion round', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  const body = world.createBody({ mass: 1, velocity: [100, 0, 0] });
  world.addForceField(createDrag({ area: 1e6 }));
  for (let i = 0; i < 100; ++i) {
    world.step();
    assert.ok(body.getVelocity()[0] > -1e-9);
  }
  assert.ok(body.getVelocity()[0] < 1e-6);
  world.dispose();
});

test('a pendulum in the wind hangs at tan θ = F / (m g), and what is free goes with it', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const [radius, mass, speed] = [0.2, 0.3, 12];
  const area = Math.PI * radius * radius;
  const bob = world.createBody({ ...ball(radius, mass, [0, 0, -2]), linearDamping: [0.5, 0.5, 0.5] });
  world.createConstraint({ type: 'ball', bodies: [bob, null], anchor: [0, 0, 0] });
  const free = world.createBody(ball(radius, mass, [0, 50, 0]));
  world.addForceField(createWind({ velocity: [speed, 0, 0], area }));
  world.steps(2400);
  const [x, , z] = bob.getPosition();
  const force = 0.5 * 1.2 * 0.47 * area * speed * speed;
  within(x / -z, force / (mass * g), 0.01, 'tan θ');
  within(free.getVelocity()[0], speed, 0.01, 'speed downwind');
  world.dispose();
});

test('wind may be a function of place and time', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  const bodies = [-1, 1].map((y) => world.createBody({ mass: 1, position: [0, y, 0] }));
  const velocity = (position, time, out) => {
    if (time >= 0) out[0] = 3 * position[1];
  };
  world.addForceField(createWind({ velocity, linear: 10 }));
  world.steps(300);
  bodies.forEach((body, i) => near(body.getVelocity(), [i === 0 ? -3 : 3, 0, 0], 1e-6));
  world.dispose();
});

/** What is under water of things that float, after a minute. */
function float(cairn, options) {
  const world = cairn.createWorld();
  const body = world.createBody(options);
  world.addForceField(createBuoyancy({ damping: 2 }));
  world.steps(3600);
  const height = body.getPosition()[2];
  const speed = Math.hypot(...body.getVelocity());
  world.dispose();
  assert.ok(speed < 1e-4, `still at ${speed} m/s`);
  return height;
}

const upright = [Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // y to z

for (const [flavour, getModule] of flavours) {
  test(`things float as deep as Archimedes says (${flavour})`, async () => {
    const cairn = await getModule();
    const r = 0.4;
    // π h² (3 r − h) / 3 = share · 4/3 π r³
    for (const share of [0.25, 0.5, 0.9]) {
      let [low, high] = [0, 2 * r];
      for (let i = 0; i < 60; ++i) {
        const h = (low + high) / 2;
        if ((h * h * (3 * r - h)) / 4 < share * r * r * r) low = h;
        else high = h;
      }
      const height = float(cairn, ball(r, share * 1000 * (4 / 3) * Math.PI * r ** 3, [0, 0, 0.2]));
      within(r - height, low, 0.01, `depth of a ball of ${share} of water's density`);
    }
    const shapes = {
      box: [{ type: 'box', halfExtents: [0.5, 0.6, 0.1] }, [0, 0, 0, 1], 0.24, 0.2],
      cylinder: [{ type: 'cylinder', radius: 0.5, height: 0.2 }, upright, Math.PI * 0.05, 0.2],
      ring: [
        { type: 'hollowCylinder', innerRadius: 0.4, thickness: 0.2, height: 0.2 },
        upright,
        Math.PI * 0.2 * (0.6 ** 2 - 0.4 ** 2),
        0.2,
      ],
    };
    for (const [name, [shape, rotation, volume, height]] of Object.entries(shapes)) {
      for (const share of [0.3, 0.7]) {
        const z = float(cairn, {
          mass: 1000 * share * volume,
          position: [0, 0, 0.02],
          rotation,
          geometries: [{ shape }],
        });
        within(height / 2 - z, share * height, 0.01, `draught of the ${name} of ${share}`);
      }
    }
  });
}

test('what sinks weighs as much less as the water it displaces, whatever its shape', async () => {
  const cairn = await getCairn();
  const tetrahedron = { points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }; // prettier-ignore
  const triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]; // prettier-ignore
  const shapes = [
    [{ type: 'sphere', radius: 0.3 }],
    [{ type: 'box', halfExtents: [0.2, 0.3, 0.4] }],
    [{ type: 'capsule', radius: 0.2, height: 0.5 }],
    [{ type: 'cylinder', radius: 0.2, height: 0.5 }],
    [{ type: 'cone', topRadius: 0, bottomRadius: 0.3, height: 0.5 }],
    [{ type: 'hollowCylinder', innerRadius: 0.3, thickness: 0.1, height: 0.5 }],
    [{ type: 'hollowCone', topRadius: 0.2, bottomRadius: 0.4, height: 0.5, thickness: 0.1 }],
    [{ type: 'convex', ...tetrahedron }],
    [{ type: 'trimesh', ...tetrahedron, triangles }],
    [{ type: 'heightField', resolution: [2, 2], size: [1, 1], heights: [1, 1.5, 2, 1], dynamic: true }],
  ];
  for (const [shape] of shapes) {
    const world = cairn.createWorld({ gravity: [0, 0, 0] });
    const body = world.createBody({ position: [0, 0, -5], geometries: [{ shape }] });
    const { volume, centre } = cairn.computeMassProperties(shape, 1);
    world.addForceField(createBuoyancy());
    world.step();
    const weight = 1000 * g * volume;
    near(body.getLastForce(), [0, 0, weight], 1e-9 * weight, shape.type);
    // at the centre of the volume, which is that of mass
    near(body.getLastTorque(), [0, 0, 0], 2e-3 * weight, `${shape.type} ${centre}`);
    world.dispose();
  }
});

test('a body heels back: buoyancy acts at the centre of what is under water', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  // a raft turned by a small angle about y: torque −ρ g I_waterplane θ, I = (2a)(2b)³ / 12 with b along x
  const angle = 0.01;
  const body = world.createBody({
    rotation: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
    geometries: [{ shape: { type: 'box', halfExtents: [1, 0.5, 0.2] } }],
  });
  world.addForceField(createBuoyancy());
  world.step();
  const area = (1 * 2 ** 3) / 12;
  const below = 0.1; // m, from the raft's centre to that of its lower half
  const volume = 2 * 1 * 0.2;
  const expected = -1000 * g * (area - volume * below) * angle;
  within(body.getLastTorque()[1], expected, 0.01, 'righting torque');
  world.dispose();
});

test('gravity by a function keeps a circular orbit, and energies count its work', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({ gravity: [0, 0, 0], timeStep: 0.005 });
  const body = world.createBody({ mass: 3, position: [2, 0, 0], velocity: [0, Math.sqrt(4 / 2), 0] });
  const acceleration = (position, time, out) => {
    const squared = position[0] ** 2 + position[1] ** 2 + position[2] ** 2;
    for (let i = 0; i < 3; ++i) out[i] = (-4 * position[i]) / (squared * Math.sqrt(squared));
  };
  world.addForceField(createGravityField({ acceleration }));
  const period = 2 * Math.PI * Math.sqrt(8 / 4);
  const steps = Math.round(period / 0.005);
  for (let i = 0; i < 5 * steps; ++i) {
    world.step();
    within(Math.hypot(...body.getPosition()), 2, 0.001, 'radius');
  }
  near(body.getPosition(), [2, 0, 0], 0.02);
  // thrown out, it loses what the field takes
  body.setVelocity([1.5, 0, 0]);
  world.energyBalance = true;
  const before = world.kineticEnergy;
  let work = 0;
  for (let i = 0; i < 100; ++i) {
    world.step();
    work += world.getEnergies().byForces;
  }
  assert.ok(work < -0.5);
  within(world.kineticEnergy - before, work, 0.01, 'work');
  world.dispose();
});

test('fields end in the same bits with and without threads, and make no garbage', async () => {
  const results = [];
  for (const [, getModule] of flavours) {
    const world = makeFieldWorld(api, await getModule());
    world.steps(300);
    results.push(world.hash());
    const bytes = await garbageOf(() => world.step());
    assert.ok(bytes < 100 * 8000, `100 steps left ${bytes} bytes`);
    world.dispose();
  }
  assert.equal(new Set(results).size, 1);
});

test('a recording has what fields and functions of advance() did', async () => {
  const cairn = await getCairn();
  const world = makeFieldWorld(api, cairn);
  const [body] = world.bodies();
  world.record.start();
  for (let i = 0; i < 20; ++i) world.advance(1 / 60, { beforeStep: () => body.applyForce([0, 0, 30]) });
  const recording = world.record.stop();
  assert.deepEqual(cairn.replay(recording), { steps: 20, difference: null });
  world.dispose();
});

test('options of fields are checked', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const body = world.createBody();
  for (const create of [createDrag, createBuoyancy]) {
    refuses(() => create({ unknown: 1 }), { code: 'UNKNOWN_NAME' });
    refuses(() => create({ bodies: body }), { argument: 'options.bodies' });
    refuses(() => create({ bodies: [world] }), { argument: 'options.bodies[0]' });
    refuses(() => create({ density: -1 }), { argument: 'options.density' });
    refuses(() => create({ flow: [1, 2] }), { argument: 'options.flow' });
  }
  refuses(() => createWind({}), { argument: 'options.velocity' });
  refuses(() => createWind({ velocity: [1, 0, NaN] }), { code: 'NOT_FINITE' });
  refuses(() => createBuoyancy({ up: [0, 0, 0] }), { argument: 'options.up' });
  refuses(() => createGravityField({ acceleration: [0, 0, 1] }), { argument: 'options.acceleration' });
  world.dispose();
});
