// A truck with a thousand rocks, for tests and timings of adaptive merging.

import assert from 'node:assert/strict';
import { makeRock } from '../../demo/scene_parts.mjs';

const ROCK = { count: 14, size: 0.15, bumps: 0.3 };

/**
 * A kinematic flatbed with boards at 8 m/s, and rocks over it that fall into it.
 * @param {any} cairn
 * @param {number} [scatter] m, by which each rock is shifted along the flatbed at most
 */
export function makeTruck(cairn, scatter = 0) {
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
      position: [-5.6 + 0.386 * i + scatter * Math.sin(7.7 * k), -1 + 0.4 * j, 1.4 + 0.4 * layer],
      velocity,
      geometries: [{ shape: shapes[k % 8], material: stone }],
    });
  });
  return { world, bed, rocks };
}

/** Steps until the solver has had fewer than 20 bodies for a second; from when on, s. @param {any} world */
export function settle(world) {
  let quiet = 0; // steps in a row
  for (; quiet < 60; quiet = world.getCounters().solverBodies < 20 ? quiet + 1 : 0) {
    world.step();
    assert.ok(world.time < 12, `${world.getCounters().solverBodies} bodies to solve for after 12 s`);
  }
  return world.time - 1;
}
