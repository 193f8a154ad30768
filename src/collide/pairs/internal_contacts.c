#include "collide/pairs/internal_contacts.h"

#include "base/report/assert.h"

#include <string.h>

// In units of the smaller inradius: the probe δ, and how far a point of P1 may be from P2 to count as on it.
#define PROBE 0.02
#define SLOP 1e-3

// Normals that differ by less are the same: what is left then takes 1e-5 of a speed.
#define SAME_NORMAL 0.004

#define CN_PAIR_CHUNK 256
#define CN_BODY_CHUNK 64

// A shape at its place, seen from the world.
typedef struct Placed {
    const cnShape* shape;
    cnPose pose;
} Placed;

static Placed Place(const cnNarrowPhase* phase, int proxy) {
    CN_ASSERT(proxy >= 0 && proxy < phase->proxies->capacity && phase->proxies->geometry[proxy] >= 0);
    const cnProxyTable* proxies = phase->proxies;
    return (Placed){phase->shapes[proxies->shape[proxy]],
                    {proxies->position[proxy], proxies->rotation[proxy]}};
}

static bool FindClosest(const Placed* placed, cnVec3 point, double reach, cnSurfacePoint* out) {
    CN_ASSERT(reach > 0.0);
    if (!cnShape_FindClosest(placed->shape, cnInvTransformPoint(placed->pose, point), reach, out)) {
        return false;
    }
    out->normal = cnRotate(placed->pose.rotation, out->normal);
    return true;
}

static bool IsSameNormal(cnVec3 a, cnVec3 b) {
    return cnLengthSquared(cnSub(a, b)) <= SAME_NORMAL * SAME_NORMAL;
}

// Whether P1's face goes on free beside P2 in a direction along it.
static bool GoesOnFree(const Placed* p1, const Placed* p2, cnVec3 point, cnVec3 normal, cnVec3 along,
                       double probe, double slop) {
    static const double ways[2] = {2.0, 6.0}; // in probes: the second for corners sharper than a right angle
    for (int i = 0; i < 2; ++i) {
        cnVec3 outside = cnMulAdd(cnMulAdd(point, ways[i] * probe, along), probe, normal);
        cnSurfacePoint on1, on2;
        if (FindClosest(p1, outside, 2.0 * probe, &on1) && IsSameNormal(on1.normal, normal) &&
            fabs(on1.distance - probe) <= slop &&
            (!FindClosest(p2, outside, probe, &on2) || on2.distance >= probe - slop)) {
            return true;
        }
    }
    return false;
}

// Whether P2 covers a point of P1's surface against contacts along a normal.
static bool Covers(const Placed* p2, const Placed* p1, cnVec3 point, cnVec3 normal, double size) {
    double probe = PROBE * size, slop = SLOP * size;
    cnSurfacePoint at, outside;
    if (!FindClosest(p2, cnMulAdd(point, probe, normal), probe + slop, &outside) ||
        IsSameNormal(outside.normal, normal) || !FindClosest(p2, point, probe, &at) || at.distance > slop) {
        return false;
    }
    cnVec3 away = cnMulAdd(outside.normal, -cnDot(outside.normal, normal), normal);
    double length = cnLength(away);
    return length < 1e-6 || !GoesOnFree(p1, p2, point, normal, cnScale(1.0 / length, away), probe, slop);
}

static bool CanMove(const cnNarrowPhase* phase, int body) {
    return body >= 0 && (phase->bodies->flags[body] & cn_bodyLive) != 0 &&
           cnBody_IsSimulated(phase->bodies, body);
}

// The body of a pair with something fixed, −1 for other pairs, sensors' and those without points.
static int GetMovingBody(const cnNarrowPhase* phase, const cnNearPair* pair) {
    if (pair->pointCount == 0 || pair->isUnsolved) {
        return -1;
    }
    bool moves1 = CanMove(phase, pair->body1), moves2 = CanMove(phase, pair->body2);
    return moves1 == moves2 ? -1 : moves1 ? pair->body1 : pair->body2;
}

static int GetFixedProxy(const cnPair* pair, int body) {
    CN_ASSERT(pair->body1 == body || pair->body2 == body);
    return pair->body1 == body ? pair->proxy2 : pair->proxy1;
}

// Whether a body's pairs are with more than one fixed shape.
static bool HasFixedNeighbours(const cnPairTable* pairs, int body, const int* sorted, int count) {
    for (int i = 1; i < count; ++i) {
        if (GetFixedProxy(cnPairTable_Get(pairs, sorted[i]), body) !=
            GetFixedProxy(cnPairTable_Get(pairs, sorted[0]), body)) {
            return true;
        }
    }
    return false;
}

// Whether all points of a pair are covered by the fixed partners of the other pairs of its body.
static bool IsInternal(const cnNarrowPhase* phase, const cnPair* pair, int body, const int* others,
                       int otherCount) {
    CN_ASSERT(body >= 0 && pair->manifold.pointCount > 0);
    int proxy = GetFixedProxy(pair, body);
    Placed p1 = Place(phase, proxy);
    if (p1.shape->type == cn_plane) {
        return false;
    }
    bool first = pair->body1 == body;
    cnVec3 normal = cnToD(first ? pair->manifold.normal : cnNegF(pair->manifold.normal));
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        cnVec3 arm = cnToD(first ? pair->arm1[k] : pair->arm2[k]);
        cnVec3 middle = cnAdd(phase->bodies->centreOfMass[body], arm);
        cnVec3 point = cnMulAdd(middle, 0.5 * pair->manifold.depths[k], normal);
        cnSurfacePoint own;
        if (pair->manifold.depths[k] > cnPair_GetMargin(pair) ||
            !FindClosest(&p1, point, pair->inradius, &own)) {
            return false;
        }
        point = cnTransformPoint(p1.pose, own.point); // a recycled manifold has left it a little
        bool covered = false;
        int last = proxy;
        for (int i = 0; i < otherCount && !covered; ++i) {
            int other = GetFixedProxy(cnPairTable_Get(phase->pairs, others[i]), body);
            if (other != proxy && other != last) {
                Placed p2 = Place(phase, other);
                covered = Covers(&p2, &p1, point, normal, pair->inradius);
            }
            last = other;
        }
        if (!covered) {
            return false;
        }
    }
    return true;
}

// Takes all points away; the manifold is rebuilt in the next collide.
static void Drop(cnPairTable* table, cnPair* pair) {
    CN_ASSERT(pair->concave < 0 && pair->manifold.pointCount > 0);
    pair->manifold.pointCount = 0;
    cnPair_MarkTouching(pair);
    pair->flags |= cn_pairThinned;
    memset(pair->impulse, 0, sizeof pair->impulse);
    memset(pair->correction, 0, sizeof pair->correction);
    pair->friction = (cnVec3f){0};
    pair->torsionalFriction = 0.0f;
    pair->rollingFriction = (cnVec3f){0.0f, 0.0f, 0.0f};
    if (pair->part == 0) {
        return;
    }
    cnPair* parent = cnPairTable_Get(table, cnPairTable_Find(table, pair->proxy1, pair->proxy2, 0));
    CN_ASSERT(parent->concave >= 0 && parent->concave < table->concaves.count);
    const cnConcave* concave = &table->concaves.data[parent->concave];
    parent->flags = (parent->flags & ~(uint32_t)cn_pairTouching) | cn_pairThinned;
    for (int i = 0; i < concave->manifoldCount; ++i) {
        int index = cnPairTable_Find(table, pair->proxy1, pair->proxy2, concave->partOf[i]);
        parent->flags |= cnPairTable_Get(table, index)->flags & cn_pairTouching;
    }
}

// Pairs with something fixed, by the body that moves.
typedef struct FixedPairs {
    const cnNarrowPhase* phase;
    int* bodies; // by near pair, −1
    int* starts; // of body b at b + 1; those of the next one follow
    int* sorted; // pairs
    int count;
    bool found[CN_MAX_THREADS]; // something internal, by thread
} FixedPairs;

static void FindMovingBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const FixedPairs* fixed = context;
    for (int i = begin; i < end; ++i) {
        fixed->bodies[i] = GetMovingBody(fixed->phase, &fixed->phase->pairs->near.data[i]);
    }
}

static void SortByBodies(FixedPairs* fixed) {
    const cnPairTable* table = fixed->phase->pairs;
    const int nearCount = table->near.count, bodyCount = fixed->phase->bodies->ids.rowCount;
    int* starts = fixed->starts;
    memset(starts, 0, (size_t)(bodyCount + 1) * sizeof *starts);
    for (int i = 0; i < nearCount; ++i) {
        starts[fixed->bodies[i] + 1] += fixed->bodies[i] >= 0;
    }
    for (int body = 0; body < bodyCount; ++body) {
        starts[body + 1] += starts[body];
    }
    fixed->count = starts[bodyCount];
    for (int i = nearCount - 1; i >= 0; --i) {
        if (fixed->bodies[i] >= 0) {
            fixed->sorted[--starts[fixed->bodies[i] + 1]] = table->near.data[i].pair;
        }
    }
}

// What is internal is marked first and dropped later, so that the judgements do not depend on their order.
static void MarkInternal(int begin, int end, int thread, void* context) {
    FixedPairs* fixed = context;
    const cnPairTable* pairs = fixed->phase->pairs;
    const int bodyCount = fixed->phase->bodies->ids.rowCount;
    for (int body = begin; body < end; ++body) {
        const int first = fixed->starts[body + 1];
        const int last = body + 1 < bodyCount ? fixed->starts[body + 2] : fixed->count;
        CN_ASSERT(first <= last && last <= fixed->count);
        const int* own = fixed->sorted + first;
        bool mayCover = HasFixedNeighbours(pairs, body, own, last - first);
        for (int i = 0; i < last - first && mayCover; ++i) {
            cnPair* pair = cnPairTable_Get(pairs, own[i]);
            if (IsInternal(fixed->phase, pair, body, own, last - first)) {
                pair->flags |= cn_pairThinned;
                fixed->found[thread] = true;
            }
        }
    }
}

bool cnDropInternalContacts(const cnNarrowPhase* phase) {
    cnPairTable* table = phase->pairs;
    const int nearCount = table->near.count, bodyCount = phase->bodies->ids.rowCount;
    FixedPairs fixed = {.phase = phase};
    if (nearCount == 0) {
        return true;
    }
    fixed.starts = CN_PUSH(phase->stack, int, bodyCount + 1, "fixed contacts of bodies");
    fixed.sorted = CN_PUSH(phase->stack, int, nearCount + 1, "fixed contacts");
    fixed.bodies = CN_PUSH(phase->stack, int, nearCount + 1, "bodies of fixed contacts");
    if (fixed.starts == NULL || fixed.sorted == NULL || fixed.bodies == NULL) {
        return false;
    }
    cnThreadPool_Run(phase->threads, FindMovingBodies, &fixed, nearCount, CN_PAIR_CHUNK);
    SortByBodies(&fixed);
    cnThreadPool_Run(phase->threads, MarkInternal, &fixed, bodyCount, CN_BODY_CHUNK);
    bool mayDrop = false;
    for (int thread = 0; thread < CN_MAX_THREADS; ++thread) {
        mayDrop = mayDrop || fixed.found[thread];
    }
    for (int i = 0; i < fixed.count && mayDrop; ++i) {
        cnPair* pair = cnPairTable_Get(table, fixed.sorted[i]);
        if ((pair->flags & cn_pairThinned) != 0) {
            Drop(table, pair);
            table->nearIsOld = true;
        }
    }
    cnStack_Pop(phase->stack, fixed.bodies);
    cnStack_Pop(phase->stack, fixed.sorted);
    cnStack_Pop(phase->stack, fixed.starts);
    return true;
}
