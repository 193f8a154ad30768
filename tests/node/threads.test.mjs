// Threads belong to the module: its worlds share them, workers that do not start are no obstacle, and
// dispose() ends them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { load } from '../../web/index.node.js';
import { makeSimpleWorld, refuses, root } from './helpers.mjs';

const taskFolder = '/proc/self/task';
/** Threads can be counted on Linux alone. */
const canCount = existsSync(taskFolder);
const countThreads = () => (canCount ? readdirSync(taskFolder).length : 0);

/** Threads once none has come or gone for a while: they take a moment to end. */
async function settledThreads() {
  let count = countThreads();
  for (let calm = 0; calm < 10; ++calm) {
    await delay(20);
    if (countThreads() !== count) calm = 0;
    count = countThreads();
  }
  return count;
}

// Node starts threads of its own at the first load
before(async () => (await load({ flavour: 'mt', threads: 2 })).dispose());

// ---- worlds -----------------------------------------------------------------------------------------------

test('3,000 worlds with 4 threads come and go in one turn, and memory stops growing', async () => {
  const cairn = await load({ flavour: 'mt', threads: 4 });
  const threads = await settledThreads();
  const samples = [];
  for (let i = 0; i < 3000; ++i) {
    const { world } = makeSimpleWorld(cairn, { threads: 4 });
    world.step();
    world.dispose();
    if (i % 500 === 499) {
      // JavaScript's own heap keeps what was made in a turn until the turn ends
      const { rss, heapTotal } = process.memoryUsage();
      const { byteLength } = cairn.memory.buffer;
      samples.push({ threads: countThreads(), bytes: byteLength, native: rss - heapTotal });
    }
  }
  const [first] = samples;
  for (const { threads: running, bytes, native } of samples) {
    assert.equal(running, threads);
    assert.equal(bytes, first.bytes);
    const grown = native - first.native;
    assert.ok(grown < 25e6, `${grown / 1e6} MB more beside JavaScript's heap than after 500 worlds`);
  }
  assert.equal(cairn.bytesInUse, 0);
  cairn.dispose();
});

test('worlds that live beside each other share the threads, and any number of them gives the same state', async () => {
  const cairn = await load({ flavour: 'mt', threads: 4 });
  const threads = await settledThreads();
  const worlds = Array.from({ length: 100 }, (_, i) => {
    const world = cairn.createWorld({ threads: 1 + (i % 4) });
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    for (let k = 0; k < 40; ++k) {
      const geometries = [{ shape: { type: 'sphere', radius: 0.5 } }];
      world.createBody({ position: [0.9 * (k % 5), 0.01 * k, 0.6 + 0.9 * Math.floor(k / 5)], geometries });
    }
    return world;
  });
  for (let step = 0; step < 20; ++step) for (const world of worlds) world.step();
  assert.deepEqual([...new Set(worlds.map((world) => world.hash()))].length, 1);
  assert.equal(countThreads(), threads);
  cairn.dispose();
});

// ---- dispose ----------------------------------------------------------------------------------------------

test('dispose() ends the threads, disposes the worlds and makes every later call an error', async () => {
  for (const flavour of /** @type {const} */ (['st', 'mt'])) {
    const threads = await settledThreads();
    const cairn = await load({ flavour, threads: 4 });
    if (canCount && flavour === 'mt') assert.equal(countThreads(), threads + 3);
    const { world, ball } = makeSimpleWorld(cairn);
    const scene = cairn.loadScene({ format: 'cairn-scene', version: 1 });
    world.step();
    const { raw, math } = cairn;
    const gone = cairn.createWorld();
    gone.dispose();

    assert.equal(cairn.isDisposed, false);
    cairn.dispose();
    cairn.dispose();
    cairn[Symbol.dispose]();
    assert.equal(cairn.isDisposed, true);
    assert.deepEqual([world.isDisposed, scene.isDisposed, scene.world.isDisposed], [true, true, true]);
    assert.equal(await settledThreads(), threads);

    const reason = /cairn was disposed/;
    refuses(() => cairn.createWorld(), { code: 'STALE_HANDLE', call: 'cairn.createWorld', reason });
    refuses(() => cairn.loadScene('{}'), { code: 'STALE_HANDLE', call: 'cairn.loadScene', reason });
    const sphere = { type: 'sphere', radius: 1 };
    for (const call of [
      () => cairn.memory,
      () => cairn.bytesInUse,
      () => cairn.raw._cnw_GetVersion(),
      () => cairn.list('materials'),
      () => cairn.computeMassProperties(sphere, 1),
      () => cairn.computeBounds(sphere, {}),
      () => cairn.readMesh(new Uint8Array(1)),
      () => math.sin(1),
    ]) {
      refuses(call, { code: 'STALE_HANDLE', reason });
    }
    refuses(() => world.step(), { code: 'STALE_HANDLE', reason: /world was disposed/ });
    refuses(() => ball.getPosition(), { code: 'STALE_HANDLE' });
    refuses(() => scene.step(), { code: 'STALE_HANDLE' });
    assert.equal(typeof raw._cnw_GetVersion, 'function');
  }
});

test('a listener cannot dispose the module it is called from', async () => {
  const cairn = await load({ flavour: 'mt', threads: 2 });
  const other = cairn.createWorld();
  const { world, ball } = makeSimpleWorld(cairn);
  let calls = 0;
  world.addContactListener({
    onContact: () => {
      calls += 1;
      refuses(() => cairn.dispose(), { code: 'WRONG_PHASE' });
    },
  });
  ball.setPosition([0, 0, 0.49]);
  world.step();
  assert.ok(calls > 0);
  assert.deepEqual([other.isDisposed, world.isDisposed, cairn.isDisposed], [false, false, false]);
  cairn.dispose();
  assert.deepEqual([other.isDisposed, world.isDisposed, cairn.isDisposed], [true, true, true]);
});

test('modules come and go without leaving threads behind', async () => {
  const threads = await settledThreads();
  for (let i = 0; i < 30; ++i) {
    const cairn = await load({ flavour: 'mt', threads: 3 });
    makeSimpleWorld(cairn).world.steps(3);
    cairn.dispose();
  }
  assert.equal(await settledThreads(), threads);
});

// ---- workers that do not start ----------------------------------------------------------------------------

describe('workers that do not start', { concurrency: false }, () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-workers-'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    cpSync(join(root, 'web'), join(folder, 'web'), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const own = readFileSync(join(root, 'web/dist/cairn.mt.worker.node.js'), 'utf8');

  /**
   * What load() does in a fresh Node whose workers run another script.
   * @param {string | null} script text of it; null: it is missing; undefined: as it should be
   * @param {string[]} [options] of Node
   */
  function loadWithWorkers(script, options = []) {
    const file = join(folder, 'web/dist/cairn.mt.worker.node.js');
    if (script === null) rmSync(file);
    else writeFileSync(file, script ?? own);
    const user = join(folder, 'user.mjs');
    const address = pathToFileURL(join(folder, 'web/index.node.js')).href;
    writeFileSync(
      user,
      `import { existsSync, readdirSync } from 'node:fs';
      import { CairnError, load } from '${address}';
      const count = () => existsSync('${taskFolder}') ? readdirSync('${taskFolder}').length : 0;
      const wait = () => new Promise((resolve) => setTimeout(resolve, 20));
      const threads = count();
      const forced = load({ flavour: 'mt', threads: 3 }).then(
        (started) => (started.dispose(), {}),
        (error) => {
          const isOurs = error instanceof CairnError;
          return { isOurs, ...error, message: error.message };
        },
      );
      const cairn = await load({ threads: 3 });
      const world = cairn.createWorld();
      world.createBody({ mass: 1 });
      world.step();
      const error = await forced;
      cairn.dispose();
      for (let i = 0; i < 100 && count() > threads; ++i) await wait();
      const { flavour, fallbackReason } = cairn;
      const left = count() - threads;
      const told = { flavour, threads: cairn.threads, fallbackReason, error, left };
      console.log(JSON.stringify(told));`,
    );
    const result = spawnSync(process.execPath, [...options, user], { encoding: 'utf8', timeout: 30000 });
    assert.equal(result.status, 0, result.stderr);
    return { ...JSON.parse(result.stdout), stderr: result.stderr };
  }

  /** @param {ReturnType<typeof loadWithWorkers>} found @param {RegExp} reason */
  function fellBack(found, reason) {
    assert.deepEqual([found.flavour, found.threads], ['st', 1]);
    assert.match(found.fallbackReason, reason);
    assert.ok(found.error.isOurs);
    assert.equal(found.error.code, 'NO_THREADS');
    assert.match(found.error.message, reason);
    assert.equal(found.left, 0, 'threads are left');
    const words = `${found.stderr} ${found.fallbackReason} ${found.error.message}`;
    assert.doesNotMatch(words, /worker sent an error|Aborted|ASSERTIONS|emscripten|em-pthread/i);
  }

  it('a script that is missing', () =>
    fellBack(loadWithWorkers(null), /Cannot find module.*worker\.node\.js/));

  it('a script that throws', () =>
    fellBack(loadWithWorkers(`throw new Error('no way');`), /stopped at its start: no way/));

  it('a script that ends at once', () => fellBack(loadWithWorkers(' '), /ended with status 0/));

  it('a script that never answers', () =>
    fellBack(loadWithWorkers('setInterval(() => {}, 1000);'), /no worker answered for 4 s/));

  const permission = ['--permission', '--experimental-permission'].find((name) =>
    process.allowedNodeEnvironmentFlags.has(name),
  );
  it('a Node that forbids workers', { skip: permission === undefined }, () => {
    const options = [
      /** @type {string} */ (permission),
      '--allow-fs-read=*',
      '--disable-warning=ExperimentalWarning',
    ];
    fellBack(loadWithWorkers(undefined, options), /restricted/);
  });

  it('a script as it should be', () => {
    const found = loadWithWorkers(undefined);
    assert.deepEqual([found.flavour, found.threads, found.fallbackReason], ['mt', 3, null]);
    assert.equal(found.stderr, '');
  });
});
