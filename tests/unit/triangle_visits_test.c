// Visits of the triangles of meshes and height fields.
#include "geometry/triangles.h"
#include "helpers.h"
#include "surfaces.h"
#include "things.h"

typedef struct Count {
    int asked, visited;
} Count;

static bool is_level(cnVec3 normal, cnVec3 corner, void* context) {
    (void)corner;
    ((Count*)context)->asked += 1;
    return normal.z > 0.95;
}

static bool count_level(const cnTriangle* triangle, void* context) {
    assert_true(triangle->normal.z > 0.95);
    ((Count*)context)->visited += 1;
    return true;
}

static bool count_all(const cnTriangle* triangle, void* context) {
    Count* count = context;
    count->asked += 1;
    count->visited += triangle->normal.z > 0.95;
    return true;
}

static void triangles_are_visited_that_the_filter_lets_through(void** state) {
    (void)state;
    enum {
        side = 9
    };
    double heights[side * side];
    randomState = 3;
    for (int i = 0; i < side * side; ++i) {
        heights[i] = random_in(-0.3, 0.3);
    }
    Surface surface = {0};
    add_torus(&surface, 12, 9, 0.8, 0.35, 0.1);
    const cnShapeDef defs[2] = {field_of(side, side, 4.0, 4.0, heights), define_mesh(&surface)};
    for (int i = 0; i < 2; ++i) {
        cnShape shape = {0};
        assert_int_equal(cnShape_Init(&shape, &defs[i], "test"), CN_ERROR_NONE);
        cnBounds all = {{-9, -9, -9}, {9, 9, 9}};
        Count expected = {0}, count = {0};
        cnShape_VisitTriangles(&shape, all, count_all, &expected);
        cnShape_VisitFiltered(&shape, all, is_level, count_level, &count);
        assert_int_equal(count.asked, expected.asked);
        assert_int_equal(count.visited, expected.visited);
        assert_true(count.visited > 0 && count.visited < count.asked);
        cnShape_Free(&shape);
    }
    free_surface(&surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_visited_that_the_filter_lets_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
