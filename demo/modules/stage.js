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
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { BACKGROUND_BOTTOM, BACKGROUND_TOP } from './looks.js';

const MAX_PIXEL_RATIO = 2;
const MIN_PIXEL_RATIO = 0.75;
const SLOW_FRAME = 40; // ms; longer ones on average cost resolution
const TIME_JUDGED = 1500; // ms

export class Stage {
  scene = new Scene();
  /** Drawn over everything, with a depth of its own. */
  overlay = new Scene();
  camera = new PerspectiveCamera(32, 1, 0.1, 1000);
  /** @type {OrbitControls} */
  controls;
  /** @type {WebGLRenderer} */
  renderer;
  /** Whether the resolution may fall where drawing is slow. */
  adaptive = true;

  #canvas;
  #sun = new DirectionalLight(0xfff3e2, 2.9);
  #size = new Vector2();
  #inset = { left: 0, right: 0, top: 0, bottom: 0 };
  #pixelRatio = 1;
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

    this.scene.background = makeBackground();
    const sky = new HemisphereLight(0xffffff, 0xc9c3ba, 2.2);
    sky.position.set(0, 0, 1);
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(1024, 1024);
    this.#sun.shadow.radius = 3;
    this.#sun.shadow.intensity = 0.75;
    this.scene.add(sky, this.#sun, this.#sun.target);

    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.62 * Math.PI;
    this.controls.zoomToCursor = true;
    this.#resize();
  }

  /**
   * Puts the camera so that a ball of the world fills the free part of the picture.
   *
   * @param {{ target: Vector3, distance: number, azimuth: number, elevation: number }} framing
   *   angles in degrees
   */
  frame({ target, distance, azimuth, elevation }) {
    // a tall picture shows less to the sides
    const away = distance * Math.max(1, 1.25 / Math.max(0.4, this.#freeAspect()));
    const a = MathUtils.degToRad(azimuth);
    const e = MathUtils.degToRad(elevation);
    this.controls.target.copy(target);
    this.camera.position
      .set(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e))
      .multiplyScalar(away)
      .add(target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = distance / 20;
    this.controls.maxDistance = distance * 6;
    this.controls.update();

    // the light from over the camera's left shoulder, its shadows over all that the frame shows
    const reach = 0.62 * distance;
    const { shadow } = this.#sun;
    const l = a - 1.05;
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
   * Pixels at the sides that cards lie over: the middle of the picture moves to the middle of what is left.
   *
   * @param {number} left @param {number} right @param {number} top @param {number} bottom
   */
  setInset(left, right, top, bottom) {
    this.#inset = { left, right, top, bottom };
    this.#resize();
    this.#draw();
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
    this.controls.update();
    this.#draw();
  }

  #draw() {
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
    const p = new Vector3(...point).project(this.camera);
    return { x: ((p.x + 1) / 2) * this.#size.x, y: ((1 - p.y) / 2) * this.#size.y };
  }

  #freeAspect() {
    const { left, right, top, bottom } = this.#inset;
    const free = (this.#size.x - left - right) / Math.max(1, this.#size.y - top - bottom);
    return (free * (this.#size.y - top - bottom)) / this.#size.y;
  }

  /** Lowers the resolution where the machine draws slowly. @param {number} milliseconds */
  #judge(milliseconds) {
    if (!this.adaptive || milliseconds > 1000) return; // the tab was away
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

function makeBackground() {
  const canvas = document.createElement('canvas');
  canvas.width = 4;
  canvas.height = 256;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const gradient = context.createLinearGradient(0, 0, 0, 256);
  gradient.addColorStop(0, BACKGROUND_TOP);
  gradient.addColorStop(1, BACKGROUND_BOTTOM);
  context.fillStyle = gradient;
  context.fillRect(0, 0, 4, 256);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
