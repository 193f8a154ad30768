// Meshes to draw shapes with, kept in the engine beside the shapes.

import { checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { outOfRange, wrongType } from '../core/errors.js';
import { isNumberArray } from '../core/vectors.js';
import { handleOf } from '../core/handle.js';

/** @typedef {import('../core/vectors.js').NumbersLike} NumbersLike */
/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./world.js').World} World */

/**
 * In the shape's frame.
 * @typedef {object} RenderDataOptions
 * @property {NumbersLike} positions three numbers a vertex, m
 * @property {NumbersLike} [normals] three numbers a vertex, unit
 * @property {number[] | Uint32Array | Uint16Array | Int32Array} indices three a triangle,
 *   counter-clockwise from outside
 * @property {NumbersLike} [colour] red, green, blue and, if given, opacity, 0…1
 *
 * @typedef {object} RenderData
 * @property {Float32Array} positions
 * @property {Float32Array | null} normals
 * @property {Uint32Array} indices
 * @property {number[] | null} colour red, green, blue, opacity
 */

const call = 'cnShape_SetRenderData';

/** @param {Shape} shape @param {unknown} data RenderDataOptions, or null */
export function setRenderData(shape, data) {
  const { world } = shape;
  const value = handleOf(call, 'shape', 'shape', world, shape);
  const owner = handleOf(call, 'world', 'world', null, world);
  const { runtime } = world;
  try {
    const colour = runtime.allocate(call, 16);
    runtime.f32.fill(0, colour >>> 2, (colour >>> 2) + 4);
    if (data === null) {
      runtime.check(runtime.raw._cnw_Shape_SetRenderData(owner, value, 0, 0, 0, 0, 0, colour));
      return;
    }
    checkOptions(call, 'data', data);
    checkNames(call, 'data', data, ['positions', 'normals', 'indices', 'colour']);
    const held = {
      positions: runtime.hold(data.positions),
      normals: runtime.hold(data.normals),
      indices: runtime.hold(data.indices),
    };
    const positions = writeFloats(world, 'data.positions', held.positions);
    const count = /** @type {NumbersLike} */ (held.positions).length;
    if (count % 3 !== 0)
      throw wrongType(call, 'data.positions', held.positions, 'are three numbers a vertex');
    let normals = 0;
    if (held.normals !== undefined && held.normals !== null) {
      normals = writeFloats(world, 'data.normals', held.normals);
      if (/** @type {NumbersLike} */ (held.normals).length !== count)
        throw wrongType(call, 'data.normals', held.normals, `are ${count} numbers, as many as positions`);
    }
    const indices = writeIndices(world, held.indices);
    if (data.colour !== undefined && data.colour !== null) writeColour(world, colour, data.colour);
    const { length } = /** @type {number[]} */ (held.indices);
    runtime.check(
      runtime.raw._cnw_Shape_SetRenderData(
        owner,
        value,
        positions,
        normals,
        count / 3,
        indices,
        length,
        colour,
      ),
    );
  } finally {
    runtime.scratch.release();
  }
}

/**
 * Copies; null where nothing was set.
 * @param {World} world @param {number} shapeRow @returns {RenderData | null}
 */
export function getRenderData(world, shapeRow) {
  const { runtime } = world;
  const address = runtime.raw._cnw_World_GetRenderData(world.handle, shapeRow) >>> 0;
  if (address === 0) return null;
  const word = address >>> 2;
  const [positions, normals, vertexCount, indices, indexCount] = runtime.u32.subarray(word, word + 5);
  const colour = [...runtime.f32.subarray(word + 5, word + 9)];
  runtime.reach(Math.max(positions, normals) + 12 * vertexCount);
  runtime.reach(indices + 4 * indexCount);
  return {
    positions: runtime.f32.slice(positions >>> 2, (positions >>> 2) + 3 * vertexCount),
    normals: normals === 0 ? null : runtime.f32.slice(normals >>> 2, (normals >>> 2) + 3 * vertexCount),
    indices: runtime.u32.slice(indices >>> 2, (indices >>> 2) + indexCount),
    colour: colour.some((part) => part !== 0) ? colour : null,
  };
}

/** @param {World} world @param {string} argument @param {unknown} values */
function writeFloats(world, argument, values) {
  if (!isNumberArray(values)) throw wrongType(call, argument, values, 'are arrays of numbers');
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isFinite(values[i])) checkNumber(call, `${argument}[${i}]`, values[i]);
  }
  const address = world.runtime.allocate(call, Math.max(4 * values.length, 16));
  world.runtime.f32.set(values, address >>> 2);
  return address;
}

/** @param {World} world @param {unknown} values */
function writeIndices(world, values) {
  const isList =
    Array.isArray(values) ||
    values instanceof Uint32Array ||
    values instanceof Uint16Array ||
    values instanceof Int32Array;
  if (!isList) throw wrongType(call, 'data.indices', values, 'are arrays of integers');
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isInteger(values[i]) || values[i] < 0)
      throw outOfRange(call, `data.indices[${i}]`, values[i], 'are numbers of vertices');
  }
  const address = world.runtime.allocate(call, Math.max(4 * values.length, 16));
  world.runtime.u32.set(values, address >>> 2);
  return address;
}

/** @param {World} world @param {number} address @param {unknown} colour */
function writeColour(world, address, colour) {
  if (!isNumberArray(colour) || (colour.length !== 3 && colour.length !== 4))
    throw wrongType(call, 'data.colour', colour, 'are arrays of three or four numbers');
  for (let i = 0; i < colour.length; ++i) {
    checkNumber(call, `data.colour[${i}]`, colour[i]);
    if (colour[i] < 0 || colour[i] > 1) throw outOfRange(call, `data.colour[${i}]`, colour[i], 'is 0…1');
  }
  const { f32 } = world.runtime;
  f32[(address >>> 2) + 3] = 1;
  f32.set(colour, address >>> 2);
}
