// Curves over time or over an angle. Drawn by uPlot: a small library for just this, fast enough to be drawn
// anew many times a second.

import uPlot from 'uplot';

/** @typedef {import('./recorder.js').Recorder} Recorder */

const HEIGHT = 168;
/** Of the page's theme now. @param {string} name of a custom property of style.css */
const colourOf = (name) => () => probeColour(name);
const GRID = { stroke: colourOf('--line'), width: 1 };
const probe = document.createElement('i');
probe.hidden = true;
const FONT = '11px ui-sans-serif, system-ui, sans-serif';

/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {string} colour
 * @property {boolean} [dashed]
 * @property {boolean} [dots] without a line between them
 */

/**
 * @typedef {object} PlotOptions
 * @property {string} title with the unit
 * @property {Curve[]} curves
 * @property {string} [across] what the other axis is; time
 * @property {[number, number]} [range] of the values; what there is, and 0
 * @property {boolean} [legend] true
 */

export class Plot {
  #plot;
  #host;

  /** @param {HTMLElement} parent @param {PlotOptions} options */
  constructor(parent, { title, curves, across = 'time in s', range, legend = true }) {
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const heading = document.createElement('strong');
    heading.textContent = title;
    caption.append(heading);
    for (const { name, colour, dashed } of legend ? curves : []) {
      const entry = document.createElement('span');
      const mark = document.createElement('i');
      mark.style.borderColor = colour;
      mark.classList.toggle('dashed', dashed ?? false);
      entry.append(mark, name);
      caption.append(entry);
    }
    this.#host = document.createElement('div');
    this.#host.role = 'img';
    this.#host.ariaLabel = `${title} over ${across}`;
    figure.append(caption, this.#host);
    parent.append(figure);
    const axis = { font: FONT, stroke: colourOf('--ink-2'), grid: GRID, ticks: GRID };
    this.#plot = new uPlot(
      {
        width: parent.clientWidth || 380,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: range ? { range } : { range: withZero } },
        axes: [
          { ...axis, label: across, labelFont: FONT, labelSize: 16, size: 26 },
          { ...axis, size: 52 },
        ],
        series: [
          {},
          ...curves.map(({ colour, dashed, dots }) => ({
            stroke: colour,
            width: 1.6,
            dash: dashed ? [5, 4] : undefined,
            points: { show: dots ?? false, size: 4, fill: colour },
            paths: dots ? () => null : undefined,
          })),
        ],
      },
      /** @type {import('uplot').AlignedData} */ ([[], ...curves.map(() => [])]),
      this.#host,
    );
    new ResizeObserver(() => this.#plot.setSize({ width: parent.clientWidth, height: HEIGHT })).observe(
      parent,
    );
  }

  /** @param {ArrayLike<number>[]} data the other axis, then a list a curve; all as long */
  draw(data) {
    this.#plot.setData(/** @type {import('uplot').AlignedData} */ (/** @type {unknown} */ (data)));
  }

  /**
   * Some columns of a recorder over its first, the time.
   *
   * @param {Recorder} recorder @param {number[]} columns @param {number} seconds the last ones
   */
  drawTime(recorder, columns, seconds) {
    const [time] = recorder.columns;
    const { count } = recorder;
    const begin = count > 0 ? time[count - 1] - seconds : 0;
    let first = count;
    while (first > 0 && time[first - 1] > begin) first -= 1;
    this.draw([0, ...columns].map((column) => recorder.columns[column].subarray(first, count)));
  }
}

/**
 * A custom property as a colour that a canvas takes: `light-dark()` is resolved by an element that has it.
 * @param {string} name
 */
function probeColour(name) {
  probe.style.color = `var(${name})`;
  if (!probe.isConnected) document.body.append(probe);
  return getComputedStyle(probe).color;
}

/** @param {uPlot} _ @param {number} low @param {number} high @returns {[number, number]} */
function withZero(_, low, high) {
  if (!(high >= low)) return [0, 1];
  const room = 0.06 * (Math.max(0, high) - Math.min(0, low)) || 0.5;
  return [low < 0 ? low - room : 0, high > 0 ? high + room : room];
}
