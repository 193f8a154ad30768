// What every client does with the package: a ball falls for a second, and a mesh file is read. What came
// of it goes to the console, where the suite finds it, whatever the page's policy forbids.

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
    return { flavour, threads, fallbackReason, milliseconds, height, triangles: mesh.triangles.length / 3 };
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
    return { flavour, threads, fallbackReason, milliseconds, height, triangles: mesh.triangles.length / 3 };
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}

/** @param {object} result */
export function report(result) {
  console.info(`cairn client: ${JSON.stringify(result)}`);
}
