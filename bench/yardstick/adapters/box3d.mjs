// Box3D, built from a checkout by box3d/build.sh.
import { readText } from '../packages.mjs';

export const variants = ['box3d', 'box3d-scalar', 'box3d-mt1', 'box3d-mt2'];

export async function load(variant, { box3d }) {
  const workers = variant.includes('-mt') ? Number(variant.split('-mt')[1]) : 1;
  const name = variant.includes('-mt') ? 'box3d-mt' : variant;
  const { default: create } = await import(new URL(`${name}.mjs`, box3d)).catch((error) => {
    throw new Error(`no ${name}.mjs that loads in BOX3D_DIR, see box3d/build.sh (${error.message})`);
  });
  const m = await create({ poolSize: workers });
  const memory = () => m.wasmMemory.buffer;
  const give = (array) => {
    const p = m._malloc(array.length * 4);
    new array.constructor(memory(), p, array.length).set(array);
    return p;
  };
  const scratch = m._malloc(64 * 4);
  const put = (values, at = 0) => {
    new Float32Array(memory(), scratch + at * 4, values.length).set(values);
    return scratch + at * 4;
  };

  function world({ gravity, sleep, iterations = 4 }) {
    m._y_world(...gravity, sleep ? 1 : 0, workers);
    let count = 0,
      out = 0,
      room = 0;
    return {
      addBody({
        shape,
        position,
        rotation,
        velocity,
        spin,
        density,
        mass,
        friction,
        restitution,
        collide,
        fixed,
      }) {
        const corner = shape.type === 'field' ? (-(shape.n - 1) / 2) * shape.cell : 0;
        const id = m._y_body(
          fixed ? 1 : 0,
          put([position[0] + corner, position[1], position[2] + corner, ...rotation, ...velocity, ...spin]),
        );
        const material = put([density, friction, restitution, collide ? 1 : 0], 16);
        const held = [];
        const take = (array) => (held.push(give(array)), held.at(-1));
        if (shape.type === 'box') m._y_box(id, material, ...shape.half);
        else if (shape.type === 'sphere') m._y_sphere(id, material, shape.radius);
        else if (shape.type === 'capsule') m._y_capsule(id, material, shape.radius, shape.half);
        else if (shape.type === 'hull')
          m._y_hull(id, material, take(Float32Array.from(shape.points.flat())), shape.points.length);
        else if (shape.type === 'mesh')
          m._y_mesh(
            id,
            material,
            take(Float32Array.from(shape.vertices)),
            shape.vertices.length / 3,
            take(Int32Array.from(shape.indices)),
            shape.indices.length / 3,
          );
        else if (shape.type === 'field')
          m._y_field(
            id,
            material,
            take(Float32Array.from(shape.heights)),
            shape.n,
            shape.n,
            shape.cell,
            Math.min(...shape.heights),
            Math.max(...shape.heights),
          );
        held.forEach((p) => m._free(p));
        if (mass && !fixed) m._y_mass(id, mass);
        ++count;
        return id;
      },
      removeBody: (id) => m._y_remove(id),
      addJoint: ({ a, b, anchorA, anchorB }) => m._y_ball(a, b, ...anchorA, ...anchorB),
      step: (dt) => m._y_step(dt, iterations),
      read(poses) {
        if (room < count) {
          m._free(out);
          out = m._malloc(count * 13 * 4);
          room = count;
        }
        m._y_read(out);
        poses.set(new Float32Array(memory(), out, count * 13));
      },
      stats: () => ({ contacts: m._y_contacts() }),
      free() {
        m._y_free();
        m._free(out);
      },
    };
  }
  const version = await readText(new URL('VERSION', box3d)).then(
    (text) => `git ${text.trim()}`,
    () => 'unknown',
  );
  return { version, heap: () => memory().byteLength, world };
}
