#include "world/step/contact_list.h"

#include "base/report/assert.h"
#include "world/step/step.h"

cnContactState cnContactStateOf(const cnPairTable* pairs, const cnPair* pair) {
    bool touching = (pair->flags & cn_pairTouching) != 0;
    if (pair->part != 0 && !touching) {
        return cn_contactNone;
    }
    const cnPair* whole =
        pair->part == 0 ? pair : &pairs->pairs.data[cnPairTable_Find(pairs, pair->proxy1, pair->proxy2, 0)];
    bool before = (whole->flags & cn_pairWasTouching) != 0;
    if (touching) {
        bool hasChildren = pair->concave >= 0 && (pair->flags & cn_pairOverlapOnly) == 0;
        return hasChildren ? cn_contactNone : before ? cn_contactContact : cn_contactImpact;
    }
    return before ? cn_contactSeparation : cn_contactNone;
}

int cnAddContactRow(cnWorld* world, int index, cnContactState state) {
    cnContactTable* contacts = &world->contacts;
    const cnPair* pair = &world->pairs.pairs.data[index];
    CN_ASSERT(contacts->count < contacts->capacity);
    int row = contacts->count++;
    contacts->body1[row] = pair->body1;
    contacts->body2[row] = pair->body2;
    contacts->geometry1[row] = pair->geometry1;
    contacts->geometry2[row] = pair->geometry2;
    contacts->shape1[row] = world->proxies.shapeIndex[pair->proxy1];
    contacts->shape2[row] = world->proxies.shapeIndex[pair->proxy2];
    contacts->state[row] = state;
    contacts->pair[row] = index;
    contacts->flags[row] = ((pair->flags & cn_pairSensor) != 0 ? cn_contactSensor : 0u) |
                           ((pair->flags & cn_pairRemoved) != 0 ? cn_contactRemoved : 0u);
    contacts->firstPoint[row] = world->contactPoints.count;
    contacts->pointCount[row] = 0;
    contacts->normal[row] = cnToD(pair->manifold.normal);
    contacts->depth[row] = 0.0;
    contacts->normalForce[row] = contacts->tangentialForce[row] = cnVec3_zero;
    contacts->impactForce[row] = cnVec3_zero;
    return row;
}

void cnSetContactPoint(cnWorld* world, int p, int row, const cnPair* pair, int k, cnVec3 centre) {
    cnContactPointTable* points = &world->contactPoints;
    CN_ASSERT(p >= 0 && p < points->count);
    points->contact[p] = row;
    points->feature[p] = pair->manifold.points[k].feature;
    // the arm from the body that moves: a recycled manifold travels with it
    points->position[p] = cnAdd(centre, cnToD(pair->body1 >= 0 ? pair->arm1[k] : pair->arm2[k]));
    points->normal[p] = world->contacts.normal[row];
    points->depth[p] = cnMax(0.0f, pair->manifold.points[k].depth);
    points->normalForce[p] = 0.0;
    points->tangentialForce[p] = cnVec3_zero;
}

bool cnListContacts(cnWorld* world) {
    cnPairTable_ListNear(&world->pairs, false); // listeners may have removed some
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    const int* near = world->pairs.near.data;
    int nearCount = world->pairs.near.count, pointCount = 0;
    for (int i = 0; i < nearCount; ++i) {
        pointCount += world->pairs.pairs.data[near[i]].manifold.pointCount;
    }
    contacts->count = points->count = 0;
    // with room for those that come to bear in the solve
    if (!cnContactTable_Reserve(contacts, &cnContactColumns, nearCount + world->endedContacts.list.count) ||
        !cnContactTable_Reserve(points, &cnContactPointColumns, pointCount)) {
        return false;
    }
    world->maxPenetration = 0.0;
    for (int i = 0; i < nearCount; ++i) {
        cnPair* pair = &world->pairs.pairs.data[near[i]];
        pair->flags &= ~(CN_PAIR_POINTS_LISTED | CN_PAIR_POINTS_LATE);
        cnContactState state = cnContactStateOf(&world->pairs, pair);
        if (state == cn_contactNone) {
            continue;
        }
        int row = cnAddContactRow(world, near[i], state);
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            if (cnPair_TouchesAt(pair, k)) {
                int body = pair->body1 >= 0 ? pair->body1 : pair->body2;
                int p = points->count++;
                cnSetContactPoint(world, p, row, pair, k, world->bodies.centreOfMass[body]);
                contacts->depth[row] = cnMax(contacts->depth[row], points->depth[p]);
                contacts->pointCount[row] += 1;
                pair->flags |= (uint32_t)cn_pairPointListed << k;
            }
        }
        if (!cnPair_IsUnsolved(pair)) {
            world->maxPenetration = cnMax(world->maxPenetration, contacts->depth[row]);
        }
    }
    for (int i = 0; i < world->endedContacts.list.count; ++i) {
        const cnEndedContact* ended = &world->endedContacts.list.data[i];
        int row = contacts->count++;
        contacts->body1[row] = ended->body1;
        contacts->body2[row] = ended->body2;
        contacts->geometry1[row] = ended->geometry1;
        contacts->geometry2[row] = ended->geometry2;
        contacts->shape1[row] = ended->shape1;
        contacts->shape2[row] = ended->shape2;
        contacts->state[row] = cn_contactSeparation;
        contacts->flags[row] = ended->flags;
        contacts->pair[row] = -1;
        contacts->firstPoint[row] = points->count;
        contacts->pointCount[row] = 0;
        contacts->normal[row] = contacts->normalForce[row] = contacts->tangentialForce[row] = cnVec3_zero;
        contacts->impactForce[row] = cnVec3_zero;
        contacts->depth[row] = 0.0;
    }
    return true;
}
