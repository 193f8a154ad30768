// three's instancing example with 1,000 bodies on Cairn, Rapier and Jolt, side by side in headless Chromium.
//
//   npm run bench:instancing [-- --bodies 1000] [-- --engines cairn,rapier,jolt] [-- --rounds 3]
//                               [-- --host node]
//
// The page is demo/three/instancing.html. For the others its two lines that name Cairn are replaced by those
// of three's own add-ons, RapierPhysics and JoltPhysics; what these load from the network comes from
// bench/yardstick/node_modules. All get the same random numbers. Timed are the callbacks, 60 a second, in
// which an add-on steps and writes its matrices: 240 from the start, the 240 after them, and 240 at rest, 20
// s after the page has ended its repositioning. Frames are those that the page gets meanwhile; they are drawn
// in software, so the window is small, balls have fewer faces and nothing casts shadows.
//
// With --host node the same scene runs without a page, and timed is the processor's time of a call: on a
// machine that does other things, too, these numbers say more.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { serve } from '../demo/server.mjs';
import { CHROMIUM_ARGUMENTS, findChromium } from '../scripts/chromium.mjs';
import { installPeers } from './peers_installed.mjs';
import { treeSeconds, watchOthers } from './yardstick/others.mjs';
import { median } from './median.mjs';

const ROOT = path.dirname(import.meta.dirname);
const PAGE = 'demo/three/instancing.html';
const PHASE = 240; // callbacks
const SETTLING = 1200; // callbacks until all has come to rest
const VIEWPORT = { width: 240, height: 160 };
const PATIENCE = 900_000; // ms

/** What each engine is named in the page by. */
const ENGINES = {
  cairn: { name: 'CairnPhysics', module: 'cairn-physics/three', folder: null },
  rapier: {
    name: 'RapierPhysics',
    module: 'three/addons/physics/RapierPhysics.js',
    folder: '@dimforge/rapier3d-compat',
  },
  jolt: { name: 'JoltPhysics', module: 'three/addons/physics/JoltPhysics.js', folder: 'jolt-physics' },
};

/**
 * Runs in the page before all else: the same random numbers for all, and a clock in what is called in
 * intervals.
 */
function prepare() {
  let state = 1;
  Math.random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  const { setInterval: set, requestAnimationFrame: request } = globalThis;
  const records = { intervals: [], steps: [], frames: 0, isDrawing: true };
  globalThis.setInterval = (task, period) => {
    if (Math.abs(period - 1000 / 60) > 0.1) return set(task, period);
    const isFirst = records.intervals.length === 0; // the add-on's; the other is the page's own
    const timed = () => {
      const begin = performance.now();
      task();
      if (isFirst) records.steps.push(performance.now() - begin);
    };
    const interval = set(timed, period);
    records.intervals.push(interval);
    return interval;
  };
  globalThis.requestAnimationFrame = (task) => {
    const draw = (now) => {
      if (!records.isDrawing) return void setTimeout(() => request(draw), 200);
      ++records.frames;
      task(now);
    };
    return request(draw);
  };
  globalThis.bench = records;
}

/** Medians and rates over some callbacks of a page. */
async function measure(page, count) {
  await page.evaluate('Object.assign(bench, { frames: 0, begin: performance.now() }).steps.length = 0');
  await page.waitForFunction(`bench.steps.length >= ${count}`, null, { timeout: PATIENCE, polling: 100 });
  const { steps, seconds, frames } = await page.evaluate(
    '({ steps: bench.steps, seconds: (performance.now() - bench.begin) / 1000, frames: bench.frames })',
  );
  const sorted = steps.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.floor(part * sorted.length)];
  return {
    p10: at(0.1),
    median: at(0.5),
    p95: at(0.95),
    rate: frames / seconds,
    calls: steps.length / seconds,
  };
}

/** One engine, from the start to rest. */
async function runOnce(browser, url, engine, bodies) {
  const { name, module } = ENGINES[engine];
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.addInitScript(prepare);
  await page.route('**/instancing.html*', async (route) => {
    const response = await route.fetch();
    const text = (await response.text())
      .replace("import { CairnPhysics } from 'cairn-physics/three'", `import { ${name} } from '${module}'`)
      .replace('await CairnPhysics()', `await ${name}()`)
      .replace('IcosahedronGeometry(0.05, 4)', 'IcosahedronGeometry(0.05, 1)')
      .replace('shadowMap.enabled = true', 'shadowMap.enabled = false');
    await route.fulfill({ response, body: text });
  });
  await page.route('https://cdn.jsdelivr.net/npm/**', async (route) => {
    const [, wanted, file] = /\/npm\/((?:@[^/]+\/)?[^@/]+)@[^/]+\/(.*)$/.exec(route.request().url());
    const body = await readFile(path.join(ROOT, 'bench/yardstick/node_modules', wanted, file));
    const headers = {
      'content-type': file.endsWith('.wasm') ? 'application/wasm' : 'text/javascript',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    };
    await route.fulfill({ body, headers });
  });
  await page.goto(`${url}${PAGE}?count=${Math.round(bodies / 2)}`);
  await page.waitForFunction('globalThis.example !== undefined', null, { timeout: PATIENCE });
  const start = await measure(page, PHASE);
  const active = await measure(page, PHASE);
  await page.evaluate('clearInterval(bench.intervals[1]); bench.isDrawing = false');
  await measure(page, SETTLING);
  await page.evaluate('bench.isDrawing = true');
  const rest = await measure(page, PHASE);
  await context.close();
  if (problems.length > 0) throw new Error(`${name}: ${problems[0]}`);
  return { start, active, rest };
}

/** The same in Node. */
async function runInNode(engine, bodies) {
  const args = [path.join(ROOT, 'bench/instancing_node.mjs'), engine, String(bodies)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

/** Pages of one browser; `close` ends it. */
async function openPages() {
  const server = await serve({ root: ROOT });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    headless: true,
    args: CHROMIUM_ARGUMENTS,
  });
  return {
    run: (engine, bodies) => runOnce(browser, server.url, engine, bodies),
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** @param {string} engine */
async function versionOf(engine) {
  const { folder } = ENGINES[engine];
  const file = folder === null ? 'package.json' : `bench/yardstick/node_modules/${folder}/package.json`;
  return JSON.parse(await readFile(path.join(ROOT, file), 'utf8')).version;
}

const { values } = parseArgs({
  options: {
    bodies: { type: 'string', default: '1000' },
    engines: { type: 'string', default: Object.keys(ENGINES).join(',') },
    rounds: { type: 'string', default: '3' },
    host: { type: 'string', default: 'chromium' },
  },
});
const engines = values.engines.split(',');
const unknown = engines.find((engine) => !(engine in ENGINES));
if (unknown !== undefined)
  throw new Error(`no engine ${unknown}, there are ${Object.keys(ENGINES).join(', ')}`);
await installPeers();
const host = values.host === 'node' ? { run: runInNode, close: async () => {} } : await openPages();
const othersBusy = watchOthers(treeSeconds);
const results = Object.fromEntries(engines.map((engine) => [engine, []]));
try {
  // in turns, so that a machine that is busy for a while is busy for all
  for (let round = 0; round < Number(values.rounds); ++round) {
    for (const engine of engines) {
      results[engine].push(await host.run(engine, Number(values.bodies)));
    }
  }
} finally {
  await host.close();
}

const rates = values.host === 'node' ? [] : ['steps/s', 'frames/s'];
const columns = ['engine', 'version', 'phase', 'ms p10', 'median', 'p95', ...rates];
const rows = [];
for (const engine of engines) {
  for (const phase of ['start', 'active', 'rest']) {
    const of = (key) => median(results[engine].map((result) => result[phase][key]));
    rows.push([
      ENGINES[engine].name,
      await versionOf(engine),
      phase,
      of('p10').toFixed(2),
      of('median').toFixed(2),
      of('p95').toFixed(2),
      ...(rates.length > 0 ? [of('calls').toFixed(1), of('rate').toFixed(1)] : []),
    ]);
  }
}
const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i].length)));
const line = (cells) => cells.map((cell, i) => cell[i < 3 ? 'padEnd' : 'padStart'](widths[i])).join('  ');
console.log(`${values.bodies} bodies, ${os.cpus()[0].model}, ${os.availableParallelism()} cores,`);
console.log(`others kept ${othersBusy().toFixed(2)} cores busy; medians of ${values.rounds} rounds`);
console.log(line(columns));
for (const row of rows) console.log(line(row));
