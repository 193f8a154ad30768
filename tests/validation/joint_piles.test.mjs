// Joints among contacts that are swept, and what `auto` does with big piles: the pieces of the solver fit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';
import {
  box,
  ground,
  highest,
  largest,
  length,
  makeScene,
  near,
  random,
  simulate,
  standardGravity,
  sub,
  touching,
  violations,
} from './simulate.mjs';

const g = standardGravity;
const kinds = [
  ['auto', 'direct'],
  ['direct', 'direct'],
  ['split', 'direct'],
  ['iterative', 'direct'],
  ['auto', 'directAndIterative'],
  ['auto', 'iterative'],
];

// ---- friction and joints ----------------------------------------------------------------------------------

/** Boxes in a row down a slope, joined; `frictions` of each with the ground. */
function slope(angle, frictions, type, solver, solve, extra = {}) {
  return makeScene({
    world: {
      gravity: [g * Math.sin(angle), 0, -g * Math.cos(angle)],
      solver: { default: solver },
    },
    materials: [{ name: 'm' }, ...frictions.map((_, i) => ({ name: `m${i}` }))],
    contactMaterials: frictions.map((friction, i) => ({
      materials: ['m', `m${i}`],
      friction,
      restitution: 0,
    })),
    geometries: [ground],
    bodies: frictions.map((_, i) => ({
      name: `b${i}`,
      position: [i, 0, 0.3],
      mass: 200,
      geometries: [box([0.3, 0.3, 0.3], `m${i}`)],
    })),
    constraints: frictions.slice(1).map((_, i) => ({
      name: `j${i}`,
      type,
      bodies: [`b${i}`, `b${i + 1}`],
      ...(type === 'distance'
        ? {
            anchors: [
              [i, 0, 0.3],
              [i + 1, 0, 0.3],
            ],
          }
        : { anchor: [i + 0.5, 0, 0.3] }),
      ...(type === 'hinge' ? { axis: [0, 1, 0] } : {}),
      solve,
    })),
    ...extra,
  });
}

for (const [solver, solve] of kinds) {
  test(`jointed boxes hold on a slope with friction 3 % above its tangent: ${solver}, ${solve}`, async () => {
    const tangent = Math.tan(0.5);
    for (const [type, frictions] of [
      ['hinge', [1.03, 1.03]],
      ['lock', [1.03, 1.03, 1.03]],
      ['distance', [0.5, 1.56]], // the lower one holds the upper one by a push
      ['distance', [1.56, 0.5]], // or the upper the lower by a pull
    ]) {
      const scene = slope(
        0.5,
        frictions.map((share) => share * tangent),
        type,
        solver,
        solve,
      );
      const run = await simulate(scene, { time: 10, every: 300, record: ['body/b0/position'] });
      const places = run.of('body/b0/position');
      const creep = length(sub(places.at(-1), places.at(-2))) / 5;
      assert.ok(creep < 1e-4, `${type}: creeps at ${creep * 1e3} mm/s`);
    }
  });

  test(`a jointed pair slides at what both frictions make together: ${solver}, ${solve}`, async () => {
    const scene = slope(0.5, [0.1, 0.4], 'distance', solver, solve);
    const run = await simulate(scene, { time: 1, record: ['body/b0/velocity', 'body/b1/velocity'] });
    const wanted = g * (Math.sin(0.5) - 0.25 * Math.cos(0.5));
    const speeds = run.of('body/b0/velocity').map(([x]) => x);
    near((speeds[60] - speeds[30]) / 0.5, wanted, 0.005 * wanted, 'acceleration');
    near(run.of('body/b1/velocity')[60][0], speeds[60], 1e-3, 'both together');
  });

  test(`a tie holds a box on a slope without friction by m g sin θ: ${solver}, ${solve}`, async () => {
    const scene = slope(0.5, [0], 'ball', solver, solve, {
      constraints: [
        {
          name: 'tie',
          type: 'distance',
          bodies: ['b0', null],
          anchors: [
            [0, 0, 0.3],
            [-2, 0, 0.3],
          ],
          solve,
        },
      ],
    });
    const run = await simulate(scene, { time: 3, record: ['constraint/tie/force'] });
    near(length(run.of('constraint/tie/force').at(-1)), 200 * g * Math.sin(0.5), 0.1, 'tension');
  });
}

test('a spring without stiffness and damper is as if it were not there', async () => {
  for (const [solver, solve] of kinds) {
    const scene = makeScene({
      world: { solver: { default: solver } },
      ...touching({ friction: 0.3 }),
      geometries: [ground],
      bodies: [0, 1].map((i) => ({
        name: `b${i}`,
        position: [2 * i, 0, 0.5],
        velocity: [1, 0, 0],
        geometries: [box([0.3, 0.3, 0.3])],
      })),
      constraints: [
        {
          name: 's',
          type: 'spring',
          bodies: ['b0', 'b1'],
          anchors: [
            [0, 0, 0.5],
            [2, 0, 0.5],
          ],
          stiffness: 0,
          damping: 0,
          solve,
        },
      ],
    });
    const run = await simulate(scene, { time: 1, record: ['body/b0/position', 'body/b1/position'] });
    const [a, b] = [run.of('body/b0/position').at(-1), run.of('body/b1/position').at(-1)];
    near(sub(b, a), [2, 0, 0], 1e-6, `${solver}, ${solve}`);
    assert.ok(a[0] > 0.1 && a[2] < 0.301, `${solver}, ${solve}: ${a}`);
  }
});

/** Four boxes on the ground in a chain, the second of them at `speed` m/s. */
const flungChain = (speed) =>
  makeScene({
    world: { solver: { default: 'iterative' } },
    ...touching({ friction: 0.5 }),
    geometries: [ground],
    bodies: [0, 1, 2, 3].map((i) => ({
      name: `b${i}`,
      position: [i, 0, 0.3],
      velocity: [0, i === 1 ? speed : 0, 0],
      geometries: [box([0.3, 0.3, 0.3])],
    })),
    constraints: [0, 1, 2].map((i) => ({
      name: `j${i}`,
      type: 'ball',
      bodies: [`b${i}`, `b${i + 1}`],
      anchor: [i + 0.5, 0, 0.3],
    })),
  });

test('a body of a linkage beside swept contacts at 10¹⁶ m/s: all stays finite', async () => {
  const run = await simulate(flungChain(1e16), {
    time: 0.1,
    record: ['body/b0/position', 'body/b1/velocity'],
  });
  const all = ['body/b0/position', 'body/b1/velocity'].flatMap((name) => run.of(name).flat());
  assert.ok(all.every(Number.isFinite));
  const speeds = run.of('body/b1/velocity').map((v) => Math.hypot(...v));
  assert.ok(Math.max(...speeds) <= 1.001 * speeds[0], `${Math.max(...speeds)} m/s`);
});

// sweeps are in f32, where squares of such speeds overflow
test('at 10³⁰ m/s it may be put back, with an error that says so: all stays finite', async () => {
  const cairn = await getCairn('st', 1);
  const scene = cairn.loadScene(JSON.stringify(flungChain(1e30)));
  try {
    const channels = [0, 1, 2, 3].flatMap((i) => [
      scene.openChannel(`body/b${i}/position`),
      scene.openChannel(`body/b${i}/velocity`),
    ]);
    for (let step = 0; step < 20; ++step) {
      try {
        scene.step();
      } catch (error) {
        assert.equal(error.code, 'NON_FINITE_STATE');
      }
      assert.ok(channels.every((channel) => channel.read().every(Number.isFinite)));
    }
  } finally {
    scene.dispose();
  }
});

test('two jointed pairs that meet keep their momentum, joints by groups', async () => {
  const pair = (name, x, velocity, y) => ({
    bodies: [0, 1].map((i) => ({
      name: `${name}${i}`,
      position: [x + i, y, 0.1 * i],
      velocity,
      mass: 3 + i,
      geometries: [box([0.3, 0.2, 0.4])],
    })),
    constraints: [
      { name, type: 'hinge', bodies: [`${name}0`, `${name}1`], anchor: [x + 0.5, y, 0], axis: [0, 1, 0] },
    ],
  });
  const a = pair('a', 0, [2, 0, 0], 0);
  const b = pair('b', 3, [-3, 0, 0.1], 0.15);
  const scene = makeScene({
    world: { gravity: [0, 0, 0], solver: { default: 'iterative' } },
    ...touching({ friction: 0.5 }),
    bodies: [...a.bodies, ...b.bodies],
    constraints: [...a.constraints, ...b.constraints],
  });
  const names = ['world/momentum', 'world/angularMomentum', 'world/kineticEnergy'];
  const run = await simulate(scene, { time: 2, record: names });
  const [momentum, moment, energy] = names.map((name) => run.of(name));
  assert.ok(length(sub(run.of('world/momentum').at(-1), [-7, 0, 0.7])) < 1e-5, `${momentum.at(-1)}`);
  assert.ok(length(sub(moment.at(-1), moment[0])) < 0.01, `${moment.at(-1)}, was ${moment[0]}`);
  assert.ok(energy.at(-1) < 0.8 * energy[0], 'they did not meet');
  assert.ok(Math.max(...energy) < energy[0] * (1 + 1e-6), 'energy was gained');
});

// ---- piles ------------------------------------------------------------------------------------------------

/** Boxes that fall into a pit, some neighbours joined. */
function pile(count, joined, type) {
  const next = random(7);
  const bodies = Array.from({ length: count }, (_, i) => ({
    name: `b${i}`,
    position: [
      (i % 4) * 0.9 - 1.35 + 0.1 * next(),
      (Math.floor(i / 4) % 4) * 0.9 - 1.35 + 0.1 * next(),
      0.5 + Math.floor(i / 16) * 0.9,
    ],
    geometries: [box([0.3, 0.3, 0.3])],
  }));
  const walls = [
    [2.4, 0, 0.2, 2.6],
    [-2.4, 0, 0.2, 2.6],
    [0, 2.4, 2.6, 0.2],
    [0, -2.4, 2.6, 0.2],
  ].map(([x, y, a, b]) => ({ ...box([a, b, 4]), position: [x, y, 4] }));
  return makeScene({
    ...touching({ friction: 0.5 }),
    geometries: [ground, ...walls],
    bodies,
    constraints: joined.map((i) => ({
      name: `j${i}`,
      type,
      bodies: [`b${i}`, `b${i + 1}`],
      anchor: bodies[i].position.map((x, k) => (x + bodies[i + 1].position[k]) / 2),
    })),
  });
}

for (const [type, joined] of [
  ['lock', [0, 1, 2]],
  ['ball', Array.from({ length: 40 }, (_, i) => 2 * i)],
]) {
  test(`${joined.length} joints (${type}) in a pile of 96 boxes open by less than 1.5 mm`, async () => {
    const scene = pile(96, joined, type);
    const names = violations(scene);
    const run = await simulate(scene, { time: 5, record: [...names, 'world/kineticEnergy'] });
    const most = highest(run, names);
    // at the end of the sub-step that has a blow of 8e4 N: by their compliance of 1e-8 m/N, and a little more
    assert.ok(most < 1.5e-3, `${most * 1e3} mm`);
    const kinetic = run.of('world/kineticEnergy').at(-1) / (96 * 216);
    assert.ok(kinetic < 1e-2, `${kinetic} J/kg are left`);
  });
}

test('a load of ten tonnes on a chain lands in a pile of 60 boxes, and no joint opens by more than 5 mm', async () => {
  const scene = pile(64, [], 'ball');
  const links = 12;
  for (let i = 0; i < links; ++i) {
    scene.bodies.push({
      name: `link${i}`,
      mass: 1,
      inertia: [0.08, 0.08, 0.005],
      position: [0, 0, 11.5 - i],
    });
    scene.constraints.push({
      name: `c${i}`,
      type: 'ball',
      bodies: [`link${i}`, i > 0 ? `link${i - 1}` : 'hook'],
      anchor: [0, 0, 12 - i],
      compliance: 1e-12,
    });
  }
  scene.bodies.push(
    { name: 'hook', motion: 'kinematic', position: [0, 0, 12], velocity: [0, 0, -1] },
    {
      name: 'load',
      mass: 1e4,
      position: [0, 0, -0.8 + 12 - links + 5.6],
      geometries: [box([0.8, 0.8, 0.8])],
    },
  );
  for (const body of scene.bodies.slice(64)) body.position[2] += 5.6;
  for (const constraint of scene.constraints) constraint.anchor[2] += 5.6;
  scene.bodies.at(-1).position[2] -= 5.6;
  scene.constraints.push({
    name: 'c',
    type: 'ball',
    bodies: ['load', `link${links - 1}`],
    anchor: [0, 0, 12 - links + 5.6],
    compliance: 1e-12,
  });
  for (const body of scene.bodies.slice(64, -2)) body.velocity = [0, 0, -1];
  scene.bodies.at(-1).velocity = [0, 0, -1];
  const names = violations(scene);
  const run = await simulate(scene, { time: 6, record: [...names, 'body/load/position'] });
  const most = highest(run, names);
  assert.ok(most < 5e-3, `${most * 1e3} mm`);
  assert.ok(largest(run.of('body/load/position').at(-1)) < 6, 'the load is in the pit');
});
