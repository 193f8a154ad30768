// Jolt: the plain package (one thread, no SIMD), and the threaded one (with SIMD) on 1 or 2 threads.
import { inPage, packageFile, versionOf } from '../packages.mjs';

export const variants = ['jolt', 'jolt-mt1', 'jolt-mt2'];

const LAYER = { fixed: 0, moving: 1, ghost: 2 };

export async function load(variant) {
  const threads = variant.includes('-mt') ? Number(variant.split('-mt')[1]) : 0;
  if (threads && !inPage) await startWorkers();
  const build = threads ? 'multithread.wasm-compat' : 'wasm-compat';
  const { default: create } = await import(packageFile(`jolt-physics/dist/jolt-physics.${build}.js`));
  const J = await create();
  const vec = ([x, y, z]) => new J.Vec3(x, y, z),
    rvec = ([x, y, z]) => new J.RVec3(x, y, z),
    quat = (q) => new J.Quat(...q);

  function shapeOf(s, density) {
    let shape;
    if (s.type === 'box') {
      const h = vec(s.half);
      shape = new J.BoxShape(h, Math.min(0.05, ...s.half));
      J.destroy(h);
    } else if (s.type === 'sphere') shape = new J.SphereShape(s.radius);
    else if (s.type === 'capsule') shape = new J.CapsuleShape(s.half, s.radius);
    else {
      let settings;
      if (s.type === 'hull') {
        settings = new J.ConvexHullShapeSettings();
        for (const p of s.points) {
          const v = vec(p);
          settings.mPoints.push_back(v);
          J.destroy(v);
        }
      } else if (s.type === 'mesh') {
        settings = new J.MeshShapeSettings();
        const f = new J.Float3(0, 0, 0),
          t = new J.IndexedTriangle(0, 0, 0, 0);
        for (let i = 0; i < s.vertices.length; i += 3) {
          [f.x, f.y, f.z] = s.vertices.slice(i, i + 3);
          settings.mTriangleVertices.push_back(f);
        }
        for (let i = 0; i < s.indices.length; i += 3) {
          for (let k = 0; k < 3; ++k) t.set_mIdx(k, s.indices[i + k]);
          settings.mIndexedTriangles.push_back(t);
        }
        settings.Sanitize();
      } else {
        // n must be a multiple of the block size: the last row and column are doubled as holes
        settings = new J.HeightFieldShapeSettings();
        const n = s.n + (s.n & 1),
          corner = (-(s.n - 1) / 2) * s.cell;
        settings.mOffset = vec([corner, 0, corner]);
        settings.mScale = vec([s.cell, 1, s.cell]);
        settings.mSampleCount = n;
        settings.mHeightSamples.resize(n * n);
        const samples = new Float32Array(
          J.HEAPF32.buffer,
          J.getPointer(settings.mHeightSamples.data()),
          n * n,
        ).fill(3.4028234663852886e38);
        for (let k = 0; k < s.n; ++k)
          for (let i = 0; i < s.n; ++i) samples[k * n + i] = s.heights[k * s.n + i];
      }
      const result = settings.Create();
      if (result.HasError()) throw new Error(`Jolt: ${result.GetError().c_str()}`);
      shape = result.Get();
    }
    if (shape.SetDensity) shape.SetDensity(density);
    else if (s.type === 'hull') J.castObject(shape, J.ConvexShape).SetDensity(density);
    return shape;
  }

  function world({ gravity, sleep, iterations }) {
    const settings = new J.JoltSettings();
    const pairs = new J.ObjectLayerPairFilterTable(3),
      broad = new J.BroadPhaseLayerInterfaceTable(3, 2);
    pairs.EnableCollision(LAYER.fixed, LAYER.moving);
    pairs.EnableCollision(LAYER.moving, LAYER.moving);
    for (const layer of Object.values(LAYER))
      broad.MapObjectToBroadPhaseLayer(layer, new J.BroadPhaseLayer(layer === LAYER.fixed ? 0 : 1));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = broad;
    settings.mObjectVsBroadPhaseLayerFilter = new J.ObjectVsBroadPhaseLayerFilterTable(broad, 2, pairs, 3);
    // what the package's 10 MB of scratch can take
    Object.assign(settings, { mMaxBodies: 10240, mMaxBodyPairs: 65536, mMaxContactConstraints: 20480 });
    if (threads) settings.mMaxWorkerThreads = threads - 1;
    const jolt = new J.JoltInterface(settings);
    J.destroy(settings);
    const system = jolt.GetPhysicsSystem(),
      bodyInterface = system.GetBodyInterface();
    const down = vec(gravity);
    system.SetGravity(down);
    if (iterations) {
      const physics = system.GetPhysicsSettings();
      physics.mNumVelocitySteps = iterations;
      system.SetPhysicsSettings(physics);
    }
    const bodies = [],
      collides = [],
      joints = [],
      shapes = new Map();
    return {
      addBody(b) {
        if (!shapes.has(b.shape)) shapes.set(b.shape, new Map());
        const known = shapes.get(b.shape);
        if (!known.has(b.density)) {
          const shape = shapeOf(b.shape, b.density);
          shape.AddRef();
          known.set(b.density, shape);
        }
        const shape = known.get(b.density),
          p = rvec(b.position),
          q = quat(b.rotation);
        const c = new J.BodyCreationSettings(
          shape,
          p,
          q,
          b.fixed ? J.EMotionType_Static : J.EMotionType_Dynamic,
          b.fixed && b.collide ? LAYER.fixed : b.collide ? LAYER.moving : LAYER.ghost,
        );
        c.mFriction = b.friction;
        c.mRestitution = b.restitution;
        c.mLinearDamping = c.mAngularDamping = 0;
        c.mMaxLinearVelocity = 500;
        c.mAllowSleeping = sleep;
        c.mApplyGyroscopicForce = !!b.gyroscopic;
        if (b.mass) {
          c.mOverrideMassProperties = J.EOverrideMassProperties_CalculateInertia;
          c.mMassPropertiesOverride.mMass = b.mass;
        }
        const body = bodyInterface.CreateBody(c);
        if (!b.fixed) {
          const v = vec(b.velocity),
            w = vec(b.spin);
          body.SetLinearVelocity(v);
          body.SetAngularVelocity(w);
          J.destroy(v);
          J.destroy(w);
        }
        bodyInterface.AddBody(body.GetID(), b.fixed ? J.EActivation_DontActivate : J.EActivation_Activate);
        J.destroy(c);
        J.destroy(p);
        J.destroy(q);
        collides.push(b.collide);
        return bodies.push(body) - 1;
      },
      removeBody(i) {
        const id = bodies[i].GetID();
        bodyInterface.RemoveBody(id);
        bodyInterface.DestroyBody(id);
        bodies[i] = undefined;
      },
      addJoint({ a, b, anchorA, anchorB }) {
        const s = new J.PointConstraintSettings(),
          pa = rvec(anchorA),
          pb = rvec(anchorB);
        s.mSpace = J.EConstraintSpace_LocalToBodyCOM;
        s.mPoint1 = pa;
        s.mPoint2 = pb;
        system.AddConstraint(s.Create(bodies[a], bodies[b]));
        J.destroy(s);
        J.destroy(pa);
        J.destroy(pb);
        if (collides[a] && collides[b]) joints.push([a, b]);
      },
      commit() {
        quiet();
        system.OptimizeBroadPhase();
      },
      step: (dt) => jolt.Step(dt, 1),
      read(out) {
        bodies.forEach((body, i) => {
          if (!body) return;
          const p = body.GetPosition(),
            q = body.GetRotation(),
            o = 13 * i;
          out[o] = p.GetX();
          out[o + 1] = p.GetY();
          out[o + 2] = p.GetZ();
          out[o + 3] = q.GetX();
          out[o + 4] = q.GetY();
          out[o + 5] = q.GetZ();
          out[o + 6] = q.GetW();
          const v = body.GetLinearVelocity();
          out[o + 7] = v.GetX();
          out[o + 8] = v.GetY();
          out[o + 9] = v.GetZ();
          const w = body.GetAngularVelocity();
          out[o + 10] = w.GetX();
          out[o + 11] = w.GetY();
          out[o + 12] = w.GetZ();
        });
      },
      free: () => J.destroy(jolt),
    };

    // Jolt lets jointed bodies collide: each linkage becomes a group with a table of who is joined to whom.
    function quiet() {
      const linkage = new Map();
      for (const [a, b] of joints) {
        const one = linkage.get(a) ?? [a],
          other = linkage.get(b) ?? [b];
        if (one === other && one.length > 1) continue;
        const both = [...one, ...other];
        for (const i of both) linkage.set(i, both);
      }
      let group = 0;
      for (const members of new Set(linkage.values())) {
        const table = new J.GroupFilterTable(members.length),
          sub = new Map(members.map((i, k) => [i, k]));
        for (const [a, b] of joints)
          if (sub.has(a) && sub.has(b)) table.DisableCollision(sub.get(a), sub.get(b));
        ++group;
        for (const i of members) {
          const g = new J.CollisionGroup(table, group, sub.get(i));
          bodyInterface.SetCollisionGroup(bodies[i].GetID(), g);
          J.destroy(g);
        }
      }
    }
  }
  return {
    version: await versionOf('jolt-physics'),
    heap: () => J.HEAPU8.buffer.byteLength,
    world,
  };
}

/**
 * The package's workers do not start themselves in Node (a slip in how they ask where they run), so they are
 * started here.
 */
async function startWorkers() {
  const { Worker } = await import('node:worker_threads');
  class Started extends Worker {
    constructor(url, options) {
      super(`import(${JSON.stringify(String(url))}).then((m) => m.default())`, { ...options, eval: true });
    }
  }
  Object.defineProperty(globalThis, 'Worker', { get: () => Started, set() {} });
}
