// One engine and one scene in a page: what one.mjs is in Node. Called by chromium.mjs.
import { loadEngine, runScene } from './measure.mjs';
import { unpackScene } from './transfer.mjs';

const PATIENCE = 60; // s; a worker that fails to start leaves Emscripten's loaders waiting indefinitely

const folders = { cairn: new URL('/cairn/', location.href), box3d: new URL('/box3d/', location.href) };

const within = (seconds, work) =>
  Promise.race([
    work,
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`no answer in ${seconds} s`)), seconds * 1000);
    }),
  ]);

/**
 * `file` is the engine's adapter, `packed` the scene as text. Gives the result as JSON, as one.mjs prints it.
 */
export async function measureJob(job, file, packed) {
  if (!crossOriginIsolated) throw new Error('the page is not cross-origin isolated');
  const result = { engine: job.engine, scene: job.scene };
  try {
    const adapter = await import(`./adapters/${file}`);
    const { engine, loaded } = await within(PATIENCE, loadEngine(job.engine, adapter, folders));
    Object.assign(result, loaded);
    Object.assign(result, await runScene(engine, job, packed && unpackScene(packed)));
  } catch (error) {
    const stage = result.version === undefined ? 'does not load in a page' : 'stops in a page';
    result.error = `${stage}: ${error?.message ?? error}`;
  }
  return JSON.stringify(result);
}
