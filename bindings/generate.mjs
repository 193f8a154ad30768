// Generates both sides of the WebAssembly boundary from the public C headers, which are the one truth, and
// counts the arguments of the methods of web/.
//
//   node bindings/generate.mjs           writes the generated files
//   node bindings/generate.mjs --check   fails when one of them is stale
//
// Also fails when a public function is neither bound nor listed in skipped.json with the reason.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emitFlat, emitLayout } from './emit_c.mjs';
import { emitApi, emitCalls, header } from './emit_js.mjs';
import {
  describeConstraints,
  emitConstraintTypes,
  emitConstraints,
  tableOfConstraints,
  tableOfParameters,
  tableOfSecondaries,
} from './describe_constraints.mjs';
import { describeShapes, emitShapes, tableOfShapes } from './describe_shapes.mjs';
import { fillSections } from './emit_docs.mjs';
import { emitSnapshotLayouts } from './emit_layouts.mjs';
import { emitParameters } from './emit_parameters.mjs';
import { emitTypes } from './emit_types.mjs';
import { bind } from './kinds.mjs';
import { parseHeaders } from './parse_headers.mjs';
import { parseFlags, parseTables } from './parse_tables.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const headers = ['base', 'id', 'math', 'assets', 'geometry', 'mesh_tools', 'types', 'cairn'].map((name) =>
  join(root, `src/include/cairn/${name}.h`),
);

/** FNV-1a over text @param {string} text */
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Results of functions that are bound by hand, a list of them each. */
const listedResults = ['cnOverlapContact'];

/**
 * Structs that cross the boundary, those that others contain first come after them: in the
 * order of the headers.
 * @param {import('./parse_headers.mjs').ApiModel} api
 * @param {import('./kinds.mjs').Binding[]} bindings
 */
function usedStructs(api, bindings) {
  /** @type {Set<string>} */
  const used = new Set();
  const results = new Set([
    ...listedResults,
    ...bindings.flatMap(({ result }) => (result.kind === 'struct' && result.of ? [result.of] : [])),
  ]);
  /** @param {string} name */
  const add = (name) => {
    if (used.has(name)) return;
    used.add(name);
    const model = api.structs.find((struct) => struct.name === name);
    for (const { type } of model?.fields ?? []) {
      const inner = type.replace(/^const /, '').replace(/\*$/, '');
      if (
        !['cnVec3', 'cnQuat', 'cnMat33'].includes(inner) &&
        api.structs.some((struct) => struct.name === inner)
      )
        add(inner);
    }
  };
  for (const { arguments: list } of bindings) {
    for (const { kind } of list) if (kind.kind === 'struct' && kind.of) add(kind.of);
  }
  const written = new Set(used);
  results.forEach(add);
  return {
    structs: api.structs.map(({ name }) => name).filter((name) => used.has(name)),
    readOnly: new Set([...results].filter((name) => !written.has(name))),
  };
}

/**
 * Functions of the hand-written C file, with their parameters.
 * @param {string} text
 */
function parseHandWritten(text) {
  return [...text.matchAll(/^(?!static)([\w ]+?\*?) ?(cnw_\w+)\(([^)]*)\) \{/gm)].map(
    ([, type, symbol, list]) => ({
      symbol,
      parameters: list === 'void' ? [] : list.split(',').map((item) => /(\w+)$/.exec(item.trim())?.[1] ?? ''),
      result: type.trim() === 'void' ? 'void' : 'number',
    }),
  );
}

/** @param {string} text of a generated C file */
const parseFlat = parseHandWritten;

/**
 * The enum that a list of types makes.
 * @param {string} name @param {string} prefix @param {{ word: string }[]} types
 */
function enumOf(name, prefix, types) {
  const values = types.map(({ word }, value) => ({
    name: `${prefix}${word[0].toUpperCase()}${word.slice(1)}`,
    value,
    comment: '',
  }));
  return { name, comment: '', values };
}

/** @param {{ symbol: string }[]} functions */
const listExports = (functions) => functions.map(({ symbol }) => `_${symbol}\n`).join('');

function generate() {
  const api = parseHeaders(headers);
  const constraints = describeConstraints(root);
  const shapes = describeShapes(root);
  api.enums.push(enumOf('cnShapeType', 'cn_', [{ word: 'noShape' }, ...shapes]));
  api.enums.push(enumOf('cnConstraintType', 'cn_constraint', constraints.types));
  const skipped = /** @type {Record<string, string>} */ (
    JSON.parse(readFileSync(join(root, 'bindings/skipped.json'), 'utf8'))
  );
  /** @type {import('./kinds.mjs').Binding[]} */
  const bindings = [];
  const problems = [];
  for (const model of api.functions) {
    if (model.name in skipped) continue;
    const binding = bind(api, model);
    if (typeof binding === 'string')
      problems.push(`${model.name}: ${binding}; bind it by hand and list it in bindings/skipped.json`);
    else bindings.push(binding);
  }
  for (const name of Object.keys(skipped)) {
    if (!api.functions.some((model) => model.name === name))
      problems.push(`skipped.json: ${name} is no public function`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));

  const { structs, readOnly } = usedStructs(api, bindings);
  const [shared, engine, readers] = [
    ['results'],
    ['tables', 'bodies', 'assets', 'snapshots'],
    ['readers'],
  ].map((names) =>
    names.flatMap((name) => parseHandWritten(readFileSync(join(root, `bindings/${name}.c`), 'utf8'))),
  );
  const handWritten = [...shared, ...engine, ...readers];
  const flat = emitFlat(bindings);
  const fingerprint = hash(
    flat + emitLayout(api, structs, 0) + JSON.stringify(api.enums) + JSON.stringify(handWritten),
  );
  const layout = emitLayout(api, structs, fingerprint);
  const raw = [...parseFlat(flat), ...parseFlat(layout), ...shared, ...engine];
  const tables = parseTables(root);
  const memory = [
    { symbol: 'malloc', parameters: ['bytes'], result: 'number' },
    { symbol: 'free', parameters: ['address'], result: 'void' },
  ];

  const fingerprintOnly = parseFlat(layout).filter(({ symbol }) => symbol === 'cnw_GetFingerprint');
  const rawReaders = [...fingerprintOnly, ...shared, ...readers, ...memory];

  return new Map([
    ['bindings/generated/flat.c', flat],
    ['bindings/generated/layout.c', layout],
    ['bindings/generated/exports.txt', listExports([...raw, ...memory])],
    ['bindings/generated/reader_exports.txt', listExports(rawReaders)],
    ['web/generated/api.js', emitApi(api, bindings, structs, fingerprint)],
    ['web/generated/calls.js', emitCalls(bindings)],
    ['web/generated/types.js', emitTypes(api, structs, readOnly, tables, [...raw, ...memory], rawReaders)],
    ['web/generated/flags.js', parseFlags(root, api)],
    ['web/generated/snapshot_layout.js', emitSnapshotLayouts(root)],
    ['web/generated/parameters.js', emitParameters(root, header)],
    [
      'web/generated/descriptions.js',
      [header, emitConstraintTypes(constraints), emitConstraints(constraints), emitShapes(shapes)].join('\n'),
    ],
    ...fillSections(root, {
      'docs/constraints.md': {
        types: tableOfConstraints(constraints),
        parameters: tableOfParameters(constraints, false),
        secondaries: tableOfSecondaries(constraints),
      },
      'docs/javascript.md': { shapes: tableOfShapes(shapes, 'script') },
      'docs/scene-format.md': {
        shapes: tableOfShapes(shapes, 'file'),
        constraints: tableOfParameters(constraints, true),
        secondaries: tableOfSecondaries(constraints),
      },
    }),
  ]);
}

const isCheck = process.argv.includes('--check');
let stale = 0;
for (const [path, text] of generate()) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${path} is stale: run node bindings/generate.mjs`);
    stale += 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
}
if (stale > 0) process.exitCode = 1;
