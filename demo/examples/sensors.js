// A gate counts what passes: a sensor finds contacts and never solves them.
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
  const counts = { entered: 0, left: 0, inside: 0 };
  world.addContactListener({ filter: gate, mask: ['impact'], onContact: () => void ++counts.entered });
  world.addContactListener({ filter: gate, mask: ['separation'], onContact: () => void ++counts.left });
  const text = () => `${counts.entered} in, ${counts.left} out`;
  return { world, gate, balls, counts, text };
}
