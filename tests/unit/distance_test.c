// Closest points in closed form beside those that GJK finds.
#include "geometry/distance.h"
#include "helpers.h"

static cnVec3 into_box(cnVec3 x, cnVec3 half) {
    return cnMaxVec(cnNeg(half), cnMinVec(x, half));
}

// Segments of every kind: askew, along an axis, in a face's plane, through edges, reaching inside.
static void random_segment(cnVec3 half, cnVec3* p, cnVec3* d) {
    *p = random_vec(2.0);
    *d = random_vec(3.0);
    int kind = (int)random_in(0.0, 6.0);
    if (kind == 0) {
        *d = cnVec(random_in(-3.0, 3.0), 0.0, 0.0);
    } else if (kind == 1) {
        p->z = half.z;
        d->z = 0.0;
    } else if (kind == 2) {
        *p = into_box(*p, half);
    } else if (kind == 3) {
        *d = cnSub(into_box(random_vec(2.0), half), *p);
    }
}

static void test_a_segment_is_as_far_from_a_box_as_gjk_says(void** state) {
    (void)state;
    randomState = 7;
    for (int i = 0; i < CASES(20000); ++i) {
        cnVec3 half = cnVec(random_in(0.1, 1.0), random_in(0.1, 1.0), random_in(0.1, 1.0));
        cnVec3 p, d;
        random_segment(half, &p, &d);
        double s = cnFindClosestToBox(p, d, half);
        assert_true(s >= 0.0 && s <= 1.0);
        cnVec3 onSegment = cnMulAdd(p, s, d);
        double distance = cnLength(cnSub(onSegment, into_box(onSegment, half)));

        cnBoxStorage storage;
        cnPolytope box = cnPolytope_FromBox(half, &storage);
        cnVec3 ends[2] = {p, cnAdd(p, d)};
        cnPolytope segment = {.vertexCount = 2, .vertices = ends};
        cnRelativePose same = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
        cnDistance closest = cnComputeDistance(&box, &segment, &same);
        assert_near(distance, closest.distance, 1e-9);

        // no other point of it is nearer
        for (int k = 0; k <= 8; ++k) {
            cnVec3 other = cnMulAdd(p, k / 8.0, d);
            assert_true(cnLength(cnSub(other, into_box(other, half))) >= distance - 1e-12);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_segment_is_as_far_from_a_box_as_gjk_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
