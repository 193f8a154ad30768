// Mesh files, height images, and the files that scenes and glTF files name.

import { checkFlag, checkNames, checkNumber, checkOptions, checkVector, wrongType } from './checks.js';
import { CairnError } from './errors.js';

/** @typedef {import('./runtime.js').Runtime} Runtime */

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
 * @property {string} [format] 'obj', 'stl', 'ply', 'off', 'gltf', 'glb', or the file's name, which a glTF's buffers are
 *   relative to; by itself: told from the content
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
 * @param {Runtime} runtime @param {string} call @param {unknown} files
 * @returns {{ address: number, count: number }}
 */
export function writeFiles(runtime, call, files) {
  if (files === undefined) return { address: 0, count: 0 };
  checkOptions(call, 'options.files', files);
  const rows = Object.entries(files).map(([name, bytes]) => [
    runtime.writeText(call, 'options.files', name),
    runtime.writeBytes(call, `options.files[${JSON.stringify(name)}]`, bytes),
    /** @type {Uint8Array} */ (bytes).length,
  ]);
  if (rows.length === 0) return { address: 0, count: 0 };
  const address = runtime.allocate(call, 12 * rows.length);
  runtime.u32.set(rows.flat(), address >>> 2);
  return { address, count: rows.length };
}

/**
 * @internal
 * @param {Runtime} runtime @param {unknown} bytes @param {unknown} options
 * @returns {MeshFile}
 */
export function readMesh(runtime, bytes, options) {
  const call = 'cnReadMesh';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['format', 'keepApart', 'files']);
  const { format = '', keepApart = false, files } = options;
  checkFlag(call, 'options.keepApart', keepApart);
  const { raw } = runtime;
  try {
    const formatAddress = runtime.writeText(call, 'options.format', format);
    const address = runtime.writeBytes(call, 'bytes', bytes);
    const { length } = /** @type {Uint8Array} */ (bytes);
    const table = writeFiles(runtime, call, files);
    runtime.check(
      raw._cnw_ReadMesh(formatAddress, address, length, table.address, table.count, Number(keepApart)),
    );

    // everything is copied before the module's mesh is freed
    const [vertices, vertexCount, corners, triangleCount, parts, partCount, dropped] = runtime.u32.subarray(
      runtime.result >>> 2,
      (runtime.result >>> 2) + 7,
    );
    runtime.reach(vertices + 24 * vertexCount);
    runtime.reach(corners + 12 * triangleCount);
    const points = runtime.f64.slice(vertices >>> 3, (vertices >>> 3) + 3 * vertexCount);
    const triangles = runtime.u32.slice(corners >>> 2, (corners >>> 2) + 3 * triangleCount);
    if (!keepApart) return { points, triangles, dropped };
    return {
      points,
      triangles,
      parts: Array.from({ length: partCount }, (_, i) =>
        copyPart(runtime, parts + partBytes * i, points, triangles),
      ),
      dropped,
    };
  } finally {
    raw._cnw_FreeMesh();
    runtime.scratch.release();
  }
}

/**
 * @param {Runtime} runtime @param {number} address @param {Float64Array} points @param {Uint32Array} triangles
 * @returns {MeshPart}
 */
function copyPart(runtime, address, points, triangles) {
  runtime.reach(address + partBytes);
  const counts = (address + nameBytes) >>> 2;
  const [vertex, vertexCount, triangle, triangleCount] = runtime.u32.subarray(counts, counts + 4);
  return {
    name: runtime.readText(address),
    points: points.slice(3 * vertex, 3 * (vertex + vertexCount)),
    triangles: triangles.slice(3 * triangle, 3 * (triangle + triangleCount)).map((corner) => corner - vertex),
  };
}

/**
 * @internal
 * @param {Runtime} runtime @param {unknown} bytes @param {unknown} options
 * @returns {HeightImage}
 */
export function readHeightImage(runtime, bytes, options) {
  const call = 'cnReadHeightImage';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['format', 'range', 'resolution']);
  const { format = '', range, resolution = [0, 0] } = options;
  if (range !== undefined) checkVector(call, 'options.range', range, 2);
  checkVector(call, 'options.resolution', resolution, 2);
  const [low, high] = range ?? [0, 1];
  for (const count of resolution) {
    checkNumber(call, 'options.resolution', count);
    if (!Number.isInteger(count)) throw wrongType(call, 'options.resolution', count, 'are whole numbers');
  }
  const { raw } = runtime;
  try {
    const formatAddress = runtime.writeText(call, 'options.format', format);
    const address = runtime.writeBytes(call, 'bytes', bytes);
    const { length } = /** @type {Uint8Array} */ (bytes);
    const [wantedColumns, wantedRows] = resolution;
    const hasRange = Number(range !== undefined);
    runtime.check(
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
    const at = runtime.result >>> 2;
    const [heights, columns, rows] = runtime.u32.subarray(at, at + 3);
    runtime.reach(heights + 8 * columns * rows);
    const first = heights >>> 3;
    return {
      heights: runtime.f64.slice(first, first + columns * rows),
      resolution: [columns, rows],
    };
  } finally {
    raw._cnw_FreeHeights();
    runtime.scratch.release();
  }
}

// ---- files that files name -------------------------------------------------------------------------------------------

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

/**
 * Names of the mesh files and images that a scene wants, relative to it, each once. Nothing is checked: what is no scene
 * names none.
 * @param {string | Uint8Array | object} scene text, UTF-8 bytes or parsed JSON
 * @returns {string[]}
 */
export function listSceneFiles(scene) {
  const document = parseScene(scene);
  const geometries = [
    ...list(get(document, 'geometries')),
    ...list(get(document, 'bodies')).flatMap((body) => list(get(body, 'geometries'))),
  ];
  const shapes = geometries.flatMap((geometry) => [
    get(geometry, 'shape'),
    ...list(get(geometry, 'shapes')).map((placed) => get(placed, 'shape')),
  ]);
  const names = [
    ...list(get(document, 'meshes')).map((mesh) => get(mesh, 'file')),
    ...shapes.map((shape) => get(shape, 'image')),
  ];
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

/**
 * Names of the buffers that a .gltf file keeps elsewhere, relative to what its own name is relative to. Other files name
 * none.
 * @param {Uint8Array} bytes
 * @param {string} name of the file
 * @returns {string[]}
 */
export function listMeshFiles(bytes, name) {
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
 * Reads all files that a scene wants, with those that they want, for loadScene().
 * @param {string | Uint8Array | object} scene text, UTF-8 bytes or parsed JSON
 * @param {(name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>} read bytes of the file of that name,
 *   relative to the scene; undefined where there is none, which loadScene() then says with the place
 * @returns {Promise<Files>}
 */
export async function gatherFiles(scene, read) {
  if (typeof read !== 'function') throw wrongType('gatherFiles', 'read', read, 'are functions');
  /** @type {Files} */
  const files = {};
  const names = listSceneFiles(scene);
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
