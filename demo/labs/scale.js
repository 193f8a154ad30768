// The scale lab: what is dropped on a scale, and the force that it shows.

import { Recorder } from './recorder.js';
import { Plot } from './plot.js';
import { ForceArrow } from './forces.js';
import { addButton, addChoice, addSlider, addTable } from './controls.js';

const GRAVITY = 9.80665;
const MOST_BODIES = 6;
const WINDOW = 6; // s that the plot shows
const SECOND = 60; // steps over which a weight is the mean
const ARROW = 0.01; // m/N
const PLACES = [0, 0.5, -0.5, 0.25, -0.25, 0.75]; // m along x, one after the other

const COLOURS = { force: '#2c7fb8', weight: '#b9532f' };

/** Half of the height of what is dropped, m, and its shape. */
const THINGS = {
  ball: { half: 0.15, shape: { type: 'sphere', radius: 0.15 } },
  crate: { half: 0.15, shape: { type: 'box', halfExtents: [0.15, 0.15, 0.15] } },
  wheel: { half: 0.2, shape: { type: 'cylinder', radius: 0.2, height: 0.12 } },
};

/**
 * @param {import('cairn-physics').Cairn} cairn
 * @param {import('../modules/stage.js').Stage} stage
 * @returns {import('./labs.js').Lab}
 */
export function openScaleLab(cairn, stage) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1], offset: -0.35 } });
  const plate = world.createMaterial({ name: 'plate', youngsModulus: 1e9 });
  const thing = world.createMaterial({ name: 'thing', youngsModulus: 1e9 });
  const between = world.createContactMaterial({ materials: [thing, plate], friction: 0.6, restitution: 0.5 });
  const scale = world.createGeometry({
    shape: { type: 'box', halfExtents: [1.2, 0.6, 0.06] },
    position: [0, 0, -0.06],
    material: plate,
  });
  world.createGeometry({
    shape: { type: 'box', halfExtents: [0.9, 0.45, 0.11] },
    position: [0, 0, -0.23],
    collisions: false,
  });
  const reader = world.createContactReader(scale, null);

  const wanted = {
    kind: /** @type {keyof typeof THINGS} */ ('ball'),
    mass: 2,
    height: 0.8,
    restitution: 0.5,
  };
  /** @type {import('cairn-physics').Body[]} */
  let bodies = [];
  // of the body that was dropped last
  const drop = {
    struck: false,
    impulse: 0,
    speed: 0,
    rebound: 0,
    expected: 0,
    expectedSpeed: 0,
    expectedRebound: 0,
    half: 0,
    mass: 0,
  };

  function dropOne() {
    if (bodies.length === MOST_BODIES) clear();
    const { half, shape } = THINGS[wanted.kind];
    const body = world.createBody({
      mass: wanted.mass,
      position: [PLACES[bodies.length], 0, half + wanted.height],
      geometries: [
        { shape: /** @type {import('cairn-physics').ShapeDescription} */ (shape), material: thing },
      ],
    });
    bodies.push(body);
    const speed = Math.sqrt(2 * GRAVITY * wanted.height);
    Object.assign(drop, {
      struck: false,
      impulse: 0,
      speed: 0,
      rebound: 0,
      half,
      mass: wanted.mass,
      expectedSpeed: speed,
      expected: wanted.mass * speed * (1 + wanted.restitution),
      expectedRebound: wanted.restitution ** 2 * wanted.height,
    });
  }

  function clear() {
    for (const body of bodies) body.destroy();
    bodies = [];
  }

  addChoice({
    id: 'thing',
    label: 'Drop a',
    choices: Object.keys(THINGS),
    value: wanted.kind,
    onChange: (kind) => {
      wanted.kind = /** @type {keyof typeof THINGS} */ (kind);
    },
  });
  addSlider({
    id: 'mass',
    label: 'Mass',
    unit: 'kg',
    min: 0.1,
    max: 20,
    step: 0.1,
    value: wanted.mass,
    digits: 1,
    onInput: (mass) => {
      wanted.mass = mass;
    },
  });
  addSlider({
    id: 'height',
    label: 'Height',
    unit: 'm',
    min: 0,
    max: 2,
    step: 0.05,
    value: wanted.height,
    onInput: (height) => {
      wanted.height = height;
    },
  });
  addSlider({
    id: 'restitution',
    label: 'Restitution e',
    unit: '',
    min: 0,
    max: 0.95,
    step: 0.01,
    value: wanted.restitution,
    onInput: (restitution) => {
      wanted.restitution = restitution;
      between.set({ restitution });
    },
  });
  addButton({ id: 'drop', label: 'Drop it', onClick: dropOne });
  addButton({ id: 'clear', label: 'Clear the scale', onClick: clear });

  // ---- what is measured -----------------------------------------------------------------------------------

  const recorder = new Recorder(['time/s', 'force/N', 'impact/N', 'weight/N', 'height of the last/m']);
  const row = new Float64Array(recorder.names.length);
  const write = addTable(
    ['', 'measured', 'formula'],
    [
      { name: 'weight, mean of a second, Σ m g', colour: COLOURS.force },
      { name: 'approach, √(2 g h)' },
      { name: 'impulse of the impact, m v (1 + e)' },
      { name: 'comes back to e² h' },
    ],
  );
  const plots = /** @type {HTMLElement} */ (document.getElementById('plots'));
  const forcePlot = new Plot(plots, {
    title: 'Force on the scale in N',
    curves: [
      { name: 'in each step', colour: COLOURS.force },
      { name: 'weight of what there is', colour: COLOURS.weight, dashed: true },
    ],
  });
  const heightPlot = new Plot(plots, {
    title: 'Height of the last one in m',
    curves: [{ name: 'height', colour: '#3f8a8c' }],
  });
  const arrow = new ForceArrow(COLOURS.force, ARROW);
  stage.overlay.add(arrow);
  const force = [0, 0, 0];
  const impact = [0, 0, 0];
  const velocity = [0, 0, 0];
  const position = [0, 0, 0];
  let before = 0; // m/s, with which the last body will meet the scale
  /** @type {Record<string, number>} */
  const found = {};
  dropOne();

  return {
    world,
    recorder,
    found,
    framing: {
      box: [
        [-1.3, -0.65, -0.3],
        [1.3, 0.65, 1.3],
      ],
      azimuth: -72,
      elevation: 14,
    },

    beforeStep() {
      const last = bodies.at(-1);
      if (!last) return;
      const down = last.getVelocity(velocity)[2];
      const gap = last.getPosition(position)[2] - drop.half;
      before = Math.sqrt(Math.max(0, down * down + 2 * GRAVITY * gap));
    },

    afterStep() {
      reader.getForce(force);
      reader.getImpactForce(impact);
      const last = bodies.at(-1);
      let weight = 0;
      for (const { mass } of bodies) weight += mass * GRAVITY;
      const height = last ? last.getPosition(position)[2] - drop.half : 0;
      const blow = -impact[2] * world.timeStep;
      if (last && !drop.struck && blow > 0) {
        drop.struck = true;
        drop.impulse = blow;
        drop.speed = before;
      } else if (drop.struck && blow === 0 && drop.rebound === 0 && last) {
        // the highest point that it will come to: where it leaves the scale it has v²/2 g to go
        const up = last.getVelocity(velocity)[2];
        drop.rebound = up > 0 ? height + (up * up) / (2 * GRAVITY) : -1;
      }
      row[0] = world.time;
      row[1] = -force[2];
      row[2] = -impact[2];
      row[3] = weight;
      row[4] = height;
      recorder.add(row);
    },

    draw() {
      arrow.show([0, -0.75, 0], [0, 0, -recorder.last(1)]);
    },

    read() {
      if (recorder.count === 0) return;
      const weight = recorder.mean(1, SECOND);
      write(0, [`${weight.toPrecision(7)} N`, `${recorder.last(3).toPrecision(7)} N`]);
      const struck = (/** @type {string} */ text) => (drop.struck ? text : '–');
      write(1, [struck(`${drop.speed.toFixed(3)} m/s`), `${drop.expectedSpeed.toFixed(3)} m/s`]);
      write(2, [struck(`${drop.impulse.toFixed(3)} N s`), `${drop.expected.toFixed(3)} N s`]);
      write(3, [struck(`${Math.max(0, drop.rebound).toFixed(3)} m`), `${drop.expectedRebound.toFixed(3)} m`]);
      Object.assign(found, {
        bodies: bodies.length,
        weight,
        weightExpected: recorder.last(3),
        force: recorder.last(1),
        impulse: drop.impulse,
        impulseExpected: drop.expected,
        rebound: drop.rebound,
        reboundExpected: drop.expectedRebound,
      });
      forcePlot.drawTime(recorder, [1, 3], WINDOW);
      heightPlot.drawTime(recorder, [4], WINDOW);
    },
  };
}
