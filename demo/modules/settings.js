// What the user has chosen: speed and overlays, on their buttons and in the address.
//
//   ?show=points,forces   which overlays, instead of the scene's usual ones
//   ?speed=0.25           simulated seconds a second

/** @typedef {import('./simulation.js').Simulation} Simulation */
/** @typedef {import('./gallery.js').SceneEntry} SceneEntry */

/** @typedef {'points' | 'forces' | 'joints' | 'states' | 'materials'} OverlayName */

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

/** @type {Record<OverlayName, { button: string, needs: keyof Simulation['has'] }>} */
const OVERLAYS = {
  points: { button: 'show-points', needs: 'contacts' },
  forces: { button: 'show-forces', needs: 'contacts' },
  joints: { button: 'show-joints', needs: 'joints' },
  states: { button: 'show-states', needs: 'states' },
  materials: { button: 'colour', needs: 'materials' },
};

const NAMES = /** @type {OverlayName[]} */ (Object.keys(OVERLAYS));

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Settings {
  /** Simulated seconds a second. */
  speed = 1;
  /** @type {Set<OverlayName>} */
  shown = new Set(['joints', 'states']);

  #speedInput = /** @type {HTMLSelectElement} */ (element('speed'));
  #changed;
  /** Overlays of the address, until a scene has taken them. @type {Set<OverlayName> | null} */
  #asked = null;
  /** Whether the user wants joints where they are not too many. */
  #wantsJoints = true;
  #manyJoints = false;

  /**
   * @param {URLSearchParams} query
   * @param {() => void} changed called after each change by the user
   */
  constructor(query, changed) {
    this.#changed = changed;
    const list = query.get('show');
    if (list !== null) this.#asked = new Set(NAMES.filter((name) => list.split(',').includes(name)));
    const speed = Number(query.get('speed'));
    for (const value of SPEEDS) {
      const option = document.createElement('option');
      option.value = String(value);
      option.textContent = `${value}×`;
      this.#speedInput.append(option);
    }
    this.#showSpeed(SPEEDS.includes(speed) ? speed : 1);
    this.#speedInput.addEventListener('change', () => {
      this.#showSpeed(Number(this.#speedInput.value));
      changed();
    });
    for (const name of NAMES)
      element(OVERLAYS[name].button).addEventListener('click', () => this.toggle(name));
  }

  /** @param {number} places in the list of speeds */
  changeSpeed(places) {
    const next = SPEEDS[SPEEDS.indexOf(this.speed) + places];
    if (next === undefined) return;
    this.#showSpeed(next);
    this.#changed();
  }

  /** @param {number} speed */
  #showSpeed(speed) {
    this.speed = speed;
    this.#speedInput.value = String(speed);
    this.#speedInput.toggleAttribute('data-changed', speed !== 1);
  }

  /** @param {OverlayName} name */
  toggle(name) {
    if (element(OVERLAYS[name].button).hidden) return;
    if (this.shown.has(name)) this.shown.delete(name);
    else this.shown.add(name);
    if (name === 'joints' && !this.#manyJoints) this.#wantsJoints = this.shown.has('joints');
    this.#showButtons();
    this.#changed();
  }

  /**
   * Another scene: buttons of what it does not have go. Marks of hundreds of joints would hide it: they wait
   * until asked for.
   *
   * @param {Simulation} simulation
   */
  enter({ has, entry, world }) {
    for (const name of NAMES) element(OVERLAYS[name].button).hidden = !has[OVERLAYS[name].needs];
    element('overlays').hidden = NAMES.every((name) => !has[OVERLAYS[name].needs]);
    const states = /** @type {HTMLElement} */ (element('show-states').querySelector('span'));
    states.textContent = world.getMergeSplit().enabled ? 'Merged' : 'Asleep';
    this.#manyJoints = entry.manyJoints ?? false;
    if (this.#wantsJoints && !this.#manyJoints) this.shown.add('joints');
    else this.shown.delete('joints');
    if (this.#asked !== null) this.shown = this.#asked;
    this.#asked = null;
    this.#showButtons();
  }

  /** Writes what is not as usual. @param {URLSearchParams} query @param {Simulation} simulation */
  write(query, { has, entry }) {
    const shown = NAMES.filter((name) => this.shown.has(name) && has[OVERLAYS[name].needs]);
    const usual = NAMES.filter(
      (name) => has[OVERLAYS[name].needs] && (name === 'states' || (name === 'joints' && !entry.manyJoints)),
    );
    if (shown.join() === usual.join()) query.delete('show');
    else query.set('show', shown.join());
    if (this.speed === 1) query.delete('speed');
    else query.set('speed', String(this.speed));
  }

  #showButtons() {
    for (const name of NAMES) {
      element(OVERLAYS[name].button).setAttribute('aria-pressed', String(this.shown.has(name)));
    }
  }
}
