import initJolt from 'jolt-physics/wasm';
import wasmUrl from 'jolt-physics/jolt-physics.wasm.wasm?url';

export async function takeFirstStep() {
  const Jolt = await initJolt({ locateFile: () => wasmUrl });
  const settings = new Jolt.JoltSettings();
  const [still, moving] = [0, 1];
  const pairs = new Jolt.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(still, moving);
  pairs.EnableCollision(moving, moving);
  const broad = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  for (const layer of [still, moving]) {
    broad.MapObjectToBroadPhaseLayer(layer, new Jolt.BroadPhaseLayer(layer));
  }
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = broad;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(broad, 2, pairs, 2);
  const jolt = new Jolt.JoltInterface(settings);
  const bodies = jolt.GetPhysicsSystem().GetBodyInterface();
  const add = (shape, height, motion, layer) => {
    const position = new Jolt.RVec3(0, height, 0);
    const rotation = new Jolt.Quat(0, 0, 0, 1);
    const body = bodies.CreateBody(new Jolt.BodyCreationSettings(shape, position, rotation, motion, layer));
    bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
    return body;
  };
  add(new Jolt.BoxShape(new Jolt.Vec3(50, 0.5, 50), 0.05), 0, Jolt.EMotionType_Static, still);
  const ball = add(new Jolt.SphereShape(0.5), 5, Jolt.EMotionType_Dynamic, moving);
  jolt.Step(1 / 60, 1);
  return -ball.GetLinearVelocity().GetY();
}
