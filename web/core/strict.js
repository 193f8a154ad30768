// Nothing that is given is ignored: arguments beyond those that a method takes, properties that an object
// does not have, and values for those that can only be read are errors.
//
// Methods get a wrapper once, when the package is loaded: it compares `arguments.length` with a constant,
// makes no garbage once it is compiled, and is inlined with the method it wraps. Unknown properties are
// caught by the last prototype of all classes, a Proxy whose one trap sees what no other prototype has a
// place for; so it throws in sloppy scripts, too, where a sealed object alone keeps silent. What is found
// earlier never meets it.

import { CairnError, describe } from './errors.js';
import { likelyName } from './likely_names.js';

/**
 * @typedef {object} StrictClass
 * @property {string} name what an object is called in errors, 'body'
 * @property {object} prototype
 * @property {Readonly<Record<string, number>>} [counts] of arguments, for methods whose length is not it
 * @property {readonly string[]} [own] methods that the package alone calls: with as many as they take
 */

/** What objects are called, by their prototypes. @type {WeakMap<object, string>} */
const names = new WeakMap();

// ---- surplus arguments ------------------------------------------------------------------------------------

const followsTime =
  'a step is world.timeStep long (s), which createWorld({ timeStep }) and world.timeStep = … set; ' +
  'world.advance(seconds) does the steps that real time asks for';

/** What surplus arguments are likely meant for, by call. @type {Readonly<Record<string, string>>} */
const hints = {
  'world.step': followsTime,
  'scene.step': followsTime,
  'world.solve': followsTime,
  'world.steps': followsTime,
  'scene.steps': followsTime,
};

/** @param {string} call @param {ArrayLike<unknown>} given @returns {string} */
function surplusHint(call, given) {
  const own = hints[call];
  if (own !== undefined) return `; ${own}`;
  const isNumber = (/** @type {unknown} */ value) => typeof value === 'number';
  if (given.length > 2 && Array.from(given).every(isNumber)) return '; a vector is one argument, [x, y, z]';
  if (/\.(set|apply|wake)/.test(call) && typeof given[given.length - 1] === 'boolean')
    return '; what is changed wakes up by itself';
  return '';
}

/**
 * The name of a call, or what gives it for the object that it is a call of.
 * @typedef {string | ((receiver: unknown) => string)} CallName
 */

/**
 * @param {CallName} name @param {unknown} receiver @param {number} most @param {ArrayLike<unknown>} given
 * @returns {CairnError}
 */
function surplusError(name, receiver, most, given) {
  const call = typeof name === 'string' ? name : name(receiver);
  const list = Array.from(given, describe).join(', ');
  const allowed = most === 0 ? 'allowed are none' : `allowed is at most ${most}`;
  const text = `arguments are ${given.length} (${list}), ${allowed}${surplusHint(call, given)}`;
  return new CairnError('SURPLUS_ARGUMENT', call, 'arguments', text);
}

/**
 * For functions that belong to no class.
 * @param {string} call @param {ArrayLike<unknown>} given all arguments @param {number} most
 */
export function rejectSurplus(call, given, most) {
  if (given.length > most) throw surplusError(call, undefined, most, given);
}

/**
 * The function, which throws where it is given more arguments than it takes. One wrapper for each number of
 * arguments: a list of the rest would be garbage.
 * @template {(...values: any[]) => any} F
 * @param {CallName} call @param {F} method @param {number} [most] arguments
 * @returns {F}
 */
export function guard(call, method, most = method.length) {
  const wrapper = wrap(call, method, most);
  Object.defineProperty(wrapper, 'name', { value: method.name });
  return /** @type {F} */ (wrapper);
}

/**
 * @param {CallName} call @param {(...values: any[]) => any} method @param {number} most
 * @returns {(this: any, ...values: any[]) => any}
 */
function wrap(call, method, most) {
  switch (most) {
    case 0:
      return function () {
        if (arguments.length > 0) throw surplusError(call, this, 0, arguments);
        return method.call(this);
      };
    case 1:
      return function (a) {
        if (arguments.length > 1) throw surplusError(call, this, 1, arguments);
        return method.call(this, a);
      };
    case 2:
      return function (a, b) {
        if (arguments.length > 2) throw surplusError(call, this, 2, arguments);
        return method.call(this, a, b);
      };
    case 3:
      return function (a, b, c) {
        if (arguments.length > 3) throw surplusError(call, this, 3, arguments);
        return method.call(this, a, b, c);
      };
    case 4:
      return function (a, b, c, d) {
        if (arguments.length > 4) throw surplusError(call, this, 4, arguments);
        return method.call(this, a, b, c, d);
      };
    case 5:
      return function (a, b, c, d, e) {
        if (arguments.length > 5) throw surplusError(call, this, 5, arguments);
        return method.call(this, a, b, c, d, e);
      };
    default:
      throw new RangeError(`${method.name} takes ${most} arguments, allowed are up to 5`);
  }
}

// ---- properties -------------------------------------------------------------------------------------------

/** @param {unknown} receiver @returns {string} */
function nameOf(receiver) {
  if (typeof receiver !== 'object') return 'object';
  for (let made = receiver; made !== null; made = Object.getPrototypeOf(made)) {
    const name = names.get(made);
    if (name !== undefined) return name;
  }
  return 'object';
}

/** All that an object has by itself and by its classes. @param {object} receiver @returns {Set<string>} */
function membersOf(receiver) {
  /** @type {Set<string>} */
  const members = new Set();
  for (let made = receiver; made !== null && made !== root; made = Object.getPrototypeOf(made)) {
    for (const name of Object.getOwnPropertyNames(made)) if (name !== 'constructor') members.add(name);
  }
  return members;
}

/**
 * What an object has that was likely meant: its own word for it, or one with another letter or two.
 * @param {object} receiver @param {string} kind @param {string} name
 * @returns {string} '' where nothing is like it
 */
function suggestionFor(receiver, kind, name) {
  const best = likelyName(name, membersOf(receiver), (member) => member.replace(/^(set|apply)(?=[A-Z])/, ''));
  if (best === '') return '';
  return /^(set|apply)[A-Z]/.test(best) ? `; ${kind}.${best}() sets it` : `; ${kind}.${best} is one`;
}

/**
 * @param {object} receiver @param {string | symbol} property @returns {CairnError}
 */
function unknownProperty(receiver, property) {
  const kind = nameOf(receiver);
  const name = String(property);
  const hint =
    suggestionFor(receiver, kind, name) ||
    (membersOf(receiver).has('userData') ? `; what is yours goes into ${kind}.userData` : '');
  const text = `${name} is no property of this object${hint}`;
  return new CairnError('UNKNOWN_NAME', `${kind}.${name}`, name, text);
}

/**
 * Where all prototypes end: nobody has the property, so it cannot be set. An object that is not sealed yet is
 * being made: compilers for older browsers write its fields as assignments.
 */
const root = new Proxy(Object.create(Object.prototype), {
  set(_target, property, value, receiver) {
    if (!Object.isExtensible(receiver)) throw unknownProperty(receiver, property);
    const field = { value, writable: true, enumerable: true, configurable: true };
    return Reflect.defineProperty(receiver, property, field);
  },
});

/** Properties without a setter throw one error everywhere. @param {object} prototype */
function explainReadOnly(prototype) {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (descriptor.get === undefined || descriptor.set !== undefined) continue;
    Object.defineProperty(prototype, name, {
      ...descriptor,
      /** @this {object} */
      set: function refuse() {
        const kind = nameOf(this);
        const setter = `set${name[0].toUpperCase()}${name.slice(1)}`;
        const hint = membersOf(this).has(setter) ? `: it must be set by ${kind}.${setter}()` : '';
        const text = `${name} can only be read${hint}`;
        throw new CairnError('READ_ONLY', `${kind}.${name}`, name, text);
      },
    });
  }
}

/**
 * Makes the objects of a class strict.
 * @param {StrictClass} model
 */
export function makeStrict({ name, prototype, counts = {}, own = [] }) {
  names.set(prototype, name);
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const method = descriptor.value;
    if (typeof method !== 'function' || key === 'constructor' || own.includes(key)) continue;
    const call = (/** @type {unknown} */ receiver) => `${nameOf(receiver)}.${key}`;
    const value = guard(call, method, counts[key] ?? method.length);
    Object.defineProperty(prototype, key, { ...descriptor, value });
  }
  explainReadOnly(prototype);
  const base = Object.getPrototypeOf(prototype);
  if (base === Object.prototype) Object.setPrototypeOf(prototype, root);
}

/**
 * Own properties are all there ever are: only `userData` can be changed. To be called when an object is made.
 * @template {object} T
 * @param {T} object
 * @returns {T}
 */
export function seal(object) {
  for (const name of Object.keys(object)) {
    if (name !== 'userData') Object.defineProperty(object, name, { writable: false });
  }
  return Object.seal(object);
}
