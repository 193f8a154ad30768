// Scenes that exploded once, in explosions/: what each shows, how many steps it takes, whether all in it
// comes to rest, and whether it was swept joints that exploded.

import { fileURLToPath } from 'node:url';

const scenes = [
  // a joint closes a wedge round an overlap, that was pushed out with any force
  { name: 'wedge-three-capsules', steps: 240 },
  { name: 'wedge-from-S7', steps: 60 },
  // bodies that rotate by more than a radian in a sub-step
  { name: 'spin-ball-400', steps: 300 },
  { name: 'spin-two-rods-land', steps: 120 },
  // hinged bodies that were taken for rotors though what holds them is as light as they are
  { name: 'rotor-hinge-50', steps: 300 },
  { name: 'rotor-two-boxes-bounce', steps: 240 },
  // swept bodies that were stopped one by one
  { name: 'swept-pair-lands', steps: 240 },
  { name: 'swept-light-under-heavy', steps: 120 },
  // joints that are swept, far open after a landing at 17 m/s, had no guard of their energy
  { name: 'swept-scissors-land', steps: 180, wereSwept: true },
  // more groups of joints than there were slots for factors
  { name: 'pool-scissors', steps: 300 },
  // a figure that kept moving on the ground
  { name: 'restless-ragdoll', steps: 360, canRest: true },
];

/** Cases for the campaign. */
export const EXPLOSIONS = scenes.map(({ name, steps, canRest = false, wereSwept = false }) => ({
  name,
  file: fileURLToPath(new URL(`explosions/${name}.json`, import.meta.url)),
  family: 'explosions',
  steps,
  canRest,
  wereSwept,
}));
