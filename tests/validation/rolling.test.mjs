// Rolling: what resists it, where it starts and stops, back spin, and coins.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  add,
  cross,
  dot,
  ground,
  length,
  makeScene,
  rotate,
  scale,
  simulate,
  standardGravity,
  sub,
  turnAbout,
} from './simulate.mjs';

const g = standardGravity;
const mass = 2; // kg
const radius = 0.25; // m
const solvers = ['auto', 'direct', 'split', 'iterative'];

/** Whether numbers agree within a part of the larger. */
function agree(found, wanted, part, what) {
  assert.ok(Math.abs(found - wanted) <= part * Math.abs(wanted), `${what}: ${found}, not ${wanted}`);
}

/** One body on what is fixed; gravity may be tilted. */
function scene({ body, properties, fixed = [ground], gravity = [0, 0, -g], solver = 'auto', hz = 60 }) {
  return makeScene({
    materials: [{ name: 'm', density: 1000 }],
    contactMaterials: [
      { materials: ['m', 'm'], restitution: 0, friction: 0.8, surfaceViscosity: 0, ...properties },
    ],
    world: { gravity, timeStep: 1 / hz, solver: { default: solver } },
    geometries: fixed,
    bodies: [{ name: 'b', mass, ...body }],
  });
}

/** Gravity on a slope whose steepest descent is along x. */
const slope = (angle) => [g * Math.sin(angle), 0, -g * Math.cos(angle)];

const ball = { geometries: [{ shape: { type: 'sphere', radius }, material: 'm' }] };
/** With its axis along y. */
const cylinder = { geometries: [{ shape: { type: 'cylinder', radius, height: 0.3 }, material: 'm' }] };
const pipe = {
  geometries: [
    { shape: { type: 'hollowCylinder', innerRadius: 0.2, thickness: 0.05, height: 0.3 }, material: 'm' },
  ],
};

/** k²/R² of what rolls. */
const rollers = [
  { name: 'a ball', shape: ball, share: 2 / 5 },
  { name: 'a cylinder', shape: cylinder, share: 1 / 2 },
  { name: 'a pipe', shape: pipe, share: (0.25 ** 2 + 0.2 ** 2) / (2 * 0.25 ** 2) },
];

// ---- resistance -------------------------------------------------------------------------------------------

for (const { name, shape, share } of rollers) {
  test(`${name} slows down by c g/(R (1 + k²/R²)) and stops, within 1 %`, async () => {
    const coefficient = 0.01; // m
    const slowing = (coefficient * g) / (radius * (1 + share));
    const speed = 0.5;
    for (const solver of solvers) {
      const body = {
        ...shape,
        position: [0, 0, radius],
        velocity: [speed, 0, 0],
        angularVelocity: [0, speed / radius, 0],
      };
      const run = await simulate(scene({ body, properties: { rollingResistance: coefficient }, solver }), {
        time: (1.5 * speed) / slowing,
        record: ['body/b/position', 'body/b/velocity'],
      });
      const x = run.of('body/b/position').map((p) => p[0]);
      agree(x.at(-1), speed ** 2 / (2 * slowing), 0.01, `${solver}: the way, m`);
      assert.ok(length(run.of('body/b/velocity').at(-1)) < 1e-6, `${solver}: stopped`);
      assert.ok(Math.abs(x.at(-1) - x.at(-10)) < 1e-8, `${solver}: stays`);
    }
  });

  test(`${name} on a slope starts to roll where tan α = c/R, within 1 %`, async () => {
    const coefficient = 0.02;
    for (const solver of solvers) {
      const way = async (part) => {
        const angle = Math.atan((part * coefficient) / radius);
        const body = { ...shape, position: [0, 0, radius] };
        const run = await simulate(
          scene({ body, properties: { rollingResistance: coefficient }, gravity: slope(angle), solver }),
          { time: 2, record: ['body/b/position'] },
        );
        const x = run.of('body/b/position').map((at) => at[0]);
        return x[120] - x[60]; // once it presses with its weight
      };
      assert.ok(Math.abs(await way(0.99)) < 1e-7, `${solver}: held`);
      const slowly = (0.01 * g * coefficient) / (radius * (1 + share));
      agree(await way(1.01), 1.5 * slowly, 0.5, `${solver}: the way in the second second, m`);
    }
  });

  test(`${name} rolls down a slope with g sin α/(1 + k²/R²), within 0.5 %`, async () => {
    const angle = 0.3;
    for (const solver of solvers) {
      const body = { ...shape, position: [0, 0, radius] };
      const run = await simulate(scene({ body, gravity: slope(angle), solver }), {
        time: 2,
        record: ['body/b/velocity'],
      });
      const v = run.of('body/b/velocity').map((u) => u[0]);
      agree(v[120] - v[60], (g * Math.sin(angle)) / (1 + share), 0.005, `${solver}: m/s in a second`);
    }
  });
}

// ---- on a ball, on a cylinder -----------------------------------------------------------------------------

for (const [name, shape, below] of [
  ['a ball on a ball', ball, { type: 'sphere', radius: 1 }],
  ['a cylinder on a cylinder', cylinder, { type: 'cylinder', radius: 1, height: 4 }],
  ['a ball on a cylinder', ball, { type: 'cylinder', radius: 1, height: 4 }],
]) {
  test(`${name} stays up to tan θ = c/R beside the top, within 1 % (sweeps 2 %)`, async () => {
    const coefficient = 0.02;
    for (const solver of solvers) {
      const way = async (part) => {
        const angle = Math.atan((part * coefficient) / radius);
        const position = scale(1 + radius, [Math.sin(angle), 0, Math.cos(angle)]);
        const run = await simulate(
          scene({
            body: { ...shape, position },
            fixed: [{ shape: below, material: 'm' }],
            properties: { rollingResistance: coefficient },
            solver,
          }),
          { time: 2, record: ['body/b/position'] },
        );
        const at = run.of('body/b/position');
        return length(sub(at[120], at[60]));
      };
      // swept, it rolls by a millimetre before it presses with its weight, and it lies on top
      const part = solver === 'auto' || solver === 'iterative' ? 0.02 : 0.01;
      assert.ok((await way(1 - part)) < 1e-7, `${solver}: held`);
      assert.ok((await way(1 + part)) > 5e-4, `${solver}: rolls`);
    }
  });
}

// ---- a cone on its side -----------------------------------------------------------------------------------

// A cone of height H and half angle α lies on a line of its surface. It rolls about that line, in a circle
// about its apex, with the moment of inertia I₃ cos²α + I₁ sin²α, both about the apex; its centre of mass is
// (3/4) H sin α above the plane.
const height = 0.4;
const half = 0.35;
const base = height * Math.tan(half);
const coneInertia =
  0.3 * mass * base ** 2 * Math.cos(half) ** 2 +
  0.6 * mass * (height ** 2 + base ** 2 / 4) * Math.sin(half) ** 2;
const coneCentre = 0.75 * height * Math.sin(half);

const cone = {
  geometries: [
    {
      shape: { type: 'cone', topRadius: 0, bottomRadius: base, height },
      position: [0, -height, 0],
      material: 'm',
    },
  ],
};
// its apex at the origin, its axis in −y of the body; on the ground it lies along −y
const coneRotation = turnAbout([1, 0, 0], -half);
const coneAxis = rotate(coneRotation, [0, -1, 0]);
const coneCentreOfMass = scale(0.75 * height, coneAxis);

test('a cone on its side rolls about its apex until c N has its energy, within 1 % (sweeps 2 %)', async () => {
  const coefficient = 0.002;
  const speed = 3; // rad/s about the line
  const slowing = (coefficient * mass * g) / coneInertia;
  for (const solver of solvers) {
    const spin = [0, -speed, 0];
    const body = {
      ...cone,
      position: [0, 0, 0],
      rotation: coneRotation,
      velocity: cross(spin, coneCentreOfMass),
      angularVelocity: spin,
    };
    const run = await simulate(
      scene({ body, properties: { rollingResistance: coefficient }, solver, hz: 240 }),
      {
        time: (1.3 * speed) / slowing,
        record: ['body/b/rotation', 'body/b/angularVelocity'],
      },
    );
    const axis = rotate(run.of('body/b/rotation').at(-1), [0, -1, 0]);
    const turned = Math.atan2(-axis[0], -axis[1]);
    const isSwept = solver === 'auto' || solver === 'iterative';
    agree(
      turned,
      (speed ** 2 / (2 * slowing)) * Math.tan(half),
      isSwept ? 0.02 : 0.01,
      `${solver}: rad about the apex`,
    );
    assert.ok(length(run.of('body/b/angularVelocity').at(-1)) < 1e-5, `${solver}: stopped`);
  }
});

test('a cone on its side starts to roll where tan β = c/((3/4) H sin α), within 1 %', async () => {
  const coefficient = 0.02;
  for (const solver of solvers) {
    const way = async (part) => {
      const angle = Math.atan((part * coefficient) / coneCentre);
      const body = { ...cone, position: [0, 0, 0], rotation: coneRotation };
      const run = await simulate(
        scene({ body, properties: { rollingResistance: coefficient }, gravity: slope(angle), solver }),
        { time: 2, record: ['body/b/rotation'] },
      );
      const axes = run.of('body/b/rotation').map((q) => rotate(q, [0, -1, 0]));
      return length(sub(axes[120], axes[60]));
    };
    assert.ok((await way(0.99)) < 1e-5, `${solver}: held`);
    assert.ok((await way(1.01)) > 5e-3, `${solver}: rolls`);
  }
});

// ---- back spin --------------------------------------------------------------------------------------------

// A ball slides until it rolls: its moment about the ground does not change, so that it ends with
// (5 v − 2 R ω)/7, ω its back spin, after 2 (v + R ω)/(7 μ g).
for (const hz of [60, 240]) {
  test(`a ball with back spin slows down, stands or comes back, at 1/${hz} s, within 1 %`, async () => {
    const coefficient = 0.2;
    const speed = 2;
    for (const solver of solvers) {
      for (const spin of [0, 10, 20, 40]) {
        const ends = (2 * (speed + radius * spin)) / (7 * coefficient * g);
        const last = (5 * speed - 2 * radius * spin) / 7;
        const body = {
          ...ball,
          position: [0, 0, radius],
          velocity: [speed, 0, 0],
          angularVelocity: [0, -spin, 0],
        };
        const run = await simulate(scene({ body, properties: { friction: coefficient }, solver, hz }), {
          time: ends + 1,
          record: ['body/b/position', 'body/b/velocity'],
        });
        const v = run.of('body/b/velocity').map((u) => u[0]);
        const what = `${solver}, ${spin} rad/s`;
        assert.ok(Math.abs(v.at(-1) - last) < 0.01 * speed, `${what}: ${v.at(-1)}, not ${last} m/s`);
        const steps = v.length - 1;
        const t = steps / hz;
        const way = speed * ends - 0.5 * coefficient * g * ends ** 2 + last * (t - ends);
        const x = run.of('body/b/position').at(-1)[0];
        const size = speed * ends + Math.abs(last) * (t - ends);
        assert.ok(Math.abs(x - way) < 0.01 * size, `${what}: ${x}, not ${way} m`);
      }
    }
  });
}

// ---- a coin -----------------------------------------------------------------------------------------------

// A disc of radius R and thickness 2 b rolls on the rim of one face without slipping. With n its axis, d the
// steepest line down its face and r = R d − b n from the centre to the contact:
//
//   v = −ω × r,   I ω' + ω × I ω = r × m (v' − g),   v' = −ω' × r − ω × r',
//
// three linear equations for ω'. Runge and Kutta's fourth order, from any tilt, spin and precession.
const coin = { radius: 0.1, half: 0.005, mass: 0.5 };
const axial = 0.5 * coin.mass * coin.radius ** 2;
const across = coin.mass * (coin.radius ** 2 / 4 + (2 * coin.half) ** 2 / 12);

/** r, and its rate where n moves by ṅ. */
function contactOf(n, rate) {
  // d = (−ẑ + (ẑ·n) n)/s, s = √(1 − n_z²); the face that is down is the one at −b n for n_z > 0
  const side = n[2] > 0 ? -1 : 1;
  const s = Math.sqrt(1 - n[2] ** 2);
  const d = scale(1 / s, add([0, 0, -1], scale(n[2], n)));
  const sRate = (-n[2] * rate[2]) / s;
  const dRate = sub(scale(1 / s, add(scale(rate[2], n), scale(n[2], rate))), scale(sRate / s, d));
  return {
    r: add(scale(coin.radius, d), scale(side * coin.half, n)),
    rate: add(scale(coin.radius, dRate), scale(side * coin.half, rate)),
  };
}

/** x of a x = b by Cramer's rule; columns of a. */
function solve3(a, b) {
  const det = (p, q, r) => dot(p, cross(q, r));
  const whole = det(...a);
  return [det(b, a[1], a[2]) / whole, det(a[0], b, a[2]) / whole, det(a[0], a[1], b) / whole];
}

/** Rates of [n, ω, centre]. */
function coinRates([n, w]) {
  const nRate = cross(w, n);
  const { r, rate } = contactOf(n, nRate);
  const inertia = (u) => add(scale(across, u), scale((axial - across) * dot(u, n), n));
  const momentum = inertia(w);
  // I ω' + m r × (ω' × r) = −ω × I ω − m r × (ω × r' + g): I changes with n, which ω × I ω holds
  const left = (u) => add(inertia(u), scale(coin.mass, cross(r, cross(u, r))));
  const right = sub(scale(-coin.mass, cross(r, add(cross(w, rate), [0, 0, -g]))), cross(w, momentum));
  const columns = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map(left);
  return [nRate, solve3(columns, right), scale(-1, cross(w, r))];
}

function rollCoin(state, time, h = 1e-4) {
  const moved = (from, rates, share) => from.map((u, i) => add(u, scale(share, rates[i])));
  let at = state;
  for (let step = Math.round(time / h); step > 0; --step) {
    const k1 = coinRates(at);
    const k2 = coinRates(moved(at, k1, h / 2));
    const k3 = coinRates(moved(at, k2, h / 2));
    const k4 = coinRates(moved(at, k3, h));
    at = at.map((u, i) => add(u, scale(h / 6, add(add(k1[i], k4[i]), scale(2, add(k2[i], k3[i]))))));
    const size = length(at[0]);
    at[0] = scale(1 / size, at[0]);
  }
  return at;
}

// Places within parts of the way, directions of the axis in rad, after a second; the error
// falls with the step.
for (const [name, tilt, spin, precession, solver, hz, place, direction] of [
  ['upright and fast', 0.1, 12, 0.3, 'auto', 240, 0.002, 0.012],
  ['in a circle', 0.3, 8, -2.2, 'auto', 240, 0.005, 0.02],
  ['in a circle, nodding', 0.3, 10, -1, 'auto', 240, 0.003, 0.01],
  ['in a narrow circle, nodding', 0.6, 6, -6, 'auto', 1000, 0.012, 0.06],
  ['upright and fast', 0.1, 12, 0.3, 'direct', 1000, 0.002, 0.012],
  ['in a circle', 0.3, 8, -2.2, 'direct', 1000, 0.008, 0.02],
]) {
  test(`a coin that rolls ${name}, ${solver} at 1/${hz} s`, async () => {
    // its axis y of the body; leaning by `tilt` from upright
    const rotation = turnAbout([1, 0, 0], tilt);
    const n = rotate(rotation, [0, 1, 0]);
    const w = add(scale(spin, n), [0, 0, precession]);
    const { r } = contactOf(n, [0, 0, 0]);
    const velocity = scale(-1, cross(w, r));
    const found = async (rate) => {
      const body = {
        name: 'b',
        mass: coin.mass,
        position: scale(-1, r),
        rotation,
        velocity,
        angularVelocity: w,
      };
      const shape = { type: 'cylinder', radius: coin.radius, height: 2 * coin.half };
      const run = await simulate(
        makeScene({
          materials: [{ name: 'm' }],
          contactMaterials: [{ materials: ['m', 'm'], restitution: 0, friction: 2, surfaceViscosity: 0 }],
          world: { timeStep: 1 / rate, gravity: [0, 0, -g], solver: { default: solver } },
          geometries: [ground],
          bodies: [{ ...body, geometries: [{ shape, material: 'm' }] }],
        }),
        { time: 1, record: ['body/b/position', 'body/b/rotation'] },
      );
      const axis = rotate(run.of('body/b/rotation').at(-1), [0, 1, 0]);
      return { axis, centre: run.of('body/b/position').at(-1) };
    };
    const [axis, , centre] = rollCoin([n, w, scale(-1, r)], 1);
    const fine = await found(hz);
    const coarse = await found(hz / 4);
    const off = length(sub(fine.centre, centre)) / length(velocity);
    const leans = length(sub(fine.axis, axis));
    assert.ok(off < place, `the centre is off by ${off} of its way`);
    assert.ok(leans < direction, `its axis is off by ${leans} rad`);
    assert.ok(length(sub(coarse.axis, axis)) > 2 * leans, 'shorter steps are better');
  });
}
