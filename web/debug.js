// cairn-physics/debug: a world as lines, for any renderer; not loaded by those who do without.

export { debugRender } from './drawing/debug_render.js';

/** @typedef {import('./drawing/debug_render.js').DebugLines} DebugLines */
/** @typedef {import('./drawing/debug_render.js').DebugOptions} DebugOptions */
