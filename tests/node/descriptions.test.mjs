// Types of constraints and shapes are described once (constraint_types.h, shape_types.h): every place has
// every type, and takes the same of it.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeConstraints } from '../../bindings/describe_constraints.mjs';
import { describeShapes } from '../../bindings/describe_shapes.mjs';
import { parseConstants, parseList } from '../../bindings/parse_lists.mjs';
import { enums } from '../../web/generated/api.js';
import {
  constraintKeys,
  constraintTypes,
  secondaryKeys,
  shapeProperties,
} from '../../web/generated/descriptions.js';
import { getCairn, refuses, root } from './helpers.mjs';

const constraints = describeConstraints(root);
const shapes = describeShapes(root);

/** What loading a scene with this section says. */
function reasonOf(cairn, section) {
  try {
    cairn.loadScene({ format: 'cairn-scene', version: 1, ...section }).dispose();
  } catch (error) {
    return error.reason;
  }
  return '';
}

/** Which keys an object of a scene may have: those that are not called unknown. */
function keysOf(cairn, keys, makeSection) {
  return keys.filter((key) => !/ is no key of /.test(reasonOf(cairn, makeSection(key))));
}

test('a list of a header is read with what stands in it', () => {
  const text = [
    'enum {',
    '    cn_a = 1 << 0, // first',
    '    cn_b = 1 << 3,',
    '    cn_both = cn_a | cn_b,',
    '};',
    '#define CN_LIST(X, N) \\',
    '    X(one, cn_a | cn_b, "a, (b)", "") \\',
    '    N(two, f(1, 2), "c" \\',
    '      " d \\"e\\"")',
    '',
    '#define CN_OTHER(X) X(three)',
  ].join('\n');
  assert.deepEqual(parseList(text, 'CN_LIST'), [
    ['one', 'cn_a | cn_b', 'a, (b)', ''],
    ['two', 'f(1, 2)', 'c d "e"'],
  ]);
  assert.deepEqual(parseList(text, 'CN_OTHER'), [['three']]);
  assert.deepEqual(
    [...parseConstants(text)],
    [
      ['cn_a', 1],
      ['cn_b', 8],
      ['cn_both', 9],
    ],
  );
  assert.throws(() => parseList(text, 'CN_NONE'), /CN_NONE is not found/);
});

test('every type of constraint is in the enum, in JavaScript and in the docs', () => {
  const words = constraints.types.map(({ word }) => word);
  assert.ok(words.length >= 13);
  assert.deepEqual(enums.cnConstraintType, words);
  assert.deepEqual(Object.keys(constraintTypes), words);
  const docs = readFileSync(join(root, 'docs/constraints.md'), 'utf8');
  for (const word of words) assert.match(docs, new RegExp(`^\\| \`${word}\` \\|`, 'm'));
  for (const { key } of constraints.parameters.filter(({ need }) => need !== 'fileOnly'))
    assert.match(docs, new RegExp(`^\\| \`${key}\` \\|`, 'm'));
});

test('rotations that a type holds are ones that the engine has rows for', () => {
  const { constants, types } = constraints;
  const [u, v, all] = ['cn_aboutU', 'cn_aboutV', 'cn_aboutAll'].map((name) => constants.get(name));
  for (const { word, held } of types) assert.ok([0, v, u | v, all].includes(held & all), word);
});

test('the scene reader knows the keys of every type of constraint, and no others', async () => {
  const cairn = await getCairn();
  const keys = constraints.parameters.map(({ key }) => key);
  for (const { word } of constraints.types) {
    const wanted = constraints.parameters.filter(({ types }) => types.includes(word)).map(({ key }) => key);
    const found = keysOf(cairn, [...keys, 'nobodyHasThis'], (key) => ({
      constraints: [{ [key]: {}, type: word }],
    }));
    assert.deepEqual(found, wanted, word);
  }
});

test('the scene reader knows the keys of every secondary constraint, and no others', async () => {
  const cairn = await getCairn();
  const bodies = [{ name: 'a', mass: 1, inertia: [1, 1, 1] }];
  const all = [...new Set(Object.values(secondaryKeys).flat()), 'nobodyHasThis'];
  for (const { key: secondary, parameters } of constraints.secondaries) {
    const owner = constraints.types.find(
      ({ word, coordinates }) =>
        constraints.parameters.find(({ key }) => key === secondary)?.types.includes(word) &&
        coordinates.length !== (secondary === 'screw' ? 1 : 2),
    );
    const found = keysOf(cairn, all, (key) => ({
      bodies,
      constraints: [
        {
          type: owner.word,
          bodies: ['a', null],
          ...(owner.isLine && { anchors: [] }),
          [secondary]: { [key]: {} },
        },
      ],
    }));
    assert.deepEqual(
      found.sort(),
      parameters.map(({ key }) => key).sort(),
      `${secondary} of a ${owner.word}`,
    );
    assert.deepEqual(
      secondaryKeys[secondary],
      parameters.map(({ key }) => key),
    );
  }
});

test('JavaScript takes of every type of constraint what the list says, and needs what it says', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const keys = constraints.parameters.map(({ key }) => key);
  for (const { word } of constraints.types) {
    const wanted = constraints.parameters.filter(
      ({ types, need }) => types.includes(word) && need !== 'fileOnly',
    );
    assert.deepEqual(
      [...constraintKeys, ...constraintTypes[word].takes].sort(),
      wanted.map(({ key }) => key).sort(),
    );
    const { needs } = constraintTypes[word];
    assert.deepEqual(
      ['type', ...needs].sort(),
      wanted
        .filter(({ need }) => need === 'needed')
        .map(({ key }) => key)
        .sort(),
    );
    refuses(() => world.createConstraint({ type: word }), {
      code: 'WRONG_TYPE',
      argument: `options.${needs[0]}`,
      reason: /needs it/,
    });
    // names are JavaScript's
    for (const key of keys.filter((name) => name !== 'name' && !wanted.some((item) => item.key === name))) {
      refuses(() => world.createConstraint({ type: word, [key]: 1 }), {
        code: 'UNKNOWN_NAME',
        argument: `options.${key}`,
      });
    }
  }
  world.dispose();
});

test('no source asks which type a constraint is: what differs is said by its description', () => {
  const names = constraints.types.map(({ word }) => `${word[0].toUpperCase()}${word.slice(1)}`);
  const pattern = new RegExp(`(?:[=!]=\\s*|case )cn_constraint(?:${names.join('|')})\\b`);
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(c|h|inl)$/.test(name),
  );
  assert.ok(files.length > 200);
  const wrong = files.filter((name) => pattern.test(readFileSync(join(root, 'src', name), 'utf8')));
  assert.deepEqual(wrong, []);
});

test('every shape is in the enum, in JavaScript and in the docs', () => {
  const words = shapes.map(({ word }) => word);
  assert.ok(words.length >= 12);
  assert.deepEqual(enums.cnShapeType, ['noShape', ...words]);
  assert.deepEqual(Object.keys(shapeProperties), words);
  for (const file of ['docs/javascript.md', 'docs/scene-format.md']) {
    const docs = readFileSync(join(root, file), 'utf8');
    for (const word of words) assert.match(docs, new RegExp(`^\\| \`${word}\` \\|`, 'm'), file);
  }
});

test('the scene reader knows the keys of every shape, and no others', async () => {
  const cairn = await getCairn();
  const inFiles = (/** @type {typeof shapes[number]} */ { parameters }) =>
    parameters.filter(({ where }) => where !== 'script').map(({ key }) => key);
  const all = [...new Set(shapes.flatMap(inFiles)), 'nobodyHasThis'];
  assert.deepEqual(
    cairn.list('shapes'),
    shapes.map((shape) => ({ name: shape.word, keys: inFiles(shape) })),
  );
  for (const shape of shapes) {
    const found = keysOf(cairn, all, (key) => ({
      geometries: [{ shape: { type: shape.word, [key]: true } }],
    }));
    assert.deepEqual(found.sort(), inFiles(shape).sort(), shape.word);
  }
});
