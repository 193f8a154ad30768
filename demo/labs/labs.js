// The labs, by the names that the gallery has for them.

import { openFrictionLab } from './friction.js';
import { openMaterialsLab } from './materials.js';
import { openScaleLab } from './scale.js';

/** @typedef {import('cairn-physics').Cairn} Cairn */
/** @typedef {import('cairn-physics').World} World */
/** @typedef {import('../modules/stage.js').Stage} Stage */

/**
 * @typedef {object} Lab
 * @property {World} world
 * @property {import('./recorder.js').Recorder} recorder
 * @property {import('../modules/stage.js').Framing} framing
 * @property {(item: import('cairn-physics/three').Item) =>
 *   import('cairn-physics/three').Appearance} [appearance]
 * @property {() => void} [beforeStep]
 * @property {() => void} afterStep measures
 * @property {() => void} draw brings arrows and captions up to date, each frame
 * @property {() => void} read writes readings and plots, some times a second
 * @property {Record<string, number>} found what was read last, by name; for tests
 */

/** @typedef {import('../modules/looks.js').Looks} Looks */

/** @type {Record<string, (cairn: Cairn, stage: Stage, looks: Looks) => Lab>} */
const openers = { materials: openMaterialsLab, friction: openFrictionLab, scale: openScaleLab };

/** @param {string} name of the gallery @param {Cairn} cairn @param {Stage} stage @param {Looks} looks */
export function openLab(name, cairn, stage, looks) {
  return openers[name](cairn, stage, looks);
}
