// CairnPhysics, which has the interface of three's own add-ons for physics.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as three from 'three';
import { CairnPhysics } from '../../web/three.node.js';
import { getCairn, near, refuses } from './helpers.mjs';

const { InstancedMesh, Matrix4, Mesh, Scene, Vector3 } = three;
const box = new three.BoxGeometry(1, 1, 1);

function makeScene() {
  const scene = new Scene();
  const floor = new Mesh(new three.BoxGeometry(10, 5, 10));
  floor.position.y = -2.5;
  floor.userData.physics = { mass: 0 };
  scene.add(floor);
  const boxes = new InstancedMesh(box, undefined, 4);
  for (let i = 0; i < 4; ++i) boxes.setMatrixAt(i, new Matrix4().setPosition(2 * i - 3, 1, 0));
  boxes.userData.physics = { mass: 2 };
  scene.add(boxes);
  const ball = new Mesh(new three.IcosahedronGeometry(0.5, 4));
  ball.position.set(0, 2.5, 3);
  ball.userData.physics = { mass: 1, restitution: 0.8 };
  scene.add(ball);
  scene.add(new Mesh(box)); // has no physics
  return { scene, floor, boxes, ball };
}

async function start(automatic = false) {
  const physics = await CairnPhysics({ cairn: await getCairn(), automatic });
  const made = makeScene();
  physics.addScene(made.scene);
  return { ...made, physics };
}

const positionAt = (mesh, i) => {
  const matrix = new Matrix4();
  mesh.getMatrixAt(i, matrix);
  return new Vector3().setFromMatrixPosition(matrix);
};

describe('CairnPhysics', () => {
  it('lets the meshes of a scene fall, and bounce as the mean of two restitutions', async () => {
    const { physics, boxes, ball } = await start();
    let highest = 0;
    for (let i = 0; i < 300; ++i) {
      physics.update(1 / 60);
      if (ball.userData.physics.body.getVelocity()[1] > 0) highest = Math.max(highest, ball.position.y);
    }
    for (let i = 0; i < 4; ++i) {
      near(positionAt(boxes, i).y, 0.5, 1e-3);
      near(positionAt(boxes, i).toArray(), [2 * i - 3, 0.5, 0], 0.01);
    }
    near(highest - 0.5, 0.16 * 2, 0.02); // 0.4² of the drop
    assert.equal(physics.world.columns.bodies.rows, 6);
    physics.dispose();
  });

  it('moves, throws, pushes and removes', async () => {
    const { physics, boxes, ball } = await start();
    physics.setMeshPosition(boxes, new Vector3(0, 5, 0), 2);
    physics.setMeshVelocity(ball, new Vector3(3, 0, 0));
    physics.applyImpulse(boxes, new Vector3(0, 8, 0), 1);
    const body = boxes.userData.physics.body.at(1);
    near(body.getVelocity(), [0, 4, 0], 1e-9);
    physics.update(1 / 60);
    physics.update(1 / 60);
    assert.ok(positionAt(boxes, 2).y > 4.9);
    assert.ok(ball.position.x > 0.04);
    assert.ok(positionAt(boxes, 1).y > 1.05);
    physics.setMeshPosition(ball, { x: 0, y: 2, z: 0 });
    near(ball.userData.physics.body.getVelocity(), [0, 0, 0], 0);
    physics.removeMesh(boxes);
    physics.removeMesh(ball);
    physics.removeMesh(ball);
    assert.equal([...physics.world.bodies()].length, 1);
    assert.equal('body' in ball.userData.physics, false);
    refuses(() => physics.setMeshPosition(ball, new Vector3()), { code: 'STALE_HANDLE' });
    physics.addMesh(ball, 1, 0.5);
    const copy = ball.clone();
    assert.deepEqual(copy.userData.physics, { mass: 1, restitution: 0.8 });
    physics.dispose();
  });

  it('has terrains in the order of the points of a plane that lies', async () => {
    const { physics } = await start();
    const geometry = new three.PlaneGeometry(12, 8, 6, 4);
    geometry.rotateX(-Math.PI / 2);
    const position = geometry.getAttribute('position');
    const heights = Float32Array.from({ length: position.count }, (_, i) =>
      Math.sin(position.getX(i) + 0.3 * position.getZ(i)),
    );
    heights.forEach((height, i) => position.setY(i, height));
    const terrain = new Mesh(geometry);
    terrain.position.set(30, 2, 1);
    terrain.rotation.y = 0.5;
    terrain.updateMatrixWorld();
    const body = physics.addHeightfield(terrain, 6, 4, heights, { x: 12, y: 1, z: 8 });
    assert.equal(terrain.userData.physics.body, body);
    const down = new Vector3(0, -1, 0);
    for (let i = 0; i < 30; ++i) {
      const origin = new Vector3(30 + 4 * Math.sin(5 * i), 10, 1 + 2.5 * Math.cos(7 * i));
      const [wanted] = new three.Raycaster(origin, down).intersectObject(terrain);
      const hit = physics.world.castRay(origin.toArray(), [0, -20, 0]);
      near(hit.point, wanted.point.toArray(), 1e-5);
    }
    refuses(() => physics.addHeightfield(new Mesh(box), 5, 5, heights, { x: 1, y: 1, z: 1 }), {
      argument: 'heights',
    });
    const { bodies } = physics.world.getCounters();
    refuses(() => physics.addHeightfield(terrain, 6, 4, heights, { x: 12, y: 1, z: 8 }), { code: 'IN_USE' });
    assert.equal(physics.world.getCounters().bodies, bodies, 'nothing is left of what was refused');
    physics.removeMesh(terrain);
    assert.equal(body.isValid, false, "a terrain that is removed is in nobody's way");
    assert.equal(terrain.userData.physics.body, undefined);
    physics.dispose();
  });

  it('steps by itself, and stops when it is disposed', async () => {
    const { physics, ball } = await start(true);
    const { y } = ball.position;
    const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    for (let i = 0; i < 200 && ball.position.y === y; ++i) await later(50);
    assert.ok(ball.position.y < y);
    physics.dispose();
    const left = ball.position.y;
    await later(50);
    assert.equal(ball.position.y, left);
  });

  it('loads the engine by itself', async () => {
    const physics = await CairnPhysics({ automatic: false });
    const ball = new Mesh(box);
    physics.addMesh(ball, 1);
    physics.update(1 / 30);
    assert.ok(physics.world.stepCount > 0);
    physics.dispose();
    physics.cairn.dispose();
    await assert.rejects(CairnPhysics({ auto: false }), { code: 'UNKNOWN_NAME' });
  });
});
