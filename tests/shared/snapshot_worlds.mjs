// Random worlds of the native build, restored in WebAssembly: the same steps lead to the same bits.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sections that say how long something took or lay in memory are none: all of a snapshot is compared. */
function firstDifference(one, other) {
  if (one.length !== other.length) return `lengths ${one.length} and ${other.length}`;
  const view = new DataView(one.buffer, one.byteOffset);
  const sections = view.getUint32(12, true);
  let at = (48 + 56 * sections + 15) & ~15;
  for (let i = 0; i < sections; ++i) {
    const entry = 48 + 56 * i;
    const name = new TextDecoder().decode(one.subarray(entry, entry + 44)).replace(/\0.*/s, '');
    const bytes = view.getUint32(entry + 48, true) * view.getUint32(entry + 52, true);
    for (let k = at; k < at + bytes; ++k)
      if (one[k] !== other[k]) return `${name}, byte ${k - at} of ${bytes}`;
    at += (bytes + 15) & ~15;
  }
  return null;
}

/**
 * @param {string} program snapshot_worlds
 * @param {import('../../web/exports.js').Cairn[]} modules
 * @param {number} first @param {number} count @param {number} steps
 */
export function compareRandomWorlds(program, modules, first, count, steps) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-snapshots-'));
  try {
    const { status, stdout, stderr } = spawnSync(program, [folder, first, count, steps].map(String), {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    for (const line of stdout.trim().split('\n')) {
      const [seed, hash] = line.split(' ');
      const start = new Uint8Array(readFileSync(join(folder, `${seed}.snapshot`)));
      const end = new Uint8Array(readFileSync(join(folder, `${seed}.end`)));
      for (const cairn of modules) {
        const world = cairn.restoreWorld(start);
        world.steps(steps);
        const difference = firstDifference(world.save(), end);
        assert.equal(difference, null, `seed ${seed}, ${cairn.flavour}`);
        assert.equal(BigInt(`0x${world.hash()}`), BigInt(`0x${hash}`), `seed ${seed}, ${cairn.flavour}`);
        world.dispose();
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
