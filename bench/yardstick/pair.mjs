// Two builds of Cairn over the same scenes in one process, their steps in turns, so that what else the
// machine does hits both alike: ratios of single steps vary by 1 or 2 % where processes that run one after
// the other differ by 15. Prints the median of each scene's ratios, over all of its steps and over quarters
// of them, and whether both end in the same state.
//
//   node pair.mjs --before FOLDER [--after FOLDER] [--scenes S1,S3] [--steps n]
//
// FOLDER is a built checkout, or a folder with its `web/`, `materials/` and `package.json`; `--after` is this
// one unless told.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../median.mjs';
import { toSceneFile } from './scene_file.mjs';
import { scenes } from './scenes.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Steps in which V8 still compiles are left out: so many, or an eighth of all. */
const WARM_UP = 60;
const QUARTERS = 4;

function fail(words) {
  process.stderr.write(`pair.mjs: ${words}\n`);
  process.exit(2);
}

async function loadBuild(folder) {
  const file = join(resolve(folder), 'web', 'index.node.js');
  if (!existsSync(file)) fail(`${file} does not exist; FOLDER has to be one that was built (npm run build)`);
  const { load } = await import(pathToFileURL(file));
  return load({ flavour: 'st', threads: 1 });
}

function timeStep(world) {
  const started = performance.now();
  world.step();
  return performance.now() - started;
}

/** Times of both builds, step by step; which of them goes first changes with every step. */
function takeTurns(worlds, steps) {
  const times = [[], []];
  for (let step = 0; step < steps; ++step)
    for (const side of step % 2 === 0 ? [0, 1] : [1, 0]) times[side].push(timeStep(worlds[side]));
  return times;
}

function compare(builds, name, stepsGiven) {
  const scene = scenes[name]();
  const steps = stepsGiven ?? scene.steps;
  const text = JSON.stringify(toSceneFile(scene, name));
  const worlds = builds.map((cairn) => cairn.loadScene(text).world);
  const [before, after] = takeTurns(worlds, steps);
  const ratios = after.map((time, step) => time / before[step]);
  const isSame = worlds[0].hash() === worlds[1].hash();
  for (const world of worlds) world.dispose();

  const first = Math.min(WARM_UP, steps >> 3);
  const numbers = [median(before.slice(first)), median(after.slice(first)), median(ratios.slice(first))];
  for (let quarter = 0; quarter < QUARTERS; ++quarter)
    numbers.push(median(ratios.slice((quarter * steps) / QUARTERS, ((quarter + 1) * steps) / QUARTERS)));
  const cells = numbers.map((number) => number.toFixed(3)).join(' | ');
  process.stdout.write(`| ${name} | ${cells} | ${isSame ? 'same' : 'other'} |\n`);
}

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: ROOT },
    scenes: { type: 'string', default: 'S1,S2,S3,S4,S5,S5h,S7' },
    steps: { type: 'string' },
  },
});
const names = values.scenes.split(',');
const unknown = names.find((name) => !scenes[name]);
const steps = values.steps === undefined ? undefined : Number(values.steps);
if (values.before === undefined) fail('--before FOLDER is missing: the build to compare with');
if (unknown !== undefined) fail(`no scene is named ${unknown}; there are ${Object.keys(scenes).join(' ')}`);
if (steps !== undefined && !(Number.isInteger(steps) && steps >= QUARTERS))
  fail(`--steps is ${values.steps}, allowed are ${QUARTERS} or more`);
const builds = [await loadBuild(values.before), await loadBuild(values.after)];
process.stdout.write('| scene | before ms | after ms | ratio | 1st quarter | 2nd | 3rd | 4th | state |\n');
for (const name of names) compare(builds, name, steps);
