#include "solve/contact_rows.h"

double cnPair_GetInverseEffectiveMass(const cnPair* pair, const cnSolve* solve,
                                      const cnSolverContact* contact, int point) {
    const cnInverseMass* inverse = solve->solver.inverse;
    cnVec3 normal = cnToD(pair->manifold.normal);
    cnVec3 arm1 = cnPair_GetArm1(pair, point), arm2 = cnPair_GetArm2(pair, point);
    double inverseMass = cnInverseEffectiveMass(&inverse[contact->body1], &inverse[contact->body2], normal,
                                                cnCross(arm1, normal), cnCross(arm2, normal));
    CN_ASSERT(!(inverseMass <= 0.0)); // it may be NaN where numbers overflow
    return inverseMass;
}

double cnContactRows_GetStoredOverlap(const cnContactRows* rows, double impulse, double integralImpulse,
                                      double own, double substep) {
    double strain = cnContactRows_GetStrain(rows, impulse, substep);
    return cnMax(0.0,
                 strain + own * substep * (impulse - cnMin(impulse, CN_INTEGRAL_SHARE * integralImpulse)));
}

bool cnContactRows_IsFast(const cnContactRows* rows, double inverseMass, double excess) {
    return excess > cnContactRows_GetOverlapOfSpeed(rows, inverseMass, CN_EXCESS_SPEED);
}

double cnContactRows_GetPush(cnContactRows* rows, bool large, int point, const cnPointLoad* load,
                             double bounce) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    if (rows->isFoundation) {
        return CN_ANY_PUSH;
    }
    double excess = rows->points[point].depth - 2.0 * load->stored;
    bool isDeep = excess > CN_DEEP_SHARE * rows->pair->inradius;
    cnPair_NoteExcess(rows->pair, large, isDeep, cnContactRows_IsFast(rows, load->inverseMass, excess));
    // what bears a load goes on to, however soft it is
    double limit = cnMax(cnContactRows_GetCorrectionSpeed(rows), bounce * load->elastic);
    return cnPair_IsPushBound(rows->pair, large) ? cnMin(bounce * load->stored, limit) : limit;
}
