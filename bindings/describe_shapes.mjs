// The description of shapes (src/include/cairn/shape_types.h) as JavaScript, types and tables of docs.

import { parseList, readHeader } from './parse_lists.mjs';

/**
 * @typedef {object} Parameter
 * @property {string} key
 * @property {'everywhere' | 'file' | 'script'} where
 * @property {'needed' | 'optional'} need
 * @property {string} kind
 * @property {string} unit
 * @property {string} fallback
 * @property {string} text
 *
 * @typedef {object} ShapeModel
 * @property {string} word
 * @property {string} forms names of bits
 * @property {string} text
 * @property {Parameter[]} parameters
 */

/** @param {string} root @returns {ShapeModel[]} */
export function describeShapes(root) {
  const text = readHeader(root, 'shape_types');
  const parameters = parseList(text, 'CN_SHAPE_PARAMETERS');
  const types = parseList(text, 'CN_SHAPE_TYPES');
  for (const [owner, key] of parameters) {
    if (!types.some(([, word]) => word === owner)) throw new Error(`${owner}.${key}: ${owner} is no shape`);
  }
  return types.map(([, word, forms, meaning]) => ({
    word,
    forms,
    text: meaning,
    parameters: parameters
      .filter(([owner]) => owner === word)
      .map(([, key, where, need, kind, unit, fallback, note]) => ({
        key,
        where: /** @type {Parameter['where']} */ (where),
        need: /** @type {Parameter['need']} */ (need),
        kind,
        unit,
        fallback,
        text: note,
      })),
  }));
}

/** @param {ShapeModel} shape @param {'file' | 'script'} place */
const takenIn = ({ parameters }, place) =>
  parameters.filter(({ where }) => where === 'everywhere' || where === place);

/** @type {Record<string, string>} JavaScript types of the kinds of values */
const typesOfKinds = {
  positive: 'number',
  notNegative: 'number',
  number: 'number',
  vector: 'VectorLike',
  positiveVector: 'VectorLike',
  direction: 'VectorLike',
  pair: 'NumbersLike',
  numbers: 'NumbersLike',
  points: "import('../core/checks.js').PointsLike",
  triangles: "import('../core/checks.js').TriplesLike",
  winding: "import('./types.js').Winding",
  flag: 'boolean',
};

/** @param {Parameter} parameter */
function noteOf({ kind, unit, fallback, text }) {
  const bound = { positive: '> 0', notNegative: '>= 0', positiveVector: 'each > 0' }[kind] ?? '';
  const facts = [unit, bound].filter(Boolean).join(', ');
  return [facts, text, fallback && `default ${fallback}`].filter(Boolean).join('; ');
}

/** @param {ShapeModel[]} shapes */
export function emitShapes(shapes) {
  const out = ['/**', ' * What shapes are made from.', ' *'];
  for (const shape of shapes) {
    const name = `${shape.word[0].toUpperCase()}${shape.word.slice(1)}Description`;
    out.push(` * @typedef {object} ${name}${shape.text ? ` ${shape.text}` : ''}`);
    out.push(` * @property {'${shape.word}'} type`);
    for (const parameter of takenIn(shape, 'script')) {
      const type = typesOfKinds[parameter.kind];
      if (!type)
        throw new Error(`${shape.word}.${parameter.key}: no type for values of kind ${parameter.kind}`);
      const label = parameter.need === 'needed' ? parameter.key : `[${parameter.key}]`;
      out.push(` * @property {${type}} ${label} ${noteOf(parameter)}`.trimEnd());
    }
    out.push(' *');
  }
  const names = shapes.map(({ word }) => `${word[0].toUpperCase()}${word.slice(1)}Description`);
  out.push(` * @typedef {${names.join('\n *   | ')}} ShapeDescription`, ' */', '');
  out.push(
    '/**',
    ' * What each type of shape takes; those in the first list must be there.',
    " * @type {Record<import('./types.js').ShapeType, { needed: string[], optional: string[],",
    ' *   isRevolved: boolean, isDrawn: boolean }>}',
    ' */',
    'export const shapeProperties = {',
    ...shapes.map((shape) => {
      const keys = (/** @type {string} */ need) =>
        takenIn(shape, 'script')
          .filter((item) => item.need === need)
          .map(({ key }) => key);
      const isRevolved = shape.forms.includes('cn_formRevolved');
      const isDrawn = !shape.forms.includes('cn_formLine');
      const properties = { needed: keys('needed'), optional: keys('optional'), isRevolved, isDrawn };
      return `  ${shape.word}: ${JSON.stringify(properties)},`;
    }),
    '};',
    '',
  );
  return out.join('\n');
}

/**
 * Shapes and their keys, for docs/javascript.md and docs/scene-format.md.
 * @param {ShapeModel[]} shapes @param {'file' | 'script'} place
 */
export function tableOfShapes(shapes, place) {
  return [
    '| type | takes | |',
    '| --- | --- | --- |',
    ...shapes.map((shape) => {
      const taken = takenIn(shape, place);
      const keys = taken.map(({ key, need }) => `\`${key}\`${need === 'optional' ? '?' : ''}`);
      const notes = taken
        .filter(({ text, fallback }) => text || fallback)
        .map((parameter) => `\`${parameter.key}\`: ${noteOf(parameter)}`);
      const text = [shape.text, ...notes].filter(Boolean).join('. ');
      return `| \`${shape.word}\` | ${keys.join(', ')} | ${text} |`.replaceAll('  |', ' |');
    }),
  ].join('\n');
}
