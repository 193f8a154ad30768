// Kinematic bodies that follow objects of three.js: in each step they move, at the velocity that takes them
// there, to where their object is, so that they push and carry what they touch.

import { nameOf } from './object_names.js';
import { rigidFrameOf } from './rigid_frames.js';

/** @typedef {import('three').Object3D} Object3D */
/** @typedef {import('../index.js').Body} Body */

/** A kinematic body and the object that leads it. */
export class LedBody {
  #matrix;
  /** m, and x, y, z, w */
  #position = [0, 0, 0];
  #rotation = [0, 0, 0, 1];
  #hasTarget = false;
  /** s, that the object took to get there */
  #seconds = 0;

  /** @param {Object3D} object @param {Body} body */
  constructor(object, body) {
    this.object = object;
    this.body = body;
    this.row = body.index;
    this.handle = body.handle;
    this.#matrix = object.matrixWorld.clone();
  }

  /** @param {number} instance @returns {Body | null} */
  bodyAt(instance) {
    return instance === 0 ? this.body : null;
  }

  /** Sees where the object is. @param {number} seconds of the world, since the last look */
  look(seconds) {
    const { object } = this;
    object.updateWorldMatrix(true, false);
    if (object.matrixWorld.equals(this.#matrix)) return;
    const { position, rotation } = rigidFrameOf('physics.update', nameOf(object), object.matrixWorld);
    this.#matrix.copy(object.matrixWorld);
    position.toArray(this.#position);
    rotation.toArray(this.#rotation);
    this.#seconds = seconds;
    this.#hasTarget = true;
  }

  /** The object was placed elsewhere, and its body with it: no way to go. */
  settle() {
    this.object.updateWorldMatrix(true, false);
    this.#matrix.copy(this.object.matrixWorld);
    this.#hasTarget = false;
  }

  /** Before a step: the body is there when the frame is over, and stops. @param {number} timeStep s */
  move(timeStep) {
    if (!this.#hasTarget || !this.body.isValid) return;
    this.body.moveTo(this.#position, this.#rotation, Math.max(timeStep, this.#seconds));
    this.#hasTarget = false;
  }
}
