// Geometries: shapes with a pose and a material, on a body or as static geometry.

import { checkNames, checkOptions, checkUnsigned } from '../core/checks.js';
import { CairnError, within, wrongType } from '../core/errors.js';
import { ContactStates, GeometryFlags } from '../generated/flags.js';
import {
  createGeometry,
  destroyGeometry,
  geometryAddGroup,
  geometryFindSurfacePoint,
  geometryGetBody,
  geometryGetSensor,
  geometryGetSurfaceVelocity,
  geometryIsInGroup,
  geometryIsValid,
  geometryRemoveGroup,
  geometrySetCollisions,
  geometrySetEnabled,
  geometrySetMassProperties,
  geometrySetMergeable,
  geometrySetSplittable,
  geometrySetMaterial,
  geometrySetPose,
  geometrySetSensor,
  geometrySetShape,
  geometrySetSurfaceVelocity,
  releaseShape,
} from '../generated/calls.js';
import { Handle, handleOf } from '../core/handle.js';
import { checkStruct } from '../core/structs.js';
import { toShape } from './shape.js';
import { ObjectWithEvents } from './object_with_events.js';

/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./material.js').Material} Material */
/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./shape.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./world.js').World} World */

/**
 * One shape of a geometry, placed in the geometry's frame (m).
 * @typedef {object} PlacedShape
 * @property {ShapeDescription | Shape} shape
 * @property {VectorLike} [position]
 * @property {QuaternionLike} [rotation]
 */

/**
 * @typedef {object} OwnGeometryOptions
 * @property {string} [name] for `world.findGeometry()`; once among the geometries of a world
 * @property {unknown} [userData]
 * @property {Body | null} [body] null: static geometry that belongs to no body
 * @property {ShapeDescription | Shape} [shape] the only one, at the geometry's frame
 * @property {PlacedShape[]} [shapes] instead of `shape`
 * @property {(number | string)[]} [groups] integers 0…2³²−1 or names, at most 16
 * @property {Sensor} [sensor] false
 *
 * @typedef {OwnGeometryOptions & Omit<import('../generated/types.js').GeometryDef, 'body' | 'shapes'
 *   | 'sensor'>} GeometryOptions
 */

/** A sensor's contacts are found and never solved. @typedef {boolean | 'overlapOnly'} Sensor */

const call = 'cnCreateGeometry';
// groups that a geometry may be in: told before it is made, so that nothing has to be undone
const MOST_GROUPS = 16;

/**
 * One or more shapes with a pose and a material.
 * @extends {ObjectWithEvents<import('../events/event_types.js').ContactEventMap>}
 */
export class Geometry extends ObjectWithEvents {
  /** @param {symbol} key @param {World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'geometry', world, value);
  }

  /** Whether the handle still names a geometry. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && geometryIsValid(this.world, this);
  }

  /** Undefined: none. @returns {string | undefined} */
  get name() {
    within('Geometry.name', () => geometryGetBody(this.world, this));
    return this.world.names.nameOf(this);
  }

  /** `NAME_TAKEN` where another geometry of the world has it. @param {string | undefined} name */
  set name(name) {
    within('Geometry.name', () => geometryGetBody(this.world, this));
    this.world.names.check('Geometry.name', 'name', 'geometry', name, this);
    this.world.names.set('geometry', this, name);
  }

  /** The body it is on, null for static geometry. @returns {Body | null} */
  get body() {
    const { world } = this;
    return /** @type {Body | null} */ (world.objectOf('body', geometryGetBody(world, this)));
  }

  /**
   * Pose in the body's model frame, or in the world for static geometry.
   * @param {VectorLike} position m
   * @param {QuaternionLike} rotation of length 1 within 1e-3
   * @returns {void}
   */
  setPose(position, rotation) {
    geometrySetPose(this.world, this, position, rotation);
    this.world.events.doubt(this.index);
  }

  /**
   * One shape, at the geometry's frame, in place of those that it has. Its contacts end and are found again
   * in the next step; mass, inertia and centre of mass of its body follow as far as they are not given.
   * @param {ShapeDescription | Shape} shape
   * @returns {void}
   */
  setShape(shape) {
    const { world } = this;
    handleOf('cnGeometry_SetShape', 'geometry', 'geometry', world, this);
    withShapes(
      world,
      'cnGeometry_SetShape',
      () => 'shape',
      [shape],
      ([made]) => geometrySetShape(world, this, made),
    );
    world.events.doubt(this.index);
  }

  /**
   * A disabled geometry does not collide, and no query finds it; its body weighs what it did
   * (`massProperties`).
   * @returns {boolean}
   */
  get enabled() {
    return this.#flag(GeometryFlags.enabled);
  }

  /** @param {boolean} enabled */
  set enabled(enabled) {
    geometrySetEnabled(this.world, this, enabled);
  }

  /** Whether it collides. @returns {boolean} */
  get collisions() {
    return this.#flag(GeometryFlags.collides);
  }

  /** @param {boolean} collisions */
  set collisions(collisions) {
    geometrySetCollisions(this.world, this, collisions);
  }

  /** Whether adaptive merging may merge bodies that rest on one another there. @returns {boolean} */
  get mergeable() {
    return !this.#flag(GeometryFlags.unmergeable);
  }

  /** @param {boolean} mergeable */
  set mergeable(mergeable) {
    geometrySetMergeable(this.world, this, mergeable);
  }

  /** Whether its contacts split what has been merged, by blows and loads. @returns {boolean} */
  get splittable() {
    return !this.#flag(GeometryFlags.unsplittable);
  }

  /** @param {boolean} splittable */
  set splittable(splittable) {
    geometrySetSplittable(this.world, this, splittable);
  }

  /** Whether its shapes count for the body's mass. @returns {boolean} */
  get massProperties() {
    return this.#flag(GeometryFlags.givesMass);
  }

  /** @param {boolean} massProperties */
  set massProperties(massProperties) {
    geometrySetMassProperties(this.world, this, massProperties);
  }

  /**
   * Whether its contacts are found and listed, and never solved: true, with points; 'overlapOnly', telling
   * only that shapes overlap.
   * @returns {Sensor}
   */
  get sensor() {
    const mode = geometryGetSensor(this.world, this);
    return mode === 'overlapOnly' ? mode : mode === 'on';
  }

  /** @param {Sensor} sensor */
  set sensor(sensor) {
    geometrySetSensor(this.world, this, toSensor('cnGeometry_SetSensor', 'sensor', sensor));
    this.world.events.doubt(this.index);
  }

  /**
   * The point of its surface next to a point, outside or inside; of several shapes, of their union.
   * @param {VectorLike} point m, world
   * @param {import('../generated/types.js').SurfaceDistance} [out]
   * @returns {import('../generated/types.js').SurfaceDistance} distance < 0 inside
   */
  findSurfacePoint(point, out) {
    return geometryFindSurfacePoint(this.world, this, point, out);
  }

  /** m/s in the geometry's frame. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getSurfaceVelocity(out) {
    return geometryGetSurfaceVelocity(this.world, this, out);
  }

  /**
   * Added to its surface's velocity in friction: a conveyor.
   * @param {VectorLike} velocity m/s, in the geometry's frame
   * @returns {void}
   */
  setSurfaceVelocity(velocity) {
    geometrySetSurfaceVelocity(this.world, this, velocity);
  }

  /** Null: the default material. @returns {Material | null} */
  get material() {
    const { world } = this;
    const row = this.#row();
    return world.materialAt(world.columns.geometries.material[row]);
  }

  /** @param {Material | null} material */
  set material(material) {
    geometrySetMaterial(this.world, this, material);
  }

  /** @param {number | string} group integer 0…2³²−1, or a name; a geometry may be in 16 @returns {void} */
  addGroup(group) {
    geometryAddGroup(this.world, this, this.world.groupOf('cnGeometry_AddGroup', 'group', group));
  }

  /** @param {number | string} group @returns {void} */
  removeGroup(group) {
    geometryRemoveGroup(this.world, this, this.world.groupOf('cnGeometry_RemoveGroup', 'group', group));
  }

  /** @param {number | string} group @returns {boolean} */
  isInGroup(group) {
    const number = this.world.groupOf('cnGeometry_IsInGroup', 'group', group);
    return geometryIsInGroup(this.world, this, number);
  }

  /**
   * Of a sensor: what overlaps it, as the last step found it, in the order of its contacts. `geometry.body`
   * is who it belongs to.
   * @returns {Geometry[]}
   */
  getOverlaps() {
    const name = 'Geometry.getOverlaps';
    handleOf(name, 'this', 'geometry', this.world, this);
    if (!this.#flag(GeometryFlags.sensor))
      throw wrongType(name, 'this', this, 'are sensors; world.contacts() has what touches others');
    return this.#overlaps();
  }

  #overlaps() {
    const { world, index } = this;
    const { rows, state, pair, geometry1, geometry2 } = world.columns.contacts;
    /** @type {Set<Geometry>} */
    const found = new Set();
    for (let row = 0; row < rows; ++row) {
      if (pair[row] < 0 || state[row] === ContactStates.separation) continue;
      const other =
        geometry1[row] === index ? geometry2[row] : geometry2[row] === index ? geometry1[row] : -1;
      const geometry = other < 0 ? null : world.geometryAt(other);
      if (geometry) found.add(geometry);
    }
    return [...found];
  }

  /** Takes it out of the world. @returns {void} */
  destroy() {
    const { world } = this;
    destroyGeometry(world, this);
    world.names.set('geometry', this, undefined);
    Handle.retire(this);
    this.world.events.noteGone();
  }

  /** Row of a geometry that lives. */
  #row() {
    geometryGetBody(this.world, this);
    return this.index;
  }

  /** @param {number} bit */
  #flag(bit) {
    return (this.world.columns.geometries.flags[this.#row()] & bit) !== 0;
  }
}

/**
 * What options of geometries are made of, checked as far as that goes before shapes are made.
 * @typedef {object} GeometryParts
 * @property {Record<string, unknown>} rest what goes into cnGeometryDef, without shapes
 * @property {PlacedShape[]} placed
 * @property {(i: number) => string} nameOf argument of a placed shape
 * @property {(number | string)[]} groups
 */

/**
 * @param {World} world @param {string} name of the call @param {string} argument
 * @param {unknown} options GeometryOptions
 * @returns {GeometryParts}
 */
export function readGeometryOptions(world, name, argument, options) {
  checkOptions(name, argument, options);
  const { shape, shapes, groups, sensor, ...others } = options;
  const rest =
    sensor === undefined ? others : { ...others, sensor: toSensor(name, `${argument}.sensor`, sensor) };
  const placed = placedShapes(name, argument, shape, shapes);
  checkGroups(name, `${argument}.groups`, groups);
  const poses = placed.map(({ position, rotation }) => ({ position, rotation }));
  checkStruct(world.runtime, world, name, argument, 'cnGeometryDef', { ...rest, shapes: poses });
  return {
    rest,
    placed,
    nameOf: (i) => (shapes === undefined ? `${argument}.shape` : `${argument}.shapes[${i}].shape`),
    groups: groups ?? [],
  };
}

/**
 * Runs `use` with a shape for each item: those that descriptions are made into belong to what it makes alone.
 * @template T
 * @param {World} world @param {string} name of the call @param {(i: number) => string} nameOf
 * @param {unknown[]} items shapes and descriptions
 * @param {(shapes: Shape[]) => T} use
 * @returns {T}
 */
export function withShapes(world, name, nameOf, items, use) {
  /** @type {Shape[]} */
  const made = [];
  try {
    return use(
      items.map((item, i) => {
        const found = toShape(world, name, nameOf(i), item);
        if (found.isNew) made.push(found.shape);
        return found.shape;
      }),
    );
  } finally {
    for (const item of made) {
      releaseShape(world, item);
      Handle.retire(item);
    }
  }
}

/**
 * Makes a geometry; where that fails nothing is left behind.
 * @param {World} world
 * @param {unknown} options GeometryOptions
 * @returns {Geometry}
 */
export function makeGeometry(world, options) {
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'def', options);
  const { name, userData, ...engine } = options;
  world.names.check(call, 'def.name', 'geometry', name);
  const { rest, placed, nameOf, groups } = readGeometryOptions(world, call, 'def', engine);
  if (placed.length === 0) throw missingShape(call, 'def');
  const items = placed.map(({ shape }) => shape);
  return withShapes(world, call, nameOf, items, (shapes) => {
    const instances = placed.map((item, i) => ({ ...item, shape: shapes[i] }));
    const def = /** @type {import('../generated/types.js').GeometryDef} */ ({ ...rest, shapes: instances });
    const geometry = /** @type {Geometry} */ (world.objectOf('geometry', createGeometry(world, def)));
    if (groups.length > 0) addGroups(geometry, groups);
    if (name !== undefined) geometry.name = /** @type {string} */ (name);
    if (userData !== undefined) geometry.userData = userData;
    return geometry;
  });
}

/** @param {string} name of the call @param {string} argument @returns {CairnError} */
export function missingShape(name, argument) {
  const text = `${argument}.shape is missing, a geometry needs shape or shapes`;
  return new CairnError('WRONG_TYPE', name, `${argument}.shape`, text);
}

/**
 * @param {string} name @param {string} argument @param {unknown} sensor
 * @returns {import('../generated/types.js').SensorMode}
 */
function toSensor(name, argument, sensor) {
  if (sensor === 'overlapOnly') return sensor;
  if (typeof sensor !== 'boolean')
    throw wrongType(name, argument, sensor, "are false, true and 'overlapOnly'");
  return sensor ? 'on' : 'off';
}

/** @param {Geometry} geometry @param {(number | string)[]} groups */
function addGroups(geometry, groups) {
  try {
    for (const group of groups) geometry.addGroup(group);
  } catch (error) {
    geometry.destroy();
    throw error;
  }
}

/**
 * None where neither is given.
 * @param {string} name of the call @param {string} argument @param {unknown} shape @param {unknown} shapes
 * @returns {PlacedShape[]}
 */
function placedShapes(name, argument, shape, shapes) {
  if (shapes === undefined)
    return shape === undefined ? [] : [{ shape: /** @type {ShapeDescription} */ (shape) }];
  const list = `${argument}.shapes`;
  if (shape !== undefined)
    throw new CairnError(
      'WRONG_TYPE',
      name,
      list,
      `${list} is given together with ${argument}.shape, allowed is one of them`,
    );
  if (!Array.isArray(shapes) || shapes.length === 0)
    throw wrongType(name, list, shapes, 'are arrays of at least one { shape, position, rotation }');
  shapes.forEach((item, i) => {
    checkOptions(name, `${list}[${i}]`, item);
    checkNames(name, `${list}[${i}]`, item, ['shape', 'position', 'rotation']);
  });
  return shapes;
}

/**
 * @param {string} name of the call @param {string} argument @param {unknown} groups
 * @returns {asserts groups is (number | string)[] | undefined}
 */
function checkGroups(name, argument, groups) {
  if (groups === undefined) return;
  if (!Array.isArray(groups)) throw wrongType(name, argument, groups, 'are arrays of integers and names');
  groups.forEach((group, i) => {
    const item = `${argument}[${i}]`;
    if (typeof group !== 'string') checkUnsigned(name, item, group);
    else if (group === '')
      throw new CairnError(
        'OUT_OF_RANGE',
        name,
        item,
        `${item} is '', allowed are names of a letter at least`,
      );
  });
  const { size } = new Set(groups);
  if (size > MOST_GROUPS)
    throw new CairnError(
      'TOO_MANY',
      name,
      argument,
      `${argument} has ${size} groups, allowed are up to ${MOST_GROUPS}`,
    );
}
