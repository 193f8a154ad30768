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
    const rate = (newtonSeconds * 0.9) / hingeInertia; // at the handle, 0.9 m from the hinge
    door.setAngularVelocity([0, 0, rate]);
    door.setVelocity([0, rate * 0.45, 0]);
  };
  const hingeInertia = (25 * (0.9 ** 2 + 0.04 ** 2)) / 12 + 25 * 0.45 ** 2; // kg m²
  const text = () => `open by ${Math.round((hinge.angle * 180) / Math.PI)}°`;
  return { world, door, hinge, push, actions: { Push: push }, text };
}
