// The shapes that three's own geometries stand for.

import { Vector3 } from 'three';
import { applyLinear, frameOf, multiplyLinear } from './linear_maps.js';

/** @typedef {import('../index.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./drawn_points.js').Recognised} Recognised */
/** @typedef {import('./geometry_shapes.js').FittedShape} FittedShape */
/** @typedef {import('./geometry_shapes.js').GeometryShapeKind} GeometryShapeKind */

/**
 * @typedef {object} Primitive
 * @property {GeometryShapeKind} kind
 * @property {boolean} isDrawn whether it looks as the shape does: whole, and with enough sides
 * @property {(scale: number[]) => ShapeDescription | null} make null where the scale takes its roundness
 * @property {number} [shift] m along y, of the shape's origin from the geometry's
 */

/** What is round and has fewer sides is drawn as a polyhedron, and taken as one. */
const ROUND_SIDES = 8;
/** Points, three a triangle, from which on a polyhedron is drawn as a ball. */
const BALL_POINTS = 240;
/** Part that scales of what is round may differ by. */
const EVEN = 1e-5;

/**
 * The exact shape of one of three's own geometries.
 *
 * @param {Recognised} own
 * @param {readonly number[]} linear nine numbers by columns, applied to its points
 * @param {GeometryShapeKind} kind that is wanted; 'auto': what it is drawn as
 * @param {boolean} isStatic
 * @returns {FittedShape | null} null where it is not of this kind, or sheared or stretched so that it is no
 *   more
 */
export function fitOwnGeometry(own, linear, kind, isStatic) {
  const primitive = primitiveOf(own, isStatic);
  if (primitive === null) return null;
  if (kind === 'auto' ? !primitive.isDrawn : kind !== primitive.kind) return null;
  const frame = frameOf(multiplyLinear(linear, own.linear));
  const shape = frame && primitive.make(frame.scale);
  if (frame === null || shape === null) return null;
  const { shift = 0 } = primitive;
  const position = new Vector3(0, shift * frame.scale[1], 0).applyQuaternion(frame.rotation);
  return {
    shape,
    position: position.add(new Vector3().fromArray(applyLinear(linear, own.origin))).toArray(),
    rotation: frame.rotation.toArray(),
  };
}

/** @param {Recognised} own @param {boolean} isStatic @returns {Primitive | null} */
function primitiveOf({ type, parameters, pointCount }, isStatic) {
  const p = /** @type {Record<string, number>} */ (parameters);
  const isRound = p.radialSegments >= ROUND_SIDES;
  switch (type) {
    case 'BoxGeometry':
      return makeBox(p.width, p.height, p.depth);
    case 'SphereGeometry': {
      const isWhole = isFullTurn(p.phiLength) && isFullTurn(2 * p.thetaLength);
      const hasSides = p.widthSegments >= ROUND_SIDES && 2 * p.heightSegments >= ROUND_SIDES;
      return makeBall(p.radius, isWhole && hasSides);
    }
    case 'IcosahedronGeometry':
    case 'OctahedronGeometry':
    case 'TetrahedronGeometry':
    case 'DodecahedronGeometry':
      return makeBall(p.radius, pointCount >= BALL_POINTS);
    case 'CapsuleGeometry':
      return makeCapsule(p.radius, p.height ?? p.length, isRound); // `length` in older versions
    case 'CylinderGeometry':
    case 'ConeGeometry': {
      const isTube = isStatic && Boolean(parameters.openEnded);
      const isDrawn = isFullTurn(p.thetaLength) && isRound && !isTube;
      return makeCone(p.radiusTop ?? 0, p.radiusBottom ?? p.radius, p.height, isDrawn);
    }
    default:
      return null;
  }
}

/** @param {number} angle */
const isFullTurn = (angle) => Math.abs(angle - 2 * Math.PI) < 1e-6;

/** @param {number} a @param {number} b */
const areEven = (a, b) => Math.abs(a - b) <= EVEN * Math.max(a, b);

/** @param {number} width @param {number} height @param {number} depth @returns {Primitive} */
function makeBox(width, height, depth) {
  return {
    kind: 'box',
    isDrawn: true,
    make: ([x, y, z]) => ({ type: 'box', halfExtents: [(x * width) / 2, (y * height) / 2, (z * depth) / 2] }),
  };
}

/** @param {number} radius @param {boolean} isDrawn @returns {Primitive} */
function makeBall(radius, isDrawn) {
  return {
    kind: 'sphere',
    isDrawn,
    make: ([x, y, z]) => (areEven(x, y) && areEven(x, z) ? { type: 'sphere', radius: x * radius } : null),
  };
}

/** @param {number} radius @param {number} height @param {boolean} isDrawn @returns {Primitive} */
function makeCapsule(radius, height, isDrawn) {
  return {
    kind: 'capsule',
    isDrawn,
    make: ([x, y, z]) =>
      areEven(x, y) && areEven(x, z) ? { type: 'capsule', radius: x * radius, height: x * height } : null,
  };
}

/**
 * Cylinders and cones.
 * @param {number} top m, radius @param {number} bottom @param {number} height @param {boolean} isDrawn
 * @returns {Primitive}
 */
function makeCone(top, bottom, height, isDrawn) {
  if (top === bottom) {
    return {
      kind: 'cylinder',
      isDrawn,
      make: ([x, y, z]) => (areEven(x, z) ? { type: 'cylinder', radius: x * top, height: y * height } : null),
    };
  }
  // three's cones have their origin at half their height, the engine's at their bottom
  return {
    kind: 'cone',
    isDrawn,
    shift: -height / 2,
    make: ([x, y, z]) =>
      areEven(x, z)
        ? { type: 'cone', topRadius: x * top, bottomRadius: x * bottom, height: y * height }
        : null,
  };
}
