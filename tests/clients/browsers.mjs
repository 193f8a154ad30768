// Chromium and Firefox behind one interface: a page, and what it writes to its console.
//
// Playwright drives only a Firefox of its own, so that a distribution's is driven by Puppeteer over WebDriver
// BiDi. It is fetched where it is needed, since with all that it brings it is larger than the rest of the
// tests together.

import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../scripts/chromium.mjs';
import { findFirefox } from '../../scripts/firefox.mjs';

/** @typedef {'chromium' | 'firefox'} BrowserName */
/**
 * @typedef {object} ClientPage
 * @property {(address: string) => Promise<unknown>} goto
 * @property {() => Promise<unknown>} reload
 * @property {() => Promise<void>} close with all that it has stored
 */
/**
 * @typedef {object} ClientBrowser
 * @property {(onLine: (text: string, isError: boolean) => void) => Promise<ClientPage>} open
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<ClientBrowser>} */
async function openChromium() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium: node scripts/setup.mjs test installs one');
  const browser = await chromium.launch({ executablePath, headless: true, args: CHROMIUM_ARGUMENTS });
  return {
    async open(onLine) {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.on('console', (message) => onLine(message.text(), message.type() === 'error'));
      page.on('pageerror', (error) => onLine(String(error), true));
      return {
        goto: (address) => page.goto(address),
        reload: () => page.reload(),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/**
 * @param {string} folder where Puppeteer is put @param {(folder: string, name: string) => void} fetchPackage
 * @returns {Promise<ClientBrowser>}
 */
async function openFirefox(folder, fetchPackage) {
  const executablePath = findFirefox();
  if (!executablePath) throw new Error('no Firefox: node scripts/setup.mjs long installs one');
  const home = join(folder, 'puppeteer');
  mkdirSync(home, { recursive: true });
  fetchPackage(home, 'puppeteer-core');
  const entry = createRequire(join(home, 'index.js')).resolve('puppeteer-core');
  const { default: puppeteer } = await import(pathToFileURL(entry).href);
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
  return {
    async open(onLine) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.on('console', (/** @type {any} */ message) => onLine(message.text(), message.type() === 'error'));
      page.on('pageerror', (/** @type {unknown} */ error) => onLine(String(error), true));
      return {
        goto: (address) => page.goto(address),
        reload: () => page.reload(),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** Browsers that are opened when the first case wants them. */
export class Browsers {
  /** @type {Map<BrowserName, Promise<ClientBrowser>>} */
  #opened = new Map();
  #folder;
  #fetchPackage;

  /** @param {string} folder @param {(folder: string, name: string) => void} fetchPackage */
  constructor(folder, fetchPackage) {
    this.#folder = folder;
    this.#fetchPackage = fetchPackage;
  }

  /** @param {BrowserName} name @returns {Promise<ClientBrowser>} */
  get(name) {
    let browser = this.#opened.get(name);
    if (browser === undefined) {
      browser = name === 'chromium' ? openChromium() : openFirefox(this.#folder, this.#fetchPackage);
      this.#opened.set(name, browser);
    }
    return browser;
  }

  async close() {
    const closing = [...this.#opened.values()].map((opened) => opened.then((browser) => browser.close()));
    await Promise.allSettled(closing);
  }
}
