// Starts the engine once the page has said how, then does what it asks for.

import { Server } from './server.js';

/**
 * What a worker's script may do by itself.
 * @typedef {object} Served
 * @property {() => void} publish shows the page's mirrors what became of the worlds, which else happens after
 *   each call of the page: for loops of the worker's own
 */

/**
 * @param {{ load: (options: object) => Promise<import('../objects/cairn.js').Cairn> } & Record<string,
 *   unknown>} engine
 *   what cairn-physics exports
 * @param {import('./server.js').Functions} functions
 * @param {import('./server.js').Port} port
 * @returns {Served}
 */
export function serveThrough(engine, functions, port) {
  const server = new Server(port, functions);
  const classes = Object.entries(engine).filter(([, item]) => typeof item === 'function' && isClass(item));
  port.listen((message) => {
    if (message.start === undefined) {
      server.receive(message);
      return;
    }
    const { start, files } = message;
    const options = files ? { ...start, locateFile: (/** @type {string} */ name) => files[name] } : start;
    engine.load(options).then(
      (cairn) => server.start(cairn, /** @type {[string, Function][]} */ (classes)),
      (error) => server.fail(error),
    );
  });
  return { publish: () => server.publish() };
}

/** @param {Function} item */
function isClass(item) {
  return /^class\b/.test(String(item)) && !(item.prototype instanceof Error);
}
