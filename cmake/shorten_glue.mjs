// Emscripten's glue has a function of its own for each export, which the first call replaces: half the glue,
// as there are some three hundred. Here they become one list and a loop that binds them when the instance is
// there, so that no call goes through another function either.

// var _cnw_A=Module["_cnw_A"]=(a0)=>(_cnw_A=Module["_cnw_A"]=wasmExports["b"])(a0);
const STUB = new RegExp(
  String.raw`var (_cnw_(\w+))=Module\["\1"\]=(?:\([^()]*\)|\w+)=>` +
    String.raw`\(\1=Module\["\1"\]=wasmExports\["([\w$]+)"\]\)\([^()]*\);`,
  'g',
);
const START = 'wasmExports=instance.exports;';

/** The glue with a list in place of the functions; throws where it has another form. @param {string} text */
export function shortenGlue(text) {
  /** @type {string[]} */
  const exports = [];
  const short = text.replace(STUB, (_stub, _full, name, key) => {
    exports.push(`${name} ${key}`);
    return '';
  });
  const left = /\b_cnw_\w+/.exec(short)?.[0];
  if (exports.length === 0 || left)
    throw new Error(`the glue has exports in an unknown form: ${left ?? 'all'}`);
  if (short.split(START).length !== 2) throw new Error(`the glue has not one place with ${START}`);
  const loop = `for(const pair of "${exports.join()}".split(",")){const[name,key]=pair.split(" ");`;
  return short.replace(START, `${START}${loop}Module["_cnw_"+name]=wasmExports[key]}`);
}
