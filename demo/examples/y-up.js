// A world in which y is up, as in three.js: gravity and ground say so, nothing else has to.
export function create(cairn) {
  const world = cairn.createWorld({ gravity: [0, -9.80665, 0] });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 1, 0] }, friction: 0.6 });
  // capsules, cylinders and cones have their axis along y, as those of three.js have
  const barrel = world.createBody({
    position: [0, 1.5, 0],
    geometries: [{ shape: { type: 'cylinder', radius: 0.3, height: 1 }, friction: 0.6 }],
  });
  const ball = world.createBody({
    position: [-2, 0.25, 1],
    velocity: [3, 0, 0],
    geometries: [{ shape: { type: 'sphere', radius: 0.25 }, friction: 0.6 }],
  });
  return { world, barrel, ball };
}
