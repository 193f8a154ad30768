// The documentation holds: its code runs and prints what it says, its pages build, its links lead somewhere.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { compareLine, findBlocks, runBlock } from './doc_code.mjs';
import { root } from './helpers.mjs';

const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const textOf = (/** @type {string} */ name) => readFileSync(join(root, 'docs', name), 'utf8');

test('a printed line is compared to the last digit of its comment', () => {
  assert.equal(compareLine('[ 0, 0, 0.49… ]', '[ 0, 0, 0.4983 ]'), null);
  assert.equal(compareLine('3.14 m', '3.142 m'), null);
  assert.equal(compareLine('1e-9', '1.2e-9'), null);
  assert.match(compareLine('3.14 m', '3.16 m') ?? '', /expected/);
  assert.match(compareLine('3 goals', '2 goals') ?? '', /expected/);
  assert.match(compareLine('3.14 m', '3.14 s') ?? '', /expected/);
  assert.match(compareLine('[ 0, 1 ]', '[ 0, 1, 2 ]') ?? '', /expected/);
});

test('a line that never runs, and an arrow that nothing compares, are noticed', async () => {
  const run = (/** @type {string} */ code) =>
    runBlock('never', { line: 1, code: `// load()\n${code}\n`, isPage: false, before: '' });
  assert.throws(() => run('if (true) console.log(1); // → 1'), /only a whole line/);
  assert.equal((await run('console.log(1); // → 1')).status, 0);
  assert.match((await run('console.log(1); // → 2')).stderr, /printed "1", expected "2"/);
  const { status, stderr } = await run('if (false) {\n  console.log(1); // → 1\n}');
  assert.equal(status, 1);
  assert.match(stderr, /never printed: "1"/);
});

describe('code of the documentation', { concurrency: 2 }, () => {
  let count = 0;
  for (const name of pages) {
    findBlocks(textOf(name)).forEach((block, i) => {
      ++count;
      it(`docs/${name}:${block.line}`, async () => {
        const { status, stderr } = await runBlock(`${name.slice(0, -3)}_${i}`, block);
        assert.equal(status, 0, stderr);
      });
    });
  }
  it('is there', () => assert.ok(count > 40, `${count} blocks`));
});

/** Texts of all declarations of the package. */
const declarations = readdirSync(join(root, 'web/types'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.d.ts'))
  .map((name) => readFileSync(join(root, 'web/types', name), 'utf8'));

/** Pages that are for users, and name what is there. */
const userPages = pages.filter((name) =>
  /^(coming-from|index|getting|time-loop|common|materials|queries|performance|accuracy)/.test(name),
);
/** What objects are called in the pages, and their class. */
const owners = {
  cairn: 'cairn',
  world: 'world',
  body: 'body',
  constraint: 'constraint',
  geometry: 'geometry',
  sensor: 'geometry',
  material: 'material',
  shape: 'shape',
};

describe('the site', () => {
  /** @type {string} */
  let folder;
  /** @type {(file: string) => string} */
  let read;

  /** Everything that a program can import of the package, by name. @type {Record<string, unknown>} */
  const exported = {};

  before(async () => {
    const { listEntries } = await import('../../scripts/docs/reference.mjs');
    for (const [, module] of listEntries()) Object.assign(exported, await import(module));
    folder = mkdtempSync(join(tmpdir(), 'cairn-docs-'));
    read = (file) => readFileSync(join(folder, file), 'utf8');
    const { buildSite } = await import('../../scripts/docs/site.mjs');
    // a link or an anchor that is not there is an error
    await buildSite(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has every page of docs/ in a section of its sidebar', async () => {
    const { readPages } = await import('../../scripts/docs/pages.mjs');
    const listed = readPages();
    assert.deepEqual(listed.map(({ source }) => source).sort(), pages.map((name) => `docs/${name}`).sort());
    for (const { file } of listed) assert.match(read('index.html'), new RegExp(`href="${file}"`));
  });

  it('describes everything that the package exports', () => {
    const index = read('api/index.html');
    const missing = Object.keys(exported).filter((name) => !index.includes(`<code>${name}</code>`));
    assert.deepEqual(missing, []);
    assert.ok(Object.keys(exported).length > 40);
    // types are gone at run time
    const types = readFileSync(join(root, 'web/types/exports.d.ts'), 'utf8');
    const names = [...types.matchAll(/^export type (\w+)/gm)].map((match) => match[1]);
    assert.ok(names.length > 50);
    assert.deepEqual(
      names.filter((name) => !index.includes(`<code>${name}</code>`)),
      [],
    );
  });

  it('describes every public member of every class', () => {
    const names = Object.entries(exported)
      .filter(([, value]) => typeof value === 'function' && /^class\b/.test(String(value)))
      .map(([name]) => name);
    assert.ok(names.length > 20);
    for (const name of names) {
      const page = read(`api/${name.toLowerCase()}.html`);
      const missing = declaredMembers(name).filter((member) => !page.includes(`id="${member}"`));
      assert.deepEqual(missing, [], `of ${name}`);
    }
  });

  /** Public members as the declarations have them, line by line. @param {string} name of a class */
  function declaredMembers(name) {
    const start = new RegExp(`^export declare class ${name}[ <]`, 'm');
    const text = /** @type {string} */ (declarations.find((one) => start.test(one)));
    const [body] = text.slice(text.search(start)).split(/^}/m);
    const members = body.matchAll(
      /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?^ {4}(?:static |readonly |get |set )*(\w+)[?(<:]/gm,
    );
    return [...members]
      .filter(([, comment = '', member]) => !/@internal/.test(comment) && member !== 'constructor')
      .map((match) => match[2]);
  }

  it('names no method that is not there', () => {
    const wrong = [];
    let checked = 0;
    for (const name of userPages) {
      // of a row that has another engine's names first, the last cell is ours
      const lines = textOf(name)
        .replace(/^```[\s\S]*?^```$/gm, '')
        .split('\n');
      const ours = lines.map((line) => (line.startsWith('|') ? line.split('|').at(-2) : line)).join('\n');
      for (const [, owner, member] of ours.matchAll(/`(?:[^`\n]*[^.\w`])?(\w+)\.(\w+)[^`\n]*`/g)) {
        if (!Object.hasOwn(owners, owner)) continue;
        ++checked;
        if (!read(`api/${owners[owner]}.html`).includes(`id="${member}"`))
          wrong.push(`${name}: ${owner}.${member}`);
      }
    }
    assert.ok(checked > 100, `${checked} names`);
    assert.deepEqual(wrong, []);
  });

  it('finds what is searched for', async () => {
    const { default: MiniSearch } = await import('minisearch');
    const cairnSearch = new Function(`${read('assets/search_index.js')}; return cairnSearch;`)();
    const index = MiniSearch.loadJSON(cairnSearch.index, cairnSearch.options);
    const first = (/** @type {string} */ query) =>
      index
        .search(query, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { heading: 4, page: 2 } })
        .slice(0, 3)
        .map(({ href }) => href);
    assert.ok(first('setVelocity').includes('api/body.html#setVelocity'), `${first('setVelocity')}`);
    assert.ok(first('velocity set').some((href) => /setVelocity|setAngularVelocity/.test(href)));
    assert.ok(first('cannon-es').some((href) => href.startsWith('coming-from-cannon-es')));
  });

  it('has no page that needs the network', () => {
    const html = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.html$/.test(name),
    );
    assert.ok(html.length > 70);
    for (const file of html)
      assert.doesNotMatch(read(file), /<(?:script|link|img)[^>]*(?:src|href)="https?:/, file);
  });
});
