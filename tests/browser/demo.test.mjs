// The demo page in headless Chromium: every scene runs and is seen, with threads or without; a body can be
// pulled; errors are shown.

import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { describePicture, openBrowser, openDemo, openPage, patience, waitForFrames } from './chromium.mjs';
import {
  viewport,
  screenshots,
  chromium,
  takePicture,
  describeScenes,
  firstHalf,
  secondHalf,
} from './demo_scenes.mjs';

describeScenes('threaded', firstHalf);
describeScenes('single', secondHalf);

describe('demo, by hand', () => {
  it('a body follows the pointer that pulls it', { timeout: 2 * patience }, async () => {
    const { page, problems } = await openPage(chromium.browser, viewport);
    await openDemo(page, chromium.url, { scene: 'heavy-top-stack' });
    await waitForFrames(page, 3);
    const find = () =>
      page.evaluate(() => {
        const { stage, world } = globalThis.cairnDemo;
        const position = world.bodyAt(9).getPosition();
        return { position, ...stage.toPage(position) };
      });

    // the box on top, to the right and a little down, half a box from its neighbour's edge
    const begin = await find();
    await page.mouse.move(begin.x, begin.y);
    await page.mouse.down();
    await page.mouse.move(begin.x + 60, begin.y + 10);
    await page.mouse.move(begin.x + 120, begin.y + 20);
    assert.equal(await page.evaluate(() => globalThis.cairnDemo.simulation.pull.body?.index), 9);
    await page.waitForFunction('cairnDemo.world.stepCount >= 60');
    await waitForFrames(page, 4);
    await takePicture(page, 'pull');
    const end = await find();
    const right = end.x - begin.x;
    assert.ok(right > 60, `moved ${right} pixels to the right`);
    assert.ok(Math.abs(end.y - begin.y) < right, 'moved more to the right than up or down');
    assert.ok(Math.hypot(...end.position.map((value, i) => value - begin.position[i])) > 0.5);

    // let go, it is nobody's
    await page.mouse.up();
    assert.equal(await page.evaluate(() => globalThis.cairnDemo.simulation.pull.body), null);
    assert.deepEqual(await page.evaluate('cairnDemo.errors'), []);
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('a drag beside the bodies turns the camera and pulls nothing', { timeout: 2 * patience }, async () => {
    const { page } = await openPage(chromium.browser, viewport);
    await openDemo(page, chromium.url, { scene: 'heavy-top-stack', threads: '0' });
    await waitForFrames(page, 2);
    const place = () => page.evaluate(() => globalThis.cairnDemo.stage.camera.position.toArray());
    const begin = await place();
    await page.mouse.move(330, 250);
    await page.mouse.down();
    await page.mouse.move(390, 250);
    await page.mouse.move(410, 250);
    await page.mouse.up();
    await waitForFrames(page, 2);
    const end = await place();
    assert.ok(Math.hypot(...end.map((value, i) => value - begin[i])) > 0.5);
    assert.equal(await page.evaluate(() => globalThis.cairnDemo.simulation.pull.body), null);
    await page.close();
  });

  it(
    'pauses, steps once, starts again and shows contacts by key and by button',
    { timeout: 2 * patience },
    async () => {
      const { page, problems } = await openPage(chromium.browser, viewport);
      await openDemo(page, chromium.url, { scene: 'heavy-top-stack', threads: '0' });
      await page.waitForFunction('cairnDemo.world.stepCount >= 5');
      const steps = () => page.evaluate('cairnDemo.world.stepCount');

      await page.keyboard.press('Space');
      const paused = await steps();
      await waitForFrames(page, 3);
      assert.equal(await steps(), paused);
      await page.click('#step');
      assert.equal(await steps(), paused + 1);

      await page.keyboard.press('c');
      await page.click('#show-forces');
      assert.equal(await page.getAttribute('#show-points', 'aria-pressed'), 'true');
      await waitForFrames(page, 2);
      await takePicture(page, 'contacts');
      const shown = await page.evaluate(() => {
        const { stage, world } = globalThis.cairnDemo;
        let dots = 0;
        stage.overlay.traverse((item) => {
          if (item.isPoints && item.visible) dots += item.geometry.drawRange.count; // no joints here
        });
        return { dots, points: world.columns.contactPoints.rows };
      });
      assert.ok(shown.points > 0);
      assert.equal(shown.dots, shown.points);

      await page.keyboard.press('r');
      await page.waitForFunction('cairnDemo.world.stepCount === 0');
      assert.equal(await page.getAttribute('#show-points', 'aria-pressed'), 'true');
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  it('a picture that changes its size is never shown empty', { timeout: 2 * patience }, async () => {
    const { page } = await openPage(chromium.browser, viewport);
    await openDemo(page, chromium.url, { scene: 'arch', threads: '0', paused: '' });
    await waitForFrames(page, 2);

    // what is in the canvas when the observers of its size have run, before the browser shows it
    const shares = page.evaluate(
      () =>
        new Promise((resolve) => {
          const view = document.getElementById('view');
          const copy = document.createElement('canvas');
          copy.width = copy.height = 32;
          const context = copy.getContext('2d');
          let calls = 0;
          new ResizeObserver(() => {
            context.clearRect(0, 0, 32, 32);
            context.drawImage(view, 0, 0, 32, 32);
            const { data } = context.getImageData(0, 0, 32, 32);
            if (++calls === 2) resolve(data.filter((value, i) => i % 4 === 3 && value === 255).length / 1024);
          }).observe(view);
        }),
    );
    await waitForFrames(page, 1);
    await page.setViewportSize({ width: viewport.width - 100, height: viewport.height });
    assert.equal(await shares, 1);
    await page.close();
  });

  it('fits a telephone', { timeout: 2 * patience }, async () => {
    const { page, problems } = await openPage(chromium.browser, { width: 390, height: 780 });
    await openDemo(page, chromium.url, { scene: 'arch', threads: '0' });
    await waitForFrames(page, 4);
    const png = await page.screenshot({ path: path.join(screenshots, 'telephone.png') });
    const picture = await describePicture(page, png, { left: 0, top: 60, right: 0, bottom: 200 });
    assert.ok(picture.colours >= 20, `${picture.colours} colours`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('demo, errors', () => {
  it('a scene that is not there is said on the page', { timeout: patience }, async () => {
    const { page } = await openPage(chromium.browser, viewport);
    await openDemo(page, chromium.url, { scene: 'nowhere', threads: '0' });
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await page.textContent('#error-title'), /“nowhere” could not be loaded/);
    assert.match(await page.textContent('#error-message'), /scenes\/nowhere\.json.*404/);
    await page.screenshot({ path: path.join(screenshots, 'error.png') });

    // the gallery still works, and a scene that loads takes the message away
    await page.click('#scenes a[data-scene="arch"]');
    await page.waitForFunction('cairnDemo.ready');
    await page.waitForSelector('#error', { state: 'hidden' });
    assert.match(page.url(), /scene=arch/);
    await page.close();
  });

  it('a scene that is wrong is said with its path', { timeout: patience }, async () => {
    const { page } = await openPage(chromium.browser, viewport);
    const scene = {
      format: 'cairn-scene',
      version: 1,
      bodies: [{ geometries: [{ shape: { type: 'sphere', radius: -1 } }] }],
    };
    await page.route('**/scenes/broken.json', (route) => route.fulfill({ json: scene }));
    await openDemo(page, chromium.url, { scene: 'broken', threads: '0' });
    await page.waitForSelector('#error', { state: 'visible' });
    const text = await page.textContent('#error');
    assert.match(text, /\/bodies\/0\/geometries\/0\/shape\/radius/);
    await page.close();
  });

  it('a step that fails stops the scene and is said', { timeout: patience }, async () => {
    const { page } = await openPage(chromium.browser, viewport);
    await openDemo(page, chromium.url, { scene: 'arch', threads: '0' });
    await page.evaluate(() => {
      // the scene itself is sealed
      const { scene } = globalThis.cairnDemo.simulation;
      Object.getPrototypeOf(scene).step = () => {
        throw new Error('the stone melted');
      };
    });
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await page.textContent('#error-message'), /the stone melted/);
    assert.equal(await page.evaluate('document.body.dataset.playing'), 'false');
    await page.close();
  });

  it('an engine that does not load and a promise nobody caught are said', { timeout: patience }, async () => {
    const { page } = await openPage(chromium.browser, viewport);
    await page.route('**/*.wasm', (route) => route.abort());
    await openDemo(page, chromium.url, { threads: '0' });
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await page.textContent('#error-title'), /engine could not be loaded/);

    await page.evaluate(() => {
      Promise.reject(new Error('nobody caught this'));
    });
    await page.waitForFunction(
      "document.getElementById('error-message').textContent.includes('nobody caught this')",
    );
    await page.close();
  });

  it('a page that is not isolated runs on one thread', { timeout: 2 * patience }, async () => {
    const plain = await openBrowser({ isolate: false });
    try {
      const { page, problems } = await openPage(plain.browser, viewport);
      await openDemo(page, plain.url, { scene: 'arch' });
      await waitForFrames(page, 3);
      const { flavour, threads } = await page.evaluate(() => {
        const { cairn } = globalThis.cairnDemo.world;
        return { flavour: cairn.flavour, threads: cairn.threads };
      });
      assert.deepEqual({ flavour, threads }, { flavour: 'st', threads: 1 });
      assert.deepEqual(problems, []);
    } finally {
      await plain.close();
    }
  });
});
