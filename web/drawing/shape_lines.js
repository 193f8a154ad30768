// Shapes as line segments in their own frame: six numbers a segment, from and to, m.

import { enums } from '../generated/api.js';

/** @typedef {import('../index.js').World} World */

/** Sides that a circle is drawn with. */
const SIDES = 24;

/** Words of the column `shapes.type`, by number. */
const SHAPE_TYPES = enums.cnShapeType;

/**
 * @param {World} world
 * @param {number} row of `columns.shapes`
 * @param {number} planeSize m, side of the square that stands for a plane
 * @returns {Float32Array}
 */
export function linesOfShape(world, row, planeSize) {
  const { type, radius, halfHeight, halfExtents, profile, normal, offset } = world.columns.shapes;
  switch (SHAPE_TYPES[type[row]]) {
    case 'sphere':
      return ball(radius[row], 0);
    case 'capsule':
      return ball(radius[row], halfHeight[row]);
    case 'box':
      return box([...halfExtents.subarray(3 * row, 3 * row + 3)]);
    case 'cylinder':
    case 'hollowCylinder':
    case 'cone':
    case 'hollowCone':
      return revolved([...profile.subarray(6 * row, 6 * row + 6)]);
    case 'plane':
      return square([...normal.subarray(3 * row, 3 * row + 3)], offset[row], planeSize / 2);
    default:
      return edges(world.getShapeSurface(row));
  }
}

/** A line through points, as segments. @param {number[]} out @param {number[][]} points */
function join(out, points) {
  for (let i = 1; i < points.length; ++i) out.push(...points[i - 1], ...points[i]);
}

/**
 * Points of an arc.
 * @param {(c: number, s: number) => number[]} place @param {number} from rad @param {number} to
 */
function arc(place, from, to) {
  const count = Math.ceil((SIDES * (to - from)) / (2 * Math.PI));
  return Array.from({ length: count + 1 }, (_, i) => {
    const angle = from + ((to - from) * i) / count;
    return place(Math.cos(angle), Math.sin(angle));
  });
}

/** Balls, and capsules along y. @param {number} r @param {number} half m, half the height of the middle */
function ball(r, half) {
  /** @type {number[]} */
  const out = [];
  const turn = 2 * Math.PI;
  for (const y of half > 0 ? [-half, half] : [0])
    join(
      out,
      arc((c, s) => [r * c, y, r * s], 0, turn),
    );
  for (const place of [
    (/** @type {number} */ c, /** @type {number} */ y) => [r * c, y, 0],
    (/** @type {number} */ c, /** @type {number} */ y) => [0, y, r * c],
  ]) {
    const above = arc((c, s) => place(c, half + r * s), 0, turn / 2);
    const below = arc((c, s) => place(c, r * s - half), turn / 2, turn);
    join(out, [...above, ...below, above[0]]);
  }
  return Float32Array.from(out);
}

/** @param {number[]} half extents */
function box([x, y, z]) {
  /** @type {number[]} */
  const out = [];
  for (const a of [-1, 1]) {
    for (const b of [-1, 1]) {
      out.push(-x, a * y, b * z, x, a * y, b * z);
      out.push(a * x, -y, b * z, a * x, y, b * z);
      out.push(a * x, b * y, -z, a * x, b * y, z);
    }
  }
  return Float32Array.from(out);
}

/**
 * A section revolved about y.
 * @param {number[]} profile lower, upper height; outer radii at them, inner radii
 */
function revolved([lower, upper, outerLower, outerUpper, innerLower, innerUpper]) {
  /** @type {number[]} */
  const out = [];
  for (const [below, above] of [
    [outerLower, outerUpper],
    [innerLower, innerUpper],
  ]) {
    for (const [r, y] of [
      [below, lower],
      [above, upper],
    ]) {
      if (r > 0)
        join(
          out,
          arc((c, s) => [r * c, y, r * s], 0, 2 * Math.PI),
        );
    }
    if (below === 0 && above === 0) continue;
    for (const [x, z] of [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]) {
      out.push(below * x, lower, below * z, above * x, upper, above * z);
    }
  }
  return Float32Array.from(out);
}

/** A grid on a plane. @param {number[]} normal unit @param {number} offset @param {number} half m */
function square(normal, offset, half) {
  const least = normal.map(Math.abs).indexOf(Math.min(...normal.map(Math.abs)));
  const axis = [0, 1, 2].map((k) => Number(k === least));
  const u = cross(normal, axis);
  const length = Math.hypot(...u);
  u.forEach((value, k) => (u[k] = value / length));
  const v = cross(normal, u);
  const at = (/** @type {number} */ a, /** @type {number} */ b) =>
    normal.map((value, k) => offset * value + half * (a * u[k] + b * v[k]));
  /** @type {number[]} */
  const out = [];
  for (let i = -5; i <= 5; ++i)
    out.push(...at(i / 5, -1), ...at(i / 5, 1), ...at(-1, i / 5), ...at(1, i / 5));
  return Float32Array.from(out);
}

/** @param {number[]} a @param {number[]} b */
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Every edge of a surface once. @param {{ vertices: Float64Array, triangles: Uint32Array }} surface */
function edges({ vertices, triangles }) {
  const seen = new Set();
  const count = vertices.length / 3;
  /** @type {number[]} */
  const ends = [];
  for (let i = 0; i < triangles.length; ++i) {
    const a = triangles[i];
    const b = triangles[i % 3 === 2 ? i - 2 : i + 1];
    const key = Math.min(a, b) * count + Math.max(a, b);
    if (seen.has(key)) continue;
    seen.add(key);
    ends.push(a, b);
  }
  const out = new Float32Array(3 * ends.length);
  ends.forEach((vertex, i) => out.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
  return out;
}
