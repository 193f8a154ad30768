// Ten thousand random misuses give ten thousand CairnErrors in the words of JavaScript, and the world is as
// it was (misuses.mjs; a hundred thousand of them in misuse.long.test.mjs).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentCounts } from '../../web/generated/parameters.js';
import { flavours, getCairn } from './helpers.mjs';
import { classOf, kinds, makeCast, methods, misuse, runMisuses, seed, use } from './misuses.mjs';

const count = 10_000;

for (const [flavour, getModule] of flavours) {
  test(`${count} random misuses are refused, and the world is unharmed (${flavour}, seed ${seed})`, async () => {
    runMisuses(await getModule(), count);
  });
}

test('each argument of each method spoilt in each way is refused', async () => {
  const cast = makeCast(await getCairn('st', 1));
  const { live, stale, otherWorld } = cast;
  assert.ok(live.cursor.next());
  const hash = live.world.hash();
  const complaints = [];
  const attempt = (name, task, place) => {
    const { complaint } = misuse(task, place);
    if (complaint) complaints.push(`${name} ${complaint}`);
  };
  for (const [owner, method, parameters] of methods) {
    const place = { owner, method };
    const good = () => parameters.map((kind) => kinds[kind].good(live));
    parameters.forEach((kind, i) =>
      kinds[kind].bad.forEach((bad, k) => {
        const values = good();
        values[i] = bad;
        attempt(
          `${owner}.${method} with bad ${kind} ${k} as argument ${i}`,
          () => use(live[owner], method, values),
          place,
        );
      }),
    );
    if (owner in stale) attempt(`a stale ${owner}.${method}`, () => use(stale[owner], method, good()), place);
    if (owner in classOf) {
      const fake = Object.create(classOf[owner].prototype);
      attempt(`${owner}.${method} of an object that nobody made`, () => use(fake, method, good()));
    }
  }
  assert.ok(complaints.length === 0, complaints.join('\n'));
  assert.equal(live.world.hash(), hash);
  live.world.steps(10);
  for (const world of [live.world, otherWorld]) world.validate();
  for (const item of [live.world, live.scene, otherWorld]) item.dispose();
});

test('the table of misuses has every method that takes an argument, and every property that can be set', async () => {
  const { live, otherWorld } = makeCast(await getCairn('st', 1));
  const names = new Set(methods.map(([owner, method]) => `${owner}.${method}`));
  const alike = {
    shape: ['field'],
    field: ['shape'],
    constraint: ['ball', 'cylindrical'],
    ball: ['constraint', 'cylindrical'],
    cylindrical: ['constraint', 'ball'],
  };
  // what takes anything (userData), and what asks the user's own function (gatherFiles) are no misuse; what
  // gives a promise is held to its errors in mesh_tools.test.mjs
  const exempt = new Set([
    'cairn.decomposeMesh',
    'cairn.reduceMesh',
    'cairn.fitShape',
    'columns.view',
    'cursor.place',
    'listener.remove',
    'world.advanceWith',
    'world.stepBy',
    'world.stepByHand',
    'world.stepsByHand',
    'world.groupOf',
    'world.objectOf',
    'world.forget',
  ]);
  const missing = [];
  for (const [owner, object] of Object.entries(live)) {
    if (Array.isArray(object)) continue;
    for (
      let made = Object.getPrototypeOf(object);
      made && made !== Object.prototype;
      made = Object.getPrototypeOf(made)
    ) {
      for (const [name, { value, set }] of Object.entries(Object.getOwnPropertyDescriptors(made))) {
        const method = set ? `set:${name}` : name;
        // refuse: of a name that is no property
        const takes =
          (set !== undefined && set.name !== 'refuse') ||
          (typeof value === 'function' && value.length + (argumentCounts[owner]?.[name] ?? 0) > 0);
        const isKnown = [owner, ...(alike[owner] ?? [])].some((item) => names.has(`${item}.${method}`));
        if (takes && !isKnown && name !== 'constructor' && !exempt.has(`${owner}.${method}`))
          missing.push(`${owner}.${method}`);
      }
    }
  }
  for (const item of [live.world, live.scene, otherWorld]) item.dispose();
  assert.deepEqual(missing, []);
});
