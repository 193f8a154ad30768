// One engine, one scene, in a Node process of its own: prints a line of JSON. Started by run.mjs.
import { adapterOf } from './adapters.mjs';
import { buildFolders } from './folders.mjs';
import { loadEngine, runScene } from './measure.mjs';
import { watchOthers } from './others.mjs';
import { scenes } from './scenes.mjs';

const job = JSON.parse(process.argv[2]);
setInterval(() => {}, 1000); // Emscripten does not hold the process open while its threads start
const rss0 = process.memoryUsage().rss;
const { engine, loaded } = await loadEngine(job.engine, await adapterOf(job.engine), buildFolders());
const rssInit = process.memoryUsage().rss - rss0;
const run = await runScene(engine, job, scenes[job.scene]?.(), watchOthers);
const result = {
  engine: job.engine,
  scene: job.scene,
  ...loaded,
  rssInit,
  ...run,
  rss: process.memoryUsage().rss,
};
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0));
