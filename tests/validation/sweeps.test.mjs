// The laws behind the GE cases, over random shapes, sizes and poses: masses against meshes of the same
// solids, rays against bisection of closed forms, closest points and casts against each other, against
// samples and from either side.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn } from '../node/helpers.mjs';
import { arc, turnedMesh } from './solids.mjs';

/** xorshift32: numbers 0…1 that are the same everywhere. */
let state = 20251;
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}
const between = (low, high) => low + (high - low) * random();
const pick = (list) => list[Math.floor(random() * list.length)];
const vector = (size) => [between(-size, size), between(-size, size), between(-size, size)];
const add = (a, b, factor = 1) => a.map((value, i) => value + factor * b[i]);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function quaternion() {
  const q = [between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)];
  const length = Math.hypot(...q);
  return q.map((value) => value / length);
}

/** v turned by a quaternion; `back`: against it. */
function turn([x, y, z, w], v, back = false) {
  const axis = back ? [-x, -y, -z] : [x, y, z];
  const t = cross(axis, v).map((value) => 2 * value);
  return add(add(v, t, w), cross(axis, t));
}

const randomPose = (size) => ({ position: vector(size), rotation: quaternion() });
const toLocal = ({ position, rotation }, point) => turn(rotation, add(point, position, -1), true);

// ---- solids, with what JavaScript knows of them itself ----------------------------------------------------

/**
 * Of a half profile about y: whether it holds a point, and a mesh of n facets (made along z, turned to y).
 */
function revolved(shape, lower, upper, outer, inner) {
  const radiusAt = ([r0, r1], y) => r0 + ((r1 - r0) * (y - lower)) / (upper - lower);
  const isHollow = inner[0] > 0 || inner[1] > 0;
  // prettier-ignore
  const profile = [[inner[0], lower], [outer[0], lower], [outer[1], upper], [inner[1], upper]];
  // round the hole back to the beginning
  const border = isHollow ? [...profile, profile[0]] : profile;
  return {
    shape,
    holds: ([x, y, z]) => {
      const r = Math.hypot(x, z);
      return y >= lower && y <= upper && r <= radiusAt(outer, y) && (!isHollow || r >= radiusAt(inner, y));
    },
    mesh: (n) => alongY(turnedMesh(border, n)),
  };
}

/** z to y: (x, y, z) becomes (y, z, x), which keeps the winding. */
const alongY = (mesh) => ({
  ...mesh,
  mergeVertices: true,
  points: mesh.points.map(([x, y, z]) => [y, z, x]),
});

const makers = {
  sphere() {
    const radius = between(0.2, 1);
    return {
      shape: { type: 'sphere', radius },
      holds: (p) => Math.hypot(...p) <= radius,
      mesh: (n) => alongY(turnedMesh(arc(radius, 0, 0, Math.PI, n / 2), n)),
    };
  },
  box() {
    const halfExtents = [between(0.1, 1), between(0.1, 1), between(0.1, 1)];
    return {
      shape: { type: 'box', halfExtents },
      holds: (p) => p.every((value, i) => Math.abs(value) <= halfExtents[i]),
    };
  },
  capsule() {
    const [radius, height] = [between(0.1, 0.6), between(0.1, 1.5)];
    const h = height / 2;
    return {
      shape: { type: 'capsule', radius, height },
      holds: ([x, y, z]) => Math.hypot(x, y - Math.max(-h, Math.min(h, y)), z) <= radius,
      mesh: (n) =>
        alongY(
          turnedMesh(
            [...arc(radius, -h, 0, Math.PI / 2, n / 4), ...arc(radius, h, Math.PI / 2, Math.PI, n / 4)],
            n,
          ),
        ),
    };
  },
  cylinder() {
    const [radius, height] = [between(0.1, 0.8), between(0.1, 1.5)];
    const shape = { type: 'cylinder', radius, height };
    return revolved(shape, -height / 2, height / 2, [radius, radius], [0, 0]);
  },
  hollowCylinder() {
    const [innerRadius, thickness, height] = [between(0.1, 0.6), between(0.05, 0.4), between(0.1, 1.5)];
    const shape = { type: 'hollowCylinder', innerRadius, thickness, height };
    const outer = innerRadius + thickness;
    return revolved(shape, -height / 2, height / 2, [outer, outer], [innerRadius, innerRadius]);
  },
  cone() {
    const [topRadius, bottomRadius] = pick([
      [0, between(0.2, 0.8)],
      [between(0.2, 0.8), 0],
      [between(0.1, 0.8), between(0.1, 0.8)],
    ]);
    const height = between(0.2, 1.5);
    return revolved(
      { type: 'cone', topRadius, bottomRadius, height },
      0,
      height,
      [bottomRadius, topRadius],
      [0, 0],
    );
  },
  hollowCone() {
    const [topRadius, bottomRadius] = [between(0.3, 0.9), between(0.3, 0.9)];
    const [height, thickness] = [between(0.2, 1.5), between(0.05, 0.25)];
    const shape = { type: 'hollowCone', topRadius, bottomRadius, height, thickness };
    return revolved(
      shape,
      0,
      height,
      [bottomRadius, topRadius],
      [bottomRadius - thickness, topRadius - thickness],
    );
  },
  convex() {
    // a tetrahedron: its four planes are known
    const points = [vector(0.2), vector(0.2), vector(0.2), vector(0.2)];
    [
      [1, 1, 1],
      [-1, -1, 1],
      [-1, 1, -1],
      [1, -1, -1],
    ].forEach((corner, i) => (points[i] = add(points[i], corner, between(0.3, 0.8))));
    const volume = (a, b, c, d) => dot(cross(add(b, a, -1), add(c, a, -1)), add(d, a, -1));
    const whole = volume(...points);
    return {
      shape: { type: 'convex', points },
      holds: (p) => points.every((_, i) => volume(...points.map((q, k) => (k === i ? p : q))) / whole >= 0),
    };
  },
};
makers.trimesh = () => {
  // the tetrahedron's surface
  const { shape, holds } = makers.convex();
  const { points } = shape;
  const faces = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 1],
    [1, 3, 2],
  ];
  const isOut =
    dot(cross(add(points[1], points[0], -1), add(points[2], points[0], -1)), add(points[3], points[0], -1)) <
    0;
  const triangles = faces.map(([a, b, c]) => (isOut ? [a, b, c] : [a, c, b]));
  return { shape: { type: 'trimesh', points, triangles }, holds };
};
makers.heightField = () => {
  const [nx, ny] = [2 + Math.floor(random() * 4), 2 + Math.floor(random() * 4)];
  const [sx, sy] = [between(0.8, 1.6), between(0.8, 1.6)];
  const heights = Array.from({ length: nx * ny }, () => between(-0.2, 0.4));
  const minHeight = -0.4;
  const at = (i, j) => heights[j * nx + i];
  return {
    shape: { type: 'heightField', resolution: [nx, ny], size: [sx, sy], heights, dynamic: true, minHeight },
    holds: ([x, y, z]) => {
      if (Math.abs(x) > sx / 2 || Math.abs(y) > sy / 2 || z < minHeight) return false;
      const [u, v] = [(x / sx + 0.5) * (nx - 1), (y / sy + 0.5) * (ny - 1)];
      const [i, j] = [Math.min(Math.floor(u), nx - 2), Math.min(Math.floor(v), ny - 2)];
      const [a, b] = [u - i, v - j];
      // the diagonal goes from (i, j) to (i + 1, j + 1)
      const across = a >= b ? at(i + 1, j) : at(i, j + 1);
      const [more, less] = [Math.max(a, b), Math.min(a, b)];
      return z <= at(i, j) * (1 - more) + across * (more - less) + at(i + 1, j + 1) * less;
    },
  };
};
makers.plane = () => {
  const normal = vector(1);
  const length = Math.hypot(...normal);
  const offset = between(-0.3, 0.3);
  return {
    shape: { type: 'plane', normal, offset },
    holds: (p) => dot(p, normal) / length <= offset,
  };
};
const kinds = Object.keys(makers);
const isHollow = ({ shape }) => shape.type.startsWith('hollow');
const isConvex = ({ shape }) => !/hollow|trimesh|heightField/.test(shape.type);
const isPlane = ({ shape }) => shape.type === 'plane';
const haveAnswer = (a, b) => !(isHollow(a) && isHollow(b)) && !(isPlane(a) && isPlane(b));

// ---- masses -----------------------------------------------------------------------------------------------

test('masses of round solids are what those of their meshes go to, as n⁻²', async () => {
  const cairn = await getCairn('st', 1);
  for (const kind of ['sphere', 'capsule', 'cylinder', 'hollowCylinder', 'cone', 'hollowCone']) {
    for (let i = 0; i < 5; ++i) {
      const { shape, mesh } = makers[kind]();
      const numbers = (description) => {
        const { volume, mass, centre, inertia } = cairn.computeMassProperties(description, 3);
        assert.ok(Math.abs(mass - 3 * volume) <= 1e-12 * mass);
        return [volume, ...centre, ...inertia];
      };
      const exact = numbers(shape);
      const [coarse, fine] = [64, 128].map((n) => numbers(mesh(n)));
      exact.forEach((value, k) => {
        const scale = k === 0 ? value : k < 4 ? Math.cbrt(exact[0]) : exact[4] + exact[8] + exact[12];
        // Richardson's extrapolation leaves the terms of n⁻⁴
        const off = Math.abs((4 * fine[k] - coarse[k]) / 3 - value) / scale;
        assert.ok(
          off < 1e-5,
          `${JSON.stringify(shape)}: number ${k} is ${value}, its meshes go to it but for ${off}`,
        );
      });
    }
  }
});

/**
 * Of what a surface encloses, at density 1, by its tetrahedra with the origin (Tonon 2004:
 * sums over corners).
 */
function integrate({ vertices, triangles }) {
  let volume = 0;
  let first = [0, 0, 0];
  const second = Array(9).fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => [
      ...vertices.subarray(3 * triangles[t + k], 3 * triangles[t + k] + 3),
    ]);
    const part = dot(cross(a, b), c) / 6;
    const sum = add(add(a, b), c);
    volume += part;
    first = add(first, sum, part / 4);
    for (let i = 0; i < 9; ++i) {
      const [j, k] = [Math.floor(i / 3), i % 3];
      second[i] += (part / 20) * (a[j] * a[k] + b[j] * b[k] + c[j] * c[k] + sum[j] * sum[k]);
    }
  }
  const centre = first.map((value) => value / volume);
  const about = second.map((value, i) => value - volume * centre[Math.floor(i / 3)] * centre[i % 3]);
  const trace = about[0] + about[4] + about[8];
  return { volume, centre, inertia: about.map((value, i) => (i % 4 === 0 ? trace : 0) - value) };
}

test('masses of height fields are those of the meshes of their surfaces', async () => {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld();
  for (let i = 0; i < 10; ++i) {
    const [nx, ny] = [2 + Math.floor(random() * 6), 2 + Math.floor(random() * 6)];
    const shape = {
      type: 'heightField',
      resolution: [nx, ny],
      size: [between(0.5, 3), between(0.5, 3)],
      heights: Array.from({ length: nx * ny }, () => between(-0.3, 0.6)),
      dynamic: true,
      minHeight: -0.4,
    };
    const made = world.createShape(shape);
    const surface = world.getShapeSurface(made.index);
    const own = cairn.computeMassProperties(shape, 1);
    const { volume, centre, inertia } = integrate(surface);
    assert.ok(Math.abs(own.volume / volume - 1) < 1e-10);
    own.centre.forEach((value, k) => assert.ok(Math.abs(value - centre[k]) < 1e-10));
    own.inertia.forEach((value, k) => assert.ok(Math.abs(value - inertia[k]) < 1e-10 * own.inertia[8]));
    made.release();
  }
  world.dispose();
});

// ---- rays -------------------------------------------------------------------------------------------------

test('rays and their crossings are those of bisection', async () => {
  const cairn = await getCairn('st', 1);
  const world = cairn.createWorld();
  let crossed = 0;
  for (let i = 0; i < 1500; ++i) {
    const solid = makers[kinds[i % kinds.length]]();
    const pose = randomPose(0.5);
    const origin = vector(2.5);
    const translation = add(add(pose.position, vector(0.5)), origin, -1).map((value) => 2 * value);
    const inside = (t) => solid.holds(toLocal(pose, add(origin, translation, t)));
    const geometry = world.createGeometry({ shape: solid.shape, ...pose });

    // where it changes from point to point, to 1e-13 of the translation; bits thinner than a
    // step are not seen
    const steps = 400;
    const expected = [];
    for (let k = 0; k < steps; ++k) {
      let [low, high] = [k / steps, (k + 1) / steps];
      const was = inside(low);
      if (was === inside(high)) continue;
      for (let n = 0; n < 40; ++n) {
        const middle = (low + high) / 2;
        if (inside(middle) === was) low = middle;
        else high = middle;
      }
      expected.push(high);
    }
    const found = world.castRayAll(origin, translation, { crossings: true });
    const name = `ray ${i} at ${JSON.stringify(solid.shape)}`;
    if (found.length === expected.length + 2) {
      // a corner that lies between two steps
      assert.ok(
        found.some((hit, k) => k > 0 && hit.fraction - found[k - 1].fraction < 1 / steps),
        name,
      );
    } else {
      assert.equal(found.length, expected.length, name);
      expected.forEach((t, k) =>
        assert.ok(Math.abs(found[k].fraction - t) < 1e-9, `${name}: ${found[k].fraction}, not ${t}`),
      );
    }
    const first = world.castRay(origin, translation);
    if (inside(0)) assert.equal(first.fraction, 0, name);
    else assert.ok(Math.abs((first?.fraction ?? 2) - (found[0]?.fraction ?? 2)) < 1e-12, name);
    const single = cairn.castRayAtShape(solid.shape, pose, origin, translation);
    assert.equal(single.hit, first !== null, name);
    if (first) assert.ok(Math.abs(single.fraction - first.fraction) < 1e-12, name);
    for (const hit of found) {
      // normals point out of the solid
      const length = Math.hypot(...translation);
      const point = add(origin, translation, hit.fraction);
      const [out, back] = [1e-7, -1e-7].map((step) =>
        solid.holds(toLocal(pose, add(point, [...hit.normal], step * length))),
      );
      assert.ok(!out && back, `${name}: normal ${hit.normal}`);
      crossed += 1;
    }
    geometry.destroy();
  }
  assert.ok(crossed > 1000, `${crossed}`);
  world.dispose();
});

// ---- closest points ---------------------------------------------------------------------------------------

/**
 * Points of a solid's surface, in its own frame: where rays from its middle come out, and its
 * sharpest places.
 */
function sampleSurface(cairn, solid, count) {
  const points = [];
  const world = cairn.createWorld();
  world.createGeometry({ shape: solid.shape });
  for (let i = 0; i < count; ++i) {
    const origin = vector(1.5);
    const translation = add(vector(0.6), origin, -1).map((value) => 3 * value);
    for (const hit of world.castRayAll(origin, translation, { crossings: true })) points.push([...hit.point]);
  }
  world.dispose();
  return points;
}

test('closest points are of the surfaces, symmetric, move along, and nothing sampled is closer', async () => {
  const cairn = await getCairn('st', 1);
  const counts = {};
  for (let i = 0; i < 726; ++i) {
    const [first, second] = [
      makers[kinds[i % kinds.length]](),
      makers[kinds[Math.floor(i / kinds.length) % kinds.length]](),
    ];
    const [pose1, pose2] = [randomPose(0.8), randomPose(0.8)];
    const name = `${JSON.stringify([first.shape, pose1])} and ${JSON.stringify([second.shape, pose2])}`;
    const found = cairn.computeClosestPoints(first.shape, pose1, second.shape, pose2);
    const swapped = cairn.computeClosestPoints(second.shape, pose2, first.shape, pose1);
    assert.equal(found.status, swapped.status, name);
    counts[found.status] = (counts[found.status] ?? 0) + 1;
    if (found.status === 'unsupported') {
      assert.ok(!haveAnswer(first, second), name);
      continue;
    }
    const within = isConvex(first) && isConvex(second) ? 1e-8 : 1e-7;
    assert.ok(
      Math.abs(found.distance - swapped.distance) < within,
      `${name}: ${found.distance}, ${swapped.distance}`,
    );

    // the same after a common motion
    const q = quaternion();
    const shift = vector(3);
    const moved = ({ position, rotation: [x, y, z, w] }) => {
      const [a, b, c, d] = q;
      return {
        position: add(turn(q, position), shift),
        rotation: [
          d * x + a * w + b * z - c * y,
          d * y + b * w + c * x - a * z,
          d * z + c * w + a * y - b * x,
          d * w - a * x - b * y - c * z,
        ],
      };
    };
    const elsewhere = cairn.computeClosestPoints(first.shape, moved(pose1), second.shape, moved(pose2));
    assert.equal(elsewhere.status, found.status, name);
    assert.ok(
      Math.abs(elsewhere.distance - found.distance) < within,
      `${name}: ${found.distance}, ${elsewhere.distance}`,
    );

    const points = (solid, pose) => solid.samples.map((p) => add(turn(pose.rotation, p), pose.position));
    for (const solid of [first, second]) solid.samples = sampleSurface(cairn, solid, 60);
    const [points1, points2] = [points(first, pose1), points(second, pose2)];
    if (found.status === 'apart') {
      const gap = add([...found.point1], [...found.point2], -1);
      assert.ok(Math.abs(Math.hypot(...gap) - found.distance) < 1e-8, name);
      gap.forEach((value, k) => assert.ok(Math.abs(value - found.distance * found.normal[k]) < 1e-7, name));
      for (const [solid, pose, point, sign] of [
        [first, pose1, found.point1, 1],
        [second, pose2, found.point2, -1],
      ]) {
        // on the surface: just beside it is out and no ball of that size fits
        const dotted = cairn.computeClosestPoints(
          { type: 'sphere', radius: 1e-9 },
          { position: [...point] },
          solid.shape,
          pose,
        );
        assert.ok(
          Math.abs(dotted.distance) < 1e-7,
          `${name}: a point is ${dotted.distance} m off its surface`,
        );
        const out = add([...point], [...found.normal], -sign * 1e-7);
        assert.ok(!solid.holds(toLocal(pose, out)) || found.distance < 1e-6, name);
      }
      let least = Infinity;
      for (const p of points1)
        for (const r of points2) least = Math.min(least, Math.hypot(p[0] - r[0], p[1] - r[1], p[2] - r[2]));
      assert.ok(least >= found.distance - 1e-8, `${name}: ${least} < ${found.distance}`);
      // no inside meets the other
      assert.ok(!points1.some((p) => second.holds(toLocal(pose2, p))), name);
      assert.ok(!points2.some((p) => first.holds(toLocal(pose1, p))), name);
    } else if (isConvex(first) && isConvex(second)) {
      // moved out by the depth they touch
      const { position, rotation } = pose1;
      const away = cairn.computeClosestPoints(
        first.shape,
        { position: add(position, [...found.normal], -found.distance), rotation },
        second.shape,
        pose2,
      );
      assert.ok(Math.abs(away.distance) < 1e-7, `${name}: ${away.distance} m after ${-found.distance} m`);
      // and no other way out is shorter
      for (let k = 0; k < 20; ++k) {
        const direction = vector(1);
        const length = Math.hypot(...direction);
        const step = (-found.distance * 0.999 - 1e-7) / length;
        const still = cairn.computeClosestPoints(
          first.shape,
          { position: add(position, direction, Math.max(step, 0)), rotation },
          second.shape,
          pose2,
        );
        assert.equal(still.status, 'overlapping', name);
      }
    }
  }
  assert.ok(counts.apart > 150 && counts.overlapping > 150, JSON.stringify(counts));
});

test('what lies wholly within a solid overlaps it', async () => {
  const cairn = await getCairn('st', 1);
  const big = {
    box: { type: 'box', halfExtents: [3, 3, 3] },
    sphere: { type: 'sphere', radius: 5 },
    plane: { type: 'plane', normal: [0, 0, 1], offset: 4 },
    mesh: {
      type: 'trimesh',
      points: [-3, 3].flatMap((z) => [-3, 3].flatMap((y) => [-3, 3].map((x) => [x, y, z]))),
      triangles: [
        [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4],
        [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5],
      ], // prettier-ignore
    },
  };
  for (const [name, shape] of Object.entries(big)) {
    for (const kind of kinds.filter((item) => item !== 'plane')) {
      const small = makers[kind]();
      const pose = randomPose(0.5);
      for (const pair of [
        [small.shape, pose, shape, {}],
        [shape, {}, small.shape, pose],
      ])
        assert.equal(cairn.computeClosestPoints(...pair).status, 'overlapping', `${kind} in ${name}`);
      const world = cairn.createWorld();
      world.createGeometry({ shape });
      const cast = world.castShape(small.shape, pose, [0, 0, 20]);
      assert.equal(cast?.fraction, 0, `cast of a ${kind} in a ${name}`);
      world.dispose();
    }
  }
});

test('a sheet has no inside: behind it is as outside as before it', async () => {
  const cairn = await getCairn('st', 1);
  const sheet = {
    type: 'trimesh',
    points: [
      [-9, -9, 0],
      [9, -9, 0],
      [9, 9, 0],
      [-9, 9, 0],
    ],
    triangles: [
      [0, 1, 2],
      [0, 2, 3],
    ],
  };
  for (const kind of kinds.filter((item) => item !== 'plane')) {
    const { shape } = makers[kind]();
    for (const side of [-1, 1]) {
      const pose = { position: [0.1, 0.2, 4 * side], rotation: quaternion() };
      const apart = cairn.computeClosestPoints(shape, pose, sheet, {});
      assert.equal(apart.status, 'apart', `${kind} at ${side}`);
      assert.ok(apart.distance > 1 && apart.distance < 5);
      assert.ok(
        Math.abs(cairn.computeClosestPoints(sheet, {}, shape, pose).distance - apart.distance) < 1e-12,
      );
      assert.equal(cairn.isPointInShape(sheet, {}, pose.position), false);
      const world = cairn.createWorld();
      world.createGeometry({ shape: sheet });
      assert.equal(world.findGeometriesAtPoint(pose.position).length, 0);
      const cast = world.castShape(shape, pose, [0, 0, -8 * side]);
      assert.ok(
        cast.fraction > 0 && Math.abs(cast.normal[2] - side) < 1e-5,
        `${kind} at ${side}: ${cast.fraction}`,
      );
      world.dispose();
    }
  }
});

// ---- casts ------------------------------------------------------------------------------------------------

test('casts end where distances fall to zero, from either side', async () => {
  const cairn = await getCairn('st', 1);
  let hits = 0;
  for (let i = 0; i < 605; ++i) {
    const [moving, standing] = [
      makers[kinds[i % kinds.length]](),
      makers[kinds[Math.floor(i / kinds.length) % kinds.length]](),
    ];
    if (!haveAnswer(moving, standing)) continue;
    const [pose, still] = [randomPose(0.3), randomPose(0.3)];
    const out = vector(1);
    pose.position = add(pose.position, out, 4 / Math.hypot(...out));
    const translation = add(add(still.position, vector(0.7)), pose.position, -1).map(
      (value) => between(1.5, 2) * value,
    );
    const distanceAt = (t) =>
      cairn.computeClosestPoints(
        moving.shape,
        { ...pose, position: add(pose.position, translation, t) },
        standing.shape,
        still,
      );
    const [one, other] = [
      [moving.shape, pose, translation],
      [standing.shape, still],
    ].map((item) => JSON.stringify(item));
    const name = `${one} at ${other}`;

    const cast = (shape, from, way, target, at) => {
      const world = cairn.createWorld();
      world.createGeometry({ shape: target, ...at });
      const hit = world.castShape(shape, from, way);
      world.dispose();
      return hit;
    };
    const hit = cast(moving.shape, pose, translation, standing.shape, still);
    const back = translation.map((value) => -value);
    const mirrored = cast(standing.shape, still, back, moving.shape, pose);
    assert.equal(hit === null, mirrored === null, name);

    // no nearer than the distance, so a walk by it misses nothing
    const length = Math.hypot(...translation);
    let t = 0;
    let found = distanceAt(0);
    for (let k = 0; k < 400 && t < 1 && found.status === 'apart' && found.distance > 1e-9; ++k) {
      t += found.distance / length;
      if (t <= 1) found = distanceAt(t);
    }
    if (hit === null) {
      assert.ok(t > 1 - 1e-6 || found.distance > 1e-9, `${name}: missed at ${t}`);
      continue;
    }
    if (hit.fraction === 0) {
      assert.equal(distanceAt(0).status, 'overlapping', name);
      continue;
    }
    hits += 1;
    assert.ok(
      Math.abs(hit.fraction - mirrored.fraction) < 1e-6,
      `${name}: ${hit.fraction}, ${mirrored.fraction}`,
    );
    const met = distanceAt(hit.fraction);
    assert.ok(Math.abs(met.distance) < 1e-6, `${name}: ${met.distance} m at the fraction ${hit.fraction}`);
    // walking only creeps along where it grazes
    assert.ok(t <= hit.fraction + 1e-6, `${name}: ${hit.fraction}, walked past it to ${t}`);
    assert.ok(
      t >= hit.fraction - 1e-3 || found.distance > 1e-9,
      `${name}: ${hit.fraction}, touching at ${t}`,
    );
    assert.ok(dot([...hit.normal], translation) <= 1e-6 * length, name);
    const place = { position: [...hit.point] };
    const dotted = cairn.computeClosestPoints({ type: 'sphere', radius: 1e-9 }, place, standing.shape, still);
    assert.ok(Math.abs(dotted.distance) < 1e-6, `${name}: the point is ${dotted.distance} m off`);
  }
  assert.ok(hits > 200, `${hits}`);
});
