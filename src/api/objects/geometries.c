// Geometries: the public functions.
#include "api/objects/geometries.h"
#include "api/checks.h"
#include "api/handles.h"
#include "base/report/format.h"
#include "world/contact_list.h"
#include "world/sleep.h"
#include "world/world.h"

#define CN_FIND_GEOMETRY(call)                                                                               \
    cnWorld* world = cnFindWorld(worldId, call);                                                             \
    int row = world != NULL ? cnFindGeometry(world, geometryId, call, "geometry") : -1;                      \
    if (row < 0) {                                                                                           \
        return cnGetLastError()->code;                                                                       \
    }

// ---- creation ---------------------------------------------------------------------------------------------

static cnErrorCode CheckInstances(const cnWorld* world, const cnGeometryDef* def, const char* call) {
    if (def->shapes == NULL || def->shapeCount < 1) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def.shapes",
                      "def.shapes has %d shapes, allowed is 1 or more",
                      def->shapes == NULL ? 0 : def->shapeCount);
    }
    for (int i = 0; i < def->shapeCount; ++i) {
        char argument[48];
        cnFormat(argument, sizeof argument, "def.shapes[%d]", i);
        cnQuat rotation;
        if (cnFindShape(world, def->shapes[i].shape, call, argument) < 0) {
            return cnGetLastError()->code;
        }
        CN_TRY(cnCheckVec(def->shapes[i].position, call, argument));
        CN_TRY(cnCheckRotation(def->shapes[i].rotation, &rotation, call, argument));
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckSensor(cnSensorMode sensor, const char* call, const char* argument) {
    if (sensor < cn_sensorOff || sensor > cn_sensorOverlapOnly) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %d, allowed is 0 to 2", argument,
                      (int)sensor);
    }
    return CN_ERROR_NONE;
}

static uint32_t SensorBits(cnSensorMode sensor) {
    return (sensor != cn_sensorOff ? cn_geometrySensor : 0u) |
           (sensor == cn_sensorOverlapOnly ? cn_geometryOverlapOnly : 0u);
}

static cnErrorCode CheckSurface(const cnGeometryDef* def, const char* call) {
    if (def->frictionGiven) {
        CN_TRY(cnCheckRange(def->friction, 0.0, 1e30, call, "def.friction", ""));
    }
    if (def->restitutionGiven) {
        CN_TRY(cnCheckRange(def->restitution, 0.0, 1.0, call, "def.restitution", ""));
    }
    return CN_ERROR_NONE;
}

int cnShareMaterial(cnWorld* world, const cnGeometryDef* def, const char* call) {
    cnMaterialDef surface = {
        .given = (def->frictionGiven ? (uint32_t)cn_materialFriction : 0u) |
                 (def->restitutionGiven ? (uint32_t)cn_materialRestitution : 0u),
        .friction = def->friction,
        .restitution = def->restitution,
    };
    int material = cnMaterialTables_Share(&world->materials, &surface, call);
    cnWorld_PublishTables(world);
    return material;
}

cnErrorCode cnCheckGeometryDef(const cnWorld* world, const cnGeometryDef* def, const char* call,
                               cnGeometryRows* rows) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    if (!CN_IS_NULL(def->body)) {
        rows->body = cnFindBody(world, def->body, call, "def.body");
        if (rows->body < 0) {
            return cnGetLastError()->code;
        }
    }
    if (!CN_IS_NULL(def->material)) {
        rows->material =
            cnMaterialTables_FindMaterial(&world->materials, def->material, call, "def.material");
        if (rows->material < 0) {
            return cnGetLastError()->code;
        }
        if (def->frictionGiven || def->restitutionGiven) {
            const char* name = def->frictionGiven ? "def.friction" : "def.restitution";
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, name,
                          "%s is given together with def.material, allowed is one of them", name);
        }
    }
    CN_TRY(CheckSurface(def, call));
    CN_TRY(cnCheckVec(def->position, call, "def.position"));
    CN_TRY(cnCheckVec(def->surfaceVelocity, call, "def.surfaceVelocity"));
    CN_TRY(cnCheckRotation(def->rotation, &rows->rotation, call, "def.rotation"));
    CN_TRY(CheckSensor(def->sensor, call, "def.sensor"));
    return CheckInstances(world, def, call);
}

bool cnFillGeometry(cnWorld* world, int row, const cnGeometryDef* def, const cnGeometryRows* rows) {
    const char* call = "cnCreateGeometry";
    cnGeometryTable* table = &world->geometries;
    int body = rows->body;
    table->handle[row] = cnIdPool_ValueOf(&table->ids, row);
    table->flags[row] = cn_geometryLive | (def->disabled ? 0u : cn_geometryEnabled) |
                        (def->collisionsOff ? 0u : cn_geometryCollides) |
                        (def->massPropertiesOff ? 0u : cn_geometryGivesMass) |
                        (def->unmergeable ? cn_geometryUnmergeable : 0u) |
                        (def->unsplittable ? cn_geometryUnsplittable : 0u) | SensorBits(def->sensor);
    table->surfaceVelocity[row] = def->surfaceVelocity;
    table->body[row] = body;
    table->material[row] = rows->material;
    table->position[row] = def->position;
    table->rotation[row] = rows->rotation;
    table->firstProxy[row] = -1;
    table->shapeCount[row] = def->shapeCount;
    table->groupCount[row] = 0;
    table->nextOfBody[row] = body >= 0 ? world->bodies.firstGeometry[body] : -1;
    if (body >= 0) {
        world->bodies.firstGeometry[body] = row;
    }

    // backwards, so that the list runs forwards
    for (int i = def->shapeCount - 1; i >= 0; --i) {
        cnQuat turned;
        cnCheckRotation(def->shapes[i].rotation, &turned, call, "def.shapes");
        cnProxyShape instance = {
            .shape = cnFindShape(world, def->shapes[i].shape, call, "def.shapes"),
            .shapeIndex = i,
            .pose = {def->shapes[i].position, turned},
        };
        if (!cnAddProxy(world, row, &instance)) {
            return false;
        }
    }
    if (body >= 0) {
        cnRefreshMassProperties(world, body);
    }
    return true;
}

cnGeometryId cnCreateGeometry(cnWorldId worldId, const cnGeometryDef* def) {
    const char* call = __func__;
    cnGeometryId none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    cnGeometryRows rows = {-1, -1, cnQuat_identity};
    if (world == NULL || cnCheckGeometryDef(world, def, call, &rows) != CN_ERROR_NONE) {
        return none;
    }
    if (def->frictionGiven || def->restitutionGiven) {
        rows.material = cnShareMaterial(world, def, call);
        if (rows.material < 0) {
            return none;
        }
    }
    cnMaterialTables_AddUser(&world->materials, rows.material);
    cnGeometryTable* table = &world->geometries;
    bool hasRoom = cnTable_Reserve(table, &cnGeometryColumns, table->ids.rowCount + 1);
    int row = cnAcquireRow(world, &table->ids, hasRoom, "geometries", call);
    if (row < 0) {
        cnMaterialTables_DropUser(&world->materials, rows.material);
        cnWorld_PublishTables(world);
        return none;
    }
    if (!cnFillGeometry(world, row, def, &rows)) {
        cnRemoveGeometry(world, row);
        cnWorld_PublishTables(world);
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def.shapes", "no memory for %d shape instances",
               def->shapeCount);
        return none;
    }
    cnWakeBody(world, table->body[row]);
    cnWorld_PublishTables(world);
    return (cnGeometryId){cnIdPool_ValueOf(&table->ids, row)};
}

// Before its body loses the geometry, or what this gives it.
static void KeepBodyOf(cnWorld* world, int geometry) {
    if (world->geometries.body[geometry] >= 0) {
        cnKeepMassProperties(world, world->geometries.body[geometry]);
    }
}

cnErrorCode cnDestroyGeometry(cnWorldId worldId, cnGeometryId geometryId) {
    CN_FIND_GEOMETRY(__func__)
    KeepBodyOf(world, row);
    cnRemoveGeometry(world, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnGeometry_IsValid(cnWorldId worldId, cnGeometryId geometryId) {
    const cnWorld* world = cnLookUpWorld(worldId);
    return world != NULL && cnIdPool_Find(&world->geometries.ids, geometryId.value) >= 0;
}

// ---- changes ----------------------------------------------------------------------------------------------

cnBodyId cnGeometry_GetBody(cnWorldId worldId, cnGeometryId geometryId) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    int row = world != NULL ? cnFindGeometry(world, geometryId, __func__, "geometry") : -1;
    return row >= 0 ? cnBodyIdOf(world, world->geometries.body[row]) : (cnBodyId){0};
}

// The body's mass follows its geometries.
static void RefreshBodyOf(cnWorld* world, int geometry) {
    if (world->geometries.body[geometry] >= 0) {
        cnRefreshMassProperties(world, world->geometries.body[geometry]);
    }
}

cnErrorCode cnGeometry_SetPose(cnWorldId worldId, cnGeometryId geometryId, cnVec3 position, cnQuat rotation) {
    CN_FIND_GEOMETRY(__func__)
    cnQuat checked;
    CN_TRY(cnCheckVec(position, __func__, "position"));
    CN_TRY(cnCheckRotation(rotation, &checked, __func__, "rotation"));
    cnWakeGeometry(world, row);
    world->geometries.position[row] = position;
    world->geometries.rotation[row] = checked;

    // a recycled manifold knows only that the bodies have not moved
    cnDropPairsOf(world, row);
    cnTouchGeometry(world, row);
    CN_TRY(cnRebuildProxies(world, row, __func__));
    cnRefreshProxyPoses(world, row);
    RefreshBodyOf(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_SetShape(cnWorldId worldId, cnGeometryId geometryId, cnShapeId shape) {
    const char* call = __func__;
    CN_FIND_GEOMETRY(call)
    int shapeRow = cnFindShape(world, shape, call, "shape");
    if (shapeRow < 0) {
        return cnGetLastError()->code;
    }
    cnWakeGeometry(world, row);
    KeepBodyOf(world, row);
    cnErrorCode code = cnReplaceProxies(world, row, shapeRow, call);
    RefreshBodyOf(world, row); // also of what it had before, where that failed
    return code;
}

static cnErrorCode SetGeometryFlag(cnWorld* world, int row, uint32_t flag, bool on) {
    cnSetFlag(&world->geometries.flags[row], flag, on);
    cnTouchGeometry(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_SetEnabled(cnWorldId worldId, cnGeometryId geometryId, bool enabled) {
    CN_FIND_GEOMETRY(__func__)
    if (enabled && (world->geometries.flags[row] & cn_geometryEnabled) == 0) {
        cnRefreshProxyPoses(world, row);
    }
    return SetGeometryFlag(world, row, cn_geometryEnabled, enabled);
}

cnErrorCode cnGeometry_SetCollisions(cnWorldId worldId, cnGeometryId geometryId, bool collisions) {
    CN_FIND_GEOMETRY(__func__)
    return SetGeometryFlag(world, row, cn_geometryCollides, collisions);
}

// A sensor's pairs are never distant: makes those of a geometry whole. False when memory ran out.
static bool MakePairsWhole(cnWorld* world, int geometry) {
    cnPairTable* pairs = &world->pairs;
    bool ok = true;
    for (int row = pairs->distant.count - 1; row >= 0 && ok; --row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(pairs, row);
        if (pair->geometry1 == geometry || pair->geometry2 == geometry) {
            ok = cnPairTable_MakeWhole(pairs, &row, 1, &world->proxies, world->shapes.shapes);
        }
    }
    return ok;
}

cnErrorCode cnGeometry_SetSensor(cnWorldId worldId, cnGeometryId geometryId, cnSensorMode sensor) {
    CN_FIND_GEOMETRY(__func__)
    CN_TRY(CheckSensor(sensor, __func__, "sensor"));
    cnKeepContacts(world);
    if (!MakePairsWhole(world, row)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, __func__, "sensor", "no memory for the pairs of the geometry");
    }
    SetGeometryFlag(world, row, cn_geometrySensor | cn_geometryOverlapOnly, false);
    world->geometries.flags[row] |= SensorBits(sensor);
    for (int index = 0; index < world->pairs.pairs.count; ++index) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, index);
        if (pair->geometry1 == row || pair->geometry2 == row) {
            uint32_t sensor = cnSensorFlagsOf(world, pair->geometry1, pair->geometry2);
            cnPairTable_SetSensor(&world->pairs, index, sensor);
        }
    }
    return CN_ERROR_NONE;
}

cnSensorMode cnGeometry_GetSensor(cnWorldId worldId, cnGeometryId geometryId) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    int row = world != NULL ? cnFindGeometry(world, geometryId, __func__, "geometry") : -1;
    uint32_t flags = row >= 0 ? world->geometries.flags[row] : 0;
    if ((flags & cn_geometrySensor) == 0) {
        return cn_sensorOff;
    }
    return (flags & cn_geometryOverlapOnly) != 0 ? cn_sensorOverlapOnly : cn_sensorOn;
}

cnErrorCode cnGeometry_SetSurfaceVelocity(cnWorldId worldId, cnGeometryId geometryId, cnVec3 velocity) {
    CN_FIND_GEOMETRY(__func__)
    CN_TRY(cnCheckVec(velocity, __func__, "velocity"));
    cnWakeGeometry(world, row);
    world->geometries.surfaceVelocity[row] = velocity;
    return CN_ERROR_NONE;
}

cnVec3 cnGeometry_GetSurfaceVelocity(cnWorldId worldId, cnGeometryId geometryId) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = world != NULL ? cnFindGeometry(world, geometryId, call, "geometry") : -1;
    return row >= 0 ? world->geometries.surfaceVelocity[row] : cnVec3_zero;
}

cnErrorCode cnGeometry_SetMassProperties(cnWorldId worldId, cnGeometryId geometryId, bool massProperties) {
    CN_FIND_GEOMETRY(__func__)
    KeepBodyOf(world, row);
    SetGeometryFlag(world, row, cn_geometryGivesMass, massProperties);
    RefreshBodyOf(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_SetMaterial(cnWorldId worldId, cnGeometryId geometryId, cnMaterialId material) {
    const char* call = __func__;
    CN_FIND_GEOMETRY(call)
    int materialRow = CN_DEFAULT_MATERIAL_ROW;
    if (!CN_IS_NULL(material)) {
        materialRow = cnMaterialTables_FindMaterial(&world->materials, material, call, "material");
        if (materialRow < 0) {
            return cnGetLastError()->code;
        }
    }
    cnWakeGeometry(world, row);
    cnMaterialTables_AddUser(&world->materials, materialRow);
    cnMaterialTables_DropUser(&world->materials, world->geometries.material[row]);
    world->geometries.material[row] = materialRow;
    for (int p = world->geometries.firstProxy[row]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        world->proxies.material[p] = materialRow;
    }
    RefreshBodyOf(world, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_AddGroup(cnWorldId worldId, cnGeometryId geometryId, uint32_t group) {
    const char* call = __func__;
    CN_FIND_GEOMETRY(call)
    cnGeometryTable* table = &world->geometries;
    for (int i = 0; i < table->groupCount[row]; ++i) {
        if (table->groups[row][i] == group) {
            return CN_ERROR_NONE;
        }
    }
    if (table->groupCount[row] == CN_MAX_GROUPS) {
        return cnFail(CN_ERROR_TOO_MANY, call, "group", "the geometry is in %d groups already, allowed is %d",
                      CN_MAX_GROUPS, CN_MAX_GROUPS);
    }
    table->groups[row][table->groupCount[row]++] = group;
    cnTouchGeometry(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_RemoveGroup(cnWorldId worldId, cnGeometryId geometryId, uint32_t group) {
    CN_FIND_GEOMETRY(__func__)
    cnGeometryTable* table = &world->geometries;
    int kept = 0;
    for (int i = 0; i < table->groupCount[row]; ++i) {
        if (table->groups[row][i] != group) {
            table->groups[row][kept++] = table->groups[row][i];
        }
    }
    table->groupCount[row] = kept;
    cnTouchGeometry(world, row);
    return CN_ERROR_NONE;
}

bool cnGeometry_IsInGroup(cnWorldId worldId, cnGeometryId geometryId, uint32_t group) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    int row = world != NULL ? cnFindGeometry(world, geometryId, __func__, "geometry") : -1;
    for (int i = 0; row >= 0 && i < world->geometries.groupCount[row]; ++i) {
        if (world->geometries.groups[row][i] == group) {
            return true;
        }
    }
    return false;
}

// ---- adaptive merging -------------------------------------------------------------------------------------

// False with an error for what is no geometry.
static bool LacksGeometryFlag(cnWorldId worldId, cnGeometryId geometryId, uint32_t flag, const char* call) {
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = world != NULL ? cnFindGeometry(world, geometryId, call, "geometry") : -1;
    return row >= 0 && (world->geometries.flags[row] & flag) == 0;
}

cnErrorCode cnGeometry_SetMergeable(cnWorldId worldId, cnGeometryId geometryId, bool mergeable) {
    CN_FIND_GEOMETRY(__func__)
    bool was = (world->geometries.flags[row] & cn_geometryUnmergeable) == 0;
    cnSetFlag(&world->geometries.flags[row], cn_geometryUnmergeable, !mergeable);
    if (was && !mergeable) {
        cnWakeGeometry(world, row); // which splits what its contacts held
    }
    return CN_ERROR_NONE;
}

bool cnGeometry_IsMergeable(cnWorldId worldId, cnGeometryId geometryId) {
    return LacksGeometryFlag(worldId, geometryId, cn_geometryUnmergeable, __func__);
}

cnErrorCode cnGeometry_SetSplittable(cnWorldId worldId, cnGeometryId geometryId, bool splittable) {
    CN_FIND_GEOMETRY(__func__)
    cnSetFlag(&world->geometries.flags[row], cn_geometryUnsplittable, !splittable);
    return CN_ERROR_NONE;
}

bool cnGeometry_IsSplittable(cnWorldId worldId, cnGeometryId geometryId) {
    return LacksGeometryFlag(worldId, geometryId, cn_geometryUnsplittable, __func__);
}
