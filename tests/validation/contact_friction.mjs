// CF*: dry friction of blocks, balls and ladders.

import {
  Errors,
  add,
  answer,
  dot,
  length,
  plotOf,
  readCase,
  scale,
  simulate,
  sub,
  turnAbout,
} from './simulate.mjs';
import {
  boxOf,
  degrees,
  extremes,
  frictionOf,
  lastZero,
  onGround,
  plane,
  pushed,
  sceneOf,
} from './contact_cases.mjs';

const speedOf = (run, name) => run.of(`body/${name}/velocity`);

// ---- CF01 -------------------------------------------------------------------------------------------------

/** Blocks on the ground, pushed with so many times the Coulomb limit in `count` directions. */
function pushedBlocks({ mass, size, mu, g, count, factors }) {
  const bodies = [];
  const actions = [];
  for (let i = 0; i < count; ++i) {
    factors.forEach((factor, j) => {
      const name = `b${i}x${j}`;
      bodies.push({ name, mass, position: [20 * j, 4 * i, size[2] / 2], geometries: [boxOf(size, 'm')] });
      const angle = (2 * Math.PI * i) / count;
      actions.push(pushed(name, scale(factor * mu * mass * g, [Math.cos(angle), Math.sin(angle), 0])));
    });
  }
  return { bodies, actions };
}

/** Blocks on planes of so many degrees, downhill turned by `headings`. */
function inclinedBlocks({ mass, size, angles, headings }) {
  const bodies = [];
  const geometries = [];
  const downhill = {};
  angles.forEach((angle, i) =>
    headings.forEach((heading, j) => {
      const name = `s${i}x${j}`;
      const [c, s] = [Math.cos(angle * degrees), Math.sin(angle * degrees)];
      const ahead = [Math.cos(heading * degrees), Math.sin(heading * degrees), 0];
      // turns about the level axis square to the heading: the block's own faces stay along the world's axes
      const rotation = turnAbout([-ahead[1], ahead[0], 0], angle * degrees);
      const normal = [s * ahead[0], s * ahead[1], c];
      const at = [-100 - 80 * i, 300 * j, 0];
      geometries.push({
        shape: { type: 'box', halfExtents: [20, 20, 1] },
        position: sub(at, normal),
        rotation,
        material: 'ground',
      });
      bodies.push({
        name,
        mass,
        position: add(at, scale(size[2] / 2, normal)),
        rotation,
        geometries: [boxOf(size, 'm')],
      });
      downhill[name] = [c * ahead[0], c * ahead[1], -s];
    }),
  );
  return { bodies, geometries, downhill };
}

export async function frictionCone(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF01_friction_cone_isotropic_all_directions');
  const { mass, size } = setup.block;
  const mu = parameters.mu ?? setup.mu_static_equals_kinetic;
  const count = parameters.count ?? reference.samples.length;
  const angles = parameters.angles ?? setup.incline.angles_deg;
  const g = -setup.gravity[2];
  const near = tolerance.threshold_force_relative;
  const factors = [0.97, 1 - near, 1 + near, 1.1];
  const flat = pushedBlocks({ mass, size, mu, g, count, factors });
  const hill = inclinedBlocks({ mass, size, angles, headings: [0, 30, 45] });
  const solid = onGround({ m: frictionOf(run, mu) });
  const names = flat.bodies.map(({ name }) => name);
  const errors = new Errors();

  const still = await simulate(
    sceneOf(run, setup.gravity, { ...solid, ...flat, geometries: [plane('ground')] }),
    {
      time: 10,
      every: Math.round(0.5 / run.h),
      record: names.flatMap((n) => [`body/${n}/position`, `body/${n}/velocity`]),
    },
  );
  const at = (t) => still.time.findIndex((time) => time >= t - 1e-9);
  const [from, to] = [at(0.5), at(1.5)];
  const computed = [];
  flat.bodies.forEach(({ name, position }, k) => {
    const factor = factors[k % factors.length];
    const direction = (2 * Math.PI * Math.floor(k / factors.length)) / count;
    const ahead = [Math.cos(direction), Math.sin(direction), 0];
    const velocity = speedOf(still, name);
    if (factor < 1) {
      const place = still.of(`body/${name}/position`);
      errors.add('way below the limit', length(sub(place.at(-1), position).slice(0, 2)));
      errors.add('creep after 0.5 s', length(sub(place.at(-1), place[1]).slice(0, 2)) / 0.95);
      return;
    }
    const time = still.time[to] - still.time[from];
    const acceleration = scale(1 / time, sub(velocity[to], velocity[from]));
    const off = length(sub(acceleration.slice(0, 2), scale((factor - 1) * mu * g, ahead).slice(0, 2)));
    if (factor > 1.05) {
      computed.push(Math.hypot(...acceleration.slice(0, 2)));
      errors.add('acceleration', off / ((factor - 1) * mu * g));
    } else errors.add('limit of the force', off / (mu * g));
  });

  const slide = await simulate(
    sceneOf(run, setup.gravity, { ...solid, bodies: hill.bodies, geometries: hill.geometries }),
    {
      time: 2,
      every: Math.round(0.5 / run.h),
      record: hill.bodies.flatMap(({ name }) => [`body/${name}/position`, `body/${name}/velocity`]),
    },
  );
  hill.bodies.forEach(({ name, position }, k) => {
    const angle = angles[Math.floor(k / 3)] * degrees;
    const expected = Math.max(0, g * (Math.sin(angle) - mu * Math.cos(angle)));
    const velocity = speedOf(slide, name);
    if (expected === 0) {
      const place = slide.of(`body/${name}/position`);
      errors.add(
        'creep on the incline after 0.5 s',
        (dot(sub(place.at(-1), place[1]), hill.downhill[name]) * 10) / 1.5,
      );
      errors.add('way on the incline', dot(sub(place.at(-1), position), hill.downhill[name]));
      return;
    }
    const acceleration = sub(velocity[3], velocity[1]);
    const off = length(sub(acceleration, scale(expected, hill.downhill[name])));
    // of what drives it: near the critical angle the difference of two large forces is small
    errors.add('acceleration on the incline', off / Math.max(expected, tolerance.acceleration_relative * g));
  });
  return answer(
    errors,
    {
      acceleration: [tolerance.acceleration_relative, ''],
      'limit of the force': [tolerance.threshold_force_relative, ''],
      'acceleration on the incline': [tolerance.acceleration_relative, ''],
      'creep after 0.5 s': [tolerance.stick_creep_m_per_10s, 'm in 10 s'],
      'way below the limit': [tolerance.stick_creep_m_per_10s, 'm in 10 s'],
      'creep on the incline after 0.5 s': [tolerance.stick_creep_m_per_10s, 'm in 10 s'],
      'way on the incline': [tolerance.stick_creep_m_per_10s, 'm'],
    },
    {
      ...plotOf(
        'acceleration beyond the limit',
        'm/s²',
        computed.map((_, i) => (360 * i) / count),
        computed,
        computed.map(() => 0.1 * mu * g),
      ),
      x: 'direction, °',
    },
  );
}

// ---- CF04 -------------------------------------------------------------------------------------------------

export async function stoppingDistance(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF04_block_stopping_distance');
  const { mass, size } = setup.block;
  const g = -setup.gravity[2];
  const samples =
    parameters.samples?.map(([mu, v]) => [mu, v, (v * v) / (2 * mu * g), v / (mu * g)]) ?? reference.samples;
  const errors = new Errors();
  let plot;
  for (const longest of [2, 30]) {
    const here = samples
      .map((sample, i) => ({ sample, name: `b${i}` }))
      .filter(({ sample }) => sample[3] > 2 === longest > 2);
    if (here.length === 0) continue;
    const properties = Object.fromEntries(
      here.map(({ sample }) => [`mu${sample[0]}`, frictionOf(run, sample[0])]),
    );
    const scene = sceneOf(run, setup.gravity, {
      ...onGround(properties),
      geometries: [plane('ground')],
      bodies: here.map(({ sample, name }, i) => ({
        name,
        mass,
        position: [0, 3 * i, size[2] / 2],
        velocity: [sample[1], 0, 0],
        geometries: [boxOf(size, `mu${sample[0]}`)],
      })),
    });
    const time = Math.max(...here.map(({ sample }) => sample[3])) + 1.5;
    const result = await simulate(scene, {
      time,
      record: here.flatMap(({ name }) => [`body/${name}/position`, `body/${name}/velocity`]),
    });
    here.forEach(({ sample: [, v0, distance, stop], name }) => {
      const [x, v] = [result.of(`body/${name}/position`), speedOf(result, name)];
      const speeds = v.map(([vx]) => vx);
      errors.add('distance', x.at(-1)[0] / distance - 1);
      errors.add('time', (lastZero(speeds, 0.01 * v0) * run.h) / stop - 1);
      const rest = result.time.findIndex((t) => t > stop + 0.3);
      errors.add('creep at rest', length(sub(x.at(-1), x[rest])));
      plot = plotOf(
        'speed',
        'm/s',
        result.time.filter((t) => t < stop),
        speeds.filter((_, k) => result.time[k] < stop),
        result.time.filter((t) => t < stop).map((t) => v0 * (1 - t / stop)),
      );
    });
  }
  return answer(
    errors,
    {
      distance: [tolerance.distance_relative, ''],
      time: [tolerance.time_relative, ''],
      'creep at rest': [1e-5, 'm in 1 s'],
    },
    plot,
  );
}

// ---- CF05 -------------------------------------------------------------------------------------------------

/** Shape and moment factor of what rolls along x, by name. */
const rollers = {
  'solid sphere': { shape: (radius) => ({ type: 'sphere', radius }), k: 0.4, across: 0.4 },
  'thin spherical shell': { shape: (radius) => ({ type: 'sphere', radius }), k: 2 / 3, across: 2 / 3 },
  'solid cylinder': {
    shape: (radius) => ({ type: 'cylinder', radius, height: radius }),
    k: 0.5,
    across: 1 / 3,
  },
  'thin hoop': { shape: (radius) => ({ type: 'cylinder', radius, height: radius }), k: 1, across: 0.6 },
};

export const roller = (kind, name, { radius, mass, material, ...body }) => {
  const { shape, k, across } = rollers[kind];
  const unit = mass * radius * radius;
  return {
    name,
    mass,
    inertia: [across * unit, k * unit, across * unit],
    geometries: [{ shape: shape(radius), material }],
    ...body,
  };
};

export async function slideToRoll(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF05_slide_to_roll');
  const { radius, mass } = setup;
  const { mu, v0 } = { ...setup, ...parameters };
  const g = -setup.gravity[2];
  const kinds = reference.samples.map(({ body }) => body);
  const bodies = kinds.map((kind, i) =>
    roller(kind, `r${i}`, {
      radius,
      mass,
      material: 'm',
      position: [0, 2 * i, radius],
      velocity: [v0, 0, 0],
    }),
  );
  const time = v0 / (mu * g) + 1.5;
  const result = await simulate(
    sceneOf(run, setup.gravity, {
      ...onGround({ m: frictionOf(run, mu) }),
      geometries: [plane('ground')],
      bodies,
    }),
    {
      time,
      record: bodies.flatMap(({ name }) =>
        ['position', 'velocity', 'angularVelocity'].map((what) => `body/${name}/${what}`),
      ),
    },
  );
  const errors = new Errors();
  let plot;
  kinds.forEach((kind, i) => {
    const { k } = rollers[kind];
    const [final, rolling] = [v0 / (1 + k), v0 / (mu * g * (1 + 1 / k))];
    const v = speedOf(result, `r${i}`).map(([vx]) => vx);
    const spin = result.of(`body/r${i}/angularVelocity`).map(([, wy]) => wy);
    const x = result.of(`body/r${i}/position`).map(([at]) => at);
    const measured =
      lastZero(
        v.map((vx, n) => vx - radius * spin[n]),
        0.02 * v0,
      ) * run.h;
    errors.add('speed', v.at(-1) / final - 1);
    errors.add('time to rolling', measured / rolling - 1);
    errors.add(
      'way',
      x.at(-1) / (v0 * rolling - (mu * g * rolling * rolling) / 2 + final * (result.time.at(-1) - rolling)) -
        1,
    );
    const later = v.length - 1 - Math.round(0.5 / run.h);
    errors.add('loss while rolling', (v[later] - v.at(-1)) / 0.5);
    plot = plotOf(
      `speed of a ${kind}`,
      'm/s',
      result.time,
      v,
      result.time.map((t) => (t < rolling ? v0 - mu * g * t : final)),
    );
  });
  return answer(
    errors,
    {
      speed: [tolerance.speed_relative, ''],
      'time to rolling': [tolerance.time_relative, ''],
      way: [tolerance.speed_relative, ''],
      'loss while rolling': [tolerance.post_roll_speed_loss_per_s, 'm/s²'],
    },
    plot,
  );
}

// ---- CF13 -------------------------------------------------------------------------------------------------

export async function dryOscillator(run, parameters = {}) {
  const { setup, tolerance } = readCase('CF13_coulomb_spring_oscillator');
  const { mass, spring_k: stiffness, mu, initial_extension: start } = { ...setup, ...parameters };
  const g = -setup.gravity[2];
  const loss = (2 * mu * mass * g) / stiffness;
  const turns = [start];
  while (Math.abs(turns.at(-1)) > loss / 2) {
    turns.push(-Math.sign(turns.at(-1)) * (Math.abs(turns.at(-1)) - loss));
  }
  const half = Math.PI * Math.sqrt(mass / stiffness);
  const stop = half * (turns.length - 1);
  const [rest, z] = [1, 0.02];
  const scene = sceneOf(run, setup.gravity, {
    ...onGround({ m: frictionOf(run, mu) }),
    geometries: [plane('ground')],
    bodies: [
      { name: 'mass', mass, position: [rest + start, 0, z], geometries: [boxOf([0.2, 0.2, 2 * z], 'm')] },
    ],
    constraints: [
      {
        name: 'spring',
        type: 'spring',
        bodies: ['mass', null],
        anchors: [
          [rest + start, 0, z],
          [0, 0, z],
        ],
        stiffness,
        damping: 0,
        length: rest,
      },
    ],
  });
  const result = await simulate(scene, {
    time: stop + 10.5,
    record: ['body/mass/position', 'body/mass/velocity'],
  });
  const x = result.of('body/mass/position').map(([at]) => at - rest);
  const errors = new Errors();
  const found = extremes(x).filter(({ at }) => at * run.h < stop - half / 2);
  turns.slice(1, -1).forEach((turn, i) => {
    errors.add('turning points', (found[i]?.value ?? NaN) - turn);
    errors.add('half period', ((found[i]?.at ?? NaN) * run.h) / (half * (i + 1)) - 1);
  });
  const speeds = result.of('body/mass/velocity').map(([v]) => Math.abs(v));
  errors.add('stopping time', (lastZero(speeds, 0.02) * run.h) / stop - 1);
  errors.add('where it stops', x.at(-1) - turns.at(-1));
  errors.add('creep', x.at(-1) - x[x.length - 1 - Math.round(10 / run.h)]);
  const shown = result.time.filter((t) => t <= stop);
  return answer(
    errors,
    {
      'turning points': [tolerance.position_m, 'm'],
      'half period': [tolerance.time_relative, ''],
      'stopping time': [tolerance.time_relative, ''],
      'where it stops': [tolerance.position_m, 'm'],
      creep: [tolerance.creep_m_per_10s, 'm in 10 s'],
    },
    plotOf(
      'extension',
      'm',
      shown,
      x.slice(0, shown.length),
      shown.map((t) => {
        const n = Math.min(Math.floor(t / half), turns.length - 2);
        const middle = (turns[n] + turns[n + 1]) / 2;
        return middle + (turns[n] - middle) * Math.cos((Math.PI * (t - n * half)) / half);
      }),
    ),
  );
}
