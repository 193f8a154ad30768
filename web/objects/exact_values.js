// Values that a reader turns into the ones that are wanted, to the bit: what rounds on the way in is found by
// looking at the neighbours of the obvious value.

const ulp = Number.EPSILON;
const mostSteps = 8;

/** 0, 1, −1, 2, −2, … */
const steps = Array.from({ length: 2 * mostSteps + 1 }, (_, i) => (i % 2 === 0 ? -i / 2 : (i + 1) / 2));

/**
 * A number near a guess that is read as wanted; the guess where none is.
 * @param {number} guess @param {(value: number) => boolean} isRead
 */
export function exactNumber(guess, isRead) {
  const near = steps.map((step) => guess * (1 + (step * ulp) / 2));
  return near.find(isRead) ?? guess;
}

/** As the engine does it. @param {readonly number[]} q @returns {number[]} */
function normalise([x, y, z, w]) {
  const scale = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
  return [scale * x, scale * y, scale * z, scale * w];
}

// each of four numbers as it is, a little larger, a little smaller
const nudges = Array.from({ length: 81 }, (_, i) =>
  [1, 3, 9, 27].map((place) => [0, 1, -1][Math.floor(i / place) % 3]),
);

/**
 * A quaternion whose normal form is the one wanted, taken twice as readers of files do.
 * @param {readonly number[]} rotation
 */
export function exactRotation(rotation) {
  const isRead = (/** @type {number[]} */ candidate) =>
    normalise(normalise(candidate)).every((value, i) => value === rotation[i]);
  for (const nudge of nudges) {
    for (const step of steps) {
      const near = rotation.map((value, i) => value * (1 + (step + nudge[i] / 2) * ulp));
      if (isRead(near)) return near;
    }
  }
  return [...rotation];
}
