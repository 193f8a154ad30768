// Materials of a world: what bodies and geometries have to do with them.
#include "helpers.h"
#include "world/world.h"

static void the_frame_of_friction_ends_with_its_body(void** state) {
    (void)state;
    cnWorldId id = cnCreateWorld(&(cnWorldDef){0});
    cnWorld* world = cnFindWorld(id, __func__);
    cnMaterialId material = cnCreateMaterial(id, &(cnMaterialDef){0});
    cnBodyId bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = cnCreateBody(id, &(cnBodyDef){.mass = 1.0});
    }
    cnContactMaterialDef def = {.material1 = material,
                                .material2 = material,
                                .given = cn_contactFrictionModel,
                                .frictionModel = {.frame = bodies[1], .primary = {1.0, 0.0, 0.0}}};
    cnContactMaterialId pair = cnCreateContactMaterial(id, &def);
    cnContactMaterialTable* table = &world->materials.contactMaterials;
    int row = CN_INDEX_OF(pair);
    assert_int_equal(cnWorld_Validate(id), CN_ERROR_NONE);
    assert_int_equal(cnWorld_GetPairProperties(id, material, material).frictionModel.frame.value,
                     bodies[1].value);

    // another body's end is nothing to it
    cnDestroyBody(id, bodies[0]);
    assert_int_equal(table->frame[row], CN_INDEX_OF(bodies[1]));
    uint32_t revision = world->materials.revision;
    cnDestroyBody(id, bodies[1]);
    assert_int_equal(table->frame[row], -1);
    assert_true(world->materials.revision != revision);
    assert_int_equal(cnWorld_GetPairProperties(id, material, material).frictionModel.frame.value, 0);
    assert_int_equal(cnWorld_Validate(id), CN_ERROR_NONE);

    // a body that is gone
    def.frictionModel = (cnFrictionModel){.frame = bodies[1], .primary = {1.0, 0.0, 0.0}};
    assert_int_equal(cnContactMaterial_Set(id, pair, &def), CN_ERROR_STALE_HANDLE);
    assert_last_error(CN_ERROR_STALE_HANDLE, "frictionModel.frame", "names a body that was destroyed");
    cnDestroyWorld(id);
}

static void materials_are_found_by_name(void** state) {
    (void)state;
    cnWorldId id = cnCreateWorld(&(cnWorldDef){0});
    cnMaterialId rail = cnCreateMaterial(id, &(cnMaterialDef){.name = "rail"});
    assert_int_equal(cnWorld_FindMaterial(id, "rail").value, rail.value);
    assert_true(CN_IS_NULL(cnWorld_FindMaterial(id, "wheel")));
    assert_last_error(CN_ERROR_UNKNOWN_NAME, "name", "no material of the world has it");
    assert_true(CN_IS_NULL(cnWorld_FindMaterial(id, NULL)));
    assert_last_error(CN_ERROR_NULL_ARGUMENT, "name", "null");

    // another world has names of its own, a snapshot brings them back
    cnWorldId other = cnCreateWorld(&(cnWorldDef){0});
    assert_true(CN_IS_NULL(cnWorld_FindMaterial(other, "rail")));
    assert_false(CN_IS_NULL(cnCreateMaterial(other, &(cnMaterialDef){.name = "rail"})));
    static unsigned char bytes[1 << 16];
    size_t size = cnWorld_GetSnapshotBytes(id);
    assert_true(size <= sizeof bytes);
    assert_int_equal(cnWorld_Save(id, bytes, size), CN_ERROR_NONE);
    cnMaterial_Set(id, rail, &(cnMaterialDef){.name = "sleeper"});
    assert_true(CN_IS_NULL(cnWorld_FindMaterial(id, "rail")));
    assert_int_equal(cnWorld_Restore(id, bytes, size), CN_ERROR_NONE);
    assert_int_equal(cnWorld_FindMaterial(id, "rail").value, rail.value);
    assert_true(CN_IS_NULL(cnWorld_FindMaterial(id, "sleeper")));
    cnDestroyWorld(other);
    cnDestroyWorld(id);
}

int main(void) {
    return run_all(materials_are_found_by_name, the_frame_of_friction_ends_with_its_body);
}
