// A heap of a hundred ragdolls, for a minute.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRagdolls, runRagdolls } from '../shared/ragdolls.mjs';
import { getCairn } from './helpers.mjs';

test('a hundred ragdolls lie on a heap for a minute: joints within 2 mm, at rest', async () => {
  const world = makeRagdolls(await getCairn('st', 1), 'auto');
  const { widest, gap, rest, lowest, guarded, islands } = runRagdolls(world, 3600);
  console.log(
    `widest gap ${(1e3 * widest).toFixed(2)} mm, at the end ${(1e3 * gap).toFixed(3)} mm, ${rest.toExponential(2)} J/kg, ` +
      `lowest centre ${lowest.toFixed(3)} m, guard in ${guarded} of ${islands} island steps`,
  );
  assert.ok(widest < 0.06, `${widest} m`);
  assert.ok(gap < 0.002, `${gap} m at the end`);
  assert.ok(rest < 1e-3, `${rest} J/kg`);
  assert.ok(lowest > 0, `${lowest} m`);
  world.dispose();
});
