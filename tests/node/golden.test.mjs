// Golden hashes: the state of each scene after 600 steps, as it was when its laws were last checked.
//
// A change that means to alter results runs `node tests/node/golden.test.mjs --update` and says so in its
// commit; any other change that fails here altered results without meaning to.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashScene, hashScenes, hashSteps } from '../shared/hash_scenes.mjs';
import { getCairn, readScene, root } from './helpers.mjs';

const file = join(root, 'tests/shared/golden_hashes.json');

async function hashOf(name) {
  const cairn = await getCairn('st', 1);
  return hashScene(cairn, readScene(name), { every: hashSteps }).at(-1)[1];
}

if (process.argv.includes('--update')) {
  const hashes = {};
  for (const name of hashScenes) hashes[name] = await hashOf(name);
  writeFileSync(file, `${JSON.stringify(hashes, null, 2)}\n`);
} else {
  const golden = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of hashScenes) {
    test(`${name} ends where it ended before`, async () => {
      assert.equal(await hashOf(name), golden[name], 'the state after 600 steps has changed');
    });
  }
}
