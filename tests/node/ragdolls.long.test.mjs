// A heap of a hundred ragdolls, for a minute.

import { test } from 'node:test';
import { describeRagdolls, judgeRagdolls, makeRagdolls, runRagdolls } from '../shared/ragdolls.mjs';
import { getCairn } from './helpers.mjs';

test('a hundred ragdolls lie on a heap for a minute: joints within 3 mm, at rest', async () => {
  const world = makeRagdolls(await getCairn('st', 1), 'auto');
  const result = runRagdolls(world, 3600);
  console.log(describeRagdolls(result));
  judgeRagdolls(result, { most: 1e-3 });
  world.dispose();
});
