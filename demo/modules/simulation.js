// One scene at a time: loaded, stepped in real time, drawn, pulled at.

import { Vector3 } from 'three';
import { ContactOverlay, JointOverlay, Picker, WorldView } from 'cairn-physics/three';
import { materialColour } from './looks.js';
import { makeMeasure } from './measures.js';
import { disposeProp, makeProp } from './props.js';
import { Pull } from './pull.js';

/** @typedef {import('cairn-physics').Cairn} Cairn */
/** @typedef {import('cairn-physics').Scene} Scene */
/** @typedef {import('cairn-physics').World} World */
/** @typedef {import('./gallery.js').SceneEntry} SceneEntry */
/** @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('./looks.js').Looks} Looks */

const MAX_STEPS_PER_FRAME = 10;
const STEP_BUDGET = 40; // ms a frame; time that cannot be kept up with is dropped
const FORCE_ARROW = 0.35; // length for the mean weight of a body, in mean body sizes
const JOINT_AXIS = 0.9; // length of an axis, in mean body sizes
const MAX_ARROW = 3; // in mean body sizes

export class Simulation {
  playing = true;
  /** Simulated seconds a second. */
  speed = 1;
  showPoints = false;
  showForces = false;
  showJoints = false;
  /** Steps done since the page was opened. */
  steps = 0;

  /** @type {Scene} */
  scene;
  /** @type {World} */
  world;
  /** @type {SceneEntry} */
  entry;
  pull = new Pull();
  /** @type {Picker} */
  picker;

  /** What is measured, null where the scene has nothing of the kind. */
  measure;
  /** Whether somebody pulled at it: it is no more what the file says. */
  pulled = false;
  /** What there is to be shown of it. */
  has = { contacts: false, joints: false, materials: false, states: false };

  #stage;
  #looks;
  #view;
  #prop;
  #contacts;
  #joints;
  #pending = 0; // s that are not simulated yet, less than a step after each frame
  #alpha = 1;

  /**
   * @param {Cairn} cairn
   * @param {string} text of the scene file
   * @param {SceneEntry} entry
   * @param {Stage} stage
   * @param {Looks} looks
   */
  constructor(cairn, text, entry, stage, looks) {
    this.entry = entry;
    this.scene = cairn.loadScene(text);
    this.world = this.scene.world;
    this.#stage = stage;
    this.#looks = looks;
    try {
      const extent = this.#measure();
      looks.glass = entry.glass ?? false;
      looks.marks = entry.marks ?? false;
      this.has = this.#findFeatures();
      const paint = this.has.states ? looks.statePaint(this.world) : undefined;
      this.#view = new WorldView(this.world, { appearance: looks.appearance, paint });
      this.#contacts = new ContactOverlay(this.world, {
        forceScale: extent.weight > 0 ? (FORCE_ARROW * extent.size) / extent.weight : 1e-3,
        maxLength: MAX_ARROW * extent.size,
        arrowRadius: 0.018 * extent.size,
      });
      this.#joints = new JointOverlay(this.world, { size: JOINT_AXIS * extent.size });
      this.picker = new Picker(this.world);
      this.measure = makeMeasure(entry.name, this.scene);
      this.#prop = entry.prop ? makeProp(entry.prop) : null;
    } catch (error) {
      this.scene.dispose();
      throw error;
    }
    stage.scene.add(this.#view);
    if (this.#prop) stage.scene.add(this.#prop);
    stage.overlay.add(this.#contacts, this.#joints, this.pull);
  }

  /** Puts the camera and the lights to where the gallery wants them, else around the moving bodies. */
  frame() {
    const { box, azimuth = -62, elevation = 16 } = this.entry;
    const { centre, radius } = this.#measure();
    const around = /** @type {[number[], number[]]} */ (
      [-radius, radius].map((reach) => [centre.x + reach, centre.y + reach, centre.z + reach])
    );
    this.#stage.frame({ box: box ?? around, azimuth, elevation });
    this.#looks.focus.copy(this.#stage.focus);
    this.#looks.fadeDistance = 1.9 * this.#stage.range;
  }

  /**
   * Simulates what is due and brings the picture's objects up to date.
   *
   * @param {number} seconds since the last frame
   * @returns {number} steps done
   */
  advance(seconds) {
    let done = 0;
    if (this.playing) {
      const { timeStep } = this.world;
      const begin = performance.now();
      this.#pending += seconds * this.speed;
      while (
        this.#pending >= timeStep * (1 - 1e-9) &&
        done < MAX_STEPS_PER_FRAME &&
        performance.now() - begin < STEP_BUDGET
      ) {
        this.#pending = Math.max(0, this.#pending - timeStep);
        done += 1;
        this.#step();
      }
      this.#pending = Math.min(this.#pending, timeStep);
      this.#alpha = this.#pending / timeStep;
      if (done > 0) this.measure?.sample?.();
      this.draw();
    } else if (this.pull.body !== null) this.draw();
    return done;
  }

  /** One step by hand; what is shown is its end. */
  stepOnce() {
    this.#step();
    this.measure?.sample?.();
    this.#alpha = 1;
    this.#pending = 0;
    this.draw();
  }

  /** Many steps at once, without a picture in between. @param {number} count */
  skip(count) {
    for (let i = 0; i < count; ++i) {
      this.scene.step();
      this.measure?.sample?.();
    }
    this.#alpha = 1;
    this.#pending = 0;
    this.draw();
  }

  /** Colours may have changed. */
  repaint() {
    this.#view.refresh();
    this.draw();
  }

  /** Brings the objects of the picture to the world's present state. */
  draw() {
    this.#stage.invalidate();
    this.#view.update(this.#alpha);
    this.#contacts.showPoints = this.showPoints;
    this.#contacts.showForces = this.showForces;
    this.#contacts.update();
    this.#joints.visible = this.showJoints;
    this.#joints.update();
    this.pull.update(this.#stage.camera, this.#alpha);
  }

  dispose() {
    this.pull.release();
    if (this.#prop) disposeProp(this.#prop);
    this.#view.removeFromParent();
    this.#contacts.removeFromParent();
    this.#joints.removeFromParent();
    this.pull.removeFromParent();
    this.#view.dispose();
    this.#contacts.dispose();
    this.#joints.dispose();
    this.pull.dispose();
    this.scene.dispose();
  }

  #step() {
    if (this.pull.body !== null) this.pulled = true;
    this.pull.apply(this.world.timeStep);
    this.steps += 1;
    this.scene.step();
  }

  #findFeatures() {
    const { world } = this;
    const colours = new Set();
    let colliding = 0;
    for (const geometry of world.geometries()) {
      if (geometry.collisions) colliding += 1;
      if (geometry.body?.motion === 'dynamic') colours.add(materialColour(geometry.material));
    }
    return {
      contacts: colliding > 1,
      joints: world.columns.constraints.rows > 0,
      materials: colours.size > 1,
      states: (world.getMergeSplit().enabled || world.getSleep().enabled) ?? false,
    };
  }

  /**
   * The ball around the bodies that move, their mean size (m) and weight (N).
   *
   * @returns {{ centre: Vector3, radius: number, size: number, weight: number }}
   */
  #measure() {
    const { world } = this;
    const centre = new Vector3();
    const lower = new Vector3(Infinity, Infinity, Infinity);
    const upper = new Vector3(-Infinity, -Infinity, -Infinity);
    const position = new Vector3();
    const acceleration = gravityOf(world);
    let count = 0;
    let mass = 0;
    let volume = 0;
    for (const body of world.bodies()) {
      if (body.motion === 'static') continue;
      position.fromArray(body.getPosition());
      lower.min(position);
      upper.max(position);
      count += 1;
      mass += body.mass;
    }
    const { shapes, proxies } = world.columns;
    const sized = new Set();
    for (let row = 0; row < proxies.rows; ++row) {
      if (proxies.geometry[row] < 0 || proxies.body[row] < 0 || shapes.volume[proxies.shape[row]] === 0)
        continue;
      sized.add(proxies.body[row]);
      volume += shapes.volume[proxies.shape[row]];
    }
    const size = sized.size > 0 ? Math.cbrt(volume / sized.size) : 1;
    if (count === 0) return { centre, radius: 5, size, weight: 0 };
    centre.addVectors(lower, upper).multiplyScalar(0.5);
    const radius = Math.max(0.5 * upper.distanceTo(lower) + 0.8 * size, 0.5);
    return { centre, radius, size, weight: (mass * acceleration) / count };
  }
}

/** m/s², its size where it is the same everywhere, as the earth's otherwise. @param {World} world */
function gravityOf(world) {
  const gravity = world.getGravity();
  if ('type' in gravity && gravity.type !== 'uniform' && gravity.type !== 'default') return 9.81;
  const vector = 'type' in gravity ? gravity.acceleration : gravity;
  return Math.hypot(.../** @type {number[]} */ (vector));
}
