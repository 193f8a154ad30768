// The yardstick in headless Chromium: each engine and scene in a browser of its own, in a page of a
// cross-origin isolated server, which has threads and a clock of 5 µs.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../demo/server.mjs';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../scripts/chromium.mjs';
import { fileOf } from './adapters.mjs';
import { buildFolders } from './folders.mjs';
import { treeSeconds, watchOthers } from './others.mjs';
import { scenes } from './scenes.mjs';
import { packScene } from './transfer.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/**
 * A copy of a Box3D build that loads in pages: one made for Node and workers alone starts with an import of
 * Node's, which it does not use elsewhere.
 */
function copyForPages(folder) {
  const copy = mkdtempSync(join(tmpdir(), 'cairn-yardstick-'));
  cpSync(folder, copy, { recursive: true });
  for (const name of readdirSync(copy).filter((file) => file.endsWith('.mjs'))) {
    const text = readFileSync(join(copy, name), 'utf8');
    const nodeOnly = /^\s*import \{ createRequire \} from 'module';\s*const require = .*;$/m;
    writeFileSync(join(copy, name), text.replace(nodeOnly, ''));
  }
  return copy;
}

/**
 * Starts the server; gives `once(job, limit)`, which resolves to a result, and `close()`. `folders` has the
 * addresses of Cairn's and Box3D's builds.
 */
export async function openChromium(folders = buildFolders()) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium: node scripts/setup.mjs test installs one');
  const mounts = { '/cairn/': fileURLToPath(folders.cairn) };
  const box3d = existsSync(folders.box3d) ? copyForPages(fileURLToPath(folders.box3d)) : undefined;
  if (box3d) mounts['/box3d/'] = box3d;
  const server = await serve({ root: ROOT, mounts });

  /** One engine and one scene; a crash, or no result within `limit` seconds, is a result too. */
  async function once(job, limit) {
    const packed = scenes[job.scene] && packScene(scenes[job.scene]());
    const launched = await chromium.launchServer({
      executablePath,
      headless: true,
      args: CHROMIUM_ARGUMENTS,
    });
    let timer, version;
    try {
      const browser = await chromium.connect(launched.wsEndpoint());
      version = browser.version();
      const page = await browser.newPage();
      const trouble = new Promise((_, reject) => {
        page.on('crash', () => reject(new Error('the page crashed')));
        browser.on('disconnected', () => reject(new Error('the browser ended')));
        timer = setTimeout(() => reject(new Error(`nothing in ${limit} s`)), limit * 1000);
      });
      trouble.catch(() => {}); // it may come when nobody waits any more
      await page.goto(`${server.url}bench/yardstick/page.html`);
      const othersBusy = watchOthers(treeSeconds);
      const text = await Promise.race([
        trouble,
        page.evaluate(
          async (given) => (await import('/bench/yardstick/page.mjs')).measureJob(...given),
          [job, fileOf(job.engine), packed],
        ),
      ]);
      return { ...JSON.parse(text), others: othersBusy(), host: 'chromium', hostVersion: version };
    } catch (error) {
      const message = error.message.split('\n')[0];
      return { ...job, error: `no result: ${message}`, host: 'chromium', hostVersion: version };
    } finally {
      clearTimeout(timer);
      await launched.kill();
    }
  }

  return {
    once,
    async close() {
      await server.close();
      if (box3d) rmSync(box3d, { recursive: true });
    },
  };
}
