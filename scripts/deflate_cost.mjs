// What each byte costs in a deflated text: the bits of the code that it came from, shared among the bytes of
// a repeat. So compressed bytes can be charged to parts of a file, and the parts add up to the whole.

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
];
LENGTH_BASE.push(131, 163, 195, 227, 258);
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceExtra = (/** @type {number} */ symbol) => (symbol < 4 ? 0 : (symbol >> 1) - 1);
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

class Bits {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** @param {number} count */
  take(count) {
    let value = 0;
    for (let i = 0; i < count; ++i, ++this.at)
      value |= ((this.bytes[this.at >> 3] >> (this.at & 7)) & 1) << i;
    return value;
  }
}

/** A canonical Huffman code, decoded bit by bit. @param {number[]} lengths */
function makeCode(lengths) {
  const counts = new Array(16).fill(0);
  for (const length of lengths) if (length > 0) counts[length]++;
  const symbols = lengths
    .map((length, symbol) => ({ length, symbol }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.length - b.length || a.symbol - b.symbol)
    .map(({ symbol }) => symbol);
  return { counts, symbols };
}

/** @param {Bits} bits @param {ReturnType<typeof makeCode>} code */
function decode(bits, { counts, symbols }) {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length < 16; ++length) {
    code |= bits.take(1);
    if (code - first < counts[length]) return symbols[index + code - first];
    index += counts[length];
    first = (first + counts[length]) << 1;
    code <<= 1;
  }
  throw new Error('not a deflated text');
}

/** @param {Bits} bits */
function readCodes(bits) {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const lengths = new Array(19).fill(0);
  for (let left = bits.take(4) + 4, i = 0; i < left; ++i) lengths[CODE_LENGTH_ORDER[i]] = bits.take(3);
  const lengthCode = makeCode(lengths);
  /** @type {number[]} */
  const all = [];
  while (all.length < literalCount + distanceCount) {
    const symbol = decode(bits, lengthCode);
    if (symbol < 16) all.push(symbol);
    else if (symbol === 16) all.push(...new Array(bits.take(2) + 3).fill(all.at(-1)));
    else all.push(...new Array(symbol === 17 ? bits.take(3) + 3 : bits.take(7) + 11).fill(0));
  }
  return [makeCode(all.slice(0, literalCount)), makeCode(all.slice(literalCount))];
}

function fixedCodes() {
  const lengths = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
  return [makeCode(lengths), makeCode(new Array(30).fill(5))];
}

/**
 * The bits that each of `length` bytes takes in `deflated` (raw deflate); the heads of blocks are left out.
 * @param {Uint8Array} deflated
 * @param {number} length
 */
export function bitsPerByte(deflated, length) {
  const costs = new Float32Array(length);
  const bits = new Bits(deflated);
  let at = 0;
  for (let isLast = false; !isLast;) {
    isLast = bits.take(1) === 1;
    const kind = bits.take(2);
    if (kind === 0) {
      bits.at = (bits.at + 7) & ~7;
      const count = bits.take(16);
      bits.at += 16 + count * 8;
      costs.fill(8, at, at + count);
      at += count;
      continue;
    }
    const [literals, distances] = kind === 1 ? fixedCodes() : readCodes(bits);
    for (;;) {
      const start = bits.at;
      const symbol = decode(bits, literals);
      if (symbol === 256) break;
      if (symbol < 256) {
        costs[at++] = bits.at - start;
        continue;
      }
      const count = LENGTH_BASE[symbol - 257] + bits.take(LENGTH_EXTRA[symbol - 257]);
      bits.take(distanceExtra(decode(bits, distances)));
      costs.fill((bits.at - start) / count, at, at + count);
      at += count;
    }
  }
  return costs;
}
