// CF12: conveyor belts and turntables.

import { Errors, answer, length, plotOf, readCase, simulate } from './simulate.mjs';
import { boxOf, degrees, frictionOf, lastZero, mean, onGround, plane, sceneOf } from './contact_cases.mjs';

/** Speeds along x of a block put on a belt at rest. */
async function onBelt(run, gravity, { mu, mass, size, surfaceVelocity, time }) {
  const result = await simulate(
    sceneOf(run, gravity, {
      ...onGround({ m: frictionOf(run, mu) }),
      geometries: [{ ...plane('ground'), surfaceVelocity }],
      bodies: [{ name: 'block', mass, position: [0, 0, size[2] / 2], geometries: [boxOf(size, 'm')] }],
    }),
    { time, record: ['body/block/position', 'body/block/velocity'] },
  );
  return {
    times: result.time,
    speeds: result.of('body/block/velocity').map(([v]) => v),
    way: result.of('body/block/position').at(-1)[0],
    height: result.of('body/block/position').at(-1)[2],
  };
}

/** How far outwards a small cube has come on a turntable, and what friction holds it with, N/kg. */
async function onTurntable(run, gravity, { omega, mu, radius }) {
  const size = [0.04, 0.04, 0.04];
  const result = await simulate(
    sceneOf(run, gravity, {
      ...onGround({ m: frictionOf(run, mu) }),
      bodies: [
        {
          name: 'table',
          motion: 'kinematic',
          position: [0, 0, -0.1],
          angularVelocity: [0, 0, omega],
          geometries: [boxOf([6, 6, 0.2], 'ground')],
        },
        {
          name: 'block',
          mass: 1,
          position: [radius, 0, 0.02],
          velocity: [0, omega * radius, 0],
          angularVelocity: [0, 0, omega],
          geometries: [boxOf(size, 'm')],
        },
      ],
    }),
    { time: 2, record: ['body/block/position', 'contact/block/table/tangentialForce'] },
  );
  const [x, y] = result.of('body/block/position').at(-1);
  const forces = result.of('contact/block/table/tangentialForce').slice(Math.round(0.5 / run.h));
  return { moved: Math.hypot(x, y) - radius, force: mean(forces.map(length)) };
}

export async function conveyors(run, parameters = {}) {
  const { setup, tolerance } = readCase('CF12_conveyor_and_turntable');
  const g = -setup.gravity[2];
  const { mass, size } = setup.block;
  const mu = parameters.mu ?? setup.belt.mu;
  const speed = parameters.speed ?? setup.belt.surface_velocity[0];
  const errors = new Errors();

  const level = await onBelt(run, setup.gravity, {
    mu,
    mass,
    size,
    surfaceVelocity: [speed, 0, 0],
    time: 1.5,
  });
  const rise = speed / (mu * g);
  errors.add(
    'time to the speed',
    (lastZero(
      level.speeds.map((v) => speed - v),
      0.02 * speed,
    ) *
      run.h) /
      rise -
      1,
  );
  errors.add('way behind the belt', (speed * level.times.at(-1) - level.way) / ((speed * rise) / 2) - 1);
  errors.add('steady speed', level.speeds.at(-1) - speed);
  errors.add('overshoot', Math.max(0, ...level.speeds.map((v) => v - speed)));

  const { angle_deg: angle, surface_speed_uphill: uphill } = { ...setup.inclined, ...parameters.inclined };
  const [c, s] = [Math.cos(angle * degrees), Math.sin(angle * degrees)];
  const hill = await onBelt(run, [-g * s, 0, -g * c], {
    mu,
    mass,
    size,
    surfaceVelocity: [uphill, 0, 0],
    time: 1.5,
  });
  const climb = uphill / (g * (mu * c - s));
  errors.add(
    'time to the speed',
    (lastZero(
      hill.speeds.map((v) => uphill - v),
      0.02 * uphill,
    ) *
      run.h) /
      climb -
      1,
  );
  errors.add('steady speed', hill.speeds.at(-1) - uphill);

  const lifted = await onBelt(run, setup.gravity, { mu, mass, size, surfaceVelocity: [0, 0, 5], time: 1 });
  errors.add('steady speed', lifted.speeds.at(-1));
  errors.add('lift by the belt', lifted.height - size[2] / 2);

  const { omega_z: omega, block_radius_positions: radii } = { ...setup.turntable, ...parameters.turntable };
  let wrong = 0;
  for (const radius of radii) {
    const { moved, force } = await onTurntable(run, setup.gravity, { omega, mu, radius });
    const stays = omega ** 2 * radius < mu * g;
    if (stays) {
      errors.add('way outwards of what stays', moved / radius);
      errors.add('force of what stays', force / (omega ** 2 * radius) - 1);
    } else if (moved < 0.05) ++wrong;
  }
  errors.add('blocks that stay and should not', wrong);
  return answer(
    errors,
    {
      'time to the speed': [tolerance.time_relative, ''],
      'way behind the belt': [tolerance.time_relative, ''],
      'steady speed': [tolerance.speed, 'm/s'],
      overshoot: [tolerance.speed, 'm/s'],
      'lift by the belt': [1e-4, 'm'],
      'way outwards of what stays': [0.02, 'of the radius'],
      'force of what stays': [tolerance.time_relative, ''],
      'blocks that stay and should not': [0, ''],
    },
    plotOf(
      'speed on the belt',
      'm/s',
      level.times,
      level.speeds,
      level.times.map((t) => Math.min(speed, mu * g * t)),
    ),
  );
}
