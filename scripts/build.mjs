// Builds the engine: node scripts/build.mjs [wasm | native | types | PRESET …]
//
// Without arguments: what the npm package needs, both WebAssembly flavours and the type declarations.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, ScriptError, isMain, main, run, say } from './process.mjs';
import { setUp } from './setup.mjs';

export const WASM_PRESETS = ['wasm-st', 'wasm-mt'];
export const NATIVE_PRESETS = ['native-release', 'native-asan', 'native-tsan'];

// A build folder configured for another checkout or by a compiler that is gone cannot be used again.
function dropStaleFolder(preset) {
  const folder = path.join(ROOT, 'build', preset);
  const cache = path.join(folder, 'CMakeCache.txt');
  if (!fs.existsSync(cache)) return;
  const text = fs.readFileSync(cache, 'utf8');
  const home = /^CMAKE_HOME_DIRECTORY:\w+=(.*)$/m.exec(text)?.[1];
  const compiler = /^CMAKE_C_COMPILER:\w+=(.*)$/m.exec(text)?.[1];
  const usable = home && fs.existsSync(home) && fs.realpathSync(home) === fs.realpathSync(ROOT);
  if (usable && (!compiler || !path.isAbsolute(compiler) || fs.existsSync(compiler))) return;
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Configures a preset; true when that went well. */
export async function configure(preset, tools) {
  dropStaleFolder(preset);
  const { status } = await run('cmake', ['--preset', preset], { env: tools.env, prefix: `[${preset}] ` });
  return status === 0;
}

/**
 * Configures and builds a preset, or some targets of it; true when that went well. CMake and Ninja do only
 * what is not up to date.
 */
export async function buildPreset(preset, tools, targets = []) {
  // once configured, Ninja re-runs CMake by itself when that is due
  const isConfigured = fs.existsSync(path.join(ROOT, 'build', preset, 'build.ninja'));
  dropStaleFolder(preset);
  if (!isConfigured || !fs.existsSync(path.join(ROOT, 'build', preset))) {
    if (!(await configure(preset, tools))) return false;
  }
  const args = ['--build', '--preset', preset, '--parallel', String(tools.jobs)];
  if (targets.length > 0) args.push('--target', ...targets);
  const { status } = await run('cmake', args, { env: tools.env, prefix: `[${preset}] ` });
  return status === 0;
}

/** Builds several presets, two at a time since a link keeps one core busy only; returns those that failed. */
export async function buildPresets(presets, tools) {
  const waiting = [...presets];
  const failed = [];
  const takeTurns = async () => {
    for (let preset = waiting.shift(); preset; preset = waiting.shift()) {
      if (!(await buildPreset(preset, tools))) failed.push(preset);
    }
  };
  await Promise.all([takeTurns(), takeTurns()]);
  return failed;
}

/** Writes the type declarations of web/ to web/types; true when that went well. */
export async function buildTypes() {
  const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
  const { status } = await run(tsc, ['--project', 'tsconfig.types.json'], { prefix: '[types] ' });
  return status === 0;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const wanted = process.argv.slice(2);
    if (wanted.length === 0) wanted.push('wasm', 'types');
    const presets = wanted.flatMap((name) => {
      if (name === 'wasm') return WASM_PRESETS;
      if (name === 'native') return NATIVE_PRESETS;
      return name === 'types' ? [] : [name];
    });
    const unknown = presets.find((name) => ![...WASM_PRESETS, ...NATIVE_PRESETS].includes(name));
    if (unknown) throw new ScriptError(`no build is named ${unknown}: wasm, native, types or a CMake preset`);
    const tools = setUp(presets.some((name) => name.startsWith('native')) ? 'test' : 'run');
    const failed = await buildPresets(presets, tools);
    if (failed.length > 0) throw new ScriptError(`build failed: ${failed.join(', ')}`);
    if (wanted.includes('types') && !(await buildTypes())) throw new ScriptError('the types do not check');
    say(`built ${wanted.join(', ')}`);
  });
}
