// Velocities at the time of the poses, which are what users set and read.
//
// The stepper is a leap-frog: after a step the poses belong to t, the velocities of the state to the middle
// of the last sub-step of h_s. They are a body's `lag` behind its pose: half of that sub-step, or 0 where the
// user gave it its velocity.
//
// **The first kick** of a step lasts from the time of the velocities to the middle of its first sub-step. In
// steady motion that is a whole sub-step; after velocities were set it is half of one; and where a body goes
// from steps to sub-steps, or back, gravity and users' forces first bring its velocities from the old lag to
// the new one. They alone do so: what bodies do to one another comes in pairs, and the partner may keep its
// lag. So Σ (p + lag · f), f the forces from outside, changes by their impulse to rounding, and what spins
// loses nothing. One exception costs nobody momentum: a body that was held by what cannot move in return,
// and is let go, starts with the velocities that are read, or it would be short of half a kick of what held
// it. Forces that are read are impulses by the time in which they acted, so that the first half kick reads
// as the whole force.
//
// **A user's force** is given for a whole step. Where it begins, the velocities lag behind it, and the first
// kick is half a sub-step's, too; what is owed is paid in the first step without a force. So a force that
// lasts changes the velocity by F h/m a step, and positions are exact; it may depend on the pose like any
// other.
//
// **What is read** is p + lag · f and L + lag · τ, with f and τ the rates by which the momenta change at the
// end of the step, by all that acts. They follow from those of the last two intervals of length H: sub-steps
// of islands that are solved directly, whole steps of other bodies. A leap-frog's kicks belong to the poses
// at which its sub-steps begin, those of an interval on the mean to (H + h_s)/2 before its end. So with f1
// and f2 the rates of the last two, the one at the pose is
//
//   f = f2 + (1/2 + h_s/(2 H)) (f2 − f1),
//
// the kick that the next sub-step begins with, as in velocity Verlet: what is read and set again goes on as
// it did. Constant rates are exact, as in free fall, and the energy of what goes round keeps the value that
// it began with. Users' forces are not counted in these rates but added as they are now, so that they go on
// where a force begins or ends.
//
// Where motion is not smooth a correction would show motion that is not there. So nothing is added where f1
// and f2 do not point the same way: what comes to rest reads 0, what rattles reads what the state has. A rate
// that falls is carried on to 0 and no further; where it rises, carrying on fades out while the two differ,
// and is gone where they do by as much as the shorter one. An impact, or a stop on the way (world/ccd), is no
// rate at all: nothing is added in its interval and in the next one. Velocities that users set are followed
// by one rate, which counts alone, unless it is the jump to velocities that joints and contacts allow.
#include "base/report/assert.h"
#include "dynamics/joint.h"
#include "dynamics/rotation.h"
#include "solve/solve.h"

#define CN_BODY_CHUNK 64

// Times the energy of the one that is not carried on.
#define CN_CLEARLY 4.0

// Where users set velocities that contacts and joints do not allow, the first kick has the jump to those that
// they do: in translation or rotation it changes more than this part of the energy that was set there (a
// quarter of the velocity), and more than what gravity and users' forces do.
#define CN_JUMP (1.0 / 16.0)
#define CN_ROUNDED_UP 1.01

// ---- at the start of a step -------------------------------------------------------------------------------

static bool IsForced(const cnBodyTable* bodies, int row) {
    return !cnIsZeroVec(bodies->force[row]) || !cnIsZeroVec(bodies->torque[row]);
}

static bool IsOwed(const cnBodyTable* bodies, int row) {
    return !cnIsZeroVec(bodies->owedImpulse[row]) || !cnIsZeroVec(bodies->owedMoment[row]);
}

static void AddToVelocities(cnBodyTable* bodies, int row, cnVec3 linear, cnVec3 moment) {
    bodies->halfStepVelocity[row] = cnAdd(bodies->halfStepVelocity[row], linear);
    bodies->halfStepAngularMomentum[row] = cnAdd(bodies->halfStepAngularMomentum[row], moment);
    cnBody_UpdateAngularVelocity(bodies, row);
}

// So many kicks of a sub-step by all forces.
static void Kick(const cnSolve* solve, int row, double substep, double kicks) {
    cnBodyTable* bodies = solve->bodies;
    cnInverseMass inverse;
    cnDampingResponse damping;
    cnForceResponse response;
    cnBody_GetInverseMass(bodies, row, substep, &inverse);
    cnBody_GetForceResponse(bodies, row, substep, &inverse, bodies->lastForce[row], bodies->lastTorque[row],
                            &damping, &response);
    cnVec3 linear = cnForceResponse_Linear(&response, bodies->halfStepVelocity[row]);
    cnVec3 angular = cnForceResponse_Angular(&response, bodies->halfStepAngularVelocity[row]);
    cnVec3 moment = cnBody_AngularMomentumFor(bodies, row, bodies->rotation[row], angular);
    AddToVelocities(bodies, row, cnScale(kicks, linear), cnScale(kicks, moment));
}

// Where rates are known velocities at the time of the pose are those that are read, otherwise forces
// say what they are.
static bool IsRead(const cnBodyTable* bodies, int row) {
    uint32_t jumped = cn_bodyStruck | cn_bodyJumped;
    return bodies->smoothSteps[row] >= CN_ONE_RATE && (bodies->flags[row] & jumped) == 0;
}

void cnSolve_GetVelocityAtPose(const cnSolve* solve, int index, cnVec3* velocity, cnVec3* spin) {
    const cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    CN_ASSERT(index > 0);
    if (IsRead(bodies, row)) {
        *velocity = bodies->velocity[row];
        *spin = bodies->angularVelocity[row];
        return;
    }
    const cnForceResponse* response = &solve->solver.response[index];
    double kicks = bodies->lag[row] / solve->substep;
    *velocity = cnMulAdd(bodies->halfStepVelocity[row], kicks, response->linear);
    *spin = cnMulAdd(bodies->halfStepAngularVelocity[row], kicks, response->angular);
}

static void GiveImpulse(const cnSolve* solve, int index, cnVec3 impulse, cnVec3 moment) {
    cnInverseMass inverse;
    int row = solve->solver.rows[index];
    cnBody_GetInverseMass(solve->bodies, row, 0.0, &inverse);
    AddToVelocities(solve->bodies, row, cnMulMat(inverse.linear, impulse), moment);
    solve->solver.start[index].settled = impulse;
    solve->solver.start[index].settledMoment = moment;
    cnSolve_BeginInterval(solve, index);
}

// Steady lag, and forces that begin or have ended.
static void SettleForces(const cnSolve* solve, int index) {
    cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    bool isOwed = IsOwed(bodies, row), isForced = IsForced(bodies, row);
    if (isForced && !isOwed) {
        bodies->owedImpulse[row] = cnScale(bodies->lag[row], bodies->force[row]);
        bodies->owedMoment[row] = cnScale(bodies->lag[row], bodies->torque[row]);
        GiveImpulse(solve, index, cnNeg(bodies->owedImpulse[row]), cnNeg(bodies->owedMoment[row]));
    } else if (isOwed && !isForced) {
        GiveImpulse(solve, index, bodies->owedImpulse[row], bodies->owedMoment[row]);
        bodies->owedImpulse[row] = bodies->owedMoment[row] = cnVec3_zero;
    }
}

// What held the body does so no more: the half of its last kick that belongs to the past is in what is read.
static void LetGo(const cnSolve* solve, int index) {
    int row = solve->solver.rows[index];
    if ((solve->bodies->flags[row] & cn_bodyHeld) != 0 && cnSolverBodies_IsFree(&solve->solver, index) &&
        IsRead(solve->bodies, row)) {
        cnBody_Synchronise(solve->bodies, row);
        cnSolve_BeginInterval(solve, index);
    }
}

void cnSolve_AlignVelocity(const cnSolve* solve, int index, double substep) {
    const cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    CN_ASSERT(index > 0 && substep > 0.0);
    LetGo(solve, index);
    if (bodies->lag[row] != 0.0) {
        SettleForces(solve, index);
    }
    if (bodies->lag[row] == 0.5 * substep) {
        return;
    }
    if (bodies->lag[row] != 0.0) {
        Kick(solve, row, bodies->lag[row], 1.0);
    }
    Kick(solve, row, substep, -0.5);
}

double cnSolve_GetFirstKick(const cnSolve* solve, const int* indices, int count, double substep) {
    double lag = 0.0;
    for (int i = 0; i < count; ++i) {
        int row = solve->solver.rows[indices[i]];
        lag = cnMax(lag, indices[i] != 0 ? solve->bodies->lag[row] : 0.0);
    }
    return cnMin(0.5 * substep + lag, substep);
}

double cnSolve_GetForceTime(const cnSolve* solve, int index1, int index2) {
    const int indices[2] = {index1, index2};
    return solve->h - (solve->substep - cnSolve_GetFirstKick(solve, indices, 2, solve->substep));
}

static const cnIsland* IslandOf(const cnSolve* solve, int index) {
    int island = solve->solver.island[index];
    return island >= 0 ? &solve->islands[island] : NULL;
}

// Of an island that is solved directly, which has sub-steps of its own.
static bool IsFactorised(const cnSolve* solve, int index) {
    const cnIsland* island = IslandOf(solve, index);
    return island != NULL && cnIsland_IsFactorised(island);
}

static void AlignTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        if (!cnSolverBodies_IsFree(&solve->solver, index) && !IsFactorised(solve, index)) {
            cnSolve_AlignVelocity(solve, index, solve->substep);
        }
    }
}

void cnSolve_AlignVelocities(cnSolve* solve) {
    cnThreadPool_Run(solve->threads, AlignTask, solve, solve->solver.count, CN_BODY_CHUNK);
}

// ---- after the step ---------------------------------------------------------------------------------------

// The sub-step that a body was moved in last, s.
static double LastSubstep(const cnSolve* solve, int index) {
    if (cnSolverBodies_IsFree(&solve->solver, index)) {
        return solve->h / cnMax(solve->settings.substeps, 1);
    }
    if (!IsFactorised(solve, index)) {
        return solve->substep;
    }
    return solve->h / cnMax(IslandOf(solve, index)->statistics.substeps, 1);
}

// The rate at the end, `ahead` intervals after the last one of two.
static inline cnVec3 CarryOn(cnVec3 last, cnVec3 before, double ahead) {
    if (!(cnDot(last, before) > 0.0)) {
        return cnVec3_zero;
    }
    cnVec3 change = cnSub(last, before), carried = cnMulAdd(last, ahead, change);
    double ofLast = cnLengthSquared(last), ofBefore = cnLengthSquared(before);
    if (cnLengthSquared(carried) < cnMin(ofLast, ofBefore)) {
        return cnDot(carried, last) > 0.0 ? carried : cnVec3_zero;
    }
    cnVec3 shorter = ofLast < ofBefore ? last : before;
    double smooth = cnMax(0.0, 1.0 - cnLengthSquared(change) / cnMin(ofLast, ofBefore));
    return cnMulAdd(shorter, smooth, cnSub(carried, shorter));
}

// What the torque-free part of the step changed the angular momentum by, without any moment of users,
// joints or contacts.
static inline cnVec3 FreeChange(const cnSolve* solve, int row, const cnMomenta* start) {
    const cnBodyTable* bodies = solve->bodies;
    cnVec3 change = cnVec3_zero;
    if (!solve->gyroscopic) {
        cnVec3 kept = cnBody_AngularMomentumFor(bodies, row, bodies->rotation[row], start->spin);
        change = cnSub(kept, start->angular);
    }
    if ((bodies->flags[row] & cn_bodyIsotropicMass) == 0) {
        cnVec3 shift = cnSub(bodies->centreOfMass[row], start->centre);
        change = cnSub(change, cnCross(shift, cnBody_GetMomentum(bodies, row)));
    }
    return change;
}

void cnSolve_BeginInterval(const cnSolve* solve, int index) {
    const cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    cnMomenta* start = &solve->solver.start[index];
    start->linear = cnBody_GetMomentum(bodies, row);
    start->angular = bodies->halfStepAngularMomentum[row];
    start->spin = bodies->halfStepAngularVelocity[row];
    start->centre = bodies->centreOfMass[row];
}

// Joints lead an angular velocity, and then it is what changes smoothly: that of a rotor whose moments differ
// across its axis, while its angular momentum swings to and fro. What is free keeps its angular momentum. The
// spin is carried on where that adds clearly less energy.
static void EndSpin(const cnSolve* solve, int index, const cnInterval* interval, double elapsed, int smooth) {
    cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    cnMomenta* start = &solve->solver.start[index];
    start->turns = interval->spin != NULL;
    start->spinRate = cnVec3_zero;
    if (!start->turns) {
        bodies->pathSpin[row] = bodies->halfStepAngularVelocity[row];
        bodies->spinRate[row] = cnVec3_zero;
        return;
    }
    cnVec3 rate = cnScale(1.0 / elapsed, cnSub(*interval->spin, bodies->pathSpin[row]));
    if (smooth == CN_ONE_RATE) {
        start->spinRate = rate;
    } else if (smooth == CN_TWO_RATES) {
        start->spinRate = CarryOn(rate, bodies->spinRate[row], 1.0);
    }
    bodies->pathSpin[row] = *interval->spin;
    bodies->spinRate[row] = rate;
    cnVec3 torque = bodies->netTorque[row];
    cnVec3 spinOfTorque = cnAngularVelocityOf(bodies->rotation[row], &bodies->inverseInertia[row], torque);
    cnVec3 torqueOfRate = cnBody_AngularMomentumFor(bodies, row, bodies->rotation[row], rate);
    start->turns = CN_CLEARLY * cnDot(rate, torqueOfRate) < cnDot(torque, spinOfTorque);
}

void cnSolve_JumpVelocity(const cnSolve* solve, int index) {
    cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    bodies->netForce[row] = cnSub(bodies->lastForce[row], bodies->force[row]);
    bodies->netTorque[row] = cnVec3_zero;
    bodies->smoothSteps[row] = CN_TWO_RATES - 1;
    bodies->flags[row] |= cn_bodyJumped;
    cnSolve_BeginInterval(solve, index);
}

// p M⁻¹ p and L I⁻¹ L: twice an energy, J.
typedef struct TwoNorms {
    double linear, angular;
} TwoNorms;

static TwoNorms NormsOf(const cnInverseMass* inverse, cnVec3 linear, cnVec3 angular) {
    return (TwoNorms){cnDot(linear, cnMulMat(inverse->linear, linear)),
                      cnDot(angular, cnMulMat(inverse->angular, angular))};
}

// Whether what acted for so long on velocities that the user set made them jump to those that contacts and
// joints allow.
static bool IsJump(const cnSolve* solve, int index, double time, cnVec3 force, cnVec3 torque) {
    const cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    const cnMomenta* start = &solve->solver.start[index];
    cnInverseMass inverse;
    cnBody_GetInverseMass(bodies, row, 0.0, &inverse);
    TwoNorms change = NormsOf(&inverse, cnScale(time, force), cnScale(time, torque));
    TwoNorms given = NormsOf(&inverse, start->linear, start->angular);
    TwoNorms outer =
        NormsOf(&inverse, cnScale(time, bodies->lastForce[row]), cnScale(time, bodies->lastTorque[row]));
    double ofOuter = CN_ROUNDED_UP * (outer.linear + outer.angular);
    return change.linear > CN_JUMP * (given.linear + CN_JUMP * given.angular) + ofOuter ||
           change.angular > CN_JUMP * (given.angular + CN_JUMP * given.linear) + ofOuter;
}

static void EndInterval(const cnSolve* solve, int index, const cnInterval* interval) {
    cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    cnMomenta* start = &solve->solver.start[index];
    double length = interval->length, substep = interval->substep;
    double elapsed = interval->isFirst ? length + bodies->lag[row] - 0.5 * substep : length;
    CN_ASSERT(elapsed > 0.0);
    cnVec3 pushed = cnMulAdd(start->linear, elapsed, bodies->force[row]);
    cnVec3 turned = cnAdd(start->angular, FreeChange(solve, row, start));
    turned = cnMulAdd(turned, elapsed, bodies->torque[row]);
    cnVec3 force = cnScale(1.0 / elapsed, cnSub(cnBody_GetMomentum(bodies, row), pushed));
    cnVec3 torque = cnScale(1.0 / elapsed, cnSub(bodies->halfStepAngularMomentum[row], turned));

    // a body that begins to move freely knows its rate: that of the forces
    bool isStruck = (bodies->flags[row] & cn_bodyStruck) != 0;
    bool isFreed = cnSolverBodies_IsFree(&solve->solver, index) && bodies->lag[row] != 0.5 * substep;
    int smooth = isFreed ? CN_ONE_RATE : bodies->smoothSteps[row] + 1;
    smooth = isStruck ? 0 : (smooth < CN_TWO_RATES ? smooth : CN_TWO_RATES);
    start->force = start->torque = cnVec3_zero;
    cnVec3 users = bodies->force[row], usersTorque = bodies->torque[row];
    bool isSet =
        interval->isFirst && bodies->lag[row] == 0.0 && !cnSolverBodies_IsFree(&solve->solver, index);
    if (isSet && IsJump(solve, index, elapsed, cnAdd(force, users), cnAdd(torque, usersTorque))) {
        smooth = CN_ONE_RATE - 1;
    }
    if (smooth == CN_ONE_RATE) {
        start->force = cnAdd(force, users);
        start->torque = cnAdd(torque, usersTorque);
    } else if (smooth == CN_TWO_RATES) {
        double ahead = 0.5 + 0.5 * substep / length;
        start->force = CarryOn(cnAdd(force, users), cnAdd(bodies->netForce[row], users), ahead);
        start->torque =
            CarryOn(cnAdd(torque, usersTorque), cnAdd(bodies->netTorque[row], usersTorque), ahead);
    }
    bodies->netForce[row] = force;
    bodies->netTorque[row] = torque;
    bodies->smoothSteps[row] = smooth;
    EndSpin(solve, index, interval, elapsed, smooth);
    bodies->flags[row] &= ~(uint32_t)(cn_bodyStruck | cn_bodyJumped);
}

void cnSolve_EndInterval(const cnSolve* solve, int index, const cnInterval* interval) {
    EndInterval(solve, index, interval);
    cnSolve_BeginInterval(solve, index);
}

// What users' forces are owed by a lag that is another one than at the start.
static void Owe(cnBodyTable* bodies, int row, double lag) {
    double time = lag - bodies->lag[row];
    if (time != 0.0) {
        bodies->owedImpulse[row] = cnMulAdd(bodies->owedImpulse[row], time, bodies->force[row]);
        bodies->owedMoment[row] = cnMulAdd(bodies->owedMoment[row], time, bodies->torque[row]);
    }
    bodies->lag[row] = lag;
}

// Whether something acts on a body that cannot move in return, and nothing else does.
static bool IsHeld(const cnSolve* solve, int index) {
    const cnIsland* island = IslandOf(solve, index);
    return island != NULL && island->bodyCount == 1;
}

static void ReadBody(const cnSolve* solve, int index) {
    cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    bodies->flags[row] =
        (bodies->flags[row] & ~(uint32_t)cn_bodyHeld) | (IsHeld(solve, index) ? (uint32_t)cn_bodyHeld : 0);
    double substep = LastSubstep(solve, index);
    if (!IsFactorised(solve, index)) {
        const cnInterval step = {.length = solve->h, .substep = substep, .isFirst = true};
        EndInterval(solve, index, &step);
    }
    Owe(bodies, row, 0.5 * substep);
    const cnMomenta* known = &solve->solver.start[index];
    cnBody_ReadAhead(bodies, row, bodies->lag[row], known->force, known->torque);
    if (known->turns) {
        cnBody_ReadSpin(bodies, row, cnMulAdd(bodies->pathSpin[row], bodies->lag[row], known->spinRate));
    }
    bool isStopped = (bodies->flags[row] & cn_bodyStruck) != 0; // on the way after its sub-steps
    bool isFinite = cnIsFiniteVec(bodies->velocity[row]) && cnIsFiniteVec(bodies->angularMomentum[row]) &&
                    cnIsFiniteVec(bodies->angularVelocity[row]);
    if (isStopped || !isFinite) {
        bodies->smoothSteps[row] = 0;
        bodies->netForce[row] = bodies->netTorque[row] = cnVec3_zero;
        bodies->flags[row] &= ~(uint32_t)cn_bodyStruck;
        cnBody_ReadState(bodies, row);
    }
}

static void BeginIntervalsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        int row = solve->solver.rows[index];
        solve->solver.start[index].force = solve->solver.start[index].torque = cnVec3_zero;
        solve->solver.start[index].settled = solve->solver.start[index].settledMoment = cnVec3_zero;
        cnSolve_BeginInterval(solve, index);
        if (solve->bodies->lag[row] == 0.0) {
            // its velocity is the user's: the first rate is all that is known
            solve->bodies->smoothSteps[row] = CN_ONE_RATE - 1;
            solve->bodies->pathSpin[row] = solve->bodies->halfStepAngularVelocity[row];
        }
    }
}

void cnSolve_BeginIntervals(cnSolve* solve) {
    cnThreadPool_Run(solve->threads, BeginIntervalsTask, solve, solve->solver.count, CN_BODY_CHUNK);
}

static void ReadTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        int row = solve->solver.rows[index];
        if (cnBody_IsSimulated(solve->bodies, row)) {
            ReadBody(solve, index);
        } else { // put back and disabled: its state was not finite
            cnBody_ReadState(solve->bodies, row);
        }
    }
}

void cnSolve_ReadVelocities(cnSolve* solve) {
    cnBodyTable* bodies = solve->bodies;
    cnThreadPool_Run(solve->threads, ReadTask, solve, solve->solver.count, CN_BODY_CHUNK);
    for (int i = 0; i < solve->kinematicCount; ++i) {
        cnBody_ReadState(bodies, solve->kinematicRows[i]);
    }
    cnJoint_ReadSpeeds(solve->constraints, bodies, solve->threads);
}
