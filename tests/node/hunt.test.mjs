// The hunt: random scenes with joints and contacts, and scenes that exploded once, break no physical law with any solver.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXPLOSIONS } from '../hunt/explosions.mjs';
import { HARD_LAWS, SOLVERS, describe, hunt, isBroken, judgeAll } from '../hunt/campaign.mjs';
import { FAMILIES, makeHuntScene } from '../hunt/scenes.mjs';
import { root } from './helpers.mjs';

const program = join(root, 'build/native-release/hunt_judge');

function list(verdicts, laws) {
  return verdicts
    .filter((verdict) => isBroken(verdict, laws))
    .map((verdict) => describe(verdict, laws))
    .join('\n');
}

test('a seed gives the same scene each time, and every family has one', () => {
  const families = new Set();
  for (let seed = 1; seed <= FAMILIES.length; ++seed) {
    const first = makeHuntScene(seed);
    assert.deepEqual(makeHuntScene(seed), first);
    families.add(first.family);
  }
  assert.deepEqual([...families].sort(), [...FAMILIES].sort());
});

test('random scenes 1 to 20 break no law', async () => {
  const verdicts = await hunt(program, { from: 1, to: 20 });
  assert.equal(verdicts.length, 20 * SOLVERS.length);
  assert.equal(list(verdicts, HARD_LAWS), '');
  for (const law of ['regain', 'restless']) {
    const count = verdicts.filter((verdict) => isBroken(verdict, [law])).length;
    assert.ok(count <= Math.ceil(0.01 * verdicts.length), list(verdicts, [law]));
  }
});

test('scenes that exploded once break no law', async () => {
  const verdicts = await judgeAll(program, EXPLOSIONS, {});
  assert.equal(list(verdicts, [...HARD_LAWS, 'regain', 'restless', 'open', 'speed']), '');
});
