// One body read closely: its mass, its speed and what presses and pulls at it, on a label that goes with it.

import { formatCount, formatFixed, formatForce } from './units.js';

/** @typedef {import('cairn-physics').Body} Body */
/** @typedef {import('./labels.js').Labels} Labels */
/** @typedef {import('./labels.js').PlacedLabel} PlacedLabel */

const INTERVAL = 120; // ms between two readings

export class Inspector {
  /** @type {Body | null} */
  body = null;

  #labels;
  /** @type {PlacedLabel | null} */
  #label = null;
  /** @type {import('cairn-physics').ContactReader | null} */
  #reader = null;
  #lastRead = 0;
  #vector = new Float64Array(3);

  /** @param {Labels} labels */
  constructor(labels) {
    this.#labels = labels;
  }

  /** @param {Body} body */
  select(body) {
    this.clear();
    this.body = body;
    this.#reader = body.world.createContactReader(body, null);
    this.#label = this.#labels.add('', body.index, [0, 0, 0]);
    this.#label.element.className = 'reading';
    this.#lastRead = 0;
  }

  clear() {
    if (this.#label !== null) this.#labels.remove(this.#label);
    this.#label = null;
    this.#reader = null;
    this.body = null;
  }

  /** @param {number} now ms */
  update(now) {
    const { body } = this;
    if (body === null || this.#label === null || now - this.#lastRead < INTERVAL) return;
    this.#lastRead = now;
    if (!body.isValid) this.clear();
    else this.#labels.write(this.#label, this.#read(body));
  }

  /** @param {Body} body @returns {string} */
  #read(body) {
    const vector = this.#vector;
    const size = () => Math.hypot(vector[0], vector[1], vector[2]);
    body.getVelocity(vector);
    const lines = [`${formatMass(body.mass)}, ${formatFixed(size(), size() < 10 ? 3 : 1)} m/s`];
    if (body.asleep) lines[0] += ', asleep';
    else if (body.mergedBody !== null) lines[0] += ', merged';

    const contacts = this.#reader?.contacts();
    let points = 0;
    let pressed = 0;
    while (contacts?.next()) {
      for (let i = 0; i < contacts.pointCount; ++i, ++points) pressed += contacts.getPointNormalForce(i);
    }
    if (points > 0) lines.push(`pressed with ${formatForce(pressed)} at ${formatCount(points)} points`);

    const joints = body.constraints();
    let pull = 0;
    for (const joint of joints) {
      joint.getForce(vector);
      pull = Math.max(pull, size());
    }
    if (joints.length > 0) {
      lines.push(
        `${formatCount(joints.length)} joint${joints.length === 1 ? '' : 's'}, up to ${formatForce(pull)}`,
      );
    }
    return lines.join('\n');
  }
}

/** @param {number} kilograms */
function formatMass(kilograms) {
  if (kilograms >= 1e4) return `${Number((kilograms / 1e3).toPrecision(3))} t`;
  return kilograms < 0.1
    ? `${Number((kilograms * 1e3).toPrecision(3))} g`
    : `${Number(kilograms.toPrecision(3))} kg`;
}
