// The demonstration scenes obey the laws that their descriptions state, in numbers, for as long
// as they state it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCairn, readScene } from '../node/helpers.mjs';

const gravity = 9.80665;

/** Runs a scene and gives what was read from its channels at the start and after every `every` steps. */
async function run(name, steps, every, channels) {
  const cairn = await getCairn('st', 1);
  const scene = cairn.loadScene(readScene(name));
  try {
    const open = channels.map((channel) => scene.openChannel(channel));
    const read = () => open.map((channel) => channel.read());
    const samples = [read()];
    for (let done = 0; done < steps; done += every) {
      scene.steps(every);
      samples.push(read());
    }
    return samples;
  } finally {
    scene.dispose();
  }
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

test('incline: at μ = 0.60 blocks hold on 30°, at 0.55 they slide with g (sin θ − μ cos θ)', async () => {
  const directions = [0, 1, 2, 3, 4, 5, 6, 7];
  const channels = directions.flatMap((k) => [
    `body/hold${k}/position`,
    `body/slide${k}/position`,
    `body/slide${k}/velocity`,
  ]);
  // five seconds at 1/120 s, read at 0, 1, … 5 s
  const samples = await run('incline', 600, 120, channels);
  const theta = Math.PI / 6;
  const expected = gravity * (Math.sin(theta) - 0.55 * Math.cos(theta));
  for (const k of directions) {
    const at = (second, what) => samples[second][3 * k + what];
    const moved = distance(at(0, 0), at(5, 0));
    assert.ok(moved < 1e-3, `hold${k} moved ${moved * 1e3} mm, allowed is 1 mm`);
    const acceleration = (Math.hypot(...at(5, 2)) - Math.hypot(...at(1, 2))) / 4;
    const error = acceleration / expected - 1;
    assert.ok(Math.abs(error) < 0.01, `slide${k}: ${acceleration} m/s², expected ${expected}`);
    const aside = Math.abs(at(5, 1)[1] - at(0, 1)[1]);
    assert.ok(aside < 1e-3, `slide${k} drifted ${aside * 1e3} mm aside`);
  }
});

test('heavy-top-stack: the ground bears 10689.25 N, each interface what is above it, nothing sinks in 20 s', async () => {
  const interfaces = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const samples = await run('heavy-top-stack', 1200, 300, [
    'contact/box0/ground/normalForce',
    'body/box9/position',
    ...interfaces.map((i) => `contact/box${i}/box${i - 1}/normalForce`),
  ]);
  const weight = (9 * 10 + 1000) * gravity;
  const [ground] = samples[1];
  assert.ok(Math.abs(ground[2] / weight - 1) < 1e-3, `ground bears ${ground[2]} N after 5 s`);
  const last = samples.at(-1);
  const sunk = distance(samples[0][1], last[1]);
  assert.ok(sunk < 0.01, `the top box moved ${sunk * 1e3} mm in 20 s`);
  for (const i of interfaces) {
    const above = (1000 + (9 - i) * 10) * gravity;
    const force = last[1 + i][2];
    assert.ok(Math.abs(force / above - 1) < 1e-3, `interface ${i} bears ${force} N, above it are ${above} N`);
  }
});

test('dzhanibekov: over 10^6 steps |L| stays within 1e-12 and the energy within 1e-4', async () => {
  const samples = await run('dzhanibekov', 1_000_000, 1000, ['world/angularMomentum', 'world/kineticEnergy']);
  const [momentum, energy] = [Math.hypot(...samples[0][0]), samples[0][1]];
  for (const [l, e] of samples) {
    assert.ok(Math.abs(Math.hypot(...l) / momentum - 1) < 1e-12, `|L| is ${Math.hypot(...l)}`);
    assert.ok(Math.abs(e / energy - 1) < 1e-4, `the energy is ${e} J`);
  }
});

test('dzhanibekov: the handle flips at the times of the exact solution', async () => {
  // near the middle axis a deviation grows until ω₂ changes its sign; between two changes lies 2 K(m)/λ
  // (Landau and Lifshitz, §37)
  const samples = await run('dzhanibekov', 1200, 1, ['body/handle/rotation']);
  const [i1, i2, i3] = [1, 2, 3];
  const [w1, w2] = [0.01, 5];
  const twiceEnergy = i1 * w1 * w1 + i2 * w2 * w2;
  const momentum2 = (i1 * w1) ** 2 + (i2 * w2) ** 2;
  // which of the two forms holds depends on the sign of L² − 2 E I₂
  const [a, c] = momentum2 > twiceEnergy * i2 ? [i1, i3] : [i3, i1];
  const rate = Math.sqrt(((c - i2) * (momentum2 - twiceEnergy * a)) / (a * i2 * c));
  const m = ((i2 - a) * (twiceEnergy * c - momentum2)) / ((c - i2) * (momentum2 - twiceEnergy * a));
  const halfPeriod = (2 * completeEllipticK(m)) / rate;
  // the body's middle axis in the world
  const along = samples.map(([[x, y, z, w]]) => 1 - 2 * (x * x + z * z) + 0 * (y + w));
  const flips = [];
  for (let k = 1; k < along.length; ++k) {
    if (along[k - 1] * along[k] < 0) flips.push((k - 1 + along[k - 1] / (along[k - 1] - along[k])) / 60);
  }
  assert.ok(flips.length >= 3, `${flips.length} flips in 20 s`);
  const measured = (flips.at(-1) - flips[0]) / (flips.length - 1);
  assert.ok(
    Math.abs(measured / halfPeriod - 1) < 0.02,
    `a flip takes ${measured} s, exactly ${halfPeriod} s`,
  );
});

/** K(m) by the arithmetic-geometric mean. */
function completeEllipticK(m) {
  let [a, b] = [1, Math.sqrt(1 - m)];
  while (Math.abs(a - b) > 1e-15 * a) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  return Math.PI / (2 * a);
}

test('arch: it stands for 60 s with less than 1e-4 J', async () => {
  const samples = await run('arch', 3600, 600, ['world/kineticEnergy', 'body/voussoir7/position']);
  const [energy, crown] = samples.at(-1);
  assert.ok(energy < 1e-4, `kinetic energy ${energy} J after 60 s`);
  const sunk = distance(samples[0][1], crown);
  assert.ok(sunk < 1e-3, `the crown moved ${sunk * 1e3} mm`);
});

test('pit: after 15 s all rest inside but for one that may topple late, with overlaps below 5 mm', async () => {
  const bodies = Array.from({ length: 600 }, (_, i) => [`body/b${i}/centreOfMass`, `body/b${i}/velocity`]);
  const samples = await run('pit', 900, 900, ['world/maxPenetration', ...bodies.flat()]);
  const [penetration, ...states] = samples.at(-1);
  assert.ok(penetration < 5e-3, `largest overlap ${penetration * 1e3} mm`);
  const positions = states.filter((_, i) => i % 2 === 0);
  const outside = positions.filter(([x, y, z]) => !(Math.abs(x) < 5 && Math.abs(y) < 5 && z > 0));
  assert.deepEqual(outside, [], 'nobody is outside the walls or below the ground');
  // what leans on its edge for ten seconds may fall in the fifteenth; a pile that boils has many that move
  const speeds = states.filter((_, i) => i % 2 === 1).map((velocity) => Math.hypot(...velocity));
  speeds.sort((u, v) => v - u);
  assert.ok(speeds[1] < 0.05, `the second fastest moves with ${speeds[1]} m/s after 15 s`);
});
