// The card beside the picture: what the scene proves, the numbers that show it, and where to read more.

import { docsAddress, sceneAddress } from './gallery.js';

/** @typedef {import('./gallery.js').SceneEntry} SceneEntry */
/** @typedef {import('./simulation.js').Simulation} Simulation */

const INTERVAL = 200; // ms between two readings

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Caption {
  #title = element('caption-title');
  #claim = element('caption-claim');
  #current = element('current-title');
  #list = element('readings');
  #pulled = element('pulled');
  #scene = /** @type {HTMLAnchorElement} */ (element('link-scene'));
  #docs = /** @type {HTMLAnchorElement} */ (element('link-docs'));
  /** @type {{ label: HTMLElement, value: Text, expected: HTMLElement }[]} */
  #rows = [];
  #lastRead = 0;

  /** @param {SceneEntry} entry */
  show({ name, title, text, claim, docs }) {
    this.#title.textContent = title;
    this.#current.textContent = title;
    this.#claim.textContent = claim ?? text;
    this.#scene.href = sceneAddress(name);
    this.#docs.href = docs === undefined ? '../docs/' : docsAddress(docs);
    this.#list.replaceChildren();
    this.#rows = [];
    this.#lastRead = 0;
  }

  /** @param {Simulation} simulation @param {number} now ms */
  update({ measure, pulled }, now) {
    if (now - this.#lastRead < INTERVAL) return;
    this.#lastRead = now;
    this.#pulled.hidden = !pulled;
    if (measure === null) return;
    measure.read().forEach(({ label, value, expected }, i) => {
      const row = this.#rows[i] ?? this.#addRow();
      if (row.label.textContent !== label) row.label.textContent = label;
      if (row.value.data !== value) row.value.data = value;
      const formula = expected === undefined ? '' : `expected ${expected}`;
      if (row.expected.textContent !== formula) row.expected.textContent = formula;
    });
  }

  /** The next frame reads again. */
  refresh() {
    this.#lastRead = 0;
  }

  #addRow() {
    const group = document.createElement('div');
    const label = document.createElement('dt');
    const cell = document.createElement('dd');
    const value = document.createTextNode('');
    const expected = document.createElement('small');
    cell.append(value, expected);
    group.append(label, cell);
    this.#list.append(group);
    const row = { label, value, expected };
    this.#rows.push(row);
    return row;
  }
}
