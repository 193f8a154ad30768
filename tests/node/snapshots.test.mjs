// Snapshots from JavaScript: bytes, objects that come and go with them, the ring.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareRandomWorlds } from '../shared/snapshot_worlds.mjs';
import { flavours, getCairn, root } from './helpers.mjs';

const cairn = await getCairn();

function makePile(world) {
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const bodies = [];
  for (let i = 0; i < 12; ++i) {
    const body = world.createBody({ position: [0.1 * (i % 3), 0.07 * (i % 4), 0.6 + 0.9 * i] });
    body.createGeometry({
      shape: i % 2 ? { type: 'box', halfExtents: [0.4, 0.3, 0.4] } : { type: 'sphere', radius: 0.4 },
    });
    bodies.push(body);
  }
  world.createConstraint({ type: 'hinge', bodies: [bodies[0], bodies[1]], axis: [1, 0, 0] });
  return bodies;
}

test('a saved world goes on to the same bits in a new one and in place', () => {
  const world = cairn.createWorld();
  makePile(world);
  world.steps(40);
  const bytes = world.save();
  const position = [...world.bodyAt(3).getPosition()];
  world.steps(60);
  const hash = world.hash();
  const other = cairn.restoreWorld(bytes);
  assert.deepEqual([...other.bodyAt(3).getPosition()], position);
  assert.equal(other.columns.contacts.rows > 0, true);
  other.steps(60);
  assert.equal(other.hash(), hash);
  world.restore(bytes);
  assert.equal(world.stepCount, 40);
  world.steps(60);
  assert.equal(world.hash(), hash);
  other.dispose();
  world.dispose();
});

test('a target is written into, or is too short', () => {
  const world = cairn.createWorld();
  makePile(world);
  const bytes = world.save();
  const target = new Uint8Array(bytes.length + 10);
  const written = world.save(target);
  assert.equal(written.buffer, target.buffer);
  assert.deepEqual(written, bytes);
  assert.throws(() => world.save(new Uint8Array(10)), { code: 'OUT_OF_RANGE' });
  assert.throws(() => world.save([]), { code: 'WRONG_TYPE' });
  world.dispose();
});

test('what is no snapshot is refused and changes nothing', () => {
  const world = cairn.createWorld();
  makePile(world);
  world.steps(20);
  const bytes = world.save();
  world.steps(5);
  const hash = world.hash();
  assert.throws(() => world.restore(bytes.subarray(0, bytes.length - 1)), { code: 'SNAPSHOT' });
  const changed = bytes.slice();
  changed[bytes.length >> 1] ^= 1;
  assert.throws(() => world.restore(changed), { code: 'SNAPSHOT', message: /checksum/ });
  assert.throws(() => world.restore('bytes'), { code: 'WRONG_TYPE' });
  assert.throws(() => cairn.restoreWorld(new Uint8Array(100)), { code: 'SNAPSHOT' });
  assert.equal(world.hash(), hash);
  world.dispose();
});

test('objects live and are gone as the state says', () => {
  const world = cairn.createWorld();
  const bodies = makePile(world);
  world.steps(10);
  const bytes = world.save();
  const destroyed = bodies[5];
  destroyed.destroy();
  const late = world.createBody({ position: [0, 0, 50] });
  const later = world.createBody({ position: [0, 0, 60] });
  world.restore(bytes);
  assert.equal(world.bodyAt(destroyed.index), destroyed);
  assert.equal(typeof destroyed.mass, 'number');
  assert.throws(() => late.getPosition(), { code: 'STALE_HANDLE' });
  assert.throws(() => later.getPosition(), { code: 'STALE_HANDLE' });
  // the same calls make the same objects again
  destroyed.destroy();
  assert.equal(world.createBody({ position: [0, 0, 50] }), late);
  assert.equal(late.getPosition()[2], 50);
  world.dispose();
});

test('the ring goes back, and the same inputs lead to the same state', () => {
  const world = cairn.createWorld();
  const bodies = makePile(world);
  assert.throws(() => world.rewind(0), { code: 'OUT_OF_RANGE' });
  world.keep(20);
  const hashes = [];
  const play = (step) => {
    if (step === 25) bodies[2].setVelocity([0, 0, 9]);
    if (step === 28) world.createBody({ position: [3, 0, 3], mass: 1 });
    world.step();
  };
  for (let step = 0; step < 40; ++step) {
    play(step);
    hashes.push(world.hash());
  }
  assert.equal(world.keptSteps, 20);
  assert.ok(world.keptBytes > 20 * 10000);
  world.rewind(18);
  assert.equal(world.stepCount, 22);
  assert.equal(world.keptSteps, 2);
  for (let step = 22; step < 40; ++step) {
    play(step);
    assert.equal(world.hash(), hashes[step]);
  }
  assert.throws(() => world.rewind(21), { code: 'OUT_OF_RANGE' });
  world.dispose();
});

test('a recording plays to the same steps, with calls, columns and listeners in it', () => {
  const world = cairn.createWorld();
  const bodies = makePile(world);
  world.steps(10);
  world.record.start();
  assert.equal(world.record.isOn, true);
  world.addContactListener({ mask: 2, onContact: () => 'remove' });
  for (let step = 0; step < 30; ++step) {
    if (step === 4) bodies[3].applyForce([100, 0, 0]);
    if (step === 9)
      world
        .createBody({ position: [0, 3, 5] })
        .createGeometry({ shape: { type: 'capsule', radius: 0.2, height: 0.5 } });
    if (step === 12) bodies[1].destroy();
    world.columns.bodies.force[3 * 4 + 1] = step;
    world.step();
  }
  const recording = world.record.stop();
  assert.equal(world.record.isOn, false);
  assert.throws(() => world.record.stop(), { code: 'WRONG_PHASE' });
  assert.deepEqual(cairn.replay(recording), { steps: 30, difference: null });
  assert.throws(() => cairn.replay(recording.subarray(0, recording.length - 8)), {
    code: 'SNAPSHOT',
    message: /29 steps.*cut/,
  });
  assert.throws(() => cairn.replay(recording.subarray(16)), { code: 'SNAPSHOT' });
  world.dispose();
});

test('random worlds of the native build go on to the same bits in both modules', async () => {
  const modules = await Promise.all(flavours.map(([, getModule]) => getModule()));
  compareRandomWorlds(join(root, 'build/native-release/snapshot_worlds'), modules, 1, 6, 60);
});
