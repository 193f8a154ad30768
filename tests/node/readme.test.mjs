// The examples that users read first run as they stand.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './helpers.mjs';

/** Files, and how many of their examples stand by themselves. @type {[string, number][]} */
const files = [
  ['README.md', 2],
  ['docs/javascript.md', 1],
  ['docs/constraints.md', 3],
  ['docs/three.md', 1],
];

for (const [file, count] of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const examples = [...text.matchAll(/```js\n([\s\S]*?)```/g)].slice(0, count).map((match) => match[1]);
  test(`${file} has its examples`, () => assert.equal(examples.length, count));
  examples.forEach((example, i) => runs(`example ${i + 1} of ${file} runs`, example));
}

/** @param {string} name @param {string} example */
function runs(name, example) {
  test(name, () => {
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
