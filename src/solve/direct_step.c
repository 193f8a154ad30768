// A sub-step of an island that is solved directly.
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

static void PutMatrix(double* out, cnMat33 m) {
    const cnVec3 columns[3] = {m.x, m.y, m.z};
    for (int i = 0; i < 3; ++i) {
        out[3 * i] = columns[i].x;
        out[3 * i + 1] = columns[i].y;
        out[3 * i + 2] = columns[i].z;
    }
}

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

// Masses and momenta at the start of a sub-step.
static void PrepareBody(cnDirectIsland* island, cnDirectBody* body) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    int row = body->row;
    // the one that the step began with is that of a sub-step too, where nothing is damped
    bool isKnown = island->substep == 0 && !solve->solver.response[body->index].damped;
    cnInverseMass inverse =
        isKnown ? solve->solver.inverse[body->index] : cnBody_GetInverseMass(bodies, row, island->h);
    cnForceResponse response;
    cnBody_GetForceResponse(bodies, row, island->h, &inverse, bodies->lastForce[row], bodies->lastTorque[row],
                            &response);
    cnVec3 v = bodies->velocity[row], w = bodies->angularVelocity[row];
    cnVec3 freeV = cnAdd(v, cnForceResponse_Linear(&response, v));
    cnVec3 freeW = cnAdd(w, cnForceResponse_Angular(&response, w));
    body->linearInverse = inverse.linear;
    body->linearMass = cnInverse(inverse.linear);
    body->inertia = cnInverse(inverse.angular);
    body->momentum = cnMulMat(body->linearMass, freeV);
    body->spinMomentum = cnMulMat(body->inertia, freeW);
    if (body->isRotor) {
        double along = cnDot(w, cnRotate(bodies->rotation[row], body->turn.axis));
        body->turn.kind = island->h * fabs(along) > body->rotorTurn ? cn_turnRotor : cn_turnFree;
    }
    body->bearing = BearingMomentum(island, body, w);
    body->spinMomentum = cnAdd(body->spinMomentum, body->bearing);
    body->largestMoment = bodies->principalInertia[row].z;
    island->centres[row] = bodies->centreOfMass[row];
    island->rotations[row] = bodies->rotation[row];
}

// Left-hand sides with A, right-hand sides with β A ω̂.
static void LoadBodies(cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        cnMat33 added = cnStiffness_AddedInertia(&body->stiffness, body->largestMoment, island->h);
        cnMat33 angular = cnAddMat(body->inertia, added);
        body->angularInverse = cnInverse(angular);
        PutMatrix(island->mass + 18 * i, body->linearMass);
        PutMatrix(island->mass + 18 * i + 9, angular);
        double share =
            cnStiffness_CarriedShare(bodies->stiffness[body->row], body->stiffness.sum,
                                     bodies->angularVelocity[body->row], bodies->filteredSpin[body->row]);
        cnVec3 carried = cnMulMat(added, bodies->filteredSpin[body->row]);
        cnPutVec(island->right + 6 * i, body->momentum);
        cnPutVec(island->right + 6 * i + 3, cnMulAdd(body->spinMomentum, share, carried));
    }
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

// x ⊕ h v for all bodies that yield; `velocities` 6 numbers each, null for those that they have.
static void TryPoses(const cnDirectIsland* island, const double* velocities) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        int row = body->row;
        cnVec3 v = velocities != NULL ? cnGetVec(velocities + 6 * i) : bodies->velocity[row];
        cnVec3 w = velocities != NULL ? cnGetVec(velocities + 6 * i + 3) : bodies->angularVelocity[row];
        island->trialCentres[row] = cnMulAdd(island->centres[row], island->h, v);
        island->trialRotations[row] =
            cnTurn_Apply(&body->turn, bodies, row, island->rotations[row], w, island->h, NULL);
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// G M'⁻¹ Gᵀ of a row.
static double RowEffect(const cnDirectIsland* island, int row) {
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    double effect = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = cnDirect_NumbersAt(island, node, place, row);
        const cnDirectBody* body = &island->bodies[node->bodies[place]];
        cnVec3 linear = cnGetVec(j), angular = cnGetVec(j + 3);
        effect += cnDot(linear, cnMulMat(body->linearInverse, linear)) +
                  cnDot(angular, cnMulMat(body->angularInverse, angular));
    }
    return effect;
}

static bool IsPressed(const cnDirectRow* row) {
    return row->upper > 0.0 ? row->violation <= 0.0 : row->violation >= 0.0;
}

// The violation that counts: of a limit what is beyond it.
static double Pressed(const cnDirectRow* row) {
    return row->kind != cn_rowOneSided || IsPressed(row) ? row->violation : 0.0;
}

// Fills a row of a node from one of a joint.
static void StoreJointRow(cnDirectIsland* island, const cnDirectNode* node, int rowIndex,
                          const cnJointRow* from) {
    const cnConstraintTable* table = island->solve->constraints;
    const cnConstraint* joint = &table->constraints[node->constraint];
    cnDirectRow* row = &island->rows[rowIndex];
    cnRowState* before = &table->constraints[node->constraint].rows[from->slot];
    if (island->substep == 0) {
        row->before = *before;
    }
    before->isUpper = from->most <= 0.0;
    double h = island->h;
    double damping = from->damping >= 0.0 ? from->damping : 2.0 * h;
    row->kind = from->kind;
    row->slot = from->slot;
    row->violation = from->violation;
    row->target = from->target;
    row->lower = h * from->least;
    row->upper = h * from->most;
    row->gamma = cnSpookGamma(damping, h);
    row->sigma =
        from->kind == cn_rowVelocity ? from->compliance / h : cnSpookSigma(from->compliance, row->gamma, h);
    row->push = INFINITY;
    row->force = from->sides > 0 ? cnGetVec(from->jacobian[0]) : cnVec3_zero;
    row->torque = from->sides > 0 ? cnSub(cnGetVec(from->jacobian[0] + 3), cnCross(node->arm1, row->force))
                                  : cnVec3_zero;
    row->hasRate = joint->lastStep > 0.0 || joint->startsAtRest;
    row->rate = joint->lastStep > 0.0 ? (Pressed(row) - before->violation) / joint->lastStep : 0.0;
    row->fixedSpeed = 0.0;
    if (from->sides != 2) { // a gear may have a body on two sides, a row that waits acts on none
        for (int place = 0; place < node->bodyCount; ++place) {
            memset(cnDirect_NumbersAt(island, node, place, rowIndex), 0, 6 * sizeof(double));
        }
    }
    for (int side = 0; side < from->sides; ++side) {
        const double* jacobian = from->jacobian[side];
        if (node->places[side] >= 0) {
            double* numbers = cnDirect_NumbersAt(island, node, node->places[side], rowIndex);
            for (int k = 0; k < 6; ++k) {
                numbers[k] = from->sides == 2 ? jacobian[k] : numbers[k] + jacobian[k];
            }
        } else if (node->sides[side] >= 0) {
            row->fixedSpeed += cnDirect_FixedSpeed(island, node->sides[side], jacobian);
        }
    }
}

// Where a joint's attachments are, from the centres of mass; a gear's are its first partner's.
static void PlaceArms(cnDirectIsland* island, cnDirectNode* node, const cnJointView* view) {
    const cnConstraint* constraints = island->solve->constraints->constraints;
    const cnConstraint* joint = &constraints[node->constraint];
    joint = joint->partner1 >= 0 ? &constraints[joint->partner1] : joint;
    node->arm1 = cnJoint_FindArm(&joint->frame1, joint->body1, view);
    node->arm2 = cnJoint_FindArm(&joint->frame2, joint->body2, view);
    node->length1 = cnLength(node->arm1);
    node->length2 = cnLength(node->arm2);
}

void cnDirect_PlaceArms(cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    cnJointView view = {bodies, bodies->centreOfMass, bodies->rotation};
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].constraint >= 0) {
            PlaceArms(island, &island->nodes[n], &view);
        }
    }
}

static void MakeJointRows(cnDirectIsland* island, cnDirectNode* node, const cnJointView* view) {
    cnJointRow rows[cn_mostJointRows];
    cnConstraintTable* table = island->solve->constraints;
    int count = cnJoint_MakeRows(table, node->constraint, node->secondary, view, rows);
    if (island->substep == 0) {
        node->lastStep = table->constraints[node->constraint].lastStep;
    }
    for (int i = 0; i < node->rowCount; ++i) {
        if (i >= count) { // a distance of 0 has no direction: its row waits
            rows[i] = (cnJointRow){.slot = cn_slotDof, .kind = cn_rowVelocity};
        }
        StoreJointRow(island, node, node->firstRow + i, &rows[i]);
    }
}

// Rows of all nodes at the poses that the bodies have.
static void MakeRows(cnDirectIsland* island) {
    cnJointView view = {island->solve->bodies, island->centres, island->rotations};
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->contact >= 0) {
            cnDirect_MakeContactRows(island, node);
        } else {
            MakeJointRows(island, node, &view);
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
        double force = lambda != NULL ? lambda[r] / island->h : joint->rows[island->rows[r].slot].force;
        sum = cnMulAdd(sum, force, cnGetVec(cnDirect_NumbersAt(island, node, place, r)));
    }
    return sum;
}

static bool PullsAtAnchors(const cnDirectNode* node) {
    return node->constraint >= 0 && (node->place1 >= 0 || node->place2 >= 0);
}

// Of all bodies, from multipliers or, where these are null, the last step's forces.
static void SetStiffness(cnDirectIsland* island, const double* lambda) {
    for (int i = 0; i < island->bodyCount; ++i) {
        island->bodies[i].stiffness = (cnStiffness){0};
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (!PullsAtAnchors(node)) {
            continue;
        }
        cnVec3 force = TranslationForce(island, node, lambda);
        if (node->place1 >= 0) {
            cnStiffness_Add(&island->bodies[node->bodies[node->place1]].stiffness, force, node->arm1);
        }
        if (node->place2 >= 0) {
            cnStiffness_Add(&island->bodies[node->bodies[node->place2]].stiffness, force, node->arm2);
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
        double force = cnLength(TranslationForce(island, node, lambda));
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

// q of every row, and Σ not below its floor; `ahead` has the violations at the trial poses.
static void LoadRows(cnDirectIsland* island) {
    double h = island->h;
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        cnPutVec(island->step + 6 * i, bodies->velocity[row]);
        cnPutVec(island->step + 6 * i + 3, bodies->angularVelocity[row]);
    }
    for (int r = 0; r < island->rowCount; ++r) {
        cnDirectRow* row = &island->rows[r];
        double startSpeed = cnDirect_RowSpeed(island, r, island->step) + row->fixedSpeed;
        island->effect[r] = RowEffect(island, r);
        island->sigma[r] = cnMax(row->sigma, cnMax(CN_LEAST_SIGMA * island->effect[r], 1e-300));
        double q = row->target;
        if (row->kind != cn_rowVelocity && row->slot >= 0) {
            row->rate = row->hasRate ? row->rate : startSpeed;
            row->recovery = row->kind == cn_rowOneSided && !IsPressed(row)
                                ? -row->violation / h
                                : row->gamma * (row->rate - 4.0 / h * row->violation);
            q = row->recovery - (island->ahead[r] - row->violation) / h + startSpeed;
        } else if (row->kind == cn_rowOneSided) {
            if (IsPressed(row)) {
                double push = -4.0 / h * row->gamma * row->violation;
                q = cnClamp(push, -row->push, row->push) + row->gamma * startSpeed;
            } else {
                q = -row->violation / h;
            }
        }
        island->right[6 * island->bodyCount + r] = q - row->fixedSpeed;
    }
}

static void FindViolations(cnDirectIsland* island, double* violations) {
    cnJointView view = {island->solve->bodies, island->trialCentres, island->trialRotations};
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->constraint < 0) {
            continue;
        }
        double values[cn_mostJointRows] = {0};
        cnJoint_FindViolations(island->solve->constraints, node->constraint, node->secondary, &view, values);
        memcpy(violations + node->firstRow, values, (size_t)node->rowCount * sizeof(double));
    }
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

void cnDirect_SolveBounded(cnDirectIsland* island) {
    for (int r = 0; r < island->systemRows; ++r) {
        island->lower[r] = island->rows[r].lower;
        island->upper[r] = island->rows[r].upper;
    }
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
    double h = island->h;
    TryPoses(island, island->solution);
    FindViolations(island, island->ahead);
    memset(island->right, 0, (size_t)all * sizeof(double));
    memset(island->step, 0, (size_t)all * sizeof(double));
    bool any = false;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        cnVec3 bearing = BearingMomentum(island, body, cnGetVec(island->solution + 6 * i + 3));
        cnPutVec(island->right + 6 * i + 3, cnSub(bearing, body->bearing));
        any = any || body->turn.kind == cn_turnRotor;
    }
    for (int r = 0; r < island->systemRows; ++r) {
        const cnDirectRow* row = &island->rows[r];
        if (row->kind != cn_rowVelocity && row->slot >= 0 && island->state[r] == cn_rowFree) {
            island->right[unknowns + r] = row->recovery - (island->ahead[r] - row->violation) / h -
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
        cnVec3* bearing = &island->bodies[i].bearing;
        *bearing = cnMulAdd(*bearing, share, cnGetVec(island->right + 6 * i + 3));
    }
    for (int r = 0; r < island->systemRows; ++r) {
        if (island->rows[r].kind == cn_rowOneSided) {
            double* lambda = &island->solution[unknowns + r];
            *lambda = cnClamp(*lambda, island->rows[r].lower, island->rows[r].upper);
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
    int unknowns = 6 * island->bodyCount;
    for (int r = 0; r < island->rowCount; ++r) {
        cnDirectRow* row = &island->rows[r];
        cnDirectNode* node = &island->nodes[row->node];
        row->lambda = r < island->systemRows ? island->solution[unknowns + r] : row->lambda;
        row->sum += row->lambda;
        if (node->constraint >= 0) {
            cnRowState* state = &table->constraints[node->constraint].rows[row->slot];
            state->force = row->lambda / island->h;
            state->violation = Pressed(row);
            state->active = island->state[r] == cn_rowFree;
            node->impulse = cnMulAdd(node->impulse, row->lambda, row->force);
            node->angularImpulse = cnMulAdd(node->angularImpulse, row->lambda, row->torque);
            table->constraints[node->constraint].lastStep = island->h;
        } else if (row->kind == cn_rowOneSided) {
            row->violation += island->h * (cnDirect_RowSpeed(island, r, island->solution) + row->fixedSpeed);
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
    if (island->substep > 0) {
        cnDirect_PlaceArms(island);
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        PrepareBody(island, &island->bodies[i]);
    }
    PlaceFixedBodies(island);
    MakeRows(island);
    SetStiffness(island, NULL);
    TryPoses(island, NULL);
    FindViolations(island, island->ahead);
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
    double fastest = 0.0;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->constraint < 0) {
            continue;
        }
        const int places[2] = {node->place1, node->place2};
        const cnVec3 arms[2] = {node->arm1, node->arm2};
        const double lengths[2] = {node->length1, node->length2};
        for (int i = 0; i < 2; ++i) {
            double arm = lengths[i];
            if (places[i] < 0 || !(arm > 0.0)) {
                continue;
            }
            const cnDirectBody* body = &island->bodies[node->bodies[places[i]]];
            cnVec3 spin = bodies->angularVelocity[body->row];
            double speed = body->hasAngularRows ? cnLength(cnCross(spin, arms[i])) / arm : cnLength(spin);
            fastest = cnMax(fastest, speed);
        }
    }
    double steps = ceil(solve->h * fastest / CN_SUBSTEP_TURN);
    return steps < 1.0 ? 1 : (steps > CN_MOST_SUBSTEPS ? CN_MOST_SUBSTEPS : (int)steps);
}
