// SB06, SB07: SimBenchmark's floating robot, thrown and hit.

import {
  Errors,
  add,
  answer,
  cross,
  dot,
  energyChannels,
  length,
  plotOf,
  readCase,
  rotate,
  scale,
  simulate,
  sub,
} from './simulate.mjs';
import { boxOf, mean, sceneOf, sphere } from './contact_cases.mjs';

/** Quaternion of roll, pitch and yaw about the fixed axes x, y, z in this order. */
function ofAngles([roll, pitch, yaw]) {
  const about = (axis, angle) => [...scale(Math.sin(angle / 2), axis), Math.cos(angle / 2)];
  return times(times(about([0, 0, 1], yaw), about([0, 1, 0], pitch)), about([1, 0, 0], roll));
}

function times([ax, ay, az, aw], [bx, by, bz, bw]) {
  const v = add(add(scale(aw, [bx, by, bz]), scale(bw, [ax, ay, az])), cross([ax, ay, az], [bx, by, bz]));
  return [...v, aw * bw - ax * bx - ay * by - az * bz];
}

const turned = (q, tensor) => {
  const columns = [0, 1, 2].map((j) =>
    rotate(
      q,
      [0, 1, 2].map((i) => (i === j ? 1 : 0)),
    ),
  );
  return [0, 1, 2].map((r) =>
    [0, 1, 2].map((c) => {
      let sum = 0;
      for (let i = 0; i < 3; ++i)
        for (let j = 0; j < 3; ++j) sum += columns[i][r] * tensor[i][j] * columns[j][c];
      return sum;
    }),
  );
};

/** One mass of several, each at its centre of mass with its tensor there. */
function joined(parts) {
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  const centre = scale(
    1 / mass,
    parts.reduce((sum, part) => add(sum, scale(part.mass, part.centre)), [0, 0, 0]),
  );
  const tensor = [0, 1, 2].map((r) =>
    [0, 1, 2].map((c) =>
      parts.reduce((sum, part) => {
        const d = sub(part.centre, centre);
        return sum + part.tensor[r][c] + part.mass * ((r === c ? dot(d, d) : 0) - d[r] * d[c]);
      }, 0),
    ),
  );
  return { mass, centre, tensor };
}

/** Bodies and hinges of the robot in its initial pose; links on fixed joints are parts of their parents. */
export function robotOf({ links, joints, initial_joint_positions: initial }, base) {
  const order = initial.order.split(',');
  const frames = { base: { position: base, rotation: [0, 0, 0, 1], body: 'base' } };
  const parts = { base: [] };
  const hinges = [];
  for (const joint of joints) {
    const parent = frames[joint.parent];
    const position = add(parent.position, rotate(parent.rotation, joint.xyz));
    let rotation = times(parent.rotation, ofAngles(joint.rpy));
    if (joint.type === 'fixed') {
      frames[joint.child] = { position, rotation, body: parent.body };
      continue;
    }
    const [leg, kind] = joint.name.split('_');
    const angle = initial[leg][order.indexOf(kind)];
    rotation = times(rotation, [...scale(Math.sin(angle / 2), joint.axis), Math.cos(angle / 2)]);
    frames[joint.child] = { position, rotation, body: joint.child };
    parts[joint.child] = [];
    hinges.push({
      name: joint.name,
      type: 'hinge',
      bodies: [joint.child, parent.body],
      anchor: position,
      axis: rotate(rotation, joint.axis),
      compliance: 1e-12,
    });
  }
  for (const [
    name,
    {
      mass,
      com,
      rpy,
      inertia_xx_xy_xz_yy_yz_zz: [xx, xy, xz, yy, yz, zz],
    },
  ] of Object.entries(links)) {
    const frame = frames[name];
    const own = times(frame.rotation, ofAngles(rpy));
    parts[frame.body].push({
      mass,
      centre: add(frame.position, rotate(frame.rotation, com)),
      tensor: turned(own, [
        [xx, xy, xz],
        [xy, yy, yz],
        [xz, yz, zz],
      ]),
    });
  }
  // model frames lie along the world's axes at the centres of mass
  const bodies = Object.entries(parts).map(([name, of]) => {
    const { mass, centre, tensor } = joined(of);
    return {
      name,
      mass,
      position: centre,
      inertia: tensor.map((row, r) => row.map((x, c) => (x + tensor[c][r]) / 2)),
    };
  });
  return { bodies, hinges };
}

export async function thrownRobot(run, parameters = {}) {
  const { setup } = readCase('SB06_simbenchmark_anymal_energy');
  const { bodies, hinges } = robotOf(setup.robot, setup.base_initial);
  const total = bodies.reduce((sum, { mass }) => sum + mass, 0);
  const g = -setup.gravity[2];
  const factor = parameters.factor ?? 2;
  const scene = sceneOf(run, setup.gravity, {
    bodies,
    constraints: hinges,
    actions: [{ at: 0, body: 'base', force: [0, 0, factor * total * g], point: setup.base_initial, for: 1 }],
  });
  const result = await simulate(scene, { time: 3, record: [...energyChannels, 'world/momentum'] });
  const energies = result
    .of('world/kineticEnergy')
    .map((kinetic, k) => kinetic + result.of('world/potentialEnergy')[k]);
  const from = Math.round(1 / run.h);
  const flight = energies.slice(from);
  const errors = new Errors();
  errors.add('metric', mean(flight.map((energy) => (energy - flight[0]) ** 2)));
  result.of('world/momentum').forEach((p, k) => {
    const t = result.time[k];
    const rise = t < 1 ? (factor - 1) * t : factor - t;
    errors.add('momentum', length(sub(p, [0, 0, rise * total * g])) / (total * g));
  });
  errors.add('mass', total / setup.robot.total_mass - 1);
  const every = Math.max(1, Math.round(0.05 / run.h));
  const shown = energies.map((_, k) => k).filter((k) => k % every === 0 && k >= from);
  return answer(
    errors,
    { metric: [1e-2, 'J²'], momentum: [1e-9, 'of M g s'], mass: [1e-6, ''] },
    plotOf(
      'energy in flight less its first value',
      'J',
      shown.map((k) => result.time[k]),
      shown.map((k) => energies[k] - flight[0]),
      shown.map(() => 0),
    ),
  );
}

export async function hitRobot(run, parameters = {}) {
  const { setup } = readCase('SB07_simbenchmark_anymal_momentum');
  const { bodies, hinges } = robotOf(setup.robot, setup.base_initial);
  const ball = { ...setup.ball, ...parameters.ball };
  const centre = bodies[0].position;
  bodies[0].geometries = [
    {
      ...boxOf([0.53, 0.23, 0.24], 'robot'),
      position: sub(setup.base_initial, centre),
      massProperties: false,
    },
  ];
  bodies.push({
    name: 'ball',
    mass: ball.mass,
    position: ball.position,
    velocity: ball.velocity,
    geometries: [sphere(ball.radius, 'ball')],
  });
  const scene = sceneOf(run, setup.gravity, {
    materials: [{ name: 'robot' }, { name: 'ball' }],
    contactMaterials: [
      { materials: ['robot', 'ball'], restitution: parameters.restitution ?? 0, friction: 0.5 },
    ],
    bodies,
    constraints: hinges,
  });
  const result = await simulate(scene, {
    time: parameters.duration ?? setup.duration,
    record: ['world/momentum', 'world/angularMomentum', 'body/base/velocity', 'body/ball/velocity'],
  });
  const wanted = scale(ball.mass, ball.velocity);
  const [momenta, spins] = [result.of('world/momentum'), result.of('world/angularMomentum')];
  const errors = new Errors();
  errors.add('metric', mean(momenta.map((p) => length(sub(p, wanted)) ** 2)));
  spins.forEach((spin) => errors.add('angular momentum', length(sub(spin, spins[0])) / length(spins[0])));
  errors.add('robot that is missed', length(result.of('body/base/velocity').at(-1)) > 0.1 ? 0 : 1);
  const every = Math.max(1, Math.round(0.1 / run.h));
  const shown = result.time.map((_, k) => k).filter((k) => k % every === 0);
  return answer(
    errors,
    { metric: [1e-20, 'kg² m²/s²'], 'angular momentum': [1e-4, ''], 'robot that is missed': [0, ''] },
    plotOf(
      'momentum along y',
      'kg m/s',
      shown.map((k) => result.time[k]),
      shown.map((k) => momenta[k][1]),
      shown.map(() => wanted[1]),
    ),
  );
}
