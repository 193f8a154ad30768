// Kinds of scenes beside S1 to S9: what users build, and what shows how cost grows. Names are words.
import { add, axisAngle, between, random, rotate, scale } from './math.mjs';
import { box, capsule, hull, sphere, terrain } from './shapes.mjs';

/** Stones of sixteen points, as S4 has them. */
function stones(r, count) {
  return Array.from({ length: count }, () =>
    hull(
      Array.from({ length: 16 }, () => {
        const along = [between(r, -1, 1), between(r, -1, 1), between(r, -1, 1)];
        const length = Math.hypot(...along);
        return scale(along, between(r, 0.43, 0.53) / length);
      }),
    ),
  );
}

/** Builders of the kinds, from the tools of scenes.mjs. */
export function makeKinds({ scene, slab, joint, pit, mixed, rain, hills, ragdoll }) {
  function brickWall() {
    const bodies = [slab(30)];
    for (let row = 0; row < 20; ++row)
      for (let i = 0; i < 30; ++i)
        bodies.push({
          shape: box(0.25, 0.1, 0.12),
          position: [(i - 14.5 + (row % 2) / 2) * 0.505, 0.1 + row * 0.2, 0],
        });
    bodies.push({ shape: sphere(0.5), position: [0, 1.5, 8], velocity: [0, 0, -20], density: 5000 });
    return scene({ bodies, steps: 300, measure: [] });
  }

  function dominoes() {
    const bodies = [slab(60)];
    for (let i = 0; i < 1000; ++i) {
      const turn = 0.02 * i,
        radius = 10 + 0.02 * i;
      bodies.push({
        shape: box(0.05, 0.4, 0.2),
        position: [radius * Math.cos(turn), 0.4, radius * Math.sin(turn)],
        rotation: axisAngle([0, 1, 0], -turn - Math.PI / 2),
      });
    }
    bodies[1].spin = rotate(bodies[1].rotation, [0, 0, -3]);
    return scene({ bodies, steps: 600, measure: [] });
  }

  function stacks() {
    const bodies = [slab(80)];
    for (let k = 0; k < 500; ++k)
      for (let i = 0; i < 8; ++i)
        bodies.push({
          shape: box(0.5, 0.5, 0.5),
          position: [((k % 25) - 12) * 3, i + 0.5, (Math.floor(k / 25) - 10) * 3],
        });
    return scene({ bodies, steps: 300, measure: [] });
  }

  function balls() {
    const r = random(21),
      bodies = [...pit(8, 30), ...rain(r, 8000, 20, 0.75, 1, () => sphere(between(r, 0.2, 0.35)))];
    return scene({ bodies, steps: 360, measure: [] });
  }

  function chainHeap() {
    const r = random(22),
      bodies = [...pit(4, 20)],
      joints = [];
    for (let c = 0; c < 40; ++c) {
      const first = bodies.length,
        foot = [((c % 8) - 3.5) * 0.8, 1 + Math.floor(c / 8) * 0.5, -2.5 + between(r, -0.1, 0.1)];
      for (let i = 0; i < 20; ++i) {
        bodies.push({
          shape: capsule(0.06, 0.08),
          position: add(foot, [0, 0.2 * (c % 2), 0.26 * i]),
          rotation: axisAngle([1, 0, 0], Math.PI / 2),
        });
        if (i > 0)
          joints.push(
            joint(bodies, first + i - 1, first + i, add(foot, [0, 0.2 * (c % 2), 0.26 * (i - 0.5)])),
          );
      }
    }
    return scene({ bodies, joints, steps: 360, measure: ['joints'] });
  }

  function hullsOnField() {
    const r = random(23),
      kinds = stones(r, 20),
      ground = terrain('field', 129, 0.5, hills);
    const bodies = [
      { shape: ground, position: [0, 0, 0], fixed: true },
      ...rain(r, 1000, 32, 1.2, 4, (_, i) => kinds[i % kinds.length]),
    ];
    return scene({ bodies, steps: 420, measure: ['terrain'] });
  }

  function bigAndSmall() {
    const r = random(24);
    const size = (i) => (i % 50 === 0 ? between(r, 0.8, 1.2) : between(r, 0.1, 0.15));
    const bodies = rain(r, 2000, 10, 1.3, 1.5, (_, i) => {
      const half = size(i);
      return box(half, half, half);
    });
    return scene({ bodies: [...pit(7, 40), ...bodies], steps: 420, measure: [] });
  }

  function ragdollsOnMesh() {
    const r = random(25),
      bodies = [{ shape: terrain('mesh', 129, 0.5, hills), position: [0, 0, 0], fixed: true }],
      joints = [];
    for (let i = 0; i < 80; ++i)
      ragdoll(
        bodies,
        joints,
        [((i % 10) - 4.5) * 2.5, 3, (Math.floor(i / 10) - 3.5) * 2.5],
        axisAngle([0, 1, 0], between(r, 0, 2 * Math.PI)),
      );
    return scene({ bodies, joints, steps: 480, measure: ['joints'] });
  }

  /** What lands in a pit and leaps again, half as fast. */
  function bouncing() {
    const r = random(27),
      leaps = (body) => ({ ...body, restitution: 0.5 });
    const bodies = [...pit(6, 30), ...rain(r, 2000, 12, 0.9, 1.5, mixed)];
    return scene({ bodies: bodies.map(leaps), steps: 300, measure: [] });
  }

  function singles() {
    const bodies = [slab(400)];
    for (let k = 0; k < 100000; ++k)
      bodies.push({
        shape: box(0.5, 0.5, 0.5),
        position: [((k % 317) - 158) * 2, 0.5, (Math.floor(k / 317) - 158) * 2],
      });
    return scene({ bodies, steps: 60, measure: [] });
  }

  const pile = (count) => () => {
    const r = random(26),
      side = Math.ceil(Math.cbrt(count) * 0.8);
    const bodies = [...pit(0.45 * side + 0.3, 60), ...rain(r, count, side, 0.9, 1, mixed)];
    return scene({ bodies, steps: 300, measure: [] });
  };

  return {
    brickWall,
    dominoes,
    stacks,
    balls,
    chainHeap,
    hullsOnField,
    bigAndSmall,
    ragdollsOnMesh,
    bouncing,
    singles,
    pile1000: pile(1000),
    pile2000: pile(2000),
    pile5000: pile(5000),
    pile10000: pile(10000),
    pile20000: pile(20000),
  };
}
