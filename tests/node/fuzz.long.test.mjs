// A million mutated files each: every one loads or is refused with a clear error, and nothing is left behind.
// `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

for (const [what, name] of [
  ['scene files', 'scene_fuzz'],
  ['mesh files and height images', 'mesh_fuzz'],
]) {
  test(`a million mutated ${what}`, () => {
    const program = join(root, 'build/native-release', name);
    const { status, stdout, stderr } = spawnSync(program, ['--cases', '1000000'], {
      cwd: root,
      encoding: 'utf8',
    });
    console.log(stdout);
    assert.equal(status, 0, stderr);
  });
}
