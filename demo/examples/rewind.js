// A wall is knocked over, and time goes back: the last two seconds are kept, and a state saved as bytes.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const brick = { shape: { type: 'box', halfExtents: [0.5, 0.2, 0.25] } };
  for (let row = 0; row < 6; ++row) {
    for (let i = 0; i < 6; ++i) {
      world.createBody({ position: [i + (row % 2) / 2 - 2.75, 0, 0.25 + 0.5 * row], geometries: [brick] });
    }
  }
  const shape = { type: 'sphere', radius: 0.4 };
  const ball = world.createBody({ position: [0, -6, 1.5], mass: 200, geometries: [{ shape }] });
  const saved = world.save(); // a Uint8Array: put it into a file, or send it elsewhere
  world.keep(120); // and the last 120 steps stay in memory
  const shoot = () => ball.setVelocity([0, 15, 2]);
  const back = (steps = 60) => world.rewind(Math.min(steps, world.keptSteps));
  const restore = () => world.restore(saved);
  return {
    world,
    ball,
    shoot,
    back,
    restore,
    actions: { Shoot: shoot, 'Back 1 s': () => back(), Restore: restore },
  };
}
