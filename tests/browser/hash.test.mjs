// The state of every scene after 600 steps is the same to the bit in Chromium and in Node, whatever the build
// and the number of threads.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { load } from '../../web/index.node.js';
import { hashScene, hashScenes, sceneFile } from '../shared/hash_scenes.mjs';
import { openBrowser, openPage, root } from './chromium.mjs';

const BUILDS = [
  { flavour: 'st', threads: 1 },
  { flavour: 'mt', threads: 1 },
  { flavour: 'mt', threads: 2 },
];

describe('state hash in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let chromium;
  /** @type {import('playwright-core').Page} */
  let page;
  /** @type {Map<string, [number, string][]>} */
  const expected = new Map();

  before(async () => {
    const cairn = await load({ flavour: 'st', threads: 1 });
    for (const name of hashScenes) {
      expected.set(name, hashScene(cairn, readFileSync(path.join(root, sceneFile(name)), 'utf8')));
    }
    chromium = await openBrowser();
    ({ page } = await openPage(chromium.browser, { width: 320, height: 240 }));
    await page.goto(`${chromium.url}tests/browser/blank.html`);
  });
  after(() => chromium?.close());

  it('runs in an isolated page', async () => {
    assert.equal(await page.evaluate('crossOriginIsolated'), true);
  });

  for (const { flavour, threads } of BUILDS) {
    for (const name of hashScenes) {
      it(`${name}: ${flavour}, threads ${threads}, as in Node`, async () => {
        const hashes = await page.evaluate(
          async ([options, file]) => {
            const modules = ['/web/index.js', '/tests/shared/hash_scenes.mjs'];
            const [api, scenes] = await Promise.all(modules.map((address) => import(address)));
            // one module a build serves all scenes
            const key = `${options.flavour} ${options.threads}`;
            globalThis.loaded ??= {};
            const cairn = (globalThis.loaded[key] ??= await api.load(options));
            if (cairn.flavour !== options.flavour) throw new Error(`loaded ${cairn.flavour}`);
            const text = await (await fetch(`/${file}`)).text();
            return scenes.hashScene(cairn, text, { threads: options.threads });
          },
          /** @type {const} */ ([{ flavour, threads }, sceneFile(name)]),
        );
        assert.deepEqual(hashes, expected.get(name));
      });
    }
  }
});
