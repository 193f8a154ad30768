// What the page shows: the scenes in their order, how each is named, framed and lit.

/**
 * @typedef {object} SceneEntry
 * @property {string} name of the file in `demo/scenes` and the picture in `demo/thumbnails`
 * @property {string} title
 * @property {string} text one line
 * @property {[number, number, number]} [target] m, what the camera looks at; the middle of the moving bodies
 * @property {number} [distance] m, from there; what takes all of them in
 * @property {number} [azimuth] degrees about z from +x; −62
 * @property {number} [elevation] degrees above the horizon; 16
 * @property {boolean} [glass] scenery but for planes is drawn as glass, to see what is inside
 * @property {number} [pictureSteps] steps done before the thumbnail is taken; 60
 */

/** @type {SceneEntry[]} */
export const SCENES = [
  {
    name: 'pit',
    title: 'Pit',
    text: '600 spheres, boxes, capsules and hulls fall into a walled pit',
    target: [0, 0, 3.2],
    distance: 24,
    elevation: 26,
    azimuth: -58,
    glass: true,
    pictureSteps: 420,
  },
  {
    name: 'arch',
    title: 'Dry-stone arch',
    text: 'Sixteen stones held up by friction and their own weight',
    target: [0, 0, 1.25],
    distance: 8.6,
    azimuth: -68,
    elevation: 13,
  },
  {
    name: 'heavy-top-stack',
    title: 'Heavy-top stack',
    text: 'Nine 10 kg boxes carry a 1000 kg box',
    target: [0, 0, 4.7],
    distance: 19,
    elevation: 9,
  },
  {
    name: 'incline',
    title: 'Incline',
    text: 'Sixteen blocks on 30°: μ 0.60 holds, μ 0.55 slides',
    target: [-2, 0, 0],
    distance: 62,
    azimuth: 24,
    elevation: 24,
    pictureSteps: 480,
  },
  {
    name: 'dzhanibekov',
    title: 'Dzhanibekov effect',
    text: 'Torque-free spin about the middle axis flips for ever',
    target: [0, 0, 0],
    distance: 3,
    elevation: 20,
    pictureSteps: 150,
  },
];

/** The scene of an address, the first one where it names none. A name that is not in the gallery is tried as a file. */
export function findEntry(/** @type {string | null} */ name) {
  if (name === null || name === '') return SCENES[0];
  return SCENES.find((entry) => entry.name === name) ?? { name, title: name, text: '' };
}

/** @param {string} name @returns {string} address relative to the page */
export function sceneAddress(name) {
  return `scenes/${encodeURIComponent(name)}.json`;
}
