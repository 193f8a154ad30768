#include "solve/area_friction.h"

#include "base/report/assert.h"
#include "cairn/math.h"

#define CN_INVERSE_PI 0.31830988618379067
// Beyond it what is left is a difference of nearly equal wrenches.
#define CN_LARGEST_HOLE 0.95

// cos (k + ½)π/12, k = 0 … 5: midpoints of a rule that converges exponentially for what is periodic.
#define CN_HALF_ANGLES 12
static const double cosines[CN_HALF_ANGLES / 2] = {0.9914448613738104, 0.9238795325112867,
                                                   0.7933533402912352, 0.6087614290087207,
                                                   0.3826834323650898, 0.13052619222005157};

// cos and sin of (k + ½)π/12, k = 0 … 23.
static void AngleOf(int k, double* cosine, double* sine) {
    int half = k % CN_HALF_ANGLES, mirrored = CN_HALF_ANGLES - 1 - half;
    double sign = k < CN_HALF_ANGLES ? 1.0 : -1.0;
    bool isFirst = half < CN_HALF_ANGLES / 2;
    *cosine = isFirst ? sign * cosines[half] : -sign * cosines[mirrored];
    *sine = sign * cosines[isFirst ? CN_HALF_ANGLES / 2 - 1 - half : CN_HALF_ANGLES / 2 - 1 - mirrored];
}

// Means over an area of u/|u| and of (r × u)·n/|u|.
typedef struct Wrench {
    double x, y, torque;
} Wrench;

// Over a full ellipse with the semi-axes 1 and `aspect`, which moves by (vx, vy) and turns by w >= 0. Rays
// leave the point c that does not move, in coordinates in which the ellipse is the unit disc, along (X, Y);
// what is on a ray slides along n × e, with e = (X, aspect Y)/m.
//
// Where c is inside the disc, over the ray's angle φ: from 0 to t, the distance of the rim.
static Wrench TurnAbout(double aspect, double cx, double cy) {
    Wrench sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2 * CN_HALF_ANGLES; ++k) {
        double x, y;
        AngleOf(k, &x, &y);
        double offset = cx * y - cy * x;
        double rim = sqrt(cnMax(0.0, 1.0 - offset * offset)) - (cx * x + cy * y);
        double m = sqrt(x * x + aspect * aspect * y * y), weight = 0.5 * rim * rim;
        sum.x -= weight * aspect * y / m;
        sum.y += weight * x / m;
        sum.torque += weight * (cx * x + aspect * aspect * cy * y) / m + m * rim * rim * rim / 3.0;
    }
    return sum;
}

// Where it is outside, at the distance 1/`inverse`, and (x0, y0) points from there to the centre: over ψ with
// sin ψ = sin δ / inverse, δ the ray's angle from the centre. A ray's chord has the half length cos ψ, and dφ
// times the distance of its middle is cos ψ dψ, so that nothing cancels however far c is.
static Wrench TurnAboutOutside(double aspect, double x0, double y0, double inverse) {
    Wrench sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < CN_HALF_ANGLES; ++k) {
        double offset, half;
        AngleOf(k, &offset, &half);
        double sine = inverse * offset, cosine = sqrt(1.0 - sine * sine);
        double x = x0 * cosine - y0 * sine, y = x0 * sine + y0 * cosine;
        double m = sqrt(x * x + aspect * aspect * y * y), weight = 2.0 * half * half;
        sum.x -= weight * aspect * y / m;
        sum.y += weight * x / m;
        double ofMiddle = offset * x * y * (aspect * aspect - 1.0) / m;
        sum.torque += weight * ofMiddle + 2.0 / 3.0 * half * half * half * half * m * inverse / cosine;
    }
    return sum;
}

static Wrench MeasureEllipse(double aspect, double vx, double vy, double w) {
    double x = -vy, y = vx / aspect, distance = sqrt(x * x + y * y); // c times w
    bool isInside = distance < w;
    Wrench sum = isInside ? TurnAbout(aspect, x / w, y / w)
                          : TurnAboutOutside(aspect, -x / distance, -y / distance, w / distance);
    double share = 1.0 / CN_HALF_ANGLES; // the rule's weight, over the area π of the disc
    return (Wrench){share * sum.x, share * sum.y, share * sum.torque};
}

// The mean distance from the centre: the torque of what turns about it, where all quarters are alike.
static double MeasureRadius(double aspect) {
    double sum = 0.0;
    for (int k = 0; k < CN_HALF_ANGLES / 2; ++k) {
        double x, y;
        AngleOf(k, &x, &y);
        sum += sqrt(x * x + aspect * aspect * y * y);
    }
    return 4.0 / (3.0 * CN_HALF_ANGLES) * sum;
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
