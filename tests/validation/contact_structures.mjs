// ST*: stacks, overhangs, arches and dominoes.

import { Errors, answer, cross, plotOf, readCase, length, simulate, sub, turnAbout } from './simulate.mjs';
import { boxOf, degrees, frictionOf, plane, sceneOf } from './contact_cases.mjs';

const positions = (names) => names.map((name) => `body/${name}/position`);
const movedBy = (result, name) => {
  const places = result.of(`body/${name}/position`);
  return length(sub(places.at(-1), places[0]));
};

/** Materials for bodies of one kind on the ground, on which they rub as on one another. */
const rough = (run, mu) => ({
  materials: [{ name: 'm' }],
  // masonry does not creep
  contactMaterials: [{ materials: ['m', 'm'], restitution: 0, surfaceViscosity: 0, ...frictionOf(run, mu) }],
});

// ---- ST01 -------------------------------------------------------------------------------------------------

async function stack(run, gravity, { masses, cube, mu, duration }) {
  const names = masses.map((_, i) => `b${i}`);
  const under = names.map((name, i) => `contact/${name}/${i ? names[i - 1] : 'ground'}/normalForce`);
  const result = await simulate(
    sceneOf(run, gravity, {
      ...rough(run, mu),
      geometries: [{ ...plane('m'), name: 'ground' }],
      bodies: names.map((name, i) => ({
        name,
        mass: masses[i],
        position: [0, 0, (i + 0.5) * cube],
        geometries: [boxOf([cube, cube, cube], 'm')],
      })),
    }),
    {
      time: duration,
      every: Math.round(1 / run.h),
      record: [...positions(names), ...under, ...names.map((name) => `body/${name}/velocity`)],
    },
  );
  // the boxes sink into one another by their weight: what moves after two seconds is drift
  return {
    forces: under.map((name) => result.of(name).at(-1)[2]),
    drift: Math.max(
      ...names.map((name) =>
        length(sub(result.of(`body/${name}/position`).at(-1), result.of(`body/${name}/position`)[2])),
      ),
    ),
    sink: Math.max(...names.map((name) => movedBy(result, name))),
    speed: Math.max(...names.map((name) => length(result.of(`body/${name}/velocity`).at(-1)))),
  };
}

export async function boxStacks(run, parameters = {}) {
  const { setup, tolerance } = readCase('ST01_box_stack_forces');
  const g = -setup.gravity[2];
  const duration = parameters.duration ?? setup.duration;
  const equal = { ...setup.equal, ...parameters.equal };
  const inverted = { ...setup.inverted, ...parameters.inverted };
  const errors = new Errors();
  let plot;
  for (const { masses, cube, mu } of [{ ...equal, masses: Array(equal.count).fill(equal.mass) }, inverted]) {
    const { forces, drift, sink, speed } = await stack(run, setup.gravity, { masses, cube, mu, duration });
    const loads = masses.map((_, i) => masses.slice(i).reduce((sum, mass) => sum + mass, 0) * g);
    forces.forEach((force, i) => errors.add('forces', force / loads[i] - 1));
    errors.add('drift after 2 s', drift);
    errors.add('sink and drift', sink);
    errors.add('speed at the end', speed);
    plot ??= {
      ...plotOf(
        'force under box',
        'N',
        forces.map((_, i) => i + 1),
        forces,
        loads,
      ),
      x: 'box',
    };
  }
  return answer(
    errors,
    {
      forces: [tolerance.force_relative, ''],
      'drift after 2 s': [tolerance.drift_m, 'm'],
      'sink and drift': [tolerance.drift_m, 'm'],
      'speed at the end': [tolerance.residual_speed, 'm/s'],
    },
    plot,
  );
}

// ---- ST02 -------------------------------------------------------------------------------------------------

const bricksScene = (run, gravity, { mu, ...brick }, places, edge) =>
  sceneOf(run, gravity, {
    ...rough(run, mu),
    geometries: [{ ...boxOf([2, 4, 1], 'm'), position: [edge - 1, 0, -0.5] }],
    bodies: places.map(([x, level], i) => ({
      name: `b${i}`,
      mass: brick.mass,
      position: [x, 0, (level + 0.5) * brick.height],
      geometries: [boxOf([brick.length, brick.width, brick.height], 'm')],
    })),
  });

/** Bricks over an edge at x = 0, each beyond the one below by f times what a stack of them can bear. */
function harmonicPlaces(n, f, long) {
  const places = [];
  // from the bottom: the k-th brick from the top is f L/(2 k) beyond what carries it
  let x = -long / 2;
  for (let k = n; k >= 1; --k) {
    x += (f * long) / (2 * k);
    places.push([x, n - k]);
  }
  return places;
}

/** Rows of 1, 2 … m … 2, 1 bricks. */
function diamondPlaces(m, long) {
  const places = [];
  for (let row = 0; row < 2 * m - 1; ++row) {
    const count = m - Math.abs(row - (m - 1));
    for (let i = 0; i < count; ++i) places.push([(i - (count - 1) / 2) * long, row]);
  }
  return places;
}

export async function overhangs(run, parameters = {}) {
  const { setup, reference } = readCase('ST02_overhang_stacks');
  const brick = setup.bricks;
  const duration = parameters.duration ?? reference.duration;
  const within = 0.002;
  const runStack = async (places, edge, mu = brick.mu) => {
    const scene = bricksScene(run, setup.gravity, { ...brick, mu }, places, edge);
    const names = scene.bodies.map(({ name }) => name);
    const result = await simulate(scene, {
      time: duration,
      every: Math.round(1 / run.h),
      record: positions(names),
    });
    const moved = Math.max(...names.map((name) => movedBy(result, name)));
    const early = Math.round(Math.min(5, duration));
    const sunk = Math.max(
      ...names.map(
        (name) => result.of(`body/${name}/position`)[0][2] - result.of(`body/${name}/position`)[early][2],
      ),
    );
    return { moved, collapsed: sunk > brick.height / 2 };
  };
  const errors = new Errors();
  let wrong = 0;
  const counts = parameters.harmonic ?? setup.harmonic.n;
  const moves = [];
  for (const n of counts) {
    const standing = await runStack(harmonicPlaces(n, 0.97, brick.length), 0);
    errors.add('moves of stacks that stand', standing.moved);
    const falling = await runStack(harmonicPlaces(n, 1.03, brick.length), 0);
    if (!falling.collapsed) ++wrong;
    moves.push(standing.moved);
  }
  // The theorem knows vertical forces only. Friction carries thrust, and with the case's the diamond of 5
  // stands: its contact forces balance every brick. So what falls is judged where forces are nearly vertical.
  const diamonds = parameters.diamonds ?? reference.diamond_balanced;
  for (const [m, stands] of Object.entries(diamonds)) {
    for (const mu of stands ? [brick.mu, 0.05] : [0.05]) {
      const { moved, collapsed } = await runStack(diamondPlaces(Number(m), brick.length), 0.5, mu);
      if (stands) errors.add('moves of diamonds that stand', moved);
      else if (!collapsed) ++wrong;
    }
  }
  errors.add('stacks that should fall and do not', wrong);
  return answer(
    errors,
    {
      'moves of stacks that stand': [within, 'm'],
      'moves of diamonds that stand': [within, 'm'],
      'stacks that should fall and do not': [0, ''],
    },
    {
      ...plotOf(
        'move of a harmonic stack',
        'm',
        counts,
        moves,
        counts.map(() => 0),
      ),
      x: 'bricks',
    },
  );
}

// ---- ST03 -------------------------------------------------------------------------------------------------

/** A semicircular arch of n equal voussoirs about the origin, feet on the plane z = 0. */
function archBodies(n, thickness, depth, radius) {
  return Array.from({ length: n }, (_, i) => {
    const [from, to] = [(Math.PI * i) / n, (Math.PI * (i + 1)) / n];
    const corners = [from, to].flatMap((angle) =>
      [radius - thickness / 2, radius + thickness / 2].flatMap((r) =>
        [-depth / 2, depth / 2].map((y) => [r * Math.cos(angle), y, r * Math.sin(angle)]),
      ),
    );
    const centre = corners.reduce((sum, corner) => sum.map((x, k) => x + corner[k] / 8), [0, 0, 0]);
    return {
      name: `v${i}`,
      position: centre,
      geometries: [
        { shape: { type: 'convex', points: corners.map((corner) => sub(corner, centre)) }, material: 'm' },
      ],
    };
  });
}

export async function archRun(run, { gravity, n, tR, mu, radius, depth, density, duration }) {
  const scene = sceneOf(run, gravity, {
    ...rough(run, mu),
    geometries: [plane('m')],
    bodies: archBodies(n, tR * radius, depth, radius),
  });
  scene.materials[0].density = density;
  const names = scene.bodies.map(({ name }) => name);
  const result = await simulate(scene, {
    time: duration,
    every: Math.round(1 / run.h),
    record: positions(names),
  });
  const at = (k) =>
    Math.max(
      ...names.map((name) =>
        length(sub(result.of(`body/${name}/position`)[k], result.of(`body/${name}/position`)[0])),
      ),
    );
  return {
    moved: at(result.time.length - 1),
    creep: Math.max(
      ...names.map((name) =>
        length(sub(result.of(`body/${name}/position`).at(-1), result.of(`body/${name}/position`)[1])),
      ),
    ),
    collapsed:
      Math.min(
        ...names.map(
          (name) => result.of(`body/${name}/position`).at(-1)[2] - result.of(`body/${name}/position`)[0][2],
        ),
      ) <
      -0.2 * radius,
  };
}

export async function arches(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('ST03_masonry_arch_limit_thickness');
  const tests = parameters.tests ?? setup.tests;
  const duration = parameters.duration ?? 60;
  const common = {
    gravity: setup.gravity,
    radius: parameters.radius ?? 1,
    depth: setup.depth,
    density: setup.density,
  };
  const errors = new Errors();
  const creeps = [];
  let wrong = 0;
  for (const { n, tR, mu, outcome } of tests) {
    const stands = outcome === 'stands';
    const { creep, collapsed } = await archRun(run, {
      ...common,
      n,
      tR,
      mu: mu ?? setup.mu,
      duration: stands ? duration : 10,
    });
    if (stands) errors.add('creep', (creep * 60) / duration);
    if (stands === collapsed) ++wrong;
    creeps.push(stands ? creep : 0);
  }
  errors.add('arches that do the other', wrong);
  // between the thickest that collapses and the thinnest that stands, by halving
  const published = reference.limit_for_n_blocks;
  for (const n of parameters.blocks ?? [15]) {
    let [low, high] = [published[n] - 0.01, published[n] + 0.01];
    while (high - low > tolerance.tR / 8) {
      const middle = (low + high) / 2;
      const { collapsed } = await archRun(run, { ...common, n, tR: middle, mu: setup.mu, duration: 15 });
      [low, high] = collapsed ? [middle, high] : [low, middle];
    }
    errors.add('least thickness', (low + high) / 2 - published[n]);
  }
  return answer(
    errors,
    {
      creep: [tolerance.creep_m_per_60s, 'm in 60 s'],
      'arches that do the other': [0, ''],
      'least thickness': [tolerance.tR, 'of R'],
    },
    {
      ...plotOf(
        'creep of arches that stand',
        'm',
        tests.map((_, i) => i + 1),
        creeps,
        creeps.map(() => 0),
      ),
      x: 'test',
    },
  );
}

// ---- ST06 -------------------------------------------------------------------------------------------------

export async function dominoWave(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('ST06_domino_wave_speed');
  const samples = parameters.samples ?? reference.samples;
  const count = parameters.count ?? setup.count;
  const errors = new Errors();
  const bodies = [];
  const materials = [{ name: 'floor' }, { name: 'domino', density: setup.density }];
  const contactMaterials = [
    { materials: ['domino', 'domino'], restitution: 0, ...frictionOf(run, setup.friction.domino_domino) },
    { materials: ['domino', 'floor'], restitution: 0, ...frictionOf(run, setup.friction.domino_floor) },
  ];
  samples.forEach(([height, thickness, gap], s) => {
    const lean = Math.atan(thickness / height) + 0.5 * degrees;
    for (let i = 0; i < count; ++i) {
      const turn = i === 0 ? lean : 0;
      const foot = [thickness / 2 + i * (thickness + gap), 0.5 * s, 0];
      // the first leans on its front edge, a little beyond its balance
      const arm = [
        -(thickness / 2) * Math.cos(turn) + (height / 2) * Math.sin(turn),
        0,
        (thickness / 2) * Math.sin(turn) + (height / 2) * Math.cos(turn),
      ];
      // the wave forgets how it began, but the first must get the second over its balance
      const begins = i === 0 ? { angularVelocity: [0, 4, 0], velocity: cross([0, 4, 0], arm) } : {};
      bodies.push({
        name: `d${s}x${i}`,
        position: foot.map((x, k) => x + arm[k]),
        rotation: turnAbout([0, 1, 0], turn),
        ...begins,
        geometries: [boxOf([thickness, setup.width, height], 'domino')],
      });
    }
  });
  const watched = [Math.round(count / 3), Math.round((2 * count) / 3)];
  const names = samples.flatMap((_, s) => watched.map((i) => `body/d${s}x${i}/angularVelocity`));
  const result = await simulate(
    sceneOf(run, setup.gravity, { materials, contactMaterials, geometries: [plane('floor')], bodies }),
    { time: parameters.time ?? 3, record: names },
  );
  const speeds = samples.map(([, thickness, gap], s) => {
    // the time at which a domino is hit: it turns at 0.5 rad/s
    const [first, last] = watched.map(
      (i) => result.of(`body/d${s}x${i}/angularVelocity`).findIndex(([, w]) => w > 0.5) * run.h,
    );
    return last > first ? ((watched[1] - watched[0]) * (thickness + gap)) / (last - first) : NaN;
  });
  samples.forEach((sample, s) => errors.add('speed', speeds[s] / sample[3] - 1));
  return answer(
    errors,
    { speed: [tolerance.speed_relative, ''] },
    {
      ...plotOf(
        'speed of the wave',
        'm/s',
        samples.map((_, s) => s + 1),
        speeds.map((v) => v || 0),
        samples.map((sample) => sample[3]),
      ),
      x: 'row',
    },
  );
}
