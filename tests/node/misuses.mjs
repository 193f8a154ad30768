// Misuses of the whole interface, for the tests that do them by the thousand.
//
// Each takes a method with arguments that are right and spoils one of them, or the object it is called on, or
// gives more arguments than there are, or sets a property that is none. What spoils depends on what the
// argument is, so that every single call must be refused. The seed is fixed; CAIRN_SEED sets another.

import assert from 'node:assert/strict';
import {
  Body,
  CairnError,
  Constraint,
  MergedBody,
  Geometry,
  Material,
  Scene,
  Shape,
  World,
  createBuoyancy,
  createDrag,
  createGravityField,
  createWind,
} from '../../web/index.node.js';
import { ownMethods } from '../../web/generated/parameters.js';
import { readScene } from './helpers.mjs';

export const seed = Number(process.env.CAIRN_SEED ?? 20250);

/** xorshift32: numbers 0…1 that are the same everywhere. */
function makeRandom(start) {
  let state = start >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const sphere = { type: 'sphere', radius: 0.5 };
const heightField = {
  type: 'heightField',
  resolution: [3, 4],
  size: [2, 3],
  heights: new Array(12).fill(0),
};
const corners = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const tetrahedron = {
  type: 'trimesh',
  points: corners,
  triangles: [
    [0, 2, 1],
    [0, 1, 3],
    [0, 3, 2],
    [1, 2, 3],
  ],
};

/** An array whose memory is gone. */
function detached(array) {
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Objects that live, and those that must be refused. */
export function makeCast(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const bodies = Array.from({ length: 12 }, (_, i) =>
    world.createBody({ position: [2 * i, 0, 1], geometries: [{ shape: sphere }] }),
  );
  const materials = [
    world.createMaterial({ name: 'rail', library: 'steel' }),
    world.createMaterial({ density: 500 }),
  ];
  const contactMaterial = world.createContactMaterial({
    materials: [materials[0], materials[1]],
    friction: 0.5,
  });
  const shape = world.createShape(sphere);
  const field = world.createShape(heightField);
  world.createGeometry({ shape: field, position: [0, 50, 0] });
  world.createGeometry({ shape: tetrahedron, position: [0, 60, 0] });
  const scene = cairn.loadScene(readScene('heavy-top-stack'));
  const constraint = world.createConstraint({ type: 'hinge', bodies: [bodies[0], bodies[1]] });
  const ball = world.createConstraint({ type: 'ball', bodies: [bodies[5], bodies[6]] });
  const cylindrical = world.createConstraint({ type: 'cylindrical', bodies: [bodies[7], bodies[8]] });
  const parts = [0, 1, 2, 3].map((i) => world.createBody({ position: [2 * i, -60, 1], mass: 1 }));
  const mergedBody = world.createMergedBody({ bodies: [parts[0]] });
  const mergeEdge = mergedBody.addEdge({ body1: parts[0], body2: parts[1] });
  const otherMergedBody = world.createMergedBody({ bodies: [parts[2], parts[3]] });
  world.steps(60);
  const live = {
    parts,
    mergedBody,
    mergeEdge,
    others: { mergedBody: otherMergedBody },
    cairn,
    world,
    scene,
    shape,
    field,
    contactMaterial,
    constraint,
    ball,
    cylindrical,
    body: bodies[0],
    geometry: bodies[1].geometries()[0],
    material: materials[0],
    cursor: world.contacts(),
    listener: world.addContactListener({ onContact: () => 'keep' }),
    reader: world.createContactReader(bodies[2]),
    channel: scene.openChannel('world/hash'),
    matrices: world.createMatrices([0, 1]),
    columns: world.columns.bodies,
    bodies: world.createBodies({ count: 3, body: { mass: 1, position: [0, -20, 1] } }),
    observer: world.createObserver({ body: bodies[3], position: [0, 0, 1] }),
    fields: { createBuoyancy, createDrag, createGravityField, createWind },
  };

  // stale: destroyed, with their rows in use again
  const body = world.createBody({ geometries: [{ shape: sphere }] });
  const [geometry] = body.geometries();
  const stale = {
    body,
    geometry,
    shape: world.createShape(sphere),
    field: world.createShape(heightField),
    material: world.createMaterial(),
    contactMaterial: world.createContactMaterial({ materials: [materials[0], materials[0]] }),
    constraint: world.createConstraint({ type: 'lock', bodies: [bodies[4], null] }),
    mergedBody: world.createMergedBody(),
    matrices: world.createMatrices([0]),
    observer: world.createObserver({ body }),
    world: cairn.createWorld(),
    scene: cairn.loadScene(readScene('incline')),
  };
  body.destroy();
  stale.shape.release();
  stale.field.release();
  stale.material.destroy();
  stale.contactMaterial.destroy();
  stale.constraint.destroy();
  stale.mergedBody.destroy();
  stale.matrices.dispose();
  stale.world.dispose();
  stale.scene.dispose();

  // foreign: of another world, at rows where this world has something too
  const otherWorld = cairn.createWorld();
  const otherMaterial = otherWorld.createMaterial();
  const otherBody = otherWorld.createBody({ geometries: [{ shape: sphere }] });
  const foreign = {
    body: otherBody,
    geometry: otherBody.geometries()[0],
    shape: otherWorld.createShape(sphere),
    material: otherMaterial,
    contactMaterial: otherWorld.createContactMaterial({ materials: [otherMaterial, otherMaterial] }),
    constraint: otherWorld.createConstraint({ type: 'lock', bodies: [otherBody, null] }),
    mergedBody: otherWorld.createMergedBody(),
  };
  return { live, stale, foreign, otherWorld };
}

/**
 * Every method: what it is called on, what its arguments are. 'set:name' sets a property.
 * @type {[string, string, string[]][]}
 */
export const methods = [
  ['cairn', 'createWorld', ['worldOptions']],
  ['cairn', 'loadScene', ['sceneText']],
  ['cairn', 'restoreWorld', ['snapshot', 'threadOptions']],
  ['cairn', 'replay', ['recording', 'threadOptions']],
  ['cairn', 'list', ['listKind']],
  ['cairn', 'addToLibrary', ['libraryItems']],
  ['cairn', 'computeMassProperties', ['description', 'positive']],
  ['cairn', 'computeBounds', ['description', 'pose']],
  ['cairn', 'castRayAtShape', ['description', 'pose', 'vector', 'vector', 'outputObject']],
  ['cairn', 'computeClosestPoints', ['description', 'pose', 'description', 'pose', 'outputObject']],
  ['cairn', 'findSurfacePoint', ['description', 'pose', 'vector', 'outputObject']],
  ['cairn', 'isPointInShape', ['description', 'pose', 'vector']],
  ['cairn', 'checkMesh', ['meshDescription', 'meshCheck']],
  ['cairn', 'readMesh', ['meshFile', 'meshFileOptions']],
  ['cairn', 'readHeightImage', ['heightFile', 'heightFileOptions']],
  ['world', 'steps', ['count']],
  ['world', 'advance', ['positive', 'advanceOptions']],
  ['world', 'addForceField', ['forceField']],
  ['world', 'createObserver', ['observerOptions']],
  ['fields', 'createDrag', ['dragOptions']],
  ['fields', 'createWind', ['windOptions']],
  ['fields', 'createBuoyancy', ['buoyancyOptions']],
  ['fields', 'createGravityField', ['gravityFieldOptions']],
  ['observer', 'read', ['outputObject', 'viewpoint']],
  ['observer', 'getRotation', ['output4', 'viewpoint']],
  ...['Position', 'Velocity', 'AngularVelocity', 'Acceleration', 'AngularAcceleration'].map((name) => [
    'observer',
    `get${name}`,
    ['output3', 'viewpoint'],
  ]),
  ['world', 'interpolatePoses', ['fraction']],
  ['world', 'set:timeStep', ['positive']],
  ['world', 'setGravity', ['vector']],
  ['world', 'setSolver', ['solver']],
  ['world', 'setSleep', ['sleep']],
  ['world', 'setMergeSplit', ['mergeSplit']],
  ['world', 'setContactReduction', ['reduction', 'resolution']],
  ['world', 'save', ['snapshotTarget']],
  ['world', 'restore', ['snapshot']],
  ['world', 'keep', ['keptSteps']],
  ['world', 'rewind', ['rewoundSteps']],
  ['world', 'castRay', ['vector', 'vector', 'rayResult', 'filter']],
  ['world', 'castRayAll', ['vector', 'vector', 'filter']],
  ['world', 'testRay', ['vector', 'vector', 'filter']],
  ['world', 'castRays', ['rays', 'rayOutputs', 'filter']],
  ['world', 'castShape', ['shapeOrDescription', 'pose', 'vector', 'filter']],
  ['world', 'castShapeAll', ['shapeOrDescription', 'pose', 'vector', 'filter']],
  ['world', 'testBoundingVolumeOverlap', ['vector', 'upper', 'filter']],
  ['world', 'testGeometryOverlap', ['freeGeometry', 'filter']],
  ['world', 'findGeometriesAtPoint', ['vector', 'filter']],
  ['world', 'computeClosestPoints', ['geometry', 'geometry', 'outputObject']],
  ['world', 'addContactListener', ['listenerOptions']],
  ...['world', 'body', 'geometry'].flatMap((who) => [
    [who, 'on', ['impact', 'handler', 'eventOptions']],
    [who, 'once', ['impact', 'handler', 'eventOptions']],
    [who, 'off', ['impact', 'handler']],
  ]),
  ...['on', 'once', 'off'].map((name) => ['constraint', name, ['breakName', 'handler']]),
  ['world', 'addBreakListener', ['afterStepListener']],
  ['world', 'addGuardListener', ['afterStepListener']],
  ['world', 'addMergeListener', ['afterStepListener']],
  ['world', 'getIslandStatistics', ['island', 'outputObject']],
  ['world', 'getPairProperties', ['material', 'material', 'outputObject']],
  ['world', 'createBody', ['bodyOptions']],
  ['world', 'createBodies', ['bodiesOptions']],
  ['bodies', 'at', ['indexOfThree']],
  ...['setPositions', 'setVelocities', 'setAngularVelocities', 'applyForces', 'applyTorques'].map((name) => [
    'bodies',
    name,
    ['vectorColumn'],
  ]),
  ['bodies', 'setRotations', ['rotationColumn']],
  ['world', 'createGeometry', ['geometryOptions']],
  ['world', 'createShape', ['description']],
  ['world', 'createMaterial', ['materialOptions']],
  ['world', 'createContactMaterial', ['pairOptions']],
  ['world', 'createContactReader', ['body']],
  ['world', 'getMomentum', ['output3']],
  ['world', 'getAngularMomentum', ['output3']],
  ['world', 'getCounters', ['outputObject']],
  ['world', 'getEnergies', ['outputObject']],
  ['world', 'set:energyBalance', ['flag']],
  ['world', 'getProfile', ['outputObject']],
  ['world', 'setGroupPairEnabled', ['group', 'group', 'flag']],
  ['world', 'setGeometryPairEnabled', ['geometry', 'geometry', 'flag']],
  ['world', 'bodyAt', ['row']],
  ['world', 'geometryAt', ['row']],
  ['world', 'materialAt', ['row']],
  ['world', 'findMaterial', ['materialName']],
  ['world', 'createMouseConstraint', ['pulledBody', 'vector', 'mouseOptions']],
  ...['findBody', 'findGeometry', 'findConstraint'].map((name) => ['world', name, ['unknownName']]),
  ['world', 'contactMaterialAt', ['row']],
  ['world', 'createMatrices', ['rows']],
  ['world', 'getShapeSurface', ['shapeRow']],
  ['world', 'getShapeVertices', ['shapeRow']],
  ['world', 'getRenderData', ['shapeRow']],
  ['shape', 'setRenderData', ['renderData']],
  ['shape', 'getHeight', ['nothing', 'nothing']],
  ['field', 'setHeights', ['heightChange']],
  ['field', 'getHeights', ['region']],
  ['field', 'setHeight', ['column', 'column', 'height']],
  ['field', 'getHeight', ['column', 'column']],
  ['scene', 'steps', ['count']],
  ['scene', 'advance', ['positive', 'advanceOptions']],
  ['scene', 'findObserver', ['unknownName']],
  ['scene', 'findBody', ['unknownName']],
  ['scene', 'findGeometry', ['unknownName']],
  ['scene', 'openChannel', ['unknownName']],
  ...['getCentreOfMass', 'getVelocity', 'getAngularVelocity', 'getAngularMomentum'].map((name) => [
    'body',
    name,
    ['output3'],
  ]),
  ...['getLastForce', 'getLastTorque', 'getLocalCentreOfMass'].map((name) => ['body', name, ['output3']]),
  ...['getAcceleration', 'getAngularAcceleration'].map((name) => ['body', name, ['output3']]),
  ['body', 'getPosition', ['output3']],
  ['body', 'getRotation', ['output4']],
  ['body', 'getInertia', ['output9']],
  ['body', 'setPosition', ['vector']],
  ['body', 'setRotation', ['quaternion']],
  ['body', 'setVelocity', ['vector']],
  ['body', 'setAngularVelocity', ['vector']],
  ['body', 'applyForce', ['vector']],
  ['body', 'applyForceAtPoint', ['vector', 'vector']],
  ['body', 'applyForceAtLocalPoint', ['vector', 'vector']],
  ['body', 'applyTorque', ['vector']],
  ['body', 'applyImpulse', ['vector', 'optionalVector']],
  ['body', 'applyAngularImpulse', ['vector']],
  ['body', 'getVelocityAtPoint', ['vector', 'output3']],
  ...['toLocal', 'toWorld', 'toLocalDirection', 'toWorldDirection'].map((name) => [
    'body',
    name,
    ['vector', 'output3'],
  ]),
  ...['getLinearDamping', 'getAngularDamping'].map((name) => ['body', name, ['output3']]),
  ...['body', 'geometry', 'constraint'].map((object) => [object, 'set:name', ['objectName']]),
  ['body', 'set:gravityScale', ['gravityScale']],
  ['body', 'lockTranslations', ['threeFlags']],
  ['body', 'lockRotations', ['threeFlags']],
  ['body', 'set:motion', ['motion']],
  ['body', 'set:enabled', ['flag']],
  ['body', 'set:fast', ['flag']],
  ['body', 'set:sleepless', ['flag']],
  ['body', 'set:mergeable', ['flag']],
  ['body', 'set:splittable', ['flag']],
  ['body', 'set:mass', ['positive']],
  ['body', 'moveTo', ['vector', 'quaternion', 'positive', 'arrival']],
  ['body', 'setInertia', ['inertia']],
  ['body', 'setLocalCentreOfMass', ['vector']],
  ['body', 'setLinearDamping', ['dampings']],
  ['body', 'setAngularDamping', ['dampings']],
  ['body', 'setMassCoefficients', ['positiveVector']],
  ['body', 'setInertiaCoefficients', ['positiveVector']],
  ['body', 'createGeometry', ['geometryOptions']],
  ['geometry', 'setPose', ['vector', 'quaternion']],
  ['geometry', 'setShape', ['shapeOrDescription']],
  ['geometry', 'set:enabled', ['flag']],
  ['geometry', 'set:collisions', ['flag']],
  ['geometry', 'set:massProperties', ['flag']],
  ['geometry', 'set:mergeable', ['flag']],
  ['geometry', 'set:splittable', ['flag']],
  ['geometry', 'set:material', ['material']],
  ['geometry', 'set:sensor', ['sensor']],
  ['geometry', 'setSurfaceVelocity', ['vector']],
  ['geometry', 'getSurfaceVelocity', ['output3']],
  ['geometry', 'findSurfacePoint', ['vector', 'outputObject']],
  ['geometry', 'isInGroup', ['group']],
  ['geometry', 'addGroup', ['group']],
  ['geometry', 'removeGroup', ['group']],
  ['material', 'set', ['materialOptions']],
  ['material', 'get', ['outputObject']],
  ['contactMaterial', 'set', ['pairProperties']],
  ['contactMaterial', 'get', ['outputObject']],
  ['world', 'createConstraint', ['constraintOptions']],
  ['world', 'constraintAt', ['row']],
  ['scene', 'findConstraint', ['unknownName']],
  ['scene', 'findMergedBody', ['unknownName']],
  ['world', 'createMergedBody', ['mergedBodyOptions']],
  ['world', 'mergedBodyAt', ['row']],
  ['mergedBody', 'set:active', ['flag']],
  ['mergedBody', 'addBody', ['body']],
  ['mergedBody', 'removeBody', ['part']],
  ['mergedBody', 'edgesOf', ['part']],
  ['mergedBody', 'neighbours', ['part']],
  ['mergedBody', 'addEdge', ['mergeEdgeOptions']],
  ['mergedBody', 'merge', ['otherMergedBody', 'mergeEdgeOptions']],
  ['mergedBody', 'getProperties', ['outputObject']],
  ...['enabled'].map((name) => ['constraint', `set:${name}`, ['flag']]),
  ...['breakForce', 'breakTorque'].map((name) => ['constraint', `set:${name}`, ['positive']]),
  ...['setCompliance', 'setDamping'].map((name) => ['constraint', name, ['perDof']]),
  ...['getCompliance', 'getDamping', 'getForceRange', 'getDofForce'].map((name) => [
    'constraint',
    name,
    ['dof'],
  ]),
  ['constraint', 'set:mergeable', ['flag']],
  ['constraint', 'set:splittable', ['flag']],
  ['constraint', 'setForceRange', ['forceRange']],
  ['constraint', 'setMotor', ['motorOptions', 'optionalIndex']],
  ['constraint', 'setLockAt', ['lockOptions', 'optionalIndex']],
  ['constraint', 'setRange', ['rangeOptions', 'optionalIndex']],
  ['constraint', 'setFriction', ['frictionOptions', 'optionalIndex']],
  ['ball', 'setCone', ['coneOptions']],
  ['ball', 'setTwist', ['rangeOptions']],
  ['cylindrical', 'setScrew', ['screwOptions']],
  ...['getMotor', 'getLockAt', 'getRange', 'getFriction', 'getCoordinate', 'getSpeed'].map((name) => [
    'constraint',
    name,
    ['optionalIndex'],
  ]),
  ['constraint', 'setSpring', ['springOptions', 'optionalIndex']],
  ['constraint', 'getSpring', ['optionalIndex']],
  ['constraint', 'setTarget', ['vector']],
  ['constraint', 'getSecondaryForces', ['optionalIndex', 'outputObject']],
  ['constraint', 'getForce', ['output3']],
  ['constraint', 'getTorque', ['output3', 'about']],
  ['constraint', 'getForceOn', ['body', 'output3']],
  ['constraint', 'getTorqueOn', ['body', 'output3', 'about']],
  ['constraint', 'getFrame', ['outputObject']],
  ['constraint', 'getFrameOn', ['body', 'outputObject']],
  ...['getForce', 'getImpactForce', 'getNormalForce', 'getTangentialForce'].map((name) => [
    'reader',
    name,
    ['output3'],
  ]),
  ...['getNormal', 'getNormalForce', 'getTangentialForce'].map((name) => ['cursor', name, ['output3']]),
  ...['getPointPosition', 'getPointNormal', 'getPointTangentialForce'].map((name) => [
    'cursor',
    name,
    ['pointIndex', 'output3'],
  ]),
  ...['getPointDepth', 'getPointNormalForce'].map((name) => ['cursor', name, ['pointIndex']]),
  ['cursor', 'setFriction', ['contactFriction']],
  ['reader', 'read', ['outputObject']],
  ['matrices', 'write', ['fraction']],
  ['columns', 'describe', ['unknownName']],
];

/** Values of no use to anybody who wants a number, a vector, an object or text. */
const nonsense = [
  null,
  undefined,
  true,
  'x',
  '',
  Symbol('s'),
  10n,
  () => 1,
  {},
  [],
  new Date(0),
  new Map(),
  NaN,
];
/** @param {unknown[]} allowed */
const nonsenseBut = (...allowed) => nonsense.filter((value) => !allowed.includes(value));
const plainObject = nonsense[8];
const emptyList = nonsense[9];

/** @type {Record<string, { good: (live: any) => unknown, bad: unknown[] }>} */
export const kinds = (() => {
  const badNumbers = [...nonsense, Infinity, -Infinity, [1], '3'];
  /** What looks like a vector or a quaternion and is none. */
  const badObjects = (length) => {
    const good = length === 4 ? { x: 0, y: 0, z: 0, w: 1 } : { x: 0.25, y: 0.5, z: 1 };
    return [
      { x: 1, y: 2 },
      { x: NaN, y: undefined, z: undefined },
      ...['x', 'y', 'z', 'w'].slice(0, length).flatMap((name) => [
        { ...good, [name]: undefined },
        { ...good, [name]: NaN },
        { ...good, [name]: -Infinity },
        { ...good, [name]: '1' },
        { ...good, [name]: [1] },
        { ...good, [name]: null },
        { ...good, [name]: 1n },
      ]),
      length === 4 ? { x: 0, y: 0, z: 1 } : { ...good, w: 1 },
      { ...good, order: 'XYZ' },
      { ...good, w: length === 4 ? 1 : undefined, isEuler: true, order: 'ZYX' },
      new (class Vector {
        get x() {
          return 1;
        }
        get y() {
          return 2;
        }
      })(),
      Object.create(good, { z: { value: NaN } }),
    ];
  };
  const badVectors = (length, good) => [
    ...nonsense,
    3,
    good.slice(1),
    [...good, 0],
    good.map((value, i) => (i === length - 1 ? NaN : value)),
    good.map((value, i) => (i === 0 ? Infinity : value)),
    good.map((value, i) => (i === 1 ? '1' : value)),
    good.map((value, i) => (i === 1 ? undefined : value)),
    new Array(length),
    new BigInt64Array(length),
    new BigUint64Array(length),
    new DataView(new ArrayBuffer(8 * length)),
    new Float64Array(length + 1),
    detached(new Float64Array(length)),
    new Float32Array(length).fill(NaN),
    ...badObjects(length),
  ];
  const vector = [0.25, 0.5, 1];
  const badOptions = [
    ...nonsenseBut(plainObject, undefined),
    7,
    new Float64Array(3),
    { unknown: 1 },
    { toString: 1 },
  ];
  const spoil = (good, list) => list.map((change) => ({ ...good, ...change }));
  const badLengths = (...names) =>
    names.flatMap((name) =>
      [0, -1, NaN, Infinity, 1e31, '1', null, undefined].map((value) => ({ [name]: value })),
    );
  const badAmounts = (...names) => [
    ...names.flatMap((name) => [-1, NaN, Infinity, 1e31, '1', null].map((value) => ({ [name]: value }))),
    { bodies: 1 },
    { bodies: [null] },
    { bodies: [{}] },
  ];
  const badMeshes = spoil(tetrahedron, [
    { points: [] },
    { points: undefined },
    { points: [[0, 0, 0], [1, 0]] }, // prettier-ignore
    { points: corners.flat().slice(1) },
    { points: corners.map(() => [0, 0, Infinity]) },
    { points: new BigInt64Array(12) },
    { points: corners.map(([x, y]) => ({ x, y })) },
    { points: { x: 1, y: 2, z: 3 } },
    { points: detached(new Float64Array(12)) },
    { triangles: [] },
    { triangles: [[0, 1]] },
    { triangles: [[0, 1, 4]] },
    { triangles: [[0, 1, -1]] },
    { triangles: [[0, 1, 1.5]] },
    { triangles: [[0, 1, '2']] },
    { triangles: [0, 1] },
    { triangles: new Float64Array(3) },
    { triangles: new Uint32Array([0, 1, 2 ** 31]) },
    { triangles: detached(new Uint32Array(12)) },
    { winding: 'left' },
    { winding: 1 },
    { mergeVertices: 1 },
    { mergeVertices: true, mergeTolerance: -1 },
    { mergeVertices: true, mergeTolerance: NaN },
    { terrain: 'yes' },
    { terrain: true, bottomMargin: -1 },
    { normals: [] },
  ]);
  const badDescriptions = [
    ...nonsense,
    ...spoil(sphere, [
      { radius: NaN },
      { radius: -1 },
      { radius: '1' },
      { radius: undefined },
      { size: 1 },
      { type: 'ball' },
      { type: 0 },
    ]),
    { type: 'box', halfExtents: [1, 1] },
    { type: 'box', halfExtents: [1, 0, 1] },
    {
      type: 'convex',
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
        [3, 0, 0],
      ],
    },
    { type: 'convex', points: new Float64Array(7) },
    { type: 'convex', points: [] },
    { type: 'convex', points: [[0, 0]] },
    { type: 'convex', points: [...corners.slice(1), [0, 0, NaN]] },
    { type: 'convex', points: corners.map(([x, y]) => [x, y, 0]) },
    { type: 'convex', points: detached(new Float64Array(12)) },
    { type: 'plane', normal: [0, 0, 0] },
    { type: 'plane', normal: [0, 0, 1], offset: Infinity },
    { type: 'capsule', radius: 1, height: -1 },
    ...spoil({ type: 'cylinder', radius: 1, height: 1 }, badLengths('radius', 'height')),
    ...spoil({ type: 'hollowCylinder', innerRadius: 1, thickness: 0.1, height: 1 }, [
      ...badLengths('innerRadius', 'thickness', 'height'),
      { radius: 1 },
    ]),
    ...spoil({ type: 'cone', topRadius: 0.5, bottomRadius: 1, height: 1 }, [
      ...badLengths('height'),
      { topRadius: -1 },
      { bottomRadius: NaN },
      { topRadius: 0, bottomRadius: 0 },
    ]),
    ...spoil({ type: 'hollowCone', topRadius: 0.5, bottomRadius: 1, height: 1, thickness: 0.1 }, [
      ...badLengths('height', 'thickness'),
      { topRadius: -1 },
    ]),
    ...spoil({ type: 'line', start: [0, 0, 0], end: [1, 0, 0] }, [
      { start: [1, 0, 0] },
      { end: [0, NaN, 0] },
      { end: [1, 2] },
      { start: undefined },
    ]),
    ...badMeshes,
    ...spoil(heightField, [
      { resolution: [1, 12] },
      { resolution: [3, 3] },
      { resolution: [3.5, 4] },
      { resolution: [3] },
      { resolution: [3, 40000] },
      { resolution: [NaN, 4] },
      { size: [0, 1] },
      { size: [1, -1] },
      { size: undefined },
      { heights: new Float64Array(11) },
      { heights: new BigInt64Array(12) },
      { heights: detached(new Float64Array(12)) },
      { heights: new Array(12).fill('0') },
      { heights: new Array(12).fill(Infinity) },
      { bottomMargin: -1 },
      { dynamic: 1 },
      { dynamic: true, minHeight: 1 },
    ]),
  ];
  const badMaterials = [
    ...badOptions,
    { density: -1 },
    { density: NaN },
    { library: 'no-such-thing' },
    { library: 3 },
    { name: '' },
    { name: 5 },
    { friction: 0.5, roughness: 0.5 },
    { restitution: 2 },
    { wire: 1 },
    { frictionModel: 'boxProportionalHigh' },
    { frictionModel: { type: 'cone' } },
    { wire: { stretchDamping: -1 } },
    { adhesionForce: 1 },
    { contactReduction: 1 },
    { roughness: -0.1 },
  ];
  const badPairs = [
    ...badOptions,
    { friction: -1 },
    { friction: [1] },
    { restitution: 1.5 },
    { restitution: NaN },
    { frictionModel: 'glue' },
    { frictionModel: { type: 'box', force: -1 } },
    { frictionModel: { solve: 3 } },
    { frictionModel: { frame: {}, primary: [1, 0, 0] } },
    { frictionModel: [] },
    { contactArea: { minRestLength: 1, maxRestLength: 0.5 } },
    { contactArea: true },
    { rollingResistance: [0, -1] },
    { slide: 'x' },
    { staticFrictionScale: Infinity },
    { damping: '1' },
  ];
  const badOutput = (length) => [
    ...nonsenseBut(undefined, emptyList),
    4,
    new Float64Array(length - 1),
    new Int32Array(length),
    detached(new Float64Array(length)),
    detached(new Float32Array(length)),
    Object.freeze([]),
    { x: 0, y: 0, z: 0 },
    { x: 0, y: 0, z: 0, w: 1, fromArray() {} },
  ];
  const badFilters = [
    ...nonsenseBut(plainObject, undefined),
    7,
    { groups: 1 },
    { groups: [-1] },
    { groups: [0.5] },
    { groups: [NaN] },
    { groups: [['ghosts']] },
    { groups: new Float64Array(2) },
    { bodies: 'kinematic' },
    { bodies: 1 },
    { sensors: 1 },
    { crossings: 'yes' },
    { excludeBody: 3 },
    { excludeGeometry: {} },
    { collidesWith: {} },
    { mask: 1 },
  ];
  return {
    contactFriction: {
      good: () => ({ coefficient: 0.5 }),
      bad: [
        ...badOptions,
        { coefficient: -1 },
        { coefficient: [1, 2, 3] },
        { force: NaN },
        { rollingResistance: [0, -1] },
        { spinningFriction: '1' },
        { surfaceVelocity: 5 },
        { surfaceVelocity: [0, NaN, 0] },
        { primary: null },
      ],
    },
    vectorColumn: {
      good: () => new Float64Array(9),
      bad: [
        ...nonsense,
        3,
        new Float64Array(8),
        new BigInt64Array(9),
        detached(new Float64Array(9)),
        new Float32Array(9).fill(NaN),
        new Array(9).fill(1e31),
        new Array(9).fill(0).with(8, '0'),
        new Array(9),
        [vector, vector],
        ...badObjects(3).map((item) => [vector, vector, item]),
        { x: 1, y: 2, z: 3 },
      ],
    },
    rotationColumn: {
      good: () => [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1],
      bad: [
        ...nonsense,
        new Float64Array(9),
        [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2],
        [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, Infinity],
        ...badObjects(4).map((item) => [[0, 0, 0, 1], [0, 0, 0, 1], item]),
      ],
    },
    indexOfThree: { good: () => 2, bad: [...badNumbers, -1, 3, 0.5] },
    bodiesOptions: {
      good: () => ({ count: 2, positions: new Float64Array(6), geometry: { shape: sphere } }),
      bad: [
        ...badOptions,
        {},
        ...badNumbers.map((count) => ({ count })),
        { count: -1 },
        { count: 1.5 },
        { count: 2 ** 20 },
        { count: 2 ** 31 },
        { count: 1, unknown: 1 },
        { count: 1, position: vector },
        ...['positions', 'velocities', 'angularVelocities'].flatMap((name) =>
          badVectors(3, vector)
            .filter((column) => column !== undefined)
            .map((column) => ({ count: 1, [name]: column })),
        ),
        ...badVectors(4, [0, 0, 0, 1])
          .filter((column) => column !== undefined)
          .map((rotations) => ({ count: 1, rotations })),
        { count: 1, rotations: [0, 0, 1, 1] },
        { count: 2, rotations: [0, 0, 0, 1, 0, 0, 0, 2] },
        { count: 2, masses: [1, -1] },
        { count: 2, masses: [1, 1e31] },
        { count: 2, masses: [1] },
        { count: 2, masses: 1 },
        { count: 2, masses: new Float32Array([1, NaN]) },
        { count: 0, positions: detached(new Float64Array(3)) },
        { count: 2, positions: detached(new Float32Array(6)) },
        ...badOptions.map((body) => ({ count: 1, body })).filter(({ body }) => body !== undefined),
        { count: 1, body: { geometries: [] } },
        { count: 1, body: { mass: -1 } },
        { count: 1, body: { rotation: [1, 1, 1, 1] } },
        ...nonsenseBut(undefined).map((geometry) => ({ count: 1, geometry })),
        { count: 1, geometry: { shape: { type: 'sphere', radius: NaN } } },
        { count: 1, geometry: { shape: sphere, shapes: [{ shape: sphere }] } },
        { count: 1, geometry: { shape: sphere, body: {} } },
        { count: 1, geometry: { shape: sphere, groups: [-1] } },
        { count: 1, geometry: { shape: sphere, groups: Array.from({ length: 17 }, (_, i) => i) } },
        { count: 1, geometry: { shape: sphere, friction: -1 } },
        { count: 1, geometry: { friction: 1 } },
        ...nonsenseBut(undefined).map((shapes) => ({ count: 1, shapes })),
        ...nonsense.map((shape) => ({ count: 1, shapes: [shape] })),
        { count: 2, shapes: [sphere] },
        { count: 1, shapes: [sphere], geometry: { shape: sphere } },
        ...nonsenseBut(undefined).map((materials) => ({ count: 1, shapes: [sphere], materials })),
        ...nonsenseBut(null).map((material) => ({ count: 1, shapes: [sphere], materials: [material] })),
        { count: 1, materials: [null] },
        { count: 1, shapes: [sphere], materials: [null], geometry: { friction: 1 } },
      ],
    },
    materialName: { good: () => 'rail', bad: [...nonsense, 'wheel', 'rai'] },
    nothing: { good: () => 0, bad: [...nonsense, 0, 1] }, // what the object has none of
    shapeOrDescription: { good: () => sphere, bad: badDescriptions },
    meshDescription: { good: () => tetrahedron, bad: [...nonsense, sphere, heightField, ...badMeshes] },
    meshCheck: {
      good: () => ({}),
      bad: [...nonsenseBut(plainObject, undefined), { selfIntersections: 1 }, { all: true }],
    },
    meshFile: {
      good: () => new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'),
      bad: [
        ...nonsense,
        3,
        'v 0 0 0',
        new Float64Array(3),
        new ArrayBuffer(8),
        new Uint8Array(0),
        new Uint8Array(100),
        new TextEncoder().encode('v 0 0 0\nf 1 2 3\n'),
        detached(new Uint8Array(8)),
      ],
    },
    meshFileOptions: {
      good: () => ({}),
      bad: [
        ...nonsenseBut(plainObject, undefined),
        { format: 'doc' },
        { format: 3 },
        { format: 'stl' },
        { keepApart: 1 },
        { files: [] },
        { files: { a: 'text' } },
        { scale: 2 },
      ],
    },
    heightFile: {
      good: () => new Uint8Array(12),
      bad: [
        ...nonsense,
        3,
        'png',
        new Float64Array(3),
        new Uint8Array(0),
        new Uint8Array(11),
        detached(new Uint8Array(12)),
      ],
    },
    heightFileOptions: {
      good: () => ({ format: 'u8', resolution: [3, 4] }),
      bad: [
        ...nonsense,
        {},
        { format: 'u8' },
        { format: 'u8', resolution: [4, 4] },
        { format: 'u8', resolution: [3] },
        { format: 'u8', resolution: [0.5, 24] },
        { format: 'u8', resolution: [-3, -4] },
        { format: 'u8', resolution: [3, 4], range: [0] },
        { format: 'u8', resolution: [3, 4], range: [0, NaN] },
        { format: 'u7', resolution: [3, 4] },
        { format: 'png' },
        { format: 8 },
        { width: 3 },
      ],
    },
    filter: { good: () => ({}), bad: badFilters },
    rays: {
      good: () => new Float64Array([0, 0, 5, 0, 0, -9]),
      bad: [
        ...nonsense,
        [0, 0, 5, 0, 0, -9],
        new Float32Array(6),
        new Float64Array(5),
        new Float64Array(6).fill(NaN),
        new Float64Array([0, 0, 0, 0, Infinity, 0]),
        detached(new Float64Array(6)),
      ],
    },
    rayOutputs: {
      good: () => ({
        geometries: new Int32Array(1),
        fractions: new Float64Array(1),
        normals: new Float64Array(3),
      }),
      bad: [
        ...nonsense,
        { geometries: [] },
        { geometries: new Int32Array(0) },
        { geometries: new Uint32Array(1) },
        { geometries: detached(new Int32Array(1)) },
        { geometries: new Int32Array(1), fractions: new Float32Array(1) },
        { geometries: new Int32Array(1), fractions: detached(new Float64Array(1)) },
        { geometries: new Int32Array(1), normals: new Float64Array(2) },
        { geometries: new Int32Array(1), normals: null },
        { geometries: new Int32Array(1), points: new Float64Array(3) },
      ],
    },
    upper: {
      good: () => [1, 1, 2],
      bad: [...badVectors(3, [1, 1, 2]), [0, 1, 2]], // below the lower one
    },
    freeGeometry: {
      good: () => ({ shape: sphere }),
      bad: [
        ...nonsense,
        sphere,
        { shape: null },
        { shape: sphere, shapes: [{ shape: sphere }] },
        { shapes: [] },
        { shapes: [{}] },
        { shapes: [{ shape: sphere, position: [0] }] },
        { shapes: [{ shape: sphere, angle: 0 }] },
        { shape: sphere, position: [NaN, 0, 0] },
        { shape: sphere, rotation: [0, 0, 0, 2] },
        { shape: sphere, speed: 1 },
        { shape: { type: 'sphere', radius: -1 } },
      ],
    },
    listenerOptions: {
      good: () => ({ onContact: () => 'keep' }),
      bad: [
        ...nonsense,
        { onContact: 'keep' },
        { onContact: null },
        ...spoil({ onContact: () => 'keep' }, [
          { mask: 0 },
          { mask: 8 },
          { mask: 1.5 },
          { mask: 'impact' },
          { filter: 3 },
          { filter: null },
          { filter: { body: 1 } },
          { filter: { geometry: 'a' } },
          { filter: { group: -1 } },
          { filter: { groups: [1] } },
          { other: { shape: sphere } },
          { once: true },
        ]),
      ],
    },
    snapshotTarget: {
      good: () => new Uint8Array(1 << 22),
      bad: [
        ...nonsenseBut(undefined),
        3,
        new Uint8Array(3),
        new Float64Array(3),
        detached(new Uint8Array(9)),
      ],
    },
    snapshot: {
      good: (live) => live.world.save(),
      bad: [
        ...nonsense,
        3,
        new Uint8Array(0),
        new Uint8Array(300),
        new Float64Array(9),
        detached(new Uint8Array(9)),
      ],
    },
    recording: {
      good: (live) => {
        live.world.record.start();
        return live.world.record.stop();
      },
      bad: [
        ...nonsense,
        3,
        new Uint8Array(0),
        new Uint8Array(300),
        new Float64Array(9),
        detached(new Uint8Array(9)),
      ],
    },
    threadOptions: {
      good: () => ({ threads: 1 }),
      bad: [...badOptions, { threads: -1 }, { threads: 99 }, { threads: 1.5 }, { threads: '1' }],
    },
    keptSteps: { good: () => 2, bad: [...badNumbers, -1, 0.5, 1e6, 2 ** 32] },
    rewoundSteps: {
      good: (live) => {
        live.world.keep(2);
        return 0;
      },
      bad: [...badNumbers, -1, 0.5, 3, 2 ** 32],
    },
    reduction: { good: () => 'material', bad: [...nonsense, 'some', 1, 'toString'] },
    resolution: { good: () => 3, bad: [...nonsenseBut(undefined), 11, 2.5, -1, Infinity, '3'] },
    sensor: { good: () => false, bad: [...nonsenseBut(true), 'on', 0, 1] },
    renderData: {
      good: () => ({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], indices: [0, 1, 2] }),
      bad: [
        ...nonsenseBut(null),
        ...spoil({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], indices: [0, 1, 2] }, [
          { positions: [0, 0] },
          { positions: 'x' },
          { positions: [0, 0, NaN, 1, 0, 0, 0, 1, 0] },
          { positions: new BigInt64Array(9) },
          { positions: undefined },
          { indices: [0, 1, 3] },
          { indices: [0, 1] },
          { indices: [0, 1, -1] },
          { indices: [0, 1, 0.5] },
          { indices: new Float64Array(3) },
          { indices: undefined },
          { normals: [0, 0, 1] },
          { normals: 'x' },
          { colour: [2, 0, 0] },
          { colour: [0, 0] },
          { colour: 'red' },
          { uvs: [] },
        ]),
      ],
    },
    heightChange: {
      good: () => ({ region: [0, 1, 0, 1], heights: [0, 0, 0, 0] }),
      bad: [
        ...nonsense,
        ...spoil({ region: [0, 1, 0, 1], heights: [0, 0, 0, 0] }, [
          { region: [0, 3, 0, 0] },
          { region: [0, 0, 0, 4] },
          { region: [-1, 0, 0, 0] },
          { region: [1, 0, 0, 1] },
          { region: [0, 1, 0] },
          { region: [0, 1, 0, 0.5] },
          { region: [0, 1, 0, NaN] },
          { region: 'all' },
          { region: null },
          { region: new Int32Array(4) },
          { heights: [0, 0, 0] },
          { heights: [0, 0, 0, Infinity] },
          { heights: [0, 0, 0, '0'] },
          { heights: 0 },
          { heights: undefined },
          { heights: new BigInt64Array(4) },
          { heights: detached(new Float64Array(4)) },
          { height: 1 },
        ]),
        { heights: [0, 0, 0, 0] },
      ],
    },
    region: {
      good: () => [0, 1, 0, 1],
      bad: [
        ...nonsenseBut(undefined),
        [0, 3, 0, 0],
        [0, 0, 0, 4],
        [-1, 0, 0, 0],
        [1, 0, 0, 1],
        [0, 1, 0],
        [0, 1, 0, 2 ** 31],
        3,
      ],
    },
    column: { good: () => 0, bad: [...badNumbers, -1, 4, 0.5, 2 ** 31] },
    height: { good: () => 0, bad: [...badNumbers, 1e31] },
    pointIndex: { good: () => 0, bad: [...badNumbers, -1, 0.5, 1000] },
    positive: { good: () => 0.01, bad: [...badNumbers, -1, -1e-9] },
    fraction: { good: () => 0.5, bad: [...badNumbers.filter((value) => value !== undefined), -0.5, 1.5] },
    count: { good: () => 0, bad: [...badNumbers, -1, 0.5, 2 ** 32] },
    group: { good: () => 5, bad: [...nonsenseBut('x'), Infinity, -Infinity, [1], -1, 0.5, 2 ** 32] },
    unsigned: { good: () => 5, bad: [...badNumbers, -1, 0.5, 2 ** 32] },
    row: { good: () => 0, bad: [...badNumbers, -2, 0.5, 2 ** 31] },
    shapeRow: { good: () => 0, bad: [...badNumbers, -1, 0.5, 100000] },
    rows: {
      good: () => [0],
      bad: [...nonsenseBut(emptyList), [0.5], ['0'], [NaN], new Float64Array(1), [2 ** 31]],
    },
    flag: { good: () => true, bad: [...nonsenseBut(true), 0, 1, 'true'] },
    vector: { good: () => vector, bad: badVectors(3, vector) },
    optionalVector: { good: () => vector, bad: badVectors(3, vector).filter((value) => value !== undefined) },
    dampings: {
      good: () => 0.5,
      bad: [...badVectors(3, vector).filter((value) => value !== 3), -1, Infinity, [-1, 0, 0], [0, 0, -1e-9]],
    },
    gravityScale: { good: () => 0.5, bad: [...badNumbers, 1.1e6, -1e7] },
    threeFlags: {
      good: () => [false, false, false],
      bad: [...nonsense, 7, [true], [1, 0, 0], [true, true, null]],
    },
    arrival: { good: () => 'stop', bad: [...nonsenseBut(undefined), 0, 'later'] },
    objectName: { good: () => undefined, bad: [...nonsenseBut(undefined, 'x'), 3] },
    springOptions: {
      good: () => ({ stiffness: 10, damping: 1, length: 0.5 }),
      bad: [
        ...badOptions.filter((value) => value !== null),
        {},
        { damping: 1 },
        { stiffness: 0 },
        ...['stiffness', 'damping'].flatMap((key) =>
          [-1, NaN, Infinity, 1e31, '1', {}].map((value) => ({ stiffness: 1, [key]: value })),
        ),
        ...[NaN, Infinity, '1', null].map((length) => ({ stiffness: 1, length })),
        { stiffness: 1, compliance: 1 },
      ],
    },
    pulledBody: { good: (live) => live.body, bad: [...nonsense, 7] },
    mouseOptions: {
      good: () => ({ stiffness: 100, maxForce: 50 }),
      bad: [
        ...badOptions,
        ...['stiffness', 'maxForce'].flatMap((key) =>
          [0, -1, NaN, Infinity, '1', null].map((value) => ({ [key]: value })),
        ),
        ...[-1, NaN, Infinity, '1', null].map((damping) => ({ damping })),
        { name: '' },
        { name: 5 },
        { force: 1 },
      ],
    },
    positiveVector: { good: () => vector, bad: [...badVectors(3, vector), [-1, 0, 0], [0, 0, -1e-9]] },
    quaternion: {
      good: () => [0, 0, 0, 1],
      bad: [...badVectors(4, [0, 0, 0, 1]), [0, 0, 0, 0.9], [1, 1, 1, 1]],
    },
    inertia: {
      good: () => [1, 2, 2.5],
      bad: [
        ...nonsense,
        3,
        [1, 2],
        [1, 2, NaN],
        [1, 1, 3],
        [-1, 1, 1],
        new Float64Array(8),
        [
          [1, 0, 0],
          [0, 1, 0],
        ],
      ],
    },
    motion: { good: () => 'dynamic', bad: [...nonsense, 'moving', 0, 'Dynamic', 'toString', '__proto__'] },
    sleep: {
      good: () => true,
      bad: [1, 'on', null, [], { linear: -1 }, { angular: NaN }, { time: '1' }, { enabled: 1 }, { speed: 1 }],
    },
    mergeSplit: {
      good: () => true,
      bad: [1, 'on', null, [], { normalSpeed: -1 }, { impactSpeed: NaN }, { enabled: 1 }, { speed: 1 }],
    },
    solver: {
      good: () => 'auto',
      bad: [
        ...nonsenseBut(plainObject),
        'Direct',
        'splitting',
        'jacobi',
        { type: 'x' },
        { substeps: -1 },
        { substeps: 65 },
        { iterations: 0.5 },
        { warm: true },
      ],
    },
    pose: {
      good: () => ({ position: [0, 0, 0] }),
      bad: [
        ...nonsenseBut(plainObject),
        { position: [0, 0] },
        { rotation: [0, 0, 0, 9] },
        { rotation: [0, 0, NaN, 1] },
        { angle: 1 },
      ],
    },
    description: { good: () => sphere, bad: badDescriptions },
    worldOptions: {
      good: () => ({}),
      bad: [
        ...badOptions,
        { timeStep: 2 },
        { timeStep: NaN },
        { gravity: [1, 2] },
        { gravity: null },
        { gravity: {} },
        { solver: 'fast' },
        { sleep: 'deep' },
        { sleep: { linear: -1 } },
        { mergeSplit: 'on' },
        { mergeSplit: { rollingSpeed: -1 } },
        { threads: 99 },
        { bodyCapacity: -1 },
        { gyroscopic: 0 },
        { continuous: 1 },
      ],
    },
    bodyOptions: {
      good: () => ({}),
      bad: [
        ...badOptions,
        { mass: -1 },
        { mass: NaN },
        { position: [1] },
        { rotation: [1, 1, 1, 1] },
        { motion: 'x' },
        { inertia: [1, 1, 5] },
        { geometries: 1 },
        { geometries: [1] },
        { geometries: [{ shape: { type: 'sphere', radius: -1 } }] },
        { enabled: 'yes' },
        { velocity: [0, 0, Infinity] },
        { name: '' },
        { name: 5 },
        { linearDamping: -1 },
        { angularDamping: NaN },
        { gravityScale: 1e7 },
        { gravityScale: '1' },
        { lockTranslations: true },
        { lockRotations: [true, false, false] },
      ],
    },
    geometryOptions: {
      good: () => ({ shape: sphere }),
      bad: [
        ...badOptions,
        {},
        { shape: null },
        { shape: { type: 'sphere' } },
        { shapes: [] },
        { shapes: [{}] },
        { shape: sphere, shapes: [] },
        { shape: sphere, position: [0] },
        { shape: sphere, rotation: [0, 0, 0, 3] },
        { shape: sphere, material: 'steel' },
        { shape: sphere, friction: -1 },
        { shape: sphere, restitution: 1.5 },
        { shape: sphere, friction: '1' },
        { shape: sphere, friction: NaN, restitution: 0 },
        { shape: sphere, groups: [0.5] },
        { shape: sphere, groups: 'ghosts' },
        { shape: sphere, groups: [''] },
        { shape: sphere, groups: Array.from({ length: 17 }, (_, i) => i) },
        { shape: sphere, sensor: 'on' },
        { shape: sphere, surfaceVelocity: [0, NaN, 0] },
        { shape: sphere, surfaceVelocity: 1 },
        { shape: sphere, name: '' },
        { shape: sphere, name: 5 },
        ...badDescriptions.map((shape) => ({ shape })),
      ],
    },
    materialOptions: { good: () => ({}), bad: badMaterials },
    pairOptions: {
      good: (live) => ({ materials: [live.material, live.material] }),
      bad: [
        ...nonsense,
        { materials: [] },
        { materials: [null, 3] },
        { materials: ['steel', 'wood'] },
        { materials: null },
      ],
    },
    pairProperties: { good: () => ({}), bad: badPairs },
    constraintOptions: {
      good: (live) => ({ type: 'lock', bodies: [live.body, null] }),
      bad: [
        ...badOptions,
        {},
        { type: 'hinge' },
        { type: 'hinge', name: 5 },
        { type: 'hinge', bodies: null },
        { type: 'hinge', bodies: [null, null] },
        { type: 'gear', constraints: [], ratio: 1 },
        { type: 'distance', bodies: [1, 2], anchors: [] },
        { type: 'toString', bodies: [] },
      ],
    },
    perDof: {
      good: () => 1e-6,
      bad: [...badNumbers.filter((value) => value !== null && value !== undefined), -1, [1, 2], new Array(6)],
    },
    forceRange: {
      good: () => [-1, 1],
      bad: [...nonsenseBut(null, undefined), 3, [1], [1, -1], [NaN, 1], ['0', 1], new Array(6).fill([2, 1])],
    },
    motorOptions: {
      good: () => ({ speed: 1 }),
      bad: [
        ...badOptions.filter((value) => value !== null),
        undefined,
        { speed: NaN },
        { speed: '1' },
        { force: -1 },
        { force: [1, 0] },
        { force: [0, 1, 2] },
        { lockAtZeroSpeed: 1 },
      ],
    },
    rangeOptions: {
      good: () => ({ limits: [-1, 1] }),
      bad: [
        ...badOptions.filter((value) => value !== null),
        { limits: 1 },
        { limits: [1, 0] },
        { compliance: -1 },
      ],
    },
    lockOptions: {
      good: () => ({ position: 1 }),
      bad: [...badOptions.filter((value) => value !== null), undefined, { position: NaN }, { damping: -1 }],
    },
    frictionOptions: {
      good: () => ({ force: 1 }),
      bad: [...badOptions.filter((value) => value !== null), undefined, { force: -1 }, { radius: 0 }],
    },
    coneOptions: {
      good: () => ({ limit: 1 }),
      bad: [...badOptions.filter((value) => value !== null), undefined, { limit: -1 }, { limit: 4 }],
    },
    screwOptions: {
      good: () => ({ lead: 1 }),
      bad: [...badOptions.filter((value) => value !== null), undefined, { lead: NaN }, { lead: '1' }],
    },
    about: { good: () => 'centreOfMass', bad: [...nonsenseBut(undefined), 'attachments', 1] },
    optionalIndex: { good: () => 0, bad: [...badNumbers.filter((value) => value !== undefined), -1, 1, 0.5] },
    dof: { good: () => 0, bad: [...badNumbers, -1, 6, 0.5] },
    sceneText: {
      good: () => '',
      bad: [
        ...nonsense,
        '{',
        '[]',
        '{"format":"cairn-scene"}',
        '{"format":"cairn-scene","version":1,"bodies":[{"mass":-1}]}',
        '{"format":"cairn-scene","version":1,"bodies":[{"mass":1,"colour":1}]}',
        new Uint8Array(9),
        { format: 'cairn-scene', version: 3 },
      ],
    },
    libraryItems: {
      good: () => ({}),
      bad: [
        ...nonsenseBut(plainObject),
        { 'materials/a.json': 3 },
        { 'materials/a.json': '{' },
        { 'metals/a.json': { name: 'a' } },
        { 'materials/a.json': { name: 'wood' } },
        { 'materials/a.json': { name: 'a', density: -1 } },
      ],
    },
    listKind: { good: () => 'shapes', bad: [...nonsense, 'bodies', 3, '__proto__'] },
    unknownName: { good: () => 'x', bad: [...nonsense, 'nobody', 'a\0b', 'body/nobody/mass', 7] },
    output3: { good: () => undefined, bad: badOutput(3) },
    output4: { good: () => undefined, bad: badOutput(4) },
    output9: { good: () => undefined, bad: badOutput(9) },
    rayResult: {
      good: () => undefined,
      bad: [
        ...nonsenseBut(undefined, plainObject, nonsense[10], nonsense[11]),
        4,
        { groups: [1] },
        { bodies: 'static' },
        Object.freeze({}),
      ],
    },
    island: { good: () => 0, bad: [...badNumbers, -1, 1e6, 0.5] },
    impact: {
      good: () => 'impact',
      bad: [...nonsense, 3, 'Impact', 'collide', 'toString', 'constructor', ['impact']],
    },
    breakName: { good: () => 'break', bad: [...nonsense, 'impact', 'sleep', 'broke'] },
    handler: {
      good: () => () => {},
      bad: nonsense.filter((value) => typeof value !== 'function'),
    },
    eventOptions: {
      good: () => ({ minSpeed: 1 }),
      bad: [...badOptions, ...[-1, NaN, Infinity, '1', null, [1]].map((minSpeed) => ({ minSpeed }))],
    },
    afterStepListener: {
      good: () => () => {},
      bad: nonsense.filter((value) => typeof value !== 'function'),
    },
    advanceOptions: {
      good: () => ({ beforeStep: () => {}, afterStep: () => {}, speed: 0.5, maxSteps: 2 }),
      bad: [
        ...badOptions,
        ...[0, -1, 0.5, NaN, Infinity, '3', null].map((maxSteps) => ({ maxSteps })),
        ...[-1, NaN, Infinity, 1001, '1', null].map((speed) => ({ speed })),
        ...[1, 'x', null, {}].flatMap((value) => [{ beforeStep: value }, { afterStep: value }]),
      ],
    },
    forceField: {
      good: () => () => {},
      bad: [...nonsense.filter((value) => typeof value !== 'function'), { apply: 1 }, { apply: null }],
    },
    observerOptions: {
      good: (live) => ({ body: live.body, position: vector }),
      bad: [
        ...badOptions,
        { body: 1 },
        { body: {} },
        { position: [1, 2] },
        { position: [0, 0, NaN] },
        { position: [1e31, 0, 0] },
        { rotation: [0, 0, 0, 2] },
        { rotation: null },
        { position: null },
      ],
    },
    viewpoint: { good: (live) => live.body, bad: nonsenseBut(null, undefined) },
    dragOptions: { good: () => ({ area: 1 }), bad: [...badOptions, ...badAmounts('area', 'density')] },
    windOptions: {
      good: () => ({ velocity: vector, area: 1 }),
      bad: [
        ...badOptions,
        undefined,
        plainObject,
        ...spoil({ velocity: vector }, [...badAmounts('linear', 'angular'), { flow: vector }]),
        ...badVectors(3, vector)
          .filter((value) => typeof value !== 'function')
          .map((velocity) => ({ velocity })),
      ],
    },
    buoyancyOptions: {
      good: () => ({ level: 1 }),
      bad: [
        ...badOptions,
        ...badAmounts('density', 'gravity', 'damping'),
        { up: [0, 0, 0] },
        { up: [1, 0] },
        { level: NaN },
        { level: '0' },
      ],
    },
    gravityFieldOptions: {
      good: () => ({ acceleration: () => {} }),
      bad: [...badOptions, undefined, plainObject, { acceleration: vector }, { acceleration: null }],
    },
    outputObject: {
      good: () => undefined,
      bad: [
        ...nonsenseBut(undefined, plainObject, nonsense[10], nonsense[11]),
        4,
        new Float64Array(3),
        Object.freeze({}),
      ],
    },
    body: { good: (live) => live.body, bad: nonsense },
    part: { good: (live) => live.parts[0], bad: nonsense },
    otherMergedBody: { good: (live) => live.others.mergedBody, bad: nonsense },
    mergedBodyOptions: {
      good: () => ({}),
      bad: [
        ...badOptions,
        { bodies: 1 },
        { bodies: [1] },
        { bodies: [null] },
        { edges: [{}] },
        { edges: [{ kind: 'contactGenerator' }] },
        { active: 1 },
      ],
    },
    mergeEdgeOptions: {
      good: (live) => ({ body1: live.parts[0], body2: live.parts[2] }),
      bad: [
        ...badOptions,
        {},
        { kind: 'constraint' },
        { kind: 'geometryContact', geometry1: null, geometry2: null },
        { kind: 'toString' },
        { body1: {}, body2: null },
      ],
    },
    geometry: { good: (live) => live.geometry, bad: nonsense },
    material: { good: (live) => live.material, bad: nonsenseBut(null) },
  };
})();

export const classOf = {
  field: Shape,
  world: World,
  scene: Scene,
  body: Body,
  geometry: Geometry,
  shape: Shape,
  material: Material,
  constraint: Constraint,
  mergedBody: MergedBody,
};
/**
 * Whether an error's text names the argument, and says what is allowed, or, where that goes without
 * saying, what is wrong.
 */
function namesItAll({ code, argument, reason }) {
  if (['STALE_HANDLE', 'FILE', 'NOT_SUPPORTED_YET', 'SNAPSHOT'].includes(code)) return reason.length > 0;
  const last = argument.split('.').at(-1).replace(/\[.*/, '');
  const names = argument.startsWith('/') || reason.includes(last) || reason.includes(argument.split('/')[1]);
  return (
    names && /allowed|must|can only|is missing|needs|has no|is no|there is|but|\bgive[ns]?\b/.test(reason)
  );
}

/** Words of the engine, its handles and its compiler, which nobody has to know who writes JavaScript. */
const engineWords = /\bcn[A-Z]|cnw_|\bCN_|\b0x[0-9a-f]{4,}|\bdef\b|Emscripten|\bAborted\b|\bwasm\b|\bnan\b/;

/** What an error calls the things that have other names here. */
const callNames = {
  listener: 'contactListener',

  cursor: 'contact',
  reader: 'contactReader',
  field: 'shape',
};
for (const name of ['ball', 'cylindrical']) callNames[name] = 'constraint';

/** Whether an error names the method that was called, or the property that was set. */
function namesCall({ call }, owner, method) {
  const name = method.replace(/^set:/, '');
  if (owner === 'fields') return call === name;
  return call === `${callNames[owner] ?? owner}.${name}`;
}

/**
 * Does what must be refused; a complaint where it is taken, or refused badly.
 * @param {() => unknown} task
 * @param {{ owner: string, method: string }} [place] what is called, for what the error calls it
 */
export function misuse(task, place) {
  try {
    const result = task();
    return { complaint: `was taken and gave ${String(result)}` };
  } catch (error) {
    if (!(error instanceof CairnError)) return { complaint: /** @type {Error} */ (error).stack };
    const isWhole = error.call && typeof error.argument === 'string' && error.message.startsWith(error.call);
    const told = `${error.code}, ${error.argument}: ${error.message}`;
    if (!isWhole || !namesItAll(error)) return { complaint: `is told badly: ${told}` };
    if (engineWords.test(told)) return { complaint: `is told in words of the engine: ${told}` };
    if (place && !namesCall(error, place.owner, place.method))
      return { complaint: `names another call: ${told}` };
    return { code: error.code };
  }
}

/** A call of a method, or the setting of a property. */
export function use(target, method, values) {
  // through the prototype: an object that nobody made has the methods too
  return method.startsWith('set:') ? (target[method.slice(4)] = values[0]) : target[method](...values);
}

const handleKinds = ['body', 'geometry', 'material', 'shape', 'contactMaterial'];

/** Methods that the package alone calls. */
const own = new Set(['constructor', ...Object.values(ownMethods).flat()]);

/** Methods and properties that can only be read, of an object's classes. */
function membersOf(object) {
  const found = { methods: [], readOnly: [] };
  for (
    let made = Object.getPrototypeOf(object);
    made !== Object.prototype;
    made = Object.getPrototypeOf(made)
  ) {
    for (const [name, { value, set }] of Object.entries(Object.getOwnPropertyDescriptors(made))) {
      if (typeof value === 'function' && !own.has(name)) found.methods.push(name);
      if (set?.name === 'refuse') found.readOnly.push(name);
    }
  }
  return found;
}

/** Names that nothing here has. */
const unknownProperties = ['colour', 'x', 'velocty', 'onn', '__owner', 'setVelocity2', 'id', 'then', '0'];

/** Something that is a mistake wherever it stands. */
const anything = [0, 1 / 60, '1', null, undefined, NaN, true, [1, 2, 3], {}, () => 1, Symbol('s'), 1n];

/**
 * Makes misuses of a cast, one after the other.
 * @param {ReturnType<typeof makeCast>} cast @param {() => number} random
 * @returns {() => { name: string, task: () => unknown, place: { owner: string, method: string } }}
 */
export function makeMisuses({ live, stale, foreign, otherWorld }, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const strict = Object.keys(live).filter((owner) => !['fields', 'parts', 'others'].includes(owner));

  /** An argument spoilt, or the object that a method is called on. */
  const spoil = () => {
    const [owner, method, parameters] = pick(methods);
    let target = live[owner];
    let isMade = true;
    const values = parameters.map((kind) => kinds[kind].good(live));
    let what;
    const way = random();
    if (way < 0.2 && owner in stale) {
      target = stale[owner];
      what = 'on a stale object';
    } else if (way < 0.25 && owner in classOf) {
      target = Object.create(classOf[owner].prototype);
      isMade = false;
      what = 'on an object that nobody made';
    } else if (way < 0.45 && parameters.some((kind) => handleKinds.includes(kind))) {
      const i = parameters.findIndex((kind) => handleKinds.includes(kind));
      const kind = parameters[i];
      const others = handleKinds.filter(
        (item) => item !== kind && !(method === 'createContactReader' && item === 'geometry'),
      );
      const choice = pick(['stale', 'foreign', 'wrong kind', 'world']);
      values[i] =
        choice === 'stale'
          ? stale[kind]
          : choice === 'foreign'
            ? foreign[kind]
            : choice === 'world'
              ? pick([live.world, otherWorld, stale.world])
              : live[pick(others)];
      what = `with a ${choice} ${kind}`;
    } else {
      const i = Math.floor(random() * parameters.length);
      const choice = Math.floor(random() * kinds[parameters[i]].bad.length);
      values[i] = kinds[parameters[i]].bad[choice];
      what = `with bad ${parameters[i]} number ${choice} as argument ${i}`;
    }
    return { owner, method, what, isMade, task: () => use(target, method, values) };
  };

  /** More arguments than any method takes, of which the first may be right. */
  const overfill = () => {
    const owner = pick(strict);
    const { methods: list } = membersOf(live[owner]);
    if (list.length === 0) return spoil();
    const method = pick(list);
    const [, , parameters = []] = methods.find((row) => row[0] === owner && row[1] === method) ?? [];
    const values = parameters.map((kind) => kinds[kind].good(live));
    while (values.length < 6 + Math.floor(3 * random())) values.push(pick(anything));
    return {
      owner,
      method,
      what: `with ${values.length} arguments`,
      task: () => use(live[owner], method, values),
    };
  };

  /** A property that is none, or can only be read. */
  const setUnknown = () => {
    const owner = pick(strict);
    const { readOnly } = membersOf(live[owner]);
    const method = `set:${random() < 0.5 && readOnly.length > 0 ? pick(readOnly) : pick(unknownProperties)}`;
    const value = pick(anything);
    return { owner, method, what: 'which is none to set', task: () => use(live[owner], method, [value]) };
  };

  return () => {
    const way = random();
    const {
      owner,
      method,
      what,
      task,
      isMade = true,
    } = way < 0.75 ? spoil() : way < 0.88 ? overfill() : setUnknown();
    return { name: `${owner}.${method} ${what}`, task, place: isMade ? { owner, method } : undefined };
  };
}

/**
 * Does many misuses: each an error in the words of JavaScript, and the world unharmed.
 * @param {import('../../web/objects/cairn.js').Cairn} module @param {number} count
 */
export function runMisuses(module, count) {
  const cast = makeCast(module);
  assert.ok(cast.live.cursor.next()); // its members need a contact
  const { live, otherWorld } = cast;
  const makeNext = makeMisuses(cast, makeRandom(seed));
  const hashes = () => [live.world.hash(), live.scene.world.hash(), otherWorld.hash()];
  const counters = () => JSON.stringify({ ...live.world.getCounters(), bytes: 0 });
  const before = hashes();
  const countersBefore = counters();
  const codes = new Set();
  for (let i = 0; i < count; ++i) {
    const { name, task, place } = makeNext();
    const { complaint, code } = misuse(task, place);
    assert.equal(complaint, undefined, `misuse ${i}, ${name}`);
    codes.add(code);
  }
  assert.ok(codes.size >= 9, [...codes].join(' '));
  assert.deepEqual(hashes(), before);
  assert.equal(counters(), countersBefore);

  // still usable, and just as a world that saw none of this
  const twin = makeCast(live.cairn);
  live.world.steps(30);
  twin.live.world.steps(30);
  assert.equal(live.world.hash(), twin.live.world.hash());
  live.scene.steps(5);
  for (const item of [cast, twin]) {
    item.live.world.dispose();
    item.live.scene.dispose();
    item.otherWorld.dispose();
  }
}
