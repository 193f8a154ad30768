// A weighing scale: what the plate bears, averaged over a second, is the weight of what lies on it.
export function create(cairn) {
  const world = cairn.createWorld();
  const pan = { type: 'box', halfExtents: [1, 0.6, 0.05] };
  const plate = world.createGeometry({ shape: pan, position: [0, 0, -0.05], friction: 0.6 });
  const reader = world.createContactReader(plate); // its contacts with anything
  const window = new Float64Array(60); // N, of the last second
  const afterStep = () => (window[world.stepCount % 60] = -reader.getForce()[2]);
  const mass = () => window.reduce((sum, force) => sum + force, 0) / 60 / 9.80665;
  const drop = (kilograms = 2) =>
    world.createBody({
      position: [Math.sin(world.stepCount), 0.2 * Math.cos(world.stepCount), 1].map((x, i) =>
        i < 2 ? 0.6 * x : x,
      ),
      mass: kilograms,
      geometries: [{ shape: { type: 'box', halfExtents: [0.12, 0.12, 0.12] }, friction: 0.6 }],
    });
  drop();
  const advance = (seconds) => world.advance(seconds, { afterStep });
  const text = () => `${mass().toFixed(4)} kg`;
  return { world, drop, mass, afterStep, advance, text, actions: { 'Drop 2 kg': () => drop() } };
}
