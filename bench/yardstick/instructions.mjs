// The guard of speed: instructions that a step of the native build takes, in scenes of the yardstick, beside
// those that instructions.json has. Counts are the same on a busy machine and on a quiet one, so that a
// change that costs 5 % cannot come in unseen; what a count does not see, misses of the caches,
// npm run bench:builds measures.
//
//   node instructions.mjs [--scenes S1,S2] [--update]
//   node instructions.mjs --pool [--scenes S1,S2]
//
// --pool counts the share of a step's instructions that eight threads can take from each other, which bounds
// what they gain: 1 / (1 − share).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toSceneFile } from './scene_file.mjs';
import { scenes } from './scenes.mjs';

const NATIVE = fileURLToPath(new URL('../../build/native-release/cairn_native', import.meta.url));
const KNOWN = fileURLToPath(new URL('instructions.json', import.meta.url));
const TOLERANCE = 0.05;

/** Of each scene the steps that are counted, from and up to. */
const intervals = { S1: [60, 90], S2: [30, 40], S3: [60, 80], S4: [60, 90], S5: [60, 90], S7: [40, 60] };

/** Instructions of a whole run. */
function countRun(file, steps) {
  const { status, stderr, error } = spawnSync(
    'valgrind',
    [
      '--tool=cachegrind',
      '--cache-sim=no',
      '--cachegrind-out-file=/dev/null',
      NATIVE,
      file,
      '--steps',
      String(steps),
      '--record',
      'world/kineticEnergy',
    ],
    { encoding: 'utf8' },
  );
  const count = /I\s+refs:\s+([\d,]+)/.exec(stderr ?? '')?.[1];
  if (status !== 0 || !count) throw new Error(`valgrind ${NATIVE}: ${error?.message ?? stderr}`);
  return Number(count.replaceAll(',', ''));
}

function writeScene(name, folder) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(toSceneFile(scenes[name](), name)));
  return file;
}

/** Instructions of a step, without what loading takes. */
function countStep(name, folder) {
  const file = writeScene(name, folder);
  const [from, to] = intervals[name];
  return (countRun(file, to) - countRun(file, from)) / (to - from);
}

/** Instructions of all steps of a run on eight threads that no other thread can take over. */
function countSerial(file, steps, folder) {
  const out = join(folder, 'callgrind.out');
  const run = (command, args) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
    return stdout;
  };
  // collects in the thread that steps alone; what it does or waits for within cnThreadPool_Run is subtracted
  const collect = ['--tool=callgrind', `--callgrind-out-file=${out}`, '--toggle-collect=cnScene_Step'];
  const options = ['--threads', '8', '--steps', String(steps), '--record', 'world/kineticEnergy'];
  run('valgrind', ['--fair-sched=yes', ...collect, NATIVE, file, ...options]);
  const text = run('callgrind_annotate', ['--inclusive=yes', '--threshold=100', out]);
  const countOf = (name) => {
    const found = new RegExp(`^ *([\\d,]+) .*:${name}( |$)`, 'm').exec(text)?.[1];
    if (!found) throw new Error(`callgrind_annotate has no ${name}`);
    return Number(found.replaceAll(',', ''));
  };
  return countOf('cnScene_Step') - countOf('cnThreadPool_Run');
}

/** What part of a step the pool can take, in the steps that are counted. */
function measurePool(name, folder) {
  const file = writeScene(name, folder);
  const [before, after] = intervals[name].map((steps) => countSerial(file, steps, folder));
  return 1 - (after - before) / (countRun(file, intervals[name][1]) - countRun(file, intervals[name][0]));
}

const { values } = parseArgs({
  options: {
    scenes: { type: 'string', default: Object.keys(intervals).join() },
    update: { type: 'boolean', default: false },
    pool: { type: 'boolean', default: false },
  },
});
const names = values.scenes.split(',');
for (const name of names)
  if (!intervals[name]) {
    process.stderr.write(`no scene ${name} is counted; there are ${Object.keys(intervals).join(', ')}\n`);
    process.exit(2);
  }
const known = JSON.parse(readFileSync(KNOWN, 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'cairn-instructions-'));
let failed = 0;
for (const name of names) {
  if (values.pool) {
    process.stdout.write(`${name.padEnd(4)} ${(100 * measurePool(name, folder)).toFixed(1)} % in the pool\n`);
    continue;
  }
  const count = countStep(name, folder);
  const ratio = known[name] ? count / known[name] : NaN;
  const isNear = Math.abs(ratio - 1) <= TOLERANCE;
  failed += !isNear;
  const verdict = isNear ? 'as known' : ratio < 1 ? 'fewer: --update' : 'more than are known';
  const beside = known[name]
    ? `${ratio.toFixed(3)} of ${(known[name] / 1e6).toFixed(2)}: ${verdict}`
    : 'not known';
  process.stdout.write(
    `${name.padEnd(4)} ${(count / 1e6).toFixed(2).padStart(8)} million a step, ${beside}\n`,
  );
  if (values.update) known[name] = Math.round(count);
}
rmSync(folder, { recursive: true });
if (values.update && !values.pool) writeFileSync(KNOWN, `${JSON.stringify(known, null, 2)}\n`);
process.exit(failed > 0 && !values.update ? 1 : 0);
