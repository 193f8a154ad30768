// A tower falls at a quarter of real time; what happened is recorded, and played again to the same bits.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const shape = { type: 'box', halfExtents: [0.4, 0.4, 0.4] };
  const tower = Array.from({ length: 8 }, (_, i) =>
    world.createBody({ position: [0.02 * i, 0, 0.4 + 0.8 * i], geometries: [{ shape }] }),
  );
  tower[4].setVelocity([2, 0, 0]);
  const time = { speed: 0.25 };
  world.record.start();
  const advance = (seconds) => world.advance(seconds, time);
  const check = () => {
    const { steps, difference } = cairn.replay(world.record.stop());
    world.record.start();
    return { steps, difference }; // null: every step was the same
  };
  const actions = {
    '¼ ×': () => (time.speed = 0.25),
    '1 ×': () => (time.speed = 1),
    'Stop time': () => (time.speed = 0),
  };
  return { world, tower, time, advance, check, actions };
}
