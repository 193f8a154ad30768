// Cairn, from a built checkout: this one, or the one that CAIRN_DIR names.
import { inPage, readText } from '../packages.mjs';

export const variants = ['cairn', 'cairn-iterative', 'cairn-split', 'cairn-mt1', 'cairn-mt2'];

const UPRIGHT = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // a height field's z to the yardstick's y

export async function load(variant, { cairn: folder }) {
  const index = inPage ? 'web/index.js' : 'web/index.node.js';
  const { load: loadModule } = await import(new URL(index, folder));
  const threads = variant.includes('-mt') ? Number(variant.split('-mt')[1]) : 1;
  const cairn = await loadModule({ threads, flavour: variant.includes('-mt') ? 'mt' : 'st' });
  const solver = { 'cairn-iterative': 'iterative', 'cairn-split': 'split' }[variant] ?? 'auto';

  const shapeOf = (s) => {
    if (s.type === 'box') return { type: 'box', halfExtents: s.half };
    if (s.type === 'sphere') return { type: 'sphere', radius: s.radius };
    if (s.type === 'capsule') return { type: 'capsule', radius: s.radius, height: 2 * s.half };
    if (s.type === 'hull') return { type: 'convex', points: s.points };
    if (s.type === 'mesh')
      return {
        type: 'trimesh',
        points: Float64Array.from(s.vertices),
        triangles: Int32Array.from(s.indices),
      };
    const heights = new Float64Array(s.n * s.n); // its y is the yardstick's -z
    for (let k = 0; k < s.n; ++k)
      for (let i = 0; i < s.n; ++i) heights[(s.n - 1 - k) * s.n + i] = s.heights[k * s.n + i];
    const width = (s.n - 1) * s.cell;
    return { type: 'heightField', resolution: [s.n, s.n], size: [width, width], heights };
  };

  function world({ gravity, sleep = false, iterations, dt }) {
    const w = cairn.createWorld({
      gravity,
      timeStep: dt,
      solver: iterations ? { type: solver, iterations } : solver,
      sleep,
    });
    const bodies = [],
      materials = new Map(),
      shapes = new Map();
    const materialOf = ({ density, friction, restitution }) => {
      const key = `${density} ${friction} ${restitution}`;
      if (!materials.has(key)) {
        const made = { material: w.createMaterial({ density }), friction, restitution };
        materials.set(key, made);
        for (const other of materials.values())
          w.createContactMaterial({
            materials: [made.material, other.material],
            friction: (friction + other.friction) / 2,
            restitution: (restitution + other.restitution) / 2,
          });
      }
      return materials.get(key).material;
    };
    const shapeFor = (s) => {
      // a hull, mesh or field that several bodies share is made once
      if (!['hull', 'mesh', 'field'].includes(s.type)) return shapeOf(s);
      if (!shapes.has(s)) shapes.set(s, w.createShape(shapeOf(s)));
      return shapes.get(s);
    };
    return {
      addBody(b) {
        const geometry = { shape: shapeFor(b.shape), material: materialOf(b), collisions: b.collide };
        if (b.shape.type === 'field') geometry.rotation = UPRIGHT;
        bodies.push(
          w.createBody({
            motion: b.fixed ? 'static' : 'dynamic',
            position: b.position,
            rotation: b.rotation,
            ...(b.fixed
              ? {}
              : { velocity: b.velocity, angularVelocity: b.spin, ...(b.mass ? { mass: b.mass } : {}) }),
            geometries: [geometry],
          }),
        );
        return bodies.length - 1;
      },
      removeBody(i) {
        bodies[i].destroy();
        bodies[i] = undefined;
      },
      addJoint({ a, b, anchorA }) {
        const p = bodies[a].getPosition(),
          [x, y, z, s] = bodies[a].getRotation(),
          [u, v, n] = anchorA;
        const t = [2 * (y * n - z * v), 2 * (z * u - x * n), 2 * (x * v - y * u)];
        const anchor = [
          u + s * t[0] + y * t[2] - z * t[1],
          v + s * t[1] + z * t[0] - x * t[2],
          n + s * t[2] + x * t[1] - y * t[0],
        ].map((c, i) => c + p[i]);
        w.createConstraint({ type: 'ball', bodies: [bodies[a], bodies[b]], anchor });
      },
      step: () => w.step(),
      read(out) {
        const { position, rotation, velocity, angularVelocity } = w.columns.bodies;
        let o = 0;
        for (const body of bodies) {
          if (body) {
            const r = body.index;
            for (let k = 0; k < 3; ++k) {
              out[o + k] = position[3 * r + k];
              out[o + 7 + k] = velocity[3 * r + k];
              out[o + 10 + k] = angularVelocity[3 * r + k];
            }
            for (let k = 0; k < 4; ++k) out[o + 3 + k] = rotation[4 * r + k];
          }
          o += 13;
        }
      },
      stats: () => ({ ...w.getProfile(), ...w.getCounters() }),
      hash: () => w.hash(),
      free: () => w.dispose(),
    };
  }
  const { version } = JSON.parse(await readText(new URL('package.json', folder)));
  return { version, heap: () => cairn.memory.buffer.byteLength, world };
}
