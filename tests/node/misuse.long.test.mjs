// A hundred thousand random misuses in both modules: each an error in the words of JavaScript, and the world
// unharmed.

import { test } from 'node:test';
import { flavours } from './helpers.mjs';
import { runMisuses, seed } from './misuses.mjs';

const count = 100_000;

for (const [flavour, getModule] of flavours) {
  test(`${count} random misuses are refused, and the world is unharmed (${flavour}, seed ${seed})`, async () => {
    runMisuses(await getModule(), count);
  });
}
