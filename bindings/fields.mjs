// Turns the fields of a C struct into the properties that JavaScript sees.
//
// JavaScript states things positively and has no flags for "this field counts": `disabled` is `enabled`,
// `disableWarmStart` is `warmStart`, `collisionsOff` is `collisions`, `unmergeable` is `mergeable`;
// `centreOfMassGiven` and the bits of `given` follow from which properties are there; a pointer with its
// count is one list.

import { kindOfValue, lowerFirst } from './kinds.mjs';

/** @typedef {import('./parse_headers.mjs').ApiModel} ApiModel */
/** @typedef {import('./parse_headers.mjs').StructModel} StructModel */
/** @typedef {import('./parse_headers.mjs').FieldModel} FieldModel */

/**
 * @typedef {object} Property
 * @property {string} name in JavaScript
 * @property {string} field in C
 * @property {string} kind 'number', 'integer', 'unsigned', 'flag', 'inverseFlag', 'enum', 'id', 'lanes',
 *   'struct', 'text', 'numbers' (an array of doubles), 'interval' (two doubles, infinite where nothing
 *   bounds), 'points', 'unsigneds', 'triples' (three int32 each), 'doubles' and 'list' (a pointer with a
 *   count), 'structs' (an array of `lanes`), 'references' (`lanes` pointers to a struct each, null for none)
 * @property {string} [of]
 * @property {number} [lanes]
 * @property {string} [companion] field of the count, of the "given" flag
 * @property {number} [bit] of the field `given`
 * @property {string} comment
 */

/** @param {FieldModel} field */
function positiveName({ name, type }) {
  if (type !== 'bool') return name;
  if (name === 'disabled') return 'enabled';
  if (/^disable[A-Z]/.test(name)) return lowerFirst(name.slice('disable'.length));
  if (/Off$/.test(name)) return name.slice(0, -3);
  if (/^un[a-z]+able$/.test(name)) return name.slice(2);
  return name;
}

/**
 * The bit of `given` that stands for a field: the enum value of that name, else the one whose name
 * the field contains.
 * @param {ApiModel} api @param {StructModel} struct @param {string} field
 */
function givenBit(api, struct, field) {
  const given = struct.fields.find(({ name }) => name === 'given');
  if (!given) return undefined;
  const enumName = /^(cn\w+Field) bits/.exec(given.comment)?.[1];
  const values = api.enums.find(({ name }) => name === enumName)?.values;
  if (!values) throw new Error(`${struct.name}: the comment of "given" names no enum`);
  const wanted = field.toLowerCase();
  const words = values.map(({ name, value }) => ({
    word: name.replace(/^cn_(material|contact|constraint|secondary|dof)/, '').toLowerCase(),
    value,
  }));
  const exact = words.find(({ word }) => word === wanted);
  // a second one of its kind (anchor2) counts by itself
  if (!exact && /\d$/.test(field)) return undefined;
  return (exact ?? words.find(({ word }) => wanted.includes(word)))?.value;
}

/**
 * @param {ApiModel} api @param {StructModel} struct
 * @returns {Property[]}
 */
export function propertiesOf(api, struct) {
  /** @type {Property[]} */
  const properties = [];
  const names = new Set(struct.fields.map(({ name }) => name));
  for (const field of struct.fields) {
    const { name, type, count, comment } = field;
    if (name === 'given') continue;
    if (name.endsWith('Given') && names.has(name.slice(0, -5))) continue;
    if (name.endsWith('Count') && names.has(`${name.slice(0, -5)}s`)) continue;
    const base = { name: positiveName(field), field: name, comment };
    const bit = givenBit(api, struct, name);
    const extra = bit === undefined ? {} : { bit };

    const list = /^const (\w+)\*$/.exec(type);
    if (list && list[1] !== 'char') {
      const companion = `${name.slice(0, -1)}Count`;
      if (!names.has(companion)) {
        if (kindOfValue(api, list[1])?.kind !== 'struct')
          throw new Error(`${struct.name}: no count for ${name}`);
        properties.push({ ...base, kind: 'references', of: list[1], lanes: count });
        continue;
      }
      properties.push(
        list[1] === 'cnVec3'
          ? { ...base, kind: 'points', companion }
          : list[1] === 'uint32_t'
            ? { ...base, kind: 'unsigneds', companion }
            : list[1] === 'int32_t'
              ? { ...base, kind: 'triples', companion }
              : list[1] === 'double'
                ? { ...base, kind: 'doubles', companion }
                : { ...base, kind: 'list', of: list[1], companion },
      );
      continue;
    }
    if (count > 1 && kindOfValue(api, type)?.kind === 'struct') {
      properties.push({ ...base, kind: 'structs', of: type, lanes: count });
      continue;
    }
    if (count > 1) {
      if (type !== 'double') throw new Error(`${struct.name}: no way to pass ${type} ${name}[${count}]`);
      const isInterval = count === 2 && comment.endsWith('unlimited');
      const companion = names.has(`${name}Given`) ? { companion: `${name}Given` } : {};
      const kind = isInterval ? 'interval' : 'numbers';
      properties.push({ ...base, kind, lanes: count, ...companion, ...extra });
      continue;
    }
    const kind = kindOfValue(api, type);
    if (!kind) throw new Error(`${struct.name}: no way to pass ${type} ${name}`);
    const isInverse = kind.kind === 'flag' && base.name !== name;
    const companion = names.has(`${name}Given`) ? { companion: `${name}Given` } : {};
    // a material's pair stays what it is: no bit stands for it
    properties.push({
      ...base,
      ...kind,
      kind: isInverse ? 'inverseFlag' : kind.kind,
      ...companion,
      ...extra,
    });
  }
  return properties;
}
