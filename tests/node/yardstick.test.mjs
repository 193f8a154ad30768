// A scene of the yardstick goes to a page as text and is the same scene there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenes } from '../../bench/yardstick/scenes.mjs';
import { packScene, unpackScene } from '../../bench/yardstick/transfer.mjs';

const countShapes = (/** @type {{ bodies: { shape: object }[] }} */ { bodies }) =>
  new Set(bodies.map(({ shape }) => shape)).size;

// walls, hulls, a mesh, a height field, joints, a chain that hangs along −y
for (const name of ['S1', 'S4', 'S5', 'S5h', 'S7', 'S8v']) {
  test(`${name} is the same after its way to a page`, () => {
    const scene = scenes[name]();
    const again = unpackScene(packScene(scene));
    assert.deepStrictEqual(again, scene); // which tells −0 from 0
    assert.equal(countShapes(again), countShapes(scene), 'bodies share shapes as before');
  });
}

test('a negative zero stays one', () => {
  const shape = { type: 'sphere', radius: 1 };
  const scene = { bodies: [{ shape, position: [0, -0, -1] }], joints: [{ a: 0, b: 0, anchorA: [-0, 0, 0] }] };
  const { bodies, joints } = unpackScene(packScene(scene));
  assert.ok(Object.is(bodies[0].position[1], -0) && Object.is(bodies[0].position[0], 0));
  assert.ok(Object.is(joints[0].anchorA[0], -0));
});
