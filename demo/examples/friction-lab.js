// Blocks on a slope of 30°: they hold where μ > tan 30° = 0.577, else slide with g (sin θ − μ cos θ).
const angle = Math.PI / 6;
const rotation = [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)]; // about y
const along = [Math.cos(angle), 0, -Math.sin(angle)]; // down the slope

export function create(cairn) {
  const world = cairn.createWorld();
  const blocks = [0, 0.3, 0.55, 0.6].map((friction, i) => {
    const y = i - 1.5;
    const lane = { type: 'box', halfExtents: [5, 0.45, 0.1] };
    world.createGeometry({ shape: lane, position: [0, y, 0], rotation, friction });
    const [x, z] = [-4 * along[0] + 0.25 * Math.sin(angle), -4 * along[2] + 0.25 * Math.cos(angle)];
    const shape = { type: 'box', halfExtents: [0.25, 0.25, 0.15] };
    const body = world.createBody({ position: [x, y, z], rotation, geometries: [{ shape, friction }] });
    const slides = 9.80665 * (Math.sin(angle) - friction * Math.cos(angle));
    return { body, friction, acceleration: Math.max(slides, 0) };
  });
  const speed = (body) => body.getVelocity().reduce((sum, v, i) => sum + v * along[i], 0);
  const text = () =>
    blocks.map(({ body, friction }) => `μ ${friction}: ${speed(body).toFixed(3)} m/s`).join('  ');
  return { world, blocks, speed, text };
}
