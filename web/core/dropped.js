// What users drop without dispose(): the garbage collector finds that, some time, and then the engine's
// memory and threads are given back. Nothing here may refer to the objects that are waited for.

/**
 * @template {object} World
 * @typedef {{ free: () => void, reference: WeakRef<World> }} Entry
 */

let isWarned = false;

function warn() {
  if (isWarned) return;
  isWarned = true;
  console.warn(
    'cairn-physics: a world was dropped without world.dispose() and is freed now that the garbage ' +
      'collector found it. That may come late or never: dispose what is not needed any more. ' +
      '(This is said once.)',
  );
}

/**
 * The worlds of a module that live, without keeping them alive.
 * @template {object} World
 */
export class LiveWorlds {
  /** @type {Map<number, Entry<World>>} by their handles */
  #entries = new Map();

  #registry = new FinalizationRegistry((/** @type {number} */ handle) => {
    const entry = this.#entries.get(handle);
    if (!entry) return;
    this.#entries.delete(handle);
    warn();
    entry.free();
  });

  /**
   * @param {World} world
   * @param {number} handle
   * @param {() => void} free gives the world's memory back without the object
   */
  add(world, handle, free) {
    const reference = new WeakRef(world);
    this.#entries.set(handle, { free, reference });
    this.#registry.register(world, handle, reference);
  }

  /** A world was disposed. @param {number} handle */
  delete(handle) {
    const entry = this.#entries.get(handle);
    if (!entry) return;
    this.#entries.delete(handle);
    this.#registry.unregister(entry.reference);
  }

  /** No world lives any more: those that were dropped went with the module. */
  clear() {
    for (const handle of [...this.#entries.keys()]) this.delete(handle);
  }

  /** Those that are still reachable. */
  *[Symbol.iterator]() {
    for (const { reference } of [...this.#entries.values()]) {
      const world = reference.deref();
      if (world) yield world;
    }
  }
}

const modules = new FinalizationRegistry((/** @type {() => void} */ endThreads) => endThreads());

/** Ends the threads of a module that is dropped. @param {object} cairn @param {() => void} endThreads */
export function watchModule(cairn, endThreads) {
  modules.register(cairn, endThreads, cairn);
}

/** It was disposed. @param {object} cairn */
export function forgetModule(cairn) {
  modules.unregister(cairn);
}
