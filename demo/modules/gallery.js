// What the page shows: the scenes in their order, how each is named, framed and lit.

/**
 * @typedef {object} SceneEntry
 * @property {string} name of the file in `demo/scenes` and the picture in `demo/thumbnails`
 * @property {string} [group] heading over it and those that follow
 * @property {string} title
 * @property {string} text one line
 * @property {[number, number, number]} [target] m, what the camera looks at; the middle of the moving bodies
 * @property {number} [distance] m, from there; what takes all of them in
 * @property {number} [azimuth] degrees about z from +x; −62
 * @property {number} [elevation] degrees above the horizon; 16
 * @property {boolean} [glass] static geometry and kinematic bodies, but for the ground, are drawn as glass,
 *   to see what is inside
 * @property {boolean} [manyJoints] joints are not marked until asked for
 * @property {boolean} [marks] boxes are drawn light and dark by quarters
 * @property {number} [pictureSteps] steps done before the thumbnail is taken; 60
 */

/** @type {SceneEntry[]} */
export const SCENES = [
  {
    name: 'pit',
    group: 'Contacts',
    title: 'Pit',
    text: '600 mixed bodies fall between four walls',
    target: [0, 0, 2.4],
    distance: 26,
    elevation: 27,
    azimuth: -58,
    glass: true,
    pictureSteps: 120,
  },
  {
    name: 'wall',
    title: 'Wall',
    text: 'Bricks in stretcher bond and a steel ball',
    target: [0, -1, 1.2],
    distance: 13,
    azimuth: -48,
    elevation: 17,
    pictureSteps: 75,
  },
  {
    name: 'tumbler',
    title: 'Tumbler',
    text: 'A drum of rubber, wood, metal and stone',
    target: [0, 0, 2.9],
    distance: 13.5,
    azimuth: -72,
    elevation: 10,
    glass: true,
    pictureSteps: 240,
  },
  {
    name: 'dominoes',
    title: 'Dominoes',
    text: 'A spiral that falls from inside',
    target: [0, 0, 0.1],
    distance: 10.5,
    elevation: 34,
    pictureSteps: 330,
  },
  {
    name: 'arch',
    title: 'Dry-stone arch',
    text: 'Sixteen stones, held by friction and weight',
    target: [0, 0, 1.25],
    distance: 8.6,
    azimuth: -68,
    elevation: 13,
  },
  {
    name: 'pyramid',
    title: 'Pyramid',
    text: '204 wooden cubes',
    target: [0, 0, 1.6],
    distance: 12,
    azimuth: -55,
    elevation: 22,
  },
  {
    name: 'heavy-top-stack',
    title: 'Heavy-top stack',
    text: 'Nine 10 kg boxes carry a 1000 kg box',
    target: [0, 0, 4.7],
    distance: 21,
    elevation: 9,
  },
  {
    name: 'incline',
    title: 'Incline',
    text: '30°: μ = 0.60 holds, μ = 0.55 slides',
    target: [2, 13, -1],
    distance: 50,
    azimuth: 66,
    elevation: 11,
    pictureSteps: 480,
  },
  {
    name: 'dzhanibekov',
    title: 'Dzhanibekov',
    text: 'Spin about the middle axis flips for ever',
    target: [0, 0, 0],
    distance: 2.8,
    marks: true,
    elevation: 20,
    pictureSteps: 150,
  },
  {
    name: 'heavy-chain',
    group: 'Joints',
    title: 'Heavy chain',
    text: 'Thirty 1 kg links carry ten tonnes',
    target: [0, 0, -9],
    distance: 85,
    azimuth: -90,
    elevation: 6,
    pictureSteps: 130,
  },
  {
    name: 'crane',
    title: 'Crane',
    text: 'Gear, rack and winch swing two tonnes',
    target: [1, 0, 3.6],
    distance: 20,
    azimuth: -58,
    elevation: 14,
    pictureSteps: 420,
  },
  {
    name: 'ragdoll',
    title: 'Down the stairs',
    text: 'Cones, twists and ranges limit their joints',
    target: [0, 2, 0.6],
    distance: 10.4,
    azimuth: 52,
    elevation: 22,
    pictureSteps: 80,
  },
  {
    name: 'crowd',
    title: 'Crowd',
    text: '24 figures, 240 joints, most of them swept',
    target: [0.2, 0.1, 2.2],
    distance: 18,
    azimuth: -52,
    elevation: 20,
    manyJoints: true,
    pictureSteps: 48,
  },
  {
    name: 'net',
    title: 'Net',
    text: '1,058 joints catch five boxes',
    target: [0, 0, 1.7],
    distance: 9.5,
    azimuth: -56,
    elevation: 46,
    manyJoints: true,
    pictureSteps: 52,
  },
  {
    name: 'sleepers',
    title: 'Sleepers',
    text: '36 towers sleep until they are hit',
    target: [0, 0, 0.8],
    distance: 17,
    azimuth: -52,
    elevation: 26,
    pictureSteps: 200,
  },
  {
    name: 'flatbed',
    title: 'Flatbed',
    text: '240 rocks merge, and slide when it brakes',
    target: [-2.5, 0, 0.6],
    distance: 21,
    azimuth: -68,
    elevation: 22,
    pictureSteps: 492,
  },
  {
    name: 'cranes',
    title: 'Cranes on a ship',
    text: 'One with it until their motors start',
    target: [-1, 0, 2.6],
    distance: 19,
    azimuth: -60,
    elevation: 18,
    pictureSteps: 330,
  },
  {
    name: 'tower',
    title: 'Tower',
    text: '360 blocks are one until a ball comes',
    target: [0.6, 0, 1.9],
    distance: 14,
    azimuth: -58,
    elevation: 16,
    pictureSteps: 96,
  },
  {
    name: 'four-bar',
    title: 'Four-bar linkages',
    text: 'Crank-rocker, drag link, parallelogram',
    target: [0, 0, 1.95],
    distance: 6.4,
    azimuth: -68,
    elevation: 14,
    pictureSteps: 140,
  },
  {
    name: 'mesh-on-mesh',
    group: 'Shapes',
    title: 'Mesh on mesh',
    text: 'An angle, a ring and bumps, none of them convex',
    target: [0.2, 0.1, 0.15],
    distance: 4.6,
    elevation: 28,
    pictureSteps: 360,
  },
  {
    name: 'tube',
    title: 'Ball in a tube',
    text: 'Balls roll, swing and travel in a lying tube',
    target: [0, 0, -0.05],
    distance: 4.4,
    azimuth: -65,
    elevation: 24,
    glass: true,
    pictureSteps: 60,
  },
  {
    name: 'peg',
    title: 'Peg in a hole',
    text: '40 mm enter 40.5 mm',
    target: [0, 0, 0.1],
    distance: 0.8,
    elevation: 30,
    pictureSteps: 4,
  },
  {
    name: 'ring',
    title: 'Ring on a cone',
    text: 'A ring and a hat hang where the cones are as wide',
    target: [0.15, 0, 0.14],
    distance: 1.2,
    elevation: 18,
    pictureSteps: 480,
  },
  {
    name: 'ghosts',
    title: 'Seams',
    text: 'Meshes, fields and flush boxes, felt by nobody at 10 m/s',
    target: [0, 0, 0],
    distance: 30,
    azimuth: -50,
    elevation: 30,
    pictureSteps: 50,
  },
  {
    name: 'bullet',
    title: 'Bullets',
    text: '1 cm at 300 m/s against walls of 1 cm',
    target: [0, 0, 0.25],
    distance: 3.6,
    azimuth: -130,
    elevation: 18,
    pictureSteps: 1,
  },
];

/**
 * @typedef {object} LabTitle
 * @property {string} name in the address of its page; `lab-NAME` is its picture
 * @property {string} title
 * @property {string} line in the gallery
 * @property {string} text on its page
 */

/** Experiments with pages of their own. @type {LabTitle[]} */
export const LABS = [
  {
    name: 'materials',
    title: 'Materials lab',
    line: 'Two materials and a slope, forces over time',
    text:
      'A block on a slope that tilts. What the two are made of says how they rub, bounce and sink; ' +
      'all sliders act while it runs.',
  },
  {
    name: 'friction',
    title: 'Friction lab',
    line: 'Eight friction models on one turntable',
    text:
      'Eight friction models on one turntable. Guides hold the blocks while the table turns below them, so ' +
      'that each slides in every direction of the table’s axes, in which its model is oriented.',
  },
  {
    name: 'scale',
    title: 'Scale lab',
    line: 'Impacts and weight on a scale',
    text:
      'What is dropped on a scale strikes it with m v (1 + e) and then weighs m g. The scale shows the ' +
      'force of every step.',
  },
];

/**
 * The scene of an address, the first one where it names none. A name that is not in the gallery is
 * tried as a file.
 */
export function findEntry(/** @type {string | null} */ name) {
  if (name === null || name === '') return SCENES[0];
  return SCENES.find((entry) => entry.name === name) ?? { name, title: name, text: '' };
}

/** @param {string} name @returns {string} address relative to the page */
export function sceneAddress(name) {
  return `scenes/${encodeURIComponent(name)}.json`;
}

/** @param {string} name @returns {string} address relative to the page */
export function labAddress(name) {
  return `lab.html?lab=${encodeURIComponent(name)}`;
}
