// cairn replay: plays a recording again and compares it step by step.

import { load } from '../index.node.js';
import { onlyWord, readNumber, readWords } from './arguments.js';
import { CliError } from './cli_error.js';
import { addLibrary, orBad, readBytes } from './open_scene.js';

/** @param {string[]} words */
export async function replayFile(words) {
  const { options, rest } = readWords(words, ['--threads', '--library']);
  const file = onlyWord(rest, 'FILE');
  const threads = readNumber(options, '--threads', { least: 1, integer: true, most: 32 });
  const bytes = readBytes(file);
  const cairn = await load({ threads });
  try {
    await addLibrary(cairn, options.get('--library'));
    const { steps, difference } = orBad(file, () => cairn.replay(bytes));
    if (difference) throw new CliError(1, `${file}: ${tellDifference(difference)}`);
    process.stdout.write(`${steps} steps, all as recorded\n`);
  } finally {
    cairn.dispose();
  }
}

/** @param {import('../objects/snapshots.js').ReplayDifference} difference */
function tellDifference({ step, section, row }) {
  return `step ${step} differs from the recording in ${section}${row < 0 ? '' : `, row ${row}`}`;
}
