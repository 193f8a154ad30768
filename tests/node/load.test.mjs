// Loading: flavours, threads, time, size, errors.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { load } from '../../web/index.node.js';
import { loadWith } from '../../web/load.js';
import { CairnError } from '../../web/core/errors.js';
import { getCairn, root } from './helpers.mjs';

function runScript(script, args = []) {
  // a file, since workers take over Node's own options and refuse --input-type
  const file = join(root, 'build', `load_test_${process.pid}.mjs`);
  mkdirSync(join(root, 'build'), { recursive: true });
  writeFileSync(file, script);
  const result = spawnSync(process.execPath, [...args, file], {
    cwd: root,
    encoding: 'utf8',
    timeout: 30000,
  });
  rmSync(file);
  assert.equal(result.status, 0, result.stderr);
  return result.stdout.trim();
}

// 200 kB was the budget of the engine with five shapes (173 and 180 kB); twelve shapes with every pair, the
// queries and swept collision came on top, then linkages in continuous collision and guards of energy
// (22 kB), then lists of state and the validation of worlds (8 kB), then snapshots and recordings (15 kB),
// then velocities at the time of the poses, what impacts give and balances of energy (7 kB), then friction
// models and resistance to rolling (6 kB), then ten materials, 49 pairs, terrains, cables, beams and items of
// users (5 kB); then all that a step runs was built for speed and no longer for size (50 kB, for a sixth of a
// step's time), then contacts packed in lanes (3 kB) and batches of islands (2 kB), less what -O2 saves where
// -O3 gains nothing (5 kB), then contacts packed from their pairs and pairs of balls in closed form (4 kB),
// then many bodies in one call (2 kB), then rooms of converged islands (1 kB) and islands of joints side by
// side (3 kB), then sleep (5 kB), then merged bodies (14 kB), by themselves, too (19 kB), as loads pass
// through them, and with listeners (2 kB).
// The way back is in docs/roadmap.md.
test('each module is at most 500 kB gzipped, that of the readers 25 kB', () => {
  for (const [name, most] of [
    ['st', 495],
    ['mt', 500],
    ['readers', 25],
  ]) {
    const bytes = gzipSync(readFileSync(join(root, `web/dist/cairn.${name}.wasm`)), { level: 9 }).length;
    assert.ok(bytes <= most * 1000, `cairn.${name}.wasm has ${bytes} bytes gzipped`);
  }
});

// The best of some: the machine may be busy with other tests. Starting a worker takes Node 15 to 80 ms by
// itself, as the machine is.
test('a fresh Node loads in under 100 ms, beside what an empty worker takes', () => {
  const best = (script) => Math.min(...Array.from({ length: 5 }, () => Number(runScript(script))));
  const worker = best(`
    import { Worker } from 'node:worker_threads';
    const start = performance.now();
    new Worker('', { eval: true }).on('online', () => console.log(performance.now() - start));`);
  for (const options of ["{ flavour: 'st' }", "{ flavour: 'mt', threads: 2 }"]) {
    const time = best(`
      const { load } = await import('../web/index.node.js');
      const start = performance.now();
      const cairn = await load(${options});
      cairn.createWorld().dispose();
      console.log(performance.now() - start);`);
    const limit = 100 + (options.includes('mt') ? worker : 0);
    assert.ok(time < limit, `load(${options}) took ${time.toFixed(0)} ms of ${limit.toFixed(0)}`);
  }
});

test('a script ends by itself with workers loaded', () => {
  const script = `
    import { load } from '../web/index.node.js';
    const cairn = await load({ threads: 3 });
    const world = cairn.createWorld();
    world.createBody();
    world.step();
    console.log(cairn.flavour, cairn.threads);`;
  assert.equal(runScript(script), 'mt 3');
});

test('threads choose the flavour', async () => {
  assert.equal((await load()).fallbackReason, null);
  const single = await load({ threads: 1 });
  assert.deepEqual([single.flavour, single.threads], ['st', 1]);
  const none = await load({ threads: 0 });
  assert.deepEqual([none.flavour, none.threads], ['st', 1]);
  const forced = await load({ flavour: 'mt', threads: 1 });
  assert.deepEqual([forced.flavour, forced.threads], ['mt', 1]);
  const two = await getCairn('mt', 2);
  assert.deepEqual([two.flavour, two.threads], ['mt', 2]);
  assert.ok(two.memory.buffer instanceof SharedArrayBuffer);
  assert.ok(single.memory.buffer instanceof ArrayBuffer);
});

test('the version is that of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal((await getCairn()).version, version);
});

test('a pool larger than the machine finishes', async () => {
  const cairn = await load({ threads: 8 });
  const world = cairn.createWorld();
  for (let i = 0; i < 200; ++i) {
    world.createBody({ position: [i, 0, 0], geometries: [{ shape: { type: 'sphere', radius: 0.4 } }] });
  }
  for (let i = 0; i < 20; ++i) world.step();
  assert.equal(world.stepCount, 20);
  world.dispose();
});

test('worlds of one module live beside each other and give their memory back', async () => {
  const cairn = await load({ flavour: 'st' });
  const empty = cairn.bytesInUse;
  const worlds = Array.from({ length: 20 }, () => cairn.createWorld());
  worlds.forEach((world, i) => world.createBody({ position: [i, 0, 0] }));
  worlds.forEach((world, i) => assert.equal(world.bodyAt(0)?.getPosition()[0], i));
  assert.ok(cairn.bytesInUse > empty);
  for (const world of worlds) world.dispose();
  assert.equal(cairn.bytesInUse, empty);
});

test('where the threaded module is missing or broken the single-threaded one says why it was taken', async () => {
  const { default: factory, ...addresses } = await import('../../web/dist/cairn.mt.node.mjs');
  const host = {
    importSingle: () => import('../../web/dist/cairn.st.node.mjs'),
    compile: async (url) => WebAssembly.compile(readFileSync(new URL(url))),
    cores: 2,
    canShare: true,
  };
  for (const [importThreaded, reason] of [
    [() => import('../../web/dist/nothing.mjs'), /nothing\.mjs/],
    [async () => ({ ...addresses, default: factory, wasmUrl: 'file:///nothing.wasm' }), /nothing\.wasm/],
    [async () => ({ ...addresses, default: factory, wasmUrl: addresses.scriptUrl }), /magic word/],
  ]) {
    const cairn = await loadWith({ ...host, importThreaded }, {});
    assert.equal(cairn.flavour, 'st');
    assert.match(cairn.fallbackReason, reason);
    const forced = loadWith({ ...host, importThreaded }, { flavour: 'mt' });
    await assert.rejects(forced, { name: 'CairnError', code: 'LOAD_FAILED', reason });
  }
});

test('a smaller memory is tried where a large one cannot be had', async () => {
  const real = WebAssembly.Memory;
  /** @type {number[]} */
  const asked = [];
  WebAssembly.Memory = class extends real {
    constructor(descriptor) {
      asked.push(descriptor.maximum / 16);
      if (descriptor.maximum > 512 * 16) throw new RangeError('could not allocate memory');
      super(descriptor);
    }
  };
  try {
    const cairn = await load({ flavour: 'mt', threads: 1 });
    assert.deepEqual(asked, [2048, 1024, 512]);
    assert.equal(cairn.maximumMemory, 512 * 1024 * 1024);
    const world = cairn.createWorld();
    world.step();
    world.dispose();
  } finally {
    WebAssembly.Memory = real;
  }
});

test('without shared memory the single-threaded module is taken, or asking for threads is refused', async () => {
  const host = {
    importSingle: () => import('../../web/dist/cairn.st.node.mjs'),
    importThreaded: () => assert.fail('the threaded module must not be touched'),
    compile: async (url) => WebAssembly.compile(readFileSync(new URL(url))),
    cores: 8,
    canShare: false,
  };
  const cairn = await loadWith(host, {});
  assert.equal(cairn.flavour, 'st');
  assert.match(cairn.fallbackReason, /cross-origin isolated/);
  for (const options of [{ flavour: 'st' }, { threads: 1 }]) {
    assert.equal((await loadWith(host, options)).fallbackReason, null);
  }
  await assert.rejects(loadWith(host, { flavour: 'mt' }), { name: 'CairnError', code: 'NO_THREADS' });
});

test('wrong options and missing files are CairnErrors', async () => {
  for (const [options, code] of [
    [null, 'WRONG_TYPE'],
    [4, 'WRONG_TYPE'],
    [{ thread: 2 }, 'UNKNOWN_NAME'],
    [{ threads: 1.5 }, 'OUT_OF_RANGE'],
    [{ threads: -1 }, 'OUT_OF_RANGE'],
    [{ threads: 33 }, 'OUT_OF_RANGE'],
    [{ threads: NaN }, 'NOT_FINITE'],
    [{ threads: '2' }, 'WRONG_TYPE'],
    [{ flavour: 'gpu' }, 'WRONG_TYPE'],
    [{ maximumMemory: 1 }, 'OUT_OF_RANGE'],
  ]) {
    await assert.rejects(
      load(/** @type {{}} */ (options)),
      (error) => error instanceof CairnError && error.code === code,
    );
  }
  const host = {
    importSingle: () => import('../../web/dist/nothing.mjs'),
    importThreaded: () => import('../../web/dist/nothing.mjs'),
    compile: () => assert.fail('there is nothing to compile'),
    cores: 1,
    canShare: false,
  };
  await assert.rejects(loadWith(host, {}), { code: 'LOAD_FAILED' });
});

test('without SIMD the error says so', async () => {
  const real = WebAssembly.validate;
  WebAssembly.validate = () => false;
  try {
    await assert.rejects(load({ threads: 1 }), { code: 'NO_SIMD' });
  } finally {
    WebAssembly.validate = real;
  }
});
