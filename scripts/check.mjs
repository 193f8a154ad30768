// npm run check: reads the sources without running them; --fix lays them out (npm run format).
import fs from 'node:fs';
import path from 'node:path';
import { buildPresets, WASM_PRESETS } from './build.mjs';
import { WIDTH, checkLines } from './lines.mjs';
import { ROOT, main, run, say } from './process.mjs';
import { findClangTool, setUp } from './setup.mjs';

const FIX = process.argv.includes('--fix');
const JS_PATTERNS = [
  '*.mjs',
  '{web,demo,scripts,cmake,bindings,tests,bench}/**/*.{js,mjs}',
  '!**/generated/**',
];

function cSources() {
  const files = [];
  const walk = (folder) => {
    for (const entry of fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!['third_party', 'generated'].includes(entry.name)) walk(name);
      } else if (/\.(c|h|inl)$/.test(entry.name)) {
        files.push(name);
      }
    }
  };
  for (const folder of ['src', 'bindings', 'tests', 'bench']) {
    if (fs.existsSync(path.join(ROOT, folder))) walk(folder);
  }
  return files.sort();
}

function succeeded({ status }) {
  return status === 0;
}

const local = (name) => path.join(ROOT, 'node_modules', '.bin', name);

// One run a file, as many at a time as there are cores: what a file has to say is printed in one piece.
async function clangTidy(tools) {
  const folder = path.join(ROOT, 'build', 'native-release');
  const database = JSON.parse(fs.readFileSync(path.join(folder, 'compile_commands.json'), 'utf8'));
  const files = database
    .map((entry) => path.relative(ROOT, entry.file))
    .filter((file) => !file.startsWith('build') && !file.includes('third_party'));
  const waiting = [...new Set(files)].sort();
  const tidy = findClangTool('clang-tidy');
  let failures = 0;
  const takeTurns = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const { status, output } = await run(tidy, ['-p', folder, '--quiet', file], { show: false });
      if (status === 0) continue;
      failures++;
      process.stdout.write(output);
    }
  };
  await Promise.all(Array.from({ length: tools.jobs }, takeTurns));
  return failures === 0;
}

const CHECKS = [
  {
    name: 'clang-format',
    task: async () => {
      const mode = FIX ? ['-i'] : ['--dry-run', '-Werror'];
      return succeeded(await run(findClangTool('clang-format'), ['--style=file', ...mode, ...cSources()]));
    },
    fixes: true,
  },
  {
    name: 'prettier',
    task: async () =>
      succeeded(
        await run(local('prettier'), [FIX ? '--write' : '--check', '--log-level=warn', ...JS_PATTERNS]),
      ),
    fixes: true,
  },
  {
    name: 'eslint',
    task: async () => succeeded(await run(local('eslint'), [...(FIX ? ['--fix'] : []), '.'])),
    fixes: true,
  },
  {
    name: 'lines',
    task: () => {
      const { wide, needless } = checkLines();
      for (const line of wide) say(`${line}, at most ${WIDTH} are allowed`);
      for (const item of needless) say(`scripts/lines.mjs: ${item} is exempt and need not be`);
      return wide.length + needless.length === 0;
    },
  },
  {
    name: 'layers and names',
    task: async () => succeeded(await run(process.execPath, ['--test', 'tests/node/sources.test.mjs'])),
  },
  {
    name: 'generated files',
    task: async () =>
      succeeded(await run(process.execPath, ['bindings/generate.mjs', '--check'])) &&
      succeeded(await run(process.execPath, ['bench/yardstick/charts.mjs', '--check'])),
  },
  {
    name: 'types',
    // the declarations of the package first: the demo reads them
    task: async () =>
      succeeded(await run(local('tsc'), ['--project', 'tsconfig.types.json'])) &&
      succeeded(await run(local('tsc'), ['--noEmit'])),
  },
  { name: 'clang-tidy', task: clangTidy },
  {
    name: 'instructions',
    task: async () => succeeded(await run(process.execPath, ['bench/yardstick/instructions.mjs'])),
  },
];

await main(async () => {
  const tools = setUp('run', 'check');
  if (!FIX) {
    // the types look into web/dist, clang-tidy reads how each file is compiled, instructions are counted
    await buildPresets([...WASM_PRESETS, 'native-release'], tools);
  }
  let passed = 0;
  let failed = 0;
  for (const { name, task } of CHECKS.filter((check) => !FIX || check.fixes)) {
    const started = performance.now();
    const isGood = await task(tools);
    if (isGood) passed++;
    else failed++;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    say(`check: ${name.padEnd(16)} ${isGood ? 'ok' : 'FAILED'} (${seconds} s)`);
  }
  say(`check: ${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
