// The hunt at length: 2,000 random scenes with each solver, 400 of them with sleep and adaptive merging, too.
// `npm run test:long` runs it; `npm run hunt` does the same by hand.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { HARD_LAWS, SOLVERS, describe, hunt, isBroken, makeTable } from '../hunt/campaign.mjs';
import { root } from './helpers.mjs';

const SEEDS = 2000;
const MERGED_SEEDS = 400;

test('2,000 random scenes break no law', async () => {
  const verdicts = await hunt(join(root, 'build/native-release/hunt_judge'), { from: 1, to: SEEDS });
  console.log(makeTable(verdicts).join('\n'));
  assert.equal(verdicts.length, SEEDS * SOLVERS.length);
  const broken = verdicts.filter((verdict) => isBroken(verdict));
  assert.equal(broken.map((verdict) => describe(verdict, HARD_LAWS)).join('\n'), '');
  for (const law of ['regain', 'restless']) {
    const count = verdicts.filter((verdict) => isBroken(verdict, [law])).length;
    assert.ok(count <= Math.ceil(0.01 * verdicts.length), `${law}: ${count} of ${verdicts.length}`);
  }
});

test('400 random scenes break no law where bodies merge by themselves, and sleep', async () => {
  const options = { from: 1, to: MERGED_SEEDS, adapts: true, sleeps: true, isTimed: false };
  const verdicts = await hunt(join(root, 'build/native-release/hunt_judge'), options);
  console.log(makeTable(verdicts).join('\n'));
  const broken = verdicts.filter((verdict) => isBroken(verdict));
  assert.equal(broken.map((verdict) => describe(verdict, HARD_LAWS)).join('\n'), '');
});
