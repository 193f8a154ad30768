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

const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

/** Brakes by 5 m/s² from 8 m/s and waits; where the rocks are on the flatbed then. */
function brake({ world, bed, rocks }) {
  let speed = 8;
  let most = 0;
  for (let step = 0; step < 360; ++step) {
    speed = Math.max(0, speed - 5 / 60);
    bed.setVelocity([speed, 0, 0]);
    world.step();
    most = Math.max(most, world.getCounters().solverBodies);
  }
  const [x, y, z] = bed.getPosition();
  return { most, places: rocks.map((rock) => rock.getPosition().map((value, i) => value - [x, y, z][i])) };
}

/**
 * Lets a heap settle, brakes it, and brakes it again without merging.
 * @param {any} cairn
 * @param {number} scatter m
 * @param {(line: string) => void} tell
 * @returns shares of its rocks that end within 5 cm of where they do without merging: `near` of the merged
 *   heap, `nearAnyhow` of one that is not merged either, but of which one rock was lifted by a micrometre
 */
export function brakeHeap(cairn, scatter, tell) {
  const truck = makeTruck(cairn, scatter);
  const { world } = truck;
  const settled = settle(world);
  world.validate();
  const state = world.save();
  const start = brake(truck);
  assert.ok(start.most > 900, `only ${start.most} bodies split`);
  const left = world.getCounters().solverBodies;
  assert.ok(left < 200, `${left}`);
  world.validate();
  const brakeWithoutMerging = (shift) => {
    world.restore(state);
    world.setMergeSplit(false);
    const [x, y, z] = truck.rocks[500].getPosition();
    if (shift > 0) truck.rocks[500].setPosition([x, y, z + shift]);
    return brake(truck).places;
  };
  const expected = brakeWithoutMerging(0);
  const shareOf = (places) => {
    const gaps = expected.map((place, i) => distance(place, places[i]));
    return gaps.filter((gap) => gap < 0.05).length / gaps.length;
  };
  const near = shareOf(start.places);
  const nearAnyhow = shareOf(brakeWithoutMerging(1e-6));
  tell(
    `the solver has fewer than 20 bodies from ${settled.toFixed(1)} s on, ${left} at the end; ` +
      `${(100 * near).toFixed(1)} % of the rocks end within 5 cm of where they do without merging, ` +
      `${(100 * nearAnyhow).toFixed(1)} % without merging where one rock is lifted by 1 µm`,
  );
  world.dispose();
  return { near, nearAnyhow };
}
