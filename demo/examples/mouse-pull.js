// A body is pulled by the pointer, through a spring whose force is bounded.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const half = 0.3;
  const box = { shape: { type: 'box', halfExtents: [half, half, half] }, friction: 0.6 };
  const light = world.createBody({ position: [-1, 0, half], mass: 5, geometries: [box] });
  const heavy = world.createBody({ position: [1, 0, half], mass: 500, geometries: [box] });
  let held = null; // { body, target }
  const stiffness = 500; // N/m
  const most = 400; // N
  const grab = (body, target) => (held = { body, target });
  const pointer = (point) => {
    if (!point) return (held = null);
    const nearest = [light, heavy].reduce((a, b) => (distance(a, point) < distance(b, point) ? a : b));
    held = { body: held?.body ?? nearest, target: point };
  };
  const distance = (body, point) => Math.hypot(...body.getPosition().map((x, i) => x - point[i]));
  const beforeStep = () => {
    if (!held) return;
    const { body, target } = held;
    const velocity = body.getVelocity();
    const damping = 2 * Math.sqrt(stiffness * body.mass); // critical
    const force = body.getPosition().map((x, i) => stiffness * (target[i] - x) - damping * velocity[i]);
    const scale = Math.min(1, most / Math.hypot(...force));
    body.applyForce(force.map((f) => scale * f));
  };
  return { world, light, heavy, grab, pointer, beforeStep };
}
