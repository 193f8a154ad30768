// An object of three.js that follows a body.

import { Matrix4, Quaternion, Vector3 } from 'three';
import { frameOf, linearOf } from './linear_maps.js';
import { isDiagonal, isIdentity, keepsAngles } from './rigid_frames.js';

/** @typedef {import('three').Object3D} Object3D */
/** @typedef {import('../index.js').Body} Body */

const UNIT = Object.freeze(new Vector3(1, 1, 1));
const POSE = new Matrix4();
const POSITION = new Vector3();
const ROTATION = new Quaternion();
const SCALE = new Vector3();

/** The world matrix of the parent of objects that are written one after another, and what follows of it. */
export class ParentFrame {
  /** @type {Object3D | null | undefined} */
  #parent = undefined;
  #inverse = new Matrix4();

  /** Whether it is the world's frame. */
  isWorld = true;
  /** Whether a rotation in the world is one in it. */
  keepsAngles = true;

  /** A new frame of drawing: matrices may have changed. */
  reset() {
    this.#parent = undefined;
  }

  /** @param {Object3D | null} parent @returns {Matrix4} from the world to it */
  take(parent) {
    if (parent === this.#parent) return this.#inverse;
    this.#parent = parent;
    if (parent !== null) parent.updateWorldMatrix(true, false);
    this.isWorld = parent === null || isIdentity(parent.matrixWorld);
    this.keepsAngles = this.isWorld || keepsAngles(/** @type {Object3D} */ (parent).matrixWorld);
    if (this.isWorld) this.#inverse.identity();
    else this.#inverse.copy(/** @type {Object3D} */ (parent).matrixWorld).invert();
    return this.#inverse;
  }
}

/** One object, one body. */
export class BoundObject {
  /** Of the object in the body's frame; null where it is but the scale. @type {Matrix4 | null} */
  #inBody = null;
  #scaleInWorld = new Vector3(1, 1, 1);
  #isMirrored = false;
  #isSheared = false;
  /** What write() may change of the object beside its place. */
  #before;

  /**
   * @param {Object3D} object
   * @param {Body} body
   * @param {Matrix4} inBody of the object in the frame of the body, its scale in the world included
   */
  constructor(object, body, inBody) {
    this.object = object;
    this.body = body;
    this.row = body.index;
    this.handle = body.handle;
    this.parent = object.parent;
    this.#before = { scale: object.scale.clone(), matrixAutoUpdate: object.matrixAutoUpdate };
    const linear = linearOf(inBody);
    const { x, y, z } = object.scale;
    this.#isMirrored = !(x > 0 && y > 0 && z > 0);
    this.#isSheared = frameOf(linear) === null;
    this.#scaleInWorld.set(linear[0], linear[4], linear[8]);
    const hasOffset = POSITION.setFromMatrixPosition(inBody).lengthSq() > 0;
    if (this.#isMirrored || hasOffset || !isDiagonal(linear)) this.#inBody = inBody;
  }

  /** The object goes its own way, where it is. */
  release() {
    this.object.scale.copy(this.#before.scale);
    this.object.matrixAutoUpdate = this.#before.matrixAutoUpdate;
  }

  /**
   * The body's pose where the object is at a place.
   * @param {Matrix4} world of the object
   * @returns {Matrix4}
   */
  poseAt(world) {
    return this.#inBody === null ? world : this.#inBody.clone().invert().premultiply(world);
  }

  /** @param {number} instance @returns {Body | null} */
  bodyAt(instance) {
    return instance === 0 ? this.body : null;
  }

  /**
   * Places the object where its body is. It makes no garbage, and touches nothing that is where it should be.
   * @param {Float32Array} poses column renderPose
   * @param {Uint32Array} handles column handle
   * @param {ParentFrame} frame
   */
  write(poses, handles, frame) {
    if (handles[this.row] !== this.handle) return; // its body is gone, and may come back
    const toParent = frame.take(this.object.parent);
    const p = 8 * this.row;
    POSITION.set(poses[p], poses[p + 1], poses[p + 2]);
    ROTATION.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 7]);
    if (this.#inBody === null && frame.isWorld) {
      this.#place();
      return;
    }
    POSE.compose(POSITION, ROTATION, this.#inBody === null ? this.#scaleInWorld : UNIT);
    if (this.#inBody !== null) POSE.multiply(this.#inBody);
    POSE.premultiply(toParent);
    POSE.decompose(POSITION, ROTATION, SCALE);
    this.#place();
    if (frame.keepsAngles && !this.#isSheared) {
      if (this.#isMirrored) this.object.scale.copy(SCALE);
      return;
    }

    // a parent that stretches what rotates shears it, which position, rotation and scale cannot say
    const { object } = this;
    object.scale.copy(SCALE);
    object.matrix.copy(POSE);
    object.matrixAutoUpdate = false;
    object.matrixWorldNeedsUpdate = true;
  }

  #place() {
    const { object } = this;
    const { position, quaternion } = object;
    const { x, y, z, w } = ROTATION;
    const isThere =
      position.equals(POSITION) &&
      quaternion.x === x &&
      quaternion.y === y &&
      quaternion.z === z &&
      quaternion.w === w;
    if (isThere) return;
    position.copy(POSITION);
    quaternion.copy(ROTATION);
    if (!object.matrixAutoUpdate) object.updateMatrix();
  }
}
