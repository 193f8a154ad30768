// Fills the sections of docs that come from the headers: what stands between `<!-- generated: NAME -->` and
// `<!-- end -->`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {Record<string, Record<string, string>>} files tables by path and name of the section
 * @returns {[string, string][]} paths with their new text
 */
export function fillSections(root, files) {
  return Object.entries(files).map(([path, sections]) => {
    let text = readFileSync(join(root, path), 'utf8');
    for (const [name, table] of Object.entries(sections)) {
      const start = `<!-- generated: ${name} -->\n`;
      const at = text.indexOf(start);
      const end = text.indexOf('<!-- end -->', at);
      if (at < 0 || end < 0) throw new Error(`${path}: no section "${name}"`);
      text = `${text.slice(0, at + start.length)}\n${table}\n\n${text.slice(end)}`;
    }
    return [path, text];
  });
}
