// Materials: pair rules, arguments, handles, memory.
#include "base/containers/hash.h"
#include "material_tables.h"

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
    assert_int_equal(pair.frictionModel.type, cn_frictionCone);

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
                                   .frictionModel = {.type = cn_frictionNone}};
    assert_int_equal(cnMaterialTables_SetContactMaterial(tables, pair, &change, CALL), CN_ERROR_NONE);
    properties = resolve(tables, steel, wood);
    assert_near(properties.restitution, 1.0, 0.0);
    assert_near(properties.friction[0], 0.11, 0.0);
    assert_int_equal(properties.frictionModel.type, cn_frictionNone);
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
        {{.given = cn_materialFrictionModel, .frictionModel = (cnMaterialFrictionModel)6},
         CN_ERROR_OUT_OF_RANGE,
         "frictionModel",
         "is 6, allowed is 0…5"},
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

#define MODEL(...)                                                                                           \
    {                                                                                                        \
        .given = cn_contactFrictionModel, .frictionModel = { __VA_ARGS__ }                                   \
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
        {{.given = cn_contactRestitution, .restitution = 1.01}, CN_ERROR_OUT_OF_RANGE, "restitution", "0…1"},
        {{.given = cn_contactRestitutionThreshold, .restitutionThreshold = -1.0},
         CN_ERROR_OUT_OF_RANGE,
         "restitutionThreshold",
         "m/s"},
        {{.given = cn_contactYoungsModulus}, CN_ERROR_OUT_OF_RANGE, "youngsModulus", "> 0 Pa"},
        {{.given = cn_contactDamping, .damping = -INFINITY}, CN_ERROR_NOT_FINITE, "damping", "finite"},
        {{.given = cn_contactAdhesion, .adhesionOverlap = -1.0},
         CN_ERROR_OUT_OF_RANGE,
         "adhesionOverlap",
         ">= 0 m"},
        {{.given = cn_contactRollingResistance, .rollingResistance = {0.0, -1e-3}},
         CN_ERROR_OUT_OF_RANGE,
         "rollingResistance",
         ">= 0 m"},
        {{.given = cn_contactSpinningFriction, .spinningFriction = -1.0},
         CN_ERROR_OUT_OF_RANGE,
         "spinningFriction",
         ">= 0 m"},
        {{.given = cn_contactSlide, .slide = {0.0, -1e31}}, CN_ERROR_OUT_OF_RANGE, "slide", "1e+30 m/s"},
        {{.given = cn_contactSlide, .slide = {0.0, NAN}}, CN_ERROR_NOT_FINITE, "slide", "any number m/s"},
        {{.given = cn_contactStaticFrictionScale, .staticFrictionScale = -0.1},
         CN_ERROR_OUT_OF_RANGE,
         "staticFrictionScale",
         ">= 0"},
        {{.given = cn_contactArea, .contactArea = {.minRestLength = -1.0}},
         CN_ERROR_OUT_OF_RANGE,
         "contactArea.minRestLength",
         ">= 0 m"},
        {{.given = cn_contactArea, .contactArea = {.minRestLength = 0.2}},
         CN_ERROR_OUT_OF_RANGE,
         "contactArea.maxRestLength",
         "is 0.1 m, allowed is >= minRestLength, which is 0.2 m"},
        {{.given = cn_contactArea, .contactArea = {.maxRestLength = 0.0005}},
         CN_ERROR_OUT_OF_RANGE,
         "contactArea.maxRestLength",
         "which is 0.001 m"},
        {MODEL(.type = (cnFrictionModelType)77), CN_ERROR_OUT_OF_RANGE, "frictionModel.type", "77"},
        {MODEL(.solve = (cnFrictionSolve)5), CN_ERROR_OUT_OF_RANGE, "frictionModel.solve", "0…4"},
        {MODEL(.primary = {0.0, INFINITY, 0.0}), CN_ERROR_NOT_FINITE, "frictionModel.primary", "finite"},
        {MODEL(.frame = {0x1001}), CN_ERROR_OUT_OF_RANGE, "frictionModel.primary", "with a frame"},
        {MODEL(.type = cn_frictionBox, .forceGiven = true, .force = {1.0, -1.0}), CN_ERROR_OUT_OF_RANGE,
         "frictionModel.force", ">= 0 N"},
        {MODEL(.acceleration = {-1.0, 1.0}), CN_ERROR_OUT_OF_RANGE, "frictionModel.acceleration",
         ">= 0 m/s²"},
        {MODEL(.normalForce = -1.0), CN_ERROR_OUT_OF_RANGE, "frictionModel.normalForce", ">= 0 N"},
        {MODEL(.normalForce = -1.0, .depthScaled = true), CN_ERROR_OUT_OF_RANGE, "frictionModel.normalForce",
         ">= 0 N/m"},
        {{.given = 1u << 20}, CN_ERROR_OUT_OF_RANGE, "given", "0x100000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cnContactMaterialDef def = cases[i].def;
        def.material1 = a;
        def.material2 = b;
        assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, &def, CALL)));
        assert_error(cases[i].code, cases[i].argument, cases[i].message);
    }

    // the pair: no stale material, not twice in either order
    cnContactMaterialDef def = {.material1 = a};
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

// What no public function accepts yet goes through the tables all the same.
static void friction_and_restitution_stand_for_roughness_and_viscosity(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const uint32_t aliases = cn_materialFriction | cn_materialRestitution;
    cnMaterialId ball =
        create(tables, (cnMaterialDef){.given = aliases, .friction = 0.3, .restitution = 0.8});
    cnMaterialDef values = cnMaterialTables_GetMaterial(tables, ball, CALL);
    assert_true(values.roughness == 0.3 && values.viscosity == 1.0 - 0.8);
    assert_int_equal(values.given & aliases, 0);
    cnContactMaterialDef pair = resolve(tables, ball, ball);
    assert_near(pair.friction[0], 0.3, 1e-16);
    assert_near(pair.restitution, 0.8, 2e-16);

    // they override as the originals do
    cnMaterialDef change = {.given = cn_materialRestitution, .restitution = 1.0};
    assert_int_equal(cnMaterialTables_SetMaterial(tables, ball, &change, CALL), CN_ERROR_NONE);
    assert_near(resolve(tables, ball, ball).restitution, 1.0, 0.0);
    cnMaterialId slick =
        create(tables, (cnMaterialDef){.library = "steel", .given = cn_materialFriction, .friction = 0.01});
    pair = resolve(tables, slick, from_library(tables, "wood"));
    assert_near(pair.friction[0], sqrt(0.01 * cnMaterialTables_ReadRow(tables, 2).roughness), 1e-16);

    static const struct {
        cnMaterialDef def;
        const char* argument;
        const char* message;
    } cases[] = {
        {{.given = cn_materialFriction | cn_materialRoughness}, "friction", "together with roughness"},
        {{.given = cn_materialRestitution | cn_materialViscosity}, "restitution", "together with viscosity"},
        {{.given = cn_materialFriction, .friction = -0.1}, "friction", ">= 0"},
        {{.given = cn_materialRestitution, .restitution = 1.1}, "restitution", "0…1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(cnMaterialTables_SetMaterial(tables, ball, &cases[i].def, CALL),
                         CN_ERROR_OUT_OF_RANGE);
        assert_error(CN_ERROR_OUT_OF_RANGE, cases[i].argument, cases[i].message);
    }
    assert_near(resolve(tables, ball, ball).friction[0], 0.3, 1e-16);
}

static void the_default_material_can_have_contact_materials(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const cnMaterialId none = {0};
    cnMaterialId rubber = create(tables, (cnMaterialDef){0});
    create_pair(tables,
                (cnContactMaterialDef){.material1 = rubber, .given = cn_contactFriction, .friction = {1, 1}});
    cnContactMaterialId own =
        create_pair(tables, (cnContactMaterialDef){.given = cn_contactRestitution, .restitution = 0.25});
    assert_near(resolve(tables, rubber, none).friction[0], 1.0, 0.0);
    assert_near(resolve(tables, none, none).restitution, 0.25, 0.0);
    assert_near(resolve(tables, rubber, rubber).friction[0], 0.416667, 1e-15);
    cnContactMaterialDef twice = {.material2 = rubber};
    assert_true(CN_IS_NULL(cnMaterialTables_CreateContactMaterial(tables, &twice, CALL)));
    assert_error(CN_ERROR_NAME_TAKEN, "material1", "already");

    // what is read back names the pair
    cnContactMaterialDef values = cnMaterialTables_GetContactMaterial(tables, own, CALL);
    assert_true(CN_IS_NULL(values.material1) && CN_IS_NULL(values.material2));
    assert_true(values.restitution == 0.25 && values.contactReduction);
    assert_int_equal(cnMaterialTables_SetContactMaterial(tables, own, &values, CALL), CN_ERROR_NONE);
    assert_int_equal(cnMaterialTables_DestroyContactMaterial(tables, own, CALL), CN_ERROR_NONE);
    assert_near(resolve(tables, none, none).restitution, 0.5, 0.0);
    assert_near(cnMaterialTables_GetContactMaterial(tables, own, CALL).youngsModulus, 0.0, 0.0);
    assert_error(CN_ERROR_STALE_HANDLE, "contactMaterial", "destroyed");

    // it ends with the other material
    cnMaterialTables_DestroyMaterial(tables, rubber, CALL);
    assert_int_equal(tables->contactMaterials.ids.liveCount, 0);
}

static void values_of_pairs_have_origins(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId wood = from_library(tables, "wood");
    cnMaterialId steel =
        create(tables, (cnMaterialDef){.library = "steel", .given = cn_materialRoughness, .roughness = 0.5});
    cnPairOrigins origins = cnMaterialTables_GetPairOrigins(tables, steel, wood, CALL);
    assert_int_equal(origins.friction, cn_pairImplicit); // overridden
    assert_int_equal(origins.restitution, cn_pairLibrary);
    assert_int_equal(origins.youngsModulus, cn_pairLibrary);
    assert_int_equal(origins.frictionModel, cn_pairImplicit);
    origins = cnMaterialTables_GetPairOrigins(tables, steel, (cnMaterialId){0}, CALL);
    assert_int_equal(origins.restitution, cn_pairImplicit);
    create_pair(tables, (cnContactMaterialDef){.material1 = wood, .material2 = steel});
    origins = cnMaterialTables_GetPairOrigins(tables, steel, wood, CALL);
    assert_int_equal(origins.friction, cn_pairExplicit);
    assert_int_equal(origins.staticFrictionScale, cn_pairExplicit);
    cnMaterialTables_DestroyMaterial(tables, wood, CALL);
    cnMaterialTables_GetPairOrigins(tables, steel, wood, CALL);
    assert_error(CN_ERROR_STALE_HANDLE, "material2", "destroyed");
}

static void names_are_unique(void** state) {
    cnMaterialTables* tables = tables_of(state);
    char longest[CN_MATERIAL_NAME_SIZE + 1];
    memset(longest, 'm', sizeof longest);
    longest[CN_MATERIAL_NAME_SIZE - 1] = '\0';
    cnMaterialId rail = create(tables, (cnMaterialDef){.name = "rail"});
    cnMaterialId nameless = create(tables, (cnMaterialDef){0});
    cnMaterialId other = create(tables, (cnMaterialDef){.name = longest});
    assert_string_equal(cnMaterialTables_GetMaterial(tables, rail, CALL).name, "rail");
    assert_null(cnMaterialTables_GetMaterial(tables, nameless, CALL).name);
    assert_string_equal(cnMaterialTables_GetMaterial(tables, other, CALL).name, longest);
    assert_int_equal(cnMaterialTables_FindName(tables, "rail"), CN_INDEX_OF(rail));
    assert_int_equal(cnMaterialTables_FindName(tables, longest), CN_INDEX_OF(other));
    assert_int_equal(cnMaterialTables_FindName(tables, "rai"), -1);
    assert_int_equal(cnMaterialTables_FindName(tables, ""), -1);

    // a second one of the name, an empty and a long one
    cnMaterialDef second = {.name = "rail"};
    assert_true(CN_IS_NULL(cnMaterialTables_CreateMaterial(tables, &second, CALL)));
    assert_error(CN_ERROR_NAME_TAKEN, "name", "name is \"rail\", which another material of the world has");
    assert_int_equal(cnMaterialTables_SetMaterial(tables, other, &second, CALL), CN_ERROR_NAME_TAKEN);
    second.name = "";
    assert_true(CN_IS_NULL(cnMaterialTables_CreateMaterial(tables, &second, CALL)));
    assert_error(CN_ERROR_OUT_OF_RANGE, "name", "0 bytes, allowed is 1…63");
    longest[CN_MATERIAL_NAME_SIZE - 1] = 'm';
    longest[CN_MATERIAL_NAME_SIZE] = '\0';
    second.name = longest;
    assert_int_equal(cnMaterialTables_SetMaterial(tables, rail, &second, CALL), CN_ERROR_OUT_OF_RANGE);
    assert_error(CN_ERROR_OUT_OF_RANGE, "name", "64 bytes");
    assert_int_equal(tables->materials.ids.liveCount, 3);

    // what is read can be given back; a new name frees the old one, and so does the end of the material
    cnMaterialDef values = cnMaterialTables_GetMaterial(tables, rail, CALL);
    assert_int_equal(cnMaterialTables_SetMaterial(tables, rail, &values, CALL), CN_ERROR_NONE);
    assert_string_equal(cnMaterialTables_GetMaterial(tables, rail, CALL).name, "rail");
    values.name = "r";
    assert_int_equal(cnMaterialTables_SetMaterial(tables, rail, &values, CALL), CN_ERROR_NONE);
    assert_string_equal(cnMaterialTables_GetMaterial(tables, rail, CALL).name, "r");
    cnMaterialId third = create(tables, (cnMaterialDef){.name = "rail"});
    cnMaterialTables_DestroyMaterial(tables, third, CALL);
    assert_int_equal(cnMaterialTables_FindName(tables, "rail"), -1);
    create(tables, (cnMaterialDef){.name = "rail"});
}

static void wires_are_kept(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId cable = create(tables, (cnMaterialDef){.given = cn_materialWire,
                                                        .wire = {.stretchModulus = 6e9,
                                                                 .bendModulus = 1e9,
                                                                 .stretchDamping = 0.03,
                                                                 .bendDamping = 0.04}});
    cnMaterialDef change = {.given = cn_materialDensity, .density = 10.0};
    assert_int_equal(cnMaterialTables_SetMaterial(tables, cable, &change, CALL), CN_ERROR_NONE);
    cnWireProperties wire = cnMaterialTables_GetMaterial(tables, cable, CALL).wire;
    assert_true(wire.stretchModulus == 6e9 && wire.bendModulus == 1e9);
    assert_true(wire.stretchDamping == 0.03 && wire.bendDamping == 0.04);
    wire = cnMaterialTables_GetMaterial(tables, create(tables, (cnMaterialDef){.wire = {1.0}}), CALL).wire;
    assert_true(wire.stretchModulus == 0.0);
    change = (cnMaterialDef){.given = cn_materialWire, .wire = {.bendDamping = -1.0}};
    assert_int_equal(cnMaterialTables_SetMaterial(tables, cable, &change, CALL), CN_ERROR_OUT_OF_RANGE);
    assert_error(CN_ERROR_OUT_OF_RANGE, "wire.bendDamping", ">= 0 s");
}

static void friction_models_of_materials_merge(void** state) {
    cnMaterialTables* tables = tables_of(state);
    const cnMaterialId none = {0};
    const cnMaterialFrictionModel types[] = {cn_materialFrictionNeutral, cn_materialFrictionCone,
                                             cn_materialFrictionNone};
    cnMaterialId materials[3];
    for (int i = 0; i < 3; ++i) {
        materials[i] =
            create(tables, (cnMaterialDef){.given = cn_materialFrictionModel, .frictionModel = types[i]});
        assert_int_equal(cnMaterialTables_GetMaterial(tables, materials[i], CALL).frictionModel, types[i]);
    }
    const cnFrictionModelType merged[3][3] = {{cn_frictionCone, cn_frictionCone, cn_frictionNone},
                                              {cn_frictionCone, cn_frictionCone, cn_frictionNone},
                                              {cn_frictionNone, cn_frictionNone, cn_frictionNone}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            assert_int_equal(resolve(tables, materials[i], materials[j]).frictionModel.type, merged[i][j]);
        }
        assert_int_equal(resolve(tables, materials[i], none).frictionModel.type, merged[i][0]);
    }

    // of two others the first counts
    const cnMaterialFrictionModel others[] = {cn_materialFrictionBox, cn_materialFrictionScaledBox};
    for (int i = 0; i < 2; ++i) {
        cnMaterialDef change = {.given = cn_materialFrictionModel, .frictionModel = others[i]};
        assert_int_equal(cnMaterialTables_SetMaterial(tables, materials[i], &change, CALL), CN_ERROR_NONE);
    }
    assert_int_equal(resolve(tables, materials[0], materials[1]).frictionModel.type, cn_frictionScaledBox);
    assert_int_equal(resolve(tables, materials[0], none).frictionModel.type, cn_frictionBox);
    assert_int_equal(resolve(tables, materials[0], materials[2]).frictionModel.type, cn_frictionNone);

    // a material that says nothing is neutral; library pairs say nothing
    cnMaterialId steel = from_library(tables, "steel");
    assert_int_equal(cnMaterialTables_GetMaterial(tables, steel, CALL).frictionModel,
                     cn_materialFrictionNeutral);
    cnMaterialId greased = create(tables, (cnMaterialDef){.library = "wood",
                                                          .given = cn_materialFrictionModel,
                                                          .frictionModel = cn_materialFrictionNone});
    cnContactMaterialDef pair = resolve(tables, steel, greased);
    assert_int_equal(pair.frictionModel.type, cn_frictionNone);
    assert_near(pair.friction[0], 0.3, 0.0);
}

static void friction_models_are_kept(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId a = create(tables, (cnMaterialDef){0});
    cnContactMaterialId pair =
        create_pair(tables, (cnContactMaterialDef){.material1 = a,
                                                   .material2 = a,
                                                   .given = cn_contactFrictionModel | cn_contactArea,
                                                   .frictionModel = {.solve = cn_frictionSolveIterative,
                                                                     .exactCone = true,
                                                                     .forceGiven = true,
                                                                     .force = {1.0, 2.0},
                                                                     .acceleration = {3.0, 4.0},
                                                                     .normalForce = 5.0,
                                                                     .depthScaled = true},
                                                   .contactArea = {.maxRestLength = 0.5}});
    for (int i = 0; i < 2; ++i) {
        cnContactMaterialDef kept = resolve(tables, a, a);
        cnFrictionModel model = kept.frictionModel;
        assert_int_equal(model.solve, cn_frictionSolveIterative);
        assert_true(model.exactCone && model.forceGiven && model.depthScaled && CN_IS_NULL(model.frame));
        assert_true(model.force[0] == 1.0 && model.force[1] == 2.0 && model.normalForce == 5.0);
        assert_true(model.acceleration[0] == 3.0 && model.acceleration[1] == 4.0);
        assert_true(kept.contactArea.minRestLength == 0.001 && kept.contactArea.maxRestLength == 0.5);
        assert_true(kept.staticFrictionScale == 1.0 && kept.spinningFriction == 0.0);

        // other fields leave it as it is
        cnContactMaterialDef change = {.given = cn_contactFriction, .friction = {0.2, 0.2}};
        assert_int_equal(cnMaterialTables_SetContactMaterial(tables, pair, &change, CALL), CN_ERROR_NONE);
    }

    // a model is replaced as a whole
    cnContactMaterialDef change = {.given = cn_contactFrictionModel,
                                   .frictionModel = {.type = cn_frictionNone}};
    assert_int_equal(cnMaterialTables_SetContactMaterial(tables, pair, &change, CALL), CN_ERROR_NONE);
    cnFrictionModel model = resolve(tables, a, a).frictionModel;
    assert_int_equal(model.type, cn_frictionNone);
    assert_true(!model.exactCone && !model.forceGiven && model.force[1] == 0.0 && model.normalForce == 0.0);
}

static void rest_lengths_of_two_materials_add_up(void** state) {
    cnMaterialTables* tables = tables_of(state);
    cnMaterialId pad = create(
        tables,
        (cnMaterialDef){.given = cn_materialRestLength, .minRestLength = 0.002, .maxRestLength = 0.25});
    cnContactArea area = resolve(tables, pad, pad).contactArea;
    assert_near(area.minRestLength, 0.004, 0.0);
    assert_near(area.maxRestLength, 0.5, 0.0);
    area = resolve(tables, pad, (cnMaterialId){0}).contactArea;
    assert_near(area.minRestLength, 0.0025, 1e-18);
    assert_near(area.maxRestLength, 0.3, 1e-16);
    area = resolve(tables, (cnMaterialId){0}, (cnMaterialId){0}).contactArea;
    assert_near(area.minRestLength, 0.001, 0.0);
    assert_near(area.maxRestLength, 0.1, 0.0);
    assert_false(area.enabled);
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
        cnContactMaterialId pair = {0};
        if (!CN_IS_NULL(steel)) { // a null material is the default one
            pair = cnMaterialTables_CreateContactMaterial(&tables, &pairDef, CALL);
        }
        if (CN_IS_NULL(pair)) {
            failures += 1;
            assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_MEMORY);
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
    return run_all_between(
        set_up, tear_down, two_default_materials_follow_the_implicit_rules,
        implicit_rules_combine_both_materials, zero_is_a_value_where_given, extreme_values_stay_finite,
        an_explicit_contact_material_wins, a_library_pair_counts_only_between_library_materials,
        overridden_quantities_fall_back_to_the_implicit_rule, wrong_material_values_are_rejected,
        wrong_contact_materials_are_rejected, friction_and_restitution_stand_for_roughness_and_viscosity,
        the_default_material_can_have_contact_materials, values_of_pairs_have_origins, names_are_unique,
        friction_models_of_materials_merge, wires_are_kept, friction_models_are_kept,
        rest_lengths_of_two_materials_add_up, the_library_item_of_a_material_stays,
        stale_handles_are_rejected, handles_never_return, many_pairs_are_found,
        preparing_again_takes_no_memory, running_out_of_memory_is_an_error);
}
