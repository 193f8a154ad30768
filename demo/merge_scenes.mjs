// Scenes of adaptive merging: rocks on a flatbed that drives and brakes, cranes on a ship, a tower that is
// struck.

import { fromLibrary, ground, makeRock, makeRounding } from './scene_parts.mjs';

const { round, rounded } = makeRounding(6);
const STEP = 1 / 60; // s

/** @param {number[]} halfExtents @param {number[]} position @param {string} material */
const boxAt = (halfExtents, position, material) => ({
  shape: { type: 'box', halfExtents: rounded(halfExtents) },
  position: rounded(position),
  material,
});

// ---- flatbed ----------------------------------------------------------------------------------------------

/**
 * Velocities along x of a body, step by step.
 * @param {{ at: number, from: number, rate: number, to: number }[]} ramps s, m/s, m/s², m/s
 */
function drive(ramps) {
  const actions = [];
  for (const { at, from, rate, to } of ramps) {
    const steps = Math.round(Math.abs(to - from) / (Math.abs(rate) * STEP));
    const first = Math.round(at / STEP);
    for (let i = 1; i <= steps; ++i) {
      const speed = from + ((to - from) * i) / steps;
      actions.push({ at: (first + i - 1) * STEP, body: 'flatbed', velocity: [round(speed), 0, 0] });
    }
  }
  return actions;
}

const ROCK = { count: 12, size: 0.2, bumps: 0.35 };

function makeFlatbed() {
  const [length, width] = [4, 1.25];
  const flatbed = {
    name: 'flatbed',
    motion: 'kinematic',
    position: [-10, 0, 0.9],
    geometries: [
      boxAt([length, width, 0.1], [0, 0, 0], 'steel'),
      boxAt([length, 0.05, 0.35], [0, width + 0.05, 0.25], 'steel'),
      boxAt([length, 0.05, 0.35], [0, -width - 0.05, 0.25], 'steel'),
      boxAt([0.05, width + 0.1, 0.35], [length + 0.05, 0, 0.25], 'steel'),
      boxAt([0.05, width + 0.1, 0.35], [-length - 0.05, 0, 0.25], 'steel'),
    ],
  };
  const rocks = Array.from({ length: 240 }, (_, k) => {
    const [layer, i, j] = [Math.floor(k / 60), k % 15, Math.floor((k % 60) / 15)];
    return {
      name: `rock${k}`,
      position: rounded([-13.5 + 0.5 * i, -0.85 + 0.55 * j, 1.4 + 0.5 * layer]),
      geometries: [
        { shape: { type: 'convex', points: makeRock(k % 6, ROCK).map(rounded) }, material: 'stone' },
      ],
    };
  });
  return {
    description:
      'Rocks come to rest on a flatbed and merge with it: the solver has nothing left to do while it ' +
      'drives off. It brakes by 7 m/s² and splits them; they slide, rest and merge again.',
    world: { mergeSplit: { enabled: true } },
    materials: fromLibrary(['stone', 'steel']),
    contactMaterials: [
      { materials: ['stone', 'stone'], friction: 0.5, restitution: 0 },
      { materials: ['stone', 'steel'], friction: 0.4, restitution: 0 },
    ],
    geometries: [ground('stone')],
    bodies: [flatbed, ...rocks],
    actions: drive([
      { at: 4, from: 0, rate: 1.5, to: 4 },
      { at: 8, from: 4, rate: 7, to: 0 },
    ]),
    record: ['world/solverBodies'],
  };
}

// ---- cranes -----------------------------------------------------------------------------------------------

function makeCranes() {
  /** @type {Record<string, unknown>[]} */
  const bodies = [
    {
      name: 'ship',
      motion: 'kinematic',
      position: [-4, 0, 0.6],
      velocity: [0.4, 0, 0],
      geometries: [
        boxAt([8, 1.8, 0.5], [0, 0, 0], 'steel'),
        boxAt([1, 1.4, 0.9], [-6.6, 0, 1.4], 'aluminium'),
      ],
    },
  ];
  const constraints = [];
  const actions = [];
  for (let i = 0; i < 3; ++i) {
    const x = -7.5 + 4.2 * i;
    bodies.push({
      name: `mast${i}`,
      position: rounded([x, 0, 3.1]),
      geometries: [boxAt([0.25, 0.25, 2], [0, 0, 0], 'steel')],
    });
    bodies.push({
      name: `boom${i}`,
      position: rounded([x + 1.4, 0, 5.25]),
      geometries: [
        boxAt([1.7, 0.14, 0.14], [0, 0, 0], 'aluminium'),
        boxAt([0.25, 0.25, 0.25], [-1.4, 0, 0], 'steel'),
      ],
    });
    constraints.push({
      name: `slew${i}`,
      type: 'hinge',
      bodies: [`mast${i}`, 'ship'],
      anchor: rounded([x, 0, 1.1]),
      axis: [0, 0, 1],
      motor: { speed: 0, lockAtZeroSpeed: true },
    });
    constraints.push({
      name: `luff${i}`,
      type: 'hinge',
      bodies: [`boom${i}`, `mast${i}`],
      anchor: rounded([x, 0, 5.1]),
      axis: [0, 1, 0],
      motor: { speed: 0, lockAtZeroSpeed: true },
    });
    const begin = 1.5 + 3.5 * i;
    for (const [at, speed] of [
      [begin, 0.6],
      [begin + 2.5, 0],
    ])
      actions.push({ at, constraint: `slew${i}`, motor: { speed, lockAtZeroSpeed: true } });
    for (const [at, speed] of [
      [begin + 0.7, -0.25],
      [begin + 2.2, 0],
    ])
      actions.push({ at, constraint: `luff${i}`, motor: { speed, lockAtZeroSpeed: true } });
  }
  actions.sort((a, b) => a.at - b.at);
  return {
    description:
      'Three cranes are merged to the ship that carries them. One after another starts a motor, which ' +
      'splits its crane in the same step, and merges again when it has stopped.',
    world: { mergeSplit: { enabled: true } },
    materials: fromLibrary(['steel', 'aluminium', 'stone']),
    geometries: [ground('stone')],
    bodies,
    constraints,
    actions,
    record: ['world/solverBodies'],
  };
}

// ---- tower ------------------------------------------------------------------------------------------------

function makeTower() {
  const [side, layers, half] = [6, 10, 0.25];
  const bodies = [];
  for (let k = 0; k < layers; ++k)
    for (let i = 0; i < side; ++i)
      for (let j = 0; j < side; ++j)
        bodies.push({
          name: `block${k}-${i}-${j}`,
          position: rounded([0.51 * (i - (side - 1) / 2), 0.51 * (j - (side - 1) / 2), half + 2 * half * k]),
          geometries: [{ shape: { type: 'box', halfExtents: [half, half, half] }, material: 'wood' }],
        });
  const ball = {
    name: 'ball',
    position: [-18, 0.2, 3],
    velocity: [16.5, 0, 6.1],
    fast: true,
    geometries: [{ shape: { type: 'sphere', radius: 0.28 }, material: 'steel' }],
  };
  return {
    description:
      'A tower of 360 blocks merges with the ground. A steel ball comes after a second and splits what it ' +
      'hits, and what rests on that; the rest stays merged.',
    world: { mergeSplit: { enabled: true } },
    materials: fromLibrary(['wood', 'steel', 'stone']),
    geometries: [ground('stone')],
    bodies: [...bodies, ball],
    record: ['world/solverBodies'],
  };
}

export const mergeScenes = { flatbed: makeFlatbed(), cranes: makeCranes(), tower: makeTower() };
