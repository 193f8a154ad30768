// What is measured in each scene while it runs: the numbers under the scene's claim.
//
// A measure watches from the scene's start: `sample` is called after each frame's steps, `read` a few times a
// second. Extremes are "so far", of all frames.

import { BodyFlags } from 'cairn-physics';
import { formatCount, formatEnergy, formatFixed, formatForce, formatLength, formatPower } from './units.js';

/** @typedef {import('cairn-physics').Scene} Scene */
/** @typedef {import('cairn-physics').World} World */
/** @typedef {import('cairn-physics').Body} Body */

/**
 * @typedef {object} Reading
 * @property {string} label
 * @property {string} value
 * @property {string} [expected] by the formula
 *
 * @typedef {object} Measure
 * @property {() => void} [sample]
 * @property {() => Reading[]} read
 *
 * @typedef {(scene: Scene) => Measure} MakeMeasure
 */

const MOVING = BodyFlags.live | BodyFlags.dynamic;

// ---- parts ------------------------------------------------------------------------------------------------

/** @type {MakeMeasure} */
const overlap = ({ world }) => ({
  read: () => [{ label: 'Deepest overlap now', value: formatLength(world.maxPenetration) }],
});

/** @type {MakeMeasure} */
const motion = ({ world }) => ({
  read: () => [{ label: 'Kinetic energy', value: formatEnergy(world.kineticEnergy) }],
});

/** @type {MakeMeasure} */
const contacts = ({ world }) => ({
  read: () => {
    const counters = world.getCounters();
    return [
      { label: 'Contacts', value: formatCount(counters.contacts) },
      { label: 'Their points', value: formatCount(counters.contactPoints) },
    ];
  },
});

/** @type {MakeMeasure} */
function jointOpening({ world }) {
  const widest = watchJoints(world);
  return {
    sample: widest.sample,
    read: () => [{ label: 'Widest joint opening so far', value: formatLength(widest.largest) }],
  };
}

/** Of joints that are swept, which close again after an impact. @type {MakeMeasure} */
function sweptOpening({ world }) {
  const widest = watchJoints(world);
  return {
    sample: widest.sample,
    read: () => [
      { label: 'Widest joint opening now', value: formatLength(widest.now) },
      { label: 'So far', value: formatLength(widest.largest) },
    ],
  };
}

/** @param {World} world */
function watchJoints(world) {
  const constraints = [...world.constraints()];
  const widest = {
    now: 0,
    largest: 0,
    sample: () => {
      widest.now = 0;
      for (const constraint of constraints) {
        if (constraint.isValid && constraint.enabled) widest.now = Math.max(widest.now, constraint.violation);
      }
      widest.largest = Math.max(widest.largest, widest.now);
    },
  };
  return widest;
}

/**
 * How far bodies are from where they were at first.
 *
 * @param {World} world
 * @param {Body[]} bodies
 * @returns {() => number} m, of the one that has moved most
 */
function watchPlaces(world, bodies) {
  const start = bodies.map((body) => body.getPosition());
  return () => {
    const { position } = world.columns.bodies;
    let largest = 0;
    bodies.forEach(({ index }, i) => {
      const [x, y, z] = start[i];
      const moved = Math.hypot(
        position[3 * index] - x,
        position[3 * index + 1] - y,
        position[3 * index + 2] - z,
      );
      largest = Math.max(largest, moved);
    });
    return largest;
  };
}

/** @param {World} world @returns {Body[]} those that forces move */
function movingBodies(world) {
  return [...world.bodies()].filter((body) => body.motion === 'dynamic');
}

/** @param {string} label @returns {MakeMeasure} */
const drift = (label) => {
  return ({ world }) => {
    const moved = watchPlaces(world, movingBodies(world));
    return { read: () => [{ label, value: formatLength(moved()) }] };
  };
};

/** @param {World} world @param {number} flag @returns {number} bodies that have it */
function countFlag(world, flag) {
  const { flags, rows } = world.columns.bodies;
  let count = 0;
  for (let row = 0; row < rows; ++row) {
    if ((flags[row] & flag) !== 0 && (flags[row] & MOVING) === MOVING) count += 1;
  }
  return count;
}

/** @param {World} world @param {number} row @returns {number} 1: the body's z axis points up, −1: down */
function uprightness({ columns }, row) {
  const { rotation } = columns.bodies;
  return 1 - 2 * (rotation[4 * row] ** 2 + rotation[4 * row + 1] ** 2);
}

/** Of what is revolved about its own y axis. @param {World} world @param {Body} body @returns {string} */
function formatLean({ columns }, { index }) {
  const [x, y, z, w] = columns.bodies.rotation.subarray(4 * index, 4 * index + 4);
  const across = Math.hypot(2 * (x * y - z * w), 1 - 2 * (x * x + z * z)); // of the axis in the plane
  return `${formatFixed((Math.asin(Math.min(1, across)) * 180) / Math.PI, 3)}°`;
}

/** @type {MakeMeasure} */
function merged({ world }) {
  const bodies = movingBodies(world);
  return {
    read: () => {
      const { flags } = world.columns.bodies;
      const count = bodies.filter(({ index }) => (flags[index] & BodyFlags.carried) !== 0).length;
      return [
        { label: 'Merged', value: `${formatCount(count)} of ${formatCount(bodies.length)}` },
        { label: 'Left to the solver', value: formatCount(world.getCounters().solverBodies) },
      ];
    },
  };
}

/** Several as one. @param {MakeMeasure[]} makers @returns {MakeMeasure} */
const all =
  (...makers) =>
  (scene) => {
    const parts = makers.map((make) => make(scene));
    return {
      sample: () => parts.forEach((part) => part.sample?.()),
      read: () => parts.flatMap((part) => part.read()),
    };
  };

// ---- scenes -----------------------------------------------------------------------------------------------

/** @type {MakeMeasure} */
function wall({ world }) {
  const bricks = movingBodies(world).slice(0, -1);
  const start = bricks.map((brick) => brick.getPosition());
  return {
    read: () => {
      const { position } = world.columns.bodies;
      const moved = bricks.filter(
        ({ index }, i) => Math.hypot(...start[i].map((x, k) => position[3 * index + k] - x)) > 0.05,
      );
      return [{ label: 'Bricks moved by over 5 cm', value: `${moved.length} of ${bricks.length}` }];
    },
  };
}

/** @type {MakeMeasure} */
function dominoes({ world }) {
  const bodies = movingBodies(world);
  return {
    read: () => {
      const fallen = bodies.filter(({ index }) => uprightness(world, index) < 0.9).length;
      return [{ label: 'Fallen', value: `${fallen} of ${bodies.length}` }];
    },
  };
}

/** @type {MakeMeasure} */
function heavyTop(scene) {
  const { world } = scene;
  const reader = world.createContactReader(scene.findBody('box0'), scene.findGeometry('ground'));
  const top = watchPlaces(world, [scene.findBody('box9')]);
  const weight = movingBodies(world).reduce((sum, { mass }) => sum + mass * 9.80665, 0);
  const format = (/** @type {number} */ force) =>
    force.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return {
    read: () => [
      {
        label: 'The ground bears',
        value: `${format(reader.getNormalForce()[2])} N`,
        expected: `${format(weight)} N`,
      },
      { label: 'The top box has moved', value: formatLength(top()) },
    ],
  };
}

/**
 * Acceleration of each block that slides, from two readings of its speed while it is on the slope.
 *
 * @type {MakeMeasure}
 */
function slope(scene) {
  const { world } = scene;
  const foot = 0.75; // m, below which a block is about to leave the slope
  const settled = 0.5; // s
  const angle = Math.PI / 6;
  const sliders = [0.5, 0.55, 0.57].map((friction, i) => ({
    friction,
    body: scene.findBody(`block${i}`),
    from: { time: 0, speed: 0 },
    acceleration: NaN,
  }));
  const holders = [scene.findBody('block3'), scene.findBody('block4')];
  /** @type {(() => number) | null} since they settled */
  let crept = null;
  const velocity = new Float64Array(3);
  return {
    sample: () => {
      const { time } = world;
      if (time < settled) return;
      crept ??= watchPlaces(world, holders);
      for (const slider of sliders) {
        if (world.columns.bodies.position[3 * slider.body.index + 2] < foot) continue;
        const [x, y, z] = slider.body.getVelocity(velocity);
        const speed = Math.hypot(x, y, z);
        if (slider.from.time === 0) slider.from = { time, speed };
        else if (time > slider.from.time)
          slider.acceleration = (speed - slider.from.speed) / (time - slider.from.time);
      }
    },
    read: () => [
      ...sliders.map(({ friction, acceleration }) => ({
        label: `μ = ${friction.toFixed(2)} slides with`,
        value: Number.isNaN(acceleration) ? '–' : `${formatFixed(acceleration, 4)} m/s²`,
        expected: (9.80665 * (Math.sin(angle) - friction * Math.cos(angle))).toFixed(4),
      })),
      { label: 'μ = 0.59 and 0.65 creep by', value: crept === null ? '–' : formatLength(crept()) },
    ],
  };
}

/** @type {MakeMeasure} */
function dzhanibekov(scene) {
  const body = scene.findBody('handle');
  const first = body.getAngularMomentum();
  const size = Math.hypot(...first);
  const momentum = new Float64Array(3);
  let largest = 0;
  let flips = 0;
  let side = 0;
  return {
    sample: () => {
      body.getAngularMomentum(momentum);
      const error = Math.hypot(...first.map((value, i) => momentum[i] - value)) / size;
      largest = Math.max(largest, error);
      // the middle axis beside the angular momentum, which stays along y
      const [x, , z] = body.getRotation();
      const now = Math.sign(1 - 2 * (x * x + z * z));
      if (side !== 0 && now !== 0 && now !== side) flips += 1;
      side = now || side;
    },
    read: () => [
      { label: 'Change of |L|, relative', value: largest === 0 ? '0' : formatPower(largest) },
      { label: 'Flips', value: String(flips) },
    ],
  };
}

/** @type {MakeMeasure} */
function hook(scene) {
  const constraint = scene.findConstraint('hook');
  const force = new Float64Array(3);
  return {
    read: () => [{ label: 'The hook bears', value: formatForce(Math.hypot(...constraint.getForce(force))) }],
  };
}

/** @type {MakeMeasure} */
function loadHeight(scene) {
  const body = scene.findBody('load');
  return { read: () => [{ label: 'Load above the ground', value: formatLength(body.getPosition()[2]) }] };
}

/** @type {MakeMeasure} */
function sleepers({ world }) {
  const count = movingBodies(world).length;
  return {
    read: () => [
      { label: 'Asleep', value: `${countFlag(world, BodyFlags.asleep)} of ${count}` },
      { label: 'Left to the solver', value: formatCount(world.getCounters().solverBodies) },
    ],
  };
}

/** Swings of a ball beside the pendulum's formula. @type {MakeMeasure} */
function tube(scene) {
  const { world } = scene;
  const { index } = scene.findBody('swings');
  const at = () => {
    const { position } = world.columns.bodies;
    return [position[3 * index], position[3 * index + 2]];
  };
  const [x, z] = at();
  const arm = Math.hypot(x, z);
  const angle = Math.atan2(x, -z);
  // complete elliptic integral of the first kind by the arithmetic-geometric mean
  let [a, b] = [1, Math.cos(angle / 2)];
  for (let i = 0; i < 8; ++i) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  const period = ((4 * Math.PI) / (2 * a)) * Math.sqrt((7 * arm) / (5 * 9.80665));
  let before = { time: 0, x };
  /** @type {number[]} */
  const passes = []; // s, from left to right through the lowest point
  const energy = world.kineticEnergy + world.potentialEnergy;
  return {
    sample: () => {
      const { time } = world;
      if (time === before.time) return;
      const now = at()[0];
      if (before.x < 0 && now >= 0)
        passes.push(before.time + ((time - before.time) * -before.x) / (now - before.x));
      before = { time, x: now };
    },
    read: () => {
      const swings = passes.length - 1;
      const measured = swings > 0 ? `${((passes[swings] - passes[0]) / swings).toFixed(3)} s` : '–';
      const lost = world.kineticEnergy + world.potentialEnergy - energy;
      return [
        { label: 'Period of the front ball', value: measured, expected: `${period.toFixed(3)} s` },
        { label: 'Change of energy', value: formatEnergy(lost) },
      ];
    },
  };
}

/** @param {[name: string, title: string][]} bodies @returns {MakeMeasure} */
const leans = (bodies) => (scene) => ({
  read: () =>
    bodies.map(([name, title]) => ({
      label: `${title} leans by`,
      value: formatLean(scene.world, scene.findBody(name)),
    })),
});

/** @type {MakeMeasure} */
function ghosts({ world }) {
  const bodies = movingBodies(world);
  let largest = 0;
  return {
    sample: () => {
      const { position, velocity } = world.columns.bodies;
      for (const { index } of bodies) {
        if (position[3 * index] > 11.5) continue; // off the floor, free to fall
        const [x, y, z] = velocity.subarray(3 * index, 3 * index + 3);
        largest = Math.max(largest, Math.hypot(x - 10, y, z));
      }
    },
    read: () => [
      { label: 'Largest change of velocity so far', value: `${formatFixed(largest * 1000, 3)} mm/s` },
    ],
  };
}

/** @type {MakeMeasure} */
function bullet(scene) {
  const balls = ['box', 'mesh', 'tube', 'cone', 'plate'].map((name) => scene.findBody(name));
  const plate = scene.findBody('pushed');
  let passed = 0;
  return {
    sample: () => {
      const limit = Math.max(0.25, plate.getPosition()[0]);
      passed = Math.max(passed, balls.filter((ball) => ball.getPosition()[0] > limit).length);
    },
    read: () => [{ label: 'Passed', value: `${passed} of ${balls.length}` }],
  };
}

/** @type {Record<string, MakeMeasure>} */
const MEASURES = {
  pit: all(overlap, motion),
  wall,
  tumbler: contacts,
  dominoes,
  arch: all(drift('No stone has moved by more than'), motion),
  pyramid: all(drift('No cube has moved by more than'), motion),
  'heavy-top-stack': heavyTop,
  slope,
  dzhanibekov,
  'heavy-chain': all(jointOpening, hook),
  crane: all(jointOpening, loadHeight),
  ragdoll: jointOpening,
  crowd: sweptOpening,
  net: sweptOpening,
  'four-bar': jointOpening,
  sleepers,
  flatbed: merged,
  cranes: merged,
  tower: merged,
  'mesh-on-mesh': all(overlap, motion),
  tube,
  peg: leans([['peg', 'The peg']]),
  ring: leans([
    ['ring', 'The ring'],
    ['hat', 'The hat'],
  ]),
  ghosts,
  bullet,
};

/** @param {string} name of the scene @param {Scene} scene @returns {Measure | null} null: none */
export function makeMeasure(name, scene) {
  return MEASURES[name]?.(scene) ?? null;
}
