// npm run test:clients: the package as its users have it. It is packed, installed into small projects,
// built by their bundlers, served and run in headless Chromium or Firefox, in pages that are cross-origin
// isolated and in such that are not.
//
//   npm run test:clients [-- CASE…]    all cases, or those whose names begin with one of the words
//   npm run test:clients -- --short    those of npm test
//   npm run test:clients -- --newest   with the newest versions of the bundlers instead of versions.json
//
// Prints a table and ends with status 1 where a case does not work.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ISOLATION_HEADERS } from '../../demo/server.mjs';
import { Browsers } from './browsers.mjs';
import { load } from '../../web/index.node.js';
import { cases } from './cases.mjs';
import { openFront } from './front.mjs';
import { simulate } from './projects/simulate.js';

/** @typedef {import('./cases.mjs').Case} Case */
/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {boolean} works
 * @property {string} how threads or single, or what is wrong
 * @property {number} [milliseconds] until the first step was done
 * @property {number} [requests]
 * @property {number} [kilobytes] gzipped
 */

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const versions = JSON.parse(readFileSync(join(here, 'versions.json'), 'utf8'));
const quiet = { NEXT_TELEMETRY_DISABLED: '1', PARCEL_WORKERS: '1', npm_config_update_notifier: 'false' };
/** What a client's line on the console begins with (projects/simulate.js). */
const resultMark = 'cairn client: ';
/** ms, of a page; a development server builds while it is asked. */
const patience = 60_000;
/** ms, of a command. */
const buildPatience = 900_000;

/** @param {string} command @param {string} cwd @returns {string} what it prints */
export function run(command, cwd) {
  const options = /** @type {const} */ ({ cwd, encoding: 'utf8', shell: true, timeout: buildPatience });
  const result = spawnSync(command, { ...options, env: { ...process.env, ...quiet } });
  if (result.status === 0) return result.stdout;
  const output = `${result.stdout}${result.stderr}`.trim();
  const end = result.error ? `did not end well (${result.error.message})` : `ended with ${result.status}`;
  throw new Error(`${command} ${end}: ${output.slice(-1500)}`);
}

/** Packs what is built. @param {string} folder @returns {string} the tarball */
export function pack(folder) {
  // what `npm pack` would build is there already, as for every test
  const output = run(`npm pack --json --ignore-scripts --pack-destination ${folder}`, root);
  return join(folder, JSON.parse(output.slice(output.search(/^\[$/m)))[0].filename);
}

/** A project with its packages. @param {Case} item @param {string} folder @param {string} tarball */
function install(item, folder, tarball, newest) {
  cpSync(join(here, 'projects', item.project), folder, { recursive: true });
  cpSync(join(here, 'projects', 'simulate.js'), join(folder, 'simulate.js'));
  const latest = (name) => (versions[name].startsWith('npm:') ? versions[name] : 'latest');
  const named = item.packages.map((name) => [name, newest ? latest(name) : versions[name]]);
  const dependencies = Object.fromEntries([...named, ['cairn-physics', `file:${tarball}`]]);
  const description = { name: 'client', version: '1.0.0', private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(description, null, 2));
  run('npm install --no-audit --no-fund --prefer-offline --loglevel=error', folder);
}

/** A package of versions.json alone. @param {string} folder @param {string} name */
function fetchPackage(folder, name) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run(`npm install --no-audit --no-fund --prefer-offline --loglevel=error ${name}@${versions[name]}`, folder);
}

/** A port that is free at the moment. @returns {Promise<number>} */
async function findPort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts a client's own server. @param {(port: number) => string} command @param {string} cwd */
async function startServer(command, cwd) {
  const port = await findPort();
  const options = /** @type {const} */ ({ cwd, shell: true, detached: true, stdio: 'pipe' });
  const child = spawn(command(port), { ...options, env: { ...process.env, ...quiet } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output = `${output}${part}`.slice(-2000);
    });
  }
  const stop = () => {
    try {
      // the shell and what it started
      process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL');
    } catch {
      // it is gone
    }
  };
  for (const end = Date.now() + patience; Date.now() < end && child.exitCode === null;) {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return { port, stop };
    await new Promise((later) => setTimeout(later, 200));
  }
  stop();
  throw new Error(`${command(port)} does not answer: ${output}`);
}

/**
 * What a page of the client finds.
 * @param {import('./browsers.mjs').ClientBrowser} browser
 * @param {Case} item @param {string} folder @param {boolean} isIsolated @param {number} [upstream]
 * @returns {Promise<Outcome>}
 */
async function visit(browser, item, folder, isIsolated, upstream) {
  const headers = { ...(isIsolated ? ISOLATION_HEADERS : {}), ...item.headers };
  const served = join(folder, item.folder ?? '');
  const front = await openFront({ folder: served, upstream, headers, mimeTypes: item.mimeTypes });
  const sharing = { ...ISOLATION_HEADERS, 'access-control-allow-origin': '*' };
  const foreign = item.isForeign ? await openFront({ folder, headers: sharing }) : null;
  const name = `${item.name}${isIsolated ? ', isolated' : ''}`;
  /** @type {string[]} */
  const problems = [];
  /** @type {import('./browsers.mjs').ClientPage | undefined} */
  let page;
  try {
    /** @type {(result: unknown) => void} */
    let receive = () => {};
    page = await browser.open((text, isError) => {
      if (text.startsWith(resultMark)) receive(JSON.parse(text.slice(resultMark.length)));
      else if (isError) problems.push(text);
    });
    const awaitResult = () =>
      new Promise((resolve, reject) => {
        receive = resolve;
        setTimeout(() => reject(new Error(`nothing came in ${patience / 1000} s`)), patience).unref();
      });
    const query = foreign ? `?origin=${foreign.url}` : '';
    let result = awaitResult();
    result.catch(() => {});
    await page.goto(`${front.url}/${item.page ?? ''}${query}`);
    let found = await result;
    const count = [...front.sent, ...(foreign?.sent ?? [])].filter(({ path }) => path !== '/favicon.ico');
    if (item.isOffline) {
      await front.close();
      result = awaitResult();
      result.catch(() => {});
      await page.reload();
      found = await result;
    }
    return { name, ...judge(found, isIsolated), ...measure(found, count) };
  } catch (error) {
    const text = [String(error.message ?? error).split('\n')[0], ...problems].join('; ');
    return { name, works: false, how: text.slice(0, 600) };
  } finally {
    await page?.close();
    await front.close().catch(() => {});
    await foreign?.close();
  }
}

/** Of the heap of projects/simulate.js, in Node. */
const expectedHash = (await simulate(load, { threads: 1 })).hash;

/** @param {any} found @param {boolean} isIsolated */
function judge(found, isIsolated) {
  if (found.error) return { works: false, how: found.error };
  if (!(found.height < 5) || !(found.height > 3)) {
    return { works: false, how: `the ball is at ${found.height} m` };
  }
  if (found.triangles !== 1) return { works: false, how: 'the mesh is not read' };
  const flavour = isIsolated ? 'mt' : 'st';
  if (found.flavour !== flavour) {
    return { works: false, how: `${found.flavour} for ${flavour}: ${found.fallbackReason}` };
  }
  if (found.hash !== expectedHash) return { works: false, how: `the state is ${found.hash}` };
  return { works: true, how: flavour === 'mt' ? 'threads' : 'single' };
}

/** @param {any} found @param {{ bytes: number }[]} sent */
function measure(found, sent) {
  const bytes = sent.reduce((sum, file) => sum + file.bytes, 0);
  return { milliseconds: found.milliseconds, requests: sent.length, kilobytes: bytes / 1000 };
}

/** @param {Outcome} outcome */
export function line({ name, works, how, milliseconds, requests, kilobytes }) {
  const numbers = [
    milliseconds === undefined ? '' : `${milliseconds.toFixed(0)} ms`,
    requests === undefined ? '' : `${requests} requests`,
    kilobytes === undefined ? '' : `${kilobytes.toFixed(0)} kB`,
  ];
  const cells = numbers.map((text) => text.padStart(12)).join(' ');
  return `${works ? 'works' : 'FAILS'}  ${name.padEnd(44)} ${how.padEnd(8)} ${cells}`.trimEnd();
}

/**
 * @param {Case[]} wanted
 * @param {{ newest?: boolean, report?: (outcome: Outcome) => void }} [options]
 * @returns {Promise<Outcome[]>}
 */
export async function runCases(wanted, { newest = false, report = () => {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-clients-'));
  const browsers = new Browsers(folder, fetchPackage);
  /** @type {Outcome[]} */
  const outcomes = [];
  /** Commands of a project that were run for another case. @type {Set<string>} */
  const built = new Set();
  const add = (/** @type {Outcome} */ outcome) => {
    outcomes.push(outcome);
    report(outcome);
  };
  try {
    const tarball = pack(folder);
    for (const item of wanted) {
      let browser;
      const project = join(folder, [item.project, ...item.packages].join('-').replaceAll('/', '-'));
      try {
        if (!existsSync(project)) {
          mkdirSync(project);
          install(item, project, tarball, newest);
        }
        const commands = item.build ?? [];
        const key = `${project}: ${commands.join()}`;
        if (!built.has(key)) for (const command of commands) run(command, project);
        built.add(key);
        browser = await browsers.get(item.browser ?? 'chromium');
      } catch (error) {
        add({ name: item.name, works: false, how: error.message });
        continue;
      }
      for (const isIsolated of [true, false]) {
        const server = item.serve && (await startServer(item.serve, project).catch((error) => error));
        if (server instanceof Error) {
          add({ name: item.name, works: false, how: server.message });
          continue;
        }
        add(await visit(browser, item, project, isIsolated, server?.port));
        server?.stop();
      }
    }
  } finally {
    await browsers.close();
    rmSync(folder, { recursive: true, maxRetries: 3 });
  }
  return outcomes;
}

/** @param {string[]} words */
async function main(words) {
  const named = words.filter((word) => !word.startsWith('--'));
  const unknown =
    words.find((word) => word.startsWith('--') && !['--short', '--newest'].includes(word)) ??
    named.find((word) => !cases.some(({ name }) => name.startsWith(word)));
  if (unknown) {
    console.error(`there is no ${unknown}; cases: ${cases.map(({ name }) => name).join(' | ')}`);
    return 2;
  }
  const wanted = cases.filter(
    (item) =>
      (named.length === 0 || named.some((word) => item.name.startsWith(word))) &&
      (!words.includes('--short') || item.isShort),
  );
  const start = Date.now();
  const report = (/** @type {Outcome} */ outcome) => console.log(line(outcome));
  const outcomes = await runCases(wanted, { newest: words.includes('--newest'), report });
  const failed = outcomes.filter(({ works }) => !works).length;
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  console.log(`${outcomes.length - failed} of ${outcomes.length} work (${seconds} s)`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.slice(2));
}
