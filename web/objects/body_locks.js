// Degrees of freedom of a body that are locked along or about the world's axes: rigid constraints to the
// world, one for translations and one for rotations. All solvers hold them exactly as they hold joints, and
// they are saved and restored with the world.

import { CairnError } from '../core/errors.js';
import { ConstraintFlags } from '../generated/flags.js';
import { makeConstraint } from './constraint.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./constraint.js').Constraint} Constraint */
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

/** Of bodies that have some. @type {WeakMap<Body, Locks>} */
const locksOf = new WeakMap();
// so that those who place bodies need not look where there is none
let isUsed = false;

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

/** @param {Body} body @param {readonly boolean[]} axes */
export function lockTranslations(body, axes) {
  const locks = findLocks(body);
  const type = translationTypes[count(axes)];
  locks.translations?.destroy();
  locks.translations = type === undefined ? null : makeLock(body, type, oddAxis(axes));
}

/** @param {Body} body @param {readonly boolean[]} axes */
export function lockRotations(body, axes) {
  checkRotationAxes('Body.lockRotations', 'axes', axes);
  const locks = findLocks(body);
  const type = rotationTypes[count(axes)];
  locks.rotations?.destroy();
  locks.rotations = type === undefined ? null : makeLock(body, type, oddAxis(axes));
}

/** After a body was placed: what is held is held there. @param {Body} body */
export function moveLocks(body) {
  const locks = isUsed ? locksOf.get(body) : undefined;
  if (locks === undefined) return;
  for (const key of /** @type {const} */ (['translations', 'rotations'])) {
    const lock = locks[key];
    if (!lock?.isValid) continue;
    const { type } = lock;
    const n = axisOf(lock);
    lock.destroy();
    locks[key] = makeLock(body, type, n);
  }
}

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

/**
 * The locks of a body. In a world that was made from a saved state they are recognised by what they are: a
 * rigid constraint of their type to the world.
 * @param {Body} body @returns {Locks}
 */
function findLocks(body) {
  isUsed = true;
  const known = locksOf.get(body);
  const found = known ?? { translations: null, rotations: null };
  if (!found.translations?.isValid) found.translations = recognise(body, translationTypes);
  if (!found.rotations?.isValid) found.rotations = recognise(body, rotationTypes);
  locksOf.set(body, found);
  return found;
}

/** @param {Body} body @param {Readonly<Record<number, ConstraintType>>} types @returns {Constraint | null} */
function recognise(body, types) {
  const wanted = Object.values(types);
  const { flags } = body.world.columns.constraints;
  const found = body
    .constraints()
    .find(
      (item) =>
        wanted.includes(item.type) &&
        item.body2 === null &&
        item.name === undefined &&
        (flags[item.index] & ConstraintFlags.collides) !== 0 &&
        [0, 1, 2, 3, 4, 5].every((dof) => item.getCompliance(dof) === 0),
    );
  return found ?? null;
}
