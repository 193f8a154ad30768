// Results as tables: time with ratios to the fastest, then quality. Also: node table.mjs FILE
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QUALITY, short } from './csv.mjs';
import { median } from '../median.mjs';

const row = (cells) => `| ${cells.join(' | ')} |`;
/** Where results come from: "Node v20.20.2", or "Chromium 156.0" where the runs were in pages. */
function hostOf({ results, node }) {
  const page = results.find((r) => r.host === 'chromium' && r.hostVersion);
  return page ? `Chromium ${page.hostVersion}` : `Node ${node}`;
}

export function table(report) {
  const { results, cpu, cores } = report;
  const lines = [`${cpu ?? ''}, ${cores ?? '?'} cores, ${hostOf(report)}`, ''];
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
        endMs: ms('endMs'),
        heapMB: timed.every((r) => r.heap > 0) ? ms('heap') / 1e6 : undefined,
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
        `| engine | median ms | ratio | least | p95 | mean | end | heap MB | ${quality.join(' | ')} |`,
        `| --- |${' ---: |'.repeat(7 + quality.length)}`,
      );
      for (const r of rows)
        lines.push(
          r.error
            ? `| ${r.engine} | ${r.error} |`
            : row([
                r.engine,
                `${short(r.medianMs)}${r.capped ? '*' : ''}`,
                (r.medianMs / fastest).toFixed(2),
                ...[r.leastMs, r.p95Ms, r.meanMs, r.endMs, r.heapMB].map(short),
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

function group(rows) {
  const map = new Map();
  for (const r of rows) map.set(r.engine, [...(map.get(r.engine) ?? []), r]);
  return map;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(table(JSON.parse(readFileSync(process.argv[2], 'utf8'))));
