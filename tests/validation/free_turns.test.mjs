// Free bodies with two equal moments against the closed solution: the axis goes round L at |L|/I across,
// exactly, in any step.

import { test } from 'node:test';
import { add, cross, dot, length, makeScene, near, rotate, scale, simulate, sub } from './simulate.mjs';

const [radius, height, density] = [0.3, 0.2, 1000];
const mass = density * Math.PI * radius ** 2 * height;
const own = (mass * radius ** 2) / 2;
const across = (mass * (3 * radius ** 2 + height ** 2)) / 12;

/** v turned about a unit axis, by Rodrigues. */
function turned(v, axis, angle) {
  const along = scale(dot(axis, v), axis);
  const side = sub(v, along);
  return add(along, add(scale(Math.cos(angle), side), scale(Math.sin(angle), cross(axis, side))));
}

for (const spin of [
  [0, 0.001, 0.0005],
  [0, 1, 2],
  [3, 20, -35],
]) {
  test(`a disc that turns with ${length(spin).toPrecision(2)} rad/s precesses exactly at 1/60 s`, async () => {
    const scene = makeScene({
      world: { timeStep: 1 / 60, gravity: [0, 0, 0] },
      bodies: [
        {
          name: 'disc',
          angularVelocity: spin,
          geometries: [{ shapes: [{ shape: { type: 'cylinder', radius, height } }], material: 'm' }],
        },
      ],
      materials: [{ name: 'm', density }],
    });
    const run = await simulate(scene, {
      time: 10,
      record: ['body/disc/rotation', 'body/disc/angularVelocity'],
    });
    // the cylinder's axis is y
    const momentum = [across * spin[0], own * spin[1], across * spin[2]];
    const size = length(momentum);
    run.time.forEach((t, k) => {
      const angle = (size / across) * t;
      const axis = turned([0, 1, 0], scale(1 / size, momentum), angle);
      const found = rotate(run.of('body/disc/rotation')[k], [0, 1, 0]);
      near(length(sub(found, axis)), 0, 1e-11 * (1 + angle), `axis after ${t} s`);
      const velocity = turned(spin, scale(1 / size, momentum), angle);
      const difference = sub(run.of('body/disc/angularVelocity')[k], velocity);
      near(length(difference), 0, 1e-10 * length(spin) * (1 + angle), `angular velocity after ${t} s`);
    });
  });
}
