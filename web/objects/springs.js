// Springs in N/m and N s/m (N m/rad and N m s/rad of angles), whatever the constraint keeps: a compliance and
// a time of damping.

import { checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { CairnError, outOfRange } from '../core/errors.js';
import {
  constraintGetLockAt,
  constraintGetSpring,
  constraintGetType,
  constraintSetLockAt,
  constraintSetSpring,
} from '../generated/calls.js';
import { constraintTypes } from '../generated/descriptions.js';

/** @typedef {import('./constraint.js').Constraint} Constraint */

/**
 * @typedef {object} SpringOptions
 * @property {number} [stiffness] N/m or N m/rad, > 0; of a spring 0 too, a damper alone
 * @property {number | null} [damping] N s/m or N m s/rad, >= 0; null is read where none was given, as of a
 *   distance: that damps over two time steps, which no number stands for
 * @property {number} [length] m or rad, where it pulls with no force
 */

const names = ['stiffness', 'damping', 'length'];
const mostDigits = 15;

/**
 * A number as it was before it was turned over: decimals of up to 15 digits come back as they were written.
 * @param {number} value
 */
const asWritten = (value) => Number(value.toPrecision(mostDigits));

/** Whether two points are pulled to a length, and no coordinate. @param {Constraint} constraint */
function isLine(constraint) {
  const type = constraintGetType(constraint.world, constraint);
  return type === 'spring' || type === 'distance';
}

/** @param {string} call @param {Constraint} constraint */
function checkFree(call, constraint) {
  const { type } = constraint;
  if (constraintTypes[type].free.length > 0) return;
  const able = Object.entries(constraintTypes).filter(([, { free }]) => free.length > 0);
  const text = `this is a ${type}, which has nothing free that a spring could pull, allowed are `;
  throw new CairnError('OUT_OF_RANGE', call, 'this', `${text}${able.map(([name]) => name).join(', ')}`);
}

/**
 * @param {Constraint} constraint @param {number} index @returns {Required<SpringOptions> | null}
 */
export function getSpring(constraint, index) {
  const { world } = constraint;
  if (isLine(constraint)) {
    checkFirst('Constraint.getSpring', index);
    const { stiffness, damping, length } =
      /** @type {{ stiffness: number, damping: number, length: number }} */ (
        constraintGetSpring(world, constraint)
      );
    return readBack(stiffness, damping, length);
  }
  checkFree('Constraint.getSpring', constraint);
  const { enabled, position, compliance, damping } = /** @type {Required<import(
    '../generated/types.js').LockAt>} */ (constraintGetLockAt(world, constraint, index));
  if (!enabled) return null;
  const stiffness = 1 / compliance;
  return readBack(stiffness, damping < 0 ? -1 : damping * stiffness, position);
}

/**
 * @param {number} stiffness @param {number} damping < 0: automatic @param {number} length
 * @returns {Required<SpringOptions>}
 */
function readBack(stiffness, damping, length) {
  const known = damping < 0 ? null : asWritten(damping);
  return { stiffness: asWritten(stiffness), damping: known, length };
}

/**
 * @param {Constraint} constraint @param {unknown} spring SpringOptions or null @param {number} index
 */
export function setSpring(constraint, spring, index) {
  const call = 'Constraint.setSpring';
  const { world } = constraint;
  const isOfLine = isLine(constraint);
  if (isOfLine) checkFirst(call, index);
  else checkFree(call, constraint);
  if (spring === null) {
    if (isOfLine)
      throw outOfRange(call, 'spring', spring, `are { ${names.join(', ')} } for a ${constraint.type}`);
    constraint.setLockAt(null, index);
    return;
  }
  checkOptions(call, 'spring', spring);
  checkNames(call, 'spring', spring, names);
  const before = getSpring(constraint, index);
  const stiffness = numberOf(call, 'stiffness', spring.stiffness, before?.stiffness);
  const damping = numberOf(call, 'damping', spring.damping, before?.damping ?? 0);
  if (isOfLine) {
    const length = numberOf(call, 'length', spring.length, before?.length);
    constraintSetSpring(world, constraint, { stiffness, damping, length });
    return;
  }
  if (stiffness === 0) throw outOfRange(call, 'spring.stiffness', stiffness, 'are numbers > 0');
  const position = spring.length === undefined ? (before?.length ?? 0) : spring.length;
  checkNumber(call, 'spring.length', position);
  const compliance = 1 / stiffness;
  const lock = { ...constraintGetLockAt(world, constraint, index), enabled: true };
  constraintSetLockAt(world, constraint, index, {
    ...lock,
    position,
    compliance,
    damping: damping / stiffness,
  });
}

/**
 * @param {string} call @param {string} name @param {unknown} value @param {number | undefined} otherwise
 * @returns {number}
 */
function numberOf(call, name, value, otherwise) {
  const number = value === undefined || value === null ? otherwise : value;
  checkNumber(call, `spring.${name}`, number);
  if (number < 0 || number > 1e30) throw outOfRange(call, `spring.${name}`, number, 'are numbers 0…1e30');
  return number;
}

/** @param {string} call @param {unknown} index */
function checkFirst(call, index) {
  if (index !== 0) throw outOfRange(call, 'index', index, 'is 0: there is one length');
}
