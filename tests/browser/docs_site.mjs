// The documentation in a browser: on a phone, in the dark, by keyboard, from a folder; and examples that run.
// docs.test.mjs runs a part of it, docs.long.test.mjs all.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from '../../demo/server.mjs';
import { buildDocs } from '../../scripts/docs.mjs';
import { openBrowser, openPage, patience, root } from './chromium.mjs';

const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/**
 * @param {{ names: readonly string[], looks: readonly [number, 'light' | 'dark'][] }} part names of examples;
 *   widths in pixels and colour schemes
 */
export function describeDocs({ names, looks }) {
  describe('the documentation', () => {
    /** @type {string} */
    let folder;
    /** @type {Awaited<ReturnType<typeof openBrowser>>} */
    let browser;
    /** @type {Awaited<ReturnType<typeof serve>>} */
    let server;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'cairn-docs-'));
      await buildDocs(folder);
      [browser, server] = await Promise.all([openBrowser(), serve({ root: folder })]);
    });
    after(async () => {
      await browser.close();
      await server.close();
      rmSync(folder, { recursive: true });
    });

    const shown = [
      'index.html',
      'materials.html',
      'api/world.html',
      'examples/door.html',
      'constraints.html',
    ];
    for (const [width, scheme] of looks) {
      it(`is accessible and fits at ${width} px, ${scheme}`, async () => {
        const { page, problems } = await openPage(browser.browser, { width, height: 844 });
        await page.emulateMedia({ colorScheme: scheme });
        for (const name of shown) {
          await page.goto(server.url + name);
          await page.evaluate(axe);
          const found = await page.evaluate('axe.run().then(({ violations }) => violations)');
          const said = found.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
          assert.deepEqual(said, [], name);
          assert.ok(
            await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
            `${name} is wider`,
          );
        }
        assert.deepEqual(problems, []);
        await page.close();
      });
    }

    it('has a menu on phones', async () => {
      const { page } = await openPage(browser.browser, { width: 390, height: 844 });
      await page.goto(`${server.url}index.html`);
      const link = page.locator('#sidebar a[href="time-loop.html"]');
      assert.equal(await link.isVisible(), false);
      await page.click('#menu');
      await link.click();
      await page.waitForURL(/time-loop\.html$/);
      await page.close();
    });

    it('is searched by keyboard, opened from a folder', async () => {
      const { page, problems } = await openPage(browser.browser, { width: 1200, height: 800 });
      await page.goto(pathToFileURL(join(folder, 'index.html')).href);
      await page.keyboard.press('/');
      await page.keyboard.type('setAngularVelocity');
      await page.waitForSelector('#results a');
      await page.keyboard.press('Enter');
      await page.waitForURL(/body\.html#setAngularVelocity$/);
      assert.deepEqual(problems, []);
      await page.close();
    });

    for (const name of names) {
      it(`runs the example ${name}`, async () => {
        const { page, problems } = await openPage(browser.browser, { width: 800, height: 700 });
        await page.goto(`${server.url}examples/${name}.html`);
        await page.waitForFunction('document.body.dataset.live', undefined, { timeout: patience });
        assert.equal(await page.evaluate('document.body.dataset.live'), 'running', problems.join());
        for (const button of await page.locator('.controls button').all()) await button.click();
        assert.deepEqual(problems, []);
        await page.close();
      });
    }
  });
}
