// IM*: bounces, cradles and rods. Impacts are told by the flight between them: a ball in free flight reads
// its velocity at the time of its position, so that two samples say when and how high it flies.

import { Errors, answer, dot, length, plotOf, readCase, scale, simulate, sub } from './simulate.mjs';
import { boxOf, degrees, plane, sceneOf, sphere } from './contact_cases.mjs';

// ---- IM01 -------------------------------------------------------------------------------------------------

/** Flights of a ball over the ground: { apex, begin (s) } of those that reach their highest point. */
function flightsOf(times, heights, speeds, g) {
  const flights = [];
  for (let k = 1; k < times.length; ++k) {
    if (!(speeds[k - 1] > 0 && speeds[k] <= 0)) continue;
    // both samples belong to one flight: the later speed is the earlier less g h
    const apex = heights[k - 1] + speeds[k - 1] ** 2 / (2 * g);
    const top = times[k - 1] + speeds[k - 1] / g;
    flights.push({ apex, top, begin: top - Math.sqrt(Math.max(0, 2 * apex) / g) });
  }
  return flights;
}

export async function bouncingBall(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('IM01_bouncing_ball_sequence');
  const { radius, mass } = { ...setup.sphere, ...parameters };
  const drop = parameters.drop ?? setup.drop_height_of_lowest_point;
  const g = -setup.gravity[2];
  const least = parameters.restitutions ?? reference.runs.map(({ restitution }) => restitution);
  const count = parameters.count ?? 10;
  const errors = new Errors();
  let plot;
  for (const e of least) {
    const scene = sceneOf(run, setup.gravity, {
      materials: [{ name: 'ball' }, { name: 'ground' }],
      contactMaterials: [{ materials: ['ball', 'ground'], restitution: e, friction: 0 }],
      geometries: [plane('ground')],
      bodies: [{ name: 'ball', mass, position: [0, 0, radius + drop], geometries: [sphere(radius, 'ball')] }],
    });
    const result = await simulate(scene, { time: 20, record: ['body/ball/position', 'body/ball/velocity'] });
    const heights = result.of('body/ball/position').map(([, , z]) => z - radius);
    const speeds = result.of('body/ball/velocity').map(([, , v]) => v);
    const energies = heights.map((z, k) => z + speeds[k] ** 2 / (2 * g));
    const flights = flightsOf(result.time, heights, speeds, g);
    const wanted = [];
    let begin = Math.sqrt((2 * drop) / g);
    for (let n = 1; n <= count; ++n) {
      wanted.push({ apex: drop * e ** (2 * n), begin });
      begin += 2 * e ** n * Math.sqrt((2 * drop) / g);
    }
    wanted.forEach(({ apex, begin: at }, n) => {
      errors.add('apexes', (flights[n]?.apex ?? NaN) / apex - 1);
      errors.add('times of impacts', (flights[n]?.begin ?? NaN) / at - 1);
    });
    if (e === 1) {
      energies.forEach((energy) => errors.add('energy over 20 s, e = 1', energy / drop - 1));
    } else {
      errors.add(
        'rise of energy',
        Math.max(0, ...energies.slice(1).map((energy, k) => energy - energies[k])) / drop,
      );
      const zeno = (Math.sqrt((2 * drop) / g) * (1 + e)) / (1 - e);
      const rest = result.time.findIndex((t) => t > zeno + 1);
      errors.add('speed at rest', Math.max(...speeds.slice(rest).map(Math.abs)));
      errors.add('height at rest', heights.at(-1));
    }
    plot = {
      ...plotOf(
        `apexes, e = ${e}`,
        'm',
        wanted.map((_, n) => n + 1),
        wanted.map((_, n) => flights[n]?.apex ?? 0),
        wanted.map(({ apex }) => apex),
      ),
      x: 'bounce',
    };
  }
  const limits = {
    apexes: [tolerance.apex_relative, ''],
    'times of impacts': [tolerance.time_relative, ''],
    'energy over 20 s, e = 1': [tolerance.energy_relative_for_e1_20s, ''],
    'rise of energy': [1e-3, ''],
    'speed at rest': [1e-4, 'm/s'],
    'height at rest': [1e-4, 'm'],
  };
  if (!least.includes(1)) delete limits['energy over 20 s, e = 1'];
  return answer(errors, limits, plot);
}

// ---- IM03 -------------------------------------------------------------------------------------------------

function cradle(run, { gravity, balls, length: long, gap, angle, raised }) {
  const pitch = 2 * balls.radius + gap;
  const turn = angle * degrees;
  const names = Array.from({ length: balls.count }, (_, i) => `b${i}`);
  return sceneOf(run, gravity, {
    materials: [{ name: 'm' }],
    contactMaterials: [{ materials: ['m', 'm'], restitution: balls.restitution, friction: 0 }],
    bodies: names.map((name, i) => ({
      name,
      mass: balls.mass,
      position:
        i < raised ? [i * pitch - long * Math.sin(turn), 0, long - long * Math.cos(turn)] : [i * pitch, 0, 0],
      geometries: [sphere(balls.radius, 'm')],
    })),
    constraints: names.map((name, i) => ({
      name: `s${i}`,
      type: 'distance',
      bodies: [name, null],
      anchors: [
        i < raised ? [i * pitch - long * Math.sin(turn), 0, long - long * Math.cos(turn)] : [i * pitch, 0, 0],
        [i * pitch, 0, long],
      ],
      compliance: 1e-12,
    })),
  });
}

export async function newtonsCradle(run, parameters = {}) {
  const { setup, tolerance } = readCase('IM03_newtons_cradle');
  const balls = { ...setup.balls, ...parameters.balls };
  const angle = parameters.angle ?? setup.raised_angle_deg;
  const gap = parameters.gap ?? setup.gap;
  const g = -setup.gravity[2];
  const long = setup.strings.length;
  const speed = Math.sqrt(2 * g * long * (1 - Math.cos(angle * degrees)));
  const quarter = (Math.PI / 2) * Math.sqrt(long / g) * (1 + (angle * degrees) ** 2 / 16);
  const errors = new Errors();
  let plot;
  for (const raised of parameters.cases ?? setup.cases) {
    const scene = cradle(run, { gravity: setup.gravity, balls, length: long, gap, angle, raised });
    const names = scene.bodies.map(({ name }) => name);
    const result = await simulate(scene, {
      time: 4,
      record: [
        ...names.flatMap((n) => [`body/${n}/position`, `body/${n}/velocity`]),
        'world/kineticEnergy',
        'world/potentialEnergy',
      ],
    });
    // speeds at the lowest point, by the energy of each ball, a fifth of a quarter after the first exchange
    const k = Math.round((1.2 * quarter) / run.h);
    names.forEach((name, i) => {
      const [v, x] = [result.of(`body/${name}/velocity`)[k], result.of(`body/${name}/position`)[k]];
      const lowest = Math.sign(v[0]) * Math.sqrt(dot(v, v) + 2 * g * Math.max(0, x[2]));
      errors.add('speeds after the exchange', lowest / speed - (i >= names.length - raised ? 1 : 0));
    });
    const last = names.at(-1);
    const pitch = 2 * balls.radius + gap;
    const angles = result
      .of(`body/${last}/position`)
      .map(([x]) => Math.asin((x - (names.length - 1) * pitch) / long) / degrees);
    errors.add(
      'angle of the last ball',
      Math.max(...angles.slice(0, Math.round((3 * quarter) / run.h))) - angle,
    );
    const energy = result
      .of('world/kineticEnergy')
      .map((kinetic, n) => kinetic + result.of('world/potentialEnergy')[n]);
    const all = raised * balls.mass * g * long * (1 - Math.cos(angle * degrees));
    energy.forEach((value) => errors.add('energy over 4 s', (value - energy[0]) / all));
    if (plot) continue;
    const every = Math.max(1, Math.round(0.05 / run.h));
    const shown = result.time.map((_, n) => n).filter((n) => n % every === 0 && result.time[n] < 2);
    const period = 4 * quarter;
    plot = plotOf(
      'angle of the last ball, one raised',
      '°',
      shown.map((n) => result.time[n]),
      shown.map((n) => angles[n]),
      shown.map((n) => {
        const phase = (result.time[n] / period) % 1;
        return phase < 0.25 || phase > 0.75 ? 0 : angle * Math.sin(2 * Math.PI * (phase - 0.25));
      }),
    );
  }
  const { masses, velocities, gaps } = { ...setup.line_case, ...parameters.line };
  const radius = 0.05;
  const line = sceneOf(run, [0, 0, 0], {
    materials: [{ name: 'm' }],
    contactMaterials: [{ materials: ['m', 'm'], restitution: 1, friction: 0 }],
    bodies: masses.map((mass, i) => ({
      name: `b${i}`,
      mass,
      position: [i * (2 * radius + gaps), 0, 0],
      velocity: [velocities[i], 0, 0],
      geometries: [sphere(radius, 'm')],
    })),
  });
  const names = masses.map((_, i) => `body/b${i}/velocity`);
  const after = await simulate(line, { time: 0.5, record: names });
  sequential(masses, velocities).forEach((v, i) =>
    errors.add('speeds of the graded line', (after.of(names[i]).at(-1)[0] - v) / velocities[0]),
  );
  return answer(
    errors,
    {
      'speeds after the exchange': [tolerance.velocity_fraction, 'of the impact'],
      'angle of the last ball': [tolerance.angle_deg, '°'],
      'energy over 4 s': [tolerance.energy_relative, ''],
      'speeds of the graded line': [tolerance.velocity_fraction, 'of the first'],
    },
    plot,
  );
}

/** Speeds after all elastic impacts of balls in a line, one after the other. */
function sequential(masses, velocities) {
  const v = [...velocities];
  for (let i = 0, rounds = 0; i + 1 < v.length && rounds < 1000; ++i, ++rounds) {
    if (v[i] <= v[i + 1] + 1e-12) continue;
    const [a, b] = [masses[i], masses[i + 1]];
    const centre = (a * v[i] + b * v[i + 1]) / (a + b);
    [v[i], v[i + 1]] = [2 * centre - v[i], 2 * centre - v[i + 1]];
    i = -1;
  }
  return v;
}

// ---- IM05 -------------------------------------------------------------------------------------------------

async function rodOnPeg(run, { length: long, mass, speed, e }) {
  const radius = 0.02;
  const result = await simulate(
    sceneOf(run, [0, 0, 0], {
      materials: [{ name: 'm' }],
      contactMaterials: [{ materials: ['m', 'm'], restitution: e, friction: 0 }],
      geometries: [{ ...sphere(0.05, 'm'), position: [long / 2, 0, 0] }],
      bodies: [
        {
          name: 'rod',
          mass,
          inertia: [(mass * long ** 2) / 12, (mass * long ** 2) / 12, (mass * long ** 2) / 12],
          position: [0, 0, 0.05 + radius + 0.1],
          velocity: [0, 0, -speed],
          geometries: [boxOf([long + 2 * radius, 2 * radius, 2 * radius], 'm')],
        },
      ],
    }),
    { time: 0.1 / speed + 2.5 * run.h, record: ['body/rod/velocity', 'body/rod/angularVelocity'] },
  );
  const omega = result.of('body/rod/angularVelocity').at(-1);
  return { velocity: -result.of('body/rod/velocity').at(-1)[2], omega: Math.abs(omega[1]) };
}

async function obliqueSpheres(run, { mass, radius, speed, offset, e }) {
  const result = await simulate(
    sceneOf(run, [0, 0, 0], {
      materials: [{ name: 'm' }],
      contactMaterials: [{ materials: ['m', 'm'], restitution: e, friction: 0 }],
      bodies: [
        {
          name: 'a',
          mass: mass[0],
          position: [-0.5, 0, 0],
          velocity: [speed, 0, 0],
          geometries: [sphere(radius, 'm')],
        },
        { name: 'b', mass: mass[1], position: [0, offset, 0], geometries: [sphere(radius, 'm')] },
      ],
    }),
    { time: 0.5, record: ['body/a/velocity', 'body/b/velocity'] },
  );
  return ['a', 'b'].map((name) => result.of(`body/${name}/velocity`).at(-1));
}

async function caughtBullet(run, { mass, speed, block_mass: blockMass }) {
  const result = await simulate(
    sceneOf(run, [0, 0, 0], {
      materials: [{ name: 'm' }],
      contactMaterials: [{ materials: ['m', 'm'], restitution: 0, friction: 0.5 }],
      bodies: [
        {
          name: 'bullet',
          mass,
          fast: true,
          position: [-1, 0, 0],
          velocity: [speed, 0, 0],
          geometries: [sphere(0.01, 'm')],
        },
        { name: 'block', mass: blockMass, position: [0.1, 0, 0], geometries: [boxOf([0.2, 0.2, 0.2], 'm')] },
      ],
    }),
    {
      time: 0.5,
      record: ['body/bullet/velocity', 'body/block/velocity', 'world/kineticEnergy', 'world/momentum'],
    },
  );
  const energy = result.of('world/kineticEnergy');
  return {
    speeds: ['bullet', 'block'].map((name) => result.of(`body/${name}/velocity`).at(-1)[0]),
    loss: energy[0] - energy.at(-1),
    momentum: result.of('world/momentum').at(-1)[0],
  };
}

export async function rodAndTwoBodies(run, parameters = {}) {
  const { setup, tolerance } = readCase('IM05_rod_and_two_body_impacts');
  const within = tolerance.velocity_relative;
  const errors = new Errors();
  const rod = { ...setup.rod, ...parameters.rod };
  const measured = [];
  const expected = [];
  for (const e of rod.restitution) {
    const { velocity, omega } = await rodOnPeg(run, {
      length: rod.length,
      mass: rod.mass,
      speed: rod.falling_speed,
      e,
    });
    // the end's effective mass is a quarter of the rod's
    const impulse = ((1 + e) * rod.mass * rod.falling_speed) / 4;
    const [v, w] = [rod.falling_speed - impulse / rod.mass, (6 * impulse) / (rod.mass * rod.length)];
    errors.add('rod: velocity', velocity / v - 1);
    errors.add('rod: angular velocity', omega / w - 1);
    measured.push(omega);
    expected.push(w);
  }
  const pair = { ...setup.spheres, ...parameters.spheres };
  const [a, b] = await obliqueSpheres(run, {
    mass: pair.mass,
    radius: pair.radius,
    speed: pair.v1[0],
    offset: pair.impact_parameter,
    e: pair.restitution,
  });
  const sine = pair.impact_parameter / (2 * pair.radius);
  const normal = [Math.sqrt(1 - sine ** 2), sine, 0];
  const [m1, m2] = pair.mass;
  const impulse = ((1 + pair.restitution) * pair.v1[0] * normal[0] * m1 * m2) / (m1 + m2);
  const away = [sub(pair.v1, scale(impulse / m1, normal)), scale(impulse / m2, normal)];
  errors.add('spheres', Math.max(length(sub(a, away[0])), length(sub(b, away[1]))) / pair.v1[0]);
  const bullet = { ...setup.bullet, ...parameters.bullet };
  const caught = await caughtBullet(run, bullet);
  const momentum = bullet.mass * bullet.speed;
  const common = momentum / (bullet.mass + bullet.block_mass);
  caught.speeds.forEach((speed) => errors.add('bullet and block', speed / common - 1));
  errors.add('loss of energy', caught.loss / ((momentum * (bullet.speed - common)) / 2) - 1);
  errors.add('momentum', caught.momentum / momentum - 1);
  return answer(
    errors,
    {
      'rod: velocity': [within, ''],
      'rod: angular velocity': [within, ''],
      spheres: [within, 'of the first'],
      'bullet and block': [within, ''],
      'loss of energy': [within, ''],
      momentum: [1e-9, ''],
    },
    { ...plotOf('angular velocity of the rod', 'rad/s', rod.restitution, measured, expected), x: 'e' },
  );
}
