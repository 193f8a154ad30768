// Jointed bodies at length: a world in which they are made and destroyed for 100,000 steps, and two in free
// flight at all speeds. `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

/** The program's exit status is 0 and it has judged something. */
function run(name, args) {
  const program = join(root, 'build/native-release', name);
  const { status, stdout, stderr } = spawnSync(program, args.map(String), { cwd: root, encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  console.log(lines.slice(-2).join('\n'));
  assert.equal(status, 0, stdout.slice(-8000) + stderr);
  assert.match(lines[lines.length - 1], /^[1-9]\d* passed, 0 failed/);
  return lines;
}

test('100,000 steps of jointed bodies that are made, fall and are destroyed', () => {
  run('joint_soak', ['--steps', 100_000]);
});

test('the same with two threads, which change nothing', () => {
  const hashes = [1, 2].map((threads) => {
    const lines = run('joint_soak', ['--steps', 10_000, '--seed', 2, '--threads', threads]);
    return /hash ([0-9a-f]{16})/.exec(lines[lines.length - 2])?.[1];
  });
  assert.ok(hashes[0]);
  assert.equal(hashes[0], hashes[1]);
});

test('free linkages of all types and speeds, 200 steps', () => {
  run('free_linkages', ['--steps', 200]);
});

for (const speed of [1, 10, 50])
  test(`free linkages of all types, 10,000 steps at ${speed} rad/s`, () => {
    run('free_linkages', ['--steps', 10_000, '--speed', speed]);
  });

for (const speed of [400, 1000, 3000, 10_000])
  test(`some free linkages, 10,000 steps at ${speed} rad/s`, () => {
    run('free_linkages', ['--steps', 10_000, '--quick', '--ratio', 1, '--speed', speed]);
  });
