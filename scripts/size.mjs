// npm run size [-- FLAVOUR] [--functions N] [--files N] [--of NAME]: what the bytes of a module are spent on.
//
// Links the module of build/wasm-FLAVOUR once more with the names of its functions and a map of the linker,
// orders its functions as the build does, and charges the bytes, and those of the gzipped file, to sections,
// source files, functions and constants. With --of only what is in source files whose path contains NAME.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { bitsPerByte } from './deflate_cost.mjs';
import { ROOT, ScriptError, capture, main, say } from './process.mjs';
import { readDataSegments, readFunctionNames, readFunctions, readSections } from '../cmake/wasm/binary.mjs';
import { orderFunctions } from '../cmake/wasm/order_functions.mjs';

/** Links FLAVOUR's module with names; returns its bytes and the linker's map. */
function linkWithNames(flavour, folder) {
  const build = path.join(ROOT, 'build', `wasm-${flavour}`);
  const target = `cairn.${flavour}.web.mjs`;
  if (!fs.existsSync(path.join(build, target))) {
    throw new ScriptError(
      `${path.relative(ROOT, build)} has no module: node scripts/build.mjs wasm-${flavour}`,
    );
  }
  const { stdout } = capture('ninja', ['-C', build, '-t', 'commands', target]);
  const link =
    stdout
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^: && /, '')
      .replace(/ && :$/, '') ?? '';
  const output = path.join(folder, 'named.mjs');
  const map = path.join(folder, 'named.map');
  const command = link.replace(`-o ${target}`, `-o ${output} --profiling-funcs -Wl,-Map=${map}`);
  if (command === link) throw new ScriptError(`the link of ${target} is not understood: ${link}`);
  const { status, output: text } = capture('sh', ['-c', command], { cwd: build });
  if (status !== 0) throw new ScriptError(`the link failed:\n${text}`);
  return {
    bytes: orderFunctions(fs.readFileSync(output.replace('.mjs', '.wasm'))),
    map: fs.readFileSync(map, 'utf8'),
  };
}

/** Where each source of the engine is, by the name that its object has in the library. */
function objectPaths(flavour) {
  const commands = fs.readFileSync(
    path.join(ROOT, 'build', `wasm-${flavour}`, 'compile_commands.json'),
    'utf8',
  );
  const paths = new Map();
  for (const { file } of JSON.parse(commands)) {
    const object = `${path.basename(file)}.o`;
    const source = path.relative(ROOT, file);
    paths.set(object, paths.has(object) ? `${paths.get(object)}|${source}` : source);
  }
  return paths;
}

/** The defined functions and constants of the linker's map: name, source file, address where it has one. */
function symbolsOf(map, paths) {
  const symbols = [];
  let file = '';
  for (const line of map.split('\n')) {
    const match = /^ *(\S+) +([0-9a-f]+) +([0-9a-f]+)( +)(.*)$/.exec(line);
    if (!match) continue;
    const [, address, , size, gap, text] = match;
    const object = /^(.*?)(?:\(([^()]*)\))?:\((.*)\)$/.exec(text);
    if (object) {
      const name = object[2] ?? path.basename(object[1]);
      const library = path.basename(object[1]);
      file = paths.get(name) ?? `${library}: ${name}`;
      if (address !== '-')
        symbols.push({ file, name: object[3], address: parseInt(address, 16), size: parseInt(size, 16) });
    } else if (gap.length > 8 && address === '-') {
      symbols.push({ file, name: text });
    }
  }
  return symbols;
}

/** A name that the link has made different where two files have a function of one name. */
const plainName = (name) => name.replace(/[._]\d+$/, '');

/**
 * The source file of each function, or all files that define its name, joined by `|`.
 */
function filesOfFunctions(names, symbols) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const { name, file, address } of symbols) {
    if (address !== undefined) continue;
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name)?.push(file);
  }
  return names.map((name) => {
    const files = byName.get(name) ?? byName.get(plainName(name)) ?? ['(made by the link)'];
    return files.every((file) => file === files[0]) ? files[0] : `${files.join('|')}`;
  });
}

/** The parts of the module: kind, source file, name, first byte and end. */
function partsOf(bytes, symbols) {
  const parts = [];
  const functions = readFunctions(bytes);
  const names = readFunctionNames(bytes);
  const titles = functions.map(({ index }) => names.get(index) ?? `function ${index}`);
  const files = filesOfFunctions(titles, symbols);
  functions.forEach(({ head, end }, i) =>
    parts.push({ kind: 'code', file: files[i], name: titles[i], start: head, end }),
  );
  const constants = symbols
    .filter(({ address }) => address !== undefined)
    .sort((a, b) => a.address - b.address);
  for (const segment of readDataSegments(bytes)) {
    const first = segment.address ?? constants[0]?.address ?? 0;
    for (const { file, name, address, size } of constants) {
      const start = Math.max(segment.start, segment.start + address - first);
      const end = Math.min(segment.end, segment.start + address + size - first);
      if (start < end) parts.push({ kind: 'data', file, name, start, end });
    }
  }
  for (const { name, head, end } of readSections(bytes)) {
    if (name === 'code' || name === 'data') continue;
    parts.push({ kind: name, file: '(tables of the module)', name, start: head, end });
  }
  return parts;
}

/** Sums of raw bytes and gzipped ones by a key, largest first. */
function sumBy(parts, keyOf) {
  const sums = new Map();
  for (const part of parts) {
    const key = keyOf(part);
    const sum = sums.get(key) ?? { key, raw: 0, packed: 0 };
    sum.raw += part.raw;
    sum.packed += part.packed;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.packed - a.packed);
}

function printTable(title, rows, count) {
  say(`\n${title}`);
  for (const { key, raw, packed } of rows.slice(0, count)) {
    say(`${raw.toFixed(0).padStart(9)}${packed.toFixed(0).padStart(9)}  ${key}`);
  }
}

await main(() => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      functions: { type: 'string', default: '40' },
      files: { type: 'string', default: '40' },
      of: { type: 'string', default: '' },
    },
  });
  const flavour = positionals[0] ?? 'st';
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-size-'));
  const { bytes: named, map } = linkWithNames(flavour, folder);
  fs.rmSync(folder, { recursive: true });
  const names = readSections(named).find(({ name }) => name === 'custom name');
  const bytes = names ? Buffer.concat([named.subarray(0, names.head), named.subarray(names.end)]) : named;
  const deflated = deflateRawSync(bytes, { level: 9 });
  const costs = bitsPerByte(deflated, bytes.length);
  // the names stand behind code and data, so that what is before them is where it was
  const parts = partsOf(named, symbolsOf(map, objectPaths(flavour)))
    .filter(({ name }) => name !== 'custom name')
    .map((part) => {
      const shift = names && part.start >= names.end ? names.end - names.head : 0;
      const [start, end] = [part.start - shift, part.end - shift];
      const packed = costs.subarray(start, end).reduce((sum, cost) => sum + cost, 0) / 8;
      return { ...part, raw: end - start, packed };
    })
    .filter(({ file }) => file.includes(values.of));
  say(`cairn.${flavour}.wasm: ${bytes.length} bytes, ${deflated.length} deflated. Bytes, deflated bytes of`);
  printTable(
    'sections',
    sumBy(parts, ({ kind }) => kind),
    20,
  );
  printTable(
    'folders',
    sumBy(parts, ({ file }) => path.dirname(file)),
    60,
  );
  printTable(
    'source files',
    sumBy(parts, ({ file }) => file),
    Number(values.files),
  );
  const titleOf = ({ kind, file, name }) => `${name}${kind === 'data' ? ' (data)' : ''}  ${file}`;
  printTable('functions and constants', sumBy(parts, titleOf), Number(values.functions));
});
