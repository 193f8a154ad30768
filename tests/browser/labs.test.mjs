// The labs in headless Chromium: what they measure is what the formulas beside it say, sliders act while they
// run, and what was measured can be saved. The pictures go to build/screenshots.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LABS, PAGES, labAddress } from '../../demo/modules/gallery.js';
import { openBrowser, openPage, patience, root } from './chromium.mjs';

const screenshots = path.join(root, 'build', 'screenshots');

/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let chromium;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  chromium = await openBrowser();
});
after(() => chromium?.close());

/** @param {string} name @param {{ width: number, height: number }} [viewport] */
async function openLab(name, viewport = { width: 1100, height: 800 }) {
  const { page, problems } = await openPage(chromium.browser, viewport);
  await page.goto(`${chromium.url}demo/${labAddress(name)}`);
  await page.waitForFunction('globalThis.cairnLab && (cairnLab.ready || cairnLab.errors.length > 0)');
  /** Runs on for some seconds of the world, then reads. @param {number} seconds */
  const wait = async (seconds) => {
    const end = (await page.evaluate('cairnLab.lab.world.time')) + seconds;
    await page.waitForFunction(`cairnLab.lab.world.time >= ${end} || cairnLab.errors.length > 0`);
    await page.evaluate('cairnLab.lab.read()');
    assert.deepEqual(await page.evaluate('cairnLab.errors'), []);
    return page.evaluate('({ ...cairnLab.lab.found })');
  };
  /** Moves a slider or chooses. @param {string} id @param {string | number} value */
  const set = (id, value) =>
    page.locator(`#${id}`).evaluate((element, to) => {
      element.value = String(to);
      element.dispatchEvent(new Event(element.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
    }, value);
  return { page, problems, wait, set };
}

/** @param {number} found @param {number} wanted @param {number} within @param {string} what */
function near(found, wanted, within, what) {
  assert.ok(Math.abs(found - wanted) <= within, `${what}: ${found}, not ${wanted}`);
}

describe('labs', () => {
  it('are linked from the gallery', { timeout: patience }, async () => {
    const { page, problems } = await openPage(chromium.browser, { width: 1024, height: 576 });
    await page.goto(`${chromium.url}demo/?scene=heavy-chain&threads=0&paused`);
    const links = [...LABS.map(({ name, title }) => ({ address: labAddress(name), title })), ...PAGES];
    for (const { address, title } of links) {
      const link = page.locator(`a[href="${address}"]`);
      assert.equal(await link.locator('strong').textContent(), title);
      await link.scrollIntoViewIfNeeded(); // pictures are loaded when they come into view
      assert.ok(
        await link
          .locator('img')
          .evaluate((picture) => picture.decode().then(() => picture.naturalWidth > 0)),
      );
    }
    assert.deepEqual(problems, []);
    await page.close();
  });

  it(
    'materials: a block holds, slides and speeds up as the formulas say',
    { timeout: 3 * patience },
    async () => {
      const { page, problems, wait, set } = await openLab('materials');
      const slides = await wait(2); // wood on steel at 18°
      assert.equal(slides.slides, 1);
      near(slides.acceleration, slides.expected, 0.01 * slides.expected, 'm/s²');
      near(slides.friction, slides.mu * slides.normalExpected, 1e-3 * slides.friction, 'friction, N');
      near(slides.normal, slides.normalExpected, 1e-3 * slides.normal, 'normal force, N');

      // friction that is set while it slides stops it
      await set('friction', 0.6);
      const holds = await wait(1.5);
      assert.equal(holds.mu, 0.6);
      assert.equal(holds.slides, 0);
      near(
        holds.friction,
        holds.normal * Math.tan(holds.angle),
        1e-3 * holds.friction,
        'friction that holds, N',
      );

      // a steeper slope, another block, and the library's values again
      await set('angle', 30);
      await set('block', 'rubber');
      await page.click('#library');
      await page.click('#back');
      const steep = await wait(2);
      near(steep.angle, Math.PI / 6, 1e-6, 'angle, rad');
      assert.ok(steep.mu > 0.6, `μ of rubber on steel: ${steep.mu}`);

      const download = page.waitForEvent('download');
      await page.click('#csv');
      const file = await (await download).path();
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      assert.equal(lines[0], 'time/s,angle/rad,speed/(m/s),normal/N,friction/N,bound/N,depth/m,mass/kg');
      assert.ok(lines.length > 300, `${lines.length} lines`);
      assert.ok(
        lines.slice(1).every((line) => line.split(',').every((cell) => Number.isFinite(Number(cell)))),
      );
      await page.screenshot({ path: path.join(screenshots, 'lab-materials.png') });
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  it(
    'friction: eight models within 0.5 % of their formulas in all directions',
    { timeout: 4 * patience },
    async () => {
      const { page, problems, wait, set } = await openLab('friction');
      await set('speed', 1.5);
      const names = [
        'cone',
        'scaledBox',
        'scaledBoxFast',
        'box',
        'boxProportionalLow',
        'boxProportionalHigh',
        'constantNormalForce',
        'none',
      ];
      const check = async () => {
        const found = await wait(4.5); // more than a turn
        for (const name of names) {
          assert.ok(found[`${name} off`] < 5e-3, `${name}: off by ${found[`${name} off`]}`);
        }
        return found;
      };
      const equal = await check();
      near(equal.scaledBox, Math.SQRT2, 1e-3, 'a box has too much, over μ N');
      near(equal.cone, 1, 2e-3, 'a cone, over μ N');
      assert.equal(equal.none, 0);
      await set('mu2', 0.2); // twice as much along x as along y
      await check();
      await page.screenshot({ path: path.join(screenshots, 'lab-friction.png') });
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  it('scale: impacts and weights', { timeout: 3 * patience }, async () => {
    const { page, problems, wait, set } = await openLab('scale');
    const first = await wait(4);
    near(first.weight, first.weightExpected, 1e-6 * first.weight, 'weight, N');
    near(first.impulse, first.impulseExpected, 1e-3 * first.impulse, 'impulse, N s');
    near(first.rebound, first.reboundExpected, 0.01 * first.rebound, 'm');
    await set('mass', 5);
    await set('height', 1.5);
    await set('restitution', 0.3);
    await set('thing', 'crate');
    await page.click('#drop');
    const second = await wait(5);
    assert.equal(second.bodies, 2);
    near(second.weight, 7 * 9.80665, 1e-3, 'both weights, N');
    near(second.impulse, 5 * Math.sqrt(2 * 9.80665 * 1.5) * 1.3, 1e-2 * second.impulse, 'impulse, N s');
    await page.click('#clear');
    near((await wait(2)).weight, 0, 1e-9, 'nothing on it, N');
    await page.screenshot({ path: path.join(screenshots, 'lab-scale.png') });
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const { name } of LABS) {
    it(`${name}: all of it fits a telephone’s width`, { timeout: patience }, async () => {
      const { page, problems } = await openLab(name, { width: 390, height: 800 });
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(wide <= 390, `${wide} px wide`);
      assert.equal(await page.locator('#plots canvas').count(), await page.locator('#plots figure').count());
      const unnamed = await page.evaluate(
        () =>
          [...document.querySelectorAll('#controls input, #controls select')].filter(
            (element) => !element.labels?.[0]?.textContent?.trim(),
          ).length,
      );
      assert.equal(unnamed, 0);
      assert.deepEqual(problems, []);
      await page.close();
    });
  }
});
