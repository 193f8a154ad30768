// GE04: rays into the bunny and into solids of closed form, and shapes cast at shapes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';
import { loadMesh } from './public_meshes.mjs';
import { capsule, cone, cylinder, ellipsoidMesh, torusMesh } from './solids.mjs';

const file = new URL('GE04_ray_and_shape_casts.json', import.meta.url);
const { reference, tolerance } = JSON.parse(readFileSync(file, 'utf8'));
const reach = 60; // m, longer than any way to a hit

const along = (direction) => {
  const length = Math.hypot(...direction);
  return direction.map((value) => (reach * value) / length);
};
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

function near(actual, expected, within, what) {
  const list = typeof expected === 'number' ? [[actual, expected]] : expected.map((x, i) => [actual[i], x]);
  for (const [value, wanted] of list)
    assert.ok(Math.abs(value - wanted) <= within, `${what}: ${actual}, not ${expected}`);
}

test('rays into the bunny', async () => {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld();
  const { points, triangles } = loadMesh('bunny@1.0.1');
  const bunny = world.createGeometry({ shape: { type: 'trimesh', points, triangles } });
  for (const ray of reference.bunny_rays) {
    const translation = along(ray.direction);
    const hit = world.castRay(ray.origin, translation);
    const crossings = world.castRayAll(ray.origin, translation, { crossings: true });
    assert.equal(crossings.length, ray.hit_count);
    if (ray.t_first === null) {
      assert.equal(hit, null);
      continue;
    }
    assert.equal(hit.geometry, bunny);
    near(hit.fraction * reach, ray.t_first, tolerance.t_abs_mesh, 'first hit, m');
    near(hit.normal, ray.normal, 1e-6, 'normal');
    assert.equal(hit.triangle, ray.triangle);

    // in and out by turns
    assert.equal(crossings[0].fraction, hit.fraction);
    crossings.forEach((crossing, i) =>
      assert.equal(dot([...crossing.normal], translation) < 0, i % 2 === 0, `crossing ${i}`),
    );
    // from inside the solid a ray meets it at once
    const inside = ray.origin.map((value, i) => value + ((ray.t_first + 1e-6) * translation[i]) / reach);
    assert.equal(world.castRay(inside, translation).fraction, 0);
  }
  world.dispose();
});

test('rays at cones, cylinders and capsules', async () => {
  const cairn = await getCairn('st', 1);
  const solids = [
    ['cone_r0_6_h1_5_apex_up_centred', cone(0.6, 1.5, -0.75)],
    ['cylinder_r0_5_h1_4', cylinder(0.5, 1.4)],
    ['capsule_r0_4_seg1_0', capsule(0.4, 1)],
  ];
  for (const ray of reference.primitive_rays) {
    for (const [key, [shape, pose]] of solids) {
      const hit = cairn.castRayAtShape(shape, pose, ray.origin, along(ray.direction));
      assert.equal(hit.hit, ray[key] !== null, key);
      if (hit.hit) near(hit.fraction * reach, ray[key], tolerance.t_abs_primitive, `${key}, m`);
    }
  }
});

test('rays at tori and ellipsoids: meshes of them, with an error that falls as the square of their facets', async () => {
  const cairn = await getCairn('st', 1);
  const solids = [
    ['ellipsoid_semi_axes_1_0_5_0_25', (n) => ellipsoidMesh([1, 0.5, 0.25], n)],
    ['torus_R0_8_r0_25_first_hit', (n) => torusMesh(0.8, 0.25, n)],
  ];
  for (const [key, make] of solids) {
    const [coarse, fine] = [48, 192].map((n) => {
      const world = cairn.createWorld();
      world.createGeometry({ shape: make(n) });
      const errors = reference.primitive_rays.map((ray) => {
        const hit = world.castRay(ray.origin, along(ray.direction));
        assert.equal(hit !== null, ray[key] !== null, `${key}, ${n} facets`);
        return hit ? Math.abs(hit.fraction * reach - ray[key]) : 0;
      });
      world.dispose();
      return Math.hypot(...errors);
    });
    assert.ok(fine < 2e-3, `${key}: off by ${fine} m`);
    const order = Math.log2(coarse / fine) / 2;
    assert.ok(order > 1.7, `${key}: ${coarse} m, then ${fine} m, of order ${order}`);
  }
});

// ---- shape casts ------------------------------------------------------------------------------------------

const [triangleCast, ballCast, missCast, boxCast, edgeCast] = reference.shape_casts;
const big = {
  type: 'trimesh',
  points: [
    [50, 25, 0],
    [-50, 25, 0],
    [0, -25, 0],
  ],
  triangles: [[0, 1, 2]],
};
const ball = (radius) => ({ type: 'sphere', radius });

/** Casts at one shape. */
function castAt(cairn, target, shape, position, translation) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: target.shape ?? target, position: target.position ?? [0, 0, 0] });
  const hit = world.castShape(shape, { position }, translation);
  world.dispose();
  return hit;
}

test(triangleCast.name, async () => {
  const cairn = await getCairn('st', 1);
  const hit = castAt(cairn, big, ball(0.2), [0, 0, 15], [0, 0, -30]);
  near(hit.fraction, triangleCast.fraction, tolerance.fraction_abs, 'fraction');
  near(hit.point, triangleCast.contact, tolerance.fraction_abs * 30, 'contact, m');
  // the axis of the reference points into the triangle, the normal out of it
  near(
    hit.normal,
    triangleCast.axis.map((value) => -value),
    1e-6,
    'normal',
  );

  // and from below
  const below = castAt(cairn, big, ball(0.2), [0, 0, -15], [0, 0, 30]);
  near(below.fraction, triangleCast.fraction, tolerance.fraction_abs, 'fraction from below');
});

test(ballCast.name, async () => {
  const cairn = await getCairn('st', 1);
  const hit = castAt(cairn, ball(1), ball(1), [-10, 0, 0], [20, 0, 0]);
  near(hit.fraction, ballCast.fraction, tolerance.fraction_abs, 'fraction');
  near(hit.point, ballCast.contact, 20 * tolerance.fraction_abs, 'contact, m');
});

test(missCast.name, async () => {
  const cairn = await getCairn('st', 1);
  assert.equal(castAt(cairn, ball(1), ball(1), [-10, 2.1, 0], [20, 0, 0]), null);
});

test(boxCast.name, async () => {
  const cairn = await getCairn('st', 1);
  for (const k of [1, 2, 5, 10, 20]) {
    const target = { shape: { type: 'box', halfExtents: [0.1 * k, 1, 1] }, position: [0.1 * k, 0, 0] };
    const hit = castAt(cairn, target, ball(1), [-5, 0, 0], [10, 0, 0]);
    near(hit.fraction, boxCast.fraction, tolerance.fraction_abs, `fraction at box ${k}`);
    near(hit.point, boxCast.contact, 10 * tolerance.fraction_abs, `contact at box ${k}, m`);
  }
});

test(edgeCast.name, async () => {
  const cairn = await getCairn('st', 1);
  const hit = castAt(cairn, big, ball(0.2), [0, 31, 8], [0, -6, -8]);
  near(hit.fraction, edgeCast.fraction, tolerance.fraction_abs, 'fraction');
  near(hit.point, edgeCast.contact, 10 * tolerance.fraction_abs, 'contact, m');

  // the class: points of all edges, from all directions in which they are nearest
  for (let i = 0; i < 300; ++i) {
    const from = big.points[i % 3];
    const to = big.points[(i + 1) % 3];
    const t = 0.05 + 0.9 * ((i * 0.618034) % 1);
    const point = from.map((value, k) => value + t * (to[k] - value));
    const [x, y] = [to[0] - from[0], to[1] - from[1]].map(
      (value) => value / Math.hypot(to[0] - from[0], to[1] - from[1]),
    );
    // outwards is (y, -x) where the corners go round as here
    const angle = (((i * 0.414214) % 1) - 0.5) * Math.PI;
    const distance = 1 + ((i * 0.732051) % 1) * 20;
    const direction = [y * Math.cos(angle), -x * Math.cos(angle), Math.sin(angle)];
    const start = point.map((value, k) => value + distance * direction[k]);
    const cast = castAt(
      cairn,
      big,
      ball(0.2),
      start,
      direction.map((value) => -distance * value),
    );
    near(cast.fraction, 1 - 0.2 / distance, tolerance.fraction_abs, `fraction of cast ${i}`);
    near(cast.point, point, distance * tolerance.fraction_abs + 1e-6, `contact of cast ${i}`);
  }
});
