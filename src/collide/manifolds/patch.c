// The area over which a face is pressed, from the points that bound it.
#include "base/report/assert.h"
#include "collide/manifolds/local_manifold.h"

typedef struct FlatPoint {
    double x, y;
} FlatPoint;

static double Cross(FlatPoint a, FlatPoint b, FlatPoint c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double SquareOfDistance(FlatPoint a, FlatPoint b) {
    return (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
}

// Gift wrapping: the corners of the convex hull, counter-clockwise, from the one farthest to the left.
// (R. A. Jarvis, "On the identification of the convex hull of a finite set of points in the plane", 1973.)
static int WrapHull(const FlatPoint* points, int count, FlatPoint* hull) {
    int first = 0;
    for (int i = 1; i < count; ++i) {
        bool isLower = points[i].x == points[first].x && points[i].y < points[first].y;
        first = points[i].x < points[first].x || isLower ? i : first;
    }
    int corners = 0, at = first;
    do {
        hull[corners++] = points[at];
        int next = at == 0 ? 1 : 0;
        for (int i = 0; i < count; ++i) {
            double side = Cross(points[at], points[next], points[i]);
            bool isFarther = side == 0.0 && SquareOfDistance(points[at], points[i]) >
                                                SquareOfDistance(points[at], points[next]);
            next = i != at && (side < 0.0 || isFarther) ? i : next;
        }
        at = next;
    } while (at != first && corners < count);
    return corners;
}

// The mean distance of a plate's points from its centroid over its polar radius of gyration lies between that
// of a rod, √3/2, and that of a disc, √8/3; between them it follows q = 2√(I₁ I₂)/(I₁ + I₂) of its principal
// moments, to 0.4 % for rectangles and ellipses.
static double MeanOverGyration(double ixx, double iyy, double ixy) {
    double trace = ixx + iyy, determinant = ixx * iyy - ixy * ixy;
    double q = trace > 0.0 ? cnMin(1.0, 2.0 * sqrt(cnMax(0.0, determinant)) / trace) : 0.0;
    return 0.8660254037844386 + 0.0715 * q * sqrt(sqrt(q));
}

static cnPatch MeasureHull(const FlatPoint* hull, int count) {
    double twice = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, syy = 0.0, sxy = 0.0;
    FlatPoint o = hull[0];
    for (int i = 1; i + 1 < count; ++i) {
        double ax = hull[i].x - o.x, ay = hull[i].y - o.y;
        double bx = hull[i + 1].x - o.x, by = hull[i + 1].y - o.y;
        double area = ax * by - ay * bx; // of the triangle, twice
        twice += area;
        sx += area * (ax + bx);
        sy += area * (ay + by);
        sxx += area * (ax * ax + ax * bx + bx * bx);
        syy += area * (ay * ay + ay * by + by * by);
        sxy += area * (2.0 * ax * ay + ax * by + bx * ay + 2.0 * bx * by);
    }
    if (!(twice > 0.0)) {
        return (cnPatch){0};
    }
    double cx = sx / (3.0 * twice), cy = sy / (3.0 * twice);
    double ixx = cnMax(0.0, sxx / (6.0 * twice) - cx * cx), iyy = cnMax(0.0, syy / (6.0 * twice) - cy * cy);
    double ixy = sxy / (12.0 * twice) - cx * cy;
    return (cnPatch){0.5 * twice, MeanOverGyration(ixx, iyy, ixy) * sqrt(ixx + iyy)};
}

cnPatch cnMeasurePatch(const cnLocalPoint* points, int count, cnVec3 normal, cnVec3 tangent) {
    CN_ASSERT(count >= 0 && count <= CN_MAX_CANDIDATES);
    if (count < 3) {
        return (cnPatch){0};
    }
    cnVec3 u = tangent, v = cnCross(normal, tangent);
    FlatPoint flat[CN_MAX_CANDIDATES], hull[CN_MAX_CANDIDATES];
    for (int i = 0; i < count; ++i) {
        cnVec3 p = cnSub(points[i].point, points[0].point);
        flat[i] = (FlatPoint){cnDot(u, p), cnDot(v, p)};
    }
    return MeasureHull(hull, WrapHull(flat, count, hull));
}

cnPatch cnMeasureRing(double inner, double outer) {
    CN_ASSERT(inner >= 0.0 && outer > inner);
    const double pi = 3.14159265358979323846;
    double area = pi * (outer * outer - inner * inner);
    double moment = 2.0 / 3.0 * pi * (outer * outer * outer - inner * inner * inner);
    return (cnPatch){area, moment / area};
}
