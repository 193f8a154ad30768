// Checks of arguments: each returns or throws a CairnError that names the call, the argument and
// what is allowed.

import { badNumber, CairnError, nameOfCall, outOfRange, wrongType } from './errors.js';
import { likelyName } from './likely_names.js';
import { checkVector, isNumberArray, isVectorObject } from './vectors.js';
import { enumAliases, enums } from '../generated/api.js';

/** @typedef {import('./vectors.js').NumbersLike} NumbersLike */
/** @typedef {import('./vectors.js').VectorLike} VectorLike */
/** @typedef {import('./vectors.js').QuaternionLike} QuaternionLike */
/**
 * Where numbers are written to: plain array, or typed array with room.
 * @typedef {number[] | Float64Array | Float32Array} OutputArray
 */
/**
 * Three moments, nine numbers, or three rows of three.
 * @typedef {NumbersLike | readonly NumbersLike[]} InertiaLike
 */
/**
 * [min, max]; null and infinite numbers: no bound.
 * @typedef {readonly (number | null)[] | NumbersLike} IntervalLike
 */
/**
 * Three vertex numbers a triangle: in a row, or triangle by triangle.
 * @typedef {Int32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array | Int8Array
 *   | readonly number[] | readonly (readonly number[])[]} TriplesLike
 */
/**
 * Points one by one, or three numbers each in a row.
 * @typedef {NumbersLike | readonly VectorLike[]} PointsLike
 */

/** @param {string} call @param {string} argument @param {unknown} value @returns {asserts value is number} */
export function checkNumber(call, argument, value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw badNumber(call, argument, value);
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

const integerArrays = [Int32Array, Uint32Array, Uint16Array, Int16Array, Uint8Array, Int8Array];

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {number} length
 * @returns {readonly boolean[]}
 */
export function checkBooleans(call, argument, value, length) {
  if (!Array.isArray(value) || value.length !== length || value.some((item) => typeof item !== 'boolean'))
    throw wrongType(call, argument, value, `are arrays of ${length} booleans`);
  return value;
}

/**
 * Two bounds, either of which may be null or infinite: none. That the first is not above the second is the
 * engine's to check.
 * @param {string} call @param {string} argument @param {unknown} value
 * @returns {[number, number]}
 */
export function toInterval(call, argument, value) {
  if (!isNumberArray(value) || value.length !== 2)
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
  const hint = isVectorObject(out) ? outputHint(call, out, length) : '';
  const allowed = `are arrays, and Float64Array and Float32Array with room for ${length} numbers`;
  throw wrongType(call, 'out', out, allowed + hint);
}

/**
 * How a vector gets what a method gives.
 * @param {string} call @param {unknown} out @param {number} length
 */
function outputHint(call, out, length) {
  const get = `${nameOfCall(call)}()`;
  return 'fromArray' in /** @type {object} */ (out)
    ? `: out.fromArray(${get}) fills it`
    : `: const [x, y, z${length === 4 ? ', w' : ''}] = ${get}`;
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
 * @returns {{ position: NumbersLike, rotation: NumbersLike }}
 */
export function fullPose(call, argument, pose) {
  checkOptions(call, argument, pose, 'are { position, rotation }');
  checkNames(call, argument, pose, ['position', 'rotation']);
  const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = pose;
  return {
    position: checkVector(call, `${argument}.position`, position, 3),
    rotation: checkVector(call, `${argument}.rotation`, rotation, 4),
  };
}

/**
 * Refuses properties that nobody reads.
 * @param {string} call @param {string} argument @param {object} options @param {readonly string[]} allowed
 * @param {readonly string[]} [others] allowed too, and read before
 */
export function checkNames(call, argument, options, allowed, others = []) {
  for (const name of Object.keys(options)) {
    if (!allowed.includes(name)) {
      const all = [...others, ...allowed];
      const likely = likelyName(name, all);
      const hint = likely === '' ? '' : `; perhaps ${likely} is meant`;
      const list = `allowed are ${all.join(', ')}`;
      const text = `${argument} has no property ${JSON.stringify(name)}, ${list}${hint}`;
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
