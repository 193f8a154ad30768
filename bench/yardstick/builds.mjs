// Cairn's own builds over scenes of the yardstick, from one scene file each: native, WebAssembly, and
// WebAssembly with threads. Prints their times with ratios to the native one, and checks that all end in the
// same state, the one that hashes.json has.
//
//   node builds.mjs [--scenes S1,S2] [--steps n] [--reps n] [--update]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { toSceneFile } from './scene_file.mjs';
import { scenes } from './scenes.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HASHES = fileURLToPath(new URL('hashes.json', import.meta.url));
const NATIVE = join(ROOT, 'build', 'native-release', 'cairn_native');
const builds = {
  native: null,
  st: { flavour: 'st', threads: 1 },
  mt1: { flavour: 'mt', threads: 1 },
  mt2: { flavour: 'mt', threads: 2 },
};

const statistics = (times) => {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    median: sorted[sorted.length >> 1],
    p95: sorted[Math.floor(0.95 * sorted.length)],
    mean: times.reduce((sum, t) => sum + t, 0) / times.length,
  };
};

function runNative(file, steps) {
  const every = String(1 / 60);
  const args = [file, '--steps', String(steps), '--every', every, '--record', 'time/step,world/hash'];
  const { status, stdout, stderr } = spawnSync(NATIVE, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${NATIVE}: ${stderr}`);
  const { channels } = JSON.parse(stdout.trim().split('\n').at(-1));
  return { ...statistics(channels['time/step'].slice(1)), hash: channels['world/hash'].at(-1) };
}

/** In a process of its own, as users run it: this file with the job as its argument. */
function runModule(file, steps, options) {
  const job = JSON.stringify({ file, steps, options });
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), job], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

async function runJob({ file, steps, options }) {
  const { load } = await import(pathToFileURL(join(ROOT, 'web', 'index.node.js')));
  const cairn = await load(options);
  const { world } = cairn.loadScene(readFileSync(file, 'utf8'));
  const times = [];
  for (let step = 0; step < steps; ++step) {
    const started = performance.now();
    world.step();
    times.push(performance.now() - started);
  }
  const hash = world.hash();
  process.stdout.write(`${JSON.stringify({ ...statistics(times), hash })}\n`, () => process.exit(0));
}

function compare(names, stepsGiven, reps, update) {
  const known = JSON.parse(readFileSync(HASHES, 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'cairn-yardstick-'));
  let failed = 0;
  process.stdout.write(
    `| scene | steps | ${Object.keys(builds)
      .map((b) => `${b} ms | ratio | p95 |`)
      .join(' ')} state |\n`,
  );
  for (const name of names) {
    const scene = scenes[name](),
      file = join(folder, `${name}.json`),
      steps = stepsGiven ?? Math.min(scene.steps, 120);
    writeFileSync(file, JSON.stringify(toSceneFile(scene, name)));
    const best = {};
    for (let rep = 0; rep < reps; ++rep)
      for (const [build, options] of Object.entries(builds)) {
        const run = options ? runModule(file, steps, options) : runNative(file, steps);
        if (!best[build] || run.median < best[build].median) best[build] = run;
      }
    const hashes = new Set(Object.values(best).map((run) => run.hash)),
      key = `${name}:${steps}`;
    if (update && hashes.size === 1) known[key] = best.native.hash;
    const state =
      hashes.size > 1
        ? `${[...hashes].join(' ≠ ')}`
        : known[key] === best.native.hash
          ? 'as known'
          : known[key]
            ? 'another'
            : 'not known';
    failed += hashes.size > 1 || (known[key] !== undefined && known[key] !== best.native.hash);
    const cells = Object.values(best).map(({ median, p95 }) => {
      const ratio = (median / best.native.median).toFixed(2);
      return `${median.toFixed(2)} | ${ratio} | ${p95.toFixed(2)} |`;
    });
    process.stdout.write(`| ${name} | ${steps} | ${cells.join(' ')} ${state} |\n`);
  }
  rmSync(folder, { recursive: true });
  if (update) writeFileSync(HASHES, `${JSON.stringify(known, null, 2)}\n`);
  process.exit(failed > 0 ? 1 : 0);
}

if (process.argv[2]?.startsWith('{')) {
  await runJob(JSON.parse(process.argv[2]));
} else {
  const { values } = parseArgs({
    options: {
      scenes: { type: 'string', default: 'S1,S2,S3,S4,S5,S5h,S6,S7,S9b,ragdollsOnMesh,chainHeap,bouncing' },
      steps: { type: 'string' },
      reps: { type: 'string', default: '1' },
      update: { type: 'boolean', default: false },
    },
  });
  const names = values.scenes.split(',');
  for (const name of names)
    if (!scenes[name]) {
      process.stderr.write(`no scene ${name}; there are ${Object.keys(scenes).join(', ')}\n`);
      process.exit(2);
    }
  compare(names, values.steps && Number(values.steps), Number(values.reps), values.update);
}
