// Tables of materials without a world.
#pragma once

#include "base/report/error.h"
#include "helpers.h"
#include "material/pair_properties.h"

#define CALL "cnTest"

// Tables made before and freed after each test; all memory must be back then.
typedef struct Fixture {
    cnMaterialTables tables;
    size_t bytesBefore;
} Fixture;

static inline int set_up(void** state) {
    static Fixture fixture;
    fixture.bytesBefore = cnGetBytesInUse();
    cnMaterialTables_Init(&fixture.tables, 1);
    cnClearLastError();
    *state = &fixture;
    return 0;
}

static inline int tear_down(void** state) {
    Fixture* fixture = *state;
    cnMaterialTables_Free(&fixture->tables);
    assert_int_equal(cnGetBytesInUse(), fixture->bytesBefore);
    return 0;
}

static inline cnMaterialTables* tables_of(void** state) {
    return &((Fixture*)*state)->tables;
}

static inline cnMaterialId create(cnMaterialTables* tables, cnMaterialDef def) {
    cnMaterialId material = cnMaterialTables_CreateMaterial(tables, &def, CALL);
    if (CN_IS_NULL(material)) {
        fail_msg("%s", cnGetLastError()->message);
    }
    return material;
}

static inline cnMaterialId from_library(cnMaterialTables* tables, const char* name) {
    return create(tables, (cnMaterialDef){.library = name});
}

static inline cnContactMaterialId create_pair(cnMaterialTables* tables, cnContactMaterialDef def) {
    cnContactMaterialId pair = cnMaterialTables_CreateContactMaterial(tables, &def, CALL);
    if (CN_IS_NULL(pair)) {
        fail_msg("%s", cnGetLastError()->message);
    }
    return pair;
}

// The same from the plain way and from the prepared pairs, in both orders, to the bit.
static inline cnContactMaterialDef resolve(cnMaterialTables* tables, cnMaterialId a, cnMaterialId b) {
    cnContactMaterialDef plain = cnMaterialTables_GetPairProperties(tables, a, b, CALL);
    cnContactMaterialDef swapped = cnMaterialTables_GetPairProperties(tables, b, a, CALL);
    cnMaterialTables_Prepare(tables);
    cnContactMaterialDef prepared = cnMaterialTables_GetPairProperties(tables, b, a, CALL);
    const cnContactMaterialDef* others[] = {&swapped, &prepared};
    for (int i = 0; i < 2; ++i) {
        assert_memory_equal(others[i]->friction, plain.friction, sizeof plain.friction);
        assert_memory_equal(&others[i]->restitution, &plain.restitution, sizeof plain.restitution);
        assert_memory_equal(&others[i]->youngsModulus, &plain.youngsModulus, sizeof plain.youngsModulus);
        assert_memory_equal(&others[i]->damping, &plain.damping, sizeof plain.damping);
        assert_memory_equal(others[i]->surfaceViscosity, plain.surfaceViscosity,
                            sizeof plain.surfaceViscosity);
    }
    return plain;
}

static inline void assert_error(cnErrorCode code, const char* argument, const char* partOfMessage) {
    assert_string_equal(cnGetLastError()->call, CALL);
    assert_last_error(code, argument, partOfMessage);
}
