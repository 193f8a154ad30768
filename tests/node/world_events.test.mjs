// world.on(), body.on(), geometry.on(), constraint.on(): what is told, to whom and when, and that nothing is
// missed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { garbageOf, getCairn, near, refuses, root } from './helpers.mjs';

const g = 9.80665;
const plane = { type: 'plane', normal: [0, 0, 1] };
const ball = { type: 'sphere', radius: 0.3 };
const touchNames = ['contactstart', 'contactend', 'sensorenter', 'sensorexit'];
const allNames = [...touchNames, 'impact', 'break', 'sleep', 'wake', 'merge', 'split'];

const makeWorld = async (options) => (await getCairn('st', 1)).createWorld(options);

/** xorshift32: numbers 0…1 that are the same everywhere. */
function makeRandom(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A world whose materials bounce by as much. */
async function makeBouncy(restitution, options) {
  const world = await makeWorld(options);
  const material = world.createMaterial();
  world.createContactMaterial({ materials: [material, material], restitution, friction: [0, 0] });
  return { world, material };
}

/** All events of a world, in a list. */
function listen(world, names = allNames) {
  const list = [];
  for (const name of names) world.on(name, (event) => list.push(event));
  return list;
}

// ---- impacts ----------------------------------------------------------------------------------------------

test('the impulses of impacts are the change of momentum', async () => {
  for (const restitution of [0, 0.3, 0.9]) {
    const { world, material } = await makeBouncy(restitution, { gravity: [0, 0, 0] });
    const ground = world.createGeometry({ shape: plane, material });
    const body = world.createBody({
      position: [1, 2, 1],
      velocity: [0, 0, -3],
      geometries: [{ shape: ball, material }],
    });
    let impulse = 0;
    let count = 0;
    world.on('impact', (event) => {
      count += 1;
      impulse += event.impulse;
      near(event.approachSpeed, 3, 1e-6);
      near(event.point.slice(0, 2), [1, 2], 1e-6);
      assert.equal(new Set([event.body1, event.body2]).size, 2);
      assert.ok(event.geometry1 === ground || event.geometry2 === ground);
    });
    const before = body.mass * body.getVelocity()[2];
    world.steps(60);
    const after = body.mass * body.getVelocity()[2];
    assert.equal(count, 1);
    near(impulse / body.mass, (after - before) / body.mass, 1e-6);
    if (restitution > 0) near(impulse / body.mass, 3 * (1 + restitution), 1e-6);
    world.dispose();
  }
});

test('what meets within a step without restitution tells its whole impact, whatever solves it', async () => {
  for (const solver of ['auto', 'iterative', 'direct', 'split']) {
    const { world, material } = await makeBouncy(0, { gravity: [0, 0, -g], solver });
    world.createGeometry({ shape: plane, material });
    const body = world.createBody({
      position: [0, 0, 3.25],
      geometries: [{ shape: { type: 'box', halfExtents: [0.25, 0.25, 0.25] }, material }],
    });
    const heard = listen(world, ['impact', 'contactstart', 'contactend']);
    world.steps(100);
    const [impact, ...others] = heard.filter(({ type }) => type === 'impact');
    const speed = Math.sqrt(2 * g * 3);
    near(impact.approachSpeed / speed, 1, 0.03); // when the step began
    near(impact.impulse / (body.mass * speed), 1, 0.05);
    assert.ok(others.every(({ approachSpeed }) => approachSpeed < 0.5));
    assert.equal(heard.filter(({ type }) => type === 'contactend').length, 0);
    world.dispose();
  }
});

test('a ball that falls and bounces gets in each impact what gravity and its momentum take', async () => {
  const { world, material } = await makeBouncy(0.7);
  world.createGeometry({ shape: plane, material });
  const body = world.createBody({ position: [0, 0, 2], geometries: [{ shape: ball, material }] });
  const impacts = [];
  world.on('impact', (event) => impacts.push(event), { minSpeed: 1.2 });
  const momentum = () => body.mass * body.getVelocity()[2];
  for (let i = 0; i < 180; ++i) {
    const before = momentum();
    const heard = impacts.length;
    world.step();
    if (impacts.length === heard) continue;
    const { impulse, time, step, approachSpeed } = impacts.at(-1);
    near((momentum() - before) / body.mass, impulse / body.mass - g * world.timeStep, 1e-9);
    near(approachSpeed, -before / body.mass, 1e-9);
    assert.equal(step, world.stepCount);
    assert.equal(time, world.time);
  }
  // speeds of 5.77 m/s · 0.7ⁿ, faster than 1.2 m/s
  assert.equal(impacts.length, 5);
  world.dispose();
});

test('what touches already strikes, too: a plank that falls over', async () => {
  const world = await makeWorld();
  const material = world.createMaterial();
  world.createContactMaterial({ materials: [material, material], restitution: 0, friction: [2, 2] });
  world.createGeometry({ shape: plane, material });
  const half = 1;
  const angle = 0.1;
  const plank = world.createBody({
    position: [
      half * Math.sin(angle) - 0.02 * Math.cos(angle),
      0,
      half * Math.cos(angle) + 0.02 * Math.sin(angle),
    ],
    rotation: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
    geometries: [{ shape: { type: 'box', halfExtents: [0.02, 0.3, half] }, material }],
  });
  const events = listen(world, ['impact', 'contactstart', 'contactend']);
  for (let i = 0; i < 300; ++i) world.step();
  const slaps = events.filter(({ type, approachSpeed }) => type === 'impact' && approachSpeed > 1);
  assert.equal(slaps.length, 1);
  // about its edge: ω² = 3 g cos θ / (2 L), L its length; the end meets the ground with ω L
  const speed = Math.sqrt(3 * g * 2 * half * Math.cos(angle));
  assert.ok(Math.abs(slaps[0].approachSpeed / speed - 1) < 0.05, `${slaps[0].approachSpeed} of ${speed}`);
  assert.ok(slaps[0].point[0] > 1.8, 'at its end');
  assert.ok(slaps[0].impulse > 0.1 * plank.mass);
  world.dispose();
});

test('what rests does not strike, and minSpeed is a handler’s own', async () => {
  const { world, material } = await makeBouncy(0.5);
  world.createGeometry({ shape: plane, material });
  for (let i = 0; i < 10; ++i) {
    world.createBody({ position: [0, 0, 0.3 + 0.6 * i], geometries: [{ shape: ball, material }] });
    world.createBody({
      position: [3, 0, 0.3 + 0.6 * i],
      geometries: [{ shape: { type: 'box', halfExtents: [0.3, 0.3, 0.3] }, material }],
    });
  }
  const heard = { slow: 0, usual: 0, fast: 0 };
  world.on('impact', () => (heard.slow += 1), { minSpeed: 0 });
  world.on('impact', () => (heard.usual += 1));
  world.on('impact', () => (heard.fast += 1), { minSpeed: 2 });
  world.steps(30);
  assert.deepEqual([heard.usual, heard.fast], [0, 0]);
  const dropped = world.createBody({ position: [6, 0, 1], geometries: [{ shape: ball, material }] });
  world.steps(120);
  const top = Math.sqrt(2 * g * 0.7);
  // 3.7, 1.9, 0.93, 0.46, 0.23, 0.12 m/s
  assert.ok(heard.usual >= 4 && heard.usual <= 7, `${heard.usual} impacts`);
  assert.ok(heard.slow >= heard.usual);
  assert.equal(heard.fast, 1);
  assert.ok(top > 2 && top / 2 < 2);
  assert.ok(dropped.isValid);
  world.dispose();
});

// ---- beginnings and ends ----------------------------------------------------------------------------------

/**
 * Follows beginnings and ends: of each pair they alternate. Returns what is open, as sets of keys.
 */
function followPairs(world) {
  const numbers = new Map();
  const numberOf = (object) => {
    if (!numbers.has(object)) numbers.set(object, numbers.size);
    return numbers.get(object);
  };
  const open = { contacts: new Set(), sensors: new Set() };
  const counts = { begun: 0, ended: 0 };
  const contactKey = ({ geometry1, geometry2 }) =>
    [numberOf(geometry1), numberOf(geometry2)].sort((a, b) => a - b).join(' ');
  const sensorKey = ({ sensor, geometry }) => `${numberOf(sensor)} ${numberOf(geometry)}`;
  const begin = (set, key) => {
    assert.ok(!set.has(key), `${key} begins twice`);
    set.add(key);
    counts.begun += 1;
  };
  const end = (set, key) => {
    assert.ok(set.delete(key), `${key} ends and has not begun`);
    counts.ended += 1;
  };
  world.on('contactstart', (event) => begin(open.contacts, contactKey(event)));
  world.on('contactend', (event) => end(open.contacts, contactKey(event)));
  world.on('sensorenter', (event) => begin(open.sensors, sensorKey(event)));
  world.on('sensorexit', (event) => end(open.sensors, sensorKey(event)));

  /**
   * What the contact table says, which events are not made from unless in doubt. It has also what bears load
   * before it touches, and may never do so.
   */
  const compare = (where) => {
    const contacts = new Set();
    const sure = new Set();
    const sensors = new Set();
    const cursor = world.contacts();
    while (cursor.next()) {
      const { geometry1, geometry2, state } = cursor;
      const isGone = world.columns.contacts.pair[cursor.row] < 0;
      if (state === 'separation' || isGone || !geometry1 || !geometry2) continue;
      if (!cursor.isSensor) contacts.add(contactKey({ geometry1, geometry2 }));
      if (!cursor.isSensor && (state === 'impact' || cursor.depth > 0))
        sure.add(contactKey({ geometry1, geometry2 }));
      if (geometry1.sensor) sensors.add(sensorKey({ sensor: geometry1, geometry: geometry2 }));
      if (geometry2.sensor) sensors.add(sensorKey({ sensor: geometry2, geometry: geometry1 }));
    }
    assert.deepEqual(
      [...open.contacts].filter((key) => !contacts.has(key)),
      [],
      `${where}: do not touch`,
    );
    assert.deepEqual(
      [...sure].filter((key) => !open.contacts.has(key)),
      [],
      `${where}: touch`,
    );
    assert.deepEqual([...open.sensors].sort(), [...sensors].sort(), `${where}: sensors`);
  };
  return { open, counts, compare };
}

const shapes = [
  () => ({ shape: ball }),
  () => ({ shape: { type: 'box', halfExtents: [0.3, 0.2, 0.25] } }),
  () => ({
    shapes: [
      { shape: { type: 'sphere', radius: 0.2 }, position: [-0.4, 0, 0] },
      { shape: { type: 'sphere', radius: 0.2 }, position: [0.4, 0, 0] },
    ],
  }),
  () => ({ shape: { type: 'capsule', radius: 0.15, height: 0.5 } }),
  () => ({
    shape: {
      type: 'trimesh',
      points: [
        [0, 0, 0],
        [0.5, 0, 0],
        [0, 0.5, 0],
        [0, 0, 0.5],
      ],
      triangles: [
        [0, 2, 1],
        [0, 1, 3],
        [0, 3, 2],
        [1, 2, 3],
      ],
    },
  }),
];

/** A box of walls, with sensors in it and bodies that fly about. */
function fillRandomWorld(world, random, count) {
  for (const [normal, position] of [
    [
      [0, 0, 1],
      [0, 0, 0],
    ],
    [
      [1, 0, 0],
      [-2, 0, 0],
    ],
    [
      [-1, 0, 0],
      [2, 0, 0],
    ],
    [
      [0, 1, 0],
      [0, -2, 0],
    ],
    [
      [0, -1, 0],
      [0, 2, 0],
    ],
  ])
    world.createGeometry({ shape: { type: 'plane', normal }, position });
  world.createGeometry({
    shape: { type: 'box', halfExtents: [1, 1, 0.3] },
    position: [1, 1, 1],
    sensor: true,
  });
  world.createGeometry({
    shape: { type: 'sphere', radius: 0.8 },
    position: [-1, -1, 0.5],
    sensor: 'overlapOnly',
  });
  for (let i = 0; i < count; ++i) makeRandomBody(world, random);
}

function makeRandomBody(world, random) {
  const body = world.createBody({
    position: [3 * random() - 1.5, 3 * random() - 1.5, 0.5 + 3 * random()],
    velocity: [6 * random() - 3, 6 * random() - 3, 0],
    mass: 1 + 99 * random(), // kept when its geometries go
    geometries: [shapes[Math.floor(shapes.length * random())]()],
  });
  if (random() < 0.2)
    body.createGeometry({
      shape: { type: 'sphere', radius: 0.5 },
      sensor: random() < 0.5 ? true : 'overlapOnly',
    });
  if (random() < 0.3) body.createGeometry({ shape: { type: 'sphere', radius: 0.2 }, position: [0, 0, 0.3] });
  return body;
}

/** Something that a user might do between steps, or in a handler. */
function disturb(world, random) {
  const bodies = [...world.bodies()];
  const body = bodies[Math.floor(random() * bodies.length)];
  const geometries = [...world.geometries()];
  const geometry = geometries[Math.floor(random() * geometries.length)];
  const choice = Math.floor(10 * random());
  if (choice === 0 && bodies.length > 5) body.destroy();
  if (choice === 1) makeRandomBody(world, random);
  if (choice === 2 && geometry.body) geometry.destroy();
  if (choice === 3) body.enabled = !body.enabled;
  if (choice === 4 && geometry.body) geometry.sensor = random() < 0.5;
  if (choice === 5 && geometry.body) geometry.enabled = !geometry.enabled;
  if (choice === 6 && geometry.body) geometry.setPose([0, 0, 0.1 * random()], [0, 0, 0, 1]);
  if (choice === 7 && body.geometries().every(({ sensor }) => !sensor))
    body.motion = body.motion === 'dynamic' ? 'kinematic' : 'dynamic';
  if (choice === 8) body.setPosition([3 * random() - 1.5, 3 * random() - 1.5, 1]);
  if (choice === 9) world.setGeometryPairEnabled(geometry, geometries[0], random() < 0.5);
}

test('each beginning has one end, whatever handlers and users do', async () => {
  // 10 and 62: contacts that bear load before they touch, of pairs that were made again
  for (const seed of [1, 3, 10, 62]) {
    const random = makeRandom(1000 + seed);
    const world = await makeWorld({
      mergeSplit: seed % 2 === 0,
      sleep: seed % 3 ? { time: 0.2 } : true,
    });
    fillRandomWorld(world, random, 25);
    const { open, counts, compare } = followPairs(world);
    let toDo = 0;
    world.on('contactstart', () => {
      if (random() < 0.1) disturb(world, random);
    });
    world.on('sensorenter', () => {
      if (random() < 0.2) disturb(world, random);
    });
    for (let i = 0; i < 300; ++i) {
      if (random() < 0.3) disturb(world, random);
      // handlers change the world once the step is over: what it found is compared in steps without
      const before = world.columns.bodies.rows + counts.begun;
      world.step();
      if (world.columns.bodies.rows + counts.begun !== before) continue;
      compare(`seed ${seed}, step ${i}`);
      toDo += 1;
    }
    assert.ok(toDo > 30, `${toDo} steps were compared`);
    assert.ok(counts.begun > 200, `${counts.begun} beginnings`);
    for (const body of [...world.bodies()]) body.destroy();
    for (const geometry of [...world.geometries()]) geometry.destroy();
    world.steps(2);
    assert.equal(open.contacts.size + open.sensors.size, 0);
    assert.equal(counts.begun, counts.ended);
    world.dispose();
  }
});

test('destroying and disabling end what touched, with the objects that are gone', async () => {
  const world = await makeWorld();
  const ground = world.createGeometry({ shape: plane });
  const gate = world.createGeometry({
    shape: { type: 'box', halfExtents: [9, 9, 0.5] },
    position: [0, 0, 0.5],
    sensor: true,
  });
  const bodies = [0, 1, 2].map((i) =>
    world.createBody({ position: [2 * i, 0, 0.3], mass: 1, geometries: [{ shape: ball }] }),
  );
  const geometries = bodies.map((body) => body.geometries()[0]);
  bodies.forEach((body, i) => (body.userData = `ball ${i}`));
  const events = listen(world, touchNames);
  world.steps(3);
  assert.equal(events.filter(({ type }) => type === 'contactstart').length, 3);
  assert.equal(events.filter(({ type }) => type === 'sensorenter').length, 3);
  assert.deepEqual(gate.getOverlaps(), geometries);
  events.length = 0;
  bodies[0].destroy();
  geometries[1].destroy();
  bodies[2].enabled = false;
  world.step();
  const ends = events.filter(({ type }) => type === 'contactend');
  const other = ({ body1, body2 }) => body1 ?? body2;
  assert.deepEqual(ends.map((event) => other(event).userData).sort(), ['ball 0', 'ball 1', 'ball 2']);
  assert.ok(ends.every(({ geometry1, geometry2 }) => geometry1 === ground || geometry2 === ground));
  const exits = events.filter(({ type }) => type === 'sensorexit');
  assert.deepEqual(exits.map(({ body }) => body.userData).sort(), ['ball 0', 'ball 1', 'ball 2']);
  assert.ok(exits.every(({ sensor, sensorBody }) => sensor === gate && sensorBody === null));
  assert.deepEqual(gate.getOverlaps(), []);
  bodies[2].enabled = true;
  world.steps(2);
  assert.deepEqual(gate.getOverlaps(), [geometries[2]]);
  world.dispose();
});

test('who begins to listen hears the ends of what touched before, and no beginnings of it', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  const body = world.createBody({ position: [0, 0, 0.3], geometries: [{ shape: ball }] });
  world.steps(30);
  const events = listen(world, touchNames);
  world.steps(30);
  assert.deepEqual(events, []);
  body.setPosition([0, 0, 5]);
  world.step();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['contactend'],
  );
  world.dispose();
});

test('a world that goes back ends and begins what differs', async () => {
  const world = await makeWorld();
  world.keep(120);
  const random = makeRandom(77);
  fillRandomWorld(world, random, 20);
  const { counts, compare } = followPairs(world);
  const saved = world.save();
  for (let i = 0; i < 120; ++i) {
    world.step();
    if (i % 30 === 29) {
      world.rewind(Math.min(20, world.keptSteps));
      world.step();
    }
    if (i === 75) {
      [...world.bodies()][3].destroy();
      world.restore(saved);
      world.step();
    }
    compare(`step ${i}`);
  }
  assert.ok(counts.begun > 100);
  world.dispose();
});

test('subscriptions of what comes back come back, and end where they were ended', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  world.keep(60);
  const body = world.createBody({ position: [0, 0, 1], geometries: [{ shape: ball }] });
  let heard = 0;
  let others = 0;
  body.on('contactstart', () => (heard += 1));
  const end = body.on('contactstart', () => (others += 1));
  world.steps(10);
  body.destroy();
  world.step();
  assert.equal(world.isHeard, false);
  world.createBody({ position: [0, 0, 5], geometries: [{ shape: ball }] }); // in its row
  world.rewind(5);
  assert.ok(body.isValid && world.isHeard);
  body.destroy();
  world.step();
  end();
  world.rewind(3);
  world.steps(60);
  assert.ok(heard >= 1);
  assert.equal(others, 0);
  world.dispose();
});

// ---- sensors ----------------------------------------------------------------------------------------------

test('something fast passes a thin sensor once, in and out', async () => {
  for (const sensor of [true, 'overlapOnly']) {
    const world = await makeWorld({ gravity: [0, 0, 0] });
    const gate = world.createGeometry({ shape: { type: 'box', halfExtents: [0.001, 1, 1] }, sensor });
    const other = world.createGeometry({
      shape: { type: 'box', halfExtents: [0.001, 1, 1] },
      position: [5, 0, 0],
      sensor,
      groups: ['blind'],
    });
    world.setGroupPairEnabled('blind', 'bullets', false);
    const wall = world.createGeometry({
      shape: { type: 'box', halfExtents: [0.1, 1, 1] },
      position: [20, 0, 0],
    });
    const bullet = world.createBody({
      position: [-7, 0, 0],
      velocity: [300, 0, 0],
      fast: true,
      geometries: [{ shape: { type: 'sphere', radius: 0.01 }, groups: ['bullets'] }],
    });
    const events = listen(world, touchNames);
    const own = [];
    for (const name of ['sensorenter', 'sensorexit']) bullet.on(name, (event) => own.push(event));
    world.steps(10);
    const passed = events.filter(({ type }) => type.startsWith('sensor'));
    assert.deepEqual(
      passed.map(({ type, sensor: by, body, step }) => [type, by === gate, body === bullet, step]),
      [
        ['sensorenter', true, true, 2],
        ['sensorexit', true, true, 3],
      ],
    );
    assert.deepEqual(own, passed);
    near(passed[0].point, [-0.001, 0, 0], 1e-9);
    assert.equal(other.getOverlaps().length, 0);
    const hit = events.find(({ type }) => type === 'contactstart');
    assert.ok(hit.geometry1 === wall || hit.geometry2 === wall);
    near(hit.approachSpeed, 300, 1e-6);
    world.dispose();
  }
});

test('what is fast goes in and out by turns in random worlds, too', async () => {
  const random = makeRandom(31);
  const world = await makeWorld();
  fillRandomWorld(world, random, 15);
  world.createGeometry({
    shape: { type: 'box', halfExtents: [1, 0.001, 1] },
    position: [0, 0, 1],
    sensor: true,
  });
  const { open, counts } = followPairs(world);
  for (let i = 0; i < 200; ++i) {
    if (i % 10 === 0) {
      const body = makeRandomBody(world, random);
      body.fast = true;
      body.setVelocity([80 * random() - 40, 80 * random() - 40, 20 * random() - 10]);
    }
    if (random() < 0.2) disturb(world, random);
    world.step();
  }
  assert.ok(counts.begun > 200, `${counts.begun} beginnings`);
  for (const body of [...world.bodies()]) body.destroy();
  world.steps(2);
  assert.equal(open.contacts.size + open.sensors.size, 0);
  assert.equal(counts.begun, counts.ended);
  world.dispose();
});

test('something fast that stops in a sensor is in it once', async () => {
  const world = await makeWorld({ gravity: [0, 0, 0] });
  world.createGeometry({
    shape: { type: 'box', halfExtents: [0.5, 1, 1] },
    position: [0.5, 0, 0],
    sensor: true,
  });
  world.createGeometry({ shape: { type: 'box', halfExtents: [0.1, 1, 1] }, position: [0.6, 0, 0] });
  world.createBody({
    position: [-7, 0, 0],
    velocity: [300, 0, 0],
    fast: true,
    geometries: [{ shape: { type: 'sphere', radius: 0.05 } }],
  });
  const { counts, open } = followPairs(world);
  world.steps(3);
  assert.equal(open.sensors.size, 1);
  assert.ok(counts.begun >= 1);
  world.dispose();
});

test('two sensors hear of one another, and sensors of overlap alone know no point', async () => {
  const world = await makeWorld({ gravity: [0, 0, 0] });
  const still = world.createGeometry({ shape: ball, sensor: 'overlapOnly' });
  const body = world.createBody({
    position: [-1, 0, 0],
    velocity: [3, 0, 0],
    geometries: [{ shape: ball, sensor: 'overlapOnly' }],
    mass: 1,
  });
  const [moving] = body.geometries();
  const events = listen(world, touchNames);
  world.steps(60);
  assert.deepEqual(
    events.map(({ type, sensor, geometry }) => [type, sensor === moving, geometry === moving]),
    [
      ['sensorenter', events[0].sensor === moving, events[0].geometry === moving],
      ['sensorenter', events[0].sensor !== moving, events[0].geometry !== moving],
      ['sensorexit', events[2].sensor === moving, events[2].geometry === moving],
      ['sensorexit', events[2].sensor !== moving, events[2].geometry !== moving],
    ],
  );
  assert.equal(events[0].point, null);
  refuses(() => world.createGeometry({ shape: plane }).getOverlaps(), {
    code: 'WRONG_TYPE',
    call: 'geometry.getOverlaps',
    message: /sensors/,
  });
  still.destroy();
  refuses(() => still.getOverlaps(), { code: 'STALE_HANDLE' });
  world.dispose();
});

// ---- what else --------------------------------------------------------------------------------------------

test('sleep and wake alternate, body by body', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  const bodies = [0, 1, 2, 3].map((i) =>
    world.createBody({
      position: [0.7 * i, 0, 0.2],
      geometries: [{ shape: { type: 'box', halfExtents: [0.2, 0.2, 0.2] } }],
    }),
  );
  const asleep = new Map(bodies.map((body) => [body, false]));
  let changes = 0;
  for (const name of ['sleep', 'wake']) {
    world.on(name, ({ type, body }) => {
      assert.equal(type, name);
      assert.equal(asleep.get(body), name === 'wake');
      asleep.set(body, name === 'sleep');
      changes += 1;
    });
  }
  const own = [];
  bodies[1].on('wake', ({ step }) => own.push(step));
  for (let i = 0; i < 900; ++i) {
    if (i === 300) bodies[1].wake();
    if (i === 500) bodies[2].setVelocity([1, 0, 0]);
    if (i === 600) bodies[3].destroy();
    world.step();
    for (const body of bodies) if (body.isValid) assert.equal(asleep.get(body), body.asleep, `step ${i}`);
  }
  assert.ok(changes >= 8, `${changes} changes`);
  assert.deepEqual(own, [301]);
  world.dispose();
});

test('what breaks, merges and splits is told to whom it concerns', async () => {
  const world = await makeWorld();
  const body = world.createBody({ position: [0, 0, 3], mass: 10 });
  const joint = world.createConstraint({ type: 'ball', bodies: [body, null], breakForce: 50 });
  const parts = [0, 1].map((i) =>
    world.createBody({ position: [5 + i, 0, 3], geometries: [{ shape: ball }] }),
  );
  const merged = world.createMergedBody({ bodies: [parts[0]] });
  const heard = [];
  const hear = (who) => (event) => heard.push([who, event.type]);
  joint.on('break', hear('joint'));
  body.on('break', hear('body'));
  parts[1].on('merge', hear('part'));
  parts[1].on('split', hear('part'));
  world.on('break', ({ constraint, body1, body2 }) => {
    assert.deepEqual([constraint, body1, body2], [joint, body, null]);
    heard.push(['world', 'break']);
  });
  world.on('merge', (event) => {
    assert.equal(event.mergedBody, merged);
    heard.push(['world', 'merge']);
  });
  world.steps(3);
  assert.deepEqual(heard.splice(0), [
    ['world', 'break'],
    ['joint', 'break'],
    ['body', 'break'],
    ['world', 'merge'],
  ]);
  merged.addEdge({ body1: parts[0], body2: parts[1] });
  world.step();
  assert.deepEqual(heard.splice(0), [
    ['world', 'merge'],
    ['part', 'merge'],
  ]);
  parts[1].split();
  world.step();
  assert.deepEqual(heard.splice(0), [['part', 'split']]);
  world.dispose();
});

test('bodies and geometries see what concerns them, from their side', async () => {
  const world = await makeWorld();
  const ground = world.createGeometry({ shape: plane });
  const body = world.createBody({ position: [0, 0, 1], geometries: [{ shape: ball }] });
  const other = world.createBody({ position: [3, 0, 1], geometries: [{ shape: ball }] });
  const [geometry] = body.geometries();
  const heard = [];
  body.on('contactstart', (event) => {
    assert.deepEqual([event.body1, event.body2], [body, null]);
    assert.deepEqual([event.geometry1, event.geometry2], [geometry, ground]);
    near(event.normal, [0, 0, 1], 1e-9);
    heard.push('body');
  });
  geometry.on('impact', (event) => {
    assert.deepEqual([event.body1, event.geometry2], [body, ground]);
    heard.push('geometry');
  });
  ground.on('contactstart', (event) => {
    assert.ok(event.body2 === body || event.body2 === other);
    near(event.normal, [0, 0, -1], 1e-9);
    heard.push('ground');
  });
  world.steps(25);
  assert.deepEqual(heard.sort(), ['body', 'geometry', 'ground', 'ground']);
  world.dispose();
});

// ---- when and in which order ------------------------------------------------------------------------------

test('events of all steps come: in advance, steps, halves and scenes', async () => {
  const cairn = await getCairn('st', 1);
  const scene = cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    geometries: [{ name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 } }],
    bodies: [0, 1, 2, 3, 4, 5].map((i) => ({
      name: `b${i}`,
      position: [2 * i, 0, 0.3 + (i + 0.5) / 60],
      velocity: [0, 0, -1],
      geometries: [{ shape: ball }],
    })),
  });
  const { world } = scene;
  world.setGravity([0, 0, 0]);
  const steps = [];
  world.on('contactstart', ({ step, time }) => {
    steps.push(step);
    near(time, step / 60, 1e-12);
    assert.equal(step, world.stepCount);
  });
  const within = [];
  world.advance(3.001 / 60, { maxSteps: 8, afterStep: () => within.push(steps.length) });
  assert.deepEqual(steps, [2, 3]);
  assert.deepEqual(within, [0, 1, 2], 'before afterStep');
  scene.steps(1);
  world.collide();
  world.solve();
  world.steps(2);
  assert.deepEqual(steps, [2, 3, 4, 5, 6, 7]);
  scene.dispose();
});

/** What a random world tells in so many steps, as text. */
async function runLog(flavour, threads) {
  const world = (await getCairn(flavour, threads)).createWorld({ mergeSplit: true, threads });
  const random = makeRandom(4242);
  fillRandomWorld(world, random, 60);
  const log = [];
  const rowOf = (object) => object?.index ?? -1;
  for (const name of allNames) {
    world.on(name, (event) => {
      const who = ['body', 'body1', 'body2', 'geometry', 'geometry1', 'geometry2', 'sensor', 'mergedBody'];
      const rows = who.map((key) => (key in event ? rowOf(event[key]) : ''));
      log.push([event.type, event.step, ...rows, event.point, event.approachSpeed, event.impulse].join());
      if (random() < 0.02) disturb(world, random);
    });
  }
  world.steps(240);
  const hash = world.hash();
  world.dispose();
  return { log, hash };
}

test('events come in one order, in each build and with any number of threads', async () => {
  const { log, hash } = await runLog('st', 1);
  assert.ok(log.length > 300, `${log.length} events`);
  for (const threads of [1, 2, 4]) {
    const other = await runLog('mt', threads);
    assert.equal(other.hash, hash);
    assert.deepEqual(other.log, log);
  }
});

test('listening changes nothing', async () => {
  const run = async (isHeard) => {
    const world = await makeWorld({ mergeSplit: true });
    const random = makeRandom(99);
    fillRandomWorld(world, random, 30);
    if (isHeard) listen(world);
    for (let i = 0; i < 200; ++i) {
      if (i % 20 === 0) disturb(world, random);
      world.step();
    }
    const hash = world.hash();
    world.dispose();
    return hash;
  };
  assert.equal(await run(true), await run(false));
});

// ---- handlers ---------------------------------------------------------------------------------------------

test('once, off and what on() returns end a subscription; new ones hear the next step', async () => {
  const { world, material } = await makeBouncy(1);
  world.createGeometry({ shape: plane, material });
  const body = world.createBody({ position: [0, 0, 0.6], geometries: [{ shape: ball, material }] });
  const heard = { once: 0, off: 0, returned: 0, late: 0, all: 0 };
  world.once('contactstart', () => (heard.once += 1));
  const off = () => (heard.off += 1);
  world.on('contactstart', off);
  const end = body.on('contactstart', () => {
    heard.returned += 1;
    end();
    end();
  });
  world.on('contactstart', () => {
    heard.all += 1;
    if (heard.all === 1) world.on('contactstart', () => (heard.late += 1));
    if (heard.all === 2) assert.ok(world.off('contactstart', off));
  });
  world.steps(300);
  assert.ok(heard.all >= 3);
  assert.deepEqual([heard.once, heard.off, heard.returned, heard.late], [1, 2, 1, heard.all - 1]);
  assert.equal(world.off('contactstart', off), false);
  world.dispose();
});

test('a handler may throw: all others are told, the step is complete', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  for (let i = 0; i < 3; ++i) world.createBody({ position: [2 * i, 0, 0.3], geometries: [{ shape: ball }] });
  let told = 0;
  world.on('contactstart', () => {
    refuses(() => world.step(), { code: 'WRONG_PHASE' });
    refuses(() => world.dispose(), { code: 'WRONG_PHASE' });
    told += 1;
    if (told === 2) throw new RangeError('on purpose');
  });
  let others = 0;
  world.on('contactstart', () => (others += 1));
  const failing = () => {
    while (told < 3) world.step();
  };
  assert.throws(failing, RangeError);
  assert.equal(told, 3);
  assert.equal(others, 3);
  const count = world.stepCount;
  world.once('sleep', () => {
    throw new RangeError('first');
  });
  world.once('sleep', () => {
    throw new TypeError('second');
  });
  assert.throws(
    () => world.steps(600),
    (error) => error instanceof AggregateError && error.errors.length === 2,
  );
  assert.ok(world.stepCount > count);
  world.step();
  world.dispose();
});

test('steps that end with an error are told of', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  const body = world.createBody({ position: [0, 0, 0.3], geometries: [{ shape: ball }] });
  const bad = world.createBody({ position: [9, 0, 9], mass: 1 });
  const events = listen(world, ['contactstart', 'contactend']);
  world.columns.bodies.force[3 * bad.index] = NaN;
  refuses(() => world.step(), { code: 'NON_FINITE_STATE' });
  const listener = world.addContactListener({
    onContact() {
      throw new RangeError('on purpose');
    },
  });
  assert.throws(() => world.steps(3), RangeError);
  listener.remove();
  assert.deepEqual(
    events.map(({ type, step }) => [type, step]),
    [['contactstart', events[0].step]],
  );
  body.destroy();
  world.step();
  assert.equal(events.at(-1).type, 'contactend');
  world.dispose();
});

test('subscriptions of what is destroyed end with its last events', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  const body = world.createBody({ position: [0, 0, 0.3], geometries: [{ shape: ball }] });
  const heard = [];
  for (const name of ['contactstart', 'contactend'])
    body.on(name, ({ type, body1 }) => heard.push([type, body1 === body]));
  world.steps(5);
  body.destroy();
  refuses(() => body.on('wake', () => {}), { code: 'STALE_HANDLE', call: 'body.on' });
  world.steps(2);
  assert.deepEqual(heard, [
    ['contactstart', true],
    ['contactend', true],
  ]);
  assert.equal(world.isHeard, false, 'nobody listens any more');
  world.dispose();
});

test('events cannot be changed, and outlive their step', async () => {
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  world.createBody({ position: [0, 0, 0.3], geometries: [{ shape: ball }] });
  const events = listen(world);
  world.steps(300);
  assert.ok(events.length >= 2);
  for (const event of events) {
    assert.ok(Object.isFrozen(event));
    assert.throws(() => (event.step = 0), TypeError);
    if (event.point) assert.throws(() => (event.point[0] = 1), TypeError);
  }
  world.dispose();
});

test('misuse is refused with the names that there are', async () => {
  const world = await makeWorld();
  const body = world.createBody({ mass: 1 });
  const geometry = world.createGeometry({ shape: plane });
  const joint = world.createConstraint({ type: 'ball', bodies: [body, null] });
  const handler = () => {};
  refuses(() => world.on('collide', handler), {
    code: 'UNKNOWN_NAME',
    call: 'world.on',
    argument: 'name',
    message: /"collide", allowed are 'contactstart', .*'split'/,
  });
  refuses(() => geometry.on('sleep', handler), { code: 'UNKNOWN_NAME', message: /world\.on\(\) knows it/ });
  refuses(() => joint.once('impact', handler), { code: 'UNKNOWN_NAME', call: 'constraint.once' });
  refuses(() => world.on(3, handler), { code: 'WRONG_TYPE', argument: 'name' });
  for (const wrong of [undefined, null, 'f', {}, 3]) {
    refuses(() => world.on('wake', wrong), { code: 'WRONG_TYPE', call: 'world.on', argument: 'handler' });
    refuses(() => body.off('wake', wrong), { code: 'WRONG_TYPE', call: 'body.off', argument: 'handler' });
  }
  refuses(() => world.on('impact', handler, { minspeed: 1 }), {
    code: 'UNKNOWN_NAME',
    argument: 'options.minspeed',
  });
  refuses(() => world.on('impact', handler, { minSpeed: -1 }), {
    code: 'OUT_OF_RANGE',
    argument: 'options.minSpeed',
  });
  refuses(() => world.on('impact', handler, { minSpeed: NaN }), { code: 'NOT_FINITE' });
  refuses(() => world.on('impact', handler, 3), { code: 'WRONG_TYPE', argument: 'options' });
  refuses(() => world.on('sleep', handler, { minSpeed: 1 }), {
    code: 'OUT_OF_RANGE',
    message: /for 'impact' alone/,
  });
  assert.equal(world.isHeard, false);
  world.dispose();
  refuses(() => world.on('sleep', handler), { code: 'STALE_HANDLE' });
});

// ---- docs -------------------------------------------------------------------------------------------------

test('the code of docs/events.md makes sounds, stands and counts goals', async () => {
  const text = readFileSync(join(root, 'docs/events.md'), 'utf8');
  const code = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map((match) => match[1]).join('\n');
  const world = await makeWorld();
  world.createGeometry({ shape: plane });
  const lines = [];
  const log = { log: (...words) => lines.push(words.join(' ')) };
  const run = new Function('world', 'console', `${code}\nreturn { hits, goal };`);
  const { hits, goal } = run(world, log);
  const puck = world.createBody({
    position: [2, 0, 0.5],
    velocity: [6, 0, 0],
    geometries: [{ shape: ball, friction: 0, restitution: 0.5 }],
  });
  puck.userData = 'puck';
  world.steps(120);
  assert.ok(lines.includes('stands on the ground'));
  assert.ok(lines.includes('puck is in; inside now: 1'));
  assert.ok(lines.includes('puck is out'));
  assert.deepEqual(goal.getOverlaps(), []);
  assert.ok(hits.length >= 2 && hits.every(({ loudness }) => loudness > 0 && loudness <= 1));
  world.dispose();
});

// ---- what it costs ----------------------------------------------------------------------------------------

test('a step without events leaves 1 kB for those who listen, however much touches', async () => {
  const measure = async (/** @type {number} */ count) => {
    const world = (await getCairn()).createWorld({ sleep: false });
    world.createGeometry({ shape: plane });
    for (let i = 0; i < count; ++i)
      world.createBody({ position: [i, 0, 0.3], geometries: [{ shape: ball }], sleepless: true });
    listen(world);
    world.steps(120);
    assert.equal(world.columns.contacts.rows, count);
    const bytes = await garbageOf(() => world.step());
    world.dispose();
    return bytes / 100;
  };
  // the many first: what ten contacts call stays too rare to be compiled for good, where the cores are busy;
  // and again, up to five times, where the compiler gave up on a function: what a step makes, it makes each
  // time
  let [few, many] = [Infinity, Infinity];
  for (let attempt = 0; attempt < 5 && !(few < 1000 && many - few < 190); ++attempt) {
    many = Math.min(many, await measure(200));
    few = Math.min(few, await measure(10));
  }
  assert.ok(few < 1000, `${few} bytes a step`);
  // one number on the heap for each contact would be 16 bytes
  assert.ok(many - few < 190, `${few} bytes a step with 10 contacts, ${many} with 200`);
});
