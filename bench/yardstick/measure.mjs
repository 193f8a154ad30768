// One engine and one scene, measured: what Node (one.mjs) and a page (page.mjs) share.
import { measure as qualityOf, ROW, traceJoints } from './metrics.mjs';
import { special } from './special.mjs';

/**
 * Loads an engine. `adapter` is a module of adapters/, `folders` has the addresses of Cairn's and Box3D's
 * builds. Gives the engine, and what the result says of it.
 */
export async function loadEngine(variant, adapter, folders) {
  const started = performance.now();
  const engine = await adapter.load(variant, folders);
  const initMs = performance.now() - started;
  return { engine, loaded: { version: engine.version, initMs, heap0: engine.heap() } };
}

/**
 * Runs a job's scene, one of scenes.mjs, or none where special.mjs has it. `watchOthers` starts to watch what
 * other processes do and gives a function that says how many processors they kept busy.
 */
export async function runScene(engine, job, scene, watchOthers) {
  const run = scene
    ? simulate(engine, scene, job, watchOthers)
    : { metrics: await special[job.scene](engine) };
  return { ...run, heap: engine.heap() };
}

function simulate(engine, scene, { sleep, iterations, steps = scene.steps, cap }, watchOthers) {
  const built = performance.now();
  const world = engine.world({ gravity: scene.gravity, sleep, iterations, dt: scene.dt });
  for (const b of scene.bodies) world.addBody(b);
  for (const j of scene.joints) world.addJoint(j);
  world.commit?.();
  const buildMs = performance.now() - built;

  const poses = new Float32Array(scene.bodies.length * ROW),
    trace = traceJoints(scene),
    times = [];
  const othersBusy = watchOthers?.(),
    wall = performance.now();
  while (times.length < steps && performance.now() - wall < cap * 1000) {
    const t = performance.now();
    world.step(scene.dt);
    times.push(performance.now() - t);
    if (scene.joints.length && times.length % 4 === 0) {
      world.read(poses);
      trace.sample(poses);
    }
  }
  const others = othersBusy?.();
  world.read(poses);
  const stats = world.stats?.(),
    hash = world.hash?.();
  const sorted = times.toSorted((a, b) => a - b),
    lastTenth = times.slice(Math.floor(0.9 * times.length)).toSorted((a, b) => a - b),
    quantile = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const out = {
    others,
    buildMs,
    bodies: scene.bodies.length,
    joints: scene.joints.length,
    steps: times.length,
    capped: times.length < steps,
    medianMs: quantile(0.5),
    p95Ms: quantile(0.95),
    maxMs: sorted.at(-1),
    endMs: lastTenth[Math.floor(lastTenth.length / 2)],
    meanMs: times.reduce((s, t) => s + t, 0) / times.length,
    ...(stats ? { stats } : {}),
    ...(hash ? { hash } : {}),
    metrics: qualityOf(scene, poses, trace),
  };
  world.free();
  return out;
}
