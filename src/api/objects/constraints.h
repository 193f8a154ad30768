// What the public functions of constraints share.
#pragma once

#include "api/handles.h"
#include "dynamics/joint.h"

// World and row of a call, or leave with the error.
#define CN_FIND_CONSTRAINT(call)                                                                             \
    cnWorld* world = cnFindWorld(worldId, call);                                                             \
    int row = cnFindConstraint(world, constraint, call, "constraint");                                       \
    if (row < 0) {                                                                                           \
        return cnGetLastError()->code;                                                                       \
    }

#define CN_FIND_CONSTRAINT_OR(call, otherwise)                                                               \
    const cnWorld* world = cnFindWorld(worldId, call);                                                       \
    int row = cnFindConstraint(world, constraint, call, "constraint");                                       \
    if (row < 0) {                                                                                           \
        return otherwise;                                                                                    \
    }

// Which numbers a parameter takes, of magnitude 1e30 at most. In definitions 0 stands for the default of
// what is positive.
typedef enum cnNumberKind {
    cn_numberPositive = 0,
    cn_numberNotNegative,
    cn_numberNotZero,
} cnNumberKind;

// The parameters of constraint_types.h that are one number.
typedef struct cnNumberParameter {
    const char* argument; // "def.key"
    const char* unit;
    uint32_t part, given; // as in constraint_types.h
    uint32_t offset;      // in the definition
    cnNumberKind kind;
    bool isNeeded; // in files
} cnNumberParameter;

extern const cnNumberParameter cnNumberParameters[];
extern const int cnNumberParameterCount;

static inline const char* cnNumberParameter_GetKey(const cnNumberParameter* parameter) {
    return parameter->argument + sizeof "def." - 1;
}
