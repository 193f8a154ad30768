// Files beside the yardstick, read alike in Node and in a page: those of the engines' packages above all.

export const inPage = typeof document === 'object';

/** The address of a file of an installed package, as in 'jolt-physics/package.json'. */
export const packageFile = (path) => new URL(`node_modules/${path}`, import.meta.url);

/** The bytes at a URL. Throws where there is no such file. */
export async function readBytes(url) {
  if (!inPage) return (await import('node:fs')).readFileSync(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export const readText = async (url) => new TextDecoder().decode(await readBytes(url));

/** The version that a package states. */
export async function versionOf(name) {
  return JSON.parse(await readText(packageFile(`${name}/package.json`))).version;
}
