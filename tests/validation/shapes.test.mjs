// Shapes against each other, as the scenes of the gallery show them: peg, ring, tube, mesh on mesh, ghosts,
// bullet. The scenes are made by demo/shape_scenes.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, readScene } from '../node/helpers.mjs';

const gravity = 9.80665;

/** Runs a scene and gives, for the start and after every `every` steps, a table from channel to value. */
async function run(name, steps, every, channels) {
  const cairn = await getCairn('st', 1);
  const scene = cairn.loadScene(readScene(name));
  try {
    const open = channels.map((channel) => [channel, scene.openChannel(channel)]);
    const read = () => Object.fromEntries(open.map(([channel, handle]) => [channel, handle.read()]));
    const samples = [read()];
    for (let done = 0; done < steps; done += every) {
      scene.steps(every);
      samples.push(read());
    }
    return samples;
  } finally {
    scene.dispose();
  }
}

const near = (value, expected, within, what) =>
  assert.ok(Math.abs(value - expected) <= within, `${what}: ${value}, expected ${expected} ± ${within}`);

/** The angle between a body's axis y and the vertical, rad. */
const lean = ([x, y, z, w]) =>
  Math.atan2(Math.hypot(2 * (x * y - w * z), 1 - 2 * (x * x + z * z)), 2 * (y * z + w * x));

test('peg: with 0.5 mm of play in its diameter it enters the hole and stands on the ground', async () => {
  const samples = await run('peg', 480, 1, [
    'body/peg/position',
    'body/peg/rotation',
    'body/peg/velocity',
    'body/peg/mass',
    'body/bush/position',
    'contact/peg/ground/normalForce',
    'contact/peg/bush/depth',
    'world/kineticEnergy',
  ]);
  for (const [step, sample] of samples.entries()) {
    // walls of 0.25 mm of play hold it: its axis stays within that of the hole's, and what it leans
    const [x, y] = sample['body/peg/position'];
    const [bushX, bushY] = sample['body/bush/position'];
    const aside = Math.hypot(x - bushX, y - bushY);
    assert.ok(aside < 1e-3, `${aside * 1e3} mm beside the hole's axis after ${step} steps`);
    const depth = sample['contact/peg/bush/depth'];
    assert.ok(depth < 0.2e-3, `${depth * 1e3} mm deep in the wall after ${step} steps`);
  }
  // two seconds later
  const last = samples.at(-1);
  near(last['body/peg/position'][2], 0.06, 0.05e-3, 'height of the middle of a peg of 120 mm, m');
  near(lean(last['body/peg/rotation']), 0, 1e-3, 'what the peg leans, rad');
  const mass = last['body/peg/mass'];
  near(
    last['contact/peg/ground/normalForce'][2] / (mass * gravity),
    1,
    1e-3,
    'what the ground bears, of its weight',
  );
  const energy = last['world/kineticEnergy'] / mass;
  assert.ok(energy < 1e-6, `${energy} J/kg after 2 s`);
});

test('ring: a ring and a hat hang where their cones are as wide as their holes', async () => {
  const samples = await run(
    'ring',
    720,
    1,
    [
      ['ring', 'ringCone'],
      ['hat', 'hatCone'],
    ].flatMap(([name, cone]) => [
      ...['position', 'rotation', 'velocity', 'angularVelocity', 'mass'].map(
        (field) => `body/${name}/${field}`,
      ),
      `contact/${name}/${cone}/force`,
    ]),
  );
  const sample = samples.at(-1); // after 3 s
  // the cones have the radius of the ring's hole, 50 mm, at 150 mm, its middle is 10 mm above that; that of
  // the hat's upper rim, 30 mm, at 210 mm, and its frame is 80 mm below
  for (const [name, cone, height, coneX] of [
    ['ring', 'ringCone', 0.16, 0],
    ['hat', 'hatCone', 0.13, 0.3],
  ]) {
    const [x, y, z] = sample[`body/${name}/position`];
    near(z, height, 0.5e-3, `height of the ${name}, m`);
    near(Math.hypot(x - coneX, y), 0, 5e-3, `${name} beside the axis, m`);
    near(lean(sample[`body/${name}/rotation`]), 0, 0.05, `what the ${name} leans, rad`);
    const weight = sample[`body/${name}/mass`] * gravity;
    // in the mean over a second: where curves fit this closely the points of the contact may run along them,
    // and single steps feel it
    const forces = samples.slice(-240).map((s) => s[`contact/${name}/${cone}/force`]);
    const mean = [0, 1, 2].map((i) => forces.reduce((sum, force) => sum + force[i], 0) / forces.length);
    near(mean[2] / weight, 1, 1e-3, `what the cone bears, of the weight of the ${name}`);
    near(Math.hypot(mean[0], mean[1]) / weight, 0, 1e-3, `force aside on the ${name}, of its weight`);
    for (const force of forces)
      near(force[2] / weight, 1, 0.05, `what the cone bears in a step, of the weight of the ${name}`);
    const speed = Math.hypot(...sample[`body/${name}/velocity`]);
    const spin = Math.hypot(...sample[`body/${name}/angularVelocity`]);
    // of at most the radius of gyration 0.08 m
    const energy = (speed ** 2 + (0.08 * spin) ** 2) / 2;
    assert.ok(energy < 1e-6, `the ${name} moves with ${energy} J/kg`);
  }
});

test('tube: a ball rolls and swings with the period of the pendulum, and travels as the rolling law says', async () => {
  const [innerRadius, radius, amplitude, speed, h] = [0.5, 0.05, 0.6, 0.1, 1 / 240];
  const samples = await run('tube', 1200, 1, [
    'body/swings/position',
    'body/travels/position',
    'body/travels/velocity',
    'contact/swings/tube/depth',
  ]);
  const angleOf = ([x, , z]) => Math.atan2(x, -z);

  // rolling carries 2/5 of its inertia along: (R − r) θ″ = −(5/7) g sin θ, as a pendulum that swings
  // to the amplitude
  const angles = samples.map((sample) => angleOf(sample['body/swings/position']));
  const crossings = [];
  for (let k = 1; k < angles.length; ++k) {
    if (angles[k - 1] * angles[k] < 0) crossings.push((k - angles[k] / (angles[k] - angles[k - 1])) * h);
  }
  const period =
    4 *
    completeEllipticK(Math.sin(amplitude / 2) ** 2) *
    Math.sqrt((7 * (innerRadius - radius)) / (5 * gravity));
  near(crossings[0], period / 4, 0.005 * period, 'time to the lowest line, s');
  near(crossings[2] - crossings[0], period, 0.005 * period, 'period, s');
  const back = Math.max(...angles.slice(Math.round((0.75 * period) / h), Math.round((1.25 * period) / h)));
  near(back, amplitude, 0.02 * amplitude, 'amplitude after a period, rad');

  for (const [step, sample] of samples.entries()) {
    const [x, y, z] = sample['body/swings/position'];
    near(Math.hypot(x, z), innerRadius - radius, 0.5e-3, `distance from the axis after ${step} steps, m`);
    near(y, -0.6, 1e-6, 'place along the tube, m');
    // without slip and without a torque about the normal: dv/dθ = −(2/7) r ω, dω/dθ = v/r
    const angle = angleOf(sample['body/travels/position']);
    const expected = speed * Math.cos(Math.sqrt(2 / 7) * (angle - amplitude));
    near(
      sample['body/travels/velocity'][1],
      expected,
      0.01 * speed,
      `speed along the tube after ${step} steps, m/s`,
    );
  }
});

/** K(m) by the arithmetic-geometric mean. */
function completeEllipticK(m) {
  let [a, b] = [1, Math.sqrt(1 - m)];
  while (Math.abs(a - b) > 1e-15 * a) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  return Math.PI / (2 * a);
}

test('mesh on mesh: bodies that are not convex come to rest on a bumpy mesh, which bears their weight', async () => {
  const bodies = ['elbow', 'ring', 'upper'];
  // the upper body turns over on the lower ones: at rest after 4 to 7 s, by where it touched first
  const samples = await run('mesh-on-mesh', 1080, 120, [
    ...bodies.flatMap((name) => [
      `body/${name}/position`,
      `body/${name}/mass`,
      `contact/${name}/ground/force`,
    ]),
    'world/kineticEnergy',
    'world/maxPenetration',
  ]);
  const [before, last] = [samples.at(-2), samples.at(-1)];
  const total = bodies.reduce((sum, name) => sum + last[`body/${name}/mass`], 0);
  const energy = last['world/kineticEnergy'] / total;
  assert.ok(energy < 1e-6, `${energy} J/kg after 9 s`);
  const depth = last['world/maxPenetration'];
  assert.ok(depth < 1e-3, `${depth * 1e3} mm deep`);
  const borne = bodies.reduce((sum, name) => sum + last[`contact/${name}/ground/force`][2], 0);
  near(borne / (total * gravity), 1, 1e-3, 'what the ground bears, of all weights');
  for (const name of bodies) {
    const [a, b] = [before, last].map((sample) => sample[`body/${name}/position`]);
    const crept = Math.hypot(...a.map((value, i) => value - b[i]));
    assert.ok(crept < 0.1e-3, `${name} creeps by ${crept * 1e3} mm/s`);
  }
});

test('ghosts: over meshes, fields and seams at 10 m/s no slider leaves its height by 1 mm or its speed by 0.1 %', async () => {
  const names = ['mesh', 'field', 'boxes', 'fields'].flatMap((track) =>
    ['sphere', 'box', 'across', 'along'].map((slider) => `${track}-${slider}`),
  );
  const samples = await run(
    'ghosts',
    120,
    1,
    names.flatMap((name) => [`body/${name}/position`, `body/${name}/velocity`]),
  );
  for (const name of names) {
    const [, startY, startZ] = samples[0][`body/${name}/position`];
    for (const [step, sample] of samples.entries()) {
      const [, y, z] = sample[`body/${name}/position`];
      const [speed] = sample[`body/${name}/velocity`];
      near(z, startZ, 1e-3, `height of ${name} after ${step} steps, m`);
      near(y, startY, 1e-3, `place across of ${name} after ${step} steps, m`);
      near(speed, 10, 0.01, `speed of ${name} after ${step} steps, m/s`);
    }
    near(samples.at(-1)[`body/${name}/position`][0], 9, 0.02, `way of ${name}, m`);
  }
});

test('bullet: balls of 1 cm at 300 m/s pass no wall of 1 cm, fixed or free, and give the free one their momentum', async () => {
  // where the outer surface of each wall is in the ball's line of flight, m; the cone's at half of its height
  const surfaces = { box: -0.005, mesh: -0.005, tube: -0.15, cone: -0.15, plate: -0.005 };
  const names = Object.keys(surfaces);
  const samples = await run('bullet', 6, 1, [
    ...names.flatMap((name) => [`body/${name}/position`, `body/${name}/velocity`, `body/${name}/mass`]),
    'body/pushed/velocity',
    'body/pushed/mass',
  ]);
  const radius = 0.005;
  for (const name of names) {
    for (const [step, sample] of samples.entries()) {
      // the cone leans: what is lower is further out, by a third
      const [x, , z] = sample[`body/${name}/position`];
      const surface = surfaces[name] - (name === 'cone' ? (0.3 - z) / 3 : 0);
      assert.ok(
        x < surface - 0.9 * radius,
        `${name} is ${x} m far after ${step} steps, its wall begins at ${surface} m`,
      );
    }
    const [speed] = samples.at(-1)[`body/${name}/velocity`];
    assert.ok(speed < 0, `${name} flies on with ${speed} m/s`);
  }
  const last = samples.at(-1);
  const momentum = last['body/pushed/mass'] * last['body/pushed/velocity'][0];
  const given = last['body/plate/mass'] * (300 - last['body/plate/velocity'][0]);
  near(momentum / given, 1, 1e-4, 'momentum of the plate, of what the ball lost');
});
