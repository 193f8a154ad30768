// The page of charts: a section a file of results, its charts and its numbers as tables.
import { readFileSync } from 'node:fs';
import { short } from '../csv.mjs';
import { compare } from './compare.mjs';
import { gainFigure, logFigure, ratioFigure } from './figures.mjs';
import { COLOURS, looksOf } from './looks.mjs';
import { escapeHtml } from '../../../scripts/html.mjs';

const variables = (index) =>
  Object.entries(COLOURS)
    .map(([name, colours]) => `--${name}: ${colours[index]};`)
    .join(' ');

/** The sheet, and the colours of engines in light and in dark pages. */
const STYLE = [
  readFileSync(new URL('style.css', import.meta.url), 'utf8'),
  `:root { ${variables(0)} }`,
  `@media (prefers-color-scheme: dark) { :root { ${variables(1)} } }`,
].join('\n');

const legend = (engines) => {
  const items = engines.map((engine) => {
    const { shape, fill } = looksOf(engine);
    const path = `<path d="${shape}" fill="${fill}"/>`;
    return `<li><svg viewBox="-1.2 -1.2 2.4 2.4" aria-hidden="true">${path}</svg>${escapeHtml(engine)}</li>`;
  });
  return `<ul class="legend">${items.join('')}</ul>`;
};

const figureOf = (heading, caption, svg, engines = []) =>
  [
    '<figure>',
    `<h3>${heading}</h3>`,
    `<figcaption>${caption}</figcaption>`,
    ...(engines.length > 0 ? [legend(engines)] : []),
    svg,
    '</figure>',
  ].join('\n');

/** `id` names the table for whoever reads the page by a program. */
function tableOf(id, heading, columns, rows) {
  const cell = ([text, isWord]) => `<td${isWord ? ' class="word"' : ''}>${escapeHtml(text)}</td>`;
  return [
    `<div class="numbers"><h3 id="${id}-heading">${heading}</h3>`,
    `<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}-heading"><table id="${id}">`,
    `<thead><tr>${columns.map((c) => `<th scope="col">${escapeHtml(c)}</th>`).join('')}</tr></thead>`,
    '<tbody>',
    ...rows.map(
      ([scene, ...cells]) => `<tr><th scope="row">${escapeHtml(scene)}</th>${cells.map(cell).join('')}</tr>`,
    ),
    '</tbody></table></div></div>',
  ].join('\n');
}

const QUALITIES = [
  {
    key: 'maxPen',
    name: 'Worst overlap',
    words: 'The deepest overlap of two bodies at the end of a scene.',
  },
  {
    key: 'meanPen',
    name: 'Mean overlap',
    words: 'The mean over the pairs that overlap at the end of a scene.',
  },
  {
    key: 'jointMax',
    name: 'Widest joint',
    words: 'The largest distance of a joint’s two anchors in the course of a scene, where it has joints.',
  },
];

function describeRatios(ratios) {
  const list = (some) => some.map((r) => `${r.scene} ${r.ratio.toFixed(2)}`).join(', ') || 'none';
  const worst = ratios.reduce((a, b) => (a.ratio > b.ratio ? a : b));
  return (
    `A row a scene. Cairn is as fast as its fastest peer or faster in: ` +
    `${list(ratios.filter((r) => r.ratio <= 1))}. The largest ratio is ${worst.ratio.toFixed(2)}, in ` +
    `${worst.scene}, to ${worst.peer}. The table of times has all numbers.`
  );
}

async function engineParts(id, comparison) {
  const { scenes, engines, entry, ratios } = comparison;
  const valuesOf = (key, factor) =>
    scenes.flatMap((scene) =>
      engines.flatMap((engine) => {
        const value = entry(scene, engine)?.[key];
        return value > 0 ? [{ scene, engine, value: factor * value }] : []; // a logarithm needs it above 0
      }),
    );
  const figures = [],
    tables = [];
  if (ratios.length > 0) {
    const svg = await ratioFigure(comparison, {
      id: `${id}-ratio`,
      title: 'Cairn’s time over that of the fastest peer',
      desc: describeRatios(ratios),
    });
    const caption =
      'Median time a step in each scene, over that of the fastest other engine, which is named: left of 1 ' +
      'Cairn is faster, left of 0.85 by a clear margin.';
    figures.push(figureOf('Cairn and the fastest peer', caption, svg));
  }
  const times = valuesOf('medianMs', 1);
  figures.push(
    figureOf(
      'Time a step',
      'Median over all steps of a scene, in milliseconds, one thread.',
      await logFigure(
        { values: times, scenes, engines, axis: 'ms a step' },
        {
          id: `${id}-time`,
          title: 'Time a step of every engine',
          desc: 'A row a scene, a mark an engine. The table of times has all numbers.',
        },
      ),
      engines,
    ),
  );
  const ratioOf = new Map(ratios.map((r) => [r.scene, r]));
  const anyStopped = scenes.some((scene) => engines.some((e) => entry(scene, e)?.isWhole === false));
  const timeCell = (scene, engine) => {
    const found = entry(scene, engine);
    if (!found) return ['–'];
    return [`${short(found.medianMs)}${found.isWhole ? '' : '*'}`];
  };
  tables.push(
    tableOf(
      `${id}-time-table`,
      anyStopped ? 'Time a step, ms (* stopped before the last step)' : 'Time a step, ms',
      ['scene', ...engines, ...(comparison.hasCairn ? ['cairn p95', 'fastest peer', 'ratio'] : [])],
      scenes.map((scene) => {
        const ratio = ratioOf.get(scene);
        const own = entry(scene, 'cairn');
        const more = [
          [own ? short(own.p95Ms) : '–'],
          [ratio?.peer ?? '–', true],
          [ratio?.ratio.toFixed(2) ?? '–'],
        ];
        return [
          scene,
          ...engines.map((engine) => timeCell(scene, engine)),
          ...(comparison.hasCairn ? more : []),
        ];
      }),
    ),
  );

  for (const { key, name, words } of QUALITIES) {
    const values = valuesOf(key, 1000);
    const shown = scenes.filter((scene) => engines.some((e) => entry(scene, e)?.[key] !== undefined));
    const drawn = shown.filter((scene) => values.some((v) => v.scene === scene));
    if (drawn.length === 0) continue;
    const label = `${name.toLowerCase()}, mm`;
    const svg = await logFigure(
      { values, scenes: drawn, engines, axis: label },
      {
        id: `${id}-${key}`,
        title: `${name} of every engine`,
        desc: `A row a scene, a mark an engine; less is better. The table “${name}” has all numbers.`,
      },
    );
    figures.push(figureOf(name, `${words} In millimetres, less is better.`, svg, engines));
    const cell = (scene, engine) => {
      const value = entry(scene, engine)?.[key];
      return [value === undefined ? '–' : short(1000 * value)];
    };
    tables.push(
      tableOf(
        `${id}-${key}-table`,
        `${name}, mm`,
        ['scene', ...engines],
        shown.map((scene) => [scene, ...engines.map((engine) => cell(scene, engine))]),
      ),
    );
  }
  return { figures, tables };
}

async function threadParts(id, { threads }) {
  const scenes = [...new Set(threads.map((t) => t.scene))],
    engines = [...new Set(threads.map((t) => t.engine))];
  const svg = await gainFigure(
    {
      values: threads.map(({ scene, engine, gain }) => ({ scene, engine, value: gain })),
      scenes,
      engines,
      axis: 'time with one thread ÷ time with two',
    },
    {
      id: `${id}-threads`,
      title: 'One thread against two',
      desc: 'A row a scene, a mark an engine; more is better. The table of threads has all numbers.',
    },
  );
  const caption =
    'How many times as fast a step is with two threads as with one, in the threaded build if it was ' +
    'measured with one thread too.';
  const found = (scene, engine) => threads.find((t) => t.scene === scene && t.engine === engine);
  const table = tableOf(
    `${id}-threads-table`,
    'One thread and two, ms',
    ['scene', ...engines.flatMap((engine) => [`${engine} 1`, `${engine} 2`, 'gain'])],
    scenes.map((scene) => [
      scene,
      ...engines.flatMap((engine) => {
        const t = found(scene, engine);
        return t ? [[short(t.oneMs)], [short(t.twoMs)], [t.gain.toFixed(2)]] : [['–'], ['–'], ['–']];
      }),
    ]),
  );
  return { figures: [figureOf('One thread against two', caption, svg, engines)], tables: [table] };
}

async function section({ name, run }, index) {
  const comparison = compare(run),
    id = `run${index + 1}`;
  const { host, hostVersion } = run.results[0];
  const hostName = host === 'chromium' ? `Chromium ${hostVersion}` : `Node ${hostVersion.replace(/^v/, '')}`;
  const versions = new Map(run.results.filter((r) => r.version).map((r) => [r.engine, r.version]));
  const engines = [...versions].map(([engine, version]) => `${engine} ${version}`).join(', ');
  const reps = 1 + Math.max(...run.results.map((r) => r.rep));
  const parts = [
    // files of threaded builds alone compare one thread with two
    ...(comparison.hasCairn ? [await engineParts(id, comparison)] : []),
    ...(comparison.threads.length > 0 ? [await threadParts(id, comparison)] : []),
  ];
  const threadsOnly = comparison.hasCairn ? '' : ', threads';
  return [
    `<section aria-labelledby="${id}">`,
    `<h2 id="${id}">${hostName}${threadsOnly}, ${run.date}</h2>`,
    `<p class="run">${escapeHtml(run.cpu)}, ${run.cores} cores; WebAssembly in ${hostName}; ${run.date}; ` +
      `${reps === 1 ? 'one repetition' : `${reps} repetitions`}; ` +
      `<a href="../bench/yardstick/results/${name}">${name}</a>. ${escapeHtml(engines)}.</p>`,
    '<div class="charts">',
    ...parts.flatMap((part) => part.figures),
    '</div>',
    '<div class="charts">',
    ...parts.flatMap((part) => part.tables),
    '</div>',
    '</section>',
  ].join('\n');
}

/** The page of files of results: [{ name, run }], where run is what fromCsv of csv.mjs gives. */
export async function makePage(files) {
  const sections = [];
  for (const [index, file] of files.entries()) sections.push(await section(file, index));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="results" content="${files.map((file) => file.name).join(' ')}">
<title>Cairn beside other engines</title>
<link rel="icon" href="data:,">
<style>
${STYLE}
</style>
</head>
<body>
<main>
<h1>Cairn beside other engines</h1>
<p>Rigid-body engines in WebAssembly step the same scenes, each with its defaults, 60 steps a second, sleeping
off. Compare times together with quality: an engine may be fast because it leaves deep overlaps or open
joints. <a href="../bench/yardstick/README.md">The yardstick</a> says what the scenes are and how
overlaps are measured, <a href="bench.md">bench.md</a> what the numbers mean.</p>
<p>Generated by <code>npm run bench:charts</code> from the files named below.</p>
${sections.join('\n')}
</main>
</body>
</html>
`;
}
