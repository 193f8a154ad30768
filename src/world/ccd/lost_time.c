#include "world/ccd/lost_time.h"

#include "dynamics/joint.h"

// Share by which the energy of rotation may rise where a free body keeps its angular momentum.
#define CN_ENERGY_TOLERANCE 1e-9

// ---- poses ------------------------------------------------------------------------------------------------

// Where the body would be at the stop on a straight path, and what would be there in the frame of its holder.
static cnVec3 StraightCentre(const cnLostTime* lost, int row) {
    const cnBodyTable* bodies = lost->solve->bodies;
    cnVec3 start = cnTransformPoint(cnLinkages_StartPose(lost->solve, row), bodies->localCentreOfMass[row]);
    cnVec3 centre = cnMulAdd(start, lost->stop, cnSub(bodies->centreOfMass[row], start));
    return lost->isHolder && lost->carrier != NULL ? cnCarryPoint(lost->carrier, centre) : centre;
}

// Puts a body to a pose. Returns the work of external forces, J, that its velocities contain too much of.
static double PlaceBody(const cnLostTime* lost, int row, cnPose pose) {
    cnBodyTable* bodies = lost->solve->bodies;
    cnVec3 reference = lost->isFree ? StraightCentre(lost, row) : bodies->centreOfMass[row];
    cnQuat end = bodies->rotation[row];
    if (lost->carrier != NULL) {
        pose = cnCarry(lost->carrier, pose);
    }
    bodies->position[row] = pose.position;
    bodies->rotation[row] = pose.rotation;
    cnBody_UpdateCentre(bodies, row);
    double work = cnDot(bodies->lastForce[row], cnSub(reference, bodies->centreOfMass[row]));
    if (!lost->isFree) {
        cnVec3 missed = cnRotationVectorOf(cnMulQuat(end, cnConjugate(pose.rotation)));
        work += cnDot(bodies->lastTorque[row], missed);
    }
    return work;
}

// ---- energy -----------------------------------------------------------------------------------------------

// Velocities of a body in the frame of the holder (sign -1), and back in the world's (1).
static void ChangeFrame(const cnLostTime* lost, int row, double sign) {
    cnBodyTable* bodies = lost->solve->bodies;
    if (lost->holder < 0 || (bodies->flags[lost->holder] & cn_bodyKinematic) == 0) {
        return;
    }
    cnVec3 spin = bodies->halfStepAngularVelocity[lost->holder];
    cnVec3 at = lost->hangs ? lost->carrier->to.position : bodies->centreOfMass[row];
    cnVec3 arm = cnSub(at, bodies->centreOfMass[lost->holder]);
    cnVec3 velocity = cnAdd(bodies->halfStepVelocity[lost->holder], cnCross(spin, arm));
    bodies->halfStepVelocity[row] = cnMulAdd(bodies->halfStepVelocity[row], sign, velocity);
    spin = lost->hangs ? cnVec3_zero : spin;
    cnBody_StoreAngularVelocity(bodies, row, cnMulAdd(bodies->halfStepAngularVelocity[row], sign, spin));
}

// Takes energy back from bodies that have more, else all of their motion.
static void TakeEnergy(const cnLostTime* lost, const int* rows, int count, double work) {
    cnBodyTable* bodies = lost->solve->bodies;
    if (!(work > 0.0)) {
        return;
    }
    double kinetic = 0.0;
    for (int i = 0; i < count; ++i) {
        ChangeFrame(lost, rows[i], -1.0);
        kinetic += cnBody_GetKineticEnergy(bodies, rows[i]);
    }
    double share = work < kinetic ? sqrt(1.0 - work / kinetic) : 0.0;
    for (int i = 0; i < count; ++i) {
        bodies->halfStepVelocity[rows[i]] = cnScale(share, bodies->halfStepVelocity[rows[i]]);
        bodies->halfStepAngularMomentum[rows[i]] = cnScale(share, bodies->halfStepAngularMomentum[rows[i]]);
        cnBody_UpdateAngularVelocity(bodies, rows[i]);
        ChangeFrame(lost, rows[i], 1.0);
    }
}

// ---- one body ---------------------------------------------------------------------------------------------

// A body's rotation as it was in its own axes, given in the world as `rotation` was.
static void KeepSpin(cnBodyTable* bodies, int row, cnQuat rotation, cnVec3 angularMomentum) {
    bodies->halfStepAngularMomentum[row] =
        cnRotate(bodies->rotation[row], cnInvRotate(rotation, angularMomentum));
    cnBody_UpdateAngularVelocity(bodies, row);
}

static double SpinEnergy(const cnBodyTable* bodies, int row) {
    return 0.5 * cnDot(bodies->halfStepAngularVelocity[row], bodies->halfStepAngularMomentum[row]);
}

static void TakeForcesBack(const cnLostTime* lost, int row) {
    cnBodyTable* bodies = lost->solve->bodies;
    double time = (1.0 - lost->stop) * lost->solve->h;
    cnInverseMass inverse;
    cnBody_GetInverseMass(bodies, row, time, &inverse);
    cnDampingResponse damping;
    cnForceResponse response;
    cnBody_GetForceResponse(bodies, row, time, &inverse, bodies->lastForce[row], cnVec3_zero, &damping,
                            &response);
    bodies->halfStepVelocity[row] = cnSub(bodies->halfStepVelocity[row], response.linear);
    bodies->halfStepAngularMomentum[row] =
        cnMulAdd(bodies->halfStepAngularMomentum[row], -time, bodies->lastTorque[row]);
}

void cnLostTime_StopBody(const cnLostTime* lost, int row, cnPose pose) {
    cnBodyTable* bodies = lost->solve->bodies;
    cnQuat end = bodies->rotation[row];
    double work = PlaceBody(lost, row, pose);
    bodies->flags[row] |= cn_bodyStruck;
    if (lost->isFree) {
        TakeForcesBack(lost, row);
    }

    // a free body keeps its angular momentum, unless the interpolated pose would give it energy
    cnVec3 momentum = bodies->halfStepAngularMomentum[row];
    cnQuat placed = bodies->rotation[row];
    bodies->rotation[row] = end;
    cnBody_UpdateAngularVelocity(bodies, row);
    double energy = SpinEnergy(bodies, row);
    bodies->rotation[row] = placed;
    cnBody_UpdateAngularVelocity(bodies, row);
    if (!lost->isFree || SpinEnergy(bodies, row) > (1.0 + CN_ENERGY_TOLERANCE) * energy) {
        KeepSpin(bodies, row, end, momentum);
    }
    TakeEnergy(lost, &row, 1, work);
}

// ---- a linkage --------------------------------------------------------------------------------------------

// Velocities of the time of the stop.
static void InterpolateVelocities(const cnLostTime* lost, const cnLinkageMember* member, int row,
                                  cnQuat end) {
    cnBodyTable* bodies = lost->solve->bodies;
    cnVec3 velocity = cnAdd(cnScale(1.0 - lost->stop, member->velocity),
                            cnScale(lost->stop, bodies->halfStepVelocity[row]));
    cnVec3 spin = cnAdd(cnScale(1.0 - lost->stop, member->spin),
                        cnScale(lost->stop, cnInvRotate(end, bodies->halfStepAngularVelocity[row])));
    bodies->halfStepVelocity[row] = velocity;
    cnBody_StoreAngularVelocity(bodies, row, cnRotate(bodies->rotation[row], spin));
}

// Gaps, coordinates and speeds to read, and rates: those of the last sub-step belong to poses that
// were never reached.
static void RestartJoints(const cnLostTime* lost, const cnLinkages* linkages, const cnLinkage* linkage) {
    const cnSolve* solve = lost->solve;
    for (int i = linkage->firstJoint; i < linkage->firstJoint + linkage->jointCount; ++i) {
        int row = solve->joints[linkages->joints[i]].constraint;
        cnJoint_Measure(solve->constraints, solve->bodies, row, (lost->stop - 1.0) * solve->h);
        cnConstraint* joint = &solve->constraints->constraints[row];
        joint->lastStep = 0.0;
        joint->startsAtRest = !cnJoint_IsSpring(joint);
    }
}

void cnLostTime_StopLinkage(const cnLostTime* lost, const cnLinkages* linkages, int number) {
    cnBodyTable* bodies = lost->solve->bodies;
    const cnLinkage* linkage = &linkages->linkages[number];
    const int* rows = linkages->rows + linkage->firstMember;
    double work = 0.0;
    for (int i = 0; i < linkage->memberCount; ++i) {
        const cnLinkageMember* member = &linkages->members[linkage->firstMember + i];
        int row = rows[i];
        if (!cnBody_IsSimulated(bodies, row)) {
            continue; // its state was not finite: it was put back already
        }
        cnQuat end = bodies->rotation[row];
        work += PlaceBody(lost, row, member->pose);
        bodies->flags[row] |= cn_bodyStruck;
        if (lost->isFree) {
            InterpolateVelocities(lost, member, row, end);
        } else {
            KeepSpin(bodies, row, end, bodies->halfStepAngularMomentum[row]);
        }
        if (lost->carrier != NULL && lost->isHolder) {
            bodies->halfStepVelocity[row] =
                cnRotate(cnCarriedRotation(lost->carrier), bodies->halfStepVelocity[row]);
        }
    }
    TakeEnergy(lost, rows, linkage->memberCount, work);
    RestartJoints(lost, linkages, linkage);
}
