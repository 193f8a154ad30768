// Loading: flavours, threads, time, size, errors.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { load } from '../../web/index.node.js';
import { loadWith } from '../../web/load.js';
import { compileBytes } from '../../web/core/compile.js';
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
// through them, and with listeners (2 kB). Then 16 kB went as functions that resemble one another came to
// stand beside one another (cmake/wasm/order_functions.mjs), and as much by what is built for size.
// Impacts in several places at once, of linkages too, took 3 kB, sweeps of all bodies 2 kB. The way back is
// in docs/roadmap.md. The readers of files have 22 kB, the mesh tools and the hulls that they build 40 kB.
test('each module is at most 497 kB gzipped, that of readers and mesh tools 64 kB', () => {
  for (const [name, most] of [
    ['st', 492],
    ['mt', 497],
    ['readers', 64],
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
    world.createBody({ mass: 1 });
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
  worlds.forEach((world, i) => world.createBody({ mass: 1, position: [i, 0, 0] }));
  worlds.forEach((world, i) => assert.equal(world.bodyAt(0)?.getPosition()[0], i));
  assert.ok(cairn.bytesInUse > empty);
  for (const world of worlds) world.dispose();
  assert.equal(cairn.bytesInUse, empty);
});

/** What Node hands to the loader, with changes. @param {object} changes */
function makeHost(changes) {
  const dist = new URL('../../web/dist/', import.meta.url);
  return {
    importSingle: () => import('../../web/dist/cairn.st.node.js'),
    importThreaded: () => import('../../web/dist/cairn.mt.node.js'),
    locate: (name) => new URL(name, dist).href,
    resolve: (address) => new URL(address, dist).href,
    compile: async (url) => compileBytes(url, readFileSync(new URL(url))),
    createWorker: () => new Worker(new URL('cairn.mt.worker.node.js', dist)),
    findScript: () => undefined,
    cores: 2,
    canShare: true,
    ...changes,
  };
}

test('where the threaded module is missing or broken the single-threaded one says why it was taken', async () => {
  const single = (name) => new URL(`../../web/dist/${name}`, import.meta.url).href;
  for (const [changes, reason] of [
    [{ importThreaded: () => import('../../web/dist/nothing.js') }, /nothing\.js/],
    [{ locate: (name) => single(name.replace('.mt.', '.no.')) }, /cairn\.no\.wasm/],
    [
      { locate: (name) => single(name.replace('.mt.wasm', '.mt.node.js')) },
      /is no WebAssembly module: it begins with "/,
    ],
  ]) {
    const host = makeHost(changes);
    const cairn = await loadWith(host, {});
    assert.equal(cairn.flavour, 'st');
    assert.match(cairn.fallbackReason, reason);
    const forced = loadWith(host, { flavour: 'mt' });
    await assert.rejects(forced, { name: 'CairnError', code: 'LOAD_FAILED', reason });
  }
});

test('files may be elsewhere: addresses, bytes, a function, and what they are decides on threads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-files-'));
  try {
    for (const name of readdirSync(join(root, 'web/dist'))) {
      copyFileSync(join(root, 'web/dist', name), join(folder, `moved.${name}`));
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const nodeGlue = join(root, 'web/dist/cairn.mt.node.js');
    const worker = join(folder, 'worker.js');
    writeFileSync(
      worker,
      `import create from ${JSON.stringify(pathToFileURL(nodeGlue).href)}; create({ isThread: true });`,
    );
    const single = join(folder, 'moved.cairn.st.wasm');
    const threaded = pathToFileURL(join(folder, 'moved.cairn.mt.wasm'));
    const bytes = readFileSync(single);
    const exact = new Uint8Array(bytes).buffer;
    for (const [options, flavour, reason] of [
      [{ wasmUrl: single, threads: 1 }, 'st', /^null$/],
      [{ wasmUrl: single, threads: 2 }, 'st', /options\.wasmUrl is the single-threaded module/],
      [{ wasmUrl: threaded, threads: 2, workerUrl: worker }, 'mt', /^null$/],
      [{ wasmUrl: threaded, threads: 1 }, 'mt', /^null$/],
      [{ wasmBinary: bytes, flavour: 'st' }, 'st', /^null$/],
      [{ wasmBinary: exact, flavour: 'st' }, 'st', /^null$/],
      [{ wasmBinary: await WebAssembly.compile(bytes), flavour: 'st' }, 'st', /^null$/],
      [{ wasmBinary: readFileSync(threaded), threads: 2 }, 'mt', /^null$/],
      [{ workerUrl: join(folder, 'missing.js'), threads: 2 }, 'st', /Cannot find module .*missing\.js/],
    ]) {
      const cairn = await load(options);
      assert.equal(cairn.flavour, flavour, JSON.stringify(options));
      assert.match(String(cairn.fallbackReason), reason);
      const world = cairn.createWorld();
      world.createBody({ mass: 1 });
      world.step();
      cairn.dispose();
    }

    const asked = [];
    const locateFile = (name) => {
      asked.push(name);
      return name === 'cairn.mt.worker.js' ? worker : pathToFileURL(join(folder, `moved.${name}`));
    };
    const located = await load({ threads: 2, locateFile });
    assert.deepEqual([located.flavour, located.threads], ['mt', 2]);
    const mesh = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3');
    assert.equal(located.readMesh(mesh).triangles.length, 3);
    assert.deepEqual(asked.sort(), ['cairn.mt.wasm', 'cairn.mt.worker.js', 'cairn.readers.wasm']);
    located.dispose();

    const forced = load({ wasmUrl: single, flavour: 'mt' });
    await assert.rejects(forced, { code: 'LOAD_FAILED', argument: 'options.wasmUrl', message: /'st'.*'mt'/ });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a module without shared memory gives way to the single-threaded one', async () => {
  const host = makeHost({ canShare: false });
  const cairn = await loadWith(host, { wasmUrl: 'cairn.mt.wasm' });
  assert.equal(cairn.flavour, 'st');
  assert.match(cairn.fallbackReason, /cross-origin isolated/);
});

test('a module that was given and does not run is what the error is about', async () => {
  const factory = async () => {
    throw new Error('it does not start');
  };
  const host = makeHost({
    importThreaded: async () => ({ default: factory }),
    locate: () => {
      throw new Error('nobody knows');
    },
  });
  await assert.rejects(loadWith(host, { wasmUrl: 'cairn.mt.wasm' }), { message: /it does not start/ });
});

test('errors of files name the address, what came back and what it begins with', async () => {
  const answers = {
    '/missing.wasm': [404, 'text/html', '<!doctype html><p>nothing here'],
    '/page.wasm': [200, 'text/html', '<!doctype html><title>'],
    '/typed.wasm': [200, 'application/wasm', '<!doctype html><title>'],
    '/numbers.wasm': [200, 'application/octet-stream', Buffer.from([1, 2, 3, 250])],
    '/empty.wasm': [200, 'application/wasm', ''],
    '/cut.wasm': [
      200,
      'application/wasm',
      readFileSync(join(root, 'web/dist/cairn.st.wasm')).subarray(0, 5e4),
    ],
    '/good.wasm': [200, 'application/wasm', readFileSync(join(root, 'web/dist/cairn.st.wasm'))],
    '/plain.wasm': [200, '', readFileSync(join(root, 'web/dist/cairn.st.wasm'))],
  };
  const server = createServer((request, response) => {
    const [status, type, body] = answers[request.url];
    response.writeHead(status, type ? { 'content-type': type } : {});
    response.end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  try {
    for (const [path, text] of [
      ['/missing.wasm', "/missing.wasm answers 404 with 'text/html'"],
      ['/page.wasm', `begins with "<!doctype html><", served as 'text/html' with status 200`],
      ['/typed.wasm', `begins with "<!doctype html><", served as 'application/wasm' with status 200`],
      ['/numbers.wasm', 'begins with 01 02 03 fa, served'],
      ['/empty.wasm', 'is no WebAssembly module: it is empty'],
      ['/cut.wasm', '/cut.wasm (50000 bytes) cannot be compiled: '],
    ]) {
      await assert.rejects(load({ wasmUrl: origin + path }), (error) => {
        assert.equal(error.code, 'LOAD_FAILED');
        assert.equal(error.argument, 'options.wasmUrl');
        assert.ok(error.message.includes(origin + path), error.message);
        assert.ok(error.message.includes(text), error.message);
        assert.doesNotMatch(error.message, /emscripten|Aborted|ASSERTIONS|glue/i);
        return true;
      });
    }
    for (const path of ['/good.wasm', '/plain.wasm']) {
      assert.equal((await load({ wasmUrl: origin + path })).flavour, 'st');
    }
  } finally {
    server.close();
  }
  const nobody = load({ wasmUrl: `${origin}/good.wasm` });
  await assert.rejects(nobody, { code: 'LOAD_FAILED', message: /good\.wasm cannot be fetched: / });
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
  const host = makeHost({
    importThreaded: () => assert.fail('the threaded module must not be touched'),
    cores: 8,
    canShare: false,
  });
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
    [{ wasmUrl: 4 }, 'WRONG_TYPE'],
    [{ wasmUrl: '' }, 'WRONG_TYPE'],
    [{ wasmUrl: 'a.wasm', wasmBinary: new Uint8Array(8) }, 'WRONG_TYPE'],
    [{ wasmBinary: 'a.wasm' }, 'WRONG_TYPE'],
    [{ wasmBinary: new Uint8Array(0) }, 'WRONG_TYPE'],
    [{ wasmBinary: new Uint8Array(8) }, 'LOAD_FAILED'],
    [{ locateFile: '/files/' }, 'WRONG_TYPE'],
    [{ locateFile: () => null }, 'WRONG_TYPE'],
    [{ workerUrl: null }, 'WRONG_TYPE'],
    [{ readersUrl: {} }, 'WRONG_TYPE'],
  ]) {
    await assert.rejects(
      load(/** @type {{}} */ (options)),
      (error) => error instanceof CairnError && error.code === code,
    );
  }
  const host = makeHost({
    importSingle: () => import('../../web/dist/nothing.js'),
    importThreaded: () => import('../../web/dist/nothing.js'),
    compile: () => assert.fail('there is nothing to compile'),
    cores: 1,
    canShare: false,
  });
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
