// The engine in a worker of a page, with shared memory and without: a page goes on drawing while it steps.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describePicture, openBrowser, openPage, root } from './chromium.mjs';

for (const isolate of [true, false]) {
  describe(`loadInWorker in a page that is ${isolate ? '' : 'not '}isolated`, () => {
    it('does in the worker what load() does in the page, and mirrors its columns', async () => {
      const chromium = await openBrowser({ isolate });
      try {
        const { page, problems } = await openPage(chromium.browser, { width: 320, height: 240 });
        await page.goto(`${chromium.url}tests/browser/blank.html`);
        const result = await page.evaluate(async () => {
          const addresses = ['/web/index.js', '/web/worker.js'];
          const [{ load }, { loadInWorker }] = await Promise.all(addresses.map((address) => import(address)));
          const fill = (world) => {
            world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
            for (let i = 0; i < 50; ++i) {
              world.createBody({
                position: [0.1 * (i % 3), 0, 1 + 0.9 * i],
                geometries: [{ shape: { type: 'box', halfExtents: [0.4, 0.4, 0.4] } }],
              });
            }
          };
          const here = (await load()).createWorld();
          const cairn = await loadInWorker();
          const there = cairn.createWorld();
          fill(here);
          fill(there);
          const mirror = there.createMirror({ bodies: ['position'] });
          for (let i = 0; i < 100; ++i) {
            here.step();
            there.step();
          }
          const hashes = [here.hash(), await there.hash()];
          const isNew = mirror.update();
          const positions = [here.columns.bodies.position, mirror.columns.bodies.position].map((array) => [
            ...array.subarray(0, 150),
          ]);
          const { flavour } = cairn;
          await cairn.dispose();
          return { hashes, isNew, positions, flavour, isIsolated: globalThis.crossOriginIsolated };
        });
        assert.equal(result.isIsolated, isolate);
        assert.equal(result.hashes[0], result.hashes[1]);
        assert.equal(result.isNew, true);
        assert.deepEqual(result.positions[1], result.positions[0]);
        assert.deepEqual(problems, []);
      } finally {
        await chromium.close();
      }
    });
  });
}

describe('a heap whose step takes longer than a frame', () => {
  /**
   * Frames that a page gets while 6 steps are done, and the time of the world then.
   * @param {'page' | 'worker'} place
   */
  const countFrames = async (place) => {
    const chromium = await openBrowser();
    try {
      const { page } = await openPage(chromium.browser, { width: 320, height: 240 });
      await page.goto(`${chromium.url}tests/browser/blank.html`);
      return await page.evaluate(async (where) => {
        const address = where === 'page' ? '/web/index.js' : '/web/worker.js';
        const { load, loadInWorker } = await import(address);
        // one thread: a core is left to the page
        const world = (await (load ?? loadInWorker)({ threads: 1 })).createWorld();
        const side = 20;
        const count = 8000;
        const positions = new Float32Array(3 * count);
        for (let i = 0; i < count; ++i) {
          positions.set(
            [0.5 * (i % side), 0.5 * (Math.floor(i / side) % side), 0.5 + 0.49 * Math.floor(i / side ** 2)],
            3 * i,
          );
        }
        world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
        const shape = { type: 'box', halfExtents: [0.25, 0.25, 0.25] };
        await world.createBodies({ count, positions, geometry: { shape } }).length;
        await world.time; // in a worker: until all of that is made
        let frames = 0;
        let isOver = false;
        const tick = () => {
          if (isOver) return;
          ++frames;
          requestAnimationFrame(tick);
        };
        await new Promise((resolve) => requestAnimationFrame(resolve));
        requestAnimationFrame(tick);
        await world.steps(6);
        isOver = true;
        return { frames, time: await world.time };
      }, place);
    } finally {
      await chromium.close();
    }
  };

  it('leaves a page its frames where it is in a worker, and none where it is in the page', async () => {
    const inPage = await countFrames('page');
    const inWorker = await countFrames('worker');
    assert.deepEqual(inPage, { frames: 0, time: inWorker.time });
    assert.ok(Math.abs(inWorker.time - 0.1) < 1e-9);
    // 6 steps of 8,000 bodies take as long as several frames, however fast or busy a machine is
    assert.ok(inWorker.frames >= 3, `${inWorker.frames} frames`);
  });
});

describe('the demo of a heap in a worker', () => {
  it('draws what the mirror shows, in the worker and in the page', async () => {
    const chromium = await openBrowser();
    try {
      for (const [query, name] of [
        ['?bodies=600', 'worker'],
        ['?bodies=600&in=page', 'worker-page'],
      ]) {
        const { page, problems } = await openPage(chromium.browser, { width: 480, height: 360 });
        await page.goto(`${chromium.url}demo/worker.html${query}`);
        await page.waitForFunction('globalThis.cairnWorkerDemo?.step > 0 && cairnWorkerDemo.frames > 3');
        mkdirSync(join(root, 'build/screenshots'), { recursive: true });
        const picture = await page.screenshot({ path: join(root, `build/screenshots/${name}.png`) });
        const { colours } = await describePicture(page, picture, { left: 0, top: 0, right: 0, bottom: 0 });
        assert.ok(colours > 20, `${colours} colours`);
        assert.deepEqual(problems, []);
        await page.close();
      }
    } finally {
      await chromium.close();
    }
  });
});
