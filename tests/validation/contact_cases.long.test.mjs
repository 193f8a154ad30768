// The whole of the contact cases that take longer than every test run can wait for.

import { test } from 'node:test';
import { cases } from './contacts.mjs';
import { judge, knownMisses } from './judge_contacts.mjs';

for (const { id, run, measure, short } of cases) {
  if (Object.keys(short).length === 0) continue;
  test(`${id}: the whole case`, async () => judge((await measure(run)).rows, knownMisses[id]));
}
