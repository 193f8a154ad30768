// What joints must stand: mass ratios to 10⁶, fast turns, rotors, redundant and singular poses, at 1/60 s.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  add,
  cross,
  largest,
  length,
  makeScene,
  near,
  random,
  scale,
  simulate,
  standardGravity,
  sub,
  turnAbout,
  violations,
} from './simulate.mjs';

const g = standardGravity;

/** Largest violation of all joints, sample by sample. */
function worst(run, scene) {
  const lists = violations(scene).map((name) => run.of(name));
  return run.time.map((_, k) => lists.reduce((most, list) => Math.max(most, list[k]), 0));
}

function energies(run) {
  return run.of('world/kineticEnergy').map((kinetic, k) => kinetic + run.of('world/potentialEnergy')[k]);
}

/** An angle in −π…π. */
const wrapped = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

const energyChannels = ['world/kineticEnergy', 'world/potentialEnergy'];

// ---- the heavy chain --------------------------------------------------------------------------------------

function heavyChain(mass) {
  const scene = JSON.parse(
    readFileSync(new URL('../../demo/scenes/heavy-chain.json', import.meta.url), 'utf8'),
  );
  scene.bodies.at(-1).mass = mass;
  return scene;
}

for (const [mass, limit] of [
  [1e4, 1e-3],
  [1e6, 5e-3],
]) {
  test(`heavy-chain with ${mass} kg: no joint is more than ${limit * 1e3} mm open in 20 s`, async () => {
    const scene = heavyChain(mass);
    const run = await simulate(scene, { time: 20, record: violations(scene) });
    const most = Math.max(...worst(run, scene));
    assert.ok(most < limit, `${most * 1e3} mm`);
  });
}

/**
 * Points from a hook on, links of 1 kg between them, and a load on the last; velocities and spins are
 * consistent with the joints.
 */
function chain(points, load, options = {}) {
  const { spins = [], hook = null, hookVelocity = [0, 0, 0], compliance = 1e-12, name = 'c' } = options;
  const bodies = [];
  const constraints = [];
  let speed = hookVelocity;
  for (let k = 0; k + 1 < points.length; ++k) {
    const along = sub(points[k + 1], points[k]);
    const spin = spins[k] ?? [0, 0, 0];
    const rotation = turnAbout([0, 1, 0], -Math.atan2(along[2], along[0]));
    bodies.push({
      name: `${name}${k}`,
      mass: 1,
      inertia: [0.005, 0.08, 0.08],
      position: scale(0.5, add(points[k], points[k + 1])),
      rotation,
      angularVelocity: spin,
      velocity: add(speed, cross(spin, scale(0.5, along))),
    });
    constraints.push({
      name: `${name}j${k}`,
      type: 'ball',
      bodies: [`${name}${k}`, k > 0 ? `${name}${k - 1}` : hook],
      anchor: points[k],
      compliance,
    });
    speed = add(speed, cross(spin, along));
  }
  if (load) {
    const { arm = [0, 0, -1], mass, radius = 1, ...rest } = load;
    const spin = spins[bodies.length] ?? [0, 0, 0];
    const moment = 0.4 * mass * radius ** 2;
    bodies.push({
      name: `${name}load`,
      mass,
      inertia: [moment, moment, moment],
      position: add(points.at(-1), arm),
      angularVelocity: spin,
      velocity: add(speed, cross(spin, arm)),
      ...rest,
    });
    constraints.push({
      name: `${name}end`,
      type: 'ball',
      bodies: [`${name}load`, `${name}${bodies.length - 2}`],
      anchor: points.at(-1),
      compliance,
    });
  }
  return { bodies, constraints };
}

test('a chain with random spins and 10⁴ or 10⁶ kg at its end: 0.2 mm, and the load comes back up', async () => {
  for (const mass of [1e4, 1e6]) {
    for (const seed of [1, 2]) {
      const next = random(seed);
      const points = Array.from({ length: 31 }, (_, k) => [k, 0, 0]);
      const spins = Array.from({ length: 31 }, () => [next() - 0.5, next() - 0.5, next() - 0.5]);
      const scene = makeScene({
        world: { timeStep: 1 / 60, solver: { substeps: 1 } },
        ...chain(points, { mass, arm: [1, 0, 0] }, { spins }),
      });
      const run = await simulate(scene, { time: 12, record: [...violations(scene), 'body/cload/position'] });
      const open = worst(run, scene);
      assert.ok(Math.max(...open) < 5e-4, `${mass} kg, seed ${seed}: ${Math.max(...open) * 1e3} mm`);
      assert.ok(Math.max(...open.slice(12)) < 2e-4, `after 0.2 s: ${Math.max(...open.slice(12)) * 1e3} mm`);
      const top = Math.max(
        ...run
          .of('body/cload/position')
          .slice(300, 500)
          .map((p) => p[2]),
      );
      assert.ok(top > -0.35, `${mass} kg, seed ${seed}: the load comes back to ${top} m`);
    }
  }
});

test('a load beside its hook falls 30 m and snaps its chain: no energy from nothing, less than 5 cm', async () => {
  for (let start = 0; start < 6; ++start) {
    const next = random(10 + start);
    // down 15 m and up again, 1 m aside
    const points = [];
    for (let k = 0; k <= 15; ++k) points.push([0, 0, -k]);
    for (let k = 15; k >= 0; --k) points.push([1, 0, -k]);
    const spins = points.map(() => [0, 0, 0].map(() => 0.02 * (2 * next() - 1)));
    const mass = 1e4;
    const scene = makeScene({
      world: { timeStep: 1 / 60 },
      ...chain(points, { mass, arm: [1, 0, 0] }, { spins }),
    });
    const run = await simulate(scene, { time: 5, record: [...violations(scene), ...energyChannels] });
    const most = Math.max(...worst(run, scene));
    assert.ok(most < 0.05, `start ${start}: ${most * 1e3} mm`);
    const energy = energies(run);
    const gained = (Math.max(...energy) - energy[0]) / (mass * g * 30);
    assert.ok(gained < 0.02, `start ${start}: gained ${gained * 100} % of m g 30 m`);
  }
});

test('a chain of 20 links lowered at 1 m/s lands its load of 10³ kg: 1 cm, no energy gained', async () => {
  for (const mass of [1e3]) {
    // hardly zigzag: a straight column has no side to give way to
    const points = Array.from({ length: 21 }, (_, k) => [k % 2 ? 0.1 : -0.1, 0, 25 - k]);
    const { bodies, constraints } = chain(
      points,
      {
        mass,
        arm: [0, 0, -0.5],
        radius: 0.5,
        geometries: [{ shape: { type: 'sphere', radius: 0.5 }, massProperties: false }],
      },
      { hook: 'hook', hookVelocity: [0, 0, -1], spins: points.map(() => [0, 0, 0]) },
    );
    bodies.push({ name: 'hook', motion: 'kinematic', position: [0, 0, 25], velocity: [0, 0, -1] });
    const scene = makeScene({
      world: { timeStep: 1 / 60 },
      bodies,
      constraints,
      contactMaterials: [],
      geometries: [{ name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 } }],
    });
    const run = await simulate(scene, {
      time: 8,
      record: [...violations(scene), ...energyChannels, 'body/cload/position'],
    });
    const most = Math.max(...worst(run, scene));
    assert.ok(most < 1e-2, `${mass} kg: ${most * 1e3} mm`);
    assert.ok(
      Math.max(...energies(run)) - energies(run)[0] < 0.01 * mass * g,
      `${mass} kg: no energy gained`,
    );
    near(run.of('body/cload/position').at(-1)[2], 0.5, 0.01, 'lies on the ground');
  }
});

test('a taut chain over the edge of a box stays together', async () => {
  const mass = 1e3;
  const points = [];
  for (let k = 0; k <= 8; ++k) points.push([-3.94 + 0.5 * k, 0, 0.06]);
  for (let k = 1; k <= 6; ++k) points.push([0.06, 0, 0.06 - 0.5 * k]);
  const { bodies, constraints } = chain(points, { mass, arm: [0, 0, -1] });
  bodies.slice(0, -1).forEach((body) => {
    body.geometries = [
      {
        shape: { type: 'capsule', radius: 0.05, height: 0.4 },
        rotation: turnAbout([0, 0, 1], Math.PI / 2),
        massProperties: false,
      },
    ];
  });
  const scene = makeScene({
    world: { timeStep: 1 / 60 },
    bodies,
    constraints,
    geometries: [{ name: 'block', shape: { type: 'box', halfExtents: [5, 1, 1] }, position: [-5, 0, -1] }],
  });
  const run = await simulate(scene, { time: 10, record: [...violations(scene), 'constraint/cend/force'] });
  const most = Math.max(...worst(run, scene));
  assert.ok(most < 1e-3, `${most * 1e3} mm`);
  const tension = run
    .of('constraint/cend/force')
    .slice(120)
    .map((f) => f[2] / (mass * g));
  near(tension.reduce((a, b) => a + b) / tension.length, 1, 0.01, 'bears the load');
});

// ---- convergence and energy -------------------------------------------------------------------------------

const order = (coarse, fine) => Math.log2(coarse / fine);

test('violations of a pendulum and of a four-bar fall with the square of the step at least', async () => {
  const pendulum = (timeStep) =>
    makeScene({
      world: { timeStep, solver: { substeps: 1 } },
      bodies: [{ name: 'a', mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0] }],
      constraints: [{ name: 'j', type: 'ball', bodies: ['a', null], anchor: [0, 0, 0], compliance: 1e-12 }],
    });
  const bar = (name, from, to) => {
    const along = sub(to, from);
    return {
      name,
      mass: 1,
      inertia: [0.01, 0.1, 0.1],
      position: scale(0.5, add(from, to)),
      rotation: turnAbout([0, 1, 0], -Math.atan2(along[2], along[0])),
    };
  };
  const fourbar = (timeStep) => {
    const [a, b, c, d] = [
      [0, 0, 0],
      [0.3, 0, 0.9],
      [1.5, 0, 1.2],
      [1.8, 0, 0],
    ];
    const pin = (name, bodies, anchor) => ({
      name,
      type: 'hinge',
      bodies,
      anchor,
      axis: [0, 1, 0],
      compliance: 1e-12,
    });
    return makeScene({
      world: { timeStep, solver: { substeps: 1 } },
      bodies: [bar('A', a, b), bar('B', b, c), bar('C', c, d)],
      constraints: [
        pin('j0', ['A', null], a),
        pin('j1', ['B', 'A'], b),
        pin('j2', ['C', 'B'], c),
        pin('j3', ['C', null], d),
      ],
    });
  };
  for (const [name, build] of [
    ['pendulum', pendulum],
    ['four-bar', fourbar],
  ]) {
    const most = [];
    for (const h of [1 / 60, 1 / 120, 1 / 240, 1 / 480]) {
      const scene = build(h);
      const run = await simulate(scene, { time: 5, record: violations(scene) });
      most.push(Math.max(...worst(run, scene)));
    }
    for (let i = 1; i < most.length; ++i) {
      // below 1e-8 m it is the compliance
      const enough = order(most[i - 1], most[i]) >= 1.9 || most[i] < 1e-8;
      assert.ok(enough, `${name}: ${most.map((x) => x.toExponential(2))}`);
    }
  }
});

test('a pendulum at 1/240 s loses less than 0.5 % of its energy in 60 s, as a ball and as a point', async () => {
  const mass = 2;
  for (const moment of [0.08, 1e-6]) {
    for (const type of ['ball', 'distance']) {
      const joint =
        type === 'ball'
          ? { anchor: [0, 0, 0] }
          : {
              anchors: [
                [1, 0, 0],
                [0, 0, 0],
              ],
            };
      const scene = makeScene({
        world: { timeStep: 1 / 240 },
        bodies: [{ name: 'a', mass, inertia: [moment, moment, moment], position: [1, 0, 0] }],
        constraints: [{ name: 'j', type, bodies: ['a', null], compliance: 1e-12, ...joint }],
      });
      const run = await simulate(scene, { time: 60, record: ['body/a/position'] });
      const heights = run.of('body/a/position').map((p) => p[2]);
      const lost = -Math.max(...heights.slice(-600));
      assert.ok(Math.abs(lost) < 0.005, `${type}, ${moment} kg m²: lost ${lost * 100} %`);
    }
  }
});

test('the energy of ten undamped rods that swing stays bounded', async () => {
  const points = Array.from({ length: 11 }, (_, k) => [0.3 * k, 0, 0]);
  const { bodies, constraints } = chain(points, null);
  bodies.forEach((body) => (body.inertia = [1e-4, 0.0075, 0.0075]));
  const scene = makeScene({ world: { timeStep: 1 / 60 }, bodies, constraints });
  const run = await simulate(scene, { time: 60, record: [...violations(scene), ...energyChannels] });
  // the fall of its middle by its length, and the other way
  const range = 10 * g * 3;
  const energy = energies(run);
  assert.ok(
    Math.max(...energy) - energy[0] < 0.02 * range,
    `gained ${(Math.max(...energy) - energy[0]) / range}`,
  );
  assert.ok(Math.min(...energy) > -range, 'it does not fall below the lowest it can hang');
  assert.ok(Math.max(...worst(run, scene)) < 0.03, `${Math.max(...worst(run, scene))} m`);
});

// ---- rotation ---------------------------------------------------------------------------------------------

test('a light shaft under 10⁵ kg turns as its own moment says', async () => {
  // a load hangs on the shaft's lower end; the shaft turns about its length
  const scene = makeScene({
    world: { timeStep: 1 / 60 },
    bodies: [
      { name: 'shaft', mass: 1, inertia: [0.08, 0.08, 0.004], position: [0, 0, -0.5] },
      { name: 'load', mass: 1e5, inertia: [4e4, 4e4, 4e4], position: [0, 0, -2] },
    ],
    constraints: [
      { name: 'top', type: 'ball', bodies: ['shaft', null], anchor: [0, 0, 0] },
      { name: 'end', type: 'ball', bodies: ['load', 'shaft'], anchor: [0, 0, -1] },
    ],
    actions: [{ at: 0, body: 'shaft', torque: [0, 0, 0.04], for: 1 }],
  });
  const run = await simulate(scene, {
    time: 1,
    record: ['body/shaft/angularVelocity', 'body/load/angularVelocity'],
  });
  const speed = run.of('body/shaft/angularVelocity').at(-1)[2];
  assert.ok(speed > 9.8 && speed < 10.001, `${speed} rad/s`);
});

test('a slender rod whose hinge a load tilts does not begin to spin about its own axis', async () => {
  // three links from level, the first one hinged so that only its own axis is free; each load gives hinge and
  // balls gaps of centimetres (compliance 1e-8), and tilts the rod by up to 0.03 rad
  for (const load of [3e4, 1.8e5, 4e5]) {
    const rod = { type: 'capsule', radius: 0.048, height: 0.415 };
    const link = (name, x, mass) => ({
      name,
      position: [x, 0, 0],
      rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2],
      mass,
      geometries: [{ shape: rod, collisions: false }],
    });
    const ball = (name, bodies, x) => ({ name, type: 'ball', bodies, anchor: [x, 0, 0] });
    const scene = makeScene({
      world: { timeStep: 1 / 60 },
      bodies: [
        link('first', -0.265, 770),
        link('second', -0.796, 181),
        link('third', -1.326, 1016),
        { name: 'load', position: [-1.742, 0.001, 0], mass: load, inertia: scale(load / 100, [1, 1, 1]) },
      ],
      constraints: [
        { name: 'hinge', type: 'hinge', bodies: ['first', null], anchor: [0, 0, 0], axis: [-1, 0, 0] },
        ball('ball1', ['second', 'first'], -0.531),
        ball('ball2', ['third', 'second'], -1.061),
        ball('ball3', ['load', 'third'], -1.592),
      ],
    });
    const balls = ['ball1', 'ball2', 'ball3'];
    const run = await simulate(scene, {
      time: 2,
      record: [
        'body/first/angularVelocity',
        ...balls.flatMap((name) => [`constraint/${name}/violation`, `constraint/${name}/force`]),
      ],
    });
    const spin = Math.max(...run.of('body/first/angularVelocity').map((w) => Math.abs(w[0])));
    assert.ok(spin < 1, `${load} kg: ${spin} rad/s`);
    for (const name of balls) {
      const forces = run.of(`constraint/${name}/force`).map(length);
      const gaps = run.of(`constraint/${name}/violation`);
      const most = Math.max(...forces);
      const gap = Math.max(...gaps);
      assert.ok(gap < 1.2e-8 * most, `${load} kg, ${name}: ${gap} m of ${most} N`);
    }
  }
});

test('a plate on three 1 kg rollers coasts for 2 s and loses less than 1 %', async () => {
  const bodies = [
    {
      name: 'plate',
      mass: 1000,
      position: [0, 0, 0.45],
      velocity: [2, 0, 0],
      geometries: [{ shape: { type: 'box', halfExtents: [1.5, 0.5, 0.1] } }],
    },
  ];
  const constraints = [];
  for (const [i, x] of [-1, 0, 1].entries()) {
    bodies.push({
      name: `roller${i}`,
      mass: 1,
      position: [x, 0, 0.2],
      velocity: [2, 0, 0],
      angularVelocity: [0, 10, 0],
      geometries: [{ shape: { type: 'cylinder', radius: 0.2, height: 0.8 } }],
    });
    constraints.push({
      name: `axle${i}`,
      type: 'hinge',
      bodies: [`roller${i}`, 'plate'],
      anchor: [x, 0, 0.2],
      axis: [0, 1, 0],
    });
  }
  const scene = makeScene({
    world: { timeStep: 1 / 60 },
    bodies,
    constraints,
    geometries: [{ name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 } }],
  });
  const run = await simulate(scene, {
    time: 2,
    record: ['body/plate/velocity', 'body/roller1/angularVelocity'],
  });
  near(run.of('body/plate/velocity').at(-1)[0], 2, 0.02, 'speed');
  near(run.of('body/roller1/angularVelocity').at(-1)[1], 10, 0.2, 'rolls');
});

/** A wheel that spins about x on a hinge, in a frame that turns freely about z. */
function gimbal(moments, spin, timeStep = 1 / 60) {
  return makeScene({
    world: { timeStep, gravity: [0, 0, 0] },
    bodies: [
      { name: 'frame', mass: 5, inertia: [100, 100, 100], angularVelocity: [0, 0, 2] },
      { name: 'wheel', mass: 1, inertia: moments, angularVelocity: [spin, 0, 2] },
    ],
    constraints: [
      { name: 'vertical', type: 'hinge', bodies: ['frame', null], axis: [0, 0, 1], compliance: 1e-12 },
      { name: 'axle', type: 'hinge', bodies: ['wheel', 'frame'], axis: [1, 0, 0], compliance: 1e-12 },
    ],
  });
}

test('a rotor in a frame that turns: 10 rad in 5 s, energy within 1 %, from a slow wheel to 387 rad/s', async () => {
  for (const moments of [
    [0.1, 0.05, 0.05],
    [0.1, 0.099, 0.001],
    [0.05, 0.1, 0.05],
    [0.1, 0.07, 0.03],
  ]) {
    for (const spin of [1, 6, 13, 40, 88, 387]) {
      const run = await simulate(gimbal(moments, spin), {
        time: 5,
        record: [
          'constraint/vertical/angle',
          'constraint/axle/speed',
          'constraint/axle/violation',
          'world/kineticEnergy',
        ],
      });
      const what = `${moments}, ${spin} rad/s`;
      near(run.of('constraint/vertical/angle').at(-1), 10, 0.03, what);
      const energy = run.of('world/kineticEnergy');
      near(largest(energy.map((e) => e / energy[0] - 1)), 0, 0.01, `energy, ${what}`);
      near(largest(run.of('constraint/axle/violation')), 0, 1e-4, `violation, ${what}`);
    }
  }
});

test('a rod that is hinged at its middle on a turning shaft swings like a governor', async () => {
  // elevation e: e'' = −(1 − I_x/I_z) W² sin e cos e
  const [W, start, moments] = [3, 0.3, [0.01, 0.5, 0.5]];
  for (const timeStep of [1 / 60, 1 / 240]) {
    const scene = makeScene({
      world: { timeStep, gravity: [0, 0, 0] },
      bodies: [
        { name: 'shaft', motion: 'kinematic', angularVelocity: [0, 0, W] },
        {
          name: 'rod',
          mass: 2,
          inertia: moments,
          rotation: turnAbout([0, 1, 0], start),
          angularVelocity: [0, 0, W],
        },
      ],
      constraints: [
        { name: 'j', type: 'hinge', bodies: ['rod', 'shaft'], axis: [0, 1, 0], anchor: [0, 0, 0] },
      ],
    });
    const run = await simulate(scene, { time: 3, record: ['constraint/j/angle'] });
    let [e, speed] = [start, 0];
    const dt = timeStep / 200;
    run.of('constraint/j/angle').forEach((angle, k) => {
      for (let i = 0; k > 0 && i < 200; ++i) {
        speed -= dt * (1 - moments[0] / moments[2]) * W * W * Math.sin(e) * Math.cos(e);
        e += dt * speed;
      }
      near(angle, e - start, 2e-3, `at ${run.time[k]} s`);
    });
  }
});

test('a satellite with a light door tumbles as without it', async () => {
  for (const speed of [1, 5]) {
    const spin = scale(speed, [0.5, 5, 0.3]);
    const scene = makeScene({
      world: { timeStep: 1 / 60, gravity: [0, 0, 0] },
      bodies: [
        { name: 'a', mass: 20, inertia: [1, 2, 3], angularVelocity: spin },
        {
          name: 'door',
          mass: 0.01,
          inertia: [1e-4, 1e-4, 1e-4],
          position: [0.4, 0, 0],
          angularVelocity: spin,
          velocity: cross(spin, [0.4, 0, 0]),
        },
      ],
      constraints: [
        { name: 'j', type: 'hinge', bodies: ['door', 'a'], anchor: [0.4, 0, 0], axis: [0, 0.3, 1] },
      ],
    });
    const run = await simulate(scene, { time: 20, record: ['world/angularMomentum', 'world/kineticEnergy'] });
    const [momentum, energy] = [run.of('world/angularMomentum').map(length), run.of('world/kineticEnergy')];
    near(largest(momentum.map((l) => l / momentum[0] - 1)), 0, 1e-5, `momentum at ${speed}`);
    near(largest(energy.map((e) => e / energy[0] - 1)), 0, 2e-3, `energy at ${speed}`);
  }
});

test('a gyroscope precesses with its wheel on a hinge in a frame that stands on a point', async () => {
  // Ω = m g l/(I_s ω), l to the common centre of mass
  const [spin, arm] = [150, 0.5];
  for (const compliance of [1e-8, 1e-12]) {
    const scene = makeScene({
      world: { timeStep: 1 / 120 },
      bodies: [
        { name: 'frame', mass: 1, inertia: [0.02, 0.02, 0.02], position: [arm, 0, 0] },
        {
          name: 'wheel',
          mass: 2,
          inertia: [0.1, 0.06, 0.06],
          position: [arm, 0, 0],
          angularVelocity: [spin, 0, 0],
        },
      ],
      constraints: [
        { name: 'point', type: 'ball', bodies: ['frame', null], anchor: [0, 0, 0], compliance },
        {
          name: 'axle',
          type: 'hinge',
          bodies: ['wheel', 'frame'],
          axis: [1, 0, 0],
          anchor: [arm, 0, 0],
          compliance,
        },
      ],
    });
    const run = await simulate(scene, { time: 3, record: ['body/wheel/position', ...energyChannels] });
    const [x, y, z] = run.of('body/wheel/position').at(-1);
    const rate = (3 * g * arm) / (0.1 * spin);
    const turned = Math.atan2(y, x);
    near(turned, wrapped(rate * 3), 0.06, 'precession');
    near(z, -0.03, 0.04, 'nutates and does not fall');
    near(largest(energies(run).map((e) => e / energies(run)[0] - 1)), 0, 1e-3, 'energy');
  }
});

// ---- redundant, rigid and singular ------------------------------------------------------------------------

test('a door on three hinges hangs still and shares its weight', async () => {
  for (const compliance of [1e-8, 0]) {
    const hinges = [-0.8, 0, 0.8];
    const scene = makeScene({
      world: { timeStep: 1 / 60 },
      bodies: [{ name: 'door', mass: 40, inertia: [8.5, 12, 4], position: [0.5, 0, 0] }],
      constraints: hinges.map((z, i) => ({
        name: `h${i}`,
        type: 'hinge',
        bodies: ['door', null],
        anchor: [0, 0, z],
        axis: [0, 0, 1],
        compliance,
      })),
      actions: [{ at: 2, body: 'door', torque: [0, 0, 5], for: 1 }],
    });
    const forces = hinges.map((_, i) => `constraint/h${i}/force`);
    const torques = hinges.map((_, i) => `constraint/h${i}/torque`);
    const run = await simulate(scene, {
      time: 4,
      record: [...violations(scene), ...forces, ...torques, 'constraint/h1/speed'],
    });
    const at = forces.map((name) => run.of(name)[110]);
    const sum = at.reduce(add);
    near(sum, [0, 0, 40 * g], 1e-3, 'all of it');
    at.forEach((force) => near(force[2] / (40 * g), 1 / 3, 0.01, `each a third, compliance ${compliance}`));
    // the moment of the weight: pulled above, pressed below, and what the hinges take as moments
    assert.ok(at[2][0] < 0 && at[0][0] > 0, `${at}`);
    near(largest(worst(run, scene)), 0, 1e-4, 'violation');
    // 5 N m for 1 s about the hinges: I = 4 + 40/4
    near(run.of('constraint/h1/speed').at(-1), 5 / 14, 1e-3, 'it swings');
  }
});

test('a table on ten legs that are locked to it and to the ground shares its load', async () => {
  for (const compliance of [1e-8, 0]) {
    const legs = Array.from({ length: 10 }, (_, i) => [
      2 * Math.cos(0.2 * Math.PI * i),
      2 * Math.sin(0.2 * Math.PI * i),
      0,
    ]);
    const bodies = [{ name: 'top', mass: 100, inertia: [100, 100, 200], position: [0, 0, 1] }];
    const constraints = [];
    legs.forEach((foot, i) => {
      bodies.push({ name: `leg${i}`, mass: 5, inertia: [0.4, 0.4, 0.01], position: add(foot, [0, 0, 0.5]) });
      constraints.push({
        name: `foot${i}`,
        type: 'lock',
        bodies: [`leg${i}`, null],
        anchor: foot,
        compliance,
      });
      constraints.push({
        name: `head${i}`,
        type: 'lock',
        bodies: ['top', `leg${i}`],
        anchor: add(foot, [0, 0, 1]),
        compliance,
      });
    });
    const scene = makeScene({ world: { timeStep: 1 / 60 }, bodies, constraints });
    const feet = legs.map((_, i) => `constraint/foot${i}/force`);
    const run = await simulate(scene, {
      time: 5,
      record: [...feet, 'body/top/velocity', ...violations(scene)],
    });
    for (const name of feet)
      near(run.of(name).at(-1)[2], 15 * g, 0.01 * 15 * g, `${name}, compliance ${compliance}`);
    near(length(run.of('body/top/velocity').at(-1)), 0, 1e-9, 'at rest');
  }
});

test('a parallel four-bar that passes flat goes on, with zero compliance too', async () => {
  for (const compliance of [1e-8, 0]) {
    const bar = (name, from, to, velocity, spin) => {
      const along = sub(to, from);
      return {
        name,
        mass: 1,
        inertia: [1e-3, 1 / 12, 1 / 12],
        position: scale(0.5, add(from, to)),
        rotation: turnAbout([0, 1, 0], -Math.atan2(along[2], along[0])),
        velocity,
        angularVelocity: [0, spin, 0],
      };
    };
    const pin = (name, bodies, anchor) => ({
      name,
      type: 'hinge',
      bodies,
      anchor,
      axis: [0, 1, 0],
      compliance,
    });
    const spin = 3;
    const scene = makeScene({
      world: { timeStep: 1 / 240, gravity: [0, 0, 0] },
      bodies: [
        bar('left', [0, 0, 0], [0, 0, 1], [spin / 2, 0, 0], spin),
        bar('right', [1, 0, 0], [1, 0, 1], [spin / 2, 0, 0], spin),
        bar('coupler', [0, 0, 1], [1, 0, 1], [spin, 0, 0], 0),
      ],
      constraints: [
        pin('a', ['left', null], [0, 0, 0]),
        pin('b', ['right', null], [1, 0, 0]),
        pin('c', ['coupler', 'left'], [0, 0, 1]),
        pin('d', ['coupler', 'right'], [1, 0, 1]),
      ],
    });
    const run = await simulate(scene, {
      time: 10,
      record: [...violations(scene), 'constraint/a/angle', 'constraint/b/angle', 'world/kineticEnergy'],
    });
    near(largest(worst(run, scene)), 0, 1e-3, 'violation');
    const energy = run.of('world/kineticEnergy');
    near(energy.at(-1) / energy[0], 1, 0.02, `energy, compliance ${compliance}`);
    near(
      run.of('constraint/a/angle').at(-1),
      run.of('constraint/b/angle').at(-1),
      1e-2,
      'cranks stay parallel',
    );
    near(run.of('constraint/a/angle').at(-1), 30, 0.5, 'turned');
  }
});
