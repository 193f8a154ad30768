// Depths by an expanding polytope and a descent by distances; casts by conservative advancement.
#include "geometry/penetration.h"
#include "geometry/distance.h"
#include "math/tangent.h"

// Cores nearer than this, in units of their size, are told apart by their depth, which has a sign.
#define TOUCH 1e-9

// A difference thinner than this, in units of its length, has no volume.
#define FLAT 1e-10

// Error of distances between cores, as a part of the one that a depth may have.
#define CN_CORE_ERROR 1e-2

#define MAX_CORNERS 128
#define MAX_FACES (2 * MAX_CORNERS)
#define MAX_RIM (MAX_FACES / 2)

typedef struct Face {
    cnVec3 normal;
    double offset;
    double key; // the offset; infinite for slivers, whose normal is a neighbour's
    uint16_t corners[3];
} Face;

typedef struct Expansion {
    const cnSupportShape* a;
    const cnSupportShape* b;
    const cnRelativePose* pose;
    int hintA, hintB;
    double scale; // m, length of the difference
    double error; // m, of the distances that it descends by
    cnVec3 best;  // direction of the least depth so far
    double bestDepth;
    int cornerCount, faceCount;
    cnVec3 corners[MAX_CORNERS];
    Face faces[MAX_FACES];
} Expansion;

// The point of A − B farthest along n, which becomes the best where it is nearer.
static cnVec3 GetFarthest(Expansion* e, cnVec3 n) {
    cnVec3 onA = cnSupportShape_GetPoint(e->a, n, &e->hintA);
    cnVec3 onB = cnSupportShape_GetPoint(e->b, cnNeg(cnMulMatT(e->pose->axes, n)), &e->hintB);
    cnVec3 w = cnSub(onA, cnToA(e->pose, onB));
    double depth = cnDot(n, w);
    if (depth < e->bestDepth) {
        e->best = n;
        e->bestDepth = depth;
    }
    return w;
}

static void AddFace(Expansion* e, int i, int j, int k, cnVec3 fallback) {
    cnVec3 p = e->corners[i];
    cnVec3 side1 = cnSub(e->corners[j], p);
    cnVec3 side2 = cnSub(e->corners[k], p);
    cnVec3 normal = cnCross(side1, side2);
    double area = cnLength(normal);
    bool sliver = !(area > 1e-11 * e->scale * cnMax(cnLength(side1), cnLength(side2)));
    Face* face = e->faces + e->faceCount++;
    face->normal = sliver ? fallback : cnScale(1.0 / area, normal);
    face->offset = cnDot(face->normal, p);
    face->key = sliver ? INFINITY : face->offset;
    face->corners[0] = (uint16_t)i;
    face->corners[1] = (uint16_t)j;
    face->corners[2] = (uint16_t)k;
}

// Takes a point outside into the polytope: the faces that it sees give way to those between it and their rim.
// False where no face sees it, or there is no room.
static bool AddCorner(Expansion* e, cnVec3 w) {
    typedef struct Edge {
        uint16_t from, to;
        cnVec3 normal;
    } Edge;
    Edge rim[MAX_RIM];
    int rimCount = 0;
    int kept = 0;
    if (e->cornerCount == MAX_CORNERS) {
        return false;
    }
    for (int i = 0; i < e->faceCount; ++i) {
        Face face = e->faces[i];
        if (cnDot(face.normal, w) - face.offset <= 1e-13 * e->scale) {
            e->faces[kept++] = face;
            continue;
        }
        for (int j = 0; j < 3; ++j) {
            uint16_t from = face.corners[j], to = face.corners[(j + 1) % 3];
            int twin = 0;
            while (twin < rimCount && (rim[twin].from != to || rim[twin].to != from)) {
                ++twin;
            }
            if (twin < rimCount) {
                rim[twin] = rim[--rimCount];
            } else if (rimCount < MAX_RIM) {
                rim[rimCount++] = (Edge){from, to, face.normal};
            }
        }
    }
    if (kept == e->faceCount || rimCount == MAX_RIM || kept + rimCount > MAX_FACES) {
        return false;
    }
    e->faceCount = kept;
    e->corners[e->cornerCount++] = w;
    for (int i = 0; i < rimCount; ++i) {
        AddFace(e, rim[i].from, rim[i].to, e->cornerCount - 1, rim[i].normal);
    }
    return true;
}

// A fat tetrahedron of points farthest along, across the longest of the axes, and off their plane. False
// where the difference has no volume: then the best direction is one across it.
static bool BuildTetrahedron(Expansion* e) {
    static const cnVec3 axes[3] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    cnVec3* corners = e->corners;
    double longest = -1.0;
    for (int i = 0; i < 3; ++i) {
        cnVec3 upper = GetFarthest(e, axes[i]);
        cnVec3 lower = GetFarthest(e, cnNeg(axes[i]));
        double length = cnLength(cnSub(upper, lower));
        if (length > longest) {
            longest = length;
            corners[0] = lower;
            corners[1] = upper;
        }
    }
    e->scale = longest;
    cnVec3 along = cnNormalize(cnSub(corners[1], corners[0]));
    cnVec3 across = cnFindTangent(along);
    double max = FLAT * longest;
    bool wide = false;
    for (int i = 0; i < 4 && longest > 0.0; ++i) {
        cnVec3 w = GetFarthest(e, i < 2 ? across : cnNeg(across));
        cnVec3 off = cnSub(w, corners[0]);
        double width = cnLength(cnCross(off, along));
        if (width > max) {
            max = width;
            corners[2] = w;
            wide = true;
        }
        across = cnCross(along, across);
    }
    if (!wide) {
        return false;
    }
    cnVec3 normal = cnNormalize(cnCross(along, cnSub(corners[2], corners[0])));
    cnVec3 above = GetFarthest(e, normal);
    cnVec3 below = GetFarthest(e, cnNeg(normal));
    double rise = cnDot(normal, cnSub(above, corners[0]));
    double fall = cnDot(normal, cnSub(corners[0], below));
    if (cnMax(rise, fall) <= FLAT * longest) {
        return false;
    }
    corners[3] = rise >= fall ? above : below;
    if (rise >= fall) {
        corners[3] = corners[2];
        corners[2] = above;
    }

    // corner 3 lies behind the face 0, 1, 2, seen from outside
    e->cornerCount = 4;
    AddFace(e, 0, 1, 2, normal);
    AddFace(e, 0, 3, 1, normal);
    AddFace(e, 1, 3, 2, normal);
    AddFace(e, 2, 3, 0, normal);
    return true;
}

// Closest points of the cores with B moved out along the best direction, and the direction between them.
static cnVec3 FindPoints(const Expansion* e, cnSupportDistance* out) {
    double smaller = cnMin(e->a->size, e->b->size);
    double gap = 0.01 * (smaller > 0.0 ? smaller : cnMax(e->a->size, e->b->size));
    double shift = cnMax(e->bestDepth, 0.0) + gap;
    cnRelativePose shifted = *e->pose;
    shifted.position = cnMulAdd(shifted.position, shift, e->best);
    cnDistance distance;
    cnComputeCoreDistance(e->a, e->b, &shifted, INFINITY, e->error, &distance);
    out->pointA = distance.pointA;
    out->pointB = cnMulAdd(distance.pointB, -shift, e->best);
    return cnNormalize(cnSub(distance.pointB, distance.pointA));
}

// Descends from the best direction by distances until a step gains less than `accuracy`. The steps
// shrink evenly, so after two of them the rest is guessed at once (Aitken 1926); a guess counts only
// where it is better.
static void Descend(Expansion* e, double accuracy, cnSupportDistance* out) {
    const int maxIterations = 32;
    double before = INFINITY;
    cnVec3 lastStep = cnVec3_zero;
    for (int i = 0; i < maxIterations && e->bestDepth < before - accuracy; ++i) {
        before = e->bestDepth;
        cnVec3 from = e->best;
        cnVec3 normal = FindPoints(e, out);
        if (cnLengthSquared(normal) > 0.0) {
            GetFarthest(e, normal);
        }
        cnVec3 step = cnSub(normal, from);
        double ratio = cnLength(step) / cnLength(lastStep);
        if (ratio < 0.9) {
            GetFarthest(e, cnNormalize(cnMulAdd(normal, ratio / (1.0 - ratio), step)));
        }
        lastStep = step;
    }
}

double cnGetDepthAlong(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                       cnVec3 normal) {
    int hintA = 0, hintB = 0;
    cnVec3 onA = cnSupportShape_GetPoint(a, normal, &hintA);
    cnVec3 onB = cnSupportShape_GetPoint(b, cnNeg(cnMulMatT(pose->axes, normal)), &hintB);
    return cnDot(normal, cnSub(onA, cnToA(pose, onB))) + a->radius + b->radius;
}

// The least depth of cores that overlap or touch.
static void ComputeDepth(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                         const cnVec3* directions, int directionCount, double tolerance, double error,
                         cnSupportDistance* out) {
    Expansion e;
    e.a = a;
    e.b = b;
    e.pose = pose;
    e.hintA = e.hintB = e.cornerCount = e.faceCount = 0;
    e.bestDepth = INFINITY;
    e.error = error;
    bool solid = BuildTetrahedron(&e);
    double accuracy = cnMax(1e-15 * e.scale, 1e-4 * tolerance);
    double min = cnMax(1e-9 * e.scale, tolerance);

    // the directions of the list
    double listed[CN_MAX_DIRECTIONS];
    double minListed = INFINITY;
    for (int i = 0; i < directionCount; ++i) {
        cnVec3 w = GetFarthest(&e, directions[i]);
        listed[i] = cnDot(directions[i], w);
        minListed = cnMin(minListed, listed[i]);
        if (solid) {
            AddCorner(&e, w);
        }
    }
    bool descended = false;
    bool grows = solid;
    double bound = -INFINITY;
    while (grows) {
        // the nearest face
        const Face* nearest = e.faces;
        for (int i = 1; i < e.faceCount; ++i) {
            nearest = e.faces[i].key < nearest->key ? e.faces + i : nearest;
        }
        bound = nearest->key;
        if (minListed <= bound + 0.5 * tolerance) {
            break;
        }
        double gap = e.bestDepth - bound;
        double before = e.bestDepth;
        if (!descended && gap <= 0.05 * fabs(before) + 1e-3 * e.scale) {
            Descend(&e, accuracy, out);
            descended = true;
        } else if (gap <= min) {
            break;
        } else {
            cnVec3 w = GetFarthest(&e, nearest->normal);
            grows = AddCorner(&e, w);
            descended = descended && e.bestDepth >= before - min;
        }
    }

    // the first of the list that is good enough, or the best
    int choice = 0;
    if (directionCount > 0 && minListed <= cnMax(bound, e.bestDepth - 0.5 * tolerance) + 0.5 * tolerance) {
        while (listed[choice] > minListed + 0.5 * tolerance) {
            ++choice;
        }
        e.best = directions[choice];
        e.bestDepth = listed[choice];
        out->listed = choice;
        FindPoints(&e, out);
    } else {
        Descend(&e, accuracy, out);
    }
    out->normal = e.best;
    out->distance = -e.bestDepth;
}

static bool FindDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                         double reach, const cnVec3* directions, int directionCount, double tolerance,
                         double error, cnSupportDistance* out) {
    double radii = a->radius + b->radius;
    out->listed = -1;
    cnDistance cores;
    bool within = cnComputeCoreDistance(a, b, pose, reach + radii, error, &cores);
    if (cores.distance > TOUCH * cnMax(a->size, b->size)) {
        out->pointA = cores.pointA;
        out->pointB = cores.pointB;
        out->normal = cnNormalize(cnSub(cores.pointB, cores.pointA));
        out->distance = cores.distance;
    } else {
        ComputeDepth(a, b, pose, directions, directionCount, tolerance, error, out);
    }
    out->distance -= radii;
    out->pointA = cnMulAdd(out->pointA, a->radius, out->normal);
    out->pointB = cnMulAdd(out->pointB, -b->radius, out->normal);
    return within;
}

bool cnComputeSupportDistanceFrom(const cnSupportShape* a, const cnSupportShape* b,
                                  const cnRelativePose* pose, double reach, const cnVec3* directions,
                                  int directionCount, double tolerance, cnSupportDistance* out) {
    return FindDistance(a, b, pose, reach, directions, directionCount, tolerance, 0.0, out);
}

bool cnComputeSupportDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                              double reach, cnSupportDistance* out) {
    return FindDistance(a, b, pose, reach, NULL, 0, 0.0, 0.0, out);
}

bool cnMeasureSupportDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                              double reach, double error, double* distance, cnVec3* normal) {
    cnSupportDistance found;
    bool within = FindDistance(a, b, pose, reach, NULL, 0, error, CN_CORE_ERROR * error, &found);
    *distance = found.distance;
    *normal = found.normal;
    return within;
}

cnSupportCast cnCastSupport(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                            cnVec3 translation) {
    double size = cnMin(a->size, b->size);
    size = size > 0.0 ? size : cnMax(a->size, b->size);
    cnSupportCast cast = {.hit = true};
    cnRelativePose moved = *pose;
    const int maxIterations = 64;
    for (int i = 0; i < maxIterations; ++i) {
        // seen from a little out, as directions lose their digits near contact
        cnRelativePose seen = moved;
        seen.position = cnMulAdd(seen.position, 1e-3 * size, cast.normal);
        cnDistance cores;
        cnComputeCoreDistance(a, b, &seen, INFINITY, 0.0, &cores);
        cnVec3 normal = cnNormalize(cnSub(cores.pointB, cores.pointA));
        double separation = -cnGetDepthAlong(a, b, &moved, normal);
        if (i == 0 && (cores.distance <= TOUCH * size || separation <= TOUCH * size)) {
            // at the start
            cnSupportDistance start;
            cnComputeSupportDistance(a, b, pose, INFINITY, &start);
            bool leaves = start.distance >= -TOUCH * size && cnDot(start.normal, translation) >= 0.0;
            return (cnSupportCast){!leaves,      start.distance < 0.0, 0.0,
                                   start.pointA, start.normal,         start.distance};
        }
        double approach = -cnDot(normal, translation);
        double fraction = cast.fraction + separation / approach;
        if (separation > TOUCH * size && (!(approach > 0.0) || fraction > 1.0)) {
            return (cnSupportCast){.hit = false};
        }
        cast.normal = normal;
        cast.point = cnMulAdd(cores.pointA, a->radius, normal);
        cast.distance = separation;
        if (!(separation > TOUCH * size) || fraction <= cast.fraction) {
            break;
        }

        // on to the plane that parts them
        cast.fraction = fraction;
        moved.position = cnMulAdd(pose->position, fraction, translation);
    }
    return cast;
}
