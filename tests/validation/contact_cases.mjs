// What the contact cases share: a run is a solver and a time step, and scenes hold several variants of a
// case beside one another, far enough apart to be islands of their own.

import { add, makeScene } from './simulate.mjs';

/** What the engine does when nobody chooses. */
export const byDefault = { solver: 'auto', h: 1 / 60 };

export const degrees = Math.PI / 180;

/** The world of a case in a run. */
export const worldOf = ({ solver, h }, gravity) => ({
  timeStep: h,
  gravity,
  ...(solver === 'auto' ? {} : { solver: { default: solver } }),
});

/** A scene of a run from its sections. */
export const sceneOf = (run, gravity, sections) => makeScene({ world: worldOf(run, gravity), ...sections });

/** Friction of a pair: an exact cone in runs that say so. */
export const frictionOf = ({ exact }, friction) => ({
  friction,
  ...(exact ? { frictionModel: { type: 'cone', exactCone: true } } : {}),
});

/** Halves of sizes. */
export const halves = (size) => size.map((x) => x / 2);

export const plane = (material, normal = [0, 0, 1], d = 0) => ({
  shape: { type: 'plane', normal, d },
  material,
});
export const boxOf = (size, material) => ({ shape: { type: 'box', halfExtents: halves(size) }, material });
export const sphere = (radius, material) => ({ shape: { type: 'sphere', radius }, material });

/**
 * Materials whose contacts with `ground` have the properties given by name; contacts among them have what
 * `between` says.
 */
export function onGround(properties, ground = 'ground') {
  const names = Object.keys(properties);
  return {
    materials: [ground, ...names].map((name) => ({ name })),
    contactMaterials: names.map((name) => ({
      materials: [name, ground],
      restitution: 0,
      ...properties[name],
    })),
  };
}

/** The same number of a force on a body for the whole run. */
export const pushed = (body, force, extra = {}) => ({ at: 0, body, force, for: 1e6, ...extra });

export const move = (body, by) => ({ ...body, position: add(body.position, by) });

/** Where a line through the last two of some numbers that are positive meets zero, in samples. */
export function lastZero(values, least = 0) {
  let k = values.length - 1;
  while (k > 0 && values[k] <= least) --k;
  if (k < 1) return 0;
  return k + values[k] / Math.max(values[k - 1] - values[k], 1e-300);
}

/** Where some numbers first reach zero from above, in samples, straight between them. */
export function firstZero(values) {
  const k = values.findIndex((value) => value <= 0);
  if (k < 1) return k === 0 ? 0 : NaN;
  return k - 1 + values[k - 1] / (values[k - 1] - values[k]);
}

/** Extremes of samples: { at (in samples), value } of parabolas through three. */
export function extremes(values) {
  const found = [];
  for (let k = 1; k + 1 < values.length; ++k) {
    const [a, b, c] = [values[k - 1], values[k], values[k + 1]];
    if ((b - a) * (c - b) < 0 || (b !== a && c === b)) {
      const shift = (a - c) / (2 * (a - 2 * b + c));
      found.push({ at: k + shift, value: b - ((a - c) * shift) / 4 });
    }
  }
  return found;
}

/** Mean of a function of samples. */
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
