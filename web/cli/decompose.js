// cairn decompose: cuts a mesh file into convex pieces and writes them as JSON.

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CairnError } from '../core/errors.js';
import { load } from '../index.node.js';
import { listMeshFiles } from '../objects/assets.js';
import { onlyWord, readNumber, readWords } from './arguments.js';
import { CliError } from './cli_error.js';
import { orBad, readBytes } from './open_scene.js';
import { checkOutput, writeOutput } from './output.js';
import { Progress } from './progress.js';

const optionNames = [
  '--max-hulls',
  '--max-error',
  '--max-volume-ratio',
  '--max-vertices',
  '--thickness',
  '--fill-holes',
  '--out',
];

/** @param {string[]} words */
export async function decomposeFile(words) {
  const { options, rest } = readWords(words, optionNames);
  const file = onlyWord(rest, 'MESH');
  const out = options.get('--out');
  const wanted = {
    maxHulls: readNumber(options, '--max-hulls', { least: 1, most: 1024, integer: true }),
    maxError: readNumber(options, '--max-error', { least: 0, above: true }),
    maxVolumeRatio: readNumber(options, '--max-volume-ratio', { least: 1, above: true }),
    maxVertices: readNumber(options, '--max-vertices', { least: 4, most: 4096, integer: true }),
    thickness: readNumber(options, '--thickness', { least: 0, above: true }),
    fillHoles: readNumber(options, '--fill-holes', { least: 0, most: 1 }),
  };
  checkOutput(out);
  const cairn = await load({ threads: 1 });
  try {
    const mesh = readMeshFile(cairn, file);
    const progress = new Progress();
    const { shapes, ...report } = await cairn
      .decomposeMesh(mesh, { ...wanted, onProgress: (part) => progress.show(part) })
      .catch((error) => {
        progress.clear();
        if (error instanceof CairnError) throw new CliError(2, `${file}: ${error.reason}`);
        throw error;
      });
    progress.clear();
    const pieces = shapes.map(({ shape }) => ({
      shape: { type: shape.type, points: triples(shape.points) },
    }));
    const lines = pieces.map((piece) => `    ${JSON.stringify(piece)}`);
    const head = JSON.stringify({ mesh: file, ...report }, null, 2).slice(0, -2);
    await writeOutput(out, [`${head},\n  "shapes": [\n${lines.join(',\n')}\n  ]\n}\n`]);
  } finally {
    cairn.dispose();
  }
}

/** @param {import('../objects/cairn.js').Cairn} cairn @param {string} file */
function readMeshFile(cairn, file) {
  const bytes = readBytes(file);
  const name = basename(file);
  return orBad(file, () => {
    /** @type {Record<string, Uint8Array>} */
    const files = {};
    for (const buffer of listMeshFiles(bytes, name)) {
      const place = join(dirname(file), buffer);
      if (existsSync(place)) files[buffer] = readBytes(place);
    }
    // the content tells what it is, but for what its buffers are relative to
    return cairn.readMesh(bytes, /\.gltf$/i.test(name) ? { format: name, files } : {});
  });
}

/** @param {Float64Array} numbers */
function triples(numbers) {
  return Array.from({ length: numbers.length / 3 }, (_, i) => [...numbers.subarray(3 * i, 3 * i + 3)]);
}
