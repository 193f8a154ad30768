// Makes sure that what a command needs is there: finds it, installs what is missing, names what cannot be
// installed. Runs before `npm install`, so it uses nothing but what Node brings.
//
//   node scripts/setup.mjs [run|test|check …]   set up for these purposes (all without arguments)
//   node scripts/setup.mjs --emscripten-root    print where Emscripten is (asked by cmake/emscripten.cmake)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findChromium } from './chromium.mjs';
import { findFirefox } from './firefox.mjs';
import {
  EMSCRIPTEN_HOST_PACKAGES,
  EMSCRIPTEN_MINIMUM,
  findEmscripten,
  installEmscripten,
  versionAtLeast,
} from './emscripten.mjs';
import { ROOT, ScriptError, capture, isMain, main, say, which } from './process.mjs';

const CMAKE_MINIMUM = '3.25.0';
const TOOLCHAIN = path.join(ROOT, '.toolchain');

// ---- what is needed, how it is recognised, where it comes from --------------------------------------------

function cCompiler() {
  return which(process.env.CC, 'cc', 'gcc', 'clang');
}

function headerExists(name) {
  const folders = ['/usr/include', '/usr/local/include', '/opt/homebrew/include', '/opt/local/include'];
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
}

function hasSanitizers() {
  const compiler = cCompiler();
  if (!compiler) return false;
  const isClang = /clang/.test(capture(compiler, ['--version']).output);
  if (!isClang) {
    // gcc answers with the bare name when it has no such file
    return ['libasan.so', 'libubsan.so', 'libtsan.so'].every((name) =>
      path.isAbsolute(capture(compiler, [`-print-file-name=${name}`]).output.trim()),
    );
  }
  const folder = capture(compiler, ['-print-runtime-dir']).output.trim();
  return fs.existsSync(folder) && fs.readdirSync(folder).some((name) => name.includes('tsan'));
}

function hasCmake() {
  const cmake = which('cmake');
  const version = cmake && /(\d+\.\d+\.\d+)/.exec(capture(cmake, ['--version']).output)?.[1];
  return Boolean(version) && versionAtLeast(version, CMAKE_MINIMUM);
}

// npm keeps a copy of the lock of what it installed: the packages are there when every locked one is in it.
function hasNpmPackages() {
  const read = (file) => JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8')).packages;
  try {
    const installed = read('node_modules/.package-lock.json');
    return Object.entries(read('package-lock.json')).every(
      ([place, entry]) => place === '' || entry.optional || installed[place]?.version === entry.version,
    );
  } catch {
    return false;
  }
}

function runNpmCi() {
  const { status, output } = capture('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (status !== 0) throw new ScriptError(`npm ci failed:\n${output.trim()}`);
}

// purposes: "run" builds and runs the WebAssembly module, "test" also builds natively and drives a browser,
// "long" drives a second one, "check" reads the sources. `debian` names packages of the host's release;
// `install` does more than that.
const NEEDS = [
  {
    name: `cmake ${CMAKE_MINIMUM} or newer`,
    purposes: ['run', 'test', 'check'],
    why: 'configures the build',
    found: hasCmake,
    debian: ['cmake'],
  },
  {
    name: 'ninja',
    purposes: ['run', 'test', 'check'],
    why: 'runs the build',
    found: () => which('ninja', 'ninja-build'),
    debian: ['ninja-build'],
  },
  {
    name: `Emscripten ${EMSCRIPTEN_MINIMUM} or newer`,
    purposes: ['run', 'test'],
    why: 'compiles the engine to WebAssembly',
    found: () => findEmscripten().emcc,
    debian: EMSCRIPTEN_HOST_PACKAGES,
    install: installEmscripten,
    installNote: 'into .toolchain/emscripten, about 400 MB to fetch',
    byHand: 'put emcc on the PATH or set EMSDK (emscripten.org, Homebrew, Debian 13)',
    refusal: () => findEmscripten().tooOld?.join('; '),
  },
  {
    name: 'npm packages',
    purposes: ['run', 'test', 'check'],
    why: 'the demo, the tests and the checks use them',
    found: hasNpmPackages,
    install: runNpmCi,
    anywhere: true,
    byHand: 'run npm ci',
  },
  {
    name: 'C compiler',
    purposes: ['test', 'check'],
    why: 'builds the engine natively',
    found: cCompiler,
    debian: ['gcc', 'libc6-dev'],
  },
  {
    name: 'sanitizer runtimes',
    purposes: ['test'],
    why: 'the unit tests run under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer',
    found: hasSanitizers,
    debian: () => (/clang/.test(cCompiler() ?? '') ? ['libclang-rt-dev'] : ['gcc', 'libc6-dev']),
  },
  {
    name: 'cmocka',
    purposes: ['test', 'check'],
    why: 'the unit tests in C are written with it',
    found: () => headerExists('cmocka.h'),
    debian: ['libcmocka-dev'],
  },
  {
    name: 'Chromium',
    purposes: ['test'],
    why: 'the browser tests and screenshots run in it',
    found: findChromium,
    debian: ['chromium'],
  },
  {
    name: 'Firefox',
    purposes: ['long'],
    why: 'the packed package is tried in it, too',
    found: findFirefox,
    debian: ['firefox-esr'],
  },
  {
    name: 'valgrind',
    purposes: ['check'],
    why: 'counts the instructions of a step, which is the guard of speed',
    found: () => which('valgrind'),
    debian: ['valgrind'],
  },
  {
    name: 'clang-format 14',
    purposes: ['check'],
    why: 'checks the layout of the C sources',
    found: () => findClangTool('clang-format'),
    debian: ['clang-format-14'],
  },
  {
    name: 'clang-tidy 14',
    purposes: ['check'],
    why: 'lints the C sources',
    found: () => findClangTool('clang-tidy'),
    debian: ['clang-tidy-14'],
  },
];

/**
 * clang-format or clang-tidy of the release whose verdicts count: other releases lay out and
 * warn differently.
 */
export function findClangTool(name) {
  const numbered = which(`${name}-14`);
  if (numbered) return numbered;
  const plain = which(name);
  return plain && / version 14\./.test(capture(plain, ['--version']).output) ? plain : undefined;
}

// ---- installing -------------------------------------------------------------------------------------------

function isDebian() {
  try {
    return /^ID=debian$/m.test(fs.readFileSync('/etc/os-release', 'utf8')) && Boolean(which('apt-get'));
  } catch {
    return false;
  }
}

let aptListsFresh = false;

function asRoot(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  if (process.getuid() === 0) return capture(command, args, { env });
  if (!which('sudo')) throw new ScriptError('needs root or sudo');
  // the terminal stays attached so that sudo can ask for a password
  const stdio = ['inherit', 'pipe', 'pipe'];
  return capture('sudo', ['DEBIAN_FRONTEND=noninteractive', command, ...args], { env, stdio });
}

function sleep(seconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
}

function installDebianPackages(packages) {
  if (!aptListsFresh) {
    // another apt may hold the lists: wait for it, for ten minutes at most
    for (let attempt = 0; ; attempt++) {
      const { status, output } = asRoot('apt-get', ['update', '-qq']);
      if (status === 0) break;
      if (attempt >= 120 || !/Could not get lock/.test(output)) {
        throw new ScriptError(`apt-get update failed: ${output.trim()}`);
      }
      sleep(5);
    }
    aptListsFresh = true;
  }
  const options = ['-o', 'DPkg::Lock::Timeout=600', 'install', '-y', '-qq', '--no-install-recommends'];
  const { status, output } = asRoot('apt-get', [...options, ...packages]);
  if (status !== 0) throw new ScriptError(`apt-get install ${packages.join(' ')} failed: ${output.trim()}`);
}

function debianPackages(need) {
  return typeof need.debian === 'function' ? need.debian() : (need.debian ?? []);
}

function install(need) {
  const started = performance.now();
  const packages = debianPackages(need);
  say(`setup: installing ${need.name}${need.installNote ? ` (${need.installNote})` : ''} …`);
  if (packages.length > 0) installDebianPackages(packages);
  if (need.install && !need.found()) need.install();
  if (!need.found()) throw new ScriptError('it is still not found after its installation');
  const from = packages.length > 0 ? `Debian: ${packages.join(' ')}` : 'npm ci';
  say(`setup: installed ${need.name} (${from}) in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

function complaint(need, reason) {
  const packages = debianPackages(need);
  const byHand = need.byHand ?? `install it (on Debian: apt-get install ${packages.join(' ')})`;
  const refusal = need.refusal?.();
  const notes = [reason, refusal].filter(Boolean).map((note) => ` [${note}]`);
  return `missing: ${need.name} (${need.why}); ${byHand}${notes.join('')}`;
}

// One set-up at a time in a checkout: two at once would unpack and `npm ci` into the same folders.
function withLock(task) {
  const lock = path.join(TOOLCHAIN, 'setup.lock');
  fs.mkdirSync(TOOLCHAIN, { recursive: true });
  for (let waited = 0; ; waited++) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isAlive(lock)) {
        fs.rmSync(lock, { force: true });
        continue;
      }
      if (waited === 0) say('setup: another set-up is running in this checkout, waiting for it …');
      sleep(0.5);
    }
  }
  try {
    return task();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function isAlive(lock) {
  try {
    const pid = Number(fs.readFileSync(lock, 'utf8'));
    if (!pid) return true; // just being written
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// ---- the front door ---------------------------------------------------------------------------------------

/**
 * Makes sure that everything for the given purposes ("run", "test", "long", "check") is there and returns
 * the tools' environment. Throws a ScriptError that names, a line each, what is missing and could not be
 * installed.
 */
export function setUp(...purposes) {
  const wanted = NEEDS.filter((need) => need.purposes.some((purpose) => purposes.includes(purpose)));
  const isMissing = (need) => !need.found();
  const complaints = [];
  if (wanted.some(isMissing)) {
    withLock(() => {
      for (const need of wanted.filter(isMissing)) {
        try {
          if (!need.anywhere && !isDebian()) throw new ScriptError('installed by itself only on Debian');
          install(need);
        } catch (error) {
          if (!(error instanceof ScriptError)) throw error;
          complaints.push(complaint(need, error.message));
        }
      }
    });
  }
  if (complaints.length > 0) throw new ScriptError(complaints.join('\nerror: '));
  return toolEnvironment();
}

/** What the other scripts hand to the programs they run: { env, emscripten, chromium, jobs }. */
export function toolEnvironment() {
  const emscripten = findEmscripten();
  const chromium = findChromium();
  const env = {};
  if (emscripten.root) env.CN_EMSCRIPTEN_ROOT = emscripten.root;
  if (chromium) env.CN_CHROMIUM = chromium;
  // Emscripten's programs are many short Python runs: spare them the detour over a version manager's shim
  if (!process.env.EMSDK_PYTHON && fs.existsSync('/usr/bin/python3')) env.EMSDK_PYTHON = '/usr/bin/python3';
  return { env, emscripten, chromium, jobs: os.availableParallelism() };
}

if (isMain(import.meta.url)) {
  await main(() => {
    const purposes = process.argv.slice(2);
    if (purposes[0] === '--emscripten-root') {
      const found = findEmscripten();
      if (!found.root) throw new ScriptError('no Emscripten found: run node scripts/setup.mjs run');
      say(found.root);
      return;
    }
    setUp(...(purposes.length > 0 ? purposes : ['run', 'test', 'long', 'check']));
    say('setup: everything is there');
  });
}
