// Merged bodies against the composite body: mass, centre, inertia and motion of the reference MX01; a flatbed
// with 200 logs that is driven, braked and steered; bodies that merge and part in flight.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { load } from '../../web/index.node.js';

/** @type {Awaited<ReturnType<typeof load>>} */
let cairn;
before(async () => {
  cairn = await load({ flavour: 'st' });
});
after(() => cairn.dispose());

const reference = JSON.parse(
  readFileSync(new URL('./MX01_merged_flatbed_composite.json', import.meta.url), 'utf8'),
);

const difference = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
const size = (a) => Math.max(...a.map(Math.abs));

/** The parts of the reference, merged by the scene itself. */
function loadFlatbed(timeStep) {
  const { setup } = reference;
  const bodies = setup.parts.map(({ mass, box, centre }, i) => ({
    name: `part ${i}`,
    position: centre,
    mass,
    geometries: [{ shape: { type: 'box', halfExtents: box.map((side) => side / 2) } }],
  }));
  return cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    world: { gravity: [0, 0, 0], timeStep },
    bodies,
    mergedBodies: [
      { name: 'flatbed', bodies: ['part 0'], edges: [1, 2, 3].map((i) => ['part 0', `part ${i}`]) },
    ],
  });
}

test('MX01: mass, centre and inertia of the composite', () => {
  const scene = loadFlatbed(0.01);
  const whole = scene.findMergedBody('flatbed').getProperties();
  const { mass, com, inertia_about_com: inertia } = reference.reference;
  assert.equal(whole.mass, mass);
  assert.ok(difference(whole.centreOfMass, com) < 1e-11);
  const found = [0, 1, 2].map((i) => [0, 1, 2].map((k) => whole.inertia[3 * i + k]));
  for (let i = 0; i < 3; ++i) {
    for (let k = 0; k < 3; ++k)
      assert.ok(Math.abs(found[i][k] - inertia[i][k]) < 1e-9 * inertia[2][2], `I[${i}][${k}]`);
  }
  scene.dispose();
});

test('MX01: free motion of the composite', () => {
  const step = reference.tolerance.time_step;
  const scene = loadFlatbed(step);
  const { world } = scene;
  const merged = scene.findMergedBody('flatbed');
  const [wx, wy, wz] = reference.setup.initial_omega_world;
  const { centreOfMass } = merged.getProperties();
  for (const body of merged.bodies) {
    const [x, y, z] = body.getCentreOfMass().map((value, i) => value - centreOfMass[i]);
    body.setVelocity([wy * z - wz * y, wz * x - wx * z, wx * y - wy * x]);
    body.setAngularVelocity([wx, wy, wz]);
  }
  const first = scene.findBody('part 0');
  let worst = 0;
  for (const [t, w, x, y, z] of reference.reference.samples) {
    while (world.time < t - step / 2) world.step();
    const found = first.getRotation();
    const sign = found[3] * w + found[0] * x + found[1] * y + found[2] * z < 0 ? -1 : 1;
    worst = Math.max(worst, difference(found, [sign * x, sign * y, sign * z, sign * w]));
    assert.ok(size(merged.getProperties().velocity) < 1e-12);
  }
  assert.ok(worst < reference.tolerance.quat / 10, `quaternion is off by ${worst}`);
  scene.dispose();
});

/** What the force test is off by after a step from rest, as a part. @param {number} step s */
function measureForceTest(step) {
  const scene = loadFlatbed(step);
  scene.findBody('part 0').applyForceAtPoint([8000, 0, 0], [0, 0, 0]);
  scene.world.step();
  const { velocity, angularVelocity } = scene.findMergedBody('flatbed').getProperties();
  const { com_acceleration: linear, angular_acceleration: angular } = reference.reference.force_test;
  const off = (found, wanted) =>
    difference(
      found.map((value) => value / step),
      wanted,
    ) / size(wanted);
  scene.dispose();
  return { linear: off(velocity, linear), angular: off(angularVelocity, angular) };
}

// The composite rotates within the step, which changes I⁻¹ as h² does: the acceleration from rest is that of
// short steps.
test('MX01: a force at a part accelerates the whole, more exactly with the square of the step', (t) => {
  const { time_step: step, acceleration_relative: tolerance } = reference.tolerance;
  const [coarse, half, fine] = [step, step / 2, step / 10].map(measureForceTest);
  t.diagnostic(`angular acceleration off by ${coarse.angular} at ${step} s, ${fine.angular} at a tenth`);
  for (const { linear } of [coarse, half, fine]) assert.ok(linear < tolerance);
  assert.ok(fine.angular < tolerance / 10, `${fine.angular}`);
  assert.ok(coarse.angular < 4.5 * half.angular, `${coarse.angular}, ${half.angular}`);
  assert.ok(coarse.angular > 3.5 * half.angular, `${coarse.angular}, ${half.angular}`);
});

// What drives a flatbed: a force along it at the axle and a torque about the vertical, over time.
const drives = [
  { until: 2, force: [120000, 0, 0], torque: [0, 0, 0] },
  { until: 4, force: [30000, 0, 0], torque: [0, 0, 60000] },
  { until: 6, force: [0, 0, 0], torque: [0, 0, -90000] },
  { until: 8, force: [-90000, 0, 0], torque: [0, 0, 0] },
];

test('a flatbed with 200 logs moves as the composite body does, within 1e-9', () => {
  const makeWorld = () => cairn.createWorld({ gravity: [0, 0, 0] });
  const [world, other] = [makeWorld(), makeWorld()];
  const bed = world.createBody({
    position: [0, 0, 1],
    mass: 9000,
    geometries: [{ shape: { type: 'box', halfExtents: [6, 1.25, 0.2] } }],
  });
  const log = world.createShape({ type: 'cylinder', radius: 0.12, height: 4 });
  const logs = Array.from({ length: 200 }, (_, i) => {
    const [row, layer, end] = [i % 10, Math.floor(i / 20), Math.floor(i / 10) % 2];
    return world.createBody({
      position: [end ? 2.2 : -2.2, -1.1 + 0.24 * row + 0.01 * layer, 1.32 + 0.24 * layer],
      rotation: [0, 0, -Math.SQRT1_2, Math.SQRT1_2], // along x
      geometries: [{ shape: log }],
    });
  });
  const merged = world.createMergedBody({ edges: logs.map((body) => ({ body1: bed, body2: body })) });
  const whole = merged.getProperties();
  const composite = other.createBody({
    position: [0, 0, 1],
    mass: whole.mass,
    inertia: whole.inertia,
    centreOfMass: whole.centreOfMass.map((value, i) => value - [0, 0, 1][i]),
  });
  assert.equal(world.getCounters().solverBodies, 1);
  let way = 0;
  for (const { until, force, torque } of drives) {
    while (world.time < until) {
      for (const body of [bed, composite]) {
        const turn = body.getRotation();
        // about the vertical alone, nearly: forces go along with it
        const angle = 2 * Math.atan2(turn[2], turn[3]);
        const along = [Math.cos(angle) * force[0], Math.sin(angle) * force[0], 0];
        body.applyForceAtLocalPoint(along, [-5, 0, -0.5]);
        body.applyTorque(torque);
      }
      world.step();
      other.step();
      const expected = composite.getPosition();
      way = Math.max(way, size(expected));
      assert.ok(difference(bed.getPosition(), expected) <= 1e-9 * Math.max(1, way));
      assert.ok(difference(bed.getRotation(), composite.getRotation()) <= 1e-9);
      assert.ok(difference(bed.getVelocity(), velocityAt(composite, bed)) <= 1e-9 * 10);
    }
  }
  assert.ok(way > 20, `it came ${way} m far`);
  world.validate();
  world.dispose();
  other.dispose();
});

/** Velocity of a body's point where the centre of mass of another is. */
function velocityAt(body, other) {
  const [wx, wy, wz] = body.getAngularVelocity();
  const [x, y, z] = other.getCentreOfMass().map((value, i) => value - body.getCentreOfMass()[i]);
  const around = [wy * z - wz * y, wz * x - wx * z, wx * y - wy * x];
  return body.getVelocity().map((value, i) => value + around[i]);
}

test('actions of a scene part and join merged bodies', () => {
  const scene = cairn.loadScene({
    format: 'cairn-scene',
    version: 1,
    world: { gravity: [0, 0, 0], timeStep: 0.01 },
    bodies: ['a', 'b', 'c'].map((name, i) => ({
      name,
      position: [2 * i, 0, 0],
      velocity: [0, 0, i],
      geometries: [{ shape: { type: 'sphere', radius: 0.5 } }],
    })),
    mergedBodies: [{ name: 'm', bodies: ['a', 'b', 'c'], active: false }],
    actions: [
      { at: 0.1, mergedBody: 'm', active: true },
      { at: 0.2, mergedBody: 'm', remove: 'b' },
    ],
  });
  const read = (name) => scene.openChannel(name).read();
  assert.equal(read('body/a/merged'), false);
  assert.equal(read('mergedBody/m/active'), false);
  const momentum = read('world/momentum');
  const angularMomentum = read('world/angularMomentum');
  for (let i = 0; i < 11; ++i) scene.step();
  assert.equal(read('body/a/merged'), true);
  assert.equal(read('world/solverBodies'), 1);
  assert.deepEqual(read('mergedBody/m/bodies'), ['a', 'b', 'c']);
  for (let i = 0; i < 11; ++i) scene.step();
  assert.deepEqual(read('mergedBody/m/bodies'), ['a', 'c']);
  assert.equal(read('body/b/merged'), false);
  assert.ok(difference(read('world/momentum'), momentum) < 1e-12 * size(momentum));
  assert.ok(difference(read('world/angularMomentum'), angularMomentum) < 1e-12 * size(angularMomentum));
  scene.dispose();
});
