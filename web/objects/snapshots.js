// Snapshots of worlds: bytes out of the module and into it.

import { outOfRange, wrongType } from '../core/checks.js';
import { isDetached } from '../core/errors.js';
import { handleOf } from '../core/handle.js';
import { worldGetSnapshotBytes } from '../generated/calls.js';

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
