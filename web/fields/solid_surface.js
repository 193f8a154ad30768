// Surfaces of solids as triangles, for what is under water: those of polyhedra are their own, round ones are
// turned about y with as many sides, and as wide, that the volume is exact.

const SIDES = 32;
const CAP_RINGS = 8;

/**
 * @typedef {object} SolidSurface
 * @property {Float64Array} vertices three numbers each, in the shape's frame
 * @property {Uint32Array} triangles three indices each, counter-clockwise from outside
 * @property {number} radius m; of a ball, which has no triangles; else 0
 * @property {number} spread m², the mean square distance of the surface from the origin of the frame
 * @property {number} volume m³
 * @property {Float64Array} centre of the volume
 */

/** Volume, centre and spread, by tetrahedra from the origin. @param {SolidSurface} solid */
function measure(solid) {
  const { vertices, triangles, centre } = solid;
  let six = 0;
  centre.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const part =
      vertices[a] * (vertices[b + 1] * vertices[c + 2] - vertices[b + 2] * vertices[c + 1]) +
      vertices[a + 1] * (vertices[b + 2] * vertices[c] - vertices[b] * vertices[c + 2]) +
      vertices[a + 2] * (vertices[b] * vertices[c + 1] - vertices[b + 1] * vertices[c]);
    six += part;
    for (let i = 0; i < 3; ++i) centre[i] += part * (vertices[a + i] + vertices[b + i] + vertices[c + i]);
  }
  solid.volume = six / 6;
  for (let i = 0; i < 3; ++i) centre[i] = six === 0 ? 0 : centre[i] / (4 * six);
  let sum = 0;
  for (const value of vertices) sum += value * value;
  solid.spread = (3 * sum) / vertices.length;
}

/** @param {Float64Array} vertices @param {Uint32Array} triangles @returns {SolidSurface} */
function makeSurface(vertices, triangles) {
  const solid = { vertices, triangles, radius: 0, spread: 0, volume: 0, centre: new Float64Array(3) };
  measure(solid);
  return solid;
}

/** @param {ArrayLike<number>} half half extents */
function makeBox(half) {
  const vertices = new Float64Array(24);
  for (let i = 0; i < 24; ++i) {
    const axis = i % 3;
    vertices[i] = ((Math.floor(i / 3) >> axis) & 1) === 1 ? half[axis] : -half[axis];
  }
  // prettier-ignore
  const triangles = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2,
    1, 3, 7, 1, 7, 5,
  ];
  return makeSurface(vertices, Uint32Array.from(triangles));
}

/**
 * A closed profile turned about y.
 * @param {import('../objects/cairn.js').Cairn} cairn
 * @param {[number, number][]} profile radius and height, counter-clockwise with the radius to the right
 * @param {number} volume m³, exactly
 */
function revolve(cairn, profile, volume) {
  const count = profile.length;
  const vertices = new Float64Array(3 * SIDES * count);
  const triangles = new Uint32Array(6 * SIDES * count);
  for (let side = 0; side < SIDES; ++side) {
    const angle = (2 * Math.PI * side) / SIDES;
    const c = cairn.math.cos(angle);
    const s = cairn.math.sin(angle);
    const next = (side + 1) % SIDES;
    profile.forEach(([radius, height], i) => {
      vertices.set([radius * c, height, radius * s], 3 * (side * count + i));
      const k = (i + 1) % count;
      const [a, b] = [side * count + i, side * count + k];
      const [d, e] = [next * count + i, next * count + k];
      triangles.set([a, b, e, a, e, d], 6 * (side * count + i));
    });
  }
  const solid = makeSurface(vertices, triangles);
  const wider = Math.sqrt(volume / solid.volume);
  for (let i = 0; i < vertices.length; ++i) if (i % 3 !== 1) vertices[i] *= wider;
  measure(solid);
  return solid;
}

/** @param {import('../objects/cairn.js').Cairn} cairn @param {number} radius @param {number} half */
function capsuleProfile(cairn, radius, half) {
  /** @type {[number, number][]} */
  const profile = [];
  for (let i = 0; i <= 2 * CAP_RINGS; ++i) {
    const angle = (Math.PI * i) / (2 * CAP_RINGS) - Math.PI / 2;
    const y = radius * cairn.math.sin(angle);
    const r = i === 0 || i === 2 * CAP_RINGS ? 0 : radius * cairn.math.cos(angle);
    if (i === CAP_RINGS) profile.push([r, -half]);
    profile.push([r, i < CAP_RINGS ? y - half : y + half]);
  }
  return profile;
}

/**
 * Of a shape row; null where the shape holds nothing.
 * @param {import('../objects/world.js').World} world @param {number} row
 * @returns {SolidSurface | null}
 */
export function makeSolidSurface(world, row) {
  const { cairn } = world;
  const { shapes } = world.columns;
  const volume = shapes.volume[row];
  if (!(volume > 0)) return null;
  const radius = shapes.radius[row];
  const { vertices, triangles } = world.getShapeSurface(row);
  if (triangles.length > 0) return makeSurface(vertices, triangles);
  const half = shapes.halfExtents.subarray(3 * row, 3 * row + 3);
  if (half[0] > 0) return makeBox(half);
  const [lower, upper, outerLower, outerUpper, innerLower, innerUpper] = shapes.profile.subarray(
    6 * row,
    6 * row + 6,
  );
  if (upper > lower) {
    return revolve(
      cairn,
      [
        [innerLower, lower],
        [outerLower, lower],
        [outerUpper, upper],
        [innerUpper, upper],
      ],
      volume,
    );
  }
  if (shapes.halfHeight[row] > 0)
    return revolve(cairn, capsuleProfile(cairn, radius, shapes.halfHeight[row]), volume);
  const none = new Float64Array(0);
  const centre = new Float64Array(3);
  return { vertices: none, triangles: new Uint32Array(0), radius, spread: radius * radius, volume, centre };
}
