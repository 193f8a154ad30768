// What is dropped without dispose(): worlds are freed when the garbage collector finds them, with one
// warning, and modules end their threads. What is still in use in any way stays.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

/** What a script finds, and what it says on standard error. @param {string} script */
function runWithCollector(script) {
  const file = join(root, 'build', `dropped_test_${process.pid}.mjs`);
  mkdirSync(join(root, 'build'), { recursive: true });
  writeFileSync(
    file,
    `import { readdirSync } from 'node:fs';
    import { load } from '../web/index.node.js';
    const countThreads = () => readdirSync('/proc/self/task').length;
    const sphere = { shape: { type: 'sphere', radius: 0.5 } };
    async function collect() {
      for (let i = 0; i < 5; ++i) {
        globalThis.gc();
        await new Promise((later) => setTimeout(later, 20));
      }
    }
    ${script}`,
  );
  const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8', timeout: 60000 });
  const result = spawnSync(process.execPath, ['--expose-gc', file], options);
  rmSync(file);
  assert.equal(result.status, 0, result.stderr);
  return { found: JSON.parse(result.stdout), warnings: result.stderr.match(/cairn-physics: /g)?.length ?? 0 };
}

test('worlds and scenes that are dropped are freed, with one warning', () => {
  const { found, warnings } = runWithCollector(`
    const cairn = await load({ threads: 1 });
    const before = cairn.bytesInUse;
    function make() {
      for (let i = 0; i < 5; ++i) {
        const world = cairn.createWorld();
        world.createBody({ geometries: [sphere] });
        world.addContactListener({ onContact: () => world.stepCount });
        world.step();
        cairn.loadScene({ format: 'cairn-scene', version: 1 }).step();
        cairn.restoreWorld(world.save());
      }
    }
    make();
    const made = cairn.bytesInUse;
    await collect();
    const after = cairn.bytesInUse;
    const world = cairn.createWorld();
    world.step();
    const steps = world.stepCount;
    cairn.dispose();
    await collect();
    console.log(JSON.stringify({ grew: made > before, left: after - before, steps }));`);
  assert.deepEqual(found, { grew: true, left: 0, steps: 1 });
  assert.equal(warnings, 1);
});

test('what is left of a world keeps it: a body, a table of columns, its scene; it keeps its module', () => {
  const { found, warnings } = runWithCollector(`
    const parts = await (async () => {
      const cairn = await load({ threads: 2 });
      const world = cairn.createWorld();
      const body = world.createBody({ geometries: [sphere], position: [0, 0, 9] });
      const table = cairn.createWorld().columns.bodies;
      const scene = cairn.loadScene({ format: 'cairn-scene', version: 1 });
      const inner = cairn.loadScene({ format: 'cairn-scene', version: 1 }).world;
      return { body, table, scene, inner };
    })();
    await collect();
    parts.body.world.steps(60);
    parts.scene.step();
    parts.inner.step();
    console.log(JSON.stringify({ falls: parts.body.getPosition()[2] < 5, rows: parts.table.rows >= 0 }));`);
  assert.deepEqual(found, { falls: true, rows: true });
  assert.equal(warnings, 0);
});

test('worlds that are disposed are not warned of', () => {
  const { warnings } = runWithCollector(`
    const cairn = await load({ threads: 1 });
    (() => {
      cairn.createWorld().dispose();
      cairn.createWorld();
    })();
    cairn.dispose();
    await collect();
    console.log('{}');`);
  assert.equal(warnings, 0);
});

test('31 modules that are loaded and dropped leave the threads of those in use', () => {
  const { found } = runWithCollector(`
    const used = await load({ flavour: 'mt', threads: 3 });
    const threads = countThreads();
    for (let i = 0; i < 30; ++i) await load({ flavour: 'mt', threads: 3 });
    for (let i = 0; i < 50 && countThreads() > threads; ++i) await collect();
    const world = used.createWorld();
    world.step();
    console.log(JSON.stringify({ more: Math.max(0, countThreads() - threads), steps: world.stepCount }));`);
  assert.deepEqual(found, { more: 0, steps: 1 });
});
