// npm run validation: runs the mechanisms of tests/validation at their time steps and at half of them, its
// contact cases at their runs and by default, and writes docs/validation.md with a plot for each to
// docs/images/validation/. Uses the WebAssembly build, or
// the native tool that CAIRN_NATIVE names.
import fs from 'node:fs';
import path from 'node:path';
import { cases as contactCases } from '../tests/validation/contacts.mjs';
import { knownMisses } from '../tests/validation/judge_contacts.mjs';
import { cases } from '../tests/validation/mechanisms.mjs';
import { readCase } from '../tests/validation/simulate.mjs';
import { ROOT } from './process.mjs';
import { escapeHtml } from './html.mjs';

const FOLDER = path.join(ROOT, 'docs/images/validation');

const short = (x, digits = 3) => {
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return '0';
  return Math.abs(x) >= 1e-3 && Math.abs(x) < 1e4
    ? String(Number(x.toPrecision(digits)))
    : x.toExponential(digits - 2);
};

/** Round values that divide a range. */
function ticks(low, high) {
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const size = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
  const found = [];
  for (let v = Math.ceil(low / size) * size; v <= high + 1e-9 * size; v += size) found.push(v);
  return found;
}

const range = (values) => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = high > low ? 0.05 * (high - low) : Math.max(1e-9, 0.05 * Math.abs(high));
  return [low - margin, high + margin];
};

/** A line of what was computed over circles of the reference. */
function drawPlot({ x, y, unit, times, computed, reference }, title) {
  const [width, height, left, bottom, top, right] = [640, 300, 66, 44, 30, 14];
  const [x0, x1] = range(times);
  const [y0, y1] = range([...computed, ...reference]);
  const px = (v) => (left + ((v - x0) / (x1 - x0)) * (width - left - right)).toFixed(1);
  const py = (v) => (height - bottom - ((v - y0) / (y1 - y0)) * (height - bottom - top)).toFixed(1);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
      'font-family="sans-serif" font-size="12">',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="18" font-size="13" fill="#222">${title}</text>`,
  ];
  for (const v of ticks(x0, x1)) {
    lines.push(`<path d="M${px(v)} ${top}V${height - bottom}" stroke="#e4e4e4"/>`);
    lines.push(
      `<text x="${px(v)}" y="${height - bottom + 16}" text-anchor="middle" fill="#555">${short(v)}</text>`,
    );
  }
  for (const v of ticks(y0, y1)) {
    lines.push(`<path d="M${left} ${py(v)}H${width - right}" stroke="#e4e4e4"/>`);
    lines.push(
      `<text x="${left - 6}" y="${Number(py(v)) + 4}" text-anchor="end" fill="#555">${short(v)}</text>`,
    );
  }
  const points = times.map((t, i) => `${px(t)} ${py(computed[i])}`);
  lines.push(`<path d="M${points.join('L')}" fill="none" stroke="#1565c0" stroke-width="1.5"/>`);
  times.forEach((t, i) => {
    lines.push(`<circle cx="${px(t)}" cy="${py(reference[i])}" r="3" fill="none" stroke="#c62828"/>`);
  });
  const label = `${y}${unit && `, ${unit}`}`;
  lines.push(
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle" fill="#333">${x}</text>`,
  );
  lines.push(
    `<text transform="translate(14 ${(top + height - bottom) / 2}) rotate(-90)" ` +
      `text-anchor="middle" fill="#333">${label}</text>`,
    '</svg>',
  );
  return `${lines.join('\n')}\n`;
}

const stepText = (steps) => steps.map((h) => `${short(h, 4)} s`).join(' and ');

const table = [];
const sections = [];
fs.mkdirSync(FOLDER, { recursive: true });
for (const { id, part, steps, finer, measure } of cases) {
  const reference = readCase(id);
  const [result, half] = [await measure(steps), await measure(finer)];
  const name = part ? `${id} (${part})` : id;
  const file = `${`${id}${part && `_${part}`}`.replaceAll(' ', '_')}.svg`;
  fs.writeFileSync(
    path.join(FOLDER, file),
    drawPlot(result.plot, escapeHtml(`${id.split('_')[0]}: ${result.plot.y}`)),
  );
  const worst = result.rows.reduce((a, b) => (a.error / a.limit > b.error / b.limit ? a : b));
  const missed = result.rows.some(({ error, limit }) => !(error <= limit));
  table.push(
    `| ${name} | ${worst.name}: ${short(worst.error)} ${worst.unit} | ` +
      `${short(worst.limit)} ${worst.unit} | ${missed ? '**missed**' : 'met'} |`,
  );
  sections.push(
    `## ${name}`,
    '',
    `${reference.title}. Time step ${stepText(steps)}. Source of the reference: ${reference.source}`,
    '',
    '| quantity | largest error | at half the step | tolerance |',
    '| --- | --- | --- | --- |',
    ...result.rows.map(
      ({ name: quantity, error, limit, unit }, i) =>
        `| ${quantity} | ${short(error)} ${unit} | ${short(half.rows[i].error)} ${unit} | ` +
        `${short(limit)} ${unit} |`,
    ),
    '',
    `![${id}: ${result.plot.y}](images/validation/${file})`,
    '',
  );
  process.stdout.write(`${missed ? 'missed' : 'met   '} ${name}\n`);
}

// ---- contacts ---------------------------------------------------------------------------------------------

const runText = ({ solver, h, exact }) => `${solver}${exact ? ', exact cone' : ''}, ${short(h, 4)} s`;
const sameRun = (a, b) => a.solver === b.solver && a.h === b.h && !a.exact === !b.exact;
const isMissed = ({ error, limit }) => !(error <= limit);
const shareOf = ({ error, limit }) => (limit > 0 ? error / limit : error > 0 ? Infinity : 0);

const contactTable = [];
const contactSections = [];
for (const { id, run, fallback, measure } of contactCases) {
  const reference = readCase(id);
  const result = await measure(run);
  const standard = sameRun(run, fallback) ? result : await measure(fallback);
  const finer = await measure({ ...run, h: run.h / 2 }, shortened(id));
  fs.writeFileSync(
    path.join(FOLDER, `${id}.svg`),
    drawPlot(result.plot, escapeHtml(`${id.split('_')[0]}: ${result.plot.y}`)),
  );
  const missed = result.rows.filter(isMissed);
  const worst = result.rows.reduce((a, b) => (shareOf(a) >= shareOf(b) ? a : b));
  const missedByDefault = standard.rows.filter(isMissed).map(({ name }) => name);
  const byDefault = missedByDefault.length === 0 ? 'met' : `misses ${missedByDefault.join(', ')}`;
  contactTable.push(
    `| ${id} | ${runText(run)} | ${worst.name}: ${short(worst.error)} ${worst.unit} | ` +
      `${short(worst.limit)} ${worst.unit} | ${missed.length > 0 ? '**missed**' : 'met'} | ` +
      `${sameRun(run, fallback) ? 'the same' : byDefault} |`,
  );
  contactSections.push(
    `### ${id}`,
    '',
    `${reference.title}. Run: ${runText(run)}. Source of the reference: ${reference.source}`,
    '',
    `| quantity | largest error | at half the step | by default (${runText(fallback)}) | tolerance |`,
    '| --- | --- | --- | --- | --- |',
    ...result.rows.map(
      ({ name, error, limit, unit }, i) =>
        `| ${name} | ${short(error)} ${unit} | ${short(finer.rows[i].error)} ${unit} | ` +
        `${short(standard.rows[i].error)} ${unit} | ${short(limit)} ${unit} |`,
    ),
    '',
    ...Object.entries(knownMisses[id] ?? {}).flatMap(([name, why]) => [`Misses: ${name}. ${why}`, '']),
    `![${id}: ${result.plot.y}](images/validation/${id}.svg)`,
    '',
  );
  process.stdout.write(`${missed.length > 0 ? 'missed' : 'met   '} ${id}\n`);
}

/** Parameters of a quick run, for the page's column of half the step. */
function shortened(id) {
  return contactCases.find((one) => one.id === id).short;
}

const page = `# Validation: mechanisms, joints, free bodies and contacts

Made by \`npm run validation\`; do not edit. Each case rebuilds a published benchmark (IFToMM's library of
multibody problems, ADAMS runs published with Project Chrono, Drake's tests) or a closed form, from the
numbers in \`tests/validation/*.json\`, with the default solver. Joints that a case calls rigid have a
compliance of 1e-12 and the default damping of two steps; MB19, MB20 and MB22 have the default
compliance.

Readings: poses, velocities and energies belong to the sample's time, forces are those of the step that
begins at the sample. "Extrapolated" cases combine two steps as 2 · fine − coarse. Errors are the
largest over all samples of the reference. In the plots the line is computed and the circles are the
reference.

| case | closest to its tolerance | tolerance | |
| --- | --- | --- | --- |
${table.join('\n')}

${sections.join('\n')}
## Contacts

Cases of dry friction (CF), elastic foundations (EF), impacts (IM), structures (ST) and SimBenchmark (SB).
Each says which solver and time step it is judged at, and shows beside it what the engine does when nobody
chooses: the auto solver at 1/60 s, or at the step that a case prescribes. "Exact cone" is a contact
material's \`frictionModel: { type: "cone", exactCone: true }\`.
At half the step long cases run a short version.

| case | run | closest to its tolerance | tolerance | | by default |
| --- | --- | --- | --- | --- | --- |
${contactTable.join('\n')}

${contactSections.join('\n')}`;
fs.writeFileSync(path.join(ROOT, 'docs/validation.md'), `${page.trimEnd()}\n`);
