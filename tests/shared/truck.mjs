// A truck with a thousand rocks, for tests and timings of adaptive merging.

/** Points of a rock about the origin, of 0.15 m or so. @param {number} kind */
function makeRock(kind) {
  return Array.from({ length: 14 }, (_, i) => {
    const z = 1 - (2 * (i + 0.5)) / 14;
    const ring = Math.sqrt(1 - z * z);
    const size = 0.15 * (0.8 + 0.3 * Math.abs(Math.sin(7.3 * (kind + 1) * (i + 1))));
    const [x, y] = [Math.cos(2.399963 * i), Math.sin(2.399963 * i)];
    return [1.15 * size * ring * x, size * ring * y, 0.85 * size * z];
  });
}

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
    world.createShape({ type: 'convex', points: makeRock(kind) }),
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
