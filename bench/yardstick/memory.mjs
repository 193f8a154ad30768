/**
 * Runs work, which instantiates a module that hides its memory; gives what work gave, and how many bytes
 * that memory has.
 */
export async function withMemory(work) {
  const { instantiate } = WebAssembly;
  let memory;
  WebAssembly.instantiate = async (...args) => {
    const r = await instantiate.apply(WebAssembly, args),
      { exports } = r.instance ?? r;
    memory = Object.values(exports).find((x) => x instanceof WebAssembly.Memory) ?? memory;
    return r;
  };
  try {
    return { value: await work(), heap: () => memory.buffer.byteLength };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
