// A library's folder in Node.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rejectSurplus } from './core/strict.js';

const subfolders = ['materials', 'contact-materials', 'terrains', 'cables', 'beams'];

/** @param {string} folder */
async function namesIn(folder) {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Reads the JSON files of a folder that is built like materials/, for cairn.addToLibrary(). Subfolders may be
 * missing; the folder itself may not.
 * @param {string} folder
 * @returns {Promise<{ [path: string]: string }>} texts by path, `materials/birch.json`
 */
export async function readLibraryFolder(folder) {
  rejectSurplus('readLibraryFolder', arguments, 1);
  await readdir(folder);
  /** @type {{ [path: string]: string }} */
  const items = {};
  for (const subfolder of subfolders) {
    for (const name of await namesIn(join(folder, subfolder))) {
      items[`${subfolder}/${name}`] = await readFile(join(folder, subfolder, name), 'utf8');
    }
  }
  return items;
}
