// What charts and tables show of a run: engines side by side, from the rows of its CSV file.

import { median } from '../../median.mjs';

const QUALITIES = ['maxPen', 'meanPen', 'jointMax'];

const threadsOf = (engine) => Number(/-mt(\d+)$/.exec(engine)?.[1] ?? 1);
const familyOf = (engine) => engine.replace(/-mt\d+$/, '');

/**
 * Repetitions become one entry of medians; quality is that of the first. `isWhole` says that none was stopped
 * before the last of the scene's steps, which older files do not state.
 */
function merge(runs, steps) {
  const times = ['medianMs', 'p95Ms'].map((key) => [key, median(runs.map((r) => r[key]))]);
  const qualities = QUALITIES.filter((key) => runs[0][key] !== undefined).map((key) => [key, runs[0][key]]);
  return {
    ...Object.fromEntries([...times, ...qualities]),
    isWhole: runs.every((r) => (r.steps ?? steps) === steps),
  };
}

/**
 * Compares the runs of a file (what fromCsv of csv.mjs gives).
 * @returns scenes and engines of one thread in the file's order; `entry(scene, engine)`, undefined where
 *   there is no time; `ratios`, Cairn's time over that of its fastest peer; `threads`, times with one and two
 */
export function compare({ results }) {
  const timed = results.filter((r) => r.medianMs !== undefined && !r.error);
  const scenes = [...new Set(timed.map((r) => r.scene))],
    all = [...new Set(timed.map((r) => r.engine))];
  const entries = new Map();
  for (const scene of scenes) {
    const runsOfScene = timed.filter((r) => r.scene === scene);
    const steps = Math.max(...runsOfScene.map((r) => r.steps ?? 0));
    for (const engine of all) {
      const runs = runsOfScene.filter((r) => r.engine === engine);
      if (runs.length > 0) entries.set(`${scene} ${engine}`, merge(runs, steps));
    }
  }
  const entry = (scene, engine) => entries.get(`${scene} ${engine}`);

  // a threaded build on one thread stands in for a plain one that is missing; Jolt's two differ by SIMD
  const standsAlone = (engine) =>
    familyOf(engine) === engine || familyOf(engine) === 'jolt' || !all.includes(familyOf(engine));
  const engines = all.filter((engine) => threadsOf(engine) === 1 && standsAlone(engine));

  const peers = engines.filter((engine) => !engine.startsWith('cairn'));
  const ratios = scenes.flatMap((scene) => {
    const own = entry(scene, 'cairn'),
      rivals = peers.filter((engine) => entry(scene, engine)?.isWhole);
    if (!own?.isWhole || rivals.length === 0) return [];
    const ms = (engine) => entry(scene, engine).medianMs;
    const peer = rivals.reduce((best, engine) => (ms(engine) < ms(best) ? engine : best));
    return [{ scene, peer, ratio: own.medianMs / ms(peer) }];
  });

  const families = [...new Set(all.filter((engine) => threadsOf(engine) === 2).map(familyOf))];
  const threads = scenes.flatMap((scene) =>
    families.flatMap((engine) => {
      const one = entry(scene, `${engine}-mt1`) ?? entry(scene, engine),
        two = entry(scene, `${engine}-mt2`);
      if (!one || !two) return [];
      return [{ scene, engine, oneMs: one.medianMs, twoMs: two.medianMs, gain: one.medianMs / two.medianMs }];
    }),
  );
  return { scenes, engines, entry, ratios, threads, hasCairn: engines.includes('cairn') };
}
