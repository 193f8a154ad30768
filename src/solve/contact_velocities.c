// Velocities of contacts, at the poses that bodies have now.
#include "solve/contact_rows.h"

double cnPair_GetNormalSpeed(const cnPair* pair, const cnBodyTable* bodies, int point) {
    cnVec3 arm1 = cnPair_GetArm1(pair, point), arm2 = cnPair_GetArm2(pair, point);
    return cnDot(cnToD(pair->manifold.normal),
                 cnRelativeVelocity(bodies, pair->body1, pair->body2, arm1, arm2));
}

double cnPair_GetApproach(const cnPair* pair, const cnSolve* solve, int point) {
    return cnPair_GetNormalSpeed(pair, solve->bodies, point) + cnPair_GetRollingSpeed(pair, solve->h);
}

cnPairReach cnPair_GetReach(const cnPair* pair) {
    cnPairReach reach = {0.0, 0.0};
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        reach.square1 = cnMax(reach.square1, cnLengthSquared(cnToD(pair->arm1[i])));
        reach.square2 = cnMax(reach.square2, cnLengthSquared(cnToD(pair->arm2[i])));
    }
    return reach;
}

// At least as much as any point of a body moves by, m/s.
static double FastestOf(const cnBodyTable* bodies, int row, double square) {
    if (row < 0) {
        return 0.0;
    }
    return cnLength(bodies->halfStepVelocity[row]) +
           sqrt(cnLengthSquared(bodies->halfStepAngularVelocity[row]) * square);
}

double cnPair_GetMostApproach(const cnPair* pair, const cnSolve* solve, cnPairReach reach) {
    return FastestOf(solve->bodies, pair->body1, reach.square1) +
           FastestOf(solve->bodies, pair->body2, reach.square2) +
           fabs(cnPair_GetRollingSpeed(pair, solve->h));
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
    if (rows->pointCount < CN_FACE_POINTS || (rows->pair->flags & cn_pairSlides) != 0) {
        return cnVec3_zero; // what rolls or slides touches elsewhere then
    }
    cnVec3 n = rows->normal;
    return cnScale(0.5 * h, cnSub(TurningOf(bodies, rows->pair->body1, rows->centreArm1, n),
                                  TurningOf(bodies, rows->pair->body2, rows->centreArm2, n)));
}

cnVec3 cnContactRows_GetSlip(const cnContactRows* rows, const cnBodyTable* bodies) {
    return cnRelativeVelocity(bodies, rows->pair->body1, rows->pair->body2, rows->centreArm1,
                              rows->centreArm2);
}

cnVec3 cnContactRows_GetRoll(const cnContactRows* rows, const cnBodyTable* bodies) {
    int row1 = rows->pair->body1, row2 = rows->pair->body2;
    cnVec3 spin1 = row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero;
    cnVec3 spin2 = row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero;
    return cnSub(spin1, spin2);
}

double cnContactRows_GetSpin(const cnContactRows* rows, const cnBodyTable* bodies) {
    return cnDot(rows->normal, cnContactRows_GetRoll(rows, bodies));
}
