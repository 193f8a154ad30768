// npm run bench:charts: draws results as the page docs/bench.html.
//
//   node charts.mjs [FILE.csv …]   from these files of results/, else from those that the page names
//   node charts.mjs --check        whether the page is what its files give
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { makePage } from './charts/html.mjs';
import { fromCsv } from './csv.mjs';

const RESULTS = new URL('results/', import.meta.url);
export const PAGE = fileURLToPath(new URL('../../docs/bench.html', import.meta.url));

/** The files of results that the committed page names. */
export function namedFiles() {
  const named = /<meta name="results" content="([^"]+)">/.exec(readFileSync(PAGE, 'utf8'));
  if (!named) throw new Error('docs/bench.html names no files of results');
  return named[1].split(' ');
}

/** The page of some files of results/, by their names. */
export function drawPage(names) {
  const files = names.map((name) => {
    const file = new URL(name, RESULTS);
    if (!existsSync(file)) throw new Error(`no file ${name} in bench/yardstick/results`);
    return { name, run: fromCsv(readFileSync(file, 'utf8')) };
  });
  return makePage(files);
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const page = await drawPage(
    positionals.length > 0 ? positionals.map((file) => basename(file)) : namedFiles(),
  );
  if (!values.check) {
    writeFileSync(PAGE, page);
    process.stdout.write('docs/bench.html is written\n');
  } else if (readFileSync(PAGE, 'utf8') !== page) {
    process.stderr.write('docs/bench.html is not what its results give: npm run bench:charts\n');
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
