// The campaign behind `npm run hunt` and its tests: scenes in, verdicts of hunt_judge out, several
// processes at a time.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAMILIES, familyOf, makeHuntScene } from './scenes.mjs';

/** Of a world. */
export const WORLD_SOLVERS = ['auto', 'iterative', 'direct', 'split'];

/** And `swept`: auto, with constraints that are all to be iterative. */
export const SOLVERS = [...WORLD_SOLVERS, 'swept'];

/**
 * Laws that no scene may break; the judge's head says what each means. died: the program crashed
 * or took too long.
 */
export const HARD_LAWS = ['died', 'error', 'finite', 'explosion', 'gain', 'torn', 'under'];

/** Laws that are counted beside these. */
export const SOFT_LAWS = ['regain', 'restless', 'open', 'speed', 'slow'];

export const LAWS = [...HARD_LAWS, ...SOFT_LAWS];

/** Of constraints that are swept: how far they open, and how still they get, is not promised. */
const NOT_OF_SWEEPS = ['open', 'torn', 'restless'];

const TIME_LIMIT = 120; // s of one run
const RUNS = 3; // at most, of a scene with slow steps

/**
 * @typedef {{ law: string, step: number, amount: number, unit: string, who: string }} Breach
 * @typedef {{ name: string, seed?: number, family: string, solver: string, broken: Breach[], seconds: number,
 *   errors: string, result?: Record<string, any> }} Verdict
 * @typedef {{ name: string, file: string, family: string, seed?: number, steps: number,
 *   canRest: boolean }} Case
 * @typedef {{ threads?: number, timeLimit?: number, env?: Record<string, string | undefined>, isTimed?:
 *   boolean, sleeps?: boolean, merges?: boolean, adapts?: boolean }} RunOptions timeLimit in s; isTimed: look
 *   for slow steps (the default); sleeps: what comes to rest does; merges: bodies are merged, others every
 *   few steps; adapts: by adaptive merging, what rests is
 */

/**
 * One run of the judge; `result` is undefined where it died.
 * @param {RunOptions} options
 */
function runJudge(program, { file, steps, canRest }, solver, options) {
  const { threads = 1, timeLimit = TIME_LIMIT, env, sleeps, merges, adapts } = options;
  const args = [file, '--solver', solver, '--steps', String(steps), '--threads', String(threads)];
  if (canRest) args.push('--rest');
  if (sleeps) args.push('--sleep');
  if (merges) args.push('--merge');
  if (adapts) args.push('--adapt');
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: env ?? process.env });
    let output = '';
    let errors = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * timeLimit);
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (errors = (errors + text).slice(0, 4000)));
    child.on('error', (error) => (errors += error.message));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      const reason = signal ?? (errors.trim() || `status ${status}`);
      let result;
      try {
        if (status === 0) result = JSON.parse(output);
      } catch {
        result = undefined;
      }
      resolve({ result, reason, errors });
    });
  });
}

/**
 * Steps are slow that were so in each of three runs: a step does the same each time, a disturbance of the
 * machine does not.
 */
async function findSlowStep(program, item, solver, options, first) {
  let slow = first;
  for (let run = 1; run < RUNS && slow.length > 0; ++run) {
    const { result } = await runJudge(program, item, solver, options);
    const times = new Map(result?.slow ?? []);
    slow = slow
      .filter(([step]) => times.has(step))
      .map(([step, time]) => [step, Math.min(time, times.get(step))]);
  }
  const [step, time] = slow.sort((a, b) => b[1] - a[1])[0] ?? [];
  return step === undefined ? undefined : { step, time };
}

/**
 * @param {RunOptions} [options]
 * @returns {Promise<Verdict>}
 */
export async function judge(program, item, solver, options = {}) {
  const started = performance.now();
  const { result, reason, errors } = await runJudge(program, item, solver, options);
  const seconds = (performance.now() - started) / 1000;
  const { name, family, seed } = item;
  if (!result) {
    const broken = [{ law: 'died', step: 0, amount: 0, unit: '', who: reason.trim().split('\n')[0] }];
    return { name, family, seed, solver, seconds, broken, errors };
  }
  const broken = result.broken.filter(({ law }) => solver !== 'swept' || !NOT_OF_SWEEPS.includes(law));
  const timed = options.isTimed === false ? [] : result.slow;
  const slow = await findSlowStep(program, item, solver, options, timed);
  if (slow) broken.push({ law: 'slow', step: slow.step, amount: slow.time, unit: 'ms', who: '' });
  return { name, family, seed, solver, seconds, broken, errors, result };
}

/** Judges each case with each solver, `jobs` at a time; verdicts in the order of the cases. */
export async function judgeAll(
  program,
  cases,
  { solvers = SOLVERS, jobs = 2, onVerdict = (_) => {}, ...options },
) {
  const waiting = cases.flatMap((item) => solvers.map((solver) => ({ item, solver })));
  const verdicts = new Array(waiting.length);
  let next = 0;
  const takeTurns = async () => {
    for (let i = next++; i < waiting.length; i = next++) {
      const { item, solver } = waiting[i];
      verdicts[i] = await judge(program, typeof item === 'function' ? item() : item, solver, options);
      onVerdict(verdicts[i]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, takeTurns));
  return verdicts;
}

/**
 * The hunt through seeds from…to. Scenes are written to `keep`, or to a folder that is removed afterwards.
 * @returns {Promise<Verdict[]>}
 */
export async function hunt(program, { from, to, families = FAMILIES, keep, ratio, ...options }) {
  const folder = keep ?? mkdtempSync(join(tmpdir(), 'cairn-hunt-'));
  const cases = [];
  for (let seed = from; seed <= to; ++seed) {
    if (!families.includes(familyOf(seed))) continue;
    /** @type {Case | undefined} */
    let made;
    cases.push(() => {
      if (made) return made;
      const { scene, family, canRest, steps } = makeHuntScene(seed, { ratio });
      const name = `hunt-${seed}-${family}`;
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(scene));
      made = { name, file, family, seed, steps, canRest };
      return made;
    });
  }
  try {
    return await judgeAll(program, cases, options);
  } finally {
    if (!keep) rmSync(folder, { recursive: true });
  }
}

/** @param {Verdict} verdict */
export const isBroken = ({ broken }, laws = HARD_LAWS) => broken.some(({ law }) => laws.includes(law));

/** A line for what one case broke. @param {Verdict} verdict */
export function describe({ name, solver, broken }, laws = LAWS) {
  const parts = broken
    .filter(({ law }) => laws.includes(law))
    .map(({ law, step, amount, unit, who }) =>
      `${law}@${step} ${Number(amount.toPrecision(3))} ${unit} ${who}`.trim(),
    );
  return `${name} ${solver}: ${parts.join(', ')}`;
}

/** Counts of broken laws by family and solver, as lines of text. @param {Verdict[]} verdicts */
export function makeTable(verdicts) {
  const solvers = [...new Set(verdicts.map(({ solver }) => solver))];
  const families = [...new Set(verdicts.map(({ family }) => family))];
  const count = (law, solver, family) =>
    verdicts.filter(
      (verdict) =>
        verdict.solver === solver && (!family || verdict.family === family) && isBroken(verdict, [law]),
    ).length;
  const row = (cells) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(i ? 10 : 12) : cell.padStart(20))).join('');
  const lines = [row(['family', 'law', ...solvers])];
  const add = (title, family) => {
    const total = (solver) =>
      String(verdicts.filter((v) => v.solver === solver && (!family || v.family === family)).length);
    lines.push(row([title, 'scenes', ...solvers.map(total)]));
    const guarded = (solver) => {
      const results = verdicts
        .filter((v) => v.solver === solver && (!family || v.family === family))
        .map(({ result }) => result ?? { islandSteps: 0, guardedSteps: 0 });
      const sum = (name) => results.reduce((all, result) => all + result[name], 0);
      return `${((100 * sum('guardedSteps')) / Math.max(1, sum('islandSteps'))).toFixed(2)} %`;
    };
    lines.push(row(['', 'guard', ...solvers.map(guarded)]));
    for (const law of LAWS) {
      const counts = solvers.map((solver) => count(law, solver, family));
      if (counts.some((number) => number > 0))
        lines.push(row(['', law, ...counts.map((n) => (n > 0 ? String(n) : '–'))]));
    }
  };
  for (const family of families) add(family, family);
  if (families.length > 1) add('all', undefined);
  return lines;
}
