// Puts the site together: pages of docs/, examples, the reference, sources that are linked to, search, links.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, ScriptError } from '../process.mjs';
import { describeExamples } from './examples.mjs';
import { renderMarkdown } from './markdown.mjs';
import { missingPages, readPages } from './pages.mjs';
import { describeApi } from './reference.mjs';
import { makeSearchScript } from './search.mjs';
import { renderPage } from './template.mjs';

/** @typedef {import('./pages.mjs').Page} Page */

const ASSETS = path.join(path.dirname(fileURLToPath(import.meta.url)), 'assets');
const MODULES = path.join(ROOT, 'node_modules');
const CHARTS = path.join('docs', 'bench.html');
const LANGUAGES = {
  '.mjs': 'js',
  '.js': 'js',
  '.c': 'c',
  '.h': 'c',
  '.inl': 'c',
  '.json': 'json',
  '.ts': 'ts',
};

/** Links that lead nowhere, one a line. */
export class BrokenLinks extends ScriptError {}

/**
 * @param {string} folder is emptied first
 * @returns {Promise<{ pages: number, sections: number, milliseconds: number }>}
 */
export async function buildSite(folder) {
  const start = performance.now();
  const missing = missingPages();
  if (missing.length > 0) throw new Error(`scripts/docs/pages.mjs lists what docs/ has not: ${missing}`);
  const api = describeApi();
  const pages = [...readPages(), ...describeExamples(), ...api.pages];
  fs.rmSync(folder, { recursive: true, force: true });
  const site = new Site(folder, pages, api.links);
  site.writeAll();
  copyAssets(folder);
  site.checkLinks();
  return {
    pages: site.files.size,
    sections: site.sections.length,
    milliseconds: performance.now() - start,
  };
}

class Site {
  /** What is written so far, with the anchors of each file. @type {Map<string, Set<string>>} */
  files = new Map();
  /** @type {{ page: string, href: string, heading: string, text: string }[]} */
  sections = [];
  /** Files of the checkout that pages link to, and the pages that they become. @type {Map<string, Page>} */
  #sources = new Map();
  /** @type {{ from: string, href: string }[]} */
  #links = [];
  #folder;
  #pages;
  #apiLinks;

  /** @param {string} folder @param {Page[]} pages @param {Map<string, string>} apiLinks */
  constructor(folder, pages, apiLinks) {
    this.#folder = folder;
    this.#pages = pages;
    this.#apiLinks = apiLinks;
  }

  writeAll() {
    for (const page of this.#pages) this.#write(page);
    // a source that is shown may link to others
    for (const source of this.#sources.values()) this.#write(source);
    const script = makeSearchScript(this.sections);
    fs.mkdirSync(path.join(this.#folder, 'assets'), { recursive: true });
    fs.writeFileSync(path.join(this.#folder, 'assets', 'search_index.js'), script);
  }

  /** @param {Page} page */
  #write(page) {
    const up = '../'.repeat(page.file.split('/').length - 1);
    const links = new Map([...this.#apiLinks].map(([name, href]) => [name, `${up}api/${href}`]));
    const link = (/** @type {string} */ href) => this.#resolve(page, href);
    const { html, headings, sections } = renderMarkdown(page.text, { anchors: page.anchors, link, links });
    const withExtra = page.before ? html.replace('</h1>', `</h1>\n${page.before}`) : html;
    const modules = page.before?.includes('data-example') ? ['assets/live.js'] : [];
    const text = renderPage({ page, pages: this.#pages, html: withExtra, headings, modules });
    const target = path.join(this.#folder, page.file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
    this.files.set(page.file, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1])));
    for (const [, href] of text.matchAll(/<(?:a|img|script|link)\b[^>]*?\s(?:href|src)="([^"]*)"/g)) {
      this.#links.push({ from: page.file, href });
    }
    if (page.searched === false) return;
    for (const { id, heading, text: words } of sections) {
      this.sections.push({ page: page.title, href: `${page.file}#${id}`, heading, text: words });
    }
  }

  /** The address on the site of what a page links to. @param {Page} page @param {string} href */
  #resolve(page, href) {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    if (page.source === null) return href;
    const up = '../'.repeat(page.file.split('/').length - 1);
    const [name, anchor] = href.split('#', 2);
    const hash = anchor ? `#${anchor}` : '';
    const file = name.startsWith('/') ? name.slice(1) : path.join(path.dirname(page.source), name);
    const known = this.#pages.find(({ source }) => source === file);
    if (known) return `${up}${known.file}${hash}`;
    const example = /^demo\/examples\/([\w-]+)\.js$/.exec(file)?.[1];
    if (example) return `${up}examples/${example === 'examples' ? 'index' : example}.html`;
    // a page of that name is made of bench.md
    if (file === CHARTS) return `${up}bench_charts.html${hash}`;
    const inDocs = path.relative('docs', file);
    if (!inDocs.startsWith('..') && !file.endsWith('.md')) return `${up}${inDocs}${hash}`;
    return this.#showSource(file) ? `${up}${this.#showSource(file)}${hash}` : href;
  }

  /** A file of the checkout as a page. @param {string} file @returns {string | null} */
  #showSource(file) {
    const known = this.#sources.get(file);
    if (known) return known.file;
    const place = path.join(ROOT, file);
    if (!fs.existsSync(place) || !fs.statSync(place).isFile()) return null;
    const text = fs.readFileSync(place, 'utf8');
    const language = LANGUAGES[path.extname(file)] ?? 'text';
    const isMarkdown = file.endsWith('.md');
    const page = {
      file: `source/${file.replace(/\.md$/, '')}.html`,
      source: file,
      title: file,
      label: file,
      section: 'Sources',
      text: isMarkdown ? text : `# ${file}\n\n\`\`\`\`${language}\n${text}\n\`\`\`\`\n`,
      listed: false,
      searched: isMarkdown,
    };
    this.#sources.set(file, page);
    return page.file;
  }

  checkLinks() {
    const broken = new Set();
    for (const { from, href } of this.#links) {
      if (/^[a-z]+:/.test(href)) continue;
      const [name, anchor] = href.split('#', 2);
      const file = name === '' ? from : path.join(path.dirname(from), name);
      const known = this.files.get(file);
      const exists = known !== undefined || fs.existsSync(path.join(this.#folder, file));
      if (!exists) broken.add(`${from}: ${href} is not there`);
      else if (anchor && known && !known.has(decodeURIComponent(anchor))) {
        broken.add(`${from}: ${href} has no such anchor`);
      }
    }
    if (broken.size > 0) throw new BrokenLinks(`links that lead nowhere:\n  ${[...broken].join('\n  ')}`);
  }
}

/** Everything that pages load, so that the folder can be put on any host as it is. @param {string} folder */
function copyAssets(folder) {
  const copy = (/** @type {string} */ from, /** @type {string} */ to, filter = () => true) =>
    fs.cpSync(from, path.join(folder, to), { recursive: true, filter });
  copy(ASSETS, 'assets');
  copy(path.join(ROOT, 'demo', 'icon.svg'), 'assets/icon.svg');
  copy(path.join(MODULES, 'minisearch', 'dist', 'umd', 'index.js'), 'assets/minisearch.js');
  copy(path.join(ROOT, 'docs', 'images'), 'images');
  copy(path.join(ROOT, CHARTS), 'bench_charts.html');
  // the engine and three.js, for the examples
  const web = path.join(ROOT, 'web');
  copy(web, 'cairn', (/** @type {string} */ name) => {
    const inner = path.relative(web, name);
    return !inner.startsWith('types') && !inner.startsWith('cli') && !inner.includes('node');
  });
  for (const name of ['three.module.js', 'three.core.js']) {
    copy(path.join(MODULES, 'three', 'build', name), `three/${name}`);
  }
  const controls = 'controls/OrbitControls.js';
  copy(path.join(MODULES, 'three', 'examples', 'jsm', controls), `three/addons/${controls}`);
  copy(path.join(ROOT, 'demo', 'examples'), 'examples/source');
}
