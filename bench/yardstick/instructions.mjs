// The guard of speed: instructions that a step of the native build takes, in scenes of the yardstick, beside
// those that instructions.json has, so that a change that costs 5 % cannot come in unseen; what a count does
// not see, misses of the caches, npm run bench:builds measures.
//
//   node instructions.mjs [--scenes S1,S2] [--update]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countStep, intervals, namesIn, withSceneFile } from './counted_runs.mjs';

const KNOWN = fileURLToPath(new URL('instructions.json', import.meta.url));
const TOLERANCE = 0.05;

const { values } = parseArgs({
  options: {
    scenes: { type: 'string', default: Object.keys(intervals).join() },
    update: { type: 'boolean', default: false },
  },
});
const known = JSON.parse(readFileSync(KNOWN, 'utf8'));
let failed = 0;
for (const name of namesIn(values.scenes)) {
  const count = withSceneFile(name, (file) => countStep(name, file));
  const ratio = known[name] ? count / known[name] : NaN;
  const isNear = Math.abs(ratio - 1) <= TOLERANCE;
  failed += !isNear;
  const verdict = isNear ? 'as known' : ratio < 1 ? 'fewer: --update' : 'more than are known';
  const beside = known[name]
    ? `${ratio.toFixed(3)} of ${(known[name] / 1e6).toFixed(2)}: ${verdict}`
    : 'not known';
  process.stdout.write(
    `${name.padEnd(4)} ${(count / 1e6).toFixed(2).padStart(8)} million a step, ${beside}\n`,
  );
  if (values.update) known[name] = Math.round(count);
}
if (values.update) writeFileSync(KNOWN, `${JSON.stringify(known, null, 2)}\n`);
process.exit(failed > 0 && !values.update ? 1 : 0);
