// What rolls to and fro without slip is a pendulum near its balance: a plank on something round with ω² = g
// (R − b) / (k² + b²), b half of its thickness, k its radius of gyration (the rocking board of the
// textbooks); and something round that is heavier on one side, a roly-poly, with ω² = m g e / (I + m (R −
// e)²), its centre of mass e off the middle. Nothing gives them energy: where they touched as the step began
// is not where the forces of the step act, and the next points of the bodies touch from step to step.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { box, ground, makeScene, simulate, standardGravity, touching } from './simulate.mjs';

const [LENGTH, WIDTH, B] = [1, 0.2, 0.05];
const SPIN = 0.4; // rad/s at first: 3° or 6° at the end of a swing

const supports = {
  ball: (radius) => ({ type: 'sphere', radius }),
  cylinder: (radius) => ({ type: 'cylinder', radius, height: 0.3 }),
  capsule: (radius) => ({ type: 'capsule', radius, height: 0.3 }),
};

/** What a swing comes to: { period (s), largest, last (rad/s, in the last period or so) }. */
async function swing(bodies, geometries, { solver, hz, seconds }) {
  const { time, channels } = await simulate(
    makeScene({
      world: { timeStep: 1 / hz, solver: { default: solver } },
      ...touching({ friction: 1 }),
      bodies,
      geometries,
    }),
    { time: seconds, record: ['body/b/angularVelocity'] },
  );
  const spins = channels['body/b/angularVelocity'].map(([, y]) => y);
  const rising = [];
  for (let i = 1; i < spins.length; ++i) {
    if (spins[i - 1] < 0 && spins[i] >= 0)
      rising.push(time[i] - ((time[i] - time[i - 1]) * spins[i]) / (spins[i] - spins[i - 1]));
  }
  return {
    period: (rising.at(-1) - rising[0]) / (rising.length - 1),
    largest: Math.max(...spins.map(Math.abs)),
    last: Math.max(...spins.slice(-2 * hz).map(Math.abs)),
  };
}

const settings = [
  ['iterative', 60],
  ['iterative', 240],
  ['iterative', 960],
  ['direct', 60],
  ['direct', 240],
];

/** The law, for `omega` rad/s near the balance. */
function judge(t, { period, largest, last }, omega, solver, most = 1.005) {
  const wanted = (2 * Math.PI) / omega;
  t.diagnostic(`period ${period.toFixed(4)} s of ${wanted.toFixed(4)}, ${SPIN} to ${last.toFixed(4)} rad/s`);
  assert.ok(Math.abs(period - wanted) < 0.01 * wanted, `a period of ${period} s, not ${wanted}`);
  assert.ok(largest < most * SPIN, `${largest} rad/s, ${SPIN} at first`);
  // a step of the direct solver damps what it shortens
  assert.ok(solver === 'direct' || last > 0.95 * SPIN, `${last} rad/s are left of ${SPIN}`);
}

describe('a plank that rocks on something round', () => {
  for (const [name, shapeOf] of Object.entries(supports)) {
    for (const [solver, hz, radius = 0.5] of [...settings, ['iterative', 60, 0.3]]) {
      it(`swings and gains nothing: ${name} of ${radius} m, ${solver}, ${hz} Hz`, async (t) => {
        const support = {
          name: 'support',
          motion: 'static',
          position: [0, 0, -radius],
          geometries: [{ shape: shapeOf(radius), material: 'm' }],
        };
        const plank = {
          name: 'b',
          position: [0, 0, B],
          mass: 1,
          geometries: [box([LENGTH / 2, WIDTH / 2, B])],
          angularVelocity: [0, SPIN, 0],
        };
        const gyration = (LENGTH ** 2 + (2 * B) ** 2) / 12;
        const omega = Math.sqrt((standardGravity * (radius - B)) / (gyration + B * B));
        judge(t, await swing([support, plank], [], { solver, hz, seconds: 10 }), omega, solver);
      });
    }
  }
});

describe('a roly-poly', () => {
  const [radius, offset, moment] = [0.5, 0.2, 0.06]; // m, m, kg m²
  const heights = { resolution: [5, 5], size: [10, 10], heights: Array(25).fill(0) };
  const grounds = {
    plane: ground,
    box: { ...box([5, 5, 0.5]), position: [0, 0, -0.5] },
    'height field': { shape: { type: 'heightField', ...heights }, material: 'm', position: [0.3, 0.2, 0] },
  };
  for (const [name, shapeOf] of Object.entries(supports)) {
    for (const [on, geometry] of Object.entries(grounds)) {
      for (const [solver, hz] of settings) {
        it(`swings and gains nothing: ${name} on a ${on}, ${solver}, ${hz} Hz`, async (t) => {
          const doll = {
            name: 'b',
            position: [0, 0, radius],
            mass: 1,
            centreOfMass: [0, 0, -offset],
            inertia: [moment, moment, moment],
            geometries: [{ shape: shapeOf(radius), material: 'm' }],
            velocity: [SPIN * (radius - offset), 0, 0],
            angularVelocity: [0, SPIN, 0],
          };
          const omega = Math.sqrt((standardGravity * offset) / (moment + (radius - offset) ** 2));
          // on fields a line of two points gains 3 % in the ten seconds, at 60 Hz
          const most = on === 'height field' ? 1.05 : 1.005;
          judge(t, await swing([doll], [geometry], { solver, hz, seconds: 10 }), omega, solver, most);
        });
      }
    }
  }
});
