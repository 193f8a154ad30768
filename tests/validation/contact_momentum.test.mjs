// What contacts show of themselves is what they did: the forces that are read in a step, with those of users
// and gravity, make up the change of momentum of every body, and the forces of points add up to those of
// their contacts. In piles and walls that fall, in every step, with impacts and what comes to bear between
// two looks for contacts. Without continuous collision, which takes back what forces do in the time that a
// stop loses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, readScene } from '../node/helpers.mjs';

const dynamic = 1 << 1; // a bit of the bodies' flags

/** Sums of the contacts' forces on each body, N, and of their sizes. */
function sumForces({ contacts, contactPoints, bodies }) {
  const force = new Float64Array(3 * bodies.rows);
  const size = new Float64Array(bodies.rows);
  let pointsMiss = 0;
  for (let row = 0; row < contacts.rows; ++row) {
    const total = [0, 1, 2].map(
      (i) => contacts.normalForce[3 * row + i] + contacts.tangentialForce[3 * row + i],
    );
    const ofPoints = [0, 0, 0];
    for (let p = contacts.firstPoint[row]; p < contacts.firstPoint[row] + contacts.pointCount[row]; ++p) {
      for (let i = 0; i < 3; ++i) {
        ofPoints[i] +=
          contactPoints.normalForce[p] * contactPoints.normal[3 * p + i] +
          contactPoints.tangentialForce[3 * p + i];
      }
    }
    const length = Math.hypot(...total);
    pointsMiss = Math.max(pointsMiss, Math.hypot(...total.map((f, i) => f - ofPoints[i])) / (length + 1));
    for (const [body, sign] of [
      [contacts.body1[row], 1],
      [contacts.body2[row], -1],
    ]) {
      if (body >= 0) {
        total.forEach((f, i) => (force[3 * body + i] += sign * f));
        size[body] += length;
      }
    }
  }
  return { force, size, pointsMiss };
}

for (const name of ['pit', 'wall', 'tumbler', 'ring', 'peg', 'mesh-on-mesh', 'dominoes', 'heavy-top-stack']) {
  test(`${name}: forces read are the change of momentum`, async () => {
    const cairn = await getCairn('st', 1);
    const description = JSON.parse(readScene(name));
    description.world = { ...description.world, continuous: false };
    const scene = cairn.loadScene(JSON.stringify(description));
    try {
      const { world } = scene;
      let looked = 0;
      for (let step = 0; step < 240; ++step) {
        const before = Float64Array.from(world.columns.bodies.halfStepVelocity);
        const owedBefore = Float64Array.from(world.columns.bodies.owedImpulse);
        const lagBefore = Float64Array.from(world.columns.bodies.lag);
        scene.steps(1);
        const { bodies } = world.columns;
        const { force, size, pointsMiss } = sumForces(world.columns);
        assert.ok(pointsMiss < 1e-6, `step ${step}: points miss ${pointsMiss} of their contact's force`);
        for (let body = 0; body < bodies.rows; ++body) {
          // velocities of one kind: half a sub-step or half a step before the pose
          if ((bodies.flags[body] & dynamic) === 0 || lagBefore[body] !== bodies.lag[body]) continue;
          const mass = bodies.mass[body];
          const scale = mass * 9.80665 + size[body];
          for (let i = 0; i < 3; ++i) {
            const k = 3 * body + i;
            const changed =
              (mass * (bodies.halfStepVelocity[k] - before[k]) + bodies.owedImpulse[k] - owedBefore[k]) /
              world.timeStep;
            const miss = Math.abs(changed - force[k] - bodies.lastForce[k]) / scale;
            assert.ok(miss < 4e-6, `step ${step}, body ${body}, axis ${i}: off by ${miss} of all forces`);
          }
          looked += 1;
        }
      }
      assert.ok(looked > 400, `${looked} changes of momentum looked at`);
    } finally {
      scene.dispose();
    }
  });
}
