// Where constraints were attached, as it was said when they were made: as long as their bodies have not
// moved, that gives the same attachments again to the bit, which what is read of them does not.

/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./world.js').World} World */

/**
 * World points and directions, as options and files have them.
 * @typedef {object} Placement
 * @property {number[]} [anchor]
 * @property {number[]} [axis]
 * @property {number[]} [reference]
 * @property {number[][]} [anchors]
 */

/** @type {WeakMap<Constraint, Placement>} */
const placements = new WeakMap();

/** @param {unknown} value @returns {any} arrays of numbers, copied */
const copy = (value) => {
  if (value === undefined) return undefined;
  const items = Array.from(/** @type {ArrayLike<unknown>} */ (value));
  return items.map((item) => (typeof item === 'number' ? item : copy(item)));
};

/** @param {Constraint} constraint @param {Record<string, unknown>} options that were checked */
export function rememberPlacement(constraint, { anchor, axis, reference, anchors }) {
  placements.set(constraint, {
    anchor: copy(anchor),
    axis: copy(axis),
    reference: copy(reference),
    anchors: copy(anchors),
  });
}

/**
 * Undefined where nobody knows: of a world that was made from a saved state.
 * @param {Constraint} constraint @returns {Placement | undefined}
 */
export const placementOf = (constraint) => placements.get(constraint);

/**
 * Those of a file, of its constraints that are there.
 * @param {World} world @param {Record<string, unknown>[]} items of the file, gears and racks made last
 */
export function rememberFile(world, items) {
  const isJoined = (/** @type {Record<string, unknown>} */ item) => item.constraints !== undefined;
  const made = [...items.filter((item) => !isJoined(item)), ...items.filter(isJoined)];
  for (const [row, item] of made.entries()) {
    const constraint = world.constraintAt(row);
    if (constraint !== null && !placements.has(constraint)) rememberPlacement(constraint, item);
  }
}
