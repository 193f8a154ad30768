// Rapier: the SIMD and the scalar package; rapier-mb takes multibody joints instead of impulse joints.
import { withMemory } from '../memory.mjs';
import { packageFile, versionOf } from '../packages.mjs';

export const variants = ['rapier', 'rapier-scalar', 'rapier-mb'];

export async function load(variant) {
  const name = variant === 'rapier-scalar' ? '@dimforge/rapier3d-compat' : '@dimforge/rapier3d-simd-compat';
  const { value: R, heap } = await withMemory(async () => {
    const module = (await import(packageFile(`${name}/dist/rapier.mjs`))).default;
    await module.init();
    return module;
  });
  const xyz = ([x, y, z]) => ({ x, y, z }),
    xyzw = ([x, y, z, w]) => ({ x, y, z, w });

  const shapeOf = (s) => {
    if (s.type === 'box') return R.ColliderDesc.cuboid(...s.half);
    if (s.type === 'sphere') return R.ColliderDesc.ball(s.radius);
    if (s.type === 'capsule') return R.ColliderDesc.capsule(s.half, s.radius);
    if (s.type === 'hull') return R.ColliderDesc.convexHull(Float32Array.from(s.points.flat()));
    if (s.type === 'mesh')
      return R.ColliderDesc.trimesh(Float32Array.from(s.vertices), Uint32Array.from(s.indices));
    const width = (s.n - 1) * s.cell,
      columns = new Float32Array(s.n * s.n); // column by column: rows run along z
    for (let k = 0; k < s.n; ++k) for (let i = 0; i < s.n; ++i) columns[i * s.n + k] = s.heights[k * s.n + i];
    return R.ColliderDesc.heightfield(s.n - 1, s.n - 1, columns, { x: width, y: 1, z: width });
  };

  function world({ gravity, sleep, iterations, dt }) {
    const w = new R.World(xyz(gravity)),
      bodies = [];
    w.timestep = dt;
    if (iterations) w.integrationParameters.numSolverIterations = iterations;
    return {
      addBody(b) {
        const desc = (b.fixed ? R.RigidBodyDesc.fixed() : R.RigidBodyDesc.dynamic())
          .setTranslation(...b.position)
          .setRotation(xyzw(b.rotation))
          .setCanSleep(sleep);
        if (!b.fixed) desc.setLinvel(...b.velocity).setAngvel(xyz(b.spin));
        const body = w.createRigidBody(desc);
        const collider = shapeOf(b.shape).setFriction(b.friction).setRestitution(b.restitution);
        if (b.mass) collider.setMass(b.mass);
        else collider.setDensity(b.density);
        if (!b.collide) collider.setCollisionGroups(0);
        w.createCollider(collider, body);
        return bodies.push(body) - 1;
      },
      removeBody(i) {
        w.removeRigidBody(bodies[i]);
        bodies[i] = undefined;
      },
      addJoint({ a, b, anchorA, anchorB }) {
        const data = R.JointData.spherical(xyz(anchorA), xyz(anchorB));
        if (variant === 'rapier-mb') w.createMultibodyJoint(data, bodies[a], bodies[b], true);
        else w.createImpulseJoint(data, bodies[a], bodies[b], true).setContactsEnabled(false);
      },
      step: () => w.step(),
      read(out) {
        let o = 0;
        for (const body of bodies) {
          if (body) {
            const p = body.translation(),
              q = body.rotation(),
              v = body.linvel(),
              s = body.angvel();
            out[o] = p.x;
            out[o + 1] = p.y;
            out[o + 2] = p.z;
            out[o + 3] = q.x;
            out[o + 4] = q.y;
            out[o + 5] = q.z;
            out[o + 6] = q.w;
            out[o + 7] = v.x;
            out[o + 8] = v.y;
            out[o + 9] = v.z;
            out[o + 10] = s.x;
            out[o + 11] = s.y;
            out[o + 12] = s.z;
          }
          o += 13;
        }
      },
      free: () => w.free(),
    };
  }
  return {
    version: await versionOf(name),
    heap,
    world,
  };
}
