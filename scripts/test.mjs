// npm test: builds everything, runs every test, prints each runner's totals and their sum.
//
//   npm test [-- GROUP …]     run some groups alone: release asan tsan node validation browser
//                             clients
//   npm run test:long         also the tests named *.long.test.mjs
import fs from 'node:fs';
import path from 'node:path';
import { buildPresets, buildTypes, NATIVE_PRESETS, WASM_PRESETS } from './build.mjs';
import { ROOT, ScriptError, main, run, say } from './process.mjs';
import { setUp } from './setup.mjs';

const NATIVE_GROUPS = ['release', 'asan', 'tsan'];
const NODE_GROUPS = ['node', 'validation', 'browser', 'clients'];

/** The number that stands in `text` where `pattern` has its group, or 0. */
function count(text, pattern) {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

async function runCtest(group, tools) {
  const preset = `native-${group}`;
  // a data race or a leak ends a program with a status of its own, so that ctest sees a failure
  const env = {
    ...tools.env,
    ASAN_OPTIONS: 'detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1',
    UBSAN_OPTIONS: 'print_stacktrace=1',
    TSAN_OPTIONS: 'halt_on_error=1:second_deadlock_stack=1',
  };
  const args = ['--preset', preset, '--parallel', String(tools.jobs), '--no-tests=error'];
  const { status, output } = await run('ctest', args, { env });
  const failed = count(output, /(\d+) tests? failed out of \d+/);
  const all = count(output, /tests? failed out of (\d+)/);
  return { passed: all - failed, failed, skipped: 0, status };
}

function testFiles(group, { long }) {
  const folder = path.join(ROOT, 'tests', group);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.test.mjs') && (long || !name.endsWith('.long.test.mjs')))
    .sort()
    .map((name) => path.join('tests', group, name));
}

// Files that share the processor; Chromium draws in software and takes all of it for one.
const SHARING_GROUPS = ['node', 'validation'];

async function runNodeTests(group, tools, options) {
  const files = testFiles(group, options);
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, status: 0 };
  const atOnce = SHARING_GROUPS.includes(group) ? tools.jobs : 1;
  const args = ['--test', `--test-concurrency=${atOnce}`, '--test-reporter=spec', ...files];
  const { status, output } = await run(process.execPath, args, { env: tools.env });
  const total = (name) => count(output, new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, 'm'));
  return {
    passed: total('pass'),
    failed: total('fail') + total('cancelled'),
    skipped: total('skipped') + total('todo'),
    status,
  };
}

await main(async () => {
  const words = process.argv.slice(2);
  const long = words.includes('--long');
  const named = words.filter((word) => word !== '--long');
  const unknown = named.find((name) => ![...NATIVE_GROUPS, ...NODE_GROUPS].includes(name));
  if (unknown)
    throw new ScriptError(
      `no test group is named ${unknown}: ${[...NATIVE_GROUPS, ...NODE_GROUPS].join(' ')}`,
    );
  const isWanted = (group) => named.length === 0 || named.includes(group);

  const tools = setUp('run', 'test', ...(long ? ['long'] : []));
  // tests in Node and in the browser may run the native programs too
  const needsModule = NODE_GROUPS.some(isWanted);
  const presets = NATIVE_PRESETS.filter((preset) => isWanted(preset.slice('native-'.length)));
  if (needsModule) presets.push(...WASM_PRESETS);
  if (needsModule && !presets.includes('native-release')) presets.unshift('native-release');
  const broken = await buildPresets(presets, tools);
  if (needsModule && !(await buildTypes())) broken.push('types');

  // a build that failed counts as one failed test, and what needs it does not run
  const results = broken.map((name) => ({ name: `build ${name}`, passed: 0, failed: 1, skipped: 0 }));
  const isBroken = (name) => broken.includes(name);
  for (const group of NATIVE_GROUPS.filter(isWanted)) {
    if (isBroken(`native-${group}`)) continue;
    say(`\n== unit tests, ${group}`);
    results.push({ name: `unit tests, ${group}`, ...(await runCtest(group, tools)) });
  }
  for (const group of NODE_GROUPS.filter(isWanted)) {
    if (isBroken('native-release') || WASM_PRESETS.some(isBroken)) continue;
    say(`\n== tests/${group}`);
    results.push({ name: `tests/${group}`, ...(await runNodeTests(group, tools, { long })) });
  }

  say('');
  const sum = { passed: 0, failed: 0, skipped: 0 };
  let isGood = true;
  for (const result of results) {
    const ranNothing = result.passed + result.failed === 0;
    const endedBadly = result.status !== undefined && result.status !== 0;
    if (result.failed > 0 || ranNothing || endedBadly) isGood = false;
    // a runner that failed without a failed test (it crashed, it found nothing) is a failure of its own
    if (result.failed === 0 && (ranNothing || endedBadly)) result.failed = 1;
    for (const key of Object.keys(sum)) sum[key] += result[key];
    const note = ranNothing ? ' (ran nothing)' : '';
    say(`${result.name.padEnd(24)} ${totals(result)}${note}`);
  }
  say(totals(sum));
  return isGood ? 0 : 1;
});

function totals({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
}
