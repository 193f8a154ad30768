// Compiles WebAssembly from an address or from bytes, and says in plain words what was found where that
// fails: the address, what it answered, what the bytes begin with.

const magic = [0, 97, 115, 109];

/** An address for a message: data: URLs are long. @param {string | URL} url */
function nameOf(url) {
  const text = String(url);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** How bytes begin: as text where it is some, else as hexadecimal numbers. @param {Uint8Array} bytes */
function startOf(bytes) {
  if (bytes.length === 0) return 'is empty';
  const start = bytes.subarray(0, 16);
  const isText = start.every(
    (byte) => (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13,
  );
  const words = isText
    ? JSON.stringify(String.fromCharCode(...start))
    : Array.from(start.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `begins with ${words}`;
}

/** @param {unknown} error @returns {string} */
export function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {string} what for messages: an address, or whose bytes they are
 * @param {ArrayBuffer | ArrayBufferView<ArrayBuffer>} source
 * @param {string} [note] on how it came, for messages
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compileBytes(what, source, note = '') {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  if (!magic.every((byte, i) => bytes[i] === byte)) {
    throw new Error(`${what} is no WebAssembly module: it ${startOf(bytes)}${note}`);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    const text = textOf(error);
    if (/content security policy|blocked by csp/i.test(text)) {
      throw new Error(
        "the page's Content-Security-Policy forbids WebAssembly: its script-src needs 'wasm-unsafe-eval'",
        { cause: error },
      );
    }
    const engineWords = text.replace(/^[\w. ]+\(\): */, '');
    throw new Error(`${what} (${bytes.length} bytes) cannot be compiled: ${engineWords}`, { cause: error });
  }
}

/** @param {string | URL} url @param {RequestInit} [options] */
async function get(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    const causes = 'there is no answer, or the browser blocks it';
    throw new Error(`${nameOf(url)} cannot be fetched: ${causes} (${textOf(error)})`, { cause: error });
  }
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) {
    const end = type === '' ? '' : ` with '${type}'`;
    throw new Error(`${nameOf(response.url || url)} answers ${response.status}${end}`);
  }
  return { response, type };
}

/** @param {string | URL} url @param {{ response: Response, type: string }} got */
async function compileWhole(url, { response, type }) {
  const bytes = await response.arrayBuffer().catch((error) => {
    throw new Error(`${nameOf(url)} broke off: ${textOf(error)}`, { cause: error });
  });
  const served = type === '' ? 'without a MIME type' : `as '${type}'`;
  return compileBytes(
    nameOf(response.url || url),
    bytes,
    `, served ${served} with status ${response.status}`,
  );
}

/**
 * Compiles while the bytes come, where the server names their type.
 * @param {string | URL} url
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compileAddress(url) {
  const got = await get(url);
  // some servers do not send the type that streaming wants
  if (!/^application\/wasm\b/.test(got.type)) return compileWhole(url, got);
  try {
    return await WebAssembly.compileStreaming(got.response);
  } catch {
    // what came is gone, so it is asked for again, to look at or because it broke off
    return compileWhole(url, await get(url));
  }
}
