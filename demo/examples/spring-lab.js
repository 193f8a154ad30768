// Masses on springs: the period is 2π √(m/k), whatever the amplitude. A damper makes one of them stop.
const stiffness = 40; // N/m
const length = 1; // m, at rest

export function create(cairn) {
  const world = cairn.createWorld({ timeStep: 1 / 240, sleep: false }); // small swings count, too
  const shape = { type: 'sphere', radius: 0.12 };
  const addMass = (x, mass, amplitude, damping = 0) => {
    const stretch = (mass * 9.80665) / stiffness; // m, where the weight is balanced
    const position = [x, 0, 3 - length - stretch - amplitude];
    const body = world.createBody({ position, mass, geometries: [{ shape, collisions: false }] });
    const anchors = [position, [x, 0, 3]];
    const bodies = [body, null];
    const spring = world.createConstraint({ type: 'spring', bodies, anchors, stiffness, damping, length });
    return { body, spring, rest: 3 - length - stretch, period: 2 * Math.PI * Math.sqrt(mass / stiffness) };
  };
  const masses = [addMass(-1, 1, 0.1), addMass(0, 1, 0.3), addMass(1, 4, 0.3), addMass(2, 1, 0.3, 2)];
  const text = () => masses.map(({ spring }) => `${spring.position.toFixed(3)} m`).join('  ');
  return { world, masses, text };
}
