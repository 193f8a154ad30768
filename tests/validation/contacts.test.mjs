// Laws of contact, friction and impact on bodies made through the JavaScript interface;
// references in closed form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';

const gravity = 9.80665;

/** A world with a ground plane whose contacts with everything have these properties. */
async function makeGround(pair, options = {}) {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld(options);
  const material = world.createMaterial({ density: 1000 });
  world.createContactMaterial({ materials: [material, material], ...pair });
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, material });
  const add = (shape, body) => world.createBody({ ...body, geometries: [{ shape, material }] });
  return { world, material, ground, add };
}

const repeat = (count, task) => {
  for (let i = 0; i < count; ++i) task(i);
};

test('a block thrown at 8 m/s slides v²/(2 μ g), in twelve directions', async () => {
  for (let k = 0; k < 12; ++k) {
    const { world, add } = await makeGround({ friction: [0.5, 0.5] }, { timeStep: 1 / 240 });
    const angle = (k * Math.PI) / 6 + 0.1;
    const block = add({ type: 'box', halfExtents: [0.4, 0.4, 0.2] }, { position: [0, 0, 0.2] });
    repeat(60, () => world.step());
    const start = [...block.getPosition()];
    block.setVelocity([8 * Math.cos(angle), 8 * Math.sin(angle), 0]);
    repeat(600, () => world.step());
    const way = [block.getPosition()[0] - start[0], block.getPosition()[1] - start[1]];
    const expected = 64 / (2 * 0.5 * gravity);
    const measured = Math.hypot(...way);
    assert.ok(Math.abs(measured / expected - 1) < 0.01, `slid ${measured} m, expected ${expected} m`);
    const aside = Math.abs(way[0] * Math.sin(angle) - way[1] * Math.cos(angle));
    assert.ok(aside < 0.01 * expected, `went ${aside} m aside`);
    world.dispose();
  }
});

test('a ball thrown without spin rolls at 5/7 of its speed', async () => {
  const { world, add } = await makeGround({ friction: [0.3, 0.3] }, { timeStep: 1 / 240 });
  const ball = add({ type: 'sphere', radius: 0.5 }, { position: [0, 0, 0.5] });
  repeat(60, () => world.step());
  ball.setVelocity([7, 0, 0]);
  repeat(480, () => world.step());
  assert.ok(Math.abs(ball.getVelocity()[0] / 5 - 1) < 0.01, `rolls at ${ball.getVelocity()[0]} m/s`);
  assert.ok(
    Math.abs(ball.getAngularVelocity()[1] / 10 - 1) < 0.01,
    `turns at ${ball.getAngularVelocity()[1]} rad/s`,
  );
  world.dispose();
});

test('a ball bounces to e² of its height, six times, at the default time step', async () => {
  const e = 0.8;
  const { world, add } = await makeGround({ restitution: e });
  const ball = add({ type: 'sphere', radius: 0.5 }, { position: [0, 0, 5.5] });
  const apexes = [];
  let before = 0;
  let reach = 0;
  repeat(600, () => {
    world.step();
    const v = ball.getVelocity()[2];
    // where it flies to from the last sample on the way up
    if (before > 0 && v <= 0) apexes.push(reach);
    reach = ball.getPosition()[2] - 0.5 + (v * v) / (2 * gravity);
    before = v;
  });
  [1, 2, 3, 4, 5, 6].forEach((bounce) => {
    const expected = 5 * e ** (2 * bounce);
    const measured = apexes[bounce - 1];
    assert.ok(
      Math.abs(measured / expected - 1) < 1e-6,
      `bounce ${bounce}: ${measured} m, expected ${expected} m`,
    );
  });
  world.dispose();
});

test('a stack of ten: each box bears what is above it', async () => {
  const { world, ground, add } = await makeGround({});
  const boxes = Array.from({ length: 10 }, (_, i) =>
    add({ type: 'box', halfExtents: [0.5, 0.5, 0.5] }, { position: [0, 0, i + 0.5] }),
  );
  repeat(300, () => world.step());
  boxes.forEach((box, i) => {
    const reader = world.createContactReader(box, i === 0 ? ground : boxes[i - 1]);
    const { normal } = reader.read();
    const expected = 1000 * gravity * (10 - i);
    assert.ok(Math.abs(normal[2] / expected - 1) < 1e-3, `box ${i}: ${normal[2]} N`);
  });
  world.dispose();
});

test('an overhang of 0.49 of a box stands, 0.505 falls', async () => {
  for (const [overhang, stands] of /** @type {const} */ ([
    [0.49, true],
    [0.505, false],
  ])) {
    const { world, add } = await makeGround({});
    add({ type: 'box', halfExtents: [0.5, 0.5, 0.5] }, { position: [0, 0, 0.5], motion: 'static' });
    const top = add({ type: 'box', halfExtents: [0.5, 0.5, 0.5] }, { position: [overhang, 0, 1.5] });
    repeat(900, () => world.step());
    assert.equal(
      top.getPosition()[2] > 1.49,
      stands,
      `overhang ${overhang}: the top box is at ${top.getPosition()[2]} m`,
    );
    world.dispose();
  }
});

test('a box started 5 cm deep leaves slowly: never faster than 0.05 m/s', async () => {
  const { world, add } = await makeGround({});
  const box = add({ type: 'box', halfExtents: [0.5, 0.5, 0.5] }, { position: [0, 0, 0.45] });
  let fastest = 0;
  repeat(600, () => {
    world.step();
    fastest = Math.max(fastest, box.getVelocity()[2]);
  });
  assert.ok(fastest < 0.05, `it rose at ${fastest} m/s`);
  assert.ok(Math.abs(box.getPosition()[2] - 0.5) < 1e-3, `it ended at ${box.getPosition()[2]} m`);
  world.dispose();
});

test('contacts conserve momentum and angular momentum', async () => {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld({ gravity: [0, 0, 0] });
  repeat(12, (i) => {
    const angle = (i * Math.PI) / 6;
    world.createBody({
      position: [3 * Math.cos(angle), 3 * Math.sin(angle), 0.1 * i],
      velocity: [-2 * Math.cos(angle), -2 * Math.sin(angle), 0],
      geometries: [
        { shape: i % 2 ? { type: 'sphere', radius: 0.5 } : { type: 'box', halfExtents: [0.5, 0.4, 0.3] } },
      ],
    });
  });
  const [p, l] = [[...world.getMomentum()], [...world.getAngularMomentum()]];
  repeat(240, () => world.step());
  const size = 12 * 500 * 2;
  [...world.getMomentum()].forEach((value, i) =>
    assert.ok(Math.abs(value - p[i]) < 1e-5 * size, `momentum ${value}`),
  );
  [...world.getAngularMomentum()].forEach((value, i) =>
    assert.ok(Math.abs(value - l[i]) < 1e-3 * size * 3, `angular momentum ${value}, was ${l[i]}`),
  );
  world.dispose();
});
