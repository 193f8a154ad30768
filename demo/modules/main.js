// The page: loads the engine and a scene, runs the frame loop, listens to the user.
//
//   ?scene=NAME    which scene; the first of the gallery by default
//   ?threads=N     threads of the engine, the page's own included; 0 and 1: none but that
//   ?bare          no cards, for pictures
//   ?paused        does not start by itself
//   ?steps=N       steps done before it is shown
//   ?view=…        six numbers: where the camera is and what it looks at
//
// and what settings.js reads: `show`, `speed`.

import { load } from 'cairn-physics';
import { Caption } from './caption.js';
import { errors, hideError, showError, watchErrors } from './errors.js';
import { fetchText } from './fetch_text.js';
import { SCENES, findEntry, sceneAddress } from './gallery.js';
import { buildGallery, markCurrent } from './gallery_list.js';
import { Inspector } from './inspector.js';
import { Labels } from './labels.js';
import { Looks, SURROUNDINGS } from './looks.js';
import { Panel } from './panel.js';
import { listenToPointer } from './pointer.js';
import { Settings } from './settings.js';
import { share } from './share.js';
import { closeSheet, isCompact, isSheetOpen, listenToSheets } from './sheets.js';
import { Simulation } from './simulation.js';
import { Stage } from './stage.js';
import { watchTheme } from './theme.js';

/** @typedef {import('./gallery.js').SceneEntry} SceneEntry */

const LONGEST_FRAME = 0.1; // s; after a pause of the tab time does not jump
const MAX_SKIPPED = 36_000; // steps that an address may ask for
const SKIP_TIME = 60; // ms without a sign of life
const ORBIT_STEP = 0.12; // rad a key
const PAN_STEP = 0.06; // of the picture's height a key
const ZOOM_STEP = 1.15;

watchErrors();

const query = new URLSearchParams(location.search);
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));
const looks = new Looks();
const panel = new Panel();
const caption = new Caption();
const settings = new Settings(query, settingsChanged);
const labels = new Labels(/** @type {HTMLElement} */ (document.getElementById('labels')));
const inspector = new Inspector(labels);

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
  inspector,
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
  buildGallery(addressOf, choose);
  listenToSheets(() => panel.refresh());
  showProgress('Loading the engine', 0.08);
  try {
    stage = new Stage(canvas);
    stage.adaptive = !query.has('bare');
    demo.stage = stage;
  } catch (error) {
    watchTheme(() => {});
    fail(
      'This browser cannot draw the scenes',
      error,
      'They need WebGL 2. Switch hardware acceleration on in the settings, or update the browser.',
    );
    return;
  }
  watchTheme((theme) => {
    stage.surround(SURROUNDINGS[theme]);
    looks.surround(SURROUNDINGS[theme]);
    simulation?.repaint();
  });
  listen();
  try {
    const threads = query.get('threads');
    cairn = await load(threads === null ? {} : { threads: Number(threads) });
  } catch (error) {
    fail('The engine could not be loaded', error);
    return;
  }
  await openScene(findEntry(query.get('scene')));
  requestAnimationFrame(frame);
}

/** Nothing can be played. @param {string} title @param {unknown} error @param {string} [advice] */
function fail(title, error, advice) {
  document.body.dataset.state = 'failed';
  showError(title, error, undefined, advice);
}

/** @param {SceneEntry} entry */
async function openScene(entry) {
  const ticket = ++loads;
  const overtaken = () => ticket !== loads;
  markCurrent(entry.name);
  caption.show(entry);
  showProgress(`Loading ${entry.title}`, 0.4);
  try {
    const text = await fetchText(sceneAddress(entry.name), (part) => {
      if (!overtaken()) showProgress(`Loading ${entry.title}`, 0.4 + 0.4 * part);
    });
    if (overtaken()) return;
    showProgress(`Building ${entry.title}`, 0.85);
    await painted();
    if (overtaken()) return;
    build(text, entry);
    hideError();
    await skipSteps(overtaken);
  } catch (error) {
    if (overtaken()) return;
    showError(`The scene “${entry.title}” could not be loaded`, error, () => void openScene(entry));
  }
  if (!overtaken()) document.body.dataset.state = simulation === null ? 'failed' : 'running';
}

/**
 * What an address asks for beside the scene: steps before it is shown, and a camera. Once, for the first.
 *
 * @param {() => boolean} overtaken
 */
async function skipSteps(overtaken) {
  const steps = Math.min(MAX_SKIPPED, Math.trunc(Number(query.get('steps')) || 0));
  const view = (query.get('view') ?? '').split(',').map(Number);
  query.delete('steps');
  query.delete('view');
  const target = simulation;
  if (target === null) return;
  if (view.length === 6 && view.every(Number.isFinite)) stage.view = view;
  const { playing } = target;
  target.playing = false;
  for (let done = 0; done < steps && !overtaken();) {
    const begin = performance.now();
    while (done < steps && performance.now() - begin < SKIP_TIME) {
      target.skip(1);
      done += 1;
    }
    showProgress(`Simulating to ${(steps * target.world.timeStep).toFixed(1)} s`, done / steps);
    await painted();
  }
  target.playing = playing;
}

/** @param {string} text @param {SceneEntry} entry */
function build(text, entry) {
  const next = new Simulation(cairn, text, entry, stage, looks);
  const again = simulation?.entry === entry;
  const playing = again ? (simulation?.playing ?? true) : !query.has('paused');
  query.delete('paused');
  inspector.clear();
  simulation?.dispose();
  simulation = next;
  sceneText = text;
  if (!again) settings.enter(next);
  applySettings();
  setPlaying(playing);
  labels.show(next.scene, entry.labels ?? []);
  if (!again) next.frame();
  next.draw();
  panel.clear();
  caption.refresh();
  document.title = `${entry.title} · Cairn`;
  demo.scene = entry.name;
  demo.world = next.world;
  demo.simulation = next;
  demo.ready = true;
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
    caption.update(simulation, now);
    inspector.update(now);
  }
  stage.render(elapsed);
  if (simulation !== null) labels.place(stage, simulation.world.columns.bodies.renderPose);
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
  caption.refresh();
}

// ---- controls ---------------------------------------------------------------------------------------------

/** @param {boolean} playing */
function setPlaying(playing) {
  if (simulation !== null) simulation.playing = playing;
  document.body.dataset.playing = String(playing);
  document.getElementById('play')?.setAttribute('aria-label', playing ? 'Pause' : 'Play');
}

function applySettings() {
  if (simulation === null) return;
  const { shown, speed } = settings;
  simulation.speed = speed;
  simulation.showPoints = shown.has('points');
  simulation.showForces = shown.has('forces');
  simulation.showJoints = shown.has('joints');
  looks.showStates = shown.has('states');
  const repainted = looks.byMaterial !== shown.has('materials');
  looks.byMaterial = shown.has('materials');
  if (repainted) simulation.repaint();
  else simulation.draw();
}

function settingsChanged() {
  applySettings();
  if (simulation === null) return;
  const next = new URLSearchParams(location.search);
  settings.write(next, simulation);
  history.replaceState(null, '', `?${next}`);
}

/** A link to what is seen now: the scene after as many steps, which any machine reaches to the bit. */
function shareView() {
  if (simulation === null) return;
  const next = new URLSearchParams({ scene: simulation.entry.name });
  settings.write(next, simulation);
  const { stepCount } = simulation.world;
  if (stepCount > 0 && !simulation.pulled) next.set('steps', String(stepCount));
  next.set('view', stage.view.map((value) => Number(value.toPrecision(5))).join());
  if (!simulation.playing) next.set('paused', '');
  void share(new URL(`?${next}`, location.href).href, document.title);
}

/** @type {Record<string, () => void>} */
const ACTIONS = {
  reset,
  play: () => setPlaying(!(simulation?.playing ?? false)),
  step: stepOnce,
  frame: () => simulation?.frame(),
  share: shareView,
  'help-open': () => /** @type {HTMLDialogElement} */ (document.getElementById('help')).showModal(),
};

/** @type {Record<string, () => void>} */
const KEYS = {
  ' ': ACTIONS.play,
  k: ACTIONS.play,
  s: ACTIONS.step,
  r: ACTIONS.reset,
  h: ACTIONS.frame,
  l: ACTIONS.share,
  c: () => settings.toggle('points'),
  f: () => settings.toggle('forces'),
  j: () => settings.toggle('joints'),
  t: () => settings.toggle('states'),
  m: () => settings.toggle('materials'),
  d: () => document.getElementById('theme')?.click(),
  p: () => panel.toggle(),
  ',': () => settings.changeSpeed(-1),
  '.': () => settings.changeSpeed(1),
  '?': ACTIONS['help-open'],
  '+': () => stage.zoom(1 / ZOOM_STEP),
  '=': () => stage.zoom(1 / ZOOM_STEP),
  '-': () => stage.zoom(ZOOM_STEP),
};

/** To the right and up. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @param {KeyboardEvent} event @returns {(() => void) | undefined} */
function actionOf(event) {
  const { tagName } = /** @type {HTMLElement} */ (event.target);
  if (tagName === 'SELECT' || tagName === 'INPUT') return undefined;
  if (event.key === ' ' && (tagName === 'BUTTON' || tagName === 'A')) return undefined;
  const arrow = ARROWS[event.key];
  if (arrow !== undefined) {
    if (tagName !== 'CANVAS' && tagName !== 'BODY') return undefined; // lists scroll by them
    const [right, up] = arrow;
    if (event.shiftKey) return () => stage.pan(right * PAN_STEP, up * PAN_STEP);
    return () => stage.orbit(right * ORBIT_STEP, up * ORBIT_STEP);
  }
  const entry = /^[1-9]$/.test(event.key) ? SCENES[Number(event.key) - 1] : undefined;
  return entry ? () => choose(entry.name) : KEYS[event.key.toLowerCase()];
}

function listen() {
  for (const [id, action] of Object.entries(ACTIONS))
    document.getElementById(id)?.addEventListener('click', action);

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape') {
      if (isSheetOpen()) closeSheet();
      else inspector.clear();
      return;
    }
    const action = isSheetOpen() ? undefined : actionOf(event);
    if (!action) return;
    event.preventDefault();
    action();
  });

  addEventListener(
    'popstate',
    () => void openScene(findEntry(new URLSearchParams(location.search).get('scene'))),
  );
  const observer = new ResizeObserver(layOut);
  for (const id of ['view', 'caption', 'side']) {
    const watched = document.getElementById(id);
    if (watched) observer.observe(watched);
  }
  layOut();
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    showError('The graphics card was lost', 'The browser took the drawing context away.');
  });
  listenToPointer(canvas, stage, inspector, () => simulation);
}

/** Keeps the middle of the picture in the middle of what the cards leave free. */
function layOut() {
  const edge = (/** @type {string} */ id) =>
    document.getElementById(id)?.getBoundingClientRect() ?? document.body.getBoundingClientRect();
  if (document.body.classList.contains('bare')) stage.setInset(0, 0, 0, 0);
  else if (isCompact()) stage.setInset(0, 0, edge('top').bottom, innerHeight - edge('caption').top);
  else {
    stage.setInset(edge('gallery').right, innerWidth - edge('side').left, 0, innerHeight - edge('bar').top);
  }
}

// ---- gallery ----------------------------------------------------------------------------------------------

/** @param {string} name */
function addressOf(name) {
  const next = new URLSearchParams(location.search);
  for (const key of ['show', 'steps', 'view', 'paused']) next.delete(key);
  next.set('scene', name);
  return `?${next}`;
}

/** @param {string} name */
function choose(name) {
  closeSheet();
  if (cairn === undefined) return;
  history.pushState(null, '', addressOf(name));
  void openScene(findEntry(name));
}

start().catch((error) => showError('The page could not start', error));
