// Contacts as users read them: rows made from the pairs.
#include "base/report/assert.h"
#include "world/step/step.h"

// Children that touch have the state of their parent; the parent itself has a row, without points, only
// when all have ended.
static cnContactState StateOf(const cnPairTable* pairs, const cnPair* pair) {
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

bool cnListContacts(cnWorld* world) {
    cnPairTable_ListNear(&world->pairs, false); // listeners may have removed some
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    const int* near = world->pairs.near.data;
    int nearCount = world->pairs.near.count, contactCount = 0, pointCount = 0;
    for (int i = 0; i < nearCount; ++i) {
        const cnPair* pair = &world->pairs.pairs.data[near[i]];
        contactCount += StateOf(&world->pairs, pair) != cn_contactNone;
        pointCount += pair->manifold.pointCount;
    }
    contactCount += world->endedContacts.list.count;
    contacts->count = points->count = 0;
    if (!cnContactTable_Reserve(contacts, &cnContactColumns, contactCount) ||
        !cnContactTable_Reserve(points, &cnContactPointColumns, pointCount)) {
        return false;
    }
    world->maxPenetration = 0.0;
    for (int i = 0; i < nearCount; ++i) {
        const cnPair* pair = &world->pairs.pairs.data[near[i]];
        cnContactState state = StateOf(&world->pairs, pair);
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
        contacts->pair[row] = near[i];
        contacts->flags[row] = ((pair->flags & cn_pairSensor) != 0 ? cn_contactSensor : 0u) |
                               ((pair->flags & cn_pairRemoved) != 0 ? cn_contactRemoved : 0u);
        contacts->firstPoint[row] = points->count;
        contacts->normal[row] = normal;
        contacts->depth[row] = 0.0;
        contacts->normalForce[row] = contacts->tangentialForce[row] = cnVec3_zero;
        contacts->impactForce[row] = cnVec3_zero;
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            const cnManifoldPoint* point = &pair->manifold.points[k];
            if (point->depth < 0.0f) {
                continue;
            }
            int p = points->count++;
            points->contact[p] = row;
            points->feature[p] = point->feature;
            // the arm from the body that moves: a recycled manifold travels with it
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

void cnListContactForces(cnWorld* world) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    for (int row = 0; row < contacts->count; ++row) {
        if (contacts->pair[row] < 0) {
            continue;
        }
        const cnPair* pair = &world->pairs.pairs.data[contacts->pair[row]];
        if (pair->manifold.pointCount == 0 || cnPair_IsUnsolved(pair)) {
            continue;
        }
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

// An impact's impulses as mean forces over the step, in a row and its points.
static void AddImpact(cnWorld* world, int row, const cnContactImpact* impact) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    CN_ASSERT(impact->pointCount <= contacts->pointCount[row]);
    double perStep = 1.0 / world->timeStep;
    for (int k = 0; k < impact->pointCount; ++k) {
        int p = contacts->firstPoint[row] + k;
        double pressed = perStep * impact->normal[k];
        cnVec3 normal = cnScale(pressed, contacts->normal[row]);
        cnVec3 tangential = cnScale(perStep, impact->tangential[k]);
        points->normalForce[p] += pressed;
        points->tangentialForce[p] = cnAdd(points->tangentialForce[p], tangential);
        contacts->normalForce[row] = cnAdd(contacts->normalForce[row], normal);
        contacts->tangentialForce[row] = cnAdd(contacts->tangentialForce[row], tangential);
        contacts->impactForce[row] = cnAdd(contacts->impactForce[row], cnAdd(normal, tangential));
    }
}

bool cnListImpactForces(cnWorld* world) {
    const cnPairTable* pairs = &world->pairs;
    if (pairs->impacts.count == 0) {
        return true;
    }
    int* rowOfPair = CN_PUSH(&world->stack, int, pairs->pairs.count + 1, "contact rows of pairs");
    if (rowOfPair == NULL) {
        return false;
    }
    for (int i = 0; i < pairs->pairs.count; ++i) {
        rowOfPair[i] = -1;
    }
    for (int row = 0; row < world->contacts.count; ++row) {
        if (world->contacts.pair[row] >= 0) {
            rowOfPair[world->contacts.pair[row]] = row;
        }
    }
    for (int i = 0; i < pairs->impacts.count; ++i) {
        const cnContactImpact* impact = &pairs->impacts.data[i];
        if (impact->pointCount > 0 && rowOfPair[impact->pair] >= 0) {
            AddImpact(world, rowOfPair[impact->pair], impact);
        }
    }
    cnStack_Pop(&world->stack, rowOfPair);
    return true;
}
