// Walking over the instructions of a function's body, as far as finding operands needs it.

/** The operands that are reported; all others are passed over. */
export const Operand = Object.freeze({ function: 1, alignment: 2 });

// Immediates of each opcode, in order: number (LEB128), numbers (a list of them), function, alignment, or so
// many bytes. Opcodes that are not listed have none.
const NUMBER = -1;
const NUMBERS = -2;
const FUNCTION = -3;
const ALIGNMENT = -4;
const NONE = Object.freeze([]);

/** @param {[number, number, number[]][]} ranges first and last opcode, immediates */
function makeForms(ranges) {
  /** @type {(readonly number[])[]} */
  const forms = [];
  for (const [first, last, form] of ranges) {
    for (let code = first; code <= last; ++code) forms[code] = form;
  }
  return forms;
}

const FORMS = makeForms([
  [0x02, 0x04, [NUMBER]], // block, loop, if
  [0x0c, 0x0d, [NUMBER]], // br, br_if
  [0x0e, 0x0e, [NUMBERS, NUMBER]], // br_table
  [0x10, 0x10, [FUNCTION]],
  [0x11, 0x11, [NUMBER, NUMBER]], // call_indirect
  [0x12, 0x12, [FUNCTION]],
  [0x13, 0x13, [NUMBER, NUMBER]],
  [0x1c, 0x1c, [NUMBERS]], // select with types
  [0x20, 0x26, [NUMBER]], // locals, globals, tables
  [0x28, 0x3e, [ALIGNMENT, NUMBER]], // loads and stores
  [0x3f, 0x42, [NUMBER]], // size and growth of memory, constants
  [0x43, 0x43, [4]],
  [0x44, 0x44, [8]],
  [0xd0, 0xd0, [NUMBER]], // ref.null
  [0xd2, 0xd2, [FUNCTION]],
]);

const BULK_FORMS = makeForms([
  [0x08, 0x08, [NUMBER, NUMBER]], // memory.init
  [0x09, 0x09, [NUMBER]],
  [0x0a, 0x0a, [NUMBER, NUMBER]], // memory.copy
  [0x0b, 0x0b, [NUMBER]],
  [0x0c, 0x0c, [NUMBER, NUMBER]], // table.init
  [0x0d, 0x0d, [NUMBER]],
  [0x0e, 0x0e, [NUMBER, NUMBER]], // table.copy
  [0x0f, 0x11, [NUMBER]],
]);

const VECTOR_FORMS = makeForms([
  [0x00, 0x0b, [ALIGNMENT, NUMBER]], // loads and stores
  [0x0c, 0x0d, [16]], // v128.const, i8x16.shuffle
  [0x15, 0x22, [1]], // lanes
  [0x54, 0x5b, [ALIGNMENT, NUMBER, 1]], // loads and stores of lanes
  [0x5c, 0x5d, [ALIGNMENT, NUMBER]],
]);

const ATOMIC_FORMS = makeForms([
  [0x00, 0x02, [NUMBER, NUMBER]], // notify, wait
  [0x03, 0x03, [1]], // fence
  [0x10, 0x4e, [NUMBER, NUMBER]],
]);

const PREFIXES = new Map([
  [0xfc, BULK_FORMS],
  [0xfd, VECTOR_FORMS],
  [0xfe, ATOMIC_FORMS],
]);
const LAST_PLAIN = 0xfa; // what is above and not in the map belongs to proposals that are not used

const TRUNCATED = 'the instructions of a function do not end where its body does';

/**
 * Calls `found(kind, start, end, value)` for each function that the instructions from `at` to `end` name and
 * each alignment that they expect (but of atomic ones, which need theirs), with the bytes that hold it.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 * @param {(kind: number, start: number, end: number, value: number) => void} found
 */
export function forEachOperand(bytes, at, end, found) {
  const readNumber = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      if (at >= end) throw new Error(TRUNCATED);
    }
  };
  while (at < end) {
    const opcode = bytes[at++];
    const forms = PREFIXES.get(opcode);
    if (!forms && opcode > LAST_PLAIN) throw new Error(`opcode 0x${opcode.toString(16)} is not known`);
    for (const form of (forms ? forms[readNumber()] : FORMS[opcode]) ?? NONE) {
      if (form > 0) {
        at += form;
        continue;
      }
      const start = at;
      const value = readNumber();
      if (form === FUNCTION) found(Operand.function, start, at, value);
      else if (form === ALIGNMENT) found(Operand.alignment, start, at, value);
      else if (form === NUMBERS) for (let left = value; left > 0; --left) readNumber();
    }
  }
  if (at !== end) throw new Error(TRUNCATED);
}
