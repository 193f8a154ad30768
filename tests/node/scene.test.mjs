// Scenes from text, bytes and objects; channels; errors with JSON paths.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flavours, getCairn, near, readScene, refuses } from './helpers.mjs';

const ball = {
  format: 'cairn-scene',
  version: 1,
  name: 'ball',
  bodies: [
    {
      name: 'ball',
      position: [0, 0, 2],
      geometries: [{ name: 'skin', shape: { type: 'sphere', radius: 0.5 } }],
    },
  ],
  geometries: [{ name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 } }],
  record: ['body/ball/position', 'contact/ball/*/points'],
};

for (const [flavour, getModule] of flavours) {
  test(`a scene is loaded from text, bytes and an object (${flavour})`, async () => {
    const cairn = await getModule();
    const text = JSON.stringify(ball);
    for (const input of [text, new TextEncoder().encode(text), ball]) {
      const scene = cairn.loadScene(input);
      assert.equal(scene.name, 'ball');
      assert.deepEqual(scene.record, ball.record);
      const body = scene.findBody('ball');
      assert.equal(scene.world.bodyAt(body.index), body);
      assert.equal(scene.findGeometry('skin').body, body);
      assert.equal(scene.findGeometry('ground').body, null);
      const position = scene.openChannel('body/ball/position');
      assert.deepEqual(position.read(), [0, 0, 2]);
      scene.step();
      scene.steps(9);
      assert.equal(scene.advance(1 / 60), 1);
      assert.equal(scene.world.stepCount, 11);
      near(position.read(), body.getPosition());
      assert.equal(position.readText(), JSON.stringify(position.read()));
      scene.dispose();
      scene.dispose();
      assert.equal(scene.world.isDisposed, true);
      refuses(() => scene.step(), { code: 'STALE_HANDLE' });
      refuses(() => scene.name, { code: 'STALE_HANDLE' });
      refuses(() => position.read(), { code: 'STALE_HANDLE' });
      refuses(() => body.getPosition(), { code: 'STALE_HANDLE' });
    }
  });
}

test('materials of a scene have their names, and friction the frame of a body', async () => {
  const cairn = await getCairn('st', 1);
  const scene = cairn.loadScene({
    ...ball,
    materials: [
      { name: 'wood', library: 'wood', wire: { stretchModulus: 6e9 } },
      { name: 'ski', friction: 0.1, restitution: 0.5, frictionModel: 'box' },
    ],
    contactMaterials: [
      {
        materials: ['wood', 'ski'],
        friction: [0.5, 0.25],
        frictionModel: { type: 'scaledBox', frame: 'ball', primary: [0, 1, 0], solve: 'direct' },
        rollingResistance: [0.5, 0.25],
        slide: [0, 1],
      },
    ],
    geometries: [
      { name: 'ground', shape: { type: 'plane', normal: [0, 0, 1], d: 0 }, friction: 0.75, restitution: 0 },
    ],
  });
  const { world } = scene;
  const [wood, ski] = ['wood', 'ski'].map((name) => world.findMaterial(name));
  assert.equal(wood.get().wire.stretchModulus, 6e9);
  assert.deepEqual([ski.get().roughness, ski.get().viscosity], [0.1, 0.5]);
  assert.equal(world.getPairProperties(ski, null).frictionModel.type, 'box');

  const pair = world.getPairProperties(ski, wood);
  assert.deepEqual(
    [...pair.friction, ...pair.rollingResistance, ...pair.slide],
    [0.5, 0.25, 0.5, 0.25, 0, 1],
  );
  assert.equal(pair.frictionModel.type, 'scaledBox');
  assert.equal(pair.frictionModel.solve, 'direct');
  assert.equal(pair.frictionModel.frame, scene.findBody('ball'));
  assert.deepEqual(pair.frictionModel.primary, [0, 1, 0]);
  scene.findBody('ball').destroy();
  assert.equal(world.getPairProperties(ski, wood).frictionModel.frame, null);

  const ground = scene.findGeometry('ground').material;
  assert.deepEqual([ground.get().roughness, ground.get().viscosity], [0.75, 1]);
  assert.equal(ground.name, undefined);
  world.validate();
  scene.dispose();
});

test('disposing the world disposes the scene', async () => {
  const cairn = await getCairn();
  const before = cairn.bytesInUse;
  const scene = cairn.loadScene(readScene('arch'));
  scene.steps(10);
  scene.world.dispose();
  assert.equal(scene.isDisposed, true);
  assert.equal(cairn.bytesInUse, before);
});

test('errors carry the JSON path, and nothing is left behind', async () => {
  const cairn = await getCairn();
  const before = cairn.bytesInUse;
  const change = (task) => {
    const copy = structuredClone(ball);
    task(copy);
    return copy;
  };
  const cases = [
    [change((scene) => (scene.bodies[0].mas = 1)), 'SCENE', '/bodies/0/mas'],
    [
      change((scene) => (scene.bodies[0].geometries[0].shape.radius = -1)),
      'SCENE',
      '/bodies/0/geometries/0/shape/radius',
    ],
    [change((scene) => (scene.version = 2)), 'SCENE', '/version'],
    [change((scene) => (scene.bodies[0].position = [0, 0])), 'SCENE', /\/bodies\/0\/position/],
    ['{', 'SCENE', /./],
    ['', 'SCENE', /./],
    [{}, 'SCENE', /./],
    [new Uint8Array([1, 2, 3]), 'SCENE', /./],
    [null, 'WRONG_TYPE', 'scene'],
    [5, 'WRONG_TYPE', 'scene'],
  ];
  for (const [input, code, argument] of cases) {
    refuses(() => cairn.loadScene(input), { code, argument, call: 'cairn.loadScene' });
  }
  refuses(() => cairn.loadScene(ball, { threads: 5 }), { code: 'OUT_OF_RANGE', argument: 'options.threads' });
  refuses(() => cairn.loadScene(ball, { thread: 1 }), { code: 'UNKNOWN_NAME' });
  const cyclic = {};
  cyclic.self = cyclic;
  refuses(() => cairn.loadScene(cyclic), { code: 'SCENE' });
  refuses(() => cairn.loadScene({ value: 1n }), { code: 'SCENE' });
  assert.equal(cairn.bytesInUse, before);

  const scene = cairn.loadScene(ball);
  refuses(() => scene.findBody('nobody'), { code: 'UNKNOWN_NAME' });
  refuses(() => scene.findGeometry(3), { code: 'WRONG_TYPE', argument: 'name' });
  refuses(() => scene.openChannel('body/nobody/position'), { code: 'UNKNOWN_NAME' });
  refuses(() => scene.openChannel('nonsense'), {});
  refuses(() => scene.openChannel('body/ball\0/position'), { code: 'OUT_OF_RANGE' });
  refuses(() => scene.steps(-1), { code: 'OUT_OF_RANGE' });
  scene.dispose();
});

test('lists of what there is', async () => {
  const cairn = await getCairn();
  const names = (kind) => cairn.list(kind).map((item) => item.name ?? item);
  assert.ok(names('materials').includes('steel'));
  assert.ok(names('shapes').includes('sphere'));
  assert.ok(cairn.list('contact-materials').length > 0);
  assert.ok(cairn.list('channels').length > 20);
  refuses(() => cairn.list('planets'), { code: 'OUT_OF_RANGE' });
  refuses(() => cairn.list(), { code: 'WRONG_TYPE' });
});
