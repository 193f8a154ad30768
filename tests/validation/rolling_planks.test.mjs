// A plank that rocks on something round, rolling to and fro without slip: near its balance a pendulum with
// ω² = g (R − b) / (k² + b²), b half of its thickness, k its radius of gyration about its centre (the
// textbooks' example of a rocking board). Nothing gives it energy: where it touched while the step began is
// not where the forces of the step act.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeScene, simulate, standardGravity, touching } from './simulate.mjs';

const [LENGTH, WIDTH, B] = [1, 0.2, 0.05];
const SPIN = 0.4; // rad/s at first: 3° at the end of a swing

const supports = {
  ball: (radius) => ({ type: 'sphere', radius }),
  cylinder: (radius) => ({ type: 'cylinder', radius, height: 0.3 }),
  capsule: (radius) => ({ type: 'capsule', radius, height: 0.3 }),
};

async function rock({ support, solver, hz, radius, seconds }) {
  const { time, channels } = await simulate(
    makeScene({
      world: { timeStep: 1 / hz, solver: { default: solver } },
      ...touching({ friction: 1 }),
      bodies: [
        {
          name: 'support',
          motion: 'static',
          position: [0, 0, -radius],
          geometries: [{ shape: supports[support](radius), material: 'm' }],
        },
        {
          name: 'plank',
          position: [0, 0, B],
          mass: 1,
          geometries: [{ shape: { type: 'box', halfExtents: [LENGTH / 2, WIDTH / 2, B] }, material: 'm' }],
          angularVelocity: [0, SPIN, 0],
        },
      ],
    }),
    { time: seconds, record: ['body/plank/angularVelocity'] },
  );
  const spins = channels['body/plank/angularVelocity'].map(([, y]) => y);
  const rising = [];
  for (let i = 1; i < spins.length; ++i) {
    if (spins[i - 1] < 0 && spins[i] >= 0)
      rising.push(time[i] - ((time[i] - time[i - 1]) * spins[i]) / (spins[i] - spins[i - 1]));
  }
  const last = spins.slice(-Math.ceil(1.5 * hz)).map(Math.abs);
  return {
    period: (rising.at(-1) - rising[0]) / (rising.length - 1),
    largest: Math.max(...spins.map(Math.abs)),
    last: Math.max(...last),
  };
}

describe('a plank that rocks on something round', () => {
  for (const support of Object.keys(supports)) {
    for (const [solver, hz, radius] of [
      ['iterative', 60, 0.5],
      ['iterative', 60, 0.3],
      ['iterative', 240, 0.5],
      ['iterative', 960, 0.5],
      ['direct', 60, 0.5],
      ['direct', 240, 0.5],
    ]) {
      it(`swings and gains nothing: ${support} of ${radius} m, ${solver}, ${hz} Hz`, async (t) => {
        const gyration = (LENGTH ** 2 + (2 * B) ** 2) / 12;
        const omega = Math.sqrt((standardGravity * (radius - B)) / (gyration + B * B));
        const wanted = (2 * Math.PI) / omega;
        const { period, largest, last } = await rock({ support, solver, hz, radius, seconds: 10 });
        t.diagnostic(
          `period ${period.toFixed(4)} s of ${wanted.toFixed(4)}, ${SPIN} to ${last.toFixed(4)} rad/s`,
        );
        assert.ok(Math.abs(period - wanted) < 0.01 * wanted, `a period of ${period} s, not ${wanted}`);
        assert.ok(largest < 1.005 * SPIN, `${largest} rad/s, ${SPIN} at first`);
        // a step of the direct solver damps what it shortens
        assert.ok(solver === 'direct' || last > 0.93 * SPIN, `${last} rad/s are left of ${SPIN}`);
      });
    }
  }
});
