// Finding Emscripten, and installing it into this checkout where the host has none that is new enough.
//
// Debian 12 ships Emscripten 3.1.6, whose ES modules do not run in Node 20; Debian 13 ships 3.1.69. That
// package needs LLVM 19, which Debian 12 has, and, for Binaryen's programs alone, a newer libc. So the Debian
// 13 packages are unpacked (not installed) under .toolchain/emscripten, and Binaryen runs on a libc of its
// own next to it. Nothing of the host changes but clang-19, lld-19, llvm-19 and python3, which come from the
// host's own Debian release.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT, ScriptError, capture, which } from './process.mjs';

/** The oldest Emscripten that the build works with. */
export const EMSCRIPTEN_MINIMUM = '3.1.69';

const PREFIX = path.join(ROOT, '.toolchain', 'emscripten');
const DONOR_RELEASE = 'trixie'; // Debian 13
const DONOR_PACKAGES = ['emscripten', 'binaryen', 'node-acorn', 'libc6', 'libstdc++6', 'libgcc-s1'];
/** Debian packages of the host's own release that the private Emscripten runs on. */
export const EMSCRIPTEN_HOST_PACKAGES = ['clang-19', 'lld-19', 'llvm-19', 'python3'];
const HOST_PROGRAMS = ['clang-19', 'wasm-ld-19', 'llvm-ar-19', 'python3'];

/** True when dotted version `a` is at least `b`. */
export function versionAtLeast(a, b) {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

// The version that stands beside emcc (emsdk, Debian and Homebrew keep it there); asking emcc itself
// costs a Python start.
function versionOf(emcc) {
  const program = fs.realpathSync(emcc);
  for (const folder of [path.dirname(program), path.join(path.dirname(program), '..', 'libexec')]) {
    const file = path.join(folder, 'emscripten-version.txt');
    if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8').replace(/["\s]/g, '').replace(/-.*/, '');
  }
  return /(\d+\.\d+\.\d+)/.exec(capture(emcc, ['--version']).output)?.[1];
}

// The folder with the CMake module: the one emcc's file is in, or what em-config says where
// emcc is a wrapper.
function rootOf(emcc) {
  const hasModule = (folder) => fs.existsSync(path.join(folder, 'cmake/Modules/Platform/Emscripten.cmake'));
  const program = fs.realpathSync(emcc);
  for (const folder of [path.dirname(program), path.join(path.dirname(program), '..', 'libexec')]) {
    if (hasModule(folder)) return path.resolve(folder);
  }
  const answer = capture(path.join(path.dirname(emcc), 'em-config'), ['EMSCRIPTEN_ROOT']).output.trim();
  return hasModule(answer) ? answer : undefined;
}

/**
 * The Emscripten to build with: { emcc, root, version, origin }, or { tooOld: [text] } when there is none
 * that is new enough. Order: $EMSDK, the PATH, this checkout's own.
 */
export function findEmscripten() {
  const tooOld = [];
  const sdk = process.env.EMSDK && path.join(process.env.EMSDK, 'upstream', 'emscripten', 'emcc');
  const candidates = [
    { emcc: sdk && which(sdk), origin: 'EMSDK' },
    { emcc: which('emcc'), origin: 'PATH' },
  ];
  if (HOST_PROGRAMS.every((name) => which(name))) {
    candidates.push({ emcc: which(path.join(PREFIX, 'root', 'emcc')), origin: '.toolchain' });
  }
  for (const { emcc, origin } of candidates) {
    if (!emcc) continue;
    const version = versionOf(emcc);
    const root = rootOf(emcc);
    if (version && root && versionAtLeast(version, EMSCRIPTEN_MINIMUM))
      return { emcc, root, version, origin };
    tooOld.push(`${emcc} is ${version ?? 'of unknown version'}`);
  }
  return { tooOld };
}

function must(command, args, options) {
  const { status, output } = capture(command, args, options);
  if (status !== 0) throw new ScriptError(`${command} ${args.join(' ')} failed:\n${output.trim()}`);
  return output;
}

/** The Debian mirror that this machine already uses, read from apt's own configuration. */
export function debianMirror() {
  const format = '$(REPO_URI)';
  const answer = must('apt-get', [
    'indextargets',
    '--format',
    format,
    'Created-By: Packages',
    'Label: Debian',
  ]);
  const mirror = answer.split('\n').find((line) => line.trim() !== '');
  if (!mirror) throw new ScriptError('apt knows no Debian mirror (is /etc/apt/sources.list.d empty?)');
  return mirror.trim();
}

/**
 * Writes a throw-away apt configuration that sees one suite of the host's own mirror and keeps its lists,
 * cache and status under `folder`; returns the environment that makes apt use it.
 */
export function privateApt(folder, { suite, types = 'deb' }) {
  for (const name of ['sources', 'parts', 'preferences', 'state/lists/partial', 'cache/archives/partial']) {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
  }
  fs.writeFileSync(path.join(folder, 'state/status'), '');
  fs.writeFileSync(
    path.join(folder, 'sources/donor.sources'),
    `Types: ${types}\nURIs: ${debianMirror()}\nSuites: ${suite}\nComponents: main\n` +
      'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n',
  );
  const settings = {
    'Dir::State': `${folder}/state`,
    'Dir::State::status': `${folder}/state/status`,
    'Dir::Cache': `${folder}/cache`,
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': `${folder}/sources`,
    'Dir::Etc::preferencesparts': `${folder}/preferences`,
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': os.userInfo().username, // apt's own user may not write into a private folder
  };
  const file = path.join(folder, 'apt.conf');
  fs.writeFileSync(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key} "${value}";\n`)
      .join(''),
  );
  return { ...process.env, APT_CONFIG: file };
}

function unpack(archive, target, tarOptions = []) {
  fs.mkdirSync(target, { recursive: true });
  must('sh', [
    '-c',
    'archive=$1; target=$2; shift 2; dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$target" "$@"',
    'unpack',
    archive,
    target,
    ...tarOptions,
  ]);
}

function writeProgram(file, text) {
  fs.writeFileSync(file, text, { mode: 0o755 });
}

/**
 * Installs Emscripten under .toolchain/emscripten. Needs a Debian host whose
 * EMSCRIPTEN_HOST_PACKAGES are there.
 */
export function installEmscripten() {
  const toolchain = path.dirname(PREFIX);
  fs.mkdirSync(toolchain, { recursive: true });
  const work = fs.mkdtempSync(path.join(toolchain, 'unfinished-'));
  try {
    const aptEnv = privateApt(path.join(work, 'apt'), { suite: DONOR_RELEASE });
    must('apt-get', ['update', '-qq'], { env: aptEnv });
    const packages = path.join(work, 'packages');
    fs.mkdirSync(packages);
    must('apt-get', ['download', '-qq', ...DONOR_PACKAGES], { env: aptEnv, cwd: packages });
    const archiveOf = (name) =>
      path.join(
        packages,
        fs.readdirSync(packages).find((file) => file.startsWith(`${name}_`)),
      );

    // emscripten itself, less its manuals and the libraries for position-independent code
    const prefix = path.join(work, 'prefix');
    unpack(archiveOf('emscripten'), prefix, [
      '--exclude=./usr/share/doc',
      '--exclude=./usr/share/man',
      '--exclude=*/wasm32-emscripten/pic',
      '--exclude=*/wasm32-emscripten/lto-pic',
      '--exclude=./usr/share/emscripten/test',
    ]);
    const root = path.join(prefix, 'usr/share/emscripten');
    fs.symlinkSync('usr/share/emscripten', path.join(prefix, 'root'));

    // acorn, which Debian's package has in a place where emcc's JavaScript does not look
    unpack(archiveOf('node-acorn'), prefix);
    fs.mkdirSync(path.join(root, 'node_modules'), { recursive: true });
    fs.rmSync(path.join(root, 'node_modules/acorn'), { recursive: true, force: true });
    fs.symlinkSync('../../nodejs/acorn', path.join(root, 'node_modules/acorn'));

    // binaryen with the libc it was built for; the wrappers find both from where they stand
    unpack(archiveOf('binaryen'), prefix);
    const triple = fs.readdirSync(path.join(prefix, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
    for (const name of ['libc6', 'libstdc++6', 'libgcc-s1']) {
      unpack(archiveOf(name), path.join(prefix, 'host'), ['--wildcards', `./usr/lib/${triple}/*`]);
    }
    const loader = fs
      .readdirSync(path.join(prefix, 'host/usr/lib', triple))
      .find((name) => /^ld-linux.*\.so\.\d$/.test(name));
    const wrappers = path.join(prefix, 'binaryen/bin');
    fs.mkdirSync(wrappers, { recursive: true });
    for (const name of fs.readdirSync(path.join(prefix, 'usr/bin'))) {
      if (!/^(wasm-|wasm2js$)/.test(name)) continue;
      writeProgram(
        path.join(wrappers, name),
        `#!/bin/sh\np=$(dirname "$(readlink -f "$0")")/../..\nl="$p/host/usr/lib/${triple}"\n` +
          `exec "$l/${loader}" --library-path "$l:$p/usr/lib/${triple}" "$p/usr/bin/${name}" "$@"\n`,
      );
    }

    fs.writeFileSync(
      path.join(root, '.emscripten'),
      [
        'import os',
        "EMSCRIPTEN_ROOT = os.path.dirname(os.path.realpath(os.environ['EM_CONFIG']))",
        "LLVM_ROOT = '/usr/bin'",
        "LLVM_ADD_VERSION = '19'",
        "CLANG_ADD_VERSION = '19'",
        "BINARYEN_ROOT = os.path.realpath(os.path.join(EMSCRIPTEN_ROOT, '../../../binaryen'))",
        "NODE_JS = 'node'",
        'FROZEN_CACHE = True',
        '',
      ].join('\n'),
    );

    // this checkout's package.json says that .js files are ES modules; Emscripten's are not
    fs.writeFileSync(path.join(prefix, 'package.json'), '{ "type": "commonjs" }\n');

    // only an installation that answers is put in place
    const { status, output } = capture(path.join(root, 'emcc'), ['--version']);
    if (status !== 0) throw new ScriptError(`the Emscripten just unpacked does not run:\n${output.trim()}`);
    fs.rmSync(PREFIX, { recursive: true, force: true });
    fs.renameSync(prefix, PREFIX);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}
