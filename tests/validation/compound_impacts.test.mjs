// What touches in several places strikes in all of them at once: a table that falls flat comes back flat, as
// high as its restitution says, and two bodies that meet in several places share their momenta as two that
// meet in one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCairn, near } from '../node/helpers.mjs';

const GRAVITY = 9.80665;
/** Half extents, m. */
const half = { top: [0.6, 0.03, 0.4], leg: [0.03, 0.37, 0.03], cube: [0.25, 0.25, 0.25] };
const boxAt = (halfExtents, position) => ({ shape: { type: 'box', halfExtents }, position });

/** Bodies that touch a floor in several places: geometries, and how high their frame is above it then, m. */
const bodies = {
  table: {
    height: 0.37,
    geometries: [
      boxAt(half.top, [0, 0.4, 0]),
      ...[-0.55, 0.55].flatMap((x) => [-0.35, 0.35].map((z) => boxAt(half.leg, [x, 0, z]))),
    ],
  },
  'three boxes': { height: 0.25, geometries: [-0.5, 0, 0.5].map((x) => boxAt(half.cube, [x, 0, 0])) },
  dumbbell: {
    height: 0.25,
    geometries: [-0.5, 0.5].map((x) => ({ shape: { type: 'sphere', radius: 0.25 }, position: [x, 0, 0] })),
  },
};

/** A floor of triangles 0.5 m wide, whose edges lie beside the middle. */
function makeMesh() {
  const count = 12;
  const points = [];
  const triangles = [];
  for (let j = 0; j <= count; ++j)
    for (let i = 0; i <= count; ++i) points.push([0.5 * i - 2.987, 0, 0.5 * j - 2.993]);
  for (let j = 0; j < count; ++j) {
    for (let i = 0; i < count; ++i) {
      const corner = j * (count + 1) + i;
      const next = corner + count + 1;
      triangles.push([corner, next, corner + 1], [corner + 1, next, next + 1]);
    }
  }
  return { type: 'trimesh', points, triangles };
}

const floors = {
  plane: (make) => make({ shape: { type: 'plane', normal: [0, 1, 0] } }),
  box: (make) => make(boxAt([3, 0.5, 3], [0, -0.5, 0])),
  'two boxes': (make) => [-1.6, 1.6].forEach((x) => make(boxAt([1.5, 0.5, 3], [x, -0.5, 0]))),
  mesh: (make) => make({ shape: makeMesh() }),
};

const makeWorld = async (options) => (await getCairn('st', 1)).createWorld({ sleep: false, ...options });

describe('what falls flat on several feet', () => {
  for (const [name, { height, geometries }] of Object.entries(bodies)) {
    for (const [floor, makeFloor] of Object.entries(floors)) {
      it(`comes back flat: ${name} on ${floor}`, async () => {
        const world = await makeWorld({ gravity: [0, -GRAVITY, 0] });
        const material = world.createMaterial({ restitution: 0.5, friction: 0.5 });
        makeFloor((options) => world.createGeometry({ ...options, material }));
        const body = world.createBody({
          position: [0, height + 1, 0],
          geometries: geometries.map((geometry) => ({ ...geometry, material })),
        });
        let top = 0;
        let spin = 0;
        for (let step = 0, hasStruck = false; step < 75; ++step) {
          world.step();
          hasStruck ||= body.getVelocity()[1] > 0;
          if (hasStruck) top = Math.max(top, body.getPosition()[1] - height);
          if (top < 0.1) spin = Math.max(spin, Math.hypot(...body.getAngularVelocity()));
        }
        const [x, , z] = body.getPosition();
        // e² of the height it fell from, and no impulse aside
        near(top, 0.25, 2.5e-3);
        assert.ok(spin < 1e-6, `it turns at ${spin} rad/s after the blow`);
        assert.ok(Math.hypot(x, z) < 1e-6, `it is ${Math.hypot(x, z)} m aside`);
        world.dispose();
      });
    }
  }
});

describe('a linkage that falls flat', () => {
  for (const type of ['sphere', 'cylinder']) {
    it(`comes back flat: a car on four wheels, each a ${type}`, async () => {
      const world = await makeWorld({ gravity: [0, -GRAVITY, 0] });
      const material = world.createMaterial({ restitution: 0.5, friction: 0.5 });
      floors.plane((options) => world.createGeometry({ ...options, material }));
      const chassis = world.createBody({
        position: [0, 1.4, 0],
        geometries: [{ ...boxAt([1, 0.2, 0.5], [0, 0, 0]), material }],
      });
      const shape = type === 'sphere' ? { type, radius: 0.3 } : { type, radius: 0.3, height: 0.2 };
      for (const [x, z] of [-0.8, 0.8].flatMap((along) => [-0.6, 0.6].map((across) => [along, across]))) {
        const position = [x, 1.3, z];
        const rotation = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
        const wheel = world.createBody({ position, geometries: [{ shape, rotation, material }] });
        world.createConstraint({
          type: 'hinge',
          bodies: [wheel, chassis],
          anchor: position,
          axis: [0, 0, 1],
        });
      }
      let top = 0;
      let spin = 0;
      for (let step = 0, hasStruck = false; step < 70; ++step) {
        world.step();
        hasStruck ||= chassis.getVelocity()[1] > 0;
        if (hasStruck) top = Math.max(top, chassis.getPosition()[1] - 0.4);
        if (top < 0.1) spin = Math.max(spin, Math.hypot(...chassis.getAngularVelocity()));
      }
      const [x, , z] = chassis.getPosition();
      // what joints hold is struck at the pose where the step found it, up to 8 cm below the surface
      assert.ok(top > 0.19 && top < 0.251, `it comes back to ${top} m of 0.25`);
      assert.ok(spin < 0.01, `it turns at ${spin} rad/s after the blow`);
      assert.ok(Math.hypot(x, z) < 3e-3, `it is ${Math.hypot(x, z)} m aside`);
      world.dispose();
    });
  }
});

describe('two bodies that meet in several places', () => {
  for (const restitution of [0.2, 0.5, 1]) {
    it(`share their momenta as in one, e = ${restitution}`, async () => {
      const world = await makeWorld({ gravity: [0, 0, 0] });
      const material = world.createMaterial({ restitution, friction: 0.3 });
      const make = (x, velocity, mass) =>
        world.createBody({ position: [x, 0, 0], velocity: [velocity, 0, 0], mass });
      const [first, second] = [make(-1, 2, 1), make(1, -1, 3)];
      // geometries made in turns: half of the contacts name the bodies in the other order
      for (const [i, y] of [-1, 0, 1].entries()) {
        const pair = i % 2 === 0 ? [first, second] : [second, first];
        for (const body of pair)
          body.createGeometry({
            shape: { type: 'box', halfExtents: [0.3, 0.2, 0.2] },
            position: [0, y, 0],
            material,
          });
      }
      first.mass = 1;
      second.mass = 3;
      const energy = () => 0.5 * (first.getVelocity()[0] ** 2 + 3 * second.getVelocity()[0] ** 2);
      const before = energy();
      for (let step = 0; step < 60; ++step) world.step();
      const [v1] = first.getVelocity();
      const [v2] = second.getVelocity();
      near(v1 + 3 * v2, -1, 1e-9); // N s
      near(v2 - v1, 3 * restitution, 1e-6); // m/s
      assert.ok(energy() <= before * (1 + 1e-9), `${energy()} J of ${before}`);
      for (const body of [first, second]) near(body.getAngularVelocity(), [0, 0, 0], 1e-6);
      world.dispose();
    });
  }
});
