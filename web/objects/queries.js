// Queries that give lists back, and rays by the thousand.

import { checkNames, checkOptions, fullPose } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import { isDetached, outOfRange, wrongType } from '../core/errors.js';
import { releaseShape } from '../generated/calls.js';
import { Handle, handleOf } from '../core/handle.js';
import { toShape } from './shape.js';
import { readStruct, writeStruct } from '../core/structs.js';

/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {import('../generated/types.js').QueryFilter} QueryFilter */
/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./shape.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./world.js').World} World */

/**
 * A geometry that is not in the world: one shape or several, at a pose of the world (m).
 * @typedef {object} FreeGeometry
 * @property {ShapeDescription | Shape} [shape] the only one, at the geometry's frame
 * @property {import('./geometry.js').PlacedShape[]} [shapes] instead of `shape`
 * @property {VectorLike} [position]
 * @property {QuaternionLike} [rotation]
 */

/**
 * Where rays leave what they meet; each with room for one entry (normals: three) a ray.
 * @typedef {object} RayOutputs
 * @property {Int32Array} geometries rows of `columns.geometries`, -1 where nothing is hit
 * @property {Float64Array} [fractions] of the translation, 1 where nothing is hit
 * @property {Float64Array} [normals] unit, world, zero where nothing is hit
 */

/**
 * What a query sees: enabled geometries that fit everything given. Groups by numbers or names:
 * those in one of them.
 * @typedef {Omit<QueryFilter, 'groups'> & { groups?: readonly (number | string)[] }} RayFilter
 */

/** Sees all but sensors. @type {Readonly<QueryFilter>} */
const noFilter = Object.freeze({});

const leastCapacity = 32;

/**
 * With groups by their numbers.
 * @param {World} world @param {string} call @param {RayFilter | undefined} filter
 * @returns {QueryFilter}
 */
export function toFilter(world, call, filter) {
  if (filter === undefined) return noFilter;
  checkOptions(call, 'filter', filter);
  const { groups } = filter;
  if (!Array.isArray(groups) || !groups.some((group) => typeof group === 'string'))
    return /** @type {QueryFilter} */ (filter);
  handleOf(call, 'world', 'world', null, world);
  const numbers = groups.map((group, i) => world.groupOf(call, `filter.groups[${i}]`, group));
  return /** @type {QueryFilter} */ ({ ...filter, groups: numbers });
}

/**
 * @param {World} world @param {string} call @param {RayFilter | undefined} filter
 * @returns {number} its address, until the scratch memory is released
 */
function writeFilter(world, call, filter) {
  return writeStruct(world.runtime, world, call, 'filter', 'cnQueryFilter', toFilter(world, call, filter));
}

/**
 * @param {World} world @param {string} call
 * @param {[string, QuaternionLike | VectorLike, number][]} vectors
 */
function writeNumbers(world, call, vectors) {
  const { runtime } = world;
  const address = runtime.allocate(call, 8 * 16);
  let at = address >>> 3;
  for (const [argument, value, length] of vectors) {
    runtime.f64.set(checkVector(call, argument, value, length), at);
    at += length;
  }
  return address;
}

/**
 * Asks again with more room until the list fits.
 * @template T
 * @param {World} world @param {string} call @param {number} bytes of an entry
 * @param {(capacity: number, address: number) => number} ask gives an error code
 * @param {(address: number) => T} read
 * @returns {T[]}
 */
function readList(world, call, bytes, ask, read) {
  const { runtime } = world;
  for (let capacity = leastCapacity; ; capacity *= 4) {
    const address = runtime.allocate(call, bytes * capacity);
    runtime.check(ask(capacity, address));
    const count = runtime.i32[runtime.result >>> 2];
    if (count < capacity) {
      /** @type {T[]} */
      const list = [];
      for (let i = 0; i < count; ++i) list.push(read(address + bytes * i));
      return list;
    }
  }
}

/** @param {World} world @param {string} name of the C struct */
function bytesOf(world, name) {
  return /** @type {import('../core/structs.js').Struct} */ (world.runtime.structs.get(name)).bytes;
}

/**
 * @param {World} world @param {VectorLike} origin @param {VectorLike} translation @param {RayFilter} [filter]
 * @returns {import('../generated/types.js').RayResult[]}
 */
export function castRayAll(world, origin, translation, filter) {
  const call = 'cnWorld_CastRayAll';
  const value = handleOf(call, 'world', 'world', null, world);
  const { runtime } = world;
  try {
    const ray = writeNumbers(world, call, [
      ['origin', origin, 3],
      ['translation', translation, 3],
    ]);
    const seen = writeFilter(world, call, filter);
    return readList(
      world,
      call,
      bytesOf(world, 'cnRayResult'),
      (capacity, address) => runtime.raw._cnw_World_CastRayAll(value, ray, seen, address, capacity),
      (address) =>
        /** @type {import('../generated/types.js').RayResult} */ (
          readStruct(runtime, world, 'cnRayResult', address)
        ),
    );
  } finally {
    runtime.scratch.release();
  }
}

/**
 * @param {World} world @param {Float64Array} rays @param {RayOutputs} out @param {RayFilter} [filter]
 * @returns {RayOutputs}
 */
export function castRays(world, rays, out, filter) {
  const call = 'cnWorld_CastRays';
  const value = handleOf(call, 'world', 'world', null, world);
  if (!(rays instanceof Float64Array) || rays.length % 6 !== 0 || isDetached(rays))
    throw wrongType(call, 'rays', rays, 'are Float64Arrays with six numbers a ray');
  checkOptions(call, 'out', out);
  checkNames(call, 'out', out, ['geometries', 'fractions', 'normals']);
  const count = rays.length / 6;
  const { geometries, fractions, normals } = out;
  if (!(geometries instanceof Int32Array) || geometries.length < count || isDetached(geometries))
    throw wrongType(call, 'out.geometries', geometries, `are Int32Arrays with room for ${count} rows`);
  checkRoom(call, 'out.fractions', fractions, count);
  checkRoom(call, 'out.normals', normals, 3 * count);
  const { runtime } = world;
  try {
    const held = runtime.hold(rays);
    const seen = writeFilter(world, call, filter);
    const given = runtime.allocate(call, Math.max(8 * 6 * count, 16));
    const rows = runtime.allocate(call, Math.max(4 * count, 16));
    const along = fractions ? runtime.allocate(call, Math.max(8 * count, 16)) : 0;
    const upright = normals ? runtime.allocate(call, Math.max(24 * count, 16)) : 0;
    runtime.f64.set(held, given >>> 3);
    runtime.check(runtime.raw._cnw_World_CastRays(value, given, count, seen, rows, along, upright));
    geometries.set(runtime.i32.subarray(rows >>> 2, (rows >>> 2) + count));
    fractions?.set(runtime.f64.subarray(along >>> 3, (along >>> 3) + count));
    normals?.set(runtime.f64.subarray(upright >>> 3, (upright >>> 3) + 3 * count));
    return out;
  } finally {
    runtime.scratch.release();
  }
}

/** @param {string} call @param {string} argument @param {unknown} array @param {number} length */
function checkRoom(call, argument, array, length) {
  if (array === undefined) return;
  if (array instanceof Float64Array && array.length >= length && !isDetached(array)) return;
  throw wrongType(call, argument, array, `are Float64Arrays with room for ${length} numbers`);
}

/**
 * Runs `use` with a shape, which is made for it where a description is given.
 * @template T
 * @param {World} world @param {string} call @param {unknown} shape @param {(shape: Shape) => T} use
 * @returns {T}
 */
export function withShape(world, call, shape, use) {
  handleOf(call, 'world', 'world', null, world);
  const found = toShape(world, call, 'shape', shape);
  try {
    return use(found.shape);
  } finally {
    drop(world, found);
  }
}

/** @param {World} world @param {{ shape: Shape, isNew: boolean }} found */
function drop(world, { shape, isNew }) {
  if (!isNew) return;
  releaseShape(world, shape);
  Handle.retire(shape);
}

/**
 * @param {World} world @param {ShapeDescription | Shape} shape @param {import('./cairn.js').Pose} pose
 * @param {VectorLike} translation @param {RayFilter} [filter]
 * @returns {import('../generated/types.js').ShapeCastResult[]}
 */
export function castShapeAll(world, shape, pose, translation, filter) {
  const call = 'cnWorld_CastShapeAll';
  return withShape(world, call, shape, (made) => {
    const { runtime } = world;
    try {
      const { position, rotation } = fullPose(call, 'pose', pose);
      const way = writeNumbers(world, call, [
        ['pose.position', position, 3],
        ['pose.rotation', rotation, 4],
        ['translation', translation, 3],
      ]);
      const seen = writeFilter(world, call, filter);
      const value = handleOf(call, 'world', 'world', null, world);
      const shapeValue = handleOf(call, 'shape', 'shape', world, made);
      return readList(
        world,
        call,
        bytesOf(world, 'cnShapeCastResult'),
        (capacity, address) =>
          runtime.raw._cnw_World_CastShapeAll(value, shapeValue, way, seen, address, capacity),
        (address) =>
          /** @type {import('../generated/types.js').ShapeCastResult} */ (
            readStruct(runtime, world, 'cnShapeCastResult', address)
          ),
      );
    } finally {
      runtime.scratch.release();
    }
  });
}

/**
 * @param {World} world @param {FreeGeometry} geometry @param {RayFilter} [filter]
 * @returns {import('../generated/types.js').OverlapContact[]}
 */
export function testGeometryOverlap(world, geometry, filter) {
  const call = 'cnWorld_TestGeometryOverlap';
  const value = handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'geometry', geometry);
  const { shape, shapes, ...pose } = geometry;
  if (shape !== undefined && shapes !== undefined)
    throw wrongType(call, 'geometry.shapes', shapes, 'is geometry.shape or geometry.shapes, not both');
  if (shape === undefined && shapes === undefined)
    throw wrongType(
      call,
      'geometry.shape',
      shape,
      'are shape descriptions and Shapes, here or in geometry.shapes',
    );
  const placed = shapes ?? [{ shape: /** @type {ShapeDescription} */ (shape) }];
  if (!Array.isArray(placed) || placed.length === 0)
    throw outOfRange(call, 'geometry.shapes', placed, 'are arrays of at least one shape');
  /** @type {{ shape: Shape, isNew: boolean }[]} */
  const made = [];
  const { runtime } = world;
  try {
    const instances = placed.map((item, i) => {
      checkOptions(call, `geometry.shapes[${i}]`, item);
      const found = toShape(
        world,
        call,
        shapes ? `geometry.shapes[${i}].shape` : 'geometry.shape',
        item.shape,
      );
      made.push(found);
      return { ...item, shape: found.shape };
    });
    const def = writeStruct(runtime, world, call, 'geometry', 'cnGeometryDef', {
      ...pose,
      shapes: instances,
    });
    const seen = writeFilter(world, call, filter);
    return readList(
      world,
      call,
      bytesOf(world, 'cnOverlapContact'),
      (capacity, address) => runtime.raw._cnw_World_TestGeometryOverlap(value, def, seen, address, capacity),
      (address) =>
        /** @type {import('../generated/types.js').OverlapContact} */ (
          readStruct(runtime, world, 'cnOverlapContact', address)
        ),
    );
  } finally {
    runtime.scratch.release();
    for (const item of made) drop(world, item);
  }
}

/**
 * @param {World} world @param {VectorLike} lower @param {VectorLike} upper @param {RayFilter} [filter]
 * @returns {Geometry[]}
 */
export function testBoundingVolumeOverlap(world, lower, upper, filter) {
  const call = 'cnWorld_TestBoundingVolumeOverlap';
  handleOf(call, 'world', 'world', null, world);
  const { raw } = world.runtime;
  return listGeometries(
    world,
    call,
    raw._cnw_World_TestBoundingVolumeOverlap,
    [
      ['lower', lower, 3],
      ['upper', upper, 3],
    ],
    filter,
  );
}

/** @param {World} world @param {VectorLike} point @param {RayFilter} [filter] @returns {Geometry[]} */
export function findGeometriesAtPoint(world, point, filter) {
  const call = 'cnWorld_FindGeometriesAtPoint';
  handleOf(call, 'world', 'world', null, world);
  const { raw } = world.runtime;
  return listGeometries(world, call, raw._cnw_World_FindGeometriesAtPoint, [['point', point, 3]], filter);
}

/**
 * @param {World} world @param {string} call
 * @param {(world: number, numbers: number, filter: number, geometries: number, capacity:
 *   number) => number} ask
 * @param {[string, VectorLike, number][]} vectors @param {RayFilter} [filter]
 * @returns {Geometry[]}
 */
function listGeometries(world, call, ask, vectors, filter) {
  const value = handleOf(call, 'world', 'world', null, world);
  const { runtime } = world;
  try {
    const numbers = writeNumbers(world, call, vectors);
    const seen = writeFilter(world, call, filter);
    return readList(
      world,
      call,
      4,
      (capacity, address) => ask(value, numbers, seen, address, capacity),
      (address) => /** @type {Geometry} */ (world.objectOf('geometry', runtime.u32[address >>> 2])),
    );
  } finally {
    runtime.scratch.release();
  }
}
