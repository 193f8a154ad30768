// The examples that users read first run as they stand.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

for (const file of ['README.md', 'docs/javascript.md']) {
  const path = join(root, file);
  test(`the first example of ${file} runs`, { skip: !existsSync(path) && `there is no ${file}` }, () => {
    const example = /```js\n([\s\S]*?)```/.exec(readFileSync(path, 'utf8'))?.[1];
    assert.ok(example, 'no example is found');
    // within the checkout the package is found by its own name
    const script = join(root, 'build', `example_${process.pid}.mjs`);
    mkdirSync(join(root, 'build'), { recursive: true });
    writeFileSync(script, example);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60000,
    });
    rmSync(script);
    assert.equal(status, 0, stderr);
    assert.ok(stdout.trim().length > 0, 'the example prints nothing');
  });
}
