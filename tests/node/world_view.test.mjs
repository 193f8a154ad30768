// What a WorldView paints bodies with, frame by frame.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Color } from 'three';
import { WorldView } from '../../web/three.js';
import { getCairn } from './helpers.mjs';

const box = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };

/** Colours of the instances, hexadecimal. @param {WorldView} view */
function coloursOf(view) {
  return view.children.flatMap((mesh) =>
    Array.from({ length: mesh.count }, (_, i) =>
      new Color().fromArray(mesh.instanceColor.array, 3 * i).getHex(),
    ),
  );
}

test('bodies are painted as asked in each frame, and keep their own colour otherwise', async () => {
  const world = (await getCairn()).createWorld();
  const bodies = [0, 2, 4].map((x) =>
    world.createBody({ position: [x, 0, 0], geometries: [{ shape: box }] }),
  );
  const paints = new Map();
  const view = new WorldView(world, {
    appearance: () => ({ color: 0x112233 }),
    paint: (row) => paints.get(row) ?? -1,
  });
  view.update();
  assert.deepEqual(coloursOf(view), [0x112233, 0x112233, 0x112233]);
  paints.set(bodies[1].index, 0xff0000);
  view.update();
  assert.deepEqual(coloursOf(view), [0x112233, 0xff0000, 0x112233]);
  const [mesh] = view.children;
  const { version } = mesh.instanceColor;
  view.update();
  assert.equal(mesh.instanceColor.version, version, 'what does not change is not sent again');
  paints.clear();
  paints.set(bodies[2].index, 0x00ff00);
  view.update();
  assert.deepEqual(coloursOf(view), [0x112233, 0x112233, 0x00ff00]);
  view.refresh();
  view.update();
  assert.deepEqual(coloursOf(view), [0x112233, 0x112233, 0x00ff00]);
  view.dispose();
  world.dispose();
});
