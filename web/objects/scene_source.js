// The files that worlds of scenes were made from, for who asks for their names, or for such a file again.

/** @typedef {import('./world.js').World} World */

/** Texts, or bytes that are the package's own. @type {WeakMap<World, string | Uint8Array>} */
const sources = new WeakMap();

/** @param {World} world @param {string | Uint8Array} source */
export function rememberSource(world, source) {
  sources.set(world, source);
}

/** The file read again; null where a world was made otherwise. @param {World} world @returns {any} */
export function readSource(world) {
  const source = sources.get(world);
  if (source === undefined) return null;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  return JSON.parse(text.replace(/^\uFEFF/, ''));
}
