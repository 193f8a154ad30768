// Constraints as dots and arrows.

import { Color, Group, Quaternion, Vector3 } from 'three';
import { constraintTypes } from '../generated/descriptions.js';
import { ConstraintFlags } from '../generated/flags.js';
import { Arrows, Dots } from './marks.js';

/** @typedef {import('../index.js').World} World */
/** @typedef {import('../index.js').Body} Body */

/**
 * @typedef {object} JointOverlayOptions
 * @property {number} [size] m, of the axes; 0.3
 * @property {number} [pointSize] pixels; 10
 * @property {import('three').ColorRepresentation} [pointColor]
 * @property {import('three').ColorRepresentation} [axisColor]
 */

/** Types whose axis says something, by number. */
const AXIAL = Object.values(constraintTypes).map(({ isAxial }) => isAxial);
const SPANNING = Object.values(constraintTypes).map(({ isLine }) => isLine);

/**
 * Constraints as dots where they are fixed in the first body, with an arrow along the axis of those that have
 * one, and from point to point of distances and springs. What is disabled or broken is not drawn.
 */
export class JointOverlay extends Group {
  /** @type {World} */
  world;

  #size;
  #dots;
  #arrows;
  /** Handles of the constraints that `#fixed` is of, by row. */
  #handles = new Uint32Array(0);
  /** Nine numbers a row: point and axis in the first body, point in the second. */
  #fixed = new Float64Array(0);
  #frame = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
  #first = new Vector3();
  #second = new Vector3();
  #axis = new Vector3();
  #rotation = new Quaternion();

  /** @param {World} world @param {JointOverlayOptions} [options] */
  constructor(world, options = {}) {
    super();
    this.name = 'cairn joints';
    this.world = world;
    this.#size = options.size ?? 0.3;
    this.#dots = new Dots(options.pointSize ?? 10, new Color(options.pointColor ?? 0x3f8a8c));
    this.#arrows = new Arrows(0.04 * this.#size, new Color(options.axisColor ?? 0x3f8a8c));
    this.add(this.#arrows, this.#dots);
  }

  /**
   * Brings them to where `world.interpolatePoses` and `advance` left the bodies. No garbage but for
   * new constraints.
   */
  update() {
    if (!this.visible) return;
    const { constraints, bodies } = this.world.columns;
    const { rows, handle, flags, type, body1, body2 } = constraints;
    const poses = bodies.renderPose;
    if (rows > this.#handles.length) {
      this.#handles = new Uint32Array(2 * rows);
      this.#fixed = new Float64Array(18 * rows);
    }
    const dots = this.#dots.reserve(2 * rows);
    const arrows = this.#arrows.reserve(rows);
    let dotCount = 0;
    let arrowCount = 0;
    for (let row = 0; row < rows; ++row) {
      if (handle[row] === 0 || (flags[row] & ConstraintFlags.enabled) === 0 || body1[row] < 0) continue;
      if (handle[row] !== this.#handles[row]) this.#fix(row);
      const first = this.#place(this.#first, 9 * row, poses, body1[row]);
      const axis = this.#axis.fromArray(this.#fixed, 9 * row + 3).applyQuaternion(this.#rotation);
      if (SPANNING[type[row]]) {
        const second = this.#place(this.#second, 9 * row + 6, poses, body2[row]);
        second.toArray(dots, 3 * dotCount++);
        axis.subVectors(second, first);
      } else {
        axis.multiplyScalar(this.#size);
      }
      first.toArray(dots, 3 * dotCount++);
      if (!AXIAL[type[row]] && !SPANNING[type[row]]) continue;
      first.toArray(arrows, 6 * arrowCount);
      axis.toArray(arrows, 6 * arrowCount + 3);
      arrowCount += 1;
    }
    this.#dots.finish(dotCount);
    this.#arrows.finish(arrowCount);
  }

  /** Frees what this overlay holds on the graphics card. */
  dispose() {
    this.clear();
    this.#dots.dispose();
    this.#arrows.dispose();
  }

  /** Takes down where a constraint is fixed in its bodies. @param {number} row */
  #fix(row) {
    const constraint = /** @type {import('../index.js').Constraint} */ (this.world.constraintAt(row));
    const { body1, body2 } = constraint;
    this.#handles[row] = constraint.handle;
    constraint.getFrame(this.#frame);
    this.#axis.set(0, 0, 1).applyQuaternion(this.#rotation.fromArray(this.#frame.rotation));
    this.#toBody(body1, this.#first.fromArray(this.#frame.position)).toArray(this.#fixed, 9 * row);
    if (body1) this.#axis.applyQuaternion(this.#rotation);
    this.#axis.toArray(this.#fixed, 9 * row + 3);
    constraint.getFrameOn(body2, this.#frame);
    this.#toBody(body2, this.#second.fromArray(this.#frame.position)).toArray(this.#fixed, 9 * row + 6);
  }

  /**
   * From the world to a body's model frame; leaves the rotation there.
   * @param {Body | null} body @param {Vector3} point
   */
  #toBody(body, point) {
    if (body === null) return point;
    this.#rotation.fromArray(body.getRotation()).conjugate();
    return point.sub(this.#second.clone().fromArray(body.getPosition())).applyQuaternion(this.#rotation);
  }

  /**
   * Where a fixed point is drawn; leaves the body's rotation.
   * @param {Vector3} out @param {number} at @param {Float32Array} poses
   * @param {number} body row, -1: the world
   */
  #place(out, at, poses, body) {
    out.fromArray(this.#fixed, at);
    if (body < 0) return out;
    this.#rotation.fromArray(poses, 8 * body + 4);
    out.applyQuaternion(this.#rotation);
    return out.set(out.x + poses[8 * body], out.y + poses[8 * body + 1], out.z + poses[8 * body + 2]);
  }
}
