// The description of constraints (src/include/cairn/constraint_types.h) as JavaScript, types and tables of
// docs.

import { evaluate, parseConstants, parseList, readHeader } from './parse_lists.mjs';

/**
 * @typedef {object} Parameter
 * @property {string} key
 * @property {string[]} types that take it
 * @property {boolean} isCommon all types take it
 * @property {string} part that brings it, "0" for none
 * @property {'needed' | 'optional' | 'fileOnly'} need
 * @property {string} kind
 * @property {string} unit
 * @property {string} fallback
 * @property {string} text
 *
 * @typedef {object} ConstraintModel
 * @property {string} word
 * @property {number} parts
 * @property {number} held
 * @property {string[]} coordinates 'position' or 'angle'
 * @property {boolean} isLine joins points
 * @property {string} holds
 *
 * @typedef {object} Description
 * @property {ConstraintModel[]} types
 * @property {Parameter[]} parameters
 * @property {{ key: string, struct: string, parameters: { key: string, kind: string, unit: string, fallback:
 *   string, text: string }[] }[]} secondaries
 * @property {Map<string, number>} constants
 */

/** @type {Record<string, string[]>} */
const wordsOfCoordinates = {
  cn_noCoordinate: [],
  cn_coordinateAlong: ['position'],
  cn_coordinateAbout: ['angle'],
  cn_coordinateLength: ['position'],
  cn_coordinateArm1: ['angle'],
  cn_coordinateArm2: ['angle'],
};

/** @param {string} root @returns {Description} */
export function describeConstraints(root) {
  const text = readHeader(root, 'constraint_types');
  const constants = parseConstants(text);
  const bit = (/** @type {string} */ name) => evaluate(name, constants);
  const types = parseList(text, 'CN_CONSTRAINT_TYPES').map(([, word, parts, held, first, second, holds]) => {
    const coordinates = [first, second].flatMap((item) => wordsOfCoordinates[item]);
    return {
      word,
      parts: bit(parts) | (coordinates.length > 0 ? bit('cn_hasFree') : 0),
      held: bit(held),
      coordinates,
      isLine: (bit(parts) & bit('cn_hasAnchors')) !== 0,
      holds,
    };
  });
  const parameters = parseList(text, 'CN_CONSTRAINT_PARAMETERS').map(
    ([key, part, need, kind, unit, fallback, meaning]) => ({
      key,
      types: types.filter(({ parts }) => (parts & bit(part)) === bit(part)).map(({ word }) => word),
      isCommon: part === '0',
      part,
      need: /** @type {Parameter['need']} */ (need),
      kind,
      unit,
      fallback,
      text: meaning,
    }),
  );
  const secondaryParameters = parseList(text, 'CN_SECONDARY_PARAMETERS');
  const secondaries = parseList(text, 'CN_SECONDARIES').map(([, key, struct]) => ({
    key,
    struct,
    parameters: secondaryParameters
      .filter(([owner]) => owner === key)
      .map(([, name, kind, unit, fallback, meaning]) => ({ key: name, kind, unit, fallback, text: meaning })),
  }));
  return { types, parameters, secondaries, constants };
}

/**
 * Whether n, the axis, differs from u and v in what a type holds.
 * @param {Description} description @param {ConstraintModel} type
 */
function isAxial({ constants }, { held, isLine, parts }) {
  const [along, about, frames] = ['cn_alongAll', 'cn_aboutAll', 'cn_hasFrames'].map(
    (name) => constants.get(name) ?? 0,
  );
  const isPartOf = (/** @type {number} */ all) => (held & all) !== 0 && (held & all) !== all;
  return !isLine && (parts & frames) !== 0 && (isPartOf(along) || isPartOf(about));
}

/** @param {unknown} value */
const json = (value) => JSON.stringify(value);

/** @param {Description} description */
export function emitConstraints(description) {
  const { types, parameters, secondaries } = description;
  const scripted = parameters.filter(({ need }) => need !== 'fileOnly');
  const own = scripted.filter(({ isCommon }) => !isCommon);
  const keysOf = (/** @type {{ key: string }[]} */ list) => list.map(({ key }) => key);
  const keysOfSecondaries = secondaries.map(({ key, parameters: list }) => [key, keysOf(list)]);
  const ofFree = parameters.filter(({ part }) => part === 'cn_hasFree');
  return [
    '/**',
    ' * What each type of constraint takes beside what all take, what of that must be there, which',
    ' * coordinates it has, and how it is drawn.',
    " * @type {Record<import('./types.js').ConstraintType, { takes: string[], needs: string[],",
    " *   free: ('angle' | 'position')[], isAxial: boolean, isLine: boolean }>}",
    ' */',
    'export const constraintTypes = {',
    ...types.map((type) => {
      const taken = own.filter((item) => item.types.includes(type.word));
      return `  ${type.word}: ${json({
        takes: taken.map(({ key }) => key),
        needs: taken.filter(({ need }) => need === 'needed').map(({ key }) => key),
        free: type.coordinates,
        isAxial: isAxial(description, type),
        isLine: type.isLine,
      })},`;
    }),
    '};',
    '',
    '/** What all types take. @type {string[]} */',
    `export const constraintKeys = ${json(keysOf(scripted.filter(({ isCommon }) => isCommon)))};`,
    '',
    '/** What each secondary constraint takes. @type {Record<string, string[]>} */',
    `export const secondaryKeys = ${json(Object.fromEntries(keysOfSecondaries))};`,
    '',
    '/** Of free coordinates: one for each. @type {string[]} */',
    `export const freeSecondaries = ${json(keysOf(ofFree))};`,
    '',
  ].join('\n');
}

// ---- types ----------------------------------------------------------------------------------------

/** @type {Record<string, string>} JavaScript types of the kinds of values */
const typesOfKinds = {
  perDof: 'PerDof',
  perDofInterval: 'IntervalLike | readonly (IntervalLike | null)[] | null',
  solve: "import('./types.js').ConstraintSolve",
  flag: 'boolean',
  positive: 'number',
  notNegative: 'number',
  notZero: 'number',
  bodies: '[Body, Body | null]',
  point: 'VectorLike',
  direction: 'VectorLike',
  points: '[VectorLike, VectorLike]',
  constraints: '[Constraint, Constraint]',
  motor: 'PerFree<MotorOptions>',
  lockAt: 'PerFree<LockAtOptions>',
  range: 'PerFree<RangeOptions>',
  friction: 'PerFree<FrictionOptions>',
  cone: 'ConeOptions',
  twist: 'RangeOptions',
  screw: 'ScrewOptions',
};

/** @param {Parameter} parameter */
function noteOf({ kind, unit, fallback, text }) {
  const bound = { positive: '> 0', notNegative: '>= 0', notZero: 'not 0', perDof: '>= 0' }[kind] ?? '';
  const facts = [unit, bound, text].filter(Boolean).join(', ');
  return [facts, fallback].filter(Boolean).join('; ');
}

/** @param {Parameter} parameter @param {string} type */
function property(parameter, type) {
  const name = parameter.need === 'needed' ? parameter.key : `[${parameter.key}]`;
  const note = noteOf(parameter);
  return ` * @property {${type}} ${name}${note ? ` ${note}` : ''}`;
}

/** @param {string} part "cn_hasFrames" @returns {string} "OwnFramesOptions" */
const typeOfPart = (part) =>
  part === '0' ? 'CommonOptions' : `${part.replace(/^cn_(has|joins)/, 'Own')}Options`;

/** @param {Description} description */
export function emitConstraintTypes({ types, parameters, constants }) {
  const scripted = parameters.filter(({ need, key }) => need !== 'fileOnly' && key !== 'type');
  const parts = [...new Set(scripted.map(({ part }) => part))];
  const out = [
    "/** @typedef {import('../core/checks.js').IntervalLike} IntervalLike */",
    "/** @typedef {import('../core/vectors.js').NumbersLike} NumbersLike */",
    "/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */",
    "/** @typedef {import('../objects/body.js').Body} Body */",
    "/** @typedef {import('../objects/constraint.js').Constraint} Constraint */",
    '',
    '/**',
    ' * One value for all degrees of freedom, or six: along u, v, n, then about them; null: the default.',
    ' * @typedef {number | readonly (number | null)[] | null} PerDof',
    ' */',
    '',
    '/** A size F stands for [-F, F]. @typedef {number | IntervalLike} ForceBounds */',
    '',
    '/**',
    ' * Forces are torques (N m) where the degree of freedom is an angle.',
    " * @typedef {Omit<import('./types.js').Motor, 'force'> & { force?: ForceBounds }} MotorOptions",
    " * @typedef {Omit<import('./types.js').LockAt, 'force'> & { force?: ForceBounds }} LockAtOptions",
    " * @typedef {import('./types.js').Range} RangeOptions",
    " * @typedef {import('./types.js').JointFriction} FrictionOptions",
    " * @typedef {import('./types.js').Screw} ScrewOptions",
    " * @typedef {Omit<RangeOptions, 'limits'> & { limit?: number }} ConeOptions rad, half angle of the axis",
    ' *   between the bodies',
    ' */',
    '',
    '/**',
    ' * One for a single free degree of freedom; a list of two, either of which may be null, for two.',
    ' * @template T @typedef {T | [T | null, T | null]} PerFree',
    ' */',
    '',
    '/**',
  ];
  parts.forEach((part, i) => {
    if (i > 0) out.push(' *');
    out.push(` * @typedef {object} ${typeOfPart(part)}`);
    for (const parameter of scripted.filter((item) => item.part === part)) {
      const type = typesOfKinds[parameter.kind];
      if (!type) throw new Error(`${parameter.key}: no type for values of kind ${parameter.kind}`);
      out.push(property(parameter, type));
    }
  });
  const alternatives = types.map(({ word, parts: bits }) => {
    const names = parts.filter((part) => part === '0' || (bits & (constants.get(part) ?? 0)) !== 0);
    return `{ type: '${word}' } & ${names.map(typeOfPart).join(' & ')}`;
  });
  out.push(' *', ` * @typedef {${alternatives.join('\n *   | ')}} ConstraintOptions`, ' */', '');
  return out.join('\n');
}

// ---- docs -----------------------------------------------------------------------------------------

/** @param {string[]} keys */
const code = (keys) => keys.map((key) => `\`${key}\``).join(', ');

/** "angle", "position (0), angle (1)" @param {ConstraintModel} type */
function freeOf({ coordinates, isLine }) {
  if (isLine) return 'position (the distance)';
  return coordinates.length < 2
    ? coordinates.join('')
    : coordinates.map((word, i) => `${word} (${i})`).join(', ');
}

/** Types and what they take, for docs/constraints.md. @param {Description} description */
export function tableOfConstraints({ types, parameters }) {
  const isShown = (/** @type {Parameter} */ { part }) =>
    !['0', 'cn_joinsBodies', 'cn_hasFrames', 'cn_hasFree'].includes(part);
  return [
    '| type | holds | free, with secondaries | takes besides |',
    '| --- | --- | --- | --- |',
    ...types.map((type) => {
      const own = parameters.filter((item) => isShown(item) && item.types.includes(type.word));
      const cells = [`\`${type.word}\``, type.holds, freeOf(type), code(own.map(({ key }) => key))];
      return `| ${cells.join(' | ')} |`.replaceAll('  |', ' |');
    }),
  ].join('\n');
}

/** @param {Description} description @param {Parameter} parameter */
function takersOf({ types }, { types: takers, isCommon, part }) {
  if (isCommon) return 'all';
  if (part === 'cn_hasFree') return 'those with free coordinates';
  const others = types.filter(({ word }) => !takers.includes(word));
  return others.length < 5 && takers.length > others.length
    ? `all but ${code(others.map(({ word }) => word))}`
    : code(takers);
}

/**
 * Parameters, for docs/constraints.md and (with those of files alone) docs/scene-format.md.
 * @param {Description} description @param {boolean} isFile
 */
export function tableOfParameters(description, isFile) {
  const shown = description.parameters.filter(({ need }) => isFile || need !== 'fileOnly');
  return [
    '| key | of | | default | |',
    '| --- | --- | --- | --- | --- |',
    ...shown.map((parameter) => {
      const { key, kind, need, unit, fallback, text } = parameter;
      const bound =
        { positive: '> 0', notNegative: '≥ 0', notZero: 'not 0', perDof: '≥ 0, one or six' }[kind] ?? '';
      const facts = [unit, bound].filter(Boolean).join(', ');
      const cells = [
        `\`${key}\``,
        takersOf(description, parameter),
        facts,
        need === 'needed' ? 'needed' : fallback,
        text,
      ];
      return `| ${cells.join(' | ')} |`.replaceAll('  |', ' |');
    }),
  ].join('\n');
}

/** Secondary constraints. @param {Description} description */
export function tableOfSecondaries({ secondaries }) {
  return [
    '| | key | | default | |',
    '| --- | --- | --- | --- | --- |',
    ...secondaries.flatMap(({ key, parameters }) =>
      parameters.map((item, i) => {
        const bound = { positive: '> 0', notNegative: '≥ 0' }[item.kind] ?? '';
        const facts = [item.unit, bound].filter(Boolean).join(', ');
        const cells = [i === 0 ? `\`${key}\`` : '', `\`${item.key}\``, facts, item.fallback, item.text];
        return `| ${cells.join(' | ')} |`.replaceAll('  |', ' |');
      }),
    ),
  ].join('\n');
}
