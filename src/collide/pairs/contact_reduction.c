#include "collide/pairs/contact_reduction.h"
#include "base/containers/sort.h"

#include "base/report/assert.h"

#include <string.h>

// Points of a bin that are shallower than its deepest by this part of its depth, or by this part of the
// contact's size, count as deep as that.
#define CN_DEPTH_SHARE 0.1
#define CN_DEPTH_OF_SIZE 1e-6

static int BinOf(double component, int resolution) {
    CN_ASSERT(resolution >= 1 && resolution <= CN_REDUCTION_MAX_RESOLUTION);
    int bin = (int)floor(0.5 * (component + 1.0) * resolution);
    return bin < 0 ? 0 : (bin >= resolution ? resolution - 1 : bin);
}

// Ascending; bin in the high half, point in the low one.
static void SortKeys(uint64_t* keys, int count) {
    CN_SHELL_SORT(uint64_t, keys, count, a, b, a < b);
}

// The one of a bin that stays.
static int ChooseOfBin(const cnReductionPoint* points, const uint64_t* keys, int count, cnVec3 centre,
                       double slack) {
    CN_ASSERT(count > 0);
    double deepest = -1e30;
    for (int i = 0; i < count; ++i) {
        deepest = cnMax(deepest, points[(uint32_t)keys[i]].depth);
    }
    double enough = deepest - cnMax(CN_DEPTH_SHARE * deepest, slack);
    int chosen = -1;
    double farthest = -1.0;
    for (int i = 0; i < count; ++i) {
        int point = (int)(uint32_t)keys[i];
        cnVec3 moment = cnCross(cnSub(points[point].position, centre), points[point].normal);
        if (points[point].depth >= enough && cnLengthSquared(moment) > farthest) {
            farthest = cnLengthSquared(moment);
            chosen = point;
        }
    }
    return chosen;
}

int cnReduceContactPoints(const cnReductionPoint* points, int count, int resolution, uint64_t* keys,
                          uint8_t* keep) {
    CN_ASSERT(count >= 0 && resolution >= 1);
    memset(keep, count > CN_REDUCTION_MIN ? 0 : 1, (size_t)count);
    if (count <= CN_REDUCTION_MIN) {
        return count;
    }

    // moments about the middle, in units of the largest
    cnVec3 centre = cnVec3_zero;
    for (int i = 0; i < count; ++i) {
        centre = cnMulAdd(centre, 1.0 / count, points[i].position);
    }
    double size = 0.0;
    int deepest = 0;
    for (int i = 0; i < count; ++i) {
        size = cnMax(size, cnLength(cnCross(cnSub(points[i].position, centre), points[i].normal)));
        deepest = points[i].depth > points[deepest].depth ? i : deepest;
    }
    double scale = size > 0.0 ? 1.0 / size : 0.0;

    // the bin of each
    for (int i = 0; i < count; ++i) {
        cnVec3 n = points[i].normal;
        cnVec3 m = cnScale(scale, cnCross(cnSub(points[i].position, centre), n));
        const double row[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
        uint64_t bin = 0;
        for (int k = 0; k < 6; ++k) {
            bin = bin * (uint64_t)resolution + (uint64_t)BinOf(row[k], resolution);
        }
        keys[i] = bin << 32 | (uint32_t)i;
    }
    SortKeys(keys, count);

    // one of each
    int kept = 1;
    keep[deepest] = 1;
    for (int first = 0; first < count;) {
        int end = first + 1;
        while (end < count && keys[end] >> 32 == keys[first] >> 32) {
            end += 1;
        }
        int chosen = ChooseOfBin(points, keys + first, end - first, centre, CN_DEPTH_OF_SIZE * size);
        CN_ASSERT(chosen >= 0 && chosen < count);
        kept += keep[chosen] == 0;
        keep[chosen] = 1;
        first = end;
    }
    CN_ASSERT(kept >= 1 && kept <= count);
    return kept;
}
