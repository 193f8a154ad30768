// The scenes: plain data from seeds, the same for every engine. SI units, y up, 60 steps a second, ball
// joints only.
import {
  add,
  anyRotation,
  axisAngle,
  between,
  conjugate,
  multiply as compose,
  random,
  rotate,
  scale,
  sub,
} from './math.mjs';
import { makeKinds } from './kinds.mjs';
import { box, capsule, hull, sphere, terrain } from './shapes.mjs';

/** A body as every adapter receives it; scenes name only what differs. Positions are centres of mass. */
export const body = (b) => ({
  rotation: [0, 0, 0, 1],
  velocity: [0, 0, 0],
  spin: [0, 0, 0],
  density: 1000,
  friction: 0.5,
  restitution: 0,
  collide: true,
  fixed: false,
  ...b,
});
const PITCH = 1.05; // of boxes side by side: they must not touch
const scene = (s) => ({ gravity: [0, -9.81, 0], dt: 1 / 60, joints: [], ...s, bodies: s.bodies.map(body) });
const slab = (half, height = 1) => ({
  shape: box(half, height / 2, half),
  position: [0, -height / 2, 0],
  fixed: true,
});
/** A ball joint at a point of the world, by where the bodies start. */
const joint = (bodies, a, b, point) => {
  const local = (i) => rotate(conjugate(bodies[i].rotation ?? [0, 0, 0, 1]), sub(point, bodies[i].position));
  return { a, b, anchorA: local(a), anchorB: local(b) };
};

function wall() {
  const bodies = [slab(50)];
  for (let row = 0; row < 30; ++row)
    for (let i = 0; i < 30 - row; ++i)
      bodies.push({ shape: box(0.5, 0.5, 0.5), position: [(i - (29 - row) / 2) * PITCH, row + 0.5, 0] });
  return scene({ bodies, steps: 360, measure: ['stack'] });
}

function pyramid() {
  const bodies = [slab(50)];
  for (let layer = 0; layer < 20; ++layer) {
    const n = 20 - layer,
      at = (i) => (i - (n - 1) / 2) * PITCH;
    for (let i = 0; i < n; ++i)
      for (let k = 0; k < n; ++k)
        bodies.push({ shape: box(0.5, 0.5, 0.5), position: [at(i), layer + 0.5, at(k)] });
  }
  return scene({ bodies, steps: 360, measure: ['stack'] });
}

const stack = (heavy) => {
  const bodies = [slab(50)];
  for (let i = 0; i < 20; ++i)
    bodies.push({
      shape: box(0.5, 0.5, 0.5),
      position: [0, i + 0.5, 0],
      density: heavy && i === 19 ? 1e5 : 1000,
    });
  return scene({ bodies, steps: 1200, measure: ['stack'] });
};

/** Five statics around a square pit, its floor at y = 0. */
const pit = (half, height) => {
  const side = box(1, height / 2, half + 2),
    front = box(half + 2, height / 2, 1),
    at = half + 1;
  return [
    slab(half + 2, 2),
    { shape: side, position: [at, height / 2, 0], fixed: true },
    { shape: side, position: [-at, height / 2, 0], fixed: true },
    { shape: front, position: [0, height / 2, at], fixed: true },
    { shape: front, position: [0, height / 2, -at], fixed: true },
  ];
};

/** Box, sphere, capsule in turn, sizes and poses drawn. */
const mixed = (r, i) =>
  [
    () => box(between(r, 0.15, 0.35), between(r, 0.15, 0.35), between(r, 0.15, 0.35)),
    () => sphere(between(r, 0.2, 0.35)),
    () => capsule(between(r, 0.15, 0.25), between(r, 0.15, 0.35)),
  ][i % 3]();

/** count bodies in layers of n × n above a floor of the given height. */
function rain(r, count, n, pitch, low, shape) {
  const bodies = [],
    at = (i) => (i - (n - 1) / 2) * pitch + between(r, -0.05, 0.05);
  for (let i = 0; i < count; ++i)
    bodies.push({
      shape: shape(r, i),
      position: [at(i % n), low + Math.floor(i / (n * n)) * pitch, at(Math.floor(i / n) % n)],
      rotation: anyRotation(r),
    });
  return bodies;
}

function mixedPile() {
  const r = random(3);
  return scene({ bodies: [...pit(6, 30), ...rain(r, 5000, 13, 0.9, 1, mixed)], steps: 420, measure: [] });
}

function hullPile() {
  const r = random(4);
  const stones = Array.from({ length: 20 }, () =>
    hull(
      Array.from({ length: 16 }, () => {
        const q = anyRotation(r),
          s = [between(r, 0.9, 1.1), 1, between(r, 0.9, 1.1)];
        return rotate(q, [0, 0.478, 0]).map((x, k) => x * s[k]);
      }),
    ),
  );
  return scene({
    bodies: [...pit(5, 20), ...rain(r, 1000, 9, 1.05, 1, (_, i) => stones[i % stones.length])],
    steps: 420,
    measure: [],
  });
}

const hills = (x, z) =>
  1.5 * Math.sin(0.35 * x) * Math.cos(0.3 * z) +
  0.4 * Math.sin(1.1 * x + 0.7 * z) +
  0.004 * Math.max(0, Math.hypot(x, z) - 22) ** 3;
function landscape(type) {
  const r = random(5),
    ground = terrain(type, 129, 0.5, hills);
  return scene({
    bodies: [{ shape: ground, position: [0, 0, 0], fixed: true }, ...rain(r, 1000, 32, 1.2, 4, mixed)],
    steps: 420,
    measure: ['terrain'],
  });
}

/** A net of balls, held along one edge, let go when level. */
function grid() {
  const n = 50,
    pitch = 0.6,
    half = pitch / 2,
    bodies = [],
    joints = [];
  for (let k = 0; k < n; ++k)
    for (let i = 0; i < n; ++i) {
      const j = bodies.length;
      bodies.push({
        shape: sphere(0.2),
        position: [k * pitch, 0, i * pitch],
        collide: false,
        fixed: i === 0,
      });
      if (i > 0) joints.push({ a: j - 1, b: j, anchorA: [0, 0, half], anchorB: [0, 0, -half] });
      if (i > 0 && k > 0) joints.push({ a: j - n, b: j, anchorA: [half, 0, 0], anchorB: [-half, 0, 0] });
    }
  return scene({ bodies, joints, steps: 360, measure: ['joints'] });
}

/** Eleven bodies, ten joints: standing at a point, turned by yaw. */
function ragdoll(bodies, joints, feet, turn) {
  const first = bodies.length;
  const part = (shape, x, y, rotation = [0, 0, 0, 1]) =>
    bodies.push({ shape, position: add(feet, rotate(turn, [x, y, 0])), rotation: compose(turn, rotation) });
  const flat = axisAngle([0, 0, 1], Math.PI / 2);
  part(box(0.18, 0.12, 0.12), 0, 1.0); // 0 pelvis
  part(box(0.2, 0.19, 0.13), 0, 1.35); // 1 chest
  part(sphere(0.15), 0, 1.74); // 2 head
  for (const side of [-1, 1]) {
    part(capsule(0.075, 0.12), side * 0.43, 1.45, flat); // 3, 7 upper arm
    part(capsule(0.065, 0.13), side * 0.82, 1.45, flat); // 4, 8 lower arm
    part(capsule(0.095, 0.15), side * 0.11, 0.66); // 5, 9 upper leg
    part(capsule(0.08, 0.16), side * 0.11, 0.23); // 6, 10 lower leg
  }
  const pin = (a, b, x, y) =>
    joints.push(joint(bodies, first + a, first + b, add(feet, rotate(turn, [x, y, 0]))));
  pin(0, 1, 0, 1.14);
  pin(1, 2, 0, 1.57);
  for (const [side, k] of [
    [-1, 3],
    [1, 7],
  ]) {
    pin(1, k, side * 0.22, 1.45);
    pin(k, k + 1, side * 0.63, 1.45);
    pin(0, k + 2, side * 0.11, 0.88);
    pin(k + 2, k + 3, side * 0.11, 0.44);
  }
}

function ragdolls() {
  const r = random(7),
    bodies = [slab(50)],
    joints = [];
  for (let i = 0; i < 100; ++i)
    ragdoll(
      bodies,
      joints,
      [
        ((i % 5) - 2) * 1.2 + between(r, -0.1, 0.1),
        1 + Math.floor(i / 25) * 2.2,
        ((Math.floor(i / 5) % 5) - 2) * 1.2,
      ],
      axisAngle([0, 1, 0], between(r, 0, 2 * Math.PI)),
    );
  return scene({ bodies, joints, steps: 360, measure: ['joints'] });
}

/** Links of 0.4 m and a weight of a thousand links at the end, from a fixed point 15 m up. */
function chain(links, along) {
  const link = 0.4,
    bodies = [{ shape: box(0.1, 0.1, 0.1), position: [0, 15, 0], fixed: true, collide: false }],
    joints = [];
  const at = (d) => add([0, 15, 0], scale(along, d)),
    rotation = along[0] ? axisAngle([0, 0, 1], Math.PI / 2) : [0, 0, 0, 1];
  for (let i = 0; i < links; ++i)
    bodies.push({
      shape: capsule(0.05, 0.15),
      position: at((i + 0.5) * link),
      rotation,
      mass: 10,
      collide: false,
    });
  bodies.push({
    shape: box(0.8, 0.8, 0.8),
    position: at(links * link + 0.8),
    rotation,
    mass: 10000,
    collide: false,
  });
  for (let i = 0; i <= links; ++i) joints.push(joint(bodies, i, i + 1, at(i * link)));
  return scene({ bodies, joints, steps: 600, measure: ['joints', 'chain'], reach: links * link + 0.8 });
}

/** name → builder; the order is that of the tables. */
export const scenes = {
  S1: wall,
  S2: pyramid,
  S3: mixedPile,
  S4: hullPile,
  S5: () => landscape('mesh'),
  S5h: () => landscape('field'),
  S6: grid,
  S7: ragdolls,
  S8: () => chain(30, [1, 0, 0]),
  S8v: () => chain(30, [0, -1, 0]),
  S8k: () => chain(1000, [1, 0, 0]),
  S9: () => stack(true),
  S9b: () => stack(false),
};
Object.assign(scenes, makeKinds({ scene, slab, joint, pit, mixed, rain, hills, ragdoll }));
export const names = Object.keys(scenes);
