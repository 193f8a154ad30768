// What is said of a mesh's physics, in `addMesh` or in its `userData.physics`.

import { checkNames, checkOptions } from '../core/checks.js';
import { CairnError } from '../core/errors.js';
import { checkKind } from './geometry_shapes.js';

/** @typedef {import('../index.js').BodyOptions} BodyOptions */
/** @typedef {import('../index.js').GeometryOptions} GeometryOptions */
/** @typedef {import('../index.js').Material} PhysicsMaterial */
/** @typedef {import('../index.js').Motion} Motion */
/** @typedef {import('../index.js').World} World */
/** @typedef {import('./geometry_shapes.js').GeometryShapeKind} GeometryShapeKind */

/**
 * @typedef {object} MeshOptions
 * @property {number} [mass] kg, of each body; 0: static. By default what its shapes weigh
 * @property {number} [density] kg/m³, instead of `mass`; 1000, or the material's
 * @property {Motion} [motion] 'static' where the mass is 0, else 'dynamic'. Of what is 'kinematic' the body
 *   follows the object, of all else the object follows the body
 * @property {GeometryShapeKind} [shape] 'auto'
 * @property {PhysicsMaterial | string} [material] a Material of the world, or the name of one of the library
 * @property {number} [friction] instead of `material`
 * @property {number} [restitution] instead of `material`, 0…1
 * @property {Omit<BodyOptions, 'position' | 'rotation' | 'mass' | 'motion' | 'geometries'>} [body] more of
 *   the body
 * @property {Omit<GeometryOptions, 'body' | 'shape' | 'shapes' | 'position' | 'rotation' | 'material' |
 *   'friction' | 'restitution'>} [geometry] more of its geometry
 */

/**
 * Options in the form in which bodies are made from them.
 *
 * @typedef {object} MeshSettings
 * @property {Motion} motion
 * @property {GeometryShapeKind} shape
 * @property {BodyOptions} body without poses
 * @property {Omit<GeometryOptions, 'body'>} geometry without shapes
 */

/** @type {readonly string[]} */
const NAMES = [
  'mass',
  'density',
  'motion',
  'shape',
  'material',
  'friction',
  'restitution',
  'body',
  'geometry',
];
const BODY_NAMES = ['position', 'rotation', 'mass', 'motion', 'geometries'];
const GEOMETRY_NAMES = [
  'body',
  'shape',
  'shapes',
  'position',
  'rotation',
  'material',
  'friction',
  'restitution',
];

/** Makes the materials that options ask for, each once. */
export class MaterialShelf {
  /** @type {Map<string, PhysicsMaterial>} */
  #made = new Map();
  #world;

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** @param {import('../index.js').MaterialOptions} options @returns {PhysicsMaterial} */
  take(options) {
    const key = JSON.stringify(options);
    let material = this.#made.get(key);
    if (material === undefined || !material.isValid) {
      material = this.#world.createMaterial(options);
      this.#made.set(key, material);
    }
    return material;
  }
}

/**
 * @param {string} call @param {unknown} options MeshOptions @param {MaterialShelf} shelf
 * @returns {MeshSettings}
 */
export function readMeshOptions(call, options, shelf) {
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, NAMES);
  const {
    mass,
    density,
    shape = 'auto',
    material,
    friction,
    restitution,
    body = {},
    geometry = {},
  } = /** @type {MeshOptions} */ (options);
  const { motion = mass === 0 ? 'static' : 'dynamic' } = /** @type {MeshOptions} */ (options);
  checkKind(call, shape);
  checkOptions(call, 'options.body', body);
  checkOptions(call, 'options.geometry', geometry);
  refuseOwn(call, 'options.body', body, BODY_NAMES);
  refuseOwn(call, 'options.geometry', geometry, GEOMETRY_NAMES);
  if (mass === 0 && motion === 'dynamic')
    throw outOfPlace(call, 'mass', 'mass is 0, what is dynamic has more');
  if (density !== undefined && (mass !== undefined || material !== undefined))
    throw outOfPlace(call, 'density', 'density is given beside mass or material, allowed is one of them');

  return {
    motion,
    shape,
    body: { ...body, motion, ...(mass === undefined || mass === 0 ? {} : { mass }) },
    geometry: { ...geometry, ...surface() },
  };

  function surface() {
    if (density !== undefined) return { material: shelf.take({ density, friction, restitution }) };
    if (typeof material === 'string')
      return { material: shelf.take({ library: material, friction, restitution }) };
    return { material, friction, restitution };
  }
}

/** @param {string} call @param {string} argument @param {string} text */
const outOfPlace = (call, argument, text) =>
  new CairnError('OUT_OF_RANGE', call, `options.${argument}`, text);

/** @param {string} call @param {string} argument @param {object} options @param {string[]} names */
function refuseOwn(call, argument, options, names) {
  for (const name of names) {
    if (!(name in options)) continue;
    const text = `${argument} has ${name}, which follows from the object or stands beside ${argument}`;
    throw new CairnError('UNKNOWN_NAME', call, `${argument}.${name}`, text);
  }
}
