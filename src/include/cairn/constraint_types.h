// The types of constraints and what each of them takes, described once.
//
// From the lists of this file come the engine's table of types (src/dynamics/joint.c), the checks of
// definitions, the keys of scene files, the options of JavaScript with their types
// (web/generated/descriptions.js) and the tables of docs/constraints.md and docs/scene-format.md. A joint
// that only holds degrees of freedom is one more row of CN_CONSTRAINT_TYPES, at its end.
#pragma once

// Degrees of freedom between two attachment frames with axes u, v, n, as bits. Of rotations a type holds all,
// or those about u and v (n of the first body stays along n of the second), or that about v alone (n of the
// first stays orthogonal to u of the second: the cross of a universal), or none. Of types that join points or
// constraints the one bit is their row.
enum {
    cn_alongU = 1 << 0,
    cn_alongV = 1 << 1,
    cn_alongN = 1 << 2,
    cn_aboutU = 1 << 3,
    cn_aboutV = 1 << 4,
    cn_aboutN = 1 << 5,
    cn_alongAll = cn_alongU | cn_alongV | cn_alongN,
    cn_aboutAll = cn_aboutU | cn_aboutV | cn_aboutN,
};

// What a constraint joins, and what it has of its own. Each part brings its parameters with it.
enum {
    cn_joinsBodies = 1 << 0,
    cn_hasFrames = 1 << 1,     // attachment frames: a point and axes in each body
    cn_hasAnchors = 1 << 2,    // a point of each body, and the line between them
    cn_hasPartners = 1 << 3,   // joins two constraints, whose coordinates it couples
    cn_hasFree = 1 << 4,       // coordinates that take a motor, lock, range and friction: whoever has one
    cn_hasCone = 1 << 5,       // limits of a joint that is free to rotate
    cn_hasRatio = 1 << 6,      // angle of the first partner = ratio · angle of the second
    cn_hasRadius = 1 << 7,     // position of the second partner = radius · angle of the first
    cn_hasLead = 1 << 8,       // a row more: position = lead · angle
    cn_hasScrew = 1 << 9,      // the same as a secondary
    cn_hasStiffness = 1 << 10, // pulls with a force in place of holding
    cn_joinsFrames = cn_joinsBodies | cn_hasFrames,
    cn_joinsPoints = cn_joinsBodies | cn_hasAnchors,
};

// Coordinates that are free, measured and driven by secondaries.
enum {
    cn_noCoordinate = 0,
    cn_coordinateAlong,  // position along n
    cn_coordinateAbout,  // angle about n
    cn_coordinateLength, // distance of two points
    cn_coordinateArm1,   // angle of the first body about its arm of a cross
    cn_coordinateArm2,   // angle of a cross about the arm of the second body
};

// X(Name, word, parts, held degrees of freedom, first and second coordinate, what it holds in words)
#define CN_CONSTRAINT_TYPES(X)                                                                               \
    X(Ball, ball, cn_joinsFrames | cn_hasCone, cn_alongAll, cn_noCoordinate, cn_noCoordinate,                \
      "all translations")                                                                                    \
    X(Hinge, hinge, cn_joinsFrames, cn_alongAll | cn_aboutU | cn_aboutV, cn_coordinateAbout,                 \
      cn_noCoordinate, "all but the rotation about n")                                                       \
    X(Prismatic, prismatic, cn_joinsFrames, cn_alongU | cn_alongV | cn_aboutAll, cn_coordinateAlong,         \
      cn_noCoordinate, "all but the translation along n")                                                    \
    X(Lock, lock, cn_joinsFrames, cn_alongAll | cn_aboutAll, cn_noCoordinate, cn_noCoordinate, "everything") \
    X(Universal, universal, cn_joinsFrames, cn_alongAll | cn_aboutV, cn_coordinateArm1, cn_coordinateArm2,   \
      "all translations; the arms of the cross stay orthogonal")                                             \
    X(Cylindrical, cylindrical, cn_joinsFrames | cn_hasScrew, cn_alongU | cn_alongV | cn_aboutU | cn_aboutV, \
      cn_coordinateAlong, cn_coordinateAbout, "translations and rotations across n")                         \
    X(Distance, distance, cn_joinsPoints, cn_alongU, cn_coordinateLength, cn_noCoordinate,                   \
      "the distance of two points, unless it has a motor, lock or range")                                    \
    X(Planar, planar, cn_joinsFrames, cn_alongN | cn_aboutU | cn_aboutV, cn_noCoordinate, cn_noCoordinate,   \
      "the translation along n, the rotations about u and v")                                                \
    X(AngularLock, angularLock, cn_joinsFrames, cn_aboutAll, cn_noCoordinate, cn_noCoordinate,               \
      "all rotations")                                                                                       \
    X(Spring, spring, cn_joinsPoints | cn_hasStiffness, cn_alongU, cn_coordinateLength, cn_noCoordinate,     \
      "nothing; pulls two points to `length`")                                                               \
    X(Gear, gear, cn_hasPartners | cn_hasRatio, cn_alongU, cn_noCoordinate, cn_noCoordinate,                 \
      "angle of A = `ratio` · angle of B")                                                                   \
    X(Screw, screw, cn_joinsFrames | cn_hasLead, cn_alongU | cn_alongV | cn_aboutU | cn_aboutV,              \
      cn_coordinateAlong, cn_coordinateAbout, "as cylindrical, and position = `lead` · angle")               \
    X(RackPinion, rackPinion, cn_hasPartners | cn_hasRadius, cn_alongU, cn_noCoordinate, cn_noCoordinate,    \
      "position of B = `radius` · angle of A")                                                               \
    X(PointOnLine, pointOnLine, cn_joinsFrames, cn_alongU | cn_alongV, cn_noCoordinate, cn_noCoordinate,     \
      "translations across n: a point of the first body stays on a line of the second")                      \
    X(PointOnPlane, pointOnPlane, cn_joinsFrames, cn_alongN, cn_noCoordinate, cn_noCoordinate,               \
      "the translation along n: a point of the first body stays in a plane of the second")                   \
    X(ParallelAxes, parallelAxes, cn_joinsFrames, cn_aboutU | cn_aboutV, cn_noCoordinate, cn_noCoordinate,   \
      "the rotations about u and v: n of both bodies stay parallel")

#define CN_CONSTRAINT_TYPE(Name, ...) cn_constraint##Name,

// What is held between two attachment frames with axes u, v, n (docs/physics.md, "Constraints").
typedef enum cnConstraintType {
    CN_CONSTRAINT_TYPES(CN_CONSTRAINT_TYPE) cn_constraintTypeCount
} cnConstraintType;

// Parameters, by key: X(key, part that it belongs to, 0 for all types; needed, optional or fileOnly
// (optional, in scene files alone); kind of value, unit, default, meaning), and N(…, bit of cnConstraintDef
// without which it does not count, or 0) where it is one number, a field of cnConstraintDef. Of these 0
// stands for the default of what is `positive`.
#define CN_CONSTRAINT_PARAMETERS(X, N)                                                                       \
    X(name, 0, fileOnly, name, "", "", "for actions and channels")                                           \
    X(type, 0, needed, type, "", "", "")                                                                     \
    X(compliance, 0, optional, perDof, "m/N or rad/(N m)", "1e-8", "of its rows; 0: rigid")                  \
    X(damping, 0, optional, perDof, "s", "two time steps", "of its rows. Of a spring one number, N s/m; 0")  \
    X(forceRange, 0, optional, perDofInterval, "N or N m", "unlimited", "what a row can bear")               \
    X(solve, 0, optional, solve, "", "\"direct\"", "\"direct\", \"iterative\" or \"directAndIterative\"")    \
    X(enabled, 0, optional, flag, "", "true", "")                                                            \
    X(computeForces, 0, fileOnly, flag, "", "false", "forces are there always")                              \
    X(collideConnected, 0, optional, flag, "", "false", "contacts between the two bodies")                   \
    X(mergeSplit, 0, fileOnly, mergeSplit, "", "both true",                                                  \
      "`merge`, `split`: what adaptive merging may do because of it")                                        \
    N(breakForce, 0, optional, positive, "N", "never", "that breaks it", 0)                                  \
    N(breakTorque, 0, optional, positive, "N m", "never", "that breaks it", 0)                               \
    X(bodies, cn_joinsBodies, needed, bodies, "", "", "the second may be null: the world")                   \
    X(anchor, cn_hasFrames, optional, point, "m, world", "the first body's centre of mass", "")              \
    X(axis, cn_hasFrames, optional, direction, "world, any length", "z",                                     \
      "n. Of a universal: the arm of the cross in the first body")                                           \
    X(reference, cn_hasFrames, optional, direction, "world, any length",                                     \
      "the world's axis least along `axis`",                                                                 \
      "u, made orthogonal to n. Of a universal: the arm in the second body, orthogonal to `axis`")           \
    X(anchors, cn_hasAnchors, needed, points, "m, world", "", "a point of each body")                        \
    N(length, cn_hasAnchors, optional, notNegative, "m", "as they are", "the distance of the points",        \
      cn_constraintLength)                                                                                   \
    X(constraints, cn_hasPartners, needed, constraints, "", "", "A and B")                                   \
    X(motor, cn_hasFree, optional, motor, "", "none", "of each free coordinate")                             \
    X(lockAt, cn_hasFree, optional, lockAt, "", "none", "of each free coordinate")                           \
    X(range, cn_hasFree, optional, range, "", "none", "of each free coordinate")                             \
    X(friction, cn_hasFree, optional, friction, "", "none", "of each free coordinate")                       \
    X(cone, cn_hasCone, optional, cone, "", "none", "a limit of the angle between the axes in both bodies")  \
    X(twist, cn_hasCone, optional, twist, "", "none", "a range of the rotation about the axis, -π…π")        \
    N(ratio, cn_hasRatio, needed, notZero, "", "", "angle of A = ratio · angle of B", 0)                     \
    N(radius, cn_hasRadius, needed, notZero, "m", "", "position of B = radius · angle of A", 0)              \
    N(lead, cn_hasLead, needed, notZero, "m/rad", "", "position = lead · angle; > 0 right-handed", 0)        \
    X(screw, cn_hasScrew, optional, screw, "", "none", "position = lead · angle, as a secondary")            \
    N(stiffness, cn_hasStiffness, optional, notNegative, "N/m", "1/`compliance`, without one 0",             \
      "0: a damper", 0)

// X(Name, key, struct): secondary constraints. The first four are of free coordinates.
#define CN_SECONDARIES(X)                                                                                    \
    X(Motor, motor, cnMotor)                                                                                 \
    X(LockAt, lockAt, cnLockAt)                                                                              \
    X(Range, range, cnRange)                                                                                 \
    X(Friction, friction, cnJointFriction)                                                                   \
    X(Cone, cone, cnRange)                                                                                   \
    X(Twist, twist, cnRange)                                                                                 \
    X(Screw, screw, cnScrew)

// X(secondary, key, kind of value, unit, default, meaning)
#define CN_SECONDARY_PARAMETERS(X)                                                                           \
    X(motor, speed, number, "m/s or rad/s", "0", "")                                                         \
    X(motor, force, force, "N or N m", "unlimited", "F stands for [-F, F]")                                  \
    X(motor, lockAtZeroSpeed, flag, "", "false", "at speed 0 holds the position")                            \
    X(motor, enabled, flag, "", "true", "")                                                                  \
    X(lockAt, position, number, "m or rad", "0", "to hold")                                                  \
    X(lockAt, force, force, "N or N m", "unlimited", "F stands for [-F, F]")                                 \
    X(lockAt, compliance, notNegative, "m/N or rad/(N m)", "the constraint's", "")                           \
    X(lockAt, damping, notNegative, "s", "the constraint's", "")                                             \
    X(lockAt, enabled, flag, "", "true", "")                                                                 \
    X(range, limits, interval, "m or rad", "unlimited", "[min, max], null: none")                            \
    X(range, compliance, notNegative, "m/N or rad/(N m)", "the constraint's", "")                            \
    X(range, damping, notNegative, "s", "the constraint's", "")                                              \
    X(range, enabled, flag, "", "true", "")                                                                  \
    X(friction, coefficient, notNegative, "", "0",                                                           \
      "up to coefficient · N along n, coefficient · radius · N about it, N the last step's force across n")  \
    X(friction, radius, positive, "m", "1", "")                                                              \
    X(friction, force, force, "N or N m", "by `coefficient`", "up to F")                                     \
    X(friction, enabled, flag, "", "true", "")                                                               \
    X(cone, limit, notNegative, "rad", "unlimited", "half angle, 0…π")                                       \
    X(cone, compliance, notNegative, "rad/(N m)", "the constraint's", "")                                    \
    X(cone, damping, notNegative, "s", "the constraint's", "")                                               \
    X(cone, enabled, flag, "", "true", "")                                                                   \
    X(twist, limits, interval, "rad", "unlimited", "[min, max], null: none")                                 \
    X(twist, compliance, notNegative, "rad/(N m)", "the constraint's", "")                                   \
    X(twist, damping, notNegative, "s", "the constraint's", "")                                              \
    X(twist, enabled, flag, "", "true", "")                                                                  \
    X(screw, lead, number, "m/rad", "0", "position = lead · angle")                                          \
    X(screw, compliance, notNegative, "m/N", "the constraint's", "")                                         \
    X(screw, damping, notNegative, "s", "the constraint's", "")                                              \
    X(screw, enabled, flag, "", "true", "")
