// Contacts against references: every case within its tolerance at its run, and what waits for the engine.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probes } from './contact_models.mjs';
import { cases, waiting } from './contacts.mjs';
import { knownMisses, judge } from './judge_contacts.mjs';
import { simulate } from './simulate.mjs';

for (const { id, run, measure, short, others } of cases) {
  const at = `${run.solver}, ${Number(run.h.toPrecision(3))} s`;
  test(`${id}: within its tolerance (${at})`, async () => {
    judge((await measure(run, short)).rows, knownMisses[id]);
  });
  if (others.length === 0) continue;
  test(`${id}: other numbers of the same kind (${at})`, async () => {
    for (const parameters of others) judge((await measure(run, parameters)).rows, knownMisses[id]);
  });
}

test('what the engine does not do yet is what waits, and says so', async () => {
  assert.deepEqual(
    Object.keys(probes),
    waiting.map(({ id }) => id),
  );
  for (const [id, probe] of Object.entries(probes)) {
    await assert.rejects(
      simulate(probe(), { time: 1 / 60, record: ['body/b/position'] }),
      (error) => /not supported yet/.test(`${error.message} ${error.stderr ?? ''}`),
      `${id} runs: move it to the cases`,
    );
  }
});
