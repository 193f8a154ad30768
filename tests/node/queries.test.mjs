// Queries through the JavaScript interface: lists, filters, batches, and what misuse says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from '../../web/index.node.js';

/** @type {import('../../web/objects/cairn.js').Cairn} */
let cairn;
/** @type {import('../../web/objects/world.js').World} */
let world;
const boxes = [];

before(async () => {
  cairn = await load({ threads: 1 });
  world = cairn.createWorld();
  for (let i = 0; i < 40; ++i) {
    const shape = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };
    boxes.push(world.createGeometry({ shape, position: [2 * i, 0, 0], groups: [i % 2] }));
  }
});

after(() => world.dispose());

test('all hits come nearest first, as many as there are', () => {
  const hits = world.castRayAll([-5, 0, 0], [200, 0, 0]);
  assert.deepEqual(
    hits.map(({ geometry }) => geometry),
    boxes,
  );
  assert.ok(Math.abs(hits[3].fraction - 10.5 / 200) < 1e-12);
  assert.equal(world.castRayAll([-5, 0, 0], [200, 0, 0], { groups: [1] }).length, 20);
  assert.equal(world.castRay([-5, 0, 0], [200, 0, 0], undefined, { groups: [1] })?.geometry, boxes[1]);
  assert.equal(world.testRay([-5, 0, 0], [200, 0, 0], { bodies: 'dynamic' }), false);
  assert.equal(world.testRay([-5, 0, 0], [200, 0, 0], { bodies: 'static', excludeGeometry: boxes[0] }), true);
});

test('a query sees what a geometry may collide with', () => {
  const other = cairn.createWorld();
  const shape = { type: 'box', halfExtents: [0.5, 0.5, 0.5] };
  const [near, far, ghost] = [2, 4, 6].map((x) =>
    other.createGeometry({ shape, position: [x, 0, 0], groups: [`at ${x}`] }),
  );
  ghost.collisions = false;
  const body = other.createBody({
    geometries: [
      { shape, groups: ['mine'] },
      { shape, position: [8, 0, 0] },
    ],
  });
  const [collidesWith] = body.geometries();
  const seen = () => other.castRayAll([-5, 0, 0], [20, 0, 0], { collidesWith }).map((hit) => hit.geometry);
  assert.deepEqual(seen(), [near, far]);
  other.setGroupPairEnabled('mine', 'at 2', false);
  assert.deepEqual(seen(), [far]);
  assert.equal(other.castShape(shape, {}, [20, 0, 0], { collidesWith }).geometry, far);
  other.setGeometryPairEnabled(collidesWith, far, false);
  assert.deepEqual(seen(), []);
  collidesWith.destroy();
  assert.throws(seen, (error) => error.argument === 'filter.collidesWith' && error.code === 'STALE_HANDLE');
  other.dispose();
});

test('a batch tells what single rays tell', () => {
  const count = 500;
  const rays = new Float64Array(6 * count);
  for (let i = 0; i < count; ++i) {
    const [x, y, z] = [i % 79, 3 * Math.sin(i), 3 * Math.cos(5 * i)];
    rays.set([x, y, z, 2 * Math.sin(7 * i), -1.2 * y, -1.2 * z], 6 * i);
  }
  const out = {
    geometries: new Int32Array(count),
    fractions: new Float64Array(count),
    normals: new Float64Array(3 * count),
  };
  assert.equal(world.castRays(rays, out), out);
  let hits = 0;
  for (let i = 0; i < count; ++i) {
    const ray = [...rays.subarray(6 * i, 6 * i + 6)];
    const hit = world.castRay(ray.slice(0, 3), ray.slice(3));
    assert.equal(world.geometryAt(out.geometries[i]), hit?.geometry ?? null);
    assert.equal(out.fractions[i], hit?.fraction ?? 1);
    assert.deepEqual([...out.normals.subarray(3 * i, 3 * i + 3)], hit ? [...hit.normal] : [0, 0, 0]);
    hits += hit ? 1 : 0;
  }
  assert.ok(hits > 5);
});

test('shapes are cast, and made for it where they are described', () => {
  const shapes = world.getCounters().shapes;
  const ball = { type: 'sphere', radius: 0.25 };
  const hit = world.castShape(ball, { position: [-5, 0, 0] }, [20, 0, 0]);
  assert.equal(hit?.geometry, boxes[0]);
  assert.ok(Math.abs(hit.fraction - 4.25 / 20) < 1e-9);
  assert.ok(Math.abs(hit.point[0] + 0.5) < 1e-9 && Math.abs(hit.normal[0] + 1) < 1e-9);
  assert.equal(world.castShape(ball, { position: [-5, 0.76, 0] }, [20, 0, 0]), null);
  assert.equal(world.castShapeAll(ball, { position: [-5, 0, 0] }, [200, 0, 0]).length, 40);
  assert.equal(world.getCounters().shapes, shapes);
});

test('overlaps, closest points and points inside', () => {
  assert.deepEqual(world.testBoundingVolumeOverlap([1, -1, -1], [4, 1, 1]), [boxes[1], boxes[2]]);
  assert.deepEqual(world.findGeometriesAtPoint([2.4, 0, 0]), [boxes[1]]);
  const contacts = world.testGeometryOverlap({
    shapes: [{ shape: { type: 'sphere', radius: 0.5 }, position: [0, 0, 0.9] }],
    position: [4, 0, 0],
  });
  assert.equal(contacts.length, 1);
  assert.equal(contacts[0].geometry, boxes[2]);
  assert.ok(Math.abs(contacts[0].depth - 0.1) < 1e-6 && Math.abs(contacts[0].normal[2] - 1) < 1e-6);
  assert.ok(Math.abs(world.computeClosestPoints(boxes[0], boxes[3]).distance - 5) < 1e-12);

  const plane = { type: 'plane', normal: [0, 0, 1] };
  const cone = { type: 'cone', bottomRadius: 1, topRadius: 0, height: 2 };
  assert.equal(cairn.computeClosestPoints(plane, {}, plane, {}).status, 'unsupported');
  const apart = cairn.computeClosestPoints(cone, { position: [0, 0, 3] }, plane, {});
  assert.equal(apart.status, 'apart');
  assert.ok(Math.abs(apart.distance - 2) < 1e-12);
  assert.equal(cairn.isPointInShape(cone, {}, [0.45, 1, 0]), true);
  assert.equal(cairn.isPointInShape(cone, {}, [0.55, 1, 0]), false);
});

test('misuse names the argument', () => {
  const argument = (name) => (error) => error.argument === name;
  assert.throws(() => world.castRayAll([0, 0, NaN], [1, 0, 0]), argument('origin[2]'));
  assert.throws(
    () => world.castRay([0, 0, 0], [1, 0, 0], undefined, { groups: [-1] }),
    argument('filter.groups[0]'),
  );
  assert.throws(() => world.castRay([0, 0, 0], [1, 0, 0], undefined, { mask: 1 }), argument('filter.mask'));
  assert.throws(
    () => world.castRays(new Float64Array(5), { geometries: new Int32Array(1) }),
    argument('rays'),
  );
  assert.throws(
    () => world.castRays(new Float64Array(12), { geometries: new Int32Array(1) }),
    argument('out.geometries'),
  );
  assert.throws(() => world.castShape({ type: 'ball' }, {}, [1, 0, 0]), argument('shape.type'));
});

test('a fast body does not pass a thin wall', () => {
  const gallery = cairn.createWorld({ gravity: [0, 0, 0] });
  gallery.createGeometry({ shape: { type: 'box', halfExtents: [0.005, 1, 1] } });
  const shape = { type: 'sphere', radius: 0.005 };
  const bullet = gallery.createBody({
    position: [-2, 0, 0],
    velocity: [300, 0, 0],
    fast: true,
    geometries: [{ shape }],
  });
  assert.equal(bullet.fast, true);
  gallery.steps(30);
  assert.ok(bullet.getPosition()[0] < 0);
  gallery.dispose();
});
