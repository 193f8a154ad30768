// What the sources promise as a whole: folders include only what lies below them, and the engine calls nothing of libm whose bits
// differ from machine to machine.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

/** Folders of src/ and those that each may include beside itself (docs/architecture.md). */
const layers = {
  base: ['cairn'],
  math: ['cairn', 'base'],
  geometry: ['cairn', 'base', 'math'],
  collide: ['cairn', 'base', 'math', 'geometry'],
  material: ['cairn', 'base', 'math', 'cjson'],
  dynamics: ['cairn', 'base', 'math', 'geometry', 'collide', 'material'],
  solve: ['cairn', 'base', 'math', 'geometry', 'collide', 'material', 'dynamics'],
  assets: ['cairn', 'base', 'math', 'cjson'],
  world: ['cairn', 'base', 'math', 'geometry', 'collide', 'material', 'dynamics', 'solve', 'assets', 'cjson'],
  'include/cairn': ['cairn'],
};

test('a folder of src/ includes itself and what lies below it', () => {
  for (const [folder, allowed] of Object.entries(layers)) {
    for (const name of readdirSync(join(root, 'src', folder))) {
      if (!/\.(c|h|inl)$/.test(name)) continue;
      const text = readFileSync(join(root, 'src', folder, name), 'utf8');
      for (const [, from] of text.matchAll(/^#include "([^/"]+)\//gm)) {
        assert.ok(from === folder || allowed.includes(from), `src/${folder}/${name} includes from ${from}/`);
      }
    }
  }
});

test('the native library calls nothing of libm but roots and roundings', () => {
  const library = join(root, 'build/native-release/libcairn.a');
  const { status, stdout, stderr } = spawnSync('nm', ['--undefined-only', library], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const called = new Set([...stdout.matchAll(/^\s+U (\w+)/gm)].map((match) => match[1]));
  assert.ok(called.has('malloc'), 'the list of symbols looks wrong');
  const libm =
    'sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow cbrt hypot fma fmod remainder fmin fmax qsort'.split(
      ' ',
    );
  const forbidden = libm.flatMap((name) => [name, `${name}f`, `${name}l`]).filter((name) => called.has(name));
  assert.deepEqual(forbidden, []);
});
