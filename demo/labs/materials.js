// The materials lab: a block on a slope that tilts, of two materials of the library.

import { Recorder } from './recorder.js';
import { Plot } from './plot.js';
import { ForceArrow } from './forces.js';
import { addButton, addChoice, addSlider, addTable } from './controls.js';

const HALF_LENGTH = 6; // m, of the slope
const HALF_THICKNESS = 0.1;
const BLOCK = [0.25, 0.18, 0.12]; // m, half extents
const START = -3.5; // m along the slope
const TILT_SPEED = 0.5; // rad/s, at which the slope follows its slider
const WINDOW = 10; // s that plots show
const MEAN_STEPS = 15; // over which an acceleration is taken
const SLIDES = 2e-3; // m/s
const FORCE_ARROW = 0.9; // m for the block's weight

const COLOURS = {
  normal: '#2c7fb8',
  friction: '#b9532f',
  bound: '#d8a18c',
  weight: '#56616c',
  speed: '#3f8a8c',
};

/** @param {number} angle about y @returns {[number, number, number, number]} */
function tilted(angle) {
  return [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
}

/**
 * @param {import('cairn-physics').Cairn} cairn
 * @param {import('../modules/stage.js').Stage} stage
 * @returns {import('./labs.js').Lab}
 */
export function openMaterialsLab(cairn, stage) {
  const world = cairn.createWorld();
  const names = /** @type {{ name: string }[]} */ (cairn.list('materials')).map(({ name }) => name);
  const materials = new Map(names.map((name) => [name, world.createMaterial({ library: name })]));
  const materialOf = (/** @type {string} */ name) => materials.get(name) ?? null;
  const chosen = { block: 'wood', slope: 'steel', angle: Math.PI / 10 };

  const slope = world.createBody({
    motion: 'kinematic',
    rotation: tilted(chosen.angle),
    geometries: [
      {
        shape: { type: 'box', halfExtents: [HALF_LENGTH, 1.2, HALF_THICKNESS] },
        material: materialOf(chosen.slope),
      },
    ],
  });
  const block = world.createBody({
    geometries: [{ shape: { type: 'box', halfExtents: BLOCK }, material: materialOf(chosen.block) }],
  });
  const [blockGeometry] = block.geometries();
  const [slopeGeometry] = slope.geometries();
  const reader = world.createContactReader(block, slope);
  const gravity = 9.80665;

  // ---- what is set ----------------------------------------------------------------------------------------

  /** @type {import('cairn-physics').ContactMaterial | null} */
  let own = null;

  const pair = () => world.getPairProperties(blockGeometry.material, slopeGeometry.material);

  /** @param {{ friction?: number, restitution?: number }} values */
  function override(values) {
    const { friction, restitution } = pair();
    own ??= world.createContactMaterial({
      materials: [blockGeometry.material, slopeGeometry.material],
      friction: friction[0],
      restitution,
    });
    own.set(values);
  }

  function asInLibrary() {
    own?.destroy();
    own = null;
    const { friction, restitution } = pair();
    frictionSlider.value = friction[0];
    restitutionSlider.value = restitution;
  }

  /** @param {number} lift m above the slope */
  function putBack(lift) {
    const angle = angleNow();
    const height = HALF_THICKNESS + BLOCK[2] + lift;
    block.setPosition([
      Math.cos(angle) * START + Math.sin(angle) * height,
      0,
      -Math.sin(angle) * START + Math.cos(angle) * height,
    ]);
    block.setRotation(tilted(angle));
    block.setVelocity([0, 0, 0]);
    block.setAngularVelocity([0, 0, 0]);
  }

  const rotation = [0, 0, 0, 1];
  const angleNow = () => {
    slope.getRotation(rotation);
    return 2 * Math.atan2(rotation[1], rotation[3]);
  };

  addChoice({
    id: 'block',
    label: 'Block of',
    choices: names,
    value: chosen.block,
    onChange: (name) => {
      own?.destroy();
      own = null;
      blockGeometry.material = materialOf(name);
      asInLibrary();
    },
  });
  addChoice({
    id: 'slope',
    label: 'Slope of',
    choices: names,
    value: chosen.slope,
    onChange: (name) => {
      own?.destroy();
      own = null;
      slopeGeometry.material = materialOf(name);
      asInLibrary();
    },
  });
  addSlider({
    id: 'angle',
    label: 'Angle',
    unit: '°',
    min: 0,
    max: 45,
    step: 0.5,
    value: (chosen.angle * 180) / Math.PI,
    digits: 1,
    onInput: (degrees) => {
      chosen.angle = (degrees * Math.PI) / 180;
    },
  });
  const frictionSlider = addSlider({
    id: 'friction',
    label: 'Friction μ',
    unit: '',
    min: 0,
    max: 1.2,
    step: 0.01,
    value: pair().friction[0],
    onInput: (friction) => override({ friction }),
  });
  const restitutionSlider = addSlider({
    id: 'restitution',
    label: 'Restitution e',
    unit: '',
    min: 0,
    max: 1,
    step: 0.01,
    value: pair().restitution,
    onInput: (restitution) => override({ restitution }),
  });
  addButton({ id: 'library', label: 'As in the library', onClick: asInLibrary });
  addButton({ id: 'back', label: 'Back to the top', onClick: () => putBack(0) });
  addButton({ id: 'drop', label: 'Drop it', onClick: () => putBack(0.6) });

  // ---- what is measured -----------------------------------------------------------------------------------

  const recorder = new Recorder([
    'time/s',
    'angle/rad',
    'speed/(m/s)',
    'normal/N',
    'friction/N',
    'bound/N',
    'depth/m',
    'mass/kg',
  ]);
  const row = new Float64Array(recorder.names.length);
  const forces = {
    normal: [0, 0, 0],
    tangential: [0, 0, 0],
    total: [0, 0, 0],
    impact: [0, 0, 0],
    points: 0,
    depth: 0,
    state: /** @type {'none'} */ ('none'),
  };
  const velocity = [0, 0, 0];
  const position = [0, 0, 0];
  const resolved = pair();

  const write = addTable(
    ['', 'measured', 'formula'],
    [
      { name: 'angle, and where it slides, atan μ' },
      { name: 'acceleration, g (sin α − μ cos α)' },
      { name: 'normal force, m g cos α', colour: COLOURS.normal },
      { name: 'friction, at most μ N', colour: COLOURS.friction },
      { name: 'depth' },
      { name: 'the pair’s values are' },
    ],
  );
  const plots = /** @type {HTMLElement} */ (document.getElementById('plots'));
  const forcePlot = new Plot(plots, {
    title: 'Forces on the block in N',
    curves: [
      { name: 'normal', colour: COLOURS.normal },
      { name: 'friction', colour: COLOURS.friction },
      { name: 'μ N', colour: COLOURS.bound, dashed: true },
    ],
  });
  const speedPlot = new Plot(plots, {
    title: 'Speed down the slope in m/s',
    curves: [{ name: 'speed', colour: COLOURS.speed }],
  });

  const scale = () => FORCE_ARROW / (block.mass * gravity);
  const arrows = {
    weight: new ForceArrow(COLOURS.weight, scale()),
    normal: new ForceArrow(COLOURS.normal, scale()),
    friction: new ForceArrow(COLOURS.friction, scale()),
  };
  stage.overlay.add(arrows.weight, arrows.normal, arrows.friction);

  putBack(0);
  /** @type {Record<string, number>} */
  const found = {};

  return {
    world,
    recorder,
    found,
    framing: {
      box: [
        [-HALF_LENGTH, -1.2, -2.2],
        [HALF_LENGTH, 1.2, 2.6],
      ],
      azimuth: -78,
      elevation: 14,
    },

    beforeStep() {
      const gap = chosen.angle - angleNow();
      const step = Math.min(Math.abs(gap), TILT_SPEED * world.timeStep);
      if (step > 1e-12) {
        const angle = step < Math.abs(gap) ? angleNow() + Math.sign(gap) * step : chosen.angle;
        slope.moveTo([0, 0, 0], tilted(angle), world.timeStep);
      } else {
        slope.setAngularVelocity([0, 0, 0]);
      }
    },

    afterStep() {
      reader.read(forces);
      block.getVelocity(velocity);
      block.getPosition(position);
      const angle = angleNow();
      world.getPairProperties(blockGeometry.material, slopeGeometry.material, resolved);
      const normal = Math.hypot(...forces.normal);
      row[0] = world.time;
      row[1] = angle;
      row[2] = velocity[0] * Math.cos(angle) - velocity[2] * Math.sin(angle);
      row[3] = normal;
      row[4] = Math.hypot(...forces.tangential);
      row[5] = resolved.friction[0] * normal;
      row[6] = forces.depth;
      row[7] = block.mass;
      recorder.add(row);
      const along = position[0] * Math.cos(angle) - position[2] * Math.sin(angle);
      if (along > HALF_LENGTH - 0.5 || position[2] < -8) putBack(0);
    },

    draw() {
      block.getPosition(position);
      const foot = [position[0], position[1], position[2]];
      for (const arrow of Object.values(arrows)) arrow.lengthOfForce = scale();
      arrows.weight.show(position, [0, 0, -block.mass * gravity]);
      arrows.normal.show(foot, forces.normal);
      arrows.friction.show(foot, forces.tangential);
    },

    read() {
      if (recorder.count === 0) return;
      const mu = pair().friction[0];
      const angle = recorder.last(1);
      const mass = recorder.last(7);
      const span = Math.min(MEAN_STEPS, recorder.count - 1) * world.timeStep;
      const acceleration = (recorder.last(2) - recorder.last(2, MEAN_STEPS)) / (span || 1);
      const slides = Math.abs(recorder.last(2)) > SLIDES;
      const expected = slides
        ? gravity * (Math.sin(angle) - Math.sign(recorder.last(2)) * mu * Math.cos(angle))
        : 0;
      const degrees = (/** @type {number} */ x) => `${((x * 180) / Math.PI).toFixed(1)}°`;
      const newtons = (/** @type {number} */ x) => `${x.toPrecision(4)} N`;
      const { origins } = pair();
      write(0, [`${degrees(angle)}, ${slides ? 'slides' : 'holds'}`, degrees(Math.atan(mu))]);
      write(1, [`${acceleration.toFixed(3)} m/s²`, `${expected.toFixed(3)} m/s²`]);
      write(2, [newtons(recorder.mean(3, MEAN_STEPS)), newtons(mass * gravity * Math.cos(angle))]);
      write(3, [newtons(recorder.mean(4, MEAN_STEPS)), newtons(recorder.mean(5, MEAN_STEPS))]);
      write(4, [`${(1e6 * recorder.last(6)).toFixed(2)} µm`, '']);
      write(5, [`μ ${origins.friction}, e ${origins.restitution}`, '']);
      Object.assign(found, {
        angle,
        acceleration,
        expected,
        slides: Number(slides),
        normal: recorder.mean(3, MEAN_STEPS),
        normalExpected: mass * gravity * Math.cos(angle),
        friction: recorder.mean(4, MEAN_STEPS),
        bound: recorder.mean(5, MEAN_STEPS),
        mu,
      });
      forcePlot.drawTime(recorder, [3, 4, 5], WINDOW);
      speedPlot.drawTime(recorder, [2], WINDOW);
    },
  };
}
