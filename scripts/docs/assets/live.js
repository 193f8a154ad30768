// Runs the example of a page and draws it.
import { load } from 'cairn-physics';
import { WorldView } from 'cairn-physics/three';
import {
  Color,
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const figure = /** @type {HTMLElement} */ (document.querySelector('[data-example]'));
const canvas = /** @type {HTMLCanvasElement} */ (figure.querySelector('canvas'));
const state = /** @type {HTMLElement} */ (figure.querySelector('.state'));
const controls = /** @type {HTMLElement} */ (figure.querySelector('.controls'));
const name = /** @type {string} */ (figure.dataset.example);
const folder = new URL('../examples/source/', import.meta.url);

/** Bytes of a file beside the examples. @param {string} file */
async function read(file) {
  const response = await fetch(new URL(file, folder));
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** @param {HTMLElement} parent @param {string} label @param {() => void} act */
function addButton(parent, label, act) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.addEventListener('click', act);
  parent.append(button);
}

class Live {
  #renderer = new WebGLRenderer({ canvas, antialias: true });
  #scene = new Scene();
  #camera = new PerspectiveCamera(35, 1, 0.05, 500);
  #orbit = new OrbitControls(this.#camera, canvas);
  #sun = new DirectionalLight(0xffffff, 2.6);
  #pointer = new Raycaster();
  #playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  #before = 0;
  #example;
  #view;
  #make;
  #listing;

  /** @param {() => Promise<any>} make @param {any} example @param {any} listing */
  constructor(make, example, listing) {
    this.#make = make;
    this.#listing = listing;
    this.#sun.castShadow = true;
    this.#renderer.shadowMap.enabled = true;
    this.#scene.add(new HemisphereLight(0xffffff, 0xb9b2a8, 1.8), this.#sun, this.#sun.target);
    this.#open(example);
    this.#place();
    new ResizeObserver(() => this.#resize()).observe(canvas);
    new MutationObserver(() => this.#paint()).observe(document.documentElement, { attributes: true });
    this.#paint();
    this.#makeControls();
    this.#watchPointer();
    requestAnimationFrame((now) => this.#frame(now));
  }

  #open(example) {
    this.#example = example;
    this.#view = new WorldView(example.world, { planeSize: 60 });
    this.#scene.add(this.#view);
  }

  #place() {
    const { from, at = [0, 0, 0.5], up = [0, 0, 1] } = this.#listing.view;
    this.#camera.up.fromArray(up);
    this.#camera.position.fromArray(from);
    this.#orbit.target.fromArray(at);
    this.#orbit.update();
    const reach = this.#camera.position.distanceTo(this.#orbit.target);
    const height = new Vector3().fromArray(up).multiplyScalar(1.6 * reach);
    this.#sun.target.position.copy(this.#orbit.target);
    this.#sun.position.copy(this.#camera.position).lerp(this.#orbit.target, 0.5).add(height);
    const { camera } = this.#sun.shadow;
    Object.assign(camera, { left: -reach, right: reach, bottom: -reach, top: reach, far: 6 * reach });
    camera.updateProjectionMatrix();
    this.#sun.shadow.mapSize.set(1024, 1024);
  }

  #paint() {
    const isDark = document.documentElement.dataset.theme === 'dark';
    this.#scene.background = new Color(isDark ? 0x20262c : 0xe9edf0);
  }

  #resize() {
    const { clientWidth, clientHeight } = canvas;
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.#camera.aspect = clientWidth / clientHeight;
    this.#camera.updateProjectionMatrix();
  }

  async #restart() {
    const { world } = this.#example;
    const next = await this.#make();
    this.#scene.remove(this.#view);
    this.#view.dispose();
    world.dispose();
    this.#open(next);
    this.#makeControls();
  }

  #makeControls() {
    controls.replaceChildren();
    addButton(controls, this.#playing ? 'Pause' : 'Play', () => {
      this.#playing = !this.#playing;
      this.#makeControls();
    });
    addButton(controls, 'Start again', () => this.#restart());
    for (const [label, act] of Object.entries(this.#example.actions ?? {})) {
      addButton(controls, label, () => act());
    }
  }

  /** Examples with `press`, `move` and `release` are given the pointer's ray; else it turns the camera. */
  #watchPointer() {
    const { near, far } = this.#camera;
    const give = (/** @type {PointerEvent} */ event, /** @type {'press' | 'move'} */ call) => {
      const box = canvas.getBoundingClientRect();
      const x = (2 * (event.clientX - box.left)) / box.width - 1;
      const y = 1 - (2 * (event.clientY - box.top)) / box.height;
      const { origin, direction } = this.#pointer.ray;
      this.#pointer.setFromCamera(new Vector2(x, y), this.#camera);
      const way = direction.clone().multiplyScalar(far - near);
      return this.#example[call]?.(origin.toArray(), way.toArray());
    };
    const release = () => {
      this.#orbit.enabled = true;
      this.#example.release?.();
    };
    // before the camera's own listener
    const first = { capture: true };
    canvas.addEventListener('pointerdown', (event) => (this.#orbit.enabled = !give(event, 'press')), first);
    canvas.addEventListener('pointermove', (event) => this.#orbit.enabled || give(event, 'move'));
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
  }

  /** @param {number} now */
  #frame(now) {
    requestAnimationFrame((next) => this.#frame(next));
    const seconds = Math.min((now - this.#before) / 1000, 0.1);
    this.#before = now;
    const { world, advance, beforeStep, text } = this.#example;
    if (this.#playing) {
      if (advance) advance(seconds);
      else world.advance(seconds, beforeStep ? { beforeStep } : {});
    }
    this.#view.update();
    this.#orbit.update();
    this.#renderer.render(this.#scene, this.#camera);
    state.textContent = text ? text() : `${world.time.toFixed(2)} s`;
    document.body.dataset.live = 'running';
  }
}

async function main() {
  const { create } = await import(`${folder}${name}.js`);
  const { examples } = await import(`${folder}examples.js`);
  const cairn = await load();
  const make = async () => create(cairn, read);
  const listing = examples.find((/** @type {{ name: string }} */ one) => one.name === name);
  new Live(make, await make(), listing);
}

main().catch((/** @type {Error} */ error) => {
  document.body.dataset.live = 'failed';
  state.textContent = `The live picture cannot be shown: ${error.message}`;
});
