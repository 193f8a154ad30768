// The yardstick measures the same simulation in a page as in Node: Cairn ends in one state, to the bit, and
// what goes wrong in a page becomes a result.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openChromium } from '../../bench/yardstick/chromium.mjs';
import { buildFolders } from '../../bench/yardstick/folders.mjs';
import { openNode } from '../../bench/yardstick/node.mjs';

const LIMIT = 60; // s
// ragdolls, their rotations by sines: the lowest land after 27 steps
const job = { engine: 'cairn', scene: 'S7', steps: 40, cap: 30 };

/** Roots of our own measures may differ in their last bits. @param {Record<string, number>} metrics */
const rounded = (metrics) =>
  Object.fromEntries(Object.entries(metrics).map(([key, x]) => [key, Number(x.toPrecision(6))]));

describe('the yardstick in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof openChromium>>} */
  let chromium;
  /** What Node gives. @type {Record<string, any>} */
  let wanted;

  before(async () => {
    wanted = await openNode().once(job, LIMIT);
    chromium = await openChromium({ ...buildFolders(), box3d: new URL('no/build/here/', import.meta.url) });
  });
  after(() => chromium?.close());

  it('has a state of Node to compare with, which depends on the steps', async () => {
    assert.equal(wanted.error, undefined);
    assert.match(wanted.hash, /^[0-9a-f]{16}$/);
    assert.deepEqual([wanted.host, wanted.steps, wanted.bodies], ['node', 40, 1101]);
    // they touch each other and the ground, and still fall: g²t²/2 is 21 J/kg in 40 steps
    assert.ok(wanted.metrics.pairs > 50, `${wanted.metrics.pairs} overlaps`);
    assert.ok(wanted.metrics.keJkg > 1 && wanted.metrics.keJkg < 21.4, `${wanted.metrics.keJkg} J/kg`);
    const earlier = await openNode().once({ ...job, steps: 39 }, LIMIT);
    assert.match(earlier.hash, /^[0-9a-f]{16}$/);
    assert.notEqual(earlier.hash, wanted.hash);
  });

  for (const engine of ['cairn', 'cairn-mt2']) {
    it(`${engine} ends in the state of Node, with times and quality`, async () => {
      const found = await chromium.once({ ...job, engine }, LIMIT);
      assert.equal(found.error, undefined);
      assert.equal(found.host, 'chromium');
      assert.match(found.hostVersion, /^\d+\.\d+\.\d+\.\d+$/);
      assert.deepEqual([found.engine, found.steps, found.capped], [engine, 40, false]);
      assert.equal(found.hash, wanted.hash);
      assert.deepEqual(rounded(found.metrics), rounded(wanted.metrics));
      for (const time of ['medianMs', 'p95Ms', 'meanMs', 'maxMs']) assert.ok(found[time] > 0, time);
    });
  }

  it('an engine that does not load in a page says so', async () => {
    const { error } = await chromium.once({ ...job, engine: 'box3d' }, LIMIT);
    assert.match(error, /^does not load in a page: no box3d\.mjs that loads in BOX3D_DIR/);
  });

  it('a page that hangs is ended', async () => {
    const started = performance.now();
    const found = await chromium.once({ ...job, steps: 1e9, cap: 1e9 }, 1.5);
    assert.equal(found.error, 'no result: nothing in 1.5 s');
    assert.ok(performance.now() - started < 15_000);
  });
});
