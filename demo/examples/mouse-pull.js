// Bodies are pulled by the pointer, each by the point where it was pressed, with a force that is bounded.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const box = { shape: { type: 'box', halfExtents: [0.3, 0.3, 0.3] }, friction: 0.6 };
  const light = world.createBody({ position: [-1, 0, 0.3], mass: 5, geometries: [box] });
  const heavy = world.createBody({ position: [1, 0, 0.3], mass: 500, geometries: [box] });
  let hand = null; // a kinematic body at the pointer, and how far along its ray
  let depth = 0;
  // the pointer's ray, from the camera to its far end
  const press = (origin, translation) => {
    const hit = world.castRay(origin, translation);
    if (!hit?.body) return false;
    depth = hit.fraction;
    hand = world.createBody({ motion: 'kinematic', position: hit.point });
    const pull = { compliance: 1 / 500, damping: 0.2, forceRange: [-400, 400] }; // m/N, s, N
    world.createConstraint({ type: 'ball', bodies: [hit.body, hand], anchor: hit.point, ...pull });
    return true;
  };
  const move = (origin, translation) => hand?.setPosition(origin.map((x, i) => x + depth * translation[i]));
  const release = () => {
    hand?.destroy(); // with its constraint
    hand = null;
  };
  return { world, light, heavy, press, move, release };
}
