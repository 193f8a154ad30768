// Scenes: worlds made from a scene file.

import { writeAssets } from './assets.js';
import { checkUnsigned } from '../core/checks.js';
import { CairnError, wrongType } from '../core/errors.js';
import {
  destroyScene,
  sceneCollide,
  sceneFindBody,
  sceneFindConstraint,
  sceneFindGeometry,
  sceneFindMergedBody,
  sceneFindObserver,
  sceneGetName,
  sceneGetRecord,
  sceneGetRecordCount,
  sceneGetWorld,
  sceneOpenChannel,
  sceneReadChannel,
  sceneSolve,
  sceneStep,
} from '../generated/calls.js';
import { Handle, handleOf, makeKey } from '../core/handle.js';
import { seal } from '../core/strict.js';
import { readSource, rememberSource } from './scene_source.js';
import { World } from './world.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {import('./observer.js').Observer} Observer */

/** A scene file, loaded. */
export class Scene extends Handle {
  #world;
  #step = () => sceneStep(this);
  #collide = () => sceneCollide(this);
  #solve = () => sceneSolve(this);
  /** @internal @type {import('../core/runtime.js').Runtime} @readonly */
  runtime;

  /**
   * @param {symbol} key
   * @param {import('./cairn.js').Cairn} cairn
   * @param {import('../core/runtime.js').Runtime} runtime
   * @param {number} value
   */
  constructor(key, cairn, runtime, value) {
    super(key, 'scene', null, value);
    this.runtime = runtime;
    const release = () => {
      destroyScene(this);
      Handle.retire(this);
    };
    this.#world = new World(key, cairn, runtime, sceneGetWorld(this), {
      release,
      free: makeFree(runtime, value),
    });
    seal(this);
  }

  /**
   * @internal
   * @param {import('./cairn.js').Cairn} cairn
   * @param {import('../core/runtime.js').Runtime} runtime
   * @param {unknown} scene text, bytes or an object
   * @param {number} threads
   * @param {unknown} files Files, or undefined
   * @returns {Scene}
   */
  static load(cairn, runtime, scene, threads, files) {
    const call = 'cnLoadScene';
    try {
      const text = runtime.hold(toBytes(scene));
      const address = runtime.writeBytes(call, 'scene', text);
      const table = writeAssets(runtime, call, text, files);
      runtime.check(
        runtime.raw._cnw_LoadSceneWithAssets(address, text.length, threads, table.address, table.count),
      );
      const made = new Scene(makeKey, cairn, runtime, runtime.u32[runtime.result >>> 2]);
      // bytes are the caller's
      rememberSource(made.world, typeof scene === 'string' ? scene : text.slice());
      made.world.names.readFrom(() => namesOf(made));
      return made;
    } finally {
      runtime.scratch.release();
    }
  }

  /** The scene's world; disposing it disposes the scene. @returns {World} */
  get world() {
    if (Handle.kindOf(this) !== 'scene') throw wrongType('Scene.world', 'this', this, 'is a Scene');
    return this.#world;
  }

  /** '' where the file gives none. @returns {string} */
  get name() {
    return sceneGetName(this);
  }

  /** Channels that the file wants recorded, in its order. @returns {string[]} */
  get record() {
    return Array.from({ length: sceneGetRecordCount(this) }, (_, index) => sceneGetRecord(this, index));
  }

  /** Applies the actions that are due, then steps the world. @returns {void} */
  step() {
    this.world.stepByHand('Scene.step', this.#step, this.#collide, this.#solve);
  }

  #stepOnce = () => this.#world.stepBy('Scene.step', this.#step, this.#collide, this.#solve);

  /** Many steps in one call. @param {number} count integer >= 0 @returns {void} */
  steps(count) {
    const value = handleOf('Scene.steps', 'this', 'scene', null, this);
    checkUnsigned('Scene.steps', 'count', count);
    this.#world.stepsByHand('Scene.steps', count, this.#stepOnce, () =>
      this.runtime.raw._cnw_Scene_Steps(value, count),
    );
  }

  /**
   * Adds real time, does the steps that are due, and writes the render poses.
   * @param {number} seconds >= 0
   * @param {import('../core/clock.js').AdvanceOptions} [options] maxSteps (4): time beyond is dropped
   * @returns {number} steps done
   */
  advance(seconds, options) {
    handleOf('Scene.advance', 'this', 'scene', null, this);
    return this.#world.advanceWith('Scene.advance', seconds, options, this.#stepOnce);
  }

  /** `UNKNOWN_NAME` where nothing has it. @param {string} name @returns {Body} */
  findBody(name) {
    return /** @type {Body} */ (this.world.objectOf('body', sceneFindBody(this, name)));
  }

  /** `UNKNOWN_NAME` where nothing has it. @param {string} name @returns {Geometry} */
  findGeometry(name) {
    return /** @type {Geometry} */ (this.world.objectOf('geometry', sceneFindGeometry(this, name)));
  }

  /** `UNKNOWN_NAME` where nothing has it. @param {string} name @returns {Observer} */
  findObserver(name) {
    const { body, position, rotation } = sceneFindObserver(this, name);
    return this.world.createObserver({ body, position, rotation });
  }

  /** `UNKNOWN_NAME` where nothing has it. @param {string} name @returns {Constraint} */
  findConstraint(name) {
    return /** @type {Constraint} */ (this.world.objectOf('constraint', sceneFindConstraint(this, name)));
  }

  /**
   * `UNKNOWN_NAME` where nothing has it.
   * @param {string} name @returns {import('./merged_body.js').MergedBody}
   */
  findMergedBody(name) {
    return /** @type {import('./merged_body.js').MergedBody} */ (
      this.world.objectOf('mergedBody', sceneFindMergedBody(this, name))
    );
  }

  /**
   * `UNKNOWN_NAME`, `NOT_SUPPORTED_YET`.
   * @param {string} name 'body/b/position'
   * @returns {Channel}
   */
  openChannel(name) {
    return new Channel(this, name, sceneOpenChannel(this, name));
  }

  /** @returns {boolean} */
  get isDisposed() {
    return Handle.isGone(this);
  }

  /** Frees the scene and its world; a second time nothing happens. @returns {void} */
  dispose() {
    this.world.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }
}

/** One thing that can be recorded. */
export class Channel {
  #scene;
  #index;
  /** @type {string} @readonly */
  name;

  /** @internal @param {Scene} scene @param {string} name @param {number} index */
  constructor(scene, name, index) {
    this.#scene = scene;
    this.#index = index;
    this.name = name;
    seal(this);
  }

  /** The present value: number, list of numbers, list of lists, string or boolean. @returns {unknown} */
  read() {
    return JSON.parse(this.readText());
  }

  /** The present value as JSON text. @returns {string} */
  readText() {
    return sceneReadChannel(this.#scene, this.#index);
  }

  /** The present value as bytes of JSON text. @internal @returns {Uint8Array} */
  readBytes() {
    const scene = this.#scene;
    const value = handleOf('cnScene_ReadChannel', 'scene', 'scene', null, scene);
    const { runtime } = scene;
    runtime.check(runtime.raw._cnw_Scene_ReadChannel(value, this.#index));
    return runtime.copyText(runtime.u32[runtime.result >>> 2]);
  }
}

/**
 * Apart from the constructor, whose other functions would keep the object.
 * @param {import('../core/runtime.js').Runtime} runtime @param {number} scene
 */
function makeFree(runtime, scene) {
  return () => void runtime.raw._cnw_DestroyScene(scene);
}

/** @param {unknown} scene @returns {Uint8Array} */
function toBytes(scene) {
  const call = 'cnLoadScene';
  if (scene instanceof Uint8Array) return scene;
  if (typeof scene === 'string') return new TextEncoder().encode(scene);
  if (typeof scene === 'object' && scene !== null && Handle.kindOf(scene) === null) {
    try {
      return new TextEncoder().encode(writeJson(scene));
    } catch (error) {
      throw new CairnError('SCENE', call, 'scene', `scene cannot be written as JSON: ${String(error)}`);
    }
  }
  throw wrongType(call, 'scene', scene, 'are texts, bytes and objects');
}

/**
 * Bodies, geometries and constraints that a file gives a name, and that are still there.
 * @param {Scene} scene
 * @returns {Iterable<import('./name_table.js').NamedObject>}
 */
function* namesOf(scene) {
  const { bodies = [], geometries = [], constraints = [] } = readSource(scene.world) ?? {};
  const own = bodies.flatMap((/** @type {{ geometries?: object[] }} */ body) => body.geometries ?? []);
  /** @type {[import('./name_table.js').NamedKind, { name?: string }[], (name: string) => unknown][]} */
  const lists = [
    ['body', bodies, (name) => scene.findBody(name)],
    ['geometry', [...geometries, ...own], (name) => scene.findGeometry(name)],
    ['constraint', constraints, (name) => scene.findConstraint(name)],
  ];
  for (const [kind, items, find] of lists) {
    for (const { name } of items) {
      if (name === undefined) continue;
      const object = /** @type {Body | Geometry | Constraint} */ (find(name));
      if (object.isValid) yield { kind, name, object };
    }
  }
}

// What stands for −0 in a text until it is whole: JSON.stringify() writes 0.
const negativeZero = '\u0000-0';

/** JSON with the sign of −0, which tells worlds apart. @param {object} scene @returns {string} */
function writeJson(scene) {
  let hasSigns = false;
  const text = JSON.stringify(scene, (_, value) => {
    if (!Object.is(value, -0)) return value;
    hasSigns = true;
    return negativeZero;
  });
  return hasSigns ? text.replaceAll(JSON.stringify(negativeZero), '-0') : text;
}
