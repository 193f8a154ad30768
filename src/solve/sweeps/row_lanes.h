// Rows of contact blocks: what they ask of the velocities of their bodies, and what they give.
//
// Rows at the points of a contact have one direction, its normal, so what is linear in them is done once a
// block: n · (v₁ − v₂) is followed as a number while impulses change it, and their sum moves the bodies at
// the end. What is left of a row are its moments (swept_bodies.h).
#pragma once

#include "solve/sweeps/contact_blocks.h"

// What an impulse along a direction does to the linear velocities of a block's bodies, and with it to their
// difference along the direction.
typedef struct cnLinearRow {
    cnVecF4 direction, response1, response2;
} cnLinearRow;

static inline cnLinearRow cnMakeLinearRow(const cnContactBlock* block, const cnAnisotropicMass* anisotropic,
                                          cnVecF4 direction) {
    cnLinearRow row = {.direction = direction};
    if (anisotropic == NULL) {
        row.response1 = cnScaleVecF4(cnLoad4(block->inverseMass1), direction);
        row.response2 = cnScaleVecF4(cnLoad4(block->inverseMass2), direction);
    } else {
        cnF4 matrix[6];
        cnLoadSymmetricF4(matrix, anisotropic->inverseMass1);
        row.response1 = cnMulSymmetricF4(matrix, direction);
        cnLoadSymmetricF4(matrix, anisotropic->inverseMass2);
        row.response2 = cnMulSymmetricF4(matrix, direction);
    }
    return row;
}

// 1/kg: of two points in the bodies' centres of mass.
static inline cnF4 cnLinearRow_GetMobility(const cnLinearRow* row, cnVecF4 direction) {
    return cnDotF4(direction, cnAddVecF4(row->response1, row->response2));
}

static inline cnF4 cnLinearRow_GetSpeed(const cnLinearRow* row, const cnMotionF4* v1, const cnMotionF4* v2) {
    return cnDotF4(row->direction, cnSubVecF4(v1->linear, v2->linear));
}

static inline void cnLinearRow_Apply(const cnLinearRow* row, cnF4 impulse, cnMotionF4* v1, cnMotionF4* v2) {
    v1->linear = cnMulAddVecF4(v1->linear, impulse, row->response1);
    v2->linear = cnMulSubVecF4(v2->linear, impulse, row->response2);
}

// The moments of a row.
typedef struct cnMoments {
    cnVecF4 of1, of2;
} cnMoments;

static inline cnMoments cnMoments_OfPoint(const cnPointLanes* point) {
    return (cnMoments){cnLoadVecF4(point->moment1), cnLoadVecF4(point->moment2)};
}

static inline cnMoments cnMoments_Load(const cnMomentLanes* lanes) {
    return (cnMoments){cnLoadVecF4(lanes->of1), cnLoadVecF4(lanes->of2)};
}

// 1/kg, or 1/(kg m²).
static inline cnF4 cnMoments_GetMobility(const cnMoments* moments) {
    return cnAdd4(cnDotF4(moments->of1, moments->of1), cnDotF4(moments->of2, moments->of2));
}

static inline cnF4 cnMoments_GetSpeed(const cnMoments* moments, const cnMotionF4* v1, const cnMotionF4* v2) {
    return cnSub4(cnDotF4(moments->of1, v1->angular), cnDotF4(moments->of2, v2->angular));
}

static inline void cnMoments_Apply(const cnMoments* moments, cnF4 impulse, cnMotionF4* v1, cnMotionF4* v2) {
    v1->angular = cnMulAddVecF4(v1->angular, impulse, moments->of1);
    v2->angular = cnMulSubVecF4(v2->angular, impulse, moments->of2);
}

// Null for a block of isotropic bodies.
static inline const cnAnisotropicMass* cnContactBlocks_GetAnisotropic(const cnContactBlocks* blocks,
                                                                      int block) {
    return blocks->anisotropic != NULL ? &blocks->anisotropic[block] : NULL;
}

// The row of a block's normal.
static inline cnLinearRow cnContactBlock_GetNormalRow(const cnContactBlock* block,
                                                      const cnAnisotropicMass* anisotropic) {
    return cnMakeLinearRow(block, anisotropic, cnLoadVecF4(block->normal));
}
