// Shapes: descriptions as plain objects, and objects that geometries share.

import { checkInteger, checkNames, checkOptions } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import { CairnError, renamed, wrongType } from '../core/errors.js';
import {
  createShape,
  heightFieldGetHeight,
  heightFieldSetHeight,
  releaseShape,
  shapeIsValid,
} from '../generated/calls.js';
import { shapeProperties } from '../generated/descriptions.js';
import { Handle, handleOf } from '../core/handle.js';
import { getRenderData, setRenderData } from './render_data.js';
import { WorldObject } from './world_object.js';

/** @typedef {import('../core/vectors.js').NumbersLike} NumbersLike */
/** @typedef {import('./world.js').World} World */

/** @typedef {import('../generated/descriptions.js').ShapeDescription} ShapeDescription */
/** @typedef {import('../generated/descriptions.js').HeightFieldDescription} HeightFieldDescription */

/**
 * Refuses properties that the type does not have, which the engine would not read; gives the
 * properties of cnShapeDef.
 * @param {string} call
 * @param {string} argument
 * @param {unknown} description
 * @returns {object}
 */
export function readDescription(call, argument, description) {
  checkDescription(call, argument, description);
  if (description.type !== 'heightField') return description;
  const { resolution, size, ...rest } = description;
  const [columnCount, rowCount] = checkVector(call, `${argument}.resolution`, resolution, 2);
  const [sizeX, sizeY] = checkVector(call, `${argument}.size`, size, 2);
  return { ...rest, columnCount, rowCount, sizeX, sizeY };
}

/**
 * @param {string} call
 * @param {string} argument
 * @param {unknown} description
 * @returns {asserts description is ShapeDescription}
 */
function checkDescription(call, argument, description) {
  checkOptions(call, argument, description, 'are shape descriptions { type, … }');
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
   * Changes heights of a height field. It costs what the region has; what rests there is collided again
   * in the next step.
   * @param {{ region?: readonly number[], heights: NumbersLike }} change region: [i0, i1, j0, j1], first and
   *   last column and row, all by default; heights in m, row by row, i fastest
   * @returns {void}
   */
  setHeights(change) {
    const call = 'Shape.setHeights';
    checkOptions(call, 'change', change);
    checkNames(call, 'change', change, ['region', 'heights']);
    const { runtime } = this.world;
    const value = handleOf(call, 'this', 'shape', this.world, this);
    const [i0, i1, j0, j1] = this.#region(call, 'change.region', change.region);
    const heights = /** @type {NumbersLike} */ (change.heights);
    try {
      const held = runtime.hold(heights);
      const address = runtime.writeDoubles(call, 'change.heights', held);
      runtime.check(
        runtime.raw._cnw_Shape_SetHeights(this.world.handle, value, i0, i1, j0, j1, address, held.length),
      );
    } finally {
      runtime.scratch.release();
    }
  }

  /**
   * Heights of a height field, m, row by row, i fastest (a copy).
   * @param {readonly number[]} [region] [i0, i1, j0, j1], first and last column and row; all by default
   * @returns {Float64Array}
   */
  getHeights(region) {
    const call = 'Shape.getHeights';
    const { runtime } = this.world;
    const value = handleOf(call, 'this', 'shape', this.world, this);
    const [i0, i1, j0, j1] = this.#region(call, 'region', region);
    const count = Math.max(i1 - i0 + 1, 0) * Math.max(j1 - j0 + 1, 0);
    try {
      const address = runtime.allocate(call, Math.max(8 * count, 16));
      runtime.check(
        runtime.raw._cnw_Shape_GetHeights(this.world.handle, value, i0, i1, j0, j1, address, count),
      );
      return runtime.f64.slice(address >>> 3, (address >>> 3) + count);
    } finally {
      runtime.scratch.release();
    }
  }

  /** @param {number} i column @param {number} j row @param {number} height m @returns {void} */
  setHeight(i, j, height) {
    heightFieldSetHeight(this.world, this, i, j, height);
  }

  /** m. @param {number} i column @param {number} j row @returns {number} */
  getHeight(i, j) {
    return heightFieldGetHeight(this.world, this, i, j);
  }

  /** @param {string} call @param {string} argument @param {unknown} region @returns {readonly number[]} */
  #region(call, argument, region) {
    const { columnCount, rowCount } = this.world.columns.shapes;
    if (region === undefined) return [0, columnCount[this.index] - 1, 0, rowCount[this.index] - 1];
    if (!Array.isArray(region) || region.length !== 4)
      throw wrongType(call, argument, region, 'is [i0, i1, j0, j1]');
    region.forEach((number, k) => checkInteger(call, `${argument}[${k}]`, number));
    // so that the number of heights is far from overflow; the engine says what is wrong
    const most = 1 << 14;
    if (region.some((number) => number < 0 || number >= most)) return [-1, -1, -1, -1];
    return region;
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
  const definition = readDescription(call, argument, shape);
  try {
    const made = /** @type {Shape} */ (world.objectOf('shape', createShape(world, definition)));
    return { shape: made, isNew: true };
  } catch (error) {
    throw renamed(error, call, argument);
  }
}
