// The page: loads the engine and a scene, runs the frame loop, listens to the user.
//
//   ?scene=NAME    which scene; the first of the gallery by default
//   ?threads=N     threads of the engine, the page's own included; 0 and 1: none but that
//   ?bare          no cards, for pictures
//   ?paused        does not start by itself

import { Vector2, Vector3 } from 'three';
import { load } from 'cairn-physics';
import { errors, hideError, showError, watchErrors } from './errors.js';
import { findEntry, sceneAddress, SCENES, LABS, labAddress } from './gallery.js';
import { Looks } from './looks.js';
import { Panel } from './panel.js';
import { Simulation } from './simulation.js';
import { Stage } from './stage.js';

/** @typedef {import('./gallery.js').SceneEntry} SceneEntry */

const LONGEST_FRAME = 0.1; // s; after a pause of the tab time does not jump
const SPEED_STEP = 0.1; // of a key, in powers of ten

watchErrors();

const query = new URLSearchParams(location.search);
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));
const looks = new Looks();
const panel = new Panel();

/** @type {Stage} */
let stage;
/** @type {import('cairn-physics').Cairn} */
let cairn;
/** @type {Simulation | null} */
let simulation = null;
let sceneText = '';
let loads = 0; // a slower load that was overtaken gives up
let lastFrame = 0;

// what tests and the console may look at
const demo = {
  frames: 0,
  errors,
  ready: false,
  /** @type {string | null} */
  scene: null,
  /** @type {import('cairn-physics').World | null} */
  world: null,
  /** @type {Simulation | null} */
  simulation: null,
  /** @type {Stage | null} */
  stage: null,
};
/** @type {typeof globalThis & { cairnDemo?: typeof demo }} */ (globalThis).cairnDemo = demo;

// ---- loading ----------------------------------------------------------------------------------------------

const progressText = /** @type {HTMLElement} */ (document.getElementById('loading-text'));
const progressBar = /** @type {HTMLProgressElement} */ (document.getElementById('loading-progress'));

/** @param {string} text @param {number} value 0…1 */
function showProgress(text, value) {
  document.body.dataset.state = 'loading';
  progressText.textContent = text;
  progressBar.value = value;
}

/** Lets the browser paint what was just written. */
function painted() {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

async function start() {
  if (query.has('bare')) document.body.classList.add('bare');
  buildGallery();
  showProgress('Loading the engine', 0.08);
  try {
    stage = new Stage(canvas);
    stage.adaptive = !query.has('bare');
    demo.stage = stage;
  } catch (error) {
    document.body.dataset.state = 'failed';
    showError('This browser cannot draw the scene (WebGL 2 is needed)', error);
    return;
  }
  listen();
  try {
    const threads = query.get('threads');
    cairn = await load(threads === null ? {} : { threads: Number(threads) });
  } catch (error) {
    document.body.dataset.state = 'failed';
    showError('The engine could not be loaded', error);
    return;
  }
  await openScene(findEntry(query.get('scene')));
  requestAnimationFrame(frame);
}

/** @param {SceneEntry} entry */
async function openScene(entry) {
  const ticket = ++loads;
  markCurrent(entry.name);
  showProgress(`Loading ${entry.title}`, 0.4);
  try {
    const text = await fetchText(sceneAddress(entry.name), (part) => {
      if (ticket === loads) showProgress(`Loading ${entry.title}`, 0.4 + 0.4 * part);
    });
    if (ticket !== loads) return;
    showProgress(`Building ${entry.title}`, 0.85);
    await painted();
    if (ticket !== loads) return;
    build(text, entry);
    hideError();
  } catch (error) {
    if (ticket !== loads) return;
    showError(`The scene “${entry.title}” could not be loaded`, error, () => void openScene(entry));
  }
  document.body.dataset.state = simulation === null ? 'failed' : 'running';
}

let hidJoints = false;

/** Marks of hundreds of joints would hide the scene: they wait until asked for. @param {SceneEntry} entry */
function markJoints({ manyJoints = false }) {
  if (manyJoints ? isPressed('show-joints') : hidJoints && !isPressed('show-joints')) toggle('show-joints');
  hidJoints = manyJoints;
}

/** @param {string} text @param {SceneEntry} entry */
function build(text, entry) {
  const next = new Simulation(cairn, text, entry, stage, looks);
  const again = simulation?.entry === entry;
  if (!again) markJoints(entry);
  const wasPlaying = simulation?.playing ?? true;
  if (simulation !== null) {
    next.speed = simulation.speed;
    next.showPoints = simulation.showPoints;
    next.showForces = simulation.showForces;
    next.showJoints = simulation.showJoints;
    simulation.dispose();
  } else {
    next.speed = speedOf(speedInput);
    next.showPoints = isPressed('show-points');
    next.showForces = isPressed('show-forces');
    next.showJoints = isPressed('show-joints');
  }
  simulation = next;
  sceneText = text;
  setPlaying(again ? wasPlaying : !query.has('paused'));
  if (!again) next.frame();
  next.draw();
  panel.clear();
  document.title = `${entry.title} · Cairn`;
  demo.scene = entry.name;
  demo.world = next.world;
  demo.simulation = next;
  demo.ready = true;
}

/**
 * @param {string} address
 * @param {(part: number) => void} report
 * @returns {Promise<string>}
 */
async function fetchText(address, report) {
  const response = await fetch(address).catch((error) => {
    throw new Error(`${address} could not be fetched (${error.message})`);
  });
  if (!response.ok || response.body === null) {
    throw new Error(
      `${address} could not be fetched: the server answered ${response.status} ${response.statusText}`,
    );
  }
  const length = Number(response.headers.get('content-length')) || 0;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let received = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    received += value.length;
    text += decoder.decode(value, { stream: true });
    if (length > 0) report(Math.min(1, received / length));
  }
}

// ---- frames -----------------------------------------------------------------------------------------------

/** @param {number} now ms */
function frame(now) {
  requestAnimationFrame(frame);
  const elapsed = lastFrame > 0 ? now - lastFrame : 0;
  lastFrame = now;
  if (simulation !== null) {
    let steps = 0;
    try {
      const before = simulation.steps;
      simulation.advance(Math.min(elapsed / 1000, LONGEST_FRAME));
      steps = simulation.steps - before;
    } catch (error) {
      setPlaying(false);
      showError('The simulation stopped', error, startAgain);
    }
    panel.update(simulation, now, steps);
  }
  stage.render(elapsed);
  demo.frames += 1;
}

function reset() {
  if (simulation === null) return;
  try {
    build(sceneText, simulation.entry);
    hideError();
  } catch (error) {
    showError('The scene could not be started again', error, reset);
  }
}

function startAgain() {
  reset();
  setPlaying(true);
}

function stepOnce() {
  if (simulation === null) return;
  setPlaying(false);
  try {
    simulation.stepOnce();
  } catch (error) {
    showError('The step failed', error, reset);
  }
  panel.update(simulation, performance.now(), 1);
}

// ---- controls ---------------------------------------------------------------------------------------------

const speedInput = /** @type {HTMLInputElement} */ (document.getElementById('speed'));
const speedText = /** @type {HTMLOutputElement} */ (document.getElementById('speed-value'));

/** @param {boolean} playing */
function setPlaying(playing) {
  if (simulation !== null) simulation.playing = playing;
  document.body.dataset.playing = String(playing);
}

/** @param {HTMLInputElement} input its value is the power of ten */
function speedOf(input) {
  const speed = 10 ** Number(input.value);
  return Math.abs(speed - 1) < 0.04 ? 1 : speed;
}

function speedChanged() {
  const speed = speedOf(speedInput);
  if (simulation !== null) simulation.speed = speed;
  speedText.value = `${speed < 0.995 ? speed.toFixed(2) : speed.toFixed(1).replace('.0', '')}×`;
}

/** @param {number} powers */
function changeSpeed(powers) {
  speedInput.value = String(Number(speedInput.value) + powers);
  speedChanged();
}

/** @param {string} id */
function isPressed(id) {
  return document.getElementById(id)?.getAttribute('aria-pressed') === 'true';
}

/** @type {Record<string, (on: boolean) => void>} */
const TOGGLES = {
  'show-points': (on) => {
    if (simulation !== null) simulation.showPoints = on;
  },
  'show-forces': (on) => {
    if (simulation !== null) simulation.showForces = on;
  },
  'show-joints': (on) => {
    if (simulation !== null) simulation.showJoints = on;
  },
  colour: (on) => {
    looks.byMaterial = on;
    simulation?.repaint();
  },
};

/** @param {string} id */
function toggle(id) {
  const on = !isPressed(id);
  document.getElementById(id)?.setAttribute('aria-pressed', String(on));
  TOGGLES[id](on);
}

/** @type {Record<string, () => void>} */
const ACTIONS = {
  reset,
  play: () => setPlaying(!(simulation?.playing ?? false)),
  step: stepOnce,
  frame: () => simulation?.frame(),
  'show-points': () => toggle('show-points'),
  'show-forces': () => toggle('show-forces'),
  'show-joints': () => toggle('show-joints'),
  colour: () => toggle('colour'),
  'help-open': () => /** @type {HTMLDialogElement} */ (document.getElementById('help')).showModal(),
};

/** @type {Record<string, () => void>} */
const KEYS = {
  ' ': ACTIONS.play,
  k: ACTIONS.play,
  s: ACTIONS.step,
  r: ACTIONS.reset,
  h: ACTIONS.frame,
  c: ACTIONS['show-points'],
  f: ACTIONS['show-forces'],
  j: ACTIONS['show-joints'],
  m: ACTIONS.colour,
  p: () => panel.toggle(),
  ',': () => changeSpeed(-SPEED_STEP),
  '.': () => changeSpeed(SPEED_STEP),
  '?': ACTIONS['help-open'],
};

function listen() {
  for (const [id, action] of Object.entries(ACTIONS))
    document.getElementById(id)?.addEventListener('click', action);
  speedInput.addEventListener('input', speedChanged);
  speedInput.addEventListener('dblclick', () => {
    speedInput.value = '0';
    speedChanged();
  });

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === ' ' && target.tagName === 'BUTTON') return;
    const entry = /^[1-9]$/.test(event.key) ? SCENES[Number(event.key) - 1] : undefined;
    const action = entry ? () => choose(entry.name) : KEYS[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });

  addEventListener(
    'popstate',
    () => void openScene(findEntry(new URLSearchParams(location.search).get('scene'))),
  );
  new ResizeObserver(layOut).observe(canvas);
  layOut();
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    showError('The graphics card was lost', 'The browser took the drawing context away.');
  });
  listenToPointer();
}

/** Keeps the middle of the picture in the middle of what the cards leave free. */
function layOut() {
  const small = matchMedia('(max-width: 760px)').matches;
  if (document.body.classList.contains('bare')) stage.setInset(0, 0, 0, 0);
  else if (small) stage.setInset(0, 0, 50, 190);
  else stage.setInset(280, 264, 0, 62);
}

// ---- pointer ----------------------------------------------------------------------------------------------

function listenToPointer() {
  const spot = new Vector2();
  const normal = new Vector3();
  const grabbed = new Vector3();
  let pointer = -1;

  // before the camera's own listeners, so that a pull does not turn it
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (simulation === null || event.button !== 0 || pointer >= 0 || event.shiftKey || event.ctrlKey)
        return;
      if (!pickMoving(event)) return;
      const { picker, pull } = simulation;
      if (picker.body === null) return;
      pointer = event.pointerId;
      stage.controls.enabled = false;
      canvas.setPointerCapture(pointer);
      canvas.classList.add('pulling');
      pull.grab(picker.body, picker.localPoint, picker.point);
      grabbed.copy(picker.point);
      stage.camera.getWorldDirection(normal);
      event.stopImmediatePropagation();
    },
    { capture: true },
  );

  canvas.addEventListener('pointermove', (event) => {
    if (simulation === null) return;
    if (event.pointerId === pointer) {
      // the pointer moves in the plane through the grabbed point that faces the camera
      stage.toPicture(event.clientX, event.clientY, spot);
      const { target } = simulation.pull;
      const { position } = stage.camera;
      target.set(spot.x, spot.y, 0.5).unproject(stage.camera).sub(position);
      const depth = normal.dot(grabbed) - normal.dot(position);
      target.multiplyScalar(depth / normal.dot(target)).add(position);
    } else if (event.pointerType === 'mouse' && event.buttons === 0) {
      canvas.classList.toggle('over-body', pickMoving(event));
    }
  });

  const release = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== pointer) return;
    pointer = -1;
    stage.controls.enabled = true;
    canvas.classList.remove('pulling');
    simulation?.pull.release();
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('lostpointercapture', release);

  /** @param {PointerEvent} event */
  function pickMoving(event) {
    if (simulation === null) return false;
    stage.toPicture(event.clientX, event.clientY, spot);
    return (
      simulation.picker.cast(stage.camera, spot.x, spot.y) && simulation.picker.body?.motion === 'dynamic'
    );
  }
}

// ---- gallery ----------------------------------------------------------------------------------------------

function buildGallery() {
  const list = /** @type {HTMLElement} */ (document.getElementById('scenes'));
  for (const { name, group, title, text } of SCENES) {
    if (group !== undefined) addHeading(list, group);
    const link = addLink(list, addressOf(name), name, title, text);
    link.dataset.scene = name;
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(name);
    });
  }
  addHeading(list, 'Labs');
  for (const { name, title, line } of LABS) addLink(list, labAddress(name), `lab-${name}`, title, line);
}

/** @param {HTMLElement} list @param {string} text */
function addHeading(list, text) {
  const heading = document.createElement('h2');
  heading.textContent = text;
  list.append(heading);
}

/**
 * @param {HTMLElement} list
 * @param {string} address
 * @param {string} thumbnail
 * @param {string} title
 * @param {string} text
 */
function addLink(list, address, thumbnail, title, text) {
  const link = document.createElement('a');
  link.href = address;
  const picture = document.createElement('img');
  picture.src = `thumbnails/${thumbnail}.webp`;
  picture.alt = '';
  picture.width = 320;
  picture.height = 180;
  picture.loading = 'lazy';
  const heading = document.createElement('strong');
  heading.textContent = title;
  const line = document.createElement('span');
  line.textContent = text;
  link.append(picture, heading, line);
  list.append(link);
  return link;
}

/** @param {string} name */
function addressOf(name) {
  const next = new URLSearchParams(location.search);
  next.set('scene', name);
  return `?${next}`;
}

/** @param {string} name */
function choose(name) {
  if (cairn === undefined) return;
  history.pushState(null, '', addressOf(name));
  void openScene(findEntry(name));
}

/** @param {string} name */
function markCurrent(name) {
  for (const link of document.querySelectorAll('#scenes a')) {
    const current = /** @type {HTMLElement} */ (link).dataset.scene === name;
    link.setAttribute('aria-current', String(current));
    if (current) link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

start().catch((error) => showError('The page could not start', error));
