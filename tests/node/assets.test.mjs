// Mesh files, height images, and scenes that name them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gatherFiles, listMeshFiles, listSceneFiles } from '../../web/index.node.js';
import { flavours, getCairn, refuses, root } from './helpers.mjs';

const folder = join(root, 'tests/fuzz/seeds/meshes');
const read = (name) => new Uint8Array(readFileSync(join(folder, name)));

/** m³ */
function volumeOf({ points, triangles }) {
  let volume = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points.subarray(3 * triangles[i + k], 3 * triangles[i + k] + 3));
    volume +=
      (a[0] * (b[1] * c[2] - b[2] * c[1]) +
        a[1] * (b[2] * c[0] - b[0] * c[2]) +
        a[2] * (b[0] * c[1] - b[1] * c[0])) /
      6;
  }
  return volume;
}

for (const [flavour, getModule] of flavours) {
  test(`a cube of 8 m³ from every format, ${flavour}`, async () => {
    const cairn = await getModule();
    const before = cairn.bytesInUse;
    const names = ['off', 'little.ply', 'big.ply', 'stl', 'binary.stl', 'glb'].map(
      (ending) => `cube.${ending}`,
    );
    for (const name of names) {
      const byName = cairn.readMesh(read(name), { format: name });
      const byContent = cairn.readMesh(read(name));
      assert.deepEqual(byContent, byName);
      assert.ok(byName.points instanceof Float64Array && byName.triangles instanceof Uint32Array);
      assert.equal(byName.points.length, 24, name);
      assert.equal(byName.triangles.length, 36, name);
      assert.ok(Math.abs(volumeOf(byName) - 8) < 1e-12, name);
    }
    const files = { 'models/cube.bin': read('cube.bin') };
    const outside = cairn.readMesh(read('cube.outside.gltf'), { format: 'models/cube.gltf', files });
    assert.ok(Math.abs(volumeOf(outside) - 8) < 1e-12);
    assert.equal(cairn.bytesInUse, before);
  });
}

test('objects of a file are joined, or kept apart', async () => {
  const cairn = await getCairn();
  const joined = cairn.readMesh(read('cube.obj'));
  assert.equal(joined.parts, undefined);
  const { points, triangles, parts } = cairn.readMesh(read('cube.obj'), { keepApart: true });
  assert.deepEqual(
    parts.map(({ name, points: own, triangles: corners }) => [name, own.length / 3, corners.length / 3]),
    [
      ['cube', 8, 12],
      ['star', 8, 6],
    ],
  );
  assert.equal(triangles.length, 54);
  assert.equal(points.length, 48);
  assert.ok(Math.abs(volumeOf(parts[0]) - 8) < 1e-12);
  assert.ok(Math.max(...parts[1].triangles) === 7);
});

test('height images', async () => {
  const cairn = await getCairn();
  const { heights, resolution } = cairn.readHeightImage(read('terrain.png'), { range: [-1, 1] });
  assert.deepEqual(resolution, [16, 12]);
  for (let y = 0; y < 12; ++y) {
    for (let x = 0; x < 16; ++x) {
      const value = Math.floor(32768 + 20000 * Math.sin(0.4 * x) * Math.cos(0.5 * y));
      // the image's first row is the last one
      assert.ok(Math.abs(heights[16 * (11 - y) + x] - (-1 + (2 * value) / 65535)) < 1e-12);
    }
  }
  const raw = cairn.readHeightImage(Uint8Array.of(0, 255, 51, 102), {
    format: 'u8',
    resolution: [2, 2],
    range: [0, 5],
  });
  assert.deepEqual([...raw.heights], [1, 2, 0, 5]);
});

test('what is wrong with a file is said, with the place', async () => {
  const cairn = await getCairn();
  const bytes = (text) => new TextEncoder().encode(text);
  const before = cairn.bytesInUse;
  refuses(() => cairn.readMesh(bytes('v 0 0 0\nf 1 2 3\n')), {
    code: 'FILE',
    message: /line 2: a face has the vertex 2/,
  });
  refuses(() => cairn.readMesh(read('cube.outside.gltf')), {
    code: 'FILE',
    message: /\/buffers\/0\/uri .*cube\.bin/,
  });
  refuses(() => cairn.readMesh(read('cube.obj'), { format: 'x.fbx' }), {
    code: 'UNKNOWN_NAME',
    argument: 'format',
  });
  refuses(() => cairn.readMesh('v 0 0 0'), { code: 'WRONG_TYPE', argument: 'bytes' });
  refuses(() => cairn.readMesh(read('cube.obj'), { keep: true }), { code: 'UNKNOWN_NAME' });
  refuses(() => cairn.readMesh(read('cube.obj'), { files: { a: 'b' } }), { code: 'WRONG_TYPE' });
  refuses(() => cairn.readMesh(new Uint8Array(0)), { code: 'FILE', message: /empty/ });
  refuses(() => cairn.readHeightImage(read('cube.obj')), { code: 'FILE', message: /no PNG/ });
  refuses(() => cairn.readHeightImage(read('terrain.png'), { range: [1, 1] }), { code: 'OUT_OF_RANGE' });
  refuses(() => cairn.readHeightImage(Uint8Array.of(1), { format: 'u8', resolution: [1, 1] }), {
    code: 'OUT_OF_RANGE',
  });
  assert.equal(cairn.bytesInUse, before);
});

const scene = {
  format: 'cairn-scene',
  version: 1,
  meshes: [
    { name: 'cube', file: 'models/cube.gltf' },
    { name: 'stl', file: 'models/cube.stl' },
  ],
  bodies: [
    { name: 'hull', geometries: [{ shape: { type: 'convex', mesh: 'cube' } }] },
    { name: 'mesh', position: [9, 0, 0], geometries: [{ shape: { type: 'trimesh', mesh: 'stl' } }] },
  ],
  record: ['body/hull/mass', 'body/mesh/mass', 'body/hull/centreOfMass'],
};

const sceneFiles = {
  'models/cube.gltf': 'cube.outside.gltf',
  'models/cube.bin': 'cube.bin',
  'models/cube.stl': 'cube.binary.stl',
};

test('files of a scene', async () => {
  const cairn = await getCairn();
  const field = {
    type: 'heightField',
    resolution: [16, 12],
    size: [1, 1],
    image: 'a.png',
    heightRange: [0, 1],
  };
  const withImage = { ...scene, geometries: [{ shape: field }, { shapes: [{ shape: field }] }] };
  assert.deepEqual(listSceneFiles(withImage), ['models/cube.gltf', 'models/cube.stl', 'a.png']);
  assert.deepEqual(listSceneFiles(JSON.stringify(scene)), ['models/cube.gltf', 'models/cube.stl']);
  assert.deepEqual(listSceneFiles('{'), []);
  assert.deepEqual(listMeshFiles(read('cube.outside.gltf'), 'models/cube.gltf'), ['models/cube.bin']);

  const files = await gatherFiles(scene, (name) => read(sceneFiles[name]));
  assert.deepEqual(Object.keys(files), ['models/cube.gltf', 'models/cube.stl', 'models/cube.bin']);
  const loaded = cairn.loadScene(scene, { files });
  const [hull, mesh, centre] = loaded.record.map((name) => loaded.openChannel(name).read());
  assert.ok(Math.abs(hull / mesh - 1) < 1e-12);
  assert.deepEqual(
    centre.map((part) => Math.round(part * 1e9) / 1e9),
    [1, 2, 3.5],
  );
  loaded.dispose();

  refuses(() => cairn.loadScene(scene), { code: 'SCENE', argument: '/meshes/0/file', message: /cube\.gltf/ });
  const broken = { ...files, 'models/cube.stl': new TextEncoder().encode('solid\nfacet\nx') };
  refuses(() => cairn.loadScene(scene, { files: broken }), {
    code: 'SCENE',
    argument: '/meshes/1/file',
    message: /line 3/,
  });
  const small = { ...files, 'a.png': read('palette.png') };
  refuses(() => cairn.loadScene(withImage, { files: small }), {
    code: 'SCENE',
    argument: '/geometries/0/shape/image',
    message: /11 × 9.*\[16, 12\]/,
  });
});

test('the command and the native program find the files beside the scene', () => {
  const place = mkdtempSync(join(tmpdir(), 'cairn-'));
  try {
    mkdirSync(join(place, 'models'));
    for (const [name, seed] of Object.entries(sceneFiles))
      copyFileSync(join(folder, seed), join(place, name));
    const file = join(place, 'scene.json');
    writeFileSync(file, JSON.stringify(scene));
    const options = /** @type {const} */ ({ encoding: 'utf8' });
    const command = spawnSync(
      process.execPath,
      [join(root, 'web/cli.js'), 'run', file, '--steps', '1'],
      options,
    );
    assert.equal(command.status, 0, command.stderr);
    const native = spawnSync(
      join(root, 'build/native-release/cairn_native'),
      [file, '--steps', '1'],
      options,
    );
    assert.equal(native.status, 0, native.stderr);
    assert.deepEqual(JSON.parse(native.stdout).channels, JSON.parse(command.stdout).channels);

    rmSync(join(place, 'models/cube.bin'));
    const without = spawnSync(process.execPath, [join(root, 'web/cli.js'), 'check', file], options);
    assert.equal(without.status, 2);
    assert.match(without.stderr, /\/meshes\/0\/file .*cube\.bin/);
  } finally {
    rmSync(place, { recursive: true });
  }
});
