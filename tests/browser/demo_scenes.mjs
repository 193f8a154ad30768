// Scenes of the demo page in headless Chromium, with threads and without. The pictures go to
// build/screenshots.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SCENES } from '../../demo/modules/gallery.js';
import {
  describePicture,
  openBrowser,
  openDemo,
  openPage,
  patience,
  root,
  waitForFrames,
} from './chromium.mjs';

export const viewport = { width: 1024, height: 576 }; // larger ones are slow without a graphics card
export const screenshots = path.join(root, 'build', 'screenshots');

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openBrowser>>} */
export let chromium;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  chromium = await openBrowser();
});
after(() => chromium?.close());

/** Between the cards. */
const margin = { left: 284, top: 0, right: 270, bottom: 90 };

/**
 * Saves a picture of the page and says what is in it, in the middle where no card is.
 *
 * @param {Page} page
 * @param {string} name
 */
export async function takePicture(page, name) {
  const png = await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
  return describePicture(page, png, margin);
}

/**
 * Whether all of an element is on the page and nothing lies over its middle.
 *
 * @param {Page} page
 * @param {string} selector
 */
function isInSight(page, selector) {
  return page.locator(selector).evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    return inside && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === element;
  });
}

/** @type {Record<string, Record<string, string>>} */
const QUERIES = { threaded: { threads: '2' }, single: { threads: '0' } };

/** @param {'threaded' | 'single'} way @param {typeof SCENES} scenes */
export function describeScenes(way, scenes) {
  const isThreaded = way === 'threaded';
  describe(`demo, ${way}`, () => {
    for (const { name, title } of scenes) {
      it(`${name} runs and is seen`, { timeout: 2 * patience }, async () => {
        const { page, problems } = await openPage(chromium.browser, viewport);
        await openDemo(page, chromium.url, { ...QUERIES[way], scene: name });
        await waitForFrames(page, 5);
        await page.waitForFunction('cairnDemo.world.stepCount >= 10');
        const state = await page.evaluate(() => {
          const { errors, frames, scene, world } = globalThis.cairnDemo;
          return { errors, frames, scene, flavour: world.cairn.flavour, threads: world.cairn.threads };
        });
        assert.deepEqual(state.errors, []);
        assert.equal(state.scene, name);
        assert.equal(state.flavour, isThreaded ? 'mt' : 'st');
        assert.equal(state.threads, isThreaded ? 2 : 1);
        assert.ok(state.frames >= 5, `${state.frames} frames`);
        assert.equal(await page.locator('#scenes a[aria-current="true"] strong').textContent(), title);

        assert.ok(
          await isInSight(page, '#scenes a[aria-current="true"] img'),
          'its picture in the gallery is in sight',
        );
        const picture = await takePicture(page, isThreaded ? name : `${name}-single`);
        assert.ok(picture.colours >= 20, `${picture.colours} colours`);
        assert.ok(picture.contrast >= 4, `contrast ${picture.contrast}`);
        assert.deepEqual(problems, []);
        await page.close();
      });
    }
  });
}

/** One half of the scenes runs with threads and the other without; in the long tests the other way round. */
export const [firstHalf, secondHalf] = [0, 1].map((part) => SCENES.filter((_, i) => i % 2 === part));
