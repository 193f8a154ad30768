import { load } from 'cairn-physics';

export async function takeFirstStep() {
  const cairn = await load();
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const sphere = { shape: { type: 'sphere', radius: 0.5 } };
  const ball = world.createBody({ position: [0, 0, 5], geometries: [sphere] });
  world.step();
  return -ball.getVelocity()[2];
}
