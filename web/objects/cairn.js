// One loaded module and what can be made with it.

import { readHeightImage, readMesh } from './assets.js';
import { Bodies } from './bodies.js';
import { Body } from './body.js';
import { checkFlag, checkNames, checkOptions, fullPose } from '../core/checks.js';
import { forgetModule, watchModule } from '../core/dropped.js';
import { disposedError, outOfRange, wrongType } from '../core/errors.js';
import {
  acos,
  addToLibrary,
  asin,
  atan2,
  castRayAtShape,
  checkMesh,
  computeBounds,
  computeClosestPoints,
  computeMassProperties,
  findSurfacePoint,
  isPointInShape,
  cos,
  exp,
  getBytesInUse,
  listAvailable,
  log,
  pow,
  sin,
  tan,
} from '../generated/calls.js';
import { Handle } from '../core/handle.js';
import { nameObjects } from '../core/names.js';
import { guard, seal } from '../core/strict.js';
import { Table } from '../core/columns.js';
import { getReaders, loadReaders } from '../core/readers.js';
import { Constraint } from './constraint.js';
import { MergedBody, MergeEdge } from './merged_body.js';
import { ContactMaterial } from './contact_material.js';
import { Geometry } from './geometry.js';
import { writeLibraryItems } from './library.js';
import { BreakListener, GuardListener, MergeListener } from '../listeners/after_step_listeners.js';
import { ContactCursor } from '../listeners/contact_cursor.js';
import { ContactListener } from '../listeners/contact_listener.js';
import { ContactReader } from '../listeners/contact_reader.js';
import { ForceFieldListener } from '../listeners/force_field.js';
import { Listener } from '../listeners/listener.js';
import { Material } from './material.js';
import { Matrices } from './matrices.js';
import { decomposeMesh, fitShape, reduceMesh } from './mesh_tools.js';
import { ObjectWithEvents } from './object_with_events.js';
import { Observer } from './observer.js';
import { Channel, Scene } from './scene.js';
import { readDescription, Shape } from './shape.js';
import { playRecording, WorldRecord } from './snapshots.js';
import { toThreads, World } from './world.js';
import { WorldObject } from './world_object.js';

/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('./shape.js').ShapeDescription} ShapeDescription */
/** @typedef {import('../generated/types.js').Pose} Pose */

/**
 * What was loaded.
 * @typedef {object} Facts
 * @property {'st' | 'mt'} flavour
 * @property {number} threads
 * @property {number} maximumMemory bytes
 * @property {string | null} fallbackReason
 */

const listKinds = ['materials', 'contact-materials', 'terrains', 'cables', 'beams', 'shapes', 'channels'];

export class Cairn {
  #runtime;
  #endThreads;
  #isDisposed = false;

  /** What was loaded: 'mt' with threads, 'st' without. @type {'st' | 'mt'} @readonly */
  flavour;
  /** Threads that share the work, the caller included. @type {number} @readonly */
  threads;
  /** Bytes, most that memory may grow to. @type {number} @readonly */
  maximumMemory;
  /**
   * Why there are no threads although they were wanted (by default they are); null where nothing is amiss.
   * @type {string | null} @readonly
   */
  fallbackReason;
  /** @type {string} @readonly */
  version;
  /** The engine's own functions: the same bits in every build. Angles in rad. @readonly */
  math;

  /**
   * @internal
   * @param {import('../core/runtime.js').Runtime} runtime
   * @param {Facts} facts
   * @param {() => void} endThreads
   */
  constructor(runtime, facts, endThreads) {
    this.#runtime = runtime;
    this.#endThreads = endThreads;
    watchModule(this, endThreads);
    this.flavour = facts.flavour;
    this.threads = facts.threads;
    this.maximumMemory = facts.maximumMemory;
    this.fallbackReason = facts.fallbackReason;
    const number = runtime.raw._cnw_GetVersion();
    this.version = `${number >>> 16}.${(number >>> 8) & 255}.${number & 255}`;
    this.math = strictFunctions('cairn.math', {
      /** @param {number} radians @returns {number} */
      sin: (radians) => sin(runtime, radians),
      /** @param {number} radians @returns {number} */
      cos: (radians) => cos(runtime, radians),
      /** @param {number} radians @returns {number} */
      tan: (radians) => tan(runtime, radians),
      /** @param {number} value @returns {number} */
      asin: (value) => asin(runtime, value),
      /** @param {number} value @returns {number} */
      acos: (value) => acos(runtime, value),
      /** @param {number} y @param {number} x @returns {number} */
      atan2: (y, x) => atan2(runtime, y, x),
      /** @param {number} value @returns {number} */
      exp: (value) => exp(runtime, value),
      /** @param {number} value @returns {number} */
      log: (value) => log(runtime, value),
      /** @param {number} base @param {number} exponent @returns {number} */
      pow: (base, exponent) => pow(runtime, base, exponent),
    });
    seal(this);
  }

  /**
   * Take `memory.buffer` again whenever you read: it changes when memory grows.
   * @returns {WebAssembly.Memory}
   */
  get memory() {
    return this.#runtime.memory;
  }

  /**
   * The module's flat functions over handles, numbers and addresses.
   * @returns {import('../generated/types.js').RawExports}
   */
  get raw() {
    return this.#runtime.raw;
  }

  /** Bytes held by all worlds. @returns {number} */
  get bytesInUse() {
    return getBytesInUse(this.#runtime) >>> 0;
  }

  /** @returns {boolean} */
  get isDisposed() {
    return this.#isDisposed;
  }

  /**
   * Disposes all worlds, ends the threads and lets go of the memory; a second time nothing happens. Every
   * call after it is an error `STALE_HANDLE`. `WRONG_PHASE` from within a listener.
   * @returns {void}
   */
  dispose() {
    if (this.#isDisposed) return;
    const worlds = [...this.#runtime.worlds];
    for (const world of worlds) world.atWork.refuse('Cairn.dispose');
    for (const world of worlds) world.dispose();
    this.#runtime.worlds.clear();
    this.#isDisposed = true;
    forgetModule(this);
    this.#endThreads();
    this.#runtime.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }

  /** @param {string} call */
  #checkLive(call) {
    if (this.#isDisposed) throw disposedError(call);
  }

  /** @param {import('./world.js').WorldOptions} [options] @returns {World} */
  createWorld(options = {}) {
    this.#checkLive('cnCreateWorld');
    return World.create(this, this.#runtime, options);
  }

  /**
   * Makes a world of what World.save() wrote. `SNAPSHOT`: the bytes are none that this build can restore.
   * @param {Uint8Array} bytes
   * @param {{ threads?: number }} [options] threads: as many as were loaded
   * @returns {World}
   */
  restoreWorld(bytes, options = {}) {
    const call = 'cnRestoreWorld';
    this.#checkLive(call);
    checkOptions(call, 'options', options);
    checkNames(call, 'options', options, ['threads']);
    const threads = toThreads(call, 'options.threads', options.threads, this.threads);
    return World.restore(this, this.#runtime, bytes, threads);
  }

  /**
   * Plays a recording (world.record) in a world of its own, until its end or the first step that comes out
   * otherwise. `SNAPSHOT`: it is none that this build can play, or it is cut or damaged.
   * @param {Uint8Array} recording
   * @param {{ threads?: number }} [options] threads: as many as were loaded
   * @returns {import('./snapshots.js').Replay}
   */
  replay(recording, options = {}) {
    const call = 'cnPlayRecording';
    this.#checkLive(call);
    checkOptions(call, 'options', options);
    checkNames(call, 'options', options, ['threads']);
    const threads = toThreads(call, 'options.threads', options.threads, this.threads);
    return playRecording(this.#runtime, recording, threads);
  }

  /**
   * Makes a world from a scene file. `SCENE`, `NOT_SUPPORTED_YET`: the error's argument is the JSON path.
   * @param {string | Uint8Array | object} scene text, UTF-8 bytes or parsed JSON
   * @param {{ threads?: number, files?: import('./assets.js').Files }} [options] threads: as many as were
   *   loaded; files: those that the scene names (see gatherFiles and loadReaders)
   * @returns {Scene}
   */
  loadScene(scene, options = {}) {
    this.#checkLive('cnLoadScene');
    checkOptions('cnLoadScene', 'options', options);
    checkNames('cnLoadScene', 'options', options, ['threads', 'files']);
    return Scene.load(
      this,
      this.#runtime,
      scene,
      toThreads('cnLoadScene', 'options.threads', options.threads, this.threads),
      options.files,
    );
  }

  /**
   * Makes ready what reads mesh files and images, 62 kB that are not loaded before. In pages to be awaited
   * once before readMesh(), readHeightImage() and loadScene() with files; gatherFiles() does it, too, and
   * Node needs none of it. `LOAD_FAILED`.
   * @returns {Promise<void>}
   */
  loadReaders() {
    return loadReaders();
  }

  /**
   * Reads a mesh file: OBJ, STL, PLY, OFF, glTF or GLB. `FILE`: the message begins with the line, the byte
   * or the JSON path.
   * @param {Uint8Array} bytes
   * @param {import('./assets.js').MeshFileOptions} [options]
   * @returns {import('./assets.js').MeshFile}
   */
  readMesh(bytes, options = {}) {
    this.#checkLive('cnReadMesh');
    return readMesh(getReaders('cnReadMesh'), bytes, options);
  }

  /**
   * Reads a grey-scale image (PNG or raw) as the heights of a grid; the image's first row is that
   * of the largest y.
   * @param {Uint8Array} bytes
   * @param {import('./assets.js').HeightImageOptions} [options]
   * @returns {import('./assets.js').HeightImage}
   */
  readHeightImage(bytes, options = {}) {
    this.#checkLive('cnReadHeightImage');
    return readHeightImage(getReaders('cnReadHeightImage'), bytes, options);
  }

  /**
   * Cuts a mesh into pieces whose convex hulls cover it, in slices of some milliseconds: the page goes on
   * meanwhile. A closed mesh is a solid; small holes are closed, what is open is covered as it is.
   * `OUT_OF_RANGE`, `DEGENERATE_SHAPE`, `LOAD_FAILED`; the reason of options.signal.
   * @param {import('./mesh_tools.js').ToolMesh} mesh
   * @param {import('./mesh_tools.js').DecompositionOptions} [options]
   * @returns {Promise<import('./mesh_tools.js').Decomposition>}
   */
  async decomposeMesh(mesh, options = {}) {
    this.#checkLive('cnBeginDecomposition');
    return decomposeMesh(mesh, options, () => this.#isDisposed);
  }

  /**
   * A mesh with fewer triangles, in slices of some milliseconds. What is closed stays closed, what is a
   * manifold stays one. `OUT_OF_RANGE`, `DEGENERATE_SHAPE`, `LOAD_FAILED`; the reason of options.signal.
   * @param {import('./mesh_tools.js').ToolMesh} mesh
   * @param {import('./mesh_tools.js').ReductionOptions} options maxTriangles, maxError or both
   * @returns {Promise<import('./mesh_tools.js').ReducedMesh>}
   */
  async reduceMesh(mesh, options) {
    this.#checkLive('cnBeginReduction');
    return reduceMesh(mesh, options, () => this.#isDisposed);
  }

  /**
   * A small shape that holds all points, with its pose: the smallest sphere; the smallest box, capsule and
   * cylinder within a percent as a rule. `OUT_OF_RANGE`, `DEGENERATE_SHAPE`, `LOAD_FAILED`.
   * @param {import('../core/vectors.js').NumbersLike | readonly VectorLike[]} points m
   * @param {import('./mesh_tools.js').FittedType} type
   * @returns {Promise<import('./mesh_tools.js').FittedShape>}
   */
  async fitShape(points, type) {
    this.#checkLive('cnFitShape');
    return fitShape(points, type);
  }

  /**
   * Adds items to the library of this module: all of them, or none after an error. Materials start from them
   * by their `name`; a world takes in what was added when it makes its next material of the library. `FILE`:
   * the error's argument is the path and the key.
   * @param {import('./library.js').LibraryItems} items by path: { 'materials/b.json': { name: 'birch', … } }
   * @returns {void}
   */
  addToLibrary(items) {
    this.#checkLive('cnAddToLibrary');
    addToLibrary(this.#runtime, writeLibraryItems(items));
  }

  /**
   * What there is, parsed from JSON.
   * @param {'materials' | 'contact-materials' | 'terrains' | 'cables' | 'beams' | 'shapes' | 'channels'} kind
   * @returns {unknown}
   */
  list(kind) {
    if (!listKinds.includes(kind)) {
      const allowed = `are ${listKinds.map((item) => `'${item}'`).join(', ')}`;
      throw typeof kind === 'string'
        ? outOfRange('cnListAvailable', 'kind', kind, allowed)
        : wrongType('cnListAvailable', 'kind', kind, allowed);
    }
    return JSON.parse(listAvailable(this.#runtime, kind));
  }

  /**
   * Mass properties of a solid, without a world.
   * @param {ShapeDescription} shape
   * @param {number} density kg/m³, > 0
   * @param {import('../generated/types.js').MassProperties} [out]
   * @returns {import('../generated/types.js').MassProperties}
   */
  computeMassProperties(shape, density, out) {
    const definition = readDescription('cnComputeMassProperties', 'shape', shape);
    return computeMassProperties(this.#runtime, definition, density, out);
  }

  /**
   * Counts what is wrong with a mesh: open edges, holes, triangles without an area, edges whose
   * triangles disagree, …
   * @param {ShapeDescription} mesh of type 'trimesh'
   * @param {{ selfIntersections?: boolean }} [options] selfIntersections: count triangles that cross, too
   * @returns {import('../generated/types.js').MeshReport}
   */
  checkMesh(mesh, options = {}) {
    const definition = readDescription('cnCheckMesh', 'mesh', mesh);
    if (mesh.type !== 'trimesh') throw wrongType('cnCheckMesh', 'mesh.type', mesh.type, "is 'trimesh'");
    checkOptions('cnCheckMesh', 'options', options);
    checkNames('cnCheckMesh', 'options', options, ['selfIntersections']);
    const { selfIntersections = false } = options;
    checkFlag('cnCheckMesh', 'options.selfIntersections', selfIntersections);
    return checkMesh(this.#runtime, definition, selfIntersections);
  }

  /**
   * Smallest box along the world's axes that holds a shape at a pose.
   * @param {ShapeDescription} shape
   * @param {Pose} pose m; position and rotation default to origin and identity
   * @param {import('../generated/types.js').Bounds} [out]
   * @returns {import('../generated/types.js').Bounds}
   */
  computeBounds(shape, pose, out) {
    const definition = readDescription('cnComputeBounds', 'shape', shape);
    return computeBounds(this.#runtime, definition, fullPose('cnComputeBounds', 'pose', pose), out);
  }

  /**
   * First point where origin + t·translation, 0 <= t <= 1, meets a shape at a pose.
   * @param {ShapeDescription} shape
   * @param {Pose} pose m
   * @param {VectorLike} origin m
   * @param {VectorLike} translation m
   * @param {import('../generated/types.js').RayHit} [out]
   * @returns {import('../generated/types.js').RayHit}
   */
  castRayAtShape(shape, pose, origin, translation, out) {
    const definition = readDescription('cnCastRayAtShape', 'shape', shape);
    const place = fullPose('cnCastRayAtShape', 'pose', pose);
    return castRayAtShape(this.#runtime, definition, place, origin, translation, out);
  }

  /**
   * Closest points of two shapes at poses; `status` says whether they are apart, overlap, or have no answer.
   * @param {ShapeDescription} shape1
   * @param {Pose} pose1 m
   * @param {ShapeDescription} shape2
   * @param {Pose} pose2 m
   * @param {import('../generated/types.js').ClosestPoints} [out]
   * @returns {import('../generated/types.js').ClosestPoints}
   */
  computeClosestPoints(shape1, pose1, shape2, pose2, out) {
    const call = 'cnComputeClosestPoints';
    const definition1 = readDescription(call, 'shape1', shape1);
    const definition2 = readDescription(call, 'shape2', shape2);
    return computeClosestPoints(
      this.#runtime,
      definition1,
      fullPose(call, 'pose1', pose1),
      definition2,
      fullPose(call, 'pose2', pose2),
      out,
    );
  }

  /**
   * The point of a shape's surface next to a point, outside or inside.
   * @param {ShapeDescription} shape
   * @param {Pose} pose m
   * @param {VectorLike} point m
   * @param {import('../generated/types.js').SurfaceDistance} [out]
   * @returns {import('../generated/types.js').SurfaceDistance} distance < 0 inside
   */
  findSurfacePoint(shape, pose, point, out) {
    const definition = readDescription('cnFindSurfacePoint', 'shape', shape);
    const place = fullPose('cnFindSurfacePoint', 'pose', pose);
    return findSurfacePoint(this.#runtime, definition, place, point, out);
  }

  /**
   * Whether a shape at a pose holds a point.
   * @param {ShapeDescription} shape @param {Pose} pose m @param {VectorLike} point m
   * @returns {boolean}
   */
  isPointInShape(shape, pose, point) {
    const definition = readDescription('cnIsPointInShape', 'shape', shape);
    return isPointInShape(this.#runtime, definition, fullPose('cnIsPointInShape', 'pose', pose), point);
  }
}

/**
 * @template {Record<string, (...values: any[]) => unknown>} T
 * @param {string} name @param {T} functions @returns {Readonly<T>}
 */
function strictFunctions(name, functions) {
  const entries = Object.entries(functions).map(([key, value]) => [key, guard(`${name}.${key}`, value)]);
  return Object.freeze(Object.fromEntries(entries));
}

nameObjects({
  handle: Handle,
  worldObject: WorldObject,
  objectWithEvents: ObjectWithEvents,
  cairn: Cairn,
  body: Body,
  bodies: Bodies,
  geometry: Geometry,
  shape: Shape,
  material: Material,
  contactMaterial: ContactMaterial,
  constraint: Constraint,
  mergedBody: MergedBody,
  mergeEdge: MergeEdge,
  observer: Observer,
  matrices: Matrices,
  table: Table,
  contactCursor: ContactCursor,
  contactReader: ContactReader,
  listener: Listener,
  contactListener: ContactListener,
  breakListener: BreakListener,
  guardListener: GuardListener,
  mergeListener: MergeListener,
  forceFieldListener: ForceFieldListener,
  worldRecord: WorldRecord,
  channel: Channel,
  scene: Scene,
  world: World,
});
