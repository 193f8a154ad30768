// What both entries of cairn-physics/worker do, and what their objects are to TypeScript.

import { Client, refusal } from './client.js';

/** @typedef {import('../load.js').LoadOptions} LoadOptions */

/** What stays in the worker and has a remote object in the page. @typedef {{ handle: number }} Handled */
/**
 * @typedef {Handled | import('../listeners/listener.js').Listener | import('../objects/bodies.js').Bodies |
 *   import('../objects/observer.js').Observer
 *   | import('../listeners/contact_reader.js').ContactReader | import('../objects/scene.js').Channel} Kept
 */

/**
 * What a method gives, as it comes to the page.
 * @template T
 * @typedef {unknown extends T ? T
 *   : [number[]] extends [T] ? number[]
 *   : T extends Kept ? Remote<T>
 *   : T extends IterableIterator<infer Item> ? RemoteResult<Item>[]
 *   : T extends readonly (infer Item)[] ? (Item extends Kept ? Remote<Item>[] : T)
 *   : T} RemoteResult
 */

/**
 * What a method takes, as the page gives it.
 * @template T
 * @typedef {T extends Kept ? Remote<T>
 *   : T extends ArrayBufferView | ((...values: any[]) => unknown) ? T
 *   : T extends object ? { [Key in keyof T]: RemoteArgument<T[Key]> }
 *   : T} RemoteArgument
 */

/**
 * @template T
 * @typedef {T extends (...values: infer Values) => infer Result
 *   ? (...values: { [Key in keyof Values]: RemoteArgument<Values[Key]> }) => [Result] extends [Kept] ?
 * Remote<Result>
 *     : Promise<RemoteResult<Awaited<Result>>>
 *   : Promise<RemoteResult<T>>} RemoteMember
 */

/** What is of no use from afar. @typedef {'raw' | 'memory' | 'math' | 'columns' | 'userData'} Local */

/**
 * An object of the worker. What makes objects gives remote ones at once; all other methods give promises, and
 * so does reading a property.
 * @template T
 * @typedef {{ [Key in Exclude<keyof T, Local>]: RemoteMember<T[Key]> } & RemoteMembers<T>} Remote
 */

/**
 * @template T
 * @typedef {object} RemoteMembers
 * @property {Promise<Remote<T>>} ready resolves once the worker has made it; rejected with what was wrong
 * @property {unknown} userData the page's own
 * @property {(properties: Partial<T>) => Promise<void>} set sets properties; rejected for a wrong value
 */

/**
 * @typedef {object} RemoteWorldMembers
 * @property {<const Columns extends Record<string, readonly string[]>>(columns?: Columns) =>
 * import('./mirror.js').Mirror<Columns>} createMirror columns that the page reads without asking, by table:
 * as world.columns has them; bodies' renderPose; its `ready` is rejected with `UNKNOWN_NAME`,
 * `STALE_HANDLE`
 *
 * @typedef {Remote<import('../objects/world.js').World> & RemoteWorldMembers} RemoteWorld
 */

/**
 * @typedef {object} RemoteCairnMembers
 * @property {'st' | 'mt'} flavour
 * @property {number} threads
 * @property {number} maximumMemory
 * @property {string | null} fallbackReason
 * @property {string} version
 * @property {(options?: import('../objects/world.js').WorldOptions) => RemoteWorld} createWorld
 * @property {(bytes: Uint8Array, options?: { threads?: number }) => RemoteWorld} restoreWorld
 * @property {(name: string, ...values: any[]) => Promise<any>} run runs a function that the worker serves
 * @property {() => Promise<void>} dispose ends the worker, with all that is in it
 *
 * @typedef {Omit<Remote<import('../objects/cairn.js').Cairn>, keyof RemoteCairnMembers> & RemoteCairnMembers}
 *   RemoteCairn
 */

/**
 * @template W
 * @typedef {LoadOptions & { worker?: W }} WorkerOptions `worker`: one whose script calls serve(); left out,
 *   one is made that runs the engine and nothing else
 */

/** @type {(keyof import('../core/files.js').FileOptions)[]} */
const addressOptions = ['wasmUrl', 'workerUrl', 'readersUrl'];
/** @type {import('../core/files.js').FileName[]} */
const fileNames = ['cairn.st.wasm', 'cairn.mt.wasm', 'cairn.readers.wasm', 'cairn.mt.worker.js'];

/**
 * Options as a worker understands them, whose addresses begin elsewhere and to which no function comes.
 * @param {Record<string, unknown>} options of load()
 * @param {(address: string) => string} resolve
 */
function toWorker(options, resolve) {
  const { locateFile, ...start } = options;
  /** @param {unknown} value */
  const absolute = (value) => {
    if (typeof value !== 'string' && !(value instanceof URL)) return value;
    try {
      return resolve(String(value));
    } catch {
      // load() says what is wrong with it
      return String(value);
    }
  };
  for (const name of addressOptions) {
    if (start[name] !== undefined) start[name] = absolute(start[name]);
  }
  if (typeof locateFile !== 'function') {
    return { start: locateFile === undefined ? start : { ...start, locateFile } };
  }
  return { start, files: Object.fromEntries(fileNames.map((name) => [name, absolute(locateFile(name))])) };
}

/**
 * @param {import('./client.js').Link} link
 * @param {object} options of load()
 * @param {(address: string) => string} resolve an absolute URL of an address of the page
 * @returns {Promise<RemoteCairn>}
 */
export async function loadThrough(link, options, resolve) {
  const client = new Client(link, toWorker(/** @type {Record<string, unknown>} */ (options), resolve));
  return /** @type {any} */ (client.open(await client.started));
}

/** @param {string} cause */
export function workerFailed(cause) {
  return refusal('loadInWorker', 'worker', 'LOAD_FAILED', `the worker could not start or stopped: ${cause}`);
}
