// Friction models in every direction, by every solver: what bounds the force, and that it is against the
// sliding.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { box, length, makeScene, scale, simulate, standardGravity, sub } from './simulate.mjs';

const g = standardGravity;
const h = 1 / 60;
const mass = 2;
const coefficient = 0.4;
const solvers = ['auto', 'direct', 'split', 'iterative'];
const azimuths = Array.from({ length: 72 }, (_, i) => (2 * Math.PI * i) / 72);

/** Along (cos a, sin a), exactly 0 where that is meant. */
const along = (angle) => [Math.cos(angle), Math.sin(angle), 0].map((x) => (Math.abs(x) < 1e-12 ? 0 : x));

/** The ground moves below a flat block, so that it slides however friction has sped it up. */
function belt(velocity, properties, solver, block = {}) {
  return makeScene({
    materials: [{ name: 'm' }],
    contactMaterials: [
      { materials: ['m', 'm'], restitution: 0, friction: coefficient, surfaceViscosity: 0, ...properties },
    ],
    world: { solver: { default: solver } },
    geometries: [
      {
        shape: { type: 'box', halfExtents: [50, 50, 1] },
        position: [0, 0, -1],
        material: 'm',
        surfaceVelocity: velocity,
      },
    ],
    bodies: [{ name: 'b', mass, position: [0, 0, 0.01], geometries: [box([0.5, 0.5, 0.01])], ...block }],
  });
}

/** Acceleration of the block over a tenth of a second, m/s², once it presses. */
async function acceleration(scene) {
  const run = await simulate(scene, { time: 0.2, record: ['body/b/velocity'] });
  const v = run.of('body/b/velocity');
  return scale(1 / (6 * h), sub(v[12], v[6]));
}

const sign = (x) => (x === 0 ? 0 : Math.sign(x));
const models = {
  cone: { model: { type: 'cone' }, of: (d) => scale(coefficient * g, d) },
  'exact cone': { model: { type: 'cone', exactCone: true }, of: (d) => scale(coefficient * g, d) },
  scaledBox: { model: { type: 'scaledBox' }, isBox: true },
  scaledBoxFast: { model: { type: 'scaledBoxFast' }, isBox: true },
  box: { model: { type: 'box' }, isBox: true },
  'box with a force': { model: { type: 'box', force: coefficient * mass * g }, isBox: true },
  boxProportionalLow: { model: { type: 'boxProportionalLow', acceleration: coefficient * g }, isBox: true },
  boxProportionalHigh: { model: { type: 'boxProportionalHigh', acceleration: coefficient * g }, isBox: true },
  constantNormalForce: { model: { type: 'constantNormalForce', normalForce: mass * g }, isBox: true },
  none: { model: { type: 'none' }, of: () => [0, 0, 0] },
};

for (const [name, { model, of, isBox }] of Object.entries(models)) {
  test(`${name}: 72 directions by each solver, within 0.5 %`, async () => {
    const wanted = of ?? ((d) => [coefficient * g * sign(d[0]), coefficient * g * sign(d[1]), 0]);
    let most = 0;
    for (const solver of solvers) {
      for (const azimuth of azimuths) {
        const d = along(azimuth);
        const found = await acceleration(belt(scale(100, d), { frictionModel: model }, solver));
        const off = length(sub(found, wanted(d))) / (coefficient * g);
        assert.ok(off < 0.005, `${solver}, ${azimuth} rad: ${found}, not ${wanted(d)} m/s²`);
        most = Math.max(most, length(found) / (coefficient * g));
      }
    }
    // what a box has too much of, where two of its sides act: √2, at 45° as everywhere else
    assert.ok(Math.abs(most - (isBox ? Math.SQRT2 : Math.min(1, most))) < 0.005, `at most ${most} μ N`);
  });
}

/** −N (μ₁² v₁, μ₂² v₂)/|(μ₁ v₁, μ₂ v₂)| of a mass of 1 kg, for the slip −(cos a, sin a), m/s². */
function elliptic([first, second], angle) {
  const [c, s] = along(angle);
  const size = Math.hypot(first * c, second * s);
  return [(g * first * first * c) / size, (g * second * second * s) / size, 0];
}

const rotate = (angle, [x, y]) => [
  Math.cos(angle) * x - Math.sin(angle) * y,
  Math.sin(angle) * x + Math.cos(angle) * y,
  0,
];

test('elliptic cones of three ratios, oriented by the world and by a body, slide by maximum dissipation', async () => {
  for (const friction of [
    [0.6, 0.3],
    [0.1, 0.5],
    [0.4, 0.05],
  ]) {
    for (const solver of solvers) {
      for (const azimuth of azimuths.filter((_, i) => i % 5 === 0)) {
        for (const turn of [0, 0.5]) {
          // by the world's direction, or by a body's that has turned as far
          const half = [0, 0, Math.sin(turn / 2), Math.cos(turn / 2)];
          for (const frame of [undefined, 'b']) {
            const primary = frame ? [1, 0, 0] : [Math.cos(turn), Math.sin(turn), 0];
            const model = { type: 'cone', primary, ...(frame && { frame }) };
            const scene = belt(scale(1e4, along(azimuth)), { friction, frictionModel: model }, solver, {
              rotation: half,
            });
            const found = await acceleration(scene);
            const wanted = rotate(turn, elliptic(friction, azimuth - turn));
            const off = length(sub(found, wanted)) / length(wanted);
            assert.ok(
              off < 0.005,
              `${friction}, ${solver}, ${azimuth} rad, turned by ${turn}, ${frame}: ${found}, not ${wanted}`,
            );
          }
        }
      }
    }
  }
});

test('a box has its own coefficient along each side, turned with its frame', async () => {
  for (const solver of solvers) {
    const friction = [0.5, 0.2];
    const turn = 0.4;
    const primary = [Math.cos(turn), Math.sin(turn), 0];
    for (const azimuth of [0.7, 2.1, 3.9, 5.2]) {
      const scene = belt(
        scale(100, along(azimuth)),
        { friction, frictionModel: { type: 'scaledBox', primary } },
        solver,
      );
      const [c, s] = along(azimuth - turn);
      const wanted = rotate(turn, [friction[0] * g * Math.sign(c), friction[1] * g * Math.sign(s)]);
      const found = await acceleration(scene);
      assert.ok(
        length(sub(found, wanted)) < 0.005 * length(wanted),
        `${solver}: ${found}, not ${wanted} m/s²`,
      );
    }
  }
});

test('friction of what slides at 1 mm/s to 10 m/s is against it within 0.01 rad, by each solver', async () => {
  for (const solver of solvers) {
    for (const speed of [1e-3, 1e-2, 0.1, 1, 10]) {
      for (const azimuth of azimuths.filter((_, i) => i % 6 === 1)) {
        // held over the belt, so that it slides at this speed for ever
        const scene = belt(scale(speed, along(azimuth)), {}, solver);
        scene.constraints = [{ name: 'hold', type: 'lock', bodies: ['b', null] }];
        scene.constraints[0].type = 'prismatic';
        scene.constraints[0].axis = [0, 0, 1];
        const run = await simulate(scene, { time: 1, record: ['contact/b/*/tangentialForce'] });
        const force = run.of('contact/b/*/tangentialForce')[60];
        const off = length(sub(scale(1 / length(force), force), along(azimuth)));
        const size = length(force) / (coefficient * mass * g);
        assert.ok(off < 0.01, `${solver}, ${speed} m/s, ${azimuth} rad: ${off} rad off`);
        assert.ok(Math.abs(size - 1) < 0.005, `${solver}, ${speed} m/s: friction is ${size} of μ N`);
      }
    }
  }
});

test('friction that is greater at rest holds up to it, then slides at its own', async () => {
  for (const solver of solvers) {
    for (const [share, moves] of [
      [1.45, false],
      [1.55, true],
    ]) {
      const angle = share * coefficient;
      const scene = belt([0, 0, 0], { staticFrictionScale: 1.5 }, solver);
      scene.world.gravity = [g * angle, 0, -g];
      const run = await simulate(scene, { time: 1, record: ['body/b/velocity'] });
      const v = run.of('body/b/velocity').map((x) => x[0]);
      if (moves) {
        const rate = (v[60] - v[30]) / 0.5;
        const wanted = g * (angle - coefficient);
        assert.ok(Math.abs(rate / wanted - 1) < 0.005, `${solver}: ${rate}, not ${wanted} m/s²`);
      } else {
        assert.ok(Math.abs(v[60]) < 1e-6, `${solver}: creeps at ${v[60]} m/s`);
      }
    }
  }
});

test('slide drives a body to the speed that is wanted beside the other', async () => {
  for (const solver of solvers) {
    const scene = belt(
      [0, 0, 0],
      { slide: [0.3, -0.2], frictionModel: { type: 'cone', primary: [1, 0, 0] } },
      solver,
    );
    scene.materials = [{ name: 'm' }, { name: 'n' }];
    scene.contactMaterials[0].materials = ['n', 'm'];
    scene.bodies[0].geometries[0].material = 'n';
    const run = await simulate(scene, { time: 1, record: ['body/b/velocity'] });
    const v = run.of('body/b/velocity')[60];
    const up = Math.hypot(v[0] - 0.3, Math.abs(v[1]) - 0.2);
    assert.ok(up < 1e-3, `${solver}: ${v} m/s`);
  }
});
