// Listeners of contacts, told between the halves of a step by JavaScript itself: nothing calls
// out of WebAssembly.
//
// After collide() the contact table has every contact of the step. The listeners go over its rows,
// separations first, then impacts and contacts, each row by all listeners in the order in which they were
// added, with one cursor for all: no garbage. What they remove is left out of the solve that follows.

import { checkNames, checkOptions } from '../core/checks.js';
import { outOfRange, wrongType } from '../core/errors.js';
import { ContactCursor } from './contact_cursor.js';
import { Handle, handleOf } from '../core/handle.js';
import { ContactStates } from '../generated/flags.js';
import { Listener, ListenerList } from './listener.js';
import { seal } from '../core/strict.js';

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/world.js').World} World */
/** @typedef {'keep' | 'remove' | 'removeNow'} ContactAnswer */

/**
 * One side of a contact; everything that is given must fit.
 * @typedef {object} ContactSide
 * @property {Body} [body]
 * @property {Geometry} [geometry]
 * @property {number | string} [group] number or name
 *
 * @typedef {object} ContactListenerOptions
 * @property {number} [mask] sum of `ContactEvents`; all
 * @property {Body | Geometry | ContactSide} [filter] one of the two; the contact is seen from it
 * @property {Body | Geometry | ContactSide} [other] the other one
 * @property {(contact: ContactCursor) => ContactAnswer | void} onContact the cursor is good until it returns
 *
 * @typedef {object} Side handles; 0 for any
 * @property {number} body
 * @property {number} geometry
 * @property {number} group -1 for any
 */

/** Bits of a listener's mask. */
export const ContactEvents = Object.freeze({
  impact: bitOf(ContactStates.impact),
  contact: bitOf(ContactStates.contact),
  separation: bitOf(ContactStates.separation),
});

const call = 'World.addContactListener';
const allEvents = Object.values(ContactEvents).reduce((all, bit) => all | bit);

/** @param {number} state not `none` */
function bitOf(state) {
  return 1 << (state - 1);
}

export class ContactListener extends Listener {
  /** @internal @type {number} @readonly */
  mask;
  /** @internal @type {Side} @readonly */
  side;
  /** @internal @type {Side} @readonly */
  other;
  /** @internal @type {ContactListenerOptions['onContact']} @readonly */
  onContact;

  /**
   * @internal @param {Listeners} owner @param {number} mask @param {Side} side @param {Side} other
   * @param {ContactListenerOptions['onContact']} onContact
   */
  constructor(owner, mask, side, other, onContact) {
    super(owner);
    this.mask = mask;
    this.side = side;
    this.other = other;
    this.onContact = onContact;
    seal(this);
  }
}

/** All listeners of a world. @internal @extends {ListenerList<ContactListener>} */
export class Listeners extends ListenerList {
  #world;
  #cursor;

  /** @param {World} world */
  constructor(world) {
    super('contact', world);
    this.#world = world;
    this.#cursor = new ContactCursor(world, null);
  }

  /** @param {unknown} options ContactListenerOptions @returns {ContactListener} */
  add(options) {
    const world = this.#world;
    handleOf(call, 'world', 'world', null, world);
    checkOptions(call, 'options', options, 'are { onContact, … }');
    checkNames(call, 'options', options, ['mask', 'filter', 'other', 'onContact']);
    const { mask = allEvents, filter, other, onContact } = options;
    if (typeof mask !== 'number' || !(mask >= 1 && mask <= allEvents && mask % 1 === 0))
      throw outOfRange(call, 'options.mask', mask, 'are sums of ContactEvents, 1…7');
    if (typeof onContact !== 'function')
      throw wrongType(call, 'options.onContact', onContact, 'are functions');
    const listener = new ContactListener(
      this,
      mask,
      toSide(world, 'options.filter', filter),
      toSide(world, 'options.other', other),
      /** @type {ContactListenerOptions['onContact']} */ (onContact),
    );
    this.list.push(listener);
    return listener;
  }

  /** Goes over the contacts of the last collide(). */
  tell() {
    this.whileTelling(this.#tellAll);
  }

  /** @param {number} count listeners that hear in this step */
  #tellAll = (count) => {
    const { rows } = this.#world.columns.contacts;
    for (let pass = 0; pass < 2; ++pass) {
      for (let row = 0; row < rows; ++row) {
        const state = this.#world.columns.contacts.state[row];
        if ((state === ContactStates.separation) === (pass === 0)) this.#tellOf(row, bitOf(state), count);
      }
    }
  };

  /** @param {number} row @param {number} bit @param {number} count listeners that hear in this step */
  #tellOf(row, bit, count) {
    let isRemoved = false;
    for (let i = 0; i < count; ++i) {
      const listener = this.list[i];
      if (!listener.isActive || (listener.mask & bit) === 0) continue;
      const forwards = this.#fits(listener, row, false);
      if (!forwards && !this.#fits(listener, row, true)) continue;
      const answer = listener.onContact(this.#cursor.place(row, !forwards));
      if (answer === undefined || answer === 'keep') continue;
      if (answer !== 'remove' && answer !== 'removeNow')
        throw wrongType('onContact', 'answer', answer, "are 'keep', 'remove', 'removeNow' and nothing");
      isRemoved = true;
      if (answer === 'removeNow') break;
    }
    if (isRemoved) this.#cursor.place(row, false).remove();
  }

  /** @param {ContactListener} listener @param {number} row @param {boolean} isSwapped */
  #fits({ side, other }, row, isSwapped) {
    const { contacts } = this.#world.columns;
    const body1 = contacts.body1[row];
    const body2 = contacts.body2[row];
    const geometry1 = contacts.geometry1[row];
    const geometry2 = contacts.geometry2[row];
    return isSwapped
      ? this.#isSide(side, body2, geometry2) && this.#isSide(other, body1, geometry1)
      : this.#isSide(side, body1, geometry1) && this.#isSide(other, body2, geometry2);
  }

  /** @param {Side} side @param {number} body @param {number} geometry */
  #isSide(side, body, geometry) {
    const { bodies, geometries } = this.#world.columns;
    if (side.body !== 0 && (body < 0 || bodies.handle[body] !== side.body)) return false;
    const handle = geometries.handle[geometry];
    if (side.geometry !== 0 && handle !== side.geometry) return false;
    if (side.group < 0) return true;
    const { runtime } = this.#world;
    runtime.check(runtime.raw._cnw_Geometry_IsInGroup(this.#world.handle, handle, side.group));
    return runtime.u32[runtime.result >>> 2] !== 0;
  }
}

/** @param {World} world @param {string} argument @param {unknown} value @returns {Side} */
function toSide(world, argument, value) {
  const side = { body: 0, geometry: 0, group: -1 };
  if (value === undefined) return side;
  const kind = Handle.kindOf(value);
  if (kind === 'body' || kind === 'geometry') {
    side[kind] = handleOf(call, argument, kind, world, value);
    return side;
  }
  checkOptions(call, argument, value, 'are Bodies, Geometries and { body, geometry, group }');
  checkNames(call, argument, value, ['body', 'geometry', 'group']);
  for (const name of /** @type {const} */ (['body', 'geometry'])) {
    if (value[name] !== undefined && value[name] !== null)
      side[name] = handleOf(call, `${argument}.${name}`, name, world, value[name]);
  }
  if (value.group !== undefined) side.group = world.groupOf(call, `${argument}.group`, value.group);
  return side;
}
