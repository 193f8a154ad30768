// Filters, sensors, listeners, events, conveyors and render data through the JavaScript interface.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactEvents } from '../../web/index.node.js';
import { garbageOf, getCairn } from './helpers.mjs';

const ball = { type: 'sphere', radius: 0.3 };
const plane = { type: 'plane', normal: [0, 0, 1] };

const makeWorld = async (options) => (await getCairn('st', 1)).createWorld(options);
const repeat = (count, task) => {
  for (let i = 0; i < count; ++i) task(i);
};

/** Throws a CairnError with this code and argument. */
const refuses = (task, code, argument) =>
  assert.throws(
    task,
    (error) => error.code === code && (argument === undefined || error.argument === argument),
  );

test('groups by name are switched off and on', async () => {
  const world = await makeWorld();
  const ground = world.createGeometry({ shape: plane, groups: ['road', 7] });
  const body = world.createBody({
    position: [0, 0, 0.3],
    geometries: [{ shape: ball, groups: ['wheels'] }],
  });
  assert.ok(ground.isInGroup('road') && ground.isInGroup(7) && !ground.isInGroup('wheels'));
  world.setGroupPairEnabled('wheels', 'road', false);
  repeat(10, () => world.step());
  assert.ok(body.getPosition()[2] < 0.2);
  ground.removeGroup('road');
  body.setPosition([0, 0, 0.3]);
  body.setVelocity([0, 0, 0]);
  repeat(60, () => world.step());
  assert.ok(Math.abs(body.getPosition()[2] - 0.3) < 1e-3);
  refuses(() => world.setGroupPairEnabled('', 1, false), 'OUT_OF_RANGE', 'name');
  refuses(() => ground.addGroup(true), 'WRONG_TYPE', 'group');
  world.dispose();
});

test('a sensor tells and bears nothing; readers and events see it', async () => {
  for (const sensor of [true, 'overlapOnly']) {
    const world = await makeWorld();
    const gate = world.createGeometry({ shape: { type: 'box', halfExtents: [1, 1, 0.2] }, sensor });
    assert.equal(gate.sensor, sensor);
    const body = world.createBody({ position: [0, 0, 1], geometries: [{ shape: ball }] });
    const reader = world.createContactReader(body, gate);
    const events = [];
    const states = new Set();
    let points = 0;
    for (let i = 0; i < 60; ++i) {
      world.step();
      states.add(reader.state);
      points += reader.pointCount;
      const { contactEvents } = world.columns;
      for (let row = 0; row < contactEvents.rows; ++row) events.push(contactEvents.state[row]);
      assert.deepEqual(reader.getForce(), [0, 0, 0]);
      const cursor = world.contacts();
      while (cursor.next()) assert.ok(cursor.isSensor && !cursor.isRemoved);
    }
    assert.deepEqual(events, [1, 3]);
    assert.deepEqual([...states].sort(), ['contact', 'impact', 'none', 'separation']);
    assert.equal(points > 0, sensor === true);
    const fallen = 9.80665 / 2;
    assert.ok(Math.abs(body.getPosition()[2] - (1 - fallen)) < 1e-9);
    gate.sensor = false;
    assert.equal(gate.sensor, false);
    refuses(() => (gate.sensor = 'on'), 'WRONG_TYPE', 'sensor');
    refuses(() => world.createGeometry({ shape: ball, sensor: 1 }), 'WRONG_TYPE', 'options.sensor');
    world.dispose();
  }
});

test('listeners hear what their masks and filters say, separations first', async () => {
  const world = await makeWorld();
  const ground = world.createGeometry({ shape: plane, groups: ['floor'] });
  const first = world.createBody({ position: [0, 0, 0.31], geometries: [{ shape: ball }] });
  const second = world.createBody({ position: [2, 0, 0.31], geometries: [{ shape: ball }] });
  const heard = { all: [], first: [], floor: [], both: [], impacts: [] };
  const note = (list) => (contact) => {
    list.push(contact.state);
  };
  world.addContactListener({ onContact: note(heard.all) });
  world.addContactListener({ mask: ContactEvents.impact, onContact: note(heard.impacts) });
  world.addContactListener({
    filter: first,
    onContact(contact) {
      // seen from the filter's side
      assert.equal(contact.body1, first);
      assert.equal(contact.geometry2, ground);
      if (contact.pointCount > 0) assert.ok(contact.getNormal()[2] > 0.99);
      heard.first.push(contact.state);
    },
  });
  world.addContactListener({
    filter: { group: 'floor' },
    other: { body: second },
    onContact: note(heard.floor),
  });
  world.addContactListener({ filter: first, other: second, onContact: note(heard.both) });
  repeat(30, () => world.step());
  first.setPosition([0, 0, 9]);
  world.step();
  assert.equal(heard.impacts.length, heard.all.filter((state) => state === 'impact').length);
  assert.ok(heard.impacts.length >= 2);
  assert.equal(heard.first.at(-1), 'separation');
  assert.equal(heard.all.length, heard.first.length + heard.floor.length);
  assert.ok(heard.floor.length > 0);
  assert.equal(heard.both.length, 0);
  // the separation comes before the contact of the second ball
  assert.deepEqual(heard.all.slice(-2), ['separation', 'contact']);
  world.dispose();
});

test('answers keep and remove contacts', async () => {
  for (const [answer, hearers] of [
    [undefined, 2],
    ['keep', 2],
    ['remove', 2],
    ['removeNow', 1],
  ]) {
    const world = await makeWorld();
    world.createGeometry({ shape: plane });
    const body = world.createBody({ position: [0, 0, 0.3], geometries: [{ shape: ball }] });
    repeat(60, () => world.step());
    let calls = 0;
    const one = world.addContactListener({
      onContact() {
        calls += 1;
        return answer;
      },
    });
    const two = world.addContactListener({
      onContact() {
        calls += 1;
      },
    });
    world.step();
    assert.equal(calls, hearers);
    const cursor = world.contacts();
    assert.ok(cursor.next());
    const isKept = answer === undefined || answer === 'keep';
    assert.equal(cursor.isRemoved, !isKept);
    assert.equal(cursor.getNormalForce()[2] > 0 || cursor.getNormalForce()[2] < 0, isKept);
    assert.equal(world.getCounters().contacts, isKept ? 1 : 0);
    assert.equal(body.getVelocity()[2] < -0.1, !isKept);
    one.remove();
    two.remove();
    assert.ok(!one.isActive);
    one.remove();
    world.steps(120);
    assert.equal(calls, hearers);
    assert.ok(Math.abs(body.getPosition()[2] - 0.3) < 2e-3);
    world.dispose();
  }
});

test('steps, advance, halves and scenes all tell listeners', async () => {
  const cairn = await getCairn('st', 1);
  const scene = cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    geometries: [{ name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 } }],
    bodies: [{ name: 'b', position: [0, 0, 0.3], geometries: [{ shape: ball }] }],
    actions: [{ at: 1, body: 'b', velocity: [0, 0, 5] }],
  });
  let calls = 0;
  const listener = scene.world.addContactListener({ onContact: () => void (calls += 1) });
  scene.steps(20);
  assert.equal(calls, 20);
  scene.step();
  scene.advance(2 / 60 + 1e-9);
  assert.equal(calls, 23);
  scene.world.steps(2);
  scene.world.step();
  scene.world.advance(1 / 60 + 1e-9);
  scene.world.collide();
  assert.equal(calls, 28);
  scene.world.solve();
  scene.steps(40);
  assert.ok(scene.findBody('b').getPosition()[2] > 0.5, 'actions act');
  listener.remove();
  scene.dispose();
});

test('a listener may throw, destroy and remove itself, and may not step', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  const bodies = [0, 1, 2].map((i) =>
    world.createBody({ position: [2 * i, 0, 0.3], geometries: [{ shape: ball }] }),
  );
  repeat(30, () => world.step());
  const listener = world.addContactListener({
    onContact() {
      refuses(() => world.step(), 'WRONG_PHASE');
      refuses(() => world.solve(), 'WRONG_PHASE');
      refuses(() => world.dispose(), 'WRONG_PHASE');
      listener.remove();
      bodies[1].destroy();
      throw new RangeError('on purpose');
    },
  });
  const before = world.stepCount;
  assert.throws(() => world.step(), RangeError);
  assert.equal(world.stepCount, before + 1);
  world.step();
  for (const body of [bodies[0], bodies[2]]) {
    const weight = body.mass * 9.80665;
    const [, , z] = world.createContactReader(body).getForce();
    assert.ok(Math.abs(z / weight - 1) < 0.01);
  }
  const bad = world.addContactListener({ onContact: () => 'perhaps' });
  refuses(() => world.step(), 'WRONG_TYPE', 'answer');
  bad.remove();
  refuses(() => world.addContactListener({}), 'WRONG_TYPE', 'options.onContact');
  refuses(() => world.addContactListener({ onContact() {}, mask: 8 }), 'OUT_OF_RANGE', 'options.mask');
  refuses(
    () => world.addContactListener({ onContact() {}, filter: bodies[1] }),
    'STALE_HANDLE',
    'options.filter',
  );
  refuses(() => world.addContactListener({ onContact() {}, sides: 1 }), 'UNKNOWN_NAME', 'options.sides');
  refuses(() => world.contacts().remove(), 'WRONG_PHASE');
  world.dispose();
});

test('an impact tells place, speed and impulse', async () => {
  const world = await makeWorld({ gravity: [0, 0, 0] });
  const material = world.createMaterial();
  world.createContactMaterial({ materials: [material, material], restitution: 1, friction: [0, 0] });
  world.createGeometry({ shape: plane, material });
  const body = world.createBody({
    position: [1, 2, 1],
    velocity: [0, 0, -3],
    geometries: [{ shape: ball, material }],
  });
  for (let i = 0; i < 60; ++i) {
    world.step();
    const { contactEvents } = world.columns;
    if (contactEvents.rows > 0 && contactEvents.state[0] === 1) {
      assert.equal(world.bodyAt(Math.max(contactEvents.body1[0], contactEvents.body2[0])), body);
      assert.ok(Math.abs(contactEvents.speed[0] - 3) < 1e-6);
      assert.ok(Math.abs(contactEvents.position[0] - 1) < 1e-6);
      assert.ok(Math.abs(contactEvents.position[1] - 2) < 1e-6);
      world.dispose();
      return;
    }
  }
  assert.fail('no impact');
});

test('a conveyor carries', async () => {
  const world = await makeWorld();
  const belt = world.createGeometry({ shape: plane, surfaceVelocity: [0.5, 0, 0] });
  const body = world.createBody({
    position: [0, 0, 0.1],
    geometries: [{ shape: { type: 'box', halfExtents: [0.1, 0.1, 0.1] } }],
  });
  assert.deepEqual(belt.getSurfaceVelocity(), [0.5, 0, 0]);
  repeat(60, () => world.step());
  assert.ok(Math.abs(body.getVelocity()[0] - 0.5) < 1e-3);
  belt.setSurfaceVelocity([0, -0.2, 0]);
  repeat(60, () => world.step());
  assert.ok(Math.abs(body.getVelocity()[1] + 0.2) < 1e-3);
  refuses(() => belt.setSurfaceVelocity([0, NaN, 0]), 'NOT_FINITE');
  world.dispose();
});

test('contact reduction is a setting of the world', async () => {
  const world = await makeWorld({ contactReduction: 'all', contactReductionResolution: 5 });
  assert.equal(world.contactReduction, 'all');
  assert.equal(world.contactReductionResolution, 5);
  world.setContactReduction('none');
  assert.equal(world.contactReduction, 'none');
  assert.equal(world.contactReductionResolution, 3);
  refuses(() => world.setContactReduction('some'), 'OUT_OF_RANGE', 'mode');
  refuses(() => world.setContactReduction('all', 11), 'OUT_OF_RANGE', 'resolution');
  world.dispose();
});

test('render data stays with its shape', async () => {
  const world = await makeWorld();
  const shape = world.createShape(ball);
  assert.equal(shape.getRenderData(), null);
  const data = {
    positions: [0, 0, 0, 1, 0, 0, 0, 1, 0],
    normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]),
    indices: new Uint16Array([0, 1, 2]),
    colour: [1, 0.5, 0],
  };
  shape.setRenderData(data);
  const stored = shape.getRenderData();
  assert.deepEqual([...stored.positions], data.positions);
  assert.deepEqual([...stored.normals], [...data.normals]);
  assert.deepEqual([...stored.indices], [0, 1, 2]);
  assert.deepEqual(stored.colour, [1, 0.5, 0, 1]);
  const revision = world.columns.shapes.renderData[shape.index];
  shape.setRenderData({ positions: data.positions, indices: [2, 1, 0] });
  assert.ok(world.columns.shapes.renderData[shape.index] > revision);
  assert.equal(shape.getRenderData().normals, null);
  assert.equal(shape.getRenderData().colour, null);
  refuses(() => shape.setRenderData({ ...data, indices: [0, 1, 3] }), 'OUT_OF_RANGE', 'data.indices');
  refuses(() => shape.setRenderData({ ...data, indices: [0, 1, -1] }), 'OUT_OF_RANGE');
  refuses(() => shape.setRenderData({ ...data, positions: [0, 1] }), 'WRONG_TYPE', 'data.positions');
  refuses(() => shape.setRenderData({ ...data, normals: [0, 0, 1] }), 'WRONG_TYPE', 'data.normals');
  refuses(() => shape.setRenderData({ ...data, colour: [2, 0, 0] }), 'OUT_OF_RANGE');
  refuses(() => shape.setRenderData({ ...data, size: 1 }), 'UNKNOWN_NAME');
  shape.setRenderData(null);
  assert.equal(shape.getRenderData(), null);
  world.dispose();
});

test('listening makes no garbage', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  for (let i = 0; i < 50; ++i) world.createBody({ position: [i, 0, 0.3], geometries: [{ shape: ball }] });
  const depth = new Float64Array(1);
  const normal = new Float64Array(3);
  world.addContactListener({
    onContact(contact) {
      depth[0] += contact.depth;
      contact.getNormal(normal);
    },
  });
  const grown = await garbageOf(() => world.step());
  // 5,000 contacts: an array each is 360 kB; two numbers each, which the runtime may box, are 160 kB
  assert.ok(grown < 200_000, `${grown} bytes`);
  assert.ok(depth[0] > 0);
  world.dispose();
});

test('the three.js layer draws the mesh that a shape was given', async () => {
  const { WorldView } = await import('../../web/three.js');
  const world = await makeWorld();
  const shape = world.createShape(ball);
  world.createBody({ geometries: [{ shape }] });
  const view = new WorldView(world);
  const vertices = () => view.children[0].geometry.getAttribute('position').count;
  assert.ok(vertices() > 3);
  shape.setRenderData({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], indices: [0, 1, 2], colour: [1, 0, 0] });
  view.update();
  assert.equal(vertices(), 3);
  assert.equal(view.children[0].geometry.getAttribute('color').array[0], 1);
  shape.setRenderData(null);
  view.update();
  assert.ok(vertices() > 3);
  view.dispose();
  world.dispose();
});
