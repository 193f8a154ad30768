// npm run docs: builds the documentation as static pages in build/docs/, searchable offline, for any web host
// or for a browser's "open file".
//
//   npm run docs [-- --out FOLDER]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildTypes } from './build.mjs';
import { ROOT, ScriptError, isMain, main, say } from './process.mjs';
import { setUp } from './setup.mjs';

/** Where the pages are, unless another folder is given. */
export const DOCS_FOLDER = path.join(ROOT, 'build', 'docs');

/**
 * Builds the site, from declarations that it writes first; a link that leads nowhere is an error.
 * @param {string} [folder]
 */
export async function buildDocs(folder = DOCS_FOLDER) {
  if (!(await buildTypes())) throw new ScriptError('the types do not check');
  // its packages are there only after set-up
  const { buildSite } = await import('./docs/site.mjs');
  return buildSite(folder);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { out: { type: 'string' } } });
    setUp('run');
    const folder = values.out === undefined ? DOCS_FOLDER : path.resolve(values.out);
    const { pages, sections, milliseconds } = await buildDocs(folder);
    const where = path.relative(ROOT, folder);
    say(
      `${pages} pages, ${sections} sections to search, in ${where} (${(milliseconds / 1000).toFixed(1)} s)`,
    );
  });
}
