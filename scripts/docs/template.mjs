// The frame of a page: head, sidebar, what is on the page, the pages before and after it.

import { escapeHtml } from '../html.mjs';

/** @typedef {import('./pages.mjs').Page} Page */
/** @typedef {import('./markdown.mjs').Heading} Heading */

const MENU_ICON = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h14M3 10h14M3 14h14"/></svg>';
const THEME_ICON =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="6.5"/>' +
  '<path class="solid" d="M10 3.5a6.5 6.5 0 0 1 0 13z"/></svg>';

/** @param {Page[]} pages @param {Page} current @param {string} up */
function sidebar(pages, current, up) {
  const sections = [...new Set(pages.map(({ section }) => section))];
  return sections
    .map((section) => {
      const own = pages.filter((page) => page.section === section);
      const listed = own.filter((page) => page.listed !== false);
      const items = listed.map(({ file, label }) => {
        const isHere = file === current.file ? ' aria-current="page"' : '';
        return `<li><a href="${up}${file}"${isHere}>${escapeHtml(label)}</a></li>`;
      });
      const isOpen = own.includes(current) || listed.length < 8;
      if (listed.length === 0) return '';
      const list = `<ul>${items.join('')}</ul>`;
      return `<details${isOpen ? ' open' : ''}><summary>${section}</summary>${list}</details>`;
    })
    .join('\n');
}

/** @param {Heading[]} headings */
function contents(headings) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, id, text }) =>
      `<li class="level${level}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p>
<ul>${items.join('')}</ul></nav>`;
}

/** @param {Page[]} pages @param {Page} current @param {string} up */
function neighbours(pages, current, up) {
  const listed = pages.filter((page) => page.listed !== false);
  const here = listed.indexOf(current);
  if (here < 0) return '';
  const link = (/** @type {Page | undefined} */ page, /** @type {string} */ word) =>
    page
      ? `<a class="${word}" href="${up}${page.file}"><small>${word === 'next' ? 'Next' : 'Previous'}</small>
        ${escapeHtml(page.label)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Before and after">${link(listed[here - 1], 'previous')}
    ${link(listed[here + 1], 'next')}</nav>`;
}

/**
 * A whole page.
 *
 * @param {{ page: Page, pages: Page[], html: string, headings: Heading[], modules?: string[] }} parts
 *   `modules`: scripts of the page beside those of all, paths on the site
 */
export function renderPage({ page, pages, html, headings, modules = [] }) {
  const up = '../'.repeat(page.file.split('/').length - 1);
  const imports = {
    three: `${up || './'}three/three.module.js`,
    'three/addons/': `${up || './'}three/addons/`,
    'cairn-physics': `${up || './'}cairn/index.js`,
    'cairn-physics/three': `${up || './'}cairn/three.js`,
  };
  const importMap =
    modules.length > 0 ? `<script type="importmap">${JSON.stringify({ imports })}</script>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)}${page.file === 'index.html' ? '' : ' · Cairn'}</title>
<link rel="icon" type="image/svg+xml" href="${up}assets/icon.svg">
<link rel="stylesheet" href="${up}assets/site.css">
<script src="${up}assets/theme.js"></script>
${importMap}
</head>
<body data-up="${up}">
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<button id="menu" type="button" aria-expanded="false" aria-controls="sidebar">
${MENU_ICON}<span>Menu</span></button>
<a class="brand" href="${up}index.html">
<img src="${up}assets/icon.svg" width="26" height="26" alt="">Cairn</a>
<form role="search" class="search" action="#">
<input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"
 aria-controls="results" aria-keyshortcuts="/">
<div id="results" hidden></div>
</form>
<button id="theme" type="button" aria-label="Colours: light or dark">${THEME_ICON}</button>
</header>
<div class="layout">
<nav id="sidebar" aria-label="Pages">
${sidebar(pages, page, up)}
</nav>
<main id="content" tabindex="-1">
<article>
${html}
</article>
${neighbours(pages, page, up)}
</main>
${contents(headings)}
</div>
<script src="${up}assets/minisearch.js"></script>
<script src="${up}assets/search_index.js"></script>
<script src="${up}assets/site.js"></script>
${modules.map((name) => `<script type="module" src="${up}${name}"></script>`).join('\n')}
</body>
</html>
`;
}
