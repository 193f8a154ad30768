// The energy of islands whose contacts are swept beside joints: groups that are factorised, or swept ones.
//
// A group's own guard (energy_guard.h) takes what contacts press for given. What sweeps and groups raise
// together, and what swept joints do, is seen from the whole island only, after its step: with E its kinetic
// energy,
//
//   S = E⁺ − E − h Σ (f·½(v⁺ + v) + τ·½(ω⁺ + ω)) − work of sources,
//
// f and τ being gravity and users' forces. Sources are those of the groups, bodies that are not dynamic and
// moving surfaces; joints that are swept have none (joint_choice.c). What pushes of positions lift is not
// counted: they are bounded by the overlaps, and piles would freeze while they settle. Of S the groups'
// guards have weighed their part; the rest goes through the same credit of the same bodies, and what is too
// much is taken out of the motion beside the common one, or of all motion where something holds or carries
// the island.
//
// Where nearly all of the motion is too much, and has led some body farther than pushes of positions lead,
// the ways of the step are no better: all of the island is put back to where it was. (A vehicle whose joints
// had been merged 1.8 rad off their axes was swept 3 m up in a step.)
//
// What swept joints hold in the gaps by which they sag under their forces is stored as elasticity is: a net
// swings on it.
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/direct/guards/energy_guard.h"

#include <string.h>

// From which part of an island's motion on that is too much its ways may be, too; and by how many ways of the
// fastest push some body has then come too far.
#define CN_WILD_PART 0.99
#define CN_WILD_PUSHES 4.0

#define CN_BODY_CHUNK 64
#define CN_CONTACT_CHUNK 64

// What contacts of an island did, and what they hold, J.
typedef struct ContactEnergy {
    double sources, stored;
    bool carried; // by something that is not dynamic
} ContactEnergy;

// The motion of a body in an island that is guarded, J.
typedef struct BodyEnergy {
    double kinetic, halfWork, ofForces;
} BodyEnergy;

// The motion of an island, by island.
typedef struct IslandMotion {
    double end, kinetic, ofForces, credit, mass;
    cnVec3 momentum;
} IslandMotion;

// With joints, and contacts that are swept.
static bool IsGuarded(const cnIsland* island) {
    return island->solver == cn_islandGrouped || cnIsland_SweepsJoints(island);
}

// Of a body, −1 where its island is none of these.
static int IslandOf(const cnSolve* solve, int index) {
    CN_ASSERT(index >= 0 && index < solve->solver.count);
    int number = solve->solver.island[index];
    return number >= 0 && IsGuarded(&solve->islands[number]) ? number : -1;
}

// Half of what gravity and users' forces do in the step, by the velocities that the body has, J.
static double HalfWork(const cnSolve* solve, int row) {
    CN_ASSERT(row >= 0);
    const cnBodyTable* bodies = solve->bodies;
    return 0.5 * solve->h *
           (cnDot(bodies->lastForce[row], bodies->halfStepVelocity[row]) +
            cnDot(bodies->lastTorque[row], bodies->halfStepAngularVelocity[row]));
}

static bool HasGuarded(const cnSolve* solve) {
    bool has = false;
    for (int i = 0; i < solve->islandCount && !has; ++i) {
        has = IsGuarded(&solve->islands[i]);
    }
    return has;
}

typedef struct Measuring {
    const cnSolve* solve;
    BodyEnergy* bodies;      // by solver index
    ContactEnergy* contacts; // by contact
} Measuring;

static void MeasureBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const Measuring* measuring = context;
    const cnSolve* solve = measuring->solve;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        if (IslandOf(solve, index) >= 0) {
            int row = solve->solver.rows[index];
            measuring->bodies[index] = (BodyEnergy){
                .kinetic = cnBody_GetKineticEnergy(solve->bodies, row),
                .halfWork = HalfWork(solve, row),
                .ofForces = cnEnergyOfForces(solve, row),
            };
        }
    }
}

bool cnSolve_WeighIslands(cnSolve* solve) {
    if (!HasGuarded(solve)) {
        return true;
    }
    Measuring measuring = {.solve = solve,
                           .bodies =
                               CN_PUSH(solve->stack, BodyEnergy, solve->solver.count, "energies of bodies")};
    if (measuring.bodies == NULL) {
        return false;
    }
    cnThreadPool_Run(solve->threads, MeasureBodies, &measuring, solve->solver.count, CN_BODY_CHUNK);
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index);
        if (number >= 0) {
            const BodyEnergy* body = &measuring.bodies[index];
            solve->islands[number].energy.start += body->kinetic + body->halfWork;
        }
    }
    cnStack_Pop(solve->stack, measuring.bodies);
    return true;
}

// ---- after the step ---------------------------------------------------------------------------------------

static void AddBody(const cnSolve* solve, int row, const BodyEnergy* body, IslandMotion* sum) {
    const cnBodyTable* bodies = solve->bodies;
    sum->end += body->kinetic - body->halfWork;
    sum->kinetic += body->kinetic;
    sum->ofForces += body->ofForces;
    sum->credit += bodies->energyCredit[row];
    sum->mass += bodies->mass[row];
    sum->momentum = cnMulAdd(sum->momentum, bodies->mass[row], bodies->halfStepVelocity[row]);
}

// Velocity of a body that is not dynamic at a contact.
static cnVec3 FixedVelocity(const cnSolve* solve, int row, cnVec3 arm) {
    const cnBodyTable* bodies = solve->bodies;
    bool moves = row >= 0 && (bodies->flags[row] & cn_bodyKinematic) != 0;
    return moves ? cnAdd(bodies->halfStepVelocity[row], cnCross(bodies->halfStepAngularVelocity[row], arm))
                 : cnVec3_zero;
}

static ContactEnergy MeasureContact(const cnSolve* solve, int index) {
    ContactEnergy energy = {0};
    const cnSolverContact* contact = &solve->contacts[index];
    const cnContactRows* rows = cnSolve_GetRows(solve, index);
    const cnPair* pair = rows->pair;
    cnVec3 friction = cnToD(pair->frictionForce), force = friction;
    for (int i = 0; i < rows->pointCount; ++i) {
        double pressed = pair->normalForce[i];
        force = cnMulAdd(force, pressed, rows->normal);
        energy.stored += 0.5 * rows->compliance * pressed * pressed;
    }
    if (contact->body2 == 0) {
        energy.sources += solve->h * cnDot(force, FixedVelocity(solve, pair->body2, rows->centreArm2));
    } else if (contact->body1 == 0) {
        energy.sources -= solve->h * cnDot(force, FixedVelocity(solve, pair->body1, rows->centreArm1));
    }
    energy.sources -= solve->h * cnDot(friction, rows->surfaceVelocity);
    energy.carried = contact->body1 == 0 || contact->body2 == 0;
    return energy;
}

static void MeasureContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const Measuring* measuring = context;
    const cnSolve* solve = measuring->solve;
    for (int c = begin; c < end; ++c) {
        if (IsGuarded(&solve->islands[solve->contacts[c].island])) {
            measuring->contacts[c] = MeasureContact(solve, c);
        }
    }
}

// What is taken out of the motion of an island's bodies beside a velocity that they have in common.
typedef struct TakenEnergy {
    cnVec3 common;        // m/s
    double wanted, taken; // J
    double within;        // J, of that motion
} TakenEnergy;

// Takes from each island what is wanted of it, or all that there is.
static void TakeOut(const cnSolve* solve, TakenEnergy* islands) {
    cnBodyTable* bodies = solve->bodies;
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index);
        if (number >= 0 && islands[number].wanted > 0.0) {
            int row = solve->solver.rows[index];
            cnVec3 beside = cnSub(bodies->halfStepVelocity[row], islands[number].common);
            islands[number].within +=
                0.5 * (bodies->mass[row] * cnDot(beside, beside) +
                       cnDot(bodies->halfStepAngularVelocity[row], bodies->halfStepAngularMomentum[row]));
        }
    }
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index);
        if (number >= 0 && islands[number].wanted > 0.0 && islands[number].within > 0.0) {
            const TakenEnergy* taken = &islands[number];
            double share = sqrt(cnMax(1.0 - taken->wanted / taken->within, 0.0));
            int row = solve->solver.rows[index];
            cnVec3 beside = cnSub(bodies->halfStepVelocity[row], taken->common);
            bodies->halfStepVelocity[row] = cnMulAdd(taken->common, share, beside);
            bodies->halfStepAngularMomentum[row] = cnScale(share, bodies->halfStepAngularMomentum[row]);
            bodies->filteredSpin[row] = cnScale(share, bodies->filteredSpin[row]);
            cnBody_UpdateAngularVelocity(bodies, row);
        }
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        double taken = cnMin(islands[i].within, islands[i].wanted);
        islands[i].taken += taken;
        islands[i].wanted -= taken;
        islands[i].within = 0.0;
    }
}

// What an island and its contacts raised without a source, J.
static double RaisedBy(const cnIsland* island, const IslandMotion* motion, const ContactEnergy* contacts) {
    const cnIslandEnergy* energy = &island->energy;
    return motion->end - energy->start - energy->sources - contacts->sources - energy->weighed;
}

static cnEnergyTolerance ToleranceOf(const IslandMotion* motion) {
    return (cnEnergyTolerance){CN_ENERGY_TOLERANCE * motion->kinetic, CN_FORCE_SHARE * motion->ofForces};
}

static bool IsFree(const cnIsland* island, const ContactEnergy* contacts) {
    return !contacts->carried && !island->anchored;
}

// What is to be taken out of each island.
static TakenEnergy ExcessOf(const cnIsland* island, const IslandMotion* motion,
                            const ContactEnergy* contacts) {
    const cnEnergyTolerance tolerance = ToleranceOf(motion);
    double allowed = motion->credit + tolerance.ofMotion + tolerance.ofForces;
    return (TakenEnergy){
        .common = IsFree(island, contacts) ? cnScale(1.0 / motion->mass, motion->momentum) : cnVec3_zero,
        .wanted = cnMax(RaisedBy(island, motion, contacts) - allowed, 0.0),
    };
}

// What is left of an island's credit, J.
static double CreditOf(const cnSolve* solve, const cnIsland* island, const IslandMotion* motion,
                       const ContactEnergy* contacts, double taken) {
    const cnEnergyTolerance tolerance = ToleranceOf(motion);
    double raised = RaisedBy(island, motion, contacts) - taken;
    double max = CN_CREDIT_SHARE * (motion->kinetic - taken) + island->energy.stored + contacts->stored;
    return cnCreditAfter(motion->credit, raised, &tolerance, max, solve->h);
}

// What the guard knows of each island.
typedef struct IslandLedgers {
    IslandMotion* motions;
    ContactEnergy* contacts;
    TakenEnergy* taken;
} IslandLedgers;

static void SumEnergies(const cnSolve* solve, const Measuring* measured, IslandLedgers* ledgers) {
    for (int i = 0; i < solve->islandCount; ++i) {
        ledgers->motions[i] = (IslandMotion){0};
        ledgers->contacts[i] = (ContactEnergy){0};
        ledgers->taken[i] = (TakenEnergy){0};
    }
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index);
        if (number >= 0) {
            int row = solve->solver.rows[index];
            AddBody(solve, row, &measured->bodies[index], &ledgers->motions[number]);
        }
    }
    for (int c = 0; c < solve->contactCount; ++c) {
        int number = solve->contacts[c].island;
        if (IsGuarded(&solve->islands[number])) {
            const ContactEnergy* contact = &measured->contacts[c];
            ContactEnergy* sum = &ledgers->contacts[number];
            sum->sources += contact->sources;
            sum->stored += contact->stored;
            sum->carried = sum->carried || contact->carried;
        }
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        cnIsland* island = &solve->islands[solve->joints[j].island];
        island->energy.stored += cnIsland_SweepsJoints(island) ? solve->joints[j].stored : 0.0;
    }
}

typedef struct CreditTask {
    const cnSolve* solve;
    const IslandMotion* motions;
} CreditTask;

// Each body has a share of its island's credit by its mass.
static void ShareCredit(int begin, int end, int thread, void* context) {
    (void)thread;
    const CreditTask* task = context;
    const cnSolve* solve = task->solve;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        int number = IslandOf(solve, index);
        if (number >= 0) {
            int row = solve->solver.rows[index];
            const IslandMotion* motion = &task->motions[number];
            solve->bodies->energyCredit[row] = motion->credit / motion->mass * solve->bodies->mass[row];
        }
    }
}

// Whether a body has come farther than what is left of its velocity and pushes lead it.
static bool IsAstray(const cnSolve* solve, int row) {
    const cnBodyTable* bodies = solve->bodies;
    double way = cnLength(cnSub(bodies->centreOfMass[row], bodies->contactCentre[row]));
    return way > solve->h * (cnLength(bodies->halfStepVelocity[row]) + CN_WILD_PUSHES * CN_PUSH_LIMIT);
}

// Puts back the bodies of islands nearly all of whose motion was taken, where one of them is astray.
static void PutBack(const cnSolve* solve, const IslandLedgers* ledgers) {
    cnBodyTable* bodies = solve->bodies;
    bool* isBack = CN_PUSH(solve->stack, bool, solve->islandCount, "islands put back");
    if (isBack == NULL) {
        return;
    }
    memset(isBack, 0, (size_t)solve->islandCount);
    bool any = false;
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index);
        if (number >= 0 && ledgers->taken[number].taken > CN_WILD_PART * ledgers->motions[number].kinetic) {
            isBack[number] = isBack[number] || IsAstray(solve, solve->solver.rows[index]);
            any = any || isBack[number];
        }
    }
    for (int index = 1; any && index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index), row = solve->solver.rows[index];
        if (number >= 0 && isBack[number]) {
            bodies->position[row] = bodies->previousPosition[row];
            bodies->rotation[row] = bodies->previousRotation[row];
            cnBody_UpdateCentre(bodies, row);
            cnBody_UpdateAngularVelocity(bodies, row);
        }
    }
    if (any) {
        cnJoint_MeasureAll(solve->constraints, bodies, 0.0, solve->threads);
    }
}

static void Guard(cnSolve* solve, IslandLedgers* ledgers) {
    bool any = false, anyFree = false;
    for (int i = 0; i < solve->islandCount; ++i) {
        if (IsGuarded(&solve->islands[i])) {
            ledgers->taken[i] = ExcessOf(&solve->islands[i], &ledgers->motions[i], &ledgers->contacts[i]);
            any = any || ledgers->taken[i].wanted > 0.0;
        }
    }
    if (any) {
        TakeOut(solve, ledgers->taken);
    }
    for (int i = 0; i < solve->islandCount; ++i) { // of free ones what all motion has
        TakenEnergy* taken = &ledgers->taken[i];
        bool isFree = IsGuarded(&solve->islands[i]) && IsFree(&solve->islands[i], &ledgers->contacts[i]);
        taken->common = cnVec3_zero;
        taken->wanted = isFree ? taken->wanted : 0.0;
        anyFree = anyFree || taken->wanted > 0.0;
    }
    if (anyFree) {
        TakeOut(solve, ledgers->taken);
    }
    if (any) {
        PutBack(solve, ledgers);
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        if (IsGuarded(island)) {
            IslandMotion* motion = &ledgers->motions[i];
            double taken = ledgers->taken[i].taken;
            island->statistics.raised += taken;
            motion->credit = CreditOf(solve, island, motion, &ledgers->contacts[i], taken);
        }
    }
    cnThreadPool_Run(solve->threads, ShareCredit, &(CreditTask){solve, ledgers->motions}, solve->solver.count,
                     CN_BODY_CHUNK);
}

void cnSolve_GuardIslands(cnSolve* solve) {
    if (!HasGuarded(solve)) {
        return;
    }
    Measuring measuring = {
        .solve = solve,
        .bodies = CN_PUSH(solve->stack, BodyEnergy, solve->solver.count, "energies of bodies"),
        .contacts = CN_PUSH(solve->stack, ContactEnergy, solve->contactCount + 1, "energies of contacts"),
    };
    IslandLedgers ledgers = {
        .motions = CN_PUSH(solve->stack, IslandMotion, solve->islandCount, "motions of islands"),
        .contacts = CN_PUSH(solve->stack, ContactEnergy, solve->islandCount, "energies of islands' contacts"),
        .taken = CN_PUSH(solve->stack, TakenEnergy, solve->islandCount, "energies taken out"),
    };
    if (measuring.bodies != NULL && measuring.contacts != NULL && ledgers.motions != NULL &&
        ledgers.contacts != NULL && ledgers.taken != NULL) {
        cnThreadPool_Run(solve->threads, MeasureBodies, &measuring, solve->solver.count, CN_BODY_CHUNK);
        cnThreadPool_Run(solve->threads, MeasureContacts, &measuring, solve->contactCount, CN_CONTACT_CHUNK);
        SumEnergies(solve, &measuring, &ledgers);
        Guard(solve, &ledgers);
    }
}
