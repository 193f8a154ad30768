// Forces of the solve for users to read. Points that did not touch when the contacts were found may have come
// to bear within the step, or been struck in it: they are listed late, so that forces always make up the
// change of momentum.
#include "base/report/assert.h"
#include "world/step/contact_list.h"
#include "world/step/step.h"

// Sets the late bits of the pair's points that bear or were struck in the solve and have no row. Returns how
// many.
static int MarkLatePoints(cnPair* pair, const cnContactImpact* impact) {
    int count = 0;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        bool bears = impact == NULL ? pair->normalForce[k] != 0.0f : impact->normal[k] != 0.0;
        uint32_t bit = (uint32_t)cn_pairPointLate << k;
        if (bears && !cnPair_IsPointListed(pair, k) && (pair->flags & bit) == 0) {
            pair->flags |= bit;
            count += 1;
        }
    }
    return count;
}

static int FindLatePoints(cnWorld* world) {
    cnPairTable* pairs = &world->pairs;
    cnPairTable_ListNear(pairs, false);
    int count = 0;
    for (int i = 0; i < pairs->near.count; ++i) {
        cnPair* pair = &pairs->pairs.data[pairs->near.data[i]];
        if (!cnPair_IsUnsolved(pair)) {
            count += MarkLatePoints(pair, NULL);
        }
    }
    for (int i = 0; i < pairs->impacts.count; ++i) {
        const cnContactImpact* impact = &pairs->impacts.data[i];
        count += MarkLatePoints(&pairs->pairs.data[impact->pair], impact);
    }
    return count;
}

static int CountBits(uint32_t bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count += 1;
    }
    return count;
}

// Where the body's centre of mass was when its contacts were found.
static cnVec3 FindPreviousCentre(const cnBodyTable* bodies, int row) {
    cnVec3 away = cnRotate(bodies->previousRotation[row], bodies->localCentreOfMass[row]);
    return cnAdd(bodies->previousPosition[row], away);
}

static void CopyPoint(cnContactPointTable* points, int to, int from, int row) {
    points->contact[to] = row;
    points->feature[to] = points->feature[from];
    points->position[to] = points->position[from];
    points->normal[to] = points->normal[from];
    points->depth[to] = points->depth[from];
    points->normalForce[to] = points->normalForce[from];
    points->tangentialForce[to] = points->tangentialForce[from];
}

// Puts late points among those of a row that lie from `from` on, at `to` and behind: last first, since points
// move back in one table.
static void SpreadPoints(cnWorld* world, cnPair* pair, int row, int from, int to) {
    int listed = world->contacts.pointCount[row], count = listed;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        count += (pair->flags & ((uint32_t)cn_pairPointLate << k)) != 0 ? 1 : 0;
    }
    world->contacts.firstPoint[row] = to;
    world->contacts.pointCount[row] = count;
    for (int k = pair->manifold.pointCount - 1; k >= 0; --k) {
        if (cnPair_IsPointListed(pair, k)) {
            CopyPoint(&world->contactPoints, to + --count, from + --listed, row);
        } else if ((pair->flags & ((uint32_t)cn_pairPointLate << k)) != 0) {
            int body = pair->body1 >= 0 ? pair->body1 : pair->body2;
            cnSetContactPoint(world, to + --count, row, pair, k, FindPreviousCentre(&world->bodies, body));
        }
    }
    CN_ASSERT(count == 0 && listed == 0);
    uint32_t late = pair->flags & CN_PAIR_POINTS_LATE;
    pair->flags = (pair->flags & ~CN_PAIR_POINTS_LATE) | late / cn_pairPointLate * cn_pairPointListed;
}

// Rows for what came to bear in the solve, behind the others, of state contact: the impact is that of the
// step in which they touch.
static void AddLateRows(cnWorld* world) {
    const cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < pairs->near.count; ++i) {
        const cnPair* pair = &pairs->pairs.data[pairs->near.data[i]];
        if ((pair->flags & CN_PAIR_POINTS_LATE) != 0 && cnContactStateOf(pairs, pair) == cn_contactNone) {
            cnAddContactRow(world, pairs->near.data[i], cn_contactContact);
        }
    }
}

// Points that did not touch when the contacts were found, and bear now.
static bool ListLatePoints(cnWorld* world) {
    int late = FindLatePoints(world);
    if (late == 0) {
        return true;
    }
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    int lateRows = 0;
    for (int i = 0; i < world->pairs.near.count; ++i) {
        const cnPair* pair = &world->pairs.pairs.data[world->pairs.near.data[i]];
        lateRows += (pair->flags & CN_PAIR_POINTS_LATE) != 0 &&
                    cnContactStateOf(&world->pairs, pair) == cn_contactNone;
    }
    if (!cnContactTable_Reserve(contacts, &cnContactColumns, contacts->count + lateRows) ||
        !cnContactTable_Reserve(points, &cnContactPointColumns, points->count + late)) {
        return false;
    }
    AddLateRows(world);
    int end = points->count + late;
    points->count = end;
    for (int row = contacts->count - 1; row >= 0; --row) {
        int from = contacts->firstPoint[row], count = contacts->pointCount[row];
        if (contacts->pair[row] < 0) {
            contacts->firstPoint[row] = end;
            continue;
        }
        cnPair* pair = &world->pairs.pairs.data[contacts->pair[row]];
        end -= count + CountBits(pair->flags & CN_PAIR_POINTS_LATE);
        SpreadPoints(world, pair, row, from, end);
    }
    CN_ASSERT(end == 0);
    return true;
}

bool cnListContactForces(cnWorld* world) {
    if (!ListLatePoints(world)) {
        return false;
    }
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
            if (cnPair_IsPointListed(pair, k)) {
                double share = sum > 0.0 ? pair->normalForce[k] / sum : 1.0 / contacts->pointCount[row];
                points->normalForce[p] = pair->normalForce[k];
                points->tangentialForce[p] = cnScale(share, friction);
                p += 1;
            }
        }
        CN_ASSERT(p == contacts->firstPoint[row] + contacts->pointCount[row]);
    }
    return true;
}

// An impact's impulses as mean forces over the step, in a row and its points.
static void AddImpact(cnWorld* world, int row, const cnPair* pair, const cnContactImpact* impact) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    double perStep = 1.0 / world->timeStep;
    int p = contacts->firstPoint[row];
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        if (!cnPair_IsPointListed(pair, k)) {
            CN_ASSERT(impact->normal[k] == 0.0);
            continue;
        }
        double pressed = perStep * impact->normal[k];
        cnVec3 normal = cnScale(pressed, contacts->normal[row]);
        cnVec3 tangential = cnScale(perStep, impact->tangential[k]);
        points->normalForce[p] += pressed;
        points->tangentialForce[p] = cnAdd(points->tangentialForce[p], tangential);
        contacts->normalForce[row] = cnAdd(contacts->normalForce[row], normal);
        contacts->tangentialForce[row] = cnAdd(contacts->tangentialForce[row], tangential);
        contacts->impactForce[row] = cnAdd(contacts->impactForce[row], cnAdd(normal, tangential));
        p += 1;
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
        if (rowOfPair[impact->pair] >= 0) {
            AddImpact(world, rowOfPair[impact->pair], &pairs->pairs.data[impact->pair], impact);
        }
    }
    cnStack_Pop(&world->stack, rowOfPair);
    return true;
}
