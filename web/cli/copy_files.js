// cairn copy-files: puts the files that a page loads beside a bundle, where a bundler leaves them out.

import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onlyWord, readWords } from './arguments.js';
import { CliError } from './cli_error.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** What pages load by an address: the modules, and the script of the workers with what that imports. */
const wanted = [
  'cairn.st.wasm',
  'cairn.mt.wasm',
  'cairn.readers.wasm',
  'cairn.mt.worker.js',
  'cairn.mt.web.js',
];

/** @param {string[]} words */
export async function copyFiles(words) {
  const { rest } = readWords(words, []);
  const folder = resolve(onlyWord(rest, 'DIR'));
  const there = await readdir(dist);
  const missing = wanted.filter((name) => !there.includes(name));
  if (missing.length > 0) throw new CliError(2, `the package lacks ${missing.join(', ')}: install it again`);
  try {
    await mkdir(folder, { recursive: true });
    for (const name of wanted) await copyFile(join(dist, name), join(folder, name));
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new CliError(2, `${folder} cannot be written: ${code ?? message}`);
  }
  process.stdout.write(wanted.map((name) => `${join(folder, name)}\n`).join(''));
}
