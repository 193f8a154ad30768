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
        cnShape_SearchTriangles(&shape, &(cnTriangleSearch){all, is_level, count_level, &count, NULL});
        assert_int_equal(count.asked, expected.asked);
        assert_int_equal(count.visited, expected.visited);
        assert_true(count.visited > 0 && count.visited < count.asked);
        cnShape_Free(&shape);
    }
    free_surface(&surface);
}

typedef struct Visited {
    int count;
    int indices[512];
} Visited;

static bool note_index(const cnTriangle* triangle, void* context) {
    Visited* visited = context;
    assert_true(visited->count < 512);
    visited->indices[visited->count++] = triangle->index;
    return true;
}

// A list that is kept finds what a search through the tree finds, in the same order, wherever boxes of three
// sizes walk or jump, and where they hold more than it.
static void kept_lists_find_the_same_triangles(void** state) {
    (void)state;
    Surface surface = {0};
    add_torus(&surface, 24, 18, 0.8, 0.35, 0.1);
    const cnShapeDef def = define_mesh(&surface);
    cnShape shape = {0};
    assert_int_equal(cnShape_Init(&shape, &def, "test"), CN_ERROR_NONE);
    randomState = 5;
    const double sizes[3] = {0.05, 0.2, 0.6};
    int seen = 0, most = 0, keptOf = 0;
    for (int k = 0; k < 3; ++k) {
        cnNearTriangles near = {0};
        cnVec3 at = {0.8, 0.0, 0.35}, way = cnVec3_zero;
        for (int step = 0; step < 3000; ++step) {
            if (step % 100 == 0) {
                at = cnVec(random_in(-1.2, 1.2), random_in(-1.2, 1.2), random_in(-0.5, 0.5));
                way = cnVec(random_in(-0.02, 0.02), random_in(-0.02, 0.02), random_in(-0.01, 0.01));
            }
            at = cnAdd(at, way);
            cnVec3 half = {sizes[k], 0.7 * sizes[k], random_in(0.5, 1.0) * sizes[k]};
            cnBounds bounds = {cnSub(at, half), cnAdd(at, half)};
            Visited expected = {0}, found = {0};
            cnShape_VisitTriangles(&shape, bounds, note_index, &expected);
            cnBounds before = near.bounds;
            cnShape_SearchTriangles(&shape, &(cnTriangleSearch){bounds, NULL, note_index, &found, &near});
            assert_int_equal(found.count, expected.count);
            assert_memory_equal(found.indices, expected.indices, (size_t)found.count * sizeof(int));
            seen += found.count > 0;
            most = found.count > most ? found.count : most;
            keptOf += before.lower.x == near.bounds.lower.x && before.upper.x == near.bounds.upper.x;
        }
    }
    assert_true(seen > 1500 && most > CN_NEAR_TRIANGLES && keptOf > 4500);
    cnShape_Free(&shape);
    free_surface(&surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_visited_that_the_filter_lets_through),
        cmocka_unit_test(kept_lists_find_the_same_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
