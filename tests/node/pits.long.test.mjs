// Pits that begin a tenth of a millimetre apart come to rest without deep overlaps.
// `npm run test:long` runs it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../validation/simulate.mjs';
import { getCairn, readScene } from './helpers.mjs';

const pits = 34;
const deep = 5e-3; // m

test(`of ${pits} pits at most two have an overlap above 5 mm after 15 s`, async () => {
  const cairn = await getCairn('st', 1);
  const scene = JSON.parse(readScene('pit'));
  const next = random(1);
  const overlaps = [];
  for (let pit = 0; pit < pits; ++pit) {
    const shifted = structuredClone(scene);
    for (const body of pit > 0 ? shifted.bodies : []) {
      body.position = body.position.map((x) => x + 1e-4 * (2 * next() - 1));
    }
    const loaded = cairn.loadScene(shifted);
    loaded.steps(900);
    overlaps.push(loaded.world.maxPenetration);
    loaded.dispose();
  }
  overlaps.sort((a, b) => b - a);
  console.log(`overlaps in mm: ${overlaps.map((x) => (1e3 * x).toFixed(2)).join(' ')}`);
  assert.ok(overlaps.filter((x) => x > deep).length <= 2, `${overlaps.slice(0, 4)} m`);
});
