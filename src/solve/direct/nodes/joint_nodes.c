#include "solve/direct/nodes/joint_nodes.h"

#include "base/report/assert.h"
#include "solve/direct/nodes/force_times.h"

#include <string.h>

// ---- bodies that are not dynamic --------------------------------------------------------------------------

void cnDirect_PlaceStaticBodies(const cnDirectIsland* island) {
    const cnSolve* solve = island->solve;
    for (int j = 0; j < solve->jointCount; ++j) {
        for (int side = 0; side < 4; ++side) {
            const int row = solve->joints[j].rows[side];
            if (row >= 0 && !cnDirect_IsDynamic(island, row) && !cnDirect_IsMoving(solve, row)) {
                island->centres[row] = island->trialCentres[row] = solve->bodies->centreOfMass[row];
                island->rotations[row] = island->trialRotations[row] = solve->bodies->rotation[row];
            }
        }
    }
}

// A kinematic body, where it is so many seconds after the start of the step.
static void PlaceMoving(const cnDirectIsland* island, int row, double time, cnVec3* centre,
                        cnQuat* rotation) {
    CN_ASSERT(!cnDirect_IsDynamic(island, row));
    const cnBodyTable* bodies = island->solve->bodies;
    cnQuat rotationStep = cnQuatFromRotationVector(cnScale(time, bodies->halfStepAngularVelocity[row]));
    *centre = cnMulAdd(bodies->centreOfMass[row], time, bodies->halfStepVelocity[row]);
    *rotation = cnNormalizeQuat(cnMulQuat(rotationStep, bodies->rotation[row]));
}

void cnDirect_PlaceMovingBodies(cnDirectIsland* island) {
    for (int n = 0; cnDirect_Has(island, cn_islandHasMoving) && n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int side = 0; cnNode_IsJoint(node) && node->joint.hasMoving && side < 4; ++side) {
            const int row = node->joint.sides[side];
            if (row >= 0 && node->joint.places[side] < 0 && cnDirect_IsMoving(island->solve, row)) {
                PlaceMoving(island, row, island->substep.elapsed, &island->centres[row],
                            &island->rotations[row]);
                PlaceMoving(island, row, island->substep.elapsed + island->substep.h,
                            &island->trialCentres[row], &island->trialRotations[row]);
            }
        }
    }
}

// ---- rows -------------------------------------------------------------------------------------------------

// What a row of a joint takes over from its settings and from the last step.
static void StartJointRow(cnDirectIsland* island, const cnDirectNode* node, int r, cnRowState* state,
                          const cnRowSettings* settings, cnRowTerms* terms) {
    CN_ASSERT(r >= node->block.firstRow && r < cnRowBlock_End(&node->block));
    if (island->substep.index == 0) {
        island->before[r] = *state;
    }
    state->isUpper = settings->max <= 0.0;
    const double time = cnDirect_GetKickTime(island, node);
    island->system.lower[r] = time * settings->min;
    island->system.upper[r] = time * settings->max;
    island->rows[r].fixedSpeed = 0.0;
    terms->push = INFINITY;
    terms->hasRate = node->joint.hasRate;
    terms->rate = node->joint.perLastStep * (cnDirect_Pressed(island, r) - state->violation);
}

// A spring gives the impulse of its force in the time in which it acts.
static double SofterBy(const cnDirectIsland* island, const cnDirectNode* node) {
    return island->substep.h / cnDirect_GetKickTime(island, node);
}

// γ of a row, and the part of a gap that a whole step of it closes in a second.
static void SetDamping(const cnDirectIsland* island, double damping, cnRowTerms* terms) {
    double h = island->solve->h;
    terms->gamma = cnSpookGamma(damping >= 0.0 ? damping : 2.0 * island->substep.h, island->substep.h);
    terms->closing = 4.0 / (h + 4.0 * (damping >= 0.0 ? damping : 2.0 * h));
}

// Fills a row of a node from one of a joint.
static void StoreJointRow(cnDirectIsland* island, const cnDirectNode* node, int r, const cnJointRow* from,
                          cnRowTerms* terms) {
    CN_ASSERT(r >= node->block.firstRow && r < cnRowBlock_End(&node->block));
    cnDirectRow* row = &island->rows[r];
    row->kind = from->kind;
    cnDirect_AddTrait(island, cn_islandHasLimits, from->kind == cn_rowOneSided);
    row->slot = from->slot;
    row->violation = from->violation;
    terms->target = from->target;
    SetDamping(island, from->damping, terms);
    terms->compliance = from->compliance;
    double sigma = from->kind == cn_rowVelocity || from->kind == cn_rowSway
                       ? from->compliance / island->substep.h
                       : cnSpookSigma(from->compliance, terms->gamma, island->substep.h);
    row->sigma = SofterBy(island, node) * sigma;
    const cnRowSettings settings = {from->compliance, from->damping, from->min, from->max};
    cnConstraint* joint = &island->solve->constraints->constraints[node->source];
    StartJointRow(island, node, r, &joint->rows[row->slot], &settings, terms);
    island->reactions[r] = (cnReaction){cnVec3_zero, cnVec3_zero};
    if (from->sides > 0) {
        cnVec3 force = cnGetVec(from->jacobian[0]), moment = cnGetVec(from->jacobian[0] + 3);
        island->reactions[r] = (cnReaction){force, cnSub(moment, cnCross(node->joint.arm1, force))};
    }
    if (from->sides != 2) { // a gear may have a body on two sides, a row that waits acts on none
        for (int place = 0; place < node->block.bodyCount; ++place) {
            memset(cnDirect_NumbersAt(island, node, place, r), 0, 6 * sizeof(double));
        }
    }
    for (int side = 0; side < from->sides; ++side) {
        const double* jacobian = from->jacobian[side];
        if (node->joint.places[side] >= 0) {
            double* numbers = cnDirect_NumbersAt(island, node, node->joint.places[side], r);
            for (int k = 0; k < 6; ++k) {
                numbers[k] = from->sides == 2 ? jacobian[k] : numbers[k] + jacobian[k];
            }
        } else if (node->joint.sides[side] >= 0) {
            row->fixedSpeed += cnDirect_FixedSpeed(island, node->joint.sides[side], jacobian);
        }
    }
}

// Rows of a plain node: as above, without a detour.
static void StoreHeldRows(cnDirectIsland* island, const cnDirectNode* node, const cnHeldRow* held,
                          cnRowTerms* terms) {
    cnConstraint* joint = &island->solve->constraints->constraints[node->source];
    double* numbers[2];
    for (int side = 0; side < 2; ++side) {
        const int place = node->joint.places[side];
        numbers[side] = place >= 0 ? cnDirect_NumbersAt(island, node, place, node->block.firstRow) : NULL;
    }
    const cnRowSettings* last = NULL;
    const double softer = SofterBy(island, node);
    for (int i = 0; i < node->block.rowCount; ++i) {
        const cnRowSettings* settings = &joint->dofs[held[i].dof];
        const int r = node->block.firstRow + i;
        cnDirectRow* row = &island->rows[r];
        row->kind = cn_rowHolonomic;
        row->slot = cn_slotDof + held[i].dof;
        row->violation = held[i].violation;
        terms[i].target = 0.0;
        if (last != NULL && last->damping == settings->damping && last->compliance == settings->compliance) {
            terms[i].gamma = terms[i - 1].gamma;
            terms[i].closing = terms[i - 1].closing;
            row->sigma = row[-1].sigma;
        } else {
            SetDamping(island, settings->damping, &terms[i]);
            double sigma = cnSpookSigma(settings->compliance, terms[i].gamma, island->substep.h);
            row->sigma = softer * sigma;
        }
        terms[i].compliance = settings->compliance;
        last = settings;
        StartJointRow(island, node, r, &joint->rows[row->slot], settings, &terms[i]);
        const cnGradient* gradient = &held[i].gradient;
        for (int side = 0; side < 2; ++side) {
            double fixed[6], *j = numbers[side] != NULL ? numbers[side] + 6 * i : fixed;
            cnPutVec(j, side == 0 ? gradient->linear : cnNeg(gradient->linear));
            cnPutVec(j + 3, side == 0 ? gradient->moment1 : cnNeg(gradient->moment2));
            if (numbers[side] == NULL && node->joint.sides[side] >= 0) {
                row->fixedSpeed += cnDirect_FixedSpeed(island, node->joint.sides[side], j);
            }
        }
    }
}

static void PlaceArms(const cnDirectIsland* island, cnDirectNode* node) {
    const cnQuat* rotations = island->rotations;
    node->joint.arm1 = node->joint.sides[0] >= 0
                           ? cnRotate(rotations[node->joint.sides[0]], node->joint.local1)
                           : cnVec3_zero;
    node->joint.arm2 = node->joint.sides[1] >= 0
                           ? cnRotate(rotations[node->joint.sides[1]], node->joint.local2)
                           : cnVec3_zero;
}

// What a node takes over from its constraint's last step.
static void StartJoint(const cnDirectIsland* island, cnDirectNode* node, const cnConstraint* joint) {
    if (island->substep.index == 0) {
        node->joint.lastStep = joint->lastStep;
        if (node->joint.hasAngles) {
            memcpy(node->joint.turns, joint->turns, sizeof node->joint.turns);
            memcpy(node->joint.lastRaw, joint->lastRaw, sizeof node->joint.lastRaw);
        }
        node->joint.lastSway = joint->sway;
        node->joint.lastTautness = joint->tautness;
    }
    node->joint.perLastStep = joint->lastStep > 0.0 ? 1.0 / joint->lastStep : 0.0;
    node->joint.hasRate = joint->lastStep > 0.0 || joint->startsAtRest;
}

// Violations of a joint's rows at the trial poses.
static void FindAhead(cnDirectIsland* island, const cnDirectNode* node) {
    cnJointView view = {island->solve->bodies, island->trialCentres, island->trialRotations};
    const cnConstraintTable* table = island->solve->constraints;
    if (cnNode_IsPlain(node)) {
        cnJoint_FindGaps(table, &table->constraints[node->source], &view,
                         island->ahead + node->block.firstRow);
        return;
    }
    double values[cn_mostJointRows] = {0};
    cnJoint_FindViolations(island->solve->constraints, node->source, node->kind == cn_nodeSecondary, &view,
                           values);
    memcpy(island->ahead + node->block.firstRow, values, (size_t)node->block.rowCount * sizeof(double));
}

static void FindBallsAhead(cnDirectIsland* island, const cnDirectNode* first, const cnDirectNode* second) {
    const cnJointView view = {island->solve->bodies, island->trialCentres, island->trialRotations};
    const cnConstraint* constraints = island->solve->constraints->constraints;
    cnJoint_FindBallGaps(&constraints[first->source], &constraints[second->source], &view,
                         island->ahead + first->block.firstRow, island->ahead + second->block.firstRow);
}

static void FindRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms* terms) {
    cnJointView view = {island->solve->bodies, island->centres, island->rotations};
    cnConstraintTable* table = island->solve->constraints;
    const cnConstraint* joint = &table->constraints[node->source];
    StartJoint(island, node, joint);
    if (cnNode_IsPlain(node)) {
        cnHeldRow held[6];
        cnJointFrames frames;
        int count = cnJoint_FindHeld(table, joint, &view, held, &frames);
        if (count == node->block.rowCount) {
            node->joint.arm1 = frames.arm1;
            node->joint.arm2 = frames.arm2;
            node->joint.opening = cnLength(cnSub(frames.point1, frames.point2));
            StoreHeldRows(island, node, held, terms);
            return;
        }
        node->kind = cn_nodeJoint; // a distance of 0 has no direction: its row waits
    }
    cnJointRow rows[cn_mostJointRows];
    PlaceArms(island, node);
    int count = cnJoint_MakeRows(table, node->source, node->kind == cn_nodeSecondary, &view, rows);
    for (int i = 0; i < node->block.rowCount; ++i) {
        if (i >= count) {
            rows[i] = (cnJointRow){.slot = cn_slotDof, .kind = cn_rowVelocity};
        }
        StoreJointRow(island, node, node->block.firstRow + i, &rows[i], &terms[i]);
    }
}

void cnDirect_MakeJointRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms terms[cn_mostJointRows]) {
    CN_ASSERT(cnNode_IsJoint(node) && node->kind != cn_nodeBall);
    FindRows(island, node, terms);
    FindAhead(island, node);
}

void cnDirect_MakeBallRows(cnDirectIsland* island, cnDirectNode* first, cnDirectNode* second,
                           cnRowTerms terms[2][3]) {
    CN_ASSERT(first->kind == cn_nodeBall && second->kind == cn_nodeBall);
    const cnJointView view = {island->solve->bodies, island->centres, island->rotations};
    const cnConstraint* constraints = island->solve->constraints->constraints;
    cnHeldBall held[2];
    cnJoint_HoldBalls(&constraints[first->source], &constraints[second->source], &view, &held[0], &held[1]);
    FindBallsAhead(island, first, second);
    for (cnDirectNode* node = first; node <= second; ++node) {
        const cnHeldBall* ball = &held[node - first];
        StartJoint(island, node, &constraints[node->source]);
        node->joint.arm1 = ball->arm1;
        node->joint.arm2 = ball->arm2;
        node->joint.opening = cnLength(ball->gap);
        StoreHeldRows(island, node, ball->rows, terms[node - first]);
    }
}

// ---- violations elsewhere ---------------------------------------------------------------------------------

void cnDirect_FindAhead(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->kind == cn_nodeBall) {
            const int partner = cnDirect_PartnerOf(island, n);
            FindBallsAhead(island, node, &island->nodes[partner]);
            n = partner;
        } else if (cnNode_IsJoint(node)) {
            FindAhead(island, node);
        }
    }
}

// ---- reactions --------------------------------------------------------------------------------------------

void cnDirect_AddReaction(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
    CN_ASSERT(cnNode_IsJoint(node));
    cnVec3 impulse = cnVec3_zero, angularImpulse = cnVec3_zero;
    if (!cnNode_IsPlain(node)) {
        const cnReaction* reactions = island->reactions + node->block.firstRow;
        for (int i = 0; i < node->block.rowCount; ++i) {
            impulse = cnMulAdd(impulse, lambda[i], reactions[i].force);
            angularImpulse = cnMulAdd(angularImpulse, lambda[i], reactions[i].torque);
        }
    } else {
        // a translation's force goes through the attachment; a rotation's axis is the same for both bodies
        bool isFirst = node->joint.places[0] >= 0;
        const double* j =
            cnDirect_NumbersAt(island, node, node->joint.places[isFirst ? 0 : 1], node->block.firstRow);
        double sign = isFirst ? 1.0 : -1.0;
        for (int i = 0; i < node->block.rowCount; ++i, j += 6) {
            if (i < node->joint.translations) {
                impulse = cnMulAdd(impulse, sign * lambda[i], cnGetVec(j));
            } else {
                angularImpulse = cnMulAdd(angularImpulse, sign * lambda[i], cnGetVec(j + 3));
            }
        }
    }
    node->joint.impulse = cnAdd(node->joint.impulse, impulse);
    node->joint.angularImpulse = cnAdd(node->joint.angularImpulse, angularImpulse);
}
