// Choosing four points that carry what many would.
#include "collide/manifolds/local_manifold.h"

// Rotations (rad) up to which points are level: the choice among what bears must not follow its rounding.
// What needs so much more to bear is drawn towards the deepest point by this part of its way.
#define LEVEL 0.005
#define STEEP 0.02
#define DRAWN 0.6

cnVec3 cnRotateTangent(cnVec3 normal, cnVec3 tangent, int step) {
    // cos(k π/16)
    static const double cosines[9] = {1.0,
                                      0.98078528040323044913,
                                      0.92387953251128675613,
                                      0.83146961230254523708,
                                      0.70710678118654752440,
                                      0.55557023301960222474,
                                      0.38268343236508977173,
                                      0.19509032201612826785,
                                      0.0};
    double c = cosines[step % 8];
    double s = cosines[8 - step % 8];
    int quarter = step / 8;
    double x = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    double y = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    return cnMulAdd(cnScale(x, tangent), y, cnCross(normal, tangent));
}

// Twice the signed area of a triangle seen along the normal.
static double SignedArea(cnVec3 a, cnVec3 b, cnVec3 c, cnVec3 normal) {
    return cnDot(cnCross(cnSub(b, a), cnSub(c, a)), normal);
}

// Drops candidates on top of another, keeping the deeper one.
static int MergeCoincident(cnLocalPoint* candidates, int count, double tolerance) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        int same = -1;
        for (int j = 0; j < kept && same < 0; ++j) {
            cnVec3 between = cnSub(candidates[i].point, candidates[j].point);
            same = cnLengthSquared(between) <= tolerance * tolerance ? j : -1;
        }
        if (same < 0) {
            candidates[kept++] = candidates[i];
        } else if (candidates[i].depth > candidates[same].depth) {
            candidates[same] = candidates[i];
        }
    }
    return kept;
}

void cnReducePoints(cnLocalManifold* manifold, cnLocalPoint* candidates, int count, cnVec3 tangent,
                    double size) {
    count = MergeCoincident(candidates, count, 1e-4 * size);
    manifold->count = 0;
    manifold->patch = cnMeasurePatch(candidates, count, manifold->normal, tangent);
    if (count <= CN_MANIFOLD_POINTS) {
        for (int i = 0; i < count; ++i) {
            manifold->points[manifold->count++] = candidates[i];
        }
        return;
    }

    // of the deepest, the one farthest along a direction askew to likely edges
    cnVec3 normal = manifold->normal;
    cnVec3 askew =
        cnMulAdd(cnScale(0.8090169943749475, tangent), 0.5877852522924731, cnCross(normal, tangent));
    double deepest = candidates[0].depth;
    for (int i = 1; i < count; ++i) {
        deepest = cnMax(deepest, candidates[i].depth);
    }
    int first = -1;
    double best = -INFINITY;
    for (int i = 0; i < count; ++i) {
        double along = cnDot(askew, candidates[i].point);
        if (candidates[i].depth >= deepest - 1e-4 * size && along > best) {
            best = along;
            first = i;
        }
    }

    // the rest drawn towards it, the higher they are the more: what bears goes before what is farther out but
    // apart, and would bear after a rotation only
    cnVec3 places[CN_MAX_CANDIDATES];
    for (int i = 0; i < count; ++i) {
        cnVec3 way = cnSub(candidates[i].point, candidates[first].point);
        double steepness = (deepest - candidates[i].depth) / cnMax(cnLength(way), 1e-9 * size);
        places[i] = cnScale(1.0 - DRAWN * cnClamp((steepness - LEVEL) / STEEP, 0.0, 1.0), way);
    }

    // the one farthest from it
    int second = -1;
    best = -1.0;
    for (int i = 0; i < count; ++i) {
        double distance = cnLengthSquared(places[i]);
        if (i != first && distance > best) {
            best = distance;
            second = i;
        }
    }

    // farthest on both sides of their line
    int left = -1, right = -1;
    double maxLeft = 0.0, maxRight = 0.0;
    for (int i = 0; i < count; ++i) {
        double area = SignedArea(cnVec3_zero, places[second], places[i], normal);
        if (i != first && i != second && area > maxLeft) {
            maxLeft = area;
            left = i;
        }
        if (i != first && i != second && area < maxRight) {
            maxRight = area;
            right = i;
        }
    }
    const int chosen[4] = {first, left, second, right};
    for (int i = 0; i < 4; ++i) {
        if (chosen[i] >= 0) {
            manifold->points[manifold->count++] = candidates[chosen[i]];
        }
    }

    // all on one side: the one that adds most area beyond the triangle
    int third = left >= 0 ? left : right;
    if (manifold->count == 3 && third >= 0) {
        double sign = left >= 0 ? 1.0 : -1.0;
        cnVec3 a = cnVec3_zero, b = places[second], c = places[third];
        int fourth = -1;
        double max = 1e-6 * size * size;
        for (int i = 0; i < count; ++i) {
            cnVec3 p = places[i];
            double added = cnMax(sign * SignedArea(c, b, p, normal), sign * SignedArea(a, c, p, normal));
            if (i != first && i != second && i != third && added > max) {
                max = added;
                fourth = i;
            }
        }
        if (fourth >= 0) {
            manifold->points[manifold->count++] = candidates[fourth];
        }
    }
}
