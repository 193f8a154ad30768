// Restitution: sequential Newton impacts, before the solve.
//
// Among contacts that approach faster than their restitution threshold the fastest comes first (ties
// by contact index), with all others that share no body with it or with one another: a round. Each
// contact of a round gets
//   G v⁺ = −e G v⁻ at its approaching points, λ >= 0, |λ_t| <= μ λ_n,  v at the time of the positions,
// then the next round looks again, at most 64 times. One simultaneous solve would send Newton's cradle (1, 0,
// 0) to (−1/3, 2/3, 2/3); rounds give (0, 0, 1). What is left is plastic and done by the solve that follows:
// its rows hold G v >= 0 anyway.
//
// The stepper is a leap-frog: positions belong to t, velocities to an earlier time, that of a free body to
// t − h/2, that of a body in sub-steps to t − h_s/2 (velocity_times.c). With a the acceleration by gravity
// and users' forces the impact itself sees v + a h/2, and what it leaves is for the sub-steps that follow:
//   v⁺ = −e (v⁻ + a h/2) − a h_s/2,
// of which only −(1 + e) (v⁻ + a h/2) is the impulse.
// At e = 1 this is the exact reversal of the leap-frog; without it a ball loses g h of its speed
// at every bounce.
//
// Positions are those of the end of a step, an impact was before: impact_times.h takes it back to when the
// surfaces met, and bodies that flew to where they would have come by now.
//
// A contact's points are solved together by projected Gauss–Seidel sweeps in f64. Should friction and
// restitution together raise the kinetic energy, λᵀ(u⁻ + u⁺)/2 > 0 with u the velocities along the rows
// (beyond rounding: at e = 1 it is zero), the contact is solved again without restitution. Bodies that joints
// connect answer together (direct_impacts.h).
#include "base/containers/sort.h"
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/impacts/direct_impacts.h"
#include "solve/impacts/impact_times.h"

#include <string.h>

#define CN_CONTACT_CHUNK 64
#define CN_MAX_ROUNDS 64
#define CN_IMPACT_SWEEPS 64
// Energy that counts as raised, as a part of the work of the multipliers.
#define CN_ENERGY_ROUNDING 1e-9

typedef struct ImpactContact {
    int contact, place; // of cnSolve; in the list of those that bounce
    double speed;       // of approach, m/s
} ImpactContact;

typedef struct ImpactPoint {
    cnVec3 arm1, arm2;
    double target; // G v wanted along the normal
    double since;  // what G v has changed by since the impact, m/s, less than 0 where it approaches faster
    double impulse[3]; // along normal and tangents
    int place;         // among the points of the rows
    // of linkages: velocities of both bodies for impulses of 1, and those of the point along them
    double response[3][12], inverseMass[3];
} ImpactPoint;

// One contact's bodies, free to change until the impact is accepted.
typedef struct ImpactState {
    const cnContactRows* rows;
    int row1, row2;
    cnInverseMass m1, m2;
    cnVec3 velocity1, angular1, velocity2, angular2;
    cnVec3 direction[3]; // normal, tangents
    double surface[3];   // m/s along them: conveyors, and the curvature along the normal
    ImpactPoint points[CN_MANIFOLD_POINTS];
    int count;
    bool moves[2];     // dynamic
    double work;       // J, that it gives to bodies that are dynamic
    double given;      // J, of that by what is driven: kinematic bodies, conveyors
    double kicksAfter; // sub-steps by which velocities lag behind the poses afterwards
    cnImpactTime time;
    const cnImpactResponse* response; // of linkages; null where both bodies respond alone
} ImpactState;

static bool IsDynamic(const cnSolve* solve, int row) {
    return row >= 0 && solve->solver.indexOfRow[row] != 0;
}

// Largest approaching speed over the touching points.
static double ApproachSpeed(const cnSolve* solve, const cnSolverContact* contact) {
    const cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    const cnContactRows* rows = contact->row >= 0 ? &solve->contactRows[contact->row] : NULL;
    double approach = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        double depth = rows != NULL ? cnImpactTimes_GetDepth(solve, rows, i) : pair->manifold.depths[i];
        if (depth >= 0.0) {
            approach = cnMax(approach, -cnPair_GetApproach(pair, solve, i));
        }
    }
    return approach;
}

// The depth found at an impact is no stored energy: until the contact rests without it
// (position_correction.c) or separates, it is pushed out no faster than it bounces, or than
// CN_MIN_CORRECTION_SPEED.
static void LimitPush(const cnSolve* solve, const cnSolverContact* contact) {
    cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    bool touching = (pair->flags & cn_pairTouching) != 0;
    if (!touching && (pair->flags & cn_pairLimitedCorrection) != 0) {
        pair->flags &= ~(uint32_t)cn_pairLimitedCorrection;
    } else if (touching && (pair->flags & cn_pairWasTouching) == 0) {
        double bounce =
            contact->restitution > 0.0 ? contact->restitution * ApproachSpeed(solve, contact) : 0.0;
        cnPair_LimitCorrection(pair, (float)cnMax(bounce, CN_MIN_CORRECTION_SPEED));
    }
}

static double PointVelocity(const ImpactState* state, const ImpactPoint* point, int k) {
    CN_ASSERT(k >= 0 && k < 3);
    cnVec3 u = cnSub(cnAdd(state->velocity1, cnCross(state->angular1, point->arm1)),
                     cnAdd(state->velocity2, cnCross(state->angular2, point->arm2)));
    return cnDot(state->direction[k], u) + state->surface[k];
}

// Of the dynamic bodies alone, or of those that are not.
static double VelocityOfThose(const ImpactState* state, const ImpactPoint* point, int k, bool dynamic) {
    cnVec3 u = cnVec3_zero;
    if (state->moves[0] == dynamic) {
        u = cnAdd(state->velocity1, cnCross(state->angular1, point->arm1));
    }
    if (state->moves[1] == dynamic) {
        u = cnSub(u, cnAdd(state->velocity2, cnCross(state->angular2, point->arm2)));
    }
    return cnDot(state->direction[k], u);
}

// J, that an impulse takes from kinematic bodies and conveyors.
static double WorkOfDriven(const ImpactState* state, const ImpactPoint* point) {
    double work = 0.0;
    for (int k = 0; k < 3; ++k) {
        double speed = VelocityOfThose(state, point, k, false) + (k > 0 ? state->surface[k] : 0.0);
        work -= point->impulse[k] * speed;
    }
    return work;
}

// Force and moment on both bodies of an impulse of 1.
static void WrenchesOf(const ImpactState* state, const ImpactPoint* point, int k, double wrenches[12]) {
    CN_ASSERT(k >= 0 && k < 3);
    cnVec3 direction = state->direction[k];
    cnPutVec(wrenches, direction);
    cnPutVec(wrenches + 3, cnCross(point->arm1, direction));
    cnPutVec(wrenches + 6, cnNeg(direction));
    cnPutVec(wrenches + 9, cnNeg(cnCross(point->arm2, direction)));
}

static void LoadResponses(const ImpactState* state, ImpactPoint* point) {
    for (int k = 0; k < 3; ++k) {
        double wrenches[12];
        WrenchesOf(state, point, k, wrenches);
        point->inverseMass[k] = 0.0;
        for (int i = 0; i < 12; ++i) {
            double sum = 0.0;
            for (int w = 0; w < 12; ++w) {
                sum += state->response->of[w][i] * wrenches[w];
            }
            point->response[k][i] = sum;
            point->inverseMass[k] += wrenches[i] * sum;
        }
    }
}

static void Push(ImpactState* state, const ImpactPoint* point, int k, double impulse) {
    CN_ASSERT(k >= 0 && k < 3);
    if (state->response != NULL) {
        const double* v = point->response[k];
        state->velocity1 = cnMulAdd(state->velocity1, impulse, cnGetVec(v));
        state->angular1 = cnMulAdd(state->angular1, impulse, cnGetVec(v + 3));
        state->velocity2 = cnMulAdd(state->velocity2, impulse, cnGetVec(v + 6));
        state->angular2 = cnMulAdd(state->angular2, impulse, cnGetVec(v + 9));
        return;
    }
    cnVec3 p = cnScale(impulse, state->direction[k]);
    state->velocity1 = cnAdd(state->velocity1, cnMulMat(state->m1.linear, p));
    state->angular1 = cnAdd(state->angular1, cnMulMat(state->m1.angular, cnCross(point->arm1, p)));
    state->velocity2 = cnSub(state->velocity2, cnMulMat(state->m2.linear, p));
    state->angular2 = cnSub(state->angular2, cnMulMat(state->m2.angular, cnCross(point->arm2, p)));
}

static double InverseMassAt(const ImpactState* state, const ImpactPoint* point, int k) {
    CN_ASSERT(k >= 0 && k < 3);
    if (state->response != NULL) {
        return point->inverseMass[k];
    }
    cnVec3 direction = state->direction[k];
    return cnInverseEffectiveMass(&state->m1, &state->m2, direction, cnCross(point->arm1, direction),
                                  cnCross(point->arm2, direction));
}

// Velocities of a body at the time of the positions.
static void LoadBody(const cnSolve* solve, cnLinkedImpacts* linked, int row, cnInverseMass* inverse,
                     cnVec3* velocity, cnVec3* spin) {
    if (row < 0) {
        return;
    }
    int index = solve->solver.indexOfRow[row];
    cnBody_GetInverseMass(solve->bodies, row, 0.0, inverse);
    *velocity = solve->bodies->halfStepVelocity[row];
    *spin = solve->bodies->halfStepAngularVelocity[row];
    cnLinkedBody kick;
    if (cnLinkedImpacts_GetKick(linked, index, &kick)) {
        *velocity = cnMulAdd(*velocity, 0.5 * solve->substeps, kick.kick);
        *spin = cnMulAdd(*spin, 0.5 * solve->substeps, kick.spinKick);
    } else if (index != 0) {
        cnSolve_GetVelocityAtPose(solve, index, velocity, spin);
    }
}

static void LoadImpact(const cnSolve* solve, cnLinkedImpacts* linked, const cnContactRows* rows,
                       double restitution, ImpactState* state) {
    const cnImpactResponse* response = state->response;
    double kicksAfter = state->kicksAfter;
    memset(state, 0, sizeof *state);
    state->rows = rows;
    state->response = response;
    state->kicksAfter = kicksAfter;
    state->row1 = rows->pair->body1;
    state->row2 = rows->pair->body2;
    LoadBody(solve, linked, state->row1, &state->m1, &state->velocity1, &state->angular1);
    LoadBody(solve, linked, state->row2, &state->m2, &state->velocity2, &state->angular2);
    state->moves[0] = IsDynamic(solve, state->row1);
    state->moves[1] = IsDynamic(solve, state->row2);
    state->direction[0] = rows->normal;
    state->direction[1] = rows->sliding.axis[0];
    state->direction[2] = rows->sliding.axis[1];
    cnVec3 surface = rows->surfaceVelocity;
    state->surface[0] = rows->pair->curvature * solve->h;
    state->surface[1] = cnDot(rows->sliding.axis[0], surface);
    state->surface[2] = cnDot(rows->sliding.axis[1], surface);
    for (int i = 0; i < rows->pointCount; ++i) {
        if (cnImpactTimes_GetDepth(solve, rows, i) >= 0.0) {
            ImpactPoint* point = &state->points[state->count++];
            point->arm1 = cnContactRows_GetArm1(rows, i);
            point->arm2 = cnContactRows_GetArm2(rows, i);
            point->place = i;
            if (response != NULL) {
                LoadResponses(state, point);
            }
            double speed = PointVelocity(state, point, 0);
            point->target = speed < 0.0 ? -restitution * speed : 0.0;
        }
    }
}

// Whether what bounces with this speed, when surfaces met, is off again at the pose.
static bool IsOff(double restitution, double speed, double rate, double time) {
    return restitution * speed * time > 0.5 * rate * time * time && restitution * speed > rate * time;
}

// Gives two balls a line of centres for their normal.
static ImpactPoint* SetBalls(const cnBallsImpact* balls, ImpactState* state) {
    const cnContactRows* rows = state->rows;
    cnVec3 axis = rows->sliding.axis[0];
    double lean = cnDot(axis, balls->normal);
    cnVec3 along = lean * lean < 0.5 ? axis : rows->normal;
    cnVec3 surface = rows->surfaceVelocity;
    state->direction[0] = balls->normal;
    state->direction[1] = cnNormalize(cnMulAdd(along, -cnDot(along, balls->normal), balls->normal));
    state->direction[2] = cnScale(rows->sliding.scale[1], cnCross(balls->normal, state->direction[1]));
    state->surface[0] = 0.0;
    state->surface[1] = cnDot(state->direction[1], surface);
    state->surface[2] = cnDot(state->direction[2], surface);
    ImpactPoint* point = &state->points[0];
    point->arm1 = balls->arm1;
    point->arm2 = balls->arm2;
    if (state->response != NULL) {
        LoadResponses(state, point);
    }
    return point;
}

// Two balls at the pose.
static void LoadBalls(const cnSolve* solve, double restitution, ImpactState* state) {
    cnBallsImpact balls;
    if (state->count == 1 && cnImpactTimes_GetBalls(solve, state->rows, &balls)) {
        ImpactPoint* point = SetBalls(&balls, state);
        double speed = PointVelocity(state, point, 0);
        point->target = speed < 0.0 ? -restitution * speed : 0.0;
    }
}

// Two balls: the normal is theirs when they met. False where that is not known.
static bool LocateBalls(const cnSolve* solve, const bool* rests, double restitution, ImpactState* state) {
    cnBallsImpact balls;
    cnBallMotion motion1 = {state->velocity1, state->angular1};
    cnBallMotion motion2 = {state->velocity2, state->angular2};
    if (!cnImpactTimes_FindBalls(solve, rests, state->rows, &motion1, &motion2, &balls)) {
        return false;
    }
    ImpactPoint* point = SetBalls(&balls, state);
    double speed = -PointVelocity(state, point, 0) - balls.rate * balls.time;
    if (IsOff(restitution, speed, balls.rate, balls.time)) {
        point->since = -balls.rate * balls.time;
        point->target = restitution * speed + point->since;
        state->time = (cnImpactTime){balls.time, balls.time};
    } else {
        point->target = restitution * cnMax(speed, 0.0);
        double turned = -PointVelocity(state, point, 0) + point->target;
        state->time = (cnImpactTime){0.0, turned > 0.0 ? cnMax(balls.depth, 0.0) / turned : 0.0};
    }
    return true;
}

// Takes the impact back to when its first point met, and what it leaves forward to the pose.
static void LocateImpact(const cnSolve* solve, const bool* rests, double restitution, ImpactState* state) {
    const cnContactRows* rows = state->rows;
    double time = 0.0, speed = 0.0, rate = 0.0, depth = 0.0;
    if (rows->pair->ballCount == 2 && LocateBalls(solve, rests, restitution, state)) {
        return;
    }
    for (int k = 0; k < state->count; ++k) {
        const ImpactPoint* point = &state->points[k];
        double approach = -PointVelocity(state, point, 0);
        double ownRate = cnImpactTimes_GetRate(solve, rests, rows, point->place);
        double own = cnImpactTimes_GetDepth(solve, rows, point->place);
        double since = approach > 0.0 ? cnImpactTimes_Find(solve, own, approach, ownRate) : 0.0;
        if (since < 0.0) {
            return;
        }
        if (since > time) {
            time = since;
            depth = own;
            rate = ownRate;
            speed = approach - rate * since;
        }
    }
    if (!IsOff(restitution, speed, rate, time)) {
        // it would have come back: it starts from the surface
        for (int k = 0; k < state->count; ++k) {
            ImpactPoint* point = &state->points[k];
            double ownRate = cnImpactTimes_GetRate(solve, rests, rows, point->place);
            double then = PointVelocity(state, point, 0) + cnMax(ownRate * time, 0.0);
            point->target = then < 0.0 ? -restitution * then : 0.0;
        }
        double turned = speed + rate * time + restitution * speed;
        state->time = (cnImpactTime){0.0, turned > 0.0 ? depth / turned : 0.0};
        return;
    }
    for (int k = 0; k < state->count; ++k) {
        ImpactPoint* point = &state->points[k];
        point->since = -cnImpactTimes_GetRate(solve, rests, rows, point->place) * time;
        double then = PointVelocity(state, point, 0) - point->since;
        point->target = (then < 0.0 ? -restitution * then : 0.0) + point->since;
    }
    state->time = (cnImpactTime){time, time};
}

// Sweeps until nothing changes by more than rounding. False where that raised the kinetic energy.
static bool SolveImpact(ImpactState* state) {
    CN_ASSERT(state->count >= 1 && state->count <= CN_MANIFOLD_POINTS);
    const cnContactFriction* friction = &state->rows->friction;
    double before[CN_MANIFOLD_POINTS][3], ownBefore[CN_MANIFOLD_POINTS][3];
    for (int i = 0; i < state->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            before[i][k] = PointVelocity(state, &state->points[i], k);
            ownBefore[i][k] = VelocityOfThose(state, &state->points[i], k, true);
        }
    }
    for (int sweep = 0; sweep < CN_IMPACT_SWEEPS; ++sweep) {
        double change = 0.0;
        for (int i = 0; i < state->count; ++i) {
            ImpactPoint* point = &state->points[i];
            double inverseMass = InverseMassAt(state, point, 0);
            double updated = cnMax(0.0, point->impulse[0] -
                                            (PointVelocity(state, point, 0) - point->target) / inverseMass);
            double delta = updated - point->impulse[0];
            point->impulse[0] = updated;
            Push(state, point, 0, delta);
            change = cnMax(change, inverseMass * fabs(delta));

            // friction: a scalar step with the larger inverse effective mass, and the projection
            double tangential = cnMax(InverseMassAt(state, point, 1), InverseMassAt(state, point, 2));
            double next1 = point->impulse[1] - PointVelocity(state, point, 1) / tangential;
            double next2 = point->impulse[2] - PointVelocity(state, point, 2) / tangential;
            cnFrictionBounds bounds = cnFriction_GetBounds(friction, point->impulse[0], 0.0, 0.0);
            cnFriction_Project(friction, &bounds, &next1, &next2);
            double delta1 = next1 - point->impulse[1], delta2 = next2 - point->impulse[2];
            point->impulse[1] += delta1;
            point->impulse[2] += delta2;
            Push(state, point, 1, delta1);
            Push(state, point, 2, delta2);
            change = cnMax(change, tangential * (fabs(delta1) + fabs(delta2)));
        }
        if (change < 1e-9) {
            break;
        }
    }
    double energy = 0.0, size = 0.0;
    state->work = state->given = 0.0;
    for (int i = 0; i < state->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const ImpactPoint* point = &state->points[i];
            double since = k == 0 ? point->since : 0.0;
            double in = before[i][k] - since, out = PointVelocity(state, point, k) - since;
            energy += 0.5 * point->impulse[k] * (in + out);
            size += fabs(point->impulse[k] * in);
            double own = ownBefore[i][k] + VelocityOfThose(state, point, k, true) - 2.0 * since;
            state->work += 0.5 * point->impulse[k] * own;
        }
        state->given += WorkOfDriven(state, &state->points[i]);
    }
    return energy <= CN_ENERGY_ROUNDING * size;
}

// The sum of all points on both bodies: force and moment.
static void SumWrenches(const ImpactState* state, cnVec3* push, cnVec3* moment1, cnVec3* moment2) {
    *push = *moment1 = *moment2 = cnVec3_zero;
    for (int i = 0; i < state->count; ++i) {
        const ImpactPoint* point = &state->points[i];
        cnVec3 p = cnVec3_zero;
        for (int k = 0; k < 3; ++k) {
            p = cnMulAdd(p, point->impulse[k], state->direction[k]);
        }
        *push = cnAdd(*push, p);
        *moment1 = cnAdd(*moment1, cnCross(point->arm1, p));
        *moment2 = cnAdd(*moment2, cnCross(point->arm2, p));
    }
}

// What the impact changes a body's velocities by, which are then so many kicks before the pose.
static void Strike(const cnSolve* solve, int row, cnVec3 velocity, cnVec3 moment, double kicks) {
    cnBodyTable* bodies = solve->bodies;
    const cnForceResponse* response = &solve->solver.response[solve->solver.indexOfRow[row]];
    double later = bodies->lag[row] / solve->substep - kicks;
    cnVec3 spin = cnMulAdd(bodies->halfStepAngularVelocity[row], later, response->angular);
    cnVec3 momentum = cnBody_AngularMomentumFor(bodies, row, bodies->rotation[row], spin);
    bodies->halfStepVelocity[row] =
        cnAdd(cnMulAdd(bodies->halfStepVelocity[row], later, response->linear), velocity);
    bodies->halfStepAngularMomentum[row] = cnAdd(momentum, moment);
    bodies->lag[row] = kicks * solve->substep;
    cnBody_UpdateAngularVelocity(bodies, row);
    cnSolve_JumpVelocity(solve, solve->solver.indexOfRow[row]);
}

// Whether the bodies of a contact rest on one another.
static bool IsRest(const cnSolverContact* contact, const cnPair* pair) {
    return contact->restitution <= 0.0 || (pair->flags & cn_pairWasTouching) != 0;
}

static bool AcceptImpact(cnSolve* solve, cnLinkedImpacts* linked, const cnSolverContact* contact,
                         const bool* rests, const ImpactState* state) {
    cnVec3 push, moment1, moment2;
    SumWrenches(state, &push, &moment1, &moment2);
    bool isLinked[2] = {false, false};
    if (state->response != NULL) {
        double wrenches[12];
        cnPutVec(wrenches, push);
        cnPutVec(wrenches + 3, moment1);
        cnPutVec(wrenches + 6, cnNeg(push));
        cnPutVec(wrenches + 9, cnNeg(moment2));
        if (!cnLinkedImpacts_Accept(linked, contact->body1, contact->body2, wrenches, state->given)) {
            return false;
        }
        cnLinkedBody unused;
        isLinked[0] = cnLinkedImpacts_GetKick(linked, contact->body1, &unused);
        isLinked[1] = cnLinkedImpacts_GetKick(linked, contact->body2, &unused);
    }
    if (IsDynamic(solve, state->row1) && !isLinked[0]) {
        cnVec3 velocity = cnMulMat(state->m1.linear, push);
        Strike(solve, state->row1, velocity, moment1, state->kicksAfter);
        if (!rests[contact->body1]) {
            cnVec3 spin = cnMulMat(state->m1.angular, moment1);
            cnImpactTimes_Move(solve, contact->body1, state->time.moves, velocity, spin);
        }
    }
    if (IsDynamic(solve, state->row2) && !isLinked[1]) {
        cnVec3 velocity = cnNeg(cnMulMat(state->m2.linear, push));
        Strike(solve, state->row2, velocity, cnNeg(moment2), state->kicksAfter);
        if (!rests[contact->body2]) {
            cnVec3 spin = cnNeg(cnMulMat(state->m2.angular, moment2));
            cnImpactTimes_Move(solve, contact->body2, state->time.moves, velocity, spin);
        }
    }
    return true;
}

// To be read.
static void RecordImpact(const ImpactState* state, cnContactImpact* record) {
    for (int k = 0; k < state->count; ++k) {
        int place = state->points[k].place;
        CN_ASSERT(place < state->rows->pair->manifold.pointCount);
        cnVec3 push = cnVec3_zero;
        for (int d = 0; d < 3; ++d) {
            push = cnMulAdd(push, state->points[k].impulse[d], state->direction[d]);
        }
        double pressed = cnDot(push, state->rows->normal);
        cnVec3 rubbed = cnMulAdd(push, -pressed, state->rows->normal);
        record->normal[place] += pressed;
        record->tangential[place] = cnAdd(record->tangential[place], rubbed);
    }
}

// False where there is none: bodies that turn do not approach at the time of the positions, or the joints'
// part of every answer would raise the kinetic energy. The solve stops them then.
static bool ImpactOf(cnSolve* solve, cnLinkedImpacts* linked, const bool* rests, int index,
                     cnContactImpact* record) {
    const cnSolverContact* contact = &solve->contacts[index];
    const cnContactRows* rows = cnSolve_GetRows(solve, index);
    ImpactState state;
    cnImpactResponse response;
    bool isLinked = cnLinkedImpacts_FindResponse(linked, contact->body1, contact->body2, &response);
    state.response = isLinked ? &response : NULL;
    // an island that is solved directly goes on in one step
    state.kicksAfter = cnIsland_IsFactorised(&solve->islands[contact->island]) ? 0.5 * solve->substeps : 0.5;
    bool moves = !rests[contact->body1] || !rests[contact->body2];
    bool isFlight = moves && !isLinked && rows->restitution > 0.0 && cnImpactTimes_IsFlight(solve, contact);
    // what a linkage's stiffness gives back is little: so much less bounces
    static const double shares[] = {1.0, 1.0 - 1e-6, 1.0 - 1e-4, 0.99, 0.7, 0.0};
    int last = (int)(sizeof shares / sizeof shares[0]) - 1;
    for (int i = 0; i <= last; i = isLinked ? i + 1 : i + last) {
        LoadImpact(solve, linked, rows, shares[i] * rows->restitution, &state);
        if (rows->pair->ballCount == 2) {
            LoadBalls(solve, shares[i] * rows->restitution, &state);
        }
        if (isFlight) {
            LocateImpact(solve, rests, rows->restitution, &state);
        }
        bool isLossy = SolveImpact(&state);
        double impulse = 0.0;
        for (int k = 0; k < state.count; ++k) {
            impulse += state.points[k].impulse[0];
        }
        if (!(impulse > 0.0)) {
            return false;
        }
        if ((isLossy || i == last) && AcceptImpact(solve, linked, contact, rests, &state)) {
            RecordImpact(&state, record);
            if (state.time.moves > 0.0 && rows->pair->ballCount == 2) {
                // its normal is that of the pose
                solve->contactRows[contact->row].points[0].depth = -CN_OUT_OF_REACH;
            }
            solve->impactWork += state.work;
            return true;
        }
    }
    return false;
}

// Fastest first, ties by contact.
static void SortImpacts(ImpactContact* impacts, int count) {
    CN_ASSERT(count >= 0);
    CN_SHELL_SORT(ImpactContact, impacts, count, a, b,
                  a.speed > b.speed || (a.speed == b.speed && a.contact < b.contact));
}

// The contacts of a round, from those that bounce. Returns how many approach fast enough.
static int FindImpacts(const cnSolve* solve, const int* bouncing, int bouncingCount, ImpactContact* impacts) {
    CN_ASSERT(bouncingCount >= 0 && bouncingCount <= solve->contactCount);
    int count = 0;
    for (int i = 0; i < bouncingCount; ++i) {
        if (bouncing[i] < 0) {
            continue;
        }
        const cnSolverContact* contact = &solve->contacts[bouncing[i]];
        double speed = ApproachSpeed(solve, contact);
        if (speed > contact->restitutionThreshold) {
            impacts[count++] = (ImpactContact){bouncing[i], i, speed};
        }
    }
    SortImpacts(impacts, count);
    return count;
}

// Whether the impact stage may have work on a contact: something of its island approaches fast enough, and it
// bounces, or a fast body takes part.
static bool MayImpact(const cnSolve* solve, const cnSolverContact* contact, const cnPair* pair) {
    if (!solve->islands[contact->island].hasImpacts || (pair->flags & cn_pairTouching) == 0) {
        return false;
    }
    uint32_t flags1 = pair->body1 >= 0 ? solve->bodies->flags[pair->body1] : 0;
    uint32_t flags2 = pair->body2 >= 0 ? solve->bodies->flags[pair->body2] : 0;
    return ((flags1 | flags2) & cn_bodyFast) != 0 || contact->restitution > 0.0;
}

static void LimitPushes(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int c = begin; c < end; ++c) {
        LimitPush(solve, &solve->contacts[c]);
    }
}

static bool HasImpacts(const cnSolve* solve) {
    for (int i = 0; i < solve->islandCount; ++i) {
        if (solve->islands[i].hasImpacts) {
            return true;
        }
    }
    return false;
}

static bool RunRounds(cnSolve* solve, cnLinkedImpacts* linked) {
    int* bouncing = CN_PUSH(solve->stack, int, solve->contactCount + 1, "bouncing contacts");
    ImpactContact* impacts = CN_PUSH(solve->stack, ImpactContact, solve->contactCount + 1, "impacts");
    int* lastRound = CN_PUSH(solve->stack, int, solve->solver.count, "last rounds");
    bool* rests = CN_PUSH(solve->stack, bool, solve->solver.count, "bodies that rest on something");
    if (bouncing == NULL || impacts == NULL || lastRound == NULL || rests == NULL) {
        return false;
    }
    memset(lastRound, 0, (size_t)solve->solver.count * sizeof *lastRound);
    memset(rests, 0, (size_t)solve->solver.count);
    rests[0] = true;
    int bouncingCount = 0;
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        const cnPair* pair = &solve->pairs->pairs.data[contact->pair];
        if (MayImpact(solve, contact, pair)) {
            bouncing[bouncingCount++] = c;
        }
        bool rest = IsRest(contact, pair);
        rests[contact->body1] |= rest;
        rests[contact->body2] |= rest;
    }
    if (!cnArray_Resize(&solve->pairs->impacts, bouncingCount)) {
        return false;
    }
    for (int i = 0; i < bouncingCount; ++i) {
        solve->pairs->impacts.data[i] = (cnContactImpact){.pair = solve->contacts[bouncing[i]].pair};
    }
    for (int round = 1; round <= CN_MAX_ROUNDS; ++round) {
        int count = FindImpacts(solve, bouncing, bouncingCount, impacts);
        if (count == 0) {
            break;
        }
        solve->statistics.impactRounds = round;
        for (int i = 0; i < count; ++i) {
            const cnSolverContact* contact = &solve->contacts[impacts[i].contact];
            int key1 = cnLinkedImpacts_KeyOf(linked, contact->body1);
            int key2 = cnLinkedImpacts_KeyOf(linked, contact->body2);
            bool taken = (key1 != 0 && lastRound[key1] == round) || (key2 != 0 && lastRound[key2] == round);
            if (!taken) {
                lastRound[key1] = round;
                lastRound[key2] = round;
                cnContactImpact* record = &solve->pairs->impacts.data[impacts[i].place];
                if (!ImpactOf(solve, linked, rests, impacts[i].contact, record)) {
                    bouncing[impacts[i].place] = -1;
                }
            }
        }
    }
    cnImpactTimes_ChangeDepths(solve);
    return true;
}

bool cnSolve_Impacts(cnSolve* solve) {
    int entries = solve->stack->entryCount;
    cnLinkedImpacts linked;
    cnLinkedImpacts_Begin(solve, &linked);
    cnThreadPool_Run(solve->threads, LimitPushes, solve, solve->contactCount, CN_CONTACT_CHUNK);
    bool ok = true;
    if (HasImpacts(solve)) {
        ok = RunRounds(solve, &linked);
    } else {
        solve->pairs->impacts.count = 0;
    }
    ok = cnLinkedImpacts_End(&linked) && ok;
    cnStack_PopTo(solve->stack, entries);
    return ok;
}
