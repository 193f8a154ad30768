// Contacts as dots and arrows.

import { Color, Group } from 'three';
import { Arrows, Dots } from './marks.js';

/** @typedef {import('../index.js').World} World */

/**
 * @typedef {object} ContactOverlayOptions
 * @property {boolean} [points] show contact points; true
 * @property {boolean} [forces] show contact forces; true
 * @property {number} [pointSize] pixels; 9
 * @property {number} [forceScale] m/N, length of an arrow; 0.001
 * @property {number} [maxLength] m, of an arrow; none
 * @property {number} [arrowRadius] m, of an arrow's shaft; 0.02
 * @property {import('three').ColorRepresentation} [pointColor]
 * @property {import('three').ColorRepresentation} [normalColor]
 * @property {import('three').ColorRepresentation} [tangentialColor]
 */

/**
 * Contact points as dots, normal and tangential forces as arrows that start there. Of the two bodies in
 * contact the arrows show the forces on the one that is pushed upwards (along `up`), and on the body where
 * the other one is static geometry. Draw it in a scene of its own after `renderer.clearDepth()` to see the
 * contacts inside a pile.
 */
export class ContactOverlay extends Group {
  /** @type {World} */
  world;
  /** m/N */
  forceScale;
  /** m */
  maxLength;
  /** Whether contact points are shown. */
  showPoints;
  /** Whether contact forces are shown. */
  showForces;

  #dots;
  #normalArrows;
  #tangentialArrows;

  /**
   * @param {World} world
   * @param {ContactOverlayOptions} [options]
   */
  constructor(world, options = {}) {
    super();
    this.name = 'cairn contacts';
    this.up.set(0, 0, 1);
    this.world = world;
    this.showPoints = options.points ?? true;
    this.showForces = options.forces ?? true;
    this.forceScale = options.forceScale ?? 1e-3;
    this.maxLength = options.maxLength ?? Infinity;
    const arrowRadius = options.arrowRadius ?? 0.02;
    this.#dots = new Dots(options.pointSize ?? 9, new Color(options.pointColor ?? 0xe08a1e));
    this.#normalArrows = new Arrows(arrowRadius, new Color(options.normalColor ?? 0x2c7fb8));
    this.#tangentialArrows = new Arrows(arrowRadius, new Color(options.tangentialColor ?? 0xc43c55));
    this.add(this.#normalArrows, this.#tangentialArrows, this.#dots);
  }

  /** Takes over the contacts of the last step. No garbage but when there are more than ever before. */
  update() {
    this.#dots.visible = this.showPoints;
    this.#normalArrows.visible = this.showForces;
    this.#tangentialArrows.visible = this.showForces;
    if (!this.showPoints && !this.showForces) return;

    const { contacts, contactPoints } = this.world.columns;
    const count = contactPoints.rows;
    const position = contactPoints.position;
    if (this.showPoints) {
      const out = this.#dots.reserve(count);
      for (let i = 0; i < 3 * count; ++i) out[i] = position[i];
      this.#dots.finish(count);
    }
    if (!this.showForces) return;

    const { body1, body2 } = contacts;
    const { up } = this;
    const { contact: contactOfPoint, normal, normalForce, tangentialForce } = contactPoints;
    const normalOut = this.#normalArrows.reserve(count);
    const tangentialOut = this.#tangentialArrows.reserve(count);
    for (let i = 0; i < count; ++i) {
      const x = 3 * i;
      const contact = contactOfPoint[i];
      const lift = normal[x] * up.x + normal[x + 1] * up.y + normal[x + 2] * up.z;
      const onSecond = body1[contact] < 0 || (body2[contact] >= 0 && lift < 0);
      const scale = onSecond ? -this.forceScale : this.forceScale;
      const along = scale * normalForce[i];
      this.#writeArrow(
        normalOut,
        i,
        position,
        along * normal[x],
        along * normal[x + 1],
        along * normal[x + 2],
      );
      this.#writeArrow(
        tangentialOut,
        i,
        position,
        scale * tangentialForce[x],
        scale * tangentialForce[x + 1],
        scale * tangentialForce[x + 2],
      );
    }
    this.#normalArrows.finish(count);
    this.#tangentialArrows.finish(count);
  }

  /**
   * @param {Float32Array} out
   * @param {number} index
   * @param {ArrayLike<number>} start
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  #writeArrow(out, index, start, x, y, z) {
    const length = Math.sqrt(x * x + y * y + z * z);
    const cut = length > this.maxLength ? this.maxLength / length : 1;
    out[6 * index] = start[3 * index];
    out[6 * index + 1] = start[3 * index + 1];
    out[6 * index + 2] = start[3 * index + 2];
    out[6 * index + 3] = cut * x;
    out[6 * index + 4] = cut * y;
    out[6 * index + 5] = cut * z;
  }

  /** Frees what this overlay holds on the graphics card. */
  dispose() {
    this.clear();
    this.#dots.dispose();
    this.#normalArrows.dispose();
    this.#tangentialArrows.dispose();
  }
}
