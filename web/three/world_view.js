// Meshes that follow a world: see ../three.js.

import {
  BoxGeometry,
  CapsuleGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  MeshStandardMaterial,
} from 'three';
import { enums } from '../generated/api.js';
import { shapeProperties } from '../generated/descriptions.js';
import { makeField, makeHull, makeOwnMesh, makePlane, makeRevolved, makeSphere, whiten } from './surfaces.js';
import { TableTrace } from '../drawing/table_trace.js';

/** @typedef {import('three').BufferAttribute} BufferAttribute */
/** @typedef {import('three').BufferGeometry} BufferGeometry */
/** @typedef {import('../index.js').World} World */
/** @typedef {import('../index.js').Body} Body */
/** @typedef {import('../index.js').Geometry} Geometry */
/** @typedef {import('../index.js').Material} PhysicsMaterial */
/** @typedef {import('../index.js').Matrices} Matrices */

/**
 * @typedef {'sphere' | 'box' | 'capsule' | 'plane' | 'convex' | 'cylinder' | 'hollowCylinder'
 *   | 'cone' | 'hollowCone'
 *   | 'trimesh' | 'heightField'} ShapeKind
 */

/**
 * One shape of one geometry, as it is shown to `appearance`.
 *
 * @typedef {object} Item
 * @property {ShapeKind} kind
 * @property {Geometry} geometry
 * @property {Body | null} body null for static geometry that belongs to no body
 * @property {PhysicsMaterial | null} material null: the default material
 * @property {'dynamic' | 'kinematic' | 'static'} motion of the body; 'static' for geometry of none
 * @property {number} shapeIndex among the geometry's shapes
 * @property {boolean} hasOwnColour whether the shape's render data has a colour, which `color` multiplies
 */

/**
 * How an item looks. Items with the same `material` and shape share a draw call whatever their colours.
 *
 * @typedef {object} Appearance
 * @property {import('three').ColorRepresentation} [color] multiplies the material's own; white
 * @property {import('three').Material} [material] a MeshStandardMaterial of the view by default. It stays
 *   yours to dispose of
 * @property {boolean} [castShadow] true, but for planes
 * @property {boolean} [receiveShadow] true
 */

/**
 * @typedef {object} WorldViewOptions
 * @property {(item: Item) => Appearance | null} [appearance] called for each item when meshes are sorted,
 *   never per frame; null hides the item. By default bodies take colours in turn and static geometry is grey
 * @property {(bodyRow: number) => number} [paint] the colour of a body now, hexadecimal, instead of what
 *   `appearance` gave it; negative leaves that. Asked for every body in every `update`: what is merged,
 *   asleep or picked can be shown so
 * @property {number} [planeSize] m, side of the square that stands for a plane; 2000
 * @property {boolean} [follow] look for new, gone and changed geometries in every `update`; true.
 *   Otherwise call `sync`
 */

/** Colours that bodies take in turn unless `appearance` says otherwise. */
export const PALETTE = Object.freeze([0xc4623f, 0xdfb36a, 0x7f9f86, 0x5f86a6, 0x94708c, 0xe0cda9, 0x3f8a8c]);

const STATIC_COLOUR = 0xb9bec4;
const SCRATCH = new Color();

/**
 * Words of the shapes that are so.
 * @param {(shape: typeof shapeProperties['sphere']) => boolean} test @returns {string[]}
 */
function wordsOf(test) {
  return Object.entries(shapeProperties).flatMap(([word, shape]) => (test(shape) ? [word] : []));
}

/** Words of the column `shapes.type`, by number. */
const SHAPE_KINDS = enums.cnShapeType;
const REVOLVED = new Set(wordsOf((shape) => shape.isRevolved));
const DRAWN = new Set(wordsOf((shape) => shape.isDrawn));

/**
 * A mesh and the rows of the proxy table it draws.
 *
 * @typedef {object} Batch
 * @property {InstancedMesh} mesh
 * @property {number[]} proxies
 * @property {number[]} scales three an instance
 * @property {number[]} colours hexadecimal, one an instance
 * @property {Int32Array | null} painted the same as it is drawn, where bodies are painted
 */

/**
 * The geometries of a world as meshes. Add it to a scene, call `update` once a frame after the
 * world was stepped.
 *
 * It stands for the world's coordinates: leave its own transform alone, or put it in a group.
 */
export class WorldView extends Group {
  /** @type {World} */
  world;
  /** Whether `update` looks for changes of the world's geometries. */
  follow;

  #appearance;
  #paint;
  #planeSize;
  #trace = new TableTrace();
  /** @type {Map<string, Batch>} */
  #batches = new Map();
  /** @type {Map<string, BufferGeometry>} */
  #surfaces = new Map();
  /** @type {Matrices | null} */
  #matrices = null;
  /** @type {Float32Array | null} array of `#matrices` that the meshes' views were made from */
  #viewed = null;
  /**
   * @type {Map<string, { row: number, changes: number }>} height fields as they are drawn, by the key
   *   of their surface
   */
  #fields = new Map();
  #defaultMaterial = new MeshStandardMaterial({ roughness: 0.65, vertexColors: true });

  /**
   * @param {World} world
   * @param {WorldViewOptions} [options]
   */
  constructor(world, { appearance, paint, planeSize = 2000, follow = true } = {}) {
    super();
    this.name = 'cairn world';
    this.world = world;
    this.follow = follow;
    this.#planeSize = planeSize;
    this.#appearance = appearance ?? defaultAppearance;
    this.#paint = paint ?? null;
    this.matrixAutoUpdate = false;
    this.sync();
  }

  /**
   * Brings the instances to where the bodies are: one call into the engine, no garbage.
   *
   * @param {number} [alpha] 0…1, how far from the last step's begin to its end; what
   *   `world.advance` left by default
   */
  update(alpha = this.world.alpha) {
    if (this.follow) this.sync();
    const matrices = this.#matrices;
    if (matrices === null) return;
    matrices.write(alpha);
    this.#followHeights();
    if (this.#paint !== null) this.#repaint(this.#paint);
    if (matrices.array !== this.#viewed) this.#takeViews();
    for (const child of this.children) /** @type {InstancedMesh} */ (child).instanceMatrix.needsUpdate = true;
  }

  /**
   * Sorts the meshes again if geometries were made, destroyed or given another material since the last time.
   * Costs a comparison of three numbers a row otherwise.
   *
   * @returns {boolean} whether anything had changed
   */
  sync() {
    if (!this.#trace.update(this.world)) return false;
    this.#rebuild();
    return true;
  }

  /** Asks `appearance` again for every item, for instance after it changed its mind about colours. */
  refresh() {
    this.#trace.update(this.world);
    this.#rebuild();
  }

  /**
   * Frees what this view holds in the engine and on the graphics card. Materials given by
   * `appearance` are left alone.
   */
  dispose() {
    this.clear();
    for (const batch of this.#batches.values()) batch.mesh.dispose();
    for (const surface of this.#surfaces.values()) surface.dispose();
    this.#batches.clear();
    this.#surfaces.clear();
    this.#fields.clear();
    if (!this.world.isDisposed) this.#matrices?.dispose();
    this.#matrices = null;
    this.#viewed = null;
    this.#defaultMaterial.dispose();
  }

  #rebuild() {
    const wanted = this.#sortItems();

    // a mesh whose instances are the same stays, the others are rebuilt
    for (const [key, batch] of this.#batches) {
      const next = wanted.get(key);
      if (next && sameNumbers(next.proxies, batch.proxies) && sameNumbers(next.scales, batch.scales)) {
        if (!sameNumbers(next.colours, batch.colours)) setColours(batch, next.colours);
        wanted.set(key, batch);
      } else {
        batch.mesh.removeFromParent();
        batch.mesh.dispose();
      }
    }
    this.#batches = wanted;
    for (const batch of wanted.values()) {
      if (batch.mesh.parent !== this) this.add(batch.mesh);
    }
    this.#dropUnusedSurfaces();

    // all instances' matrices lie in one block, in the order of the meshes
    this.#matrices?.dispose();
    this.#matrices = null;
    /** @type {number[]} */
    const proxies = [];
    /** @type {number[]} */
    const scales = [];
    for (const batch of wanted.values()) {
      for (const proxy of batch.proxies) proxies.push(proxy);
      for (const scale of batch.scales) scales.push(scale);
    }
    if (proxies.length === 0) return;
    this.#matrices = this.world.createMatrices(proxies, scales);
    this.#matrices.write(this.world.alpha);
    this.#takeViews();
  }

  /** Moves the surfaces of height fields whose heights have changed. */
  #followHeights() {
    if (this.#fields.size === 0) return;
    const { changes } = this.world.columns.shapes;
    for (const [key, field] of this.#fields) {
      const surface = this.#surfaces.get(key);
      if (!surface || changes[field.row] === field.changes) continue;
      field.changes = changes[field.row];
      const positions = /** @type {BufferAttribute} */ (surface.getAttribute('position'));
      positions.array.set(this.world.getShapeVertices(field.row));
      positions.needsUpdate = true;
      surface.boundingSphere = surface.boundingBox = null;
      surface.computeVertexNormals();
    }
  }

  /** @param {(bodyRow: number) => number} paint */
  #repaint(paint) {
    const { body } = this.world.columns.proxies;
    for (const batch of this.#batches.values()) {
      const { proxies, colours } = batch;
      const painted = (batch.painted ??= Int32Array.from(colours));
      const attribute = /** @type {InstancedBufferAttribute} */ (batch.mesh.instanceColor);
      for (let i = 0; i < proxies.length; ++i) {
        const row = body[proxies[i]];
        const asked = row < 0 ? -1 : paint(row);
        const colour = asked < 0 ? colours[i] : asked;
        if (colour === painted[i]) continue;
        painted[i] = colour;
        SCRATCH.setHex(colour).toArray(attribute.array, 3 * i);
        attribute.needsUpdate = true;
      }
    }
  }

  /** Lets each mesh's matrices be a view of its part of the engine's memory. */
  #takeViews() {
    const matrices = /** @type {Matrices} */ (this.#matrices);
    const { array } = matrices;
    this.#viewed = array;
    let offset = 0;
    for (const { mesh, proxies } of this.#batches.values()) {
      mesh.instanceMatrix.array = array.subarray(offset, offset + 16 * proxies.length);
      mesh.instanceMatrix.needsUpdate = true;
      offset += 16 * proxies.length;
    }
  }

  /** @returns {Map<string, Batch>} */
  #sortItems() {
    const { world } = this;
    const { proxies, shapes } = world.columns;
    const { rows, geometry: proxyGeometry, shape: proxyShape, shapeIndex: proxyShapeIndex } = proxies;
    const {
      type: shapeType,
      handle: shapeHandle,
      radius,
      halfHeight,
      halfExtents,
      renderData,
      profile,
    } = shapes;

    /** @type {Map<string, Batch>} */
    const batches = new Map();
    const colour = new Color();
    for (let row = 0; row < rows; ++row) {
      if (proxyGeometry[row] < 0) continue;
      const shape = proxyShape[row];
      const kind = /** @type {ShapeKind} */ (SHAPE_KINDS[shapeType[shape]]);
      const geometry = world.geometryAt(proxyGeometry[row]);
      const ownMesh = renderData[shape];
      if ((!DRAWN.has(kind) && ownMesh === 0) || geometry === null) continue;
      const { body } = geometry;
      const motion = body === null ? 'static' : body.motion;
      const appearance = this.#appearance({
        kind,
        geometry,
        body,
        material: geometry.material,
        motion,
        shapeIndex: proxyShapeIndex[row],
        hasOwnColour: ownMesh !== 0 && (world.getRenderData(shape)?.colour ?? null) !== null,
      });
      if (appearance === null) continue;

      // which surface, and how much larger than the unit one
      let surfaceKey = `${kind}`;
      let x = 1;
      let y = 1;
      let z = 1;
      if (ownMesh !== 0) {
        surfaceKey = `mesh ${ownMesh}`;
      } else if (kind === 'sphere') {
        x = y = z = radius[shape];
      } else if (kind === 'box') {
        x = halfExtents[3 * shape];
        y = halfExtents[3 * shape + 1];
        z = halfExtents[3 * shape + 2];
      } else if (kind === 'capsule') {
        x = y = z = radius[shape];
        surfaceKey = `capsule ${((2 * halfHeight[shape]) / radius[shape]).toPrecision(5)}`;
      } else if (REVOLVED.has(kind)) {
        surfaceKey = `revolved ${profile.subarray(6 * shape, 6 * shape + 6).join(' ')}`;
      } else {
        surfaceKey = `${kind} ${shapeHandle[shape]}`;
      }

      const castShadow = appearance.castShadow ?? kind !== 'plane';
      const receiveShadow = appearance.receiveShadow ?? true;
      const material = appearance.material ?? this.#defaultMaterial;
      const key = `${surfaceKey} ${material.uuid} ${castShadow} ${receiveShadow}`;
      let batch = batches.get(key);
      if (!batch) {
        const mesh = new InstancedMesh(this.#surface(surfaceKey, kind, shape), material, 0);
        mesh.name = surfaceKey;
        mesh.castShadow = castShadow;
        mesh.receiveShadow = receiveShadow;
        mesh.frustumCulled = false; // three.js would have to read the matrices for it
        mesh.matrixAutoUpdate = false;
        batch = { mesh, proxies: [], scales: [], colours: [], painted: null };
        batches.set(key, batch);
      }
      batch.proxies.push(row);
      batch.scales.push(x, y, z);
      batch.colours.push(colour.set(appearance.color ?? 0xffffff).getHex());
    }

    for (const batch of batches.values()) {
      const count = batch.proxies.length;
      batch.mesh.count = count;
      batch.mesh.instanceMatrix = new InstancedBufferAttribute(new Float32Array(0), 16);
      batch.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      batch.mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
      setColours(batch, batch.colours);
    }
    return batches;
  }

  /**
   * @param {string} key
   * @param {ShapeKind} kind
   * @param {number} shapeRow
   * @returns {BufferGeometry}
   */
  #surface(key, kind, shapeRow) {
    let surface = this.#surfaces.get(key);
    if (surface) return surface;
    const own = this.world.getRenderData(shapeRow);
    if (own) {
      surface = makeOwnMesh(own);
    } else if (kind === 'sphere') {
      surface = makeSphere();
    } else if (kind === 'box') {
      surface = new BoxGeometry(2, 2, 2);
    } else if (kind === 'capsule') {
      const { radius, halfHeight } = this.world.columns.shapes;
      surface = new CapsuleGeometry(1, (2 * halfHeight[shapeRow]) / radius[shapeRow], 7, 20);
    } else if (REVOLVED.has(kind)) {
      const { profile } = this.world.columns.shapes;
      surface = makeRevolved(profile.subarray(6 * shapeRow, 6 * shapeRow + 6));
    } else if (kind === 'plane') {
      const { normal, offset } = this.world.columns.shapes;
      surface = makePlane(normal.subarray(3 * shapeRow, 3 * shapeRow + 3), offset[shapeRow], this.#planeSize);
    } else if (kind === 'heightField') {
      surface = makeField(this.world.getShapeSurface(shapeRow));
      this.#fields.set(key, { row: shapeRow, changes: this.world.columns.shapes.changes[shapeRow] });
    } else {
      surface = makeHull(this.world.getShapeSurface(shapeRow));
    }
    if (!surface.hasAttribute('color')) whiten(surface);
    this.#surfaces.set(key, surface);
    return surface;
  }

  #dropUnusedSurfaces() {
    const used = new Set();
    for (const { mesh } of this.#batches.values()) used.add(mesh.geometry);
    for (const [key, surface] of this.#surfaces) {
      if (used.has(surface)) continue;
      surface.dispose();
      this.#surfaces.delete(key);
      this.#fields.delete(key);
    }
  }
}

/** @param {Item} item @returns {Appearance} */
function defaultAppearance({ body, motion, hasOwnColour }) {
  if (hasOwnColour) return {};
  if (body === null || motion === 'static') return { color: STATIC_COLOUR };
  return { color: PALETTE[body.index % PALETTE.length] };
}

/** @param {Batch} batch @param {number[]} colours */
function setColours(batch, colours) {
  const attribute = /** @type {InstancedBufferAttribute} */ (batch.mesh.instanceColor);
  const colour = new Color();
  for (let i = 0; i < colours.length; ++i) colour.setHex(colours[i]).toArray(attribute.array, 3 * i);
  attribute.needsUpdate = true;
  batch.colours = colours;
  batch.painted = null;
}

/** @param {number[]} a @param {number[]} b */
function sameNumbers(a, b) {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
