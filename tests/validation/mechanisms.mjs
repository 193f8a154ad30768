// Mechanisms and free bodies of the validation references: MB*, RB*. Every case builds its scenes, runs them
// at a time step and answers errors with their tolerances, and what to plot; mechanisms.test.mjs judges them,
// scripts/validation.mjs makes the page.
//
// Times: poses, velocities and energies belong to the sample; forces are those of the step that begins at it.

import {
  Errors,
  add,
  answer,
  column,
  cross,
  dot,
  energyChannels,
  energyOf,
  length,
  makeScene,
  plotOf,
  readCase,
  rotate,
  sampleAt,
  scale,
  simulate,
  sub,
  turnAbout,
} from './simulate.mjs';

const rigid = { compliance: 1e-12 };
const fromWxyz = ([w, x, y, z]) => [x, y, z, w];
const angleZ = ([, , z, w]) => 2 * Math.atan2(z, w);
const wrap = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

const hinge = (name, bodies, anchor, axis = [0, 0, 1], extra = rigid) => ({
  name,
  type: 'hinge',
  bodies,
  anchor,
  axis,
  ...extra,
});

/** A rod in the plane z = 0 between two points, its model's x axis along it. */
function planarRod(name, from, to, mass, momentZ) {
  const along = sub(to, from);
  return {
    name,
    position: scale(0.5, add(from, to)),
    rotation: turnAbout([0, 0, 1], Math.atan2(along[1], along[0])),
    mass,
    inertia: [momentZ, momentZ, momentZ],
  };
}

// ---- MB01 -------------------------------------------------------------------------------------------------

async function pendulum(h) {
  const { setup, reference, tolerance } = readCase('MB01_iftomm_A01_simple_pendulum');
  const samples = reference.samples.filter(([t]) => t <= setup.duration);
  const scene = makeScene({
    world: { timeStep: h, gravity: setup.gravity },
    bodies: [{ name: 'mass', mass: 1, inertia: [1e-6, 1e-6, 1e-6], position: setup.initial_position }],
    constraints: [
      {
        name: 'rod',
        type: 'distance',
        bodies: ['mass', null],
        anchors: [setup.initial_position, setup.pivot],
        ...rigid,
      },
    ],
  });
  const run = await sampleAt(scene, column(samples, 0), [
    'body/mass/position',
    'constraint/rod/dof/0',
    ...energyChannels,
  ]);
  const errors = new Errors();
  run.forEach((sample, i) => {
    const [, x, y, , , energy, tension] = samples[i];
    errors.add('position', sub(sample.now['body/mass/position'], [x, y, 0]));
    errors.add('energy', energyOf(sample) - energy);
    errors.add('rod tension', -sample.next['constraint/rod/dof/0'] - tension);
  });
  return answer(
    errors,
    {
      position: [tolerance.position_m, 'm'],
      energy: [tolerance.energy_J, 'J'],
      'rod tension': [tolerance.rod_tension_N, 'N'],
    },
    plotOf(
      'x of the mass',
      'm',
      column(samples, 0),
      run.map((s) => s.now['body/mass/position'][0]),
      column(samples, 1),
    ),
  );
}

// ---- MB02 -------------------------------------------------------------------------------------------------

async function doubleFourbar(h, limits) {
  const { setup, reference } = readCase('MB02_iftomm_A02_double_fourbar');
  const bodies = [];
  const constraints = [];
  for (let i = 0; i <= setup.N; ++i) {
    const [a, b] = [
      [i, 0, 0],
      [i, 1, 0],
    ];
    bodies.push({
      ...planarRod(`crank${i}`, a, b, 1, 1 / 12),
      velocity: [0.5, 0, 0],
      angularVelocity: [0, 0, -1],
    });
    constraints.push(hinge(`A${i}`, [`crank${i}`, null], a));
    if (i > 0) {
      const before = [i - 1, 1, 0];
      bodies.push({ ...planarRod(`coupler${i}`, before, b, 1, 1 / 12), velocity: [1, 0, 0] });
      constraints.push(hinge(`left${i}`, [`coupler${i}`, `crank${i - 1}`], before));
      constraints.push(hinge(`right${i}`, [`coupler${i}`, `crank${i}`], b));
    }
  }
  const scene = makeScene({ world: { timeStep: h, gravity: setup.gravity }, bodies, constraints });
  const times = column(reference.samples, 0);
  const cranks = [0, 1, 2].map((i) => `body/crank${i}/rotation`);
  const run = await sampleAt(scene, times, ['body/crank0/position', ...cranks, ...energyChannels]);
  const errors = new Errors();
  const points = run.map(({ now }) => add(now['body/crank0/position'], rotate(now[cranks[0]], [0.5, 0, 0])));
  run.forEach((sample, i) => {
    const [, x, y] = reference.samples[i];
    errors.add('position', sub(points[i], [x, y, 0]));
    errors.add('energy', energyOf(sample) - reference.total_energy_J);
    for (const crank of cranks) {
      errors.add('cranks parallel', wrap(angleZ(sample.now[crank]) - angleZ(sample.now[cranks[0]])));
    }
  });
  return answer(
    errors,
    {
      position: [limits.position_m, 'm'],
      energy: [limits.energy_J, 'J'],
      'cranks parallel': [1e-3, 'rad'],
    },
    plotOf(
      'x of B0',
      'm',
      times,
      points.map(([x]) => x),
      column(reference.samples, 1),
    ),
  );
}

// ---- MB04 -------------------------------------------------------------------------------------------------

function squeezerScene(h) {
  const { setup } = readCase('MB04_iftomm_A03_andrews_squeezer');
  const flat = ([x, y]) => [x, y, 0];
  const { O, A, B, C } = setup.fixed_points;
  const { F, E, G, H, D } = setup.initial_points;
  const bodies = setup.bodies.map(({ mass, inertia_z: moment }, i) => ({
    name: `K${i + 1}`,
    mass,
    inertia: [moment, moment, moment],
    position: flat(setup.initial_com_K1_to_K7[i]),
  }));
  const pins = [
    ['O', 'K1', null, O],
    ['F', 'K1', 'K2', F],
    ['E3', 'K2', 'K3', E],
    ['E4', 'K2', 'K4', E],
    ['E6', 'K2', 'K6', E],
    ['B', 'K3', null, B],
    ['G', 'K4', 'K5', G],
    ['A5', 'K5', null, A],
    ['H', 'K6', 'K7', H],
    ['A7', 'K7', null, A],
  ];
  const constraints = pins.map(([name, a, b, at]) => hinge(name, [a, b], flat(at)));
  constraints.push({
    name: 'spring',
    type: 'spring',
    bodies: ['K3', null],
    anchors: [flat(D), flat(C)],
    stiffness: setup.spring.stiffness,
    length: setup.spring.rest_length,
  });
  return {
    scene: makeScene({
      world: { timeStep: h, gravity: [0, 0, 0] },
      bodies,
      constraints,
      actions: [{ at: 0, body: 'K1', torque: [0, 0, setup.drive_torque_on_K1_Nm], for: 1 }],
    }),
    arms: {
      F: sub(flat(F), bodies[0].position),
      E: sub(flat(E), bodies[1].position),
    },
    start: setup.initial_q[0],
  };
}

async function squeezerAt(h, times) {
  const { scene, arms, start } = squeezerScene(h);
  const run = await sampleAt(scene, times, [
    'body/K1/position',
    'body/K1/rotation',
    'body/K2/position',
    'body/K2/rotation',
    'constraint/O/angle',
  ]);
  return run.map(({ now }) => [
    start + now['constraint/O/angle'],
    ...add(now['body/K1/position'], rotate(now['body/K1/rotation'], arms.F)).slice(0, 2),
    ...add(now['body/K2/position'], rotate(now['body/K2/rotation'], arms.E)).slice(0, 2),
  ]);
}

async function squeezer(steps, limits) {
  const { reference } = readCase('MB04_iftomm_A03_andrews_squeezer');
  const times = column(reference.samples, 0);
  const runs = [];
  for (const h of steps) runs.push(await squeezerAt(h, times));
  const values = runs[0].map((coarse, i) => (runs[1] ? sub(scale(2, runs[1][i]), coarse) : coarse));
  const errors = new Errors();
  values.forEach(([beta, fx, fy, ex, ey], i) => {
    const r = reference.samples[i];
    errors.add('crank angle', beta - r[1]);
    errors.add('point F', Math.hypot(fx - r[15], fy - r[16]));
    errors.add('point E', Math.hypot(ex - r[17], ey - r[18]));
  });
  return answer(
    errors,
    {
      'crank angle': [limits.angle_rad, 'rad'],
      'point F': [limits.point_m, 'm'],
      'point E': [limits.point_m, 'm'],
    },
    plotOf('crank angle', 'rad', times, column(values, 0), column(reference.samples, 1)),
  );
}

// ---- MB05 -------------------------------------------------------------------------------------------------

async function bricard(h, limits) {
  const { setup, reference } = readCase('MB05_iftomm_A04_bricard');
  const p = [0, 1, 2, 3, 4, 5].map((i) => setup.points[`P${i}`]);
  const bodies = [0, 1, 2, 3, 4].map((i) => ({
    name: `bar${i + 1}`,
    mass: 1,
    position: scale(0.5, add(p[i], p[i + 1])),
    inertia: sub(p[i + 1], p[i]).map((along) => (along !== 0 ? 1 / 600 : 1.01 / 12)),
  }));
  const ends = [
    ['bar1', null],
    ['bar2', 'bar1'],
    ['bar3', 'bar2'],
    ['bar4', 'bar3'],
    ['bar5', 'bar4'],
    ['bar5', null],
  ];
  const constraints = setup.revolute_joints.map(({ at, axis }, i) =>
    hinge(at, ends[i], setup.points[at], axis),
  );
  const scene = makeScene({ world: { timeStep: h, gravity: setup.gravity }, bodies, constraints });
  const times = column(reference.samples, 0);
  const run = await sampleAt(scene, times, ['body/bar3/position', 'body/bar3/rotation', ...energyChannels]);
  const arm = scale(0.5, sub(p[3], p[2]));
  const points = run.map(({ now }) => add(now['body/bar3/position'], rotate(now['body/bar3/rotation'], arm)));
  const errors = new Errors();
  const [start] = run;
  run.forEach((sample, i) => {
    errors.add('position', sub(points[i], reference.samples[i].slice(1, 4)));
    errors.add('energy', energyOf(sample) - energyOf(start));
  });
  return answer(
    errors,
    { position: [limits.position_m, 'm'], energy: [limits.energy_J, 'J'] },
    plotOf(
      'x of P3',
      'm',
      times,
      points.map(([x]) => x),
      column(reference.samples, 1),
    ),
  );
}

// ---- MB08 -------------------------------------------------------------------------------------------------

const adamsJoint = {
  cylindrical: 'cylindrical',
  prismatic: 'prismatic',
  revolute: 'hinge',
  spherical: 'ball',
};

function adamsScene(kind, setup, item, h) {
  const at = item.setup;
  const body = {
    name: 'body',
    mass: setup.body.mass,
    inertia: setup.body.inertia_com_principal_body_axes,
    position: at.body_initial_position,
    rotation: fromWxyz(at.body_initial_quat_wxyz),
  };
  let joint = { type: adamsJoint[kind], anchor: at.joint_position, axis: at.joint_axis_world, ...rigid };
  if (kind === 'spherical') delete joint.axis;
  if (kind === 'distance') {
    joint = { type: 'distance', anchors: [at.body_point_world_at_t0, at.ground_point], ...rigid };
  }
  if (kind === 'translational_spring_damper') {
    const [stiffness, damping, rest] = at.force.match(/\d+(\.\d+)?/g).map(Number);
    joint = {
      type: 'spring',
      anchors: [at.body_initial_position, [0, 0, 0]],
      stiffness,
      damping,
      length: rest,
    };
  }
  return makeScene({
    world: { timeStep: h, gravity: setup.gravity },
    bodies: [body],
    constraints: [{ name: 'joint', bodies: ['body', null], ...joint }],
  });
}

/**
 * Rows of numbers: position, velocity, angular velocity, force and torque on the ground, energy, in the
 * order of their times.
 */
async function adamsRun(kind, setup, item, h) {
  const scene = adamsScene(kind, setup, item, h);
  const channels = ['position', 'rotation', 'velocity', 'angularVelocity'].map((name) => `body/body/${name}`);
  const run = await sampleAt(
    scene,
    item.samples.map(({ t }) => t),
    [...channels, 'constraint/joint/force', 'constraint/joint/torque', ...energyChannels],
  );
  const arm0 = scene.constraints[0].anchor && sub(scene.constraints[0].anchor, scene.bodies[0].position);
  const back = ([x, y, z, w]) => [-x, -y, -z, w];
  return run.map((sample) => {
    const { now, next } = sample;
    const force = next['constraint/joint/force'];
    let torque = next['constraint/joint/torque'];
    if (kind === 'cylindrical' || kind === 'prismatic') {
      const arm = rotate(now['body/body/rotation'], rotate(back(scene.bodies[0].rotation), arm0));
      torque = add(torque, cross(arm, force));
    }
    return {
      pos: now['body/body/position'],
      vel: now['body/body/velocity'],
      omega: now['body/body/angularVelocity'],
      force: scale(-1, force),
      torque: scale(-1, torque),
      energy: energyOf(sample),
    };
  });
}

async function adams(kind, steps) {
  const { setup, reference, tolerance } = readCase(`MB08_adams_joint_${kind}`);
  const errors = new Errors();
  let plot;
  for (const item of reference.cases) {
    const runs = [];
    for (const h of steps) runs.push(await adamsRun(kind, setup, item, h));
    const value = (i, name) => {
      const [coarse, fine] = runs.map((run) => run[i][name]);
      if (fine === undefined) return coarse;
      return typeof fine === 'number' ? 2 * fine - coarse : sub(scale(2, fine), coarse);
    };
    item.samples.forEach((sample, i) => {
      errors.add('position', sub(value(i, 'pos'), sample.pos));
      errors.add('velocity', sub(value(i, 'vel'), sample.vel));
      errors.add('angular velocity', sub(value(i, 'omega'), sample.omega_world));
      if (sample.joint_force_on_ground) {
        const torque =
          sample.joint_torque_on_ground_about_joint ?? sample.joint_torque_on_ground_about_body_com;
        errors.add('force', sub(value(i, 'force'), sample.joint_force_on_ground));
        errors.add('torque', sub(value(i, 'torque'), torque));
      }
      errors.add('energy drift', value(i, 'energy') - value(0, 'energy'));
    });
    const axis = item.case.includes('Prismatic') ? 2 : kind === 'translational_spring_damper' ? 2 : 0;
    plot = plotOf(
      `${'xyz'[axis]}, ${item.case}`,
      'm',
      item.samples.map(({ t }) => t),
      item.samples.map((_, i) => value(i, 'pos')[axis]),
      item.samples.map(({ pos }) => pos[axis]),
    );
  }
  const limits = {
    position: [tolerance.position_m, 'm'],
    velocity: [tolerance.velocity_m_s, 'm/s'],
    'angular velocity': [tolerance.angular_velocity_rad_s, 'rad/s'],
  };
  if (tolerance.force_N)
    Object.assign(limits, { force: [tolerance.force_N, 'N'], torque: [tolerance.torque_Nm, 'N m'] });
  if (tolerance.energy_drift_J) limits['energy drift'] = [tolerance.energy_drift_J, 'J'];
  return answer(errors, limits, plot);
}

// ---- MB09 -------------------------------------------------------------------------------------------------

async function sliderCrank(h) {
  const { setup, reference, tolerance } = readCase('MB09_planar_slider_crank_torque');
  const { crank, rod, slider } = setup;
  const [pin, end] = [
    [crank.length, 0, 0],
    [crank.length + rod.length, 0, 0],
  ];
  const scene = makeScene({
    world: { timeStep: h, gravity: [0, 0, 0] },
    bodies: [
      planarRod('crank', [0, 0, 0], pin, crank.mass, crank.inertia_com),
      planarRod('rod', pin, end, rod.mass, rod.inertia_com),
      { name: 'slider', mass: slider.mass, inertia: [1e-3, 1e-3, 1e-3], position: end },
    ],
    constraints: [
      hinge('O', ['crank', null], [0, 0, 0]),
      hinge('pin', ['rod', 'crank'], pin),
      hinge('end', ['rod', 'slider'], end),
      { name: 'slide', type: 'prismatic', bodies: ['slider', null], axis: [1, 0, 0], ...rigid },
    ],
    actions: [{ at: 0, body: 'crank', torque: [0, 0, setup.torque_on_crank_Nm], for: 100 }],
  });
  const times = column(reference.samples, 0);
  const run = await sampleAt(scene, times, [
    'constraint/O/angle',
    'constraint/O/speed',
    'body/slider/position',
    'world/kineticEnergy',
  ]);
  const errors = new Errors();
  const speeds = run.map(({ now }) => now['constraint/O/speed']);
  run.forEach(({ now }, i) => {
    const [, angle, speed, x] = reference.samples[i];
    errors.add('crank angle', now['constraint/O/angle'] - angle);
    errors.add('crank speed', speeds[i] - speed);
    errors.add('slider', now['body/slider/position'][0] - x);
    const work = setup.torque_on_crank_Nm * now['constraint/O/angle'];
    errors.add('work less energy', now['world/kineticEnergy'] - work);
  });
  return answer(
    errors,
    {
      'crank angle': [tolerance.angle_rad, 'rad'],
      'crank speed': [tolerance.omega, 'rad/s'],
      slider: [tolerance.slider_x_m, 'm'],
      'work less energy': [tolerance.work_energy_J, 'J'],
    },
    plotOf('crank speed', 'rad/s', times, speeds, column(reference.samples, 2)),
  );
}

// ---- MB11 -------------------------------------------------------------------------------------------------

async function heavyTop(h) {
  const { setup, reference, tolerance } = readCase('MB11_heavy_top_fixed_point');
  const com = setup.body.com_initial;
  const scene = makeScene({
    world: { timeStep: h, gravity: setup.gravity },
    bodies: [
      {
        name: 'top',
        mass: setup.body.mass,
        inertia: setup.body.inertia_com,
        position: com,
        angularVelocity: setup.initial_omega,
        velocity: cross(setup.initial_omega, com),
      },
    ],
    constraints: [{ name: 'point', type: 'ball', bodies: ['top', null], anchor: [0, 0, 0], ...rigid }],
  });
  const times = column(reference.samples, 0);
  const run = await sampleAt(scene, times, [
    'body/top/position',
    'constraint/point/force',
    ...energyChannels,
  ]);
  const errors = new Errors();
  run.forEach((sample, i) => {
    const r = reference.samples[i];
    errors.add('position', sub(sample.now['body/top/position'], r.slice(1, 4)));
    const force = r.slice(-3);
    if (sample.t > 0.05) {
      errors.add('force', length(sub(sample.next['constraint/point/force'], force)) / length(force));
    }
    errors.add('energy', energyOf(sample) / reference.energy_J - 1);
  });
  return answer(
    errors,
    {
      position: [tolerance.position_m, 'm'],
      force: [tolerance.force_relative, ''],
      energy: [tolerance.energy_relative, ''],
    },
    plotOf(
      'z of the centre',
      'm',
      times,
      run.map((s) => s.now['body/top/position'][2]),
      column(reference.samples, 3),
    ),
  );
}

// ---- MB13 -------------------------------------------------------------------------------------------------

async function doublePendulum(h) {
  const { setup, reference, tolerance } = readCase('MB13_double_pendulum_short_horizon');
  const [a, b] = setup.rods;
  const [middle, tip] = [
    [a.length, 0, 0],
    [a.length + b.length, 0, 0],
  ];
  const scene = makeScene({
    world: { timeStep: h, gravity: setup.gravity },
    bodies: [
      planarRod('first', [0, 0, 0], middle, a.mass, a.inertia_z_com),
      planarRod('second', middle, tip, b.mass, b.inertia_z_com),
    ],
    constraints: [hinge('pivot', ['first', null], [0, 0, 0]), hinge('elbow', ['second', 'first'], middle)],
  });
  const times = column(reference.samples, 0);
  const run = await sampleAt(scene, times, [
    'body/second/position',
    'body/second/rotation',
    'constraint/pivot/force',
    ...energyChannels,
  ]);
  const tips = run.map(({ now }) =>
    add(now['body/second/position'], rotate(now['body/second/rotation'], [b.length / 2, 0, 0])),
  );
  const errors = new Errors();
  run.forEach((sample, i) => {
    const r = reference.samples[i];
    const off = Math.hypot(tips[i][0] - r[5], tips[i][1] - r[6]);
    errors.add('tip until 5 s', off);
    if (sample.t < 2.01) errors.add('tip until 2 s', off);
    errors.add('energy', energyOf(sample) - reference.energy_J);
    if (sample.t > 0.05) {
      errors.add('pivot force', sub(sample.next['constraint/pivot/force'].slice(0, 2), [r[7], r[8]]));
    }
  });
  return answer(
    errors,
    {
      'tip until 2 s': [tolerance.tip_m_until_2s, 'm'],
      'tip until 5 s': [tolerance.tip_m_until_5s, 'm'],
      energy: [tolerance.energy_J, 'J'],
      'pivot force': [tolerance.pivot_force_N, 'N'],
    },
    plotOf('x of the tip', 'm', times, column(tips, 0), column(reference.samples, 5)),
  );
}

// ---- MB14 -------------------------------------------------------------------------------------------------

/** The four-bar with link A turned by an angle from its equilibrium. */
function fourbarScene(h, gravity, turn, speeds) {
  const size = 4;
  const start = Math.atan2(-Math.sqrt(15), -1) + turn;
  const at = ([x, z]) => [x, 0, z];
  const b0 = [size * Math.cos(start), size * Math.sin(start)];
  // Bc: 4 m from B0 and from (2, 0), to the right
  const between = [2 - b0[0], -b0[1]];
  const far = Math.hypot(...between);
  const side = Math.sqrt(size ** 2 - (far / 2) ** 2);
  const bc = [
    b0[0] + between[0] / 2 + (between[1] / far) * side,
    b0[1] + between[1] / 2 - (between[0] / far) * side,
  ];
  const links = [
    ['A', [0, 0], b0],
    ['B', b0, bc],
    ['C', [2, 0], bc],
  ];
  const bodies = links.map(([name, from, to], i) => {
    const along = sub(to, from);
    const angularVelocity = [0, speeds[i], 0];
    // speed of its centre: of its first pin, and round it
    const pin = i === 1 ? cross([0, speeds[0], 0], at(b0)) : [0, 0, 0];
    return {
      name,
      mass: 20,
      inertia: [0.083333, 29.466667, 29.416667],
      position: at(scale(0.5, add(from, to))),
      rotation: turnAbout([0, 1, 0], -Math.atan2(along[1], along[0])),
      angularVelocity,
      velocity: add(pin, cross(angularVelocity, at(scale(0.5, along)))),
    };
  });
  const axis = [0, 1, 0];
  return makeScene({
    world: { timeStep: h, gravity },
    bodies,
    constraints: [
      hinge('WA', ['A', null], [0, 0, 0], axis),
      hinge('AB', ['B', 'A'], at(b0), axis),
      hinge('BC', ['C', 'B'], at(bc), axis),
      hinge('WC', ['C', null], [2, 0, 0], axis),
    ],
  });
}

/** Mean time of full swings, from where a list crosses a value. */
function periodOf(time, values, level) {
  const at = [];
  for (let k = 1; k < values.length; ++k) {
    const [a, b] = [values[k - 1] - level, values[k] - level];
    if (a * b < 0) at.push(time[k - 1] + (a / (a - b)) * (time[k] - time[k - 1]));
  }
  const swings = Math.floor((at.length - 1) / 2);
  return (at[2 * swings] - at[0]) / swings;
}

async function fourbar(h) {
  const { setup, reference, tolerance } = readCase('MB14_drake_fourbar');
  const scene = fourbarScene(h, setup.gravity, 0, setup.initial_omega_y);
  const times = column(reference.samples, 0);
  const spins = ['A', 'B', 'C'].map((name) => `body/${name}/angularVelocity`);
  const run = await sampleAt(scene, times, ['body/B/position', ...spins, ...energyChannels]);
  const errors = new Errors();
  run.forEach((sample, i) => {
    const r = reference.samples[i];
    const [x, , z] = sample.now['body/B/position'];
    errors.add('position', [x - r[4], z - r[5]]);
    spins.forEach((name, link) => {
      errors.add('speed of links', sample.now[name][1] - r[1 + link]);
    });
    errors.add('energy', energyOf(sample) - reference.energy_J);
  });
  const small = await simulate(fourbarScene(h, setup.gravity, 0.01, [0, 0, 0]), {
    time: 12,
    record: ['constraint/WA/angle'],
  });
  const turned = small.of('constraint/WA/angle');
  // A was turned by 0.01 rad in x-z, which is −0.01 about y
  errors.add('small period', periodOf(small.time, turned, 0.01) / reference.small_oscillation_period_s - 1);
  return answer(
    errors,
    {
      position: [tolerance.position_m, 'm'],
      'speed of links': [tolerance.omega, 'rad/s'],
      energy: [tolerance.energy_J, 'J'],
      'small period': [tolerance.period_relative, ''],
    },
    plotOf(
      'z of the coupler',
      'm',
      times,
      run.map((s) => s.now['body/B/position'][2]),
      column(reference.samples, 5),
    ),
  );
}

// ---- MB15 -------------------------------------------------------------------------------------------------

async function jointReactions(h) {
  const { setup, reference, tolerance } = readCase('MB15_drake_joint_reactions');
  const errors = new Errors();
  const relative = (value, expected) => length(sub(value, expected)) / length(expected);

  // a ladder at a wall
  const lean = setup.ladder.angle_from_vertical_rad;
  const along = [Math.sin(lean), 0, Math.cos(lean)];
  const slippery = { name: 'slippery' };
  const ladder = await simulate(
    makeScene({
      world: { timeStep: h, gravity: setup.ladder.gravity },
      materials: [slippery],
      contactMaterials: [{ materials: ['slippery', 'slippery'], frictionModel: { type: 'none' } }],
      bodies: [
        {
          name: 'ladder',
          mass: 7,
          inertia: [7 / 3, 7 / 3, 0.6],
          position: along,
          rotation: turnAbout([0, 1, 0], lean),
          geometries: [
            {
              name: 'tip',
              shape: { type: 'sphere', radius: 0.005 },
              position: [0, 0.25, 1],
              massProperties: false,
              material: 'slippery',
            },
          ],
        },
      ],
      geometries: [
        { name: 'wall', shape: { type: 'plane', normal: [-1, 0, 0], d: -1 }, material: 'slippery' },
      ],
      constraints: [hinge('pin', ['ladder', null], [0, 0, 0], [0, 1, 0])],
      actions: [{ at: 0, body: 'ladder', torque: [0, 20, 0], for: 100 }],
    }),
    {
      time: 2,
      record: ['constraint/pin/force', 'constraint/pin/torque', 'contact/ladder/wall/force'],
      every: 10,
    },
  );
  const model = reference.ladder_sphere_model;
  errors.add('ladder: wall', -ladder.of('contact/ladder/wall/force').at(-1)[0] / model.wall_force_N - 1);
  errors.add('ladder: pin', relative(ladder.of('constraint/pin/force').at(-1), model.pin_force_on_ladder));
  const twist = ladder.of('constraint/pin/torque').at(-1)[2];
  errors.add('ladder: pin torque', twist / model.pin_torque_on_ladder_about_z_Nm - 1);

  // a rod that goes round
  const rodSetup = setup.spinning_rod;
  const rod = await simulate(
    makeScene({
      world: { timeStep: h, gravity: rodSetup.gravity },
      bodies: [
        {
          name: 'rod',
          mass: rodSetup.mass,
          inertia: [1e-3, rodSetup.mass / 3, rodSetup.mass / 3],
          position: [1, 0, 0],
          velocity: [0, rodSetup.omega_z, 0],
          angularVelocity: [0, 0, rodSetup.omega_z],
        },
      ],
      constraints: [hinge('pin', ['rod', null], [0, 0, 0])],
    }),
    { time: 3, record: ['constraint/pin/force', 'constraint/pin/torque', 'body/rod/position'] },
  );
  const wanted = reference.spinning_rod;
  rod.time.forEach((t, k) => {
    if (t < 0.5) return;
    const force = rod.of('constraint/pin/force')[k];
    const torque = rod.of('constraint/pin/torque')[k];
    errors.add(
      'rod: towards the axis',
      Math.hypot(force[0], force[1]) / wanted.pin_force_on_rod_toward_axis_N - 1,
    );
    errors.add('rod: vertical', force[2] / wanted.pin_force_vertical_N - 1);
    errors.add('rod: torque', length(torque) / wanted.pin_torque_magnitude_Nm - 1);
  });

  // welded boxes
  const side = setup.welded_boxes.two_cubes.size;
  const cube = (name, x) => ({ name, mass: 2, inertia: [0.75, 0.75, 0.75], position: [x, 0, 0] });
  const welds = await simulate(
    makeScene({
      world: { timeStep: h, gravity: setup.welded_boxes.gravity },
      bodies: [cube('A', 0), cube('B', side)],
      constraints: [
        { name: 'wall', type: 'lock', bodies: ['A', null], anchor: [0, 0, 0], ...rigid },
        { name: 'weld', type: 'lock', bodies: ['B', 'A'], anchor: [0, 0, 0], ...rigid },
      ],
    }),
    {
      time: 1,
      record: ['wall', 'weld'].flatMap((name) => [`constraint/${name}/force`, `constraint/${name}/torque`]),
      every: 10,
    },
  );
  const boxes = reference.welded_boxes;
  const end = (name) => welds.of(`constraint/${name}`).at(-1);
  errors.add('welds: force', relative(end('wall/force'), boxes.force_world_on_A));
  errors.add('welds: force', relative(end('weld/force'), boxes.force_A_on_B));
  errors.add('welds: torque', relative(end('wall/torque'), boxes.torque_world_on_A_about_A_centre));
  errors.add('welds: torque', relative(end('weld/torque'), boxes.torque_A_on_B_about_A_centre));
  const limit = [tolerance.relative, ''];
  return answer(
    errors,
    Object.fromEntries(
      [
        'ladder: wall',
        'ladder: pin',
        'ladder: pin torque',
        'rod: towards the axis',
        'rod: vertical',
        'rod: torque',
        'welds: force',
        'welds: torque',
      ].map((name) => [name, limit]),
    ),
    plotOf(
      "rod's force towards the axis",
      'N',
      rod.time.filter((_, k) => k % 50 === 0),
      rod
        .of('constraint/pin/force')
        .filter((_, k) => k % 50 === 0)
        .map(([x, y]) => Math.hypot(x, y)),
      rod.time.filter((_, k) => k % 50 === 0).map(() => wanted.pin_force_on_rod_toward_axis_N),
    ),
  );
}

// ---- MB19 -------------------------------------------------------------------------------------------------

async function catenary(h) {
  const { setup, reference, tolerance } = readCase('MB19_catenary_chain');
  const { count, length: size, mass } = setup.rods;
  const exact = reference.discrete_exact;
  const tension = exact.horizontal_tension_N;
  const bodies = [];
  const constraints = [];
  let node = [0, 0, 0];
  for (let k = 0; k < count; ++k) {
    const tilt = Math.atan(((k - 19.5) * mass * 9.81) / tension);
    const next = add(node, [size * Math.cos(tilt), 0, size * Math.sin(tilt)]);
    const moment = (mass * size ** 2) / 12;
    bodies.push({
      name: `rod${k}`,
      mass,
      inertia: [1e-5, moment, moment],
      position: scale(0.5, add(node, next)),
      rotation: turnAbout([0, 1, 0], -tilt),
    });
    constraints.push({
      name: `j${k}`,
      type: 'ball',
      bodies: [`rod${k}`, k > 0 ? `rod${k - 1}` : null],
      anchor: node,
    });
    node = next;
  }
  constraints.push({ name: 'end', type: 'ball', bodies: [`rod${count - 1}`, null], anchor: [6, 0, 0] });
  const record = bodies.flatMap(({ name }) => [`body/${name}/position`, `body/${name}/rotation`]);
  const run = await simulate(
    makeScene({ world: { timeStep: h, gravity: setup.gravity }, bodies, constraints }),
    {
      time: 10,
      every: Math.round(1 / h),
      record: [...record, 'constraint/j0/force', 'constraint/end/force'],
    },
  );
  const errors = new Errors();
  const nodesAt = (k) => {
    const left = (name) =>
      add(run.of(`body/${name}/position`)[k], rotate(run.of(`body/${name}/rotation`)[k], [-size / 2, 0, 0]));
    return exact.node_index.map((i) => (i < count ? left(`rod${i}`) : [6, 0, 0]));
  };
  run.time.forEach((_, k) => {
    nodesAt(k).forEach(([x, y, z], i) => errors.add('nodes', [x - exact.node_x[i], y, z - exact.node_z[i]]));
    if (k === 0) return;
    for (const name of ['j0', 'end']) {
      errors.add(
        'support tension',
        length(run.of(`constraint/${name}/force`)[k]) / exact.support_joint_tension_N - 1,
      );
      errors.add('horizontal tension', Math.abs(run.of(`constraint/${name}/force`)[k][0]) / tension - 1);
    }
  });
  const nodes = nodesAt(run.time.length - 1);
  return answer(
    errors,
    {
      nodes: [tolerance.position_m, 'm'],
      'support tension': [tolerance.tension_relative, ''],
      'horizontal tension': [tolerance.tension_relative, ''],
    },
    {
      x: 'x, m',
      y: 'z of nodes',
      unit: 'm',
      times: column(nodes, 0),
      computed: column(nodes, 2),
      reference: exact.node_z,
    },
  );
}

// ---- MB20 -------------------------------------------------------------------------------------------------

async function cantilever(h) {
  const { setup, reference, tolerance } = readCase('MB20_lock_joint_cantilever');
  const { count, mass } = setup.boxes;
  const size = 0.3;
  const build = (tipLoad, clamped) => {
    const bodies = Array.from({ length: count }, (_, k) => ({
      name: `box${k}`,
      mass,
      inertia: [(mass * 0.02) / 12, (mass * 0.1) / 12, (mass * 0.1) / 12],
      position: [size * (k + 0.5), 0, 0],
    }));
    const constraints = bodies.map(({ name }, k) => ({
      name: `j${k}`,
      type: 'lock',
      bodies: [name, k > 0 ? `box${k - 1}` : null],
      anchor: [size * k, 0, 0],
    }));
    if (clamped) constraints.push({ name: 'end', type: 'lock', bodies: ['box9', null], anchor: [3, 0, 0] });
    const actions = tipLoad
      ? [{ at: 0, body: 'box9', force: [0, 0, -tipLoad], point: [3, 0, 0], for: 100 }]
      : [];
    return makeScene({ world: { timeStep: h, gravity: setup.gravity }, bodies, constraints, actions });
  };
  const joints = Array.from({ length: count }, (_, k) => `j${k}`);
  const record = joints.flatMap((name) => [`constraint/${name}/force`, `constraint/${name}/torque`]);
  const errors = new Errors();
  const run = async (tipLoad, clamped) => {
    const names = clamped ? ['constraint/end/force', 'constraint/end/torque'] : [];
    return simulate(build(tipLoad, clamped), {
      time: 3,
      every: Math.round(3 / h),
      record: [...record, 'body/box9/position', 'body/box9/rotation', ...names],
    });
  };
  let plot;
  for (const [load, shears, moments] of [
    [0, reference.shear_N, reference.moment_Nm],
    [100, reference.shear_with_tip_load, reference.moment_with_tip_load],
  ]) {
    const beam = await run(load, false);
    joints.forEach((name, k) => {
      errors.add('shear', beam.of(`constraint/${name}/force`).at(-1)[2] / shears[k] - 1);
      errors.add('moment', -beam.of(`constraint/${name}/torque`).at(-1)[1] / moments[k] - 1);
    });
    const tip = add(
      beam.of('body/box9/position').at(-1),
      rotate(beam.of('body/box9/rotation').at(-1), [0.15, 0, 0]),
    );
    errors.add('tip sinks', sub(tip, [3, 0, 0]));
    plot = {
      x: 'x, m',
      y: 'moment with 100 N at the tip',
      unit: 'N m',
      times: reference.joint_x,
      computed: joints.map((name) => -beam.of(`constraint/${name}/torque`).at(-1)[1]),
      reference: moments,
    };
  }
  const both = await run(0, true);
  const { end_shear_N: shear, equal_joint_compliance_moments_Nm: moments } = reference.clamped_clamped;
  const ends = [both.of('constraint/j0/force').at(-1)[2], both.of('constraint/end/force').at(-1)[2]];
  ends.forEach((force) => errors.add('clamped: end shear', force / shear - 1));
  [...joints, 'end'].forEach((name, k) => {
    const sign = name === 'end' ? -1 : 1;
    errors.add(
      'clamped: moment',
      (sign * both.of(`constraint/${name}/torque`).at(-1)[1] - moments[k]) / 44.145,
    );
  });
  const limit = [tolerance.force_relative, ''];
  return answer(
    errors,
    {
      shear: limit,
      moment: limit,
      'tip sinks': [tolerance.deflection_m, 'm'],
      'clamped: end shear': limit,
      'clamped: moment': limit,
    },
    plot,
  );
}

// ---- MB21 -------------------------------------------------------------------------------------------------

/**
 * The reference's moments about the centre of mass (0.0002, 0.0002, 0.0008) are those of no body: the third
 * is more than the sum of the others. The motion knows the moments about the fixed point and m g l alone, so
 * the same top with less mass further out is taken, at the limit of the flat ones.
 */
function lagrangeScene(h, setup, tilt, omegaOf) {
  const transverse = setup.I_axial / 2;
  const reach =
    (setup.I_transverse_about_fixed_point - transverse) / (setup.mass * setup.com_distance_from_fixed_point);
  const mass = (setup.mass * setup.com_distance_from_fixed_point) / reach;
  const rotation = turnAbout([0, 1, 0], tilt);
  const axis = rotate(rotation, [0, 0, 1]);
  const omega = omegaOf(axis);
  const position = scale(reach, axis);
  return makeScene({
    world: { timeStep: h, gravity: setup.gravity },
    bodies: [
      {
        name: 'top',
        mass,
        inertia: [transverse, transverse, setup.I_axial],
        position,
        rotation,
        angularVelocity: omega,
        velocity: cross(omega, position),
      },
    ],
    constraints: [{ name: 'point', type: 'ball', bodies: ['top', null], anchor: [0, 0, 0], ...rigid }],
  });
}

async function lagrangeTop(h) {
  const { setup, reference, tolerance } = readCase('MB21_lagrange_top');
  const errors = new Errors();
  const degrees = 180 / Math.PI;
  const axisOf = (sample) => rotate(sample['body/top/rotation'], [0, 0, 1]);

  // release
  const times = column(reference.samples, 0);
  const release = lagrangeScene(h, setup, Math.PI / 6, (axis) => scale(150, axis));
  const run = await sampleAt(release, times, ['body/top/rotation', ...energyChannels]);
  const axes = run.map(({ now }) => axisOf(now));
  run.forEach((sample, i) => {
    errors.add('axis', sub(axes[i], reference.samples[i].slice(1, 4)));
    errors.add('energy', energyOf(sample) / reference.energy_J - 1);
  });
  const turned = (list) => {
    let [sum, last] = [0, Math.atan2(list[0][1], list[0][0])];
    for (const [x, y] of list) {
      const angle = Math.atan2(y, x);
      sum += wrap(angle - last);
      last = angle;
    }
    return sum;
  };
  errors.add('mean precession', turned(axes) / 2 / reference.release_mean_precession_rate_over_2s - 1);

  // both steady precessions
  const every = Math.round(0.01 / h);
  for (const rate of reference.steady_precession_rates_at_30deg_rad_s) {
    const scene = lagrangeScene(h, setup, Math.PI / 6, (axis) =>
      add([0, 0, rate], scale(150 - rate * Math.cos(Math.PI / 6), axis)),
    );
    const steady = await simulate(scene, { time: 2, every, record: ['body/top/rotation'] });
    const list = steady.of('body/top/rotation').map((q) => rotate(q, [0, 0, 1]));
    list.forEach((axis) => errors.add('steady tilt', Math.acos(axis[2]) * degrees - 30));
    errors.add('steady precession', turned(list) / steady.time.at(-1) / rate - 1);
  }

  // asleep above a speed
  for (const [factor, name] of [
    [1.1, '1.1_threshold'],
    [0.9, '0.9_threshold'],
  ]) {
    const scene = lagrangeScene(h, setup, 0.01, (axis) =>
      scale(factor * reference.sleeping_top_min_spin_rad_s, axis),
    );
    const top = await simulate(scene, {
      time: 5,
      every: Math.round(0.001 / h),
      record: ['body/top/rotation'],
    });
    const tilts = top.of('body/top/rotation').map((q) => Math.acos(rotate(q, [0, 0, 1])[2]) * degrees);
    errors.add('sleeping tilt', Math.max(...tilts) / reference.sleeping_max_tilt_deg[name] - 1);
  }
  return answer(
    errors,
    {
      axis: [tolerance.axis_component, ''],
      'mean precession': [tolerance.precession_relative, ''],
      energy: [tolerance.energy_relative, ''],
      'steady precession': [tolerance.precession_relative, ''],
      'steady tilt': [tolerance.steady_theta_deg, '°'],
      'sleeping tilt': [tolerance.sleeping_tilt_relative, ''],
    },
    plotOf('x of the axis', '', times, column(axes, 0), column(reference.samples, 1)),
  );
}

// ---- MB22 -------------------------------------------------------------------------------------------------

async function hangingChain(h) {
  const { setup, reference, tolerance } = readCase('MB22_hanging_uniform_chain');
  const count = setup.chain.rods;
  const [size, mass] = [setup.chain.total_length / count, setup.chain.total_mass / count];
  const build = (angles) => {
    const bodies = [];
    const constraints = [];
    let node = [0, 0, 0];
    for (let k = 0; k < count; ++k) {
      const next = add(node, [size * Math.sin(angles[k]), 0, -size * Math.cos(angles[k])]);
      const moment = (mass * size ** 2) / 12;
      bodies.push({
        name: `rod${k}`,
        mass,
        inertia: [moment, moment, 1e-5],
        position: scale(0.5, add(node, next)),
        rotation: turnAbout([0, 1, 0], -angles[k]),
      });
      constraints.push({
        name: `j${k}`,
        type: 'ball',
        bodies: [`rod${k}`, k > 0 ? `rod${k - 1}` : null],
        anchor: node,
      });
      node = next;
    }
    return makeScene({ world: { timeStep: h, gravity: setup.gravity }, bodies, constraints });
  };
  const errors = new Errors();
  const last = `body/rod${count - 1}/position`;
  const joints = Array.from({ length: count }, (_, k) => `constraint/j${k}/force`);
  const rest = await simulate(build(new Array(count).fill(0)), {
    time: 3,
    every: Math.round(3 / h),
    record: [...joints, last],
  });
  joints.forEach((name, k) =>
    errors.add('tension', length(rest.of(name).at(-1)) / reference.tension_at_joint_k_N[k] - 1),
  );
  errors.add('stretch', rest.of(last).at(-1)[2] + setup.chain.total_length - size / 2);
  let plot;
  for (const [mode, shape] of reference.mode_shapes_rod_angles.entries()) {
    const period = reference.discrete_mode_periods_s[mode];
    const run = await simulate(build(shape.map((angle) => 0.02 * angle)), {
      time: 3.4 * period,
      record: [last],
    });
    const x = run.of(last).map((p) => p[0]);
    errors.add(`period ${mode + 1}`, periodOf(run.time, x, 0) / period - 1);
    if (mode === 0) {
      const few = run.time.map((_, k) => k).filter((k) => k % 12 === 0);
      plot = plotOf(
        'x of the lowest rod, mode 1',
        'm',
        few.map((k) => run.time[k]),
        few.map((k) => x[k]),
        few.map((k) => x[0] * Math.cos((2 * Math.PI * run.time[k]) / period)),
      );
    }
  }
  return answer(
    errors,
    {
      tension: [tolerance.tension_relative, ''],
      stretch: [tolerance.stretch_m, 'm'],
      'period 1': [tolerance.period_relative, ''],
      'period 2': [tolerance.period_relative, ''],
      'period 3': [tolerance.period_relative, ''],
    },
    plot,
  );
}

// ---- RB01, RB02 -------------------------------------------------------------------------------------------

const sameTurn = (a, b) => (dot(a, b) < 0 ? scale(-1, a) : a);

async function freeSymmetric(h) {
  const { setup, reference, tolerance } = readCase('RB01_drake_free_axisymmetric');
  const scene = makeScene({
    world: { timeStep: h, gravity: setup.gravity },
    bodies: [
      {
        name: 'body',
        mass: setup.mass,
        inertia: setup.inertia_body,
        position: setup.initial_position,
        velocity: setup.initial_velocity_world,
        angularVelocity: setup.initial_omega_body,
      },
    ],
  });
  const times = column(reference.samples, 0);
  const channels = ['position', 'rotation', 'angularVelocity', 'velocity'].map((name) => `body/body/${name}`);
  const run = await sampleAt(scene, times, channels);
  const errors = new Errors();
  const momentOf = (q, omega) => {
    const [x, y, z, w] = q;
    const local = rotate([-x, -y, -z, w], omega);
    return rotate(
      q,
      local.map((c, i) => c * setup.inertia_body[i]),
    );
  };
  let first;
  run.forEach(({ now }, i) => {
    const r = reference.samples[i];
    const q = now['body/body/rotation'];
    const omega = now['body/body/angularVelocity'];
    errors.add('rotation', sub(sameTurn(q, fromWxyz(r.slice(1, 5))), fromWxyz(r.slice(1, 5))));
    errors.add('angular velocity', sub(omega, r.slice(8, 11)));
    const momentum = momentOf(q, omega);
    const energy = dot(momentum, omega) / 2;
    first ??= { energy, momentum: length(momentum) };
    errors.add('energy', energy / first.energy - 1);
    errors.add('angular momentum', length(momentum) / first.momentum - 1);
    errors.add('position', sub(now['body/body/position'], r.slice(11, 14)));
  });
  return answer(
    errors,
    {
      rotation: [tolerance.quat_component, ''],
      'angular velocity': [tolerance.omega, 'rad/s'],
      position: [tolerance.position_m, 'm'],
      energy: [tolerance.energy_relative, ''],
      'angular momentum': [tolerance.angular_momentum_relative, ''],
    },
    plotOf(
      'ω_x (world)',
      'rad/s',
      times,
      run.map(({ now }) => now['body/body/angularVelocity'][0]),
      column(reference.samples, 8),
    ),
  );
}

async function freeAsymmetric(h) {
  const { setup, reference, tolerance } = readCase('RB02_asymmetric_top_jacobi');
  const scene = makeScene({
    world: { timeStep: h, gravity: [0, 0, 0] },
    bodies: [
      {
        name: 'body',
        mass: setup.mass,
        inertia: setup.inertia_body,
        angularVelocity: setup.initial_omega_body,
      },
    ],
  });
  const run = await simulate(scene, {
    time: setup.duration,
    record: [
      'body/body/rotation',
      'body/body/angularVelocity',
      'world/kineticEnergy',
      'world/angularMomentum',
    ],
  });
  const errors = new Errors();
  const local = run.of('body/body/angularVelocity').map((omega, k) => {
    const [x, y, z, w] = run.of('body/body/rotation')[k];
    return rotate([-x, -y, -z, w], omega);
  });
  for (const r of reference.samples) {
    const k = Math.round(r[0] / h);
    errors.add('angular velocity', sub(local[k], r.slice(5, 8)));
  }
  run.time.forEach((_, k) => {
    errors.add('energy', run.of('world/kineticEnergy')[k] / reference.energy_J - 1);
    errors.add(
      'angular momentum',
      length(run.of('world/angularMomentum')[k]) / reference.angular_momentum - 1,
    );
  });
  const period = periodOf(run.time, column(local, 1), 0);
  errors.add('flip time', period / 2 / reference.half_period_flip_interval_s - 1);
  return answer(
    errors,
    {
      'angular velocity': [tolerance.omega, 'rad/s'],
      'flip time': [tolerance.flip_time_relative, ''],
      energy: [tolerance.energy_relative, ''],
      'angular momentum': [tolerance.angular_momentum_relative, ''],
    },
    plotOf(
      'ω_y (body)',
      'rad/s',
      column(reference.samples, 0),
      reference.samples.map(([t]) => local[Math.round(t / h)][1]),
      column(reference.samples, 6),
    ),
  );
}

// ---- RB04 -------------------------------------------------------------------------------------------------

/** Where a parabola through three neighbours has its least value: [time, angle] at pericentres. */
function pericentres(time, points) {
  const radii = points.map((p) => length(p));
  const found = [];
  for (let k = 1; k + 1 < radii.length; ++k) {
    const [a, b, c] = radii.slice(k - 1, k + 2);
    if (b >= a || b > c) continue;
    const shift = (a - c) / (2 * (a - 2 * b + c));
    const angles = [k - 1, k, k + 1].map((i) => Math.atan2(points[i][1], points[i][0]));
    const angle = angles[1] + (shift * wrap(angles[2] - angles[0])) / 2;
    found.push([time[k] + shift * (time[k + 1] - time[k]), angle]);
  }
  return found;
}

async function kepler(h) {
  const { setup, reference, tolerance } = readCase('RB04_kepler_orbit');
  const period = reference.period_s;
  const scene = makeScene({
    world: { timeStep: h, gravity: { type: 'kepler', centre: [0, 0, 0], mu: 4 } },
    bodies: [
      {
        name: 'body',
        mass: 1,
        inertia: [1, 1, 1],
        position: setup.initial_position,
        velocity: setup.initial_velocity,
      },
    ],
  });
  const run = await simulate(scene, {
    time: 10.2 * period,
    record: ['body/body/position', 'body/body/velocity'],
  });
  const [points, velocities] = [run.of('body/body/position'), run.of('body/body/velocity')];
  const errors = new Errors();
  for (let k = 1; k + 1 < points.length; k += 10) {
    const v = velocities[k];
    errors.add('energy', (dot(v, v) / 2 - 4 / length(points[k])) / reference.energy_per_kg - 1);
  }
  const near = pericentres(run.time, points);
  const [first, last] = [near[0], near.at(-1)];
  const turns = near.length - 1;
  errors.add('period', (last[0] - first[0]) / turns / period - 1);
  errors.add('turn of the apsides', wrap(last[1] - first[1]) / turns);
  return answer(
    errors,
    {
      period: [tolerance.period_relative, ''],
      'turn of the apsides': [tolerance.apsis_rotation_rad_per_orbit, 'rad/orbit'],
      energy: [tolerance.energy_relative, ''],
    },
    plotOf(
      'x',
      'm',
      column(reference.samples, 0),
      reference.samples.map(([t]) => points[Math.round(t / h)][0]),
      column(reference.samples, 1),
    ),
  );
}

// ---- all --------------------------------------------------------------------------------------------------

const stepOf = (id) => readCase(id).tolerance.time_step;
const precise = (id) => readCase(id).tolerance.high_precision;
const extrapolated = (kind) => readCase(`MB08_adams_joint_${kind}`).tolerance.or_extrapolated_from_time_steps;

const item = (id, measure, part = '', steps = [stepOf(id)]) => ({ id, part, steps, measure });
const halves = (steps) => steps.map((h) => h / 2);

/** Every case: id, part, the steps that it is judged at, measure(steps). */
export const cases = [
  item('MB01_iftomm_A01_simple_pendulum', ([h]) => pendulum(h)),
  item('MB02_iftomm_A02_double_fourbar', ([h]) =>
    doubleFourbar(h, readCase('MB02_iftomm_A02_double_fourbar').tolerance),
  ),
  item(
    'MB02_iftomm_A02_double_fourbar',
    ([h]) => doubleFourbar(h, precise('MB02_iftomm_A02_double_fourbar')),
    'high precision',
    [precise('MB02_iftomm_A02_double_fourbar').time_step],
  ),
  item('MB04_iftomm_A03_andrews_squeezer', (steps) =>
    squeezer(steps, readCase('MB04_iftomm_A03_andrews_squeezer').tolerance),
  ),
  item(
    'MB04_iftomm_A03_andrews_squeezer',
    (steps) => squeezer(steps, precise('MB04_iftomm_A03_andrews_squeezer')),
    'extrapolated',
    precise('MB04_iftomm_A03_andrews_squeezer').extrapolated_from_time_steps,
  ),
  item('MB05_iftomm_A04_bricard', ([h]) => bricard(h, readCase('MB05_iftomm_A04_bricard').tolerance)),
  item('MB05_iftomm_A04_bricard', ([h]) => bricard(h, precise('MB05_iftomm_A04_bricard')), 'high precision', [
    precise('MB05_iftomm_A04_bricard').time_step,
  ]),
  ...['cylindrical', 'prismatic', 'revolute', 'spherical', 'translational_spring_damper'].map((kind) =>
    item(`MB08_adams_joint_${kind}`, (steps) => adams(kind, steps), 'extrapolated', extrapolated(kind)),
  ),
  item('MB08_adams_joint_distance', (steps) => adams('distance', steps)),
  item('MB09_planar_slider_crank_torque', ([h]) => sliderCrank(h)),
  item('MB11_heavy_top_fixed_point', ([h]) => heavyTop(h)),
  item('MB13_double_pendulum_short_horizon', ([h]) => doublePendulum(h)),
  item('MB14_drake_fourbar', ([h]) => fourbar(h)),
  item('MB15_drake_joint_reactions', ([h]) => jointReactions(h)),
  item('MB19_catenary_chain', ([h]) => catenary(h), '', [1 / 60]),
  item('MB20_lock_joint_cantilever', ([h]) => cantilever(h), '', [1 / 60]),
  item('MB21_lagrange_top', ([h]) => lagrangeTop(h)),
  item('MB22_hanging_uniform_chain', ([h]) => hangingChain(h), '', [1 / 60]),
  item('RB01_drake_free_axisymmetric', ([h]) => freeSymmetric(h)),
  item('RB02_asymmetric_top_jacobi', ([h]) => freeAsymmetric(h)),
  item('RB04_kepler_orbit', ([h]) => kepler(h)),
].map((one) => ({ ...one, finer: halves(one.steps) }));
