// Boxes at random for the broad phase, and how boxes lie to each other.
#pragma once

#include "collide/broad/broad_phase.h"
#include "helpers.h"

enum {
    maxProxies = 256
};

// Coordinates uniform in [lower, upper).
static inline cnVec3 random_vec_in(double lower, double upper) {
    double x = random_in(lower, upper);
    double y = random_in(lower, upper);
    double z = random_in(lower, upper);
    return cnVec(x, y, z);
}

static inline bool boxes_overlap(cnBounds a, cnBounds b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static inline bool is_around(cnBounds outer, cnBounds inner) {
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y &&
           outer.lower.z <= inner.lower.z && outer.upper.x >= inner.upper.x &&
           outer.upper.y >= inner.upper.y && outer.upper.z >= inner.upper.z;
}

// How a random world is made and changed.
typedef struct Recipe {
    uint64_t seed;
    double extent; // of the region
    double size;   // of proxies
    double offset; // of the region from the origin
    int moving;    // of a hundred
    int steps;
    int unbounded; // of a hundred additions
    int busy;      // of a hundred proxies, those that move in a step
    int merging;   // of a hundred steps, those in which some begin or cease to move together
} Recipe;

// Of a proxy as the recipe has it.
static inline cnBounds random_bounds(const Recipe* recipe) {
    if (random_int(100) < recipe->unbounded) {
        double height = random_in(-recipe->extent, recipe->extent);
        double far = random_int(2) == 0 ? 1e30 : (double)INFINITY;
        return (cnBounds){cnVec(-far, -far, -far), cnVec(far, recipe->offset + height, far)};
    }
    cnVec3 offset = cnVec(recipe->offset, recipe->offset, recipe->offset);
    cnVec3 centre = cnAdd(offset, random_vec_in(-recipe->extent, recipe->extent));
    cnVec3 half = cnScale(recipe->size, random_vec_in(0.0, 1.0));
    return (cnBounds){cnSub(centre, half), cnAdd(centre, half)};
}

static inline cnBounds cube_at(double x, double y, double z, double half) {
    return (cnBounds){cnVec(x - half, y - half, z - half), cnVec(x + half, y + half, z + half)};
}
