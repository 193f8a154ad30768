// The demo page as a page: nothing that axe finds, nothing cut off, targets that fingers hit, keys that turn
// the camera, captions with numbers, links that lead somewhere and bring back what they were made of.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SCENES, labAddress } from '../../demo/modules/gallery.js';
import { openBrowser, openDemo, openPage, patience, root, waitForFrames } from './chromium.mjs';

const screenshots = path.join(root, 'build', 'screenshots');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PHONE = { width: 390, height: 844 };
const TABLET = { width: 768, height: 1024 };
const DESKTOP = { width: 1440, height: 900 };

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let chromium;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  chromium = await openBrowser();
});
after(() => chromium?.close());

/**
 * @param {{ width: number, height: number }} viewport
 * @param {Record<string, string>} query
 */
async function open(viewport, query) {
  const { page, problems } = await openPage(chromium.browser, viewport);
  await openDemo(page, chromium.url, { threads: '0', ...query });
  await waitForFrames(page, 2);
  return { page, problems };
}

/** @param {Page} page @returns {Promise<string[]>} rule and element of each violation */
async function findViolations(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}

/**
 * Buttons and links that are seen and smaller than a finger, or out of the page.
 *
 * @param {Page} page
 * @param {number} size pixels
 */
function findSmallTargets(page, size) {
  return page.evaluate((smallest) => {
    const wrong = [];
    for (const element of document.querySelectorAll('button, select, input, a')) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      const { left, right, width, height } = element.getBoundingClientRect();
      const name = element.id || element.textContent.trim();
      if (width < smallest || height < smallest) wrong.push(`${name}: ${width} × ${height}`);
      if (left < 0 || right > innerWidth) wrong.push(`${name}: from ${left} to ${right}`);
    }
    return wrong;
  }, size);
}

describe('demo page, axe', () => {
  for (const [device, viewport] of Object.entries({ phone: PHONE, tablet: TABLET, desktop: DESKTOP })) {
    for (const scene of ['heavy-chain', 'slope', 'tower']) {
      it(`finds nothing in ${scene} on a ${device}`, { timeout: 2 * patience }, async () => {
        const { page, problems } = await open(viewport, { scene, paused: '' });
        assert.deepEqual(await findViolations(page), []);
        await page.screenshot({ path: path.join(screenshots, `${scene}-${device}.png`) });
        assert.deepEqual(problems, []);
        await page.close();
      });
    }

    it(`finds nothing in a lab on a ${device}`, { timeout: 2 * patience }, async () => {
      const { page, problems } = await openPage(chromium.browser, viewport);
      await page.goto(`${chromium.url}demo/${labAddress('materials')}`);
      await page.waitForFunction('globalThis.cairnLab?.ready && cairnLab.frames > 2');
      assert.deepEqual(await findViolations(page), []);
      await page.screenshot({ path: path.join(screenshots, `lab-${device}.png`) });
      assert.deepEqual(problems, []);
      await page.close();
    });
  }

  it('finds nothing in dark colours, in an error and in the help', { timeout: 3 * patience }, async () => {
    const { page } = await openPage(chromium.browser, DESKTOP);
    await page.emulateMedia({ colorScheme: 'dark' });
    await openDemo(page, chromium.url, { threads: '0', scene: 'heavy-chain', paused: '' });
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('?');
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await page.route('**/scenes/arch.json', (route) => route.abort());
    await page.click('#scenes a[data-scene="arch"]');
    await page.waitForSelector('#error', { state: 'visible' });
    assert.deepEqual(await findViolations(page), []);
    await page.close();
  });
});

describe('demo page, on a phone', () => {
  it('has targets of 44 pixels, nothing cut off, and sheets', { timeout: 3 * patience }, async () => {
    const { page, problems } = await open(PHONE, { scene: 'heavy-top-stack', paused: '' });
    assert.deepEqual(await findSmallTargets(page, 44), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);

    // what is shown, and the links, behind the dots
    await page.click('#more');
    assert.equal(await page.getAttribute('#more', 'aria-expanded'), 'true');
    await page.waitForFunction("document.getElementById('options').getAnimations().length === 0");
    assert.deepEqual(await findSmallTargets(page, 44), []);
    assert.deepEqual(await findViolations(page), []);
    await page.screenshot({ path: path.join(screenshots, 'phone-options.png') });
    await page.click('#show-points');
    assert.equal(await page.getAttribute('#show-points', 'aria-pressed'), 'true');
    assert.equal(await page.evaluate('cairnDemo.simulation.showPoints'), true);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate('document.activeElement.id'), 'more');

    // scenes, and measurements
    await page.click('#gallery-open');
    await page.waitForFunction("document.getElementById('gallery').getAnimations().length === 0");
    assert.deepEqual(await findViolations(page), []);
    await page.screenshot({ path: path.join(screenshots, 'phone-scenes.png') });
    await page.click('#scenes a[data-scene="arch"]');
    await page.waitForFunction("cairnDemo.scene === 'arch'");
    assert.equal(await page.textContent('#current-title'), 'Dry-stone arch');
    await page.waitForSelector('#gallery', { state: 'hidden' });
    await page.click('#panel-open');
    await page.waitForFunction("document.getElementById('panel').getAnimations().length === 0");
    await page.waitForFunction("document.querySelector('#facts dd').textContent === '16'");
    await page.screenshot({ path: path.join(screenshots, 'phone-panel.png') });
    await page.click('#panel .close');
    await page.waitForSelector('#panel', { state: 'hidden' });
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('a finger pulls a body and reads one', { timeout: 2 * patience }, async () => {
    const context = await chromium.browser.newContext({ viewport: PHONE, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await openDemo(page, chromium.url, { threads: '0', scene: 'heavy-top-stack' });
    await waitForFrames(page, 2);
    const { x, y } = await page.evaluate(() => {
      const { stage, world } = globalThis.cairnDemo;
      return stage.toPage(world.bodyAt(9).getPosition());
    });

    // tapped, it is read, and nothing has pulled at it
    await page.touchscreen.tap(x, y);
    await page.waitForFunction("document.querySelector('#labels .reading')?.textContent.includes('1000 kg')");
    assert.equal(await page.evaluate('cairnDemo.simulation.pulled'), false);
    await page.waitForFunction(
      "/pressed with 9\\.8\\d kN at 4 points/.test(document.querySelector('#labels .reading').textContent)",
    );

    // dragged, it is pulled
    const session = await context.newCDPSession(page);
    const touch = (/** @type {string} */ type, /** @type {{ x: number, y: number }[]} */ touchPoints) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', [{ x, y }]);
    await touch('touchMove', [{ x: x + 30, y }]);
    await touch('touchMove', [{ x: x + 60, y }]);
    await page.waitForFunction('cairnDemo.simulation.pull.body?.index === 9 && cairnDemo.simulation.pulled');
    assert.equal(await page.locator('#pulled').isVisible(), true);
    await touch('touchEnd', []);
    await page.waitForFunction('cairnDemo.simulation.pull.body === null');
    await context.close();
  });
});

describe('demo page, captions', () => {
  it('say what is measured beside what the formula says', { timeout: 2 * patience }, async () => {
    const { page } = await open(DESKTOP, { scene: 'slope', paused: '' });
    await page.evaluate('cairnDemo.simulation.skip(240)');
    await page.waitForFunction("document.querySelector('#readings dd').textContent.includes('m/s²')");
    const rows = await page.locator('#readings dd').allTextContents();
    const accelerations = rows.slice(0, 3).map((text) =>
      text
        .match(/^([\d.]+) m\/s².* ([\d.]+)$/)
        ?.slice(1)
        .map(Number),
    );
    assert.equal(accelerations.length, 3);
    for (const [measured, expected] of accelerations) {
      assert.ok(Math.abs(measured - expected) < 2e-4, `${measured}, not ${expected}`);
    }
    await page.screenshot({ path: path.join(screenshots, 'slope.png') });
    await page.close();
  });

  it('link to the scene, the docs and the source', { timeout: 2 * patience }, async () => {
    const { page } = await open(DESKTOP, { scene: 'heavy-chain', paused: '' });
    const addresses = await page.locator('#links a').evaluateAll((links) => links.map(({ href }) => href));
    assert.equal(addresses.length, 3);
    assert.match(addresses[0], /scenes\/heavy-chain\.json$/);
    assert.match(addresses[1], /docs\/stiff-joints\.html$/);
    for (const { name, docs } of SCENES) {
      assert.ok(existsSync(path.join(root, 'docs', `${docs}.md`)), `the page of ${name}`);
    }
    for (const address of [addresses[0], addresses[2]]) {
      assert.ok(await page.evaluate((url) => fetch(url).then(({ ok }) => ok), address), address);
    }
    await page.close();
  });

  it('labels stand at what they name, none over another', { timeout: 2 * patience }, async () => {
    for (const viewport of [PHONE, DESKTOP]) {
      const { page } = await open(viewport, { scene: 'heavy-chain', paused: '' });
      const { boxes, load } = await page.evaluate(() => {
        const { simulation, stage } = globalThis.cairnDemo;
        const labels = [...document.querySelectorAll('#labels span')];
        return {
          boxes: labels.map((label) => ({
            text: label.textContent,
            ...label.getBoundingClientRect().toJSON(),
          })),
          load: stage.toPage(simulation.scene.findBody('load').getPosition()),
        };
      });
      const of = (/** @type {RegExp} */ pattern) => boxes.find(({ text }) => pattern.test(text));
      const label = of(/10 t/);
      assert.ok(label.left < load.x && load.x < label.right && label.bottom < load.y);
      for (const { text, left, right } of boxes) {
        assert.ok(left >= 0 && right <= viewport.width, `${text} from ${left} to ${right}`);
      }
      assert.ok(of(/anchor/));
      // all of the swing is in the picture
      for (const x of [-31, 31]) {
        const edge = await page.evaluate((at) => globalThis.cairnDemo.stage.toPage([at, 0, 0]), x);
        assert.ok(edge.x > 0 && edge.x < viewport.width, `${edge.x} of ${viewport.width}`);
      }
      for (const [i, a] of boxes.entries()) {
        for (const b of boxes.slice(i + 1)) {
          const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
          assert.ok(apart, `${a.text} and ${b.text}`);
        }
      }
      await page.close();
    }
  });

  it('overlays are offered where there is something to show', { timeout: 3 * patience }, async () => {
    const { page } = await open(DESKTOP, { scene: 'heavy-chain', paused: '' });
    const offered = () =>
      page
        .locator('#overlays .chip')
        .evaluateAll((chips) => chips.filter((chip) => !chip.hidden).map(({ id }) => id));
    assert.deepEqual(await offered(), ['show-joints']);
    await page.keyboard.press('c'); // not offered: the key does nothing either
    assert.equal(await page.evaluate('cairnDemo.simulation.showPoints'), false);
    await page.click('#scenes a[data-scene="tower"]');
    await page.waitForFunction("cairnDemo.scene === 'tower'");
    assert.deepEqual(await offered(), ['show-points', 'show-forces', 'show-states', 'colour']);
    assert.equal(await page.textContent('#show-states'), 'Merged');
    await page.close();
  });
});

describe('demo page, keys and links', () => {
  it('keys turn, move and zoom the camera, and the focus is seen', { timeout: 2 * patience }, async () => {
    const { page } = await open(DESKTOP, { scene: 'heavy-top-stack', paused: '' });
    const view = () => page.evaluate(() => globalThis.cairnDemo.stage.view);
    const away = ([x, y, z, tx, ty, tz]) => Math.hypot(x - tx, y - ty, z - tz);
    for (let i = 0; i < 80; ++i) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.id')) === 'view') break;
    }
    assert.equal(await page.evaluate('document.activeElement.id'), 'view');
    assert.match(
      await page.evaluate("getComputedStyle(document.getElementById('labels'), '::before').borderTopStyle"),
      /solid/,
    );
    await page.screenshot({ path: path.join(screenshots, 'focus.png') });

    const first = await view();
    await page.keyboard.press('ArrowRight');
    const turned = await view();
    assert.ok(Math.hypot(turned[0] - first[0], turned[1] - first[1]) > 0.5);
    assert.ok(Math.abs(away(turned) - away(first)) < 1e-6);
    assert.deepEqual(turned.slice(3), first.slice(3));
    await page.keyboard.press('Shift+ArrowUp');
    const moved = await view();
    assert.ok(moved[5] > turned[5] + 0.1);
    await page.keyboard.press('+');
    assert.ok(away(await view()) < away(moved) - 0.5);
    await page.keyboard.press('h');
    (await view()).forEach((value, i) => assert.ok(Math.abs(value - first[i]) < 1e-6));
    await page.close();
  });

  it('a link brings back scene, state, speed, overlays and camera', { timeout: 3 * patience }, async () => {
    const { page } = await open(DESKTOP, { scene: 'arch', paused: '' });
    await page.evaluate('cairnDemo.simulation.skip(90)');
    await page.selectOption('#speed', '0.25');
    await page.click('#show-points');
    assert.match(page.url(), /show=points/);
    await page.keyboard.press('ArrowRight');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#share');
    await page.waitForSelector('#toast.shown');
    const address = await page.evaluate('navigator.clipboard.readText()');
    const read = () =>
      page.evaluate(() => {
        const { world, simulation, stage } = globalThis.cairnDemo;
        const { playing, showPoints, speed } = simulation;
        return {
          hash: world.hash(),
          playing,
          showPoints,
          speed,
          view: stage.view.map((value) => value.toFixed(2)),
        };
      });
    const seen = await read();
    await page.goto(`${address}&threads=0`);
    await page.waitForFunction(
      "window.cairnDemo?.world?.stepCount === 90 && document.body.dataset.state === 'running'",
    );
    assert.deepEqual(await read(), seen);
    await page.close();
  });

  it('colours are light or dark as the user chose', { timeout: 2 * patience }, async () => {
    const { page } = await open(DESKTOP, { scene: 'heavy-chain', paused: '' });
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    assert.equal(await theme(), 'light');
    await page.click('#theme');
    assert.equal(await theme(), 'dark');
    assert.equal(await page.getAttribute('#theme', 'aria-pressed'), 'true');
    await waitForFrames(page, 2);
    await page.screenshot({ path: path.join(screenshots, 'dark.png') });
    await page.reload();
    assert.equal(await theme(), 'dark');
    await page.close();
  });

  it('a browser without WebGL is told what it needs', { timeout: 2 * patience }, async () => {
    const { page } = await openPage(chromium.browser, DESKTOP);
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await openDemo(page, chromium.url, { threads: '0' });
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await page.textContent('#error'), /WebGL 2.*hardware acceleration/s);
    assert.equal(await page.locator('#bar').isVisible(), false);
    assert.deepEqual(await findViolations(page), []);
    await page.screenshot({ path: path.join(screenshots, 'no-webgl.png') });
    await page.close();
  });
});
