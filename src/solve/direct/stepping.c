#include "solve/direct/stepping.h"

#include "base/report/assert.h"
#include "solve/direct/guards/position_correction.h"
#include "solve/direct/motion/rotation_rates.h"
#include "solve/direct/substep.h"

#include <string.h>

// Sub-steps that any island may take, and most of all.
#define CN_FREE_SUBSTEPS 8.0
#define CN_MAX_SUBSTEPS 1024.0
// Operations that a body or a node costs in a sub-step beside the factorisation.
#define CN_BODY_WORK 3e3
// Times that a step is taken again with more sub-steps.
#define CN_MAX_REPEATS 2

// ---- how many sub-steps -----------------------------------------------------------------------------------

double cnDirect_SubstepWork(const cnDirectIsland* island) {
    return island->system.factor->statistics.predictedFlops +
           CN_BODY_WORK * (island->bodyCount + island->nodeCount);
}

double cnDirect_MaxSubsteps(const cnDirectIsland* island) {
    return floor(cnClamp(island->stepping.workLimit / cnDirect_SubstepWork(island), CN_FREE_SUBSTEPS,
                         CN_MAX_SUBSTEPS));
}

double cnDirect_FreeWork(const cnDirectIsland* island) {
    return CN_FREE_SUBSTEPS * cnDirect_SubstepWork(island);
}

// Without a limit of work.
static double WantedSubsteps(double rotationRate, double h) {
    CN_ASSERT(h > 0.0);
    return ceil(rotationRate * h / CN_SUBSTEP_ROTATION);
}

int cnDirect_CountSubsteps(const cnDirectIsland* island, double rotationRate, double h) {
    return (int)cnClamp(WantedSubsteps(rotationRate, h), 1.0, cnDirect_MaxSubsteps(island));
}

// Whether the number of sub-steps depends on how much more work the island may turn out to have.
static bool MustWait(cnDirectIsland* island, double rotationRate) {
    island->stepping.wanted = WantedSubsteps(rotationRate, island->solve->h);
    return island->stepping.limitIsLeast && !(island->stepping.wanted <= cnDirect_MaxSubsteps(island));
}

// ---- a step -----------------------------------------------------------------------------------------------

static void BeginIntervals(const cnDirectIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        cnSolve_BeginInterval(island->solve, island->bodies[i].index);
    }
}

static void EndIntervals(const cnDirectIsland* island) {
    const double h = island->substep.h;
    cnInterval interval = {.length = h, .substep = h, .isFirst = island->substep.index == 0};
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnVec3 spin = cnGetVec(island->system.solution + 6 * i + 3);
        interval.spin = island->bodies[i].rotationModel.kind == cn_rotationRotor ? &spin : NULL;
        cnSolve_EndInterval(island->solve, island->bodies[i].index, &interval);
    }
}

// `isFresh` where its nodes are as they were made.
static void RunSubsteps(cnDirectIsland* island, int count, bool isFresh) {
    CN_ASSERT(count >= 1);
    island->substep.h = island->solve->h / count;
    island->stepping.substeps = count;
    island->ledger.raised = 0.0;
    for (int n = 0; n < island->nodeCount && (!isFresh || cnDirect_Has(island, cn_islandHasContacts)); ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (cnNode_IsJoint(node)) {
            node->joint.impulse = node->joint.angularImpulse = cnVec3_zero;
        }
        for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
            island->rows[r].sum = island->rows[r].violation = 0.0;
            island->rows[r].lambda = island->rows[r].warm / count;
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        if (island->solve->bodies->lag[body->row] !=
            0.0) { // else the first kick is half of one (body_masses.c)
            cnSolve_AlignVelocity(island->solve, body->index, island->substep.h);
        }
    }
    island->stepping.maxRotationRate = 0.0;
    for (island->substep.index = 0;
         island->substep.index < count && island->system.outcome == cn_systemSolved;
         ++island->substep.index) {
        island->substep.elapsed = island->substep.index * island->substep.h;
        // the last two tell rates (velocity_times.c)
        if (island->substep.index + 2 == count) {
            BeginIntervals(island);
        }
        cnDirect_SubStep(island);
        if (island->substep.index + 2 >= count) {
            EndIntervals(island);
        }
        island->substep.rotationRate = cnDirect_CurrentRotationRate(island);
        island->stepping.maxRotationRate =
            cnMax(island->stepping.maxRotationRate, island->substep.rotationRate);
    }
}

static void SaveBody(const cnDirectIsland* island, int i, cnSavedBody* saved) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnBodyTable* bodies = island->solve->bodies;
    int row = island->bodies[i].row;
    saved->position = bodies->position[row];
    saved->centreOfMass = bodies->centreOfMass[row];
    saved->velocity = bodies->halfStepVelocity[row];
    saved->angularMomentum = bodies->halfStepAngularMomentum[row];
    saved->angularVelocity = bodies->halfStepAngularVelocity[row];
    saved->filteredSpin = bodies->filteredSpin[row];
    saved->bearingMomentum = bodies->bearingMomentum[row];
    saved->rotation = bodies->rotation[row];
    saved->stiffness = bodies->stiffness[row];
    saved->energyCredit = bodies->energyCredit[row];
    saved->netForce = bodies->netForce[row];
    saved->netTorque = bodies->netTorque[row];
    saved->pathSpin = bodies->pathSpin[row];
    saved->spinRate = bodies->spinRate[row];
    saved->owedImpulse = bodies->owedImpulse[row];
    saved->owedMoment = bodies->owedMoment[row];
    saved->lag = bodies->lag[row];
    saved->smoothSteps = bodies->smoothSteps[row];
    saved->flags = bodies->flags[row];
}

static void RestoreBody(const cnDirectIsland* island, int i, const cnSavedBody* saved) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    cnBodyTable* bodies = island->solve->bodies;
    int row = island->bodies[i].row;
    bodies->position[row] = saved->position;
    bodies->centreOfMass[row] = saved->centreOfMass;
    bodies->halfStepVelocity[row] = saved->velocity;
    bodies->halfStepAngularMomentum[row] = saved->angularMomentum;
    bodies->halfStepAngularVelocity[row] = saved->angularVelocity;
    bodies->filteredSpin[row] = saved->filteredSpin;
    bodies->bearingMomentum[row] = saved->bearingMomentum;
    bodies->rotation[row] = saved->rotation;
    bodies->stiffness[row] = saved->stiffness;
    bodies->energyCredit[row] = saved->energyCredit;
    bodies->netForce[row] = saved->netForce;
    bodies->netTorque[row] = saved->netTorque;
    bodies->pathSpin[row] = saved->pathSpin;
    bodies->spinRate[row] = saved->spinRate;
    bodies->owedImpulse[row] = saved->owedImpulse;
    bodies->owedMoment[row] = saved->owedMoment;
    bodies->lag[row] = saved->lag;
    bodies->smoothSteps[row] = saved->smoothSteps;
    bodies->flags[row] = saved->flags;
    cnSolve_BeginInterval(island->solve, island->bodies[i].index);
}

// Back to the start of the step.
static void Rewind(const cnDirectIsland* island, const cnSavedBody* saved) {
    cnConstraint* constraints = island->solve->constraints->constraints;
    for (int i = 0; i < island->bodyCount; ++i) {
        RestoreBody(island, i, &saved[i]);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int r = node->block.firstRow; cnNode_IsJoint(node) && r < cnRowBlock_End(&node->block); ++r) {
            constraints[node->source].rows[island->rows[r].slot] = island->before[r];
            constraints[node->source].lastStep = node->joint.lastStep;
        }
        if (cnNode_IsJoint(node) && node->joint.hasAngles) {
            memcpy(constraints[node->source].turns, node->joint.turns, sizeof node->joint.turns);
            memcpy(constraints[node->source].lastRaw, node->joint.lastRaw, sizeof node->joint.lastRaw);
        }
        if (cnNode_IsJoint(node) && node->joint.sways) {
            constraints[node->source].sway = node->joint.lastSway;
            constraints[node->source].tautness = node->joint.lastTautness;
        }
    }
}

// What a run, or making the nodes, changed of the island's pairs, where it did not count.
static void RestorePairs(const cnDirectIsland* island) {
    for (int n = 0; cnDirect_Has(island, cn_islandHasContacts) && n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->kind == cn_nodeContactNormals) {
            cnPair* pair = cnDirect_ContactOf(island, node)->pair;
            pair->flags = node->normals.flags;
            pair->correctionLimit = node->normals.correctionLimit;
        }
    }
}

bool cnDirect_RunStep(cnDirectIsland* island, cnSavedBody* saved) {
    CN_ASSERT(island->kind != cn_directGroup && island->bodyCount >= 1);
    const cnSolve* solve = island->solve;
    const int given = solve->settings.substeps;
    double rate = cnDirect_CurrentRotationRate(island);
    if (given == 0 && MustWait(island, rate)) {
        RestorePairs(island);
        return false;
    }
    rate =
        cnDirect_LimitRotations(island, rate, solve->h / (given > 0 ? given : cnDirect_MaxSubsteps(island)));
    island->substep.rotationRate = rate;
    for (int i = 0; i < island->bodyCount; ++i) {
        SaveBody(island, i, &saved[i]);
    }
    int count = given > 0 ? given : cnDirect_CountSubsteps(island, rate, solve->h);
    RunSubsteps(island, count, true);

    // impacts and snaps: again, for how fast the bodies rotate now; whips that are over already, too, but
    // where contacts press: there what rotates within the step is a wedge as often as not, which smaller
    // sub-steps make worse
    for (int repeat = 0; repeat < CN_MAX_REPEATS && given == 0 && island->system.outcome == cn_systemSolved;
         ++repeat) {
        rate = cnDirect_Has(island, cn_islandHasContacts) ? island->substep.rotationRate
                                                          : island->stepping.maxRotationRate;
        if (WantedSubsteps(rate, solve->h) > 2.0 * count && MustWait(island, rate)) {
            Rewind(island, saved);
            RestorePairs(island);
            return false;
        }
        int wanted = cnDirect_CountSubsteps(island, rate, solve->h);
        if (wanted <= 2 * count) {
            break;
        }
        Rewind(island, saved);
        island->substep.rotationRate = cnDirect_CurrentRotationRate(island);
        count = wanted;
        RunSubsteps(island, count, false);
        island->stepping.repeats += 1;
    }
    if (island->system.outcome != cn_systemSolved) {
        Rewind(island, saved);
        island->ledger.raised = 0.0;
    } else {
        cnDirect_CorrectPositions(island);
    }
    return true;
}
