// The proxies that stand for the shapes of geometries in the broad phase.
#include "base/report/error.h"
#include "world/contact_list.h"
#include "world/merged_bodies.h"
#include "world/sleep.h"
#include "world/world.h"

#define CN_PROXY_CHUNK 64
// Steps that the box of a part is stretched for where adaptive merging has merged it and nothing else is
// near: such parts move together, and have no pairs with one another to gain from narrow boxes.
#define CN_PART_STEPS 32.0

// Bounds with the contact margin around.
static cnBounds BoundsAt(const cnShape* shape, cnPose pose) {
    cnBounds bounds = cnShape_ComputeBounds(shape, pose);
    double margin = cnContactMargin(shape->inradius);
    cnVec3 around = {margin, margin, margin};
    return (cnBounds){cnSub(bounds.lower, around), cnAdd(bounds.upper, around)};
}

// Of a proxy where it is now.
static cnBounds ProxyBounds(const cnWorld* world, int proxy) {
    cnPose pose = {world->proxies.position[proxy], world->proxies.rotation[proxy]};
    return BoundsAt(world->shapes.shapes[world->proxies.shape[proxy]], pose);
}

// The same of a shape that may turn, wider and found at once.
static cnBounds BoundsAround(const cnWorld* world, int proxy) {
    const cnShape* shape = world->shapes.shapes[world->proxies.shape[proxy]];
    cnPose pose = {world->proxies.position[proxy], world->proxies.rotation[proxy]};
    cnVec3 centre = cnTransformPoint(pose, shape->centre);
    double reach = shape->boundingRadius + cnContactMargin(shape->inradius);
    cnVec3 around = {reach, reach, reach};
    return (cnBounds){cnSub(centre, around), cnAdd(centre, around)};
}

// Of most shapes, which lie in their body's model frame.
static inline bool IsIdentity(cnPose pose) {
    return cnIsZeroVec(pose.position) && cnAreSameQuats(pose.rotation, cnQuat_identity);
}

// From a body's model frame, or of no body (−1), to the world.
static inline cnPose PoseInWorld(const cnWorld* world, int body, cnPose local) {
    if (body >= 0) {
        cnPose frame = {world->bodies.position[body], world->bodies.rotation[body]};
        local = IsIdentity(local) ? frame : cnMulPose(frame, local);
    }
    return (cnPose){local.position, cnNormalizeQuat(local.rotation)};
}

// Where its body has the proxy.
static cnPose ExpectedPose(const cnWorld* world, int proxy) {
    const cnProxyTable* proxies = &world->proxies;
    cnPose local = {proxies->localPosition[proxy], proxies->localRotation[proxy]};
    return PoseInWorld(world, proxies->body[proxy], local);
}

// By how much a rotation moves a point of the shape at most, m, from the pose that the proxy has to another:
// 2 sin(θ/2) of it for each metre from the frame. A ball is the same when it rotates.
static double TurnTo(const cnWorld* world, int proxy, cnPose pose) {
    const cnProxyTable* proxies = &world->proxies;
    const cnShape* shape = world->shapes.shapes[proxies->shape[proxy]];
    cnQuat before = proxies->rotation[proxy];
    double dot = before.x * pose.rotation.x + before.y * pose.rotation.y + before.z * pose.rotation.z +
                 before.w * pose.rotation.w;
    double sign = dot < 0.0 ? -1.0 : 1.0;
    double x = pose.rotation.x - sign * before.x, y = pose.rotation.y - sign * before.y;
    double z = pose.rotation.z - sign * before.z, w = pose.rotation.w - sign * before.w;
    // |q − p| = 2 sin(θ/4) ≥ sin(θ/2)
    double rotation = shape->type == cn_sphere ? 0.0 : 2.0 * sqrt(x * x + y * y + z * z + w * w);
    return rotation * (cnLength(shape->centre) + shape->boundingRadius);
}

static void UpdateProxyPose(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    cnPose pose = ExpectedPose(world, proxy);
    double turn = cnAreSameQuats(pose.rotation, proxies->rotation[proxy]) ? 0.0 : TurnTo(world, proxy, pose);
    proxies->travel[proxy] += cnLength(cnSub(pose.position, proxies->position[proxy])) + turn;
    proxies->turn[proxy] += turn;
    proxies->travelNext[proxy] = proxies->travel[proxy];
    proxies->turnNext[proxy] = 0.0;
    proxies->position[proxy] = pose.position;
    proxies->rotation[proxy] = pose.rotation;
}

static bool IsSamePose(cnVec3 position1, cnQuat rotation1, cnVec3 position2, cnQuat rotation2) {
    return position1.x == position2.x && position1.y == position2.y && position1.z == position2.z &&
           cnAreSameQuats(rotation1, rotation2);
}

bool cnIsProxyPlaced(const cnWorld* world, int proxy) {
    const cnProxyTable* proxies = &world->proxies;
    cnPose pose = ExpectedPose(world, proxy);
    return IsSamePose(pose.position, pose.rotation, proxies->position[proxy], proxies->rotation[proxy]);
}

// The same where its body has not rotated in the step: whoever rotates it between steps places its proxies.
static void ShiftProxyPose(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    int body = proxies->body[proxy];
    cnPose frame = {world->bodies.position[body], world->bodies.rotation[body]};
    cnVec3 position = cnTransformPoint(frame, proxies->localPosition[proxy]);
    proxies->travel[proxy] += cnLength(cnSub(position, proxies->position[proxy]));
    proxies->travelNext[proxy] = proxies->travel[proxy];
    proxies->turnNext[proxy] = 0.0;
    proxies->position[proxy] = position;
}

void cnPlaceProxy(cnWorld* world, int proxy) {
    int body = world->proxies.body[proxy];
    bool rotates =
        body < 0 || !cnAreSameQuats(world->bodies.rotation[body], world->bodies.previousRotation[body]);
    if (rotates) {
        UpdateProxyPose(world, proxy);
    } else {
        ShiftProxyPose(world, proxy);
    }
    if ((world->geometries.flags[world->proxies.geometry[proxy]] & cn_geometryEnabled) == 0) {
        return; // nobody asks for its bounds; cnGeometry_SetEnabled brings them up to date
    }
    int merged = body >= 0 && world->bodies.carrier[body] >= 0 ? world->bodies.mergedBody[body] : -1;
    bool isPart = merged >= 0 && (world->mergedBodies.flags[merged] & cn_mergedAlone) != 0;
    cnBounds bounds = isPart ? BoundsAround(world, proxy) : ProxyBounds(world, proxy);
    if (isPart && cnBroadPhase_Holds(world->broadPhase, proxy, bounds)) {
        return;
    }
    double duration = isPart ? CN_PART_STEPS * world->timeStep : world->timeStep;
    cnVec3 displacement = body >= 0 ? cnScale(duration, world->bodies.halfStepVelocity[body]) : cnVec3_zero;
    cnBroadPhase_SetBounds(world->broadPhase, proxy, bounds, displacement);
}

bool cnDoesBodyMove(const cnWorld* world, int body) {
    const cnBodyTable* bodies = &world->bodies;
    uint32_t flags = body >= 0 ? bodies->flags[body] : 0;
    flags |= body >= 0 && bodies->carrier[body] >= 0 ? bodies->flags[bodies->carrier[body]] : 0;
    return (flags & (cn_bodyDynamic | cn_bodyKinematic)) != 0;
}

// Of an instance in its geometry's frame, in the body's.
static cnPose LocalPoseOf(const cnWorld* world, int geometry, cnPose instance) {
    cnPose frame = {world->geometries.position[geometry], world->geometries.rotation[geometry]};
    cnPose local = cnMulPose(frame, instance);
    return (cnPose){local.position, cnNormalizeQuat(local.rotation)};
}

static void SetLocalPose(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    cnPose instance = {proxies->instancePosition[proxy], proxies->instanceRotation[proxy]};
    cnPose local = LocalPoseOf(world, proxies->geometry[proxy], instance);
    proxies->localPosition[proxy] = local.position;
    proxies->localRotation[proxy] = local.rotation;
}

bool cnAddProxy(cnWorld* world, int geometry, const cnProxyShape* instance) {
    int body = world->geometries.body[geometry];
    cnPose pose = PoseInWorld(world, body, LocalPoseOf(world, geometry, instance->pose));
    cnBounds bounds = BoundsAt(world->shapes.shapes[instance->shape], pose);
    int proxy = cnBroadPhase_AddProxy(world->broadPhase, bounds, cnDoesBodyMove(world, body));
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
    SetLocalPose(world, proxy);
    proxies->position[proxy] = pose.position;
    proxies->rotation[proxy] = pose.rotation;
    proxies->travel[proxy] = proxies->turn[proxy] = 0.0;
    proxies->travelNext[proxy] = proxies->turnNext[proxy] = 0.0;
    return true;
}

// Those of a list of a geometry's.
static void RemoveProxyList(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    while (proxy >= 0) {
        int next = proxies->nextOfGeometry[proxy];
        cnBroadPhase_RemoveProxy(world->broadPhase, proxy);
        cnShapeTable_DropUser(&world->shapes, proxies->shape[proxy]);
        proxies->geometry[proxy] = -1;
        proxies->body[proxy] = -1;
        proxy = next;
    }
}

static void RemoveProxies(cnWorld* world, int geometry) {
    RemoveProxyList(world, world->geometries.firstProxy[geometry]);
    world->geometries.firstProxy[geometry] = -1;
}

void cnRemovePair(cnWorld* world, int pairIndex) {
    cnKeepContacts(world);
    cnWakePair(world, cnPairTable_Get(&world->pairs, pairIndex));
    int last = world->pairs.pairs.count - 1;
    cnMoveEvents(world, pairIndex, -1);
    cnMoveEvents(world, last, pairIndex);
    for (int row = 0; row < world->contacts.count; ++row) {
        int32_t* pair = &world->contacts.pair[row];
        *pair = *pair == pairIndex ? -1 : (*pair == last ? pairIndex : *pair);
    }
    cnPairTable_Remove(&world->pairs, pairIndex);
}

void cnDropPairsOf(cnWorld* world, int geometry) {
    for (int index = world->pairs.pairs.count - 1; index >= 0; --index) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, index);
        if (pair->geometry1 == geometry || pair->geometry2 == geometry) {
            cnRemovePair(world, index);
        }
    }
    for (int row = world->pairs.distant.count - 1; row >= 0; --row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(&world->pairs, row);
        if (pair->geometry1 == geometry || pair->geometry2 == geometry) {
            cnPairTable_RemoveDistant(&world->pairs, row);
        }
    }
}

void cnRefreshProxyPoses(cnWorld* world, int geometry) {
    cnWakeGeometry(world, geometry);
    for (int p = world->geometries.firstProxy[geometry]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        SetLocalPose(world, p);
        UpdateProxyPose(world, p);
        cnBroadPhase_MoveProxy(world->broadPhase, p, ProxyBounds(world, p), cnVec3_zero);
    }
}

void cnTouchProxies(cnWorld* world, int geometry) {
    for (int p = world->geometries.firstProxy[geometry]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        cnBroadPhase_TouchProxy(world->broadPhase, p);
    }
}

void cnTouchBody(cnWorld* world, int body) {
    for (int g = world->bodies.firstGeometry[body]; g >= 0; g = world->geometries.nextOfBody[g]) {
        cnTouchProxies(world, g);
    }
}

void cnTouchGeometry(cnWorld* world, int geometry) {
    cnWakeGeometry(world, geometry);
    cnTouchProxies(world, geometry);
}

// Takes the geometry's proxies out and makes them again: they change trees when their body begins
// or ceases to move.
cnErrorCode cnRebuildProxies(cnWorld* world, int geometry, const char* call) {
    int count = world->geometries.shapeCount[geometry];
    cnProxyShape* instances = CN_PUSH(&world->stack, cnProxyShape, count, "shape instances");
    if (instances == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "geometry", "no memory for %d shape instances", count);
    }
    int found = 0;
    for (int p = world->geometries.firstProxy[geometry]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
        cnPose pose = {world->proxies.instancePosition[p], world->proxies.instanceRotation[p]};
        instances[found++] = (cnProxyShape){world->proxies.shape[p], world->proxies.shapeIndex[p], pose};
        world->shapes.users[world->proxies.shape[p]] += 1; // outlives its old proxy
    }
    cnDropPairsOf(world, geometry);
    RemoveProxies(world, geometry);
    bool added = true;
    for (int i = found - 1; i >= 0; --i) {
        added = cnAddProxy(world, geometry, &instances[i]) && added;
        cnShapeTable_DropUser(&world->shapes, instances[i].shape);
    }
    cnStack_Pop(&world->stack, instances);
    cnWorld_PublishTables(world);
    return added ? CN_ERROR_NONE : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "geometry", "no memory for proxies");
}

cnErrorCode cnReplaceProxies(cnWorld* world, int geometry, int shape, const char* call) {
    int before = world->geometries.firstProxy[geometry];
    cnProxyShape instance = {.shape = shape, .pose = {cnVec3_zero, cnQuat_identity}};
    world->geometries.firstProxy[geometry] = -1;
    if (!cnAddProxy(world, geometry, &instance)) {
        world->geometries.firstProxy[geometry] = before;
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "shape", "no memory for a proxy");
    }
    world->geometries.shapeCount[geometry] = 1;
    cnDropPairsOf(world, geometry);
    RemoveProxyList(world, before);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

void cnRemoveGeometry(cnWorld* world, int row) {
    cnGeometryTable* table = &world->geometries;
    cnWakeGeometry(world, row);
    cnDropEdgesOfGeometry(world, row);
    cnDropPairsOf(world, row);
    RemoveProxies(world, row);
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
    cnMaterialTables_DropUser(&world->materials, table->material[row]);
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->handle[row] = 0;
    table->flags[row] = 0;
}

// Does something to every proxy of a body that may move and is awake.
typedef struct ProxyTask {
    cnWorld* world;
    void (*visit)(cnWorld* world, int proxy);
} ProxyTask;

static void VisitAwakeTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const ProxyTask* task = context;
    const cnWorld* world = task->world;
    cnRowList rows = {world->awakeRows.data, world->awakeRows.count};
    for (int i = begin; i < end; ++i) {
        int body = cnRowList_Get(&rows, i);
        if (!cnDoesBodyMove(world, body)) {
            continue;
        }
        for (int g = world->bodies.firstGeometry[body]; g >= 0; g = world->geometries.nextOfBody[g]) {
            for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
                task->visit(task->world, p);
            }
        }
    }
}

static void VisitAllTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const ProxyTask* task = context;
    const cnWorld* world = task->world;
    for (int proxy = begin; proxy < end; ++proxy) {
        int body = world->proxies.body[proxy];
        if (world->proxies.geometry[proxy] >= 0 && cnDoesBodyMove(world, body)) {
            task->visit(task->world, proxy);
        }
    }
}

static void VisitMovingProxies(cnWorld* world, void (*visit)(cnWorld* world, int proxy)) {
    ProxyTask task = {world, visit};
    cnRowList rows = cnGetAwakeRows(world);
    if (rows.rows != NULL) {
        cnThreadPool_Run(world->threads, VisitAwakeTask, &task, rows.count, CN_PROXY_CHUNK);
    } else {
        cnThreadPool_Run(world->threads, VisitAllTask, &task, world->proxies.capacity, CN_PROXY_CHUNK);
    }
}

// How far a proxy may go in the step that begins. By gravity it goes no farther than by its speed.
static void ForeseeProxy(cnWorld* world, int proxy) {
    cnProxyTable* proxies = &world->proxies;
    const cnBodyTable* bodies = &world->bodies;
    int body = proxies->body[proxy];
    const cnShape* shape = world->shapes.shapes[proxies->shape[proxy]];
    double h = world->timeStep;
    double arm = cnLength(cnSub(proxies->position[proxy], bodies->centreOfMass[body])) +
                 cnLength(shape->centre) + (shape->type == cn_sphere ? 0.0 : shape->boundingRadius);
    double way = 2.0 * h * cnLength(bodies->halfStepVelocity[body]);
    proxies->turnNext[proxy] = h * arm * cnLength(bodies->halfStepAngularVelocity[body]);
    proxies->travelNext[proxy] = proxies->travel[proxy] + way + proxies->turnNext[proxy];
}

void cnForeseeProxies(cnWorld* world) {
    VisitMovingProxies(world, ForeseeProxy);
}

void cnPlaceProxies(cnWorld* world) {
    VisitMovingProxies(world, cnPlaceProxy);
    cnBroadPhase_FollowBoxes(world->broadPhase, world->threads);
}
