// npm run bench:first-step: what a page waits for until its first step, beside Rapier, Jolt and Havok in
// one run.
//
// Each engine is bundled by Vite into a page of its own, with a floor and a ball, and is visited in a
// fresh browser: what was sent (gzipped), in how many requests, and the time from the navigation to the
// end of the first step, from this machine and through a line of 20 Mbit/s with 40 ms. Cairn twice: in a
// page that is cross-origin isolated it loads with threads.
//
//   npm run bench:first-step [-- --visits n]

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { ISOLATION_HEADERS } from '../demo/server.mjs';
import { CHROMIUM_ARGUMENTS, findChromium } from '../scripts/chromium.mjs';
import { openFront } from '../tests/clients/front.mjs';
import { pack, run } from '../tests/clients/run.mjs';
import { median } from './median.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const readJson = (/** @type {string} */ file) => JSON.parse(readFileSync(join(here, file), 'utf8'));
const peers = readJson('yardstick/package.json').dependencies;
const tools = readJson('../tests/clients/versions.json');

const engines = [
  { name: 'Cairn, threads', file: 'cairn', isIsolated: true },
  { name: 'Cairn', file: 'cairn' },
  { name: 'Rapier', file: 'rapier', package: '@dimforge/rapier3d-compat' },
  { name: 'Jolt', file: 'jolt', package: 'jolt-physics' },
  { name: 'Havok', file: 'havok', package: '@babylonjs/havok' },
];
const lines = [
  { name: 'here', conditions: null },
  {
    name: '20 Mbit/s, 40 ms',
    conditions: { offline: false, latency: 40, downloadThroughput: 20e6 / 8, uploadThroughput: 20e6 / 8 },
  },
];

const mark = 'first step: ';
const main = (/** @type {string} */ file) => `import { takeFirstStep } from './${file}.js';

takeFirstStep().then(
  (speed) => console.info('${mark}' + JSON.stringify({ milliseconds: performance.now(), speed })),
  (error) => console.info('${mark}' + JSON.stringify({ error: String(error) })),
);
`;

/** A built page of each engine: folders by file names. @param {string} folder */
function build(folder) {
  const tarball = pack(folder);
  const dependencies = { vite: tools.vite, 'cairn-physics': `file:${tarball}` };
  for (const { package: name } of engines) if (name) dependencies[name] = peers[name];
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  run('npm install --no-audit --no-fund --prefer-offline --loglevel=error', folder);
  for (const file of new Set(engines.map((engine) => engine.file))) {
    const page = join(folder, file);
    mkdirSync(page);
    for (const name of ['index.html', `${file}.js`]) cpSync(join(here, 'first_step', name), join(page, name));
    writeFileSync(join(page, 'main.js'), main(file));
    run(`npx vite build ${file} --logLevel error`, folder);
  }
}

/** One visit with nothing in the cache. @param {string} folder */
async function visit(folder, isIsolated, conditions) {
  const front = await openFront({ folder, headers: isIsolated ? ISOLATION_HEADERS : {}, compress: true });
  const executablePath = findChromium();
  const browser = await chromium.launch({ executablePath, headless: true, args: CHROMIUM_ARGUMENTS });
  try {
    const page = await browser.newPage();
    if (conditions) {
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', conditions);
    }
    const result = new Promise((resolve, reject) => {
      page.on('pageerror', reject);
      page.on('console', (message) => {
        if (message.text().startsWith(mark)) resolve(JSON.parse(message.text().slice(mark.length)));
      });
      setTimeout(() => reject(new Error('no step within 120 s')), 120_000).unref();
    });
    result.catch(() => {});
    await page.goto(front.url);
    const found = /** @type {any} */ (await result);
    if (found.error) throw new Error(found.error);
    // g/60 s, or half of it where velocities are those of the step's middle
    if (!(found.speed > 0.08 && found.speed < 0.2)) throw new Error(`the ball falls with ${found.speed} m/s`);
    const bytes = front.sent.reduce((sum, file) => sum + file.bytes, 0);
    return { milliseconds: found.milliseconds, bytes, requests: front.sent.length };
  } finally {
    await browser.close();
    await front.close();
  }
}

const [option, value = '5'] = process.argv.slice(2);
const visits = Number(value);
if ((option !== undefined && option !== '--visits') || !Number.isInteger(visits) || visits < 1) {
  console.error('usage: npm run bench:first-step [-- --visits n]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'cairn-first-step-'));
try {
  build(folder);
  const rows = engines.map((engine) => ({ engine, times: lines.map(() => []), bytes: 0, requests: 0 }));
  for (let round = 0; round < visits; ++round) {
    for (const row of rows) {
      for (const [i, { conditions }] of lines.entries()) {
        const { file, isIsolated = false } = row.engine;
        const found = await visit(join(folder, file, 'dist'), isIsolated, conditions);
        row.times[i].push(found.milliseconds);
        row.bytes = found.bytes;
        row.requests = found.requests;
      }
    }
  }
  const heads = ['engine', 'kB gzipped', 'requests', ...lines.map(({ name }) => `ms, ${name}`)];
  console.log(`| ${heads.join(' | ')} |\n|${heads.map((_, i) => (i === 0 ? ' --- ' : ' ---: ')).join('|')}|`);
  for (const { engine, times, bytes, requests } of rows) {
    const name = engine.package ? `${engine.name} ${peers[engine.package]}` : engine.name;
    const cells = [name, (bytes / 1000).toFixed(0), requests, ...times.map((all) => median(all).toFixed(0))];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true, maxRetries: 3 });
}
