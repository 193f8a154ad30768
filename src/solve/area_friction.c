#include "solve/area_friction.h"

#include "base/report/assert.h"
#include "base/simd.h"
#include "cairn/math.h"

#define CN_INVERSE_PI 0.31830988618379067
// Beyond it what is left is a difference of nearly equal wrenches.
#define CN_LARGEST_HOLE 0.95

// cos (k + ½)π/12: midpoints of a rule that converges exponentially for what is periodic. Angles of half a
// turn, in lanes; those of the other half are opposite.
#define CN_HALF_ANGLES 12
#define CN_LANES 2
static const double cosines[CN_HALF_ANGLES] = {
    0.9914448613738104,  0.9238795325112867,  0.7933533402912352,   0.6087614290087207,
    0.3826834323650898,  0.13052619222005157, -0.13052619222005157, -0.3826834323650898,
    -0.6087614290087207, -0.7933533402912352, -0.9238795325112867,  -0.9914448613738104};
static const double sines[CN_HALF_ANGLES] = {0.13052619222005157, 0.3826834323650898, 0.6087614290087207,
                                             0.7933533402912352,  0.9238795325112867, 0.9914448613738104,
                                             0.9914448613738104,  0.9238795325112867, 0.7933533402912352,
                                             0.6087614290087207,  0.3826834323650898, 0.13052619222005157};

// Means over an area of u/|u| and of (r × u)·n/|u|.
typedef struct Wrench {
    double x, y, torque;
} Wrench;

typedef struct WrenchLanes {
    cnD2 x, y, torque;
} WrenchLanes;

static Wrench SumLanes(const WrenchLanes* sum) {
    return (Wrench){cnSumD(sum->x), cnSumD(sum->y), cnSumD(sum->torque)};
}

// Over a full ellipse with the semi-axes 1 and `aspect`, which moves by (vx, vy) and turns by w >= 0. Rays
// leave the point c that does not move, in coordinates in which the ellipse is the unit disc, along (X, Y);
// what is on a ray slides along n × e, with e = (X, aspect Y)/m.
//
// Where c is inside the disc, over the ray's angle φ: from 0 to t, the distance of the rim.
static Wrench TurnAbout(double aspect, double centreX, double centreY) {
    const cnD2 one = cnSplatD(1.0), zero = cnSplatD(0.0), third = cnSplatD(1.0 / 3.0);
    const cnD2 flat = cnSplatD(aspect), square = cnSplatD(aspect * aspect);
    const cnD2 cx = cnSplatD(centreX), cy = cnSplatD(centreY);
    WrenchLanes sum = {zero, zero, zero};
    for (int k = 0; k < 2 * CN_HALF_ANGLES; k += CN_LANES) {
        cnD2 x = cnLoadD(&cosines[k % CN_HALF_ANGLES]), y = cnLoadD(&sines[k % CN_HALF_ANGLES]);
        if (k >= CN_HALF_ANGLES) {
            x = cnSubD(zero, x);
            y = cnSubD(zero, y);
        }
        cnD2 offset = cnMulSubD(cnMulD(cx, y), cy, x), along = cnMulAddD(cnMulD(cx, x), cy, y);
        cnD2 rim = cnSubD(cnSqrtD(cnMaxD(zero, cnMulSubD(one, offset, offset))), along);
        cnD2 m = cnSqrtD(cnMulAddD(cnMulD(x, x), square, cnMulD(y, y))), inverse = cnDivD(one, m);
        cnD2 rimSquare = cnMulD(rim, rim), weight = cnMulD(cnMulD(cnSplatD(0.5), rimSquare), inverse);
        sum.x = cnMulSubD(sum.x, weight, cnMulD(flat, y));
        sum.y = cnMulAddD(sum.y, weight, x);
        cnD2 ofCentre = cnMulAddD(cnMulD(cx, x), square, cnMulD(cy, y));
        cnD2 ofRay = cnMulD(cnMulD(m, third), cnMulD(rimSquare, rim));
        sum.torque = cnAddD(cnMulAddD(sum.torque, weight, ofCentre), ofRay);
    }
    return SumLanes(&sum);
}

// Where it is outside, at the distance 1/`inverse`, and (x0, y0) points from there to the centre: over ψ with
// sin ψ = sin δ / inverse, δ the ray's angle from the centre. A ray's chord has the half length cos ψ, and dφ
// times the distance of its middle is cos ψ dψ, so that nothing cancels however far c is.
static Wrench TurnAboutOutside(double aspect, double toX, double toY, double inverse) {
    const cnD2 one = cnSplatD(1.0), zero = cnSplatD(0.0), two = cnSplatD(2.0);
    const cnD2 flat = cnSplatD(aspect), square = cnSplatD(aspect * aspect);
    const cnD2 x0 = cnSplatD(toX), y0 = cnSplatD(toY), near = cnSplatD(inverse);
    const cnD2 perRay = cnSplatD(2.0 / 3.0 * inverse);
    WrenchLanes sum = {zero, zero, zero};
    for (int k = 0; k < CN_HALF_ANGLES; k += CN_LANES) {
        cnD2 offset = cnLoadD(&cosines[k]), half = cnLoadD(&sines[k]);
        cnD2 sine = cnMulD(near, offset), cosine = cnSqrtD(cnMulSubD(one, sine, sine));
        cnD2 x = cnMulSubD(cnMulD(x0, cosine), y0, sine), y = cnMulAddD(cnMulD(x0, sine), y0, cosine);
        cnD2 m = cnSqrtD(cnMulAddD(cnMulD(x, x), square, cnMulD(y, y)));
        cnD2 halfSquare = cnMulD(half, half), weight = cnDivD(cnMulD(two, halfSquare), m);
        sum.x = cnMulSubD(sum.x, weight, cnMulD(flat, y));
        sum.y = cnMulAddD(sum.y, weight, x);
        cnD2 ofMiddle = cnMulD(cnMulD(offset, cnMulD(x, y)), cnSubD(square, one));
        cnD2 ofRay = cnDivD(cnMulD(cnMulD(perRay, cnMulD(halfSquare, halfSquare)), m), cosine);
        sum.torque = cnAddD(cnMulAddD(sum.torque, weight, ofMiddle), ofRay);
    }
    return SumLanes(&sum);
}

static Wrench MeasureEllipse(double aspect, double vx, double vy, double w) {
    double x = -vy, y = vx / aspect, distance = sqrt(x * x + y * y); // c times w
    bool isInside = distance < w;
    Wrench sum = isInside ? TurnAbout(aspect, x / w, y / w)
                          : TurnAboutOutside(aspect, -x / distance, -y / distance, w / distance);
    double share = 1.0 / CN_HALF_ANGLES; // the rule's weight, over the area π of the disc
    return (Wrench){share * sum.x, share * sum.y, share * sum.torque};
}

// The mean distance from the centre: the torque of what turns about it, where both halves are alike.
static double MeasureRadius(double aspect) {
    const cnD2 square = cnSplatD(aspect * aspect);
    cnD2 sum = cnSplatD(0.0);
    for (int k = 0; k < CN_HALF_ANGLES; k += CN_LANES) {
        cnD2 x = cnLoadD(&cosines[k]), y = cnLoadD(&sines[k]);
        sum = cnAddD(sum, cnSqrtD(cnMulAddD(cnMulD(x, x), square, cnMulD(y, y))));
    }
    return 2.0 / (3.0 * CN_HALF_ANGLES) * cnSumD(sum);
}

cnFrictionArea cnFrictionArea_WithHole(double aspect, double hole) {
    CN_ASSERT(aspect > 0.0 && aspect <= 1.0 && hole >= 0.0 && hole < 1.0);
    return (cnFrictionArea){aspect, hole, MeasureRadius(aspect)};
}

cnFrictionArea cnFrictionArea_OfSize(double aspect, double size) {
    cnFrictionArea area = cnFrictionArea_WithHole(aspect, 0.0);
    double share = size * area.radius * area.radius * CN_INVERSE_PI / aspect; // (1 − q²)³/(1 − q³)²
    double high = CN_LARGEST_HOLE;
    for (int i = 0; i < 20 && share < 1.0; ++i) {
        double q = 0.5 * (area.hole + high), cube = 1.0 - q * q * q, square = 1.0 - q * q;
        bool isMore = square * square * square > share * cube * cube;
        area.hole = isMore ? q : area.hole;
        high = isMore ? high : q;
    }
    return area;
}

cnFrictionShares cnShareFriction(const cnFrictionArea* area, const cnAreaMotion* motion) {
    double along = motion->along, across = motion->across, q = area->hole;
    double speed = sqrt(along * along + across * across);
    CN_ASSERT(motion->spin >= 0.0 && speed + motion->spin > 0.0);
    double rest = 1.0 - q * q, ofFull = (1.0 - q * q * q) / rest;
    double full = area->radius;
    double w = motion->spin / (full * ofFull); // of an ellipse with the larger semi-axis 1
    Wrench sum = MeasureEllipse(area->aspect, along, across, w);
    if (q > 0.0) {
        Wrench hole = MeasureEllipse(area->aspect, along, across, q * w);
        sum.x = (sum.x - q * q * hole.x) / rest;
        sum.y = (sum.y - q * q * hole.y) / rest;
        sum.torque = (sum.torque - q * q * q * hole.torque) / rest;
    }
    // never below 0, by rounding either
    return (cnFrictionShares){
        .force = speed > 0.0 ? cnMax(0.0, (sum.x * along + sum.y * across) / speed) : 0.0,
        .torque = cnMax(0.0, sum.torque / (full * ofFull)),
    };
}
