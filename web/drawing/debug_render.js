// A world as coloured line segments, for any renderer.

import { checkFlag, checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { outOfRange } from '../core/errors.js';
import { handleOf } from '../core/handle.js';
import { BodyFlags, ConstraintFlags, GeometryFlags } from '../generated/flags.js';
import { linesOfShape } from './shape_lines.js';
import { TableTrace } from './table_trace.js';

/** @typedef {import('../index.js').Matrices} Matrices */
/** @typedef {import('../index.js').World} World */

/**
 * @typedef {object} DebugOptions
 * @property {boolean} [shapes] edges of what collides (true)
 * @property {boolean} [joints] axes of constraints, and lines to their bodies (true)
 * @property {boolean} [contacts] normals at contact points (false)
 * @property {number} [size] m, of the axes of constraints and of normals (0.2)
 * @property {number} [planeSize] m, side of the square that stands for a plane (20)
 */

/**
 * Good until the next call.
 * @typedef {object} DebugLines
 * @property {Float32Array} vertices m, three numbers each, two of them a segment
 * @property {Float32Array} colors red, green, blue, alpha of each vertex, 0…1
 */

/** @typedef {readonly [number, number, number]} Colour */

/** @type {Record<'awake' | 'asleep' | 'kinematic' | 'static' | 'sensor' | 'joint' | 'contact', Colour>} */
const COLOURS = {
  awake: [1, 0.72, 0.2],
  asleep: [0.62, 0.62, 0.7],
  kinematic: [0.3, 0.85, 0.45],
  static: [0.4, 0.6, 0.95],
  sensor: [0.9, 0.4, 0.9],
  joint: [0.2, 0.85, 0.85],
  contact: [1, 0.3, 0.25],
};
/** @type {readonly Colour[]} */
const AXES = [
  [1, 0.3, 0.3],
  [0.3, 1, 0.3],
  [0.4, 0.5, 1],
];
const NAMES = ['shapes', 'joints', 'contacts', 'size', 'planeSize'];
const NO_OPTIONS = Object.freeze({});

/** @type {WeakMap<World, DebugDrawing>} */
const drawings = new WeakMap();

/**
 * What is in a world as line segments, where `advance` and `interpolatePoses` left the bodies: shapes in
 * colours of how they move, constraints, contacts. Buffers are reused; the arrays over them are made again
 * when the number of lines changes.
 *
 * @param {World} world
 * @param {DebugOptions} [options]
 * @returns {DebugLines}
 */
export function debugRender(world, options = NO_OPTIONS) {
  const call = 'debugRender';
  handleOf(call, 'world', 'world', null, world);
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, NAMES);
  const { shapes = true, joints = true, contacts = false, size = 0.2, planeSize = 20 } = options;
  checkFlag(call, 'options.shapes', shapes);
  checkFlag(call, 'options.joints', joints);
  checkFlag(call, 'options.contacts', contacts);
  checkNumber(call, 'options.size', size);
  checkNumber(call, 'options.planeSize', planeSize);
  if (!(planeSize > 0)) throw outOfRange(call, 'options.planeSize', planeSize, 'are numbers > 0');
  let drawing = drawings.get(world);
  if (drawing === undefined) {
    drawing = new DebugDrawing(world);
    drawings.set(world, drawing);
  }
  drawing.begin();
  if (shapes) drawing.addShapes(planeSize);
  if (joints) drawing.addJoints(size);
  if (contacts) drawing.addContacts(size);
  return drawing.end();
}

/** The buffers of a world. */
class DebugDrawing {
  #world;
  #trace = new TableTrace();
  #planeSize = 0;
  /** @type {Matrices | null} */
  #matrices = null;
  /** Rows of proxies that are drawn. @type {number[]} */
  #proxies = [];
  /** Lines of the shapes, by their rows. @type {Map<number, { changes: number, lines: Float32Array }>} */
  #lines = new Map();

  #vertices = new Float32Array(0);
  #colours = new Float32Array(0);
  /** Vertices so far. */
  #count = 0;
  /** @type {DebugLines} */
  #result = { vertices: this.#vertices, colors: this.#colours };
  #frame = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  begin() {
    this.#count = 0;
  }

  /** @returns {DebugLines} */
  end() {
    if (
      this.#result.vertices.length !== 3 * this.#count ||
      this.#result.vertices.buffer !== this.#vertices.buffer
    ) {
      const vertices = this.#vertices.subarray(0, 3 * this.#count);
      this.#result = { vertices, colors: this.#colours.subarray(0, 4 * this.#count) };
    }
    return this.#result;
  }

  /** @param {number} planeSize m */
  addShapes(planeSize) {
    if (this.#trace.update(this.#world) || planeSize !== this.#planeSize) this.#collect(planeSize);
    if (this.#matrices === null) return;
    this.#matrices.write();
    const matrices = this.#matrices.array;
    const { proxies, bodies, geometries, shapes } = this.#world.columns;
    const { shape: shapeOf, body: bodyOf, geometry: geometryOf } = proxies;
    const { flags: bodyFlags } = bodies;
    const { flags: geometryFlags } = geometries;
    const { changes } = shapes;
    for (let i = 0; i < this.#proxies.length; ++i) {
      const proxy = this.#proxies[i];
      const row = shapeOf[proxy];
      const known = /** @type {{ changes: number, lines: Float32Array }} */ (this.#lines.get(row));
      if (known.changes !== changes[row]) {
        known.changes = changes[row];
        known.lines = linesOfShape(this.#world, row, planeSize);
      }
      const isSensor = (geometryFlags[geometryOf[proxy]] & GeometryFlags.sensor) !== 0;
      const body = bodyOf[proxy];
      this.#addLines(
        known.lines,
        matrices,
        16 * i,
        isSensor ? COLOURS.sensor : colourOf(body < 0 ? 0 : bodyFlags[body]),
      );
    }
  }

  /** @param {number} planeSize m */
  #collect(planeSize) {
    const world = this.#world;
    this.#planeSize = planeSize;
    this.#matrices?.dispose();
    this.#matrices = null;
    this.#proxies = [];
    this.#lines.clear();
    const { rows, geometry, shape } = world.columns.proxies;
    const { changes } = world.columns.shapes;
    for (let proxy = 0; proxy < rows; ++proxy) {
      if (geometry[proxy] < 0) continue;
      const row = shape[proxy];
      if (!this.#lines.has(row))
        this.#lines.set(row, { changes: changes[row], lines: linesOfShape(world, row, planeSize) });
      this.#proxies.push(proxy);
    }
    if (this.#proxies.length > 0) this.#matrices = world.createMatrices(this.#proxies);
  }

  /** @param {number} size m */
  addJoints(size) {
    const { constraints, bodies } = this.#world.columns;
    const { rows, handle, flags, body1, body2 } = constraints;
    for (let row = 0; row < rows; ++row) {
      if (handle[row] === 0 || (flags[row] & ConstraintFlags.enabled) === 0 || body1[row] < 0) continue;
      const constraint = /** @type {import('../index.js').Constraint} */ (this.#world.constraintAt(row));
      constraint.getFrame(this.#frame);
      this.#addAxes(size);
      this.#addToBody(bodies.renderPose, body1[row]);
      constraint.getFrameOn(constraint.body2, this.#frame);
      if (body2[row] >= 0) this.#addToBody(bodies.renderPose, body2[row]);
    }
  }

  /** The axes of the frame at hand. @param {number} size m */
  #addAxes(size) {
    const { position, rotation } = this.#frame;
    const [qx, qy, qz, qw] = rotation;
    const [x, y, z] = position;
    const along = (
      /** @type {number} */ a,
      /** @type {number} */ b,
      /** @type {number} */ c,
      /** @type {Colour} */ colour,
    ) => this.#addSegment(x, y, z, x + size * a, y + size * b, z + size * c, colour);
    along(1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qw * qz), 2 * (qx * qz - qw * qy), AXES[0]);
    along(2 * (qx * qy - qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qw * qx), AXES[1]);
    along(2 * (qx * qz + qw * qy), 2 * (qy * qz - qw * qx), 1 - 2 * (qx * qx + qy * qy), AXES[2]);
  }

  /** From the frame at hand to a body. @param {Float32Array} poses @param {number} row */
  #addToBody(poses, row) {
    const [x, y, z] = this.#frame.position;
    this.#addSegment(x, y, z, poses[8 * row], poses[8 * row + 1], poses[8 * row + 2], COLOURS.joint);
  }

  /** @param {number} size m */
  addContacts(size) {
    const { contactPoints } = this.#world.columns;
    const { rows, position, normal } = contactPoints;
    for (let i = 0; i < 3 * rows; i += 3) {
      const x = position[i];
      const y = position[i + 1];
      const z = position[i + 2];
      const toX = x + size * normal[i];
      this.#addSegment(x, y, z, toX, y + size * normal[i + 1], z + size * normal[i + 2], COLOURS.contact);
    }
  }

  /**
   * @param {Float32Array} lines six numbers a segment
   * @param {Float32Array} m @param {number} at of a matrix by columns @param {Colour} colour
   */
  #addLines(lines, m, at, colour) {
    this.#reserve(lines.length / 3);
    const vertices = this.#vertices;
    const m12 = m[at + 12];
    const m13 = m[at + 13];
    const m14 = m[at + 14];
    let v = 3 * this.#count;
    for (let i = 0; i < lines.length; i += 3) {
      const x = lines[i];
      const y = lines[i + 1];
      const z = lines[i + 2];
      vertices[v++] = m[at] * x + m[at + 4] * y + m[at + 8] * z + m12;
      vertices[v++] = m[at + 1] * x + m[at + 5] * y + m[at + 9] * z + m13;
      vertices[v++] = m[at + 2] * x + m[at + 6] * y + m[at + 10] * z + m14;
    }
    this.#colour(lines.length / 3, colour);
  }

  /**
   * @param {number} x0 @param {number} y0 @param {number} z0 @param {number} x1 @param {number} y1
   * @param {number} z1 @param {Colour} colour
   */
  #addSegment(x0, y0, z0, x1, y1, z1, colour) {
    this.#reserve(2);
    const v = 3 * this.#count;
    const vertices = this.#vertices;
    vertices[v] = x0;
    vertices[v + 1] = y0;
    vertices[v + 2] = z0;
    vertices[v + 3] = x1;
    vertices[v + 4] = y1;
    vertices[v + 5] = z1;
    this.#colour(2, colour);
  }

  /** The next vertices are of a colour. @param {number} count @param {Colour} colour */
  #colour(count, colour) {
    const colours = this.#colours;
    const end = 4 * (this.#count + count);
    for (let c = 4 * this.#count; c < end; c += 4) {
      colours[c] = colour[0];
      colours[c + 1] = colour[1];
      colours[c + 2] = colour[2];
      colours[c + 3] = 1;
    }
    this.#count += count;
  }

  /** Room for more vertices. @param {number} count */
  #reserve(count) {
    const wanted = this.#count + count;
    if (3 * wanted <= this.#vertices.length) return;
    const vertices = new Float32Array(6 * wanted);
    const colours = new Float32Array(8 * wanted);
    vertices.set(this.#vertices);
    colours.set(this.#colours);
    this.#vertices = vertices;
    this.#colours = colours;
  }
}

/** @param {number} flags of a body; 0: static geometry of none @returns {Colour} */
function colourOf(flags) {
  if (flags & BodyFlags.kinematic) return COLOURS.kinematic;
  if (!(flags & BodyFlags.dynamic)) return COLOURS.static;
  return flags & BodyFlags.asleep ? COLOURS.asleep : COLOURS.awake;
}
