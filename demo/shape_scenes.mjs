// Scenes that show the shapes against each other: peg in a hole, ring on a cone, ball in a tube, mesh on
// mesh, seams that must not be felt, bullets. What each has to do is measured in
// tests/validation/shapes.test.mjs.

import { ground, makeRounding } from './scene_parts.mjs';

/** @typedef {[number, number, number]} Vector */

const { round, rounded } = makeRounding(9);

/** Turns y, the axis of all round shapes, up. */
const UPRIGHT = rounded([Math.SQRT1_2, 0, 0, Math.SQRT1_2]);

/** @param {number} angle rad, about x: upright, and leaning by the angle */
const leaning = (angle) =>
  rounded([Math.sin(Math.PI / 4 + angle / 2), 0, 0, Math.cos(Math.PI / 4 + angle / 2)]);

function makePeg() {
  const height = 0.1; // of the hole
  const length = 0.12; // of the peg
  return {
    description:
      'A peg of 40 mm, dropped 5 mm above a hole of 40.5 mm and a little beside its middle, enters ' +
      'and stands on the ground.',
    world: { timeStep: 1 / 240 },
    materials: [{ name: 'steel', library: 'steel' }],
    contactMaterials: [{ materials: ['steel', 'steel'], friction: 0.2, restitution: 0 }],
    geometries: [ground('steel')],
    bodies: [
      {
        name: 'bush',
        position: [0, 0, height / 2],
        rotation: UPRIGHT,
        geometries: [
          {
            shape: { type: 'hollowCylinder', innerRadius: 0.02025, thickness: 0.02, height },
            material: 'steel',
          },
        ],
      },
      {
        name: 'peg',
        position: [0.0001, -0.0001, round(height + 0.005 + length / 2)],
        rotation: UPRIGHT,
        geometries: [{ shape: { type: 'cylinder', radius: 0.02, height: length }, material: 'steel' }],
      },
    ],
    record: ['body/peg/position', 'body/peg/rotation', 'contact/peg/ground/normalForce'],
  };
}

function makeRing() {
  const cone = { type: 'cone', bottomRadius: 0.1, topRadius: 0, height: 0.3 };
  /** @param {string} name @param {number} x */
  const standing = (name, x) => ({
    name,
    shape: cone,
    position: [x, 0, 0],
    rotation: UPRIGHT,
    material: 'wood',
  });
  return {
    description:
      'A hollow cylinder and a hollow cone, dropped a little above and leaning by 2°, hang on wooden ' +
      'cones: the ring by its lower rim, the hat by its upper.',
    world: { timeStep: 1 / 240 },
    materials: [
      { name: 'wood', library: 'wood' },
      { name: 'aluminium', library: 'aluminium' },
    ],
    contactMaterials: [{ materials: ['wood', 'aluminium'], friction: 0.2, restitution: 0 }],
    geometries: [ground('wood'), standing('ringCone', 0), standing('hatCone', 0.3)],
    bodies: [
      {
        name: 'ring',
        position: [0, 0, 0.165],
        rotation: leaning((2 * Math.PI) / 180),
        geometries: [
          {
            shape: { type: 'hollowCylinder', innerRadius: 0.05, thickness: 0.01, height: 0.02 },
            material: 'aluminium',
          },
        ],
      },
      {
        name: 'hat',
        position: [0.3, 0, 0.135],
        rotation: leaning((2 * Math.PI) / 180),
        geometries: [
          {
            shape: { type: 'hollowCone', bottomRadius: 0.08, topRadius: 0.04, thickness: 0.01, height: 0.08 },
            material: 'aluminium',
          },
        ],
      },
    ],
    record: ['body/ring/position', 'body/hat/position', 'contact/ring/ringCone/normalForce'],
  };
}

function makeTube() {
  const innerRadius = 0.5;
  const radius = 0.05;
  const angle = 0.6; // rad from the lowest line
  const along = 0.1; // m/s
  const reach = innerRadius - radius;
  const at = (/** @type {number} */ y) => rounded([reach * Math.sin(angle), y, -reach * Math.cos(angle)]);
  const geometries = [{ shape: { type: 'sphere', radius }, material: 'rubber' }];
  return {
    description:
      'Balls roll without slip in a lying hollow cylinder: one swings with the period 4 K(sin²(θ/2)) ' +
      '√(7 (R − r)/5g), the other goes along the tube too, with v cos(√(2/7) Δθ).',
    world: { timeStep: 1 / 240 },
    materials: [
      { name: 'rubber', library: 'rubber' },
      { name: 'steel', library: 'steel' },
    ],
    contactMaterials: [{ materials: ['rubber', 'steel'], friction: 1, restitution: 0, youngsModulus: 2e9 }],
    geometries: [
      {
        name: 'tube',
        shape: { type: 'hollowCylinder', innerRadius, thickness: 0.05, height: 2 },
        material: 'steel',
      },
    ],
    bodies: [
      { name: 'swings', position: at(-0.6), geometries },
      {
        name: 'travels',
        position: at(-0.3),
        velocity: [0, along, 0],
        angularVelocity: rounded([
          (-along / radius) * Math.cos(angle),
          0,
          (-along / radius) * Math.sin(angle),
        ]),
        geometries,
      },
    ],
    record: ['body/swings/position', 'body/travels/position', 'body/travels/velocity'],
  };
}

/**
 * The open surface z = height(x, y) over a square, two triangles a cell.
 *
 * @param {string} name
 * @param {[number, number]} size m
 * @param {[number, number]} cells
 * @param {(x: number, y: number) => number} height
 */
function makeSheet(name, [width, depth], [columns, rows], height) {
  const vertices = [];
  const triangles = [];
  for (let j = 0; j <= rows; ++j) {
    for (let i = 0; i <= columns; ++i) {
      const x = width * (i / columns - 0.5);
      const y = depth * (j / rows - 0.5);
      vertices.push(rounded([x, y, height(x, y)]));
      if (i < columns && j < rows) {
        const corner = j * (columns + 1) + i;
        const above = corner + columns + 1;
        triangles.push([corner, corner + 1, above + 1], [corner, above + 1, above]);
      }
    }
  }
  return { name, vertices, triangles };
}

/** A closed bar of an outline (against the clock, seen from above) between −half and half of its height. */
function makeElbow() {
  const outline = [
    [0, 0],
    [0.6, 0],
    [0.6, 0.2],
    [0.2, 0.2],
    [0.2, 0.6],
    [0, 0.6],
  ];
  const half = 0.1;
  const vertices = [-half, half].flatMap((z) => outline.map(([x, y]) => rounded([x - 0.2, y - 0.2, z])));
  const count = outline.length;
  const caps = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 5],
  ];
  const triangles = caps.flatMap(([a, b, c]) => [
    [a, c, b],
    [a + count, b + count, c + count],
  ]);
  for (let i = 0; i < count; ++i) {
    const next = (i + 1) % count;
    triangles.push([i, next, next + count], [i, next + count, i + count]);
  }
  return { name: 'elbow', vertices, triangles };
}

/** A closed ring of square section about z. */
function makeRingMesh() {
  const sides = 16;
  const section = [
    [0.25, -0.07],
    [0.39, -0.07],
    [0.39, 0.07],
    [0.25, 0.07],
  ];
  const vertices = [];
  const triangles = [];
  for (let i = 0; i < sides; ++i) {
    const angle = (2 * Math.PI * i) / sides;
    for (const [k, [radius, z]] of section.entries()) {
      vertices.push(rounded([radius * Math.cos(angle), radius * Math.sin(angle), z]));
      const a = 4 * i + k;
      const b = 4 * i + ((k + 1) % 4);
      const [c, d] = [(a + 4) % (4 * sides), (b + 4) % (4 * sides)];
      triangles.push([a, c, d], [a, d, b]);
    }
  }
  return { name: 'ring', vertices, triangles };
}

function makeMeshOnMesh() {
  const bumps = (/** @type {number} */ x, /** @type {number} */ y) =>
    0.06 * Math.cos(4 * x) * Math.cos(3 * y + 0.4) + 0.15 * (x * x + y * y);
  /** @param {string} name @param {Vector} position @param {string} mesh */
  const body = (name, position, mesh) => ({
    name,
    position,
    geometries: [{ shape: { type: 'trimesh', mesh }, material: 'wood' }],
  });
  return {
    description:
      'Dynamic meshes, neither of them convex, fall on a bumpy mesh and on each other and come to rest.',
    world: { timeStep: 1 / 120 },
    materials: [
      { name: 'wood', library: 'wood' },
      { name: 'stone', library: 'stone' },
    ],
    contactMaterials: [
      { materials: ['wood', 'stone'], friction: 0.6, restitution: 0 },
      { materials: ['wood', 'wood'], friction: 0.6, restitution: 0 },
    ],
    meshes: [makeSheet('bumps', [4, 4], [24, 24], bumps), makeElbow(), makeRingMesh()],
    geometries: [
      {
        name: 'ground',
        shape: { type: 'trimesh', mesh: 'bumps', terrain: true, bottomMargin: 0.5 },
        material: 'stone',
      },
    ],
    bodies: [
      body('elbow', [-0.6, -0.5, 0.4], 'elbow'),
      body('ring', [0.6, 0.5, 0.4], 'ring'),
      // from farther out it tumbles off the ring, and a millimetre decides where to
      body('upper', [0.7, 0.55, 0.75], 'elbow'),
    ],
    record: ['world/kineticEnergy', 'world/maxPenetration', 'contact/elbow/ground/normalForce'],
  };
}

function makeGhosts() {
  const length = 24; // m of a track
  const width = 4;
  const speed = 10;
  const start = 1 - length / 2;
  const flat = () => 0;
  const material = 'ice';
  const spread = (/** @type {number} */ track) => (track - 1.5) * (width + 1);
  /**
   * @param {number} x @param {number} track @param {string} name @param {[number, number]} resolution
   * @param {number} long m
   */
  const field = (x, track, name, resolution, long) => ({
    name,
    position: [x, spread(track), 0],
    shape: {
      type: 'heightField',
      resolution,
      size: [long, width],
      heights: Array.from({ length: resolution[0] * resolution[1] }, flat),
    },
    material,
  });
  const boxes = Array.from({ length }, (_, i) => ({
    name: `slab${i}`,
    position: [i + 0.5 - length / 2, spread(2), -0.25],
    shape: { type: 'box', halfExtents: [0.5, width / 2, 0.25] },
    material,
  }));
  const sliders = {
    sphere: { height: 0.2, shape: { type: 'sphere', radius: 0.2 } },
    box: { height: 0.15, shape: { type: 'box', halfExtents: [0.25, 0.2, 0.15] } },
    across: { height: 0.15, shape: { type: 'capsule', radius: 0.15, height: 0.4 } },
    along: {
      height: 0.15,
      shape: { type: 'capsule', radius: 0.15, height: 0.4 },
      rotation: rounded([0, 0, Math.SQRT1_2, Math.SQRT1_2]),
    },
  };
  const bodies = ['mesh', 'field', 'boxes', 'fields'].flatMap((track, row) =>
    Object.entries(sliders).map(([name, { height, shape, ...pose }], i) => ({
      name: `${track}-${name}`,
      position: rounded([start, spread(row) + (i - 1.5) * 0.9, height]),
      ...pose,
      velocity: [speed, 0, 0],
      mass: 10,
      geometries: [{ shape, material }],
    })),
  );
  return {
    description:
      'A ball, a box and two lying capsules slide at 10 m/s without friction over a mesh, a height ' +
      'field, flush boxes and the seam of two height fields, and feel none of the edges.',
    materials: [{ name: material }],
    contactMaterials: [{ materials: [material, material], frictionModel: { type: 'none' }, restitution: 0 }],
    meshes: [makeSheet('floor', [length, width], [37, 7], flat)],
    geometries: [
      {
        name: 'floor',
        position: [0, spread(0), 0],
        shape: { type: 'trimesh', mesh: 'floor', terrain: true, bottomMargin: 0.5 },
        material,
      },
      field(0, 1, 'field', [38, 8], length),
      ...boxes,
      field(-length / 4, 3, 'left', [19, 8], length / 2),
      field(length / 4, 3, 'right', [17, 6], length / 2),
    ],
    bodies,
    record: bodies.map(({ name }) => `body/${name}/position`),
  };
}

/** A closed plate, thin along x. */
function makePlateMesh() {
  const half = [0.005, 0.15, 0.15];
  const vertices = Array.from({ length: 8 }, (_, i) =>
    rounded([i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]]),
  );
  const faces = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ];
  return {
    name: 'plate',
    vertices,
    triangles: faces.flatMap(([a, b, c, d]) => [
      [a, b, c],
      [a, c, d],
    ]),
  };
}

function makeBullet() {
  const plate = { type: 'box', halfExtents: [0.005, 0.15, 0.15] };
  const across = (/** @type {number} */ lane) => round((lane - 2) * 0.5);
  const height = 0.3;
  const walls = [
    { name: 'boxWall', shape: plate },
    { name: 'meshWall', shape: { type: 'trimesh', mesh: 'plate' } },
    {
      name: 'tubeWall',
      shape: { type: 'hollowCylinder', innerRadius: 0.14, thickness: 0.01, height: 0.3 },
      rotation: UPRIGHT,
    },
    {
      name: 'coneWall',
      shape: { type: 'hollowCone', bottomRadius: 0.2, topRadius: 0.1, thickness: 0.01, height: 0.3 },
      rotation: UPRIGHT,
      base: -0.15,
    },
  ];
  const bullets = ['box', 'mesh', 'tube', 'cone', 'plate'].map((name, lane) => ({
    name,
    position: [round(-3.1 - 0.7 * lane), across(lane), height],
    velocity: [300, 0, 0],
    fast: true,
    geometries: [{ shape: { type: 'sphere', radius: 0.005 }, material: 'steel' }],
  }));
  return {
    description:
      'Five steel balls of 1 cm at 300 m/s, 5 m in a step, against walls of 1 cm: a box, a mesh, a ' +
      'tube, a hollow cone and a plate that can be pushed. None passes.',
    materials: [{ name: 'steel', library: 'steel' }],
    meshes: [makePlateMesh()],
    geometries: [
      ground('steel'),
      ...walls.map(({ base = 0, ...wall }, lane) => ({
        ...wall,
        position: [0, across(lane), round(height + base)],
        material: 'steel',
      })),
    ],
    bodies: [
      ...bullets,
      {
        name: 'pushed',
        position: [0, across(4), height],
        geometries: [{ shape: plate, material: 'steel' }],
      },
    ],
    record: [...bullets.map(({ name }) => `body/${name}/position`), 'body/pushed/velocity'],
  };
}

export const shapeScenes = {
  peg: makePeg(),
  ring: makeRing(),
  tube: makeTube(),
  'mesh-on-mesh': makeMeshOnMesh(),
  ghosts: makeGhosts(),
  bullet: makeBullet(),
};
