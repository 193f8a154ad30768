// What the sources promise as a whole: folders include only what lies below them, lines are at most 110
// columns wide, and the engine calls nothing of libm whose bits differ from machine to machine.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLines } from '../../scripts/lines.mjs';
import { root } from './helpers.mjs';

/**
 * Folders of src/ from the lowest to the highest, and what each includes beside itself
 * (docs/architecture.md).
 */
const layers = {
  'include/cairn': [],
  'base/report': ['include/cairn'],
  base: ['base/report'],
  'base/containers': ['base'],
  math: ['base/containers'],
  geometry: ['math'],
  'geometry/shapes': ['geometry'],
  'geometry/meshes': ['geometry/shapes'],
  linear: ['base/containers'],
  dynamics: ['math'],
  material: ['math', 'third_party/cjson'],
  'collide/broad': ['math'],
  'collide/manifolds': ['geometry'],
  'collide/narrow': ['collide/manifolds', 'geometry/meshes'],
  'collide/pairs': ['collide/narrow', 'dynamics', 'material'],
  'collide/queries': ['geometry/meshes'],
  solve: ['collide/pairs', 'dynamics', 'material', 'linear'],
  'solve/rows': ['solve'],
  'solve/lanes': ['solve'],
  'solve/direct/system': ['dynamics', 'linear'],
  'solve/direct/nodes': ['solve/direct/system', 'solve/rows'],
  'solve/direct/friction': ['solve/direct/nodes'],
  'solve/direct/motion': ['solve/direct/nodes'],
  'solve/direct/guards': ['solve/direct/nodes'],
  'solve/direct': ['solve/lanes', 'solve/direct/friction', 'solve/direct/motion', 'solve/direct/guards'],
  'solve/sweeps': ['solve/direct'],
  'solve/impacts': ['solve/direct'],
  assets: ['math', 'third_party/cjson'],
  'assets/mesh_tools': ['geometry'],
  'world/ccd': ['solve'],
  world: ['collide/broad', 'solve/sweeps', 'world/ccd'],
  'world/step': ['world', 'collide/queries', 'solve/impacts'],
  'world/snapshot': ['world'],
  api: ['world/step', 'world/snapshot'],
  'api/objects': ['api'],
  'scene/json': ['math', 'third_party/cjson'],
  scene: ['scene/json', 'api/objects', 'assets'],
};

/** A folder with all that it may include, through others as well. */
function within(folder, seen = new Set()) {
  for (const below of layers[folder] ?? []) within(below, seen);
  return seen.add(folder);
}

/** The folders of src/ that hold sources. */
function folders(path = '') {
  const entries = readdirSync(join(root, 'src', path), { withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
  const here = entries.some((entry) => /\.[ch]$/.test(entry.name)) ? [path] : [];
  return [...here, ...below.flatMap(folders)].filter((folder) => !folder.startsWith('third_party'));
}

test('every folder of src/ has its place', () => {
  assert.deepEqual(folders().sort(), Object.keys(layers).sort());
});

test('a folder of src/ includes itself and what lies below it', () => {
  const wrong = [];
  for (const folder of Object.keys(layers)) {
    const allowed = within(folder);
    for (const name of readdirSync(join(root, 'src', folder)).filter((entry) => /\.(c|h|inl)$/.test(entry))) {
      const text = readFileSync(join(root, 'src', folder, name), 'utf8');
      for (const [, from] of text.matchAll(/^#include "(.+)\/[^/"\n]+"/gm)) {
        const place = { cairn: 'include/cairn', cjson: 'third_party/cjson' }[from] ?? from;
        if (!allowed.has(place)) wrong.push(`src/${folder}/${name} includes from ${from}/`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('what is local to a file of src/ leaves the prefix out', () => {
  const wrong = [];
  for (const folder of Object.keys(layers)) {
    for (const name of readdirSync(join(root, 'src', folder)).filter((entry) => entry.endsWith('.c'))) {
      const text = readFileSync(join(root, 'src', folder, name), 'utf8');
      for (const [, found] of text.matchAll(/^static [\w *]*?\b(cn[A-Z]\w*)\(/gm))
        wrong.push(`src/${folder}/${name}: ${found}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('two materials become one in a single place of the solve', () => {
  const places = [];
  for (const folder of Object.keys(layers).filter((name) => name.split('/')[0] === 'solve')) {
    for (const name of readdirSync(join(root, 'src', folder)).filter((entry) => /\.(c|h|inl)$/.test(entry))) {
      const text = readFileSync(join(root, 'src', folder, name), 'utf8');
      for (const _ of text.matchAll(/\bcn(Resolve|Find)Pair\(/g)) places.push(`src/${folder}/${name}`);
    }
  }
  assert.deepEqual(places, ['src/solve/prepare_contacts.c']);
});

test('no line of a source is wider than 110 columns', () => {
  assert.deepEqual(checkLines(), { wide: [], needless: [] });
});

/** Folders of web/ and those that modules of each import from beside it; types may come from anywhere. */
const webLayers = {
  core: ['generated'],
  listeners: ['core', 'generated'],
  events: ['core', 'generated'],
  objects: ['events', 'listeners', 'core', 'generated'],
  drawing: ['core', 'generated'],
  worker: ['', 'core', 'objects'],
  three: ['drawing', 'core', 'generated'],
  cli: ['', 'objects', 'listeners', 'core'],
};

test('a folder of web/ imports from itself and what lies below it', () => {
  const wrong = [];
  for (const [folder, allowed] of Object.entries(webLayers)) {
    for (const name of readdirSync(join(root, 'web', folder)).filter((entry) => entry.endsWith('.js'))) {
      const text = readFileSync(join(root, 'web', folder, name), 'utf8');
      for (const [, from] of text.matchAll(
        /^(?:import|export) [^;]*?from '\.\.\/((?:\w+(?=\/))?)[^']*';/gm,
      )) {
        if (!allowed.includes(from)) wrong.push(`web/${folder}/${name} imports from web/${from}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('the native library calls nothing of libm but roots and roundings', () => {
  const library = join(root, 'build/native-release/libcairn.a');
  const { status, stdout, stderr } = spawnSync('nm', ['--undefined-only', library], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const called = new Set([...stdout.matchAll(/^\s+U (\w+)/gm)].map((match) => match[1]));
  assert.ok(called.has('malloc'), 'the list of symbols looks wrong');
  const names =
    'sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow cbrt hypot ' +
    'fma fmod remainder fmin fmax qsort';
  const libm = names.split(' ');
  const forbidden = libm.flatMap((name) => [name, `${name}f`, `${name}l`]).filter((name) => called.has(name));
  assert.deepEqual(forbidden, []);
});
