// Meshes that tests of the mesh tools share: flat arrays of points (m) and triangles, counter-clockwise seen
// from outside.

/** @typedef {{ points: number[], triangles: number[] }} Mesh */

/** @param {number[]} lower @param {number[]} upper @returns {Mesh} */
export function makeBox(lower, upper) {
  const points = [];
  for (const z of [lower[2], upper[2]])
    for (const y of [lower[1], upper[1]]) for (const x of [lower[0], upper[0]]) points.push(x, y, z);
  const triangles = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7];
  triangles.push(0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5);
  return { points, triangles };
}

/** A box without its lid: the last side but four is left out. @param {Mesh} box @returns {Mesh} */
export const open = ({ points, triangles }) => ({
  points,
  triangles: [...triangles.slice(0, 6), ...triangles.slice(12)],
});

/**
 * @param {number} ring m @param {number} tube m @param {number} around @param {number} across
 * @returns {Mesh}
 */
export function makeTorus(ring, tube, around, across) {
  const points = [];
  const triangles = [];
  for (let i = 0; i < around; ++i) {
    for (let j = 0; j < across; ++j) {
      const a = (2 * Math.PI * i) / around;
      const b = (2 * Math.PI * j) / across;
      const r = ring + tube * Math.cos(b);
      points.push(r * Math.cos(a), r * Math.sin(a), tube * Math.sin(b));
      const [k, l] = [(i + 1) % around, (j + 1) % across];
      const [p, q, s, t] = [i * across + j, k * across + j, k * across + l, i * across + l];
      triangles.push(p, q, s, p, s, t);
    }
  }
  return { points, triangles };
}

/**
 * A closed profile of radii and heights (m) about z; a radius of 0 is one vertex.
 * @param {number[][]} profile counter-clockwise with the radius to the right @param {number} around
 * @returns {Mesh}
 */
export function makeRevolved(profile, around) {
  const points = [];
  const triangles = [];
  const rows = profile.map(([radius, height]) => {
    const count = radius > 0 ? around : 1;
    const first = points.length / 3;
    for (let i = 0; i < count; ++i) {
      const angle = (2 * Math.PI * i) / around;
      points.push(radius * Math.cos(angle), radius * Math.sin(angle), height);
    }
    return (/** @type {number} */ i) => first + (count > 1 ? i % around : 0);
  });
  rows.forEach((row, k) => {
    const next = rows[(k + 1) % rows.length];
    for (let i = 0; i < around; ++i) {
      if (row(i) !== row(i + 1)) triangles.push(row(i), row(i + 1), next(i + 1));
      if (next(i) !== next(i + 1)) triangles.push(row(i), next(i + 1), next(i));
    }
  });
  return { points, triangles };
}

/**
 * A prism over an outline, by ears.
 * @param {number[][]} outline counter-clockwise @param {number} height m @returns {Mesh}
 */
export function makePrism(outline, height) {
  const count = outline.length;
  const points = [0, height].flatMap((z) => outline.flatMap(([x, y]) => [x, y, z]));
  const triangles = [];
  const area = (a, b, c) =>
    (outline[b][0] - outline[a][0]) * (outline[c][1] - outline[a][1]) -
    (outline[b][1] - outline[a][1]) * (outline[c][0] - outline[a][0]);
  const rest = outline.map((_, i) => i);
  while (rest.length > 2) {
    const at = rest.findIndex((b, i) => {
      const [a, c] = [rest.at(i - 1), rest[(i + 1) % rest.length]];
      const isFree = rest.every(
        (p) => [a, b, c].includes(p) || area(a, b, p) < 0 || area(b, c, p) < 0 || area(c, a, p) < 0,
      );
      return area(a, b, c) > 0 && isFree;
    });
    const [a, b, c] = [rest.at(at - 1), rest[at], rest[(at + 1) % rest.length]];
    triangles.push(count + a, count + b, count + c, a, c, b);
    rest.splice(at, 1);
  }
  for (let i = 0; i < count; ++i) {
    const k = (i + 1) % count;
    triangles.push(i, k, count + k, i, count + k, count + i);
  }
  return { points, triangles };
}

/** Three bars of 0.5 m: 3 m wide, 3 m high, 1 m deep. */
export const makeU = () =>
  makePrism(
    [
      [0, 0],
      [3, 0],
      [3, 3],
      [2.5, 3],
      [2.5, 0.5],
      [0.5, 0.5],
      [0.5, 3],
      [0, 3],
    ],
    1,
  );

/** @param {Mesh[]} meshes @returns {Mesh} */
export function join(...meshes) {
  const points = [];
  const triangles = [];
  for (const mesh of meshes) {
    const first = points.length / 3;
    points.push(...mesh.points);
    triangles.push(...mesh.triangles.map((corner) => corner + first));
  }
  return { points, triangles };
}

/**
 * @param {Mesh} mesh @param {(point: number[]) => number[]} move keeps what is right-handed @returns {Mesh}
 */
export function moved({ points, triangles }, move) {
  const result = [];
  for (let i = 0; i < points.length; i += 3) result.push(...move(points.slice(i, i + 3)));
  return { points: result, triangles };
}
