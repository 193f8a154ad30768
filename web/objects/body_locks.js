// Degrees of freedom of a body that are locked along or about the world's axes: rigid constraints to the
// world, one for translations and one for rotations. All solvers hold them exactly as they hold joints, and
// they are saved and restored with the world.

import { CairnError } from '../core/errors.js';
import { ConstraintFlags } from '../generated/flags.js';
import { makeConstraint } from './constraint.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./world.js').World} World */
/** @typedef {import('../generated/types.js').ConstraintType} ConstraintType */

/** What each number of locked axes is held by. @type {Readonly<Record<number, ConstraintType>>} */
const translationTypes = { 1: 'pointOnPlane', 2: 'pointOnLine', 3: 'ball' };
/** @type {Readonly<Record<number, ConstraintType>>} */
const rotationTypes = { 2: 'parallelAxes', 3: 'angularLock' };

const unit = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/**
 * @typedef {object} Locks
 * @property {Constraint | null} translations
 * @property {Constraint | null} rotations
 */

/**
 * @param {string} call @param {string} argument @param {readonly boolean[]} axes
 * @returns {readonly boolean[]}
 */
export function checkRotationAxes(call, argument, axes) {
  if (count(axes) !== 1) return axes;
  const text =
    `not supported yet: ${argument} is [${axes.join(', ')}], one axis alone, allowed are none, two or ` +
    `three of them`;
  throw new CairnError('NOT_SUPPORTED_YET', call, argument, text);
}

/** @param {readonly boolean[]} axes */
const count = (axes) => axes.filter(Boolean).length;

/**
 * The axis of a line or plane: the one that differs from the two others.
 * @param {readonly boolean[]} axes
 */
const oddAxis = (axes) => unit[Math.max(axes.indexOf(count(axes) === 1), 0)];

/** @param {Body} body @param {ConstraintType} type @param {readonly number[]} axis n @returns {Constraint} */
function makeLock(body, type, axis) {
  const options = { type, bodies: [body, null], axis, compliance: 0, collideConnected: true };
  return makeConstraint(body.world, options);
}

/** n in the world, where the lock was made. @param {Constraint} lock @returns {number[]} */
function axisOf(lock) {
  const [x, y, z, w] = /** @type {number[]} */ (lock.getFrameOn(null).rotation);
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

const typesOf = {
  translations: Object.values(translationTypes),
  rotations: Object.values(rotationTypes),
};
const kinds = /** @type {const} */ (['translations', 'rotations']);

/**
 * Which of the two a constraint is, by what it is: rigid, to the world, of their types and without a name.
 * @param {Constraint} item @returns {keyof Locks | null}
 */
function kindOf(item) {
  const { flags } = item.world.columns.constraints;
  const kind = kinds.find((name) => typesOf[name].includes(item.type));
  const isLock =
    item.body2 === null &&
    item.name === undefined &&
    (flags[item.index] & ConstraintFlags.collides) !== 0 &&
    [0, 1, 2, 3, 4, 5].every((dof) => item.getCompliance(dof) === 0);
  return kind !== undefined && isLock ? kind : null;
}

/** The locks of a world's bodies. */
export class BodyLocks {
  #world;
  /** Of bodies that have some. @type {Map<Body, Locks>} */
  #locks = new Map();
  /** Whether all are in the map. */
  #isKnown = true;

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** The world has another state: its locks are looked for when they are next asked for. */
  forget() {
    this.#isKnown = false;
  }

  /** @param {Body} body @param {readonly boolean[]} axes */
  lockTranslations(body, axes) {
    this.#replace(body, 'translations', translationTypes[count(axes)], oddAxis(axes));
  }

  /** @param {Body} body @param {readonly boolean[]} axes */
  lockRotations(body, axes) {
    checkRotationAxes('Body.lockRotations', 'axes', axes);
    this.#replace(body, 'rotations', rotationTypes[count(axes)], oddAxis(axes));
  }

  /** After a body was placed: what is held is held there. @param {Body} body */
  move(body) {
    this.#look();
    const locks = this.#locks.get(body);
    if (locks === undefined) return;
    for (const kind of kinds) {
      const lock = locks[kind];
      if (lock?.isValid) this.#replace(body, kind, lock.type, axisOf(lock));
    }
  }

  /** After many were placed. @param {(body: Body) => boolean} isPlaced */
  moveThose(isPlaced) {
    this.#look();
    for (const body of this.#locks.keys()) if (body.isValid && isPlaced(body)) this.move(body);
  }

  /**
   * @param {Body} body @param {keyof Locks} kind @param {ConstraintType | undefined} type undefined: none
   * @param {readonly number[]} axis
   */
  #replace(body, kind, type, axis) {
    this.#look();
    const locks = this.#locks.get(body) ?? { translations: null, rotations: null };
    const before = locks[kind];
    if (before?.isValid) before.destroy();
    locks[kind] = type === undefined ? null : makeLock(body, type, axis);
    if (locks.translations || locks.rotations) this.#locks.set(body, locks);
    else this.#locks.delete(body);
  }

  /** Finds the locks of a state that was saved. */
  #look() {
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#locks.clear();
    for (const item of this.#world.constraints()) {
      const kind = kindOf(item);
      const body = item.body1;
      if (kind === null || body === null) continue;
      const locks = this.#locks.get(body) ?? { translations: null, rotations: null };
      locks[kind] ??= item;
      this.#locks.set(body, locks);
    }
  }
}
