// Nothing that is given is ignored: unknown properties, properties that can only be read, and arguments
// beyond those that a function takes are errors, in sloppy scripts as well.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownMethods } from '../../web/generated/parameters.js';
import * as cairn from '../../web/index.node.js';
import { garbageOf, getCairn, refuses } from './helpers.mjs';

const shape = { type: 'sphere', radius: 0.5 };

/** One object of each class. */
async function makeAll() {
  const module = await getCairn();
  const world = module.createWorld();
  const body = world.createBody({ geometries: [{ shape }] });
  const other = world.createBody({ mass: 1, position: [3, 0, 0] });
  const mergedBody = world.createMergedBody({ bodies: [body] });
  const material = world.createMaterial();
  const scene = module.loadScene({ format: 'cairn-scene', version: 1, bodies: [{ name: 'a', mass: 1 }] });
  return {
    cairn: module,
    world,
    body,
    geometry: body.geometries()[0],
    shape: world.createShape(shape),
    material,
    contactMaterial: world.createContactMaterial({ materials: [material, null], friction: 1 }),
    constraint: world.createConstraint({ type: 'hinge', bodies: [body, null] }),
    mergedBody,
    mergeEdge: mergedBody.addEdge({ body1: body, body2: other }),
    bodies: world.createBodies({ count: 2, body: { mass: 1 } }),
    observer: world.createObserver({ body }),
    contact: world.contacts(),
    contactReader: world.createContactReader(body),
    matrices: world.createMatrices([0]),
    columns: world.columns.bodies,
    contactListener: world.addContactListener({ onContact: () => {} }),
    breakListener: world.addBreakListener(() => {}),
    guardListener: world.addGuardListener(() => {}),
    mergeListener: world.addMergeListener(() => {}),
    forceFieldListener: world.addForceField(() => {}),
    record: world.record,
    scene,
    channel: scene.openChannel('world/hash'),
    drag: cairn.createDrag(),
    wind: cairn.createWind({ velocity: [1, 0, 0] }),
    buoyancy: cairn.createBuoyancy(),
    gravityField: cairn.createGravityField({ acceleration: () => {} }),
  };
}

/** Methods that the package alone calls. */
const own = new Set(Object.values(ownMethods).flat());

/** Of a script, not of a module: what fails there fails in silence. */
const sloppySet = new Function('object', 'name', 'value', 'object[name] = value;');

/** Members of an object and its classes, or of its classes alone: [name, descriptor]. */
function* membersOf(object, first = object) {
  for (let made = first; made && made !== Object.prototype; made = Object.getPrototypeOf(made))
    for (const entry of Object.entries(Object.getOwnPropertyDescriptors(made)))
      if (entry[0] !== 'constructor') yield entry;
}

test('one object of each exported class is looked at', async () => {
  const objects = Object.values(await makeAll());
  const isClass = (value) => typeof value === 'function' && /^class\b/.test(String(value));
  for (const [name, Class] of Object.entries(cairn)) {
    if (!isClass(Class) || name === 'CairnError') continue;
    assert.ok(
      objects.some((object) => object instanceof Class),
      name,
    );
  }
});

test('a property that an object does not have cannot be set, in no mode', async () => {
  for (const [name, object] of Object.entries(await makeAll())) {
    assert.ok(Object.isSealed(object), name);
    const expected = {
      code: 'UNKNOWN_NAME',
      argument: 'colour',
      reason: /colour is no property of this obj/,
    };
    refuses(() => (object.colour = 'red'), expected);
    refuses(() => sloppySet(object, 'colour', 'red'), expected);
    refuses(() => Object.assign(object, { colour: 'red' }), expected);
    assert.equal(object.colour, undefined, name);
    assert.throws(() => Object.defineProperty(object, 'colour', { value: 1 }), TypeError);
  }
});

test('a property that can only be read says so, in both modes', async () => {
  let found = 0;
  for (const [name, object] of Object.entries(await makeAll())) {
    for (const [member, { get, set, value, writable }] of membersOf(object)) {
      if (get !== undefined && set?.name === 'refuse') {
        const expected = { code: /^(READ_ONLY|UNKNOWN_NAME)$/, argument: member };
        refuses(() => (object[member] = 1), expected);
        refuses(() => sloppySet(object, member, 1), expected);
        found += 1;
      }
      assert.ok(get === undefined || set !== undefined, `${name}.${member}`);
      // methods are replaced by nobody, and own values stay
      if (typeof value === 'function' || writable === false)
        assert.throws(() => (object[member] = () => {}), TypeError, `${name}.${member}`);
    }
  }
  assert.ok(found > 100);
  const { world, body, columns } = await makeAll();
  refuses(() => (world.time = 3), { call: 'world.time', reason: /^time can only be read/ });
  refuses(() => (world.contactReduction = 'all'), { reason: /set by world\.setContactReduction\(\)$/ });
  refuses(() => (body.world = world), { call: 'body.world' });
  refuses(() => (columns.position = [1, 2, 3]), { reason: /set one by one/ });
  body.userData = { mine: 1 };
  assert.deepEqual(body.userData, { mine: 1 });
});

test('what was likely meant is named', async () => {
  const { world, body, constraint } = await makeAll();
  const hintOf = (object, name) => {
    try {
      object[name] = [0, 0, 0];
    } catch (error) {
      return error.reason.split('; ')[1];
    }
    return assert.fail(`${name} was set`);
  };
  assert.equal(hintOf(body, 'velocty'), 'body.setVelocity() sets it');
  assert.equal(hintOf(body, 'linearVelocity'), 'body.setVelocity() sets it');
  assert.equal(hintOf(body, 'quaternion'), 'body.setRotation() sets it');
  assert.equal(hintOf(body, 'type'), 'body.motion is one');
  assert.equal(hintOf(world, 'dt'), 'world.timeStep is one');
  assert.equal(hintOf(world, 'gravty'), 'world.setGravity() sets it');
  assert.equal(hintOf(constraint, 'breakforce'), 'constraint.breakForce is one');
  assert.equal(hintOf(body, 'colour'), 'what is yours goes into body.userData');
  refuses(() => (body.velocity = [1, 0, 0]), { reason: /must be set by body\.setVelocity\(\)$/ });
});

test('arguments beyond those that a function takes are errors', async () => {
  const all = await makeAll();
  let found = 0;
  const methods = [...Object.values(all).map((object) => [object, Object.getPrototypeOf(object)])];
  for (const [object, first] of [...methods, [all.cairn.math, all.cairn.math]]) {
    for (const [member, { value }] of membersOf(object, first)) {
      if (typeof value !== 'function' || own.has(member)) continue;
      const tooMany = new Array(8).fill(undefined);
      refuses(() => object[member](...tooMany), { code: 'SURPLUS_ARGUMENT', argument: 'arguments' });
      found += 1;
    }
  }
  assert.ok(found > 200);
  for (const [name, value] of Object.entries(cairn)) {
    if (typeof value !== 'function' || /^class\b/.test(String(value))) continue;
    await assert.rejects(async () => value({}, {}, {}), { code: 'SURPLUS_ARGUMENT', call: name });
  }
});

test('surplus arguments come with what was likely meant', async () => {
  const { world, body, scene } = await makeAll();
  const steps = world.stepCount;
  refuses(() => world.step(1 / 30), {
    call: 'world.step',
    reason:
      /^arguments are 1 \(0\.0333.*\), allowed are none; .*world\.timeStep = .*world\.advance\(seconds\)/,
  });
  refuses(() => scene.step(1 / 30), { call: 'scene.step', reason: /world\.timeStep/ });
  refuses(() => world.step(undefined), { code: 'SURPLUS_ARGUMENT' });
  refuses(() => body.setPosition(1, 2, 3), {
    reason: /^arguments are 3 \(1, 2, 3\), .*one argument, \[x, y, z\]$/,
  });
  refuses(() => body.applyForce([0, 0, 1], true), { reason: /wakes up by itself$/ });
  assert.equal(world.stepCount, steps);

  // as many as there are, with defaults or without, are none too many
  body.getPosition(undefined);
  world.createBody(undefined).destroy();
  world.castRay([0, 0, 9], [0, 0, -9], undefined, {});
  world.setContactReduction('material', 3);
});

test('options that nobody reads come with what was likely meant, by their whole path', async () => {
  const { world } = await makeAll();
  const part = (/** @type {object} */ given) => () => world.createBody({ geometries: [{ shape: given }] });
  const path = 'options.geometries[0].shape';
  const cases = [
    [part({ type: 'cone', radius: 1, height: 1 }), `${path}.radius`, 'bottomRadius'],
    [part({ type: 'convex', vertices: [] }), `${path}.vertices`, 'points'],
    [part({ type: 'box', size: [1, 1, 1] }), `${path}.size`, 'halfExtents'],
    [() => world.createBody({ linvel: [0, 0, 1] }), 'options.linvel', 'velocity'],
    [() => world.createBody({ positon: [0, 0, 1] }), 'options.positon', 'position'],
    [() => world.createConstraint({ type: 'hinge', pivot: [0, 0, 1] }), 'options.pivot', 'anchor'],
    [() => world.createMaterial({ bounciness: 1 }), 'options.bounciness', 'restitution'],
  ];
  for (const [task, argument, likely] of cases) {
    const owner = argument.slice(0, argument.lastIndexOf('.')).replace(/[.[\]]/g, '\\$&');
    refuses(task, {
      code: 'UNKNOWN_NAME',
      argument,
      reason: new RegExp(`^${owner} has no property .*; perhaps ${likely} is meant$`),
    });
  }
  refuses(() => world.createBody({ qwertzuiop: 1 }), { reason: /allowed are [\w, ]*$/ });
});

test('the wrappers of methods make no garbage and keep their names', async () => {
  const { world, body } = await makeAll();
  const out = new Float64Array(3);
  const task = () => {
    for (let i = 0; i < 500; ++i) body.getPosition(out);
  };
  assert.ok((await garbageOf(task)) < 2000);
  assert.equal(world.step.name, 'step');
});
