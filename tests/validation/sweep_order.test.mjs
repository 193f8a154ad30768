// Why sweeps go crosswise over what is tall for its face, and four times where it is slender: the
// amplification of one step of the linear scheme of docs/iterative-contacts.md, by power iteration. A body of
// 1 kg stands on four points; all of them press, nothing slides; gravity tips it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

const GRAVITY = 9.80665;
const SUBSTEPS = 4;
const SUBSTEP = 1 / 60 / SUBSTEPS; // s
const GAMMA = 1 / (1 + 4 * 2); // damping of two sub-steps
const BOUNCE = (4 * GAMMA) / SUBSTEP; // 1/s
const THETA = 0.4; // on what is not dynamic

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * @param {number} radius @param {number} half of its height, m
 * @param {number[]} order in which the points, corners of a square, are swept; may have each several times
 */
function findAmplification(radius, half, order) {
  const inertia = (half * half) / 3 + (radius * radius) / 4;
  const size = Math.sqrt(inertia); // rows in coordinates in which mass and inertia are 1
  const corners = Array.from({ length: 4 }, (_, i) => [
    Math.cos((Math.PI * i) / 2),
    Math.sin((Math.PI * i) / 2),
  ]);
  const rows = corners.map(([x, y]) => [1, (radius * y) / size, (-radius * x) / size]);
  const mobility = rows.map((row) => dot(row, row));
  const softening = mobility.map((value) => 4 * GAMMA * THETA * value);
  const tipping = [0, (GRAVITY * half) / inertia, (GRAVITY * half) / inertia];
  let velocity = [0.1, 0.2, -0.15];
  let place = [0.01, -0.02, 0.03];
  let impulses = rows.map((_, i) => 0.1 * Math.sin(i + 1));
  const apply = (i, change) => {
    impulses[i] += change;
    for (let k = 0; k < 3; ++k) velocity[k] += rows[i][k] * change;
  };
  let growth = 0;
  for (let step = 0; step < 1500; ++step) {
    const start = place.slice();
    for (let substep = 0; substep < SUBSTEPS; ++substep) {
      const before = velocity.slice();
      for (let k = 0; k < 3; ++k) {
        velocity[k] +=
          SUBSTEP * tipping[k] * start[k] + rows.reduce((sum, row, i) => sum + row[k] * impulses[i], 0);
      }
      for (const i of order) {
        const speed = dot(rows[i], velocity) - GAMMA * dot(rows[i], before) + BOUNCE * dot(rows[i], place);
        apply(i, -(speed + softening[i] * impulses[i]) / (mobility[i] + softening[i]));
      }
      for (let k = 0; k < 3; ++k) place[k] += SUBSTEP * velocity[k];
      for (const i of order) apply(i, -dot(rows[i], velocity) / mobility[i]);
    }
    const norm = Math.sqrt(
      dot(velocity, velocity) + 1e4 * dot(place, place) + 1e2 * impulses.reduce((sum, x) => sum + x * x, 0),
    );
    [velocity, place, impulses] = [velocity, place, impulses].map((list) =>
      list.map((value) => value / norm),
    );
    if (step >= 500) growth += Math.log(norm) / 1000;
  }
  return Math.exp(growth);
}

test('sweeps around a tall face grow, crosswise and repeated ones do not', (t) => {
  const around = [0, 1, 2, 3];
  const crosswise = [0, 2, 1, 3];
  for (const half of [0.4, 0.8, 1, 2, 4]) {
    const share = 0.2 ** 2 / (half ** 2 / 3 + 0.2 ** 2 / 4);
    const [once, across, twice] = [around, crosswise, [...around, ...around]].map((order) =>
      findAmplification(0.2, half, order),
    );
    t.diagnostic(
      `${half / 0.2} times as tall as wide, q ${share.toFixed(3)}: ` +
        `around ${once.toFixed(2)}, crosswise ${across.toFixed(2)}, twice around ${twice.toFixed(2)}`,
    );
    assert.equal(once > 1, half >= 1);
    assert.ok(across < 0.98 && twice < 0.9);
  }
});
