// Mechanisms, joints and free bodies against published references: every case within its tolerance
// at its time step.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases } from './mechanisms.mjs';

for (const { id, part, steps, measure } of cases) {
  const times = steps.map((h) => `${Number(h.toPrecision(4))} s`).join(' and ');
  test(`${id}${part && `, ${part}`}: within its tolerance at ${times}`, async () => {
    const { rows } = await measure(steps);
    assert.ok(rows.length > 0);
    const missed = rows.filter(({ error, limit }) => !(error <= limit));
    const text = missed.map(({ name, error, limit, unit }) => `${name}: ${error} ${unit}, allowed ${limit}`);
    assert.deepEqual(text, []);
  });
}
