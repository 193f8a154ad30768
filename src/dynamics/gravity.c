#include "dynamics/gravity.h"

cnVec3 cnGravityAt(const cnGravity* gravity, cnVec3 point) {
    if (gravity->type == cn_gravityUniform) {
        return gravity->acceleration;
    }
    cnVec3 toCentre = cnSub(gravity->centre, point);
    double distance = cnLength(toCentre);
    if (!(distance > 0.0)) {
        return cnVec3_zero;
    }
    if (gravity->type == cn_gravityPoint) {
        return cnScale(gravity->magnitude / distance, toCentre);
    }
    return cnScale(gravity->mu / (distance * distance * distance), toCentre);
}

double cnGravityPotential(const cnGravity* gravity, cnVec3 point) {
    if (gravity->type == cn_gravityUniform) {
        return -cnDot(gravity->acceleration, point);
    }
    double distance = cnLength(cnSub(gravity->centre, point));
    if (gravity->type == cn_gravityPoint) {
        return gravity->magnitude * distance;
    }
    return distance > 0.0 ? -gravity->mu / distance : 0.0;
}

cnVec3 cnGravityOn(const cnGravity* gravity, const cnBodyTable* bodies, int row) {
    return cnScale(bodies->gravityScale[row], cnGravityAt(gravity, bodies->centreOfMass[row]));
}

cnVec3 cnGravityTorqueOn(const cnGravity* gravity, const cnBodyTable* bodies, int row) {
    if (cnIsZeroVec(bodies->weightMoment[row])) {
        return cnVec3_zero;
    }
    cnVec3 moment = cnRotate(bodies->rotation[row], bodies->weightMoment[row]);
    return cnCross(moment, cnGravityAt(gravity, bodies->centreOfMass[row]));
}
