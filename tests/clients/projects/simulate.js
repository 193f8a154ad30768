// What every client does with the package: a ball falls for a second, a mesh file is read, and a heap comes
// to the same state to the bit. What came of it goes to the console, where the suite finds it, whatever the
// page's policy forbids.

/**
 * Something with contacts, friction and joints, whose state is the same to the bit wherever it is computed.
 * @param {any} world of a page or of a worker
 */
function addHeap(world) {
  world.createGeometry({ shape: { type: 'plane', normal: [0.1, 0, 1] } });
  const bodies = Array.from({ length: 20 }, (_, i) =>
    world.createBody({
      position: [3 + 0.1 * (i % 3), 0.07 * i, 1 + 0.6 * i],
      geometries: [
        { shape: i % 2 ? { type: 'box', halfExtents: [0.3, 0.2, 0.25] } : { type: 'sphere', radius: 0.3 } },
      ],
    }),
  );
  world.createConstraint({ type: 'ball', bodies: [bodies[3], bodies[4]] });
}

/**
 * @param {(options: object) => Promise<any>} load of cairn-physics
 * @param {object} [options]
 * @returns {Promise<object>}
 */
export async function simulate(load, options = {}) {
  const start = performance.now();
  try {
    const cairn = await load({ threads: 2, ...options });
    const world = cairn.createWorld();
    const ball = world.createBody({
      position: [0, 0, 9],
      geometries: [{ shape: { type: 'sphere', radius: 1 } }],
    });
    world.step();
    const milliseconds = performance.now() - start;
    world.steps(59);
    await cairn.loadReaders();
    const mesh = cairn.readMesh(new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3'));
    const { flavour, threads, fallbackReason } = cairn;
    const height = ball.getPosition()[2];
    addHeap(world);
    world.steps(120);
    const triangles = mesh.triangles.length / 3;
    return { flavour, threads, fallbackReason, milliseconds, height, triangles, hash: world.hash() };
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}

/**
 * The same with the engine in a worker.
 * @param {(options: object) => Promise<any>} loadInWorker of cairn-physics/worker
 * @returns {Promise<object>}
 */
export async function simulateInWorker(loadInWorker) {
  const start = performance.now();
  try {
    const cairn = await loadInWorker({ threads: 2 });
    const world = cairn.createWorld();
    const geometries = [{ shape: { type: 'sphere', radius: 1 } }];
    const ball = world.createBody({ position: [0, 0, 9], geometries });
    await world.step();
    const milliseconds = performance.now() - start;
    await world.steps(59);
    await cairn.loadReaders();
    const mesh = await cairn.readMesh(new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3'));
    const [, , height] = await ball.getPosition();
    const { flavour, threads, fallbackReason } = cairn;
    addHeap(world);
    await world.steps(120);
    const hash = await world.hash();
    const triangles = mesh.triangles.length / 3;
    return { flavour, threads, fallbackReason, milliseconds, height, triangles, hash };
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}

/** @param {object} result */
export function report(result) {
  console.info(`cairn client: ${JSON.stringify(result)}`);
}
