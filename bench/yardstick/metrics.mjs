// Quality from poses alone, by geometry of our own: no engine judges itself.
import { add, conjugate, cross, dot, length, rotate, scale, sub } from './math.mjs';
import { core, massOf } from './shapes.mjs';

export const ROW = 13; // position, rotation (x, y, z, w), linear velocity, angular velocity
const at = (poses, i) => Array.from(poses.subarray(i * ROW, (i + 1) * ROW));
const position = (row) => row.slice(0, 3);
const rotation = (row) => row.slice(3, 7);

const shapeMass = new Map();
function massProperties({ shape, density, mass }) {
  if (!shapeMass.has(shape)) shapeMass.set(shape, massOf(shape));
  const m = shapeMass.get(shape),
    d = mass ? mass / m.volume : density;
  return { mass: d * m.volume, inertia: m.inertia.map((row) => row.map((x) => x * d)) };
}
const apply = (matrix, v) => matrix.map((row) => dot(row, v));

/** Energy and angular momentum of one body, in the world's axes. */
export function motion(body, row) {
  const { mass, inertia } = massProperties(body),
    q = rotation(row),
    v = row.slice(7, 10),
    w = row.slice(10, 13);
  const spin = rotate(conjugate(q), w),
    momentum = apply(inertia, spin);
  return { mass, energy: 0.5 * mass * dot(v, v) + 0.5 * dot(spin, momentum), momentum: rotate(q, momentum) };
}

/** Everything that a scene asks for, at its end. Trace is what was gathered on the way. */
export function measure(scene, poses, trace) {
  return {
    ...kinetics(scene, poses),
    ...(scene.bodies.some((b) => b.collide && !b.fixed) ? overlaps(scene, poses) : {}),
    ...(scene.measure.includes('stack') ? stacked(scene, poses) : {}),
    ...(scene.joints.length ? trace.joints(poses) : {}),
    ...(scene.measure.includes('chain') ? trace.chain(poses) : {}),
  };
}

function kinetics({ bodies }, poses) {
  let energy = 0,
    total = 0,
    vmax = 0,
    count = 0,
    nonFinite = 0,
    fell = 0;
  bodies.forEach((body, i) => {
    if (body.fixed) return;
    const row = at(poses, i);
    ++count;
    if (!row.every(Number.isFinite)) {
      ++nonFinite;
      return;
    }
    const m = motion(body, row);
    energy += m.energy;
    total += m.mass;
    vmax = Math.max(vmax, length(row.slice(7, 10)));
    if (body.collide && row[1] < -20) ++fell;
  });
  return { bodies: count, keJ: energy, keJkg: energy / total, vmax, fell, nonFinite };
}

// Stacks: how far the top sank and went, how far anything went, the worst tilt, how many left their place by
// half a box.
function stacked({ bodies }, poses) {
  let maxDrift = 0,
    tilt = 0,
    fallen = 0,
    last;
  bodies.forEach((body, i) => {
    if (body.fixed) return;
    const row = at(poses, i),
      d = sub(position(row), body.position);
    const up = rotate(rotation(row), [0, 1, 0])[1];
    maxDrift = Math.max(maxDrift, Math.hypot(d[0], d[2]));
    tilt = Math.max(tilt, (Math.acos(Math.min(1, Math.abs(up))) * 180) / Math.PI);
    if (length(d) > 0.5) ++fallen;
    last = d;
  });
  return { topDrop: -last[1], topDrift: Math.hypot(last[0], last[2]), maxDrift, maxTiltDeg: tilt, fallen };
}

const stretch = ({ bodies, reach }, poses) =>
  (length(sub(position(at(poses, bodies.length - 1)), bodies[0].position)) / reach - 1) * 100;

/**
 * What is gathered while a scene with joints runs: the distances of their anchors, and how far a chain
 * reaches.
 */
export function traceJoints(scene) {
  const { bodies, joints, reach } = scene;
  let max = 0,
    sum = 0,
    count = 0,
    longest = -Infinity;
  const worst = (poses, each) => {
    for (const { a, b, anchorA, anchorB } of joints) {
      const p = at(poses, a),
        q = at(poses, b);
      each(
        length(
          sub(add(position(p), rotate(rotation(p), anchorA)), add(position(q), rotate(rotation(q), anchorB))),
        ),
      );
    }
  };
  return {
    sample(poses) {
      worst(poses, (e) => {
        max = Math.max(max, e);
        sum += e;
        ++count;
      });
      if (reach) longest = Math.max(longest, stretch(scene, poses));
    },
    chain: (poses) => ({
      stretchPct: stretch(scene, poses),
      stretchMaxPct: Math.max(longest, stretch(scene, poses)),
      weightY: poses[(bodies.length - 1) * ROW + 1],
    }),
    joints: (poses) => {
      let end = 0;
      worst(poses, (e) => {
        end = Math.max(end, e);
      });
      return { jointMax: Math.max(max, end), jointMean: sum / count, jointEnd: end };
    },
  };
}

// ---- Overlap
// -------------------------------------------------------------------------------------------------------

/** A body's core in the world: points, normals and edge directions turned, and its bounds. */
function placed(body, row, index) {
  const c = core(body.shape),
    p = position(row),
    q = rotation(row);
  const points = c.points.map((x) => add(rotate(q, x), p));
  const low = [0, 1, 2].map((k) => Math.min(...points.map((x) => x[k])) - c.radius);
  const high = [0, 1, 2].map((k) => Math.max(...points.map((x) => x[k])) + c.radius);
  return {
    center: p,
    points,
    normals: c.normals.map((n) => rotate(q, n)),
    edges: c.edges.map((n) => rotate(q, n)),
    radius: c.radius,
    low,
    high,
    q,
    body,
    index,
  };
}

function overlaps({ bodies, joints }, poses) {
  // jointed bodies do not collide
  const joined = new Set(joints.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]));
  const solids = [];
  let ground;
  bodies.forEach((body, i) => {
    const row = at(poses, i);
    if (!body.collide || !row.every(Number.isFinite)) return;
    if (core(body.shape)) solids.push(placed(body, row, i));
    else ground = body.shape;
  });
  const depths = [],
    onGround = [];
  solids.sort((a, b) => a.low[0] - b.low[0]);
  for (let i = 0; i < solids.length; ++i)
    for (let j = i + 1; j < solids.length && solids[j].low[0] <= solids[i].high[0]; ++j) {
      const a = solids[i],
        b = solids[j];
      if (a.body.fixed && b.body.fixed) continue;
      if (a.low[1] > b.high[1] || b.low[1] > a.high[1] || a.low[2] > b.high[2] || b.low[2] > a.high[2])
        continue;
      if (joints.length && joined.has(`${a.index} ${b.index}`)) continue;
      const depth = penetration(a, b);
      if (depth > 0) depths.push(depth);
    }
  let through = 0;
  if (ground)
    for (const s of solids) {
      const { depth, under } = groundDepth(ground, s);
      if (depth > 0) onGround.push(depth);
      if (under) ++through;
    }
  const mean = (a) => (a.length ? a.reduce((x, y) => x + y, 0) / a.length : 0),
    max = (a) => a.reduce((x, y) => Math.max(x, y), 0);
  const all = [...depths, ...onGround].sort((a, b) => a - b);
  return {
    pairs: all.length,
    maxPen: max(all),
    p99Pen: all.length ? all[Math.floor(0.99 * (all.length - 1))] : 0,
    meanPen: mean(all),
    ...(ground
      ? {
          terrainMax: max(onGround),
          terrainMean: mean(onGround),
          bodyMax: max(depths),
          bodyMean: mean(depths),
          through,
        }
      : {}),
  };
}

/**
 * How deep two convex solids overlap (≤ 0: not at all): the distance of their cores when apart, separating
 * axes when not.
 */
export function penetration(a, b) {
  const round = a.radius + b.radius;
  const d = a.points.length > 2 && b.points.length > 2 ? 0 : gap(a, b);
  if (d > 1e-9) return round - d;
  const least = axes(a, b);
  return (least < Infinity ? least : 0) + round; // no axes at all: two centres on one spot
}

/** The least overlap of two point sets over face normals and edge pairs: exact for polytopes that overlap. */
function axes(a, b) {
  let least = Infinity;
  const tryAxis = (n) => {
    let lowA = Infinity,
      highA = -Infinity,
      lowB = Infinity,
      highB = -Infinity;
    for (const p of a.points) {
      const s = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
      if (s < lowA) lowA = s;
      if (s > highA) highA = s;
    }
    for (const p of b.points) {
      const s = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
      if (s < lowB) lowB = s;
      if (s > highB) highB = s;
    }
    least = Math.min(least, highA - lowB, highB - lowA);
    return least > 0;
  };
  for (const n of a.normals) if (!tryAxis(n)) return least;
  for (const n of b.normals) if (!tryAxis(n)) return least;
  for (const u of a.edges)
    for (const v of b.edges) {
      const n = cross(u, v),
        l = length(n);
      if (l > 1e-6 && !tryAxis(scale(n, 1 / l))) return least;
    }
  return least;
}

/** The distance of the hulls of two point sets: Gilbert, Johnson and Keerthi's. */
function gap(a, b) {
  const support = (d) => {
    let best = -Infinity,
      p,
      worst = Infinity,
      q;
    for (const x of a.points) {
      const s = dot(d, x);
      if (s > best) {
        best = s;
        p = x;
      }
    }
    for (const x of b.points) {
      const s = dot(d, x);
      if (s < worst) {
        worst = s;
        q = x;
      }
    }
    return sub(p, q);
  };
  let simplex = [sub(a.points[0], b.points[0])],
    v = simplex[0];
  for (let i = 0; i < 64; ++i) {
    const vv = dot(v, v);
    if (vv < 1e-18) return 0;
    const w = support(scale(v, -1));
    if (
      vv - dot(v, w) <= 1e-12 * vv + 1e-15 ||
      simplex.some((s) => s[0] === w[0] && s[1] === w[1] && s[2] === w[2])
    )
      return Math.sqrt(vv);
    [v, simplex] = nearest([...simplex, w]);
    if (simplex.length === 4) return 0;
  }
  return length(v);
}

/**
 * The point nearest to the origin of a simplex, and the part of it that holds that point: by trying every
 * part.
 */
function nearest(points) {
  let best = Infinity,
    found;
  for (let mask = 1; mask < 1 << points.length; ++mask) {
    const part = points.filter((_, i) => mask & (1 << i)),
      weights = barycentric(part);
    if (!weights || weights.some((x) => x < -1e-12)) continue;
    const p = part.reduce((s, x, i) => add(s, scale(x, weights[i])), [0, 0, 0]),
      d = dot(p, p);
    if (d < best - 1e-15) {
      best = d;
      found = [p, part];
    }
  }
  return found;
}

/**
 * Weights, adding to one, of the point nearest to the origin on the flat through the points; none if they
 * are degenerate.
 */
function barycentric(points) {
  const [o, ...rest] = points;
  if (!rest.length) return [1];
  const e = rest.map((p) => sub(p, o)),
    n = e.length;
  const m = e.map((u) => [...e.map((w) => dot(u, w)), -dot(u, o)]);
  for (let c = 0; c < n; ++c) {
    let pivot = c;
    for (let r = c + 1; r < n; ++r) if (Math.abs(m[r][c]) > Math.abs(m[pivot][c])) pivot = r;
    if (Math.abs(m[pivot][c]) < 1e-14) return undefined;
    [m[c], m[pivot]] = [m[pivot], m[c]];
    for (let r = 0; r < n; ++r)
      if (r !== c) {
        const f = m[r][c] / m[c][c];
        for (let k = c; k <= n; ++k) m[r][k] -= f * m[c][k];
      }
  }
  const x = m.map((row, i) => row[n] / row[i]);
  return [1 - x.reduce((s, t) => s + t, 0), ...x];
}

// Terrain: an engine may cut a height field's cells along either diagonal, so there a body counts as deep as
// it is under both.
function groundDepth(ground, solid) {
  const cuts = ground.type === 'field' ? [0, 1] : [0];
  const results = cuts.map((cut) => {
    let depth = 0;
    for (const p of solid.points)
      depth = Math.max(depth, -clearance(ground, cut, p, solid.radius + 0.1) + solid.radius);
    if (solid.points.length > 2) depth = Math.max(depth, peaks(ground, solid));
    return { depth, under: height(ground, cut, solid.center).rise < -solid.radius };
  });
  return { depth: Math.min(...results.map((r) => r.depth)), under: results.every((r) => r.under) };
}

const vertex = ({ vertices }, i) => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
function cell({ n, cell: size }, p) {
  const clamp = (x) => Math.max(0, Math.min(n - 2, Math.floor(x / size + (n - 1) / 2)));
  return [clamp(p[0]), clamp(p[2])];
}
function triangles(ground, cut, i, k) {
  const a = k * ground.n + i,
    b = a + 1,
    c = a + ground.n,
    d = c + 1;
  const lists = cut
    ? [
        [a, c, d],
        [a, d, b],
      ]
    : [
        [a, c, b],
        [b, c, d],
      ];
  return lists.map((t) => t.map((v) => vertex(ground, v)));
}

/** A point's height over the surface, straight up, and that surface's normal. */
function height(ground, cut, p) {
  const [i, k] = cell(ground, p),
    [first, second] = triangles(ground, cut, i, k);
  const u = p[0] - vertex(ground, k * ground.n + i)[0],
    w = p[2] - vertex(ground, k * ground.n + i)[2];
  const [a, b, c] = (cut ? w >= u : u + w <= ground.cell) ? first : second;
  const n = cross(sub(b, a), sub(c, a));
  return { rise: dot(n, sub(p, a)) / n[1], normal: scale(n, 1 / length(n)) };
}

/** A point's signed distance from the surface, exact up to reach. */
function clearance(ground, cut, p, reach) {
  const { rise, normal } = height(ground, cut, p);
  if (Math.abs(rise) * normal[1] > 4 * reach) return rise * normal[1];
  const [i0, k0] = cell(ground, p);
  let best = Infinity;
  for (let k = Math.max(0, k0 - 1); k <= Math.min(ground.n - 2, k0 + 1); ++k)
    for (let i = Math.max(0, i0 - 1); i <= Math.min(ground.n - 2, i0 + 1); ++i)
      for (const t of triangles(ground, cut, i, k)) best = Math.min(best, toTriangle(p, t));
  return rise < 0 ? -best : best;
}

function toTriangle(p, [a, b, c]) {
  return length(nearest([sub(a, p), sub(b, p), sub(c, p)])[0]);
}

/** How deep the surface's vertices reach into a polytope. */
function peaks(ground, solid) {
  const faces = core(solid.body.shape).normals.length,
    inward = conjugate(solid.q),
    local = core(solid.body.shape);
  const [i0, k0] = cell(ground, solid.low),
    [i1, k1] = cell(ground, solid.high);
  let deepest = 0;
  for (let k = k0; k <= k1 + 1; ++k)
    for (let i = i0; i <= i1 + 1; ++i) {
      const p = rotate(inward, sub(vertex(ground, k * ground.n + i), solid.center));
      let inside = Infinity;
      for (let f = 0; f < faces && inside > 0; ++f) {
        const n = local.normals[f];
        let most = -Infinity,
          least = Infinity;
        for (const x of local.points) {
          const s = dot(n, x);
          most = Math.max(most, s);
          least = Math.min(least, s);
        }
        const s = dot(n, p);
        inside = Math.min(inside, most - s, solid.body.shape.type === 'box' ? s - least : Infinity);
      }
      deepest = Math.max(deepest, inside);
    }
  return deepest;
}
