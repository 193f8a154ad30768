// Which bodies yield, with which masses, under which forces; and their new poses.
#include "base/containers/chunks.h"
#include "base/report/assert.h"
#include "dynamics/gravity.h"
#include "dynamics/joint.h"
#include "solve/contact_order.h"
#include "solve/contact_rows.h"

#include <string.h>

#define CN_BODY_CHUNK 64
#define CN_CONTACT_CHUNK 256
// Forces that change a velocity by more than this in a sub-step, m/s or rad/s, count as infinite:
// sweeps are in f32.
#define CN_MAX_CHANGE 1e30

static bool IsBearable(cnVec3 change) {
    return fabs(change.x) <= CN_MAX_CHANGE && fabs(change.y) <= CN_MAX_CHANGE &&
           fabs(change.z) <= CN_MAX_CHANGE;
}

static void PrepareBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    cnSolve* solve = context;
    cnBodyTable* bodies = solve->bodies;
    cnSolverBodies* solver = &solve->solver;
    CN_ASSERT(begin >= 0 && end <= solver->count);
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        int row = solver->rows[index];
        CN_ASSERT(bodies->mass[row] > 0.0);

        // forces of this step: users' and gravity
        cnVec3 gravity = cnGravityOn(&solve->gravity, bodies, row);
        bodies->lastForce[row] = cnMulAdd(bodies->force[row], bodies->mass[row], gravity);
        bodies->lastTorque[row] = cnAdd(bodies->torque[row], cnGravityTorqueOn(&solve->gravity, bodies, row));

        // what a sub-step of them does
        cnInverseMass* inverse = &solver->inverse[index];
        cnBody_GetInverseMass(bodies, row, solve->substep, inverse);
        cnForceResponse* response = &solver->response[index];
        cnDampingResponse* damping = solver->damping != NULL ? &solver->damping[index] : NULL;
        cnBody_GetForceResponse(bodies, row, solve->substep, inverse, bodies->lastForce[row],
                                bodies->lastTorque[row], damping, response);
        if (!IsBearable(response->linear) || !IsBearable(response->angular)) {
            // this body alone will be put back, not all that touch it
            solver->failed[index] = 1;
            bodies->lastForce[row] = bodies->lastTorque[row] = cnVec3_zero;
            response->linear = response->angular = cnVec3_zero;
        }
    }
}

// Once for the inverse masses, and again after impacts, since damping depends on the velocities.
void cnSolve_PrepareBodies(cnSolve* solve) {
    cnThreadPool_Run(solve->threads, PrepareBodies, solve, solve->solver.count, CN_BODY_CHUNK);
}

// A constraint that is new, or whose bodies were set by the user, knows nothing of a last step.
static void Restart(cnSolve* solve, int constraint, const int rows[4]) {
    CN_ASSERT((solve->constraints->flags[constraint] & cn_constraintLive) != 0);
    cnBodyTable* bodies = solve->bodies;
    cnConstraintTable* table = solve->constraints;
    cnConstraint* joint = &table->constraints[constraint];
    bool fresh = (table->flags[constraint] & cn_constraintFresh) != 0;
    bool set = false, kinematic = false;
    for (int i = 0; i < 4; ++i) {
        uint32_t flags = rows[i] >= 0 ? bodies->flags[rows[i]] : 0;
        set = set || (flags & cn_bodySet) != 0;
        kinematic = kinematic || (flags & cn_bodyKinematic) != 0;
    }
    if (!fresh && !set) {
        return;
    }
    for (int i = 0; i < 4; ++i) {
        if (rows[i] >= 0) {
            bodies->filteredSpin[rows[i]] = bodies->halfStepAngularVelocity[rows[i]];
            bodies->bearingMomentum[rows[i]] = cnVec3_zero;
            bodies->stiffness[rows[i]] = bodies->energyCredit[rows[i]] = 0.0;
        }
    }
    for (int slot = 0; slot < cn_slotCount; ++slot) {
        joint->rows[slot] = (cnRowState){0};
    }
    joint->lastStep = 0.0;
    joint->startsAtRest = kinematic || !fresh;
    table->flags[constraint] &= ~(uint32_t)cn_constraintFresh;
}

// The constraints that act on them.
static bool FindSolverJoints(cnSolve* solve) {
    cnSolverBodies* solver = &solve->solver;
    cnConstraintTable* table = solve->constraints;
    solve->joints = CN_PUSH(solve->stack, cnSolverJoint, table->ids.liveCount + 1, "solver joints");
    if (solve->joints == NULL) {
        return false;
    }
    solve->jointCount = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        uint32_t acts = cn_constraintLive | cn_constraintEnabled;
        if ((table->flags[row] & cn_constraintLive) == 0 || cnConstraint_Rests(table, solve->bodies, row)) {
            continue;
        }
        cnConstraint_ClearForces(table, row);
        if ((table->flags[row] & acts) != acts) {
            continue;
        }
        const cnConstraint* joint = &table->constraints[row];
        cnSolverJoint found = {row, {joint->body1, joint->body2, -1, -1}, -1, 0.0};
        if (joint->partner1 >= 0) {
            const cnConstraint *first = &table->constraints[joint->partner1],
                               *second = &table->constraints[joint->partner2];
            found = (cnSolverJoint){row, {first->body1, first->body2, second->body1, second->body2}, -1, 0.0};
        }
        bool isDynamic = false, enabled = true;
        for (int i = 0; i < 4; ++i) {
            int body = found.rows[i];
            isDynamic = isDynamic || (body >= 0 && solver->indexOfRow[body] != 0);
            enabled = enabled && (body < 0 || (solve->bodies->flags[body] & cn_bodyEnabled) != 0);
        }
        if (!isDynamic || !enabled) {
            continue;
        }
        for (int i = 0; i < 4; ++i) {
            solver->free[found.rows[i] >= 0 ? solver->indexOfRow[found.rows[i]] : 0] = 0;
        }
        Restart(solve, row, found.rows);
        solve->joints[solve->jointCount++] = found;
    }
    return true;
}

// X(name, type, text): an element a solver body.
#define CN_SOLVER_ARRAYS(X)                                                                                  \
    X(rows, int, "solver rows")                                                                              \
    X(island, int, "solver islands")                                                                         \
    X(free, uint8_t, "free bodies")                                                                          \
    X(moved, uint8_t, "moved bodies")                                                                        \
    X(failed, uint8_t, "failed bodies")                                                                      \
    X(start, cnMomenta, "momenta at the start")                                                              \
    X(inverse, cnInverseMass, "inverse masses")                                                              \
    X(response, cnForceResponse, "force responses")                                                          \
    X(velocity, cnMotion6, "velocity changes")                                                               \
    X(displacement, cnMotion6, "displacements")                                                              \
    X(impactMove, cnImpactMove, "moves by impacts")

static bool HasConveyors(const cnGeometryTable* geometries) {
    for (int row = 0; row < geometries->ids.rowCount; ++row) {
        cnVec3 velocity = geometries->surfaceVelocity[row];
        if ((geometries->flags[row] & cn_geometryLive) != 0 && !cnIsZeroVec(velocity)) {
            return true;
        }
    }
    return false;
}

static void ClearBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolverBodies* solver = &((cnSolve*)context)->solver;
    size_t count = (size_t)(end - begin);
    memset(solver->free + begin, 1, count);
    memset(solver->moved + begin, 0, count);
    memset(solver->failed + begin, 0, count);
    memset(solver->velocity + begin, 0, count * sizeof(cnMotion6));
    memset(solver->displacement + begin, 0, count * sizeof(cnMotion6));
}

// Contacts by chunks of near pairs.
typedef struct Listing {
    const cnSolve* solve;
    int* counts; // by chunk
} Listing;

// Those of a chunk, where it begins.
static void ListContactsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const Listing* listing = context;
    const cnSolve* solve = listing->solve;
    const int* indexOfRow = solve->solver.indexOfRow;
    cnSolverContact* contacts = solve->contacts + begin;
    int count = 0;
    for (int i = begin; i < end; ++i) {
        const cnNearPair* pair = &solve->pairs->near.data[i];
        if (pair->pointCount == 0 || pair->isUnsolved) {
            continue;
        }
        int body1 = pair->body1 >= 0 ? indexOfRow[pair->body1] : 0;
        int body2 = pair->body2 >= 0 ? indexOfRow[pair->body2] : 0;
        if (body1 == 0 && body2 == 0) {
            continue;
        }
        contacts[count++] = (cnSolverContact){
            .pair = pair->pair,
            .body1 = body1,
            .body2 = body2,
            .island = -1,
            .row = -1,
            .order = pair->order,
            .pointCount = pair->pointCount,
        };
    }
    listing->counts[begin / CN_CONTACT_CHUNK] = count;
}

// The contacts that act on dynamic bodies, in the order of their pairs. False when memory ran out.
static bool ListContacts(cnSolve* solve) {
    cnPairTable_ListNear(solve->pairs, solve->threads);
    const int nearCount = solve->pairs->near.count;
    cnSolverContact* contacts = CN_PUSH(solve->stack, cnSolverContact, nearCount + 1, "solver contacts");
    int* counts = CN_PUSH(solve->stack, int, nearCount / CN_CONTACT_CHUNK + 1, "contacts of chunks");
    if (contacts == NULL || counts == NULL) {
        return false;
    }
    solve->contacts = contacts;
    cnThreadPool_Run(solve->threads, ListContactsTask, &(Listing){solve, counts}, nearCount,
                     CN_CONTACT_CHUNK);
    solve->contactCount = cnJoinChunks(contacts, sizeof *contacts, nearCount, CN_CONTACT_CHUNK, counts);
    for (int c = 0; c < solve->contactCount; ++c) {
        solve->solver.free[contacts[c].body1] = 0;
        solve->solver.free[contacts[c].body2] = 0;
    }
    cnStack_Pop(solve->stack, counts);
    return true;
}

bool cnSolve_Begin(cnSolve* solve) {
    CN_ASSERT(solve->h > 0.0 && solve->stack->entryCount == 0);
    solve->substeps = cnSubstepsOf(&solve->settings);
    solve->substep = solve->h / solve->substeps;
    solve->failedBody = -1;

    // the dynamic bodies, in the order of their rows
    cnSolverBodies* solver = &solve->solver;
    int rowCount = solve->bodies->ids.rowCount;
    int capacity = (solve->awake.count < solve->bodies->ids.liveCount ? solve->awake.count
                                                                      : solve->bodies->ids.liveCount) +
                   1;
    solver->indexOfRow = CN_PUSH(solve->stack, int, rowCount + 1, "solver index of rows");
#define X(name, type, text) solver->name = CN_PUSH(solve->stack, type, capacity, text);
    CN_SOLVER_ARRAYS(X)
#undef X
#define X(name, type, text) || solver->name == NULL
    if (solver->indexOfRow == NULL CN_SOLVER_ARRAYS(X)) {
        return false;
    }
#undef X
    solver->count = 1;
    solver->rows[0] = -1;
    solver->inverse[0] = (cnInverseMass){0};
    solver->response[0] = (cnForceResponse){0};
    bool isDamped = false;
    if (solve->awake.count < rowCount) {
        memset(solver->indexOfRow, 0, (size_t)rowCount * sizeof *solver->indexOfRow);
    }
    for (int i = 0; i < solve->awake.count; ++i) {
        int row = cnRowList_Get(&solve->awake, i);
        uint32_t flags = solve->bodies->flags[row];
        bool isDynamic =
            (flags & (cn_bodyLive | cn_bodyAsleep)) == cn_bodyLive && cnBody_IsSimulated(solve->bodies, row);
        solver->indexOfRow[row] = isDynamic ? solver->count : 0;
        if (isDynamic) {
            isDamped |= (flags & cn_bodyDamped) != 0;
            solver->rows[solver->count++] = row;
        }
    }
    solve->hasConveyors = solver->count > 1 && HasConveyors(solve->geometries);
    if (isDamped) {
        solver->damping = CN_PUSH(solve->stack, cnDampingResponse, solver->count, "damping responses");
        if (solver->damping == NULL) {
            return false;
        }
    }
    CN_ASSERT(solver->count <= capacity);
    solver->anyImpactMove = false;
    cnThreadPool_Run(solve->threads, ClearBodies, solve, solver->count, CN_BODY_CHUNK);

    // the contacts that act on them
    if (!ListContacts(solve) || !cnSolve_OrderContacts(solve) || !FindSolverJoints(solve)) {
        return false;
    }
    cnSolve_BeginIntervals(solve);
    cnSolve_PrepareBodies(solve);
    cnSolve_ResolveContacts(solve);
    return true;
}

// ---- poses ------------------------------------------------------------------------------------------------

// 0, or NaN where some part is none or infinite.
static double Nothing(cnVec3 v) {
    return (v.x - v.x) + (v.y - v.y) + (v.z - v.z);
}

static bool IsBodyFinite(const cnBodyTable* bodies, int row) {
    cnQuat rotation = bodies->rotation[row];
    double sum = Nothing(bodies->centreOfMass[row]) + Nothing(cnVec(rotation.x, rotation.y, rotation.z)) +
                 (rotation.w - rotation.w) + Nothing(bodies->halfStepVelocity[row]) +
                 Nothing(bodies->halfStepAngularMomentum[row]) +
                 Nothing(bodies->halfStepAngularVelocity[row]);
    return sum == 0.0;
}

// That of a sub-step is known; without damping others go by their length.
static void FindResponse(const cnSolve* solve, int index, int row, double h, cnDampingResponse* damping,
                         cnForceResponse* response) {
    const cnBodyTable* bodies = solve->bodies;
    const cnForceResponse* known = &solve->solver.response[index];
    if (known->damping == NULL) {
        double times = h / solve->substep;
        response->damping = NULL;
        response->linear = cnScale(times, known->linear);
        response->angular = cnScale(times, known->angular);
        return;
    }
    cnInverseMass inverse;
    cnBody_GetInverseMass(bodies, row, h, &inverse);
    cnBody_GetForceResponse(bodies, row, h, &inverse, bodies->lastForce[row], bodies->lastTorque[row],
                            damping, response);
}

// A body that no contact touches moves in one step of h, or in as many as the user asked for.
static void MoveFreeBody(const cnSolve* solve, int index, int row) {
    CN_ASSERT((solve->bodies->flags[row] & cn_bodyDynamic) != 0);
    cnBodyTable* bodies = solve->bodies;
    int steps = solve->settings.substeps > 0 ? solve->settings.substeps : 1;
    double h = solve->h / steps;
    cnSolve_AlignVelocity(solve, index, h);
    for (int step = 0; step < steps; ++step) {
        cnDampingResponse damping;
        cnForceResponse response;
        FindResponse(solve, index, row, h, &damping, &response);
        cnVec3 linear = cnForceResponse_Linear(&response, bodies->halfStepVelocity[row]);
        cnVec3 angular = cnForceResponse_Angular(&response, bodies->halfStepAngularVelocity[row]);
        cnMotionStep motion = {
            .h = h,
            .shift = cnScale(h, linear),
            .turn = cnScale(h, angular),
            .velocity = linear,
            .angularVelocity = angular,
            .gyroscopic = solve->gyroscopic,
        };
        cnBody_Move(bodies, row, &motion);
    }
}

static cnVec3 ToVec3(const float v[4]) {
    return (cnVec3){v[0], v[1], v[2]};
}

// What the sweeps' f32 leave out of the impulse of gravity and users' forces, m/s: it would be missed in
// every step that a body touches something.
static cnVec3 MissingImpulse(const cnSolve* solve, int index) {
    const cnForceResponse* response = &solve->solver.response[index];
    cnVec3 given = cnToD(cnToF(response->linear));
    return response->damping != NULL ? cnVec3_zero : cnScale(solve->substeps, cnSub(response->linear, given));
}

static void MoveBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    cnSolve* solve = context;
    cnSolverBodies* solver = &solve->solver;
    CN_ASSERT(begin >= 0 && end <= solver->count);
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        int row = solver->rows[index];
        if (solver->free[index]) {
            MoveFreeBody(solve, index, row);
        } else if (!solver->moved[index]) {
            cnMotionStep motion = {
                .h = solve->h,
                .shift = ToVec3(solver->displacement[index].linear),
                .turn = ToVec3(solver->displacement[index].angular),
                .velocity = cnAdd(ToVec3(solver->velocity[index].linear), MissingImpulse(solve, index)),
                .angularVelocity = ToVec3(solver->velocity[index].angular),
                .gyroscopic = solve->gyroscopic,
            };
            cnBody_Move(solve->bodies, row, &motion);
        }
        solve->bodies->flags[row] &= ~(uint32_t)cn_bodySet;
    }
}

// Where impacts within the step have brought bodies (impacts/impact_times.h).
static void MoveStruckBodies(cnSolve* solve) {
    cnBodyTable* bodies = solve->bodies;
    for (int index = 1; solve->solver.anyImpactMove && index < solve->solver.count; ++index) {
        const cnImpactMove* move = &solve->solver.impactMove[index];
        int row = solve->solver.rows[index];
        if (cnLengthSquared(move->shift) + cnLengthSquared(move->turn) > 0.0) {
            cnQuat turn = cnQuatFromRotationVector(move->turn);
            bodies->centreOfMass[row] = cnAdd(bodies->centreOfMass[row], move->shift);
            bodies->rotation[row] = cnNormalizeQuat(cnMulQuat(turn, bodies->rotation[row]));
            cnBody_UpdatePosition(bodies, row);
            cnBody_UpdateAngularVelocity(bodies, row);
        }
    }
}

// Kinematic bodies go where their velocities lead; one that has a target arrives at it exactly.
static void MoveKinematicBody(cnBodyTable* bodies, int row, double h) {
    CN_ASSERT((bodies->flags[row] & cn_bodyKinematic) != 0 && h > 0.0);
    bodies->centreOfMass[row] = cnMulAdd(bodies->centreOfMass[row], h, bodies->halfStepVelocity[row]);
    cnQuat turn = cnQuatFromRotationVector(cnScale(h, bodies->halfStepAngularVelocity[row]));
    bodies->rotation[row] = cnNormalizeQuat(cnMulQuat(turn, bodies->rotation[row]));
    cnBody_UpdatePosition(bodies, row);
    if ((bodies->flags[row] & cn_bodyMoving) != 0) {
        bodies->targetTime[row] -= h;
        if (bodies->targetTime[row] <= 1e-6 * h) {
            bodies->flags[row] &= ~(uint32_t)cn_bodyMoving;
            bodies->targetTime[row] = 0.0;
            bodies->position[row] = bodies->targetPosition[row];
            bodies->rotation[row] = bodies->targetRotation[row];
            cnBody_UpdateCentre(bodies, row);
        }
    }
    cnBody_StoreAngularVelocity(bodies, row, bodies->halfStepAngularVelocity[row]);
}

// Puts a body back to the start of the step, stops and disables it.
static void RollBack(cnBodyTable* bodies, int row) {
    CN_ASSERT((bodies->flags[row] & cn_bodyDynamic) != 0);
    bodies->position[row] = bodies->previousPosition[row];
    bodies->rotation[row] = bodies->previousRotation[row];
    bodies->halfStepVelocity[row] = cnVec3_zero;
    bodies->halfStepAngularVelocity[row] = cnVec3_zero;
    bodies->halfStepAngularMomentum[row] = cnVec3_zero;
    bodies->flags[row] &= ~(uint32_t)cn_bodyEnabled;
    bodies->owedImpulse[row] = bodies->owedMoment[row] = cnVec3_zero;
    bodies->lag[row] = 0.0;
    cnBody_UpdateCentre(bodies, row);
}

static void JudgeBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        solve->solver.failed[index] |= !IsBodyFinite(solve->bodies, solve->solver.rows[index]);
    }
}

void cnSolve_Integrate(cnSolve* solve) {
    cnBodyTable* bodies = solve->bodies;
    const cnSolverBodies* solver = &solve->solver;
    cnThreadPool_Run(solve->threads, MoveBodies, solve, solve->solver.count, CN_BODY_CHUNK);
    MoveStruckBodies(solve);
    for (int i = 0; i < solve->awake.count; ++i) {
        int row = cnRowList_Get(&solve->awake, i);
        uint32_t kinematic = cn_bodyLive | cn_bodyKinematic | cn_bodyEnabled;
        if ((bodies->flags[row] & kinematic) == kinematic) {
            MoveKinematicBody(bodies, row, solve->h);
        }
    }
    cnJoint_MeasureAll(solve->constraints, bodies, solve->h, solve->threads);
    cnThreadPool_Run(solve->threads, JudgeBodies, solve, solver->count, CN_BODY_CHUNK);
    for (int index = 1; index < solver->count; ++index) {
        int row = solver->rows[index];
        if (solver->failed[index]) {
            RollBack(bodies, row);
            solve->failedBody = solve->failedBody < 0 ? row : solve->failedBody;
        }
    }
}

void cnSolve_End(cnSolve* solve) {
    cnStack_PopTo(solve->stack, 0);
}
