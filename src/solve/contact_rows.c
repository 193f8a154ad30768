#include "solve/contact_rows.h"

// Energy that an overlap would give to the bodies were it stored, as the speed that it would make, m/s.
#define CN_EXCESS_SPEED 0.01

double cnContactRows_GetStoredOverlap(const cnContactRows* rows, int point, double impulse,
                                      double integralImpulse, double theta, double substep) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    double own = theta * rows->points[point].inverseEffectiveMass * substep;
    double strain = cnContactRows_GetStrain(rows, impulse, substep);
    return cnMax(0.0, strain + own * (impulse - CN_INTEGRAL_SHARE * integralImpulse));
}

void cnContactRows_LimitCorrection(const cnContactRows* rows, int point, double excess) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    cnPair* pair = rows->pair;
    if ((pair->flags & cn_pairLimitedCorrection) == 0 && !rows->isFoundation &&
        excess > cnContactRows_GetOverlapOfSpeed(rows, point, CN_EXCESS_SPEED)) {
        pair->flags |= cn_pairLimitedCorrection;
        pair->correctionLimit = CN_PUSH_LIMIT;
    }
}

// Of an overlap that the multiplier does not explain (`stored`, m) the rows see nothing while the position
// correction is limited: it is for cnSolve_CorrectPositions. Where that is more than what it explains, and
// could make a speed of CN_EXCESS_SPEED, it limits the position correction. Of loaded rows an impact alone
// limits it, to a speed.
double cnContactRows_GetPush(const cnContactRows* rows, bool large, int point, double stored, double bounce) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    if (rows->isFoundation) {
        return CN_ANY_PUSH;
    }
    double excess = rows->points[point].depth - 2.0 * stored;
    if (excess > CN_DEEP_SHARE * rows->pair->inradius) {
        rows->pair->flags |= cn_pairDeep;
    }
    bool isLoaded = cnContactRows_AreLoaded(rows, large);
    if (!isLoaded && excess > 0.0) {
        cnContactRows_LimitCorrection(rows, point, excess);
    }
    double limit = cnContactRows_GetCorrectionSpeed(rows);
    bool isBound = !isLoaded && (rows->pair->flags & cn_pairLimitedCorrection) != 0;
    return isBound ? cnMin(bounce * stored, limit) : limit;
}
