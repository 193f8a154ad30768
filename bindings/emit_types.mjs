// Writes the JSDoc types of enums, definitions, results, raw exports and columns.

import { propertiesOf } from './fields.mjs';
import { aliasesOfEnum, wordsOfEnum } from './kinds.mjs';
import { header, wrapComment } from './emit_js.mjs';

/** @typedef {import('./kinds.mjs').Kind} Kind */
/** @typedef {import('./parse_headers.mjs').ApiModel} ApiModel */
/** @typedef {import('./fields.mjs').Property} Property */

/** @type {Record<string, string>} file of the class of each kind of handle */
const classFiles = {
  world: 'world',
  body: 'body',
  geometry: 'geometry',
  shape: 'shape',
  material: 'material',
  contactMaterial: 'contact_material',
  constraint: 'constraint',
  mergedBody: 'merged_body',
  mergeEdge: 'merged_body',
  scene: 'scene',
};

/** @param {string} kind */
export function typeOfHandle(kind) {
  return `import('../objects/${classFiles[kind]}.js').${kind[0].toUpperCase()}${kind.slice(1)}`;
}

/** Enums that tell the kind of what a struct or a class of the same name describes. */
const typesOfKinds = new Set([
  'cnShapeType',
  'cnSolverType',
  'cnGravityType',
  'cnConstraintType',
  'cnFrictionModelType',
]);

/** "cnFrictionModelType" → "FrictionModelType", "cnContactState" → "ContactState" @param {string} name */
export function enumTypeName(name) {
  return name.slice(2).replace(/Type$/, '') + (typesOfKinds.has(name) ? 'Type' : '');
}

/** "cnBodyDef" → "BodyDef" @param {string} name */
export function structTypeName(name) {
  return name.slice(2);
}

/** Type of what a caller passes. @param {Kind} kind @returns {string} */
export function typeOfValue(kind) {
  switch (kind.kind) {
    case 'number':
    case 'integer':
    case 'unsigned':
      return 'number';
    case 'flag':
      return 'boolean';
    case 'enum':
      return `import('./types.js').${enumTypeName(kind.of ?? '')}`;
    case 'id':
      return `${typeOfHandle(kind.of ?? '')} | null`;
    case 'lanes':
      if (kind.lanes === 9) return "import('../core/checks.js').InertiaLike";
      return kind.lanes === 4 ? 'QuaternionLike' : 'VectorLike';
    case 'struct':
      return `import('./types.js').${structTypeName(kind.of ?? '')}`;
    case 'text':
      return 'string';
    case 'bytes':
      return 'Uint8Array';
    default:
      return 'void';
  }
}

/** Type of what a call gives back. @param {Kind} kind @returns {string} */
export function typeOfResult(kind) {
  switch (kind.kind) {
    case 'id':
      return 'number';
    case 'struct':
      return `import('./types.js').${structTypeName(kind.of ?? '')}`;
    default:
      return typeOfValue(kind);
  }
}

/** @param {Property} property @param {boolean} isResult */
function typeOfProperty({ kind, of, lanes }, isResult) {
  const here = (/** @type {string} */ text) => text.replaceAll("import('./types.js').", '');
  switch (kind) {
    case 'inverseFlag':
      return 'boolean';
    case 'numbers':
      return isResult ? 'number[]' : 'number | NumbersLike';
    case 'interval':
      return isResult ? 'number[]' : "import('../core/checks.js').IntervalLike";
    case 'points':
      return "import('../core/checks.js').PointsLike";
    case 'unsigneds':
      return 'readonly number[] | Uint32Array';
    case 'doubles':
      return 'NumbersLike';
    case 'triples':
      return "import('../core/checks.js').TriplesLike";
    case 'structs':
      return `readonly ${structTypeName(of ?? '')}[]`;
    case 'references': {
      const one = structTypeName(of ?? '');
      return lanes === 1 ? `${one} | null` : `${one} | readonly (${one} | null)[] | null`;
    }
    case 'list':
      return `${structTypeName(of ?? '')}[]`;
    case 'lanes':
      return isResult ? 'OutputArray' : here(typeOfValue({ kind, of, lanes }));
    default:
      return here(typeOfValue({ kind: /** @type {Kind['kind']} */ (kind), of, lanes }));
  }
}

/** Comment text for one property, without line breaks. @param {string} comment */
const note = (comment) => (comment ? ` ${comment.replaceAll('*/', '* /')}` : '');

/**
 * @param {ApiModel} api
 * @param {string[]} structs
 * @param {Set<string>} results names of the structs that are read rather than written
 * @param {{ table: string, type: string, columns: { name: string, array: string, comment:
 *   string }[] }[]} tables
 * @param {{ symbol: string, parameters: string[], result: string }[]} raw
 * @param {{ symbol: string, parameters: string[], result: string }[]} rawReaders
 */
export function emitTypes(api, structs, results, tables, raw, rawReaders) {
  const out = [
    header,
    '// Types of enums, definitions, results, columns and raw exports, with the comments of the C headers.',
    '',
    "/** @typedef {import('../core/vectors.js').NumbersLike} NumbersLike */",
    "/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */",
    "/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */",
    "/** @typedef {import('../core/checks.js').OutputArray} OutputArray */",
    '',
    `/** @typedef {${api.errors
      .slice(1)
      .map(({ name }) => `'${name}'`)
      .join(' | ')}} EngineErrorCode */`,
    '',
  ];
  for (const model of api.enums) {
    if (model.name.endsWith('Field')) continue;
    const words = [...wordsOfEnum(model), ...aliasesOfEnum(model)].filter(({ word }) => word !== 'noShape');
    out.push(
      `/** @typedef {${words.map(({ word }) => `'${word}'`).join(' | ')}} ${enumTypeName(model.name)} */`,
    );
  }
  out.push('');
  for (const name of structs) {
    const model = api.structs.find((struct) => struct.name === name);
    if (!model) continue;
    const isResult = results.has(name);
    out.push('/**');
    if (model.comment) out.push(wrapComment(model.comment).trimEnd());
    out.push(` * @typedef {object} ${structTypeName(name)}`);
    for (const property of propertiesOf(api, model)) {
      const label = isResult ? property.name : `[${property.name}]`;
      const inverse =
        property.kind === 'inverseFlag'
          ? ` true unless said otherwise${property.comment ? '; false:' : ''}`
          : '';
      out.push(
        ` * @property {${typeOfProperty(property, isResult)}} ${label}${inverse}${note(property.comment)}`,
      );
    }
    out.push(' */', '');
  }
  for (const { table, type, columns } of tables) {
    out.push('/**', ` * Columns of the table "${table}".`, ` * @typedef {object} ${type}`);
    for (const { name, array, comment } of columns)
      out.push(` * @property {${array}} ${name}${note(comment)}`);
    out.push(' */', '');
  }
  for (const [comment, name, list] of [
    ["The module's flat functions.", 'RawExports', raw],
    ['Those of the module that reads files.', 'ReaderExports', rawReaders],
  ]) {
    out.push('/**', ` * ${comment}`, ` * @typedef {object} ${name}`);
    for (const { symbol, parameters, result } of list) {
      out.push(
        ` * @property {(${parameters.map((item) => `${item}: number`).join(', ')}) => ${result}} _${symbol}`,
      );
    }
    out.push(' */', '');
  }
  out.push('export {};', '');
  return out.join('\n');
}
