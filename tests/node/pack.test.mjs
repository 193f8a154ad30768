// The package as a user gets it: packed from a fresh checkout, installed elsewhere, loaded by its name, its
// command run, its types checked.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, sep } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from './helpers.mjs';

/** What a checkout does not have before anything was built. The modules in web/dist are taken as they are. */
const made = ['.git', '.toolchain', 'node_modules', 'build', join('web', 'types')];

/** @param {string} command @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} [env] */
function run(command, args, cwd, env = process.env) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 120000,
  });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** A checkout without what the build makes, but for the modules. @param {string} folder */
function copyCheckout(folder) {
  cpSync(root, folder, {
    recursive: true,
    filter: (source) => !made.includes(relative(root, source)) && !source.endsWith('.tgz'),
  });
  for (const name of ['node_modules', '.toolchain']) symlinkSync(join(root, name), join(folder, name));
}

/** A CMake that has nothing to do, since compiling takes minutes. @param {string} folder */
function makeIdleCmake(folder) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'cmake'), "#!/bin/sh\necho 'cmake version 99.0.0'\n", { mode: 0o755 });
}

/** Every file that package.json says is there. @param {unknown} target @returns {string[]} */
function listTargets(target) {
  if (typeof target === 'string') return [target];
  return typeof target === 'object' && target !== null ? Object.values(target).flatMap(listTargets) : [];
}

describe('the package, packed from a fresh checkout', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let user;
  /** Paths in the tarball. @type {string[]} */
  let packed;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-pack-'));
    const checkout = join(folder, 'checkout');
    const programs = join(folder, 'programs');
    copyCheckout(checkout);
    makeIdleCmake(programs);
    const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
    const output = run('npm', ['pack', '--json', '--pack-destination', folder], checkout, env);
    // what prepack prints stands before
    const [pack] = JSON.parse(output.slice(output.search(/^\[$/m)));
    packed = pack.files.map((/** @type {{ path: string }} */ file) => file.path);

    user = join(folder, 'user');
    mkdirSync(user);
    writeFileSync(join(user, 'package.json'), '{ "name": "user", "version": "1.0.0", "type": "module" }');
    run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, pack.filename)], user);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('holds nothing but what it needs', () => {
    const strange = packed.filter(
      (path) => !/^(web\/|docs\/|README\.md$|LICENSE$|package\.json$)/.test(path),
    );
    assert.deepEqual(strange, []);
  });

  it('holds every file that its package.json names', () => {
    const described = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { exports, types, main, module, browser, bin } = described;
    for (const target of [types, main, module, browser]) assert.equal(typeof target, 'string');
    const named = listTargets([exports, types, main, module, browser, bin]);
    const targets = named.map((target) => target.replace(/^\.\//, ''));
    assert.ok(targets.length >= 10);
    assert.deepEqual(
      targets.filter((target) => !packed.includes(target)),
      [],
    );
  });

  it('holds every file that its documents link to', () => {
    const missing = [];
    let count = 0;
    for (const path of packed.filter((name) => name.endsWith('.md'))) {
      const text = readFileSync(join(user, 'node_modules/cairn-physics', path), 'utf8');
      // what is said of the repository is not in the package
      const [own] = text.split('\n## The repository\n');
      const links = [...own.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target]) => join(path, '..', target));
      const mentions = [...own.matchAll(/\bdocs\/[\w-]+\.\w+/g)].map(([target]) => target);
      for (const target of [...links.filter((link) => !/https?:/.test(link)), ...mentions]) {
        count += 1;
        if (!packed.includes(target.split(sep).join('/'))) missing.push(`${path}: ${target}`);
      }
    }
    assert.deepEqual(missing, []);
    assert.ok(count > 20);
  });

  it('begins with how it is installed and what moves', () => {
    const text = readFileSync(join(user, 'node_modules/cairn-physics/README.md'), 'utf8');
    assert.match(text, /^# Cairn\n\n {4}npm install cairn-physics\n\n```js\nimport \{ load \}/);
  });

  it('holds every module that its modules and types import', () => {
    const missing = [];
    for (const path of packed.filter((name) => /\.(js|mjs|d\.ts|d\.mts)$/.test(name))) {
      const text = readFileSync(join(user, 'node_modules/cairn-physics', path), 'utf8');
      for (const [, name] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
        const target = join(path, '..', name).split(sep).join('/');
        const wanted = path.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
        if (!packed.includes(wanted)) missing.push(`${path}: ${name}`);
      }
    }
    assert.deepEqual(missing, []);
  });

  it('works where it is installed', () => {
    const script = `import { load } from 'cairn-physics';
      for (const threads of [1, 2]) {
        const cairn = await load({ threads });
        const world = cairn.createWorld();
        const geometries = [{ shape: { type: 'sphere', radius: 1 } }];
        const ball = world.createBody({ position: [0, 0, 9], geometries });
        world.steps(60);
        if (!(ball.getPosition()[2] < 5)) throw new Error('the ball does not fall');
        world.dispose();
        const mesh = new TextEncoder().encode('v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3');
        if (cairn.readMesh(mesh).triangles.length !== 3) throw new Error('the mesh is not read');
      }`;
    writeFileSync(join(user, 'user.mjs'), script);
    run(process.execPath, ['user.mjs'], user);
    writeFileSync(join(user, 'empty.json'), '{ "format": "cairn-scene", "version": 1 }');
    run('npx', ['--no-install', 'cairn', 'check', 'empty.json'], user);
    run('npx', ['--no-install', 'cairn', 'copy-files', 'public/cairn'], user);
    const copied = readdirSync(join(user, 'public/cairn')).sort();
    assert.deepEqual(copied, [
      'cairn.mt.wasm',
      'cairn.mt.web.js',
      'cairn.mt.worker.js',
      'cairn.readers.wasm',
      'cairn.st.wasm',
    ]);
  });

  const program = `import { CairnError, load } from 'cairn-physics';
    import type { Body, Cairn, LoadOptions, World } from 'cairn-physics';
    const options: LoadOptions = { threads: 2 };
    const cairn: Cairn = await load(options);
    const reason: string | null = cairn.fallbackReason;
    const world: World = cairn.createWorld({ gravity: [0, 0, -9.81], threads: 2 });
    const ball: Body = world.createBody({
      position: [0, 0, 2],
      geometries: [{ shape: { type: 'sphere', radius: 1 } }],
    });
    const position: number[] = ball.getPosition();
    const column: Float64Array = world.columns.bodies.position;
    // @ts-expect-error a misspelt option
    world.createBody({ positron: [0, 0, 2] });
    // @ts-expect-error a word that is no shape
    world.createShape({ type: 'spere', radius: 1 });
    try { world.step(); } catch (error) { if (error instanceof CairnError) console.log(error.code, reason); }
    console.log(position, column);
    cairn.dispose();
    export {};`;

  /** @param {string} text of the program @param {object} settings */
  function checkTypes(text, settings) {
    writeFileSync(join(user, 'user.ts'), text);
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      types: [],
      strict: true,
      noEmit: true,
      ...settings,
    };
    writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.ts'] }));
    run(join(root, 'node_modules/.bin/tsc'), ['--project', '.'], user);
  }

  for (const [module, moduleResolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    it(`type-checks in a TypeScript project that resolves modules as ${moduleResolution}`, () =>
      checkTypes(program, { module, moduleResolution, skipLibCheck: false }));
  }

  it('type-checks and works beside three.js', () => {
    // the declarations of others are theirs to check
    for (const name of ['three', '@types']) {
      symlinkSync(join(root, 'node_modules', name), join(user, 'node_modules', name));
    }
    const lines = (/** @type {boolean} */ isTyped) => `import { load } from 'cairn-physics';
      import { debugRender } from 'cairn-physics/debug';
      import { CairnPhysics, createPhysics, shapeFromGeometry } from 'cairn-physics/three';
      import { BoxGeometry, InstancedMesh, Mesh, SphereGeometry } from 'three';
      const physics = createPhysics(await load());
      const ball = new Mesh(new SphereGeometry(1));
      const body = physics.addMesh(ball, { mass: 2, body: { velocity: ball.position } });
      const bodies = physics.addMesh(new InstancedMesh(new BoxGeometry(), undefined, 3), { density: 500 });
      ${isTyped ? '// @ts-expect-error a misspelt option\n physics.addMesh(ball, { weight: 2 });' : ''}
      physics.update(0.5);
      const { vertices } = debugRender(physics.world);
      const { shape } = shapeFromGeometry(ball.geometry, 'box');
      if (!(body.getPosition()[1] < 0 && bodies.length === 3 && shape.type === 'box' && vertices.length > 0))
        throw new Error('the meshes have no bodies');
      const addOn = await CairnPhysics({ automatic: false });
      addOn.addMesh(ball, 1);
      addOn.dispose();
      export {};`;
    writeFileSync(join(user, 'three.mjs'), lines(false));
    run(process.execPath, ['three.mjs'], user);
    checkTypes(lines(true), { module: 'NodeNext', moduleResolution: 'NodeNext', skipLibCheck: true });
  });
});
