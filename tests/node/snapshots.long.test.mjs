// A thousand random worlds, saved by the native build at a random step and restored in both modules: 300
// steps later all bytes of a snapshot are those of the native build. `npm run test:long` runs it.

import { join } from 'node:path';
import { test } from 'node:test';
import { compareRandomWorlds } from '../shared/snapshot_worlds.mjs';
import { flavours, root } from './helpers.mjs';

test('1,000 random worlds', async () => {
  const modules = await Promise.all(flavours.map(([, getModule]) => getModule()));
  const program = join(root, 'build/native-release/snapshot_worlds');
  for (let first = 0; first < 1000; first += 50) compareRandomWorlds(program, modules, first, 50, 300);
});
