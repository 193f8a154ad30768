// Mesh tools: convex decomposition, reduction, and shapes that enclose points.
//
// They are in the second module, which has no threads. What takes long is done in slices of some
// milliseconds, with a task of its own for each, so that a page goes on drawing, a worker goes on answering,
// and a signal can end it between two of them.

import { checkInteger, checkNames, checkNumber, checkOptions, flatTriples } from '../core/checks.js';
import { CairnError, disposedError, outOfRange, wrongType } from '../core/errors.js';
import { getReaders, loadReaders } from '../core/readers.js';
import { enums } from '../generated/api.js';
import { flatPoints } from '../core/vectors.js';

/** @typedef {import('../core/readers.js').Readers} Readers */
/** @typedef {import('../core/vectors.js').NumbersLike} NumbersLike */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('../generated/descriptions.js').ShapeDescription} ShapeDescription */
/** @typedef {import('../generated/descriptions.js').ConvexDescription} ConvexDescription */

/**
 * A mesh as readMesh() gives it and a trimesh has it.
 * @typedef {object} ToolMesh
 * @property {NumbersLike | readonly VectorLike[]} points m, `[[x, y, z], …]` or 3·n numbers
 * @property {ArrayLike<number> | readonly (readonly number[])[]} triangles `[[a, b, c], …]` or 3·n numbers,
 *   counter-clockwise seen from outside
 */

/**
 * @typedef {object} WorkOptions
 * @property {(progress: number) => void} [onProgress] told 0…1, never less than before
 * @property {AbortSignal} [signal] ends the work: the promise is rejected with its reason
 */

/**
 * @typedef {object} OwnDecompositionOptions
 * @property {number} [maxHulls] 32; 1…1024
 * @property {number} [maxError] m, how far a hull may reach out of the mesh; a fiftieth of its diagonal
 * @property {number} [maxVolumeRatio] volume of all hulls over that of the mesh, > 1; 1.1
 * @property {number} [maxVertices] of a hull; 256; 4…4096
 * @property {number} [thickness] m, of what is flat; a two-hundredth of the diagonal
 * @property {number} [fillHoles] 0…1, part of its area up to which the holes of what hangs together are
 *   closed; 0.05
 *
 * @typedef {OwnDecompositionOptions & WorkOptions} DecompositionOptions
 */

/**
 * @typedef {object} Decomposition
 * @property {{ shape: ConvexDescription & { points: Float64Array } }[]} shapes hulls, the largest first, as
 *   createGeometry takes them
 * @property {boolean} withinBounds maxError and maxVolumeRatio are kept; otherwise maxHulls was too few
 * @property {number} error m, how far the hulls reach out of the mesh at most
 * @property {number} uncovered m, how far a vertex of the mesh lies outside of all hulls at most
 * @property {number} volume m³, of the mesh
 * @property {number} hullVolume m³, sum over the hulls
 * @property {number} volumeRatio hullVolume / volume; 0 where parts of the mesh are open
 * @property {number} filledHoles that were closed since they are small
 * @property {number} sheets parts that stay open: hulls cover their surface, not what they might enclose
 * @property {number} turned triangles whose corners went round against those of their neighbours, or inside
 *   out
 * @property {number} dropped triangles without an area, or twice
 */

/**
 * One of both at least.
 * @typedef {object} OwnReductionOptions
 * @property {number} [maxTriangles] goes on until there are no more than these
 * @property {number} [maxError] m, no vertex of the mesh comes to lie farther from the reduced one
 *
 * @typedef {OwnReductionOptions & WorkOptions} ReductionOptions
 */

/**
 * @typedef {object} ReducedMesh
 * @property {Float64Array} points m, three numbers a vertex
 * @property {Uint32Array} triangles three vertex numbers each
 * @property {boolean} withinBounds there are no more than maxTriangles
 * @property {number} error m, how far a vertex of the mesh lies from the reduced mesh at most
 * @property {number} dropped triangles of the mesh without an area, or twice
 */

/**
 * A shape in its place, as createGeometry takes it.
 * @typedef {object} FittedShape
 * @property {ShapeDescription} shape
 * @property {[number, number, number]} position m
 * @property {[number, number, number, number]} rotation
 */

/** @typedef {'sphere' | 'box' | 'capsule' | 'cylinder'} FittedType */

const fittedTypes = ['sphere', 'box', 'capsule', 'cylinder'];
const meshNames = ['type', 'points', 'triangles', 'parts', 'dropped', 'name', 'winding'];
const workNames = ['onProgress', 'signal'];
/** ms of work between two tasks. */
const slice = 8;

// ---- arguments --------------------------------------------------------------------------------------------

/**
 * Writes a mesh into the scratch memory.
 * @param {Readers} readers @param {string} call @param {unknown} mesh
 * @returns {[vertices: number, vertexCount: number, triangles: number, triangleCount: number]}
 */
function writeMesh(readers, call, mesh) {
  checkOptions(call, 'mesh', mesh, 'are { points, triangles }');
  checkNames(call, 'mesh', mesh, meshNames);
  const missing = ['points', 'triangles'].find((name) => mesh[name] === undefined);
  if (missing) throw new CairnError('WRONG_TYPE', call, `mesh.${missing}`, `mesh.${missing} is missing`);
  const points = flatPoints(call, 'mesh.points', mesh.points);
  const triangles = flatTriples(call, 'mesh.triangles', mesh.triangles);
  const vertices = readers.writeDoubles(call, 'mesh.points', points);
  const corners = triangles.length === 0 ? 0 : readers.allocate(call, 4 * triangles.length);
  readers.i32.set(triangles, corners >>> 2);
  return [vertices, points.length / 3, corners, triangles.length / 3];
}

/** @param {string} call @param {Record<string, unknown>} options */
function checkWork(call, { onProgress, signal }) {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongType(call, 'options.onProgress', onProgress, 'are functions');
  const isSignal = typeof signal === 'object' && signal !== null && 'aborted' in signal;
  if (signal !== undefined && !isSignal) throw wrongType(call, 'options.signal', signal, 'is an AbortSignal');
}

/**
 * A count that is given, or 0 for that of the engine.
 * @param {string} call @param {string} name @param {unknown} value @param {number} least @param {number} most
 */
function toCount(call, name, value, least, most) {
  if (value === undefined) return 0;
  checkInteger(call, `options.${name}`, value);
  if (value < least || value > most)
    throw outOfRange(call, `options.${name}`, value, `are integers ${least}…${most}`);
  return value;
}

/**
 * A number above `least`, or 0 for that of the engine.
 * @param {string} call @param {string} name @param {unknown} value @param {number} [least]
 */
function toLength(call, name, value, least = 0) {
  if (value === undefined) return 0;
  checkNumber(call, `options.${name}`, value);
  if (!(value > least)) throw outOfRange(call, `options.${name}`, value, `are numbers > ${least}`);
  return value;
}

// ---- work in slices ---------------------------------------------------------------------------------------

/**
 * The functions of one kind of work.
 * @template Result
 * @typedef {object} Work
 * @property {() => number} begin its code
 * @property {(address: number) => number} advance its code
 * @property {(address: number) => Result} read
 * @property {(address: number) => void} end
 */

/**
 * Tasks one after the other, without the wait of timers. Node's own come between its timers; a message there
 * would come before them.
 * @returns {{ next: () => Promise<unknown>, end: () => void }}
 */
function makeTasks() {
  const { setImmediate } = /** @type {{ setImmediate?: (task: () => void) => void }} */ (globalThis);
  if (setImmediate) {
    return { next: () => new Promise((resolve) => setImmediate(() => resolve(undefined))), end: () => {} };
  }
  const { port1, port2 } = new MessageChannel();
  return {
    next: () =>
      new Promise((resolve) => {
        port1.onmessage = resolve;
        port2.postMessage(null);
      }),
    end: () => port1.close(),
  };
}

/**
 * Does a work slice by slice, with a task of its own for each.
 * @template Result
 * @param {Readers} readers @param {string} call @param {WorkOptions} options
 * @param {() => boolean} isDisposed
 * @param {Work<Result>} work
 * @returns {Promise<Result>}
 */
async function doWork(readers, call, { onProgress, signal }, isDisposed, work) {
  const checkOn = () => {
    if (signal?.aborted) throw signal.reason;
    if (isDisposed()) throw disposedError(call);
  };
  checkOn();
  /** @type {number} */
  let address;
  try {
    readers.check(work.begin());
    address = readers.u32[readers.result >>> 2];
  } finally {
    readers.scratch.release();
  }
  const tasks = makeTasks();
  try {
    let told = -1;
    for (let progress = 0; progress < 1;) {
      const end = performance.now() + slice;
      do {
        readers.check(work.advance(address));
        progress = readers.f64[readers.result >>> 3];
      } while (progress < 1 && performance.now() < end);
      if (progress > told) onProgress?.(progress);
      told = progress;
      if (progress < 1) await tasks.next();
      checkOn();
    }
    return work.read(address);
  } finally {
    tasks.end();
    work.end(address);
  }
}

/** @param {string} call */
async function findReaders(call) {
  await loadReaders();
  return getReaders(call);
}

// ---- decomposition ----------------------------------------------------------------------------------------

/**
 * @internal
 * @param {unknown} mesh @param {unknown} options @param {() => boolean} isDisposed
 * @returns {Promise<Decomposition>}
 */
export async function decomposeMesh(mesh, options, isDisposed) {
  const call = 'cnBeginDecomposition';
  checkOptions(call, 'options', options);
  const own = ['maxHulls', 'maxError', 'maxVolumeRatio', 'maxVertices', 'thickness', 'fillHoles'];
  checkNames(call, 'options', options, [...own, ...workNames]);
  checkWork(call, options);
  const maxHulls = toCount(call, 'maxHulls', options.maxHulls, 1, 1024);
  const maxVertices = toCount(call, 'maxVertices', options.maxVertices, 4, 4096);
  const maxError = toLength(call, 'maxError', options.maxError);
  const maxVolumeRatio = toLength(call, 'maxVolumeRatio', options.maxVolumeRatio, 1);
  const thickness = toLength(call, 'thickness', options.thickness);
  const { fillHoles = -1 } = options;
  checkNumber(call, 'options.fillHoles', fillHoles);
  if (options.fillHoles !== undefined && !(fillHoles >= 0 && fillHoles <= 1))
    throw outOfRange(call, 'options.fillHoles', fillHoles, 'are numbers 0…1');

  const readers = await findReaders(call);
  const { raw } = readers;
  return doWork(readers, call, options, isDisposed, {
    begin: () =>
      raw._cnw_BeginDecomposition(
        ...writeMesh(readers, call, mesh),
        maxHulls,
        maxVertices,
        maxError,
        maxVolumeRatio,
        thickness,
        fillHoles,
      ),
    advance: (address) => raw._cnw_AdvanceDecomposition(address),
    read: (address) => readDecomposition(readers, address),
    end: (address) => raw._cnw_EndDecomposition(address),
  });
}

/** @param {Readers} readers @param {number} address @returns {Decomposition} */
function readDecomposition(readers, address) {
  const { raw } = readers;
  readers.check(raw._cnw_ReadDecomposition(address));
  const at = readers.result >>> 3;
  const [error, uncovered, volume, hullVolume, volumeRatio, hullCount, ...counts] = readers.f64.slice(
    at,
    at + 11,
  );
  const [filledHoles, sheets, turned, dropped, withinBounds] = counts;
  const shapes = Array.from({ length: hullCount }, (_, index) => {
    readers.check(raw._cnw_ReadHull(address, index));
    const points = readTriples(readers, readers.result >>> 2);
    return { shape: { type: /** @type {const} */ ('convex'), points } };
  });
  return {
    shapes,
    withinBounds: withinBounds === 1,
    error,
    uncovered,
    volume,
    hullVolume,
    volumeRatio,
    filledHoles,
    sheets,
    turned,
    dropped,
  };
}

/** Vertices by the address and the count that a result has. @param {Readers} readers @param {number} at */
function readTriples(readers, at) {
  const [address, count] = readers.u32.subarray(at, at + 2);
  readers.reach(address + 24 * count);
  return readers.f64.slice(address >>> 3, (address >>> 3) + 3 * count);
}

// ---- reduction --------------------------------------------------------------------------------------------

/**
 * @internal
 * @param {unknown} mesh @param {unknown} options @param {() => boolean} isDisposed
 * @returns {Promise<ReducedMesh>}
 */
export async function reduceMesh(mesh, options, isDisposed) {
  const call = 'cnBeginReduction';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['maxTriangles', 'maxError', ...workNames]);
  checkWork(call, options);
  const maxTriangles = toCount(call, 'maxTriangles', options.maxTriangles, 1, 2 ** 20);
  const maxError = toLength(call, 'maxError', options.maxError);
  if (maxTriangles === 0 && maxError === 0) {
    const text = 'options has neither maxTriangles nor maxError; one of them must end the reduction';
    throw new CairnError('OUT_OF_RANGE', call, 'options', text);
  }
  const readers = await findReaders(call);
  const { raw } = readers;
  return doWork(readers, call, options, isDisposed, {
    begin: () => raw._cnw_BeginReduction(...writeMesh(readers, call, mesh), maxTriangles, maxError),
    advance: (address) => raw._cnw_AdvanceReduction(address),
    read: (address) => readReduction(readers, address),
    end: (address) => raw._cnw_EndReduction(address),
  });
}

/** @param {Readers} readers @param {number} address @returns {ReducedMesh} */
function readReduction(readers, address) {
  readers.check(readers.raw._cnw_ReadReduction(address));
  const error = readers.f64[readers.result >>> 3];
  const at = (readers.result >>> 2) + 2;
  const [dropped, withinBounds] = readers.u32.subarray(at, at + 2);
  const points = readTriples(readers, at + 2);
  const [corners, count] = readers.u32.subarray(at + 4, at + 6);
  readers.reach(corners + 12 * count);
  const triangles = readers.u32.slice(corners >>> 2, (corners >>> 2) + 3 * count);
  return { points, triangles, withinBounds: withinBounds === 1, error, dropped };
}

// ---- shapes that enclose points ---------------------------------------------------------------------------

/**
 * @internal
 * @param {unknown} points @param {unknown} type
 * @returns {Promise<FittedShape>}
 */
export async function fitShape(points, type) {
  const call = 'cnFitShape';
  if (typeof type !== 'string' || !fittedTypes.includes(type)) {
    const allowed = `are ${fittedTypes.map((item) => `'${item}'`).join(', ')}`;
    throw typeof type === 'string'
      ? outOfRange(call, 'type', type, allowed)
      : wrongType(call, 'type', type, allowed);
  }
  const flat = flatPoints(call, 'points', points);
  const readers = await findReaders(call);
  try {
    const address = readers.writeDoubles(call, 'points', flat);
    const number = enums.cnShapeType.indexOf(type);
    readers.check(readers.raw._cnw_FitShape(number, address, flat.length / 3));
  } finally {
    readers.scratch.release();
  }
  const at = readers.result >>> 3;
  const [radius, height, hx, hy, hz, x, y, z, qx, qy, qz, qw] = readers.f64.slice(at, at + 12);
  /** @type {Record<FittedType, ShapeDescription>} */
  const shapes = {
    sphere: { type: 'sphere', radius },
    box: { type: 'box', halfExtents: [hx, hy, hz] },
    capsule: { type: 'capsule', radius, height },
    cylinder: { type: 'cylinder', radius, height },
  };
  return {
    shape: shapes[/** @type {FittedType} */ (type)],
    position: [x, y, z],
    rotation: [qx, qy, qz, qw],
  };
}
