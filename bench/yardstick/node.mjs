// The yardstick in Node: each engine and scene in a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildFolders } from './folders.mjs';

function errorIn(text) {
  return text.split('\n').find((line) => /^\w*Error: /.test(line)) ?? text.slice(-200);
}

/** One engine and one scene; a crash, or no result within `limit` seconds, is a result too. */
function once(job, limit) {
  const { cairn, box3d } = buildFolders(); // as paths from here, since the process has a folder of its own
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['one.mjs', JSON.stringify(job)], {
      cwd: new URL('.', import.meta.url),
      env: { ...process.env, CAIRN_DIR: fileURLToPath(cairn), BOX3D_DIR: fileURLToPath(box3d) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '',
      err = '';
    child.stdout.on('data', (d) => {
      out += d;
    });
    child.stderr.on('data', (d) => {
      err += d;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
    const host = { host: 'node', hostVersion: process.version };
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      try {
        resolve({ ...JSON.parse(out.trim().split('\n').at(-1)), ...host });
      } catch {
        resolve({ ...job, error: `no result (${signal ?? code}): ${errorIn(err)}`, ...host });
      }
    });
  });
}

/** As openChromium of chromium.mjs. */
export const openNode = () => ({ once, close() {} });
