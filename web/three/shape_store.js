// Shapes of three's geometries in a world: meshes that share a geometry share a shape.

import { CairnError } from '../core/errors.js';
import { versionOf } from './drawn_points.js';
import { checkGeometry, fitShape } from './geometry_shapes.js';

/** @typedef {import('three').BufferGeometry} BufferGeometry */
/** @typedef {import('../index.js').Shape} Shape */
/** @typedef {import('../index.js').World} World */
/** @typedef {import('./geometry_shapes.js').GeometryShapeKind} GeometryShapeKind */

/** @typedef {{ shape: Shape, position: number[], rotation: number[] }} StoredShape */

export class ShapeStore {
  /** @type {Map<BufferGeometry, Map<string, StoredShape>>} */
  #stored = new Map();
  #world;

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /**
   * @param {string} call
   * @param {BufferGeometry} geometry
   * @param {GeometryShapeKind} kind
   * @param {readonly number[]} linear from the geometry to the frame of the body
   * @param {boolean} isStatic whether it may be a mesh that is not closed
   * @returns {StoredShape}
   */
  take(call, geometry, kind, linear, isStatic) {
    checkGeometry(call, geometry);
    const version = versionOf(geometry);
    const key = [kind, isStatic, version, ...linear].join(' ');
    const known = this.#stored.get(geometry)?.get(key);
    if (known?.shape.isValid) return known;
    const { shape: description, position, rotation } = fitShape(call, geometry, kind, linear, isStatic);
    if (description.type === 'trimesh' && !isStatic) this.#checkClosed(call, description);
    const shape = this.#world.createShape(description);
    const stored = { shape, position, rotation };
    this.#shelfOf(geometry).set(key, stored);
    return stored;
  }

  /** Gives all shapes up: those in use live on with their geometries. */
  dispose() {
    for (const geometry of [...this.#stored.keys()]) this.#release(geometry);
  }

  /** @param {BufferGeometry} geometry */
  #shelfOf(geometry) {
    let shelf = this.#stored.get(geometry);
    if (shelf === undefined) {
      shelf = new Map();
      this.#stored.set(geometry, shelf);
      geometry.addEventListener('dispose', this.#onDispose);
    }
    return shelf;
  }

  #onDispose = (/** @type {{ target: BufferGeometry }} */ { target }) => this.#release(target);

  /** @param {BufferGeometry} geometry */
  #release(geometry) {
    geometry.removeEventListener('dispose', this.#onDispose);
    const shelf = this.#stored.get(geometry);
    this.#stored.delete(geometry);
    if (this.#world.isDisposed) return;
    for (const { shape } of shelf?.values() ?? []) if (shape.isValid) shape.release();
  }

  /** @param {string} call @param {import('../index.js').ShapeDescription} description */
  #checkClosed(call, description) {
    const { closed, openEdges } = this.#world.cairn.checkMesh(description);
    if (closed) return;
    const text =
      `the mesh of the geometry is open (${openEdges} edges with a triangle on one side only): ` +
      "what moves needs a volume, so close it, or take shape 'convex'";
    throw new CairnError('DEGENERATE_SHAPE', call, 'geometry', text);
  }
}
