// cairn list: prints what there is.

import { load } from '../index.node.js';
import { onlyWord, readWords } from './arguments.js';
import { CliError } from './cli_error.js';
import { addLibrary } from './open_scene.js';

const kinds = /** @type {const} */ ([
  'materials',
  'contact-materials',
  'terrains',
  'cables',
  'beams',
  'shapes',
  'channels',
]);

/** @param {string[]} words */
export async function listAvailable(words) {
  const { options, rest } = readWords(words, ['--library']);
  const wanted = onlyWord(rest, kinds.join('|'));
  const kind = kinds.find((item) => item === wanted);
  if (!kind) throw new CliError(2, `there is no list "${wanted}", allowed are ${kinds.join(', ')}`);
  const cairn = await load({ threads: 1 });
  await addLibrary(cairn, options.get('--library'));
  const items = /** @type {unknown[]} */ (cairn.list(kind));
  process.stdout.write(items.map(line).join(''));
}

/** A name and what belongs to it, on one line. @param {unknown} item */
function line(item) {
  if (typeof item !== 'object' || item === null) return `${String(item)}\n`;
  const { name, materials, ...rest } = /** @type {Record<string, unknown>} */ (item);
  const title = name ?? (Array.isArray(materials) ? materials.join(' – ') : '');
  const details = Object.entries(rest).map(([key, value]) =>
    key === 'keys' ? list(value) : `${key} ${list(value)}`,
  );
  return `${String(title).padEnd(20)} ${details.join(', ')}`.trimEnd() + '\n';
}

/** @param {unknown} value */
function list(value) {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
