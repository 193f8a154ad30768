// Cairn's WebAssembly of one thread, through its JavaScript package.
import { load } from '../../../web/index.node.js';
import { GRAVITY, LINK_INERTIA, TIME_STEP } from '../scenes.mjs';

export const variants = { Cairn: {} };

export async function start(chain) {
  const cairn = await load({ threads: 1 });
  const world = cairn.createWorld({ gravity: GRAVITY, timeStep: TIME_STEP });
  const bodies = [];
  for (let i = 0; i < chain.count; ++i) {
    const body = world.createBody({
      position: chain.centre(i),
      rotation: chain.rotation,
      mass: chain.mass(i),
      inertia: LINK_INERTIA,
    });
    world.createConstraint({ type: 'ball', bodies: [body, bodies[i - 1] ?? null], anchor: chain.anchor(i) });
    bodies.push(body);
  }
  const position = [0, 0, 0];
  const rotation = [0, 0, 0, 1];
  return {
    version: cairn.version,
    step: () => world.step(),
    read(poses) {
      bodies.forEach((body, i) => {
        poses.set(body.getPosition(position), 7 * i);
        poses.set(body.getRotation(rotation), 7 * i + 3);
      });
    },
  };
}
