// A hook for Node's loader: what three's add-ons load from the network comes from
// bench/yardstick/node_modules.

const FOLDER = new URL('yardstick/node_modules/', import.meta.url);

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  const [, name, file] = /\/npm\/((?:@[^/]+\/)?[^@/]+)@[^/]+\/(.*)$/.exec(specifier) ?? [];
  if (name === undefined || !specifier.startsWith('https://')) return next(specifier, context);
  return { url: new URL(`${name}/${file}`, FOLDER).href, format: 'module', shortCircuit: true };
}
