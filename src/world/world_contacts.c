// Contacts as users read them: rows made from the pairs, forces summed over them.
#include "world/checks.h"
#include "world/world.h"

// Children that touch have the state of their parent; the parent itself has a row, without points, only when all have ended.
static cnContactState cnStateOf(const cnPairTable* pairs, const cnPair* pair) {
    bool touching = (pair->flags & cn_pairTouching) != 0;
    if (pair->part != 0 && !touching) {
        return cn_contactNone;
    }
    const cnPair* whole =
        pair->part == 0 ? pair : &pairs->pairs.data[cnPairTable_Find(pairs, pair->proxy1, pair->proxy2, 0)];
    bool before = (whole->flags & cn_pairWasTouching) != 0;
    if (touching) {
        return pair->concave >= 0 ? cn_contactNone : before ? cn_contactContact : cn_contactImpact;
    }
    return before ? cn_contactSeparation : cn_contactNone;
}

bool cnListContacts(cnWorld* world) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    int contactCount = 0, pointCount = 0;
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        const cnPair* pair = &world->pairs.pairs.data[i];
        contactCount += cnStateOf(&world->pairs, pair) != cn_contactNone;
        pointCount += pair->manifold.pointCount;
    }
    if (!cnContactTable_Reserve(contacts, contactCount) || !cnContactPointTable_Reserve(points, pointCount)) {
        return false;
    }
    contacts->count = points->count = 0;
    world->maxPenetration = 0.0;
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        const cnPair* pair = &world->pairs.pairs.data[i];
        cnContactState state = cnStateOf(&world->pairs, pair);
        if (state == cn_contactNone) {
            continue;
        }
        int row = contacts->count++;
        cnVec3 normal = cnToD(pair->manifold.normal);
        contacts->body1[row] = pair->body1;
        contacts->body2[row] = pair->body2;
        contacts->geometry1[row] = pair->geometry1;
        contacts->geometry2[row] = pair->geometry2;
        contacts->shape1[row] = world->proxies.shapeIndex[pair->proxy1];
        contacts->shape2[row] = world->proxies.shapeIndex[pair->proxy2];
        contacts->state[row] = state;
        contacts->pair[row] = i;
        contacts->firstPoint[row] = points->count;
        contacts->normal[row] = normal;
        contacts->depth[row] = 0.0;
        contacts->normalForce[row] = contacts->tangentialForce[row] = cnVec3_zero;
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            const cnManifoldPoint* point = &pair->manifold.points[k];
            if (point->depth < 0.0f) {
                continue;
            }
            int p = points->count++;
            points->contact[p] = row;
            points->feature[p] = point->feature;
            // the arm from the body that moves: a kept manifold travels with it
            bool first = pair->body1 >= 0;
            int body = first ? pair->body1 : pair->body2;
            points->position[p] =
                cnAdd(world->bodies.centreOfMass[body], cnToD(first ? pair->arm1[k] : pair->arm2[k]));
            points->normal[p] = normal;
            points->depth[p] = point->depth;
            points->normalForce[p] = 0.0;
            points->tangentialForce[p] = cnVec3_zero;
            contacts->depth[row] = cnMax(contacts->depth[row], point->depth);
        }
        contacts->pointCount[row] = points->count - contacts->firstPoint[row];
        world->maxPenetration = cnMax(world->maxPenetration, contacts->depth[row]);
    }
    return true;
}

void cnListContactForces(cnWorld* world) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    for (int row = 0; row < contacts->count; ++row) {
        const cnPair* pair = &world->pairs.pairs.data[contacts->pair[row]];
        double sum = 0.0;
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            sum += pair->normalForce[k];
        }
        cnVec3 friction = cnToD(pair->frictionForce);
        contacts->normalForce[row] = cnScale(sum, contacts->normal[row]);
        contacts->tangentialForce[row] = friction;
        int p = contacts->firstPoint[row];
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            if (pair->manifold.points[k].depth >= 0.0f) {
                double share = sum > 0.0 ? pair->normalForce[k] / sum : 0.0;
                points->normalForce[p] = pair->normalForce[k];
                points->tangentialForce[p] = cnScale(share, friction);
                p += 1;
            }
        }
    }
}

// ---- sums -----------------------------------------------------------------------------------------------------------

// One side of a sum: a row of bodies or of geometries, −1 for everything.
typedef struct cnSide {
    const int32_t* rows1; // column of body1 or geometry1
    const int32_t* rows2;
    int row;
} cnSide;

// The stronger of two states: impact, contact, separation, none.
static cnContactState cnStrongerState(cnContactState a, cnContactState b) {
    static const int strength[] = {0, 3, 2, 1};
    return strength[a] >= strength[b] ? a : b;
}

static cnContactForces cnSumForces(const cnWorld* world, cnSide a, cnSide b) {
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
        sum.points += contacts->pointCount[row];
        sum.depth = cnMax(sum.depth, contacts->depth[row]);
        sum.state = cnStrongerState(sum.state, (cnContactState)contacts->state[row]);
    }
    sum.total = cnAdd(sum.normal, sum.tangential);
    return sum;
}

static cnSide cnBodySide(const cnWorld* world, int row) {
    return (cnSide){world->contacts.body1, world->contacts.body2, row};
}

static cnSide cnGeometrySide(const cnWorld* world, int row) {
    return (cnSide){world->contacts.geometry1, world->contacts.geometry2, row};
}

cnContactForces cnBody_GetContactForces(cnWorldId worldId, cnBodyId body1, cnBodyId body2) {
    const char* call = "cnBody_GetContactForces";
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
    return cnSumForces(world, cnBodySide(world, row1), cnBodySide(world, row2));
}

cnContactForces cnGeometry_GetContactForces(cnWorldId worldId, cnGeometryId geometry1,
                                            cnGeometryId geometry2) {
    const char* call = "cnGeometry_GetContactForces";
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
    return cnSumForces(world, cnGeometrySide(world, row1), cnGeometrySide(world, row2));
}

cnContactForces cnBody_GetContactForcesWithGeometry(cnWorldId worldId, cnBodyId body, cnGeometryId geometry) {
    const char* call = "cnBody_GetContactForcesWithGeometry";
    const cnWorld* world = cnFindWorld(worldId, call);
    int bodyRow = world != NULL ? cnFindBody(world, body, call, "body") : -1;
    int geometryRow = bodyRow >= 0 ? cnFindGeometry(world, geometry, call, "geometry") : -1;
    if (geometryRow < 0) {
        return (cnContactForces){0};
    }
    return cnSumForces(world, cnBodySide(world, bodyRow), cnGeometrySide(world, geometryRow));
}
