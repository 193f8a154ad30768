// Rows of contact blocks: what they do to the velocities of their bodies.
#pragma once

#include "solve/sweeps/contact_blocks.h"

// Inverse masses of a block's bodies, and what an impulse along a direction does to their velocities.
typedef struct cnBlockMass {
    cnF4 mass1, mass2;
    cnF4 matrix1[6], matrix2[6];
    cnF4 inertia1[6], inertia2[6];
    bool anisotropic;
} cnBlockMass;

static inline cnBlockMass cnLoadBlockMass(const cnContactBlock* block, const cnAnisotropicMass* anisotropic) {
    cnBlockMass mass;
    mass.mass1 = cnLoad4(block->inverseMass1);
    mass.mass2 = cnLoad4(block->inverseMass2);
    cnLoadSymmetricF4(mass.inertia1, block->inverseInertia1);
    cnLoadSymmetricF4(mass.inertia2, block->inverseInertia2);
    mass.anisotropic = anisotropic != NULL;
    if (mass.anisotropic) {
        cnLoadSymmetricF4(mass.matrix1, anisotropic->inverseMass1);
        cnLoadSymmetricF4(mass.matrix2, anisotropic->inverseMass2);
    }
    return mass;
}

static inline cnVecF4 cnBlockMass_Respond1(const cnBlockMass* mass, cnVecF4 direction) {
    return mass->anisotropic ? cnMulSymmetricF4(mass->matrix1, direction)
                             : cnScaleVecF4(mass->mass1, direction);
}

static inline cnVecF4 cnBlockMass_Respond2(const cnBlockMass* mass, cnVecF4 direction) {
    return mass->anisotropic ? cnMulSymmetricF4(mass->matrix2, direction)
                             : cnScaleVecF4(mass->mass2, direction);
}

// A row of a block: ±direction and the arms' moments, with the responses of both bodies.
typedef struct cnRow4 {
    cnVecF4 direction, moment1, moment2;
    cnVecF4 linear1, linear2; // responses to the direction
} cnRow4;

static inline cnF4 cnRow4_GetVelocity(const cnRow4* row, const cnMotionF4* v1, const cnMotionF4* v2) {
    cnVecF4 linear = {
        cnSub4(v1->linear.x, v2->linear.x),
        cnSub4(v1->linear.y, v2->linear.y),
        cnSub4(v1->linear.z, v2->linear.z),
    };
    cnF4 angular = cnSub4(cnDotF4(row->moment1, v1->angular), cnDotF4(row->moment2, v2->angular));
    return cnAdd4(cnDotF4(row->direction, linear), angular);
}

static inline void cnRow4_Apply(const cnRow4* row, const cnBlockMass* mass, cnF4 impulse, cnMotionF4* v1,
                                cnMotionF4* v2) {
    v1->linear = cnMulAddVecF4(v1->linear, impulse, row->linear1);
    v2->linear = cnMulSubVecF4(v2->linear, impulse, row->linear2);
    v1->angular = cnMulAddVecF4(v1->angular, impulse, cnMulSymmetricF4(mass->inertia1, row->moment1));
    v2->angular = cnMulSubVecF4(v2->angular, impulse, cnMulSymmetricF4(mass->inertia2, row->moment2));
}

static inline cnRow4 cnRow4_OfPoint(const cnPointLanes* point, cnVecF4 normal, cnVecF4 linear1,
                                    cnVecF4 linear2) {
    cnVecF4 moment1 = cnCrossF4(cnLoadVecF4(point->arm1), normal);
    cnVecF4 moment2 = cnCrossF4(cnLoadVecF4(point->arm2), normal);
    return (cnRow4){normal, moment1, moment2, linear1, linear2};
}
