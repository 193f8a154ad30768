// Constraints of a world in a scene's words. A file attaches both bodies where they stand, so coordinates
// begin at 0 there: what is set of a coordinate is counted from where it is now.

import { CairnError } from '../core/errors.js';
import { constraintGetSpring } from '../generated/calls.js';
import { constraintTypes, freeSecondaries } from '../generated/descriptions.js';
import { placementOf } from './placements.js';

/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {Record<string, unknown>} Json */

const call = 'World.toScene';
const dofs = [0, 1, 2, 3, 4, 5];
// Attachments that are farther apart, m or rad, are not where a file would have them.
const mostGap = 1e-3;
const mostAngle = 1e-9;
// What is read of an attachment, m, and what was said of it.
const sameWithin = 1e-10;

/** @param {string} name @param {string} text @returns {CairnError} */
const inexpressible = (name, text) =>
  new CairnError('NOT_SUPPORTED_YET', call, name, `a scene cannot hold ${name}: ${text}`);

/** A number, or null where it is infinite. @param {number} value */
const orNull = (value) => (Number.isFinite(value) ? value : null);

/** @param {readonly number[]} interval */
const bounds = (interval) => interval.map(orNull);

/**
 * @param {number[]} rotation x, y, z, w
 * @returns {[number[], number[], number[]]} images u, v, n of x, y, z
 */
function axesOf([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/**
 * @param {Constraint} constraint
 * @param {string} name in the file
 * @param {(object: object) => string} nameOf bodies and constraints in the file
 * @returns {Json}
 */
export function describeConstraint(constraint, name, nameOf) {
  const { type } = constraint;
  const { takes } = constraintTypes[type];
  return {
    name,
    type,
    ...partners(constraint, nameOf),
    ...placement(constraint, name, takes),
    ...laws(constraint, takes),
    ...rows(constraint),
    ...flags(constraint),
    ...secondaries(constraint, name),
  };
}

/** @param {Constraint} constraint @param {(object: object) => string} nameOf @returns {Json} */
function partners(constraint, nameOf) {
  const { body1, body2, constraint1, constraint2 } = constraint;
  if (constraint1 !== null && constraint2 !== null)
    return { constraints: [nameOf(constraint1), nameOf(constraint2)] };
  return { bodies: [body1 === null ? null : nameOf(body1), body2 === null ? null : nameOf(body2)] };
}

/** @param {Constraint} constraint @param {string} name @param {readonly string[]} takes @returns {Json} */
function placement(constraint, name, takes) {
  if (!takes.includes('anchor') && !takes.includes('anchors')) return {};
  const first = frameOf(constraint, true);
  const second = frameOf(constraint, false);
  const said = placementOf(constraint);
  if (takes.includes('anchors')) {
    const points = [first.position, second.position];
    return { anchors: isSame(points.flat(), said?.anchors?.flat()) ? said?.anchors : points };
  }
  if (constraint.violation > mostGap)
    throw inexpressible(
      name,
      `its attachments are ${constraint.violation} m or rad apart, and a file has one`,
    );
  if (said !== undefined && isWhereSaid(constraint, said, first, second)) return withoutNone({ ...said });

  // translations are held along axes of the second body
  const [u, , n] = axesOf(second.rotation);
  const isCross = constraint.type === 'universal';
  return { anchor: first.position, axis: isCross ? axesOf(first.rotation)[2] : n, reference: u };
}

/** @param {readonly number[]} a @param {readonly number[] | undefined} b */
const isSame = (a, b) => b !== undefined && a.every((value, i) => Math.abs(value - b[i]) < sameWithin);

/** @param {readonly number[]} v */
const unit = (v) => v.map((value) => value / Math.hypot(...v));

/** @param {readonly number[]} a @param {readonly number[]} b */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/** The world's axis least along another. @param {readonly number[]} n */
function leastAlong(n) {
  const sizes = n.map(Math.abs);
  const least = sizes.indexOf(Math.min(...sizes));
  return [0, 1, 2].map((i) => (i === least ? 1 : 0));
}

/**
 * Whether both frames are those that were said when the constraint was made.
 * @param {Constraint} constraint
 * @param {import('./placements.js').Placement} said
 * @param {Placed} first @param {Placed} second
 */
function isWhereSaid(constraint, said, first, second) {
  const anchor = said.anchor ?? constraint.body1?.getCentreOfMass();
  const n = unit(said.axis ?? [0, 0, 1]);
  const reference = unit(said.reference ?? leastAlong(n));
  const u = unit(reference.map((value, i) => value - dot(reference, n) * n[i]));
  return [first, second].every(({ position, rotation }) => {
    const axes = axesOf(rotation);
    return isSame(position, anchor) && isSame(axes[0], u) && isSame(axes[2], n);
  });
}

/** @typedef {{ position: number[], rotation: number[] }} Placed */

/** @param {Constraint} constraint @param {boolean} isFirst */
function frameOf(constraint, isFirst) {
  const frame = isFirst ? constraint.getFrame() : constraint.getFrameOn(constraint.body2);
  return {
    position: [.../** @type {number[]} */ (frame.position)],
    rotation: [.../** @type {number[]} */ (frame.rotation)],
  };
}

/** Numbers that a type has of its own. @param {Constraint} constraint @param {readonly string[]} takes */
function laws(constraint, takes) {
  const { world } = constraint;
  /** @type {Json} */
  const found = {};
  if (takes.includes('length')) found.length = constraintGetSpring(world, constraint).length;
  if (takes.includes('stiffness')) {
    const { stiffness, damping } = constraintGetSpring(world, constraint);
    Object.assign(found, { stiffness, damping });
  }
  for (const key of ['ratio', 'radius', 'lead']) {
    if (takes.includes(key)) found[key] = constraint.ratio;
  }
  return found;
}

/** Settings of rows, where they are not the defaults. @param {Constraint} constraint @returns {Json} */
function rows(constraint) {
  /** @type {Json} */
  const found = {};
  const ranges = dofs.map((dof) => constraint.getForceRange(dof));
  if (ranges.some((range) => range.some(Number.isFinite))) found.forceRange = ranges.map(bounds);
  if (constraint.type === 'spring') return found;
  found.compliance = dofs.map((dof) => constraint.getCompliance(dof));
  const damping = dofs.map((dof) => constraint.getDamping(dof));
  if (damping.some((value) => value !== null)) found.damping = damping;
  return found;
}

/** @param {Constraint} constraint @returns {Json} */
function flags(constraint) {
  const { solve, enabled, collideConnected, mergeable, splittable, breakForce, breakTorque } = constraint;
  return {
    ...(solve === 'direct' ? {} : { solve }),
    ...(enabled ? {} : { enabled }),
    ...(collideConnected ? { collideConnected } : {}),
    ...(mergeable && splittable ? {} : { mergeSplit: { merge: mergeable, split: splittable } }),
    ...(breakForce > 0 ? { breakForce } : {}),
    ...(breakTorque > 0 ? { breakTorque } : {}),
  };
}

/** @param {Constraint} constraint @param {string} name @returns {Json} */
function secondaries(constraint, name) {
  const { free, takes } = constraintTypes[constraint.type];
  /** @type {Json} */
  const found = {};
  for (const key of freeSecondaries.filter((item) => takes.includes(item))) {
    const items = free.map((_, index) => secondary(constraint, key, index));
    if (items.some((item) => item !== null)) found[key] = free.length === 1 ? items[0] : items;
  }
  const around = ['cone', 'twist', 'screw'].filter((key) => takes.includes(key));
  for (const key of around) {
    const item = /** @type {Json} */ (
      key === 'cone' ? constraint.getCone() : key === 'twist' ? constraint.getTwist() : constraint.getScrew()
    );
    if (item.enabled === false) continue;
    if (key !== 'screw') checkRotation(constraint, name);
    found[key] = withoutNone({
      ...item,
      ...(key === 'cone' ? { limit: orNull(/** @type {number} */ (item.limit)) } : {}),
      ...(key === 'twist' ? { limits: bounds(/** @type {number[]} */ (item.limits)) } : {}),
    });
  }
  return found;
}

/**
 * Limits of a ball are about axes that a file has together.
 * @param {Constraint} constraint @param {string} name
 */
function checkRotation(constraint, name) {
  const [u1, , n1] = axesOf(frameOf(constraint, true).rotation);
  const [u2, , n2] = axesOf(frameOf(constraint, false).rotation);
  const differs = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    Math.hypot(...a.map((value, i) => value - b[i])) > mostAngle;
  if (differs(u1, u2) || differs(n1, n2))
    throw inexpressible(name, 'it has rotated, and its cone and twist would begin where it is');
}

/**
 * Null where it is not at work.
 * @param {Constraint} constraint @param {string} key @param {number} index @returns {Json | null}
 */
function secondary(constraint, key, index) {
  const isLength = constraint.type === 'distance' || constraint.type === 'spring';
  const read = isLength ? 0 : constraint.getCoordinate(index);
  const now = Math.abs(read) < sameWithin ? 0 : read; // as it is where it was made
  switch (key) {
    case 'motor': {
      const { enabled, force, ...motor } = constraint.getMotor(index);
      return enabled === false ? null : { ...motor, force: bounds(/** @type {number[]} */ (force)) };
    }
    case 'lockAt': {
      const { enabled, force, position = 0, ...lock } = constraint.getLockAt(index);
      if (enabled === false) return null;
      return withoutNone({
        ...lock,
        position: position - now,
        force: bounds(/** @type {number[]} */ (force)),
      });
    }
    case 'range': {
      const { enabled, limits, ...range } = constraint.getRange(index);
      if (enabled === false) return null;
      return withoutNone({
        ...range,
        limits: bounds(/** @type {number[]} */ (limits)).map((x) => (x === null ? x : x - now)),
      });
    }
    default: {
      const { enabled, ...friction } = constraint.getFriction(index);
      return enabled === false ? null : withoutNone(/** @type {Json} */ (friction));
    }
  }
}

/** Without what is automatic: a damping below 0, what is undefined. @param {Json} item @returns {Json} */
function withoutNone(item) {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([key, value]) => value !== undefined && key !== 'enabled' && !(key === 'damping' && Number(value) < 0),
    ),
  );
}
