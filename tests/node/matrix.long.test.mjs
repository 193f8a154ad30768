// A million placements of pairs of shapes against the independent reference (tests/matrix), with sanitizers:
// no law is broken. `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

const PROCESSES = 2;
const CASES = 1_000_000;

/** @param {number} part */
function runPart(part) {
  const cases = CASES / PROCESSES;
  const args = ['--verbose', '--cases', String(cases), '--from', String(part * cases)];
  const child = spawn(join(root, 'build/native-asan/collider_matrix'), args, { cwd: root });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: 1, output: error.message }));
    child.on('close', (status) => resolve({ status, output }));
  });
}

test('a million pairs of shapes', async () => {
  const parts = await Promise.all(Array.from({ length: PROCESSES }, (_, part) => runPart(part)));
  for (const { status, output } of parts) {
    console.log(output);
    assert.equal(status, 0, output);
  }
});
