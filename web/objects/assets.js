// Mesh files, height images, and the files that scenes and glTF files name.

import { checkFlag, checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import { CairnError, errorNumber, wrongType } from '../core/errors.js';
import { getReaders, loadReaders } from '../core/readers.js';
import { rejectSurplus } from '../core/strict.js';

/** @typedef {import('../core/readers.js').Readers} Readers */
/** @typedef {import('../core/runtime.js').Runtime} Runtime */

/**
 * Bytes by the name that a scene or glTF file has for them.
 * @typedef {Record<string, Uint8Array>} Files
 */

/**
 * @typedef {object} MeshPart
 * @property {string} name '' where the file gives none
 * @property {Float64Array} points m, three numbers a vertex
 * @property {Uint32Array} triangles three numbers of the part's own vertices each
 */

/**
 * @typedef {object} MeshFile
 * @property {Float64Array} points m, three numbers a vertex
 * @property {Uint32Array} triangles three vertex numbers each, counter-clockwise seen from outside
 * @property {MeshPart[]} [parts] where they are kept apart
 * @property {number} dropped triangles left out because they had a vertex twice
 */

/**
 * @typedef {object} MeshFileOptions
 * @property {string} [format] 'obj', 'stl', 'ply', 'off', 'gltf', 'glb', or the file's name, which a glTF's
 *   buffers are relative to; by itself: told from the content
 * @property {boolean} [keepApart] false: all objects of the file are joined to one
 * @property {Files} [files] buffers of a .gltf
 */

/**
 * @typedef {object} HeightImageOptions
 * @property {string} [format] 'png' (by itself), raw 'u8', 'u16le', 'u16be', 'f32', or the file's name
 * @property {[number, number]} [range] m, heights of black and white; [0, 1]
 * @property {[number, number]} [resolution] columns and rows, of raw files
 */

/**
 * @typedef {object} HeightImage
 * @property {Float64Array} heights m, x fastest, the row of the smallest y first
 * @property {[number, number]} resolution columns and rows
 */

const partBytes = 80;
const nameBytes = 64;

/**
 * Writes a table of files for one call into the scratch memory.
 * @param {Readers} readers @param {string} call @param {unknown} files
 * @returns {{ address: number, count: number }}
 */
function writeFiles(readers, call, files) {
  const rows = Object.entries(checkFiles(call, files)).map(([name, bytes]) => [
    readers.writeText(call, 'options.files', name),
    readers.writeBytes(call, 'options.files', bytes),
    bytes.length,
  ]);
  return writeRows(readers, call, rows);
}

/** @param {string} call @param {unknown} files @returns {Files} */
function checkFiles(call, files) {
  if (files === undefined) return {};
  checkOptions(call, 'options.files', files);
  for (const [name, bytes] of Object.entries(files)) {
    if (!(bytes instanceof Uint8Array))
      throw wrongType(call, `options.files[${JSON.stringify(name)}]`, bytes, 'is a Uint8Array');
  }
  return /** @type {Files} */ (files);
}

/**
 * @param {Readers | Runtime} module @param {string} call @param {number[][]} rows of 32-bit numbers
 * @returns {{ address: number, count: number }}
 */
function writeRows(module, call, rows) {
  if (rows.length === 0) return { address: 0, count: 0 };
  const address = module.allocate(call, 4 * rows[0].length * rows.length);
  module.u32.set(rows.flat(), address >>> 2);
  return { address, count: rows.length };
}

/**
 * @internal
 * @param {Readers} readers @param {unknown} bytes @param {unknown} options
 * @returns {MeshFile}
 */
export function readMesh(readers, bytes, options) {
  const call = 'cnReadMesh';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['format', 'keepApart', 'files']);
  const { format = '', keepApart = false, files } = options;
  checkFlag(call, 'options.keepApart', keepApart);
  const { raw } = readers;
  try {
    const formatAddress = readers.writeText(call, 'options.format', format);
    const address = readers.writeBytes(call, 'bytes', bytes);
    const { length } = /** @type {Uint8Array} */ (bytes);
    const table = writeFiles(readers, call, files);
    readers.check(
      raw._cnw_ReadMesh(formatAddress, address, length, table.address, table.count, Number(keepApart)),
    );

    // everything is copied before the module's mesh is freed
    const [vertices, vertexCount, corners, triangleCount, parts, partCount, dropped] = readers.u32.subarray(
      readers.result >>> 2,
      (readers.result >>> 2) + 7,
    );
    readers.reach(vertices + 24 * vertexCount);
    readers.reach(corners + 12 * triangleCount);
    const points = readers.f64.slice(vertices >>> 3, (vertices >>> 3) + 3 * vertexCount);
    const triangles = readers.u32.slice(corners >>> 2, (corners >>> 2) + 3 * triangleCount);
    if (!keepApart) return { points, triangles, dropped };
    return {
      points,
      triangles,
      parts: Array.from({ length: partCount }, (_, i) =>
        copyPart(readers, parts + partBytes * i, points, triangles),
      ),
      dropped,
    };
  } finally {
    raw._cnw_FreeMesh();
    readers.scratch.release();
  }
}

/**
 * @param {Readers} readers @param {number} address @param {Float64Array} points
 * @param {Uint32Array} triangles
 * @returns {MeshPart}
 */
function copyPart(readers, address, points, triangles) {
  readers.reach(address + partBytes);
  const counts = (address + nameBytes) >>> 2;
  const [vertex, vertexCount, triangle, triangleCount] = readers.u32.subarray(counts, counts + 4);
  return {
    name: readers.readText(address),
    points: points.slice(3 * vertex, 3 * (vertex + vertexCount)),
    triangles: triangles.slice(3 * triangle, 3 * (triangle + triangleCount)).map((corner) => corner - vertex),
  };
}

/**
 * @internal
 * @param {Readers} readers @param {unknown} bytes @param {unknown} options
 * @returns {HeightImage}
 */
export function readHeightImage(readers, bytes, options) {
  const call = 'cnReadHeightImage';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['format', 'range', 'resolution']);
  const { format = '', range, resolution = [0, 0] } = options;
  const [low, high] = range === undefined ? [0, 1] : checkVector(call, 'options.range', range, 2);
  const counts = checkVector(call, 'options.resolution', resolution, 2);
  for (const count of counts) {
    checkNumber(call, 'options.resolution', count);
    if (!Number.isInteger(count)) throw wrongType(call, 'options.resolution', count, 'are whole numbers');
  }
  const { raw } = readers;
  try {
    const formatAddress = readers.writeText(call, 'options.format', format);
    const address = readers.writeBytes(call, 'bytes', bytes);
    const { length } = /** @type {Uint8Array} */ (bytes);
    const [wantedColumns, wantedRows] = counts;
    const hasRange = Number(range !== undefined);
    readers.check(
      raw._cnw_ReadHeightImage(
        formatAddress,
        address,
        length,
        wantedColumns,
        wantedRows,
        hasRange,
        low,
        high,
      ),
    );
    const at = readers.result >>> 2;
    const [heights, columns, rows] = readers.u32.subarray(at, at + 3);
    readers.reach(heights + 8 * columns * rows);
    const first = heights >>> 3;
    return {
      heights: readers.f64.slice(first, first + columns * rows),
      resolution: [columns, rows],
    };
  } finally {
    raw._cnw_FreeHeights();
    readers.scratch.release();
  }
}

// ---- what a scene's files hold ----------------------------------------------------------------------------

/** As bindings/assets.c has them. */
const assetKinds = Object.freeze({ mesh: 0, heights: 1 });

/**
 * Reads the files that a scene names, and writes what they hold into the engine's scratch memory. What cannot
 * be read becomes a row with the error, which the engine then reports with the place in the scene.
 * @internal
 * @param {Runtime} runtime @param {string} call @param {Uint8Array} scene
 * @param {unknown} files Files, or undefined
 * @returns {{ address: number, count: number }}
 */
export function writeAssets(runtime, call, scene, files) {
  const given = checkFiles(call, files);
  if (Object.keys(given).length === 0) return { address: 0, count: 0 };
  const { meshes, images } = listAssets(scene);
  const isGiven = (/** @type {string} */ name) => Object.hasOwn(given, name);
  const rows = [
    ...meshes.filter(isGiven).map((name) =>
      writeAsset(runtime, call, name, assetKinds.mesh, () => {
        const options = { format: name, files: given };
        const { points, triangles } = readMesh(getReaders(call), given[name], options);
        const corners = runtime.allocate(call, triangles.byteLength);
        runtime.u32.set(triangles, corners >>> 2);
        return [runtime.writeDoubles(call, name, points), corners, points.length / 3, triangles.length / 3];
      }),
    ),
    ...images.filter(isGiven).map((name) =>
      writeAsset(runtime, call, name, assetKinds.heights, () => {
        const { heights, resolution } = readHeightImage(getReaders(call), given[name], { format: 'png' });
        return [runtime.writeDoubles(call, name, heights), 0, ...resolution];
      }),
    ),
  ];
  return writeRows(runtime, call, rows);
}

/**
 * @param {Runtime} runtime @param {string} call @param {string} name @param {number} kind
 * @param {() => number[]} write addresses and counts of what the file holds
 * @returns {number[]} a row of the table
 */
function writeAsset(runtime, call, name, kind, write) {
  const start = [runtime.writeText(call, 'options.files', name), kind];
  try {
    return [...start, 0, 0, ...write()];
  } catch (error) {
    if (!(error instanceof CairnError) || error.code === 'LOAD_FAILED') throw error;
    const code = errorNumber(error.code);
    return [...start, code, runtime.writeText(call, 'options.files', error.reason), 0, 0, 0, 0];
  }
}

// ---- files that files name --------------------------------------------------------------------------------

/** @param {unknown} scene text, UTF-8 bytes or an object @returns {unknown} undefined where it is no JSON */
function parseScene(scene) {
  if (typeof scene !== 'string' && !(scene instanceof Uint8Array)) return scene;
  try {
    const text = typeof scene === 'string' ? scene : new TextDecoder().decode(scene);
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {unknown[]} */
const list = (value) => (Array.isArray(value) ? value : []);

/** @param {unknown} object @param {string} key @returns {unknown} */
const get = (object, key) =>
  typeof object === 'object' && object !== null
    ? /** @type {Record<string, unknown>} */ (object)[key]
    : undefined;

/** @param {unknown[]} names @returns {string[]} each once */
const eachOnce = (names) => [...new Set(names.filter((name) => typeof name === 'string'))];

/**
 * Names of the files that a scene wants. Nothing is checked: what is no scene names none.
 * @param {unknown} scene text, UTF-8 bytes or parsed JSON
 * @returns {{ meshes: string[], images: string[] }}
 */
function listAssets(scene) {
  const document = parseScene(scene);
  const geometries = [
    ...list(get(document, 'geometries')),
    ...list(get(document, 'bodies')).flatMap((body) => list(get(body, 'geometries'))),
  ];
  const shapes = geometries.flatMap((geometry) => [
    get(geometry, 'shape'),
    ...list(get(geometry, 'shapes')).map((placed) => get(placed, 'shape')),
  ]);
  return {
    meshes: eachOnce(list(get(document, 'meshes')).map((mesh) => get(mesh, 'file'))),
    images: eachOnce(shapes.map((shape) => get(shape, 'image'))),
  };
}

/**
 * Names of the mesh files and images that a scene wants, relative to it, each once. Nothing is checked: what
 * is no scene names none.
 * @param {string | Uint8Array | object} scene text, UTF-8 bytes or parsed JSON
 * @returns {string[]}
 */
export function listSceneFiles(scene) {
  rejectSurplus('listSceneFiles', arguments, 1);
  const { meshes, images } = listAssets(scene);
  return eachOnce([...meshes, ...images]);
}

/**
 * Names of the buffers that a .gltf file keeps elsewhere, relative to what its own name is relative to. Other
 * files name none.
 * @param {Uint8Array} bytes
 * @param {string} name of the file
 * @returns {string[]}
 */
export function listMeshFiles(bytes, name) {
  rejectSurplus('listMeshFiles', arguments, 2);
  if (!/\.gltf$/i.test(name)) return [];
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const uris = list(get(parseScene(bytes), 'buffers')).map((buffer) => get(buffer, 'uri'));
  return uris.flatMap((uri) =>
    typeof uri === 'string' && !uri.startsWith('data:') ? [folder + decodePercent(uri)] : [],
  );
}

/** @param {string} uri @returns {string} as it is where it cannot be decoded */
function decodePercent(uri) {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/**
 * Reads all files that a scene wants, with those that they want, for loadScene(), and makes ready
 * what reads them.
 * @param {string | Uint8Array | object} scene text, UTF-8 bytes or parsed JSON
 * @param {(name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>} read bytes of the
 *   file of that name, relative to the scene; undefined where there is none, which loadScene() then
 *   says with the place
 * @returns {Promise<Files>}
 */
export async function gatherFiles(scene, read) {
  rejectSurplus('gatherFiles', arguments, 2);
  if (typeof read !== 'function') throw wrongType('gatherFiles', 'read', read, 'are functions');
  /** @type {Files} */
  const files = {};
  const names = listSceneFiles(scene);
  if (names.length > 0) await loadReaders();
  for (const name of names) {
    const bytes = await read(name);
    if (bytes === undefined) continue;
    if (!(bytes instanceof Uint8Array)) {
      const text = `read(${JSON.stringify(name)}) must give a Uint8Array or undefined`;
      throw new CairnError('WRONG_TYPE', 'gatherFiles', 'read', text);
    }
    files[name] = bytes;
    names.push(...listMeshFiles(bytes, name).filter((other) => !names.includes(other)));
  }
  return files;
}
