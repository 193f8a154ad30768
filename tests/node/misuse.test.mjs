// Ten thousand random misuses give ten thousand CairnErrors, and the world is as it was.
//
// Each misuse takes a method with arguments that are right and spoils one of them, or the object it is called on. What spoils
// depends on what the argument is, so that every single call must be refused. The seed is fixed; CAIRN_SEED sets another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Body,
  CairnError,
  Constraint,
  Geometry,
  Material,
  Scene,
  Shape,
  World,
} from '../../web/index.node.js';
import { flavours, readScene } from './helpers.mjs';

const misuses = 10000;
const seed = Number(process.env.CAIRN_SEED ?? 20250);

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

/** Objects that live, and those that must be refused. */
function makeCast(cairn) {
  const world = cairn.createWorld();
  const sphere = { type: 'sphere', radius: 0.5 };
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const bodies = Array.from({ length: 12 }, (_, i) =>
    world.createBody({ position: [2 * i, 0, 1], geometries: [{ shape: sphere }] }),
  );
  const materials = [world.createMaterial({ library: 'steel' }), world.createMaterial({ density: 500 })];
  const contactMaterial = world.createContactMaterial({
    materials: [materials[0], materials[1]],
    friction: 0.5,
  });
  const shape = world.createShape(sphere);
  const scene = cairn.loadScene(readScene('heavy-top-stack'));
  const constraint = world.createConstraint({ type: 'hinge', bodies: [bodies[0], bodies[1]] });
  world.steps(30);
  const live = {
    cairn,
    world,
    scene,
    shape,
    contactMaterial,
    constraint,
    body: bodies[0],
    geometry: bodies[1].geometries()[0],
    material: materials[0],
    cursor: world.contacts(),
    reader: world.createContactReader(bodies[2]),
    channel: scene.openChannel('world/hash'),
    matrices: world.createMatrices([0, 1]),
    columns: world.columns.bodies,
  };

  // stale: destroyed, with their rows in use again
  const body = world.createBody({ geometries: [{ shape: sphere }] });
  const [geometry] = body.geometries();
  const stale = {
    body,
    geometry,
    shape: world.createShape(sphere),
    material: world.createMaterial(),
    contactMaterial: world.createContactMaterial({ materials: [materials[0], materials[0]] }),
    constraint: world.createConstraint({ type: 'lock', bodies: [bodies[4], null] }),
    matrices: world.createMatrices([0]),
    world: cairn.createWorld(),
    scene: cairn.loadScene(readScene('incline')),
  };
  body.destroy();
  stale.shape.release();
  stale.material.destroy();
  stale.contactMaterial.destroy();
  stale.constraint.destroy();
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
  };
  return { live, stale, foreign, otherWorld };
}

/**
 * Every method: what it is called on, what its arguments are. 'set:name' sets a property.
 * @type {[string, string, string[]][]}
 */
const methods = [
  ['cairn', 'createWorld', ['worldOptions']],
  ['cairn', 'loadScene', ['sceneText']],
  ['cairn', 'list', ['listKind']],
  ['cairn', 'computeMassProperties', ['description', 'positive']],
  ['cairn', 'computeBounds', ['description', 'pose']],
  ['cairn', 'castRayAtShape', ['description', 'pose', 'vector', 'vector']],
  ['world', 'steps', ['count']],
  ['world', 'advance', ['positive']],
  ['world', 'interpolatePoses', ['fraction']],
  ['world', 'set:timeStep', ['positive']],
  ['world', 'setGravity', ['vector']],
  ['world', 'setSolver', ['solver']],
  ['world', 'castRay', ['vector', 'vector']],
  ['world', 'createBody', ['bodyOptions']],
  ['world', 'createGeometry', ['geometryOptions']],
  ['world', 'createShape', ['description']],
  ['world', 'createMaterial', ['materialOptions']],
  ['world', 'createContactMaterial', ['pairOptions']],
  ['world', 'createContactReader', ['body']],
  ['world', 'getMomentum', ['output3']],
  ['world', 'getProfile', ['outputObject']],
  ['world', 'setGroupPairEnabled', ['group', 'group', 'flag']],
  ['world', 'setGeometryPairEnabled', ['geometry', 'geometry', 'flag']],
  ['world', 'bodyAt', ['row']],
  ['world', 'geometryAt', ['row']],
  ['world', 'createMatrices', ['rows']],
  ['world', 'getShapeSurface', ['shapeRow']],
  ['scene', 'steps', ['count']],
  ['scene', 'advance', ['positive']],
  ['scene', 'findBody', ['unknownName']],
  ['scene', 'findGeometry', ['unknownName']],
  ['scene', 'openChannel', ['unknownName']],
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
  ['body', 'set:motion', ['motion']],
  ['body', 'set:enabled', ['flag']],
  ['body', 'set:mass', ['positive']],
  ['body', 'moveTo', ['vector', 'quaternion', 'positive']],
  ['body', 'setInertia', ['inertia']],
  ['body', 'setLocalCentreOfMass', ['vector']],
  ['body', 'setLinearDamping', ['positiveVector']],
  ['body', 'setAngularDamping', ['positiveVector']],
  ['body', 'setMassCoefficients', ['positiveVector']],
  ['body', 'setInertiaCoefficients', ['positiveVector']],
  ['body', 'createGeometry', ['geometryOptions']],
  ['geometry', 'setPose', ['vector', 'quaternion']],
  ['geometry', 'set:enabled', ['flag']],
  ['geometry', 'set:collisions', ['flag']],
  ['geometry', 'set:massProperties', ['flag']],
  ['geometry', 'set:material', ['material']],
  ['geometry', 'addGroup', ['group']],
  ['geometry', 'removeGroup', ['group']],
  ['material', 'set', ['materialOptions']],
  ['material', 'get', ['outputObject']],
  ['contactMaterial', 'set', ['pairProperties']],
  ['world', 'createConstraint', ['constraintOptions']],
  ['world', 'constraintAt', ['row']],
  ['scene', 'findConstraint', ['unknownName']],
  ['constraint', 'set:enabled', ['flag']],
  ['constraint', 'set:breakForce', ['positive']],
  ['constraint', 'set:breakTorque', ['positive']],
  ['constraint', 'setCompliance', ['perDof']],
  ['constraint', 'setDamping', ['perDof']],
  ['constraint', 'setForceRange', ['forceRange']],
  ['constraint', 'setMotor', ['motorOptions']],
  ['constraint', 'setRange', ['rangeOptions']],
  ['constraint', 'getForce', ['output3']],
  ['constraint', 'getTorqueOn', ['body', 'output3']],
  ['constraint', 'getFrame', ['outputObject']],
  ['constraint', 'getCoordinate', ['optionalIndex']],
  ['constraint', 'getDofForce', ['dof']],
  ['reader', 'getForce', ['output3']],
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
const kinds = (() => {
  const badNumbers = [...nonsense, Infinity, -Infinity, [1], '3'];
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
    new Int32Array(length),
    new Uint8Array(length),
    new BigInt64Array(length),
    new DataView(new ArrayBuffer(8 * length)),
    new Float64Array(length + 1),
    new Float32Array(length).fill(NaN),
    { x: 1, y: 2, z: 3, length },
  ];
  const vector = [0.25, 0.5, 1];
  const badOptions = [
    ...nonsenseBut(plainObject, undefined),
    7,
    new Float64Array(3),
    { unknown: 1 },
    { toString: 1 },
  ];
  const sphere = { type: 'sphere', radius: 0.5 };
  const spoil = (good, list) => list.map((change) => ({ ...good, ...change }));
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
    { type: 'plane', normal: [0, 0, 0] },
    { type: 'capsule', radius: 1, height: -1 },
  ];
  const badMaterials = [
    ...badOptions,
    { density: -1 },
    { density: NaN },
    { library: 'no-such-thing' },
    { library: 3 },
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
    { damping: '1' },
  ];
  const badOutput = (length) => [
    ...nonsenseBut(undefined, emptyList),
    4,
    new Float64Array(length - 1),
    new Int32Array(length),
    Object.freeze([]),
  ];
  return {
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
    solver: {
      good: () => 'auto',
      bad: [
        ...nonsenseBut(plainObject),
        'direct',
        'split',
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
        { threads: 99 },
        { bodyCapacity: -1 },
        { gyroscopic: 0 },
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
        { shape: sphere, groups: [0.5] },
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
    listKind: { good: () => 'shapes', bad: [...nonsense, 'bodies', 3, '__proto__'] },
    unknownName: { good: () => 'x', bad: [...nonsense, 'nobody', 'a\0b', 'body/nobody/mass', 7] },
    output3: { good: () => undefined, bad: badOutput(3) },
    output4: { good: () => undefined, bad: badOutput(4) },
    output9: { good: () => undefined, bad: badOutput(9) },
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
    geometry: { good: (live) => live.geometry, bad: nonsense },
    material: { good: (live) => live.material, bad: nonsenseBut(null) },
  };
})();

const classOf = {
  world: World,
  scene: Scene,
  body: Body,
  geometry: Geometry,
  shape: Shape,
  material: Material,
  constraint: Constraint,
};
const handleKinds = ['body', 'geometry', 'material', 'shape', 'contactMaterial'];

for (const [flavour, getModule] of flavours) {
  test(`${misuses} random misuses are refused, and the world is unharmed (${flavour}, seed ${seed})`, async () => {
    const cast = makeCast(await getModule());
    const { live, stale, foreign, otherWorld } = cast;
    const random = makeRandom(seed);
    const pick = (list) => list[Math.floor(random() * list.length)];

    /** A call that must be refused, as [description, task]. */
    const makeMisuse = () => {
      const [owner, method, parameters] = pick(methods);
      let target = live[owner];
      const values = parameters.map((kind) => kinds[kind].good(live));
      let what;
      const way = random();
      if (way < 0.2 && owner in stale) {
        target = stale[owner];
        what = 'on a stale object';
      } else if (way < 0.25 && owner in classOf) {
        target = Object.create(classOf[owner].prototype);
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
      const name = `${owner}.${method} ${what}`;
      if (method.startsWith('set:')) {
        const property = method.slice(4);
        return [name, () => (target[property] = values[0])];
      }
      // through the prototype: an object that nobody made has the methods too
      return [name, () => target[method](...values)];
    };

    const hashes = () => [live.world.hash(), live.scene.world.hash(), otherWorld.hash()];
    const counters = () => JSON.stringify({ ...live.world.getCounters(), bytes: 0 });
    const before = hashes();
    const countersBefore = counters();
    let refused = 0;
    const codes = new Set();
    for (let i = 0; i < misuses; ++i) {
      const [name, task] = makeMisuse();
      let result;
      try {
        result = task();
      } catch (error) {
        assert.ok(error instanceof CairnError, `misuse ${i}, ${name}: ${/** @type {Error} */ (error).stack}`);
        assert.ok(
          error.call && typeof error.argument === 'string' && error.message.startsWith(error.call),
          `misuse ${i}, ${name}: ${error.message}`,
        );
        codes.add(error.code);
        refused += 1;
        continue;
      }
      assert.fail(`misuse ${i}, ${name}, was taken and gave ${String(result)}`);
    }
    assert.equal(refused, misuses);
    assert.ok(codes.size >= 7, [...codes].join(' '));
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
  });
}
