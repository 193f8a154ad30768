// Meshes against the references of GE01 (masses and soundness of public meshes) and GE06 (hulls).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCairn, root } from '../node/helpers.mjs';
import { loadMesh } from './public_meshes.mjs';

const read = (name) => JSON.parse(readFileSync(join(root, 'tests/validation', `${name}.json`), 'utf8'));

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
