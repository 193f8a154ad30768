// Writes the scenes of the gallery that are laid out by rule: pyramid, wall, dominoes, tumbler, sleepers,
// slope and those of shape_scenes.mjs, joint_scenes.mjs and merge_scenes.mjs.
//
//   node demo/make_scenes.mjs

import { writeFileSync } from 'node:fs';
import { jointScenes } from './joint_scenes.mjs';
import { mergeScenes } from './merge_scenes.mjs';
import { fromLibrary, ground, makeRounding } from './scene_parts.mjs';
import { shapeScenes } from './shape_scenes.mjs';

const { round, rounded } = makeRounding(6);

/** @param {number} angle rad, about z */
const aboutZ = (angle) => rounded([0, 0, Math.sin(angle / 2), Math.cos(angle / 2)]);

/** @param {number} angle rad, about y */
const aboutY = (angle) => rounded([0, Math.sin(angle / 2), 0, Math.cos(angle / 2)]);

/**
 * Random numbers 0…1, the same ones every time.
 *
 * @param {number} seed
 */
function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function makePyramid() {
  const base = 8;
  const half = 0.25;
  const bodies = [];
  for (let level = 0; level < base; ++level) {
    const count = base - level;
    for (let i = 0; i < count; ++i) {
      for (let j = 0; j < count; ++j) {
        bodies.push({
          position: rounded([
            (2 * i - count + 1) * half * 1.04,
            (2 * j - count + 1) * half * 1.04,
            (2 * level + 1) * half,
          ]),
          geometries: [{ shape: { type: 'box', halfExtents: [half, half, half] }, material: 'wood' }],
        });
      }
    }
  }
  return {
    description: `A pyramid of ${bodies.length} wooden cubes.`,
    materials: fromLibrary(['wood', 'stone']),
    geometries: [ground('stone')],
    bodies,
  };
}

function makeWall() {
  const half = [0.3, 0.15, 0.12];
  const rows = 12;
  const columns = 13;
  const bodies = [];
  for (let row = 0; row < rows; ++row) {
    // every other row begins and ends with half a brick
    const shifted = row % 2 === 1;
    for (let i = 0; i < columns + (shifted ? 1 : 0); ++i) {
      const isHalf = shifted && (i === 0 || i === columns);
      const width = isHalf ? half[0] / 2 : half[0];
      let x = (2 * i - columns + 1 - (shifted ? 1 : 0)) * half[0];
      if (isHalf) x += i === 0 ? width : -width;
      bodies.push({
        position: rounded([x, 0, (2 * row + 1) * half[2]]),
        geometries: [
          {
            shape: { type: 'box', halfExtents: [round(width - 0.002), half[1], half[2]] },
            material: 'concrete',
          },
        ],
      });
    }
  }
  bodies.push({
    name: 'ball',
    position: [-1.2, -9, 1],
    velocity: [1.3, 9.5, 5.2],
    geometries: [{ shape: { type: 'sphere', radius: 0.32 }, material: 'steel' }],
  });
  return {
    description: 'A brick wall in stretcher bond and a steel ball on its way.',
    materials: fromLibrary(['concrete', 'steel', 'stone']),
    geometries: [ground('stone')],
    bodies,
  };
}

function makeDominoes() {
  const half = [0.03, 0.14, 0.28];
  const spacing = 0.235;
  const growth = 0.62 / (2 * Math.PI); // m of radius a radian
  const bodies = [];
  let angle = 0;
  for (let radius = 0.9; radius < 3.3; radius = 0.9 + growth * angle) {
    bodies.push({
      name: `domino${bodies.length}`,
      position: rounded([radius * Math.cos(angle), radius * Math.sin(angle), half[2]]),
      rotation: aboutZ(angle + Math.PI / 2),
      geometries: [{ shape: { type: 'box', halfExtents: half }, material: 'wood' }],
    });
    angle += spacing / radius;
  }
  return {
    description: `${bodies.length} dominoes on a spiral; the innermost is pushed.`,
    materials: fromLibrary(['wood', 'stone']),
    geometries: [ground('stone')],
    bodies,
    actions: [{ at: 0.5, body: 'domino0', force: [0, 60, 0], point: [0.9, 0, 0.5], for: 0.1 }],
  };
}

function makeTumbler() {
  const random = makeRandom(7);
  const between = (/** @type {number} */ low, /** @type {number} */ high) => low + (high - low) * random();
  const radius = 2.4; // of the inner circle
  const halfLength = 1.2;
  const thickness = 0.1; // half
  const sides = 8;
  const height = 3.1;

  const walls = [];
  for (let i = 0; i < sides; ++i) {
    const angle = (2 * Math.PI * i) / sides;
    const reach = radius + thickness;
    walls.push({
      position: rounded([reach * Math.sin(angle), 0, reach * Math.cos(angle)]),
      rotation: aboutY(angle),
      shape: {
        type: 'box',
        halfExtents: rounded([(radius + 2 * thickness) * Math.tan(Math.PI / sides), halfLength, thickness]),
      },
    });
  }
  const rim = (radius + 2 * thickness) / Math.cos(Math.PI / sides);
  for (const side of [-1, 1]) {
    const points = [];
    for (let i = 0; i < sides; ++i) {
      const angle = (2 * Math.PI * (i + 0.5)) / sides;
      for (const y of [-thickness, thickness]) {
        points.push(rounded([rim * Math.sin(angle), y, rim * Math.cos(angle)]));
      }
    }
    walls.push({
      position: rounded([0, side * (halfLength + thickness), 0]),
      shape: { type: 'convex', points },
    });
  }
  const drum = {
    name: 'drum',
    motion: 'kinematic',
    position: [0, 0, height],
    angularVelocity: [0, 0.75, 0],
    geometries: walls.map((wall) => ({ ...wall, material: 'steel' })),
  };

  // on a grid, with room to turn
  /** @type {object[]} */
  const bodies = [];
  const step = 0.5;
  for (let z = -1.5; z < 1.3; z += step) {
    for (let x = -1.25; x < 1.3; x += step) {
      for (let y = -0.75; y < 0.8; y += step) {
        const kind = bodies.length % 4;
        const size = between(0.15, 0.22);
        const shapes = [
          { type: 'sphere', radius: round(size) },
          { type: 'box', halfExtents: rounded([size, between(0.11, 0.18), between(0.09, 0.16)]) },
          { type: 'capsule', radius: 0.11, height: 0.2 },
          {
            type: 'convex',
            points: Array.from({ length: 10 }, () => {
              const polar = Math.acos(between(-1, 1));
              const around = between(0, 2 * Math.PI);
              return rounded([
                size * Math.sin(polar) * Math.cos(around),
                size * Math.sin(polar) * Math.sin(around),
                size * Math.cos(polar),
              ]);
            }),
          },
        ];
        const materials = ['rubber', 'wood', 'aluminium', 'stone'];
        bodies.push({
          position: rounded([x, y, z + height]),
          geometries: [{ shape: shapes[kind], material: materials[kind] }],
        });
      }
    }
  }
  return {
    description:
      `${bodies.length} rubber balls, wooden blocks, aluminium capsules and stones ` +
      'in a drum that turns.',
    materials: fromLibrary(['rubber', 'wood', 'aluminium', 'stone', 'steel']),
    geometries: [ground('stone')],
    bodies: [drum, ...bodies],
  };
}

function makeSleepers() {
  const side = 6;
  const half = 0.25;
  const gap = 1.6;
  const bodies = [];
  for (let i = 0; i < side; ++i)
    for (let j = 0; j < side; ++j)
      for (let k = 0; k < 4; ++k)
        bodies.push({
          name: `block${i}-${j}-${k}`,
          position: rounded([(i - (side - 1) / 2) * gap, (j - (side - 1) / 2) * gap, (2 * k + 1) * half]),
          geometries: [{ shape: { type: 'box', halfExtents: [half, half, half] }, material: 'wood' }],
        });
  // a little off the axes of three towers, so that these do not only sink
  const cubes = { first: [-0.7, 0.85, 14], second: [2.5, -2.35, 50], third: [-3.9, 4.05, 110] };
  for (const [name, position] of Object.entries(cubes))
    bodies.push({
      name,
      position,
      geometries: [{ shape: { type: 'box', halfExtents: [0.3, 0.3, 0.3] }, material: 'steel' }],
    });
  return {
    description:
      'Thirty-six towers fall asleep; three steel cubes, which come down one after another, wake those ' +
      'that they hit.',
    world: { sleep: { enabled: true } },
    materials: fromLibrary(['wood', 'steel', 'stone']),
    geometries: [ground('stone')],
    bodies,
    record: ['world/solverBodies'],
  };
}

// Seen from the side: a wedge whose blocks differ by friction alone, either side of tan 30° = 0.577.
function makeSlope() {
  const frictions = [0.5, 0.55, 0.57, 0.59, 0.65];
  const angle = Math.PI / 6;
  const length = 7; // m, of the base
  const halfWidth = 2.6;
  const height = length * Math.tan(angle);
  const half = [0.34, 0.34, 0.2];
  const lane = 0.96; // m
  const start = 0.9; // m along the slope, from its top

  const corners = [
    [0, 0],
    [length, 0],
    [0, height],
  ];
  const points = corners.flatMap(([x, z]) => [-halfWidth, halfWidth].map((y) => rounded([x, y, z])));
  const down = [Math.cos(angle), -Math.sin(angle)];
  const out = [Math.sin(angle), Math.cos(angle)];
  const bodies = frictions.map((_, i) => ({
    name: `block${i}`,
    position: rounded([
      start * down[0] + half[2] * out[0],
      (i - (frictions.length - 1) / 2) * lane,
      height + start * down[1] + half[2] * out[1],
    ]),
    rotation: aboutY(angle),
    geometries: [{ shape: { type: 'box', halfExtents: half }, material: `block${i}` }],
  }));
  const pairs = frictions.map((friction, i) => ({
    materials: ['slope', `block${i}`],
    friction,
    restitution: 0,
    surfaceViscosity: 0,
    frictionModel: { type: 'cone' },
  }));
  return {
    description:
      `Five blocks on a wedge of 30°, μ = ${frictions.join(', ')}: those above tan 30° = 0.577 hold, the ` +
      'others slide with a = g (sin θ − μ cos θ).',
    materials: [{ name: 'slope' }, ...frictions.map((_, i) => ({ name: `block${i}`, density: 700 }))],
    contactMaterials: pairs,
    geometries: [ground('slope'), { name: 'wedge', shape: { type: 'convex', points }, material: 'slope' }],
    bodies,
    record: frictions.map((_, i) => `body/block${i}/position`),
  };
}

const scenes = {
  slope: makeSlope(),
  pyramid: makePyramid(),
  wall: makeWall(),
  dominoes: makeDominoes(),
  tumbler: makeTumbler(),
  sleepers: makeSleepers(),
  ...shapeScenes,
  ...jointScenes,
  ...mergeScenes,
};
for (const [name, scene] of Object.entries(scenes)) {
  // one line an object, so that changes can be read
  const lines = Object.entries({ format: 'cairn-scene', version: 1, name, ...scene }).map(([key, value]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
      : JSON.stringify(value);
    return `  ${JSON.stringify(key)}: ${text}`;
  });
  writeFileSync(new URL(`scenes/${name}.json`, import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}
