// Height fields from JavaScript: descriptions, changing and reading heights, what is drawn of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, near, refuses } from './helpers.mjs';

const flat = (nx, ny) => ({
  type: /** @type {const} */ ('heightField'),
  resolution: [nx, ny],
  size: [nx - 1, ny - 1],
  heights: new Float64Array(nx * ny),
});

async function withWorld(task) {
  const world = (await getCairn()).createWorld();
  try {
    await task(world);
  } finally {
    world.dispose();
  }
}

test('heights are set and read, whole, by region and one by one', () =>
  withWorld((world) => {
    const heights = [0, 1, 2, 3, 4, 5];
    const shape = world.createShape({ type: 'heightField', resolution: [3, 2], size: [4, 1], heights });
    assert.deepEqual([...shape.getHeights()], heights);
    shape.setHeights({ region: [1, 2, 0, 0], heights: new Float32Array([-1, -2]) });
    shape.setHeight(0, 1, 0.1);
    assert.deepEqual([...shape.getHeights()], [0, -1, -2, 0.1, 4, 5]);
    assert.deepEqual([...shape.getHeights([0, 1, 1, 1])], [0.1, 4]);
    assert.equal(shape.getHeight(2, 0), -2);
    shape.setHeights({ heights: [5, 4, 3, 2, 1, 0] });
    assert.deepEqual([...shape.getHeights()], [5, 4, 3, 2, 1, 0]);

    // what is wrong changes nothing
    refuses(() => shape.setHeights({ region: [0, 3, 0, 0], heights: [1, 2, 3, 4] }), {
      code: 'OUT_OF_RANGE',
      argument: 'region',
    });
    refuses(() => shape.setHeights({ region: [0, 1], heights: [1, 2] }), { code: 'WRONG_TYPE' });
    refuses(() => shape.setHeights({ region: [0, 1, 0, 0], heights: [1] }), { argument: 'heights' });
    refuses(() => shape.setHeights({ heights: 'abcdef' }), { code: 'WRONG_TYPE' });
    refuses(() => shape.setHeights({ heights: [1, 2, 3, 4, 5, NaN] }), { code: 'NOT_FINITE' });
    refuses(() => shape.getHeights([-1, 0, 0, 0]), { code: 'OUT_OF_RANGE' });
    refuses(() => shape.setHeight(0, 2, 1), { code: 'OUT_OF_RANGE' });
    assert.deepEqual([...shape.getHeights()], [5, 4, 3, 2, 1, 0]);
    const ball = world.createShape({ type: 'sphere', radius: 1 });
    refuses(() => ball.getHeight(0, 0), { code: 'OUT_OF_RANGE', message: /height field/ });
    refuses(() => ball.setHeights({ heights: [1] }), { code: 'OUT_OF_RANGE' });
  }));

test('descriptions are those of scene files', async () => {
  const cairn = await getCairn();
  const field = { ...flat(3, 3), heights: [0, 0, 0, 0, 1, 0, 0, 0, 0] };
  const bounds = cairn.computeBounds(field, {});
  near(bounds.lower, [-1, -1, -1]);
  near(bounds.upper, [1, 1, 1]);
  near(cairn.computeBounds({ ...field, bottomMargin: 0 }, {}).lower, [-1, -1, 0]);
  near(cairn.computeMassProperties(field, 1000).mass, 0);

  // six triangles of half a square metre meet at the top: 6 · 0.5/3 m³
  const solid = { ...field, dynamic: true };
  near(cairn.computeMassProperties(solid, 3).mass, 3);
  near(cairn.computeMassProperties({ ...solid, minHeight: -1 }, 3).mass, 15);
  const hit = cairn.castRayAtShape(field, {}, [0, 0, 5], [0, 0, -10]);
  near(hit.fraction, 0.4);

  refuses(() => cairn.computeBounds({ ...field, resolution: 3 }, {}), { argument: 'shape.resolution' });
  refuses(() => cairn.computeBounds({ ...field, resolution: [3, 2] }, {}), { argument: 'heights' });
  refuses(() => cairn.computeBounds({ ...field, columnCount: 3 }, {}), { code: 'UNKNOWN_NAME' });
  refuses(() => cairn.computeBounds({ type: 'heightField', resolution: [2, 2], size: [1, 1] }, {}), {
    argument: 'shape.heights',
  });
});

test('a ball falls into a pit that is dug below it', () =>
  withWorld((world) => {
    const shape = world.createShape(flat(17, 17));
    world.createGeometry({ shape });
    const ball = world.createBody({
      position: [0.1, 0.2, 0.5],
      geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
    });
    for (let i = 0; i < 60; ++i) world.step();
    near(ball.getPosition()[2], 0.5, 1e-4);
    shape.setHeights({ region: [4, 12, 4, 12], heights: new Float64Array(81).fill(-1) });
    for (let i = 0; i < 120; ++i) world.step();
    near(ball.getPosition()[2], -0.5, 1e-3);
  }));

test('what is drawn follows the heights', () =>
  withWorld(async (world) => {
    const shape = world.createShape(flat(3, 2));
    const solid = world.createShape({ ...flat(3, 2), dynamic: true, minHeight: -1 });
    const surface = world.getShapeSurface(shape.index);
    assert.equal(surface.vertices.length, 3 * 6);
    assert.equal(surface.triangles.length, 3 * 4);
    near(surface.vertices.slice(0, 6), [-1, -0.5, 0, 0, -0.5, 0]);
    const closed = world.getShapeSurface(solid.index);
    assert.equal(closed.vertices.length, 3 * (6 + 6));
    assert.equal(closed.triangles.length, 3 * (4 + 12 + 2));
    near(signedVolume(closed), 2);

    const { WorldView } = await import('../../web/three.js');
    world.createGeometry({ shape });
    const view = new WorldView(world);
    view.update();
    const mesh = /** @type {import('three').InstancedMesh} */ (view.children[0]);
    const heights = () => [...Array(6).keys()].map((i) => mesh.geometry.getAttribute('position').getZ(i));
    assert.deepEqual(heights(), [0, 0, 0, 0, 0, 0]);
    shape.setHeight(1, 1, 0.5);
    view.update();
    assert.deepEqual(heights(), [0, 0, 0, 0, 0.5, 0]);
    assert.equal(mesh, view.children[0]);
    view.dispose();
  }));

function signedVolume({ vertices, triangles }) {
  let six = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => vertices.slice(3 * triangles[t + k], 3 * triangles[t + k] + 3));
    six += a[0] * (b[1] * c[2] - b[2] * c[1]);
    six += a[1] * (b[2] * c[0] - b[0] * c[2]);
    six += a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return six / 6;
}
