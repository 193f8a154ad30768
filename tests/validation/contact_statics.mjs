// CF18: ladders that slip, blocks that slide or tip.

import { Errors, answer, length, plotOf, readCase, rotate, simulate, sub, turnAbout } from './simulate.mjs';
import { boxOf, degrees, frictionOf, onGround, plane, sceneOf, sphere } from './contact_cases.mjs';

// ---- CF18 -------------------------------------------------------------------------------------------------

/** A rod of two small balls, its lower end on the floor, its upper end at a wall. */
function ladder(name, y, angle, span, mass, radius) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const moment = (mass * span * span) / 12;
  const ends = [-span / 2, span / 2];
  return {
    name,
    mass,
    inertia: [1e-3 * moment, moment, moment],
    position: [-(span / 2) * c - radius, y, (span / 2) * s + radius],
    rotation: turnAbout([0, 1, 0], -angle),
    geometries: ends.map((x, i) => ({ ...sphere(radius, i ? 'top' : 'foot'), position: [x, 0, 0] })),
  };
}

/** The angle below which the last of some ladders slips: between the steepest that slips and the next. */
async function ladderAngle(run, gravity, { span, mass, muFloor, muWall }, angles) {
  const radius = 0.002;
  const scene = sceneOf(run, gravity, {
    materials: ['foot', 'top', 'floor', 'wall'].map((name) => ({ name })),
    contactMaterials: [
      { materials: ['foot', 'floor'], ...frictionOf(run, muFloor), restitution: 0 },
      { materials: ['top', 'wall'], ...frictionOf(run, muWall), restitution: 0 },
    ],
    geometries: [plane('floor'), plane('wall', [-1, 0, 0])],
    bodies: angles.map((angle, i) => ladder(`l${i}`, i, angle * degrees, span, mass, radius)),
  });
  const names = angles.map((_, i) => `body/l${i}/position`);
  const result = await simulate(scene, { time: 5, every: Math.round(0.5 / run.h), record: names });
  const slipped = names.map((name) => length(sub(result.of(name).at(-1), result.of(name)[0])) > 1e-3);
  const last = slipped.lastIndexOf(true);
  return last === angles.length - 1 ? NaN : (angles[Math.max(last, 0)] + angles[last + 1]) / 2;
}

const around = (angle) => [-1.2, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 1.2].map((off) => angle + off);

/** Blocks on a plate that tilts half a degree a second: when each slides or tips. */
async function tilted(run, gravity, { size, mass, mus }, from, to) {
  const rate = 0.25;
  const rotation = turnAbout([0, 1, 0], from * degrees);
  const scene = sceneOf(run, gravity, {
    ...onGround(Object.fromEntries(mus.map((mu) => [`mu${mu}`, frictionOf(run, mu)]))),
    bodies: [
      {
        name: 'plate',
        motion: 'kinematic',
        rotation,
        angularVelocity: [0, rate * degrees, 0],
        geometries: [boxOf([4, 20, 0.2], 'ground')],
      },
      ...mus.map((mu, i) => ({
        name: `b${i}`,
        mass,
        rotation,
        position: rotate(rotation, [0, 2 * i - mus.length, 0.1 + size[2] / 2]),
        geometries: [boxOf(size, `mu${mu}`)],
      })),
    ],
  });
  const names = ['plate', ...mus.map((_, i) => `b${i}`)];
  const result = await simulate(scene, {
    time: (to - from) / rate,
    record: names.flatMap((name) => [`body/${name}/position`, `body/${name}/rotation`]),
  });
  const plate = result.of('body/plate/rotation');
  const back = ([x, y, z, w]) => [-x, -y, -z, w];
  return mus.map((_, i) => {
    const place = result.of(`body/b${i}/position`).map((x, k) => rotate(back(plate[k]), x));
    const up = result.of(`body/b${i}/rotation`).map((q, k) => rotate(back(plate[k]), rotate(q, [0, 0, 1])));
    // what goes moves by a tenth of a millimetre or turns by half a thousandth in half a second
    const half = Math.round(0.5 / run.h);
    const first = place.findIndex(
      (x, k) =>
        k > 2 * half && (length(sub(x, place[k - half])) > 1e-4 || length(sub(up[k], up[k - half])) > 5e-4),
    );
    if (first < 0) return { angle: NaN, tips: false };
    // what tips moves by its turn
    const later = Math.min(first + 2 * half, place.length - 1);
    const turn = length(sub(up[later], up[half]));
    return {
      angle: from + rate * result.time[first],
      tips: turn * size[2] > length(sub(place[later], place[half])) / 2,
    };
  });
}

export async function ladderAndTipping(run, parameters = {}) {
  const { setup, reference, tolerance } = readCase('CF18_ladder_and_tipping');
  const { ladder: given, block } = setup;
  const rough = { span: given.length, mass: given.mass, muFloor: given.mu_floor, muWall: given.mu_wall };
  const rod = { ...rough, ...parameters.ladder };
  const least = Math.atan((1 - rod.muFloor * rod.muWall) / (2 * rod.muFloor)) / degrees;
  const smooth = Math.atan(1 / (2 * rod.muFloor)) / degrees;
  const errors = new Errors();
  errors.add('ladder', (await ladderAngle(run, setup.gravity, rod, around(least))) - least);
  errors.add(
    'ladder at a smooth wall',
    (await ladderAngle(run, setup.gravity, { ...rod, muWall: 0 }, around(smooth))) - smooth,
  );
  const mus = parameters.mus ?? block.mu_values;
  const tip = reference.block.tip_angle_deg;
  const seen = await tilted(run, setup.gravity, { size: block.size, mass: block.mass, mus }, 12, 20);
  let wrong = 0;
  mus.forEach((mu, i) => {
    const slides = Math.atan(mu) / degrees;
    errors.add('tilt at which a block goes', seen[i].angle - Math.min(slides, tip));
    if (seen[i].tips !== slides > tip) ++wrong;
  });
  errors.add('blocks that do the other', wrong);
  const goes = mus.map((mu) => Math.min(Math.atan(mu) / degrees, tip));
  return answer(
    errors,
    {
      ladder: [tolerance.angle_deg, '°'],
      'ladder at a smooth wall': [tolerance.angle_deg, '°'],
      'tilt at which a block goes': [tolerance.angle_deg, '°'],
      'blocks that do the other': [0, ''],
    },
    {
      ...plotOf(
        'tilt at which it goes',
        '°',
        mus,
        seen.map(({ angle }) => angle),
        goes,
      ),
      x: 'friction',
    },
  );
}
