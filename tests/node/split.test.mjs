// The direct and the split solver meet the conditions of their rows, whatever strikes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, readScene } from './helpers.mjs';

/** The most that a row is off, and how often interior points took over, in `steps` steps. */
async function watch(name, solver, steps) {
  const cairn = await getCairn();
  const scene = cairn.loadScene(readScene(name));
  scene.world.setSolver(solver);
  let residual = 0;
  let fallbacks = 0;
  let rows = 0;
  const counters = {};
  const island = {};
  for (let step = 0; step < steps; ++step) {
    scene.step();
    scene.world.getCounters(counters);
    for (let i = 0; i < counters.islands; ++i) {
      scene.world.getIslandStatistics(i, island);
      residual = Math.max(residual, island.residual);
      fallbacks += island.fallbacks;
      rows = Math.max(rows, island.rows);
    }
  }
  scene.dispose();
  return { residual, fallbacks, rows };
}

test('a wall that a steel ball strikes, solved split: every row within 1e-8 in every step', async () => {
  const { residual, fallbacks, rows } = await watch('wall', 'split', 64);
  assert.ok(rows > 1000, `${rows} rows`);
  assert.ok(fallbacks > 0, 'pivoting alone never failed: the strike is not reached');
  assert.ok(residual <= 1.001e-8, `a row is off by ${residual} of its scale`);
});

test('a ragdoll on the ground, solved directly: every row within 1e-8 in every step', async () => {
  const { residual, rows } = await watch('ragdoll', 'direct', 300);
  assert.ok(rows > 100, `${rows} rows`);
  assert.ok(residual <= 1.001e-8, `a row is off by ${residual} of its scale`);
});
