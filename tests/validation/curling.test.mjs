// Bodies that slide and spin at once, against integrals over the parts of the area that they lie on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ground, makeScene, simulate, standardGravity, touching } from './simulate.mjs';

const g = standardGravity;
const friction = 0.3;
const mass = 10; // kg

/** Points of an area on a grid over 2 x by 2 y, m. */
function partsOf(isInside, [x, y], count) {
  const place = (i, size) => (-1 + (2 * (i + 0.5)) / count) * size;
  const parts = [];
  for (let i = 0; i < count; ++i) {
    for (let j = 0; j < count; ++j) {
      if (isInside(place(i, x), place(j, y))) parts.push([place(i, x), place(j, y)]);
    }
  }
  return parts;
}

/** Shapes 0.2 m high, with the parts of their faces and I/m, m². */
const shapes = {
  'a disc': {
    shape: { type: 'cylinder', radius: 0.5, height: 0.2 },
    parts: partsOf((x, y) => Math.hypot(x, y) < 0.5, [0.5, 0.5], 64),
    share: 0.5 * 0.5 ** 2,
    within: 0.01,
  },
  // the running band of a curling stone is a ring
  'a ring': {
    shape: { type: 'hollowCylinder', innerRadius: 0.4, thickness: 0.1, height: 0.2 },
    parts: partsOf((x, y) => Math.abs(Math.hypot(x, y) - 0.45) < 0.05, [0.5, 0.5], 120),
    share: 0.5 * (0.5 ** 2 + 0.4 ** 2),
    within: 0.01,
  },
  'a square': {
    shape: { type: 'box', halfExtents: [0.5, 0.5, 0.1] },
    parts: partsOf(() => true, [0.5, 0.5], 64),
    share: (0.5 ** 2 + 0.5 ** 2) / 3,
    within: 0.05,
  },
  'a plate': {
    shape: { type: 'box', halfExtents: [0.5, 0.2, 0.1] },
    parts: partsOf(() => true, [0.5, 0.2], 64),
    share: (0.5 ** 2 + 0.2 ** 2) / 3,
    within: 0.06,
  },
};

/** Friction over μ N, and its torque over μ N m, of parts that move by v and turn by w. */
function frictionOf(parts, [vx, vy], w) {
  let x = 0;
  let y = 0;
  let torque = 0;
  for (const [px, py] of parts) {
    const ux = vx - w * py;
    const uy = vy + w * px;
    const size = Math.hypot(ux, uy) || 1;
    x -= ux / size;
    y -= uy / size;
    torque -= (px * uy - py * ux) / size;
  }
  return { x: x / parts.length, y: y / parts.length, torque: torque / parts.length };
}

/** The way and the angle until a body rests, and when that is. */
function glide({ parts, share }, speed, spin, h = 2e-3) {
  let [x, y, angle, vx, vy, w, t] = [0, 0, 0, speed, 0, spin, 0];
  while (Math.hypot(vx, vy) + 0.5 * w > 1e-2) {
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const f = frictionOf(parts, [c * vx + s * vy, c * vy - s * vx], w);
    const slowing = friction * g * h;
    [x, y, angle] = [x + vx * h, y + vy * h, angle + w * h];
    vx += slowing * (c * f.x - s * f.y);
    vy += slowing * (s * f.x + c * f.y);
    w += (slowing * f.torque) / share;
    t += h;
  }
  // steps with the velocities of their starts are ahead by half of one
  return { way: x - 0.5 * h * speed, angle: angle - 0.5 * h * spin, time: t };
}

async function slide({ shape }, speed, spin, solver, hz) {
  const isBox = shape.type === 'box';
  const run = await simulate(
    makeScene({
      ...touching({ friction, surfaceViscosity: 0 }),
      geometries: [ground],
      world: { timeStep: 1 / hz, solver: { default: solver } },
      bodies: [
        {
          name: 'b',
          mass,
          position: [0, 0, 0.1],
          rotation: isBox ? [0, 0, 0, 1] : [Math.SQRT1_2, 0, 0, Math.SQRT1_2],
          velocity: [speed, 0, 0],
          angularVelocity: [0, 0, spin],
          geometries: [{ shape, material: 'm' }],
        },
      ],
    }),
    { time: 2.5, record: ['body/b/position', 'body/b/velocity', 'body/b/angularVelocity'] },
  );
  const v = run.of('body/b/velocity').map(([x, y]) => Math.hypot(x, y));
  const w = run.of('body/b/angularVelocity').map((u) => u[2]);
  return {
    way: run.of('body/b/position').at(-1)[0],
    angle: w.reduce((sum, u, i) => sum + (i > 0 ? (0.5 * (u + w[i - 1])) / hz : 0), 0),
    slides: v.findIndex((u) => u < 5e-3) / hz,
    spins: w.findIndex((u) => Math.abs(u) < 1e-2) / hz,
  };
}

for (const [name, shape] of Object.entries(shapes)) {
  const { within } = shape;
  test(`${name} that slides and spins: way and angle within ${100 * within} %, and both end together`, async () => {
    for (const [speed, spin] of [
      [2, 1],
      [2, 4],
      [2, 10],
      [0.5, 10],
    ]) {
      const wanted = glide(shape, speed, spin);
      for (const [solver, hz] of [
        ['auto', 240],
        ['direct', 240],
        ['split', 240],
        ['auto', 60],
      ]) {
        const found = await slide(shape, speed, spin, solver, hz);
        const what = `${speed} m/s, ${spin} rad/s, ${solver} at 1/${hz} s`;
        const part = within + (hz === 60 ? 0.02 : 0);
        const off = [found.way / wanted.way - 1, found.angle / wanted.angle - 1];
        assert.ok(Math.abs(off[0]) < part, `${what}: ${found.way}, not ${wanted.way} m`);
        assert.ok(Math.abs(off[1]) < part, `${what}: ${found.angle}, not ${wanted.angle} rad`);
        for (const end of [found.slides, found.spins]) {
          assert.ok(
            Math.abs(end - wanted.time) < 0.05,
            `${what}: at rest after ${end}, not ${wanted.time} s`,
          );
        }
      }
    }
  });
}

test('a disc that spins fast glides down a slope far below the angle of friction', async () => {
  // friction is proportional to what is slow beside R ω
  const { parts } = shapes['a disc'];
  const spin = 20;
  const small = 1e-3;
  const slope = -frictionOf(parts, [small, 0], spin).x / small; // of F/(μ N), s/m
  const angle = 0.05;
  const run = await simulate(
    makeScene({
      ...touching({ friction, surfaceViscosity: 0 }),
      geometries: [ground],
      world: { gravity: [g * Math.sin(angle), 0, -g * Math.cos(angle)] },
      bodies: [
        {
          name: 'b',
          mass,
          position: [0, 0, 0.1],
          rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2],
          angularVelocity: [0, 0, spin],
          geometries: [{ shape: shapes['a disc'].shape, material: 'm' }],
        },
      ],
    }),
    { time: 1, record: ['body/b/velocity', 'body/b/angularVelocity'] },
  );
  // v' = g sin α − μ g cos α F, ω' = −(4/3) μ g cos α/R while v is small beside R ω
  let v = 0;
  let w = spin;
  const h = 1e-4;
  for (let t = 0; t < 1; t += h) {
    v += h * (g * Math.sin(angle) - friction * g * Math.cos(angle) * slope * v * (spin / w));
    w -= (h * ((4 / 3) * friction * g * Math.cos(angle))) / 0.5;
  }
  const end = run.of('body/b/velocity').at(-1)[0];
  assert.ok(Math.abs(end / v - 1) < 0.02, `${end}, not ${v} m/s`);
});
