// What scenes that are laid out by rule are made of.

/** Numbers of so many decimals, so that files say what is loaded. @param {number} decimals */
export function makeRounding(decimals) {
  const round = (/** @type {number} */ value) => Number(value.toFixed(decimals));
  return { round, rounded: (/** @type {number[]} */ values) => values.map(round) };
}

/** @param {string} material */
export const ground = (material) => ({
  name: 'ground',
  shape: { type: 'plane', normal: [0, 0, 1], d: 0 },
  material,
});

/** @param {string[]} names of the library */
export const fromLibrary = (names) => names.map((name) => ({ name, library: name }));

/**
 * Points of a rock about the origin, longer along x than along y and along y than along z.
 * @param {number} kind one of some different rocks
 * @param {{ count: number, size: number, bumps: number }} rock points, m, part of the size
 */
export function makeRock(kind, { count, size, bumps }) {
  return Array.from({ length: count }, (_, i) => {
    const z = 1 - (2 * (i + 0.5)) / count;
    const ring = Math.sqrt(1 - z * z);
    const reach = size * (0.8 + bumps * Math.abs(Math.sin(7.3 * (kind + 1) * (i + 1))));
    const [x, y] = [Math.cos(2.399963 * i), Math.sin(2.399963 * i)];
    return [1.15 * reach * ring * x, reach * ring * y, 0.85 * reach * z];
  });
}
