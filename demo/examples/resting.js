// 2,000 boxes in stacks of four, made in one call. They fall asleep, and a step then costs microseconds.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const count = 2000;
  const positions = new Float64Array(3 * count);
  for (let i = 0; i < count; ++i) {
    const stack = Math.floor(i / 4);
    positions.set([(stack % 25) - 12, Math.floor(stack / 25) - 10, 0.3 + 0.6 * (i % 4)], 3 * i);
  }
  const geometry = { shape: { type: 'box', halfExtents: [0.3, 0.3, 0.3] } };
  const boxes = world.createBodies({ count, positions, geometry });
  const awake = () => world.getCounters().awakeBodies;
  const poke = () => boxes.at(3)?.setVelocity([2, 0, 0]); // the top of the first stack
  const text = () => `${awake()} of ${count} awake, ${world.getProfile().step.toFixed(2)} ms a step`;
  return { world, boxes, awake, poke, text, actions: { Poke: poke } };
}
