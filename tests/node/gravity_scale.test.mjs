// How much of gravity acts on a body.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, near, refuses } from './helpers.mjs';

const ball = { shape: { type: 'sphere', radius: 0.5 } };
const g = 9.80665;

for (const [name, load] of flavours) {
  test(`${name}: a body falls, floats or rises by its scale`, async () => {
    const world = (await load()).createWorld();
    const scales = [undefined, 0, 0.5, -1, 2];
    const bodies = scales.map((gravityScale, i) =>
      world.createBody({ position: [3 * i, 0, 0], geometries: [ball], gravityScale }),
    );
    world.steps(60);
    scales.forEach((scale = 1, i) => {
      assert.equal(bodies[i].gravityScale, scale);
      near(bodies[i].getVelocity(), [0, 0, -g * scale], 1e-12);
      near(bodies[i].getPosition()[2], -0.5 * g * scale, 1e-12);
      near(bodies[i].getLastForce()[2] / bodies[i].mass, -g * scale, 1e-12);
    });
    world.dispose();
  });

  test(`${name}: what is read stays when the scale changes, and the fall goes on with the new one`, async () => {
    const world = (await load()).createWorld();
    const body = world.createBody({ geometries: [ball] });
    world.steps(30);
    const before = [...body.getVelocity(), ...body.getPosition()];
    body.gravityScale = -3;
    assert.deepEqual([...body.getVelocity(), ...body.getPosition()], before);
    world.steps(30);
    near(body.getVelocity()[2], -0.5 * g + 3 * 0.5 * g, 1e-12);
    near(body.getPosition()[2], -0.125 * g - 0.25 * g + 3 * 0.125 * g, 1e-12);
    world.dispose();
  });

  for (const solver of ['iterative', 'direct', 'split']) {
    test(`${name}: the ground bears a part of the weight, ${solver}`, async () => {
      const world = (await load()).createWorld({ solver, sleep: false });
      world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
      const body = world.createBody({
        position: [0, 0, 0.5],
        geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }],
        gravityScale: 0.25,
      });
      const reader = world.createContactReader(body);
      world.steps(120);
      near(reader.getNormalForce()[2] / (0.25 * g * body.mass), 1, 1e-3);
      world.dispose();
    });
  }

  test(`${name}: energy is kept with a scale, and the balance closes`, async () => {
    const world = (await load()).createWorld();
    const body = world.createBody({ position: [0, 0, 100], geometries: [ball], gravityScale: 0.3 });
    world.energyBalance = true;
    near(world.potentialEnergy, body.mass * 0.3 * g * 100, 1e-9);
    const total = world.kineticEnergy + world.potentialEnergy;
    for (let i = 0; i < 60; ++i) {
      world.step();
      near(world.getEnergies().byStepping / total, 0, 1e-12);
    }
    near((world.kineticEnergy + world.potentialEnergy) / total, 1, 1e-12);
    near(world.kineticEnergy / (0.5 * body.mass * (0.3 * g) ** 2), 1, 1e-9);
    world.dispose();
  });

  test(`${name}: parts of a merged body keep their scales`, async () => {
    const world = (await load()).createWorld();
    world.energyBalance = true;
    const parts = [0, 1].map((scale, i) =>
      world.createBody({ position: [4 * i - 2, 0, 0], mass: 3, inertia: [1, 1, 1], gravityScale: scale }),
    );
    const merged = world.createMergedBody({ bodies: parts });
    const total = world.kineticEnergy + world.potentialEnergy;
    world.step();
    // half of the weight, two metres from the centre
    near(parts[0].getAcceleration().map((x, i) => x + parts[1].getAcceleration()[i])[2] / 2, -g / 2, 1e-3);
    const inertia = 2 * (1 + 3 * 4);
    near(parts[0].getAngularVelocity(), [0, (2 * 3 * g) / inertia / 60, 0], 1e-6);
    for (let i = 0; i < 60; ++i) {
      world.step();
      near(world.kineticEnergy + world.potentialEnergy - total, 0, 0.02);
      near(world.getEnergies().byForces, 0, 1e-12);
    }
    merged.destroy();
    world.steps(10);
    near(parts[0].getAcceleration(), [0, 0, 0], 1e-9);
    near(parts[1].getAcceleration(), [0, 0, -g], 1e-9);
    world.dispose();
  });

  test(`${name}: the scale wakes, is saved, and is part of the hash`, async () => {
    const cairn = await load();
    const world = cairn.createWorld();
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const body = world.createBody({ position: [0, 0, 0.5], geometries: [ball] });
    for (let i = 0; i < 200 && !body.asleep; ++i) world.step();
    assert.ok(body.asleep);
    body.gravityScale = 1;
    assert.ok(body.asleep);
    const hash = world.hash();
    body.gravityScale = -0.5;
    assert.ok(!body.asleep);
    assert.notEqual(world.hash(), hash);
    const copy = cairn.restoreWorld(world.save());
    assert.equal(copy.bodyAt(0).gravityScale, -0.5);
    for (const item of [world, copy]) item.steps(60);
    assert.equal(copy.hash(), world.hash());
    near(body.getVelocity()[2], 0.5 * g, 0.02); // and what the ground pushed
    copy.dispose();
    world.dispose();
  });

  test(`${name}: what floats does not merge with what it touches`, async () => {
    const world = (await load()).createWorld({ mergeSplit: true });
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const [plain, light] = [1, 0.5].map((gravityScale, i) =>
      world.createBody({
        position: [3 * i, 0, 0.5],
        geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }],
        gravityScale,
        sleepless: true,
      }),
    );
    world.steps(120);
    assert.ok(plain.merged);
    assert.ok(!light.merged);
    plain.gravityScale = 0;
    assert.ok(!plain.merged);
    world.dispose();
  });
}

test('scenes take the scale', async () => {
  const cairn = await getCairn();
  const file = (gravityScale) => ({
    format: 'cairn-scene',
    version: 1,
    bodies: [{ name: 'a', mass: 2, gravityScale }],
  });
  const scene = cairn.loadScene(file(0.5));
  assert.equal(scene.findBody('a').gravityScale, 0.5);
  scene.steps(60);
  near(scene.findBody('a').getVelocity()[2], -0.5 * g, 1e-12);
  scene.dispose();
  refuses(() => cairn.loadScene(file('light')), { code: 'SCENE', argument: '/bodies/0/gravityScale' });
  refuses(() => cairn.loadScene(file(1e7)), { code: 'SCENE', argument: '/bodies/0/gravityScale' });
});

test('a wrong scale changes nothing', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ mass: 1 });
  for (const scale of [NaN, Infinity, 1e7])
    refuses(() => (body.gravityScale = scale), { call: 'body.gravityScale' });
  refuses(() => (body.gravityScale = '1'), { code: 'WRONG_TYPE' });
  refuses(() => world.createBody({ mass: 1, gravityScale: 1e7 }), { call: 'world.createBody' });
  assert.equal(body.gravityScale, 1);
  world.dispose();
});
