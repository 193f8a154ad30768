// The library of materials against published ranges, and its files.
#include "cairn/cairn.h"
#include "cjson/cJSON.h"
#include "material/library_store.h"
#include "material_tables.h"

static const char* const materialNames[] = {"aluminium", "asphalt", "brass", "ceramic", "concrete", "copper",
                                            "cork",      "glass",   "ice",   "leather", "plastic",  "rubber",
                                            "sand",      "soil",    "steel", "stone",   "wood"};
// each with each in files; of the others only common pairs
static const char* const buildingMaterials[] = {"aluminium", "asphalt", "concrete", "rubber",
                                                "steel",     "stone",   "wood"};
enum {
    materialNameCount = 17,
    buildingMaterialCount = 7,
    pairCount = 77
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
        {"brass", "brass"},
        {"concrete", "concrete"},
        {"copper", "copper"},
        {"cork", "cork"},
        {"glass", "soda-lime glass"},
        {"ice", "ice (0..-10 C)"},
        {"plastic", "HDPE"},
        {"rubber", "rubber (natural, soft)"},
        {"sand", "dry sand (bulk)"},
        {"soil", "soil, firm clay (bulk)"},
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
        {"brass", "steel", "brass", "steel"},       {"copper", "steel", "copper", "steel"},
        {"plastic", "steel", "HDPE", "steel"},      {"ice", "rubber", "rubber tyre", "ice"},
        {"brass", "wood", "wood", "metal"},         {"copper", "wood", "wood", "metal"},
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
        {"brass", "brass", "brass", "brass"},
        {"cork", "cork", "cork", "cork"},
        {"glass", "glass", "glass", "glass"},
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

static bool is_building_material(const char* name) {
    bool found = false;
    for (int i = 0; i < buildingMaterialCount; ++i) {
        found |= strcmp(buildingMaterials[i], name) == 0;
    }
    return found;
}

// Every material has a file for itself, building materials for all pairs; a material on itself is what the
// implicit rules make of its own values; E is in series.
static void the_library_is_complete_and_agrees_with_the_rules(void** state) {
    cnMaterialTables* tables = tables_of(state);
    for (int i = 0; i < materialNameCount; ++i) {
        for (int j = i; j < materialNameCount; ++j) {
            cnMaterialId a = from_library(tables, materialNames[i]);
            cnMaterialId b = from_library(tables, materialNames[j]);
            int row1 = tables->materials.libraryItem[CN_INDEX_OF(a)];
            int row2 = tables->materials.libraryItem[CN_INDEX_OF(b)];
            bool isBuilding =
                is_building_material(materialNames[i]) && is_building_material(materialNames[j]);
            if ((i == j || isBuilding) && cnMaterialLibrary_FindPair(&tables->library, row2, row1) == NULL) {
                fail_msg("no file for %s on %s", materialNames[i], materialNames[j]);
            }

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
    assert_int_equal(tables->library.pairs.count, pairCount);
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
    const char* const kinds[] = {"materials", "contact-materials", "terrains", "cables", "beams"};
    const int counts[] = {materialNameCount, pairCount, 5, 5, 6};
    for (int i = 0; i < 5; ++i) {
        char* text = cnLibraryStore_List(kinds[i], CALL);
        assert_non_null(text);
        cJSON* list = cJSON_Parse(text);
        assert_int_equal(cJSON_GetArraySize(list), counts[i]);
        const cJSON* item;
        cJSON_ArrayForEach(item, list) {
            assert_true(cJSON_IsString(cJSON_GetObjectItem(item, "name")));
            assert_true(cJSON_IsString(cJSON_GetObjectItem(item, "description")));
            assert_false(cJSON_HasObjectItem(item, "sources"));
        }
        cJSON_Delete(list);
        free(text);
    }
    assert_null(cnLibraryStore_List("chains", CALL));
    assert_error(CN_ERROR_UNKNOWN_NAME, "kind", "chains");
    assert_null(cnLibraryStore_List("material", CALL));
}

static void malformed_files_are_rejected(void** state) {
    (void)state;
    static const struct {
        cnLibraryFile file;
        const char* argument;
        const char* reason;
    } cases[] = {
        {{"materials/a.json", "{\"name\": \"a\",\n\"density\": }"}, "materials/a.json", "near line 2"},
        {{"materials/a.json", "[1]"}, "materials/a.json", "object"},
        {{"materials/a.json", "{\"density\": 3}"}, "materials/a.json/name", "text"},
        {{"materials/a.json", "{\"name\": \"m\"}"}, "materials/m.json/name", "materials/a.json"},
        {{"materials/a.json", "{\"name\": \"a\", \"description\": 3}"},
         "materials/a.json/description",
         "text"},
        {{"materials/a.json", "{\"name\": \"a\", \"sources\": \"CRC\"}"},
         "materials/a.json/sources",
         "object"},
        {{"metals/a.json", "{\"name\": \"a\"}"}, "metals/a.json", "contact-materials/"},
        {{"beams/a.json", "{\"name\": \"a\", \"area\": 0}"}, "beams/a.json/area", "> 0 m²"},
        {{"beams/a.json", "{\"name\": \"a\", \"diameter\": 1}"}, "beams/a.json/diameter", "no such key"},
        {{"cables/a.json", "{\"name\": \"a\", \"material\": \"q\"}"}, "cables/a.json/material", "\"q\""},
        {{"terrains/a.json", "{\"name\": \"a\", \"cohesion\": \"1\"}"}, "terrains/a.json/cohesion", "number"},
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
        const cnLibraryFile files[] = {
            cases[i].file,
            {"materials/m.json", "{\"name\": \"m\"}"},
            {"materials/n.json", "{\"name\": \"n\"}"},
        };
        cnMaterialLibrary library = {0};
        assert_int_equal(cnMaterialLibrary_Read(&library, files, 3, CALL), CN_ERROR_FILE);
        assert_error(CN_ERROR_FILE, cases[i].argument, cases[i].reason);
        assert_int_equal(library.materials.count, 0);
        cnMaterialLibrary_Free(&library);
    }
}

// A quantity that the pair's file does not give follows from the implicit rule.
static void pair_files_may_leave_quantities_out(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const cnLibraryFile files[] = {
        {"contact-materials/m-n.json",
         "{\"name\": \"m-n\", \"materials\": [\"m\", \"n\"], \"friction\": 0.7}"},
        {"materials/m.json", "{\"name\": \"m\", \"youngsModulus\": 2e9, \"roughness\": 0.1}"},
        {"materials/n.json", "{\"name\": \"n\", \"youngsModulus\": 2e9, \"viscosity\": 0.5}"},
    };
    assert_int_equal(cnMaterialLibrary_Read(&tables->library, files, 3, CALL), CN_ERROR_NONE);
    cnMaterialId m = from_library(tables, "m");
    cnMaterialId n = from_library(tables, "n");
    cnContactMaterialDef pair = resolve(tables, n, m);
    assert_near(pair.friction[0], 0.7, 0.0);
    assert_near(pair.friction[1], 0.7, 0.0);
    assert_near(pair.youngsModulus, 1e9, 0.0);
    assert_near(pair.restitution, 0.5, 0.0);
    assert_near(resolve(tables, m, m).friction[0], 0.1, 1e-17);
}

static cnErrorCode add(const char* text) {
    return cnLibraryStore_Add(text, strlen(text), CALL);
}

// Items that users add are found by their names, whatever their files are called.
static void users_add_items(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId steel = from_library(tables, "steel");
    int items = tables->library.materials.count;
    uint64_t fingerprint = cnMaterialTables_GetLibraryFingerprint(tables);

    assert_int_equal(add(" { \"contact-materials/b-s.json\": {\"name\": \"birch-steel\","
                         " \"materials\": [\"birch\", \"steel\"], \"friction\": 0.25},\n"
                         "\"materials/b.json\" : {\"name\": \"birch\", \"density\": 620,"
                         " \"description\": \"a \\\"white\\\" wood, {dry}\"} }\n"),
                     CN_ERROR_NONE);
    assert_int_equal(tables->library.materials.count, items);

    cnMaterialId birch = from_library(tables, "birch");
    assert_int_equal(tables->library.materials.count, items + 1);
    assert_int_equal(tables->materials.libraryItem[CN_INDEX_OF(birch)], items);
    assert_near(cnMaterialTables_GetMaterial(tables, birch, CALL).density, 620.0, 0.0);
    assert_near(resolve(tables, steel, birch).friction[0], 0.25, 0.0);

    // what was added counts for snapshots of those who use it
    cnMaterialTables others;
    cnMaterialTables_Init(&others, 1);
    from_library(&others, "steel");
    assert_int_equal(cnMaterialTables_GetLibraryFingerprint(&others), fingerprint);
    assert_int_not_equal(cnMaterialTables_GetLibraryFingerprint(tables), fingerprint);
    cnMaterialTables_Free(&others);

    cJSON* list = cJSON_Parse(cnListAvailable("materials"));
    assert_int_equal(cJSON_GetArraySize(list), items + 1);
    const cJSON* last = cJSON_GetArrayItem(list, items);
    assert_string_equal(cJSON_GetObjectItem(last, "description")->valuestring, "a \"white\" wood, {dry}");
    cJSON_Delete(list);
}

// A pair of two materials that are in use counts from the next material of the library on.
static void an_added_pair_counts_between_materials_in_use(void** state) {
    cnMaterialTables* tables = tables_of(state);
    assert_int_equal(add("{\"materials/1.json\": {\"name\": \"tin\", \"roughness\": 0.5},"
                         " \"materials/2.json\": {\"name\": \"zinc\", \"roughness\": 0.5}}"),
                     CN_ERROR_NONE);
    cnMaterialId tin = from_library(tables, "tin");
    cnMaterialId zinc = from_library(tables, "zinc");
    cnMaterialTables_Prepare(tables);
    assert_near(resolve(tables, tin, zinc).friction[0], 0.5, 1e-15);
    assert_int_equal(add("{\"contact-materials/1-2.json\": {\"name\": \"tin-zinc\","
                         " \"materials\": [\"tin\", \"zinc\"], \"friction\": 0.3}}"),
                     CN_ERROR_NONE);
    assert_near(resolve(tables, tin, zinc).friction[0], 0.5, 1e-15);
    from_library(tables, "wood");
    cnMaterialTables_Prepare(tables);
    assert_near(resolve(tables, tin, zinc).friction[0], 0.3, 0.0);
}

// One bad item, and none of those that came with it are there.
static void bad_items_are_not_added(void** state) {
    cnMaterialTables* tables = tables_of(state);
    static const struct {
        const char* text;
        const char* argument;
        const char* reason;
    } cases[] = {
        {"", "text", "empty"},
        {"[]", "text", "no JSON object"},
        {"{\"materials/a.json\": {\"name\": \"a\"}", "text", "no JSON object"},
        {"{\"materials/a.json\": 3}", "materials/a.json", "an object is wanted"},
        {"{\"a.json\": {\"name\": \"a\"}}", "a.json", "begins with none of"},
        {"{\"materials/ok.json\": {\"name\": \"ok\"}, \"materials/a.json\": {\"name\": \"wood\"}}",
         "materials/a.json/name", "materials/wood.json"},
        {"{\"materials/ok.json\": {\"name\": \"ok\"}, \"materials/a.json\": {\"name\": \"ok\"}}",
         "materials/a.json/name", "materials/ok.json"},
        {"{\"contact-materials/a.json\": {\"name\": \"steel-wood\", \"materials\": [\"steel\", \"wood\"]}}",
         "contact-materials/a.json/name", "contact-materials/steel-wood.json"},
        {"{\"materials/ok.json\": {\"name\": \"ok\"},"
         " \"materials/a.json\": {\"name\": \"a\", \"viscosity\": 1.5}}",
         "materials/a.json/viscosity", "viscosity is 1.5, allowed is 0…1"},
    };
    int version = cnLibraryStore_GetVersion();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(add(cases[i].text), CN_ERROR_FILE);
        assert_error(CN_ERROR_FILE, cases[i].argument, cases[i].reason);
    }
    assert_int_equal(cnAddToLibrary(NULL, 3), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnLibraryStore_Add("{}\0{}", 5, CALL), CN_ERROR_FILE);
    assert_int_equal(cnLibraryStore_GetVersion(), version);
    cnMaterialDef def = {.library = "ok"};
    assert_true(CN_IS_NULL(cnMaterialTables_CreateMaterial(tables, &def, CALL)));
    assert_error(CN_ERROR_UNKNOWN_NAME, "library", "ok");
    assert_int_equal(add("{}"), CN_ERROR_NONE); // nothing to add
    assert_int_equal(cnLibraryStore_GetVersion(), version);
}

// A folder in which the names of files are not those of items.
static void a_folder_is_added(void** state) {
    cnMaterialTables* tables = tables_of(state);
    int version = cnLibraryStore_GetVersion();
    assert_int_equal(cnAddLibraryFolder(CN_SOURCE_DIR "/tests/shared/library"), CN_ERROR_NONE);
    assert_int_equal(cnLibraryStore_GetVersion(), version + 1);
    cnMaterialId larch = from_library(tables, "larch");
    assert_near(cnMaterialTables_GetMaterial(tables, larch, CALL).density, 590.0, 0.0);
    assert_near(resolve(tables, from_library(tables, "wood"), larch).friction[0], 0.35, 0.0);

    // ours again: each name is there
    assert_int_equal(cnAddLibraryFolder(CN_SOURCE_DIR "/materials"), CN_ERROR_FILE);
    assert_string_equal(cnGetLastError()->argument, "materials/aluminium.json/name");
    assert_int_equal(cnAddLibraryFolder(CN_SOURCE_DIR "/nowhere"), CN_ERROR_FILE);
    assert_non_null(strstr(cnGetLastError()->message, "/nowhere"));
    assert_int_equal(cnAddLibraryFolder(NULL), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnLibraryStore_GetVersion(), version + 1);
}

int main(void) {
    return run_all_between(
        set_up, tear_down, densities_and_moduli_lie_in_published_ranges, friction_lies_in_published_ranges,
        restitution_lies_in_published_ranges, the_library_is_complete_and_agrees_with_the_rules,
        every_value_has_a_source, the_library_is_listed, malformed_files_are_rejected,
        pair_files_may_leave_quantities_out, users_add_items, an_added_pair_counts_between_materials_in_use,
        bad_items_are_not_added, a_folder_is_added);
}
