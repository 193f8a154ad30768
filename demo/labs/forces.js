// Forces as arrows at points of the world, and captions that stand beside points.

import { ArrowHelper, Vector3 } from 'three';

const MOST = 3; // m

export class ForceArrow extends ArrowHelper {
  #direction = new Vector3();
  #scale;

  /** @param {string} colour @param {number} scale m/N */
  constructor(colour, scale) {
    super(new Vector3(0, 0, 1), new Vector3(), 1, colour);
    this.#scale = scale;
    this.visible = false;
  }

  /** m/N */
  set lengthOfForce(/** @type {number} */ scale) {
    this.#scale = scale;
  }

  /** @param {ArrayLike<number>} point m @param {ArrayLike<number>} force N */
  show(point, force) {
    const size = Math.hypot(force[0], force[1], force[2]);
    const length = Math.min(MOST, size * this.#scale);
    this.visible = length > 0.02;
    if (!this.visible) return;
    this.position.set(point[0], point[1], point[2]);
    this.setDirection(this.#direction.set(force[0] / size, force[1] / size, force[2] / size));
    this.setLength(length, Math.min(0.16, 0.4 * length), Math.min(0.09, 0.22 * length));
  }
}

const captions = /** @type {HTMLElement} */ (document.getElementById('captions'));

/** A few words beside a point of the picture. */
export class Caption {
  #element = document.createElement('span');

  /** @param {string} text */
  constructor(text) {
    this.#element.textContent = text;
    captions.append(this.#element);
  }

  /** @param {import('../modules/stage.js').Stage} stage @param {[number, number, number]} point m */
  place(stage, point) {
    const { x, y } = stage.toPage(point);
    this.#element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px) translate(-50%, -50%)`;
  }
}
