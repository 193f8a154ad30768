// npm run bench: steps the demo's scenes through the command line and prints how long a step takes, then runs
// the native programs of bench/, each under the first sentences of its file.
//
//   npm run bench [-- SCENE.json …] [-- --time s] [-- --threads 1,2]
//
// With scenes named it steps those alone. Cairn beside other engines: npm run bench:peers.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPreset, buildPresets, WASM_PRESETS } from './build.mjs';
import { ROOT, ScriptError, capture, main, run, say, which } from './process.mjs';
import { setUp } from './setup.mjs';

function quantile(sorted, fraction) {
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))];
}

function measure(scene, seconds, threads) {
  const record = 'time/step,world/bodies,world/contacts,world/maxPenetration,world/hash';
  const args = ['web/cli.js', 'run', scene, '--time', seconds, '--threads', threads, '--record', record];
  const { status, stdout, stderr } = capture(process.execPath, args);
  if (status !== 0) throw new ScriptError(`${scene} with ${threads} threads failed: ${stderr.trim()}`);
  const { channels } = JSON.parse(stdout);
  // the first sample is the state before any step
  const times = channels['time/step'].slice(1).sort((a, b) => a - b);
  return {
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    bodies: channels['world/bodies'].at(-1),
    contacts: Math.max(...channels['world/contacts']),
    penetration: Math.max(...channels['world/maxPenetration']),
    hash: channels['world/hash'].at(-1),
  };
}

async function benchScenes(scenes, seconds, threadCounts) {
  const columns = [
    'scene',
    'threads',
    'bodies',
    'contacts',
    'mean ms',
    'median',
    'p95',
    'max depth mm',
    'hash',
  ];
  const widths = [24, 8, 7, 9, 9, 9, 9, 13, 17];
  const line = (cells) =>
    say(cells.map((cell, i) => String(cell)[i === 0 ? 'padEnd' : 'padStart'](widths[i])).join(' '));
  line(columns);
  for (const scene of scenes) {
    for (const threads of threadCounts) {
      const result = measure(scene, seconds, threads);
      const times = [result.mean, result.median, result.p95].map((time) => time.toFixed(3));
      const depth = (result.penetration * 1000).toFixed(3);
      line([
        path.basename(scene, '.json'),
        threads,
        result.bodies,
        result.contacts,
        ...times,
        depth,
        result.hash,
      ]);
    }
  }
}

/** What a program's file says of it: its comment up to the first empty line. */
function describeProgram(name) {
  const lines = fs.readFileSync(path.join(ROOT, 'bench', `${name}.c`), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('// '));
  return lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join(' ');
}

async function benchNative(tools) {
  if (!which(process.env.CC, 'cc', 'gcc', 'clang')) {
    say('\nno C compiler: the native programs of bench/ are left out');
    return;
  }
  const names = fs
    .readdirSync(path.join(ROOT, 'bench'))
    .filter((name) => name.endsWith('.c'))
    .map((name) => path.basename(name, '.c'));
  if (!(await buildPreset('native-release', tools, names))) {
    throw new ScriptError('build failed: native-release');
  }
  for (const name of names) {
    say(`\n${name}: ${describeProgram(name)}`);
    const { status } = await run(path.join(ROOT, 'build', 'native-release', name), []);
    if (status !== 0) throw new ScriptError(`${name} ended with status ${status}`);
  }
}

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { time: { type: 'string', default: '10' }, threads: { type: 'string' } },
  });
  const folder = path.join('demo', 'scenes');
  const scenes =
    positionals.length > 0
      ? positionals
      : fs
          .readdirSync(path.join(ROOT, folder))
          .filter((name) => name.endsWith('.json') && name !== 'index.json')
          .map((name) => path.join(folder, name));
  const threadCounts = values.threads?.split(',') ?? [...new Set(['1', String(os.availableParallelism())])];
  const tools = setUp('run');
  const failed = await buildPresets(WASM_PRESETS, tools);
  if (failed.length > 0) throw new ScriptError(`build failed: ${failed.join(', ')}`);
  await benchScenes(scenes, values.time, threadCounts);
  if (positionals.length === 0) await benchNative(tools);
});
