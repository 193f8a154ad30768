// Impulses, and what is read of points of a body: velocities, and places in its frame and in the world.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, near, refuses } from './helpers.mjs';

const ball = { shape: { type: 'sphere', radius: 0.5 } };
const skewed = [
  [2, 0.3, -0.2],
  [0.3, 3, 0.4],
  [-0.2, 0.4, 4],
];
const turned = (() => {
  const q = [0.3, -0.5, 0.2, 0.7];
  const length = Math.hypot(...q);
  return q.map((x) => x / length);
})();

const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
const add = (a, b) => a.map((x, i) => x + b[i]);
const sub = (a, b) => a.map((x, i) => x - b[i]);
const scale = (s, a) => a.map((x) => s * x);
const times = (m, v) => m.map((row) => row.reduce((sum, x, i) => sum + x * v[i], 0));

/** Columns x, y, z of a rotation as rows of a matrix. */
function matrixOf([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

const transpose = (m) => m.map((_, i) => m.map((row) => row[i]));

for (const [name, load] of flavours) {
  test(`${name}: an impulse adds to the momenta, exactly`, async () => {
    const world = (await load()).createWorld({ gravity: [0, 0, 0] });
    const body = world.createBody({
      position: [1, 2, 3],
      rotation: turned,
      velocity: [0.5, -1, 2],
      angularVelocity: [0.3, 0.2, -0.4],
      mass: 4,
      inertia: skewed,
      centreOfMass: [0.1, -0.2, 0.3],
    });
    const velocity = body.getVelocity();
    const momentum = body.getAngularMomentum();
    const impulse = [3, -2, 5];
    const point = [2, 1.5, 3.7];
    body.applyImpulse(impulse, point);
    near(body.getVelocity(), add(velocity, scale(1 / 4, impulse)), 1e-14);
    const arm = sub(point, body.getCentreOfMass());
    const wanted = add(momentum, cross(arm, impulse));
    near(body.getAngularMomentum(), wanted, 1e-13);

    // L = R I Rᵀ ω holds with the whole inertia
    const rotation = matrixOf(body.getRotation());
    const spin = times(transpose(rotation), body.getAngularVelocity());
    near(times(rotation, times(skewed, spin)), wanted, 1e-12);

    body.applyAngularImpulse([1, 2, 3]);
    near(body.getAngularMomentum(), add(wanted, [1, 2, 3]), 1e-13);
    near(body.getVelocity(), add(velocity, scale(1 / 4, impulse)), 1e-14);

    // at the centre of mass nothing rotates
    body.applyImpulse(impulse);
    near(body.getAngularMomentum(), add(wanted, [1, 2, 3]), 1e-13);
    near(body.getVelocity(), add(velocity, scale(1 / 2, impulse)), 1e-14);
    world.dispose();
  });

  test(`${name}: added mass takes its share of an impulse`, async () => {
    const world = (await load()).createWorld({ gravity: [0, 0, 0] });
    const body = world.createBody({ mass: 2, inertia: [1, 1, 1], massCoefficients: [1, 0, 3] });
    body.applyImpulse([4, 4, 4]);
    near(body.getVelocity(), [1, 2, 0.5], 1e-15);
    world.dispose();
  });

  test(`${name}: an impulse acts as a force that lasts a step does`, async () => {
    const world = (await load()).createWorld({ timeStep: 1 / 64 });
    const [pushed, kicked] = [0, 10].map((y) =>
      world.createBody({ position: [0, y, 0], geometries: [ball], mass: 3 }),
    );
    world.steps(10);
    pushed.applyForce([192, 0, 0]); // × 1/64 s = 3 N s
    kicked.applyImpulse([3, 0, 0]);
    world.steps(20);
    near(kicked.getVelocity(), pushed.getVelocity(), 1e-12);
    // the force moved it for half of that step less
    near(kicked.getPosition()[0] - pushed.getPosition()[0], 0.5 / 64, 1e-12);
    near(kicked.getPosition()[2], pushed.getPosition()[2], 1e-12);
    world.dispose();
  });

  test(`${name}: an impulse wakes what sleeps, one of nothing does not`, async () => {
    const world = (await load()).createWorld();
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const body = world.createBody({ position: [0, 0, 0.5], geometries: [ball] });
    for (let i = 0; i < 200 && !body.asleep; ++i) world.step();
    assert.ok(body.asleep);
    body.applyImpulse([0, 0, 0]);
    body.applyAngularImpulse([0, 0, 0]);
    assert.ok(body.asleep);
    body.applyImpulse([0, 0, 4 * body.mass]);
    assert.ok(!body.asleep);
    near(body.getVelocity()[2], 4, 1e-12);
    world.dispose();
  });

  test(`${name}: an impulse on a part moves the whole merged body`, async () => {
    const world = (await load()).createWorld({ gravity: [0, 0, 0] });
    const parts = [-1, 1].map((x) => world.createBody({ position: [x, 0, 0], mass: 1, inertia: [1, 1, 1] }));
    world.createMergedBody({ bodies: parts });
    world.step();
    parts[0].applyImpulse([0, 6, 0]);
    world.step();
    near(world.getMomentum(), [0, 6, 0], 1e-12);
    near(world.getAngularMomentum(), [0, 0, -6], 1e-12);
    near(parts[0].getAngularVelocity(), [0, 0, -6 / 4], 1e-12); // 2 · (1 + 1 · 1²)
    near(parts[1].getAngularVelocity(), [0, 0, -6 / 4], 1e-12);
    world.dispose();
  });
}

test('impulses say what is wrong', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const body = world.createBody({ mass: 1 });
  const fixed = world.createBody({ motion: 'static' });
  const lift = world.createBody({ motion: 'kinematic' });
  refuses(() => body.applyImpulse([0, NaN, 0]), { call: 'body.applyImpulse', argument: 'impulse[1]' });
  refuses(() => body.applyImpulse([0, 0, 1], [0, 0]), { code: 'WRONG_TYPE', call: 'body.applyImpulse' });
  refuses(() => body.applyAngularImpulse(3), { code: 'WRONG_TYPE', call: 'body.applyAngularImpulse' });
  for (const other of [fixed, lift]) {
    refuses(() => other.applyImpulse([1, 0, 0]), { code: 'OUT_OF_RANGE', reason: /dynamic/ });
    refuses(() => other.applyAngularImpulse([1, 0, 0]), { code: 'OUT_OF_RANGE', reason: /dynamic/ });
  }
  const hash = world.hash();
  refuses(() => body.applyImpulse([2e30, 0, 0]), { code: 'OUT_OF_RANGE', argument: 'impulse' });
  assert.equal(world.hash(), hash);
  world.dispose();
});

test('velocities of points', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  const options = { rotation: turned, velocity: [1, 2, 3], angularVelocity: [0.5, -1, 2], mass: 1 };
  const body = world.createBody({ ...options, position: [4, 5, 6], centreOfMass: [0.2, 0, 0.1] });
  const point = [7, 3, 2];
  const arm = sub(point, body.getCentreOfMass());
  near(body.getVelocityAtPoint(point), add([1, 2, 3], cross([0.5, -1, 2], arm)), 1e-14);
  near(body.getVelocityAtPoint(body.getCentreOfMass()), [1, 2, 3], 1e-15);
  const out = new Float64Array(3);
  assert.equal(body.getVelocityAtPoint(point, out), out);
  near(out, body.getVelocityAtPoint(point), 0);

  // as the point moves in a short time
  const local = body.toLocal(point);
  world.timeStep = 1e-6;
  const before = body.toWorld(local);
  world.step();
  near(scale(1e6, sub(body.toWorld(local), before)), out, 1e-4);
  refuses(() => body.getVelocityAtPoint([1, 2]), { code: 'WRONG_TYPE', argument: 'point' });
  refuses(() => body.getVelocityAtPoint(point, 3), { code: 'WRONG_TYPE', argument: 'out' });
  world.dispose();
});

test('points and directions between a body and the world', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ position: [4, 5, 6], rotation: turned, mass: 1 });
  const rotation = matrixOf(body.getRotation());
  const point = [1.5, -2, 0.25];
  near(body.toWorld(point), add([4, 5, 6], times(rotation, point)), 1e-14);
  near(body.toLocal(body.toWorld(point)), point, 1e-14);
  near(body.toWorldDirection(point), times(rotation, point), 1e-14);
  near(body.toLocalDirection(point), times(transpose(rotation), point), 1e-14);
  const out = [0, 0, 0];
  assert.equal(body.toWorld(out, out), out); // the output may be the input
  near(out, [4, 5, 6], 1e-15);
  refuses(() => body.toLocal([0, 0, Infinity]), { call: 'body.toLocal', argument: 'point[2]' });
  refuses(() => body.toWorldDirection('x'), { call: 'body.toWorldDirection', argument: 'direction' });
  body.destroy();
  refuses(() => body.toWorld(point), { code: 'STALE_HANDLE' });
  world.dispose();
});
