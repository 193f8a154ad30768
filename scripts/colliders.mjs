// npm run colliders [-- cases]: runs every pair of shapes against the independent reference (tests/matrix) and writes
// docs/colliders.md from what comes out.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildPresets } from './build.mjs';
import { ROOT, ScriptError, capture, main, say } from './process.mjs';
import { setUp } from './setup.mjs';

const INTRODUCTION = `# The matrix of colliders

Written by \`npm run colliders\`; do not edit. Every pair of shapes is placed at random, apart, touching and deep, aligned and askew, in sizes from
1:1 to 1:10⁴, and what the narrow phase says is held against an independent reference: closed-form distances, brute force over triangles and
dense samples (tests/matrix/reference.c). The laws are in the head of tests/matrix/collider_matrix.c.

A cell has the number of cases, and in bold how many broke a law. A dash: the two never touch each other. Lines are rays and meet every shape
but lines and planes of their own kind; they are tested in tests/unit/revolved_test.c.
`;

/** @param {{ kinds: string[], collide: boolean, cases: number, failures: number }} pair */
function cellOf({ collide, cases, failures }) {
  if (!collide) return '–';
  return failures === 0 ? String(cases) : `${cases} **${failures}**`;
}

await main(async () => {
  const cases = process.argv[2] ?? '20000';
  const tools = setUp('run', 'test');
  const broken = await buildPresets(['native-release'], tools);
  if (broken.length > 0) throw new ScriptError('the native build failed');
  const file = path.join(os.tmpdir(), `collider-matrix-${process.pid}.json`);
  const program = path.join(ROOT, 'build/native-release/collider_matrix');
  const { status, stdout } = capture(program, ['--cases', cases, '--json', file]);
  if (status !== 0 && status !== 1) throw new ScriptError(`collider_matrix ended with ${status}`);
  const { pairs, seed } = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.rmSync(file);

  const names = [...new Set(pairs.flatMap(({ kinds }) => kinds))];
  const find = (a, b) =>
    pairs.find(({ kinds }) => (kinds[0] === a && kinds[1] === b) || (kinds[0] === b && kinds[1] === a));
  const rows = names.map((a, i) => {
    const cells = names.map((b, j) => (j > i ? '' : cellOf(find(a, b))));
    return `| **${a}** | ${cells.join(' | ')} |`;
  });
  const failed = pairs.reduce((sum, { failures }) => sum + failures, 0);
  const page = [
    INTRODUCTION,
    `| | ${names.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(names.length)}`,
    ...rows,
    '',
    `${cases} cases with seed ${seed}: ${failed} broken laws.`,
    '',
  ];
  fs.writeFileSync(path.join(ROOT, 'docs/colliders.md'), page.join('\n'));
  say(stdout.trim());
  say('wrote docs/colliders.md');
});
