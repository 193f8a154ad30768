// Words in the picture: each stands over a point of the world or a body, none over another.

import { Vector3 } from 'three';

/** @typedef {import('cairn-physics').Scene} Scene */
/** @typedef {import('./gallery.js').SceneLabel} SceneLabel */
/** @typedef {import('./stage.js').Stage} Stage */

/**
 * @typedef {object} PlacedLabel
 * @property {HTMLElement} element
 * @property {number} body row, −1: the world
 * @property {Vector3} point m, from the body's position
 * @property {number} width pixels
 * @property {number} height pixels
 * @property {number} x left edge in the page, pixels
 * @property {number} y top edge
 */

const MARGIN = 4; // pixels from the edge
const GAP = 2; // pixels between two of them
const SHIFTS = 6; // tries to find room before one is hidden

export class Labels {
  #layer;
  /** @type {PlacedLabel[]} */
  #labels = [];
  #spot = new Vector3();

  /** @param {HTMLElement} layer over the canvas */
  constructor(layer) {
    this.#layer = layer;
  }

  /** @param {Scene} scene @param {SceneLabel[]} labels */
  show(scene, labels) {
    this.clear();
    for (const { text, body, point } of labels) {
      this.add(text, body === undefined ? -1 : scene.findBody(body).index, point ?? [0, 0, 0]);
    }
  }

  /**
   * @param {string} text
   * @param {number} body row of the body table, −1: the world
   * @param {[number, number, number]} point m
   * @returns {PlacedLabel}
   */
  add(text, body, point) {
    const element = document.createElement('span');
    element.textContent = text;
    this.#layer.append(element);
    const label = { element, body, point: new Vector3(...point), width: 0, height: 0, x: 0, y: 0 };
    this.#labels.push(label);
    return label;
  }

  /** @param {PlacedLabel} label @param {string} text */
  write(label, text) {
    if (label.element.textContent === text) return;
    label.element.textContent = text;
    label.width = 0; // to be measured again
  }

  /** @param {PlacedLabel} label */
  remove(label) {
    label.element.remove();
    this.#labels = this.#labels.filter((other) => other !== label);
  }

  clear() {
    this.#layer.replaceChildren();
    this.#labels = [];
  }

  /**
   * Puts them where their points are drawn; no garbage.
   *
   * @param {Stage} stage
   * @param {Float32Array} poses `renderPose` of the bodies
   */
  place(stage, poses) {
    for (let i = 0; i < this.#labels.length; ++i) {
      const label = this.#labels[i];
      const spot = this.#spot.copy(label.point);
      if (label.body >= 0) {
        const row = 8 * label.body;
        spot.set(spot.x + poses[row], spot.y + poses[row + 1], spot.z + poses[row + 2]);
      }
      stage.project(spot);
      if (label.width === 0) {
        label.width = label.element.offsetWidth;
        label.height = label.element.offsetHeight;
      }
      // all of it is beside the cards, as long as its point is
      const inSight = spot.z < 1 && spot.x > stage.left && spot.x < stage.right;
      const x = Math.min(
        Math.max(spot.x - label.width / 2, stage.left + MARGIN),
        stage.right - label.width - MARGIN,
      );
      label.x = Math.round(x);
      label.y = Math.round(spot.y - label.height - 4);
      const room = inSight && this.#findRoom(i);
      label.element.style.visibility = room ? 'visible' : 'hidden';
      if (!room)
        label.x = NaN; // in nobody's way
      else label.element.style.transform = `translate(${label.x}px, ${label.y}px)`;
    }
  }

  /** Moves one up until it is clear of those before it. @param {number} index @returns {boolean} */
  #findRoom(index) {
    const label = this.#labels[index];
    for (let shift = 0; shift < SHIFTS; ++shift) {
      let blocked = -1;
      for (let i = 0; i < index && blocked < 0; ++i) if (overlap(label, this.#labels[i])) blocked = i;
      if (blocked < 0) return true;
      label.y = this.#labels[blocked].y - label.height - GAP;
    }
    return false;
  }
}

/** @param {PlacedLabel} a @param {PlacedLabel} b */
function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
