// A million mutated scene files: each loads or is refused with a clear error, and nothing is left behind. `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

test('a million mutated scene files', () => {
  const program = join(root, 'build/native-release/scene_fuzz');
  const { status, stdout, stderr } = spawnSync(program, ['--cases', '1000000'], {
    cwd: root,
    encoding: 'utf8',
  });
  console.log(stdout);
  assert.equal(status, 0, stderr);
});
