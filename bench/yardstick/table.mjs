// Results as tables: time with ratios to the fastest, then quality. Also: node table.mjs FILE
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const median = (a) => {
  const s = a.toSorted((x, y) => x - y),
    n = s.length;
  return (s[(n - 1) >> 1] + s[n >> 1]) / 2;
};
const short = (x) =>
  typeof x === 'number'
    ? Number.isInteger(x)
      ? String(x)
      : Number(x.toPrecision(3)).toString()
    : x === undefined || x === null
      ? ''
      : String(x);
const row = (cells) => `| ${cells.join(' | ')} |`;
const QUALITY = [
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

export function table({ results, cpu, cores, node }) {
  const lines = [`${cpu ?? ''}, ${cores ?? '?'} cores, Node ${node}`, ''];
  for (const scene of new Set(results.map((r) => r.scene))) {
    const byEngine = group(results.filter((r) => r.scene === scene));
    const rows = [...byEngine].map(([engine, all]) => {
      const good = all.filter((r) => !r.error),
        timed = good.filter((r) => r.medianMs !== undefined);
      const ms = (key) => (timed.length ? median(timed.map((r) => r[key])) : undefined);
      return {
        engine,
        all,
        metrics: good[0]?.metrics ?? {},
        medianMs: ms('medianMs'),
        leastMs: timed.length ? Math.min(...timed.map((r) => r.medianMs)) : undefined,
        p95Ms: ms('p95Ms'),
        meanMs: ms('meanMs'),
        capped: timed.some((r) => r.capped),
        error: good.length ? undefined : all[0].error,
      };
    });
    const fastest = Math.min(...rows.map((r) => r.medianMs ?? Infinity));
    rows.sort((a, b) => (a.medianMs ?? Infinity) - (b.medianMs ?? Infinity));
    const quality = QUALITY.filter((k) =>
      rows.some((r) => r.metrics[k] !== undefined && r.metrics[k] !== null),
    );
    if (Number.isFinite(fastest)) {
      lines.push(
        `## ${scene}`,
        '',
        `| engine | median ms | ratio | least | p95 | mean | ${quality.join(' | ')} |`,
        `| --- |${' ---: |'.repeat(5 + quality.length)}`,
      );
      for (const r of rows)
        lines.push(
          r.error
            ? `| ${r.engine} | ${r.error} |`
            : row([
                r.engine,
                `${short(r.medianMs)}${r.capped ? '*' : ''}`,
                (r.medianMs / fastest).toFixed(2),
                ...[r.leastMs, r.p95Ms, r.meanMs].map(short),
                ...quality.map((k) => short(r.metrics[k])),
              ]),
        );
      if (rows.some((r) => r.capped)) lines.push('', '\\* stopped by the time cap before the last step');
    } else {
      const keys = [
        ...new Set(
          rows.flatMap((r) => Object.keys(r.metrics).filter((k) => typeof r.metrics[k] !== 'object')),
        ),
      ];
      lines.push(
        `## ${scene}`,
        '',
        `| engine | init ms | heap MB | ${keys.join(' | ')} |`,
        `| --- |${' ---: |'.repeat(2 + keys.length)}`,
      );
      for (const r of rows) {
        const first = r.all[0],
          pick = (f) => short(median(r.all.filter((x) => !x.error).map(f)));
        lines.push(
          r.error
            ? `| ${r.engine} | ${r.error} |`
            : row([
                r.engine,
                pick((x) => x.initMs),
                short((first.heap ?? 0) / 1e6),
                ...keys.map((k) =>
                  typeof r.metrics[k] === 'number' ? pick((x) => x.metrics[k]) : short(r.metrics[k]),
                ),
              ]),
        );
      }
    }
    lines.push('');
  }
  return `${lines.join('\n')}\n`;
}

/** One line a run; the machine in the first. */
export function csv({ results, cpu, cores, node, date }) {
  const columns = [
    'scene',
    'engine',
    'version',
    'rep',
    'medianMs',
    'p95Ms',
    'meanMs',
    'maxMs',
    'others',
    ...QUALITY,
  ];
  const lines = [`# ${cpu}, ${cores} cores, Node ${node}, ${date.slice(0, 10)}`, columns.join(',')];
  for (const r of results) lines.push(columns.map((c) => short(r[c] ?? r.metrics?.[c])).join(','));
  return `${lines.join('\n')}\n`;
}

function group(rows) {
  const map = new Map();
  for (const r of rows) map.set(r.engine, [...(map.get(r.engine) ?? []), r]);
  return map;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(table(JSON.parse(readFileSync(process.argv[2], 'utf8'))));
