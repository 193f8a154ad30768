// npm run bench:yardstick: Cairn beside other engines over the scenes of bench/yardstick, time and quality in
// one run.
//
//   npm run bench:yardstick [-- --engines cairn,rapier --scenes S1,S2 --reps n --threads n --csv FILE]
//
// The engines are installed into bench/yardstick by the first run; its README.md has the scenes and columns.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, ScriptError, main, run } from './process.mjs';

const FOLDER = path.join(ROOT, 'bench', 'yardstick');

await main(async () => {
  if (!fs.existsSync(path.join(FOLDER, 'node_modules'))) {
    const installed = await run('npm', ['ci'], { cwd: FOLDER });
    if (installed.status !== 0) throw new ScriptError('npm ci failed in bench/yardstick');
  }
  const { status } = await run(process.execPath, [path.join(FOLDER, 'run.mjs'), ...process.argv.slice(2)]);
  return status;
});
