// The picture: renderer, lights, camera, framing. Knows nothing of physics.

import {
  CanvasTexture,
  DirectionalLight,
  HemisphereLight,
  MathUtils,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  SRGBColorSpace,
  Texture,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { SURROUNDINGS } from './looks.js';

const MAX_PIXEL_RATIO = 2;
const MIN_PIXEL_RATIO = 0.75;
const SLOW_FRAME = 40; // ms; longer ones on average cost resolution
const TIME_JUDGED = 1500; // ms
const FILLED = 0.95; // of the free picture, by what is framed
const FIT_ROUNDS = 4;

/**
 * @typedef {object} Framing
 * @property {[lower: number[], upper: number[]]} box m, what is to be seen
 * @property {number} azimuth degrees about z from +x, of the camera
 * @property {number} elevation degrees above the horizon
 */

export class Stage {
  scene = new Scene();
  /** Drawn over everything, with a depth of its own. */
  overlay = new Scene();
  camera = new PerspectiveCamera(32, 1, 0.1, 1000);
  /** @type {OrbitControls} */
  controls;
  /** @type {WebGLRenderer} */
  renderer;
  /** m, what the last framing put in the middle, and how far from it. */
  focus = new Vector3();
  range = 1;
  /** Whether the resolution may fall where drawing is slow. */
  adaptive = true;

  #canvas;
  #sun = new DirectionalLight(0xfff3e2, 2.9);
  #sky = new HemisphereLight();
  #size = new Vector2();
  #inset = { left: 0, right: 0, top: 0, bottom: 0 };
  #pixelRatio = 1;
  #stale = true;
  /** Of the last `frame`, until the user moves the camera. @type {Framing | null} */
  #framing = null;
  #judged = 0;
  #judgedTime = 0;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.autoClear = false;
    this.#pixelRatio = Math.min(globalThis.devicePixelRatio, MAX_PIXEL_RATIO);

    this.surround(SURROUNDINGS.light);
    this.#sky.position.set(0, 0, 1);
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(1024, 1024);
    this.#sun.shadow.radius = 3;
    this.#sun.shadow.intensity = 0.75;
    this.scene.add(this.#sky, this.#sun, this.#sun.target);

    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.62 * Math.PI;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('start', () => {
      this.#framing = null;
    });
    this.#resize();
  }

  /**
   * Puts the camera so that all of a box is in the free part of the picture.
   *
   * @param {Framing} framing
   */
  frame(framing) {
    const { box, azimuth, elevation } = framing;
    this.#framing = framing;
    const a = MathUtils.degToRad(azimuth);
    const e = MathUtils.degToRad(elevation);
    const away = new Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e));
    const [lower, upper] = box;
    const centre = new Vector3(lower[0] + upper[0], lower[1] + upper[1], lower[2] + upper[2]).multiplyScalar(
      0.5,
    );
    const reach = 1.25 * Math.hypot(upper[0] - centre.x, upper[1] - centre.y, upper[2] - centre.z);
    const far = this.#fit(box, away, centre);
    this.focus.copy(centre);
    this.range = far;
    this.controls.target.copy(centre);
    this.camera.position.copy(away).multiplyScalar(far).add(centre);
    this.camera.near = far / 200;
    this.camera.far = far * 40;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = far / 20;
    this.controls.maxDistance = far * 6;
    this.controls.update();
    this.#light(a, reach, centre);
    this.#stale = true;
  }

  /**
   * How far the camera has to be; moves `centre` so that the box is in the middle of the free picture.
   *
   * @param {[lower: number[], upper: number[]]} box
   * @param {Vector3} away from the box to the camera, unit
   * @param {Vector3} centre
   */
  #fit([lower, upper], away, centre) {
    const { left, right, top, bottom } = this.#inset;
    const { x: width, y: height } = this.#size;
    const tangent = Math.tan(MathUtils.degToRad(this.camera.fov / 2)) * FILLED;
    const tangentY = (tangent * Math.max(80, height - top - bottom)) / height;
    const tangentX = (tangent * Math.max(80, width - left - right)) / height;
    const sideways = new Vector3().crossVectors(this.camera.up, away).normalize();
    const upwards = new Vector3().crossVectors(away, sideways);
    const corners = Array.from(
      { length: 8 },
      (_, i) =>
        new Vector3(i & 1 ? upper[0] : lower[0], i & 2 ? upper[1] : lower[1], i & 4 ? upper[2] : lower[2]),
    );
    const corner = new Vector3();
    let far = 0;
    for (let round = 0; round < FIT_ROUNDS; ++round) {
      far = 0;
      for (const point of corners) {
        corner.subVectors(point, centre);
        const near = corner.dot(away);
        far = Math.max(far, near + Math.abs(corner.dot(sideways)) / tangentX);
        far = Math.max(far, near + Math.abs(corner.dot(upwards)) / tangentY);
      }
      // perspective shows the near side larger: the middle of what is seen is not the middle of the box
      const seen = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
      for (const point of corners) {
        corner.subVectors(point, centre);
        const depth = far - corner.dot(away);
        seen.left = Math.min(seen.left, corner.dot(sideways) / depth);
        seen.right = Math.max(seen.right, corner.dot(sideways) / depth);
        seen.bottom = Math.min(seen.bottom, corner.dot(upwards) / depth);
        seen.top = Math.max(seen.top, corner.dot(upwards) / depth);
      }
      centre.addScaledVector(sideways, 0.5 * far * (seen.left + seen.right));
      centre.addScaledVector(upwards, 0.5 * far * (seen.bottom + seen.top));
    }
    return far;
  }

  /**
   * The light from over the camera's left shoulder, its shadows over all that the frame shows.
   *
   * @param {number} azimuth rad, of the camera
   * @param {number} reach m
   * @param {Vector3} target
   */
  #light(azimuth, reach, target) {
    const { shadow } = this.#sun;
    const l = azimuth - 1.05;
    this.#sun.position
      .set(Math.cos(l), Math.sin(l), 1.45)
      .normalize()
      .multiplyScalar(3 * reach)
      .add(target);
    this.#sun.target.position.copy(target);
    this.#sun.target.updateMatrixWorld();
    shadow.camera.left = shadow.camera.bottom = -reach;
    shadow.camera.right = shadow.camera.top = reach;
    shadow.camera.near = 0.2 * reach;
    shadow.camera.far = 6 * reach;
    shadow.normalBias = reach / 500;
    shadow.bias = -0.0004;
    shadow.camera.updateProjectionMatrix();
  }

  /**
   * Turns the camera about what it looks at.
   *
   * @param {number} azimuth rad, to the right
   * @param {number} elevation rad, upwards
   */
  orbit(azimuth, elevation) {
    this.#framing = null;
    const arm = this.camera.position.clone().sub(this.controls.target);
    const { minPolarAngle, maxPolarAngle } = this.controls;
    const size = arm.length();
    const polar = MathUtils.clamp(
      Math.acos(arm.z / size) - elevation,
      Math.max(minPolarAngle, 1e-3),
      maxPolarAngle,
    );
    const about = Math.atan2(arm.y, arm.x) + azimuth;
    arm.set(
      size * Math.sin(polar) * Math.cos(about),
      size * Math.sin(polar) * Math.sin(about),
      size * Math.cos(polar),
    );
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.#stale = true;
  }

  /**
   * Moves the camera with what it looks at, in the plane of the picture.
   *
   * @param {number} right parts of the picture's height @param {number} up the same
   */
  pan(right, up) {
    this.#framing = null;
    const size = this.camera.position.distanceTo(this.controls.target);
    const unit = 2 * size * Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    const shift = new Vector3(right * unit, up * unit, 0).applyQuaternion(this.camera.quaternion);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.controls.update();
    this.#stale = true;
  }

  /** @param {number} factor of the distance to what it looks at */
  zoom(factor) {
    this.#framing = null;
    const { target, minDistance, maxDistance } = this.controls;
    const arm = this.camera.position.clone().sub(target);
    arm.setLength(MathUtils.clamp(arm.length() * factor, minDistance, maxDistance));
    this.camera.position.copy(target).add(arm);
    this.controls.update();
    this.#stale = true;
  }

  /** Where the camera is and what it looks at, as an address has it: six numbers. */
  get view() {
    const { position } = this.camera;
    return [...position.toArray(), ...this.controls.target.toArray()];
  }

  set view(/** @type {number[]} */ numbers) {
    this.#framing = null;
    this.camera.position.fromArray(numbers, 0);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
    this.#stale = true;
  }

  /** Light or dark surroundings. @param {import('./looks.js').Surroundings} surroundings */
  surround({ top, bottom, sky, ground, skyLight, sunLight }) {
    if (this.scene.background instanceof Texture) this.scene.background.dispose();
    this.scene.background = makeBackground(top, bottom);
    this.#sky.color.set(sky);
    this.#sky.groundColor.set(ground);
    this.#sky.intensity = skyLight;
    this.#sun.intensity = sunLight;
    this.#stale = true;
  }

  /**
   * Pixels at the sides that cards lie over: the middle of the picture moves to the middle of what is left.
   *
   * @param {number} left @param {number} right @param {number} top @param {number} bottom
   */
  setInset(left, right, top, bottom) {
    this.#inset = { left, right, top, bottom };
    this.#resize();
    if (this.#framing !== null) this.frame(this.#framing);
    this.#draw();
  }

  /** Pixels, of the free part of the picture. */
  get left() {
    return this.#inset.left;
  }

  get right() {
    return this.#size.x - this.#inset.right;
  }

  /** Leaves the picture empty: something has to be drawn before the browser shows it. */
  #resize() {
    const width = this.#canvas.clientWidth || 1;
    const height = this.#canvas.clientHeight || 1;
    this.#size.set(width, height);
    this.renderer.setPixelRatio(this.#pixelRatio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const { left, right, top, bottom } = this.#inset;
    this.camera.setViewOffset(width, height, (right - left) / 2, (bottom - top) / 2, width, height);
    this.camera.updateProjectionMatrix();
  }

  /** @param {number} milliseconds since the last frame */
  render(milliseconds) {
    this.#judge(milliseconds);
    if (this.controls.update()) this.#stale = true;
    if (this.#stale) this.#draw();
  }

  /** What is drawn has changed: the next `render` draws. A still picture costs nothing. */
  invalidate() {
    this.#stale = true;
  }

  #draw() {
    this.#stale = false;
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    this.renderer.clearDepth();
    this.renderer.render(this.overlay, this.camera);
  }

  /**
   * @param {number} clientX
   * @param {number} clientY
   * @param {Vector2} out −1…1
   */
  toPicture(clientX, clientY, out) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return out.set((2 * (clientX - left)) / this.#size.x - 1, 1 - (2 * (clientY - top)) / this.#size.y);
  }

  /**
   * Where a point of the world is on the page, in pixels.
   *
   * @param {readonly [number, number, number]} point
   * @returns {{ x: number, y: number }}
   */
  toPage(point) {
    const { x, y } = this.project(new Vector3(...point));
    return { x, y };
  }

  /**
   * The same in place.
   *
   * @param {Vector3} point m, becomes pixels in x and y; z over 1: behind the camera or beyond its sight
   */
  project(point) {
    point.project(this.camera);
    point.x = ((point.x + 1) / 2) * this.#size.x;
    point.y = ((1 - point.y) / 2) * this.#size.y;
    return point;
  }

  /** Lowers the resolution where the machine draws slowly. @param {number} milliseconds */
  #judge(milliseconds) {
    if (!this.adaptive || !this.#stale || milliseconds > 1000) return; // nothing drawn, or the tab was away
    this.#judged += 1;
    this.#judgedTime += milliseconds;
    if (this.#judgedTime < TIME_JUDGED) return;
    const mean = this.#judgedTime / this.#judged;
    this.#judged = 0;
    this.#judgedTime = 0;
    if (mean < SLOW_FRAME || this.#pixelRatio <= MIN_PIXEL_RATIO) return;
    this.#pixelRatio = Math.max(MIN_PIXEL_RATIO, this.#pixelRatio * 0.75);
    this.#resize();
  }
}

/** @param {string} top @param {string} bottom */
function makeBackground(top, bottom) {
  const canvas = document.createElement('canvas');
  canvas.width = 4;
  canvas.height = 256;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const gradient = context.createLinearGradient(0, 0, 0, 256);
  gradient.addColorStop(0, top);
  gradient.addColorStop(1, bottom);
  context.fillStyle = gradient;
  context.fillRect(0, 0, 4, 256);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
