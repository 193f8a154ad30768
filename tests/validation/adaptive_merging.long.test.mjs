// Adaptive merging in large, where chance has a part: heaps that differ by little, and more blows.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from '../../web/index.node.js';
import { compareTowers, strikeTowers } from '../shared/struck_tower.mjs';
import { brakeHeap, makeTruck, settle } from '../shared/truck.mjs';

/** @type {Awaited<ReturnType<typeof load>>} */
let cairn;
before(async () => {
  cairn = await load({ flavour: 'st' });
});
after(() => cairn.dispose());

// What has just split rattles: if its neighbours left because of that, whether a heap settles would depend on
// micrometres.
for (const scatter of [0, 1e-6, 1e-5, 1e-4, 1e-3, 5e-3, 1e-2, 2e-2]) {
  test(`1,000 rocks settle on a truck, shifted by ${scatter} m at most`, (t) => {
    const { world } = makeTruck(cairn, scatter);
    const settled = settle(world);
    t.diagnostic(`the solver has fewer than 20 bodies from ${settled.toFixed(1)} s on`);
    let most = 0;
    while (world.time < 14) {
      world.step();
      if (world.time > 12) most = Math.max(most, world.getCounters().solverBodies);
    }
    assert.ok(most < 20, `${most} after 12 s`);
    world.dispose();
  });
}

test('twelve trucks that brake: most heaps slide as they do without merging', (t) => {
  const scatters = [3e-6, 4e-6, 7e-6, 1e-5, 2e-5, 3e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3];
  const shares = scatters.map((scatter) => brakeHeap(cairn, scatter, (line) => t.diagnostic(line)).near);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const met = shares.filter((share) => share >= 0.95).length;
  t.diagnostic(`${(100 * mean).toFixed(1)} % in the mean; ${met} of ${shares.length} heaps have 95 %`);
  assert.ok(mean >= 0.95 && met >= 9);
});

test('nine blows: towers fall as they do without merging', (t) => {
  const places = [-0.02, -0.01, -0.005, -0.001, 0, 0.001, 0.005, 0.01, 0.02];
  const [plain, merged] = [false, true].map((mergeSplit) =>
    strikeTowers(cairn, mergeSplit, places, (line) => t.diagnostic(line)),
  );
  compareTowers(merged, plain);
  assert.ok(Math.abs(merged.far - plain.far) < 0.4 * plain.far, 'as many went far');
});
