// What page and worker send each other, and how values cross.
//
// Messages carry plain data. What is more than that is replaced by a mark, an object whose one key is `mark`:
// objects of the engine by their number, functions by theirs, and errors by what they say. Whoever receives a
// message puts its own things in their place: in the page a remote object stands for each object of the
// worker.

/**
 * One call: the number of the answer; the object; what is done with it; the name of the method or property;
 * its arguments; and the number that the page has given to the object that the call makes, or 0.
 * @typedef {[answer: number, object: number, kind: CallKind, name: string, values: unknown[], made: number]}
 *   Call
 */
/** @typedef {'call' | 'get' | 'set' | 'mirror' | 'run'} CallKind */

/**
 * From the page.
 * @typedef {object} Request
 * @property {Call[]} [calls]
 * @property {[number, number][]} [released] objects that the page has let go, and how often it had received
 *   them
 * @property {[number, ArrayBuffer][]} [returned] memory of mirrors that the page has read
 * @property {number[]} [ended] mirrors that nobody reads any more
 * @property {number[]} [aborted] signals that ended what they were given to
 * @property {object} [start] options of load()
 * @property {Record<string, unknown>} [files] with `start`: what its `locateFile` gives for each name
 */

/**
 * A class of the worker: what the page makes its remote objects of.
 * @typedef {{ name: string, methods: string[], properties: string[] }} ClassDescription
 */

/**
 * From the worker.
 * @typedef {object} Reply
 * @property {ClassDescription[]} [classes] that the page does not know yet
 * @property {[number, boolean, unknown][]} [answers] number of the call, whether it went well, value or error
 * @property {[number, unknown[]][]} [events] functions of the page that are to be called
 * @property {number[]} [forgotten] functions of the page that nobody will call any more
 * @property {{ facts: object }} [started]
 * @property {{ mirror: number, layout: import('./mirror_layout.js').Layout, slots: SharedArrayBuffer[],
 *   turn: SharedArrayBuffer }} [shared] memory that a mirror is written to from now on
 * @property {{ mirror: number, layout: import('./mirror_layout.js').Layout, slot: ArrayBuffer }} [sent] a
 *   mirror's newest state, where no memory is shared
 */

const mark = '$cairn';

/** @param {unknown} value @returns {value is { [mark]: [string, unknown, ...unknown[]] }} */
function isMarked(value) {
  return typeof value === 'object' && value !== null && mark in value;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** @param {string} kind @param {unknown[]} content @returns {object} */
export function markAs(kind, ...content) {
  return { [mark]: [kind, ...content] };
}

/**
 * A value as it is sent. What `replace` gives a result for is replaced by that; arrays and plain objects are
 * gone through; numbers in typed arrays are copied, since a view of the engine's memory would take all of
 * that along.
 * @param {unknown} value
 * @param {(value: object) => object | undefined} replace
 * @returns {unknown}
 */
export function encode(value, replace) {
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return value;
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (ArrayBuffer.isView(value)) return /** @type {any} */ (value).slice?.() ?? value;
  // many numbers in a row need no look each
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === 'object' || typeof item === 'function')
      ? value.map((item) => encode(item, replace))
      : value;
  }
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, encode(item, replace)]));
}

/**
 * A value as it was meant.
 * @param {unknown} value as encode() gave it
 * @param {(kind: string, content: any[]) => unknown} restore what stands for a mark
 * @returns {unknown}
 */
export function decode(value, restore) {
  if (isMarked(value)) {
    const [kind, ...content] = value[mark];
    return restore(kind, content);
  }
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === 'object')
      ? value.map((item) => decode(item, restore))
      : value;
  }
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, decode(item, restore)]));
}
