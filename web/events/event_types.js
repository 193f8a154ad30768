// What the events of a world are: their names, who can be asked for which, and what each tells.

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/constraint.js').Constraint} Constraint */
/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/merged_body.js').MergedBody} MergedBody */

/** Three numbers that nobody can change: others may be told, too. @typedef {readonly number[]} Triple */

/**
 * When it happened: at the end of a step.
 * @typedef {object} StepStamp
 * @property {number} time s, world.time after the step
 * @property {number} step world.stepCount after the step
 */

/**
 * Two geometries that touch or touched. Told by a body or a geometry, that one is the first of the two.
 * @typedef {object} TouchSides
 * @property {Body | null} body1 null: static geometry
 * @property {Body | null} body2
 * @property {Geometry} geometry1
 * @property {Geometry} geometry2
 */

/**
 * @typedef {object} TouchDetails
 * @property {Triple} point m, world: where they are deepest in one another; of an impact, where they met
 *   fastest
 * @property {Triple} normal unit, moves 1 out of 2
 * @property {number} approachSpeed m/s along the normal, before the step; below 0 where they part
 * @property {number} impulse N s along the normal, in that step; 0 where a contact listener removed it
 */

/**
 * Two geometries began to touch.
 * @typedef {{ type: 'contactstart' } & StepStamp & TouchSides & TouchDetails} ContactStartEvent
 */
/**
 * They touch no more, or one of them is gone.
 * @typedef {{ type: 'contactend' } & StepStamp & TouchSides} ContactEndEvent
 */
/**
 * They met at `minSpeed` or faster.
 * @typedef {{ type: 'impact' } & StepStamp & TouchSides & TouchDetails} ImpactEvent
 */

/**
 * @typedef {object} SensorSides
 * @property {Geometry} sensor
 * @property {Body | null} sensorBody the sensor's; null: static geometry
 * @property {Geometry} geometry that came in or went out
 * @property {Body | null} body that it is on
 */

/**
 * Something came into a sensor. `point` (m, world) is null for sensors of overlap alone.
 * @typedef {{ type: 'sensorenter', point: Triple | null } & StepStamp & SensorSides} SensorEnterEvent
 */
/**
 * It is out again, or one of them is gone.
 * @typedef {{ type: 'sensorexit' } & StepStamp & SensorSides} SensorExitEvent
 */

/**
 * A constraint carried more than it may, and is disabled.
 * @typedef {{ type: 'break', constraint: Constraint } & StepStamp & ConstraintSides} BreakEvent
 *
 * @typedef {object} ConstraintSides
 * @property {Body} body1
 * @property {Body | null} body2 null: the world
 */

/** A body fell asleep. @typedef {{ type: 'sleep', body: Body } & StepStamp} SleepEvent */
/** It woke up. @typedef {{ type: 'wake', body: Body } & StepStamp} WakeEvent */

/**
 * A body belongs to a merged body.
 * @typedef {{ type: 'merge', body: Body, mergedBody: MergedBody } & StepStamp} MergeEvent
 */
/**
 * It belongs to it no more. `mergedBody` may be gone.
 * @typedef {{ type: 'split', body: Body, mergedBody: MergedBody } & StepStamp} SplitEvent
 */

/**
 * @typedef {object} ContactEventMap
 * @property {ContactStartEvent} contactstart
 * @property {ContactEndEvent} contactend
 * @property {ImpactEvent} impact
 * @property {SensorEnterEvent} sensorenter
 * @property {SensorExitEvent} sensorexit
 *
 * @typedef {object} ConstraintEventMap
 * @property {BreakEvent} break
 *
 * @typedef {object} MotionEventMap
 * @property {SleepEvent} sleep
 * @property {WakeEvent} wake
 * @property {MergeEvent} merge
 * @property {SplitEvent} split
 *
 * @typedef {ContactEventMap & ConstraintEventMap & MotionEventMap} WorldEventMap
 * @typedef {WorldEventMap[keyof WorldEventMap]} WorldEvent
 * @typedef {keyof WorldEventMap} EventName
 */

/**
 * @typedef {object} EventOptions
 * @property {number} [minSpeed] of `impact` alone: m/s of approach, >= 0 (0.1)
 */

/** @type {readonly (keyof ContactEventMap)[]} */
const contactNames = ['contactstart', 'contactend', 'impact', 'sensorenter', 'sensorexit'];

/**
 * Which events who can be asked for.
 * @type {Readonly<Record<'world' | 'body' | 'geometry' | 'constraint', readonly EventName[]>>}
 */
export const eventNames = Object.freeze({
  world: [...contactNames, 'break', 'sleep', 'wake', 'merge', 'split'],
  body: [...contactNames, 'break', 'sleep', 'wake', 'merge', 'split'],
  geometry: contactNames,
  constraint: ['break'],
});

/** m/s: what begins to bounce by the default restitution threshold. */
export const defaultMinSpeed = 0.1;
