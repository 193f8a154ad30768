// What lies under a point of the picture.

import { Quaternion, Vector3 } from 'three';

/** @typedef {import('../index.js').World} World */
/** @typedef {import('../index.js').Body} Body */
/** @typedef {import('../index.js').Geometry} Geometry */
/** @typedef {import('../index.js').RayResult} RayResult */

/**
 * Finds what lies under a point of the picture by the engine's own ray cast. The results of the last hit stay
 * in the picker's properties until the next cast; nothing is allocated.
 */
export class Picker {
  /** @type {World} */
  world;
  /** @type {Body | null} null for static geometry, and where nothing was hit */
  body = null;
  /** @type {Geometry | null} null where nothing was hit */
  geometry = null;
  /** Where the ray hit, m, world. */
  point = new Vector3();
  /** Out of the surface, unit, world. */
  normal = new Vector3();
  /** `point` in the body's model frame; the same as `point` for static geometry. */
  localPoint = new Vector3();

  #origin = new Float64Array(3);
  #translation = new Float64Array(3);
  #position = new Float64Array(3);
  #rotation = new Float64Array(4);
  #near = new Vector3();
  #far = new Vector3();
  #toModel = new Quaternion();
  /** @type {RayResult} */
  #result = {
    geometry: null,
    body: null,
    shapeIndex: 0,
    fraction: 0,
    point: [0, 0, 0],
    normal: [0, 0, 0],
    triangle: -1,
  };

  /** @param {World} world */
  constructor(world) {
    this.world = world;
  }

  /**
   * Casts the ray of a camera through a point of the picture, from the camera's near plane to its far plane.
   *
   * @param {import('three').Camera} camera with matrices up to date
   * @param {number} x −1…1, left to right
   * @param {number} y −1…1, bottom to top
   * @returns {boolean} whether anything was hit
   */
  cast(camera, x, y) {
    const near = this.#near.set(x, y, -1).unproject(camera);
    const far = this.#far.set(x, y, 1).unproject(camera).sub(near);
    near.toArray(this.#origin);
    far.toArray(this.#translation);
    const hit = this.world.castRay(this.#origin, this.#translation, this.#result);
    if (hit === null) {
      this.body = null;
      this.geometry = null;
      return false;
    }
    this.body = hit.body;
    this.geometry = hit.geometry;
    this.point.fromArray(hit.point);
    this.normal.fromArray(hit.normal);
    this.localPoint.copy(this.point);
    if (hit.body !== null) {
      const position = hit.body.getPosition(this.#position);
      const rotation = hit.body.getRotation(this.#rotation);
      this.localPoint.x -= position[0];
      this.localPoint.y -= position[1];
      this.localPoint.z -= position[2];
      this.#toModel.set(-rotation[0], -rotation[1], -rotation[2], rotation[3]);
      this.localPoint.applyQuaternion(this.#toModel);
    }
    return true;
  }
}
