// Names of the bodies, geometries and constraints of a world. They are JavaScript's, like `userData`: the
// engine knows nothing of them, and they are no part of a saved state.

import { CairnError, wrongType } from '../core/errors.js';

/** @typedef {import('./world_object.js').WorldObject} WorldObject */
/** @typedef {'body' | 'geometry' | 'constraint'} NamedKind */
/** @typedef {{ kind: NamedKind, name: string, object: WorldObject }} NamedObject */
/** @typedef {WorldObject & { readonly isValid: boolean }} ValidObject */

// A list of names is looked through for objects that are gone when it is twice as long as after the last
// time.
const firstSweep = 64;
// What an error lists at most.
const listedNames = 10;

/** Names of one kind of object, each of one object at a time. */
class NameList {
  /** @type {Map<string, ValidObject>} */
  #objects = new Map();
  #sweepAt = firstSweep;

  /** @param {string} name @returns {ValidObject | null} what lives by that name */
  find(name) {
    const object = this.#objects.get(name);
    return object?.isValid ? object : null;
  }

  /** @param {string} name @param {ValidObject} object */
  set(name, object) {
    if (this.#objects.size >= this.#sweepAt) {
      for (const [key, { isValid }] of this.#objects) if (!isValid) this.#objects.delete(key);
      this.#sweepAt = Math.max(firstSweep, 2 * this.#objects.size);
    }
    this.#objects.set(name, object);
  }

  /** @param {string} name @param {ValidObject} object */
  remove(name, object) {
    if (this.#objects.get(name) === object) this.#objects.delete(name);
  }

  /** @returns {string[]} names of what lives */
  list() {
    return [...this.#objects].filter(([, { isValid }]) => isValid).map(([name]) => name);
  }
}

/** The names of a world's objects, each once among those of its kind that live. */
export class NameTable {
  /** @type {Record<NamedKind, NameList>} */
  #lists = { body: new NameList(), geometry: new NameList(), constraint: new NameList() };
  /** @type {WeakMap<WorldObject, string>} */
  #names = new WeakMap();
  /** @type {(() => Iterable<NamedObject>) | null} */
  #source = null;

  /**
   * Names that a file gives, read when one is first asked for.
   * @param {() => Iterable<NamedObject>} source
   */
  readFrom(source) {
    this.#source = source;
  }

  /** @param {WorldObject} object @returns {string | undefined} */
  nameOf(object) {
    this.#read();
    return this.#names.get(object);
  }

  /**
   * @param {string} call @param {string} argument @param {NamedKind} kind @param {unknown} name
   * @param {WorldObject} [object] that is to have it, once it is made
   */
  check(call, argument, kind, name, object) {
    if (name === undefined) return;
    if (typeof name !== 'string' || name === '')
      throw wrongType(call, argument, name, 'are names of a letter at least, undefined for none');
    this.#read();
    const taken = this.#lists[kind].find(name);
    if (taken === null || taken === object) return;
    const text = `${argument} is ${JSON.stringify(name)}, which another ${kind} of the world has`;
    throw new CairnError('NAME_TAKEN', call, argument, text);
  }

  /**
   * @param {NamedKind} kind @param {WorldObject} object @param {string | undefined} name that was checked
   */
  set(kind, object, name) {
    this.#read();
    const before = this.#names.get(object);
    const list = this.#lists[kind];
    if (before !== undefined) list.remove(before, /** @type {ValidObject} */ (object));
    if (name === undefined) {
      this.#names.delete(object);
      return;
    }
    this.#names.set(object, name);
    list.set(name, /** @type {ValidObject} */ (object));
  }

  /**
   * @param {string} call @param {NamedKind} kind @param {unknown} name
   * @returns {WorldObject}
   */
  find(call, kind, name) {
    if (typeof name !== 'string') throw wrongType(call, 'name', name, 'are names');
    this.#read();
    const object = this.#lists[kind].find(name);
    if (object !== null) return object;
    const names = this.#lists[kind].list();
    const shown = names.slice(0, listedNames).map((item) => JSON.stringify(item));
    const rest = names.length > listedNames ? `, … (${names.length} names)` : '';
    const allowed =
      names.length === 0 ? 'there is none with a name' : `allowed are ${shown.join(', ')}${rest}`;
    const text = `name is ${JSON.stringify(name)}, which no ${kind} has: ${allowed}`;
    throw new CairnError('UNKNOWN_NAME', call, 'name', text);
  }

  #read() {
    if (this.#source === null) return;
    const source = this.#source;
    this.#source = null;
    for (const { kind, name, object } of source()) this.set(kind, object, name);
  }
}
