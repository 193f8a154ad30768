// How the step of an island is cut into sub-steps.
//
// A joint's force keeps its direction over a sub-step, and its rows see the gap at the end of it to second order. Both hold while bodies
// turn by less than about 0.1 rad: gaps stay below 1 mm then at arms of half a metre, and the energy swings by less than 1 %. Beyond 0.4 rad
// energy rises with each turn, beyond 2.5 rad it runs away. So the number of sub-steps follows from the turn that is to come: from the
// velocities at the start of the step, and again from those at its end, since impacts and snaps speed bodies up within it; where these
// want more than twice as many, the island goes back to its start and takes the step again.
//
// What counts is how fast directions go round that rows depend on (cnDirect_TurnRate): a wheel's own spin does not, in bearings that hold
// its axis.
//
// Sub-steps have a budget of operations, of the island and of the world. Where it does not suffice bodies are slowed to what the sub-steps
// that there are can follow: the cut loses energy and gains none.
#include "base/report/assert.h"
#include "base/simd.h"
#include "solve/direct/direct_island.h"

#include <string.h>

// A sub-step turns a body by at most this much, rad, where the budget suffices, and never by more than the second.
#define CN_SUBSTEP_TURN 0.1
#define CN_LARGEST_TURN 0.6
// An angle that rows depend on goes on by at most this much, rad: the nearest one to the last is meant.
#define CN_ANGLE_CHANGE 2.0
// 1/m: of sliding, so that its gap is that of an arm of half a metre.
#define CN_SLIDING_RATE 2.0
// Angles are followed from sub-step to sub-step where they change by more than this in a step, rad.
#define CN_FOLLOWED_CHANGE 0.5
// Sub-steps that any island may take, and most of all.
#define CN_FREE_SUBSTEPS 8.0
#define CN_MAX_SUBSTEPS 1024.0
// Operations that a body or a node costs in a sub-step beside the factorisation.
#define CN_BODY_WORK 3e3
// Times that a step is taken again with more sub-steps.
#define CN_MAX_REPEATS 2

// ---- turns that are to come -----------------------------------------------------------------------------------------

void cnDirect_ReadVelocities(const cnDirectIsland* island, double* velocities) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        cnPutVec(velocities + 6 * i, bodies->velocity[row]);
        cnPutVec(velocities + 6 * i + 3, bodies->angularVelocity[row]);
    }
}

// The square of what a body's own rotation asks for. Of a rotor it is how fast its axis would run round its angular momentum, which what
// holds the axis has to follow.
static double BodyRate(const cnDirectIsland* island, int i, cnVec3 spin) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    if (!body->axisHeld) {
        return body->hasArm || body->hasAngularRows ? cnLengthSquared(spin) : 0.0;
    }
    if (!body->isRotor) {
        return 0.0;
    }
    const cnBodyTable* bodies = island->solve->bodies;
    cnVec3 moments = bodies->principalInertia[body->row];
    double along = cnDot(spin, cnRotate(bodies->rotation[body->row], body->turn.axis));
    double nutation = along * moments.z / (moments.x + body->holder);
    return nutation * nutation;
}

// Velocity of a node's attachment on one side, and where that is.
static cnVec3 AttachmentVelocity(const cnDirectIsland* island, const cnDirectNode* node, int side,
                                 const double* velocities, cnVec3* point) {
    CN_ASSERT(side == 0 || side == 1);
    const cnBodyTable* bodies = island->solve->bodies;
    int place = side == 0 ? node->place1 : node->place2, row = node->sides[side];
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    if (row < 0) {
        *point = (side == 0 ? &joint->frame1 : &joint->frame2)->point;
        return cnVec3_zero;
    }
    cnVec3 arm = cnRotate(bodies->rotation[row], side == 0 ? node->local1 : node->local2);
    *point = cnAdd(bodies->centreOfMass[row], arm);
    if (place < 0) {
        return cnVec3_zero;
    }
    const double* v = velocities + 6 * node->bodies[place];
    return cnAdd(cnGetVec(v), cnCross(cnGetVec(v + 3), arm));
}

bool cnDirect_Slides(const cnConstraint* joint) {
    return cnJoint_Slides(joint);
}

// The square of how fast rows of a joint whose attachments slide go round. Where these slid apart by more than a metre the rows hold at so
// long an arm, where the gap that a rotation across the axis (of planar joints any) opens grows with it, and it counts as if it were faster,
// by the root of the length. Where they slide along axes that turn it is Coriolis' acceleration that opens the gap.
static double SlidRate(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    cnVec3 point1, point2;
    cnVec3 velocity1 = AttachmentVelocity(island, node, 0, velocities, &point1);
    cnVec3 velocity2 = AttachmentVelocity(island, node, 1, velocities, &point2);
    double apart = cnLength(cnSub(point1, point2)), slide = cnLength(cnSub(velocity1, velocity2));
    double fastest = 0.0; // squared
    cnVec3 axis = cnRotate(joint->frame1.axes, cnVec(0.0, 0.0, 1.0));
    axis = node->sides[0] >= 0 ? cnRotate(island->solve->bodies->rotation[node->sides[0]], axis) : axis;
    for (int i = 0; i < node->bodyCount; ++i) {
        cnVec3 spin = cnGetVec(velocities + 6 * node->bodies[i] + 3);
        cnVec3 counted = (cnJoint_KindOf(joint)->held & cn_alongU) == 0 ? spin : cnCross(axis, spin);
        double square = cnLengthSquared(counted);
        fastest = cnMax(fastest, apart > 1.0 ? apart * square : 0.0);
        fastest = cnMax(fastest, CN_SLIDING_RATE * slide * sqrt(square));
    }
    return fastest;
}

// rad/s, no less than how fast the angles of a node change.
static double AngleRate(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    cnVec3 spins[2] = {cnVec3_zero, cnVec3_zero};
    for (int side = 0; side < 2; ++side) {
        if (node->places[side] >= 0) {
            spins[side] = cnGetVec(velocities + 6 * node->bodies[node->places[side]] + 3);
        } else if (node->sides[side] >= 0) {
            spins[side] = island->solve->bodies->angularVelocity[node->sides[side]];
        }
    }
    return cnLength(cnSub(spins[0], spins[1]));
}

// The square of how fast a node's directions go round: the anchors of rotors, the line of a distance, what slid apart, and angles.
static double NodeRate(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    double fastest = 0.0;
    const int places[2] = {node->place1, node->place2};
    const double lengths[2] = {node->length1, node->length2};
    for (int side = 0; side < 2 && island->hasRotors; ++side) {
        const cnDirectBody* body = places[side] >= 0 ? &island->bodies[node->bodies[places[side]]] : NULL;
        if (body != NULL && body->axisHeld && lengths[side] > 0.0) {
            cnVec3 arm = side == 0 ? node->local1 : node->local2;
            cnVec3 spin = cnGetVec(velocities + 6 * node->bodies[places[side]] + 3);
            cnVec3 around = cnCross(cnInvRotate(island->solve->bodies->rotation[body->row], spin), arm);
            fastest = cnMax(fastest, cnLengthSquared(around) / (lengths[side] * lengths[side]));
        }
    }
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    if (cnDirect_Slides(joint) && !node->secondary) {
        fastest = cnMax(fastest, SlidRate(island, node, velocities));
    }
    if (cnJoint_IsLine(joint) && !cnJoint_IsSpring(joint) && joint->partner1 < 0) {
        cnVec3 point1, point2;
        cnVec3 velocity1 = AttachmentVelocity(island, node, 0, velocities, &point1);
        cnVec3 velocity2 = AttachmentVelocity(island, node, 1, velocities, &point2);
        cnVec3 line = cnSub(point1, point2);
        double square = cnLengthSquared(line), min = 1e-4 * joint->length * joint->length;
        double around = cnLengthSquared(cnCross(line, cnSub(velocity1, velocity2)));
        fastest = square > min ? cnMax(fastest, around / (square * square)) : fastest;
    }
    if (node->usesAngles) {
        double rate = CN_SUBSTEP_TURN / CN_ANGLE_CHANGE * AngleRate(island, node, velocities);
        fastest = cnMax(fastest, rate * rate);
    }
    return fastest;
}

double cnDirect_TurnRate(const cnDirectIsland* island, const double* velocities) {
    double fastest = 0.0; // squared
    for (int i = 0; i < island->bodyCount; ++i) {
        fastest = cnMax(fastest, BodyRate(island, i, cnGetVec(velocities + 6 * i + 3)));
    }
    for (int n = 0; n < island->nodeCount && (island->hasRotors || island->hasLines); ++n) {
        if (island->nodes[n].constraint >= 0) {
            fastest = cnMax(fastest, NodeRate(island, &island->nodes[n], velocities));
        }
    }
    return sqrt(fastest);
}

void cnDirect_FollowAngles(cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    const cnJointView view = {bodies, island->trialCentres, island->trialRotations};
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        bool isFast = node->constraint >= 0 && node->hasAngles &&
                      island->solve->h * AngleRate(island, node, island->solution) > CN_FOLLOWED_CHANGE;
        if (!isFast) {
            continue;
        }
        for (int side = 0; side < 2; ++side) { // what is not dynamic is there already
            if (node->places[side] >= 0) {
                int row = node->sides[side];
                island->trialCentres[row] = bodies->centreOfMass[row];
                island->trialRotations[row] = bodies->rotation[row];
            }
        }
        cnJoint_FollowAngles(&island->solve->constraints->constraints[node->constraint], &view, island->h);
    }
}

double cnDirect_CurrentTurnRate(const cnDirectIsland* island) {
    cnDirect_ReadVelocities(island, island->start);
    return cnDirect_TurnRate(island, island->start);
}

// ---- budget ---------------------------------------------------------------------------------------------------------

double cnDirect_SubstepWork(const cnDirectIsland* island) {
    return island->factor->statistics.predictedFlops + CN_BODY_WORK * (island->bodyCount + island->nodeCount);
}

double cnDirect_MaxSubsteps(const cnDirectIsland* island) {
    return floor(
        cnClamp(island->workLimit / cnDirect_SubstepWork(island), CN_FREE_SUBSTEPS, CN_MAX_SUBSTEPS));
}

int cnDirect_CountSubsteps(const cnDirectIsland* island, double turnRate, double h) {
    CN_ASSERT(h > 0.0);
    return (int)cnClamp(ceil(turnRate * h / CN_SUBSTEP_TURN), 1.0, cnDirect_MaxSubsteps(island));
}

bool cnDirect_IsHeld(const cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->constraint >= 0 && (node->places[0] < 0 || node->places[1] < 0)) {
            return true;
        }
    }
    return false;
}

double cnDirect_LimitTurns(cnDirectIsland* island, double h) {
    CN_ASSERT(h > 0.0);
    cnBodyTable* bodies = island->solve->bodies;
    double rate = cnDirect_CurrentTurnRate(island);
    if (!(h * rate > CN_LARGEST_TURN)) {
        return rate;
    }
    double share = CN_LARGEST_TURN / (h * rate), mass = 0.0;
    cnVec3 momentum = cnVec3_zero;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        mass += bodies->mass[row];
        momentum = cnMulAdd(momentum, bodies->mass[row], bodies->velocity[row]);
    }
    CN_ASSERT(mass > 0.0);
    cnVec3 common = cnDirect_IsHeld(island) ? cnVec3_zero : cnScale(1.0 / mass, momentum);
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        bodies->velocity[row] = cnMulAdd(common, share, cnSub(bodies->velocity[row], common));
        cnBody_StoreAngularVelocity(bodies, row, cnScale(share, bodies->angularVelocity[row]));
        bodies->filteredSpin[row] = cnScale(share, bodies->filteredSpin[row]);
    }
    return CN_LARGEST_TURN / h;
}

// ---- a step ---------------------------------------------------------------------------------------------------------

// What a body was at the start of the step, should the island repeat it.
typedef struct SavedBody {
    cnVec3 position, centreOfMass, velocity, angularMomentum, angularVelocity, filteredSpin, bearingMomentum;
    cnQuat rotation;
    double stiffness, energyCredit;
} SavedBody;

// `isFresh` where its nodes are as they were made.
static void RunSubsteps(cnDirectIsland* island, int count, bool isFresh) {
    CN_ASSERT(count >= 1);
    island->h = island->solve->h / count;
    island->statistics.substeps = count;
    island->raised = 0.0;
    for (int n = 0; n < island->nodeCount && (!isFresh || island->hasContacts); ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->constraint >= 0) {
            node->impulse = node->angularImpulse = cnVec3_zero;
        }
        for (int r = node->firstRow; r < node->firstRow + node->rowCount; ++r) {
            island->rows[r].sum = island->rows[r].violation = 0.0;
            island->rows[r].lambda = island->rows[r].warm / count;
        }
    }
    island->maxTurnRate = 0.0;
    for (island->substep = 0; island->substep < count && !island->overBudget && !island->failed;
         ++island->substep) {
        island->elapsed = island->substep * island->h;
        cnDirect_SubStep(island);
        island->turnRate = cnDirect_CurrentTurnRate(island);
        island->maxTurnRate = cnMax(island->maxTurnRate, island->turnRate);
    }
}

static void SaveBody(const cnDirectIsland* island, int i, SavedBody* saved) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnBodyTable* bodies = island->solve->bodies;
    int row = island->bodies[i].row;
    saved->position = bodies->position[row];
    saved->centreOfMass = bodies->centreOfMass[row];
    saved->velocity = bodies->velocity[row];
    saved->angularMomentum = bodies->angularMomentum[row];
    saved->angularVelocity = bodies->angularVelocity[row];
    saved->filteredSpin = bodies->filteredSpin[row];
    saved->bearingMomentum = bodies->bearingMomentum[row];
    saved->rotation = bodies->rotation[row];
    saved->stiffness = bodies->stiffness[row];
    saved->energyCredit = bodies->energyCredit[row];
}

static void RestoreBody(const cnDirectIsland* island, int i, const SavedBody* saved) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    cnBodyTable* bodies = island->solve->bodies;
    int row = island->bodies[i].row;
    bodies->position[row] = saved->position;
    bodies->centreOfMass[row] = saved->centreOfMass;
    bodies->velocity[row] = saved->velocity;
    bodies->angularMomentum[row] = saved->angularMomentum;
    bodies->angularVelocity[row] = saved->angularVelocity;
    bodies->filteredSpin[row] = saved->filteredSpin;
    bodies->bearingMomentum[row] = saved->bearingMomentum;
    bodies->rotation[row] = saved->rotation;
    bodies->stiffness[row] = saved->stiffness;
    bodies->energyCredit[row] = saved->energyCredit;
}

// Back to the start of the step.
static void Rewind(const cnDirectIsland* island, const SavedBody* saved) {
    cnConstraint* constraints = island->solve->constraints->constraints;
    for (int i = 0; i < island->bodyCount; ++i) {
        RestoreBody(island, i, &saved[i]);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int r = node->firstRow; node->constraint >= 0 && r < node->firstRow + node->rowCount; ++r) {
            constraints[node->constraint].rows[island->rows[r].slot] = island->before[r];
            constraints[node->constraint].lastStep = node->lastStep;
        }
        if (node->constraint >= 0 && node->hasAngles) {
            memcpy(constraints[node->constraint].turns, node->turns, sizeof node->turns);
            memcpy(constraints[node->constraint].lastRaw, node->lastRaw, sizeof node->lastRaw);
        }
    }
}

bool cnDirect_RunStep(cnDirectIsland* island) {
    CN_ASSERT(!island->grouped && island->bodyCount >= 1);
    cnSolve* solve = island->solve;
    SavedBody* saved = CN_PUSH(solve->stack, SavedBody, island->bodyCount, "saved bodies");
    if (saved == NULL) {
        return false;
    }
    int given = solve->settings.substeps;
    island->turnRate =
        cnDirect_LimitTurns(island, solve->h / (given > 0 ? given : cnDirect_MaxSubsteps(island)));
    for (int i = 0; i < island->bodyCount; ++i) {
        SaveBody(island, i, &saved[i]);
    }
    int count = given > 0 ? given : cnDirect_CountSubsteps(island, island->turnRate, solve->h);
    RunSubsteps(island, count, true);

    // impacts and snaps: again, for how fast the bodies turn now; whips that are over already, too, but where contacts press: there what
    // turns within the step is a wedge as often as not, which smaller sub-steps make worse
    for (int repeat = 0; repeat < CN_MAX_REPEATS && given == 0 && !island->overBudget && !island->failed;
         ++repeat) {
        double rate = island->hasContacts ? island->turnRate : island->maxTurnRate;
        int wanted = cnDirect_CountSubsteps(island, rate, solve->h);
        if (wanted <= 2 * count) {
            break;
        }
        Rewind(island, saved);
        island->turnRate = cnDirect_CurrentTurnRate(island);
        count = wanted;
        RunSubsteps(island, count, false);
        island->statistics.repeats += 1;
    }
    if (island->overBudget || island->failed) {
        Rewind(island, saved);
        island->raised = 0.0;
    } else {
        cnDirect_CorrectPositions(island);
    }
    cnStack_Pop(solve->stack, saved);
    return true;
}
