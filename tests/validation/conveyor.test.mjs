// CF12: a conveyor belt, level and inclined, a turntable, and belts that launch or ride.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';

const { setup, reference, tolerance } = JSON.parse(
  readFileSync(new URL('CF12_conveyor_and_turntable.json', import.meta.url), 'utf8'),
);
const { mu, surface_velocity: surfaceVelocity } = setup.belt;
const halfExtents = setup.block.size.map((size) => size / 2);

async function makeWorld(timeStep, gravity) {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld({ timeStep, gravity });
  const material = world.createMaterial();
  world.createContactMaterial({ materials: [material, material], friction: [mu, mu] });
  const addBlock = (position, half = halfExtents, options = {}) =>
    world.createBody({
      position,
      mass: setup.block.mass,
      geometries: [{ shape: { type: 'box', halfExtents: half }, material }],
      ...options,
    });
  return { world, material, addBlock };
}

const near = (value, expected, within, what) =>
  assert.ok(Math.abs(value - expected) <= within, `${what}: ${value}, expected ${expected} ± ${within}`);

test('a block on a belt: time to its speed, slip, no overshoot', async () => {
  const h = 1 / 1000;
  const { world, material, addBlock } = await makeWorld(h, setup.gravity);
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, material, surfaceVelocity });
  const block = addBlock([0, 0, halfExtents[2]]);
  let time = 0;
  let fastest = 0;
  for (let i = 1; i <= 1000; ++i) {
    world.step();
    const [speed] = block.getVelocity();
    if (speed < 0.999 * reference.steady_speed) time = i * h;
    fastest = Math.max(fastest, speed);
  }
  near(
    time,
    reference.time_to_belt_speed,
    tolerance.time_relative * reference.time_to_belt_speed + h,
    'time',
  );
  near(block.getVelocity()[0], reference.steady_speed, tolerance.speed, 'speed');
  assert.ok(fastest < reference.steady_speed + tolerance.speed, `overshoot to ${fastest}`);
  const slip = reference.steady_speed * 1 - block.getPosition()[0];
  near(slip, reference.slip_distance_relative, 0.02 * reference.slip_distance_relative, 'slip');
  world.dispose();
});

test('an inclined belt: acceleration and speed', async () => {
  const angle = (setup.inclined.angle_deg * Math.PI) / 180;
  const g = -setup.gravity[2];
  const h = 1 / 1000;
  const { world, material, addBlock } = await makeWorld(h, [-g * Math.sin(angle), 0, -g * Math.cos(angle)]);
  world.createGeometry({
    shape: { type: 'plane', normal: [0, 0, 1] },
    material,
    surfaceVelocity: [setup.inclined.surface_speed_uphill, 0, 0],
  });
  const block = addBlock([0, 0, halfExtents[2]]);
  world.steps(200);
  const { acceleration, steady_speed: steady, time_to_speed: wanted } = reference.inclined;
  near(block.getVelocity()[0], 0.2 * acceleration, 0.01 * 0.2 * acceleration, 'speed after 0.2 s');
  let time = 0.2;
  for (let i = 201; i <= 1000; ++i) {
    world.step();
    if (block.getVelocity()[0] < 0.999 * steady) time = i * h;
  }
  near(time, wanted, tolerance.time_relative * wanted + h, 'time');
  near(block.getVelocity()[0], steady, tolerance.speed, 'speed');
  world.dispose();
});

test('a turntable holds within the critical radius and lets go beyond', async () => {
  const { omega_z: omega, block_radius_positions: radii } = setup.turntable;
  for (const [i, radius] of radii.entries()) {
    const { world, material, addBlock } = await makeWorld(1 / 1000, setup.gravity);
    world.createBody({
      motion: 'kinematic',
      angularVelocity: [0, 0, omega],
      geometries: [{ shape: { type: 'box', halfExtents: [3, 3, 0.1] }, position: [0, 0, -0.1], material }],
    });
    const block = addBlock([radius, 0, 0.02], [0.02, 0.02, 0.02], {
      velocity: [0, omega * radius, 0],
      angularVelocity: [0, 0, omega],
    });
    world.steps(2000);
    const [x, y] = block.getPosition();
    const moved = Math.hypot(x, y) - radius;
    if (reference.turntable.outcome[i] === 'stays') near(moved, 0, 0.02 * radius, `radius ${radius}`);
    else assert.ok(moved > 0.05, `at ${radius} m it moved by ${moved} m`);
    world.dispose();
  }
});

test('a belt on a vehicle carries relative to the vehicle', async () => {
  const { world, material, addBlock } = await makeWorld(1 / 240, setup.gravity);
  const vehicle = world.createBody({
    motion: 'kinematic',
    velocity: [1, 0, 0],
    geometries: [
      {
        shape: { type: 'box', halfExtents: [5, 1, 0.1] },
        position: [0, 0, -0.1],
        material,
        surfaceVelocity: [0.3, 0, 0],
      },
    ],
  });
  const cargo = addBlock([0, 0, halfExtents[2]], halfExtents, { velocity: [1, 0, 0] });
  world.steps(480);
  near(cargo.getVelocity()[0] - vehicle.getVelocity()[0], 0.3, 1e-3, 'speed');
  world.dispose();
});

test('a surface velocity along the normal has no effect', async () => {
  const { world, material, addBlock } = await makeWorld(1 / 60, setup.gravity);
  world.createGeometry({
    shape: { type: 'plane', normal: [0, 0, 1] },
    material,
    surfaceVelocity: [0, 0, 5],
  });
  const block = addBlock([0, 0, halfExtents[2]]);
  world.steps(120);
  near(Math.hypot(...block.getVelocity()), 0, 1e-5, 'speed');
  near(block.getPosition()[2], halfExtents[2], 1e-4, 'height');
  world.dispose();
});

for (const solver of ['auto', 'iterative', 'direct', 'split']) {
  test(`a tall block rides a bed that starts off at 0.95 of what tips it, and tips at 1.05, ${solver}`, async () => {
    const cairn = await getCairn('st', 1);
    const [half, high, g] = [0.2, 0.5, 9.80665];
    for (const part of [0.95, 1.05]) {
      const world = cairn.createWorld({ timeStep: 1 / 60, gravity: [0, 0, -g], solver });
      const material = world.createMaterial();
      world.createContactMaterial({ materials: [material, material], friction: 2, restitution: 0 });
      const bed = world.createBody({
        motion: 'kinematic',
        position: [0, 0, -0.5],
        geometries: [{ shape: { type: 'box', halfExtents: [30, 2, 0.5] }, material }],
      });
      const block = world.createBody({
        position: [0, 0, high],
        geometries: [{ shape: { type: 'box', halfExtents: [half, 0.3, high] }, material }],
      });
      world.steps(30);
      for (let i = 1; i <= 90; ++i) {
        bed.setVelocity([(part * g * half * i) / (high * 60), 0, 0]);
        world.step();
      }
      const [x, y] = block.getRotation();
      const tilt = Math.acos(1 - 2 * (x * x + y * y));
      const slip = block.getPosition()[0] - bed.getPosition()[0];
      if (part < 1) {
        assert.ok(Math.abs(slip) < 0.02, `it slid by ${slip} m`);
        assert.ok(tilt < 0.01, `it is tilted by ${tilt} rad`);
      } else {
        assert.ok(tilt > 1, `it is tilted by ${tilt} rad`);
      }
      world.dispose();
    }
  });
}
