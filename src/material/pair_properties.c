#include "material/pair_properties.h"

#include "material/value_checks.h"

#include <math.h>

// ---- the rules --------------------------------------------------------------------------------------------

// Springs in series, E1 E2 / (E1 + E2), written so that no product leaves the range of f64.
static double InSeries(double modulus1, double modulus2) {
    double smaller = modulus1 < modulus2 ? modulus1 : modulus2;
    double larger = modulus1 < modulus2 ? modulus2 : modulus1;
    return smaller * (larger / (smaller + larger));
}

static cnFrictionModelType MergeModels(cnMaterialFrictionModel a, cnMaterialFrictionModel b) {
    if (a == cn_materialFrictionNone || b == cn_materialFrictionNone) {
        return cn_frictionNone;
    }
    if (a == cn_materialFrictionNeutral || b == cn_materialFrictionNeutral) {
        return cnModelOfMaterial(a == cn_materialFrictionNeutral ? b : a);
    }
    return cnModelOfMaterial(a < b ? a : b);
}

// docs/physics.md, "Implicit pair rules". Each line is symmetric to the bit.
static cnPairProperties CombineImplicitly(const cnMaterialDef* a, const cnMaterialDef* b) {
    double friction = sqrt(a->roughness * b->roughness);
    double surfaceViscosity = a->surfaceViscosity + b->surfaceViscosity;
    return (cnPairProperties){
        .friction = {friction, friction},
        .restitution = sqrt((1.0 - a->viscosity) * (1.0 - b->viscosity)),
        .restitutionThreshold = cnDefaultContactMaterial().restitutionThreshold,
        .youngsModulus = InSeries(a->youngsModulus, b->youngsModulus),
        .damping = a->damping > b->damping ? a->damping : b->damping,
        .adhesionForce = a->adhesionForce + b->adhesionForce,
        .adhesionOverlap = a->adhesionOverlap < b->adhesionOverlap ? a->adhesionOverlap : b->adhesionOverlap,
        .surfaceViscosity = {surfaceViscosity, surfaceViscosity},
        .contactReduction = a->contactReduction && b->contactReduction,
        .frictionModel = {.type = MergeModels(a->frictionModel, b->frictionModel)},
        .contactArea = {.minRestLength = a->minRestLength + b->minRestLength,
                        .maxRestLength = a->maxRestLength + b->maxRestLength},
        .staticFrictionScale = 1.0,
        .firstMaterial = CN_NO_FIRST_MATERIAL,
    };
}

// Fields of a library pair that still hold where the materials override `overridden` of their library items.
static uint32_t FieldsThatHold(uint32_t given, uint32_t overridden) {
    static const struct {
        uint32_t material;
        uint32_t pair;
    } quantities[] = {
        {cn_materialRoughness, cn_contactFriction},
        {cn_materialYoungsModulus, cn_contactYoungsModulus},
        {cn_materialViscosity, cn_contactRestitution},
        {cn_materialDamping, cn_contactDamping},
        {cn_materialSurfaceViscosity, cn_contactSurfaceViscosity},
    };
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; ++i) {
        if ((overridden & quantities[i].material) != 0) {
            given &= ~quantities[i].pair;
        }
    }
    return given;
}

static void ApplyLibraryPair(cnPairProperties* properties, const cnContactMaterialDef* pair,
                             uint32_t fields) {
    if ((fields & cn_contactFriction) != 0) {
        properties->friction[0] = pair->friction[0];
        properties->friction[1] = pair->friction[1];
    }
    if ((fields & cn_contactRestitution) != 0) {
        properties->restitution = pair->restitution;
    }
    if ((fields & cn_contactRestitutionThreshold) != 0) {
        properties->restitutionThreshold = pair->restitutionThreshold;
    }
    if ((fields & cn_contactYoungsModulus) != 0) {
        properties->youngsModulus = pair->youngsModulus;
    }
    if ((fields & cn_contactDamping) != 0) {
        properties->damping = pair->damping;
    }
    if ((fields & cn_contactSurfaceViscosity) != 0) {
        properties->surfaceViscosity[0] = pair->surfaceViscosity[0];
        properties->surfaceViscosity[1] = pair->surfaceViscosity[1];
    }
}

// The library's file of a pair without a contact material; null where there is none. `fields`: what holds.
static const cnPairItem* FindLibraryPair(const cnMaterialTables* tables, const int rows[2],
                                         uint32_t* fields) {
    *fields = 0;
    if (rows[0] < 0 || rows[1] < 0) {
        return NULL;
    }
    const cnMaterialTable* table = &tables->materials;
    const cnPairItem* pair = cnMaterialLibrary_FindPair(&tables->library, table->libraryItem[rows[0]],
                                                        table->libraryItem[rows[1]]);
    if (pair != NULL) {
        *fields = FieldsThatHold(pair->values.given, table->overridden[rows[0]] | table->overridden[rows[1]]);
    }
    return pair;
}

static bool IsPlain(const cnPairProperties* properties) {
    cnFrictionModelType model = properties->frictionModel.type;
    return (model == cn_frictionCone || model == cn_frictionNone) &&
           properties->friction[0] == properties->friction[1] &&
           properties->surfaceViscosity[0] == properties->surfaceViscosity[1] &&
           properties->rollingResistance[0] == 0.0 && properties->rollingResistance[1] == 0.0 &&
           properties->spinningFriction == 0.0 && properties->slide[0] == 0.0 &&
           properties->slide[1] == 0.0 && properties->adhesionForce == 0.0 &&
           !properties->contactArea.enabled;
}

static cnPairProperties CombineMaterials(const cnMaterialTables* tables, int materialRow1, int materialRow2) {
    int explicitRow = cnMaterialTables_FindPair(tables, materialRow1, materialRow2);
    if (explicitRow >= 0) {
        const cnContactMaterialTable* explicit = &tables->contactMaterials;
        return (cnPairProperties){CN_CONTACT_MATERIAL_VALUES(explicit, explicitRow),
                                  .firstMaterial = explicit->materials[explicitRow][0]};
    }

    cnMaterialDef material1 = cnMaterialTables_ReadRow(tables, materialRow1);
    cnMaterialDef material2 = cnMaterialTables_ReadRow(tables, materialRow2);
    cnPairProperties properties = CombineImplicitly(&material1, &material2);
    uint32_t fields;
    const cnPairItem* pair = FindLibraryPair(tables, (const int[2]){materialRow1, materialRow2}, &fields);
    if (pair != NULL) {
        ApplyLibraryPair(&properties, &pair->values, fields);
    }
    return properties;
}

static cnPairProperties ComputePair(const cnMaterialTables* tables, int materialRow1, int materialRow2) {
    cnPairProperties properties = CombineMaterials(tables, materialRow1, materialRow2);
    properties.isPlain = IsPlain(&properties);
    return properties;
}

// ---- the cache --------------------------------------------------------------------------------------------

// Position in the lower triangle; material numbers are rows plus one, 0 the default material.
static int TriangleIndex(int number1, int number2) {
    int smaller = number1 < number2 ? number1 : number2;
    int larger = number1 < number2 ? number2 : number1;
    return larger * (larger + 1) / 2 + smaller;
}

static size_t TriangleBytes(int materialCount) {
    return (size_t)TriangleIndex(materialCount, 0) * sizeof(cnPairProperties);
}

void cnPairCache_Free(cnPairCache* cache) {
    cnFree(cache->pairs, TriangleBytes(cache->materialCapacity));
    *cache = (cnPairCache){0};
}

// Old pairs are not kept: they are computed again.
static bool PairCacheReserve(cnPairCache* cache, int materialCount) {
    if (materialCount <= cache->materialCapacity) {
        return true;
    }
    int newCapacity =
        2 * cache->materialCapacity > materialCount ? 2 * cache->materialCapacity : materialCount;
    newCapacity = newCapacity < CN_PAIR_CACHE_MATERIALS ? newCapacity : CN_PAIR_CACHE_MATERIALS;
    cnPairProperties* pairs = cnAllocate(TriangleBytes(newCapacity));
    if (pairs == NULL) {
        return false;
    }
    cnPairCache_Free(cache);
    cache->pairs = pairs;
    cache->materialCapacity = newCapacity;
    return true;
}

static bool IsInUse(const cnMaterialTables* tables, int materialNumber) {
    return materialNumber == 0 || cnIdPool_IsLive(&tables->materials.ids, materialNumber - 1);
}

void cnMaterialTables_Prepare(cnMaterialTables* tables) {
    cnPairCache* cache = &tables->cache;
    if (cache->revision == tables->revision) {
        return;
    }
    int wanted = tables->materials.ids.rowCount + 1;
    wanted = wanted < CN_PAIR_CACHE_MATERIALS ? wanted : CN_PAIR_CACHE_MATERIALS;
    // without memory for more, the pairs that there is room for
    cache->materialCount = PairCacheReserve(cache, wanted) ? wanted : cache->materialCapacity;
    for (int larger = 0; larger < cache->materialCount; ++larger) {
        for (int smaller = 0; smaller <= larger; ++smaller) {
            if (IsInUse(tables, smaller) && IsInUse(tables, larger)) {
                cache->pairs[TriangleIndex(smaller, larger)] = ComputePair(tables, smaller - 1, larger - 1);
            }
        }
    }
    cache->revision = tables->revision;
}

const cnPairProperties* cnFindPair(const cnMaterialTables* tables, int materialRow1, int materialRow2,
                                   cnPairProperties* scratch) {
    const cnPairCache* cache = &tables->cache;
    int number1 = materialRow1 + 1;
    int number2 = materialRow2 + 1;
    if (cache->revision == tables->revision && number1 < cache->materialCount &&
        number2 < cache->materialCount) {
        return &cache->pairs[TriangleIndex(number1, number2)];
    }
    *scratch = ComputePair(tables, materialRow1, materialRow2);
    return scratch;
}

cnPairProperties cnResolvePair(const cnMaterialTables* tables, int materialRow1, int materialRow2) {
    cnPairProperties scratch;
    return *cnFindPair(tables, materialRow1, materialRow2, &scratch);
}

// ---- what the public functions do -------------------------------------------------------------------------

cnContactMaterialDef cnMaterialTables_GetPairProperties(const cnMaterialTables* tables,
                                                        cnMaterialId material1, cnMaterialId material2,
                                                        const char* call) {
    int rows[2];
    if (cnMaterialTables_FindTwo(tables, material1, material2, rows, call) != CN_ERROR_NONE) {
        return (cnContactMaterialDef){0};
    }
    cnPairProperties properties = cnResolvePair(tables, rows[0], rows[1]);
    return (cnContactMaterialDef){
        .material1 = material1,
        .material2 = material2,
        .given = CN_ALL_CONTACT_MATERIAL_FIELDS,
        .friction = {properties.friction[0], properties.friction[1]},
        .restitution = properties.restitution,
        .restitutionThreshold = properties.restitutionThreshold,
        .youngsModulus = properties.youngsModulus,
        .damping = properties.damping,
        .adhesionForce = properties.adhesionForce,
        .adhesionOverlap = properties.adhesionOverlap,
        .surfaceViscosity = {properties.surfaceViscosity[0], properties.surfaceViscosity[1]},
        .contactReduction = properties.contactReduction,
        .frictionModel = properties.frictionModel,
        .contactArea = properties.contactArea,
        .rollingResistance = {properties.rollingResistance[0], properties.rollingResistance[1]},
        .spinningFriction = properties.spinningFriction,
        .slide = {properties.slide[0], properties.slide[1]},
        .staticFrictionScale = properties.staticFrictionScale,
    };
}

cnPairOrigins cnMaterialTables_GetPairOrigins(const cnMaterialTables* tables, cnMaterialId material1,
                                              cnMaterialId material2, const char* call) {
    int rows[2];
    if (cnMaterialTables_FindTwo(tables, material1, material2, rows, call) != CN_ERROR_NONE) {
        return (cnPairOrigins){0};
    }
    bool isExplicit = cnMaterialTables_FindPair(tables, rows[0], rows[1]) >= 0;
    uint32_t fields;
    FindLibraryPair(tables, rows, &fields);
#define ORIGIN(bit) isExplicit ? cn_pairExplicit : (fields & (bit)) != 0 ? cn_pairLibrary : cn_pairImplicit
    return (cnPairOrigins){
        .friction = ORIGIN(cn_contactFriction),
        .restitution = ORIGIN(cn_contactRestitution),
        .restitutionThreshold = ORIGIN(cn_contactRestitutionThreshold),
        .youngsModulus = ORIGIN(cn_contactYoungsModulus),
        .damping = ORIGIN(cn_contactDamping),
        .adhesion = ORIGIN(cn_contactAdhesion),
        .surfaceViscosity = ORIGIN(cn_contactSurfaceViscosity),
        .contactReduction = ORIGIN(cn_contactReduction),
        .frictionModel = ORIGIN(cn_contactFrictionModel),
        .contactArea = ORIGIN(cn_contactArea),
        .rollingResistance = ORIGIN(cn_contactRollingResistance),
        .spinningFriction = ORIGIN(cn_contactSpinningFriction),
        .slide = ORIGIN(cn_contactSlide),
        .staticFrictionScale = ORIGIN(cn_contactStaticFrictionScale),
    };
#undef ORIGIN
}
