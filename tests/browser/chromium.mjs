// A headless Chromium with the demo in it, for tests and for pictures.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../demo/server.mjs';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../scripts/chromium.mjs';

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** ms; without a graphics card a page draws a few frames a second */
export const patience = 90_000;

/**
 * A browser and a server of the checkout.
 *
 * @param {{ isolate?: boolean }} [options] of the server
 * @returns {Promise<{ url: string, browser: import('playwright-core').Browser, close: () => Promise<void> }>}
 */
export async function openBrowser({ isolate = true } = {}) {
  const server = await serve({ root, isolate });
  const browser = await chromium
    .launch({ executablePath: findChromium(), headless: true, args: CHROMIUM_ARGUMENTS })
    .catch(async (error) => {
      await server.close();
      throw error;
    });
  const close = async () => {
    await browser.close();
    await server.close();
  };
  return { url: server.url, browser, close };
}

/**
 * A page, and what went wrong in it: errors on its console and exceptions that nobody caught.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {{ width: number, height: number }} viewport
 */
export async function openPage(browser, viewport) {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(patience);
  /** @type {string[]} */
  const problems = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return { page, problems };
}

/**
 * The demo with a scene, once it runs or says why it does not.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} url of the server
 * @param {Record<string, string>} query
 */
export async function openDemo(page, url, query) {
  await page.goto(`${url}demo/?${new URLSearchParams(query)}`);
  await page.waitForFunction(
    'window.cairnDemo !== undefined && (cairnDemo.ready || cairnDemo.errors.length > 0)',
  );
}

/**
 * Waits until the page has drawn some more frames.
 * @param {import('playwright-core').Page} page @param {number} count
 */
export async function waitForFrames(page, count) {
  const drawn = await page.evaluate('cairnDemo.frames');
  await page.waitForFunction(`cairnDemo.frames >= ${drawn + count}`);
}

/**
 * A picture in another size and format.
 *
 * @param {import('playwright-core').Page} page any page that may show data: pictures
 * @param {Buffer} png
 * @param {{ width: number, height: number }} size
 * @param {number} quality 0…1
 * @returns {Promise<Buffer>}
 */
export async function toWebp(page, png, size, quality) {
  const text = await page.evaluate(
    async ([picture, { width, height }, loss]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = width;
      canvas.height = height;
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width, height);
      return canvas.toDataURL('image/webp', loss).split(',')[1];
    },
    /** @type {const} */ ([png.toString('base64'), size, quality]),
  );
  return Buffer.from(text, 'base64');
}

/**
 * What is in a picture.
 *
 * @param {import('playwright-core').Page} page any page that may show data: pictures
 * @param {Buffer} png
 * @param {{ left: number, top: number, right: number, bottom: number }} margin pixels to leave out
 * @returns {Promise<{ colours: number, contrast: number }>} number of colours that differ well, and the
 *   standard deviation of the brightness (0…255)
 */
export function describePicture(page, png, margin) {
  return page.evaluate(
    async ([picture, { left, top, right, bottom }]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width - left - right;
      canvas.height = image.height - top - bottom;
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.drawImage(image, -left, -top);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      let sum = 0;
      let squares = 0;
      for (let i = 0; i < data.length; i += 4) {
        colours.add(((data[i] >> 4) << 8) | ((data[i + 1] >> 4) << 4) | (data[i + 2] >> 4));
        const brightness = (data[i] + data[i + 1] + data[i + 2]) / 3;
        sum += brightness;
        squares += brightness * brightness;
      }
      const count = data.length / 4;
      const mean = sum / count;
      return { colours: colours.size, contrast: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
    },
    /** @type {const} */ ([png.toString('base64'), margin]),
  );
}
