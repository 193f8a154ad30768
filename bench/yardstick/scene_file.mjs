// A scene of the yardstick as one of Cairn's scene files, so that the native program runs it too.
import { add, rotate } from './math.mjs';

const UPRIGHT = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // a height field's z to the yardstick's y

const inThrees = (list) => Array.from({ length: list.length / 3 }, (_, i) => list.slice(3 * i, 3 * i + 3));

/** The object of a scene file. Bodies are named b0, b1 … in their order. */
export function toSceneFile(scene, name) {
  const meshes = [],
    materials = new Map();

  function shapeOf(s) {
    if (s.type === 'box') return { type: 'box', halfExtents: s.half };
    if (s.type === 'sphere') return { type: 'sphere', radius: s.radius };
    if (s.type === 'capsule') return { type: 'capsule', radius: s.radius, height: 2 * s.half };
    if (s.type === 'hull') return { type: 'convex', points: s.points };
    if (s.type === 'mesh') {
      const mesh = `mesh${meshes.length}`;
      meshes.push({ name: mesh, vertices: inThrees(s.vertices), triangles: inThrees(s.indices) });
      return { type: 'trimesh', mesh };
    }
    const heights = []; // its y is the yardstick's −z
    for (let k = s.n - 1; k >= 0; --k) heights.push(...s.heights.slice(k * s.n, (k + 1) * s.n));
    const width = (s.n - 1) * s.cell;
    return { type: 'heightField', resolution: [s.n, s.n], size: [width, width], heights };
  }

  function materialOf({ density, friction, restitution }) {
    const key = `${density} ${friction} ${restitution}`;
    if (!materials.has(key))
      materials.set(key, { name: `m${materials.size}`, density, friction, restitution });
    return materials.get(key).name;
  }

  const bodies = scene.bodies.map((b, i) => ({
    name: `b${i}`,
    motion: b.fixed ? 'static' : 'dynamic',
    position: b.position,
    rotation: b.rotation,
    ...(b.fixed ? {} : { velocity: b.velocity, angularVelocity: b.spin }),
    ...(b.mass && !b.fixed ? { mass: b.mass } : {}),
    geometries: [
      {
        shape: shapeOf(b.shape),
        material: materialOf(b),
        ...(b.collide ? {} : { collisions: false }),
        ...(b.shape.type === 'field' ? { rotation: UPRIGHT } : {}),
      },
    ],
  }));
  const kinds = [...materials.values()];
  const contactMaterials = kinds.flatMap((a, i) =>
    kinds.slice(0, i + 1).map((b) => ({
      materials: [a.name, b.name],
      friction: (a.friction + b.friction) / 2,
      restitution: (a.restitution + b.restitution) / 2,
    })),
  );
  const constraints = scene.joints.map(({ a, b, anchorA }) => ({
    type: 'ball',
    bodies: [`b${a}`, `b${b}`],
    anchor: add(scene.bodies[a].position, rotate(scene.bodies[a].rotation, anchorA)),
  }));
  return {
    format: 'cairn-scene',
    version: 1,
    name,
    world: { gravity: scene.gravity, timeStep: scene.dt },
    materials: kinds.map(({ name: material, density }) => ({ name: material, density })),
    contactMaterials,
    ...(meshes.length ? { meshes } : {}),
    bodies,
    ...(constraints.length ? { constraints } : {}),
  };
}
