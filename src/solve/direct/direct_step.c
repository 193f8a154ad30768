// A sub-step of an island that is solved directly.
#include "base/report/assert.h"
#include "base/simd.h"
#include "solve/direct/energy_guard.h"

#include <string.h>

// Least Σ of a row as a part of its own effect G M⁻¹ Gᵀ: what a compliance of 0 means.
#define CN_MIN_SIGMA 1e-12
// Steps of pivoting without progress: what does not come to an end soon cycles, and interior points take about 30.
#define CN_BLOCK_TRIES 3
// Of speeds and multipliers, as parts of what their rows have to do with.
#define CN_BOX_TOLERANCE 1e-8
// The end-of-step term fades between these turns in a sub-step, rad.
#define CN_FADE_FROM 0.4
#define CN_FADE_TO 1.0
// Times that forces which come up in a step make new stiffness.
#define CN_RESTIFFENINGS 4

// ---- poses ----------------------------------------------------------------------------------------------------------

// x ⊕ h v of a dynamic body, in a sub-step with velocities of 6 numbers a body.
static void TryPose(const cnDirectIsland* island, int i, const double* velocities) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    island->trialRotations[body->row] =
        cnTurn_Apply(&body->turn, island->solve->bodies, body->row, island->rotations[body->row],
                     cnGetVec(velocities + 6 * i + 3), island->h, NULL);
}

static cnSpinning SpinningOf(const cnDirectIsland* island, int i, const double* velocities) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    return (cnSpinning){&island->rotations[body->row], velocities + 6 * i + 3, &body->symmetry,
                        &island->trialRotations[body->row]};
}

static bool TurnsInLanes(const cnDirectBody* body) {
    return body->inLanes && body->turn.kind != cn_turnRotor;
}

// Of two bodies that follow one another, the last with itself.
static void TryPoses(const cnDirectIsland* island, int i, const double* velocities) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const int other = i + 1 < island->bodyCount ? i + 1 : i;
    for (int k = i; k <= other; ++k) {
        int row = island->bodies[k].row;
        island->trialCentres[row] = cnMulAdd(island->centres[row], island->h, cnGetVec(velocities + 6 * k));
    }
    if (TurnsInLanes(&island->bodies[i]) && TurnsInLanes(&island->bodies[other])) {
        const cnSpinning first = SpinningOf(island, i, velocities),
                         second = SpinningOf(island, other, velocities);
        if (cnTurnSpinningPair(&first, &second, island->h)) {
            return;
        }
    }
    TryPose(island, i, velocities);
    TryPose(island, other, velocities);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

// What the bearings of a rotor take up in a step, across the axis as it stands now: what is left of the last turn, and half of what a
// turn with this spin would leave.
static cnVec3 BearingMomentum(const cnDirectIsland* island, const cnDirectBody* body, cnVec3 spin) {
    const cnBodyTable* bodies = island->solve->bodies;
    cnVec3 sum = bodies->bearingMomentum[body->row];
    if (body->turn.kind != cn_turnRotor) {
        return sum;
    }
    cnTurned turned;
    cnQuat rotation = bodies->rotation[body->row];
    cnTurn_Apply(&body->turn, bodies, body->row, rotation, spin, island->h, &turned);
    cnVec3 axis = cnRotate(rotation, body->turn.axis);
    sum = cnMulAdd(sum, 0.5, turned.bearing);
    return cnMulAdd(sum, -cnDot(axis, sum), axis);
}

// M'⁻¹ of a sub-step, and the velocities after it without joints and contacts. What the step began with is that of its first sub-step,
// where nothing is damped.
static const cnInverseMass* FindFreeVelocities(const cnDirectIsland* island, const cnDirectBody* body,
                                               cnInverseMass* renewed, cnVec3* freeV, cnVec3* freeW) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    const cnForceResponse* known = &solve->solver.response[body->index];
    const int row = body->row;
    const cnVec3 v = bodies->velocity[row], w = bodies->angularVelocity[row];
    // velocities at the time of the pose get half a kick (velocity_times.c)
    const double kick = island->substep == 0 && bodies->lag[row] == 0.0 ? 0.5 : 1.0;
    if (island->substep == 0 && !known->damped) {
        double share = kick * (island->h / solve->substep);
        *freeV = cnMulAdd(v, share, known->linear);
        *freeW = cnMulAdd(w, share, known->angular);
        return &solve->solver.inverse[body->index];
    }
    cnForceResponse response;
    cnBody_GetInverseMass(bodies, row, island->h, renewed);
    cnBody_GetForceResponse(bodies, row, island->h, renewed, bodies->lastForce[row], bodies->lastTorque[row],
                            &response);
    *freeV = cnMulAdd(v, kick, cnForceResponse_Linear(&response, v));
    *freeW = cnMulAdd(w, kick, cnForceResponse_Angular(&response, w));
    return renewed;
}

// Masses and momenta of a body at the start of a sub-step, without A.
static void PrepareMass(cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnBodyTable* bodies = island->solve->bodies;
    cnDirectBody* body = &island->bodies[i];
    cnInverseMass renewed;
    cnVec3 freeV, freeW;
    const cnInverseMass* inverse = FindFreeVelocities(island, body, &renewed, &freeV, &freeW);
    double* mass = island->mass + 18 * i;
    body->damped = island->solve->solver.response[body->index].damped;
    if ((bodies->flags[body->row] & cn_bodyIsotropicMass) != 0) {
        double along = 1.0 / inverse->linear.x.x;
        cnPutVec(mass, cnVec(along, 0.0, 0.0));
        cnPutVec(mass + 3, cnVec(0.0, along, 0.0));
        cnPutVec(mass + 6, cnVec(0.0, 0.0, along));
        body->momentum = cnScale(along, freeV);
    } else {
        cnDirect_PutMatrix(mass, cnInverse(inverse->linear));
        body->momentum = cnMulMat(cnDirect_GetMatrix(mass), freeV);
    }
    body->inertia = cnInverse(inverse->angular);
    body->spinMomentum = cnMulMat(body->inertia, freeW);
    body->largestMoment = bodies->principalInertia[body->row].z;
    body->linearMax = inverse->linear.x.x + inverse->linear.y.y + inverse->linear.z.z;
    body->angularMax = inverse->angular.x.x + inverse->angular.y.y + inverse->angular.z.z;
    if (island->sweeps) {
        island->inverses[i].linear = inverse->linear;
    }
}

// A body at the start of a sub-step, and where it would be after it with the velocities that it has.
static void PrepareBody(cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnBodyTable* bodies = island->solve->bodies;
    cnDirectBody* body = &island->bodies[i];
    int row = body->row;
    cnVec3 v = bodies->velocity[row], w = bodies->angularVelocity[row];
    PrepareMass(island, i);
    if (body->isRotor) {
        double along = cnDot(w, cnRotate(bodies->rotation[row], body->turn.axis));
        body->turn.kind = island->h * fabs(along) > body->rotorTurn ? cn_turnRotor : body->freeTurn;
    }
    body->bearing = body->owed = BearingMomentum(island, body, w);
    body->spinMomentum = cnAdd(body->spinMomentum, body->bearing);
    cnStiffness_Clear(&body->stiffness);
    cnPutVec(island->start + 6 * i, v);
    cnPutVec(island->start + 6 * i + 3, w);
    island->centres[row] = bodies->centreOfMass[row];
    island->rotations[row] = bodies->rotation[row];
}

// Left-hand sides with A, right-hand sides with β A ω̂.
static void LoadBodies(cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        double* angular = island->mass + 18 * i + 9;
        cnVec3 momentum = body->spinMomentum;
        cnDirect_PutMatrix(angular, body->inertia);
        if (body->stiffness.sum > 0.0) {
            cnVec3 filtered = bodies->filteredSpin[body->row];
            cnMat33 added = cnStiffness_AddedInertia(&body->stiffness, body->largestMoment, island->h);
            double share = cnStiffness_CarriedShare(bodies->stiffness[body->row], body->stiffness.sum,
                                                    cnGetVec(island->start + 6 * i + 3), filtered);
            cnPutVec(angular, cnAdd(body->inertia.x, added.x));
            cnPutVec(angular + 3, cnAdd(body->inertia.y, added.y));
            cnPutVec(angular + 6, cnAdd(body->inertia.z, added.z));
            momentum = cnMulAdd(momentum, share, cnMulMat(added, filtered));
        }
        cnPutVec(island->right + 6 * i, body->momentum);
        cnPutVec(island->right + 6 * i + 3, momentum);
        if (island->sweeps) {
            island->inverses[i].angular = cnInverse(cnDirect_GetMatrix(angular));
        }
    }
}

// ---- stiffness ------------------------------------------------------------------------------------------------------

// Force of a node's rows on its first body, from multipliers or, where these are null, the last step's forces. Angular rows
// have no linear part.
static cnVec3 TranslationForce(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    CN_ASSERT(node->constraint >= 0 && (node->place1 >= 0 || node->place2 >= 0));
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    cnVec3 sum = cnVec3_zero;
    int place = node->place1 >= 0 ? node->place1 : node->place2;
    for (int r = node->firstRow; r < node->firstRow + node->rowCount; ++r) {
        double force = lambda != NULL ? lambda[r] * island->perStep : joint->rows[island->rows[r].slot].force;
        sum = cnMulAdd(sum, force, cnGetVec(cnDirect_NumbersAt(island, node, place, r)));
    }
    return sum;
}

static bool PullsAtAnchors(const cnDirectNode* node) {
    return node->constraint >= 0 && (node->place1 >= 0 || node->place2 >= 0);
}

// The size of a node's translation force, N. Axes of a plain node's translations are orthonormal.
static double ForceSize(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    if (!node->plain) {
        return cnLength(TranslationForce(island, node, lambda));
    }
    CN_ASSERT(node->translations <= node->rowCount);
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    double square = 0.0;
    for (int r = node->firstRow; r < node->firstRow + node->translations; ++r) {
        double force = lambda != NULL ? lambda[r] * island->perStep : joint->rows[island->rows[r].slot].force;
        square += force * force;
    }
    return sqrt(square);
}

// Adds a node's stiffness to that of its bodies, from multipliers or, where these are null, the last step's forces.
static void AddStiffness(cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    double size = PullsAtAnchors(node) ? ForceSize(island, node, lambda) : 0.0;
    if (!(size > 0.0)) {
        return;
    }
    if (node->place1 >= 0) {
        cnStiffness_Add(&island->bodies[node->bodies[node->place1]].stiffness, size, node->arm1,
                        node->length1);
    }
    if (node->place2 >= 0) {
        cnStiffness_Add(&island->bodies[node->bodies[node->place2]].stiffness, size, node->arm2,
                        node->length2);
    }
}

// Of all bodies again, from multipliers.
static void SetStiffness(cnDirectIsland* island, const double* lambda) {
    for (int i = 0; i < island->bodyCount; ++i) {
        cnStiffness_Clear(&island->bodies[i].stiffness);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        AddStiffness(island, &island->nodes[n], lambda);
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// G M'⁻¹ Gᵀ of a row.
double cnDirect_RowEffect(const cnDirectIsland* island, const cnDirectNode* node, int row) {
    CN_ASSERT(row >= node->firstRow && row < node->firstRow + node->rowCount);
    double effect = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = cnDirect_NumbersAt(island, node, place, row);
        const double* mass = island->mass + 18 * node->bodies[place];
        cnInverseMass inverse;
        if (island->sweeps) {
            inverse = island->inverses[node->bodies[place]];
        } else {
            inverse.linear = cnInverse(cnDirect_GetMatrix(mass));
            inverse.angular = cnInverse(cnDirect_GetMatrix(mass + 9));
        }
        cnVec3 force = cnGetVec(j), moment = cnGetVec(j + 3);
        effect +=
            cnDot(force, cnMulMat(inverse.linear, force)) + cnDot(moment, cnMulMat(inverse.angular, moment));
    }
    return effect;
}

// No less than the effect of any row of a plain node.
static double MaxEffect(const cnDirectIsland* island, const cnDirectNode* node) {
    if (!node->plain) {
        return INFINITY;
    }
    const int places[2] = {node->place1, node->place2};
    // the second body's lever goes to the first one's point
    const double levers[2] = {node->length1, node->length2 + node->opening};
    double max = 0.0;
    for (int i = 0; i < 2; ++i) {
        if (places[i] >= 0) {
            const cnDirectBody* body = &island->bodies[node->bodies[places[i]]];
            max += body->linearMax + body->angularMax * (1.0 + levers[i] * levers[i]);
        }
    }
    return 1.01 * max; // unit axes are so to rounding
}

// What the rows of a node will need of its constraint.
static void PrefetchJoint(const cnDirectIsland* island, int n) {
    if (n < island->nodeCount && island->nodes[n].constraint >= 0) {
        const cnConstraint* joint = &island->solve->constraints->constraints[island->nodes[n].constraint];
        cnPrefetch(joint->dofs);
        cnPrefetch(&joint->dofs[2]);
        cnPrefetch(joint->rows);
        cnPrefetch(&joint->rows[2]);
    }
}

// Rows of all nodes, and the stiffness that joints made in the last step.
static void MakeRows(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount;) {
        PrefetchJoint(island, n + 2);
        const int end = cnDirect_MakeRows(island, n);
        for (; n < end; ++n) {
            AddStiffness(island, &island->nodes[n], NULL);
        }
    }
}

// k alone of all bodies, N m, from multipliers.
static void FindStiffnessSums(const cnDirectIsland* island, const double* lambda, double* sums) {
    memset(sums, 0, (size_t)island->bodyCount * sizeof *sums);
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (!PullsAtAnchors(node)) {
            continue;
        }
        double force = ForceSize(island, node, lambda);
        if (node->place1 >= 0) {
            sums[node->bodies[node->place1]] += force * node->length1;
        }
        if (node->place2 >= 0) {
            sums[node->bodies[node->place2]] += force * node->length2;
        }
    }
}

// True where multipliers make a body's stiffness unstable and far above the one that it was given.
static bool MustRestiffen(const cnDirectIsland* island, const double* lambda) {
    FindStiffnessSums(island, lambda, island->stiffness);
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        double now = island->stiffness[i];
        if (island->h * island->h * now > body->largestMoment && now > 2.0 * body->stiffness.sum) {
            return true;
        }
    }
    return false;
}

// ---- right-hand sides -----------------------------------------------------------------------------------------------

// q of every row, and Σ not below its floor.
static void LoadRows(cnDirectIsland* island) {
    double* q = island->right + 6 * island->bodyCount;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        double max = island->sweeps ? INFINITY : CN_MIN_SIGMA * MaxEffect(island, node);
        for (int r = node->firstRow; r < node->firstRow + node->rowCount; ++r) {
            const cnDirectRow* row = &island->rows[r];
            q[r] = row->wanted - row->fixedSpeed;
            island->sigma[r] = row->sigma;
            if (!(row->sigma >= max)) {
                island->effect[r] = cnDirect_RowEffect(island, node, r);
                island->sigma[r] = cnMax(row->sigma, cnMax(CN_MIN_SIGMA * island->effect[r], 1e-300));
            }
        }
    }
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

void cnDirect_SolveBounded(cnDirectIsland* island) {
    CN_ASSERT(island->systemRows > 0 && island->systemRows <= island->rowCount);
    cnBoxProblem problem = {
        .right = island->right,
        .lower = island->lower,
        .upper = island->upper,
        .sets = island->state,
        .solution = island->solution,
    };
    cnBoxSettings settings = {
        .tries = CN_BLOCK_TRIES,
        .minSteps = -1,
        .tolerance = CN_BOX_TOLERANCE,
        .flopLimit = island->flopLimit > 0.0 ? island->flopsBefore + island->flopLimit : 0.0,
    };
    cnBoxStatistics statistics = {0};
    island->ok =
        cnBoxSolver_Solve(&island->solve->direct->box, island->factor, &problem, &settings, &statistics) &&
        island->ok;
    island->failed = island->failed || statistics.failed;
    island->pivots += statistics.steps;
    island->overBudget =
        island->overBudget || (island->flopLimit > 0.0 &&
                               island->factor->statistics.flops - island->flopsBefore > island->flopLimit);
    island->statistics.rounds += 1;
    island->statistics.pivots += statistics.steps;
    island->statistics.fallbacks += statistics.gaveUp;
    island->statistics.residual = cnMax(island->statistics.residual, statistics.residual);
}

// ---- a sub-step -----------------------------------------------------------------------------------------------------

// The part of a correction that the bodies' stiffness stands.
static double CorrectionShare(cnDirectIsland* island, const double* correction) {
    double share = 1.0;
    FindStiffnessSums(island, correction, island->stiffness);
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        double stands = body->largestMoment / (island->h * island->h) + body->stiffness.sum;
        if (island->stiffness[i] > stands) {
            share = cnMin(share, stands / island->stiffness[i]);
        }
    }
    return share;
}

void cnDirect_LookAhead(cnDirectIsland* island) {
    for (int i = 0; i < island->bodyCount; i += 2) {
        TryPoses(island, i, island->solution);
    }
    cnDirect_FindAhead(island);
}

// Violations that the corrected solution leads to: the guard asks springs and locks what they give up on their way.
static void CorrectAhead(cnDirectIsland* island, double share) {
    CN_ASSERT(!(share < 0.0) && !(share > 1.0));
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int r = node->firstRow; cnDirect_IsAsked(node) && r < node->firstRow + node->rowCount; ++r) {
            island->ahead[r] += share * island->h * cnDirect_RowSpeed(island, r, island->step);
        }
    }
}

// The gap that is left where the solution leads, taken out on the same factorisation.
void cnDirect_Correct(cnDirectIsland* island) {
    int unknowns = 6 * island->bodyCount, all = unknowns + island->systemRows;
    memset(island->right + unknowns, 0, (size_t)island->systemRows * sizeof(double));
    memset(island->step + unknowns, 0, (size_t)island->systemRows * sizeof(double));
    bool any = false;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        if (i % 2 == 0) {
            TryPoses(island, i, island->solution);
        }
        cnVec3 missing = cnVec3_zero;
        if (body->turn.kind == cn_turnRotor) {
            cnVec3 w = cnGetVec(island->solution + 6 * i + 3);
            missing = cnSub(BearingMomentum(island, body, w), body->bearing);
            any = true;
        }
        cnPutVec(island->right + 6 * i, cnVec3_zero);
        cnPutVec(island->right + 6 * i + 3, missing);
    }
    cnDirect_FindAhead(island);
    for (int r = 0; r < island->systemRows; ++r) {
        const cnDirectRow* row = &island->rows[r];
        if (row->kind != cn_rowVelocity && row->slot >= 0 && island->state[r] == cn_rowFree) {
            island->right[unknowns + r] = row->recovery -
                                          island->perStep * (island->ahead[r] - row->violation) -
                                          island->sigma[r] * island->solution[unknowns + r];
            any = true;
        }
    }
    if (!any) {
        return;
    }
    cnSparseFactor_Solve(island->factor, island->right, island->step);
    double share = CorrectionShare(island, island->step + unknowns);
    for (int i = 0; i < all; ++i) {
        island->solution[i] += share * island->step[i];
    }
    CorrectAhead(island, share);
    for (int i = 0; island->hasRotors && i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        if (body->turn.kind == cn_turnRotor) {
            body->bearing = cnMulAdd(body->bearing, share, cnGetVec(island->right + 6 * i + 3));
        }
    }
    for (int r = 0; island->hasLimits && r < island->systemRows; ++r) {
        if (island->rows[r].kind == cn_rowOneSided) {
            double* lambda = &island->solution[unknowns + r];
            *lambda = cnClamp(*lambda, island->lower[r], island->upper[r]);
        }
    }
}

static bool FollowsTrial(const cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    return body->turn.kind == cn_turnFree &&
           (island->solve->bodies->flags[body->row] & cn_bodyIsotropicMass) != 0;
}

// A body that turns freely, to where its trial pose is.
static void FollowTrial(const cnDirectIsland* island, const cnDirectBody* body, cnVec3 v, cnVec3 w) {
    cnBodyTable* bodies = island->solve->bodies;
    const int row = body->row;
    cnVec3 change = cnSub(w, bodies->angularVelocity[row]);
    cnVec3 momentum = body->damped ? cnBody_AngularMomentumFor(bodies, row, bodies->rotation[row], change)
                                   : cnMulMat(body->inertia, change);
    bodies->centreOfMass[row] = island->trialCentres[row];
    bodies->rotation[row] = cnNormalizeQuat(island->trialRotations[row]);
    bodies->velocity[row] = v;
    bodies->angularMomentum[row] = cnAdd(bodies->angularMomentum[row], momentum);
    bodies->bearingMomentum[row] = cnVec3_zero;
    cnBody_UpdateAngularVelocity(bodies, row);
    cnBody_UpdatePosition(bodies, row);
}

// What a turn that keeps the angular momentum made of a body's energy, J: the guard has judged the velocities before it.
static double EnergyOfFreeTurn(const cnBodyTable* bodies, const cnDirectBody* body, int row, cnVec3 before) {
    return 0.5 * (cnDot(bodies->angularVelocity[row], bodies->angularMomentum[row]) -
                  cnDot(before, cnMulMat(body->inertia, before)));
}

static void MoveBody(cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    cnSolve* solve = island->solve;
    cnBodyTable* bodies = solve->bodies;
    cnDirectBody* body = &island->bodies[i];
    int row = body->row;
    double h = island->h;
    cnVec3 v = cnGetVec(island->solution + 6 * i), w = cnGetVec(island->solution + 6 * i + 3);
    const double* way = island->way != NULL ? island->way : island->solution;
    cnVec3 wayV = cnGetVec(way + 6 * i), wayW = cnGetVec(way + 6 * i + 3);
    cnVec3 before = bodies->angularVelocity[row];
    cnVec3 filtered = cnMulAdd(bodies->filteredSpin[row], 0.5, cnSub(w, bodies->filteredSpin[row]));
    if (body->turn.kind == cn_turnRotor) {
        cnTurned turned;
        cnQuat rotation = bodies->rotation[row];
        bodies->rotation[row] = cnTurn_Apply(&body->turn, bodies, row, rotation, w, h, &turned);
        if (island->way != NULL) {
            bodies->rotation[row] = cnTurn_Apply(&body->turn, bodies, row, rotation, wayW, h, NULL);
        }
        bodies->centreOfMass[row] = cnMulAdd(bodies->centreOfMass[row], h, wayV);
        bodies->velocity[row] = v;
        bodies->angularMomentum[row] = turned.momentum;
        bodies->bearingMomentum[row] =
            cnAdd(bodies->bearingMomentum[row], cnSub(turned.bearing, body->bearing));
        cnBody_UpdateAngularVelocity(bodies, row);
        cnBody_UpdatePosition(bodies, row);
    } else if (FollowsTrial(island, i)) {
        FollowTrial(island, body, v, w);
    } else {
        cnVec3 dv = cnSub(v, bodies->velocity[row]), dw = cnSub(w, before);
        cnMotionStep motion = {
            .h = h,
            .shift = cnScale(h, cnSub(wayV, bodies->velocity[row])),
            .turn = cnScale(h, cnSub(wayW, before)),
            .velocity = dv,
            .angularVelocity = dw,
            .atOnce = island->way == NULL,
            .gyroscopic = solve->gyroscopic,
        };
        cnBody_Move(bodies, row, &motion);
        bodies->bearingMomentum[row] = cnVec3_zero;
    }
    bodies->filteredSpin[row] = filtered;
    bodies->stiffness[row] = body->stiffness.sum;
    if (body->turn.kind == cn_turnFree && !body->damped) {
        bodies->energyCredit[row] -= EnergyOfFreeTurn(bodies, body, row, w);
    }
}

// What the next sub-step starts from, and the sums to read.
static void StoreRows(cnDirectIsland* island) {
    cnConstraintTable* table = island->solve->constraints;
    double* lambdas = island->solution + 6 * island->bodyCount;
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        bool inSystem = node->firstRow < island->systemRows;
        double lambda[cn_mostJointRows];
        for (int i = 0; i < node->rowCount; ++i) {
            int r = node->firstRow + i;
            cnDirectRow* row = &island->rows[r];
            row->lambda = lambda[i] = inSystem ? lambdas[r] : row->lambda;
            row->sum += row->lambda;
            if (node->constraint >= 0) {
                cnRowState* state = &table->constraints[node->constraint].rows[row->slot];
                state->force = island->perStep * row->lambda;
                state->violation = cnDirect_Pressed(island, r);
                state->active = island->state[r] == cn_rowFree;
            } else if (row->kind == cn_rowOneSided) {
                row->violation +=
                    island->h * (cnDirect_RowSpeed(island, r, island->solution) + row->fixedSpeed);
            }
        }
        if (node->constraint >= 0) {
            cnDirect_AddReaction(island, node, lambda);
            table->constraints[node->constraint].lastStep = island->h;
        }
    }
}

void cnDirect_LoadValues(cnDirectIsland* island) {
    LoadBodies(island);
    LoadRows(island);
    cnSparseValues values = {island->mass, island->jacobian, island->sigma};
    cnSparseFactor_SetValues(island->factor, &values);
}

static void Solve(cnDirectIsland* island) {
    cnDirect_LoadValues(island);
    cnDirect_SolveWithFriction(island);
}

void cnDirect_PrepareSubStep(cnDirectIsland* island) {
    CN_ASSERT(island->h > 0.0);
    island->perStep = 1.0 / island->h;
    for (int i = 0; i < island->bodyCount; i += 2) {
        PrepareBody(island, i);
        if (i + 1 < island->bodyCount) {
            PrepareBody(island, i + 1);
        }
        TryPoses(island, i, island->start);
    }
    cnDirect_PlaceFixedBodies(island);
    double turn = island->h * island->turnRate;
    island->curvatureShare = cnClamp((CN_FADE_TO - turn) / (CN_FADE_TO - CN_FADE_FROM), 0.0, 1.0);
    MakeRows(island);
}

void cnDirect_Solve(cnDirectIsland* island) {
    Solve(island);

    // forces that came up in this step make new stiffness: in a snap they grow tenfold in one
    const double* lambda = island->solution + 6 * island->bodyCount;
    for (int round = 0; round < CN_RESTIFFENINGS && !island->overBudget && MustRestiffen(island, lambda);
         ++round) {
        SetStiffness(island, lambda);
        Solve(island);
    }
}

void cnDirect_FinishSubStep(cnDirectIsland* island) {
    CN_ASSERT(island->h > 0.0);
    if (island->hasExactCones) {
        cnDirect_TurnBack(island);
    }
    StoreRows(island);
    const double* way = island->way != NULL ? island->way : island->solution;
    for (int i = 0; i < island->bodyCount; i += 2) {
        const int other = i + 1 < island->bodyCount ? i + 1 : i;
        if (FollowsTrial(island, i) || FollowsTrial(island, other)) {
            TryPoses(island, i, way);
        }
        MoveBody(island, i);
        if (other != i) {
            MoveBody(island, other);
        }
    }
    cnDirect_FollowAngles(island);
}

void cnDirect_SubStep(cnDirectIsland* island) {
    CN_ASSERT(island->substep >= 0 && island->elapsed >= 0.0);
    cnDirect_PrepareSubStep(island);
    cnDirect_Solve(island);
    cnDirect_Correct(island);
    cnDirect_GuardEnergy(island);
    cnDirect_FinishSubStep(island);
}
