// GE02: signed distances of convex pairs that others published, by the query in f64.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { load } from '../../web/index.node.js';

const file = new URL('../validation/GE02_convex_distance_published_pairs.json', import.meta.url);
const { reference, tolerance } = JSON.parse(fs.readFileSync(file, 'utf8'));
const cairn = await load({ threads: 1 });

/** Quaternion x, y, z, w of a rotation matrix given by rows (Shepperd 1978, by the largest component). */
function quaternionOf([[a, b, c], [d, e, f], [g, h, i]]) {
  const trials = [
    [1 + a - e - i, b + d, c + g, h - f],
    [b + d, 1 - a + e - i, f + h, c - g],
    [c + g, f + h, 1 - a - e + i, d - b],
    [h - f, c - g, d - b, 1 + a + e + i],
  ];
  const best = trials.reduce((most, trial, k) => (trial[k] > trials[most][most] ? k : most), 0);
  const length = Math.hypot(...trials[best]);
  return trials[best].map((x) => x / length);
}

function placed({ type, half_extents, points, vertices, quat_wxyz, rotation_rows, position }) {
  const shape =
    type === 'box' ? { type, halfExtents: half_extents } : { type: 'convex', points: points ?? vertices };
  const [w, x, y, z] = quat_wxyz ?? [1, 0, 0, 0];
  const length = Math.hypot(w, x, y, z);
  const rotation = rotation_rows ? quaternionOf(rotation_rows) : [x, y, z, w].map((value) => value / length);
  return [shape, { position: position ?? [0, 0, 0], rotation }];
}

for (const { name, A, B, exact_signed_distance: exact } of reference.polytope_pairs) {
  test(name, (t) => {
    const count = (A.points ?? A.vertices ?? [1, 2, 3, 4]).length;
    if (count < 4 || (B.points ?? B.vertices ?? [1, 2, 3, 4]).length < 4) return t.skip('no solid');
    const found = cairn.computeClosestPoints(...placed(A), ...placed(B));
    const error = Math.abs(found.distance - exact);
    assert.ok(error <= tolerance.distance_abs_double, `${found.distance} is not ${exact}: ${error}`);
  });
}
