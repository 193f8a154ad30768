// The one error of this package, and how a wrong value is described.

import { errorNames, functions } from '../generated/api.js';
import { nameDefinition } from './wording.js';

/**
 * Codes of `cairn/base.h`, those of the loader, and those of objects of this package.
 * @typedef {import('../generated/types.js').EngineErrorCode | 'NO_SIMD' | 'NO_THREADS' | 'LOAD_FAILED'
 *   | 'SURPLUS_ARGUMENT' | 'READ_ONLY'} ErrorCode
 */

/**
 * What those who write with the objects call a function that an error comes from; names.js knows better.
 * @type {(call: string) => string}
 */
export let nameOfCall = (call) => call;

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
    const text = nameDefinition(engineCall, engineText).replace(/\bcn[A-Z]\w*/g, (word) =>
      calls.has(word) ? nameOfCall(word) : word,
    );
    super(`${call}: ${text}`);
    this.name = 'CairnError';
    /** @readonly */
    this.code = code;
    /** @readonly */
    this.call = call;
    /** @readonly */
    this.argument = nameDefinition(engineCall, argument);
    /** The message without the call. @readonly */
    this.reason = text;
  }
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {string} allowed
 * @returns {CairnError}
 */
export function wrongType(call, argument, value, allowed) {
  const text = `${argument} is ${describe(value)}, allowed ${allowed}`;
  return new CairnError('WRONG_TYPE', call, argument, text + hintAt(value));
}

/**
 * @param {string} call @param {string} argument @param {unknown} value @param {string} allowed
 * @returns {CairnError}
 */
export function outOfRange(call, argument, value, allowed) {
  const text = `${argument} is ${describe(value)}, allowed ${allowed}`;
  return new CairnError('OUT_OF_RANGE', call, argument, text);
}

/**
 * For a value that is no finite number.
 * @param {string} call @param {string} argument @param {unknown} value @returns {CairnError}
 */
export function badNumber(call, argument, value) {
  const text = `${argument} is ${describe(value)}, allowed are finite numbers`;
  if (typeof value === 'number') {
    const hint = Number.isNaN(value) ? ': arithmetic with undefined, or with a text, gives NaN' : '';
    return new CairnError('NOT_FINITE', call, argument, text + hint);
  }
  const isNumeric = typeof value === 'bigint' || (typeof value === 'string' && isNumber(value));
  const hint = isNumeric ? `: Number(${describe(value)}) is one` : hintAt(value);
  return new CairnError('WRONG_TYPE', call, argument, text + hint);
}

/** @param {string} text */
const isNumber = (text) => text.trim() !== '' && Number.isFinite(Number(text));

/** What was likely forgotten about a value. @param {unknown} value @returns {string} '' for nothing */
function hintAt(value) {
  if (value instanceof Promise) return ': a Promise has to be awaited';
  return '';
}

/**
 * An error of a part of a call, as one of the call.
 * @param {unknown} error @param {string} call
 * @param {string} [path] what the part was given, 'options.shape'; its own options and descriptions are that
 * @returns {unknown}
 */
export function renamed(error, call, path = '') {
  if (!(error instanceof CairnError)) return error;
  const { code, argument, reason } = error;
  if (path === '') return new CairnError(code, call, argument, reason);
  const move = (/** @type {string} */ name) => {
    const rest = name.replace(/^(options|description)\b\.?/, '');
    return rest === '' || rest.startsWith('[') ? path + rest : `${path}.${rest}`;
  };
  // what is wrong is said of the argument, or of what it is a property of
  const [subject] = /^[\w.[\]]+/.exec(reason) ?? [''];
  const isOfIt = argument === subject || /^[.[]/.test(argument.slice(subject.length));
  const isMoved = subject !== '' && argument.startsWith(subject) && isOfIt;
  const text = isMoved ? move(subject) + reason.slice(subject.length) : reason;
  return new CairnError(code, call, move(argument), text);
}

/**
 * What a part of a call gives; its errors are those of the call.
 * @template T
 * @param {string} call @param {() => T} task @returns {T}
 */
export function within(call, task) {
  try {
    return task();
  } catch (error) {
    throw renamed(error, call);
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
  if (typeof value === 'bigint') return `${value}n`;
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
