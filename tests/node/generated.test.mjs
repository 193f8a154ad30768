// The generated files are fresh, and every public function is bound or skipped with a reason.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { enums, functions, structs } from '../../web/generated/api.js';
import { shapeProperties } from '../../web/generated/descriptions.js';
import { getCairn, root } from './helpers.mjs';

test('generated files are those that the headers give', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bindings/generate.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('every public function is bound or skipped with a reason', () => {
  const skipped = JSON.parse(readFileSync(join(root, 'bindings/skipped.json'), 'utf8'));
  const bound = new Set(functions.map(({ name }) => name));
  const declared = ['base', 'id', 'math', 'geometry', 'types', 'cairn'].flatMap((name) => {
    const text = readFileSync(join(root, `src/include/cairn/${name}.h`), 'utf8');
    return [...text.matchAll(/^CN_API [^(]*?(\w+)\(/gm)].map((match) => match[1]);
  });
  assert.ok(declared.length > 100);
  for (const name of declared) {
    assert.ok(bound.has(name) || typeof skipped[name] === 'string', `${name} is neither bound nor skipped`);
    assert.ok(!(bound.has(name) && name in skipped), `${name} is bound and skipped`);
  }
  for (const [name, reason] of Object.entries(skipped))
    assert.ok(reason.length > 10, `${name} needs a reason`);
});

test('every bound function is exported by both modules, and every list of symbols is without gaps', async () => {
  const symbols = readFileSync(join(root, 'bindings/generated/exports.txt'), 'utf8').trim().split('\n');
  for (const { symbol } of functions) assert.ok(symbols.includes(symbol), symbol);
  for (const flavour of ['st', 'mt']) {
    const { raw } = await getCairn(flavour, 1);
    for (const symbol of symbols) assert.equal(typeof raw[symbol], 'function', `${symbol} of ${flavour}`);
  }
});

test('shape descriptions know every shape and property of cnShapeDef', () => {
  assert.deepEqual(Object.keys(shapeProperties), enums.cnShapeType.slice(1));
  const known = new Set([
    'type',
    ...Object.values(shapeProperties).flatMap((item) => [...item.needed, ...item.optional]),
  ]);
  // what shape.js takes apart
  for (const name of ['resolution', 'size']) assert.ok(known.delete(name));
  for (const name of ['columnCount', 'rowCount', 'sizeX', 'sizeY']) known.add(name);
  const fields = structs.find(({ name }) => name === 'cnShapeDef')?.properties.map(({ name }) => name);
  assert.deepEqual([...known].sort(), fields?.sort());
});

test('the types of the columns are those that the module has', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const text = readFileSync(join(root, 'web/generated/types.js'), 'utf8');
  const arrays = {
    f64: 'Float64Array',
    f32: 'Float32Array',
    u32: 'Uint32Array',
    i32: 'Int32Array',
    u8: 'Uint8Array',
  };
  let tables = 0;
  for (const [, table, list] of text.matchAll(
    /Columns of the table "(\w+)"\.\n.*?\n((?: \* @property .*\n)+)/g,
  )) {
    const columns = [...list.matchAll(/@property \{(\w+)\} (\w+)/g)].map(([, array, name]) => [name, array]);
    const found = world.columns[table];
    assert.deepEqual(
      columns,
      found.names.map((name) => [name, arrays[found.describe(name).type]]),
      table,
    );
    tables += 1;
  }
  assert.equal(tables, Object.keys(world.columns).length);
  world.dispose();
});
