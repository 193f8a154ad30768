#include "solve/sweeps/sweep_parts.h"

#include "base/report/assert.h"

#include <math.h>
#include <string.h>

// Least contacts of a part: below, waiting for one another costs more than it gains.
#define CN_PART_CONTACTS 400
// Most slices of an axis at whose bounds bodies may be divided; there are half as many at least.
#define CN_SLICES 128

typedef struct Divided {
    cnVec3f place; // of the centre of mass
    int body;
} Divided;

int cnChoosePartLevels(int contactCount) {
    int levels = 0;
    while (levels < CN_PART_LEVELS && contactCount >> (levels + 1) >= CN_PART_CONTACTS) {
        levels += 1;
    }
    return levels;
}

// Slices of an axis. Their bounds are on a grid of a power of two that does not move with the bodies, so that
// bodies that rest stay in their slices.
typedef struct Slices {
    int axis, first;
    float perLength;
} Slices;

// Of a slice: no simple fraction, by which builders place things.
#define CN_GRID_SHIFT 0.381966f

static float Along(cnVec3f v, int axis) {
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

// The largest one that is not above x, of ordinary numbers above 0.
static float PowerOfTwoBelow(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7f800000u; // the exponent
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int GridSliceOf(const Slices* slices, float along) {
    return (int)floorf(along * slices->perLength + CN_GRID_SHIFT);
}

static int SliceOf(const Slices* slices, const Divided* body) {
    int slice = GridSliceOf(slices, Along(body->place, slices->axis)) - slices->first;
    return slice < 0 ? 0 : (slice < CN_SLICES ? slice : CN_SLICES - 1);
}

// Along the axis in which bodies reach farthest. False where they are all at one place, or at none.
static bool Slice(const Divided* bodies, int count, Slices* slices) {
    float longest = 0.0f, start = 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        float low = Along(bodies[0].place, axis), high = low;
        for (int i = 1; i < count; ++i) {
            float at = Along(bodies[i].place, axis);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > longest) {
            longest = high - low;
            start = low;
            slices->axis = axis;
        }
    }
    if (!(longest > 1e-20f && longest < 1e30f)) {
        return false;
    }
    slices->perLength = 0.5f * (float)CN_SLICES / PowerOfTwoBelow(longest);
    slices->first = GridSliceOf(slices, start);
    return true;
}

// Sorts bodies into a lower and an upper half along their longest axis, as even as slices allow; answers how
// many are in the lower one.
static int Halve(Divided* bodies, Divided* scratch, int count) {
    Slices slices = {0};
    if (count < 2 || !Slice(bodies, count, &slices)) {
        return count / 2;
    }
    int counts[CN_SLICES] = {0};
    for (int i = 0; i < count; ++i) {
        counts[SliceOf(&slices, &bodies[i])] += 1;
    }

    // the bound next to the median
    int below = 0, bound = 0;
    while (bound < CN_SLICES && 2 * below + counts[bound] <= count) {
        below += counts[bound++];
    }
    int lower = 0, upper = 0;
    for (int i = 0; i < count; ++i) {
        if (SliceOf(&slices, &bodies[i]) < bound) {
            bodies[lower++] = bodies[i];
        } else {
            scratch[upper++] = bodies[i];
        }
    }
    CN_ASSERT(lower == below && lower + upper == count);
    memcpy(bodies + lower, scratch, (size_t)upper * sizeof *bodies);
    return lower;
}

// A level of the division: parts, and where the lower half of each ends.
typedef struct Dividing {
    Divided *bodies, *scratch;
    int starts[CN_MAX_PARTS + 1];
    int middles[CN_MAX_PARTS];
} Dividing;

static void HalveParts(int begin, int end, int thread, void* context) {
    (void)thread;
    Dividing* dividing = context;
    for (int part = begin; part < end; ++part) {
        const int start = dividing->starts[part], count = dividing->starts[part + 1] - start;
        dividing->middles[part] = start + Halve(dividing->bodies + start, dividing->scratch + start, count);
    }
}

bool cnDivideBodies(cnSolve* solve, int* bodies, int count, int levels, uint8_t* parts) {
    CN_ASSERT(levels >= 0 && levels <= CN_PART_LEVELS);
    Divided* divided = CN_PUSH(solve->stack, Divided, count + 1, "bodies to divide");
    Divided* scratch = CN_PUSH(solve->stack, Divided, count + 1, "bodies set aside");
    if (divided == NULL || scratch == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        int row = solve->solver.rows[bodies[i]];
        divided[i] = (Divided){cnToF(solve->bodies->centreOfMass[row]), bodies[i]};
    }
    Dividing dividing = {.bodies = divided, .scratch = scratch, .starts = {0, count}};
    int* starts = dividing.starts;
    for (int level = 0, n = 1; level < levels; ++level, n *= 2) {
        cnThreadPool_Run(solve->threads, HalveParts, &dividing, n, 1);
        for (int part = n - 1; part >= 0; --part) {
            starts[2 * part + 2] = starts[part + 1];
            starts[2 * part + 1] = dividing.middles[part];
            starts[2 * part] = starts[part];
        }
    }
    for (int part = 0; part < 1 << levels; ++part) {
        for (int i = starts[part]; i < starts[part + 1]; ++i) {
            bodies[i] = divided[i].body;
            parts[divided[i].body] = (uint8_t)part;
        }
    }
    cnStack_Pop(solve->stack, scratch);
    cnStack_Pop(solve->stack, divided);
    return true;
}
