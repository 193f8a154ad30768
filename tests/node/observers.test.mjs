// Observers: positions, velocities and accelerations of frames, seen from the world and from one another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, near, refuses } from './helpers.mjs';

const g = 9.80665;
const disc = { geometries: [{ shape: { type: 'cylinder', radius: 0.5, height: 0.1 } }] };
const names = ['Position', 'Rotation', 'Velocity', 'AngularVelocity', 'Acceleration', 'AngularAcceleration'];

test('a point on a rolling wheel moves on a cycloid', async () => {
  const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
  const [r, w, v] = [0.5, 3, 1.5];
  const wheel = world.createBody({ ...disc, velocity: [v, 0, 0], angularVelocity: [0, w, 0] });
  const rim = world.createObserver({ body: wheel, position: [0, 0, r] });
  const hub = world.createObserver({ body: wheel });
  for (let i = 0; i < 100; ++i) {
    world.step();
    const angle = w * world.time;
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    near(rim.getPosition(), [v * world.time + r * s, 0, r * c], 1e-9);
    near(rim.getVelocity(), [v + r * w * c, 0, -r * w * s], 1e-9);
    near(rim.getAcceleration(), [-r * w * w * s, 0, -r * w * w * c], 1e-9);
    near(rim.getAngularVelocity(), [0, w, 0], 1e-12);
    near(rim.getAngularAcceleration(), [0, 0, 0], 1e-9);
    // for the wheel's own eyes it stands
    const own = rim.read({}, wheel);
    near(own.position, [0, 0, r], 1e-12);
    for (const name of ['velocity', 'angularVelocity', 'acceleration', 'angularAcceleration'])
      near(own[name], [0, 0, 0], 1e-9);
    near(hub.getVelocity([], rim).map(Math.abs), [0, 0, 0], 1e-9);
  }
  world.dispose();
});

test('what falls freely turns the other way round a turntable, as its centrifugal and Coriolis accelerations say', async () => {
  const world = (await getCairn()).createWorld();
  const w = 2;
  const table = world.createBody({ motion: 'kinematic', position: [1, 0, 0], angularVelocity: [0, 0, w] });
  const ball = world.createBody({ position: [2, 0, 5], velocity: [0, 0.5, 0], mass: 1 });
  const falling = world.createObserver({ body: ball });
  const onTable = world.createObserver({ body: table, position: [0, 0.3, 0] });
  world.step();
  for (let i = 0; i < 50; ++i) {
    world.step();
    const t = world.time;
    // of d = ball − (1, 0, 0) in the table's axes, which have turned by w t
    const [x, y] = [1, 0.5 * t];
    const [c, s] = [Math.cos(w * t), Math.sin(w * t)];
    const d = [c * x + s * y, -s * x + c * y];
    const u = [c * 0 + s * 0.5 + w * d[1], c * 0.5 - w * d[0]];
    const a = [w * w * d[0] + 2 * w * u[1], w * w * d[1] - 2 * w * u[0]];
    const seen = falling.read({}, onTable);
    near(seen.position, [d[0], d[1] - 0.3, ball.getPosition()[2]], 1e-9);
    near(seen.velocity, [u[0], u[1], ball.getVelocity()[2]], 1e-9);
    near(seen.acceleration, [a[0], a[1], -g], 1e-8);
    near(seen.angularVelocity, [0, 0, -w], 1e-12);
    near(falling.getAcceleration(), [0, 0, -g], 1e-9);
  }
  world.dispose();
});

test('velocities and accelerations are the derivatives of what another body measures', async () => {
  const world = (await getCairn()).createWorld({ timeStep: 1e-4, gravity: [0, 0, 0] });
  const shapes = [{ shape: { type: 'box', halfExtents: [0.1, 0.2, 0.4] } }];
  const a = world.createBody({ geometries: shapes, velocity: [1, 0, 0.2], angularVelocity: [1, 2, 0.5] });
  const b = world.createBody({
    geometries: shapes,
    position: [2, 1, 0],
    velocity: [0, -1, 0],
    angularVelocity: [-0.4, 1, 2],
  });
  world.addForceField(() => {
    a.applyForce([3, 1, -2]);
    b.applyTorque([0.5, 0.1, -0.3]);
  });
  const first = world.createObserver({ body: a, position: [0.3, 0, 0.1] });
  const second = world.createObserver({ body: b, position: [0, 0.5, 0], rotation: [0.5, 0.5, 0.5, 0.5] });
  world.steps(10);
  const read = () => first.read({}, second);
  const series = [];
  for (let i = 0; i < 3; ++i) {
    world.step();
    series.push(read());
  }
  const h = 1e-4;
  const rate = (name) => series[0][name].map((value, i) => (series[2][name][i] - value) / (2 * h));
  near(series[1].velocity, rate('position'), 1e-6);
  // accelerations are means of a step, half of it earlier
  near(series[1].acceleration, rate('velocity'), 2e-3);
  near(series[1].angularAcceleration, rate('angularVelocity'), 2e-3);

  // the rotation takes the first frame's axes to the second's: seen both ways they undo each other
  const [x, y, z, q] = first.getRotation([], second);
  near(second.getRotation([], first), [-x, -y, -z, q], 1e-12);
  // and all getters tell the same as read()
  const motion = read();
  for (const name of names) {
    const out = new Float64Array(4);
    first[`get${name}`](out, second);
    const values = motion[name[0].toLowerCase() + name.slice(1)];
    near([...out].slice(0, values.length), values, 0);
  }
  world.dispose();
});

test('accelerations are means of the last step: impacts, tables that shake, what users set', async () => {
  const world = (await getCairn()).createWorld({ timeStep: 0.01 });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const ball = world.createBody({
    position: [0, 0, 0.5],
    velocity: [0, 0, -2],
    mass: 3,
    geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
  });
  const table = world.createBody({ motion: 'kinematic', position: [9, 0, 0] });
  const onTable = world.createObserver({ body: table, position: [0, 0, 1] });
  const reader = world.createContactReader(ball);
  world.step();
  const expected = reader.getForce()[2] / 3 - g;
  assert.ok(expected > 100);
  near(ball.getAcceleration(), [0, 0, expected], 1e-3);
  ball.setVelocity([0, 0, 7]);
  world.step();
  near(ball.getAcceleration(), [0, 0, -g], 1e-9);
  for (let i = 0; i < 5; ++i) {
    table.setVelocity([0.1 * i * i, 0, 0]);
    world.step();
    near(onTable.getAcceleration(), [i === 0 ? 0 : 10 * (2 * i - 1), 0, 0], 1e-9);
  }
  // a state that is put back has its accelerations
  const saved = world.save();
  const acceleration = onTable.getAcceleration();
  world.steps(3);
  world.restore(saved);
  near(onTable.getAcceleration(), acceleration, 0);
  world.dispose();
});

test('observers of what is gone, and wrong viewpoints, are refused', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const other = cairn.createWorld();
  const body = world.createBody();
  const observer = world.createObserver({ body });
  const fixed = world.createObserver({ position: [1, 2, 3] });
  near(fixed.getPosition(), [1, 2, 3], 0);
  near(fixed.getVelocity([], body), [0, 0, 0], 0);
  assert.ok(observer.isValid && fixed.isValid && fixed.body === null && observer.body === body);
  refuses(() => world.createObserver({ where: 1 }), { code: 'UNKNOWN_NAME' });
  refuses(() => world.createObserver({ body: world }), { argument: 'options.body' });
  refuses(() => world.createObserver({ rotation: [0, 0, 0, 2] }), { argument: 'frame.rotation' });
  refuses(() => world.createObserver({ body: other.createBody() }), { argument: 'frame.body' });
  refuses(() => fixed.getPosition([], world), { argument: 'relativeTo' });
  refuses(() => fixed.getPosition(new Float32Array(2)), { argument: 'out' });
  body.destroy();
  assert.ok(!observer.isValid);
  refuses(() => observer.getPosition(), { code: 'STALE_HANDLE' });
  refuses(() => fixed.getPosition([], observer), { code: 'STALE_HANDLE' });
  world.dispose();
  other.dispose();
});

test('observers of a scene file are found by name, and their channels tell the same', async () => {
  const scene = (await getCairn()).loadScene({
    format: 'cairn-scene',
    version: 1,
    bodies: [{ name: 'b', mass: 1, inertia: [1, 1, 1], angularVelocity: [0, 0, 2] }],
    observers: [{ name: 'o', body: 'b', position: [0.5, 0, 0] }],
  });
  const observer = scene.findObserver('o');
  assert.equal(observer.body, scene.findBody('b'));
  scene.steps(10);
  for (const name of names) {
    const word = name[0].toLowerCase() + name.slice(1);
    // the channel's accelerations are differences of velocities, 2 % of which the body turns by in a step
    const tolerance = word === 'acceleration' ? 0.04 : 1e-12;
    near(observer[`get${name}`](), scene.openChannel(`observer/o/${word}`).read(), tolerance);
  }
  refuses(() => scene.findObserver('p'), { code: 'UNKNOWN_NAME' });
  scene.dispose();
});

test('a scale at rest reads the weight of what stands on it, to a millionth', async () => {
  const cairn = await getCairn();
  for (const solver of ['auto', 'iterative', 'direct', 'split']) {
    const world = cairn.createWorld({ solver });
    const scale = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const masses = [2.5, 0.7, 11];
    const shape = { type: 'box', halfExtents: [0.3, 0.3, 0.1] };
    const boxes = masses.map((mass, i) =>
      world.createBody({ mass, position: [0, 0, 0.1 + 0.2 * i], geometries: [{ shape }] }),
    );
    const ball = world.createBody({
      mass: 4,
      position: [3, 0, 0.5],
      geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
    });
    world.steps(1200);
    const weight = (...list) => g * list.reduce((sum, mass) => sum + mass, 0);
    const readings = [
      [world.createContactReader(scale).getForce()[2], -weight(...masses, 4)],
      [world.createContactReader(ball).getForce()[2], weight(4)],
      [world.createContactReader(boxes[1], boxes[2]).getForce()[2], -weight(11)],
      [world.createContactReader(boxes[0], boxes[1]).getForce()[2], -weight(0.7, 11)],
    ];
    for (const [read, expected] of readings) {
      const error = Math.abs(read / expected - 1);
      assert.ok(error < 1e-6, `${solver}: ${read} N, not ${expected} N: ${error}`);
    }
    near(ball.getLastForce(), [0, 0, -weight(4)], 1e-12);
    world.dispose();
  }
});
