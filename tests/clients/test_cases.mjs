// Cases as tests of Node's runner, one for each page that was visited.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, runCases } from './run.mjs';

/** @param {import('./cases.mjs').Case[]} wanted */
export function testCases(wanted) {
  test('the packed package in clients', async (context) => {
    const report = (/** @type {import('./run.mjs').Outcome} */ outcome) => context.diagnostic(line(outcome));
    for (const outcome of await runCases(wanted, { report })) {
      await context.test(outcome.name, () => assert.ok(outcome.works, outcome.how));
    }
  });
}
