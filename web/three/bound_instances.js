// An InstancedMesh whose instances follow a body each.

import { Matrix4, Sphere, Vector3 } from 'three';
import { isIdentity } from './rigid_frames.js';

/** @typedef {import('three').InstancedMesh} InstancedMesh */
/** @typedef {import('../index.js').Bodies} Bodies */
/** @typedef {import('../index.js').Body} Body */

const INVERSE = new Matrix4();
const CENTRE = new Vector3();

/**
 * The matrices are written from the poses; what did not move is not, and nothing is sent where nothing moved.
 */
export class BoundInstances {
  #rows;
  #handles;
  /** Poses that the matrices were written from, seven numbers an instance. */
  #last;
  /** Nine numbers an instance, before its pose. @type {Float64Array | null} null: nothing but the pose */
  #linear;
  /** From the mesh's frame to the world, when the matrices were written last. */
  #world = new Matrix4();
  /** m, of the geometry about an instance's origin, its scale included */
  #reach;

  /**
   * @param {InstancedMesh} mesh
   * @param {Bodies} bodies one an instance
   * @param {readonly number[][]} linear nine numbers by columns an instance
   */
  constructor(mesh, bodies, linear) {
    this.object = mesh;
    this.parent = mesh.parent;
    this.bodies = bodies;
    this.#rows = bodies.rows;
    const { handle } = bodies.world.columns.bodies;
    this.#handles = Uint32Array.from(this.#rows, (row) => handle[row]);
    this.#last = new Float32Array(7 * bodies.length).fill(NaN);
    const isUnit = (/** @type {number[]} */ map) => map.every((value, i) => value === (i % 4 === 0 ? 1 : 0));
    this.#linear = linear.every(isUnit) ? null : Float64Array.from(linear.flat());
    this.#reach = reachOf(mesh) * Math.max(1, ...linear.map((map) => Math.hypot(...map)));
  }

  /** @param {number} instance @returns {Body | null} */
  bodyAt(instance) {
    return instance >= 0 && instance < this.bodies.length ? this.bodies.at(instance) : null;
  }

  /**
   * @param {Float32Array} poses column renderPose
   * @param {Uint32Array} handles column handle
   */
  write(poses, handles) {
    const mesh = this.object;
    mesh.updateWorldMatrix(true, false);
    const isAtHome = isIdentity(mesh.matrixWorld);
    if (!this.#world.equals(mesh.matrixWorld)) {
      this.#world.copy(mesh.matrixWorld);
      this.#last.fill(NaN);
    }
    const toMesh = isAtHome ? null : INVERSE.copy(mesh.matrixWorld).invert().elements;
    const out = mesh.instanceMatrix.array;
    const last = this.#last;
    let hasMoved = false;
    for (let i = 0, p = 0; i < this.#rows.length; ++i, p += 7) {
      const row = this.#rows[i];
      const pose = 8 * row;
      if (handles[row] !== this.#handles[i]) {
        if (last[p] === Infinity) continue;
        last[p] = Infinity;
        out.fill(0, 16 * i, 16 * i + 16); // its body is gone: not drawn
        hasMoved = true;
        continue;
      }
      const isThere =
        last[p] === poses[pose] &&
        last[p + 1] === poses[pose + 1] &&
        last[p + 2] === poses[pose + 2] &&
        last[p + 3] === poses[pose + 4] &&
        last[p + 4] === poses[pose + 5] &&
        last[p + 5] === poses[pose + 6] &&
        last[p + 6] === poses[pose + 7];
      if (isThere) continue;
      last[p] = poses[pose];
      last[p + 1] = poses[pose + 1];
      last[p + 2] = poses[pose + 2];
      last[p + 3] = poses[pose + 4];
      last[p + 4] = poses[pose + 5];
      last[p + 5] = poses[pose + 6];
      last[p + 6] = poses[pose + 7];
      writePose(out, 16 * i, poses, pose);
      if (this.#linear !== null) multiplyBy(out, 16 * i, this.#linear, 9 * i);
      if (toMesh !== null) premultiplyBy(out, 16 * i, toMesh);
      hasMoved = true;
    }
    if (!hasMoved) return;
    mesh.instanceMatrix.needsUpdate = true;
    this.#bound(toMesh);
  }

  /**
   * The sphere that three.js culls by and casts rays at, about all instances.
   * @param {ArrayLike<number> | null} toMesh
   */
  #bound(toMesh) {
    const last = this.#last;
    let x0 = Infinity;
    let y0 = Infinity;
    let z0 = Infinity;
    let x1 = -Infinity;
    let y1 = -Infinity;
    let z1 = -Infinity;
    for (let p = 0; p < last.length; p += 7) {
      const x = last[p];
      if (x === Infinity) continue;
      const y = last[p + 1];
      const z = last[p + 2];
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
      if (z < z0) z0 = z;
      if (z > z1) z1 = z;
    }
    const { object: mesh } = this;
    mesh.boundingBox = null; // who asks for it computes it
    mesh.boundingSphere ??= new Sphere();
    if (x0 > x1) {
      mesh.boundingSphere.makeEmpty();
      return;
    }
    CENTRE.set((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2);
    mesh.boundingSphere.set(CENTRE, Math.hypot(x1 - x0, y1 - y0, z1 - z0) / 2 + this.#reach);
    if (toMesh !== null) mesh.boundingSphere.applyMatrix4(INVERSE);
  }
}

/** m, of the points of a geometry from its origin. @param {InstancedMesh} mesh */
function reachOf({ geometry }) {
  if (geometry.boundingSphere === null) geometry.computeBoundingSphere();
  const { center, radius } = /** @type {Sphere} */ (geometry.boundingSphere);
  return center.length() + radius;
}

/**
 * A pose as a matrix by columns.
 * @param {import('three').TypedArray} out @param {number} o @param {Float32Array} poses @param {number} p
 */
function writePose(out, o, poses, p) {
  const x = poses[p + 4];
  const y = poses[p + 5];
  const z = poses[p + 6];
  const w = poses[p + 7];
  out[o] = 1 - 2 * (y * y + z * z);
  out[o + 1] = 2 * (x * y + w * z);
  out[o + 2] = 2 * (x * z - w * y);
  out[o + 3] = 0;
  out[o + 4] = 2 * (x * y - w * z);
  out[o + 5] = 1 - 2 * (x * x + z * z);
  out[o + 6] = 2 * (y * z + w * x);
  out[o + 7] = 0;
  out[o + 8] = 2 * (x * z + w * y);
  out[o + 9] = 2 * (y * z - w * x);
  out[o + 10] = 1 - 2 * (x * x + y * y);
  out[o + 11] = 0;
  out[o + 12] = poses[p];
  out[o + 13] = poses[p + 1];
  out[o + 14] = poses[p + 2];
  out[o + 15] = 1;
}

/**
 * @param {import('three').TypedArray} out @param {number} o of a matrix, multiplied by a linear map on its
 *   right
 * @param {Float64Array} linear @param {number} l
 */
function multiplyBy(out, o, linear, l) {
  for (let k = 0; k < 3; ++k) {
    const a = out[o + k];
    const b = out[o + 4 + k];
    const c = out[o + 8 + k];
    out[o + k] = a * linear[l] + b * linear[l + 1] + c * linear[l + 2];
    out[o + 4 + k] = a * linear[l + 3] + b * linear[l + 4] + c * linear[l + 5];
    out[o + 8 + k] = a * linear[l + 6] + b * linear[l + 7] + c * linear[l + 8];
  }
}

/**
 * @param {import('three').TypedArray} out @param {number} o of a matrix, multiplied by another on its left
 * @param {ArrayLike<number>} m sixteen numbers, affine
 */
function premultiplyBy(out, o, m) {
  for (let column = 0; column < 4; ++column) {
    const c = o + 4 * column;
    const x = out[c];
    const y = out[c + 1];
    const z = out[c + 2];
    const w = out[c + 3];
    out[c] = m[0] * x + m[4] * y + m[8] * z + m[12] * w;
    out[c + 1] = m[1] * x + m[5] * y + m[9] * z + m[13] * w;
    out[c + 2] = m[2] * x + m[6] * y + m[10] * z + m[14] * w;
  }
}
