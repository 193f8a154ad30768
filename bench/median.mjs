/** The middle of some numbers; of an even number of them the mean of the two in the middle. */
export function median(/** @type {number[]} */ values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
