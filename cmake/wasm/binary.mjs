// The binary format of WebAssembly, as far as the build looks into it: sections, functions, data.

const SECTIONS = ['custom', 'type', 'import', 'function', 'table', 'memory', 'global', 'export', 'start'];
SECTIONS.push('element', 'code', 'data', 'dataCount', 'tag');
/** Kinds of imports and exports. */
export const Kind = Object.freeze({ function: 0, table: 1, memory: 2, global: 3 });

/** Reads one number or text after the other. */
export class Reader {
  /** @param {Uint8Array} bytes @param {number} at */
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** A LEB128 number; of a signed one only the length is right. */
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  numbers() {
    return Array.from({ length: this.number() }, () => this.number());
  }

  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  limits() {
    const flags = this.number();
    this.number();
    if (flags & 1) this.number();
  }
}

/** Collects bytes. */
export class Writer {
  constructor() {
    /** @type {Uint8Array[]} */
    this.parts = [];
  }

  /** @param {number} value */
  number(value) {
    const bytes = [];
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
    bytes.push(value);
    this.parts.push(Uint8Array.from(bytes));
  }

  /** @param {number[]} values */
  numbers(values) {
    this.number(values.length);
    for (const value of values) this.number(value);
  }

  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    this.parts.push(bytes);
  }

  /** Bytes with their length before them. @param {Uint8Array} bytes */
  sized(bytes) {
    this.number(bytes.length);
    this.parts.push(bytes);
  }

  finish() {
    return new Uint8Array(Buffer.concat(this.parts));
  }
}

/**
 * The sections of a module: id, name (of a custom one its own after "custom "), first byte of its head and of
 * its content, end.
 * @param {Uint8Array} bytes
 */
export function readSections(bytes) {
  const sections = [];
  for (const reader = new Reader(bytes, 8); reader.at < bytes.length;) {
    const head = reader.at;
    const id = reader.number();
    const length = reader.number();
    const start = reader.at;
    const end = start + length;
    const name = id === 0 ? `custom ${reader.text()}` : SECTIONS[id];
    sections.push({ id, name, head, start: id === 0 ? reader.at : start, end });
    reader.at = end;
  }
  return sections;
}

/**
 * The section of a name, or undefined where the module has none.
 * @param {Uint8Array} bytes @param {string} wanted
 */
export function findSection(bytes, wanted) {
  return readSections(bytes).find(({ name }) => name === wanted);
}

/** How many functions a module imports. @param {Uint8Array} bytes */
export function countImportedFunctions(bytes) {
  const section = findSection(bytes, 'import');
  if (!section) return 0;
  const reader = new Reader(bytes, section.start);
  let count = 0;
  for (let left = reader.number(); left > 0; --left) {
    reader.text();
    reader.text();
    const kind = reader.number();
    if (kind === Kind.function) ++count;
    if (kind === Kind.table || kind === Kind.global) reader.number();
    if (kind === Kind.function || kind === Kind.global) reader.number();
    if (kind === Kind.table || kind === Kind.memory) reader.limits();
  }
  return count;
}

/**
 * Each function that the module itself has: its index, the bytes of its body with its length before them
 * (from `head`) and without.
 * @param {Uint8Array} bytes
 */
export function readFunctions(bytes) {
  const code = findSection(bytes, 'code');
  if (!code) return [];
  let index = countImportedFunctions(bytes);
  const functions = [];
  const reader = new Reader(bytes, code.start);
  for (let left = reader.number(); left > 0; --left) {
    const head = reader.at;
    const length = reader.number();
    const start = reader.at;
    reader.at += length;
    functions.push({ index: index++, head, start, end: reader.at });
  }
  return functions;
}

/**
 * Where the instructions of a function's body begin: after the types of its locals.
 * @param {Uint8Array} bytes @param {number} start
 */
export function skipLocals(bytes, start) {
  const reader = new Reader(bytes, start);
  for (let left = reader.number(); left > 0; --left) {
    reader.number();
    reader.at++;
  }
  return reader.at;
}

/**
 * The names that the name section gives to functions, by index.
 * @param {Uint8Array} bytes
 */
export function readFunctionNames(bytes) {
  /** @type {Map<number, string>} */
  const names = new Map();
  const section = findSection(bytes, 'custom name');
  if (!section) return names;
  const reader = new Reader(bytes, section.start);
  while (reader.at < section.end) {
    const id = reader.number();
    const length = reader.number();
    const end = reader.at + length;
    if (id === 1) {
      for (let left = reader.number(); left > 0; --left) {
        const index = reader.number();
        names.set(index, reader.text());
      }
    }
    reader.at = end;
  }
  return names;
}

/**
 * The segments of data: the address each is put at, undefined for passive ones, and its bytes in the file.
 * @param {Uint8Array} bytes
 */
export function readDataSegments(bytes) {
  const section = findSection(bytes, 'data');
  if (!section) return [];
  const segments = [];
  const reader = new Reader(bytes, section.start);
  for (let left = reader.number(); left > 0; --left) {
    let address;
    if (reader.number() === 0) {
      reader.at++; // i32.const
      address = reader.number();
      reader.at++; // end
    }
    const length = reader.number();
    segments.push({ address, start: reader.at, end: reader.at + length });
    reader.at += length;
  }
  return segments;
}
