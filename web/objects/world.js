// Worlds.
/// <reference lib="esnext.disposable" preserve="true" />

import { makeBodies } from './bodies.js';
import { Body, makeBody } from './body.js';
import {
  checkInteger,
  checkNumber,
  checkOptions,
  checkOutputObject,
  checkUnsigned,
  enumWord,
  fullPose,
} from '../core/checks.js';
import { checkVector, isNumberArray, isVectorObject } from '../core/vectors.js';
import { checkAdvanceOptions, Clock } from '../core/clock.js';
import { CairnError, outOfRange, renamed, wrongType } from '../core/errors.js';
import { makeColumns } from '../core/columns.js';
import { Constraint, makeConstraint } from './constraint.js';
import { MergedBody, MergeEdge, makeMergedBody } from './merged_body.js';
import { makeMouseConstraint } from './mouse_constraint.js';
import { NameTable } from './name_table.js';
import { BodyLocks } from './body_locks.js';
import { MassChecks } from './mass_checks.js';
import { AtWork } from '../listeners/at_work.js';
import { ContactCursor } from '../listeners/contact_cursor.js';
import {
  makeBreakListeners,
  makeGuardListeners,
  makeMergeListeners,
} from '../listeners/after_step_listeners.js';
import { Listeners } from '../listeners/contact_listener.js';
import { ContactMaterial, makeContactMaterial, withoutPair } from './contact_material.js';
import { ContactReader } from '../listeners/contact_reader.js';
import {
  createShape,
  createWorld,
  destroyWorld,
  worldCastRay,
  worldCastShape,
  worldCollide,
  worldComputeClosestPoints,
  worldGetAngularMomentum,
  worldGetContactReduction,
  worldGetContactReductionResolution,
  worldGetCounters,
  worldGetIslandStatistics,
  worldGetKeptBytes,
  worldGetKeptSteps,
  worldGetGravity,
  worldGetGroup,
  worldGetHash,
  worldGetKineticEnergy,
  worldGetMaxPenetration,
  worldGetMomentum,
  worldFindMaterial,
  worldGetPairOrigins,
  worldGetPairProperties,
  worldGetEnergies,
  worldGetPotentialEnergy,
  worldHasEnergyBalance,
  worldSetEnergyBalance,
  worldGetProfile,
  worldGetMergeSplit,
  worldGetSleep,
  worldGetSolver,
  worldGetStepCount,
  worldGetTime,
  worldGetTimeStep,
  worldInterpolatePoses,
  worldKeep,
  worldRewind,
  worldSetContactReduction,
  worldSetGeometryPairEnabled,
  worldSetGravity,
  worldSetGroupPairEnabled,
  worldSetMergeSplit,
  worldSetSleep,
  worldSetSolver,
  worldSetTimeStep,
  worldSolve,
  worldStep,
  worldTestRay,
  worldValidate,
} from '../generated/calls.js';
import { WorldEvents } from '../events/world_events.js';
import { Geometry, makeGeometry } from './geometry.js';
import { ForceFields } from '../listeners/force_field.js';
import { Handle, handleOf, makeKey } from '../core/handle.js';
import { rowOf } from '../core/handle_rows.js';
import { seal } from '../core/strict.js';
import { makeMaterial, Material } from './material.js';
import { Matrices } from './matrices.js';
import { Observer } from './observer.js';
import {
  castRayAll,
  castRays,
  castShapeAll,
  findGeometriesAtPoint,
  testBoundingVolumeOverlap,
  testGeometryOverlap,
  toFilter,
  withShape,
} from './queries.js';
import { getRenderData } from './render_data.js';
import { exportScene } from './scene_export.js';
import { readDescription, Shape } from './shape.js';
import { restoreIntoWorld, restoreNewWorld, saveWorld, WorldRecord } from './snapshots.js';

/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/columns.js').Columns} Columns */
/** @typedef {import('../core/handle.js').HandleKind} HandleKind */
/** @typedef {import('./world_object.js').WorldObject} WorldObject */
/** @typedef {import('../generated/types.js').SolverType} SolverType */
/** @typedef {import('../generated/types.js').RayResult} RayResult */
/** @typedef {import('./queries.js').RayFilter} RayFilter */
/** @typedef {import('../generated/types.js').ShapeCastResult} ShapeCastResult */
/** @typedef {import('./cairn.js').Pose} Pose */
/**
 * What a world belongs to.
 * @typedef {object} Owner
 * @property {() => void} release frees both
 * @property {() => void} free the same without the objects, which nobody has any more
 */
/** @typedef {import('./shape.js').ShapeDescription} ShapeDescription */

/**
 * m/s², or what the type asks for.
 * @typedef {VectorLike | import('../generated/types.js').Gravity} GravityOptions
 */
/** @typedef {SolverType | import('../generated/types.js').SolverSettings} SolverOptions */
/**
 * Whether what comes to rest sleeps, or below which speeds and after which time; `enabled` unless told.
 * @typedef {boolean | import('../generated/types.js').SleepSettings} SleepOptions
 */

/**
 * Whether what rests on something merges with it, or below and above which speeds; `enabled` unless told.
 * @typedef {boolean | import('../generated/types.js').MergeSplitSettings} MergeSplitOptions
 */

/**
 * @typedef {object} OwnWorldOptions
 * @property {GravityOptions} [gravity] m/s²; [0, 0, -9.80665]
 * @property {SolverOptions} [solver]
 * @property {SleepOptions} [sleep] on
 * @property {MergeSplitOptions} [mergeSplit] off
 *
 * @typedef {OwnWorldOptions & Omit<import('../generated/types.js').WorldDef, 'gravity'
 *   | 'solver' | 'sleep' | 'mergeSplit'>} WorldOptions
 */

/**
 * @type {Record<Exclude<HandleKind, 'world' | 'scene'>, new (key: symbol, world: World, value: number)
 *   => WorldObject>}
 */
const classes = {
  body: Body,
  geometry: Geometry,
  shape: Shape,
  material: Material,
  contactMaterial: ContactMaterial,
  constraint: Constraint,
  mergedBody: MergedBody,
  mergeEdge: MergeEdge,
};

const tableOfKind = /** @type {const} */ ({
  body: 'bodies',
  geometry: 'geometries',
  shape: 'shapes',
  material: 'materials',
  contactMaterial: 'contactMaterials',
  constraint: 'constraints',
  mergedBody: 'mergedBodies',
  mergeEdge: 'mergeEdges',
});

const filterNames = [
  'groups',
  'excludeBody',
  'excludeGeometry',
  'collidesWith',
  'bodies',
  'sensors',
  'crossings',
];

/** A world owns everything in it, and is the only thing that has to be disposed. */
export class World extends Handle {
  /** @internal @readonly */
  names = new NameTable();
  /** @internal @readonly */
  massChecks = new MassChecks(this);
  /** Of bodies. @internal */
  locks = new BodyLocks(this);
  /** @type {Columns} */
  #columns;
  /** @type {import('../core/columns.js').WorldMemory} */
  #memory;
  #clock = new Clock();
  /** By kind and row. @type {Map<string, (WorldObject | undefined)[]>} */
  #objects = new Map();
  /**
   * Objects whose row another one has, by kind and handle: they may come back. Null until a state
   * is saved or kept.
   * @type {Map<string, WeakRef<WorldObject>> | null}
   */
  #former = null;
  /** @type {Set<Matrices>} */
  #matrices = new Set();
  /** @type {ContactCursor | null} */
  #contacts = null;
  /** @internal @readonly */
  atWork = new AtWork();
  #listeners = new Listeners(this);
  #breakListeners = makeBreakListeners(this);
  #guardListeners = makeGuardListeners(this);
  #mergeListeners = makeMergeListeners(this);
  #forceFields = new ForceFields(this);
  /** @internal @readonly */
  events = new WorldEvents(this);
  /** Whether a step has been begun by collide(): then force fields act in solve(). */
  #isCollided = false;
  /** Whether the step that was begun last has been done to its end. */
  #isStepOver = false;
  /** Numbers of groups by their names. @type {Map<string, number>} */
  #groups = new Map();
  /** @type {(() => void) | null} */
  #release;

  /** The module it lives in. @type {import('./cairn.js').Cairn} @readonly */
  cairn;
  /** @internal @type {import('../core/runtime.js').Runtime} @readonly */
  runtime;

  /**
   * @param {symbol} key
   * @param {import('./cairn.js').Cairn} cairn
   * @param {import('../core/runtime.js').Runtime} runtime
   * @param {number} value
   * @param {Owner | null} owner where something else owns the world (a scene)
   */
  constructor(key, cairn, runtime, value, owner) {
    super(key, 'world', null, value);
    this.cairn = cairn;
    this.runtime = runtime;
    this.#release = owner && owner.release;
    const { columns, memory } = makeColumns(runtime, value);
    this.#columns = columns;
    this.#memory = memory;
    memory.owner = this;
    runtime.worlds.add(this, value, owner ? owner.free : makeFree(runtime, value));
    seal(this);
  }

  /**
   * @internal
   * @param {import('./cairn.js').Cairn} cairn
   * @param {import('../core/runtime.js').Runtime} runtime
   * @param {unknown} options WorldOptions
   * @returns {World}
   */
  static create(cairn, runtime, options) {
    const call = 'cnCreateWorld';
    checkOptions(call, 'def', options);
    const { gravity, solver, sleep = true, mergeSplit = false, threads, ...rest } = options;
    const def = {
      ...rest,
      gravity: gravity === undefined ? undefined : toGravity(call, 'def.gravity', gravity),
      solver: solver === undefined ? undefined : toSolver(solver),
      sleep: toSleep(call, 'def.sleep', sleep),
      mergeSplit: toMergeSplit(call, 'def.mergeSplit', mergeSplit),
      threads: toThreads(call, 'def.threads', threads, cairn.threads),
    };
    const value = createWorld(runtime, /** @type {import('../generated/types.js').WorldDef} */ (def));
    return new World(makeKey, cairn, runtime, value, null);
  }

  /**
   * @internal
   * @param {import('./cairn.js').Cairn} cairn
   * @param {import('../core/runtime.js').Runtime} runtime
   * @param {unknown} bytes @param {number} threads
   * @returns {World}
   */
  static restore(cairn, runtime, bytes, threads) {
    const world = new World(makeKey, cairn, runtime, restoreNewWorld(runtime, bytes, threads), null);
    world.locks.forget();
    world.massChecks.restart();
    return world;
  }

  // ---- life -----------------------------------------------------------------------------------------------

  /** @returns {boolean} */
  get isDisposed() {
    return Handle.isGone(this);
  }

  /** Frees the world and all that is in it; a second time nothing happens. @returns {void} */
  dispose() {
    if (Handle.isGone(this)) return;
    this.atWork.refuse('World.dispose');
    for (const matrices of [...this.#matrices]) matrices.dispose();
    if (this.#release) this.#release();
    else destroyWorld(this);
    this.#memory.isGone = true;
    this.#objects.clear();
    Handle.retire(this);
    this.runtime.worlds.delete(this.handle);
  }

  [Symbol.dispose]() {
    this.dispose();
  }

  // ---- stepping -------------------------------------------------------------------------------------------

  /**
   * One time step: collide(), then solve(). `NON_FINITE_STATE` names a body that was stopped and disabled;
   * the step is complete.
   * @returns {void}
   */
  step() {
    handleOf('cnWorld_Step', 'world', 'world', null, this);
    this.stepByHand('World.step', this.#step, this.#collide, this.#solve);
  }

  #step = () => worldStep(this);
  #collide = () => worldCollide(this);
  #solve = () => worldSolve(this);

  /**
   * A step that advance() does not do: what was left of its time is dropped, and bodies are drawn where they
   * are.
   * @internal
   * @param {string} call
   * @param {() => void} whole @param {() => void} collide @param {() => void} solve
   */
  stepByHand(call, whole, collide, solve) {
    this.#checkStep(call);
    this.#clock.reset();
    this.#stepNow(whole, collide, solve);
  }

  /** @param {string} call */
  #checkStep(call) {
    this.atWork.refuse(call);
    if (!this.massChecks.isEmpty) this.massChecks.check(call);
  }

  /**
   * A step of those that advance() does.
   * @internal
   * @param {string} call
   * @param {() => void} whole @param {() => void} collide @param {() => void} solve
   */
  stepBy(call, whole, collide, solve) {
    this.#checkStep(call);
    this.#stepNow(whole, collide, solve);
  }

  /**
   * A step in one piece, or in halves with the contact listeners between. A listener that throws leaves
   * the step complete.
   * @param {() => void} whole @param {() => void} collide @param {() => void} solve
   */
  #stepNow(whole, collide, solve) {
    if (!this.isHeard) {
      whole();
      return;
    }
    this.#isStepOver = false;
    try {
      if (this.#listeners.isEmpty && this.#forceFields.isEmpty) this.#end(whole);
      else this.#stepInHalves(collide, solve);
    } finally {
      this.#tellOfStep();
    }
  }

  /** What ends a step. One that had to stop a body is over, too. @param {() => void} call */
  #end(call) {
    try {
      call();
      this.#isStepOver = true;
    } catch (error) {
      this.#isStepOver = error instanceof CairnError && error.code === 'NON_FINITE_STATE';
      throw error;
    }
  }

  /** @param {() => void} collide @param {() => void} solve */
  #stepInHalves(collide, solve) {
    collide();
    try {
      if (!this.#listeners.isEmpty) this.#listeners.tell();
      this.#forceFields.apply();
    } finally {
      this.#end(solve);
    }
  }

  /**
   * Listeners that hear of a step once it is complete, also where it ended with an error. Events are read
   * before any listener is told.
   */
  #tellOfStep() {
    if (!this.#isStepOver) {
      this.events.doubt();
      return;
    }
    this.events.collect();
    try {
      this.#breakListeners.tell();
      this.#guardListeners.tell();
      this.#mergeListeners.tell();
    } finally {
      this.events.deliver();
    }
  }

  /** Whether somebody listens, so that steps have to be done one by one. @internal @returns {boolean} */
  get isHeard() {
    return !(
      this.#listeners.isEmpty &&
      this.#breakListeners.isEmpty &&
      this.#guardListeners.isEmpty &&
      this.#mergeListeners.isEmpty &&
      this.#forceFields.isEmpty &&
      this.events.isEmpty
    );
  }

  /**
   * First half of a step: bounds, pairs, contacts, contact listeners. `WRONG_PHASE` out of order.
   * @returns {void}
   */
  collide() {
    this.atWork.refuse('World.collide');
    if (!this.massChecks.isEmpty) this.massChecks.check('World.collide');
    worldCollide(this);
    this.#isCollided = true;
    if (!this.#listeners.isEmpty) this.#listeners.tell();
  }

  /** Second half: forces, solve, integration. `WRONG_PHASE` out of order. @returns {void} */
  solve() {
    this.atWork.refuse('World.solve');
    this.#isStepOver = false;
    try {
      this.#applyAndSolve();
    } finally {
      this.#tellOfStep();
    }
  }

  #applyAndSolve() {
    try {
      if (this.#isCollided) this.#forceFields.apply();
    } finally {
      this.#end(this.#solve);
      this.#isCollided = false;
      this.#clock.reset();
    }
  }

  /** Many steps in one call. @param {number} count integer >= 0 @returns {void} */
  steps(count) {
    const value = handleOf('World.steps', 'this', 'world', null, this);
    checkUnsigned('World.steps', 'count', count);
    this.stepsByHand('World.steps', count, this.#stepOnce, () =>
      this.runtime.raw._cnw_World_Steps(value, count),
    );
  }

  /**
   * Many of them: one by one where somebody has to hear of each.
   * @internal
   * @param {string} call @param {number} count @param {() => void} one @param {() => number} all
   */
  stepsByHand(call, count, one, all) {
    this.#checkStep(call);
    this.#clock.reset();
    if (!this.isHeard) {
      this.runtime.check(all());
      return;
    }
    for (let i = 0; i < count; ++i) one();
  }

  /**
   * Adds real time, does the steps that are due, and writes the render poses. A function that throws ends it:
   * steps that were not done stay due.
   * @param {number} seconds >= 0
   * @param {import('../core/clock.js').AdvanceOptions} [options] maxSteps (4): time beyond is dropped
   * @returns {number} steps done
   */
  advance(seconds, options) {
    handleOf('World.advance', 'this', 'world', null, this);
    return this.advanceWith('World.advance', seconds, options, this.#stepOnce);
  }

  #stepOnce = () => this.stepBy('World.step', this.#step, this.#collide, this.#solve);

  /**
   * @internal
   * @param {string} call
   * @param {number} seconds @param {import('../core/clock.js').AdvanceOptions | undefined} options
   * @param {() => void} step
   * @returns {number}
   */
  advanceWith(call, seconds, options, step) {
    this.atWork.refuse(call);
    const checked = checkAdvanceOptions(call, options);
    const { beforeStep, afterStep } = checked;
    const steps = this.#clock.take(call, seconds, checked, worldGetTimeStep(this));
    const begin = worldGetStepCount(this);
    try {
      for (let i = 0; i < steps; ++i) {
        if (beforeStep) this.#callOut(beforeStep);
        step();
        if (afterStep) this.#callOut(afterStep);
      }
    } finally {
      const done = worldGetStepCount(this) - begin;
      if (done < steps) this.#clock.giveBack(steps - done);
      worldInterpolatePoses(this, this.#clock.alpha);
    }
    return steps;
  }

  /** A function of the user's within advance(). @param {(world: World) => void} visit */
  #callOut(visit) {
    const before = this.atWork.begin('a function given to advance()');
    try {
      visit(this);
    } finally {
      this.atWork.end(before);
    }
  }

  /** Where between the last step's begin (0) and end (1) the poses for drawing are. @returns {number} */
  get alpha() {
    handleOf('World.alpha', 'this', 'world', null, this);
    return this.#clock.alpha;
  }

  /**
   * s of the world's time that the last advance() dropped, because more than `maxSteps` steps were due; 0
   * where it kept up. Where call after call drops time, that is told on the console, once.
   * @returns {number}
   */
  get droppedTime() {
    handleOf('World.droppedTime', 'this', 'world', null, this);
    return this.#clock.dropped;
  }

  /** Writes `columns.bodies.renderPose`. @param {number} alpha 0…1 @returns {void} */
  interpolatePoses(alpha) {
    worldInterpolatePoses(this, alpha);
  }

  /** s since the world was made. @returns {number} */
  get time() {
    return worldGetTime(this);
  }

  /** Steps done so far. @returns {number} */
  get stepCount() {
    return worldGetStepCount(this);
  }

  /** s. @returns {number} */
  get timeStep() {
    return worldGetTimeStep(this);
  }

  /** @param {number} timeStep s, 1e-6…1 */
  set timeStep(timeStep) {
    worldSetTimeStep(this, timeStep);
  }

  // ---- snapshots ------------------------------------------------------------------------------------------

  /**
   * The whole state as bytes, from which every build goes on to the same bits. Listeners are not in it.
   * @param {Uint8Array} [target] to be written, if it is long enough (`OUT_OF_RANGE`); else a new one
   * @returns {Uint8Array} the bytes written: `target`, or the part of it that was needed
   */
  save(target) {
    const bytes = saveWorld(this, target);
    this.#former ??= new Map();
    return bytes;
  }

  /**
   * Puts the world into a saved state, of this world or any other. Objects of handles that live in it are as
   * good as they were, others are gone until they are made again; listeners stay. `SNAPSHOT`: the bytes are
   * none that this build can restore; then nothing has changed.
   * @param {Uint8Array} bytes
   * @returns {void}
   */
  restore(bytes) {
    handleOf('cnWorld_Restore', 'world', 'world', null, this);
    this.atWork.refuse('World.restore');
    restoreIntoWorld(this, bytes);
    this.#settle();
  }

  /**
   * From now on keeps the state at the end of each of the last `steps` steps, and that of now.
   * @param {number} steps integer >= 0; 0 keeps none
   * @returns {void}
   */
  keep(steps) {
    worldKeep(this, steps);
    this.#former ??= new Map();
  }

  /**
   * Goes back to the end of the step so many steps ago; 0 takes back what was changed since the last step.
   * @param {number} steps 0…keptSteps
   * @returns {void}
   */
  rewind(steps) {
    handleOf('cnWorld_Rewind', 'world', 'world', null, this);
    this.atWork.refuse('World.rewind');
    worldRewind(this, steps);
    this.#settle();
  }

  /** How many steps the world can go back now. @returns {number} */
  get keptSteps() {
    return worldGetKeptSteps(this);
  }

  /** Bytes that the kept states take. @returns {number} */
  get keptBytes() {
    return worldGetKeptBytes(this) >>> 0;
  }

  /** Recording what happens to the world, to be played again (cairn.replay). @readonly */
  record = new WorldRecord(this);

  /** What this side remembers follows the world's new state. */
  #settle() {
    this.#isCollided = false;
    this.#clock.reset();
    this.#groups.clear();
    this.locks.forget();
    for (const [kind, rows] of this.#objects) {
      for (const object of rows) if (object) Handle.settle(object, this.#lives(kind, object.handle));
    }
    for (const [key, reference] of this.#former ?? []) {
      const object = reference.deref();
      const kind = key.slice(0, key.indexOf(' '));
      if (!object) this.#former?.delete(key);
      else if (this.#lives(kind, object.handle)) this.#bringBack(kind, object);
    }
    this.massChecks.restart();
    this.events.noteOtherState();
  }

  /** Whether what was destroyed may come back with an older state. @internal @returns {boolean} */
  get mayGoBack() {
    return this.#former !== null;
  }

  /** @param {string} kind @param {number} handle @returns {boolean} */
  #lives(kind, handle) {
    const table = this.#columns[tableOfKind[/** @type {'body'} */ (kind)]];
    const row = rowOf(handle);
    if (row >= table.rows || table.handle[row] !== handle) return false;
    return kind !== 'shape' || this.#columns.shapes.released[row] === 0;
  }

  /** @param {string} kind @param {WorldObject} object */
  #bringBack(kind, object) {
    const rows = this.#objects.get(kind) ?? [];
    const row = rowOf(object.handle);
    this.#replace(kind, rows, row);
    rows[row] = object;
    this.#former?.delete(`${kind} ${object.handle}`);
    Handle.settle(object, true);
  }

  /**
   * The object of a row has to make place.
   * @param {string} kind @param {(WorldObject | undefined)[]} rows @param {number} row
   */
  #replace(kind, rows, row) {
    const known = rows[row];
    if (known && this.#former) this.#former.set(`${kind} ${known.handle}`, new WeakRef(known));
  }

  // ---- settings -------------------------------------------------------------------------------------------

  /** @returns {import('../generated/types.js').Gravity} */
  getGravity() {
    return worldGetGravity(this);
  }

  /** @param {GravityOptions} gravity @returns {void} */
  setGravity(gravity) {
    handleOf('cnWorld_SetGravity', 'world', 'world', null, this);
    worldSetGravity(this, toGravity('cnWorld_SetGravity', 'gravity', gravity));
  }

  /** @returns {import('../generated/types.js').SolverSettings} */
  getSolver() {
    return worldGetSolver(this);
  }

  /** @param {SolverOptions} solver @returns {void} */
  setSolver(solver) {
    worldSetSolver(this, toSolver(solver));
  }

  /** @returns {import('../generated/types.js').SleepSettings} */
  getSleep() {
    return worldGetSleep(this);
  }

  /**
   * Whether islands that come to rest sleep until something wakes them (docs/sleep.md). Switched off, all
   * wake up.
   * @param {SleepOptions} sleep @returns {void}
   */
  setSleep(sleep) {
    worldSetSleep(this, toSleep('cnWorld_SetSleep', 'sleep', sleep));
  }

  /** @returns {import('../generated/types.js').MergeSplitSettings} */
  getMergeSplit() {
    return worldGetMergeSplit(this);
  }

  /**
   * Whether bodies that rest on one another merge until something acts on them (docs/merged-bodies.md).
   * Switched off, they split.
   * @param {MergeSplitOptions} mergeSplit @returns {void}
   */
  setMergeSplit(mergeSplit) {
    worldSetMergeSplit(this, toMergeSplit('cnWorld_SetMergeSplit', 'mergeSplit', mergeSplit));
  }

  /** @returns {import('../generated/types.js').ContactReductionMode} */
  get contactReduction() {
    return worldGetContactReduction(this);
  }

  /** Bins along each of the six directions of a contact row. @returns {number} 1…10 */
  get contactReductionResolution() {
    return worldGetContactReductionResolution(this);
  }

  /**
   * Which pairs of geometries with more than 12 contact points lose some.
   * @param {import('../generated/types.js').ContactReductionMode} mode
   * @param {number} [resolution] 1…10; more bins keep more points
   * @returns {void}
   */
  setContactReduction(mode, resolution = 3) {
    worldSetContactReduction(this, mode, resolution);
  }

  // ---- numbers --------------------------------------------------------------------------------------------

  /**
   * Times of the last step in ms, by phase.
   * @param {import('../generated/types.js').Profile} [out] @returns {import('../generated/types.js').Profile}
   */
  getProfile(out) {
    return worldGetProfile(this, out);
  }

  /**
   * @param {import('../generated/types.js').Counters} [out]
   * @returns {import('../generated/types.js').Counters}
   */
  getCounters(out) {
    return worldGetCounters(this, out);
  }

  /**
   * What solving one island took in the last step: rows, non-zeros, operations, pivots, rounds,
   * fall-backs, residual.
   * @param {number} island 0 to less than `getCounters().islands`
   * @param {import('../generated/types.js').IslandStatistics} [out] filled and returned, to make no garbage
   * @returns {import('../generated/types.js').IslandStatistics}
   */
  getIslandStatistics(island, out) {
    return worldGetIslandStatistics(this, island, out);
  }

  /** J, of dynamic bodies with added mass, at the time of the positions. @returns {number} */
  get kineticEnergy() {
    return worldGetKineticEnergy(this);
  }

  /** J, of gravity and of springs. @returns {number} */
  get potentialEnergy() {
    return worldGetPotentialEnergy(this);
  }

  /** Whether steps keep a balance of energies for `getEnergies()`. Changes no result. @returns {boolean} */
  get energyBalance() {
    return worldHasEnergyBalance(this);
  }

  /** @param {boolean} kept */
  set energyBalance(kept) {
    worldSetEnergyBalance(this, kept);
  }

  /**
   * J: energies now, and what gave or took some in the last step. The works add up to the change of the
   * energies in it; they are NaN where `energyBalance` was off.
   * @param {import('../generated/types.js').Energies} [out] filled and returned, to make no garbage
   * @returns {import('../generated/types.js').Energies}
   */
  getEnergies(out) {
    return worldGetEnergies(this, out);
  }

  /** kg m/s, of dynamic bodies. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getMomentum(out) {
    return worldGetMomentum(this, out);
  }

  /**
   * kg m²/s, of dynamic bodies about the origin.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getAngularMomentum(out) {
    return worldGetAngularMomentum(this, out);
  }

  /** m, the deepest contact point of the last collide. @returns {number} */
  get maxPenetration() {
    return worldGetMaxPenetration(this);
  }

  /**
   * Digest of the whole dynamic state, equal in every build and for any number of threads.
   * @returns {string} 16 hex digits
   */
  hash() {
    return worldGetHash(this);
  }

  /**
   * Checks everything that the engine relies on: handles, lists, pairs, contacts, constraints, trees. Throws
   * CORRUPT_STATE with the first table, row and values that are wrong: a defect of Cairn, or memory that was
   * overwritten. For tests, in a time proportional to all that is in the world.
   */
  validate() {
    worldValidate(this);
  }

  /**
   * The world as a scene file (docs/scene-format.md), for `cairn.loadScene()` and for JSON: a definition of
   * what is in it as it stands now, with poses and velocities. What a file cannot hold is an error
   * `NOT_SUPPORTED_YET` that names it. Time, contacts and forces of the last step and who sleeps are not in
   * it: `save()` keeps all of a state.
   * @returns {Record<string, unknown>}
   */
  toScene() {
    return exportScene(this);
  }

  /** All tables as typed arrays. @returns {Columns} */
  get columns() {
    handleOf('World.columns', 'this', 'world', null, this);
    return this.#columns;
  }

  // ---- making things --------------------------------------------------------------------------------------

  /** @param {import('./body.js').BodyOptions} [options] @returns {Body} */
  createBody(options = {}) {
    return makeBody(this, options);
  }

  /**
   * Makes many bodies with a geometry each in one call, all or none: what createBody would make one by one.
   * @param {import('./bodies.js').BodiesOptions} options
   * @returns {import('./bodies.js').Bodies}
   */
  createBodies(options) {
    return makeBodies(this, options);
  }

  /** @param {import('./geometry.js').GeometryOptions} options @returns {Geometry} */
  createGeometry(options) {
    return makeGeometry(this, options);
  }

  /** A shape for sharing. @param {import('./shape.js').ShapeDescription} description @returns {Shape} */
  createShape(description) {
    handleOf('cnCreateShape', 'world', 'world', null, this);
    const definition = readDescription('cnCreateShape', 'def', description);
    return /** @type {Shape} */ (this.objectOf('shape', createShape(this, definition)));
  }

  /**
   * `NAME_TAKEN` when a material of the world has the name.
   * @param {import('./material.js').NewMaterialOptions} [options] @returns {Material}
   */
  createMaterial(options = {}) {
    return makeMaterial(this, options);
  }

  /** `UNKNOWN_NAME` where no body has it. @param {string} name @returns {Body} */
  findBody(name) {
    handleOf('World.findBody', 'this', 'world', null, this);
    return /** @type {Body} */ (this.names.find('World.findBody', 'body', name));
  }

  /** `UNKNOWN_NAME` where no geometry has it. @param {string} name @returns {Geometry} */
  findGeometry(name) {
    handleOf('World.findGeometry', 'this', 'world', null, this);
    return /** @type {Geometry} */ (this.names.find('World.findGeometry', 'geometry', name));
  }

  /** `UNKNOWN_NAME` where no constraint has it. @param {string} name @returns {Constraint} */
  findConstraint(name) {
    handleOf('World.findConstraint', 'this', 'world', null, this);
    return /** @type {Constraint} */ (this.names.find('World.findConstraint', 'constraint', name));
  }

  /** `UNKNOWN_NAME` where no material has it. @param {string} name @returns {Material} */
  findMaterial(name) {
    return /** @type {Material} */ (this.objectOf('material', worldFindMaterial(this, name)));
  }

  /**
   * `NAME_TAKEN` when the pair has one.
   * @param {import('./contact_material.js').ContactMaterialOptions} options @returns {ContactMaterial}
   */
  createContactMaterial(options) {
    return /** @type {ContactMaterial} */ (
      this.objectOf('contactMaterial', makeContactMaterial(this, options))
    );
  }

  /**
   * A joint or another law between two bodies, or a body and the world. Its frames are fixed in both as they
   * stand now; where something is wrong nothing is left behind.
   * @param {import('./constraint.js').ConstraintOptions} options
   * @returns {Constraint}
   */
  createConstraint(options) {
    return makeConstraint(this, options);
  }

  /**
   * Pulls a point of a body to a target that is moved with `setTarget(point)`, as a spring of bounded force:
   * what a pointer does. `destroy()` lets it go.
   * @param {Body} body @param {VectorLike} point m, world: where it is taken hold of, and the first target
   * @param {import('./mouse_constraint.js').MouseConstraintOptions} [options]
   * @returns {Constraint}
   */
  createMouseConstraint(body, point, options = {}) {
    return makeMouseConstraint(this, body, point, options);
  }

  /**
   * Bodies that move as one rigid body (docs/merged-bodies.md).
   * @param {import('./merged_body.js').MergedBodyOptions} [options]
   * @returns {MergedBody}
   */
  createMergedBody(options = {}) {
    return makeMergedBody(this, options);
  }

  /**
   * What contacts between two materials use, and in `origins` by which rule; null is the default material.
   * @param {Material | null} material1
   * @param {Material | null} material2
   * @param {import('./contact_material.js').ResolvedPair} [out]
   * @returns {import('./contact_material.js').ResolvedPair}
   */
  getPairProperties(material1, material2, out) {
    const values = withoutPair(worldGetPairProperties(this, material1, material2, out));
    return Object.assign(values, { origins: worldGetPairOrigins(this, material1, material2, out?.origins) });
  }

  // ---- contacts -------------------------------------------------------------------------------------------

  /**
   * @param {Body | Geometry} first the forces act on it
   * @param {Body | Geometry | null} [second] without: everything
   * @returns {ContactReader}
   */
  createContactReader(first, second = null) {
    return new ContactReader(this, first, second);
  }

  /** Over all contacts; rewound, the same object every time. @returns {ContactCursor} */
  contacts() {
    handleOf('World.contacts', 'this', 'world', null, this);
    this.#contacts ??= new ContactCursor(this, null);
    return this.#contacts.rewind();
  }

  /**
   * Tells of contacts between the halves of every step, and may take them out of it.
   * @param {import('../listeners/contact_listener.js').ContactListenerOptions} options
   * @returns {import('../listeners/contact_listener.js').ContactListener}
   */
  addContactListener(options) {
    handleOf('World.addContactListener', 'this', 'world', null, this);
    return this.#listeners.add(options);
  }

  /**
   * Tells of each constraint that broke, after its step and in the order of their rows.
   * @param {(constraint: Constraint) => void} onBreak may not step or dispose the world
   * @returns {import('../listeners/after_step_listeners.js').BreakListener}
   */
  addBreakListener(onBreak) {
    handleOf('World.addBreakListener', 'this', 'world', null, this);
    return this.#breakListeners.add(onBreak);
  }

  /**
   * Tells of each island out of which the energy guard took energy, after its step and in the order of
   * the bodies' rows.
   * @param {(event: import('../listeners/after_step_listeners.js').GuardEvent) => void} onGuard may not
   *   step or dispose the world
   * @returns {import('../listeners/after_step_listeners.js').GuardListener}
   */
  addGuardListener(onGuard) {
    handleOf('World.addGuardListener', 'this', 'world', null, this);
    return this.#guardListeners.add(onGuard);
  }

  /**
   * Tells of each body that has merged or split since the step before, after its step and in the order of
   * their rows.
   * @param {(change: import('../listeners/after_step_listeners.js').MergeChange) => void} onMerge may not
   *   step or dispose the world
   * @returns {import('../listeners/after_step_listeners.js').MergeListener}
   */
  addMergeListener(onMerge) {
    handleOf('World.addMergeListener', 'this', 'world', null, this);
    return this.#mergeListeners.add(onMerge);
  }

  /**
   * Calls a function after each step in which such an event happened, also within `steps` and `advance`:
   * docs/events.md says what each tells. It may change everything, and may not step or dispose the world.
   * @template {import('../events/event_types.js').EventName} Name
   * @param {Name} name
   * @param {(event: import('../events/event_types.js').WorldEventMap[Name]) => void} handler
   * @param {import('../events/event_types.js').EventOptions} [options] `{ minSpeed }` of `impact`
   * @returns {() => void} that ends it
   */
  on(name, handler, options) {
    handleOf('World.on', 'this', 'world', null, this);
    return this.events.add(this, 'on', name, handler, options);
  }

  /**
   * The same, for the first event alone.
   * @template {import('../events/event_types.js').EventName} Name
   * @param {Name} name
   * @param {(event: import('../events/event_types.js').WorldEventMap[Name]) => void} handler
   * @param {import('../events/event_types.js').EventOptions} [options]
   * @returns {() => void} that ends it
   */
  once(name, handler, options) {
    handleOf('World.once', 'this', 'world', null, this);
    return this.events.add(this, 'once', name, handler, options);
  }

  /**
   * Ends what `on` or `once` began with this function.
   * @template {import('../events/event_types.js').EventName} Name
   * @param {Name} name
   * @param {(event: import('../events/event_types.js').WorldEventMap[Name]) => void} handler
   * @returns {boolean} whether there was something to end
   */
  off(name, handler) {
    handleOf('World.off', 'this', 'world', null, this);
    return this.events.remove(this, name, handler);
  }

  /**
   * A frame fixed in a body or in the world, to read how it moves.
   * @param {import('./observer.js').ObserverOptions} [options]
   * @returns {Observer}
   */
  createObserver(options = {}) {
    handleOf('World.createObserver', 'this', 'world', null, this);
    return new Observer(this, options);
  }

  /**
   * Lets a field add forces in every step, between its halves and after the contact listeners.
   * @param {import('../listeners/force_field.js').ForceField} field
   * @returns {import('../listeners/force_field.js').ForceFieldListener}
   */
  addForceField(field) {
    handleOf('World.addForceField', 'this', 'world', null, this);
    return this.#forceFields.add(field);
  }

  /**
   * Contacts between two groups of geometries on or off.
   * @param {number | string} group1 integer 0…2³²−1, or a name @param {number | string} group2
   * @param {boolean} enabled
   * @returns {void}
   */
  setGroupPairEnabled(group1, group2, enabled) {
    const call = 'cnWorld_SetGroupPairEnabled';
    const number1 = this.groupOf(call, 'group1', group1);
    worldSetGroupPairEnabled(this, number1, this.groupOf(call, 'group2', group2), enabled);
  }

  /**
   * The number of a group, which may be given by its name.
   * @internal
   * @param {string} call @param {string} argument @param {unknown} group @returns {number}
   */
  groupOf(call, argument, group) {
    if (typeof group !== 'string') {
      checkUnsigned(call, argument, group);
      return group;
    }
    let number = this.#groups.get(group);
    if (number === undefined) {
      try {
        number = worldGetGroup(this, group);
      } catch (error) {
        throw renamed(error, call);
      }
      this.#groups.set(group, number);
    }
    return number;
  }

  /** @param {Geometry} geometry1 @param {Geometry} geometry2 @param {boolean} enabled @returns {void} */
  setGeometryPairEnabled(geometry1, geometry2, enabled) {
    worldSetGeometryPairEnabled(this, geometry1, geometry2, enabled);
  }

  // ---- queries --------------------------------------------------------------------------------------------
  //
  // They see where the bodies are now and change nothing. Without a filter they see all but sensors.

  /**
   * Nearest geometry that a segment meets; null where there is none.
   * @param {VectorLike} origin m
   * @param {VectorLike} translation m, from the origin to the end
   * @param {RayResult} [out]
   * @param {RayFilter} [filter]
   * @returns {RayResult | null}
   */
  castRay(origin, translation, out, filter) {
    const call = 'cnWorld_CastRay';
    if (out !== undefined) checkRayResult(call, out);
    const result = worldCastRay(this, origin, translation, toFilter(this, call, filter), out);
    return result.geometry === null ? null : result;
  }

  /**
   * All shapes that a segment meets, nearest first, each where it enters.
   * @param {VectorLike} origin m @param {VectorLike} translation m @param {RayFilter} [filter]
   * @returns {RayResult[]}
   */
  castRayAll(origin, translation, filter) {
    return castRayAll(this, origin, translation, filter);
  }

  /**
   * Whether a segment meets anything.
   * @param {VectorLike} origin m @param {VectorLike} translation m @param {RayFilter} [filter]
   * @returns {boolean}
   */
  testRay(origin, translation, filter) {
    return worldTestRay(this, origin, translation, toFilter(this, 'cnWorld_TestRay', filter));
  }

  /**
   * Nearest hits of many rays, by all threads.
   * @param {Float64Array} rays origin and translation, six numbers each, m
   * @param {import('./queries.js').RayOutputs} out
   * @param {RayFilter} [filter]
   * @returns {import('./queries.js').RayOutputs}
   */
  castRays(rays, out, filter) {
    return castRays(this, rays, out, filter);
  }

  /**
   * First geometry that a shape meets on its way from a pose along a translation, without turning; null where
   * there is none and nothing was in the way that has no cast with the shape (`unsupported`).
   * @param {ShapeDescription | Shape} shape
   * @param {Pose} pose m; position and rotation default to origin and identity
   * @param {VectorLike} translation m
   * @param {RayFilter} [filter]
   * @returns {ShapeCastResult | null}
   */
  castShape(shape, pose, translation, filter) {
    const call = 'cnWorld_CastShape';
    const result = withShape(this, call, shape, (made) =>
      worldCastShape(this, made, fullPose(call, 'pose', pose), translation, toFilter(this, call, filter)),
    );
    return result.geometry === null && result.unsupported === 0 ? null : result;
  }

  /**
   * All shapes that a moving shape meets, nearest first.
   * @param {ShapeDescription | Shape} shape @param {Pose} pose m @param {VectorLike} translation m
   * @param {RayFilter} [filter]
   * @returns {ShapeCastResult[]}
   */
  castShapeAll(shape, pose, translation, filter) {
    return castShapeAll(this, shape, pose, translation, filter);
  }

  /**
   * Geometries whose bounds overlap a box along the world's axes, by row.
   * @param {VectorLike} lower m @param {VectorLike} upper m @param {RayFilter} [filter]
   * @returns {Geometry[]}
   */
  testBoundingVolumeOverlap(lower, upper, filter) {
    return testBoundingVolumeOverlap(this, lower, upper, filter);
  }

  /**
   * Contacts that a geometry would have that is not in the world.
   * @param {import('./queries.js').FreeGeometry} geometry @param {RayFilter} [filter]
   * @returns {import('../generated/types.js').OverlapContact[]}
   */
  testGeometryOverlap(geometry, filter) {
    return testGeometryOverlap(this, geometry, filter);
  }

  /**
   * Geometries that hold a point (m), by row.
   * @param {VectorLike} point @param {RayFilter} [filter] @returns {Geometry[]}
   */
  findGeometriesAtPoint(point, filter) {
    return findGeometriesAtPoint(this, point, filter);
  }

  /**
   * Closest points of two geometries, over all their shapes.
   * @param {Geometry} geometry1 @param {Geometry} geometry2
   * @param {import('../generated/types.js').ClosestPoints} [out]
   * @returns {import('../generated/types.js').ClosestPoints}
   */
  computeClosestPoints(geometry1, geometry2, out) {
    return worldComputeClosestPoints(this, geometry1, geometry2, out);
  }

  // ---- objects by row -------------------------------------------------------------------------------------

  /** Null for a free row and for -1. @param {number} row @returns {Body | null} */
  bodyAt(row) {
    return /** @type {Body | null} */ (objectAt(this, 'World.bodyAt', 'body', row));
  }

  /** Null for a free row and for -1. @param {number} row @returns {Geometry | null} */
  geometryAt(row) {
    return /** @type {Geometry | null} */ (objectAt(this, 'World.geometryAt', 'geometry', row));
  }

  /** Null for a free row and for -1. @param {number} row @returns {Material | null} */
  materialAt(row) {
    return /** @type {Material | null} */ (objectAt(this, 'World.materialAt', 'material', row));
  }

  /** Null for a free row and for -1. @param {number} row @returns {ContactMaterial | null} */
  contactMaterialAt(row) {
    return /** @type {ContactMaterial | null} */ (
      objectAt(this, 'World.contactMaterialAt', 'contactMaterial', row)
    );
  }

  /** Null for a free row and for -1. @param {number} row @returns {Constraint | null} */
  constraintAt(row) {
    return /** @type {Constraint | null} */ (objectAt(this, 'World.constraintAt', 'constraint', row));
  }

  /** Null for a free row and for -1. @param {number} row @returns {MergedBody | null} */
  mergedBodyAt(row) {
    return /** @type {MergedBody | null} */ (objectAt(this, 'World.mergedBodyAt', 'mergedBody', row));
  }

  /** All bodies, in row order. @returns {IterableIterator<Body>} */
  *bodies() {
    for (let row = 0; row < this.columns.bodies.rows; ++row) {
      const body = this.bodyAt(row);
      if (body) yield body;
    }
  }

  /** All geometries, in row order. @returns {IterableIterator<Geometry>} */
  *geometries() {
    for (let row = 0; row < this.columns.geometries.rows; ++row) {
      const geometry = this.geometryAt(row);
      if (geometry) yield geometry;
    }
  }

  /** All constraints, in row order. @returns {IterableIterator<Constraint>} */
  *constraints() {
    for (let row = 0; row < this.columns.constraints.rows; ++row) {
      const constraint = this.constraintAt(row);
      if (constraint) yield constraint;
    }
  }

  /** All merged bodies, in row order. @returns {IterableIterator<MergedBody>} */
  *mergedBodies() {
    for (let row = 0; row < this.columns.mergedBodies.rows; ++row) {
      const merged = this.mergedBodyAt(row);
      if (merged) yield merged;
    }
  }

  /**
   * The object of a handle, always the same one for the same handle; null for the null handle.
   * @internal
   * @param {HandleKind} kind
   * @param {number} value
   * @returns {WorldObject | null}
   */
  objectOf(kind, value) {
    if (value === 0) return null;
    let rows = this.#objects.get(kind);
    if (!rows) {
      rows = [];
      this.#objects.set(kind, rows);
    }
    const row = rowOf(value);
    const known = rows[row];
    if (known !== undefined && known.handle === value) {
      Handle.settle(known, true); // it may have been made again, in a world that went back
      return known;
    }
    const former = this.#former?.get(`${kind} ${value}`)?.deref();
    if (former) {
      this.#bringBack(kind, former);
      return former;
    }
    const made = seal(new classes[/** @type {'body'} */ (kind)](makeKey, this, value));
    this.#replace(kind, rows, row);
    rows[row] = made;
    return made;
  }

  // ---- drawing --------------------------------------------------------------------------------------------

  /**
   * Matrices of shape instances, written by the engine into shared memory.
   * @param {Int32Array | number[]} proxies rows of `columns.proxies`
   * @param {Float32Array | number[]} [scales] three factors each
   * @returns {Matrices}
   */
  createMatrices(proxies, scales) {
    const matrices = new Matrices(this, proxies, scales);
    this.#matrices.add(matrices);
    return matrices;
  }

  /** @internal @param {Matrices} matrices */
  forget(matrices) {
    this.#matrices.delete(matrices);
  }

  /**
   * The mesh that a shape was given to be drawn with (copies); null where it was given none.
   * @param {number} shapeRow row of `columns.shapes`
   * @returns {import('./render_data.js').RenderData | null}
   */
  getRenderData(shapeRow) {
    checkShapeRow('World.getRenderData', this, shapeRow);
    return getRenderData(this, shapeRow);
  }

  /**
   * Triangulated surface of a convex shape, a trimesh or a height field in its own frame (copies); empty
   * for other shapes.
   * @param {number} shapeRow row of `columns.shapes`
   * @returns {{ vertices: Float64Array, triangles: Uint32Array, twins?: Int32Array }} three numbers a vertex
   *   in m, three indices a triangle, counter-clockwise from outside. `twins`, of a trimesh: half-edge
   *   3 t + i goes from corner i of triangle t to its next corner, twins[3 t + i] is the one on the other
   *   side, of triangle twins[3 t + i] / 3 rounded down; -1 where the surface ends
   */
  getShapeSurface(shapeRow) {
    const call = 'World.getShapeSurface';
    const value = checkShapeRow(call, this, shapeRow);
    const vertices = this.getShapeVertices(shapeRow);
    const { raw, scratch } = this.runtime;
    const indices = 3 * raw._cnw_World_GetShapeTriangleCount(value, shapeRow);
    try {
      const address = this.runtime.allocate(call, Math.max(4 * indices, 16));
      this.runtime.check(indices > 0 ? raw._cnw_World_CopyShapeTriangles(value, shapeRow, address) : 0);
      const triangles = this.runtime.u32.slice(address >>> 2, (address >>> 2) + indices);
      if (enumWord('cnShapeType', this.columns.shapes.type[shapeRow]) !== 'trimesh')
        return { vertices, triangles };
      this.runtime.check(raw._cnw_World_CopyShapeTwins(value, shapeRow, address));
      return { vertices, triangles, twins: this.runtime.i32.slice(address >>> 2, (address >>> 2) + indices) };
    } finally {
      scratch.release();
    }
  }

  /**
   * The vertices of that surface alone: those of a height field move when its heights change
   * (`columns.shapes.changes`).
   * @param {number} shapeRow row of `columns.shapes`
   * @returns {Float64Array}
   */
  getShapeVertices(shapeRow) {
    const call = 'World.getShapeVertices';
    const value = checkShapeRow(call, this, shapeRow);
    const { raw, scratch } = this.runtime;
    const numbers = 3 * raw._cnw_World_GetShapeVertexCount(value, shapeRow);
    try {
      const address = this.runtime.allocate(call, Math.max(8 * numbers, 16));
      this.runtime.check(numbers > 0 ? raw._cnw_World_CopyShapeVertices(value, shapeRow, address) : 0);
      return this.runtime.f64.slice(address >>> 3, (address >>> 3) + numbers);
    } finally {
      scratch.release();
    }
  }
}

/**
 * Apart from the constructor, whose other functions would keep the object.
 * @param {import('../core/runtime.js').Runtime} runtime @param {number} world
 */
function makeFree(runtime, world) {
  return () => void runtime.raw._cnw_DestroyWorld(world);
}

/**
 * @param {World} world @param {string} call @param {'body' | 'geometry' | 'material' | 'contactMaterial'
 *   | 'constraint' | 'mergedBody'} kind @param {number} row
 */
function objectAt(world, call, kind, row) {
  handleOf(call, 'this', 'world', null, world);
  checkInteger(call, 'row', row);
  const table = world.columns[tableOfKind[kind]];
  if (row < -1) throw outOfRange(call, 'row', row, 'are rows of the table and -1');
  return row < 0 || row >= table.rows ? null : world.objectOf(kind, table.handle[row]);
}

/** A filter in place of the output would go unheard. @param {string} call @param {object} out */
function checkRayResult(call, out) {
  checkOutputObject(call, out);
  for (const name of filterNames) {
    if (name in out)
      throw wrongType(call, `out.${name}`, out, 'is a result to fill; the filter is the fourth argument');
  }
}

/**
 * @param {string} call @param {World} world @param {unknown} shapeRow @returns {number} the world's handle
 */
function checkShapeRow(call, world, shapeRow) {
  const value = handleOf(call, 'this', 'world', null, world);
  checkInteger(call, 'shapeRow', shapeRow);
  const { rows } = world.columns.shapes;
  if (shapeRow < 0 || shapeRow >= rows)
    throw outOfRange(call, 'shapeRow', shapeRow, `are rows of the shape table, 0…${rows - 1}`);
  return value;
}

/**
 * @param {string} call @param {string} argument @param {unknown} gravity
 * @returns {import('../generated/types.js').Gravity}
 */
function toGravity(call, argument, gravity) {
  if (isNumberArray(gravity) || isVectorObject(gravity))
    return { type: 'uniform', acceleration: checkVector(call, argument, gravity, 3) };
  if (typeof gravity === 'object' && gravity !== null) {
    checkOptions(call, argument, gravity);
    if (gravity.type === undefined)
      throw wrongType(call, `${argument}.type`, undefined, "are 'uniform', 'point', 'kepler'");
    return gravity;
  }
  throw wrongType(call, argument, gravity, 'are a vector and { type, … }');
}

/**
 * @param {string} call @param {string} argument @param {unknown} sleep
 * @returns {import('../generated/types.js').SleepSettings}
 */
function toSleep(call, argument, sleep) {
  if (typeof sleep === 'boolean') return { enabled: sleep };
  checkOptions(call, argument, sleep, 'are true, false and { enabled, linear, angular, time }');
  return { enabled: true, ...sleep };
}

/**
 * @param {string} call @param {string} argument @param {unknown} mergeSplit
 * @returns {import('../generated/types.js').MergeSplitSettings}
 */
function toMergeSplit(call, argument, mergeSplit) {
  if (typeof mergeSplit === 'boolean') return { enabled: mergeSplit };
  checkOptions(call, argument, mergeSplit, 'are true, false and { enabled, normalSpeed, … }');
  return { enabled: true, ...mergeSplit };
}

/**
 * @param {unknown} solver
 * @returns {import('../generated/types.js').SolverSettings} checked when it is written
 */
function toSolver(solver) {
  return typeof solver === 'string'
    ? { type: /** @type {SolverType} */ (solver) }
    : /** @type {import('../generated/types.js').SolverSettings} */ (solver);
}

/**
 * @param {string} call @param {string} argument @param {unknown} threads @param {number} most
 * @returns {number}
 */
export function toThreads(call, argument, threads, most) {
  if (threads === undefined) return most;
  checkNumber(call, argument, threads);
  if (!Number.isInteger(threads) || threads < 0 || threads > most) {
    throw outOfRange(call, argument, threads, `are integers 0…${most}, the threads that were loaded`);
  }
  return Math.max(1, threads);
}
