#include "solve/contact_rows.h"

double cnContactRows_GetInverseEffectiveMass(const cnContactRows* rows, const cnSolve* solve,
                                             const cnSolverContact* contact, int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    const cnInverseMass* inverse = solve->solver.inverse;
    cnVec3 arm1 = cnContactRows_GetArm1(rows, point), arm2 = cnContactRows_GetArm2(rows, point);
    double inverseMass =
        cnInverseEffectiveMass(&inverse[contact->body1], &inverse[contact->body2], rows->normal,
                               cnCross(arm1, rows->normal), cnCross(arm2, rows->normal));
    CN_ASSERT(!(inverseMass <= 0.0)); // it may be NaN where numbers overflow
    return inverseMass;
}

double cnContactRows_GetStoredOverlap(const cnContactRows* rows, double impulse, double integralImpulse,
                                      double own, double substep) {
    double strain = cnContactRows_GetStrain(rows, impulse, substep);
    return cnMax(0.0, strain + own * substep * (impulse - CN_INTEGRAL_SHARE * integralImpulse));
}

bool cnContactRows_IsFast(const cnContactRows* rows, double inverseMass, double excess) {
    return excess > cnContactRows_GetOverlapOfSpeed(rows, inverseMass, CN_EXCESS_SPEED);
}

void cnContactRows_Limit(cnContactRows* rows, float limit) {
    cnContactRows_SetFlags(rows, cn_pairLimitedCorrection, true);
    rows->of.correctionLimit = rows->pair->correctionLimit = limit;
}

void cnContactRows_NoteExcess(cnContactRows* rows, bool large, bool isDeep, bool isFast) {
    if (isDeep) {
        cnContactRows_SetFlags(rows, cn_pairDeep, true);
    }
    if (isFast && cnContactRows_MayBeLimited(rows) && !cnContactRows_AreLoaded(rows, large)) {
        cnContactRows_Limit(rows, CN_PUSH_LIMIT);
    }
}

double cnContactRows_GetPush(cnContactRows* rows, bool large, int point, double inverseMass, double stored,
                             double bounce) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    if (rows->isFoundation) {
        return CN_ANY_PUSH;
    }
    double excess = rows->points[point].depth - 2.0 * stored;
    bool isDeep = excess > CN_DEEP_SHARE * rows->of.inradius;
    cnContactRows_NoteExcess(rows, large, isDeep, cnContactRows_IsFast(rows, inverseMass, excess));
    double limit = cnContactRows_GetCorrectionSpeed(rows);
    return cnContactRows_IsPushBound(rows, large) ? cnMin(bounce * stored, limit) : limit;
}
