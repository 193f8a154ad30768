// GE02: signed distances of convex pairs that others published, by the query in f64.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { load } from '../../web/index.node.js';

const file = new URL('GE02_convex_distance_published_pairs.json', import.meta.url);
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

for (const pair of reference.polytope_pairs) {
  test(pair.name, () => {
    const [first, second] = [placed(pair.A), placed(pair.B)];
    const found = cairn.computeClosestPoints(...first, ...second);
    const error = Math.abs(found.distance - pair.exact_signed_distance);
    assert.ok(
      error <= tolerance.distance_abs_double,
      `${found.distance} is not ${pair.exact_signed_distance}`,
    );

    // its direction, or, where several are as good, another that parts them by as little
    const direction = pair.separation_direction_A_relative_to_B;
    const sine = Math.hypot(
      ...direction.map((value, i) => {
        const [j, k] = [(i + 1) % 3, (i + 2) % 3];
        return direction[j] * found.normal[k] - direction[k] * found.normal[j];
      }),
    );
    const cosine = direction.reduce((sum, value, i) => sum + value * found.normal[i], 0);
    const degrees = (Math.atan2(sine, cosine) * 180) / Math.PI;
    if (degrees <= tolerance.direction_deg) return;
    assert.ok(found.distance <= 0, `the direction is off by ${degrees}°`);
    const [shape, pose] = first;
    const position = pose.position.map((value, i) => value - found.distance * found.normal[i]);
    const parted = cairn.computeClosestPoints(shape, { ...pose, position }, ...second);
    assert.ok(parted.distance >= -tolerance.distance_abs_double, `the direction is off by ${degrees}°`);
  });
}

// ---- pairs with closed forms ------------------------------------------------------------------------------
//
// Named in words: here as shapes. Capsules lie along y, those of the reference along z.

const alongZ = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
const alongX = [0, 0, -Math.SQRT1_2, Math.SQRT1_2];
const ball = (radius, ...position) => [{ type: 'sphere', radius }, { position }];
const capsule = (radius, height, rotation, ...position) => [
  { type: 'capsule', radius, height },
  { position, rotation },
];
const box = (halfExtents, ...position) => [{ type: 'box', halfExtents }, { position }];
const boxBetween = (lower, upper) =>
  box(
    lower.map((value, i) => (upper[i] - value) / 2),
    ...lower.map((value, i) => (upper[i] + value) / 2),
  );

/** One [first, second] for each of the reference's pairs, two where it says miss and hit. */
const analyticPairs = [
  [[ball(20, 0, 0, 0), ball(10, 40, 0, 0)]],
  [[ball(20, 0, 0, 0), ball(10, 25, 0, 0)]],
  [[ball(20, 0, 0, 0), ball(10, 20, 0, 20)]],
  [[ball(20, 0, 0, 0), capsule(10, 20, alongZ, 40, 0, 0)]],
  [[ball(20, 0, 0, 0), capsule(10, 20, alongZ, 25, 0, 0)]],
  [[capsule(2, 4, alongZ, 3, 0, 0), box([0.5, 1, 2], 0, 0, 0)]],
  [[capsule(2, 4, alongZ, 0, 0, 8), box([0.5, 1, 2], 0, 0, 0)]],
  [[capsule(2, 4, alongX, -10, 0.8, 1.5), box([0.5, 1, 2], 0, 0, 0)]],
  [[capsule(5, 10, alongZ, 0, 0, 0), capsule(5, 10, alongZ, 20.1, 0, 0)]],
  [[capsule(5, 10, alongZ, 0, 0, 0), capsule(5, 10, alongZ, 20, 20, 0)]],
  [[capsule(5, 10, alongZ, 0, 0, 0), capsule(5, 10, alongZ, 0, 0, 20.1)]],
  [[capsule(5, 10, alongZ, 0, 0, 0), capsule(5, 10, alongX, 0, 0, 25.1)]],
  [1.99, 2.01].map((radius) => [boxBetween([-2, -3, -4], [2, 3, 4]), ball(radius, 4, 0, 0)]),
  [-0.01, 0.01].map((more) => [boxBetween([1, 1, -2], [2, 2, 2]), ball(Math.sqrt(8) + more, 4, 4, 0)]),
  [-0.01, 0.01].map((more) => [boxBetween([1, 1, 1], [2, 2, 2]), ball(Math.sqrt(12) + more, 4, 4, 4)]),
  [[ball(2, 1, 2, 3), ball(1.8, 1.1, 2, 3)]],
  [[ball(3, -1, 0, 0), ball(3, 3, 0, 0)]],
  [[box([2.5, 2.5, 2.5], -1, 0, 0), box([1, 1, 1], 1.5, 0, 0)]],
];
assert.equal(analyticPairs.length, reference.analytic_pairs.length);

const allNear = (actual, expected, within, what) =>
  expected.forEach((value, i) =>
    assert.ok(Math.abs(actual[i] - value) <= within, `${what} is [${[...actual]}], not [${expected}]`),
  );

for (const [k, expected] of reference.analytic_pairs.entries()) {
  test(expected.name, () => {
    const within = tolerance.distance_abs_double;
    const found = analyticPairs[k].map(([first, second]) => cairn.computeClosestPoints(...first, ...second));
    const distance = expected.distance ?? (expected.penetration && -expected.penetration);
    if (distance === undefined) {
      // miss and hit
      assert.deepEqual(
        found.map(({ status }) => status),
        ['apart', 'overlapping'],
      );
      allNear([found[0].distance, found[1].distance], [0.01, -0.01], within, 'distance');
      return;
    }
    const [{ status, distance: actual, point1, point2, normal }] = found;
    assert.equal(status, distance > 0 ? 'apart' : 'overlapping');
    assert.ok(Math.abs(actual - distance) <= within, `${actual} is not ${distance}`);
    if (expected.points) {
      allNear(point1, expected.points[0], within, 'point 1');
      allNear(point2, expected.points[1], within, 'point 2');
    }
    if (expected.contact) {
      const middle = [...point1].map((value, i) => (value + point2[i]) / 2);
      allNear(middle, expected.contact, within, 'contact');
    }
    if (expected.direction)
      allNear(
        [...normal].map((value) => -value),
        expected.direction,
        within,
        'direction',
      );

    // the same pair the other way round
    const [first, second] = analyticPairs[k][0];
    const swapped = cairn.computeClosestPoints(...second, ...first);
    assert.ok(Math.abs(swapped.distance - actual) <= within);
    allNear(
      swapped.normal,
      [...normal].map((value) => -value),
      1e-6,
      'normal',
    );
  });
}

// ---- contacts ---------------------------------------------------------------------------------------------

test('depths and normals of contacts, in f32', () => {
  const world = cairn.createWorld();
  const pairs = [
    ...reference.polytope_pairs.map(({ name, A, B, exact_signed_distance: exact }) => [
      name,
      placed(A),
      placed(B),
      exact,
    ]),
    ...reference.analytic_pairs.flatMap(({ name, distance, penetration }, k) =>
      (distance ?? penetration) === undefined
        ? []
        : [[name, ...analyticPairs[k][0], distance ?? -penetration]],
    ),
  ];
  let overlapping = 0;
  for (const [name, [shapeA, poseA], [shapeB, poseB], exact] of pairs) {
    if (Math.abs(exact) < tolerance.distance_abs_float32) continue;
    const geometry = world.createGeometry({ shape: shapeA, ...poseA });
    const contacts = world.testGeometryOverlap({ shape: shapeB, ...poseB });
    assert.equal(contacts.length > 0, exact < 0, name);
    if (exact < 0) {
      const depth = Math.max(...contacts.map((contact) => contact.depth));
      assert.ok(
        Math.abs(depth + exact) <= tolerance.distance_abs_float32,
        `${name}: ${depth}, not ${-exact}`,
      );
      overlapping += 1;
    }
    geometry.destroy();
  }
  assert.ok(overlapping > 10, `${overlapping}`);
  world.dispose();
});
