// The card of measurements: step time by phase, counts, energies. Written a few times a second,
// not every frame.

import { formatCount, formatEnergy } from './units.js';

/** @typedef {import('./simulation.js').Simulation} Simulation */

const INTERVAL = 250; // ms between two writings
const HASH_INTERVAL = 1000;
const SMOOTHING = 0.08; // weight of the newest step in the running mean

/**
 * @type {{ key: 'broadPhase' | 'narrowPhase' | 'contactUpdate' | 'islands' | 'impacts' | 'constraints' |
 *   'integrate' | 'finish', title: string, colour: string }[]}
 */
const PHASES = [
  { key: 'broadPhase', title: 'Broad phase', colour: '#5f86a6' },
  { key: 'narrowPhase', title: 'Narrow phase', colour: '#3f8a8c' },
  { key: 'contactUpdate', title: 'Contacts', colour: '#7f9f86' },
  { key: 'islands', title: 'Islands', colour: '#c9bd8f' },
  { key: 'impacts', title: 'Impacts', colour: '#dfb36a' },
  { key: 'constraints', title: 'Solver', colour: '#c4623f' },
  { key: 'integrate', title: 'Integration', colour: '#94708c' },
  { key: 'finish', title: 'Finish', colour: '#8b949d' },
];

/** @type {[string, string][]} */
const FACTS = [
  ['bodies', 'Bodies'],
  ['contacts', 'Contacts'],
  ['points', 'Contact points'],
  ['awake', 'Awake'],
  ['solved', 'Solver bodies'],
  ['merged', 'Merged'],
  ['islands', 'Islands'],
  ['kinetic', 'Kinetic energy'],
  ['potential', 'Potential energy'],
  ['time', 'Time'],
  ['threads', 'Threads'],
  ['memory', 'Memory'],
  ['hash', 'State'],
];

export class Panel {
  #toggle = element('panel-toggle');
  #stepText = element('step-ms');
  #topText = element('top-ms');
  #summary = element('panel-summary');
  /** @type {HTMLElement[]} */
  #segments = [];
  /** @type {HTMLElement[]} */
  #phaseTexts = [];
  /** @type {Map<string, HTMLElement>} */
  #facts = new Map();

  #profile = {
    step: 0,
    collide: 0,
    solve: 0,
    broadPhase: 0,
    narrowPhase: 0,
    contactUpdate: 0,
    islands: 0,
    impacts: 0,
    constraints: 0,
    integrate: 0,
    finish: 0,
  };
  #mean = { ...this.#profile };
  #counters = {
    bodies: 0,
    awakeBodies: 0,
    geometries: 0,
    shapes: 0,
    materials: 0,
    contactMaterials: 0,
    proxies: 0,
    pairs: 0,
    contacts: 0,
    contactPoints: 0,
    islands: 0,
    convergedIslands: 0,
    guardedIslands: 0,
    colours: 0,
    impactRounds: 0,
    recycledManifolds: 0,
    solverBodies: 0,
    mergedBodies: 0,
    merges: 0,
    splits: 0,
    bytes: 0,
  };
  #samples = 0;
  #frames = 0;
  #lastWrite = 0;
  #lastHash = 0;

  constructor() {
    const bar = element('phase-bar');
    const body = /** @type {HTMLTableSectionElement} */ (document.querySelector('#phases tbody'));
    for (const { title, colour } of PHASES) {
      const segment = document.createElement('i');
      segment.style.background = colour;
      bar.append(segment);
      this.#segments.push(segment);
      const row = body.insertRow();
      const mark = document.createElement('i');
      mark.style.background = colour;
      row.insertCell().append(mark);
      row.insertCell().textContent = title;
      this.#phaseTexts.push(row.insertCell());
    }
    const list = element('facts');
    for (const [key, title] of FACTS) {
      const group = document.createElement('div');
      const term = document.createElement('dt');
      const value = document.createElement('dd');
      term.textContent = title;
      value.className = key === 'hash' ? 'code' : '';
      group.append(term, value);
      list.append(group);
      this.#facts.set(key, value);
    }
    this.#toggle.addEventListener('click', () => this.toggle());
    if (matchMedia('(min-width: 960px) and (max-height: 820px)').matches) this.toggle();
  }

  toggle() {
    this.#toggle.setAttribute('aria-expanded', String(this.#toggle.getAttribute('aria-expanded') !== 'true'));
    this.#lastWrite = 0;
  }

  /** The next frame writes. */
  refresh() {
    this.#lastWrite = 0;
  }

  /** As a sheet it is always unfolded. */
  #isOpen() {
    return (
      this.#toggle.getAttribute('aria-expanded') === 'true' || matchMedia('(max-width: 959.98px)').matches
    );
  }

  /** Another scene: the means start again. */
  clear() {
    this.#samples = 0;
    this.#lastWrite = 0;
    this.#lastHash = 0;
  }

  /**
   * @param {Simulation} simulation
   * @param {number} now ms
   * @param {number} steps done in this frame
   */
  update(simulation, now, steps) {
    this.#frames += 1;
    if (steps > 0) this.#sample(simulation);
    if (now - this.#lastWrite < INTERVAL) return;
    const seconds = (now - this.#lastWrite) / 1000;
    const rate = this.#lastWrite > 0 ? this.#frames / seconds : 0;
    this.#frames = 0;
    this.#lastWrite = now;
    this.#write(simulation, rate, now);
  }

  /** @param {Simulation} simulation */
  #sample(simulation) {
    const { world } = simulation;
    world.getProfile(this.#profile);
    this.#samples += 1;
    const weight = Math.max(SMOOTHING, 1 / this.#samples);
    this.#mean.step += weight * (this.#profile.step - this.#mean.step);
    for (const { key } of PHASES) this.#mean[key] += weight * (this.#profile[key] - this.#mean[key]);
  }

  /** @param {Simulation} simulation @param {number} rate frames a second @param {number} now */
  #write(simulation, rate, now) {
    const { world } = simulation;
    const mean = this.#mean;
    this.#stepText.textContent = this.#samples > 0 ? formatMilliseconds(mean.step) : '–';
    this.#topText.textContent = this.#stepText.textContent;
    this.#summary.textContent = rate > 0 ? `${Math.round(rate)} fps` : '';
    if (!this.#isOpen()) return;

    let total = 1e-9;
    for (const { key } of PHASES) total += mean[key];
    PHASES.forEach(({ key }, index) => {
      this.#segments[index].style.width = `${((100 * mean[key]) / total).toFixed(1)}%`;
      this.#phaseTexts[index].textContent = this.#samples > 0 ? mean[key].toFixed(3) : '–';
    });

    const counters = world.getCounters(this.#counters);
    this.#set('bodies', formatCount(counters.bodies));
    this.#set('contacts', formatCount(counters.contacts));
    this.#set('points', formatCount(counters.contactPoints));
    this.#set('awake', formatCount(counters.awakeBodies));
    this.#set('solved', formatCount(counters.solverBodies));
    this.#set('merged', formatCount(counters.mergedBodies));
    this.#set('islands', formatCount(counters.islands));
    this.#set('kinetic', formatEnergy(world.kineticEnergy));
    this.#set('potential', formatEnergy(world.potentialEnergy));
    this.#set('time', `${world.time.toFixed(2)} s`);
    this.#set('threads', String(world.cairn.threads));
    this.#set('memory', `${(counters.bytes / 2 ** 20).toFixed(1)} MB`);
    if (now - this.#lastHash >= HASH_INTERVAL || !simulation.playing) {
      this.#lastHash = now;
      this.#set('hash', world.hash());
    }
  }

  /** @param {string} key @param {string} text */
  #set(key, text) {
    const target = this.#facts.get(key);
    if (target && target.textContent !== text) target.textContent = text;
  }
}

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {number} value */
function formatMilliseconds(value) {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}
