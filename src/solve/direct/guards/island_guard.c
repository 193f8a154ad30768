// The energy of islands whose contacts are swept beside groups of joints.
//
// A group's own guard (energy_guard.h) takes what contacts press for given. What sweeps and groups raise
// together is seen from the whole island only, after its step: with E its kinetic energy,
//
//   S = E⁺ − E − h Σ (f·½(v⁺ + v) + τ·½(ω⁺ + ω)) − work of sources,
//
// f and τ being gravity and users' forces. Sources are those of the groups, bodies that are not dynamic and
// moving surfaces. What pushes of positions lift is not counted: they are bounded by the overlaps, and piles
// would freeze while they settle. Of S the groups' guards have weighed their part; the rest goes through the
// same credit of the same bodies, and what is too much is taken out of the motion beside the common one, or
// of all motion where something holds or carries the island.
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/direct/guards/energy_guard.h"

// What contacts of an island did, and what they hold, J.
typedef struct ContactEnergy {
    double sources, stored;
    bool carried; // by something that is not dynamic
} ContactEnergy;

// The motion of an island, by island.
typedef struct IslandMotion {
    double end, kinetic, ofForces, credit, mass;
    cnVec3 momentum;
} IslandMotion;

static int IslandOf(const cnSolve* solve, int index) {
    CN_ASSERT(index >= 0 && index < solve->solver.count);
    int number = solve->solver.island[index];
    return number >= 0 && solve->islands[number].solver == cn_islandGrouped ? number : -1;
}

// Half of what gravity and users' forces do in the step, by the velocities that the body has, J.
static double HalfWork(const cnSolve* solve, int row) {
    CN_ASSERT(row >= 0);
    const cnBodyTable* bodies = solve->bodies;
    return 0.5 * solve->h *
           (cnDot(bodies->lastForce[row], bodies->halfStepVelocity[row]) +
            cnDot(bodies->lastTorque[row], bodies->halfStepAngularVelocity[row]));
}

void cnSolve_WeighIslands(cnSolve* solve) {
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = IslandOf(solve, index), row = solve->solver.rows[index];
        if (number >= 0) {
            solve->islands[number].energy.start +=
                cnBody_GetKineticEnergy(solve->bodies, row) + HalfWork(solve, row);
        }
    }
}

// ---- after the step ---------------------------------------------------------------------------------------

static void AddBody(const cnSolve* solve, int row, IslandMotion* sum) {
    const cnBodyTable* bodies = solve->bodies;
    double kinetic = cnBody_GetKineticEnergy(bodies, row), mass = bodies->mass[row];
    sum->end += kinetic - HalfWork(solve, row);
    sum->kinetic += kinetic;
    sum->ofForces += cnEnergyOfForces(solve, row);
    sum->credit += bodies->energyCredit[row];
    sum->mass += mass;
    sum->momentum = cnMulAdd(sum->momentum, mass, bodies->halfStepVelocity[row]);
}

// Velocity of a body that is not dynamic at a contact.
static cnVec3 FixedVelocity(const cnSolve* solve, int row, cnVec3 arm) {
    const cnBodyTable* bodies = solve->bodies;
    bool moves = row >= 0 && (bodies->flags[row] & cn_bodyKinematic) != 0;
    return moves ? cnAdd(bodies->halfStepVelocity[row], cnCross(bodies->halfStepAngularVelocity[row], arm))
                 : cnVec3_zero;
}

static void AddContact(const cnSolve* solve, int index, ContactEnergy* sum) {
    const cnSolverContact* contact = &solve->contacts[index];
    const cnContactRows* rows = cnSolve_GetRows(solve, index);
    const cnPair* pair = rows->pair;
    cnVec3 friction = cnToD(pair->frictionForce), force = friction;
    for (int i = 0; i < rows->pointCount; ++i) {
        double pressed = pair->normalForce[i];
        force = cnMulAdd(force, pressed, rows->normal);
        sum->stored += 0.5 * rows->compliance * pressed * pressed;
    }
    if (contact->body2 == 0) {
        sum->sources += solve->h * cnDot(force, FixedVelocity(solve, pair->body2, rows->centreArm2));
    } else if (contact->body1 == 0) {
        sum->sources -= solve->h * cnDot(force, FixedVelocity(solve, pair->body1, rows->centreArm1));
    }
    sum->sources -= solve->h * cnDot(friction, rows->surfaceVelocity);
    sum->carried = sum->carried || contact->body1 == 0 || contact->body2 == 0;
}

// Takes energy out of the motion of an island's bodies beside a velocity that they have in common. Answers
// how much, J.
static double TakeOut(const cnSolve* solve, int number, cnVec3 common, double energy) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    cnBodyTable* bodies = solve->bodies;
    double within = 0.0;
    for (int index = 1; index < solve->solver.count; ++index) {
        if (IslandOf(solve, index) == number) {
            int row = solve->solver.rows[index];
            cnVec3 beside = cnSub(bodies->halfStepVelocity[row], common);
            within +=
                0.5 * (bodies->mass[row] * cnDot(beside, beside) +
                       cnDot(bodies->halfStepAngularVelocity[row], bodies->halfStepAngularMomentum[row]));
        }
    }
    double taken = cnMin(within, energy), share = within > 0.0 ? sqrt((within - taken) / within) : 1.0;
    for (int index = 1; index < solve->solver.count; ++index) {
        if (IslandOf(solve, index) == number) {
            int row = solve->solver.rows[index];
            cnVec3 beside = cnSub(bodies->halfStepVelocity[row], common);
            bodies->halfStepVelocity[row] = cnMulAdd(common, share, beside);
            bodies->halfStepAngularMomentum[row] = cnScale(share, bodies->halfStepAngularMomentum[row]);
            bodies->filteredSpin[row] = cnScale(share, bodies->filteredSpin[row]);
            cnBody_UpdateAngularVelocity(bodies, row);
        }
    }
    return taken;
}

static void StoreCredit(const cnSolve* solve, int number, double perMass) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    for (int index = 1; index < solve->solver.count; ++index) {
        if (IslandOf(solve, index) == number) {
            int row = solve->solver.rows[index];
            solve->bodies->energyCredit[row] = perMass * solve->bodies->mass[row];
        }
    }
}

static void GuardIsland(cnSolve* solve, int number, const IslandMotion* motion,
                        const ContactEnergy* contacts) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    cnIsland* island = &solve->islands[number];
    const cnIslandEnergy* energy = &island->energy;
    double raised = motion->end - energy->start - energy->sources - contacts->sources - energy->weighed;
    const cnEnergyTolerance tolerance = {CN_ENERGY_TOLERANCE * motion->kinetic,
                                         CN_FORCE_SHARE * motion->ofForces};
    double kinetic = motion->kinetic, allowed = motion->credit + tolerance.ofMotion + tolerance.ofForces;
    if (raised > allowed) {
        bool isFree = !contacts->carried && !island->anchored;
        cnVec3 common = isFree ? cnScale(1.0 / motion->mass, motion->momentum) : cnVec3_zero;
        double excess = raised - allowed, taken = TakeOut(solve, number, common, excess);
        taken += isFree && taken < excess ? TakeOut(solve, number, cnVec3_zero, excess - taken) : 0.0;
        island->statistics.raised += taken;
        raised -= taken;
        kinetic -= taken;
    }
    double max = CN_CREDIT_SHARE * kinetic + energy->stored + contacts->stored;
    double credit = cnCreditAfter(motion->credit, raised, &tolerance, max, solve->h);
    StoreCredit(solve, number, credit / motion->mass);
}

void cnSolve_GuardIslands(cnSolve* solve) {
    bool any = false;
    for (int i = 0; i < solve->islandCount; ++i) {
        any = any || solve->islands[i].solver == cn_islandGrouped;
    }
    if (!any) {
        return;
    }
    IslandMotion* motions = CN_PUSH(solve->stack, IslandMotion, solve->islandCount, "motions of islands");
    ContactEnergy* contacts =
        CN_PUSH(solve->stack, ContactEnergy, solve->islandCount, "energies of contacts");
    if (motions != NULL && contacts != NULL) {
        for (int i = 0; i < solve->islandCount; ++i) {
            motions[i] = (IslandMotion){0};
            contacts[i] = (ContactEnergy){0};
        }
        for (int index = 1; index < solve->solver.count; ++index) {
            int number = IslandOf(solve, index);
            if (number >= 0) {
                AddBody(solve, solve->solver.rows[index], &motions[number]);
            }
        }
        for (int c = 0; c < solve->contactCount; ++c) {
            int number = solve->contacts[c].island;
            if (solve->islands[number].solver == cn_islandGrouped) {
                AddContact(solve, c, &contacts[number]);
            }
        }
        for (int i = 0; i < solve->islandCount; ++i) {
            if (solve->islands[i].solver == cn_islandGrouped) {
                GuardIsland(solve, i, &motions[i], &contacts[i]);
            }
        }
    }
}
