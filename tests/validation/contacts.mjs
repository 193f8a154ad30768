// Contact cases of the validation references: CF*, EF*, IM*, ST*, SB*. Each has a run (solver and time step)
// that it is judged at, beside what the engine does by default, and a measure(run, parameters) that answers
// errors with their tolerances; contact_cases.test.mjs judges them, scripts/validation.mjs makes the page.
//
// `short` are parameters of a run that is quick enough for every test run; the whole case is run by
// contact_cases.long.test.mjs and for the page. `others` are parameters of the same kind that no file names.

import { hitRobot, thrownRobot } from './contact_anymal.mjs';
import { conveyors } from './contact_belts.mjs';
import { byDefault } from './contact_cases.mjs';
import { dryOscillator, frictionCone, slideToRoll, stoppingDistance } from './contact_friction.mjs';
import { bouncingBall, newtonsCradle, rodAndTwoBodies } from './contact_impacts.mjs';
import {
  adhesion,
  elasticFoundation,
  ellipticCone,
  rollingResistance,
  spinningBlock,
  spinningSphere,
} from './contact_models.mjs';
import {
  bouncingBalls,
  elasticHeap,
  inelasticHeap,
  kaplaBuilding,
  rollingSlab,
} from './contact_simbenchmark.mjs';
import { ladderAndTipping } from './contact_statics.mjs';
import { arches, boxStacks, dominoWave, overhangs } from './contact_structures.mjs';

const h = byDefault.h;
/** The direct solver with the exact cone. */
const direct = (step = h) => ({ solver: 'direct', h: step, exact: true });
const auto = (step = h) => ({ solver: 'auto', h: step });

/** The default at the step that a case prescribes. */
const defaultAt = (step) => ({ fallback: auto(step) });

const item = (id, measure, run, { fallback = byDefault, short = {}, others = [], isLong = false } = {}) => ({
  id,
  measure,
  run,
  fallback,
  short,
  others,
  isLong,
});

/** Every case. */
export const cases = [
  item('CF01_friction_cone_isotropic_all_directions', frictionCone, direct(), {
    others: [{ mu: 0.3, count: 36, angles: [5, 15, 17, 25, 50] }],
  }),
  item('CF04_block_stopping_distance', stoppingDistance, direct(), {
    others: [
      {
        samples: [
          [0.2, 3],
          [0.6, 7],
          [0.4, 0.5],
        ],
      },
    ],
  }),
  item('CF05_slide_to_roll', slideToRoll, byDefault, { others: [{ mu: 0.4, v0: 1.5 }] }),
  item('CF12_conveyor_and_turntable', conveyors, auto(1 / 1000), { others: [{ mu: 0.6, speed: 1.3 }] }),
  item('CF13_coulomb_spring_oscillator', dryOscillator, auto(1 / 240), {
    others: [{ mu: 0.13, spring_k: 60, initial_extension: 0.3 }],
  }),
  item('CF18_ladder_and_tipping', ladderAndTipping, byDefault, {
    others: [{ mus: [0.28, 0.31, 0.4, 0.6], ladder: { muFloor: 0.5, muWall: 0.2 } }],
  }),
  item('IM01_bouncing_ball_sequence', bouncingBall, byDefault, {
    others: [{ restitutions: [0.6, 0.85], count: 4, drop: 1.7, radius: 0.25 }],
  }),
  item('IM03_newtons_cradle', newtonsCradle, auto(1 / 1000), {
    others: [
      { cases: [4], gap: 2e-4, angle: 12, line: { masses: [3, 1, 2], velocities: [2, 0, 0], gaps: 0.08 } },
    ],
  }),
  item('IM05_rod_and_two_body_impacts', rodAndTwoBodies, byDefault, {
    others: [
      {
        rod: { restitution: [0.3, 0.8], falling_speed: 1.7 },
        spheres: { mass: [2, 1], impact_parameter: 0.06, restitution: 0.6 },
      },
    ],
  }),
  item('ST01_box_stack_forces', boxStacks, byDefault, {
    short: { duration: 5 },
    others: [{ duration: 5, equal: { count: 6, mass: 3, cube: 0.3 }, inverted: { masses: [2, 1, 1, 300] } }],
  }),
  item(
    'ST02_overhang_stacks',
    overhangs,
    { solver: 'direct', h },
    {
      short: { duration: 5, harmonic: [3, 5], diamonds: { 4: true, 5: false } },
    },
  ),
  item(
    'ST03_masonry_arch_limit_thickness',
    arches,
    { solver: 'direct', h },
    {
      short: { duration: 20 },
      others: [
        {
          duration: 10,
          radius: 10,
          blocks: [9],
          tests: [
            { n: 11, tR: 0.12, outcome: 'stands' },
            { n: 11, tR: 0.095, outcome: 'collapses' },
          ],
        },
      ],
    },
  ),
  item('ST06_domino_wave_speed', dominoWave, auto(1 / 1000), {
    short: {
      samples: [
        [0.048, 0.0075, 0.0144, 1.26135096427],
        [0.05, 0.01, 0.025, 1.16189270875],
      ],
      count: 40,
      time: 1.5,
    },
  }),
  item('SB01_simbenchmark_rolling', rollingSlab, auto(1e-3), {
    ...defaultAt(1e-3),
    short: { duration: 1 },
  }),
  item('SB02_simbenchmark_bouncing', bouncingBalls, auto(1e-3), { short: { side: 1 } }),
  item('SB03_simbenchmark_666', inelasticHeap, auto(1e-3), { short: { duration: 0.8 }, isLong: true }),
  item('SB04_simbenchmark_elastic666', elasticHeap, auto(1e-3), { short: { duration: 0.6 }, isLong: true }),
  item(
    'SB05_simbenchmark_kapla',
    kaplaBuilding,
    { solver: 'split', h: 0.01 },
    {
      ...defaultAt(0.01),
      short: { steps: 200 },
      isLong: true,
    },
  ),
  item('SB06_simbenchmark_anymal_energy', thrownRobot, auto(1e-3)),
  item('SB07_simbenchmark_anymal_momentum', hitRobot, auto(1e-3), { short: { duration: 3 } }),
  item('CF02_friction_cone_elliptic', ellipticCone, direct(1 / 240)),
  item('CF07_rolling_resistance', rollingResistance, direct()),
  item('CF08_spinning_friction_sphere', spinningSphere, direct()),
  item('CF09_square_block_spin_uniform_pressure', spinningBlock, direct(1 / 240)),
  item('EF01_foundation_block_sphere_static', elasticFoundation, direct()),
  item('EF04_adhesion_pulloff', adhesion, direct(), { others: [{ overlap: 1e-4 }] }),
];
