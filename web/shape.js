// Shapes: descriptions as plain objects, and objects that geometries share.

import { checkNames, checkOptions, wrongType } from './checks.js';
import { CairnError } from './errors.js';
import { createShape, releaseShape, shapeIsValid } from './generated/calls.js';
import { Handle, handleOf } from './handle.js';
import { getRenderData, setRenderData } from './render_data.js';
import { WorldObject } from './world_object.js';

/** @typedef {import('./checks.js').VectorLike} VectorLike */
/** @typedef {import('./world.js').World} World */

/**
 * What a shape is made from; lengths in m.
 * @typedef {{ type: 'sphere', radius: number }
 *   | { type: 'box', halfExtents: VectorLike }
 *   | { type: 'capsule', radius: number, height: number }
 *   | { type: 'plane', normal: VectorLike, offset?: number }
 *   | { type: 'convex', points: import('./checks.js').PointsLike }
 *   | { type: 'cylinder', radius: number, height: number }
 *   | { type: 'hollowCylinder', innerRadius: number, thickness: number, height: number }
 *   | { type: 'cone', topRadius: number, bottomRadius: number, height: number }
 *   | { type: 'hollowCone', topRadius: number, bottomRadius: number, height: number, thickness: number }
 *   | { type: 'line', start: VectorLike, end: VectorLike }} ShapeDescription
 */

/**
 * What each type takes; those in the first list must be there.
 * @type {Record<import('./generated/types.js').ShapeType, { needed: string[], optional: string[] }>}
 */
export const shapeProperties = {
  sphere: { needed: ['radius'], optional: [] },
  box: { needed: ['halfExtents'], optional: [] },
  capsule: { needed: ['radius', 'height'], optional: [] },
  plane: { needed: ['normal'], optional: ['offset'] },
  convex: { needed: ['points'], optional: [] },
  cylinder: { needed: ['radius', 'height'], optional: [] },
  hollowCylinder: { needed: ['innerRadius', 'thickness', 'height'], optional: [] },
  cone: { needed: ['topRadius', 'bottomRadius', 'height'], optional: [] },
  hollowCone: { needed: ['topRadius', 'bottomRadius', 'height', 'thickness'], optional: [] },
  line: { needed: ['start', 'end'], optional: [] },
};

/**
 * Refuses properties that the type does not have, which the engine would not read.
 * @param {string} call
 * @param {string} argument
 * @param {unknown} description
 * @returns {asserts description is ShapeDescription}
 */
export function checkDescription(call, argument, description) {
  checkOptions(call, argument, description);
  const { type } = description;
  const properties =
    typeof type === 'string' && Object.hasOwn(shapeProperties, type)
      ? shapeProperties[/** @type {'box'} */ (type)]
      : null;
  if (!properties) {
    const words = Object.keys(shapeProperties).map((word) => `'${word}'`);
    throw wrongType(call, `${argument}.type`, type, `are ${words.join(', ')}`);
  }
  checkNames(call, argument, description, ['type', ...properties.needed, ...properties.optional]);
  const missing = properties.needed.find((name) => description[name] === undefined);
  if (missing) {
    throw new CairnError(
      'WRONG_TYPE',
      call,
      `${argument}.${missing}`,
      `${argument}.${missing} is missing, a ${String(type)} needs it`,
    );
  }
}

/**
 * A shape that many geometries share.
 */
export class Shape extends WorldObject {
  /** @param {symbol} key @param {World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'shape', world, value);
  }

  /** Whether the handle still names a shape. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && shapeIsValid(this.world, this);
  }

  /**
   * A mesh to draw the shape with, copied; null takes it away. Physics does not look at it.
   * @param {import('./render_data.js').RenderDataOptions | null} data
   * @returns {void}
   */
  setRenderData(data) {
    setRenderData(this, data);
  }

  /** Copies; null where nothing was set. @returns {import('./render_data.js').RenderData | null} */
  getRenderData() {
    handleOf('cnShape_GetRenderData', 'shape', 'shape', this.world, this);
    return getRenderData(this.world, this.index);
  }

  /** Gives the handle up; the shape lives until its last geometry is gone. @returns {void} */
  release() {
    releaseShape(this.world, this);
    Handle.retire(this);
  }
}

/**
 * Makes a shape from a description, or gives the shape back that it is already.
 * @param {World} world
 * @param {string} call
 * @param {string} argument
 * @param {unknown} shape
 * @returns {{ shape: Shape, isNew: boolean }}
 */
export function toShape(world, call, argument, shape) {
  if (shape instanceof Shape) return { shape, isNew: false };
  if (Handle.kindOf(shape) !== null)
    throw wrongType(call, argument, shape, 'are shape descriptions and Shapes');
  checkDescription(call, argument, shape);
  const made = /** @type {Shape} */ (world.objectOf('shape', createShape(world, shape)));
  return { shape: made, isNew: true };
}
