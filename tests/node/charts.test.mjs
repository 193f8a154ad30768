// The page of charts is what its files of results give: its numbers are those of the files, its charts draw
// them, and files of before and of today are read.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { drawPage, namedFiles, PAGE } from '../../bench/yardstick/charts.mjs';
import { compare } from '../../bench/yardstick/charts/compare.mjs';
import { fromCsv, toCsv } from '../../bench/yardstick/csv.mjs';
import { root } from './helpers.mjs';

const folder = join(root, 'bench/yardstick/results');
const textOf = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
const page = readFileSync(PAGE, 'utf8');

const median = (/** @type {number[]} */ values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(values.length - 1) >> 1] + sorted[values.length >> 1]) / 2;
};

/**
 * A column of a file by scene and engine, read by the test itself: the median of times, else the first.
 * @param {string} name @param {string} column @returns {Map<string, number>}
 */
function columnOf(name, column) {
  const [, header, ...lines] = textOf(name).trimEnd().split('\n');
  const columns = header.split(',');
  const values = new Map();
  for (const line of lines.filter((text) => !text.includes('"'))) {
    const cells = line.split(',');
    const [scene, engine, text] = ['scene', 'engine', column].map((key) => cells[columns.indexOf(key)]);
    if (text) values.set(`${scene} ${engine}`, [...(values.get(`${scene} ${engine}`) ?? []), Number(text)]);
  }
  const merge = (/** @type {number[]} */ all) => (column === 'medianMs' ? median(all) : all[0]);
  return new Map([...values].map(([key, all]) => [key, Number(merge(all).toPrecision(3))]));
}

/** A table of the page: heads, and rows of cells. @param {string} id */
function tableOf(id) {
  const html = new RegExp(`<table id="${id}">([\\s\\S]*?)</table>`).exec(page)?.[1] ?? '';
  const cells = (/** @type {string} */ row) => [...row.matchAll(/<t[hd][^>]*>([^<]*)</g)].map((m) => m[1]);
  const [head = [], ...rows] = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map((match) => cells(match[1]));
  return { head, rows };
}

const isClose = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) <= 1e-9 * Math.abs(b);

describe('docs/bench.html', () => {
  it('is what the files that it names give', async () => {
    assert.equal(await drawPage(namedFiles()), page);
  });

  it('names machine, date and host of each file', () => {
    for (const name of namedFiles()) {
      const { cpu, cores, date, node } = fromCsv(textOf(name));
      const run = page.match(new RegExp(`<p class="run">.*${name}.*</p>`))?.[0] ?? '';
      assert.ok(run.includes(`${cpu}, ${cores} cores`) && run.includes(date), run);
      assert.ok(/in Chromium \d/.test(run) || run.includes(`in Node ${node.slice(1)}`), run);
    }
  });

  it('has the numbers of the files', () => {
    const tables = { 'time-table': 'medianMs', 'maxPen-table': 'maxPen', 'jointMax-table': 'jointMax' };
    let found = 0;
    namedFiles().forEach((name, index) => {
      for (const [table, column] of Object.entries(tables)) {
        const factor = column === 'medianMs' ? 1 : 1000;
        const { head, rows } = tableOf(`run${index + 1}-${table}`);
        const wanted = columnOf(name, column);
        for (const [scene, ...cells] of rows)
          head.slice(1).forEach((engine, i) => {
            const value = wanted.get(`${scene} ${engine}`);
            if (value === undefined) return;
            assert.ok(isClose(parseFloat(cells[i]), factor * value), `${scene} ${engine}: ${cells[i]}`);
            ++found;
          });
      }
    });
    assert.ok(found > 100, `${found} numbers`);
  });

  it('has the ratios to the fastest peer', () => {
    let found = 0;
    namedFiles().forEach((name, index) => {
      const { head, rows } = tableOf(`run${index + 1}-time-table`);
      const engines = head.slice(1, head.indexOf('cairn p95'));
      const times = columnOf(name, 'medianMs');
      for (const row of rows.filter((cells) => cells[head.indexOf('ratio')] !== '–')) {
        const [peer, ratio] = ['fastest peer', 'ratio'].map((column) => row[head.indexOf(column)]);
        const timeOf = (/** @type {string} */ engine) => times.get(`${row[0]} ${engine}`) ?? Infinity;
        // an engine that was stopped has an asterisk, and counts for nothing
        const peers = engines.filter((e, i) => !e.startsWith('cairn') && !row[i + 1].endsWith('*'));
        const least = Math.min(...peers.map(timeOf));
        assert.equal(timeOf(peer), least, row.join());
        // an even number of repetitions has medians that are rounded
        const wanted = timeOf('cairn') / least;
        assert.ok(Math.abs(Number(ratio) - wanted) < 0.0051 + 0.01 * wanted, row.join());
        assert.ok(page.includes(`>${ratio} ${peer}</text>`), 'beside the chart');
        ++found;
      }
    });
    assert.ok(found > 5, `${found} rows`);
  });

  it('has the gain of a second thread', () => {
    let found = 0;
    namedFiles().forEach((name, index) => {
      const times = columnOf(name, 'medianMs');
      const { head, rows } = tableOf(`run${index + 1}-threads-table`);
      for (const row of rows)
        for (let i = 1; i < row.length; i += 3) {
          if (row[i] === '–') continue;
          const [engine] = head[i].split(' ');
          const [one, two, gain] = row.slice(i, i + 3).map(Number);
          assert.equal(one, times.get(`${row[0]} ${engine}-mt1`) ?? times.get(`${row[0]} ${engine}`));
          assert.equal(two, times.get(`${row[0]} ${engine}-mt2`));
          assert.ok(Math.abs(gain - one / two) < 0.0051 + 0.01 * gain, row.join());
          ++found;
        }
    });
    assert.ok(found > 5, `${found} gains`);
  });

  it('has a title and a description in every chart, and no number that is none', () => {
    const charts = [...page.matchAll(/<svg class="(?:narrow|wide)"[^>]*aria-labelledby="(\S+) (\S+)">/g)];
    assert.ok(charts.length >= 8 && charts.length % 2 === 0, `${charts.length} charts`);
    for (const [, title, description] of charts) {
      assert.match(page, new RegExp(`<title id="${title}">[^<]{10,}</title>`));
      assert.match(page, new RegExp(`<desc id="${description}">[^<]{20,}</desc>`));
    }
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    assert.equal(new Set(ids).size, ids.length, 'every id is there once');
    assert.doesNotMatch(page, /NaN|undefined|Infinity/);
  });

  it('needs nothing from elsewhere', () => {
    assert.doesNotMatch(page, /<script|@import|url\(|src=|href="https?:/);
  });
});

test('every file of results is read', () => {
  for (const name of readdirSync(folder)) {
    const { results, date } = fromCsv(textOf(name));
    assert.ok(results.length > 0 && name.startsWith(date), name);
    for (const { host, hostVersion, scene, engine } of results) {
      assert.ok(['node', 'chromium'].includes(host) && hostVersion && scene && engine, name);
    }
  }
});

test('what is written as CSV is read again', () => {
  const run = { scene: 'S1', engine: 'cairn', host: 'chromium', hostVersion: '156.0', rep: 0, medianMs: 1.5 };
  const failed = { scene: 'S1', engine: 'jolt', host: 'chromium', rep: 0, error: 'no "worker", or none' };
  const report = { cpu: 'A, B', cores: 2, node: 'v20.1.0', date: '2026-11-25' };
  const metrics = { maxPen: 0.00125 };
  const again = fromCsv(
    toCsv({ ...report, results: [{ ...run, metrics, hash: '00000000000000e1' }, failed] }),
  );
  assert.deepEqual(again, {
    ...report,
    results: [
      { ...run, ...metrics, hash: '00000000000000e1' },
      { ...failed, hostVersion: 'v20.1.0' },
    ],
  });
});

test('repetitions become medians, and an engine without a time is left out', () => {
  const row = (/** @type {string} */ engine, /** @type {number} */ rep, /** @type {number} */ medianMs) => ({
    ...{ scene: 'S1', engine, rep, medianMs, p95Ms: 2 * medianMs },
  });
  const results = [
    ...[row('cairn', 0, 3), row('cairn', 1, 1), row('cairn', 2, 2), row('rapier', 0, 4)],
    { scene: 'S1', engine: 'havok', rep: 0, error: 'does not load' },
  ];
  const { engines, entry, ratios } = compare({ results });
  assert.deepEqual(engines, ['cairn', 'rapier']);
  assert.equal(entry('S1', 'cairn')?.medianMs, 2);
  assert.deepEqual(ratios, [{ scene: 'S1', peer: 'rapier', ratio: 0.5 }]);
});
