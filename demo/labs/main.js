// The page of the labs: loads the engine, builds the lab that the address names, and runs it in real time.
//
//   lab.html?lab=materials|friction|scale

import { load } from 'cairn-physics';
import { WorldView } from 'cairn-physics/three';
import { errors, showError, watchErrors } from '../modules/errors.js';
import { Looks, SURROUNDINGS } from '../modules/looks.js';
import { Stage } from '../modules/stage.js';
import { watchTheme } from '../modules/theme.js';
import { addButton } from './controls.js';
import { LABS } from '../modules/gallery.js';
import { openLab } from './labs.js';

/** @typedef {import('./labs.js').Lab} Lab */

const LONGEST_FRAME = 0.25; // s
const MAX_STEPS = 8; // a frame
const TIME_BETWEEN_READINGS = 100; // ms

const query = new URLSearchParams(location.search);
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));

/** What tests look at. */
const page = {
  ready: false,
  errors,
  frames: 0,
  /** @type {Lab | null} */
  lab: null,
};
/** @type {typeof globalThis & { cairnLab?: typeof page }} */ (globalThis).cairnLab = page;

/** @param {string} name */
function showLinks(name) {
  const links = /** @type {HTMLElement} */ (document.getElementById('labs'));
  for (const entry of LABS) {
    const link = document.createElement('a');
    link.href = `?lab=${entry.name}`;
    link.textContent = entry.title;
    if (entry.name === name) link.setAttribute('aria-current', 'page');
    links.append(link);
  }
}

/** @param {import('../modules/gallery.js').LabTitle} entry */
function showText({ title, text }) {
  document.title = `${title} · Cairn`;
  /** @type {HTMLElement} */ (document.getElementById('title')).textContent = title;
  /** @type {HTMLElement} */ (document.getElementById('text')).textContent = text;
}

async function start() {
  watchErrors();
  if (query.has('bare')) document.body.classList.add('bare');
  const entry = LABS.find(({ name }) => name === query.get('lab')) ?? LABS[0];
  showLinks(entry.name);
  showText(entry);
  const stage = new Stage(canvas);
  const cairn = await load({ threads: 0 }); // a few bodies
  const looks = new Looks();
  const lab = openLab(entry.name, cairn, stage, looks);
  page.lab = lab;
  addButton({
    id: 'csv',
    label: 'Save as CSV',
    onClick: () => lab.recorder.download(`${entry.name}-lab.csv`),
  });
  const view = new WorldView(lab.world, { appearance: lab.appearance ?? looks.appearance });
  stage.scene.add(view);
  watchTheme((theme) => {
    stage.surround(SURROUNDINGS[theme]);
    looks.surround(SURROUNDINGS[theme]);
    view.refresh();
  });
  const resized = () => stage.setInset(0, 0, 0, 0);
  new ResizeObserver(resized).observe(canvas);
  resized();
  stage.frame(lab.framing);
  looks.focus.copy(stage.focus);
  looks.fadeDistance = 1.9 * stage.range;
  document.body.dataset.state = 'running';
  page.ready = true;
  run(lab, stage, view);
}

/** @param {Lab} lab @param {Stage} stage @param {WorldView} view */
function run(lab, stage, view) {
  const options = {
    maxSteps: MAX_STEPS,
    beforeStep: () => lab.beforeStep?.(),
    afterStep: () => lab.afterStep(),
  };
  let before = performance.now();
  let read = 0;
  const frame = (/** @type {number} */ now) => {
    requestAnimationFrame(frame);
    const elapsed = Math.max(0, now - before);
    before = now;
    try {
      lab.world.advance(Math.min(elapsed / 1000, LONGEST_FRAME), options);
    } catch (error) {
      showError('The experiment stopped', error);
    }
    view.update(lab.world.alpha);
    lab.draw();
    if (now - read > TIME_BETWEEN_READINGS) {
      read = now;
      lab.read();
    }
    stage.invalidate();
    stage.render(elapsed);
    page.frames += 1;
  };
  requestAnimationFrame(frame);
}

start().catch((error) => {
  document.body.dataset.state = 'failed';
  showError('The lab could not start', error);
});
