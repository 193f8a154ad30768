// The same state to the bit: native, one-threaded and threaded WebAssembly, one and two threads.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashEvery, hashScene, hashScenes, hashSteps, sceneFile } from '../shared/hash_scenes.mjs';
import { getCairn, readScene, root } from './helpers.mjs';

const native = join(root, 'build/native-release/cairn_native');

/** @param {string} name @param {number} threads @returns {Promise<[number, string][]>} */
async function hashNatively(name, threads) {
  const words = [sceneFile(name), '--steps', hashSteps, '--every', 1000, '--record', 'world/hash'];
  const child = spawn(native, [...words, '--hash-every', hashEvery, '--threads', threads].map(String), {
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
    const wanted = await hashNatively(name, 1);
    assert.equal(wanted.length, 1 + hashSteps / hashEvery);
    assert.deepEqual(await hashNatively(name, 2), wanted, 'native with 2 threads');
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
