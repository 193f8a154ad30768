// Geometries, shapes, materials and contact materials.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, near, refuses } from './helpers.mjs';

async function withWorld(task) {
  const world = (await getCairn()).createWorld();
  try {
    task(world);
  } finally {
    world.dispose();
  }
}

test('shape descriptions of every type', () =>
  withWorld((world) => {
    const cube = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => [x, y, z])));
    const descriptions = [
      { type: 'sphere', radius: 1 },
      { type: 'box', halfExtents: [1, 2, 3] },
      { type: 'capsule', radius: 1, height: 2 },
      { type: 'plane', normal: [0, 0, 2], offset: 1 },
      { type: 'convex', points: cube },
      { type: 'convex', points: cube.flat() },
      { type: 'convex', points: new Float32Array(cube.flat()) },
    ];
    for (const shape of descriptions) assert.ok(world.createGeometry({ shape }).isValid);
    const { columns } = world;
    assert.equal(columns.shapes.rows, descriptions.length);
    near(columns.shapes.volume.slice(4, 7), [1, 1, 1], 1e-9);

    const surface = world.getShapeSurface(4);
    assert.equal(surface.vertices.length, 24);
    assert.equal(surface.triangles.length, 36);
    assert.equal(world.getShapeSurface(0).vertices.length, 0);
    refuses(() => world.getShapeSurface(100), { code: 'OUT_OF_RANGE' });
    refuses(() => world.getShapeSurface('0'), { code: 'WRONG_TYPE' });
  }));

test('what is wrong with a description is said', () =>
  withWorld((world) => {
    const cases = [
      [{ type: 'ball', radius: 1 }, 'WRONG_TYPE', /type/],
      [{ type: 'noShape' }, 'WRONG_TYPE', /type/],
      [{ radius: 1 }, 'WRONG_TYPE', /type/],
      [{ type: 'sphere' }, 'WRONG_TYPE', /radius/],
      [{ type: 'sphere', radius: 0 }, 'OUT_OF_RANGE', /radius/],
      [{ type: 'sphere', radius: -1 }, 'OUT_OF_RANGE', /radius/],
      [{ type: 'sphere', radius: '1' }, 'WRONG_TYPE', /radius/],
      [{ type: 'sphere', radius: Infinity }, 'NOT_FINITE', /radius/],
      [{ type: 'sphere', radius: 1, height: 1 }, 'UNKNOWN_NAME', /height/],
      [{ type: 'box', halfExtents: [1, 1] }, 'WRONG_TYPE', /halfExtents/],
      [{ type: 'box', halfExtents: [1, 1, -1] }, 'OUT_OF_RANGE', /halfExtents/],
      [{ type: 'box', halfExtents: new BigInt64Array([1n, 1n, 1n]) }, 'WRONG_TYPE', /halfExtents/],
      [{ type: 'plane', normal: [0, 0, 0] }, 'OUT_OF_RANGE', /normal/],
      [{ type: 'convex', points: [] }, /./, /points/],
      [{ type: 'convex', points: [1, 2, 3, 4] }, 'WRONG_TYPE', /points/],
      [
        {
          type: 'convex',
          points: [
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
            [1, 1, 0],
          ],
        },
        'DEGENERATE_SHAPE',
        /points/,
      ],
      [
        {
          type: 'convex',
          points: [
            [0, 0, 0],
            [1, 0],
          ],
        },
        'WRONG_TYPE',
        /points\[1\]/,
      ],
    ];
    for (const [shape, code, argument] of cases) {
      refuses(() => world.createShape(shape), { code, argument });
      refuses(() => world.createGeometry({ shape }), { code, argument });
    }
    assert.equal(world.getCounters().shapes, 0);
  }));

test('a shape is shared and lives until its last geometry is gone', () =>
  withWorld((world) => {
    const shape = world.createShape({ type: 'box', halfExtents: [1, 1, 1] });
    const geometries = [1, 2, 3].map((x) => world.createGeometry({ shape, position: [x, 0, 0] }));
    assert.equal(world.getCounters().shapes, 1);
    shape.release();
    assert.equal(shape.isValid, false);
    refuses(() => world.createGeometry({ shape }), { code: 'STALE_HANDLE' });
    refuses(() => shape.release(), { code: 'STALE_HANDLE' });
    assert.equal(world.getCounters().shapes, 1);
    geometries.forEach((geometry) => geometry.destroy());
    assert.equal(world.getCounters().shapes, 0);
  }));

test('a disabled geometry touches nothing and is found by nothing, and its body weighs what it did', () =>
  withWorld((world) => {
    const body = world.createBody({
      position: [0, 0, 0.95],
      geometries: [{ shape: { type: 'sphere', radius: 1 } }],
    });
    world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
    const [geometry] = body.geometries();
    const hit = () => world.castRay([0, 0, 9], [0, 0, -8.5])?.geometry ?? null;
    const { mass } = body;
    world.step();
    assert.deepEqual([hit(), world.contacts().next()], [geometry, true]);
    geometry.enabled = false;
    body.updateMassProperties();
    world.step();
    assert.deepEqual([hit(), body.mass], [null, mass]);
    for (const contacts = world.contacts(); contacts.next();) assert.equal(contacts.state, 'separation');
    world.step();
    assert.equal(world.contacts().next(), false);
  }));

test('a geometry of several shapes, its pose, flags and groups', () =>
  withWorld((world) => {
    const body = world.createBody();
    const geometry = world.createGeometry({
      body,
      shapes: [
        { shape: { type: 'sphere', radius: 1 }, position: [0, 0, 2] },
        { shape: { type: 'sphere', radius: 1 }, position: [0, 0, -2], rotation: [0, 1, 0, 0] },
      ],
      position: [5, 0, 0],
      groups: [1, 2],
      collisions: false,
    });
    near(body.getLocalCentreOfMass(), [5, 0, 0], 1e-12);
    assert.equal(world.getCounters().proxies, 2);
    assert.deepEqual([geometry.enabled, geometry.collisions, geometry.massProperties], [true, false, true]);
    geometry.collisions = true;
    geometry.enabled = false;
    geometry.massProperties = false;
    assert.deepEqual([geometry.enabled, geometry.collisions, geometry.massProperties], [false, true, false]);
    geometry.enabled = true;
    geometry.massProperties = true;
    geometry.setPose([0, 0, 1], [0, 0, 0, 1]);
    near(body.getLocalCentreOfMass(), [0, 0, 1], 1e-12);
    assert.equal(geometry.body, body);
    assert.equal(world.createGeometry({ shape: { type: 'sphere', radius: 1 } }).body, null);
    assert.equal([...world.geometries()].length, 2);
    geometry.destroy();
    refuses(() => geometry.setPose([0, 0, 0], [0, 0, 0, 1]), { code: 'STALE_HANDLE', argument: 'geometry' });
    refuses(() => (geometry.enabled = true), { code: 'STALE_HANDLE' });
  }));

test('what is wrong with a geometry is said, and nothing is left', () =>
  withWorld((world) => {
    const shape = { type: 'sphere', radius: 1 };
    const other = world.cairn.createWorld();
    const cases = [
      [undefined, 'WRONG_TYPE', 'options'],
      [{}, 'WRONG_TYPE', 'options.shape'],
      [{ shapes: [] }, 'WRONG_TYPE', 'options.shapes'],
      [{ shape, shapes: [{ shape }] }, 'WRONG_TYPE', 'options.shapes'],
      [{ shapes: [{ shape, scale: 2 }] }, 'UNKNOWN_NAME', 'options.shapes[0].scale'],
      [{ shapes: [shape] }, 'UNKNOWN_NAME', /options.shapes\[0\]/],
      [{ shapes: [{ shape, position: [0, 0] }] }, 'WRONG_TYPE', 'options.shapes[0].position'],
      [{ shape, position: [NaN, 0, 0] }, 'NOT_FINITE', 'options.position[0]'],
      [{ shape, rotation: [0, 0, 0, 2] }, 'OUT_OF_RANGE', /rotation/],
      [{ shape, mass: 3 }, 'UNKNOWN_NAME', 'options.mass'],
      [{ shape, body: {} }, 'WRONG_TYPE', 'options.body'],
      [{ shape, body: other.createBody() }, 'STALE_HANDLE', 'options.body'],
      [{ shape, material: world.createBody() }, 'WRONG_TYPE', 'options.material'],
      [{ shape: world.createBody() }, 'WRONG_TYPE', 'options.shape'],
      [{ shape: other.createShape(shape) }, 'STALE_HANDLE', /shape/],
      [{ shape, enabled: 1 }, 'WRONG_TYPE', 'options.enabled'],
      [{ shape, groups: 1 }, 'WRONG_TYPE', 'options.groups'],
      [{ shape, groups: [-1] }, 'OUT_OF_RANGE', 'options.groups[0]'],
      [{ shape, groups: Array.from({ length: 17 }, (_, i) => i) }, /./, /./],
    ];
    for (const [options, code, argument] of cases) {
      refuses(() => world.createGeometry(options), { code, argument });
      assert.equal(world.getCounters().geometries, 0);
      assert.equal(world.getCounters().shapes, 0);
    }
    other.dispose();
  }));

test('materials: library, overrides, masses that follow on request', () =>
  withWorld((world) => {
    const steel = world.createMaterial({ library: 'steel' });
    const light = world.createMaterial({ density: 10, roughness: 0.04 });
    assert.ok(steel.get().density > 7000);
    const values = light.get();
    assert.equal(values.density, 10);
    assert.equal(values.contactReduction, true);
    assert.equal(light.get(values), values);

    const body = world.createBody();
    const geometry = body.createGeometry({
      shape: { type: 'box', halfExtents: [0.5, 0.5, 0.5] },
      material: light,
    });
    near(body.mass, 10, 1e-12);
    assert.equal(geometry.material, light);
    light.set({ density: 20 });
    near(body.mass, 10, 1e-12);
    body.updateMassProperties();
    near(body.mass, 20, 1e-12);
    geometry.material = steel;
    assert.equal(geometry.material, steel);
    near(body.mass, steel.get().density, 1e-9);
    geometry.material = null;
    assert.equal(geometry.material, null);
    near(body.mass, 1000, 1e-9);

    geometry.material = light;
    refuses(() => light.destroy(), { code: 'IN_USE', call: 'material.destroy' });
    geometry.material = null;
    light.destroy();
    refuses(() => light.get(), { code: 'STALE_HANDLE' });
    refuses(() => (geometry.material = light), { code: 'STALE_HANDLE' });
    refuses(() => world.createMaterial({ library: 'unobtainium' }), {
      code: 'UNKNOWN_NAME',
      argument: /library/,
    });
    refuses(() => world.createMaterial({ library: 5 }), { code: 'WRONG_TYPE', argument: 'options.library' });
    refuses(() => world.createMaterial({ density: -1 }), { code: 'OUT_OF_RANGE', argument: /density/ });
    refuses(() => world.createMaterial({ minRestLength: 0.1 }), {
      code: 'WRONG_TYPE',
      argument: 'options.maxRestLength',
    });
    refuses(() => steel.set({ given: 3 }), { code: 'UNKNOWN_NAME' });
    refuses(() => steel.set(steel), { code: 'WRONG_TYPE' });
  }));

test('materials: names are unique in a world, wires are kept', () =>
  withWorld((world) => {
    const rail = world.createMaterial({ name: 'rail', library: 'steel', wire: { stretchModulus: 2e11 } });
    const plain = world.createMaterial();
    assert.equal(rail.name, 'rail');
    assert.equal(plain.name, undefined);
    assert.equal(world.findMaterial('rail'), rail);
    assert.deepEqual(rail.get().wire, {
      stretchModulus: 2e11,
      bendModulus: 0,
      stretchDamping: 0,
      bendDamping: 0,
    });
    refuses(() => world.createMaterial({ name: 'rail' }), { code: 'NAME_TAKEN', argument: 'name' });
    refuses(() => plain.set({ name: 'rail' }), { code: 'NAME_TAKEN', argument: 'name' });
    refuses(() => world.createMaterial({ name: '' }), { code: 'OUT_OF_RANGE', argument: 'name' });
    refuses(() => world.createMaterial({ name: 'ü'.repeat(32) }), { code: 'OUT_OF_RANGE', argument: 'name' });
    refuses(() => world.createMaterial({ name: 7 }), { code: 'WRONG_TYPE', argument: 'options.name' });
    refuses(() => plain.set({ wire: { bendModulus: -1 } }), { argument: 'wire.bendModulus' });
    refuses(() => world.findMaterial('wheel'), { code: 'UNKNOWN_NAME', argument: 'name' });
    refuses(() => world.findMaterial(3), { code: 'WRONG_TYPE', argument: 'name' });
    plain.set(plain.get());
    assert.equal(plain.get().frictionModel, 'neutral');
    plain.set({ frictionModel: 'none' });
    assert.equal(world.getPairProperties(plain, rail).frictionModel.type, 'none');
    refuses(() => plain.set({ frictionModel: 'constantNormalForce' }), {
      code: 'OUT_OF_RANGE',
      argument: 'options.frictionModel',
    });
    plain.set({ name: 'Größe' });
    assert.equal(world.findMaterial('Größe').name, 'Größe');
    rail.destroy();
    world.createMaterial({ name: 'rail' });
  }));

test('contact materials: pairs, overrides, names taken', () =>
  withWorld((world) => {
    const a = world.createMaterial({ roughness: 0.25 });
    const b = world.createMaterial({ roughness: 0.16 });
    near(world.getPairProperties(a, b).friction, [0.2, 0.2], 1e-12);
    const pair = world.createContactMaterial({ materials: [a, b], friction: 0.7, restitution: 0.1 });
    near(world.getPairProperties(b, a).friction, [0.7, 0.7], 1e-12);
    pair.set({ friction: [0.3, 0.3] });
    const properties = world.getPairProperties(a, b);
    near(properties.friction, [0.3, 0.3], 1e-12);
    near(properties.restitution, 0.1, 1e-12);
    refuses(() => world.createContactMaterial({ materials: [b, a] }), { code: 'NAME_TAKEN' });
    refuses(() => world.createContactMaterial({ materials: [a] }), {
      code: 'WRONG_TYPE',
      argument: 'options.materials',
    });
    refuses(() => world.createContactMaterial({}), { argument: 'options.materials' });
    refuses(() => pair.set({ friction: [1, 2, 3] }), { argument: 'options.friction' });
    refuses(() => pair.set({ restitution: 2 }), { code: 'OUT_OF_RANGE' });
    refuses(() => pair.set({ frictionModel: 'sticky' }), {
      code: 'OUT_OF_RANGE',
      argument: 'options.frictionModel.type',
    });
    refuses(() => pair.set(null), { code: 'WRONG_TYPE', argument: 'options' });
    assert.equal(world.contactMaterialAt(pair.index), pair);
    pair.destroy();
    assert.equal(pair.isValid, false);
    near(world.getPairProperties(a, b).friction, [0.2, 0.2], 1e-12);
    near(world.getPairProperties(null, null).friction, [0.416667, 0.416667], 1e-6);
  }));

test('materials: friction and restitution, of materials and of geometries', () =>
  withWorld((world) => {
    const ball = world.createMaterial({ friction: 0.3, restitution: 0.8 });
    near([ball.get().roughness, ball.get().viscosity], [0.3, 0.2], 1e-15);
    assert.equal(ball.get().friction, undefined);
    near(world.getPairProperties(ball, ball).restitution, 0.8, 1e-15);
    refuses(() => world.createMaterial({ friction: 0.3, roughness: 0.3 }), {
      code: 'OUT_OF_RANGE',
      argument: 'friction',
    });
    refuses(() => ball.set({ restitution: 0.3, viscosity: 0.7 }), { argument: 'restitution' });
    refuses(() => ball.set({ restitution: 1.3 }), { argument: 'restitution' });

    // geometries of the same values share a material, which ends with the last
    const shape = { type: 'sphere', radius: 0.5 };
    const materials = world.getCounters().materials;
    const body = world.createBody({ geometries: [{ shape, friction: 0.2, restitution: 1 }] });
    const [first] = body.geometries();
    const second = world.createGeometry({ shape, friction: 0.2, restitution: 1 });
    const third = world.createGeometry({ shape, friction: 0.2 });
    const shared = first.material;
    assert.equal(second.material, shared);
    assert.notEqual(third.material, shared);
    assert.equal(world.getCounters().materials, materials + 2);
    near(world.getPairProperties(shared, shared).friction, [0.2, 0.2], 1e-15);
    near(world.getPairProperties(shared, shared).restitution, 1, 0);
    near(third.material.get().viscosity, 0.5, 0);
    body.destroy();
    assert.equal(shared.isValid, true);
    second.material = ball;
    assert.equal(shared.isValid, false);
    refuses(() => shared.get(), { code: 'STALE_HANDLE' });
    third.destroy();
    assert.equal(world.getCounters().materials, materials);

    refuses(() => world.createGeometry({ shape, friction: 0.2, material: ball }), {
      code: 'OUT_OF_RANGE',
      argument: 'options.friction',
    });
    refuses(() => world.createGeometry({ shape, restitution: '1' }), { argument: 'options.restitution' });
    refuses(() => world.createBody({ geometries: [{ shape, friction: -1 }] }), { code: 'OUT_OF_RANGE' });
    assert.equal(world.getCounters().materials, materials);
  }));

test('contact materials: the default material, reading, origins', () =>
  withWorld((world) => {
    const steel = world.createMaterial({ library: 'steel', roughness: 0.5 });
    const wood = world.createMaterial({ library: 'wood' });
    const { origins } = world.getPairProperties(steel, wood);
    assert.equal(origins.friction, 'implicit');
    assert.equal(origins.restitution, 'library');
    assert.equal(origins.contactReduction, 'implicit');
    assert.equal(world.getPairProperties(steel, null).origins.restitution, 'implicit');

    const pair = world.createContactMaterial({ materials: [wood, null], friction: 0.125, restitution: 1 });
    const values = world.getPairProperties(null, wood);
    near(values.friction, [0.125, 0.125], 0);
    assert.ok(Object.values(values.origins).every((origin) => origin === 'explicit'));
    assert.deepEqual(Object.keys(values.origins).length, 14);
    assert.deepEqual(pair.materials, [wood, null]);
    assert.deepEqual({ ...pair.get(), origins: values.origins }, values);
    assert.equal(pair.get(values), values);
    const { friction } = values;
    assert.equal(world.getPairProperties(null, wood, values), values);
    assert.equal(values.friction, friction);

    // what is read can be given
    pair.set(pair.get());
    world.createContactMaterial({ materials: [null, null], ...values, restitution: 0.25 });
    near(world.getPairProperties(null, null).restitution, 0.25, 0);
    near(world.getPairProperties(null, null).friction, [0.125, 0.125], 0);
    refuses(() => world.createContactMaterial({ materials: [null, wood] }), { code: 'NAME_TAKEN' });
    refuses(() => world.createContactMaterial({ materials: [undefined, wood] }), {
      code: 'WRONG_TYPE',
      argument: 'options.materials[0]',
    });
    pair.destroy();
    refuses(() => pair.get(), { code: 'STALE_HANDLE' });
    refuses(() => pair.materials, { code: 'STALE_HANDLE' });
  }));

test('points of surfaces: signed distances of shapes and of geometries', async () => {
  const cairn = await getCairn();
  const box = { type: 'box', halfExtents: [1, 2, 3] };
  const found = cairn.findSurfacePoint(box, { position: [1, 0, 0] }, [1.5, 1.9, 0]);
  near([found.distance], [-0.1], 1e-12);
  near(found.point, [1.5, 2, 0], 1e-12);
  near(found.normal, [0, 1, 0], 1e-12);
  const world = cairn.createWorld();
  const body = world.createBody({
    position: [0, 0, 5],
    geometries: [
      {
        shapes: [
          { shape: { type: 'box', halfExtents: [1, 1, 1] }, position: [-1, 0, 0] },
          { shape: { type: 'box', halfExtents: [1, 1, 1] }, position: [1, 0, 0] },
        ],
      },
    ],
  });
  const [geometry] = body.geometries();
  const out = { point: new Float64Array(3), normal: new Float64Array(3) };
  assert.equal(geometry.findSurfacePoint([0.1, 0, 5.75], out), out);
  near([out.distance, ...out.point, ...out.normal], [-0.25, 0.1, 0, 6, 0, 0, 1], 1e-9);
  // the face between the two is no surface
  near([geometry.findSurfacePoint([0.01, 0, 5]).distance], [-1], 1e-6);
  refuses(() => geometry.findSurfacePoint([0, 0, Infinity]), { code: 'NOT_FINITE' });
  refuses(() => cairn.findSurfacePoint(box, {}, [0, 0]), { argument: 'point' });
  body.destroy();
  refuses(() => geometry.findSurfacePoint([0, 0, 0]), { code: 'STALE_HANDLE' });
  world.dispose();
});

test('contact materials: friction models are words or objects', () =>
  withWorld((world) => {
    const a = world.createMaterial();
    const pair = world.createContactMaterial({ materials: [a, a], frictionModel: 'none' });
    assert.equal(world.getPairProperties(a, a).frictionModel.type, 'none');
    pair.set({ frictionModel: { exactCone: true, force: [1, 2], solve: 'iterative' } });
    const { frictionModel } = world.getPairProperties(a, a);
    assert.deepEqual(frictionModel, {
      type: 'cone',
      solve: 'iterative',
      exactCone: true,
      frame: null,
      primary: [0, 0, 0],
      force: [1, 2],
      acceleration: [0, 0],
      normalForce: 0,
      depthScaled: false,
    });

    // what is read can be given, and replaces all of the model
    pair.set({ frictionModel: { ...frictionModel, force: 3 } });
    assert.deepEqual(world.getPairProperties(a, a).frictionModel.force, [3, 3]);
    pair.set({ frictionModel: 'cone' });
    assert.equal(world.getPairProperties(a, a).frictionModel.force, undefined);
    assert.equal(world.getPairProperties(a, a).frictionModel.exactCone, false);
    pair.set({ contactArea: { minRestLength: 0.01 } });
    assert.deepEqual(world.getPairProperties(a, a).contactArea, {
      enabled: false,
      minRestLength: 0.01,
      maxRestLength: 0.1,
    });

    const body = world.createBody({ mass: 1 });
    const bad = (model, code, argument) =>
      refuses(() => pair.set({ frictionModel: model }), { code, argument });
    bad(5, 'WRONG_TYPE', 'options.frictionModel');
    bad('neutral', 'OUT_OF_RANGE', 'options.frictionModel.type');
    bad(null, 'WRONG_TYPE', 'options.frictionModel');
    bad({ sort: 'box' }, 'UNKNOWN_NAME', 'options.frictionModel.sort');
    bad('boxProportionalLow', 'WRONG_TYPE', 'options.frictionModel.acceleration');
    bad({ type: 'constantNormalForce' }, 'WRONG_TYPE', 'options.frictionModel.normalForce');
    bad({ type: 'box', force: [1, -1] }, 'OUT_OF_RANGE', 'frictionModel.force');
    bad({ type: 'box', force: [1, 2, 3] }, 'WRONG_TYPE', 'options.frictionModel.force');
    bad({ frame: body }, 'OUT_OF_RANGE', 'frictionModel.primary');
    bad({ frame: a, primary: [1, 0, 0] }, 'WRONG_TYPE', 'options.frictionModel.frame');
    body.destroy();
    bad({ frame: body, primary: [1, 0, 0] }, 'STALE_HANDLE', 'options.frictionModel.frame');
    refuses(() => pair.set({ contactArea: { maxRestLength: 1e-4 } }), {
      code: 'OUT_OF_RANGE',
      argument: 'contactArea.maxRestLength',
    });
    assert.equal(world.getPairProperties(a, a).frictionModel.type, 'cone');
  }));
