// Numbers on their way out: into the array that was given, or into a new one.

/** @typedef {import('./checks.js').OutputArray} OutputArray */

/**
 * Copies numbers to where they are wanted. With one loop for all kinds of arrays, JavaScript would look the
 * kind up at every number, which takes longer than the rest of a call: so each kind has its own.
 * @template {OutputArray} T
 * @param {Float64Array} source
 * @param {number} first index in it
 * @param {number} count
 * @param {T | undefined} out checked to have room; undefined: a new array
 * @returns {T}
 */
export function copyOut(source, first, count, out) {
  if (out === undefined) return /** @type {T} */ (makeArray(source, first, count));
  if (out instanceof Float64Array) {
    for (let i = 0; i < count; ++i) out[i] = source[first + i];
  } else if (out instanceof Float32Array) {
    for (let i = 0; i < count; ++i) out[i] = source[first + i];
  } else {
    for (let i = 0; i < count; ++i) out[i] = source[first + i];
  }
  return out;
}

/**
 * Literals are allocated as arrays of doubles in one piece.
 * @param {Float64Array} source @param {number} first @param {number} count
 * @returns {number[]}
 */
function makeArray(source, first, count) {
  if (count === 3) return [source[first], source[first + 1], source[first + 2]];
  if (count === 4) return [source[first], source[first + 1], source[first + 2], source[first + 3]];
  return Array.from(source.subarray(first, first + count));
}
