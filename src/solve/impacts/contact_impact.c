#include "solve/impacts/contact_impact.h"

#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/impacts/impact_times.h"

#include <string.h>

#define CN_IMPACT_SWEEPS 64
// Contacts that strike together bear on one another, and settle later.
#define CN_SHARED_SWEEPS 256
// m/s, below which a sweep changes nothing.
#define CN_IMPACT_ROUNDING 1e-9
// Energy that counts as raised, as a part of the work of the multipliers.
#define CN_ENERGY_ROUNDING 1e-9

typedef struct ImpactPoint {
    cnVec3 arm1, arm2;
    double target; // G v wanted along the normal
    double since;  // what G v has changed by since the impact, m/s, less than 0 where it approaches faster
    double impulse[3]; // along normal and tangents
    int place;         // among the points of the rows
} ImpactPoint;

#define CN_IMPACT_ROWS (3 * CN_MANIFOLD_POINTS)

// The contact's rows, three a point: what an impulse of 1 along one does to the velocities along all.
typedef struct ImpactRows {
    int count;
    double wrenches[CN_IMPACT_ROWS][12]; // force and moment on both bodies
    double velocity[CN_IMPACT_ROWS];     // m/s
    double mobility[CN_IMPACT_ROWS][CN_IMPACT_ROWS];
    // of a point along its normal, and the larger of those along its tangents; their inverses
    double normalMobility[CN_MANIFOLD_POINTS], tangentialMobility[CN_MANIFOLD_POINTS]; // 1/kg
    double normalMass[CN_MANIFOLD_POINTS], tangentialMass[CN_MANIFOLD_POINTS];         // kg
} ImpactRows;

// One contact's bodies, free to change until the impact is accepted.
typedef struct ImpactState {
    const cnContactRows* rows;
    const cnSolverContact* contact;
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
    int places[2]; // of its bodies among those that are struck; −1 for what is not dynamic
    const cnImpactResponse* response; // of linkages; null where bodies respond alone
} ImpactState;

// A dynamic body that is struck.
typedef struct StruckBody {
    int index, row;
    cnInverseMass inverse;
    double wrench[6]; // N s, N m s, of all impulses
} StruckBody;

// Contacts that strike together.
typedef struct Strike {
    ImpactState states[CN_STRIKE_TOGETHER];
    int count;
    StruckBody bodies[CN_STRUCK_BODIES];
    int bodyCount;
} Strike;

static bool IsDynamic(const cnSolve* solve, int row) {
    return row >= 0 && solve->solver.indexOfRow[row] != 0;
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

// Velocities of a contact's body for wrenches on both of its bodies.
static void AnswerOf(const ImpactState* state, const double wrenches[12], int side, double answer[6]) {
    if (state->response == NULL) {
        const cnInverseMass* inverse = side == 0 ? &state->m1 : &state->m2;
        cnPutVec(answer, cnMulMat(inverse->linear, cnGetVec(wrenches + 6 * side)));
        cnPutVec(answer + 3, cnMulMat(inverse->angular, cnGetVec(wrenches + 6 * side + 3)));
        return;
    }
    for (int i = 0; i < 6; ++i) {
        double sum = 0.0;
        for (int w = 0; w < 12; ++w) {
            int place = state->places[w / 6], own = state->places[side];
            bool isThere = place >= 0 && own >= 0;
            sum += isThere ? state->response->of[6 * place + w % 6][6 * own + i] * wrenches[w] : 0.0;
        }
        answer[i] = sum;
    }
}

static void AnswerTo(const ImpactState* state, const double wrenches[12], double answer[12]) {
    AnswerOf(state, wrenches, 0, answer);
    AnswerOf(state, wrenches, 1, answer + 6);
}

static void LoadRows(const ImpactState* state, ImpactRows* rows) {
    double(*wrenches)[12] = rows->wrenches;
    rows->count = 3 * state->count;
    for (int i = 0; i < state->count; ++i) {
        double own[3]; // mobilities along the point's three rows
        for (int k = 0; k < 3; ++k) {
            const int row = 3 * i + k;
            double answer[12], sum = 0.0;
            WrenchesOf(state, &state->points[i], k, wrenches[row]);
            AnswerTo(state, wrenches[row], answer);
            rows->velocity[row] = PointVelocity(state, &state->points[i], k);
            for (int other = 0; other <= row; ++other) {
                sum = 0.0;
                for (int w = 0; w < 12; ++w) {
                    sum += wrenches[other][w] * answer[w];
                }
                rows->mobility[row][other] = rows->mobility[other][row] = sum;
            }
            own[k] = sum;
        }
        rows->normalMobility[i] = own[0];
        rows->tangentialMobility[i] = cnMax(own[1], own[2]);
        rows->normalMass[i] = 1.0 / own[0];
        rows->tangentialMass[i] = 1.0 / rows->tangentialMobility[i];
    }
}

// Velocities of a body at the time of the positions; `linked` is null where no linkage answers.
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
    if (linked != NULL && cnLinkedImpacts_GetKick(linked, index, &kick)) {
        *velocity = cnMulAdd(*velocity, 0.5 * solve->substeps, kick.kick);
        *spin = cnMulAdd(*spin, 0.5 * solve->substeps, kick.spinKick);
    } else if (index != 0) {
        cnSolve_GetVelocityAtPose(solve, index, velocity, spin);
    }
}

static void LoadImpact(const cnSolve* solve, cnLinkedImpacts* linked, const cnSolverContact* contact,
                       double restitution, ImpactState* state) {
    const cnContactRows* rows = &solve->contactRows[contact->row];
    const cnImpactResponse* response = state->response;
    const int places[2] = {state->places[0], state->places[1]};
    double kicksAfter = state->kicksAfter;
    memset(state, 0, sizeof *state);
    state->rows = rows;
    state->contact = contact;
    state->response = response;
    state->places[0] = places[0];
    state->places[1] = places[1];
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
    state->surface[0] = cnPair_GetRollingSpeed(rows->pair, solve->h);
    state->surface[1] = cnDot(rows->sliding.axis[0], surface);
    state->surface[2] = cnDot(rows->sliding.axis[1], surface);
    for (int i = 0; i < rows->pointCount; ++i) {
        if (cnImpactTimes_GetDepth(solve, rows, i) >= 0.0) {
            ImpactPoint* point = &state->points[state->count++];
            point->arm1 = cnContactRows_GetArm1(rows, i);
            point->arm2 = cnContactRows_GetArm2(rows, i);
            point->place = i;
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
    cnPoseMotion motion1 = {state->velocity1, state->angular1};
    cnPoseMotion motion2 = {state->velocity2, state->angular2};
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

// When the first point of contacts that strike together met, before the pose.
typedef struct FirstMeeting {
    double time, speed, rate, depth; // s, m/s when it met, m/s², m at the pose
    double restitution;
} FirstMeeting;

// False where some point has not met within the step.
static bool FindFirstMeeting(const cnSolve* solve, const bool* rests, const ImpactState* states, int count,
                             FirstMeeting* first) {
    *first = (FirstMeeting){.restitution = states[0].rows->restitution};
    for (int s = 0; s < count; ++s) {
        const cnContactRows* rows = states[s].rows;
        for (int k = 0; k < states[s].count; ++k) {
            const ImpactPoint* point = &states[s].points[k];
            double approach = -PointVelocity(&states[s], point, 0);
            double rate = cnImpactTimes_GetRate(solve, rests, rows, point->place);
            double depth = cnImpactTimes_GetDepth(solve, rows, point->place);
            double since = approach > 0.0 ? cnImpactTimes_Find(solve, depth, approach, rate) : 0.0;
            if (since < 0.0) {
                return false;
            }
            if (since > first->time) {
                *first = (FirstMeeting){since, approach - rate * since, rate, depth, rows->restitution};
            }
        }
    }
    return true;
}

// Gives points the arms of when bodies met.
static void LocateArms(const cnSolve* solve, double time, ImpactState* state) {
    const cnPoseMotion motions[2] = {{state->velocity1, state->angular1},
                                     {state->velocity2, state->angular2}};
    for (int k = 0; k < state->count; ++k) {
        ImpactPoint* point = &state->points[k];
        cnVec3 arms[2];
        cnImpactTimes_GetArms(solve, state->rows, point->place, time, motions, state->moves, arms);
        point->arm1 = arms[0];
        point->arm2 = arms[1];
    }
}

// Takes the impact of contacts that strike together back to when their first point met, and what it leaves
// forward to the pose. `share` of restitution is what bounces.
static void LocateImpacts(const cnSolve* solve, const bool* rests, double share, ImpactState* states,
                          int count) {
    if (states[0].rows->pair->ballCount == 2 &&
        LocateBalls(solve, rests, share * states[0].rows->restitution, &states[0])) {
        return;
    }
    FirstMeeting first;
    if (!FindFirstMeeting(solve, rests, states, count, &first)) {
        return;
    }
    const double time = first.time, bounce = share * first.restitution;
    const bool isOff = IsOff(bounce, first.speed, first.rate, time);
    for (int s = 0; s < count; ++s) {
        const double restitution = share * states[s].rows->restitution;
        if (isOff) {
            LocateArms(solve, time, &states[s]);
        }
        for (int k = 0; k < states[s].count; ++k) {
            ImpactPoint* point = &states[s].points[k];
            double rate = cnImpactTimes_GetRate(solve, rests, states[s].rows, point->place);
            double gained = isOff ? rate * time : cnMax(rate * time, 0.0);
            double then = PointVelocity(&states[s], point, 0) + gained;
            point->since = isOff ? -gained : 0.0;
            point->target = (then < 0.0 ? -restitution * then : 0.0) + point->since;
        }
    }
    if (isOff) {
        states[0].time = (cnImpactTime){time, time};
    } else { // it would have come back: it starts from the surface
        double turned = first.speed + first.rate * time + bounce * first.speed;
        states[0].time = (cnImpactTime){0.0, turned > 0.0 ? first.depth / turned : 0.0};
    }
}

// One Gauss-Seidel step of a point's rows. Returns by how much velocities changed.
static double SweepPoint(const cnContactFriction* friction, ImpactRows* rows, int place, ImpactPoint* point) {
    const int row = 3 * place;
    const double *along = rows->mobility[row], *across1 = rows->mobility[row + 1],
                 *across2 = rows->mobility[row + 2];
    double* velocity = rows->velocity;
    double misses = velocity[row] - point->target;
    double pressed = cnMax(0.0, point->impulse[0] - rows->normalMass[place] * misses);
    double delta = pressed - point->impulse[0];

    // friction: a scalar step, and the projection
    double slip1 = velocity[row + 1] + delta * along[row + 1];
    double slip2 = velocity[row + 2] + delta * along[row + 2];
    double next1 = point->impulse[1] - rows->tangentialMass[place] * slip1;
    double next2 = point->impulse[2] - rows->tangentialMass[place] * slip2;
    cnFrictionBounds bounds = cnFriction_GetBounds(friction, pressed, 0.0, 0.0);
    cnFriction_Project(friction, &bounds, &next1, &next2);
    double delta1 = next1 - point->impulse[1], delta2 = next2 - point->impulse[2];

    point->impulse[0] = pressed;
    point->impulse[1] += delta1;
    point->impulse[2] += delta2;
    for (int i = 0; i < rows->count; ++i) {
        velocity[i] += delta * along[i] + (delta1 * across1[i] + delta2 * across2[i]);
    }
    return cnMax(rows->normalMobility[place] * fabs(delta),
                 rows->tangentialMobility[place] * (fabs(delta1) + fabs(delta2)));
}

// What wrenches on the bodies of one contact do to the velocities of a body of another.
static void AnswerElsewhere(const ImpactState* from, const double wrenches[12], int place, double answer[6]) {
    memset(answer, 0, 6 * sizeof *answer);
    for (int side = 0; side < 2; ++side) {
        if (from->places[side] >= 0 && from->response == NULL && from->places[side] == place) {
            AnswerOf(from, wrenches, side, answer);
        }
        for (int k = 0; from->response != NULL && from->places[side] >= 0 && k < 36; ++k) {
            const double* of = from->response->of[6 * from->places[side] + k / 6];
            answer[k % 6] += of[6 * place + k % 6] * wrenches[6 * side + k / 6];
        }
    }
}

// What new impulses of a contact do to the velocities along the rows of those that strike together with it.
static void PassOn(const Strike* strike, ImpactRows* rows, int from, const double before[CN_IMPACT_ROWS]) {
    const ImpactState* state = &strike->states[from];
    double wrenches[12] = {0.0}, answers[CN_STRUCK_BODIES][6];
    for (int row = 0; row < rows[from].count; ++row) {
        double change = state->points[row / 3].impulse[row % 3] - before[row];
        for (int w = 0; w < 12; ++w) {
            wrenches[w] += change * rows[from].wrenches[row][w];
        }
    }
    for (int place = 0; place < strike->bodyCount; ++place) {
        AnswerElsewhere(state, wrenches, place, answers[place]);
    }
    for (int to = 0; to < strike->count; ++to) {
        const int* places = strike->states[to].places;
        for (int row = 0; to != from && row < rows[to].count; ++row) {
            double sum = 0.0;
            for (int w = 0; w < 12; ++w) {
                int place = places[w / 6];
                sum += place >= 0 ? rows[to].wrenches[row][w] * answers[place][w % 6] : 0.0;
            }
            rows[to].velocity[row] += sum;
        }
    }
}

// One Gauss-Seidel step of all points of a contact. Returns by how much velocities changed.
static double SweepContact(Strike* strike, ImpactRows* rows, int index) {
    ImpactState* state = &strike->states[index];
    double before[CN_IMPACT_ROWS], change = 0.0;
    for (int row = 0; row < rows[index].count; ++row) {
        before[row] = state->points[row / 3].impulse[row % 3];
    }
    for (int i = 0; i < state->count; ++i) {
        change = cnMax(change, SweepPoint(&state->rows->friction, &rows[index], i, &state->points[i]));
    }
    if (strike->count > 1) {
        PassOn(strike, rows, index, before);
    }
    return change;
}

// What the impulses do to the kinetic energy, J.
typedef struct ImpactEnergy {
    double raised, size; // of both bodies together, and the sum of what makes it
} ImpactEnergy;

static void AddEnergy(ImpactState* state, const ImpactRows* rows, const double before[CN_IMPACT_ROWS],
                      ImpactEnergy* energy) {
    state->work = state->given = 0.0;
    for (int i = 0; i < state->count; ++i) {
        const ImpactPoint* point = &state->points[i];
        for (int k = 0; k < 3; ++k) {
            int row = 3 * i + k;
            double since = k == 0 ? point->since : 0.0, impulse = point->impulse[k];
            double in = before[row] - since, out = rows->velocity[row] - since;
            energy->raised += 0.5 * impulse * (in + out);
            energy->size += fabs(impulse * in);
            // what is driven keeps its velocity
            double ownIn = VelocityOfThose(state, point, k, true);
            state->work += 0.5 * impulse * (2.0 * (ownIn - since) + (out - in));
        }
        state->given += WorkOfDriven(state, point);
    }
}

// Sweeps until nothing changes by more than rounding. False where that raised the kinetic energy.
static bool SolveStrike(Strike* strike) {
    const int count = strike->count;
    ImpactState* states = strike->states;
    CN_ASSERT(count >= 1 && count <= CN_STRIKE_TOGETHER);
    ImpactRows rows[CN_STRIKE_TOGETHER];
    double before[CN_STRIKE_TOGETHER][CN_IMPACT_ROWS];
    for (int s = 0; s < count; ++s) {
        CN_ASSERT(states[s].count >= 0 && states[s].count <= CN_MANIFOLD_POINTS);
        LoadRows(&states[s], &rows[s]);
        memcpy(before[s], rows[s].velocity, (size_t)rows[s].count * sizeof before[s][0]);
    }
    const int sweeps = count > 1 ? CN_SHARED_SWEEPS : CN_IMPACT_SWEEPS;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        double change = 0.0;
        for (int s = 0; s < count; ++s) {
            change = cnMax(change, SweepContact(strike, rows, s));
        }
        if (change < CN_IMPACT_ROUNDING) {
            break;
        }
    }
    ImpactEnergy energy = {0.0, 0.0};
    for (int s = 0; s < count; ++s) {
        AddEnergy(&states[s], &rows[s], before[s], &energy);
    }
    return energy.raised <= CN_ENERGY_ROUNDING * energy.size;
}

// All impulses as forces and moments on the bodies.
static void SumWrenches(Strike* strike) {
    for (int i = 0; i < strike->bodyCount; ++i) {
        memset(strike->bodies[i].wrench, 0, sizeof strike->bodies[i].wrench);
    }
    for (int s = 0; s < strike->count; ++s) {
        const ImpactState* state = &strike->states[s];
        for (int i = 0; i < state->count; ++i) {
            const ImpactPoint* point = &state->points[i];
            cnVec3 p = cnVec3_zero;
            for (int k = 0; k < 3; ++k) {
                p = cnMulAdd(p, point->impulse[k], state->direction[k]);
            }
            for (int side = 0; side < 2; ++side) {
                if (state->places[side] >= 0) {
                    double* wrench = strike->bodies[state->places[side]].wrench;
                    cnVec3 push = side == 0 ? p : cnNeg(p);
                    cnVec3 moment = cnCross(side == 0 ? point->arm1 : point->arm2, push);
                    cnPutVec(wrench, cnAdd(cnGetVec(wrench), push));
                    cnPutVec(wrench + 3, cnAdd(cnGetVec(wrench + 3), moment));
                }
            }
        }
    }
}

// What the impact changes a body's velocities by, which are then so many kicks before the pose.
static void StrikeBody(const cnSolve* solve, int row, cnVec3 velocity, cnVec3 moment, double kicks) {
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

// Linkages take what they are given as wholes.
static bool AcceptLinked(cnLinkedImpacts* linked, const Strike* strike) {
    int indices[CN_STRUCK_BODIES] = {0};
    double wrenches[6 * CN_STRUCK_BODIES], given = 0.0;
    for (int i = 0; i < strike->bodyCount; ++i) {
        indices[i] = strike->bodies[i].index;
        memcpy(wrenches + 6 * i, strike->bodies[i].wrench, sizeof strike->bodies[i].wrench);
    }
    for (int s = 0; s < strike->count; ++s) {
        given += strike->states[s].given;
    }
    return cnLinkedImpacts_Accept(linked, indices, strike->bodyCount, wrenches, given);
}

static bool AcceptStrike(const cnImpactBodies* bodies, cnLinkedImpacts* linked, Strike* strike) {
    const ImpactState* first = &strike->states[0];
    SumWrenches(strike);
    if (first->response != NULL && !AcceptLinked(linked, strike)) {
        return false;
    }
    for (int i = 0; i < strike->bodyCount; ++i) {
        const StruckBody* body = &strike->bodies[i];
        cnLinkedBody unused;
        if (first->response != NULL && cnLinkedImpacts_GetKick(linked, body->index, &unused)) {
            continue;
        }
        cnVec3 push = cnGetVec(body->wrench), moment = cnGetVec(body->wrench + 3);
        cnVec3 velocity = cnMulMat(body->inverse.linear, push);
        StrikeBody(bodies->solve, body->row, velocity, moment, first->kicksAfter);
        if (!bodies->rests[body->index]) {
            cnVec3 spin = cnMulMat(body->inverse.angular, moment);
            cnImpactTimes_Move(bodies->solve, body->index, first->time.moves, velocity, spin);
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

static double PressedBy(const Strike* strike) {
    double impulse = 0.0;
    for (int s = 0; s < strike->count; ++s) {
        for (int k = 0; k < strike->states[s].count; ++k) {
            impulse += strike->states[s].points[k].impulse[0];
        }
    }
    return impulse;
}

// The place of a body among those that are struck; −1 for what is not dynamic.
static int PlaceOf(const cnSolve* solve, Strike* strike, int index) {
    if (index == 0) {
        return -1;
    }
    for (int i = 0; i < strike->bodyCount; ++i) {
        if (strike->bodies[i].index == index) {
            return i;
        }
    }
    CN_ASSERT(strike->bodyCount < CN_STRUCK_BODIES);
    StruckBody* body = &strike->bodies[strike->bodyCount];
    body->index = index;
    body->row = solve->solver.rows[index];
    cnBody_GetInverseMass(solve->bodies, body->row, 0.0, &body->inverse);
    return strike->bodyCount++;
}

static void ListStruck(const cnSolve* solve, const int* contacts, int count, Strike* strike) {
    strike->count = count;
    strike->bodyCount = 0;
    for (int s = 0; s < count; ++s) {
        const cnSolverContact* contact = &solve->contacts[contacts[s]];
        strike->states[s].places[0] = PlaceOf(solve, strike, contact->body1);
        strike->states[s].places[1] = PlaceOf(solve, strike, contact->body2);
    }
}

// Whether joints are solved with the contacts.
static bool FindResponse(cnLinkedImpacts* linked, const Strike* strike, cnImpactResponse* response) {
    int indices[CN_STRUCK_BODIES] = {0};
    for (int i = 0; i < strike->bodyCount; ++i) {
        indices[i] = strike->bodies[i].index;
    }
    return linked != NULL && cnLinkedImpacts_FindResponse(linked, indices, strike->bodyCount, response);
}

// How contacts strike: the velocities of their bodies, and what is wanted of them. `share` of their
// restitution is what bounces.
static void LoadStrike(const cnImpactBodies* bodies, cnLinkedImpacts* linked, const int* contacts,
                       double share, bool isFlight, Strike* strike) {
    const cnSolve* solve = bodies->solve;
    const cnContactRows* rows = cnSolve_GetRows(solve, contacts[0]);
    for (int s = 0; s < strike->count; ++s) {
        const cnSolverContact* own = &solve->contacts[contacts[s]];
        LoadImpact(solve, linked, own, share * own->restitution, &strike->states[s]);
    }
    if (rows->pair->ballCount == 2) {
        LoadBalls(solve, share * rows->restitution, &strike->states[0]);
    }
    if (isFlight) {
        LocateImpacts(solve, bodies->rests, share, strike->states, strike->count);
    }
}

// Whether all of it flew until it touched.
static bool IsFlight(const cnImpactBodies* bodies, const int* contacts, int count) {
    const cnSolve* solve = bodies->solve;
    bool isFlight = true;
    for (int s = 0; s < count; ++s) {
        const cnSolverContact* contact = &solve->contacts[contacts[s]];
        bool moves = !bodies->rests[contact->body1] || !bodies->rests[contact->body2];
        isFlight = isFlight && moves && contact->restitution > 0.0 && cnImpactTimes_IsFlight(solve, contact);
    }
    return isFlight;
}

cnImpactOutcome cnBounceContacts(const cnImpactBodies* bodies, const int* contacts, int count,
                                 bool mayBeLinked, cnContactImpact* const* records) {
    CN_ASSERT(count <= CN_STRIKE_TOGETHER);
    if (count < 1) {
        return (cnImpactOutcome){0};
    }
    cnSolve* solve = bodies->solve;
    cnLinkedImpacts* linked = mayBeLinked ? bodies->linked : NULL;
    Strike strike;
    cnImpactResponse response;
    ListStruck(solve, contacts, count, &strike);
    bool isLinked = FindResponse(linked, &strike, &response);
    bool isFlight = !isLinked && IsFlight(bodies, contacts, count);
    for (int s = 0; s < count; ++s) {
        const cnIsland* island = &solve->islands[solve->contacts[contacts[s]].island];
        strike.states[s].response = isLinked ? &response : NULL;
        // an island that is solved directly goes on in one step
        strike.states[s].kicksAfter = cnIsland_IsFactorised(island) ? 0.5 * solve->substeps : 0.5;
    }
    // what a linkage's stiffness gives back is little: so much less bounces
    static const double shares[] = {1.0, 1.0 - 1e-6, 1.0 - 1e-4, 0.99, 0.7, 0.0};
    int last = (int)(sizeof shares / sizeof shares[0]) - 1;
    for (int i = 0; i <= last; i = isLinked ? i + 1 : i + last) {
        LoadStrike(bodies, linked, contacts, shares[i], isFlight, &strike);
        bool isLossy = SolveStrike(&strike);
        if (!(PressedBy(&strike) > 0.0)) {
            break;
        }
        if ((isLossy || i == last) && AcceptStrike(bodies, linked, &strike)) {
            const ImpactState* first = &strike.states[0];
            cnImpactOutcome outcome = {.isThere = true, .hasMoved = first->time.moves > 0.0};
            for (int s = 0; s < count; ++s) {
                RecordImpact(&strike.states[s], records[s]);
                outcome.work += strike.states[s].work;
            }
            if (outcome.hasMoved && first->rows->pair->ballCount == 2) {
                // its normal is that of the pose
                solve->contactRows[first->contact->row].points[0].depth = -CN_OUT_OF_REACH;
            }
            return outcome;
        }
    }
    return (cnImpactOutcome){0};
}
