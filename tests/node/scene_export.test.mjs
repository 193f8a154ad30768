// Worlds as scenes: what toScene() gives loads to the same world.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCairn, near, readScene, refuses, root } from './helpers.mjs';

const scenes = readdirSync(join(root, 'demo/scenes'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -5));
const box = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };

/** Velocities of parts, and what is read of attachments, are rounded on the way. */
const rounded = (file) =>
  JSON.parse(JSON.stringify(file), (_, value) =>
    typeof value === 'number' ? Number(value.toFixed(10)) + 0 : value,
  );

/** Loads what a world gives. */
const reload = (cairn, world) => cairn.loadScene(world.toScene());

for (const name of scenes) {
  test(`${name} comes back to the bit`, async () => {
    const cairn = await getCairn();
    const scene = cairn.loadScene(readScene(name));
    const copy = reload(cairn, scene.world);
    assert.equal(copy.world.hash(), scene.world.hash());
    for (const world of [scene.world, copy.world]) world.steps(60); // without the actions of the file
    assert.equal(copy.world.hash(), scene.world.hash());
    scene.dispose();
    copy.dispose();
  });
}

test('a world made by calls comes back as it is', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({
    timeStep: 1 / 100,
    gravity: { type: 'kepler', centre: [1, 2, 3], mu: 5 },
    solver: { type: 'direct', substeps: 3, iterations: 7, warmStart: false },
    sleep: { linear: 0.1, angular: 0.3, time: 1 },
    mergeSplit: { normalSpeed: 0.02 },
    gyroscopic: false,
    continuous: false,
    contactReduction: 'all',
    contactReductionResolution: 4,
  });
  const steel = world.createMaterial({
    name: 'rail',
    library: 'steel',
    roughness: 0.25,
    wire: { bendModulus: 1e9 },
  });
  const foam = world.createMaterial({
    density: 30,
    adhesionForce: 2,
    adhesionOverlap: 0.01,
    frictionModel: 'box',
  });
  world.createGeometry({
    name: 'floor',
    shape: { type: 'plane', normal: [0, 0, 1], offset: -3 },
    material: steel,
  });
  const shapes = [
    { type: 'sphere', radius: 0.4 },
    box,
    { type: 'capsule', radius: 0.3, height: 1 },
    { type: 'cylinder', radius: 0.3, height: 1 },
    { type: 'hollowCylinder', innerRadius: 0.3, thickness: 0.125, height: 1 },
    { type: 'cone', topRadius: 0.25, bottomRadius: 0.5, height: 1 },
    { type: 'hollowCone', topRadius: 0.25, bottomRadius: 0.5, height: 1, thickness: 0.125 },
    { type: 'convex', points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]] }, // prettier-ignore
    {
      type: 'trimesh',
      points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], // prettier-ignore
      triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], // prettier-ignore
    },
    {
      type: 'heightField',
      resolution: [3, 2],
      size: [2, 1],
      heights: [1, 2, 3, 4, 5, 6],
      dynamic: true,
      minHeight: 0.5,
    },
  ];
  const bodies = shapes.map((shape, i) =>
    world.createBody({
      name: i % 2 === 0 ? `thing ${i}` : undefined,
      position: [3 * i, 0, 0],
      velocity: [0, i, 0],
      angularVelocity: [0.1 * i, 0, 0],
      geometries: [
        {
          shape,
          material: i % 3 === 0 ? foam : null,
          groups: [i, 'things'],
          position: [0, 0.25, 0],
          surfaceVelocity: [0, 0, i],
        },
      ],
      linearDamping: 0.1 * i,
      gravityScale: i === 1 ? -0.5 : 1,
      fast: i === 2,
      sleepless: i === 3,
      mergeable: i !== 4,
    }),
  );
  bodies[0].createGeometry({
    name: 'pair',
    shapes: [
      { shape: box, position: [0, 0, 1] },
      { shape: box, rotation: [0, 0, 0.6, 0.8] },
    ],
    friction: 0.25,
    restitution: 0.5,
    sensor: 'overlapOnly',
    massProperties: false,
  });
  world.createBody({ motion: 'static', position: [0, 9, 0], geometries: [{ shape: box, enabled: false }] });
  world.createBody({
    motion: 'kinematic',
    position: [0, 19, 0],
    mass: 3,
    inertia: [[2, 0.25, 0], [0.25, 3, 0], [0, 0, 4]], // prettier-ignore
    centreOfMass: [0, 0, 0.5],
    enabled: false,
  });
  world.createContactMaterial({
    materials: [steel, foam],
    friction: [0.25, 0.5],
    restitution: 0.125,
    frictionModel: { type: 'box', force: [3, 4], primary: [1, 0, 0], frame: bodies[0] },
    contactArea: { enabled: true, minRestLength: 0.01, maxRestLength: 0.5 },
    slide: [0.5, 0],
  });
  world.setGroupPairEnabled('things', 3, false);
  world.setGeometryPairEnabled(bodies[0].geometries()[0], bodies[1].geometries()[0], false);
  const hinge = world.createConstraint({
    name: 'door',
    type: 'hinge',
    bodies: [bodies[0], bodies[1]],
    axis: [0, 1, 0],
    motor: { speed: 2, force: [-3, 4] },
    range: { limits: [-1, null], compliance: 1e-5 },
    lockAt: { position: 0.5, damping: 0.25, enabled: false },
    friction: { coefficient: 0.25, radius: 0.5 },
    breakForce: 1000,
  });
  const turn = world.createConstraint({
    type: 'cylindrical',
    bodies: [bodies[2], null],
    range: [null, { limits: [0, 1] }],
  });
  world.createConstraint({ type: 'gear', constraints: [hinge, turn], ratio: -2 });
  world.createConstraint({
    type: 'spring',
    bodies: [bodies[3], bodies[4]],
    anchors: [[9, 0, 0], [12, 0, 0]], // prettier-ignore
    stiffness: 49,
    damping: 3,
    length: 2,
  });
  world.createConstraint({
    type: 'lock',
    bodies: [bodies[5], null],
    compliance: [1e-5, 0, null, null, null, 1e-3],
    damping: [null, 0.5, null, null, null, null],
    forceRange: [null, [-1, 2], null, null, null, [null, 5]],
    solve: 'iterative',
    collideConnected: true,
    enabled: false,
  });
  world.createConstraint({
    type: 'ball',
    bodies: [bodies[6], bodies[7]],
    cone: { limit: 1 },
    twist: { limits: [-0.5, null], compliance: 1e-4 },
  });
  world.createConstraint({ type: 'screw', bodies: [bodies[8], null], lead: 0.25 });
  world.createMergedBody({ bodies: [bodies[8]], edges: [{ body1: bodies[8], body2: bodies[9] }] });
  bodies[0].applyForce([1, 2, 3]);

  const file = world.toScene();
  const copy = cairn.loadScene(JSON.stringify(file));
  // a second time the same file is given, so nothing was lost on the way
  const again = copy.world.toScene();
  delete file.actions; // of the first step
  assert.deepEqual(rounded(again), rounded(file));
  assert.equal(copy.findBody('thing 4').gravityScale, 1);
  assert.equal(copy.world.bodyAt(1).gravityScale, -0.5);
  near(copy.world.findConstraint('door').getMotor().force, [-3, 4], 0);
  assert.equal(copy.world.findGeometry('pair').sensor, 'overlapOnly');
  copy.step();
  near(copy.findBody('thing 0').getLastForce(), bodies[0].getLastForce(), 1e300);
  copy.dispose();
  world.dispose();
});

test('joints that have moved keep their limits where they are', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld({ gravity: [0, 0, 0] });
  const door = world.createBody({ mass: 1, inertia: [1, 1, 1], angularVelocity: [0, 0, 1] });
  const options = { type: 'hinge', bodies: [door, null], axis: [0, 0, 1], range: { limits: [-1, 1] } };
  const hinge = world.createConstraint({ ...options, name: 'hinge' });
  world.steps(30);
  near(hinge.angle, 0.5, 1e-6);
  const copy = reload(cairn, world);
  near(copy.findConstraint('hinge').getRange().limits, [-1.5, 0.5], 1e-6);
  for (const item of [world, copy.world]) item.steps(60);
  near(copy.world.bodyAt(0).getRotation(), door.getRotation(), 1e-5);
  near(copy.findConstraint('hinge').angle, 0.5, 1e-3);
  copy.dispose();
  world.dispose();
});

test('names that were given stay, and none that is made up takes one', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  world.createBody({ position: [1, 0, 0], mass: 1 });
  const named = world.createBody({ position: [2, 0, 0], mass: 2, name: 'body 0' });
  const scene = reload(cairn, world);
  assert.equal(scene.findBody('body 0').mass, 2);
  assert.equal(world.mayGoBack, false, 'toScene() keeps nothing of what is destroyed');
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, name: 'same' });
  named.name = 'same';
  refuses(() => world.toScene(), { message: /"same" of two objects/ });
  scene.dispose();
  world.dispose();
});

test('a world that was restored is one like any other', async () => {
  const cairn = await getCairn();
  const scene = cairn.loadScene(readScene('heavy-top-stack'));
  const restored = cairn.restoreWorld(scene.world.save());
  const copy = reload(cairn, restored);
  assert.equal(copy.world.hash(), scene.world.hash());
  for (const item of [scene, copy, restored]) item.dispose();
});

test('what a scene cannot hold is named', async () => {
  const cairn = await getCairn();
  const world = cairn.createWorld();
  const body = world.createBody({ name: 'a/b', geometries: [{ shape: box }] });
  const expected = { code: 'NOT_SUPPORTED_YET', call: 'world.toScene' };
  refuses(() => world.toScene(), { ...expected, reason: /"a\/b"/ });
  body.name = 'crate';
  const grip = world.createMouseConstraint(body, [0, 0, 0], { name: 'grip' });
  world.toScene();
  grip.setTarget([0, 0, 1]);
  world.step();
  refuses(() => world.toScene(), { ...expected, argument: 'grip' });
  grip.destroy();
  const lift = world.createBody({ name: 'lift', motion: 'kinematic' });
  lift.moveTo([0, 0, 1], [0, 0, 0, 1], 1);
  refuses(() => world.toScene(), { ...expected, reason: /lift/ });
  lift.moveTo([0, 0, 1], [0, 0, 0, 1], 1, 'keepVelocity');
  const copy = reload(cairn, world);
  for (const item of [world, copy]) item.steps(60);
  near(copy.findBody('lift').getPosition(), [0, 0, 1], 1e-12);
  copy.dispose();
  world.createContactMaterial({ materials: [null, world.createMaterial()], friction: 0 });
  refuses(() => world.toScene(), { ...expected, reason: /default material/ });
  world.collide();
  refuses(() => world.toScene(), { code: 'WRONG_PHASE' });
  world.solve();
  world.dispose();
  refuses(() => world.toScene(), { code: 'STALE_HANDLE' });
});
