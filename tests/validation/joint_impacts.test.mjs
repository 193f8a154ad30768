// Impacts on linkages: all of it answers in the same step, joints kept, no energy gained.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  add,
  cross,
  ground,
  highest,
  length,
  makeScene,
  near,
  scale,
  simulate,
  standardGravity,
  sub,
  touching,
  violations,
} from './simulate.mjs';

const g = standardGravity;
const bouncy = (restitution) => touching({ friction: 0, restitution });
const ball = (name, mass, radius, position, velocity) => ({
  name,
  mass,
  inertia: Array(3).fill(0.4 * mass * radius ** 2),
  position,
  velocity,
  geometries: [{ shape: { type: 'sphere', radius }, material: 'm' }],
});

// ---- two rods ---------------------------------------------------------------------------------------------

// Rods of mass m, half length c and moment I about their middles along x, hinged at the origin; a ball of
// mass b strikes the left one from below at x = −2c s. Unknown: speeds v1, v2 up and ω1, ω2 about −y … with
// the hinge's impulse Q up on the left one:
//   m v1 = P + Q, I ω1 = −(P d) … solved below as a linear system in (v1, ω1, v2, ω2, P, Q)
//   with restitution 1.
function struckRods(mass, inertia, c, x, ballMass, speed, restitution) {
  // ω counts about y: a point at distance r along x moves down by ω r
  const arm = x + c; // of the blow from the left rod's middle, which is at −c
  const rows = [
    // v1, w1, v2, w2, P, Q
    [mass, 0, 0, 0, -1, -1, 0],
    [0, inertia, 0, 0, arm, c, 0],
    [0, 0, mass, 0, 0, 1, 0],
    [0, 0, 0, inertia, 0, c, 0], // Q acts downwards on the right rod at −c: moment −(−c)(−Q) = −c Q about y
    [1, -c, -1, -c, 0, 0, 0], // hinge: v1 − w1 c = v2 + w2 c
    [1, -arm, 0, 0, 1 / ballMass, 0, speed * (1 + restitution)], // u_rod⁺ − v_ball⁺ = e (v_ball − 0)
  ];
  for (let i = 0; i < 6; ++i) {
    let pivot = i;
    for (let k = i; k < 6; ++k) if (Math.abs(rows[k][i]) > Math.abs(rows[pivot][i])) pivot = k;
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let k = 0; k < 6; ++k) {
      if (k === i) continue;
      const factor = rows[k][i] / rows[i][i];
      for (let j = i; j < 7; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  return rows.map((row, i) => row[6] / row[i]);
}

function rodsScene(solver, x, restitution) {
  const rod = (name, centre) => ({
    name,
    mass: 2,
    inertia: [0.02, 0.5, 0.5],
    position: [centre, 0, 0],
    geometries: [{ shape: { type: 'box', halfExtents: [0.9, 0.05, 0.05] }, material: 'm' }],
  });
  return makeScene({
    world: { gravity: [0, 0, 0], timeStep: 1 / 4000, solver: { default: solver } },
    ...bouncy(restitution),
    bodies: [rod('a', -1), rod('b', 1), ball('ball', 0.5, 0.1, [x, 0, -0.16], [0, 0, 3])],
    constraints: [
      {
        name: 'hinge',
        type: 'hinge',
        bodies: ['a', 'b'],
        anchor: [0, 0, 0],
        axis: [0, 1, 0],
        compliance: 1e-13,
      },
    ],
  });
}

for (const solver of ['auto', 'iterative']) {
  for (const [x, restitution] of [
    [-1.8, 1],
    [-1.3, 1],
    [-0.5, 1],
    [-1.8, 0.5],
  ]) {
    test(`two hinged rods struck at ${x} m with e = ${restitution}: both move at once (${solver})`, async () => {
      const names = ['a', 'b', 'ball'];
      const kinds = ['position', 'velocity', 'angularVelocity'];
      const record = names.flatMap((name) => kinds.map((kind) => `body/${name}/${kind}`));
      record.push('world/kineticEnergy', 'world/momentum', 'world/angularMomentum');
      const run = await simulate(rodsScene(solver, x, restitution), { time: 1 / 40, record });
      const [v1, w1, v2, w2, P] = struckRods(2, 0.5, 1, x, 0.5, 3, restitution);
      const hit = run.of('body/ball/velocity').findIndex(([, , z]) => z !== 3);
      assert.ok(hit > 0, 'the ball did not hit');
      const at = (name) => run.of(name)[hit];
      near(at('body/a/velocity'), [0, 0, v1], 2e-3, 'a');
      near(at('body/a/angularVelocity'), [0, w1, 0], 2e-3, 'a turns');
      near(at('body/b/velocity'), [0, 0, v2], 2e-3, 'b');
      near(at('body/b/angularVelocity'), [0, w2, 0], 2e-3, 'b turns');
      near(at('body/ball/velocity')[2], 3 - P / 0.5, 2e-3, 'ball');
      const end = (name, side) =>
        add(at(`body/${name}/velocity`), cross(at(`body/${name}/angularVelocity`), [side, 0, 0]));
      assert.ok(length(sub(end('a', 1), end('b', -1))) < 1e-3, 'the hinge opens');
      near(at('world/momentum'), [0, 0, 1.5], 1e-9, 'momentum');
      const moments = run.of('world/angularMomentum');
      near(at('world/angularMomentum'), moments[0], 1e-3, 'angular momentum');
      const energies = run.of('world/kineticEnergy');
      if (restitution === 1) near(energies[hit], energies[0], 1e-3 * energies[0], 'energy');
      assert.ok(Math.max(...energies) < energies[0] * (1 + 1e-6), 'energy was gained');
    });
  }
}

// ---- cradle -----------------------------------------------------------------------------------------------

for (const solver of ['auto', 'iterative']) {
  for (const [type, count, moving] of [
    ['distance', 5, 1],
    ['distance', 5, 2],
    ['hinge', 4, 1],
  ]) {
    test(`Newton's cradle of ${count} on ${type}s, ${moving} let go: as many leave at the other end (${solver})`, async () => {
      const radius = 0.1;
      const bodies = [];
      const constraints = [];
      for (let i = 0; i < count; ++i) {
        const swings = i < moving;
        const x = i * (2 * radius + 1e-4);
        const angle = swings ? 0.3 : 0;
        const position = [x - Math.sin(angle), 0, 1 - Math.cos(angle)];
        bodies.push(ball(`b${i}`, 1, radius, position, [0, 0, 0]));
        constraints.push({
          name: `c${i}`,
          type,
          bodies: [`b${i}`, null],
          ...(type === 'hinge' ? { anchor: [x, 0, 1], axis: [0, 1, 0] } : { anchors: [position, [x, 0, 1]] }),
          compliance: 1e-12,
        });
      }
      const scene = makeScene({
        world: { timeStep: 1 / 240, solver: { default: solver } },
        ...bouncy(1),
        bodies,
        constraints,
      });
      const names = bodies.map(({ name }) => `body/${name}/velocity`);
      const gaps = violations({ constraints });
      const run = await simulate(scene, { time: 0.75, record: [...names, ...gaps] });
      // half a second is a quarter of the swing; at 0.6 s the others have it
      const speeds = names.map((name) => run.of(name)[144][0]);
      const most = Math.sqrt(2 * g * (1 - Math.cos(0.3)) * (type === 'hinge' ? 1 / 1.004 : 1));
      speeds.forEach((speed, i) => {
        const wanted = i >= count - moving ? most : 0;
        assert.ok(Math.abs(speed - wanted) < 0.06 * most, `${i}: ${speeds}, wanted ${wanted}`);
      });
      assert.ok(highest(run, gaps) < 1e-4, 'a tie opened');
    });
  }
}

// ---- percussion -------------------------------------------------------------------------------------------

test('a hammer on a door at its centre of percussion: no blow at the bearing; elsewhere by the rule of impulses', async () => {
  const mass = 20;
  const width = 0.9;
  const moment = (mass * width ** 2) / 12; // thin door
  const atHinge = moment + (mass * width ** 2) / 4;
  for (const restitution of [1, 0.4]) {
    for (const distance of [0.25, (2 / 3) * width, 0.85]) {
      const scene = makeScene({
        world: { gravity: [0, 0, 0], timeStep: 1 / 240 },
        ...bouncy(restitution),
        bodies: [
          {
            name: 'door',
            mass,
            inertia: [5, 5, moment],
            position: [width / 2, 0, 0],
            geometries: [{ shape: { type: 'box', halfExtents: [width / 2, 0.02, 1] }, material: 'm' }],
          },
          ball('hammer', 2, 0.05, [distance, -0.1, 0], [0, 6, 0]),
        ],
        constraints: [
          {
            name: 'hinge',
            type: 'hinge',
            bodies: ['door', null],
            anchor: [0, 0, 0],
            axis: [0, 0, 1],
            compliance: 1e-13,
          },
        ],
      });
      const run = await simulate(scene, {
        time: 10 / 240,
        record: ['body/door/angularVelocity', 'constraint/hinge/force', 'body/hammer/velocity'],
      });
      const impulse = ((1 + restitution) * 6) / (1 / 2 + distance ** 2 / atHinge);
      const spin = (impulse * distance) / atHinge;
      const hit = run.of('body/door/angularVelocity').findIndex(([, , z]) => z !== 0);
      assert.ok(hit > 0, 'no hit');
      near(run.of('body/door/angularVelocity')[hit][2], spin, 1e-3 * spin, 'the door turns');
      near(run.of('body/hammer/velocity')[hit][1], 6 - impulse / 2, 6e-3, 'the hammer');
      // m v of the door is what the hammer and the bearing give; the turn itself needs m ω² r along x
      const bearing = (mass * spin * width) / 2 - impulse;
      const [, y] = scale(1 / 240, run.of('constraint/hinge/force')[hit]);
      near(y, bearing, 2e-3 * impulse, `blow at the bearing, struck at ${distance}`);
    }
  }
});

// ---- piles and ragdolls -----------------------------------------------------------------------------------

test('a chain of ten rods that falls on the ground with e = 0.9 gains no energy and stays closed', async () => {
  for (const solver of ['auto', 'iterative']) {
    const bodies = Array.from({ length: 10 }, (_, i) => ({
      name: `r${i}`,
      position: [i, 0, 1 + 0.2 * i],
      rotation: [0, -Math.sin(0.0987), 0, Math.cos(0.0987)],
      geometries: [
        {
          shape: { type: 'capsule', radius: 0.1, height: 0.6 },
          rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2],
          material: 'm',
        },
      ],
    }));
    const scene = makeScene({
      world: { timeStep: 1 / 240, solver: { default: solver } },
      ...bouncy(0.9),
      geometries: [ground],
      bodies,
      constraints: bodies.slice(1).map((_, i) => ({
        name: `j${i}`,
        type: 'ball',
        bodies: [`r${i}`, `r${i + 1}`],
        anchor: [i + 0.5, 0, 1.1 + 0.2 * i],
        compliance: 1e-12,
      })),
    });
    const names = violations(scene);
    const energies = ['world/kineticEnergy', 'world/potentialEnergy'];
    const run = await simulate(scene, { time: 5, record: [...names, ...energies] });
    const total = run.of(energies[0]).map((kinetic, k) => kinetic + run.of(energies[1])[k]);
    assert.ok(
      Math.max(...total) < total[0] * 1.005,
      `${solver}: energy ${Math.max(...total)}, was ${total[0]}`,
    );
    const most = highest(run, names);
    assert.ok(most < 1e-3, `${solver}: opened by ${most} m`);
  }
});
