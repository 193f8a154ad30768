// A scene as text, for a page: sines and roots differ in the last bit between releases of V8, so that a page
// which built the scene itself would get other numbers than Node.

/** A scene as JSON. Bodies that share a shape go on sharing it, and a negative zero stays one. */
export function packScene(scene) {
  const shapes = [...new Set(scene.bodies.map((b) => b.shape))];
  const places = new Map(shapes.map((shape, i) => [shape, i]));
  const bodies = scene.bodies.map((b) => ({ ...b, shape: places.get(b.shape) }));
  return JSON.stringify({ ...scene, bodies, shapes }, (_, x) => (Object.is(x, -0) ? '-0' : x));
}

/** The scene that packScene made text of. */
export function unpackScene(text) {
  const { shapes, ...scene } = JSON.parse(text, (_, x) => (x === '-0' ? -0 : x));
  return { ...scene, bodies: scene.bodies.map((b) => ({ ...b, shape: shapes[b.shape] })) };
}
