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
/** @typedef {import('../generated/types.js').FrictionModel} FrictionModel */
/** @typedef {import('../generated/types.js').FrictionModelType} FrictionModelType */
/** @typedef {import('../generated/types.js').ContactMaterialDef} ContactMaterialDef */
/**
 * What contacts between two materials use. A friction model that is a word has no other options.
 * @typedef {Omit<ContactMaterialDef, 'material1' | 'material2' | 'frictionModel'>
 *   & { frictionModel?: FrictionModelType | FrictionModel }} ContactMaterialValues
 */
/** The same with all values. @typedef {Omit<ContactMaterialDef, 'material1' | 'material2'>} PairProperties */
/** @typedef {ContactMaterialValues & { materials: [Material, Material] }} ContactMaterialOptions */

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
   * Overrides the values given; the pair stays. A friction model or a contact area is replaced as a whole.
   * @param {ContactMaterialValues} options
   * @returns {void}
   */
  set(options) {
    const call = 'cnContactMaterial_Set';
    handleOf(call, 'contactMaterial', 'contactMaterial', this.world, this);
    checkOptions(call, 'def', options);
    contactMaterialSet(this.world, this, definitionOf(call, options));
  }

  /** The pair follows the implicit rules again. @returns {void} */
  destroy() {
    destroyContactMaterial(this.world, this);
    Handle.retire(this);
  }
}

/** What bounds the friction of a model that has no μ·N, which nothing stands for where it is missing. */
const boundsOfTypes = new Map(
  /** @type {[unknown, 'normalForce' | 'acceleration'][]} */ ([
    ['constantNormalForce', 'normalForce'],
    ['boxProportionalLow', 'acceleration'],
    ['boxProportionalHigh', 'acceleration'],
  ]),
);

/**
 * With a friction model as the engine takes it.
 * @param {string} call
 * @param {Record<string, unknown>} options
 * @returns {ContactMaterialDef}
 */
function definitionOf(call, options) {
  const { frictionModel } = options;
  if (frictionModel === undefined) return options;
  const argument = 'def.frictionModel';
  const allowed = "are the words of types and objects, { type: 'cone' }";
  const model = typeof frictionModel === 'string' ? { type: frictionModel } : frictionModel;
  checkOptions(call, argument, model, allowed);
  const bound = boundsOfTypes.get(model.type);
  if (bound !== undefined && model[bound] === undefined) {
    throw wrongType(call, `${argument}.${bound}`, undefined, `is what the friction of ${model.type} follows`);
  }
  return { ...options, frictionModel: model };
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
  const definition = definitionOf(call, rest);
  return createContactMaterial(world, { ...definition, material1: materials[0], material2: materials[1] });
}
