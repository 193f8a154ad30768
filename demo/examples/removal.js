// Coins that a ball takes: what an event tells of may be destroyed by its handler.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const ball = world.createBody({
    position: [-5, 0, 0.3],
    velocity: [3, 0, 0],
    geometries: [{ shape: { type: 'sphere', radius: 0.3 } }],
  });
  const shape = { type: 'cylinder', radius: 0.2, height: 0.05 };
  const coins = Array.from({ length: 10 }, (_, i) =>
    world.createBody({
      motion: 'static',
      position: [i - 3.5, 0, 0.4],
      geometries: [{ shape, sensor: true }],
    }),
  );
  const taken = [];
  ball.on('sensorenter', ({ sensorBody }) => {
    taken.push(sensorBody);
    sensorBody.destroy();
  });
  const text = () => `${taken.length} of ${coins.length} coins`;
  return { world, ball, coins, taken, text };
}
