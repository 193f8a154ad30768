// Stands for console.log in the documentation's code, where a comment says what is printed.

import { format } from 'node:util';
import { compareLine } from './doc_code.mjs';

/** @param {string} expected @param {unknown[]} values */
export function print(expected, ...values) {
  const actual = format(...values);
  const wrong = compareLine(expected, actual);
  if (wrong !== null) throw new Error(wrong);
  console.log(actual);
}
