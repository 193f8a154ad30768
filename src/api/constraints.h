// What the public functions of constraints share.
#pragma once

#include "api/handles.h"

// m/N or rad/(N m).
#define CN_DEFAULT_COMPLIANCE 1e-8

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
