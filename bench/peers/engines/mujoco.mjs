// MuJoCo's official WebAssembly package. It knows a chain as a tree of bodies, each with a ball joint
// on the one before.
//
// The package's stack of 64 kB overflows where a model is compiled whose trees are deeper than about 120
// bodies, so a longer chain is cut into trees of 100, each with a free joint, that `connect` equalities join.
// The other way, every link a tree of its own, is there too: a tree's cost grows with the square of its
// depth, that of equalities does not. Both with one step a frame, and with eight, which is near MuJoCo's own
// default of 2 ms.
import fs from 'node:fs';
import create from '@mujoco/mujoco';
import { GRAVITY, LINK_INERTIA, LINK_LENGTH, TIME_STEP } from '../scenes.mjs';

export const variants = {
  'MuJoCo, trees, 1/60 s': { tree: 100, subSteps: 1 },
  'MuJoCo, trees, 8 × 1/480 s': { tree: 100, subSteps: 8 },
  'MuJoCo, connect, 1/60 s': { tree: 1, subSteps: 1 },
  'MuJoCo, connect, 8 × 1/480 s': { tree: 1, subSteps: 8 },
  'one tree': { tree: Infinity, subSteps: 1 },
};

function describe(chain, { tree, subSteps }) {
  const half = LINK_LENGTH / 2;
  const [x, y, z, w] = chain.rotation;
  const equalities = [];
  const bodies = [];
  for (let i = 0; i < chain.count; ++i) {
    const isRoot = i % tree === 0;
    const pose = isRoot
      ? `pos="${chain.centre(i).join(' ')}" quat="${[w, x, y, z].join(' ')}"`
      : `pos="${LINK_LENGTH} 0 0"`;
    const joint = i > 0 && isRoot ? '<freejoint/>' : `<joint type="ball" pos="${-half} 0 0"/>`;
    const mass = `<inertial pos="0 0 0" mass="${chain.mass(i)}" diaginertia="${LINK_INERTIA.join(' ')}"/>`;
    if (i > 0 && isRoot) {
      bodies.push('</body>'.repeat(tree));
      equalities.push(`<connect body1="b${i - 1}" body2="b${i}" anchor="${half} 0 0"/>`);
    }
    bodies.push(`<body name="b${i}" ${pose}>${joint}${mass}`);
  }
  bodies.push('</body>'.repeat(((chain.count - 1) % tree) + 1));
  return `<mujoco><size memory="400M"/>
    <option timestep="${TIME_STEP / subSteps}" gravity="${GRAVITY.join(' ')}"/>
    <worldbody>${bodies.join('')}</worldbody><equality>${equalities.join('')}</equality></mujoco>`;
}

export async function start(chain, options) {
  const read = (name) => fs.readFileSync(new URL(`../node_modules/@mujoco/mujoco/${name}`, import.meta.url));
  const mujoco = await create({ wasmBinary: read('mujoco.wasm') });
  const model = mujoco.MjModel.from_xml_string(describe(chain, options));
  const data = new mujoco.MjData(model);
  let steps = 0;
  return {
    version: JSON.parse(read('package.json').toString()).version,
    step() {
      for (let i = 0; i < options.subSteps; ++i) mujoco.mj_step(model, data);
      ++steps;
      // where accelerations are beyond its bounds MuJoCo puts the model back to its first pose, and time to 0
      if (data.time < (steps - 0.5) * TIME_STEP)
        throw new Error('accelerations out of bounds, MuJoCo started again');
    },
    read(poses) {
      const { xpos, xquat } = data;
      for (let i = 0, body = 1; i < chain.count; ++i, ++body) {
        for (let k = 0; k < 3; ++k) poses[7 * i + k] = xpos[3 * body + k];
        for (let k = 0; k < 4; ++k) poses[7 * i + 3 + k] = xquat[4 * body + ((k + 1) & 3)];
      }
    },
  };
}
