// Render data of shapes: copied and checked.
#include "things.h"

static void render_data_is_copied_and_checked(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnShapeDef def = sphere_of(1);
    cnShapeId shape = cnCreateShape(world, &def), other = cnCreateShape(world, &def);
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint32_t indices[] = {0, 1, 2}, wrong[] = {0, 1, 3};
    cnRenderData data = {positions, normals, 3, indices, 3, {1, 0.5f, 0, 1}};
    assert_null(cnShape_GetRenderData(world, other));
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NONE);
    assert_null(cnShape_GetRenderData(world, shape));
    const cnRenderData* stored = cnShape_GetRenderData(world, other);
    assert_non_null(stored);
    assert_ptr_not_equal(stored->positions, positions);
    assert_memory_equal(stored->positions, positions, sizeof positions);
    assert_memory_equal(stored->normals, normals, sizeof normals);
    assert_memory_equal(stored->indices, indices, sizeof indices);
    assert_memory_equal(stored->colour, data.colour, sizeof data.colour);
    data.normals = NULL;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NONE);
    assert_null(cnShape_GetRenderData(world, other)->normals);

    // refused, and what was set stays
    data.indices = wrong;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_OUT_OF_RANGE);
    data.indices = NULL;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NULL_ARGUMENT);
    data.indices = indices;
    data.indexCount = 2;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_OUT_OF_RANGE);
    data.indexCount = 3;
    data.colour[0] = NAN;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NOT_FINITE);
    assert_non_null(cnShape_GetRenderData(world, other));
    assert_int_equal(cnShape_SetRenderData(world, other, NULL), CN_ERROR_NONE);
    assert_null(cnShape_GetRenderData(world, other));
    data.colour[0] = 1;
    assert_int_equal(cnShape_SetRenderData(world, shape, &data), CN_ERROR_NONE);
    assert_int_equal(cnReleaseShape(world, shape), CN_ERROR_NONE);
    assert_int_equal(cnShape_SetRenderData(world, shape, &data), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NONE);
    cnDestroyWorld(world);
    assert_int_equal(cnGetBytesInUse(), 0);
}

int main(void) {
    return run_all(render_data_is_copied_and_checked);
}
