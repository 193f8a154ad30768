// The events of a world: after each step they are read, for those who asked, and then told.
//
// All are read before any is told, so that a handler may make, change and destroy what it likes. What it
// changes shows in the events of the next step. Without a handler a step pays one comparison; with some,
//   contactstart, contactend, sensorenter, sensorexit   what began and ended
//   impact                                              a look at each contact
//   sleep, wake                                         a look at the flags of each body
//   break, merge, split                                 a call.

import { CairnError } from '../core/errors.js';
import { Handle, handleOf } from '../core/handle.js';
import {
  worldGetBrokenConstraint,
  worldGetBrokenCount,
  worldGetMergeChange,
  worldGetMergeChangeCount,
} from '../generated/calls.js';
import { Impacts } from './impacts.js';
import { findPassages } from './sensor_paths.js';
import { Sleepers } from './sleepers.js';
import { checkEventName, checkEventOptions, checkHandler, Subscriptions } from './subscriptions.js';
import { Touching } from './touching.js';

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/constraint.js').Constraint} Constraint */
/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/world.js').World} World */
/** @typedef {import('../listeners/after_step_listeners.js').MergeChange} MergeChange */
/** @typedef {import('./event_types.js').EventName} EventName */
/** @typedef {import('./event_types.js').StepStamp} StepStamp */
/** @typedef {import('./event_types.js').TouchDetails} TouchDetails */
/** @typedef {import('./event_types.js').TouchSides} TouchSides */
/** @typedef {import('./event_types.js').WorldEvent} WorldEvent */
/** @typedef {import('./subscriptions.js').Subscription} Subscription */
/** @typedef {import('./touching.js').Touch} Touch */

/** Who can be asked. @typedef {'world' | 'body' | 'geometry' | 'constraint'} TargetKind */
/** @typedef {import('./subscriptions.js').Target} Target */

const names = Object.freeze({ world: 'World', body: 'Body', geometry: 'Geometry', constraint: 'Constraint' });

export class WorldEvents {
  #world;
  #subscriptions = new Subscriptions();
  /** @type {Touching | null} */
  #touching = null;
  /** @type {Impacts | null} */
  #impacts = null;
  /** @type {Sleepers | null} */
  #sleepers = null;
  /** What was read and is to be told. */
  #due =
    /** @type {{ subscription: Subscription, name: EventName, target: Target, event: WorldEvent }[]} */ ([]);
  #isSomethingGone = false;
  /** Objects whose last events are due. @type {Target[]} */
  #leaving = [];
  /** @type {StepStamp} */
  #stamp = { time: 0, step: 0 };

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** Whether nobody has asked for any. @returns {boolean} */
  get isEmpty() {
    return this.#subscriptions.isEmpty && this.#due.length === 0;
  }

  // ---- asking for them ------------------------------------------------------------------------------------

  /**
   * @param {Target} target @param {'on' | 'once'} method
   * @param {unknown} name @param {unknown} handler @param {unknown} options EventOptions
   * @returns {() => void} that ends it
   */
  add(target, method, name, handler, options) {
    const { call, known } = this.#check(target, method, name);
    const wanted = {
      handler: checkHandler(call, handler),
      minSpeed: checkEventOptions(call, known, options),
      isOnce: method === 'once',
    };
    const subscription = this.#subscriptions.add(target, known, wanted);
    this.#follow();
    return () => this.#drop(target, known, subscription);
  }

  /**
   * @param {Target} target @param {unknown} name @param {unknown} handler
   * @returns {boolean} whether there was one
   */
  remove(target, name, handler) {
    const { call, known } = this.#check(target, 'off', name);
    const meant = checkHandler(call, handler);
    const wasThere = this.#subscriptions.remove(target, known, (item) => item.handler === meant);
    this.#follow();
    return wasThere;
  }

  /** @param {Target} target @param {string} method @param {unknown} name */
  #check(target, method, name) {
    const kind = /** @type {TargetKind} */ (Handle.kindOf(target));
    const call = `${names[kind]}.${method}`;
    handleOf(call, 'this', kind, kind === 'world' ? null : this.#world, target);
    // a geometry goes with its body, a gear with what it joins
    if (!isThere(target, this.#world))
      throw new CairnError('STALE_HANDLE', call, 'this', 'this was destroyed');
    return { call, known: checkEventName(call, kind, name) };
  }

  /** @param {Target} target @param {EventName} name @param {Subscription} subscription */
  #drop(target, name, subscription) {
    if (!subscription.isActive) return;
    this.#subscriptions.remove(target, name, (item) => item === subscription);
    this.#follow();
  }

  /** Only what is wanted is followed. */
  #follow() {
    const has = (/** @type {EventName} */ name) => this.#subscriptions.has(name);
    const touches = has('contactstart') || has('contactend') || has('sensorenter') || has('sensorexit');
    if (touches) this.#touching ??= new Touching(this.#world);
    else this.#touching = null;
    if (has('impact')) this.#impacts ??= new Impacts(this.#world);
    else this.#impacts = null;
    if (has('sleep') || has('wake')) this.#sleepers ??= new Sleepers(this.#world);
    else this.#sleepers = null;
  }

  // ---- what happens to the world --------------------------------------------------------------------------

  /** A body, geometry or constraint was destroyed. */
  noteGone() {
    this.#isSomethingGone = true;
    this.#touching?.noteGone();
  }

  /** Pairs may have been made again in silence. @param {number} [geometry] those of this row alone */
  doubt(geometry) {
    this.#touching?.doubt(geometry);
  }

  /** The same for all geometries of a body. @param {number} body row */
  doubtBody(body) {
    if (!this.#touching) return;
    const { bodies, geometries } = this.#world.columns;
    for (let row = bodies.firstGeometry[body]; row >= 0; row = geometries.nextOfBody[row])
      this.#touching.doubt(row);
  }

  /** The world got another state, and objects that were gone may be there again. */
  noteOtherState() {
    this.#subscriptions.unpark((target) => isThere(target, this.#world));
    this.#follow();
    this.noteGone();
    this.#touching?.doubt();
    this.#impacts?.forget();
  }

  // ---- reading --------------------------------------------------------------------------------------------

  /** After a step, before anybody is told of anything. */
  collect() {
    if (this.#subscriptions.isEmpty) return;
    const world = this.#world;
    this.#stamp = { time: world.time, step: world.stepCount };
    const mergeChanges = worldGetMergeChangeCount(world);
    if (mergeChanges > 0) this.#touching?.doubt();
    if (this.#touching) this.#collectTouches(this.#touching);
    if (this.#impacts) this.#collectImpacts(this.#impacts);
    if (this.#subscriptions.has('break')) this.#collectBreaks();
    if (mergeChanges > 0) this.#collectMergeChanges(mergeChanges);
    if (this.#sleepers) this.#collectSleepers(this.#sleepers);
    if (this.#isSomethingGone) this.#findLeaving();
  }

  /** @param {Touching} touching */
  #collectTouches(touching) {
    const { ended, begun } = touching.collect();
    for (const touch of ended) {
      if (touch.isSensor1 || touch.isSensor2) this.#addSensor('sensorexit', touch, {});
      else this.#addTouch('contactend', touch.sides, null);
    }
    for (const { touch, details } of begun) {
      if (touch.isSensor1 || touch.isSensor2)
        this.#addSensor('sensorenter', touch, { point: details?.point ?? null });
      else this.#addTouch('contactstart', touch.sides, details);
    }
    if (this.#subscriptions.has('sensorenter') || this.#subscriptions.has('sensorexit'))
      this.#collectPassages(touching);
  }

  /** @param {Touching} touching */
  #collectPassages(touching) {
    for (const { geometry, sensor, point } of findPassages(this.#world))
      if (!touching.has(geometry, sensor))
        this.#addSensor('sensorenter', touching.addPassing(geometry, sensor), { point });
  }

  /** @param {Impacts} impacts */
  #collectImpacts(impacts) {
    for (const { sides, details } of impacts.collect()) this.#addTouch('impact', sides, details);
  }

  #collectBreaks() {
    const world = this.#world;
    const count = worldGetBrokenCount(world);
    for (let i = 0; i < count; ++i) {
      const handle = worldGetBrokenConstraint(world, i);
      const constraint = /** @type {Constraint} */ (world.objectOf('constraint', handle));
      if (!constraint.isValid) continue;
      const { body1, body2 } = constraint;
      const event = this.#make({ type: 'break', constraint, body1, body2 });
      this.#addFor('break', event, [constraint, body1, body2]);
    }
  }

  /** @param {number} count */
  #collectMergeChanges(count) {
    const { has } = this.#subscriptions;
    if (!has('merge') && !has('split')) return;
    for (let i = 0; i < count; ++i) {
      const change = /** @type {MergeChange} */ (worldGetMergeChange(this.#world, i));
      const { body, from, to } = change;
      if (from !== null) this.#addFor('split', this.#make({ type: 'split', body, mergedBody: from }), [body]);
      if (to !== null) this.#addFor('merge', this.#make({ type: 'merge', body, mergedBody: to }), [body]);
    }
  }

  /** @param {Sleepers} sleepers */
  #collectSleepers(sleepers) {
    for (const { body, isAsleep } of sleepers.collect()) {
      const name = isAsleep ? 'sleep' : 'wake';
      this.#addFor(name, this.#make({ type: name, body }), [body]);
    }
  }

  /** @template {object} T @param {T} what @returns {WorldEvent} */
  #make(what) {
    return /** @type {WorldEvent} */ (/** @type {unknown} */ (Object.freeze({ ...what, ...this.#stamp })));
  }

  // ---- who is told ----------------------------------------------------------------------------------------

  /**
   * Seen from the first side by the world and who is there, from the second by the others.
   * @param {'contactstart' | 'contactend' | 'impact'} name
   * @param {TouchSides} sides @param {TouchDetails | null} details
   */
  #addTouch(name, sides, details) {
    if (!this.#subscriptions.has(name)) return;
    const { body1, body2, geometry1, geometry2 } = sides;
    const speed = name === 'impact' && details ? details.approachSpeed : Infinity;
    /** @type {(WorldEvent | null)[]} */
    const views = [null, null];
    const straight = () => (views[0] ??= this.#make({ type: name, ...sides, ...details }));
    const swapped = () =>
      (views[1] ??= this.#make({
        type: name,
        body1: body2,
        body2: body1,
        geometry1: geometry2,
        geometry2: geometry1,
        ...swapDetails(details),
      }));
    this.#addOf(this.#world, name, straight, speed);
    if (body1) this.#addOf(body1, name, straight, speed);
    this.#addOf(geometry1, name, straight, speed);
    if (body2) this.#addOf(body2, name, swapped, speed);
    this.#addOf(geometry2, name, swapped, speed);
  }

  /**
   * Two sensors hear of one another.
   * @param {'sensorenter' | 'sensorexit'} name @param {Touch} touch @param {object} details
   */
  #addSensor(name, { sides, isSensor1, isSensor2 }, details) {
    if (!this.#subscriptions.has(name)) return;
    const { body1, body2, geometry1, geometry2 } = sides;
    const targets = [geometry1, body1, geometry2, body2];
    if (isSensor1) {
      const who = { sensor: geometry1, sensorBody: body1, geometry: geometry2, body: body2 };
      this.#addFor(name, this.#make({ type: name, ...who, ...details }), targets);
    }
    if (isSensor2) {
      const who = { sensor: geometry2, sensorBody: body2, geometry: geometry1, body: body1 };
      this.#addFor(name, this.#make({ type: name, ...who, ...details }), targets);
    }
  }

  /**
   * For the world and these.
   * @param {EventName} name @param {WorldEvent} event @param {(Target | null)[]} targets
   */
  #addFor(name, event, targets) {
    const get = () => event;
    this.#addOf(this.#world, name, get, Infinity);
    for (const target of targets) if (target) this.#addOf(target, name, get, Infinity);
  }

  /**
   * @param {Target} target @param {EventName} name @param {() => WorldEvent} get
   * @param {number} speed m/s, that minSpeed is compared with
   */
  #addOf(target, name, get, speed) {
    for (const subscription of this.#subscriptions.of(target, name))
      if (speed >= subscription.minSpeed) this.#due.push({ subscription, name, target, event: get() });
  }

  /** Those that were destroyed hear their last events. */
  #findLeaving() {
    this.#isSomethingGone = false;
    const world = this.#world;
    this.#leaving = this.#subscriptions.targets().filter((target) => !isThere(target, world));
  }

  // ---- telling --------------------------------------------------------------------------------------------

  /**
   * Handlers that are added meanwhile hear of the next step. All are told; then what one of them threw is
   * thrown, what several threw as an AggregateError.
   */
  deliver() {
    if (this.#due.length === 0 && this.#leaving.length === 0) return;
    const due = this.#due;
    const leaving = this.#leaving;
    this.#due = [];
    this.#leaving = [];
    /** @type {unknown[]} */
    const errors = [];
    const before = this.#world.atWork.begin('a handler of events');
    for (const item of due) {
      try {
        this.#tell(item);
      } catch (error) {
        errors.push(error);
      }
    }
    this.#world.atWork.end(before);
    if (leaving.length > 0) this.#letGo(leaving);
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1)
      throw new AggregateError(errors, `${errors.length} handlers of events threw: ${String(errors[0])}, …`);
  }

  /** An older state may bring them back. @param {Target[]} targets */
  #letGo(targets) {
    for (const target of targets) {
      if (this.#world.mayGoBack) this.#subscriptions.park(target);
      else this.#subscriptions.removeAll(target);
    }
    this.#follow();
  }

  /** @param {{ subscription: Subscription, name: EventName, target: Target, event: WorldEvent }} due */
  #tell({ subscription, name, target, event }) {
    if (!subscription.isActive) return;
    if (subscription.isOnce) this.#drop(target, name, subscription);
    subscription.handler(event);
  }
}

/** @param {Target} target @param {World} world */
function isThere(target, world) {
  return target === world || target.isValid === true;
}

/** Seen from the other side. @param {TouchDetails | null} details */
function swapDetails(details) {
  if (!details) return details;
  const [x, y, z] = details.normal;
  return { ...details, normal: Object.freeze([-x, -y, -z]) };
}
