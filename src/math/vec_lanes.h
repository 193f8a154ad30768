// Vectors and rotations of two bodies, or of two of anything, side by side in the lanes of cnD2.
//
// Each function does in every lane what its namesake in cairn/math.h does, in the same order: what comes out
// for one does not depend on what lies beside it.
#pragma once

#include "base/simd.h"
#include "cairn/math.h"

typedef struct cnVecD {
    cnD2 x, y, z;
} cnVecD;

typedef struct cnQuatD {
    cnD2 x, y, z, w;
} cnQuatD;

static inline cnVecD cnLoadVecD(const double* a, const double* b) {
    const cnD2 a1 = cnLoadD(a), a2 = cnLoadD(a + 1), b1 = cnLoadD(b), b2 = cnLoadD(b + 1);
    return (cnVecD){cnLowD(a1, b1), cnHighD(a1, b1), cnHighD(a2, b2)};
}

static inline cnQuatD cnLoadQuatD(const cnQuat* a, const cnQuat* b) {
    const cnD2 a1 = cnLoadD(&a->x), a2 = cnLoadD(&a->z), b1 = cnLoadD(&b->x), b2 = cnLoadD(&b->z);
    return (cnQuatD){cnLowD(a1, b1), cnHighD(a1, b1), cnLowD(a2, b2), cnHighD(a2, b2)};
}

static inline void cnStoreVecD(cnVecD v, double* a, double* b) {
    cnStoreD(a, cnLowD(v.x, v.y));
    cnStoreD(b, cnHighD(v.x, v.y));
    a[2] = cnFirstD(v.z);
    b[2] = cnFirstD(cnHighD(v.z, v.z));
}

static inline void cnStoreQuatD(cnQuatD q, cnQuat* a, cnQuat* b) {
    cnStoreD(&a->x, cnLowD(q.x, q.y));
    cnStoreD(&b->x, cnHighD(q.x, q.y));
    cnStoreD(&a->z, cnLowD(q.z, q.w));
    cnStoreD(&b->z, cnHighD(q.z, q.w));
}

static inline cnVecD cnAddVecD(cnVecD a, cnVecD b) {
    return (cnVecD){cnAddD(a.x, b.x), cnAddD(a.y, b.y), cnAddD(a.z, b.z)};
}

static inline cnVecD cnSubVecD(cnVecD a, cnVecD b) {
    return (cnVecD){cnSubD(a.x, b.x), cnSubD(a.y, b.y), cnSubD(a.z, b.z)};
}

static inline cnVecD cnScaleD(cnD2 s, cnVecD a) {
    return (cnVecD){cnMulD(s, a.x), cnMulD(s, a.y), cnMulD(s, a.z)};
}

// a + s b
static inline cnVecD cnMulAddVecD(cnVecD a, cnD2 s, cnVecD b) {
    return (cnVecD){cnMulAddD(a.x, s, b.x), cnMulAddD(a.y, s, b.y), cnMulAddD(a.z, s, b.z)};
}

static inline cnD2 cnDotD(cnVecD a, cnVecD b) {
    return cnMulAddD(cnMulAddD(cnMulD(a.x, b.x), a.y, b.y), a.z, b.z);
}

static inline cnVecD cnCrossD(cnVecD a, cnVecD b) {
    return (cnVecD){cnMulSubD(cnMulD(a.y, b.z), a.z, b.y), cnMulSubD(cnMulD(a.z, b.x), a.x, b.z),
                    cnMulSubD(cnMulD(a.x, b.y), a.y, b.x)};
}

static inline cnQuatD cnConjugateD(cnQuatD q) {
    const cnD2 zero = cnSplatD(0.0);
    return (cnQuatD){cnSubD(zero, q.x), cnSubD(zero, q.y), cnSubD(zero, q.z), q.w};
}

static inline cnVecD cnRotateD(cnQuatD q, cnVecD v) {
    const cnVecD u = {q.x, q.y, q.z};
    const cnVecD t = cnScaleD(cnSplatD(2.0), cnCrossD(u, v));
    return cnAddVecD(cnMulAddVecD(v, q.w, t), cnCrossD(u, t));
}

// Columns of the matrix of a rotation.
static inline void cnColumnsD(cnQuatD q, cnVecD columns[3]) {
    const cnD2 one = cnSplatD(1.0), two = cnSplatD(2.0);
    const cnD2 xx = cnMulD(q.x, q.x), yy = cnMulD(q.y, q.y), zz = cnMulD(q.z, q.z);
    const cnD2 xy = cnMulD(q.x, q.y), xz = cnMulD(q.x, q.z), yz = cnMulD(q.y, q.z);
    const cnD2 wx = cnMulD(q.w, q.x), wy = cnMulD(q.w, q.y), wz = cnMulD(q.w, q.z);
    columns[0] = (cnVecD){cnMulSubD(one, two, cnAddD(yy, zz)), cnMulD(two, cnAddD(xy, wz)),
                          cnMulD(two, cnSubD(xz, wy))};
    columns[1] = (cnVecD){cnMulD(two, cnSubD(xy, wz)), cnMulSubD(one, two, cnAddD(xx, zz)),
                          cnMulD(two, cnAddD(yz, wx))};
    columns[2] = (cnVecD){cnMulD(two, cnAddD(xz, wy)), cnMulD(two, cnSubD(yz, wx)),
                          cnMulSubD(one, two, cnAddD(xx, yy))};
}

static inline cnQuatD cnMulQuatD(cnQuatD a, cnQuatD b) {
    const cnD2 x = cnMulAddD(cnMulAddD(cnMulD(a.w, b.x), a.x, b.w), a.y, b.z);
    const cnD2 y = cnMulAddD(cnMulSubD(cnMulD(a.w, b.y), a.x, b.z), a.y, b.w);
    const cnD2 z = cnMulSubD(cnMulAddD(cnMulD(a.w, b.z), a.x, b.y), a.y, b.x);
    const cnD2 w = cnMulSubD(cnMulSubD(cnMulD(a.w, b.w), a.x, b.x), a.y, b.y);
    return (cnQuatD){cnMulSubD(x, a.z, b.y), cnMulAddD(y, a.z, b.x), cnMulAddD(z, a.z, b.w),
                     cnMulSubD(w, a.z, b.z)};
}

// exp(v/2) of small v; `quarter` is |v|²/4, below CN_SERIES_LIMIT (small_rotation.h).
static inline cnQuatD cnSmallRotationD(cnVecD v, cnD2 quarter) {
    static const double sines[5] = {1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0};
    static const double cosines[6] = {-1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0};
    cnD2 sine = cnSplatD(sines[0]), cosine = cnSplatD(cosines[0]);
    for (int i = 1; i < 5; ++i) {
        sine = cnMulAddD(cnSplatD(sines[i]), quarter, sine);
    }
    for (int i = 1; i < 6; ++i) {
        cosine = cnMulAddD(cnSplatD(cosines[i]), quarter, cosine);
    }
    const cnVecD part = cnScaleD(cnMulD(cnSplatD(0.5), sine), v);
    return (cnQuatD){part.x, part.y, part.z, cosine};
}
