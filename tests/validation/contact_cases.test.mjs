// Contacts against references: every case within its tolerance at its run, with other numbers of its kind,
// too.

import { test } from 'node:test';
import { cases } from './contacts.mjs';
import { knownMisses, judge } from './judge_contacts.mjs';

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
