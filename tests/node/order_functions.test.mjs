// The last step of the build: functions in another order, glue with one list of exports.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Writer, readFunctions } from '../../cmake/wasm/binary.mjs';
import { forEachOperand } from '../../cmake/wasm/instructions.mjs';
import { orderFunctions } from '../../cmake/wasm/order_functions.mjs';
import { shortenGlue } from '../../cmake/shorten_glue.mjs';

const [I32, FUNCTION_TYPE, EMPTY] = [0x7f, 0x60, 0x40];
const [CALL, CALL_INDIRECT, LOCAL_GET, ADD, MULTIPLY, CONSTANT, LOAD, STORE, END] = [
  ...[0x10, 0x11, 0x20, 0x6a, 0x6c, 0x41, 0x28, 0x36, 0x0b],
];
const [HOST, COUNT] = [0, 30];

/** @param {number} id @param {(writer: Writer) => void} fill */
function section(id, fill) {
  const content = new Writer();
  fill(content);
  const writer = new Writer();
  writer.number(id);
  writer.sized(content.finish());
  return writer.finish();
}

/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text);

/**
 * A module of COUNT functions of a number: each calls the next and the host's, the even ones through the
 * table, adds and multiplies numbers of its own, and keeps what came out in memory. One more runs at the
 * start.
 */
function makeModule() {
  const first = 1; // behind the host's
  const body = (/** @type {number} */ i) => {
    const code = [0, LOCAL_GET, 0, CONSTANT, i % 7, i % 3 ? ADD : MULTIPLY];
    code.push(CALL, HOST);
    if (i + 1 < COUNT) {
      if (i % 2 === 0) code.push(CONSTANT, i + 1, CALL_INDIRECT, 0, 0);
      else code.push(CALL, first + i + 1);
    }
    const keep = [CONSTANT, 0, CONSTANT, 0, LOAD, 2, 4 * i, CONSTANT, 1, ADD, STORE, 2, 4 * i];
    return Uint8Array.from([...code, ...keep, END]);
  };
  const start = Uint8Array.from([0, CONSTANT, 0, CONSTANT, 9, STORE, 2, 0, END]);
  const places = Array.from({ length: COUNT }, (_, i) => i);
  const writer = new Writer();
  writer.bytes(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  const types = [2, FUNCTION_TYPE, 1, I32, 1, I32, FUNCTION_TYPE, 0, 0];
  writer.bytes(section(1, (w) => w.bytes(Uint8Array.from(types))));
  writer.bytes(
    section(2, (w) => {
      w.number(1);
      w.sized(bytesOf('host'));
      w.sized(bytesOf('see'));
      w.bytes(Uint8Array.of(0, 0));
    }),
  );
  writer.bytes(section(3, (w) => w.numbers([...places.map(() => 0), 1])));
  writer.bytes(section(4, (w) => w.bytes(Uint8Array.of(1, 0x70, 0, COUNT))));
  writer.bytes(section(5, (w) => w.bytes(Uint8Array.of(1, 0, 1))));
  writer.bytes(
    section(7, (w) => {
      w.number(COUNT + 1);
      for (const i of places) {
        w.sized(bytesOf(`f${i}`));
        w.number(0);
        w.number(first + i);
      }
      w.sized(bytesOf('memory'));
      w.bytes(Uint8Array.of(2, 0));
    }),
  );
  writer.bytes(section(8, (w) => w.number(first + COUNT)));
  writer.bytes(
    section(9, (w) => {
      w.bytes(Uint8Array.of(1, 0, CONSTANT, 0, END));
      w.numbers(places.map((i) => first + i));
    }),
  );
  writer.bytes(
    section(10, (w) => {
      w.number(COUNT + 1);
      for (const i of places) w.sized(body(i));
      w.sized(start);
    }),
  );
  return writer.finish();
}

/** What a module gives: results of each function, what the host saw, and the memory. */
function observe(/** @type {Uint8Array} */ bytes) {
  /** @type {number[]} */
  const seen = [];
  const see = (/** @type {number} */ value) => {
    seen.push(value);
    return (value * 3) | 0;
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(/** @type {any} */ (bytes)), {
    host: { see },
  });
  const results = [];
  for (let i = 0; i < COUNT; ++i) results.push(/** @type {any} */ (exports)[`f${i}`](i));
  const memory = new Int32Array(/** @type {any} */ (exports).memory.buffer, 0, COUNT);
  return { results, seen, memory: [...memory] };
}

const bodiesOf = (/** @type {Uint8Array} */ bytes) =>
  readFunctions(bytes).map(({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString('hex'));

test('a module with its functions in another order does the same', () => {
  const module = makeModule();
  const ordered = orderFunctions(module);
  assert.notDeepEqual(bodiesOf(ordered), bodiesOf(module));
  assert.equal(ordered.length, module.length);
  assert.deepEqual(observe(ordered), observe(module));
  assert.equal(observe(module).memory[0] > 9, true);
  assert.deepEqual(orderFunctions(module), ordered);
});

test('similar functions come beside one another', () => {
  const ordered = bodiesOf(orderFunctions(makeModule()));
  const neighbours = (/** @type {string[]} */ bodies) =>
    bodies.filter((body, i) => i > 0 && body.length === bodies[i - 1].length).length;
  assert.ok(neighbours(ordered) > neighbours(bodiesOf(makeModule())));
});

test('instructions that are not known end the build', () => {
  assert.throws(() => forEachOperand(Uint8Array.of(0xfb, 0, END), 0, 3, () => {}), /opcode 0xfb/);
  assert.throws(() => forEachOperand(Uint8Array.of(CALL, 0x80), 0, 1, () => {}), /do not end/);
  const half = Uint8Array.of(CONSTANT, 0x80, 0x01, 0x02, EMPTY);
  assert.throws(() => forEachOperand(half, 0, 2, () => {}), /do not end/);
});

test('the glue binds all exports in one loop, or the build ends', () => {
  const stub = (/** @type {string} */ name, /** @type {string} */ key, args = 'a0', open = args) =>
    `var _cnw_${name}=Module["_cnw_${name}"]=${open}=>` +
    `(_cnw_${name}=Module["_cnw_${name}"]=wasmExports["${key}"])(${args});`;
  const stubs = stub('A', '$') + stub('Two_Words', 'fa', 'a0,a1', '(a0,a1)') + stub('B', '_', '', '()');
  const glue = `function receive(instance){wasmExports=instance.exports;}${stubs}receive(made);return Module`;
  const run = (/** @type {string} */ text) =>
    new Function('made', 'Module', `var wasmExports;${text}`)(
      {
        exports: { $: () => 1, fa: (/** @type {number} */ a, /** @type {number} */ b) => a - b, _: () => 3 },
      },
      {},
    );
  for (const text of [glue, shortenGlue(glue)]) {
    const module = run(text);
    assert.deepEqual([module._cnw_A(0), module._cnw_Two_Words(7, 2), module._cnw_B()], [1, 5, 3]);
  }
  assert.ok(shortenGlue(glue).length < glue.length);
  assert.throws(() => shortenGlue(glue.replace('wasmExports=instance.exports;', '')), /has not one place/);
  assert.throws(() => shortenGlue(`${glue};_cnw_C()`), /unknown form: _cnw_C/);
  assert.throws(() => shortenGlue('wasmExports=instance.exports;'), /unknown form: all/);
});
