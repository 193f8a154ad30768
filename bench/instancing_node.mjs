// The scene of bench/instancing.mjs on one engine without a page: node bench/instancing_node.mjs ENGINE
// BODIES.
//
// The clock that an add-on sees goes on by 1/60 s a call, and what is timed is the processor's time of the
// process, which a busy machine changes little. Prints the phases as JSON.
import { register } from 'node:module';
import { BoxGeometry, IcosahedronGeometry, InstancedMesh, Matrix4, Mesh, Scene, Vector3 } from 'three';

const PERIOD = 1000 / 60; // ms
const [engine, bodies] = process.argv.slice(2);
const count = Math.round(Number(bodies) / 2);
register('./local_packages.mjs', import.meta.url);

// the same random numbers for all
let state = 1;
Math.random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return (state >>> 8) / 2 ** 24;
};

const physics = await start();
const meshes = [new BoxGeometry(0.075, 0.075, 0.075), new IcosahedronGeometry(0.05, 4)].map(makeInstances);
const scene = new Scene();
const floor = new Mesh(new BoxGeometry(10, 5, 10));
floor.position.y = -2.5;
floor.userData.physics = { mass: 0 };
scene.add(floor, ...meshes);
physics.addScene(scene);

const phases = { start: measure(240, true), active: measure(240, true) };
measure(1200, false);
phases.rest = measure(240, false);
console.log(JSON.stringify(phases));
process.exit();

/** The add-on, with what it does in intervals as `step`. */
async function start() {
  const addOns = {
    rapier: ['three/addons/physics/RapierPhysics.js', 'RapierPhysics'],
    jolt: ['three/addons/physics/JoltPhysics.js', 'JoltPhysics'],
  };
  let made;
  let task;
  const { setInterval: set } = globalThis;
  globalThis.setInterval = (callback, period) => {
    if (Math.abs(period - PERIOD) > 0.1) return set(callback, period);
    task = callback;
    return 0;
  };
  if (engine === 'cairn') {
    const { load } = await import('../web/index.node.js');
    const { CairnPhysics } = await import('../web/three.node.js');
    made = await CairnPhysics({ cairn: await load({ flavour: 'st' }) });
  } else {
    const [module, name] = addOns[engine];
    made = await (await import(module))[name]();
  }
  let now = performance.now();
  performance.now = () => now;
  const step = () => {
    now += PERIOD;
    task();
  };
  return { ...made, step };
}

function makeInstances(geometry) {
  const mesh = new InstancedMesh(geometry, undefined, count);
  mesh.userData.physics = { mass: 1 };
  const place = new Matrix4();
  for (let i = 0; i < count; ++i)
    mesh.setMatrixAt(i, place.setPosition(Math.random() - 0.5, 2 * Math.random(), Math.random() - 0.5));
  return mesh;
}

/** Milliseconds of some steps, with one body of each kind taken to the top after each where it is `busy`. */
function measure(steps, busy) {
  const times = [];
  const top = new Vector3();
  for (let k = 0; k < steps; ++k) {
    const before = process.cpuUsage();
    physics.step();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    for (const mesh of busy ? meshes : []) {
      top.set(0, 1 + Math.random(), 0);
      physics.setMeshPosition(mesh, top, Math.floor(count * Math.random()));
    }
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(part * steps)];
  return { p10: at(0.1), median: at(0.5), p95: at(0.95) };
}
