// Items that users add to the library, as the engine reads them.

import { CairnError, wrongType } from '../core/errors.js';

/**
 * By path as in the folder materials/, the object or the text of its JSON file.
 * @typedef {{ readonly [path: string]: object | string }} LibraryItems
 */

const call = 'cnAddToLibrary';

/** @param {string} path @param {string} reason */
function refuse(path, reason) {
  return new CairnError('FILE', call, path, `${path}: ${reason}`);
}

/**
 * A text that is JSON goes on as it is, so that the engine sees keys that come twice.
 * @param {string} path
 * @param {unknown} item
 */
function writeItem(path, item) {
  try {
    if (typeof item !== 'string') return JSON.stringify(item) ?? 'null';
    JSON.parse(item);
    return item;
  } catch (error) {
    throw refuse(path, `no valid JSON, ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * One JSON object of all items.
 * @param {LibraryItems} items
 * @returns {Uint8Array}
 */
export function writeLibraryItems(items) {
  const prototype = typeof items === 'object' && items !== null ? Object.getPrototypeOf(items) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw wrongType(call, 'items', items, 'is an object of items by their paths');
  }
  const members = Object.entries(items).map(
    ([path, item]) => `${JSON.stringify(path)}:${writeItem(path, item)}`,
  );
  return new TextEncoder().encode(`{${members.join(',')}}`);
}
