// CF02, CF07, CF08, CF09, EF01, EF04: friction of two coefficients, rolling and spinning friction, patches,
// elastic foundations, adhesion.

import { Errors, answer, length, plotOf, readCase, scale, simulate, sub } from './simulate.mjs';
import {
  boxOf,
  degrees,
  extremes,
  lastZero,
  onGround,
  plane,
  pushed,
  sceneOf,
  sphere,
} from './contact_cases.mjs';
import { roller } from './contact_friction.mjs';

const g = 9.81;
const gravity = [0, 0, -g];
const solid = (properties) => ({ ...onGround({ m: properties }), geometries: [plane('ground')] });

// ---- CF02 -------------------------------------------------------------------------------------------------

const twoCoefficients = (mu1, mu2) => ({
  friction: [mu1, mu2],
  frictionModel: { type: 'cone', exactCone: true, primary: [1, 0, 0] },
});

/** Stopping path of the flow rule, by small steps: { time, place, at(t) }. */
function slidingPath(mu1, mu2, velocity) {
  const steps = 20000;
  const dt = (2 * length(velocity)) / (Math.min(mu1, mu2) * g) / steps;
  let [x, v] = [[0, 0], [...velocity]];
  const points = [[0, ...x]];
  const rate = ([a, b]) => {
    const size = Math.hypot(mu1 * a, mu2 * b);
    return size > 0 ? [(-g * mu1 * mu1 * a) / size, (-g * mu2 * mu2 * b) / size] : [0, 0];
  };
  let t = 0;
  while (length(v) > 1e-9 && points.length < 2 * steps) {
    const middle = v.map((value, k) => value + (dt / 2) * rate(v)[k]);
    const next = v.map((value, k) => value + dt * rate(middle)[k]);
    x = x.map((value, k) => value + dt * middle[k]);
    t += dt;
    points.push([t, ...x]);
    if (next[0] * v[0] + next[1] * v[1] <= 0) break;
    v = next;
  }
  return { time: t, place: x, points };
}

export async function ellipticCone(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF02_friction_cone_elliptic');
  const { mass, size } = setup.block;
  const { mu1, mu2 } = { ...setup, ...parameters };
  const at = (i) => [0, 10 * i, size[2] / 2];
  const errors = new Errors();
  const azimuths = reference.threshold.map(([azimuth]) => azimuth);
  const within = tolerance.threshold_relative;
  const limitOf = (angle) => 1 / Math.hypot(Math.cos(angle) / mu1, Math.sin(angle) / mu2);
  const pushes = azimuths.flatMap((azimuth) =>
    [1 - within, 1 + within, 1.05].map((factor) => [azimuth * degrees, factor]),
  );
  const still = await simulate(
    sceneOf(run, gravity, {
      ...solid(twoCoefficients(mu1, mu2)),
      bodies: pushes.map((_, i) => ({
        name: `b${i}`,
        mass,
        position: at(i),
        geometries: [boxOf(size, 'm')],
      })),
      actions: pushes.map(([angle, factor], i) =>
        pushed(`b${i}`, scale(factor * limitOf(angle) * mass * g, [Math.cos(angle), Math.sin(angle), 0])),
      ),
    }),
    { time: 2, every: Math.round(1 / run.h), record: pushes.map((_, i) => `body/b${i}/velocity`) },
  );
  let wrong = 0;
  pushes.forEach(([angle, factor], i) => {
    const velocity = still.of(`body/b${i}/velocity`)[1];
    const speed = Math.hypot(velocity[0], velocity[1]);
    if (factor < 1 ? speed > 1e-4 : speed < 1e-3) ++wrong;
    if (factor !== 1 + within) return;
    // at the onset it slips along the normal of the ellipse
    const onset = Math.atan2(Math.sin(angle) / mu2 ** 2, Math.cos(angle) / mu1 ** 2);
    errors.add('direction at the onset', (Math.atan2(velocity[1], velocity[0]) - onset) / degrees);
  });
  errors.add('blocks that do the other', wrong);

  const headings = reference.sliding.map(({ azimuth_deg: azimuth }) => azimuth * degrees);
  const result = await simulate(
    sceneOf(run, gravity, {
      ...solid(twoCoefficients(mu1, mu2)),
      bodies: headings.map((angle, i) => ({
        name: `b${i}`,
        mass,
        position: at(i),
        velocity: scale(setup.initial_speed, [Math.cos(angle), Math.sin(angle), 0]),
        geometries: [boxOf(size, 'm')],
      })),
    }),
    { time: 2, record: headings.map((_, i) => `body/b${i}/position`) },
  );
  let plot;
  headings.forEach((angle, i) => {
    const path = slidingPath(mu1, mu2, scale(setup.initial_speed, [Math.cos(angle), Math.sin(angle)]));
    const stop = sub(result.of(`body/b${i}/position`).at(-1), at(i)).slice(0, 2);
    errors.add('where it stops', length(sub(stop, path.place)) / length(path.place));
    const every = Math.max(1, Math.round(0.05 / run.h));
    const shown = result.time.map((_, k) => k).filter((k) => k % every === 0 && result.time[k] < path.time);
    const dt = path.points[1][0];
    plot = plotOf(
      'way along y',
      'm',
      shown.map((k) => result.time[k]),
      shown.map((k) => result.of(`body/b${i}/position`)[k][1] - at(i)[1]),
      shown.map((k) => path.points[Math.round(result.time[k] / dt)][2]),
    );
  });
  return answer(
    errors,
    {
      'where it stops': [tolerance.stop_position_relative, ''],
      'blocks that do the other': [0, ''],
      'direction at the onset': [tolerance.onset_direction_deg, '°'],
    },
    plot,
  );
}

// ---- CF07, CF08, CF09 -------------------------------------------------------------------------------------

const kinds = { sphere: 'solid sphere', cylinder: 'solid cylinder' };
const momentOf = { sphere: 0.4, cylinder: 0.5 };

export async function rollingResistance(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF07_rolling_resistance');
  const { radius, mass, mu, v0 } = { ...setup, ...parameters };
  const errors = new Errors();
  let plot;
  for (const [kind, c] of parameters.samples ?? reference.samples) {
    const deceleration = (c * g) / (radius * (1 + momentOf[kind]));
    const [stop, distance] = [v0 / deceleration, (v0 * v0) / (2 * deceleration)];
    const result = await simulate(
      sceneOf(run, gravity, {
        ...solid({ friction: mu, rollingResistance: c }),
        bodies: [
          roller(kinds[kind], 'r', {
            radius,
            mass,
            material: 'm',
            position: [0, 0, radius],
            velocity: [v0, 0, 0],
            angularVelocity: [0, v0 / radius, 0],
          }),
        ],
      }),
      { time: stop + 2, record: ['body/r/position', 'body/r/velocity'] },
    );
    const speeds = result.of('body/r/velocity').map(([v]) => v);
    errors.add('stopping distance', result.of('body/r/position').at(-1)[0] / distance - 1);
    errors.add('stopping time', (lastZero(speeds, 0.02 * v0) * run.h) / stop - 1);
    errors.add('speed at rest', Math.abs(speeds.at(-1)));
    const every = Math.max(1, Math.round(0.5 / run.h));
    const shown = result.time.map((_, k) => k).filter((k) => k % every === 0);
    plot = plotOf(
      `speed of a ${kind}`,
      'm/s',
      shown.map((k) => result.time[k]),
      shown.map((k) => speeds[k]),
      shown.map((k) => Math.max(0, v0 - deceleration * result.time[k])),
    );
  }
  // on inclines: what lies still, what begins to roll, and how fast
  let wrong = 0;
  for (const [c, threshold] of reference.incline_threshold_deg) {
    for (const [off, rolls] of [
      [0.98, false],
      [1.02, true],
    ]) {
      const angle = threshold * off * degrees;
      const speed = await speedOnIncline(run, 'sphere', { radius, mass, mu, c, angle, time: 5 });
      if (speed > 1e-4 !== rolls) ++wrong;
    }
  }
  errors.add('balls that do the other', wrong);
  const { angle_deg: angle, c_r: c } = reference.incline_acceleration;
  for (const kind of ['sphere', 'cylinder']) {
    const speed = await speedOnIncline(run, kind, { radius, mass, mu, c, angle: angle * degrees, time: 1 });
    errors.add('acceleration on the incline', speed / reference.incline_acceleration[kind] - 1);
  }
  return answer(
    errors,
    {
      'stopping distance': [tolerance.distance_relative, ''],
      'stopping time': [tolerance.time_relative, ''],
      'speed at rest': [1e-5, 'm/s'],
      'balls that do the other': [0, ''],
      'acceleration on the incline': [tolerance.distance_relative, ''],
    },
    plot,
  );
}

async function speedOnIncline(run, kind, { radius, mass, mu, c, angle, time }) {
  const result = await simulate(
    sceneOf(run, [g * Math.sin(angle), 0, -g * Math.cos(angle)], {
      ...solid({ friction: mu, rollingResistance: c }),
      bodies: [roller(kinds[kind], 'r', { radius, mass, material: 'm', position: [0, 0, radius] })],
    }),
    { time, record: ['body/r/velocity'] },
  );
  return Math.abs(result.of('body/r/velocity').at(-1)[0]);
}

/** Spins about z until friction has stopped it: times and speeds, and how far it drifted. */
async function spun(run, scene, time) {
  const result = await simulate(scene, { time, record: ['body/b/angularVelocity', 'body/b/position'] });
  const places = result.of('body/b/position');
  return {
    times: result.time,
    speeds: result.of('body/b/angularVelocity').map(([, , w]) => w),
    drift: length(sub(places.at(-1), places[0]).slice(0, 2)),
  };
}

export async function spinningSphere(run, parameters = {}) {
  const { setup, tolerance } = readCase('CF08_spinning_friction_sphere');
  const { radius, mass, omega0_z: spin, c_s: coefficients } = { ...setup, ...parameters };
  const errors = new Errors();
  let plot;
  for (const c of coefficients) {
    const deceleration = (c * g) / (0.4 * radius * radius);
    const stop = spin / deceleration;
    const scene = sceneOf(run, gravity, {
      ...solid({ friction: 0.5, spinningFriction: c }),
      bodies: [
        {
          name: 'b',
          mass,
          position: [0, 0, radius],
          angularVelocity: [0, 0, spin],
          geometries: [sphere(radius, 'm')],
        },
      ],
    });
    const { times, speeds } = await spun(run, scene, stop + 1);
    errors.add('stopping time', (lastZero(speeds, 0.02 * spin) * run.h) / stop - 1);
    errors.add(
      'angle turned',
      (speeds.reduce((sum, w) => sum + w, -spin / 2) * run.h) / ((spin * stop) / 2) - 1,
    );
    errors.add('spin at rest', Math.abs(speeds.at(-1)));
    const every = Math.max(1, Math.round(0.1 / run.h));
    const shown = times.map((_, k) => k).filter((k) => k % every === 0);
    plot = plotOf(
      'spin',
      'rad/s',
      shown.map((k) => times[k]),
      shown.map((k) => speeds[k]),
      shown.map((k) => Math.max(0, spin - deceleration * times[k])),
    );
  }
  return answer(
    errors,
    {
      'stopping time': [tolerance.time_relative, ''],
      'angle turned': [tolerance.time_relative, ''],
      'spin at rest': [1e-4, 'rad/s'],
    },
    plot,
  );
}

export async function spinningBlock(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF09_square_block_spin_uniform_pressure');
  const { size, mass } = setup.block;
  const { mu, omega0_z: spin } = { ...setup, ...parameters };
  const deceleration = (6 * mu * g * reference.mean_radius) / size[0] ** 2;
  const stop = spin / deceleration;
  const scene = sceneOf(run, gravity, {
    ...solid({ friction: mu, contactArea: { enabled: true } }),
    bodies: [
      {
        name: 'b',
        mass,
        position: [0, 0, size[2] / 2],
        angularVelocity: [0, 0, spin],
        geometries: [boxOf(size, 'm')],
      },
    ],
  });
  const { times, speeds, drift } = await spun(run, scene, stop + 0.5);
  const errors = new Errors();
  errors.add('stopping time', (lastZero(speeds, 0.02 * spin) * run.h) / stop - 1);
  errors.add('drift', drift);
  return answer(
    errors,
    { 'stopping time': [tolerance.stop_time_relative, ''], drift: [tolerance.drift_m, 'm'] },
    plotOf(
      'spin',
      'rad/s',
      times,
      speeds,
      times.map((t) => Math.max(0, spin - deceleration * t)),
    ),
  );
}

// ---- EF01 -------------------------------------------------------------------------------------------------

/** A bed of so many Pa/m below a plane: a soft layer of 0.1 m. */
const bed = (stiffness, damping) => ({
  friction: 0,
  youngsModulus: stiffness * 0.1,
  damping,
  contactArea: { enabled: true, minRestLength: 0.1, maxRestLength: 0.1 },
});

async function restOn(run, stiffness, body, time = 3) {
  const result = await simulate(
    sceneOf(run, gravity, { ...solid(bed(stiffness, 0.1)), bodies: [{ name: 'b', ...body }] }),
    {
      time,
      record: ['body/b/position'],
    },
  );
  return body.position[2] - result.of('body/b/position').at(-1)[2];
}

export async function elasticFoundation(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('EF01_foundation_block_sphere_static');
  const stiffness = parameters.stiffness ?? 5e7;
  const { block, sphere: ball, cylinder, drop } = setup;
  const errors = new Errors();
  const area = block.size[0] * block.size[1];
  const spring = stiffness * area;

  const lying = {
    mass: block.mass,
    position: [0, 0, block.size[2] / 2],
    geometries: [boxOf(block.size, 'm')],
  };
  errors.add('depth of the block', (await restOn(run, stiffness, lying)) / ((block.mass * g) / spring) - 1);
  const round = { mass: ball.mass, position: [0, 0, ball.radius], geometries: [sphere(ball.radius, 'm')] };
  // F = π k (R d² − d³/3)
  let depth = Math.sqrt((ball.mass * g) / (Math.PI * stiffness * ball.radius));
  for (let i = 0; i < 20; ++i)
    depth = Math.sqrt(((ball.mass * g) / (Math.PI * stiffness) + depth ** 3 / 3) / ball.radius);
  errors.add('depth of the sphere', (await restOn(run, stiffness, round)) / depth - 1);
  const lies = {
    mass: cylinder.mass,
    position: [0, 0, cylinder.radius],
    geometries: [
      { shape: { type: 'cylinder', radius: cylinder.radius, height: cylinder.length }, material: 'm' },
    ],
  };
  const line =
    ((3 * cylinder.mass * g) / (4 * stiffness * cylinder.length * Math.sqrt(2 * cylinder.radius))) ** (2 / 3);
  errors.add('depth of the cylinder', (await restOn(run, stiffness, lies)) / line - 1);

  // a block that falls on the bed swings on it and comes back to its height
  const fine = { ...run, h: Math.min(run.h, 1e-4) };
  const fall = await simulate(
    sceneOf(fine, gravity, {
      ...solid(bed(stiffness, 0)),
      bodies: [{ name: 'b', ...lying, position: [0, 0, block.size[2] / 2 + drop.block_height] }],
    }),
    { time: 0.3, record: ['body/b/position'] },
  );
  const heights = fall.of('body/b/position').map(([, , z]) => z - block.size[2] / 2);
  const turns = extremes(heights);
  const rest = (block.mass * g) / spring;
  const deepest = rest + Math.sqrt(rest * rest + 2 * rest * drop.block_height);
  errors.add('deepest', -(turns.find(({ value }) => value < 0)?.value ?? NaN) / deepest - 1);
  errors.add('rebound', (turns.find(({ value }) => value > 0)?.value ?? NaN) / drop.block_height - 1);
  const bounce = turns.filter(({ value }) => value < 0);
  const expected = 2 * Math.sqrt((2 * drop.block_height) / g) + reference.block.contact_duration;
  errors.add('time of a bounce', (((bounce[1]?.at ?? NaN) - (bounce[0]?.at ?? NaN)) * fine.h) / expected - 1);
  const shown = heights.map((_, k) => k).filter((k) => k % 20 === 0);
  return answer(
    errors,
    {
      'depth of the block': [tolerance.depth_relative, ''],
      'depth of the sphere': [tolerance.depth_relative, ''],
      'depth of the cylinder': [tolerance.depth_relative, ''],
      deepest: [tolerance.depth_relative, ''],
      rebound: [tolerance.rebound_relative, ''],
      'time of a bounce': [tolerance.frequency_relative, ''],
    },
    plotOf(
      'height of the block',
      'm',
      shown.map((k) => fall.time[k]),
      shown.map((k) => heights[k]),
      shown.map((k) => Math.max(-deepest, heights[k])),
    ),
  );
}

// ---- EF04 -------------------------------------------------------------------------------------------------

async function hangs(run, down, scene, time = 2) {
  const result = await simulate(sceneOf(run, [0, 0, -down], scene), { time, record: ['body/b/position'] });
  const places = result.of('body/b/position');
  return places[0][2] - places.at(-1)[2] < 0.01;
}

export async function adhesion(run, parameters = {}) {
  const { setup, tolerance } = readCase('EF04_adhesion_pulloff');
  const { radius, mass, adhesion_force_N: force } = { ...setup.two_spheres, ...parameters.spheres };
  const within = tolerance.threshold_relative;
  const overlap = parameters.overlap ?? 0; // m, by which bodies that adhere rest deeper: the case wants none
  const glued = (most) => ({
    materials: [{ name: 'm' }],
    contactMaterials: [
      { materials: ['m', 'm'], restitution: 0, friction: 0.5, adhesion: { force: most, overlap } },
    ],
  });
  let wrong = 0;
  const spheres = {
    ...glued(force),
    geometries: [{ ...sphere(radius, 'm'), position: [0, 0, 2 * radius] }],
    bodies: [{ name: 'b', mass, position: [0, 0, 0], geometries: [sphere(radius, 'm')] }],
  };
  const own = setup.two_spheres.gravity_cases.map((down) => [down, down * mass < force]);
  for (const [down, holds] of [
    ...own,
    [(1 - within) * (force / mass), true],
    [(1 + within) * (force / mass), false],
  ]) {
    if ((await hangs(run, down, spheres)) !== holds) ++wrong;
  }
  const { block, gravity: down, extra_downward_pull: pulls } = setup.patch;
  const bond = 80;
  const ceiling = {
    ...glued(bond),
    geometries: [{ ...boxOf([1, 1, 0.2], 'm'), position: [0, 0, 0.1 + block.size[2] / 2] }],
    bodies: [{ name: 'b', mass: block.mass, position: [0, 0, 0], geometries: [boxOf(block.size, 'm')] }],
  };
  const edge = bond - block.mass * down;
  for (const pull of [...pulls, (1 - within) * edge, (1 + within) * edge]) {
    const held = await hangs(run, down, { ...ceiling, actions: [pushed('b', [0, 0, -pull])] });
    if (held !== pull < edge) ++wrong;
  }
  const errors = new Errors();
  errors.add('bodies that do the other', wrong);
  // adhesion leaves the depth at which a body rests as it is, and friction bears on N + F_ad
  const rest = async (most) => {
    const result = await simulate(
      sceneOf(run, gravity, {
        ...glued(most),
        geometries: [plane('m')],
        bodies: [{ name: 'b', mass, position: [0, 0, 0.1], geometries: [boxOf([0.2, 0.2, 0.2], 'm')] }],
      }),
      { time: 2, record: ['body/b/position'] },
    );
    return result.of('body/b/position').at(-1)[2];
  };
  errors.add('change of the resting depth', (await rest(force)) + overlap - (await rest(0)));
  return answer(
    errors,
    { 'bodies that do the other': [0, ''], 'change of the resting depth': [1e-6, 'm'] },
    { ...plotOf('bodies that do the other', '', [0, 1], [wrong, wrong], [0, 0]), x: '' },
  );
}
