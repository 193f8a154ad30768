// Vectors as [x, y, z], quaternions as [x, y, z, w], and a seeded generator: what scenes and metrics share.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => scale(a, 1 / length(a));

export const rotate = (q, v) => {
  const t = scale(cross(q, v), 2);
  return add(add(v, scale(t, q[3])), cross(q, t));
};
export const conjugate = (q) => [-q[0], -q[1], -q[2], q[3]];
export const multiply = (a, b) => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
  a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];
export const axisAngle = (axis, angle) => [...scale(axis, Math.sin(angle / 2)), Math.cos(angle / 2)];

/** mulberry32: the same numbers in [0, 1) for the same seed, everywhere. */
export function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
export const between = (r, low, high) => low + r() * (high - low);

/** A rotation drawn uniformly (Shoemake). */
export function anyRotation(r) {
  const u = r(),
    a = 2 * Math.PI * r(),
    b = 2 * Math.PI * r();
  return [
    Math.sqrt(1 - u) * Math.sin(a),
    Math.sqrt(1 - u) * Math.cos(a),
    Math.sqrt(u) * Math.sin(b),
    Math.sqrt(u) * Math.cos(b),
  ];
}
