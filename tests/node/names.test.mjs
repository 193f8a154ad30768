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
  refuses(() => (body.linearDamping = [0, 0, 1]), { reason: /must be set by body\.setLinearDamping\(\)$/ });
  refuses(() => body.linearDamping, { reason: /must be set, by body\.setLinearDamping\(\)$/ });
  refuses(() => (world.gravity = [0, 0, 0]), { reason: /must be set by world\.setGravity\(\)$/ });
  assert.equal(Object.keys(body).includes('velocity'), false);

  // what is a property stays one
  body.mass = 2;
  assert.equal(body.mass, 2);
  module.dispose();
});
