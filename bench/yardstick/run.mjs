// node run.mjs --engines a,b --scenes S1,S2 [--reps n] [--threads n] [--iterations n] [--sleep] [--cap s]
// [--json FILE] [--csv FILE]
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { engines as known } from './adapters.mjs';
import { names } from './scenes.mjs';
import { names as specials } from './special.mjs';
import { csv, table } from './table.mjs';

const { values: o } = parseArgs({
  options: {
    engines: { type: 'string', default: 'cairn,rapier,jolt-mt1,havok,physx' },
    scenes: { type: 'string', default: 'S1,S2,S3,S4,S5,S5h,S6,S7,S8,S8v,S9,S9b' },
    reps: { type: 'string', default: '1' },
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
      const result = await once({
        engine,
        scene,
        sleep: o.sleep,
        cap: Number(o.cap),
        iterations: o.iterations && Number(o.iterations),
      });
      report.results.push({ ...result, rep });
      process.stderr.write(`${scene} ${engine} #${rep}: ${result.error ?? timeOf(result)}\n`);
      if (o.json) {
        mkdirSync(dirname(o.json), { recursive: true });
        writeFileSync(o.json, JSON.stringify(report, null, 1));
      }
    }
process.stdout.write(table(report));
if (o.csv) writeFileSync(o.csv, csv(report));

function timeOf({ medianMs }) {
  return medianMs === undefined ? 'done' : `${medianMs.toPrecision(3)} ms`;
}

function errorIn(text) {
  return text.split('\n').find((line) => /^\w*Error: /.test(line)) ?? text.slice(-200);
}

/** One engine and one scene in a process of its own; a crash or a hang is a result too. */
function once(job) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['one.mjs', JSON.stringify(job)], {
      cwd: new URL('.', import.meta.url),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '',
      err = '';
    child.stdout.on('data', (d) => {
      out += d;
    });
    child.stderr.on('data', (d) => {
      err += d;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), (job.cap + 120) * 1000);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(out.trim().split('\n').at(-1)));
      } catch {
        resolve({
          ...job,
          error: `no result (${signal ?? code}): ${errorIn(err)}`,
        });
      }
    });
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
