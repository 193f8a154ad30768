// A hundred ragdolls of eleven bodies and ten ball joints, dropped on a heap: arms of neighbours overlap at
// the start, and joints with friction make wedges of overlaps. The same numbers as the scene S7 of the
// yardstick that compares engines.

import assert from 'node:assert/strict';

/** mulberry32: the same numbers in 0…1 for the same seed. */
function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const box = (...halfExtents) => ({ type: 'box', halfExtents });
const capsule = (radius, half) => ({ type: 'capsule', radius, height: 2 * half });

/** Points and rotations of a figure that stands at `feet`, turned about y. */
function place(feet, yaw) {
  const [sine, cosine] = [Math.sin(yaw / 2), Math.cos(yaw / 2)];
  const [s, c] = [Math.sin(yaw), Math.cos(yaw)];
  return {
    point: (x, y) => [feet[0] + c * x, feet[1] + y, feet[2] - s * x],
    upright: [0, sine, 0, cosine],
    // a quarter turn about z first: arms that are stretched out
    flat: [sine * Math.SQRT1_2, sine * Math.SQRT1_2, cosine * Math.SQRT1_2, cosine * Math.SQRT1_2],
  };
}

function addRagdoll(world, material, feet, yaw) {
  const { point, upright, flat } = place(feet, yaw);
  const bodies = [];
  const add = (shape, x, y, rotation = upright) =>
    bodies.push(world.createBody({ position: point(x, y), rotation, geometries: [{ shape, material }] }));
  add(box(0.18, 0.12, 0.12), 0, 1.0);
  add(box(0.2, 0.19, 0.13), 0, 1.35);
  add({ type: 'sphere', radius: 0.15 }, 0, 1.74);
  for (const side of [-1, 1]) {
    add(capsule(0.075, 0.12), side * 0.43, 1.45, flat);
    add(capsule(0.065, 0.13), side * 0.82, 1.45, flat);
    add(capsule(0.095, 0.15), side * 0.11, 0.66);
    add(capsule(0.08, 0.16), side * 0.11, 0.23);
  }
  const pin = (a, b, x, y) =>
    world.createConstraint({ type: 'ball', bodies: [bodies[a], bodies[b]], anchor: point(x, y) });
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

/** A world with the heap above a slab, y up, friction 0.5, no restitution; `solver` as of createWorld. */
export function makeRagdolls(cairn, solver) {
  const world = cairn.createWorld({ gravity: [0, -9.81, 0], timeStep: 1 / 60, solver });
  const material = world.createMaterial({ density: 1000 });
  world.createContactMaterial({ materials: [material, material], friction: 0.5, restitution: 0 });
  const slab = { shape: box(50, 0.5, 50), material };
  world.createBody({ motion: 'static', position: [0, -0.5, 0], geometries: [slab] });
  const next = random(7);
  for (let i = 0; i < 100; ++i) {
    const x = ((i % 5) - 2) * 1.2 - 0.1 + 0.2 * next();
    const feet = [x, 1 + Math.floor(i / 25) * 2.2, ((Math.floor(i / 5) % 5) - 2) * 1.2];
    addRagdoll(world, material, feet, 2 * Math.PI * next());
  }
  return world;
}

/**
 * What a number of steps shows: the widest gap of any joint in all steps and in the last, m; kinetic energy
 * at the end, J/kg; the lowest centre, m; island steps and those in which the guard took energy out.
 */
export function runRagdolls(world, steps) {
  const { columns } = world;
  let [widest, guarded, islands] = [0, 0, 0];
  const gap = () => columns.constraints.gap.reduce((most, value) => Math.max(most, value), 0);
  for (let step = 0; step < steps; ++step) {
    world.step();
    widest = Math.max(widest, gap());
    const count = world.getCounters().islands;
    for (let i = 0; i < count; ++i) guarded += world.getIslandStatistics(i).raised > 0;
    islands += count;
  }
  let [mass, lowest] = [0, Infinity];
  const { handle, position, mass: masses } = columns.bodies;
  for (let row = 0; row < handle.length; ++row) {
    if (handle[row] === 0) continue;
    if (Number.isFinite(masses[row])) mass += masses[row];
    if (position[3 * row + 1] !== -0.5) lowest = Math.min(lowest, position[3 * row + 1]);
  }
  return { widest, gap: gap(), rest: world.kineticEnergy / mass, lowest, guarded, islands };
}

/** @param {ReturnType<typeof runRagdolls>} result */
export function describeRagdolls({ widest, gap, rest, lowest, guarded, islands }) {
  return (
    `widest gap ${(1e3 * widest).toFixed(2)} mm, at the end ${(1e3 * gap).toFixed(3)} mm, ` +
    `${rest.toExponential(2)} J/kg, ` +
    `lowest centre ${lowest.toFixed(3)} m, guard in ${guarded} of ${islands} island steps`
  );
}

/**
 * Joints within 12 cm while all falls (39 to 79 mm, by seed) and within 3 mm at the end (0.03 to 0.4 as a
 * rule, 2.1 in one heap of eight), at most so many J/kg there, nobody below the slab.
 * @param {ReturnType<typeof runRagdolls>} result @param {{ most: number }} limit
 */
export function judgeRagdolls({ widest, gap, rest, lowest }, { most }) {
  assert.ok(widest < 0.12, `${widest} m`);
  assert.ok(gap < 0.003, `${gap} m at the end`);
  assert.ok(rest < most, `${rest} J/kg`);
  assert.ok(lowest > 0, `${lowest} m`);
}
