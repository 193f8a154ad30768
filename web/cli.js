#!/usr/bin/env node
// The command: cairn run|replay|check|list|decompose|copy-files. Exit status 0; 1 when a step failed; 2 for a
// bad file or bad arguments.

import { CliError, say } from './cli/cli_error.js';
import { checkScene } from './cli/check.js';
import { copyFiles } from './cli/copy_files.js';
import { decomposeFile } from './cli/decompose.js';
import { helpFor, usage } from './cli/help.js';
import { listAvailable } from './cli/list.js';
import { replayFile } from './cli/replay.js';
import { runScene } from './cli/run.js';
import { CairnError } from './core/errors.js';
import { version } from './generated/api.js';

/** @type {Record<string, (words: string[]) => Promise<void>>} */
const commands = {
  run: runScene,
  replay: replayFile,
  check: checkScene,
  list: listAvailable,
  decompose: decomposeFile,
  'copy-files': copyFiles,
};

/** @param {string[]} words */
async function main(words) {
  const [command, ...rest] = words;
  if (words.includes('--help') || words.includes('-h') || command === 'help') {
    process.stdout.write(helpFor(command in commands ? command : rest[0]));
  } else if (command === '--version' || command === '-v') {
    process.stdout.write(`cairn ${version}\n`);
  } else if (command === undefined) {
    throw new CliError(2, `no command is given\n${usage}`);
  } else if (Object.hasOwn(commands, command)) {
    await commands[command](rest);
  } else {
    throw new CliError(
      2,
      `unknown command "${command}", allowed are ${Object.keys(commands).join(', ')}\n${usage}`,
    );
  }
}

/** @param {unknown} error */
function report(error) {
  if (error instanceof CliError) {
    say(`cairn: ${error.message}`);
    process.exitCode = error.status;
  } else {
    // a mistake of ours or of the machine; a status of its own is not asked for
    const isMistake = error instanceof Error && !(error instanceof CairnError);
    const text = error instanceof Error ? error.message : String(error);
    say(`cairn: ${isMistake ? (error.stack ?? text) : text}`);
    process.exitCode = 1;
    // a module that failed half-way may leave workers behind that keep the process alive
    if (error instanceof CairnError && error.code === 'LOAD_FAILED') process.exit();
  }
}

// whoever reads us may stop reading: cairn run … | head
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
}

await main(process.argv.slice(2)).catch(report);
