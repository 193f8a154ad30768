// Bodies. Poses are those of the model frame, velocities those of the centre of mass in world axes.

import { checkOptions, wrongType } from '../core/checks.js';
import {
  bodyApplyForce,
  bodyApplyForceAtLocalPoint,
  bodyApplyForceAtPoint,
  bodyApplyTorque,
  bodyGetAcceleration,
  bodyGetAngularAcceleration,
  bodyGetAngularMomentum,
  bodyGetAngularVelocity,
  bodyGetCentreOfMass,
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
import { renamed, within } from '../core/errors.js';
import { ConstraintFlags } from '../generated/flags.js';
import { makeGeometry } from './geometry.js';
import { Handle, handleOf } from '../core/handle.js';
import { ObjectWithEvents } from './object_with_events.js';

/** @typedef {import('../core/checks.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../core/checks.js').VectorLike} VectorLike */
/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/checks.js').InertiaLike} InertiaLike */
/** @typedef {import('../generated/types.js').Motion} Motion */
/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {import('./geometry.js').GeometryOptions} GeometryOptions */
/** @typedef {import('./world.js').World} World */

/**
 * @typedef {import('../generated/types.js').BodyDef & { geometries?: Omit<GeometryOptions,
 *   'body'>[] }} BodyOptions
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

  // ---- pose -----------------------------------------------------------------------------------------------

  /** m, of the model frame. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getPosition(out) {
    return bodyGetPosition(this.world, this, out);
  }

  /** Places the model frame; velocities stay. @param {VectorLike} position m @returns {void} */
  setPosition(position) {
    bodySetPosition(this.world, this, position);
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
  }

  /** m, world. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getCentreOfMass(out) {
    return bodyGetCentreOfMass(this.world, this, out);
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
  }

  /** A disabled body neither moves nor collides. @returns {boolean} */
  get enabled() {
    return bodyIsEnabled(this.world, this);
  }

  /** @param {boolean} enabled */
  set enabled(enabled) {
    bodySetEnabled(this.world, this, enabled);
  }

  /**
   * A fast body is swept along its motion, so that it passes through nothing within a step.
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
   * Moves a kinematic body to a pose. It arrives at the first step at or after the end and keeps the
   * velocity it had.
   * @param {VectorLike} position m
   * @param {QuaternionLike} rotation of length 1 within 1e-3
   * @param {number} duration s, >= 0; less than a step counts as one step
   * @returns {void}
   */
  moveTo(position, rotation, duration) {
    bodyMoveTo(this.world, this, position, rotation, duration);
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

  /** @param {VectorLike} damping 1/s per model axis, >= 0: v falls by 1/(1 + D h) a step @returns {void} */
  setLinearDamping(damping) {
    bodySetLinearDamping(this.world, this, damping);
  }

  /** @param {VectorLike} damping 1/s per model axis, >= 0 @returns {void} */
  setAngularDamping(damping) {
    bodySetAngularDamping(this.world, this, damping);
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
    destroyBody(this.world, this);
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
  const { geometries, ...def } = options;
  if (geometries !== undefined && !Array.isArray(geometries)) {
    throw wrongType(call, 'def.geometries', geometries, 'are arrays');
  }
  const body = /** @type {Body} */ (world.objectOf('body', createBody(world, def)));
  try {
    geometries?.forEach((item, i) => makePart(body, item, `options.geometries[${i}]`));
  } catch (error) {
    body.destroy();
    throw error;
  }
  return body;
}
