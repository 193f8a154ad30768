// Bodies are pulled by the pointer, each by the point where it was pressed, with a force that is bounded.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const box = { shape: { type: 'box', halfExtents: [0.3, 0.3, 0.3] }, friction: 0.6 };
  const light = world.createBody({ position: [-1, 0, 0.3], mass: 5, geometries: [box] });
  const heavy = world.createBody({ position: [1, 0, 0.3], mass: 500, geometries: [box] });
  let grip = null;
  let depth = 0; // how far along the pointer's ray, from the camera to its far end
  const press = (origin, translation) => {
    const hit = world.castRay(origin, translation);
    if (!hit?.body) return false;
    depth = hit.fraction;
    grip = world.createMouseConstraint(hit.body, hit.point, { stiffness: 500, maxForce: 400 }); // N/m, N
    return true;
  };
  const move = (origin, translation) => grip?.setTarget(origin.map((x, i) => x + depth * translation[i]));
  const release = () => {
    grip?.destroy();
    grip = null;
  };
  return { world, light, heavy, press, move, release };
}
