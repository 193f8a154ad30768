// One engine, one chain, in a process of its own: prints what it measured as a line of JSON.
// Started by chain.mjs.
import { createChain, SCENES, Watch } from './scenes.mjs';

const LOOK_EVERY = 4; // steps

const { engine, variant, scene, links, steps, weight, cap } = JSON.parse(process.argv[2]);
const { start, variants } = await import(`./engines/${engine}.mjs`);
const chain = createChain(links, SCENES[scene], weight);
const watch = new Watch(chain);
const result = { times: [], work: [], fault: undefined };

/** Milliseconds that the processors have spent on this process: what else the machine does is not in it. */
function getWork() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function report() {
  Object.assign(result, { worstGap: watch.worstGap, stretch: watch.stretch });
  // a module's threads or timers do not hold the process open
  process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0));
}

try {
  const before = performance.now();
  const world = await start(chain, variants[variant]);
  Object.assign(result, { version: world.version, buildTime: performance.now() - before });
  const end = performance.now() + cap * 1000;
  while (result.times.length < steps && performance.now() < end && !result.fault) {
    const begin = performance.now();
    const workBefore = getWork();
    world.step();
    result.work.push(getWork() - workBefore);
    result.times.push(performance.now() - begin);
    if (result.times.length % LOOK_EVERY === 0) {
      world.read(watch.poses);
      result.fault = watch.look();
    }
  }
} catch (error) {
  result.fault = String(error?.message ?? error).split('\n')[0];
}
report();
