// What errors call the functions that they come from, and properties that are pairs of methods.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import * as cairn from '../../web/exports.js';
import { functions } from '../../web/generated/api.js';
import { load } from '../../web/index.node.js';
import { refuses } from './helpers.mjs';

/** What errors call a function. @param {string} call */
const nameOf = (call) => new cairn.CairnError('WRONG_TYPE', call, 'argument', 'is wrong').call;

/** Bound functions that no user of the objects calls by a name of its own. */
const inner = new Set([
  'cnQuatFromRotationVector',
  'cnQuatFromMat',
  'cnWorld_GetBrokenCount',
  'cnWorld_GetBrokenConstraint',
  'cnWorld_GetGuardEventCount',
  'cnWorld_GetGuardEvent',
  'cnWorld_GetMergeChangeCount',
  'cnWorld_GetMergeChange',
  'cnScene_GetRecordCount',
]);

test('errors name what JavaScript has', async () => {
  const module = await load({ threads: 1 });
  const world = module.createWorld();
  const roots = {
    cairn: module,
    world,
    body: cairn.Body.prototype,
    geometry: cairn.Geometry.prototype,
    shape: cairn.Shape.prototype,
    material: cairn.Material.prototype,
    contactMaterial: cairn.ContactMaterial.prototype,
    constraint: cairn.Constraint.prototype,
    mergedBody: cairn.MergedBody.prototype,
    mergeEdge: cairn.MergeEdge.prototype,
    contactReader: cairn.ContactReader.prototype,
    contact: cairn.ContactCursor.prototype,
    observer: cairn.Observer.prototype,
    scene: cairn.Scene.prototype,
    channel: cairn.Channel.prototype,
  };
  const missing = functions
    .filter(({ name }) => !inner.has(name))
    .map(({ name }) => ({ name, path: nameOf(name).split('.') }))
    .filter(({ path: [root, member, last] }) => {
      if (!(root in roots) || !(member in roots[root])) return true;
      return last !== undefined && !(last in roots[root][member]);
    });
  assert.deepEqual(missing, []);
  module.dispose();
});

test('errors name calls as they are written', async () => {
  const module = await load({ threads: 1 });
  const world = module.createWorld();
  const body = world.createBody({ mass: 1 });
  refuses(() => world.createMaterial({ density: -1 }), { call: 'world.createMaterial' });
  refuses(() => world.createMaterial({ density: '1' }), { call: 'world.createMaterial' });
  refuses(() => (body.mass = -1), { call: 'body.mass', message: /^body\.mass: mass is -1 kg, allowed is / });
  refuses(() => body.setVelocity([NaN, 0, 0]), { call: 'body.setVelocity' });
  refuses(() => world.steps(-1), { call: 'world.steps' });
  refuses(() => module.loadScene('{'), { call: 'cairn.loadScene' });
  refuses(() => world.solve(), { call: 'world.solve', reason: /world\.collide comes first$/ });
  assert.equal(nameOf('load'), 'load');

  // names of users stay as they are
  const text = 'name is "cnBody", not cnWorld_Step';
  const { reason } = new cairn.CairnError('UNKNOWN_NAME', 'cnScene_FindBody', 'name', text);
  assert.equal(reason, 'name is "cnBody", not world.step');
  module.dispose();
});

test('a property that is a pair of methods says so', async () => {
  const module = await load({ threads: 1 });
  const world = module.createWorld();
  const body = world.createBody({ mass: 1 });
  refuses(() => (body.velocity = [1, 0, 0]), {
    code: 'UNKNOWN_NAME',
    call: 'body.velocity',
    argument: 'velocity',
    reason: 'velocity is no property: it must be set by body.setVelocity()',
  });
  refuses(() => body.velocity, { reason: /must be read by body\.getVelocity\(\)$/ });
  refuses(() => (body.angularMomentum = [0, 0, 1]), { reason: /cannot be set, but is read by body\.getAng/ });
  refuses(() => (body.massCoefficients = [0, 0, 1]), { reason: /must be set by body\.setMassC/ });
  refuses(() => body.massCoefficients, { reason: /must be set, by body\.setMassCoefficients\(\)$/ });
  refuses(() => (world.gravity = [0, 0, 0]), { reason: /must be set by world\.setGravity\(\)$/ });
  assert.equal(Object.keys(body).includes('velocity'), false);

  // what is a property stays one
  body.mass = 2;
  assert.equal(body.mass, 2);
  module.dispose();
});

test('texts of the engine speak JavaScript', async () => {
  const module = await load({ threads: 1 });
  const world = module.createWorld();
  const body = world.createBody({ mass: 1 });
  const other = world.createBody({ mass: 1 });

  // objects by their rows, arguments as methods have them
  const material = world.createMaterial();
  world.createGeometry({ shape: { type: 'sphere', radius: 1 }, material });
  refuses(() => material.destroy(), { reason: 'geometry #0 has this material' });
  const merged = world.createMergedBody({ bodies: [body] });
  refuses(() => merged.removeBody(other), { reason: 'body #1 is no part of merged body #0' });
  refuses(() => world.createConstraint({ type: 'hinge', bodies: [body, body] }), {
    argument: 'options.bodies[1]',
    reason: 'options.bodies[1] is options.bodies[0], allowed is another',
  });
  refuses(() => world.createShape({ type: 'box', halfExtents: [1, NaN, 1] }), {
    argument: 'description.halfExtents[1]',
  });
  const heights = { type: 'heightField', resolution: [1, 3], size: [1, 1], heights: [0, 0, 0] };
  refuses(() => world.createShape(heights), { argument: 'resolution[0]', reason: /^resolution\[0\] is 1, / });
  world.createContactMaterial({ materials: [material, null] });
  refuses(() => world.createContactMaterial({ materials: [material, null] }), {
    argument: 'materials[0]',
    reason: /^materials\[0\] and materials\[1\] have a contact material already/,
  });

  // what parts of options are refused for is told with the path
  const bad = { shape: { type: 'sphere', radius: -1 } };
  refuses(() => world.createBody({ geometries: [{ shape: { type: 'sphere', radius: 1 } }, bad] }), {
    call: 'world.createBody',
    argument: 'options.geometries[1].shape.radius',
    reason: /^options\.geometries\[1\]\.shape\.radius is -1 m, allowed is > 0$/,
  });
  refuses(() => body.createGeometry(bad), { call: 'body.createGeometry', argument: 'options.shape.radius' });

  // names are listed, and hints given
  refuses(() => world.createMaterial({ library: 'stel' }), { reason: /allowed are aluminium, .*, steel, / });
  const ball = world.createConstraint({ type: 'ball', bodies: [body, null] });
  refuses(() => ball.setCone({ limit: 45 }), {
    call: 'constraint.setCone',
    argument: 'cone.limit',
    reason:
      /^cone\.limit is 45 rad, allowed is 0 to 3\.14159 rad: angles are in radians, degrees times Math\.PI/,
  });
  const hinge = world.createConstraint({ type: 'hinge', bodies: [other, null] });
  refuses(() => hinge.setCone({ limit: 1 }), { call: 'constraint.setCone' });
  refuses(() => (body.mass = '5'), { reason: 'mass is "5", allowed are finite numbers: Number("5") is one' });
  refuses(() => (body.mass = undefined * 2), { reason: /mass is NaN, .*arithmetic with undefined/ });
  refuses(() => world.createBodies({ count: 1, positions: [0, NaN, 0] }), {
    reason: /positions\[0\] is \(0, NaN, 0\), allowed/,
  });

  // what users wrote stays as it is
  refuses(() => world.findMaterial('0x00100003 def cnBody'), { reason: /"0x00100003 def cnBody"/ });
  module.dispose();
});
