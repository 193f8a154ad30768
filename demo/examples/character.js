// A kinematic character slides along walls, climbs what is not too steep, falls where nothing is below.
const capsule = { type: 'capsule', radius: 0.3, height: 1.2 };
const upright = [0, 0, 0, 1];
const reach = 0.35; // m that it steps up or down at most

export function create(cairn) {
  const world = cairn.createWorld({ gravity: [0, -9.80665, 0] });
  const addBlock = (halfExtents, position, rotation = upright) =>
    world.createGeometry({ shape: { type: 'box', halfExtents }, position, rotation });
  addBlock([8, 0.5, 8], [0, -0.5, 0]); // the floor
  addBlock([0.2, 1, 3], [4, 1, 0]); // a wall
  addBlock([2, 0.1, 1], [0, 0.4, 5], [0, 0, Math.sin(0.15), Math.cos(0.15)]); // a ramp of 0.3 rad
  const geometries = [{ shape: capsule }];
  const hero = world.createBody({ motion: 'kinematic', position: [0, 0.9, 0], geometries });
  let wish = [0, 0]; // m/s along x and z
  const walk = (...velocity) => (wish = velocity);
  const cast = (position, way) => world.castShape(capsule, { position }, way, { excludeBody: hero });
  const beforeStep = () => {
    const [x, y, z] = hero.getPosition();
    let [dx, dz] = wish.map((speed) => speed * world.timeStep);
    const wall = cast([x, y + reach, z], [2 * dx, 0, 2 * dz]); // looks a step ahead
    const into = wall ? Math.min(dx * wall.normal[0] + dz * wall.normal[2], 0) : 0;
    if (wall) [dx, dz] = [dx - into * wall.normal[0], dz - into * wall.normal[2]]; // along it
    const ground = cast([x + dx, y + reach, z + dz], [0, -2 * reach, 0]);
    const height = ground ? y + reach - 2 * reach * ground.fraction : y - 6 * world.timeStep;
    hero.moveTo([x + dx, height, z + dz], upright, world.timeStep);
  };
  return { world, hero, walk, beforeStep, actions: { '→': () => walk(2, 0), '↓': () => walk(1, 2) } };
}
