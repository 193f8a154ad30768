#include "solve/direct_islands.h"

#include "solve/direct_rows.h"
#include "solve/stiff_joints.h"

#include <string.h>

// Least Σ of a row as a part of its own effect G M⁻¹ Gᵀ: what a compliance of 0 means.
#define CN_LEAST_SIGMA 1e-12
// Friction: rounds of bounds from normal forces, and the change of a bound that ends them.
#define CN_FRICTION_ROUNDS 8
// Most contacts of an island whose friction is within the factorisation, where the user leaves that open: it rests better (a ragdoll
// keeps 3e-9 J, split 8e-3 J) and takes three times as long.
#define CN_DIRECT_CONTACTS 24
// Of friction in the split solver.
#define CN_FRICTION_SWEEPS 7
// Exchanges of single rows before sweeps finish, while an island had few pivots in a step; after many, friction's rounds end.
#define CN_LEAST_STEPS 20
#define CN_FEW_PIVOTS 20
// Of speeds and multipliers, as parts of what their rows have to do with.
#define CN_BOX_TOLERANCE 1e-8
#define CN_MANY_PIVOTS 40
#define CN_FRICTION_TOLERANCE 1e-2
// A sub-step turns a body by at most this much, rad; most sub-steps.
#define CN_SUBSTEP_TURN 0.2
#define CN_MOST_SUBSTEPS 8
// What turns about its bearings by more than this in a sub-step, rad, is a rotor; below, the free turn is more exact, unless the body
// is the same all round its bearings.
#define CN_ROTOR_TURN 0.1
// Slower than this at every point a contact counts as resting, m/s.
#define CN_REST_SPEED 0.01
// Times that forces which come up in a step make new stiffness.
#define CN_RESTIFFENINGS 4

typedef struct cnDirectBody {
    int index, row; // solver index, row of the table
    cnTurn turn;
    bool isRotor;     // held by an axis, turn.axis
    double rotorTurn; // rad a sub-step about it from which on that counts
    bool hasAngularRows;
    bool hingesOnly; // that share the turn's axis
    double largestMoment;
    cnMat33 linearMass, inertia;           // M' without A
    cnMat33 linearInverse, angularInverse; // M'⁻¹ with A
    cnMat33 added;                         // A
    cnVec3 momentum, spinMomentum;         // right-hand sides without β A ω̂
    cnVec3 bearing;                        // of spinMomentum: what its bearings take up
    cnStiffness stiffness;
    double stiffnessBefore;
    cnVec3 filteredSpin;
} cnDirectBody;

// What a body was at the start of the step, should the island repeat it.
typedef struct cnSavedBody {
    cnVec3 position, centreOfMass, velocity, angularMomentum, angularVelocity, filteredSpin, bearingMomentum;
    cnQuat rotation;
    double stiffness;
} cnSavedBody;

typedef struct cnDirectIsland {
    cnSolve* solve;
    cnSparseFactor* factor;
    cnDirectBody* bodies;
    int bodyCount;
    cnDirectNode* nodes;
    int nodeCount;
    cnDirectRow* rows;
    int rowCount;
    int pivots;                  // in this step
    int systemNodes, systemRows; // of the sparse system; in the split solver friction comes after them
    int numberCount;
    bool split;
    int* localOf; // by solver index

    // of the sparse system
    double *mass, *jacobian, *sigma, *right, *solution, *step;
    double* ahead;          // violations at the trial poses
    cnStiffness* stiffness; // by body
    double *lower, *upper;  // of λ
    double* swept;          // λ of joints in the split solver's sweeps
    uint8_t* state;         // cnRowSet
    bool hasContacts;
    bool fits; // memory did not run out
    int *rowStart, *bodyStart, *nodeBodies;

    // poses by row of body, of the bodies that matter
    cnVec3 *centres, *trialCentres;
    cnQuat *rotations, *trialRotations;

    double h; // s, of a sub-step
    int substep;
} cnDirectIsland;

void cnDirectPool_Free(cnDirectPool* pool) {
    for (int i = 0; i < pool->slots.count; ++i) {
        cnSparseFactor_Free(&pool->slots.data[i].factor);
    }
    cnBoxSolver_Free(&pool->box);
    cnArray_Free(&pool->slots);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static void PutMatrix(double* out, cnMat33 m) {
    const cnVec3 columns[3] = {m.x, m.y, m.z};
    for (int i = 0; i < 3; ++i) {
        out[3 * i] = columns[i].x;
        out[3 * i + 1] = columns[i].y;
        out[3 * i + 2] = columns[i].z;
    }
}

// Arms of a contact point, or of the middle of some.
typedef struct cnSpot {
    cnVec3 arm1, arm2;
} cnSpot;

static cnVec3 GetVec(const double* v) {
    return (cnVec3){v[0], v[1], v[2]};
}

static void PutVec(double* out, cnVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
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
    cnInverseMass inverse = cnBody_GetInverseMass(bodies, row, island->h);
    cnForceResponse response = cnBody_GetForceResponse(bodies, row, island->h, &inverse,
                                                       bodies->lastForce[row], bodies->lastTorque[row]);
    cnVec3 v = bodies->velocity[row], w = bodies->angularVelocity[row];
    cnVec3 freeV = cnAdd(v, response.linear), freeW = cnAdd(w, response.angular);
    if (response.damped) {
        freeV = cnAdd(freeV, cnMulMat(response.linearDamping, v));
        freeW = cnAdd(freeW, cnMulMat(response.angularDamping, w));
    }
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
    body->filteredSpin = bodies->filteredSpin[row];
    body->stiffnessBefore = bodies->stiffness[row];
    island->centres[row] = bodies->centreOfMass[row];
    island->rotations[row] = bodies->rotation[row];
}

// Left-hand sides with A, right-hand sides with β A ω̂.
static void LoadBodies(cnDirectIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        body->added = cnStiffness_AddedInertia(&body->stiffness, body->largestMoment, island->h);
        cnMat33 angular = cnAddMat(body->inertia, body->added);
        body->angularInverse = body->stiffness.sum > 0.0 ? cnInverse(angular) : cnInverse(body->inertia);
        PutMatrix(island->mass + 18 * i, body->linearMass);
        PutMatrix(island->mass + 18 * i + 9, angular);
        double share =
            cnStiffness_CarriedShare(body->stiffnessBefore, body->stiffness.sum,
                                     island->solve->bodies->angularVelocity[body->row], body->filteredSpin);
        cnVec3 carried = cnMulMat(body->added, body->filteredSpin);
        PutVec(island->right + 6 * i, body->momentum);
        PutVec(island->right + 6 * i + 3, cnMulAdd(body->spinMomentum, share, carried));
    }
}

// ---- poses ----------------------------------------------------------------------------------------------------------

static bool Yields(const cnDirectIsland* island, int row) {
    return row >= 0 && island->solve->solver.indexOfRow[row] != 0;
}

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
    const cnConstraintTable* table = island->solve->constraints;
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].constraint < 0) {
            continue;
        }
        const cnConstraint* joint = &table->constraints[island->nodes[n].constraint];
        const cnConstraint* first = joint->partner1 >= 0 ? &table->constraints[joint->partner1] : joint;
        const cnConstraint* second = joint->partner2 >= 0 ? &table->constraints[joint->partner2] : joint;
        const int rows[4] = {first->body1, first->body2, second->body1, second->body2};
        for (int i = 0; i < 4; ++i) {
            int row = rows[i];
            if (row >= 0 && !Yields(island, row)) {
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
        cnVec3 v = velocities != NULL ? GetVec(velocities + 6 * i) : bodies->velocity[row];
        cnVec3 w = velocities != NULL ? GetVec(velocities + 6 * i + 3) : bodies->angularVelocity[row];
        island->trialCentres[row] = cnMulAdd(island->centres[row], island->h, v);
        island->trialRotations[row] =
            cnTurn_Apply(&body->turn, bodies, row, island->rotations[row], w, island->h, NULL);
    }
}

static cnJointView CurrentView(const cnDirectIsland* island) {
    return (cnJointView){island->solve->bodies, island->centres, island->rotations};
}

static cnJointView TrialView(const cnDirectIsland* island) {
    return (cnJointView){island->solve->bodies, island->trialCentres, island->trialRotations};
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// Jacobian numbers of a row at one of its node's bodies.
static double* NumbersAt(const cnDirectIsland* island, const cnDirectNode* node, int place, int row) {
    return island->jacobian + node->firstNumber + 6 * (place * node->rowCount + row - node->firstRow);
}

static double DotSix(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// G v of a row over the bodies that yield.
static double RowSpeed(const cnDirectIsland* island, int row, const double* velocities) {
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    double speed = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        speed += DotSix(NumbersAt(island, node, place, row), velocities + 6 * node->bodies[place]);
    }
    return speed;
}

// G M'⁻¹ Gᵀ of a row.
static double RowEffect(const cnDirectIsland* island, int row) {
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    double effect = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = NumbersAt(island, node, place, row);
        const cnDirectBody* body = &island->bodies[node->bodies[place]];
        cnVec3 linear = GetVec(j), angular = GetVec(j + 3);
        effect += cnDot(linear, cnMulMat(body->linearInverse, linear)) +
                  cnDot(angular, cnMulMat(body->angularInverse, angular));
    }
    return effect;
}

static double FixedSpeed(const cnDirectIsland* island, int row, const double* j) {
    const cnBodyTable* bodies = island->solve->bodies;
    uint32_t moving = cn_bodyKinematic | cn_bodyEnabled;
    if ((bodies->flags[row] & moving) != moving) {
        return 0.0;
    }
    return cnDot(GetVec(j), bodies->velocity[row]) + cnDot(GetVec(j + 3), bodies->angularVelocity[row]);
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
    row->hasRate = joint->lastStep > 0.0 || joint->startsAtRest;
    row->rate = joint->lastStep > 0.0 ? (Pressed(row) - before->violation) / joint->lastStep : 0.0;
    row->fixedSpeed = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        memset(NumbersAt(island, node, place, rowIndex), 0, 6 * sizeof(double));
    }
    for (int side = 0; side < 4; ++side) {
        if (from->body[side] < 0) {
            continue;
        }
        if (!Yields(island, from->body[side])) {
            row->fixedSpeed += FixedSpeed(island, from->body[side], from->jacobian[side]);
            continue;
        }
        int local = island->localOf[island->solve->solver.indexOfRow[from->body[side]]];
        for (int place = 0; place < node->bodyCount; ++place) {
            double* numbers = NumbersAt(island, node, place, rowIndex);
            for (int k = 0; node->bodies[place] == local && k < 6; ++k) {
                numbers[k] += from->jacobian[side][k];
            }
        }
    }
}

static int MakeJointRows(cnDirectIsland* island, const cnDirectNode* node, const cnJointView* view,
                         cnJointRow rows[cn_mostJointRows]) {
    cnConstraintTable* table = island->solve->constraints;
    return node->secondary ? cnJoint_MakeSecondaryRows(table, node->constraint, view, rows)
                           : cnJoint_MakeHeldRows(table, node->constraint, view, rows);
}

// A row of a contact along (or, where `isTwist`, about) a direction.
static void StoreContactRow(cnDirectIsland* island, const cnDirectNode* node, int rowIndex,
                            const cnSpot* spot, cnVec3 direction, bool isTwist) {
    const cnSolve* solve = island->solve;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->contact].pair];
    cnDirectRow* row = &island->rows[rowIndex];
    cnVec3 linear = isTwist ? cnVec3_zero : direction;
    double j[2][6];
    PutVec(j[0], linear);
    PutVec(j[0] + 3, isTwist ? direction : cnCross(spot->arm1, direction));
    PutVec(j[1], cnNeg(linear));
    PutVec(j[1] + 3, cnNeg(isTwist ? direction : cnCross(spot->arm2, direction)));
    row->slot = -1;
    row->target = row->fixedSpeed = 0.0;
    const int bodyRows[2] = {pair->body1, pair->body2};
    for (int side = 0; side < 2; ++side) {
        int body = bodyRows[side];
        if (body >= 0 && !Yields(island, body)) {
            row->fixedSpeed += FixedSpeed(island, body, j[side]);
        } else if (body >= 0) {
            int local = island->localOf[solve->solver.indexOfRow[body]];
            int place = node->bodies[0] == local ? 0 : 1;
            memcpy(NumbersAt(island, node, place, rowIndex), j[side], sizeof j[side]);
        }
    }
}

// Gaps of contacts move on with the bodies over the sub-steps: their rows keep the gap in `violation`.
static void MakeNormalRows(cnDirectIsland* island, cnDirectNode* node) {
    const cnSolve* solve = island->solve;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->contact].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    cnVec3 normal = cnToD(pair->manifold.normal);
    for (int i = 0; i < node->points; ++i) {
        cnDirectRow* row = &island->rows[node->firstRow + i];
        cnSpot spot = {cnToD(pair->arm1[i]), cnToD(pair->arm2[i])};
        StoreContactRow(island, node, node->firstRow + i, &spot, normal, false);
        row->kind = cn_rowOneSided;
        row->gamma = cnSpookGamma(material.damping, island->h);
        row->sigma = cnSpookSigma(1.0 / material.youngsModulus, row->gamma, island->h);
        row->lower = 0.0;
        row->upper = INFINITY;
        row->push = (pair->flags & cn_pairLimitedPush) != 0 ? pair->pushLimit : CN_PUSH_LIMIT;
        if (island->substep == 0) {
            cnVec3 u = cnRelativeVelocity(solve->bodies, pair->body1, pair->body2, spot.arm1, spot.arm2);
            row->violation = cnRowSeparation(pair->manifold.points[i].depth, cnDot(normal, u), &material);
        }
    }
}

// Two tangents and the twist, at the middle of the points.
static void MakeFrictionRows(cnDirectIsland* island, cnDirectNode* node) {
    const cnSolve* solve = island->solve;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->contact].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    cnVec3 normal = cnToD(pair->manifold.normal), surface = cnSurfaceVelocity(solve, pair);
    cnSpot centre = {cnVec3_zero, cnVec3_zero};
    for (int i = 0; i < node->points; ++i) {
        centre.arm1 = cnMulAdd(centre.arm1, 1.0 / node->points, cnToD(pair->arm1[i]));
        centre.arm2 = cnMulAdd(centre.arm2, 1.0 / node->points, cnToD(pair->arm2[i]));
    }
    for (int i = 0; i < node->points; ++i) {
        node->radius[i] = cnLength(pair->body1 >= 0 ? cnSub(cnToD(pair->arm1[i]), centre.arm1)
                                                    : cnSub(cnToD(pair->arm2[i]), centre.arm2));
    }
    cnMakeTangents(normal, &node->tangent1, &node->tangent2);
    node->friction = material.frictionModel == cn_frictionNone ? 0.0 : material.friction[0];
    const cnVec3 directions[3] = {node->tangent1, node->tangent2, normal};
    for (int i = 0; i < 3; ++i) {
        cnDirectRow* row = &island->rows[node->firstRow + i];
        StoreContactRow(island, node, node->firstRow + i, &centre, directions[i], i == 2);
        row->kind = cn_rowVelocity;
        row->sigma = i == 2 ? 0.0 : material.surfaceViscosity[0] / (node->points * island->h);
        row->fixedSpeed += i == 2 ? 0.0 : cnDot(directions[i], surface);
    }
}

// Rows of all nodes at the poses that the bodies have.
static void MakeRows(cnDirectIsland* island) {
    cnJointView view = CurrentView(island);
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->contact >= 0 && node->normals >= 0) {
            MakeFrictionRows(island, node);
            continue;
        }
        if (node->contact >= 0) {
            MakeNormalRows(island, node);
            continue;
        }
        cnJointRow rows[cn_mostJointRows];
        int count = MakeJointRows(island, node, &view, rows);
        for (int i = 0; i < node->rowCount; ++i) {
            if (i >= count) { // a distance of 0 has no direction: its row waits
                rows[i] = (cnJointRow){.slot = cn_slotDof, .kind = cn_rowVelocity, .body = {-1, -1, -1, -1}};
            }
            StoreJointRow(island, node, node->firstRow + i, &rows[i]);
        }
        const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
        if (joint->partner1 < 0) {
            cnJointFrames frames = cnJoint_Place(joint, &view);
            node->arm1 = frames.arm1;
            node->arm2 = frames.arm2;
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
        sum = cnMulAdd(sum, force, GetVec(NumbersAt(island, node, place, r)));
    }
    return sum;
}

// Of all bodies, from multipliers or, where these are null, the last step's forces.
static void FindStiffness(const cnDirectIsland* island, const double* lambda, cnStiffness* stiffness) {
    memset(stiffness, 0, (size_t)island->bodyCount * sizeof *stiffness);
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->constraint < 0 || (node->place1 < 0 && node->place2 < 0)) {
            continue;
        }
        cnVec3 force = TranslationForce(island, node, lambda);
        if (node->place1 >= 0) {
            cnStiffness_Add(&stiffness[node->bodies[node->place1]], force, node->arm1);
        }
        if (node->place2 >= 0) {
            cnStiffness_Add(&stiffness[node->bodies[node->place2]], force, node->arm2);
        }
    }
}

// True where a body's stiffness is unstable and far above the one that it was given.
static bool MustRestiffen(const cnDirectIsland* island, const cnStiffness* now) {
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        if (island->h * island->h * now[i].sum > body->largestMoment &&
            now[i].sum > 2.0 * body->stiffness.sum) {
            return true;
        }
    }
    return false;
}

static void SetStiffness(cnDirectIsland* island, const cnStiffness* stiffness) {
    for (int i = 0; i < island->bodyCount; ++i) {
        island->bodies[i].stiffness = stiffness[i];
    }
}

// ---- right-hand sides -----------------------------------------------------------------------------------------------

// q of every row, and Σ not below its floor; `ahead` has the violations at the trial poses.
static void LoadRows(cnDirectIsland* island) {
    double h = island->h;
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        PutVec(island->step + 6 * i, bodies->velocity[row]);
        PutVec(island->step + 6 * i + 3, bodies->angularVelocity[row]);
    }
    for (int r = 0; r < island->rowCount; ++r) {
        cnDirectRow* row = &island->rows[r];
        double effect = RowEffect(island, r);
        island->sigma[r] = cnMax(row->sigma, cnMax(CN_LEAST_SIGMA * effect, 1e-300));
        row->startSpeed = RowSpeed(island, r, island->step) + row->fixedSpeed;
        double q = row->target;
        if (row->kind != cn_rowVelocity && row->slot >= 0) {
            row->rate = row->hasRate ? row->rate : row->startSpeed;
            row->recovery = row->kind == cn_rowOneSided && !IsPressed(row)
                                ? -row->violation / h
                                : row->gamma * (row->rate - 4.0 / h * row->violation);
            q = row->recovery - (island->ahead[r] - row->violation) / h + row->startSpeed;
        } else if (row->kind == cn_rowOneSided) {
            if (IsPressed(row)) {
                double push = -4.0 / h * row->gamma * row->violation;
                q = cnClamp(push, -row->push, row->push) + row->gamma * row->startSpeed;
            } else {
                q = -row->violation / h;
            }
        }
        row->right = q;
        if (r < island->systemRows) {
            island->right[6 * island->bodyCount + r] = q - row->fixedSpeed;
        }
    }
}

static void FindViolations(cnDirectIsland* island, double* violations) {
    cnJointView view = TrialView(island);
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

static void SolveBounded(cnDirectIsland* island) {
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
    island->pivots += statistics.steps;
    island->solve->statistics.pivots += statistics.steps;
    island->solve->statistics.fallbacks += statistics.gaveUp;
}

// Friction's bounds from the normal forces, in rounds. A round's bound makes the next one's normal force, and where bodies wedge the
// more friction the less force: the plain iteration then swings between two wrong answers for ever. So each contact takes the step of
// a secant, with the slope that it saw in its last two rounds: ω = 1/(1 − slope), between 0.1 and 1.
static double NextBound(cnDirectNode* node, double wanted) {
    double share = 1.0;
    double change = node->bound - node->boundBefore;
    if (node->rounds > 0 && change != 0.0) {
        double slope = (wanted - node->wantedBefore) / change;
        share = slope < 0.0 ? cnMax(0.1, 1.0 / (1.0 - slope)) : 1.0;
    }
    node->boundBefore = node->bound;
    node->wantedBefore = wanted;
    node->bound += share * (wanted - node->bound);
    node->rounds += 1;
    return node->bound;
}

// Bounds of a cone's rows: along the direction of the last solution where that was outside.
static void BoundFriction(cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                          double bound) {
    int t = node->firstRow;
    double size = lambda != NULL ? sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]) : 0.0;
    for (int i = 0; i < 2; ++i) {
        cnDirectRow* row = &island->rows[t + i];
        bool isOutside = lambda != NULL && size > bound;
        row->upper = isOutside ? bound * fabs(lambda[t + i]) / size : bound;
        row->lower = -row->upper;
    }
    cnDirectRow* twist = &island->rows[t + 2];
    twist->upper = bound * node->lever;
    twist->lower = -twist->upper;
}

// μ N of a friction node, N s, and the lever of its twist.
static double FrictionLimit(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
    double load = 0.0, moment = 0.0;
    const cnDirectNode* normals = &island->nodes[node->normals];
    for (int i = 0; i < normals->points; ++i) {
        double normal = cnMax(0.0, lambda[normals->firstRow + i]);
        load += normal;
        moment += normal * node->radius[i];
    }
    node->lever = load > 0.0 ? moment / load : 0.0;
    return node->friction * load;
}

// True when a bound is off by more than the tolerance.
static bool UpdateFriction(cnDirectIsland* island, const double* lambda) {
    bool isOff = false;
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->normals < 0) {
            continue;
        }
        int t = node->firstRow;
        double wanted = FrictionLimit(island, node, lambda);
        double size = sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]);
        // a contact that sticks well inside its cone needs no exact bound
        bool inside = size < 0.99 * cnMin(wanted, node->bound);
        isOff |= !inside && fabs(wanted - node->bound) > CN_FRICTION_TOLERANCE * cnMax(wanted, node->bound);
        isOff |= size > wanted * (1.0 + CN_FRICTION_TOLERANCE) && size > 0.0;
        BoundFriction(island, node, lambda, NextBound(node, wanted));
    }
    return isOff;
}

// Friction within the factorisation: bounds in rounds.
static void SolveDirectly(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->normals >= 0) {
            node->rounds = 0;
            BoundFriction(island, node, NULL, node->bound);
        }
    }
    for (int round = 0; round < CN_FRICTION_ROUNDS; ++round) {
        SolveBounded(island);
        if (!island->hasContacts || !UpdateFriction(island, island->solution + 6 * island->bodyCount) ||
            island->pivots > CN_MANY_PIVOTS) {
            return;
        }
    }
    SolveBounded(island);
}

// M'⁻¹ Gᵀ of an impulse on row r, added to the velocities.
static void PushRow(const cnDirectIsland* island, int r, double impulse, double* velocities) {
    const cnDirectNode* node = &island->nodes[island->rows[r].node];
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = NumbersAt(island, node, place, r);
        const cnDirectBody* body = &island->bodies[node->bodies[place]];
        double* v = velocities + 6 * node->bodies[place];
        PutVec(v, cnMulAdd(GetVec(v), impulse, cnMulMat(body->linearInverse, GetVec(j))));
        PutVec(v + 3, cnMulAdd(GetVec(v + 3), impulse, cnMulMat(body->angularInverse, GetVec(j + 3))));
    }
}

// Gᵀ of an impulse on row r, added to the right-hand side.
static void LoadImpulse(cnDirectIsland* island, int r, double impulse) {
    const cnDirectNode* node = &island->nodes[island->rows[r].node];
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = NumbersAt(island, node, place, r);
        double* p = island->right + 6 * node->bodies[place];
        for (int k = 0; k < 6; ++k) {
            p[k] += impulse * j[k];
        }
    }
}

// One Gauss–Seidel step of a friction node: tangents on the cone, then the twist.
static void SweepFriction(cnDirectIsland* island, cnDirectNode* node, double* velocities) {
    cnDirectRow* t = &island->rows[node->firstRow];
    double* sigma = &island->sigma[node->firstRow];
    double* effect = node->effect;
    double largest = cnMax(effect[0] + sigma[0], effect[1] + sigma[1]);
    double next[3];
    for (int i = 0; i < 3; ++i) {
        double slip = RowSpeed(island, node->firstRow + i, velocities) + t[i].fixedSpeed;
        next[i] = t[i].lambda - (slip + sigma[i] * t[i].lambda) / (i < 2 ? largest : effect[2] + sigma[2]);
        if (i == 1) {
            double size = sqrt(next[0] * next[0] + next[1] * next[1]);
            double shrink = size > node->bound ? node->bound / size : 1.0;
            for (int k = 0; k < 2; ++k) {
                PushRow(island, node->firstRow + k, shrink * next[k] - t[k].lambda, velocities);
                t[k].lambda = shrink * next[k];
            }
        }
    }
    double twist = cnClamp(next[2], -node->bound * node->lever, node->bound * node->lever);
    PushRow(island, node->firstRow + 2, twist - t[2].lambda, velocities);
    t[2].lambda = twist;
}

// Joints take part in the sweeps, or they would eat the friction that the sweeps find.
static void SweepJoint(cnDirectIsland* island, const cnDirectNode* node, double* velocities) {
    int unknowns = 6 * island->bodyCount;
    for (int r = node->firstRow; r < node->firstRow + node->rowCount; ++r) {
        double* lambda = &island->swept[r];
        double w = RowSpeed(island, r, velocities) + island->sigma[r] * *lambda - island->right[unknowns + r];
        double effect = RowEffect(island, r) + island->sigma[r];
        double next = cnClamp(*lambda - w / effect, island->rows[r].lower, island->rows[r].upper);
        PushRow(island, r, next - *lambda, velocities);
        *lambda = next;
    }
}

// Split: normals and joints directly with the friction that is known, friction and joints by sweeps with these normal forces, and
// normals and joints directly again.
static void SolveSplit(cnDirectIsland* island) {
    int unknowns = 6 * island->bodyCount;
    double* lambda = island->solution + unknowns;
    for (int n = island->systemNodes; n < island->nodeCount; ++n) {
        for (int r = island->nodes[n].firstRow; r < island->nodes[n].firstRow + 3; ++r) {
            LoadImpulse(island, r, island->rows[r].lambda);
        }
    }
    SolveBounded(island);
    if (island->systemNodes == island->nodeCount) {
        return;
    }
    memcpy(island->step, island->solution, (size_t)unknowns * sizeof(double));
    memcpy(island->swept, lambda, (size_t)island->systemRows * sizeof(double));
    for (int n = island->systemNodes; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        node->bound = FrictionLimit(island, node, lambda);
        for (int i = 0; i < 3; ++i) {
            node->before[i] = island->rows[node->firstRow + i].lambda;
            node->effect[i] = RowEffect(island, node->firstRow + i);
        }
    }
    for (int sweep = 0; sweep < CN_FRICTION_SWEEPS; ++sweep) {
        for (int n = 0; n < island->nodeCount; ++n) {
            if (island->nodes[n].normals >= 0) {
                SweepFriction(island, &island->nodes[n], island->step);
            } else if (island->nodes[n].constraint >= 0) {
                SweepJoint(island, &island->nodes[n], island->step);
            }
        }
    }
    for (int n = island->systemNodes; n < island->nodeCount; ++n) {
        for (int i = 0; i < 3; ++i) {
            int r = island->nodes[n].firstRow + i;
            LoadImpulse(island, r, island->rows[r].lambda - island->nodes[n].before[i]);
        }
    }
    SolveBounded(island);
}

// ---- a sub-step -----------------------------------------------------------------------------------------------------

// The part of a correction that the bodies' stiffness stands.
static double CorrectionShare(cnDirectIsland* island, const double* correction) {
    double share = 1.0;
    FindStiffness(island, correction, island->stiffness);
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        double stands = body->largestMoment / (island->h * island->h) + body->stiffness.sum;
        if (island->stiffness[i].sum > stands) {
            share = cnMin(share, stands / island->stiffness[i].sum);
        }
    }
    return share;
}

// The gap that is left where the solution leads, taken out on the same factorisation.
static void Correct(cnDirectIsland* island) {
    int unknowns = 6 * island->bodyCount, all = unknowns + island->systemRows;
    double h = island->h;
    TryPoses(island, island->solution);
    FindViolations(island, island->ahead);
    memset(island->right, 0, (size_t)all * sizeof(double));
    memset(island->step, 0, (size_t)all * sizeof(double));
    bool any = false;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        cnVec3 bearing = BearingMomentum(island, body, GetVec(island->solution + 6 * i + 3));
        PutVec(island->right + 6 * i + 3, cnSub(bearing, body->bearing));
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
        *bearing = cnMulAdd(*bearing, share, GetVec(island->right + 6 * i + 3));
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
    cnVec3 v = GetVec(island->solution + 6 * i), w = GetVec(island->solution + 6 * i + 3);
    cnVec3 before = bodies->angularVelocity[row];
    cnVec3 filtered = cnMulAdd(body->filteredSpin, 0.5, cnSub(w, body->filteredSpin));
    if (body->turn.kind == cn_turnRotor) {
        cnTurned turned;
        bodies->rotation[row] = cnTurn_Apply(&body->turn, bodies, row, bodies->rotation[row], w, h, &turned);
        bodies->centreOfMass[row] = cnMulAdd(bodies->centreOfMass[row], h, v);
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
            .shift = cnScale(h, dv),
            .turn = cnScale(h, dw),
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
        const cnDirectNode* node = &island->nodes[row->node];
        row->lambda = r < island->systemRows ? island->solution[unknowns + r] : row->lambda;
        row->sum += row->lambda;
        if (node->constraint >= 0) {
            cnRowState* state = &table->constraints[node->constraint].rows[row->slot];
            state->force = row->lambda / island->h;
            state->violation = Pressed(row);
            state->active = island->state[r] == cn_rowFree;
            table->constraints[node->constraint].lastStep = island->h;
        } else if (row->kind == cn_rowOneSided) {
            row->violation += island->h * (RowSpeed(island, r, island->solution) + row->fixedSpeed);
        }
    }
}

static void Solve(cnDirectIsland* island) {
    LoadBodies(island);
    LoadRows(island);
    cnSparseValues values = {island->mass, island->jacobian, island->sigma};
    cnSparseFactor_SetValues(island->factor, &values);
    if (island->split) {
        SolveSplit(island);
    } else {
        SolveDirectly(island);
    }
}

static void SubStep(cnDirectIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        PrepareBody(island, &island->bodies[i]);
    }
    PlaceFixedBodies(island);
    MakeRows(island);
    FindStiffness(island, NULL, island->stiffness);
    SetStiffness(island, island->stiffness);
    TryPoses(island, NULL);
    FindViolations(island, island->ahead);
    Solve(island);

    // forces that came up in this step make new stiffness: in a snap they grow tenfold in one
    FindStiffness(island, island->solution + 6 * island->bodyCount, island->stiffness);
    for (int round = 0; round < CN_RESTIFFENINGS && MustRestiffen(island, island->stiffness); ++round) {
        SetStiffness(island, island->stiffness);
        Solve(island);
        FindStiffness(island, island->solution + 6 * island->bodyCount, island->stiffness);
    }
    Correct(island);
    StoreRows(island);
    for (int i = 0; i < island->bodyCount; ++i) {
        MoveBody(island, i);
    }
}

// ---- a step ---------------------------------------------------------------------------------------------------------

// Sub-steps for how fast the bodies turn: |ω| where no angular row holds them, else how fast the anchors go round.
static int WantedSubsteps(const cnDirectIsland* island) {
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
        for (int i = 0; i < 2; ++i) {
            double arm = cnLength(arms[i]);
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

static void RunSubsteps(cnDirectIsland* island, int count) {
    island->h = island->solve->h / count;
    for (int r = 0; r < island->rowCount; ++r) {
        island->rows[r].sum = 0.0;
        island->rows[r].violation = 0.0;
        island->rows[r].lambda = island->rows[r].warm / count;
    }
    for (island->substep = 0; island->substep < count; ++island->substep) {
        SubStep(island);
    }
}

static void SaveBody(const cnDirectIsland* island, int i, cnSavedBody* saved) {
    const cnBodyTable* bodies = island->solve->bodies;
    int row = island->bodies[i].row;
    *saved = (cnSavedBody){
        .position = bodies->position[row],
        .centreOfMass = bodies->centreOfMass[row],
        .velocity = bodies->velocity[row],
        .angularMomentum = bodies->angularMomentum[row],
        .angularVelocity = bodies->angularVelocity[row],
        .filteredSpin = bodies->filteredSpin[row],
        .bearingMomentum = bodies->bearingMomentum[row],
        .rotation = bodies->rotation[row],
        .stiffness = bodies->stiffness[row],
    };
}

static void RestoreBody(const cnDirectIsland* island, int i, const cnSavedBody* saved) {
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
}

// Constraints' state before the step, for the same.
typedef struct cnSavedJoint {
    cnRowState rows[cn_slotCount];
    double lastStep;
} cnSavedJoint;

static void SaveJoints(const cnDirectIsland* island, cnSavedJoint* saved, bool restore) {
    cnConstraintTable* table = island->solve->constraints;
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].constraint < 0) {
            continue;
        }
        cnConstraint* joint = &table->constraints[island->nodes[n].constraint];
        if (restore) {
            memcpy(joint->rows, saved[n].rows, sizeof joint->rows);
            joint->lastStep = saved[n].lastStep;
        } else {
            memcpy(saved[n].rows, joint->rows, sizeof joint->rows);
            saved[n].lastStep = joint->lastStep;
        }
    }
}

// Whips and snaps: where the step ends faster than it was cut for, it is done again, once.
static bool StepIsland(cnDirectIsland* island) {
    cnSolve* solve = island->solve;
    cnSavedBody* saved = CN_PUSH(solve->stack, cnSavedBody, island->bodyCount, "saved bodies");
    cnSavedJoint* joints = CN_PUSH(solve->stack, cnSavedJoint, island->nodeCount, "saved constraints");
    if (saved == NULL || joints == NULL) {
        return false;
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        SaveBody(island, i, &saved[i]);
    }
    SaveJoints(island, joints, false);

    int given = solve->settings.substeps;
    int count = given > 0 ? given : 1;
    if (given == 0) {
        // the arms are those of the poses now
        island->h = solve->h;
        island->substep = 0;
        for (int i = 0; i < island->bodyCount; ++i) {
            PrepareBody(island, &island->bodies[i]);
        }
        PlaceFixedBodies(island);
        MakeRows(island);
        count = WantedSubsteps(island);
    }
    RunSubsteps(island, count);
    int wanted = given == 0 ? WantedSubsteps(island) : count;
    if (wanted > 2 * count) {
        for (int i = 0; i < island->bodyCount; ++i) {
            RestoreBody(island, i, &saved[i]);
        }
        SaveJoints(island, joints, true);
        RunSubsteps(island, wanted);
    }
    cnStack_Pop(solve->stack, joints);
    cnStack_Pop(solve->stack, saved);
    return true;
}

// ---- what can be read -----------------------------------------------------------------------------------------------

static double ScrewLead(const cnConstraint* joint) {
    return joint->secondaries[cn_slotScrew - cn_slotMotor].target;
}

static void AddForces(const cnDirectIsland* island, const cnDirectNode* node) {
    const cnSolve* solve = island->solve;
    cnConstraintTable* table = solve->constraints;
    int c = node->constraint;
    cnConstraint* joint = &table->constraints[c];
    const cnConstraint* shown = joint->partner1 >= 0 ? &table->constraints[joint->partner1] : joint;

    // the rows as they act on the first body now; of one that does not yield there are no numbers, so from the geometry
    cnJointView view = CurrentView(island);
    cnJointFrames frames = cnJoint_Place(shown, &view);
    cnJointRow rows[cn_mostJointRows];
    int count = MakeJointRows((cnDirectIsland*)island, node, &view, rows);
    for (int i = 0; i < node->rowCount && i < count; ++i) {
        double force = island->rows[node->firstRow + i].sum / solve->h;
        int slot = rows[i].slot;
        cnVec3 linear = cnScale(force, GetVec(rows[i].jacobian[0]));
        cnVec3 moment = cnScale(force, GetVec(rows[i].jacobian[0] + 3));
        table->force[c] = cnAdd(table->force[c], linear);
        table->torque[c] = cnAdd(table->torque[c], cnSub(moment, cnCross(frames.arm1, linear)));
        bool isScrew = slot == cn_slotScrew || (joint->type == cn_constraintScrew && slot == cn_slotDof + 2);
        if (isScrew) {
            // along the axis λ, about it what is left of the moment
            table->dofForce[c].of[2] += force;
            table->dofForce[c].of[5] -= force * (slot == cn_slotScrew ? ScrewLead(joint) : joint->ratio);
        } else if (slot < 6) {
            table->dofForce[c].of[slot] += force;
        } else if (slot < cn_slotScrew) {
            int index = (slot - cn_slotMotor) % 2;
            cnConstraintPair* const columns[4] = {&table->motorForce[c], &table->lockForce[c],
                                                  &table->rangeForce[c], &table->frictionForce[c]};
            columns[(slot - cn_slotMotor) / 2]->of[index] += force;
            int dof = cnJoint_DofOfCoordinate(joint->type, index);
            table->dofForce[c].of[dof] += force;
        } else {
            table->rangeForce[c].of[slot - cn_slotCone] += force;
        }
    }
}

// Coordinates, speeds and violations at the end of the step, in the poses of the table.
void cnMeasureConstraint(const cnSolve* solve, int c) {
    cnConstraintTable* table = solve->constraints;
    const cnBodyTable* bodies = solve->bodies;
    cnConstraint* joint = &table->constraints[c];
    cnJointView view = {bodies, bodies->centreOfMass, bodies->rotation};
    cnHeldRow held[6];
    int count = cnJoint_FindHeld(table, joint, &view, held);
    double gap = 0.0, turn = 0.0;
    for (int i = 0; i < count; ++i) {
        double square = held[i].violation * held[i].violation;
        if (held[i].dof < 3) {
            gap += square;
        } else {
            turn += square;
        }
    }
    bool holds = (table->flags[c] & cn_constraintEnabled) != 0 && joint->type != cn_constraintSpring &&
                 cnJoint_IsHeld(joint);
    table->gap[c] = holds ? sqrt(gap) : 0.0;
    table->misalignment[c] = holds ? sqrt(turn) : 0.0;
    if (joint->partner1 >= 0) {
        return;
    }
    cnJointFrames frames = cnJoint_Place(joint, &view);
    for (int i = 0; i < cnConstraintKinds[joint->type].freeCount; ++i) {
        double raw = 0.0;
        cnGradient gradient = {0};
        cnJoint_FindCoordinate(joint, &frames, i, &raw, &gradient);
        double value = cnJoint_Unwrap(joint, i, raw);
        joint->turns[i] = value - raw;
        joint->lastRaw[i] = raw;
        table->coordinate[c].of[i] = value;
        double speed = cnDot(gradient.linear, bodies->velocity[joint->body1]) +
                       cnDot(gradient.moment1, bodies->angularVelocity[joint->body1]);
        if (joint->body2 >= 0) {
            speed -= cnDot(gradient.linear, bodies->velocity[joint->body2]) +
                     cnDot(gradient.moment2, bodies->angularVelocity[joint->body2]);
        }
        table->speed[c].of[i] = speed;
    }
}

static void StoreContact(const cnDirectIsland* island, const cnDirectNode* node) {
    const cnSolve* solve = island->solve;
    cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->contact].pair];
    double perStep = 1.0 / solve->h, share = solve->substep / solve->h, sum = 0.0;
    const cnDirectRow* rows = &island->rows[node->firstRow];
    for (int i = 0; i < node->points; ++i) {
        pair->impulse[i] = (float)(rows[i].sum * share);
        pair->normalForce[i] = (float)(rows[i].sum * perStep);
        sum += rows[i].sum;
    }
    bool rests = true;
    for (int i = 0; i < node->points; ++i) {
        double speed = RowSpeed(island, node->firstRow + i, island->solution) + rows[i].fixedSpeed;
        rests = rests && fabs(speed) < CN_REST_SPEED;
    }
    pair->flags &= rests ? ~(uint32_t)cn_pairLimitedPush : ~0u;
    double mean = sum * share / node->points;
    pair->slowImpulse += (float)(solve->h / 2.0 * (mean - pair->slowImpulse));
}

static void StoreFriction(const cnDirectIsland* island, const cnDirectNode* node) {
    const cnSolve* solve = island->solve;
    cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->contact].pair];
    double perStep = 1.0 / solve->h, share = solve->substep / solve->h;
    const cnDirectRow* t = &island->rows[node->firstRow];
    cnVec3 friction = cnAdd(cnScale(t[0].sum, node->tangent1), cnScale(t[1].sum, node->tangent2));
    pair->friction = cnToF(cnScale(share, friction));
    pair->twist = (float)(t[2].sum * share);
    pair->frictionForce = cnToF(cnScale(perStep, friction));
}

// ---- making islands -------------------------------------------------------------------------------------------------

// What a joint tells of how one of its bodies turns: the hinges that share an axis, or that it is held otherwise.
static void NoteAngularRows(cnDirectBody* body, const cnConstraint* joint, const cnAttachment* frame) {
    uint32_t held = cnConstraintKinds[joint->type].held >> 3;
    if (held == 0) {
        return;
    }
    cnVec3 axis = cnRotate(frame->axes, cnVec(0.0, 0.0, 1.0));
    bool isHinge = held == 3 && joint->type != cn_constraintPlanar;
    bool shares = !body->hasAngularRows || fabs(cnDot(axis, body->turn.axis)) > 1.0 - 1e-9;
    body->hingesOnly = (body->hingesOnly || !body->hasAngularRows) && isHinge && shares;
    body->hasAngularRows = true;
    body->turn.axis = axis;
}

// A body whose hinges share one axis is a rotor; so is one with angular rows and an axis of symmetry.
static void FindTurns(cnDirectIsland* island) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->constraint < 0 || node->secondary) {
            continue;
        }
        const cnConstraint* joint = &solve->constraints->constraints[node->constraint];
        if (node->place1 >= 0) {
            NoteAngularRows(&island->bodies[node->bodies[node->place1]], joint, &joint->frame1);
        }
        if (node->place2 >= 0) {
            NoteAngularRows(&island->bodies[node->bodies[node->place2]], joint, &joint->frame2);
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        cnVec3 m = bodies->principalInertia[body->row];
        bool lower = m.y - m.x <= 1e-9 * m.z, upper = m.z - m.y <= 1e-9 * m.z;
        bool plain = !solve->gyroscopic || (bodies->flags[body->row] & cn_bodySphericalInertia) != 0;
        cnVec3 symmetric =
            cnRotate(bodies->principalAxes[body->row], lower ? cnVec(0, 0, 1) : cnVec(1, 0, 0));
        body->turn.kind = plain ? cn_turnPlain : cn_turnFree;
        body->isRotor = !plain && body->hasAngularRows && (body->hingesOnly || lower != upper);
        body->turn.axis = body->hingesOnly ? body->turn.axis : symmetric;
        bool isRound = lower != upper && fabs(cnDot(symmetric, body->turn.axis)) > 1.0 - 1e-9;
        body->rotorTurn = isRound ? 0.0 : CN_ROTOR_TURN;
    }
}

// Where nothing holds an island and one body is heavier than all others, these do not hold its axis: it turns freely.
static void FreeTheHeaviest(cnDirectIsland* island) {
    double sum = 0.0;
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].place1 < 0 || island->nodes[n].place2 < 0) {
            return;
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        sum += island->solve->bodies->principalInertia[island->bodies[i].row].z;
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        cnVec3 moments = island->solve->bodies->principalInertia[body->row];
        body->isRotor = body->isRotor && moments.x <= sum - moments.z;
    }
}

// The local number of a body in a node's list, added if it yields and is new; −1 if it does not yield.
static int PlaceOf(const cnDirectIsland* island, cnDirectNode* node, int bodyRow) {
    if (!Yields(island, bodyRow)) {
        return -1;
    }
    int local = island->localOf[island->solve->solver.indexOfRow[bodyRow]];
    for (int i = 0; i < node->bodyCount; ++i) {
        if (node->bodies[i] == local) {
            return i;
        }
    }
    node->bodies[node->bodyCount] = local;
    return node->bodyCount++;
}

static void FinishNode(cnDirectIsland* island, cnDirectNode* node, int rowCount) {
    node->firstRow = island->rowCount;
    node->rowCount = rowCount;
    node->firstNumber = island->numberCount;
    for (int r = 0; r < rowCount; ++r) {
        island->rows[island->rowCount + r] = (cnDirectRow){.node = island->nodeCount};
        island->state[island->rowCount + r] = cn_rowFree;
    }
    island->rowCount += rowCount;
    island->numberCount += 6 * rowCount * node->bodyCount;
    island->nodeCount += 1;
}

static void AddJoint(cnDirectIsland* island, int constraint) {
    cnConstraintTable* table = island->solve->constraints;
    const cnConstraint* joint = &table->constraints[constraint];
    const cnConstraint* first = joint->partner1 >= 0 ? &table->constraints[joint->partner1] : joint;
    const cnConstraint* second = joint->partner2 >= 0 ? &table->constraints[joint->partner2] : joint;
    cnJointView view = CurrentView(island);
    for (int part = 0; part < 2; ++part) {
        bool secondary = part == 1;
        if (secondary && !cnJoint_HasSecondaryRows(joint)) {
            continue;
        }
        cnDirectNode* node = &island->nodes[island->nodeCount];
        *node =
            (cnDirectNode){.constraint = constraint, .contact = -1, .normals = -1, .secondary = secondary};
        node->place1 = PlaceOf(island, node, first->body1);
        node->place2 = PlaceOf(island, node, first->body2);
        PlaceOf(island, node, second->body1);
        PlaceOf(island, node, second->body2);
        cnJointRow rows[cn_mostJointRows];
        int count = MakeJointRows(island, node, &view, rows);
        if (joint->partner1 >= 0) {
            node->place1 = node->place2 = -1; // gears pull at no anchors
        }
        if (count > 0 && node->bodyCount > 0) {
            FinishNode(island, node, count);
        }
    }
}

static cnDirectNode* StartContactNode(cnDirectIsland* island, int contact, int normals, int rowCount) {
    const cnPair* pair = &island->solve->pairs->pairs.data[island->solve->contacts[contact].pair];
    cnDirectNode* node = &island->nodes[island->nodeCount];
    *node = (cnDirectNode){
        .constraint = -1, .contact = contact, .normals = normals, .points = pair->manifold.pointCount};
    node->place1 = PlaceOf(island, node, pair->body1);
    node->place2 = PlaceOf(island, node, pair->body2);
    FinishNode(island, node, rowCount);
    return node;
}

// Begins with the sets of the last step: what pressed presses.
static void AddNormals(cnDirectIsland* island, int contact) {
    const cnPair* pair = &island->solve->pairs->pairs.data[island->solve->contacts[contact].pair];
    const cnDirectNode* node = StartContactNode(island, contact, -1, pair->manifold.pointCount);
    for (int i = 0; i < node->points; ++i) {
        island->state[node->firstRow + i] = pair->impulse[i] > 0.0f ? cn_rowFree : cn_rowAtLower;
    }
    island->hasContacts = true;
}

// Begins with the bounds of the last step's forces, and in the split solver with these forces themselves.
static void AddFriction(cnDirectIsland* island, int normals) {
    const cnSolve* solve = island->solve;
    int contact = island->nodes[normals].contact;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[contact].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    if (material.frictionModel == cn_frictionNone) {
        return;
    }
    cnDirectNode* node = StartContactNode(island, contact, normals, 3);
    double share = solve->settings.disableWarmStart ? 0.0 : solve->h / solve->substep, load = 0.0;
    for (int i = 0; i < node->points; ++i) {
        load += share * pair->impulse[i];
    }
    node->bound = material.friction[0] * load;
    cnVec3 t1, t2, friction = cnToD(pair->friction);
    cnMakeTangents(cnToD(pair->manifold.normal), &t1, &t2);
    cnDirectRow* rows = &island->rows[node->firstRow];
    rows[0].warm = share * cnDot(friction, t1);
    rows[1].warm = share * cnDot(friction, t2);
    rows[2].warm = share * pair->twist;
}

static cnDirectSlot* FindSlot(cnDirectPool* pool, int root, int hint) {
    for (int i = 0; i < pool->slots.count; ++i) {
        int at = (hint + i) % pool->slots.count;
        if (!pool->slots.data[at].used && pool->slots.data[at].root == root) {
            return &pool->slots.data[at];
        }
    }
    for (int i = 0; i < pool->slots.count; ++i) {
        if (!pool->slots.data[i].used) {
            return &pool->slots.data[i];
        }
    }
    cnDirectSlot fresh = {.root = root};
    return cnArray_Push(&pool->slots, fresh) ? &pool->slots.data[pool->slots.count - 1] : NULL;
}

// Numbers of a topology for the factor.
static bool SetTopology(cnDirectIsland* island) {
    int bodies = 0;
    for (int n = 0; n < island->systemNodes; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        island->rowStart[n] = node->firstRow;
        island->bodyStart[n] = bodies;
        for (int i = 0; i < node->bodyCount; ++i) {
            island->nodeBodies[bodies++] = node->bodies[i];
        }
    }
    island->rowStart[island->systemNodes] = island->systemRows;
    island->bodyStart[island->systemNodes] = bodies;
    cnBlockTopology topology = {
        .bodyCount = island->bodyCount,
        .constraintCount = island->systemNodes,
        .rowStart = island->rowStart,
        .bodyStart = island->bodyStart,
        .bodies = island->nodeBodies,
    };
    return cnSparseFactor_SetTopology(island->factor, &topology, 0.0) == cn_orderFound;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static bool SolveOne(cnDirectIsland* island, int number, int hint) {
    cnSolve* solve = island->solve;
    island->bodyCount = island->nodeCount = island->rowCount = island->numberCount = 0;
    island->hasContacts = false;
    island->fits = true;
    island->pivots = 0;
    int root = -1;
    for (int index = 1; index < solve->solver.count; ++index) {
        if (solve->solver.island[index] == number) {
            root = root < 0 ? solve->solver.rows[index] : root;
            island->localOf[index] = island->bodyCount;
            island->bodies[island->bodyCount] =
                (cnDirectBody){.index = index, .row = solve->solver.rows[index]};
            island->centres[solve->solver.rows[index]] =
                solve->bodies->centreOfMass[solve->solver.rows[index]];
            island->rotations[solve->solver.rows[index]] = solve->bodies->rotation[solve->solver.rows[index]];
            island->bodyCount += 1;
        }
    }
    island->h = solve->h;
    island->substep = 0;
    for (int j = 0; j < solve->jointCount; ++j) {
        if (solve->joints[j].island == number) {
            for (int side = 0; side < 4; ++side) {
                int row = solve->joints[j].rows[side];
                if (row >= 0 && !Yields(island, row)) {
                    PlaceFixed(island, row, 0.0, &island->centres[row], &island->rotations[row]);
                }
            }
            AddJoint(island, solve->joints[j].constraint);
        }
    }
    for (int c = 0; c < solve->contactCount; ++c) {
        if (solve->contacts[c].island == number) {
            AddNormals(island, c);
        }
    }
    bool isLarge = solve->islands[number].contactCount > CN_DIRECT_CONTACTS;
    island->split =
        solve->settings.type == cn_solverSplit || (solve->settings.type != cn_solverDirect && isLarge);
    island->systemNodes = island->nodeCount;
    island->systemRows = island->rowCount;
    for (int n = 0; n < island->systemNodes; ++n) {
        if (island->nodes[n].contact >= 0) {
            AddFriction(island, n);
        }
    }
    if (!island->split) {
        island->systemNodes = island->nodeCount;
        island->systemRows = island->rowCount;
    }
    FindTurns(island);
    FreeTheHeaviest(island);
    cnDirectSlot* slot = FindSlot(solve->direct, root, hint);
    if (slot == NULL) {
        return false;
    }
    slot->used = true;
    slot->root = root;
    island->factor = &slot->factor;
    if (!SetTopology(island) || !StepIsland(island) || !island->fits) {
        return false;
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].constraint >= 0) {
            AddForces(island, &island->nodes[n]);
        } else if (island->nodes[n].normals >= 0) {
            StoreFriction(island, &island->nodes[n]);
        } else {
            StoreContact(island, &island->nodes[n]);
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        solve->solver.moved[island->bodies[i].index] = 1;
    }
    return true;
}

bool cnSolveDirectIslands(cnSolve* solve) {
    bool any = false;
    for (int i = 0; i < solve->islandCount; ++i) {
        any = any || solve->islands[i].direct;
    }
    if (!any) {
        return true;
    }
    int bodies = solve->solver.count, rowsOfBodies = solve->bodies->ids.rowCount;
    int nodes = 2 * solve->jointCount + 2 * solve->contactCount;
    int rows = 16 * solve->jointCount + (CN_MANIFOLD_POINTS + 3) * solve->contactCount;
    int unknowns = 6 * bodies + rows;
    cnStack* stack = solve->stack;
    cnDirectIsland island = {
        .solve = solve,
        .bodies = CN_PUSH(stack, cnDirectBody, bodies, "direct bodies"),
        .nodes = CN_PUSH(stack, cnDirectNode, nodes, "direct nodes"),
        .rows = CN_PUSH(stack, cnDirectRow, rows, "direct rows"),
        .localOf = CN_PUSH(stack, int, bodies, "direct numbers of bodies"),
        .mass = CN_PUSH(stack, double, 18 * bodies, "direct masses"),
        .jacobian = CN_PUSH(stack, double, 24 * rows, "direct Jacobian"),
        .sigma = CN_PUSH(stack, double, rows, "direct compliances"),
        .right = CN_PUSH(stack, double, unknowns, "direct right-hand side"),
        .solution = CN_PUSH(stack, double, unknowns, "direct solution"),
        .step = CN_PUSH(stack, double, unknowns, "direct correction"),
        .ahead = CN_PUSH(stack, double, rows, "violations ahead"),
        .lower = CN_PUSH(stack, double, rows, "least multipliers"),
        .upper = CN_PUSH(stack, double, rows, "most multipliers"),
        .swept = CN_PUSH(stack, double, rows, "swept multipliers"),
        .state = CN_PUSH(stack, uint8_t, rows, "sets of rows"),
        .rowStart = CN_PUSH(stack, int, nodes + 1, "direct row starts"),
        .bodyStart = CN_PUSH(stack, int, nodes + 1, "direct body starts"),
        .nodeBodies = CN_PUSH(stack, int, 4 * nodes, "direct node bodies"),
        .stiffness = CN_PUSH(stack, cnStiffness, bodies, "stiffness"),
        .centres = CN_PUSH(stack, cnVec3, rowsOfBodies, "centres"),
        .trialCentres = CN_PUSH(stack, cnVec3, rowsOfBodies, "centres ahead"),
        .rotations = CN_PUSH(stack, cnQuat, rowsOfBodies, "rotations"),
        .trialRotations = CN_PUSH(stack, cnQuat, rowsOfBodies, "rotations ahead"),
    };
    const void* const pushed[] = {
        island.bodies,       island.nodes,     island.rows,           island.localOf,   island.mass,
        island.jacobian,     island.sigma,     island.right,          island.solution,  island.step,
        island.ahead,        island.lower,     island.upper,          island.swept,     island.state,
        island.rowStart,     island.bodyStart, island.nodeBodies,     island.stiffness, island.centres,
        island.trialCentres, island.rotations, island.trialRotations,
    };
    for (size_t i = 0; i < sizeof pushed / sizeof pushed[0]; ++i) {
        if (pushed[i] == NULL) {
            return false;
        }
    }
    for (int i = 0; i < solve->direct->slots.count; ++i) {
        solve->direct->slots.data[i].used = false;
    }
    int solved = 0;
    for (int number = 0; number < solve->islandCount; ++number) {
        if (solve->islands[number].direct) {
            if (!SolveOne(&island, number, solved)) {
                return false;
            }
            solved += 1;
        }
    }
    solve->statistics.directIslands = solved;
    return true;
}
