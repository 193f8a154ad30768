// Havok, by its plain HP_ calls (as Babylon.js uses them). It has no sleeping switch but activation control
// per body.
import { packageFile, readBytes, versionOf } from '../packages.mjs';

export const variants = ['havok'];

export async function load() {
  const wasmBinary = await readBytes(packageFile('@babylonjs/havok/lib/esm/HavokPhysics.wasm'));
  const { default: create } = await import(packageFile('@babylonjs/havok/lib/esm/HavokPhysics_es.js'));
  const H = await create({ wasmBinary });
  const ok = (r) => {
    const code = Array.isArray(r) ? r[0] : r;
    if (code !== H.Result.RESULT_OK && code?.value !== 0)
      throw new Error(`Havok says ${code?.value ?? code}`);
    return Array.isArray(r) ? r[1] : undefined;
  };
  const { LOCKED } = H.ConstraintAxisLimitMode,
    { MotionType, MaterialCombine } = H;
  const give = (array) => {
    const p = H._malloc(array.length * 4);
    new array.constructor(H.HEAPU8.buffer, p, array.length).set(array);
    return p;
  };

  const shapes = new Map(); // bodies of one shape and material share it
  const shapeOf = (b) => {
    const { shape: s } = b,
      key = [b.density, b.friction, b.restitution, b.collide].join();
    if (!shapes.has(s)) shapes.set(s, new Map());
    const known = shapes.get(s);
    if (known.has(key)) return known.get(key);
    let id;
    if (s.type === 'box')
      id = ok(
        H.HP_Shape_CreateBox(
          [0, 0, 0],
          [0, 0, 0, 1],
          s.half.map((x) => 2 * x),
        ),
      );
    else if (s.type === 'sphere') id = ok(H.HP_Shape_CreateSphere([0, 0, 0], s.radius));
    else if (s.type === 'capsule')
      id = ok(H.HP_Shape_CreateCapsule([0, -s.half, 0], [0, s.half, 0], s.radius));
    else if (s.type === 'hull')
      id = ok(H.HP_Shape_CreateConvexHull(give(Float32Array.from(s.points.flat())), s.points.length));
    else if (s.type === 'mesh')
      id = ok(
        H.HP_Shape_CreateMesh(
          give(Float32Array.from(s.vertices)),
          s.vertices.length / 3,
          give(Int32Array.from(s.indices)),
          s.indices.length / 3,
        ),
      );
    else {
      // centred, and z runs fastest, whatever its documentation says
      const heights = new Float32Array(s.n * s.n);
      for (let k = 0; k < s.n; ++k)
        for (let i = 0; i < s.n; ++i) heights[i * s.n + k] = s.heights[k * s.n + i];
      id = ok(H.HP_Shape_CreateHeightField(s.n, s.n, [s.cell, 1, s.cell], give(heights)));
    }
    ok(H.HP_Shape_SetDensity(id, b.density));
    ok(
      H.HP_Shape_SetMaterial(id, [
        b.friction,
        b.friction,
        b.restitution,
        MaterialCombine.GEOMETRIC_MEAN,
        MaterialCombine.MAXIMUM,
      ]),
    );
    if (!b.collide) ok(H.HP_Shape_SetFilterInfo(id, [1, 0]));
    known.set(key, id);
    return id;
  };

  function world({ gravity, sleep }) {
    const w = ok(H.HP_World_Create()),
      bodies = [],
      joints = [];
    ok(H.HP_World_SetGravity(w, gravity));
    return {
      addBody(b) {
        const id = ok(H.HP_Body_Create()),
          shape = shapeOf(b);
        ok(H.HP_Body_SetShape(id, shape));
        ok(H.HP_Body_SetMotionType(id, b.fixed ? MotionType.STATIC : MotionType.DYNAMIC));
        ok(H.HP_Body_SetQTransform(id, [b.position, b.rotation]));
        if (!b.fixed) {
          const mass = ok(H.HP_Shape_BuildMassProperties(shape));
          if (b.mass) mass[1] = b.mass; // its inertia is that of one kilogram
          ok(H.HP_Body_SetMassProperties(id, mass));
          ok(H.HP_Body_SetLinearDamping(id, 0));
          ok(H.HP_Body_SetAngularDamping(id, 0));
          ok(H.HP_Body_SetLinearVelocity(id, b.velocity));
          ok(H.HP_Body_SetAngularVelocity(id, b.spin));
          if (!sleep) ok(H.HP_Body_SetActivationControl(id, H.ActivationControl.ALWAYS_ACTIVE));
        }
        ok(H.HP_World_AddBody(w, id, false));
        return bodies.push(id) - 1;
      },
      removeBody(i) {
        ok(H.HP_World_RemoveBody(w, bodies[i]));
        ok(H.HP_Body_Release(bodies[i]));
        bodies[i] = undefined;
      },
      addJoint({ a, b, anchorA, anchorB }) {
        const c = ok(H.HP_Constraint_Create());
        ok(H.HP_Constraint_SetParentBody(c, bodies[a]));
        ok(H.HP_Constraint_SetChildBody(c, bodies[b]));
        ok(H.HP_Constraint_SetAnchorInParent(c, anchorA, [1, 0, 0], [0, 1, 0]));
        ok(H.HP_Constraint_SetAnchorInChild(c, anchorB, [1, 0, 0], [0, 1, 0]));
        for (const axis of [H.ConstraintAxis.LINEAR_X, H.ConstraintAxis.LINEAR_Y, H.ConstraintAxis.LINEAR_Z])
          ok(H.HP_Constraint_SetAxisMode(c, axis, LOCKED));
        ok(H.HP_Constraint_SetCollisionsEnabled(c, 0));
        ok(H.HP_Constraint_SetEnabled(c, 1));
        joints.push(c);
      },
      step: (dt) => H.HP_World_Step(w, dt),
      read(out) {
        bodies.forEach((id, i) => {
          if (!id) return;
          const [p, q] = ok(H.HP_Body_GetQTransform(id));
          out.set(
            [...p, ...q, ...ok(H.HP_Body_GetLinearVelocity(id)), ...ok(H.HP_Body_GetAngularVelocity(id))],
            13 * i,
          );
        });
      },
      free() {
        joints.forEach((c) => H.HP_Constraint_Release(c));
        bodies.forEach((id) => {
          if (id) {
            H.HP_World_RemoveBody(w, id);
            H.HP_Body_Release(id);
          }
        });
        ok(H.HP_World_Release(w));
      },
    };
  }
  return {
    version: await versionOf('@babylonjs/havok'),
    heap: () => H.HEAPU8.buffer.byteLength,
    world,
  };
}
