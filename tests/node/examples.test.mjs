// The examples of the docs do what they say: the law of each, measured.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { examples } from '../../demo/examples/examples.js';
import { getCairn, near, root } from './helpers.mjs';

const G = 9.80665;
const folder = join(root, 'demo', 'examples');
const MOST_LINES = 30;

/** @param {string} name */
const read = async (name) => new Uint8Array(readFileSync(join(folder, name)));

/** Runs an example as its page does, by its own functions. @param {any} made @param {number} steps */
function run(made, steps, each = () => {}) {
  const { world, beforeStep, afterStep } = made;
  for (let i = 0; i < steps; ++i) {
    beforeStep?.(world);
    world.step();
    afterStep?.(world);
    each();
  }
}

/** @param {string} name @param {(example: any, cairn: any, create: any) => void} law */
function example(name, law) {
  test(name, async () => {
    const cairn = await getCairn();
    const { create } = await import(join(folder, `${name}.js`));
    const made = await create(cairn, read);
    try {
      law(made, cairn, create);
      made.world.validate();
    } finally {
      made.world.dispose();
    }
  });
}

const within = (actual, expected, ratio) =>
  assert.ok(
    Math.abs(actual - expected) <= ratio * Math.abs(expected),
    `${actual} should be ${expected} within ${ratio}`,
  );
const sum = (list) => list.reduce((total, value) => total + value, 0);

test('every example has its page, its law and at most thirty lines', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js') && name !== 'examples.js');
  assert.deepEqual(files.sort(), examples.map(({ name }) => `${name}.js`).sort());
  assert.equal(examples.length, 16);
  for (const file of files) {
    const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length;
    assert.ok(lines <= MOST_LINES, `${file} has ${lines} lines`);
  }
});

example('falling-box', ({ world, box }) => {
  world.steps(54); // 0.9 s; it lands after 0.958 s
  near(box.getPosition()[2], 5 - (G * 0.9 ** 2) / 2, 1e-9);
  world.steps(300);
  near(box.getPosition()[2], 0.5, 1e-4);
  near(box.getVelocity(), [0, 0, 0], 1e-9);
});

example('y-up', ({ world, barrel, ball }) => {
  world.steps(360);
  near(barrel.getPosition()[1], 0.5, 1e-4);
  const [x, , z, w] = barrel.getRotation();
  near([x, z, w ** 2], [0, 0, 1 - barrel.getRotation()[1] ** 2], 1e-6); // upright, however it is turned
  const [speed] = ball.getVelocity();
  within(speed, (3 * 5) / 7, 0.01);
  within(-ball.getAngularVelocity()[2] * 0.25, speed, 1e-3);
});

example('door', (door) => {
  let widest = 0;
  let gap = 0;
  const watch = () => {
    widest = Math.max(widest, door.hinge.angle);
    gap = Math.max(gap, door.hinge.violation);
  };
  run(door, 60, watch);
  near(widest, 0, 1e-3);
  door.push();
  run(door, 60, watch);
  assert.ok(widest > Math.PI / 2 - 0.02 && widest < Math.PI / 2 + 1e-3, `opened by ${widest}`);
  run(door, 1200, watch);
  near(door.hinge.angle, 0, 1e-2);
  assert.ok(gap < 1e-5, `the hinge opened by ${gap}`);
});

example('vehicle', (car) => {
  run(car, 1800);
  const bodies = [...car.world.bodies()];
  const weight = sum(bodies.map(({ mass }) => mass)) * G;
  const ground = [...car.world.geometries()].find(({ body }) => body === null);
  // it fell asleep while its springs still moved by less than a millimetre
  within(-car.world.createContactReader(ground).getNormalForce()[2], weight, 2e-3);
  const rest = car.chassis.getPosition()[2];
  car.drive(8);
  run(car, 1200);
  within(car.chassis.getVelocity()[0], 8, 0.01);
  near(car.chassis.getPosition()[2], rest, 0.02);
  const [x, y] = car.chassis.getRotation();
  near([x, y], [0, 0], 0.02);
  car.drive(0);
  run(car, 600);
  near(car.chassis.getVelocity(), [0, 0, 0], 1e-2);
});

example('character', (game) => {
  const { hero, walk } = game;
  run(game, 30);
  near(hero.getPosition(), [0, 0.9, 0], 5e-3);
  walk(2, 0);
  let furthest = 0;
  const watch = () => (furthest = Math.max(furthest, hero.getPosition()[0]));
  run(game, 180, watch);
  assert.ok(furthest > 3.3 && furthest <= 3.5 + 1e-6, `walked to ${furthest}, the wall is at 3.8`);
  walk(2, 1);
  run(game, 120, watch);
  within(hero.getPosition()[2], 2, 0.02); // along the wall
  assert.ok(furthest <= 3.5 + 1e-6, `slid into the wall: ${furthest}`);
  hero.setPosition([-3, 0.9, 5]);
  walk(2, 0);
  let top = 0;
  run(game, 150, () => (top = Math.max(top, hero.getPosition()[1] - 0.9)));
  // the ramp's upper edge is 0.4 + 2 sin 0.3 + 0.1 cos 0.3 high
  within(top, 0.4 + 2 * Math.sin(0.3) + 0.1 * Math.cos(0.3), 0.05);
  run(game, 120);
  near(hero.getPosition()[1], 0.9, 5e-3); // down again
});

example('rewind', ({ world, ball, shoot, back, restore }) => {
  const start = world.hash();
  shoot();
  world.steps(60);
  const broken = world.hash();
  world.steps(60);
  const after = world.hash();
  back(60);
  assert.equal(world.hash(), broken);
  world.steps(60);
  assert.equal(world.hash(), after);
  assert.ok(ball.getPosition()[1] > -4, 'the ball has flown');
  restore();
  assert.equal(world.hash(), start);
  near(ball.getPosition(), [0, -6, 1.5], 0);
});

example('impact-sounds', (bell) => {
  run(bell, 120);
  bell.balls.forEach((ball, i) => {
    const first = bell.impacts.find(({ body1, body2 }) => body1 === ball || body2 === ball);
    const height = 2 + i - [0.15, 0.25, 0.4][i];
    const speed = Math.sqrt(2 * G * height);
    near(first.approachSpeed, speed, G * bell.world.timeStep); // that of the step's begin
    within(first.impulse, 1.6 * ball.mass * speed, 1e-6);
  });
});

/** @param {any[]} bodies */
const motionOf = (bodies) => bodies.map((body) => [...body.getPosition(), ...body.getVelocity()]);

example('sensors', ({ world, balls, counts, inside }, cairn, create) => {
  let most = 0;
  for (let i = 0; i < 300; ++i) {
    world.step();
    most = Math.max(most, inside());
    assert.equal(inside(), counts.entered - counts.left);
  }
  assert.deepEqual(counts, { entered: 3, left: 3 });
  assert.ok(most >= 1 && inside() === 0);
  for (const ball of balls) assert.ok(ball.getPosition()[0] > 2);
  const without = create(cairn);
  without.gate.destroy();
  without.world.steps(300);
  assert.deepEqual(motionOf(balls), motionOf(without.balls));
  without.world.dispose();
});

example('scale', (scale) => {
  run(scale, 240);
  within(scale.mass(), 2, 1e-6);
  scale.drop(3);
  run(scale, 300);
  within(scale.mass(), 5, 1e-6);
});

example('spring-lab', ({ world, masses }) => {
  const crossings = masses.map(() => []);
  const before = masses.map(({ spring }) => spring.position);
  for (let i = 0; i < 240 * 20; ++i) {
    world.step();
    masses.forEach(({ spring, rest }, k) => {
      const now = spring.position;
      const middle = 3 - rest;
      if (before[k] < middle && now >= middle) {
        crossings[k].push(world.time - (world.timeStep * (now - middle)) / (now - before[k]));
      }
      before[k] = now;
    });
  }
  masses.slice(0, 3).forEach(({ period }, k) => {
    const times = crossings[k];
    within((times.at(-1) - times[0]) / (times.length - 1), period, 1e-4);
  });
  near(3 - masses[3].spring.position, masses[3].rest, 1e-6);
});

example('friction-lab', ({ world, blocks, speed }) => {
  world.steps(6);
  const start = blocks.map(({ body }) => speed(body));
  const places = blocks.map(({ body }) => body.getPosition());
  world.steps(60);
  blocks.forEach(({ body, acceleration, friction }, i) => {
    if (acceleration > 0) within(speed(body) - start[i], acceleration, 0.005);
    else near(body.getPosition(), places[i], 1e-4);
    assert.ok(friction < 0.577 === acceleration > 0);
  });
});

example('mesh', ({ world, knots, points, triangles }, cairn) => {
  const { volume, closed } = cairn.checkMesh({ type: 'trimesh', points, triangles });
  assert.ok(closed);
  for (const knot of knots) within(knot.mass, 1000 * volume, 1e-9);
  world.steps(600);
  assert.ok(world.kineticEnergy < 1e-3, `still ${world.kineticEnergy} J`);
  assert.ok(world.maxPenetration < 2e-3, `${world.maxPenetration} m deep`);
  for (const knot of knots) assert.ok(knot.getPosition()[2] > 0.1);
});

example('removal', ({ world, ball, coins, taken }, cairn, create) => {
  world.steps(360);
  assert.equal(taken.length, 10);
  assert.equal(new Set(taken).size, 10);
  assert.ok(coins.every((coin) => !coin.isValid));
  const without = create(cairn);
  for (const coin of without.coins) coin.destroy();
  without.world.steps(360);
  assert.deepEqual(motionOf([ball]), motionOf([without.ball]));
  without.world.dispose();
  within(ball.getVelocity()[0], (3 * 5) / 7, 1e-3); // it rolls without slipping
});

example('resting', ({ world, boxes, awake, poke }) => {
  const before = Float64Array.from(boxes.rows, (row) => world.columns.bodies.position[3 * row + 2]);
  world.steps(120);
  assert.equal(awake(), 0);
  boxes.rows.forEach((row, i) => near(world.columns.bodies.position[3 * row + 2], before[i], 2e-3));
  poke();
  world.step();
  assert.equal(awake(), 4);
});

example('mouse-pull', (game) => {
  const { world, light, heavy, press, move, release } = game;
  world.setSleep(false); // the last millimetres of a swing count
  const eye = [0, -10, 2];
  const rayTo = (point) => point.map((x, i) => 2 * (x - eye[i]));
  assert.equal(press(eye, rayTo([0, -0.3, 3])), false); // nothing there
  assert.equal(press(eye, rayTo([-1, -0.3, 0.3])), true);
  const start = light.getPosition();
  move(eye, rayTo([-1, -0.3, 2]));
  run(game, 900);
  // the point that was pressed hangs below the pointer: m g/k
  near(pointOf(light, start)[2], 2 - (5 * G) / 500, 1e-3);
  release();
  run(game, 300);
  near(light.getPosition()[2], 0.3, 1e-3);
  assert.equal(press(eye, rayTo([1, -0.3, 0.3])), true);
  move(eye, rayTo([1, -0.3, 9]));
  run(game, 300);
  near(heavy.getPosition(), [1, 0, 0.3], 2e-3);
});

/** Where the point of the light box is that was pressed, (-1, -0.3, 0.3) at first. */
function pointOf(body, start) {
  const [qx, qy, qz, w] = body.getRotation();
  const [x, y, z] = [-1 - start[0], -0.3 - start[1], 0.3 - start[2]];
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)];
  const turned = [
    x + w * tx + qy * tz - qz * ty,
    y + w * ty + qz * tx - qx * tz,
    z + w * tz + qx * ty - qy * tx,
  ];
  return body.getPosition().map((value, i) => value + turned[i]);
}

example('slow-motion', ({ world, advance, time, check }) => {
  for (let frame = 0; frame < 60; ++frame) advance(1 / 60);
  near(world.stepCount, 15, 1);
  time.speed = 1;
  for (let frame = 0; frame < 120; ++frame) advance(1 / 60);
  near(world.stepCount, 135, 1);
  const { steps, difference } = check();
  assert.equal(steps, world.stepCount);
  assert.equal(difference, null);
});
