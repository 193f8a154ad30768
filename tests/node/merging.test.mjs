// Merging as the JavaScript layer and scenes have it: who hears of it, and who may refuse.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, refuses } from './helpers.mjs';

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

test('options and scenes say what may merge, of bodies, geometries and constraints', async () => {
  const cairn = await getCairn();
  const scene = cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    world: { mergeSplit: { enabled: true } },
    geometries: [{ shape: { type: 'plane', normal: [0, 0, 1], d: 0 } }],
    bodies: [
      { name: 'free', position: [0, 0, 0.25], geometries: [{ shape: box }] },
      { name: 'body', position: [2, 0, 0.25], mergeSplit: { merge: false }, geometries: [{ shape: box }] },
      { name: 'surface', position: [4, 0, 0.25], geometries: [{ shape: box, mergeSplit: { merge: false } }] },
      { name: 'hung', position: [6, 0, 3], geometries: [{ shape: box }] },
      { name: 'held', position: [8, 0, 3], geometries: [{ shape: box, mergeSplit: { split: false } }] },
    ],
    constraints: [
      { name: 'refuses', type: 'lock', bodies: ['hung', null], mergeSplit: { merge: false } },
      { name: 'holds', type: 'lock', bodies: ['held', null], mergeSplit: { split: false } },
    ],
  });
  const { world } = scene;
  const isMerged = (name) => scene.findBody(name).merged;
  for (let step = 0; step < 30; ++step) scene.step();
  assert.deepEqual(['free', 'body', 'surface', 'hung', 'held'].map(isMerged), [
    true,
    false,
    false,
    false,
    true,
  ]);
  const { mergeable, splittable } = scene.findConstraint('holds');
  assert.deepEqual([mergeable, splittable, scene.findConstraint('refuses').mergeable], [true, false, false]);
  const [surface] = scene.findBody('held').geometries();
  assert.deepEqual([surface.mergeable, surface.splittable], [true, false]);

  const late = world.createBody({
    position: [10, 0, 0.25],
    splittable: false,
    geometries: [{ shape: box, mergeable: false }],
  });
  for (let step = 0; step < 30; ++step) scene.step();
  assert.ok(!late.merged && late.mergeable && !late.splittable);
  const [refusing] = late.geometries();
  assert.ok(!refusing.mergeable);
  refusing.mergeable = true;
  for (let step = 0; step < 30; ++step) scene.step();
  assert.ok(late.merged);
  refusing.mergeable = false;
  scene.step();
  assert.ok(!late.merged);
  scene.dispose();
});
