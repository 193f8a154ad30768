// What the tests of the JavaScript layer share.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CairnError, load } from '../../web/index.node.js';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @type {Map<string, Promise<import('../../web/objects/cairn.js').Cairn>>} */
const loaded = new Map();

/** One module of each kind for a test file: 'st', or 'mt' with a number of threads. */
export function getCairn(flavour = 'st', threads = 1) {
  const key = `${flavour}${threads}`;
  if (!loaded.has(key)) loaded.set(key, load({ flavour, threads }));
  return /** @type {Promise<import('../../web/objects/cairn.js').Cairn>} */ (loaded.get(key));
}

/** Both flavours, for tests that hold for either: [name, loader]. */
export const flavours = /** @type {const} */ ([
  ['st', () => getCairn('st', 1)],
  ['mt', () => getCairn('mt', 2)],
]);

export function readScene(name) {
  return readFileSync(join(root, 'demo/scenes', `${name}.json`), 'utf8');
}

/** Fails unless the task throws a CairnError that looks as described. */
export function refuses(task, expected) {
  assert.throws(task, (error) => {
    assert.ok(error instanceof CairnError, `a CairnError is wanted, not ${error}`);
    for (const [key, value] of Object.entries(expected)) {
      if (value instanceof RegExp) assert.match(String(error[key]), value);
      else assert.equal(error[key], value, `${key} of: ${error.message}`);
    }
    return true;
  });
}

export function near(actual, expected, tolerance = 1e-9) {
  const list = typeof actual === 'number' ? [actual] : [...actual];
  const wanted = typeof expected === 'number' ? [expected] : expected;
  assert.equal(list.length, wanted.length);
  list.forEach((value, i) => {
    assert.ok(Math.abs(value - wanted[i]) <= tolerance, `${list} should be ${wanted} within ${tolerance}`);
  });
}

/** A world with ground and a ball, no gravity unless given. */
export function makeSimpleWorld(cairn, options = {}) {
  const world = cairn.createWorld(options);
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const ball = world.createBody({
    position: [0, 0, 2],
    geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
  });
  return { world, ground, ball };
}

/**
 * Heap bytes that a hundred runs of a task leave, once the JavaScript engine has compiled it for good: what
 * its interpreter puts on the heap (every number that is read from an array) is not what the task costs.
 * @param {() => void} task
 */
export async function garbageOf(task) {
  setFlagsFromString('--expose-gc');
  // where other tests take the cores the optimising compiler would have no thread to work in
  setFlagsFromString('--no-concurrent-recompilation');
  setFlagsFromString('--no-concurrent-osr');
  const collectGarbage = runInNewContext('gc');
  let least = Infinity;
  // until nothing is left of it, or nothing more is gained
  for (let stale = 0; stale < 60 && least > 2000; ++stale) {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 100; ++i) task();
    const left = process.memoryUsage().heapUsed - before;
    if (left < 0.9 * least) stale = 0;
    least = Math.min(least, left);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return least;
}
