// A heap of a hundred ragdolls, whose arms overlap at the start: nothing flies, joints stay closed, all comes to rest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRagdolls, runRagdolls } from '../shared/ragdolls.mjs';
import { getCairn } from './helpers.mjs';

test('a hundred ragdolls fall on a heap: joints within 6 cm, within 2 mm and at rest after 6 s', async () => {
  const world = makeRagdolls(await getCairn('st', 1), 'auto');
  const { widest, gap, rest, lowest, guarded, islands } = runRagdolls(world, 360);
  console.log(
    `widest gap ${(1e3 * widest).toFixed(2)} mm, at the end ${(1e3 * gap).toFixed(3)} mm, ${rest.toExponential(2)} J/kg, ` +
      `lowest centre ${lowest.toFixed(3)} m, guard in ${guarded} of ${islands} island steps`,
  );
  assert.ok(widest < 0.06, `${widest} m`);
  assert.ok(gap < 0.002, `${gap} m at the end`);
  // balls among them roll: other engines keep 1.3e-3 to 1.4e-3 J/kg
  assert.ok(rest < 2e-3, `${rest} J/kg`);
  assert.ok(lowest > 0, `${lowest} m`);
  world.dispose();
});
