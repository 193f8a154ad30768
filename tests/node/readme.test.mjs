// The examples that users read first run as they stand.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

for (const file of ['README.md', 'docs/javascript.md']) {
  const path = join(root, file);
  test(`the first example of ${file} runs`, { skip: !existsSync(path) && `there is no ${file}` }, () => {
    const example = /```js\n([\s\S]*?)```/.exec(readFileSync(path, 'utf8'))?.[1];
    assert.ok(example, 'no example is found');
    // within the checkout the package is found by its own name
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', example], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60000,
    });
    assert.equal(status, 0, stderr);
    assert.ok(stdout.trim().length > 0, 'the example prints nothing');
  });
}
