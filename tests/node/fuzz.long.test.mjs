// Mutated files by the million, snapshots by the hundred thousand: every one loads or is refused with a clear
// error, and nothing is left behind. `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

for (const [what, name, cases] of [
  ['scene files', 'scene_fuzz', 1000000],
  ['mesh files and height images', 'mesh_fuzz', 1000000],
  ['library items', 'library_fuzz', 1000000],
  ['meshes under the mesh tools', 'mesh_tools_fuzz', 200000],
  ['snapshots', 'snapshot_fuzz', 100000],
]) {
  test(`${cases} mutated ${what}`, () => {
    const program = join(root, 'build/native-release', name);
    const { status, stdout, stderr } = spawnSync(program, ['--cases', String(cases)], {
      cwd: root,
      encoding: 'utf8',
    });
    console.log(stdout);
    assert.equal(status, 0, stderr);
  });
}
