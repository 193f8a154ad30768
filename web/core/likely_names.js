// Which of the names that there are was likely meant by one that there is not.

/**
 * Words of other libraries, and what is meant by them; of several the first that there is.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const synonyms = {
  linvel: ['velocity'],
  linearVelocity: ['velocity'],
  angvel: ['angularVelocity'],
  quaternion: ['rotation'],
  orientation: ['rotation'],
  translation: ['position'],
  type: ['motion'],
  bodyType: ['motion'],
  dt: ['timeStep'],
  timestep: ['timeStep'],
  center: ['centre'],
  data: ['userData'],
  tag: ['userData'],
  bounciness: ['restitution'],
  colliders: ['geometries'],
  shapes: ['geometries'],
  collider: ['shape'],
  vertices: ['points'],
  positions: ['points'],
  indices: ['triangles'],
  faces: ['triangles'],
  size: ['halfExtents', 'halfSide'],
  extents: ['halfExtents'],
  dimensions: ['halfExtents'],
  halfHeight: ['height'],
  length: ['height'],
  radius: ['bottomRadius', 'outerRadius', 'radii'],
  radiusTop: ['topRadius'],
  radiusBottom: ['bottomRadius'],
  bodyA: ['bodies'],
  bodyB: ['bodies'],
  body1: ['bodies'],
  body2: ['bodies'],
  d: ['offset'],
  constant: ['offset'],
  pivot: ['anchor'],
  limits: ['range'],
};

/** Letters that have to be changed, added or left out, at most three. @param {string} a @param {string} b */
function distanceOf(a, b) {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    row = next;
  }
  return Math.min(row[b.length], 3);
}

/**
 * The same thing under its own word, or one with another letter or two.
 * @param {string} name @param {Iterable<string>} names that there are
 * @param {(name: string) => string} [bare] what of such a name is compared
 * @returns {string} '' where nothing is like it
 */
export function likelyName(name, names, bare = (known) => known) {
  const all = [...names];
  for (const word of Object.hasOwn(synonyms, name) ? synonyms[name] : []) {
    const known = all.find((item) => bare(item).toLowerCase() === word.toLowerCase());
    if (known !== undefined) return known;
  }
  const wanted = name.toLowerCase();
  let best = '';
  let least = 3;
  for (const item of all) {
    const known = bare(item).toLowerCase();
    const distance = wanted.length < 4 ? (wanted === known ? 0 : 3) : distanceOf(wanted, known);
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}
