// Collects bytes in large pieces, so that a million samples are neither a million strings nor one
// too long string.

const pieceBytes = 1024 * 1024;

export class TextBuilder {
  /** @type {Uint8Array[]} */
  #full = [];
  #piece = new Uint8Array(0);
  #used = 0;
  #encoder = new TextEncoder();

  /** @param {Uint8Array} bytes */
  addBytes(bytes) {
    if (this.#used + bytes.length > this.#piece.length) {
      if (this.#used > 0) this.#full.push(this.#piece.subarray(0, this.#used));
      // small at first: most channels of most runs are short
      this.#piece = new Uint8Array(
        Math.max(bytes.length, Math.min(pieceBytes, 1024 << (2 * this.#full.length))),
      );
      this.#used = 0;
    }
    this.#piece.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** @param {string} text */
  addText(text) {
    this.addBytes(this.#encoder.encode(text));
  }

  /** @returns {Uint8Array[]} */
  pieces() {
    return [...this.#full, this.#piece.subarray(0, this.#used)];
  }
}

/** Values of a JSON list, one after the other. */
export class ListBuilder {
  #text = new TextBuilder();
  #separator = new TextEncoder().encode(',');
  #isEmpty = true;

  /** @param {Uint8Array} value JSON */
  add(value) {
    if (!this.#isEmpty) this.#text.addBytes(this.#separator);
    this.#isEmpty = false;
    this.#text.addBytes(value);
  }

  /** @returns {Uint8Array[]} */
  pieces() {
    return this.#text.pieces();
  }
}
