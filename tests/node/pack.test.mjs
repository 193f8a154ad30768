// The package as a user gets it: packed, installed elsewhere, loaded by its name, its command run.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 120000 });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('the packed package works where it is installed, and holds nothing but what it needs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pack-'));
  try {
    const [pack] = JSON.parse(
      run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root),
    );
    const strange = pack.files
      .map((file) => file.path)
      .filter((path) => !/^(web\/|README\.md$|LICENSE$|package\.json$)/.test(path));
    assert.deepEqual(strange, []);
    writeFileSync(join(folder, 'package.json'), '{ "name": "user", "version": "1.0.0", "type": "module" }');
    run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, pack.filename)], folder);
    const script = `import { load } from 'cairn-physics';
      for (const threads of [1, 2]) {
        const cairn = await load({ threads });
        const world = cairn.createWorld();
        const ball = world.createBody({ position: [0, 0, 9], geometries: [{ shape: { type: 'sphere', radius: 1 } }] });
        world.steps(60);
        if (!(ball.getPosition()[2] < 5)) throw new Error('the ball does not fall');
        world.dispose();
        const mesh = new TextEncoder().encode('v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3');
        if (cairn.readMesh(mesh).triangles.length !== 3) throw new Error('the mesh is not read');
      }`;
    writeFileSync(join(folder, 'user.mjs'), script);
    run(process.execPath, ['user.mjs'], folder);
    writeFileSync(join(folder, 'empty.json'), '{ "format": "cairn-scene", "version": 1 }');
    run('npx', ['--no-install', 'cairn', 'check', 'empty.json'], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
