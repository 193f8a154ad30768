// Makes the pictures of the gallery from the scenes themselves, drawn by the page in headless Chromium.
//
//   node demo/make_thumbnails.mjs [scene | lab-NAME | page-NAME …]

import { mkdirSync, writeFileSync } from 'node:fs';
import { LABS, PAGES, SCENES, labAddress } from './modules/gallery.js';
import { openBrowser, openDemo, openPage, toWebp, waitForFrames } from '../tests/browser/chromium.mjs';

const SIZE = { width: 800, height: 450 }; // drawn at this size, kept at the next
const KEPT = { width: 400, height: 225 };
const DEFAULT_STEPS = 60;
const LAB_TIME = 1.5; // s
const PAGE_TIME = 20; // s
const QUALITY = 0.86;

const wanted = process.argv.slice(2);
const folder = new URL('thumbnails/', import.meta.url);
mkdirSync(folder, { recursive: true });
const chromium = await openBrowser();

/** @param {import('playwright-core').Page} page @param {string} name of the file */
async function keep(page, name) {
  const file = await toWebp(page, await page.screenshot(), KEPT, QUALITY);
  writeFileSync(new URL(`${name}.webp`, folder), file);
  console.log(`${name}.webp ${(file.length / 1024).toFixed(1)} kB`);
  await page.close();
}

try {
  for (const { name, pictureSteps = DEFAULT_STEPS } of SCENES) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { page } = await openPage(chromium.browser, SIZE);
    await openDemo(page, chromium.url, { scene: name, threads: '0', bare: '', paused: '' });
    await page.evaluate(`cairnDemo.simulation.skip(${pictureSteps})`);
    await waitForFrames(page, 3);
    await keep(page, name);
  }
  for (const { name } of LABS) {
    if (wanted.length > 0 && !wanted.includes(`lab-${name}`)) continue;
    const { page } = await openPage(chromium.browser, SIZE);
    await page.goto(`${chromium.url}demo/${labAddress(name)}&bare`);
    await page.waitForFunction(`globalThis.cairnLab?.ready && cairnLab.lab.world.time > ${LAB_TIME}`);
    await keep(page, `lab-${name}`);
  }
  for (const { name, address } of PAGES) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { page } = await openPage(chromium.browser, SIZE);
    await page.goto(`${chromium.url}demo/${address}`);
    await page.addStyleTag({ content: 'aside, #info { display: none !important; }' });
    await page.waitForTimeout(1000 * PAGE_TIME);
    await keep(page, name);
  }
} finally {
  await chromium.close();
}
