// The scenes whose state must be the same to the bit in every build, with any number of threads, in Node
// and in browsers.
//
// Loads in pages as well as in Node. A caller gives the loaded module and the scene's text, so that it
// decides where files come from; hashing steps in blocks, so that the first block in which two runs
// differ can be told.

/** Files in demo/scenes. */
export const hashScenes = [
  'incline',
  'heavy-top-stack',
  'dzhanibekov',
  'arch',
  'pit',
  'heavy-chain',
  'four-bar',
  'crowd',
  'net',
  'sleepers',
  'flatbed',
  'cranes',
  'tower',
];

/** Steps after which the hash is compared. */
export const hashSteps = 600;

/** Steps between two hashes. */
export const hashEvery = 60;

/** @param {string} name */
export function sceneFile(name) {
  return `demo/scenes/${name}.json`;
}

/**
 * Hashes of a scene as loaded and after each block of steps.
 * @param {import('../../web/objects/cairn.js').Cairn} cairn
 * @param {string} text of the scene file
 * @param {{ steps?: number, every?: number, threads?: number }} [options]
 * @returns {[number, string][]} steps done and 16 hex digits
 */
export function hashScene(cairn, text, { steps = hashSteps, every = hashEvery, threads } = {}) {
  const scene = cairn.loadScene(text, { threads });
  try {
    /** @type {[number, string][]} */
    const hashes = [[0, scene.world.hash()]];
    for (let done = 0; done < steps;) {
      const count = Math.min(every, steps - done);
      scene.steps(count);
      done += count;
      hashes.push([done, scene.world.hash()]);
    }
    return hashes;
  } finally {
    scene.dispose();
  }
}
