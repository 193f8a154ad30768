// MuJoCo, the official package: mujoco takes 8 steps a frame (near its own default of 2 ms), mujoco-60hz one,
// mujoco-ell one with elliptic cones. A model is compiled from XML, so bodies and joints are collected first.
// Joints become its trees of ball joints, loops become equalities.
import { withMemory } from '../memory.mjs';
import { conjugate, multiply, rotate, sub } from '../math.mjs';
import { packageFile, readBytes, versionOf } from '../packages.mjs';
import { hullFaces } from '../shapes.mjs';

export const variants = ['mujoco', 'mujoco-60hz', 'mujoco-ell'];

const DEEPEST = 120;

export async function load(variant) {
  const wasmBinary = await readBytes(packageFile('@mujoco/mujoco/mujoco.wasm'));
  const { default: create } = await import(packageFile('@mujoco/mujoco/mujoco.js'));
  const { value: M, heap } = await withMemory(() => create({ wasmBinary }));
  const subSteps = variant === 'mujoco' ? 8 : 1;
  const numbers = (a) => a.map((x) => +x.toPrecision(9)).join(' ');

  function geom(b, i, assets) {
    const s = b.shape,
      contact = b.collide ? '' : ' contype="0" conaffinity="0"';
    const mass = b.fixed ? '' : b.mass ? ` mass="${b.mass}"` : ` density="${b.density}"`;
    const common = `friction="${b.friction} 0.005 0.0001"${contact}${mass}`;
    if (s.type === 'box') return `<geom type="box" size="${numbers(s.half)}" ${common}/>`;
    if (s.type === 'sphere') return `<geom type="sphere" size="${s.radius}" ${common}/>`;
    if (s.type === 'capsule')
      return `<geom type="capsule" fromto="0 ${-s.half} 0 0 ${s.half} 0" size="${s.radius}" ${common}/>`;
    if (s.type === 'hull') {
      if (!assets.has(s))
        assets.set(
          s,
          `<mesh name="m${i}" vertex="${numbers(s.points.flat())}" face="${hullFaces(s.points)
            .flatMap(({ loop }) => loop.slice(2).map((_, k) => `${loop[0]} ${loop[k + 1]} ${loop[k + 2]}`))
            .join(' ')}"/>`,
        );
      return `<geom type="mesh" mesh="${assets.get(s).match(/name="(\w+)"/)[1]}" ${common}/>`;
    }
    if (s.type === 'mesh') throw new Error('MuJoCo takes a mesh for its convex hull: no S5 (see S5h)');
    const low = Math.min(...s.heights),
      span = Math.max(...s.heights) - low,
      half = ((s.n - 1) / 2) * s.cell,
      rows = [];
    // z up turned to y up; its first row is the farthest
    for (let k = 0; k < s.n; ++k) rows.push(...s.heights.slice(k * s.n, (k + 1) * s.n).map((h) => h - low));
    assets.set(
      s,
      `<hfield name="h${i}" nrow="${s.n}" ncol="${s.n}" size="${half} ${half} ${span} 1"
        elevation="${numbers(rows)}"/>`,
    );
    const upright = numbers([Math.SQRT1_2, -Math.SQRT1_2, 0, 0]);
    return `<geom type="hfield" hfield="h${i}" pos="0 ${low} 0" quat="${upright}" ${common}/>`;
  }

  function world({ gravity, iterations, dt }) {
    const bodies = [],
      joints = [];
    let model, data, ids;
    function commit() {
      const assets = new Map(),
        child = new Map(),
        loops = [];
      const tree = (i) => {
        let r = i;
        while (child.has(r)) r = child.get(r).parent;
        return r;
      };
      for (const j of joints) {
        // hang b on a where b is still a root of its own and not fixed
        if (!bodies[j.b].fixed && !child.has(j.b) && tree(j.a) !== j.b)
          child.set(j.b, { parent: j.a, at: j.anchorB });
        else if (!bodies[j.a].fixed && !child.has(j.a) && tree(j.b) !== j.a)
          child.set(j.a, { parent: j.b, at: j.anchorA });
        else loops.push(j);
      }
      const kids = new Map();
      for (const [i, { parent }] of child) kids.set(parent, [...(kids.get(parent) ?? []), i]);
      const xml = [];
      const place = (i, parent) => {
        const b = bodies[i],
          back = parent === undefined ? [0, 0, 0, 1] : conjugate(bodies[parent].rotation),
          q = multiply(back, b.rotation);
        return {
          p: parent === undefined ? b.position : rotate(back, sub(b.position, bodies[parent].position)),
          q: [q[3], q[0], q[1], q[2]],
        };
      };
      const write = (root) => {
        const stack = [[root, undefined, 0]];
        while (stack.length) {
          const top = stack.pop();
          if (typeof top === 'string') {
            xml.push(top);
            continue;
          }
          const [i, parent, level] = top,
            b = bodies[i],
            { p, q } = place(i, parent);
          if (level > DEEPEST)
            throw new Error(`the package's stack overflows on trees deeper than ${DEEPEST}`);
          const freedom = b.fixed
            ? ''
            : parent === undefined
              ? '<freejoint/>'
              : `<joint type="ball" pos="${numbers(child.get(i).at)}"/>`;
          xml.push(
            `<body name="b${i}" pos="${numbers(p)}" quat="${numbers(q)}">${freedom}${geom(b, i, assets)}`,
          );
          stack.push('</body>');
          for (const k of kids.get(i) ?? []) stack.push([k, i, level + 1]);
        }
      };
      bodies.forEach((_, i) => {
        if (!child.has(i)) write(i);
      });
      const equal = loops
        .map(({ a, b, anchorA }) => `<connect body1="b${a}" body2="b${b}" anchor="${numbers(anchorA)}"/>`)
        .join('');
      const exclude = joints
        .filter(({ a, b }) => bodies[a].collide && bodies[b].collide)
        .map(({ a, b }) => `<exclude body1="b${a}" body2="b${b}"/>`)
        .join('');
      const cone = variant === 'mujoco-ell' ? 'elliptic' : 'pyramidal';
      const most = iterations ? ` iterations="${iterations}"` : '';
      const text = `<mujoco><compiler angle="radian"/><size memory="${bodies.length > 500 ? 400 : 100}M"/>
        <option timestep="${dt / subSteps}" gravity="${gravity.join(' ')}" cone="${cone}"${most}/>
        <asset>${[...assets.values()].join('')}</asset><worldbody>${xml.join('')}</worldbody>
        <equality>${equal}</equality><contact>${exclude}</contact></mujoco>`;
      model = M.MjModel.from_xml_string(text);
      data = new M.MjData(model);
      ids = bodies.map((_, i) => M.mj_name2id(model, M.mjtObj.mjOBJ_BODY.value, `b${i}`));
      const address = model.jnt_dofadr,
        joint = model.body_jntadr,
        qvel = data.qvel;
      bodies.forEach((b, i) => {
        if (b.fixed || child.has(i)) return;
        const spin = rotate(conjugate(b.rotation), b.spin); // a free joint turns in the body's own axes
        [...b.velocity, ...spin].forEach((x, k) => {
          qvel[address[joint[ids[i]]] + k] = x;
        });
      });
      M.mj_forward(model, data);
    }

    return {
      addBody: (b) => bodies.push(b) - 1,
      addJoint: (j) => joints.push(j),
      commit,
      step() {
        for (let i = 0; i < subSteps; ++i) M.mj_step(model, data);
      },
      read(out) {
        M.mj_comPos(model, data);
        M.mj_comVel(model, data);
        const { xpos, xquat, xipos, cvel, subtree_com: com } = data,
          root = model.body_rootid;
        ids.forEach((id, i) => {
          const o = 13 * i,
            r = root[id];
          for (let k = 0; k < 3; ++k) out[o + k] = xpos[3 * id + k];
          for (let k = 0; k < 4; ++k) out[o + 3 + k] = xquat[4 * id + ((k + 1) & 3)];
          const w = [0, 1, 2].map((k) => cvel[6 * id + k]),
            d = [0, 1, 2].map((k) => xipos[3 * id + k] - com[3 * r + k]);
          out[o + 7] = cvel[6 * id + 3] + w[1] * d[2] - w[2] * d[1];
          out[o + 8] = cvel[6 * id + 4] + w[2] * d[0] - w[0] * d[2];
          out[o + 9] = cvel[6 * id + 5] + w[0] * d[1] - w[1] * d[0];
          for (let k = 0; k < 3; ++k) out[o + 10 + k] = w[k];
        });
      },
      stats: () => ({ nv: model.nv, ncon: data.ncon, nefc: data.nefc }),
      free() {
        data.delete();
        model.delete();
      },
    };
  }
  return { version: await versionOf('@mujoco/mujoco'), heap, world };
}
