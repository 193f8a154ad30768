// The smallest shapes of some kinds about points, along the axes of their frame and about the centre of their
// bounds.

import { boundsOf } from './drawn_points.js';

/** @typedef {import('../index.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./geometry_shapes.js').FittedShape} FittedShape */

/**
 * @param {'box' | 'sphere' | 'cylinder' | 'capsule' | 'cone'} kind
 * @param {Float64Array} points
 * @returns {FittedShape}
 */
export function fitAround(kind, points) {
  const { centre, half } = boundsOf(points);
  const rotation = [0, 0, 0, 1];
  if (kind === 'box') return { shape: { type: 'box', halfExtents: half }, position: centre, rotation };
  if (kind === 'cone') {
    const position = [centre[0], centre[1] - half[1], centre[2]];
    return { shape: coneAround(points, centre, half[1]), position, rotation };
  }
  return { shape: roundShape(kind, points, centre, half[1]), position: centre, rotation };
}

/**
 * @param {'sphere' | 'cylinder' | 'capsule'} kind
 * @param {Float64Array} points @param {number[]} centre @param {number} halfHeight
 * @returns {ShapeDescription}
 */
function roundShape(kind, points, centre, halfHeight) {
  if (kind === 'sphere') {
    let radius = 0;
    for (let i = 0; i < points.length; i += 3)
      radius = Math.max(radius, Math.hypot(distanceFromAxis(points, i, centre), points[i + 1] - centre[1]));
    return { type: 'sphere', radius };
  }
  const radius = farthestFromAxis(points, centre);
  if (kind === 'cylinder') return { type: 'cylinder', radius, height: 2 * halfHeight };

  // its ends go no farther than points make them
  let halfLength = 0;
  for (let i = 0; i < points.length; i += 3) {
    const distance = distanceFromAxis(points, i, centre);
    const cap = Math.sqrt(Math.max(0, radius * radius - distance * distance));
    halfLength = Math.max(halfLength, Math.abs(points[i + 1] - centre[1]) - cap);
  }
  return { type: 'capsule', radius, height: 2 * halfLength };
}

/**
 * As wide as the points are at its two ends, and wider where points between would be outside.
 * @param {Float64Array} points @param {number[]} centre @param {number} halfHeight
 * @returns {ShapeDescription}
 */
function coneAround(points, centre, halfHeight) {
  const height = 2 * halfHeight;
  const heightOf = (/** @type {number} */ i) => (points[i + 1] - centre[1]) / height + 0.5; // 0…1
  let bottom = 0;
  let top = 0;
  for (let i = 0; i < points.length; i += 3) {
    const distance = distanceFromAxis(points, i, centre);
    if (heightOf(i) < 1e-3) bottom = Math.max(bottom, distance);
    if (heightOf(i) > 1 - 1e-3) top = Math.max(top, distance);
  }
  let factor = 1;
  for (let i = 0; i < points.length; i += 3) {
    const allowed = bottom + heightOf(i) * (top - bottom);
    const distance = distanceFromAxis(points, i, centre);
    if (distance > allowed * (1 + 1e-6)) factor = Math.max(factor, distance / allowed);
  }
  if (factor < Infinity)
    return { type: 'cone', topRadius: factor * top, bottomRadius: factor * bottom, height };
  const radius = farthestFromAxis(points, centre);
  return { type: 'cone', topRadius: radius, bottomRadius: radius, height };
}

/** @param {Float64Array} points @param {number} i of its x @param {number[]} centre */
const distanceFromAxis = (points, i, centre) => Math.hypot(points[i] - centre[0], points[i + 2] - centre[2]);

/** @param {Float64Array} points @param {number[]} centre */
function farthestFromAxis(points, centre) {
  let radius = 0;
  for (let i = 0; i < points.length; i += 3) radius = Math.max(radius, distanceFromAxis(points, i, centre));
  return radius;
}
