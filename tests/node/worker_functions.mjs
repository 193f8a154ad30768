// A worker with functions of its own, for worker.test.mjs.

import { workerData } from 'node:worker_threads';
import { serve } from '../../web/worker/serve.node.js';

// as in a page that shares no memory
if (!workerData.isolated) Object.assign(globalThis, { crossOriginIsolated: false });

const { publish } = serve({
  add: (cairn, a, b) => a + b,
  later: async (cairn, value) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return value;
  },
  build: (cairn, mass) => {
    const world = cairn.createWorld();
    return { world, body: world.createBody({ mass }) };
  },
  countBodies: (cairn, world) => [...world.bodies()].length,
  fail: () => {
    throw new Error('it cannot');
  },
  drive: (cairn, count) => {
    const world = cairn.createWorld();
    world.createBodies({ count, body: { motion: 'kinematic', velocity: [1, 0, 0] } });
    return { world, bodies: count };
  },
  stepOn: async (cairn, world, count) => {
    for (let i = 0; i < count; ++i) {
      world.step();
      publish();
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  },
});
