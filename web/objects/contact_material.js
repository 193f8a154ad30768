// Contact materials: the behaviour of one pair of materials.

import { checkOptions } from '../core/checks.js';
import { wrongType } from '../core/errors.js';
import {
  contactMaterialGet,
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
/**
 * Values of both directions.
 * @typedef {'friction' | 'surfaceViscosity' | 'rollingResistance' | 'slide'} Directed
 */
/**
 * The same with all values.
 * @typedef {Required<Omit<ContactMaterialDef, 'material1' | 'material2' | Directed>>
 *   & Record<Directed, [number, number]>} PairProperties
 */
/**
 * @typedef {ContactMaterialValues
 *   & { materials: [Material | null, Material | null] }} ContactMaterialOptions
 */
/** @typedef {import('../generated/types.js').PairOrigins} PairOrigins */
/** @typedef {PairProperties & { origins: PairOrigins }} ResolvedPair */

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

  /** The pair; null: the default material. @returns {[Material | null, Material | null]} */
  get materials() {
    const { world } = this;
    const { material1, material2 } = contactMaterialGet(world, this);
    return [material1 ?? null, material2 ?? null];
  }

  /**
   * All values as they stand.
   * @param {PairProperties} [out]
   * @returns {PairProperties}
   */
  get(out) {
    return withoutPair(contactMaterialGet(this.world, this, out));
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

/** @param {ContactMaterialDef} values @returns {PairProperties} the same object */
export function withoutPair(values) {
  delete values.material1;
  delete values.material2;
  return /** @type {PairProperties} */ (values); // the engine fills in all
}

/**
 * With a friction model as the engine takes it, and without what only results have.
 * @param {string} call
 * @param {Record<string, unknown>} options
 * @returns {ContactMaterialDef}
 */
function definitionOf(call, options) {
  const { frictionModel, origins: _origins, ...rest } = options;
  if (frictionModel === undefined) return rest;
  const argument = 'def.frictionModel';
  const allowed = "are the words of types and objects, { type: 'cone' }";
  const model = typeof frictionModel === 'string' ? { type: frictionModel } : frictionModel;
  checkOptions(call, argument, model, allowed);
  const bound = boundsOfTypes.get(model.type);
  if (bound !== undefined && model[bound] === undefined) {
    throw wrongType(call, `${argument}.${bound}`, undefined, `is what the friction of ${model.type} follows`);
  }
  return { ...rest, frictionModel: model };
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
    throw wrongType(call, 'def.materials', materials, 'is an array of two Materials or null');
  }
  for (const [i, material] of materials.entries())
    handleOf(call, `def.materials[${i}]`, 'material', world, material);
  const definition = definitionOf(call, rest);
  return createContactMaterial(world, { ...definition, material1: materials[0], material2: materials[1] });
}
