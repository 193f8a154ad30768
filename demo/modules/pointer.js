// What mouse, pen and fingers do in the picture: a body that is dragged is pulled, one that is tapped is
// read, and the rest is the camera's.

import { Vector2, Vector3 } from 'three';

/** @typedef {import('./simulation.js').Simulation} Simulation */
/** @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('./inspector.js').Inspector} Inspector */

const SLACK = 5; // pixels that a tap may move
const HOLD = 200; // ms, after which a press is a pull without a move

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Stage} stage
 * @param {Inspector} inspector
 * @param {() => Simulation | null} current
 */
export function listenToPointer(canvas, stage, inspector, current) {
  const spot = new Vector2();
  const normal = new Vector3();
  const grabbed = new Vector3();
  const local = new Vector3();
  let pointer = -1;
  /** @type {import('cairn-physics').Body | null} pressed, and perhaps not pulled yet */
  let pressed = null;
  let pulling = false;
  let start = { x: 0, y: 0 };
  let timer = 0;

  const pull = () => {
    const simulation = current();
    clearTimeout(timer);
    if (simulation === null || pressed === null || !pressed.isValid || pulling) return;
    pulling = true;
    simulation.pull.grab(pressed, local, grabbed);
    canvas.classList.add('pulling');
  };

  // before the camera's own listeners, so that a pull does not turn it
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      const simulation = current();
      start = { x: event.clientX, y: event.clientY };
      if (simulation === null || event.button !== 0 || pointer >= 0 || event.shiftKey || event.ctrlKey)
        return;
      if (!pickMoving(simulation, event)) return;
      const { picker } = simulation;
      pressed = picker.body;
      pointer = event.pointerId;
      stage.controls.enabled = false;
      canvas.setPointerCapture(pointer);
      canvas.focus({ preventScroll: true });
      grabbed.copy(picker.point);
      local.copy(picker.localPoint);
      stage.camera.getWorldDirection(normal);
      timer = window.setTimeout(pull, HOLD);
      event.stopImmediatePropagation();
    },
    { capture: true },
  );

  canvas.addEventListener('pointermove', (event) => {
    const simulation = current();
    if (simulation === null) return;
    if (event.pointerId === pointer) {
      if (!pulling && isTap(event)) return;
      pull();
      // the pointer moves in the plane through the grabbed point that faces the camera
      stage.toPicture(event.clientX, event.clientY, spot);
      const { target } = simulation.pull;
      const { position } = stage.camera;
      target.set(spot.x, spot.y, 0.5).unproject(stage.camera).sub(position);
      const depth = normal.dot(grabbed) - normal.dot(position);
      target.multiplyScalar(depth / normal.dot(target)).add(position);
    } else if (event.pointerType === 'mouse' && event.buttons === 0) {
      canvas.classList.toggle('over-body', pickMoving(simulation, event));
    }
  });

  const release = () => {
    clearTimeout(timer);
    pointer = -1;
    pressed = null;
    pulling = false;
    stage.controls.enabled = true;
    canvas.classList.remove('pulling');
    current()?.pull.release();
    stage.invalidate();
  };
  canvas.addEventListener('pointerup', (event) => {
    if (event.button !== 0) return;
    if (event.pointerId === pointer) {
      if (!pulling && pressed !== null) inspector.select(pressed);
      release();
    } else if (pointer < 0 && isTap(event)) {
      inspector.clear();
    }
  });
  for (const type of /** @type {const} */ (['pointercancel', 'lostpointercapture'])) {
    canvas.addEventListener(type, (event) => {
      if (event.pointerId === pointer) release();
    });
  }

  /** @param {PointerEvent} event */
  function isTap(event) {
    return Math.hypot(event.clientX - start.x, event.clientY - start.y) <= SLACK;
  }

  /** @param {Simulation} simulation @param {PointerEvent} event */
  function pickMoving({ picker }, event) {
    stage.toPicture(event.clientX, event.clientY, spot);
    return picker.cast(stage.camera, spot.x, spot.y) && picker.body?.motion === 'dynamic';
  }
}
