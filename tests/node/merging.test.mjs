// Merging as the JavaScript layer has it: who hears of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, refuses } from './helpers.mjs';

const box = { type: 'box', halfExtents: [0.25, 0.25, 0.25] };

for (const [flavour, getModule] of flavours) {
  test(`listeners hear who merges and splits, by calls and by itself (${flavour})`, async () => {
    const cairn = await getModule();
    const world = cairn.createWorld({ sleep: false, mergeSplit: true });
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const tower = [0, 1, 2].map((i) =>
      world.createBody({ position: [0, 0, 0.25 + 0.5 * i], geometries: [{ shape: box }] }),
    );
    const flying = [5, 7].map((x) =>
      world.createBody({ position: [x, 0, 50], geometries: [{ shape: box }] }),
    );
    const heard = [];
    const deaf = world.addMergeListener(() => assert.fail('removed'));
    deaf.remove();
    const listener = world.addMergeListener((change) => {
      heard.push(change);
      refuses(() => world.step(), { code: 'WRONG_PHASE', argument: 'world' });
    });
    refuses(() => world.addMergeListener({}), { code: 'WRONG_TYPE', argument: 'onMerge' });

    const merged = world.createMergedBody({ bodies: flying });
    assert.equal(heard.length, 0, 'nothing before a step');
    world.step();
    assert.deepEqual(
      heard.splice(0),
      flying.map((body) => ({ body, from: null, to: merged })),
    );

    world.steps(30);
    const ground = tower[0].mergedBody;
    assert.ok(ground.getProperties().adaptive);
    assert.deepEqual(heard.map(({ body }) => body).sort(byRow), tower);
    assert.ok(heard.splice(0).every(({ from, to }) => from === null && to === ground));

    tower[2].setVelocity([0, 0, 1]); // which splits what it touches, too
    world.step();
    assert.deepEqual(
      heard.splice(0),
      [tower[1], tower[2]].map((body) => ({ body, from: ground, to: null })),
    );

    merged.destroy();
    flying[0].destroy(); // who is gone is not told of
    world.step();
    assert.deepEqual(
      heard.map(({ body, to }) => [body, to]),
      [[flying[1], null]],
    );
    assert.equal(heard[0].from?.isValid, false);
    listener.remove();
    world.setMergeSplit(false);
    world.step();
    assert.equal(heard.length, 1);
    world.dispose();
  });
}

function byRow(a, b) {
  return a.index - b.index;
}
