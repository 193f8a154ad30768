// Mesh tools: pieces that cover their mesh, in slices that can be watched and ended, the same natively and in
// WebAssembly; reduced meshes; shapes that hold points.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as THREE from 'three';
import { load } from '../../web/index.node.js';
import { decomposeGeometry } from '../../web/three.node.js';
import { loadInWorker } from '../../web/worker.node.js';
import { makeBox, makeTorus, makeU, open } from '../shared/tool_meshes.mjs';
import { flavours, getCairn, near, root } from './helpers.mjs';

const reasonOf = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail('it was not rejected');
};

for (const [flavour, getModule] of flavours) {
  test(`a U comes apart into its three bars, ready for a geometry, ${flavour}`, async () => {
    const cairn = await getModule();
    const pieces = await cairn.decomposeMesh(makeU());
    assert.equal(pieces.shapes.length, 3);
    near(pieces.volumeRatio, 1, 1e-9);
    near(pieces.volume, 4, 1e-9);
    assert.equal(pieces.withinBounds, true);
    const world = cairn.createWorld();
    const body = world.createBody({ geometries: [{ shapes: pieces.shapes }] });
    near(body.mass, 4000, 1e-6); // of 1000 kg/m³
    world.dispose();
  });
}

test('what is told rises from 0 to 1, and other tasks come in between', async () => {
  const cairn = await getCairn();
  const told = [];
  let ticks = 0;
  const timer = setInterval(() => ++ticks, 1);
  await cairn.decomposeMesh(makeTorus(1.2, 0.3, 48, 24), {
    maxHulls: 16,
    onProgress: (part) => told.push(part),
  });
  clearInterval(timer);
  assert.ok(told.length >= 3 && ticks >= 3, `${told.length} reports, ${ticks} ticks`);
  assert.ok(told.every((part, i) => part > (told[i - 1] ?? -1) && part <= 1));
  assert.equal(told.at(-1), 1);
});

test('a signal ends the work with its reason, and nothing is left behind', async () => {
  const cairn = await getCairn();
  const mesh = makeTorus(1.2, 0.3, 96, 48);
  // memory grows to what it takes, and no further however often the work is begun and ended
  await cairn.decomposeMesh(mesh, { maxHulls: 4 });
  for (let i = 0; i < 20; ++i) {
    const stop = new AbortController();
    const begun = performance.now();
    const work = cairn.decomposeMesh(mesh, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('no longer wanted')),
    });
    assert.equal((await reasonOf(work)).message, 'no longer wanted');
    assert.ok(performance.now() - begun < 2000);
  }
  assert.equal(
    (await reasonOf(cairn.decomposeMesh(mesh, { signal: AbortSignal.abort() }))).name,
    'AbortError',
  );
  const stop = new AbortController();
  const work = cairn.reduceMesh(mesh, {
    maxTriangles: 10,
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  assert.equal((await reasonOf(work)).name, 'AbortError');
  // what a callback throws ends it, too
  const thrown = cairn.decomposeMesh(mesh, {
    onProgress: () => {
      throw new RangeError('from the page');
    },
  });
  assert.equal((await reasonOf(thrown)).message, 'from the page');
});

test('several at a time do not disturb each other', async () => {
  const cairn = await getCairn();
  const alone = [await cairn.decomposeMesh(makeU()), await cairn.decomposeMesh(makeTorus(1, 0.4, 20, 12))];
  const together = await Promise.all([
    cairn.decomposeMesh(makeU()),
    cairn.decomposeMesh(makeTorus(1, 0.4, 20, 12)),
    cairn.reduceMesh(makeTorus(1, 0.4, 20, 12), { maxTriangles: 100 }),
    cairn.fitShape(makeU().points, 'box'),
  ]);
  assert.deepEqual(together.slice(0, 2), alone);
});

test('the same bits natively and in WebAssembly', async () => {
  const cairn = await getCairn();
  const folder = mkdtempSync(join(tmpdir(), 'cairn-'));
  try {
    for (const mesh of [makeU(), makeTorus(1, 0.4, 24, 14), open(makeBox([0, 0, 0], [1, 2, 3]))]) {
      const rows = (letter, numbers, offset) =>
        Array.from({ length: numbers.length / 3 }, (_, i) =>
          [letter, ...[0, 1, 2].map((k) => numbers[3 * i + k] + offset)].join(' '),
        );
      const text = [...rows('v', mesh.points, 0), ...rows('f', mesh.triangles, 1)].join('\n');
      writeFileSync(join(folder, 'mesh.obj'), text);
      const program = join(root, 'build/native-release/decompose_mesh');
      const words = [join(folder, 'mesh.obj'), '0', '0', join(folder, 'corners')];
      const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      const pieces = await cairn.decomposeMesh(cairn.readMesh(new TextEncoder().encode(text)));
      const here = Buffer.concat(pieces.shapes.map(({ shape }) => Buffer.from(shape.points.buffer)));
      assert.ok(here.length > 0 && here.equals(readFileSync(join(folder, 'corners'))));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('bounds are kept: hulls, error, vertices; what is open is told', async () => {
  const cairn = await getCairn();
  const torus = makeTorus(1.2, 0.3, 48, 24);
  const few = await cairn.decomposeMesh(torus, { maxHulls: 3, maxVertices: 20 });
  assert.equal(few.shapes.length, 3);
  assert.equal(few.withinBounds, false);
  assert.ok(few.shapes.every(({ shape }) => shape.points.length <= 60));
  const fine = await cairn.decomposeMesh(torus, { maxHulls: 64, maxError: 0.02 });
  assert.ok(fine.withinBounds && fine.error <= 0.02);
  assert.ok(fine.shapes.length > 8);
  const box = await cairn.decomposeMesh(open(makeBox([0, 0, 0], [1, 2, 3])));
  assert.equal(box.sheets, 1);
  assert.equal(box.shapes.length, 5);
  const filled = await cairn.decomposeMesh(open(makeBox([0, 0, 0], [1, 2, 3])), { fillHoles: 1 });
  assert.equal(filled.filledHoles, 1);
  assert.equal(filled.shapes.length, 1);
});

test('a mesh is reduced to a count, or as far as a distance lets', async () => {
  const cairn = await getCairn();
  const torus = makeTorus(1.2, 0.3, 48, 24);
  const half = await cairn.reduceMesh(torus, { maxTriangles: 1000 });
  assert.equal(half.triangles.length, 3000);
  const report = cairn.checkMesh({ type: 'trimesh', points: half.points, triangles: half.triangles });
  assert.ok(report.closed && report.nonManifoldEdges === 0 && report.inconsistentEdges === 0);
  near(report.volume, 2 * Math.PI ** 2 * 1.2 * 0.09, 0.06);
  const near01 = await cairn.reduceMesh(torus, { maxError: 0.01 });
  assert.ok(near01.error <= 0.01 && near01.triangles.length < torus.triangles.length);
});

test('shapes hold their points, in their place', async () => {
  const cairn = await getCairn();
  const { points } = makeBox([1, 2, 3], [2, 4, 6]);
  const box = await cairn.fitShape(points, 'box');
  near(cairn.computeMassProperties(box.shape, 1).volume, 6, 1e-6);
  const world = cairn.createWorld();
  world.createGeometry({ shapes: [box] });
  world.dispose();
  near(box.position, [1.5, 3, 4.5], 1e-6);
  const { shape } = await cairn.fitShape(points, 'sphere');
  near(shape.radius, Math.sqrt(14) / 2, 1e-9);
  for (const type of ['sphere', 'box', 'capsule', 'cylinder']) {
    const { shape: fitted, position, rotation } = await cairn.fitShape(points, type);
    assert.equal(fitted.type, type);
    for (let i = 0; i < points.length; i += 3)
      assert.ok(cairn.isPointInShape(fitted, { position, rotation }, points.slice(i, i + 3)));
  }
});

test('what is wrong is named in the words of JavaScript', async () => {
  const cairn = await getCairn();
  const mesh = makeU();
  for (const [work, code, argument, text] of [
    [cairn.decomposeMesh({ points: mesh.points }), 'WRONG_TYPE', 'mesh.triangles', /is missing/],
    [cairn.decomposeMesh(mesh, { hulls: 3 }), 'UNKNOWN_NAME', 'options.hulls', /maxHulls/],
    [cairn.decomposeMesh(mesh, { maxHulls: 0 }), 'OUT_OF_RANGE', 'options.maxHulls', /1…1024/],
    [cairn.decomposeMesh(mesh, { maxError: -1 }), 'OUT_OF_RANGE', 'options.maxError', /> 0/],
    [cairn.decomposeMesh(mesh, { signal: 3 }), 'WRONG_TYPE', 'options.signal', /AbortSignal/],
    [cairn.decomposeMesh(mesh, { onProgress: 3 }), 'WRONG_TYPE', 'options.onProgress', /functions/],
    [cairn.decomposeMesh({ points: [0, 0, NaN], triangles: [] }), 'NOT_FINITE', 'mesh.points[2]', /NaN/],
    [cairn.decomposeMesh({ points: mesh.points, triangles: [0, 1, 99] }), 'OUT_OF_RANGE', 'triangles', /99/],
    [cairn.reduceMesh(mesh, {}), 'OUT_OF_RANGE', 'options', /neither/],
    [cairn.reduceMesh(mesh, { maxTriangles: 1.5 }), 'OUT_OF_RANGE', 'options.maxTriangles', /1.5/],
    [cairn.fitShape(mesh.points, 'cone'), 'OUT_OF_RANGE', 'type', /'capsule'/],
    [cairn.fitShape([1, 2, 3], 'box'), 'DEGENERATE_SHAPE', 'points', /coincide/],
  ]) {
    const error = await reasonOf(work);
    assert.equal(error.code, code, error.message);
    assert.equal(error.argument, argument, error.message);
    assert.match(error.message, text);
    assert.match(error.call, /^cairn\.(decomposeMesh|reduceMesh|fitShape)$/);
  }
  const gone = await load({ flavour: 'st' });
  const work = gone.decomposeMesh(makeTorus(1.2, 0.3, 48, 24));
  gone.dispose();
  assert.equal((await reasonOf(work)).code, 'STALE_HANDLE');
  assert.equal((await reasonOf(gone.fitShape(mesh.points, 'box'))).code, 'STALE_HANDLE');
});

test('in a worker: the same pieces, progress and signals', async () => {
  const here = await getCairn();
  const there = await loadInWorker({ threads: 1 });
  try {
    const torus = makeTorus(1.2, 0.3, 48, 24);
    const told = [];
    const pieces = await there.decomposeMesh(torus, { maxHulls: 16, onProgress: (part) => told.push(part) });
    assert.deepEqual(pieces, await here.decomposeMesh(torus, { maxHulls: 16 }));
    assert.ok(told.length >= 2 && told.at(-1) === 1);
    // the worker goes on answering meanwhile
    const stop = new AbortController();
    const work = there.decomposeMesh(makeTorus(1.2, 0.3, 96, 48), { signal: stop.signal });
    const world = there.createWorld();
    await world.step();
    stop.abort();
    assert.equal((await reasonOf(work)).name, 'AbortError');
    assert.equal(
      (await reasonOf(there.reduceMesh(torus, { maxTriangles: 9, signal: stop.signal }))).name,
      'AbortError',
    );
    const { shape } = await there.fitShape(makeBox([0, 0, 0], [1, 2, 3]).points, 'sphere');
    near(shape.radius, Math.sqrt(14) / 2, 1e-9);
  } finally {
    await there.dispose();
  }
});

test('geometries of three.js come apart', async () => {
  const cairn = await getCairn();
  const geometry = new THREE.TorusGeometry(1.2, 0.3, 24, 48);
  const pieces = await decomposeGeometry(cairn, geometry, { maxHulls: 16, scale: [2, 2, -2] });
  assert.ok(pieces.withinBounds && pieces.sheets === 0 && pieces.turned === 0);
  near(pieces.volume, 8 * 2.1015, 0.01);
  assert.ok(pieces.shapes.length <= 16);
  const error = await reasonOf(decomposeGeometry(cairn, 3));
  assert.equal(error.code, 'WRONG_TYPE');
});

test('the command writes pieces that a geometry takes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-'));
  try {
    const { points, triangles } = makeU();
    const rows = (letter, numbers, offset) =>
      Array.from({ length: numbers.length / 3 }, (_, i) =>
        [letter, ...[0, 1, 2].map((k) => numbers[3 * i + k] + offset)].join(' '),
      );
    const file = join(folder, 'u.obj');
    writeFileSync(file, [...rows('v', points, 0), ...rows('f', triangles, 1)].join('\n'));
    const run = (...words) =>
      spawnSync(process.execPath, [join(root, 'web/cli.js'), 'decompose', ...words], { encoding: 'utf8' });
    const out = join(folder, 'pieces.json');
    const { status, stderr } = run(file, '--out', out, '--max-hulls', '8');
    assert.equal(status, 0, stderr);
    const pieces = JSON.parse(readFileSync(out, 'utf8'));
    assert.equal(pieces.shapes.length, 3);
    near(pieces.volumeRatio, 1, 1e-9);
    const world = (await getCairn()).createWorld();
    world.createBody({ geometries: [{ shapes: pieces.shapes }] });
    world.dispose();
    const wrong = run(file, '--max-hulls', '0');
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--max-hulls is "0"/);
    writeFileSync(file, 'v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n');
    const flat = run(file);
    assert.equal(flat.status, 2);
    assert.match(flat.stderr, /coincide/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
