// What is known of the methods of web/ from their text alone: how many arguments they take, where
// Function.length does not say (it ends before the first default value), and which are not for users.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import { lowerFirst } from './kinds.mjs';

/** Folders of web/ whose classes users meet. */
const folders = ['core', 'fields', 'listeners', 'objects'];

/** @typedef {{ type: string, [key: string]: any }} Node of the syntax tree, as ESTree has them */

/** @param {Node[]} body of a module @returns {Node[]} */
const classesOf = (body) =>
  body
    .map((node) => node.declaration ?? node)
    .filter(({ type, id }) => type === 'ClassDeclaration' && id !== null);

/** @param {Node} model @returns {Node[]} methods of a class that its objects have */
const methodsOf = (model) =>
  model.body.body.filter(
    ({ type, kind, key, static: isStatic }) =>
      type === 'MethodDefinition' && kind === 'method' && !isStatic && key.type === 'Identifier',
  );

/** @param {Node} model @returns {[string, number][]} names, and how many arguments they take */
function countsOf(model) {
  return methodsOf(model).flatMap(({ key, value }) => {
    if (value.params.some(({ type }) => type === 'RestElement'))
      throw new Error(`${model.id.name}.${key.name} takes any number of arguments, which nobody could check`);
    const hasDefault = value.params.some(({ type }) => type === 'AssignmentPattern');
    return hasDefault ? [[key.name, value.params.length]] : [];
  });
}

/**
 * @param {Node} model @param {string} text of its file @param {Node[]} comments in it
 * @returns {string[]} methods that the package alone calls, by their comments
 */
function ownOf(model, text, comments) {
  return methodsOf(model)
    .filter(({ start }) => {
      const { value, end } = comments.findLast((comment) => comment.end < start) ?? { value: '', end: 0 };
      return /@(internal|protected)\b/.test(value) && text.slice(end, start).trim() === '';
    })
    .map(({ key }) => key.name);
}

/** @param {string} root @param {string} folder @param {string} name */
function readClasses(root, folder, name) {
  /** @type {Node[]} */
  const comments = [];
  const text = readFileSync(join(root, 'web', folder, name), 'utf8');
  const { body } = parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onComment: /** @type {any} */ (comments),
  });
  return classesOf(body).map((model) => ({
    name: lowerFirst(model.id.name),
    counts: countsOf(model),
    own: ownOf(model, text, comments),
  }));
}

/** @param {string} root @param {string} header */
export function emitParameters(root, header) {
  const classes = folders
    .flatMap((folder) =>
      readdirSync(join(root, 'web', folder))
        .filter((name) => name.endsWith('.js'))
        .flatMap((name) => readClasses(root, folder, name)),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const counts = classes
    .filter((model) => model.counts.length > 0)
    .map(({ name, counts: list }) => {
      const rows = list.map(([method, count]) => `    ${method}: ${count},\n`).join('');
      return `  ${name}: {\n${rows}  },\n`;
    });
  const own = classes
    .filter((model) => model.own.length > 0)
    .map(({ name, own: list }) => `  ${name}: [${list.map((method) => `'${method}'`).join(', ')}],\n`);
  return [
    header.replace('src/include/cairn', 'the classes of web/'),
    '/**',
    ' * How many arguments methods take, by class: those with default values, which Function.length omits.',
    ' * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}',
    ' */',
    `export const argumentCounts = {\n${counts.join('')}};`,
    '',
    '/**',
    ' * Methods that the package alone calls, by class.',
    ' * @type {Readonly<Record<string, readonly string[]>>}',
    ' */',
    `export const ownMethods = {\n${own.join('')}};`,
    '',
  ].join('\n');
}
