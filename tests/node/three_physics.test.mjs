// Meshes of three.js as bodies: what is drawn falls, rests and weighs as it looks, wherever it hangs in its
// scene.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as three from 'three';
import { createPhysics } from '../../web/three.js';
import { garbageOf, getCairn, near, refuses } from './helpers.mjs';

const { Group, InstancedMesh, Matrix4, Mesh, Quaternion, Scene, Vector3 } = three;
const box = new three.BoxGeometry(1, 1, 1);

/** A scene with a floor whose top is at 0, and its physics. */
async function makeScene(options) {
  const physics = createPhysics(await getCairn(), options);
  const scene = new Scene();
  const floor = new Mesh(new three.BoxGeometry(40, 2, 40));
  floor.position.y = -1;
  scene.add(floor);
  physics.addMesh(floor, { mass: 0, shape: 'box' });
  return { physics, scene, floor };
}

/** @param {import('../../web/three.js').Physics} physics @param {number} seconds */
function run(physics, seconds) {
  for (let i = 0; i < 60 * seconds; ++i) physics.update(1 / 60);
}

/** The lowest drawn point of an object. @param {three.Object3D} object */
function lowestOf(object) {
  object.updateWorldMatrix(true, true);
  return new three.Box3().setFromObject(object, true).min.y;
}

/** A closed mesh that is none of three's own. */
function makeModel() {
  const model = new three.TorusKnotGeometry(0.5, 0.2, 48, 12).toNonIndexed();
  model.deleteAttribute('uv');
  return model;
}

const KINDS = {
  box: new three.BoxGeometry(1, 0.6, 0.8),
  sphere: new three.SphereGeometry(0.5, 32, 16),
  icosahedron: new three.IcosahedronGeometry(0.5, 4),
  cylinder: new three.CylinderGeometry(0.4, 0.4, 1.2, 32),
  prism: new three.CylinderGeometry(0.5, 0.5, 0.5, 6),
  capsule: new three.CapsuleGeometry(0.3, 0.8, 8, 16),
  cone: new three.ConeGeometry(0.5, 1, 32),
  frustum: new three.CylinderGeometry(0.3, 0.5, 0.7, 32),
  dodecahedron: new three.DodecahedronGeometry(0.5),
  model: makeModel(),
};

describe('meshes that fall', () => {
  for (const [name, geometry] of Object.entries(KINDS)) {
    it(`a ${name} comes to rest on what it is drawn with`, async () => {
      const { physics, scene } = await makeScene();
      const mesh = new Mesh(geometry);
      mesh.position.set(0.3, 1.2, -0.2);
      if (name === 'capsule') mesh.rotation.z = Math.PI / 2;
      scene.add(mesh);
      const body = physics.addMesh(mesh, { mass: 2, friction: 0.8, restitution: 0 });
      assert.equal(body.mass, 2);
      run(physics, 8);
      const speed = Math.hypot(...body.getVelocity(), ...body.getAngularVelocity());
      assert.ok(speed < 1e-2, `it moves at ${speed}`);
      // a ball is drawn with flat faces
      const lowest = name === 'icosahedron' ? mesh.position.y - 0.5 : lowestOf(mesh);
      assert.ok(Math.abs(lowest) < 1e-3, `its lowest point is at ${lowest}`);
      physics.dispose();
    });
  }

  it('weigh what they hold', async () => {
    const { physics } = await makeScene();
    const volumes = {
      box: 0.48,
      sphere: (Math.PI / 6) * 1,
      icosahedron: Math.PI / 6,
      cylinder: Math.PI * 0.16 * 1.2,
      prism: (3 * Math.sqrt(3) * 0.25 * 0.5) / 2,
      capsule: Math.PI * 0.09 * (0.8 + 0.4),
      cone: (Math.PI * 0.25) / 3,
      frustum: (Math.PI * 0.7 * (0.09 + 0.25 + 0.15)) / 3,
    };
    for (const [name, volume] of Object.entries(volumes)) {
      const mesh = new Mesh(KINDS[name]);
      mesh.position.y = 5;
      const body = physics.addMesh(mesh, { density: 500 });
      near(body.mass / (500 * volume), 1, 1e-6);
      physics.remove(mesh);
      const heavy = physics.addMesh(mesh, { material: 'steel' });
      assert.ok(heavy.mass / volume > 7000 && heavy.mass / volume < 8500);
      physics.remove(mesh);
    }
    physics.dispose();
  });

  it('are held by planes, terrains and open meshes where these are drawn', async () => {
    const { physics } = await makeScene();
    const terrain = new three.PlaneGeometry(8, 6, 16, 12);
    terrain.rotateX(-Math.PI / 2);
    const position = terrain.getAttribute('position');
    const heightAt = (x, z) => 1 + 0.2 * x + 0.1 * z;
    for (let i = 0; i < position.count; ++i) position.setY(i, heightAt(position.getX(i), position.getZ(i)));
    const sheet = new three.RingGeometry(0.5, 4, 32);
    for (const [geometry, isUpright, x, y] of [
      [new three.PlaneGeometry(6, 6), true, 1, 0],
      [new three.PlaneGeometry(6, 6, 3, 3).rotateX(-Math.PI / 2), false, 1, 0],
      [terrain, false, 1, heightAt(1, -0.5)],
      [sheet, true, 1, 0],
    ]) {
      const ground = new Mesh(geometry);
      ground.position.set(10, 3, 0);
      if (isUpright) ground.rotation.x = -Math.PI / 2;
      const ball = new Mesh(new three.SphereGeometry(0.05));
      ball.position.set(10 + x, 3 + y + 0.2, -0.5);
      physics.addMesh(ground, { mass: 0, friction: 1 });
      const body = physics.addMesh(ball, {
        mass: 1,
        friction: 1,
        restitution: 0,
        body: { angularVelocity: [0, 0, 0] },
      });
      body.setAngularDamping([50, 50, 50]);
      run(physics, 0.5);
      const { x: ballX, z: ballZ } = ball.position;
      const slope = geometry === terrain ? Math.hypot(1, 0.2, 0.1) : 1;
      const ground0 = geometry === terrain ? heightAt(ballX - 10, ballZ) : 0;
      near((ball.position.y - 3 - ground0) / slope, 0.05, 1e-3);
      physics.remove(ground);
      physics.remove(ball);
    }
    physics.dispose();
  });
});

describe('where meshes are', () => {
  it('counts as it is drawn: scales, rotations and groups', async () => {
    const { physics, scene } = await makeScene();
    const room = new Group();
    room.position.set(3, 1, -2);
    room.rotation.y = 0.7;
    room.scale.setScalar(2);
    const shelf = new Group();
    shelf.position.set(0.5, 0, 0);
    shelf.rotation.set(0.1, 0.2, 0.3);
    scene.add(room);
    room.add(shelf);
    const mesh = new Mesh(box);
    mesh.scale.set(0.5, 0.3, 0.4);
    mesh.position.set(0, 1, 0);
    shelf.add(mesh);
    scene.updateMatrixWorld();
    const placed = mesh.matrixWorld.clone();
    const body = physics.addMesh(mesh, { density: 1000, restitution: 0 });
    near(body.mass, 1000 * 8 * 0.06, 1e-6);
    near(body.getPosition(), new Vector3().setFromMatrixPosition(placed).toArray(), 1e-9);
    physics.sync();
    scene.updateMatrixWorld();
    mesh.matrixWorld.elements.forEach((value, i) => near(value, placed.elements[i], 1e-6));
    run(physics, 6);
    scene.updateMatrixWorld();
    near(lowestOf(mesh), 0, 1e-3);
    near(mesh.scale.toArray(), [0.5, 0.3, 0.4], 0);
    assert.equal(mesh.matrixAutoUpdate, true);
    near(new Vector3().setFromMatrixPosition(mesh.matrixWorld).toArray(), body.getPosition(), 1e-5);
    physics.dispose();
  });

  it('counts in groups that stretch what rotates in them', async () => {
    const { physics, scene } = await makeScene();
    const stretched = new Group();
    stretched.scale.set(1, 2, 1);
    scene.add(stretched);
    const mesh = new Mesh(box);
    mesh.rotation.set(0.4, 0, 0.5);
    mesh.position.y = 1.5;
    stretched.add(mesh);
    scene.updateMatrixWorld();
    const volume = Math.abs(mesh.matrixWorld.determinant());
    const body = physics.addMesh(mesh, { density: 100, restitution: 0 });
    near(body.mass, 100 * volume, 1e-3);
    run(physics, 10);
    scene.updateMatrixWorld();
    near(lowestOf(mesh), 0, 1e-3);
    near(Math.abs(mesh.matrixWorld.determinant()), volume, 1e-5);
    physics.dispose();
  });

  it('counts in mirrors', async () => {
    const { physics, scene } = await makeScene();
    // half a cone is the same in no mirror but one
    const geometry = new three.ConeGeometry(0.5, 1, 24, 1, false, 0, Math.PI);
    for (const scale of [
      [-1, 1, 1],
      [1, -1.5, 1],
      [-1, -1, 1],
      [-1, -1, -2],
    ]) {
      const mesh = new Mesh(geometry);
      mesh.scale.set(...scale);
      mesh.rotation.set(0.3, 0.2, 0.1);
      mesh.position.y = 2;
      scene.add(mesh);
      scene.updateMatrixWorld();
      const placed = mesh.matrixWorld.clone();
      physics.addMesh(mesh, { density: 100, restitution: 0 });
      physics.sync();
      scene.updateMatrixWorld();
      mesh.matrixWorld.elements.forEach((value, i) => near(value, placed.elements[i], 1e-6));
      run(physics, 6);
      near(lowestOf(mesh), 0, 1e-3);
      scene.remove(mesh);
      physics.remove(mesh);
    }
    physics.dispose();
  });

  it('follows parents that are bound, too, and changes of parents', async () => {
    const physics = createPhysics(await getCairn(), { gravity: [0, 0, 0] });
    const scene = new Scene();
    const parent = new Mesh(box);
    const child = new Mesh(box);
    child.position.set(0, 3, 0);
    parent.add(child);
    scene.add(parent);
    const childBody = physics.addMesh(child, { mass: 1 });
    physics.addMesh(parent, { mass: 1, body: { velocity: [1, 0, 0], angularVelocity: [0, 2, 0] } });
    run(physics, 1);
    scene.updateMatrixWorld();
    near(new Vector3().setFromMatrixPosition(child.matrixWorld).toArray(), [0, 3, 0], 1e-5);
    childBody.setVelocity([0, 1, 0]);
    scene.attach(child);
    run(physics, 1);
    scene.updateMatrixWorld();
    physics.world.interpolatePoses(1);
    physics.sync();
    scene.updateMatrixWorld();
    near(new Vector3().setFromMatrixPosition(child.matrixWorld).toArray(), [0, 4, 0], 1e-5);
    physics.dispose();
  });
});

describe('a compound', () => {
  it('is one body of all meshes in a group', async () => {
    const { physics, scene } = await makeScene();
    const table = new Group();
    const top = new Mesh(new three.BoxGeometry(2, 0.1, 1));
    top.position.y = 1;
    table.add(top);
    for (const [x, z] of [
      [-0.9, -0.4],
      [-0.9, 0.4],
      [0.9, -0.4],
      [0.9, 0.4],
    ]) {
      const leg = new Mesh(new three.CylinderGeometry(0.05, 0.05, 0.95));
      leg.position.set(x, 0.475, z);
      table.add(leg);
    }
    const lamp = new Mesh(box);
    lamp.userData.physics = { mass: 1, shape: 'box' };
    lamp.scale.setScalar(0.2);
    lamp.position.set(0, 1.2, 0);
    table.add(lamp);
    table.position.y = 0.5;
    table.userData.physics = { density: 700, restitution: 0 };
    scene.add(table);
    assert.deepEqual(physics.addScene(scene), [table, lamp]);
    assert.deepEqual(physics.addScene(scene), []);
    const body = physics.bodyOf(table);
    near(body.mass, 700 * (0.2 + 4 * Math.PI * 0.0025 * 0.95), 1e-6);
    run(physics, 4);
    near(lowestOf(table), 0, 1e-3);
    near(lowestOf(lamp), 1.05, 2e-3);
    near(lamp.matrixWorld.getMaxScaleOnAxis(), 0.2, 1e-6);
    assert.equal(body.geometries().length, 1);
    physics.dispose();
  });
});

describe('instances', () => {
  it('are a body each, with scales of their own, in a mesh that is moved', async () => {
    for (const makeGeometry of [() => box, () => new three.ConeGeometry(0.5, 1, 32)]) {
      const { physics, scene } = await makeScene();
      const mesh = new InstancedMesh(makeGeometry(), undefined, 10);
      mesh.position.set(1, 0, 0);
      mesh.rotation.y = 0.4;
      mesh.scale.setScalar(0.8);
      for (let i = 0; i < 10; ++i) {
        const scale = 0.5 + 0.05 * i;
        mesh.setMatrixAt(
          i,
          new Matrix4().compose(
            new Vector3(2 * i - 10, 1, 0),
            new Quaternion(),
            new Vector3(scale, scale, scale),
          ),
        );
      }
      scene.add(mesh);
      const bodies = physics.addMesh(mesh, { density: 1000, restitution: 0 });
      assert.equal(bodies.length, 10);
      const unit = bodies.at(9).mass / (0.8 * 0.95) ** 3;
      bodies.rows.forEach((_, i) =>
        near(bodies.at(i).mass / (0.8 * (0.5 + 0.05 * i)) ** 3, unit, 1e-3 * unit),
      );
      run(physics, 4);
      physics.world.interpolatePoses(1);
      physics.sync();
      mesh.updateWorldMatrix(true, false);
      const matrix = new Matrix4();
      for (let i = 0; i < 10; ++i) {
        mesh.getMatrixAt(i, matrix);
        matrix.premultiply(mesh.matrixWorld);
        const position = new Vector3().setFromMatrixPosition(matrix);
        near(position.toArray(), bodies.at(i).getPosition(), 1e-5);
        near(position.y, 0.4 * (0.5 + 0.05 * i), 1e-3);
        near(matrix.getMaxScaleOnAxis(), 0.8 * (0.5 + 0.05 * i), 1e-5);
        assert.deepEqual(physics.objectOf(bodies.at(i)), { object: mesh, instanceId: i });
        assert.equal(physics.bodyOf(mesh, i), bodies.at(i));
      }
      const own = mesh.boundingSphere.clone();
      mesh.computeBoundingSphere();
      const { center, radius } = mesh.boundingSphere;
      assert.ok(
        own.center.distanceTo(center) + radius <= own.radius + 1e-4 + radius,
        'the sphere is too small',
      );
      for (const child of [0, 9]) {
        mesh.getMatrixAt(child, matrix);
        const corner = new Vector3().setFromMatrixPosition(matrix);
        assert.ok(own.containsPoint(corner));
      }
      physics.dispose();
    }
  });

  it('are sent to the graphics card while they move; a destroyed one is not drawn', async () => {
    const { physics } = await makeScene();
    const mesh = new InstancedMesh(box, undefined, 3);
    for (let i = 0; i < 3; ++i) mesh.setMatrixAt(i, new Matrix4().setPosition(2 * i, 0.7, 0));
    const bodies = physics.addMesh(mesh, { mass: 1, restitution: 0 });
    run(physics, 0.2);
    assert.ok(mesh.instanceMatrix.version > 5);
    run(physics, 5);
    const { version } = mesh.instanceMatrix;
    run(physics, 1);
    assert.equal(mesh.instanceMatrix.version, version);
    bodies.at(1).destroy();
    physics.update(1 / 60);
    const matrix = new Matrix4();
    mesh.getMatrixAt(1, matrix);
    assert.ok(matrix.elements.every((value) => value === 0));
    assert.equal(physics.bodyOf(mesh, 1), null);
    mesh.getMatrixAt(2, matrix);
    near(new Vector3().setFromMatrixPosition(matrix).toArray(), [4, 0.5, 0], 1e-3);
    physics.dispose();
  });

  it('make no garbage', async () => {
    const { physics, scene } = await makeScene();
    const mesh = new InstancedMesh(box, undefined, 50);
    for (let i = 0; i < 50; ++i) mesh.setMatrixAt(i, new Matrix4().setPosition(2 * i, 5, 0));
    scene.add(mesh);
    physics.addMesh(mesh, { mass: 1 });
    const group = new Group();
    group.rotation.x = 0.1;
    scene.add(group);
    for (let i = 0; i < 20; ++i) {
      const single = new Mesh(box);
      single.position.set(0, 100 + 2 * i, 0);
      (i < 10 ? scene : group).add(single);
      physics.addMesh(single, { mass: 1 });
    }
    physics.update(1 / 60);
    let alpha = 0.2;
    const bytes = await garbageOf(() => {
      alpha = 1 - alpha; // all are elsewhere every time
      physics.world.interpolatePoses(alpha);
      physics.sync();
    });
    // a number for each object would be a hundred thousand
    assert.ok(bytes < 50000, `${bytes} bytes in 100 frames`);
    physics.dispose();
  });
});

describe('kinematic meshes', () => {
  it('lead their bodies, which carry and push', async () => {
    const { physics, scene } = await makeScene();
    const lift = new Mesh(new three.BoxGeometry(2, 0.2, 2));
    lift.position.set(0, 0.5, 0);
    scene.add(lift);
    const body = physics.addMesh(lift, { motion: 'kinematic', friction: 0.8 });
    const load = new Mesh(box);
    load.position.set(0, 1.1, 0);
    scene.add(load);
    const loadBody = physics.addMesh(load, { mass: 3, friction: 0.8, restitution: 0 });
    for (let i = 0; i < 120; ++i) {
      lift.position.y += 1 / 120;
      lift.position.x += 1 / 240;
      physics.update(1 / 60);
    }
    near(body.getPosition(), [0.5, 1.5, 0], 1e-6);
    near(loadBody.getPosition(), [0.5, 2.1, 0], 5e-3);
    run(physics, 1);
    near(lowestOf(load), 1.6, 1e-3);
    near(body.getPosition(), [0.5, 1.5, 0], 1e-6);
    near(body.getVelocity(), [0, 0, 0], 0);
    physics.dispose();
  });

  it('take as long as their object does, also where a frame is several steps', async () => {
    const { physics, scene } = await makeScene();
    const lift = new Mesh(box);
    scene.add(lift);
    const body = physics.addMesh(lift, { motion: 'kinematic' });
    let fastest = 0;
    const beforeStep = () => (fastest = Math.max(fastest, body.getVelocity()[0]));
    for (let i = 0; i < 30; ++i) {
      lift.position.x += 1 / 20;
      physics.update(1 / 20, { beforeStep });
    }
    near(fastest, 1, 1e-6);
    near(body.getPosition(), [1.5, 0, 0], 1e-6);
    refuses(() => physics.update(1 / 60, { maxStep: 2 }), { code: 'UNKNOWN_NAME' });
    physics.dispose();
  });
});

describe('binding', () => {
  it('lets any object follow any body, at a place in it', async () => {
    const physics = createPhysics(await getCairn(), { gravity: [0, 0, 0] });
    const { world } = physics;
    const body = world.createBody({
      position: [1, 2, 3],
      angularVelocity: [0, Math.PI / 2, 0],
      geometries: [{ shape: { type: 'box', halfExtents: [1, 1, 1] } }],
    });
    const lamp = new three.PointLight();
    const flag = new Mesh(box);
    flag.scale.setScalar(0.5);
    physics.bind(lamp, body);
    physics.bind(flag, body, { position: new Vector3(1, 0, 0), rotation: new Quaternion() });
    run(physics, 1);
    physics.world.interpolatePoses(1);
    physics.sync();
    near(lamp.position.toArray(), [1, 2, 3], 1e-6);
    near(flag.position.toArray(), [1, 2, 2], 1e-3);
    near(flag.scale.toArray(), [0.5, 0.5, 0.5], 0);
    assert.equal(physics.unbind(lamp), true);
    assert.equal(physics.unbind(lamp), false);
    lamp.position.set(9, 9, 9);
    physics.update(1);
    near(lamp.position.toArray(), [9, 9, 9], 0);
    assert.ok(body.isValid);
    physics.dispose();
    assert.ok(world.isDisposed);
  });

  it('teleports, removes and disposes', async () => {
    const cairn = await getCairn();
    const world = cairn.createWorld({ gravity: [0, -10, 0] });
    const physics = createPhysics(world);
    const mesh = new Mesh(box);
    const body = physics.addMesh(mesh, { mass: 1 });
    mesh.position.set(0, 8, 0);
    mesh.rotation.y = 1;
    physics.teleport(mesh);
    near(body.getPosition(), [0, 8, 0], 1e-12);
    near(body.getRotation(), mesh.quaternion.toArray(), 1e-12);
    assert.equal(physics.remove(mesh), true);
    assert.equal(body.isValid, false);
    physics.addMesh(mesh, { mass: 1 });
    physics.dispose();
    assert.equal(world.isDisposed, false);
    assert.equal([...world.bodies()].length, 0);
    assert.equal(world.columns.shapes.handle.slice(0, world.columns.shapes.rows).some(Boolean), false);
    world.dispose();
  });

  it('outlives bodies that are destroyed, and worlds that go back', async () => {
    const { physics } = await makeScene();
    const mesh = new Mesh(box);
    mesh.position.y = 3;
    const body = physics.addMesh(mesh, { mass: 1 });
    run(physics, 0.1);
    const saved = physics.world.save();
    const { y } = mesh.position;
    body.destroy();
    run(physics, 0.5);
    assert.equal(mesh.position.y, y);
    assert.equal(physics.bodyOf(mesh), null);
    physics.world.restore(saved);
    assert.equal(physics.bodyOf(mesh), body);
    run(physics, 0.2);
    assert.ok(mesh.position.y < y);
    physics.dispose();
  });
});

describe('misuse', () => {
  it('is an error that says what is allowed', async () => {
    const { physics } = await makeScene();
    const mesh = new Mesh(box);
    mesh.name = 'crate';
    refuses(() => physics.addMesh(mesh, { masse: 1 }), {
      code: 'UNKNOWN_NAME',
      message: /addMesh.*"masse".*mass, density/,
    });
    refuses(() => physics.addMesh(mesh, { shape: 'cube' }), {
      code: 'OUT_OF_RANGE',
      message: /"cube".*'box'/,
    });
    refuses(() => physics.addMesh({}), { code: 'WRONG_TYPE', message: /Meshes/ });
    refuses(() => physics.addMesh(mesh, { mass: 1, density: 3 }), { argument: 'options.density' });
    refuses(() => physics.addMesh(mesh, { mass: 0, motion: 'dynamic' }), { argument: 'options.mass' });
    refuses(() => physics.addMesh(mesh, { mass: -1 }), { code: 'OUT_OF_RANGE' });
    refuses(() => physics.addMesh(new Mesh(new three.PlaneGeometry()), { mass: 1 }), {
      code: 'DEGENERATE_SHAPE',
      message: /flat/,
    });
    const shell = new three.SphereGeometry(1, 16, 12, 0, Math.PI);
    refuses(() => physics.addMesh(new Mesh(shell), { mass: 1, shape: 'trimesh' }), { message: /is open/ });
    mesh.scale.x = 0;
    refuses(() => physics.addMesh(mesh, { mass: 1 }), {
      message: /Mesh "crate": the object has a scale of 0/,
    });
    mesh.scale.x = 1;
    mesh.position.x = NaN;
    refuses(() => physics.addMesh(mesh, { mass: 1 }), { code: 'NOT_FINITE' });
    mesh.position.x = 0;
    physics.addMesh(mesh, { mass: 1 });
    refuses(() => physics.addMesh(mesh, { mass: 1 }), { code: 'IN_USE', message: /crate/ });
    refuses(() => physics.bind(mesh, physics.bodyOf(mesh)), { code: 'IN_USE' });
    refuses(() => physics.bind(new Group(), null), { code: 'WRONG_TYPE' });
    refuses(() => physics.teleport(new Group()), { code: 'STALE_HANDLE' });
    const scene = new Scene();
    const right = new Mesh(box);
    right.userData.physics = { mass: 2 };
    const typo = new Mesh(box);
    typo.name = 'lid';
    typo.userData.physics = { mas: 2 };
    const group = new Group();
    group.name = 'shell';
    group.userData.physics = { mass: 1 };
    group.add(new Mesh(new three.PlaneGeometry()));
    scene.add(right, typo);
    const { length } = [...physics.world.bodies()];
    refuses(() => physics.addScene(scene), {
      code: 'UNKNOWN_NAME',
      message: /addScene: Mesh "lid": .*"mas"/,
    });
    scene.add(group);
    scene.remove(typo);
    refuses(() => physics.addScene(scene), { message: /Group "shell": Mesh: the geometry is flat/ });
    assert.equal(physics.bodyOf(right), null);
    assert.equal([...physics.world.bodies()].length, length, 'all or none');
    refuses(() => physics.addCompound(new Group()), { message: /no mesh/ });
    refuses(() => physics.addMesh(mesh, {}, 3), { code: 'SURPLUS_ARGUMENT' });
    refuses(() => physics.update(0.1, {}, 3), { code: 'SURPLUS_ARGUMENT' });
    refuses(() => (physics.gravity = [0, 0, 0]), { code: 'UNKNOWN_NAME' });
    refuses(() => createPhysics(physics.world, undefined, 1), { code: 'SURPLUS_ARGUMENT' });
    refuses(() => createPhysics({}), { code: 'WRONG_TYPE' });
    refuses(() => createPhysics(physics.world, {}), { code: 'WRONG_TYPE' });
    physics.dispose();
    refuses(() => physics.update(0.1), { code: 'STALE_HANDLE' });
    physics.dispose();
  });
});
