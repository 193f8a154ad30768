// cairn check: loads a scene and prints a summary.

import { onlyWord, readWords } from './arguments.js';
import { openScene } from './open_scene.js';

/** @param {string[]} words */
export async function checkScene(words) {
  const { options, rest } = readWords(words, ['--library']);
  const file = onlyWord(rest, 'SCENE.json');
  const scene = await openScene(file, 1, options.get('--library'));
  try {
    process.stdout.write(summary(scene));
  } finally {
    scene.dispose();
  }
}

/** @param {import('../objects/scene.js').Scene} scene */
function summary(scene) {
  const { world, name, record } = scene;
  const motions = { dynamic: 0, static: 0, kinematic: 0 };
  for (const body of world.bodies()) motions[body.motion] += 1;
  const counters = world.getCounters();
  const rows = [
    ['scene', name || '(without a name)'],
    ['time step', `${world.timeStep} s`],
    ['solver', String(world.getSolver().type)],
    [
      'bodies',
      `${counters.bodies} (${motions.dynamic} dynamic, ${motions.static} static, ` +
        `${motions.kinematic} kinematic)`,
    ],
    ['geometries', `${counters.geometries} of ${counters.shapes} shapes`],
    ['materials', `${counters.materials} and ${counters.contactMaterials} contact materials`],
    ['record', record.length > 0 ? record.join('\n            ') : '(nothing)'],
  ];
  return rows.map(([label, text]) => `${label.padEnd(12)}${text}\n`).join('');
}
