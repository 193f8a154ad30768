// The hunt under sanitizers: random scenes with all solvers, and not one report of a bad access, of
// undefined behaviour, of a leak or of a data race. `npm run test:long` runs it; it wants hunt_judge of
// native-asan and native-tsan.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOLVERS, hunt } from '../hunt/campaign.mjs';
import { root } from './helpers.mjs';

const SEEDS = 100;
const TIME_LIMIT = 1800; // s of one run, which takes up to fifty times as long as without sanitizers

const env = {
  ...process.env,
  ASAN_OPTIONS: 'detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
  TSAN_OPTIONS: 'halt_on_error=1:second_deadlock_stack=1',
};

for (const { preset, threads } of [
  { preset: 'native-asan', threads: 1 },
  { preset: 'native-tsan', threads: 2 },
]) {
  test(`${SEEDS} random scenes, ${preset}`, async () => {
    const program = join(root, 'build', preset, 'hunt_judge');
    const options = { threads, timeLimit: TIME_LIMIT, isTimed: false, env };
    const verdicts = await hunt(program, { from: 1, to: SEEDS, ...options });
    assert.equal(verdicts.length, SEEDS * SOLVERS.length);
    const reports = verdicts
      .filter(({ result, errors }) => !result || errors !== '')
      .map(({ name, solver, broken, errors }) => `${name} ${solver}: ${errors || broken[0].who}`);
    assert.equal(reports.join('\n'), '');
  });
}
