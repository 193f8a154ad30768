// npm run colliders [-- cases]: runs every pair of shapes against the independent reference (tests/matrix)
// and writes docs/colliders.md from what comes out.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildPresets } from './build.mjs';
import { ROOT, ScriptError, capture, main, say } from './process.mjs';
import { setUp } from './setup.mjs';

const INTRODUCTION = `# The matrix of colliders

Written by \`npm run colliders\`; do not edit.

Which shapes collide with which, by what method, and how each pair does against an independent reference:
pairs are placed at random, apart, touching and deep, aligned and askew, in sizes from 1:1 to 1:10⁴, and what
the narrow phase says is held against closed-form distances, brute force over triangles and dense samples,
none of it the engine's own code (tests/matrix/reference.c).
`;

// families of pairs as src/collide/narrow/collide.c tells them apart: shapes, method, file
const METHODS = [
  [
    'sphere, capsule, box with each other',
    'closed forms; boxes by separating axes and clipping',
    'collide_sphere.c, collide_capsule.c, collide_box.c',
  ],
  [
    'convex with box, convex, capsule, sphere',
    'separating axes over Gauss maps, clipping of faces',
    'collide_polytope.c',
  ],
  [
    'cylinder, cone with convex shapes',
    'GJK and EPA for the axis, then faces, rims and generators clipped',
    'collide_smooth.c',
  ],
  [
    'hollowCylinder, hollowCone with all but meshes',
    'edges, rims and axes followed through the exact signed distance',
    'collide_hollow.c',
  ],
  ['plane with all', 'support points', 'collide_plane.c'],
  [
    'trimesh, heightField with all',
    'each triangle near, by the method of its partner; a contact counts within the normal cone of the ' +
      'surface',
    'collide_mesh.c, mesh_polytope.c, mesh_capsule.c',
  ],
  ['trimesh, heightField with trimesh', 'edges of each through the triangles of the other', 'mesh_mesh.c'],
];

/** The laws, as the head of the test program states them. */
function readLaws() {
  const source = fs.readFileSync(path.join(ROOT, 'tests/matrix/collider_matrix.c'), 'utf8');
  const head = source.slice(0, source.indexOf('#include'));
  const laws = [...head.matchAll(/^\/\/ {3}([a-z]+) {2,}(.*(?:\n\/\/ {14}.*)*)/gm)];
  return laws.map(([, name, text]) => `- **${name}**: ${text.replaceAll(/\s*\n\/\/\s*/g, ' ')}`);
}

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
    '## Methods',
    '',
    '| pairs | method | in src/collide |',
    '| --- | --- | --- |',
    ...METHODS.map((row) => `| ${row.join(' | ')} |`),
    '',
    '## Laws',
    '',
    'Of each case is stated, where the contacts’ normals point from the second shape to the first:',
    '',
    ...readLaws(),
    '',
    '## Results',
    '',
    'A cell has the number of cases, and in bold how many broke a law. A dash: the two never touch each',
    'other. Lines are rays: they meet every shape but other lines, and are tested in',
    'tests/unit/revolved_test.c.',
    '',
    `| | ${names.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(names.length)}`,
    ...rows,
    '',
    `${cases} cases with seed ${seed}: ${failed} broken laws. ` +
      '`npm run test:long` runs a million with sanitizers.',
    '',
  ];
  fs.writeFileSync(path.join(ROOT, 'docs/colliders.md'), page.join('\n'));
  say(stdout.trim());
  say('wrote docs/colliders.md');
});
