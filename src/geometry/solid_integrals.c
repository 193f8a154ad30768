#include "geometry/solid_integrals.h"

// ∫1, ∫x and ∫x xᵀ over the tetrahedra (0, a, b, c): det/6, det (a+b+c)/24, det (Σ v vᵀ + s sᵀ)/120 with
// s = a+b+c (the simplex formula of Lasserre & Avrachenkov 2001 for degree two)
void cnSolidIntegrals_Add(cnSolidIntegrals* sums, cnVec3 a, cnVec3 b, cnVec3 c) {
    double det = cnDot(a, cnCross(b, c));
    cnVec3 s = cnAdd(a, cnAdd(b, c));
    sums->sixVolume += det;
    sums->first = cnMulAdd(sums->first, det, s);
    sums->xx += det * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
    sums->yy += det * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
    sums->zz += det * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
    sums->xy += det * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
    sums->yz += det * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
    sums->zx += det * (a.z * a.x + b.z * b.x + c.z * c.x + s.z * s.x);
}

void cnSolidIntegrals_Finish(const cnSolidIntegrals* sums, double* volume, cnVec3* centre, cnMat33* inertia) {
    // to the centroid (parallel axes)
    double v = sums->sixVolume / 6.0;
    cnVec3 c = cnScale(1.0 / (4.0 * sums->sixVolume), sums->first);
    double xx = sums->xx / 120.0 - v * c.x * c.x;
    double yy = sums->yy / 120.0 - v * c.y * c.y;
    double zz = sums->zz / 120.0 - v * c.z * c.z;
    double xy = sums->xy / 120.0 - v * c.x * c.y;
    double yz = sums->yz / 120.0 - v * c.y * c.z;
    double zx = sums->zx / 120.0 - v * c.z * c.x;
    *volume = v;
    *centre = c;
    *inertia = (cnMat33){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
}
