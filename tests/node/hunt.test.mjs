// The hunt: random scenes with joints and contacts, and scenes that exploded once, break no physical law
// with any solver.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EXPLOSIONS } from '../hunt/explosions.mjs';
import {
  HARD_LAWS,
  LAWS,
  SOLVERS,
  WORLD_SOLVERS,
  describe,
  hunt,
  isBroken,
  judgeAll,
} from '../hunt/campaign.mjs';
import { FAMILIES, makeHuntScene } from '../hunt/scenes.mjs';
import { root } from './helpers.mjs';

const program = join(root, 'build/native-release/hunt_judge');

function list(verdicts, laws) {
  return verdicts
    .filter((verdict) => isBroken(verdict, laws))
    .map((verdict) => describe(verdict, laws))
    .join('\n');
}

// ---- the judge --------------------------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), 'cairn-hunt-'));
after(() => rmSync(folder, { recursive: true }));

const box = (...halfExtents) => ({ shape: { type: 'box', halfExtents }, material: 'm' });
const ground = { name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 }, material: 'm' };

/** Verdicts of a world's solvers on a scene of these sections. */
function judgeScene(name, sections, { steps = 240, canRest = false, restitution = 0 } = {}) {
  const file = join(folder, `${name}.json`);
  const materials = [{ name: 'm', density: 1000 }];
  const contactMaterials = [{ materials: ['m', 'm'], restitution }];
  const scene = { format: 'cairn-scene', version: 1, materials, contactMaterials, ...sections };
  writeFileSync(file, JSON.stringify(scene));
  return judgeAll(program, [{ name, file, family: 'judge', steps, canRest }], { solvers: WORLD_SOLVERS });
}

/** Bars of 1 m, end to end from (0, 0, 2) along x; the first is joined to the world. */
function makeArm(count, joint) {
  const bodies = Array.from({ length: count }, (_, i) => ({
    name: `b${i}`,
    position: [i + 0.5, 0, 2],
    geometries: [box(0.5, 0.05, 0.05)],
  }));
  const constraints = bodies.map(({ name }, i) => ({
    name: `j${i}`,
    type: 'hinge',
    bodies: [name, i > 0 ? `b${i - 1}` : null],
    anchor: [i, 0, 2],
    axis: [0, 1, 0],
    ...joint,
  }));
  return { bodies, constraints };
}

const spring = {
  name: 's',
  type: 'spring',
  bodies: ['b', null],
  anchors: [
    [0.7, 0, 2],
    [0, 0, 2],
  ],
  length: 0.5,
  damping: 0,
};

const ball = { shape: { type: 'sphere', radius: 0.1 }, material: 'm' };
const cube = { name: 'b', position: [0.7, 0, 2], geometries: [box(0.1, 0.1, 0.1)] };
const hook = {
  name: 'k',
  motion: 'kinematic',
  position: [0, 0, 3],
  velocity: [0.5, 0, 0.5],
  angularVelocity: [0, 1, 0],
  geometries: [{ ...ball, collisions: false }],
};

test('what obeys the laws is found lawful', async () => {
  const spin = { angularVelocity: [3, 4, 5], geometries: [box(0.1, 0.2, 0.3)] };
  const lawful = [
    judgeScene('fall', { bodies: [{ name: 'b', position: [0, 0, 100], velocity: [3, 0, -10], ...spin }] }),
    judgeScene('land', {
      bodies: [{ name: 'b', position: [0, 0, 5], velocity: [1, 0, -10], ...spin }],
      geometries: [ground],
    }),
    judgeScene(
      'bounce',
      { bodies: [{ name: 'b', position: [0, 0, 3], geometries: [ball] }], geometries: [ground] },
      { restitution: 1 },
    ),
    judgeScene('pendulum', makeArm(2, {})),
    judgeScene('limits', makeArm(1, { range: { limits: [-0.5, 0.6] } })),
    judgeScene('motor', makeArm(1, { motor: { speed: 5, force: 500 } })),
    judgeScene('motors', makeArm(2, { motor: { speed: -15, force: 400 } })),
    judgeScene('servo', makeArm(1, { lockAt: { position: 1, force: 80 } })),
    judgeScene('compliant servo', makeArm(1, { lockAt: { position: 0.5, compliance: 1e-3, damping: 0.01 } })),
    judgeScene('soft spring', { bodies: [cube], constraints: [{ ...spring, stiffness: 200 }] }),
    judgeScene('hard spring', { bodies: [cube], constraints: [{ ...spring, stiffness: 5000 }] }),
    judgeScene('soft joint', makeArm(1, { compliance: 1e-4 })),
    judgeScene('hook', {
      bodies: [hook, { ...cube, position: [0.5, 0, 3] }],
      constraints: [{ name: 'j', type: 'ball', bodies: ['b', 'k'], anchor: [0.15, 0, 3] }],
    }),
    judgeScene('push', {
      bodies: [cube],
      actions: [{ at: 0.5, body: 'b', force: [0, 0, 400], torque: [3, 0, 0], for: 1 }],
    }),
  ];
  const verdicts = (await Promise.all(lawful)).flat();
  assert.equal(list(verdicts, LAWS), '');
  for (const { name, result } of verdicts) {
    // and by a margin
    assert.ok(result?.gain <= 0.005 * (result?.scale + result?.work), `${name}: ${JSON.stringify(result)}`);
  }
});

test('what breaks a law is found, and when', async () => {
  const at = 0.5; // s: step 31 is the first after it
  const expectLaws = async (verdicts, laws) => {
    for (const { name, solver, broken } of await verdicts) {
      for (const law of laws) {
        const found = broken.find((breach) => breach.law === law);
        assert.ok(
          found && found.step >= 31 && found.step <= 36,
          `${name} ${solver}: ${law} in ${JSON.stringify(broken)}`,
        );
      }
    }
  };
  const act = (name, sections, action) => judgeScene(name, { ...sections, actions: [{ at, ...action }] });
  const resting = { bodies: [{ ...cube, position: [0, 0, 0.1] }], geometries: [ground] };
  await expectLaws(act('thrown', resting, { body: 'b', velocity: [0, 0, 5] }), [
    'explosion',
    'gain',
    'speed',
  ]);
  await expectLaws(act('nudged', resting, { body: 'b', velocity: [0, 0, 0.5] }), ['gain', 'regain']);
  await expectLaws(act('sunk', resting, { body: 'b', position: [0, 0, -2] }), ['under']);
  const arm = makeArm(1, {});
  await expectLaws(act('torn', arm, { body: 'b0', position: [0.5, 0.5, 2] }), ['open', 'torn']);

  const floating = { world: { gravity: [0, 0, 0] }, bodies: [{ ...cube, velocity: [0.1, 0, 0] }] };
  for (const { broken } of await judgeScene('floating', floating, { canRest: true }))
    assert.deepEqual(
      broken.map(({ law }) => law),
      ['restless'],
    );
});

// ---- the hunt ---------------------------------------------------------------------------------------------

test('a seed gives the same scene each time, and every family has one', () => {
  const families = new Set();
  for (let seed = 1; seed <= FAMILIES.length; ++seed) {
    const first = makeHuntScene(seed);
    assert.deepEqual(makeHuntScene(seed), first);
    families.add(first.family);
  }
  assert.deepEqual([...families].sort(), [...FAMILIES].sort());
});

test('random scenes 1 to 20 break no law', async () => {
  const verdicts = await hunt(program, { from: 1, to: 20 });
  assert.equal(verdicts.length, 20 * SOLVERS.length);
  assert.equal(list(verdicts, HARD_LAWS), '');
  for (const law of ['regain', 'restless']) {
    const count = verdicts.filter((verdict) => isBroken(verdict, [law])).length;
    assert.ok(count <= Math.ceil(0.01 * verdicts.length), list(verdicts, [law]));
  }
});

test('random scenes 21 to 40 break no law where what rests sleeps', async () => {
  const verdicts = await hunt(program, { from: 21, to: 40, sleeps: true, isTimed: false });
  assert.equal(list(verdicts, [...HARD_LAWS, 'regain']), '');
});

test('random scenes 1 to 20 break no law where bodies are merged and part again', async () => {
  // what is welded to a wheel of another axle tears swept suspensions, which take up energy and give it back
  const verdicts = await hunt(program, { from: 1, to: 20, merges: true, isTimed: false });
  assert.equal(list(verdicts, HARD_LAWS), '');
});

test('random scenes 41 to 60 break no law where bodies merge by themselves, and sleep', async () => {
  const verdicts = await hunt(program, { from: 41, to: 60, adapts: true, sleeps: true, isTimed: false });
  assert.equal(list(verdicts, [...HARD_LAWS, 'regain']), '');
});

test('scenes that exploded once break no law', async () => {
  // swept constraints let bodies that begin in one another keep a part of what pushes them out
  const verdicts = await judgeAll(program, EXPLOSIONS, { solvers: WORLD_SOLVERS });
  assert.equal(list(verdicts, [...HARD_LAWS, 'regain', 'restless', 'open', 'speed']), '');
  const swept = EXPLOSIONS.filter(({ wereSwept }) => wereSwept);
  assert.equal(list(await judgeAll(program, swept, { solvers: ['swept'] }), HARD_LAWS), '');
});
