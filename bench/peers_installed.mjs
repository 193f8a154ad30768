// The peers of bench/yardstick, which are installed by the first benchmark that asks for them.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, ScriptError, run } from '../scripts/process.mjs';

/** The yardstick's folder, with its packages in it. @returns {Promise<string>} */
export async function installPeers() {
  const folder = path.join(ROOT, 'bench', 'yardstick');
  if (!fs.existsSync(path.join(folder, 'node_modules'))) {
    const { status } = await run('npm', ['ci'], { cwd: folder });
    if (status !== 0) throw new ScriptError('npm ci failed in bench/yardstick');
  }
  return folder;
}
