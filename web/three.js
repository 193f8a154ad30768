// three.js for a Cairn world: meshes that follow it, an overlay of its contacts, and picking.
//
//   const view = new WorldView(world);
//   scene.add(view);                       // a scene with z up: camera.up.set(0, 0, 1)
//   …each frame:
//   world.advance(seconds);
//   view.update();
//
// ContactOverlay shows contacts, JointOverlay constraints, both as dots and arrows.
//
// What flows in is the world's tables; what flows out is a handful of InstancedMeshes. Their matrices are written by the
// engine, in one call a frame for the whole world, into memory that three.js uploads from as it is: no JavaScript runs per
// body. Only when geometries come, go or change their material are the meshes sorted anew.
//
// A unit sphere and a unit box are drawn for every sphere and box, scaled per instance; a capsule cannot be stretched without
// spoiling its ends, so capsules share a mesh when the ratio of height to radius is the same; cylinders and cones share one
// when their sections are the same; a plane is a large quad; hulls, trimeshes and height fields have the surface that the
// engine holds, one mesh a shape, and those of height fields follow their changes.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InstancedMesh,
  InterleavedBufferAttribute,
  Mesh,
  MeshStandardMaterial,
  OctahedronGeometry,
  PlaneGeometry,
  Points,
  Quaternion,
  ShaderMaterial,
  Vector3,
} from 'three';
import { enums } from './generated/api.js';
import { ConstraintFlags } from './generated/flags.js';

/** @typedef {import('./index.js').World} World */
/** @typedef {import('./index.js').Body} Body */
/** @typedef {import('./index.js').Geometry} Geometry */
/** @typedef {import('./index.js').Material} PhysicsMaterial */
/** @typedef {import('./index.js').Matrices} Matrices */
/** @typedef {import('./index.js').RayResult} RayResult */

/**
 * @typedef {'sphere' | 'box' | 'capsule' | 'plane' | 'convex' | 'cylinder' | 'hollowCylinder' | 'cone' | 'hollowCone'
 *   | 'trimesh' | 'heightField'} ShapeKind
 */

/**
 * One shape of one geometry, as it is shown to `appearance`.
 *
 * @typedef {object} Item
 * @property {ShapeKind} kind
 * @property {Geometry} geometry
 * @property {Body | null} body null for scenery that belongs to no body
 * @property {PhysicsMaterial | null} material null: the default material
 * @property {'dynamic' | 'kinematic' | 'static'} motion of the body; scenery is static
 * @property {number} shapeIndex among the geometry's shapes
 * @property {boolean} hasOwnColour whether the shape's render data has a colour, which `color` multiplies
 */

/**
 * How an item looks. Items with the same `material` and shape share a draw call whatever their colours.
 *
 * @typedef {object} Appearance
 * @property {import('three').ColorRepresentation} [color] multiplies the material's own; white
 * @property {import('three').Material} [material] a MeshStandardMaterial of the view by default. It stays yours to dispose of
 * @property {boolean} [castShadow] true, but for planes
 * @property {boolean} [receiveShadow] true
 */

/**
 * @typedef {object} WorldViewOptions
 * @property {(item: Item) => Appearance | null} [appearance] called for each item when meshes are sorted, never per frame;
 *   null hides the item. By default bodies take colours in turn and scenery is grey
 * @property {number} [planeSize] m, side of the square that stands for a plane; 2000
 * @property {boolean} [follow] look for new, gone and changed geometries in every `update`; true. Otherwise call `sync`
 */

/** Colours that bodies take in turn unless `appearance` says otherwise. */
export const PALETTE = Object.freeze([0xc4623f, 0xdfb36a, 0x7f9f86, 0x5f86a6, 0x94708c, 0xe0cda9, 0x3f8a8c]);

const SCENERY_COLOUR = 0xb9bec4;

/** Words of the column `shapes.type`, by number. */
const SHAPE_KINDS = enums.cnShapeType;
const REVOLVED = new Set(['cylinder', 'hollowCylinder', 'cone', 'hollowCone']);
const DRAWN = new Set(['sphere', 'box', 'capsule', 'plane', 'convex', 'trimesh', 'heightField', ...REVOLVED]);

/**
 * A mesh and the rows of the proxy table it draws.
 *
 * @typedef {object} Batch
 * @property {InstancedMesh} mesh
 * @property {number[]} proxies
 * @property {number[]} scales three an instance
 * @property {number[]} colours hexadecimal, one an instance
 */

/** What `sync` compares to see whether the tables changed; one entry a proxy row. */
class TableTrace {
  #rows = 0;
  #geometry = new Uint32Array(0); // handle, 0 for a free row
  #shape = new Uint32Array(0); // handle
  #material = new Int32Array(0); // row
  #mesh = new Uint32Array(0); // number of the shape's render data

  /**
   * Takes over the present state.
   *
   * @param {World} world
   * @returns {boolean} whether anything was different
   */
  update(world) {
    const { proxies, geometries, shapes } = world.columns;
    const rows = proxies.rows;
    let changed = rows !== this.#rows;
    if (rows > this.#geometry.length) {
      this.#geometry = new Uint32Array(2 * rows);
      this.#shape = new Uint32Array(2 * rows);
      this.#material = new Int32Array(2 * rows);
      this.#mesh = new Uint32Array(2 * rows);
      changed = true;
    }
    this.#rows = rows;

    const proxyGeometry = proxies.geometry;
    const proxyShape = proxies.shape;
    const proxyMaterial = proxies.material;
    const geometryHandle = geometries.handle;
    const shapeHandle = shapes.handle;
    const lastGeometry = this.#geometry;
    const lastShape = this.#shape;
    const lastMaterial = this.#material;
    const renderData = shapes.renderData;
    const lastMesh = this.#mesh;
    for (let row = 0; row < rows; ++row) {
      const live = proxyGeometry[row] >= 0;
      const geometry = live ? geometryHandle[proxyGeometry[row]] : 0;
      const shape = live ? shapeHandle[proxyShape[row]] : 0;
      const material = live ? proxyMaterial[row] : -1;
      const mesh = live ? renderData[proxyShape[row]] : 0;
      if (
        geometry === lastGeometry[row] &&
        shape === lastShape[row] &&
        material === lastMaterial[row] &&
        mesh === lastMesh[row]
      )
        continue;
      lastMesh[row] = mesh;
      lastGeometry[row] = geometry;
      lastShape[row] = shape;
      lastMaterial[row] = material;
      changed = true;
    }
    return changed;
  }
}

/**
 * The geometries of a world as meshes. Add it to a scene, call `update` once a frame after the world was stepped.
 *
 * It stands for the world's coordinates: leave its own transform alone, or put it in a group.
 */
export class WorldView extends Group {
  /** @type {World} */
  world;
  /** Whether `update` looks for changes of the world's geometries. */
  follow;

  #appearance;
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
  /** @type {Map<string, { row: number, changes: number }>} height fields as they are drawn, by the key of their surface */
  #fields = new Map();
  #defaultMaterial = new MeshStandardMaterial({ roughness: 0.65, vertexColors: true });

  /**
   * @param {World} world
   * @param {WorldViewOptions} [options]
   */
  constructor(world, { appearance, planeSize = 2000, follow = true } = {}) {
    super();
    this.name = 'cairn world';
    this.world = world;
    this.follow = follow;
    this.#planeSize = planeSize;
    this.#appearance = appearance ?? defaultAppearance;
    this.matrixAutoUpdate = false;
    this.sync();
  }

  /**
   * Brings the instances to where the bodies are: one call into the engine, no garbage.
   *
   * @param {number} [alpha] 0…1, how far from the last step's begin to its end; what `world.advance` left by default
   */
  update(alpha = this.world.alpha) {
    if (this.follow) this.sync();
    const matrices = this.#matrices;
    if (matrices === null) return;
    matrices.write(alpha);
    this.#followHeights();
    if (matrices.array !== this.#viewed) this.#takeViews();
    for (const child of this.children) /** @type {InstancedMesh} */ (child).instanceMatrix.needsUpdate = true;
  }

  /**
   * Sorts the meshes anew if geometries were made, destroyed or given another material since the last time. Costs a comparison
   * of three numbers a row otherwise.
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

  /** Frees what this view holds in the engine and on the graphics card. Materials given by `appearance` are left alone. */
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

    // a mesh whose instances are the same stays, the others are made anew
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
    const rows = proxies.rows;
    const proxyGeometry = proxies.geometry;
    const proxyShape = proxies.shape;
    const proxyShapeIndex = proxies.shapeIndex;
    const shapeType = shapes.type;
    const shapeHandle = shapes.handle;
    const radius = shapes.radius;
    const halfHeight = shapes.halfHeight;
    const halfExtents = shapes.halfExtents;
    const renderData = shapes.renderData;
    const { profile } = shapes;

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
        batch = { mesh, proxies: [], scales: [], colours: [] };
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
  if (body === null || motion === 'static') return { color: SCENERY_COLOUR };
  return { color: PALETTE[body.index % PALETTE.length] };
}

/** @param {Batch} batch @param {number[]} colours */
function setColours(batch, colours) {
  const attribute = /** @type {InstancedBufferAttribute} */ (batch.mesh.instanceColor);
  const colour = new Color();
  for (let i = 0; i < colours.length; ++i) colour.setHex(colours[i]).toArray(attribute.array, 3 * i);
  attribute.needsUpdate = true;
  batch.colours = colours;
}

/** @param {number[]} a @param {number[]} b */
function sameNumbers(a, b) {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** The mesh that a shape was given. @param {import('./index.js').RenderData} data */
function makeOwnMesh({ positions, normals, indices, colour }) {
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(positions, 3));
  surface.setIndex(new BufferAttribute(indices, 1));
  if (normals) surface.setAttribute('normal', new BufferAttribute(normals, 3));
  else surface.computeVertexNormals();
  if (colour) {
    const colours = new Float32Array(positions.length);
    for (let i = 0; i < colours.length; ++i) colours[i] = colour[i % 3];
    surface.setAttribute('color', new BufferAttribute(colours, 3));
  }
  return surface;
}

/** @param {BufferGeometry} surface */
function whiten(surface) {
  const { count } = surface.getAttribute('position');
  surface.setAttribute('color', new BufferAttribute(new Uint8Array(3 * count).fill(255), 3, true));
}

/**
 * Unit sphere whose octants are light and dark in turn, so that one sees it roll.
 *
 * @returns {BufferGeometry}
 */
function makeSphere() {
  const surface = new OctahedronGeometry(1, 9);
  const position = surface.getAttribute('position');
  const colours = new Uint8Array(3 * position.count);
  for (let first = 0; first < position.count; first += 3) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let i = first; i < first + 3; ++i) {
      x += position.getX(i);
      y += position.getY(i);
      z += position.getZ(i);
    }
    colours.fill(x * y * z > 0 ? 255 : 205, 3 * first, 3 * first + 9);
  }
  surface.setAttribute('color', new BufferAttribute(colours, 3, true));
  return surface;
}

/**
 * @param {ArrayLike<number>} normal unit
 * @param {number} offset
 * @param {number} size
 * @returns {BufferGeometry}
 */
function makePlane(normal, offset, size) {
  const surface = new PlaneGeometry(size, size);
  const direction = new Vector3(normal[0], normal[1], normal[2]);
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), direction);
  surface.applyQuaternion(turn);
  surface.translate(offset * direction.x, offset * direction.y, offset * direction.z);
  return surface;
}

/**
 * @param {{ vertices: Float64Array, triangles: Uint32Array }} hull
 * @returns {BufferGeometry} with a normal a face
 */
function makeHull({ vertices, triangles }) {
  const positions = new Float32Array(3 * triangles.length);
  for (let corner = 0; corner < triangles.length; ++corner) {
    const vertex = 3 * triangles[corner];
    positions[3 * corner] = vertices[vertex];
    positions[3 * corner + 1] = vertices[vertex + 1];
    positions[3 * corner + 2] = vertices[vertex + 2];
  }
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(positions, 3));
  surface.computeVertexNormals();
  return surface;
}

/** @param {{ vertices: Float64Array, triangles: Uint32Array }} surface @returns {BufferGeometry} smooth, with shared vertices */
function makeField({ vertices, triangles }) {
  const surface = new BufferGeometry();
  const positions = new BufferAttribute(new Float32Array(vertices), 3);
  positions.setUsage(DynamicDrawUsage);
  surface.setAttribute('position', positions);
  surface.setIndex(new BufferAttribute(triangles, 1));
  surface.computeVertexNormals();
  return surface;
}

/**
 * A section turned about y, whose sides meet at sharp rims. Alternate wedges are light and dark, so that one sees it turn.
 *
 * @param {Float64Array} profile lower, upper height; outer radii at them, inner radii
 * @returns {BufferGeometry}
 */
function makeRevolved([lower, upper, outerLower, outerUpper, innerLower, innerUpper]) {
  const corners = [
    [outerLower, lower],
    [outerUpper, upper],
    [innerUpper, upper],
    [innerLower, lower],
  ];
  const segments = 48;
  /** @type {number[]} */
  const positions = [];
  /** @type {number[]} */
  const normals = [];
  /** @type {number[]} */
  const colours = [];
  /** @param {number} r @param {number} y @param {number} angle @param {number} nr @param {number} ny @param {number} shade */
  const add = (r, y, angle, nr, ny, shade) => {
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    positions.push(r * c, y, r * s);
    normals.push(nr * c, ny, nr * s);
    colours.push(shade, shade, shade);
  };
  for (let side = 0; side < 4; ++side) {
    const [r0, y0] = corners[side];
    const [r1, y1] = corners[(side + 1) % 4];
    const length = Math.hypot(r1 - r0, y1 - y0);
    if (length === 0 || (r0 === 0 && r1 === 0)) continue; // on the axis
    const nr = (y1 - y0) / length;
    const ny = (r0 - r1) / length;
    for (let segment = 0; segment < segments; ++segment) {
      const from = (2 * Math.PI * segment) / segments;
      const to = (2 * Math.PI * (segment + 1)) / segments;
      const shade = Math.floor((8 * segment) / segments) % 2 === 0 ? 255 : 225;
      add(r0, y0, from, nr, ny, shade);
      add(r1, y1, from, nr, ny, shade);
      add(r1, y1, to, nr, ny, shade);
      add(r0, y0, from, nr, ny, shade);
      add(r1, y1, to, nr, ny, shade);
      add(r0, y0, to, nr, ny, shade);
    }
  }
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  surface.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  surface.setAttribute('color', new BufferAttribute(new Uint8Array(colours), 3, true));
  return surface;
}

// ---- contacts -------------------------------------------------------------------------------------------------------

/**
 * @typedef {object} ContactOverlayOptions
 * @property {boolean} [points] show contact points; true
 * @property {boolean} [forces] show contact forces; true
 * @property {number} [pointSize] pixels; 9
 * @property {number} [forceScale] m/N, length of an arrow; 0.001
 * @property {number} [maxLength] m, of an arrow; none
 * @property {number} [arrowRadius] m, of an arrow's shaft; 0.02
 * @property {import('three').ColorRepresentation} [pointColor]
 * @property {import('three').ColorRepresentation} [normalColor]
 * @property {import('three').ColorRepresentation} [tangentialColor]
 */

/**
 * Contact points as dots, normal and tangential forces as arrows that start there. Of the two bodies in contact the arrows
 * show the forces on the one that is pushed upwards (along `up`), and on the body where the other one is scenery. Draw it in a
 * scene of its own after `renderer.clearDepth()` to see the contacts inside a pile.
 */
export class ContactOverlay extends Group {
  /** @type {World} */
  world;
  /** m/N */
  forceScale;
  /** m */
  maxLength;
  /** Whether contact points are shown. */
  showPoints;
  /** Whether contact forces are shown. */
  showForces;

  #dots;
  #normalArrows;
  #tangentialArrows;

  /**
   * @param {World} world
   * @param {ContactOverlayOptions} [options]
   */
  constructor(world, options = {}) {
    super();
    this.name = 'cairn contacts';
    this.up.set(0, 0, 1);
    this.world = world;
    this.showPoints = options.points ?? true;
    this.showForces = options.forces ?? true;
    this.forceScale = options.forceScale ?? 1e-3;
    this.maxLength = options.maxLength ?? Infinity;
    const arrowRadius = options.arrowRadius ?? 0.02;
    this.#dots = new Dots(options.pointSize ?? 9, new Color(options.pointColor ?? 0xe08a1e));
    this.#normalArrows = new Arrows(arrowRadius, new Color(options.normalColor ?? 0x2c7fb8));
    this.#tangentialArrows = new Arrows(arrowRadius, new Color(options.tangentialColor ?? 0xc43c55));
    this.add(this.#normalArrows, this.#tangentialArrows, this.#dots);
  }

  /** Takes over the contacts of the last step. No garbage but when there are more than ever before. */
  update() {
    this.#dots.visible = this.showPoints;
    this.#normalArrows.visible = this.showForces;
    this.#tangentialArrows.visible = this.showForces;
    if (!this.showPoints && !this.showForces) return;

    const { contacts, contactPoints } = this.world.columns;
    const count = contactPoints.rows;
    const position = contactPoints.position;
    if (this.showPoints) {
      const out = this.#dots.reserve(count);
      for (let i = 0; i < 3 * count; ++i) out[i] = position[i];
      this.#dots.finish(count);
    }
    if (!this.showForces) return;

    const body1 = contacts.body1;
    const body2 = contacts.body2;
    const up = this.up;
    const contactOfPoint = contactPoints.contact;
    const normal = contactPoints.normal;
    const normalForce = contactPoints.normalForce;
    const tangentialForce = contactPoints.tangentialForce;
    const normalOut = this.#normalArrows.reserve(count);
    const tangentialOut = this.#tangentialArrows.reserve(count);
    for (let i = 0; i < count; ++i) {
      const x = 3 * i;
      const contact = contactOfPoint[i];
      const lift = normal[x] * up.x + normal[x + 1] * up.y + normal[x + 2] * up.z;
      const onSecond = body1[contact] < 0 || (body2[contact] >= 0 && lift < 0);
      const scale = onSecond ? -this.forceScale : this.forceScale;
      const along = scale * normalForce[i];
      this.#writeArrow(
        normalOut,
        i,
        position,
        along * normal[x],
        along * normal[x + 1],
        along * normal[x + 2],
      );
      this.#writeArrow(
        tangentialOut,
        i,
        position,
        scale * tangentialForce[x],
        scale * tangentialForce[x + 1],
        scale * tangentialForce[x + 2],
      );
    }
    this.#normalArrows.finish(count);
    this.#tangentialArrows.finish(count);
  }

  /**
   * @param {Float32Array} out
   * @param {number} index
   * @param {ArrayLike<number>} start
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  #writeArrow(out, index, start, x, y, z) {
    const length = Math.sqrt(x * x + y * y + z * z);
    const cut = length > this.maxLength ? this.maxLength / length : 1;
    out[6 * index] = start[3 * index];
    out[6 * index + 1] = start[3 * index + 1];
    out[6 * index + 2] = start[3 * index + 2];
    out[6 * index + 3] = cut * x;
    out[6 * index + 4] = cut * y;
    out[6 * index + 5] = cut * z;
  }

  /** Frees what this overlay holds on the graphics card. */
  dispose() {
    this.clear();
    this.#dots.dispose();
    this.#normalArrows.dispose();
    this.#tangentialArrows.dispose();
  }
}

/**
 * @typedef {object} JointOverlayOptions
 * @property {number} [size] m, of the axes; 0.3
 * @property {number} [pointSize] pixels; 10
 * @property {import('three').ColorRepresentation} [pointColor]
 * @property {import('three').ColorRepresentation} [axisColor]
 */

/** Types whose axis says something, by number. */
const AXIAL = enums.cnConstraintType.map((type) =>
  ['hinge', 'prismatic', 'universal', 'cylindrical', 'planar', 'screw'].includes(type),
);
const SPANNING = enums.cnConstraintType.map((type) => type === 'distance' || type === 'spring');

/**
 * Constraints as dots where they are fixed in the first body, with an arrow along the axis of those that have one, and from
 * point to point of distances and springs. What is disabled or broken is not drawn.
 */
export class JointOverlay extends Group {
  /** @type {World} */
  world;

  #size;
  #dots;
  #arrows;
  /** Handles of the constraints that `#fixed` is of, by row. */
  #handles = new Uint32Array(0);
  /** Nine numbers a row: point and axis in the first body, point in the second. */
  #fixed = new Float64Array(0);
  #frame = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
  #first = new Vector3();
  #second = new Vector3();
  #axis = new Vector3();
  #turn = new Quaternion();

  /** @param {World} world @param {JointOverlayOptions} [options] */
  constructor(world, options = {}) {
    super();
    this.name = 'cairn joints';
    this.world = world;
    this.#size = options.size ?? 0.3;
    this.#dots = new Dots(options.pointSize ?? 10, new Color(options.pointColor ?? 0x3f8a8c));
    this.#arrows = new Arrows(0.04 * this.#size, new Color(options.axisColor ?? 0x3f8a8c));
    this.add(this.#arrows, this.#dots);
  }

  /** Brings them to where `world.interpolatePoses` and `advance` left the bodies. No garbage but for new constraints. */
  update() {
    if (!this.visible) return;
    const { constraints, bodies } = this.world.columns;
    const { rows, handle, flags, type, body1, body2 } = constraints;
    const poses = bodies.renderPose;
    if (rows > this.#handles.length) {
      this.#handles = new Uint32Array(2 * rows);
      this.#fixed = new Float64Array(18 * rows);
    }
    const dots = this.#dots.reserve(2 * rows);
    const arrows = this.#arrows.reserve(rows);
    let dotCount = 0;
    let arrowCount = 0;
    for (let row = 0; row < rows; ++row) {
      if (handle[row] === 0 || (flags[row] & ConstraintFlags.enabled) === 0 || body1[row] < 0) continue;
      if (handle[row] !== this.#handles[row]) this.#fix(row);
      const first = this.#place(this.#first, 9 * row, poses, body1[row]);
      const axis = this.#axis.fromArray(this.#fixed, 9 * row + 3).applyQuaternion(this.#turn);
      if (SPANNING[type[row]]) {
        const second = this.#place(this.#second, 9 * row + 6, poses, body2[row]);
        second.toArray(dots, 3 * dotCount++);
        axis.subVectors(second, first);
      } else {
        axis.multiplyScalar(this.#size);
      }
      first.toArray(dots, 3 * dotCount++);
      if (!AXIAL[type[row]] && !SPANNING[type[row]]) continue;
      first.toArray(arrows, 6 * arrowCount);
      axis.toArray(arrows, 6 * arrowCount + 3);
      arrowCount += 1;
    }
    this.#dots.finish(dotCount);
    this.#arrows.finish(arrowCount);
  }

  /** Frees what this overlay holds on the graphics card. */
  dispose() {
    this.clear();
    this.#dots.dispose();
    this.#arrows.dispose();
  }

  /** Takes down where a constraint is fixed in its bodies. @param {number} row */
  #fix(row) {
    const constraint = /** @type {import('./index.js').Constraint} */ (this.world.constraintAt(row));
    const { body1, body2 } = constraint;
    this.#handles[row] = constraint.handle;
    constraint.getFrame(this.#frame);
    this.#axis.set(0, 0, 1).applyQuaternion(this.#turn.fromArray(this.#frame.rotation));
    this.#toBody(body1, this.#first.fromArray(this.#frame.position)).toArray(this.#fixed, 9 * row);
    if (body1) this.#axis.applyQuaternion(this.#turn);
    this.#axis.toArray(this.#fixed, 9 * row + 3);
    constraint.getFrameOn(body2, this.#frame);
    this.#toBody(body2, this.#second.fromArray(this.#frame.position)).toArray(this.#fixed, 9 * row + 6);
  }

  /** From the world to a body's model frame; leaves the turn there. @param {Body | null} body @param {Vector3} point */
  #toBody(body, point) {
    if (body === null) return point;
    this.#turn.fromArray(body.getRotation()).conjugate();
    return point.sub(this.#second.clone().fromArray(body.getPosition())).applyQuaternion(this.#turn);
  }

  /** Where a fixed point is drawn; leaves the body's rotation. @param {Vector3} out @param {number} at @param {Float32Array} poses @param {number} body row, -1: the world */
  #place(out, at, poses, body) {
    out.fromArray(this.#fixed, at);
    if (body < 0) return out;
    this.#turn.fromArray(poses, 8 * body + 4);
    out.applyQuaternion(this.#turn);
    return out.set(out.x + poses[8 * body], out.y + poses[8 * body + 1], out.z + poses[8 * body + 2]);
  }
}

/** Round dots of a fixed size in pixels. */
class Dots extends Points {
  #values = new Float32Array(0);
  #range = { start: 0, count: 0 };

  /** @param {number} size pixels @param {Color} colour */
  constructor(size, colour) {
    const material = new ShaderMaterial({
      uniforms: { size: { value: size }, colour: { value: colour } },
      transparent: true,
      vertexShader: `
        uniform float size;
        void main() {
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = size;
        }`,
      fragmentShader: `
        uniform vec3 colour;
        void main() {
          float r = 2.0 * length(gl_PointCoord - 0.5);
          float rim = smoothstep(0.62, 0.78, r);
          float alpha = 1.0 - smoothstep(0.86, 1.0, r);
          if (alpha <= 0.0) discard;
          gl_FragColor = vec4(mix(colour, vec3(1.0), rim), alpha);
          #include <colorspace_fragment>
        }`,
    });
    super(new BufferGeometry(), material);
    this.frustumCulled = false;
    this.material = material;
    this.onBeforeRender = (/** @type {import('three').WebGLRenderer} */ renderer) => {
      material.uniforms.size.value = size * renderer.getPixelRatio();
    };
  }

  /** @param {number} count @returns {Float32Array} three numbers a dot */
  reserve(count) {
    if (3 * count > this.#values.length) {
      this.#values = new Float32Array(6 * count);
      const dots = new BufferGeometry();
      dots.setAttribute('position', new BufferAttribute(this.#values, 3).setUsage(DynamicDrawUsage));
      replaceGeometry(this, dots);
    }
    return this.#values;
  }

  /** @param {number} count */
  finish(count) {
    this.geometry.setDrawRange(0, count);
    const positions = /** @type {BufferAttribute | undefined} */ (this.geometry.attributes.position);
    if (positions) upload(positions, this.#range, 3 * count);
  }

  dispose() {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/** Arrows from a start along a vector, both in an instanced buffer; the shape is put together in the vertex shader. */
class Arrows extends Mesh {
  #values = new Float32Array(0);
  #buffer = new InstancedInterleavedBuffer(this.#values, 6);
  #range = { start: 0, count: 0 };

  /** @param {number} radius m @param {Color} colour */
  constructor(radius, colour) {
    const material = new ShaderMaterial({
      uniforms: { radius: { value: radius }, colour: { value: colour } },
      vertexShader: `
        // part: 0 on the shaft, whose y runs 0…1 over its length; 1 on the head, whose y is in head lengths from its base
        attribute float part;
        attribute vec3 start;
        attribute vec3 vector;
        uniform float radius;
        varying float shade;
        void main() {
          float size = length(vector);
          vec3 along = size > 0.0 ? vector / size : vec3(0.0, 0.0, 1.0);
          vec3 side = normalize(cross(along, abs(along.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
          vec3 other = cross(along, side);
          float head = min(7.0 * radius, 0.6 * size);
          float thin = min(1.0, head / (7.0 * radius));
          float y = part > 0.5 ? size - head + head * position.y : (size - head) * position.y;
          vec3 outward = side * position.x + other * position.z;
          vec3 world = start + along * y + outward * radius * thin;
          vec3 n = normalize(side * normal.x + other * normal.z + along * normal.y);
          shade = 0.72 + 0.28 * dot(n, normalize(vec3(0.4, -0.5, 0.8)));
          gl_Position = projectionMatrix * modelViewMatrix * vec4(world, 1.0);
        }`,
      fragmentShader: `
        uniform vec3 colour;
        varying float shade;
        void main() {
          gl_FragColor = vec4(colour * shade, 1.0);
          #include <colorspace_fragment>
        }`,
    });
    super(new InstancedBufferGeometry(), material);
    this.material = material;
    this.frustumCulled = false;
  }

  /** @param {number} count @returns {Float32Array} six numbers an arrow: start, vector */
  reserve(count) {
    if (6 * count > this.#values.length) {
      this.#values = new Float32Array(12 * count);
      this.#buffer = new InstancedInterleavedBuffer(this.#values, 6);
      this.#buffer.setUsage(DynamicDrawUsage);
      replaceGeometry(this, makeArrow(this.#buffer));
    }
    return this.#values;
  }

  /** @param {number} count */
  finish(count) {
    /** @type {InstancedBufferGeometry} */ (this.geometry).instanceCount = count;
    upload(this.#buffer, this.#range, 6 * count);
  }

  dispose() {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/**
 * A shaft and a head, about y, with one instance per arrow of `buffer`.
 *
 * @param {InstancedInterleavedBuffer} buffer
 * @returns {InstancedBufferGeometry}
 */
function makeArrow(buffer) {
  const shaft = new CylinderGeometry(1, 1, 1, 10, 1, true).translate(0, 0.5, 0).toNonIndexed();
  const head = new ConeGeometry(2.6, 1, 14).translate(0, 0.5, 0).toNonIndexed();
  const shaftCount = shaft.getAttribute('position').count;
  const headCount = head.getAttribute('position').count;
  const arrow = new InstancedBufferGeometry();
  for (const name of ['position', 'normal']) {
    const values = new Float32Array(3 * (shaftCount + headCount));
    values.set(shaft.getAttribute(name).array, 0);
    values.set(head.getAttribute(name).array, 3 * shaftCount);
    arrow.setAttribute(name, new BufferAttribute(values, 3));
  }
  const part = new Float32Array(shaftCount + headCount).fill(1, shaftCount);
  arrow.setAttribute('part', new BufferAttribute(part, 1));
  arrow.setAttribute('start', new InterleavedBufferAttribute(buffer, 3, 0));
  arrow.setAttribute('vector', new InterleavedBufferAttribute(buffer, 3, 3));
  shaft.dispose();
  head.dispose();
  return arrow;
}

/** @param {Mesh | Points} object @param {BufferGeometry} geometry */
function replaceGeometry(object, geometry) {
  object.geometry.dispose();
  object.geometry = geometry;
}

/**
 * Marks the first `count` numbers of a buffer for upload. three.js empties its list of ranges after each upload, so the same
 * range object serves every frame.
 *
 * @param {BufferAttribute | InstancedInterleavedBuffer} buffer
 * @param {{ start: number, count: number }} range
 * @param {number} count
 */
function upload(buffer, range, count) {
  range.count = count;
  buffer.updateRanges.length = 0;
  buffer.updateRanges.push(range);
  buffer.needsUpdate = true;
}

// ---- picking --------------------------------------------------------------------------------------------------------

/**
 * Finds what lies under a point of the picture by the engine's own ray cast. The results of the last hit stay in the picker's
 * properties until the next cast; nothing is allocated.
 */
export class Picker {
  /** @type {World} */
  world;
  /** @type {Body | null} null for scenery, and where nothing was hit */
  body = null;
  /** @type {Geometry | null} null where nothing was hit */
  geometry = null;
  /** Where the ray hit, m, world. */
  point = new Vector3();
  /** Out of the surface, unit, world. */
  normal = new Vector3();
  /** `point` in the body's model frame; the same as `point` for scenery. */
  localPoint = new Vector3();

  #origin = new Float64Array(3);
  #translation = new Float64Array(3);
  #position = new Float64Array(3);
  #rotation = new Float64Array(4);
  #near = new Vector3();
  #far = new Vector3();
  #turn = new Quaternion();
  /** @type {RayResult} */
  #result = {
    geometry: null,
    body: null,
    shapeIndex: 0,
    fraction: 0,
    point: [0, 0, 0],
    normal: [0, 0, 0],
    triangle: -1,
  };

  /** @param {World} world */
  constructor(world) {
    this.world = world;
  }

  /**
   * Casts the ray of a camera through a point of the picture, from the camera's near plane to its far plane.
   *
   * @param {import('three').Camera} camera with matrices up to date
   * @param {number} x −1…1, left to right
   * @param {number} y −1…1, bottom to top
   * @returns {boolean} whether anything was hit
   */
  cast(camera, x, y) {
    const near = this.#near.set(x, y, -1).unproject(camera);
    const far = this.#far.set(x, y, 1).unproject(camera).sub(near);
    near.toArray(this.#origin);
    far.toArray(this.#translation);
    const hit = this.world.castRay(this.#origin, this.#translation, this.#result);
    if (hit === null) {
      this.body = null;
      this.geometry = null;
      return false;
    }
    this.body = hit.body;
    this.geometry = hit.geometry;
    this.point.fromArray(hit.point);
    this.normal.fromArray(hit.normal);
    this.localPoint.copy(this.point);
    if (hit.body !== null) {
      const position = hit.body.getPosition(this.#position);
      const rotation = hit.body.getRotation(this.#rotation);
      this.localPoint.x -= position[0];
      this.localPoint.y -= position[1];
      this.localPoint.z -= position[2];
      this.#turn.set(-rotation[0], -rotation[1], -rotation[2], rotation[3]);
      this.localPoint.applyQuaternion(this.#turn);
    }
    return true;
  }
}
