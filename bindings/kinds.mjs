// Decides how each type of the C API crosses the boundary, and which functions cross by themselves.
//
// Only 32-bit integers, doubles and addresses cross. Handles go as their number, vectors as their components,
// definitions as the address of a struct that JavaScript writes by the layout table. Results go through one
// small block of memory per thread (cnw_GetResult), and every function that can fail returns its error code.

/** @typedef {import('./parse_headers.mjs').ApiModel} ApiModel */
/** @typedef {import('./parse_headers.mjs').FunctionModel} FunctionModel */

/**
 * @typedef {object} Kind
 * @property {'number'|'integer'|'unsigned'|'flag'|'enum'|'id'|'lanes'|'struct'|'text'|'bytes'|'none'} kind
 * @property {string} [of] name of the enum, struct or id kind
 * @property {number} [lanes] doubles of a vector, quaternion or matrix
 *
 * @typedef {object} Argument
 * @property {string} name
 * @property {string} cType
 * @property {Kind} kind
 *
 * @typedef {object} Binding
 * @property {string} name of the C function
 * @property {string} symbol of the flat function, without the underscore
 * @property {string} jsName
 * @property {string} comment
 * @property {Argument[]} arguments those that JavaScript gives
 * @property {FunctionModel} model
 * @property {Kind} result what the caller gets
 * @property {string | null} out name of the parameter that the result is written to, else null
 * @property {boolean} isDirect the flat function returns the result itself and never fails
 */

const lanesOf = new Map([
  ['cnVec3', 3],
  ['cnQuat', 4],
  ['cnMat33', 9],
]);

const scalars = new Map(
  /** @type {[string, Kind['kind']][]} */ ([
    ['double', 'number'],
    ['int', 'integer'],
    ['uint32_t', 'unsigned'],
    ['size_t', 'unsigned'],
    ['bool', 'flag'],
  ]),
);

/** "cnContactMaterialId" → "contactMaterial" @param {string} id */
export function kindOfId(id) {
  return lowerFirst(id.slice(2, -2));
}

/** @param {string} text */
export function lowerFirst(text) {
  return text[0].toLowerCase() + text.slice(1);
}

/** "cnBody_SetVelocity" → "bodySetVelocity" @param {string} name */
function jsNameOf(name) {
  return lowerFirst(name.slice(2).replace('_', ''));
}

/** @param {ApiModel} api @param {string} type @returns {Kind | null} */
export function kindOfValue(api, type) {
  const scalar = scalars.get(type);
  if (scalar) return { kind: scalar };
  const lanes = lanesOf.get(type);
  if (lanes) return { kind: 'lanes', of: type, lanes };
  if (api.ids.includes(type)) return { kind: 'id', of: kindOfId(type) };
  if (api.enums.some((item) => item.name === type)) return { kind: 'enum', of: type };
  if (api.structs.some((item) => item.name === type)) return { kind: 'struct', of: type };
  if (type === 'const char*') return { kind: 'text' };
  return null;
}

/**
 * @param {ApiModel} api
 * @param {FunctionModel} model
 * @returns {Binding | string} the reason where it cannot be bound
 */
export function bind(api, model) {
  /** @type {Argument[]} */
  const list = [];
  /** @type {{ name: string, kind: Kind } | null} */
  let out = null;
  for (let i = 0; i < model.parameters.length; ++i) {
    const { name, type } = model.parameters[i];
    const next = model.parameters[i + 1];
    const pointer = /^(const )?(\w+)\*$/.exec(type);
    if (type === 'const char*' && next?.type === 'size_t') {
      list.push({ name, cType: type, kind: { kind: 'bytes' } });
      i += 1;
    } else if (type === 'char*') {
      if (out) return 'two results';
      out = { name, kind: { kind: 'text' } };
    } else if (pointer && pointer[2] !== 'char') {
      const kind = kindOfValue(api, pointer[2]);
      if (!kind || (kind.kind !== 'struct' && kind.kind !== 'lanes')) return `no way to pass ${type} ${name}`;
      if (pointer[1]) {
        if (kind.kind !== 'struct') return `no way to pass ${type} ${name}`;
        list.push({ name, cType: type, kind });
      } else {
        if (out) return 'two results';
        out = { name, kind };
      }
    } else {
      const kind = kindOfValue(api, type);
      if (!kind) return `no way to pass ${type} ${name}`;
      list.push({ name, cType: type, kind });
    }
  }

  /** @type {Kind} */
  let result = { kind: 'none' };
  const isCode = model.result === 'cnErrorCode';
  if (!isCode && model.result !== 'void') {
    const kind = kindOfValue(api, model.result);
    if (!kind) return `no way to return ${model.result}`;
    if (out) return 'two results';
    result = kind;
  }
  const takesObject = list.some(
    ({ kind }) => kind.kind === 'id' || kind.kind === 'struct' || kind.kind === 'text',
  );
  const isDirect =
    !isCode && !out && (result.kind === 'number' || result.kind === 'unsigned' || result.kind === 'flag')
      ? !takesObject || model.name.endsWith('_IsValid')
      : false;
  return {
    name: model.name,
    symbol: `cnw_${model.name.slice(2)}`,
    jsName: jsNameOf(model.name),
    comment: model.comment,
    arguments: list,
    model,
    result: out ? out.kind : result,
    out: out ? out.name : null,
    isDirect,
  };
}

/**
 * Words of an enum for JavaScript: "cn_frictionScaledBox" of cnFrictionModelType is "scaledBox".
 * @param {import('./parse_headers.mjs').EnumModel} model
 * @returns {{ word: string, value: number, comment: string }[]}
 */
export function wordsOfEnum(model) {
  return allWords(model).slice(0, model.values.length);
}

/** Other words for values of an enum. @param {EnumModel} model */
export function aliasesOfEnum(model) {
  return allWords(model).slice(model.values.length);
}

/** @param {EnumModel} model */
function allWords(model) {
  const values = [...model.values, ...(model.aliases ?? [])];
  const names = values.map(({ name }) => name.replace(/^cn_/, ''));
  let prefix = 0;
  while (names.every((name) => name[prefix] !== undefined && name[prefix] === names[0][prefix])) prefix += 1;
  const isBoundary = () => names.every((name) => /[A-Z]/.test(name[prefix] ?? ''));
  while (prefix > 0 && !isBoundary()) prefix -= 1;
  return values.map(({ value, comment }, i) => ({
    word: lowerFirst(names[i].slice(prefix)),
    value,
    comment,
  }));
}
