// The page's side: remote objects that stand for those of a worker, and what is asked of them.
//
// A method gives a promise of what the worker's method returns; what makes an object gives the remote one at
// once, so that it can be used before it is there. Calls of one task go in one message and are done in the
// order in which they were made.

import { Mirror } from './mirror.js';
import { decode, encode, markAs } from './protocol.js';

/** @typedef {import('./protocol.js').Reply} Reply */
/** @typedef {import('./protocol.js').CallKind} CallKind */
/** @typedef {import('./protocol.js').ClassDescription} ClassDescription */

/**
 * A worker, of a browser's kind or of Node's.
 * @typedef {object} Link
 * @property {(message: unknown, transfer?: ArrayBuffer[]) => void} post
 * @property {(receive: (message: any) => void, fail: (error: Error) => void) => void} listen
 * @property {() => void} end
 * @property {(isWaited: boolean) => void} [hold] whether answers are waited for: the worker must not end
 *   meanwhile
 */

/** What is thrown for a call that the worker refused. The same properties as a CairnError. */
export class RemoteError extends Error {
  /** @param {Record<string, string>} content */
  constructor({ message, name, stack, ...rest }) {
    super(message);
    this.name = name;
    this.code = rest.code ?? 'WORKER';
    this.call = rest.call ?? '';
    this.argument = rest.argument ?? '';
    this.reason = rest.reason ?? message;
    /** Where in the worker. */
    this.remoteStack = stack ?? '';
  }
}

/** @param {string} call @param {string} argument @param {string} code @param {string} reason */
export function refusal(call, argument, code, reason) {
  return new RemoteError({ name: 'CairnError', message: `${call}: ${reason}`, code, call, argument, reason });
}

/**
 * What makes objects, by class and method: the class of what is made.
 * @type {Record<string, Record<string, string>>}
 */
export const makers = {
  Cairn: { createWorld: 'World', loadScene: 'Scene', restoreWorld: 'World' },
  World: {
    createBody: 'Body',
    createBodies: 'Bodies',
    createGeometry: 'Geometry',
    createShape: 'Shape',
    createMaterial: 'Material',
    createContactMaterial: 'ContactMaterial',
    createConstraint: 'Constraint',
    createMouseConstraint: 'Constraint',
    createMergedBody: 'MergedBody',
    createContactReader: 'ContactReader',
    createObserver: 'Observer',
    createMatrices: 'Matrices',
    addBreakListener: 'BreakListener',
    addGuardListener: 'GuardListener',
    addMergeListener: 'MergeListener',
  },
  Body: { createGeometry: 'Geometry' },
  MergedBody: { addEdge: 'MergeEdge' },
  Scene: { openChannel: 'Channel' },
};

/** Methods whose functions are called once a step or a piece of work is done, and need not answer. */
const notifying = new Set([
  'on',
  'once',
  'off',
  'addBreakListener',
  'addGuardListener',
  'addMergeListener',
  'decomposeMesh',
  'reduceMesh',
]);

/**
 * Of a remote object: whom it belongs to, and its number there.
 * @type {WeakMap<object, { client: Client, number: number }>}
 */
const identities = new WeakMap();

/** The base of all remote objects. */
export class Remote {
  /** Whatever the page wants to keep with the object; the worker does not see it. @type {unknown} */
  userData = undefined;

  /** @param {Client} client @param {number} number @param {Promise<unknown>} made */
  constructor(client, number, made) {
    identities.set(this, { client, number });
    /** Resolves to this object once the worker has made it, or is rejected with what was wrong. @readonly */
    this.ready = made.then(() => this);
  }

  /**
   * Sets properties; the promise says when that is done, and is rejected for a wrong value.
   * @param {Record<string, unknown>} properties
   * @returns {Promise<void>}
   */
  async set(properties) {
    const { client, number } = identityOf(this);
    await Promise.all(
      Object.entries(properties).map(([name, value]) => client.call(number, 'set', name, [value])),
    );
  }
}

/** @param {object} remote */
function identityOf(remote) {
  return /** @type {{ client: Client, number: number }} */ (identities.get(remote));
}

export class Client {
  #link;
  /** Calls that this task has made. @type {import('./protocol.js').Call[]} */
  #calls = [];
  /**
   * @type {Map<number, { resolve: (value: any) => void, reject: (error: unknown) => void, values: unknown[]
   *   }>}
   */
  #pending = new Map();
  #nextAnswer = 1;
  #nextMade = -1;
  /** @type {Map<number, { remote: WeakRef<object>, received: number }>} */
  #objects = new Map();
  /** @type {Map<string, new (client: Client, number: number, made: Promise<unknown>) => Remote>} */
  #classes = new Map();
  /** @type {Map<number, Function>} */
  #functions = new Map();
  /** @type {WeakMap<Function, number>} */
  #functionNumbers = new WeakMap();
  #nextFunction = 1;
  #nextSignal = 1;
  /** @type {Map<number, Mirror<any>>} */
  #mirrors = new Map();
  /** Advances that wait for one that is at work, by world. @type {WeakMap<object, Advance>} */
  #advances = new WeakMap();
  #released = new FinalizationRegistry((/** @type {number} */ number) => {
    const entry = this.#objects.get(number);
    if (entry === undefined || entry.remote.deref() !== undefined) return;
    this.#objects.delete(number);
    if (this.#end === null) this.#link.post({ released: [[number, entry.received]] });
  });
  /** Why nothing can be called any more. @type {Error | null} */
  #end = null;
  /** @type {(facts: object) => void} */
  #onStart = () => {};
  /** @type {(error: Error) => void} */
  #onFailure = () => {};

  /** @param {Link} link @param {import('./protocol.js').Request} request that starts the engine */
  constructor(link, request) {
    this.#link = link;
    /** @type {Promise<object>} what the module is, once it runs */
    this.started = new Promise((resolve, reject) => {
      this.#onStart = resolve;
      this.#onFailure = reject;
    });
    link.listen(
      (message) => this.#receive(message),
      (error) => this.close(error),
    );
    link.hold?.(true);
    link.post(request);
  }

  /** The module itself. @param {object} facts */
  open(facts) {
    const cairn = this.#makeRemote('Cairn', 0, Promise.resolve());
    for (const [name, value] of Object.entries(facts))
      Object.defineProperty(cairn, name, { value, enumerable: true });
    if (this.#pending.size === 0) this.#link.hold?.(false);
    return Object.seal(cairn);
  }

  /** Ends the worker; all that waits is rejected. @param {Error} error */
  close(error) {
    if (this.#end) return;
    this.#end = error;
    this.#onFailure(error);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#link.end();
  }

  // ---- calls --------------------------------------------------------------------------------------------

  /**
   * @param {number} object @param {CallKind} kind @param {string} name @param {unknown[]} values
   * @param {number} [made] number of what it makes
   * @returns {Promise<unknown>}
   */
  call(object, kind, name, values, made = 0) {
    if (this.#end) return Promise.reject(this.#end);
    const answer = this.#nextAnswer++;
    if (!notifying.has(name)) {
      const where = values.findIndex(holdsFunction);
      if (where >= 0) {
        const text =
          `argument ${where + 1} has a function, which a worker cannot wait for; code that has to answer ` +
          'within a step runs in the worker: see serve() of cairn-physics/worker/serve';
        return Promise.reject(refusal(name, `argument ${where + 1}`, 'NOT_SUPPORTED_YET', text));
      }
    }
    /** @type {unknown[]} */
    let encoded;
    try {
      encoded = values.map((value) => encode(value, this.#replace));
    } catch (error) {
      return Promise.reject(error);
    }
    const promise = new Promise((resolve, reject) => {
      if (this.#pending.size === 0) this.#link.hold?.(true);
      this.#pending.set(answer, { resolve, reject, values });
    });
    if (this.#calls.length === 0) queueMicrotask(() => this.#flush());
    this.#calls.push([answer, object, kind, name, encoded, made]);
    return promise;
  }

  #flush() {
    const calls = this.#calls;
    this.#calls = [];
    if (this.#end) return;
    try {
      this.#link.post({ calls });
    } catch (error) {
      // one of them has what cannot be sent: the others are
      for (const call of calls) this.#sendAlone(call, calls.length === 1 ? error : null);
    }
  }

  /** @param {import('./protocol.js').Call} call @param {unknown} known what is wrong with it */
  #sendAlone(call, known) {
    try {
      if (known) throw known;
      this.#link.post({ calls: [call] });
    } catch (error) {
      const [answer, , , name] = call;
      const cause = error instanceof Error ? error.message : String(error);
      const text = `an argument cannot be sent to a worker: ${cause}`;
      this.#takePending(answer)?.reject(refusal(name, 'arguments', 'WRONG_TYPE', text));
    }
  }

  /** Who waits for an answer, and waits no more. @param {number} answer */
  #takePending(answer) {
    const pending = this.#pending.get(answer);
    this.#pending.delete(answer);
    if (this.#pending.size === 0) this.#link.hold?.(false);
    return pending;
  }

  /**
   * Calls of a method.
   * @param {Remote} remote @param {string} className @param {string} name @param {unknown[]} values
   */
  callMethod(remote, className, name, values) {
    const { number } = identityOf(remote);
    const madeClass = makers[className]?.[name];
    if (madeClass === undefined) return this.call(number, 'call', name, values);
    const made = this.#nextMade--;
    // userData is the page's own
    const options = values.find((value) => isOptions(value) && 'userData' in value);
    const { userData, ...sent } = /** @type {{ userData?: unknown }} */ (options ?? {});
    const given = values.map((value) => (options !== undefined && value === options ? sent : value));
    const object = this.#makeRemote(madeClass, made, this.call(number, 'call', name, given, made));
    object.userData = userData;
    return object;
  }

  /**
   * While a world advances, what it is to advance by adds up: a worker that is slower than the page falls
   * behind by one call and never by more.
   * @param {Remote} world @param {unknown[]} values
   * @returns {Promise<unknown>}
   */
  advance(world, values) {
    const { number } = identityOf(world);
    const [seconds] = values;
    if (typeof seconds !== 'number') return this.call(number, 'call', 'advance', values);
    const present = this.#advances.get(world);
    if (present === undefined) {
      const promise = this.call(number, 'call', 'advance', values);
      this.#advances.set(world, { waiting: null });
      const next = () => {
        const waiting = this.#advances.get(world)?.waiting;
        this.#advances.delete(world);
        if (waiting) this.advance(world, waiting.values).then(waiting.resolve, waiting.reject);
      };
      promise.then(next, next);
      return promise;
    }
    if (present.waiting) {
      const sum = /** @type {number} */ (present.waiting.values[0]) + seconds;
      present.waiting.values = [sum, ...values.slice(1)];
      return present.waiting.promise;
    }
    /** @type {Waiting} */
    const waiting = { values, resolve: () => {}, reject: () => {}, promise: Promise.resolve() };
    waiting.promise = new Promise((resolve, reject) => Object.assign(waiting, { resolve, reject }));
    present.waiting = waiting;
    return waiting.promise;
  }

  /** @param {Remote} world @param {Record<string, readonly string[]>} columns */
  createMirror(world, columns) {
    const { number } = identityOf(world);
    const key = this.#nextAnswer;
    const made = this.call(number, 'mirror', 'createMirror', [columns]);
    const mirror = new Mirror(columns, made, {
      giveBack: (buffer) => {
        if (!this.#end) this.#link.post({ returned: [[key, buffer]] }, [buffer]);
      },
      end: () => {
        this.#mirrors.delete(key);
        if (!this.#end) this.#link.post({ ended: [key] });
      },
    });
    this.#mirrors.set(key, mirror);
    made.catch(() => this.#mirrors.delete(key));
    return mirror;
  }

  /** @param {string} name @param {unknown[]} values */
  run(name, values) {
    return this.call(0, 'run', name, values);
  }

  // ---- values -------------------------------------------------------------------------------------------

  /** @param {object} value */
  #replace = (value) => {
    if (typeof value === 'function')
      return markAs('function', this.#numberOf(/** @type {Function} */ (value)));
    if (value instanceof AbortSignal) return this.#sendSignal(value);
    const identity = identities.get(value);
    if (identity === undefined) return plainVector(value);
    if (identity.client !== this)
      throw refusal('worker', 'arguments', 'WRONG_TYPE', 'an object is of another worker');
    return markAs('object', identity.number);
  };

  /** A signal of the page has one of the worker's that follows it. @param {AbortSignal} signal */
  #sendSignal(signal) {
    const number = this.#nextSignal++;
    // behind the calls that this task has made
    const follow = () =>
      queueMicrotask(() => {
        if (!this.#end) this.#link.post({ aborted: [number] });
      });
    signal.addEventListener('abort', follow, { once: true });
    return markAs('signal', number, signal.aborted);
  }

  /** @param {Function} callback */
  #numberOf(callback) {
    let number = this.#functionNumbers.get(callback);
    if (number === undefined || !this.#functions.has(number)) {
      number = this.#nextFunction++;
      this.#functionNumbers.set(callback, number);
      this.#functions.set(number, callback);
    }
    return number;
  }

  /** @param {string} kind @param {any[]} content */
  #restore = (kind, content) => {
    if (kind === 'error') return new RemoteError(content[0]);
    const [number, className] = content;
    if (kind === 'function')
      return (/** @type {unknown[]} */ ...values) => this.call(number, 'call', 'call', [null, ...values]);
    const entry = this.#objects.get(number);
    const known = entry?.remote.deref();
    if (entry && known) {
      entry.received += 1;
      return known;
    }
    return this.#makeRemote(className, number, Promise.resolve());
  };

  /** @param {string} className @param {number} number @param {Promise<unknown>} made @returns {Remote} */
  #makeRemote(className, number, made) {
    const Class = this.#classes.get(className);
    if (Class === undefined) throw new Error(`the worker knows no class ${className}`);
    const remote = new Class(this, number, made);
    const received = (this.#objects.get(number)?.received ?? 0) + 1;
    this.#objects.set(number, { remote: new WeakRef(remote), received });
    if (number !== 0) {
      this.#released.register(remote, number);
      Object.seal(remote);
    }
    return remote;
  }

  /** @param {ClassDescription} description */
  #makeClass({ name, methods, properties }) {
    const Class = { [name]: class extends Remote {} }[name];
    for (const method of methods) {
      /** @this {Remote} @param {unknown[]} values */
      const value = function (...values) {
        return identityOf(this).client.callMethod(this, name, method, values);
      };
      Object.defineProperty(Class.prototype, method, { value, configurable: true, writable: true });
    }
    for (const property of properties) {
      Object.defineProperty(Class.prototype, property, {
        configurable: true,
        enumerable: true,
        /** @this {Remote} */
        get() {
          const { client, number } = identityOf(this);
          return client.call(number, 'get', property, []);
        },
        /** @this {Remote} @param {unknown} value */
        set(value) {
          const { client, number } = identityOf(this);
          client.call(number, 'set', property, [value]);
        },
      });
    }
    addOwnMethods(name, Class.prototype);
    this.#classes.set(name, Class);
  }

  // ---- what comes ---------------------------------------------------------------------------------------

  /** @param {Reply} reply */
  #receive({ classes = [], started, answers = [], events = [], forgotten = [], shared, sent }) {
    for (const description of classes) this.#makeClass(description);
    if (started) this.#onStart(started.facts);
    if (shared) this.#mirrors.get(shared.mirror)?.share(shared);
    if (sent) this.#mirrors.get(sent.mirror)?.receive(sent);
    for (const number of forgotten) this.#functions.delete(number);
    for (const [number, isGood, value] of answers) this.#settle(number, isGood, value);
    for (const [number, values] of events) {
      try {
        this.#functions.get(number)?.(...values.map((value) => decode(value, this.#restore)));
      } catch (error) {
        // as any handler of an event that throws: the others are called
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** @param {number} number @param {boolean} isGood @param {unknown} value */
  #settle(number, isGood, value) {
    if (number === 0) {
      this.close(new RemoteError(/** @type {Record<string, string>} */ (value)));
      return;
    }
    const pending = this.#takePending(number);
    if (pending === undefined) return;
    if (!isGood) pending.reject(new RemoteError(/** @type {Record<string, string>} */ (value)));
    else pending.resolve(this.#fill(value, pending.values));
  }

  /**
   * Answers that are an argument that was filled fill the page's.
   * @param {unknown} value
   * @param {unknown[]} values
   */
  #fill(value, values) {
    return decode(value, (kind, content) => {
      if (kind !== 'filled') return this.#restore(kind, content);
      const [where, encoded] = content;
      const result = decode(encoded, this.#restore);
      const out = /** @type {any} */ (values[where]);
      if (ArrayBuffer.isView(out))
        /** @type {Float64Array} */ (out).set(/** @type {Float64Array} */ (result));
      else Object.assign(out, result);
      return out;
    });
  }
}

/**
 * @typedef {object} Waiting
 * @property {unknown[]} values
 * @property {(value: any) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {Promise<unknown>} promise
 *
 * @typedef {{ waiting: Waiting | null }} Advance
 */

/** What the page's objects have beyond what the worker's have. @param {string} name @param {any} prototype */
function addOwnMethods(name, prototype) {
  /** @param {Record<string, Function>} methods */
  const add = (methods) => {
    for (const [key, value] of Object.entries(methods)) {
      Object.defineProperty(prototype, key, { value, configurable: true, writable: true });
    }
  };
  if (name === 'World') {
    add({
      /** @this {Remote} @param {unknown[]} values */
      advance(...values) {
        return identityOf(this).client.advance(this, values);
      },
      /** @this {Remote} @param {Record<string, readonly string[]>} columns */
      createMirror(columns = { bodies: ['renderPose'] }) {
        return identityOf(this).client.createMirror(this, columns);
      },
    });
  }
  if (name === 'Cairn') {
    add({
      /** @this {Remote} @param {string} called @param {unknown[]} values */
      run(called, ...values) {
        return identityOf(this).client.run(called, values);
      },
      /** @this {Remote} */
      async dispose() {
        const { client, number } = identityOf(this);
        await client.call(number, 'call', 'dispose', []).catch(() => {});
        client.close(refusal('cairn', 'cairn', 'STALE_HANDLE', 'cairn was disposed'));
      },
    });
  }
}

/** @param {unknown} value @returns {value is object} */
function isOptions(value) {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Vectors and quaternions of other libraries may keep their numbers where a copy has none of them.
 * @param {any} value
 */
function plainVector(value) {
  if (Array.isArray(value) || ArrayBuffer.isView(value) || value.isEuler) return undefined;
  if (!('x' in value && 'y' in value && 'z' in value)) return undefined;
  const { x, y, z, w } = value;
  return w === undefined ? { x, y, z } : { x, y, z, w };
}

/** @param {unknown} value @returns {boolean} */
function holdsFunction(value) {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null || identities.has(value)) return false;
  if (Array.isArray(value)) return value.some(holdsFunction);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).some(holdsFunction);
}
