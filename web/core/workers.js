// The workers of a threaded module: whether they start, why not where they do not, and their end.
//
// A worker that cannot be loaded says so by an event without a text, one that is held up says nothing, and
// the module's glue would wait for either without end. So each worker is watched from the moment it is made.

import { CairnError } from './errors.js';

/**
 * What pages' and Node's workers have in common.
 * @typedef {object} AnyWorker
 * @property {() => unknown} terminate
 * @property {(name: string, listener: (event: any) => void) => unknown} [on] in Node
 * @property {(name: string, listener: (event: any) => void) => unknown} [addEventListener] in pages
 */

/** Silence of so many ticks while workers are waited for means that they are held up. */
const patience = 4;
/** ms. A page that is busy for long sees one tick late, not all of them. */
const tick = 1000;

export class Workers {
  /** @type {AnyWorker[]} */
  #workers = [];
  #findScript;
  /** @type {'starting' | 'running' | 'ended'} */
  #state = 'starting';
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #silentTicks = 0;
  #isExplaining = false;
  /** A directive of the page's policy that stopped a worker. @type {string | undefined} */
  #violated;
  /** @type {(error: CairnError) => void} */
  #reject = () => {};

  /** Never fulfilled; rejected with `NO_THREADS` when a worker does not start. @type {Promise<never>} */
  failed;

  /**
   * @param {() => string | undefined} findScript the address of the workers' script, if that can be known
   */
  constructor(findScript) {
    this.#findScript = findScript;
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failed.catch(() => {});
    globalThis.addEventListener?.('securitypolicyviolation', this.#onViolation);
  }

  /**
   * Watches a worker that was just made.
   * @param {AnyWorker} worker
   * @returns {AnyWorker} the same
   */
  adopt(worker) {
    if (this.#state === 'ended') {
      worker.terminate();
      return worker;
    }
    this.#workers.push(worker);
    // the glue sets a handler of its own, which would throw to nobody
    Object.defineProperty(worker, 'onerror', { get: () => () => {}, set: () => {} });
    const listen = (worker.on ?? worker.addEventListener)?.bind(worker);
    listen?.('error', (event) => this.#onError(event));
    listen?.('message', () => {
      this.#silentTicks = 0;
    });
    if (worker.on) worker.on('exit', (status) => this.#fail(`a worker ended with status ${status}`));
    return worker;
  }

  /** The workers have all they need to start: from now on they are waited for. */
  expect() {
    if (this.#state !== 'starting' || this.#workers.length === 0) return;
    this.#timer = setInterval(() => {
      this.#silentTicks += 1;
      if (this.#silentTicks < patience) return;
      this.#fail(`no worker answered for ${(patience * tick) / 1000} s`);
    }, tick);
  }

  /** All of them run: nothing is watched any more. */
  settle() {
    this.#stopWatching();
    if (this.#state === 'starting') this.#state = 'running';
  }

  /** Ends them, whatever they do. */
  terminate() {
    this.#stopWatching();
    this.#state = 'ended';
    for (const worker of this.#workers.splice(0)) worker.terminate();
  }

  #stopWatching() {
    clearInterval(this.#timer);
    globalThis.removeEventListener?.('securitypolicyviolation', this.#onViolation);
  }

  /** @param {{ effectiveDirective?: string }} event a SecurityPolicyViolationEvent */
  #onViolation = (event) => {
    const directive = event.effectiveDirective ?? '';
    if (/^(worker|child)-src/.test(directive)) this.#violated = directive;
  };

  /**
   * @param {{ message?: string, preventDefault?: () => void }} event an Error in Node, else an ErrorEvent or,
   *   with no text, an Event
   */
  #onError(event) {
    event.preventDefault?.();
    if (this.#state === 'ended') return;
    if (this.#state === 'running') {
      throw new CairnError('NO_THREADS', 'load', 'workers', `a worker stopped: ${event.message ?? ''}`);
    }
    if (event.message) {
      this.#fail(`a worker stopped at its start: ${event.message}`);
      return;
    }
    // one worker's reason is that of all
    if (this.#isExplaining) return;
    this.#isExplaining = true;
    explain(this.#findScript()).then((text) => {
      const cause = this.#violated
        ? `the page's Content-Security-Policy forbids it (${this.#violated})`
        : text;
      this.#fail(`a worker could not be loaded: ${cause}`);
    });
  }

  /** @param {string} text */
  #fail(text) {
    if (this.#state !== 'starting') return;
    this.terminate();
    this.#reject(noThreads(text));
  }
}

/** @param {string} text @returns {CairnError} */
export function noThreads(text) {
  return new CairnError('NO_THREADS', 'load', 'workers', `the threads could not start: ${text}`);
}

/**
 * Why a worker's script may not have been loaded, which the page is not told: the script is
 * asked for once more.
 * @param {string | undefined} url
 * @returns {Promise<string>}
 */
async function explain(url) {
  const causes = "is missing, is not served as JavaScript, lacks the page's headers, or is blocked";
  if (url === undefined) return `its script ${causes}`;
  try {
    const response = await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(tick) });
    response.body?.cancel().catch(() => {});
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok) return `${url} answers ${response.status}`;
    if (!/(java|ecma)script/.test(type)) return `${url} is served as '${type}', not as JavaScript`;
    // the headers of another origin cannot be read
    if (response.type === 'basic' && !response.headers.has('cross-origin-embedder-policy')) {
      return `${url} lacks the header Cross-Origin-Embedder-Policy, which the page has`;
    }
  } catch {
    // nothing can be learnt from it
  }
  return `its script (${url}) ${causes}`;
}
