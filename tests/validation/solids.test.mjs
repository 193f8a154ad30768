// GE07: volume, centre and inertia of solids with closed forms. Exact where the engine has the shape; meshes
// of the others come nearer as the square of their facets.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';
import { arc, ellipsoidMesh, hollowMesh, prismMesh, torusMesh, turnedMesh } from './solids.mjs';

const file = new URL('GE07_analytic_solids.json', import.meta.url);
const { reference, tolerance } = JSON.parse(readFileSync(file, 'utf8'));

/** Moments about x, y, z of a solid whose own axis is y, for the reference, whose axis is z. */
const fromY = ({ volume, centre: [x, y, z], inertia: i }) => ({
  volume,
  centre: [x, -z, y],
  inertia: [i[0], -i[2], i[1], -i[2], i[8], -i[5], i[1], -i[5], i[4]],
});
const asIs = ({ volume, centre, inertia }) => ({ volume, centre: [...centre], inertia: [...inertia] });

const ballMesh = (radius, n) => turnedMesh(arc(radius, 0, 0, Math.PI, n / 2), n);
const corner = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const square = (half) => [
  [-half, -half],
  [half, -half],
  [half, half],
  [-half, half],
];

/** The block with a hole through it along z. */
function ringBlock() {
  const outer = square(1);
  const inner = square(0.5);
  const n = 4;
  const points = [-0.5, 0.5].flatMap((z) => [...outer, ...inner].map(([x, y]) => [x, y, z]));
  const triangles = [];
  const quad = (a, b, c, d) => triangles.push([a, b, c], [a, c, d]);
  for (let i = 0; i < n; ++i) {
    const j = (i + 1) % n;
    quad(i, j, 2 * n + j, 2 * n + i); // outer wall
    quad(n + j, n + i, 3 * n + i, 3 * n + j); // inner wall
    quad(j, i, n + i, n + j); // bottom
    quad(2 * n + i, 2 * n + j, 3 * n + j, 3 * n + i); // top
  }
  return { type: 'trimesh', points, triangles };
}

/**
 * By the beginning of the reference's name: `exact` shapes with how they lie, `refined` meshes of n facets,
 * or none of the two.
 */
const solids = {
  sphere: {
    exact: [[{ type: 'sphere', radius: 0.7 }, asIs]],
    refined: (n) => ballMesh(0.7, n),
  },
  hemisphere: {
    refined: (n) => turnedMesh([[0, 0], ...arc(0.7, 0, Math.PI / 2, Math.PI, n / 4)], n),
  },
  cylinder: {
    exact: [[{ type: 'cylinder', radius: 0.7, height: 1.9 }, fromY]],
    refined: (n) =>
      turnedMesh(
        [
          [0, -0.95],
          [0.7, -0.95],
          [0.7, 0.95],
          [0, 0.95],
        ],
        n,
      ),
  },
  cone: {
    exact: [[{ type: 'cone', topRadius: 0, bottomRadius: 0.7, height: 1.9 }, fromY]],
    refined: (n) =>
      turnedMesh(
        [
          [0, 0],
          [0.7, 0],
          [0, 1.9],
        ],
        n,
      ),
  },
  capsule: {
    exact: [[{ type: 'capsule', radius: 0.7, height: 1.9 }, fromY]],
    refined: (n) =>
      turnedMesh(
        [...arc(0.7, -0.95, 0, Math.PI / 2, n / 4), ...arc(0.7, 0.95, Math.PI / 2, Math.PI, n / 4)],
        n,
      ),
  },
  torus: { refined: (n) => torusMesh(1.2, 0.3, n) },
  ellipsoid: { refined: (n) => ellipsoidMesh([1.1, 0.6, 0.35], n) },
  'unit corner tetrahedron': {
    exact: [
      [{ type: 'convex', points: corner }, asIs],
      [
        {
          type: 'trimesh',
          points: corner,
          triangles: [
            [0, 2, 1],
            [0, 1, 3],
            [0, 3, 2],
            [1, 2, 3],
          ],
        },
        asIs,
      ],
    ],
  },
  'L-prism': {
    exact: [
      [
        prismMesh(
          [
            [0, 0],
            [2, 0],
            [2, 1],
            [1, 1],
            [1, 2],
            [0, 2],
          ],
          [
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 5],
            [3, 4, 5],
          ],
          0,
          0.5,
        ),
        asIs,
      ],
    ],
  },
  '2x2x1 block': { exact: [[ringBlock(), asIs]] },
  'hollow sphere': { density: 50, refined: (n) => hollowMesh(ballMesh(2.3, n), ballMesh(2.1, n)) },
};

/** Largest error, of its quantity's size. */
function errorOf({ volume, centre, inertia }, expected, density) {
  const wanted =
    expected.inertia_about_com_unit_density?.flat() ??
    diagonal(expected.inertia_about_com_unit_density_xx_yy_zz ?? Array(3).fill(expected.inertia / density));
  const size = Math.cbrt(expected.volume);
  const most = Math.max(...wanted);
  return Math.max(
    Math.abs(volume / expected.volume - 1),
    ...(expected.com ?? [0, 0, 0]).map((value, i) => Math.abs(centre[i] - value) / size),
    ...wanted.map((value, i) => Math.abs(inertia[i] - value) / most),
  );
}

const diagonal = ([x, y, z]) => [x, 0, 0, 0, y, 0, 0, 0, z];

for (const expected of reference.solids) {
  const key = Object.keys(solids).find((name) => expected.name.startsWith(name));
  const { exact = [], refined, density = 1 } = solids[key];
  test(expected.name, async () => {
    const cairn = await getCairn('st', 1);
    for (const [shape, turn] of exact) {
      const off = errorOf(turn(cairn.computeMassProperties(shape, 1)), expected, 1);
      assert.ok(off <= tolerance.relative, `${shape.type}: off by ${off}`);

      // a body of it has the same
      const world = cairn.createWorld();
      const material = world.createMaterial({ density: 7 });
      const body = world.createBody({ geometries: [{ shape, material }] });
      const inertia = body.getInertia().map((value) => value / 7);
      const own = turn({ volume: body.mass / 7, centre: body.getLocalCentreOfMass(), inertia });
      assert.ok(errorOf(own, expected, 1) <= tolerance.relative, `${shape.type} as a body`);
      world.dispose();
    }
    if (refined) {
      const errors = [32, 64, 128].map((n) => {
        const mass = cairn.computeMassProperties(refined(n), density);
        if (expected.mass) assert.ok(Math.abs(mass.mass / (density * mass.volume) - 1) < 1e-14);
        const { volume, centre } = mass;
        const inertia = [...mass.inertia].map((value) => value / density);
        return errorOf({ volume, centre, inertia }, expected, density);
      });
      // as n⁻²: a quarter each time
      for (let k = 1; k < errors.length; ++k) {
        const order = Math.log2(errors[k - 1] / errors[k]);
        assert.ok(order > 1.9 && order < 2.2, `errors ${errors.join(', ')}: of order ${order}`);
      }
      // and what is left extrapolates to nothing
      assert.ok(errors[2] < 5e-3, `off by ${errors[2]}`);
    }
  });
}
