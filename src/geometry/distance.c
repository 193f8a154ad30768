// Distances in f64; the simplex is solved by the regions of its parts, flat tetrahedra by all their faces.
#include "geometry/distance.h"

double cnFindClosestOnSegment(cnVec3 p, cnVec3 d, cnVec3 x) {
    double lengthSquared = cnLengthSquared(d);
    return lengthSquared > 0.0 ? cnClamp(cnDot(cnSub(x, p), d) / lengthSquared, 0.0, 1.0) : 0.0;
}

void cnFindClosestOnSegments(cnVec3 p, cnVec3 d, cnVec3 q, cnVec3 e, double* s, double* t) {
    double a = cnLengthSquared(d);
    double c = cnLengthSquared(e);
    cnVec3 r = cnSub(p, q);
    if (!(a > 0.0)) {
        *s = 0.0;
        *t = cnFindClosestOnSegment(q, e, p);
        return;
    }
    if (!(c > 0.0)) {
        *t = 0.0;
        *s = cnFindClosestOnSegment(p, d, q);
        return;
    }
    double b = cnDot(d, e);
    double f = cnDot(d, r);
    double g = cnDot(e, r);
    cnVec3 cross = cnCross(d, e);
    double determinant = cnLengthSquared(cross);

    // on the lines, then into the first segment; parallel lines: any point of it
    *s = determinant > 1e-18 * a * c ? cnClamp((b * g - f * c) / determinant, 0.0, 1.0) : 0.0;
    *t = (b * *s + g) / c;
    if (*t < 0.0 || *t > 1.0) {
        *t = *t < 0.0 ? 0.0 : 1.0;
        *s = cnClamp((b * *t - f) / a, 0.0, 1.0);
    }
}

// Half the slope, at s, of the squared distance of p + s d from a box.
static double SlopeFromBox(cnVec3 p, cnVec3 d, cnVec3 half, double s) {
    cnVec3 x = cnMulAdd(p, s, d);
    cnVec3 inside = cnMaxVec(cnNeg(half), cnMinVec(x, half));
    return cnDot(cnSub(x, inside), d);
}

// The squared distance from a convex set is convex along a line, so that its slope only rises; from a box the
// slope is linear but where the line passes a face's plane.
double cnFindClosestToBox(cnVec3 p, cnVec3 d, cnVec3 half) {
    double lower = 0.0, upper = 1.0;
    double slopeLower = SlopeFromBox(p, d, half, 0.0);
    if (slopeLower >= 0.0) {
        return 0.0;
    }
    double slopeUpper = SlopeFromBox(p, d, half, 1.0);
    if (slopeUpper <= 0.0) {
        return 1.0;
    }
    const double starts[3] = {p.x, p.y, p.z}, rises[3] = {d.x, d.y, d.z}, sizes[3] = {half.x, half.y, half.z};
    for (int plane = 0; plane < 6; ++plane) {
        int axis = plane >> 1;
        double height = (plane & 1) != 0 ? sizes[axis] : -sizes[axis];
        double s = rises[axis] != 0.0 ? (height - starts[axis]) / rises[axis] : -1.0;
        if (s > lower && s < upper) {
            double slope = SlopeFromBox(p, d, half, s);
            if (slope <= 0.0) {
                lower = s;
                slopeLower = slope;
            } else {
                upper = s;
                slopeUpper = slope;
            }
        }
    }
    return cnClamp(lower - slopeLower * (upper - lower) / (slopeUpper - slopeLower), lower, upper);
}

typedef struct Corner {
    cnVec3 a, b; // points of A and B, in A's frame
    cnVec3 w;    // a − b
} Corner;

// The part of a simplex next to the origin: some of its corners, with weights; all four where the
// origin lies inside.
typedef struct Part {
    int count;
    int corners[4];
    double weights[4];
    cnVec3 point;
    double distanceSquared;
} Part;

static Part Nearer(Part first, Part second) {
    return second.distanceSquared < first.distanceSquared ? second : first;
}

static Part SolveSegment(const Corner* corners, int i, int j) {
    cnVec3 p = corners[i].w;
    cnVec3 d = cnSub(corners[j].w, p);
    double t = cnFindClosestOnSegment(p, d, cnVec3_zero);
    cnVec3 point = t < 1.0 ? cnMulAdd(p, t, d) : corners[j].w;
    Part part = {.corners = {i, j}, .weights = {1.0 - t, t}, .point = point};
    part.count = t > 0.0 && t < 1.0 ? 2 : 1;
    if (t == 1.0) {
        part.corners[0] = j;
        part.weights[0] = 1.0;
    }
    part.distanceSquared = cnLengthSquared(point);
    return part;
}

// A triangle's sides are made perpendicular first, so that the weights keep their digits on slivers, which
// curved shapes make many of.
static Part SolveTriangle(const Corner* corners, int i, int j, int k) {
    cnVec3 p = corners[i].w;
    cnVec3 along = cnSub(corners[j].w, p);
    cnVec3 across = cnSub(corners[k].w, p);
    double lengthSquared = cnLengthSquared(along);
    double slope = cnDot(along, across) / lengthSquared;
    across = cnMulAdd(across, -slope, along);
    double rest = cnDot(along, across) / lengthSquared;
    across = cnMulAdd(across, -rest, along);
    double widthSquared = cnLengthSquared(across);
    if (lengthSquared > 0.0 && widthSquared > 0.0) {
        double toK = -cnDot(p, across) / widthSquared;
        cnVec3 raised = cnMulAdd(p, toK, across);
        double run = -cnDot(raised, along) / lengthSquared;
        double toJ = run - toK * (slope + rest);
        if (toJ > 0.0 && toK > 0.0 && toJ + toK < 1.0) {
            Part part = {3, {i, j, k}, {1.0 - toJ - toK, toJ, toK}, cnMulAdd(raised, run, along), 0.0};
            part.distanceSquared = cnLengthSquared(part.point);
            return part;
        }
    }
    return Nearer(Nearer(SolveSegment(corners, i, j), SolveSegment(corners, j, k)),
                  SolveSegment(corners, k, i));
}

static Part SolveTetrahedron(const Corner* corners) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    Part best = {.count = 4, .corners = {0, 1, 2, 3}, .distanceSquared = INFINITY};
    for (int i = 0; i < 4; ++i) {
        const int* face = faces[i];
        cnVec3 p = corners[face[0]].w;
        cnVec3 normal = cnCross(cnSub(corners[face[1]].w, p), cnSub(corners[face[2]].w, p));
        cnVec3 side = cnSub(corners[face[3]].w, p);
        double height = cnDot(normal, side);
        double origin = -cnDot(normal, p);

        // the origin on the other side than the fourth corner, or no volume to tell
        double flat = 1e-12 * sqrt(cnLengthSquared(normal) * cnLengthSquared(side));
        if (origin * height < 0.0 || fabs(height) <= flat) {
            best = Nearer(best, SolveTriangle(corners, face[0], face[1], face[2]));
        }
    }
    return best;
}

// The point of A − B farthest along a direction.
static Corner GetCorner(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                        cnVec3 direction, int* hintA, int* hintB) {
    Corner corner;
    corner.a = cnSupportShape_GetPoint(a, direction, hintA);
    corner.b = cnToA(pose, cnSupportShape_GetPoint(b, cnNeg(cnMulMatT(pose->axes, direction)), hintB));
    corner.w = cnSub(corner.a, corner.b);
    return corner;
}

bool cnComputeCoreDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                           double reach, double error, cnDistance* out) {
    int hintA = 0, hintB = 0;
    Corner simplex[4];
    Part part = {.count = 1, .weights = {1.0}};
    cnVec3 between = cnSub(cnToA(pose, b->centre), a->centre);
    simplex[0] = GetCorner(a, b, pose, between, &hintA, &hintB);
    cnVec3 v = simplex[0].w;
    double largest = cnLengthSquared(v);
    double distanceSquared = largest;
    bool within = true;
    const int maxIterations = 128;
    for (int iteration = 0; iteration < maxIterations && distanceSquared > 1e-30 * largest; ++iteration) {
        // the points of A and B farthest towards each other
        Corner next = GetCorner(a, b, pose, cnNeg(v), &hintA, &hintB);
        largest = cnMax(largest, cnLengthSquared(next.w));

        // no progress: v is the nearest
        double distance = sqrt(distanceSquared);
        double bound = cnDot(v, next.w) / distance;
        if (bound > reach) {
            within = false;
            distanceSquared = bound * bound;
            break;
        }
        bool known = distance - bound <= cnMax(error, 1e-13 * distance + 2e-16 * sqrt(largest));
        for (int i = 0; i < part.count; ++i) {
            known = known || cnLengthSquared(cnSub(simplex[i].w, next.w)) == 0.0;
        }
        if (known) {
            break;
        }
        simplex[part.count] = next;
        Part solved = part.count == 1   ? SolveSegment(simplex, 0, 1)
                      : part.count == 2 ? SolveTriangle(simplex, 0, 1, 2)
                                        : SolveTetrahedron(simplex);
        if (solved.count == 4) {
            distanceSquared = 0.0;
            break;
        }
        if (solved.distanceSquared >= distanceSquared) {
            break;
        }
        Corner kept[3];
        for (int i = 0; i < solved.count; ++i) {
            kept[i] = simplex[solved.corners[i]];
        }
        for (int i = 0; i < solved.count; ++i) {
            simplex[i] = kept[i];
        }
        part = solved;
        v = solved.point;
        distanceSquared = solved.distanceSquared;
    }
    *out = (cnDistance){cnVec3_zero, cnVec3_zero,
                        distanceSquared > 1e-24 * largest ? sqrt(distanceSquared) : 0.0};
    for (int i = 0; i < part.count; ++i) {
        out->pointA = cnMulAdd(out->pointA, part.weights[i], simplex[i].a);
        out->pointB = cnMulAdd(out->pointB, part.weights[i], simplex[i].b);
    }
    return within;
}

cnDistance cnComputeDistance(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose) {
    cnSupportShape supportA = cnSupportShape_FromCorners(a->vertices, a->vertexCount, 0.0);
    cnSupportShape supportB = cnSupportShape_FromCorners(b->vertices, b->vertexCount, 0.0);
    supportA.corners = *a;
    supportB.corners = *b;
    cnDistance distance;
    cnComputeCoreDistance(&supportA, &supportB, pose, INFINITY, 0.0, &distance);
    return distance;
}
