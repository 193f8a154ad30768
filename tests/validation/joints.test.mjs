// Every type of constraint and every secondary against the mechanics of one or two bodies: signs,
// units, forces, limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cross,
  largest,
  length,
  makeScene,
  near,
  rotate,
  simulate,
  standardGravity,
  sub,
} from './simulate.mjs';

const g = standardGravity;
const h = 1 / 240;

/**
 * A scene of bodies and constraints; bodies are dynamic, 2 kg, with a moment of 0.5 kg m² about every axis,
 * unless said otherwise.
 */
function scene(bodies, constraints, options = {}) {
  const { gravity = [0, 0, -g], actions = [], timeStep = h } = options;
  return makeScene({
    world: { timeStep, gravity },
    bodies: bodies.map((body) => ({ mass: 2, inertia: [0.5, 0.5, 0.5], ...body })),
    constraints,
    actions,
  });
}

const weight = [0, 0, 0];

/** Runs and gives, by channel, the list of samples. */
async function run(description, time, record) {
  const result = await simulate(description, { time, record });
  return result.channels;
}

const last = (list) => list.at(-1);
const push = (body, what, duration = 100) => [{ at: 0, body, for: duration, ...what }];

// ---- ball -------------------------------------------------------------------------------------------------

test('a ball joint bears the weight of what hangs on it, each body its sign', async () => {
  const bodies = [
    { name: 'upper', position: [0, 0, -1] },
    { name: 'lower', position: [0, 0, -2], mass: 3 },
  ];
  const constraints = [
    { name: 'hook', type: 'ball', bodies: ['upper', null], anchor: [0, 0, 0] },
    { name: 'middle', type: 'ball', bodies: ['upper', 'lower'], anchor: [0, 0, -1.5] },
  ];
  const c = await run(scene(bodies, constraints), 0.5, [
    'constraint/hook/force',
    'constraint/middle/force',
    'constraint/middle/torque',
    'constraint/middle/dof/2',
    'constraint/hook/violation',
  ]);
  near(last(c['constraint/hook/force']), [0, 0, 5 * g], 1e-6, 'hook');
  near(last(c['constraint/middle/force']), [0, 0, -3 * g], 1e-6, 'middle, on the first body');
  near(last(c['constraint/middle/torque']), [0, 0, 0], 1e-9, 'a ball has no torque');
  near(last(c['constraint/middle/dof/2']), -3 * g, 1e-6, 'along n');
  near(last(c['constraint/hook/violation']), 1e-8 * 5 * g, 1e-10, 'compliance 1e-8 m/N');
});

test('the cone of a ball joint ends a swing at its half angle, the twist at its angle', async () => {
  const ball = (extra) => [{ name: 'j', type: 'ball', bodies: ['a', null], axis: [0, 0, 1], ...extra }];
  const torque = 0.25;
  for (const [direction, key] of [
    [[1, 0, 0], 'cone'],
    [[0.6, -0.8, 0], 'cone'],
    [[0, 0, 1], 'twist'],
    [[0, 0, -1], 'twist'],
  ]) {
    const limit = key === 'cone' ? { cone: { limit: 0.5 } } : { twist: { limits: [-0.3, 0.5] } };
    const c = await run(
      scene([{ name: 'a' }], ball(limit), {
        gravity: weight,
        actions: push('a', { torque: direction.map((x) => torque * x) }),
      }),
      4,
      ['body/a/rotation', 'constraint/j/rangeForce/0', 'constraint/j/rangeForce/1', 'body/a/angularVelocity'],
    );
    const q = last(c['body/a/rotation']);
    const angle = 2 * Math.atan2(length(q.slice(0, 3)), Math.abs(q[3]));
    const expected = key === 'twist' && direction[2] < 0 ? 0.3 : 0.5;
    near(angle, expected, 1e-4, `${key} ${direction}: angle`);
    near(length(last(c['body/a/angularVelocity'])), 0, 1e-4, `${key} at rest`);
    const pressed = c[`constraint/j/rangeForce/${key === 'cone' ? 0 : 1}`];
    near(last(pressed), direction[2] < 0 ? torque : -torque, 1e-3, `${key}: moment of the limit`);
    near(largest(c[`constraint/j/rangeForce/${key === 'cone' ? 1 : 0}`]), 0, 0, 'the other one is idle');
  }
});

// ---- hinge ------------------------------------------------------------------------------------------------

test('a hinge turns under a torque as its moment says, over many turns', async () => {
  const hinge = [{ name: 'j', type: 'hinge', bodies: ['a', null], axis: [0, 1, 0], anchor: [0, 0, 0] }];
  for (const sign of [1, -1]) {
    const c = await run(
      scene([{ name: 'a' }], hinge, { gravity: weight, actions: push('a', { torque: [0, sign, 0] }) }),
      10,
      ['constraint/j/angle', 'constraint/j/speed'],
    );
    const time = 10;
    near(last(c['constraint/j/speed']), sign * 2 * time, 1e-6, 'speed T t/I');
    near(last(c['constraint/j/angle']), sign * time ** 2, 1e-6, 'angle T t²/(2 I)');
  }
});

test('the angle is that of the first body against the second', async () => {
  const bodies = [
    { name: 'first' },
    { name: 'second', motion: 'kinematic', angularVelocity: [0, 0, 3], position: [1, 0, 0] },
  ];
  const constraints = [
    { name: 'held', type: 'lock', bodies: ['first', null] },
    { name: 'j', type: 'hinge', bodies: ['first', 'second'], anchor: [1, 0, 0] },
  ];
  const c = await run(scene(bodies, constraints, { gravity: weight }), 5, [
    'constraint/j/angle',
    'constraint/j/speed',
  ]);
  near(last(c['constraint/j/speed']), -3, 1e-9, 'speed');
  near(last(c['constraint/j/angle']), -15, 1e-6, 'angle');
});

test('a hinge bears a cantilever: force and torque at the anchor', async () => {
  const c = await run(
    scene(
      [{ name: 'a', position: [0.7, 0, 0] }],
      [{ name: 'j', type: 'hinge', bodies: ['a', null], axis: [1, 0, 0], anchor: [0, 0, 0] }],
    ),
    0.5,
    ['constraint/j/force', 'constraint/j/torque', 'constraint/j/angle', 'constraint/j/dof/5'],
  );
  near(last(c['constraint/j/force']), [0, 0, 2 * g], 1e-5, 'force');
  // about the anchor: the weight turns the body by r × (−m g), the hinge against it
  near(last(c['constraint/j/torque']), [0, -0.7 * 2 * g, 0], 1e-5, 'torque');
  near(last(c['constraint/j/dof/5']), 0, 0, 'free');
});

test('a motor drives towards its speed within its force, forwards and backwards unlike', async () => {
  const c = await run(
    scene(
      [{ name: 'a' }],
      [{ name: 'j', type: 'hinge', bodies: ['a', null], motor: { speed: 2, force: [-0.25, 0.5] } }],
      {
        gravity: weight,
        actions: [
          { at: 4, constraint: 'j', motor: { speed: -1 } },
          { at: 12, constraint: 'j', motor: { enabled: false } },
        ],
      },
    ),
    14,
    ['constraint/j/speed', 'constraint/j/motorForce', 'constraint/j/dof/5', 'constraint/j/torque'],
  );
  const at = (name, time) => c[`constraint/j/${name}`][Math.round(time / h)];
  near(at('speed', 1), 1, 1e-9, 'T t/I');
  near(at('motorForce', 1), 0.5, 1e-12, 'most');
  near(at('dof/5', 1), 0.5, 1e-12, 'of the free dof: its secondaries');
  near(at('torque', 1), [0, 0, 0.5], 1e-12, 'on the first body');
  near(at('speed', 3), 2, 1e-9, 'there');
  near(at('motorForce', 3), 0, 1e-9, 'nothing to do');
  near(at('motorForce', 5), -0.25, 1e-12, 'least');
  // a force that sets in after a step acts from the middle of that step on
  near(at('speed', 6), 1 - (0.25 / 0.5) * (h / 2), 1e-6, 'slower backwards');
  near(at('speed', 11.5), -1, 1e-9, 'there again');
  near(at('speed', 13.9), -1, 1e-9, 'off: it coasts');
});

test('a motor at speed 0 holds its place when it locks there, and lets a load that is too heavy slip', async () => {
  for (const lockAtZeroSpeed of [true, false]) {
    const c = await run(
      scene(
        [{ name: 'a' }],
        [
          {
            name: 'j',
            type: 'prismatic',
            bodies: ['a', null],
            axis: [0, 0, 1],
            motor: { speed: 0.5, force: 30, lockAtZeroSpeed },
          },
        ],
        {
          actions: [
            { at: 1, constraint: 'j', motor: { speed: 0 } },
            { at: 2, body: 'a', force: [0, 0, -8], for: 1 },
            { at: 4, body: 'a', force: [0, 0, -20], for: 1 },
          ],
        },
      ),
      5,
      ['constraint/j/position', 'constraint/j/motorForce'],
    );
    const at = (name, time) => c[`constraint/j/${name}`][Math.round(time / h)];
    // 30 N speed it up in 0.096 s
    const late = 0.25 / (30 / 2 - g) / 2;
    near(at('position', 1), 0.5 - late, 5e-3, 'lifted');
    near(at('position', 2) - at('position', 1.1), 0, 1e-6, 'stands');
    near(at('motorForce', 2), 2 * g, 1e-4, 'bears the weight');
    near(at('motorForce', 2.9), 2 * g + 8, 1e-4, 'and the push');
    near(at('position', 3.9) - at('position', 1.1), 0, 1e-6, 'where it was');
    near(at('motorForce', 4.5), 30, 1e-9, 'its most');
    const fall = at('position', 4.5) - at('position', 4);
    near(fall, -((2 * g + 20 - 30) / 2) * 0.125, 0.02, 'slips');
  }
});

// ---- lock and range of free dofs --------------------------------------------------------------------------

test('lockAt holds a position, a range its limits, with positive forces towards growing position', async () => {
  const slider = (extra) => [
    { name: 'j', type: 'prismatic', bodies: ['a', null], axis: [0, 0, 1], ...extra },
  ];
  const record = [
    'constraint/j/position',
    'constraint/j/lockForce',
    'constraint/j/rangeForce',
    'constraint/j/speed',
  ];
  let c = await run(scene([{ name: 'a' }], slider({ lockAt: { position: 0.25 } })), 1, record);
  near(last(c['constraint/j/position']), 0.25, 1e-6, 'locked at');
  near(last(c['constraint/j/lockForce']), 2 * g, 1e-4, 'lock bears the weight');

  c = await run(scene([{ name: 'a' }], slider({ lockAt: { position: 0, force: 10 } })), 1, record);
  near(last(c['constraint/j/speed']), -(2 * g - 10) / 2, 1e-6, 'a lock that is too weak');
  near(last(c['constraint/j/lockForce']), 10, 1e-12, 'gives what it has');

  c = await run(scene([{ name: 'a' }], slider({ range: { limits: [-0.3, 0.4] } })), 1, record);
  near(last(c['constraint/j/position']), -0.3, 1e-5, 'at the lower limit');
  near(last(c['constraint/j/rangeForce']), 2 * g, 1e-4, 'pushed up');
  near(Math.min(...c['constraint/j/position']), -0.3, 1e-4, 'never far beyond');

  const up = push('a', { force: [0, 0, 50] });
  c = await run(
    scene([{ name: 'a' }], slider({ range: { limits: [-0.3, 0.4] } }), { actions: up }),
    1,
    record,
  );
  near(last(c['constraint/j/position']), 0.4, 1e-5, 'at the upper limit');
  near(last(c['constraint/j/rangeForce']), 2 * g - 50, 1e-4, 'pushed down');

  c = await run(scene([{ name: 'a' }], slider({ range: { limits: [null, 0.4] } })), 1, record);
  near(last(c['constraint/j/speed']), -g, 1e-9, 'no lower limit');

  const changes = [{ at: 0.5, constraint: 'j', range: { limits: [-0.1, 0.2] } }];
  c = await run(
    scene([{ name: 'a' }], slider({ range: { limits: [-0.3, 0.4] } }), { actions: changes }),
    1.5,
    record,
  );
  near(last(c['constraint/j/position']), -0.1, 1e-4, 'a limit that moved takes it along');
});

test('limits of a hinge hold after several turns', async () => {
  const c = await run(
    scene(
      [{ name: 'a' }],
      [{ name: 'j', type: 'hinge', bodies: ['a', null], range: { limits: [-20, 15] } }],
      {
        gravity: weight,
        actions: [
          { at: 0, body: 'a', torque: [0, 0, 2], for: 5 },
          { at: 5, body: 'a', torque: [0, 0, -2], for: 10 },
        ],
      },
    ),
    14,
    ['constraint/j/angle', 'constraint/j/rangeForce'],
  );
  const at = (name, time) => c[`constraint/j/${name}`][Math.round(time / h)];
  near(at('angle', 4.9), 15, 1e-4, 'upper');
  near(at('rangeForce', 4.9), -2, 1e-4, 'pushes back');
  near(at('angle', 13.9), -20, 1e-4, 'lower');
  near(at('rangeForce', 13.9), 2, 1e-4, 'pushes on');
});

// ---- friction ---------------------------------------------------------------------------------------------

test('friction of a slide: coefficient times the load across it; of a hinge: times a radius, or a torque', async () => {
  // a slide along x under gravity
  let c = await run(
    scene(
      [{ name: 'a', velocity: [3, 0, 0] }],
      [
        {
          name: 'j',
          type: 'prismatic',
          bodies: ['a', null],
          axis: [1, 0, 0],
          friction: { coefficient: 0.2 },
        },
      ],
    ),
    3,
    ['constraint/j/speed', 'constraint/j/force', 'constraint/j/dof/2'],
  );
  near(c['constraint/j/speed'][240], 3 - 0.2 * g, 0.01, 'μ g');
  near(c['constraint/j/dof/2'][240], -0.2 * 2 * g, 1e-6, 'against the motion');
  near(last(c['constraint/j/speed']), 0, 1e-9, 'it stops');

  // a loaded hinge: N across the axis
  c = await run(
    scene(
      [{ name: 'a', angularVelocity: [0, 3, 0] }],
      [
        {
          name: 'j',
          type: 'hinge',
          bodies: ['a', null],
          axis: [0, 1, 0],
          friction: { coefficient: 0.3, radius: 0.1 },
        },
      ],
    ),
    2,
    ['constraint/j/speed'],
  );
  near(c['constraint/j/speed'][240], 3 - (0.3 * 0.1 * 2 * g) / 0.5, 0.01, 'μ r N/I');

  c = await run(
    scene(
      [{ name: 'a', angularVelocity: [0, 0, -3] }],
      [{ name: 'j', type: 'hinge', bodies: ['a', null], friction: { coefficient: 1, force: 0.4 } }],
      { gravity: weight },
    ),
    4.5,
    ['constraint/j/speed', 'constraint/j/torque'],
  );
  near(c['constraint/j/speed'][240], -3 + 0.4 / 0.5, 1e-9, 'T/I');
  near(c['constraint/j/torque'][240], [0, 0, 0.4], 1e-9, 'torque');
  near(last(c['constraint/j/speed']), 0, 1e-9, 'it stops');
});

// ---- prismatic, cylindrical, screw ------------------------------------------------------------------------

test('a slide falls along its slope, and bears the rest', async () => {
  const axis = [Math.cos(0.4), 0, -Math.sin(0.4)];
  const c = await run(
    scene(
      [{ name: 'a' }],
      [{ name: 'j', type: 'prismatic', bodies: ['a', null], axis, anchor: [0.3, 0, 0.1] }],
    ),
    1,
    ['constraint/j/position', 'constraint/j/speed', 'constraint/j/force', 'constraint/j/violation'],
  );
  const a = g * Math.sin(0.4);
  near(last(c['constraint/j/speed']), a, 1e-6, 'speed');
  near(last(c['constraint/j/position']), a / 2, 1e-6, 'position');
  const across = 2 * g * Math.cos(0.4);
  near(last(c['constraint/j/force']), [across * Math.sin(0.4), 0, across * Math.cos(0.4)], 1e-4, 'force');
  near(largest(c['constraint/j/violation']), 0, 1e-5, 'violation');
});

test('a cylindrical has a position and an angle, each with secondaries of its own', async () => {
  const c = await run(
    scene(
      [{ name: 'a' }],
      [
        {
          name: 'j',
          type: 'cylindrical',
          bodies: ['a', null],
          axis: [0, 0, 1],
          motor: [null, { speed: 7 }],
          range: [{ limits: [-0.5, null] }, null],
        },
      ],
    ),
    2,
    [
      'constraint/j/position',
      'constraint/j/angle',
      'constraint/j/speed/1',
      'constraint/j/rangeForce/0',
      'constraint/j/dof/2',
    ],
  );
  near(last(c['constraint/j/position']), -0.5, 1e-5, 'position');
  near(last(c['constraint/j/angle']), 14, 0.05, 'angle');
  near(last(c['constraint/j/speed/1']), 7, 1e-9, 'speed');
  near(last(c['constraint/j/rangeForce/0']), 2 * g, 1e-3, 'range');
  near(last(c['constraint/j/dof/2']), 2 * g, 1e-3, 'dof');
});

test('a screw falls as its lead says, as a type and as a secondary', async () => {
  const lead = 0.2;
  const a = (2 * g) / (2 + 0.5 / lead ** 2);
  for (const extra of [
    { type: 'screw', lead },
    { type: 'cylindrical', screw: { lead } },
  ]) {
    for (const sign of [1, -1]) {
      const signed = JSON.parse(JSON.stringify(extra).replace('0.2', String(sign * lead)));
      const c = await run(
        scene([{ name: 'a' }], [{ name: 'j', bodies: ['a', null], axis: [0, 0, 1], ...signed }]),
        3,
        [
          'constraint/j/position',
          'constraint/j/angle',
          'constraint/j/dof/2',
          'constraint/j/dof/5',
          'constraint/j/force',
          'constraint/j/torque',
        ],
      );
      near(last(c['constraint/j/position']), -(a / 2) * 9, 1e-4, 'position');
      near(last(c['constraint/j/angle']) * sign * lead, last(c['constraint/j/position']), 1e-6, 'angle');
      const force = 2 * (g - a);
      near(last(c['constraint/j/dof/2']), force, 1e-3, 'along');
      near(last(c['constraint/j/dof/5']), -sign * lead * force, 1e-3, 'about');
      near(last(c['constraint/j/force']), [0, 0, force], 1e-3, 'force');
      near(last(c['constraint/j/torque']), [0, 0, -sign * lead * force], 1e-3, 'torque');
    }
  }
});

// ---- lock, planar, angularLock ----------------------------------------------------------------------------

test('a lock bears a cantilever in all dofs; compliance of each dof is its own', async () => {
  const tip = [0.4, 0.3, 0];
  const c = await run(
    scene(
      [{ name: 'a', position: tip }],
      [
        {
          name: 'j',
          type: 'lock',
          bodies: ['a', null],
          anchor: [0, 0, 0],
          compliance: [1e-8, 1e-8, 1e-5, 1e-4, 1e-9, 1e-9],
          damping: [null, null, 0.1, 0.1, null, null],
        },
      ],
    ),
    3,
    [
      'constraint/j/force',
      'constraint/j/torque',
      'constraint/j/dof/3',
      'constraint/j/dof/4',
      'body/a/position',
      'body/a/rotation',
    ],
  );
  const load = [0, 0, 2 * g];
  near(last(c['constraint/j/force']), load, 1e-3, 'force');
  const moment = cross(tip, load); // of the joint, about the anchor, against that of the weight
  near(last(c['constraint/j/torque']), moment, 2e-2, 'torque');
  near(last(c['constraint/j/dof/3']), moment[0], 2e-2, 'about u');
  near(last(c['constraint/j/dof/4']), moment[1], 2e-2, 'about v');
  // turned by ε T about x, −ε against the joint's torque; sunk by ε F at the anchor
  const turned = 2 * last(c['body/a/rotation'])[0];
  near(turned, -1e-4 * moment[0], 1e-6, 'turn');
  const sunk = sub(last(c['body/a/position']), rotate(last(c['body/a/rotation']), tip));
  near(sunk[2], -1e-5 * 2 * g, 1e-7, 'sinking');
});

test('planar holds a height and an upright, and nothing else', async () => {
  const c = await run(
    scene(
      [{ name: 'a', velocity: [1, 2, 0], angularVelocity: [0, 0, 4] }],
      [{ name: 'j', type: 'planar', bodies: ['a', null], anchor: [0.2, 0, -1] }],
      { actions: push('a', { torque: [3, 0, 0] }) },
    ),
    2,
    [
      'body/a/position',
      'body/a/velocity',
      'body/a/angularVelocity',
      'constraint/j/force',
      'constraint/j/dof/2',
      'constraint/j/violation',
    ],
  );
  near(last(c['body/a/velocity']), [1, 2, 0], 1e-4, 'velocity');
  near(last(c['body/a/position']), [2, 4, 0], 1e-4, 'position');
  near(last(c['body/a/angularVelocity']), [0, 0, 4], 1e-4, 'turns on');
  near(last(c['constraint/j/force']), [0, 0, 2 * g], 1e-3, 'weight');
  near(last(c['constraint/j/dof/2']), 2 * g, 1e-3, 'along n');
  near(largest(c['constraint/j/violation']), 0, 1e-5, 'violation');
});

test('angularLock lets fall and does not let turn', async () => {
  const c = await run(
    scene([{ name: 'a' }], [{ name: 'j', type: 'angularLock', bodies: ['a', null] }], {
      actions: push('a', { force: [1, 0, 0], point: [0, 0, 0.5], torque: [0, 0, 2] }),
    }),
    1,
    ['body/a/velocity', 'body/a/rotation', 'constraint/j/torque', 'constraint/j/force'],
  );
  near(last(c['body/a/velocity']), [0.5, 0, -g], 1e-6, 'free');
  near(last(c['body/a/rotation']), [0, 0, 0, 1], 1e-6, 'not turned');
  near(last(c['constraint/j/torque']), [0, -0.5, -2], 1e-3, 'torque');
  near(last(c['constraint/j/force']), [0, 0, 0], 0, 'force');
});

// ---- universal --------------------------------------------------------------------------------------------

test('a universal joint turns its output as Hooke says: tan out = tan in · cos β', async () => {
  const beta = 0.5;
  const output = [Math.cos(beta), Math.sin(beta), 0];
  const bodies = [
    { name: 'in', position: [-1, 0, 0] },
    { name: 'out', position: output },
  ];
  // at rest the arm in `in` stands across both shafts, that in `out` in their plane
  const constraints = [
    { name: 'drive', type: 'hinge', bodies: ['in', null], axis: [1, 0, 0], motor: { speed: 1 } },
    { name: 'driven', type: 'hinge', bodies: ['out', null], axis: output },
    {
      name: 'cross',
      type: 'universal',
      bodies: ['in', 'out'],
      anchor: [0, 0, 0],
      axis: [0, 0, 1],
      reference: [-Math.sin(beta), Math.cos(beta), 0],
    },
  ];
  const c = await run(scene(bodies, constraints, { gravity: weight }), 8, [
    'constraint/drive/angle',
    'constraint/driven/angle',
    'constraint/cross/violation',
    'constraint/cross/angle/0',
    'constraint/cross/angle/1',
  ]);
  const errors = c['constraint/drive/angle'].map((turn, k) => {
    // arm in `in`: z turned by `turn` about x. Arm in `out`: orthogonal to it and to the output shaft.
    const arm = [0, -Math.sin(turn), Math.cos(turn)];
    const other = cross(arm, output);
    const start = [-Math.sin(beta), Math.cos(beta), 0];
    const side = cross(output, start);
    const angle = Math.atan2(
      other[0] * side[0] + other[1] * side[1] + other[2] * side[2],
      other[0] * start[0] + other[1] * start[1] + other[2] * start[2],
    );
    const difference = angle - c['constraint/driven/angle'][k];
    return Math.abs(Math.sin(difference));
  });
  near(Math.max(...errors), 0, 1e-5, 'Hooke');
  near(largest(c['constraint/cross/violation']), 0, 1e-5, 'violation');
  // from one side of the cross to the other
  near(Math.max(...c['constraint/cross/angle/0']), 2 * beta, 1e-3, 'angle 0 swings by twice the bend');
  near(Math.min(...c['constraint/cross/angle/0']), 0, 1e-6, 'and back');
});

test('angles of a universal: the first about the axis against the cross, the second the cross about the reference', async () => {
  const universal = (extra) => [
    { name: 'j', type: 'universal', bodies: ['a', null], axis: [0, 0, 1], reference: [1, 0, 0], ...extra },
  ];
  const record = ['constraint/j/angle/0', 'constraint/j/angle/1', 'body/a/rotation'];
  let c = await run(
    scene([{ name: 'a' }], universal({ lockAt: [{ position: 0.6 }, { position: 0 }] })),
    1,
    record,
  );
  near(last(c['constraint/j/angle/0']), 0.6, 1e-6, 'angle 0');
  near(last(c['body/a/rotation']), [0, 0, Math.sin(0.3), Math.cos(0.3)], 1e-6, 'about the axis');
  c = await run(
    scene([{ name: 'a' }], universal({ lockAt: [{ position: 0 }, { position: 0.6 }] })),
    1,
    record,
  );
  near(last(c['constraint/j/angle/1']), 0.6, 1e-6, 'angle 1');
  near(last(c['body/a/rotation']), [Math.sin(0.3), 0, 0, Math.cos(0.3)], 1e-6, 'about the reference');
  c = await run(
    scene([{ name: 'a' }], universal({ motor: [{ speed: 2 }, { speed: 0 }] }), { gravity: weight }),
    5,
    record,
  );
  near(last(c['constraint/j/angle/0']), 10, 1e-6, 'over turns');
});

// ---- distance and spring ----------------------------------------------------------------------------------

test('a distance holds as a rod; pulling is negative', async () => {
  const c = await run(
    scene(
      [{ name: 'a', position: [0, 0, -1] }],
      [
        {
          name: 'j',
          type: 'distance',
          bodies: ['a', null],
          anchors: [
            [0, 0, -0.9],
            [0, 0, 0.1],
          ],
        },
      ],
    ),
    0.5,
    ['constraint/j/position', 'constraint/j/dof/0', 'constraint/j/force', 'constraint/j/violation'],
  );
  near(last(c['constraint/j/position']), 1, 1e-6, 'length');
  near(last(c['constraint/j/dof/0']), -2 * g, 1e-5, 'pulls');
  near(last(c['constraint/j/force']), [0, 0, 2 * g], 1e-5, 'force');
});

test('a winch, a rope and a prop: motor, range and lock of a distance', async () => {
  const hang = (extra) =>
    scene(
      [{ name: 'a', position: [0, 0, -1] }],
      [
        {
          name: 'j',
          type: 'distance',
          bodies: ['a', null],
          anchors: [
            [0, 0, -1],
            [0, 0, 0],
          ],
          ...extra,
        },
      ],
    );
  const record = [
    'constraint/j/position',
    'constraint/j/motorForce',
    'constraint/j/rangeForce',
    'constraint/j/lockForce',
    'body/a/position',
    'constraint/j/violation',
  ];
  let c = await run(hang({ motor: { speed: -0.2 } }), 2, record);
  near(last(c['constraint/j/position']), 0.6, 1e-3, 'wound up');
  near(last(c['constraint/j/motorForce']), -2 * g, 1e-3, 'pulls');
  near(largest(c['constraint/j/violation']), 0, 0, 'a moved distance is not violated');
  c = await run(hang({ range: { limits: [null, 1.5] } }), 2, record);
  near(last(c['body/a/position']), [0, 0, -1.5], 1e-5, 'rope');
  near(last(c['constraint/j/rangeForce']), -2 * g, 1e-3, 'taut');
  near(c['constraint/j/rangeForce'][30], 0, 0, 'slack');
  c = await run(hang({ lockAt: { position: 0.8 } }), 2, record);
  near(last(c['body/a/position']), [0, 0, -0.8], 1e-5, 'locked');
  near(last(c['constraint/j/lockForce']), -2 * g, 1e-3, 'lock');
});

test('a spring swings with √(k/m), its damper decays it by c/2m, and a damper alone slows a fall to m g/c', async () => {
  const spring = (extra, options) =>
    scene(
      [{ name: 'a', position: [0, 0, -1] }],
      [
        {
          name: 'j',
          type: 'spring',
          bodies: ['a', null],
          anchors: [
            [0, 0, -1],
            [0, 0, 0],
          ],
          ...extra,
        },
      ],
      options,
    );
  const record = ['constraint/j/position', 'constraint/j/dof/0', 'body/a/velocity'];
  // 200 N/m on 2 kg: 10 rad/s, about 1 + m g/k
  let c = await run(spring({ stiffness: 200, length: 1 }, { timeStep: 1 / 1000 }), Math.PI / 5, record);
  const middle = 1 + (2 * g) / 200;
  near(Math.max(...c['constraint/j/position']), middle + (2 * g) / 200, 1e-4, 'half a period on');
  near(last(c['constraint/j/position']), 1, 1e-4, 'a period on');
  c = await run(spring({ stiffness: 200, damping: 4, length: 1 }, { timeStep: 1 / 1000 }), 2, record);
  const w = Math.sqrt(100 - 1);
  for (const t of [0.3, 0.7, 1.5]) {
    const decayed = ((2 * g) / 200) * Math.exp(-t) * (Math.cos(w * t) + Math.sin(w * t) / w);
    near(c['constraint/j/position'][Math.round(t * 1000)], middle - decayed, 3e-4, `damped at ${t} s`);
  }
  near(
    last(c['constraint/j/dof/0']),
    -2 * g * (1 - Math.exp(-2) * (Math.cos(2 * w) - Math.sin(2 * w) / w)),
    0.3,
    'pulls',
  );
  c = await run(spring({ stiffness: 0, damping: 10 }), 4, record);
  near(last(c['body/a/velocity']), [0, 0, (-2 * g) / 10], 1e-6, 'damper');
  near(last(c['constraint/j/dof/0']), -2 * g, 1e-6, 'its force');
  c = await run(spring({ stiffness: 200, length: 0.5, damping: 40 }), 5, record);
  near(last(c['constraint/j/position']), 0.5 + (2 * g) / 200, 1e-6, 'about its own length');
});

// ---- gear, rack -------------------------------------------------------------------------------------------

test('gears turn at their ratio and add their moments by its square', async () => {
  const bodies = [
    { name: 'a', position: [0, 0, 0] },
    { name: 'b', position: [1, 0, 0], inertia: [0.2, 0.2, 0.2] },
  ];
  for (const ratio of [-2.5, 0.5]) {
    const constraints = [
      { name: 'A', type: 'hinge', bodies: ['a', null] },
      { name: 'B', type: 'hinge', bodies: ['b', null] },
      { name: 'j', type: 'gear', constraints: ['A', 'B'], ratio },
    ];
    const c = await run(
      scene(bodies, constraints, { gravity: weight, actions: push('b', { torque: [0, 0, 0.6] }) }),
      10,
      [
        'constraint/A/angle',
        'constraint/B/angle',
        'constraint/B/speed',
        'constraint/j/torque',
        'constraint/j/violation',
      ],
    );
    const acceleration = 0.6 / (0.2 + 0.5 * ratio ** 2);
    near(last(c['constraint/B/speed']), 10 * acceleration, 1e-5, 'acceleration');
    near(last(c['constraint/A/angle']), ratio * last(c['constraint/B/angle']), 1e-5, 'ratio');
    near(last(c['constraint/j/torque']), [0, 0, 0.5 * ratio * acceleration], 1e-4, 'torque on A');
    assert.ok(Math.abs(last(c['constraint/A/angle'])) > 20, 'over turns');
  }
});

test('a rack follows its pinion', async () => {
  const bodies = [
    { name: 'pinion', position: [0, 0.3, 0] },
    { name: 'rack', position: [0, 0, 0] },
  ];
  for (const radius of [0.3, -0.3]) {
    const constraints = [
      { name: 'P', type: 'hinge', bodies: ['pinion', null] },
      { name: 'R', type: 'prismatic', bodies: ['rack', null], axis: [1, 0, 0] },
      { name: 'j', type: 'rackPinion', constraints: ['P', 'R'], radius },
    ];
    const c = await run(
      scene(bodies, constraints, { gravity: weight, actions: push('rack', { force: [1.5, 0, 0] }) }),
      6,
      ['constraint/P/angle', 'constraint/R/position', 'constraint/R/speed', 'body/rack/position'],
    );
    const acceleration = 1.5 / (2 + 0.5 / 0.3 ** 2);
    near(last(c['constraint/R/speed']), 6 * acceleration, 1e-5, 'acceleration');
    near(
      last(c['constraint/R/position']),
      radius * last(c['constraint/P/angle']),
      1e-6,
      'position = radius · angle',
    );
    near(last(c['body/rack/position'])[0], last(c['constraint/R/position']), 1e-9, 'moves along');
  }
});

// ---- force ranges, breaking, switching --------------------------------------------------------------------

test('a force range lets a joint give way', async () => {
  const c = await run(
    scene([{ name: 'a' }], [{ name: 'j', type: 'ball', bodies: ['a', null], forceRange: [-15, 15] }]),
    1,
    ['body/a/velocity', 'constraint/j/force'],
  );
  near(last(c['body/a/velocity']), [0, 0, -g + 7.5], 1e-6, 'falls');
  near(last(c['constraint/j/force']), [0, 0, 15], 1e-9, 'force');
});

test('a constraint breaks above its force or torque, at the end of that step', async () => {
  const arm = (extra) => [{ name: 'j', type: 'lock', bodies: ['a', null], anchor: [0, 0, 0], ...extra }];
  const pull = [
    { at: 0, body: 'a', force: [10, 0, 0], for: 0.5 },
    { at: 0.5, body: 'a', force: [40, 0, 0], for: 10 },
  ];
  const record = ['body/a/velocity', 'constraint/j/force', 'constraint/j/torque'];
  for (const [extra, expected] of [
    [{ breakForce: 25 }, true],
    [{ breakForce: 60 }, false],
    [{ breakTorque: 15 }, true],
    [{ breakTorque: 25 }, false],
  ]) {
    // pulled at 0.5 m from the anchor, across: 20 N m at most
    const c = await run(
      scene([{ name: 'a', position: [0, 0.5, 0] }], arm(extra), { gravity: weight, actions: pull }),
      1,
      record,
    );
    near(c['body/a/velocity'][120], [0, 0, 0], 1e-3, 'holds 10 N');
    // the step that begins at 0.5 s still holds
    const moved = expected ? 20 * (0.5 - h) : 0;
    near(last(c['body/a/velocity']), [moved, 0, 0], 1e-2, JSON.stringify(extra));
    if (expected) near(last(c['constraint/j/force']), [0, 0, 0], 0, 'no force any more');
  }
});

test('a constraint can be switched off and on by actions', async () => {
  const c = await run(
    scene([{ name: 'a' }], [{ name: 'j', type: 'hinge', bodies: ['a', null], axis: [0, 0, 1] }], {
      actions: [
        { at: 0.5, constraint: 'j', enabled: false },
        { at: 1, body: 'a', position: [0, 0, 0], velocity: [0, 0, 0] },
        { at: 1, constraint: 'j', enabled: true },
      ],
    }),
    1.5,
    ['body/a/velocity', 'body/a/position', 'constraint/j/force'],
  );
  near(c['body/a/velocity'][240], [0, 0, -g / 2], 1e-6, 'fell');
  near(last(c['body/a/position']), [0, 0, 0], 1e-6, 'held again');
  near(last(c['constraint/j/force']), [0, 0, 2 * g], 1e-3, 'bears again');
});

test('a motor between two free bodies keeps their angular momentum', async () => {
  const bodies = [
    { name: 'a', position: [0, 0, 0] },
    { name: 'b', position: [0.4, 0, 0], inertia: [0.3, 0.2, 0.4] },
  ];
  const constraints = [
    {
      name: 'j',
      type: 'hinge',
      bodies: ['a', 'b'],
      anchor: [0.2, 0, 0],
      axis: [0.2, 0.5, 1],
      motor: { speed: 3, force: 1 },
    },
  ];
  const c = await run(scene(bodies, constraints, { gravity: weight }), 10, [
    'world/angularMomentum',
    'world/momentum',
    'constraint/j/speed',
    'constraint/j/violation',
  ]);
  near(largest(c['world/angularMomentum'].map(length)), 0, 1e-7, 'angular momentum');
  near(largest(c['world/momentum'].map(length)), 0, 1e-9, 'momentum');
  near(last(c['constraint/j/speed']), 3, 1e-3, 'speed');
  near(largest(c['constraint/j/violation']), 0, 1e-5, 'violation');
});
