// SB*: SimBenchmark's scenes with contacts (Kang and Hwangbo, ETH 2018), by its own metrics.

import {
  Errors,
  answer,
  dot,
  energyChannels,
  length,
  plotOf,
  random,
  readCase,
  scale,
  simulate,
  sub,
} from './simulate.mjs';
import { boxOf, frictionOf, mean, plane, pushed, sceneOf, sphere } from './contact_cases.mjs';

const grid = (n) => Array.from({ length: n }, (_, i) => i);
const squares = (values) => values.map((x) => x * x);

// ---- SB01 -------------------------------------------------------------------------------------------------

function slabScene(run, setup, force, mus) {
  const { slab, balls } = setup;
  const centres = grid(5).flatMap((i) => grid(5).map((j) => [2 * i - 4, 2 * j - 4, 1.5]));
  return sceneOf(run, setup.gravity, {
    materials: ['ground', 'slab', 'ball'].map((name) => ({ name })),
    contactMaterials: [
      { materials: ['slab', 'ground'], restitution: 0, ...frictionOf(run, mus.ground) },
      { materials: ['slab', 'ball'], restitution: 0, ...frictionOf(run, mus.ball) },
    ],
    geometries: [plane('ground')],
    bodies: [
      { name: 'slab', mass: slab.mass, position: slab.initial_centre, geometries: [boxOf(slab.box, 'slab')] },
      ...centres.map((position, i) => ({
        name: `ball${i}`,
        mass: balls.mass,
        position,
        geometries: [sphere(balls.radius, 'ball')],
      })),
    ],
    actions: [pushed('slab', force)],
  });
}

export async function rollingSlab(run, parameters = {}) {
  const { setup, tolerance } = readCase('SB01_simbenchmark_rolling');
  const { slab, balls, force } = setup;
  const mus = { ground: setup.mu_slab_ground, ball: setup.mu_ball_slab, ...parameters.mus };
  const g = -setup.gravity[2];
  const count = balls.count;
  const errors = new Errors();
  let plot;
  for (const push of parameters.forces ?? [force.y_case, force.xy_case]) {
    const result = await simulate(slabScene(run, setup, push, mus), {
      time: parameters.duration ?? setup.duration,
      record: ['body/slab/velocity', 'body/ball0/velocity'],
    });
    // balls that roll on the slab have 2/7 of its acceleration
    const drive = length(push) - mus.ground * (slab.mass + count * balls.mass) * g;
    const acceleration = drive / (slab.mass + (2 / 7) * count * balls.mass);
    const ahead = scale(1 / length(push), push);
    const samples = result.time.slice(0, -1).map((t, k) => {
      const off = sub(result.of('body/slab/velocity')[k], scale(acceleration * t, ahead));
      const offBall = sub(result.of('body/ball0/velocity')[k], scale((2 / 7) * acceleration * t, ahead));
      return dot(off, off) + dot(offBall, offBall);
    });
    errors.add('metric', mean(samples));
    const final = result.of('body/slab/velocity').at(-1);
    errors.add('speed of the slab', dot(final, ahead) / (acceleration * result.time.at(-1)) - 1);
    const every = Math.round(0.2 / run.h);
    const shown = result.time.filter((_, k) => k % every === 0);
    plot = plotOf(
      'speed of the slab, oblique',
      'm/s',
      shown,
      shown.map((_, i) => length(result.of('body/slab/velocity')[i * every])),
      shown.map((t) => acceleration * t),
    );
  }
  return answer(errors, { metric: [tolerance.metric, 'm²/s²'], 'speed of the slab': [1e-3, ''] }, plot);
}

// ---- SB02, SB03, SB04 -------------------------------------------------------------------------------------

const ballsScene = (run, gravity, { centres, radius, mass, restitution, mu }) =>
  sceneOf(run, gravity, {
    materials: [{ name: 'm' }],
    contactMaterials: [{ materials: ['m', 'm'], restitution, friction: mu }],
    geometries: [plane('m')],
    bodies: centres.map((position, i) => ({
      name: `b${i}`,
      mass,
      position,
      geometries: [sphere(radius, 'm')],
    })),
  });

const energiesOf = (result) =>
  result.of('world/kineticEnergy').map((kinetic, k) => kinetic + result.of('world/potentialEnergy')[k]);

const energyPlot = (result, energies) => {
  const every = Math.max(1, Math.round(energies.length / 100));
  const shown = energies.map((_, k) => k).filter((k) => k % every === 0);
  return plotOf(
    'energy over its first value',
    '',
    shown.map((k) => result.time[k]),
    shown.map((k) => energies[k] / energies[0]),
    shown.map(() => 1),
  );
};

/** All balls of SB02 do the same: `side` of them a side, their energy counted as that of all. */
export async function bouncingBalls(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('SB02_simbenchmark_bouncing');
  const side = parameters.side ?? 7;
  const { radius, mass, count } = setup.balls;
  const centres = grid(side).flatMap((i) => grid(side).map((j) => [2 * i, 2 * j, 5]));
  const result = await simulate(
    ballsScene(run, setup.gravity, { centres, radius, mass, restitution: setup.restitution, mu: setup.mu }),
    { time: parameters.duration ?? setup.duration, record: energyChannels },
  );
  const energies = energiesOf(result).map((energy) => (energy * count) / (side * side));
  const errors = new Errors();
  errors.add('metric', mean(squares(energies.map((energy) => energy - reference.total_energy_J))));
  return answer(errors, { metric: [tolerance.metric_at_dt_1e_3, 'J²'] }, energyPlot(result, energies));
}

/** Six layers of six by six balls, a little off their places. */
function heapCentres(bottom, seed) {
  const next = random(seed);
  return grid(6).flatMap((i) =>
    grid(6).flatMap((j) =>
      grid(6).map((k) => [
        0.21 * i + 1e-3 * next(),
        0.21 * j + 1e-3 * next(),
        0.21 * k + 1e-3 * next() + bottom,
      ]),
    ),
  );
}

/** Σ overlap² of balls with one another and with the ground. */
function overlaps(places, radius) {
  let sum = 0;
  places.forEach((a, i) => {
    sum += Math.max(0, radius - a[2]) ** 2;
    for (let j = i + 1; j < places.length; ++j) {
      const b = places[j];
      if (Math.abs(a[0] - b[0]) < 2 * radius && Math.abs(a[1] - b[1]) < 2 * radius)
        sum += Math.max(0, 2 * radius - length(sub(a, b))) ** 2;
    }
  });
  return sum;
}

export async function inelasticHeap(run, parameters = {}) {
  const { setup, tolerance } = readCase('SB03_simbenchmark_666');
  const { radius, mass } = setup.balls;
  const scene = ballsScene(run, setup.gravity, {
    centres: heapCentres(0.101, parameters.seed ?? 1),
    radius,
    mass,
    restitution: setup.restitution,
    mu: setup.mu,
  });
  const names = scene.bodies.map(({ name }) => `body/${name}/position`);
  const every = parameters.every ?? 10;
  const result = await simulate(scene, { time: parameters.duration ?? setup.duration, every, record: names });
  const sums = result.time.map((_, k) =>
    overlaps(
      names.map((name) => result.of(name)[k]),
      radius,
    ),
  );
  const errors = new Errors();
  errors.add('metric', mean(sums));
  return answer(
    errors,
    { metric: [tolerance.metric_at_dt_1e_3, 'm²'] },
    plotOf(
      'Σ overlap²',
      'm²',
      result.time,
      sums,
      sums.map(() => 0),
    ),
  );
}

export async function elasticHeap(run, parameters = {}) {
  const { setup, tolerance } = readCase('SB04_simbenchmark_elastic666');
  const { balls } = readCase('SB03_simbenchmark_666').setup;
  const scene = ballsScene(run, setup.gravity, {
    centres: heapCentres(1.101, parameters.seed ?? 1),
    radius: balls.radius,
    mass: balls.mass,
    restitution: setup.restitution,
    mu: setup.mu,
  });
  const result = await simulate(scene, {
    time: parameters.duration ?? setup.duration,
    record: energyChannels,
  });
  const energies = energiesOf(result);
  const errors = new Errors();
  errors.add('metric', mean(squares(energies.map((energy) => energy - energies[0]))));
  return answer(errors, { metric: [tolerance.metric_at_dt_1e_3, 'J²'] }, energyPlot(result, energies));
}

// ---- SB05 -------------------------------------------------------------------------------------------------

/** Sizes and centres of the building's blocks, the last one the highest at the left end. */
function building(floors) {
  const blocks = [];
  const base = [0.05, 0.25, 0.1];
  const wall = [0.2, 0.05, 0.1];
  for (let i = 0; i < floors; ++i) {
    for (let j = 0; j < 8; ++j) blocks.push([base, [0.2 * j, 0, 0.2 * i + 0.05]]);
    const z = 0.2 * i + 0.15;
    for (let j = 0; j < 4; ++j) blocks.push([wall, [0.4 * j + 0.1, -0.1, z]]);
    for (let j = 0; j < 3; ++j) blocks.push([wall, [0.4 * j + 0.3, 0.1, z]]);
    blocks.push([wall, [1.3, 0.1, z]], [wall, [0.1, 0.1, z]]);
  }
  return blocks;
}

export async function kaplaBuilding(run, parameters = {}) {
  const { setup, tolerance } = readCase('SB05_simbenchmark_kapla');
  const { mass, floors } = { ...setup.blocks, ...parameters };
  const steps = parameters.steps ?? tolerance.survive_steps;
  const scene = sceneOf(run, setup.gravity, {
    materials: [{ name: 'm' }],
    contactMaterials: [{ materials: ['m', 'm'], restitution: 0, ...frictionOf(run, parameters.mu ?? 0.8) }],
    geometries: [plane('m')],
    bodies: building(floors).map(([size, position], i) => ({
      name: `b${i}`,
      mass,
      position,
      geometries: [boxOf(size, 'm')],
    })),
  });
  const names = scene.bodies.map(({ name }) => `body/${name}/position`);
  const every = Math.round(1 / run.h);
  const result = await simulate(scene, { time: steps * run.h, every, record: names });
  const top = result.of(names.at(-1));
  const standing = top.findIndex(([, , z]) => z < top[0][2] - 0.15);
  const drift = (k) => Math.max(...names.map((name) => length(sub(result.of(name)[k], result.of(name)[0]))));
  const errors = new Errors();
  errors.add('steps short of all', standing < 0 ? 0 : steps - standing * every);
  errors.add('drift of a block', drift(result.time.length - 1));
  return answer(
    errors,
    { 'steps short of all': [0, ''], 'drift of a block': [tolerance.block_drift_m, 'm'] },
    plotOf(
      'drift of the worst block',
      'm',
      result.time,
      result.time.map((_, k) => drift(k)),
      result.time.map(() => 0),
    ),
  );
}
