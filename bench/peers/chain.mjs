// npm run bench:peers: a chain of ball joints in Cairn, Rapier and MuJoCo, time and violation side by side.
//
//   npm run bench:peers [-- --links 20,100,1000] [--steps 300] [--weight kg] [--repeats 2] [--cap s]
//                       [--engine cairn,rapier,mujoco]
//
// Each engine runs with its defaults, in a process of its own, repetitions in turns over the engines so that
// what else the machine does hits all. `cpu ms` is the median of what the processors spent on a step, which
// says more than time where the machine is busy. A run ends after `cap` seconds of steps (20); one that is
// silent for three times that is ended.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPresets } from '../../scripts/build.mjs';
import { ROOT, ScriptError, capture, main, say } from '../../scripts/process.mjs';
import { setUp } from '../../scripts/setup.mjs';
import { SCENES } from './scenes.mjs';

const FOLDER = path.join(ROOT, 'bench', 'peers');

/** Installs the other engines where they are not, as they are locked. */
function installPeers() {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(FOLDER, 'package.json'), 'utf8'));
  const isThere = ([name, version]) => {
    const file = path.join(FOLDER, 'node_modules', name, 'package.json');
    return fs.existsSync(file) && JSON.parse(fs.readFileSync(file, 'utf8')).version === version;
  };
  if (Object.entries(dependencies).every(isThere)) return;
  say('bench: installing the other engines …');
  const { status, output } = capture('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
  });
  if (status !== 0) throw new ScriptError(`npm ci in bench/peers failed:\n${output.trim()}`);
}

/** Runs one engine once, in a process of its own; what it reports, or a fault. */
function runOne(task) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(FOLDER, 'one.mjs'), JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isLate = false;
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.resume();
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, 3000 * task.cap);
    child.on('close', (status) => {
      clearTimeout(timer);
      const line = output.trim().split('\n').at(-1);
      if (!isLate && line.startsWith('{')) resolve(JSON.parse(line));
      else
        resolve({
          times: [],
          fault: isLate ? `silent for ${3 * task.cap} s` : `ended with status ${status}`,
        });
    });
  });
}

function quantile(sorted, fraction) {
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))];
}

function summarize(name, runs, wanted) {
  const sortAll = (column) => runs.flatMap((run) => run[column]).sort((a, b) => a - b);
  const times = sortAll('times');
  const fault = runs.find((run) => run.fault)?.fault;
  const steps = Math.min(...runs.map((run) => run.times.length));
  const print = (milliseconds) => milliseconds?.toFixed(2) ?? '–';
  const gap = Math.max(...runs.map((run) => run.worstGap ?? 0));
  const stretch = Math.max(...runs.map((run) => run.stretch ?? 0));
  const isSeen = steps > 0;
  let verdict = steps < wanted ? 'so far' : 'yes';
  if (fault) verdict = `no: ${fault}`;
  return [
    name,
    runs[0].version ?? '–',
    ...[0.5, 0, 0.95].map((fraction) => print(quantile(times, fraction))),
    print(quantile(sortAll('work'), 0.5)),
    steps,
    isSeen ? gap.toExponential(1) : '–',
    isSeen ? (100 * stretch).toPrecision(2) : '–',
    verdict,
  ];
}

function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const isNumber = (column) => column > 1 && column < rows[0].length - 1;
  for (const row of rows) {
    say(
      row
        .map((cell, i) => String(cell)[isNumber(i) ? 'padStart' : 'padEnd'](widths[i]))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** The deepest tree that MuJoCo's package takes, tried in steps of 20 links. */
async function findDeepestTree(cap) {
  for (let links = 100; links <= 400; links += 20) {
    const task = {
      engine: 'mujoco',
      variant: 'one tree',
      scene: Object.keys(SCENES)[0],
      links,
      steps: 1,
      weight: 0,
      cap,
    };
    const { fault } = await runOne(task);
    if (fault) return `MuJoCo takes a tree of ${links - 20} links, not one of ${links} (${fault})`;
  }
  return 'MuJoCo takes a tree of 400 links';
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      links: { type: 'string', default: '20,100,1000' },
      steps: { type: 'string', default: '300' },
      weight: { type: 'string', default: '0' },
      repeats: { type: 'string', default: '2' },
      cap: { type: 'string', default: '20' },
      engine: { type: 'string', default: 'cairn,rapier,mujoco' },
    },
  });
  const positive = (name) => {
    const number = Number(values[name]);
    if (!(number > 0)) throw new ScriptError(`--${name} is ${values[name]}, allowed are positive numbers`);
    return number;
  };
  const [steps, repeats, cap] = ['steps', 'repeats', 'cap'].map(positive);
  const weight = Number(values.weight);
  if (!(weight >= 0)) throw new ScriptError(`--weight is ${values.weight}, allowed are kilograms from 0`);
  const counts = values.links.split(',').map(Number);
  if (!counts.every((count) => Number.isInteger(count) && count > 0)) {
    throw new ScriptError(
      `--links is ${values.links}, allowed are positive whole numbers with commas between`,
    );
  }
  const names = values.engine.split(',');
  const unknown = names.find((name) => !['cairn', 'rapier', 'mujoco'].includes(name));
  if (unknown !== undefined)
    throw new ScriptError(`--engine has ${unknown}, allowed are cairn, rapier and mujoco`);
  const failed = await buildPresets(['wasm-st'], setUp('run'));
  if (failed.length > 0) throw new ScriptError(`build failed: ${failed.join(', ')}`);
  installPeers();

  const entrants = [];
  for (const engine of names) {
    const { variants } = await import(`./engines/${engine}.mjs`);
    for (const [variant, { tree }] of Object.entries(variants)) {
      if (tree !== Infinity) entrants.push({ engine, variant });
    }
  }
  const header = 'engine,version,median ms,least,p95,cpu ms,steps,worst gap m,stretch %,holds'.split(',');
  for (const links of counts) {
    for (const scene of Object.keys(SCENES)) {
      const runs = entrants.map(() => []);
      for (let repeat = 0; repeat < repeats; ++repeat) {
        for (const [i, entrant] of entrants.entries()) {
          // who took no step will take none
          if (runs[i].some((run) => run.times.length === 0)) continue;
          runs[i].push(await runOne({ ...entrant, scene, links, steps, weight, cap }));
        }
      }
      const load = weight > 0 ? ` with ${weight} kg more at the end` : '';
      say(`\n${links} links of 10 kg and 0.4 m${load}, ${scene}`);
      printTable([header, ...entrants.map(({ variant }, i) => summarize(variant, runs[i], steps))]);
    }
  }
  if (names.includes('mujoco')) say(`\n${await findDeepestTree(cap)}`);
});
