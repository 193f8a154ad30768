// The yardstick measures the same simulation in a page as in Node: Cairn ends in one state, to the bit, and
// what goes wrong in a page becomes a result.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openChromium } from '../../bench/yardstick/chromium.mjs';
import { buildFolders } from '../../bench/yardstick/folders.mjs';
import { openNode } from '../../bench/yardstick/node.mjs';

const LIMIT = 60; // s
// a ball hits a wall of bricks after 24 steps; nothing in this scene is a sine, which engines round differently
const job = { engine: 'cairn', scene: 'brickWall', steps: 40, cap: 30 };

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
    assert.deepEqual([wanted.host, wanted.steps, wanted.bodies], ['node', 40, 602]);
    // the ball's 2,618 kg at 20 m/s are 524 kJ: it has hit, and the bricks move
    assert.ok(wanted.metrics.keJ > 1e4 && wanted.metrics.keJ < 4.5e5, `${wanted.metrics.keJ} J`);
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
      assert.deepEqual(found.metrics, wanted.metrics);
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
