// The share of a step's instructions that eight threads can take from each other, which bounds what threads
// gain: 1 / (1 − share). Counted by valgrind, not timed: npm run bench:pool [-- --scenes S1,S2]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countStep, intervals, namesIn, runCounted, runProgram, withSceneFile } from './counted_runs.mjs';

const THREADS = 8;

/**
 * Instructions of all steps of a run that only the thread that steps can do: callgrind collects in that
 * thread alone, and what it does or waits for within cnThreadPool_Run is subtracted.
 */
function countSerial(file, steps, folder) {
  const out = join(folder, 'callgrind.out');
  const collect = ['--tool=callgrind', `--callgrind-out-file=${out}`, '--toggle-collect=cnScene_Step'];
  runCounted(['--fair-sched=yes', ...collect], file, steps, THREADS);
  const { stdout } = runProgram('callgrind_annotate', ['--inclusive=yes', '--threshold=100', out]);
  const countOf = (name) => {
    const found = new RegExp(`^ *([\\d,]+) .*:${name}( |$)`, 'm').exec(stdout)?.[1];
    if (!found) throw new Error(`callgrind_annotate has no ${name}`);
    return Number(found.replaceAll(',', ''));
  };
  return countOf('cnScene_Step') - countOf('cnThreadPool_Run');
}

const { values } = parseArgs({
  options: { scenes: { type: 'string', default: Object.keys(intervals).join() } },
});
for (const name of namesIn(values.scenes)) {
  const [from, to] = intervals[name];
  const share = withSceneFile(name, (file, folder) => {
    const serial = (countSerial(file, to, folder) - countSerial(file, from, folder)) / (to - from);
    return 1 - serial / countStep(name, file);
  });
  process.stdout.write(`${name.padEnd(4)} ${(100 * share).toFixed(1)} % in the pool\n`);
}
