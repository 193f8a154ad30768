// What the page shows: the scenes in their order, how each is named, explained, framed and lit.

/**
 * @typedef {object} SceneLabel
 * @property {string} text
 * @property {string} [body] name in the scene, at whose position it stands
 * @property {[number, number, number]} [point] m, world, or from the body's position
 */

/**
 * @typedef {object} SceneEntry
 * @property {string} name of the file in `demo/scenes` and the picture in `demo/thumbnails`
 * @property {string} [group] heading over it and those that follow
 * @property {string} title
 * @property {string} text one line
 * @property {string} [claim] what the scene proves, and against what; its numbers are in `measures.js`
 * @property {string} [docs] page of the documentation that explains it
 * @property {[lower: number[], upper: number[]]} [box] m, what the camera takes in; the moving bodies
 * @property {number} [azimuth] degrees about z from +x; −62
 * @property {number} [elevation] degrees above the horizon; 16
 * @property {boolean} [glass] static geometry and kinematic bodies, but for the ground, are drawn as glass,
 *   to see what is inside
 * @property {boolean} [manyJoints] joints are not marked until asked for
 * @property {boolean} [marks] boxes are drawn light and dark by quarters
 * @property {SceneLabel[]} [labels] words in the picture
 * @property {'hook'} [prop] what is drawn beside what is simulated
 * @property {number} [pictureSteps] steps done before the thumbnail is taken; 60
 */

/** @type {SceneEntry[]} */
export const SCENES = [
  {
    name: 'pit',
    group: 'Contacts',
    title: 'Pit',
    text: '600 mixed bodies fall between four walls',
    claim:
      'Spheres, boxes, capsules and hulls come to rest in one heap without jitter, and none ' +
      'sinks into another.',
    docs: 'iterative-contacts',
    box: [
      [-6, -6, 0],
      [6, 6, 12],
    ],
    azimuth: -58,
    elevation: 24,
    glass: true,
    pictureSteps: 150,
  },
  {
    name: 'wall',
    title: 'Wall',
    text: 'Bricks in stretcher bond and a steel ball',
    claim:
      'No mortar: friction and weight hold the bricks, and the ball takes out what it strikes ' +
      'and no more.',
    docs: 'physics',
    box: [
      [-4.1, -3.5, 0],
      [4.1, 3, 3.1],
    ],
    azimuth: -48,
    elevation: 17,
    pictureSteps: 75,
  },
  {
    name: 'tumbler',
    title: 'Tumbler',
    text: 'A drum of rubber, wood, metal and stone',
    claim:
      'Each pair of materials rubs and bounces by its own numbers while the drum keeps all in ' + 'motion.',
    docs: 'physics',
    box: [
      [-2.7, -1.5, 0.3],
      [2.7, 1.5, 5.9],
    ],
    azimuth: -72,
    elevation: 10,
    glass: true,
    pictureSteps: 240,
  },
  {
    name: 'dominoes',
    title: 'Dominoes',
    text: 'A spiral that falls from inside',
    claim: 'One push travels through 217 dominoes: every impact hands on what the one before gave ' + 'it.',
    docs: 'physics',
    box: [
      [-3.2, -3.4, 0],
      [2.9, 3.1, 0.5],
    ],
    elevation: 34,
    pictureSteps: 330,
  },
  {
    name: 'arch',
    title: 'Dry-stone arch',
    text: 'Sixteen stones, held by friction and weight',
    claim:
      'Its thickness is 0.26 of its mean radius, and an arch stands from 0.1075. Nothing holds ' +
      'the stones but each other, and none creeps.',
    docs: 'validation',
    box: [
      [-2.7, -0.6, 0],
      [2.7, 0.6, 2.7],
    ],
    azimuth: -68,
    elevation: 13,
  },
  {
    name: 'pyramid',
    title: 'Pyramid',
    text: '204 wooden cubes',
    claim:
      'Eight levels of cubes stand as they were put. What rests keeps its place to less than a ' + 'hair.',
    docs: 'iterative-contacts',
    box: [
      [-2.1, -2.1, 0],
      [2.1, 2.1, 4],
    ],
    azimuth: -55,
    elevation: 22,
  },
  {
    name: 'heavy-top-stack',
    title: 'Heavy-top stack',
    text: 'Nine 10 kg boxes carry a 1000 kg box',
    claim:
      'Weight passes through boxes a hundred times lighter: the ground bears (9 · 10 + 1000) · ' +
      '9.80665 = 10,689.25 N, and nothing sinks.',
    docs: 'iterative-contacts',
    box: [
      [-0.8, -0.8, 0],
      [0.8, 0.8, 10.6],
    ],
    elevation: 9,
    labels: [
      { text: '1000 kg', body: 'box9', point: [0, 0, 0.6] },
      { text: '10 kg each', body: 'box4', point: [0, 0, 0] },
    ],
  },
  {
    name: 'slope',
    title: 'Incline',
    text: '30°: what holds and what slides',
    claim:
      'The tangent of 30° is 0.577: blocks of greater μ hold, the others slide with ' +
      'g\u00a0(sin\u00a0θ\u00a0−\u00a0μ\u00a0cos\u00a0θ). Friction is a true cone, with no creep below it.',
    docs: 'physics',
    box: [
      [-0.4, -2.7, 0],
      [7.9, 2.7, 4.5],
    ],
    azimuth: -80,
    elevation: 15,
    labels: [
      { text: 'μ = 0.50', body: 'block0', point: [0, 0, 0.45] },
      { text: 'μ = 0.55', body: 'block1', point: [0, 0, 0.45] },
      { text: 'μ = 0.57', body: 'block2', point: [0, 0, 0.45] },
      { text: 'μ = 0.59', body: 'block3', point: [0, 0, 0.45] },
      { text: 'μ = 0.65', body: 'block4', point: [0, 0, 0.45] },
      { text: 'θ = 30°', point: [6.2, -2.6, 0.25] },
    ],
    pictureSteps: 200,
  },
  {
    name: 'dzhanibekov',
    title: 'Dzhanibekov',
    text: 'Spin about the middle axis flips for ever',
    claim:
      'No torque acts, so the angular momentum must stay what it is, however often the handle ' +
      'turns over.',
    docs: 'validation',
    box: [
      [-0.62, -0.62, -0.62],
      [0.62, 0.62, 0.62],
    ],
    elevation: 20,
    marks: true,
    pictureSteps: 150,
  },
  {
    name: 'heavy-chain',
    group: 'Joints',
    title: 'Heavy chain',
    text: 'Thirty 1 kg links carry ten tonnes',
    claim:
      'A load ten thousand times as heavy as each link swings from it, and no joint opens: ' +
      'joints are solved exactly with all that hangs on them.',
    docs: 'stiff-joints',
    box: [
      [-32.2, -1, -32.4],
      [32.2, 1, 1.6],
    ],
    azimuth: -90,
    elevation: 3,
    labels: [
      { text: 'load, 10 t', body: 'load', point: [0, 0, 1.2] },
      { text: 'anchor', point: [0, 0, 1.5] },
      { text: 'thirty links of 1 kg', body: 'link14', point: [0, 0, 0.2] },
    ],
    prop: 'hook',
    manyJoints: true,
    pictureSteps: 130,
  },
  {
    name: 'crane',
    title: 'Crane',
    text: 'Gear, rack and winch swing two tonnes',
    claim:
      'A gear turns the mast, a pinion moves the trolley along its rack, a winch pays out the ' +
      'rope: constraints on constraints, and none of them slips.',
    docs: 'constraints',
    box: [
      [-7.5, -4, 0],
      [7, 6.5, 7.9],
    ],
    azimuth: -58,
    elevation: 14,
    pictureSteps: 420,
  },
  {
    name: 'ragdoll',
    title: 'Down the stairs',
    text: 'Cones, twists and ranges limit their joints',
    claim: 'Limbs bend as far as their limits and stay joined, whatever they hit on the way down.',
    docs: 'robust-joints',
    box: [
      [-2.4, -0.6, 0],
      [2.4, 5, 3.3],
    ],
    azimuth: 52,
    elevation: 22,
    pictureSteps: 80,
  },
  {
    name: 'crowd',
    title: 'Crowd',
    text: '24 figures, 240 joints, most of them swept',
    claim: 'Figures fall on a heap. Their joints hold while hundreds of contacts pull at them.',
    docs: 'robust-joints',
    box: [
      [-3.4, -3, 0],
      [3.4, 3, 6.5],
    ],
    azimuth: -52,
    elevation: 18,
    manyJoints: true,
    pictureSteps: 48,
  },
  {
    name: 'net',
    title: 'Net',
    text: '1,058 joints catch five boxes',
    claim:
      'A net is nothing but joints and loops of joints. It gives, it holds, and its knots stay ' + 'tied.',
    docs: 'stiff-joints',
    box: [
      [-2.5, -2.5, 0],
      [2.5, 2.5, 4.2],
    ],
    azimuth: -56,
    elevation: 30,
    manyJoints: true,
    pictureSteps: 52,
  },
  {
    name: 'four-bar',
    title: 'Four-bar linkages',
    text: 'Crank-rocker, drag link, parallelogram',
    claim:
      'Closed loops run through the poses in which all bars are in line, where a linkage could ' +
      'go either way, and their joints stay shut.',
    docs: 'constraints',
    box: [
      [-1.5, -1.4, 0.7],
      [1.5, 1.5, 3.2],
    ],
    azimuth: -68,
    elevation: 14,
    pictureSteps: 140,
  },
  {
    name: 'sleepers',
    group: 'Sleep and merging',
    title: 'Sleepers',
    text: '36 towers sleep until they are hit',
    claim:
      'What comes to rest costs nothing. A cube that falls wakes the towers that it hits and ' + 'no others.',
    docs: 'sleep',
    box: [
      [-4.4, -4.4, 0],
      [4.4, 4.4, 3.2],
    ],
    azimuth: -52,
    elevation: 26,
    pictureSteps: 200,
  },
  {
    name: 'flatbed',
    title: 'Flatbed',
    text: '240 rocks merge, and slide when it brakes',
    claim:
      'Rocks that ride along are one body with the flatbed and cost the solver nothing; ' +
      'braking by 7 m/s² splits them in the same step.',
    docs: 'merged-bodies',
    box: [
      [-14.6, -1.7, 0],
      [7.2, 1.7, 3],
    ],
    azimuth: -74,
    elevation: 20,
    pictureSteps: 400,
  },
  {
    name: 'cranes',
    title: 'Cranes on a ship',
    text: 'One with it until their motors start',
    claim:
      'Three cranes are merged to the ship that carries them. A motor that starts splits its ' +
      'own crane alone.',
    docs: 'merged-bodies',
    box: [
      [-8.5, -2, 0],
      [7.5, 2, 6.3],
    ],
    azimuth: -66,
    elevation: 16,
    pictureSteps: 330,
  },
  {
    name: 'tower',
    title: 'Tower',
    text: '360 blocks are one until a ball comes',
    claim:
      'The tower is one body with the ground until a ball strikes. Then only what it hits, and ' +
      'what that bears, is solved.',
    docs: 'merged-bodies',
    box: [
      [-3.6, -3, 0],
      [4.6, 3, 5.2],
    ],
    azimuth: -58,
    elevation: 16,
    pictureSteps: 96,
  },
  {
    name: 'mesh-on-mesh',
    group: 'Shapes',
    title: 'Mesh on mesh',
    text: 'An angle, a ring and bumps, none of them convex',
    claim:
      'Dynamic meshes rest on a mesh and on each other by their true surfaces, not by hulls ' +
      'around them.',
    docs: 'colliders',
    box: [
      [-1, -0.9, -0.1],
      [1.1, 1, 0.75],
    ],
    elevation: 28,
    pictureSteps: 360,
  },
  {
    name: 'tube',
    title: 'Ball in a tube',
    text: 'Balls roll, swing and travel in a lying tube',
    claim:
      'A ball that rolls without slipping loses nothing: the tube is round, not a prism of ' + 'flat pieces.',
    docs: 'colliders',
    box: [
      [-0.62, -1.05, -0.6],
      [0.62, 1.05, 0.6],
    ],
    azimuth: -65,
    elevation: 24,
    glass: true,
    pictureSteps: 60,
  },
  {
    name: 'peg',
    title: 'Peg in a hole',
    text: '40 mm enter 40.5 mm',
    claim: 'A quarter of a millimetre on each side is room enough: the peg finds its way in and ' + 'stands.',
    docs: 'colliders',
    box: [
      [-0.12, -0.12, 0],
      [0.12, 0.12, 0.24],
    ],
    elevation: 30,
    pictureSteps: 4,
  },
  {
    name: 'ring',
    title: 'Ring on a cone',
    text: 'A ring and a hat hang where the cones are as wide',
    claim: 'Curved surfaces touch along circles: ring and hat right themselves and hang level.',
    docs: 'colliders',
    box: [
      [-0.12, -0.15, 0],
      [0.42, 0.15, 0.3],
    ],
    elevation: 18,
    pictureSteps: 480,
  },
  {
    name: 'ghosts',
    title: 'Seams',
    text: 'Meshes, fields and flush boxes, felt by nobody at 10 m/s',
    claim:
      'What slides over a floor of many pieces must not feel their edges. These cross hundreds ' +
      'of them without a kick.',
    docs: 'colliders',
    box: [
      [-11.5, -9.6, 0],
      [12, 9.6, 1],
    ],
    azimuth: -50,
    elevation: 28,
    pictureSteps: 50,
  },
  {
    name: 'bullet',
    title: 'Bullets',
    text: '1 cm at 300 m/s against walls of 1 cm',
    claim: 'Each ball flies 5 m in a step, five hundred times the wall’s thickness. None passes.',
    docs: 'colliders',
    box: [
      [-0.5, -1.35, 0],
      [0.75, 1.35, 0.6],
    ],
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
 * @typedef {object} PageTitle
 * @property {string} name of its picture
 * @property {string} address
 * @property {string} title
 * @property {string} line in the gallery
 */

/** Other pages, which show how the engine is used. @type {PageTitle[]} */
export const PAGES = [
  {
    name: 'page-worker',
    address: 'worker.html',
    title: 'A heap in a worker',
    line: 'Long steps, and a page that misses no frame',
  },
  {
    name: 'page-instancing',
    address: 'three/instancing.html',
    title: 'Instances of three.js',
    line: 'The scene of its own add-ons for physics',
  },
  {
    name: 'page-meshes',
    address: 'three/meshes.html',
    title: 'Meshes of three.js',
    line: 'Bodies of what a scene already has',
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

/** @param {string} name of a page in `docs/` @returns {string} address relative to the page */
export function docsAddress(name) {
  return `../docs/${encodeURIComponent(name)}.html`;
}

/** @param {string} name @returns {string} address relative to the page */
export function labAddress(name) {
  return `lab.html?lab=${encodeURIComponent(name)}`;
}
