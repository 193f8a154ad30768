// The one error of this package, and how a wrong value is described.

import { errorNames, functions } from '../generated/api.js';

/**
 * Codes of `cairn/base.h`, those of the loader, and those of objects of this package.
 * @typedef {import('../generated/types.js').EngineErrorCode | 'NO_SIMD' | 'NO_THREADS' | 'LOAD_FAILED'
 *   | 'SURPLUS_ARGUMENT' | 'READ_ONLY'} ErrorCode
 */

/**
 * What those who write with the objects call a function that an error comes from; names.js knows better.
 * @type {(call: string) => string}
 */
let nameOfCall = (call) => call;

const calls = new Set(functions.map(({ name }) => name));

/** @param {(call: string) => string} namer */
export function nameCallsWith(namer) {
  nameOfCall = namer;
}

/** Thrown for every misuse; nothing was changed. */
export class CairnError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} engineCall the function that refused, 'cnBody_SetVelocity' or 'World.steps'
   * @param {string} argument what was wrong, 'velocity[1]'; for scenes the JSON path
   * @param {string} engineText what is wrong with it and what is allowed
   */
  constructor(code, engineCall, argument, engineText) {
    const call = nameOfCall(engineCall);
    const text = engineText.replace(/\bcn[A-Z]\w*/g, (word) => (calls.has(word) ? nameOfCall(word) : word));
    super(`${call}: ${text}`);
    this.name = 'CairnError';
    /** @readonly */
    this.code = code;
    /** @readonly */
    this.call = call;
    /** @readonly */
    this.argument = argument;
    /** The message without the call. @readonly */
    this.reason = text;
  }
}

/** @param {string} call @returns {CairnError} that everything throws after cairn.dispose() */
export function disposedError(call) {
  return new CairnError('STALE_HANDLE', call, 'cairn', 'cairn was disposed');
}

/**
 * Name of an error number of the engine.
 * @param {number} number
 * @returns {ErrorCode}
 */
export function errorCode(number) {
  return /** @type {ErrorCode} */ (errorNames[number] ?? 'LOAD_FAILED');
}

/**
 * Number of an error of the engine.
 * @param {ErrorCode} code
 * @returns {number}
 */
export function errorNumber(code) {
  return /** @type {readonly string[]} */ (errorNames).indexOf(code);
}

/**
 * A value in a few words, for messages. Never throws.
 * @param {unknown} value
 * @returns {string}
 */
export function describe(value) {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'bigint') return `the BigInt ${value}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `an array of length ${value.length}`;
  if (ArrayBuffer.isView(value)) {
    const length = /** @type {{ length?: number }} */ (/** @type {unknown} */ (value)).length;
    if (isDetached(value)) return `${nameOf(value)} whose memory was transferred away`;
    return `${nameOf(value)}${length === undefined ? '' : ` of length ${length}`}`;
  }
  return nameOf(value);
}

/** @param {ArrayBufferView} view @returns {boolean} whether its memory was transferred to somebody else */
export function isDetached(view) {
  if (view.byteLength > 0) return false;
  try {
    // refused for memory that is gone
    new Uint8Array(view.buffer);
    return false;
  } catch {
    return true;
  }
}

/** @param {object} value */
function nameOf(value) {
  const prototype = /** @type {{ constructor?: { name?: unknown } } | null} */ (Object.getPrototypeOf(value));
  const name = prototype?.constructor?.name;
  if (typeof name !== 'string' || name === '') return 'an object';
  if (name === 'Object') return 'a plain object';
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}
