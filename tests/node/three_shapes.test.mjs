// Shapes that geometries of three.js are taken for.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as three from 'three';
import { shapeFromGeometry } from '../../web/three.js';
import { getCairn, near, refuses } from './helpers.mjs';

const { Matrix4, Quaternion, Vector3 } = three;

/** @param {ReturnType<typeof shapeFromGeometry>} fitted @param {number[]} axis */
const directionOf = ({ rotation }, axis) =>
  new Vector3(...axis).applyQuaternion(new Quaternion(...rotation)).toArray();

describe("three's own geometries", () => {
  it('are the shapes that they stand for', () => {
    const shapes = [
      [new three.BoxGeometry(1, 2, 3, 4, 5, 6), { type: 'box', halfExtents: [0.5, 1, 1.5] }],
      [new three.SphereGeometry(0.7), { type: 'sphere', radius: 0.7 }],
      [new three.IcosahedronGeometry(0.7, 2), { type: 'sphere', radius: 0.7 }],
      [new three.CylinderGeometry(0.5, 0.5, 2), { type: 'cylinder', radius: 0.5, height: 2 }],
      [new three.CapsuleGeometry(0.4, 1.5), { type: 'capsule', radius: 0.4, height: 1.5 }],
      [new three.ConeGeometry(0.5, 2), { type: 'cone', topRadius: 0, bottomRadius: 0.5, height: 2 }],
      [
        new three.CylinderGeometry(0.2, 0.6, 2),
        { type: 'cone', topRadius: 0.2, bottomRadius: 0.6, height: 2 },
      ],
    ];
    for (const [geometry, wanted] of shapes) {
      for (const kind of ['auto', wanted.type]) {
        const { shape, position, rotation } = shapeFromGeometry(geometry, kind);
        assert.equal(shape.type, wanted.type);
        for (const [name, value] of Object.entries(wanted))
          if (name !== 'type') near(shape[name], value, 1e-6);
        near(position, wanted.type === 'cone' ? [0, -1, 0] : [0, 0, 0], 1e-6);
        near(rotation, [0, 0, 0, 1], 1e-6);
      }
    }
  });

  it('stay so wherever their points were moved to', () => {
    const turned = new three.CylinderGeometry(0.5, 0.5, 2)
      .rotateX(Math.PI / 2)
      .rotateY(0.3)
      .translate(1, 2, 3);
    const cylinder = shapeFromGeometry(turned);
    assert.equal(cylinder.shape.type, 'cylinder');
    near(cylinder.position, [1, 2, 3], 1e-6);
    near(directionOf(cylinder, [0, 1, 0]), [Math.sin(0.3), 0, Math.cos(0.3)], 1e-6);

    const cone = shapeFromGeometry(new three.ConeGeometry(0.5, 2).rotateZ(-Math.PI / 2), 'auto', {
      scale: [2, 1, 1],
    });
    near([cone.shape.bottomRadius, cone.shape.height], [0.5, 4], 1e-6);
    near(cone.position, [-2, 0, 0], 1e-6);
    near(directionOf(cone, [0, 1, 0]), [1, 0, 0], 1e-6);

    const box = shapeFromGeometry(new three.BoxGeometry(1, 2, 3).scale(2, 1, 1).rotateY(0.5), 'box');
    near(box.shape.halfExtents, [1, 1, 1.5], 1e-6);
    near(directionOf(box, [1, 0, 0]), [Math.cos(0.5), 0, -Math.sin(0.5)], 1e-6);
  });

  it('take the scale that they are drawn with', () => {
    near(shapeFromGeometry(new three.SphereGeometry(1), 'auto', { scale: 3 }).shape.radius, 3, 1e-6);
    const mirrored = shapeFromGeometry(new three.CapsuleGeometry(1, 1), 'auto', {
      scale: new Vector3(-2, 2, 2),
    });
    near([mirrored.shape.radius, mirrored.shape.height], [2, 2], 1e-6);
    const { shape } = shapeFromGeometry(new three.CylinderGeometry(1, 1, 1), 'auto', { scale: [2, 5, 2] });
    near([shape.radius, shape.height], [2, 5], 1e-6);
  });

  it('are hulls or meshes where they are no more what they stood for', () => {
    const sphere = new three.SphereGeometry(1);
    assert.equal(shapeFromGeometry(sphere, 'auto', { scale: [1, 2, 1] }).shape.type, 'convex');
    assert.equal(
      shapeFromGeometry(sphere, 'auto', { scale: [1, 2, 1], isStatic: true }).shape.type,
      'trimesh',
    );
    for (const geometry of [
      new three.SphereGeometry(1, 5, 4),
      new three.SphereGeometry(1, 32, 16, 0, Math.PI),
      new three.IcosahedronGeometry(1),
      new three.CylinderGeometry(1, 1, 1, 6),
      new three.ConeGeometry(1, 1, 4),
      new three.ConeGeometry(1, 1, 32, 1, false, 0, 3),
      new three.TorusGeometry(),
      new three.BoxGeometry(1, 1, 1).applyMatrix4(new Matrix4().makeShear(0.5, 0, 0, 0, 0, 0)),
    ]) {
      assert.equal(shapeFromGeometry(geometry).shape.type, 'convex', geometry.type);
      assert.equal(
        shapeFromGeometry(geometry, 'auto', { isStatic: true }).shape.type,
        'trimesh',
        geometry.type,
      );
    }
    const dented = new three.BoxGeometry(1, 1, 1);
    dented.getAttribute('position').setX(0, 0.2);
    dented.getAttribute('position').needsUpdate = true;
    assert.equal(shapeFromGeometry(dented).shape.type, 'convex');
    const tube = new three.CylinderGeometry(1, 1, 3, 32, 1, true);
    assert.equal(shapeFromGeometry(tube).shape.type, 'cylinder');
    assert.equal(shapeFromGeometry(tube, 'auto', { isStatic: true }).shape.type, 'trimesh');
  });

  it('are looked at again when their points changed', () => {
    const geometry = new three.BoxGeometry(1, 1, 1);
    near(shapeFromGeometry(geometry).shape.halfExtents, [0.5, 0.5, 0.5], 1e-6);
    geometry.scale(2, 1, 1);
    near(shapeFromGeometry(geometry).shape.halfExtents, [1, 0.5, 0.5], 1e-6);
  });
});

describe('a kind by its name', () => {
  const points = [0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 6, 1, 1, 1];
  const model = new three.BufferGeometry();
  model.setAttribute('position', new three.BufferAttribute(new Float32Array(points), 3));
  model.setIndex([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);

  it('is about the points of any geometry', async () => {
    const cairn = await getCairn();
    for (const kind of ['box', 'sphere', 'cylinder', 'capsule', 'cone', 'convex']) {
      const { shape, position, rotation } = shapeFromGeometry(model, kind);
      assert.equal(shape.type, kind);
      for (let i = 0; i < points.length; i += 3) {
        const { distance } = cairn.findSurfacePoint(shape, { position, rotation }, points.slice(i, i + 3));
        assert.ok(distance < 1e-6, `${kind}: a point is ${distance} m outside`);
      }
    }
    const { shape, position } = shapeFromGeometry(model, 'box');
    near(shape.halfExtents, [1, 2, 3], 1e-6);
    near(position, [1, 2, 3], 1e-6);
  });

  it('may be the triangles, whose seams close, and whose outside is that of the mirror image', async () => {
    const cairn = await getCairn();
    for (const geometry of [
      new three.TorusKnotGeometry(),
      new three.SphereGeometry(),
      new three.BoxGeometry(1, 1, 1),
    ]) {
      for (const scale of [1, [-1, 1, 1], [100, 100, 100]]) {
        const { shape } = shapeFromGeometry(geometry, 'trimesh', { scale });
        const { closed, volume } = cairn.checkMesh(shape);
        assert.ok(closed, geometry.type);
        assert.ok(volume > 0.5, `${geometry.type} holds ${volume}`);
      }
    }
  });

  it('may be the half-space under a plane', () => {
    const plane = new three.PlaneGeometry(1, 1).rotateX(-Math.PI / 2).translate(0, 3, 0);
    const { shape } = shapeFromGeometry(plane, 'plane');
    near([...shape.normal, shape.offset], [0, 1, 0, 3], 1e-6);
    refuses(() => shapeFromGeometry(model, 'plane'), { code: 'DEGENERATE_SHAPE', message: /not flat/ });
  });
});

describe('planes', () => {
  /** Height of a field above a point, by a ray. */
  async function heightAt(fitted, x, y, direction = [0, -20, 0], up = 10) {
    const cairn = await getCairn();
    const { shape, position, rotation } = fitted;
    const origin = direction[1] !== 0 ? [x, up, y] : [x, y, up];
    const hit = cairn.castRayAtShape(shape, { position, rotation }, origin, direction);
    return hit.hit ? up - 20 * hit.fraction : NaN;
  }

  const bumps = (x, y) => 0.3 * Math.sin(3 * x + 1) * Math.cos(2 * y) + 0.2 * x - 0.1 * y;

  it('are height fields, whose triangles are those that are drawn', async () => {
    for (const scale of [
      [1, 1, 1],
      [2, 1.5, 0.5],
      [-1, 1, 1],
      [1, 1, -1],
      [1, -1, 1],
    ]) {
      for (const lay of [true, false]) {
        const geometry = new three.PlaneGeometry(4, 3, 7, 5);
        if (lay) geometry.rotateX(-Math.PI / 2);
        const position = geometry.getAttribute('position');
        for (let i = 0; i < position.count; ++i) {
          if (lay) position.setY(i, bumps(position.getX(i), position.getZ(i)));
          else position.setZ(i, bumps(position.getX(i), position.getY(i)));
        }
        const factors = lay ? [scale[0], scale[2], scale[1]] : scale;
        // turned over it is seen from below, where a ray from above does not meet it
        if (factors[lay ? 1 : 2] < 0) continue;
        const fitted = shapeFromGeometry(geometry, 'heightField', { scale: factors });
        assert.equal(fitted.shape.type, 'heightField');

        // three's own ray is the reference
        const mesh = new three.Mesh(geometry, new three.MeshBasicMaterial({ side: three.DoubleSide }));
        mesh.scale.set(...factors);
        mesh.updateMatrixWorld();
        const down = lay ? new Vector3(0, -1, 0) : new Vector3(0, 0, -1);
        let compared = 0;
        for (let k = 0; k < 60; ++k) {
          const x = 1.9 * Math.sin(7 * k);
          const y = 1.4 * Math.sin(11 * k + 1);
          const origin = lay ? new Vector3(x, 10, y) : new Vector3(x, y, 10);
          const [hit] = new three.Raycaster(origin, down).intersectObject(mesh);
          if (!hit) continue;
          near(await heightAt(fitted, x, y, down.multiplyScalar(20).toArray()), 10 - hit.distance, 1e-5);
          down.normalize();
          ++compared;
        }
        assert.ok(compared > 25, `${compared} rays`);
      }
    }
  });

  it('stay meshes where their points moved otherwise', () => {
    const geometry = new three.PlaneGeometry(4, 3, 4, 3);
    geometry.getAttribute('position').setXYZ(5, 0.1, 0.2, 0.3);
    assert.equal(shapeFromGeometry(geometry, 'auto', { isStatic: true }).shape.type, 'trimesh');
    refuses(() => shapeFromGeometry(geometry, 'heightField'), { code: 'WRONG_TYPE' });
    refuses(() => shapeFromGeometry(new three.BoxGeometry(), 'heightField'), { message: /PlaneGeometry/ });
  });
});

describe('misuse', () => {
  it('is an error', () => {
    const empty = new three.BufferGeometry();
    const box = new three.BoxGeometry();
    refuses(() => shapeFromGeometry(empty), { code: 'DEGENERATE_SHAPE', message: /no points/ });
    refuses(() => shapeFromGeometry(new three.Mesh(box)), {
      code: 'WRONG_TYPE',
      message: /a Mesh.*BufferGeometries/,
    });
    refuses(() => shapeFromGeometry(undefined), { code: 'WRONG_TYPE' });
    refuses(() => shapeFromGeometry(box, 'ball'), { code: 'OUT_OF_RANGE', message: /"ball".*'sphere'/ });
    refuses(() => shapeFromGeometry(box, 'box', { scale: 0 }), { argument: 'scale' });
    refuses(() => shapeFromGeometry(box, 'box', { scale: [1, 2] }), { argument: 'scale' });
    refuses(() => shapeFromGeometry(box, 'box', { scale: 'big' }), { argument: 'scale' });
    refuses(() => shapeFromGeometry(box, 'box', { size: 1 }), { code: 'UNKNOWN_NAME' });
    refuses(() => shapeFromGeometry(new three.PlaneGeometry()), { message: /flat.*'trimesh'/ });
    const broken = new three.BoxGeometry();
    broken.getAttribute('position').setX(0, NaN);
    refuses(() => shapeFromGeometry(broken), { code: 'DEGENERATE_SHAPE' });
  });
});
