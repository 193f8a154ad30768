// A gate counts what passes: a sensor finds what overlaps it and stops nothing.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const gate = world.createGeometry({
    shape: { type: 'box', halfExtents: [0.25, 1.5, 1] },
    position: [0, 0, 1],
    sensor: true,
  });
  const balls = [-1, 0, 1].map((y, i) =>
    world.createBody({
      position: [-2 - i, y, 0.3],
      velocity: [2, 0, 0],
      geometries: [{ shape: { type: 'sphere', radius: 0.3 } }],
    }),
  );
  const counts = { entered: 0, left: 0 };
  gate.on('sensorenter', ({ body }) => {
    if (body) ++counts.entered; // null is the ground
  });
  gate.on('sensorexit', () => ++counts.left);
  const inside = () => gate.getOverlaps().filter(({ body }) => body).length;
  const text = () => `${counts.entered} in, ${counts.left} out, ${inside()} inside`;
  return { world, gate, balls, counts, inside, text };
}
