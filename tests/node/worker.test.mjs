// The engine in a worker: the same interface with promises where an answer is needed, and columns that are
// read without asking, whole and of one step.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Euler, Quaternion, Vector3 } from 'three';
import * as engine from '../../web/index.node.js';
import { makers } from '../../web/worker/client.js';
import { loadInWorker } from '../../web/worker.node.js';
import { Server } from '../../web/worker/server.js';
import { getCairn } from './helpers.mjs';

/** Modules that a test has loaded. @type {{ dispose(): Promise<void> }[]} */
const loaded = [];
after(() => Promise.all(loaded.map((cairn) => cairn.dispose())));

/** @param {object} [options] */
async function loadRemote(options = {}) {
  const cairn = await loadInWorker({ threads: 1, ...options });
  loaded.push(cairn);
  return cairn;
}

/** A worker with functions of its own. @param {{ isolated?: boolean }} [options] */
const makeWorker = ({ isolated = true } = {}) =>
  new Worker(new URL('./worker_functions.mjs', import.meta.url), { workerData: { isolated } });

/** A slope of boxes and balls: the same in a page and in a worker. @param {any} world */
function fill(world) {
  const rough = world.createMaterial({ density: 700, friction: 0.6 });
  world.createGeometry({ shape: { type: 'plane', normal: [0.1, 0, 1] }, material: rough });
  const bodies = [];
  for (let i = 0; i < 20; ++i) {
    const shape =
      i % 2 ? { type: 'box', halfExtents: [0.3, 0.2, 0.1] } : { type: 'sphere', radius: 0.2 + 0.01 * i };
    const position = [0.1 * (i % 3), 0.05 * i, 0.5 + 0.4 * i];
    bodies.push(world.createBody({ position, geometries: [{ shape, material: rough }] }));
  }
  world.createConstraint({ type: 'ball', bodies: [bodies[3], bodies[4]] });
  return bodies;
}

test('a world in a worker does what it does beside its caller, to the bit', async () => {
  const here = (await getCairn('st')).createWorld();
  const there = (await loadRemote()).createWorld();
  const bodies = fill(here);
  const remotes = fill(there);
  bodies[0].setVelocity([1, 2, 3]);
  remotes[0].setVelocity([1, 2, 3]);
  for (let i = 0; i < 100; ++i) {
    here.step();
    there.step();
  }
  assert.equal(await there.hash(), here.hash());
  assert.deepEqual(await remotes[5].getPosition(), bodies[5].getPosition());
  assert.equal(await there.kineticEnergy, here.kineticEnergy);
  here.dispose();
});

test('whatever makes an object gives it at once', () => {
  for (const Class of Object.values(engine)) {
    if (typeof Class !== 'function' || !/^class\b/.test(String(Class))) continue;
    for (const method of Object.getOwnPropertyNames(Class.prototype)) {
      const mayMake = /^(create|open)[A-Z]|^(loadScene|restoreWorld|addEdge|add(Break|Guard|Merge)Listener)$/;
      if (!mayMake.test(method)) continue;
      assert.ok(makers[Class.name]?.[method], `${Class.name}.${method} is not among the makers`);
    }
  }
});

test('userData that is given with what is made is the page’s own', async () => {
  const world = (await loadRemote()).createWorld();
  const picture = { draw: () => 'drawn' };
  const body = world.createBody({ mass: 1, name: 'crate', userData: picture });
  assert.equal(body.userData, picture);
  assert.equal(await world.findBody('crate'), body);
  assert.equal(body.userData.draw(), 'drawn');
});

test('vectors of other libraries arrive whole', async () => {
  const world = (await loadRemote()).createWorld();
  const body = world.createBody({ position: new Vector3(1, 2, 3), rotation: new Quaternion(0, 0, 1, 0) });
  assert.deepEqual(await body.getPosition(), [1, 2, 3]);
  assert.deepEqual(await body.getRotation(), [0, 0, 1, 0]);
  await assert.rejects(body.setPosition(new Euler(1, 2, 3)), { code: 'WRONG_TYPE' });
});

test('objects are the same objects, in what is asked and in what comes back', async () => {
  const world = (await loadRemote()).createWorld();
  const [first, second] = fill(world);
  first.userData = 'the first';
  assert.equal(await world.bodyAt(0), first);
  assert.equal((await world.bodies())[1], second);
  assert.equal(await second.world, world);
  assert.equal((await world.bodyAt(0)).userData, 'the first');
  assert.equal(await world.bodyAt(100), null);
  const [geometry] = await second.geometries();
  assert.equal(await geometry.body, second);
  const hit = await world.castRay([0, 0, 100], [0, 0, -200]);
  assert.ok(hit.body === null || typeof (await hit.body.mass) === 'number');
});

test('what is filled in the worker is filled in the page', async () => {
  const world = (await loadRemote()).createWorld();
  const body = world.createBody({ position: [1, 2, 3], mass: 4 });
  for (const out of [new Float64Array(3), new Float32Array(3), [0, 0, 0]]) {
    assert.equal(await body.getPosition(out), out);
    assert.deepEqual([...out], [1, 2, 3]);
  }
  const counters = { bodies: 0 };
  await world.step();
  assert.equal(await world.getCounters(counters), counters);
  assert.equal(counters.bodies, 1);
});

test('properties are read by promises, and set by assignment or by set()', async () => {
  const world = (await loadRemote()).createWorld();
  const body = world.createBody({ mass: 4 });
  body.mass = 5;
  assert.equal(await body.mass, 5);
  await body.set({ mass: 6, enabled: false });
  assert.deepEqual([await body.mass, await body.enabled], [6, false]);
  await assert.rejects(body.set({ mass: -1 }), { name: 'CairnError', code: 'OUT_OF_RANGE' });
  assert.throws(() => {
    body.colour = 'red';
  }, TypeError);
});

test('errors come with all that they say, and nothing is harmed', async () => {
  const cairn = await loadRemote();
  const world = cairn.createWorld();
  const body = world.createBody({ mass: 1 });
  const before = await world.hash();
  await assert.rejects(body.setVelocity([1, NaN, 0]), {
    name: 'CairnError',
    code: 'NOT_FINITE',
    call: 'body.setVelocity',
    argument: 'velocity[1]',
    message: /^body\.setVelocity: velocity\[1\] is NaN, allowed are finite numbers/,
  });
  const broken = world.createBody({ position: [Infinity, 0, 0] });
  await Promise.all([
    assert.rejects(broken.ready, { code: 'NOT_FINITE', call: 'world.createBody' }),
    assert.rejects(broken.getPosition(), { code: 'NOT_FINITE', call: 'world.createBody' }),
  ]);
  const other = (await loadRemote()).createWorld().createBody({ mass: 1 });
  await assert.rejects(world.createContactReader(other).ready, { code: 'WRONG_TYPE' });
  await assert.rejects(world.advance(1 / 60, { beforeStep: () => {} }), { code: 'NOT_SUPPORTED_YET' });
  await assert.rejects(body.setVelocity(Symbol('up')), { code: 'WRONG_TYPE', message: /cannot be sent/ });
  const unsent = world.createBody({ position: Symbol('up') });
  await assert.rejects(unsent.ready, { code: 'WRONG_TYPE', message: /cannot be sent/ });
  await assert.rejects(unsent.getPosition(), { code: 'STALE_HANDLE', message: /never made/ });
  assert.equal(await world.hash(), before);
  world.dispose();
  await assert.rejects(body.getPosition(), { code: 'STALE_HANDLE' });
});

test('a mirror shows the columns as they were after the last step', async () => {
  for (const isolated of [true, false]) {
    const cairn = await loadRemote({ worker: makeWorker({ isolated }) });
    const world = cairn.createWorld();
    const mirror = world.createMirror({ bodies: ['position', 'mass'], contacts: ['normalForce'] });
    assert.equal(mirror.columns.bodies.rows, 0);
    assert.equal(mirror.columns.bodies.position.length, 0);
    const [, , third] = fill(world);
    // more than there was room for at first
    const crates = world.createBodies({ count: 500, body: { position: [50, 0, 1], mass: 3 } });
    assert.equal(await crates.length, 500);
    for (let i = 0; i < 40; ++i) await world.step();
    assert.equal(mirror.update(), true);
    assert.equal(mirror.update(), false);
    assert.equal(mirror.stepCount, 40);
    assert.ok(Math.abs(mirror.time - 40 / 60) < 1e-12);
    const { bodies, contacts } = mirror.columns;
    assert.equal(bodies.rows, 520);
    assert.deepEqual([...bodies.position.subarray(6, 9)], await third.getPosition());
    assert.equal(bodies.mass[519], 3);
    assert.ok(contacts.rows > 0 && contacts.normalForce.length >= contacts.rows);
    // it stays while the world goes on
    const kept = [...bodies.position.subarray(0, 60)];
    for (let i = 0; i < 10; ++i) await world.step();
    assert.deepEqual([...bodies.position.subarray(0, 60)], kept);
    assert.equal(mirror.update(), true);
    assert.notDeepEqual([...bodies.position.subarray(0, 60)], kept);
  }
});

test('a mirror that was disposed is written no more, and is empty', async () => {
  for (const isolated of [true, false]) {
    const world = (await loadRemote({ worker: makeWorker({ isolated }) })).createWorld();
    world.createBody({ mass: 1 });
    const mirrors = [world.createMirror(), world.createMirror()];
    await world.step();
    assert.deepEqual(
      mirrors.map((mirror) => mirror.update()),
      [true, true],
    );
    mirrors[0].dispose();
    mirrors[0].dispose();
    await world.step();
    assert.deepEqual(
      mirrors.map((mirror) => mirror.update()),
      [false, true],
    );
    assert.deepEqual([mirrors[0].columns.bodies.rows, mirrors[0].time], [0, 0]);
    assert.equal(mirrors[1].columns.bodies.rows, 1);
  }
});

test('a mirror is never half of one step and half of another', async () => {
  const cairn = await loadRemote({ worker: makeWorker() });
  const { world, bodies } = await cairn.run('drive', 200);
  const mirror = world.createMirror({ bodies: ['position'] });
  await mirror.ready;
  const running = cairn.run('stepOn', world, 3000);
  let states = 0;
  let isRunning = true;
  running.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!mirror.update()) continue;
    states += 1;
    const { position, rows } = mirror.columns.bodies;
    assert.equal(rows, bodies);
    // all go by 1 m/s
    for (let row = 1; row < rows; ++row) assert.equal(position[3 * row], position[0]);
    assert.ok(Math.abs(position[0] - mirror.time) < 1e-9);
  }
  assert.ok(states > 10, `${states} states were seen`);
});

test('wrong tables and columns of a mirror are errors that list those that there are', async () => {
  const world = (await loadRemote()).createWorld();
  await assert.rejects(world.createMirror({ boddies: ['position'] }).ready, /allowed are the tables bodies/);
  await assert.rejects(world.createMirror({ bodies: ['positon'] }).ready, { code: 'UNKNOWN_NAME' });
});

test('what a page advances by while a step takes long adds up and never queues', async () => {
  const world = (await loadRemote()).createWorld();
  const counts = await Promise.all(Array.from({ length: 100 }, () => world.advance(1 / 60)));
  // the first is one step; the 99 that came meanwhile are one call, which does at most 4
  assert.equal(counts[0], 1);
  assert.ok(counts.slice(1).every((count) => count === 4));
  assert.equal(await world.stepCount, 5);
  assert.equal(await world.advance(1 / 60), 1);
  await assert.rejects(world.advance('1'), { code: 'WRONG_TYPE' });
});

test('listeners that need not answer are told in the page', async () => {
  const world = (await loadRemote()).createWorld();
  const lamp = world.createBody({ mass: 1000 });
  const chain = world.createConstraint({ type: 'lock', bodies: [lamp, null], breakForce: 100 });
  const broken = [];
  const listener = await world.addBreakListener((constraint) => broken.push(constraint));
  for (let i = 0; i < 3; ++i) await world.step();
  assert.equal(broken.length, 1);
  assert.equal(broken[0], chain);
  assert.equal(await chain.isValid, true);
  await listener.remove();
  assert.equal(await listener.isActive, false);
});

test('events come to the page, with its own objects, until they are unsubscribed', async () => {
  const world = (await loadRemote()).createWorld();
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const ball = world.createBody({
    position: [0, 0, 1],
    geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
  });
  const impacts = [];
  const stop = await world.on('impact', (event) => impacts.push(event), { minSpeed: 0.5 });
  const starts = [];
  const onStart = (event) => starts.push(event);
  await ball.on('contactstart', onStart);
  for (let i = 0; i < 40; ++i) await world.step();
  assert.equal(starts[0].type, 'contactstart');
  assert.equal(starts[0].body1, ball);
  assert.equal(starts[0].geometry2, ground);
  assert.ok(impacts.length >= 1);
  const [{ approachSpeed, impulse }] = impacts;
  // a fall of half a metre: 3.13 m/s, all of whose momentum the ground takes, or more where it bounces
  assert.ok(Math.abs(approachSpeed - Math.sqrt(2 * 9.80665 * 0.5)) < 0.2, `${approachSpeed} m/s`);
  assert.ok(impulse >= 0.9 * approachSpeed * (await ball.mass), `${impulse} N s`);
  await stop();
  await ball.off('contactstart', onStart);
  const before = impacts.length + starts.length;
  await ball.setPosition([0, 0, 1]);
  for (let i = 0; i < 40; ++i) await world.step();
  assert.equal(impacts.length + starts.length, before);
});

test("a worker's own functions are run from the page", async () => {
  const cairn = await loadRemote({ worker: makeWorker() });
  assert.equal(await cairn.run('add', 1, 2), 3);
  assert.equal(await cairn.run('later', 5), 5);
  const { world, body } = await cairn.run('build', 3);
  assert.equal(await body.mass, 3);
  assert.equal(await cairn.run('countBodies', world), 1);
  await assert.rejects(cairn.run('nothing'), { code: 'UNKNOWN_NAME', message: /allowed are add, / });
  await assert.rejects(cairn.run('fail'), { message: 'it cannot' });
});

test('dispose() ends the worker, and what waits or comes later is rejected', async () => {
  const cairn = await loadInWorker({ threads: 1 });
  const world = cairn.createWorld();
  const waiting = world.steps(1000);
  await Promise.all([cairn.dispose(), waiting]);
  await assert.rejects(world.step(), { code: 'STALE_HANDLE', message: 'cairn: cairn was disposed' });
});

test('the files may be elsewhere, by addresses, in hand and by a function of the page', async () => {
  const url = new URL('../../web/dist/cairn.st.wasm', import.meta.url);
  const asked = [];
  const locateFile = (/** @type {string} */ name) => {
    asked.push(name);
    return name === 'cairn.st.wasm' ? url : undefined;
  };
  for (const options of [{ wasmUrl: url }, { wasmBinary: readFileSync(url) }, { locateFile }]) {
    const cairn = await loadRemote(options);
    await cairn.createWorld().step();
    assert.equal(cairn.flavour, 'st');
  }
  assert.ok(asked.includes('cairn.st.wasm'));
  const missing = { code: 'LOAD_FAILED', message: /nothing\.wasm cannot be read: ENOENT/ };
  await assert.rejects(loadInWorker({ wasmUrl: new URL('nothing.wasm', url) }), missing);
  const nowhere = loadInWorker({ threads: 1, locateFile: () => new URL('nothing.wasm', url) });
  await assert.rejects(nowhere, missing);
  await assert.rejects(loadInWorker(/** @type {any} */ ({ locateFile: '/files/' })), { code: 'WRONG_TYPE' });
});

test('wrong options, and a worker that fails, are errors', async () => {
  await assert.rejects(loadInWorker({ threads: 33 }), { code: 'OUT_OF_RANGE', argument: 'options.threads' });
  const bad = new Worker('throw new Error("no script")', { eval: true });
  await assert.rejects(loadInWorker({ worker: bad }), { code: 'LOAD_FAILED', message: /no script/ });
  const silent = new Worker('', { eval: true });
  await assert.rejects(loadInWorker({ worker: silent }), { code: 'LOAD_FAILED', message: /ended/ });
});

test('objects that the page has let go are let go by the worker, unless they were sent once more', async () => {
  const cairn = await getCairn('st');
  const world = cairn.createWorld();
  const body = world.createBody({ mass: 1 });
  /** @type {any[]} */
  const sent = [];
  const server = new Server({ post: (message) => sent.push(message), listen: () => {} }, {});
  server.start(cairn, []);
  const numberOf = (reply) => reply.answers[0][2].$cairn[1];
  server.receive({ calls: [[1, 0, 'call', 'createWorld', [], -1]] });
  server.receive({ calls: [[2, -1, 'call', 'createBody', [{ mass: 2 }], -2]] });
  server.receive({ calls: [[3, -1, 'call', 'createBody', [{ mass: 2 }], 0]] });
  const number = numberOf(sent.at(-1));
  server.receive({ calls: [[4, -1, 'call', 'bodyAt', [1], 0]] });
  assert.equal(numberOf(sent.at(-1)), number);
  // it was sent twice: once received is not all
  server.receive({ released: [[number, 1]] });
  server.receive({ calls: [[5, number, 'get', 'mass', [], 0]] });
  assert.equal(sent.at(-1).answers[0][2], 2);
  server.receive({ released: [[number, 2]] });
  server.receive({ calls: [[6, -1, 'call', 'bodyAt', [1], 0]] });
  assert.notEqual(numberOf(sent.at(-1)), number);
  assert.equal(body.mass, 1);
  world.dispose();
});
