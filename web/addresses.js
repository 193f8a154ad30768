// Where the package's files are in a page, as far as nobody says it.

// @ts-ignore made by the build, without types
import { addresses, createWorker } from './dist/cairn.files.js';

/**
 * Vite's development server copies the modules of packages, but none of their other files, to a folder of its
 * own, from where the files are found in the package beside it.
 */
const viteCopies = /\/\.vite\/(?:vitest\/[^/]+\/)?deps\/[^/]*$/;
const inPackage = '/cairn-physics/web/';

/**
 * The address of a .wasm file; throws in a script that is no module, which does not know where it is.
 * @param {import('./core/files.js').WasmName} name
 * @returns {string}
 */
export function locate(name) {
  return /** @type {string} */ (addresses[name]()).replace(viteCopies, `${inPackage}dist/${name}`);
}

/**
 * The address of a worker's script, where the literal one that bundlers follow would be wrong.
 * @param {string} path below web/
 * @returns {string | undefined}
 */
export function findMoved(path) {
  try {
    const wasmUrl = addresses['cairn.mt.wasm']();
    return viteCopies.test(wasmUrl) ? wasmUrl.replace(viteCopies, inPackage + path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the package's files are of another origin than the page, as far as that can be known.
 * @returns {boolean}
 */
export function isForeign() {
  try {
    const { protocol, origin } = new URL(locate('cairn.mt.wasm'));
    return protocol.startsWith('http') && origin !== globalThis.origin;
  } catch {
    return false;
  }
}

/** Makes a thread's worker in the way that bundlers follow. @type {() => Worker} */
export const createThread = createWorker;

/**
 * An absolute URL of an address of the page.
 * @param {string} address
 * @returns {string}
 */
export function resolveAddress(address) {
  return new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}
