// Stands for console.log in the documentation's code, where a comment says what is printed.

import { format } from 'node:util';
import { compareLine } from './doc_code.mjs';

/**
 * A function that prints values, and throws where they are not what a line says. The process fails at its end
 * where a line was never printed.
 * @param {string[]} lines as the comments have them
 */
export function expectLines(lines) {
  const waiting = new Set(lines.keys());
  process.on('exit', (status) => {
    if (status !== 0 || waiting.size === 0) return;
    for (const line of waiting) console.error(`never printed: "${lines[line]}"`);
    process.exitCode = 1;
  });
  return (/** @type {number} */ line, /** @type {unknown[]} */ ...values) => {
    const actual = format(...values);
    const wrong = compareLine(lines[line], actual);
    if (wrong !== null) throw new Error(wrong);
    waiting.delete(line);
    console.log(actual);
  };
}
