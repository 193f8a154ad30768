// Names and user data of objects.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, readScene, refuses } from './helpers.mjs';

const ball = { type: 'sphere', radius: 0.5 };

test('objects have the name and the user data that they are made with', async () => {
  const world = (await getCairn()).createWorld();
  const data = { hp: 3 };
  const body = world.createBody({
    name: 'hero',
    userData: data,
    geometries: [{ name: 'hull', userData: 'steel', shape: ball }],
  });
  const [hull] = body.geometries();
  const other = world.createBody({ mass: 1 });
  const joint = world.createConstraint({ type: 'ball', bodies: [body, other], name: 'neck', userData: 7 });
  const material = world.createMaterial({ name: 'ice', userData: [1] });
  assert.deepEqual([body.name, hull.name, joint.name, material.name], ['hero', 'hull', 'neck', 'ice']);
  assert.equal(body.userData, data);
  assert.deepEqual([hull.userData, joint.userData, material.userData], ['steel', 7, [1]]);
  assert.equal(other.name, undefined);
  assert.equal(world.findBody('hero'), body);
  assert.equal(world.findGeometry('hull'), hull);
  assert.equal(world.findConstraint('neck'), joint);

  // names of one kind alone are told apart
  body.name = 'neck';
  assert.equal(world.findBody('neck'), body);
  refuses(() => world.findBody('hero'), { code: 'UNKNOWN_NAME', reason: /"hero".*"neck"/ });
  other.name = 'hero';
  assert.equal(world.findBody('hero'), other);
  other.name = undefined;
  refuses(() => world.findBody('hero'), { code: 'UNKNOWN_NAME', call: 'world.findBody' });
  world.dispose();
});

test('a name is that of one object at a time', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ name: 'a', mass: 1, geometries: [{ name: 'g', shape: ball }] });
  const { bodies, geometries } = world.getCounters();
  refuses(() => world.createBody({ name: 'a', mass: 1 }), { code: 'NAME_TAKEN', argument: 'options.name' });
  refuses(() => world.createGeometry({ name: 'g', shape: ball }), { code: 'NAME_TAKEN' });
  refuses(() => world.createBody({ name: '' }), { code: 'WRONG_TYPE', argument: 'options.name' });
  refuses(() => world.createBody({ name: 3 }), { code: 'WRONG_TYPE', argument: 'options.name' });
  refuses(() => world.createBody({ name: 'b', geometries: [{ name: 'g', shape: ball }] }), {
    code: 'NAME_TAKEN',
  });
  assert.deepEqual([world.getCounters().bodies, world.getCounters().geometries], [bodies, geometries]);
  const b = world.createBody({ name: 'b', mass: 1 }); // the failed one left none
  refuses(() => (b.name = 'a'), { code: 'NAME_TAKEN', call: 'body.name' });
  assert.equal(b.name, 'b');
  b.name = 'b';

  // of what is gone the name is free, of its geometries too
  body.destroy();
  assert.equal(world.createBody({ name: 'a', geometries: [{ name: 'g', shape: ball }] }).name, 'a');
  refuses(() => body.name, { code: 'STALE_HANDLE' });
  world.dispose();
});

test('many names come and go', async () => {
  const world = (await getCairn()).createWorld();
  for (let i = 0; i < 1000; ++i) {
    const body = world.createBody({ name: `bullet ${i}`, geometries: [{ name: `tip ${i}`, shape: ball }] });
    assert.equal(world.findGeometry(`tip ${i}`).body, body);
    body.destroy();
  }
  refuses(() => world.findGeometry('tip 999'), { code: 'UNKNOWN_NAME', reason: /there is none with a name/ });
  world.dispose();
});

test('names live as long as their objects, through saved states', async () => {
  const world = (await getCairn()).createWorld();
  const body = world.createBody({ name: 'a', geometries: [{ shape: ball }] });
  const state = world.save();
  body.destroy();
  refuses(() => world.findBody('a'), { code: 'UNKNOWN_NAME' });
  world.restore(state);
  assert.equal(world.bodyAt(0), body);
  world.dispose();
});

test('names of a scene are those of its world', async () => {
  const cairn = await getCairn();
  const text = readScene('heavy-top-stack');
  const { bodies, geometries } = JSON.parse(text);
  for (const source of [text, new TextEncoder().encode(`\uFEFF${text}`), JSON.parse(text)]) {
    const scene = cairn.loadScene(source);
    for (const { name } of bodies.filter((item) => item.name)) {
      const body = scene.findBody(name);
      assert.equal(body.name, name);
      assert.equal(scene.world.findBody(name), body);
    }
    const named = geometries.find((item) => item.name).name;
    assert.equal(scene.world.findGeometry(named), scene.findGeometry(named));
    const first = bodies.find((item) => item.name).name;
    refuses(() => scene.world.createBody({ mass: 1, name: first }), { code: 'NAME_TAKEN' });
    scene.dispose();
  }
});
