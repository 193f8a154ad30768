// Cairn with the interface of three's own add-ons, RapierPhysics and JoltPhysics: a page that uses one of
// them runs with another import.

import { checkFlag, checkNames, checkOptions } from '../core/checks.js';
import { CairnError } from '../core/errors.js';
import { createPhysics } from './physics.js';

/** @typedef {import('three').InstancedMesh} InstancedMesh */
/** @typedef {import('three').Mesh} Mesh */
/** @typedef {import('three').Object3D} Object3D */
/** @typedef {import('../index.js').Bodies} Bodies */
/** @typedef {import('../index.js').Body} Body */
/** @typedef {import('../index.js').Cairn} Cairn */
/** @typedef {import('../index.js').Material} PhysicsMaterial */
/** @typedef {import('../index.js').World} World */
/** @typedef {import('./physics.js').Physics} Physics */
/** @typedef {{ x: number, y: number, z: number }} Point */

/**
 * @typedef {object} CairnPhysicsOptions
 * @property {Cairn} [cairn] what `load()` gave; loaded by itself
 * @property {boolean} [automatic] whether it steps by itself, 60 times a second, as three's add-ons do
 *   (true); else the page calls `update`
 */

/** Seconds that one callback lets pass at most: a page that is slow gets slower. */
const LONGEST = 1 / 30;
const FRAME_RATE = 60;
/** m/s², m and so on are as in three's add-ons. */
const GRAVITY = [0, -9.81, 0];
const FRICTION = 0.5;

/**
 * @param {() => Promise<Cairn>} load
 * @param {CairnPhysicsOptions} options
 * @returns {Promise<AddOn>}
 */
export async function startCairnPhysics(load, options) {
  const call = 'CairnPhysics';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['cairn', 'automatic']);
  const { cairn = await load(), automatic = true } = options;
  checkFlag(call, 'options.automatic', automatic);
  return new AddOn(createPhysics(cairn, { gravity: GRAVITY }), automatic);
}

/** What `CairnPhysics()` gives; its methods need no `this`. */
export class AddOn {
  #materials;
  /** @type {ReturnType<typeof setInterval> | null} */
  #timer = null;
  #before = performance.now();

  /** @param {Physics} physics @param {boolean} automatic */
  constructor(physics, automatic) {
    /** More of the same: binding, compounds, shapes by name. @readonly */
    this.physics = physics;
    /** Queries, joints, listeners. @type {World} @readonly */
    this.world = physics.world;
    /** @type {Cairn} @readonly */
    this.cairn = physics.world.cairn;
    this.#materials = new BouncyMaterials(physics.world);
    if (automatic) this.#timer = setInterval(this.#step, 1000 / FRAME_RATE);
  }

  /**
   * Adds all meshes in a scene that have `userData.physics`, `{ mass, restitution }`.
   * @param {Object3D} scene
   */
  addScene = (scene) => {
    scene.traverse((object) => {
      const mesh = /** @type {Mesh} */ (object);
      const options = mesh.userData.physics;
      if (mesh.isMesh && options) this.addMesh(mesh, options.mass, options.restitution);
    });
  };

  /**
   * @param {Mesh} mesh
   * @param {number} [mass] kg; 0: it does not move (0)
   * @param {number} [restitution] 0…1 (0)
   */
  addMesh = (mesh, mass = 0, restitution = 0) => {
    const material = this.#materials.take('CairnPhysics.addMesh', restitution);
    const made = this.physics.addMesh(mesh, { mass, material });
    remember(mesh, made);
  };

  /** @param {Mesh} mesh */
  removeMesh = (mesh) => {
    const body = this.physics.bodyOf(mesh);
    if (!this.physics.remove(mesh)) return;
    if (body?.isValid) body.destroy(); // a terrain's, which was bound
    delete mesh.userData.physics?.body;
  };

  /**
   * Moves a body, which then is at rest.
   * @param {Mesh} mesh @param {Point} position m @param {number} [index] of an InstancedMesh (0)
   */
  setMeshPosition = (mesh, position, index = 0) => {
    const body = this.#bodyOf('setMeshPosition', mesh, index);
    body.setPosition(position);
    if (body.motion === 'static') return;
    body.setVelocity([0, 0, 0]);
    body.setAngularVelocity([0, 0, 0]);
  };

  /** @param {Mesh} mesh @param {Point} velocity m/s @param {number} [index] of an InstancedMesh (0) */
  setMeshVelocity = (mesh, velocity, index = 0) => {
    this.#bodyOf('setMeshVelocity', mesh, index).setVelocity(velocity);
  };

  /** @param {Mesh} mesh @param {Point} impulse N s @param {number} [index] of an InstancedMesh (0) */
  applyImpulse = (mesh, impulse, index = 0) => {
    this.#bodyOf('applyImpulse', mesh, index).applyImpulse(impulse);
  };

  /**
   * A terrain that does not move.
   * @param {Mesh} mesh whose position and rotation it has
   * @param {number} width of the cells along x, or the points @param {number} depth along z
   * @param {ArrayLike<number>} heights of the points, along x first, as those of a PlaneGeometry that lies
   * @param {Point} scale m, of the whole terrain along x and z; y: factor of the heights
   * @returns {Body}
   */
  addHeightfield = (mesh, width, depth, heights, scale) => {
    const call = 'CairnPhysics.addHeightfield';
    const [columns, rows] = heights.length === width * depth ? [width, depth] : [width + 1, depth + 1];
    if (heights.length !== columns * rows) {
      const text = `heights has length ${heights.length}, allowed are ${width * depth} and ${columns * rows}`;
      throw new CairnError('WRONG_TYPE', call, 'heights', text);
    }
    // rows of a field go to its y, those of the terrain to z
    const flipped = Float64Array.from(heights, (_, i) => {
      const row = rows - 1 - Math.floor(i / columns);
      return scale.y * heights[row * columns + (i % columns)];
    });
    const body = this.world.createBody({
      motion: 'static',
      position: mesh.position,
      rotation: mesh.quaternion,
      geometries: [
        {
          shape: {
            type: 'heightField',
            resolution: [columns, rows],
            size: [scale.x, scale.z],
            heights: flipped,
          },
          rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
          material: this.#materials.take(call, 0),
        },
      ],
    });
    try {
      this.physics.bind(mesh, body);
    } catch (error) {
      body.destroy();
      throw error;
    }
    remember(mesh, body);
    return body;
  };

  /**
   * Steps that are due, and meshes to where they are, for pages that do it themselves.
   * @param {number} seconds
   */
  update = (seconds) => this.physics.update(seconds);

  /** Ends it all. */
  dispose = () => {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.physics.dispose();
  };

  #step = () => {
    const now = performance.now();
    const seconds = Math.min((now - this.#before) / 1000, LONGEST);
    this.#before = now;
    this.physics.update(seconds);
  };

  /** @param {string} call @param {Mesh} mesh @param {number} index @returns {Body} */
  #bodyOf(call, mesh, index) {
    const body = this.physics.bodyOf(mesh, index);
    if (body === null)
      throw new CairnError('STALE_HANDLE', `CairnPhysics.${call}`, 'mesh', `mesh has no body ${index} here`);
    return body;
  }
}

/**
 * Materials of which pairs bounce as the mean of the two, as in three's add-ons: in Cairn's own a ball does
 * not bounce off a floor that has no restitution.
 */
class BouncyMaterials {
  /** By hundredths of restitution. @type {Map<number, PhysicsMaterial>} */
  #made = new Map();
  #world;

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** @param {string} call @param {number} restitution 0…1 @returns {PhysicsMaterial} */
  take(call, restitution) {
    if (!(restitution >= 0 && restitution <= 1)) {
      const text = `restitution is ${restitution}, allowed are numbers 0…1`;
      throw new CairnError('OUT_OF_RANGE', call, 'restitution', text);
    }
    const hundredths = Math.round(100 * restitution);
    const known = this.#made.get(hundredths);
    if (known) return known;
    const made = this.#world.createMaterial({ friction: FRICTION, restitution: hundredths / 100 });
    this.#made.set(hundredths, made);
    for (const [other, material] of this.#made) {
      this.#world.createContactMaterial({
        materials: [made, material],
        friction: FRICTION,
        restitution: (hundredths + other) / 200,
      });
    }
    return made;
  }
}

/**
 * Where three's add-ons keep the body of a mesh; copies of the mesh do not have it.
 * @param {Mesh} mesh @param {Body | Bodies} body
 */
function remember(mesh, body) {
  mesh.userData.physics ??= {};
  Object.defineProperty(mesh.userData.physics, 'body', {
    value: body,
    configurable: true,
    enumerable: false,
  });
}
