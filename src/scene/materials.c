// The sections "materials" and "contactMaterials" of a scene.
#include "scene/load.h"

// Which key sets which field.
typedef struct FieldKey {
    const char* key;
    const cnJsonRange* range;
    size_t offset; // of a double in the definition
    uint32_t field;
} FieldKey;

static void ReadFields(const cnJson* node, const FieldKey* fields, int count, void* def, uint32_t* given) {
    for (int i = 0; i < count; ++i) {
        cnJson value = cnJson_Get(node, fields[i].key);
        if (cnJson_IsGiven(&value)) {
            double* target = (double*)((char*)def + fields[i].offset);
            *target = cnJson_AsNumber(&value, fields[i].range, 0.0);
            *given |= fields[i].field;
        }
    }
}

// { "force", "overlap" }; true when it is given.
static bool ReadAdhesion(const cnJson* node, double* force, double* overlap) {
    static const char* const keys[] = {"force", "overlap"};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "an adhesion")) {
        return false;
    }
    cnJson forceNode = cnJson_Get(node, "force");
    cnJson overlapNode = cnJson_Get(node, "overlap");
    *force = cnJson_AsNumber(&forceNode, &cnJson_notNegative, 0.0);
    *overlap = cnJson_AsNumber(&overlapNode, &cnJson_notNegative, 0.0);
    return true;
}

// ---- materials --------------------------------------------------------------------------------------------

// Two keys that say the same.
static void CheckOther(const cnJson* node, const char* key, const char* original) {
    cnJson alias = cnJson_Get(node, key);
    if (cnJson_IsGiven(&alias) && cnJson_Has(node, original)) {
        cnJson_Fail(&alias, "is given together with `%s`, of which it is another form: must be one of them",
                    original);
    }
}

static cnWireProperties ReadWire(const cnJson* node) {
    static const char* const keys[] = {"stretchModulus", "bendModulus", "stretchDamping", "bendDamping"};
    double values[4] = {0.0, 0.0, 0.0, 0.0};
    if (CN_CHECK_KEYS(node, keys, "a wire")) {
        for (int i = 0; i < 4; ++i) {
            cnJson value = cnJson_Get(node, keys[i]);
            values[i] = cnJson_AsNumber(&value, &cnJson_notNegative, 0.0);
        }
    }
    return (cnWireProperties){values[0], values[1], values[2], values[3]};
}

static cnMaterialFrictionModel ReadMaterialModel(const cnJson* node) {
    static const char* const words[] = {
        [cn_materialFrictionNeutral] = "neutral",
        [cn_materialFrictionCone] = "cone",
        [cn_materialFrictionScaledBox] = "scaledBox",
        [cn_materialFrictionScaledBoxFast] = "scaledBoxFast",
        [cn_materialFrictionBox] = "box",
        [cn_materialFrictionNone] = "none",
    };
    return (cnMaterialFrictionModel)CN_AS_CHOICE(node, words, cn_materialFrictionNeutral);
}

static void LoadMaterial(cnSceneLoader* loader, const cnJson* node) {
    static const char* const keys[] = {
        "name",      "library",       "density",  "youngsModulus",    "damping",
        "viscosity", "roughness",     "adhesion", "surfaceViscosity", "contactReduction",
        "wire",      "frictionModel", "friction", "restitution"};
    static const FieldKey fields[] = {
        {"density", &cnJson_positive, offsetof(cnMaterialDef, density), cn_materialDensity},
        {"youngsModulus", &cnJson_positive, offsetof(cnMaterialDef, youngsModulus), cn_materialYoungsModulus},
        {"damping", &cnJson_notNegative, offsetof(cnMaterialDef, damping), cn_materialDamping},
        {"viscosity", &cnJson_fraction, offsetof(cnMaterialDef, viscosity), cn_materialViscosity},
        {"roughness", &cnJson_notNegative, offsetof(cnMaterialDef, roughness), cn_materialRoughness},
        {"surfaceViscosity", &cnJson_notNegative, offsetof(cnMaterialDef, surfaceViscosity),
         cn_materialSurfaceViscosity},
        {"friction", &cnJson_notNegative, offsetof(cnMaterialDef, friction), cn_materialFriction},
        {"restitution", &cnJson_fraction, offsetof(cnMaterialDef, restitution), cn_materialRestitution},
    };
    if (!CN_CHECK_KEYS(node, keys, "a material")) {
        return;
    }
    cnJson library = cnJson_Get(node, "library");
    cnJson name = cnJson_Get(node, "name");
    cnMaterialDef def = {
        .name = cnJson_AsName(&name),
        .library = cnJson_AsText(&library, "the name of an item of the materials library"),
    };
    ReadFields(node, fields, (int)(sizeof fields / sizeof fields[0]), &def, &def.given);
    CheckOther(node, "friction", "roughness");
    CheckOther(node, "restitution", "viscosity");
    cnJson adhesion = cnJson_Get(node, "adhesion");
    if (ReadAdhesion(&adhesion, &def.adhesionForce, &def.adhesionOverlap)) {
        def.given |= cn_materialAdhesion;
    }
    cnJson reduction = cnJson_Get(node, "contactReduction");
    def.contactReduction = cnJson_AsBoolean(&reduction, true);
    def.given |= cnJson_IsGiven(&reduction) ? cn_materialContactReduction : 0u;
    cnJson wire = cnJson_Get(node, "wire");
    if (cnJson_IsGiven(&wire)) {
        def.wire = ReadWire(&wire);
        def.given |= cn_materialWire;
    }
    cnJson model = cnJson_Get(node, "frictionModel");
    def.frictionModel = ReadMaterialModel(&model);
    def.given |= cnJson_IsGiven(&model) ? cn_materialFrictionModel : 0u;

    cnMaterialId material = {0};
    if (cnLoader_Builds(loader)) {
        material = cnCreateMaterial(loader->scene->world, &def);
        cnLoader_Accept(node, !CN_IS_NULL(material));
    }
    if (!cnArray_Push(&loader->materials, material)) {
        cnLoader_FailMemory(node);
    }
}

void cnLoadMaterials(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of materials"); cnJson_More(&item); cnJson_Next(&item)) {
        LoadMaterial(loader, &item);
    }
}

// ---- contact materials ------------------------------------------------------------------------------------

static const char* const cnFrictionModelWords[] = {
    [cn_frictionCone] = "cone",
    [cn_frictionScaledBox] = "scaledBox",
    [cn_frictionScaledBoxFast] = "scaledBoxFast",
    [cn_frictionBox] = "box",
    [cn_frictionBoxProportionalLow] = "boxProportionalLow",
    [cn_frictionBoxProportionalHigh] = "boxProportionalHigh",
    [cn_frictionConstantNormalForce] = "constantNormalForce",
    [cn_frictionNone] = "none",
};

// A key that only some types of friction models have; `isNeeded` when they must have it.
static void CheckBelongs(const cnJson* model, const char* key, bool belongs, bool isNeeded,
                         const char* types) {
    cnJson node = cnJson_Get(model, key);
    if (cnJson_IsGiven(&node) && !belongs) {
        cnJson_Fail(&node, "is for the friction model %s only", types);
    }
    if (!cnJson_IsGiven(&node) && belongs && isNeeded) {
        cnJson_Fail(&node, "is missing: the friction model %s must have it", types);
    }
}

// What only some types have, and some must have.
static void CheckParts(const cnJson* node, cnFrictionModelType type) {
    bool isProportional = type == cn_frictionBoxProportionalLow || type == cn_frictionBoxProportionalHigh;
    CheckBelongs(node, "normalForce", type == cn_frictionConstantNormalForce, true, "constantNormalForce");
    CheckBelongs(node, "depthScaled", type == cn_frictionConstantNormalForce, false, "constantNormalForce");
    CheckBelongs(node, "force", type == cn_frictionBox, false, "box");
    CheckBelongs(node, "acceleration", isProportional, true, "boxProportionalLow and boxProportionalHigh");
    CheckBelongs(node, "exactCone", type == cn_frictionCone, false, "cone");
}

static cnFrictionModel ReadFrictionModel(cnSceneLoader* loader, const cnJson* node) {
    static const char* const keys[] = {"type",        "solve",       "exactCone", "frame",       "primary",
                                       "normalForce", "depthScaled", "force",     "acceleration"};
    static const char* const solves[] = {
        [cn_frictionSolveWorld] = "world",
        [cn_frictionSolveIterative] = "iterative",
        [cn_frictionSolveSplit] = "split",
        [cn_frictionSolveDirect] = "direct",
        [cn_frictionSolveDirectAndIterative] = "directAndIterative",
    };
    cnFrictionModel model = {.type = cn_frictionCone};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "a friction model")) {
        return model;
    }
    cnJson typeNode = cnJson_Get(node, "type");
    model.type = (cnFrictionModelType)CN_AS_CHOICE(&typeNode, cnFrictionModelWords, cn_frictionCone);
    CheckParts(node, model.type);
    cnJson solve = cnJson_Get(node, "solve");
    model.solve = (cnFrictionSolve)CN_AS_CHOICE(&solve, solves, cn_frictionSolveWorld);
    model.exactCone = cnJson_GetBoolean(node, "exactCone", false);

    // bounds
    cnJson normalForce = cnJson_Get(node, "normalForce");
    cnJson force = cnJson_Get(node, "force");
    cnJson acceleration = cnJson_Get(node, "acceleration");
    model.normalForce = cnJson_AsNumber(&normalForce, &cnJson_notNegative, 0.0);
    model.depthScaled = cnJson_GetBoolean(node, "depthScaled", false);
    model.forceGiven = cnJson_IsGiven(&force);
    cnJson_AsPair(&force, model.force, &cnJson_notNegative);
    cnJson_AsPair(&acceleration, model.acceleration, &cnJson_notNegative);

    // directions
    cnJson frame = cnJson_Get(node, "frame");
    cnJson primary = cnJson_Get(node, "primary");
    if (cnJson_IsGiven(&frame)) {
        int row = cnLoader_FindNamed(loader, &frame, cn_name_body);
        if (!cnJson_IsGiven(&primary)) {
            cnJson_FailMust(&primary, "the primary direction in the frame of the body");
        }
        model.frame = row >= 0 && cnLoader_Builds(loader) ? loader->scene->bodies.data[row] : (cnBodyId){0};
    }
    if (cnJson_IsGiven(&primary)) {
        model.primary = cnJson_AsDirection(&primary, cnVec(1.0, 0.0, 0.0));
    }
    return model;
}

static cnContactArea ReadContactArea(const cnJson* node) {
    static const char* const keys[] = {"enabled", "minRestLength", "maxRestLength"};
    cnContactArea area = {.enabled = false};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "a contact area")) {
        return area;
    }
    cnJson lowestNode = cnJson_Get(node, "minRestLength");
    cnJson highestNode = cnJson_Get(node, "maxRestLength");
    area.enabled = cnJson_GetBoolean(node, "enabled", false);
    area.minRestLength = cnJson_AsNumber(&lowestNode, &cnJson_positive, 0.0);
    area.maxRestLength = cnJson_AsNumber(&highestNode, &cnJson_positive, 0.0);
    if (area.maxRestLength > 0.0 && area.minRestLength > area.maxRestLength) {
        cnJson_Fail(&highestNode, "is %.9g: must be at least minRestLength, %.9g", area.maxRestLength,
                    area.minRestLength);
    }
    return area;
}

// A number that counts in both directions, or one for each.
static uint32_t ReadPair(const cnJson* parent, const char* key, const cnJsonRange* range, double pair[2],
                         cnContactMaterialField field) {
    cnJson node = cnJson_Get(parent, key);
    cnJson_AsPair(&node, pair, range);
    return cnJson_IsGiven(&node) ? (uint32_t)field : 0u;
}

static void LoadContactMaterial(cnSceneLoader* loader, const cnJson* node) {
    static const char* const keys[] = {
        "materials",
        "friction",
        "restitution",
        "restitutionThreshold",
        "youngsModulus",
        "damping",
        "adhesion",
        "surfaceViscosity",
        "contactArea",
        "contactReduction",
        "frictionModel",
        "rollingResistance",
        "spinningFriction",
        "slide",
        "staticFrictionScale",
    };
    static const FieldKey fields[] = {
        {"restitution", &cnJson_fraction, offsetof(cnContactMaterialDef, restitution), cn_contactRestitution},
        {"restitutionThreshold", &cnJson_notNegative, offsetof(cnContactMaterialDef, restitutionThreshold),
         cn_contactRestitutionThreshold},
        {"youngsModulus", &cnJson_positive, offsetof(cnContactMaterialDef, youngsModulus),
         cn_contactYoungsModulus},
        {"damping", &cnJson_notNegative, offsetof(cnContactMaterialDef, damping), cn_contactDamping},
        {"spinningFriction", &cnJson_notNegative, offsetof(cnContactMaterialDef, spinningFriction),
         cn_contactSpinningFriction},
        {"staticFrictionScale", &cnJson_notNegative, offsetof(cnContactMaterialDef, staticFrictionScale),
         cn_contactStaticFrictionScale},
    };
    if (!CN_CHECK_KEYS(node, keys, "a contact material")) {
        return;
    }

    // the pair
    int rows[2] = {-1, -1};
    cnJson materials = cnJson_Need(node, "materials");
    if (!cnLoader_FindTwo(loader, &materials, cn_name_material, rows)) {
        return;
    }
    cnContactMaterialDef def = {
        .material1 = loader->materials.data[rows[0]],
        .material2 = loader->materials.data[rows[1]],
    };

    // numbers
    ReadFields(node, fields, (int)(sizeof fields / sizeof fields[0]), &def, &def.given);
    def.given |= ReadPair(node, "friction", &cnJson_notNegative, def.friction, cn_contactFriction);
    def.given |= ReadPair(node, "surfaceViscosity", &cnJson_notNegative, def.surfaceViscosity,
                          cn_contactSurfaceViscosity);
    def.given |= ReadPair(node, "rollingResistance", &cnJson_notNegative, def.rollingResistance,
                          cn_contactRollingResistance);
    def.given |= ReadPair(node, "slide", &cnJson_any, def.slide, cn_contactSlide);
    cnJson adhesion = cnJson_Get(node, "adhesion");
    if (ReadAdhesion(&adhesion, &def.adhesionForce, &def.adhesionOverlap)) {
        def.given |= cn_contactAdhesion;
    }

    // switches and models
    cnJson reduction = cnJson_Get(node, "contactReduction");
    def.contactReduction = cnJson_AsBoolean(&reduction, true);
    def.given |= cnJson_IsGiven(&reduction) ? cn_contactReduction : 0u;
    cnJson model = cnJson_Get(node, "frictionModel");
    def.frictionModel = ReadFrictionModel(loader, &model);
    def.given |= cnJson_IsGiven(&model) ? cn_contactFrictionModel : 0u;
    cnJson area = cnJson_Get(node, "contactArea");
    def.contactArea = ReadContactArea(&area);
    def.given |= cnJson_IsGiven(&area) ? cn_contactArea : 0u;

    if (cnLoader_Builds(loader)) {
        cnContactMaterialId made = cnCreateContactMaterial(loader->scene->world, &def);
        if (CN_IS_NULL(made) && cnGetLastError()->code == CN_ERROR_NAME_TAKEN) {
            cnJson_Fail(&materials, "are a pair that has a contact material already: a pair may have one");
        }
        cnLoader_Accept(node, !CN_IS_NULL(made));
    }
}

void cnLoadContactMaterials(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of contact materials"); cnJson_More(&item);
         cnJson_Next(&item)) {
        LoadContactMaterial(loader, &item);
    }
}
