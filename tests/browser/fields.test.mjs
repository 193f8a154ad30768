// Force fields are JavaScript: their bits in Chromium are those in Node, whatever the build.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as api from '../../web/index.node.js';
import { hashFieldWorld } from '../shared/field_worlds.mjs';
import { openBrowser, openPage } from './chromium.mjs';

describe('force fields in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let chromium;
  /** @type {import('playwright-core').Page} */
  let page;
  let expected = '';

  before(async () => {
    expected = hashFieldWorld(api, await api.load({ flavour: 'st' }));
    chromium = await openBrowser();
    ({ page } = await openPage(chromium.browser, { width: 320, height: 240 }));
    await page.goto(`${chromium.url}tests/browser/blank.html`);
  });
  after(() => chromium?.close());

  for (const flavour of ['st', 'mt']) {
    it(`end in the same bits (${flavour})`, async () => {
      const hash = await page.evaluate(async (wanted) => {
        const modules = ['/web/index.js', '/tests/shared/field_worlds.mjs'];
        const [web, worlds] = await Promise.all(modules.map((address) => import(address)));
        return worlds.hashFieldWorld(web, await web.load({ flavour: wanted }));
      }, flavour);
      assert.equal(hash, expected);
    });
  }
});
