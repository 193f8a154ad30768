// Counts the arguments of methods, where Function.length does not: it ends before the first default value.

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

/**
 * Public methods of a class with arguments that have default values.
 * @param {Node} model
 * @returns {[string, number][]} names, and how many arguments they take
 */
function methodsOf(model) {
  return model.body.body
    .filter(
      ({ type, kind, key, static: isStatic }) =>
        type === 'MethodDefinition' && kind === 'method' && !isStatic && key.type === 'Identifier',
    )
    .flatMap(({ key, value }) => {
      if (value.params.some(({ type }) => type === 'RestElement'))
        throw new Error(
          `${model.id.name}.${key.name} takes any number of arguments, which nobody could check`,
        );
      const hasDefault = value.params.some(({ type }) => type === 'AssignmentPattern');
      return hasDefault ? [[key.name, value.params.length]] : [];
    });
}

/** @param {string} root @param {string} header */
export function emitParameters(root, header) {
  const classes = folders.flatMap((folder) =>
    readdirSync(join(root, 'web', folder))
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => {
        const text = readFileSync(join(root, 'web', folder, name), 'utf8');
        return classesOf(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }).body);
      }),
  );
  const rows = classes
    .map((model) => ({ name: lowerFirst(model.id.name), methods: methodsOf(model) }))
    .filter(({ methods }) => methods.length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, methods }) => {
      const list = methods.map(([method, count]) => `    ${method}: ${count},\n`).join('');
      return `  ${name}: {\n${list}  },\n`;
    });
  return [
    header.replace('src/include/cairn', 'the classes of web/'),
    '/**',
    ' * How many arguments methods take, by class: those with default values, which Function.length omits.',
    ' * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}',
    ' */',
    `export const argumentCounts = {\n${rows.join('')}};`,
    '',
  ].join('\n');
}
