// WebAssembly's memory never shrinks, so what a growing world leaves behind has to be used again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../web/index.node.js';

/** Columns of balls, each somewhat aside of the one below, that fall into a heap. */
function dropBalls(world, count) {
  const side = 12,
    perLayer = side * side,
    step = 0.32;
  world.createBody({ motion: 'static', geometries: [{ shape: { type: 'plane', normal: [0, 0, 1] } }] });
  for (let i = 0; i < count; ++i) {
    const layer = Math.floor(i / perLayer),
      place = i % perLayer;
    world.createBody({
      position: [
        (place % side) * step + 0.05 * ((layer * 7) % 3),
        Math.floor(place / side) * step + 0.05 * ((layer * 5) % 3),
        0.3 + layer * 0.35,
      ],
      geometries: [{ shape: { type: 'sphere', radius: 0.15 } }],
    });
  }
}

test('a heap that comes to many times as many contacts leaves few holes in memory', async () => {
  const cairn = await load({ flavour: 'st' }); // a memory of its own
  const world = cairn.createWorld({ sleep: false });
  dropBalls(world, 5000);
  for (let i = 0; i < 10; ++i) world.step();
  const before = world.getCounters().contacts;
  for (let i = 0; i < 110; ++i) world.step();
  const { contacts } = world.getCounters();
  assert.ok(contacts > 5 * before, `${before} contacts became ${contacts}`);

  const heap = cairn.memory.buffer.byteLength,
    inUse = cairn.bytesInUse;
  assert.ok(heap <= 1.25 * inUse, `${heap} bytes of memory for ${inUse} in use`);
  assert.ok(inUse <= 12.5e3 * 5000, `${inUse} bytes for 5,000 balls`);
  world.dispose();
  assert.equal(cairn.bytesInUse, 0);
});
