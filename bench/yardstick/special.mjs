// Scenes that are experiments of their own: load time, friction, free rotation, bounce, and the cost of the
// interface.
import { add, cross, dot, length, rotate, scale } from './math.mjs';
import { box, massOf, sphere } from './shapes.mjs';
import { motion, ROW } from './metrics.mjs';
import { body } from './scenes.mjs';

const G = 9.81,
  DT = 1 / 60;
const floor = { shape: box(100, 1, 100), position: [0, -1, 0], fixed: true };

/** Builds a small world, lets it run, and shows every step to look(rows, step). */
function watch(engine, { gravity = [0, -G, 0], bodies, steps }, look) {
  const world = engine.world({ gravity, sleep: false, dt: DT }),
    all = bodies.map(body),
    poses = new Float32Array(all.length * ROW);
  all.forEach((b) => world.addBody(b));
  world.commit?.();
  for (let step = 0; step <= steps; ++step) {
    if (step) world.step(DT);
    world.read(poses);
    look(
      all.map((_, i) => Array.from(poses.subarray(i * ROW, (i + 1) * ROW))),
      step,
      all,
    );
  }
  world.free();
}

/**
 * A flat box on a slope of 30°, by tilted gravity; k is friction over tan 30°, phi the downhill direction in
 * the plane.
 */
function friction(engine) {
  const theta = Math.PI / 6,
    rows = [];
  for (const k of [0.6, 0.8, 0.95, 1.05, 1.2, 1.5])
    for (const phi of [0, 22.5, 45, 90]) {
      const mu = k * Math.tan(theta),
        a = (phi * Math.PI) / 180,
        down = [Math.cos(a), 0, Math.sin(a)],
        across = [-Math.sin(a), 0, Math.cos(a)];
      const gravity = add([0, -G * Math.cos(theta), 0], scale(down, G * Math.sin(theta))),
        at = {};
      watch(
        engine,
        {
          gravity,
          steps: 90,
          bodies: [
            { ...floor, friction: mu },
            { shape: box(0.5, 0.25, 0.5), position: [0, 0.25, 0], friction: mu },
          ],
        },
        ([, r], step) => {
          at[step] = r.slice(7, 10);
        },
      );
      const change = add(at[90], scale(at[30], -1)),
        want = Math.max(0, G * Math.sin(theta) * (1 - k));
      rows.push({
        k,
        phi,
        acc: dot(change, down),
        want,
        ...(k > 1 ? { creep: dot(at[90], down) } : {}),
        side: dot(at[90], across),
      });
    }
  const worst = (f, of = rows) => Math.max(...of.map((r) => Math.abs(f(r)))),
    slide = rows.filter((r) => r.k < 1);
  return {
    rows,
    maxAccErr: worst((r) => r.acc - r.want, slide),
    maxAccErrPct: worst((r) => ((r.acc - r.want) / (G * Math.sin(theta))) * 100, slide),
    maxCreep: worst(
      (r) => r.creep,
      rows.filter((r) => r.k > 1),
    ),
    maxSide: worst((r) => r.side),
  };
}

const PLATE = box(0.5, 0.3, 0.1),
  SPIN = [0.05, 8, 0],
  SECONDS = 20;

/**
 * Free rotation about the middle axis: flips, energy and angular momentum, as the engine comes and with
 * gyroscopic terms asked for.
 */
function freeRotation(engine) {
  const run = (gyroscopic) => {
    let first,
      sign = 1,
      flips = 0,
      energyMax = 0,
      momentumMax = 0,
      dirMax = 0,
      energy,
      momentum;
    watch(
      engine,
      {
        gravity: [0, 0, 0],
        steps: SECONDS * 60,
        bodies: [{ shape: PLATE, position: [0, 0, 0], spin: SPIN, gyroscopic }],
      },
      ([r], step, [b]) => {
        const m = motion(b, r);
        first ??= m;
        const l = length(m.momentum),
          l0 = length(first.momentum);
        energy = (m.energy / first.energy - 1) * 100;
        momentum = (l / l0 - 1) * 100;
        energyMax = Math.max(energyMax, Math.abs(energy));
        momentumMax = Math.max(momentumMax, Math.abs(momentum));
        dirMax = Math.max(
          dirMax,
          (Math.acos(Math.min(1, dot(m.momentum, first.momentum) / l / l0)) * 180) / Math.PI,
        );
        const s = Math.sign(dot(rotate(r.slice(3, 7), [0, 1, 0]), first.momentum));
        if (s && s !== sign) {
          ++flips;
          sign = s;
        }
      },
    );
    return {
      flips,
      energyPct: energy,
      energyMaxPct: energyMax,
      angMomPct: momentum,
      angMomMaxPct: momentumMax,
      dirMaxDeg: dirMax,
    };
  };
  const byDefault = run(false),
    optIn = run(true);
  return {
    reference: exactFlips(),
    flips: byDefault.flips,
    flipsOptIn: optIn.flips,
    energyPct: byDefault.energyPct,
    dirMaxDeg: byDefault.dirMaxDeg,
    default: byDefault,
    optIn,
  };
}

/** Euler's equations by Runge and Kutta: how often the spin along the middle axis changes its sign. */
function exactFlips() {
  const { inertia } = massOf(PLATE),
    I = inertia.map((row, i) => row[i]),
    h = 1e-4;
  const rate = (w) => {
    const t = cross(
      w,
      w.map((x, i) => x * I[i]),
    );
    return t.map((x, i) => -x / I[i]);
  };
  let w = SPIN,
    flips = 0;
  for (let t = 0; t < SECONDS; t += h) {
    const a = rate(w),
      b = rate(add(w, scale(a, h / 2))),
      c = rate(add(w, scale(b, h / 2))),
      d = rate(add(w, scale(c, h)));
    const next = add(w, scale(add(add(a, scale(b, 2)), add(scale(c, 2), d)), h / 6));
    if (next[1] * w[1] < 0) ++flips;
    w = next;
  }
  return flips;
}

/** A ball dropped from 5 m with restitution 0.8: six apexes against 5·0.64ⁿ. */
function bounce(engine) {
  const radius = 0.5,
    apex = [];
  let before;
  watch(
    engine,
    {
      steps: 600,
      bodies: [
        { ...floor, restitution: 0.8 },
        { shape: sphere(radius), position: [0, 5 + radius, 0], restitution: 0.8 },
      ],
    },
    ([, r]) => {
      if (before && before[8] > 0 && r[8] <= 0 && apex.length < 6)
        apex.push(before[1] - radius + before[8] ** 2 / (2 * G));
      before = r;
    },
  );
  const errPct = apex.map((h, n) => (h / (5 * 0.64 ** (n + 1)) - 1) * 100);
  return { apex, errPct, first: errPct[0], worst4: Math.max(...errPct.slice(0, 4).map(Math.abs)) };
}

/**
 * Five thousand bodies made, stepped once, read, a hundred of them replaced, freed; then three times more
 * for leaks.
 */
function traffic(engine) {
  const count = 5000,
    shape = box(0.25, 0.25, 0.25),
    poses = new Float32Array((count + 2000) * ROW);
  const one = (i) => body({ shape, position: [(i % 50) * 2, 10, Math.floor(i / 50) * 2] });
  const timed = (f) => {
    const t = performance.now();
    f();
    return performance.now() - t;
  };
  const median = (f, n) => Array.from({ length: n }, f).sort((a, b) => a - b)[n >> 1];
  const fill = () => {
    const world = engine.world({ gravity: [0, -G, 0], sleep: false, dt: DT });
    for (let i = 0; i < count; ++i) world.addBody(one(i));
    world.commit?.();
    return world;
  };
  let world,
    next = 0;
  const addMs = timed(() => {
      world = fill();
    }),
    firstStepMs = timed(() => world.step(DT));
  const readMs = median(() => timed(() => world.read(poses)), 21);
  const churn100Ms = world.removeBody
    ? median(
        () =>
          timed(() => {
            for (let i = 0; i < 100; ++i) {
              world.removeBody(next);
              world.addBody(one(next++));
            }
          }),
        11,
      )
    : null;
  const freeMs = timed(() => world.free()),
    heap = engine.heap();
  for (let i = 0; i < 3; ++i) fill().free();
  return { addMs, firstStepMs, readMs, churn100Ms, freeMs, heapGrowthMB: (engine.heap() - heap) / 1e6 };
}

export const special = { S0: () => ({}), S10: friction, S11: freeRotation, S12: bounce, S13: traffic };
export const names = Object.keys(special);
