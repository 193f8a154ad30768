// One engine, one scene, in a process of its own: prints a line of JSON. Started by run.mjs.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { adapterOf } from './adapters.mjs';
import { measure, ROW, traceJoints } from './metrics.mjs';
import { scenes } from './scenes.mjs';
import { special } from './special.mjs';

const { engine: variant, scene: name, sleep, iterations, cap } = JSON.parse(process.argv[2]);
const result = { engine: variant, scene: name };
setInterval(() => {}, 1000); // Emscripten does not hold the process open while its threads start
const rss0 = process.memoryUsage().rss;
const { load } = await adapterOf(variant);
const started = performance.now();
const engine = await load(variant);
Object.assign(result, {
  version: engine.version,
  initMs: performance.now() - started,
  heap0: engine.heap(),
  rssInit: process.memoryUsage().rss - rss0,
});

if (special[name]) result.metrics = await special[name](engine);
else if (scenes[name]) Object.assign(result, simulate(scenes[name]()));
Object.assign(result, { heap: engine.heap(), rss: process.memoryUsage().rss });
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0));

function simulate(scene) {
  const built = performance.now();
  const world = engine.world({ gravity: scene.gravity, sleep, iterations, dt: scene.dt });
  for (const b of scene.bodies) world.addBody(b);
  for (const j of scene.joints) world.addJoint(j);
  world.commit?.();
  const buildMs = performance.now() - built;

  const poses = new Float32Array(scene.bodies.length * ROW),
    trace = traceJoints(scene),
    times = [];
  const busy = cpu(),
    wall = performance.now();
  while (times.length < scene.steps && performance.now() - wall < cap * 1000) {
    const t = performance.now();
    world.step(scene.dt);
    times.push(performance.now() - t);
    if (scene.joints.length && times.length % 4 === 0) {
      world.read(poses);
      trace.sample(poses);
    }
  }
  const others = othersSince(busy);
  world.read(poses);
  const stats = world.stats?.();
  const sorted = times.toSorted((a, b) => a - b),
    quantile = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const out = {
    others,
    buildMs,
    bodies: scene.bodies.length,
    joints: scene.joints.length,
    steps: times.length,
    capped: times.length < scene.steps,
    medianMs: quantile(0.5),
    p95Ms: quantile(0.95),
    maxMs: sorted.at(-1),
    meanMs: times.reduce((s, t) => s + t, 0) / times.length,
    ...(stats ? { stats } : {}),
    metrics: measure(scene, poses, trace),
  };
  world.free();
  return out;
}

/** Processor seconds: the machine's and ours; what others used per second tells how far to trust a timing. */
function cpu() {
  const [, ...t] = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).map(Number);
  const own = process.cpuUsage();
  return {
    all: (t[0] + t[1] + t[2] + t[5] + t[6]) / 100,
    own: (own.user + own.system) / 1e6,
    wall: performance.now() / 1000,
  };
}
function othersSince(b) {
  const a = cpu();
  return Math.max(0, (a.all - b.all - (a.own - b.own)) / (a.wall - b.wall));
}
