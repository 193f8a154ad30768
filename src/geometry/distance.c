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

typedef struct Corner {
    cnVec3 a, b; // points of A and B, in A's frame
    cnVec3 w;    // a − b
    double weight;
} Corner;

typedef struct Simplex {
    Corner corners[4];
    int count;
} Simplex;

static cnVec3 Combine(const Simplex* simplex) {
    cnVec3 sum = cnVec3_zero;
    for (int i = 0; i < simplex->count; ++i) {
        sum = cnMulAdd(sum, simplex->corners[i].weight, simplex->corners[i].w);
    }
    return sum;
}

// The part of a segment next to the origin.
static Simplex SolveSegment(const Corner* p, const Corner* q) {
    cnVec3 d = cnSub(q->w, p->w);
    double t = cnFindClosestOnSegment(p->w, d, cnVec3_zero);
    Simplex simplex = {.count = 0};
    if (t < 1.0) {
        simplex.corners[simplex.count] = *p;
        simplex.corners[simplex.count++].weight = 1.0 - t;
    }
    if (t > 0.0) {
        simplex.corners[simplex.count] = *q;
        simplex.corners[simplex.count++].weight = t;
    }
    return simplex;
}

static Simplex Nearer(Simplex first, Simplex second) {
    return cnLengthSquared(Combine(&second)) < cnLengthSquared(Combine(&first)) ? second : first;
}

// The part of a triangle next to the origin. Its sides are made perpendicular first, so that the weights keep their digits on
// slivers, which curved shapes make many of.
static Simplex SolveTriangle(const Corner* p, const Corner* q, const Corner* r) {
    cnVec3 along = cnSub(q->w, p->w);
    cnVec3 across = cnSub(r->w, p->w);
    double lengthSquared = cnLengthSquared(along);
    double slope = cnDot(along, across) / lengthSquared;
    across = cnMulAdd(across, -slope, along);
    double rest = cnDot(along, across) / lengthSquared;
    across = cnMulAdd(across, -rest, along);
    double widthSquared = cnLengthSquared(across);
    if (lengthSquared > 0.0 && widthSquared > 0.0) {
        double toR = -cnDot(p->w, across) / widthSquared;
        double toQ = -cnDot(cnMulAdd(p->w, toR, across), along) / lengthSquared - toR * (slope + rest);
        if (toQ > 0.0 && toR > 0.0 && toQ + toR < 1.0) {
            Simplex simplex = {{*p, *q, *r, *p}, 3};
            simplex.corners[0].weight = 1.0 - toQ - toR;
            simplex.corners[1].weight = toQ;
            simplex.corners[2].weight = toR;
            return simplex;
        }
    }
    return Nearer(Nearer(SolveSegment(p, q), SolveSegment(q, r)), SolveSegment(r, p));
}

// The part of a tetrahedron next to the origin; all four corners where it lies inside.
static Simplex SolveTetrahedron(const Simplex* whole) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    Simplex best = {.count = 0};
    for (int i = 0; i < 4; ++i) {
        const Corner* p = whole->corners + faces[i][0];
        const Corner* q = whole->corners + faces[i][1];
        const Corner* r = whole->corners + faces[i][2];
        cnVec3 normal = cnCross(cnSub(q->w, p->w), cnSub(r->w, p->w));
        double height = cnDot(normal, cnSub(whole->corners[faces[i][3]].w, p->w));
        double origin = -cnDot(normal, p->w);

        // the origin on the other side than the fourth corner, or no volume to tell
        double flat = 1e-12 * sqrt(cnLengthSquared(normal) *
                                   cnLengthSquared(cnSub(whole->corners[faces[i][3]].w, p->w)));
        if (origin * height < 0.0 || fabs(height) <= flat) {
            Simplex face = SolveTriangle(p, q, r);
            best = best.count == 0 ? face : Nearer(best, face);
        }
    }
    return best.count == 0 ? *whole : best;
}

// The point of A − B farthest along a direction.
static Corner GetCorner(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                        cnVec3 direction, int* hintA, int* hintB) {
    Corner corner = {.weight = 0.0};
    corner.a = cnSupportShape_GetPoint(a, direction, hintA);
    corner.b = cnToA(pose, cnSupportShape_GetPoint(b, cnNeg(cnMulMatT(pose->axes, direction)), hintB));
    corner.w = cnSub(corner.a, corner.b);
    return corner;
}

bool cnComputeCoreDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                           double reach, cnDistance* out) {
    int hintA = 0, hintB = 0;
    Simplex simplex = {.count = 1};
    cnVec3 between = cnSub(cnToA(pose, b->centre), a->centre);
    simplex.corners[0] = GetCorner(a, b, pose, between, &hintA, &hintB);
    simplex.corners[0].weight = 1.0;
    cnVec3 v = simplex.corners[0].w;
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
        bool known = distance - bound <= 1e-13 * distance + 2e-16 * sqrt(largest);
        for (int i = 0; i < simplex.count; ++i) {
            known = known || cnLengthSquared(cnSub(simplex.corners[i].w, next.w)) == 0.0;
        }
        if (known) {
            break;
        }
        Simplex grown = simplex;
        grown.corners[grown.count++] = next;
        Simplex solved = grown.count == 2 ? SolveSegment(grown.corners, grown.corners + 1)
                         : grown.count == 3
                             ? SolveTriangle(grown.corners, grown.corners + 1, grown.corners + 2)
                             : SolveTetrahedron(&grown);
        if (solved.count == 4) {
            distanceSquared = 0.0;
            break;
        }
        cnVec3 nearer = Combine(&solved);
        double nearerSquared = cnLengthSquared(nearer);
        if (nearerSquared >= distanceSquared) {
            break;
        }
        simplex = solved;
        v = nearer;
        distanceSquared = nearerSquared;
    }
    *out = (cnDistance){cnVec3_zero, cnVec3_zero,
                        distanceSquared > 1e-24 * largest ? sqrt(distanceSquared) : 0.0};
    for (int i = 0; i < simplex.count; ++i) {
        out->pointA = cnMulAdd(out->pointA, simplex.corners[i].weight, simplex.corners[i].a);
        out->pointB = cnMulAdd(out->pointB, simplex.corners[i].weight, simplex.corners[i].b);
    }
    return within;
}

cnDistance cnComputeDistance(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose) {
    cnSupportShape supportA = cnSupportShape_FromCorners(a->vertices, a->vertexCount, 0.0);
    cnSupportShape supportB = cnSupportShape_FromCorners(b->vertices, b->vertexCount, 0.0);
    supportA.corners = *a;
    supportB.corners = *b;
    cnDistance distance;
    cnComputeCoreDistance(&supportA, &supportB, pose, INFINITY, &distance);
    return distance;
}
