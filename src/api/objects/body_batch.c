// Many bodies in one call: cnCreateBodies.
//
// First every row is checked, then all memory is reserved, and only then the first body is made: by the same
// functions as single ones and in the same order, so that the state is the same to the bit.
#include "api/checks.h"
#include "api/handles.h"
#include "api/objects/bodies.h"
#include "api/objects/geometries.h"
#include "base/report/format.h"

// What is the same for all rows, and what is set again for each.
typedef struct Batch {
    const cnBodiesDef* def;
    cnBodyDef body;
    cnGeometryDef geometry;
    cnShapeInstance instance; // of def->shapes
    cnGeometryRows rows;
    cnGroupList groups; // each once
    int groupCount;
    bool hasGeometry;
} Batch;

// ---- checks -----------------------------------------------------------------------------------------------

typedef struct RowName {
    char text[48];
} RowName;

// "def.positions[12]"
static RowName NameRow(const char* column, int row) {
    RowName name;
    cnFormat(name.text, sizeof name.text, "%s[%d]", column, row);
    return name;
}

// A row is checked under the column's name, and once more under its own where that fails.
#define CN_TRY_ROW(check, column, row)                                                                       \
    do {                                                                                                     \
        const char* argument = column;                                                                       \
        if ((check) != CN_ERROR_NONE) {                                                                      \
            RowName rowName = NameRow(column, row);                                                          \
            argument = rowName.text;                                                                         \
            return check;                                                                                    \
        }                                                                                                    \
    } while (0)

static cnErrorCode CheckVecs(const cnVec3* vectors, int count, const char* call, const char* column) {
    for (int i = 0; vectors != NULL && i < count; ++i) {
        CN_TRY_ROW(cnCheckVec(vectors[i], call, argument), column, i);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckMass(double mass, const char* call, const char* argument) {
    return mass == 0.0 ? CN_ERROR_NONE : cnCheckRange(mass, 1e-30, 1e30, call, argument, "kg");
}

static cnErrorCode FindShape(const cnWorld* world, cnShapeId shape, const char* call, const char* argument) {
    return cnFindShape(world, shape, call, argument) >= 0 ? CN_ERROR_NONE : cnGetLastError()->code;
}

static cnErrorCode FindMaterial(const cnWorld* world, cnMaterialId material, const char* call,
                                const char* argument) {
    bool found = CN_IS_NULL(material) ||
                 cnMaterialTables_FindMaterial(&world->materials, material, call, argument) >= 0;
    return found ? CN_ERROR_NONE : cnGetLastError()->code;
}

static cnErrorCode CheckColumns(const cnWorld* world, const cnBodiesDef* def, const char* call) {
    int count = def->count;
    CN_TRY(CheckVecs(def->positions, count, call, "def.positions"));
    CN_TRY(CheckVecs(def->velocities, count, call, "def.velocities"));
    CN_TRY(CheckVecs(def->angularVelocities, count, call, "def.angularVelocities"));
    cnQuat rotation;
    for (int i = 0; def->rotations != NULL && i < count; ++i) {
        CN_TRY_ROW(cnCheckRotation(def->rotations[i], &rotation, call, argument), "def.rotations", i);
    }
    for (int i = 0; def->masses != NULL && i < count; ++i) {
        CN_TRY_ROW(CheckMass(def->masses[i], call, argument), "def.masses", i);
    }
    for (int i = 0; def->shapes != NULL && i < count; ++i) {
        CN_TRY_ROW(FindShape(world, def->shapes[i], call, argument), "def.shapes", i);
    }
    for (int i = 0; def->materials != NULL && i < count; ++i) {
        CN_TRY_ROW(FindMaterial(world, def->materials[i], call, argument), "def.materials", i);
    }
    return CN_ERROR_NONE;
}

// What the geometries' definition and the columns say of one thing, only one of them may.
static cnErrorCode CheckOverlaps(const cnBodiesDef* def, const Batch* batch, const char* call) {
    const cnGeometryDef* geometry = &batch->geometry;
    if (!CN_IS_NULL(geometry->body)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.geometry.body",
                      "def.geometry.body is given, allowed is none: each geometry has a body of its own");
    }
    if (def->shapes != NULL && geometry->shapeCount != 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.shapes",
                      "def.shapes is given together with def.geometry.shapes, allowed is one of them");
    }
    bool hasSurface =
        !CN_IS_NULL(geometry->material) || geometry->frictionGiven || geometry->restitutionGiven;
    if (def->materials != NULL && (hasSurface || !batch->hasGeometry)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.materials", "def.materials is given %s",
                      hasSurface ? "together with a material, friction or restitution of def.geometry, "
                                   "allowed is one of them"
                                 : "without geometries: def.geometry and def.shapes are null");
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckGroups(const cnBodiesDef* def, Batch* batch, const char* call) {
    if (def->groupCount < 0 || (def->groupCount > 0 && def->groups == NULL)) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def.groups", "def.groups is null, its count is %d",
                      def->groupCount);
    }
    if (def->groupCount > 0 && !batch->hasGeometry) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.groups",
                      "def.groups is given without geometries: def.geometry and def.shapes are null");
    }
    for (int i = 0; i < def->groupCount; ++i) {
        bool isKnown = false;
        for (int k = 0; k < batch->groupCount; ++k) {
            isKnown = isKnown || batch->groups[k] == def->groups[i];
        }
        if (!isKnown && batch->groupCount == CN_MAX_GROUPS) {
            return cnFail(CN_ERROR_TOO_MANY, call, "def.groups",
                          "def.groups has more than %d different ones, allowed are %d", CN_MAX_GROUPS,
                          CN_MAX_GROUPS);
        }
        if (!isKnown) {
            batch->groups[batch->groupCount++] = def->groups[i];
        }
    }
    return CN_ERROR_NONE;
}

// Everything but memory.
static cnErrorCode CheckBatch(const cnWorld* world, const cnBodiesDef* def, const char* call, Batch* batch) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    *batch = (Batch){.def = def, .rows = {-1, -1, cnQuat_identity}};
    batch->hasGeometry = def->geometry != NULL || def->shapes != NULL;
    if (def->body != NULL) {
        batch->body = *def->body;
    }
    if (def->geometry != NULL) {
        batch->geometry = *def->geometry;
    }
    if (def->count < 0 || def->count > CN_MAX_ROWS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.count", "def.count is %d, allowed is 0 to %d",
                      def->count, CN_MAX_ROWS);
    }
    CN_TRY(CheckOverlaps(def, batch, call));

    // the definitions
    if (cnCheckBodyDef(&batch->body, call, &batch->body.rotation) != CN_ERROR_NONE) {
        return cnNestError("body");
    }
    CN_TRY(CheckGroups(def, batch, call));
    CN_TRY(CheckColumns(world, def, call));
    if (batch->hasGeometry) {
        cnGeometryDef checked = batch->geometry;
        cnShapeInstance first = {0};
        if (def->shapes != NULL && def->count > 0) {
            first.shape = def->shapes[0];
            checked.shapes = &first;
            checked.shapeCount = 1;
        }
        bool isEmpty = def->shapes != NULL && def->count == 0; // no shape to check it with
        if (!isEmpty && cnCheckGeometryDef(world, &checked, call, &batch->rows) != CN_ERROR_NONE) {
            return cnNestError("geometry");
        }
    }

    // rows of the tables
    int room = cnIdPool_GetRoom(&world->bodies.ids);
    if (batch->hasGeometry && cnIdPool_GetRoom(&world->geometries.ids) < room) {
        room = cnIdPool_GetRoom(&world->geometries.ids);
    }
    if (def->count > room) {
        return cnFail(CN_ERROR_TOO_MANY, call, "def.count",
                      "def.count is %d, allowed is 0 to %d: the world has no more rows", def->count, room);
    }
    return CN_ERROR_NONE;
}

// ---- memory -----------------------------------------------------------------------------------------------

static int RowsWith(const cnIdPool* ids, int count) {
    int fresh = count - ids->freeCount;
    return ids->rowCount + (fresh > 0 ? fresh : 0);
}

static bool ReserveGeometries(cnWorld* world, const Batch* batch) {
    int count = batch->def->count;
    int64_t proxyCount = (int64_t)count * (batch->def->shapes != NULL ? 1 : batch->geometry.shapeCount);
    int proxyRows = cnBroadPhase_GetNumberCount(world->broadPhase);
    if (proxyCount > INT32_MAX / 8 - proxyRows) {
        return false;
    }
    cnGeometryTable* geometries = &world->geometries;
    return cnIdPool_Reserve(&geometries->ids, count) &&
           cnTable_Reserve(geometries, &cnGeometryColumns, RowsWith(&geometries->ids, count)) &&
           cnProxyTable_Reserve(&world->proxies, proxyRows + (int)proxyCount) &&
           cnBroadPhase_ReserveProxies(world->broadPhase, (int)proxyCount, batch->body.motion != cn_static);
}

static bool Reserve(cnWorld* world, const Batch* batch) {
    int count = batch->def->count;
    cnBodyTable* bodies = &world->bodies;
    return cnIdPool_Reserve(&bodies->ids, count) &&
           cnTable_Reserve(bodies, &cnBodyColumns, RowsWith(&bodies->ids, count)) &&
           (!batch->hasGeometry || ReserveGeometries(world, batch));
}

// ---- creation ---------------------------------------------------------------------------------------------

// Where rows were reserved one can be had.
static int AcquireRow(cnIdPool* ids) {
    int row = cnIdPool_Find(ids, cnIdPool_Acquire(ids));
    CN_ASSERT(row >= 0);
    return row;
}

static void MakeGeometry(cnWorld* world, Batch* batch, int i, int body) {
    const cnBodiesDef* def = batch->def;
    batch->rows.body = body;
    if (def->shapes != NULL) {
        batch->instance.shape = def->shapes[i];
    }
    if (def->materials != NULL) {
        batch->rows.material = CN_IS_NULL(def->materials[i]) ? -1 : CN_INDEX_OF(def->materials[i]);
    }
    cnGeometryTable* table = &world->geometries;
    int row = AcquireRow(&table->ids);
    cnMaterialTables_AddUser(&world->materials, batch->rows.material);
    bool isComplete = cnFillGeometry(world, row, &batch->geometry, &batch->rows);
    CN_ASSERT(isComplete);
    (void)isComplete;
    for (int k = 0; k < batch->groupCount; ++k) {
        table->groups[row][k] = batch->groups[k];
    }
    table->groupCount[row] = batch->groupCount;
}

static cnBodyId MakeBody(cnWorld* world, Batch* batch, int i) {
    const cnBodiesDef* def = batch->def;
    cnBodyDef* body = &batch->body;
    cnQuat rotation = body->rotation;
    if (def->positions != NULL) {
        body->position = def->positions[i];
    }
    if (def->rotations != NULL) {
        cnCheckRotation(def->rotations[i], &rotation, "cnCreateBodies", "def.rotations");
    }
    if (def->velocities != NULL) {
        body->velocity = def->velocities[i];
    }
    if (def->angularVelocities != NULL) {
        body->angularVelocity = def->angularVelocities[i];
    }
    if (def->masses != NULL) {
        body->mass = def->masses[i];
    }
    cnIdPool* ids = &world->bodies.ids;
    int row = AcquireRow(ids);
    cnFillBody(world, row, body, rotation);
    if (batch->hasGeometry) {
        MakeGeometry(world, batch, i, row);
    }
    return (cnBodyId){cnIdPool_ValueOf(ids, row)};
}

cnErrorCode cnCreateBodies(cnWorldId worldId, const cnBodiesDef* def, cnBodyId* bodies) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    Batch batch;
    CN_TRY(CheckBatch(world, def, call, &batch));
    if (def->count == 0) {
        return CN_ERROR_NONE;
    }
    bool hasRoom = Reserve(world, &batch);
    cnWorld_PublishTables(world); // columns may have moved
    if (!hasRoom) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for %d more bodies", def->count);
    }

    // the last that can fail
    if (batch.geometry.frictionGiven || batch.geometry.restitutionGiven) {
        batch.rows.material = cnShareMaterial(world, &batch.geometry, call);
        if (batch.rows.material < 0) {
            return cnGetLastError()->code;
        }
    }
    if (def->shapes != NULL) {
        batch.geometry.shapes = &batch.instance;
        batch.geometry.shapeCount = 1;
    }
    for (int i = 0; i < def->count; ++i) {
        cnBodyId body = MakeBody(world, &batch, i);
        if (bodies != NULL) {
            bodies[i] = body;
        }
    }
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}
