// The same state to the bit: native, one-threaded and threaded WebAssembly, one and two threads.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHuntScene } from '../hunt/scenes.mjs';
import { hashEvery, hashScene, hashScenes, hashSteps, sceneFile } from '../shared/hash_scenes.mjs';
import { getCairn, readScene, root } from './helpers.mjs';

const native = join(root, 'build/native-release/cairn_native');

/**
 * @param {string} path @param {number} threads @param {number} [steps] @param {number} [every]
 * @returns {Promise<[number, string][]>}
 */
async function hashNatively(path, threads, steps = hashSteps, every = hashEvery) {
  const words = [path, '--steps', steps, '--every', 1000, '--record', 'world/hash'];
  const child = spawn(native, [...words, '--hash-every', every, '--threads', threads].map(String), {
    cwd: root,
  });
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  const status = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(status, 0);
  return JSON.parse(text).hashes;
}

for (const name of hashScenes) {
  test(`${name}: equal hashes after ${hashSteps} steps in every build`, async () => {
    assert.ok(existsSync(native), `${native} is not built: cmake --build --preset native-release`);
    const wanted = await hashNatively(sceneFile(name), 1);
    assert.equal(wanted.length, 1 + hashSteps / hashEvery);
    assert.deepEqual(await hashNatively(sceneFile(name), 2), wanted, 'native with 2 threads');
    const text = readScene(name);
    assert.deepEqual(hashScene(await getCairn('st', 1), text), wanted, 'st');
    assert.deepEqual(hashScene(await getCairn('mt', 1), text), wanted, 'mt with 1 thread');
    assert.deepEqual(hashScene(await getCairn('mt', 2), text), wanted, 'mt with 2 threads');
    // the same module again, with other worlds alive beside it
    const cairn = await getCairn('mt', 2);
    const other = cairn.loadScene(readScene('arch'));
    other.steps(7);
    assert.deepEqual(hashScene(cairn, text), wanted, 'mt beside another world');
    other.dispose();
  });
}

// Scenes of the hunt: joints beside contacts, with all solvers.
const huntSolvers = ['auto', 'iterative', 'direct', 'split'];
const huntSteps = 120;

test('scenes of the hunt: equal hashes in every build', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-hash-'));
  try {
    for (let seed = 1; seed <= 36; ++seed) {
      const { scene } = makeHuntScene(seed);
      const solver = huntSolvers[seed % huntSolvers.length];
      const text = JSON.stringify({ ...scene, world: { ...scene.world, solver: { default: solver } } });
      const path = join(folder, `${scene.name}.json`);
      writeFileSync(path, text);
      const wanted = await hashNatively(path, 1, huntSteps, 20);
      assert.equal(wanted.length, 1 + huntSteps / 20);
      const options = { steps: huntSteps, every: 20 };
      assert.deepEqual(hashScene(await getCairn('st', 1), text, options), wanted, `${scene.name}, st`);
      assert.deepEqual(hashScene(await getCairn('mt', 2), text, options), wanted, `${scene.name}, mt`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
