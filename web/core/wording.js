// Texts of the engine in the words of those who write JavaScript: arguments as methods have them, objects by
// their rows, nothing of C. What stands in quotation marks is the user's and stays.

import { rowOf } from './handle_rows.js';

/**
 * What definitions are called in JavaScript, where it is not `options`.
 * @type {Readonly<Record<string, string>>}
 */
const definitions = {
  cnCreateShape: 'description',
  cnComputeMassProperties: 'shape',
  cnCheckMesh: 'mesh',
  cnMergedBody_Merge: 'edge',
};

/**
 * Fields that are parts of a property in JavaScript, by the beginning of the calls that they are of.
 * @type {readonly (readonly [RegExp, Readonly<Record<string, string>>])[]}
 */
const fields = [
  [
    /^cnCreateConstraint$/,
    {
      body1: 'bodies[0]',
      body2: 'bodies[1]',
      constraint1: 'constraints[0]',
      constraint2: 'constraints[1]',
      anchor2: 'anchors[1]',
      viscosity: 'damping',
      'cone.limits': 'cone.limit',
    },
  ],
  [/^cnConstraint_SetCone$/, { 'cone.limits': 'cone.limit' }],
  [
    /^cn(CreateContactMaterial|ContactMaterial_Set)$/,
    { material1: 'materials[0]', material2: 'materials[1]' },
  ],
  [
    /^cn(Create|Compute|Cast|Find|Is|Check|World_(Cast|Test))/,
    { columnCount: 'resolution[0]', rowCount: 'resolution[1]', sizeX: 'size[0]', sizeY: 'size[1]' },
  ],
];

/** Phrases of the engine, and what they mean here. @type {readonly (readonly [RegExp, string])[]} */
const phrases = [
  [/^world 0x[0-9a-f]{8} does not exist \(any more\)/, 'world was disposed'],
  [/ 0x[0-9a-f]{8} is no [a-z ]+ of this world \(any more\)/, ' was destroyed, or belongs to another world'],
  [/ \(0x[0-9a-f]{8}\)/, ''],
  [/(?<=[ ([])-?nan(?=[,)\] ])/g, 'NaN'],
  [/(?<=[ ([]-?)inf(?=[,)\] ])/g, 'Infinity'],
  [/ is the null handle, allowed are those of objects that live/, ' is null, allowed are objects that live'],
];

/** Text outside of quotation marks. @param {string} text @param {(part: string) => string} change */
function outsideQuotes(text, change) {
  return text
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, i) => (i % 2 === 0 ? change(part) : part))
    .join('');
}

/** @param {string} text @returns {string} */
const escape = (text) => text.replaceAll('.', '\\.');

/**
 * A text or an argument of the engine, with the arguments that JavaScript has.
 * @param {string} call the C function @param {string} text
 * @returns {string}
 */
export function translate(call, text) {
  const names = fields.filter(([calls]) => calls.test(call)).flatMap(([, map]) => Object.entries(map));
  return outsideQuotes(text, (part) => {
    let said = part;
    for (const [phrase, meant] of phrases) said = said.replace(phrase, meant);
    said = said.replace(/\b0x[0-9a-f]{8}\b/g, (handle) => `#${rowOf(Number(handle))}`);
    for (const [field, name] of names)
      said = said.replace(new RegExp(`(?<![\\w/])(def\\.)?${escape(field)}(?![\\w[/])`, 'g'), `$1${name}`);
    return said.replace(/\bdef\.dofs\[(\d)\]\.(\w+)/g, 'def.$2[$1]') + angleHint(part);
  });
}

/**
 * A text or an argument with what the method calls the definition that C calls `def`.
 * @param {string} call the C function or, of this package, the method
 * @param {string} text
 * @returns {string}
 */
export function nameDefinition(call, text) {
  const definition = definitions[call] ?? 'options';
  return outsideQuotes(text, (part) => part.replace(/(?<![\w./])def(?![\w/])/g, definition));
}

/** Angles beyond a turn are likely in degrees. @param {string} text */
function angleHint(text) {
  const [, size] = /is (-?\d[\d.e+]*) rad, allowed/.exec(text) ?? [];
  return size !== undefined && Math.abs(Number(size)) > 2 * Math.PI
    ? ': angles are in radians, degrees times Math.PI / 180'
    : '';
}
