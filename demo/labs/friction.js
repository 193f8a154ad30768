// The friction lab: eight models on one turntable.
//
// Guides hold the blocks in place, free to rise and fall, and the table turns below them. Each model has its
// directions in the table's axes, so that while the table turns once its block slides in every direction of
// them: force and direction over that angle are the model.

import { Recorder } from './recorder.js';
import { Plot } from './plot.js';
import { Caption, ForceArrow } from './forces.js';
import { addSlider, addTable } from './controls.js';

const RADIUS = 2; // m, on which the blocks stand
const TABLE = { radius: 2.7, height: 0.3 };
const HALF = 0.1; // m, of a block
const MASS = 2; // kg
const GRAVITY = 9.80665;
const WEIGHT = MASS * GRAVITY;
const BINS = 72;
const FORCE_ARROW = 0.7; // m for a block's weight

const COLOURS = ['#2c7fb8', '#b9532f', '#3f8a8c', '#8c5fa8', '#d8871a', '#5b7f3a', '#c0508a', '#8a949e'];

/** What a model's friction is over N along the two directions, for the slip (c, s); μ is of both. */
const cone = (/** @type {number[]} */ mu, /** @type {number} */ c, /** @type {number} */ s) => {
  const size = Math.hypot(mu[0] * c, mu[1] * s) || 1;
  return [(-mu[0] * mu[0] * c) / size, (-mu[1] * mu[1] * s) / size];
};
const box = (/** @type {number[]} */ mu, /** @type {number} */ c, /** @type {number} */ s) => [
  -mu[0] * Math.sign(c),
  -mu[1] * Math.sign(s),
];

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {(mu: number[]) => object} options beside its type
 * @property {typeof cone} formula
 */

/** @type {Model[]} */
const MODELS = [
  { name: 'cone', options: () => ({}), formula: cone },
  { name: 'scaledBox', options: () => ({}), formula: box },
  { name: 'scaledBoxFast', options: () => ({}), formula: box },
  { name: 'box', options: (mu) => ({ force: mu.map((x) => x * WEIGHT) }), formula: box },
  {
    name: 'boxProportionalLow',
    options: (mu) => ({ acceleration: mu.map((x) => x * GRAVITY) }),
    formula: box,
  },
  {
    name: 'boxProportionalHigh',
    options: (mu) => ({ acceleration: mu.map((x) => x * GRAVITY) }),
    formula: box,
  },
  { name: 'constantNormalForce', options: () => ({ normalForce: WEIGHT }), formula: box },
  { name: 'none', options: () => ({}), formula: () => [0, 0] },
];

/**
 * Of a force beside the direction against the slip, rad.
 * @param {number[]} force @param {number} c @param {number} s
 */
function aside(force, c, s) {
  return Math.atan2(-c * force[1] + s * force[0], -c * force[0] - s * force[1]);
}

/**
 * @param {import('cairn-physics').Cairn} cairn
 * @param {import('../modules/stage.js').Stage} stage
 * @param {import('../modules/looks.js').Looks} looks
 * @returns {import('./labs.js').Lab}
 */
export function openFrictionLab(cairn, stage, looks) {
  const world = cairn.createWorld();
  const mu = [0.4, 0.4];
  const below = world.createMaterial({ name: 'table' });
  const table = world.createBody({
    motion: 'kinematic',
    angularVelocity: [0, 0, 0.6],
    geometries: [
      {
        shape: { type: 'cylinder', ...TABLE },
        position: [0, 0, -TABLE.height / 2],
        rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2],
        material: below,
      },
    ],
  });

  const stations = MODELS.map((model, i) => {
    const azimuth = (2 * Math.PI * i) / MODELS.length;
    const place = /** @type {[number, number, number]} */ ([
      RADIUS * Math.cos(azimuth),
      RADIUS * Math.sin(azimuth),
      HALF,
    ]);
    const material = world.createMaterial({ name: model.name });
    const block = world.createBody({
      mass: MASS,
      position: place,
      rotation: [0, 0, Math.sin(azimuth / 2), Math.cos(azimuth / 2)],
      geometries: [{ shape: { type: 'box', halfExtents: [HALF, HALF, HALF] }, material }],
    });
    world.createConstraint({ type: 'prismatic', bodies: [block, null], anchor: place, axis: [0, 0, 1] });
    const contact = world.createContactMaterial({
      materials: [material, below],
      restitution: 0,
      surfaceViscosity: 0,
    });
    const arrow = new ForceArrow(COLOURS[i], FORCE_ARROW / WEIGHT);
    stage.overlay.add(arrow);
    return {
      model,
      azimuth,
      place,
      block,
      contact,
      arrow,
      caption: new Caption(model.name),
      reader: world.createContactReader(block, table),
      force: [0, 0, 0],
      // over the angle of the slip in the table's axes
      size: new Array(BINS).fill(null),
      side: new Array(BINS).fill(null),
    };
  });

  function setModels() {
    for (const { model, contact, size, side } of stations) {
      contact.set({
        friction: [mu[0], mu[1]],
        frictionModel: /** @type {import('cairn-physics').FrictionModel} */ ({
          type: model.name,
          frame: table,
          primary: [1, 0, 0],
          ...model.options([mu[0], mu[1]]),
        }),
      });
      size.fill(null);
      side.fill(null);
    }
    since = 0;
  }
  let since = 0; // steps since something was set

  addSlider({
    id: 'mu1',
    label: 'μ along x',
    unit: '',
    min: 0.05,
    max: 1,
    step: 0.01,
    value: mu[0],
    onInput: (value) => {
      mu[0] = value;
      setModels();
    },
  });
  addSlider({
    id: 'mu2',
    label: 'μ along y',
    unit: '',
    min: 0.05,
    max: 1,
    step: 0.01,
    value: mu[1],
    onInput: (value) => {
      mu[1] = value;
      setModels();
    },
  });
  addSlider({
    id: 'speed',
    label: 'Table turns',
    unit: 'rad/s',
    min: 0.1,
    max: 3,
    step: 0.1,
    value: 0.6,
    digits: 1,
    onInput: (value) => table.setAngularVelocity([0, 0, value]),
  });
  setModels();

  // ---- what is measured -----------------------------------------------------------------------------------

  const recorder = new Recorder([
    'time/s',
    'table/rad',
    ...MODELS.flatMap(({ name }) => [`${name}/(μ N)`, `${name} aside/rad`]),
  ]);
  const row = new Float64Array(recorder.names.length);
  const write = addTable(
    ['force over μ₁ N', 'measured', 'formula', 'aside', 'formula'],
    MODELS.map(({ name }, i) => ({ name, colour: COLOURS[i] })),
  );
  const plots = /** @type {HTMLElement} */ (document.getElementById('plots'));
  const curves = MODELS.map(({ name }, i) => ({ name, colour: COLOURS[i] }));
  const angles = Float64Array.from({ length: BINS }, (_, i) => ((i + 0.5) * 360) / BINS);
  const across = 'direction of the slip in the table’s axes in °';
  const forcePlot = new Plot(plots, {
    title: 'Friction over μ₁ N',
    curves,
    across,
    range: [0, 1.6],
    legend: false,
  });
  const sidePlot = new Plot(plots, {
    title: 'Its direction beside “against the slip” in °',
    curves,
    across,
    range: [-60, 60],
    legend: false,
  });

  const rotation = [0, 0, 0, 1];
  let turned = 0; // rad, of the table at the begin of a step, as its friction knows it
  /** @type {Record<string, number>} */
  const found = {};
  const worst = MODELS.map(() => ({ measured: 0, formula: 0, aside: 0, asideFormula: 0, off: 0 }));

  return {
    world,
    recorder,
    found,
    framing: {
      box: [
        [-TABLE.radius, -TABLE.radius, -0.2],
        [TABLE.radius, TABLE.radius, 0.6],
      ],
      azimuth: -90,
      elevation: 48,
    },

    /** Blocks have the colours of their curves. */
    appearance: (item) => {
      const station = stations.findIndex(({ block }) => block === item.body);
      return station < 0 ? looks.appearance(item) : { color: COLOURS[station] };
    },

    beforeStep() {
      table.getRotation(rotation);
      turned = 2 * Math.atan2(rotation[2], rotation[3]);
    },

    afterStep() {
      row[0] = world.time;
      row[1] = turned;
      since += 1;
      stations.forEach((station, i) => {
        const { reader, force, azimuth, model } = station;
        reader.getTangentialForce(force);
        const slip = azimuth - Math.PI / 2 - turned; // in the table's axes
        const c = Math.cos(slip);
        const s = Math.sin(slip);
        const ct = Math.cos(turned);
        const st = Math.sin(turned);
        const inTable = [ct * force[0] + st * force[1], ct * force[1] - st * force[0]];
        const size = Math.hypot(inTable[0], inTable[1]) / (mu[0] * WEIGHT);
        const side = size > 1e-6 ? aside(inTable, c, s) : 0;
        row[2 + 2 * i] = size;
        row[3 + 2 * i] = side;
        if (since < 20) return; // until it presses with its weight
        const bin = Math.floor(((((slip / (2 * Math.PI)) % 1) + 1) % 1) * BINS);
        station.size[bin] = size;
        station.side[bin] = (side * 180) / Math.PI;
        const wanted = model.formula(mu, c, s);
        const record = worst[i];
        record.measured = size;
        record.formula = Math.hypot(wanted[0], wanted[1]) / mu[0];
        record.aside = side;
        record.asideFormula = record.formula > 0 ? aside(wanted, c, s) : 0;
        // near an axis a box's side turns within a step
        const nearAxis = Math.min(Math.abs(c), Math.abs(s)) < 0.05;
        if (!nearAxis) {
          record.off = Math.max(
            record.off,
            Math.abs(size - record.formula),
            Math.abs(side - record.asideFormula),
          );
        }
      });
      recorder.add(row);
      if (since === 20) for (const record of worst) record.off = 0;
    },

    draw() {
      for (const { arrow, caption, force, place } of stations) {
        arrow.show([place[0], place[1], 2 * HALF + 0.02], force);
        caption.place(stage, [place[0] * 1.22, place[1] * 1.22, HALF]);
      }
    },

    read() {
      const degrees = (/** @type {number} */ x) => `${((x * 180) / Math.PI).toFixed(1)}°`;
      worst.forEach(({ measured, formula, aside: side, asideFormula, off }, i) => {
        write(i, [measured.toFixed(4), formula.toFixed(4), degrees(side), degrees(asideFormula)]);
        found[MODELS[i].name] = measured;
        found[`${MODELS[i].name} formula`] = formula;
        found[`${MODELS[i].name} off`] = off;
      });
      forcePlot.draw([angles, ...stations.map(({ size }) => size)]);
      sidePlot.draw([angles, ...stations.map(({ side }) => side)]);
    },
  };
}
