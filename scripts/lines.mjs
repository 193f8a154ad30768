// No line of a source is wider than 110 columns: clang-format and Prettier see to code, here comments and
// texts are measured as well.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './process.mjs';

export const WIDTH = 110;

const FOLDERS = ['src', 'web', 'bindings', 'cmake', 'scripts', 'tests', 'bench', 'demo'];

/** What others wrote, and what is generated. */
const SKIPPED = ['src/third_party', 'bindings/generated', 'web/generated', 'web/types', 'web/dist'];

/**
 * Where lines still are too wide. Nothing may be added, and what has no such line left has to go from here.
 */
const EXEMPT = [];

/** An address cannot be broken, and Prettier keeps a test's title on the line of its call. */
function isAllowed(line) {
  return /https?:\/\//.test(line) || /^ *test\(['"`].*\{$/.test(line);
}

/** Whether a path is one of a list or lies below one. */
const isWithin = (name, list) => list.some((item) => name === item || name.startsWith(`${item}/`));

function* sources(folder, pattern) {
  for (const entry of fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
    const name = path.posix.join(folder, entry.name);
    if (isWithin(name, SKIPPED) || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* sources(name, pattern);
    else if (pattern.test(entry.name)) yield name;
  }
}

/** Lines that are too wide, as "file:line: columns", and what is exempt without need. */
export function checkLines() {
  const wide = [];
  const used = new Set();
  const rootFiles = fs.readdirSync(ROOT).filter((name) => name.endsWith('.mjs'));
  const names = FOLDERS.flatMap((folder) => [...sources(folder, /\.(c|h|inl|js|mjs)$/)]);
  for (const name of [...rootFiles, ...names]) {
    const lines = fs.readFileSync(path.join(ROOT, name), 'utf8').split('\n');
    lines.forEach((line, i) => {
      const columns = line.length > WIDTH ? [...line].length : line.length;
      if (columns <= WIDTH || isAllowed(line)) return;
      if (isWithin(name, EXEMPT)) used.add(EXEMPT.find((item) => isWithin(name, [item])));
      else wide.push(`${name}:${i + 1}: ${columns} columns`);
    });
  }
  return { wide, needless: EXEMPT.filter((item) => !used.has(item)) };
}
