// A mesh from a GLB file: the same triangles make its mass, its collisions and its picture.
export async function create(cairn, read) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, friction: 0.6 });
  await cairn.loadReaders(); // what reads files is loaded when it is wanted
  const { points, triangles } = cairn.readMesh(await read('knot.glb'));
  const shape = world.createShape({ type: 'trimesh', points, triangles });
  const knots = [0, 1, 2].map((i) =>
    world.createBody({
      position: [0.4 * i - 0.4, 0, 1.2 + 1.4 * i],
      geometries: [{ shape, friction: 0.6 }], // one shape, shared
    }),
  );
  return { world, knots, points, triangles };
}
