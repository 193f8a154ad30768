// npm run hunt: random scenes with joints and contacts against physical laws (tests/hunt).
//
//   npm run hunt -- --seeds 1-100 [--solvers auto,direct] [--families ragdolls,loops] [--ratio 1000]
//                   [--jobs n] [--preset native-release] [--threads n] [--time-limit s] [--keep FOLDER]
//                   [--json FILE] [--sleep] [--merge] [--adapt] [--no-build]
//   npm run hunt -- --scene FILE [--steps n] [--rest]        judges one scene
//
// Exit status 1 where a hard law is broken; --seeds takes one number or a range, by default 1-100.
import fs from 'node:fs';
import path from 'node:path';
import {
  HARD_LAWS,
  SOLVERS,
  describe,
  hunt,
  isBroken,
  judgeAll,
  makeTable,
} from '../tests/hunt/campaign.mjs';
import { FAMILIES } from '../tests/hunt/scenes.mjs';
import { buildPreset } from './build.mjs';
import { ROOT, ScriptError, main, say } from './process.mjs';
import { setUp } from './setup.mjs';

const FLAGS = ['rest', 'sleep', 'merge', 'adapt', 'no-build'];
const VALUES = [
  'seeds',
  'solvers',
  'families',
  'ratio',
  'jobs',
  'preset',
  'threads',
  'time-limit',
  'keep',
  'json',
  'scene',
  'steps',
];

function readWords(words) {
  /** @type {Record<string, string>} */
  const options = {};
  for (let i = 0; i < words.length; ++i) {
    const name = words[i].replace(/^--/, '');
    if (FLAGS.includes(name)) options[name] = 'yes';
    else if (VALUES.includes(name) && i + 1 < words.length) options[name] = words[++i];
    else
      throw new ScriptError(
        `unknown option ${words[i]}: ${[...VALUES, ...FLAGS].map((n) => `--${n}`).join(' ')}`,
      );
  }
  return options;
}

function readList(text, known) {
  if (!text) return known;
  const list = text.split(',');
  const unknown = list.find((name) => !known.includes(name));
  if (unknown) throw new ScriptError(`${unknown} is none of ${known.join(', ')}`);
  return list;
}

function readSeeds(text = '1-100') {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match) throw new ScriptError(`--seeds takes a number or a range, such as 1-100, not ${text}`);
  return { from: Number(match[1]), to: Number(match[2] ?? match[1]) };
}

await main(async () => {
  const options = readWords(process.argv.slice(2));
  const preset = options.preset ?? 'native-release';
  if (!options['no-build'] && !(await buildPreset(preset, setUp('test'), ['hunt_judge'])))
    throw new ScriptError(`${preset} does not build`);
  const program = path.join(ROOT, 'build', preset, 'hunt_judge');
  const solvers = readList(options.solvers, SOLVERS);
  const common = {
    solvers,
    jobs: Number(options.jobs ?? 2),
    threads: Number(options.threads ?? 1),
    sleeps: 'sleep' in options,
    merges: 'merge' in options,
    adapts: 'adapt' in options,
    timeLimit: options['time-limit'] ? Number(options['time-limit']) : undefined,
  };
  const started = performance.now();
  const onVerdict = (verdict) => {
    if (verdict.broken.length > 0) say(describe(verdict));
  };

  let verdicts;
  if (options.scene) {
    const file = path.resolve(options.scene);
    const steps = Number(options.steps ?? 300);
    const item = {
      name: path.basename(file, '.json'),
      file,
      family: 'file',
      steps,
      canRest: 'rest' in options,
    };
    verdicts = await judgeAll(program, [item], { ...common, onVerdict });
  } else {
    if (options.keep) fs.mkdirSync(options.keep, { recursive: true });
    const families = readList(options.families, FAMILIES);
    verdicts = await hunt(program, {
      ...readSeeds(options.seeds),
      families,
      ratio: options.ratio ? Number(options.ratio) : undefined,
      ...common,
      keep: options.keep,
      onVerdict,
    });
  }
  if (options.json) fs.writeFileSync(options.json, JSON.stringify(verdicts, null, 1));

  say('');
  makeTable(verdicts).forEach(say);
  const failed = verdicts.filter((verdict) => isBroken(verdict)).length;
  const seconds = (performance.now() - started) / 1000;
  say(`\nhard laws: ${HARD_LAWS.join(', ')}; ${(seconds / Math.max(1, verdicts.length)).toFixed(2)} s a run`);
  say(`${verdicts.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
});
