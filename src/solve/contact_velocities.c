// Velocities of contacts, at the poses that bodies have now.
#include "solve/contact_rows.h"

double cnContactRows_GetNormalSpeed(const cnContactRows* rows, const cnBodyTable* bodies, int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    cnVec3 arm1 = cnContactRows_GetArm1(rows, point), arm2 = cnContactRows_GetArm2(rows, point);
    return cnDot(rows->normal, cnRelativeVelocity(bodies, rows->of.body1, rows->of.body2, arm1, arm2));
}

double cnContactRows_GetApproach(const cnContactRows* rows, const cnSolve* solve, int point) {
    return cnContactRows_GetNormalSpeed(rows, solve->bodies, point) + rows->of.curvature * solve->h;
}

// Towards the axis through the centre of mass along the normal.
static cnVec3 TurningOf(const cnBodyTable* bodies, int row, cnVec3 arm, cnVec3 n) {
    if (row < 0) {
        return cnVec3_zero;
    }
    double spin = cnDot(n, bodies->halfStepAngularVelocity[row]);
    return cnScale(-spin * spin, cnMulAdd(arm, -cnDot(arm, n), n));
}

cnVec3 cnContactRows_GetTurning(const cnContactRows* rows, const cnBodyTable* bodies, double h) {
    if (rows->pointCount < CN_FACE_POINTS || (rows->of.flags & cn_pairSlides) != 0) {
        return cnVec3_zero; // what rolls or slides touches elsewhere then
    }
    cnVec3 n = rows->normal;
    return cnScale(0.5 * h, cnSub(TurningOf(bodies, rows->of.body1, rows->centreArm1, n),
                                  TurningOf(bodies, rows->of.body2, rows->centreArm2, n)));
}

cnVec3 cnContactRows_GetSlip(const cnContactRows* rows, const cnBodyTable* bodies) {
    return cnRelativeVelocity(bodies, rows->of.body1, rows->of.body2, rows->centreArm1, rows->centreArm2);
}

cnVec3 cnContactRows_GetRoll(const cnContactRows* rows, const cnBodyTable* bodies) {
    int row1 = rows->of.body1, row2 = rows->of.body2;
    cnVec3 spin1 = row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero;
    cnVec3 spin2 = row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero;
    return cnSub(spin1, spin2);
}

double cnContactRows_GetSpin(const cnContactRows* rows, const cnBodyTable* bodies) {
    return cnDot(rows->normal, cnContactRows_GetRoll(rows, bodies));
}
