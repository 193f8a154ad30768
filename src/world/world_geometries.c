// Geometries: the public functions, and the proxies that stand for their shapes in the broad phase.
#include "base/format.h"
#include "world/checks.h"
#include "world/world.h"

int cnFindGeometry(const cnWorld* world, cnGeometryId geometry, const char* call, const char* argument) {
    if (CN_IS_NULL(geometry)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, argument,
               "%s is the null handle, allowed are those of objects that live", argument);
        return -1;
    }
    int row = cnIdPool_Find(&world->geometries.ids, geometry.value);
    if (row < 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument, "%s 0x%08x is no geometry of this world (any more)",
               argument, (unsigned)geometry.value);
    }
    return row;
}

cnGeometryId cnGeometryIdOf(const cnWorld* world, int row) {
    return (cnGeometryId){row >= 0 ? world->geometries.handle[row] : 0};
}

#define CN_FIND_GEOMETRY(call)                                                                               \
    cnWorld* world = cnFindWorld(worldId, call);                                                             \
    int row = world != NULL ? cnFindGeometry(world, geometryId, call, "geometry") : -1;                      \
    if (row < 0) {                                                                                           \
        return cnGetLastError()->code;                                                                       \
    }

// ---- proxies --------------------------------------------------------------------------------------------------------

// Contacts are made this far before touching (docs/physics.md, "Margin").
#define CN_MARGIN_FRACTION 0.02
#define CN_MARGIN_MOST 0.02

static double cnMarginOf(const cnShape* shape) {
    return cnMin(CN_MARGIN_FRACTION * shape->leastHalfExtent, CN_MARGIN_MOST);
}

// Bounds with the contact margin around.
static cnBounds cnBoundsAt(const cnShape* shape, cnPose pose) {
    cnBounds bounds = cnShape_ComputeBounds(shape, pose);
    double margin = cnMarginOf(shape);
    cnVec3 around = {margin, margin, margin};
    return (cnBounds){cnSub(bounds.lower, around), cnAdd(bounds.upper, around)};
}

// Of a proxy where it is now.
static cnBounds cnProxyBounds(const cnWorld* world, int proxy) {
    cnPose pose = {world->proxies.position[proxy], world->proxies.rotation[proxy]};
    return cnBoundsAt(world->shapes.shapes[world->proxies.shape[proxy]], pose);
}

// From a body's model frame, or of no body (−1), to the world.
static cnPose cnPoseInWorld(const cnWorld* world, int body, cnPose local) {
    if (body >= 0) {
        cnPose frame = {world->bodies.position[body], world->bodies.rotation[body]};
        local = cnMulPose(frame, local);
    }
    return (cnPose){local.position, cnNormalizeQuat(local.rotation)};
}

static void cnUpdateProxyPose(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    cnPose local = {proxies->localPosition[proxy], proxies->localRotation[proxy]};
    cnPose pose = cnPoseInWorld(world, proxies->body[proxy], local);
    proxies->position[proxy] = pose.position;
    proxies->rotation[proxy] = pose.rotation;
}

void cnPlaceProxy(cnWorld* world, int proxy) {
    cnUpdateProxyPose(world, proxy);
    if ((world->geometries.flags[world->proxies.geometry[proxy]] & cn_geometryEnabled) == 0) {
        return; // nobody asks for its bounds; cnGeometry_SetEnabled brings them up to date
    }
    int body = world->proxies.body[proxy];
    cnVec3 displacement = body >= 0 ? cnScale(world->timeStep, world->bodies.velocity[body]) : cnVec3_zero;
    cnBroadPhase_SetBounds(world->broadPhase, proxy, cnProxyBounds(world, proxy), displacement);
}

static bool cnDoesMove(const cnWorld* world, int body) {
    return body >= 0 && (world->bodies.flags[body] & (cn_bodyDynamic | cn_bodyKinematic)) != 0;
}

// One shape instance becomes a proxy at the head of the geometry's list.
typedef struct cnInstance {
    int shape, shapeIndex;
    cnPose pose; // in the geometry's frame
} cnInstance;

// Of an instance in its geometry's frame, in the body's.
static cnPose cnLocalPoseOf(const cnWorld* world, int geometry, cnPose instance) {
    cnPose frame = {world->geometries.position[geometry], world->geometries.rotation[geometry]};
    cnPose local = cnMulPose(frame, instance);
    return (cnPose){local.position, cnNormalizeQuat(local.rotation)};
}

static void cnSetLocalPose(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    cnPose instance = {proxies->instancePosition[proxy], proxies->instanceRotation[proxy]};
    cnPose local = cnLocalPoseOf(world, proxies->geometry[proxy], instance);
    proxies->localPosition[proxy] = local.position;
    proxies->localRotation[proxy] = local.rotation;
}

static bool cnAddProxy(cnWorld* world, int geometry, const cnInstance* instance) {
    int body = world->geometries.body[geometry];
    cnPose pose = cnPoseInWorld(world, body, cnLocalPoseOf(world, geometry, instance->pose));
    cnBounds bounds = cnBoundsAt(world->shapes.shapes[instance->shape], pose);
    int proxy = cnBroadPhase_AddProxy(world->broadPhase, bounds, cnDoesMove(world, body));
    if (proxy < 0 || !cnProxyTable_Reserve(&world->proxies, proxy + 1)) {
        if (proxy >= 0) {
            cnBroadPhase_RemoveProxy(world->broadPhase, proxy);
        }
        return false;
    }
    cnProxyTable* proxies = &world->proxies;
    proxies->geometry[proxy] = geometry;
    proxies->body[proxy] = body;
    proxies->shape[proxy] = instance->shape;
    proxies->shapeIndex[proxy] = instance->shapeIndex;
    proxies->instancePosition[proxy] = instance->pose.position;
    proxies->instanceRotation[proxy] = instance->pose.rotation;
    proxies->material[proxy] = world->geometries.material[geometry];
    proxies->nextOfGeometry[proxy] = world->geometries.firstProxy[geometry];
    world->geometries.firstProxy[geometry] = proxy;
    world->shapes.users[instance->shape] += 1;
    cnSetLocalPose(world, proxy);
    cnUpdateProxyPose(world, proxy);
    return true;
}

static void cnRemoveProxies(cnWorld* world, int geometry) {
    cnProxyTable* proxies = &world->proxies;
    int proxy = world->geometries.firstProxy[geometry];
    while (proxy >= 0) {
        int next = proxies->nextOfGeometry[proxy];
        cnBroadPhase_RemoveProxy(world->broadPhase, proxy);
        cnDropShapeUser(world, proxies->shape[proxy]);
        proxies->geometry[proxy] = -1;
        proxies->body[proxy] = -1;
        proxy = next;
    }
    world->geometries.firstProxy[geometry] = -1;
}

// Pairs of proxies that are gone must not be looked at before the next broad phase reports their end.
static void cnDropPairsOf(cnWorld* world, int geometry) {
    for (int index = world->pairs.pairs.count - 1; index >= 0; --index) {
        const cnPair* pair = &world->pairs.pairs.data[index];
        if (pair->geometry1 == geometry || pair->geometry2 == geometry) {
            cnRemovePair(world, index);
        }
    }
}

void cnRefreshProxyPoses(cnWorld* world, int geometry) {
    for (int p = world->geometries.firstProxy[geometry]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        cnSetLocalPose(world, p);
        cnUpdateProxyPose(world, p);
        cnBroadPhase_MoveProxy(world->broadPhase, p, cnProxyBounds(world, p), cnVec3_zero);
    }
}

void cnTouchGeometry(cnWorld* world, int geometry) {
    for (int p = world->geometries.firstProxy[geometry]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        cnBroadPhase_TouchProxy(world->broadPhase, p);
    }
}

// Takes the geometry's proxies out and makes them anew: they change trees when their body begins or ceases to move.
cnErrorCode cnRebuildProxies(cnWorld* world, int geometry, const char* call) {
    int count = world->geometries.shapeCount[geometry];
    cnInstance* instances = CN_PUSH(&world->stack, cnInstance, count, "shape instances");
    if (instances == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "geometry", "no memory for %d shape instances", count);
    }
    int found = 0;
    for (int p = world->geometries.firstProxy[geometry]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        cnPose pose = {world->proxies.instancePosition[p], world->proxies.instanceRotation[p]};
        instances[found++] = (cnInstance){world->proxies.shape[p], world->proxies.shapeIndex[p], pose};
        world->shapes.users[world->proxies.shape[p]] += 1; // outlives its old proxy
    }
    cnDropPairsOf(world, geometry);
    cnRemoveProxies(world, geometry);
    bool added = true;
    for (int i = found - 1; i >= 0; --i) {
        added = cnAddProxy(world, geometry, &instances[i]) && added;
        cnDropShapeUser(world, instances[i].shape);
    }
    cnStack_Pop(&world->stack, instances);
    cnWorld_PublishTables(world);
    return added ? CN_ERROR_NONE : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "geometry", "no memory for proxies");
}

// ---- filters --------------------------------------------------------------------------------------------------------

static bool cnAreGroupsOff(const cnWorld* world, int geometry1, int geometry2) {
    const cnGeometryTable* table = &world->geometries;
    for (int i = 0; i < table->groupCount[geometry1]; ++i) {
        for (int k = 0; k < table->groupCount[geometry2]; ++k) {
            if (cnPairSwitches_IsOff(&world->groupPairs, table->groups[geometry1][i],
                                     table->groups[geometry2][k])) {
                return true;
            }
        }
    }
    return false;
}

bool cnMayProxiesCollide(int proxy1, int proxy2, void* context) {
    const cnWorld* world = context;
    const cnProxyTable* proxies = &world->proxies;
    int geometry1 = proxies->geometry[proxy1], geometry2 = proxies->geometry[proxy2];
    int body1 = proxies->body[proxy1], body2 = proxies->body[proxy2];
    if (geometry1 < 0 || geometry2 < 0 || geometry1 == geometry2 || (body1 == body2 && body1 >= 0)) {
        return false;
    }
    uint32_t on = cn_geometryEnabled | cn_geometryCollides;
    if ((world->geometries.flags[geometry1] & on) != on || (world->geometries.flags[geometry2] & on) != on) {
        return false;
    }
    uint32_t flags1 = body1 >= 0 ? world->bodies.flags[body1] : cn_bodyEnabled;
    uint32_t flags2 = body2 >= 0 ? world->bodies.flags[body2] : cn_bodyEnabled;
    bool sensor =
        ((world->geometries.flags[geometry1] | world->geometries.flags[geometry2]) & cn_geometrySensor) != 0;
    uint32_t moves = sensor ? cn_bodyDynamic | cn_bodyKinematic : cn_bodyDynamic;
    if ((flags1 & flags2 & cn_bodyEnabled) == 0 || ((flags1 | flags2) & moves) == 0) {
        return false;
    }
    if (body1 >= 0 && body2 >= 0 &&
        cnConstraint_KeepsApart(&world->constraints, &world->bodies, body1, body2)) {
        return false;
    }
    const cnShape* shape1 = world->shapes.shapes[proxies->shape[proxy1]];
    const cnShape* shape2 = world->shapes.shapes[proxies->shape[proxy2]];
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return false;
    }
    return !cnPairSwitches_IsOff(&world->geometryPairs, world->geometries.handle[geometry1],
                                 world->geometries.handle[geometry2]) &&
           !cnAreGroupsOff(world, geometry1, geometry2);
}

// What a pair of geometries makes of a pair of proxies: a sensor's, or 0.
uint32_t cnSensorFlagsOf(const cnWorld* world, int geometry1, int geometry2) {
    uint32_t kinds = cn_geometrySensor | cn_geometryOverlapOnly;
    uint32_t kind1 = world->geometries.flags[geometry1] & kinds;
    uint32_t kind2 = world->geometries.flags[geometry2] & kinds;
    if ((kind1 | kind2) == 0) {
        return 0;
    }
    bool wantsPoints = kind1 == cn_geometrySensor || kind2 == cn_geometrySensor;
    return wantsPoints ? cn_pairSensor : cn_pairSensor | cn_pairOverlapOnly;
}

// ---- creation -------------------------------------------------------------------------------------------------------

static cnErrorCode cnCheckInstances(const cnWorld* world, const cnGeometryDef* def, const char* call) {
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

static cnErrorCode cnCheckSensor(cnSensorMode sensor, const char* call, const char* argument) {
    if (sensor < cn_sensorOff || sensor > cn_sensorOverlapOnly) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %d, allowed is 0 to 2", argument,
                      (int)sensor);
    }
    return CN_ERROR_NONE;
}

static uint32_t cnSensorBits(cnSensorMode sensor) {
    return (sensor != cn_sensorOff ? cn_geometrySensor : 0u) |
           (sensor == cn_sensorOverlapOnly ? cn_geometryOverlapOnly : 0u);
}

// Rows of body and material, −1 for none.
cnErrorCode cnCheckGeometryDef(const cnWorld* world, const cnGeometryDef* def, const char* call, int* body,
                               int* material, cnQuat* rotation) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    if (!CN_IS_NULL(def->body)) {
        *body = cnFindBody(world, def->body, call, "def.body");
        if (*body < 0) {
            return cnGetLastError()->code;
        }
    }
    if (!CN_IS_NULL(def->material)) {
        *material = cnMaterialTables_FindMaterial(&world->materials, def->material, call, "def.material");
        if (*material < 0) {
            return cnGetLastError()->code;
        }
    }
    CN_TRY(cnCheckVec(def->position, call, "def.position"));
    CN_TRY(cnCheckVec(def->surfaceVelocity, call, "def.surfaceVelocity"));
    CN_TRY(cnCheckRotation(def->rotation, rotation, call, "def.rotation"));
    CN_TRY(cnCheckSensor(def->sensor, call, "def.sensor"));
    return cnCheckInstances(world, def, call);
}

cnGeometryId cnCreateGeometry(cnWorldId worldId, const cnGeometryDef* def) {
    const char* call = "cnCreateGeometry";
    cnGeometryId none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    int body = -1, material = -1;
    cnQuat rotation;
    if (world == NULL || cnCheckGeometryDef(world, def, call, &body, &material, &rotation) != CN_ERROR_NONE) {
        return none;
    }
    cnGeometryTable* table = &world->geometries;
    if (!cnGeometryTable_Reserve(table, table->ids.rowCount + 1)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for a geometry");
        return none;
    }
    cnWorld_PublishTables(world);
    cnGeometryId id = {cnIdPool_Acquire(&table->ids)};
    int row = cnIdPool_Find(&table->ids, id.value);
    if (row < 0) {
        cnFailFull(table->ids.liveCount, "geometries", call);
        return none;
    }
    table->handle[row] = id.value;
    table->flags[row] = cn_geometryLive | (def->disabled ? 0u : cn_geometryEnabled) |
                        (def->collisionsOff ? 0u : cn_geometryCollides) |
                        (def->massPropertiesOff ? 0u : cn_geometryGivesMass) | cnSensorBits(def->sensor);
    table->surfaceVelocity[row] = def->surfaceVelocity;
    table->body[row] = body;
    table->material[row] = material;
    table->position[row] = def->position;
    table->rotation[row] = rotation;
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
        cnInstance instance = {
            .shape = cnFindShape(world, def->shapes[i].shape, call, "def.shapes"),
            .shapeIndex = i,
            .pose = {def->shapes[i].position, turned},
        };
        if (!cnAddProxy(world, row, &instance)) {
            cnRemoveGeometry(world, row);
            cnWorld_PublishTables(world);
            cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def.shapes", "no memory for %d shape instances",
                   def->shapeCount);
            return none;
        }
    }
    if (body >= 0) {
        cnRefreshMassProperties(world, body);
    }
    cnWorld_PublishTables(world);
    return id;
}

void cnRemoveGeometry(cnWorld* world, int row) {
    cnGeometryTable* table = &world->geometries;
    cnDropPairsOf(world, row);
    cnRemoveProxies(world, row);
    int body = table->body[row];
    if (body >= 0) {
        int32_t* link = &world->bodies.firstGeometry[body];
        while (*link != row) {
            link = &table->nextOfBody[*link];
        }
        *link = table->nextOfBody[row];
        cnRefreshMassProperties(world, body);
    }
    cnPairSwitches_Forget(&world->geometryPairs, table->handle[row]);
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->handle[row] = 0;
    table->flags[row] = 0;
}

cnErrorCode cnDestroyGeometry(cnWorldId worldId, cnGeometryId geometryId) {
    CN_FIND_GEOMETRY("cnDestroyGeometry")
    cnRemoveGeometry(world, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnGeometry_IsValid(cnWorldId worldId, cnGeometryId geometryId) {
    if (!cnWorld_IsValid(worldId)) {
        return false;
    }
    const cnWorld* world = cnFindWorld(worldId, "cnGeometry_IsValid");
    return cnIdPool_Find(&world->geometries.ids, geometryId.value) >= 0;
}

// ---- changes --------------------------------------------------------------------------------------------------------

cnBodyId cnGeometry_GetBody(cnWorldId worldId, cnGeometryId geometryId) {
    const cnWorld* world = cnFindWorld(worldId, "cnGeometry_GetBody");
    int row = world != NULL ? cnFindGeometry(world, geometryId, "cnGeometry_GetBody", "geometry") : -1;
    return row >= 0 ? cnBodyIdOf(world, world->geometries.body[row]) : (cnBodyId){0};
}

// The body's mass follows its geometries.
static void cnRefreshBodyOf(cnWorld* world, int geometry) {
    if (world->geometries.body[geometry] >= 0) {
        cnRefreshMassProperties(world, world->geometries.body[geometry]);
    }
}

cnErrorCode cnGeometry_SetPose(cnWorldId worldId, cnGeometryId geometryId, cnVec3 position, cnQuat rotation) {
    CN_FIND_GEOMETRY("cnGeometry_SetPose")
    cnQuat checked;
    CN_TRY(cnCheckVec(position, "cnGeometry_SetPose", "position"));
    CN_TRY(cnCheckRotation(rotation, &checked, "cnGeometry_SetPose", "rotation"));
    world->geometries.position[row] = position;
    world->geometries.rotation[row] = checked;

    // a kept manifold knows only that the bodies have not moved
    cnDropPairsOf(world, row);
    cnTouchGeometry(world, row);
    CN_TRY(cnRebuildProxies(world, row, "cnGeometry_SetPose"));
    cnRefreshProxyPoses(world, row);
    cnRefreshBodyOf(world, row);
    return CN_ERROR_NONE;
}

static cnErrorCode cnSetGeometryFlag(cnWorld* world, int row, uint32_t flag, bool on) {
    uint32_t flags = world->geometries.flags[row] & ~flag;
    world->geometries.flags[row] = on ? flags | flag : flags;
    cnTouchGeometry(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_SetEnabled(cnWorldId worldId, cnGeometryId geometryId, bool enabled) {
    CN_FIND_GEOMETRY("cnGeometry_SetEnabled")
    if (enabled && (world->geometries.flags[row] & cn_geometryEnabled) == 0) {
        cnRefreshProxyPoses(world, row);
    }
    return cnSetGeometryFlag(world, row, cn_geometryEnabled, enabled);
}

cnErrorCode cnGeometry_SetCollisions(cnWorldId worldId, cnGeometryId geometryId, bool collisions) {
    CN_FIND_GEOMETRY("cnGeometry_SetCollisions")
    return cnSetGeometryFlag(world, row, cn_geometryCollides, collisions);
}

cnErrorCode cnGeometry_SetSensor(cnWorldId worldId, cnGeometryId geometryId, cnSensorMode sensor) {
    CN_FIND_GEOMETRY("cnGeometry_SetSensor")
    CN_TRY(cnCheckSensor(sensor, "cnGeometry_SetSensor", "sensor"));
    cnSetGeometryFlag(world, row, cn_geometrySensor | cn_geometryOverlapOnly, false);
    world->geometries.flags[row] |= cnSensorBits(sensor);
    for (int index = 0; index < world->pairs.pairs.count; ++index) {
        cnPair* pair = &world->pairs.pairs.data[index];
        if (pair->geometry1 == row || pair->geometry2 == row) {
            cnPair_SetSensor(pair, cnSensorFlagsOf(world, pair->geometry1, pair->geometry2));
        }
    }
    return CN_ERROR_NONE;
}

cnSensorMode cnGeometry_GetSensor(cnWorldId worldId, cnGeometryId geometryId) {
    const cnWorld* world = cnFindWorld(worldId, "cnGeometry_GetSensor");
    int row = world != NULL ? cnFindGeometry(world, geometryId, "cnGeometry_GetSensor", "geometry") : -1;
    uint32_t flags = row >= 0 ? world->geometries.flags[row] : 0;
    if ((flags & cn_geometrySensor) == 0) {
        return cn_sensorOff;
    }
    return (flags & cn_geometryOverlapOnly) != 0 ? cn_sensorOverlapOnly : cn_sensorOn;
}

cnErrorCode cnGeometry_SetSurfaceVelocity(cnWorldId worldId, cnGeometryId geometryId, cnVec3 velocity) {
    CN_FIND_GEOMETRY("cnGeometry_SetSurfaceVelocity")
    CN_TRY(cnCheckVec(velocity, "cnGeometry_SetSurfaceVelocity", "velocity"));
    world->geometries.surfaceVelocity[row] = velocity;
    return CN_ERROR_NONE;
}

cnVec3 cnGeometry_GetSurfaceVelocity(cnWorldId worldId, cnGeometryId geometryId) {
    const char* call = "cnGeometry_GetSurfaceVelocity";
    const cnWorld* world = cnFindWorld(worldId, call);
    int row = world != NULL ? cnFindGeometry(world, geometryId, call, "geometry") : -1;
    return row >= 0 ? world->geometries.surfaceVelocity[row] : cnVec3_zero;
}

cnErrorCode cnGeometry_SetMassProperties(cnWorldId worldId, cnGeometryId geometryId, bool massProperties) {
    CN_FIND_GEOMETRY("cnGeometry_SetMassProperties")
    cnSetGeometryFlag(world, row, cn_geometryGivesMass, massProperties);
    cnRefreshBodyOf(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_SetMaterial(cnWorldId worldId, cnGeometryId geometryId, cnMaterialId material) {
    const char* call = "cnGeometry_SetMaterial";
    CN_FIND_GEOMETRY(call)
    int materialRow = CN_DEFAULT_MATERIAL_ROW;
    if (!CN_IS_NULL(material)) {
        materialRow = cnMaterialTables_FindMaterial(&world->materials, material, call, "material");
        if (materialRow < 0) {
            return cnGetLastError()->code;
        }
    }
    world->geometries.material[row] = materialRow;
    for (int p = world->geometries.firstProxy[row]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        world->proxies.material[p] = materialRow;
    }
    cnRefreshBodyOf(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnGeometry_AddGroup(cnWorldId worldId, cnGeometryId geometryId, uint32_t group) {
    const char* call = "cnGeometry_AddGroup";
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
    CN_FIND_GEOMETRY("cnGeometry_RemoveGroup")
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
    const cnWorld* world = cnFindWorld(worldId, "cnGeometry_IsInGroup");
    int row = world != NULL ? cnFindGeometry(world, geometryId, "cnGeometry_IsInGroup", "geometry") : -1;
    for (int i = 0; row >= 0 && i < world->geometries.groupCount[row]; ++i) {
        if (world->geometries.groups[row][i] == group) {
            return true;
        }
    }
    return false;
}
