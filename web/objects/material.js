// Materials.

import { checkOptions } from '../core/checks.js';
import {
  createMaterial,
  destroyMaterial,
  materialGet,
  materialIsValid,
  materialSet,
} from '../generated/calls.js';
import { Handle, handleOf } from '../core/handle.js';
import { WorldObject } from './world_object.js';

/** @typedef {import('../generated/types.js').MaterialDef} MaterialOptions */
/** @typedef {MaterialOptions & { userData?: unknown }} NewMaterialOptions */
/** @typedef {import('../generated/types.js').WireProperties} WireProperties */

/** What geometries are made of. */
export class Material extends WorldObject {
  /** @param {symbol} key @param {import('./world.js').World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'material', world, value);
  }

  /** Whether the handle still names a material. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && materialIsValid(this.world, this);
  }

  /** Undefined: none; `set({ name })` gives one. @returns {string | undefined} */
  get name() {
    return materialGet(this.world, this).name;
  }

  /**
   * All values as they stand.
   * @param {MaterialOptions} [out]
   * @returns {MaterialOptions}
   */
  get(out) {
    return materialGet(this.world, this, out);
  }

  /**
   * Overrides the values given; contacts follow from the next step on, masses with
   * `body.updateMassProperties()`. `NAME_TAKEN` when another material has the name.
   * @param {MaterialOptions} options
   * @returns {void}
   */
  set(options) {
    materialSet(this.world, this, options);
  }

  /**
   * `IN_USE` while a geometry has it. Contact materials that name it are destroyed with it.
   * @returns {void}
   */
  destroy() {
    destroyMaterial(this.world, this);
    Handle.retire(this);
  }
}

/**
 * @param {import('./world.js').World} world @param {unknown} options NewMaterialOptions
 * @returns {Material}
 */
export function makeMaterial(world, options) {
  const call = 'cnCreateMaterial';
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'def', options);
  const { userData, ...def } = options;
  const material = /** @type {Material} */ (world.objectOf('material', createMaterial(world, def)));
  if (userData !== undefined) material.userData = userData;
  return material;
}
