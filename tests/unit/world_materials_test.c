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
    assert_last_error(CN_ERROR_UNKNOWN_NAME, "name", "allowed are the names of materials");
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

static cnGeometryId add_ball(cnWorldId world, cnBodyId body, cnGeometryDef def) {
    cnShapeId shape = cnCreateShape(world, &(cnShapeDef){.type = cn_sphere, .radius = 0.5});
    cnShapeInstance instance = {.shape = shape};
    def.body = body;
    def.shapes = &instance;
    def.shapeCount = 1;
    cnGeometryId geometry = cnCreateGeometry(world, &def);
    cnReleaseShape(world, shape);
    return geometry;
}

// Same values, same material; it lives as long as a geometry has it.
static void geometries_share_materials(void** state) {
    (void)state;
    cnWorldId id = cnCreateWorld(&(cnWorldDef){0});
    const cnWorld* world = cnFindWorld(id, __func__);
    const cnMaterialTable* table = &world->materials.materials;
    cnBodyId body = cnCreateBody(id, &(cnBodyDef){.mass = 1.0});
    const cnGeometryDef slick = {
        .frictionGiven = true, .friction = 0.1, .restitutionGiven = true, .restitution = 0.75};
    const cnGeometryDef bouncy = {.restitutionGiven = true, .restitution = 0.75};
    cnGeometryId balls[] = {add_ball(id, body, slick), add_ball(id, body, slick), add_ball(id, body, bouncy)};
    int rows[3];
    for (int i = 0; i < 3; ++i) {
        assert_false(CN_IS_NULL(balls[i]));
        rows[i] = world->geometries.material[CN_INDEX_OF(balls[i])];
    }
    assert_int_equal(table->ids.liveCount, 2);
    assert_int_equal(rows[0], rows[1]);
    assert_true(rows[2] != rows[0]);
    assert_true(table->roughness[rows[0]] == 0.1 && table->viscosity[rows[0]] == 0.25);
    assert_true(table->roughness[rows[2]] == 0.416667 && table->density[rows[2]] == 1000.0);
    assert_int_equal(table->users[rows[0]], 2);

    // it is a material like others: a contact material may name it, and one cannot destroy it in use
    cnMaterialId shared = {table->handle[rows[0]]};
    assert_int_equal(cnDestroyMaterial(id, shared), CN_ERROR_IN_USE);
    cnContactMaterialId pair = cnCreateContactMaterial(id, &(cnContactMaterialDef){.material1 = shared});
    assert_true(cnContactMaterial_IsValid(id, pair));
    assert_int_equal(cnWorld_Validate(id), CN_ERROR_NONE);

    // the first of two to end leaves it, the second takes it along
    cnDestroyGeometry(id, balls[0]);
    assert_true(cnMaterial_IsValid(id, shared));
    assert_int_equal(cnGeometry_SetMaterial(id, balls[1], (cnMaterialId){0}), CN_ERROR_NONE);
    assert_false(cnMaterial_IsValid(id, shared));
    assert_false(cnContactMaterial_IsValid(id, pair));
    assert_int_equal(cnWorld_Validate(id), CN_ERROR_NONE);
    cnDestroyBody(id, body);
    assert_int_equal(table->ids.liveCount, 0);

    // a material of the user is not shared, whatever its values, and stays
    cnMaterialId own =
        cnCreateMaterial(id, &(cnMaterialDef){.given = cn_materialRestitution, .restitution = 0.75});
    cnGeometryId first = add_ball(id, (cnBodyId){0}, (cnGeometryDef){.material = own});
    cnGeometryId second = add_ball(id, (cnBodyId){0}, bouncy);
    assert_int_equal(table->ids.liveCount, 2);
    cnDestroyGeometry(id, first);
    assert_true(cnMaterial_IsValid(id, own));
    assert_int_equal(cnDestroyMaterial(id, own), CN_ERROR_NONE);
    cnDestroyGeometry(id, second);
    assert_int_equal(table->ids.liveCount, 0);

    // what is wrong
    cnMaterialId steel = cnCreateMaterial(id, &(cnMaterialDef){.library = "steel"});
    cnGeometryDef both = {.material = steel, .restitutionGiven = true};
    assert_true(CN_IS_NULL(add_ball(id, (cnBodyId){0}, both)));
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "def.restitution", "together with def.material");
    assert_true(
        CN_IS_NULL(add_ball(id, (cnBodyId){0}, (cnGeometryDef){.frictionGiven = true, .friction = -1.0})));
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "def.friction", "allowed is 0");
    assert_true(CN_IS_NULL(
        add_ball(id, (cnBodyId){0}, (cnGeometryDef){.restitutionGiven = true, .restitution = 1.5})));
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "def.restitution", "0 to 1");
    assert_int_equal(table->ids.liveCount, 1);
    cnDestroyWorld(id);
}

int main(void) {
    return run_all(geometries_share_materials, materials_are_found_by_name,
                   the_frame_of_friction_ends_with_its_body);
}
