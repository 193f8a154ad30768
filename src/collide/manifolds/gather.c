// Candidates of a concave pair into manifolds.
#include "collide/manifolds/local_manifold.h"

#include "geometry/shape_forms.h"

// Cosines of the largest angle between a point's normal and that of its manifold: 2.3°, by which the ends
// of a contact's depth come off the surfaces by 2 % of it; for what rolls 0.26°, so that over a faceted
// bowl it is pushed where the facets push, unless that makes too many manifolds. A manifold is cut along
// directions, not along planes: points of one normal bear alike wherever they are, and four of them span
// more than two pairs.
#define SAME_NORMAL 0.9992
#define SAME_NORMAL_ROLLING 0.99999

// In units of `size`: by how much a point must stick out of the plane of a manifold's others to get a
// manifold of its own.
#define STICKING 1e-3

// Cosine of 18°.
#define LIKE_NORMAL 0.95

static void AddPoint(cnLocalPoint* points, int* count, const cnCandidate* candidate) {
    points[(*count)++] = (cnLocalPoint){candidate->point, candidate->depth, candidate->feature};
}

// Whether the points of a face bound all of it: those of a convex solid on a mesh or height field. A mesh or
// a hollow solid may stand on feet.
static bool FillsItsHull(const cnShapePair* pair) {
    return !cnShape_Is(pair->a, cn_formHollow) && !cnShape_Is(pair->b, cn_formHollow) &&
           cnShape_Is(pair->b, cn_formHoldsCentre);
}

// The first `count` candidates into one manifold. Of too many, the deepest and the extreme ones
// in 32 directions.
static void MakeManifold(const cnShapePair* pair, const cnCandidate* candidates, int count, cnVec3 normal,
                         cnLocalManifold* manifold) {
    cnLocalPoint points[CN_MAX_CANDIDATES];
    int used = 0;
    cnVec3 tangent = cnFindTangent(normal);
    if (count <= CN_MAX_CANDIDATES) {
        for (int i = 0; i < count; ++i) {
            AddPoint(points, &used, &candidates[i]);
        }
    } else {
        AddPoint(points, &used, &candidates[0]);
        for (int step = 0; step < CN_DIRECTION_COUNT; ++step) {
            cnVec3 direction = cnRotateTangent(normal, tangent, step);
            int best = 0;
            for (int i = 1; i < count; ++i) {
                bool farther =
                    cnDot(direction, candidates[i].point) > cnDot(direction, candidates[best].point);
                best = farther ? i : best;
            }
            AddPoint(points, &used, &candidates[best]);
        }
    }
    manifold->normal = normal;
    cnReducePoints(manifold, points, used, tangent, pair->size);
    manifold->patch = FillsItsHull(pair) ? manifold->patch : (cnPatch){0};
}

// Whether a candidate lies higher than a manifold's points say, by enough to be met before them: a mesh's
// corner under the middle of a face. The deepest point of a flat foot is no such one.
static bool SticksOut(const cnCandidate* candidate, const cnLocalManifold* manifold, double size) {
    if (manifold->count < CN_MANIFOLD_POINTS) {
        return false;
    }
    // by the triangle that holds it, or comes nearest to it, of the two that the points span
    const cnLocalPoint* points = manifold->points;
    double max = -INFINITY, depth = 0.0;
    for (int k = 0; k < 2; ++k) {
        const cnLocalPoint *a = &points[0], *b = &points[1 + k], *c = &points[2 + k];
        cnVec3 p = candidate->point, n = manifold->normal;
        double area = cnDot(cnCross(cnSub(b->point, a->point), cnSub(c->point, a->point)), n);
        double v = cnDot(cnCross(cnSub(p, a->point), cnSub(c->point, a->point)), n) / area;
        double w = cnDot(cnCross(cnSub(b->point, a->point), cnSub(p, a->point)), n) / area;
        double inside = cnMin(cnMin(v, w), 1.0 - v - w);
        if (inside > max) {
            max = inside;
            depth = a->depth + v * (b->depth - a->depth) + w * (c->depth - a->depth);
        }
    }
    return candidate->depth > depth + STICKING * size;
}

// Puts those that do behind the others of the first `count`; returns the number of the others.
static int PutAside(cnCandidate* candidates, int count, const cnLocalManifold* manifold, double size) {
    int others = count;
    for (int i = count - 1; i >= 0; --i) {
        if (SticksOut(&candidates[i], manifold, size)) {
            cnCandidate sticking = candidates[i];
            candidates[i] = candidates[--others];
            candidates[others] = sticking;
        }
    }
    return others > 0 ? others : count;
}

// Drops those of the candidates that say again what a manifold's points say: the same place, nearly the same
// normal. A corner is met by the face of a box and by the faces around it.
static int DropRepeated(cnCandidate* candidates, int count, const cnLocalManifold* manifold, double size) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        bool repeats = false;
        if (cnDot(candidates[i].normal, manifold->normal) >= LIKE_NORMAL) {
            for (int k = 0; k < manifold->count && !repeats; ++k) {
                cnVec3 between = cnSub(candidates[i].point, manifold->points[k].point);
                repeats = cnLengthSquared(between) <= 1e-4 * size * size;
            }
        }
        if (!repeats) {
            candidates[kept++] = candidates[i];
        }
    }
    return kept;
}

// Groups the candidates of like normals; returns the number of manifolds, or −1 where there are
// too many of them.
static int Gather(const cnShapePair* pair, cnCandidates* candidates, double same,
                  cnLocalManifold* manifolds) {
    cnCandidate* list = candidates->list.data;
    int first = 0, made = 0;
    while (first < candidates->list.count) {
        if (made == CN_PAIR_MANIFOLDS) {
            return -1;
        }

        // the deepest of those left, to the front
        int deepest = first;
        for (int i = first + 1; i < candidates->list.count; ++i) {
            deepest = list[i].depth > list[deepest].depth ? i : deepest;
        }
        cnCandidate seed = list[deepest];
        list[deepest] = list[first];
        list[first] = seed;

        // and those of its normal behind it
        int next = first + 1;
        for (int i = next; i < candidates->list.count; ++i) {
            if (cnDot(seed.normal, list[i].normal) >= same) {
                cnCandidate like = list[i];
                list[i] = list[next];
                list[next++] = like;
            }
        }
        MakeManifold(pair, list + first, next - first, seed.normal, &manifolds[made]);
        next = first + PutAside(list + first, next - first, &manifolds[made], pair->size);
        if (same == SAME_NORMAL) {
            candidates->list.count =
                next + DropRepeated(list + next, candidates->list.count - next, &manifolds[made], pair->size);
        }
        made += 1;
        first = next;
    }
    return made;
}

int cnGatherManifolds(const cnShapePair* pair, cnCandidates* candidates, cnLocalManifold* manifolds) {
    bool rolls = cnShape_Is(pair->b, cn_formRound);
    CN_PIN(&candidates->list, "the candidates that are gathered");
    int made = rolls ? Gather(pair, candidates, SAME_NORMAL_ROLLING, manifolds) : -1;
    made = made >= 0 ? made : Gather(pair, candidates, SAME_NORMAL, manifolds);
    CN_UNPIN(&candidates->list);
    candidates->list.count = 0;
    return made >= 0 ? made : CN_PAIR_MANIFOLDS;
}
