// Charts as SVG, drawn by Vega-Lite without a browser: where there is no canvas it estimates the widths of
// texts, so that the same numbers give the same text on every machine. Colours are custom properties of
// the page, which has a light and a dark set.
import { parse, View } from 'vega';
import { compile } from 'vega-lite';
import { looksOf } from './looks.mjs';
import { escapeHtml } from '../../../scripts/html.mjs';

/** Total widths of the two forms that a chart is drawn in. */
export const FORMS = { narrow: 358, wide: 680 };

// px around a plot: estimates of texts' sizes would leave more or less than that
const LABELS = 110, // names of scenes
  NOTES = 80, // the numbers of the chart of ratios
  MARGIN = 20,
  TOP = 44, // an axis and its title
  BOTTOM = 8,
  FOOT = 24; // what lines are

const config = {
  background: null,
  autosize: 'none',
  aria: false,
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    domain: false,
    ticks: false,
    gridColor: 'var(--line)',
    labelColor: 'var(--ink)',
    titleColor: 'var(--ink-2)',
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    labelPadding: 6,
    labelOverlap: false, // texts are wider by its estimates than they are
  },
};

const sceneAxis = (scenes) => ({
  field: 'scene',
  type: 'nominal',
  scale: { domain: scenes, paddingInner: 0, paddingOuter: 0 },
  axis: {
    title: null,
    grid: true,
    tickBand: 'extent',
    labelLimit: 0,
  },
});

/** Powers of ten around values, every second one where there is no room for all their names. */
function logAxis(values, title, form) {
  const low = Math.floor(Math.log10(Math.min(...values))),
    high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  const every = form === 'narrow' && high - low >= 5 ? 2 : 1;
  const powers = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  return {
    scale: { type: 'log', domain: [low, high].map(powerOfTen), nice: false },
    axis: {
      title,
      orient: 'top',
      values: powers.filter((power) => power % every === 0).map(powerOfTen),
      format: '~g',
    },
  };
}

const powerOfTen = (power) => Number(`1e${power}`);

function draw(spec, { id, title, desc, form }) {
  const { spec: vega } = compile({ ...spec, config });
  const view = new View(parse(vega), { renderer: 'none' });
  return view.toSVG().then((svg) => {
    view.finalize();
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg);
    const inner = svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>'));
    const names = [`${id}-${form}-title`, `${id}-${form}-desc`];
    const box = `viewBox="0 0 ${width} ${height}"`;
    return [
      `<svg class="${form}" ${box} role="img" aria-labelledby="${names.join(' ')}">`,
      `<title id="${names[0]}">${escapeHtml(title)}</title>`,
      `<desc id="${names[1]}">${escapeHtml(desc)}</desc>`,
      `${inner}</svg>`,
    ].join('\n');
  });
}

/** A vertical line at a value of the axis, with its name at the foot of the chart. */
const lineAt = ({ at, dash = [1, 0], align = 'center' }, height) => ({
  data: { values: [{ at, label: String(at) }] },
  layer: [
    {
      mark: { type: 'rule', color: 'var(--ink-2)', strokeWidth: 1.25, strokeDash: dash },
      encoding: { x: { field: 'at', type: 'quantitative' } },
    },
    {
      mark: { type: 'text', color: 'var(--ink-2)', fontSize: 12, baseline: 'top', dy: 6, align },
      encoding: {
        x: { field: 'at', type: 'quantitative' },
        y: { value: height },
        text: { field: 'label' },
      },
    },
  ],
});

/** Rows of one height in all charts of a run. */
const rowHeight = (engines) => 6 + 5 * Math.max(3, engines.length);

/** A plot of the given height, with room for texts around it, `right` of them beside it. */
const frame = (form, height, { right = MARGIN, bottom = BOTTOM } = {}) => ({
  width: FORMS[form] - LABELS - right,
  height,
  padding: { left: LABELS, right, top: TOP, bottom },
});

/** Chart ratios of Cairn's time to the fastest peer's, with lines at 1 and 0.85. */
function ratioChart({ ratios, engines }, form) {
  const height = rowHeight(engines) * ratios.length;
  const values = ratios.map((r) => r.ratio);
  const least = Math.min(0.7, ...values),
    most = Math.max(2, ...values);
  const ticks = most <= 5 ? [0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3, 5] : [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
  const low = ticks.findLast((t) => t <= least) ?? least,
    high = ticks.find((t) => t >= most) ?? most;
  const x = (field) => ({
    field,
    type: 'quantitative',
    scale: { type: 'log', domain: [low, high], nice: false },
    axis: {
      title: 'Cairn’s time ÷ the fastest peer’s',
      orient: 'top',
      values: ticks.filter((t) => t >= low && t <= high),
      format: '~g',
    },
  });
  const y = sceneAxis(ratios.map((r) => r.scene));
  const side = { condition: { test: 'datum.ratio <= 1', value: 'var(--cairn)' }, value: 'var(--ink-2)' };
  return {
    ...frame(form, height, { right: NOTES + MARGIN, bottom: FOOT }),
    data: {
      values: ratios.map((r) => ({ ...r, one: 1, note: `${r.ratio.toFixed(2)} ${r.peer}` })),
    },
    layer: [
      {
        mark: { type: 'rule', strokeWidth: 3 },
        encoding: { x: x('one'), x2: { field: 'ratio' }, y, color: side },
      },
      {
        mark: { type: 'point', filled: true, size: 64, opacity: 1 },
        encoding: { x: x('ratio'), y, color: side },
      },
      {
        mark: { type: 'text', align: 'left', fontSize: 12, color: 'var(--ink)' },
        encoding: { x: { value: FORMS[form] - LABELS - NOTES - MARGIN + 12 }, y, text: { field: 'note' } },
      },
      lineAt({ at: 0.85, dash: [4, 3], align: 'right' }, height),
      lineAt({ at: 1, align: 'left' }, height),
    ],
  };
}

/** Rows of scenes, in each a mark an engine, one below the other. */
function dotChart({ values, scenes, engines, x, marks = [] }, form) {
  const height = rowHeight(engines) * scenes.length;
  const looks = engines.map(looksOf);
  const scale = (key) => ({ domain: engines, range: looks.map((look) => look[key]) });
  return {
    ...frame(form, height, { bottom: marks.length > 0 ? FOOT : BOTTOM }),
    layer: [
      ...marks.map((mark) => lineAt(mark, height)),
      {
        data: { values },
        mark: { type: 'point', filled: true, opacity: 1 },
        encoding: {
          x: { field: 'value', type: 'quantitative', ...x },
          y: sceneAxis(scenes),
          yOffset: {
            field: 'engine',
            type: 'nominal',
            scale: { domain: engines, paddingOuter: 1 },
          },
          shape: { field: 'engine', type: 'nominal', scale: scale('shape'), legend: null },
          color: { field: 'engine', type: 'nominal', scale: scale('fill'), legend: null },
          size: { condition: { test: "datum.engine === 'cairn'", value: 60 }, value: 36 },
        },
      },
    ],
  };
}

/** Both forms of a chart: the page shows the one that fits. */
async function figure(makeSpec, words) {
  const forms = Object.keys(FORMS).map((form) => draw(makeSpec(form), { ...words, form }));
  return (await Promise.all(forms)).join('\n');
}

/** Cairn's time over the fastest peer's. `words` are { id, title, desc }. */
export const ratioFigure = (comparison, words) => figure((form) => ratioChart(comparison, form), words);

/** A number of each engine and scene on a logarithmic axis: `values` are { scene, engine, value > 0 }. */
export const logFigure = ({ values, scenes, engines, axis }, words) => {
  const numbers = values.map((v) => v.value);
  return figure(
    (form) => dotChart({ values, scenes, engines, x: logAxis(numbers, axis, form) }, form),
    words,
  );
};

/** How many times as fast two threads are as one. */
export const gainFigure = ({ values, scenes, engines, axis }, words) => {
  const low = Math.min(0.8, ...values.map((v) => v.value)),
    high = Math.max(2, ...values.map((v) => v.value));
  const x = (form) => ({
    scale: { domain: [Math.floor(low * 5) / 5, Math.ceil(high * 5 - 1e-9) / 5], nice: false, zero: false },
    axis: { title: axis, orient: 'top', format: '.1f', tickCount: form === 'narrow' ? 4 : 8 },
  });
  const marks = [{ at: 1 }];
  return figure((form) => dotChart({ values, scenes, engines, x: x(form), marks }, form), words);
};
