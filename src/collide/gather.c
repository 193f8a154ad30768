// Candidates of a concave pair into manifolds.
#include "collide/collide.h"

// Cosine of 2.5°: the largest angle between a point's normal and that of its manifold. A manifold is cut along directions, not
// along planes: points of one normal bear alike wherever they are, and four of them span more than two pairs.
#define SAME_NORMAL 0.99905

static void AddPoint(cnLocalPoint* points, int* count, const cnCandidate* candidate) {
    points[(*count)++] = (cnLocalPoint){candidate->point, candidate->depth, candidate->feature};
}

// The first `count` candidates into one manifold. Of too many, the deepest and the extreme ones in 32 directions.
static void MakeManifold(const cnPair* pair, const cnCandidate* candidates, int count, cnVec3 normal,
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
            cnVec3 direction = cnTurnTangent(normal, tangent, step);
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
}

int cnGatherManifolds(const cnPair* pair, cnCandidates* candidates, cnLocalManifold* manifolds) {
    cnCandidate* list = candidates->list.data;
    int first = 0, made = 0;
    while (first < candidates->list.count && made < CN_PAIR_MANIFOLDS) {
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
            if (cnDot(seed.normal, list[i].normal) >= SAME_NORMAL) {
                cnCandidate same = list[i];
                list[i] = list[next];
                list[next++] = same;
            }
        }
        MakeManifold(pair, list + first, next - first, seed.normal, &manifolds[made++]);
        first = next;
    }
    candidates->list.count = 0;
    return made;
}
