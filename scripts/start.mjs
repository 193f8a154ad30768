// npm start: builds, simulates a scene headless and prints the result, then serves the demo and its
// documentation.
//
//   npm start [-- --no-serve] [-- --port n] [-- --threads n]
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPresets, WASM_PRESETS } from './build.mjs';
import { DOCS_FOLDER, buildDocs } from './docs.mjs';
import { ROOT, ScriptError, main, say } from './process.mjs';
import { setUp } from './setup.mjs';

const SCENE = 'demo/scenes/pit.json';
const SECONDS = 15; // the pit has come to rest by then
const CHANNELS = ['bodies', 'contacts', 'kineticEnergy', 'maxPenetration', 'hash'].map(
  (name) => `world/${name}`,
);

// The command line itself is run, as a user would: its progress bar goes to the terminal, its result
// comes back here.
function simulate(threads) {
  const args = [
    'web/cli.js',
    'run',
    SCENE,
    '--time',
    String(SECONDS),
    '--record',
    [...CHANNELS, 'time/step'].join(),
  ];
  if (threads) args.push('--threads', threads);
  say(`\n$ cairn ${args.slice(1, 5).join(' ')}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    child.on('close', (status) => {
      if (status === 0) resolve(JSON.parse(text));
      else reject(new ScriptError(`the simulation of ${SCENE} ended with status ${status}`));
    });
  });
}

function printResult(result) {
  const last = (channel) => result.channels[channel].at(-1);
  const stepTimes = result.channels['time/step'].slice(1); // the first sample is the state before any step
  const wall = stepTimes.reduce((sum, time) => sum + time, 0);
  const rows = [
    ['scene', `${result.scene}, ${result.steps} steps of ${(result.timeStep * 1000).toFixed(2)} ms`],
    ['threads', result.threads],
    ['bodies', last('world/bodies')],
    ['contacts', last('world/contacts')],
    ['wall time', `${(wall / 1000).toFixed(2)} s, ${(wall / result.steps).toFixed(3)} ms per step`],
    ['kinetic energy', `${last('world/kineticEnergy').toPrecision(4)} J`],
    ['max penetration', `${(last('world/maxPenetration') * 1000).toPrecision(4)} mm`],
    ['state hash', last('world/hash')],
  ];
  for (const [name, value] of rows) say(`  ${name.padEnd(16)} ${value}`);
}

await main(async () => {
  const { values } = parseArgs({
    options: { 'no-serve': { type: 'boolean' }, port: { type: 'string' }, threads: { type: 'string' } },
  });
  const tools = setUp('run');
  const failed = await buildPresets(WASM_PRESETS, tools);
  if (failed.length > 0) throw new ScriptError(`build failed: ${failed.join(', ')}`);

  printResult(await simulate(values.threads));
  if (values['no-serve']) return;

  const { serve } = await import(path.join(ROOT, 'demo', 'server.mjs'));
  // a link that leads nowhere keeps nobody from the demo
  await buildDocs().catch((error) => {
    if (!(error instanceof ScriptError)) throw error;
    say(error.message);
  });
  const { url } = await serve({
    root: ROOT,
    port: values.port ? Number(values.port) : undefined,
    isolate: true,
    mounts: { '/docs/': DOCS_FOLDER },
  });
  say(`\nThe demo is at ${new URL('demo/', url)}, the manual at ${new URL('docs/', url)} (Ctrl+C ends it)`);
});
