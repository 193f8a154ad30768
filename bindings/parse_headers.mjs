// Reads the public C headers into a plain model: enums, structs, functions and their comments.
//
// The headers are regular by house style: one declaration a line or a block that ends in `};` or `} name;`,
// `//` comments above what they describe and behind fields. This reader relies on that and refuses what it
// does not understand, so that nothing of the API gets lost in silence.

import { readFileSync } from 'node:fs';

/**
 * @typedef {object} EnumModel
 * @property {string} name
 * @property {string} comment
 * @property {{ name: string, value: number, comment: string }[]} values
 * @property {{ name: string, value: number, comment: string }[]} [aliases] other names of values
 *
 * @typedef {object} FieldModel
 * @property {string} name
 * @property {string} type of the element, "cnVec3", "double", "const cnVec3*"
 * @property {number} count of an array field, else 1
 * @property {string} comment
 *
 * @typedef {object} StructModel
 * @property {string} name
 * @property {string} comment
 * @property {FieldModel[]} fields
 *
 * @typedef {object} FunctionModel
 * @property {string} name
 * @property {string} result
 * @property {{ name: string, type: string }[]} parameters
 * @property {string} comment
 *
 * @typedef {object} ApiModel
 * @property {EnumModel[]} enums
 * @property {StructModel[]} structs
 * @property {string[]} ids names of handle types, "cnBodyId"
 * @property {FunctionModel[]} functions
 * @property {{ name: string, text: string }[]} errors
 * @property {string} version
 */

/**
 * @param {string[]} files paths of headers, in the order of their includes
 * @returns {ApiModel}
 */
export function parseHeaders(files) {
  /** @type {ApiModel} */
  const model = { enums: [], structs: [], ids: [], functions: [], errors: [], version: '' };
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const all = texts.join('\n');
  model.errors = parseErrors(all);
  model.version = ['MAJOR', 'MINOR', 'PATCH'].map((part) => parseNumber(all, `CN_VERSION_${part}`)).join('.');
  for (const text of texts) parseDeclarations(text, model);
  return model;
}

/** @param {string} text @param {string} macro */
function parseNumber(text, macro) {
  const match = new RegExp(`#define ${macro} (\\d+)`).exec(text);
  if (!match) throw new Error(`${macro} is not defined as a number`);
  return match[1];
}

/** @param {string} text */
function parseErrors(text) {
  const start = text.indexOf('#define CN_ERROR_CODES(X)');
  const end = text.indexOf('\n\n', start);
  if (start < 0 || end < 0) throw new Error('CN_ERROR_CODES is not found');
  return [...text.slice(start, end).matchAll(/X\((\w+), "([^"]*)"\)/g)].map(([, name, sentence]) => ({
    name,
    text: sentence,
  }));
}

/** @param {string} text @param {ApiModel} model */
function parseDeclarations(text, model) {
  const lines = text.split('\n');
  /** @type {string[]} */
  let comment = [];
  let inherited = '';
  for (let i = 0; i < lines.length; ++i) {
    const line = lines[i];
    const takeComment = () => {
      const taken = comment.join(' ');
      comment = [];
      return taken;
    };
    if (line.startsWith('//')) {
      comment.push(line.replace(/^\/\/ ?/, ''));
    } else if (line.startsWith('typedef enum ')) {
      const block = takeBlock(lines, i);
      i = block.end;
      if (!block.body.some((row) => row.startsWith('#')))
        model.enums.push(parseEnum(line, block.body, takeComment()));
      comment = [];
    } else if (/^typedef struct (\w+) \1;/.test(line)) {
      comment = []; // of what callers know by its address alone
    } else if (line.startsWith('typedef struct ')) {
      const block = takeBlock(lines, i);
      i = block.end;
      const name = /typedef struct (\w+)/.exec(line)?.[1] ?? '';
      if (name.endsWith('Id')) model.ids.push(name);
      else model.structs.push({ name, comment: takeComment(), fields: parseFields(name, block.body) });
      comment = [];
    } else if (line.startsWith('CN_API ')) {
      // functions that follow each other without a blank line share the comment of the first
      let declaration = line;
      while (!declaration.includes(';')) declaration += ` ${lines[++i].trim()}`;
      inherited = takeComment() || inherited;
      model.functions.push(parseFunction(declaration, inherited));
    } else {
      comment = [];
      if (line.trim() === '') inherited = '';
    }
  }
}

/**
 * Lines between the braces of a declaration.
 * @param {string[]} lines @param {number} start
 */
function takeBlock(lines, start) {
  let end = start;
  while (!lines[end].startsWith('}')) {
    end += 1;
    if (end >= lines.length) throw new Error(`no end of: ${lines[start]}`);
  }
  return { body: lines.slice(start + 1, end).map((row) => row.trim()), end };
}

/** @param {string} row */
function splitComment(row) {
  const at = row.indexOf('//');
  return at < 0
    ? { code: row.trim(), comment: '' }
    : { code: row.slice(0, at).trim(), comment: row.slice(at + 2).trim() };
}

/** @param {string} head @param {string[]} body @param {string} comment @returns {EnumModel} */
function parseEnum(head, body, comment) {
  const name = /typedef enum (\w+)/.exec(head)?.[1] ?? '';
  /** @type {EnumModel['values']} */
  const values = [];
  /** @type {EnumModel['values']} */
  const aliases = [];
  let next = 0;
  for (const row of body) {
    const { code, comment: note } = splitComment(row);
    if (code === '') continue;
    for (const item of code
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)) {
      const [, alias, original] = /^(\w+) = (cn_\w+)$/.exec(item) ?? [];
      const known = values.find((value) => value.name === original);
      if (known) {
        aliases.push({ name: alias, value: known.value, comment: note });
        continue;
      }
      const match = /^(\w+)(?: = (\d+)(?: << (\d+))?)?$/.exec(item);
      if (!match) throw new Error(`${name}: cannot read the value "${item}"`);
      if (match[2] !== undefined) next = Number(match[2]) << Number(match[3] ?? 0);
      values.push({ name: match[1], value: next, comment: note });
      next += 1;
    }
  }
  const named = values.filter((value) => !value.name.endsWith('Count'));
  return { name, comment, values: named, ...(aliases.length > 0 ? { aliases } : {}) };
}

/** @param {string} name @param {string[]} body @returns {FieldModel[]} */
function parseFields(name, body) {
  /** @type {FieldModel[]} */
  const fields = [];
  for (const row of body) {
    const { code, comment } = splitComment(row);
    if (code === '') {
      // a comment that goes on below its field
      if (comment !== '' && fields.length > 0) fields[fields.length - 1].comment += ` ${comment}`;
      continue;
    }
    if (code.includes('(*')) {
      fields.push({ name: code, type: 'function', count: 1, comment });
      continue;
    }
    const match = /^((?:const )?\w+\*?) ([\w, [\]]+);$/.exec(code);
    if (!match) throw new Error(`${name}: cannot read the field "${code}"`);
    for (const item of match[2].split(', ')) {
      const array = /^(\w+)\[(\d+)\]$/.exec(item);
      fields.push({
        name: array ? array[1] : item,
        type: match[1],
        count: array ? Number(array[2]) : 1,
        comment,
      });
    }
  }
  return fields;
}

/** @param {string} declaration @param {string} comment @returns {FunctionModel} */
function parseFunction(declaration, comment) {
  const match = /^CN_API ((?:const )?\w+\*?) (\w+)\(([^)]*)\);/.exec(declaration);
  if (!match) throw new Error(`cannot read the function: ${declaration}`);
  const [, result, name, list] = match;
  const parameters =
    list === 'void'
      ? []
      : list.split(', ').map((item) => {
          const parts = /^((?:const )?\w+\*{0,2}) (\*?)(\w+)$/.exec(item);
          if (!parts) throw new Error(`${name}: cannot read the parameter "${item}"`);
          return { type: parts[1] + parts[2], name: parts[3] };
        });
  return { name, result, parameters, comment };
}
