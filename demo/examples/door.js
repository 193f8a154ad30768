// A door on a hinge that opens by ninety degrees, with a closer and some friction.
export function create(cairn) {
  const world = cairn.createWorld();
  const door = world.createBody({
    position: [0.45, 0, 1],
    mass: 25,
    geometries: [{ shape: { type: 'box', halfExtents: [0.45, 0.02, 1] } }],
  });
  const hinge = world.createConstraint({
    type: 'hinge',
    bodies: [door, null], // on the world
    anchor: [0, 0, 1],
    axis: [0, 0, 1],
    range: { limits: [0, Math.PI / 2] },
    friction: { force: 0.5 }, // N m
    lockAt: { position: 0, compliance: 0.1, damping: 1, force: 4 }, // the closer: at most 4 N m
  });
  const push = (newtonSeconds = 20) => {
    const handle = door.toWorld([0.4, -0.02, 0]);
    door.applyImpulse(door.toWorldDirection([0, newtonSeconds, 0]), handle);
  };
  const text = () => `open by ${Math.round((hinge.angle * 180) / Math.PI)}°`;
  return { world, door, hinge, push, actions: { Push: push }, text };
}
