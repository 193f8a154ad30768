// Adaptive merging in large: a thousand rocks on a flatbed that drives and brakes, and a tower of a thousand
// boxes that a ball strikes, each beside the same world without merging.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from '../../web/index.node.js';
import { compareTowers, strikeTowers } from '../shared/struck_tower.mjs';
import { brakeHeap } from '../shared/truck.mjs';

/** @type {Awaited<ReturnType<typeof load>>} */
let cairn;
before(async () => {
  cairn = await load({ flavour: 'st' });
});
after(() => cairn.dispose());

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// Where a heap slides it is chaotic: one that begins micrometres beside another may have 89 % of its rocks
// within 5 cm, or 99. So the mean of four is asked; adaptive_merging.long.test.mjs drives more.
test('a truck: 1,000 rocks ride as one, and slide when it brakes as they do without merging', (t) => {
  const shares = [0, 1e-6, 2e-6, 5e-6].map((scatter) =>
    brakeHeap(cairn, scatter, (line) => t.diagnostic(line)),
  );
  const near = mean(shares.map((share) => share.near));
  t.diagnostic(`${(100 * near).toFixed(1)} % in the mean`);
  assert.ok(near >= 0.95);
  assert.ok(near > mean(shares.map((share) => share.nearAnyhow)));
});

test('a tower of 1,000 boxes that a ball strikes falls as it does without merging', (t) => {
  const [plain, merged] = [false, true].map((mergeSplit) =>
    strikeTowers(cairn, mergeSplit, [-0.02, -0.01, 0, 0.01, 0.02], (line) => t.diagnostic(line)),
  );
  compareTowers(merged, plain);
});
