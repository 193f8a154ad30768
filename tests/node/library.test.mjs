// The library: its files against a schema, and what users add to it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Ajv from 'ajv';
import { load, readLibraryFolder } from '../../web/index.node.js';
import { getCairn, refuses, root } from './helpers.mjs';

const kinds = ['materials', 'contact-materials', 'terrains', 'cables', 'beams'];
const schema = JSON.parse(readFileSync(join(root, 'tests/shared/library_schema.json'), 'utf8'));

/** Objects by path. */
function readFiles() {
  const files = new Map();
  for (const kind of kinds) {
    for (const name of readdirSync(join(root, 'materials', kind))) {
      const path = `${kind}/${name}`;
      files.set(path, JSON.parse(readFileSync(join(root, 'materials', path), 'utf8')));
    }
  }
  return files;
}

/** What a validator finds, one line a fault. */
function faultsOf(validators, path, item) {
  const validate = validators[path.slice(0, path.indexOf('/'))];
  return validate(item)
    ? []
    : validate.errors.map(({ dataPath, message }) => `${path}${dataPath} ${message}`);
}

function makeValidators() {
  const { definitions } = schema;
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      new Ajv({ allErrors: true }).compile({ definitions, $ref: `#/definitions/${kind}` }),
    ]),
  );
}

test('every file of materials/ obeys the schema, and every number in it has a source', () => {
  const validators = makeValidators();
  const faults = [];
  const files = readFiles();
  for (const [path, item] of files) {
    faults.push(...faultsOf(validators, path, item));
    const numbers = Object.keys(item).filter((key) => typeof item[key] === 'number');
    assert.deepEqual(Object.keys(item.sources).sort(), numbers.sort(), `${path}: sources`);
    for (const [key, source] of Object.entries(item.sources)) {
      if (/memory|knowledge/.test(source)) faults.push(`${path}/${key}: ${source}`);
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(files.size >= 110, `${files.size} files`);
});

test('the schema finds a bad key, a bad number and a missing source', () => {
  const validators = makeValidators();
  const good = readFiles().get('materials/ice.json');
  for (const [change, fault] of [
    [{ densty: 3 }, /additional properties/],
    [{ density: 0 }, /\.density should be > 0/],
    [{ viscosity: 1.1 }, /\.viscosity should be <= 1/],
    [{ roughness: '0.3' }, /\.roughness should be number/],
    [{ sources: undefined }, /required property 'sources'/],
  ]) {
    const bad = JSON.parse(JSON.stringify({ ...good, ...change }));
    assert.match(faultsOf(validators, 'materials/ice.json', bad).join('\n'), fault);
  }
});

test('the module lists what is in the files, and the engine refuses what the schema does', async () => {
  const cairn = await getCairn('st', 1);
  const files = [...readFiles()];
  for (const kind of kinds) {
    const wanted = files
      .filter(([path]) => path.startsWith(`${kind}/`))
      .map(([, item]) => Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'sources')));
    assert.deepEqual(cairn.list(kind), wanted);
  }
  for (const [path, { ...item }] of files) {
    const key = Object.keys(item).find((name) => typeof item[name] === 'number');
    refuses(() => cairn.addToLibrary({ [path]: { ...item, name: 'another', [key]: -1 } }), { code: 'FILE' });
    refuses(() => cairn.addToLibrary({ [path]: item }), {
      code: 'FILE',
      argument: `${path}/name`,
      message: new RegExp(`is that of ${path}, too`),
    });
  }
});

const birch = { name: 'birch', description: 'Birch.', density: 620, roughness: 0.3 };
const birchOnSteel = { name: 'birch-steel', materials: ['birch', 'steel'], friction: 0.25 };
const both = { 'contact-materials/b.json': birchOnSteel, 'materials/b.json': birch };

test('items that a program adds are materials to start from', async () => {
  const cairn = await load({ threads: 1 });
  const world = cairn.createWorld();
  const steel = world.createMaterial({ library: 'steel' });
  refuses(() => world.createMaterial({ library: 'birch' }), { code: 'UNKNOWN_NAME', argument: 'library' });

  cairn.addToLibrary(both);
  assert.deepEqual(cairn.list('materials').at(-1), birch);
  const material = world.createMaterial({ library: 'birch' });
  assert.equal(material.get().density, 620);
  const pair = world.getPairProperties(steel, material);
  assert.equal(pair.friction.x ?? pair.friction[0], 0.25);
  assert.equal(pair.origins.friction, 'library');

  const scene = cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    materials: [{ name: 'plank', library: 'birch' }],
  });
  assert.equal(scene.world.findMaterial('plank').get().library, 'birch');
  cairn.dispose();
});

test('a snapshot is restored where the same items were added, and refused elsewhere', async () => {
  const cairn = await load({ threads: 1 });
  cairn.addToLibrary(both);
  const world = cairn.createWorld();
  world.createMaterial({ library: 'steel' });
  const plain = world.save();
  world.createMaterial({ library: 'birch' });
  const withBirch = world.save();

  const same = await load({ threads: 1 });
  same.addToLibrary({ 'materials/another-path.json': birch, 'contact-materials/c.json': birchOnSteel });
  assert.equal(same.restoreWorld(withBirch).hash(), world.hash());

  const other = await load({ threads: 1 });
  other.restoreWorld(plain);
  refuses(() => other.restoreWorld(withBirch), { code: 'SNAPSHOT', message: /another library/ });
  for (const each of [cairn, same, other]) each.dispose();
});

test('one bad item, and nothing is added', async () => {
  const cairn = await load({ threads: 1 });
  for (const [items, expected] of [
    [{ ...both, 'materials/c.json': { name: 'steel' } }, { argument: 'materials/c.json/name' }],
    [
      { ...both, 'materials/c.json': '{"name": "c", ' },
      { argument: 'materials/c.json', message: /JSON/ },
    ],
    [{ ...both, 'materials/c.json': '{"name":"c","name":"d"}' }, { message: /there twice/ }],
    [
      { ...both, 'materials/c.json': null },
      { argument: 'materials/c.json', message: /object/ },
    ],
    [
      { ...both, 'c.json': { name: 'c' } },
      { argument: 'c.json', message: /contact-materials\// },
    ],
    [
      { ...both, 'materials/c.json': { name: 'c', density: -1 } },
      { argument: 'materials/c.json/density', message: /density is -1 kg\/m³, allowed is > 0 kg\/m³/ },
    ],
    [
      { 'contact-materials/b.json': birchOnSteel },
      { message: /no item of the library has the name "birch"/ },
    ],
  ]) {
    refuses(() => cairn.addToLibrary(items), { code: 'FILE', ...expected });
  }
  for (const items of [3, 'birch', null, undefined, [birch], new Uint8Array(4)]) {
    refuses(() => cairn.addToLibrary(items), { code: 'WRONG_TYPE', argument: 'items' });
  }
  assert.equal(cairn.list('materials').length, 17);
  const many = Array.from({ length: 1025 }, (_, i) => [`materials/${i}.json`, { name: `m${i}` }]);
  refuses(() => cairn.addToLibrary(Object.fromEntries(many)), { code: 'TOO_MANY', message: /1024/ });
  cairn.addToLibrary(Object.fromEntries(many.slice(1)));
  assert.equal(cairn.list('materials').length, 17 + 1024);
  cairn.dispose();
});

test('a folder of items, from Node and from the command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-'));
  const run = (...words) =>
    spawnSync(process.execPath, [join(root, 'web/cli.js'), ...words], { encoding: 'utf8' });
  try {
    assert.deepEqual(await readLibraryFolder(folder), {});
    for (const [path, item] of Object.entries(both)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), JSON.stringify(item));
    }
    const items = await readLibraryFolder(folder);
    assert.deepEqual(Object.keys(items), ['materials/b.json', 'contact-materials/b.json']);
    await assert.rejects(readLibraryFolder(join(folder, 'nowhere')), { code: 'ENOENT' });

    const scene = join(folder, 'scene.json');
    writeFileSync(
      scene,
      '{ "format": "cairn-scene", "version": 1, "materials": [{ "name": "a", "library": "birch" }] }',
    );
    assert.match(run('list', 'materials', '--library', folder).stdout, /^birch .*density 620/m);
    assert.equal(run('run', scene, '--steps', '1', '--library', folder).status, 0);
    assert.equal(run('check', scene, '--library', folder).status, 0);
    const without = run('run', scene, '--steps', '1');
    assert.equal(without.status, 2);
    assert.match(without.stderr, /"birch"/);

    writeFileSync(join(folder, 'materials/c.json'), '{ "name": "c", "density": 0 }');
    const bad = run('run', scene, '--library', folder);
    assert.equal(bad.status, 2);
    assert.match(bad.stderr, /materials\/c\.json\/density: density is 0 kg\/m³/);
    assert.equal(run('run', scene, '--library', join(folder, 'nowhere')).status, 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
