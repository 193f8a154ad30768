// Which steps are sampled. Comparisons allow 1e-6 of a step.

const tolerance = 1e-6;

/**
 * Steps that take `seconds`: the first one at or after it.
 * @param {number} seconds
 * @param {number} timeStep
 */
export function stepAt(seconds, timeStep) {
  return Math.max(0, Math.ceil(seconds / timeStep - tolerance));
}

/**
 * Gives the sampled steps after the initial state, ascending: the first step at or after each multiple of
 * `every`, and the last step.
 * @param {number} steps
 * @param {number} timeStep s
 * @param {number | undefined} every s; undefined: every step
 * @returns {Generator<number, void>}
 */
export function* sampledSteps(steps, timeStep, every) {
  if (every === undefined || every <= timeStep) {
    for (let step = 1; step <= steps; ++step) yield step;
    return;
  }
  let last = 0;
  for (let multiple = 1; last < steps; ++multiple) {
    const step = Math.min(stepAt(multiple * every, timeStep), steps);
    if (step > last) yield step;
    last = step;
  }
}
