// The examples of cairn-physics/three in headless Chromium: meshes stay where the engine has their bodies,
// nothing falls through what is drawn, and the pages are without errors. The pictures go to
// build/screenshots.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { describePicture, openBrowser, openPage, patience, root } from './chromium.mjs';

const screenshots = path.join(root, 'build', 'screenshots');
const viewport = { width: 640, height: 420 };

/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let chromium;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  chromium = await openBrowser();
});
after(() => chromium?.close());

/** @param {string} address */
async function openExample(address) {
  const { page, problems } = await openPage(chromium.browser, viewport);
  await page.addInitScript(() => {
    let state = 1; // the same pile in every run
    Math.random = () => (state = (16807 * state) % 2147483647) / 2147483647;
  });
  await page.goto(`${chromium.url}demo/three/${address}`);
  await page.waitForFunction('globalThis.example !== undefined');
  /** @param {string} name */
  const look = async (name) => {
    const png = await page.screenshot({ path: path.join(screenshots, `three_${name}.png`) });
    const { colours, contrast } = await describePicture(page, png, {
      left: 0,
      top: 120,
      right: 0,
      bottom: 0,
    });
    // a page that draws nothing has one colour and no contrast
    assert.ok(colours > 60 && contrast > 5, `${colours} colours, contrast ${contrast}`);
  };
  return { page, problems, look };
}

describe('instances', () => {
  it("fall and pile up on three's add-on interface", { timeout: patience }, async () => {
    const { page, problems, look } = await openExample('instancing.html?count=60');
    await page.waitForFunction('example.physics.world.time > 1.5');
    // as long as it runs bodies are taken to the top, and what one of them hits is pushed out within steps
    const time = await page.evaluate('(clearInterval(example.feed), example.physics.world.time)');
    await page.waitForFunction(`example.physics.world.time > ${time} + 2`);
    const found = await page.evaluate(() => {
      const { physics, bodies } = globalThis.example;
      const [boxes, balls] = bodies;
      const heights = [];
      let worst = 0;
      for (const [mesh, half] of [
        [boxes, 0.0375],
        [balls, 0.05],
      ]) {
        for (let i = 0; i < mesh.count; ++i) {
          const body = physics.physics.bodyOf(mesh, i);
          const [x, y, z] = mesh.instanceMatrix.array.subarray(16 * i + 12, 16 * i + 15);
          const velocity = Math.hypot(...body.getVelocity());
          const place = body.getPosition();
          // it is drawn within the last two steps
          const gap = Math.hypot(place[0] - x, place[1] - y, place[2] - z) - velocity / 30;
          worst = Math.max(worst, gap);
          // balls roll over the edge of the floor; what falls on it is found there at the end of a step
          if (Math.hypot(x, z) < 5) heights.push(y - half + velocity / 60);
        }
      }
      return { count: heights.length, lowest: Math.min(...heights), worst };
    });
    assert.ok(found.count > 100, `${found.count} bodies on the floor`);
    assert.ok(found.lowest > -5e-3 && found.lowest < 5e-3, `the lowest is at ${found.lowest}`);
    assert.ok(found.worst < 1e-3, `a matrix is ${found.worst} m off`);
    await look('instancing');
    // where they are for good, since how long one flies between two pictures depends on the machine
    const places = await page.evaluate(() => [...globalThis.example.bodies[0].instanceMatrix.array]);
    await page.click('#shake');
    await page.waitForFunction((old) => {
      const [{ instanceMatrix, count }] = globalThis.example.bodies;
      const shift = (i) =>
        Math.hypot(...[12, 14].map((k) => instanceMatrix.array[16 * i + k] - old[16 * i + k]));
      return Array.from({ length: count }, (_, i) => i).filter((i) => shift(i) > 0.05).length > count / 2;
    }, places);
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('meshes', () => {
  it('of all kinds rest on the land, and lines show them where they are', { timeout: patience }, async () => {
    const { page, problems, look } = await openExample('meshes.html');
    await page.waitForFunction('example.physics.world.time > 3');
    const heights = await page.evaluate(() => {
      const { physics, falling } = globalThis.example;
      return falling.map((mesh) => physics.bodyOf(mesh).getPosition()[1]);
    });
    heights.forEach((height, i) => assert.ok(height > 0 && height < 8, `mesh ${i} is at ${height} m`));
    await look('meshes');
    await page.check('#lines');
    await page.waitForFunction('example.lines.geometry.drawRange.count > 10000');
    await page.waitForTimeout(500);
    await look('meshes_lines');
    assert.deepEqual(problems, []);
    await page.close();
  });
});
