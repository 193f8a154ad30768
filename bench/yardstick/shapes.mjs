// Solids: what every engine is given, and what the metrics measure. A solid is a polytope (or a point, or a
// segment) with a radius around it.
import { add, cross, dot, length, scale, sub, unit } from './math.mjs';

export const box = (x, y, z) => ({ type: 'box', half: [x, y, z] });
export const sphere = (radius) => ({ type: 'sphere', radius });
/** Along y; half is half the distance between the two centres. */
export const capsule = (radius, half) => ({ type: 'capsule', radius, half });
/** Convex hull of points; they are moved so that the centre of mass is the origin. */
export function hull(points) {
  const first = hullFaces(points);
  const { center } = polytopeMass(points, first);
  const centred = points.map((p) => sub(p, center).map(Math.fround));
  const faces = hullFaces(centred);
  const used = [...new Set(faces.flatMap((f) => f.loop))].sort((a, b) => a - b);
  const points2 = used.map((i) => centred[i]);
  return { type: 'hull', points: points2 };
}
/** Static ground: vertices (nx × nz of them, x fastest) over a square grid around the origin. */
export const terrain = (type, n, cell, height) => {
  const heights = [],
    at = (i) => (i - (n - 1) / 2) * cell;
  for (let k = 0; k < n; ++k) for (let i = 0; i < n; ++i) heights.push(Math.fround(height(at(i), at(k))));
  const vertices = heights.flatMap((h, j) => [at(j % n), h, at(Math.floor(j / n))]);
  const indices = [];
  for (let k = 0; k + 1 < n; ++k)
    for (let i = 0; i + 1 < n; ++i) {
      const a = k * n + i,
        b = a + 1,
        c = a + n,
        d = c + 1;
      indices.push(a, c, b, b, c, d); // upwards, cut along b–c
    }
  return { type, n, cell, heights, vertices, indices };
};

/** The solid's core: points, faces (normal, loop of points), edge directions, and the radius around it. */
export function core(shape) {
  if (shape.core) return shape.core;
  let c;
  if (shape.type === 'sphere') c = { points: [[0, 0, 0]], normals: [], edges: [], radius: shape.radius };
  else if (shape.type === 'capsule')
    c = {
      points: [
        [0, -shape.half, 0],
        [0, shape.half, 0],
      ],
      normals: [],
      edges: [[0, 1, 0]],
      radius: shape.radius,
    };
  else if (shape.type === 'box') {
    const [x, y, z] = shape.half,
      points = [];
    for (let i = 0; i < 8; ++i) points.push([i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z]);
    c = {
      points,
      normals: [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
      edges: [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
      radius: 0,
    };
  } else if (shape.type === 'hull') {
    const faces = hullFaces(shape.points),
      edges = [];
    for (const { loop } of faces)
      loop.forEach((p, i) => {
        const q = loop[(i + 1) % loop.length];
        if (p < q) edges.push(unit(sub(shape.points[q], shape.points[p])));
      });
    c = { points: shape.points, normals: faces.map((f) => f.normal), edges, radius: 0 };
  } else return undefined;
  c.bound = Math.max(...c.points.map(length)) + c.radius;
  Object.defineProperty(shape, 'core', { value: c, enumerable: false });
  return c;
}

/** Volume, and the inertia of density 1 about the centre of mass (a full matrix by rows). */
export function massOf(shape) {
  const diagonal = (a, b, c) => [
    [a, 0, 0],
    [0, b, 0],
    [0, 0, c],
  ];
  if (shape.type === 'sphere') {
    const v = (4 / 3) * Math.PI * shape.radius ** 3,
      i = 0.4 * v * shape.radius ** 2;
    return { volume: v, inertia: diagonal(i, i, i) };
  }
  if (shape.type === 'capsule') {
    const r = shape.radius,
      h = 2 * shape.half,
      c = Math.PI * r * r * h,
      s = (4 / 3) * Math.PI * r ** 3;
    const across = c * ((h * h) / 12 + (r * r) / 4) + s * (0.4 * r * r + (h * h) / 4 + (3 * h * r) / 8);
    return { volume: c + s, inertia: diagonal(across, (c * r * r) / 2 + s * 0.4 * r * r, across) };
  }
  if (shape.type === 'box') {
    const [x, y, z] = shape.half,
      v = 8 * x * y * z;
    return {
      volume: v,
      inertia: diagonal((v * (y * y + z * z)) / 3, (v * (x * x + z * z)) / 3, (v * (x * x + y * y)) / 3),
    };
  }
  if (shape.type === 'hull') return polytopeMass(shape.points, hullFaces(shape.points));
  return { volume: 0, inertia: diagonal(0, 0, 0) };
}

/** Faces of a convex hull by brute force over planes: small point sets only. Coplanar points share a face. */
export function hullFaces(points) {
  const faces = [],
    n = points.length,
    tol = 1e-7;
  for (let a = 0; a < n; ++a)
    for (let b = a + 1; b < n; ++b)
      for (let c = b + 1; c < n; ++c) {
        let normal = cross(sub(points[b], points[a]), sub(points[c], points[a]));
        const area = length(normal);
        if (area < 1e-12) continue;
        normal = scale(normal, 1 / area);
        const d = dot(normal, points[a]);
        let above = 0,
          below = 0;
        const on = [];
        for (let i = 0; i < n && !(above && below); ++i) {
          const s = dot(normal, points[i]) - d;
          if (s > tol) ++above;
          else if (s < -tol) ++below;
          else on.push(i);
        }
        if (above && below) continue;
        if (above) normal = scale(normal, -1);
        if (on[0] !== a || on[1] !== b || on[2] !== c) continue; // each plane once: by its first three points
        const mid = scale(
          on.reduce((m, i) => add(m, points[i]), [0, 0, 0]),
          1 / on.length,
        );
        const u = unit(sub(points[on[0]], mid)),
          v = cross(normal, u);
        const angle = (i) => Math.atan2(dot(sub(points[i], mid), v), dot(sub(points[i], mid), u));
        faces.push({ normal, loop: on.sort((i, j) => angle(i) - angle(j)) });
      }
  return faces;
}

function polytopeMass(points, faces) {
  let volume = 0,
    first = [0, 0, 0];
  const second = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const { loop } of faces)
    for (let i = 1; i + 1 < loop.length; ++i) {
      const [a, b, c] = [points[loop[0]], points[loop[i]], points[loop[i + 1]]];
      const v = dot(a, cross(b, c)) / 6,
        sum = add(add(a, b), c);
      volume += v;
      first = add(first, scale(sum, v / 4));
      for (let r = 0; r < 3; ++r)
        for (let s = 0; s < 3; ++s)
          second[r][s] += (v / 20) * (sum[r] * sum[s] + a[r] * a[s] + b[r] * b[s] + c[r] * c[s]);
    }
  const center = scale(first, 1 / volume);
  for (let r = 0; r < 3; ++r) for (let s = 0; s < 3; ++s) second[r][s] -= volume * center[r] * center[s];
  const trace = second[0][0] + second[1][1] + second[2][2];
  return { volume, center, inertia: second.map((row, r) => row.map((x, s) => (r === s ? trace : 0) - x)) };
}
