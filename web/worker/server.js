// The worker's side: does what the page asks for, in order, and sends answers, events and mirrors.

import { CairnError } from '../core/errors.js';
import { handleOf } from '../core/handle.js';
import { World } from '../objects/world.js';
import { MirrorWriter } from './mirror_writer.js';
import { decode, encode, markAs } from './protocol.js';

/** @typedef {import('./protocol.js').Reply} Reply */
/** @typedef {import('./protocol.js').Request} Request */
/** @typedef {import('./protocol.js').Call} Call */
/** @typedef {import('../objects/cairn.js').Cairn} Cairn */

/**
 * What a worker and its page talk through.
 * @typedef {object} Port
 * @property {(message: unknown, transfer?: ArrayBuffer[]) => void} post
 * @property {(receive: (message: any) => void) => void} listen
 */

/**
 * Functions of a worker that the page may run: cairn.run(name, …).
 * @typedef {Record<string, Function>} Functions
 */

/** Stands for an object that could not be made. */
class Broken {
  /** @param {unknown} error */
  constructor(error) {
    this.error = error;
  }
}

/** What only makes sense where it is: the page has mirrors instead. */
const local = new Set(['constructor', 'raw', 'memory', 'runtime', 'math', 'userData']);

export class Server {
  #port;
  #functions;
  /** @type {Map<number, any>} */
  #objects = new Map();
  /** @type {Map<object, number>} */
  #numbers = new Map();
  /** How often the page was sent an object. @type {Map<number, number>} */
  #sendings = new Map();
  /** The page counts down from -1. */
  #next = 1;
  /** @type {Map<Function, string>} */
  #classes = new Map();
  /** @type {Map<number, WeakRef<Function>>} */
  #callbacks = new Map();
  #forgotten = new FinalizationRegistry((/** @type {number} */ number) => {
    this.#callbacks.delete(number);
    this.#port.post({ forgotten: [number] });
  });
  /** @type {Map<number, MirrorWriter>} */
  #mirrors = new Map();
  /** @type {Set<unknown>} worlds that have been called upon */
  #touched = new Set();
  /** What follows the page's signals, until their call ends. @type {Map<number, AbortController>} */
  #signals = new Map();
  /** @type {Reply} */
  #reply = {};

  /** @param {Port} port @param {Functions} functions */
  constructor(port, functions) {
    this.#port = port;
    this.#functions = functions;
  }

  /**
   * @param {Cairn} cairn
   * @param {readonly [string, Function][]} classes that the page is to know from the beginning, by the names
   *   that users know: those of the classes themselves are gone in a minified build
   */
  start(cairn, classes) {
    this.#register(cairn, 0);
    this.#sendings.set(0, Infinity);
    for (const [name, Class] of classes) this.#describe(Class, name);
    const { flavour, threads, maximumMemory, fallbackReason, version } = cairn;
    this.#reply.started = { facts: { flavour, threads, maximumMemory, fallbackReason, version } };
    this.#flush();
  }

  /** What went wrong before there was anything to call. @param {unknown} error */
  fail(error) {
    this.#port.post({ answers: [[0, false, describeError(error)]] });
  }

  /** @param {Request} request */
  receive({ calls = [], released = [], returned = [], ended = [], aborted = [] }) {
    for (const [number, buffer] of returned) this.#mirrors.get(number)?.takeBack(buffer);
    for (const call of calls) this.#answer(call);
    for (const number of ended) this.#mirrors.delete(number);
    for (const number of aborted) this.#signals.get(number)?.abort();
    for (const [number, received] of released) this.#release(number, received);
    this.#publish();
    this.#flush();
  }

  /** Shows the page all worlds as they are now. @returns {void} */
  publish() {
    this.#touchAll();
    this.#publish();
  }

  /** Shows the page what became of the worlds that something was asked of. */
  #publish() {
    for (const [number, mirror] of this.#mirrors) {
      if (mirror.world.isDisposed) this.#mirrors.delete(number);
      else if (this.#touched.has(mirror.world)) mirror.publish();
    }
    this.#touched.clear();
  }

  /** @param {Call} call */
  #answer([answer, object, kind, name, values, made]) {
    /** @param {unknown} error */
    const fail = (error) => {
      if (made !== 0) this.#register(new Broken(error), made);
      this.#put(answer, false, describeError(error));
    };
    /** @param {unknown} value @param {readonly unknown[]} given */
    const succeed = (value, given) => {
      if (made !== 0) this.#register(value, made);
      // what was filled is filled in the page, too
      const filled = typeof value === 'object' && value !== null ? given.indexOf(value) : -1;
      const encoded = made !== 0 ? undefined : this.#encode(value);
      this.#put(answer, true, filled >= 0 ? markAs('filled', filled, encoded) : encoded);
    };
    const before = this.#signals.size;
    const signalsOfCall = () => [...this.#signals.keys()].slice(before);
    /** @param {number[]} numbers */
    const forget = (numbers) => numbers.forEach((number) => this.#signals.delete(number));
    try {
      const target = this.#find(object);
      const given = /** @type {unknown[]} */ (values.map((value) => decode(value, this.#restore)));
      if (kind !== 'get') this.#touch(target);
      const value = this.#perform(target, kind, name, given, answer);
      if (value instanceof Promise) {
        const signals = signalsOfCall();
        value
          .then((result) => succeed(result, given), fail)
          .finally(() => {
            forget(signals);
            this.publish();
            this.#flush();
          });
      } else {
        forget(signalsOfCall());
        succeed(value, given);
      }
    } catch (error) {
      forget(signalsOfCall());
      fail(error);
    }
  }

  /**
   * @param {any} target @param {import('./protocol.js').CallKind} kind @param {string} name
   * @param {any[]} values @param {number} answer
   * @returns {unknown}
   */
  #perform(target, kind, name, values, answer) {
    switch (kind) {
      case 'call':
        return target[name](...values);
      case 'get':
        return target[name];
      case 'set':
        [target[name]] = values;
        return undefined;
      case 'mirror':
        return this.#makeMirror(target, answer, values[0]);
      case 'run': {
        const run = Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined;
        if (run === undefined) {
          const names = Object.keys(this.#functions).join(', ') || 'none: the worker serves no functions';
          const text = `name is ${JSON.stringify(name)}, allowed are ${names}`;
          throw new CairnError('UNKNOWN_NAME', 'cairn.run', 'name', text);
        }
        this.#touchAll();
        return run(this.#objects.get(0), ...values);
      }
    }
  }

  /** @param {any} world @param {number} number @param {any} columns */
  #makeMirror(world, number, columns) {
    handleOf('world.createMirror', 'world', 'world', null, world);
    const isShared = /** @type {any} */ (globalThis).crossOriginIsolated !== false;
    const mirror = new MirrorWriter(number, world, columns, isShared, (reply, transfer) => {
      this.#port.post(reply, transfer);
    });
    this.#mirrors.set(number, mirror);
  }

  /** @param {any} target */
  #touch(target) {
    this.#touched.add(target instanceof World ? target : target?.world);
  }

  #touchAll() {
    for (const { world } of this.#mirrors.values()) this.#touched.add(world);
  }

  // ---- values -------------------------------------------------------------------------------------------

  /** @param {number} number @returns {any} */
  #find(number) {
    const object = this.#objects.get(number);
    if (object instanceof Broken) throw object.error;
    if (object === undefined)
      throw new CairnError('STALE_HANDLE', 'worker', 'object', 'the object was never made in the worker');
    return object;
  }

  /** @param {string} kind @param {any[]} content */
  #restore = (kind, content) => {
    if (kind === 'object') return this.#find(content[0]);
    const [number] = content;
    if (kind === 'signal') {
      const controller = new AbortController();
      if (content[1] === true) controller.abort();
      this.#signals.set(number, controller);
      return controller.signal;
    }
    const known = this.#callbacks.get(number)?.deref();
    if (known) return known;
    const callback = (/** @type {unknown[]} */ ...values) => {
      (this.#reply.events ??= []).push([number, values.map((value) => this.#encode(value))]);
      // a step that nobody in the page asked for sends its events by itself
      queueMicrotask(() => this.#flush());
    };
    this.#callbacks.set(number, new WeakRef(callback));
    this.#forgotten.register(callback, number);
    return callback;
  };

  /** @param {unknown} value @returns {unknown} */
  #encode(value) {
    const items = /** @type {any} */ (value);
    // what can be gone through once only is gone through here
    const isIterator =
      typeof items === 'object' &&
      items !== null &&
      typeof items.next === 'function' &&
      Symbol.iterator in items;
    return encode(isIterator ? [...items] : value, this.#replace);
  }

  /** @param {object} value */
  #replace = (value) => {
    if (value instanceof Error) return markAs('error', describeError(value));
    const prototype = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    const isNative = ArrayBuffer.isView(value) || Array.isArray(value) || value instanceof ArrayBuffer;
    if (isPlain || isNative) return undefined;
    if (value instanceof Map || value instanceof Set || value instanceof Date) return undefined;
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#next++;
      this.#register(value, number);
    }
    this.#sendings.set(number, (this.#sendings.get(number) ?? 0) + 1);
    if (typeof value === 'function') return markAs('function', number);
    return markAs('object', number, this.#describe(value.constructor));
  };

  /** @param {any} object @param {number} number */
  #register(object, number) {
    this.#objects.set(number, object);
    if ((typeof object === 'object' && object !== null) || typeof object === 'function')
      this.#numbers.set(object, number);
    if (number < 0) this.#sendings.set(number, 1);
  }

  /** @param {number} number @param {number} received */
  #release(number, received) {
    // sent once more meanwhile: the page has it still
    if (this.#sendings.get(number) !== received) return;
    const object = this.#objects.get(number);
    this.#objects.delete(number);
    this.#sendings.delete(number);
    if (this.#numbers.get(object) === number) this.#numbers.delete(object);
  }

  /**
   * @param {Function} Class @param {string} [wanted] its name
   * @returns {string} the name that the page knows or is sent
   */
  #describe(Class, wanted = Class.name) {
    const known = this.#classes.get(Class);
    if (known !== undefined) return known;
    const taken = [...this.#classes.values()];
    const name = taken.includes(wanted) ? `${wanted}${taken.length}` : wanted;
    this.#classes.set(Class, name);
    const methods = new Set();
    const properties = new Set();
    for (let prototype = Class.prototype; prototype && prototype !== Object.prototype;) {
      for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
        if (!local.has(key)) (typeof value === 'function' ? methods : properties).add(key);
      }
      prototype = Object.getPrototypeOf(prototype);
    }
    (this.#reply.classes ??= []).push({
      name,
      methods: /** @type {string[]} */ ([...methods]),
      properties: /** @type {string[]} */ ([...properties]),
    });
    return name;
  }

  /** @param {number} answer @param {boolean} isGood @param {unknown} value */
  #put(answer, isGood, value) {
    (this.#reply.answers ??= []).push([answer, isGood, value]);
  }

  #flush() {
    const reply = this.#reply;
    if (Object.keys(reply).length === 0) return;
    this.#reply = {};
    this.#port.post(reply);
  }
}

/** @param {unknown} error */
function describeError(error) {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  if (!(error instanceof CairnError)) return { name, message, stack };
  const { code, call, argument, reason } = error;
  return { name, message, stack, code, call, argument, reason };
}
