// A world as line segments.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { debugRender } from '../../web/debug.js';
import { DebugOverlay } from '../../web/three.js';
import { garbageOf, getCairn, near, refuses } from './helpers.mjs';

/** Shapes whose lines all lie on them. */
const SHAPES = [
  { type: 'sphere', radius: 0.5 },
  { type: 'box', halfExtents: [0.5, 0.3, 0.2] },
  { type: 'capsule', radius: 0.3, height: 0.8 },
  { type: 'cylinder', radius: 0.4, height: 1 },
  { type: 'hollowCylinder', innerRadius: 0.3, thickness: 0.1, height: 1 },
  { type: 'cone', topRadius: 0, bottomRadius: 0.5, height: 1 },
  { type: 'cone', topRadius: 0.2, bottomRadius: 0.5, height: 1 },
  { type: 'hollowCone', topRadius: 0.2, bottomRadius: 0.5, height: 1, thickness: 0.1 },
  { type: 'convex', points: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] },
  {
    type: 'trimesh',
    points: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1],
    triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
  },
  { type: 'heightField', resolution: [3, 3], size: [2, 2], heights: [0, 0.1, 0, 0.2, 0.5, 0.1, 0, 0, 0.3] },
  { type: 'plane', normal: [0.6, 0, 0.8], offset: 0.5 },
];

describe('debugRender', () => {
  it('draws lines that lie on the shapes, where these are', async () => {
    const cairn = await getCairn();
    const world = cairn.createWorld();
    const rotation = [0.5, 0.5, 0.1, Math.sqrt(0.49)];
    for (const shape of SHAPES) {
      const geometry = world.createGeometry({ shape, position: [3, -2, 1], rotation });
      const { vertices, colors } = debugRender(world);
      assert.ok(vertices.length >= 36, shape.type);
      assert.equal(vertices.length % 6, 0);
      assert.equal(colors.length / 4, vertices.length / 3);
      for (let i = 0; i < vertices.length; i += 3) {
        const { distance } = geometry.findSurfacePoint([...vertices.subarray(i, i + 3)]);
        assert.ok(Math.abs(distance) < 1e-5, `${shape.type}: a vertex is ${distance} m off`);
      }
      geometry.destroy();
    }
    assert.equal(debugRender(world).vertices.length, 0);
    world.dispose();
  });

  it('follows bodies, sleep, heights and what comes and goes', async () => {
    const world = (await getCairn()).createWorld({ gravity: [0, 0, 0] });
    const body = world.createBody({
      velocity: [60, 0, 0],
      geometries: [{ shape: { type: 'box', halfExtents: [1, 1, 1] } }],
    });
    const mean = ({ vertices }) =>
      vertices.reduce((sum, x, i) => sum + (i % 3 === 0 ? x : 0), 0) / (vertices.length / 3);
    near(mean(debugRender(world)), 0, 1e-6);
    const awake = [...debugRender(world).colors.subarray(0, 4)];
    world.step();
    near(mean(debugRender(world)), 1, 1e-5);
    const { vertices } = debugRender(world);
    assert.equal(debugRender(world).vertices, vertices, 'the arrays are used again');
    world.setGravity([0, 0, -10]);
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1], offset: -1 } });
    body.setVelocity([0, 0, 0]);
    for (let i = 0; i < 300; ++i) world.step();
    assert.ok(body.asleep);
    assert.notDeepEqual([...debugRender(world).colors.subarray(0, 4)], awake);
    const shape = world.createShape({
      type: 'heightField',
      resolution: [2, 2],
      size: [1, 1],
      heights: [0, 0, 0, 0],
    });
    world.createGeometry({ shape, position: [0, 0, 5] });
    body.destroy();
    const highest = () =>
      debugRender(world).vertices.reduce((most, z, i) => (i % 3 === 2 ? Math.max(most, z) : most), 0);
    near(highest(), 5, 1e-6);
    shape.setHeight(1, 1, 0.5);
    near(highest(), 5.5, 1e-6);
    world.dispose();
  });

  it('draws joints and contacts', async () => {
    const world = (await getCairn()).createWorld();
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const geometries = [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }];
    const first = world.createBody({ position: [0, 0, 0.5], geometries });
    const second = world.createBody({ position: [1.5, 0, 0.5], geometries });
    const without = debugRender(world).vertices.length;
    world.createConstraint({
      type: 'hinge',
      bodies: [first, second],
      anchor: [0.75, 0, 0.5],
      axis: [0, 1, 0],
    });
    assert.equal(debugRender(world).vertices.length - without, 6 * 5);
    assert.equal(debugRender(world, { joints: false }).vertices.length, without);
    world.step();
    const { rows } = world.columns.contactPoints;
    assert.ok(rows >= 8);
    const { vertices } = debugRender(world, { shapes: false, joints: false, contacts: true, size: 2 });
    assert.equal(vertices.length, 6 * rows);
    near(Math.abs(vertices[5] - vertices[2]), 2, 1e-5);
    world.dispose();
  });

  it('makes no garbage, and says what is wrong', async () => {
    const world = (await getCairn()).createWorld();
    for (let i = 0; i < 30; ++i) {
      world.createBody({ position: [0, 0, 2 * i], geometries: [{ shape: { type: 'sphere', radius: 0.5 } }] });
    }
    const options = { contacts: true };
    debugRender(world, options);
    const bytes = await garbageOf(() => debugRender(world, options));
    assert.ok(bytes < 20000, `${bytes} bytes in 100 frames`);
    refuses(() => debugRender({}), { code: 'WRONG_TYPE' });
    refuses(() => debugRender(world, { joint: true }), { code: 'UNKNOWN_NAME' });
    refuses(() => debugRender(world, { shapes: 1 }), { code: 'WRONG_TYPE' });
    refuses(() => debugRender(world, { planeSize: 0 }), { code: 'OUT_OF_RANGE' });
    world.dispose();
    refuses(() => debugRender(world), { code: 'STALE_HANDLE' });
  });

  it('is an object of three.js, too', async () => {
    const world = (await getCairn()).createWorld();
    const overlay = new DebugOverlay(world);
    overlay.update();
    assert.equal(overlay.geometry.drawRange.count, 0);
    world.createBody({ geometries: [{ shape: { type: 'sphere', radius: 0.5 } }] });
    overlay.update();
    const { vertices } = debugRender(world);
    assert.equal(overlay.geometry.drawRange.count, vertices.length / 3);
    const { array } = overlay.geometry.getAttribute('position');
    assert.deepEqual([...array.subarray(0, 30)], [...vertices.subarray(0, 30)]);
    overlay.dispose();
    world.dispose();
  });
});
