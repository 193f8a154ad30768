// Makes the workers of a page, also where the browser does not take their script as it is: one of another
// origin comes through a script of the page's own that imports it, and a page that demands trusted types gets
// one, under the policy 'cairn-physics'.

const policyName = 'cairn-physics';

/** @typedef {{ url: string, type: WorkerType, name: string }} Script */
/** @typedef {{ createScriptURL: (url: string) => string }} Policy */

/**
 * What a function would start. Bundlers write the address of a worker's script into the call that makes the
 * worker and tell it nobody else, so the call is made once with a Worker that only takes it down.
 * @param {() => Worker} create
 * @returns {Script | undefined}
 */
export function readScript(create) {
  /** @type {Script | undefined} */
  let found;
  const real = globalThis.Worker;
  try {
    globalThis.Worker = /** @type {typeof Worker} */ (
      /** @type {unknown} */ (
        class {
          /** @param {string | URL} url @param {WorkerOptions} [options] */
          constructor(url, options) {
            found = { url: String(url), type: options?.type ?? 'classic', name: options?.name ?? '' };
          }
        }
      )
    );
    create();
  } catch {
    // it does not know the address either
  } finally {
    globalThis.Worker = real;
  }
  return found;
}

/** Scripts of the page's own by those of other origins that they import. @type {Map<string, string>} */
const shims = new Map();

/** @param {string} url @param {WorkerType} type @returns {string} */
function shim(url, type) {
  const known = shims.get(url);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(url);
  const text = type === 'module' ? `import ${quoted};` : `importScripts(${quoted});`;
  const made = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  shims.set(url, made);
  return made;
}

/** A page may allow a policy to be made once only. @type {Policy | undefined} */
let policy;

/** @param {string} url @returns {string} what a page takes that demands trusted types */
function trust(url) {
  const { trustedTypes } =
    /** @type {{ trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy } }} */ (
      /** @type {unknown} */ (globalThis)
    );
  policy ??= trustedTypes?.createPolicy(policyName, { createScriptURL: (given) => given });
  return policy?.createScriptURL(url) ?? url;
}

/** @param {Script} script @returns {Worker} */
function startScript({ url, type, name }) {
  const isForeign = !/^(blob|data):/.test(url) && new URL(url).origin !== globalThis.origin;
  let address = isForeign ? shim(url, type) : url;
  let isTrusted = true;
  try {
    address = trust(address);
  } catch {
    // the page does not allow the policy, which matters only if it demands trusted types
    isTrusted = false;
  }
  try {
    return new Worker(address, { type, name });
  } catch (error) {
    if (isTrusted || !(error instanceof TypeError)) throw error;
    const text = `the page demands trusted types, but does not allow the policy '${policyName}'`;
    throw new Error(text, { cause: error });
  }
}

/**
 * @param {() => Worker} create makes one in the way that bundlers follow
 * @param {string | undefined} url of the script to use instead
 * @param {boolean} isForeign whether the script is likely of another origin: Chromium says so when the worker
 *   is made, Firefox when nobody can do anything about it any more
 * @returns {Worker}
 */
export function makeWorker(create, url, isForeign) {
  if (url !== undefined) return startScript({ url, type: 'module', name: 'cairn' });
  try {
    if (isForeign) throw new Error('the script is of another origin');
    return create();
  } catch (error) {
    const script = readScript(create);
    if (!script) throw error;
    return startScript({ ...script, url: new URL(script.url, globalThis.location.href).href });
  }
}
