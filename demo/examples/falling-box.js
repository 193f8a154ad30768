// A box falls five metres onto the ground and comes to rest there.
export function create(cairn) {
  const world = cairn.createWorld(); // gravity 9.80665 m/s² downwards, z is up
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const box = world.createBody({
    position: [0, 0, 5],
    geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] } }], // m; 1000 kg/m³
  });
  const text = () => `${world.time.toFixed(2)} s: ${box.getPosition()[2].toFixed(3)} m high`;
  return { world, box, text };
}
