// Contacts as users read them: rows made from the pairs, forces summed over them.
#include "api/checks.h"
#include "api/handles.h"
#include "world/contact_list.h"
#include "world/world.h"

// ---- sums -------------------------------------------------------------------------------------------------

// One side of a sum.
typedef struct Side {
    bool isGeometry; // or a body
    int row;         // −1 for a handle that had its error, or `everything`
} Side;

enum {
    everything = -2
};

// The stronger of two states: impact, contact, separation, none.
static cnContactState StrongerState(cnContactState a, cnContactState b) {
    static const int strength[] = {0, 3, 2, 1};
    return strength[a] >= strength[b] ? a : b;
}

static cnContactForces SumForces(cnWorld* world, Side a, Side b, const char* call) {
    cnContactForces sum = {0};
    if (a.row == -1 || b.row == -1) {
        return sum;
    }
    if (cnTryListContacts(world, call) != CN_ERROR_NONE) {
        return sum;
    }
    const cnContactTable* contacts = &world->contacts;
    const int32_t* a1 = a.isGeometry ? contacts->geometry1 : contacts->body1;
    const int32_t* a2 = a.isGeometry ? contacts->geometry2 : contacts->body2;
    const int32_t* b1 = b.isGeometry ? contacts->geometry1 : contacts->body1;
    const int32_t* b2 = b.isGeometry ? contacts->geometry2 : contacts->body2;
    for (int row = 0; row < contacts->count; ++row) {
        bool forwards = a1[row] == a.row && (b.row == everything || b2[row] == b.row);
        bool backwards = a2[row] == a.row && (b.row == everything || b1[row] == b.row);
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

cnContactForces cnBody_GetContactForces(cnWorldId worldId, cnBodyId body1, cnBodyId body2) {
    cnWorld* world = cnFindWorld(worldId, __func__);
    int row1 = cnFindBody(world, body1, __func__, "body1"), row2 = everything;
    if (row1 >= 0 && !CN_IS_NULL(body2)) {
        row2 = cnFindBody(world, body2, __func__, "body2");
    }
    return SumForces(world, (Side){.row = row1}, (Side){.row = row2}, __func__);
}

cnContactForces cnGeometry_GetContactForces(cnWorldId worldId, cnGeometryId geometry1,
                                            cnGeometryId geometry2) {
    cnWorld* world = cnFindWorld(worldId, __func__);
    int row1 = cnFindGeometry(world, geometry1, __func__, "geometry1"), row2 = everything;
    if (row1 >= 0 && !CN_IS_NULL(geometry2)) {
        row2 = cnFindGeometry(world, geometry2, __func__, "geometry2");
    }
    return SumForces(world, (Side){true, row1}, (Side){true, row2}, __func__);
}

cnContactForces cnBody_GetContactForcesWithGeometry(cnWorldId worldId, cnBodyId body, cnGeometryId geometry) {
    cnWorld* world = cnFindWorld(worldId, __func__);
    int bodyRow = cnFindBody(world, body, __func__, "body");
    int geometryRow = bodyRow >= 0 ? cnFindGeometry(world, geometry, __func__, "geometry") : -1;
    return SumForces(world, (Side){.row = bodyRow}, (Side){true, geometryRow}, __func__);
}
