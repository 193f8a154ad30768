// Checks of arguments: each returns or throws a CairnError that names the call, the argument and
// what is allowed.

import { CairnError, describe } from './errors.js';
import { enumAliases, enums } from '../generated/api.js';

/**
 * A vector or quaternion given: exactly as many finite numbers as asked for.
 * @typedef {readonly number[] | Float64Array | Float32Array} VectorLike
 */
/**
 * Where numbers are written to: plain array, or typed array with room.
 * @typedef {number[] | Float64Array | Float32Array} OutputArray
 */
/**
 * Three moments, nine numbers, or three rows of three.
 * @typedef {VectorLike | readonly VectorLike[]} InertiaLike
 */
/**
 * [min, max]; null and infinite numbers: no bound.
 * @typedef {readonly (number | null)[] | Float64Array | Float32Array} IntervalLike
 */
/**
 * Three vertex numbers a triangle: in a row, or triangle by triangle.
 * @typedef {Int32Array | Uint32Array | Uint16Array | readonly number[] | readonly (readonly
 *   number[])[]} TriplesLike
 */
/**
 * Points one by one, or three numbers each in a row.
 * @typedef {VectorLike | readonly VectorLike[]} PointsLike
 */

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {string} allowed
 * @returns {CairnError}
 */
export function wrongType(call, argument, value, allowed) {
  return new CairnError(
    'WRONG_TYPE',
    call,
    argument,
    `${argument} is ${describe(value)}, allowed ${allowed}`,
  );
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {string} allowed
 * @returns {CairnError}
 */
export function outOfRange(call, argument, value, allowed) {
  return new CairnError(
    'OUT_OF_RANGE',
    call,
    argument,
    `${argument} is ${describe(value)}, allowed ${allowed}`,
  );
}

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is number} */
export function checkNumber(call, argument, value) {
  if (typeof value !== 'number') throw wrongType(call, argument, value, 'are finite numbers');
  if (!Number.isFinite(value)) {
    throw new CairnError('NOT_FINITE', call, argument, `${argument} is ${value}, allowed are finite numbers`);
  }
}

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is number} */
export function checkInteger(call, argument, value) {
  checkNumber(call, argument, value);
  if ((value | 0) !== value) throw outOfRange(call, argument, value, 'are integers of 32 bits');
}

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is number} */
export function checkUnsigned(call, argument, value) {
  checkNumber(call, argument, value);
  if (value >>> 0 !== value) throw outOfRange(call, argument, value, 'are integers 0…4294967295');
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is boolean}
 */
export function checkFlag(call, argument, value) {
  if (typeof value !== 'boolean') throw wrongType(call, argument, value, 'are true and false');
}

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is string} */
export function checkText(call, argument, value) {
  if (typeof value !== 'string') throw wrongType(call, argument, value, 'are strings');
  if (value.includes('\0')) throw outOfRange(call, argument, value, 'are strings without a zero character');
}

const integerArrays = [Int32Array, Uint32Array, Uint16Array];

/** @param {unknown} value @returns {value is VectorLike} */
export function isNumberArray(value) {
  return Array.isArray(value) || value instanceof Float64Array || value instanceof Float32Array;
}

/**
 * An array for numbers, whatever is in it.
 * @param {string} call @param {string} argument @param {unknown} value @param {number} length
 * @returns {asserts value is VectorLike}
 */
export function checkLength(call, argument, value, length) {
  if (!isNumberArray(value) || value.length !== length) {
    throw wrongType(call, argument, value, `are arrays, Float64Array and Float32Array of ${length} numbers`);
  }
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {number} length
 * @returns {asserts value is VectorLike}
 */
export function checkVector(call, argument, value, length) {
  checkLength(call, argument, value, length);
  for (let i = 0; i < length; ++i) {
    const number = value[i];
    if (typeof number !== 'number' || !Number.isFinite(number))
      checkNumber(call, `${argument}[${i}]`, number);
  }
}

/**
 * Two bounds, either of which may be null or infinite: none. That the first is not above the second is the
 * engine's to check.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {[number, number]}
 */
export function toInterval(call, argument, value) {
  if (!(isNumberArray(value) || Array.isArray(value)) || value.length !== 2)
    throw wrongType(call, argument, value, 'are [min, max], numbers or null');
  const bounds = /** @type {[number, number]} */ ([-Infinity, Infinity]);
  for (let i = 0; i < 2; ++i) {
    const bound = /** @type {unknown} */ (value[i]);
    if (bound === null || bound === bounds[i]) continue;
    checkNumber(call, `${argument}[${i}]`, bound);
    bounds[i] = bound;
  }
  return bounds;
}

/** Asking whether it is frozen takes long; what can get properties is not. @param {object} object */
const isFrozen = (object) => !Object.isExtensible(object) && Object.isFrozen(object);

/** @param {string} call @param {unknown} out @param {number} length */
export function checkOutput(call, out, length) {
  if (out === undefined) return;
  if (out instanceof Float64Array || out instanceof Float32Array) {
    if (out.length >= length) return;
  } else if (Array.isArray(out) && !isFrozen(out)) {
    return;
  }
  throw wrongType(
    call,
    'out',
    out,
    `are arrays, and Float64Array and Float32Array with room for ${length} numbers`,
  );
}

/** @param {string} call @param {unknown} out */
export function checkOutputObject(call, out) {
  if (out === undefined) return;
  if (
    typeof out === 'object' &&
    out !== null &&
    !Array.isArray(out) &&
    !ArrayBuffer.isView(out) &&
    !isFrozen(out)
  )
    return;
  throw wrongType(call, 'out', out, 'is an object to fill');
}

/**
 * Options as a plain object; a Body or an array in their place is a mistake.
 * @param {string} call @param {string} argument @param {unknown} value @param {string} [allowed]
 * @returns {asserts value is Record<string, unknown>}
 */
export function checkOptions(call, argument, value, allowed = 'are plain objects') {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype === null || Object.getPrototypeOf(prototype) === null) return;
  }
  throw wrongType(call, argument, value, allowed);
}

/**
 * A pose with both its parts.
 * @param {string} call @param {string} argument @param {unknown} pose
 * @returns {{ position: VectorLike, rotation: VectorLike }}
 */
export function fullPose(call, argument, pose) {
  checkOptions(call, argument, pose, 'are { position, rotation }');
  checkNames(call, argument, pose, ['position', 'rotation']);
  const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = pose;
  checkVector(call, `${argument}.position`, position, 3);
  checkVector(call, `${argument}.rotation`, rotation, 4);
  return { position, rotation };
}

/**
 * Refuses properties that nobody reads.
 * @param {string} call @param {string} argument @param {object} options @param {readonly string[]} allowed
 * @param {readonly string[]} [others] allowed too, and read before
 */
export function checkNames(call, argument, options, allowed, others = []) {
  for (const name of Object.keys(options)) {
    if (!allowed.includes(name)) {
      const list = [...others, ...allowed].join(', ');
      const text = `${argument} has no property ${JSON.stringify(name)}, allowed are ${list}`;
      throw new CairnError('UNKNOWN_NAME', call, `${argument}.${name}`, text);
    }
  }
}

/**
 * Number of an enum's word, or of another name for it.
 * @param {string} call @param {string} argument @param {string} name of the C enum @param {unknown} value
 * @returns {number}
 */
export function enumValue(call, argument, name, value) {
  const word = typeof value === 'string' ? value : '';
  const index = enums[name].indexOf(word);
  if (index >= 0) return index;
  const aliases = enumAliases[name] ?? {};
  if (Object.hasOwn(aliases, word)) return aliases[word];
  const words = enums[name].map((item) => `'${item}'`).join(', ');
  throw typeof value === 'string'
    ? outOfRange(call, argument, value, `are ${words}`)
    : wrongType(call, argument, value, `are ${words}`);
}

/** @param {string} name of the C enum @param {number} value @returns {string} */
export function enumWord(name, value) {
  return enums[name][value] ?? String(value);
}

/**
 * A matrix as nine numbers by columns, from three moments, nine numbers or three rows. Symmetric, so
 * rows are columns.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {VectorLike}
 */
export function nineNumbers(call, argument, value) {
  if (Array.isArray(value) && value.length === 3 && isNumberArray(value[0])) {
    value.forEach((row, i) => checkVector(call, `${argument}[${i}]`, row, 3));
    return /** @type {VectorLike[]} */ (value).flatMap((row) => [...row]);
  }
  if (isNumberArray(value) && value.length === 3) {
    checkVector(call, argument, value, 3);
    return [value[0], 0, 0, 0, value[1], 0, 0, 0, value[2]];
  }
  if (!isNumberArray(value) || value.length !== 9) {
    throw wrongType(call, argument, value, 'are three moments, nine numbers, or three rows of three');
  }
  checkVector(call, argument, value, 9);
  return value;
}

/**
 * Points as an array of three numbers each in a row.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {VectorLike}
 */
export function flatPoints(call, argument, value) {
  if (!isNumberArray(value)) {
    throw wrongType(call, argument, value, 'are lists of points and arrays with three numbers a point');
  }
  if (Array.isArray(value) && value.length > 0 && typeof value[0] !== 'number') {
    const flat = new Float64Array(3 * value.length);
    value.forEach((point, i) => {
      checkVector(call, `${argument}[${i}]`, point, 3);
      flat.set(point, 3 * i);
    });
    return flat;
  }
  if (value.length % 3 !== 0) throw wrongType(call, argument, value, 'are three numbers a point');
  checkVector(call, argument, value, value.length);
  return value;
}

/**
 * Triangles as an array of three vertex numbers each in a row.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {ArrayLike<number>}
 */
export function flatTriples(call, argument, value) {
  if (ArrayBuffer.isView(value) && integerArrays.some((type) => value instanceof type)) {
    const numbers = /** @type {Int32Array} */ (value);
    if (numbers.length % 3 !== 0)
      throw wrongType(call, argument, value, 'are three vertex numbers a triangle');
    return numbers;
  }
  if (!Array.isArray(value)) {
    throw wrongType(
      call,
      argument,
      value,
      'are arrays and integer arrays with three vertex numbers a triangle',
    );
  }
  const isNested = Array.isArray(value[0]);
  if (!isNested && value.length % 3 !== 0)
    throw wrongType(call, argument, value, 'are three vertex numbers a triangle');
  const flat = new Int32Array(isNested ? 3 * value.length : value.length);
  value.forEach((item, i) => {
    if (!isNested) {
      checkInteger(call, `${argument}[${i}]`, item);
      flat[i] = item;
      return;
    }
    if (!Array.isArray(item) || item.length !== 3)
      throw wrongType(call, `${argument}[${i}]`, item, 'are three vertex numbers');
    item.forEach((number, k) => {
      checkInteger(call, `${argument}[${i}][${k}]`, number);
      flat[3 * i + k] = number;
    });
  });
  return flat;
}
