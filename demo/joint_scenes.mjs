// Scenes that show constraints: four-bar linkages on motors, figures with limited joints, a crane with
// gear, rack and winch.

import { fromLibrary, ground, makeRounding } from './scene_parts.mjs';

/** @typedef {[number, number, number]} Vector */

const { round, rounded } = makeRounding(9);

/** Turns y, the axis of all round shapes, up. */
const UPRIGHT = rounded([Math.SQRT1_2, 0, 0, Math.SQRT1_2]);

/** The rotation that takes y to a direction. @param {Vector} to of length 1 */
function fromY([x, y, z]) {
  // half-way quaternion: (y × to, 1 + y·to)
  if (y < -0.999999) return [1, 0, 0, 0];
  const length = Math.hypot(z, x, 1 + y);
  return rounded([z / length, 0, -x / length, (1 + y) / length]);
}

// ---- four-bar linkages ------------------------------------------------------------------------------------

const FOUR_BAR_DEPTH = 1.1; // m between linkages
const BAR = 0.055; // m, radius of a bar

/**
 * A linkage in the plane y = const: A and D stand still, AB turns, BC couples, CD follows.
 * @param {string} name @param {number} y m
 * @param {[number, number, number, number]} lengths m: AB, BC, CD, DA
 * @param {number} angle rad, of AB from x towards z @param {number} side 1 or −1: where C lies
 * @param {number} speed rad/s
 */
function makeFourBar(name, y, [crank, coupler, rocker, base], angle, side, speed) {
  const height = 1.9;
  const at = (/** @type {number} */ x, /** @type {number} */ z) => /** @type {Vector} */ ([x, y, height + z]);
  const a = [-base / 2, 0];
  const d = [base / 2, 0];
  const b = [a[0] + crank * Math.cos(angle), a[1] + crank * Math.sin(angle)];
  const span = Math.hypot(d[0] - b[0], d[1] - b[1]);
  const along = (coupler ** 2 - rocker ** 2 + span ** 2) / (2 * span);
  const across = side * Math.sqrt(coupler ** 2 - along ** 2);
  const unit = [(d[0] - b[0]) / span, (d[1] - b[1]) / span];
  const c = [b[0] + along * unit[0] - across * unit[1], b[1] + along * unit[1] + across * unit[0]];

  /** @param {string} part @param {number[]} from @param {number[]} to @param {number} layer */
  const bar = (part, from, to, layer) => {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const middle = at((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    return {
      name: `${name}-${part}`,
      position: rounded([middle[0], middle[1] + layer * 2 * BAR, middle[2]]),
      rotation: fromY([(to[0] - from[0]) / length, 0, (to[1] - from[1]) / length]),
      geometries: [
        {
          shape: { type: 'capsule', radius: BAR, height: round(length) },
          material: part === 'crank' ? 'aluminium' : 'steel',
          collisions: false,
        },
      ],
    };
  };
  /** @param {string} joint @param {(string | null)[]} parts @param {number[]} point */
  const hinge = (joint, parts, point) => ({
    name: `${name}-${joint}`,
    type: 'hinge',
    bodies: parts.map((part) => (part === null ? null : `${name}-${part}`)),
    anchor: rounded(at(point[0], point[1])),
    axis: [0, -1, 0],
    compliance: 1e-9,
  });
  return {
    bodies: [bar('crank', a, b, 0), bar('coupler', b, c, 1), bar('rocker', c, d, 0)],
    constraints: [
      { ...hinge('a', ['crank', null], a), motor: { speed, force: 2000 } },
      hinge('b', ['coupler', 'crank'], b),
      hinge('c', ['rocker', 'coupler'], c),
      hinge('d', ['rocker', null], d),
    ],
  };
}

function makeFourBars() {
  const linkages = [
    makeFourBar('rocker', FOUR_BAR_DEPTH, [0.5, 1.6, 1.2, 1.7], 0.6, 1, 3),
    makeFourBar('drag', 0, [1.1, 1, 1.2, 0.45], 0.6, 1, 2),
    makeFourBar('parallel', -FOUR_BAR_DEPTH, [0.7, 1.6, 0.7, 1.6], 0.6, 1, 2.5),
  ];
  return {
    description:
      'Crank-rocker, drag link and parallelogram, each turned by a motor of at most 2 kN m. The ' +
      'parallelogram goes through the poses in which all its bars are in line.',
    world: { timeStep: 1 / 120 },
    materials: fromLibrary(['steel', 'aluminium', 'stone']),
    geometries: [ground('stone')],
    bodies: linkages.flatMap(({ bodies }) => bodies),
    constraints: linkages.flatMap(({ constraints }) => constraints),
    record: ['constraint/rocker-a/angle', 'constraint/rocker-d/angle', 'constraint/rocker-a/motorForce'],
  };
}

// ---- figures ----------------------------------------------------------------------------------------------

/**
 * A figure of eleven bodies; z up, facing +y.
 * @param {string} name @param {Vector} foot m, the point between its feet
 * @param {number} lean rad about x, forwards
 * @param {Vector} velocity m/s @param {Vector} spin rad/s, about its feet
 */
function makeFigure(name, foot, lean, velocity, spin) {
  const sine = Math.sin(lean);
  const cosine = Math.cos(lean);
  /** @param {number[]} point in the figure */
  const place = ([x, y, z]) =>
    rounded([foot[0] + x, foot[1] + cosine * y + sine * z, foot[2] - sine * y + cosine * z]);
  /** @param {Vector} vector */
  const turn = ([x, y, z]) => /** @type {Vector} */ ([x, cosine * y + sine * z, -sine * y + cosine * z]);

  /**
   * A capsule from point to point.
   * @param {string} part @param {Vector} from @param {Vector} to @param {number} radius @param {number} mass
   */
  const limb = (part, from, to, radius, mass) => {
    const difference = to.map((value, i) => value - from[i]);
    const length = Math.hypot(...difference);
    const position = place(from.map((value, i) => (value + to[i]) / 2));
    const [x, y, z] = position.map((value, i) => value - foot[i]);
    return {
      name: `${name}-${part}`,
      mass,
      position,
      velocity: rounded([
        velocity[0] + spin[1] * z - spin[2] * y,
        velocity[1] + spin[2] * x - spin[0] * z,
        velocity[2] + spin[0] * y - spin[1] * x,
      ]),
      angularVelocity: spin,
      rotation: fromY(turn(/** @type {Vector} */ (difference.map((value) => value / length)))),
      geometries: [{ shape: { type: 'capsule', radius, height: round(length) }, material: 'rubber' }],
    };
  };
  const bodies = [
    limb('pelvis', [-0.09, 0, 1], [0.09, 0, 1], 0.11, 11),
    limb('chest', [0, 0, 1.2], [0, 0, 1.38], 0.14, 22),
    limb('head', [0, 0, 1.66], [0, 0, 1.72], 0.1, 5),
  ];
  /** @type {object[]} */
  const constraints = [];
  /**
   * @param {string} joint @param {string[]} parts @param {Vector} point @param {Vector} axis
   * @param {object} limits
   */
  const ball = (joint, parts, point, axis, limits) =>
    constraints.push({
      name: `${name}-${joint}`,
      type: 'ball',
      bodies: parts.map((part) => `${name}-${part}`),
      anchor: place(point),
      axis: rounded(turn(axis)),
      ...limits,
    });
  /** @param {string} joint @param {string[]} parts @param {Vector} point @param {[number, number]} limits */
  const hinge = (joint, parts, point, limits) =>
    constraints.push({
      name: `${name}-${joint}`,
      type: 'hinge',
      bodies: parts.map((part) => `${name}-${part}`),
      anchor: place(point),
      axis: [1, 0, 0],
      range: { limits },
      friction: { force: 1 },
    });

  ball('waist', ['chest', 'pelvis'], [0, 0, 1.09], [0, 0, 1], {
    cone: { limit: 0.5 },
    twist: { limits: [-0.5, 0.5] },
  });
  ball('neck', ['head', 'chest'], [0, 0, 1.55], [0, 0, 1], {
    cone: { limit: 0.6 },
    twist: { limits: [-0.9, 0.9] },
  });
  for (const [side, x] of /** @type {[string, number][]} */ ([
    ['left', -1],
    ['right', 1],
  ])) {
    bodies.push(
      limb(`${side}-thigh`, [0.1 * x, 0, 0.9], [0.1 * x, 0, 0.58], 0.075, 8),
      limb(`${side}-shin`, [0.1 * x, 0, 0.46], [0.1 * x, 0, 0.12], 0.06, 4),
      limb(`${side}-arm`, [0.25 * x, 0, 1.4], [0.46 * x, 0, 1.4], 0.05, 2.5),
      limb(`${side}-forearm`, [0.56 * x, 0, 1.4], [0.78 * x, 0, 1.4], 0.042, 1.8),
    );
    ball(`${side}-hip`, [`${side}-thigh`, 'pelvis'], [0.1 * x, 0, 0.95], [0, 0, -1], {
      cone: { limit: 0.9 },
      twist: { limits: [-0.4, 0.4] },
    });
    ball(`${side}-shoulder`, [`${side}-arm`, 'chest'], [0.2 * x, 0, 1.4], [x, 0, 0], {
      cone: { limit: 1.4 },
      twist: { limits: [-0.8, 0.8] },
    });
    hinge(`${side}-knee`, [`${side}-shin`, `${side}-thigh`], [0.1 * x, 0, 0.52], [-2.3, 0]);
    constraints.push({
      name: `${name}-${side}-elbow`,
      type: 'hinge',
      bodies: [`${name}-${side}-forearm`, `${name}-${side}-arm`],
      anchor: place([0.51 * x, 0, 1.4]),
      axis: rounded(turn([0, 0, x])),
      range: { limits: [0, 2.4] },
      friction: { force: 0.5 },
    });
  }
  return { bodies, constraints };
}

function makeRagdolls() {
  const steps = 9;
  const tread = 0.34;
  const rise = 0.19;
  const figures = [
    makeFigure('red', [-1.3, -0.5, steps * rise], 0.35, [0, 1.6, 0], [-0.6, 0.3, 0.8]),
    makeFigure('blue', [0, -0.4, steps * rise], 0.5, [0.2, 2.2, 0], [-1, -0.4, -1.2]),
    makeFigure('green', [1.3, -0.5, steps * rise + 0.4], 0.8, [-0.2, 2.6, 0.5], [-2, 0.2, 0.5]),
  ];
  const stairs = Array.from({ length: steps }, (_, i) => {
    const height = rise * (steps - i);
    const depth = i === 0 ? 1.2 : tread;
    return {
      name: `stair${i}`,
      shape: { type: 'box', halfExtents: rounded([2.4, depth / 2, height / 2]) },
      position: rounded([0, i === 0 ? -depth / 2 : (i - 0.5) * tread, height / 2]),
      material: 'stone',
    };
  });
  return {
    description:
      'Three figures of eleven bodies fall down a stair; cones and twists limit their hips and ' +
      'shoulders, ranges their knees and elbows.',
    world: { timeStep: 1 / 120 },
    materials: fromLibrary(['rubber', 'stone']),
    contactMaterials: [{ materials: ['rubber', 'stone'], friction: 0.3, restitution: 0 }],
    geometries: [ground('stone'), ...stairs],
    bodies: figures.flatMap(({ bodies }) => bodies),
    constraints: figures.flatMap(({ constraints }) => constraints),
    record: ['body/blue-pelvis/position', 'constraint/blue-left-knee/angle'],
  };
}

// ---- crowd and net ----------------------------------------------------------------------------------------

function makeCrowd() {
  const figures = Array.from({ length: 24 }, (_, i) => {
    const [column, row, level] = [i % 3, Math.floor(i / 3) % 2, Math.floor(i / 6)];
    const foot = /** @type {Vector} */ ([
      1.7 * (column - 1) + 0.13 * ((i * 7) % 5),
      1.3 * row - 0.6 + 0.1 * ((i * 3) % 4),
      0.6 + 2.1 * level,
    ]);
    const spin = /** @type {Vector} */ ([0.4 * ((i % 5) - 2), 0.3 * ((i % 3) - 1), 0.2 * ((i % 7) - 3)]);
    return makeFigure(`figure${i}`, foot, 0.2 * ((i % 4) - 1.5), [0, 0, 0], spin);
  });
  return {
    description:
      'Twenty-four figures of eleven bodies fall on a heap; the joints of most of them are swept in lanes.',
    materials: fromLibrary(['rubber', 'stone']),
    contactMaterials: [
      { materials: ['rubber', 'stone'], friction: 0.6, restitution: 0 },
      { materials: ['rubber', 'rubber'], friction: 0.5, restitution: 0 },
    ],
    geometries: [ground('stone')],
    bodies: figures.flatMap(({ bodies }) => bodies),
    constraints: figures.flatMap(({ constraints }) => constraints),
    record: ['body/figure23-pelvis/position', 'world/kineticEnergy'],
  };
}

/** Balls in rows and columns, each joined to its neighbours halfway; it hangs slack between two beams. */
function makeNet() {
  const count = 24;
  const pitch = 0.2;
  const height = 2.6;
  const sag = 0.9;
  const last = count - 1;
  const bodies = [];
  /** @type {object[]} */
  const constraints = [];
  const at = (/** @type {number} */ i, /** @type {number} */ j) => {
    const along = (2 * i) / last - 1;
    return rounded([pitch * (i - last / 2), pitch * (j - last / 2), height - sag * (1 - along * along)]);
  };
  const join = (/** @type {number[]} */ [i, j], /** @type {number[]} */ [k, l]) =>
    constraints.push({
      name: `j${constraints.length}`,
      type: 'ball',
      bodies: [`knot${i}-${j}`, `knot${k}-${l}`],
      anchor: rounded(at(i, j).map((x, axis) => 0.5 * (x + at(k, l)[axis]))),
    });
  for (let i = 0; i < count; ++i) {
    const isHeld = i === 0 || i === last;
    for (let j = 0; j < count; ++j) {
      bodies.push({
        name: `knot${i}-${j}`,
        position: at(i, j),
        ...(isHeld ? { motion: 'static' } : { mass: 1 }),
        geometries: [{ shape: { type: 'sphere', radius: 0.07 }, material: 'rubber' }],
      });
      if (i > 0) join([i, j], [i - 1, j]);
      if (j > 0 && !isHeld) join([i, j], [i, j - 1]);
    }
  }
  for (let i = 0; i < 5; ++i) {
    bodies.push({
      name: `box${i}`,
      mass: 6,
      position: rounded([0.5 * Math.cos(2.4 * i), 0.5 * Math.sin(2.4 * i), height + 0.4 + 0.7 * i]),
      rotation: rounded([Math.sin(0.3 * i), 0, 0, Math.cos(0.3 * i)]),
      geometries: [{ shape: { type: 'box', halfExtents: [0.25, 0.25, 0.25] }, material: 'wood' }],
    });
  }
  return {
    description:
      `A net of ${count * count} knots and ${constraints.length} joints hangs between two beams ` +
      'and catches five boxes.',
    materials: fromLibrary(['rubber', 'wood', 'stone']),
    geometries: [ground('stone')],
    bodies,
    constraints,
    record: ['body/box0/position', 'body/knot12-12/position'],
  };
}

// ---- crane ------------------------------------------------------------------------------------------------

function makeCrane() {
  const height = 7; // of the jib
  const start = 3; // m, of the trolley along the jib
  const box = (/** @type {Vector} */ halfExtents, /** @type {Vector} */ position, material = 'steel') => ({
    shape: { type: 'box', halfExtents },
    position,
    material,
  });
  const wheel = (/** @type {number} */ radius, /** @type {number} */ thickness) => [
    { shape: { type: 'cylinder', radius, height: thickness }, material: 'aluminium' },
    // what shows that it turns
    {
      shape: { type: 'box', halfExtents: rounded([radius * 0.8, thickness * 0.55, radius * 0.12]) },
      material: 'steel',
    },
  ];
  const crates = [];
  for (let level = 0; level < 4; ++level) {
    for (let i = 0; i < 4; ++i) {
      for (let j = 0; j < 2; ++j) {
        crates.push({
          position: rounded([-3.2 + 0.82 * i, 5 + 0.82 * j, 0.4 + 0.8 * level]),
          mass: 40,
          geometries: [{ shape: { type: 'box', halfExtents: [0.4, 0.4, 0.4] }, material: 'wood' }],
        });
      }
    }
  }
  return {
    description:
      'A motor turns the mast through a gear of 1 : 6, a pinion moves the trolley along its rack, and ' +
      'a winch lets down two tonnes on a rope.',
    world: { timeStep: 1 / 120 },
    materials: fromLibrary(['steel', 'aluminium', 'wood', 'stone', 'concrete']),
    geometries: [ground('stone')],
    bodies: [
      {
        name: 'mast',
        mass: 4000,
        position: [0, 0, 0],
        geometries: [
          box([0.25, 0.25, 3.4], [0, 0, 3.7]),
          box([4.5, 0.2, 0.15], [2.4, 0, height + 0.25]),
          box([0.6, 0.6, 0.5], [-2, 0, height + 0.2], 'concrete'),
          {
            shape: { type: 'cylinder', radius: 1.2, height: 0.2 },
            position: [0, 0, 0.15],
            rotation: UPRIGHT,
            material: 'aluminium',
          },
        ],
      },
      {
        name: 'slewing-pinion',
        mass: 60,
        position: [0, -1.405, 0.15],
        rotation: UPRIGHT,
        geometries: wheel(0.2, 0.2),
      },
      {
        name: 'trolley',
        mass: 150,
        position: [start, 0, height - 0.1],
        geometries: [box([0.35, 0.3, 0.12], [0, 0, 0], 'aluminium')],
      },
      {
        name: 'trolley-pinion',
        mass: 10,
        position: [6.6, -0.35, height + 0.25],
        geometries: wheel(0.25, 0.1),
      },
      {
        name: 'load',
        mass: 2000,
        position: [start, 0, height - 3.7],
        geometries: [box([0.6, 0.6, 0.5], [0, 0, 0], 'concrete')],
      },
      ...crates,
    ],
    constraints: [
      { name: 'slewing', type: 'hinge', bodies: ['mast', null], anchor: [0, 0, 0.15], axis: [0, 0, 1] },
      {
        name: 'slewing-drive',
        type: 'hinge',
        bodies: ['slewing-pinion', null],
        anchor: [0, -1.405, 0.15],
        axis: [0, 0, 1],
        motor: { speed: -1.5, force: 3000 },
      },
      { name: 'slewing-gear', type: 'gear', constraints: ['slewing', 'slewing-drive'], ratio: round(-1 / 6) },
      {
        name: 'rail',
        type: 'prismatic',
        bodies: ['trolley', 'mast'],
        anchor: [start, 0, height - 0.1],
        axis: [1, 0, 0],
        range: { limits: [-2, 3.3] },
      },
      {
        name: 'trolley-drive',
        type: 'hinge',
        bodies: ['trolley-pinion', 'mast'],
        anchor: [6.6, -0.35, height + 0.25],
        axis: [0, 1, 0],
        motor: { speed: 2, force: 2000, lockAtZeroSpeed: true },
      },
      { name: 'rack', type: 'rackPinion', constraints: ['trolley-drive', 'rail'], radius: 0.25 },
      {
        name: 'rope',
        type: 'distance',
        bodies: ['load', 'trolley'],
        anchors: [
          [start, 0, height - 3.2],
          [start, 0, height - 0.22],
        ],
        motor: { speed: 0, force: [-40000, 0], lockAtZeroSpeed: true },
      },
    ],
    actions: [
      { at: 2, constraint: 'rope', motor: { speed: 0.4 } },
      { at: 5, constraint: 'rope', motor: { speed: 0 } },
      { at: 5, constraint: 'trolley-drive', motor: { speed: 0 } },
      { at: 14, constraint: 'slewing-drive', motor: { speed: 1.5 } },
      { at: 16, constraint: 'rope', motor: { speed: -0.5 } },
      { at: 19, constraint: 'rope', motor: { speed: 0 } },
      { at: 24, constraint: 'slewing-drive', motor: { speed: 0 } },
    ],
    record: ['constraint/slewing/angle', 'constraint/rail/position', 'constraint/rope/motorForce'],
  };
}

export const jointScenes = {
  'four-bar': makeFourBars(),
  ragdoll: makeRagdolls(),
  crane: makeCrane(),
  crowd: makeCrowd(),
  net: makeNet(),
};
