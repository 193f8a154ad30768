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
    if (*force > 0.0) {
        cnJson_NotYet(&forceNode, "adhesion");
    } else {
        *overlap = 0.0; // says nothing without a force
    }
    return true;
}

// ---- materials --------------------------------------------------------------------------------------------

static void LoadMaterial(cnSceneLoader* loader, const cnJson* node) {
    static const char* const keys[] = {
        "name",      "library",  "density",          "youngsModulus",    "damping", "viscosity",
        "roughness", "adhesion", "surfaceViscosity", "contactReduction", "wire"};
    static const FieldKey fields[] = {
        {"density", &cnJson_positive, offsetof(cnMaterialDef, density), cn_materialDensity},
        {"youngsModulus", &cnJson_positive, offsetof(cnMaterialDef, youngsModulus), cn_materialYoungsModulus},
        {"damping", &cnJson_notNegative, offsetof(cnMaterialDef, damping), cn_materialDamping},
        {"viscosity", &cnJson_fraction, offsetof(cnMaterialDef, viscosity), cn_materialViscosity},
        {"roughness", &cnJson_notNegative, offsetof(cnMaterialDef, roughness), cn_materialRoughness},
        {"surfaceViscosity", &cnJson_notNegative, offsetof(cnMaterialDef, surfaceViscosity),
         cn_materialSurfaceViscosity},
    };
    if (!CN_CHECK_KEYS(node, keys, "a material")) {
        return;
    }
    cnJson library = cnJson_Get(node, "library");
    cnMaterialDef def = {.library = cnJson_AsText(&library, "the name of an item of the materials library")};
    ReadFields(node, fields, (int)(sizeof fields / sizeof fields[0]), &def, &def.given);
    cnJson adhesion = cnJson_Get(node, "adhesion");
    if (ReadAdhesion(&adhesion, &def.adhesionForce, &def.adhesionOverlap)) {
        def.given |= cn_materialAdhesion;
    }
    cnJson reduction = cnJson_Get(node, "contactReduction");
    def.contactReduction = cnJson_AsBoolean(&reduction, true);
    def.given |= cnJson_IsGiven(&reduction) ? cn_materialContactReduction : 0u;
    cnJson wire = cnJson_Get(node, "wire");
    if (cnJson_IsGiven(&wire)) {
        if (!cJSON_IsObject(wire.value)) {
            cnJson_FailMust(&wire, "an object");
        }
        cnJson_NotYet(&wire, "wire properties of materials");
    }

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

static cnFrictionModelType ReadFrictionModel(cnSceneLoader* loader, const cnJson* node, bool* exactCone) {
    static const char* const keys[] = {"type",        "solve",       "exactCone", "frame",       "primary",
                                       "normalForce", "depthScaled", "force",     "acceleration"};
    static const char* const solves[] = {"iterative", "split", "direct", "directAndIterative"};
    enum {
        iterative = 0
    };
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "a friction model")) {
        return cn_frictionCone;
    }

    // the type, and what it goes with
    cnJson typeNode = cnJson_Get(node, "type");
    cnFrictionModelType type =
        (cnFrictionModelType)CN_AS_CHOICE(&typeNode, cnFrictionModelWords, cn_frictionCone);
    bool isProportional = type == cn_frictionBoxProportionalLow || type == cn_frictionBoxProportionalHigh;
    CheckBelongs(node, "normalForce", type == cn_frictionConstantNormalForce, true, "constantNormalForce");
    CheckBelongs(node, "depthScaled", type == cn_frictionConstantNormalForce, false, "constantNormalForce");
    CheckBelongs(node, "force", type == cn_frictionBox, false, "box");
    CheckBelongs(node, "acceleration", isProportional, true, "boxProportionalLow and boxProportionalHigh");
    CheckBelongs(node, "exactCone", type == cn_frictionCone, false, "cone");
    if (type != cn_frictionCone && type != cn_frictionNone) {
        cnJson_NotYet(&typeNode, "the friction model %s", cnFrictionModelWords[type]);
    }

    // values
    double pair[2] = {0.0, 0.0};
    cnJson normalForce = cnJson_Get(node, "normalForce");
    cnJson force = cnJson_Get(node, "force");
    cnJson acceleration = cnJson_Get(node, "acceleration");
    cnJson_AsNumber(&normalForce, &cnJson_notNegative, 0.0);
    cnJson_GetBoolean(node, "depthScaled", false);
    cnJson_AsPair(&force, pair, &cnJson_notNegative);
    cnJson_AsPair(&acceleration, pair, &cnJson_notNegative);

    // how it is solved
    cnJson solve = cnJson_Get(node, "solve");
    int solveChoice = CN_AS_CHOICE(&solve, solves, iterative);
    if (solveChoice != iterative) {
        cnJson_NotYet(&solve, "friction models that are solved by %s", solves[solveChoice]);
    }
    *exactCone = cnJson_GetBoolean(node, "exactCone", false);

    // directions
    cnJson frame = cnJson_Get(node, "frame");
    cnJson primary = cnJson_Get(node, "primary");
    if (cnJson_IsGiven(&frame)) {
        cnLoader_FindNamed(loader, &frame, cn_name_body);
        if (!cnJson_IsGiven(&primary)) {
            cnJson_FailMust(&primary, "the primary direction in the frame of the body");
        }
    }
    if (cnJson_IsGiven(&primary)) {
        cnJson_AsDirection(&primary, cnVec(1.0, 0.0, 0.0));
        cnJson_NotYet(&primary, "oriented friction models");
    }
    return type;
}

// One number or two of something that this build lacks, which `neutral` switches off.
static void CheckNeutral(const cnJson* parent, const char* key, const cnJsonRange* range, double neutral,
                         const char* noun) {
    double pair[2] = {neutral, neutral};
    cnJson node = cnJson_Get(parent, key);
    cnJson_AsPair(&node, pair, range);
    if (pair[0] != neutral || pair[1] != neutral) {
        cnJson_NotYet(&node, "%s", noun);
    }
}

static void CheckContactArea(const cnJson* node) {
    static const char* const keys[] = {"enabled", "minRestLength", "maxRestLength"};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "a contact area")) {
        return;
    }
    cnJson lowestNode = cnJson_Get(node, "minRestLength");
    cnJson highestNode = cnJson_Get(node, "maxRestLength");
    double lowest = cnJson_AsNumber(&lowestNode, &cnJson_positive, 0.0);
    double highest = cnJson_AsNumber(&highestNode, &cnJson_positive, CN_LARGEST_NUMBER);
    if (lowest > highest) {
        cnJson_Fail(&highestNode, "is %.9g: must be at least minRestLength, %.9g", highest, lowest);
    }
    cnJson enabled = cnJson_Get(node, "enabled");
    if (cnJson_AsBoolean(&enabled, false)) {
        cnJson_NotYet(&enabled, "contact areas");
    }
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
    cnJson friction = cnJson_Get(node, "friction");
    cnJson viscosity = cnJson_Get(node, "surfaceViscosity");
    cnJson_AsPair(&friction, def.friction, &cnJson_notNegative);
    cnJson_AsPair(&viscosity, def.surfaceViscosity, &cnJson_notNegative);
    if (def.friction[0] != def.friction[1]) {
        cnJson_NotYet(&friction, "friction that differs by direction");
    }
    if (def.surfaceViscosity[0] != def.surfaceViscosity[1]) {
        cnJson_NotYet(&viscosity, "surface viscosity that differs by direction");
    }
    def.given |= cnJson_IsGiven(&friction) ? cn_contactFriction : 0u;
    def.given |= cnJson_IsGiven(&viscosity) ? cn_contactSurfaceViscosity : 0u;
    cnJson adhesion = cnJson_Get(node, "adhesion");
    if (ReadAdhesion(&adhesion, &def.adhesionForce, &def.adhesionOverlap)) {
        def.given |= cn_contactAdhesion;
    }
    cnJson reduction = cnJson_Get(node, "contactReduction");
    def.contactReduction = cnJson_AsBoolean(&reduction, true);
    def.given |= cnJson_IsGiven(&reduction) ? cn_contactReduction : 0u;

    // friction, and what else acts in a contact
    cnJson model = cnJson_Get(node, "frictionModel");
    def.frictionModel.type = ReadFrictionModel(loader, &model, &def.frictionModel.exactCone);
    def.given |= cnJson_IsGiven(&model) ? cn_contactFrictionModel : 0u;
    cnJson area = cnJson_Get(node, "contactArea");
    CheckContactArea(&area);
    CheckNeutral(node, "rollingResistance", &cnJson_notNegative, 0.0, "rolling resistance");
    CheckNeutral(node, "slide", &cnJson_any, 0.0, "slide");
    CheckNeutral(node, "spinningFriction", &cnJson_notNegative, 0.0, "spinning friction");
    CheckNeutral(node, "staticFrictionScale", &cnJson_notNegative, 1.0, "the scale of static friction");

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
