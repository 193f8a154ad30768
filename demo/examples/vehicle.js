// A car of bodies: each wheel turns on a hinge at the end of an arm, hinged to the chassis and sprung.
const axis = [0, 1, 0];
const corners = [1.2, -1.2].flatMap((x) => [0.85, -0.85].map((y) => [x, y])); // m, of the wheels
const radius = 0.35; // m
const tyre = { shape: { type: 'sphere', radius }, friction: 1 };

export function create(cairn) {
  const world = cairn.createWorld({ timeStep: 1 / 120 });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, friction: 1 });
  const body = { shape: { type: 'box', halfExtents: [1.6, 0.6, 0.2] } };
  const chassis = world.createBody({ position: [0, 0, 0.8], mass: 900, geometries: [body] });
  const addWheel = ([x, y]) => {
    const arm = world.createBody({ position: [x - 0.3, y, 0.5], mass: 15, inertia: [1, 1, 1] });
    const wheel = world.createBody({ position: [x, y, radius], mass: 20, geometries: [tyre] });
    world.createConstraint({ type: 'hinge', bodies: [arm, chassis], anchor: [x - 0.6, y, 0.6], axis });
    const ends = [0.4, 1].map((z) => [x, y, z]);
    const spring = { stiffness: 3e4, damping: 3e3, length: 0.7 }; // N/m, N s/m, m
    return {
      spring: world.createConstraint({ type: 'spring', bodies: [arm, chassis], anchors: ends, ...spring }),
      axle: world.createConstraint({ type: 'hinge', bodies: [wheel, arm], anchor: [x, y, radius], axis }),
    };
  };
  const wheels = corners.map(addWheel);
  const drive = (speed) => wheels.forEach(({ axle }) => axle.setMotor({ speed: speed / radius, force: 150 }));
  const text = () => `${Math.hypot(...chassis.getVelocity()).toFixed(2)} m/s`;
  return { world, chassis, wheels, drive, text, actions: { Drive: () => drive(8), Brake: () => drive(0) } };
}
