// Buoyancy of bodies in a liquid with a level surface, by the volume that is under it.
//
// The force on a shape is density · gravity · submerged volume, at the centre of that volume. The volume
// is the sum of tetrahedra between the shape's triangles below the surface and one point of the surface,
// from which the cut through the solid is seen edge on and counts nothing. Of a ball it is that of a cap.

import { checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { outOfRange } from '../core/errors.js';
import { checkVector } from '../core/vectors.js';
import { GeometryFlags } from '../generated/flags.js';
import { makeStrict, rejectSurplus, seal } from '../core/strict.js';
import { FieldBodies, flowAt, readAmount, readFlow } from './field.js';
import { makeSolidSurface } from './solid_surface.js';

/** @typedef {import('./solid_surface.js').SolidSurface} SolidSurface */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/world.js').World} World */

/**
 * @typedef {object} BuoyancyOptions
 * @property {Body[]} [bodies] all dynamic ones
 * @property {number} [level] m, of the surface along `up`; 0
 * @property {VectorLike} [up] of any length > 0; [0, 0, 1]
 * @property {number} [density] kg/m³, of the liquid; 1000, of water
 * @property {number} [gravity] m/s², against `up`; 9.80665
 * @property {number} [damping] 1/s: the part of the motion of as much liquid that is lost; 0.5
 * @property {import('./field.js').Flow} [flow] m/s, of the liquid; at rest
 */

const names = ['bodies', 'level', 'up', 'density', 'gravity', 'damping', 'flow'];

/** @param {VectorLike} up */
function normalize(up) {
  const [x, y, z] = checkVector('createBuoyancy', 'options.up', up, 3);
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 0 && length < Infinity))
    throw outOfRange('createBuoyancy', 'options.up', up, 'are vectors with a length > 0');
  return Float64Array.of(x / length, y / length, z / length);
}

/** Enabled geometries that are no sensors displace liquid. @param {number} flags */
const displaces = (flags) =>
  (flags & (GeometryFlags.enabled | GeometryFlags.sensor)) === GeometryFlags.enabled;

export class Buoyancy {
  #bodies;
  #level;
  #up;
  #density;
  #gravity;
  #damping;
  #flow;
  /** By shape row, of the handle and changes that it was made of. */
  #surfaces = /** @type {{ handle: number, changes: number, solid: SolidSurface | null }[]} */ ([]);
  #points = new Float64Array(0);
  #heights = new Float64Array(0);
  #axes = new Float64Array(9);
  #origin = new Float64Array(3);
  #cut = new Float64Array(12);
  #centre = new Float64Array(3);
  #through = new Float64Array(3);
  #volume = 0;

  /** @internal @param {BuoyancyOptions} options */
  constructor(options) {
    const call = 'createBuoyancy';
    const { level = 0, up = [0, 0, 1] } = options;
    checkNumber(call, 'options.level', level);
    this.#bodies = new FieldBodies(call, options.bodies);
    this.#level = level;
    this.#up = normalize(up);
    this.#density = readAmount(call, 'density', options.density, 1000);
    this.#gravity = readAmount(call, 'gravity', options.gravity, 9.80665);
    this.#damping = readAmount(call, 'damping', options.damping, 0.5);
    this.#flow = readFlow(call, 'flow', options.flow);
    seal(this);
  }

  /** Adds to the forces of this step. @param {World} world @returns {void} */
  apply(world) {
    while (this.#prepareNext(world));
    const { bodies, geometries, proxies } = world.columns;
    const { flags, handle } = bodies;
    const geometryFlags = geometries.flags;
    const { rows, geometry, body, shape, position, rotation } = proxies;
    const { time } = world;
    for (let proxy = 0; proxy < rows; ++proxy) {
      const row = body[proxy];
      if (geometry[proxy] < 0 || row < 0 || !displaces(geometryFlags[geometry[proxy]])) continue;
      const { solid } = this.#surfaces[shape[proxy]];
      if (solid === null || !this.#bodies.has(flags, handle, row)) continue;
      this.#place(position, rotation, proxy);
      if (solid.radius > 0) this.#submergeBall(solid.radius);
      else this.#submerge(solid);
      if (this.#volume > 0) this.#push(world, row, solid.spread, time);
    }
  }

  /**
   * Makes the first surface that is missing or changed; memory may grow by it, and columns move.
   * @param {World} world @returns {boolean} whether there was one
   */
  #prepareNext(world) {
    const { proxies, shapes } = world.columns;
    const { rows, geometry, body, shape } = proxies;
    const { handle, changes } = shapes;
    for (let proxy = 0; proxy < rows; ++proxy) {
      if (geometry[proxy] < 0 || body[proxy] < 0) continue;
      const row = shape[proxy];
      const known = this.#surfaces[row];
      if (known !== undefined && known.handle === handle[row] && known.changes === changes[row]) continue;
      this.#surfaces[row] = { handle: handle[row], changes: changes[row], solid: null };
      this.#surfaces[row].solid = makeSolidSurface(world, row);
      return true;
    }
    return false;
  }

  /** @param {Float64Array} position @param {Float64Array} rotation @param {number} proxy */
  #place(position, rotation, proxy) {
    const q = 4 * proxy;
    const x = rotation[q];
    const y = rotation[q + 1];
    const z = rotation[q + 2];
    const w = rotation[q + 3];
    const axes = this.#axes;
    axes[0] = 1 - 2 * (y * y + z * z);
    axes[1] = 2 * (x * y + w * z);
    axes[2] = 2 * (x * z - w * y);
    axes[3] = 2 * (x * y - w * z);
    axes[4] = 1 - 2 * (x * x + z * z);
    axes[5] = 2 * (y * z + w * x);
    axes[6] = 2 * (x * z + w * y);
    axes[7] = 2 * (y * z - w * x);
    axes[8] = 1 - 2 * (x * x + y * y);
    for (let i = 0; i < 3; ++i) this.#origin[i] = position[3 * proxy + i];
  }

  /** Height of the frame's origin over the surface. */
  #originHeight() {
    const o = this.#origin;
    const up = this.#up;
    return up[0] * o[0] + up[1] * o[1] + up[2] * o[2] - this.#level;
  }

  /** @param {number} radius */
  #submergeBall(radius) {
    const depth = Math.min(Math.max(radius - this.#originHeight(), 0), 2 * radius);
    this.#volume = (Math.PI * depth * depth * (3 * radius - depth)) / 3;
    const rest = 2 * radius - depth;
    const below = (3 * rest * rest) / (4 * (3 * radius - depth));
    for (let i = 0; i < 3; ++i) this.#centre[i] = this.#origin[i] - below * this.#up[i];
  }

  /** @param {SolidSurface} solid */
  #submerge(solid) {
    const { vertices, triangles } = solid;
    const count = vertices.length / 3;
    if (this.#points.length < vertices.length) {
      this.#points = new Float64Array(vertices.length);
      this.#heights = new Float64Array(count);
    }
    const points = this.#points;
    const heights = this.#heights;
    const axes = this.#axes;
    const origin = this.#origin;
    const up = this.#up;
    const base = this.#originHeight();
    let lowest = Infinity;
    let highest = -Infinity;
    for (let k = 0; k < count; ++k) {
      // seen from the point of the surface that is above or below the frame's origin
      const x = vertices[3 * k];
      const y = vertices[3 * k + 1];
      const z = vertices[3 * k + 2];
      for (let i = 0; i < 3; ++i)
        points[3 * k + i] = axes[i] * x + axes[3 + i] * y + axes[6 + i] * z + base * up[i];
      const height = up[0] * points[3 * k] + up[1] * points[3 * k + 1] + up[2] * points[3 * k + 2];
      heights[k] = height;
      lowest = Math.min(lowest, height);
      highest = Math.max(highest, height);
    }
    const centre = this.#centre;
    centre.fill(0);
    this.#volume = 0;
    if (lowest >= 0) return;
    if (highest <= 0) {
      this.#volume = solid.volume;
      const c = solid.centre;
      for (let i = 0; i < 3; ++i)
        centre[i] = origin[i] + axes[i] * c[0] + axes[3 + i] * c[1] + axes[6 + i] * c[2];
      return;
    }
    for (let t = 0; t < triangles.length; t += 3) this.#addTriangle(triangles, t);
    for (let i = 0; i < 3; ++i)
      centre[i] = origin[i] - base * up[i] + (this.#volume > 0 ? centre[i] / this.#volume : 0);
  }

  /**
   * The part of a triangle below the surface, of three or four corners.
   * @param {Uint32Array} triangles @param {number} first
   */
  #addTriangle(triangles, first) {
    const points = this.#points;
    const heights = this.#heights;
    const cut = this.#cut;
    let count = 0;
    for (let k = 0; k < 3; ++k) {
      const a = triangles[first + k];
      const b = triangles[first + ((k + 1) % 3)];
      if (heights[a] <= 0) {
        for (let i = 0; i < 3; ++i) cut[3 * count + i] = points[3 * a + i];
        count += 1;
      }
      if (heights[a] <= 0 !== heights[b] <= 0) {
        const part = heights[a] / (heights[a] - heights[b]);
        for (let i = 0; i < 3; ++i)
          cut[3 * count + i] = points[3 * a + i] + part * (points[3 * b + i] - points[3 * a + i]);
        count += 1;
      }
    }
    for (let k = 2; k < count; ++k) this.#addTetrahedron(3 * k - 3, 3 * k);
  }

  /** From the point on the surface to corner 0 and two others. @param {number} b @param {number} c */
  #addTetrahedron(b, c) {
    const cut = this.#cut;
    const volume =
      (cut[0] * (cut[b + 1] * cut[c + 2] - cut[b + 2] * cut[c + 1]) +
        cut[1] * (cut[b + 2] * cut[c] - cut[b] * cut[c + 2]) +
        cut[2] * (cut[b] * cut[c + 1] - cut[b + 1] * cut[c])) /
      6;
    this.#volume += volume;
    for (let i = 0; i < 3; ++i) this.#centre[i] += (volume * (cut[i] + cut[b + i] + cut[c + i])) / 4;
  }

  /** @param {World} world @param {number} row @param {number} spread @param {number} time */
  #push(world, row, spread, time) {
    const { bodies } = world.columns;
    const { velocity, angularVelocity, centreOfMass, force, torque } = bodies;
    const centre = this.#centre;
    const through = this.#through;
    const at = 3 * row;
    const displaced = this.#density * this.#volume;
    flowAt(this.#flow, centre, time, through);
    const x = centre[0] - centreOfMass[at];
    const y = centre[1] - centreOfMass[at + 1];
    const z = centre[2] - centreOfMass[at + 2];
    const wx = angularVelocity[at];
    const wy = angularVelocity[at + 1];
    const wz = angularVelocity[at + 2];
    const loss = this.#damping * displaced;
    const fx = displaced * this.#gravity * this.#up[0] - loss * (velocity[at] + wy * z - wz * y - through[0]);
    const fy =
      displaced * this.#gravity * this.#up[1] - loss * (velocity[at + 1] + wz * x - wx * z - through[1]);
    const fz =
      displaced * this.#gravity * this.#up[2] - loss * (velocity[at + 2] + wx * y - wy * x - through[2]);
    force[at] += fx;
    force[at + 1] += fy;
    force[at + 2] += fz;
    torque[at] += y * fz - z * fy - 0.4 * loss * spread * wx;
    torque[at + 1] += z * fx - x * fz - 0.4 * loss * spread * wy;
    torque[at + 2] += x * fy - y * fx - 0.4 * loss * spread * wz;
  }
}

makeStrict({ name: 'buoyancy', prototype: Buoyancy.prototype });

/**
 * A liquid that bodies float in, for `world.addForceField()`: exact for balls, boxes, hulls and closed
 * meshes;
 * other round shapes have 32 sides and their own volume. Several shapes displace each its own.
 * @param {BuoyancyOptions} [options]
 * @returns {Buoyancy}
 */
export function createBuoyancy(options = {}) {
  rejectSurplus('createBuoyancy', arguments, 1);
  checkOptions('createBuoyancy', 'options', options);
  checkNames('createBuoyancy', 'options', options, names);
  return new Buoyancy(options);
}
