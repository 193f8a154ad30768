// Pairs of several manifolds: the three phases of narrow_phase.h.
#include "base/prefetch.h"
#include "base/report/assert.h"
#include "collide/pairs/meetings.h"
#include "collide/pairs/midpoint_normal.h"
#include "collide/pairs/rolling_points.h"

// Cosine between the normals of a child and of the manifold that continues it, at least: 25°.
#define SAME_NORMAL 0.9f

static bool IsPart(const cnPair* pair, const cnConcave* concave, int part) {
    return pair->proxy1 == concave->proxy1 && pair->proxy2 == concave->proxy2 && pair->part == part;
}

static bool IsRow(const cnPairTable* table, int index) {
    return index >= 0 && index < table->pairs.count;
}

// Pairs change their places when others end, which is seldom.
static int FindPartRow(const cnPairTable* table, cnConcave* concave, int part) {
    CN_ASSERT(concave->proxy1 >= 0 && part >= 0 && part <= CN_PAIR_MANIFOLDS);
    CN_ASSERT(part == 0 || (concave->parts >> part & 1) != 0);
    int index = concave->indices[part];
    if (!IsRow(table, index) || !IsPart(cnPairTable_Get(table, index), concave, part)) {
        index = cnPairTable_Find(table, concave->proxy1, concave->proxy2, part);
        concave->indices[part] = index;
    }
    return index;
}

static cnPair* FindPart(const cnPairTable* table, cnConcave* concave, int part) {
    return cnPairTable_Get(table, FindPartRow(table, concave, part));
}

static bool IsAsleep(const cnPairTable* table, cnConcave* concave) {
    return cnPairTable_IsAsleep(table, FindPartRow(table, concave, 0));
}

// Asks for what will be read of rows and of their pairs: for the rows first, which lead to the pairs.
static void AskForConcaves(const cnPairTable* table, int begin, int end) {
    for (int row = begin; row < end; ++row) {
        cnPrefetchObject(&table->concaves.data[row], offsetof(cnConcave, manifolds[1]));
    }
    for (int row = begin; row < end; ++row) {
        const cnConcave* concave = &table->concaves.data[row];
        int parent = concave->indices[0];
        bool isRead = concave->proxy1 >= 0 && IsRow(table, parent) && !cnPairTable_IsAsleep(table, parent);
        uint32_t parts = isRead ? concave->parts | 1u : 0u;
        for (int part = 0; parts >> part != 0; ++part) {
            if ((parts >> part & 1) != 0 && IsRow(table, concave->indices[part])) {
                cnPrefetchObject(cnPairTable_Get(table, concave->indices[part]), sizeof(cnPair));
            }
        }
    }
}

// Two shapes that are collided, and what the collider uses.
typedef struct Shapes {
    const cnShape *shape1, *shape2;
    cnPose pose1, pose2; // now
    double margin;
    cnNearTriangles* near; // null: nobody keeps them
    cnCandidates* scratch;
} Shapes;

static int CollideAt(const Shapes* shapes, cnPose pose1, cnPose pose2, cnManifold* manifolds) {
    return cnCollideConcaveShapes(shapes->shape1, pose1, shapes->shape2, pose2, shapes->margin, shapes->near,
                                  shapes->scratch, manifolds);
}

// ---- what is clear of the other ---------------------------------------------------------------------------

// Steps until what was not clear of the other is asked again.
#define CLEAR_WAIT 4

// Whether there is for certain no contact now and none in the step that begins.
static bool IsClear(const cnConcaveHint* hint, const cnPair* parent, const cnNarrowPhase* phase) {
    return hint != NULL && cnGetNextTravel(phase->proxies, parent->proxy1, parent->proxy2) < hint->clearUntil;
}

// Of a pair without contacts: how far its shapes may travel until they can have some, from the distance of
// the ball about the smaller one to the surface of the other. What falls onto a hillside is looked at a few
// times on its way.
static void NoteClear(cnConcaveHint* hint, const cnConcave* concave, const cnPair* parent,
                      const Shapes* shapes, const cnNarrowPhase* phase) {
    if (hint == NULL || --hint->clearWait > 0) {
        return;
    }
    bool firstIsSmaller = shapes->shape1->boundingRadius < shapes->shape2->boundingRadius;
    const cnShape* larger = firstIsSmaller ? shapes->shape2 : shapes->shape1;
    cnPose frame = firstIsSmaller ? shapes->pose2 : shapes->pose1;
    cnSurfacePoint surface = {.distance = 0.0};
    cnShape_FindSurface(larger, cnInvTransformPoint(frame, concave->centre), &surface);
    double left = surface.distance - concave->reach - shapes->margin;
    double travel = cnGetTravel(phase->proxies, parent->proxy1, parent->proxy2);
    hint->clearUntil = left > 0.0 ? travel + left : 0.0;
    hint->clearWait = IsClear(hint, parent, phase) ? 1 : CLEAR_WAIT;
}

// ---- manifolds --------------------------------------------------------------------------------------------

// The manifold half a step ahead, where there is but one: in closely fitting hollows the points
// run along the gap.
static void FindMidpoint(cnConcave* concave, const cnPair* parent, const Shapes* shapes,
                         const cnNarrowPhase* phase) {
    cnManifold later[CN_PAIR_MANIFOLDS];
    cnMidpointPoses poses;
    concave->ahead.seen = false;
    bool isLopsided = parent->roundCount == 1 && cnPair_IsLopsided(parent, phase);
    if (concave->manifoldCount == 1 && concave->meetsAt == 0.0 &&
        cnFindMidpointPoses(parent, &concave->manifolds[0], isLopsided, shapes->pose1, shapes->pose2, phase,
                            &poses) &&
        CollideAt(shapes, poses.pose1, poses.pose2, later) == 1) {
        cnFindMidpoint(&concave->manifolds[0], &later[0], &poses, parent, phase, &concave->ahead);
    }
}

// Where nothing touches yet, the manifolds of what will before the step ends; below 0 when memory ran out.
static int FindMeetings(cnConcave* concave, const cnPair* parent, const Shapes* shapes,
                        const cnNarrowPhase* phase) {
    double approach = cnGetApproach(cnPair_GetSides(parent), &parent->cache, phase);
    if (approach <= shapes->margin || !cnMayMeet(parent, approach, phase)) {
        return 0;
    }
    cnMeetingSearch search = cnMeetingSearch_Begin();
    bool overlaps;
    do {
        cnEndPoses end = cnFindEndPoses(parent, search.part, phase);
        int count = CollideAt(shapes, end.pose1, end.pose2, concave->manifolds);
        if (count < 0) {
            return count;
        }
        int kept = 0;
        overlaps = false;
        for (int i = 0; i < count; ++i) {
            if (cnKeepMeetingPoints(&concave->manifolds[i], parent, &end, phase, &overlaps)) {
                concave->manifolds[kept++] = concave->manifolds[i];
            }
        }
        if (kept > 0) {
            concave->meetsAt = search.part;
            return kept;
        }
    } while (cnMeetingSearch_GoOn(&search, overlaps));
    return 0;
}

// ---- which child a manifold continues ---------------------------------------------------------------------

// Squared distance between the middles of a child and of a new manifold, as seen from the body that
// saw it move less: the contact of a ball that rolls stays below the ball, that of a ball that spins
// stays on the ground.
static double DistanceSquaredTo(const cnPair* child, const cnManifold* manifold, const cnNarrowPhase* phase) {
    cnVec3 between = cnSub(cnManifold_GetMiddle(manifold), cnManifold_GetMiddle(&child->manifold));
    cnBuiltPose now1 = cnBuiltPoseOf(child->body1, phase), now2 = cnBuiltPoseOf(child->body2, phase);
    cnVec3 shift1 = cnSub(now1.centre, child->built1.centre);
    cnVec3 shift2 = cnSub(now2.centre, child->built2.centre);
    return cnMin(cnLengthSquared(cnSub(between, shift1)), cnLengthSquared(cnSub(between, shift2)));
}

// Each manifold, the deepest first, takes the nearest child of like normal; what is left of the children is
// to end.
static void MatchChildren(const cnPairTable* table, cnConcave* concave, const cnNarrowPhase* phase) {
    CN_ASSERT(concave->manifoldCount <= CN_PAIR_MANIFOLDS);
    uint32_t left = concave->parts;
    for (int i = 0; i < concave->manifoldCount; ++i) {
        const cnManifold* manifold = &concave->manifolds[i];
        int best = 0;
        double min = INFINITY;
        for (int part = 1; part <= CN_PAIR_MANIFOLDS; ++part) {
            if ((left >> part & 1) == 0) {
                continue;
            }
            const cnPair* child = FindPart(table, concave, part);
            if (cnDotF(child->manifold.normal, manifold->normal) >= SAME_NORMAL) {
                double distance =
                    child->manifold.pointCount > 0 ? DistanceSquaredTo(child, manifold, phase) : INFINITY;
                best = best == 0 || distance < min ? part : best;
                min = cnMin(min, distance);
            }
        }
        concave->partOf[i] = best;
        left &= ~((uint32_t)(best > 0) << best);
    }
}

// ---- the pair ---------------------------------------------------------------------------------------------

static void CollideConcave(cnConcave* concave, cnPair* parent, const cnNarrowPhase* phase,
                           cnConcaveHint* hint, cnCandidates* scratch) {
    CN_ASSERT(parent->part == 0 && parent->proxy1 == concave->proxy1 && parent->proxy2 == concave->proxy2);
    const cnProxyTable* proxies = phase->proxies;
    concave->failed = concave->overlaps = false;
    uint32_t kinds = cn_pairHasManifold | cn_pairThinned | cn_pairOverlapOnly;
    bool has = (parent->flags & kinds) == cn_pairHasManifold;
    concave->made = !(has && cnMayRecycle(parent, concave->centre, concave->reach, phase));
    if (!concave->made) {
        return;
    }
    const Shapes shapes = {
        .shape1 = phase->shapes[proxies->shape[parent->proxy1]],
        .shape2 = phase->shapes[proxies->shape[parent->proxy2]],
        .pose1 = {proxies->position[parent->proxy1], proxies->rotation[parent->proxy1]},
        .pose2 = {proxies->position[parent->proxy2], proxies->rotation[parent->proxy2]},
        .margin = cnPair_GetMargin(parent),
        .near = hint != NULL ? &hint->near : NULL,
        .scratch = scratch,
    };
    if ((parent->flags & cn_pairOverlapOnly) != 0) {
        int overlap = cnDoShapesOverlap(shapes.shape1, shapes.pose1, shapes.shape2, shapes.pose2,
                                        &parent->cache, scratch);
        concave->failed = overlap < 0;
        concave->overlaps = overlap > 0;
        concave->manifoldCount = 0;
        return;
    }
    bool isClear = has && IsClear(hint, parent, phase);
    int count = isClear ? 0 : CollideAt(&shapes, shapes.pose1, shapes.pose2, concave->manifolds);
    concave->meetsAt = 0.0;
    if (count == 0 && !isClear) {
        count = FindMeetings(concave, parent, &shapes, phase);
    }
    concave->failed = count < 0;
    concave->manifoldCount = count < 0 ? 0 : count;
    FindMidpoint(concave, parent, &shapes, phase);

    // what it is kept by
    bool firstIsSmaller = shapes.shape1->boundingRadius < shapes.shape2->boundingRadius;
    const cnShape* smaller = firstIsSmaller ? shapes.shape1 : shapes.shape2;
    concave->centre = cnTransformPoint(firstIsSmaller ? shapes.pose1 : shapes.pose2, smaller->centre);
    concave->reach = smaller->boundingRadius;
    parent->built1 = cnBuiltPoseOf(parent->body1, phase);
    parent->built2 = cnBuiltPoseOf(parent->body2, phase);
    if (count == 0 && !isClear) {
        NoteClear(hint, concave, parent, &shapes, phase);
    }
}

static void CollideRow(cnPairTable* table, int row, int thread, const cnNarrowPhase* phase) {
    cnConcave* concave = &table->concaves.data[row];
    if (IsAsleep(table, concave)) {
        concave->made = false;
        return;
    }
    cnConcaveHint* hint = row < table->hints.count ? &table->hints.data[row] : NULL;
    CollideConcave(concave, FindPart(table, concave, 0), phase, hint, &table->scratch[thread]);
    if (concave->made) {
        MatchChildren(table, concave, phase);
    }
}

void cnCollideConcaves(int begin, int end, int thread, void* context) {
    CN_ASSERT(thread >= 0 && thread < CN_MAX_THREADS);
    const cnNarrowPhase* phase = context;
    cnPairTable* table = phase->pairs;
    CN_ASSERT(begin >= 0 && end <= table->concaves.count);
    AskForConcaves(table, begin, end);
    for (int row = begin; row < end; ++row) {
        if (table->concaves.data[row].proxy1 >= 0) {
            CollideRow(table, row, thread, phase);
        }
    }
}

// ---- children come and go ---------------------------------------------------------------------------------

// Those that no manifold continues.
static void EndChildren(cnPairTable* table, cnConcave* concave) {
    CN_ASSERT(concave->made && concave->manifoldCount <= CN_PAIR_MANIFOLDS);
    uint32_t left = concave->parts;
    for (int i = 0; i < concave->manifoldCount; ++i) {
        left &= ~((uint32_t)(concave->partOf[i] > 0) << concave->partOf[i]);
    }
    for (int part = 1; left != 0 && part <= CN_PAIR_MANIFOLDS; ++part) {
        if ((left >> part & 1) != 0) {
            cnPairTable_Remove(table, cnPairTable_Find(table, concave->proxy1, concave->proxy2, part));
        }
    }
    concave->parts &= ~left;
}

// A child for each manifold that continues none: the lowest part that is free.
static bool AddChildren(cnPairTable* table, cnConcave* concave) {
    for (int i = 0; i < concave->manifoldCount; ++i) {
        if (concave->partOf[i] > 0) {
            continue;
        }
        int part = 1;
        while ((concave->parts >> part & 1) != 0) {
            part += 1;
        }
        CN_ASSERT(part <= CN_PAIR_MANIFOLDS);
        int index = cnPairTable_Add(table, concave->proxy1, concave->proxy2, part);
        if (index < 0) {
            concave->manifoldCount = i;
            return false;
        }
        cnPair* child = cnPairTable_Get(table, index);
        const cnPair* parent = FindPart(table, concave, 0);
        child->body1 = parent->body1;
        child->body2 = parent->body2;
        child->geometry1 = parent->geometry1;
        child->geometry2 = parent->geometry2;
        child->inradius = parent->inradius;
        child->flags = parent->flags & cn_pairSensor;
        concave->partOf[i] = part;
        concave->parts |= 1u << part;
    }
    return true;
}

bool cnChangeChildren(const cnNarrowPhase* phase) {
    cnPairTable* table = phase->pairs;
    bool ok = true;
    CN_PIN(&table->concaves, "parents whose children come and go");
    for (int row = 0; row < table->concaves.count; ++row) {
        cnConcave* concave = &table->concaves.data[row];
        if (concave->proxy1 >= 0 && concave->made) {
            EndChildren(table, concave);
            concave->failed = !AddChildren(table, concave) || concave->failed;
            ok = ok && !concave->failed;
        }
    }
    CN_UNPIN(&table->concaves);
    return ok;
}

static void RenewRow(cnPairTable* table, cnConcave* concave, const cnNarrowPhase* phase) {
    cnPair* parent = FindPart(table, concave, 0);
    bool before = (parent->flags & cn_pairTouching) != 0;
    uint32_t kept = concave->made ? cn_pairBuilt : cn_pairRecycled;
    uint32_t touching = concave->overlaps ? cn_pairTouching : 0u;
    for (int i = 0; i < concave->manifoldCount; ++i) {
        cnPair* child = FindPart(table, concave, concave->partOf[i]);
        if (concave->made && concave->meetsAt > 0.0) {
            cnEndPoses end = cnFindEndPoses(child, concave->meetsAt, phase);
            cnInstallMeeting(child, &concave->manifolds[i], &end, phase);
        } else if (concave->made) {
            cnInstallManifold(child, &concave->manifolds[i], phase);
            if (concave->ahead.seen) {
                cnApplyMidpoint(child, &concave->ahead);
            }
        } else {
            cnRenewDepths(child, INFINITY, phase);
        }
        cnSetPairFlags(child, kept);
        child->flags &= ~(uint32_t)cn_pairFamilyTouched;
        child->flags |= before ? (uint32_t)cn_pairFamilyTouched : 0;
        touching |= child->flags & cn_pairTouching;
    }
    cnSetPairFlags(parent, kept);
    parent->flags |= touching;
    // made again: in the next step, or once there is memory
    bool isPassing = concave->failed || (concave->made && concave->meetsAt > 0.0);
    parent->flags |= isPassing ? cn_pairThinned : 0u;
}

void cnRenewConcaves(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnNarrowPhase* phase = context;
    cnPairTable* table = phase->pairs;
    CN_ASSERT(begin >= 0 && end <= table->concaves.count);
    AskForConcaves(table, begin, end);
    for (int row = begin; row < end; ++row) {
        cnConcave* concave = &table->concaves.data[row];
        if (concave->proxy1 >= 0 && !IsAsleep(table, concave)) {
            RenewRow(table, concave, phase);
        }
    }
}
