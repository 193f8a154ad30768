// What the shapes of a world are in a scene file, from a saved state (src/world/snapshot/format.h,
// cnShapeRecord and the heads of shape_data.c).

import { enumWord } from '../core/checks.js';
import { CairnError } from '../core/errors.js';
import { align } from '../core/snapshot_sections.js';
import { fieldHead, hullHead, meshHead, shapeRecord } from '../generated/snapshot_layout.js';
import { exactNumber } from './exact_values.js';

/** @typedef {import('../core/snapshot_sections.js').SnapshotSections} SnapshotSections */
/** @typedef {Record<string, unknown>} Json */

// Places in a record, in numbers of 64 bits.
const placesOf = shapeRecord.bytes / 8;
const placeOf = (/** @type {keyof typeof shapeRecord.at} */ member) => shapeRecord.at[member] / 8;

/** @param {Float64Array} doubles @param {number} first @returns {number[]} */
const vectorAt = (doubles, first) => [...doubles.subarray(first, first + 3)];

/** @param {Float64Array} numbers @returns {number[][]} */
const triplesOf = (numbers) =>
  Array.from({ length: numbers.length / 3 }, (_, i) => [...numbers.subarray(3 * i, 3 * i + 3)]);

/** Shapes of a saved state in a scene's words; meshes become a list beside them. */
export class SceneShapes {
  /** Of the file. @type {Json[]} */
  meshes = [];
  #records;
  #words;
  #types;
  #data;
  /** Where the data of each row begin, bytes. @type {number[]} */
  #offsets = [];
  /** By row. @type {Map<number, Json>} */
  #made = new Map();

  /** @param {SnapshotSections} sections */
  constructor(sections) {
    const { rowBytes, rows } = sections.sizeOf('shapes.made');
    if (rowBytes !== shapeRecord.bytes)
      throw new CairnError('SNAPSHOT', 'World.toScene', 'shapes', `shapes take ${rowBytes} bytes a row`);
    this.#records = sections.doubles('shapes.made');
    this.#words = sections.words('shapes.made');
    this.#types = new Uint32Array(
      this.#records.buffer,
      this.#records.byteOffset,
      (rows * shapeRecord.bytes) / 4,
    );
    this.#data = sections.bytes('shapes.data');
    let offset = 0;
    for (let row = 0; row < rows; ++row) {
      this.#offsets.push(offset);
      const first = row * placesOf;
      offset += align(Number(this.#words[first + placeOf('dataBytes')]));
      offset += align(Number(this.#words[first + placeOf('renderBytes')]));
    }
  }

  /** @param {number} row @returns {Json} */
  describe(row) {
    const known = this.#made.get(row);
    if (known) return known;
    const first = row * placesOf;
    const record = this.#records.subarray(first, first + placesOf);
    const type = enumWord('cnShapeType', this.#types[2 * first + shapeRecord.at.type / 4]);
    const made = { type, ...this.#parameters(type, record, row) };
    this.#made.set(row, made);
    return made;
  }

  /** @param {string} type @param {Float64Array} record @param {number} row @returns {Json} */
  #parameters(type, record, row) {
    const [lower, upper, outerLower, outerUpper, innerLower, innerUpper] = record.subarray(
      placeOf('profile'),
    );
    const height = upper - lower;
    switch (type) {
      case 'sphere':
        return { radius: record[placeOf('radius')] };
      case 'box':
        return { halfExtents: vectorAt(record, placeOf('halfExtents')) };
      case 'capsule':
        return { radius: record[placeOf('radius')], height: 2 * record[placeOf('halfHeight')] };
      case 'plane':
        return { normal: vectorAt(record, placeOf('normal')), d: record[placeOf('offset')] };
      case 'cylinder':
        return { radius: outerLower, height };
      case 'hollowCylinder':
        return {
          innerRadius: innerLower,
          thickness: exactNumber(outerLower - innerLower, (value) => innerLower + value === outerLower),
          height,
        };
      case 'cone':
        return { topRadius: outerUpper, bottomRadius: outerLower, height };
      case 'hollowCone': {
        const isRead = (/** @type {number} */ value) =>
          Math.max(0, outerLower - value) === innerLower && Math.max(0, outerUpper - value) === innerUpper;
        const thickness = exactNumber(Math.max(outerLower - innerLower, outerUpper - innerUpper), isRead);
        return { topRadius: outerUpper, bottomRadius: outerLower, height, thickness };
      }
      case 'line':
        return { start: vectorAt(record, placeOf('start')), end: vectorAt(record, placeOf('end')) };
      case 'convex':
        return this.#convex(row);
      case 'trimesh':
        return this.#trimesh(row);
      case 'heightField':
        return this.#heightField(row);
      default:
        throw new CairnError('NOT_SUPPORTED_YET', 'World.toScene', 'shapes', `a scene has no shape ${type}`);
    }
  }

  /** @param {number} row @param {number} offset bytes @param {number} count @returns {Float64Array} */
  #doubles(row, offset, count) {
    return new Float64Array(this.#data.buffer, this.#data.byteOffset + this.#offsets[row] + offset, count);
  }

  /** @param {number} row @param {number} offset bytes @param {number} count @returns {Int32Array} */
  #integers(row, offset, count) {
    return new Int32Array(this.#data.buffer, this.#data.byteOffset + this.#offsets[row] + offset, count);
  }

  /** Corners behind the head. @param {number} row @returns {Json} */
  #convex(row) {
    const [vertices] = this.#integers(row, hullHead.at.vertexCount, 1);
    return { points: triplesOf(this.#doubles(row, hullHead.bytes, 3 * vertices)) };
  }

  /** @param {number} row @returns {Json} */
  #trimesh(row) {
    const [vertexCount] = this.#integers(row, meshHead.at.vertexCount, 1);
    const [triangleCount] = this.#integers(row, meshHead.at.triangleCount, 1);
    const [isTerrain] = this.#integers(row, meshHead.at.isTerrain, 1);
    const [bottom] = this.#doubles(row, meshHead.at.bottom, 1);
    const vertices = this.#doubles(row, meshHead.bytes, 3 * vertexCount);
    const points = triplesOf(vertices);
    const corners = this.#integers(row, meshHead.bytes + vertices.byteLength, 3 * triangleCount);
    const name = `mesh ${this.meshes.length}`;
    const triangles = Array.from({ length: triangleCount }, (_, i) => [
      ...corners.subarray(3 * i, 3 * i + 3),
    ]);
    this.meshes.push({ name, vertices: points, triangles });
    if (isTerrain === 0) return { mesh: name };
    const lowest = points.reduce((least, [, , z]) => Math.min(least, z), Infinity);
    return { mesh: name, terrain: true, bottomMargin: lowest - bottom };
  }

  /** @param {number} row @returns {Json} */
  #heightField(row) {
    const { at } = fieldHead;
    const [columns, rows, isClosed] = [at.columnCount, at.rowCount, at.isClosed].map(
      (offset) => this.#integers(row, offset, 1)[0],
    );
    const [sizeX, sizeY, bottomMargin, minHeight] = [at.sizeX, at.sizeY, at.bottomMargin, at.minHeight].map(
      (offset) => this.#doubles(row, offset, 1)[0],
    );
    const heights = [...this.#doubles(row, fieldHead.bytes, columns * rows)];
    const field = { resolution: [columns, rows], size: [sizeX, sizeY], heights, bottomMargin };
    return isClosed === 0 ? field : { ...field, dynamic: true, minHeight };
  }
}
