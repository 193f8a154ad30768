// Solids of the references as shapes: along z where they say so, and as meshes of n facets around.

const aboutX = [Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // takes y to z

/** All of these: [shape, pose]. */
export const cylinder = (radius, height) => [{ type: 'cylinder', radius, height }, { rotation: aboutX }];
export const capsule = (radius, height) => [{ type: 'capsule', radius, height }, { rotation: aboutX }];
export const cone = (radius, height, base = 0) => [
  { type: 'cone', topRadius: 0, bottomRadius: radius, height },
  { rotation: aboutX, position: [0, 0, base] },
];

/** A mesh of a closed surface over a torus of parameters: n around, m along, corners given by at(i, j). */
function torusGrid(n, m, at) {
  const points = [];
  const triangles = [];
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < m; ++j) {
      points.push(at((2 * Math.PI * i) / n, (2 * Math.PI * j) / m));
      const [a, b] = [i * m + j, ((i + 1) % n) * m + j];
      const [c, d] = [((i + 1) % n) * m + ((j + 1) % m), i * m + ((j + 1) % m)];
      triangles.push([a, b, c], [a, c, d]);
    }
  }
  return { type: 'trimesh', points, triangles };
}

/** Axis z. */
export const torusMesh = (major, minor, n) =>
  torusGrid(n, n, (u, v) => {
    const radius = major + minor * Math.cos(v);
    return [radius * Math.cos(u), radius * Math.sin(u), minor * Math.sin(v)];
  });

/**
 * A solid of revolution about z from its half profile [[radius, z], …], from the lower point of the axis to
 * the upper one. Repeated points make creases.
 */
export function turnedMesh(profile, n) {
  const points = [];
  const triangles = [];
  const rings = profile.map(([radius, z]) => {
    const first = points.length;
    const count = radius === 0 ? 1 : n;
    for (let i = 0; i < count; ++i) {
      const angle = (2 * Math.PI * i) / n;
      points.push([radius * Math.cos(angle), radius * Math.sin(angle), z]);
    }
    return (i) => first + (i % count);
  });
  for (let k = 0; k + 1 < rings.length; ++k) {
    const [lower, upper] = [rings[k], rings[k + 1]];
    for (let i = 0; i < n; ++i) {
      if (profile[k][0] > 0) triangles.push([lower(i), lower(i + 1), upper(i)]);
      if (profile[k + 1][0] > 0) triangles.push([lower(i + 1), upper(i + 1), upper(i)]);
    }
  }
  return { type: 'trimesh', points, triangles };
}

/** The profile of part of a circle about (0, centre), between two angles from the lower axis. */
export function arc(radius, centre, from, to, n) {
  return Array.from({ length: n + 1 }, (_, k) => {
    const angle = from + ((to - from) * k) / n;
    const sine = Math.sin(angle);
    return [Math.abs(sine) < 1e-12 ? 0 : radius * sine, centre - radius * Math.cos(angle)];
  });
}

export function ellipsoidMesh(axes, n) {
  const ball = turnedMesh(arc(1, 0, 0, Math.PI, n / 2), n);
  return { ...ball, points: ball.points.map((point) => point.map((value, i) => axes[i] * value)) };
}

/** The surface between two closed meshes: the second one turned inside out. */
export function hollowMesh(outer, inner) {
  const shift = outer.points.length;
  return {
    type: 'trimesh',
    points: [...outer.points, ...inner.points],
    triangles: [...outer.triangles, ...inner.triangles.map(([a, b, c]) => [a + shift, c + shift, b + shift])],
  };
}

/** A prism over a polygon [[x, y], …] (counter-clockwise), with its triangles given. */
export function prismMesh(outline, caps, lower, upper) {
  const n = outline.length;
  const points = [lower, upper].flatMap((z) => outline.map(([x, y]) => [x, y, z]));
  const sides = outline.flatMap((_, i) => {
    const j = (i + 1) % n;
    return [
      [i, j, n + j],
      [i, n + j, n + i],
    ];
  });
  const covers = caps.flatMap(([a, b, c]) => [
    [a, c, b],
    [n + a, n + b, n + c],
  ]);
  return { type: 'trimesh', points, triangles: [...sides, ...covers] };
}
