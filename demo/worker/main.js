// A heap whose steps take longer than a frame, run in a worker or, to compare, in the page.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { load } from 'cairn-physics';
import { loadInWorker } from 'cairn-physics/worker';

const query = new URLSearchParams(location.search);
const isInWorker = query.get('in') !== 'page';
const count = Number(query.get('bodies') ?? 4000);

/** @param {string} id @returns {HTMLElement} */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

// ---- the world: the same lines in the page and in a worker ----------------------------------------------

/** @param {any} world a World, or a remote one */
function fill(world) {
  const material = world.createMaterial({ density: 800, friction: 0.5 });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, material });
  const box = { type: 'box', halfExtents: [0.25, 0.25, 0.25] };
  const side = 18;
  const positions = new Float32Array(3 * count);
  for (let i = 0; i < count; ++i) {
    const layer = Math.floor(i / side ** 2);
    // layers stand over the gaps of those below, and narrow towards the top, so that they run apart
    const width = 0.62 * (1 - 0.02 * layer);
    const x = (i % side) - side / 2 + 0.35 * (layer % 3);
    const y = (Math.floor(i / side) % side) - side / 2 + 0.35 * ((layer >> 1) % 3);
    positions.set([width * x, width * y, 0.4 + 0.7 * layer], 3 * i);
  }
  world.createBodies({ count, positions, geometry: { shape: box, material } });
}

/** Columns as a page reads them, wherever the world is. */
async function open() {
  if (!isInWorker) {
    const world = (await load()).createWorld();
    fill(world);
    return {
      columns: world.columns,
      update: () => true,
      advance: (/** @type {number} */ seconds) => world.advance(seconds),
      stepTime: async () => world.getProfile().step,
    };
  }
  const world = (await loadInWorker()).createWorld();
  fill(world);
  const mirror = world.createMirror({ bodies: ['renderPose'] });
  await mirror.ready;
  return {
    columns: mirror.columns,
    update: () => mirror.update(),
    advance: (/** @type {number} */ seconds) => void world.advance(seconds),
    stepTime: async () => (await world.getProfile()).step,
  };
}

// ---- the picture ----------------------------------------------------------------------------------------

const palette = ['#c9592b', '#2f7d80', '#e0b15e', '#7a5c86', '#7d9f7b', '#4f7ca8'];

function makeStage() {
  const canvas = /** @type {HTMLCanvasElement} */ (element('view'));
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  const scene = new THREE.Scene();
  scene.background = new THREE.Color('#eceef0');
  scene.fog = new THREE.Fog('#eceef0', 25, 75);
  scene.add(new THREE.HemisphereLight('#ffffff', '#b9b4a8', 2.2));
  const sun = new THREE.DirectionalLight('#ffffff', 1.6);
  sun.position.set(6, -9, 14);
  scene.add(sun);
  const ground = new THREE.Mesh(
    new THREE.CircleGeometry(60, 64),
    new THREE.MeshLambertMaterial({ color: '#d9dbdd' }),
  );
  scene.add(ground);
  const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 200);
  camera.up.set(0, 0, 1);
  camera.position.set(15, -18, 11).multiplyScalar(innerWidth < innerHeight ? 1.7 : 1);
  const controls = new OrbitControls(camera, canvas);
  controls.target.set(0, 0, 1.8);
  const boxes = new THREE.InstancedMesh(
    new THREE.BoxGeometry(0.5, 0.5, 0.5),
    new THREE.MeshLambertMaterial(),
    count,
  );
  boxes.frustumCulled = false;
  const colours = palette.map((name) => new THREE.Color(name));
  for (let i = 0; i < count; ++i) boxes.setColorAt(i, colours[(7 * i + (i >> 4)) % colours.length]);
  scene.add(boxes);

  const resize = () => {
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(innerWidth, innerHeight, false);
    camera.aspect = innerWidth / innerHeight;
    // beside the card, or above it
    const isNarrow = innerWidth < 760;
    const [x, y] = isNarrow ? [0, 0.16 * innerHeight] : [-0.1 * innerWidth, 0];
    camera.setViewOffset(innerWidth, innerHeight, x, y, innerWidth, innerHeight);
    camera.updateProjectionMatrix();
  };
  addEventListener('resize', resize);
  resize();
  return {
    boxes,
    draw() {
      controls.update();
      renderer.render(scene, camera);
    },
  };
}

const position = new THREE.Vector3();
const rotation = new THREE.Quaternion();
const scale = new THREE.Vector3(1, 1, 1);
const matrix = new THREE.Matrix4();

/**
 * @param {THREE.InstancedMesh} boxes
 * @param {ArrayLike<number>} poses eight numbers a body
 * @param {number} rows
 */
function place(boxes, poses, rows) {
  for (let row = 0; row < rows; ++row) {
    position.fromArray(poses, 8 * row);
    rotation.fromArray(poses, 8 * row + 4);
    boxes.setMatrixAt(row, matrix.compose(position, rotation, scale));
  }
  boxes.count = rows;
  boxes.instanceMatrix.needsUpdate = true;
}

// ---- frames ---------------------------------------------------------------------------------------------

/** ms between frames of the last two seconds */
const gaps = /** @type {number[]} */ ([]);
let gapSum = 0;
const measured = { frames: 0, median: 0, worst: 0, step: 0 };

function showNumbers() {
  const sorted = [...gaps].sort((a, b) => a - b);
  measured.median = sorted[sorted.length >> 1] ?? 0;
  measured.worst = sorted.at(-1) ?? 0;
  element('step').textContent = measured.step.toFixed(1);
  element('frame').textContent = measured.median.toFixed(1);
  element('worst').textContent = measured.worst.toFixed(1);
}

async function main() {
  element('count').textContent = String(count);
  if (!isInWorker) {
    element('where').textContent = 'in the page';
    const link = /** @type {HTMLAnchorElement} */ (element('switch'));
    link.href = './worker.html';
    link.textContent = 'Run it in a worker';
  }
  const world = await open();
  const stage = makeStage();
  document.body.dataset.state = 'ready';
  Object.assign(globalThis, { cairnWorkerDemo: measured });

  let before = 0;
  const frame = (/** @type {number} */ now) => {
    const gap = before === 0 ? 0 : now - before;
    before = now;
    if (gap > 0) {
      gaps.push(gap);
      gapSum += gap;
    }
    while (gapSum > 2000 && gaps.length > 2) gapSum -= gaps.shift() ?? 0;
    world.advance(Math.min(gap, 100) / 1000);
    if (world.update()) place(stage.boxes, world.columns.bodies.renderPose, world.columns.bodies.rows);
    stage.draw();
    measured.frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  setInterval(async () => {
    measured.step = await world.stepTime();
    showNumbers();
  }, 500);
}

main().catch((error) => {
  const box = element('error');
  box.hidden = false;
  box.textContent = error.message;
  document.body.dataset.state = 'error';
});
