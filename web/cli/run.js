// cairn run: steps a scene and writes what was recorded.

import { CairnError } from '../core/errors.js';
import { onlyWord, readNumber, readWords } from './arguments.js';
import { CliError } from './cli_error.js';
import { openScene, orBad } from './open_scene.js';
import { checkOutput, writeBytes, writeOutput } from './output.js';
import { Progress } from './progress.js';
import { sampledSteps, stepAt } from './schedule.js';
import { ListBuilder } from './text_builder.js';

/** @typedef {import('../objects/scene.js').Scene} Scene */
/** @typedef {import('../objects/scene.js').Channel} Channel */

const optionNames = [
  '--time',
  '--steps',
  '--every',
  '--record',
  '--threads',
  '--time-step',
  '--solver',
  '--out',
  '--save',
  '--recording',
  '--library',
];
const solvers = /** @type {const} */ (['auto', 'split', 'direct', 'iterative']);
const defaultSeconds = 10;
const maxSteps = 2 ** 31 - 1;

/** @param {string[]} words */
export async function runScene(words) {
  const settings = readSettings(words);
  checkOutput(settings.out);
  checkOutput(settings.save, '--save');
  checkOutput(settings.recording, '--recording');
  const scene = await openScene(settings.file, settings.threads, settings.library);
  try {
    applySettings(scene, settings);
    const { timeStep } = scene.world;
    const steps = settings.steps ?? stepAt(settings.seconds ?? defaultSeconds, timeStep);
    if (steps > maxSteps) throw new CliError(2, `${steps} steps are too many, allowed are ${maxSteps}`);
    const channels = openChannels(scene, settings.record);
    if (settings.recording !== undefined) scene.world.record.start();
    const result = record(scene, channels, steps, settings.every);
    writeBytes(settings.recording, '--recording', () => scene.world.record.stop());
    writeBytes(settings.save, '--save', () => scene.world.save());
    await writeOutput(settings.out, writeResult(scene, steps, result));
  } finally {
    scene.dispose();
  }
}

/** @param {string[]} words */
function readSettings(words) {
  const { options, rest } = readWords(words, optionNames);
  if (options.has('--time') && options.has('--steps'))
    throw new CliError(2, '--time and --steps are given, allowed is one of them');
  const solver = options.get('--solver');
  const kind = solvers.find((item) => item === solver);
  if (solver !== undefined && kind === undefined) {
    throw new CliError(2, `--solver is "${solver}", allowed are ${solvers.join(', ')}`);
  }
  return {
    file: onlyWord(rest, 'SCENE.json'),
    library: options.get('--library'),
    seconds: readNumber(options, '--time', { least: 0 }),
    steps: readNumber(options, '--steps', { least: 0, integer: true, most: maxSteps }),
    every: readNumber(options, '--every', { least: 0, above: true }),
    threads: readNumber(options, '--threads', { least: 1, integer: true, most: 32 }),
    timeStep: readNumber(options, '--time-step', { least: 0, above: true }),
    record: options.get('--record')?.split(','),
    solver: kind,
    out: options.get('--out'),
    save: options.get('--save'),
    recording: options.get('--recording'),
  };
}

/** @param {Scene} scene @param {ReturnType<typeof readSettings>} settings */
function applySettings({ world }, { timeStep, solver }) {
  if (timeStep !== undefined) {
    orBad('--time-step', () => {
      world.timeStep = timeStep;
    });
  }
  if (solver !== undefined) orBad('--solver', () => world.setSolver({ ...world.getSolver(), type: solver }));
}

/** @param {Scene} scene @param {string[] | undefined} names @returns {Channel[]} */
function openChannels(scene, names) {
  return orBad(names ? '--record' : 'record', () =>
    [...new Set(names ?? scene.record)].map((name) => scene.openChannel(name)),
  );
}

/**
 * @param {Scene} scene
 * @param {Channel[]} channels
 * @param {number} steps
 * @param {number | undefined} every s
 */
function record(scene, channels, steps, every) {
  const { timeStep } = scene.world;
  const lists = channels.map((channel) => ({ channel, list: new ListBuilder() }));
  const times = new ListBuilder();
  const encoder = new TextEncoder();
  const sample = (/** @type {number} */ step) => {
    times.add(encoder.encode(String(step * timeStep)));
    for (const { channel, list } of lists) list.add(channel.readBytes());
  };

  const progress = new Progress();
  sample(0);
  let done = 0;
  try {
    for (const next of sampledSteps(steps, timeStep, every)) {
      while (done < next) {
        const count = Math.min(next - done, progress.chunk);
        scene.steps(count);
        done += count;
        progress.update(done, steps, timeStep);
      }
      sample(next);
    }
  } catch (error) {
    progress.clear();
    if (!(error instanceof CairnError)) throw error;
    throw new CliError(
      1,
      `step ${scene.world.stepCount} failed at t = ${scene.world.time} s: ${error.reason}`,
    );
  }
  progress.clear();
  return { times, lists };
}

/**
 * One JSON object, a line for each channel.
 * @param {Scene} scene
 * @param {number} steps
 * @param {{ times: ListBuilder, lists: { channel: Channel, list: ListBuilder }[] }} result
 */
function* writeResult(scene, steps, { times, lists }) {
  const { world } = scene;
  const facts = { scene: scene.name, timeStep: world.timeStep, steps, threads: world.cairn.threads };
  yield `${JSON.stringify(facts).slice(0, -1)},\n"time":[`;
  yield* times.pieces();
  yield '],\n"channels":{';
  let separator = '\n';
  for (const { channel, list } of lists) {
    yield `${separator}${JSON.stringify(channel.name)}:[`;
    yield* list.pieces();
    yield ']';
    separator = ',\n';
  }
  yield '}}\n';
}
