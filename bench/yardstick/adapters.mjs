// Which file serves which engine: every adapter lists its variants.
import { readdirSync } from 'node:fs';

const here = new URL('./adapters/', import.meta.url);
const adapters = await Promise.all(
  readdirSync(here)
    .filter((f) => f.endsWith('.mjs'))
    .sort()
    .map((f) => import(new URL(f, here))),
);

export const engines = adapters.flatMap((a) => a.variants);
export function adapterOf(variant) {
  const adapter = adapters.find((a) => a.variants.includes(variant));
  if (!adapter) throw new Error(`no engine ${variant}; there are ${engines.join(', ')}`);
  return adapter;
}
