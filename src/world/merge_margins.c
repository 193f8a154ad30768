// How much the parts of a merged body may bear beside what they bore as they merged.
//
// With a the acceleration of the whole and g gravity, s = a − g is what a part of mass m presses on its
// support with per kilogram, and up = s/|s|. The load that goes through a part is its own weight m|s| and
// what rests on it, which goes down in the shares of the forces along up; with it goes the moment of heights
// that says how high the load's centre is above the support. Then, where s changes by Δ,
//   contacts' forces F change by about |F|/|s| Δ: a part slides once that is more than its contacts hold
//     together, each as far as the surface of its cone is from F (merge_links.h, `hold`);
//   the point where the load meets the support, its foot, moves by H |Δ|/|s|, with H the height of the load's
//     centre above it: a part tips once that leaves its support, of which two extents across up are known.
//     Where a part is wedged in, contacts beside those hold moments by couples: the sum of what each holds
//     times its arm, less the largest, which has no other one against it.
// Half of the least of both, over all parts, is the margin.
//
// Of a part of its own: half of its load may be lifted, half of its grip may push it across, and three
// quarters of the way to the rim of its support its foot may move, or half of what couples of its grip hold
// may turn it. What presses on it lets it bear more: friction as much across, and its foot moves less. Its
// grip is what contacts under it hold, and those above as far as what is above stands on something else, too:
// what stands on it alone moves along.
// What comes from outside goes down as loads do (merge_supports.c), so parts are listed highest first from
// then on, and know what bears them.
#include "base/containers/sort.h"
#include "world/merge_links.h"
#include "world/merge_supports.h"

#include "dynamics/gravity.h"

#include <math.h>
#include <string.h>

// m/s², N, N m: of what cannot slide or tip.
#define CN_MOST_MARGIN 1e30
// m/s²: below it nothing bears anything.
#define CN_LEAST_SPECIFIC_FORCE 1e-3

typedef struct PartLoad {
    int body;
    double height;      // m, of its centre of mass along up
    double load;        // N
    double moment;      // N m, of heights
    double borne;       // N along up, by what is under it
    double pressed;     // N, sum of its contacts' forces
    double hold;        // N, of its contacts
    double couple;      // N m, of these by their arms
    double largest;     // N m, the largest of them
    double grip;        // N, of its contacts as far as what they are with does not move along
    double turn;        // N m, of these by their arms
    double largestTurn; // N m, the largest of them
    double friction;    // the largest coefficient under it
    double weight;      // N, of the points under it
    cnVec3 first;       // N m, Σ w x from its centre of mass
    double extents[4];  // m, of these points from it: least and most along two axes
    bool isLocked;      // by a constraint that leaves nothing free
} PartLoad;

typedef struct MarginSearch {
    cnWorld* world;
    PartLoad* parts; // highest first, merged body by merged body
    int partCount;
    int* placeOf; // by row of bodies
    cnMergeLink* links;
    int linkCount;
    int* firstLink; // by part: links that have something under it, by what is above
    int* linksOf;
} MarginSearch;

static bool IsFresh(const cnWorld* world, int merged) {
    uint32_t fresh = cn_mergedLive | cn_mergedFresh;
    return (world->mergedBodies.flags[merged] & fresh) == fresh;
}

// ---- what they bear now -----------------------------------------------------------------------------------

// The acceleration of the whole, and with it s; kept where parts were merged before, whose forces are of
// then.
static void FindSpecificForce(cnWorld* world, int merged) {
    cnMergedBodyTable* table = &world->mergedBodies;
    const cnBodyTable* bodies = &world->bodies;
    if (table->margin[merged] > 0.0) {
        return;
    }
    cnVec3 push = cnVec3_zero, weight = cnVec3_zero, spin = cnVec3_zero, spinRate = cnVec3_zero;
    double mass = 0.0;
    int leader = -1;
    for (int part = table->firstPart[merged]; part >= 0; part = bodies->nextPart[part]) {
        double m = bodies->mass[part];
        mass += m;
        push = cnMulAdd(push, m, bodies->acceleration[part]);
        weight = cnMulAdd(weight, m, cnGravityOn(&world->gravity, bodies, part));
        spin = cnMulAdd(spin, m, bodies->angularVelocity[part]);
        spinRate = cnMulAdd(spinRate, m, bodies->angularAcceleration[part]);
        leader = (bodies->flags[part] & cn_bodyKinematic) != 0 ? part : leader;
    }
    bool isGrounded = (table->flags[merged] & cn_mergedGrounded) != 0;
    cnVec3 acceleration = leader >= 0 ? bodies->acceleration[leader] : cnScale(1.0 / mass, push);
    acceleration = isGrounded ? cnVec3_zero : acceleration;
    spin = leader >= 0 ? bodies->angularVelocity[leader] : cnScale(1.0 / mass, spin);
    spinRate = leader >= 0 ? bodies->angularAcceleration[leader] : cnScale(1.0 / mass, spinRate);
    int carrier = table->carrier[merged];
    cnQuat axes = carrier >= 0 ? bodies->rotation[carrier] : cnQuat_identity;
    table->specificForce[merged] = cnInvRotate(axes, cnMulAdd(acceleration, -1.0 / mass, weight));
    table->spin[merged] = cnInvRotate(axes, spin);
    table->spinRate[merged] = cnInvRotate(axes, spinRate);
}

static cnVec3 UpOf(const cnWorld* world, int body) {
    cnVec3 s = cnSpecificForceOf(world, world->bodies.mergedBody[body]);
    double size = cnLength(s);
    return size > CN_LEAST_SPECIFIC_FORCE ? cnScale(1.0 / size, s) : cnVec3_zero;
}

// Highest first, ties by body.
static void SortParts(PartLoad* parts, int count) {
    CN_SHELL_SORT(PartLoad, parts, count, a, b,
                  a.height > b.height || (a.height == b.height && a.body < b.body));
}

static void ListHighestFirst(cnWorld* world, int merged, const PartLoad* parts) {
    int32_t* link = &world->mergedBodies.firstPart[merged];
    for (int i = 0; i < world->mergedBodies.partCount[merged]; ++i) {
        *link = parts[i].body;
        link = &world->bodies.nextPart[parts[i].body];
    }
    *link = -1;
}

static void ListParts(MarginSearch* search) {
    cnWorld* world = search->world;
    const cnBodyTable* bodies = &world->bodies;
    for (int merged = 0; merged < world->mergedBodies.ids.rowCount; ++merged) {
        if (!IsFresh(world, merged)) {
            continue;
        }
        FindSpecificForce(world, merged);
        int begin = search->partCount;
        for (int part = world->mergedBodies.firstPart[merged]; part >= 0; part = bodies->nextPart[part]) {
            double height = cnDot(bodies->centreOfMass[part], UpOf(world, part));
            double load = bodies->mass[part] * cnLength(world->mergedBodies.specificForce[merged]);
            search->parts[search->partCount++] =
                (PartLoad){.body = part, .height = height, .load = load, .moment = load * height};
        }
        SortParts(&search->parts[begin], search->partCount - begin);
        ListHighestFirst(world, merged, &search->parts[begin]);
    }
    for (int i = 0; i < search->partCount; ++i) {
        search->placeOf[search->parts[i].body] = i;
    }
}

// Along up, on body 1.
static double LiftOf(const MarginSearch* search, const cnMergeLink* link) {
    return cnDot(link->force, UpOf(search->world, link->body1));
}

// The part that a link bears.
static int UpperOf(const MarginSearch* search, const cnMergeLink* link) {
    return LiftOf(search, link) >= 0.0 || link->body2 < 0 ? link->body1 : link->body2;
}

static int LowerOf(const MarginSearch* search, const cnMergeLink* link) {
    return UpperOf(search, link) == link->body1 ? link->body2 : link->body1;
}

static void SortLinks(MarginSearch* search) {
    for (int i = 0; i <= search->partCount; ++i) {
        search->firstLink[i] = 0;
    }
    for (int i = 0; i < search->linkCount; ++i) {
        search->firstLink[search->placeOf[UpperOf(search, &search->links[i])] + 1] += 1;
    }
    for (int i = 0; i < search->partCount; ++i) {
        search->firstLink[i + 1] += search->firstLink[i];
    }
    for (int i = search->linkCount - 1; i >= 0; --i) { // from behind, each part's range fills from its end
        int place = search->placeOf[UpperOf(search, &search->links[i])];
        search->linksOf[--search->firstLink[place + 1]] = i;
    }
    // every first is now the one of the part before: its end is the next one's begin
    for (int i = 0; i < search->partCount; ++i) {
        search->firstLink[i] = search->firstLink[i + 1];
    }
    search->firstLink[search->partCount] = search->linkCount;
}

// ---- what they may bear -----------------------------------------------------------------------------------

static void AddPoint(PartLoad* part, cnVec3 x, double weight, cnVec3 axis1, cnVec3 axis2) {
    double a = cnDot(x, axis1), b = cnDot(x, axis2);
    double* extents = part->extents;
    part->weight += weight;
    part->first = cnMulAdd(part->first, weight, x);
    extents[0] = cnMin(extents[0], a);
    extents[1] = cnMax(extents[1], a);
    extents[2] = cnMin(extents[2], b);
    extents[3] = cnMax(extents[3], b);
}

// A link's share of the grip of one of its parts.
static void AddGrip(const MarginSearch* search, PartLoad* part, const cnMergeLink* link, double share) {
    double arm = cnLength(cnSub(link->point, search->world->bodies.centreOfMass[part->body]));
    double hold = share * cnMin(link->hold, CN_MOST_MARGIN);
    part->grip += hold;
    part->turn += hold * arm;
    part->largestTurn = cnMax(part->largestTurn, hold * arm);
}

static void AddSupport(const MarginSearch* search, PartLoad* part, const cnMergeLink* link, cnSupports* under,
                       cnVec3 axis1, cnVec3 axis2) {
    const cnWorld* world = search->world;
    cnVec3 centre = world->bodies.centreOfMass[part->body];
    cnSupport* support = cnSupports_Get(under, LowerOf(search, link), fabs(LiftOf(search, link)));
    if (link->pair < 0) {
        cnVec3 x = cnSub(link->point, centre);
        AddPoint(part, x, fabs(LiftOf(search, link)), axis1, axis2);
        cnSupport_Add(support, x, fabs(LiftOf(search, link)));
        return;
    }
    const cnPair* pair = cnPairTable_Get(&world->pairs, link->pair);
    cnTurnedPair turned = cnTurnPair(world, pair);
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        cnVec3 x = cnSub(cnTurnedPair_GetPoint(&turned, k), centre);
        AddPoint(part, x, pair->normalForce[k], axis1, axis2);
        cnSupport_Add(support, x, pair->normalForce[k]);
    }
}

// Sends what a part bears down.
static void SendLoad(MarginSearch* search, PartLoad* part, cnVec3 axis1, cnVec3 axis2) {
    cnBodyTable* bodies = &search->world->bodies;
    cnSupports supports = {.count = 0};
    int place = (int)(part - search->parts);
    for (int i = search->firstLink[place]; i < search->firstLink[place + 1]; ++i) {
        part->borne += fabs(LiftOf(search, &search->links[search->linksOf[i]]));
    }
    for (int i = search->firstLink[place]; i < search->firstLink[place + 1]; ++i) {
        const cnMergeLink* link = &search->links[search->linksOf[i]];
        int lower = LowerOf(search, link);
        double share = part->borne > 0.0 ? fabs(LiftOf(search, link)) / part->borne : 0.0;
        if (lower >= 0) {
            PartLoad* under = &search->parts[search->placeOf[lower]];
            under->load += share * part->load;
            under->moment += share * part->moment;
            AddGrip(search, under, link, 1.0 - share);
        }
        AddGrip(search, part, link, 1.0);
        part->friction = cnMax(part->friction, link->friction);
        AddSupport(search, part, link, &supports, axis1, axis2);
    }
    cnSupports_Store(&supports, bodies, part->body);
}

// From its foot, 0 where it is beyond.
static void MoveExtents(PartLoad* part, cnVec3 foot, cnVec3 axis1, cnVec3 axis2) {
    const double at[2] = {cnDot(foot, axis1), cnDot(foot, axis2)};
    for (int i = 0; i < 2; ++i) {
        part->extents[2 * i] = cnMin(0.0, part->extents[2 * i] - at[i]);
        part->extents[2 * i + 1] = cnMax(0.0, part->extents[2 * i + 1] - at[i]);
    }
}

// The specific force by which that of the whole may change until the part slides or tips.
static double MarginOf(const PartLoad* part, double size, cnVec3 foot, cnVec3 up) {
    if (part->isLocked) {
        return CN_MOST_MARGIN;
    }
    double reach = INFINITY;
    for (int i = 0; i < 4; ++i) {
        reach = cnMin(reach, fabs(part->extents[i]));
    }
    double margin = part->pressed > 0.0 ? size * part->hold / part->pressed : 0.0;
    double torque = cnMax(part->load * reach, part->couple - part->largest);
    double high = part->load > 0.0 ? part->moment / part->load - part->height - cnDot(foot, up) : 0.0;
    return high > 0.0 ? cnMin(margin, size * torque / (high * part->load)) : margin;
}

static void MeasurePart(MarginSearch* search, PartLoad* part) {
    cnWorld* world = search->world;
    cnBodyTable* bodies = &world->bodies;
    cnPartHold* hold = &bodies->hold[part->body];
    bodies->supports[part->body] = (cnPartSupports){{-1, -1, -1, -1}};
    memset(hold->shares, 0, sizeof hold->shares);
    int place = (int)(part - search->parts), merged = bodies->mergedBody[part->body];
    if (search->firstLink[place] == search->firstLink[place + 1]) {
        // what leads, a ship under its cranes: it goes where it goes, and the margins of others say if they
        // can
        hold->load = hold->across = hold->torque = (float)CN_MOST_MARGIN;
        hold->friction = 0.0f;
        return;
    }
    double size = cnLength(world->mergedBodies.specificForce[merged]);
    cnVec3 up = UpOf(world, part->body), axis1 = cnNormalize(cnCross(up, cnMinAxis(up)));
    cnVec3 axis2 = cnCross(up, axis1);
    part->extents[0] = part->extents[2] = INFINITY;
    part->extents[1] = part->extents[3] = -INFINITY;
    SendLoad(search, part, axis1, axis2);
    cnVec3 foot = part->weight > 0.0 ? cnScale(1.0 / part->weight, part->first) : cnVec3_zero;
    MoveExtents(part, foot, axis1, axis2);
    double margin = MarginOf(part, size, foot, up);
    double* whole = &world->mergedBodies.margin[merged];
    *whole = cnMin(*whole, CN_MARGIN_SHARE * margin);

    cnMat33 inertia = bodies->inertia[part->body];
    double mass = bodies->mass[part->body], least = CN_LEAST_MARGIN * mass;
    double radius = sqrt((inertia.x.x + inertia.y.y + inertia.z.z) / (2.0 * mass));
    double across = part->isLocked ? CN_MOST_MARGIN : CN_MARGIN_SHARE * part->grip;
    double torque = part->isLocked ? CN_MOST_MARGIN : CN_MARGIN_SHARE * (part->turn - part->largestTurn);
    cnQuat axes = bodies->rotation[part->body];
    cnToFloats(cnInvRotate(axes, foot), hold->foot);
    cnToFloats(cnInvRotate(axes, axis1), hold->axis);
    for (int i = 0; i < 4; ++i) {
        hold->extents[i] = (float)part->extents[i];
    }
    hold->load = part->isLocked ? (float)CN_MOST_MARGIN : (float)cnMax(part->borne, least);
    hold->across = (float)cnMax(least, across);
    hold->torque = (float)cnMax(least * radius, torque);
    hold->friction = (float)part->friction;
}

// What a link holds, of both parts.
static void AddHold(MarginSearch* search, const cnMergeLink* link) {
    const int bodies[2] = {link->body1, link->body2};
    for (int i = 0; i < 2 && bodies[i] >= 0; ++i) {
        PartLoad* part = &search->parts[search->placeOf[bodies[i]]];
        double arm = cnLength(cnSub(link->point, search->world->bodies.centreOfMass[bodies[i]]));
        double hold = cnMin(link->hold, CN_MOST_MARGIN);
        part->isLocked |= link->constraint >= 0 && hold > 0.0;
        part->hold += hold;
        part->pressed += cnLength(link->force);
        part->couple += hold * arm;
        part->largest = cnMax(part->largest, hold * arm);
    }
}

static void StoreLoad(cnWorld* world, int body, const cnOutsideLoad* load) {
    cnPartHold* hold = &world->bodies.hold[body];
    cnQuat axes = world->bodies.rotation[body];
    bool isAny = !cnIsZeroVec(load->force) || !cnIsZeroVec(load->torque);
    world->mergedBodies.flags[world->bodies.mergedBody[body]] |= isAny ? (uint32_t)cn_mergedHolding : 0u;
    cnToFloats(cnInvRotate(axes, load->force), hold->heldForce);
    cnToFloats(cnInvRotate(axes, load->torque), hold->heldTorque);
}

bool cnMeasureMargins(cnWorld* world) {
    cnMergedBodyTable* table = &world->mergedBodies;
    int rows = world->bodies.ids.rowCount, entries = world->stack.entryCount;
    MarginSearch search = {
        .world = world,
        .parts = CN_PUSH(&world->stack, PartLoad, rows + 1, "loads of parts"),
        .placeOf = CN_PUSH(&world->stack, int, rows + 1, "places of parts"),
        .firstLink = CN_PUSH(&world->stack, int, rows + 2, "links by part"),
    };
    search.links = cnListMergeLinks(world, cn_mergedFresh, &search.linkCount);
    search.linksOf = CN_PUSH(&world->stack, int, search.linkCount + 1, "links in order");
    const cnOutsideLoad* loads = cnSumOutsideLoads(world);
    bool ok = search.parts != NULL && search.placeOf != NULL && search.firstLink != NULL &&
              search.links != NULL && search.linksOf != NULL && loads != NULL;
    if (ok) {
        ListParts(&search);
        SortLinks(&search);
        for (int merged = 0; merged < table->ids.rowCount; ++merged) {
            table->margin[merged] = IsFresh(world, merged) ? CN_MOST_MARGIN : table->margin[merged];
            table->flags[merged] &= IsFresh(world, merged) ? ~(uint32_t)cn_mergedHolding : ~0u;
        }
        for (int i = 0; i < search.linkCount; ++i) {
            AddHold(&search, &search.links[i]);
        }
        for (int i = 0; i < search.partCount; ++i) {
            MeasurePart(&search, &search.parts[i]);
            StoreLoad(world, search.parts[i].body, &loads[search.parts[i].body]);
        }
    }
    for (int merged = 0; merged < table->ids.rowCount; ++merged) {
        if (IsFresh(world, merged)) {
            table->margin[merged] = ok ? cnMax(table->margin[merged], CN_LEAST_MARGIN) : CN_LEAST_MARGIN;
            table->flags[merged] &= ~(uint32_t)cn_mergedFresh;
        }
    }
    cnStack_PopTo(&world->stack, entries);
    return ok;
}
