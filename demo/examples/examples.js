// The examples in their order: what each shows, the law that its test holds, where it is seen from.

/**
 * @typedef {object} Example
 * @property {string} name of its file and its page
 * @property {string} title
 * @property {string} text
 * @property {string} law what tests/node/examples.test.mjs measures
 * @property {{ from: number[], at?: number[], up?: number[] }} view m
 */

/** @type {Example[]} */
export const examples = [
  {
    name: 'falling-box',
    title: 'Falling box',
    text: 'Ground, a box, gravity: the smallest world.',
    law: 'in flight z = z₀ − g t²/2 to 1e-9 m; at rest the box stands on the ground within 0.1 mm.',
    view: { from: [7, -10, 4], at: [0, 0, 2] },
  },
  {
    name: 'y-up',
    title: 'A world with y up',
    text: 'Gravity and ground say which way is up; cylinders stand along y as in three.js.',
    law:
      'the barrel stands at half its height, upright within 1e-6; the ball rolls without slipping at ' +
      '5/7 of its speed.',
    view: { from: [4, 3, 6], at: [0, 0.5, 0], up: [0, 1, 0] },
  },
  {
    name: 'door',
    title: 'Door',
    text: 'A hinge with limits, friction and a closer.',
    law:
      'pushed, the door opens up to its stop and never beyond by more than 1e-3 rad, the closer shuts ' +
      'it, and the hinge never opens by more than 10 µm.',
    view: { from: [-3, -4, 2.6], at: [0.3, 0.3, 1] },
  },
  {
    name: 'vehicle',
    title: 'Vehicle of hinges and springs',
    text: 'Wheels on hinged arms, with springs, dampers and motors: a car of plain joints.',
    law:
      'at rest the ground bears the weight of all parts to 1e-4; driving it reaches 8 m/s within 1 % ' +
      'and stays upright.',
    view: { from: [-7, -9, 4], at: [2, 0, 0.5] },
  },
  {
    name: 'character',
    title: 'Kinematic character',
    text: 'A capsule that casts its own shape before it moves.',
    law: 'it never enters the wall, slides along it, and climbs the ramp to its height.',
    view: { from: [-8, 7, 9], at: [1, 0.5, 2], up: [0, 1, 0] },
  },
  {
    name: 'rewind',
    title: 'Save and rewind',
    text: 'States as bytes, and a ring of the last steps to go back to.',
    law:
      'after going back 60 steps and running them again the state hash is the same; a restored state ' +
      'has the hash of the saved one.',
    view: { from: [6, -10, 5], at: [0, 0, 1] },
  },
  {
    name: 'impact-sounds',
    title: 'Sounds from impacts',
    text: 'Speed and impulse of every impact, as loud as it is.',
    law:
      'the first impact of each ball has the impulse (1 + e) m √(2 g h) to 1e-6, and the speed √(2 g h) ' +
      'to what gravity adds in a step.',
    view: { from: [3, -7, 3], at: [0, 0, 1] },
  },
  {
    name: 'sensors',
    title: 'Sensors',
    text: 'A gate that counts what passes.',
    law: 'each ball is counted once in and once out, and moves as without the gate, to the bit.',
    view: { from: [5, -8, 3], at: [0, 0, 1] },
  },
  {
    name: 'scale',
    title: 'Weighing scale',
    text: 'A contact reader tells what the plate bears.',
    law: 'at rest it shows the mass of what lies on it to 1e-6.',
    view: { from: [2.4, -3.4, 1.8], at: [0, 0, 0.2] },
  },
  {
    name: 'spring-lab',
    title: 'Spring lab',
    text: 'Masses on springs, with periods to measure.',
    law:
      'periods are 2π √(m/k) within 1e-4, amplitudes do not matter, the damped one comes to rest ' +
      'where k x = m g.',
    view: { from: [2, -8, 2.4], at: [0.4, 0, 1.6] },
  },
  {
    name: 'friction-lab',
    title: 'Friction lab',
    text: 'Four blocks on a slope of 30°.',
    law:
      'accelerations are g (sin θ − μ cos θ) within 0.5 %; at μ = 0.6 the block does not move by 0.1 ' +
      'mm.',
    view: { from: [3, -11, 4], at: [0, 0, 0.3] },
  },
  {
    name: 'mesh',
    title: 'Mesh from GLB',
    text: 'Reads a file, makes a body of its triangles.',
    law:
      'the mass is the density times the volume inside the mesh, and the knots come to rest on the ' +
      'ground.',
    view: { from: [4, -6, 3], at: [0, 0, 0.7] },
  },
  {
    name: 'removal',
    title: 'Removal in events',
    text: 'Bodies destroyed by what touches them.',
    law: 'every coin is taken exactly once, and the ball moves as without them, to the bit.',
    view: { from: [4, -10, 4], at: [1, 0, 0.3] },
  },
  {
    name: 'resting',
    title: '2,000 resting bodies',
    text: 'Made in one call, asleep after a second.',
    law: 'all fall asleep, none has moved by 2 mm, and only the stack that is poked wakes up.',
    view: { from: [16, -26, 13], at: [0, -1, 0] },
  },
  {
    name: 'mouse-pull',
    title: 'Mouse pull',
    text: 'Press and drag: a spring of limited force pulls the body to the pointer.',
    law:
      'the point that was pressed hangs m g/k below the pointer; what weighs more than the force stays ' +
      'on the ground.',
    view: { from: [0, -9, 1.6], at: [0, 0, 1.4] },
  },
  {
    name: 'slow-motion',
    title: 'Slow motion and replay',
    text: 'Time at any speed, and a recording that plays back to the bit.',
    law: 'a second at ¼ × does 15 of 60 steps, and a replay finds no difference.',
    view: { from: [6, -12, 5], at: [1, 0, 2.5] },
  },
];
