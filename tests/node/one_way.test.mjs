// Platforms that let through from below: a listener removes their contacts, and continuous collision does not
// stop what it lets through, however thin the platform is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn } from './helpers.mjs';

const g = 9.80665;
const radius = 0.1;
const platforms = {
  'a plate': { type: 'box', halfExtents: [2, 2, 0.01] },
  'a sheet': {
    type: 'trimesh',
    points: [
      [-2, -2, 0],
      [2, -2, 0],
      [2, 2, 0],
      [-2, 2, 0],
    ],
    triangles: [
      [0, 1, 2],
      [0, 2, 3],
    ],
  },
};

for (const fast of [false, true]) {
  for (const [name, shape] of Object.entries(platforms)) {
    test(`${name} lets through what jumps, and holds it then, fast: ${fast}`, async () => {
      const cairn = await getCairn();
      for (const speed of [5, 8, 20]) {
        const world = cairn.createWorld({ gravity: [0, 0, -g] });
        const platform = world.createGeometry({ shape, position: [0, 0, 1] });
        const ball = world.createBody({
          fast,
          position: [0, 0, 0.5],
          velocity: [0, 0, speed],
          geometries: [{ shape: { type: 'sphere', radius } }],
        });
        world.addContactListener({
          filter: ball,
          other: platform,
          onContact: () =>
            ball.getVelocity()[2] > 0 && ball.getPosition()[2] < 1 + radius ? 'remove' : 'keep',
        });
        let top = 0;
        for (let step = 0; step < 1200; ++step) {
          world.step();
          top = Math.max(top, ball.getPosition()[2]);
        }
        const wanted = 0.5 + speed ** 2 / (2 * g);
        assert.ok(Math.abs(top - wanted) < 0.01, `it jumps ${top} m high, not ${wanted}`);
        const end = ball.getPosition()[2] - radius;
        assert.ok(Math.abs(end - 1) < 0.02, `it ends at ${end} m, jumped at ${speed} m/s`);
        world.dispose();
      }
    });
  }
}
