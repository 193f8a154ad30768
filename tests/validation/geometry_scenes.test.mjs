// The GE cases as scene files, by the command: masses of solids and meshes, lines in place of rays,
// depths of contacts.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../node/helpers.mjs';
import { loadMesh } from './public_meshes.mjs';

const read = (name) => JSON.parse(readFileSync(join(root, 'tests/validation', `${name}.json`), 'utf8'));
const { points, triangles } = loadMesh('bunny@1.0.1');

/** Steps a scene without gravity by the command; the last value of each channel. */
function run(scene, channels) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-'));
  try {
    const path = join(folder, 'scene.json');
    const world = { gravity: [0, 0, 0] };
    writeFileSync(path, JSON.stringify({ format: 'cairn-scene', version: 1, world, ...scene }));
    const record = channels.join(',');
    const text = execFileSync('node', [
      join(root, 'web/cli.js'),
      'run',
      path,
      '--steps',
      '1',
      '--record',
      record,
    ]);
    const { channels: values } = JSON.parse(text);
    return channels.map((channel) => values[channel].at(-1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const nearTo = (value, expected, within, what) =>
  assert.ok(Math.abs(value - expected) <= within, `${what}: ${value}, not ${expected}`);

test('GE01 and GE07: masses, centres and inertias of bodies', () => {
  const bunny = read('GE01_npm_mesh_mass_properties').reference.meshes[0];
  const { reference, tolerance } = read('GE07_analytic_solids');
  const find = (name) => reference.solids.find((solid) => solid.name.startsWith(name));
  const alongZ = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
  const shapes = {
    sphere: { type: 'sphere', radius: 0.7 },
    cylinder: { type: 'cylinder', radius: 0.7, height: 1.9 },
    cone: { type: 'cone', topRadius: 0, bottomRadius: 0.7, height: 1.9 },
    capsule: { type: 'capsule', radius: 0.7, height: 1.9 },
  };
  const bodyOf = (name, shape, rotation) => ({ name, geometries: [{ shape, rotation, material: 'unit' }] });
  const names = Object.keys(shapes);
  const scene = {
    materials: [{ name: 'unit', density: 1 }],
    meshes: [{ name: 'bunny', vertices: points, triangles }],
    bodies: [
      ...names.map((name, i) => ({ ...bodyOf(name, shapes[name], alongZ), position: [10 * i, 0, 0] })),
      { ...bodyOf('bunny', { type: 'trimesh', mesh: 'bunny' }), position: [0, 50, 0] },
      { ...bodyOf('hull', { type: 'convex', mesh: 'bunny' }), position: [50, 50, 0] },
    ],
  };
  const values = run(
    scene,
    [...names, 'bunny', 'hull'].flatMap((name) => [
      `body/${name}/mass`,
      `body/${name}/centreOfMass`,
      `body/${name}/inertia`,
    ]),
  );
  names.forEach((name, i) => {
    const [mass, centre, inertia] = values.slice(3 * i, 3 * i + 3);
    const solid = find(name);
    nearTo(mass / solid.volume, 1, tolerance.relative, `${name}: mass`);
    nearTo(centre[2], solid.com[2], tolerance.relative, `${name}: centre`);
    solid.inertia_about_com_unit_density_xx_yy_zz.forEach((value, k) =>
      nearTo(inertia[k][k] / value, 1, tolerance.relative, `${name}: inertia`),
    );
  });
  for (const [k, expected] of [bunny.solid, bunny.convex_hull].entries()) {
    const [mass, , inertia] = values.slice(3 * (names.length + k));
    nearTo(mass / expected.volume, 1, 1e-8, 'mass of the bunny');
    const wanted = expected.inertia_about_com_unit_density;
    wanted
      .flat()
      .forEach((value, i) => nearTo(inertia.flat()[i], value, 1e-6 * wanted[2][2], 'inertia of the bunny'));
  }
});

test('GE04: lines into the bunny', () => {
  const { reference } = read('GE04_ray_and_shape_casts');
  const reach = 60;
  const lines = reference.bunny_rays.map(({ origin, direction }, i) => {
    const length = Math.hypot(...direction);
    const end = origin.map((value, k) => value + (reach * direction[k]) / length);
    return { name: `ray${i}`, shape: { type: 'line', start: origin, end } };
  });
  const shape = { type: 'trimesh', mesh: 'bunny' };
  const scene = {
    meshes: [{ name: 'bunny', vertices: points, triangles }],
    bodies: [{ name: 'bunny', mass: 1, inertia: [1, 1, 1], geometries: [{ shape, sensor: true }] }],
    geometries: lines,
  };
  const depths = run(
    scene,
    lines.map(({ name }) => `contact/bunny/${name}/depth`),
  );
  reference.bunny_rays.forEach(({ t_first: first }, i) => {
    if (first === null) assert.equal(depths[i], 0);
    // contacts are f32: 60 m in 24 bits
    else nearTo(reach - depths[i], first, reach * 2 ** -24 + 1e-6, `ray ${i}`);
  });
});

test('GE02: depths of contacts', () => {
  const { reference, tolerance } = read('GE02_convex_distance_published_pairs');
  const boxes = reference.polytope_pairs.filter(
    ({ A, B, exact_signed_distance: distance }) =>
      A.quat_wxyz && B.quat_wxyz && A.type === 'box' && B.type === 'box' && Math.abs(distance) > 1e-3,
  );
  assert.ok(boxes.length >= 8, `${boxes.length}`);
  const place = ({ half_extents: halfExtents, quat_wxyz: [w, x, y, z], position }, i) => {
    const length = Math.hypot(w, x, y, z);
    return {
      position: [position[0], position[1] + 100 * i, position[2]],
      rotation: [x, y, z, w].map((value) => value / length),
      shape: { type: 'box', halfExtents },
    };
  };
  const sides = ['A', 'B'].map((side) =>
    boxes.map((pair, i) => {
      const { shape, ...pose } = place(pair[side], i);
      // sensors: nothing pushes them apart
      return { name: `${side}${i}`, ...pose, geometries: [{ shape, sensor: true }] };
    }),
  );
  const depths = run(
    { bodies: sides.flat() },
    boxes.map((_, i) => `contact/A${i}/B${i}/depth`),
  );
  boxes.forEach(({ name, exact_signed_distance: distance }, i) =>
    nearTo(depths[i], Math.max(0, -distance), tolerance.distance_abs_float32, name),
  );
});
