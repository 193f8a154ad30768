// Constraints: joints, springs and gears. Relative quantities are first body relative to second.

import { checkNames, checkNumber, checkOptions, enumValue, toInterval } from '../core/checks.js';
import { CairnError, outOfRange, renamed, within, wrongType } from '../core/errors.js';
import {
  constraintGetBody,
  constraintGetBreakForce,
  constraintGetBreakTorque,
  constraintGetCompliance,
  constraintGetCone,
  constraintGetCoordinate,
  constraintGetDamping,
  constraintGetDofForce,
  constraintGetForce,
  constraintGetFrame,
  constraintGetFriction,
  constraintGetLockAt,
  constraintGetMinForce,
  constraintGetMaxForce,
  constraintGetMotor,
  constraintGetSolve,
  constraintGetPartner,
  constraintGetRange,
  constraintGetRatio,
  constraintGetScrew,
  constraintGetSecondaryForces,
  constraintGetSpeed,
  constraintGetTorque,
  constraintGetTwist,
  constraintGetType,
  constraintGetViolation,
  constraintIsBroken,
  constraintIsEnabled,
  constraintIsValid,
  constraintSetBreakLimits,
  constraintSetCompliance,
  constraintSetCone,
  constraintSetDamping,
  constraintSetEnabled,
  constraintSetMergeable,
  constraintSetSplittable,
  constraintSetFriction,
  constraintSetLockAt,
  constraintSetMotor,
  constraintSetRange,
  constraintSetScrew,
  constraintSetTarget,
  constraintSetTwist,
  createConstraint,
  destroyConstraint,
} from '../generated/calls.js';
import {
  constraintKeys,
  constraintTypes,
  freeSecondaries,
  secondaryKeys,
} from '../generated/descriptions.js';
import { ConstraintFlags } from '../generated/flags.js';
import { Handle, handleOf } from '../core/handle.js';
import { ObjectWithEvents } from './object_with_events.js';
import { rememberPlacement } from './placements.js';
import { getSpring, setSpring } from './springs.js';

/** @typedef {import('../core/checks.js').IntervalLike} IntervalLike */
/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./springs.js').SpringOptions} SpringOptions */
/** @typedef {import('./world.js').World} World */
/** @typedef {import('../generated/types.js').ConstraintType} ConstraintType */
/** @typedef {import('../generated/types.js').Pose} Frame */

/** @typedef {import('../generated/descriptions.js').PerDof} PerDof */
/** @typedef {import('../generated/descriptions.js').MotorOptions} MotorOptions */
/** @typedef {import('../generated/descriptions.js').LockAtOptions} LockAtOptions */
/** @typedef {import('../generated/descriptions.js').RangeOptions} RangeOptions */
/** @typedef {import('../generated/descriptions.js').FrictionOptions} FrictionOptions */
/** @typedef {import('../generated/descriptions.js').ScrewOptions} ScrewOptions */
/** @typedef {import('../generated/descriptions.js').ConeOptions} ConeOptions */
/**
 * @typedef {object} OwnConstraintOptions
 * @property {string} [name] for `world.findConstraint()`; once among the constraints of a world
 * @property {unknown} [userData]
 *
 * @typedef {OwnConstraintOptions
 *   & import('../generated/descriptions.js').ConstraintOptions} ConstraintOptions
 */

const abouts = ['attachment', 'centreOfMass'];

/**
 * A joint, or another law between two bodies, or a body and the world.
 * @extends {ObjectWithEvents<import('../events/event_types.js').ConstraintEventMap>}
 */
export class Constraint extends ObjectWithEvents {
  /** @param {symbol} key @param {World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'constraint', world, value);
  }

  /** Whether the handle still names a constraint. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && constraintIsValid(this.world, this);
  }

  /** Undefined: none. @returns {string | undefined} */
  get name() {
    within('Constraint.name', () => constraintGetType(this.world, this));
    return this.world.names.nameOf(this);
  }

  /** `NAME_TAKEN` where another constraint of the world has it. @param {string | undefined} name */
  set name(name) {
    within('Constraint.name', () => constraintGetType(this.world, this));
    this.world.names.check('Constraint.name', 'name', 'constraint', name, this);
    this.world.names.set('constraint', this, name);
  }

  /** @returns {ConstraintType} */
  get type() {
    return constraintGetType(this.world, this);
  }

  // ---- what it joins --------------------------------------------------------------------------------------

  /** Null for gears and racks. @returns {Body | null} */
  get body1() {
    const { world } = this;
    return /** @type {Body | null} */ (world.objectOf('body', constraintGetBody(world, this, 1)));
  }

  /** Null for the world, and for gears and racks. @returns {Body | null} */
  get body2() {
    const { world } = this;
    return /** @type {Body | null} */ (world.objectOf('body', constraintGetBody(world, this, 2)));
  }

  /** First partner of a gear or a rack, else null. @returns {Constraint | null} */
  get constraint1() {
    const { world } = this;
    return /** @type {Constraint | null} */ (
      world.objectOf('constraint', constraintGetPartner(world, this, 1))
    );
  }

  /** Second partner of a gear or a rack, else null. @returns {Constraint | null} */
  get constraint2() {
    const { world } = this;
    return /** @type {Constraint | null} */ (
      world.objectOf('constraint', constraintGetPartner(world, this, 2))
    );
  }

  /**
   * The attachment frame in the first body, where it is now: position in m, and the rotation that takes x,
   * y, z to u, v, n.
   * @param {Frame} [out] @returns {Frame}
   */
  getFrame(out) {
    return constraintGetFrame(this.world, this, 1, out);
  }

  /**
   * That in the one or the other.
   * @param {Body | null} body null: the world @param {Frame} [out] @returns {Frame}
   */
  getFrameOn(body, out) {
    const call = 'Constraint.getFrameOn';
    try {
      return constraintGetFrame(this.world, this, whichOf(call, this, body), out);
    } catch (error) {
      throw renamed(error, call);
    }
  }

  /**
   * Moves the attachment point in the world of a constraint whose second body is the world: what a pointer
   * pulls (`world.createMouseConstraint()`).
   * @param {VectorLike} target m @returns {void}
   */
  setTarget(target) {
    constraintSetTarget(this.world, this, target);
  }

  /**
   * Of a gear its ratio, of a rack its radius (m), of a screw its lead (m/rad); 0 for the other types.
   * @returns {number}
   */
  get ratio() {
    return constraintGetRatio(this.world, this);
  }

  /** Whether the two bodies may touch each other. @returns {boolean} */
  get collideConnected() {
    return flagOf(this, ConstraintFlags.collides);
  }

  // ---- adaptive merging -----------------------------------------------------------------------------------

  /** Whether adaptive merging may merge its bodies where it holds them at rest. @returns {boolean} */
  get mergeable() {
    return !flagOf(this, ConstraintFlags.unmergeable);
  }

  /** @param {boolean} mergeable */
  set mergeable(mergeable) {
    constraintSetMergeable(this.world, this, mergeable);
  }

  /** Whether its forces, and settings that change, split its bodies off. @returns {boolean} */
  get splittable() {
    return !flagOf(this, ConstraintFlags.unsplittable);
  }

  /** @param {boolean} splittable */
  set splittable(splittable) {
    constraintSetSplittable(this.world, this, splittable);
  }

  // ---- on, off and broken ---------------------------------------------------------------------------------

  /** A disabled constraint does nothing. @returns {boolean} */
  get enabled() {
    return constraintIsEnabled(this.world, this);
  }

  /**
   * Enabling one that broke mends it; its frames stay where they were in the bodies.
   * @param {boolean} enabled
   */
  set enabled(enabled) {
    constraintSetEnabled(this.world, this, enabled);
  }

  /** Whether it broke, and is disabled since. @returns {boolean} */
  get broken() {
    return constraintIsBroken(this.world, this);
  }

  /** N that break it at the end of a step; 0: never. @returns {number} */
  get breakForce() {
    return constraintGetBreakForce(this.world, this);
  }

  /** @param {number} breakForce N, >= 0 */
  set breakForce(breakForce) {
    const call = 'Constraint.breakForce';
    const torque = within(call, () => constraintGetBreakTorque(this.world, this));
    checkNotNegative(call, 'breakForce', breakForce);
    constraintSetBreakLimits(this.world, this, breakForce, torque);
  }

  /** N m that break it at the end of a step; 0: never. @returns {number} */
  get breakTorque() {
    return constraintGetBreakTorque(this.world, this);
  }

  /** @param {number} breakTorque N m, >= 0 */
  set breakTorque(breakTorque) {
    const call = 'Constraint.breakTorque';
    const force = within(call, () => constraintGetBreakForce(this.world, this));
    checkNotNegative(call, 'breakTorque', breakTorque);
    constraintSetBreakLimits(this.world, this, force, breakTorque);
  }

  // ---- stiffness ------------------------------------------------------------------------------------------

  /** m/N or rad/(N m). @param {number} dof 0…2 along u, v, n; 3…5 about them @returns {number} */
  getCompliance(dof) {
    return constraintGetCompliance(this.world, this, dof);
  }

  /** @param {PerDof} compliance m/N or rad/(N m), >= 0: of all, or six; null stays @returns {void} */
  setCompliance(compliance) {
    handleOf('cnConstraint_SetCompliance', 'constraint', 'constraint', this.world, this);
    const values = sixNumbers('cnConstraint_SetCompliance', 'compliance', compliance);
    setSix(values, (dof, value) => constraintSetCompliance(this.world, this, dof, value));
  }

  /** s; null: two time steps. @param {number} dof @returns {number | null} */
  getDamping(dof) {
    const damping = constraintGetDamping(this.world, this, dof);
    return damping < 0 ? null : damping;
  }

  /** @param {PerDof} damping s, >= 0: of all, or six; null stays @returns {void} */
  setDamping(damping) {
    handleOf('cnConstraint_SetDamping', 'constraint', 'constraint', this.world, this);
    const values = sixNumbers('cnConstraint_SetDamping', 'damping', damping);
    setSix(values, (dof, value) => constraintSetDamping(this.world, this, dof, value));
  }

  /**
   * What a held degree of freedom can bear: [min, max] of all, or six of them, where null stays.
   * @param {IntervalLike | readonly (IntervalLike | null)[]} range N or N m
   * @returns {void}
   */
  setForceRange(range) {
    const call = 'cnConstraint_SetForceRange';
    handleOf(call, 'constraint', 'constraint', this.world, this);
    setForceRanges(this, sixIntervals(call, 'range', range));
  }

  /**
   * [min, max] of a degree of freedom, N or N m; infinite where there is no bound.
   * @param {number} dof 0…5 @returns {[number, number]}
   */
  getForceRange(dof) {
    return [constraintGetMinForce(this.world, this, dof), constraintGetMaxForce(this.world, this, dof)];
  }

  /**
   * How it is solved: `direct`, `iterative` or `directAndIterative`.
   * @returns {import('../generated/types.js').ConstraintSolve}
   */
  get solve() {
    return constraintGetSolve(this.world, this);
  }

  /**
   * Makes a spring of it, of a force stiffness · (length − position) − damping · speed. A distance and a
   * spring pull their points to `length`; of other types the free coordinate is pulled to `length` by its
   * `lockAt`, of an angle in rad. What is not given stays, but a damping that never was given is 0 then; null
   * takes such a spring of a coordinate away.
   * @param {SpringOptions | null} spring @param {number} [index] of two free degrees of freedom
   * @returns {void}
   */
  setSpring(spring, index = 0) {
    within('Constraint.setSpring', () => setSpring(this, spring, index));
  }

  /**
   * As it was set; null where a coordinate has none. Its `damping` is null where none was given.
   * @param {number} [index] of two free degrees of freedom @returns {Required<SpringOptions> | null}
   */
  getSpring(index = 0) {
    return within('Constraint.getSpring', () => getSpring(this, index));
  }

  // ---- secondary constraints ------------------------------------------------------------------------------
  //
  // Each overrides what is given and keeps the rest; null takes the whole thing away. What is set is enabled
  // unless it says otherwise. `index` tells which of two free degrees of freedom.

  /** @param {MotorOptions | null} motor @param {number} [index] @returns {void} */
  setMotor(motor, index = 0) {
    const { world } = this;
    const call = 'cnConstraint_SetMotor';
    const before = within('cnConstraint_SetMotor', () => constraintGetMotor(world, this, index));
    if (motor === null) clear(this, 'SetMotor', index);
    else constraintSetMotor(world, this, index, merge(before, toStruct(call, 'motor', 'motor', motor)));
  }

  /** @param {LockAtOptions | null} lockAt @param {number} [index] @returns {void} */
  setLockAt(lockAt, index = 0) {
    const { world } = this;
    const call = 'cnConstraint_SetLockAt';
    const before = within('cnConstraint_SetLockAt', () => constraintGetLockAt(world, this, index));
    if (lockAt === null) clear(this, 'SetLockAt', index);
    else constraintSetLockAt(world, this, index, merge(before, toStruct(call, 'lockAt', 'lockAt', lockAt)));
  }

  /** @param {RangeOptions | null} range @param {number} [index] @returns {void} */
  setRange(range, index = 0) {
    const { world } = this;
    const before = within('cnConstraint_SetRange', () => constraintGetRange(world, this, index));
    if (range === null) clear(this, 'SetRange', index);
    else
      constraintSetRange(
        world,
        this,
        index,
        merge(before, toStruct('cnConstraint_SetRange', 'range', 'range', range)),
      );
  }

  /** @param {FrictionOptions | null} friction @param {number} [index] @returns {void} */
  setFriction(friction, index = 0) {
    const { world } = this;
    const call = 'cnConstraint_SetFriction';
    const before = within('cnConstraint_SetFriction', () => constraintGetFriction(world, this, index));
    if (friction === null) clear(this, 'SetFriction', index);
    else
      constraintSetFriction(
        world,
        this,
        index,
        merge(before, toStruct(call, 'friction', 'friction', friction)),
      );
  }

  /** Of a ball. @param {ConeOptions | null} cone @returns {void} */
  setCone(cone) {
    const { world } = this;
    const before = within('cnConstraint_SetCone', () => constraintGetCone(world, this));
    if (cone === null) clear(this, 'SetCone');
    else
      constraintSetCone(world, this, merge(before, toStruct('cnConstraint_SetCone', 'cone', 'cone', cone)));
  }

  /** Of a ball: about its axis. @param {RangeOptions | null} twist @returns {void} */
  setTwist(twist) {
    const { world } = this;
    const call = 'cnConstraint_SetTwist';
    const before = within('cnConstraint_SetTwist', () => constraintGetTwist(world, this));
    if (twist === null) clear(this, 'SetTwist');
    else constraintSetTwist(world, this, merge(before, toStruct(call, 'twist', 'twist', twist)));
  }

  /** Of a cylindrical. @param {ScrewOptions | null} screw @returns {void} */
  setScrew(screw) {
    const { world } = this;
    const call = 'cnConstraint_SetScrew';
    const before = within('cnConstraint_SetScrew', () => constraintGetScrew(world, this));
    if (screw === null) clear(this, 'SetScrew');
    else constraintSetScrew(world, this, merge(before, toStruct(call, 'screw', 'screw', screw)));
  }

  /** Disabled where it has none. @param {number} [index] @returns {import('../generated/types.js').Motor} */
  getMotor(index = 0) {
    return constraintGetMotor(this.world, this, index);
  }

  /** Disabled where it has none. @param {number} [index] @returns {import('../generated/types.js').LockAt} */
  getLockAt(index = 0) {
    return constraintGetLockAt(this.world, this, index);
  }

  /** Disabled where it has none. @param {number} [index] @returns {RangeOptions} */
  getRange(index = 0) {
    return constraintGetRange(this.world, this, index);
  }

  /** Disabled where it has none. @param {number} [index] @returns {FrictionOptions} */
  getFriction(index = 0) {
    return constraintGetFriction(this.world, this, index);
  }

  /** Disabled where it has none. @returns {ConeOptions} */
  getCone() {
    const { limits, ...rest } = constraintGetCone(this.world, this);
    return { ...rest, limit: /** @type {number[]} */ (limits)[1] };
  }

  /** Disabled where it has none. @returns {RangeOptions} */
  getTwist() {
    return constraintGetTwist(this.world, this);
  }

  /** Disabled where it has none. @returns {ScrewOptions} */
  getScrew() {
    return constraintGetScrew(this.world, this);
  }

  // ---- where it stands, and what it did -------------------------------------------------------------------
  //
  // At the end of the last step.

  /** rad over many turns, of the free angle (of a universal: the first). @returns {number} */
  get angle() {
    return constraintGetCoordinate(this.world, this, coordinateOf(this, 'angle'));
  }

  /** m, of the free translation; of a distance and a spring: how long it is. @returns {number} */
  get position() {
    return constraintGetCoordinate(this.world, this, coordinateOf(this, 'position'));
  }

  /** rad/s or m/s, of the (first) free degree of freedom. @returns {number} */
  get speed() {
    return constraintGetSpeed(this.world, this, 0);
  }

  /** rad or m. Cylindrical and screw: position (0), angle (1). @param {number} [index] @returns {number} */
  getCoordinate(index = 0) {
    return constraintGetCoordinate(this.world, this, index);
  }

  /** rad/s or m/s. @param {number} [index] @returns {number} */
  getSpeed(index = 0) {
    return constraintGetSpeed(this.world, this, index);
  }

  /**
   * N on the first body, world axes, secondary constraints included. Of gears and racks: on that of
   * the first partner.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getForce(out) {
    return constraintGetForce(this.world, this, 1, out);
  }

  /**
   * N on the one or the other.
   * @template {OutputArray} [T=number[]] @param {Body | null} body null: the world @param {T} [out]
   * @returns {T}
   */
  getForceOn(body, out) {
    const call = 'Constraint.getForceOn';
    try {
      return constraintGetForce(this.world, this, whichOf(call, this, body), out);
    } catch (error) {
      throw renamed(error, call);
    }
  }

  /**
   * N m on the first body, world axes.
   * @template {OutputArray} [T=number[]] @param {T} [out]
   * @param {'attachment' | 'centreOfMass'} [about] the point of the body that the torque is about
   * @returns {T}
   */
  getTorque(out, about = 'attachment') {
    return constraintGetTorque(this.world, this, 1, isCentre('Constraint.getTorque', about), out);
  }

  /**
   * N m on the one or the other.
   * @template {OutputArray} [T=number[]] @param {Body | null} body null: the world @param {T} [out]
   * @param {'attachment' | 'centreOfMass'} [about] @returns {T}
   */
  getTorqueOn(body, out, about = 'attachment') {
    const call = 'Constraint.getTorqueOn';
    try {
      return constraintGetTorque(this.world, this, whichOf(call, this, body), isCentre(call, about), out);
    } catch (error) {
      throw renamed(error, call);
    }
  }

  /**
   * N along u, v, n (0…2), N m about them (3…5), on the first body; of a free one that of its secondaries.
   * @param {number} dof @returns {number}
   */
  getDofForce(dof) {
    return constraintGetDofForce(this.world, this, dof);
  }

  /**
   * N or N m of motor, lock, range and friction. Of a ball: `range` of the cone (0), of the twist (1).
   * @param {number} [index] @param {import('../generated/types.js').SecondaryForces} [out]
   * @returns {import('../generated/types.js').SecondaryForces}
   */
  getSecondaryForces(index = 0, out = undefined) {
    return constraintGetSecondaryForces(this.world, this, index, out);
  }

  /**
   * The larger of the attachments' gap in held directions (m) and the error of held angles (rad).
   * @returns {number}
   */
  get violation() {
    return constraintGetViolation(this.world, this);
  }

  /** Takes it out of the world, and gears and racks that it is a partner of. @returns {void} */
  destroy() {
    const { names } = this.world;
    destroyConstraint(this.world, this);
    names.set('constraint', this, undefined);
    Handle.retire(this);
    this.world.events.noteGone();
  }
}

// ---- making one -------------------------------------------------------------------------------------------

/**
 * Makes a constraint with all that belongs to it; where something is wrong nothing is made.
 * @param {World} world
 * @param {unknown} options ConstraintOptions
 * @returns {Constraint}
 */
export function makeConstraint(world, options) {
  const call = 'cnCreateConstraint';
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'def', options);
  const { name, userData, ...engine } = options;
  world.names.check(call, 'def.name', 'constraint', name);
  const type = checkType(call, engine);
  const def = readOptions(world, call, type, engine);
  const constraint = /** @type {Constraint} */ (world.objectOf('constraint', createConstraint(world, def)));
  rememberPlacement(constraint, engine);
  if (name !== undefined) constraint.name = /** @type {string} */ (name);
  if (userData !== undefined) constraint.userData = userData;
  return constraint;
}

/** @param {string} call @param {Record<string, unknown>} options @returns {ConstraintType} */
function checkType(call, options) {
  enumValue(call, 'def.type', 'cnConstraintType', options.type);
  const type = /** @type {ConstraintType} */ (options.type);
  const { takes, needs } = constraintTypes[type];
  checkNames(call, 'def', options, [...constraintKeys, ...takes], ['name', 'userData']);
  const missing = needs.find((name) => options[name] === undefined);
  if (missing) {
    const text = `def.${missing} is missing, a ${type} needs it`;
    throw new CairnError('WRONG_TYPE', call, `def.${missing}`, text);
  }
  return type;
}

/**
 * The definition for the engine.
 * @param {World} world @param {string} call @param {ConstraintType} type
 * @param {Record<string, unknown>} options
 */
function readOptions(world, call, type, options) {
  const { bodies, constraints, anchors, compliance, damping, forceRange, ...rest } = options;
  const def = /** @type {import('../generated/types.js').ConstraintDef} */ ({ ...rest, type });
  for (const name of ['breakForce', 'breakTorque']) {
    if (options[name] !== undefined) checkPositive(call, `def.${name}`, options[name]);
  }
  if (bodies !== undefined) {
    const [first, second] = twoOf(
      call,
      'def.bodies',
      bodies,
      'is a list of a Body, and another or null for the world',
    );
    if (first === null) throw wrongType(call, 'def.bodies[0]', first, 'is a Body');
    handleOf(call, 'def.bodies[0]', 'body', world, first);
    handleOf(call, 'def.bodies[1]', 'body', world, second);
    Object.assign(def, { body1: first, body2: second });
  }
  if (constraints !== undefined) {
    const partners = twoOf(call, 'def.constraints', constraints, 'is a list of two Constraints');
    partners.forEach((partner, i) => {
      if (partner === null) throw wrongType(call, `def.constraints[${i}]`, partner, 'is a Constraint');
      handleOf(call, `def.constraints[${i}]`, 'constraint', world, partner);
    });
    Object.assign(def, { constraint1: partners[0], constraint2: partners[1] });
  }
  if (anchors !== undefined) {
    const [anchor, anchor2] = twoOf(call, 'def.anchors', anchors, 'is a list of two points');
    Object.assign(def, { anchor, anchor2 });
  }
  const isSpring = type === 'spring';
  def.dofs = readDofs(call, isSpring ? { forceRange } : { compliance, damping, forceRange });
  if (isSpring) readSpring(call, compliance, damping, def);
  return Object.assign(def, readSecondaries(call, type, options));
}

/**
 * Settings of the six degrees of freedom.
 * @param {string} call @param {{ compliance?: unknown, damping?: unknown, forceRange: unknown }} options
 */
function readDofs(call, options) {
  const compliance = sixNumbers(call, 'def.compliance', options.compliance);
  const damping = sixNumbers(call, 'def.damping', options.damping);
  const forceRange = sixIntervals(call, 'def.forceRange', options.forceRange);
  return Array.from({ length: 6 }, (_, dof) => ({
    compliance: compliance[dof] ?? undefined,
    damping: damping[dof] ?? undefined,
    forceRange: forceRange[dof] ?? undefined,
  }));
}

/**
 * The damping of a spring is N s/m; without a stiffness its compliance counts.
 * @param {string} call @param {unknown} compliance @param {unknown} damping
 * @param {import('../generated/types.js').ConstraintDef} def
 */
function readSpring(call, compliance, damping, def) {
  if (damping !== undefined && damping !== null) {
    checkNotNegative(call, 'def.damping', damping);
    def.viscosity = damping;
  }
  if (compliance !== undefined && compliance !== null) {
    checkPositive(call, 'def.compliance', compliance);
    def.stiffness ??= 1 / compliance;
  }
}

/** @param {string} call @param {ConstraintType} type @param {Record<string, unknown>} options */
function readSecondaries(call, type, options) {
  const { free } = constraintTypes[type];
  /** @type {Record<string, unknown>} */
  const secondaries = {};
  for (const key of Object.keys(secondaryKeys)) {
    const value = options[key];
    if (value === undefined) continue;
    const one = (/** @type {unknown} */ item, /** @type {string} */ argument) =>
      item === null || item === undefined ? null : toStruct(call, argument, key, item);
    const isPair = value !== null && freeSecondaries.includes(key) && free.length === 2;
    secondaries[key] = isPair
      ? twoOf(call, `def.${key}`, value, `is a list of two, for ${free.join(' and ')}`).map((item, i) =>
          one(item, `def.${key}[${i}]`),
        )
      : one(value, `def.${key}`);
  }
  return secondaries;
}

/**
 * Properties of the C struct of a secondary constraint: a size of a force is an interval, the limit of a cone
 * its upper bound.
 * @param {string} call @param {string} argument @param {string} key @param {unknown} options
 * @returns {Record<string, unknown>}
 */
function toStruct(call, argument, key, options) {
  checkOptions(call, argument, options);
  const { force, limit, ...rest } = options;
  if (key === 'cone') {
    checkNames(call, argument, options, secondaryKeys.cone);
    if (limit === undefined) return rest;
    checkNotNegative(call, `${argument}.limit`, limit);
    return { ...rest, limits: [null, limit] };
  }
  if (typeof force !== 'number' || key === 'friction') return options;
  checkNotNegative(call, `${argument}.force`, force);
  return { ...rest, force: [-force, force] };
}

/**
 * What is given over what there was; enabled unless it says otherwise.
 * @param {object} before @param {Record<string, unknown>} change
 */
function merge(before, change) {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...before, enabled: true, ...Object.fromEntries(given) };
}

// ---- asking one -------------------------------------------------------------------------------------------

/** @param {Constraint} constraint @param {number} bit */
function flagOf(constraint, bit) {
  const { world } = constraint;
  constraintGetType(world, constraint);
  return (world.columns.constraints.flags[constraint.index] & bit) !== 0;
}

/** Which of its bodies, 1 or 2. @param {string} call @param {Constraint} constraint @param {unknown} body */
function whichOf(call, constraint, body) {
  const { world } = constraint;
  const value = handleOf(call, 'body', 'body', world, body);
  const first = constraintGetBody(world, constraint, 1);
  if (first !== 0 && value === first) return 1;
  if (first !== 0 && value === constraintGetBody(world, constraint, 2)) return 2;
  throw outOfRange(call, 'body', body, 'are the bodies of the constraint, null for the world');
}

/** @param {Constraint} constraint @param {'angle' | 'position'} word */
function coordinateOf(constraint, word) {
  const { type } = constraint;
  const index = constraintTypes[type].free.indexOf(word);
  if (index >= 0) return index;
  const able = Object.entries(constraintTypes).filter(([, { free }]) => free.includes(word));
  const names = able.map(([name]) => name).join(', ');
  const text = `this is a ${type}, which has no ${word}, allowed are ${names}`;
  throw new CairnError('OUT_OF_RANGE', `Constraint.${word}`, 'this', text);
}

/**
 * Takes a secondary constraint away.
 * @param {Constraint} constraint
 * @param {'SetMotor' | 'SetLockAt' | 'SetRange' | 'SetFriction' | 'SetCone' | 'SetTwist' | 'SetScrew'} name
 * @param {number} [index]
 */
function clear(constraint, name, index = 0) {
  const { world, handle } = constraint;
  const { raw } = world.runtime;
  world.runtime.check(
    name === 'SetCone' || name === 'SetTwist' || name === 'SetScrew'
      ? raw[`_cnw_Constraint_${name}`](world.handle, handle, 0)
      : raw[`_cnw_Constraint_${name}`](world.handle, handle, index, 0),
  );
}

// ---- values by degree of freedom --------------------------------------------------------------------------

/**
 * Six numbers, or null where the present ones stay.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {(number | null)[]}
 */
function sixNumbers(call, argument, value) {
  if (value === undefined || value === null) return [];
  if (typeof value === 'number') {
    checkNotNegative(call, argument, value);
    return new Array(6).fill(value);
  }
  const list = sixOf(call, argument, value, 'are a number, and lists of six numbers or null');
  return list.map((item, i) => {
    if (item === null) return null;
    checkNotNegative(call, `${argument}[${i}]`, item);
    return item;
  });
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @returns {([number, number] | null)[]}
 */
function sixIntervals(call, argument, value) {
  if (value === undefined || value === null) return [];
  const isOne = /** @type {{ length?: number }} */ (value).length === 2;
  const list = isOne
    ? /** @type {unknown[]} */ (new Array(6).fill(value))
    : sixOf(call, argument, value, 'are [min, max], and lists of six of them or null');
  return list.map((item, i) => {
    if (item === null) return null;
    const path = isOne ? argument : `${argument}[${i}]`;
    const interval = toInterval(call, path, item);
    if (interval[0] > interval[1]) throw outOfRange(call, path, item, 'are [min, max] with min <= max');
    return interval;
  });
}

/** @param {(number | null)[]} values @param {(dof: number, value: number) => void} set */
function setSix(values, set) {
  values.forEach((value, dof) => {
    if (value !== null) set(dof, value);
  });
}

/** @param {Constraint} constraint @param {([number, number] | null)[]} ranges */
function setForceRanges(constraint, ranges) {
  const { runtime, handle } = constraint.world;
  ranges.forEach((range, dof) => {
    // infinite bounds do not pass for numbers in the checked call
    if (range)
      runtime.check(runtime.raw._cnw_Constraint_SetForceRange(handle, constraint.handle, dof, ...range));
  });
}

// ---- checks -----------------------------------------------------------------------------------------------

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {string} allowed
 * @returns {unknown[]}
 */
function twoOf(call, argument, value, allowed) {
  if (!Array.isArray(value) || value.length !== 2) throw wrongType(call, argument, value, allowed);
  return value;
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {string} allowed
 * @returns {unknown[]}
 */
function sixOf(call, argument, value, allowed) {
  if (!Array.isArray(value) || value.length !== 6) throw wrongType(call, argument, value, allowed);
  return [...value];
}

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is number} */
function checkNotNegative(call, argument, value) {
  checkNumber(call, argument, value);
  if (value < 0 || value > 1e30) throw outOfRange(call, argument, value, 'are numbers 0…1e30');
}

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is number} */
function checkPositive(call, argument, value) {
  checkNotNegative(call, argument, value);
  if (value === 0) throw outOfRange(call, argument, value, 'are numbers > 0');
}

/** @param {string} call @param {unknown} about @returns {boolean} */
function isCentre(call, about) {
  if (typeof about !== 'string' || !abouts.includes(about))
    throw wrongType(call, 'about', about, `are ${abouts.map((word) => `'${word}'`).join(', ')}`);
  return about === 'centreOfMass';
}
