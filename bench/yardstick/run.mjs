// node run.mjs --engines a,b --scenes S1,S2 [--host node|chromium] [--reps n] [--threads n] [--iterations n]
// [--steps n] [--sleep] [--cap s] [--json FILE] [--csv FILE]
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { engines as known } from './adapters.mjs';
import { toCsv } from './csv.mjs';
import { names } from './scenes.mjs';
import { names as specials } from './special.mjs';
import { table } from './table.mjs';

const { values: o } = parseArgs({
  options: {
    engines: { type: 'string', default: 'cairn,rapier,jolt-mt1,havok,physx' },
    scenes: { type: 'string', default: 'S1,S2,S3,S4,S5,S5h,S6,S7,S8,S8v,S9,S9b' },
    reps: { type: 'string', default: '1' },
    host: { type: 'string', default: 'node' },
    steps: { type: 'string' },
    threads: { type: 'string' },
    iterations: { type: 'string' },
    sleep: { type: 'boolean', default: false },
    cap: { type: 'string', default: '90' },
    json: { type: 'string' },
    csv: { type: 'string' },
  },
});
const scenes = o.scenes.split(','),
  engines = o.engines.split(',').flatMap((e) => {
    // --threads n adds the threaded variant where there is one
    const threaded = `${e.replace(/-mt\d+$/, '')}-mt${o.threads}`;
    return o.threads && known.includes(threaded) && threaded !== e ? [e, threaded] : [e];
  });
for (const e of engines) if (!known.includes(e)) fail(`no engine ${e}; there are ${known.join(', ')}`);
for (const s of scenes)
  if (![...names, ...specials].includes(s))
    fail(`no scene ${s}; there are ${[...names, ...specials].join(', ')}`);

if (!['node', 'chromium'].includes(o.host)) fail(`no host ${o.host}; there are node, chromium`);
if (o.steps !== undefined && !(Number(o.steps) > 0)) fail('--steps takes a number above 0');

const LOADING = 120; // s beside the scene's own, before an engine counts as hung
// playwright-core is needed for pages alone
const host =
  o.host === 'chromium'
    ? await (await import('./chromium.mjs')).openChromium()
    : (await import('./node.mjs')).openNode();

const report = {
  date: new Date().toISOString(),
  node: process.version,
  cpu: cpus()[0].model,
  cores: cpus().length,
  options: process.argv.slice(2),
  results: [],
};
for (let rep = 0; rep < Number(o.reps); ++rep)
  for (const scene of scenes)
    for (const engine of engines) {
      // engines innermost: noise hits all
      const job = {
        engine,
        scene,
        sleep: o.sleep,
        cap: Number(o.cap),
        iterations: o.iterations && Number(o.iterations),
        steps: o.steps && Number(o.steps),
      };
      const result = await host.once(job, job.cap + LOADING);
      report.results.push({ ...result, rep });
      process.stderr.write(`${scene} ${engine} #${rep}: ${result.error ?? timeOf(result)}\n`);
      if (o.json) {
        mkdirSync(dirname(o.json), { recursive: true });
        writeFileSync(o.json, JSON.stringify(report, null, 1));
      }
    }
await host.close();
process.stdout.write(table(report));
if (o.csv) writeFileSync(o.csv, toCsv(report));

function timeOf({ medianMs }) {
  return medianMs === undefined ? 'done' : `${medianMs.toPrecision(3)} ms`;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
