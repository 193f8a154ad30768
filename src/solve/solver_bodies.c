// Which bodies yield, with which masses, under which forces; and their new poses.
#include "base/containers/chunks.h"
#include "base/report/assert.h"
#include "dynamics/gravity.h"
#include "dynamics/joint.h"
#include "solve/contact_rows.h"

#include <string.h>

#define CN_BODY_CHUNK 64
#define CN_CONTACT_CHUNK 256
#define CN_JOINT_CHUNK 64
#define CN_ROW_CHUNK 512
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
static void Restart(const cnSolve* solve, const cnSolverJoint* solverJoint) {
    cnBodyTable* bodies = solve->bodies;
    cnConstraintTable* table = solve->constraints;
    CN_ASSERT((table->flags[solverJoint->constraint] & cn_constraintLive) != 0);
    cnConstraint* joint = &table->constraints[solverJoint->constraint];
    bool kinematic = false;
    for (int i = 0; i < 4; ++i) {
        int row = solverJoint->rows[i];
        if (row >= 0) {
            kinematic = kinematic || (bodies->flags[row] & cn_bodyKinematic) != 0;
            bodies->filteredSpin[row] = bodies->halfStepAngularVelocity[row];
            bodies->bearingMomentum[row] = cnVec3_zero;
            bodies->stiffness[row] = bodies->energyCredit[row] = 0.0;
        }
    }
    for (int slot = 0; slot < cn_slotCount; ++slot) {
        joint->rows[slot] = (cnRowState){0};
    }
    joint->lastStep = 0.0;
    joint->startsAtRest = kinematic || (table->flags[solverJoint->constraint] & cn_constraintFresh) == 0;
    table->flags[solverJoint->constraint] &= ~(uint32_t)cn_constraintFresh;
}

// Constraints by chunks of rows.
typedef struct JointListing {
    const cnSolve* solve;
    int* counts; // by chunk
} JointListing;

// The bodies of a constraint, of one between two others all of theirs.
static void FindRows(const cnConstraintTable* table, const cnConstraint* joint, int rows[4]) {
    const cnConstraint *first = joint, *second = NULL;
    if (joint->partner1 >= 0) {
        first = &table->constraints[joint->partner1];
        second = &table->constraints[joint->partner2];
    }
    rows[0] = first->body1;
    rows[1] = first->body2;
    rows[2] = second != NULL ? second->body1 : -1;
    rows[3] = second != NULL ? second->body2 : -1;
}

// Those of a chunk, where it begins.
static void ListJointsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const JointListing* listing = context;
    const cnSolve* solve = listing->solve;
    cnConstraintTable* table = solve->constraints;
    int count = 0;
    for (int row = begin; row < end; ++row) {
        uint32_t acts = cn_constraintLive | cn_constraintEnabled;
        if ((table->flags[row] & cn_constraintLive) == 0 || cnConstraint_Rests(table, solve->bodies, row)) {
            continue;
        }
        cnConstraint_ClearForces(table, row);
        if ((table->flags[row] & acts) != acts) {
            continue;
        }
        cnSolverJoint found = {.constraint = row, .island = -1};
        const cnConstraint* joint = &table->constraints[row];
        FindRows(table, joint, found.rows);
        found.restarts = (table->flags[row] & cn_constraintFresh) != 0;
        found.hasAxes = cnJoint_KindOf(joint)->heldCount > 3 || joint->acting != 0;
        found.solve = joint->solve;
        found.splitSteps = joint->splitSteps;
        found.groupedSteps = joint->groupedSteps;
        bool isDynamic = false, enabled = true;
        for (int i = 0; i < 4; ++i) {
            int body = found.rows[i];
            uint32_t flags = body >= 0 ? solve->bodies->flags[body] : cn_bodyEnabled;
            isDynamic = isDynamic || (body >= 0 && solve->solver.indexOfRow[body] != 0);
            enabled = enabled && (flags & cn_bodyEnabled) != 0;
            found.restarts = found.restarts || (flags & cn_bodySet) != 0;
        }
        if (isDynamic && enabled) {
            solve->joints[begin + count++] = found;
        }
    }
    listing->counts[begin / CN_JOINT_CHUNK] = count;
}

// The constraints that act on dynamic bodies, in the order of their rows. False when memory ran out.
static bool ListJoints(cnSolve* solve) {
    int rowCount = solve->constraints->ids.rowCount;
    solve->joints = CN_PUSH(solve->stack, cnSolverJoint, rowCount + 1, "solver joints");
    int* counts = CN_PUSH(solve->stack, int, rowCount / CN_JOINT_CHUNK + 1, "joints of chunks");
    if (solve->joints == NULL || counts == NULL) {
        return false;
    }
    cnThreadPool_Run(solve->threads, ListJointsTask, &(JointListing){solve, counts}, rowCount,
                     CN_JOINT_CHUNK);
    solve->jointCount = cnJoinChunks(solve->joints, sizeof *solve->joints, rowCount, CN_JOINT_CHUNK, counts);
    cnStack_Pop(solve->stack, counts);
    for (int j = 0; j < solve->jointCount; ++j) {
        if (solve->joints[j].restarts) {
            Restart(solve, &solve->joints[j]);
        }
    }
    return true;
}

// X(name, type, text): an element a solver body.
#define CN_SOLVER_ARRAYS(X)                                                                                  \
    X(moved, uint8_t, "moved bodies")                                                                        \
    X(failed, uint8_t, "failed bodies")                                                                      \
    X(start, cnMomenta, "momenta at the start")                                                              \
    X(inverse, cnInverseMass, "inverse masses")                                                              \
    X(response, cnForceResponse, "force responses")                                                          \
    X(velocity, cnMotion6, "velocity changes")                                                               \
    X(displacement, cnMotion6, "displacements")                                                              \
    X(impactMove, cnImpactMove, "moves by impacts")

// Geometries by chunks: whether the surface of one moves.
typedef struct ConveyorSearch {
    const cnGeometryTable* geometries;
    bool* found; // by chunk
} ConveyorSearch;

static void FindConveyors(int begin, int end, int thread, void* context) {
    (void)thread;
    const ConveyorSearch* search = context;
    const cnGeometryTable* geometries = search->geometries;
    bool found = false;
    for (int row = begin; row < end && !found; ++row) {
        found =
            (geometries->flags[row] & cn_geometryLive) != 0 && !cnIsZeroVec(geometries->surfaceVelocity[row]);
    }
    search->found[begin / CN_ROW_CHUNK] = found;
}

// False when memory ran out.
static bool LookForConveyors(cnSolve* solve) {
    int count = solve->geometries->ids.rowCount, chunks = (count + CN_ROW_CHUNK - 1) / CN_ROW_CHUNK;
    bool* found = CN_PUSH(solve->stack, bool, chunks + 1, "geometries that convey");
    if (found == NULL) {
        return false;
    }
    ConveyorSearch search = {solve->geometries, found};
    cnThreadPool_Run(solve->threads, FindConveyors, &search, count, CN_ROW_CHUNK);
    solve->hasConveyors = chunks > 0 && memchr(found, true, (size_t)chunks) != NULL;
    cnStack_Pop(solve->stack, found);
    return true;
}

// What some dynamic body has.
typedef struct BodyTraits {
    bool anyDamped, anyAnisotropic;
} BodyTraits;

// Rows of bodies by chunks of those that are awake.
typedef struct BodyListing {
    cnSolve* solve;
    int *dynamicCounts, *kinematicCounts; // by chunk
    BodyTraits* traits;                   // likewise
} BodyListing;

static void ListBodiesTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const BodyListing* listing = context;
    cnSolve* solve = listing->solve;
    int *dynamic = solve->solver.rows + 1 + begin, *kinematic = solve->kinematicRows + begin;
    int dynamicCount = 0, kinematicCount = 0, chunk = begin / CN_ROW_CHUNK;
    BodyTraits traits = {0};
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&solve->awake, i);
        uint32_t flags = solve->bodies->flags[row];
        solve->solver.indexOfRow[row] = 0;
        if ((flags & (cn_bodyLive | cn_bodyAsleep)) == cn_bodyLive &&
            cnBody_IsSimulated(solve->bodies, row)) {
            traits.anyDamped |= (flags & cn_bodyDamped) != 0;
            traits.anyAnisotropic |= (flags & cn_bodyIsotropicMass) == 0;
            dynamic[dynamicCount++] = row;
        }
        if ((flags & (cn_bodyLive | cn_bodyKinematic)) == (cn_bodyLive | cn_bodyKinematic)) {
            kinematic[kinematicCount++] = row;
        }
    }
    listing->dynamicCounts[chunk] = dynamicCount;
    listing->kinematicCounts[chunk] = kinematicCount;
    listing->traits[chunk] = traits;
}

static void NumberBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolverBodies* solver = &((cnSolve*)context)->solver;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        solver->indexOfRow[solver->rows[index]] = index;
    }
}

// The dynamic bodies, in the order of their rows, and the kinematic ones. False when memory ran out.
static bool ListBodies(cnSolve* solve) {
    cnSolverBodies* solver = &solve->solver;
    int rowCount = solve->bodies->ids.rowCount, count = solve->awake.count;
    int chunks = count / CN_ROW_CHUNK + 1;
    solver->indexOfRow = CN_PUSH(solve->stack, int, rowCount + 1, "solver index of rows");
    solver->rows = CN_PUSH(solve->stack, int, count + 1, "solver rows");
    solve->kinematicRows = CN_PUSH(solve->stack, int, count + 1, "kinematic rows");
    BodyListing listing = {
        .solve = solve,
        .dynamicCounts = CN_PUSH(solve->stack, int, chunks, "dynamic bodies of chunks"),
        .kinematicCounts = CN_PUSH(solve->stack, int, chunks, "kinematic bodies of chunks"),
        .traits = CN_PUSH(solve->stack, BodyTraits, chunks, "traits of bodies"),
    };
    if (solver->indexOfRow == NULL || solver->rows == NULL || solve->kinematicRows == NULL ||
        listing.dynamicCounts == NULL || listing.kinematicCounts == NULL || listing.traits == NULL) {
        return false;
    }
    if (count < rowCount) {
        memset(solver->indexOfRow, 0, (size_t)rowCount * sizeof *solver->indexOfRow);
    }
    cnThreadPool_Run(solve->threads, ListBodiesTask, &listing, count, CN_ROW_CHUNK);
    solver->rows[0] = -1;
    solver->count =
        1 + cnJoinChunks(solver->rows + 1, sizeof *solver->rows, count, CN_ROW_CHUNK, listing.dynamicCounts);
    solve->kinematicCount = cnJoinChunks(solve->kinematicRows, sizeof *solve->kinematicRows, count,
                                         CN_ROW_CHUNK, listing.kinematicCounts);
    solver->anyDamped = solver->anyAnisotropic = false;
    for (int chunk = 0; chunk * CN_ROW_CHUNK < count; ++chunk) {
        solver->anyDamped |= listing.traits[chunk].anyDamped;
        solver->anyAnisotropic |= listing.traits[chunk].anyAnisotropic;
    }
    cnStack_Pop(solve->stack, listing.traits);
    cnStack_Pop(solve->stack, listing.kinematicCounts);
    cnStack_Pop(solve->stack, listing.dynamicCounts);
    cnThreadPool_Run(solve->threads, NumberBodies, solve, solver->count, CN_ROW_CHUNK);
    return true;
}

static void ClearBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolverBodies* solver = &((cnSolve*)context)->solver;
    size_t count = (size_t)(end - begin);
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
    cnStack_Pop(solve->stack, counts);
    return true;
}

bool cnSolve_Begin(cnSolve* solve) {
    CN_ASSERT(solve->h > 0.0 && solve->stack->entryCount == 0);
    solve->substeps = cnSubstepsOf(&solve->settings);
    solve->substep = solve->h / solve->substeps;
    solve->failedBody = -1;

    cnSolverBodies* solver = &solve->solver;
    if (!ListBodies(solve) || !LookForConveyors(solve)) {
        return false;
    }
#define X(name, type, text) solver->name = CN_PUSH(solve->stack, type, solver->count, text);
    CN_SOLVER_ARRAYS(X)
#undef X
    bool isComplete = true;
#define X(name, type, text) isComplete = isComplete && solver->name != NULL;
    CN_SOLVER_ARRAYS(X)
#undef X
    if (solver->anyDamped) {
        solver->damping = CN_PUSH(solve->stack, cnDampingResponse, solver->count, "damping responses");
        isComplete = isComplete && solver->damping != NULL;
    }
    if (!isComplete) {
        return false;
    }
    solver->inverse[0] = (cnInverseMass){0};
    solver->response[0] = (cnForceResponse){0};
    solver->anyImpactMove = false;
    cnThreadPool_Run(solve->threads, ClearBodies, solve, solver->count, CN_BODY_CHUNK);

    if (!ListContacts(solve) || !ListJoints(solve) || !cnSolve_FindGraph(solve)) {
        return false;
    }
    solver->island = solve->graph->islandOfBody.data;
    cnSolve_BeginIntervals(solve);
    cnSolve_PrepareBodies(solve);
    return cnSolve_ResolveContacts(solve);
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
// every step that a body touches something. Converged islands leave nothing out.
static cnVec3 MissingImpulse(const cnSolve* solve, int index) {
    if (solve->islands[solve->solver.island[index]].solver == cn_islandConverged) {
        return cnVec3_zero;
    }
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
        if (cnSolverBodies_IsFree(solver, index)) {
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
    for (int i = 0; i < solve->kinematicCount; ++i) {
        int row = solve->kinematicRows[i];
        if ((bodies->flags[row] & cn_bodyEnabled) != 0) {
            MoveKinematicBody(bodies, row, solve->h);
        }
    }
    cnJoint_MeasureAll(solve->constraints, bodies, solve->h, solve->threads);
    cnThreadPool_Run(solve->threads, JudgeBodies, solve, solver->count, CN_BODY_CHUNK);
    const uint8_t* failed = solver->failed; // few ever did
    while ((failed = memchr(failed, 1, (size_t)(solver->failed + solver->count - failed))) != NULL) {
        int row = solver->rows[failed - solver->failed];
        RollBack(bodies, row);
        solve->failedBody = solve->failedBody < 0 ? row : solve->failedBody;
        failed += 1;
    }
}

void cnSolve_End(cnSolve* solve) {
    cnStack_PopTo(solve->stack, 0);
}
