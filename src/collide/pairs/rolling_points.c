#include "collide/pairs/rolling_points.h"

#include "geometry/shape_forms.h"

// Distance of a centre of mass from the axis, in inradii, below which it lies on it.
#define CN_ON_AXIS 0.01

// One of a pair's two.
typedef struct Side {
    int body, proxy;
    const cnShape* shape;
    bool isDynamic, isRound;
} Side;

static Side SideOf(int body, int proxy, const cnNarrowPhase* phase) {
    const cnShape* shape = phase->shapes[phase->proxies->shape[proxy]];
    return (Side){
        .body = body,
        .proxy = proxy,
        .shape = shape,
        .isDynamic = body >= 0 && (phase->bodies->flags[body] & cn_bodyDynamic) != 0,
        .isRound = cnShape_Is(shape, cn_formRound | cn_formRevolved),
    };
}

static bool IsLopsided(const Side* side, double inradius, const cnNarrowPhase* phase) {
    if (!side->isDynamic || !side->isRound) {
        return false;
    }
    cnVec3 off = cnSub(phase->proxies->position[side->proxy], phase->bodies->centreOfMass[side->body]);
    if (side->shape->type != cn_sphere) { // along the axis it may be anywhere
        cnVec3 axis = cnRotate(phase->proxies->rotation[side->proxy], cnVec(0.0, 1.0, 0.0));
        off = cnMulAdd(off, -cnDot(off, axis), axis);
    }
    double most = CN_ON_AXIS * inradius;
    return cnLengthSquared(off) > most * most;
}

bool cnPair_IsLopsided(const cnPair* pair, const cnNarrowPhase* phase) {
    Side side1 = SideOf(pair->body1, pair->proxy1, phase), side2 = SideOf(pair->body2, pair->proxy2, phase);
    return IsLopsided(&side1, pair->inradius, phase) || IsLopsided(&side2, pair->inradius, phase);
}

bool cnPair_PointGoesOn(const cnPair* pair, const cnNarrowPhase* phase) {
    Side side1 = SideOf(pair->body1, pair->proxy1, phase), side2 = SideOf(pair->body2, pair->proxy2, phase);
    bool isFlatMoved = (side1.isDynamic && !side1.isRound) || (side2.isDynamic && !side2.isRound);
    return isFlatMoved || IsLopsided(&side1, pair->inradius, phase) ||
           IsLopsided(&side2, pair->inradius, phase);
}
