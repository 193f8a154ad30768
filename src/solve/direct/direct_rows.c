// Rows of joints of an island that is solved directly: what they hold, along what, and how fast it is to change.
#include "base/report/assert.h"
#include "base/simd.h"
#include "solve/direct/direct_island.h"

#include <string.h>

// Speed that joints close gaps with, as a share of that with which their arms turn.
#define CN_CLOSING_SHARE 0.1

// A body that is not dynamic, where it is so many seconds after the start of the step.
static void PlaceFixed(const cnDirectIsland* island, int row, double time, cnVec3* centre, cnQuat* rotation) {
    CN_ASSERT(!cnDirect_Yields(island, row));
    const cnBodyTable* bodies = island->solve->bodies;
    *centre = bodies->centreOfMass[row];
    *rotation = bodies->rotation[row];
    if ((bodies->flags[row] & (cn_bodyKinematic | cn_bodyEnabled)) == (cn_bodyKinematic | cn_bodyEnabled)) {
        cnQuat turn = cnQuatFromRotationVector(cnScale(time, bodies->angularVelocity[row]));
        *centre = cnMulAdd(*centre, time, bodies->velocity[row]);
        *rotation = cnNormalizeQuat(cnMulQuat(turn, *rotation));
    }
}

void cnDirect_PlaceFixedBodies(cnDirectIsland* island) {
    for (int n = 0; island->hasFixed && n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int side = 0; node->hasFixed && side < 4; ++side) {
            int row = node->sides[side];
            if (row >= 0 && node->places[side] < 0) {
                PlaceFixed(island, row, island->elapsed, &island->centres[row], &island->rotations[row]);
                PlaceFixed(island, row, island->elapsed + island->h, &island->trialCentres[row],
                           &island->trialRotations[row]);
            }
        }
    }
}

// What a row of a joint takes over from its settings and from the last step.
static void StartJointRow(cnDirectIsland* island, const cnDirectNode* node, int r, cnRowState* state,
                          const cnRowSettings* settings, cnRowTerms* terms) {
    CN_ASSERT(r >= node->firstRow && r < node->firstRow + node->rowCount);
    if (island->substep == 0) {
        island->before[r] = *state;
    }
    state->isUpper = settings->max <= 0.0;
    island->lower[r] = island->h * settings->min;
    island->upper[r] = island->h * settings->max;
    island->rows[r].fixedSpeed = 0.0;
    terms->push = INFINITY;
    terms->hasRate = node->hasRate;
    terms->rate = node->perLastStep * (cnDirect_Pressed(island, r) - state->violation);
}

// γ of a row, and the part of a gap that a whole step of it closes in a second.
static void SetDamping(const cnDirectIsland* island, double damping, cnRowTerms* terms) {
    double h = island->solve->h;
    terms->gamma = cnSpookGamma(damping >= 0.0 ? damping : 2.0 * island->h, island->h);
    terms->closing = 4.0 / (h + 4.0 * (damping >= 0.0 ? damping : 2.0 * h));
}

// Fills a row of a node from one of a joint.
static void StoreJointRow(cnDirectIsland* island, const cnDirectNode* node, int r, const cnJointRow* from,
                          cnRowTerms* terms) {
    CN_ASSERT(r >= node->firstRow && r < node->firstRow + node->rowCount);
    cnDirectRow* row = &island->rows[r];
    row->kind = from->kind;
    island->hasLimits = island->hasLimits || from->kind == cn_rowOneSided;
    row->slot = from->slot;
    row->violation = from->violation;
    terms->target = from->target;
    SetDamping(island, from->damping, terms);
    terms->compliance = from->compliance;
    row->sigma = from->kind == cn_rowVelocity ? from->compliance / island->h
                                              : cnSpookSigma(from->compliance, terms->gamma, island->h);
    const cnRowSettings settings = {from->compliance, from->damping, from->min, from->max};
    cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    StartJointRow(island, node, r, &joint->rows[row->slot], &settings, terms);
    island->reactions[r] = (cnReaction){cnVec3_zero, cnVec3_zero};
    if (from->sides > 0) {
        cnVec3 force = cnGetVec(from->jacobian[0]), moment = cnGetVec(from->jacobian[0] + 3);
        island->reactions[r] = (cnReaction){force, cnSub(moment, cnCross(node->arm1, force))};
    }
    if (from->sides != 2) { // a gear may have a body on two sides, a row that waits acts on none
        for (int place = 0; place < node->bodyCount; ++place) {
            memset(cnDirect_NumbersAt(island, node, place, r), 0, 6 * sizeof(double));
        }
    }
    for (int side = 0; side < from->sides; ++side) {
        const double* jacobian = from->jacobian[side];
        if (node->places[side] >= 0) {
            double* numbers = cnDirect_NumbersAt(island, node, node->places[side], r);
            for (int k = 0; k < 6; ++k) {
                numbers[k] = from->sides == 2 ? jacobian[k] : numbers[k] + jacobian[k];
            }
        } else if (node->sides[side] >= 0) {
            row->fixedSpeed += cnDirect_FixedSpeed(island, node->sides[side], jacobian);
        }
    }
}

// Rows of a plain node: as above, without a detour.
static void StoreHeldRows(cnDirectIsland* island, const cnDirectNode* node, const cnHeldRow* held,
                          cnRowTerms* terms) {
    cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    double* numbers[2];
    for (int side = 0; side < 2; ++side) {
        const int place = node->places[side];
        numbers[side] = place >= 0 ? cnDirect_NumbersAt(island, node, place, node->firstRow) : NULL;
    }
    const cnRowSettings* last = NULL;
    for (int i = 0; i < node->rowCount; ++i) {
        const cnRowSettings* settings = &joint->dofs[held[i].dof];
        const int r = node->firstRow + i;
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
            row->sigma = cnSpookSigma(settings->compliance, terms[i].gamma, island->h);
        }
        terms[i].compliance = settings->compliance;
        last = settings;
        StartJointRow(island, node, r, &joint->rows[row->slot], settings, &terms[i]);
        const cnGradient* gradient = &held[i].gradient;
        for (int side = 0; side < 2; ++side) {
            double fixed[6], *j = numbers[side] != NULL ? numbers[side] + 6 * i : fixed;
            cnPutVec(j, side == 0 ? gradient->linear : cnNeg(gradient->linear));
            cnPutVec(j + 3, side == 0 ? gradient->moment1 : cnNeg(gradient->moment2));
            if (numbers[side] == NULL && node->sides[side] >= 0) {
                row->fixedSpeed += cnDirect_FixedSpeed(island, node->sides[side], j);
            }
        }
    }
}

void cnDirect_AddReaction(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
    CN_ASSERT(node->constraint >= 0);
    cnVec3 impulse = cnVec3_zero, angularImpulse = cnVec3_zero;
    if (!node->plain) {
        const cnReaction* reactions = island->reactions + node->firstRow;
        for (int i = 0; i < node->rowCount; ++i) {
            impulse = cnMulAdd(impulse, lambda[i], reactions[i].force);
            angularImpulse = cnMulAdd(angularImpulse, lambda[i], reactions[i].torque);
        }
    } else {
        // a translation's force goes through the attachment; a rotation's axis is the same for both bodies
        bool isFirst = node->places[0] >= 0;
        const double* j = cnDirect_NumbersAt(island, node, node->places[isFirst ? 0 : 1], node->firstRow);
        double sign = isFirst ? 1.0 : -1.0;
        for (int i = 0; i < node->rowCount; ++i, j += 6) {
            if (i < node->translations) {
                impulse = cnMulAdd(impulse, sign * lambda[i], cnGetVec(j));
            } else {
                angularImpulse = cnMulAdd(angularImpulse, sign * lambda[i], cnGetVec(j + 3));
            }
        }
    }
    node->impulse = cnAdd(node->impulse, impulse);
    node->angularImpulse = cnAdd(node->angularImpulse, angularImpulse);
}

static void PlaceArms(const cnDirectIsland* island, cnDirectNode* node) {
    const cnQuat* rotations = island->rotations;
    node->arm1 = node->sides[0] >= 0 ? cnRotate(rotations[node->sides[0]], node->local1) : cnVec3_zero;
    node->arm2 = node->sides[1] >= 0 ? cnRotate(rotations[node->sides[1]], node->local2) : cnVec3_zero;
}

// What a node takes over from its constraint's last step.
static void StartJoint(const cnDirectIsland* island, cnDirectNode* node, const cnConstraint* joint) {
    if (island->substep == 0) {
        node->lastStep = joint->lastStep;
        if (node->hasAngles) {
            memcpy(node->turns, joint->turns, sizeof node->turns);
            memcpy(node->lastRaw, joint->lastRaw, sizeof node->lastRaw);
        }
    }
    node->perLastStep = joint->lastStep > 0.0 ? 1.0 / joint->lastStep : 0.0;
    node->hasRate = joint->lastStep > 0.0 || joint->startsAtRest;
}

static void MakeJointRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms* terms) {
    cnJointView view = {island->solve->bodies, island->centres, island->rotations};
    cnConstraintTable* table = island->solve->constraints;
    const cnConstraint* joint = &table->constraints[node->constraint];
    StartJoint(island, node, joint);
    if (node->plain) {
        cnHeldRow held[6];
        cnJointFrames frames;
        int count = cnJoint_FindHeld(table, joint, &view, held, &frames);
        if (count == node->rowCount) {
            node->arm1 = frames.arm1;
            node->arm2 = frames.arm2;
            node->opening = cnLength(cnSub(frames.point1, frames.point2));
            StoreHeldRows(island, node, held, terms);
            return;
        }
        node->plain = false; // a distance of 0 has no direction: its row waits
    }
    cnJointRow rows[cn_mostJointRows];
    PlaceArms(island, node);
    int count = cnJoint_MakeRows(table, node->constraint, node->secondary, &view, rows);
    for (int i = 0; i < node->rowCount; ++i) {
        if (i >= count) {
            rows[i] = (cnJointRow){.slot = cn_slotDof, .kind = cn_rowVelocity};
        }
        StoreJointRow(island, node, node->firstRow + i, &rows[i], &terms[i]);
    }
}

// A row reaches its force within so many steps: what is stiffer beside what it moves holds it, and its gaps are not springs that are tense.
#define CN_RESOLVED 1e-2

// 1/kg or 1/(kg m²) of what a row moves, at least.
static double MinInverseMass(const cnDirectIsland* island, const cnDirectNode* node, int r) {
    double sum = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        const cnDirectBody* body = &island->bodies[node->bodies[place]];
        const double* j = cnDirect_NumbersAt(island, node, place, r);
        cnVec3 linear = cnGetVec(j), angular = cnGetVec(j + 3);
        sum += cnDot(linear, linear) / island->solve->bodies->mass[body->row];
        sum += cnDot(angular, angular) / body->largestMoment;
    }
    return sum;
}

bool cnDirect_IsResolvedSpring(const cnDirectIsland* island, int r, double compliance) {
    const cnDirectNode* node = &island->nodes[island->rows[r].node];
    double perStep = 1.0 / island->h;
    return cnDirect_IsSpring(island, r) &&
           compliance * perStep * perStep > CN_RESOLVED * MinInverseMass(island, node, r);
}

// How fast a joint's row closes its gap, m/s or rad/s. Its damping counts in sub-steps, or many of them would make large gaps of what
// turning opens in each; but a gap that is older than the sub-step, from an impact or a step that was cut for less, would be shut within
// it at any speed: of what its force does not explain no more is closed, beyond what a whole step would close of it, than goes with the
// speed with which the joint's arms turn. Springs pull with all that they have.
static double ClosingSpeed(const cnDirectIsland* island, int r, const cnRowTerms* terms) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    const cnDirectRow* row = &island->rows[r];
    double perGap = -4.0 * island->perStep * terms->gamma;
    if (island->h == island->solve->h || cnDirect_IsResolvedSpring(island, r, terms->compliance)) {
        return perGap * row->violation;
    }
    int constraint = island->nodes[row->node].constraint;
    const cnConstraint* joint = &island->solve->constraints->constraints[constraint];
    double elastic = -terms->compliance * joint->rows[row->slot].force, gap = row->violation - elastic;
    double max = terms->closing * fabs(gap) + CN_CLOSING_SHARE * island->turnRate * cnDirect_ArmOf(island, r);
    return perGap * elastic + cnClamp(perGap * gap, -max, max);
}

// What a row is to reach: q and the speed of bodies that are not dynamic.
static double WantedSpeed(cnDirectIsland* island, int r, const cnRowTerms* terms, double startSpeed) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    cnDirectRow* row = &island->rows[r];
    double perStep = island->perStep;
    if (row->kind != cn_rowVelocity && row->slot >= 0) {
        double rate = terms->hasRate ? terms->rate : startSpeed;
        row->recovery = row->kind == cn_rowOneSided && !cnDirect_IsPressed(island, r)
                            ? -perStep * row->violation
                            : terms->gamma * rate + ClosingSpeed(island, r, terms);
        return row->recovery -
               island->curvatureShare * (perStep * (island->ahead[r] - row->violation) - startSpeed);
    }
    if (row->kind == cn_rowOneSided) {
        if (cnDirect_IsPressed(island, r)) {
            double push = -4.0 * perStep * terms->gamma * (row->violation + row->excess);
            return cnClamp(push, 0.0, terms->push) + terms->gamma * startSpeed;
        }
        return -perStep * row->violation;
    }
    return terms->target;
}

// Violations of a joint's rows at the trial poses.
static void FindAhead(cnDirectIsland* island, const cnDirectNode* node) {
    cnJointView view = {island->solve->bodies, island->trialCentres, island->trialRotations};
    const cnConstraintTable* table = island->solve->constraints;
    if (node->plain) {
        cnJoint_FindGaps(table, &table->constraints[node->constraint], &view, island->ahead + node->firstRow);
        return;
    }
    double values[cn_mostJointRows] = {0};
    cnJoint_FindViolations(island->solve->constraints, node->constraint, node->secondary, &view, values);
    memcpy(island->ahead + node->firstRow, values, (size_t)node->rowCount * sizeof(double));
}

// The node that one in lanes is looked at with: the next, or itself.
static int PartnerOf(const cnDirectIsland* island, int n) {
    CN_ASSERT(n >= 0 && n < island->nodeCount);
    return n + 1 < island->nodeCount && island->nodes[n + 1].inLanes ? n + 1 : n;
}

static void FindBallsAhead(cnDirectIsland* island, const cnDirectNode* first, const cnDirectNode* second) {
    const cnJointView view = {island->solve->bodies, island->trialCentres, island->trialRotations};
    const cnConstraint* constraints = island->solve->constraints->constraints;
    cnJoint_FindBallGaps(&constraints[first->constraint], &constraints[second->constraint], &view,
                         island->ahead + first->firstRow, island->ahead + second->firstRow);
}

void cnDirect_FindAhead(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->inLanes) {
            const int partner = PartnerOf(island, n);
            FindBallsAhead(island, node, &island->nodes[partner]);
            n = partner;
        } else if (node->constraint >= 0) {
            FindAhead(island, node);
        }
    }
}

// G v of a node's rows, of the dynamic bodies.
static void AddSpeeds(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities,
                      double* speeds) {
    const double* j = island->jacobian + node->firstNumber;
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* v = velocities + 6 * node->bodies[place];
        const cnD2 v1 = cnLoadD(v), v2 = cnLoadD(v + 2), v3 = cnLoadD(v + 4);
        for (int i = 0; i < node->rowCount; ++i, j += 6) {
            cnD2 sum = cnMulAddD(cnMulD(cnLoadD(j), v1), cnLoadD(j + 2), v2);
            speeds[i] += cnSumD(cnMulAddD(sum, cnLoadD(j + 4), v3));
        }
    }
}

static void FindWantedSpeeds(cnDirectIsland* island, const cnDirectNode* node, const cnRowTerms* terms) {
    double speeds[cn_mostJointRows] = {0};
    AddSpeeds(island, node, island->start, speeds);
    for (int i = 0; i < node->rowCount; ++i) {
        int r = node->firstRow + i;
        island->rows[r].wanted = WantedSpeed(island, r, &terms[i], speeds[i] + island->rows[r].fixedSpeed);
    }
}

// Of two ball joints, or of one twice.
static void MakeRowsOfBalls(cnDirectIsland* island, cnDirectNode* first, cnDirectNode* second) {
    const cnJointView view = {island->solve->bodies, island->centres, island->rotations};
    const cnConstraint* constraints = island->solve->constraints->constraints;
    cnHeldBall held[2];
    cnJoint_HoldBalls(&constraints[first->constraint], &constraints[second->constraint], &view, &held[0],
                      &held[1]);
    FindBallsAhead(island, first, second);
    for (cnDirectNode* node = first; node <= second; ++node) {
        const cnHeldBall* ball = &held[node - first];
        cnRowTerms terms[3] = {0};
        StartJoint(island, node, &constraints[node->constraint]);
        node->arm1 = ball->arm1;
        node->arm2 = ball->arm2;
        node->opening = cnLength(ball->gap);
        StoreHeldRows(island, node, ball->rows, terms);
        FindWantedSpeeds(island, node, terms);
    }
}

int cnDirect_MakeRows(cnDirectIsland* island, int n) {
    CN_ASSERT(n >= 0 && n < island->nodeCount);
    cnDirectNode* node = &island->nodes[n];
    if (node->inLanes) {
        const int partner = PartnerOf(island, n);
        MakeRowsOfBalls(island, node, &island->nodes[partner]);
        return partner + 1;
    }
    cnRowTerms terms[cn_mostJointRows] = {0};
    if (node->contact >= 0) {
        cnDirect_MakeContactRows(island, node, terms);
    } else {
        MakeJointRows(island, node, terms);
        FindAhead(island, node);
    }
    FindWantedSpeeds(island, node, terms);
    return n + 1;
}
