// Numbers as people read them: a few digits and a unit of their size.

const MINUS = '\u2212';
const NARROW_SPACE = '\u202f';

/** @param {string} text */
const signed = (text) => text.replace('-', MINUS);

/** @param {number} value @returns {string} 12 345 */
export function formatCount(value) {
  return signed(Math.round(value).toLocaleString('en').replaceAll(',', NARROW_SPACE));
}

/** @param {number} value @param {number} digits after the point @returns {string} */
export function formatFixed(value, digits) {
  return signed(value.toFixed(digits));
}

/** @param {number} value @returns {string} 1.2·10⁻⁹ */
export function formatPower(value) {
  if (value === 0) return '0';
  const [head, power] = value.toExponential(1).split('e');
  const raised = [...power.replace('+', '')].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]));
  return `${signed(head)}·10${raised.join('')}`;
}

/**
 * @param {number} value
 * @param {[limit: number, factor: number, unit: string][]} scales in rising order
 */
function formatScaled(value, scales) {
  const size = Math.abs(value);
  const [, factor, unit] = scales.find(([limit]) => size < limit) ?? scales[scales.length - 1];
  return `${signed((value * factor).toPrecision(3))} ${unit}`;
}

/** @param {number} metres @returns {string} */
export function formatLength(metres) {
  if (Math.abs(metres) < 5e-10) return '0 µm';
  if (Math.abs(metres) < 1e-6) return `${formatFixed(metres * 1e6, 3)} µm`;
  return formatScaled(metres, [
    [1e-3, 1e6, 'µm'],
    [0.1, 1e3, 'mm'],
    [Infinity, 1, 'm'],
  ]);
}

/** @param {number} joules @returns {string} */
export function formatEnergy(joules) {
  const size = Math.abs(joules);
  if (size < 1e-12) return '0 J';
  if (size < 1e-3) return `${formatPower(joules)} J`;
  return formatScaled(joules, [
    [1, 1e3, 'mJ'],
    [1e3, 1, 'J'],
    [1e6, 1e-3, 'kJ'],
    [Infinity, 1e-6, 'MJ'],
  ]);
}

/** @param {number} newtons @returns {string} */
export function formatForce(newtons) {
  return formatScaled(newtons, [
    [1e3, 1, 'N'],
    [1e6, 1e-3, 'kN'],
    [Infinity, 1e-6, 'MN'],
  ]);
}
