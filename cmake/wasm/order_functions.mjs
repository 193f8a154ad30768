// Puts the functions of a module into another order, by which gzip finds more repeats.
//
// Deflate refers back 32 kB at most, while a module has a megabyte. So functions that share runs of bytes
// are put beside one another: next always comes the function that shares most with those of the last 30 kB.
// What is executed stays, but for indices; 3 % of the compressed code go. Which function comes first decides
// all that follow, so that one of a few orders packs better than the others by chance, by 0.2 %: it is
// taken.
import { gzipSync } from 'node:zlib';
import {
  Kind,
  Reader,
  Writer,
  countImportedFunctions,
  readFunctionNames,
  readFunctions,
  readSections,
  skipLocals,
} from './binary.mjs';
import { Operand, forEachOperand } from './instructions.mjs';

const RUN = 6; // bytes that count as shared
const MOST_SHARERS = 20; // runs that more functions have tell little, and are in reach anyway
const REACHES = [29000, 30000, 31000, 32000]; // bytes, one an order
const HEAD = 20; // bytes that even the shortest function counts as
// An index below 128 takes one byte, so the functions that most calls go to come first.
const ONE_BYTE_INDICES = 128;

/** The different runs of bytes in a body, as hashes. @param {Uint8Array} body */
function hashRuns(body) {
  const hashes = new Int32Array(Math.max(0, body.length - RUN + 1));
  for (let i = 0; i < hashes.length; ++i) {
    let hash = 0;
    for (let k = 0; k < RUN; ++k) hash = Math.imul(hash, 16777619) ^ body[i + k];
    hashes[i] = hash;
  }
  return new Set(hashes);
}

/**
 * Which bodies have each run that some share, and of each body the numbers of such runs.
 * @param {Uint8Array[]} bodies
 */
function findSharedRuns(bodies) {
  /** @type {Map<number, number[]>} */
  const havers = new Map();
  bodies.forEach((body, i) => {
    for (const run of hashRuns(body)) {
      const list = havers.get(run);
      if (list) list.push(i);
      else havers.set(run, [i]);
    }
  });
  const sharers = [...havers.values()].filter((list) => list.length > 1 && list.length < MOST_SHARERS);
  /** @type {number[][]} */
  const runs = bodies.map(() => []);
  sharers.forEach((list, run) => list.forEach((i) => runs[i].push(run)));
  return { sharers, runs };
}

/**
 * An order of bodies in which similar ones are near: places in the list, all of `first` before all others.
 * @param {Uint8Array[]} bodies
 * @param {Set<number>} first
 * @param {{ sharers: number[][], runs: number[][] }} shared
 * @param {number} most bytes in reach
 */
function orderBodies(bodies, first, { sharers, runs }, most) {
  const scores = new Int32Array(bodies.length); // runs shared with what is in reach
  const inReach = new Int32Array(sharers.length); // bodies that have a run
  /** @param {number} place @param {1 | -1} step */
  const change = (place, step) => {
    for (const run of runs[place]) {
      const before = inReach[run];
      inReach[run] = before + step;
      if (before === 0 || before + step === 0) for (const sharer of sharers[run]) scores[sharer] += step;
    }
  };
  /** @type {number[]} */
  const order = [];
  let oldest = 0;
  let reach = 0;
  let left = new Set(first);
  const rest = new Set(bodies.keys());
  for (const place of first) rest.delete(place);
  while (order.length < bodies.length) {
    if (left.size === 0) left = rest;
    let best = -1;
    let bestScore = -1;
    for (const place of left) {
      const score = scores[place] / (bodies[place].length + HEAD);
      if (score > bestScore) [best, bestScore] = [place, score];
    }
    left.delete(best);
    order.push(best);
    change(best, 1);
    for (reach += bodies[best].length; reach > most && oldest < order.length - 1; ++oldest) {
      reach -= bodies[order[oldest]].length;
      change(order[oldest], -1);
    }
  }
  return order;
}

/** The places of the functions that are called from most places. */
function findMostCalled(bytes, functions, imported) {
  const calls = new Float64Array(functions.length);
  for (const { start, end } of functions) {
    forEachOperand(bytes, skipLocals(bytes, start), end, (kind, _start, _end, value) => {
      if (kind === Operand.function && value >= imported) calls[value - imported]++;
    });
  }
  const places = [...calls.keys()].sort((a, b) => calls[b] - calls[a] || a - b);
  return new Set(places.slice(0, Math.max(0, ONE_BYTE_INDICES - imported)));
}

/**
 * A body in which indices of functions are those of `renumber`, and no access expects an alignment: engines
 * ignore what they expect, and the bytes are fewer different ones.
 */
function rewriteBody(bytes, { start, end }, renumber) {
  const writer = new Writer();
  let at = start;
  forEachOperand(bytes, skipLocals(bytes, start), end, (kind, first, last, value) => {
    writer.bytes(bytes.subarray(at, first));
    writer.number(kind === Operand.function ? renumber(value) : 0);
    at = last;
  });
  writer.bytes(bytes.subarray(at, end));
  return writer.finish();
}

/** @param {Uint8Array} bytes @param {{ start: number, end: number }} section */
function rewriteExports(bytes, { start }, renumber) {
  const reader = new Reader(bytes, start);
  const writer = new Writer();
  let left = reader.number();
  for (writer.number(left); left > 0; --left) {
    writer.sized(new TextEncoder().encode(reader.text()));
    const kind = reader.number();
    const index = reader.number();
    writer.number(kind);
    writer.number(kind === Kind.function ? renumber(index) : index);
  }
  return writer.finish();
}

function rewriteElements(bytes, { start }, renumber) {
  const reader = new Reader(bytes, start);
  const writer = new Writer();
  let left = reader.number();
  for (writer.number(left); left > 0; --left) {
    const flags = reader.number();
    const head = reader.at;
    if (flags !== 0 || bytes[head] !== 0x41) throw new Error('a table of functions has an unknown form');
    reader.at++;
    reader.number();
    reader.at++; // end
    writer.number(flags);
    writer.bytes(bytes.subarray(head, reader.at));
    writer.numbers(reader.numbers().map(renumber));
  }
  return writer.finish();
}

function rewriteNames(bytes, renumber) {
  const names = [...readFunctionNames(bytes)].map(([index, name]) => ({ index: renumber(index), name }));
  const list = new Writer();
  list.number(names.length);
  for (const { index, name } of names.sort((a, b) => a.index - b.index)) {
    list.number(index);
    list.sized(new TextEncoder().encode(name));
  }
  const writer = new Writer();
  writer.sized(new TextEncoder().encode('name'));
  writer.number(1);
  writer.sized(list.finish());
  return writer.finish();
}

/**
 * The module with its functions in another order.
 * @param {Uint8Array} bytes @param {{ start: number, end: number }[]} functions @param {number[]} order
 */
function rearrange(bytes, functions, order) {
  const imported = countImportedFunctions(bytes);
  const newIndices = new Array(functions.length);
  order.forEach((place, i) => (newIndices[place] = imported + i));
  const renumber = (/** @type {number} */ index) => (index < imported ? index : newIndices[index - imported]);

  const writer = new Writer();
  writer.bytes(bytes.subarray(0, 8));
  for (const section of readSections(bytes)) {
    const { id, name, head, start, end } = section;
    let content;
    if (name === 'function') {
      const types = new Reader(bytes, start).numbers();
      const sorted = new Writer();
      sorted.numbers(order.map((place) => types[place]));
      content = sorted.finish();
    } else if (name === 'start') {
      const index = new Writer();
      index.number(renumber(new Reader(bytes, start).number()));
      content = index.finish();
    } else if (name === 'code') {
      const code = new Writer();
      code.number(order.length);
      for (const place of order) code.sized(rewriteBody(bytes, functions[place], renumber));
      content = code.finish();
    } else if (name === 'export') content = rewriteExports(bytes, section, renumber);
    else if (name === 'element') content = rewriteElements(bytes, section, renumber);
    else if (name === 'custom name') content = rewriteNames(bytes, renumber);
    if (!content) {
      writer.bytes(bytes.subarray(head, end));
      continue;
    }
    writer.number(id);
    writer.sized(content);
  }
  return writer.finish();
}

/**
 * The module with its functions in the order that packs best. Of names only those of functions stay.
 * @param {Uint8Array} bytes
 */
export function orderFunctions(bytes) {
  const functions = readFunctions(bytes);
  const bodies = functions.map(({ start, end }) => bytes.subarray(start, end));
  const first = findMostCalled(bytes, functions, countImportedFunctions(bytes));
  const shared = findSharedRuns(bodies);
  const modules = REACHES.map((reach) =>
    rearrange(bytes, functions, orderBodies(bodies, first, shared, reach)),
  );
  const sizes = modules.map((module) => gzipSync(module, { level: 9 }).length);
  return modules[sizes.indexOf(Math.min(...sizes))];
}
