// Members of structs by name, kind and role: what the state hash and snapshots hold is listed once,
// beside the struct.
//
// A struct is listed whole: tests/unit/fields_test.c finds members that a list forgets.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cnScalar {
    cn_f64 = 0,
    cn_f32,
    cn_u32,
    cn_i32,
    cn_u8,
    cn_record, // of the engine alone, not described to readers outside
} cnScalar;

// What a member or a column is for.
typedef enum cnRole {
    cn_state = 0, // decides the next step
    cn_input,     // set by users, decides the next step
    cn_reading,   // of the last step, to be read
    cn_derived,   // follows from the others
} cnRole;

typedef struct cnField {
    const char* name;
    cnScalar scalar;
    cnRole role;
    int lanes;     // scalars of one
    size_t offset; // bytes, in the struct
    size_t bytes;  // of one
    int count;     // 1, or that of the structs of an array
    size_t stride; // bytes, from one to the next
} cnField;

#define CN_SIZE_OF_MEMBER(type, member) sizeof(((type*)0)->member)

// Use inside an array initialiser.
#define CN_FIELD(type, member, scalar, lanes, role)                                                          \
    { #member, scalar, role, lanes, offsetof(type, member), CN_SIZE_OF_MEMBER(type, member), 1, 0 }

// A member of each struct of an array that is a member.
#define CN_FIELD_OF_EACH(type, array, member, scalar, lanes, role)                                           \
    {                                                                                                        \
#array "[]." #member, scalar, role, lanes, offsetof(type, array[0].member),                          \
            CN_SIZE_OF_MEMBER(type, array[0].member),                                                        \
            (int)(CN_SIZE_OF_MEMBER(type, array) / CN_SIZE_OF_MEMBER(type, array[0])),                       \
            CN_SIZE_OF_MEMBER(type, array[0])                                                                \
    }

typedef struct cnFieldList {
    const cnField* fields;
    int count;
} cnFieldList;

#define CN_FIELD_LIST(fields)                                                                                \
    { fields, (int)(sizeof(fields) / sizeof(fields)[0]) }

// Whether two structs have the same in all members that are listed; what lies between these does not count.
bool cnFieldList_AreSame(cnFieldList list, const void* a, const void* b);

static inline size_t cnScalar_GetBytes(cnScalar scalar) {
    static const size_t bytes[] = {
        [cn_f64] = 8, [cn_f32] = 4, [cn_u32] = 4, [cn_i32] = 4, [cn_u8] = 1, [cn_record] = 0};
    return bytes[scalar];
}
