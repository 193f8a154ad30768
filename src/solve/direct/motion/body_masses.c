#include "solve/direct/motion/body_masses.h"

#include "base/report/assert.h"

cnVec3 cnDirect_BearingMomentum(const cnDirectIsland* island, const cnDirectBody* body, cnVec3 spin) {
    const cnBodyTable* bodies = island->solve->bodies;
    cnVec3 sum = bodies->bearingMomentum[body->row];
    if (body->rotationModel.kind != cn_rotationRotor) {
        return sum;
    }
    cnRotated rotated;
    cnQuat rotation = bodies->rotation[body->row];
    cnRotationModel_Apply(&body->rotationModel, bodies, body->row, rotation, spin, island->substep.h,
                          &rotated);
    cnVec3 axis = cnRotate(rotation, body->rotationModel.axis);
    sum = cnMulAdd(sum, 0.5, rotated.bearing);
    return cnMulAdd(sum, -cnDot(axis, sum), axis);
}

// M'⁻¹ of a sub-step, and the velocities after it without joints and contacts. What the step began with is
// that of its first sub-step, where nothing is damped.
static const cnInverseMass* FindFreeVelocities(const cnDirectIsland* island, const cnDirectBody* body,
                                               cnInverseMass* renewed, cnVec3* freeV, cnVec3* freeW) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    const cnForceResponse* known = &solve->solver.response[body->index];
    const int row = body->row;
    const cnVec3 v = bodies->halfStepVelocity[row], w = bodies->halfStepAngularVelocity[row];
    // velocities at the time of the pose get half a kick (velocity_times.c)
    const double kick = island->substep.index == 0 && bodies->lag[row] == 0.0 ? 0.5 : 1.0;
    if (island->substep.index == 0 && known->damping == NULL) {
        double share = kick * (island->substep.h / solve->substep);
        *freeV = cnMulAdd(v, share, known->linear);
        *freeW = cnMulAdd(w, share, known->angular);
        return &solve->solver.inverse[body->index];
    }
    cnDampingResponse damping;
    cnForceResponse response;
    cnBody_GetInverseMass(bodies, row, island->substep.h, renewed);
    cnBody_GetForceResponse(bodies, row, island->substep.h, renewed, bodies->lastForce[row],
                            bodies->lastTorque[row], &damping, &response);
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
    double* mass = island->system.mass + 18 * i;
    body->damped = island->solve->solver.response[body->index].damping != NULL;
    if ((bodies->flags[body->row] & cn_bodyIsotropicMass) != 0) {
        double along = 1.0 / inverse->linear.x.x;
        cnPutVec(mass, cnVec(along, 0.0, 0.0));
        cnPutVec(mass + 3, cnVec(0.0, along, 0.0));
        cnPutVec(mass + 6, cnVec(0.0, 0.0, along));
        body->momentum = cnScale(along, freeV);
    } else {
        cnPutMatrix(mass, cnInverse(inverse->linear));
        body->momentum = cnMulMat(cnGetMatrix(mass), freeV);
    }
    body->inertia = cnInverse(inverse->angular);
    body->spinMomentum = cnMulMat(body->inertia, freeW);
    body->largestMoment = bodies->principalInertia[body->row].z;
    body->linearMax = inverse->linear.x.x + inverse->linear.y.y + inverse->linear.z.z;
    body->angularMax = inverse->angular.x.x + inverse->angular.y.y + inverse->angular.z.z;
    if (island->system.keepsInverses) {
        island->system.inverses[i].linear = inverse->linear;
    }
}

// A body at the start of a sub-step, and where it would be after it with the velocities that it has.
void cnDirect_PrepareBody(cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnBodyTable* bodies = island->solve->bodies;
    cnDirectBody* body = &island->bodies[i];
    int row = body->row;
    cnVec3 v = bodies->halfStepVelocity[row], w = bodies->halfStepAngularVelocity[row];
    PrepareMass(island, i);
    if (body->isRotor) {
        double along = cnDot(w, cnRotate(bodies->rotation[row], body->rotationModel.axis));
        body->rotationModel.kind =
            island->substep.h * fabs(along) > body->rotorAngle ? cn_rotationRotor : body->freeKind;
    }
    body->bearing = body->owed = cnDirect_BearingMomentum(island, body, w);
    body->spinMomentum = cnAdd(body->spinMomentum, body->bearing);
    cnStiffness_Clear(&body->stiffness);
    cnPutVec(island->start + 6 * i, v);
    cnPutVec(island->start + 6 * i + 3, w);
    island->centres[row] = bodies->centreOfMass[row];
    island->rotations[row] = bodies->rotation[row];
}

void cnDirect_LoadBodies(cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        double* angular = island->system.mass + 18 * i + 9;
        cnVec3 momentum = body->spinMomentum;
        cnPutMatrix(angular, body->inertia);
        if (body->stiffness.sum > 0.0) {
            cnVec3 filtered = bodies->filteredSpin[body->row];
            cnMat33 added =
                cnStiffness_AddedInertia(&body->stiffness, body->largestMoment, island->substep.h);
            double share = cnStiffness_CarriedShare(bodies->stiffness[body->row], body->stiffness.sum,
                                                    cnGetVec(island->start + 6 * i + 3), filtered);
            cnPutVec(angular, cnAdd(body->inertia.x, added.x));
            cnPutVec(angular + 3, cnAdd(body->inertia.y, added.y));
            cnPutVec(angular + 6, cnAdd(body->inertia.z, added.z));
            momentum = cnMulAdd(momentum, share, cnMulMat(added, filtered));
        }
        cnPutVec(island->system.right + 6 * i, body->momentum);
        cnPutVec(island->system.right + 6 * i + 3, momentum);
        if (island->system.keepsInverses) {
            island->system.inverses[i].angular = cnInverse(cnGetMatrix(angular));
        }
    }
}
