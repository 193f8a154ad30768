// Ropes of distances between light bodies: they hold loads of any mass, keep their energy, and slip over a
// drum where Euler and Eytelwein say.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCairn, near } from '../node/helpers.mjs';

const GRAVITY = 9.80665;
const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

const makeWorld = async (options) => {
  const { timeStep, ...rest } = options;
  const world = (await getCairn('st', 1)).createWorld({ gravity: [0, 0, -GRAVITY], sleep: false, ...rest });
  if (timeStep !== undefined) world.timeStep = timeStep;
  return world;
};

describe('a rope of twenty beads with a load, let go when level', () => {
  const [COUNT, LINK] = [20, 0.1];

  async function swing(bead, load) {
    const world = await makeWorld({});
    let before = null;
    const beads = Array.from({ length: COUNT }, (_, i) => {
      const body = world.createBody({
        position: [(i + 1) * LINK, 0, 0],
        mass: i === COUNT - 1 ? load : bead,
        geometries: [{ shape: { type: 'sphere', radius: 0.02 } }],
      });
      const anchors = [
        [(i + 1) * LINK, 0, 0],
        [i * LINK, 0, 0],
      ];
      world.createConstraint({ type: 'distance', bodies: [body, before], anchors });
      before = body;
      return body;
    });
    const energy = () => world.kineticEnergy + world.potentialEnergy;
    const start = energy();
    const result = { open: 0, low: 0, gained: 0, lost: 0 };
    for (let step = 0; step < 240; ++step) {
      world.step();
      let last = [0, 0, 0];
      for (const body of beads) {
        const place = body.getPosition();
        result.open = Math.max(result.open, Math.abs(distance(place, last) - LINK));
        last = place;
      }
      result.low = Math.min(result.low, last[2]);
      result.gained = Math.max(result.gained, energy() - start);
    }
    result.lost = start - energy();
    world.dispose();
    const scale = load * GRAVITY * COUNT * LINK;
    return { ...result, gained: result.gained / scale, lost: result.lost / scale };
  }

  // the lighter the rope, the less there is in its whips to lose
  for (const [bead, load, most] of [
    [0.01, 1, 0.16],
    [0.01, 10, 0.04],
    [0.001, 100, 0.025],
    [0.001, 1000, 0.025],
  ]) {
    it(`${bead} kg a bead and ${load} kg`, async (t) => {
      const { open, low, gained, lost } = await swing(bead, load);
      t.diagnostic(`links open by ${open.toExponential(1)} m, ${lost.toFixed(3)} of m g l lost`);
      assert.ok(open < 5e-4, `a link is ${open} m too long or too short`);
      // three times the weight pulls at the lowest point, on a compliance of 1e-8 m/N a link
      near(low, -COUNT * (LINK + 3 * load * GRAVITY * 1e-8), 5e-3);
      assert.ok(gained < 1e-3, `it gained ${gained} of m g l`);
      assert.ok(lost < most, `it lost ${lost} of m g l`);
    });
  }
});

describe('a rope over a drum', () => {
  const [DRUM, BEAD, LIGHTER] = [0.5, 0.02, 10];

  /** Weights on both sides, and how fast the heavier one speeds up. */
  async function pull({ solver, friction, ratio, rolls, hz }) {
    const world = await makeWorld({ solver, timeStep: 1 / hz });
    const material = world.createMaterial({ restitution: 0, friction, density: 100 });
    world.createGeometry({ shape: { type: 'cylinder', radius: DRUM, height: 1 }, material });
    const radius = DRUM + BEAD;
    const count = Math.round((Math.PI * radius) / (2 * BEAD));
    const points = [];
    for (let i = 10; i >= 1; --i) points.push([-radius, 0, -2 * BEAD * i]);
    for (let i = 0; i <= count; ++i) {
      const angle = Math.PI - (Math.PI * i) / count;
      points.push([radius * Math.cos(angle), 0, radius * Math.sin(angle)]);
    }
    for (let i = 1; i <= 10; ++i) points.push([radius, 0, -2 * BEAD * i]);
    const beads = points.map((position) =>
      world.createBody({
        position,
        ...(rolls ? {} : { lockRotations: [true, true, true] }),
        geometries: [{ shape: { type: 'sphere', radius: BEAD }, material }],
      }),
    );
    const join = (first, second) =>
      world.createConstraint({
        type: 'distance',
        bodies: [first, second],
        anchors: [first.getPosition(), second.getPosition()],
      });
    for (let i = 1; i < beads.length; ++i) join(beads[i - 1], beads[i]);
    const hang = (mass, bead) => {
      const [x, , z] = bead.getPosition();
      const shape = { type: 'box', halfExtents: [0.05, 0.05, 0.05] };
      const weight = world.createBody({ position: [x, 0, z - 0.15], mass, geometries: [{ shape }] });
      join(bead, weight);
      return weight;
    };
    hang(LIGHTER, beads[0]);
    const heavier = hang(LIGHTER * ratio, beads.at(-1));
    const start = heavier.getPosition()[2];
    world.steps(hz / 2);
    const speed = -heavier.getVelocity()[2];
    world.steps(hz / 4);
    const result = {
      drop: start - heavier.getPosition()[2],
      acceleration: (-heavier.getVelocity()[2] - speed) / 0.25,
    };
    world.dispose();
    return result;
  }

  for (const friction of [0.2, 0.4]) {
    it(`holds below a ratio of weights of exp(μ π), and slips above: μ = ${friction}`, async (t) => {
      const limit = Math.exp(friction * Math.PI);
      const run = (share) =>
        pull({ solver: 'direct', friction, ratio: share * limit, rolls: false, hz: 120 });
      for (const share of [0.9, 0.97]) {
        const { drop } = await run(share);
        t.diagnostic(`${share} of it: it came down by ${(1e3 * drop).toFixed(2)} mm`);
        assert.ok(drop < 5e-4, `${share} of it: it came down by ${drop} m`);
      }
      const { acceleration } = await run(1.1);
      near(acceleration, (GRAVITY * (1.1 - 1)) / (1.1 + 1), 0.03);
    });
  }

  it('of balls that roll is not held, and comes down alike at all time steps', async () => {
    const run = (solver, hz) => pull({ solver, friction: 0.2, ratio: 1.7, rolls: true, hz });
    const fine = await run('direct', 480);
    assert.ok(fine.drop > 0.25);
    for (const solver of ['direct', 'auto', 'split']) {
      near((await run(solver, 60)).drop, fine.drop, 0.02 * fine.drop);
    }
  });
});
