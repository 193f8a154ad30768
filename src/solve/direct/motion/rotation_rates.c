#include "solve/direct/motion/rotation_rates.h"

#include "base/report/assert.h"

// What bodies may rotate by in a sub-step where the work does not suffice, rad: beyond that they are slowed.
#define CN_MAX_ROTATION 0.6
// An angle that rows depend on goes on by at most this much, rad: the nearest one to the last is meant.
#define CN_ANGLE_CHANGE 2.0
// 1/m: of sliding, so that its gap is that of an arm of half a metre.
#define CN_SLIDING_RATE 2.0
// Angles are followed from sub-step to sub-step where they change by more than this in a step, rad.
#define CN_FOLLOWED_CHANGE 0.5

static void ReadVelocities(const cnDirectIsland* island, double* velocities) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        cnPutVec(velocities + 6 * i, bodies->halfStepVelocity[row]);
        cnPutVec(velocities + 6 * i + 3, bodies->halfStepAngularVelocity[row]);
    }
}

// The square of what a body's own rotation asks for. Of a rotor it is how fast its axis would run round its
// angular momentum, which what holds the axis has to follow.
static double BodyRate(const cnDirectIsland* island, int i, cnVec3 spin) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    if (!body->axisHeld) {
        return body->hasArm || body->hasAngularRows ? cnLengthSquared(spin) : 0.0;
    }
    if (!body->isRotor) {
        return 0.0;
    }
    const cnBodyTable* bodies = island->solve->bodies;
    cnVec3 moments = bodies->principalInertia[body->row];
    double along = cnDot(spin, cnRotate(bodies->rotation[body->row], body->rotationModel.axis));
    double nutation = along * moments.z / (moments.x + body->holder);
    return nutation * nutation;
}

// Velocity of a node's attachment on one side, and where that is.
static cnVec3 AttachmentVelocity(const cnDirectIsland* island, const cnDirectNode* node, int side,
                                 const double* velocities, cnVec3* point) {
    CN_ASSERT(side == 0 || side == 1);
    const cnBodyTable* bodies = island->solve->bodies;
    int place = side == 0 ? node->place1 : node->place2, row = node->joint.sides[side];
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    if (row < 0) {
        *point = (side == 0 ? &joint->frame1 : &joint->frame2)->point;
        return cnVec3_zero;
    }
    cnVec3 arm = cnRotate(bodies->rotation[row], side == 0 ? node->joint.local1 : node->joint.local2);
    *point = cnAdd(bodies->centreOfMass[row], arm);
    if (place < 0) {
        return cnVec3_zero;
    }
    const double* v = velocities + 6 * node->block.bodies[place];
    return cnAdd(cnGetVec(v), cnCross(cnGetVec(v + 3), arm));
}

bool cnDirect_Slides(const cnConstraint* joint) {
    return cnJoint_Slides(joint);
}

// The square of how fast rows of a joint whose attachments slide go round. Where these slid apart by more
// than a metre the rows hold at so long an arm, where the gap that a rotation across the axis (of planar
// joints any) opens grows with it, and it counts as if it were faster, by the root of the length. Where they
// slide along axes that rotate it is Coriolis' acceleration that opens the gap.
static double SlidRate(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    cnVec3 point1, point2;
    cnVec3 velocity1 = AttachmentVelocity(island, node, 0, velocities, &point1);
    cnVec3 velocity2 = AttachmentVelocity(island, node, 1, velocities, &point2);
    double apart = cnLength(cnSub(point1, point2)), slide = cnLength(cnSub(velocity1, velocity2));
    double fastest = 0.0; // squared
    cnVec3 axis = cnRotate(joint->frame1.axes, cnVec(0.0, 0.0, 1.0));
    axis = node->joint.sides[0] >= 0 ? cnRotate(island->solve->bodies->rotation[node->joint.sides[0]], axis)
                                     : axis;
    for (int i = 0; i < node->block.bodyCount; ++i) {
        cnVec3 spin = cnGetVec(velocities + 6 * node->block.bodies[i] + 3);
        cnVec3 counted = (cnJoint_KindOf(joint)->held & cn_alongU) == 0 ? spin : cnCross(axis, spin);
        double square = cnLengthSquared(counted);
        fastest = cnMax(fastest, apart > 1.0 ? apart * square : 0.0);
        fastest = cnMax(fastest, CN_SLIDING_RATE * slide * sqrt(square));
    }
    return fastest;
}

// rad/s, no less than how fast the angles of a node change.
static double AngleRate(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    cnVec3 spins[2] = {cnVec3_zero, cnVec3_zero};
    for (int side = 0; side < 2; ++side) {
        if (node->joint.places[side] >= 0) {
            spins[side] = cnGetVec(velocities + 6 * node->block.bodies[node->joint.places[side]] + 3);
        } else if (node->joint.sides[side] >= 0) {
            spins[side] = island->solve->bodies->halfStepAngularVelocity[node->joint.sides[side]];
        }
    }
    return cnLength(cnSub(spins[0], spins[1]));
}

// The square of how fast a node's directions go round: the anchors of rotors, the line of a distance, what
// slid apart, and angles.
static double NodeRate(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    double fastest = 0.0;
    const int places[2] = {node->place1, node->place2};
    const double lengths[2] = {node->joint.length1, node->joint.length2};
    for (int side = 0; side < 2 && cnDirect_Has(island, cn_islandHasRotors); ++side) {
        const cnDirectBody* body =
            places[side] >= 0 ? &island->bodies[node->block.bodies[places[side]]] : NULL;
        if (body != NULL && body->axisHeld && lengths[side] > 0.0) {
            cnVec3 arm = side == 0 ? node->joint.local1 : node->joint.local2;
            cnVec3 spin = cnGetVec(velocities + 6 * node->block.bodies[places[side]] + 3);
            cnVec3 around = cnCross(cnInvRotate(island->solve->bodies->rotation[body->row], spin), arm);
            fastest = cnMax(fastest, cnLengthSquared(around) / (lengths[side] * lengths[side]));
        }
    }
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    if (cnDirect_Slides(joint) && node->kind != cn_nodeSecondary) {
        fastest = cnMax(fastest, SlidRate(island, node, velocities));
    }
    if (cnJoint_IsDistance(joint)) {
        cnVec3 point1, point2;
        cnVec3 velocity1 = AttachmentVelocity(island, node, 0, velocities, &point1);
        cnVec3 velocity2 = AttachmentVelocity(island, node, 1, velocities, &point2);
        cnVec3 line = cnSub(point1, point2);
        double square = cnLengthSquared(line), min = 1e-4 * joint->length * joint->length;
        double around = cnLengthSquared(cnCross(line, cnSub(velocity1, velocity2)));
        fastest = square > min ? cnMax(fastest, around / (square * square)) : fastest;
    }
    if (node->joint.usesAngles) {
        double rate = CN_SUBSTEP_ROTATION / CN_ANGLE_CHANGE * AngleRate(island, node, velocities);
        fastest = cnMax(fastest, rate * rate);
    }
    return fastest;
}

double cnDirect_RotationRate(const cnDirectIsland* island, const double* velocities) {
    double fastest = 0.0; // squared
    for (int i = 0; i < island->bodyCount; ++i) {
        fastest = cnMax(fastest, BodyRate(island, i, cnGetVec(velocities + 6 * i + 3)));
    }
    for (int n = 0; n < island->nodeCount &&
                    (cnDirect_Has(island, cn_islandHasRotors) || cnDirect_Has(island, cn_islandHasLines));
         ++n) {
        if (cnNode_IsJoint(&island->nodes[n])) {
            fastest = cnMax(fastest, NodeRate(island, &island->nodes[n], velocities));
        }
    }
    return sqrt(fastest);
}

double cnDirect_CurrentRotationRate(const cnDirectIsland* island) {
    ReadVelocities(island, island->start);
    return cnDirect_RotationRate(island, island->start);
}

void cnDirect_FollowAngles(cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    const cnJointView view = {bodies, island->trialCentres, island->trialRotations};
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        bool isFast =
            cnNode_IsJoint(node) && node->joint.hasAngles &&
            island->solve->h * AngleRate(island, node, island->system.solution) > CN_FOLLOWED_CHANGE;
        if (!isFast) {
            continue;
        }
        for (int side = 0; side < 2; ++side) { // what is not dynamic is there already
            if (node->joint.places[side] >= 0) {
                int row = node->joint.sides[side];
                island->trialCentres[row] = bodies->centreOfMass[row];
                island->trialRotations[row] = bodies->rotation[row];
            }
        }
        cnJoint_FollowAngles(&island->solve->constraints->constraints[node->source], &view,
                             island->substep.h);
    }
}

bool cnDirect_IsHeld(const cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (cnNode_IsJoint(node) && (node->joint.places[0] < 0 || node->joint.places[1] < 0)) {
            return true;
        }
    }
    return false;
}

double cnDirect_LimitRotations(cnDirectIsland* island, double rate, double h) {
    CN_ASSERT(h > 0.0);
    cnBodyTable* bodies = island->solve->bodies;
    if (!(h * rate > CN_MAX_ROTATION)) {
        return rate;
    }
    double share = CN_MAX_ROTATION / (h * rate), mass = 0.0;
    cnVec3 momentum = cnVec3_zero;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        mass += bodies->mass[row];
        momentum = cnMulAdd(momentum, bodies->mass[row], bodies->halfStepVelocity[row]);
    }
    CN_ASSERT(mass > 0.0);
    cnVec3 common = cnDirect_IsHeld(island) ? cnVec3_zero : cnScale(1.0 / mass, momentum);
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        bodies->halfStepVelocity[row] = cnMulAdd(common, share, cnSub(bodies->halfStepVelocity[row], common));
        cnBody_StoreAngularVelocity(bodies, row, cnScale(share, bodies->halfStepAngularVelocity[row]));
        bodies->filteredSpin[row] = cnScale(share, bodies->filteredSpin[row]);
        bodies->smoothSteps[row] = 0;
    }
    return CN_MAX_ROTATION / h;
}
