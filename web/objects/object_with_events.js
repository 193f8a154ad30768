// Objects of a world that can be asked for their events (docs/events.md).

import { WorldObject } from './world_object.js';

/** @typedef {import('../events/event_types.js').EventOptions} EventOptions */

/**
 * @template Events by their names
 */
export class ObjectWithEvents extends WorldObject {
  /**
   * Calls a function after each step in which such an event concerned this object.
   * @template {keyof Events & string} Name
   * @param {Name} name @param {(event: Events[Name]) => void} handler
   * @param {EventOptions} [options] `{ minSpeed }` of `impact`
   * @returns {() => void} that ends it
   */
  on(name, handler, options) {
    return this.world.events.add(this, 'on', name, handler, options);
  }

  /**
   * The same, for the first event alone.
   * @template {keyof Events & string} Name
   * @param {Name} name @param {(event: Events[Name]) => void} handler
   * @param {EventOptions} [options]
   * @returns {() => void} that ends it
   */
  once(name, handler, options) {
    return this.world.events.add(this, 'once', name, handler, options);
  }

  /**
   * Ends what `on` or `once` began with this function.
   * @template {keyof Events & string} Name
   * @param {Name} name @param {(event: Events[Name]) => void} handler
   * @returns {boolean} whether there was something to end
   */
  off(name, handler) {
    return this.world.events.remove(this, name, handler);
  }
}
