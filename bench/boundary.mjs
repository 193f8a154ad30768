// What crossing between JavaScript and the engine costs: npm run bench:boundary [-- --quick]
//
// Nanoseconds a call of the comfortable layer beside the raw export of the same function (which the engine
// checks too), one body made after another beside all in one call, poses of many bodies read from the
// columns, and bytes of garbage a frame. Everything in one run of one thread, so that ratios mean something
// on a busy machine; each time is the least of several repetitions.
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { load } from '../web/index.node.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const isQuick = process.argv.includes('--quick');
// many short repetitions: the least of them is one that nothing else on the machine got in the way of
const repetitions = isQuick ? 20 : 100;
const calls = 10_000;

const cairn = await load({ threads: 1 });

/** The least time of several, ms. @param {() => void} task */
function leastTime(task) {
  let least = Infinity;
  for (let i = 0; i < repetitions; ++i) {
    const start = performance.now();
    task();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

/** @param {string} title @param {string[]} heads */
function printHead(title, heads) {
  console.log(`\n## ${title}\n\n| ${heads.join(' | ')} |\n| ${heads.map(() => '---').join(' | ')} |`);
}

/** @param {(string | number)[]} cells */
const printRow = (cells) => console.log(`| ${cells.join(' | ')} |`);

// ---- calls ------------------------------------------------------------------------------------------------

/** A world of a ground and balls that rest on it, stepped until there are contacts. @param {number} count */
function makeBalls(count) {
  const world = cairn.createWorld();
  const ground = world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] } });
  const shape = world.createShape({ type: 'sphere', radius: 0.5 });
  const bodies = Array.from({ length: count }, (_, i) =>
    world.createBody({
      position: [1.5 * (i % 100), 1.5 * Math.floor(i / 100), 0.5],
      geometries: [{ shape }],
    }),
  );
  world.steps(3);
  return { world, ground, shape, bodies };
}

/**
 * Loops of one call each over all bodies: comfortable, and raw where the raw layer has the same.
 * @returns {[string, (n: number) => unknown, ((n: number) => unknown)?][]}
 */
function listCalls() {
  const { world, bodies } = makeBalls(1000);
  const { raw, memory } = cairn;
  const many = bodies.length;
  const { handle } = world;
  const handles = bodies.map((body) => body.handle);
  const geometries = bodies.map((body) => body.geometries()[0]);
  const out = new Float64Array(4);
  const plain = [0, 0, 0];
  const vector = [0, 0, 1];
  const rotation = [0, 0, 0, 1];
  const empty = cairn.createWorld();
  const hinge = world.createConstraint({ type: 'hinge', bodies: [bodies[0], bodies[1]] });
  const reader = world.createContactReader(bodies[0]);
  const cursor = world.contacts();
  /** What the raw layer leaves in memory has to be read, too. @param {number} lanes */
  const readResult = (lanes) => {
    const numbers = new Float64Array(memory.buffer, raw._cnw_GetResult(), lanes);
    return () => {
      for (let k = 0; k < lanes; ++k) out[k] = numbers[k];
    };
  };
  const read3 = readResult(3);
  const read4 = readResult(4);

  /** @param {(i: number) => unknown} call */
  const loop = (call) =>
    new Function(
      'call',
      'many',
      `return (n) => {
    let i = 0;
    for (let k = 0; k < n; ++k) {
      call(i);
      if (++i === many) i = 0;
    }
  }`,
    )(call, many);
  /** @param {string} name @param {(i: number) => unknown} call @param {(i: number) => unknown} [bare] */
  const row = (name, call, bare) => /** @type {any} */ ([name, loop(call), bare && loop(bare)]);
  return [
    row('(an empty loop)', () => {}),
    row(
      'body.getPosition(out)',
      (i) => bodies[i].getPosition(out),
      (i) => {
        raw._cnw_Body_GetPosition(handle, handles[i]);
        read3();
      },
    ),
    row('body.getPosition(array)', (i) => bodies[i].getPosition(plain)),
    row('body.getPosition()', (i) => bodies[i].getPosition()),
    row(
      'body.getRotation(out)',
      (i) => bodies[i].getRotation(out),
      (i) => {
        raw._cnw_Body_GetRotation(handle, handles[i]);
        read4();
      },
    ),
    row(
      'body.getVelocity(out)',
      (i) => bodies[i].getVelocity(out),
      (i) => {
        raw._cnw_Body_GetVelocity(handle, handles[i]);
        read3();
      },
    ),
    row(
      'body.mass',
      (i) => bodies[i].mass,
      (i) => raw._cnw_Body_GetMass(handle, handles[i]),
    ),
    row(
      'body.motion',
      (i) => bodies[i].motion,
      (i) => raw._cnw_Body_GetMotion(handle, handles[i]),
    ),
    row(
      'body.enabled',
      (i) => bodies[i].enabled,
      (i) => raw._cnw_Body_IsEnabled(handle, handles[i]),
    ),
    row(
      'body.isValid',
      (i) => bodies[i].isValid,
      (i) => raw._cnw_Body_IsValid(handle, handles[i]),
    ),
    row(
      'body.setVelocity(v)',
      (i) => bodies[i].setVelocity(vector),
      (i) => raw._cnw_Body_SetVelocity(handle, handles[i], vector[0], vector[1], vector[2]),
    ),
    row(
      'body.setAngularVelocity(v)',
      (i) => bodies[i].setAngularVelocity(vector),
      (i) => raw._cnw_Body_SetAngularVelocity(handle, handles[i], vector[0], vector[1], vector[2]),
    ),
    row(
      'body.applyForce(f)',
      (i) => bodies[i].applyForce(vector),
      (i) => raw._cnw_Body_ApplyForce(handle, handles[i], vector[0], vector[1], vector[2]),
    ),
    row(
      'body.applyTorque(t)',
      (i) => bodies[i].applyTorque(vector),
      (i) => raw._cnw_Body_ApplyTorque(handle, handles[i], vector[0], vector[1], vector[2]),
    ),
    row(
      'body.setPosition(p)',
      (i) => bodies[i].setPosition(vector),
      (i) => raw._cnw_Body_SetPosition(handle, handles[i], vector[0], vector[1], vector[2]),
    ),
    row(
      'body.setRotation(q)',
      (i) => bodies[i].setRotation(rotation),
      (i) => raw._cnw_Body_SetRotation(handle, handles[i], 0, 0, 0, 1),
    ),
    row('geometry.body', (i) => geometries[i].body),
    row('geometry.material', (i) => geometries[i].material),
    row('geometry.enabled', (i) => geometries[i].enabled),
    row('world.bodyAt(row)', (i) => world.bodyAt(i)),
    row('world.columns.bodies.position', () => world.columns.bodies.position),
    row(
      'world.time',
      () => world.time,
      () => raw._cnw_World_GetTime(handle),
    ),
    row('hinge.type', () => hinge.type),
    row('hinge.getCoordinate()', () => hinge.getCoordinate()),
    row('hinge.angle', () => hinge.angle),
    row('reader.getNormalForce(out)', () => reader.getNormalForce(out)),
    row('cursor.next(), getNormal(out)', () => {
      if (!cursor.next()) cursor.rewind().next();
      cursor.getNormal(out);
    }),
    row(
      'world.step(), empty world',
      () => empty.step(),
      () => raw._cnw_World_Step(empty.handle),
    ),
  ];
}

function measureCalls() {
  printHead('Calls', ['call', 'ns', 'raw export ns', 'ns of the layer']);
  const rows = listCalls();
  // as in a program that uses all of it: checks that calls share have met every kind of object
  for (let i = 0; i < 10; ++i) for (const [, call] of rows) call(1000);
  for (const [name, call, bare] of rows) {
    const n = name.startsWith('world.step') ? calls / 10 : calls;
    for (let i = 0; i < 10; ++i) call(n); // compiled
    for (let i = 0; i < 10; ++i) bare?.(n);
    const ns = (1e6 * leastTime(() => call(n))) / n;
    const rawNs = bare ? (1e6 * leastTime(() => bare(n))) / n : NaN;
    printRow([
      `\`${name}\``,
      ns.toFixed(1),
      bare ? rawNs.toFixed(1) : '',
      bare ? (ns - rawNs).toFixed(1) : '',
    ]);
  }
}

// ---- creation ---------------------------------------------------------------------------------------------

/** Columns of boxes in a cube, apart. @param {number} count */
function makeBoxes(count) {
  const side = Math.ceil(Math.cbrt(count));
  const positions = new Float64Array(3 * count);
  const rotations = new Float64Array(4 * count);
  for (let i = 0; i < count; ++i) {
    positions.set(
      [1.5 * (i % side), 1.5 * (Math.floor(i / side) % side), 1.5 * Math.floor(i / side ** 2)],
      3 * i,
    );
    rotations.set([0, 0, 0, 1], 4 * i);
  }
  return { positions, rotations };
}

/** @param {number} count */
function measureCreation(count) {
  const { positions, rotations } = makeBoxes(count);
  const box = /** @type {const} */ ({ type: 'box', halfExtents: [0.5, 0.5, 0.5] });
  /** @param {(world: any) => void} create */
  const timeOf = (create) => {
    let least = Infinity;
    let hash = '';
    for (let i = 0; i < (isQuick ? 3 : 10); ++i) {
      const world = cairn.createWorld();
      const start = performance.now();
      create(world);
      least = Math.min(least, performance.now() - start);
      hash = world.hash();
      world.dispose();
      collectGarbage();
    }
    return { ms: least, hash };
  };
  /** @param {any} world @param {any} shape */
  const oneByOne = (world, shape) => {
    for (let i = 0; i < count; ++i)
      world.createBody({
        position: positions.subarray(3 * i, 3 * i + 3),
        rotation: rotations.subarray(4 * i, 4 * i + 4),
        geometries: [{ shape }],
      });
  };
  const ways = /** @type {[string, (world: any) => void][]} */ ([
    ['one by one, a shape each', (world) => oneByOne(world, box)],
    ['one by one, a shared shape', (world) => oneByOne(world, world.createShape(box))],
    [
      '`createBodies`, a shared shape',
      (world) =>
        world.createBodies({ count, positions, rotations, geometry: { shape: world.createShape(box) } }),
    ],
    [
      '`createBodies`, and a `Body` of each',
      (world) => [
        ...world.createBodies({ count, positions, rotations, geometry: { shape: world.createShape(box) } }),
      ],
    ],
  ]);
  const results = ways.map(([, create]) => timeOf(create));
  printHead(`${count} boxes`, ['way', 'ms', 'µs a body', 'times as long as one call', 'state']);
  ways.forEach(([name], i) => {
    const { ms, hash } = results[i];
    printRow([name, ms.toFixed(2), ((1e3 * ms) / count).toFixed(2), (ms / results[2].ms).toFixed(1), hash]);
  });
}

// ---- frames -----------------------------------------------------------------------------------------------

/** Bytes of garbage a frame, the least of many rounds. @param {() => void} frame */
async function garbageOf(frame) {
  const frames = 100;
  let least = Infinity;
  for (let round = 0; round < 40 && least > 0; ++round) {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < frames; ++i) frame();
    least = Math.min(least, process.memoryUsage().heapUsed - before - readingCost);
    await new Promise((resolve) => setTimeout(resolve, 5)); // the optimising compiler works beside us
  }
  return Math.max(0, least) / frames;
}

/** Bytes that asking for the heap's size takes itself. */
let readingCost = 0;
function measureReading() {
  let least = Infinity;
  for (let i = 0; i < 20; ++i) {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    least = Math.min(least, process.memoryUsage().heapUsed - before);
  }
  readingCost = least;
}

/** @param {number} count */
async function measurePoses(count) {
  const world = cairn.createWorld({ gravity: [0, 0, 0] });
  const { positions } = makeBoxes(count);
  const bodies = world.createBodies({
    count,
    positions,
    geometry: { shape: { type: 'sphere', radius: 0.5 } },
  });
  const target = new Float32Array(8 * count);
  const { rows, columns } = { rows: bodies.rows, columns: world.columns };
  const numbers = new Float32Array(1);
  const ways = /** @type {[string, () => void][]} */ ([
    ['the view alone (what a renderer uploads from)', () => (numbers[0] = columns.bodies.renderPose[0])],
    ['copied, `target.set(renderPose)`', () => target.set(columns.bodies.renderPose)],
    [
      'copied one by one, by row',
      () => {
        const { renderPose } = columns.bodies;
        for (let i = 0; i < count; ++i)
          for (let k = 0; k < 8; ++k) target[8 * i + k] = renderPose[8 * rows[i] + k];
      },
    ],
  ]);
  printHead(`Poses of ${count} bodies a frame`, ['way', 'µs', 'bytes of garbage']);
  for (const [name, frame] of ways) {
    for (let i = 0; i < 20; ++i) frame();
    printRow([name, (1e3 * leastTime(frame)).toFixed(2), await garbageOf(frame)]);
  }
  world.dispose();
}

async function measureFrames() {
  const { world, bodies } = makeBalls(500);
  const vector = new Float64Array(3);
  const quaternion = new Float64Array(4);
  const push = [0, 0, 0.1];
  const sum = new Float64Array(1);
  const reader = world.createContactReader(bodies[0]);
  const step = () => world.step();
  const getters = () => {
    for (let i = 0; i < bodies.length; ++i) {
      bodies[i].getPosition(vector);
      bodies[i].getRotation(quaternion);
      bodies[i].getVelocity(vector);
      bodies[i].applyForce(push);
      bodies[i].setVelocity(vector);
    }
  };
  const poses = () => {
    const { renderPose, rows } = world.columns.bodies;
    for (let row = 0; row < rows; ++row) sum[0] += renderPose[8 * row + 2];
  };
  const contacts = () => {
    const cursor = world.contacts();
    while (cursor.next()) {
      cursor.getNormal(vector);
      for (let i = 0; i < cursor.pointCount; ++i) cursor.getPointPosition(i, vector);
    }
    reader.getForce(vector);
  };
  printHead('Garbage a frame, 500 bodies with contacts', ['frame', 'bytes']);
  const frames = /** @type {[string, () => void][]} */ ([
    ['`step()` (twelve readings of the clock for `getProfile`, 16 bytes each)', step],
    ['poses from the columns', poses],
    ['`getPosition(out)` … `setVelocity`, five calls a body', getters],
    ['contacts by cursor and reader', contacts],
    ['all of them', () => (step(), poses(), getters(), contacts())],
    ['`advance(1 / 60)`', () => void world.advance(1 / 60)],
  ]);
  for (const [name, frame] of frames) printRow([name, await garbageOf(frame)]);
  world.dispose();
}

measureReading();
measureCreation(5000);
await measurePoses(100_000);
await measureFrames();
measureCalls();
cairn.dispose();
