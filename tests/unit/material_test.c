// Materials: pair rules, the library against published ranges, arguments, handles, memory.

#include "base/error.h"
#include "base/hash.h"
#include "cjson/cJSON.h"
#include "helpers.h"
#include "material/pair_properties.h"

#define CALL "cnTest"

// Tables made before and freed after each test; all memory must be back then.
typedef struct Fixture {
    cnMaterialTables tables;
    size_t bytesBefore;
} Fixture;

static int set_up(void** state) {
    static Fixture fixture;
    fixture.bytesBefore = cnGetBytesInUse();
    cnMaterialTables_Init(&fixture.tables, 1);
    cnClearLastError();
    *state = &fixture;
    return 0;
}

static int tear_down(void** state) {
    Fixture* fixture = *state;
    cnMaterialTables_Free(&fixture->tables);
    assert_int_equal(cnGetBytesInUse(), fixture->bytesBefore);
    return 0;
}

static cnMaterialTables* tables_of(void** state) {
    return &((Fixture*)*state)->tables;
}

static cnMaterialId create(cnMaterialTables* tables, cnMaterialDef def) {
    cnMaterialId material = cnMaterialTables_CreateMaterial(tables, &def, CALL);
    if (CN_IS_NULL(material)) {
        fail_msg("%s", cnGetLastError()->message);
    }
    return material;
}

static cnMaterialId from_library(cnMaterialTables* tables, const char* name) {
    return create(tables, (cnMaterialDef){.library = name});
}

static cnContactMaterialId create_pair(cnMaterialTables* tables, cnContactMaterialDef def) {
    cnContactMaterialId pair = cnMaterialTables_CreateContactMaterial(tables, &def, CALL);
    if (CN_IS_NULL(pair)) {
        fail_msg("%s", cnGetLastError()->message);
    }
    return pair;
}

// The same from the plain way and from the prepared pairs, in both orders, to the bit.
static cnContactMaterialDef resolve(cnMaterialTables* tables, cnMaterialId a, cnMaterialId b) {
    cnContactMaterialDef plain = cnMaterialTables_GetPairProperties(tables, a, b, CALL);
    cnContactMaterialDef swapped = cnMaterialTables_GetPairProperties(tables, b, a, CALL);
    cnMaterialTables_Prepare(tables);
    cnContactMaterialDef prepared = cnMaterialTables_GetPairProperties(tables, b, a, CALL);
    const cnContactMaterialDef* others[] = {&swapped, &prepared};
    for (int i = 0; i < 2; ++i) {
        assert_memory_equal(others[i]->friction, plain.friction, sizeof plain.friction);
        assert_memory_equal(&others[i]->restitution, &plain.restitution, sizeof plain.restitution);
        assert_memory_equal(&others[i]->youngsModulus, &plain.youngsModulus, sizeof plain.youngsModulus);
        assert_memory_equal(&others[i]->damping, &plain.damping, sizeof plain.damping);
        assert_memory_equal(others[i]->surfaceViscosity, plain.surfaceViscosity,
                            sizeof plain.surfaceViscosity);
    }
    return plain;
}

static void assert_error(cnErrorCode code, const char* argument, const char* partOfMessage) {
    assert_string_equal(cnGetLastError()->call, CALL);
    assert_last_error(code, argument, partOfMessage);
}

// ---- pair rules -------------------------------------------------------------------------------------------

static void two_default_materials_follow_the_implicit_rules(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const cnMaterialId none = {0};
    cnContactMaterialDef pair = resolve(tables, none, none);
    assert_near(pair.friction[0], 0.416667, 1e-15);
    assert_near(pair.friction[1], 0.416667, 1e-15);
    assert_near(pair.restitution, 0.5, 0.0);
    assert_near(pair.restitutionThreshold, 0.1, 0.0);
    assert_near(pair.youngsModulus, 2e8, 0.0);
    assert_near(pair.damping, 0.075, 1e-17);
    assert_near(pair.surfaceViscosity[0], 1e-8, 0.0);
    assert_true(pair.contactReduction);
    assert_int_equal(pair.frictionModel, cn_frictionCone);

    // a material that gives nothing is the default one
    cnContactMaterialDef same = resolve(tables, create(tables, (cnMaterialDef){0}), none);
    assert_near(same.youngsModulus, 2e8, 0.0);
    assert_near(same.restitution, 0.5, 0.0);
    assert_near(cnMaterialTables_GetDensity(tables, 0), 1000.0, 0.0);
    assert_near(cnMaterialTables_GetDensity(tables, CN_DEFAULT_MATERIAL_ROW), 1000.0, 0.0);
}

static void implicit_rules_combine_both_materials(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const uint32_t given = cn_materialYoungsModulus | cn_materialDamping | cn_materialViscosity |
                           cn_materialRoughness | cn_materialSurfaceViscosity | cn_materialContactReduction;
    cnMaterialId a = create(tables, (cnMaterialDef){.given = given,
                                                    .youngsModulus = 1e9,
                                                    .damping = 0.01,
                                                    .viscosity = 0.19,
                                                    .roughness = 0.9,
                                                    .surfaceViscosity = 1e-6,
                                                    .contactReduction = true});
    cnMaterialId b = create(tables, (cnMaterialDef){.given = given,
                                                    .youngsModulus = 3e9,
                                                    .damping = 0.02,
                                                    .viscosity = 0.0,
                                                    .roughness = 0.4,
                                                    .surfaceViscosity = 2e-6,
                                                    .contactReduction = false});
    cnContactMaterialDef pair = resolve(tables, a, b);
    assert_near(pair.friction[0], 0.6, 1e-15);
    assert_near(pair.friction[1], 0.6, 1e-15);
    assert_near(pair.restitution, 0.9, 1e-15);
    assert_near(pair.youngsModulus, 0.75e9, 1e-6);
    assert_near(pair.damping, 0.02, 0.0);
    assert_near(pair.surfaceViscosity[0], 3e-6, 1e-20);
    assert_near(pair.adhesionForce, 0.0, 0.0);
    assert_false(pair.contactReduction);
}

static void zero_is_a_value_where_given(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId ice = create(tables, (cnMaterialDef){.given = cn_materialRoughness});
    assert_near(resolve(tables, ice, (cnMaterialId){0}).friction[0], 0.0, 0.0);
    cnMaterialId ordinary = create(tables, (cnMaterialDef){.roughness = 0.0});
    assert_near(resolve(tables, ordinary, ordinary).friction[0], 0.416667, 1e-15);
}

// The largest and least values allowed leave no infinity and no NaN.
static void extreme_values_stay_finite(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const double moduli[] = {1e30, 1e-300};
    cnMaterialId materials[2];
    for (int i = 0; i < 2; ++i) {
        materials[i] =
            create(tables, (cnMaterialDef){.given = cn_materialYoungsModulus | cn_materialRoughness,
                                           .youngsModulus = moduli[i],
                                           .roughness = moduli[i]});
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            cnContactMaterialDef pair = resolve(tables, materials[i], materials[j]);
            assert_true(isfinite(pair.youngsModulus) && pair.youngsModulus > 0.0);
            assert_true(isfinite(pair.friction[0]));
        }
    }
}

static void an_explicit_contact_material_wins(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId steel = from_library(tables, "steel");
    cnMaterialId wood = from_library(tables, "wood");
    cnContactMaterialId pair = create_pair(tables, (cnContactMaterialDef){.material1 = wood,
                                                                          .material2 = steel,
                                                                          .given = cn_contactFriction,
                                                                          .friction = {0.11, 0.11}});

    // what it does not give has the defaults of a contact material, not those of the library
    cnContactMaterialDef properties = resolve(tables, steel, wood);
    assert_near(properties.friction[0], 0.11, 0.0);
    assert_near(properties.restitution, 0.0, 0.0);
    assert_near(properties.restitutionThreshold, 0.1, 0.0);
    assert_near(properties.youngsModulus, 4e8, 0.0);
    assert_near(properties.damping, 0.075, 1e-17);
    assert_near(properties.surfaceViscosity[1], 1e-8, 0.0);

    // later changes and the end of it are seen
    cnContactMaterialDef change = {.given = cn_contactRestitution | cn_contactFrictionModel,
                                   .restitution = 1.0,
                                   .frictionModel = cn_frictionNone};
    assert_int_equal(cnMaterialTables_SetContactMaterial(tables, pair, &change, CALL), CN_ERROR_NONE);
    properties = resolve(tables, steel, wood);
    assert_near(properties.restitution, 1.0, 0.0);
    assert_near(properties.friction[0], 0.11, 0.0);
    assert_int_equal(properties.frictionModel, cn_frictionNone);
    assert_int_equal(cnMaterialTables_DestroyContactMaterial(tables, pair, CALL), CN_ERROR_NONE);
    assert_near(resolve(tables, steel, wood).friction[0], 0.3, 0.0);
}

static void a_library_pair_counts_only_between_library_materials(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId steel = from_library(tables, "steel");
    cnMaterialId concrete = from_library(tables, "concrete");
    cnContactMaterialDef pair = resolve(tables, steel, concrete);
    assert_near(pair.friction[0], 0.5, 0.0);
    assert_near(pair.restitution, 0.6, 0.0);
    assert_near(pair.youngsModulus, 26.25e9, 1e3);

    // with the values of concrete but not from the library: the implicit rules
    cnMaterialDef values = cnMaterialTables_GetMaterial(tables, concrete, CALL);
    assert_string_equal(values.library, "concrete");
    values.library = NULL;
    cnContactMaterialDef implicit = resolve(tables, steel, create(tables, values));
    assert_near(implicit.friction[0], sqrt(0.57 * 0.6), 1e-15);
    assert_near(implicit.restitution, sqrt(0.9 * 0.5), 1e-15);
    assert_near(resolve(tables, steel, (cnMaterialId){0}).friction[0], sqrt(0.57 * 0.416667), 1e-15);
}

static void overridden_quantities_fall_back_to_the_implicit_rule(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId concrete = from_library(tables, "concrete");
    cnContactMaterialDef library = resolve(tables, from_library(tables, "steel"), concrete);

    // each quantity alone
    const cnMaterialDef steel = cnMaterialTables_ReadRow(tables, 1);
    const uint32_t fields[] = {cn_materialRoughness, cn_materialYoungsModulus,    cn_materialViscosity,
                               cn_materialDamping,   cn_materialSurfaceViscosity, cn_materialDensity};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        uint32_t field = fields[i];
        cnMaterialDef def = {.library = "steel",
                             .given = field,
                             .density = 1.0,
                             .youngsModulus = 30e9,
                             .damping = 0.2,
                             .viscosity = 0.5,
                             .roughness = 0.15,
                             .surfaceViscosity = 1e-3};
        cnMaterialId changed = create(tables, def);
        cnContactMaterialDef pair = resolve(tables, changed, concrete);
        bool hasRoughness = field == cn_materialRoughness;
        assert_near(pair.friction[0], hasRoughness ? sqrt(0.15 * 0.6) : library.friction[0], 1e-15);
        bool hasModulus = field == cn_materialYoungsModulus;
        assert_near(pair.youngsModulus, hasModulus ? 15e9 : library.youngsModulus, 1e-5);
        bool hasViscosity = field == cn_materialViscosity;
        assert_near(pair.restitution, hasViscosity ? 0.5 : library.restitution, 1e-15);
        bool hasDamping = field == cn_materialDamping;
        assert_near(pair.damping, hasDamping ? 0.2 : library.damping, 1e-15);
        bool hasSurfaceViscosity = field == cn_materialSurfaceViscosity;
        assert_near(pair.surfaceViscosity[0], hasSurfaceViscosity ? 1e-3 + 5e-9 : library.surfaceViscosity[0],
                    1e-15);

        // what is not given is that of the library item
        cnMaterialDef now = cnMaterialTables_GetMaterial(tables, changed, CALL);
        assert_near(now.density, field == cn_materialDensity ? 1.0 : steel.density, 0.0);
        assert_near(now.roughness, hasRoughness ? 0.15 : steel.roughness, 0.0);
    }

    // by cnMaterial_Set too
    cnMaterialId steelAgain = from_library(tables, "steel");
    cnMaterialDef smooth = {.library = "steel", .given = cn_materialRoughness, .roughness = 0.15};
    assert_int_equal(cnMaterialTables_SetMaterial(tables, steelAgain, &smooth, CALL), CN_ERROR_NONE);
    assert_near(resolve(tables, concrete, steelAgain).friction[0], 0.3, 1e-15);
    assert_near(resolve(tables, concrete, steelAgain).restitution, 0.6, 0.0);
}

// ---- the library ------------------------------------------------------------------------------------------

static const char* const materialNames[] = {"aluminium", "asphalt", "concrete", "rubber",
                                            "steel",     "stone",   "wood"};
enum {
    materialNameCount = 7
};

static cJSON* read_ranges(void) {
    FILE* file = fopen(CN_SOURCE_DIR "/tests/validation/MT01_material_properties.json", "rb");
    assert_non_null(file);
    static char text[65536];
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    cJSON* json = cJSON_Parse(text);
    assert_non_null(json);
    return json;
}

static double entry(const cJSON* list, int index) {
    const cJSON* number = cJSON_GetArrayItem(list, index);
    assert_true(cJSON_IsNumber(number));
    return number->valuedouble;
}

static const cJSON* list_of(const cJSON* ranges, const char* name) {
    const cJSON* list = cJSON_GetObjectItem(cJSON_GetObjectItem(ranges, "reference"), name);
    assert_true(cJSON_IsArray(list));
    return list;
}

// The entry whose keys `a` and, unless null, `b` have these texts.
static const cJSON* find_entry(const cJSON* list, const char* keyA, const char* a, const char* b) {
    const cJSON* item;
    cJSON_ArrayForEach(item, list) {
        if (strcmp(cJSON_GetObjectItem(item, keyA)->valuestring, a) == 0 &&
            (b == NULL || strcmp(cJSON_GetObjectItem(item, "b")->valuestring, b) == 0)) {
            return item;
        }
    }
    fail_msg("the ranges have no entry for %s and %s", a, b == NULL ? "nothing" : b);
    return NULL;
}

static void densities_and_moduli_lie_in_published_ranges(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cJSON* ranges = read_ranges();
    const cJSON* list = list_of(ranges, "materials");
    static const char* const references[][2] = {
        {"aluminium", "aluminium alloy 6061"},
        {"asphalt", "asphalt"},
        {"concrete", "concrete"},
        {"rubber", "rubber (natural, soft)"},
        {"steel", "mild/structural steel"},
        {"stone", "granite"},
        {"wood", "oak (along grain)"},
        {"wood", "pine/spruce (along grain)"},
    };
    for (size_t i = 0; i < sizeof references / sizeof *references; ++i) {
        cnMaterialId material = from_library(tables, references[i][0]);
        cnMaterialDef values = cnMaterialTables_GetMaterial(tables, material, CALL);
        const cJSON* reference = find_entry(list, "name", references[i][1], NULL);
        const cJSON* density = cJSON_GetObjectItem(reference, "density");
        const cJSON* modulus = cJSON_GetObjectItem(reference, "E_GPa");
        assert_in_range((uintmax_t)values.density, (uintmax_t)entry(density, 1),
                        (uintmax_t)entry(density, 2));
        assert_true(values.youngsModulus >= 1e9 * entry(modulus, 1));
        assert_true(values.youngsModulus <= 1e9 * entry(modulus, 2));
        assert_near(cnMaterialTables_GetDensity(tables, CN_INDEX_OF(material)), values.density, 0.0);
    }
    cJSON_Delete(ranges);
}

static void friction_lies_in_published_ranges(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cJSON* ranges = read_ranges();
    static const char* const references[][4] = {
        {"steel", "steel", "steel", "steel"},       {"aluminium", "steel", "aluminium", "steel"},
        {"wood", "wood", "wood", "wood"},           {"aluminium", "aluminium", "aluminium", "aluminium"},
        {"steel", "wood", "wood", "metal"},         {"aluminium", "wood", "wood", "metal"},
        {"concrete", "wood", "wood", "concrete"},   {"concrete", "rubber", "rubber", "concrete"},
        {"asphalt", "rubber", "rubber", "asphalt"}, {"rubber", "steel", "rubber", "steel"},
    };
    for (size_t i = 0; i < sizeof references / sizeof *references; ++i) {
        const char* const* names = references[i];
        const cJSON* reference = find_entry(list_of(ranges, "friction"), "a", names[2], names[3]);
        double friction =
            resolve(tables, from_library(tables, names[0]), from_library(tables, names[1])).friction[0];
        const char* const columns[] = {"mu_static", "mu_kinetic"};
        for (int column = 0; column < 2; ++column) {
            const cJSON* range = cJSON_GetObjectItem(reference, columns[column]);
            if (friction < entry(range, 1) || friction > entry(range, 2)) {
                fail_msg("friction of %s on %s is %g, outside of %s", names[0], names[1], friction,
                         columns[column]);
            }
        }
    }
    cJSON_Delete(ranges);
}

static void restitution_lies_in_published_ranges(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cJSON* ranges = read_ranges();
    static const char* const references[][4] = {
        {"steel", "steel", "steel ball", "steel plate"},
        {"aluminium", "aluminium", "aluminium", "aluminium"},
        {"wood", "wood", "wood", "wood"},
        {"concrete", "concrete", "concrete/stone", "concrete/stone"},
        {"concrete", "stone", "concrete/stone", "concrete/stone"},
        {"stone", "stone", "concrete/stone", "concrete/stone"},
        {"concrete", "steel", "steel ball", "concrete"},
        {"concrete", "rubber", "rubber (solid, soft)", "concrete"},
    };
    for (size_t i = 0; i < sizeof references / sizeof *references; ++i) {
        const char* const* names = references[i];
        const cJSON* reference = find_entry(list_of(ranges, "restitution"), "a", names[2], names[3]);
        const cJSON* range = cJSON_GetObjectItem(reference, "e");
        double restitution =
            resolve(tables, from_library(tables, names[0]), from_library(tables, names[1])).restitution;
        assert_true(restitution >= entry(range, 1) && restitution <= entry(range, 2));
    }
    cJSON_Delete(ranges);
}

// All pairs exist; a material on itself is what the implicit rules make of its own values; E is in series.
static void the_library_is_complete_and_agrees_with_the_rules(void** state) {
    cnMaterialTables* tables = tables_of(state);
    for (int i = 0; i < materialNameCount; ++i) {
        for (int j = i; j < materialNameCount; ++j) {
            cnMaterialId a = from_library(tables, materialNames[i]);
            cnMaterialId b = from_library(tables, materialNames[j]);
            int row1 = tables->materials.libraryItem[CN_INDEX_OF(a)];
            int row2 = tables->materials.libraryItem[CN_INDEX_OF(b)];
            assert_non_null(cnMaterialLibrary_FindPair(&tables->library, row2, row1));

            cnContactMaterialDef pair = resolve(tables, a, b);
            cnMaterialDef values1 = cnMaterialTables_GetMaterial(tables, a, CALL);
            cnMaterialDef values2 = cnMaterialTables_GetMaterial(tables, b, CALL);
            double series = values1.youngsModulus * values2.youngsModulus /
                            (values1.youngsModulus + values2.youngsModulus);
            assert_near(pair.youngsModulus / series, 1.0, 1e-5);
            if (i == j) {
                assert_near(pair.friction[0], values1.roughness, 1e-12);
                assert_near(pair.restitution, 1.0 - values1.viscosity, 1e-12);
            }
        }
    }
    assert_int_equal(tables->library.materials.count, materialNameCount);
    assert_int_equal(tables->library.pairs.count, materialNameCount * (materialNameCount + 1) / 2);
    assert_null(cnMaterialLibrary_FindMaterial(&tables->library, "cheese"));
    assert_string_equal(cnMaterialLibrary_FindMaterial(&tables->library, "stone")->name, "stone");
}

// Whatever number stands in a file, its source stands there too.
static void every_value_has_a_source(void** state) {
    (void)state;
    for (int i = 0; i < cnMaterialLibraryFileCount; ++i) {
        // embedded are the values alone
        cJSON* embedded = cJSON_Parse(cnMaterialLibraryFiles[i].text);
        assert_false(cJSON_HasObjectItem(embedded, "sources"));
        cJSON_Delete(embedded);
        char path[1024];
        char text[16384];
        snprintf(path, sizeof path, CN_SOURCE_DIR "/materials/%s", cnMaterialLibraryFiles[i].path);
        FILE* file = fopen(path, "rb");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        cJSON* item = cJSON_Parse(text);
        assert_non_null(item);
        const cJSON* sources = cJSON_GetObjectItem(item, "sources");
        const cJSON* value;
        cJSON_ArrayForEach(value, item) {
            if (cJSON_IsNumber(value) && !cJSON_IsString(cJSON_GetObjectItem(sources, value->string))) {
                fail_msg("%s gives no source for %s", cnMaterialLibraryFiles[i].path, value->string);
            }
        }
        cJSON_Delete(item);
    }
}

static void the_library_is_listed(void** state) {
    (void)state;
    const char* const kinds[] = {"materials", "contact-materials"};
    const int counts[] = {materialNameCount, materialNameCount * (materialNameCount + 1) / 2};
    for (int i = 0; i < 2; ++i) {
        size_t bytes;
        char* text = cnMaterialLibrary_List(cnMaterialLibraryFiles, cnMaterialLibraryFileCount, kinds[i],
                                            &bytes, CALL);
        assert_non_null(text);
        assert_int_equal(strlen(text) + 1, bytes);
        cJSON* list = cJSON_Parse(text);
        assert_int_equal(cJSON_GetArraySize(list), counts[i]);
        const cJSON* item;
        cJSON_ArrayForEach(item, list) {
            assert_true(cJSON_IsString(cJSON_GetObjectItem(item, "name")));
            assert_true(cJSON_IsString(cJSON_GetObjectItem(item, "description")));
            assert_true(cJSON_IsNumber(cJSON_GetObjectItem(item, "youngsModulus")));
            assert_false(cJSON_HasObjectItem(item, "sources"));
        }
        cJSON_Delete(list);
        cnFree(text, bytes);
    }
    size_t bytes;
    assert_null(
        cnMaterialLibrary_List(cnMaterialLibraryFiles, cnMaterialLibraryFileCount, "cables", &bytes, CALL));
    assert_error(CN_ERROR_UNKNOWN_NAME, "kind", "cables");
}

static void malformed_files_are_rejected(void** state) {
    (void)state;
    static const struct {
        cnEmbeddedFile file;
        const char* argument;
        const char* reason;
    } cases[] = {
        {{"materials/a.json", "{\"name\": \"a\",\n\"density\": }"}, "materials/a.json", "near line 2"},
        {{"materials/a.json", "[1]"}, "materials/a.json", "object"},
        {{"materials/a.json", "{\"density\": 3}"}, "materials/a.json/name", "text"},
        {{"materials/a.json", "{\"name\": \"b\"}"}, "materials/a.json/name", "\"b\""},
        {{"materials/a.json", "{\"name\": \"a\", \"desnity\": 3}"},
         "materials/a.json/desnity",
         "no such key"},
        {{"materials/a.json", "{\"name\": \"a\", \"density\": \"3\"}"}, "materials/a.json/density", "number"},
        {{"materials/a.json", "{\"name\": \"a\", \"density\": -3}"}, "materials/a.json/density", "-3 kg/m³"},
        {{"materials/a.json", "{\"name\": \"a\", \"density\": 1e999}"}, "materials/a.json/density", "finite"},
        {{"materials/a.json", "{\"name\": \"a\", \"density\": 1, \"density\": 2}"},
         "materials/a.json/density",
         "twice"},
        {{"contact-materials/m-m.json", "{\"name\": \"m-m\", \"materials\": [\"m\"]}"},
         "contact-materials/m-m.json/materials",
         "two names"},
        {{"contact-materials/m-m.json", "{\"name\": \"m-m\", \"materials\": [\"m\", \"q\"]}"},
         "contact-materials/m-m.json/materials",
         "\"q\""},
        {{"contact-materials/n-m.json", "{\"name\": \"n-m\", \"materials\": [\"n\", \"m\"]}"},
         "contact-materials/n-m.json/materials",
         "alphabetical"},
        {{"contact-materials/m-n.json", "{\"name\": \"m-n\", \"materials\": [\"m\", \"m\"]}"},
         "contact-materials/m-n.json/name",
         "m-m"},
        {{"contact-materials/m-n.json",
          "{\"name\": \"m-n\", \"materials\": [\"m\", \"n\"], \"restitution\": 2}"},
         "contact-materials/m-n.json/restitution",
         "0…1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const cnEmbeddedFile files[] = {
            cases[i].file,
            {"materials/m.json", "{\"name\": \"m\"}"},
            {"materials/n.json", "{\"name\": \"n\"}"},
        };
        cnMaterialLibrary library = {0};
        assert_int_equal(cnMaterialLibrary_Load(&library, files, 3, CALL), CN_ERROR_FILE);
        assert_error(CN_ERROR_FILE, cases[i].argument, cases[i].reason);
        assert_false(library.isLoaded);
        assert_int_equal(library.materials.count, 0);
        cnMaterialLibrary_Free(&library);
    }
}

// A quantity that the pair's file does not give follows from the implicit rule.
static void pair_files_may_leave_quantities_out(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const cnEmbeddedFile files[] = {
        {"contact-materials/m-n.json",
         "{\"name\": \"m-n\", \"materials\": [\"m\", \"n\"], \"friction\": 0.7}"},
        {"materials/m.json", "{\"name\": \"m\", \"youngsModulus\": 2e9, \"roughness\": 0.1}"},
        {"materials/n.json", "{\"name\": \"n\", \"youngsModulus\": 2e9, \"viscosity\": 0.5}"},
    };
    assert_int_equal(cnMaterialLibrary_Load(&tables->library, files, 3, CALL), CN_ERROR_NONE);
    cnMaterialId m = from_library(tables, "m");
    cnMaterialId n = from_library(tables, "n");
    cnContactMaterialDef pair = resolve(tables, n, m);
    assert_near(pair.friction[0], 0.7, 0.0);
    assert_near(pair.friction[1], 0.7, 0.0);
    assert_near(pair.youngsModulus, 1e9, 0.0);
    assert_near(pair.restitution, 0.5, 0.0);
    assert_near(resolve(tables, m, m).friction[0], 0.1, 1e-17);
}

// ---- arguments --------------------------------------------------------------------------------------------

static void wrong_material_values_are_rejected(void** state) {
    cnMaterialTables* tables = tables_of(state);
    static const struct {
        cnMaterialDef def;
        cnErrorCode code;
        const char* argument;
        const char* message;
    } cases[] = {
        {{.given = cn_materialDensity, .density = -3.0},
         CN_ERROR_OUT_OF_RANGE,
         "density",
         "density is -3 kg/m³, allowed is > 0 kg/m³"},
        {{.given = cn_materialDensity}, CN_ERROR_OUT_OF_RANGE, "density", "is 0 kg/m³"},
        {{.given = cn_materialYoungsModulus, .youngsModulus = INFINITY},
         CN_ERROR_NOT_FINITE,
         "youngsModulus",
         "> 0 Pa"},
        {{.given = cn_materialYoungsModulus, .youngsModulus = 1e31},
         CN_ERROR_OUT_OF_RANGE,
         "youngsModulus",
         "at most 1e+30 Pa"},
        {{.given = cn_materialDamping, .damping = -1e-9}, CN_ERROR_OUT_OF_RANGE, "damping", ">= 0 s"},
        {{.given = cn_materialViscosity, .viscosity = 1.5}, CN_ERROR_OUT_OF_RANGE, "viscosity", "0…1"},
        {{.given = cn_materialRoughness, .roughness = NAN}, CN_ERROR_NOT_FINITE, "roughness", ">= 0"},
        {{.given = cn_materialSurfaceViscosity, .surfaceViscosity = -1.0},
         CN_ERROR_OUT_OF_RANGE,
         "surfaceViscosity",
         "(m/s)/N"},
        {{.given = cn_materialRestLength, .minRestLength = 0.1, .maxRestLength = 0.05},
         CN_ERROR_OUT_OF_RANGE,
         "maxRestLength",
         "minRestLength"},
        {{.given = cn_materialRestLength, .maxRestLength = 0.05},
         CN_ERROR_OUT_OF_RANGE,
         "minRestLength",
         "> 0 m"},
        {{.given = cn_materialAdhesion, .adhesionForce = 5.0},
         CN_ERROR_NOT_SUPPORTED_YET,
         "adhesionForce",
         "not supported yet"},
        {{.given = cn_materialAdhesion, .adhesionForce = -5.0},
         CN_ERROR_OUT_OF_RANGE,
         "adhesionForce",
         ">= 0 N"},
        {{.given = 1u << 30}, CN_ERROR_OUT_OF_RANGE, "given", "0x40000000"},
        {{.library = "cheese"}, CN_ERROR_UNKNOWN_NAME, "library", "cheese"},
        {{.library = ""}, CN_ERROR_UNKNOWN_NAME, "library", "\"\""},
    };
    cnMaterialId material = create(tables, (cnMaterialDef){0});
    uint32_t revision = tables->revision;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_true(CN_IS_NULL(cnMaterialTables_CreateMaterial(tables, &cases[i].def, CALL)));
        assert_error(cases[i].code, cases[i].argument, cases[i].message);
        assert_int_not_equal(cnMaterialTables_SetMaterial(tables, material, &cases[i].def, CALL),
                             CN_ERROR_NONE);
    }
    assert_int_equal(tables->materials.ids.liveCount, 1);
    assert_int_equal(tables->revision, revision);
    assert_near(cnMaterialTables_GetMaterial(tables, material, CALL).density, 1000.0, 0.0);

    // a value counts only where its bit is set
    create(tables, (cnMaterialDef){.density = -3.0, .adhesionForce = 5.0});
    assert_true(CN_IS_NULL(cnMaterialTables_CreateMaterial(tables, NULL, CALL)));
    assert_error(CN_ERROR_NULL_ARGUMENT, "def", "null");
    assert_int_equal(cnMaterialTables_SetMaterial(tables, material, NULL, CALL), CN_ERROR_NULL_ARGUMENT);
}

static void wrong_contact_materials_are_rejected(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId a = create(tables, (cnMaterialDef){0});
    cnMaterialId b = create(tables, (cnMaterialDef){0});
    static const struct {
        cnContactMaterialDef def;
        cnErrorCode code;
        const char* argument;
        const char* message;
    } cases[] = {
        {{.given = cn_contactFriction, .friction = {-0.1, 0.5}}, CN_ERROR_OUT_OF_RANGE, "friction", ">= 0"},
        {{.given = cn_contactFriction, .friction = {0.4, NAN}}, CN_ERROR_NOT_FINITE, "friction", "finite"},
        {{.given = cn_contactFriction, .friction = {0.4, 0.5}},
         CN_ERROR_NOT_SUPPORTED_YET,
         "friction",
         "(0.4, 0.5)"},
        {{.given = cn_contactSurfaceViscosity, .surfaceViscosity = {1e-8, 0.0}},
         CN_ERROR_NOT_SUPPORTED_YET,
         "surfaceViscosity",
         "not supported yet"},
        {{.given = cn_contactRestitution, .restitution = 1.01}, CN_ERROR_OUT_OF_RANGE, "restitution", "0…1"},
        {{.given = cn_contactRestitutionThreshold, .restitutionThreshold = -1.0},
         CN_ERROR_OUT_OF_RANGE,
         "restitutionThreshold",
         "m/s"},
        {{.given = cn_contactYoungsModulus}, CN_ERROR_OUT_OF_RANGE, "youngsModulus", "> 0 Pa"},
        {{.given = cn_contactDamping, .damping = -INFINITY}, CN_ERROR_NOT_FINITE, "damping", "finite"},
        {{.given = cn_contactAdhesion, .adhesionForce = 1.0},
         CN_ERROR_NOT_SUPPORTED_YET,
         "adhesionForce",
         "not supported yet"},
        {{.given = cn_contactAdhesion, .adhesionOverlap = 1.0},
         CN_ERROR_NOT_SUPPORTED_YET,
         "adhesionOverlap",
         "not supported yet"},
        {{.given = cn_contactFrictionModel, .frictionModel = cn_frictionBox},
         CN_ERROR_NOT_SUPPORTED_YET,
         "frictionModel",
         "not supported yet"},
        {{.given = cn_contactFrictionModel, .frictionModel = (cnFrictionModelType)77},
         CN_ERROR_OUT_OF_RANGE,
         "frictionModel",
         "77"},
        {{.given = 1u << 10}, CN_ERROR_OUT_OF_RANGE, "given", "0x400"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cnContactMaterialDef def = cases[i].def;
        def.material1 = a;
        def.material2 = b;
        assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, &def, CALL)));
        assert_error(cases[i].code, cases[i].argument, cases[i].message);
    }

    // the pair: no null, no stale material, not twice in either order
    cnContactMaterialDef def = {.material1 = a};
    assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, &def, CALL)));
    assert_error(CN_ERROR_NULL_HANDLE, "material2", "null");
    cnMaterialId gone = create(tables, (cnMaterialDef){0});
    cnMaterialTables_DestroyMaterial(tables, gone, CALL);
    def.material2 = gone;
    assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, &def, CALL)));
    assert_error(CN_ERROR_STALE_HANDLE, "material2", "destroyed");
    create_pair(tables, (cnContactMaterialDef){.material1 = a, .material2 = b});
    create_pair(tables, (cnContactMaterialDef){.material1 = a, .material2 = a});
    def = (cnContactMaterialDef){.material1 = b, .material2 = a};
    assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, &def, CALL)));
    assert_error(CN_ERROR_NAME_TAKEN, "material1", "already");
    assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, NULL, CALL)));
    assert_error(CN_ERROR_NULL_ARGUMENT, "def", "null");
    assert_int_equal(tables->contactMaterials.ids.liveCount, 2);
}

static void the_library_item_of_a_material_stays(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId steel = from_library(tables, "steel");
    cnMaterialDef def = {.library = "wood"};
    assert_int_equal(cnMaterialTables_SetMaterial(tables, steel, &def, CALL), CN_ERROR_OUT_OF_RANGE);
    assert_error(CN_ERROR_OUT_OF_RANGE, "library", "steel");
    cnMaterialDef same = cnMaterialTables_GetMaterial(tables, steel, CALL);
    assert_int_equal(cnMaterialTables_SetMaterial(tables, steel, &same, CALL), CN_ERROR_NONE);
}

// ---- handles ----------------------------------------------------------------------------------------------

static void stale_handles_are_rejected(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId a = create(tables, (cnMaterialDef){0});
    cnMaterialId b = create(tables, (cnMaterialDef){0});
    cnContactMaterialId pair = create_pair(tables, (cnContactMaterialDef){.material1 = a, .material2 = b});
    cnMaterialDef materialChange = {0};
    cnContactMaterialDef pairChange = {0};

    // a material takes its contact materials with it
    assert_int_equal(cnMaterialTables_DestroyMaterial(tables, b, CALL), CN_ERROR_NONE);
    assert_false(cnMaterialTables_IsContactMaterialValid(tables, pair));
    assert_false(cnMaterialTables_IsMaterialValid(tables, b));
    assert_true(cnMaterialTables_IsMaterialValid(tables, a));
    assert_false(cnMaterialTables_IsMaterialValid(tables, (cnMaterialId){0}));
    assert_int_equal(cnMaterialTables_SetMaterial(tables, b, &materialChange, CALL), CN_ERROR_STALE_HANDLE);
    assert_error(CN_ERROR_STALE_HANDLE, "material", "destroyed");
    assert_int_equal(cnMaterialTables_DestroyMaterial(tables, b, CALL), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnMaterialTables_GetMaterial(tables, b, CALL).given, 0);
    assert_int_equal(cnMaterialTables_GetPairProperties(tables, a, b, CALL).given, 0);
    assert_error(CN_ERROR_STALE_HANDLE, "material2", "destroyed");
    assert_int_equal(cnMaterialTables_SetContactMaterial(tables, pair, &pairChange, CALL),
                     CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnMaterialTables_DestroyContactMaterial(tables, pair, CALL), CN_ERROR_STALE_HANDLE);
    cnClearLastError();
    assert_int_equal(cnMaterialTables_DestroyContactMaterial(tables, (cnContactMaterialId){0}, CALL),
                     CN_ERROR_NULL_HANDLE);

    // the row's next owner has nothing of the last one
    cnMaterialId next = create(tables, (cnMaterialDef){0});
    assert_int_equal(CN_INDEX_OF(next), CN_INDEX_OF(b));
    assert_near(resolve(tables, a, next).youngsModulus, 2e8, 0.0);
}

// Generations have 12 bits: no handle ever returns, though the row would wrap, and none is null.
static void handles_never_return(void** state) {
    cnMaterialTables* tables = tables_of(state);
    enum {
        lives = 9000
    };
    uint32_t* values = test_malloc(lives * sizeof *values);
    for (int i = 0; i < lives; ++i) {
        cnMaterialId material = create(tables, (cnMaterialDef){0});
        values[i] = material.value;
        assert_int_not_equal(CN_GENERATION_OF(material), 0);
        assert_true(CN_GENERATION_OF(material) < 1u << CN_GENERATION_BITS);
        assert_true(CN_INDEX_OF(material) < 3);
        assert_int_equal(cnMaterialTables_DestroyMaterial(tables, material, CALL), CN_ERROR_NONE);
    }
    // lives of one row follow each other, so equal handles would be a wrap apart or less
    enum {
        generations = (1 << CN_GENERATION_BITS) - 1
    };
    for (int i = generations; i < lives; ++i) {
        assert_int_not_equal(values[i], values[i - generations]);
    }
    assert_false(cnMaterialTables_IsMaterialValid(tables, (cnMaterialId){values[0]}));
    test_free(values);
}

// ---- many -------------------------------------------------------------------------------------------------

// Hundreds of contact materials made and destroyed in mixed order: each pair finds its own and no other's.
static void many_pairs_are_found(void** state) {
    cnMaterialTables* tables = tables_of(state);
    enum {
        count = 90
    };
    static cnMaterialId materials[count];
    static cnContactMaterialId pairs[count][count];
    memset(pairs, 0, sizeof pairs);
    for (int i = 0; i < count; ++i) {
        materials[i] = create(tables, (cnMaterialDef){0});
    }
    for (uint64_t turn = 0; turn < 20000; ++turn) {
        uint64_t random = cnMix64(turn + 1);
        int i = (int)(random % count);
        int j = (int)(random / count % count);
        int smaller = i < j ? i : j;
        int larger = i < j ? j : i;
        cnContactMaterialId* pair = &pairs[smaller][larger];
        if (CN_IS_NULL(*pair)) {
            double friction = 1.0 + smaller * count + larger;
            *pair = create_pair(tables, (cnContactMaterialDef){.material1 = materials[i],
                                                               .material2 = materials[j],
                                                               .given = cn_contactFriction,
                                                               .friction = {friction, friction}});
        } else {
            assert_int_equal(cnMaterialTables_DestroyContactMaterial(tables, *pair, CALL), CN_ERROR_NONE);
            *pair = (cnContactMaterialId){0};
        }
    }

    // more materials than the prepared pairs have room for
    for (int prepared = 0; prepared < 2; ++prepared) {
        for (int i = 0; i < count; ++i) {
            for (int j = i; j < count; ++j) {
                cnPairProperties properties =
                    cnResolvePair(tables, CN_INDEX_OF(materials[j]), CN_INDEX_OF(materials[i]));
                double friction = CN_IS_NULL(pairs[i][j]) ? 0.416667 : 1.0 + i * count + j;
                assert_near(properties.friction[0], friction, 1e-15);
            }
        }
        cnMaterialTables_Prepare(tables);
    }
}

static void preparing_again_takes_no_memory(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId steel = from_library(tables, "steel");
    from_library(tables, "wood");
    cnMaterialTables_Prepare(tables);
    size_t bytes = cnGetBytesInUse();
    for (int i = 1; i <= 10; ++i) {
        cnMaterialDef def = {.given = cn_materialDamping, .damping = 0.1 * i};
        assert_int_equal(cnMaterialTables_SetMaterial(tables, steel, &def, CALL), CN_ERROR_NONE);
        cnMaterialTables_Prepare(tables);
        assert_near(cnResolvePair(tables, 0, 1).damping, 0.1 * i, 0.0);
    }
    assert_int_equal(cnGetBytesInUse(), bytes);
}

// ---- memory -----------------------------------------------------------------------------------------------

// Wherever memory ends: an error, nothing half-made, nothing lost.
static void running_out_of_memory_is_an_error(void** state) {
    (void)state;
    static Ration ration;
    start_ration(&ration, 0);
    bool isComplete = false;
    int failures = 0;
    for (int start = 0; !isComplete && start < 1000; ++start) {
        ration.left = start;
        cnMaterialTables tables;
        cnMaterialTables_Init(&tables, 7);
        const cnMaterialDef def = {.library = "steel"};
        cnMaterialId steel = cnMaterialTables_CreateMaterial(&tables, &def, CALL);
        const cnContactMaterialDef pairDef = {.material1 = steel, .material2 = steel};
        cnContactMaterialId pair = cnMaterialTables_CreateContactMaterial(&tables, &pairDef, CALL);
        if (CN_IS_NULL(pair)) {
            failures += 1;
            assert_int_equal(cnGetLastError()->code,
                             CN_IS_NULL(steel) ? CN_ERROR_NULL_HANDLE : CN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(cnMaterialTables_FindPair(&tables, 0, 0), -1);
        } else {
            isComplete = true;
        }
        cnMaterialTables_Prepare(&tables);
        assert_near(cnResolvePair(&tables, -1, -1).restitution, 0.5, 0.0);
        cnMaterialTables_Free(&tables);
        assert_int_equal(cnGetBytesInUse(), 0);
    }
    end_ration(&ration);
    assert_true(isComplete);
    assert_true(failures > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_default_materials_follow_the_implicit_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(implicit_rules_combine_both_materials, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zero_is_a_value_where_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(extreme_values_stay_finite, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_explicit_contact_material_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_library_pair_counts_only_between_library_materials, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(overridden_quantities_fall_back_to_the_implicit_rule, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(densities_and_moduli_lie_in_published_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(friction_lies_in_published_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(restitution_lies_in_published_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_library_is_complete_and_agrees_with_the_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_value_has_a_source, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_library_is_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(malformed_files_are_rejected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pair_files_may_leave_quantities_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_material_values_are_rejected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_contact_materials_are_rejected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_library_item_of_a_material_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stale_handles_are_rejected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(handles_never_return, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_pairs_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(preparing_again_takes_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(running_out_of_memory_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
