// A linear and an angular vector side by side, in three lanes of two: a velocity, an impulse, a row of a
// Jacobian.
//
// Sums are taken lane by lane, in one order that every build has.
#pragma once

#include "base/simd.h"
#include "cairn/math.h"

typedef struct cnVec6 {
    double n[6];
} cnVec6;

static inline cnVec6 cnVec6_Of(cnVec3 linear, cnVec3 angular) {
    return (cnVec6){{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}};
}

static inline cnVec3 cnVec6_GetLinear(const cnVec6* a) {
    return cnVec(a->n[0], a->n[1], a->n[2]);
}

static inline cnVec3 cnVec6_GetAngular(const cnVec6* a) {
    return cnVec(a->n[3], a->n[4], a->n[5]);
}

// a·b + c·d
static inline double cnVec6_DotTwo(const cnVec6* a, const cnVec6* b, const cnVec6* c, const cnVec6* d) {
    const cnD2 first = cnMulAddD(cnMulD(cnLoadD(a->n), cnLoadD(b->n)), cnLoadD(a->n + 2), cnLoadD(b->n + 2));
    const cnD2 second = cnMulAddD(cnMulD(cnLoadD(a->n + 4), cnLoadD(b->n + 4)), cnLoadD(c->n), cnLoadD(d->n));
    const cnD2 third =
        cnMulAddD(cnMulD(cnLoadD(c->n + 2), cnLoadD(d->n + 2)), cnLoadD(c->n + 4), cnLoadD(d->n + 4));
    return cnSumD(cnAddD(cnAddD(first, second), third));
}

static inline double cnVec6_Dot(const cnVec6* a, const cnVec6* b) {
    const cnD2 first = cnMulAddD(cnMulD(cnLoadD(a->n), cnLoadD(b->n)), cnLoadD(a->n + 2), cnLoadD(b->n + 2));
    return cnSumD(cnMulAddD(first, cnLoadD(a->n + 4), cnLoadD(b->n + 4)));
}

// a += s b
static inline void cnVec6_AddScaled(cnVec6* a, double s, const cnVec6* b) {
    const cnD2 factor = cnSplatD(s);
    for (int i = 0; i < 6; i += 2) {
        cnStoreD(a->n + i, cnMulAddD(cnLoadD(a->n + i), factor, cnLoadD(b->n + i)));
    }
}

static inline cnVec6 cnVec6_Sub(const cnVec6* a, const cnVec6* b) {
    cnVec6 difference;
    for (int i = 0; i < 6; i += 2) {
        cnStoreD(difference.n + i, cnSubD(cnLoadD(a->n + i), cnLoadD(b->n + i)));
    }
    return difference;
}
