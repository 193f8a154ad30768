// Writes definitions and reads results by the layout that the module reports; no offset is held here.

import {
  checkFlag,
  checkInteger,
  checkNames,
  checkNumber,
  checkOptions,
  checkUnsigned,
  enumValue,
  enumWord,
  flatTriples,
  toInterval,
} from './checks.js';
import { checkVector, flatPoints, isNumberArray, nineNumbers } from './vectors.js';
import { CairnError, wrongType } from './errors.js';
import { handleOf } from './handle.js';

/** @typedef {import('../generated/api.js').Property} Property */
/** @typedef {import('./vectors.js').NumbersLike} NumbersLike */
/** @typedef {import('./runtime.js').Runtime} Runtime */

/** @typedef {Property & { offset: number, companionOffset: number, sharers: string[] }} PlacedProperty */

/**
 * @typedef {object} Struct
 * @property {string} name
 * @property {number} bytes
 * @property {number} givenOffset -1 without a field `given`
 * @property {PlacedProperty[]} properties
 * @property {Map<string, PlacedProperty>} byName
 * @property {string[]} names
 */

/**
 * Joins the generated description with the module's layout table: for each struct its size, then
 * an offset a field.
 * @param {{ name: string, fields: string[], properties: Property[] }[]} descriptions
 * @param {Uint32Array} words
 * @param {number} start index of the first word
 * @returns {Map<string, Struct>}
 */
export function compileStructs(descriptions, words, start) {
  /** @type {Map<string, Struct>} */
  const compiled = new Map();
  let at = start;
  for (const { name, fields, properties } of descriptions) {
    const bytes = words[at];
    const offsets = new Map(fields.map((field, i) => [field, words[at + 1 + i]]));
    const placed = properties.map((property) => ({
      ...property,
      offset: offsets.get(property.field) ?? 0,
      companionOffset: property.companion ? (offsets.get(property.companion) ?? -1) : -1,
      // properties that count together
      sharers: properties
        .filter(({ bit }) => bit !== undefined && bit === property.bit)
        .map((item) => item.name),
    }));
    compiled.set(name, {
      name,
      bytes,
      givenOffset: offsets.get('given') ?? -1,
      properties: placed,
      byName: new Map(placed.map((property) => [property.name, property])),
      names: placed.map((property) => property.name),
    });
    at += 1 + fields.length;
  }
  return compiled;
}

/** What options have beside the fields of their struct. @type {Record<string, readonly string[]>} */
const ownNames = {
  cnBodyDef: ['name', 'userData', 'geometries', 'lockTranslations', 'lockRotations'],
  cnGeometryDef: ['name', 'userData', 'shape', 'groups'],
};

/** Whether a flag beside it tells that it is given. @param {PlacedProperty} property */
function isOptional({ companionOffset, kind }) {
  return companionOffset >= 0 && (kind === 'lanes' || kind === 'number' || kind === 'numbers');
}

/** @param {Runtime} runtime @param {string} name @returns {Struct} */
function getStruct(runtime, name) {
  return /** @type {Struct} */ (runtime.structs.get(name));
}

// ---- writing ----------------------------------------------------------------------------------------------

/**
 * Writes a definition into the scratch memory; what is not given stays zero, which means the default.
 * @param {Runtime} runtime
 * @param {import('../objects/world.js').World | null} owner the world that handles must belong to
 * @param {string} call
 * @param {string} argument
 * @param {string} name of the C struct
 * @param {unknown} options
 * @returns {number} address
 */
export function writeStruct(runtime, owner, call, argument, name, options) {
  const struct = getStruct(runtime, name);
  const address = runtime.allocate(call, struct.bytes);
  runtime.u8.fill(0, address, address + struct.bytes);
  fillStruct(runtime, owner, call, argument, struct, address, options);
  return address;
}

/**
 * Checks a definition as writeStruct does, and leaves nothing behind.
 * @param {Runtime} runtime
 * @param {import('../objects/world.js').World | null} owner
 * @param {string} call
 * @param {string} argument
 * @param {string} name of the C struct
 * @param {unknown} options
 */
export function checkStruct(runtime, owner, call, argument, name, options) {
  try {
    writeStruct(runtime, owner, call, argument, name, options);
  } finally {
    runtime.scratch.release();
  }
}

/**
 * @param {Runtime} runtime
 * @param {import('../objects/world.js').World | null} owner
 * @param {string} call
 * @param {string} argument
 * @param {Struct} struct
 * @param {number} address
 * @param {unknown} options
 */
function fillStruct(runtime, owner, call, argument, struct, address, options) {
  checkOptions(call, argument, options);
  checkNames(call, argument, options, struct.names, ownNames[struct.name]);
  let given = 0;
  for (const property of struct.properties) {
    const value = options[property.name];
    if (value === undefined) continue;
    if (property.bit !== undefined) {
      given |= property.bit;
      const missing = property.sharers.find((name) => options[name] === undefined);
      if (missing) {
        const text = `${argument}.${missing} is missing, it is given together with ${property.name}`;
        throw new CairnError('WRONG_TYPE', call, `${argument}.${missing}`, text);
      }
    }
    writeProperty(runtime, owner, call, `${argument}.${property.name}`, property, address, value);
  }
  if (struct.givenOffset >= 0) runtime.u32[(address + struct.givenOffset) >>> 2] = given;
}

/**
 * @param {Runtime} runtime
 * @param {import('../objects/world.js').World | null} owner
 * @param {string} call
 * @param {string} argument
 * @param {PlacedProperty} property
 * @param {number} base address of the struct
 * @param {unknown} value
 */
function writeProperty(runtime, owner, call, argument, property, base, value) {
  const address = base + property.offset;
  if (isOptional(property)) runtime.u8[base + property.companionOffset] = 1;
  switch (property.kind) {
    case 'number':
      checkNumber(call, argument, value);
      runtime.f64[address >>> 3] = value;
      break;
    case 'integer':
      checkInteger(call, argument, value);
      runtime.i32[address >>> 2] = value;
      break;
    case 'unsigned':
      checkUnsigned(call, argument, value);
      runtime.u32[address >>> 2] = value;
      break;
    case 'flag':
    case 'inverseFlag':
      checkFlag(call, argument, value);
      runtime.u8[address] = Number(value === (property.kind === 'flag'));
      break;
    case 'enum':
      runtime.u32[address >>> 2] = enumValue(call, argument, property.of ?? '', value);
      break;
    case 'id':
      runtime.u32[address >>> 2] = handleOf(
        call,
        argument,
        /** @type {import('./handle.js').HandleKind} */ (property.of),
        owner,
        value,
      );
      break;
    case 'text': {
      const text = runtime.writeText(call, argument, value);
      runtime.u32[address >>> 2] = text;
      break;
    }
    case 'lanes':
      if (property.lanes === 9) runtime.f64.set(nineNumbers(call, argument, value), address >>> 3);
      else runtime.f64.set(checkVector(call, argument, value, property.lanes ?? 0), address >>> 3);
      break;
    case 'numbers':
      writeNumbers(runtime, call, argument, value, address, property.lanes ?? 0);
      break;
    case 'interval':
      runtime.f64.set(toInterval(call, argument, value), address >>> 3);
      break;
    case 'struct':
      fillStruct(runtime, owner, call, argument, getStruct(runtime, property.of ?? ''), address, value);
      break;
    case 'structs': {
      const struct = getStruct(runtime, property.of ?? '');
      listOf(call, argument, property, value).forEach((item, i) =>
        fillStruct(runtime, owner, call, `${argument}[${i}]`, struct, address + i * struct.bytes, item),
      );
      break;
    }
    case 'references':
      writeReferences(runtime, owner, call, argument, property, address, value);
      break;
    case 'points':
      writePoints(runtime, call, argument, property, base, value);
      break;
    case 'unsigneds':
      writeUnsigneds(runtime, call, argument, property, base, value);
      break;
    case 'doubles':
      writeDoubles(runtime, call, argument, property, base, value);
      break;
    case 'triples':
      writeTriples(runtime, call, argument, property, base, value);
      break;
    case 'list':
      writeList(runtime, owner, call, argument, property, base, value);
      break;
    default:
      throw new CairnError('NOT_SUPPORTED_YET', call, argument, `${argument} cannot be passed`);
  }
}

/**
 * One number for all, or as many as there are.
 * @param {Runtime} runtime @param {string} call @param {string} argument @param {unknown} value
 * @param {number} address @param {number} count
 */
function writeNumbers(runtime, call, argument, value, address, count) {
  if (typeof value === 'number') {
    checkNumber(call, argument, value);
    runtime.f64.fill(value, address >>> 3, (address >>> 3) + count);
    return;
  }
  if (!isNumberArray(value))
    throw wrongType(call, argument, value, `are a number and arrays of ${count} numbers`);
  runtime.f64.set(checkVector(call, argument, value, count), address >>> 3);
}

/**
 * @param {Runtime} runtime @param {string} call @param {string} argument @param {PlacedProperty} property
 * @param {number} base @param {unknown} value
 */
function writePoints(runtime, call, argument, property, base, value) {
  const flat = flatPoints(call, argument, runtime.hold(value));
  if (flat.length === 0) return;
  const data = runtime.allocate(call, 8 * flat.length);
  runtime.f64.set(flat, data >>> 3);
  runtime.u32[(base + property.offset) >>> 2] = data;
  runtime.i32[(base + property.companionOffset) >>> 2] = flat.length / 3;
}

/**
 * @param {Runtime} runtime @param {string} call @param {string} argument @param {PlacedProperty} property
 * @param {number} base @param {unknown} given
 */
function writeUnsigneds(runtime, call, argument, property, base, given) {
  const value = runtime.hold(given);
  if (!Array.isArray(value) && !(value instanceof Uint32Array))
    throw wrongType(call, argument, value, 'are arrays of integers and Uint32Arrays');
  if (value.length === 0) return;
  const data = runtime.allocate(call, 4 * value.length);
  for (let i = 0; i < value.length; ++i) {
    checkUnsigned(call, `${argument}[${i}]`, value[i]);
    runtime.u32[(data >>> 2) + i] = value[i];
  }
  runtime.u32[(base + property.offset) >>> 2] = data;
  runtime.i32[(base + property.companionOffset) >>> 2] = value.length;
}

/**
 * @param {Runtime} runtime @param {string} call @param {string} argument @param {PlacedProperty} property
 * @param {number} base @param {unknown} value
 */
function writeDoubles(runtime, call, argument, property, base, value) {
  const held = runtime.hold(value);
  const data = runtime.writeDoubles(call, argument, held);
  runtime.u32[(base + property.offset) >>> 2] = data;
  runtime.i32[(base + property.companionOffset) >>> 2] = /** @type {NumbersLike} */ (held).length;
}

/**
 * @param {Runtime} runtime @param {string} call @param {string} argument @param {PlacedProperty} property
 * @param {number} base @param {unknown} value
 */
function writeTriples(runtime, call, argument, property, base, value) {
  const flat = flatTriples(call, argument, runtime.hold(value));
  if (flat.length === 0) return;
  const data = runtime.allocate(call, 4 * flat.length);
  runtime.i32.set(flat, data >>> 2);
  runtime.u32[(base + property.offset) >>> 2] = data;
  runtime.i32[(base + property.companionOffset) >>> 2] = flat.length / 3;
}

/**
 * @param {Runtime} runtime @param {import('../objects/world.js').World | null} owner @param {string} call
 * @param {string} argument
 * @param {PlacedProperty} property @param {number} base @param {unknown} value
 */
function writeList(runtime, owner, call, argument, property, base, value) {
  if (!Array.isArray(value)) throw wrongType(call, argument, value, 'are arrays');
  if (value.length === 0) return;
  const struct = getStruct(runtime, property.of ?? '');
  const bytes = value.length * struct.bytes;
  const data = runtime.allocate(call, bytes);
  runtime.u8.fill(0, data, data + bytes);
  for (let i = 0; i < value.length; ++i) {
    fillStruct(runtime, owner, call, `${argument}[${i}]`, struct, data + i * struct.bytes, value[i]);
  }
  runtime.u32[(base + property.offset) >>> 2] = data;
  runtime.i32[(base + property.companionOffset) >>> 2] = value.length;
}

/** @param {string} call @param {string} argument @param {PlacedProperty} property @param {unknown} value */
function listOf(call, argument, { lanes = 0 }, value) {
  if (!Array.isArray(value) || value.length > lanes)
    throw wrongType(call, argument, value, `are lists of at most ${lanes}`);
  return value;
}

/**
 * The first alone, or a list; null for none.
 * @param {Runtime} runtime @param {import('../objects/world.js').World | null} owner @param {string} call
 * @param {string} argument
 * @param {PlacedProperty} property @param {number} address of the pointers @param {unknown} value
 */
function writeReferences(runtime, owner, call, argument, property, address, value) {
  const isList = Array.isArray(value);
  const list = isList ? listOf(call, argument, property, value) : [value];
  list.forEach((item, i) => {
    if (item === null) return;
    const name = isList ? `${argument}[${i}]` : argument;
    const target = writeStruct(runtime, owner, call, name, property.of ?? '', item);
    runtime.u32[(address >>> 2) + i] = target;
  });
}

// ---- reading ----------------------------------------------------------------------------------------------

/**
 * Reads a result into an object; arrays that it has already are filled, not replaced. What is not
 * given is undefined.
 * @param {Runtime} runtime
 * @param {import('../objects/world.js').World | null} owner
 * @param {string} name of the C struct
 * @param {number} address
 * @param {object} [out]
 * @returns {object}
 */
export function readStruct(runtime, owner, name, address, out) {
  const target = /** @type {Record<string, unknown>} */ (out ?? {});
  const { properties, givenOffset } = getStruct(runtime, name);
  const given = givenOffset >= 0 ? runtime.u32[(address + givenOffset) >>> 2] : -1;
  for (let i = 0; i < properties.length; ++i) {
    const property = properties[i];
    const isThere =
      (property.bit === undefined || (given & property.bit) !== 0) &&
      (!isOptional(property) || runtime.u8[address + property.companionOffset] !== 0);
    if (isThere) readProperty(runtime, owner, property, address, target);
    else target[property.name] = undefined;
  }
  return target;
}

/**
 * @param {Runtime} runtime @param {import('../objects/world.js').World | null} owner
 * @param {PlacedProperty} property
 * @param {number} base @param {Record<string, unknown>} target
 */
function readProperty(runtime, owner, property, base, target) {
  const address = base + property.offset;
  const { name } = property;
  switch (property.kind) {
    case 'number':
      target[name] = runtime.f64[address >>> 3];
      break;
    case 'integer':
      target[name] = runtime.i32[address >>> 2];
      break;
    case 'unsigned':
      target[name] = runtime.u32[address >>> 2];
      break;
    case 'flag':
      target[name] = runtime.u8[address] !== 0;
      break;
    case 'inverseFlag':
      target[name] = runtime.u8[address] === 0;
      break;
    case 'enum':
      target[name] = enumWord(property.of ?? '', runtime.u32[address >>> 2]);
      break;
    case 'id':
      target[name] =
        owner === null
          ? null
          : owner.objectOf(
              /** @type {import('./handle.js').HandleKind} */ (property.of),
              runtime.u32[address >>> 2],
            );
      break;
    case 'text': {
      const text = runtime.u32[address >>> 2];
      if (text !== 0) target[name] = runtime.readText(text);
      break;
    }
    case 'lanes':
    case 'numbers':
    case 'interval':
      target[name] = runtime.readNumbers(
        address,
        property.lanes ?? 0,
        reusableArray(target[name], property.lanes ?? 0),
      );
      break;
    case 'struct':
      target[name] = readStruct(runtime, owner, property.of ?? '', address, reusableObject(target[name]));
      break;
    default:
      // lists are inputs only
      break;
  }
}

/** @param {unknown} value @param {number} length @returns {import('./checks.js').OutputArray | undefined} */
function reusableArray(value, length) {
  if (Array.isArray(value)) return value;
  return (value instanceof Float64Array || value instanceof Float32Array) && value.length >= length
    ? value
    : undefined;
}

/** @param {unknown} value @returns {object | undefined} */
function reusableObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
