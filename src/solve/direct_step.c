// A sub-step of an island that is solved directly.
#include "base/simd.h"
#include "solve/direct_island.h"

#include <string.h>

// Least Σ of a row as a part of its own effect G M⁻¹ Gᵀ: what a compliance of 0 means.
#define CN_LEAST_SIGMA 1e-12
// Exchanges of single rows before sweeps finish, while an island had few pivots in a step; none after that.
#define CN_LEAST_STEPS 20
#define CN_FEW_PIVOTS 20
// Of speeds and multipliers, as parts of what their rows have to do with.
#define CN_BOX_TOLERANCE 1e-8
// A sub-step turns a body by at most this much, rad; most sub-steps.
#define CN_SUBSTEP_TURN 0.2
#define CN_MOST_SUBSTEPS 8
// Times that forces which come up in a step make new stiffness.
#define CN_RESTIFFENINGS 4

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

// ---- poses ----------------------------------------------------------------------------------------------------------

// A body that does not yield, where it is after so many sub-steps.
static void PlaceFixed(const cnDirectIsland* island, int row, double substeps, cnVec3* centre,
                       cnQuat* rotation) {
    const cnBodyTable* bodies = island->solve->bodies;
    *centre = bodies->centreOfMass[row];
    *rotation = bodies->rotation[row];
    if ((bodies->flags[row] & (cn_bodyKinematic | cn_bodyEnabled)) == (cn_bodyKinematic | cn_bodyEnabled)) {
        double time = substeps * island->h;
        cnQuat turn = cnQuatFromRotationVector(cnScale(time, bodies->angularVelocity[row]));
        *centre = cnMulAdd(*centre, time, bodies->velocity[row]);
        *rotation = cnNormalizeQuat(cnMulQuat(turn, *rotation));
    }
}

static void PlaceFixedBodies(const cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int side = 0; node->constraint >= 0 && side < 4; ++side) {
            int row = node->sides[side];
            if (row >= 0 && node->places[side] < 0) {
                PlaceFixed(island, row, island->substep, &island->centres[row], &island->rotations[row]);
                PlaceFixed(island, row, island->substep + 1.0, &island->trialCentres[row],
                           &island->trialRotations[row]);
            }
        }
    }
}

// x ⊕ h v of a body that yields.
static void TryPose(const cnDirectIsland* island, const cnDirectBody* body, cnVec3 v, cnVec3 w) {
    int row = body->row;
    island->trialCentres[row] = cnMulAdd(island->centres[row], island->h, v);
    island->trialRotations[row] =
        cnTurn_Apply(&body->turn, island->solve->bodies, row, island->rotations[row], w, island->h, NULL);
}

// ---- masses -----------------------------------------------------------------------------------------------------------

// Masses and momenta at the start of a sub-step, and where the body would be after it with the velocities that it has.
static void PrepareBody(cnDirectIsland* island, int i) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    cnDirectBody* body = &island->bodies[i];
    int row = body->row;
    // the one that the step began with is that of a sub-step too, where nothing is damped
    const cnForceResponse* known = &solve->solver.response[body->index];
    cnInverseMass renewed;
    cnForceResponse response;
    const cnInverseMass* inverse = &solve->solver.inverse[body->index];
    cnVec3 v = bodies->velocity[row], w = bodies->angularVelocity[row], freeV, freeW;
    if (island->substep == 0 && !known->damped) {
        double share = island->h / solve->substep;
        freeV = cnMulAdd(v, share, known->linear);
        freeW = cnMulAdd(w, share, known->angular);
    } else {
        cnBody_GetInverseMass(bodies, row, island->h, &renewed);
        inverse = &renewed;
        cnBody_GetForceResponse(bodies, row, island->h, inverse, bodies->lastForce[row],
                                bodies->lastTorque[row], &response);
        freeV = cnAdd(v, cnForceResponse_Linear(&response, v));
        freeW = cnAdd(w, cnForceResponse_Angular(&response, w));
    }
    if (island->sweeps) {
        body->linearInverse = inverse->linear;
    }
    body->linearMost = inverse->linear.x.x + inverse->linear.y.y + inverse->linear.z.z;
    body->angularMost = inverse->angular.x.x + inverse->angular.y.y + inverse->angular.z.z;
    bool isotropic = (bodies->flags[row] & cn_bodyIsotropicMass) != 0;
    double* mass = island->mass + 18 * i;
    if (isotropic) {
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
    if (body->isRotor) {
        double along = cnDot(w, cnRotate(bodies->rotation[row], body->turn.axis));
        body->turn.kind = island->h * fabs(along) > body->rotorTurn ? cn_turnRotor : cn_turnFree;
    }
    body->bearing = BearingMomentum(island, body, w);
    body->spinMomentum = cnAdd(body->spinMomentum, body->bearing);
    body->largestMoment = bodies->principalInertia[row].z;
    cnStiffness_Clear(&body->stiffness);
    cnPutVec(island->start + 6 * i, v);
    cnPutVec(island->start + 6 * i + 3, w);
    island->centres[row] = bodies->centreOfMass[row];
    island->rotations[row] = bodies->rotation[row];
    TryPose(island, body, v, w);
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
            body->angularInverse = cnInverse(cnDirect_GetMatrix(angular));
        }
    }
}

// ---- stiffness ------------------------------------------------------------------------------------------------------

// Force of a node's rows on its first body, from multipliers or, where these are null, the last step's forces. Angular rows
// have no linear part.
static cnVec3 TranslationForce(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
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

// The size of that, N. Axes of a plain node's translations are orthonormal.
static double ForceSize(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    if (!node->plain) {
        return cnLength(TranslationForce(island, node, lambda));
    }
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    double square = 0.0;
    for (int r = node->firstRow; r < node->firstRow + node->translations; ++r) {
        double force = lambda != NULL ? lambda[r] * island->perStep : joint->rows[island->rows[r].slot].force;
        square += force * force;
    }
    return sqrt(square);
}

// To that of its bodies, from multipliers or, where these are null, the last step's forces.
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

// Of all bodies anew, from multipliers.
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
static double RowEffect(const cnDirectIsland* island, const cnDirectNode* node, int row) {
    double effect = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = cnDirect_NumbersAt(island, node, place, row);
        const cnDirectBody* body = &island->bodies[node->bodies[place]];
        const double* mass = island->mass + 18 * node->bodies[place];
        cnMat33 linear = island->sweeps ? body->linearInverse : cnInverse(cnDirect_GetMatrix(mass));
        cnMat33 angular = island->sweeps ? body->angularInverse : cnInverse(cnDirect_GetMatrix(mass + 9));
        cnVec3 force = cnGetVec(j), moment = cnGetVec(j + 3);
        effect += cnDot(force, cnMulMat(linear, force)) + cnDot(moment, cnMulMat(angular, moment));
    }
    return effect;
}

// No less than the effect of any row of a plain node.
static double MostEffect(const cnDirectIsland* island, const cnDirectNode* node) {
    if (!node->plain) {
        return INFINITY;
    }
    const int places[2] = {node->place1, node->place2};
    // the second body's lever goes to the first one's point
    const double levers[2] = {node->length1, node->length2 + node->opening};
    double most = 0.0;
    for (int i = 0; i < 2; ++i) {
        if (places[i] >= 0) {
            const cnDirectBody* body = &island->bodies[node->bodies[places[i]]];
            most += body->linearMost + body->angularMost * (1.0 + levers[i] * levers[i]);
        }
    }
    return 1.01 * most;
}

static bool IsPressed(const cnDirectIsland* island, int r) {
    double violation = island->rows[r].violation;
    return island->upper[r] > 0.0 ? violation <= 0.0 : violation >= 0.0;
}

// The violation that counts: of a limit what is beyond it.
static double Pressed(const cnDirectIsland* island, int r) {
    const cnDirectRow* row = &island->rows[r];
    return row->kind != cn_rowOneSided || IsPressed(island, r) ? row->violation : 0.0;
}

// What a row of a joint takes over from its settings and from the last step.
static void StartJointRow(cnDirectIsland* island, const cnDirectNode* node, int r, cnRowState* state,
                          const cnRowSettings* settings, cnRowTerms* terms) {
    if (island->substep == 0) {
        island->before[r] = *state;
    }
    state->isUpper = settings->most <= 0.0;
    island->lower[r] = island->h * settings->least;
    island->upper[r] = island->h * settings->most;
    island->rows[r].fixedSpeed = 0.0;
    terms->push = INFINITY;
    terms->hasRate = node->hasRate;
    terms->rate = node->perLastStep * (Pressed(island, r) - state->violation);
}

static double DampingOf(const cnDirectIsland* island, double damping) {
    return damping >= 0.0 ? damping : 2.0 * island->h;
}

// Fills a row of a node from one of a joint.
static void StoreJointRow(cnDirectIsland* island, const cnDirectNode* node, int r, const cnJointRow* from,
                          cnRowTerms* terms) {
    cnDirectRow* row = &island->rows[r];
    row->kind = from->kind;
    row->slot = from->slot;
    row->violation = from->violation;
    terms->target = from->target;
    terms->gamma = cnSpookGamma(DampingOf(island, from->damping), island->h);
    row->sigma = from->kind == cn_rowVelocity ? from->compliance / island->h
                                              : cnSpookSigma(from->compliance, terms->gamma, island->h);
    const cnRowSettings settings = {from->compliance, from->damping, from->least, from->most};
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
    for (int i = 0; i < node->rowCount; ++i) {
        const cnRowSettings *settings = &joint->dofs[held[i].dof],
                            *last = &joint->dofs[held[i - (i > 0)].dof];
        int r = node->firstRow + i;
        cnDirectRow* row = &island->rows[r];
        row->kind = cn_rowHolonomic;
        row->slot = cn_slotDof + held[i].dof;
        row->violation = held[i].violation;
        terms[i].target = 0.0;
        if (i > 0 && last->damping == settings->damping && last->compliance == settings->compliance) {
            terms[i].gamma = terms[i - 1].gamma;
            row->sigma = row[-1].sigma;
        } else {
            terms[i].gamma = cnSpookGamma(DampingOf(island, settings->damping), island->h);
            row->sigma = cnSpookSigma(settings->compliance, terms[i].gamma, island->h);
        }
        StartJointRow(island, node, r, &joint->rows[row->slot], settings, &terms[i]);
        const cnVec3 g = held[i].gradient.linear, m1 = held[i].gradient.moment1,
                     m2 = held[i].gradient.moment2;
        for (int side = 0; side < 2; ++side) {
            double fixed[6];
            bool yields = node->places[side] >= 0;
            double* j = yields ? cnDirect_NumbersAt(island, node, node->places[side], r) : fixed;
            cnPutVec(j, side == 0 ? g : cnNeg(g));
            cnPutVec(j + 3, side == 0 ? m1 : cnNeg(m2));
            if (!yields && node->sides[side] >= 0) {
                row->fixedSpeed += cnDirect_FixedSpeed(island, node->sides[side], j);
            }
        }
    }
}

void cnDirect_AddReaction(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
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
        for (int i = 0; i < node->translations; ++i, j += 6) {
            impulse = cnMulAdd(impulse, sign * lambda[i], cnGetVec(j));
        }
        for (int i = node->translations; i < node->rowCount; ++i, j += 6) {
            angularImpulse = cnMulAdd(angularImpulse, sign * lambda[i], cnGetVec(j + 3));
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

static void MakeJointRows(cnDirectIsland* island, cnDirectNode* node, const cnJointView* view,
                          cnRowTerms* terms) {
    cnConstraintTable* table = island->solve->constraints;
    const cnConstraint* joint = &table->constraints[node->constraint];
    if (island->substep == 0) {
        node->lastStep = joint->lastStep;
    }
    node->perLastStep = joint->lastStep > 0.0 ? 1.0 / joint->lastStep : 0.0;
    node->hasRate = joint->lastStep > 0.0 || joint->startsAtRest;
    if (node->plain) {
        cnHeldRow held[6];
        cnJointFrames frames;
        int count = cnJoint_FindHeld(table, joint, view, held, &frames);
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
    int count = cnJoint_MakeRows(table, node->constraint, node->secondary, view, rows);
    for (int i = 0; i < node->rowCount; ++i) {
        if (i >= count) {
            rows[i] = (cnJointRow){.slot = cn_slotDof, .kind = cn_rowVelocity};
        }
        StoreJointRow(island, node, node->firstRow + i, &rows[i], &terms[i]);
    }
}

// What a row is to reach: q and the speed of bodies that do not yield. `ahead` is its violation at the trial poses.
static double WantedSpeed(cnDirectIsland* island, int r, const cnRowTerms* terms, double startSpeed) {
    cnDirectRow* row = &island->rows[r];
    double perStep = island->perStep;
    if (row->kind != cn_rowVelocity && row->slot >= 0) {
        double rate = terms->hasRate ? terms->rate : startSpeed;
        row->recovery = row->kind == cn_rowOneSided && !IsPressed(island, r)
                            ? -perStep * row->violation
                            : terms->gamma * (rate - 4.0 * perStep * row->violation);
        return row->recovery - perStep * (island->ahead[r] - row->violation) + startSpeed;
    }
    if (row->kind == cn_rowOneSided) {
        if (IsPressed(island, r)) {
            double push = -4.0 * perStep * terms->gamma * row->violation;
            return cnClamp(push, -terms->push, terms->push) + terms->gamma * startSpeed;
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

// G v of a node's rows, of the bodies that yield.
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

// Rows of all nodes at the poses that the bodies have, what they are to reach, and the stiffness that joints made in the last step.
static void MakeRows(cnDirectIsland* island) {
    cnJointView view = {island->solve->bodies, island->centres, island->rotations};
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        cnRowTerms terms[cn_mostJointRows];
        PrefetchJoint(island, n + 2);
        if (node->contact >= 0) {
            cnDirect_MakeContactRows(island, node, terms);
        } else {
            MakeJointRows(island, node, &view, terms);
            AddStiffness(island, node, NULL);
            FindAhead(island, node);
        }
        double speeds[cn_mostJointRows] = {0};
        AddSpeeds(island, node, island->start, speeds);
        for (int i = 0; i < node->rowCount; ++i) {
            int r = node->firstRow + i;
            island->rows[r].wanted =
                WantedSpeed(island, r, &terms[i], speeds[i] + island->rows[r].fixedSpeed);
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
        double most = island->sweeps ? INFINITY : CN_LEAST_SIGMA * MostEffect(island, node);
        for (int r = node->firstRow; r < node->firstRow + node->rowCount; ++r) {
            const cnDirectRow* row = &island->rows[r];
            q[r] = row->wanted - row->fixedSpeed;
            island->sigma[r] = row->sigma;
            if (!(row->sigma >= most)) {
                island->effect[r] = RowEffect(island, node, r);
                island->sigma[r] = cnMax(row->sigma, cnMax(CN_LEAST_SIGMA * island->effect[r], 1e-300));
            }
        }
    }
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

void cnDirect_SolveBounded(cnDirectIsland* island) {
    cnBoxProblem problem = {
        .right = island->right,
        .lower = island->lower,
        .upper = island->upper,
        .sets = island->state,
        .solution = island->solution,
    };
    cnBoxSettings settings = {
        .leastSteps = island->pivots < CN_FEW_PIVOTS ? CN_LEAST_STEPS : -1,
        .tolerance = CN_BOX_TOLERANCE,
    };
    cnBoxStatistics statistics = {0};
    island->fits =
        cnBoxSolver_Solve(&island->solve->direct->box, island->factor, &problem, &settings, &statistics) &&
        island->fits;
    island->failed = island->failed || statistics.failed;
    island->pivots += statistics.steps;
    island->tooDear =
        island->tooDear || (island->flopLimit > 0.0 &&
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

// The gap that is left where the solution leads, taken out on the same factorisation.
void cnDirect_Correct(cnDirectIsland* island) {
    int unknowns = 6 * island->bodyCount, all = unknowns + island->systemRows;
    memset(island->right + unknowns, 0, (size_t)island->systemRows * sizeof(double));
    memset(island->step + unknowns, 0, (size_t)island->systemRows * sizeof(double));
    bool any = false;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        cnVec3 v = cnGetVec(island->solution + 6 * i), w = cnGetVec(island->solution + 6 * i + 3);
        TryPose(island, body, v, w);
        cnVec3 missing = cnVec3_zero;
        if (body->turn.kind == cn_turnRotor) {
            missing = cnSub(BearingMomentum(island, body, w), body->bearing);
            any = true;
        }
        cnPutVec(island->right + 6 * i, cnVec3_zero);
        cnPutVec(island->right + 6 * i + 3, missing);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].constraint >= 0) {
            FindAhead(island, &island->nodes[n]);
        }
    }
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
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        if (body->turn.kind == cn_turnRotor) {
            body->bearing = cnMulAdd(body->bearing, share, cnGetVec(island->right + 6 * i + 3));
        }
    }
    for (int r = 0; r < island->systemRows; ++r) {
        if (island->rows[r].kind == cn_rowOneSided) {
            double* lambda = &island->solution[unknowns + r];
            *lambda = cnClamp(*lambda, island->lower[r], island->upper[r]);
        }
    }
}

static void MoveBody(cnDirectIsland* island, int i) {
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
                state->violation = Pressed(island, r);
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
    island->perStep = 1.0 / island->h;
    for (int i = 0; i < island->bodyCount; ++i) {
        PrepareBody(island, i);
    }
    PlaceFixedBodies(island);
    MakeRows(island);
}

void cnDirect_Solve(cnDirectIsland* island) {
    Solve(island);

    // forces that came up in this step make new stiffness: in a snap they grow tenfold in one
    const double* lambda = island->solution + 6 * island->bodyCount;
    for (int round = 0; round < CN_RESTIFFENINGS && MustRestiffen(island, lambda); ++round) {
        SetStiffness(island, lambda);
        Solve(island);
    }
}

void cnDirect_FinishSubStep(cnDirectIsland* island) {
    if (island->hasExactCones) {
        cnDirect_TurnBack(island);
    }
    StoreRows(island);
    for (int i = 0; i < island->bodyCount; ++i) {
        MoveBody(island, i);
    }
}

void cnDirect_SubStep(cnDirectIsland* island) {
    cnDirect_PrepareSubStep(island);
    cnDirect_Solve(island);
    cnDirect_Correct(island);
    cnDirect_FinishSubStep(island);
}

// ---- a step ---------------------------------------------------------------------------------------------------------

// Sub-steps for how fast the bodies turn: |ω| where no angular row holds them, else how fast the anchors go round.
int cnDirect_WantedSubsteps(const cnDirectIsland* island) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    double fastest = 0.0; // squared
    bool anyAngular = false;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        anyAngular = anyAngular || body->hasAngularRows;
        if (body->hasArm && !body->hasAngularRows) {
            fastest = cnMax(fastest, cnLengthSquared(bodies->angularVelocity[body->row]));
        }
    }
    for (int n = 0; anyAngular && n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int side = 0; node->constraint >= 0 && side < 2; ++side) {
            int place = side == 0 ? node->place1 : node->place2;
            double length = side == 0 ? node->length1 : node->length2;
            const cnDirectBody* body = place >= 0 ? &island->bodies[node->bodies[place]] : NULL;
            if (body != NULL && body->hasAngularRows && length > 0.0) {
                cnVec3 spin = cnInvRotate(bodies->rotation[body->row], bodies->angularVelocity[body->row]);
                cnVec3 around = cnCross(spin, side == 0 ? node->local1 : node->local2);
                fastest = cnMax(fastest, cnLengthSquared(around) / (length * length));
            }
        }
    }
    double steps = ceil(solve->h * sqrt(fastest) / CN_SUBSTEP_TURN);
    return steps < 1.0 ? 1 : (steps > CN_MOST_SUBSTEPS ? CN_MOST_SUBSTEPS : (int)steps);
}
