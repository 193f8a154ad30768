// Matrices for drawing, written by the engine straight into memory that a renderer uploads from.

import { checkInteger, checkNumber } from '../core/checks.js';
import { CairnError, wrongType } from '../core/errors.js';
import { handleOf } from '../core/handle.js';
import { seal } from '../core/strict.js';

/** @typedef {import('./world.js').World} World */

/** One column-major 4×4 f32 matrix a proxy. */
export class Matrices {
  #world;
  #count;
  /** Address of rows, scales and matrices, 0 after dispose. */
  #proxies = 0;
  #scales = 0;
  #matrices = 0;
  /** @type {Float32Array | null} */
  #array = null;

  /**
   * @param {World} world
   * @param {unknown} proxies Int32Array or number[], rows of `columns.proxies`
   * @param {unknown} scales Float32Array, Float64Array or number[], three a proxy; undefined: 1
   */
  constructor(world, proxies, scales) {
    const call = 'World.createMatrices';
    handleOf(call, 'world', 'world', null, world);
    checkProxies(call, proxies);
    this.#world = world;
    this.#count = proxies.length;
    if (scales !== undefined) checkScales(call, scales, 3 * proxies.length);

    const { runtime } = world;
    const rows = runtime.hold(proxies);
    const sizes = runtime.hold(scales);

    // one block: rows, then scales, then matrices aligned to 16
    const head = (4 * rows.length + 15) & ~15;
    const middle = scales === undefined ? 0 : (12 * rows.length + 15) & ~15;
    const block = runtime.raw._malloc(head + middle + 64 * rows.length + 16) >>> 0;
    if (block === 0) {
      throw new CairnError(
        'OUT_OF_MEMORY',
        call,
        'proxies',
        `matrices for ${rows.length} proxies cannot be had`,
      );
    }
    runtime.reach(block + head + middle + 64 * rows.length);
    this.#proxies = block;
    this.#scales = scales === undefined ? 0 : block + head;
    this.#matrices = block + head + middle;
    runtime.i32.set(rows, block >>> 2);
    if (sizes !== undefined) runtime.f32.set(sizes, (block + head) >>> 2);
    runtime.f32.fill(0, this.#matrices >>> 2, (this.#matrices >>> 2) + 16 * rows.length);
    seal(this);
  }

  /** Number of matrices. @returns {number} */
  get count() {
    return this.#count;
  }

  /**
   * 16·count numbers over the engine's memory; another object only after memory grew.
   * @returns {Float32Array}
   */
  get array() {
    this.#check('Matrices.array');
    const { buffer } = this.#world.runtime.u8;
    if (this.#array === null || this.#array.buffer !== buffer) {
      this.#array = new Float32Array(buffer, this.#matrices, 16 * this.#count);
    }
    return this.#array;
  }

  /**
   * Writes the present poses. Rows no longer in use or disabled get a zero matrix.
   * @param {number} [alpha] 0…1 of the way through the last step; `world.alpha`
   * @returns {void}
   */
  write(alpha) {
    this.#check('Matrices.write');
    const world = this.#world;
    const moment = alpha === undefined ? world.alpha : alpha;
    checkNumber('Matrices.write', 'alpha', moment);
    const { runtime } = world;
    runtime.check(
      runtime.raw._cnw_World_WriteMatrices(
        world.handle,
        this.#proxies,
        this.#scales,
        this.#count,
        moment,
        this.#matrices,
      ),
    );
  }

  /** Frees the memory; the world's dispose() does too. @returns {void} */
  dispose() {
    if (this.#proxies === 0) return;
    this.#world.runtime.raw._free(this.#proxies);
    this.#proxies = 0;
    this.#array = null;
    this.#world.forget(this);
  }

  /** @param {string} call */
  #check(call) {
    handleOf(call, 'world', 'world', null, this.#world);
    if (this.#proxies === 0)
      throw new CairnError('STALE_HANDLE', call, 'this', 'these matrices were disposed');
  }
}

/** @param {string} call @param {unknown} proxies @returns {asserts proxies is Int32Array | number[]} */
function checkProxies(call, proxies) {
  if (!Array.isArray(proxies) && !(proxies instanceof Int32Array)) {
    throw wrongType(call, 'proxies', proxies, 'are arrays and Int32Array');
  }
  for (let i = 0; i < proxies.length; ++i) checkInteger(call, `proxies[${i}]`, proxies[i]);
}

/**
 * @param {string} call @param {unknown} scales @param {number} length
 * @returns {asserts scales is Float32Array | number[]}
 */
function checkScales(call, scales, length) {
  const isArray = Array.isArray(scales) || scales instanceof Float32Array || scales instanceof Float64Array;
  if (!isArray || scales.length !== length)
    throw wrongType(call, 'scales', scales, `are arrays of ${length} numbers, three a proxy`);
  for (let i = 0; i < length; ++i) checkNumber(call, `scales[${i}]`, scales[i]);
}
