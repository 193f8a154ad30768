// How contact cases are judged: a quantity is within its tolerance unless it is named here, and what is named
// here is known to miss, so that the list shrinks.

import assert from 'node:assert/strict';

/** By case: quantities that miss in the whole case or with other numbers, and why. */
export const knownMisses = {};

export function judge(rows, missing = {}) {
  assert.ok(rows.length > 0);
  const missed = rows.filter(({ error, limit }) => !(error <= limit));
  const text = missed.map(({ name, error, limit, unit }) => `${name}: ${error} ${unit}, allowed ${limit}`);
  const unknown = missed.map(({ name }) => name).filter((name) => !(name in missing));
  assert.deepEqual(unknown, [], text.join('; '));
}
