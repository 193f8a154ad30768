// A truck with a thousand rocks, for tests and timings of adaptive merging.

import { makeRock } from '../../demo/scene_parts.mjs';

const ROCK = { count: 14, size: 0.15, bumps: 0.3 };

/** A kinematic flatbed with boards at 8 m/s, and rocks over it that fall into it. @param {any} cairn */
export function makeTruck(cairn) {
  const world = cairn.createWorld({ sleep: false, mergeSplit: true });
  const stone = world.createMaterial({});
  world.createContactMaterial({ materials: [stone, stone], friction: 0.5, restitution: 0 });
  const part = (halfExtents, position) => ({
    shape: { type: 'box', halfExtents },
    position,
    material: stone,
  });
  const velocity = [8, 0, 0];
  const bed = world.createBody({
    motion: 'kinematic',
    position: [0, 0, 1],
    velocity,
    geometries: [
      part([6, 1.25, 0.1], [0, 0, 0]),
      part([6, 0.05, 0.6], [0, 1.3, 0.5]),
      part([6, 0.05, 0.6], [0, -1.3, 0.5]),
      part([0.05, 1.25, 0.6], [6.05, 0, 0.5]),
      part([0.05, 1.25, 0.6], [-6.05, 0, 0.5]),
    ],
  });
  const shapes = Array.from({ length: 8 }, (_, kind) =>
    world.createShape({ type: 'convex', points: makeRock(kind, ROCK) }),
  );
  const rocks = Array.from({ length: 1000 }, (_, k) => {
    const [layer, i, j] = [Math.floor(k / 180), k % 30, Math.floor((k % 180) / 30)];
    return world.createBody({
      position: [-5.6 + 0.386 * i, -1 + 0.4 * j, 1.4 + 0.4 * layer],
      velocity,
      geometries: [{ shape: shapes[k % 8], material: stone }],
    });
  });
  return { world, bed, rocks };
}
