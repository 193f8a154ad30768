// Bodies. Poses are those of the model frame, velocities those of the centre of mass in world axes.

import { checkBooleans, checkNumber, checkOptions } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import {
  bodyApplyForce,
  bodyApplyForceAtLocalPoint,
  bodyApplyForceAtPoint,
  bodyApplyImpulse,
  bodyApplyTorque,
  bodyGetAcceleration,
  bodyGetAngularAcceleration,
  bodyGetAngularMomentum,
  bodyGetAngularVelocity,
  bodyGetCentreOfMass,
  bodyGetGravityScale,
  bodyGetInertia,
  bodyGetLastForce,
  bodyGetLastTorque,
  bodyGetLocalCentreOfMass,
  bodyGetMass,
  bodyGetMotion,
  bodyGetPosition,
  bodyGetRotation,
  bodyGetVelocity,
  bodyIsEnabled,
  bodyIsFast,
  bodyIsValid,
  bodyMoveTo,
  bodyResetLocalCentreOfMass,
  bodySetAngularDamping,
  bodySetAngularVelocity,
  bodySetEnabled,
  bodySetGravityScale,
  bodyGetMergedBody,
  bodyIsAsleep,
  bodyIsMerged,
  bodyIsMergeable,
  bodyIsSleepless,
  bodyIsSplittable,
  bodySetFast,
  bodySetMergeable,
  bodySetSleepless,
  bodySetSplittable,
  bodySplit,
  bodyWake,
  bodySetInertia,
  bodySetInertiaCoefficients,
  bodySetLinearDamping,
  bodySetLocalCentreOfMass,
  bodyUpdateMassProperties,
  bodySetMass,
  bodySetMassCoefficients,
  bodySetMotion,
  bodySetPosition,
  bodySetRotation,
  bodySetVelocity,
  createBody,
  destroyBody,
} from '../generated/calls.js';
import { renamed, within, wrongType } from '../core/errors.js';
import { ConstraintFlags } from '../generated/flags.js';
import { checkRotationAxes } from './body_locks.js';
import { momentOf, readDamping, readVelocityAtPoint, toLocal, toWorld } from './body_frame.js';
import { makeGeometry } from './geometry.js';
import { Handle, handleOf } from '../core/handle.js';
import { ObjectWithEvents } from './object_with_events.js';

/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/checks.js').InertiaLike} InertiaLike */
/** @typedef {import('../generated/types.js').Motion} Motion */
/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {import('./geometry.js').GeometryOptions} GeometryOptions */
/** @typedef {import('./world.js').World} World */

/**
 * What JavaScript adds to, or takes otherwise than, the engine's definition.
 * @typedef {object} OwnBodyOptions
 * @property {string} [name] for errors and `world.findBody()`; once among the bodies of a world
 * @property {unknown} [userData]
 * @property {Omit<GeometryOptions, 'body'>[]} [geometries]
 * @property {number | VectorLike} [linearDamping] 1/s, >= 0, of all model axes or of each
 * @property {number | VectorLike} [angularDamping] 1/s, >= 0, of all model axes or of each
 * @property {readonly boolean[]} [lockTranslations] along the world's axes
 * @property {readonly boolean[]} [lockRotations] about the world's axes: none, two or three of them
 *
 * @typedef {OwnBodyOptions & Omit<import('../generated/types.js').BodyDef, keyof OwnBodyOptions>} BodyOptions
 */

/**
 * What happens at a target: it stops, or goes on as it came.
 * @typedef {import('../generated/types.js').Arrival} Arrival
 */

/** A rigid body. @extends {ObjectWithEvents<import('../events/event_types.js').WorldEventMap>} */
export class Body extends ObjectWithEvents {
  /** @param {symbol} key @param {World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'body', world, value);
  }

  /** Whether the handle still names a body. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && bodyIsValid(this.world, this);
  }

  /** Undefined: none. @returns {string | undefined} */
  get name() {
    within('Body.name', () => bodyGetMotion(this.world, this));
    return this.world.names.nameOf(this);
  }

  /** `NAME_TAKEN` where another body of the world has it. @param {string | undefined} name */
  set name(name) {
    within('Body.name', () => bodyGetMotion(this.world, this));
    this.world.names.check('Body.name', 'name', 'body', name, this);
    this.world.names.set('body', this, name);
  }

  // ---- pose -----------------------------------------------------------------------------------------------

  /** m, of the model frame. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getPosition(out) {
    return bodyGetPosition(this.world, this, out);
  }

  /** Places the model frame; velocities stay. @param {VectorLike} position m @returns {void} */
  setPosition(position) {
    bodySetPosition(this.world, this, position);
    this.world.locks.move(this);
  }

  /** Quaternion x, y, z, w. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getRotation(out) {
    return bodyGetRotation(this.world, this, out);
  }

  /**
   * Turns the model frame about its origin.
   * @param {QuaternionLike} rotation of length 1 within 1e-3 @returns {void}
   */
  setRotation(rotation) {
    bodySetRotation(this.world, this, rotation);
    this.world.locks.move(this);
  }

  /** m, world. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getCentreOfMass(out) {
    return bodyGetCentreOfMass(this.world, this, out);
  }

  /**
   * A point of the world in the model frame.
   * @template {OutputArray} [T=number[]] @param {VectorLike} point m, world @param {T} [out] @returns {T}
   */
  toLocal(point, out) {
    return toLocal('Body.toLocal', this, 'point', point, true, out);
  }

  /**
   * A point of the model frame in the world.
   * @template {OutputArray} [T=number[]] @param {VectorLike} point m, model frame @param {T} [out]
   * @returns {T}
   */
  toWorld(point, out) {
    return toWorld('Body.toWorld', this, 'point', point, true, out);
  }

  /**
   * A direction, velocity or force in the axes of the model frame.
   * @template {OutputArray} [T=number[]] @param {VectorLike} direction world axes @param {T} [out]
   * @returns {T}
   */
  toLocalDirection(direction, out) {
    return toLocal('Body.toLocalDirection', this, 'direction', direction, false, out);
  }

  /**
   * A direction, velocity or force in the world's axes.
   * @template {OutputArray} [T=number[]] @param {VectorLike} direction model axes @param {T} [out]
   * @returns {T}
   */
  toWorldDirection(direction, out) {
    return toWorld('Body.toWorldDirection', this, 'direction', direction, false, out);
  }

  // ---- motion ---------------------------------------------------------------------------------------------

  /** m/s, of the centre of mass. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getVelocity(out) {
    return bodyGetVelocity(this.world, this, out);
  }

  /** @param {VectorLike} velocity m/s, of the centre of mass @returns {void} */
  setVelocity(velocity) {
    bodySetVelocity(this.world, this, velocity);
  }

  /** rad/s. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getAngularVelocity(out) {
    return bodyGetAngularVelocity(this.world, this, out);
  }

  /** @param {VectorLike} angularVelocity rad/s @returns {void} */
  setAngularVelocity(angularVelocity) {
    bodySetAngularVelocity(this.world, this, angularVelocity);
  }

  /**
   * m/s, of the point of the body that is there now.
   * @template {OutputArray} [T=number[]] @param {VectorLike} point m, world @param {T} [out] @returns {T}
   */
  getVelocityAtPoint(point, out) {
    return readVelocityAtPoint(this, point, out);
  }

  /**
   * kg m²/s about the centre of mass, world axes.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getAngularMomentum(out) {
    return bodyGetAngularMomentum(this.world, this, out);
  }

  /**
   * m/s², of the centre of mass: the mean of the last step.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getAcceleration(out) {
    return bodyGetAcceleration(this.world, this, out);
  }

  /** rad/s², the mean of the last step. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getAngularAcceleration(out) {
    return bodyGetAngularAcceleration(this.world, this, out);
  }

  /** dynamic, static or kinematic. @returns {Motion} */
  get motion() {
    return bodyGetMotion(this.world, this);
  }

  /** @param {Motion} motion */
  set motion(motion) {
    bodySetMotion(this.world, this, motion);
    this.world.events.doubtBody(this.index);
    this.world.massChecks.add(this);
  }

  /** A disabled body neither moves nor collides. @returns {boolean} */
  get enabled() {
    return bodyIsEnabled(this.world, this);
  }

  /** @param {boolean} enabled */
  set enabled(enabled) {
    bodySetEnabled(this.world, this, enabled);
    this.world.massChecks.add(this);
  }

  /**
   * A fast body passes through nothing within a step, dynamic bodies included; others pass nothing that is
   * static or kinematic.
   * @returns {boolean}
   */
  get fast() {
    return bodyIsFast(this.world, this);
  }

  /** @param {boolean} fast */
  set fast(fast) {
    bodySetFast(this.world, this, fast);
  }

  /**
   * Whether it rests and is left out of the step, with its whole island (docs/sleep.md).
   * @returns {boolean}
   */
  get asleep() {
    return bodyIsAsleep(this.world, this);
  }

  /**
   * The merged body that it belongs to, active or not; null.
   * @returns {import('./merged_body.js').MergedBody | null}
   */
  get mergedBody() {
    const { world } = this;
    return /** @type {import('./merged_body.js').MergedBody | null} */ (
      world.objectOf('mergedBody', bodyGetMergedBody(world, this))
    );
  }

  /** Whether it moves as one with others now (docs/merged-bodies.md). @returns {boolean} */
  get merged() {
    return bodyIsMerged(this.world, this);
  }

  /** Takes it out of its merged body, with its edges. @returns {boolean} whether it was in one */
  split() {
    return bodySplit(this.world, this);
  }

  /** Wakes it with its whole island. What changes it, or what it touches, does so too. @returns {void} */
  wake() {
    bodyWake(this.world, this);
  }

  /** A sleepless body keeps what it touches or is joined to awake. @returns {boolean} */
  get sleepless() {
    return bodyIsSleepless(this.world, this);
  }

  /** @param {boolean} sleepless */
  set sleepless(sleepless) {
    bodySetSleepless(this.world, this, sleepless);
  }

  /** Whether adaptive merging may merge it with what it rests on. @returns {boolean} */
  get mergeable() {
    return bodyIsMergeable(this.world, this);
  }

  /** @param {boolean} mergeable */
  set mergeable(mergeable) {
    bodySetMergeable(this.world, this, mergeable);
  }

  /** Whether blows and forces split it off once adaptive merging has merged it. @returns {boolean} */
  get splittable() {
    return bodyIsSplittable(this.world, this);
  }

  /** @param {boolean} splittable */
  set splittable(splittable) {
    bodySetSplittable(this.world, this, splittable);
  }

  /**
   * Moves a kinematic body to a pose at constant speed. It arrives at the first step at or after the end;
   * from the next step on it stands there, or goes on with the velocity that it had.
   * @param {VectorLike} position m
   * @param {QuaternionLike} rotation of length 1 within 1e-3
   * @param {number} duration s, >= 0; less than a step counts as one step
   * @param {Arrival} [arrival] 'stop'
   * @returns {void}
   */
  moveTo(position, rotation, duration, arrival = 'stop') {
    bodyMoveTo(this.world, this, position, rotation, duration, arrival);
  }

  /**
   * Times gravity, of this body: 1 unless given; 0: it floats; negative: it rises. -1e6 to 1e6.
   * @returns {number}
   */
  get gravityScale() {
    return bodyGetGravityScale(this.world, this);
  }

  /** @param {number} scale */
  set gravityScale(scale) {
    bodySetGravityScale(this.world, this, scale);
  }

  /**
   * Keeps the centre of mass where it is along some of the world's axes, by a rigid constraint to the world
   * that is among `constraints()`. Placing the body moves what is held with it. Replaces what was locked.
   * @param {readonly boolean[]} axes x, y, z; all false: free again @returns {void}
   */
  lockTranslations(axes) {
    within('Body.lockTranslations', () => bodyGetMotion(this.world, this));
    this.world.locks.lockTranslations(this, checkBooleans('Body.lockTranslations', 'axes', axes, 3));
  }

  /**
   * Keeps it from rotating about some of the world's axes, the same way: about all three, or about two, so
   * that it rotates about the third alone. About one of them alone is `NOT_SUPPORTED_YET`.
   * @param {readonly boolean[]} axes x, y, z; all false: free again @returns {void}
   */
  lockRotations(axes) {
    within('Body.lockRotations', () => bodyGetMotion(this.world, this));
    this.world.locks.lockRotations(this, checkBooleans('Body.lockRotations', 'axes', axes, 3));
  }

  // ---- forces ---------------------------------------------------------------------------------------------

  /** At the centre of mass, in the next step. @param {VectorLike} force N, world axes @returns {void} */
  applyForce(force) {
    bodyApplyForce(this.world, this, force);
  }

  /**
   * In the next step.
   * @param {VectorLike} force N, world axes @param {VectorLike} worldPoint m @returns {void}
   */
  applyForceAtPoint(force, worldPoint) {
    bodyApplyForceAtPoint(this.world, this, force, worldPoint);
  }

  /**
   * In the next step.
   * @param {VectorLike} force N, world axes @param {VectorLike} localPoint m, model frame @returns {void}
   */
  applyForceAtLocalPoint(force, localPoint) {
    bodyApplyForceAtLocalPoint(this.world, this, force, localPoint);
  }

  /** In the next step. @param {VectorLike} torque N m, world axes @returns {void} */
  applyTorque(torque) {
    bodyApplyTorque(this.world, this, torque);
  }

  // ---- impulses -------------------------------------------------------------------------------------------
  //
  // They change the velocities of a dynamic body at once.

  /**
   * An impulse at a point of the world, without one at the centre of mass.
   * @param {VectorLike} impulse N s, world axes @param {VectorLike} [point] m, world @returns {void}
   */
  applyImpulse(impulse, point = undefined) {
    if (point === undefined) bodyApplyImpulse(this.world, this, impulse, none);
    else bodyApplyImpulse(this.world, this, impulse, momentOf(this, impulse, point));
  }

  /** @param {VectorLike} angularImpulse N m s, world axes @returns {void} */
  applyAngularImpulse(angularImpulse) {
    checkVector('Body.applyAngularImpulse', 'angularImpulse', angularImpulse, 3);
    within('Body.applyAngularImpulse', () => bodyApplyImpulse(this.world, this, none, angularImpulse));
  }

  // ---- what the last step did -----------------------------------------------------------------------------

  /**
   * N: users, fields and gravity in the last step.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getLastForce(out) {
    return bodyGetLastForce(this.world, this, out);
  }

  /**
   * N m about the centre of mass, in the last step.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getLastTorque(out) {
    return bodyGetLastTorque(this.world, this, out);
  }

  // ---- mass -----------------------------------------------------------------------------------------------

  /** kg. @returns {number} */
  get mass() {
    return bodyGetMass(this.world, this);
  }

  /**
   * > 0; the inertia from geometries is scaled to it. 0: from the geometries again.
   * @param {number} mass kg
   */
  set mass(mass) {
    bodySetMass(this.world, this, mass);
    this.world.massChecks.add(this);
  }

  /**
   * kg m², nine numbers, about the centre of mass in model axes.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getInertia(out) {
    return bodyGetInertia(this.world, this, out);
  }

  /** Zeros: from the geometries again. @param {InertiaLike} inertia kg m² @returns {void} */
  setInertia(inertia) {
    bodySetInertia(this.world, this, inertia);
  }

  /** m, model frame. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getLocalCentreOfMass(out) {
    return bodyGetLocalCentreOfMass(this.world, this, out);
  }

  /** @param {VectorLike} centre m, model frame @returns {void} */
  setLocalCentreOfMass(centre) {
    bodySetLocalCentreOfMass(this.world, this, centre);
  }

  /**
   * Mass, inertia and centre of mass from the geometries again, as far as they are not given: after a change
   * of a material's density, which bodies do not hear of.
   * @returns {void}
   */
  updateMassProperties() {
    bodyUpdateMassProperties(this.world, this);
  }

  /** The centre of mass follows the geometries again. @returns {void} */
  resetLocalCentreOfMass() {
    bodyResetLocalCentreOfMass(this.world, this);
  }

  /**
   * v falls by 1/(1 + D h) a step.
   * @param {number | VectorLike} damping 1/s, >= 0, of all model axes or of each @returns {void}
   */
  setLinearDamping(damping) {
    bodySetLinearDamping(this.world, this, toDamping('cnBody_SetLinearDamping', 'damping', damping));
  }

  /** @param {number | VectorLike} damping 1/s, >= 0, of all model axes or of each @returns {void} */
  setAngularDamping(damping) {
    bodySetAngularDamping(this.world, this, toDamping('cnBody_SetAngularDamping', 'damping', damping));
  }

  /** 1/s per model axis. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getLinearDamping(out) {
    return readDamping('Body.getLinearDamping', this, 'linearDamping', out);
  }

  /** 1/s per model axis. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getAngularDamping(out) {
    return readDamping('Body.getAngularDamping', this, 'angularDamping', out);
  }

  /**
   * @param {VectorLike} coefficients added mass as a fraction of the body's, per model axis, >= 0
   * @returns {void}
   */
  setMassCoefficients(coefficients) {
    bodySetMassCoefficients(this.world, this, coefficients);
  }

  /**
   * @param {VectorLike} coefficients added inertia as a fraction of the body's, per model axis, >= 0
   * @returns {void}
   */
  setInertiaCoefficients(coefficients) {
    bodySetInertiaCoefficients(this.world, this, coefficients);
  }

  // ---- geometries -----------------------------------------------------------------------------------------

  /** @param {Omit<GeometryOptions, 'body'>} options @returns {Geometry} */
  createGeometry(options) {
    const call = 'Body.createGeometry';
    checkOptions(call, 'options', options);
    return within(call, () => makeGeometry(this.world, { ...options, body: this }));
  }

  /** Its geometries, in row order. @returns {Geometry[]} */
  geometries() {
    const { world } = this;
    bodyGetMotion(world, this);
    const { bodies, geometries } = world.columns;
    const next = geometries.nextOfBody;
    const rows = [];
    for (let row = bodies.firstGeometry[this.index]; row >= 0; row = next[row]) rows.push(row);
    return rows.sort((a, b) => a - b).map((row) => /** @type {Geometry} */ (world.geometryAt(row)));
  }

  /** Constraints that it is one of the bodies of, in row order. @returns {Constraint[]} */
  constraints() {
    const { world } = this;
    bodyGetMotion(world, this);
    const { body1, body2, flags, rows } = world.columns.constraints;
    const found = [];
    for (let row = 0; row < rows; ++row) {
      const isOurs = body1[row] === this.index || body2[row] === this.index;
      if (isOurs && (flags[row] & ConstraintFlags.live) !== 0)
        found.push(/** @type {Constraint} */ (world.constraintAt(row)));
    }
    return found;
  }

  /** Takes it out of the world, with its geometries and constraints. @returns {void} */
  destroy() {
    const { names } = this.world;
    destroyBody(this.world, this);
    names.set('body', this, undefined);
    Handle.retire(this);
    this.world.events.noteGone();
  }
}

/** @param {Body} body @param {Omit<GeometryOptions, 'body'>} options @param {string} path of the options */
function makePart(body, options, path) {
  try {
    body.createGeometry(options);
  } catch (error) {
    throw renamed(error, 'cnCreateBody', path);
  }
}

const none = Object.freeze([0, 0, 0]);

// one number for each axis: what is written into the engine's memory at once
const sameForAll = [0, 0, 0];

/**
 * @param {string} call @param {string} argument @param {unknown} damping @returns {VectorLike}
 */
function toDamping(call, argument, damping) {
  if (typeof damping !== 'number') return /** @type {VectorLike} */ (damping); // checked when it is written
  return sameForAll.fill(checkedDamping(call, argument, damping));
}

/** @param {string} call @param {string} argument @param {unknown} damping @returns {number} */
function checkedDamping(call, argument, damping) {
  checkNumber(call, argument, damping);
  return damping;
}

/**
 * A definition whose dampings are vectors.
 * @param {string} call @param {string} argument @param {Record<string, unknown>} def
 * @returns {import('../generated/types.js').BodyDef}
 */
export function withDamping(call, argument, def) {
  const found = { ...def };
  for (const key of ['linearDamping', 'angularDamping']) {
    if (typeof def[key] === 'number')
      found[key] = new Array(3).fill(checkedDamping(call, `${argument}.${key}`, def[key]));
  }
  return found;
}

/**
 * Makes a body with its geometries; where one of them fails nothing is left behind.
 * @param {World} world
 * @param {unknown} options BodyOptions
 * @returns {Body}
 */
export function makeBody(world, options) {
  const call = 'cnCreateBody';
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'def', options);
  const { name, userData, geometries, lockTranslations: along, lockRotations: about, ...def } = options;
  if (geometries !== undefined && !Array.isArray(geometries)) {
    throw wrongType(call, 'def.geometries', geometries, 'are arrays');
  }
  world.names.check(call, 'def.name', 'body', name);
  const alongAxes = along === undefined ? null : checkBooleans(call, 'def.lockTranslations', along, 3);
  const aboutAxes = about === undefined ? null : checkBooleans(call, 'def.lockRotations', about, 3);
  if (aboutAxes !== null) checkRotationAxes(call, 'def.lockRotations', aboutAxes);
  const body = /** @type {Body} */ (world.objectOf('body', createBody(world, withDamping(call, 'def', def))));
  try {
    geometries?.forEach((item, i) => makePart(body, item, `options.geometries[${i}]`));
    if (alongAxes !== null) body.lockTranslations(alongAxes);
    if (aboutAxes !== null) body.lockRotations(aboutAxes);
  } catch (error) {
    body.destroy();
    throw error;
  }
  if (name !== undefined) body.name = /** @type {string} */ (name);
  if (userData !== undefined) body.userData = userData;
  if (!(Number(def.mass) > 0)) world.massChecks.add(body);
  return body;
}
