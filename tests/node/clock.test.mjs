// Time that advance() drops is told: by world.droppedTime in every call, on the console where it goes on.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { getCairn, near, readScene, refuses } from './helpers.mjs';

/** What a task writes to the console as warnings. */
function warningsOf(task) {
  const warn = mock.method(console, 'warn', () => {});
  try {
    task();
  } finally {
    warn.mock.restore();
  }
  return warn.mock.calls.map(({ arguments: [text] }) => text);
}

test('droppedTime tells what the last advance left out', async () => {
  const world = (await getCairn()).createWorld({ timeStep: 0.01 });
  assert.equal(world.droppedTime, 0);
  assert.equal(world.advance(0.025), 2);
  assert.equal(world.droppedTime, 0);
  assert.equal(world.advance(0.1), 4);
  near(world.droppedTime, 0.065, 1e-12); // with the half step that was left
  assert.equal(world.alpha, 0);
  world.advance(0.01);
  assert.equal(world.droppedTime, 0);

  // of the world's own time, at a speed
  world.advance(0.1, { speed: 2, maxSteps: 5 });
  near(world.droppedTime, 0.15, 1e-12);
  world.step();
  assert.equal(world.droppedTime, 0);
  refuses(() => (world.droppedTime = 0), { code: 'READ_ONLY' });
  world.dispose();
  refuses(() => world.droppedTime, { code: 'STALE_HANDLE' });
});

test('eight times as fast at four steps a call is told once', async () => {
  const world = (await getCairn()).createWorld();
  const eightfold = (count) => () => {
    for (let i = 0; i < count; ++i) world.advance(8 * world.timeStep);
  };
  assert.deepEqual(warningsOf(eightfold(9)), []); // as after a page was hidden
  const warnings = warningsOf(eightfold(40));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /^world\.advance drops time in call after call, 0\.0667 s beyond the 4 steps /);
  assert.match(warnings[0], /world\.droppedTime.*\{ speed \}.*\{ maxSteps \}/);

  // asked for as it should be nothing is lost
  const other = (await getCairn()).createWorld();
  const asked = warningsOf(() => {
    for (let i = 0; i < 40; ++i) assert.equal(other.advance(other.timeStep, { speed: 8 }), 8);
  });
  assert.deepEqual(asked, []);
  world.dispose();
  other.dispose();
});

/** @type {[string, (cairn: any) => any, (object: any) => void][]} */
const stepsByHand = [
  ['world.step', (cairn) => cairn.createWorld(), (world) => world.step()],
  ['world.steps', (cairn) => cairn.createWorld(), (world) => world.steps(2)],
  ['scene.step', (cairn) => cairn.loadScene(readScene('incline')), (scene) => scene.step()],
  ['scene.steps', (cairn) => cairn.loadScene(readScene('incline')), (scene) => scene.steps(2)],
  ['scene.world.step', (cairn) => cairn.loadScene(readScene('incline')), ({ world }) => world.step()],
];

for (const [name, make, stepByHand] of stepsByHand) {
  test(`${name} drops what was left of advance's time, unless it is refused`, async () => {
    const object = make(await getCairn());
    const world = object.world ?? object;
    const { timeStep } = world;
    assert.equal(object.advance(1.75 * timeStep), 1);
    near(world.alpha, 0.75, 1e-9);
    const massless = world.createBody();
    refuses(() => stepByHand(object), { argument: 'body.mass', call: name.replace('scene.world', 'world') });
    near(world.alpha, 0.75, 1e-9);
    massless.destroy();

    stepByHand(object);
    assert.equal(world.alpha, 1);
    assert.equal(object.advance(0.5 * timeStep), 0, 'nothing of 0.75 is left');
    near(world.alpha, 0.5, 1e-9);
    const beforeStep = () => refuses(() => stepByHand(object), { code: 'WRONG_PHASE' });
    assert.equal(object.advance(1.1 * timeStep, { beforeStep }), 1);
    assert.equal(object.advance(0.5 * timeStep), 1, '0.6 was left');
    world.dispose();
  });
}

test('a drop now and then is told to nobody', async () => {
  const world = (await getCairn()).createWorld();
  const warnings = warningsOf(() => {
    for (let i = 0; i < 60; ++i) world.advance(i % 3 === 0 ? 0.2 : 1 / 60);
    world.advance(30, { maxSteps: 4000 }); // long, and nothing dropped
    for (let i = 0; i < 5; ++i) world.advance(30, { maxSteps: 4000 });
  });
  assert.deepEqual(warnings, []);
  world.dispose();
});

test('milliseconds are taken for what they are', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const frames = (object, count) => () => {
    for (let i = 0; i < count; ++i) object.advance(16.7);
  };
  assert.deepEqual(warningsOf(frames(world, 2)), []);
  const warnings = warningsOf(frames(world, 20));
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0],
    /: 16\.7 s are more than a frame takes: milliseconds are to be divided by 1000\.$/,
  );

  const scene = cairn.loadScene(readScene('incline'));
  const [ofScene] = warningsOf(frames(scene, 3));
  assert.match(ofScene, /^scene\.advance drops time/);
  world.dispose();
  scene.dispose();
});
