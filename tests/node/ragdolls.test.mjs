// A heap of a hundred ragdolls, whose arms overlap at the start: nothing flies, joints stay closed,
// all comes to rest.

import { test } from 'node:test';
import { describeRagdolls, judgeRagdolls, makeRagdolls, runRagdolls } from '../shared/ragdolls.mjs';
import { getCairn } from './helpers.mjs';

test('a hundred ragdolls fall on a heap: joints within 12 cm, within 3 mm and at rest after 6 s', async () => {
  const world = makeRagdolls(await getCairn('st', 1), 'auto');
  const result = runRagdolls(world, 360);
  console.log(describeRagdolls(result));
  // balls among them roll: other engines keep 1.3e-3 to 1.4e-3 J/kg
  judgeRagdolls(result, { most: 2e-3 });
  world.dispose();
});
