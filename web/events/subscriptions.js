// Who wants to be told of which events: handlers by the object that was asked and by name.

import { checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { CairnError, outOfRange, wrongType } from '../core/errors.js';
import { defaultMinSpeed, eventNames } from './event_types.js';

/** @typedef {import('./event_types.js').EventName} EventName */
/** Who can be asked. @typedef {import('../core/handle.js').Handle & { isValid?: boolean }} Target */

/**
 * @typedef {object} Subscription
 * @property {(event: any) => void} handler
 * @property {boolean} isOnce
 * @property {number} minSpeed m/s
 * @property {boolean} isActive
 */

/**
 * Lists that are read are never changed.
 * @typedef {Map<EventName, readonly Subscription[]>} SubscriptionsByName
 */

/** @type {readonly Subscription[]} */
const none = Object.freeze([]);

export class Subscriptions {
  /** By the object that was asked: the world, a body, a geometry, a constraint. */
  #byTarget = /** @type {Map<Target, SubscriptionsByName>} */ (new Map());
  /** How many there are. @type {Map<EventName, number>} */
  #counts = new Map();
  /** Of those that were destroyed and may come back. They keep nothing alive. */
  #parked = /** @type {WeakMap<Target, SubscriptionsByName>} */ (new WeakMap());
  /** @type {Set<WeakRef<Target>>} */
  #parkedTargets = new Set();

  /** @returns {boolean} */
  get isEmpty() {
    return this.#byTarget.size === 0;
  }

  /** Whether anybody wants them. @param {EventName} name @returns {boolean} */
  has = (name) => this.#counts.has(name);

  /** Who was asked. @returns {Target[]} */
  targets() {
    return [...this.#byTarget.keys()];
  }

  /** @param {Target} target @param {EventName} name @returns {readonly Subscription[]} */
  of(target, name) {
    return this.#byTarget.get(target)?.get(name) ?? none;
  }

  /**
   * @param {Target} target @param {EventName} name
   * @param {{ handler: (event: any) => void, isOnce: boolean, minSpeed: number }} wanted
   * @returns {Subscription}
   */
  add(target, name, wanted) {
    let byName = this.#byTarget.get(target);
    if (!byName) this.#byTarget.set(target, (byName = new Map()));
    const subscription = { ...wanted, isActive: true };
    byName.set(name, [...(byName.get(name) ?? none), subscription]);
    this.#count(name, 1);
    return subscription;
  }

  /**
   * @param {Target} target @param {EventName} name
   * @param {(subscription: Subscription) => boolean} isMeant
   * @returns {boolean} whether there was one
   */
  remove(target, name, isMeant) {
    const byName = this.#byTarget.get(target) ?? this.#parked.get(target);
    const list = byName?.get(name);
    if (!byName || !list) return false;
    const kept = list.filter((subscription) => {
      if (isMeant(subscription)) subscription.isActive = false;
      return subscription.isActive;
    });
    if (this.#byTarget.has(target)) this.#count(name, kept.length - list.length);
    if (kept.length > 0) byName.set(name, kept);
    else byName.delete(name);
    if (byName.size === 0) this.#byTarget.delete(target);
    return kept.length < list.length;
  }

  /** @param {EventName} name @param {number} change */
  #count(name, change) {
    const count = (this.#counts.get(name) ?? 0) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }

  /** Nobody asks this one any more. @param {Target} target */
  removeAll(target) {
    for (const name of [...(this.#byTarget.get(target)?.keys() ?? [])]) this.remove(target, name, () => true);
  }

  /** It was destroyed, and hears again when it comes back. @param {Target} target */
  park(target) {
    const byName = this.#byTarget.get(target);
    if (!byName) return;
    for (const [name, list] of byName) this.#count(name, -list.length);
    this.#byTarget.delete(target);
    this.#parked.set(target, byName);
    this.#parkedTargets.add(new WeakRef(target));
  }

  /** @param {(target: Target) => boolean} isBack */
  unpark(isBack) {
    for (const reference of this.#parkedTargets) {
      const target = reference.deref();
      const byName = target && this.#parked.get(target);
      if (byName && !isBack(target)) continue;
      this.#parkedTargets.delete(reference);
      if (!byName) continue;
      this.#parked.delete(target);
      if (byName.size > 0) this.#byTarget.set(target, byName);
      for (const [name, list] of byName) this.#count(name, list.length);
    }
  }
}

// ---- arguments --------------------------------------------------------------------------------------------

/**
 * @param {string} call @param {keyof typeof eventNames} kind of who was asked @param {unknown} name
 * @returns {EventName}
 */
export function checkEventName(call, kind, name) {
  const allowed = eventNames[kind];
  const list = allowed.map((word) => `'${word}'`).join(', ');
  if (typeof name !== 'string') throw wrongType(call, 'name', name, `are ${list}`);
  if (allowed.includes(/** @type {EventName} */ (name))) return /** @type {EventName} */ (name);
  const hint = eventNames.world.includes(/** @type {EventName} */ (name)) ? '; world.on() knows it' : '';
  const text = `name is ${JSON.stringify(name)}, allowed are ${list}${hint}`;
  throw new CairnError('UNKNOWN_NAME', call, 'name', text);
}

/**
 * @param {string} call @param {unknown} handler
 * @returns {(event: any) => void}
 */
export function checkHandler(call, handler) {
  if (typeof handler !== 'function') throw wrongType(call, 'handler', handler, 'are functions');
  return /** @type {(event: any) => void} */ (handler);
}

/**
 * @param {string} call @param {EventName} name @param {unknown} options EventOptions
 * @returns {number} minSpeed
 */
export function checkEventOptions(call, name, options) {
  if (options === undefined) return defaultMinSpeed;
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['minSpeed']);
  const { minSpeed } = options;
  if (minSpeed === undefined) return defaultMinSpeed;
  if (name !== 'impact')
    throw outOfRange(call, 'options.minSpeed', minSpeed, `is for 'impact' alone, and this is '${name}'`);
  checkNumber(call, 'options.minSpeed', minSpeed);
  if (minSpeed < 0) throw outOfRange(call, 'options.minSpeed', minSpeed, 'are numbers >= 0');
  return minSpeed;
}
