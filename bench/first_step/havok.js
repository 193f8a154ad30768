import createHavok from '@babylonjs/havok';
import wasmUrl from '@babylonjs/havok/lib/esm/HavokPhysics.wasm?url';

export async function takeFirstStep() {
  const H = await createHavok({ locateFile: () => wasmUrl });
  const still = [0, 0, 0, 1];
  const [, world] = H.HP_World_Create();
  H.HP_World_SetGravity(world, [0, -9.81, 0]);
  H.HP_World_SetIdealStepTime(world, 1 / 60);
  const add = (shape, height, motion) => {
    const [, body] = H.HP_Body_Create();
    H.HP_Body_SetShape(body, shape);
    H.HP_Body_SetMotionType(body, motion);
    H.HP_Body_SetMassProperties(body, H.HP_Shape_BuildMassProperties(shape)[1]);
    H.HP_Body_SetQTransform(body, [[0, height, 0], still]);
    H.HP_World_AddBody(world, body, false);
    return body;
  };
  add(H.HP_Shape_CreateBox([0, 0, 0], still, [100, 1, 100])[1], 0, H.MotionType.STATIC);
  const ball = add(H.HP_Shape_CreateSphere([0, 0, 0], 0.5)[1], 5, H.MotionType.DYNAMIC);
  H.HP_World_Step(world, 1 / 60);
  return -H.HP_Body_GetLinearVelocity(ball)[1][1];
}
