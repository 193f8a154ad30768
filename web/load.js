// Chooses, loads and starts a module. What differs between a page and Node is handed in
// (index.js, index.node.js).

import { Cairn } from './objects/cairn.js';
import { checkNames, checkNumber, checkOptions } from './core/checks.js';
import { textOf } from './core/compile.js';
import { CairnError, outOfRange, wrongType } from './core/errors.js';
import { fileOptions, Files } from './core/files.js';
import { fingerprint } from './generated/api.js';
import { offerReaders } from './core/readers.js';
import { Runtime } from './core/runtime.js';
import { noThreads, Workers } from './core/workers.js';

/** @typedef {import('./generated/types.js').RawExports} RawExports */

/**
 * @typedef {object} ThreadOptions
 * @property {number} [threads] that share the work, the caller included, 0…32 (0 as 1); min(cores − 1, 3) + 1
 * @property {'st' | 'mt'} [flavour] by itself: 'mt' when threads > 1 and they can be had, else 'st' (see
 *   `cairn.fallbackReason`)
 * @property {number} [maximumMemory] bytes, most that a threaded module's memory may grow to, 64 MB…2 GB
 *   (2 GB); where it cannot be had, half of it is tried, down to 512 MB
 */
/** @typedef {ThreadOptions & import('./core/files.js').FileOptions} LoadOptions */

/** What Emscripten's glue gives. @typedef {RawExports & { wasmMemory: WebAssembly.Memory }} GlueInstance */
/** @typedef {(options: object) => Promise<GlueInstance>} GlueFactory */
/** The module that the build makes. @typedef {{ default: GlueFactory }} Glue */

/**
 * @typedef {object} ThreadHost
 * @property {() => Promise<Glue>} importSingle
 * @property {() => Promise<Glue>} importThreaded
 * @property {(url?: string) => import('./core/workers.js').AnyWorker} createWorker from the package's own
 *   script or another one
 * @property {(url?: string) => string | undefined} findScript where that is, for messages
 * @property {number} cores
 * @property {boolean} canShare whether shared memory and workers over it are there
 */
/** @typedef {ThreadHost & import('./core/files.js').FileHost} Host */

const maxThreads = 32;
const pageBytes = 65536;
const megabyte = 1024 * 1024;
/** What the module is linked with: it asks for no less at the start and no more at the end. */
const initialMemory = 32 * megabyte;
const maximumMemory = 2048 * megabyte;
const leastMaximum = 64 * megabyte;
const leastTried = 512 * megabyte;

const cannotShare =
  'threads need shared memory: the page must be cross-origin isolated (COOP and COEP headers)';

/** The smallest module with a SIMD instruction: () → v128.const, i8x16.popcnt. */
const simdProbe = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

/**
 * @param {Host} host
 * @param {unknown} options LoadOptions
 * @returns {Promise<Cairn>}
 */
export async function loadWith(host, options) {
  const wanted = readOptions(options, host);
  const files = new Files('load', /** @type {Record<string, unknown>} */ (options), host);
  if (!WebAssembly.validate(simdProbe)) {
    throw new CairnError(
      'NO_SIMD',
      'load',
      'WebAssembly',
      'this browser or Node has no WebAssembly SIMD, which Cairn needs',
    );
  }
  const cairn = await loadFlavour(host, files, wanted);
  await offerReaders({
    compile: () => files.compile('cairn.readers.wasm'),
    compileNow: () => files.compileNow('cairn.readers.wasm'),
    isChosen: isGiven(options, ['readersUrl', 'locateFile']),
  });
  return cairn;
}

/** @param {unknown} options @param {string[]} names */
function isGiven(options, names) {
  return names.some((name) => /** @type {Record<string, unknown>} */ (options)[name] !== undefined);
}

/**
 * @typedef {object} Wanted
 * @property {'st' | 'mt'} flavour
 * @property {boolean} mayFallBack
 * @property {string | null} fallbackReason
 * @property {number} threads
 * @property {number} maximumMemory
 * @property {WebAssembly.Module} [module] of this flavour, where the user gave one
 */

/**
 * @param {Host} host
 * @param {Files} files
 * @param {Wanted} asked
 * @returns {Promise<Cairn>}
 */
async function loadFlavour(host, files, asked) {
  const wanted = await adaptToModule(host, files, asked);
  if (wanted.flavour === 'st') return loadSingle(host, files, wanted);
  try {
    return await loadThreaded(host, files, wanted);
  } catch (error) {
    if (!wanted.mayFallBack) throw error;
    const fallbackReason = error instanceof CairnError ? error.reason : String(error);
    return loadSingle(host, files, { ...wanted, module: undefined, fallbackReason }).catch((second) => {
      // what is wrong with the module that the user gave says more than that there is no other
      throw wanted.module ? error : second;
    });
  }
}

/**
 * A module that the user gave is of one flavour, which decides unless another was asked for.
 * @param {Host} host
 * @param {Files} files
 * @param {Wanted} wanted
 * @returns {Promise<Wanted>}
 */
async function adaptToModule(host, files, wanted) {
  const { moduleOption: option } = files;
  if (option === null) return wanted;
  const module = await files.compileGiven().catch((error) => {
    throw loadFailed(error, option);
  });
  const isThreaded = WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');
  const flavour = isThreaded ? 'mt' : 'st';
  if (!wanted.mayFallBack && flavour !== wanted.flavour) {
    const text = `${option} is the module of flavour '${flavour}', but '${wanted.flavour}' is asked for`;
    throw new CairnError('LOAD_FAILED', 'load', option, text);
  }
  // the threaded one runs with a single thread, too, but not without shared memory
  if (isThreaded && !host.canShare) return { ...wanted, flavour: 'st', fallbackReason: cannotShare };
  const needsThreads = wanted.flavour === 'mt' && !isThreaded;
  const fallbackReason = needsThreads
    ? `${option} is the single-threaded module`
    : isThreaded
      ? null
      : wanted.fallbackReason;
  return { ...wanted, flavour, fallbackReason, module };
}

/** @param {Host} host @param {Files} files @param {Wanted} wanted */
async function loadSingle(host, files, { fallbackReason, module }) {
  try {
    const compiled = ahead(module ?? files.compile('cairn.st.wasm'));
    const glue = await importGlue(host.importSingle);
    const instance = await start(glue, compiled, {}, () => {});
    const facts = { flavour: /** @type {const} */ ('st'), threads: 1, maximumMemory, fallbackReason };
    return finish(instance, instance.wasmMemory, facts, () => {});
  } catch (error) {
    throw error instanceof CairnError ? error : loadFailed(error);
  }
}

/** @param {Host} host @param {Files} files @param {Wanted} wanted */
async function loadThreaded(host, files, { threads, maximumMemory: wantedMemory, module }) {
  const workerUrl = files.addressGiven('cairn.mt.worker.js');
  const { memory, maximum } = getSharedMemory(wantedMemory);
  const compiled = ahead(module ?? files.compile('cairn.mt.wasm'));
  const workers = new Workers(() => host.findScript(workerUrl));
  try {
    const makeWorker = () => workers.adopt(host.createWorker(workerUrl));
    const made = Array.from({ length: threads - 1 }, makeWorker);
    const glue = await importGlue(host.importThreaded);
    const createWorker = () => made.shift() ?? makeWorker();
    const options = { wasmMemory: memory, poolSize: threads - 1, createWorker };
    const started = start(glue, compiled, options, () => workers.expect());
    const instance = await Promise.race([started, workers.failed]);
    const flavour = /** @type {const} */ ('mt');
    const facts = { flavour, threads, maximumMemory: maximum, fallbackReason: null };
    const cairn = finish(instance, memory, facts, () => workers.terminate());
    workers.settle();
    return cairn;
  } catch (error) {
    workers.terminate();
    throw error instanceof CairnError ? error : noThreads(textOf(error));
  }
}

/**
 * What is under way while something else is waited for; should that fail, nobody asks for this any more.
 * @template T @param {T | Promise<T>} value @returns {Promise<T>}
 */
function ahead(value) {
  const promise = Promise.resolve(value);
  promise.catch(() => {});
  return promise;
}

/** @param {() => Promise<Glue>} importIt */
async function importGlue(importIt) {
  try {
    return await importIt();
  } catch (error) {
    throw loadFailed(error);
  }
}

/**
 * Makes an instance. The module is compiled by us, since the glue would report what goes wrong in
 * words of its own.
 * @param {Glue} glue
 * @param {Promise<WebAssembly.Module>} compiled
 * @param {object} options
 * @param {() => void} onInstantiated from then on workers are all that is waited for
 * @returns {Promise<GlueInstance>}
 */
function start(glue, compiled, options, onInstantiated) {
  return new Promise((resolve, reject) => {
    /**
     * @param {WebAssembly.Imports} imports
     * @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} receive
     */
    const make = async (imports, receive) => {
      const module = await compiled.catch(rethrow);
      const instance = await WebAssembly.instantiate(module, imports).catch(rethrow);
      receive(instance, module);
      onInstantiated();
    };
    const instantiateWasm = (/** @type {Parameters<typeof make>} */ ...given) => {
      make(...given).catch(reject);
      return {};
    };
    glue.default({ ...options, instantiateWasm }).then(resolve, reject);
  });
}

/** @param {unknown} error @param {string} [argument] @returns {CairnError} */
function loadFailed(error, argument = 'module') {
  if (error instanceof CairnError) return error;
  const text = `the WebAssembly module could not be loaded: ${textOf(error)}`;
  return new CairnError('LOAD_FAILED', 'load', argument, text);
}

/** @param {unknown} error @returns {never} */
function rethrow(error) {
  throw loadFailed(error);
}

/**
 * @param {GlueInstance} instance
 * @param {WebAssembly.Memory} memory
 * @param {import('./objects/cairn.js').Facts} facts
 * @param {() => void} endThreads
 */
function finish(instance, memory, facts, endThreads) {
  const found = instance._cnw_GetFingerprint() >>> 0;
  if (found !== fingerprint) {
    const text = 'the WebAssembly module and the JavaScript files are of different builds';
    throw new CairnError('LOAD_FAILED', 'load', 'module', text);
  }
  return new Cairn(new Runtime(instance, memory), facts, endThreads);
}

/**
 * Shared memory with the largest maximum that can be had; browsers reserve the addresses at once.
 * @param {number} wanted bytes
 */
function getSharedMemory(wanted) {
  for (let maximum = wanted; ; maximum /= 2) {
    try {
      const pages = Math.floor(maximum / pageBytes);
      const memory = new WebAssembly.Memory({
        initial: initialMemory / pageBytes,
        maximum: pages,
        shared: true,
      });
      return { memory, maximum: pages * pageBytes };
    } catch (error) {
      if (maximum / 2 < leastTried) {
        const text = `shared memory of ${Math.floor(maximum / megabyte)} MB cannot be had: ${String(error)}`;
        throw new CairnError('OUT_OF_MEMORY', 'load', 'maximumMemory', text);
      }
    }
  }
}

/** @param {unknown} options @param {Host} host @returns {Wanted} */
function readOptions(options, host) {
  const call = 'load';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['threads', 'flavour', 'maximumMemory', ...fileOptions]);
  const {
    threads = Math.min(Math.max(host.cores - 1, 0), 3) + 1,
    flavour,
    maximumMemory: maximum = maximumMemory,
  } = options;

  checkNumber(call, 'options.threads', threads);
  if (!Number.isInteger(threads) || threads < 0 || threads > maxThreads) {
    throw outOfRange(call, 'options.threads', threads, `are integers 0…${maxThreads}`);
  }
  checkNumber(call, 'options.maximumMemory', maximum);
  if (maximum < leastMaximum || maximum > maximumMemory) {
    throw outOfRange(
      call,
      'options.maximumMemory',
      maximum,
      `are bytes from ${leastMaximum} to ${maximumMemory}`,
    );
  }
  if (flavour !== undefined && flavour !== 'st' && flavour !== 'mt') {
    throw wrongType(call, 'options.flavour', flavour, "are 'st' and 'mt'");
  }
  const wantsThreads = flavour === 'mt' || (flavour === undefined && threads > 1);
  if (flavour === 'mt' && !host.canShare) {
    throw new CairnError('NO_THREADS', call, 'options.flavour', cannotShare);
  }
  return {
    flavour: wantsThreads && host.canShare ? 'mt' : 'st',
    mayFallBack: flavour === undefined,
    fallbackReason: wantsThreads && !host.canShare ? cannotShare : null,
    threads: Math.max(1, threads),
    maximumMemory: maximum,
  };
}
