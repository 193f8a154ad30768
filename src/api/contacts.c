// Contacts as users read them: rows made from the pairs, forces summed over them.
#include "api/checks.h"
#include "api/handles.h"
#include "world/world.h"

// ---- sums -------------------------------------------------------------------------------------------------

// One side of a sum: a row of bodies or of geometries, −1 for everything.
typedef struct Side {
    const int32_t* rows1; // column of body1 or geometry1
    const int32_t* rows2;
    int row;
} Side;

// The stronger of two states: impact, contact, separation, none.
static cnContactState StrongerState(cnContactState a, cnContactState b) {
    static const int strength[] = {0, 3, 2, 1};
    return strength[a] >= strength[b] ? a : b;
}

static cnContactForces SumForces(const cnWorld* world, Side a, Side b) {
    const cnContactTable* contacts = &world->contacts;
    cnContactForces sum = {0};
    for (int row = 0; row < contacts->count; ++row) {
        bool forwards = a.rows1[row] == a.row && (b.row < 0 || b.rows2[row] == b.row);
        bool backwards = a.rows2[row] == a.row && (b.row < 0 || b.rows1[row] == b.row);
        if (!forwards && !backwards) {
            continue;
        }
        double sign = forwards ? 1.0 : -1.0;
        sum.normal = cnMulAdd(sum.normal, sign, contacts->normalForce[row]);
        sum.tangential = cnMulAdd(sum.tangential, sign, contacts->tangentialForce[row]);
        sum.impact = cnMulAdd(sum.impact, sign, contacts->impactForce[row]);
        sum.points += contacts->pointCount[row];
        sum.depth = cnMax(sum.depth, contacts->depth[row]);
        sum.state = StrongerState(sum.state, (cnContactState)contacts->state[row]);
    }
    sum.total = cnAdd(sum.normal, sum.tangential);
    return sum;
}

static Side BodySide(const cnWorld* world, int row) {
    return (Side){world->contacts.body1, world->contacts.body2, row};
}

static Side GeometrySide(const cnWorld* world, int row) {
    return (Side){world->contacts.geometry1, world->contacts.geometry2, row};
}

cnContactForces cnBody_GetContactForces(cnWorldId worldId, cnBodyId body1, cnBodyId body2) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int row1 = world != NULL ? cnFindBody(world, body1, call, "body1") : -1;
    if (row1 < 0) {
        return (cnContactForces){0};
    }
    int row2 = -1;
    if (!CN_IS_NULL(body2)) {
        row2 = cnFindBody(world, body2, call, "body2");
        if (row2 < 0) {
            return (cnContactForces){0};
        }
    }
    return SumForces(world, BodySide(world, row1), BodySide(world, row2));
}

cnContactForces cnGeometry_GetContactForces(cnWorldId worldId, cnGeometryId geometry1,
                                            cnGeometryId geometry2) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int row1 = world != NULL ? cnFindGeometry(world, geometry1, call, "geometry1") : -1;
    if (row1 < 0) {
        return (cnContactForces){0};
    }
    int row2 = -1;
    if (!CN_IS_NULL(geometry2)) {
        row2 = cnFindGeometry(world, geometry2, call, "geometry2");
        if (row2 < 0) {
            return (cnContactForces){0};
        }
    }
    return SumForces(world, GeometrySide(world, row1), GeometrySide(world, row2));
}

cnContactForces cnBody_GetContactForcesWithGeometry(cnWorldId worldId, cnBodyId body, cnGeometryId geometry) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int bodyRow = world != NULL ? cnFindBody(world, body, call, "body") : -1;
    int geometryRow = bodyRow >= 0 ? cnFindGeometry(world, geometry, call, "geometry") : -1;
    if (geometryRow < 0) {
        return (cnContactForces){0};
    }
    return SumForces(world, BodySide(world, bodyRow), GeometrySide(world, geometryRow));
}
