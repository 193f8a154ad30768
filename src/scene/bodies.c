// The sections "bodies", "geometries" and "collisionPairs" of a scene.
#include "api/handles.h"
#include "api/objects/geometries.h"
#include "scene/load.h"

#include <string.h>

// Greater ones stand for names.
enum {
    largestGroupNumber = 0x7fffffff
};

// Groups that a geometry may be in.
enum {
    maxGroups = 16
};

// ---- geometries -------------------------------------------------------------------------------------------

// A number or a name.
static uint32_t ReadGroup(cnSceneLoader* loader, const cnJson* node) {
    if (cJSON_IsString(node->value)) {
        uint32_t row = (uint32_t)cnLoader_FindNamed(loader, node, cn_name_group);
        return cnLoader_Builds(loader) ? cnWorld_GetGroup(loader->scene->world, node->value->valuestring)
                                       : largestGroupNumber + 1u + row;
    }
    if (!cJSON_IsNumber(node->value)) {
        cnJson_FailMust(node, "a group: a whole number or a name");
        return 0;
    }
    return (uint32_t)cnJson_AsInteger(node, 0, largestGroupNumber, 0);
}

static int ReadGroups(cnSceneLoader* loader, const cnJson* list, uint32_t groups[maxGroups]) {
    int count = 0;
    for (cnJson item = cnJson_First(list, "a list of groups"); cnJson_More(&item); cnJson_Next(&item)) {
        uint32_t group = ReadGroup(loader, &item);
        for (int i = 0; i < count; ++i) {
            if (groups[i] == group) {
                cnJson_Fail(&item, "is in the list already: a geometry is in a group once");
            }
        }
        if (count == maxGroups) {
            cnJson_Fail(list, "has more than %d groups: a geometry may be in %d", maxGroups, maxGroups);
            break;
        }
        groups[count++] = group;
    }
    return count;
}

// An open mesh has none, whatever its type promises.
static bool HasVolume(const cnSceneLoader* loader, cnShapeId shape) {
    const cnWorld* world = cnReadWorld(loader->scene->world, "cnLoadScene");
    int row = world != NULL ? cnFindShape(world, shape, "cnLoadScene", "shape") : -1;
    return row >= 0 && world->shapes.volume[row] > 0.0;
}

// Makes the shape at `node` and adds it with its pose in the geometry.
static void AddInstance(cnSceneLoader* loader, const cnJson* node, cnVec3 position, cnQuat rotation,
                        bool* givesMass, bool* isHeightField) {
    cnShapeDef def;
    bool hasVolume = false;
    bool isField = false;
    bool isReadable = cnReadShape(loader, node, &def, &hasVolume, &isField);
    *isHeightField = *isHeightField || isField;
    if (!isReadable) {
        *givesMass = *givesMass || hasVolume;
        return;
    }
    cnShapeInstance instance = {cnCreateShape(loader->scene->world, &def), position, rotation};
    *givesMass = *givesMass || (!CN_IS_NULL(instance.shape) && HasVolume(loader, instance.shape));
    if (CN_IS_NULL(instance.shape)) {
        cnJson points = cnJson_Get(node, "points");
        cnLoader_Accept(cnGetLastError()->code == CN_ERROR_DEGENERATE_SHAPE && points.value != NULL ? &points
                                                                                                    : node,
                        false);
    } else if (!cnArray_Push(&loader->instances, instance)) {
        cnLoader_FailMemory(node);
    } else if (isField && CN_IS_NULL(loader->heightField)) {
        loader->heightField = instance.shape;
    }
}

// "shape", or "shapes" with poses of their own.
static void ReadShapes(cnSceneLoader* loader, const cnJson* node, bool* givesMass, bool* isHeightField) {
    static const char* const forms[] = {"shape", "shapes"};
    static const char* const keys[] = {"shape", "position", "rotation"};
    loader->instances.count = 0;
    loader->heightField = (cnShapeId){0};
    int form = cnJson_NeedOneOf(node, forms, 2);
    if (form < 0) {
        return;
    }
    cnJson value = cnJson_Get(node, forms[form]);
    if (form == 0) {
        AddInstance(loader, &value, cnVec3_zero, cnQuat_identity, givesMass, isHeightField);
        return;
    }
    cnJson first = cnJson_First(&value, "a list of shapes");
    if (!cnJson_IsGiven(&first)) {
        cnJson_FailMust(&value, "a list of at least one { \"shape\", \"position\", \"rotation\" }");
    }
    for (cnJson item = first; cnJson_More(&item); cnJson_Next(&item)) {
        if (!CN_CHECK_KEYS(&item, keys, "a shape of a geometry")) {
            return;
        }
        cnJson shape = cnJson_Need(&item, "shape");
        cnJson position = cnJson_Get(&item, "position");
        cnJson rotation = cnJson_Get(&item, "rotation");
        cnVec3 place = cnJson_AsVector(&position, &cnJson_any, cnVec3_zero);
        cnQuat orientation = cnJson_AsRotation(&rotation);
        if (cnJson_IsFine(&item)) {
            AddInstance(loader, &shape, place, orientation, givesMass, isHeightField);
        }
    }
}

void cnReadMergeSplit(const cnJson* node, bool* unmergeable, bool* unsplittable) {
    static const char* const keys[] = {"merge", "split"};
    cnJson mergeSplit = cnJson_Get(node, "mergeSplit");
    if (cnJson_IsGiven(&mergeSplit) && CN_CHECK_KEYS(&mergeSplit, keys, "mergeSplit")) {
        *unmergeable = !cnJson_GetBoolean(&mergeSplit, "merge", true);
        *unsplittable = !cnJson_GetBoolean(&mergeSplit, "split", true);
    }
}

cnSensorMode cnReadSensor(const cnJson* node) {
    if (cJSON_IsString(node->value) && strcmp(node->value->valuestring, "overlapOnly") == 0) {
        return cn_sensorOverlapOnly;
    }
    if (cnJson_IsGiven(node) && !cJSON_IsBool(node->value)) {
        cnJson_FailMust(node, "true, false or \"overlapOnly\"");
    }
    return cJSON_IsTrue(node->value) ? cn_sensorOn : cn_sensorOff;
}

// What stands in place of a material.
static void ReadSurface(const cnJson* node, cnGeometryDef* def) {
    cnJson friction = cnJson_Get(node, "friction");
    cnJson restitution = cnJson_Get(node, "restitution");
    def->frictionGiven = cnJson_IsGiven(&friction);
    def->restitutionGiven = cnJson_IsGiven(&restitution);
    def->friction = cnJson_AsNumber(&friction, &cnJson_notNegative, 0.0);
    def->restitution = cnJson_AsNumber(&restitution, &cnJson_fraction, 0.0);
    if (cnJson_Has(node, "material") && (def->frictionGiven || def->restitutionGiven)) {
        cnJson_Fail(def->frictionGiven ? &friction : &restitution,
                    "is given together with `material`: must be one of them");
    }
}

// True when it gives its body a mass.
static bool LoadGeometry(cnSceneLoader* loader, const cnJson* node, cnBodyId body) {
    static const char* const keys[] = {"name",           "shape",       "shapes",    "position",
                                       "rotation",       "material",    "enabled",   "collisions",
                                       "massProperties", "sensor",      "groups",    "surfaceVelocity",
                                       "friction",       "restitution", "mergeSplit"};
    if (!CN_CHECK_KEYS(node, keys, "a geometry")) {
        return false;
    }
    cnJson rotation = cnJson_Get(node, "rotation");
    cnJson material = cnJson_Get(node, "material");
    cnJson groupList = cnJson_Get(node, "groups");
    cnJson sensor = cnJson_Get(node, "sensor");
    cnGeometryDef def = {
        .body = body,
        .position = cnJson_GetVector(node, "position", &cnJson_any, cnVec3_zero),
        .rotation = cnJson_AsRotation(&rotation),
        .disabled = !cnJson_GetBoolean(node, "enabled", true),
        .collisionsOff = !cnJson_GetBoolean(node, "collisions", true),
        .massPropertiesOff = !cnJson_GetBoolean(node, "massProperties", true),
        .sensor = cnReadSensor(&sensor),
        .surfaceVelocity = cnJson_GetVector(node, "surfaceVelocity", &cnJson_any, cnVec3_zero),
    };
    ReadSurface(node, &def);
    cnReadMergeSplit(node, &def.unmergeable, &def.unsplittable);
    if (cnJson_IsGiven(&material)) {
        int row = cnLoader_FindNamed(loader, &material, cn_name_material);
        def.material = row >= 0 ? loader->materials.data[row] : (cnMaterialId){0};
    }
    uint32_t groups[maxGroups];
    int groupCount = ReadGroups(loader, &groupList, groups);

    // the geometry; its shapes live as long as it does
    bool givesMass = false;
    bool isHeightField = false;
    ReadShapes(loader, node, &givesMass, &isHeightField);
    cnGeometryId geometry = {0};
    if (cnLoader_Builds(loader)) {
        cnWorldId world = loader->scene->world;
        def.shapes = loader->instances.data;
        def.shapeCount = loader->instances.count;
        CN_PIN(&loader->instances, "the geometry's shapes");
        geometry = cnCreateGeometry(world, &def);
        CN_UNPIN(&loader->instances);
        bool isMade = cnLoader_Accept(node, !CN_IS_NULL(geometry));
        for (int i = 0; i < loader->instances.count; ++i) {
            // actions may change a height field
            cnShapeId shape = loader->instances.data[i].shape;
            if (shape.value != loader->heightField.value) {
                cnReleaseShape(world, shape);
            }
        }
        for (int i = 0; i < groupCount && isMade; ++i) {
            isMade = cnLoader_Accept(node, cnGeometry_AddGroup(world, geometry, groups[i]) == CN_ERROR_NONE);
        }
    }
    if (!cnArray_Push(&loader->scene->geometries, geometry) ||
        !cnArray_Push(&loader->scene->heightFields, loader->heightField) ||
        !cnArray_Push(&loader->isHeightField, isHeightField)) {
        cnLoader_FailMemory(node);
    }
    return givesMass && !def.massPropertiesOff;
}

void cnLoadFreeGeometries(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of geometries"); cnJson_More(&item); cnJson_Next(&item)) {
        LoadGeometry(loader, &item, (cnBodyId){0});
    }
}

// ---- bodies -----------------------------------------------------------------------------------------------

// Moments of a solid: none is larger than the sum of the others; flat bodies reach it.
static bool ObeysTriangle(cnVec3 m) {
    double slack = 1.0 + 1e-9;
    return m.x <= slack * (m.y + m.z) && m.y <= slack * (m.z + m.x) && m.z <= slack * (m.x + m.y);
}

// [ixx, iyy, izz], or three rows.
static cnMat33 ReadInertia(const cnJson* node) {
    const char* allowed = "[ixx, iyy, izz] or three rows of a symmetric matrix";
    cnMat33 none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (!cnJson_IsGiven(node) || !cnJson_CheckCount(node, 3, allowed)) {
        return none;
    }
    if (!cJSON_IsArray(node->value->child)) {
        cnVec3 moments = cnJson_AsVector(node, &cnJson_positive, cnVec(1.0, 1.0, 1.0));
        if (!ObeysTriangle(moments)) {
            cnJson_Fail(node, "is [%.9g, %.9g, %.9g]: no moment may exceed the sum of the two others",
                        moments.x, moments.y, moments.z);
        }
        return cnDiagonal(moments);
    }

    // rows; symmetric within 1e-9 of the largest entry
    double rows[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double largest = 0.0;
    for (cnJson row = cnJson_First(node, allowed); cnJson_More(&row); cnJson_Next(&row)) {
        cnJson_AsNumbers(&row, rows[row.index], 3, &cnJson_any);
    }
    for (int i = 0; i < 9; ++i) {
        largest = cnMax(largest, fabs(rows[i / 3][i % 3]));
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        if (!(fabs(rows[i][j] - rows[j][i]) <= 1e-9 * largest)) {
            cnJson_Fail(node, "is not symmetric: %.9g in row %d, column %d, but %.9g opposite", rows[i][j], i,
                        j, rows[j][i]);
            return none;
        }
        rows[i][j] = rows[j][i] = 0.5 * (rows[i][j] + rows[j][i]);
    }
    cnMat33 inertia = {{rows[0][0], rows[0][1], rows[0][2]},
                       {rows[1][0], rows[1][1], rows[1][2]},
                       {rows[2][0], rows[2][1], rows[2][2]}};
    if (!cnJson_IsFine(node)) {
        return none;
    }

    // principal moments, in units of the largest entry
    cnQuat axes;
    cnVec3 moments = cnSymmetricEigen(cnScaleMat(largest > 0.0 ? 1.0 / largest : 0.0, inertia), &axes);
    if (!(moments.x > 1e-9)) {
        cnJson_Fail(node, "has the moments %.9g, %.9g, %.9g: must be positive definite", largest * moments.x,
                    largest * moments.y, largest * moments.z);
    } else if (!ObeysTriangle(moments)) {
        cnJson_Fail(node, "has the moments %.9g, %.9g, %.9g: none may exceed the sum of the two others",
                    largest * moments.x, largest * moments.y, largest * moments.z);
    }
    return inertia;
}

static cnBodyDef ReadBody(const cnJson* node) {
    static const cnJsonRange scales = {-CN_MAX_GRAVITY_SCALE, false, CN_MAX_GRAVITY_SCALE,
                                       "a number from -1e6 to 1e6"};
    static const char* const motions[] = {
        [cn_dynamic] = "dynamic", [cn_static] = "static", [cn_kinematic] = "kinematic"};
    cnJson motion = cnJson_Get(node, "motion");
    cnJson rotation = cnJson_Get(node, "rotation");
    cnJson mass = cnJson_Get(node, "mass");
    cnJson inertia = cnJson_Get(node, "inertia");
    cnJson centre = cnJson_Get(node, "centreOfMass");
    cnJson gravityScale = cnJson_Get(node, "gravityScale");
    return (cnBodyDef){
        .motion = (cnMotion)CN_AS_CHOICE(&motion, motions, cn_dynamic),
        .position = cnJson_GetVector(node, "position", &cnJson_any, cnVec3_zero),
        .rotation = cnJson_AsRotation(&rotation),
        .velocity = cnJson_GetVector(node, "velocity", &cnJson_any, cnVec3_zero),
        .angularVelocity = cnJson_GetVector(node, "angularVelocity", &cnJson_any, cnVec3_zero),
        .mass = cnJson_AsNumber(&mass, &cnJson_positive, 0.0),
        .inertia = ReadInertia(&inertia),
        .centreOfMassGiven = cnJson_IsGiven(&centre),
        .centreOfMass = cnJson_AsVector(&centre, &cnJson_any, cnVec3_zero),
        .linearDamping = cnJson_GetVector(node, "linearDamping", &cnJson_notNegative, cnVec3_zero),
        .angularDamping = cnJson_GetVector(node, "angularDamping", &cnJson_notNegative, cnVec3_zero),
        .massCoefficients = cnJson_GetVector(node, "massCoefficients", &cnJson_notNegative, cnVec3_zero),
        .inertiaCoefficients =
            cnJson_GetVector(node, "inertiaCoefficients", &cnJson_notNegative, cnVec3_zero),
        .gravityScaleGiven = cnJson_IsGiven(&gravityScale),
        .gravityScale = cnJson_AsNumber(&gravityScale, &scales, 1.0),
        .disabled = !cnJson_GetBoolean(node, "enabled", true),
        .fast = cnJson_GetBoolean(node, "fast", false),
        .sleepless = !cnJson_GetBoolean(node, "sleep", true),
    };
}

static void LoadBody(cnSceneLoader* loader, const cnJson* node) {
    static const char* const keys[] = {
        "name",
        "motion",
        "position",
        "rotation",
        "velocity",
        "angularVelocity",
        "mass",
        "inertia",
        "centreOfMass",
        "linearDamping",
        "angularDamping",
        "massCoefficients",
        "inertiaCoefficients",
        "gravityScale",
        "geometries",
        "enabled",
        "fast",
        "sleep",
        "mergeSplit",
    };
    if (!CN_CHECK_KEYS(node, keys, "a body")) {
        return;
    }
    cnWorldId world = loader->scene->world;
    cnBodyDef def = ReadBody(node);
    cnReadMergeSplit(node, &def.unmergeable, &def.unsplittable);
    cnBodyId body = {0};
    if (cnLoader_Builds(loader)) {
        body = cnCreateBody(world, &def);
        cnLoader_Accept(node, !CN_IS_NULL(body));
    }

    // its geometries, which may give the mass
    cnBodyFacts facts = {.motion = def.motion, .hasMass = def.mass > 0.0};
    cnJson geometries = cnJson_Get(node, "geometries");
    for (cnJson item = cnJson_First(&geometries, "a list of geometries"); cnJson_More(&item);
         cnJson_Next(&item)) {
        facts.hasMass = LoadGeometry(loader, &item, body) || facts.hasMass;
    }
    if (def.motion == cn_dynamic && !facts.hasMass) {
        cnJson_Fail(node,
                    "is dynamic and has neither a mass nor a geometry that gives one: must have either");
    }

    // sizes so small that their mass vanishes in f64
    if (cnLoader_Builds(loader) && def.motion == cn_dynamic) {
        cnMat33 inertia = cnBody_GetInertia(world, body);
        double min = cnMin(inertia.x.x, cnMin(inertia.y.y, inertia.z.z));
        if (!(cnBody_GetMass(world, body) > 0.0) || !(min > 0.0)) {
            cnJson_Fail(node, "gets no mass or inertia from its geometries: they must be larger, or a mass "
                              "and an inertia given");
        }
    }

    // velocities again, now that the centre of mass and the inertia are what they stay
    if (cnLoader_Builds(loader) && def.motion != cn_static) {
        bool isSet = cnBody_SetVelocity(world, body, def.velocity) == CN_ERROR_NONE &&
                     cnBody_SetAngularVelocity(world, body, def.angularVelocity) == CN_ERROR_NONE;
        cnLoader_Accept(node, isSet);
    }
    if (!cnArray_Push(&loader->scene->bodies, body) || !cnArray_Push(&loader->bodies, facts)) {
        cnLoader_FailMemory(node);
    }
}

void cnLoadBodies(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of bodies"); cnJson_More(&item); cnJson_Next(&item)) {
        LoadBody(loader, &item);
    }
}

// ---- collision pairs --------------------------------------------------------------------------------------

void cnLoadCollisionPairs(cnSceneLoader* loader, const cnJson* list) {
    static const char* const keys[] = {"groups", "geometries", "enabled"};
    static const char* const forms[] = {"groups", "geometries"};
    cnScene* scene = loader->scene;
    for (cnJson item = cnJson_First(list, "a list of collision pairs"); cnJson_More(&item);
         cnJson_Next(&item)) {
        if (!CN_CHECK_KEYS(&item, keys, "a collision pair")) {
            return;
        }
        int form = cnJson_NeedOneOf(&item, forms, 2);
        cnJson enabledNode = cnJson_Get(&item, "enabled");
        bool enabled = cnJson_AsBoolean(&enabledNode, false);
        if (form == 0) {
            cnJson pair = cnJson_Get(&item, "groups");
            if (!cnJson_CheckCount(&pair, 2, "a list of two groups")) {
                return;
            }
            cnJson first = cnJson_At(&pair, 0);
            cnJson second = cnJson_At(&pair, 1);
            uint32_t group1 = ReadGroup(loader, &first);
            uint32_t group2 = ReadGroup(loader, &second);
            if (cnLoader_Builds(loader)) {
                cnLoader_Accept(&item, cnWorld_SetGroupPairEnabled(scene->world, group1, group2, enabled) ==
                                           CN_ERROR_NONE);
            }
        } else if (form == 1) {
            int rows[2] = {-1, -1};
            cnJson pair = cnJson_Get(&item, "geometries");
            if (cnLoader_FindTwo(loader, &pair, cn_name_geometry, rows) && rows[0] == rows[1]) {
                cnJson_Fail(&pair, "is one geometry twice: must be two different ones");
            }
            if (cnLoader_Builds(loader)) {
                cnLoader_Accept(&item, cnWorld_SetGeometryPairEnabled(
                                           scene->world, scene->geometries.data[rows[0]],
                                           scene->geometries.data[rows[1]], enabled) == CN_ERROR_NONE);
            }
        }
    }
}
