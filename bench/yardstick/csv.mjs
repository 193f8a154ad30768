// Results as CSV, written and read: one line a run, the machine in the first.

/** What metrics.mjs measures of a final state, as far as tables and files have it. */
export const QUALITY = [
  'pairs',
  'maxPen',
  'p99Pen',
  'meanPen',
  'through',
  'topDrop',
  'topDrift',
  'maxTiltDeg',
  'fallen',
  'jointMax',
  'jointMean',
  'jointEnd',
  'stretchPct',
  'stretchMaxPct',
  'keJkg',
  'fell',
  'nonFinite',
];
// endMs: the median of the last tenth of the steps; heap in bytes, at the end
const COSTS = ['medianMs', 'p95Ms', 'meanMs', 'endMs', 'maxMs', 'others', 'heap'];
const WORDS = ['scene', 'engine', 'version', 'host', 'hostVersion', 'hash', 'error'];
const COLUMNS = [
  ...['scene', 'engine', 'version', 'host', 'hostVersion', 'rep', 'steps'],
  ...COSTS,
  ...QUALITY,
  ...['hash', 'error'],
];

/** A number with three digits, anything else as text. */
export const short = (x) =>
  typeof x === 'number'
    ? Number.isInteger(x)
      ? String(x)
      : Number(x.toPrecision(3)).toString()
    : x === undefined || x === null
      ? ''
      : String(x);

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A report of run.mjs as CSV. */
export function toCsv({ results, cpu, cores, node, date }) {
  const lines = [`# ${cpu}, ${cores} cores, Node ${node}, ${date.slice(0, 10)}`, COLUMNS.join(',')];
  for (const r of results)
    lines.push(COLUMNS.map((c) => quoted(short(r[c] ?? r.metrics?.[c]).replaceAll('\n', ' '))).join(','));
  return `${lines.join('\n')}\n`;
}

function cellsOf(line) {
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
  return cells.map(([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain);
}

/**
 * A CSV file's machine and runs: { cpu, cores, node, date, results }. Empty cells are left out. Files of
 * before the columns `host` and `hostVersion` were all measured in Node.
 */
export function fromCsv(text) {
  const [first, header, ...lines] = text.trimEnd().split('\n');
  const machine = /^# (.*), (\d+) cores, Node (\S+), (\d{4}-\d\d-\d\d)$/.exec(first);
  if (!machine) throw new Error(`the first line does not name the machine: ${first}`);
  const [, cpu, cores, node, date] = machine;
  const columns = cellsOf(header);
  const results = lines.map((line, i) => {
    const cells = cellsOf(line);
    if (cells.length !== columns.length)
      throw new Error(`line ${i + 3} has ${cells.length} cells, not ${columns.length}`);
    const filled = columns.map((name, k) => [name, cells[k]]).filter(([, cell]) => cell !== '');
    const values = filled.map(([name, cell]) => [name, WORDS.includes(name) ? cell : Number(cell)]);
    return { host: 'node', hostVersion: node, ...Object.fromEntries(values) };
  });
  return { cpu, cores: Number(cores), node, date, results };
}
