// A million placements of pairs of shapes against the independent reference (tests/matrix), and a million
// that lie flush, with sanitizers: no law is broken. `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

const PROCESSES = 2;
const CASES = 1_000_000;

/** @param {string} program @param {string[]} args */
function run(program, args) {
  const child = spawn(join(root, 'build/native-asan', program), args, { cwd: root });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: 1, output: error.message }));
    child.on('close', (status) => resolve({ status, output }));
  });
}

test('a million pairs of shapes', async () => {
  const cases = CASES / PROCESSES;
  const parts = await Promise.all(
    Array.from({ length: PROCESSES }, (_, part) =>
      run('collider_matrix', ['--verbose', '--cases', String(cases), '--from', String(part * cases)]),
    ),
  );
  for (const { status, output } of parts) {
    console.log(output);
    assert.equal(status, 0, output);
  }
});

test('a million pairs that lie flush', async () => {
  const { status, output } = await run('resting_pairs', ['--cases', String(CASES)]);
  console.log(output);
  assert.equal(status, 0, output);
});
