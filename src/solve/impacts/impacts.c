// Restitution: sequential Newton impacts, before the solve.
//
// Among contacts that approach faster than their restitution threshold the fastest comes first (ties
// by contact index), with all others that share no body with it or with one another: a round. With a contact
// come those of the same two bodies, or linkages, that approach as well. Each contact of a round gets
//   G v⁺ = −e G v⁻ at its approaching points, λ >= 0, |λ_t| <= μ λ_n,  v at the time of the positions,
// then the next round looks again, at most 64 times. One simultaneous solve would send Newton's cradle (1, 0,
// 0) to (−1/3, 2/3, 2/3); rounds give (0, 0, 1). What is left is plastic and done by the solve that follows:
// its rows hold G v >= 0 anyway.
//
// Contacts of a round share no body, so that the pool takes them, but for those of linkages; contact_impact.h
// says what one of them does.
#include "base/containers/sort.h"
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/impacts/contact_impact.h"
#include "solve/impacts/impact_times.h"

#include <string.h>

#define CN_CONTACT_CHUNK 64
#define CN_IMPACT_CHUNK 4
#define CN_MAX_ROUNDS 64

typedef struct ImpactContact {
    int contact, place; // of cnSolve; in the list of those that bounce
    double speed;       // of approach, m/s
} ImpactContact;

// A contact that may bounce.
typedef struct BouncingContact {
    int contact;
    int key1, key2;       // of what answers an impulse: a body or a linkage, 0 where nothing does
    bool isLinked;        // a linkage does
    bool isOver;          // it does not bounce in this step
    double speed;         // of approach, m/s
    int next;             // of those that strike together with it in a round, by place; −1
    cnImpactOutcome last; // of its impacts in this step
} BouncingContact;

// Largest approaching speed over the touching points.
static double ApproachSpeed(const cnSolve* solve, const cnSolverContact* contact) {
    const cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
    const cnContactRows* rows = contact->row >= 0 ? &solve->contactRows[contact->row] : NULL;
    double approach = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        double depth = rows != NULL ? cnImpactTimes_GetDepth(solve, rows, i) : pair->manifold.depths[i];
        if (depth >= 0.0) {
            approach = cnMax(approach, -cnPair_GetApproach(pair, solve, i));
        }
    }
    return approach;
}

// The depth found at an impact is no stored energy: until the contact rests without it
// (position_correction.c) or separates, it is pushed out no faster than it bounces, or than
// CN_MIN_CORRECTION_SPEED.
static void LimitPush(const cnSolve* solve, const cnSolverContact* contact) {
    cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
    bool touching = (pair->flags & cn_pairTouching) != 0;
    if (!touching && (pair->flags & cn_pairLimitedCorrection) != 0) {
        pair->flags &= ~(uint32_t)cn_pairLimitedCorrection;
    } else if (touching && (pair->flags & cn_pairWasTouching) == 0) {
        double bounce =
            contact->restitution > 0.0 ? contact->restitution * ApproachSpeed(solve, contact) : 0.0;
        cnPair_LimitCorrection(pair, (float)cnMax(bounce, CN_MIN_CORRECTION_SPEED));
    }
}

// Whether the bodies of a contact rest on one another.
static bool IsRest(const cnSolverContact* contact, const cnPair* pair) {
    return contact->restitution <= 0.0 || (pair->flags & cn_pairWasTouching) != 0;
}

// What a round looks at.
typedef struct ImpactRound {
    cnImpactBodies bodies;
    BouncingContact* bouncing;
    const int* places; // of its contacts, in `bouncing`
} ImpactRound;

static void BouncePlace(const ImpactRound* round, int place) {
    cnContactImpact* impacts = round->bodies.solve->pairs->impacts.data;
    int contacts[CN_STRIKE_TOGETHER] = {0}, count = 0;
    cnContactImpact* records[CN_STRIKE_TOGETHER] = {NULL};
    for (int i = place; i >= 0; i = round->bouncing[i].next) {
        CN_ASSERT(count < CN_STRIKE_TOGETHER);
        contacts[count] = round->bouncing[i].contact;
        records[count++] = &impacts[i];
    }
    BouncingContact* first = &round->bouncing[place];
    first->last = cnBounceContacts(&round->bodies, contacts, count, first->isLinked, records);
    for (int i = place; i >= 0; i = round->bouncing[i].next) {
        round->bouncing[i].isOver = !first->last.isThere;
    }
}

// Bodies that answer alone: each contact of a round has its own.
static void BounceAlone(int begin, int end, int thread, void* context) {
    (void)thread;
    const ImpactRound* round = context;
    for (int i = begin; i < end; ++i) {
        if (!round->bouncing[round->places[i]].isLinked) {
            BouncePlace(round, round->places[i]);
        }
    }
}

static void RunRound(const ImpactRound* round, int count) {
    cnSolve* solve = round->bodies.solve;
    cnThreadPool_Run(solve->threads, BounceAlone, (void*)round, count, CN_IMPACT_CHUNK);
    for (int i = 0; i < count; ++i) {
        const BouncingContact* bouncing = &round->bouncing[round->places[i]];
        if (bouncing->isLinked) {
            BouncePlace(round, round->places[i]);
        }
        solve->impactWork += bouncing->last.work;
        solve->solver.anyImpactMove |= bouncing->last.hasMoved;
    }
}

// Fastest first, ties by contact.
static void SortImpacts(ImpactContact* impacts, int count) {
    CN_ASSERT(count >= 0);
    CN_SHELL_SORT(ImpactContact, impacts, count, a, b,
                  a.speed > b.speed || (a.speed == b.speed && a.contact < b.contact));
}

static bool WasStruck(const int* lastRound, int key, int round) {
    return key != 0 && lastRound[key] == round;
}

// Speeds of those whose bodies the last round has struck; of all in the first.
typedef struct SpeedSearch {
    const cnSolve* solve;
    BouncingContact* bouncing;
    const int* lastRound; // by key
    int round;
} SpeedSearch;

static void FindSpeeds(int begin, int end, int thread, void* context) {
    (void)thread;
    const SpeedSearch* search = context;
    for (int i = begin; i < end; ++i) {
        BouncingContact* contact = &search->bouncing[i];
        if (search->round == 1 || WasStruck(search->lastRound, contact->key1, search->round - 1) ||
            WasStruck(search->lastRound, contact->key2, search->round - 1)) {
            contact->speed = ApproachSpeed(search->solve, &search->solve->contacts[contact->contact]);
        }
    }
}

// The contacts of a round, from those that bounce. Returns how many approach fast enough.
static int FindImpacts(const cnSolve* solve, const BouncingContact* bouncing, int bouncingCount,
                       ImpactContact* impacts) {
    CN_ASSERT(bouncingCount >= 0 && bouncingCount <= solve->contactCount);
    int count = 0;
    for (int i = 0; i < bouncingCount; ++i) {
        int contact = bouncing[i].contact;
        if (!bouncing[i].isOver && bouncing[i].speed > solve->contacts[contact].restitutionThreshold) {
            impacts[count++] = (ImpactContact){contact, i, bouncing[i].speed};
        }
    }
    SortImpacts(impacts, count);
    return count;
}

// Whether the impact stage may have work on a contact: something of its island approaches fast enough, and it
// bounces, or a fast body takes part.
static bool MayImpact(const cnSolve* solve, const cnSolverContact* contact, const cnPair* pair) {
    if (!solve->islands[contact->island].hasImpacts || (pair->flags & cn_pairTouching) == 0) {
        return false;
    }
    uint32_t flags1 = pair->body1 >= 0 ? solve->bodies->flags[pair->body1] : 0;
    uint32_t flags2 = pair->body2 >= 0 ? solve->bodies->flags[pair->body2] : 0;
    return ((flags1 | flags2) & cn_bodyFast) != 0 || contact->restitution > 0.0;
}

static void LimitPushes(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int c = begin; c < end; ++c) {
        LimitPush(solve, &solve->contacts[c]);
    }
}

static bool HasImpacts(const cnSolve* solve) {
    for (int i = 0; i < solve->islandCount; ++i) {
        if (solve->islands[i].hasImpacts) {
            return true;
        }
    }
    return false;
}

// Lists the contacts that may bounce, and the bodies that rest on something. Returns how many.
static int ListBouncing(const cnSolve* solve, BouncingContact* bouncing, bool* rests) {
    memset(rests, 0, (size_t)solve->solver.count);
    rests[0] = true;
    int count = 0;
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        const cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
        if (MayImpact(solve, contact, pair)) {
            bouncing[count++] = (BouncingContact){.contact = c};
        }
        bool rest = IsRest(contact, pair);
        rests[contact->body1] |= rest;
        rests[contact->body2] |= rest;
    }
    return count;
}

static void FindKeys(const cnSolve* solve, cnLinkedImpacts* linked, BouncingContact* bouncing, int count) {
    CN_ASSERT(count >= 0);
    for (int i = 0; i < count; ++i) {
        const cnSolverContact* contact = &solve->contacts[bouncing[i].contact];
        bouncing[i].key1 = cnLinkedImpacts_KeyOf(linked, contact->body1);
        bouncing[i].key2 = cnLinkedImpacts_KeyOf(linked, contact->body2);
        bouncing[i].isLinked = cnLinkedImpacts_IsLinked(linked, contact->body1) ||
                               cnLinkedImpacts_IsLinked(linked, contact->body2);
    }
}

// Who strikes in a round.
typedef struct RoundChoice {
    int* lastRound; // by key: the last round in which it was struck
    int* striker;   // by key, of this round: the place of the contact that strikes it
    int* places;    // of the round's contacts
    int count;
} RoundChoice;

// Adds a contact to those that strike together with the one that strikes its bodies in this round, if that is
// between the same two. Linkages may be struck at as many bodies as an impact knows.
static void Join(const cnSolve* solve, BouncingContact* bouncing, int place, const RoundChoice* choice) {
    BouncingContact* contact = &bouncing[place];
    const int striker = choice->striker[contact->key1 != 0 ? contact->key1 : contact->key2];
    BouncingContact* last = &bouncing[striker];
    bool isSame = (last->key1 == contact->key1 && last->key2 == contact->key2) ||
                  (last->key1 == contact->key2 && last->key2 == contact->key1);
    const cnPairTable* pairs = solve->pairs;
    bool isBalls = cnPairTable_Get(pairs, solve->contacts[last->contact].pair)->ballCount == 2 ||
                   cnPairTable_Get(pairs, solve->contacts[contact->contact].pair)->ballCount == 2;
    if (!isSame || isBalls) {
        return;
    }
    const int bodies = contact->key1 != 0 && contact->key2 != 0 ? 2 : 1;
    const int most = contact->isLinked ? CN_STRUCK_BODIES / bodies : CN_STRIKE_TOGETHER;
    int count = 2;
    for (; last->next >= 0; ++count) {
        last = &bouncing[last->next];
    }
    if (count <= most) {
        last->next = place;
    }
}

// The fastest contacts that share no body, with those that strike together with them.
static void ChooseRound(const cnSolve* solve, BouncingContact* bouncing, const ImpactContact* impacts,
                        int impactCount, int round, RoundChoice* choice) {
    choice->count = 0;
    for (int i = 0; i < impactCount; ++i) {
        const int place = impacts[i].place;
        BouncingContact* contact = &bouncing[place];
        contact->next = -1;
        bool isStruck1 = WasStruck(choice->lastRound, contact->key1, round);
        bool isStruck2 = WasStruck(choice->lastRound, contact->key2, round);
        if (!isStruck1 && !isStruck2) {
            choice->lastRound[contact->key1] = choice->lastRound[contact->key2] = round;
            choice->striker[contact->key1] = choice->striker[contact->key2] = place;
            choice->places[choice->count++] = place;
        } else if ((isStruck1 || contact->key1 == 0) && (isStruck2 || contact->key2 == 0)) {
            Join(solve, bouncing, place, choice);
        }
    }
}

static bool RunRounds(cnSolve* solve, cnLinkedImpacts* linked) {
    BouncingContact* bouncing =
        CN_PUSH(solve->stack, BouncingContact, solve->contactCount + 1, "bouncing contacts");
    ImpactContact* impacts = CN_PUSH(solve->stack, ImpactContact, solve->contactCount + 1, "impacts");
    int* places = CN_PUSH(solve->stack, int, solve->contactCount + 1, "contacts of a round");
    int* lastRound = CN_PUSH(solve->stack, int, solve->solver.count, "last rounds");
    int* striker = CN_PUSH(solve->stack, int, solve->solver.count, "contacts that strike bodies");
    bool* rests = CN_PUSH(solve->stack, bool, solve->solver.count, "bodies that rest on something");
    if (bouncing == NULL || impacts == NULL || places == NULL || lastRound == NULL || striker == NULL ||
        rests == NULL) {
        return false;
    }
    memset(lastRound, 0, (size_t)solve->solver.count * sizeof *lastRound);
    const int bouncingCount = ListBouncing(solve, bouncing, rests);
    if (!cnArray_Resize(&solve->pairs->impacts, bouncingCount)) {
        return false;
    }
    for (int i = 0; i < bouncingCount; ++i) {
        solve->pairs->impacts.data[i] = (cnContactImpact){.pair = solve->contacts[bouncing[i].contact].pair};
    }
    cnImpactTimes_Begin(solve);
    const ImpactRound round = {{solve, linked, rests}, bouncing, places};
    RoundChoice choice = {lastRound, striker, places, 0};
    for (int number = 1; number <= CN_MAX_ROUNDS; ++number) {
        SpeedSearch search = {solve, bouncing, lastRound, number};
        cnThreadPool_Run(solve->threads, FindSpeeds, &search, bouncingCount, CN_CONTACT_CHUNK);
        int count = FindImpacts(solve, bouncing, bouncingCount, impacts);
        if (count == 0) {
            break;
        }
        if (number == 1) {
            FindKeys(solve, linked, bouncing, bouncingCount);
        }
        solve->statistics.impactRounds = number;
        ChooseRound(solve, bouncing, impacts, count, number, &choice);
        RunRound(&round, choice.count);
    }
    cnImpactTimes_ChangeDepths(solve);
    return true;
}

bool cnSolve_Impacts(cnSolve* solve) {
    int entries = solve->stack->entryCount;
    cnLinkedImpacts linked;
    cnLinkedImpacts_Begin(solve, &linked);
    cnThreadPool_Run(solve->threads, LimitPushes, solve, solve->contactCount, CN_CONTACT_CHUNK);
    bool ok = true;
    if (HasImpacts(solve)) {
        ok = RunRounds(solve, &linked);
    } else {
        solve->pairs->impacts.count = 0;
    }
    ok = cnLinkedImpacts_End(&linked) && ok;
    cnStack_PopTo(solve->stack, entries);
    return ok;
}
