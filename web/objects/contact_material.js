// Contact materials: the behaviour of one pair of materials.

import { checkOptions, wrongType } from '../core/checks.js';
import {
  contactMaterialIsValid,
  contactMaterialSet,
  createContactMaterial,
  destroyContactMaterial,
} from '../generated/calls.js';
import { Handle, handleOf } from '../core/handle.js';
import { WorldObject } from './world_object.js';

/** @typedef {import('./material.js').Material} Material */
/**
 * @typedef {Omit<import('../generated/types.js').ContactMaterialDef, 'material1'
 *   | 'material2'>} PairProperties
 */
/** @typedef {PairProperties & { materials: [Material, Material] }} ContactMaterialOptions */

/** Behaviour of one pair of materials. */
export class ContactMaterial extends WorldObject {
  /** @param {symbol} key @param {import('./world.js').World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'contactMaterial', world, value);
  }

  /** Whether the handle still names one. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && contactMaterialIsValid(this.world, this);
  }

  /**
   * Overrides the values given; the pair stays.
   * @param {PairProperties} options
   * @returns {void}
   */
  set(options) {
    contactMaterialSet(this.world, this, options);
  }

  /** The pair follows the implicit rules again. @returns {void} */
  destroy() {
    destroyContactMaterial(this.world, this);
    Handle.retire(this);
  }
}

/**
 * @param {import('./world.js').World} world
 * @param {unknown} options ContactMaterialOptions
 * @returns {number} handle
 */
export function makeContactMaterial(world, options) {
  const call = 'cnCreateContactMaterial';
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'def', options);
  const { materials, ...rest } = options;
  if (!Array.isArray(materials) || materials.length !== 2) {
    throw wrongType(call, 'def.materials', materials, 'is an array of two Materials');
  }
  return createContactMaterial(world, { ...rest, material1: materials[0], material2: materials[1] });
}
