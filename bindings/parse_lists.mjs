// Reads the lists (`#define CN_…(X)`) of public headers that describe constraints and shapes, with the names
// of bits that they use.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} root @param {string} name of a public header */
export function readHeader(root, name) {
  return readFileSync(join(root, `src/include/cairn/${name}.h`), 'utf8');
}

/**
 * Splits at commas outside of quotes and brackets; strings that stand side by side are one.
 * @param {string} text
 */
function splitArguments(text) {
  const parts = [''];
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; ++i) {
    const letter = text[i];
    if (letter === '"' && text[i - 1] !== '\\') isText = !isText;
    if (!isText && letter === '(') depth += 1;
    if (!isText && letter === ')') depth -= 1;
    if (letter === ',' && !isText && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => {
    const trimmed = part.trim();
    if (!trimmed.startsWith('"')) return trimmed;
    return [...trimmed.matchAll(/"((?:\\.|[^"\\])*)"/g)]
      .map(([, inner]) => inner.replaceAll('\\"', '"'))
      .join('');
  });
}

/**
 * The rows of a list: the arguments of each of its calls.
 * @param {string} text of the header @param {string} name of the macro
 * @returns {string[][]}
 */
export function parseList(text, name) {
  const found = new RegExp(`^#define ${name}\\([\\w, ]+\\)((?:.*\\\\\\n)*.*)`, 'm').exec(text);
  if (!found) throw new Error(`${name} is not found`);
  const body = found[1].replaceAll('\\\n', ' ').trim();
  /** @type {string[][]} */
  const rows = [];
  for (let at = 0; at < body.length;) {
    const start = /^\s*\w+\(/.exec(body.slice(at));
    if (!start) throw new Error(`${name}: cannot read "${body.slice(at, at + 40)}"`);
    let end = at + start[0].length;
    let isText = false;
    for (let depth = 1; depth > 0; ++end) {
      if (end >= body.length) throw new Error(`${name}: no end of "${body.slice(at, at + 40)}"`);
      if (body[end] === '"' && body[end - 1] !== '\\') isText = !isText;
      if (!isText && body[end] === '(') depth += 1;
      if (!isText && body[end] === ')') depth -= 1;
    }
    rows.push(splitArguments(body.slice(at + start[0].length, end - 1)));
    at = end;
  }
  return rows;
}

/**
 * Values of the constants of enums without a name.
 * @param {string} text of the header @returns {Map<string, number>}
 */
export function parseConstants(text) {
  /** @type {Map<string, number>} */
  const constants = new Map();
  for (const [, body] of text.matchAll(/^enum \{\n([^}]*)\};/gm)) {
    let next = 0;
    for (const item of body.replaceAll(/\/\/.*/g, '').split(',')) {
      const match = /^(\w+)(?: = (.*))?$/s.exec(item.trim());
      if (!match) continue;
      const value = match[2] === undefined ? next : evaluate(match[2], constants);
      constants.set(match[1], value);
      next = value + 1;
    }
  }
  return constants;
}

/**
 * `1 << n`, a number, or names with `|` between.
 * @param {string} text @param {Map<string, number>} constants @returns {number}
 */
export function evaluate(text, constants) {
  return text.split('|').reduce((sum, part) => {
    const word = part.trim();
    const shift = /^(\d+)(?: << (\d+))?$/.exec(word);
    const value = shift ? Number(shift[1]) << Number(shift[2] ?? 0) : constants.get(word);
    if (value === undefined) throw new Error(`"${word}" is no constant`);
    return sum | value;
  }, 0);
}
