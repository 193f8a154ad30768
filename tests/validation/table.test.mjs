// A table on four feet shares its load by their stiffness: springs under a rigid plate.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeScene, random, simulate, standardGravity } from './simulate.mjs';

const g = standardGravity;
const places = [
  [-0.6, -0.35],
  [0.6, -0.35],
  [0.6, 0.35],
  [-0.6, 0.35],
];

/** x of a x = b by elimination with pivots; rows of a. */
function solve(a, b) {
  const rows = a.map((row, i) => [...row, b[i]]);
  for (let k = 0; k < rows.length; ++k) {
    const best = rows
      .slice(k)
      .reduce((at, row, i) => (Math.abs(row[k]) > Math.abs(rows[at][k]) ? k + i : at), k);
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = 0; i < rows.length; ++i) {
      if (i !== k) {
        const share = rows[i][k] / rows[k][k];
        rows[i] = rows[i].map((x, j) => x - share * rows[k][j]);
      }
    }
  }
  return rows.map((row, i) => row.at(-1) / row[i]);
}

/**
 * Forces on feet of stiffnesses k (N/m) that are `longer` (m) than the others, under a weight (N) at x, y: of
 * all sets of feet that press the one in which none pulls, and none that is off the ground would be in it.
 */
function shareLoad({ k, longer, centre, weight }) {
  const shapes = [() => 1, ([x]) => x, ([, y]) => y]; // of the plate's motion: down, and by two tilts
  const sets = [[0, 1, 2, 3], ...places.map((_, out) => [0, 1, 2, 3].filter((i) => i !== out))];
  for (const pressing of sets) {
    const sum = (f) => pressing.reduce((total, i) => total + k[i] * f(places[i], i), 0);
    const matrix = shapes.map((p) => shapes.map((q) => sum((at) => p(at) * q(at))));
    const right = shapes.map((p) => p(centre) * weight - sum((at, i) => p(at) * longer[i]));
    const motion = solve(matrix, right);
    const pressed = places.map(
      (at, i) => k[i] * (shapes.reduce((x, p, j) => x + motion[j] * p(at), 0) + longer[i]),
    );
    if (pressed.every((force, i) => force >= 0 === pressing.includes(i))) {
      return pressed.map((force) => Math.max(0, force));
    }
  }
  throw new Error('no three feet bear the table');
}

/** A table whose feet are balls on boards of four materials; its centre of mass is above `centre`. */
function table({ k, longer, centre, weight }, solver) {
  const radius = 0.05;
  const height = 0.5;
  return makeScene({
    materials: [{ name: 'foot' }, ...places.map((_, i) => ({ name: `board${i}` }))],
    contactMaterials: places.map((_, i) => ({
      materials: ['foot', `board${i}`],
      youngsModulus: k[i],
      restitution: 0,
      friction: 0.5,
    })),
    world: { solver: { default: solver } },
    geometries: places.map(([x, y], i) => ({
      name: `board${i}`,
      shape: { type: 'box', halfExtents: [0.15, 0.15, 0.1] },
      position: [x, y, -0.1],
      material: `board${i}`,
    })),
    bodies: [
      {
        name: 'table',
        mass: weight / g,
        inertia: [1.5, 1.8, 2.5],
        position: [...centre, height + radius],
        geometries: places.map(([x, y], i) => ({
          name: `foot${i}`,
          shape: { type: 'sphere', radius },
          position: [x - centre[0], y - centre[1], -height - longer[i]],
          material: 'foot',
          massProperties: false,
        })),
      },
    ],
  });
}

/** The largest error of a foot's force over the weight, in eight tables. */
async function worst(solver, longest, stiffnesses) {
  const next = random(7);
  const between = (low, high) => low + (high - low) * next();
  let most = 0;
  let lifted = 0;
  for (let i = 0; i < 8; ++i) {
    const plan = {
      k: places.map(() => stiffnesses[0] * (stiffnesses[1] / stiffnesses[0]) ** next()),
      longer: places.map(() => between(0, longest)),
      centre: [between(-0.4, 0.4), between(-0.2, 0.2)],
      weight: between(50, 300),
    };
    const names = places.map((_, foot) => `contact/foot${foot}/board${foot}/normalForce`);
    const run = await simulate(table(plan, solver), { time: 6, record: names, every: 360 });
    const wanted = shareLoad(plan);
    lifted += wanted.filter((force) => force === 0).length;
    names.forEach((name, foot) => {
      most = Math.max(most, Math.abs(run.of(name).at(-1)[2] - wanted[foot]) / plan.weight);
    });
  }
  return { most, lifted };
}

for (const solver of ['auto', 'direct', 'split', 'iterative']) {
  test(`a table's feet bear what their stiffness says, ${solver}: within 0.01 % of its weight`, async () => {
    // feet that sink by some 20 µm: of one length; of lengths that differ by as much, so that
    // some bear nothing
    const equal = await worst(solver, 0, [1e6, 1e7]);
    assert.ok(equal.most < 1e-4, `off by ${equal.most} of the weight`);
    const unequal = await worst(solver, 3e-5, [1e6, 1e7]);
    assert.ok(unequal.lifted > 0, 'some foot is off the ground');
    assert.ok(unequal.most < 1e-4, `off by ${unequal.most} of the weight`);
  });
}
