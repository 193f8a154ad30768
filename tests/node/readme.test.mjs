// The examples that users read first run as they stand.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

test('the commands of README.md run as written, in a folder with the file that it shows', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const [, section] = text.split('## The command\n');
  const [, name, scene] = /`([\w.]+)`:\n\n```json\n([\s\S]*?)```/.exec(section) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'cairn-readme-'));
  try {
    writeFileSync(join(folder, name), scene);
    const commands = [...section.matchAll(/^ {4}npx cairn (.*)$/gm)].map((match) => match[1].split(' '));
    assert.ok(commands.length >= 4);
    const outputs = commands.map((words) => {
      const options = /** @type {const} */ ({ cwd: folder, encoding: 'utf8', timeout: 60000 });
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, 'web/cli.js'), ...words],
        options,
      );
      assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
      return stdout;
    });
    const { channels } = JSON.parse(outputs[commands.findIndex(([command]) => command === 'run')]);
    const [last] = channels['body/ball/position'].slice(-1);
    assert.ok(Math.abs(last[2] - 0.5) < 1e-4, `the ball lies at ${last}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
