// Many bodies made in one call from columns, and the list of them that the call gives.

import { checkInteger, checkNames, checkOptions } from '../core/checks.js';
import { flatVectors, isNumberArray } from '../core/vectors.js';
import { badNumber, CairnError, isDetached, outOfRange, wrongType } from '../core/errors.js';
import { handleOf, makeKey } from '../core/handle.js';
import { rowOf } from '../core/handle_rows.js';
import { mostRows } from '../generated/flags.js';
import { seal } from '../core/strict.js';
import { checkStruct, writeStruct } from '../core/structs.js';
import { withDamping } from './body.js';
import { missingShape, readGeometryOptions, withShapes } from './geometry.js';

/** @typedef {import('../core/vectors.js').NumbersLike} NumbersLike */
/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../generated/types.js').BodyDef} BodyDef */
/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./geometry.js').GeometryOptions} GeometryOptions */
/** @typedef {import('./material.js').Material} Material */
/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./shape.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./world.js').World} World */

/**
 * Numbers in a row, or a list of as many vectors as there are bodies.
 * @typedef {import('../core/checks.js').PointsLike} VectorColumn
 */
/**
 * Numbers in a row, or a list of as many rotations as there are bodies.
 * @typedef {NumbersLike | readonly QuaternionLike[]} RotationColumn
 */

/**
 * @typedef {Omit<import('./body.js').BodyOptions, 'name' | 'userData' | 'geometries' | 'lockTranslations'
 *   | 'lockRotations'>} CommonBodyOptions
 */

/**
 * Columns have `count` entries; what a column says of a body counts in place of what `body` says of all.
 * @typedef {object} BodiesOptions
 * @property {number} count of bodies, integer 0…2²⁰
 * @property {CommonBodyOptions} [body] what all have in common
 * @property {Omit<GeometryOptions, 'body'>} [geometry] what their geometries have in common, one a body
 * @property {VectorColumn} [positions] m, three numbers each
 * @property {RotationColumn} [rotations] x, y, z, w each, of length 1 within 1e-3
 * @property {VectorColumn} [velocities] m/s, three numbers each
 * @property {VectorColumn} [angularVelocities] rad/s, three numbers each
 * @property {NumbersLike} [masses] kg; 0: from the geometry
 * @property {(Shape | ShapeDescription)[]} [shapes] of each geometry, in place of `geometry.shape`
 * @property {(Material | null)[]} [materials] of each geometry, in place of `geometry.material`
 */

const call = 'cnCreateBodies';
const largest = 1e30;

/** Columns of numbers and how many numbers a body has in them, in the order of cnw_CreateBodies. */
const numberColumns = /** @type {const} */ ([
  ['positions', 3],
  ['rotations', 4],
  ['velocities', 3],
  ['angularVelocities', 3],
  ['masses', 1],
]);
const optionNames = [
  'count',
  'body',
  'geometry',
  ...numberColumns.map(([name]) => name),
  'shapes',
  'materials',
];

// ---- the list ---------------------------------------------------------------------------------------------

/**
 * Bodies made together, in the order of their columns. It holds their handles; a `Body` is made where one is
 * asked for.
 */
export class Bodies {
  #world;
  #handles;
  /** @type {Int32Array | null} */
  #rows = null;

  /** @internal @param {symbol} key @param {World} world @param {Uint32Array} handles */
  constructor(key, world, handles) {
    if (key !== makeKey)
      throw new CairnError('WRONG_TYPE', 'Bodies', 'new', 'Bodies are made by world.createBodies()');
    this.#world = world;
    this.#handles = handles;
    seal(this);
  }

  /** @returns {World} */
  get world() {
    return this.#world;
  }

  /** How many were made. @returns {number} */
  get length() {
    return this.#handles.length;
  }

  /** Their rows in `world.columns.bodies`, the same array every time. @returns {Int32Array} */
  get rows() {
    this.#rows ??= Int32Array.from(this.#handles, rowOf);
    return this.#rows;
  }

  /** Null for one that was destroyed. @param {number} i 0…length − 1 @returns {Body | null} */
  at(i) {
    const name = 'Bodies.at';
    handleOf(name, 'world', 'world', null, this.#world);
    checkInteger(name, 'i', i);
    if (i < 0 || i >= this.#handles.length)
      throw outOfRange(name, 'i', i, `are integers 0…${this.#handles.length - 1}`);
    const value = this.#handles[i];
    return this.#isThere(value) ? /** @type {Body} */ (this.#world.objectOf('body', value)) : null;
  }

  /** Whether a body was not destroyed. @param {number} value its handle */
  #isThere(value) {
    const { handle, rows } = this.#world.columns.bodies;
    const row = rowOf(value);
    return row < rows && handle[row] === value;
  }

  /** What is locked is held where it was placed. */
  #moveLocks() {
    this.#world.locks.moveThose(({ handle }) => this.#handles.includes(handle));
  }

  /** Those that were not destroyed, in order. @returns {IterableIterator<Body>} */
  *[Symbol.iterator]() {
    for (let i = 0; i < this.#handles.length; ++i) {
      const body = this.at(i);
      if (body) yield body;
    }
  }

  // ---- all at once ----------------------------------------------------------------------------------------
  //
  // What methods of a body do, for each in order; those that were destroyed are left out. All numbers are
  // checked before the first body changes.

  /** Places the model frames; velocities stay. @param {VectorColumn} positions m @returns {void} */
  setPositions(positions) {
    const { raw } = this.#world.runtime;
    this.#setAll('Bodies.setPositions', 'positions', positions, 3, raw._cnw_Body_SetPosition);
    this.#moveLocks();
  }

  /** @param {RotationColumn} rotations x, y, z, w each, of length 1 within 1e-3 @returns {void} */
  setRotations(rotations) {
    const { raw } = this.#world.runtime;
    this.#setAll('Bodies.setRotations', 'rotations', rotations, 4, raw._cnw_Body_SetRotation);
    this.#moveLocks();
  }

  /** Of the centres of mass. @param {VectorColumn} velocities m/s @returns {void} */
  setVelocities(velocities) {
    const { raw } = this.#world.runtime;
    this.#setAll('Bodies.setVelocities', 'velocities', velocities, 3, raw._cnw_Body_SetVelocity);
  }

  /** @param {VectorColumn} angularVelocities rad/s @returns {void} */
  setAngularVelocities(angularVelocities) {
    const { raw } = this.#world.runtime;
    const name = 'Bodies.setAngularVelocities';
    this.#setAll(name, 'angularVelocities', angularVelocities, 3, raw._cnw_Body_SetAngularVelocity);
  }

  /** At the centres of mass, in the next step. @param {VectorColumn} forces N @returns {void} */
  applyForces(forces) {
    const { raw } = this.#world.runtime;
    this.#setAll('Bodies.applyForces', 'forces', forces, 3, raw._cnw_Body_ApplyForce);
  }

  /** In the next step. @param {VectorColumn} torques N m @returns {void} */
  applyTorques(torques) {
    const { raw } = this.#world.runtime;
    this.#setAll('Bodies.applyTorques', 'torques', torques, 3, raw._cnw_Body_ApplyTorque);
  }

  /**
   * @param {string} name of the method @param {string} argument @param {unknown} column
   * @param {3 | 4} lanes
   * @param {(world: number, body: number, x: number, y: number, z: number, w: number) => number} set
   */
  #setAll(name, argument, column, lanes, set) {
    const world = handleOf(name, 'world', 'world', null, this.#world);
    const handles = this.#handles;
    const numbers = checkColumn(name, argument, column, handles.length, lanes);
    checkAll(name, argument, numbers, lanes);
    // so that a column of the world itself, which the calls change, is read before
    const values = this.#world.runtime.hold(numbers);
    for (let i = 0; i < handles.length; ++i) {
      if (!this.#isThere(handles[i])) continue;
      const at = lanes * i;
      const w = lanes === 4 ? values[at + 3] : 0;
      this.#world.runtime.check(set(world, handles[i], values[at], values[at + 1], values[at + 2], w));
    }
  }

  /** Takes those out of the world that are left, with their geometries and constraints. @returns {void} */
  destroy() {
    handleOf('Bodies.destroy', 'world', 'world', null, this.#world);
    for (const body of this) body.destroy();
  }
}

// ---- making them ------------------------------------------------------------------------------------------

/**
 * Makes many bodies with a geometry each, all or none.
 * @param {World} world
 * @param {unknown} options BodiesOptions
 * @returns {Bodies}
 */
export function makeBodies(world, options) {
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'def', options);
  checkNames(call, 'def', options, optionNames);
  const { count, body: given = {}, geometry, shapes, materials } = options;
  checkCount(count);
  const numbers = numberColumns.map(([name, lanes]) =>
    options[name] === undefined ? undefined : checkColumn(call, `def.${name}`, options[name], count, lanes),
  );
  checkList('def.shapes', shapes, count);
  checkList('def.materials', materials, count);
  const body = checkBody(world, given);
  const parts = geometry === undefined ? null : readGeometryOptions(world, call, 'def.geometry', geometry);
  if (parts !== null && parts.placed.length === 0 && shapes === undefined)
    throw missingShape(call, 'def.geometry');

  // equal descriptions are one shape
  const placed = parts?.placed ?? [];
  const items = placed.map(({ shape }) => shape);
  const ownShapes = shapes === undefined ? [] : [...new Set(shapes)];
  const nameOf = (/** @type {number} */ i) =>
    i < placed.length && parts !== null
      ? parts.nameOf(i)
      : `def.shapes[${shapes?.indexOf(ownShapes[i - placed.length])}]`;
  return withShapes(world, call, nameOf, [...items, ...ownShapes], (made) => {
    const instances = placed.map((item, i) => ({ ...item, shape: made[i] }));
    const handles = new Map(
      ownShapes.map((item, i) => {
        const k = placed.length + i;
        return [item, handleOf(call, nameOf(k), 'shape', world, made[k])];
      }),
    );
    const bodies = new Bodies(
      makeKey,
      world,
      create(world, {
        count,
        body,
        geometry: parts === null ? null : { ...parts.rest, shapes: instances },
        groups: numbersOf(world, parts?.groups ?? []),
        numbers,
        shapes: shapes?.map((item) => /** @type {number} */ (handles.get(item))),
        materials: materials === undefined ? undefined : handlesOf(world, materials),
      }),
    );
    const masses = /** @type {number[] | undefined} */ (options.masses); // any array has every()
    const isGiven = masses?.every((mass) => mass > 0) ?? Number(body.mass) > 0;
    const { volume } = world.columns.shapes;
    const isSolid = parts?.rest.massProperties !== false && made.every(({ index }) => volume[index] > 0);
    const isDynamic = (body.motion ?? 'dynamic') === 'dynamic';
    if (isDynamic && !isGiven && !(made.length > 0 && isSolid)) {
      for (const item of bodies) world.massChecks.add(item);
    }
    return bodies;
  });
}

/** @param {World} world @param {unknown} body @returns {BodyDef} with dampings as vectors */
function checkBody(world, body) {
  checkOptions(call, 'def.body', body);
  if (body.geometries !== undefined) {
    const text = 'def.body has no geometries, the geometry of each body is def.geometry';
    throw new CairnError('UNKNOWN_NAME', call, 'def.body.geometries', text);
  }
  const def = withDamping(call, 'def.body', body);
  checkStruct(world.runtime, world, call, 'def.body', 'cnBodyDef', def);
  return def;
}

/** @param {unknown} count @returns {asserts count is number} */
function checkCount(count) {
  checkInteger(call, 'def.count', count);
  if (count < 0 || count > mostRows) throw outOfRange(call, 'def.count', count, `are integers 0…${mostRows}`);
}

/**
 * Numbers in a row, of typed arrays as they are.
 * @param {string} name of the call @param {string} argument @param {unknown} column
 * @param {number} count @param {number} lanes
 * @returns {NumbersLike}
 */
function checkColumn(name, argument, column, count, lanes) {
  const isList = Array.isArray(column) && lanes > 1 && column.length === count;
  if (isList && typeof column[0] === 'object') return flatVectors(name, argument, column, lanes);
  if (
    !isNumberArray(column) ||
    column.length !== lanes * count ||
    (ArrayBuffer.isView(column) && isDetached(column))
  ) {
    const list = lanes > 1 ? `, and lists of ${count} ${lanes === 3 ? 'vectors' : 'rotations'}` : '';
    const allowed = `are arrays and typed arrays of ${lanes * count} numbers, ${lanes} a body${list}`;
    throw wrongType(name, argument, column, allowed);
  }
  for (let i = 0; Array.isArray(column) && i < column.length; ++i) {
    if (typeof column[i] !== 'number')
      throw badNumber(name, `${argument}[${Math.floor(i / lanes)}]`, column[i]);
  }
  return column;
}

/**
 * What the engine would refuse in one of them, so that none is changed.
 * @param {string} name of the call @param {string} argument @param {NumbersLike} numbers @param {3 | 4} lanes
 */
function checkAll(name, argument, numbers, lanes) {
  for (let i = 0; i < numbers.length; ++i) {
    const number = numbers[i];
    if (Math.abs(number) <= largest) continue;
    const item = `${argument}[${Math.floor(i / lanes)}]`;
    if (!Number.isFinite(number)) throw badNumber(name, item, number);
    throw outOfRange(name, item, number, `are magnitudes up to ${largest}`);
  }
  for (let i = 0; lanes === 4 && i < numbers.length; i += 4) {
    const [x, y, z, w] = [numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]];
    const length = Math.sqrt(x * x + y * y + z * z + w * w);
    if (length !== 0 && Math.abs(length - 1) > 1e-3) {
      const text = `${argument}[${i / 4}] has length ${length}, allowed is 1 within 1e-3`;
      throw new CairnError('OUT_OF_RANGE', name, `${argument}[${i / 4}]`, text);
    }
  }
}

/**
 * @param {string} argument @param {unknown} list @param {number} count
 * @returns {asserts list is unknown[] | undefined}
 */
function checkList(argument, list, count) {
  if (list === undefined || (Array.isArray(list) && list.length === count)) return;
  throw wrongType(call, argument, list, `are arrays of ${count}, one a body`);
}

/** @param {World} world @param {(number | string)[]} groups @returns {number[]} */
function numbersOf(world, groups) {
  return groups.map((group, i) => world.groupOf(call, `def.geometry.groups[${i}]`, group));
}

/** @param {World} world @param {unknown[]} materials @returns {number[]} */
function handlesOf(world, materials) {
  /** @type {Map<unknown, number>} */
  const known = new Map();
  for (const material of new Set(materials)) {
    const argument = `def.materials[${materials.indexOf(material)}]`;
    known.set(material, handleOf(call, argument, 'material', world, material));
  }
  return materials.map((material) => /** @type {number} */ (known.get(material)));
}

/**
 * Hands all to the engine.
 * @param {World} world
 * @param {{ count: number, body: unknown, geometry: object | null, groups: number[],
 *   numbers: (NumbersLike | undefined)[], shapes: number[] | undefined,
 *   materials: number[] | undefined }} batch
 * @returns {Uint32Array} handles
 */
function create(world, { count, body, geometry, groups, numbers, shapes, materials }) {
  const { runtime } = world;
  try {
    // columns may be views of the memory that is about to grow
    const held = numbers.map((column) => runtime.hold(column));
    const addresses = [
      ...held.map((column) => write(runtime, column, 8)),
      ...[shapes, materials, groups].map((column) => write(runtime, column, 4)),
    ];
    const bodyDef = writeStruct(runtime, world, call, 'def.body', 'cnBodyDef', body);
    const geometryDef =
      geometry === null ? 0 : writeStruct(runtime, world, call, 'def.geometry', 'cnGeometryDef', geometry);
    const columns = runtime.allocate(call, 4 * addresses.length);
    const made = runtime.allocate(call, Math.max(4 * count, 16));
    runtime.u32.set(addresses, columns >>> 2);
    const { raw } = runtime;
    runtime.check(
      raw._cnw_CreateBodies(world.handle, count, bodyDef, geometryDef, columns, groups.length, made),
    );
    return runtime.u32.slice(made >>> 2, (made >>> 2) + count);
  } finally {
    runtime.scratch.release();
  }
}

/**
 * @param {import('../core/runtime.js').Runtime} runtime
 * @param {NumbersLike | undefined} column @param {8 | 4} bytes of a number: doubles or unsigned integers
 * @returns {number} address, 0 without a column
 */
function write(runtime, column, bytes) {
  if (column === undefined) return 0;
  const address = runtime.allocate(call, Math.max(bytes * column.length, 16));
  if (bytes === 8) runtime.f64.set(column, address >>> 3);
  else runtime.u32.set(column, address >>> 2);
  return address;
}
