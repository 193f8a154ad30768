// No cycle of calls between the files of the engine, and none of calls or includes between its folders: who
// wants to understand a file reads what lies below it and never comes back to it.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

/**
 * Folders in which files still call one another in a circle: readers of formats call back the file that chose
 * them, or a table and its helpers are two files of one thing. Nothing may be added, and a folder in which no
 * circle is left has to go from here.
 */
const circular = [
  'assets',
  'collide/narrow',
  'collide/pairs',
  'geometry/meshes',
  'material',
  'math',
  'scene',
  'world',
];

/** The sources of the engine, with their paths in src/. */
function sources() {
  return readdirSync(posix.join(root, 'src'), { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(c|h|inl)$/.test(path) && !path.startsWith('third_party/'))
    .sort()
    .map((path) => [path, readFileSync(posix.join(root, 'src', path), 'utf8')]);
}

/** A header and the source that defines what it declares are one. */
const unitOf = (path) => path.replace(/\.(c|h|inl)$/, '');

/** A source without comments, strings and directives; macros are given apart. */
function strip(text) {
  const code = text
    .replace(/\\\n/g, ' ')
    .replace(/\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, ' ');
  const macros = [...code.matchAll(/^#define (\w{2,})(.*)$/gm)].map(([, name, body]) => ({ name, body }));
  return { code: code.replace(/^#.*$/gm, ''), macros };
}

/** The pieces of a source at its outermost level: what stands before a pair of braces, and what in them. */
function* pieces(code) {
  let depth = 0;
  let start = 0;
  let open = 0;
  for (const { 0: character, index } of code.matchAll(/[{};]/g)) {
    if (character === '{' && depth++ === 0) open = index;
    else if (character === '}' && --depth === 0) yield [code.slice(start, open), code.slice(open, index)];
    if (depth === 0) start = index + 1;
  }
  assert.equal(depth, 0, 'braces that do not match');
}

const words = (text) => text.match(/\b[A-Za-z]\w*/g) ?? [];

/**
 * What a source defines for others (inline functions and macros of headers too), and every word that its
 * bodies use.
 */
function scan([path, text]) {
  const { code, macros } = strip(text);
  const isHeader = !path.endsWith('.c');
  const defined = isHeader ? macros.map(({ name }) => name) : [];
  const used = macros.flatMap(({ body }) => words(body));
  for (const [head, body] of pieces(code)) {
    const name = head.match(/(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$/)?.[1];
    if (name && (isHeader || !/^\s*static\b/.test(head))) defined.push(name);
    used.push(...words(body));
  }
  return { unit: unitOf(path), defined, used };
}

/** Adds `label` to the edge between two nodes of a graph, `graph.get(from).get(to)`: a set of labels. */
function addEdge(graph, from, to, label) {
  if (!graph.has(from)) graph.set(from, new Map());
  if (!graph.get(from).has(to)) graph.get(from).set(to, new Set());
  graph.get(from).get(to).add(label);
}

/** Which unit uses what another defines, and by which names. */
function findCalls(files) {
  const scanned = files.map(scan);
  const owners = new Map(scanned.flatMap(({ unit, defined }) => defined.map((name) => [name, unit])));
  const graph = new Map();
  for (const { unit, used } of scanned) {
    for (const name of used) {
      const owner = owners.get(name);
      if (owner && owner !== unit) addEdge(graph, unit, owner, name);
    }
  }
  return graph;
}

/** Which file includes which. */
function findIncludes(files) {
  const graph = new Map();
  for (const [path, text] of files) {
    for (const [, name] of text.matchAll(/^#include "(.+)"/gm)) {
      addEdge(graph, path, name.replace(/^cairn\//, 'include/cairn/'), name);
    }
  }
  return graph;
}

/** The same graph between the folders of its nodes. */
function betweenFolders(graph) {
  const folders = new Map();
  for (const [from, edges] of graph) {
    for (const to of edges.keys()) {
      const [a, b] = [posix.dirname(from), posix.dirname(to)];
      if (a !== b) addEdge(folders, a, b, `${from} -> ${to}`);
    }
  }
  return folders;
}

/**
 * Groups of nodes that reach one another (Tarjan's algorithm), those of one node left out; each with the
 * edges within it.
 */
function findCycles(graph) {
  const number = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const visit = (node) => {
    number.set(node, number.size);
    low.set(node, number.get(node));
    stack.push(node);
    for (const next of graph.get(node)?.keys() ?? []) {
      if (!number.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== number.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) cycles.push(group.sort());
  };
  for (const node of graph.keys()) if (!number.has(node)) visit(node);
  return cycles.map((group) => ({
    group,
    edges: group.flatMap((from) =>
      [...(graph.get(from) ?? [])]
        .filter(([to]) => group.includes(to))
        .map(([to, labels]) => `${from} -> ${to}: ${[...labels].join(', ')}`),
    ),
  }));
}

const engine = sources();
const cyclesOfCalls = findCycles(findCalls(engine));

test('a cycle of calls is found through functions, inline functions, macros and tables of functions', () => {
  const below = [
    'low/b.c',
    'static int Local(void) { return 1; }\nint cnB(int x) {\n    return x + Local();\n}\n',
  ];
  const call = ['low/a.c', 'int cnA(struct x* p, int (*f)(int)) { return cnB(1); } // cnC(1)\n'];
  const within = (...files) => findCycles(findCalls([below, call, ...files])).map(({ group }) => group);
  const upwards = (text) => [['low/b.c', `${below[1]}${text}`]];
  const cyclic = (...files) => findCycles(findCalls([call, ...files])).map(({ group }) => group);
  assert.deepEqual(within(), []);
  assert.deepEqual(within(['low/a.h', '#define CN_ONE 1\nint cnA(int);\nint cnB(int);\n']), []);
  assert.deepEqual(cyclic(...upwards('int cnD(void) { return cnA(0, 0); }')), [['low/a', 'low/b']]);
  assert.deepEqual(cyclic(...upwards('int (*const table[])(void) = {cnA};')), [['low/a', 'low/b']]);
  assert.deepEqual(
    cyclic(...upwards('int cnD(void) { return cnInline(); }'), [
      'low/a.h',
      'static inline int cnInline(void) { return 2; }',
    ]),
    [['low/a', 'low/b']],
  );
  assert.deepEqual(
    cyclic(...upwards('int cnD(void) { return CN_TWO(1); }'), ['low/a.h', '#define CN_TWO(x) ((x) + 1)']),
    [['low/a', 'low/b']],
  );
  assert.deepEqual(cyclic(...upwards('// cnA()\nint cnD(void) { return "cnA()"[0]; }')), []);
});

test('the scanner reads the engine', () => {
  const calls = findCalls(engine);
  assert.ok(calls.size > 150, `${calls.size} units that call others`);
  assert.ok(
    calls.get('solve/direct/substep').get('solve/direct/guards/energy_guard').has('cnDirect_GuardEnergy'),
  );
});

test('no files call one another in a circle, but in folders that are known', () => {
  const wrong = cyclesOfCalls.filter(
    ({ group }) => !group.every((unit) => circular.includes(posix.dirname(unit))),
  );
  assert.deepEqual(wrong, []);
});

test('every folder that is known for circles has one', () => {
  const found = new Set(cyclesOfCalls.flatMap(({ group }) => group.map((unit) => posix.dirname(unit))));
  assert.deepEqual([...found].sort(), circular);
});

test('no folders call one another in a circle', () => {
  assert.deepEqual(findCycles(betweenFolders(findCalls(engine))), []);
});

test('no files and no folders include one another in a circle', () => {
  const includes = findIncludes(engine);
  assert.deepEqual(findCycles(includes), []);
  assert.deepEqual(findCycles(betweenFolders(includes)), []);
});
