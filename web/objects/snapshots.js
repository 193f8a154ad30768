// Snapshots of worlds: bytes out of the module and into it.

import { isDetached, outOfRange, wrongType } from '../core/errors.js';
import { handleOf } from '../core/handle.js';
import { seal } from '../core/strict.js';
import {
  worldGetRecordingBytes,
  worldGetSnapshotBytes,
  worldStartRecording,
  worldStopRecording,
} from '../generated/calls.js';

/** @typedef {import('./world.js').World} World */

/**
 * @param {World} world
 * @param {unknown} target
 * @returns {Uint8Array}
 */
export function saveWorld(world, target) {
  const call = 'cnWorld_Save';
  const value = handleOf(call, 'world', 'world', null, world);
  if (target !== undefined && (!(target instanceof Uint8Array) || isDetached(target)))
    throw wrongType(call, 'target', target, 'is a Uint8Array');
  const { runtime } = world;
  const bytes = worldGetSnapshotBytes(world);
  if (target !== undefined && target.length < bytes)
    throw outOfRange(call, 'target.length', target.length, `are ${bytes} or more bytes`);
  try {
    const address = runtime.allocate(call, bytes);
    runtime.check(runtime.raw._cnw_World_Save(value, address, bytes));
    const written = runtime.u8.subarray(address, address + bytes);
    if (target === undefined) return new Uint8Array(written);
    target.set(written);
    return target.subarray(0, bytes);
  } finally {
    runtime.scratch.release();
  }
}

/**
 * @param {World} world
 * @param {unknown} bytes
 */
export function restoreIntoWorld(world, bytes) {
  const call = 'cnWorld_Restore';
  const value = handleOf(call, 'world', 'world', null, world);
  const { runtime } = world;
  try {
    const address = runtime.writeBytes(call, 'snapshot', bytes);
    const { length } = /** @type {Uint8Array} */ (bytes);
    runtime.check(runtime.raw._cnw_World_Restore(value, address, length));
  } finally {
    runtime.scratch.release();
  }
}

/**
 * @param {import('../core/runtime.js').Runtime} runtime
 * @param {unknown} bytes
 * @param {number} threads
 * @returns {number} handle of the new world
 */
export function restoreNewWorld(runtime, bytes, threads) {
  try {
    const address = runtime.writeBytes('cnRestoreWorld', 'snapshot', bytes);
    const { length } = /** @type {Uint8Array} */ (bytes);
    runtime.check(runtime.raw._cnw_RestoreWorld(address, length, threads));
    return runtime.u32[runtime.raw._cnw_GetResult() >>> 2];
  } finally {
    runtime.scratch.release();
  }
}

/**
 * The recording of a world: its state at the start, what changed it between its own phases, a fingerprint of
 * each step. `cairn.replay()` and the command `cairn replay` play it again.
 */
export class WorldRecord {
  #world;
  #isOn = false;

  /** @internal @param {World} world */
  constructor(world) {
    this.#world = world;
    seal(this);
  }

  /** @returns {boolean} */
  get isOn() {
    return this.#isOn;
  }

  /** Bytes recorded so far. @returns {number} */
  get length() {
    return worldGetRecordingBytes(this.#world) >>> 0;
  }

  /** Starts a recording with the present state; one that was going on is dropped. @returns {void} */
  start() {
    worldStartRecording(this.#world);
    this.#isOn = true;
  }

  /** Ends the recording. `WRONG_PHASE` without one. @returns {Uint8Array} what a file takes */
  stop() {
    const call = 'cnWorld_CopyRecording';
    const value = handleOf(call, 'world', 'world', null, this.#world);
    const { runtime } = this.#world;
    const bytes = this.length;
    try {
      const address = runtime.allocate(call, Math.max(bytes, 16));
      runtime.check(runtime.raw._cnw_World_CopyRecording(value, address, bytes));
      worldStopRecording(this.#world);
      this.#isOn = false;
      return new Uint8Array(runtime.u8.subarray(address, address + bytes));
    } finally {
      runtime.scratch.release();
    }
  }
}

/**
 * @typedef {object} ReplayDifference
 * @property {number} step the first that came out otherwise, as world.stepCount counts
 * @property {string} section where: 'bodies.position', 'pairs', 'world'
 * @property {string} table 'bodies'
 * @property {string | null} column 'position'
 * @property {number} row of that table; -1: unknown
 *
 * @typedef {object} Replay
 * @property {number} steps that were played and compared
 * @property {ReplayDifference | null} difference null: all steps came out as recorded
 */

/**
 * @param {import('../core/runtime.js').Runtime} runtime
 * @param {unknown} recording
 * @param {number} threads
 * @returns {Replay}
 */
export function playRecording(runtime, recording, threads) {
  try {
    const address = runtime.writeBytes('cnPlayRecording', 'recording', recording);
    const { length } = /** @type {Uint8Array} */ (recording);
    runtime.check(runtime.raw._cnw_PlayRecording(address, length, threads));
    const result = runtime.raw._cnw_GetResult() >>> 0;
    const [steps, differs, step, row] = runtime.readNumbers(result, 4);
    const section = runtime.readText(result + 32);
    const [table, column = null] = section.split('.');
    return { steps, difference: differs ? { step, section, table, column, row } : null };
  } finally {
    runtime.scratch.release();
  }
}
