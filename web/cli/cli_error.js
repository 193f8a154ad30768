// What ends the command with a status and a line of text.

/** An end with an exit status: 1 when a step failed, 2 for a bad file or bad arguments. */
export class CliError extends Error {
  /** @param {1 | 2} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A line on standard error. @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
