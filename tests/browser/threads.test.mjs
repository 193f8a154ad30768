// Workers that a page cannot have are no obstacle: the single-threaded module is loaded and says why, or
// asking for threads is refused, and no worker is left. Those that run are shared by all worlds, and
// dispose() ends them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openBrowser, openPage } from './chromium.mjs';
import { serveFaulty } from './faulty_host.mjs';

const glue = '/web/dist/cairn.mt.web.js';
const script = '/web/dist/cairn.mt.worker.js';

/** @typedef {import('./faulty_host.mjs').Fault} Fault */

/** @param {(answer: import('./faulty_host.mjs').Answer) => boolean | void} change @returns {Fault} */
const ofWorkers = (change) => (request, answer) => (request.path === script ? change(answer) : undefined);

/** @param {string} text @returns {Fault} */
const scriptOf = (text) =>
  ofWorkers((answer) => {
    answer.body = Buffer.from(text);
  });

/**
 * What is wrong, what the reason says, and the code where threads are asked for.
 * @type {[string, Fault, RegExp, string][]}
 */
const faults = [
  [
    "a Content-Security-Policy with worker-src 'none'",
    ({ path }, { headers }) => {
      if (path.endsWith('.html')) headers.set('content-security-policy', "worker-src 'none'");
    },
    /Content-Security-Policy forbids it \(worker-src\)/,
    'NO_THREADS',
  ],
  [
    'a worker script that is missing',
    ofWorkers((answer) => {
      answer.status = 404;
    }),
    /could not be loaded: \S+\/cairn\.mt\.worker\.js answers 404/,
    'NO_THREADS',
  ],
  [
    'a threaded module that is missing',
    ({ path }, answer) => {
      if (path === glue) answer.status = 404;
    },
    /cairn\.mt\.web\.js/,
    'LOAD_FAILED',
  ],
  [
    'a .wasm that is missing',
    ({ path }, answer) => {
      if (path.endsWith('cairn.mt.wasm')) answer.status = 404;
    },
    /cairn\.mt\.wasm answers 404/,
    'LOAD_FAILED',
  ],
  [
    'a worker script without Cross-Origin-Embedder-Policy',
    ({ path }, { headers }) => {
      if (path === script) headers.delete('cross-origin-embedder-policy');
    },
    /lacks the header Cross-Origin-Embedder-Policy/,
    'NO_THREADS',
  ],
  [
    'a worker script that is served as text',
    ofWorkers(({ headers }) => headers.set('content-type', 'text/plain')),
    /could not be loaded: .*is served as 'text\/plain', not as JavaScript/,
    'NO_THREADS',
  ],
  [
    'a worker script that throws',
    scriptOf("throw new Error('no way');"),
    /stopped at its start: .*no way/,
    'NO_THREADS',
  ],
  [
    'a page that demands trusted types and does not allow ours',
    ({ path }, { headers }) => {
      if (path.endsWith('.html')) {
        headers.set('content-security-policy', "require-trusted-types-for 'script'; trusted-types 'none'");
      }
    },
    /demands trusted types, but does not allow the policy 'cairn-physics'/,
    'NO_THREADS',
  ],
  ['a worker script that does nothing', scriptOf(''), /no worker answered for 4 s/, 'NO_THREADS'],
  ['a worker script that never comes', ofWorkers(() => false), /no worker answered for 4 s/, 'NO_THREADS'],
];

describe('threads in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let chromium;
  /** @type {Awaited<ReturnType<typeof serveFaulty>>} */
  let host;

  before(async () => {
    chromium = await openBrowser({ isolate: false });
    host = await serveFaulty();
  });
  after(async () => {
    await chromium?.close();
    await host?.close();
  });

  /** @param {Fault} fault */
  async function open(fault) {
    host.setFault(fault);
    const opened = await openPage(chromium.browser, { width: 320, height: 240 });
    await opened.page.goto(`${host.url}tests/browser/blank.html`);
    assert.equal(await opened.page.evaluate('crossOriginIsolated'), true);
    return opened;
  }

  /**
   * Workers that are left once the browser had time to end them.
   * @param {import('playwright-core').Page} page
   */
  async function awaitNoWorkers(page) {
    for (let i = 0; i < 100 && page.workers().length > 0; ++i) await page.waitForTimeout(20);
    return page.workers().length;
  }

  /**
   * What load() gives, or its error, in seconds.
   * @param {import('playwright-core').Page} page @param {object} options @param {string} [module]
   */
  function tryLoading(page, options, module = '/web/index.js') {
    return page.evaluate(async ([address, given]) => {
      const { CairnError, load } = await import(address);
      const start = performance.now();
      const seconds = () => (performance.now() - start) / 1000;
      try {
        const cairn = await load(given);
        const loaded = seconds();
        const world = cairn.createWorld();
        world.createBody({ mass: 1 });
        world.step();
        const { flavour, threads, fallbackReason } = cairn;
        return { flavour, threads, fallbackReason, steps: world.stepCount, seconds: loaded };
      } catch (error) {
        const { code, message } = error;
        return { isOurs: error instanceof CairnError, code, message, seconds: seconds() };
      }
    }, /** @type {const} */ ([module, options]));
  }

  for (const [name, fault, reason, code] of faults) {
    it(`${name}: one thread, and why`, async () => {
      const { page, problems } = await open(fault);
      const found = await tryLoading(page, { threads: 3 });
      assert.deepEqual([found.flavour, found.threads, found.steps], ['st', 1, 1], JSON.stringify(found));
      assert.match(found.fallbackReason, reason);
      assert.ok(found.seconds < 5, `load() took ${found.seconds} s`);

      const forced = await tryLoading(page, { flavour: 'mt', threads: 3 });
      assert.deepEqual([forced.isOurs, forced.code], [true, code], JSON.stringify(forced));
      assert.match(forced.message, reason);
      assert.ok(forced.seconds < 5, `flavour 'mt' took ${forced.seconds} s`);

      assert.equal(await awaitNoWorkers(page), 0);
      // the browser's own lines alone: what could not be loaded, which policy was violated
      for (const line of problems) {
        assert.match(
          line,
          /Failed to load resource|Content Security Policy|ERR_BLOCKED|MIME type|Cross-Origin|Trusted/,
        );
      }
      await page.close();
    });
  }

  it('a host as it should be: threads that all worlds share, and none after dispose()', async () => {
    const { page, problems } = await open(() => {});
    const found = await page.evaluate(async () => {
      const address = '/web/index.js';
      const { load } = await import(address);
      const cairn = await load({ threads: 4 });
      globalThis.cairn = cairn;
      for (let i = 0; i < 1000; ++i) {
        const world = cairn.createWorld({ threads: 4 });
        world.createBody({ mass: 1 });
        world.step();
        world.dispose();
      }
      const { flavour, threads, fallbackReason } = cairn;
      return { flavour, threads, fallbackReason, bytes: cairn.memory.buffer.byteLength };
    });
    assert.deepEqual(found, { flavour: 'mt', threads: 4, fallbackReason: null, bytes: 32 * 1024 * 1024 });
    assert.equal(page.workers().length, 3);
    const error = await page.evaluate(() => {
      globalThis.cairn.dispose();
      try {
        globalThis.cairn.createWorld();
      } catch ({ code, message }) {
        return { code, message };
      }
      return undefined;
    });
    assert.deepEqual(error, { code: 'STALE_HANDLE', message: 'cairn.createWorld: cairn was disposed' });
    assert.equal(await awaitNoWorkers(page), 0);
    assert.deepEqual(problems, []);
    await page.close();
  });

  /** The same files from another origin, for pages anywhere. */
  async function serveForeign() {
    const foreign = await serveFaulty();
    foreign.setFault((_, { headers }) => {
      headers.set('access-control-allow-origin', '*');
      headers.set('cross-origin-resource-policy', 'cross-origin');
    });
    return foreign;
  }

  it('a package of another origin: threads, or one where the policy forbids what they need', async () => {
    const foreign = await serveForeign();
    try {
      for (const [policy, flavour, reason] of [
        [undefined, 'mt', /^null$/],
        [`worker-src 'self' blob: ${foreign.url}`, 'mt', /^null$/],
        ["worker-src 'self' blob:", 'st', /could not be loaded: its script \(.*worker\.js\) .* is blocked/],
        ["worker-src 'self'", 'st', /Content-Security-Policy forbids it \(worker-src\)/],
      ]) {
        const { page } = await open(({ path }, { headers }) => {
          if (policy && path.endsWith('.html')) headers.set('content-security-policy', policy);
        });
        const found = await tryLoading(page, { threads: 2 }, `${foreign.url}web/index.js`);
        assert.equal(found.flavour, flavour, JSON.stringify(found));
        assert.match(String(found.fallbackReason), reason);
        assert.ok(found.seconds < 5, `load() took ${found.seconds} s`);
        await page.close();
      }
    } finally {
      await foreign.close();
    }
  });

  it("a bundler's worker of another origin starts as what it is, a module or a script", async () => {
    const foreign = await serveForeign();
    try {
      const { page } = await open(() => {});
      for (const type of ['module', 'classic']) {
        foreign.setFault(({ path }, answer) => {
          answer.headers.set('access-control-allow-origin', '*');
          answer.headers.set('cross-origin-resource-policy', 'cross-origin');
          if (path !== `/${type}.js`) return;
          answer.status = 200;
          answer.headers.set('content-type', 'text/javascript');
          answer.body = Buffer.from(
            type === 'module' ? 'postMessage(import.meta.url)' : 'postMessage(this.name)',
          );
        });
        const answer = await page.evaluate(
          async ([url, kind]) => {
            const address = '/web/core/page_workers.js';
            const { makeWorker } = await import(address);
            const real = globalThis.Worker;
            const create = () => new Worker(url, { type: kind, name: 'ours' });
            const worker = makeWorker(create, undefined, false);
            const message = await new Promise((resolve) => {
              worker.onmessage = ({ data }) => resolve(data);
            });
            worker.terminate();
            return { message, isRestored: globalThis.Worker === real };
          },
          [`${foreign.url}${type}.js`, type],
        );
        const message = type === 'module' ? `${foreign.url}module.js` : 'ours';
        assert.deepEqual(answer, { message, isRestored: true });
      }
      await page.close();
    } finally {
      await foreign.close();
    }
  });

  it('a policy that forbids WebAssembly: an error that says so', async () => {
    const { page } = await open(({ path }, { headers }) => {
      if (path.endsWith('.html')) headers.set('content-security-policy', "script-src 'self'");
    });
    const found = await tryLoading(page, { threads: 2 });
    assert.equal(found.code, 'LOAD_FAILED');
    assert.match(found.message, /Content-Security-Policy forbids WebAssembly: .*'wasm-unsafe-eval'/);
    await page.close();
  });

  it('a page where a file should be: an error that shows it', async () => {
    const { page } = await open(({ path }, answer) => {
      if (!path.endsWith('.wasm')) return;
      answer.body = Buffer.from('<!doctype html><title>our app</title>');
      answer.headers.set('content-type', 'text/html');
    });
    const found = await tryLoading(page, {});
    assert.equal(found.code, 'LOAD_FAILED');
    for (const text of ['cairn.st.wasm is no', 'begins with "<!doctype html><"', "served as 'text/html'"]) {
      assert.ok(found.message.includes(text), found.message);
    }
    await page.close();
  });

  it('a page that is not isolated: one thread, and why', async () => {
    const { page, problems } = await openPage(chromium.browser, { width: 320, height: 240 });
    await page.goto(`${chromium.url}tests/browser/blank.html`);
    const found = await tryLoading(page, {});
    assert.equal(found.flavour, 'st');
    // a machine with one core wants no threads
    const wantsThreads = await page.evaluate('navigator.hardwareConcurrency > 1');
    if (wantsThreads) assert.match(found.fallbackReason, /cross-origin isolated \(COOP and COEP headers\)/);
    assert.equal((await tryLoading(page, { flavour: 'mt' })).code, 'NO_THREADS');
    assert.deepEqual(problems, []);
    await page.close();
  });
});
