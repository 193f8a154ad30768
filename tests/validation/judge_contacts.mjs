// How contact cases are judged: a quantity is within its tolerance unless it is named here, and what is named
// here is known to miss, so that the list shrinks.

import assert from 'node:assert/strict';

/** By case: quantities that miss in the whole case or with other numbers, and why. */
export const knownMisses = {
  SB04_simbenchmark_elastic666: {
    metric:
      'The heap keeps its energy within 1e-5 until it falls together at 1.4 s; there balls meet several ' +
      'others within a step, and those moved by an impact are found in others before these have given way.',
  },
};

export function judge(rows, missing = {}) {
  assert.ok(rows.length > 0);
  const missed = rows.filter(({ error, limit }) => !(error <= limit));
  const text = missed.map(({ name, error, limit, unit }) => `${name}: ${error} ${unit}, allowed ${limit}`);
  const unknown = missed.map(({ name }) => name).filter((name) => !(name in missing));
  assert.deepEqual(unknown, [], text.join('; '));
}
