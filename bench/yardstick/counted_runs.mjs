// Runs of the native build under valgrind, which counts instructions: the same on a busy machine and on a
// quiet one. The count of some steps of a scene is that of a longer run less that of a shorter one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toSceneFile } from './scene_file.mjs';
import { scenes } from './scenes.mjs';

const NATIVE = fileURLToPath(new URL('../../build/native-release/cairn_native', import.meta.url));

/** Of each scene the steps that are counted, from and up to. */
export const intervals = {
  S1: [60, 90],
  S2: [30, 40],
  S3: [60, 80],
  S4: [60, 90],
  S5: [60, 90],
  S7: [40, 60],
  S9: [60, 120],
};

/** The scenes that an option names; ends the program where one has no interval. */
export function namesIn(option) {
  const names = option.split(',');
  const unknown = names.find((name) => !intervals[name]);
  if (unknown !== undefined) {
    const all = Object.keys(intervals).join(', ');
    process.stderr.write(`no scene ${unknown} is counted; there are ${all}\n`);
    process.exit(2);
  }
  return names;
}

// Large copies are moved by lanes, not by one repeated instruction that valgrind counts once a byte.
const COPIES_BY_LANES =
  'glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000';

/** Runs a program to its end and gives what it printed. Throws where it fails. */
export function runProgram(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env: { ...process.env, GLIBC_TUNABLES: COPIES_BY_LANES },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return { stdout, stderr };
}

/** Runs valgrind with `options` over a number of steps of a scene's file. */
export function runCounted(options, file, steps, threads = 1) {
  const run = ['--threads', String(threads), '--steps', String(steps), '--record', 'world/kineticEnergy'];
  return runProgram('valgrind', [...options, NATIVE, file, ...run]);
}

/** Instructions of a step of a scene's file, without what loading takes. */
export function countStep(name, file) {
  const countRun = (steps) => {
    const options = ['--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null'];
    const { stderr } = runCounted(options, file, steps);
    const count = /I\s+refs:\s+([\d,]+)/.exec(stderr)?.[1];
    if (!count) throw new Error(`valgrind counted nothing: ${stderr}`);
    return Number(count.replaceAll(',', ''));
  };
  const [from, to] = intervals[name];
  return (countRun(to) - countRun(from)) / (to - from);
}

/** Calls `measure(file, folder)` with a scene's file in a folder that is removed afterwards. */
export function withSceneFile(name, measure) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-instructions-'));
  try {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(toSceneFile(scenes[name](), name)));
    return measure(file, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
