// Vectors and rotations as they are given: numbers in a row, or objects with x, y, z and w.

import { badNumber, describe, wrongType } from './errors.js';

/**
 * Numbers in a row: an array, or a typed array of any kind but those of BigInts.
 * @typedef {readonly number[] | Float64Array | Float32Array | Int32Array | Uint32Array | Int16Array
 *   | Uint16Array | Int8Array | Uint8Array | Uint8ClampedArray} NumbersLike
 */
/**
 * A vector given: three finite numbers, or an object that has them (Vector3 of three.js, …; no Euler angles).
 * @typedef {NumbersLike | { readonly x: number, readonly y: number, readonly z: number,
 *   readonly w?: undefined, readonly order?: undefined }} VectorLike
 */
/**
 * A rotation given: four finite numbers x, y, z, w, or an object that has them (Quaternion of three.js, …).
 * @typedef {NumbersLike | { readonly x: number, readonly y: number, readonly z: number,
 *   readonly w: number }} QuaternionLike
 */

const names = /** @type {const} */ (['x', 'y', 'z', 'w']);

/** @param {unknown} value @returns {value is NumbersLike} */
export function isNumberArray(value) {
  return (
    Array.isArray(value) ||
    value instanceof Float64Array ||
    value instanceof Float32Array ||
    (ArrayBuffer.isView(value) &&
      !(value instanceof DataView || value instanceof BigInt64Array || value instanceof BigUint64Array))
  );
}

/**
 * Whether they are as many numbers in a row; that they are finite is for the caller to see.
 * @param {unknown} value @param {number} length @returns {value is NumbersLike}
 */
export function isNumbers(value, length) {
  return isNumberArray(value) && value.length === length;
}

/** Whether it is an object with x, y or z in place of an array. @param {unknown} value */
export function isVectorObject(value) {
  if (typeof value !== 'object' || value === null || isNumberArray(value)) return false;
  const { x, y, z } = /** @type {{ x?: unknown, y?: unknown, z?: unknown }} */ (value);
  return x !== undefined || y !== undefined || z !== undefined;
}

/**
 * Refuses what has no x, y, z and w to be read: anything but objects, arrays of another length, and objects
 * whose x, y and z mean something else. That they are finite numbers is for the caller to see.
 * @param {string} call @param {string} argument @param {unknown} value @param {number} length 3 or 4
 * @returns {void}
 */
export function checkVectorObject(call, argument, value, length) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Array.isArray(value))
    throw noVector(call, argument, value, length);
  const { order } = /** @type {{ order?: unknown }} */ (value);
  if (typeof order === 'string') throw noVector(call, argument, value, length, eulerHint(argument));
  if (length === 4) return;
  const { w } = /** @type {{ w?: unknown }} */ (value);
  if (w !== undefined)
    throw noVector(call, argument, value, length, `: one with a w, ${describe(w)}, is no vector`);
}

/**
 * As many finite numbers as asked for: the array itself, or a new one of what an object has.
 * @param {string} call @param {string} argument @param {unknown} value @param {number} length
 * @returns {NumbersLike}
 */
export function checkVector(call, argument, value, length) {
  if (isNumbers(value, length)) {
    for (let i = 0; i < length; ++i) {
      const number = value[i];
      if (typeof number !== 'number' || !Number.isFinite(number))
        throw badNumber(call, `${argument}[${i}]`, number);
    }
    return value;
  }
  if ((length !== 3 && length !== 4) || !isVectorObject(value)) throw noVector(call, argument, value, length);
  checkVectorObject(call, argument, value, length);
  return names.slice(0, length).map((name) => {
    const number = /** @type {Record<string, unknown>} */ (value)[name];
    if (typeof number !== 'number' || !Number.isFinite(number))
      throw badNumber(call, `${argument}.${name}`, number);
    return number;
  });
}

/**
 * Points as an array of three numbers each in a row.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {NumbersLike}
 */
export function flatPoints(call, argument, value) {
  if (!isNumberArray(value)) {
    throw wrongType(
      call,
      argument,
      value,
      `are lists of points and arrays with three numbers a point${attributeHint(argument, value)}`,
    );
  }
  if (Array.isArray(value) && value.length > 0 && typeof value[0] !== 'number')
    return flatVectors(call, argument, value, 3);
  if (value.length % 3 !== 0) throw wrongType(call, argument, value, 'are three numbers a point');
  return checkVector(call, argument, value, value.length);
}

/**
 * Vectors one behind the other.
 * @param {string} call @param {string} argument @param {readonly unknown[]} list
 * @param {number} length of each
 * @returns {Float64Array}
 */
export function flatVectors(call, argument, list, length) {
  const flat = new Float64Array(length * list.length);
  list.forEach((item, i) => flat.set(checkVector(call, `${argument}[${i}]`, item, length), length * i));
  return flat;
}

/**
 * A matrix as nine numbers by columns, from three moments, nine numbers or three rows. Symmetric, so
 * rows are columns.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {NumbersLike}
 */
export function nineNumbers(call, argument, value) {
  if (Array.isArray(value) && value.length === 3 && typeof value[0] === 'object' && value[0] !== null)
    return flatVectors(call, argument, value, 3);
  if (isVectorObject(value) || (isNumberArray(value) && value.length === 3)) {
    const [x, y, z] = checkVector(call, argument, value, 3);
    return [x, 0, 0, 0, y, 0, 0, 0, z];
  }
  if (!isNumberArray(value) || value.length !== 9) {
    const hint = isMatrix(value) ? `: ${argument}.elements are those of a matrix` : '';
    throw wrongType(call, argument, value, `are three moments, nine numbers, or three rows of three${hint}`);
  }
  return checkVector(call, argument, value, 9);
}

// ---- what is wrong ----------------------------------------------------------------------------------------

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {number} length
 * @param {string} [hint]
 */
function noVector(call, argument, value, length, hint = vectorHint(argument, value, length)) {
  const forms = ['[x, y, z]', '[x, y, z, w]'][length - 3];
  const allowed =
    forms === undefined
      ? `are arrays and typed arrays of ${length} numbers`
      : `are ${forms}, typed arrays of ${length} numbers and { ${names.slice(0, length).join(', ')} }`;
  return wrongType(call, argument, value, allowed + hint);
}

/** @param {string} argument */
const eulerHint = (argument) =>
  `: of Euler angles new Quaternion().setFromEuler(${argument}) makes a rotation in three.js`;

/** @param {string} argument @param {unknown} value @param {number} length @returns {string} '' without one */
function vectorHint(argument, value, length) {
  if (length === 4 && isNumberArray(value) && value.length === 3)
    return ': rotations are quaternions, three angles are none';
  if (typeof value === 'number' && length === 3) return ': a vector is one argument';
  if (typeof value !== 'object' || value === null) return '';
  if ('isObject3D' in value)
    return `: ${argument}.${length === 4 ? 'quaternion' : 'position'} is that of an object of three.js`;
  return attributeHint(argument, value);
}

/** Of a BufferAttribute. @param {string} argument @param {unknown} value */
const attributeHint = (argument, value) =>
  typeof value === 'object' && value !== null && 'itemSize' in value && 'array' in value
    ? `: ${argument}.array has the numbers`
    : '';

/** @param {unknown} value */
const isMatrix = (value) => typeof value === 'object' && value !== null && 'elements' in value;
