// Rays and overlap queries of the broad phase against brute force.
#include "random_boxes.h"

#include <float.h>

typedef struct RaySeen {
    const cnBroadPhase* broadPhase;
    cnVec3 origin, translation;
    bool seen[maxProxies];
    int hits;
    double fraction;
    bool cuts;
} RaySeen;

// Where the segment enters a box, above 1 for never: clipping by the six planes in long double, box grown by
// `slack`.
static double enter_fraction(cnVec3 origin, cnVec3 translation, cnBounds box, double slack) {
    const double start[3] = {origin.x, origin.y, origin.z};
    const double way[3] = {translation.x, translation.y, translation.z};
    const double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    long double in = 0.0L;
    long double out = 1.0L;
    for (int axis = 0; axis < 3; ++axis) {
        long double grow =
            (long double)slack * (fabsl((long double)start[axis]) + fabsl((long double)way[axis]));
        long double low = (long double)lower[axis] - grow - (long double)start[axis];
        long double high = (long double)upper[axis] + grow - (long double)start[axis];
        if (way[axis] == 0.0) {
            if (low > 0.0L || high < 0.0L) {
                return 2.0;
            }
            continue;
        }
        long double t1 = low / (long double)way[axis];
        long double t2 = high / (long double)way[axis];
        long double nearer = t1 < t2 ? t1 : t2;
        long double farther = t1 < t2 ? t2 : t1;
        in = nearer > in ? nearer : in;
        out = farther < out ? farther : out;
    }
    return in <= out ? (double)in : 2.0;
}

static double record_ray(int proxy, double fraction, void* context) {
    RaySeen* ray = context;
    assert_false(ray->seen[proxy]);
    ray->seen[proxy] = true;
    ray->hits += 1;
    if (!ray->cuts) {
        return fraction;
    }
    double enter =
        enter_fraction(ray->origin, ray->translation, cnBroadPhase_GetFatBounds(ray->broadPhase, proxy), 0.0);
    ray->fraction = cnMin(ray->fraction, enter);
    return cnMin(enter, fraction);
}

static void check_ray(const cnBroadPhase* broadPhase, int count, cnVec3 origin, cnVec3 translation) {
    RaySeen all = {.broadPhase = broadPhase, .origin = origin, .translation = translation};
    cnBroadPhase_CastRay(broadPhase, origin, translation, record_ray, &all);
    double nearest = 2.0;
    for (int i = 0; i < count; ++i) {
        cnBounds fat = cnBroadPhase_GetFatBounds(broadPhase, i);
        double enter = enter_fraction(origin, translation, fat, 0.0);
        nearest = cnMin(nearest, enter);
        if (enter <= 1.0) {
            assert_true(all.seen[i]);
        } else if (all.seen[i]) {
            assert_true(enter_fraction(origin, translation, fat, 1e-14) <= 1.0);
        }
    }
    RaySeen first = {.broadPhase = broadPhase,
                     .origin = origin,
                     .translation = translation,
                     .fraction = 2.0,
                     .cuts = true};
    cnBroadPhase_CastRay(broadPhase, origin, translation, record_ray, &first);
    assert_true(first.fraction == nearest);
    assert_true(first.hits <= all.hits);
}

static double stop_ray(int proxy, double fraction, void* context) {
    (void)proxy;
    (void)fraction;
    *(int*)context += 1;
    return -1.0;
}

static void rays_match_brute_force(void** state) {
    (void)state;
    randomState = 77;
    static const double scales[] = {10.0, 1e-3, 1e6};
    for (size_t scaleIndex = 0; scaleIndex < sizeof scales / sizeof *scales; ++scaleIndex) {
        double scale = scales[scaleIndex];
        Recipe recipe = {.extent = scale, .size = 0.2 * scale, .unbounded = 3};
        cnBroadPhase* broadPhase = cnBroadPhase_Create();
        int count = 150;
        for (int i = 0; i < count; ++i) {
            assert_int_equal(cnBroadPhase_AddProxy(broadPhase, random_bounds(&recipe), i % 3 != 0), i);
        }
        assert_true(cnBroadPhase_Update(broadPhase, NULL, NULL, NULL, NULL));
        for (int i = 0; i < 2000; ++i) {
            cnVec3 origin = random_vec_in(-1.5 * scale, 1.5 * scale);
            cnVec3 translation = random_vec_in(-3.0 * scale, 3.0 * scale);
            int special = random_int(8);
            cnBounds fat = cnBroadPhase_GetFatBounds(broadPhase, random_int(count));
            if (special == 0) {
                translation = cnVec(translation.x, 0.0, 0.0);
            } else if (special == 1) {
                // along a face
                origin.y = fat.upper.y;
                translation = cnVec(translation.x, 0.0, -0.0);
            } else if (special == 2) {
                origin = cnIsFiniteVec(fat.lower) ? fat.lower : origin;
                translation.z = 1e-300;
            } else if (special == 3) {
                translation = cnVec3_zero;
            } else if (special == 4) {
                translation = cnScale(1e12, translation);
            } else if (special == 5 && cnIsFiniteVec(fat.lower)) {
                // ends on a corner
                translation = cnSub(fat.lower, origin);
            }
            check_ray(broadPhase, count, origin, translation);
        }
        int visits = 0;
        cnBroadPhase_CastRay(broadPhase, cnVec(-2 * scale, 0, 0), cnVec(4 * scale, 0, 0), stop_ray, &visits);
        assert_int_equal(visits, 1);
        visits = 0;
        cnBroadPhase_CastRay(broadPhase, cnVec((double)NAN, 0, 0), cnVec(1, 0, 0), stop_ray, &visits);
        cnBroadPhase_CastRay(broadPhase, cnVec3_zero, cnVec((double)INFINITY, 0, 0), stop_ray, &visits);
        assert_int_equal(visits, 0);
        cnBroadPhase_Destroy(broadPhase);
    }
    assert_int_equal(cnGetBytesInUse(), 0);
}

static bool record_overlap(int proxy, void* context) {
    bool* seen = context;
    assert_false(seen[proxy]);
    seen[proxy] = true;
    return true;
}

static void overlap_queries_match_brute_force(void** state) {
    (void)state;
    randomState = 99;
    Recipe recipe = {.extent = 10.0, .size = 2.0, .unbounded = 3};
    cnBroadPhase* broadPhase = cnBroadPhase_Create();
    int count = 150;
    for (int i = 0; i < count; ++i) {
        assert_int_equal(cnBroadPhase_AddProxy(broadPhase, random_bounds(&recipe), i % 2 == 0), i);
    }
    for (int i = 0; i < 1000; ++i) {
        cnBounds bounds = random_bounds(&recipe);
        cnBounds fat = cnBroadPhase_GetFatBounds(broadPhase, random_int(count));
        int special = random_int(3);
        if (special == 0) {
            // touches from outside
            bounds.lower.x = fat.upper.x;
            bounds.upper.x = fat.upper.x + 1.0;
        } else if (special == 1) {
            // misses by less than f32 can tell
            bounds.lower.x = fat.upper.x + 1e-9;
            bounds.upper.x = fat.upper.x + 1.0;
        }
        bool seen[maxProxies] = {false};
        cnBroadPhase_Overlap(broadPhase, bounds, record_overlap, seen);
        for (int j = 0; j < count; ++j) {
            assert_int_equal(seen[j], boxes_overlap(cnBroadPhase_GetFatBounds(broadPhase, j), bounds));
        }
    }
    cnBroadPhase_Destroy(broadPhase);
}

int main(void) {
    return run_all(rays_match_brute_force, overlap_queries_match_brute_force);
}
