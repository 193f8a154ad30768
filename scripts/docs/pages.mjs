// Which pages there are, in which order: the sidebar of the site.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../process.mjs';

const FOLDER = path.join(ROOT, 'docs');

/** Files of docs/ by section, without their extension. */
const SECTIONS = {
  Start: ['index', 'getting-started', 'bundlers', 'three', 'time-loop', 'common-mistakes'],
  Guide: [
    'materials',
    'constraints',
    'events',
    'queries',
    'snapshots',
    'sleep',
    'merged-bodies',
    'performance',
    'worker',
    'accuracy',
    'scene-format',
  ],
  'Coming from': ['coming-from-rapier', 'coming-from-jolt', 'coming-from-cannon-es', 'coming-from-havok'],
  Reference: ['javascript'],
  'How it works': [
    'physics',
    'iterative-contacts',
    'stiff-joints',
    'robust-joints',
    'colliders',
    'validation',
    'bench',
    'limits',
    'architecture',
    'roadmap',
  ],
};

/** What a page is called in the sidebar where its heading is long. */
const SHORT_TITLES = {
  index: 'Overview',
  constraints: 'Joints, springs, gears',
  snapshots: 'Saving and replay',
  physics: 'Formulas and defaults',
  'iterative-contacts': 'How piles come to rest',
  'stiff-joints': 'Stiff joints',
  'robust-joints': 'Why nothing explodes',
  colliders: 'Which shapes collide how',
  validation: 'Validation',
  bench: 'Timings',
  limits: 'Limits',
  javascript: 'JavaScript by topic',
  'merged-bodies': 'Merged bodies',
  'scene-format': 'Scene files',
  roadmap: 'Roadmap',
  'coming-from-rapier': 'Rapier',
  'coming-from-jolt': 'Jolt',
  'coming-from-cannon-es': 'cannon-es',
  'coming-from-havok': 'Havok',
  bundlers: 'Bundlers and headers',
  worker: 'In a worker',
};

/**
 * A page as it is written.
 *
 * @typedef {object} Page
 * @property {string} file of the site, with the extension .html
 * @property {string | null} source path in the checkout, that its links are relative to
 * @property {string} title
 * @property {string} label in the sidebar
 * @property {string} section
 * @property {string} text Markdown
 * @property {string} [before] HTML between the heading and the rest
 * @property {boolean} [listed] in the sidebar; true
 * @property {boolean} [searched] true
 * @property {'github' | 'name'} [anchors] how headings become anchors: as GitHub does, or by their first word
 */

/**
 * The pages of docs/. A file that no section lists is in the last one, "More".
 * @returns {Page[]}
 */
export function readPages() {
  const files = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.md'));
  const names = files.map((name) => name.slice(0, -3));
  const listed = Object.values(SECTIONS).flat();
  const sections = { ...SECTIONS, More: names.filter((name) => !listed.includes(name)).sort() };
  return Object.entries(sections).flatMap(([section, wanted]) =>
    wanted.filter((name) => names.includes(name)).map((name) => readPage(section, name)),
  );
}

/** Pages that a section lists and that docs/ does not have. @returns {string[]} */
export function missingPages() {
  return Object.values(SECTIONS)
    .flat()
    .filter((name) => !fs.existsSync(path.join(FOLDER, `${name}.md`)));
}

/** @param {string} section @param {string} name @returns {Page} */
function readPage(section, name) {
  const text = fs.readFileSync(path.join(FOLDER, `${name}.md`), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`docs/${name}.md has no heading`);
  const label = SHORT_TITLES[name] ?? title;
  return { file: `${name}.html`, source: `docs/${name}.md`, title, label, section, text };
}
