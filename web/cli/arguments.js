// Reads a command's words: options with a value, and what is left over.

import { CliError } from './cli_error.js';

/**
 * @param {string[]} words
 * @param {readonly string[]} names of the options, each with a value: "--time 3" or "--time=3"
 * @returns {{ options: Map<string, string>, rest: string[] }}
 */
export function readWords(words, names) {
  /** @type {Map<string, string>} */
  const options = new Map();
  /** @type {string[]} */
  const rest = [];
  for (let i = 0; i < words.length; ++i) {
    const word = words[i];
    if (!word.startsWith('-') || word === '-') {
      rest.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    if (!names.includes(name)) {
      const allowed = names.length > 0 ? `allowed are ${names.join(', ')}` : 'there are none';
      throw new CliError(2, `unknown option ${name}, ${allowed}`);
    }
    if (options.has(name)) throw new CliError(2, `${name} is given twice`);
    const value = equals < 0 ? words[++i] : word.slice(equals + 1);
    if (value === undefined || value === '') throw new CliError(2, `${name} needs a value`);
    options.set(name, value);
  }
  return { options, rest };
}

/**
 * The one word that a command needs beside its options.
 * @param {string[]} rest @param {string} what
 */
export function onlyWord(rest, what) {
  if (rest.length === 0) throw new CliError(2, `${what} is missing`);
  if (rest.length > 1)
    throw new CliError(2, `one ${what} is wanted, ${rest.length} are given: ${rest.join(' ')}`);
  return rest[0];
}

/**
 * @param {Map<string, string>} options @param {string} name
 * @param {{ least: number, above?: boolean, integer?: boolean, most?: number }} allowed
 * @returns {number | undefined}
 */
export function readNumber(options, name, { least, above = false, integer = false, most = Infinity }) {
  const text = options.get(name);
  if (text === undefined) return undefined;
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  const isGood =
    Number.isFinite(value) &&
    (above ? value > least : value >= least) &&
    value <= most &&
    (!integer || Number.isInteger(value));
  if (!isGood) {
    const range = `${above ? '>' : '>='} ${least}${most === Infinity ? '' : ` and <= ${most}`}`;
    throw new CliError(2, `${name} is "${text}", allowed are ${integer ? 'integers' : 'numbers'} ${range}`);
  }
  return value;
}
