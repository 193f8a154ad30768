// Friction of single contacts by user code, between collide and solve.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, near, refuses } from './helpers.mjs';

const g = 9.80665;
const solvers = ['auto', 'direct', 'split', 'iterative'];

/** A block of 2 kg that slides along x over a plane at 5 m/s; `give` tells the friction of each contact. */
async function slide(solver, give, velocity = [5, 0, 0]) {
  const cairn = await getCairn();
  const world = cairn.createWorld({ solver: { type: solver } });
  const hard = world.createMaterial({ viscosity: 1 });
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, material: hard });
  const body = world.createBody({
    mass: 2,
    position: [0, 0, 0.05],
    velocity,
    geometries: [{ shape: { type: 'box', halfExtents: [0.5, 0.5, 0.05] }, material: hard }],
  });
  world.addContactListener({
    onContact: (contact) => contact.setFriction(give(body, contact)),
  });
  return { world, body };
}

/** Mean acceleration over half a second, m/s². */
function measure({ world, body }) {
  world.steps(6);
  const before = body.getVelocity([0, 0, 0]);
  world.steps(30);
  return body.getVelocity([0, 0, 0]).map((v, i) => (v - before[i]) / 0.5);
}

test('a given normal force: friction of 3 N whatever presses', async () => {
  for (const solver of solvers) {
    const mu = 0.3;
    const found = measure(await slide(solver, () => ({ force: [mu * 10, mu * 10] })));
    near(found, [-1.5, 0, 0], 1e-3);
  }
});

test('a turned frame: rails at 30° that hold across and slide along', async () => {
  for (const solver of solvers) {
    const rail = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6), 0];
    const { world, body } = await slide(solver, () => ({ box: true, primary: rail, coefficient: [0.1, 50] }));
    world.steps(60);
    const v = body.getVelocity([0, 0, 0]);
    const along = v[0] * rail[0] + v[1] * rail[1];
    near(Math.abs(v[0] * rail[1] - v[1] * rail[0]), 0, 1e-3);
    // what was along the rail at first, less a second's friction
    near(along, 5 * rail[0] - 0.1 * g, 0.03);
  }
});

test('random directions: the same numbers make the same world, whatever the solver friction stays on its ellipse', async () => {
  const run = async (solver) => {
    let state = 7;
    const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    const thing = await slide(solver, () => {
      const angle = next();
      return { primary: [angle, 1 - angle, 0], coefficient: [0.4, 0.2] };
    });
    const found = measure(thing);
    return { found, hash: thing.world.hash() };
  };
  for (const solver of solvers) {
    const [first, second] = [await run(solver), await run(solver)];
    assert.equal(first.hash, second.hash);
    assert.ok(-first.found[0] > 0.2 * g && -first.found[0] < 0.4 * g, `${first.found}`);
  }
});

test('a surface velocity drives the body as a belt does, whichever side the cursor shows', async () => {
  for (const solver of solvers) {
    const { world, body } = await slide(
      solver,
      (b, contact) => {
        // the ground's surface moves by 1 m/s along y
        const sign = contact.body1 === b ? -1 : 1;
        return { coefficient: [0.5, 0.5], surfaceVelocity: [0, sign, 0] };
      },
      [0, 0, 0],
    );
    world.steps(60);
    near(body.getVelocity([0, 0, 0]), [0, 1, 0], 1e-3);
  }
});

test('it acts in one step only', async () => {
  let gives = true;
  const { world, body } = await slide('auto', () =>
    gives ? { coefficient: [0, 0] } : { coefficient: [1, 1] },
  );
  world.steps(30);
  near(body.getVelocity([0, 0, 0]), [5, 0, 0], 1e-4);
  gives = false;
  world.steps(60);
  near(body.getVelocity([0, 0, 0]), [0, 0, 0], 1e-4);
});

test('values that are wrong are refused, and nothing is lost', async () => {
  const { world } = await slide('auto', () => ({ coefficient: [0.5, 0.5] }));
  world.collide();
  const contact = world.contacts();
  assert.ok(contact.next());
  const wrong = [
    [{ coefficient: [-1, 0] }, 'OUT_OF_RANGE', 'friction.coefficient'],
    [{ force: [NaN, 0] }, 'NOT_FINITE', 'friction.force[0]'],
    [{ rollingResistance: [0, -1] }, 'OUT_OF_RANGE', 'friction.rollingResistance'],
    [{ spinningFriction: 1e31 }, 'OUT_OF_RANGE', 'friction.spinningFriction'],
    [{ primary: [0, Infinity, 0] }, 'NOT_FINITE', 'friction.primary[1]'],
    [{ surfaceVelocity: [0, 0, 1e31] }, 'OUT_OF_RANGE', 'friction.surfaceVelocity'],
    [{ coefficient: [0.5, 0.2], force: [1, 1] }, 'OUT_OF_RANGE', 'friction.force'],
  ];
  for (const [friction, code, argument] of wrong) {
    refuses(() => contact.setFriction(friction), { code, argument });
  }
  world.solve();
  refuses(() => contact.setFriction({ coefficient: [1, 1] }), { code: 'WRONG_PHASE', argument: 'world' });
  world.validate();
});
