// Which file serves which engine: every adapter lists its variants.
import { readdirSync } from 'node:fs';

const here = new URL('./adapters/', import.meta.url);
const files = readdirSync(here)
  .filter((f) => f.endsWith('.mjs'))
  .sort();
const adapters = new Map(
  await Promise.all(files.map(async (file) => [file, await import(new URL(file, here))])),
);

export const engines = [...adapters.values()].flatMap((a) => a.variants);

/** The name of the file in adapters/ that has a variant. */
export function fileOf(variant) {
  const file = files.find((f) => adapters.get(f).variants.includes(variant));
  if (!file) throw new Error(`no engine ${variant}; there are ${engines.join(', ')}`);
  return file;
}

export const adapterOf = (variant) => adapters.get(fileOf(variant));
