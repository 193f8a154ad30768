// The module that reads files comes to a page only when it is wanted, and says so when it was not.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getCairn } from '../node/helpers.mjs';
import { makeTorus } from '../shared/tool_meshes.mjs';
import { openBrowser, openPage } from './chromium.mjs';

describe('readers of files in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let chromium;
  /** @type {import('playwright-core').Page} */
  let page;
  const requested = [];

  before(async () => {
    chromium = await openBrowser();
    ({ page } = await openPage(chromium.browser, { width: 320, height: 240 }));
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${chromium.url}tests/browser/blank.html`);
  });
  after(() => chromium?.close());

  const wereLoaded = () => requested.some((url) => url.endsWith('cairn.readers.wasm'));

  it('are not there by themselves, and are after loadReaders()', async () => {
    const found = await page.evaluate(async () => {
      const address = '/web/index.js';
      const { load } = await import(address);
      globalThis.cairn = await load({ threads: 1 });
      const bytes = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
      try {
        globalThis.cairn.readMesh(bytes);
      } catch (error) {
        return { code: error.code, argument: error.argument, message: error.message };
      }
      return undefined;
    });
    assert.equal(found?.code, 'LOAD_FAILED');
    assert.equal(found.argument, 'readers');
    assert.match(found.message, /loadReaders\(\)/);
    assert.equal(wereLoaded(), false);
    const count = await page.evaluate(async () => {
      const bytes = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
      await globalThis.cairn.loadReaders();
      return globalThis.cairn.readMesh(bytes).triangles.length;
    });
    assert.equal(count, 3);
    assert.equal(wereLoaded(), true);
  });

  it('come with gatherFiles(), even before load()', async () => {
    await page.reload();
    const mass = await page.evaluate(async () => {
      const address = '/web/index.js';
      const { gatherFiles, load } = await import(address);
      const text = [
        ...['v 0 0 0', 'v 1 0 0', 'v 0 1 0', 'v 0 0 1'],
        ...['f 1 3 2', 'f 1 2 4', 'f 1 4 3', 'f 2 3 4'],
      ].join('\n');
      const scene = {
        format: 'cairn-scene',
        version: 1,
        meshes: [{ name: 'corner', file: 'corner.obj' }],
        bodies: [{ name: 'b', geometries: [{ shape: { type: 'trimesh', mesh: 'corner' } }] }],
      };
      const files = await gatherFiles(scene, async () => new TextEncoder().encode(text));
      const cairn = await load({ threads: 1 });
      return cairn.loadScene(scene, { files }).findBody('b').mass;
    });
    assert.ok(Math.abs(mass - 1000 / 6) < 1e-9, `${mass} kg`);
  });

  it('come with the first mesh tool, which leaves the page its frames and has the bits of Node', async () => {
    await page.reload();
    requested.length = 0;
    const ring = makeTorus(1.2, 0.3, 48, 24);
    const found = await page.evaluate(async (mesh) => {
      const address = '/web/index.js';
      const { load } = await import(address);
      const cairn = await load({ threads: 1 });
      let frames = 0;
      let isDone = false;
      const count = () => {
        ++frames;
        if (!isDone) requestAnimationFrame(count);
      };
      requestAnimationFrame(count);
      const told = [];
      const pieces = await cairn.decomposeMesh(mesh, { maxHulls: 16, onProgress: (part) => told.push(part) });
      isDone = true;
      const stop = new AbortController();
      const ended = await cairn
        .decomposeMesh(mesh, { signal: stop.signal, onProgress: () => stop.abort() })
        .catch((error) => error.name);
      return {
        corners: pieces.shapes.map(({ shape }) => [...shape.points]),
        frames,
        told: told.length,
        ended,
      };
    }, ring);
    assert.equal(wereLoaded(), true);
    assert.equal(found.ended, 'AbortError');
    assert.ok(found.told >= 3 && found.frames >= 3, `${found.told} reports, ${found.frames} frames`);
    const { shapes } = await (await getCairn()).decomposeMesh(ring, { maxHulls: 16 });
    assert.deepEqual(
      found.corners,
      shapes.map(({ shape }) => [...shape.points]),
    );
  });
});
