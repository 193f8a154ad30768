// Listeners of what the engine lists after each step (constraints that broke, islands that the energy guard
// acted on, bodies that merged or split), told by JavaScript itself: nothing calls out of WebAssembly.

import { wrongType } from '../core/errors.js';
import {
  worldGetBrokenConstraint,
  worldGetBrokenCount,
  worldGetGuardEvent,
  worldGetGuardEventCount,
  worldGetMergeChange,
  worldGetMergeChangeCount,
} from '../generated/calls.js';
import { seal } from '../core/strict.js';
import { Listener, ListenerList } from './listener.js';

/** @typedef {import('../objects/constraint.js').Constraint} Constraint */
/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/merged_body.js').MergedBody} MergedBody */
/** @typedef {import('../objects/world.js').World} World */

/**
 * Hears of events of one kind.
 * @template Event
 */
export class AfterStepListener extends Listener {
  /** @internal @type {(event: Event) => void} @readonly */
  hear;

  /** @internal @param {AfterStepListeners<Event>} owner @param {(event: Event) => void} hear */
  constructor(owner, hear) {
    super(owner);
    this.hear = hear;
  }
}

/** Hears of constraints that broke. @extends {AfterStepListener<Constraint>} */
export class BreakListener extends AfterStepListener {}

/**
 * An island out of which the energy guard took energy that its joints and contacts had raised
 * without a source.
 * @typedef {object} GuardEvent
 * @property {Body} body of the island: the one with the lowest row
 * @property {number} energy J, > 0
 * @property {number} repeats times that the island's step was done again with more sub-steps
 */

/** Hears of the energy guard. @extends {AfterStepListener<GuardEvent>} */
export class GuardListener extends AfterStepListener {}

/**
 * A body that belongs to another merged body than after the step before, by a call or by adaptive merging.
 * @typedef {object} MergeChange
 * @property {Body} body
 * @property {MergedBody | null} from which may be gone; null: it moved on its own
 * @property {MergedBody | null} to null: it moves on its own
 */

/** Hears of bodies that merged and split. @extends {AfterStepListener<MergeChange>} */
export class MergeListener extends AfterStepListener {}

/**
 * All of a world and of one kind.
 * @internal
 * @template Event
 * @extends {ListenerList<AfterStepListener<Event>>}
 */
export class AfterStepListeners extends ListenerList {
  #listener;
  #names;
  #count;
  #read;
  #isValid;

  /**
   * @param {string} kind for messages
   * @param {World} world
   * @param {object} events
   * @param {new (owner: any, hear: (event: any) => void) => AfterStepListener<Event>} events.listener
   * @param {[string, string]} events.names of the method that adds one and of its argument
   * @param {() => number} events.count of those in the last step
   * @param {(index: number) => Event | null} events.read
   * @param {(event: Event) => boolean} events.isValid whether what it is about is still there
   */
  constructor(kind, world, { listener, names, count, read, isValid }) {
    super(kind, world);
    this.#listener = listener;
    this.#names = names;
    this.#count = count;
    this.#read = read;
    this.#isValid = isValid;
  }

  /** @param {unknown} hear @returns {AfterStepListener<Event>} */
  add(hear) {
    const [method, argument] = this.#names;
    if (typeof hear !== 'function') throw wrongType(method, argument, hear, 'are functions');
    const listener = seal(new this.#listener(this, /** @type {(event: any) => void} */ (hear)));
    this.list.push(listener);
    return listener;
  }

  /** Of what the last step lists. */
  tell() {
    const count = this.isEmpty ? 0 : this.#count();
    if (count > 0) this.#tellAll(count);
  }

  /** @param {number} count events: a function of its own, since what it keeps for its callbacks is garbage */
  #tellAll(count) {
    // all are read before any is told: listeners may destroy what they are about
    const events = Array.from({ length: count }, (_, i) => this.#read(i));
    this.whileTelling((listeners) => this.#tellOf(events, listeners));
  }

  /** @param {(Event | null)[]} events @param {number} count listeners that hear in this step */
  #tellOf(events, count) {
    for (const event of events) {
      for (let k = 0; k < count && event !== null && this.#isValid(event); ++k) {
        if (this.list[k].isActive) this.list[k].hear(event);
      }
    }
  }
}

/** @internal @param {World} world @returns {AfterStepListeners<Constraint>} */
export function makeBreakListeners(world) {
  return new AfterStepListeners('break', world, {
    listener: BreakListener,
    names: ['World.addBreakListener', 'onBreak'],
    count: () => worldGetBrokenCount(world),
    read: (index) =>
      /** @type {Constraint | null} */ (world.objectOf('constraint', worldGetBrokenConstraint(world, index))),
    isValid: (constraint) => constraint.isValid,
  });
}

/** @internal @param {World} world @returns {AfterStepListeners<GuardEvent>} */
export function makeGuardListeners(world) {
  return new AfterStepListeners('guard', world, {
    listener: GuardListener,
    names: ['World.addGuardListener', 'onGuard'],
    count: () => worldGetGuardEventCount(world),
    read: (index) => /** @type {GuardEvent} */ (worldGetGuardEvent(world, index)),
    isValid: ({ body }) => body.isValid,
  });
}

/** @internal @param {World} world @returns {AfterStepListeners<MergeChange>} */
export function makeMergeListeners(world) {
  return new AfterStepListeners('merge', world, {
    listener: MergeListener,
    names: ['World.addMergeListener', 'onMerge'],
    count: () => worldGetMergeChangeCount(world),
    read: (index) => /** @type {MergeChange} */ (worldGetMergeChange(world, index)),
    isValid: ({ body }) => body.isValid,
  });
}
