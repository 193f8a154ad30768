// npm run bench:yardstick: Cairn beside other engines over the scenes of bench/yardstick, time and quality in
// one run.
//
//   npm run bench:yardstick [-- --engines cairn,rapier --scenes S1,S2 --reps n --threads n --csv FILE]
//
// The engines are installed into bench/yardstick by the first run; its README.md has the scenes and columns.
import path from 'node:path';
import { installPeers } from '../bench/peers_installed.mjs';
import { main, run } from './process.mjs';

await main(async () => {
  const folder = await installPeers();
  const { status } = await run(process.execPath, [path.join(folder, 'run.mjs'), ...process.argv.slice(2)]);
  return status;
});
