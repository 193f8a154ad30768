// A world of the package's force fields, for hashes that have to be the same everywhere.

/**
 * Sixty bodies of seven shapes in wind, over water that flows.
 * @param {typeof import('../../web/index.node.js')} api
 * @param {import('../../web/objects/cairn.js').Cairn} cairn
 */
export function makeFieldWorld(api, cairn) {
  const world = cairn.createWorld();
  const shapes = [
    { type: 'box', halfExtents: [0.3, 0.2, 0.1] },
    { type: 'capsule', radius: 0.2, height: 0.5 },
    { type: 'sphere', radius: 0.3 },
    { type: 'cylinder', radius: 0.2, height: 0.4 },
    { type: 'hollowCylinder', innerRadius: 0.2, thickness: 0.1, height: 0.3 },
    { type: 'cone', topRadius: 0.05, bottomRadius: 0.3, height: 0.4 },
    { type: 'convex', points: [[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]] }, // prettier-ignore
  ];
  const material = world.createMaterial({ density: 600 });
  for (let i = 0; i < 60; ++i) {
    const shape = shapes[i % shapes.length];
    const position = [0.5 * (i % 8), 0.5 * (i >> 3), 1 + (i % 5)];
    world.createBody({ position, geometries: [{ shape, material }] });
  }
  const velocity = (position, time, out) => {
    out[0] = 5 * cairn.math.sin(2 * time + position[1]);
    out[1] = 1;
  };
  world.addForceField(api.createBuoyancy({ flow: [0.3, 0, 0] }));
  world.addForceField(api.createWind({ velocity, area: 0.1, angular: 0.01 }));
  return world;
}

/**
 * @param {typeof import('../../web/index.node.js')} api
 * @param {import('../../web/objects/cairn.js').Cairn} cairn
 */
export function hashFieldWorld(api, cairn) {
  const world = makeFieldWorld(api, cairn);
  world.steps(300);
  const hash = world.hash();
  world.dispose();
  return hash;
}
