// Queries of a world: what a ray, a moving shape, a box, a free geometry or a point meets where
// the bodies are now.
//
// The broad phase tells which proxies may matter, the filter which count, geometry/ and
// collide/queries/queries.h finish in f64. Results depend neither on the shape of the trees nor on threads:
// equal distances are settled by the proxy's number.
#include "collide/queries/queries.h"
#include "api/checks.h"
#include "api/handles.h"
#include "api/objects/geometries.h"
#include "base/containers/sort.h"
#include "collide/queries/surface.h"
#include "world/world.h"

#include <string.h>

#define CN_RAY_CHUNK 32

// ---- filters ----------------------------------------------------------------------------------------------

typedef struct Query {
    cnWorld* world;
    cnQueryFilter filter;
    int excludedBody, excludedGeometry; // rows, -1 for none
    int collider;                       // a proxy of `collidesWith`, -1 for none
} Query;

static cnErrorCode CheckFilter(const cnWorld* world, const cnQueryFilter* filter, const char* call,
                               Query* query) {
    if (filter->groupCount < 0 || (filter->groupCount > 0 && filter->groups == NULL)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "filter.groups", "filter.groups has %d groups%s",
                      filter->groupCount,
                      filter->groupCount < 0 ? ", allowed are 0 or more" : " and no memory");
    }
    if ((unsigned)filter->bodies > (unsigned)cn_queryDynamic) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "filter.bodies",
                      "filter.bodies is %d, allowed are 0 to %d", (int)filter->bodies, (int)cn_queryDynamic);
    }
    query->filter = *filter;
    if (!CN_IS_NULL(filter->excludeBody)) {
        query->excludedBody = cnFindBody(world, filter->excludeBody, call, "filter.excludeBody");
        if (query->excludedBody < 0) {
            return cnGetLastError()->code;
        }
    }
    if (!CN_IS_NULL(filter->excludeGeometry)) {
        query->excludedGeometry =
            cnFindGeometry(world, filter->excludeGeometry, call, "filter.excludeGeometry");
        if (query->excludedGeometry < 0) {
            return cnGetLastError()->code;
        }
    }
    if (!CN_IS_NULL(filter->collidesWith)) {
        int collider = cnFindGeometry(world, filter->collidesWith, call, "filter.collidesWith");
        if (collider < 0) {
            return cnGetLastError()->code;
        }
        query->collider = world->geometries.firstProxy[collider];
    }
    return CN_ERROR_NONE;
}

static cnErrorCode BeginQuery(cnWorldId worldId, const cnQueryFilter* filter, const char* call,
                              Query* query) {
    *query = (Query){
        .world = cnFindWorld(worldId, call), .excludedBody = -1, .excludedGeometry = -1, .collider = -1};
    if (query->world == NULL) {
        return cnGetLastError()->code;
    }
    return filter != NULL ? CheckFilter(query->world, filter, call, query) : CN_ERROR_NONE;
}

static cnErrorCode CheckResults(const void* results, int capacity, const char* call, const char* argument) {
    if (capacity < 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "capacity", "capacity is %d, allowed are 0 or more",
                      capacity);
    }
    return results != NULL || capacity == 0
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
}

static bool Sees(const Query* query, int proxy) {
    const cnWorld* world = query->world;
    int geometry = world->proxies.geometry[proxy], body = world->proxies.body[proxy];
    uint32_t flags = world->geometries.flags[geometry];
    uint32_t bodyFlags = body >= 0 ? world->bodies.flags[body] : cn_bodyEnabled;
    bool dynamic = (bodyFlags & cn_bodyDynamic) != 0;
    if ((flags & cn_geometryEnabled) == 0 || (bodyFlags & cn_bodyEnabled) == 0 ||
        geometry == query->excludedGeometry || (body >= 0 && body == query->excludedBody) ||
        (query->filter.bodies == cn_queryStatic && dynamic) ||
        (query->filter.bodies == cn_queryDynamic && !dynamic) ||
        ((flags & cn_geometrySensor) != 0 && !query->filter.sensors) ||
        (query->collider >= 0 && !cnMayProxiesCollide(query->collider, proxy, query->world))) {
        return false;
    }
    bool inGroup = query->filter.groupCount == 0;
    for (int i = 0; i < query->filter.groupCount && !inGroup; ++i) {
        for (int k = 0; k < world->geometries.groupCount[geometry]; ++k) {
            inGroup |= world->geometries.groups[geometry][k] == query->filter.groups[i];
        }
    }
    return inGroup;
}

static const cnShape* ShapeOfProxy(const cnWorld* world, int proxy) {
    return world->shapes.shapes[world->proxies.shape[proxy]];
}

static cnPose PoseOfProxy(const cnWorld* world, int proxy) {
    return (cnPose){world->proxies.position[proxy], world->proxies.rotation[proxy]};
}

// ---- rays -------------------------------------------------------------------------------------------------

typedef struct RaySearch {
    const Query* query;
    cnVec3 origin, translation;
    cnRayHit hit;
    int proxy; // -1: nothing so far
    bool any;  // the first one will do
} RaySearch;

static double CastRayAtProxy(int proxy, double fraction, void* context) {
    RaySearch* search = context;
    const cnWorld* world = search->query->world;
    if (!Sees(search->query, proxy)) {
        return fraction;
    }
    cnRayHit hit = cnShape_CastRay(ShapeOfProxy(world, proxy), PoseOfProxy(world, proxy), search->origin,
                                   search->translation);
    bool nearer = hit.hit && (search->proxy < 0 || hit.fraction < search->hit.fraction ||
                              (hit.fraction == search->hit.fraction && proxy < search->proxy));
    if (!nearer) {
        return fraction;
    }
    search->hit = hit;
    search->proxy = proxy;
    return search->any ? -1.0 : hit.fraction;
}

static RaySearch SearchRay(const Query* query, cnVec3 origin, cnVec3 translation, bool any) {
    RaySearch search = {
        .query = query, .origin = origin, .translation = translation, .proxy = -1, .any = any};
    cnBroadPhase_CastRay(query->world->broadPhase, origin, translation, CastRayAtProxy, &search);
    return search;
}

static cnRayResult RayResultOf(const cnWorld* world, int proxy, const cnRayHit* hit) {
    return (cnRayResult){
        .geometry = cnGeometryIdOf(world, world->proxies.geometry[proxy]),
        .body = cnBodyIdOf(world, world->proxies.body[proxy]),
        .shapeIndex = world->proxies.shapeIndex[proxy],
        .fraction = hit->fraction,
        .point = hit->point,
        .normal = hit->normal,
        .triangle = hit->triangle,
    };
}

static cnErrorCode BeginRay(cnWorldId worldId, cnVec3 origin, cnVec3 translation, const cnQueryFilter* filter,
                            const char* call, Query* query) {
    CN_TRY(BeginQuery(worldId, filter, call, query));
    CN_TRY(cnCheckVec(origin, call, "origin"));
    return cnCheckVec(translation, call, "translation");
}

cnRayResult cnWorld_CastRay(cnWorldId worldId, cnVec3 origin, cnVec3 translation,
                            const cnQueryFilter* filter) {
    Query query;
    if (BeginRay(worldId, origin, translation, filter, __func__, &query) != CN_ERROR_NONE) {
        return (cnRayResult){.triangle = -1};
    }
    RaySearch search = SearchRay(&query, origin, translation, false);
    return search.proxy >= 0 ? RayResultOf(query.world, search.proxy, &search.hit)
                             : (cnRayResult){.triangle = -1};
}

bool cnWorld_TestRay(cnWorldId worldId, cnVec3 origin, cnVec3 translation, const cnQueryFilter* filter) {
    Query query;
    return BeginRay(worldId, origin, translation, filter, __func__, &query) == CN_ERROR_NONE &&
           SearchRay(&query, origin, translation, true).proxy >= 0;
}

// Hits in order, nearest first, ties by proxy; the nearest `capacity` stay. `keys` are kept beside the
// caller's results.
typedef struct HitKey {
    double fraction;
    int proxy;
} HitKey;

typedef struct HitList {
    const Query* query;
    cnVec3 origin, translation;
    HitKey* keys;
    int count, capacity;

    // of shape casts
    const cnShape* shape;
    cnPose pose;
    int unsupported;
    cnRayResult* rays;
    cnShapeCastResult* casts;
} HitList;

// Where a hit belongs, with room made for it; -1 where the list is full of nearer ones.
static int MakeRoom(HitList* list, double fraction, int proxy) {
    int at = list->count;
    while (at > 0 && (list->keys[at - 1].fraction > fraction ||
                      (list->keys[at - 1].fraction == fraction && list->keys[at - 1].proxy > proxy))) {
        at -= 1;
    }
    if (at == list->capacity) {
        return -1;
    }
    list->count += list->count < list->capacity;
    size_t moved = (size_t)(list->count - 1 - at);
    memmove(list->keys + at + 1, list->keys + at, moved * sizeof *list->keys);
    if (list->rays != NULL) {
        memmove(list->rays + at + 1, list->rays + at, moved * sizeof *list->rays);
    } else {
        memmove(list->casts + at + 1, list->casts + at, moved * sizeof *list->casts);
    }
    list->keys[at] = (HitKey){fraction, proxy};
    return at;
}

// How far hits may be to count.
static double ReachOf(const HitList* list) {
    return list->count < list->capacity ? 1.0 : list->keys[list->count - 1].fraction;
}

static double ListRayHit(int proxy, double fraction, void* context) {
    (void)fraction;
    HitList* list = context;
    const cnWorld* world = list->query->world;
    if (!Sees(list->query, proxy)) {
        return ReachOf(list);
    }
    const cnShape* shape = ShapeOfProxy(world, proxy);
    cnPose pose = PoseOfProxy(world, proxy);
    bool crossings = list->query->filter.crossings;
    double after = -1.0;
    int at;
    do {
        cnRayHit hit = crossings ? cnShape_FindCrossing(shape, pose, list->origin, list->translation, after)
                                 : cnShape_CastRay(shape, pose, list->origin, list->translation);
        at = hit.hit ? MakeRoom(list, hit.fraction, proxy) : -1;
        if (at >= 0) {
            list->rays[at] = RayResultOf(world, proxy, &hit);
        }
        after = hit.fraction;
    } while (crossings && at >= 0);
    return ReachOf(list);
}

int cnWorld_CastRayAll(cnWorldId worldId, cnVec3 origin, cnVec3 translation, const cnQueryFilter* filter,
                       cnRayResult* results, int capacity) {
    const char* call = __func__;
    Query query;
    if (BeginRay(worldId, origin, translation, filter, call, &query) != CN_ERROR_NONE ||
        CheckResults(results, capacity, call, "results") != CN_ERROR_NONE || capacity == 0) {
        return 0;
    }
    int max = cnBroadPhase_GetProxyCount(query.world->broadPhase);
    HitList list = {
        .query = &query,
        .origin = origin,
        .translation = translation,
        .capacity = capacity < max || query.filter.crossings ? capacity : max,
        .rays = results,
    };
    list.keys = CN_PUSH(&query.world->stack, HitKey, list.capacity + 1, "hits");
    if (list.keys == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "capacity", "no memory for %d hits", list.capacity);
        return 0;
    }
    if (max > 0) {
        cnBroadPhase_CastRay(query.world->broadPhase, origin, translation, ListRayHit, &list);
    }
    cnStack_Pop(&query.world->stack, list.keys);
    return list.count;
}

typedef struct RayBatch {
    const Query* query;
    const double* rays;
    int32_t* geometries;
    double* fractions;
    double* normals;
} RayBatch;

static void CastRayChunk(int begin, int end, int thread, void* context) {
    (void)thread;
    const RayBatch* batch = context;
    for (int i = begin; i < end; ++i) {
        const double* ray = batch->rays + 6 * (size_t)i;
        RaySearch search =
            SearchRay(batch->query, cnVec(ray[0], ray[1], ray[2]), cnVec(ray[3], ray[4], ray[5]), false);
        bool hit = search.proxy >= 0;
        batch->geometries[i] = hit ? batch->query->world->proxies.geometry[search.proxy] : -1;
        if (batch->fractions != NULL) {
            batch->fractions[i] = hit ? search.hit.fraction : 1.0;
        }
        if (batch->normals != NULL) {
            cnVec3 normal = hit ? search.hit.normal : cnVec3_zero;
            memcpy(batch->normals + 3 * (size_t)i, &normal, sizeof normal);
        }
    }
}

cnErrorCode cnWorld_CastRays(cnWorldId worldId, const double* rays, int count, const cnQueryFilter* filter,
                             int32_t* geometries, double* fractions, double* normals) {
    const char* call = __func__;
    Query query;
    CN_TRY(BeginQuery(worldId, filter, call, &query));
    if (count < 0 || (count > 0 && (rays == NULL || geometries == NULL))) {
        const char* argument = count < 0 ? "count" : (rays == NULL ? "rays" : "geometries");
        return count < 0 ? cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "count is %d, allowed are 0 or more",
                                  count)
                         : cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    for (size_t i = 0; i < 6 * (size_t)count; ++i) {
        if (!(fabs(rays[i]) <= 1e30)) {
            return cnFail(cnIsFinite(rays[i]) ? CN_ERROR_OUT_OF_RANGE : CN_ERROR_NOT_FINITE, call, "rays",
                          "rays[%zu] is %g m, allowed are finite numbers of magnitude up to 1e30", i,
                          rays[i]);
        }
    }
    RayBatch batch = {&query, rays, geometries, fractions, normals};
    cnThreadPool* threads = cnThreadPool_Borrow(query.world->threadCount);
    cnThreadPool_Run(threads, CastRayChunk, &batch, count, CN_RAY_CHUNK);
    cnThreadPool_Return(threads);
    return CN_ERROR_NONE;
}

// ---- shapes that move -------------------------------------------------------------------------------------

// Whether the boxes meet while the first moves along a translation, up to a fraction of it.
static bool DoBoxesMeet(cnBounds moving, cnVec3 translation, cnBounds standing, double fraction) {
    const double starts[3][2] = {
        {moving.lower.x, moving.upper.x}, {moving.lower.y, moving.upper.y}, {moving.lower.z, moving.upper.z}};
    const double ends[3][2] = {{standing.lower.x, standing.upper.x},
                               {standing.lower.y, standing.upper.y},
                               {standing.lower.z, standing.upper.z}};
    const double moves[3] = {translation.x, translation.y, translation.z};
    double enter = 0.0, leave = fraction;
    for (int i = 0; i < 3; ++i) {
        double min = ends[i][0] - starts[i][1], max = ends[i][1] - starts[i][0];
        double slop = 1e-9 * (fabs(min) + fabs(max));
        if (moves[i] == 0.0) {
            if (min > slop || max < -slop) {
                return false;
            }
            continue;
        }
        double a = (min - slop) / moves[i], b = (max + slop) / moves[i];
        enter = cnMax(enter, cnMin(a, b));
        leave = cnMin(leave, cnMax(a, b));
    }
    return enter <= leave;
}

static bool CastAtProxy(int proxy, void* context) {
    HitList* list = context;
    const cnWorld* world = list->query->world;
    if (!Sees(list->query, proxy)) {
        return true;
    }
    const cnShape* shape = ShapeOfProxy(world, proxy);
    cnPose pose = PoseOfProxy(world, proxy);
    double reach = ReachOf(list);
    if (!DoBoxesMeet(cnShape_ComputeBounds(list->shape, list->pose), list->translation,
                     cnShape_ComputeBounds(shape, pose), reach)) {
        return true;
    }
    cnShapeCastHit hit = cnCastShapeAtShape(list->shape, list->pose, list->translation, shape, pose, reach);
    list->unsupported += hit.status == cn_proximityUnsupported;
    int at = hit.status == cn_proximityOverlapping ? MakeRoom(list, hit.fraction, proxy) : -1;
    if (at >= 0) {
        list->casts[at] = (cnShapeCastResult){
            .geometry = cnGeometryIdOf(world, world->proxies.geometry[proxy]),
            .body = cnBodyIdOf(world, world->proxies.body[proxy]),
            .shapeIndex = world->proxies.shapeIndex[proxy],
            .fraction = hit.fraction,
            .point = hit.point,
            .normal = hit.normal,
        };
    }
    return true;
}

static cnBounds Unite(cnBounds a, cnBounds b) {
    return (cnBounds){cnMinVec(a.lower, b.lower), cnMaxVec(a.upper, b.upper)};
}

// Of `list`: query, results and capacity are set. False on an error.
static bool CastShape(HitList* list, cnWorldId worldId, cnShapeId shape, cnPose pose, cnVec3 translation,
                      const cnQueryFilter* filter, Query* query, const char* call) {
    if (BeginQuery(worldId, filter, call, query) != CN_ERROR_NONE) {
        return false;
    }
    cnWorld* world = query->world;
    int row = cnFindShape(world, shape, call, "shape");
    if (row < 0 || cnCheckVec(pose.position, call, "pose.position") != CN_ERROR_NONE ||
        cnCheckRotation(pose.rotation, &pose.rotation, call, "pose.rotation") != CN_ERROR_NONE ||
        cnCheckVec(translation, call, "translation") != CN_ERROR_NONE) {
        return false;
    }
    list->query = query;
    list->shape = world->shapes.shapes[row];
    list->pose = pose;
    list->translation = translation;
    cnBounds bounds = cnShape_ComputeBounds(list->shape, pose);
    cnBounds moved = {cnAdd(bounds.lower, translation), cnAdd(bounds.upper, translation)};
    cnBroadPhase_Overlap(world->broadPhase, Unite(bounds, moved), CastAtProxy, list);
    return true;
}

cnShapeCastResult cnWorld_CastShape(cnWorldId worldId, cnShapeId shape, cnPose pose, cnVec3 translation,
                                    const cnQueryFilter* filter) {
    Query query;
    HitKey key;
    cnShapeCastResult result = {0};
    HitList list = {.keys = &key, .capacity = 1, .casts = &result};
    CastShape(&list, worldId, shape, pose, translation, filter, &query, __func__);
    result.unsupported = list.unsupported;
    return result;
}

int cnWorld_CastShapeAll(cnWorldId worldId, cnShapeId shape, cnPose pose, cnVec3 translation,
                         const cnQueryFilter* filter, cnShapeCastResult* results, int capacity) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL || CheckResults(results, capacity, call, "results") != CN_ERROR_NONE || capacity == 0) {
        return 0;
    }
    int max = cnBroadPhase_GetProxyCount(world->broadPhase) + 1;
    HitList list = {.capacity = capacity < max ? capacity : max, .casts = results};
    list.keys = CN_PUSH(&world->stack, HitKey, list.capacity + 1, "hits");
    if (list.keys == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "capacity", "no memory for %d hits", list.capacity);
        return 0;
    }
    Query query;
    CastShape(&list, worldId, shape, pose, translation, filter, &query, call);
    cnStack_Pop(&world->stack, list.keys);
    for (int i = 0; i < list.count; ++i) {
        results[i].unsupported = list.unsupported;
    }
    return list.count;
}

// ---- boxes and points -------------------------------------------------------------------------------------

// Rows of geometries, ascending, each once; the lowest `capacity` stay.
typedef struct RowList {
    const Query* query;
    cnBounds bounds;
    cnVec3 point;
    cnGeometryId* geometries;
    int count, capacity;
} RowList;

static void ListGeometry(RowList* list, int row) {
    const cnGeometryId* rows = list->geometries;
    cnGeometryId id = cnGeometryIdOf(list->query->world, row);
    uint32_t mask = (1u << 20) - 1u;
    int low = 0, high = list->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((rows[middle].value & mask) < (id.value & mask)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == list->capacity || (low < list->count && rows[low].value == id.value)) {
        return;
    }
    list->count += list->count < list->capacity;
    memmove(list->geometries + low + 1, rows + low, (size_t)(list->count - 1 - low) * sizeof *rows);
    list->geometries[low] = id;
}

static bool ListBounds(int proxy, void* context) {
    RowList* list = context;
    const cnWorld* world = list->query->world;
    if (Sees(list->query, proxy)) {
        cnBounds bounds = cnShape_ComputeBounds(ShapeOfProxy(world, proxy), PoseOfProxy(world, proxy));
        if (DoBoxesMeet(list->bounds, cnVec3_zero, bounds, 0.0)) {
            ListGeometry(list, world->proxies.geometry[proxy]);
        }
    }
    return true;
}

static bool ListHolder(int proxy, void* context) {
    RowList* list = context;
    const cnWorld* world = list->query->world;
    if (Sees(list->query, proxy) &&
        cnShape_HoldsPoint(ShapeOfProxy(world, proxy),
                           cnInvTransformPoint(PoseOfProxy(world, proxy), list->point))) {
        ListGeometry(list, world->proxies.geometry[proxy]);
    }
    return true;
}

static int ListGeometries(RowList* list, cnWorldId worldId, const cnQueryFilter* filter,
                          cnOverlapCallback* callback, const char* call) {
    Query query;
    if (BeginQuery(worldId, filter, call, &query) != CN_ERROR_NONE ||
        cnCheckVec(list->bounds.lower, call, callback == ListHolder ? "point" : "bounds.lower") !=
            CN_ERROR_NONE ||
        cnCheckVec(list->bounds.upper, call, "bounds.upper") != CN_ERROR_NONE ||
        CheckResults(list->geometries, list->capacity, call, "geometries") != CN_ERROR_NONE) {
        return 0;
    }
    cnVec3 lower = list->bounds.lower, upper = list->bounds.upper;
    if (!(lower.x <= upper.x && lower.y <= upper.y && lower.z <= upper.z)) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "upper",
               "upper is (%g, %g, %g), each must be at least that of lower, (%g, %g, %g)", upper.x, upper.y,
               upper.z, lower.x, lower.y, lower.z);
        return 0;
    }
    list->query = &query;
    cnBroadPhase_Overlap(query.world->broadPhase, list->bounds, callback, list);
    return list->count;
}

int cnWorld_TestBoundingVolumeOverlap(cnWorldId worldId, cnBounds bounds, const cnQueryFilter* filter,
                                      cnGeometryId* geometries, int capacity) {
    RowList list = {.bounds = bounds, .geometries = geometries, .capacity = capacity};
    return ListGeometries(&list, worldId, filter, ListBounds, __func__);
}

int cnWorld_FindGeometriesAtPoint(cnWorldId worldId, cnVec3 point, const cnQueryFilter* filter,
                                  cnGeometryId* geometries, int capacity) {
    RowList list = {.bounds = {point, point}, .point = point, .geometries = geometries, .capacity = capacity};
    return ListGeometries(&list, worldId, filter, ListHolder, __func__);
}

// ---- free geometries --------------------------------------------------------------------------------------

// What one shape of a free geometry overlaps; sorted by proxy as it is found.
typedef struct OverlapSearch {
    const Query* query;
    int* proxies;
    int count;
} OverlapSearch;

static bool ListProxy(int proxy, void* context) {
    OverlapSearch* search = context;
    if (Sees(search->query, proxy)) {
        search->proxies[search->count++] = proxy;
    }
    return true;
}

// Contacts of one shape with one proxy, behind those in the list. Returns how many.
static int TouchProxy(const cnWorld* world, const cnShape* shape, cnPose pose, int ownIndex, int proxy,
                      cnOverlapContact* contacts, int capacity) {
    const cnShape* other = ShapeOfProxy(world, proxy);
    cnCollideCache cache = {0};
    cnManifold manifold;
    if (cnCollideShapes(shape, pose, other, PoseOfProxy(world, proxy), 0.0, &cache, &manifold) == 0) {
        return 0;
    }
    int count = 0;
    for (int i = 0; i < manifold.pointCount && count < capacity; ++i) {
        if (manifold.depths[i] >= 0.0f) {
            contacts[count++] = (cnOverlapContact){
                .geometry = cnGeometryIdOf(world, world->proxies.geometry[proxy]),
                .body = cnBodyIdOf(world, world->proxies.body[proxy]),
                .shapeIndex = world->proxies.shapeIndex[proxy],
                .ownShapeIndex = ownIndex,
                .point = cnAdd(manifold.origin, cnToD(manifold.points[i])),
                .normal = cnNormalize(cnToD(manifold.normal)),
                .depth = (double)manifold.depths[i],
            };
        }
    }
    return count;
}

static int TouchWorld(const Query* query, const cnGeometryDef* def, cnPose frame, cnOverlapContact* contacts,
                      int capacity, int* proxies) {
    cnWorld* world = query->world;
    int count = 0;
    for (int i = 0; i < def->shapeCount; ++i) {
        cnPose instance = {def->shapes[i].position, cnQuat_identity};
        cnCheckRotation(def->shapes[i].rotation, &instance.rotation, "cnWorld_TestGeometryOverlap",
                        "def.shapes");
        cnPose pose = cnMulPose(frame, instance);
        int row = cnFindShape(world, def->shapes[i].shape, "cnWorld_TestGeometryOverlap", "def.shapes");
        const cnShape* shape = world->shapes.shapes[row];
        OverlapSearch search = {query, proxies, 0};
        cnBroadPhase_Overlap(world->broadPhase, cnShape_ComputeBounds(shape, pose), ListProxy, &search);
        CN_SHELL_SORT(int, proxies, search.count, a, b, a < b); // the trees\' order is no order
        for (int k = 0; k < search.count; ++k) {
            count += TouchProxy(world, shape, pose, i, proxies[k], contacts + count, capacity - count);
        }
    }
    return count;
}

int cnWorld_TestGeometryOverlap(cnWorldId worldId, const cnGeometryDef* def, const cnQueryFilter* filter,
                                cnOverlapContact* contacts, int capacity) {
    const char* call = __func__;
    Query query;
    cnGeometryRows rows = {-1, -1, cnQuat_identity};
    if (BeginQuery(worldId, filter, call, &query) != CN_ERROR_NONE ||
        cnCheckGeometryDef(query.world, def, call, &rows) != CN_ERROR_NONE ||
        CheckResults(contacts, capacity, call, "contacts") != CN_ERROR_NONE) {
        return 0;
    }
    cnPose frame = {def->position, rows.rotation};
    cnStack* stack = &query.world->stack;
    int max = cnBroadPhase_GetProxyCount(query.world->broadPhase);
    int* proxies = CN_PUSH(stack, int, max + 1, "overlapping proxies");
    if (proxies == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for %d proxies", max);
        return 0;
    }
    int count = TouchWorld(&query, def, frame, contacts, capacity, proxies);
    cnStack_Pop(stack, proxies);
    return count;
}

// ---- closest points ---------------------------------------------------------------------------------------

cnClosestPoints cnWorld_ComputeClosestPoints(cnWorldId worldId, cnGeometryId geometry1,
                                             cnGeometryId geometry2) {
    const char* call = __func__;
    cnClosestPoints best = {0};
    const cnWorld* world = cnReadWorld(worldId, call);
    int row1 = world != NULL ? cnFindGeometry(world, geometry1, call, "geometry1") : -1;
    int row2 = row1 >= 0 ? cnFindGeometry(world, geometry2, call, "geometry2") : -1;
    if (row2 < 0) {
        return best;
    }
    best.distance = INFINITY;
    const cnProxyTable* proxies = &world->proxies;
    for (int p = world->geometries.firstProxy[row1]; p >= 0; p = proxies->nextOfGeometry[p]) {
        for (int q = world->geometries.firstProxy[row2]; q >= 0; q = proxies->nextOfGeometry[q]) {
            cnClosestPoints found =
                cnFindClosestPoints(ShapeOfProxy(world, p), PoseOfProxy(world, p), ShapeOfProxy(world, q),
                                    PoseOfProxy(world, q), best.distance);
            if (found.status == cn_proximityUnsupported) {
                return found;
            }
            if (found.distance < best.distance) {
                best = found;
            }
        }
    }
    return best;
}

cnSurfaceDistance cnGeometry_FindSurfacePoint(cnWorldId worldId, cnGeometryId geometry, cnVec3 point) {
    const char* call = __func__;
    cnSurfaceDistance none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    int row = world != NULL ? cnFindGeometry(world, geometry, call, "geometry") : -1;
    if (row < 0 || cnCheckVec(point, call, "point") != CN_ERROR_NONE) {
        return none;
    }
    const cnProxyTable* proxies = &world->proxies;
    int count = 0;
    for (int p = world->geometries.firstProxy[row]; p >= 0; p = proxies->nextOfGeometry[p]) {
        count += 1;
    }
    cnPlacedShape* shapes = CN_PUSH(&world->stack, cnPlacedShape, count, "shapes of a geometry");
    if (shapes == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "geometry", "no memory for %d shapes", count);
        return none;
    }
    int i = 0;
    for (int p = world->geometries.firstProxy[row]; p >= 0; p = proxies->nextOfGeometry[p]) {
        shapes[i++] = (cnPlacedShape){ShapeOfProxy(world, p), PoseOfProxy(world, p)};
    }
    cnSurfaceDistance found = cnFindSurfaceOfUnion(shapes, count, point);
    cnStack_Pop(&world->stack, shapes);
    return found;
}
