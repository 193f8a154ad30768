// PhysX 5 by its WebIDL bindings: the default solver (PGS), and physx-tgs.
import { inPage, packageFile, readBytes } from '../packages.mjs';

export const variants = ['physx', 'physx-tgs'];

const GYROSCOPIC = 1 << 10; // PxRigidBodyFlag::eENABLE_GYROSCOPIC_FORCES, which the bindings do not name

export async function load(variant) {
  const wasmBinary = await readBytes(packageFile('physx-js-webidl/physx-js-webidl.wasm'));
  const { default: create } = await import(packageFile('physx-js-webidl/physx-js-webidl.mjs'));
  const start = () => create({ wasmBinary });
  const P = await (inPage ? start() : likeABrowser(start));
  const foundation = P.CreateFoundation(
    P.PHYSICS_VERSION,
    new P.PxDefaultAllocator(),
    new P.PxDefaultErrorCallback(),
  );
  const scale = new P.PxTolerancesScale(),
    physics = P.CreatePhysics(P.PHYSICS_VERSION, foundation, scale);
  P.InitExtensions(physics);
  const cooking = new P.PxCookingParams(scale),
    dispatcher = P.DefaultCpuDispatcherCreate(0);
  const { eSIMULATION_SHAPE } = P.PxShapeFlagEnum,
    bodyTools = P.PxRigidBodyExt.prototype;
  const everything = new P.PxFilterData(1, 1, 0, 0); // group, mask
  const vec = ([x, y, z]) => new P.PxVec3(x, y, z);
  const transform = (p, q) => {
    const v = vec(p),
      r = new P.PxQuat(...q),
      t = new P.PxTransform(v, r);
    P.destroy(v);
    P.destroy(r);
    return t;
  };
  const give = (array) => {
    const p = P._malloc(array.byteLength);
    new Uint8Array(P.HEAPU8.buffer, p, array.byteLength).set(new Uint8Array(array.buffer));
    return p;
  };
  const data = (into, array, stride) => {
    into.count = array.byteLength / stride;
    into.stride = stride;
    into.data = give(array);
  };

  const geometryOf = (s) => {
    if (s.type === 'box') return new P.PxBoxGeometry(...s.half);
    if (s.type === 'sphere') return new P.PxSphereGeometry(s.radius);
    if (s.type === 'capsule') return new P.PxCapsuleGeometry(s.radius, s.half);
    if (s.type === 'hull') {
      const desc = new P.PxConvexMeshDesc();
      data(desc.points, Float32Array.from(s.points.flat()), 12);
      desc.flags = new P.PxConvexFlags(P.PxConvexFlagEnum.eCOMPUTE_CONVEX);
      return new P.PxConvexMeshGeometry(
        P.CreateConvexMesh(cooking, desc),
        new P.PxMeshScale(new P.PxVec3(1, 1, 1), new P.PxQuat(0, 0, 0, 1)),
        new P.PxConvexMeshGeometryFlags(P.PxConvexMeshGeometryFlagEnum.eTIGHT_BOUNDS),
      );
    }
    if (s.type === 'mesh') {
      const desc = new P.PxTriangleMeshDesc();
      data(desc.points, Float32Array.from(s.vertices), 12);
      data(desc.triangles, Uint32Array.from(s.indices), 12);
      return new P.PxTriangleMeshGeometry(
        P.CreateTriangleMesh(cooking, desc),
        new P.PxMeshScale(new P.PxVec3(1, 1, 1), new P.PxQuat(0, 0, 0, 1)),
        new P.PxMeshGeometryFlags(0),
      );
    }
    const most = Math.max(...s.heights.map(Math.abs)),
      samples = new DataView(new ArrayBuffer(4 * s.n * s.n));
    for (let k = 0; k < s.n; ++k)
      for (let i = 0; i < s.n; ++i)
        // rows run along x
        samples.setInt16(4 * (i * s.n + k), Math.round((s.heights[k * s.n + i] / most) * 32767), true);
    const desc = new P.PxHeightFieldDesc();
    desc.nbRows = desc.nbColumns = s.n;
    desc.samples.stride = 4;
    desc.samples.data = give(new Uint8Array(samples.buffer));
    return new P.PxHeightFieldGeometry(
      P.CreateHeightField(desc),
      new P.PxMeshGeometryFlags(0),
      most / 32767,
      s.cell,
      s.cell,
    );
  };

  function world({ gravity, sleep, iterations }) {
    const desc = new P.PxSceneDesc(scale);
    desc.gravity = vec(gravity);
    desc.cpuDispatcher = dispatcher;
    desc.filterShader = P.DefaultFilterShader();
    if (variant === 'physx-tgs') desc.solverType = P.PxSolverTypeEnum.eTGS;
    const scene = physics.createScene(desc),
      bodies = [],
      geometries = new Map(),
      materials = new Map();
    const materialOf = ({ friction, restitution }) => {
      const key = `${friction} ${restitution}`;
      if (!materials.has(key)) materials.set(key, physics.createMaterial(friction, friction, restitution));
      return materials.get(key);
    };
    const capsuleTurn = [0, 0, Math.SQRT1_2, Math.SQRT1_2]; // its capsules lie along x
    return {
      addBody(b) {
        const s = b.shape,
          corner = s.type === 'field' ? (-(s.n - 1) / 2) * s.cell : 0;
        if (!geometries.has(s)) geometries.set(s, geometryOf(s));
        const pose = transform([b.position[0] + corner, b.position[1], b.position[2] + corner], b.rotation);
        const body = b.fixed ? physics.createRigidStatic(pose) : physics.createRigidDynamic(pose);
        P.destroy(pose);
        const shape = physics.createShape(geometries.get(s), materialOf(b), true);
        if (s.type === 'capsule') {
          const t = transform([0, 0, 0], capsuleTurn);
          shape.setLocalPose(t);
          P.destroy(t);
        }
        if (b.collide) shape.setSimulationFilterData(everything);
        body.attachShape(shape);
        if (!b.fixed) {
          if (b.mass) bodyTools.setMassAndUpdateInertia(body, b.mass);
          else bodyTools.updateMassAndInertia(body, b.density);
          const v = vec(b.velocity),
            w = vec(b.spin);
          body.setLinearVelocity(v);
          body.setAngularVelocity(w);
          P.destroy(v);
          P.destroy(w);
          body.setAngularDamping(0);
          body.setLinearDamping(0);
          body.setMaxAngularVelocity(1e3);
          if (!sleep) body.setSleepThreshold(0);
          if (iterations) body.setSolverIterationCounts(iterations, 1);
          if (b.gyroscopic) body.setRigidBodyFlag(GYROSCOPIC, true);
        }
        // after its mass is taken: other shapes do not count
        if (!b.collide) shape.setFlag(eSIMULATION_SHAPE, false);
        shape.release();
        scene.addActor(body);
        return bodies.push(body) - 1;
      },
      removeBody(i) {
        scene.removeActor(bodies[i]);
        bodies[i].release();
        bodies[i] = undefined;
      },
      addJoint({ a, b, anchorA, anchorB }) {
        const ta = transform(anchorA, [0, 0, 0, 1]),
          tb = transform(anchorB, [0, 0, 0, 1]);
        P.SphericalJointCreate(physics, bodies[a], ta, bodies[b], tb);
        P.destroy(ta);
        P.destroy(tb);
      },
      step(dt) {
        scene.simulate(dt);
        scene.fetchResults(true);
      },
      read(out) {
        bodies.forEach((body, i) => {
          if (!body) return;
          const pose = body.getGlobalPose(),
            { p, q } = pose,
            o = 13 * i;
          out[o] = p.x;
          out[o + 1] = p.y;
          out[o + 2] = p.z;
          out[o + 3] = q.x;
          out[o + 4] = q.y;
          out[o + 5] = q.z;
          out[o + 6] = q.w;
          if (!body.getLinearVelocity) return;
          const v = body.getLinearVelocity();
          out[o + 7] = v.x;
          out[o + 8] = v.y;
          out[o + 9] = v.z;
          const w = body.getAngularVelocity();
          out[o + 10] = w.x;
          out[o + 11] = w.y;
          out[o + 12] = w.z;
        });
      },
      free() {
        bodies.forEach((b) => b && b.release());
        scene.release();
      },
    };
  }
  const v = P.PHYSICS_VERSION;
  return {
    version: `${v >>> 24}.${(v >>> 16) & 255}.${(v >>> 8) & 255}`,
    heap: () => P.HEAPU8.buffer.byteLength,
    world,
  };
}

/**
 * The package refuses to start in Node; as it asks for nothing but its .wasm, it may think that it is in a
 * worker.
 */
async function likeABrowser(work) {
  const versions = Object.getOwnPropertyDescriptor(process, 'versions');
  Object.defineProperty(process, 'versions', {
    ...versions,
    value: { ...process.versions, node: undefined },
  });
  globalThis.WorkerGlobalScope ??= class {};
  globalThis.self ??= globalThis;
  globalThis.location ??= { href: import.meta.url };
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'versions', versions);
  }
}
