// A world as a scene file: what docs/scene-format.md has words for, read from the world's tables and from a
// saved state. What a file cannot hold is an error that names it; what of a world that has run is no
// definition (time, contacts and forces of the last step, who sleeps) is not in it.

import { enumWord } from '../core/checks.js';
import { CairnError } from '../core/errors.js';
import { handleOf } from '../core/handle.js';
import { rowOf } from '../core/handle_rows.js';
import { SnapshotSections } from '../core/snapshot_sections.js';
import { BodyFlags, MaterialFields, MaterialFlags, MergedBodyFlags } from '../generated/flags.js';
import { exactRotation } from './exact_values.js';
import { rememberFile } from './placements.js';
import { describeConstraint } from './scene_constraints.js';
import { SceneShapes } from './scene_shapes.js';
import { readSource } from './scene_source.js';
import { saveWorld } from './snapshots.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {import('./world.js').World} World */
/** @typedef {Record<string, unknown>} Json */

const call = 'World.toScene';
const firstNamedGroup = 2 ** 31;
const fieldsOfMaterial = /** @type {const} */ ([
  'density',
  'youngsModulus',
  'damping',
  'viscosity',
  'roughness',
  'surfaceViscosity',
]);

/** @param {string} argument @param {string} text @returns {CairnError} */
function inexpressible(argument, text) {
  return new CairnError('NOT_SUPPORTED_YET', call, argument, `a scene cannot hold ${argument}: ${text}`);
}

/** @param {ArrayLike<number>} column @param {number} row @param {number} lanes @returns {number[]} */
const lanesOf = (column, row, lanes) => Array.from({ length: lanes }, (_, i) => column[lanes * row + i]);

/** @param {readonly number[]} numbers */
const areZero = (numbers) => numbers.every((value) => value === 0);

/** @typedef {{ name: string | undefined, index: number }} Nameable */

/**
 * Names of objects in the file: their own, or the kind and the row.
 */
class FileNames {
  #kind;
  /** @type {Map<unknown, string>} */
  #names = new Map();
  #taken;

  /** @param {string} kind @param {Set<string>} [taken] names that others of the file have */
  constructor(kind, taken = new Set()) {
    this.#kind = kind;
    this.#taken = taken;
  }

  /** @param {unknown} object @param {string | undefined} name @param {number} row */
  add(object, name, row) {
    if (name !== undefined && /[/,*]/.test(name))
      throw inexpressible(`the name ${JSON.stringify(name)}`, "names of a file have no '/', ',' and '*'");
    if (name !== undefined && this.#taken.has(name))
      throw inexpressible(`the name ${JSON.stringify(name)} of two objects`, 'names of a file are unique');
    let found = name ?? `${this.#kind} ${row}`;
    while (this.#taken.has(found)) found += "'";
    this.#taken.add(found);
    this.#names.set(object, found);
  }

  /** Names that were given come first, so that none that is made up takes one. @param {Nameable[]} objects */
  addAll(objects) {
    for (const isGiven of [true, false])
      for (const item of objects)
        if ((item.name !== undefined) === isGiven) this.add(item, item.name, item.index);
  }

  /** @param {unknown} object @returns {string} */
  of(object) {
    return /** @type {string} */ (this.#names.get(object));
  }
}

/** Reads a world once. */
class SceneWriter {
  #world;
  #sections;
  #shapes;
  /** @type {string[]} */
  #groupNames;
  #bodyNames = new FileNames('body');
  #geometryNames = new FileNames('geometry');
  #constraintNames = new FileNames('constraint');
  /** By row. */
  #materialNames = new FileNames('material');
  /** @type {Json[]} */
  #actions = [];

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
    this.#sections = new SnapshotSections(saveWorld(world, undefined));
    this.#shapes = new SceneShapes(this.#sections);
    const names = new TextDecoder().decode(this.#sections.bytes('groupNames'));
    this.#groupNames = names.split('\0').slice(0, -1);
  }

  /** @returns {Json} */
  write() {
    const world = this.#world;
    if (this.#sections.bytes('world.collided')[0] !== 0)
      throw new CairnError(
        'WRONG_PHASE',
        call,
        'world',
        'world.collide() was called: world.solve() comes first',
      );
    rememberFile(world, readSource(world)?.constraints ?? []);
    this.#collectNames();
    const materials = this.#materials();
    const bodies = [...world.bodies()].map((body) => this.#body(body));
    const free = [...world.geometries()].filter(({ body }) => body === null);
    const scene = {
      format: 'cairn-scene',
      version: 1,
      world: this.#settings(),
      materials,
      meshes: this.#shapes.meshes,
      geometries: free.map((geometry) => this.#geometry(geometry)),
      bodies,
      contactMaterials: this.#contactMaterials(),
      collisionPairs: [...this.#groupPairs(), ...this.#geometryPairs()],
      constraints: this.#constraints(),
      mergedBodies: this.#mergedBodies(),
      actions: this.#actions,
    };
    const given = Object.entries(scene).filter(([, value]) => !Array.isArray(value) || value.length > 0);
    return Object.fromEntries(given);
  }

  /** Gears and racks come last, as a file is read. @returns {Json[]} */
  #constraints() {
    const all = [...this.#world.constraints()];
    const isJoined = (/** @type {Constraint} */ constraint) => constraint.constraint1 !== null;
    return [...all.filter((item) => !isJoined(item)), ...all.filter(isJoined)].map((constraint) =>
      describeConstraint(constraint, this.#constraintNames.of(constraint), (object) => this.#nameOf(object)),
    );
  }

  /** Of a body or a constraint. @param {object} object */
  #nameOf(object) {
    return this.#bodyNames.of(object) ?? this.#constraintNames.of(object);
  }

  #collectNames() {
    const world = this.#world;
    const taken = new Set();
    this.#bodyNames = new FileNames('body', taken);
    this.#bodyNames.addAll([...world.bodies()]);
    // static geometry and bodies share the names of channels
    this.#geometryNames = new FileNames('geometry', taken);
    this.#geometryNames.addAll([...world.geometries()]);
    this.#constraintNames.addAll([...world.constraints()]);
  }

  // ---- world ----------------------------------------------------------------------------------------------

  /** @returns {Json} */
  #settings() {
    const world = this.#world;
    const { type, acceleration, centre, magnitude, mu } = world.getGravity();
    const solver = world.getSolver();
    const { warmStart = true, substeps = 0, iterations = 0 } = solver;
    const towards = type === 'kepler' ? { type, centre, mu } : { type, centre, magnitude };
    return {
      timeStep: world.timeStep,
      gravity: type === 'uniform' ? acceleration : towards,
      solver: {
        default: solver.type,
        ...(iterations > 0 ? { iterations } : {}),
        ...(substeps > 0 ? { substeps } : {}),
        ...(warmStart ? {} : { warmStart }),
      },
      gyroscopic: this.#sections.bytes('world.gyroscopic')[0] !== 0,
      continuous: this.#sections.bytes('world.continuous')[0] !== 0,
      sleep: world.getSleep(),
      mergeSplit: world.getMergeSplit(),
      contactReduction: world.contactReduction,
      contactReductionResolution: world.contactReductionResolution,
    };
  }

  // ---- materials ------------------------------------------------------------------------------------------

  /** @returns {Json[]} */
  #materials() {
    const table = this.#world.columns.materials;
    /** @type {Json[]} */
    const found = [];
    for (let row = 0; row < table.rows; ++row) {
      const flags = table.flags[row];
      const isListed = table.handle[row] !== 0 && (flags & MaterialFlags.shared) === 0;
      if (!isListed || (flags & MaterialFlags.live) === 0) continue;
      const material = this.#world.materialAt(row);
      if (material === null) continue;
      this.#materialNames.add(row, material.name, row);
      found.push({ name: this.#materialNames.of(row), ...this.#material(row) });
    }
    return found;
  }

  /** What was given over its item of the library. @param {number} row @returns {Json} */
  #material(row) {
    const table = this.#world.columns.materials;
    const values = /** @type {Json} */ (this.#world.materialAt(row)?.get() ?? {});
    const given = table.overridden[row];
    /** @type {Json} */
    const found = values.library === undefined ? {} : { library: values.library };
    fieldsOfMaterial.forEach((field) => {
      if ((given & MaterialFields[field]) !== 0) found[field] = table[field][row];
    });
    if ((given & MaterialFields.adhesion) !== 0) {
      const [force, overlap] = lanesOf(table.adhesion, row, 2);
      found.adhesion = { force, overlap };
    }
    if ((given & MaterialFields.restLength) !== 0)
      throw inexpressible(`the rest lengths of the material ${this.#materialNames.of(row)}`, 'it has no key');
    if ((given & MaterialFields.contactReduction) !== 0)
      found.contactReduction = table.contactReduction[row] !== 0;
    if ((given & MaterialFields.wire) !== 0) {
      const [stretchModulus, bendModulus, stretchDamping, bendDamping] = lanesOf(table.wire, row, 4);
      found.wire = { stretchModulus, bendModulus, stretchDamping, bendDamping };
    }
    if ((given & MaterialFields.frictionModel) !== 0)
      found.frictionModel = enumWord('cnMaterialFrictionModel', table.frictionModel[row]);
    return found;
  }

  /** @returns {Json[]} */
  #contactMaterials() {
    const table = this.#world.columns.contactMaterials;
    /** @type {Json[]} */
    const found = [];
    for (let row = 0; row < table.rows; ++row) {
      if (table.handle[row] === 0) continue;
      const pair = lanesOf(table.materials, row, 2).map((material) => this.#materialNames.of(material));
      if (pair.includes(/** @type {any} */ (undefined)))
        throw inexpressible(
          `contact material ${row}`,
          'it is for the default material, which has no name there',
        );
      const [force, overlap] = lanesOf(table.adhesion, row, 2);
      const [minRestLength, maxRestLength] = lanesOf(table.restLength, row, 2);
      found.push({
        materials: pair,
        friction: lanesOf(table.friction, row, 2),
        restitution: table.restitution[row],
        restitutionThreshold: table.restitutionThreshold[row],
        youngsModulus: table.youngsModulus[row],
        damping: table.damping[row],
        adhesion: { force, overlap },
        surfaceViscosity: lanesOf(table.surfaceViscosity, row, 2),
        contactReduction: table.contactReduction[row] !== 0,
        frictionModel: this.#frictionModel(row),
        contactArea: { enabled: table.contactArea[row] !== 0, minRestLength, maxRestLength },
        rollingResistance: lanesOf(table.rollingResistance, row, 2),
        spinningFriction: table.spinningFriction[row],
        slide: lanesOf(table.slide, row, 2),
        staticFrictionScale: table.staticFrictionScale[row],
      });
    }
    return found;
  }

  /** @param {number} row @returns {Json} */
  #frictionModel(row) {
    const table = this.#world.columns.contactMaterials;
    const type = enumWord('cnFrictionModelType', table.frictionModel[row]);
    const primary = lanesOf(table.primary, row, 3);
    const frame = this.#world.bodyAt(table.frame[row]);
    return {
      type,
      solve: enumWord('cnFrictionSolve', table.frictionSolve[row]),
      ...(type === 'cone' ? { exactCone: table.exactCone[row] !== 0 } : {}),
      ...(type === 'box' && table.forceGiven[row] !== 0 ? { force: lanesOf(table.force, row, 2) } : {}),
      ...(type.startsWith('boxProportional') ? { acceleration: lanesOf(table.acceleration, row, 2) } : {}),
      ...(type === 'constantNormalForce'
        ? { normalForce: table.normalForce[row], depthScaled: table.depthScaled[row] !== 0 }
        : {}),
      ...(areZero(primary) ? {} : { primary }),
      ...(frame === null ? {} : { frame: this.#bodyNames.of(frame) }),
    };
  }

  // ---- bodies and geometries ------------------------------------------------------------------------------

  /** @param {Body} body @returns {Json} */
  #body(body) {
    const table = this.#world.columns.bodies;
    const row = body.index;
    const flags = table.flags[row];
    const name = this.#bodyNames.of(body);
    this.#checkForces(body, name);
    const inertia = lanesOf(table.inertia, row, 9);
    /** @type {Json} */
    const found = {
      name,
      motion: body.motion,
      position: body.getPosition(),
      rotation: exactRotation([...body.getRotation()]),
    };
    if (body.motion !== 'static')
      Object.assign(found, { velocity: body.getVelocity(), angularVelocity: body.getAngularVelocity() });
    // a scene cannot say that a mass is of geometries which are gone: there it is the body's own
    const isKept = (flags & BodyFlags.massKept) !== 0;
    if (isKept || (flags & BodyFlags.massGiven) !== 0) found.mass = body.mass;
    if (isKept || (flags & BodyFlags.inertiaGiven) !== 0)
      found.inertia = [0, 1, 2].map((i) => inertia.slice(3 * i, 3 * i + 3));
    if (isKept || (flags & BodyFlags.centreGiven) !== 0) found.centreOfMass = body.getLocalCentreOfMass();
    for (const key of /** @type {const} */ ([
      'linearDamping',
      'angularDamping',
      'massCoefficients',
      'inertiaCoefficients',
    ])) {
      const values = lanesOf(table[key], row, 3);
      if (!areZero(values)) found[key] = values;
    }
    if (table.gravityScale[row] !== 1) found.gravityScale = table.gravityScale[row];
    if (!body.enabled) found.enabled = false;
    if (body.fast) found.fast = true;
    if (body.sleepless) found.sleep = false;
    if (!body.mergeable || !body.splittable)
      found.mergeSplit = { merge: body.mergeable, split: body.splittable };
    // a list of a body's geometries runs from the last to the first
    const geometries = this.#geometriesOf(row);
    if (geometries.length > 0) found.geometries = geometries.map((geometry) => this.#geometry(geometry));
    return found;
  }

  /**
   * What acts in the next step, and where a kinematic body is on its way to.
   * @param {Body} body @param {string} name
   */
  #checkForces(body, name) {
    const table = this.#world.columns.bodies;
    const row = body.index;
    const force = lanesOf(table.force, row, 3);
    const torque = lanesOf(table.torque, row, 3);
    if (!areZero(force)) this.#actions.push({ at: 0, body: name, force });
    if (!areZero(torque)) this.#actions.push({ at: 0, body: name, torque });
    if ((table.flags[row] & BodyFlags.moving) === 0) return;
    if ((table.flags[row] & BodyFlags.stopping) !== 0)
      throw inexpressible(`the target of ${name}`, 'a body that a file moves goes on with its velocity');
    const position = lanesOf(table.targetPosition, row, 3);
    const rotation = lanesOf(table.targetRotation, row, 4);
    const duration = table.targetTime[row];
    this.#actions.push({ at: 0, body: name, moveTo: { position, rotation, duration } });
  }

  /** In the order in which they came. @param {number} row of the body @returns {Geometry[]} */
  #geometriesOf(row) {
    const { bodies, geometries } = this.#world.columns;
    /** @type {Geometry[]} */
    const found = [];
    for (let g = bodies.firstGeometry[row]; g >= 0; g = geometries.nextOfBody[g])
      found.unshift(/** @type {Geometry} */ (this.#world.geometryAt(g)));
    return found;
  }

  /** @param {Geometry} geometry @returns {Json} */
  #geometry(geometry) {
    const table = this.#world.columns.geometries;
    const row = geometry.index;
    const position = lanesOf(table.position, row, 3);
    const rotation = exactRotation(lanesOf(table.rotation, row, 4));
    const velocity = geometry.getSurfaceVelocity();
    const groups = lanesOf(table.groups, row, 16).slice(0, table.groupCount[row]);
    const { enabled, collisions, massProperties, sensor, mergeable, splittable } = geometry;
    return {
      name: this.#geometryNames.of(geometry),
      ...this.#shapesOf(row),
      position,
      rotation,
      ...this.#surface(table.material[row]),
      ...(enabled ? {} : { enabled }),
      ...(collisions ? {} : { collisions }),
      ...(massProperties ? {} : { massProperties }),
      ...(sensor === false ? {} : { sensor }),
      ...(areZero(velocity) ? {} : { surfaceVelocity: velocity }),
      ...(groups.length === 0 ? {} : { groups: groups.map((group) => this.#group(group)) }),
      ...(mergeable && splittable ? {} : { mergeSplit: { merge: mergeable, split: splittable } }),
    };
  }

  /** @param {number} row of the geometry @returns {Json} */
  #shapesOf(row) {
    const { geometries, proxies } = this.#world.columns;
    /** @type {Json[]} */
    const placed = [];
    for (let p = geometries.firstProxy[row]; p >= 0; p = proxies.nextOfGeometry[p]) {
      placed[proxies.shapeIndex[p]] = {
        shape: this.#shapes.describe(proxies.shape[p]),
        position: lanesOf(proxies.instancePosition, p, 3),
        rotation: exactRotation(lanesOf(proxies.instanceRotation, p, 4)),
      };
    }
    const [{ shape, position, rotation }] = placed;
    const isPlain =
      areZero(/** @type {number[]} */ (position)) && /** @type {number[]} */ (rotation)[3] === 1;
    return placed.length === 1 && isPlain ? { shape } : { shapes: placed };
  }

  /** What stands for a material in a geometry. @param {number} row @returns {Json} */
  #surface(row) {
    const { flags, overridden, roughness, viscosity } = this.#world.columns.materials;
    if (row < 0) return {};
    if ((flags[row] & MaterialFlags.shared) === 0) {
      const material = this.#materialNames.of(row);
      return material === undefined ? {} : { material };
    }
    const given = overridden[row];
    return {
      ...((given & MaterialFields.roughness) === 0 ? {} : { friction: roughness[row] }),
      ...((given & MaterialFields.viscosity) === 0 ? {} : { restitution: 1 - viscosity[row] }),
    };
  }

  /** @param {number} group @returns {number | string} */
  #group(group) {
    if (group < firstNamedGroup) return group;
    const name = this.#groupNames[group - firstNamedGroup];
    if (name === undefined || /[/,*]/.test(name))
      throw inexpressible(`the group ${name ?? group}`, 'groups of a file are numbers below 2³¹ and names');
    return name;
  }

  // ---- what switches contacts off, and who moves together -------------------------------------------------

  /** @returns {Json[]} */
  #groupPairs() {
    return [...this.#sections.words('groupPairs')].map((key) => ({
      groups: [this.#group(Number(key >> 32n)), this.#group(Number(key & 0xffffffffn))],
      enabled: false,
    }));
  }

  /** @returns {Json[]} */
  #geometryPairs() {
    const name = (/** @type {bigint} */ value) => {
      const geometry = this.#world.geometryAt(rowOf(Number(value)));
      return this.#geometryNames.of(geometry);
    };
    return [...this.#sections.words('geometryPairs')].map((key) => ({
      geometries: [name(key >> 32n), name(key & 0xffffffffn)],
      enabled: false,
    }));
  }

  /** Those of users. What the engine has merged merges again. @returns {Json[]} */
  #mergedBodies() {
    const { flags } = this.#world.columns.mergedBodies;
    const own = [...this.#world.mergedBodies()].filter(
      ({ index }) => (flags[index] & MergedBodyFlags.adaptive) === 0,
    );
    return own.map((merged) => {
      const edges = merged.edges.map((edge) => {
        const { kind, body1, body2 } = edge.get();
        return [this.#bodyNames.of(body1), this.#bodyNames.of(body2), kind];
      });
      return {
        name: `merged body ${merged.index}`,
        bodies: merged.bodies.map((body) => this.#bodyNames.of(body)),
        edges,
        active: merged.active,
      };
    });
  }
}

/**
 * @param {World} world
 * @returns {Json} for cairn.loadScene(), and for JSON
 */
export function exportScene(world) {
  handleOf(call, 'this', 'world', null, world);
  return new SceneWriter(world).write();
}
