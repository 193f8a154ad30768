#include "solve/direct/motion/body_motion.h"

#include "base/report/assert.h"
#include "base/simd.h"

// ---- trial poses ------------------------------------------------------------------------------------------

// x ⊕ h v of a dynamic body, in a sub-step with velocities of 6 numbers a body.
static void TryPose(const cnDirectIsland* island, int i, const double* velocities) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    island->trialRotations[body->row] = cnRotationModel_Apply(
        &body->rotationModel, island->solve->bodies, body->row, island->rotations[body->row],
        cnGetVec(velocities + 6 * i + 3), island->substep.h, NULL);
}

static cnSpinning SpinningOf(const cnDirectIsland* island, int i, const double* velocities) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    return (cnSpinning){&island->rotations[body->row], velocities + 6 * i + 3, &body->symmetry,
                        &island->trialRotations[body->row]};
}

static bool RotatesInLanes(const cnDirectBody* body) {
    return body->inLanes && body->rotationModel.kind != cn_rotationRotor;
}

void cnDirect_TryPoses(const cnDirectIsland* island, int i, const double* velocities) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const int other = i + 1 < island->bodyCount ? i + 1 : i;
    for (int k = i; k <= other; ++k) {
        int row = island->bodies[k].row;
        island->trialCentres[row] =
            cnMulAdd(island->centres[row], island->substep.h, cnGetVec(velocities + 6 * k));
    }
    if (RotatesInLanes(&island->bodies[i]) && RotatesInLanes(&island->bodies[other])) {
        const cnSpinning first = SpinningOf(island, i, velocities),
                         second = SpinningOf(island, other, velocities);
        if (cnTurnSpinningPair(&first, &second, island->substep.h)) {
            return;
        }
    }
    TryPose(island, i, velocities);
    TryPose(island, other, velocities);
}

// ---- the motion -------------------------------------------------------------------------------------------

static bool FollowsTrial(const cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    return body->rotationModel.kind == cn_rotationFree &&
           (island->solve->bodies->flags[body->row] & cn_bodyIsotropicMass) != 0;
}

// A body that rotates freely, to where its trial pose is.
static void FollowTrial(const cnDirectIsland* island, const cnDirectBody* body, cnVec3 v, cnVec3 w) {
    cnBodyTable* bodies = island->solve->bodies;
    const int row = body->row;
    cnVec3 change = cnSub(w, bodies->halfStepAngularVelocity[row]);
    cnVec3 momentum = body->damped ? cnBody_AngularMomentumFor(bodies, row, bodies->rotation[row], change)
                                   : cnMulMat(body->inertia, change);
    bodies->centreOfMass[row] = island->trialCentres[row];
    bodies->rotation[row] = cnNormalizeQuat(island->trialRotations[row]);
    bodies->halfStepVelocity[row] = v;
    bodies->halfStepAngularMomentum[row] = cnAdd(bodies->halfStepAngularMomentum[row], momentum);
    bodies->bearingMomentum[row] = cnVec3_zero;
    cnBody_UpdateAngularVelocity(bodies, row);
    cnBody_UpdatePosition(bodies, row);
}

// What a rotation that keeps the angular momentum made of a body's energy, J: the guard has judged the
// velocities before it.
static double EnergyOfFreeRotation(const cnBodyTable* bodies, const cnDirectBody* body, int row,
                                   cnVec3 before) {
    return 0.5 * (cnDot(bodies->halfStepAngularVelocity[row], bodies->halfStepAngularMomentum[row]) -
                  cnDot(before, cnMulMat(body->inertia, before)));
}

static void MoveBody(cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    cnSolve* solve = island->solve;
    cnBodyTable* bodies = solve->bodies;
    cnDirectBody* body = &island->bodies[i];
    int row = body->row;
    double h = island->substep.h;
    cnVec3 v = cnGetVec(island->system.solution + 6 * i), w = cnGetVec(island->system.solution + 6 * i + 3);
    const double* way =
        island->substep.pathVelocities != NULL ? island->substep.pathVelocities : island->system.solution;
    cnVec3 wayV = cnGetVec(way + 6 * i), wayW = cnGetVec(way + 6 * i + 3);
    cnVec3 before = bodies->halfStepAngularVelocity[row];
    cnVec3 filtered = cnMulAdd(bodies->filteredSpin[row], 0.5, cnSub(w, bodies->filteredSpin[row]));
    if (body->rotationModel.kind == cn_rotationRotor) {
        cnRotated rotated;
        cnQuat rotation = bodies->rotation[row];
        bodies->rotation[row] =
            cnRotationModel_Apply(&body->rotationModel, bodies, row, rotation, w, h, &rotated);
        if (island->substep.pathVelocities != NULL) {
            bodies->rotation[row] =
                cnRotationModel_Apply(&body->rotationModel, bodies, row, rotation, wayW, h, NULL);
        }
        bodies->centreOfMass[row] = cnMulAdd(bodies->centreOfMass[row], h, wayV);
        bodies->halfStepVelocity[row] = v;
        bodies->halfStepAngularMomentum[row] = rotated.momentum;
        bodies->bearingMomentum[row] =
            cnAdd(bodies->bearingMomentum[row], cnSub(rotated.bearing, body->bearing));
        cnBody_UpdateAngularVelocity(bodies, row);
        cnBody_UpdatePosition(bodies, row);
    } else if (FollowsTrial(island, i)) {
        FollowTrial(island, body, v, w);
    } else {
        cnVec3 dv = cnSub(v, bodies->halfStepVelocity[row]), dw = cnSub(w, before);
        cnMotionStep motion = {
            .h = h,
            .shift = cnScale(h, cnSub(wayV, bodies->halfStepVelocity[row])),
            .turn = cnScale(h, cnSub(wayW, before)),
            .velocity = dv,
            .angularVelocity = dw,
            .atOnce = island->substep.pathVelocities == NULL,
            .gyroscopic = solve->gyroscopic,
        };
        cnBody_Move(bodies, row, &motion);
        bodies->bearingMomentum[row] = cnVec3_zero;
    }
    bodies->filteredSpin[row] = filtered;
    bodies->stiffness[row] = body->stiffness.sum;
    if (body->rotationModel.kind == cn_rotationFree && !body->damped) {
        bodies->energyCredit[row] -= EnergyOfFreeRotation(bodies, body, row, w);
    }
}

void cnDirect_MoveBodies(cnDirectIsland* island) {
    const cnDirectSubstep* substep = &island->substep;
    const double* velocities =
        substep->pathVelocities != NULL ? substep->pathVelocities : island->system.solution;
    for (int i = 0; i < island->bodyCount; i += 2) {
        const int other = i + 1 < island->bodyCount ? i + 1 : i;
        if (FollowsTrial(island, i) || FollowsTrial(island, other)) {
            cnDirect_TryPoses(island, i, velocities);
        }
        MoveBody(island, i);
        if (other != i) {
            MoveBody(island, other);
        }
    }
}
