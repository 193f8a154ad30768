// The physics of a page that three.js draws: its meshes as bodies, and its objects where the bodies are.

import { Matrix4, Quaternion, Vector3 } from 'three';
import { checkNames, checkOptions } from '../core/checks.js';
import { CairnError, describe, wrongType } from '../core/errors.js';
import { checkAdvanceOptions } from '../core/clock.js';
import { Handle, handleOf } from '../core/handle.js';
import { makeStrict, rejectSurplus, seal } from '../core/strict.js';
import { checkVector } from '../core/vectors.js';
import { BoundInstances } from './bound_instances.js';
import { BoundObject, ParentFrame } from './bound_object.js';
import { LedBody } from './led_body.js';
import { nameOf } from './object_names.js';
import { linearOf } from './linear_maps.js';
import { MaterialShelf, readMeshOptions } from './mesh_options.js';
import { rigidFrameOf } from './rigid_frames.js';
import { ShapeStore } from './shape_store.js';

/** @typedef {import('three').InstancedMesh} InstancedMesh */
/** @typedef {import('three').Mesh} Mesh */
/** @typedef {import('three').Object3D} Object3D */
/** @typedef {import('../index.js').AdvanceOptions} AdvanceOptions */
/** @typedef {import('../index.js').Bodies} Bodies */
/** @typedef {import('../index.js').Body} Body */
/** @typedef {import('../index.js').Cairn} Cairn */
/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../index.js').VectorLike} VectorLike */
/** @typedef {import('../index.js').World} World */
/** @typedef {import('../index.js').WorldOptions} WorldOptions */
/** @typedef {import('./mesh_options.js').MeshOptions} MeshOptions */
/** @typedef {import('./mesh_options.js').MeshSettings} MeshSettings */
/** @typedef {import('./rigid_frames.js').RigidFrame} RigidFrame */
/** @typedef {import('./shape_store.js').StoredShape} StoredShape */

/** @typedef {BoundObject | BoundInstances | LedBody} Binding */

/** Gravity of the worlds that are made here: y is up, as in three.js. m/s² */
const GRAVITY = Object.freeze([0, -9.80665, 0]);

/**
 * Physics for a scene of three.js.
 *
 * @param {Cairn | World} engine what `load()` gave, for a world of its own in which y is up; or a world
 * @param {WorldOptions} [options] of its own world
 * @returns {Physics}
 */
export function createPhysics(engine, options) {
  const call = 'createPhysics';
  rejectSurplus(call, arguments, 2);
  if (Handle.kindOf(engine) === 'world') {
    if (options !== undefined)
      throw wrongType(call, 'options', options, 'are none beside a world, which has its own');
    return new Physics(/** @type {World} */ (engine), false);
  }
  if (typeof (/** @type {Partial<Cairn> | null} */ (engine)?.createWorld) !== 'function')
    throw wrongType(call, 'engine', engine, 'are what load() gives and a World');
  if (options !== undefined) checkOptions(call, 'options', options);
  const world = /** @type {Cairn} */ (engine).createWorld({ gravity: GRAVITY, ...options });
  return new Physics(world, true);
}

/**
 * Meshes and other objects of three.js, and the bodies of a world that they are bound to. The world's frame
 * is that of three's world matrices, m.
 */
export class Physics {
  /** The world: queries, joints, listeners, forces. @type {World} @readonly */
  world;

  #ownsWorld;
  #shapes;
  #materials;
  #frame = new ParentFrame();
  /** @type {Map<Object3D, Binding>} */
  #bindings = new Map();
  /** Those that follow bodies, parents first. @type {(BoundObject | BoundInstances)[]} */
  #followers = [];
  /** @type {LedBody[]} */
  #leaders = [];
  /** Bodies that were made here, by object: they end with it. @type {Map<Object3D, Body | Bodies>} */
  #made = new Map();
  /** Objects by the rows of their bodies. @type {({ binding: Binding, instanceId: number } | undefined)[]} */
  #byRow = [];
  #isSorted = true;
  #isDisposed = false;
  /** @type {AdvanceOptions} of an update with leaders; the same object every time */
  #advanceOptions = {};
  /** @type {AdvanceOptions['beforeStep']} */
  #usersBeforeStep = undefined;

  /** @internal @param {World} world @param {boolean} ownsWorld */
  constructor(world, ownsWorld) {
    this.world = world;
    this.#ownsWorld = ownsWorld;
    this.#shapes = new ShapeStore(world);
    this.#materials = new MaterialShelf(world);
    seal(this);
  }

  // ---- meshes ---------------------------------------------------------------------------------------------

  /**
   * Makes a body for a mesh, or one for each instance of an InstancedMesh, where it is now.
   * @template {Mesh} T
   * @param {T} mesh
   * @param {MeshOptions} [options]
   * @returns {T extends InstancedMesh ? Bodies : Body}
   */
  addMesh(mesh, options = {}) {
    const call = 'physics.addMesh';
    if (mesh?.isMesh !== true)
      throw wrongType(call, 'mesh', mesh, 'are Meshes and InstancedMeshes of three.js');
    return /** @type {any} */ (this.#add(call, mesh, [mesh], options));
  }

  /**
   * Makes one body of all meshes in an object, a group or a model that was loaded, say. Meshes with a
   * `userData.physics` of their own, and what is below them, are not part of it.
   * @param {Object3D} object its frame is the body's
   * @param {MeshOptions} [options] its `shape` is that of each mesh
   * @returns {Body}
   */
  addCompound(object, options = {}) {
    const call = 'physics.addCompound';
    checkObject(call, 'object', object);
    if (isInstanced(object))
      throw wrongType(call, 'object', object, 'are all but InstancedMeshes: see addMesh');
    return /** @type {Body} */ (this.#add(call, object, partsOf(object, object), options));
  }

  /**
   * Adds all objects in a scene that have options in their `userData.physics`: meshes by `addMesh`, others by
   * `addCompound`. Those that were added before are left as they are.
   * @param {Object3D} scene
   * @returns {Object3D[]} that were added
   */
  addScene(scene) {
    const call = 'physics.addScene';
    checkObject(call, 'scene', scene);
    /** @type {Object3D[]} */
    const added = [];
    try {
      scene.traverse((object) => {
        if (object.userData.physics === undefined || this.#bindings.has(object)) return;
        const isMesh = /** @type {Mesh} */ (object).isMesh === true;
        const meshes = isMesh ? [/** @type {Mesh} */ (object)] : partsOf(object, object);
        this.#add(call, object, meshes, object.userData.physics);
        added.push(object);
      });
    } catch (error) {
      for (const object of added) this.remove(object); // all or none
      throw error;
    }
    return added;
  }

  /**
   * Takes an object out, and its bodies with it where `addMesh`, `addCompound` or `addScene` made them.
   * @param {Object3D} object
   * @returns {boolean} whether it was in
   */
  remove(object) {
    const made = this.#made.get(object);
    if (!this.unbind(object)) return false;
    if (made !== undefined) destroy(made);
    return true;
  }

  // ---- binding --------------------------------------------------------------------------------------------

  /**
   * Lets an object follow a body of the world, at the body's model frame or at a place in it; it keeps its
   * scale.
   * @template {Object3D} T
   * @param {T} object
   * @param {Body} body
   * @param {{ position?: VectorLike, rotation?: QuaternionLike }} [place] m, of the object in the model frame
   * @returns {T} the object
   */
  bind(object, body, place = {}) {
    const call = 'physics.bind';
    this.#checkFree(call, object);
    if (isInstanced(object))
      throw wrongType(call, 'object', object, 'are all but InstancedMeshes: see addMesh');
    handleOf(call, 'body', 'body', this.world, body);
    if (body === null) throw wrongType(call, 'body', body, 'are bodies');
    checkOptions(call, 'place', place);
    checkNames(call, 'place', place, ['position', 'rotation']);
    const position = checkVector(call, 'place.position', place.position ?? [0, 0, 0], 3);
    const rotation = checkVector(call, 'place.rotation', place.rotation ?? [0, 0, 0, 1], 4);
    object.updateWorldMatrix(true, false);
    const { linear } = rigidFrameOf(call, nameOf(object), object.matrixWorld);
    const inBody = new Matrix4().compose(
      new Vector3().fromArray(position),
      new Quaternion().fromArray(rotation).normalize(),
      new Vector3(1, 1, 1),
    );
    this.#follow(object, body, inBody.multiply(matrixOf(linear)));
    return object;
  }

  /**
   * The object goes its own way; its bodies stay.
   * @param {Object3D} object
   * @returns {boolean} whether it was bound
   */
  unbind(object) {
    const binding = this.#bindings.get(object);
    if (binding === undefined) return false;
    if (binding instanceof BoundObject) binding.release();
    this.#bindings.delete(object);
    this.#made.delete(object);
    this.#followers = this.#followers.filter((item) => item !== binding);
    this.#leaders = this.#leaders.filter((item) => item !== binding);
    this.#byRow.forEach((item, row) => {
      if (item?.binding === binding) this.#byRow[row] = undefined;
    });
    return true;
  }

  /**
   * The body of an object, null where it has none or none any more.
   * @param {Object3D} object
   * @param {number} [instanceId] of an InstancedMesh (0)
   * @returns {Body | null}
   */
  bodyOf(object, instanceId = 0) {
    const body = this.#bindings.get(object)?.bodyAt(instanceId) ?? null;
    return body !== null && body.isValid ? body : null;
  }

  /**
   * The object of a body, as rays of three.js give it; null where it has none.
   * @param {Body} body
   * @returns {{ object: Object3D, instanceId: number } | null} instanceId is 0 but for an InstancedMesh
   */
  objectOf(body) {
    handleOf('physics.objectOf', 'body', 'body', this.world, body);
    const found = body === null ? undefined : this.#byRow[body.index];
    if (found === undefined || found.binding.bodyAt(found.instanceId) !== body) return null;
    return { object: found.binding.object, instanceId: found.instanceId };
  }

  /**
   * Takes a body to where its object was moved to, without a way between. Velocities stay.
   * @param {Object3D} object with one body
   * @returns {void}
   */
  teleport(object) {
    const call = 'physics.teleport';
    const body = this.bodyOf(object);
    const binding = this.#bindings.get(object);
    if (body === null || binding === undefined || binding instanceof BoundInstances) {
      const text = `${isObject(object) ? nameOf(object) : describe(object)} has no body of its own here`;
      throw new CairnError('STALE_HANDLE', call, 'object', text);
    }
    object.updateWorldMatrix(true, false);
    if (binding instanceof LedBody) binding.settle();
    const pose = binding instanceof LedBody ? object.matrixWorld : binding.poseAt(object.matrixWorld);
    const { position, rotation } = rigidFrameOf(call, nameOf(object), pose);
    body.setPosition(position.toArray());
    body.setRotation(rotation.toArray());
  }

  // ---- time -----------------------------------------------------------------------------------------------

  /**
   * Lets time pass: the steps that are due, then `sync`. Call it once a frame.
   * @param {number} seconds since the last frame
   * @param {AdvanceOptions} [options] of `world.advance`
   * @returns {number} steps done
   */
  update(seconds, options) {
    this.#checkAlive('physics.update');
    let steps;
    if (this.#leaders.length === 0) {
      steps = this.world.advance(seconds, options);
    } else {
      const { speed = 1 } = checkAdvanceOptions('physics.update', options);
      for (const leader of this.#leaders) leader.look(speed * seconds);
      const own = this.#advanceOptions;
      own.maxSteps = options?.maxSteps;
      own.speed = options?.speed;
      own.afterStep = options?.afterStep;
      this.#usersBeforeStep = options?.beforeStep;
      own.beforeStep = this.#lead;
      steps = this.world.advance(seconds, own);
    }
    this.sync();
    return steps;
  }

  /** @param {World} world */
  #lead = (world) => {
    const { timeStep } = world;
    for (const leader of this.#leaders) leader.move(timeStep);
    this.#usersBeforeStep?.(world);
  };

  /**
   * Brings objects to where their bodies are drawn (`columns.bodies.renderPose`), for those who step the
   * world themselves. No garbage.
   * @returns {void}
   */
  sync() {
    this.#checkAlive('physics.sync');
    if (!this.#isSorted) {
      this.#followers.sort((a, b) => depthOf(a.object) - depthOf(b.object));
      this.#isSorted = true;
    }
    const { renderPose, handle } = this.world.columns.bodies;
    this.#frame.reset();
    for (let i = 0; i < this.#followers.length; ++i) {
      const follower = this.#followers[i];
      follower.write(renderPose, handle, this.#frame);
      if (follower.object.parent === follower.parent) continue;
      follower.parent = follower.object.parent;
      this.#isSorted = false;
    }
  }

  /** @returns {boolean} */
  get isDisposed() {
    return this.#isDisposed;
  }

  /**
   * Lets go of all objects; takes the bodies out that were made here, or the whole world where it was.
   * @returns {void}
   */
  dispose() {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const { world } = this;
    if (!this.#ownsWorld && !world.isDisposed) for (const made of this.#made.values()) destroy(made);
    this.#shapes.dispose();
    if (this.#ownsWorld) world.dispose();
    this.#bindings.clear();
    this.#made.clear();
    this.#followers = [];
    this.#leaders = [];
    this.#byRow = [];
  }

  [Symbol.dispose]() {
    this.dispose();
  }

  // ---- making bodies --------------------------------------------------------------------------------------

  /**
   * @param {string} call @param {Object3D} object
   * @param {Mesh[]} meshes that its body, or the bodies of its instances, are made of
   * @param {unknown} options MeshOptions
   * @returns {Body | Bodies}
   */
  #add(call, object, meshes, options) {
    this.#checkFree(call, object);
    return naming(call, object, () => {
      const settings = readMeshOptions(call, options, this.#materials);
      if (isInstanced(object)) return this.#addInstances(call, object, settings);
      if (meshes.length === 0)
        throw new CairnError('DEGENERATE_SHAPE', call, 'object', 'it has no mesh in it');
      return this.#addObject(call, object, meshes, settings);
    });
  }

  /**
   * @param {string} call @param {Object3D} object
   * @param {Mesh[]} meshes its shapes
   * @param {MeshSettings} settings
   * @returns {Body}
   */
  #addObject(call, object, meshes, settings) {
    object.updateWorldMatrix(true, false);
    const { position, rotation, linear } = rigidFrameOf(call, 'the object', object.matrixWorld);
    const fromWorld = new Matrix4().compose(position, rotation, new Vector3(1, 1, 1)).invert();
    const isStatic = settings.motion !== 'dynamic';
    const shapes = meshes.map((mesh) => {
      mesh.updateWorldMatrix(true, false);
      const inBody = fromWorld.clone().multiply(mesh.matrixWorld);
      const map = mesh === object ? linear : linearOf(inBody);
      const stored = naming(call, mesh === object ? null : mesh, () =>
        this.#shapes.take(call, mesh.geometry, settings.shape, map, isStatic),
      );
      const offset = mesh === object ? new Vector3() : new Vector3().setFromMatrixPosition(inBody);
      return {
        shape: stored.shape,
        position: offset.add(new Vector3().fromArray(stored.position)).toArray(),
        rotation: stored.rotation,
      };
    });
    const body = this.world.createBody({
      ...settings.body,
      position: position.toArray(),
      rotation: rotation.toArray(),
      geometries: [{ ...settings.geometry, shapes }],
    });
    this.#made.set(object, body);
    if (settings.motion === 'kinematic') this.#enter(new LedBody(object, body), body.index, 0);
    else this.#follow(object, body, matrixOf(linear));
    return body;
  }

  /**
   * @param {string} call @param {InstancedMesh} mesh @param {MeshSettings} settings
   * @returns {Bodies}
   */
  #addInstances(call, mesh, settings) {
    mesh.updateWorldMatrix(true, false);
    const isStatic = settings.motion !== 'dynamic';
    const frames = Array.from({ length: mesh.count }, (_, i) => {
      const matrix = new Matrix4();
      mesh.getMatrixAt(i, matrix);
      return rigidFrameOf(call, `instance ${i}`, matrix.premultiply(mesh.matrixWorld));
    });
    const stored = frames.map(({ linear }) =>
      this.#shapes.take(call, mesh.geometry, settings.shape, linear, isStatic),
    );
    const bodies = this.#createBodies(frames, stored, settings);
    this.#made.set(mesh, bodies);
    const binding = new BoundInstances(
      mesh,
      bodies,
      frames.map(({ linear }) => linear),
    );
    bodies.rows.forEach((row, i) => this.#enter(binding, row, i));
    if (bodies.length === 0) this.#bindings.set(mesh, binding);
    return bodies;
  }

  /**
   * A body a frame, with a shape each.
   * @param {RigidFrame[]} frames @param {StoredShape[]} stored @param {MeshSettings} settings
   * @returns {Bodies}
   */
  #createBodies(frames, stored, { body, geometry }) {
    const poses = {
      count: frames.length,
      positions: frames.flatMap(({ position }) => position.toArray()),
      rotations: frames.flatMap(({ rotation }) => rotation.toArray()),
    };
    if (stored.length === 0) return this.world.createBodies({ ...poses, body });
    const [{ position, rotation }] = stored;
    const isLike = (/** @type {StoredShape} */ other) =>
      other.position.every((value, k) => value === position[k]) &&
      other.rotation.every((value, k) => value === rotation[k]);
    if (stored.every(isLike)) {
      const shapes = stored.map(({ shape }) => shape);
      return this.world.createBodies({
        ...poses,
        body,
        geometry: { ...geometry, position, rotation },
        shapes,
      });
    }

    // shapes that lie differently in their frames, as cones of several heights do, are given one by one
    const bodies = this.world.createBodies({ ...poses, body: { ...body, mass: body.mass ?? 1 } });
    try {
      stored.forEach((shape, i) => {
        const made = /** @type {Body} */ (bodies.at(i));
        made.createGeometry({ ...geometry, shapes: [shape] });
        if (body.mass === undefined) made.mass = 0; // what its geometry weighs
      });
    } catch (error) {
      bodies.destroy();
      throw error;
    }
    return bodies;
  }

  // ---- bindings -------------------------------------------------------------------------------------------

  /** @param {Object3D} object @param {Body} body @param {Matrix4} inBody */
  #follow(object, body, inBody) {
    this.#enter(new BoundObject(object, body, inBody), body.index, 0);
  }

  /** @param {Binding} binding @param {number} row @param {number} instanceId */
  #enter(binding, row, instanceId) {
    this.#byRow[row] = { binding, instanceId };
    if (this.#bindings.get(binding.object) === binding) return;
    this.#bindings.set(binding.object, binding);
    if (binding instanceof LedBody) {
      this.#leaders.push(binding);
    } else {
      this.#followers.push(binding);
      this.#isSorted = false;
    }
  }

  /** @param {string} call @param {Object3D} object */
  #checkFree(call, object) {
    this.#checkAlive(call);
    checkObject(call, 'object', object);
    if (!this.#bindings.has(object)) return;
    throw new CairnError('IN_USE', call, 'object', `${nameOf(object)} has a body already: remove it first`);
  }

  /** @param {string} call */
  #checkAlive(call) {
    if (this.#isDisposed) throw new CairnError('STALE_HANDLE', call, 'physics', 'physics was disposed');
  }
}

makeStrict({
  name: 'physics',
  prototype: Physics.prototype,
  counts: { addMesh: 2, addCompound: 2, bind: 3, bodyOf: 2 },
});

// ---- objects of three.js ----------------------------------------------------------------------------------

/** @param {unknown} object @returns {object is Object3D} */
const isObject = (object) => /** @type {Object3D | null} */ (object)?.isObject3D === true;

/** @param {Object3D} object @returns {object is InstancedMesh} */
const isInstanced = (object) => /** @type {InstancedMesh} */ (object).isInstancedMesh === true;

/**
 * Lets an error say which object it is about: a scene has many.
 * @template T
 * @param {string} call @param {Object3D | null} object null: it is said elsewhere
 * @param {() => T} task
 * @returns {T}
 */
function naming(call, object, task) {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof CairnError) || object === null) throw error;
    throw new CairnError(error.code, call, error.argument, `${nameOf(object)}: ${error.reason}`);
  }
}

/** @param {string} call @param {string} argument @param {Object3D} object */
function checkObject(call, argument, object) {
  if (!isObject(object)) throw wrongType(call, argument, object, 'are objects of three.js');
}

/**
 * The meshes of an object that are part of its body.
 * @param {Object3D} object @param {Object3D} root
 * @returns {Mesh[]}
 */
function partsOf(object, root) {
  if (object !== root && object.userData.physics !== undefined) return [];
  const own =
    /** @type {Mesh} */ (object).isMesh && !isInstanced(object) ? [/** @type {Mesh} */ (object)] : [];
  return own.concat(...object.children.map((child) => partsOf(child, root)));
}

/** @param {readonly number[]} l nine numbers by columns */
const matrixOf = (l) =>
  new Matrix4().set(l[0], l[3], l[6], 0, l[1], l[4], l[7], 0, l[2], l[5], l[8], 0, 0, 0, 0, 1);

/** @param {Body | Bodies} made */
function destroy(made) {
  if (!('isValid' in made)) made.destroy();
  else if (made.isValid) made.destroy();
}

/** How many objects are above it. @param {Object3D} object @returns {number} */
function depthOf(object) {
  let depth = 0;
  for (let { parent } = object; parent !== null; { parent } = parent) ++depth;
  return depth;
}
