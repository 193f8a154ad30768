// What of a world decides its next step: listed once, by tables, members and roles (base/containers/field.h),
// for the state hash.
//
// The hash runs over the rows in use in index order, over their columns and members in the order of their
// lists, each number as a little-endian integer of its bits; never over structs as they lie in memory.
// Handles are no state: each world has others.
#include "base/containers/hash.h"
#include "world/world.h"

static const cnField worldFields[] = {
    CN_FIELD(cnWorld, stepCount, cn_f64, 1, cn_state),
    CN_FIELD(cnWorld, time, cn_f64, 1, cn_state),
    CN_FIELD(cnWorld, timeStep, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, gravity.type, cn_i32, 1, cn_input),
    CN_FIELD(cnWorld, gravity.acceleration, cn_f64, 3, cn_input),
    CN_FIELD(cnWorld, gravity.centre, cn_f64, 3, cn_input),
    CN_FIELD(cnWorld, gravity.magnitude, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, gravity.mu, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, solver.type, cn_i32, 1, cn_input),
    CN_FIELD(cnWorld, solver.substeps, cn_i32, 1, cn_input),
    CN_FIELD(cnWorld, solver.iterations, cn_i32, 1, cn_input),
    CN_FIELD(cnWorld, solver.disableWarmStart, cn_u8, 1, cn_input),
    CN_FIELD(cnWorld, sleep.enabled, cn_u8, 1, cn_input),
    CN_FIELD(cnWorld, sleep.linear, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, sleep.angular, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, sleep.time, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.enabled, cn_u8, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.normalSpeed, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.tangentialSpeed, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.rollingSpeed, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.constraintSpeed, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.impactSpeed, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.setValueChange, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, mergeSplit.forceRangeChange, cn_f64, 1, cn_input),
    CN_FIELD(cnWorld, isRousing, cn_u8, 1, cn_state),
    CN_FIELD(cnWorld, gyroscopic, cn_u8, 1, cn_input),
    CN_FIELD(cnWorld, continuous, cn_u8, 1, cn_input),
    CN_FIELD(cnWorld, contactReduction, cn_i32, 1, cn_input),
    CN_FIELD(cnWorld, reductionResolution, cn_i32, 1, cn_input),
    CN_FIELD(cnWorld, collided, cn_u8, 1, cn_reading),
    CN_FIELD(cnWorld, pairsLag, cn_u8, 1, cn_reading),
    CN_FIELD(cnWorld, maxPenetration, cn_f64, 1, cn_reading),
    CN_FIELD(cnWorld, shapes.lastRenderData, cn_u32, 1, cn_reading),
    CN_FIELD(cnWorld, statistics, cn_i32, 5, cn_reading),
    CN_FIELD(cnWorld, mergeCount, cn_i32, 1, cn_reading),
    CN_FIELD(cnWorld, splitCount, cn_i32, 1, cn_reading),
};
const cnFieldList cnWorldFields = CN_FIELD_LIST(worldFields);

static bool IsHashed(cnScalar scalar, cnRole role) {
    return scalar != cn_record && (role == cn_state || role == cn_input);
}

static void AddNumbers(cnHash* hash, const void* numbers, cnScalar scalar, int count) {
    const unsigned char* bytes = numbers;
    size_t size = cnScalar_GetBytes(scalar);
    for (int i = 0; i < count; ++i) {
        uint64_t word = 0;
        for (size_t b = 0; b < size; ++b) {
            word |= (uint64_t)bytes[(size_t)i * size + b] << (8 * b);
        }
        cnHash_AddU64(hash, word);
    }
}

// A struct by the list of its members.
static void AddRecord(cnHash* hash, const void* record, cnFieldList list) {
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        for (int i = 0; i < field->count && IsHashed(field->scalar, field->role); ++i) {
            const char* member = (const char*)record + field->offset + (size_t)i * field->stride;
            AddNumbers(hash, member, field->scalar, field->lanes);
        }
    }
}

static void AddRow(cnHash* hash, const void* table, const cnColumnList* list, int row) {
    cnHash_AddU64(hash, (uint64_t)row);
    for (int c = 0; c < list->count; ++c) {
        const cnColumn* column = &list->columns[c];
        if (IsHashed(column->scalar, column->role)) {
            const char* first = cnTable_GetColumn(table, column);
            AddNumbers(hash, first + (size_t)row * (size_t)column->rowBytes, column->scalar, column->lanes);
        }
    }
}

// A table whose rows have handles.
static void AddTable(cnHash* hash, const void* table, const cnIdPool* ids, const cnColumnList* list) {
    cnHash_AddU64(hash, (uint64_t)ids->liveCount);
    for (int row = 0; row < ids->rowCount; ++row) {
        if (cnIdPool_IsLive(ids, row)) {
            AddRow(hash, table, list, row);
        }
    }
}

static void AddProxies(cnHash* hash, const cnProxyTable* proxies) {
    for (int row = 0; row < proxies->capacity; ++row) {
        if (proxies->geometry[row] >= 0) {
            AddRow(hash, proxies, &cnProxyColumns, row);
        }
    }
}

static void AddConstraints(cnHash* hash, const cnConstraintTable* table) {
    AddTable(hash, table, &table->ids, &cnConstraintColumns);
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row)) {
            AddRecord(hash, &table->constraints[row], cnConstraintFields);
        }
    }
}

static void AddPairs(cnHash* hash, const cnPairTable* table) {
    cnHash_AddU64(hash, (uint64_t)table->pairs.count);
    for (int i = 0; i < table->pairs.count; ++i) {
        AddRecord(hash, cnPairTable_Get(table, i), cnPairFields);
        AddRecord(hash, &table->heads.rows.data[i], cnPairHeadFields);
    }
    cnHash_AddU64(hash, (uint64_t)table->distant.count);
    for (int i = 0; i < table->distant.count; ++i) {
        AddRecord(hash, cnPairTable_GetDistant(table, i), cnDistantPairFields);
        AddRecord(hash, &table->distantHeads.rows.data[i], cnPairHeadFields);
    }
    for (int i = 0; i < table->concaves.count; ++i) {
        if (table->concaves.data[i].proxy1 >= 0) {
            cnHash_AddU64(hash, (uint64_t)i);
            AddRecord(hash, &table->concaves.data[i], cnConcaveFields);
        }
    }
    for (int i = 0; i < table->freeConcaves.count; ++i) {
        cnHash_AddU64(hash, (uint64_t)table->freeConcaves.data[i]);
    }
}

uint64_t cnHashState(const cnWorld* world) {
    cnHash hash = cnHash_Start();
    const cnMaterialTables* materials = &world->materials;
    AddRecord(&hash, world, cnWorldFields);
    AddTable(&hash, &world->bodies, &world->bodies.ids, &cnBodyColumns);
    AddTable(&hash, &world->geometries, &world->geometries.ids, &cnGeometryColumns);
    AddTable(&hash, &world->shapes, &world->shapes.ids, &cnShapeColumns);
    AddTable(&hash, &materials->materials, &materials->materials.ids, &cnMaterialColumns);
    AddTable(&hash, &materials->contactMaterials, &materials->contactMaterials.ids,
             &cnContactMaterialColumns);
    AddProxies(&hash, &world->proxies);
    AddConstraints(&hash, &world->constraints);
    AddTable(&hash, &world->mergedBodies, &world->mergedBodies.ids, &cnMergedBodyColumns);
    AddTable(&hash, &world->mergeEdges, &world->mergeEdges.ids, &cnMergeEdgeColumns);
    AddPairs(&hash, &world->pairs);
    for (int i = 0; i < world->groupPairs.keys.count; ++i) {
        cnHash_AddU64(&hash, world->groupPairs.keys.data[i]);
    }
    cnHash_AddU64(&hash, cnBroadPhase_Hash(world->broadPhase));
    return hash.value;
}
